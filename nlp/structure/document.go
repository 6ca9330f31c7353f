package structure

import (
	"slices"
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
)

// DocumentKind says what a logical document is to the file that holds it.
type DocumentKind string

// The closed set of kinds.
const (
	Agreement     DocumentKind = "agreement" // also whatever a file that is no contract holds
	Amendment     DocumentKind = "amendment"
	Exhibit       DocumentKind = "exhibit"
	Schedule      DocumentKind = "schedule"
	Annex         DocumentKind = "annex"
	Appendix      DocumentKind = "appendix"
	Attachment    DocumentKind = "attachment"
	SignaturePage DocumentKind = "signature_page"
)

// Document is one of the documents that a file is made of.
type Document struct {
	lex.Span
	Kind      DocumentKind `json:"kind"`
	Number    string       `json:"number,omitempty"` // "A" of Exhibit A
	Title     string       `json:"title,omitempty"`  // on one line; "" where none is printed
	FirstPage int          `json:"firstPage"`        // from 1
	LastPage  int          `json:"lastPage"`         // the page on which its last block begins
	Blocks    []Block      `json:"blocks"`
}

// leastAgreement is the length in bytes of an agreement that another one can
// follow; what is shorter is a cover.
const leastAgreement = 200

// leastText is the length in bytes of a text; what is shorter is a line.
const leastText = 60

// AttachmentWords open the heading of a document that belongs to another.
var AttachmentWords = map[string]DocumentKind{
	"exhibit": Exhibit, "schedule": Schedule, "annex": Annex, "annexure": Annex, "appendix": Appendix, "attachment": Attachment, "addendum": Attachment,
}

// attachment is the heading of an exhibit or the like, taken apart.
type attachment struct {
	kind   DocumentKind
	number string
	title  string
}

// readAttachment reads s as the heading of an exhibit, schedule or the like:
// its word, its number and perhaps a title, and nothing that makes it a
// mention.
func readAttachment(s string) (attachment, bool) {
	if len(s) > longestTitle || s == "" {
		return attachment{}, false
	}
	if strings.HasPrefix(s, "[") {
		s = strings.Trim(s, "[]")
	}
	s = strings.TrimSpace(strings.Trim(s, "\"“”"))
	word := lex.WordAt(s)
	kind, ok := AttachmentWords[strings.ToLower(word)]
	if !ok || word[0] > 'Z' {
		return attachment{}, false
	}
	rest := strings.TrimLeft(s[len(word):], " \t\n\u00a0")
	if len(rest) == len(s)-len(word) && rest != "" {
		return attachment{}, false
	}
	end := 0
	for end < len(rest) && !lex.ASCIISpace[rest[end]] && rest[end] != ':' {
		end++
	}
	number := strings.Trim(rest[:end], "\"“”‘’'.,")
	if strings.HasPrefix(number, "(") {
		number = strings.Trim(number, "()")
	}
	title := strings.Trim(rest[end:], " \t\n:.-–—")
	head := lex.AlphanumericPrefix(number)
	switch {
	case number == "" && word == strings.ToUpper(word):
	case lex.IsOrdinal(head) && (lex.IsDigit(head[0]) || number == strings.ToUpper(number)), lex.NumberNames[strings.ToLower(number)] > 0:
	case word == strings.ToUpper(word) && isTitle(rest):
		number, title = "", rest
	default:
		return attachment{}, false
	}
	if listsAttachment(title) {
		return attachment{}, false
	}
	if title != "" && !isTitle(title) && !strings.HasPrefix(title, "(") && !strings.HasPrefix(title, "[") || strings.HasSuffix(s, ",") || strings.HasSuffix(s, ";") {
		return attachment{}, false
	}
	return attachment{kind, number, strings.Join(strings.Fields(title), " ")}, true
}

// listsAttachment reports whether title continues with another attachment, as
// lists run together do: "Schedule 1 Prices Schedule 2 Products".
func listsAttachment(title string) bool {
	words := strings.Fields(title)
	for i, word := range words {
		if _, ok := AttachmentWords[strings.ToLower(word)]; ok && (i == 0 || i+1 < len(words) && lex.IsOrdinal(lex.AlphanumericPrefix(words[i+1]))) {
			return true
		}
	}
	return false
}

// Instruments are the nouns that name whole agreements in their titles.
var Instruments = lex.Set("agreement contract lease note license licence deed indenture memorandum undertaking guaranty guarantee warrant plan letter terms " +
	"policy order statement certificate addendum amendment release assignment bond mortgage charter bylaws protocol")

// namesInstrument reports whether s is written as the title of an agreement.
func namesInstrument(s string) bool {
	if !isTitle(s) {
		return false
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return !lex.IsLetter(byte(r)) || r > 'z' }) {
		if Instruments[word] {
			return true
		}
	}
	return false
}

// isAmendment reports whether a title is that of an amendment.
func isAmendment(title string) bool {
	lower := strings.ToLower(title)
	at := strings.Index(lower, "amendment")
	return at >= 0 && at < 30 && !strings.Contains(lower, "restate")
}

// part is a logical document while it is being found: pieces from first up to
// the next part.
type part struct {
	first  int
	kind   DocumentKind
	number string
	title  string
}

// findParts cuts the pieces of a file into its logical documents.
func findParts(text string, pieces []piece) []part {
	if len(pieces) == 0 {
		return nil
	}
	f := partFinder{text: text, pieces: pieces, last: map[attachment]int{}}
	f.body = slices.IndexFunc(pieces, func(p piece) bool { return p.kind == Heading && (p.number.Form >= lex.Counted || p.of.isHeading()) })
	for i := range pieces {
		if a, ok := f.attachmentAt(i); ok {
			f.last[attachment{kind: a.kind, number: a.number}] = i
		}
	}
	parts := []part{f.opening()}
	for i := 1; i < len(pieces); i++ {
		if p, ok := f.partAt(i, parts[len(parts)-1]); ok {
			parts = append(parts, p)
		}
	}
	return parts
}

type partFinder struct {
	text   string
	pieces []piece
	body   int                // the first piece that is a numbered heading
	last   map[attachment]int // by kind and number, the last piece that heads such an attachment
}

func (f *partFinder) piece(i int) string { return f.text[f.pieces[i].Start:f.pieces[i].End] }

// opening is the part that the file begins with. A filing numbers the whole
// agreement as one of its exhibits, "Exhibit 10.1"; agreements letter theirs.
func (f *partFinder) opening() part {
	if a, ok := f.attachmentAt(0); ok && a.number != "" && !lex.IsDigit(a.number[0]) {
		return f.attachmentPart(0, a)
	}
	first := part{kind: Agreement, title: f.titleFrom(0)}
	if isAmendment(first.title) {
		first.kind = Amendment
	}
	return first
}

// titleFrom returns the title of the agreement that begins with piece i, or ""
// where none is printed above its text.
func (f *partFinder) titleFrom(i int) string {
	const reach = 15 // pieces of a cover page
	for j := i; j < min(i+reach, len(f.pieces)); j++ {
		p := f.pieces[j]
		if p.of != nil && p.of.Kind == Heading && p.of.Level == 0 && p.of.Origin == "" {
			return instrumentTitle(p.title)
		}
		if p.kind == Heading && p.number.Form == lex.Unnumbered && namesInstrument(p.title) {
			if _, ok := f.attachmentAt(j); !ok {
				return instrumentTitle(p.title)
			}
		}
	}
	return ""
}

// legends are above titles and are no part of them.
var legends = lex.Set("executionversion executioncopy confidential confidentialtreatment confidentialtreatmentrequested finalversion final draft copy conformedcopy exhibit")

// instrumentTitle takes from the lines of a title the legends above it and the
// parties below it.
func instrumentTitle(s string) string {
	var title []string
	named := false
	for text := range strings.SplitSeq(s, "\n") {
		text = strings.Join(strings.Fields(text), " ")
		switch words := lex.Squash(text); {
		case len(title) == 0 && legends[words]:
			continue
		case named && (words == "between" || words == "byandbetween" || words == "among" || words == "byandamong" || words == "and"):
			return strings.Join(title, " ")
		}
		named = named || namesInstrument(text)
		title = append(title, text)
	}
	return strings.Join(title, " ")
}

func (f *partFinder) attachmentAt(i int) (attachment, bool) {
	if f.pieces[i].kind == Table || f.pieces[i].kind == SignatureBlock || f.pieces[i].of.beside() {
		return attachment{}, false
	}
	return readAttachment(f.piece(i))
}

// attachmentPart is the part that begins with the heading a at piece i. Its
// title may be on the line below.
func (f *partFinder) attachmentPart(i int, a attachment) part {
	if a.title == "" && i+1 < len(f.pieces) {
		if next := &f.pieces[i+1]; next.number.Form == lex.Unnumbered && (next.kind == Heading || next.kind == Paragraph && isTitle(f.piece(i+1))) {
			a.title = strings.TrimRight(lex.Unwrap(f.piece(i+1)), " .:")
		}
	}
	return part{first: i, kind: a.kind, number: a.number, title: a.title}
}

// isListed reports whether the heading of an attachment at piece i only stands
// in a list of them: with two or more others on its page, and nothing but
// short lines between.
func (f *partFinder) isListed(i int) bool {
	const others = 2
	found := 0
	for _, step := range []int{1, -1} {
		for j := i + step; found < others && j >= 0 && j < len(f.pieces) && f.pieces[j].page == f.pieces[i].page; j += step {
			if _, ok := f.attachmentAt(j); ok {
				found++
			} else if f.pieces[j].End-f.pieces[j].Start >= leastText {
				break
			}
		}
	}
	return found >= others
}

// opensPage reports whether piece i is the first on its page.
func (f *partFinder) opensPage(i int) bool { return i == 0 || f.pieces[i-1].page < f.pieces[i].page }

// partAt reports whether a document begins with piece i, within the part
// before.
func (f *partFinder) partAt(i int, before part) (part, bool) {
	if a, ok := f.attachmentAt(i); ok {
		if f.isListed(i) {
			return part{}, false
		}
		if before.first == 0 && f.isAnnounced(i, a) || a.kind == before.kind && a.number == before.number || i-before.first < 3 && before.first == 0 && strings.Contains(a.number, ".") {
			return part{}, false
		}
		return f.attachmentPart(i, a), true
	}
	signed := f.pieces[i-1].kind == SignatureBlock && f.pieces[i].Start-f.pieces[before.first].Start > leastAgreement
	if p := f.pieces[i]; p.kind == Heading && p.number.Form == lex.Unnumbered && signed && namesInstrument(p.title) && lex.IsCapitals(p.title) && !namesSignatures(p.title) {
		kind := Agreement
		if isAmendment(p.title) {
			kind = Amendment
		}
		return part{first: i, kind: kind, title: instrumentTitle(p.title)}, true
	}
	if before.kind != SignaturePage && f.opensPage(i) && f.isSignaturePage(i) {
		return part{first: i, kind: SignaturePage}, true
	}
	return part{}, false
}

// isAnnounced reports whether the heading of the attachment a at piece i only
// announces it: with its page, with the next one, or before the sections of the
// agreement begin, with the attachment itself further on.
func (f *partFinder) isAnnounced(i int, a attachment) bool {
	title := f.attachmentPart(i, a).title
	_, _, paged := cutPageNumber(title)
	return paged || listsAttachment(title) || i < f.body && f.last[attachment{kind: a.kind, number: a.number}] > f.body
}

// namesSignatures reports whether title is that of a page to sign, or the
// legend of one.
func namesSignatures(title string) bool {
	return strings.Contains(lex.Squash(title), "signaturepage")
}

// isSignaturePage reports whether the page that opens with piece i is there to
// be signed: it holds signatures and hardly any text.
func (f *partFinder) isSignaturePage(i int) bool {
	const mostText = 700 // bytes: the testimonium and a legend
	signatures, rest := 0, 0
	for page := f.pieces[i].page; i < len(f.pieces) && f.pieces[i].page == page; i++ {
		if f.pieces[i].kind == SignatureBlock {
			signatures++
		} else {
			rest += f.pieces[i].End - f.pieces[i].Start
		}
	}
	return signatures > 0 && rest <= mostText
}

// demote makes paragraphs of the headings that head nothing: names, addresses
// and what else is in capital letters on lines of its own. Titles of
// documents stay, so their parts must be known.
func demote(text string, pieces []piece) {
	f := partFinder{text: text, pieces: pieces}
	for i := range pieces {
		p := &pieces[i]
		if p.kind != Heading || p.of != nil && p.of.Kind == Heading || p.number.Form != lex.Unnumbered || lex.IsCapitals(p.title) || strings.HasSuffix(f.piece(i), ":") || namesInstrument(p.title) {
			continue
		}
		if _, ok := f.attachmentAt(i); ok {
			continue
		}
		if i > 0 {
			if _, ok := f.attachmentAt(i - 1); ok {
				continue
			}
		}
		if i+1 < len(pieces) {
			next := &pieces[i+1]
			if next.number.Form != lex.Unnumbered || next.kind == Table || next.kind == Heading && lex.IsCapitals(next.title) || next.kind == Paragraph && next.End-next.Start >= leastText {
				continue
			}
		}
		p.kind, p.title = Paragraph, ""
	}
}
