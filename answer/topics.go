package answer

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/query"
)

//go:embed topics.txt
var topicsText string

// Topic is something that contracts are asked about. One of a team has a Name alone by
// which questions ask for it.
type Topic struct {
	Name string
	Node string   // the label that answers; "" where there is none
	Keys []string // the facts that answer, the best first

	cues [][]cueWord
	says []string // stems of clauses that answer
	kin  []string // labels that they may have instead
}

// cueWord is a word of a way to ask: a stem, or the beginning of a word.
type cueWord struct {
	text   string
	prefix bool
}

// builtIn are the topics of topics.txt, with the names that query knows for labels.
var builtIn = sync.OnceValue(func() []Topic {
	nodes := map[string]nlp.Node{}
	for _, n := range nlp.Taxonomy() {
		nodes[n.ID] = n
	}
	var all []Topic
	var stemmer nlp.Stemmer
	for line := range strings.Lines(topicsText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		part := append(strings.Split(line, "|"), "")
		t := Topic{Keys: strings.Fields(part[1])}
		if node, ok := nodes[strings.TrimSpace(part[0])]; ok {
			t.Node, t.Name = node.ID, node.Name
		} else {
			t.Name = Title(t.Keys[0])
		}
		for way := range strings.SplitSeq(part[2], ";") {
			t.cues = append(t.cues, newCue(&stemmer, way))
		}
		for _, name := range query.LabelNames(t.Node) {
			t.cues = append(t.cues, newCue(&stemmer, strings.ReplaceAll(name, "/", " ")))
		}
		for _, word := range wordsOf(part[3] + " " + t.Name) {
			t.says = append(t.says, stemmer.Stem(word))
		}
		t.kin = strings.Fields(part[4])
		all = append(all, t)
	}
	return all
})

// newOwn is the topic of a label or field that a team has named.
func newOwn(t Topic) Topic {
	var stemmer nlp.Stemmer
	t.cues = [][]cueWord{newCue(&stemmer, t.Name)}
	for _, word := range wordsOf(t.Name) {
		if !grammar[word] {
			t.says = append(t.says, stemmer.Stem(word))
		}
	}
	return t
}

func newCue(stemmer *nlp.Stemmer, way string) []cueWord {
	var cue []cueWord
	for part := range strings.FieldsSeq(way) {
		beginning, prefix := strings.CutSuffix(part, "*")
		for _, word := range wordsOf(beginning) {
			if !prefix {
				word = stemmer.Stem(word)
			}
			cue = append(cue, cueWord{word, prefix})
		}
	}
	return cue
}

// asked is how surely words ask for t: the weight of the longest way to ask that they
// have. Words of grammar count half.
func (t Topic) asked(words, stems []string) int {
	most := 0
	for _, cue := range t.cues {
		weight := 0
		for _, c := range cue {
			weight += 2
			if grammar[c.text] {
				weight--
			}
		}
		if weight > most && has(cue, words, stems) {
			most = weight
		}
	}
	return most
}

func has(cue []cueWord, words, stems []string) bool {
	for _, c := range cue {
		found := false
		for i, stem := range stems {
			if found = !c.prefix && stem == c.text || c.prefix && strings.HasPrefix(words[i], c.text); found {
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// title is what a fact of t is called. One of a team goes by the name that the team gave.
func (t Topic) title(key string) string {
	if t.Node == "" && len(t.Keys) == 1 {
		return t.Name
	}
	return Title(key)
}

// Title is a key as people read it: "payment_term" is "Payment term".
func Title(key string) string {
	words := strings.ReplaceAll(key, "_", " ")
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:]
}
