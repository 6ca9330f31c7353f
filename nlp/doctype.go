package nlp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// DocumentType is a sort of contract.
type DocumentType struct {
	ID          string `json:"id"` // stable; what models and stores know it by
	Name        string `json:"name"`
	Description string `json:"description"`
}

// DocumentTypes returns the types that the base model knows, by name. They are
// the contract types of CUAD, whose names they keep.
func DocumentTypes() []DocumentType { return slices.Clone(documentTypes) }

var documentTypes = []DocumentType{
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

// typeViews are the ways in which a model looks at contracts, each learned on
// its own. The title of a contract all but names its type, and would keep a
// model from learning what its text tells.
const (
	titleView = iota
	textView

	typeViews
)

// TypeModel tells what type of contract a text is. It is safe for use by several
// goroutines at once.
type TypeModel struct {
	types      []string // in the order in which they were learned
	known      int      // how many of them the base knows; a layer may know more
	vocabulary *vocabulary
	weights    weights
	views      [typeViews]calibration // units and bias alone
	titled     [typeViews]float32     // what the views count for where there is a title
	untitled   float32                // what the text counts for where there is none
	layer      *layer                 // what a team decided, or nil
}

// TypeText is a contract as a model of types reads it.
type TypeText struct {
	Title string // what it calls itself; "" where it does not say
	Text  string // all of it
}

// leastTitleTrust is the confidence from which a title is that of the text, and
// not of another contract that it mentions.
const leastTitleTrust = 0.5

// NewTypeText takes from a text what a model of types reads, by the facts of it.
func NewTypeText(s *structure.Segmentation, facts fact.Attributes) TypeText {
	t := TypeText{Text: s.Text}
	for _, f := range facts.File {
		if f.Key == value.DocumentName && f.Confidence >= leastTitleTrust {
			t.Title = f.Value.Name
		}
	}
	return t
}

// TypeScore is how likely a type is.
type TypeScore struct {
	Type        string  `json:"type"`
	Probability float64 `json:"probability"`
}

// TypePrediction is what a model says of one contract.
type TypePrediction struct {
	// Type is the likeliest type, "" where the model abstains: none is likelier
	// than all others together.
	Type   string
	Scores []TypeScore // of all types, the likeliest first; they add up to 1
}

// typeBorder is the probability from which a contract is given a type.
const typeBorder = 0.5

// Types returns the ids of the types that the model knows.
func (m *TypeModel) Types() []string { return slices.Clone(m.types) }

// Predict tells the type of a contract, one of those that the caller has. A type
// that the model does not know is never predicted.
func (m *TypeModel) Predict(t TypeText, has func(id string) bool) TypePrediction {
	var p TypePrediction
	probabilities := m.probabilities(t)
	sum := 0.0
	for i, id := range m.types {
		if has(id) {
			p.Scores = append(p.Scores, TypeScore{id, probabilities[i]})
			sum += probabilities[i]
		}
	}
	// A type that the caller has not is unlikely, not impossible: what is most
	// probably none of the caller's is given none, so the border is for the
	// probabilities before they are scaled.
	slices.SortStableFunc(p.Scores, func(a, b TypeScore) int { return cmp.Compare(b.Probability, a.Probability) })
	if len(p.Scores) > 0 && p.Scores[0].Probability >= typeBorder {
		p.Type = p.Scores[0].Type
	}
	for i := range p.Scores {
		p.Scores[i].Probability /= max(sum, 1e-9)
	}
	return p
}

// probabilities returns how likely every type is; they add up to 1.
func (m *TypeModel) probabilities(t TypeText) []float64 {
	v := newVectorizer(m.vocabulary, &typeGroupWeights).vector(nil, typeFeatures(t))
	if m.layer == nil {
		return m.base(v)
	}
	sums := make([]float32, len(m.types))
	m.prior(v, sums)
	m.layer.add(v.entries, sums)
	probabilities := make([]float64, len(sums))
	for i, sum := range sums {
		probabilities[i] = float64(sum)
	}
	softmax(probabilities)
	return probabilities
}

// base returns what the base makes of a contract, by type.
func (m *TypeModel) base(v vector) []float64 {
	sums := make([]float64, m.known)
	for view, factor := range m.factors(v) {
		for i, margin := range m.margins(v, view) {
			sums[i] += float64(factor) * margin
		}
	}
	softmax(sums)
	return sums
}

// margins returns how far on its side of the border between a type and all
// others a view sees a contract, by type.
func (m *TypeModel) margins(v vector, view int) []float64 {
	var sums slotSums
	m.weights.add(v.entries, &sums)
	c := &m.views[view]
	margins := make([]float64, m.known)
	for i := range margins {
		margins[i] = float64(float32(sums[view*m.known+i]*c.units[i]) + c.bias[i])
	}
	return margins
}

// factors says what each view counts for, which depends on whether there is a
// title with words that were seen before.
func (m *TypeModel) factors(v vector) [typeViews]float32 {
	if v.own == 0 {
		return [typeViews]float32{textView: m.untitled}
	}
	return m.titled
}

// TypeEvidence is words that speak for a type, or against it.
type TypeEvidence struct {
	Words  string  `json:"words"`  // as they stand, the first time
	Weight float64 `json:"weight"` // added to the logarithm of the odds; below 0 where they speak against it
	Title  bool    `json:"title"`  // they stand in the title
}

// Explain lists the words of a contract that weigh most for one type or against
// it, at most n. A team's own type is explained by what the team taught alone.
func (m *TypeModel) Explain(t TypeText, id string, n int) []TypeEvidence {
	at := slices.Index(m.types, id)
	if at < 0 {
		return nil
	}
	v := newVectorizer(m.vocabulary, &typeGroupWeights).vector(nil, typeFeatures(t))
	factors := m.factors(v)
	found := map[int32]TypeEvidence{}
	for i, e := range v.entries {
		var weight float32
		if at < m.known {
			view := textView
			if i < v.own {
				view = titleView
			}
			weight = factors[view] * e.value * m.weights.of(e.row, view*m.known+at) * m.views[view].units[at]
		}
		if m.layer != nil {
			if w := m.layer.weights(e.row); w != nil {
				weight += e.value * w[at]
			}
		}
		if weight != 0 {
			found[e.row] = TypeEvidence{Weight: float64(weight), Title: i < v.own}
		}
	}
	eachTypeFeature(t, func(f feature, words string) {
		row := m.vocabulary.row(f.key)
		if e, ok := found[row]; ok && e.Words == "" {
			e.Words = strings.Join(strings.Fields(words), " ")
			found[row] = e
		}
	})
	list := make([]TypeEvidence, 0, len(found))
	for _, e := range found {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b TypeEvidence) int {
		return cmp.Or(cmp.Compare(abs(b.Weight), abs(a.Weight)), cmp.Compare(a.Words, b.Words), cmp.Compare(bit(b.Title), bit(a.Title)))
	})
	return list[:min(n, len(list))]
}

func abs(x float64) float64 { return max(x, -x) }

// of returns the weight of a row for one slot, in the slot's units.
func (w *weights) of(row int32, slot int) float32 {
	for _, p := range w.packed[w.starts[row]:w.starts[row+1]] {
		if int(p.slot()) == slot {
			return float32(p.value())
		}
	}
	return 0
}
