package redline

import (
	"bytes"

	"github.com/clausemill/clausemill/docx"
)

// twins tells whether paragraphs of the same bytes look the same in two documents: what
// they refer to outside of their story is the same.
type twins struct {
	alike bool
	roots map[[2]*docx.Part]bool // whether two parts call vocabularies the same
}

// setups are the parts that say how text looks.
var setups = []string{"styles", "numbering", "theme"}

func twinsOf(a, b *docx.Document) twins {
	t := twins{alike: true, roots: map[[2]*docx.Part]bool{}}
	for _, name := range setups {
		t.alike = t.alike && bytes.Equal(a.Related(name).Root().Raw(), b.Related(name).Root().Raw())
	}
	return t
}

// referring is what markup has in it that refers to other parts and places.
var referring = [][]byte{[]byte(`:id`), []byte("drawing"), []byte("pict"), []byte("object"), []byte("AlternateContent"), []byte("Reference"), []byte("anchor")}

// are reports whether two paragraphs are the same in all but the number that a list gives
// them.
func (t *twins) are(a, b *docx.Paragraph) bool {
	if !t.alike || !bytes.Equal(a.Raw(), b.Raw()) || a.Closest("tbl").Child("tblPr", "tblStyle").Attr("val") != b.Closest("tbl").Child("tblPr", "tblStyle").Attr("val") {
		return false
	}
	parts := [2]*docx.Part{a.Part(), b.Part()}
	same, known := t.roots[parts]
	if !known {
		same = bytes.Equal(startTag(parts[0]), startTag(parts[1]))
		t.roots[parts] = same
	}
	if !same {
		return false
	}
	raw := a.Raw()
	for _, sign := range referring {
		if bytes.Contains(raw, sign) {
			return false
		}
	}
	return true
}

// startTag is that of a part's root, in which it declares vocabularies.
func startTag(p *docx.Part) []byte {
	raw := p.Root().Raw()
	return raw[:bytes.IndexByte(raw, '>')+1]
}
