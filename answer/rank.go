package answer

import (
	"cmp"
	"math"
	"slices"

	"github.com/clausemill/clausemill/nlp"
)

// scored is a sentence with how likely it is that it answers.
type scored struct {
	sentence int
	score    float64
}

// features are what the score of a sentence is made of, each 0 to 1.
type features struct {
	Label   float64 // it has a label of the topic
	Closest float64 // a label of the topic came closest to being one
	Fact    float64 // a fact of the topic was read from it
	Asked   float64 // share of the words of the question that it has, by how rare they are
	Headed  float64 // the same of its heading
	Says    float64 // share of the words of clauses of the topic
	Titled  float64 // the same of its heading
	Kin     float64 // Says, where it has a label that such clauses may have instead
}

// weights say what each of features adds to the score for a question about a topic, and
// wordWeights for one about words alone; docs/answers.md has how they were chosen.
var (
	weights     = features{Label: 1, Closest: 1.5, Fact: 0.5, Asked: 0.1, Headed: 0.1, Says: 0.1, Titled: 0.1, Kin: 0.2}
	wordWeights = features{Asked: 1, Headed: 0.5}
)

const (
	// border and wordBorder are the scores from which a passage answers a question about a
	// topic, and one about words alone.
	border     = 0.18
	wordBorder = 0.6
	// further is the score from which others are quoted beside a passage about a topic.
	further = 0.05
)

// border is the score from which a passage answers.
func (q Question) border() float64 {
	if len(q.Topics) == 0 {
		return wordBorder
	}
	return border
}

// further is the score from which a passage is quoted where another one answers.
func (q Question) further() float64 {
	if len(q.Topics) == 0 {
		return wordBorder
	}
	return further
}

func (q Question) score(f features) float64 {
	w := weights
	if len(q.Topics) == 0 {
		w = wordWeights
	}
	return f.Label*w.Label + f.Closest*w.Closest + f.Fact*w.Fact + f.Asked*w.Asked + f.Headed*w.Headed + f.Says*w.Says + f.Titled*w.Titled + f.Kin*w.Kin
}

// rank is the sentences of a document by score, the best first and equals in their order.
// Those that have nothing to do with the question are left out.
func (q Question) rank(d *Document) []scored {
	var list []scored
	for i, f := range q.features(d) {
		if score := q.score(f); score > 0 {
			list = append(list, scored{i, score})
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	return list
}

// features are those of each sentence of a document.
func (q Question) features(d *Document) []features {
	list := make([]features, len(d.Sentences))
	asked, headed := d.shares(q.Stems)
	for i := range list {
		list[i].Asked, list[i].Headed = asked[i], headed[i]
	}
	for _, topic := range q.Topics {
		says, titled := d.shares(topic.says)
		for i := range list {
			f := &list[i]
			f.Says, f.Titled = max(f.Says, says[i]), max(f.Titled, titled[i])
			f.label(d.Sentences[i].Labels, topic, says[i])
		}
	}
	for _, fact := range d.Facts {
		if !slices.ContainsFunc(q.Topics, func(t Topic) bool { return slices.Contains(t.Keys, fact.Key) }) {
			continue
		}
		for _, place := range fact.Places[:min(1, len(fact.Places))] {
			if i := d.sentenceAt(place.Start); i >= 0 {
				list[i].Fact = max(list[i].Fact, fact.Confidence)
			}
		}
	}
	return list
}

// label notes the labels of a topic, of which the sentence says so much.
func (f *features) label(labels []Label, topic Topic, says float64) {
	for _, l := range labels {
		switch {
		case slices.Contains(topic.kin, l.Node):
			f.Kin = max(f.Kin, l.Score*says)
		case l.Node != topic.Node || topic.Node == "":
		case l.Closest:
			f.Closest = max(f.Closest, l.Score)
		default:
			f.Label = max(f.Label, l.Score)
		}
	}
}

// sentenceAt is the index of the sentence that a character is in, or else of the next;
// -1 behind the last.
func (d *Document) sentenceAt(at int) int {
	i, _ := slices.BinarySearchFunc(d.Sentences, at, func(s Sentence, at int) int { return cmp.Compare(s.End, at+1) })
	if i == len(d.Sentences) {
		return -1
	}
	return i
}

// index is where the stems of a document are.
type index struct {
	said, headed map[string][]int32 // sentences, in their order, that have a stem, or under a heading that does
}

func newIndex(sentences []Sentence) index {
	x := index{map[string][]int32{}, map[string][]int32{}}
	var stemmer nlp.Stemmer
	stems := map[string][]string{} // by form
	read := func(text string) (all []string) {
		for word := range nlp.Words(text) {
			known, ok := stems[word]
			if !ok {
				for _, part := range wordsOf(word) {
					known = append(known, stemmer.Stem(part))
				}
				stems[word] = known
			}
			all = append(all, known...)
		}
		return all
	}
	note := func(in map[string][]int32, stems []string, sentence int) {
		for _, stem := range stems {
			if list := in[stem]; len(list) == 0 || list[len(list)-1] != int32(sentence) { //nolint:gosec // no text has so many sentences
				in[stem] = append(list, int32(sentence)) //nolint:gosec // as above
			}
		}
	}
	heading, inHeading := "", []string(nil)
	for i, s := range sentences {
		note(x.said, read(s.Text), i)
		if s.Heading != heading {
			heading, inHeading = s.Heading, read(s.Heading)
		}
		note(x.headed, inHeading, i)
	}
	return x
}

// shares are how much of stems, by how rare they are, the sentences of d have, and their
// headings.
func (d *Document) shares(stems []string) (said, headed []float64) {
	said, headed = make([]float64, len(d.Sentences)), make([]float64, len(d.Sentences))
	weights, total := make([]float64, len(stems)), 0.0
	for i, stem := range stems {
		weights[i] = math.Log(1 + float64(len(d.Sentences))/(float64(len(d.index.said[stem]))+0.5))
		total += weights[i]
	}
	for i, stem := range stems {
		for _, sentence := range d.index.said[stem] {
			said[sentence] += weights[i] / total
		}
		for _, sentence := range d.index.headed[stem] {
			headed[sentence] += weights[i] / total
		}
	}
	return said, headed
}
