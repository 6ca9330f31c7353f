package pdf

import (
	"encoding/binary"
	"unicode/utf16"

	"github.com/clausemill/clausemill/document/format"
)

// maxFields bounds the fields of a file that are listed.
const maxFields = 100_000

// The engine's types of fields that are not listed: a button's caption and the choices
// of a list are printed on the form.
const (
	fieldButton = 1
	fieldList   = 5
	fieldText   = 6
)

// flagPassword is of fields of text (ISO 32000-1, table 228).
const flagPassword = 1 << 13

// formField reports whether an annotation is a field that somebody fills in and may be
// shown to all, and its name.
func (d *file) formField(annotation uint64) (listed bool, name string) {
	p, forms := d.p, d.openForms()
	if forms == 0 {
		return true, ""
	}
	kind := p.call(p.fieldType, forms, annotation)
	if kind == fieldButton || kind == fieldList || kind == fieldText && p.call(p.fieldFlags, forms, annotation)&flagPassword != 0 {
		return false, ""
	}
	const most = 4 << 10
	size := p.call(p.fieldName, forms, annotation, 0, 0)
	if size <= 2 || size > most {
		return true, ""
	}
	buffer := p.alloc(int(size))
	p.call(p.fieldName, forms, annotation, uint64(buffer), size)
	b, _ := p.memory.Read(buffer, uint32(size))
	units := make([]uint16, len(b)/2)
	_, _ = binary.Decode(b, binary.LittleEndian, units) // of their size
	p.call(p.free, uint64(buffer))
	return true, format.FieldName(string(utf16.Decode(units)))
}

// openForms is what knows the fields of the document, 0 if it has none.
func (d *file) openForms() uint64 {
	p := d.p
	if d.formInfo != 0 || p.call(p.formType, uint64(d.document)) == 0 {
		return d.forms
	}
	const size = 512                                   // FPDF_FORMFILLINFO, of which all functions are optional
	info := append([]byte{1}, make([]byte, size-1)...) // its version
	address := p.alloc(size)
	p.memory.Write(address, info)
	d.formInfo = uint64(address)
	d.forms = p.call(p.initForms, uint64(d.document), d.formInfo)
	return d.forms
}

// list makes the fields of a page from where they are in its text.
func (d *file) list(placed []placedField, overlays []overlay) []format.Field {
	placed = placed[:min(len(placed), maxFields-d.listed)]
	d.listed += len(placed)
	var fields []format.Field
	for _, f := range placed {
		o := overlays[f.overlay]
		fields = append(fields, format.Field{Start: f.start, End: f.end, Name: o.name, Box: o.box})
	}
	return fields
}
