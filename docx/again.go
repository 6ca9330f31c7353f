package docx

import (
	"bytes"
	"slices"
)

// Reopen reads a package that was made of d: what both have in common is not
// read a second time. It trusts no byte of it more than Open does.
func (d *Document) Reopen(data []byte) (*Document, error) { return open(data, d) }

// How far a part is compared with an earlier one: to what is directly in the
// blocks of a story, each with so many neighbours of the other. It bounds what a
// part costs that only looks like the earlier one.
const (
	maxTwins  = 3
	maxMissed = 16
)

// A twin is an open element that begins as one did in an earlier part, under
// elements of which the same is true, so that names mean the same in both.
type twin struct {
	next   int32 // its next child there
	missed int   // how many of the latest children here were unlike those there
}

// reuse takes over the element at hand from the earlier part, if the very same
// bytes are there.
func (s *scanner) reuse() (bool, error) {
	depth := len(s.open)
	if s.guess = 0; depth == 0 || depth != len(s.twins) {
		return false, nil
	}
	t := &s.twins[depth-1]
	old := s.like.nodes
	for id, i := t.next, 0; id != 0 && i <= t.missed; id, i = old[id].next, i+1 {
		if n := old[id]; bytes.HasPrefix(s.data[s.at:], s.like.data[n.start:n.end]) {
			t.next, t.missed = n.next, 0
			return true, s.graft(id)
		}
		s.guess = id
	}
	if t.missed < maxMissed {
		t.missed++
	} else {
		t.next = old[t.next].next
	}
	return false, nil
}

// graft copies an element of the earlier part, and all below it.
func (s *scanner) graft(id int32) error {
	from := s.like.nodes[id]
	moved, renumbered := int32(s.at)-from.start, int32(len(s.nodes))-id
	for at := id; int(at) < len(s.like.nodes) && s.like.nodes[at].start < from.end; at++ {
		n := s.like.nodes[at]
		n.start, n.open, n.close, n.end = n.start+moved, n.open+moved, n.close+moved, n.end+moved
		for _, link := range []*int32{&n.parent, &n.child, &n.next} {
			if *link != 0 {
				*link += renumbered
			}
		}
		if n.declares {
			s.declared[at+renumbered] = s.like.declared[at]
		}
		s.nodes = append(s.nodes, n)
	}
	if len(s.nodes) > maxElements {
		return tooManyElements()
	}
	if len(s.declared) > maxDeclaring {
		return tooManyDeclared()
	}
	top := id + renumbered
	s.nodes[top].parent, s.nodes[top].next = 0, 0
	s.link(top)
	s.at += int(from.end - from.start)
	return nil
}

// pair looks whether the element that was just begun has a twin: the root has the
// root, and another one the child that stands where it stands.
func (s *scanner) pair() {
	depth := len(s.open) - 1
	if s.like == nil || depth != len(s.twins) || depth == maxTwins || depth > 0 && s.guess == 0 {
		return
	}
	here, there := s.nodes[s.open[depth]], s.like.nodes[s.guess]
	if bytes.Equal(s.data[here.start:here.open], s.like.data[there.start:there.open]) {
		s.twins = append(s.twins, twin{next: there.child})
	}
}

// follow prepares a scanner to take over what a part has in common with an
// earlier one.
func (s *scanner) follow(like *Part) {
	s.like, s.names, s.tracks = like, slices.Clone(like.names), slices.Clone(like.tracks)
	for i, name := range s.names {
		s.numbers[name] = uint16(i)
	}
}
