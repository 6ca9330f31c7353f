package likeness

import (
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
)

func corpusOf(texts ...string) *Corpus {
	c := NewCorpus()
	for _, text := range texts {
		c.Add(text)
	}
	c.Settle()
	return c
}

func TestNearestSentences(t *testing.T) {
	t.Parallel()
	c := corpusOf(
		"The seller shall deliver the goods.",
		"Goods are delivered by the Sellers!",
		"The seller pays.",
		"Of the and.",
		"This agreement is governed by the laws of Utah.",
	)
	found := c.Nearest("The seller delivered goods", 10)
	require.Len(t, found, 3)
	require.Equal(t, []int{0, 1, 2}, []int{found[0].Sentence, found[1].Sentence, found[2].Sentence})
	require.InDelta(t, 1, found[1].Score, 1e-6, "the same stems are the same words")
	require.Less(t, found[2].Score, 0.6)
	require.Len(t, c.Nearest("The seller delivered goods", 1), 1)
	require.Less(t, c.Nearest("The seller delivered goods and zeppelins", 1)[0].Score, 0.9, "what no sentence has makes all less alike")
	for _, nothing := range []string{"", "of the", "12 30", "zeppelin"} {
		require.Empty(t, c.Nearest(nothing, 10))
	}
	require.Empty(t, c.Nearest("seller", 0))
	require.Empty(t, NewCorpus().Nearest("seller", 10))

	c.Remove(0)
	require.Equal(t, 1, c.Nearest("The seller delivered goods", 1)[0].Sentence)
	c.Settle()
	require.Equal(t, 1, c.Nearest("The seller delivered goods", 1)[0].Sentence)
	require.Equal(t, 5, c.Add("A zeppelin."))
	require.Equal(t, 5, c.Nearest("zeppelins", 1)[0].Sentence)
}

// TestNearestIsExact compares with the cosine as the textbook has it.
func TestNearestIsExact(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test
	letters := strings.Fields("bond cargo debt equity freight grant holder insurer judge keeper lender merger")
	texts := make([]string, 500)
	for i := range texts {
		for range 1 + random.IntN(8) {
			texts[i] += letters[min(random.IntN(len(letters)), random.IntN(len(letters)))] + " "
		}
	}
	c := corpusOf(texts...)
	for _, text := range texts[:50] {
		type scored struct {
			sentence int
			score    float64
		}
		var want []scored
		for i, other := range texts {
			if score := cosine(texts, text, other); score > 0 {
				want = append(want, scored{i, score})
			}
		}
		slices.SortStableFunc(want, func(a, b scored) int {
			if math.Abs(a.score-b.score) < 1e-6 {
				return 0
			}
			return int(math.Copysign(1, b.score-a.score))
		})
		found := c.Nearest(text, 20)
		require.Len(t, found, min(20, len(want)))
		for i, f := range found {
			require.InDelta(t, want[i].score, f.Score, 1e-5)
			require.InDelta(t, cosine(texts, text, texts[f.Sentence]), f.Score, 1e-5)
			require.InDelta(t, f.Score, c.Vector(text).Likeness(c.Vector(texts[f.Sentence])), 1e-5)
		}
	}
}

// cosine is the likeness of a and b in a corpus of texts.
func cosine(texts []string, a, b string) float64 {
	has := func(text, word string) bool { return slices.Contains(strings.Fields(text), word) }
	var dot, left, right float64
	for _, word := range slices.Compact(slices.Sorted(slices.Values(strings.Fields(a + b)))) {
		frequency := 0
		for _, text := range texts {
			if has(text, word) {
				frequency++
			}
		}
		weight := math.Pow(math.Log(1+float64(len(texts))/float64(frequency)), 2)
		if has(a, word) {
			left += weight
		}
		if has(b, word) {
			right += weight
		}
		if has(a, word) && has(b, word) {
			dot += weight
		}
	}
	return dot / math.Sqrt(left*right)
}

func TestCentroid(t *testing.T) {
	t.Parallel()
	c := corpusOf("The law of Utah governs.", "The laws of Iowa govern.", "The seller pays in cash.", "The buyer pays by cheque.")
	law := Centroid([]Vector{c.Vector("The law of Utah governs."), c.Vector("The laws of Iowa govern.")})
	money := Centroid([]Vector{c.Vector("The seller pays in cash."), c.Vector("The buyer pays by cheque.")})
	query := c.Vector("It is governed by the law of Ohio.")
	require.Greater(t, query.Likeness(law), 0.3)
	require.Zero(t, query.Likeness(money))
	require.InDelta(t, 1, law.Likeness(law), 1e-6)
	require.Zero(t, query.Likeness(Centroid(nil)))
}

func FuzzNearest(f *testing.F) {
	f.Add("The seller pays.", "The buyer pays.", "sellers pay")
	f.Add("\xff\x00", "of the", "a-\nb’s")
	f.Fuzz(func(t *testing.T, first, second, query string) {
		c := corpusOf(first, second)
		for _, text := range []string{first, second, query} {
			for _, l := range c.Nearest(text, 2) {
				require.Positive(t, l.Score)
				require.LessOrEqual(t, l.Score, 1.0)
			}
		}
		if len(c.Vector(first).terms) > 0 {
			require.InDelta(t, 1, c.Nearest(first, 1)[0].Score, 1e-5)
		}
	})
}

// sentencesLike yields the sentences of real contracts, and then the same with some
// words taken from others, until there are n: no two are copies by design.
func sentencesLike(b *testing.B, n int) iter.Seq[string] {
	b.Helper()
	var real []string
	for _, c := range nlptest.Contracts(b) {
		for _, s := range structure.Segment([]string{c.Text}).Sentences {
			real = append(real, s.Text)
		}
	}
	return func(yield func(string) bool) {
		random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a benchmark
		for i := range n {
			text := real[i%len(real)]
			if i >= len(real) {
				changed := strings.Fields(text)
				for i := range changed {
					if random.IntN(5) == 0 {
						donor := strings.Fields(real[random.IntN(len(real))])
						changed[i] = donor[random.IntN(len(donor))]
					}
				}
				text = strings.Join(changed, " ")
			}
			if !yield(text) {
				return
			}
		}
	}
}

// BenchmarkNearest asks for the ten closest of a million sentences.
func BenchmarkNearest(b *testing.B) {
	all := slices.Collect(sentencesLike(b, 1_000_000))
	b.Run("build", func(b *testing.B) {
		size := 0
		for _, text := range all {
			size += len(text)
		}
		b.SetBytes(int64(size))
		for b.Loop() {
			corpusOf(all...)
		}
	})
	before := heap()
	c := corpusOf(all...)
	b.Logf("%d bytes a sentence", (heap()-before)/uint64(len(all)))
	b.Run("ask", func(b *testing.B) {
		for i := 0; b.Loop(); i += 7919 {
			c.Nearest(all[i%len(all)], 10)
		}
	})
}

// heap is how many bytes are in use.
func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // of pools as well
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
