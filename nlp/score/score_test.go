package score

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp"
)

// small is two contracts that are read rightly and one that is not.
var small = fstest.MapFS{
	"contracts.jsonl": {Data: []byte(`{"id": "a", "txt": "a.txt", "type": "Supply", "clauses": {"Governing Law": ["This Agreement is governed by Texas law."], "Insurance": ["The Seller shall insure the goods.<omitted>nowhere"]}, "answers": {"Document Name": "SUPPLY AGREEMENT", "Governing Law": "Texas", "Parties": "", "Agreement Date": "5/1/2020", "Renewal Term": "successive 1 year"}}
{"id": "b", "txt": "b.txt", "type": "Agency", "clauses": {}, "answers": {"Document Name": "AGENCY AGREEMENT", "Governing Law": "", "Agreement Date": "[]/1/2020", "Renewal Term": "2 years"}}
`)},
	"headings.jsonl": {Data: []byte(`{"id": "a", "body_start": 20, "toc": [["1", "Goods", 1], ["II", "Insurance of the goods", 1], ["4", "Tax", 2]]}` + "\n")},
	"a.txt": {Data: []byte("SUPPLY AGREEMENT\n\nThis Agreement is made on May 1, 2020 by the Seller.\n\n1. Goods. The Seller delivers goods to the Buyer.\n\n2. Insurance of the goods. The Seller shall insure the goods.\n\n" +
		"3. Law. This Agreement is governed by Texas law.\n\n4. Term. The term of this Agreement is one year and shall be renewed automatically for successive terms of one year.\n")},
	"b.txt": {Data: []byte("AGENCY AGREEMENT\n\nThe Agent acts for the Principal. This Agreement is governed by the laws of the State of New York.\n")},
}

func attribute(t *testing.T, list []Attribute, name string) Attribute {
	t.Helper()
	for _, a := range list {
		if a.Name == name {
			return a
		}
	}
	require.Fail(t, "no such attribute", name)
	return Attribute{}
}

func TestScoresByHand(t *testing.T) {
	t.Parallel()
	c, err := Read(t.Context(), small)
	require.NoError(t, err)
	require.Len(t, c.Contracts, 2)
	require.Len(t, c.Hash, 64)

	found := c.Attributes()
	name := attribute(t, found, "document name")
	require.Equal(t, [2]Share{{2, 2}, {2, 2}}, [2]Share{name.Precision, name.Recall})
	law := attribute(t, found, "governing law")
	require.Equal(t, [2]Share{{1, 2}, {1, 1}}, [2]Share{law.Precision, law.Recall}, "an answer where there is none is wrong")
	require.InDelta(t, 2.0/3, law.F1(), 1e-9)
	require.Equal(t, []Miss{{"b", []string{"new york"}, nil}}, law.Misses)
	date := attribute(t, found, "agreement date")
	require.Equal(t, [2]Share{{1, 1}, {1, 1}}, [2]Share{date.Precision, date.Recall}, "what is redacted is not asked for")
	renewal := attribute(t, found, "renewal term")
	require.Equal(t, [2]Share{{1, 1}, {1, 2}}, [2]Share{renewal.Precision, renewal.Recall})

	precision, recall := c.Headings()
	require.Equal(t, [2]Share{{2, 4}, {2, 3}}, [2]Share{precision, recall})

	edges := c.Edges()
	require.Equal(t, Share{1, 1}, edges.Both, "names and dates are no sentences, and what is not there is not looked for")
	require.Equal(t, len(c.Contracts[0].Text.Sentences)+len(c.Contracts[1].Text.Sentences), edges.Sentences)

	nodes, examples := c.Labels()
	require.Len(t, nodes, len(nlp.Taxonomy()))
	var labels []string
	for _, of := range examples[0].Labels {
		labels = append(labels, of...)
	}
	require.Equal(t, []string{"insurance", "governing_law"}, labels)
	_, contracts := c.Types()
	require.Equal(t, "supply", contracts[0].Type)
	require.Equal(t, "SUPPLY AGREEMENT", contracts[0].Title)
	require.Empty(t, WithoutHead(contracts[0].Contract))
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]fstest.MapFS{
		"nothing":           {},
		"no text":           {"contracts.jsonl": {Data: []byte(`{"id": "a", "txt": "a.txt"}`)}},
		"no JSON":           {"contracts.jsonl": {Data: []byte("a")}},
		"unknown contract":  {"contracts.jsonl": {}, "headings.jsonl": {Data: []byte(`{"id": "a"}`)}},
		"contents no JSON":  {"contracts.jsonl": {}, "headings.jsonl": {Data: []byte("a")}},
		"contents no table": {"contracts.jsonl": {}, "headings.jsonl": {Data: []byte(`{"toc": [1]}`)}},
	} {
		_, err := Read(t.Context(), dir)
		require.Error(t, err, name)
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]string{"ARTICLE IX": "9", "Section 4.02": "4.2", "7.": "7", "(a)": "(a)", "": "", "XLIV": "44"} {
		require.Equal(t, want, sectionNumber(label), label)
	}
}

// corpus is all annotated contracts. They are too large to lie beside the code.
var corpus = sync.OnceValues(func() (*Corpus, error) {
	return Read(context.Background(), os.DirFS(filepath.Join(os.Getenv("CLAUSEMILL_DATA"), "cuad")))
})

var updateConfidence = flag.Bool("update-confidence", false, "fit the confidence of facts anew")

// TestConfidence holds that facts are right as often as they claim, on contracts that this
// was not fitted to, and that what is built in was fitted to all.
func TestConfidence(t *testing.T) {
	t.Parallel()
	if os.Getenv("CLAUSEMILL_DATA") == "" {
		t.Skip("CLAUSEMILL_DATA names no directory with contracts")
	}
	c, err := corpus()
	require.NoError(t, err)
	judged := c.Judge()
	halves := CalibrationErrors(judged, 2)
	for i, e := range CalibrationErrors(judged, 5) {
		t.Logf("%-16s facts %4d right %.3f exact %.3f | error by hand %.3f fifths %.3f halves %.3f | doubtful %3d of which right %.3f",
			e.Key, e.Facts, float64(e.Right)/float64(e.Facts), float64(e.Exact)/float64(e.Facts), e.ByHand, e.Held, halves[i].Each, e.Doubtful, float64(e.DoubtfulRight)/float64(max(1, e.Doubtful)))
		assert.LessOrEqual(t, e.Held, 0.05, e.Key)
	}
	require.LessOrEqual(t, halves[0].Each, 0.05, "of all keys")
	all := make([]nlp.JudgedFact, len(judged))
	for i, j := range judged {
		all[i] = j.JudgedFact
	}
	const golden = "../fact/confidence.json"
	var fitted strings.Builder
	for i, l := range nlp.CalibrateFacts(all) {
		line, err := json.Marshal(l)
		require.NoError(t, err)
		fitted.WriteString([]string{"[\n", ",\n"}[min(i, 1)] + string(line))
	}
	fitted.WriteString("\n]\n")
	if *updateConfidence {
		require.NoError(t, os.WriteFile(golden, []byte(fitted.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), fitted.String())
}

// TestScores holds what is read to what it reached, less a little.
func TestScores(t *testing.T) {
	t.Parallel()
	if os.Getenv("CLAUSEMILL_DATA") == "" {
		t.Skip("CLAUSEMILL_DATA names no directory with contracts")
	}
	c, err := corpus()
	require.NoError(t, err)
	least := map[string]float64{
		"document name, F1": 0.855, "parties, exact, F1": 0.76, "parties, similar, F1": 0.855, "agreement date, F1": 0.91, "effective date, F1": 0.855,
		"expiration date, F1": 0.745, "renewal term, F1": 0.815, "notice period, F1": 0.87, "governing law, F1": 0.969,
		"both edges of clauses": 0.885, "against tables of contents, F1": 0.815, "recall": 0.95, "precision": 0.71,
	}
	rows := append(append(c.AttributeRows(), c.SentenceRows()...), c.HeadingRows()...)
	for _, r := range rows {
		t.Logf("%-12s %-32s %.4f", r.Topic, r.What, r.Score)
		if floor, ok := least[r.What]; ok {
			require.GreaterOrEqual(t, r.Score, floor, r.What)
			delete(least, r.What)
		}
	}
	require.Empty(t, least, "every figure is held")
	require.LessOrEqual(t, c.Edges().Sentences, 118_400, "more sentences raise the share of edges by themselves")
}
