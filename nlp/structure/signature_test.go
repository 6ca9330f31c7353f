package structure_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
)

func TestSignatures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string // party, by, name, title, date; a star where it is signed
	}{
		"Signed":    {"ACME INC.\nBy: /s/ Jane Doe\nName: Jane Doe\nTitle: CEO\nDate: May 3, 2020", []string{"ACME INC.|/s/ Jane Doe|Jane Doe|CEO|May 3, 2020*"}},
		"Blank":     {"ACME INC.\nBy: ____________\nName: Jane Doe\nTitle:\nCEO", []string{"ACME INC.||Jane Doe|CEO|"}},
		"Two":       {"ACME INC.\nBy: ____________\nName: Jane Doe\n\nFOO LTD.\nBy: /s/ John Roe\nName: John Roe", []string{"ACME INC.||Jane Doe||", "FOO LTD.|/s/ John Roe|John Roe||*"}},
		"Columns":   {"ACME INC.          FOO LTD.\nBy: /s/ Jane Doe          By: ____________\nName: Jane Doe          Name: John Roe\nTitle: CEO          Title: CFO", []string{"ACME INC.|/s/ Jane Doe|Jane Doe|CEO|*", "FOO LTD.||John Roe|CFO|"}},
		"NoLabel":   {"ACME INC.\n/s/ Jane Doe\nName: Jane Doe\nTitle: CEO", []string{"ACME INC.|/s/ Jane Doe|Jane Doe|CEO|*"}},
		"RuleAbove": {"ACME INC.\n____________\nBy: /s/ Jane Doe\nName: Jane Doe", []string{"ACME INC.|/s/ Jane Doe|Jane Doe||*"}},
		"OneRow":    {"ACME INC.\nBy: /s/ Jane Doe Name: Jane Doe Title: CEO\nDate: May 3, 2020", []string{"ACME INC.|/s/ Jane Doe|Jane Doe|CEO|May 3, 2020*"}},
		"NoParty":   {"By: /s/ Jane Doe\nName: Jane Doe", []string{"|/s/ Jane Doe|Jane Doe||*"}},
		"NoSigner":  {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pages := []string{clause + "\n\n" + c.text}
			s := structure.Segment(pages)
			nlptest.RequireLaws(t, pages, s)
			var got []string
			for _, x := range s.Signatures() {
				line := strings.Join([]string{x.Party.Text, x.By.Text, x.Name.Text, x.Title.Text, x.Date.Text}, "|")
				if x.Signed {
					line += "*"
				}
				got = append(got, line)
			}
			require.Equal(t, c.want, got)
		})
	}
}
