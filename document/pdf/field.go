package pdf

import (
	"encoding/binary"
	"unicode/utf16"

	"github.com/tetratelabs/wazero/api"

	"github.com/clausemill/clausemill/document/format"
)

// maxFields bounds the fields of a file that are listed.
const maxFields = 100_000

// The engine's types of fields.
const (
	fieldButton    = 1
	fieldCheckbox  = 2
	fieldRadio     = 3
	fieldChoice    = 4
	fieldList      = 5
	fieldText      = 6
	fieldSignature = 7
)

var fieldKinds = map[uint64]string{
	fieldCheckbox: format.FieldCheckbox, fieldRadio: format.FieldRadio, fieldChoice: format.FieldChoice, fieldList: format.FieldList, fieldSignature: format.FieldSignature,
}

const (
	flagPassword = 1 << 13 // of fields of text (ISO 32000-1, table 228)

	// maxOptions bounds the entries of a file's lists that are looked at.
	maxOptions = 10_000
)

// formField reports whether an annotation is a field that somebody fills in and may be
// shown to all, and what it is. A button's caption is printed on the form.
func (d *file) formField(annotation uint64) (listed bool, field format.Field) {
	p, forms := d.p, d.openForms()
	if forms == 0 {
		return true, field
	}
	kind := p.call(p.fieldType, forms, annotation)
	if kind == fieldButton || kind == fieldText && p.call(p.fieldFlags, forms, annotation)&flagPassword != 0 {
		return false, field
	}
	field.Kind = fieldKinds[kind]
	field.Name = p.fieldString(p.fieldName, forms, annotation)
	switch kind {
	case fieldCheckbox, fieldRadio:
		if p.call(p.isChecked, forms, annotation) != 0 {
			field.Chosen = append(field.Chosen, p.fieldString(p.exportValue, forms, annotation))
		}
	case fieldList:
		n := max(0, min(int(int32(p.call(p.countOptions, forms, annotation))), maxOptions-d.options))
		d.options += n
		for i := range n {
			if p.call(p.isSelected, forms, annotation, uint64(i)) != 0 {
				field.Chosen = append(field.Chosen, p.fieldString(p.optionLabel, forms, annotation, uint64(i)))
			}
		}
	}
	return true, field
}

// fieldString is what a function tells of a field, as names of fields are kept; "" where
// it is far longer than anybody writes.
func (p *pdfium) fieldString(get api.Function, args ...uint64) string {
	const most = 4 << 10
	size := p.call(get, append(args, 0, 0)...)
	if size <= 2 || size > most {
		return ""
	}
	buffer := p.alloc(int(size))
	p.call(get, append(args, uint64(buffer), size)...)
	b, _ := p.memory.Read(buffer, uint32(size))
	units := make([]uint16, len(b)/2)
	_, _ = binary.Decode(b, binary.LittleEndian, units) // of their size
	p.call(p.free, uint64(buffer))
	return format.FieldName(string(utf16.Decode(units)))
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

// fillIn makes the looks of the values that a program filled in and left to others to
// show, and has the engine know the fields of the page until done is called.
func (d *file) fillIn(page uint64) (done func()) {
	forms := d.openForms()
	if forms == 0 {
		return func() {}
	}
	d.p.call(d.p.afterLoad, page, forms)
	return func() { d.p.call(d.p.beforeClose, page, forms) }
}

// list makes the fields of a page from where they are in its text.
func (d *file) list(placed []placedField, overlays []overlay) []format.Field {
	placed = placed[:min(len(placed), maxFields-d.listed)]
	d.listed += len(placed)
	var fields []format.Field
	for _, f := range placed {
		o := overlays[f.overlay]
		o.field.Start, o.field.End, o.field.Box = f.start, f.end, o.box
		fields = append(fields, o.field)
	}
	return fields
}
