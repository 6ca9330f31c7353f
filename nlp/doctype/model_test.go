package doctype

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/learn"
	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
)

// every says that the caller has each type.
func every(string) bool { return true }

// newText reads a contract from its text.
func newText(text string) Contract {
	s := structure.Segment(strings.Split(text, "\f"))
	return NewContract(s, fact.Read(s))
}

const franchise = `FRANCHISE AGREEMENT

This Franchise Agreement is made on March 1, 2020 by and between Burger Systems, Inc., a Delaware corporation ("Franchisor"), and Bob Miller ("Franchisee").

1. Grant. The Franchisor grants to the Franchisee the right to run one restaurant under the System and the Marks.

2. Royalty. The Franchisee shall pay to the Franchisor a royalty of 5% of the gross sales of the restaurant.
`

const letter = `Dear Anna,

we had a lovely time at the lake. The children swam all day and the weather was warm. I am sending you the photographs.
`

func TestBase(t *testing.T) {
	t.Parallel()
	m, err := Base()
	require.NoError(t, err)
	require.Len(t, m.Types(), len(All()))
	for _, d := range All() {
		require.Contains(t, m.Types(), d.ID)
	}

	text := newText(franchise)
	require.Equal(t, "FRANCHISE AGREEMENT", text.Title)
	p := m.Predict(text, every)
	require.Equal(t, "franchise", p.Type)
	require.Greater(t, p.Scores[0].Probability, 0.9)
	sum := 0.0
	for i, s := range p.Scores {
		sum += s.Probability
		require.True(t, i == 0 || s.Probability <= p.Scores[i-1].Probability, "the likeliest first")
	}
	require.InDelta(t, 1, sum, 1e-6)

	require.Equal(t, "franchise", m.Predict(Contract{Text: text.Text}, every).Type, "the text tells it without a title")
	require.Empty(t, m.Predict(newText(letter), every).Type, "a letter is none of them")
	require.Empty(t, m.Predict(Contract{}, every).Type)

	others := m.Predict(text, func(id string) bool { return id != "franchise" })
	require.Empty(t, others.Type, "to a team without the type, it is of no type")
	require.Len(t, others.Scores, len(All())-1)
	require.Empty(t, m.Predict(text, func(string) bool { return false }).Scores)
}

func TestExplain(t *testing.T) {
	t.Parallel()
	m, err := Base()
	require.NoError(t, err)
	text := newText(franchise)
	words := m.Explain(text, "franchise", 5)
	require.Len(t, words, 5)
	require.Contains(t, strings.ToLower(words[0].Words), "franchise")
	require.Positive(t, words[0].Weight)
	for i, w := range words {
		require.Contains(t, strings.Join(strings.Fields(text.Title+" "+text.Text), " "), w.Words)
		require.NotZero(t, w.Weight)
		require.True(t, i == 0 || abs(w.Weight) <= abs(words[i-1].Weight), "the heaviest first")
	}
	require.Negative(t, m.Explain(text, "agency", 1)[0].Weight, "the title speaks against another type")
	require.Empty(t, m.Explain(text, "no such type", 5))
}

func TestAdapt(t *testing.T) {
	t.Parallel()
	base, err := Base()
	require.NoError(t, err)
	nda := func(name string) Contract {
		return newText("CONFIDENTIALITY AGREEMENT\n\nThis Confidentiality Agreement is made between " + name +
			" and Acme, Inc. The Recipient shall keep the Confidential Information of the Discloser secret and shall return it on request.\n")
	}
	var assigned []Example
	for _, name := range []string{"Alpha LLC", "Beta Corp.", "Gamma GmbH", "Delta Ltd."} {
		assigned = append(assigned, Example{nda(name), "nda"}, Example{newText(strings.ReplaceAll(franchise, "Burger", name)), "franchise"})
	}
	team, err := base.Adapt(assigned)
	require.NoError(t, err)
	require.Contains(t, team.Types(), "nda")
	require.NotContains(t, base.Types(), "nda", "the base stays as it is")
	require.Equal(t, "nda", team.Predict(nda("Epsilon SA"), every).Type)
	require.Equal(t, "franchise", team.Predict(newText(franchise), every).Type)
	require.NotEmpty(t, team.Explain(nda("Epsilon SA"), "nda", 3))

	again, err := team.Adapt(assigned)
	require.NoError(t, err)
	require.Equal(t, team, again, "from its base, not on top of what was learned before")

	_, err = base.Adapt(nil)
	require.Error(t, err)
}

func TestModelBytes(t *testing.T) {
	t.Parallel()
	base, err := Base()
	require.NoError(t, err)
	team, err := base.Adapt([]Example{{newText(letter), "letter"}})
	require.NoError(t, err)
	for _, m := range []*Model{base, team} {
		data, err := m.AppendBinary(nil)
		require.NoError(t, err)
		read, err := Parse(data)
		require.NoError(t, err)
		require.Equal(t, m.Predict(newText(franchise), every), read.Predict(newText(franchise), every))
		for _, at := range []int{0, len(format), len(data) / 2, len(data) - 1} {
			damaged := append([]byte(nil), data...)
			damaged[at] ^= 1
			_, err := Parse(damaged)
			require.Error(t, err)
		}
	}
	labels, err := os.ReadFile("../label/base.model")
	require.NoError(t, err)
	_, err = Parse(labels)
	require.Error(t, err, "a model of another sort")
	require.Less(t, len(baseBytes), 3<<20)
}

// FuzzParse holds the parser to its promise: an error or a model that
// works, whatever the bytes.
func FuzzParse(f *testing.F) {
	few, err := Train(f.Context(), []string{"a", "b"}, []Example{
		{Contract{Title: "Sale Agreement", Text: "The Seller sells."}, "a"}, {Contract{Title: "Sale Agreement", Text: "The Seller sells goods."}, "a"},
		{Contract{Title: "Lease Agreement", Text: "The Lessor leases."}, "b"}, {Contract{Title: "Lease Agreement", Text: "The Lessor leases land."}, "b"},
		{Contract{Title: "", Text: "The Seller sells to the Lessor."}, "a"},
	})
	require.NoError(f, err)
	team, err := few.Adapt([]Example{{Contract{Title: "Sale", Text: "Seller"}, "c"}})
	require.NoError(f, err)
	for _, m := range []*Model{few, team} {
		data, err := m.AppendBinary(nil)
		require.NoError(f, err)
		f.Add(data[len(format):len(data)-4], "Sale Agreement", "The Seller sells this Lease Agreement.")
	}
	f.Fuzz(func(t *testing.T, body []byte, title, text string) {
		m, err := learn.ParseBody(body, read)
		if err != nil {
			return
		}
		p := m.Predict(Contract{Title: title, Text: text}, every)
		require.Len(t, p.Scores, len(m.types))
		m.Explain(Contract{Title: title, Text: text}, m.types[0], 10)
	})
}

// TestTitlesTeachTexts reads a text by what it calls the contract. The texts that
// were learned from mention either type alike: only their titles tell.
func TestTitlesTeachTexts(t *testing.T) {
	t.Parallel()
	var examples []Example
	for _, other := range []string{"Sale", "Lease", "Sale", "Lease", "Sale", "Lease"} {
		text := " It goes beside any " + other + " Agreement of theirs."
		examples = append(examples,
			Example{Contract{Title: "SALE AGREEMENT", Text: "The goods pass." + text}, "sale"},
			Example{Contract{Title: "LEASE AGREEMENT", Text: "The land stays." + text}, "lease"})
	}
	m, err := Train(t.Context(), []string{"sale", "lease"}, examples)
	require.NoError(t, err)
	require.Equal(t, "sale", m.Predict(Contract{Text: "They keep to this Sale Agreement."}, every).Scores[0].Type)
	require.Equal(t, "lease", m.Predict(Contract{Text: "They keep to this Lease Agreement."}, every).Scores[0].Type)
}

// TestStemsTellTypes reads texts by forms of words that no text had that was
// learned from.
func TestStemsTellTypes(t *testing.T) {
	t.Parallel()
	opening := strings.Repeat("It is agreed. ", 250)
	var examples []Example
	for _, ending := range []string{"es", "ed", "er", "es", "ed", "er"} {
		examples = append(examples,
			Example{Contract{Text: opening + "They purchas" + ending + " by the day."}, "sale"},
			Example{Contract{Text: opening + "They leas" + ending + " by the day."}, "lease"})
	}
	m, err := Train(t.Context(), []string{"sale", "lease"}, examples)
	require.NoError(t, err)
	require.Equal(t, "sale", m.Predict(Contract{Text: "It is about purchasing."}, every).Scores[0].Type)
	require.Equal(t, "lease", m.Predict(Contract{Text: "It is about leasing."}, every).Scores[0].Type)
}

func TestStemLength(t *testing.T) {
	t.Parallel()
	for word, stem := range map[string]string{
		"": "", "s": "s", "uses": "uses", "trees": "tree", "Franchisees": "Franchis", "FRANCHISING": "FRANCHIS", "licenses": "licens",
		"parties": "part", "transportation": "transport", "Sponsors": "Spons", "goods": "good", "rings": "ring", "müller": "müll",
	} {
		require.Equal(t, stem, word[:stemLength(word)], word)
	}
}

func TestTrain(t *testing.T) {
	t.Parallel()
	_, err := Train(t.Context(), []string{"a"}, nil)
	require.Error(t, err)
	_, err = Train(t.Context(), []string{"a", "b"}, make([]Example, 10))
	require.Error(t, err, "of a type that is not learned")
}

// TestTypesOfContracts holds the model to what it promises of contracts that it
// has not seen.
func TestTypesOfContracts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("trains five times")
	}
	ids := map[string]string{}
	var types []string
	for _, d := range All() {
		ids[d.Name] = d.ID
		types = append(types, d.ID)
	}
	var examples []Example
	for _, c := range nlptest.Contracts(t) {
		examples = append(examples, Example{newText(c.Text), ids[c.Type]})
	}
	metrics, err := CrossValidate(t.Context(), types, examples, func(t Contract) Contract {
		return Contract{Text: string([]rune(t.Text)[min(3000, utf8.RuneCountInString(t.Text)):])}
	})
	require.NoError(t, err)
	m, headless := metrics[0], metrics[1]
	t.Logf("accuracy %.3f, macro F1 %.3f, given %.3f, right %.3f, without the head %.3f", m.Accuracy, m.MacroF1, m.Given, m.Right, headless.Accuracy)
	require.Greater(t, m.Accuracy, 0.95)
	require.Greater(t, m.MacroF1, 0.92)
	require.Less(t, m.CalibrationError, 0.03)
	require.Greater(t, headless.Accuracy, 0.70)
}

// TestTrainIsCancelled ends trainings before they begin.
func TestTrainIsCancelled(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	types := make([]Example, 10)
	for i := range types {
		types[i] = Example{Contract{Text: "Supply of goods"}, []string{"a", "b"}[i%2]}
	}
	_, err := Train(ended, []string{"a", "b"}, types)
	require.ErrorIs(t, err, cause)
	_, err = CrossValidate(ended, []string{"a", "b"}, types)
	require.ErrorIs(t, err, cause)
}
