package e2e_test

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/nlp"
)

// vector is how much each stem of a text counts, of length 1; empty where the
// text has none.
type vector map[string]float64

// texts weighs the words of sentences by how rare they are among them.
type texts struct {
	stems   map[string][]string // by text
	all     int
	holding map[string]int // sentences that have a stem
}

func newTexts() *texts { return &texts{stems: map[string][]string{}, holding: map[string]int{}} }

// stemsOf are the different stems of a text.
func (t *texts) stemsOf(text string) []string {
	list, known := t.stems[text]
	if !known {
		for _, token := range nlp.Tokens(text, nlp.TokenOptions{}) {
			list = append(list, token.Stem)
		}
		t.stems[text] = list
	}
	return list
}

func (t *texts) add(text string) {
	t.all++
	for _, stem := range t.stemsOf(text) {
		t.holding[stem]++
	}
}

// vector weighs a text that was added.
func (t *texts) vector(text string) vector {
	v := vector{}
	for _, stem := range t.stemsOf(text) {
		v[stem] = math.Log(1 + float64(t.all)/float64(t.holding[stem]))
	}
	return v.unit()
}

func (v vector) unit() vector {
	length := math.Sqrt(v.times(v))
	for stem := range v {
		v[stem] /= length
	}
	return v
}

// times is the cosine of the angle between two vectors of length 1.
func (v vector) times(w vector) float64 {
	if len(w) < len(v) {
		v, w = w, v
	}
	sum := 0.0
	for stem, part := range v {
		sum += part * w[stem]
	}
	return sum
}

// wordings are the texts of the nodes of files: the surest of each of the newest
// files that have it.
type wordings struct {
	sentences map[string][]sentenceRow
	vectors   map[string][]vector
	sums      map[string]vector
}

func (c *corpus) wordings(files []*fileRow) wordings {
	w := wordings{map[string][]sentenceRow{}, map[string][]vector{}, map[string]vector{}}
	t := newTexts()
	for _, f := range files {
		for label, n := range f.nodes {
			if len(w.sentences[label]) < comparedTexts {
				w.sentences[label] = append(w.sentences[label], n.surest)
				t.add(n.surest.Text)
			}
		}
	}
	for label, list := range w.sentences {
		sum := vector{}
		for _, s := range list {
			v := t.vector(s.Text)
			w.vectors[label] = append(w.vectors[label], v)
			for stem, part := range v {
				sum[stem] += part
			}
		}
		w.sums[label] = sum
	}
	return w
}

// requireWording compares how a node is put. The mean likeness of texts to their
// middle is the length of their sum, by their number.
func (w wordings) requireWording(c *corpus, where string, n db.CorpusNode) {
	c.t.Helper()
	list, vectors := w.sentences[n.Label], w.vectors[n.Label]
	worded := 0
	for _, v := range vectors {
		worded += min(1, len(v))
	}
	if worded == 0 {
		require.Nil(c.t, n.Wording, "%s %s", where, n.Label)
		return
	}
	require.NotNil(c.t, n.Wording, "%s %s", where, n.Label)
	sum := w.sums[n.Label]
	at := slices.IndexFunc(list, func(s sentenceRow) bool { return s.ID == n.Wording.SentenceID })
	require.GreaterOrEqual(c.t, at, 0, "%s: the wording of %s is none of its sentences", where, n.Label)
	for _, v := range vectors {
		require.LessOrEqual(c.t, v.times(sum), vectors[at].times(sum)*(1+closely), "%s: a sentence is closer to the middle of %s", where, n.Label)
	}
	c.agree(where+" "+n.Label, db.CorpusWording{
		SentenceID: n.Wording.SentenceID, Text: list[at].Text, Sentences: len(list), Spread: 1 - math.Sqrt(sum.times(sum))/float64(worded),
	}, *n.Wording)
}

// similar are the nodes that are put alike.
func (w wordings) similar() (list []db.CorpusEdge) {
	for from, v := range w.sums {
		for to, other := range w.sums {
			if from >= to || len(v) == 0 || len(other) == 0 {
				continue
			}
			if likeness := v.times(other) / math.Sqrt(v.times(v)*other.times(other)); likeness >= leastSimilarity {
				list = append(list, db.CorpusEdge{From: from, To: to, Kind: "similar", Weight: likeness})
			}
		}
	}
	return list
}

// teamTexts are all sentences of the team.
func (c *corpus) teamTexts() *texts {
	t := newTexts()
	for _, f := range c.rows.files {
		for _, s := range f.sentences {
			t.add(s.Text)
		}
	}
	return t
}

func (c *corpus) matches() {
	const limit, each, least = 12, 4, 0.35
	t := c.teamTexts()
	for _, f := range c.samples(6) {
		others := c.rows.which(func(o *fileRow) bool { return o != f && (f.TypeID == nil || o.is(*f.TypeID)) })
		var sentences []sentenceRow
		vectors, from := map[string]vector{}, map[string]sentenceRow{}
		for _, o := range others {
			for _, s := range o.sentences {
				vectors[s.ID], from[s.ID] = t.vector(s.Text), s
			}
		}
		for _, s := range f.sentences {
			if s.Label != nil {
				sentences = append(sentences, s)
			}
		}
		var got api.List[api.Match]
		c.get(&got, fmt.Sprintf("/api/files/{fileId}/matches?copies=true&limit=%d&matches=%d&minScore=%g", limit, each, least), f.ID)
		c.agree(f.Name+" labelled sentences", len(sentences), got.Total)
		require.Len(c.t, got.Items, min(limit, len(sentences)))
		for i, m := range got.Items {
			s := sentences[i]
			c.agree(f.Name, []any{s.ID, s.Text, s.Label, s.Page, s.Start, s.End}, []any{m.SegmentID, m.Text, m.Label, m.Page, m.Span.Start, m.Span.End})
			v := t.vector(s.Text)
			var best []float64
			for _, other := range vectors {
				if likeness := v.times(other); likeness >= least {
					best = append(best, likeness)
				}
			}
			slices.Sort(best)
			slices.Reverse(best)
			scores := []float64{}
			for _, near := range m.Matches {
				scores = append(scores, near.Score)
				other, there := from[near.SegmentID]
				require.True(c.t, there, "a match is of no other file of the type")
				c.agree(f.Name, []any{other.FileID, other.Text, other.Label, other.validated(), v.times(vectors[other.ID]), c.rows.byID[other.FileID].Name},
					[]any{near.FileID, near.Text, near.Label, near.Validated, near.Score, near.FileName})
				c.requireDiff(s.Text, other.Text, near)
			}
			c.agree(f.Name+" scores", append([]float64{}, best[:min(each, len(best))]...), scores)
		}
	}
}

// requireDiff holds a comparison of two sentences to be one of them, to be the
// other but for spaces, and to keep as many words as can be kept.
func (c *corpus) requireDiff(a, b string, m api.MatchedText) {
	c.t.Helper()
	var first, second, same string
	for _, e := range m.Diff {
		if e.Op != "+" {
			first += e.Text
		}
		if e.Op != "-" {
			second += e.Text
		}
		if e.Op == "=" {
			same += e.Text + " "
		}
	}
	require.Equal(c.t, a, first)
	x, y := strings.Fields(a), strings.Fields(b)
	require.Equal(c.t, y, strings.Fields(second))
	c.agree("words in common", []any{commonWords(x, y), slices.Equal(x, y)}, []any{len(strings.Fields(same)), m.Identical})
}

// commonWords is how many words two texts have in common in the same order.
func commonWords(x, y []string) int {
	row := make([]int, len(y)+1)
	for _, word := range x {
		before := 0 // in the row above, to the left
		for j, other := range y {
			above := row[j+1]
			if word == other {
				row[j+1] = before + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			before = above
		}
	}
	return row[len(y)]
}
