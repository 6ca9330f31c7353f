package nlp

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
)

// every says that the caller has each type.
func every(string) bool { return true }

// newTypeText reads a contract from its text.
func newTypeText(text string) TypeText {
	s := structure.Segment(strings.Split(text, "\f"))
	return NewTypeText(s, fact.Read(s))
}

const franchise = `FRANCHISE AGREEMENT

This Franchise Agreement is made on March 1, 2020 by and between Burger Systems, Inc., a Delaware corporation ("Franchisor"), and Bob Miller ("Franchisee").

1. Grant. The Franchisor grants to the Franchisee the right to run one restaurant under the System and the Marks.

2. Royalty. The Franchisee shall pay to the Franchisor a royalty of 5% of the gross sales of the restaurant.
`

const letter = `Dear Anna,

we had a lovely time at the lake. The children swam all day and the weather was warm. I am sending you the photographs.
`

func TestBaseTypeModel(t *testing.T) {
	t.Parallel()
	m, err := BaseTypeModel()
	require.NoError(t, err)
	require.Len(t, m.Types(), len(DocumentTypes()))
	for _, d := range DocumentTypes() {
		require.Contains(t, m.Types(), d.ID)
	}

	text := newTypeText(franchise)
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

	require.Equal(t, "franchise", m.Predict(TypeText{Text: text.Text}, every).Type, "the text tells it without a title")
	require.Empty(t, m.Predict(newTypeText(letter), every).Type, "a letter is none of them")
	require.Empty(t, m.Predict(TypeText{}, every).Type)

	others := m.Predict(text, func(id string) bool { return id != "franchise" })
	require.Empty(t, others.Type, "to a team without the type, it is of no type")
	require.Len(t, others.Scores, len(DocumentTypes())-1)
	require.Empty(t, m.Predict(text, func(string) bool { return false }).Scores)
}

func TestExplainType(t *testing.T) {
	t.Parallel()
	m, err := BaseTypeModel()
	require.NoError(t, err)
	text := newTypeText(franchise)
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

func TestAdaptTypes(t *testing.T) {
	t.Parallel()
	base, err := BaseTypeModel()
	require.NoError(t, err)
	nda := func(name string) TypeText {
		return newTypeText("CONFIDENTIALITY AGREEMENT\n\nThis Confidentiality Agreement is made between " + name +
			" and Acme, Inc. The Recipient shall keep the Confidential Information of the Discloser secret and shall return it on request.\n")
	}
	var assigned []TypeExample
	for _, name := range []string{"Alpha LLC", "Beta Corp.", "Gamma GmbH", "Delta Ltd."} {
		assigned = append(assigned, TypeExample{nda(name), "nda"}, TypeExample{newTypeText(strings.ReplaceAll(franchise, "Burger", name)), "franchise"})
	}
	team, err := base.Adapt(assigned)
	require.NoError(t, err)
	require.Contains(t, team.Types(), "nda")
	require.NotContains(t, base.Types(), "nda", "the base stays as it is")
	require.Equal(t, "nda", team.Predict(nda("Epsilon SA"), every).Type)
	require.Equal(t, "franchise", team.Predict(newTypeText(franchise), every).Type)
	require.NotEmpty(t, team.Explain(nda("Epsilon SA"), "nda", 3))

	again, err := team.Adapt(assigned)
	require.NoError(t, err)
	require.Equal(t, team, again, "from its base, not on top of what was learned before")

	_, err = base.Adapt(nil)
	require.Error(t, err)
}

func TestTypeModelBytes(t *testing.T) {
	t.Parallel()
	base, err := BaseTypeModel()
	require.NoError(t, err)
	team, err := base.Adapt([]TypeExample{{newTypeText(letter), "letter"}})
	require.NoError(t, err)
	for _, m := range []*TypeModel{base, team} {
		data, err := m.AppendBinary(nil)
		require.NoError(t, err)
		read, err := ParseTypeModel(data)
		require.NoError(t, err)
		require.Equal(t, m.Predict(newTypeText(franchise), every), read.Predict(newTypeText(franchise), every))
		for _, at := range []int{0, len(typeModelFormat), len(data) / 2, len(data) - 1} {
			damaged := append([]byte(nil), data...)
			damaged[at] ^= 1
			_, err := ParseTypeModel(damaged)
			require.Error(t, err)
		}
	}
	_, err = ParseTypeModel(baseModel)
	require.Error(t, err, "a model of another sort")
	require.Less(t, len(baseTypeModel), 3<<20)
}

// FuzzParseTypeModel holds the parser to its promise: an error or a model that
// works, whatever the bytes.
func FuzzParseTypeModel(f *testing.F) {
	few, err := TrainTypes(f.Context(), []string{"a", "b"}, []TypeExample{
		{TypeText{"Sale Agreement", "The Seller sells."}, "a"}, {TypeText{"Sale Agreement", "The Seller sells goods."}, "a"},
		{TypeText{"Lease Agreement", "The Lessor leases."}, "b"}, {TypeText{"Lease Agreement", "The Lessor leases land."}, "b"},
		{TypeText{"", "The Seller sells to the Lessor."}, "a"},
	})
	require.NoError(f, err)
	team, err := few.Adapt([]TypeExample{{TypeText{"Sale", "Seller"}, "c"}})
	require.NoError(f, err)
	for _, m := range []*TypeModel{few, team} {
		data, err := m.AppendBinary(nil)
		require.NoError(f, err)
		f.Add(data[len(typeModelFormat):len(data)-4], "Sale Agreement", "The Seller sells this Lease Agreement.")
	}
	f.Fuzz(func(t *testing.T, body []byte, title, text string) {
		m, err := parseTypeModel(body)
		if err != nil {
			return
		}
		p := m.Predict(TypeText{title, text}, every)
		require.Len(t, p.Scores, len(m.types))
		m.Explain(TypeText{title, text}, m.types[0], 10)
	})
}

// TestTitlesTeachTexts reads a text by what it calls the contract. The texts that
// were learned from mention either type alike: only their titles tell.
func TestTitlesTeachTexts(t *testing.T) {
	t.Parallel()
	var examples []TypeExample
	for _, other := range []string{"Sale", "Lease", "Sale", "Lease", "Sale", "Lease"} {
		text := " It goes beside any " + other + " Agreement of theirs."
		examples = append(examples,
			TypeExample{TypeText{"SALE AGREEMENT", "The goods pass." + text}, "sale"},
			TypeExample{TypeText{"LEASE AGREEMENT", "The land stays." + text}, "lease"})
	}
	m, err := TrainTypes(t.Context(), []string{"sale", "lease"}, examples)
	require.NoError(t, err)
	require.Equal(t, "sale", m.Predict(TypeText{Text: "They keep to this Sale Agreement."}, every).Scores[0].Type)
	require.Equal(t, "lease", m.Predict(TypeText{Text: "They keep to this Lease Agreement."}, every).Scores[0].Type)
}

// TestStemsTellTypes reads texts by forms of words that no text had that was
// learned from.
func TestStemsTellTypes(t *testing.T) {
	t.Parallel()
	opening := strings.Repeat("It is agreed. ", 250)
	var examples []TypeExample
	for _, ending := range []string{"es", "ed", "er", "es", "ed", "er"} {
		examples = append(examples,
			TypeExample{TypeText{Text: opening + "They purchas" + ending + " by the day."}, "sale"},
			TypeExample{TypeText{Text: opening + "They leas" + ending + " by the day."}, "lease"})
	}
	m, err := TrainTypes(t.Context(), []string{"sale", "lease"}, examples)
	require.NoError(t, err)
	require.Equal(t, "sale", m.Predict(TypeText{Text: "It is about purchasing."}, every).Scores[0].Type)
	require.Equal(t, "lease", m.Predict(TypeText{Text: "It is about leasing."}, every).Scores[0].Type)
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

func TestTrainTypes(t *testing.T) {
	t.Parallel()
	_, err := TrainTypes(t.Context(), []string{"a"}, nil)
	require.Error(t, err)
	_, err = TrainTypes(t.Context(), []string{"a", "b"}, make([]TypeExample, 10))
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
	for _, d := range DocumentTypes() {
		ids[d.Name] = d.ID
		types = append(types, d.ID)
	}
	var examples []TypeExample
	for _, c := range nlptest.Contracts(t) {
		examples = append(examples, TypeExample{newTypeText(c.Text), ids[c.Type]})
	}
	metrics, err := CrossValidateTypes(t.Context(), types, examples, func(t TypeText) TypeText {
		return TypeText{Text: string([]rune(t.Text)[min(3000, utf8.RuneCountInString(t.Text)):])}
	})
	require.NoError(t, err)
	m, headless := metrics[0], metrics[1]
	t.Logf("accuracy %.3f, macro F1 %.3f, given %.3f, right %.3f, without the head %.3f", m.Accuracy, m.MacroF1, m.Given, m.Right, headless.Accuracy)
	require.Greater(t, m.Accuracy, 0.95)
	require.Greater(t, m.MacroF1, 0.92)
	require.Less(t, m.CalibrationError, 0.03)
	require.Greater(t, headless.Accuracy, 0.70)
}
