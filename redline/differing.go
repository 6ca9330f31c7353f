package redline

import "github.com/clausemill/clausemill/docx"

// A blockSet is some of the elements directly below the roots of stories.
type blockSet map[docx.Element]bool

func (s blockSet) holds(e docx.Element) bool { return s[e] }

// below is the child of root that e is or lies in.
func below(root, e docx.Element) docx.Element {
	for e.Exists() && e.Parent() != root {
		e = e.Parent()
	}
	return e
}

// differing finds the blocks in which two documents differ, in each of them,
// among them all that touched names in the first. Beside them are their
// neighbours as far as tracked changes of paragraph ends may join them.
func differing(a, b *docx.Document, touched blockSet) (inA, inB blockSet) {
	inA, inB = blockSet{}, blockSet{}
	for _, s := range a.Stories() {
		x := childrenOf(s)
		y := childrenOf(b.Story(s.Key))
		pairs := sameBlocks(x, y, touched)
		i, j := 0, 0
		for n, m := range append(pairs, match{len(x), len(y)}) {
			if m.a > i || m.b > j {
				inA.all(x[i:m.a])
				inB.all(y[j:m.b])
				for k := n - 1; k >= 0; k-- {
					inA[x[pairs[k].a]], inB[y[pairs[k].b]] = true, true
					if ends(x[pairs[k].a]) {
						break
					}
				}
				for k := n; k < len(pairs); k++ {
					inA[x[pairs[k].a]], inB[y[pairs[k].b]] = true, true
					if ends(x[pairs[k].a]) {
						break
					}
				}
			}
			i, j = m.a+1, m.b+1
		}
	}
	return inA, inB
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

// sameBlocks pairs blocks of equal bytes that are not touched: those that are
// unlike all others, and what stands beside them.
func sameBlocks(x, y []docx.Element, touched blockSet) []match {
	raw := func(list []docx.Element) []string {
		all := make([]string, len(list))
		for i, e := range list {
			all[i] = string(e.Raw())
		}
		return all
	}
	a, b := raw(x), raw(y)
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
		if !touched[x[m.a]] {
			kept = append(kept, m)
		}
	}
	return kept
}
