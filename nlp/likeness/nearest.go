package likeness

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/clausemill/clausemill/nlp/lex"
)

// Corpus finds the sentences that are nearest to a text. A sentence is the set of its
// stems without stop words and numbers, each weighted by its rarity in the corpus
// (idf); the similarity of two is the cosine of these vectors: 1 for the same words
// and 0 for no word in common.
//
// It is an inverted index and exact: a sentence is skipped only if it cannot be among
// the nearest. Its posting lists have four bytes for each stem of a sentence. It may
// be read by several goroutines at once, but not changed.
type Corpus struct {
	terms    map[string]int32 // by form, so that each is stemmed once; negative for stop words
	stems    map[string]int32
	postings [][]uint32 // by term, the sentences that have it, in their order
	weights  []float32  // by term, squared
	norms    []float32  // by sentence; 0 for one without words, or that was removed
	weighed  int        // how many sentences there were when the weights were computed
	stemmer  lex.Stemmer
	learnt   []int32   // the space of learn
	overlaps sync.Pool // the space of Nearest
}

// Likeness is the similarity of a sentence to a text.
type Likeness struct {
	Sentence int     // as Add numbered it
	Score    float64 // 0 to 1
}

// NewCorpus returns a corpus without sentences.
func NewCorpus() *Corpus {
	return &Corpus{terms: map[string]int32{}, stems: map[string]int32{}}
}

// Len is the number of sentences that were added, those removed since included.
func (c *Corpus) Len() int { return len(c.norms) }

// Add adds a sentence and returns its number: they are counted from 0.
func (c *Corpus) Add(text string) int {
	sentence := len(c.norms)
	var square float32
	for _, term := range c.learn(text) {
		c.postings[term] = append(c.postings[term], uint32(sentence)) //nolint:gosec // memory ends before the numbers do
		square += c.weights[term]
	}
	c.norms = append(c.norms, sqrt(square))
	return sentence
}

// Remove takes a sentence out of what is found. Its number is not given again.
func (c *Corpus) Remove(sentence int) { c.norms[sentence] = 0 }

// Settle computes the weights of words anew where the corpus has grown by a
// tenth since it was last done. In between, what is added is weighted by what
// was known, so that adding one sentence costs no more than reading it.
func (c *Corpus) Settle() {
	if len(c.norms)*10 < c.weighed*11 {
		return
	}
	c.weighed = len(c.norms)
	squares := make([]float32, len(c.norms))
	for term, list := range c.postings {
		c.weights[term] = c.weight(len(list))
		for _, sentence := range list {
			squares[sentence] += c.weights[term]
		}
	}
	for sentence, square := range squares {
		if c.norms[sentence] > 0 {
			c.norms[sentence] = sqrt(square)
		}
	}
}

// weight is the squared weight of a word that so many sentences have.
func (c *Corpus) weight(sentences int) float32 {
	idf := math.Log(1 + float64(max(c.weighed, 1))/float64(sentences))
	return float32(idf * idf)
}

// Nearest lists the n sentences closest to text, the closest first and equals in
// their order. Those without a word in common are never among them.
//
// The rarest words are looked up first. What a sentence has in common with text
// is at most as long as itself, so one that has none but the words that are left
// cannot be closer than those words together. Where n sentences are, no others
// are taken up, and the long lists of common words are only asked about those
// that may still be among the n.
func (c *Corpus) Nearest(text string, n int) []Likeness {
	v := c.Vector(text)
	if n <= 0 || v.norm == 0 {
		return nil
	}
	terms := slices.Clone(v.terms)
	slices.SortStableFunc(terms, func(a, b int32) int { return cmp.Compare(c.weights[b], c.weights[a]) })
	var left float64 // the squared length of the words that were not looked up
	for _, term := range terms {
		left += float64(c.weights[term])
	}
	o := c.overlap()
	defer c.overlaps.Put(o)
	defer o.clear()
	for i, term := range terms {
		list := c.postings[term]
		if len(list) > len(o.found) { // or looking is dearer than going on
			if least := c.best(o, n).least(); math.Sqrt(left) < least*exactly {
				o.keep(func(sentence uint32) bool {
					return (float64(o.sums[sentence])+left)/float64(c.norms[sentence]) >= least*exactly
				})
				slices.Sort(o.found)
				for _, term := range terms[i:] {
					o.addFound(c.postings[term], c.weights[term])
				}
				break
			}
		}
		o.add(list, c.weights[term])
		left -= float64(c.weights[term])
	}
	list := c.best(o, n).sorted()
	for i := range list {
		list[i].Score = min(1, list[i].Score/v.norm)
	}
	return list
}

// exactly is how far the errors of single precision may be from a bound.
const exactly = 0.999

// best are the n best of what was found, whose scores are not yet divided by the
// length of what was asked for.
func (c *Corpus) best(o *overlap, n int) *top {
	best := &top{limit: n}
	for _, sentence := range o.found {
		if c.norms[sentence] > 0 {
			best.offer(Likeness{int(sentence), float64(o.sums[sentence] / c.norms[sentence])})
		}
	}
	return best
}

// overlap adds up what sentences have in common with a text.
type overlap struct {
	sums  []float32 // by sentence; 0 for those that were not found
	found []uint32
}

// overlap returns an empty one.
func (c *Corpus) overlap() *overlap {
	o, ok := c.overlaps.Get().(*overlap)
	if !ok || len(o.sums) < len(c.norms) {
		o = &overlap{sums: make([]float32, len(c.norms)+len(c.norms)/8)} // some are added between questions
	}
	return o
}

func (o *overlap) clear() {
	for _, sentence := range o.found {
		o.sums[sentence] = 0
	}
	o.found = o.found[:0]
}

// add gives each sentence of a list a weight.
func (o *overlap) add(list []uint32, weight float32) {
	for _, sentence := range list {
		if o.sums[sentence] == 0 {
			o.found = append(o.found, sentence)
		}
		o.sums[sentence] += weight
	}
}

// addFound is add for those that were found, which are in order.
func (o *overlap) addFound(list []uint32, weight float32) {
	for _, sentence := range o.found {
		at, there := slices.BinarySearch(list, sentence)
		if there {
			o.sums[sentence] += weight
		}
		list = list[at:]
	}
}

// keep forgets what is not worth keeping.
func (o *overlap) keep(worth func(sentence uint32) bool) {
	kept := o.found[:0]
	for _, sentence := range o.found {
		if worth(sentence) {
			kept = append(kept, sentence)
		} else {
			o.sums[sentence] = 0
		}
	}
	o.found = kept
}

// Vector is the term vector of a text. It is valid for the corpus that made it, until
// the next Settle that changes the weights.
type Vector struct {
	terms []int32   // known to the corpus, ascending
	parts []float32 // of unit length; those of unknown words are left out
	norm  float64
}

// Vector is text as the corpus sees it. A word that no sentence has weighs like
// the rarest: it makes every sentence less alike.
func (c *Corpus) Vector(text string) Vector {
	var v Vector
	var square float64
	unknown := map[string]bool{}
	var fresh lex.Stemmer // the corpus's own is for Add
	for word := range lex.Words(text, false) {
		if term, known := c.terms[word]; known {
			if term >= 0 {
				v.terms = append(v.terms, term)
			}
		} else if !lex.Stopwords[word] {
			stem := fresh.Stem(word)
			if term, known := c.stems[stem]; known {
				v.terms = append(v.terms, term)
			} else if !unknown[stem] {
				unknown[stem] = true
				square += float64(c.weight(1))
			}
		}
	}
	slices.Sort(v.terms)
	v.terms = slices.Compact(v.terms)
	for _, term := range v.terms {
		square += float64(c.weights[term])
	}
	v.norm = math.Sqrt(square)
	for _, term := range v.terms {
		v.parts = append(v.parts, sqrt(c.weights[term])/float32(v.norm))
	}
	return v
}

// Likeness is the cosine similarity of two vectors of one corpus.
func (v Vector) Likeness(w Vector) float64 {
	var sum float64
	for i, j := 0, 0; i < len(v.terms) && j < len(w.terms); {
		switch cmp.Compare(v.terms[i], w.terms[j]) {
		case -1:
			i++
		case 1:
			j++
		default:
			sum += float64(v.parts[i]) * float64(w.parts[j])
			i, j = i+1, j+1
		}
	}
	return min(1, sum)
}

// Centroid is the direction in which vectors of one corpus point together.
func Centroid(vectors []Vector) Vector {
	parts := map[int32]float64{}
	for _, v := range vectors {
		for i, term := range v.terms {
			parts[term] += float64(v.parts[i])
		}
	}
	var c Vector
	var square float64
	for term, part := range parts {
		c.terms = append(c.terms, term)
		square += part * part
	}
	slices.Sort(c.terms)
	c.norm = math.Sqrt(square)
	for _, term := range c.terms {
		c.parts = append(c.parts, float32(parts[term]/c.norm))
	}
	return c
}

// learn returns the terms of text, ascending, and adds new ones to the corpus. The
// result is valid until the next call.
func (c *Corpus) learn(text string) []int32 {
	terms := c.learnt[:0]
	for word := range lex.Words(text, false) {
		term, known := c.terms[word]
		if !known {
			term = c.take(word)
			c.terms[word] = term
		}
		if term >= 0 {
			terms = append(terms, term)
		}
	}
	slices.Sort(terms)
	c.learnt = terms
	return slices.Compact(terms)
}

// take returns the term of a word that was not seen before.
func (c *Corpus) take(word string) int32 {
	if lex.Stopwords[word] {
		return -1
	}
	stem := c.stemmer.Stem(word)
	term, known := c.stems[stem]
	if !known {
		term = int32(len(c.postings)) //nolint:gosec // memory ends before the numbers do
		c.stems[stem] = term
		c.postings = append(c.postings, nil)
		c.weights = append(c.weights, c.weight(1))
	}
	return term
}

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// top keeps the best of what it is offered: a heap with the worst at its root.
type top struct {
	limit int
	heap  []Likeness
}

// worse orders by score, and equals so that the later sentence is the worse.
func worse(a, b Likeness) bool {
	return a.Score < b.Score || a.Score == b.Score && a.Sentence > b.Sentence
}

func (t *top) offer(l Likeness) {
	if len(t.heap) < t.limit {
		t.heap = append(t.heap, l)
		for i := len(t.heap) - 1; i > 0 && worse(t.heap[i], t.heap[(i-1)/2]); i = (i - 1) / 2 {
			t.heap[i], t.heap[(i-1)/2] = t.heap[(i-1)/2], t.heap[i]
		}
		return
	}
	if !worse(t.heap[0], l) {
		return
	}
	t.heap[0] = l
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.heap); child++ {
			if worse(t.heap[child], t.heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		t.heap[i], t.heap[least] = t.heap[least], t.heap[i]
		i = least
	}
}

// least is the worst score that is among the best; 0 while there is room.
func (t *top) least() float64 {
	if len(t.heap) < t.limit {
		return 0
	}
	return t.heap[0].Score
}

func (t *top) sorted() []Likeness {
	slices.SortFunc(t.heap, func(a, b Likeness) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Sentence, b.Sentence))
	})
	return t.heap
}
