package sfdt

import (
	"strconv"
	"unicode/utf8"

	"github.com/clausemill/clausemill/docx"
)

// control reads the properties of a content control, nil where it has none that
// the editor needs to know.
func (w *storyWriter) control(e docx.Element) *ContentControl {
	properties := e.Child("sdtPr")
	if !properties.Exists() {
		return nil
	}
	c := &ContentControl{
		Type: "RichText", Title: properties.Child("alias").Attr("val"), Tag: properties.Child("tag").Attr("val"),
		Placeholder: properties.Child("showingPlcHdr").On(), Temporary: properties.Child("temporary").On(),
	}
	switch properties.Child("lock").Attr("val") {
	case "sdtLocked":
		c.LockControl = true
	case "contentLocked":
		c.LockContent = true
	case "sdtContentLocked":
		c.LockControl, c.LockContent = true, true
	}
	for p := range properties.Children() {
		switch p.Name() {
		case "text":
			c.Type, c.MultiLine = "Text", on(p.Attr("multiLine"))
		case "comboBox", "dropDownList":
			c.Type = map[string]string{"comboBox": "ComboBox", "dropDownList": "DropDownList"}[p.Name()]
			for item := range p.Children() {
				if item.Is("listItem") {
					c.ListItems = append(c.ListItems, ControlItem{item.Attr("displayText"), item.Attr("value")})
				}
			}
		case "w14:checkbox":
			c.Type, c.Checked = "CheckBox", new(on(p.Child("w14:checked").Attr("w14:val")))
			c.CheckedAs, c.UncheckedAs = checkState(p.Child("w14:checkedState")), checkState(p.Child("w14:uncheckedState"))
		case "docPartObj", "group", "picture", "w15:repeatingSection", "w15:repeatingSectionItem":
			return nil // what such a control does, the editor does not
		}
	}
	return c
}

func checkState(e docx.Element) *CheckState {
	n, err := strconv.ParseUint(e.Attr("w14:val"), 16, 32)
	if err != nil || !utf8.ValidRune(rune(n)) { //nolint:gosec // ValidRune refuses what does not fit
		return nil
	}
	return &CheckState{Font: e.Attr("w14:font"), Value: string(rune(n))}
}

// inlineControl reads a content control inside a paragraph.
func (w *storyWriter) inlineControl(e docx.Element) {
	control, around := w.control(e), w.into
	if control == nil || w.inCode() {
		w.inlines(e.Child("sdtContent"))
		return
	}
	within, depth := []Inline{}, len(w.open)
	w.into = &within
	w.inlines(e.Child("sdtContent"))
	w.into = around
	if len(within) == 0 || len(w.open) != depth {
		*around = append(*around, within...) // a field that begins in it ends elsewhere
		return
	}
	*around = append(*around, Inline{Control: control, Inlines: &within})
}
