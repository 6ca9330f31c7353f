package redline

import (
	"bytes"
	"hash/maphash"

	"github.com/clausemill/clausemill/docx"
)

// A blockSet is some of the elements directly below the roots of stories.
type blockSet map[docx.Element]bool

func (s blockSet) holds(e docx.Element) bool { return s[e] }

// rootsOf are the roots of a document's stories.
func rootsOf(d *docx.Document) blockSet {
	roots := blockSet{}
	for _, s := range d.Stories() {
		roots[s.Root] = true
	}
	return roots
}

// below is the element directly below one of s that e is or lies in, none where
// it lies in none.
func (s blockSet) below(e docx.Element) docx.Element {
	for e.Exists() && !s[e.Parent()] {
		e = e.Parent()
	}
	return e
}

// differing finds the blocks in which two documents differ, in each of them, including
// all that touched names in the first. It adds their neighbours: as far as tracked
// changes of paragraph ends join them, and at least one, which shows the order of
// blocks, unless a placeholder paragraph does.
func differing(a, b *docx.Document, touched blockSet) (inA, inB blockSet) {
	inA, inB = blockSet{}, blockSet{}
	for _, s := range b.Stories() {
		if a.Story(s.Key) == nil { // a new note
			inB.all(childrenOf(s))
		}
	}
	for _, s := range a.Stories() {
		x := childrenOf(s)
		y := childrenOf(b.Story(s.Key))
		pairs := sameBlocks(x, y, touched)
		add := func(m match) (ended bool) {
			inA[x[m.a]], inB[y[m.b]] = true, true
			return ends(x[m.a])
		}
		i, j := 0, 0
		for n, m := range append(pairs, match{len(x), len(y)}) {
			if m.a > i || m.b > j {
				alone := isOne(x[i:m.a]) && isOne(y[j:m.b])
				inA.all(x[i:m.a])
				inB.all(y[j:m.b])
				for k := n - 1; k >= 0 && !(alone && ends(x[pairs[k].a])) && !add(pairs[k]); k-- {
				}
				for k := n; k < len(pairs) && !alone && !add(pairs[k]); k++ {
				}
			}
			i, j = m.a+1, m.b+1
		}
	}
	return inA, inB
}

// isOne reports whether blocks are one paragraph, which does not run on.
func isOne(blocks []docx.Element) bool {
	return len(blocks) == 1 && blocks[0].Is("p") && ends(blocks[0])
}

func (s blockSet) all(list []docx.Element) {
	for _, e := range list {
		s[e] = true
	}
}

// ends reports whether nothing before a block can run on into what follows it.
func ends(e docx.Element) bool {
	mark := e.Child("pPr", "rPr")
	for _, kind := range []string{"ins", "del", "moveFrom", "moveTo"} {
		if mark.Child(kind).Exists() {
			return false
		}
	}
	return e.Is("p", "tbl")
}

func childrenOf(s *docx.Story) []docx.Element {
	var all []docx.Element
	if s != nil {
		for e := range s.Root.Children() {
			all = append(all, e)
		}
	}
	return all
}

// sameBlocks pairs blocks of equal bytes that are not touched: those that are unique,
// and their neighbours.
func sameBlocks(x, y []docx.Element, touched blockSet) []match {
	seed := maphash.MakeSeed()
	sums := func(list []docx.Element) []uint64 {
		all := make([]uint64, len(list))
		for i, e := range list {
			all[i] = maphash.Bytes(seed, e.Raw())
		}
		return all
	}
	a, b := sums(x), sums(y)
	var pairs []match
	i, j := 0, 0
	for _, m := range append(unique(a, b), match{len(a), len(b)}) {
		for ; i < m.a && j < m.b && a[i] == b[j]; i, j = i+1, j+1 {
			pairs = append(pairs, match{i, j})
		}
		tail := 0
		for i < m.a-tail && j < m.b-tail && a[m.a-1-tail] == b[m.b-1-tail] {
			tail++
		}
		for k := m.a - tail; k < min(m.a+1, len(a)); k++ {
			pairs = append(pairs, match{k, m.b - m.a + k})
		}
		i, j = m.a+1, m.b+1
	}
	kept := pairs[:0]
	for _, m := range pairs {
		if !touched[x[m.a]] && bytes.Equal(x[m.a].Raw(), y[m.b].Raw()) {
			kept = append(kept, m)
		}
	}
	return kept
}
