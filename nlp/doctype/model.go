package doctype

import (
	"cmp"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/learn"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// Type is a sort of contract.
type Type struct {
	ID          string `json:"id"` // stable; what models and stores know it by
	Name        string `json:"name"`
	Description string `json:"description"`
}

// All returns the types that the base model knows, by name. They are
// the contract types of CUAD, whose names they keep.
func All() []Type { return slices.Clone(all) }

var all = []Type{
	{"affiliate", "Affiliate", "One party sends customers or traffic to the other and is paid for it."},
	{"agency", "Agency", "One party acts for the other towards third parties."},
	{"co_branding", "Co-Branding", "Products or sites appear under the brands of both parties."},
	{"collaboration", "Collaboration", "The parties do research or business together and share what comes of it."},
	{"consulting", "Consulting", "One party advises the other."},
	{"development", "Development", "One party develops a product, software or property for the other, or both do."},
	{"distributor", "Distributor", "One party sells the goods of the other in its own name."},
	{"endorsement", "Endorsement", "A person of note lends name and image to a product."},
	{"franchise", "Franchise", "One party runs a business by the system and under the brand of the other."},
	{"hosting", "Hosting", "One party runs sites or software of the other on its machines."},
	{"ip", "IP", "Intellectual property is assigned, shared or settled."},
	{"joint_venture", "Joint Venture", "The parties found or hold a business together."},
	{"license", "License", "One party may use software, marks, patents or content of the other."},
	{"maintenance", "Maintenance", "One party keeps systems or equipment of the other in working order."},
	{"manufacturing", "Manufacturing", "One party makes products for the other."},
	{"marketing", "Marketing", "One party markets what the other offers."},
	{"non_compete", "Non-Compete", "A party binds itself not to compete or not to solicit."},
	{"outsourcing", "Outsourcing", "One party takes over functions of the other's business."},
	{"promotion", "Promotion", "The parties promote a product or a site."},
	{"reseller", "Reseller", "One party resells software or services of the other."},
	{"service", "Service", "One party renders services to the other."},
	{"sponsorship", "Sponsorship", "One party pays to be named with an event, a team or a site of the other."},
	{"strategic_alliance", "Strategic Alliance", "The parties cooperate for long, each with its own business."},
	{"supply", "Supply", "One party supplies goods to the other."},
	{"transportation", "Transportation", "One party carries goods, gas or oil for the other."},
}

// views are the feature sets of a model, each with a linear model of its own. The
// title of a contract nearly always names its type, and would keep a single model
// from learning from the text.
const (
	titleView = iota
	textView

	views
)

// Model predicts the document type of a contract. It is safe for concurrent use.
type Model struct {
	types      []string // in the order in which they were learned
	known      int      // how many of them the base knows; a layer may know more
	vocabulary *learn.Vocabulary
	weights    learn.Weights
	views      [views]learn.Calibration // units and bias alone
	titled     [views]float32           // what the views count for where there is a title
	untitled   float32                  // what the text counts for where there is none
	layer      *learn.Layer             // what a team decided, or nil
}

// Contract is one as a model of types reads it.
type Contract struct {
	Title string // what it calls itself; "" where it does not say
	Text  string // all of it
	// Language is that of the text, ISO 639-1; "" counts as one that the base reads.
	Language string
}

// subject returns the title of a contract or, of what is attached to another, what that is
// called, and whether it is attached.
func (t Contract) subject() (title string, attached bool) {
	title, attached = attachedTo(t.Title)
	if attached && title == "" {
		title = parentIn(t.Text)
	}
	return title, attached
}

// leastTitleTrust is the strength from which a title is that of the text, and
// not of another contract that it mentions.
const leastTitleTrust = 0.5

// NewContract takes from a text what a model of types reads, by the facts of it.
func NewContract(s *structure.Segmentation, facts fact.Attributes) Contract {
	t := Contract{Text: s.Text, Language: s.Language}
	for _, f := range facts.File {
		if f.Key == value.DocumentName && f.Strength >= leastTitleTrust {
			t.Title = f.Value.Name
		}
	}
	return t
}

// Score is how likely a type is.
type Score struct {
	Type        string  `json:"type"`
	Probability float64 `json:"probability"`
}

// Prediction is a model's prediction for one contract.
type Prediction struct {
	// Type is the likeliest type, "" where the model abstains: none is likelier
	// than all others together.
	Type   string
	Scores []Score // of all types, the likeliest first; they add up to 1
}

// threshold is the probability from which a contract is given a type.
const threshold = 0.5

// Types returns the ids of the types that the model knows.
func (m *Model) Types() []string { return slices.Clone(m.types) }

// Predict predicts the type of a contract, one of those that the caller has. A type
// that the model does not know is never predicted.
func (m *Model) Predict(t Contract, has func(id string) bool) Prediction {
	var p Prediction
	probabilities := m.probabilities(t)
	sum := 0.0
	for i, id := range m.types {
		if has(id) {
			p.Scores = append(p.Scores, Score{id, probabilities[i]})
			sum += probabilities[i]
		}
	}
	// A type that the caller has not is unlikely, not impossible: what is most
	// probably none of the caller's is given none, so the threshold is for the
	// probabilities before they are scaled.
	slices.SortStableFunc(p.Scores, func(a, b Score) int { return cmp.Compare(b.Probability, a.Probability) })
	if len(p.Scores) > 0 && p.Scores[0].Probability >= threshold {
		p.Type = p.Scores[0].Type
	}
	for i := range p.Scores {
		p.Scores[i].Probability /= max(sum, 1e-9)
	}
	return p
}

// probabilities returns how likely every type is; they add up to 1.
func (m *Model) probabilities(t Contract) []float64 {
	v := learn.NewVectorizer(m.vocabulary, &groupWeights).Vector(nil, featuresOf(t))
	trust := m.trust(t)
	if m.layer == nil {
		return m.base(v, trust)
	}
	sums := make([]float32, len(m.types))
	m.prior(v, trust, sums)
	m.layer.Add(v.Entries, sums)
	probabilities := make([]float64, len(sums))
	for i, sum := range sums {
		probabilities[i] = float64(sum)
	}
	softmax(probabilities)
	return probabilities
}

// base returns what the base makes of a contract, by type, as far as that is trusted.
func (m *Model) base(v learn.Vector, trust float64) []float64 {
	sums := make([]float64, m.known)
	for view, factor := range m.factors(v) {
		for i, margin := range m.margins(v, view) {
			sums[i] += float64(factor) * margin
		}
	}
	softmax(sums)
	for i := range sums {
		sums[i] = trust*sums[i] + (1-trust)/float64(len(sums))
	}
	return sums
}

// margins returns how far on its side of the boundary between a type and all
// others a view sees a contract, by type.
func (m *Model) margins(v learn.Vector, view int) []float64 {
	var sums learn.SlotSums
	m.weights.Add(v.Entries, &sums)
	c := &m.views[view]
	margins := make([]float64, m.known)
	for i := range margins {
		margins[i] = float64(float32(sums[view*m.known+i]*c.Units[i]) + c.Bias[i])
	}
	return margins
}

// factors says what each view counts for, which depends on whether there is a
// title with words that were seen before.
func (m *Model) factors(v learn.Vector) [views]float32 {
	if v.Own() == 0 {
		return [views]float32{textView: m.untitled}
	}
	return m.titled
}

// Evidence is words that count for a type, or against it.
type Evidence struct {
	Words  string  `json:"words"`  // as they are written, the first time
	Weight float64 `json:"weight"` // added to the logarithm of the odds; below 0 where they count against it
	Title  bool    `json:"title"`  // they are in the title, or in that of what the contract is attached to
}

// Explain lists the words of a contract that weigh most for one type or against
// it, at most n. A team's own type is explained by what the team taught alone.
func (m *Model) Explain(t Contract, id string, n int) []Evidence {
	at := slices.Index(m.types, id)
	if at < 0 {
		return nil
	}
	v := learn.NewVectorizer(m.vocabulary, &groupWeights).Vector(nil, featuresOf(t))
	factors := m.factors(v)
	found := map[int32]Evidence{}
	for i, e := range v.Entries {
		var weight float32
		if at < m.known {
			view := textView
			if i < v.Own() {
				view = titleView
			}
			weight = factors[view] * e.Value * m.weights.Of(e.Row, view*m.known+at) * m.views[view].Units[at]
		}
		if m.layer != nil {
			if w := m.layer.Weights(e.Row); w != nil {
				weight += e.Value * w[at]
			}
		}
		if weight != 0 {
			found[e.Row] = Evidence{Weight: float64(weight), Title: i < v.Own()}
		}
	}
	eachFeature(t, func(f learn.Feature, words string) {
		row := m.vocabulary.Row(f.Key)
		if e, ok := found[row]; ok && e.Words == "" {
			e.Words = strings.Join(strings.Fields(words), " ")
			found[row] = e
		}
	})
	list := make([]Evidence, 0, len(found))
	for _, e := range found {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b Evidence) int {
		return cmp.Or(cmp.Compare(abs(b.Weight), abs(a.Weight)), cmp.Compare(a.Words, b.Words), cmp.Compare(learn.Bit(b.Title), learn.Bit(a.Title)))
	})
	return list[:min(n, len(list))]
}

func abs(x float64) float64 { return max(x, -x) }
