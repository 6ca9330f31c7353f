package corpus

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Verdict is what a person said of a sentence, and what was said before.
type Verdict struct {
	Sentence  string
	Reviewer  string // "" where it is not known
	From, To  string // nodes, "" for none
	Predicted bool   // From is what a model said
	At        time.Time
}

// Labelled counts the sentences that have one label, or none.
type Labelled struct {
	Node      string   // "" for none
	Predicted int      // on which nobody has decided
	Validated int      // on which people have
	Score     *float64 // mean of those predicted, nil where there are none
}

// Review says what people made of predictions.
type Review struct {
	Sentences int // that were classified
	Predicted int // with a label on which nobody has decided
	None      int // without one, nobody having decided
	Validated int // on which people have decided

	// Of the sentences with a prediction that people have looked at, by their
	// latest verdict.
	Confirmed     int // the label was right
	ConfirmedNone int // so was that there is none
	Corrected     int // another label is right
	Rejected      int // none is right
	Added         int // a label where none was predicted

	Nodes     []ReviewedNode // in the order of their names
	Confusion []Confusion    // the most frequent first
	Reviewers []Reviewer     // the busiest first
	Weeks     []ReviewWeek   // in order
	Pairs     int            // sentences that two users labelled, counting the last two
	Agreed    int            // of them, where they said the same
	Kappa     float64        // agreement beyond chance (Cohen, 1960); 0 without pairs
}

// ReviewedNode is what people made of the predictions of one node.
type ReviewedNode struct {
	Labelled

	Judged    int // sentences that a model gave it and people looked at
	Confirmed int // of them
	Added     int // sentences that people gave it where a model had not
	Precision float64
	Low, High float64 // 95 % of such precisions (Wilson, 1927)
	// Recall is the share of the sentences with the node that a model had found,
	// of those that people looked at; it is an estimate, as far as what they look
	// at is chosen without knowing.
	Recall float64
}

// Confusion is a prediction that people replaced.
type Confusion struct {
	From, To string // "" for none
	Count    int
}

// Reviewer is how one person judges.
type Reviewer struct {
	Name      string // "" where it is not known
	Verdicts  int
	Agreement float64 // the share of verdicts on predictions that confirm them
}

// ReviewWeek is a week of verdicts on predictions.
type ReviewWeek struct {
	Start     time.Time // Monday, UTC
	Verdicts  int
	Precision float64 // the share of predicted labels that were right
}

// NewReview makes a review of how sentences are labelled now, and of the verdicts
// about them, which come in their order.
func NewReview(now []Labelled, verdicts []Verdict) Review {
	r := tally{predicted: map[string]string{}, latest: map[string][]Verdict{}, nodes: map[string]*ReviewedNode{}}
	for _, v := range verdicts {
		r.take(v)
	}
	var m Review
	for _, l := range now {
		m.Sentences += l.Predicted + l.Validated
		m.Validated += l.Validated
		if l.Node == "" {
			m.None += l.Predicted
			continue
		}
		m.Predicted += l.Predicted
		r.node(l.Node).Labelled = l
	}
	r.judge(&m)
	m.Reviewers, m.Weeks = reviewers(verdicts), weeks(verdicts)
	r.agree(&m)
	return m
}

// tally adds up verdicts.
type tally struct {
	predicted map[string]string    // by sentence: what a model said
	latest    map[string][]Verdict // by sentence: the last of each of the last two people
	sentences []string             // those with a verdict, in order
	nodes     map[string]*ReviewedNode
}

func (r *tally) take(v Verdict) {
	if v.Predicted {
		r.predicted[v.Sentence] = v.From
	}
	said := r.latest[v.Sentence]
	if said == nil {
		r.sentences = append(r.sentences, v.Sentence)
	}
	said = slices.DeleteFunc(said, func(o Verdict) bool { return o.Reviewer == v.Reviewer })
	said = append(said, v)
	r.latest[v.Sentence] = said[max(0, len(said)-2):]
}

func (r *tally) node(id string) *ReviewedNode {
	if r.nodes[id] == nil {
		r.nodes[id] = &ReviewedNode{Labelled: Labelled{Node: id}}
	}
	return r.nodes[id]
}

// judge holds what models said against the last word of people.
func (r *tally) judge(m *Review) {
	confusion := map[Confusion]int{}
	for _, sentence := range r.sentences {
		said := r.latest[sentence]
		from, known := r.predicted[sentence]
		if !known {
			continue
		}
		to := said[len(said)-1].To
		switch {
		case from == "" && to == "":
			m.ConfirmedNone++
		case from == to:
			m.Confirmed++
		case from == "":
			m.Added++
		case to == "":
			m.Rejected++
		default:
			m.Corrected++
		}
		if from != to {
			confusion[Confusion{From: from, To: to}]++
		}
		if from != "" {
			r.node(from).Judged++
			r.node(from).Confirmed += bit(from == to)
		}
		if to != "" && from != to {
			r.node(to).Added++
		}
	}
	for _, n := range r.nodes {
		n.Precision, n.Recall = Share(n.Confirmed, n.Judged), Share(n.Confirmed, n.Confirmed+n.Added)
		n.Low, n.High = wilson(n.Confirmed, n.Judged)
		m.Nodes = append(m.Nodes, *n)
	}
	slices.SortFunc(m.Nodes, func(a, b ReviewedNode) int { return cmp.Compare(a.Node, b.Node) })
	for c, count := range confusion {
		c.Count = count
		m.Confusion = append(m.Confusion, c)
	}
	slices.SortFunc(m.Confusion, func(a, b Confusion) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
}

// agree compares the last verdicts of two people on the same sentences.
func (r *tally) agree(m *Review) {
	first, second := map[string]int{}, map[string]int{}
	for _, sentence := range r.sentences {
		if said := r.latest[sentence]; len(said) == 2 {
			m.Pairs++
			m.Agreed += bit(said[0].To == said[1].To)
			first[said[0].To]++
			second[said[1].To]++
		}
	}
	chance := 0.0
	for node, n := range first {
		chance += Share(n, m.Pairs) * Share(second[node], m.Pairs)
	}
	switch observed := Share(m.Agreed, m.Pairs); {
	case m.Pairs == 0:
	case chance == 1:
		m.Kappa = 1 // all said one and the same
	default:
		m.Kappa = (observed - chance) / (1 - chance)
	}
}

func reviewers(verdicts []Verdict) []Reviewer {
	type count struct{ all, judged, confirmed int }
	by := map[string]*count{}
	for _, v := range verdicts {
		if by[v.Reviewer] == nil {
			by[v.Reviewer] = &count{}
		}
		t := by[v.Reviewer]
		t.all++
		t.judged += bit(v.Predicted)
		t.confirmed += bit(v.Predicted && v.From == v.To)
	}
	list := make([]Reviewer, 0, len(by))
	for id, t := range by {
		list = append(list, Reviewer{id, t.all, Share(t.confirmed, t.judged)})
	}
	slices.SortFunc(list, func(a, b Reviewer) int {
		return cmp.Or(cmp.Compare(b.Verdicts, a.Verdicts), cmp.Compare(a.Name, b.Name))
	})
	return list
}

func weeks(verdicts []Verdict) []ReviewWeek {
	type count struct{ all, labels, right int }
	by := map[time.Time]*count{}
	for _, v := range verdicts {
		day := v.At.UTC().Truncate(24 * time.Hour)
		monday := day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
		if by[monday] == nil {
			by[monday] = &count{}
		}
		t := by[monday]
		t.all++
		t.labels += bit(v.Predicted && v.From != "")
		t.right += bit(v.Predicted && v.From != "" && v.From == v.To)
	}
	list := make([]ReviewWeek, 0, len(by))
	for monday, t := range by {
		list = append(list, ReviewWeek{monday, t.all, Share(t.right, t.labels)})
	}
	slices.SortFunc(list, func(a, b ReviewWeek) int { return a.Start.Compare(b.Start) })
	return list
}

// wilson returns the bounds between which a share lies in 95 of 100 cases.
func wilson(right, all int) (low, high float64) {
	if all == 0 {
		return 0, 1
	}
	const z = 1.959964
	n, p := float64(all), Share(right, all)
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, middle-half), min(1, middle+half)
}
