package answer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/answer"
	"github.com/clausemill/clausemill/nlp"
)

// text is a contract in two pages, each of its lines a sentence.
const text = "1. Law\nThis Agreement is governed by the laws of Ohio.\n2. Liability\nThe liability of each party is limited\nto the fees paid.\fThe Tenant may keep bees on the roof."

// contract is text as it is read, with labels of its sentences.
func contract(text string, labels map[string]answer.Label) *answer.Document {
	var sentences []answer.Sentence
	for _, s := range []string{"This Agreement is governed by the laws of Ohio.", "The liability of each party is limited\nto the fees paid.", "The Tenant may keep bees on the roof."} {
		at := strings.Index(text, s)
		if at < 0 {
			at = 0
		}
		one := answer.Sentence{Span: nlp.Span{Start: at, End: at + len(s)}, ID: s[:8], Page: 1 + strings.Count(text[:at], "\f"), Text: strings.ReplaceAll(s, "\n", " ")}
		if l, ok := labels[s[:8]]; ok {
			one.Labels = []answer.Label{l}
		}
		sentences = append(sentences, one)
	}
	law := strings.Index(text, "Ohio")
	facts := []answer.Read{
		{Key: "governing_law", Value: "Ohio", Confidence: 0.9, Places: []answer.Place{{Span: nlp.Span{Start: law, End: law + 4}, Page: 1, Quote: "Ohio"}}},
		{Key: "expiration_date", Value: "never", Confidence: 1}, // by a person, without a place
	}
	sections := []answer.Section{
		{Span: nlp.Span{Start: 0, End: strings.Index(text, "2. ")}, Number: "1.", Title: "Law"},
		{Span: nlp.Span{Start: strings.Index(text, "2. "), End: len(text)}, Number: "2.", Title: "Liability"},
	}
	return answer.NewDocument("file", text, sentences, sections, facts)
}

func TestAsk(t *testing.T) {
	t.Parallel()
	own := []answer.Topic{{Name: "Bee keeping", Node: "bee_keeping"}}
	for question, want := range map[string]string{
		"When does it end?":                  "fact Expiration date",
		"is LIABILITY capped":                "fact Cap on liability",
		"Can they compete with us?":          "clause Non-compete",
		"Is bee-keeping allowed?":            "clause Bee keeping",
		"How much is the monthly rent?":      "fact Rent",
		"Who waters the plants?":             "passages",
		"":                                   "passages",
		"What changed in the governing law?": "difference Governing law",
		"How does the licence differ from the reference":                  "difference License grant",
		"What happens on a change of control?":                            "clause Change of control",
		"Which contracts are governed by Delaware law?":                   "documents Governing law",
		"How many agreements expire this year?":                           "documents Expiration date",
		"What is the law of these agreements, and the term of agreements": "fact Expiration date",
	} {
		q := answer.Ask(question, own)
		got := []string{string(q.Kind)}
		for _, topic := range q.Topics {
			got = append(got, topic.Name)
		}
		require.Equal(t, want, strings.Join(got, " "), question)
	}
}

// TestBeside quotes what comes near beside what answers, and not instead of it; and clauses
// that have the label of what is near to them.
func TestBeside(t *testing.T) {
	t.Parallel()
	near := answer.NewClosest("insurance", ptr(0.1))
	labels := map[string]answer.Label{"This Agr": near, "The Tena": near}
	question := answer.Ask("What insurance is required?", nil)
	alone := contract(text, labels).Answer(question)
	require.False(t, alone.Found, alone.Message())

	labels["The liab"] = answer.NewLabel("insurance", nil, true)
	beside := contract(text, labels).Answer(question)
	require.Len(t, beside.Sentences, 3)
	require.Equal(t, "“The liability of each party is limited to the fees paid.”", beside.Sentences[0].Text)

	const exception = "No limitation of liability applies to gross negligence, except that unlimited indemnification is excluded."
	capped := answer.Sentence{Span: nlp.Span{End: len(exception)}, ID: "1", Page: 1, Text: exception, Labels: []answer.Label{answer.NewLabel("cap_on_liability", nil, true)}}
	question = answer.Ask("For which breaches does the cap not apply?", nil)
	require.True(t, answer.NewDocument("file", exception, []answer.Sentence{capped}, nil, nil).Answer(question).Found)
	capped.Labels = nil
	require.False(t, answer.NewDocument("file", exception, []answer.Sentence{capped}, nil, nil).Answer(question).Found)
}

func ptr(f float32) *float32 { return &f }

func TestAnswer(t *testing.T) {
	t.Parallel()
	d := contract(text, map[string]answer.Label{"The liab": answer.NewLabel("cap_on_liability", nil, true)})

	law := d.Answer(answer.Ask("Which law governs this?", nil))
	require.True(t, law.Found)
	require.Equal(t, "Governing law: Ohio", law.Sentences[0].Text)
	require.Equal(t, answer.Citation{
		FileID: "file", SentenceID: "This Agr", Span: nlp.Span{Start: 7, End: 54}, Page: 1, Section: "1. Law", Quote: "This Agreement is governed by the laws of Ohio.",
	}, law.Sentences[0].Citations[0])
	require.Equal(t, "Governing law: Ohio: “This Agreement is governed by the laws of Ohio.” (page 1, 1. Law)", law.Message())

	capped := d.Answer(answer.Ask("Is liability capped?", nil))
	require.Equal(t, "“The liability of each party is limited to the fees paid.”", capped.Sentences[0].Text)
	require.Equal(t, "The liability of each party is limited\nto the fees paid.", capped.Sentences[0].Citations[0].Quote)

	// A field that the team has declared is asked for by its name, and told by it.
	d.Facts = append(d.Facts, answer.Read{Key: "roof_rule", Value: "bees only", Confidence: 0.9, Places: []answer.Place{{Span: nlp.Span{Start: strings.Index(text, "bees"), End: strings.Index(text, "bees") + 4}, Page: 2, Quote: "bees"}}})
	own := d.Answer(answer.Ask("What is the use of the roof?", []answer.Topic{{Name: "Roof use", Keys: []string{"roof_rule"}}}))
	require.Equal(t, []any{answer.Fact, "Roof use: bees only"}, []any{own.Kind, own.Sentences[0].Text})

	bees := d.Answer(answer.Ask("Are bees allowed on the roof?", nil))
	require.Equal(t, answer.Passages, bees.Kind)
	require.Equal(t, 2, bees.Sentences[0].Citations[0].Page)

	nothing := d.Answer(answer.Ask("Who pays for the bees, wasps and hornets in the cellar?", nil))
	require.False(t, nothing.Found)
	require.Empty(t, nothing.Sentences)
	require.Len(t, nothing.Nearest, 1)
	require.True(t, strings.HasPrefix(nothing.Message(), "Nothing in this document says so.\nThe nearest passages:\n“"), nothing.Message())

	french := d.Answer(answer.Ask("Quelle est la loi, et qui sont les parties ?", nil))
	require.False(t, french.Found)
	require.Contains(t, french.Notice, "Questions are read in English")
	require.NotEmpty(t, french.Nearest)

	strange := d.Answer(answer.Ask("Wann endet dieser Vertrag?", nil))
	require.False(t, strange.Found)
	require.Equal(t, "Nothing in this document says so.\nIt has none of the words of the question: ask in its language, or in other words.", strange.Message())

	// What a person set without a place cannot be shown, and so it is not said.
	require.False(t, d.Answer(answer.Ask("When does it expire?", nil)).Found)
}

// TestQuotesStand has a text that was read anew: what was stored of the old one is not said.
func TestQuotesStand(t *testing.T) {
	t.Parallel()
	d := contract(text, nil)
	moved := answer.NewDocument("file", strings.Replace(text, "Law", "Applicable law", 1), d.Sentences, nil, d.Facts)
	for _, question := range []string{"Which law governs this?", "Are bees allowed on the roof?"} {
		require.True(t, d.Answer(answer.Ask(question, nil)).Found, question)
		got := moved.Answer(answer.Ask(question, nil))
		require.False(t, got.Found, question)
		require.Empty(t, got.Nearest)
	}
	short := answer.NewDocument("file", "1.", d.Sentences, nil, d.Facts)
	require.False(t, short.Answer(answer.Ask("Which law governs this?", nil)).Found)
}

func TestDifference(t *testing.T) {
	t.Parallel()
	labels := map[string]answer.Label{"The liab": answer.NewLabel("cap_on_liability", nil, true)}
	here, there := contract(text, labels), contract(text, labels)
	same := here.Difference(answer.Ask("What changed in the cap on liability?", nil), there)
	require.Len(t, same.Sentences, 1)
	require.Contains(t, same.Sentences[0].Text, "Both documents say: “The liability")
	require.Len(t, same.Sentences[0].Citations, 2)

	there = answer.NewDocument("reference", text, there.Sentences[:1], nil, nil)
	gone := here.Difference(answer.Ask("What changed in the cap on liability?", nil), there)
	require.Equal(t, "Only this document says: “The liability of each party is limited to the fees paid.”", gone.Sentences[0].Text)
	gone = there.Difference(answer.Ask("What changed?", nil), here)
	require.Len(t, gone.Sentences, 2)
	require.Contains(t, gone.Sentences[1].Text, "Only the reference says: “The Tenant")
	require.False(t, here.Difference(answer.Ask("What changed?", nil), here).Found)
	require.Contains(t, here.Difference(answer.Ask("What changed?", nil), here).Message(), "do not differ")
}
