package corpus

import (
	"cmp"
	"slices"
)

// Node is a node of the taxonomy as the files of a document type have it.
type Node struct {
	Label     string
	Family    string  // empty where it was put in none
	Sentences int     // with it as their label
	Frequency float64 // share of the files that have it, above 0
	Place     float64 // of its first sentence in a file, 0 to 1
}

// Family is the nodes of one family.
type Family struct {
	Name      string
	Nodes     []int   // positions in the list that was given
	Sentences int     // of its nodes together
	Frequency float64 // of its most frequent node
	Place     float64 // the mean of those of its nodes, by their frequency
}

// Families puts nodes into their families, in the order of their first nodes.
func Families(nodes []Node) []Family {
	var all []Family
	at := map[string]int{}
	for n, node := range nodes {
		i, known := at[node.Family]
		if !known {
			i = len(all)
			at[node.Family] = i
			all = append(all, Family{Name: node.Family})
		}
		f := &all[i]
		f.Nodes = append(f.Nodes, n)
		f.Sentences += node.Sentences
		f.Frequency = max(f.Frequency, node.Frequency)
	}
	for i := range all {
		weight := 0.0
		for _, n := range all[i].Nodes {
			all[i].Place += nodes[n].Place * nodes[n].Frequency
			weight += nodes[n].Frequency
		}
		all[i].Place /= weight
	}
	return all
}

// Outline is the usual order of nodes in a file: families by their place, and in
// each its nodes by theirs.
func Outline(nodes []Node) []Family {
	all := Families(nodes)
	for _, f := range all {
		slices.SortFunc(f.Nodes, func(x, y int) int {
			return cmp.Or(cmp.Compare(nodes[x].Place, nodes[y].Place), cmp.Compare(nodes[x].Label, nodes[y].Label))
		})
	}
	slices.SortFunc(all, func(x, y Family) int { return cmp.Or(cmp.Compare(x.Place, y.Place), cmp.Compare(x.Name, y.Name)) })
	return all
}
