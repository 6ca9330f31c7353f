package docx

import "strconv"

// NotesInOrder is the document with the ids of footnotes and endnotes ascending in the
// order of their references; the very same bytes where they are. Word goes by the id that a
// reference names, but LibreOffice 7 gives the first reference the note with the lowest id,
// so that a note put in before others would be printed under another clause.
func (d *Document) NotesInOrder() ([]byte, error) {
	out := newOutput(d)
	var edits splices
	for _, kind := range []string{"footnote", "endnote"} {
		edits = append(edits, d.orderNotes(out, kind)...)
	}
	if len(edits) > 0 {
		out.set(d.main.Name, edits.apply(d.main.data))
	}
	return out.bytes()
}

// orderNotes gives the notes of a kind their ids in out, and returns what is to be done to
// the references in the main part.
func (d *Document) orderNotes(out *output, kind string) splices {
	part := d.Related(kind + "s")
	if part == nil {
		return nil
	}
	next := 1
	for n := range part.Root().Children() {
		if id, err := strconv.Atoi(n.Attr("id")); err == nil && separates(n) {
			next = max(next, id+1)
		}
	}
	places := map[string]string{} // new ids by old ones
	highest, sorted := next-1, true
	place := func(e Element) {
		id := e.Attr("id")
		if id == "" || places[id] != "" { // a note without an id stays that of the references without one
			return
		}
		places[id] = strconv.Itoa(next)
		next++
		n, err := strconv.Atoi(id)
		sorted = sorted && err == nil && n > highest
		highest = n
	}
	var references splices
	renumber := func(edits *splices, e Element) {
		if from, raw, found := e.find("id"); found && places[e.Attr("id")] != "" {
			edits.replace(from, from+len(raw), places[e.Attr("id")])
		}
	}
	for e := range d.main.Root().Descendants() {
		if e.Is(kind + "Reference") {
			place(e)
			renumber(&references, e)
		}
	}
	var notes splices
	for n := range part.Root().Children() {
		if n.Is(kind) && !separates(n) {
			place(n) // behind the others, where nothing refers to it
			renumber(&notes, n)
		}
	}
	if sorted {
		return nil
	}
	out.set(part.Name, notes.apply(part.data))
	return references
}

// separates reports whether a note is no note: the line between text and notes.
func separates(note Element) bool {
	kind := note.Attr("type")
	return kind != "" && kind != "normal"
}
