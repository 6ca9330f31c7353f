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

// Vertex is a node of a graph, or a family of nodes.
type Vertex struct {
	Node   int     // its position in the list that was given; of a family, that of its first node
	Family *Family // nil of a node
}

// Vertices are nodes in their order, each family behind the first of its nodes.
func Vertices(nodes []Node) []Vertex {
	first := map[int]Family{}
	for _, f := range Families(nodes) {
		if f.Name != "" {
			first[f.Nodes[0]] = f
		}
	}
	var all []Vertex
	for n := range nodes {
		all = append(all, Vertex{Node: n})
		if f, ok := first[n]; ok {
			all = append(all, Vertex{Node: n, Family: &f})
		}
	}
	return all
}

// Branch is a family with its nodes where files are compared by what they cover.
type Branch struct {
	Family string // "" for the nodes in none
	Nodes  []int  // positions in the list that was given, in its order
}

// Branches puts nodes into families: those that are named come first in their
// order, with nodes or without, and others follow as their nodes do.
func Branches(families []string, nodes []Node) []Branch {
	all := make([]Branch, len(families))
	at := map[string]int{}
	for i, name := range families {
		all[i].Family, at[name] = name, i
	}
	for n, node := range nodes {
		i, known := at[node.Family]
		if !known {
			i = len(all)
			at[node.Family] = i
			all = append(all, Branch{Family: node.Family})
		}
		all[i].Nodes = append(all[i].Nodes, n)
	}
	return all
}
