package docx

import (
	"bytes"
	"iter"
	"strings"
)

// An Element is an XML element of a part. The zero Element represents a missing one:
// it has no name, attributes or children, so that paths need no nil checks.
type Element struct {
	part *Part
	id   int32
}

func (e Element) node() *node { return &e.part.nodes[e.id] }

// name is Name for an element that exists.
func (e Element) name() string { return e.part.names[e.node().name] }

// Exists reports whether e is an element.
func (e Element) Exists() bool { return e.part != nil }

// Part is the part that contains e, nil for none.
func (e Element) Part() *Part { return e.part }

// Name is the canonical name: bare in WordprocessingML ("p", "r"), with the
// usual prefix in the vocabularies around it ("m:oMath", "wp:inline",
// "a:blip", "mc:AlternateContent", "w14:checkbox"), "{uri}local" in all others.
// Which prefixes the file uses does not matter.
func (e Element) Name() string {
	if e.part == nil {
		return ""
	}
	return e.name()
}

// Is reports whether e has one of names.
func (e Element) Is(names ...string) bool {
	if e.part == nil {
		return false
	}
	own := e.name()
	for _, name := range names {
		if name == own {
			return true
		}
	}
	return false
}

// Attr is the value of an attribute by its canonical name, "" where there is
// none. A bare name finds an attribute of WordprocessingML or of no vocabulary.
func (e Element) Attr(name string) string {
	value, _ := e.attr(name)
	return value
}

func (e Element) attr(name string) (string, bool) {
	_, raw, ok := e.find(name)
	if !ok {
		return "", false
	}
	return decode(raw), true
}

// find locates an attribute: the offset of its raw value in the part.
func (e Element) find(name string) (int, []byte, bool) {
	if e.part == nil {
		return 0, nil, false
	}
	want, local, prefixed := strings.Cut(name, ":")
	if !prefixed {
		want, local = "", want
	}
	n := e.node()
	tag := e.part.data[n.start:n.open]
	at := 1
	for at < len(tag) && isNameByte(tag[at]) {
		at++
	}
	for {
		for at < len(tag) && !isNameStart(tag[at]) {
			at++
		}
		from := at
		for at < len(tag) && isNameByte(tag[at]) {
			at++
		}
		if at >= len(tag) {
			return 0, nil, false
		}
		qualified := tag[from:at]
		for tag[at] != '"' && tag[at] != '\'' {
			at++
		}
		quote := tag[at]
		at++
		length := bytes.IndexByte(tag[at:], quote)
		value := tag[at : at+length]
		if e.matches(qualified, want, local) {
			return int(n.start) + at, value, true
		}
		at += length + 1
	}
}

// matches reports whether a qualified name is local in the vocabulary that
// canonical names call prefix.
func (e Element) matches(qualified []byte, prefix, local string) bool {
	if !bytes.HasSuffix(qualified, []byte(local)) {
		return false
	}
	head := qualified[:len(qualified)-len(local)]
	if len(head) == 0 {
		return prefix == ""
	}
	if head[len(head)-1] != ':' {
		return false
	}
	known, ok := spaces[e.part.uri(e.id, string(head[:len(head)-1]))]
	return ok && strings.TrimSuffix(known, ":") == prefix
}

// On reads e as a switch: one that is there is on unless its value says not.
func (e Element) On() bool {
	if e.part == nil {
		return false
	}
	switch e.Attr("val") {
	case "0", "false", "off":
		return false
	default:
		return true
	}
}

// Parent is the element around e, none for a root.
func (e Element) Parent() Element {
	if e.part == nil || e.id == 0 {
		return Element{}
	}
	return Element{e.part, e.node().parent}
}

// Next is the element that follows e under the same parent.
func (e Element) Next() Element { return e.part.at(e.node().next) }

// First is the first child of e.
func (e Element) First() Element {
	if e.part == nil {
		return Element{}
	}
	return e.part.at(e.node().child)
}

// Children are the elements directly below e.
func (e Element) Children() iter.Seq[Element] {
	return func(yield func(Element) bool) {
		for c := e.First(); c.part != nil; c = c.Next() {
			if !yield(c) {
				return
			}
		}
	}
}

// Descendants are the elements below e in document order.
func (e Element) Descendants() iter.Seq[Element] {
	return func(yield func(Element) bool) {
		if e.part == nil {
			return
		}
		end := e.node().end
		for id := e.id + 1; int(id) < len(e.part.nodes) && e.part.nodes[id].start < end; id++ {
			if !yield(Element{e.part, id}) {
				return
			}
		}
	}
}

// Child follows path, taking the first child of each name.
func (e Element) Child(path ...string) Element {
	for _, name := range path {
		var found Element
		for c := e.First(); c.part != nil; c = c.Next() {
			if c.name() == name {
				found = c
				break
			}
		}
		e = found
	}
	return e
}

// Closest is the nearest element around e that has one of names.
func (e Element) Closest(names ...string) Element {
	for e = e.Parent(); e.part != nil; e = e.Parent() {
		if e.Is(names...) {
			return e
		}
	}
	return Element{}
}

// Raw is the bytes of e in its part. They must not be changed.
func (e Element) Raw() []byte {
	if e.part == nil {
		return nil
	}
	n := e.node()
	return e.part.data[n.start:n.end]
}

// Content is the bytes between the tags of e. They must not be changed.
func (e Element) Content() []byte {
	if e.part == nil {
		return nil
	}
	n := e.node()
	return e.part.data[n.open:n.close]
}

// startTag and endTag are the bytes around the content; an empty tag has its
// slash taken out and an end tag made for it.
func (e Element) startTag() string {
	n := e.node()
	tag := string(e.part.data[n.start:n.open])
	if n.open == n.end {
		return strings.TrimSuffix(tag, "/>") + ">"
	}
	return tag
}

func (e Element) endTag() string {
	return "</" + e.qualified() + ">"
}

// qualified is the name as it is written.
func (e Element) qualified() string {
	tag := e.part.data[e.node().start+1 : e.node().open]
	end := 0
	for isNameByte(tag[end]) {
		end++
	}
	return string(tag[:end])
}

// Chars is the character data directly inside e, references resolved.
func (e Element) Chars() string {
	if e.part == nil {
		return ""
	}
	if e.node().child == 0 {
		return decode(e.Content())
	}
	var b strings.Builder
	at := e.node().open
	for c := range e.Children() {
		b.WriteString(decode(e.part.data[at:c.node().start]))
		at = c.node().end
	}
	b.WriteString(decode(e.part.data[at:e.node().close]))
	return b.String()
}
