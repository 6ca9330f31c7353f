package likeness

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/clausemill/clausemill/nlp/lex"
)

// Corpus finds the sentences that are nearest to a text. A sentence is the set of its
// stems without stop words and numbers, each weighted by its rarity in the corpus
// (idf); the similarity of two is the cosine of these vectors: 1 for the same words
// and 0 for no word in common.
//
// It is an inverted index and exact: a sentence is skipped only if it cannot be among
// the nearest. What it holds is a Segment, its base, and what was added since, whose
// posting lists have four bytes for each stem of a sentence. It may be read by several
// goroutines at once, but not changed.
type Corpus struct {
	base     *Segment
	gone     []uint64           // bits by sentence of the base; nil where none was removed
	more     map[int32][]uint32 // by term of the base, the sentences added since that have it
	terms    map[string]int32   // by form, so that each is stemmed once; negative for stop words
	stems    map[string]int32   // that the base has not; their terms go on where its end
	postings [][]uint32         // by term behind those of the base, the sentences that have it, in their order
	weights  []float32          // by term behind those of the base, squared
	norms    []float32          // by sentence behind those of the base; 0 for one without words, or that was removed
	rounded  []byte             // the same, rounded down
	weighed  int                // how many sentences there were when the weights were computed
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
func NewCorpus() *Corpus { return NewCorpusOn(&Segment{}) }

// NewCorpusOn returns a corpus of the sentences of a segment, which have the numbers
// that they have there. Weights stay those of the segment.
func NewCorpusOn(base *Segment) *Corpus {
	return &Corpus{base: base, more: map[int32][]uint32{}, terms: map[string]int32{}, stems: map[string]int32{}, weighed: base.length}
}

// Len is the number of sentences that were added, those removed since included.
func (c *Corpus) Len() int { return c.base.length + len(c.norms) }

// Add adds a sentence and returns its number: they are counted from 0.
func (c *Corpus) Add(text string) int {
	sentence := c.Len()
	var square float64
	for _, term := range c.learn(text) {
		n := uint32(sentence) //nolint:gosec // memory ends before the numbers do
		if own := int(term) - c.base.numTerms; own >= 0 {
			c.postings[own] = append(c.postings[own], n)
		} else {
			c.more[term] = append(c.more[term], n)
		}
		square += float64(c.weight(term))
	}
	c.norms = append(c.norms, root(square))
	c.rounded = append(c.rounded, round(root(square)))
	return sentence
}

// Remove takes a sentence out of what is found. Its number is not given again.
func (c *Corpus) Remove(sentence int) {
	if own := sentence - c.base.length; own >= 0 {
		c.norms[own] = 0
		return
	}
	if c.gone == nil {
		c.gone = make([]uint64, (c.base.length+63)/64)
	}
	c.gone[sentence/64] |= 1 << (sentence % 64)
}

// norm is the length of the vector of a sentence; 0 for one without words, or that was
// removed.
func (c *Corpus) norm(sentence uint32) float32 {
	if own := int(sentence) - c.base.length; own >= 0 {
		return c.norms[own]
	}
	if c.gone != nil && c.gone[sentence/64]>>(sentence%64)&1 != 0 {
		return 0
	}
	return c.base.norm(sentence)
}

// Settle computes the weights of words anew where the corpus has grown by a
// tenth since it was last done. In between, what is added is weighted by what
// was known, so that adding one sentence costs no more than reading it. A corpus on
// a segment is settled when it is written as a new one.
func (c *Corpus) Settle() {
	if c.base.length > 0 || len(c.norms)*10 < c.weighed*11 {
		return
	}
	c.weighed = len(c.norms)
	squares := make([]float64, len(c.norms))
	for term, list := range c.postings {
		c.weights[term] = weight(c.weighed, len(list))
		for _, sentence := range list {
			squares[sentence] += float64(c.weights[term])
		}
	}
	for sentence, square := range squares {
		if c.norms[sentence] > 0 {
			c.norms[sentence] = root(square)
			c.rounded[sentence] = round(root(square))
		}
	}
}

// weight is the squared weight of a term.
func (c *Corpus) weight(term int32) float32 {
	if own := int(term) - c.base.numTerms; own >= 0 {
		return c.weights[own]
	}
	return weight(c.weighed, c.base.count(term))
}

// weight is the squared weight of a word that so many sentences of all have.
func weight(all, sentences int) float32 {
	idf := math.Log(1 + float64(max(all, 1))/float64(sentences))
	return float32(idf * idf)
}

// cursor goes through all sentences that have a term.
func (c *Corpus) cursor(term int32) cursor {
	if own := int(term) - c.base.numTerms; own >= 0 {
		return cursor{added: c.postings[own]}
	}
	return c.base.cursor(term, c.more[term])
}

// Nearest lists the n sentences closest to text, the closest first and equals in
// their order. Those without a word in common are never among them.
//
// Sentences are looked at window after window. What a sentence has in common with text
// is at most as long as itself, so one that has none but some of the commonest words
// cannot be closer than those words together. Once n sentences are closer than that,
// only the lists of the other words are read, and the long ones of the commonest are
// only asked about sentences that may still be among the n (MaxScore: Turtle and
// Flood, 1995).
func (c *Corpus) Nearest(text string, n int) []Likeness {
	v := c.Vector(text)
	if n <= 0 || v.norm == 0 {
		return nil
	}
	lists := make([]lookup, len(v.terms))
	for i, term := range v.terms {
		lists[i] = lookup{cursor: c.cursor(term), weight: c.weight(term)}
	}
	slices.SortStableFunc(lists, func(a, b lookup) int { return cmp.Compare(b.weight, a.weight) })
	var left float64
	for i := len(lists) - 1; i >= 0; i-- {
		left += float64(lists[i].weight)
		lists[i].left = left
	}
	o, ok := c.overlaps.Get().(*overlap)
	if !ok {
		o = &overlap{}
	}
	best := &top{limit: n}
	for rare := len(lists); ; {
		least := best.least() * exactly
		for rare > 0 && math.Sqrt(lists[rare-1].left) < least {
			rare--
		}
		if !o.open(lists[:rare]) {
			break
		}
		for i := range lists[:rare] {
			o.add(&lists[i])
		}
		if least > 0 {
			left = 0
			if rare < len(lists) {
				left = lists[rare].left
			}
			o.keepLikely(c, least, left)
		}
		for i := rare; ; i++ {
			left = 0
			if i < len(lists) {
				left = lists[i].left
			}
			o.keep(func(sentence uint32, sum float32) bool {
				norm := c.norm(sentence)
				return norm > 0 && float64(sum)+left >= least*float64(norm)
			})
			if i == len(lists) || len(o.found) == 0 {
				break
			}
			if i == rare {
				slices.Sort(o.found)
			}
			o.addFound(&lists[i])
		}
		o.close(func(sentence uint32, sum float32) {
			best.offer(Likeness{int(sentence), float64(sum / c.norm(sentence))})
		})
	}
	c.overlaps.Put(o)
	list := best.sorted()
	for i := range list {
		list[i].Score = min(1, list[i].Score/v.norm)
	}
	return list
}

// exactly is how far the errors of single precision may be from a bound.
const exactly = 0.999

// lookup is a word of what was asked for.
type lookup struct {
	cursor

	weight float32 // squared
	left   float64 // the squared length of this word and those commoner
}

// round is a norm rounded down to one of 256: the first is 0, each further one a 32nd of
// an octave above the one before.
func round(norm float32) byte {
	i := sort.Search(len(norms)-1, func(i int) bool { return norms[i+1] > norm })
	return byte(i) //nolint:gosec // below 256
}

// norms are those that are rounded to.
var norms = func() (list [256]float32) {
	for i := range list[1:] {
		list[i+1] = float32(math.Exp2(float64(i)/32 - 1))
	}
	return list
}()

// window is how many sentences are looked at together: what is counted of them is to
// stay in the cache of the processor.
const window = 1 << 14

// overlap adds up what the sentences of a window have in common with a text.
type overlap struct {
	sums  [window]float32 // by sentence; 0 for those that were not found
	first uint32          // the first sentence of the window
	found []uint32
}

// open begins the window with the first sentence that is next in lists; false where
// there is none.
func (o *overlap) open(lists []lookup) bool {
	any := false
	for i := range lists {
		if next, ok := lists[i].peek(); ok && (!any || next < o.first) {
			o.first, any = next, true
		}
	}
	return any
}

// close calls each for what was found, and empties the window.
func (o *overlap) close(each func(sentence uint32, sum float32)) {
	for _, sentence := range o.found {
		each(sentence, o.sums[sentence-o.first])
		o.sums[sentence-o.first] = 0
	}
	o.found = o.found[:0]
}

// add gives each sentence of the window that is in a list its weight.
func (o *overlap) add(l *lookup) {
	for len(l.rest) > 0 || l.next() {
		for i, sentence := range l.rest {
			at := sentence - o.first
			if at >= window {
				l.rest = l.rest[i:]
				return
			}
			if o.sums[at] == 0 {
				o.found = append(o.found, sentence)
			}
			o.sums[at] += l.weight
		}
		l.rest = nil
	}
}

// addFound is add for those that were found, which are in order.
func (o *overlap) addFound(l *lookup) {
	for _, sentence := range o.found {
		if l.has(sentence) {
			o.sums[sentence-o.first] += l.weight
		}
	}
}

// keepLikely forgets what cannot be worth keeping by its rounded norm, which takes a
// fraction of the time that reading all of them does.
func (o *overlap) keepLikely(c *Corpus, least, left float64) {
	var needed [256]float32 // by rounded norm
	for i, norm := range norms {
		needed[i] = float32(least*float64(norm) - left)
	}
	kept := o.found[:0]
	base := uint32(len(c.base.rounded)) //nolint:gosec // bounded by OpenSegment
	for _, sentence := range o.found {
		var rounded byte
		if sentence < base {
			rounded = c.base.rounded[sentence]
		} else {
			rounded = c.rounded[sentence-base]
		}
		if o.sums[sentence-o.first] >= needed[rounded] {
			kept = append(kept, sentence)
		} else {
			o.sums[sentence-o.first] = 0
		}
	}
	o.found = kept
}

// keep forgets what is not worth keeping.
func (o *overlap) keep(worth func(sentence uint32, sum float32) bool) {
	kept := o.found[:0]
	for _, sentence := range o.found {
		if worth(sentence, o.sums[sentence-o.first]) {
			kept = append(kept, sentence)
		} else {
			o.sums[sentence-o.first] = 0
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
func (c *Corpus) Vector(text string) Vector { return c.Vectors()(text) }

// Vectors returns a Vector for many texts: it looks each word up once. It is for one
// goroutine, and valid as long as a Vector.
func (c *Corpus) Vectors() func(text string) Vector {
	forms := map[string]int32{}                         // terms by form: negative for stop words, and from unknown on for stems that no sentence has
	stems := map[string]int32{}                         // of these
	var stemmer lex.Stemmer                             // the corpus's own is for Add
	unknown := int32(c.base.numTerms + len(c.postings)) //nolint:gosec // memory ends before the numbers do
	term := func(word string) int32 {
		if term, known := c.terms[word]; known {
			return term
		}
		term, known := forms[word]
		if known {
			return term
		}
		if lex.Stopwords[word] {
			term = -1
		} else {
			stem := stemmer.Stem(word)
			if term, known = c.term(stem); !known {
				if term, known = stems[stem]; !known {
					term = unknown + int32(len(stems)) //nolint:gosec // memory ends before the numbers do
					stems[stem] = term
				}
			}
		}
		forms[word] = term
		return term
	}
	return func(text string) Vector {
		var v Vector
		for word := range lex.Words(text, false) {
			if term := term(word); term >= 0 {
				v.terms = append(v.terms, term)
			}
		}
		slices.Sort(v.terms)
		v.terms = slices.Compact(v.terms)
		known, _ := slices.BinarySearch(v.terms, unknown)
		square := float64(len(v.terms)-known) * float64(weight(c.weighed, 1))
		v.terms = v.terms[:known]
		for _, term := range v.terms {
			square += float64(c.weight(term))
		}
		v.norm = math.Sqrt(square)
		for _, term := range v.terms {
			v.parts = append(v.parts, root(float64(c.weight(term)))/float32(v.norm))
		}
		return v
	}
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
	term, known := c.term(stem)
	if !known {
		term = int32(c.base.numTerms + len(c.postings)) //nolint:gosec // memory ends before the numbers do
		c.stems[stem] = term
		c.postings = append(c.postings, nil)
		c.weights = append(c.weights, weight(c.weighed, 1))
	}
	return term
}

// term is that of a stem.
func (c *Corpus) term(stem string) (term int32, known bool) {
	if term, known = c.stems[stem]; !known {
		term, known = c.base.find(stem)
	}
	return term, known
}

func root(square float64) float32 { return float32(math.Sqrt(square)) }

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
