package field

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/clausemill/clausemill/nlp/learn"
	"github.com/clausemill/clausemill/nlp/lex"
)

// LeastExamples is how many files with values of people a field is learned from.
const LeastExamples = 10

// Example is a file with the decisions of users on a field: all values are wrong that are
// not marked.
type Example struct {
	Reading *Reading
	Marks   []Mark
}

// Mark is a value that people gave.
type Mark struct {
	Value string   // as value.Value.String writes it
	Span  lex.Span // its words; empty where nobody said where they are
}

// Report is what became of learning.
type Report struct {
	Files    int `json:"files"`    // learned from
	Examples int `json:"examples"` // values in them
	// How values are found in files that were held back, one fifth after the other.
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	Border    float64 `json:"border"`           // the confidence from which values are proposed
	Reason    string  `json:"reason,omitempty"` // why nothing is proposed
}

// OtherFiles is how many files of which nobody said anything are learned from.
const OtherFiles = 30

const (
	// mostSentences is how many sentences of a file candidates are taken from.
	mostSentences = 6
	// mostOthers is how many sentences of a file that are not right are learned from.
	mostOthers = 40
	// leastPrecision is the share of proposals that have to be right.
	leastPrecision = 0.5
	// leastOverlap is the share of words that a candidate has to have in common with
	// what was marked where none is the same.
	leastOverlap = 0.6
)

// student is what is learned from a file.
type student struct {
	Example
	marked []bool   // by sentence: a mark is in it
	values []string // canonical, without repetition
	scores []float32

	unknown bool // nobody said anything of the file
}

// Learn learns the question that examples were read for, until ctx ends. others are files of which nobody said
// anything: they tell how many have such a value at all. The model is nil where Report has
// a Reason.
func Learn(ctx context.Context, examples []Example, others []*Reading) (*Model, Report) {
	students := make([]student, len(examples))
	learn.Each(len(examples), func(i int) { students[i] = newStudent(examples[i]) })
	report := Report{Files: len(students)}
	right := 0
	for _, s := range students {
		report.Examples += len(s.values)
		right += learn.Bit(len(s.values) > 0)
	}
	if right < LeastExamples {
		report.Reason = fmt.Sprintf("it takes values in %d files, and there are %d", LeastExamples, right)
		return nil, report
	}
	m := &Model{several: report.Examples*10 > right*13}
	known := len(students)
	students = append(students, make([]student, len(others))...)
	learn.Each(len(others), func(i int) {
		students[known+i] = newStudent(Example{Reading: others[i]})
		students[known+i].unknown = true
	})
	lessons := make([][]lesson, len(students))
	learn.Each(len(students), func(i int) { lessons[i] = students[i].sentenceLessons(i) })
	sentences := slices.Concat(lessons...)
	m.finder = crossTrain(ctx, sentences, &sentenceWeights, len(students), func(file int, t *machine) { students[file].find(t) })
	learn.Each(len(students), func(i int) { lessons[i] = students[i].candidateLessons(i) })
	trials := make([]trial, len(students))
	m.picker = crossTrain(ctx, slices.Concat(lessons...), &candidateWeights, len(students), func(file int, t *machine) {
		trials[file] = students[file].try(t, m.several)
	})
	unknown := make([]outcomes, len(others))
	for i, t := range trials[known:] {
		unknown[i] = t.found
	}
	trials = trials[:known]
	m.calibrate(trials, unknown)
	report.Border = float64(m.border)
	m.judge(trials, &report)
	if report.Reason != "" {
		return nil, report
	}
	return m, report
}

// crossTrain trains a machine on all lessons, and tells of each file what one makes of it
// that had not seen it.
func crossTrain(ctx context.Context, lessons []lesson, groups *[learn.MostGroups]float64, files int, told func(file int, m *machine)) (all *machine) {
	learn.Each(learn.Folds+1, func(fold int) {
		m := trainMachine(ctx, lessons, groups, func(file int) bool { return file%learn.Folds != fold })
		if fold == learn.Folds {
			all = m
			return
		}
		for file := fold; file < files; file += learn.Folds {
			told(file, m)
		}
	})
	return all
}

// newStudent finds the sentences that marks are in. Of values without a place they are
// those that have them.
func newStudent(e Example) student {
	r := e.Reading
	s := student{Example: e, marked: make([]bool, len(r.sentences)), scores: make([]float32, len(r.sentences))}
	for _, m := range e.Marks {
		name := canonical(r.question.Kind, m.Value)
		if !slices.Contains(s.values, name) {
			s.values = append(s.values, name)
		}
		if m.Span.End > m.Span.Start {
			first, next := r.sentencesOf(m.Span)
			for i := first; i < next; i++ {
				s.marked[i] = true
			}
			continue
		}
		for i := range r.sentences {
			if r.question.Kind != Choice && r.eligible(i) && slices.ContainsFunc(r.candidatesOf(i), func(c candidate) bool { return c.canonical == name }) {
				s.marked[i] = true
				break
			}
		}
	}
	return s
}

// mostNear is how far from a sentence others under its heading are looked at.
const mostNear = 30

// near reports whether sentence i stands under the heading of a marked one. Its dates,
// amounts and numbers may be of the same matter, though nobody marked them.
func (s *student) near(i int) bool {
	if !s.Reading.question.Kind.measured() {
		return false
	}
	sentences := s.Reading.sentences
	for _, step := range [...]int{-1, 1} {
		for at := i + step; at >= 0 && at < len(sentences) && max(at-i, i-at) <= mostNear && slices.Equal(sentences[at].heading, sentences[i].heading); at += step {
			if s.marked[at] {
				return true
			}
		}
	}
	return false
}

// sentenceLessons are the marked sentences and some others that could hold a value, of
// which those near the marked ones tell nothing.
func (s *student) sentenceLessons(file int) []lesson {
	if s.unknown && !s.Reading.question.Kind.measured() {
		return nil
	}
	var list []lesson
	var others []int
	for i := range s.marked {
		switch {
		case s.marked[i]:
			list = append(list, lesson{s.Reading.ofSentence(i), file, true, false})
		case s.Reading.eligible(i) && !s.near(i):
			others = append(others, i)
		}
	}
	random := learn.Randomizer(file + 1)
	random.Shuffle(others)
	for _, i := range others[:min(len(others), mostOthers)] {
		list = append(list, lesson{s.Reading.ofSentence(i), file, false, s.unknown})
	}
	return list
}

// find scores the sentences by a finder that had not seen the file.
func (s *student) find(finder *machine) {
	scorer := finder.scorer()
	defer scorer.vectorizer.Release()
	for i := range s.scores {
		if s.Reading.eligible(i) {
			s.scores[i] = scorer.score(s.Reading.ofSentence(i))
		}
	}
}

// ranked are the sentences with the highest scores, and those that must be among them.
func (r *Reading) ranked(scores []float32, must func(i int) bool) []found {
	var list []found
	for i, score := range scores {
		if r.eligible(i) {
			list = append(list, found{i, score})
		}
	}
	slices.SortStableFunc(list, func(a, b found) int { return cmp.Compare(b.score, a.score) })
	n := 0
	return slices.DeleteFunc(list, func(f found) bool { n++; return n > mostSentences && !must(f.sentence) })
}

// verdict is what is known of a candidate.
type verdict int

const (
	wrongValue verdict = iota
	rightValue
	unknownValue // the right value in a place that nobody marked
)

// verdicts says of the candidates of a sentence which are right.
func (s *student) verdicts(i int, list []candidate) []verdict {
	said := make([]verdict, len(list))
	hit := false
	for n, c := range list {
		if slices.Contains(s.values, c.canonical) {
			said[n] = unknownValue
			if s.marked[i] {
				said[n], hit = rightValue, true
			}
		}
	}
	if hit || s.Reading.question.Kind != Text || !s.marked[i] {
		return said
	}
	// The words that were marked are no candidate. What is nearest to them is right.
	best, at := leastOverlap, -1
	for n, c := range list {
		span := s.Reading.spanOf(i, c.Extent)
		for _, m := range s.Marks {
			common := min(span.End, m.Span.End) - max(span.Start, m.Span.Start)
			if share := learn.Ratio(common, max(span.End, m.Span.End)-min(span.Start, m.Span.Start)); common > 0 && share >= best {
				best, at = share, n
			}
		}
	}
	if at >= 0 {
		said[at] = rightValue
	}
	return said
}

// candidateLessons are the candidates of the sentences that were found and of those that
// are marked.
func (s *student) candidateLessons(file int) (list []lesson) {
	if s.unknown && !s.Reading.question.Kind.measured() {
		return nil
	}
	for rank, f := range s.Reading.ranked(s.scores, func(i int) bool { return s.marked[i] }) {
		candidates := s.Reading.candidatesOf(f.sentence)
		tokens := s.Reading.tokensOf(f.sentence)
		for n, said := range s.verdicts(f.sentence, candidates) {
			if said != unknownValue {
				list = append(list, lesson{s.Reading.ofCandidate(&candidates[n], tokens, f, rank), file, said == rightValue, s.unknown})
			}
		}
	}
	return list
}
