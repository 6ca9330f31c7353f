package answer

import (
	"slices"

	"github.com/clausemill/clausemill/nlp"
)

const (
	// alike is the likeness from which one sentence is another wording of the other.
	alike = 0.4
	// mostDifferences bounds how many are told.
	mostDifferences = 10
	// mostCompared bounds how many sentences of a document are on one topic.
	mostCompared = 40
)

// Difference says how d differs from a reference in what q asks about, or in all it says.
func (d *Document) Difference(q Question, reference *Document) Answer {
	a := Answer{Kind: Difference, Topics: q.names(), Sentences: []Said{}, Nearest: []Citation{}, documents: []*Document{d, reference}}
	here, there := d.about(q), reference.about(q)
	var same []Said
	for _, p := range pair(d, here, reference, there) {
		said := d.compare(reference, p)
		switch {
		case len(said.Citations) == 0:
		case p.here >= 0 && p.there >= 0 && nlp.Squash(d.Sentences[p.here].Text) == nlp.Squash(reference.Sentences[p.there].Text):
			same = append(same, said)
		case len(a.Sentences) < mostDifferences:
			a.Sentences = append(a.Sentences, said)
		default:
			a.More++
		}
	}
	if len(a.Sentences) == 0 && len(q.Topics)+len(q.Stems) > 0 {
		for _, s := range same[:min(mostNearest, len(same))] {
			a.Sentences = append(a.Sentences, Said{"Both documents say: " + quotation(s.Citations[0].Quote), s.Citations})
		}
	}
	a.Found = len(a.Sentences) > 0
	return a
}

// about are the sentences that q asks for, in their order; all where it asks for none.
func (d *Document) about(q Question) (list []int) {
	if len(q.Topics)+len(q.Stems) == 0 {
		for i := range d.Sentences {
			list = append(list, i)
		}
		return list
	}
	for _, s := range q.rank(d) {
		if s.score >= q.border() && len(list) < mostCompared {
			list = append(list, s.sentence)
		}
	}
	slices.Sort(list)
	return list
}

// paired are sentences of two documents that say the same in their words or others; -1
// is none.
type paired struct{ here, there int }

// pair pairs sentences, the closest first: those of the document in their order, then
// those that only the reference has.
func pair(d *Document, here []int, reference *Document, there []int) []paired {
	known := nlp.NewCorpus()
	for _, i := range there {
		known.Add(reference.Sentences[i].Text)
	}
	known.Settle()
	list := make([]paired, len(here))
	taken := make([]bool, len(there))
	for k, i := range here { // in the same words
		list[k] = paired{i, -1}
		same := slices.IndexFunc(there, func(j int) bool { return reference.Sentences[j].Text == d.Sentences[i].Text })
		if same >= 0 && !taken[same] {
			list[k].there, taken[same] = there[same], true
		}
	}
	for k, i := range here { // in others
		if list[k].there >= 0 {
			continue
		}
		for _, near := range known.Nearest(d.Sentences[i].Text, mostNearest) {
			if near.Score >= alike && !taken[near.Sentence] {
				list[k].there, taken[near.Sentence] = there[near.Sentence], true
				break
			}
		}
	}
	for k, j := range there {
		if !taken[k] {
			list = append(list, paired{-1, j})
		}
	}
	return list
}

// compare says what a pair comes to, with its quotes.
func (d *Document) compare(reference *Document, p paired) Said {
	var s Said
	if p.here >= 0 {
		s.Citations = append(s.Citations, d.quote([]int{p.here}).Citations...)
	}
	if p.there >= 0 {
		s.Citations = append(s.Citations, reference.quote([]int{p.there}).Citations...)
	}
	switch {
	case len(s.Citations) == 2:
		s.Text = "This document says: " + quotation(s.Citations[0].Quote) + " The reference says: " + quotation(s.Citations[1].Quote)
	case len(s.Citations) == 1 && p.there < 0:
		s.Text = "Only this document says: " + quotation(s.Citations[0].Quote)
	case len(s.Citations) == 1 && p.here < 0:
		s.Text = "Only the reference says: " + quotation(s.Citations[0].Quote)
	default: // one of the two does not stand where it was read
		s.Citations = nil
	}
	return s
}
