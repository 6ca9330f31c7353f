package field_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/field"
	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
)

// These contracts are made up here.
var (
	names   = []string{"Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Ginkgo", "Hazel", "Ivy", "Juniper", "Koa", "Larch", "Maple", "Nutmeg", "Oak", "Pine"}
	notices = []string{"Either party may end this Agreement by notice of %d days.", "The term renews unless a party gives %d days' notice before it ends.", "Notice of non-renewal shall be given %d days before the end of the term."}
	fees    = []string{"The Customer shall pay a yearly fee of $%d,000.00 to the Supplier.", "The yearly fee is $%d,000.00 and falls due in January."}
	laws    = []string{"Germany", "Austria", "Switzerland"}
)

// answers are what a contract says of each field.
type answers struct{ supplier, notice, fee, date, law string }

// contract is the text of contract n, with the words that answer.
func contract(n int) (string, answers) {
	a := answers{names[n%len(names)] + " Trading Ltd.", strconv.Itoa(20 + 5*n), fmt.Sprintf("$%d,000.00", 3+n), fmt.Sprintf("%d March 2019", 1+n), laws[n%len(laws)]}
	return strings.Join([]string{
		"SUPPLY AGREEMENT", "",
		"This Agreement is made on " + a.date + " between " + a.supplier + ", the Supplier, and Weevil Foods Inc., the Customer. It replaces the agreement of 2 May 2001.", "",
		"1. Delivery", "The Supplier shall deliver the goods within 14 days of each order. Complaints are made within 7 days. Goods that are late cost $500.00 a day.", "",
		"2. Fees", fmt.Sprintf(fees[n%len(fees)], 3+n) + " Invoices are paid within 30 days. Interest is 4 % a year.", "",
		"3. Term", "This Agreement lasts for 3 years. " + fmt.Sprintf(notices[n%len(notices)], 20+5*n), "",
		"4. Insurance", "The Supplier shall be insured for $2,000,000.00 with an insurer in Switzerland or Austria.", "",
		"5. Governing Law", "This Agreement is governed by the laws of " + a.law + ". Venue is Germany.",
	}, "\n"), a
}

var questions = map[string]field.Question{
	"supplier": {Kind: field.Text, Words: []string{"Supplier", "Who supplies the goods?"}},
	"notice":   {Kind: field.Number, Words: []string{"Notice", "How many days of notice end the contract?"}},
	"fee":      {Kind: field.Money, Words: []string{"Fee", "What is paid a year?"}},
	"date":     {Kind: field.Date, Words: []string{"Signing", "When was it made?"}},
	"law":      {Kind: field.Choice, Words: []string{"Law", "Which law governs?"}, Choices: laws},
}

// words are what a contract says of a field.
func (a answers) words(name string) string {
	return map[string]string{"supplier": a.supplier, "notice": a.notice, "fee": a.fee, "date": a.date, "law": a.law}[name]
}

// marked is contract n with its value of a field marked.
func marked(t *testing.T, name string, n int) (field.Example, string) {
	t.Helper()
	text, a := contract(n)
	words, q := a.words(name), questions[name]
	v, ok := field.ValueOf(q, words)
	require.True(t, ok)
	sought := words
	if name == "law" {
		sought = "governed by the laws of " + words
	}
	if name == "notice" {
		sought = words + " days"
	}
	span, ok := field.NewPlacer(text).Find(sought, 0)
	require.True(t, ok)
	return field.Example{Reading: field.Read(q, structure.Segment([]string{text})), Marks: []field.Mark{{Value: v.String(), Span: span}}}, v.String()
}

// TestLearn marks values in ten contracts, and has those of six others found, by a model
// that was written and read again.
func TestLearn(t *testing.T) {
	t.Parallel()
	for name := range questions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var examples []field.Example
			for n := range field.LeastExamples {
				e, _ := marked(t, name, n)
				examples = append(examples, e)
			}
			trained, report := field.Learn(t.Context(), examples, nil)
			require.Empty(t, report.Reason)
			require.Equal(t, field.LeastExamples, report.Files)
			require.Greater(t, report.F1, 0.7)
			data, err := trained.AppendBinary(nil)
			require.NoError(t, err)
			m, err := field.Parse(data)
			require.NoError(t, err)
			_, err = field.Parse(data[:len(data)-1])
			require.Error(t, err)
			right := 0
			for n := field.LeastExamples; n < len(names); n++ {
				e, want := marked(t, name, n)
				found := m.Propose(e.Reading)
				if len(found) > 0 && found[0].Value.String() == want {
					right++
					text, _ := contract(n)
					require.NotEmpty(t, lex.NewOffsets(text).Slice(found[0].Span))
					require.Greater(t, found[0].Confidence, 0.3)
				}
			}
			require.GreaterOrEqual(t, right, 5, "of 6")
			require.Empty(t, m.Propose(field.Read(questions[name], structure.Segment([]string{"Minutes\n\nThe board met and parted."}))))
		})
	}
}

// TestLearnRefuses has too few examples, and values that nothing tells from others.
func TestLearnRefuses(t *testing.T) {
	t.Parallel()
	e, _ := marked(t, "fee", 1)
	m, report := field.Learn(t.Context(), []field.Example{e}, nil)
	require.Nil(t, m)
	require.Equal(t, "it takes values in 10 files, and there are 1", report.Reason)

	var examples []field.Example
	for n := range 12 {
		lines := make([]string, 12)
		for i := range lines {
			lines[i] = fmt.Sprintf("Lot %d: $%d.00", i+1, 100*(n+1)+7*i)
		}
		text := strings.Join(lines, "\n")
		v, ok := field.ValueOf(questions["fee"], fmt.Sprintf("$%d.00", 100*(n+1)+7*(n*5%12)))
		require.True(t, ok)
		examples = append(examples, field.Example{Reading: field.Read(questions["fee"], structure.Segment([]string{text})), Marks: []field.Mark{{Value: v.String()}}})
	}
	m, report = field.Learn(t.Context(), examples, nil)
	require.Nil(t, m)
	require.Contains(t, report.Reason, "files that were held back")
}

// TestValueOf reads words as values of each kind.
func TestValueOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind        field.Kind
		words, want string
	}{
		{field.Text, "Acme\nInc.", "Acme Inc."},
		{field.Text, " \n", ""},
		{field.Number, "thirty (30) days", "30"},
		{field.Number, "12.5", "12.5"},
		{field.Number, "1,200 units", "1200"},
		{field.Number, "4 %", "4"},
		{field.Number, "soon", ""},
		{field.Date, "31 March 2026", "2026-03-31"},
		{field.Date, "2026-03-31", "2026-03-31"},
		{field.Date, "tomorrow", ""},
		{field.Money, "$1,250.00", "1250.00 USD"},
		{field.Money, "1250.00 EUR", "1250.00 EUR"},
		{field.Money, "much", ""},
		{field.Choice, "germany", "Germany"},
		{field.Choice, "the laws of Austria", "Austria"},
		{field.Choice, "the laws of France", ""},
	} {
		v, ok := field.ValueOf(field.Question{Kind: tt.kind, Choices: laws}, tt.words)
		require.Equal(t, tt.want != "", ok, "%s %q", tt.kind, tt.words)
		require.Equal(t, tt.want, v.String(), "%s %q", tt.kind, tt.words)
	}
}

// TestPlacer finds words in spite of white space, the nearest of several.
func TestPlacer(t *testing.T) {
	t.Parallel()
	p := field.NewPlacer("Müller pays\n10 € now. He pays 10 € later.")
	span, ok := p.Find("pays 10 €", 0)
	require.True(t, ok)
	require.Equal(t, lex.Span{Start: 7, End: 16}, span)
	span, _ = p.Find("pays 10 €", 30)
	require.Equal(t, lex.Span{Start: 25, End: 34}, span)
	_, ok = p.Find("20 €", 0)
	require.False(t, ok)
	_, ok = p.Find(" ", 0)
	require.False(t, ok)
}
