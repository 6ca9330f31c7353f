package fact_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// TestLawClauses reads the clauses on law and on courts in testdata/laws.
func TestLawClauses(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"first", "second", "edges"} {
		raw, err := os.ReadFile("testdata/laws/" + file + ".tsv")
		require.NoError(t, err)
		for line := range strings.Lines(string(raw)) {
			column := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			require.Len(t, column, 5, line)
			s := structure.SegmentIn(column[0], []string{strings.ReplaceAll(column[4], `\n`, "\n")})
			found := fact.Read(s)
			nlptest.RequireAttributes(t, s, found)
			law, court := "-", "-"
			for _, a := range found.File {
				if a.Key == value.GoverningLaw {
					law = a.Value.Name
				}
			}
			require.Equal(t, column[2], law, line)
			if column[1] != "venue" {
				continue
			}
			tape := value.NewTape(column[0], s.Text, nil)
			for _, m := range value.Find(tape, false) {
				if m.Key == value.Jurisdiction && !tape.NamesLaw(m) {
					court = m.Value.Name
				}
			}
			require.Equal(t, column[3], court, line)
		}
	}
}

// TestLawsInSentences holds how sure a law is of which other sentences or parts of its own
// say something else.
func TestLawsInSentences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language, text, want string
		confidence           float64
	}{
		{"de", "Dieser Vertrag unterliegt deutschem Recht. Der Vertrag über die Pfandrechte unterliegt österreichischem Recht.", "Germany", 0.45},
		{"de", "Die Pfandrechte unterliegen österreichischem Recht. Dieser Vertrag unterliegt deutschem Recht.", "Germany", 0.9},
		{"fr", "Le contrat est soumis au droit français. Le contrat est soumis au droit français, sauf disposition contraire.", "France", 0.9},
		{"de", "Dieser Vertrag ist nicht nach deutschem, sondern nach Schweizer Recht auszulegen.", "Switzerland", 0.4},
	} {
		found := fact.Read(structure.SegmentIn(c.language, []string{c.text}))
		require.Len(t, found.File, 1, c.text)
		require.Equal(t, c.want, found.File[0].Value.Name, c.text)
		require.InDelta(t, c.confidence, found.File[0].Confidence, 1e-9, c.text)
	}
}
