package query_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// vocabulary is that of a team which the prompts are of.
var vocabulary = query.Vocabulary{
	Keys: []string{"governing_law", "insurance_amount"},
	Values: map[query.Field][]query.Option{
		query.DocumentType: {{Value: "0190a7c1-0000-7000-8000-000000000001", Name: "License Agreement"}},
		query.Label:        {{Value: "governing_law", Name: "Governing Law"}, {Value: "anti_assignment", Name: "Anti-Assignment"}, {Value: "cap_on_liability", Name: "Cap On Liability"}},
	},
	Find: finds(map[query.Field][]string{query.Party: {"Acme Inc.", "Smith and Sons"}, query.AttributeField("governing_law"): {"Delaware", "New York"}}),
}

func fixture[T any](t *testing.T, name string) T {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	var out T
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	type expected struct {
		Prompts []string
		Kind    query.Chart
		Query   query.Query
		Others  map[string]query.Query // prompts that differ in their question
	}
	cases := fixture[[]expected](t, "prompts.json")
	require.GreaterOrEqual(t, len(cases), 60)
	for _, c := range cases {
		for _, prompt := range c.Prompts {
			for _, spelling := range []string{prompt, "  " + prompt + "? ", "Tell me " + prompt} {
				config, understood, err := query.Prompt(spelling, vocabulary)
				require.NoError(t, err, spelling)
				want := c.Query
				if other, ok := c.Others[prompt]; ok {
					want = other
				}
				require.Equal(t, want, config.Query, spelling)
				require.Equal(t, c.Kind, config.Kind, spelling)
				require.NotEmpty(t, understood, spelling)
				for _, u := range understood {
					require.Contains(t, spelling, u.Phrase)
					require.NotEmpty(t, u.Meaning)
				}
			}
		}
	}
}

func TestPromptsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range fixture[[]struct {
		Prompt string
		Words  []string
	}](t, "refused.json") {
		_, _, err := query.Prompt(c.Prompt, vocabulary)
		require.Equal(t, fault.Invalid, fault.KindOf(err), c.Prompt)
		for _, word := range c.Words {
			require.Contains(t, strings.ToLower(fault.Message(err)), word, c.Prompt)
		}
	}
}

// FuzzPrompt holds whatever people write to one of the two: a question that can
// be asked, or a refusal.
func FuzzPrompt(f *testing.F) {
	for _, prompt := range []string{
		"top 10 counterparties by number of contracts", "top 10 counterpartimbery nues ' 0", "can be 20MB NDA/MSA >50k", "contracts where governing law is \"New York\" or Delaware per month", "average of", "“", "\"", "by ,", "with É", "govlaw top10 fortnight 90d", strings.Repeat("not ", 250),
	} {
		f.Add(prompt)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		config, understood, err := query.Prompt(prompt, vocabulary)
		if err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			require.True(t, utf8.ValidString(fault.Message(err)) || !utf8.ValidString(prompt))
			return
		}
		_, err = config.Query.Checked(now)
		require.NoError(t, err)
		require.NotEmpty(t, config.Title)
		for _, u := range understood {
			require.Contains(t, prompt, u.Phrase)
		}
	})
}
