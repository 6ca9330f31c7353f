package query_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// written is what a model may name.
var written = query.Vocabulary{
	Keys: []string{"governing_law", "expiration_date", "surety_amount"},
	Own:  []query.Option{{Value: "surety_amount", Name: "Surety"}},
	Values: map[query.Field][]query.Option{
		query.DocumentType: {{Value: "0190a7c1-0000-7000-8000-000000000001", Name: "License agreement"}},
		query.Label:        {{Value: "governing_law", Name: "Governing law"}},
	},
	Find: func(f query.Field, name string) []query.Option {
		all := []query.Option{{Value: "acme gmbh", Name: "Acme GmbH"}, {Value: "acme inc", Name: "Acme Inc."}, {Value: "bolt", Name: "Bolt"}}
		var found []query.Option
		for _, o := range all {
			if f == query.Party && strings.Contains(strings.ToLower(o.Name), strings.ToLower(name)) {
				found = append(found, o)
			}
		}
		return found
	},
}

// TestReadWritten reads what a model writes.
func TestReadWritten(t *testing.T) {
	t.Parallel()
	read := func(text string) (query.Config, query.Understood, error) {
		return query.ReadWritten(text, "who owes us  most?", written, time.Unix(0, 0))
	}
	c, said, err := read("```json\n" + `{"kind":"table","query":{"source":"files","metric":{"op":"sum","field":"attribute.surety_amount"},"groupBy":["party"],"filters":[
		{"field":"documentType","op":"in","values":["license agreement"]},{"field":"party","op":"in","values":["acme"]},
		{"not":{"field":"label","op":"in","values":["Governing law"]}},{"any":[{"field":"attribute.expiration_date","op":"lt","values":["today+90d"]},{"field":"text","op":"contains","values":["\"as is\""]}]}]}}` + "\n```")
	require.NoError(t, err)
	require.Equal(t, "Who owes us most?", c.Title)
	require.Equal(t, query.TableChart, c.Kind)
	require.Equal(t, query.Values{"0190a7c1-0000-7000-8000-000000000001"}, c.Query.Filters[0].Values)
	require.Equal(t, query.Values{"acme gmbh", "acme inc"}, c.Query.Filters[1].Values)
	require.Equal(t, query.Values{"governing_law"}, c.Query.Filters[2].Not.Values)
	require.Equal(t, query.Values{"today+90d"}, c.Query.Filters[3].Any[0].Values, "a widget goes with the days")
	require.Equal(t, query.Understood{
		Phrase: "Who owes us most?",
		Meaning: `sum of Surety of files, by party, where document type is License agreement and party is acme gmbh or acme inc and not (clause is Governing law)` +
			` and (expiration date is below today+90d or text contains "as is")`,
	}, said)

	c, said, err = read(`{"kind":"bar","query":{"source":"files","metric":{"op":"count"},"groupBy":["party"],"only":[{"field":"party","op":"in","values":["Bolt"]}],"having":[{"op":"gt","value":3},{"op":"lte","value":10}]}}`)
	require.NoError(t, err)
	require.Equal(t, []query.Bound{{Op: query.Above, Value: 3}, {Op: query.AtMost, Value: 10}}, c.Query.Having)
	_, share, err := read(`{"kind":"number","query":{"source":"files","metric":{"op":"share","field":"attribute.surety_amount","filters":[{"field":"party","op":"in","values":["Bolt"]}]}}}`)
	require.NoError(t, err)
	require.Equal(t, "percentage of the sum of Surety of files of which is true that party is bolt", share.Meaning)
	_, across, err := read(`{"kind":"number","query":{"source":"files","metric":{"op":"count"},"groupBy":["party"],"across":"avg","filters":[{"field":"attribute.liability_cap","op":"lt","than":"attribute.contract_value","values":["2"]}]}}`)
	require.NoError(t, err)
	require.Equal(t, "average of the groups of: number of files, by party, where liability cap is below contract value of the same file, by 2", across.Meaning)
	_, above, err := read(`{"kind":"bar","query":{"source":"files","metric":{"op":"sum","field":"attribute.surety_amount"},"groupBy":["party"],"having":[{"op":"gt","value":1,"across":"avg"},{"op":"lt","value":0.5,"across":"sum"}]}}`)
	require.NoError(t, err)
	require.Equal(t, "sum of Surety of files, by party, of groups whose figure is above the average of all groups and is below 0.5 times the sum of all groups", above.Meaning)
	_, age, err := read(`{"kind":"number","query":{"source":"files","metric":{"op":"avg","field":"attribute.agreement_date","unit":"year"}}}`)
	require.NoError(t, err)
	require.Equal(t, "average of time in years since agreement date of files", age.Meaning)
	require.Equal(t, "number of files, by party, only groups where party is bolt, of groups whose figure is above 3 and is at most 10", said.Meaning)

	for text, why := range map[string]string{
		"NOTHING":                    "has no query",
		"There are 12 of these.":     "wrote no query",
		`{"kind":"bar"`:              "wrote no query",
		`{"kind":"bar"}`:             "source must be",
		`{"sql":"DROP TABLE files"}`: "can be read",
		`{"query":{"source":"files","metric":{"op":"count"}}} {"query":{"source":"files","metric":{"op":"count"}}}`:                                   "more than one",
		`{"query":{"source":"audit","metric":{"op":"count"},"groupBy":["actor"]}}`:                                                                    "may not",
		`{"query":{"source":"files","metric":{"op":"count"},"filters":[{"field":"password","op":"in","values":["x"]}]}}`:                              "password",
		`{"query":{"source":"files","metric":{"op":"count"},"filters":[{"field":"documentType","op":"in","values":["NDA"]}]}}`:                        `"NDA" for a value of document type`,
		`{"query":{"source":"files","metric":{"op":"count"},"filters":[{"not":{"any":[{"field":"party","op":"in","values":["Zeta"]}]}}]}}`:            `"Zeta" for a value of party`,
		`{"query":{"source":"files","metric":{"op":"count"},"limit":100000}}`:                                                                         "limit",
		`{"query":{"source":"files","metric":{"op":"count"},"filters":[` + strings.Repeat(`{"not":`, 9000) + `{}` + strings.Repeat(`}`, 9000) + `]}}`: "",
	} {
		_, _, err := read(text)
		require.Equal(t, fault.Invalid, fault.KindOf(err), text[:min(len(text), 100)])
		require.ErrorContains(t, err, why)
	}
}

// TestWriterPrompt has the fields, and of the team's words those of labels and types only.
func TestWriterPrompt(t *testing.T) {
	t.Parallel()
	v := written
	v.Values = map[query.Field][]query.Option{query.DocumentType: v.Values[query.DocumentType], query.Label: v.Values[query.Label], query.Matter: {{Value: "m", Name: "Secret merger"}}}
	prompt, err := query.WriterPrompt(v)
	require.NoError(t, err)
	for _, line := range []string{"attribute.surety_amount (number): Surety", "attribute.expiration_date (date): Expiration date", "Values of documentType: License agreement", "Values of label: Governing law"} {
		require.Contains(t, prompt, line+"\n")
	}
	require.NotContains(t, prompt, "Secret")
	require.NotContains(t, prompt, "occurredAt")
}

// FuzzReadWritten has a model write anything: what is read is a query that can be asked.
func FuzzReadWritten(f *testing.F) {
	f.Add(`{"kind":"table","query":{"source":"files","metric":{"op":"count"},"filters":[{"field":"party","op":"in","values":["acme"]}]}}`)
	f.Add("NOTHING")
	f.Add(`{"query":{"source":"sentences","metric":{"op":"countDistinct","field":"file"},"groupBy":["label"],"filters":[{"not":{"field":"page","op":"gt","values":["3"]}}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		c, said, err := query.ReadWritten(text, "what?", written, time.Unix(0, 0))
		if err != nil {
			require.NotEqual(t, fault.Internal, fault.KindOf(err))
			return
		}
		require.NotEmpty(t, said.Meaning)
		_, err = c.Query.Checked(time.Unix(0, 0))
		require.NoError(t, err)
	})
}
