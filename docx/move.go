package docx

import "slices"

// Moves pairs the tracked moves of the document: the id of each moveFrom and moveTo
// with the id of the first mark at the other end.
func (d *Document) Moves() map[string]string {
	type ends struct{ from, to []string }
	named := map[string]*ends{}
	ids := map[Element]string{}
	for r := range d.Marks() {
		if r.Kind == "moveFrom" || r.Kind == "moveTo" {
			ids[r.Element] = r.ID
		}
	}
	for _, s := range d.stories {
		var from, to *ends
		at := func(name string) *ends {
			if named[name] == nil {
				named[name] = &ends{}
			}
			return named[name]
		}
		for e := range s.Root.Descendants() {
			switch e.Name() {
			case "moveFromRangeStart":
				from = at(e.Attr("name"))
			case "moveToRangeStart":
				to = at(e.Attr("name"))
			case "moveFromRangeEnd":
				from = nil
			case "moveToRangeEnd":
				to = nil
			case "moveFrom":
				if from != nil && ids[e] != "" {
					from.from = append(from.from, ids[e])
				}
			case "moveTo":
				if to != nil && ids[e] != "" {
					to.to = append(to.to, ids[e])
				}
			}
		}
	}
	pairs := map[string]string{}
	for _, n := range named {
		if len(n.from) == 0 || len(n.to) == 0 {
			continue
		}
		for _, id := range n.from {
			pairs[id] = n.to[0]
		}
		for _, id := range n.to {
			pairs[id] = n.from[0]
		}
	}
	return pairs
}

// Properties names what a tracked change of properties changed, by the elements of
// WordprocessingML: "b", "sz", "jc". It is empty for other tracked changes.
func (r Revision) Properties() []string {
	if r.On != "properties" {
		return nil
	}
	old, now := map[string]string{}, map[string]string{}
	for e := range r.Element.First().Children() {
		old[e.Name()] += string(e.Raw())
	}
	for e := range r.Element.Parent().Children() {
		if e != r.Element {
			now[e.Name()] += string(e.Raw())
		}
	}
	var names []string
	for e := range r.Element.Parent().Children() {
		if name := e.Name(); e != r.Element && now[name] != old[name] && !isRevision(e) && !e.Is("rPr", "sectPr", "headerReference", "footerReference") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for e := range r.Element.First().Children() {
		if _, still := now[e.Name()]; !still && !slices.Contains(names, e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}
