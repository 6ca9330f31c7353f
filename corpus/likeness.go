package corpus

import (
	"cmp"

	"github.com/clausemill/clausemill/nlp"
)

const (
	// alike is the similarity from which two sentences say the same as a rule.
	alike = 0.5
	// mostAlike is how many sentences like one are looked at.
	mostAlike = 500
)

// Sentences is what a text is held against: those of another text, or of files.
type Sentences struct {
	words *nlp.Corpus
	files []string // of each sentence; "" of none
	count int      // different files
}

// NewSentences prepares texts, each of a file or of none.
func NewSentences(texts, files []string) *Sentences {
	s := &Sentences{words: nlp.NewCorpus(), files: files}
	known := map[string]bool{"": true}
	for i, text := range texts {
		s.words.Add(text)
		if !known[files[i]] {
			known[files[i]] = true
			s.count++
		}
	}
	s.words.Settle()
	return s
}

// Files is how many different files the sentences are of.
func (s *Sentences) Files() int { return s.count }

// Held is a sentence held against others.
type Held struct {
	Nearest    []Near   // the closest first
	Similarity float64  // to the nearest, 0 to 1
	Typicality *float64 // the share of the files that have a sentence like it; nil without files

	words float64
}

// Near is one of the others.
type Near struct {
	Sentence   int // its place among the texts
	Similarity float64
}

// Hold finds the sentences nearest to a text, at most so many.
func (s *Sentences) Hold(text string, nearest int) Held {
	var h Held
	having := map[string]bool{}
	for i, l := range s.words.Nearest(text, max(nearest, mostAlike)) {
		if i < nearest {
			h.Nearest = append(h.Nearest, Near{l.Sentence, l.Score})
		}
		if l.Score >= alike {
			having[s.files[l.Sentence]] = true
		}
	}
	if len(h.Nearest) > 0 {
		h.Similarity = h.Nearest[0].Similarity
	}
	if s.count > 0 {
		share := Share(len(having), s.count)
		h.Typicality = &share
	}
	for _, t := range nlp.Tokens(text, nlp.TokenOptions{}) {
		h.words += float64(t.Count)
	}
	return h
}

// Whole is how close a text is to s by its sentences, those with more words
// counting more. Typicality is nil without files.
func (s *Sentences) Whole(held []Held) (similarity float64, typicality *float64) {
	var words, typical float64
	for _, h := range held {
		words += h.words
		similarity += h.words * h.Similarity
		if h.Typicality != nil {
			typical += h.words * *h.Typicality
		}
	}
	if words > 0 {
		similarity /= words
		typical /= words
	}
	if s.count > 0 {
		typicality = &typical
	}
	return similarity, typicality
}

// Vote is a sentence with a label that speaks for it as far as it is similar.
type Vote struct {
	Label      string
	Similarity float64
}

// Proposal is the label that votes speak for.
type Proposal struct {
	Label   string
	Score   float64 // its share of the similarities, 0 to 1
	Support int     // how many votes it has
}

// Propose counts votes. It is false where there are none.
func Propose(votes []Vote) (best Proposal, ok bool) {
	byLabel, all := map[string]Proposal{}, 0.0
	for _, v := range votes {
		p := byLabel[v.Label]
		p = Proposal{v.Label, p.Score + v.Similarity, p.Support + 1}
		byLabel[v.Label] = p
		all += v.Similarity
	}
	for _, p := range byLabel {
		if c := cmp.Compare(p.Score, best.Score); !ok || c > 0 || c == 0 && p.Label < best.Label {
			best, ok = p, true
		}
	}
	if all > 0 {
		best.Score /= all
	}
	return best, ok
}
