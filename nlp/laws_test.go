package nlp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/label"
	"github.com/clausemill/clausemill/nlp/learn"
	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
)

func TestSegmentLaws(t *testing.T) {
	t.Parallel()
	for _, c := range nlptest.Contracts(t) {
		pages := strings.SplitAfter(c.Text, "\n\n\n\n\n")
		nlptest.RequireLaws(t, pages, structure.Segment(pages))
	}
}

func FuzzSegment(f *testing.F) {
	for _, seed := range []string{
		"", "\f", "1\f2\f3", "Exhibit A\n\n1. Definitions. \"Term\" means 3.5 years; and (b) v. U.S. Inc. The\fend.\n2\n",
		"ARTICLE I - TERM\n\n1.1 (a) “Term” or \"Period\" means (the “X”), each a \"Y\"; see Section 1.1(a), (b) and 2 of Exhibit “A”,\n(ii) clause (i) of § 4 of the Lease Act.\n\n(i) Terms\n\n(ii) XS\n\nRECITALS\n\nA. x\n\n1. y\n\nEXHIBIT A\n\nSection 4.02. Z",
		"TABLE OF CONTENTS\n1. A ..... 1\n2. B ..... 2\n\n1. A\n\n2. B\n", "By: ____\nName:\nTitle:\n\fEXHIBIT B\n\nx | y | z\na | b | c\n",
		"Der Vertrag vom 1. Januar 2020 gilt. Er endet nach § 5 Abs. 2 BGB, sofern nichts anderes vereinbart wurde zwischen den Parteien.", "\xff\xfe(\xa0a)\u2003“x”.\u2028y",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pages := strings.Split(text, "\f")
		nlptest.RequireLaws(t, pages, structure.Segment(pages))
	})
}

// hostilePieces are what texts of the wild and of attackers are made of.
var hostilePieces = []string{
	"This Agreement is made on ", "May 5, 2020", " by and between ", "Acme Widgets, Inc.", " (the “", "Seller", "”) ", "“Term” means thirty (30) days. ", "governed by the laws of the State of New York",
	"\r\n", "\n", "\n\n", "\f", "\t", " ", "   ", "\u00a0", "\u2003", "\u2028", "\u00ad", "\u200b", "\ufeff", "\u0000", "\u0301", "\U0001d400", "👩‍⚖️", "é", "ﬁ", "İ", "ſ", "ẞ", "漢字。", "שלום", "ا",
	"1. ", "1.1 ", "(a) ", "(iv)", "ARTICLE IX", "Section 4.02(b)", "EXHIBIT A\n", "§", "Page 3 of 9\n", "TABLE OF CONTENTS\n", "Term ..... 4\n", "By: ____\nName: ", "| a | b |\n",
	".", "...", ";", ":", ",", "-", "-\n", "—", "'", "’s", "\"", "“", "”", "(", ")", "[***]", "$", "US$1,250.00", "5%", "1.250", "30", "12/11/10", "No. ", "U.S.", "i.e. ", "ofTexas", "\xff", "\xc3",
}

// TestLawsOfRandomTexts holds whatever is read of texts that nobody wrote to
// standing where it is said to stand.
func TestLawsOfRandomTexts(t *testing.T) {
	t.Parallel()
	random := learn.Randomizer(11)
	for range 300 {
		var b strings.Builder
		few := 2 + random.Below(len(hostilePieces)-1) // some texts say few things often
		from := random.Below(len(hostilePieces))
		for range 1 + random.Below(120) {
			b.WriteString(hostilePieces[(from+random.Below(few))%len(hostilePieces)])
		}
		pages := strings.Split(b.String(), "\f")
		s := structure.Segment(pages)
		nlptest.RequireLaws(t, pages, s)
		nlptest.RequireAttributes(t, s, fact.Read(s))
		require.Len(t, label.Passages(s, fact.Extract(s)), len(s.Sentences))
	}
}

// TestFactsHostile holds the work on facts and labels in proportion to the
// length of a text: lines of a megabyte would take hours if a rule looked at the
// rest of them again and again.
func TestFactsHostile(t *testing.T) {
	t.Parallel()
	model, err := label.Base()
	require.NoError(t, err)
	for _, piece := range []string{"governed ", "ofT", "$", "May 5, 20", "Inc. ", "this Agreement ", "(the “A”) ", "one hundred and ", "1,000.", "é", "renew term ", "Section 1 of "} {
		s := structure.Segment([]string{strings.Repeat(piece, 1_000_000/len(piece))})
		fact.Read(s)
		model.Predict(label.Passages(s, fact.Extract(s)))
	}
}
