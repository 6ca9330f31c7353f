package pdf

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// This file finds the values of the fields of an XFA form. A field's value is in the data
// under the names of the subforms that the field is in; bind elements say otherwise.

// datum is an element of a form's data: a value, or a group of others.
type datum struct {
	node           *formNode
	used           bool
	values, groups map[string]*siblings // by name
}

// siblings are elements of one name and parent, in their order.
type siblings struct {
	all  []*datum
	next int // those before it are used
}

// take uses the first one that is not used. It is nil if there is none.
func (s *siblings) take() *datum {
	if s == nil {
		return nil
	}
	for ; s.next < len(s.all); s.next++ {
		if d := s.all[s.next]; !d.used {
			d.used = true
			return d
		}
	}
	return nil
}

// formBinder gives the fields of a template their values.
type formBinder struct {
	data   *datum
	values []*datum          // in their order
	first  map[string]*datum // of values, by name
	bound  map[*formNode]*datum
	absent map[*formNode]bool // subforms that begin without an instance, and that the data has none of
	left   []unbound
}

// unbound is a field in subforms that the data does not have, and the group around them.
type unbound struct {
	field *formNode
	group *datum
}

// bindForm finds the value of each field: by its path, and where the data has not all of its
// subforms, by its name in the group that it has. A value of another part of the form is none.
func bindForm(template, data *formNode) *formBinder {
	b := &formBinder{first: map[string]*datum{}, bound: map[*formNode]*datum{}, absent: map[*formNode]bool{}}
	b.data = b.group(data)
	for _, n := range template.children {
		b.bind(n, b.data, true)
	}
	for _, l := range b.left {
		if d := l.group.values[l.field.attr("name")].take(); d != nil {
			b.bound[l.field] = d
		}
	}
	return b
}

// group indexes what n has.
func (b *formBinder) group(n *formNode) *datum {
	d := &datum{node: n, values: map[string]*siblings{}, groups: map[string]*siblings{}}
	for _, c := range n.children {
		if c.name == "" {
			continue
		}
		if c.hasElements() && c.child("body").name == "" { // a body is formatted text
			add(d.groups, b.group(c))
			continue
		}
		value := &datum{node: c}
		if b.values = append(b.values, value); b.first[c.name] == nil {
			b.first[c.name] = value
		}
		add(d.values, value)
		if !c.hasElements() && len(bytes.TrimSpace(c.text)) == 0 {
			add(d.groups, value) // or a group that has nothing
		}
	}
	return d
}

func add(to map[string]*siblings, d *datum) {
	if to[d.node.name] == nil {
		to[d.node.name] = &siblings{}
	}
	to[d.node.name].all = append(to[d.node.name].all, d)
}

// bind finds the values of what is in n, whose subforms have the group in the data, or only
// some of them.
func (b *formBinder) bind(n *formNode, group *datum, whole bool) {
	name, match, ref := n.attr("name"), n.child("bind").attr("match"), n.child("bind").attr("ref")
	switch n.name {
	case "field", "exclGroup":
		var d *datum
		switch {
		case match == "none" || match != "dataRef" && name == "":
		case match == "dataRef":
			d = b.resolve(ref, group, false)
		case match == "global":
			d = b.first[name]
		case !whole:
			b.left = append(b.left, unbound{n, group})
		default:
			d = group.values[name].take()
		}
		if d != nil {
			d.used = true
			b.bound[n] = d
		}
		return
	case "subform":
		var d *datum
		switch {
		case match == "none" || match != "dataRef" && name == "": // its fields are in what it is in
			d = group
		case match == "dataRef":
			d = b.resolve(ref, group, true)
		case whole:
			d = group.groups[name].take()
			if d == nil && group == b.data { // the outermost one may have any name
				if d = b.record(); d != nil && d.used {
					d = nil
				}
			}
		}
		if d != nil {
			d.used = true
		}
		b.absent[n] = n.isOptional() && (d == nil || d == group)
		if whole = whole && d != nil || match == "dataRef" && d != nil; d != nil {
			group = d
		}
	case "subformSet", "area", "pageSet", "pageArea":
	default:
		return
	}
	for _, c := range n.children {
		b.bind(c, group, whole)
	}
}

// isOptional reports whether a form begins without an instance of a subform.
func (n *formNode) isOptional() bool {
	occurs := n.child("occur")
	return cmp.Or(occurs.attr("initial"), occurs.attr("min")) == "0"
}

// isShown reports whether a form shows a subform: if there is an instance of it, or a value.
func (b *formBinder) isShown(n *formNode) bool {
	return !b.absent[n] || b.hasValue(n)
}

func (b *formBinder) hasValue(n *formNode) bool {
	return b.bound[n] != nil || slices.ContainsFunc(n.children, b.hasValue)
}

// record is the group that holds all data of a form, nil if there is none or several.
func (b *formBinder) record() *datum {
	if len(b.data.groups) != 1 || len(b.data.values) > 0 {
		return nil
	}
	for _, s := range b.data.groups {
		if len(s.all) == 1 {
			return s.all[0]
		}
	}
	return nil
}

// resolve follows a reference to a group or a value, such as "$.buyer.name", "$record.item[2]"
// or "item[*]", which takes one that is not used. It is nil where there is nothing, or the
// reference has another form.
func (b *formBinder) resolve(ref string, from *datum, group bool) *datum {
	names := strings.Split(strings.TrimPrefix(ref, "xfa.datasets."), ".")
	switch names[0] {
	case "$":
		names = names[1:]
	case "$record":
		names = names[1:]
		if record := b.record(); record != nil {
			from = record
		}
	case "$data", "data":
		from, names = b.data, names[1:]
	}
	if len(names) == 0 && !group {
		return nil
	}
	for i, name := range names {
		in := from.groups
		if i == len(names)-1 && !group {
			in = from.values
		}
		name, index, indexed := strings.Cut(strings.TrimSuffix(name, "]"), "[")
		found := in[name]
		switch n, err := strconv.Atoi(index); {
		case found == nil:
			return nil
		case index == "*":
			from = found.take()
		case !indexed:
			from = found.all[0]
		case err == nil && n >= 0 && n < len(found.all):
			from = found.all[n]
		default:
			return nil
		}
		if from == nil {
			return nil
		}
	}
	return from
}
