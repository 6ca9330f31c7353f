package link

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
)

// Reference is a place where a text points at a section or at another document:
// "Section 4.02(b)", "Article IX", "clause (ii) of Section 3", "Exhibit A".
// Each number of a list is one of its own.
type Reference struct {
	lex.Span
	Kind   ReferenceKind `json:"kind"`
	Target string        `json:"target"` // the path of a section, the number of an attachment
	// Section is the ordinal of the section meant, -1 where none was found. Where
	// the file has the section around the target only, it is that, and Exact is
	// false.
	Section int  `json:"section"`
	Exact   bool `json:"exact"`
	// Document is the index of the document meant, or of the one that holds the
	// section meant; -1 where the file does not hold it.
	Document int `json:"document"`
	// External names what the reference points into where that is no part of the
	// file: "the Bankruptcy Code".
	External string `json:"external,omitempty"`
}

// ReferenceKind says what a reference calls its target.
type ReferenceKind string

// The closed set of kinds. Sections go by many names: paragraph, clause, § and
// the like.
const (
	ToSection    ReferenceKind = "section"
	ToArticle    ReferenceKind = "article"
	ToAttachment ReferenceKind = "attachment"
)

// referenceWord is a word that numbers follow.
type referenceWord struct {
	kind   ReferenceKind
	plural bool
	to     structure.DocumentKind // of an attachment
}

// referenceWords are looked up in small letters.
var referenceWords = func() map[string]referenceWord {
	all := map[string]referenceWord{}
	for word := range strings.FieldsSeq("section clause paragraph subsection sub-section subparagraph sub-paragraph subclause sub-clause") {
		all[word] = referenceWord{kind: ToSection}
		all[word+"s"] = referenceWord{kind: ToSection, plural: true}
	}
	all["article"] = referenceWord{kind: ToArticle}
	all["articles"] = referenceWord{kind: ToArticle, plural: true}
	for word, kind := range structure.AttachmentWords {
		all[word] = referenceWord{kind: ToAttachment, to: kind}
		all[word+"s"] = referenceWord{kind: ToAttachment, to: kind, plural: true}
	}
	all["annexes"] = referenceWord{kind: ToAttachment, to: structure.Annex, plural: true}
	all["appendices"] = referenceWord{kind: ToAttachment, to: structure.Appendix, plural: true}
	return all
}()

// opensReferenceWord tells whether words that numbers follow begin with two
// letters, of which some share a place.
var opensReferenceWord = func() (opens [32][32]bool) {
	for word := range referenceWords {
		opens[word[0]&0x1f][word[1]&0x1f] = true
	}
	return opens
}()

// The words that numbers follow have these lengths, in bytes.
const (
	shortestReferenceWord = len("annex")
	longestReferenceWord  = len("sub-paragraphs")
)

// referrer collects the references of one segmentation.
type referrer struct {
	s        *structure.Segmentation
	found    []Reference
	sections map[sectionKey]int // ordinals
	document int                // that is being read
	text     string             // up to the end of the block that is being read
	start    int                // of that block, in bytes
}

// sectionKey is a name under which a section may be referred to.
type sectionKey struct {
	document int
	article  bool
	path     string
}

// References finds the cross-references of the file, in order, and what they
// point at. Headings are no references to themselves.
func References(s *structure.Segmentation) []Reference {
	r := referrer{s: s, sections: map[sectionKey]int{}}
	r.index()
	for i, d := range s.Documents {
		r.document = i
		for k, b := range d.Blocks {
			if !b.Contents && !(k == 0 && d.Number != "") {
				r.read(lex.Extent{Start: s.Offsets.Byte(b.Start), End: s.Offsets.Byte(b.End)})
			}
		}
	}
	return r.found
}

// index notes the names of every section. The first section of a name has it.
func (r *referrer) index() {
	add := func(key sectionKey, ordinal int) {
		if _, ok := r.sections[key]; !ok && key.path != "" {
			r.sections[key] = ordinal
		}
	}
	for _, n := range r.s.Sections {
		add(sectionKey{n.Document, false, n.Path}, n.Ordinal)
	}
	for _, n := range r.s.Sections {
		if n.Number == "" || n.Number[0] == '(' {
			continue
		}
		// "Section 2" of Article I is cited without the article.
		number := n.Number[wordPrefix(n.Number):]
		add(sectionKey{n.Document, false, citedPath(number)}, n.Ordinal)
		if parts := structure.NumberParts(number); len(parts) == 1 && n.Level <= 2 && (len(number) < len(n.Number) || lex.IsDigit(number[0]) || lex.IsRoman(number)) {
			add(sectionKey{n.Document, true, strconv.Itoa(structure.PartValue(parts[0]))}, n.Ordinal)
		}
	}
}

// wordPrefix returns the length of the word, with the blanks behind it, before
// the number of a heading: "Section 4.02".
func wordPrefix(number string) int {
	_, rest := lex.CutWord(number)
	if rest == "" {
		return 0
	}
	return len(number) - len(rest)
}

// citedPath writes a number in the notation of Section.Path.
func citedPath(number string) string {
	path := ""
	for i, part := range structure.NumberParts(number) {
		if i == 0 && part <= "Z" && lex.IsRoman(part) {
			part = strconv.Itoa(lex.RomanValue(strings.ToLower(part)))
		}
		path = structure.JoinPath(path, part, false)
	}
	return path
}

// read adds the references in one block.
func (r *referrer) read(block lex.Extent) {
	r.text, r.start = r.s.Text[:block.End], block.Start
	for at := block.Start; at < block.End; {
		word, length := referenceWordAt(r.text[at:])
		if length == 0 {
			at = nextWord(r.text, at)
			continue
		}
		at = r.readList(at, length, word)
	}
}

// referenceWordAt reads the word that s opens with as one that numbers follow.
func referenceWordAt(s string) (word referenceWord, length int) {
	if strings.HasPrefix(s, "§") {
		length = len("§")
		if strings.HasPrefix(s[length:], "§") {
			return referenceWord{kind: ToSection, plural: true}, 2 * length
		}
		return referenceWord{kind: ToSection}, length
	}
	if len(s) < shortestReferenceWord || !opensReferenceWord[s[0]&0x1f][s[1]&0x1f] {
		return word, 0
	}
	for length < len(s) && length <= longestReferenceWord && (lex.IsLetter(s[length]) || s[length] == '-') {
		length++
	}
	if length < shortestReferenceWord || length == len(s) {
		return word, 0
	}
	word, ok := referenceWords[strings.ToLower(s[:length])]
	if !ok {
		return word, 0
	}
	return word, length
}

// citation is one number of a reference.
type citation struct {
	lex.Extent        // with the word before it, if it is the first
	label      string // as printed
}

// readList adds the references that the word at at announces, of the given
// length, and returns where to read on.
func (r *referrer) readList(at, length int, word referenceWord) int {
	list := r.citations(at, length, word)
	if len(list) == 0 {
		return nextWord(r.text, at+length-1)
	}
	end := list[len(list)-1].End
	if at == r.start && end == len(r.text) {
		return end // the number of a filing above its text
	}
	if n := r.s.SectionAt(r.s.Offsets.CodePoint(at)); n >= 0 && r.s.Offsets.Byte(r.s.Sections[n].Start) == at {
		return end // the heading of the section itself
	}
	around := r.surroundings(at, end, 0)
	path := ""
	for _, c := range list {
		found := Reference{Span: r.s.SpanOf(c.Extent), Kind: word.kind, Section: -1, Document: -1, External: around.external}
		if word.kind == ToAttachment {
			found.Target = c.label
			if around.external == "" {
				found.Document = r.attachment(word.to, c.label)
				found.Exact = found.Document >= 0
			}
		} else {
			// "Sections 4(a), (b) and 5": a bracket continues from the number before.
			relative := c.label[0] == '('
			switch {
			case relative && around.path != "":
				path = around.path + relativePath(c.label)
				relative = false
			case relative && path != "" && path[0] != '(':
				if cut := strings.IndexByte(path, '('); cut > 0 {
					path = path[:cut]
				}
				path += relativePath(c.label)
				relative = false
			case relative:
				path = relativePath(c.label)
			default:
				path = citedPath(c.label)
			}
			if path == "" {
				continue // "Section 0"
			}
			found.Target = path
			if around.external == "" {
				r.resolve(&found, relative, around)
			}
		}
		r.found = append(r.found, found)
	}
	return end
}

// citations reads the numbers behind the word at at.
func (r *referrer) citations(at, length int, word referenceWord) []citation {
	var list []citation
	for start, i := at, skipBlanks(r.text, at+length); ; {
		label, size := citationAt(r.text[i:], word.kind)
		if size == 0 || i == at+length && lex.IsLetter(r.text[i]) {
			return list
		}
		if n := len(list); n > 0 && !goesOn(list[n-1].label, label, word.plural) {
			return list
		}
		list = append(list, citation{lex.Extent{Start: start, End: i + size}, label})
		next := behindConjunction(r.text, i+size)
		if next < 0 {
			return list
		}
		start, i = next, next
	}
}

// goesOn reports whether label is the next number of a list, and not a number
// that is there by chance: "Section 4 and 30 days", "Section 4.2, (ii) pay".
func goesOn(before, label string, plural bool) bool {
	if label[0] == '(' {
		return strings.HasSuffix(before, ")")
	}
	return plural || strings.ContainsAny(label, ".(")
}

// skipBlanks returns the first byte at or behind i that is no white space.
func skipBlanks(text string, i int) int {
	return len(text) - len(strings.TrimLeft(text[i:], " \t\n\f\u00a0"))
}

// conjunctions part the numbers of a list.
var conjunctions = []string{"and/or", "and", "or", "through", "to", "&", "–", "-"}

// behindConjunction returns where the next number of a list may begin behind
// the one that ends at i, or -1.
func behindConjunction(text string, i int) int {
	at := skipBlanks(text, i)
	comma := at < len(text) && text[at] == ','
	if comma {
		at = skipBlanks(text, at+1)
	}
	for _, conjunction := range conjunctions {
		if strings.HasPrefix(text[at:], conjunction) {
			if next := skipBlanks(text, at+len(conjunction)); next > at+len(conjunction) {
				return next
			}
		}
	}
	if comma {
		return at
	}
	return -1
}

// citationAt reads the number of a section or an attachment that s opens with.
func citationAt(s string, kind ReferenceKind) (label string, size int) {
	quoted := 0
	for _, quote := range []string{"\"", "“"} {
		if kind == ToAttachment && strings.HasPrefix(s, quote) {
			quoted = len(quote)
		}
	}
	rest := s[quoted:]
	end := 0
	if head := lex.AlphanumericPrefix(rest); head != "" {
		if end = citedHead(head, kind); end == 0 || end < len(head) {
			return "", 0
		}
		for end+1 < len(rest) && (rest[end] == '.' || rest[end] == '-') {
			part := lex.AlphanumericPrefix(rest[end+1:])
			if part == "" || len(part) > 3 || lex.IsLetter(part[0]) && len(part) > 1 && !lex.IsOrdinal(part) {
				break
			}
			end += 1 + len(part)
		}
	}
	for end < len(rest) {
		open := end
		if rest[open] == ' ' {
			open++
		}
		sub := 0
		if open < len(rest) && rest[open] == '(' {
			sub = len(lex.BracketedAt(rest[open:]).Label)
		}
		if sub == 0 {
			break
		}
		end = open + sub
	}
	if end == 0 {
		return "", 0
	}
	if quoted == 0 {
		return rest[:end], end
	}
	for _, quote := range []string{"\"", "”"} {
		if strings.HasPrefix(rest[end:], quote) {
			return rest[:end], quoted + end + len(quote)
		}
	}
	return "", 0
}

// citedHead returns how much of head, letters and figures, begins the number of
// a reference.
func citedHead(head string, kind ReferenceKind) int {
	const mostDigits = 4 // "Section 1542 of the Civil Code"
	figures := lex.DigitPrefix(head)
	switch {
	case figures > 0 && figures <= mostDigits && len(head)-figures <= 1: // "409A"
		return len(head)
	case figures > 0 || len(head) > 6 && kind == ToAttachment:
		return 0
	case lex.IsOrdinal(head) && head == strings.ToUpper(head):
		return len(head)
	case kind == ToAttachment && head[0] <= 'Z' && lex.DigitPrefix(head[1:]) == len(head)-1: // "A1"
		return len(head)
	case kind != ToAttachment && head[0] <= 'Z' && lex.NumberNames[strings.ToLower(head)] > 0:
		return len(head)
	}
	return 0
}

// relativePath writes "(b)(ii)" in the notation of Section.Path.
func relativePath(label string) string {
	path := ""
	for _, part := range structure.NumberParts(label) {
		path = structure.JoinPath(path, part, true)
	}
	return path
}

// surroundings are what the words behind a reference say about it.
type surroundings struct {
	path     string // of the section that the target is in
	document int    // that holds the target; -1 where nothing is said
	external string // what holds the target and is no part of the file
}

// surroundings reads the words around the reference text[at:end]. Each "of" may
// lead to another reference: "clause (a) of paragraph (ii) of Section 3".
func (r *referrer) surroundings(at, end, depth int) surroundings {
	const mostDepth = 3
	around := surroundings{document: -1}
	if depth == 0 {
		if around.external = externalBefore(r.text[:at]); around.external != "" {
			return around
		}
	}
	i := skipBlanks(r.text, end)
	preposition := lex.WordAt(r.text[i:])
	switch preposition {
	case "of", "under", "to", "in":
	default:
		return around
	}
	i = skipBlanks(r.text, i+len(preposition))
	if i == len(r.text) || depth == mostDepth {
		return around
	}
	if word, length := referenceWordAt(r.text[i:]); length > 0 && preposition != "to" {
		list := r.citations(i, length, word)
		if len(list) == 0 {
			return around
		}
		outer := r.surroundings(i, list[0].End, depth+1)
		switch first := list[0].label; {
		case word.kind == ToAttachment:
			outer.document = r.attachment(word.to, first)
		case first[0] == '(':
			outer.path += relativePath(first)
		default:
			outer.path = citedPath(first)
		}
		return outer
	}
	name := properName(r.text[i:])
	switch bare := strings.TrimPrefix(name, "the "); {
	case bare == "", strings.HasPrefix(bare, "this "):
	case strings.EqualFold(bare, "Agreement"):
		around.document = 0
	default:
		for k, d := range r.s.Documents {
			if d.Title != "" && strings.EqualFold(d.Title, bare) {
				around.document = k
				return around
			}
		}
		if namesSource(bare) {
			around.external = name
		}
	}
	return around
}

// properName returns the name that s opens with: words with capital letters and
// the small ones between them, with the article before them.
func properName(s string) string {
	const (
		mostWords = 10
		reach     = 120 // bytes
	)
	s = s[:min(len(s), reach)]
	end, words := 0, 0
	for at := 0; at < len(s) && words < mostWords; words++ {
		from := at
		for at < len(s) && !lex.ASCIISpace[s[at]] {
			at++
		}
		word := s[from:at]
		r, _ := utf8.DecodeRuneInString(strings.TrimLeft(word, "(“\""))
		bare := strings.TrimRight(word, ".,;:)”\"")
		switch {
		case unicode.IsUpper(r) || end > 0 && unicode.IsDigit(r):
			end = from + len(bare)
		case word == "and" && namesSource(s[:end]):
			at = len(s)
		case from == 0 && articles[word], end > 0 && (word == "of" || word == "and" || word == "for" || word == "the"), from > 0 && end == 0 && word == "certain":
		default:
			at = len(s)
		}
		if bare != word && (word != bare+"," || namesSource(s[:end])) {
			break
		}
		at += lex.SpaceAt(s[at:])
	}
	return lex.Unwrap(s[:end])
}

// sources are the nouns that name what has sections of its own.
var sources = lex.Set("act code law laws regulation regulations rule rules statute statutes constitution directive treaty convention ordinance agreement contract lease indenture " +
	"plan note license deed charter bylaws guidelines policy manual form gdpr prospectus title")

// namesSource reports whether name is that of a law, an agreement or another
// thing with sections.
func namesSource(name string) bool {
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if sources[strings.ToLower(word)] {
			return true
		}
	}
	return false
}

// collections are the works whose names are before their sections: "17 C.F.R.
// § 240".
var collections = lex.Set("code act c.f.r cfr u.s.c usc u.s.c.a ucc u.c.c stat statutes regulation regulations reg treas rule rules law")

// externalBefore returns the name of the work that text ends with, which is to
// be of that kind, or "".
func externalBefore(text string) string {
	const mostWords = 5
	text = strings.TrimRight(text[max(0, len(text)-longestTerm):], " \t\n\u00a0")
	end := len(text)
	last := lex.WordBefore(text)
	if last == "" || last[0] > 'Z' || !collections[strings.ToLower(strings.TrimRight(last, "."))] {
		return ""
	}
	start := end - len(last)
	for range mostWords - 1 {
		before := strings.TrimRight(text[:start], " ")
		word := before[strings.LastIndexByte(before, ' ')+1:]
		if word == "" || !lex.StartsUpper(word) && !lex.IsDigit(word[0]) || strings.IndexByte(",;:.", word[len(word)-1]) >= 0 && len(word) > 5 {
			break
		}
		start = len(before) - len(word)
	}
	return lex.Unwrap(text[start:end])
}

// attachment returns the index of the document with the given kind and number,
// or -1.
func (r *referrer) attachment(kind structure.DocumentKind, number string) int {
	for i, d := range r.s.Documents {
		if d.Kind == kind && d.Number != "" && strings.EqualFold(d.Number, number) {
			return i
		}
	}
	return -1
}

// resolve finds the section that a reference means. Where nothing is said, that
// is one of the same document first and then of the main one.
func (r *referrer) resolve(found *Reference, relative bool, around surroundings) {
	documents := []int{around.document}
	if around.document < 0 {
		documents = []int{r.document, 0}
	}
	for _, document := range documents {
		var section int
		var exact bool
		if relative {
			section = r.nearby(document, found.Target, found.Start)
			exact = section >= 0
		} else {
			section, exact = r.lookUp(document, found.Kind == ToArticle, found.Target)
		}
		if section >= 0 && (exact || found.Section < 0) {
			found.Section, found.Exact, found.Document = section, exact, document
		}
		if found.Exact {
			return
		}
	}
}

// nearby finds the section with the relative path that is nearest around the
// code point: a part of the section there or of one around that.
func (r *referrer) nearby(document int, path string, point int) int {
	if document == r.document {
		for n := r.s.SectionAt(point); n >= 0; n = r.s.Sections[n].Parent {
			if ordinal, ok := r.sections[sectionKey{document, false, r.s.Sections[n].Path + path}]; ok {
				return ordinal
			}
		}
	}
	if ordinal, ok := r.sections[sectionKey{document, false, path}]; ok {
		return ordinal
	}
	return -1
}

// lookUp finds the section with the given path, or the innermost one around it.
func (r *referrer) lookUp(document int, article bool, path string) (ordinal int, exact bool) {
	if article {
		head := lex.AlphanumericPrefix(path)
		rest := path[len(head):]
		if head != "" {
			if ordinal, ok := r.sections[sectionKey{document, true, strconv.Itoa(structure.PartValue(head))}]; ok {
				if rest == "" {
					return ordinal, true
				}
				path = r.s.Sections[ordinal].Path + rest
			}
		}
	}
	for exact = true; path != ""; exact = false {
		if ordinal, ok := r.sections[sectionKey{document, false, path}]; ok {
			return ordinal, exact
		}
		path = path[:max(0, strings.LastIndexAny(path, ".("))]
	}
	return -1, false
}
