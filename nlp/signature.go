package nlp

import "strings"

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
	Span
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

// Signatures reads the signature blocks of the file, in order. Signatures set
// side by side are told apart by their columns.
func (s *Segmentation) Signatures() []Signature {
	var all []Signature
	for i, d := range s.Documents {
		for _, b := range d.Blocks {
			if b.Kind == SignatureBlock {
				r := signatureReader{s: s, document: i, block: b.Ordinal}
				r.read(extent{s.offsets.Byte(b.Start), s.offsets.Byte(b.End)})
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
	read      map[signaturePart]bool // of the signature; nil where none was begun
	waiting   signaturePart          // what the label above asked for, 0 for nothing
	above     extent                 // the last words that no label asked for
}

func (r *signatureReader) read(block extent) {
	at := block.start
	for line := range strings.Lines(r.s.Text[block.start:block.end]) {
		end := at + len(line)
		for column := range r.columns {
			cell := trim(r.s.Text, extent{at, end})
			if cell.start == cell.end {
				break
			}
			if gap := strings.Index(r.s.Text[cell.start:cell.end], "   "); gap >= 0 && column+1 < mostColumns {
				cell.end = cell.start + gap
			}
			r.readCell(&r.columns[column], cell)
			at = cell.end
		}
		at = end
	}
}

// readCell reads a label with what it asks for, or the words between labels.
func (r *signatureReader) readCell(column *signatureColumn, cell extent) {
	text := r.s.Text[cell.start:cell.end]
	label, _, found := strings.Cut(text, ":")
	part := signaturePart(0)
	if found {
		part = signatureLabels[strings.ToLower(strings.TrimSpace(label))]
	}
	switch {
	case part > 0:
		r.fill(column, part, extent{cell.start + len(label) + 1, cell.end})
	case column.waiting > 0 && !isRule(text):
		*r.found[column.signature].part(column.waiting) = r.quoted(cell)
		column.waiting = 0
	case strings.HasPrefix(text, "/s/") || isRule(text):
		r.fill(column, signatureBy, cell)
	default:
		column.above = cell
	}
}

// fill puts what a label asks for into the signature of its column, or into a
// new one where that has such a part.
func (r *signatureReader) fill(column *signatureColumn, part signaturePart, value extent) {
	if column.read == nil || column.read[part] {
		column.signature, column.read = len(r.found), map[signaturePart]bool{}
		r.found = append(r.found, Signature{Document: r.document, Block: r.block, Party: r.quoted(column.above)})
	}
	column.read[part] = true
	column.above = extent{}
	column.waiting = 0
	signature := &r.found[column.signature]
	quoted := r.quoted(value)
	if *signature.part(part) = quoted; quoted.Text == "" {
		column.waiting = part
	}
	signature.Signed = signature.Signed || part == signatureBy && quoted.Text != ""
}

// quoted returns the words in e, nothing where that is blank.
func (r *signatureReader) quoted(e extent) Quoted {
	if e = trim(r.s.Text, e); isRule(r.s.Text[e.start:e.end]) {
		return Quoted{}
	}
	return Quoted{r.s.span(e), unwrap(r.s.Text[e.start:e.end])}
}
