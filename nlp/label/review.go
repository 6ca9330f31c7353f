package label

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/clausemill/clausemill/nlp/learn"
)

// Verdict is what a person said of a passage, and what was said before.
type Verdict struct {
	Passage   string
	Reviewer  string // "" where it is not known
	From, To  string // nodes, "" for none
	Predicted bool   // From is what a model said
	At        time.Time
}

// ReviewMetrics says what people made of predictions.
type ReviewMetrics struct {
	// Of the passages with a prediction that people have looked at, by their
	// latest verdict.
	Confirmed     int // the label was right
	ConfirmedNone int // so was that there is none
	Corrected     int // another label is right
	Rejected      int // none is right
	Added         int // a label where none was predicted

	Nodes     []ReviewedNode    // in the order of their names
	Confusion []Confusion       // the most frequent first
	Reviewers []ReviewerMetrics // the busiest first
	Weeks     []ReviewWeek      // in order
	Pairs     int               // passages that two users labelled, counting the last two
	Agreed    int               // of them, where they said the same
	Kappa     float64           // agreement beyond chance (Cohen, 1960); 0 without pairs
}

// ReviewedNode is what people made of the predictions of one node.
type ReviewedNode struct {
	Node      string
	Predicted int // passages that a model gave it and people looked at
	Right     int // of them
	Added     int // passages that people gave it where a model had not
	Precision float64
	Low, High float64 // 95 % of such precisions (Wilson, 1927)
	// Recall is the share of the passages with the node that a model had found,
	// of those that people looked at; it is an estimate, as far as what they look
	// at is chosen without knowing.
	Recall float64
}

// Confusion is a prediction that people replaced.
type Confusion struct {
	From, To string // "" for none
	Count    int
}

// ReviewerMetrics is how one person judges.
type ReviewerMetrics struct {
	Reviewer  string
	Verdicts  int
	Agreement float64 // the share of verdicts on predictions that confirm them
}

// ReviewWeek is a week of verdicts on predictions.
type ReviewWeek struct {
	Start     time.Time // Monday, UTC
	Verdicts  int
	Precision float64 // the share of predicted labels that were right
}

// Review makes metrics of verdicts, which come in their order.
func Review(verdicts []Verdict) ReviewMetrics {
	r := reviewer{predicted: map[string]string{}, latest: map[string][]Verdict{}, nodes: map[string]*ReviewedNode{}}
	for _, v := range verdicts {
		r.take(v)
	}
	return r.metrics(verdicts)
}

// reviewer adds up verdicts.
type reviewer struct {
	predicted map[string]string    // by passage: what a model said
	latest    map[string][]Verdict // by passage: the last of each of the last two people
	passages  []string             // those with a verdict, in order
	nodes     map[string]*ReviewedNode
}

func (r *reviewer) take(v Verdict) {
	if v.Predicted {
		r.predicted[v.Passage] = v.From
	}
	said := r.latest[v.Passage]
	if said == nil {
		r.passages = append(r.passages, v.Passage)
	}
	said = slices.DeleteFunc(said, func(o Verdict) bool { return o.Reviewer == v.Reviewer })
	said = append(said, v)
	r.latest[v.Passage] = said[max(0, len(said)-2):]
}

func (r *reviewer) node(id string) *ReviewedNode {
	if r.nodes[id] == nil {
		r.nodes[id] = &ReviewedNode{Node: id}
	}
	return r.nodes[id]
}

func (r *reviewer) metrics(verdicts []Verdict) ReviewMetrics {
	var m ReviewMetrics
	confusion := map[Confusion]int{}
	for _, passage := range r.passages {
		said := r.latest[passage]
		from, known := r.predicted[passage]
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
			r.node(from).Predicted++
			r.node(from).Right += learn.Bit(from == to)
		}
		if to != "" && from != to {
			r.node(to).Added++
		}
	}
	for _, n := range r.nodes {
		n.Precision, n.Recall = learn.Ratio(n.Right, n.Predicted), learn.Ratio(n.Right, n.Right+n.Added)
		n.Low, n.High = wilson(n.Right, n.Predicted)
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
	m.Reviewers, m.Weeks = reviewers(verdicts), weeks(verdicts)
	r.agree(&m)
	return m
}

// agree compares the last verdicts of two people on the same passages.
func (r *reviewer) agree(m *ReviewMetrics) {
	first, second := map[string]int{}, map[string]int{}
	for _, passage := range r.passages {
		if said := r.latest[passage]; len(said) == 2 {
			m.Pairs++
			m.Agreed += learn.Bit(said[0].To == said[1].To)
			first[said[0].To]++
			second[said[1].To]++
		}
	}
	chance := 0.0
	for node, n := range first {
		chance += learn.Ratio(n, m.Pairs) * learn.Ratio(second[node], m.Pairs)
	}
	switch observed := learn.Ratio(m.Agreed, m.Pairs); {
	case m.Pairs == 0:
	case chance == 1:
		m.Kappa = 1 // all said one and the same
	default:
		m.Kappa = (observed - chance) / (1 - chance)
	}
}

func reviewers(verdicts []Verdict) []ReviewerMetrics {
	type tally struct{ all, judged, confirmed int }
	by := map[string]*tally{}
	for _, v := range verdicts {
		if by[v.Reviewer] == nil {
			by[v.Reviewer] = &tally{}
		}
		t := by[v.Reviewer]
		t.all++
		t.judged += learn.Bit(v.Predicted)
		t.confirmed += learn.Bit(v.Predicted && v.From == v.To)
	}
	list := make([]ReviewerMetrics, 0, len(by))
	for id, t := range by {
		list = append(list, ReviewerMetrics{id, t.all, learn.Ratio(t.confirmed, t.judged)})
	}
	slices.SortFunc(list, func(a, b ReviewerMetrics) int {
		return cmp.Or(cmp.Compare(b.Verdicts, a.Verdicts), cmp.Compare(a.Reviewer, b.Reviewer))
	})
	return list
}

func weeks(verdicts []Verdict) []ReviewWeek {
	type tally struct{ all, labels, right int }
	by := map[time.Time]*tally{}
	for _, v := range verdicts {
		day := v.At.UTC().Truncate(24 * time.Hour)
		monday := day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
		if by[monday] == nil {
			by[monday] = &tally{}
		}
		t := by[monday]
		t.all++
		t.labels += learn.Bit(v.Predicted && v.From != "")
		t.right += learn.Bit(v.Predicted && v.From != "" && v.From == v.To)
	}
	list := make([]ReviewWeek, 0, len(by))
	for monday, t := range by {
		list = append(list, ReviewWeek{monday, t.all, learn.Ratio(t.right, t.labels)})
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
	n, p := float64(all), learn.Ratio(right, all)
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, middle-half), min(1, middle+half)
}
