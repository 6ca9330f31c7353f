package label

import (
	"math/bits"
	"slices"

	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// What is observed of a passage and a node, for the forest to judge by. All
// but the place and the length are scores: logarithms of odds, as the views see
// them.
const (
	ownScore = iota
	scoreBefore
	scoreAfter
	bestBefore // of the second and third before it
	bestAfter
	scoresAround // the sum of those four
	bestOfFile   // without its own
	lead         // over the best of the file
	rankInFile   // by score, from 0
	likelyInFile // passages of the file that are likely to carry the node
	sinceLikely  // passages since the first of them
	bestUnderHeading
	sinceHeading // passages since the heading
	scoreOfLead  // the score of what leads in to it
	bestOtherNode
	position   // passages since the start of the file
	relative   // the same, as a share
	fileLength // in passages, as a power of two
	textLength // in bytes
	kind
	frequency // of the node where the model has learned
	nodeIndex
	stated    // whether the fact that the node is about was extracted from it: see statedIn
	firstView // the score of each view

	observations = firstView + views
)

const (
	unlikely   = -8 // the score of what is not there
	likely     = -1 // the score from which a passage counts as likely
	farthest   = 30 // passages that are looked at for the same heading, to each side
	lowestRank = 50
)

// kinds are the numbers of the kinds of blocks.
var kinds = map[structure.BlockKind]float32{structure.Paragraph: 0, structure.Heading: 1, structure.ListItem: 2, structure.Table: 3, structure.SignatureBlock: 4}

// scored is a file as the views see it.
type scored struct {
	passages []Passage
	nodes    int
	views    [views][]float32 // by passage and node
	facts    []value.Key      // by node: the one that it is about, "" where there is none
	scores   []float32        // their means
	best     []float32        // of the scores of a passage, and the one after it
	second   []float32
}

func newScored(passages []Passage, nodes []string) *scored {
	f := &scored{passages: passages, nodes: len(nodes), facts: make([]value.Key, len(nodes))}
	for i, node := range nodes {
		f.facts[i] = factOf[node]
	}
	return f
}

// finish works out what comes of the scores of the views.
func (f *scored) finish() {
	f.scores = make([]float32, len(f.views[0]))
	for _, scores := range f.views {
		for i, score := range scores {
			f.scores[i] += score / views
		}
	}
	f.best, f.second = make([]float32, len(f.passages)), make([]float32, len(f.passages))
	for i := range f.passages {
		best, second := float32(unlikely), float32(unlikely)
		for _, score := range f.scores[i*f.nodes:][:f.nodes] {
			best, second = max(best, score), max(second, min(best, score))
		}
		f.best[i], f.second[i] = best, second
	}
}

func (f *scored) score(passage, node int) float32 {
	if passage < 0 || passage >= len(f.passages) {
		return unlikely
	}
	return f.scores[passage*f.nodes+node]
}

// observe yields what is to be seen of every passage that scores the floor or
// more for node. The observations are good until the next.
func (f *scored) observe(node int, floor, often float32, yield func(passage int, seen *[observations]float32)) {
	var candidates []int
	var hot, first int
	for i := range f.passages {
		score := f.score(i, node)
		if score >= floor {
			candidates = append(candidates, i)
		}
		if score > likely {
			if hot == 0 {
				first = i
			}
			hot++
		}
	}
	if hot == 0 {
		first = len(f.passages)
	}
	ranked := slices.Clone(candidates)
	slices.SortStableFunc(ranked, func(a, b int) int {
		switch x, y := f.score(a, node), f.score(b, node); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	elsewhere := f.states(node)
	for rank, i := range ranked {
		seen := [observations]float32{
			ownScore:      f.score(i, node),
			scoreBefore:   f.score(i-1, node),
			scoreAfter:    f.score(i+1, node),
			bestBefore:    max(f.score(i-2, node), f.score(i-3, node)),
			bestAfter:     max(f.score(i+2, node), f.score(i+3, node)),
			bestOfFile:    unlikely,
			rankInFile:    float32(min(rank, lowestRank)),
			likelyInFile:  float32(hot),
			sinceLikely:   float32(i - first),
			bestOtherNode: f.best[i],
			position:      float32(i),
			relative:      float32(i) / float32(len(f.passages)),
			fileLength:    float32(bits.Len(uint(len(f.passages)))),
			textLength:    float32(len(f.passages[i].Text)),
			kind:          kinds[f.passages[i].Kind],
			frequency:     often,
			nodeIndex:     float32(node),
			stated:        f.statedIn(i, node, elsewhere),
			scoreOfLead:   f.score(leadOf(f.passages, i), node),
		}
		seen[scoresAround] = seen[scoreBefore] + seen[scoreAfter] + seen[bestBefore] + seen[bestAfter]
		seen[lead] = seen[ownScore] - f.score(ranked[0], node)
		if rank > 0 {
			seen[bestOfFile] = f.score(ranked[0], node)
		} else if len(ranked) > 1 {
			seen[bestOfFile] = f.score(ranked[1], node)
		}
		if seen[ownScore] == seen[bestOtherNode] {
			seen[bestOtherNode] = f.second[i]
		}
		seen[bestUnderHeading], seen[sinceHeading] = f.underHeading(i, node)
		for v := range f.views {
			seen[firstView+v] = f.views[v][i*f.nodes+node]
		}
		yield(i, &seen)
	}
}

// underHeading returns the best score for node among the others under the
// heading of a passage, and how many of them are before it.
func (f *scored) underHeading(passage, node int) (best, since float32) {
	best = unlikely
	heading := f.passages[passage].Heading
	for i := passage - 1; i >= 0 && passage-i < farthest && f.passages[i].Heading == heading; i-- {
		best = max(best, f.score(i, node))
		since++
	}
	for i := passage + 1; i < len(f.passages) && i-passage < farthest && f.passages[i].Heading == heading; i++ {
		best = max(best, f.score(i, node))
	}
	return best, since
}

// states reports whether the fact that node is about was extracted from the file.
func (f *scored) states(node int) bool {
	return f.facts[node] != "" && slices.ContainsFunc(f.passages, func(p Passage) bool { return slices.Contains(p.Facts, f.facts[node]) })
}

// statedIn is 1 if the fact that node is about was extracted from the passage, 0 if
// only from another one, and -1 if there is none in the file.
func (f *scored) statedIn(passage, node int, elsewhere bool) float32 {
	switch {
	case !elsewhere:
		return -1
	case slices.Contains(f.passages[passage].Facts, f.facts[node]):
		return 1
	}
	return 0
}

// factOf maps the id of a node to the fact that it is about.
var factOf = map[string]value.Key{
	"document_name": value.DocumentName, "parties": value.Party, "agreement_date": value.AgreementDate, "effective_date": value.EffectiveDate,
	"expiration_date": value.InitialTerm, "renewal_term": value.RenewalTerm, "notice_period_to_terminate_renewal": value.NoticePeriod, "governing_law": value.GoverningLaw,
}
