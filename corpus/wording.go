package corpus

import "github.com/clausemill/clausemill/nlp"

// Example is a sentence that has a node as its label.
type Example struct {
	Node string
	Text string
}

// Wording is how the sentences of one node are put.
type Wording struct {
	Medoid    int     // the example closest to all others together
	Spread    float64 // as that of nlp.Wording
	Sentences int     // that were compared
}

// Alike is two nodes that are put alike.
type Alike struct {
	From, To string
	Likeness float64 // the cosine of their wordings, 0 to 1
}

// leastAlike is the likeness of two nodes' wordings that is worth telling.
const leastAlike = 0.3

// Wordings tells how each of nodes is put, and which are put alike: the one that
// comes earlier first. A node whose examples have no words has no wording.
func Wordings(nodes []string, examples []Example) (wordings map[string]Wording, alike []Alike) {
	words, byNode, texts := nlp.NewCorpus(), map[string][]int{}, map[string][]string{}
	for i, e := range examples {
		words.Add(e.Text)
		byNode[e.Node], texts[e.Node] = append(byNode[e.Node], i), append(texts[e.Node], e.Text)
	}
	words.Settle()
	wordings = map[string]Wording{}
	put := map[string]nlp.Wording{}
	for i, node := range nodes {
		w, ok := words.NewWording(texts[node])
		if !ok {
			continue
		}
		for _, other := range nodes[:i] {
			if known, ok := put[other]; ok {
				if likeness := w.Likeness(known); likeness >= leastAlike {
					alike = append(alike, Alike{From: other, To: node, Likeness: likeness})
				}
			}
		}
		put[node] = w
		wordings[node] = Wording{Medoid: byNode[node][w.Medoid], Spread: w.Spread, Sentences: len(texts[node])}
	}
	return wordings, alike
}
