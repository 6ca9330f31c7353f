package likeness

import (
	"cmp"
	"maps"
	"slices"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
)

// Anchored is a sentence as it was when a user labelled it.
type Anchored struct {
	Text  string
	Start int // code points in the text of that time
}

// Match carries the decision about an old sentence to a new one. Both are
// indices into what Carry was given.
type Match struct {
	Old, New int
	Score    float64 // 1 where the words are the same, else their similarity
}

const (
	// leastLikeness is the similarity of words below which two sentences are not
	// the same one read twice. Two readings of a scanned page differ in some
	// letters of every tenth word; two clauses of one contract share fewer.
	leastLikeness = 0.6
	// leastContained is the share of an old sentence that must lie in a new one
	// which was cut in other places.
	leastContained = 0.9
)

// Carry finds for each old sentence the one new sentence that it has become.
// The same words match first, in their order, and nearest first where they occur
// more than once; then the sentences with the most words in common, or of which one
// contains the other because they were segmented differently. A new sentence is
// matched once only. A sentence without a match is orphaned. The result depends only
// on the arguments; matches and orphans are in the order of old.
func Carry(old []Anchored, renewed []structure.Sentence) (matched []Match, orphaned []int) {
	c := carrier{old: old, renewed: renewed, taken: make([]bool, len(renewed))}
	orphaned = c.carryLike(c.carrySame())
	slices.SortFunc(c.matched, func(a, b Match) int { return cmp.Compare(a.Old, b.Old) })
	return c.matched, orphaned
}

type carrier struct {
	old     []Anchored
	renewed []structure.Sentence
	taken   []bool // by new sentence
	matched []Match
}

func (c *carrier) match(old, renewed int, score float64) {
	c.taken[renewed] = true
	c.matched = append(c.matched, Match{old, renewed, score})
}

// equals are the sentences of the same words that are not matched yet.
type equals struct {
	old     int   // how many old ones
	renewed []int // the new ones, in order
}

// carrySame matches sentences of the same words and returns the old ones left.
// It estimates how far the text has moved from the matches before.
func (c *carrier) carrySame() (rest []int) {
	order := make([]int, len(c.old))
	groups := map[string]*equals{}
	for i := range order {
		order[i] = i
		words := lex.Squash(c.old[i].Text)
		if groups[words] == nil {
			groups[words] = &equals{}
		}
		groups[words].old++
	}
	for j := range c.renewed {
		if group := groups[lex.Squash(c.renewed[j].Text)]; group != nil {
			group.renewed = append(group.renewed, j)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(c.old[a].Start, c.old[b].Start), cmp.Compare(a, b))
	})
	moved := 0
	for _, i := range order {
		group := groups[lex.Squash(c.old[i].Text)]
		group.old--
		if len(group.renewed) == 0 {
			rest = append(rest, i)
			continue
		}
		// A nearer one may be taken as long as enough are left for the others.
		target := c.old[i].Start + moved
		at := 0
		for len(group.renewed)-at-1 > group.old && distance(target, c.renewed[group.renewed[at+1]].Start) < distance(target, c.renewed[group.renewed[at]].Start) {
			at++
		}
		best := group.renewed[at]
		group.renewed = group.renewed[at+1:]
		moved = c.renewed[best].Start - c.old[i].Start
		c.match(i, best, 1)
	}
	return rest
}

// carryLike matches sentences by similarity, the best pairs first, and returns
// the old ones left, in order.
func (c *carrier) carryLike(rest []int) (orphaned []int) {
	if len(rest) == 0 {
		return nil
	}
	pairs := c.likePairs(rest)
	slices.SortFunc(pairs, func(a, b Match) int {
		return cmp.Or(
			cmp.Compare(b.Score, a.Score),
			cmp.Compare(c.distance(a), c.distance(b)),
			cmp.Compare(a.Old, b.Old), cmp.Compare(a.New, b.New))
	})
	done := map[int]bool{}
	for _, pair := range pairs {
		if !done[pair.Old] && !c.taken[pair.New] {
			done[pair.Old] = true
			c.match(pair.Old, pair.New, pair.Score)
		}
	}
	for _, i := range rest {
		if !done[i] {
			orphaned = append(orphaned, i)
		}
	}
	slices.Sort(orphaned)
	return orphaned
}

// likePairs scores the old sentences in rest against the new ones that share
// one of their rarest words.
func (c *carrier) likePairs(rest []int) []Match {
	const (
		rareWords  = 8   // of an old sentence
		commonness = 500 // sentences from which a word is not rare
	)
	index := map[string][]int{} // by word, the free new sentences that hold it
	bags := make([]bag, len(c.renewed))
	for j, sentence := range c.renewed {
		if c.taken[j] {
			continue
		}
		bags[j] = newBag(sentence.Text)
		for word := range bags[j].counts {
			index[word] = append(index[word], j)
		}
	}
	var pairs []Match
	for _, i := range rest {
		from := newBag(c.old[i].Text)
		rare := slices.SortedFunc(maps.Keys(from.counts), func(a, b string) int {
			return cmp.Or(cmp.Compare(len(index[a]), len(index[b])), cmp.Compare(a, b))
		})
		seen := map[int]bool{}
		rare = slices.DeleteFunc(rare, func(word string) bool { return len(index[word]) == 0 })
		for _, word := range rare[:min(rareWords, len(rare))] {
			if len(index[word]) > commonness {
				break
			}
			for _, j := range index[word] {
				if seen[j] {
					continue
				}
				seen[j] = true
				if score := likeness(from, bags[j]); score > 0 {
					pairs = append(pairs, Match{i, j, score})
				}
			}
		}
	}
	return pairs
}

func (c *carrier) distance(pair Match) int {
	return distance(c.old[pair.Old].Start, c.renewed[pair.New].Start)
}

func distance(a, b int) int { return max(a-b, b-a) }

// bag is the words of a sentence with the number of times they occur.
type bag struct {
	counts map[string]int
	size   int
}

func newBag(text string) bag {
	b := bag{counts: map[string]int{}}
	for word := range lex.Words(text, false) {
		b.counts[word]++
		b.size++
	}
	return b
}

// likeness scores two sentences: the share of all their words that both have
// (Dice), or, where one contains nearly all of the other, a little less than
// that would have to be. It is 0 for sentences that are not the same one.
func likeness(a, b bag) float64 {
	common := 0
	for word, count := range a.counts {
		common += min(count, b.counts[word])
	}
	if dice := 2 * float64(common) / float64(a.size+b.size); dice >= leastLikeness {
		return min(dice, 0.99) // the same words in another order are not the same sentence
	}
	const leastWords = 6 // fewer lie in some long sentence by chance
	if smaller := min(a.size, b.size); smaller >= leastWords && float64(common) >= leastContained*float64(smaller) {
		return leastLikeness * float64(common) / float64(smaller)
	}
	return 0
}
