package structure

import (
	"cmp"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
)

// Signature is a place at which somebody signs for a party. A part that is not
// printed, or left blank, is the zero Quoted.
type Signature struct {
	Document int    `json:"document"` // index of its document
	Block    int    `json:"block"`    // ordinal of its signature block
	Party    Quoted `json:"party"`    // the name above it
	By       Quoted `json:"by"`       // what stands on the line: "/s/ Jane Doe"
	Name     Quoted `json:"name"`
	Title    Quoted `json:"title"`
	Date     Quoted `json:"date"`
	Signed   bool   `json:"signed"` // something stands on the line
}

// Quoted is words with the place where they stand.
type Quoted struct {
	lex.Span
	Text string `json:"text"` // on one line
}

// signaturePart is a part of a signature that a label asks for.
type signaturePart uint8

const (
	signatureBy signaturePart = iota + 1
	signatureName
	signatureTitle
	signatureDate
)

var signatureLabels = map[string]signaturePart{
	"by": signatureBy, "signature": signatureBy, "signed": signatureBy, "per": signatureBy,
	"name": signatureName, "print name": signatureName, "printed name": signatureName, "print": signatureName,
	"title": signatureTitle, "its": signatureTitle, "position": signatureTitle,
	"date": signatureDate, "dated": signatureDate,
}

func (s *Signature) part(p signaturePart) *Quoted {
	switch p {
	case signatureName:
		return &s.Name
	case signatureTitle:
		return &s.Title
	case signatureDate:
		return &s.Date
	}
	return &s.By
}

// Signatures reads the signature blocks of the file, in order. Signatures set side by
// side are separated by their columns.
func (s *Segmentation) Signatures() []Signature {
	var all []Signature
	for i, d := range s.Documents {
		for _, b := range d.Blocks {
			if b.Kind == SignatureBlock {
				r := signatureReader{s: s, document: i, block: b.Ordinal}
				r.read(lex.Extent{Start: s.Offsets.Byte(b.Start), End: s.Offsets.Byte(b.End)})
				all = append(all, r.found...)
			}
		}
	}
	return all
}

// mostColumns bounds how many people sign side by side.
const mostColumns = 4

// signatureReader reads one block.
type signatureReader struct {
	s               *Segmentation
	document, block int
	found           []Signature
	columns         [mostColumns]signatureColumn
}

// signatureColumn is what was read in a column so far.
type signatureColumn struct {
	signature int                    // index, where one was begun
	read      map[signaturePart]bool // what the signature has; nil where none was begun
	waiting   signaturePart          // what the label above asked for, 0 for nothing
	above     lex.Extent             // the last words that no label asked for
}

func (r *signatureReader) read(block lex.Extent) {
	at := block.Start
	for line := range strings.Lines(r.s.Text[block.Start:block.End]) {
		end := at + len(line)
		if row := lex.Trim(r.s.Text, lex.Extent{Start: at, End: end}); row.Start < row.End && !r.isFurniture(row) {
			r.readRow(row)
		}
		at = end
	}
}

// isFurniture reports whether the row e belongs to the page and not to the
// block that continues behind it.
func (r *signatureReader) isFurniture(e lex.Extent) bool {
	start := r.s.Offsets.CodePoint(e.Start)
	_, found := slices.BinarySearchFunc(r.s.Furniture, start, func(f lex.Span, start int) int { return cmp.Compare(f.Start, start) })
	return found
}

// readRow reads the cells of a row. The same label again is that of the next
// column; another one continues with its own: "By: /s/ Jane Doe Title: CEO".
func (r *signatureReader) readRow(row lex.Extent) {
	var labelled [signatureDate + 1]int // by part, how many columns had it in this row
	for number := 0; row.Start < row.End && number < mostColumns; number++ {
		text := r.s.Text[row.Start:row.End]
		cell := lex.Extent{Start: row.Start, End: row.Start + cellEnd(text)}
		row = lex.Trim(r.s.Text, lex.Extent{Start: cell.End, End: row.End})
		part, value := cutSignatureLabel(text[:cell.End-cell.Start])
		column := number
		if part > 0 {
			column = labelled[part]
			labelled[part]++
		}
		r.readCell(&r.columns[column], part, lex.Trim(r.s.Text, lex.Extent{Start: cell.Start + value, End: cell.End}))
	}
}

// cellEnd returns where the first cell of s ends: at a wide space, or before
// the next label.
func cellEnd(s string) int {
	end := len(s)
	if gap := strings.Index(s, "   "); gap >= 0 {
		end = gap
	}
	for at := strings.IndexByte(s[:end], ':') + 1; at > 0; {
		colon := strings.IndexByte(s[at:end], ':')
		if colon < 0 {
			break
		}
		at += colon
		word := lex.LastWord(s[:at])
		if start := at - len(word); start > 0 && signatureLabels[strings.ToLower(word)] > 0 {
			return start
		}
		at++
	}
	return end
}

// cutSignatureLabel returns the part that the label at the start of s asks for,
// 0 where there is none, and the length of the label.
func cutSignatureLabel(s string) (part signaturePart, length int) {
	label, _, found := strings.Cut(s, ":")
	if !found {
		return 0, 0
	}
	if part = signatureLabels[strings.ToLower(strings.TrimSpace(label))]; part == 0 {
		return 0, 0
	}
	return part, len(label) + 1
}

// readCell reads the words e behind the label of a part, or between labels where
// part is 0.
func (r *signatureReader) readCell(column *signatureColumn, part signaturePart, e lex.Extent) {
	text := r.s.Text[e.Start:e.End]
	switch {
	case part > 0:
		r.fill(column, part, e)
	case strings.HasPrefix(text, "/s/") || isRule(text):
		r.fill(column, signatureBy, e)
	case column.waiting > 0:
		*r.found[column.signature].part(column.waiting) = r.quoted(e)
		r.found[column.signature].Signed = r.found[column.signature].By.Text != ""
		column.read[column.waiting] = true
		column.waiting = 0
	default:
		column.above = e
	}
}

// fill puts what a label asks for into the signature of its column, or into a
// new one where that has such a part.
func (r *signatureReader) fill(column *signatureColumn, part signaturePart, value lex.Extent) {
	if column.read == nil || column.read[part] || part == signatureBy && len(column.read) > 1 {
		column.signature, column.read = len(r.found), map[signaturePart]bool{}
		r.found = append(r.found, Signature{Document: r.document, Block: r.block, Party: r.quoted(column.above)})
	}
	quoted := r.quoted(value)
	column.read[part] = quoted.Text != ""
	column.above = lex.Extent{}
	column.waiting = 0
	signature := &r.found[column.signature]
	if *signature.part(part) = quoted; quoted.Text == "" {
		column.waiting = part
	}
	signature.Signed = signature.Signed || part == signatureBy && quoted.Text != ""
}

// quoted returns the words in e, nothing where that is blank.
func (r *signatureReader) quoted(e lex.Extent) Quoted {
	if e = lex.Trim(r.s.Text, e); isRule(r.s.Text[e.Start:e.End]) {
		return Quoted{}
	}
	return Quoted{r.s.SpanOf(e), lex.Unwrap(r.s.Text[e.Start:e.End])}
}
