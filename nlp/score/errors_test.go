package score

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/nlp/learn"
)

// errorClasses are what an error that was read turned out to be, and what is said of it
// in docs/clause-labels.md.
var errorClasses = map[string][][2]string{
	"wrong": {
		{"beside", "stands beside the marked part of the clause, or is a part of it"},
		{"other", "another clause of the kind: a licence that is none for affiliates, an end for cause"},
		{"missing", "right, and not marked"},
		{"arguable", "arguable: such words are marked in one contract and not in the next"},
		{"again", "right, said again: the mark is where it is said first, or on a title page"},
		{"wrong", "plainly wrong"},
		{"mention", "speaks of the clause only: a definition, a reference, a heading"},
		{"opposite", "the opposite: an exception, a denial"},
	},
	"missed": {
		{"wording", "unusual words"},
		{"missed", "plain words, given less than 15 %"},
		{"mark", "the mark does not hold, or does not fit the node"},
		{"refused", "plain words, given 15 % or more, and refused by the threshold"},
		{"part", "a part of a long clause that says nothing of it by itself"},
		{"split", "one sentence that was parted, at the end of a page as a rule"},
		{"item", "an item of a list whose lead-in says it"},
		{"context", "takes a definition or another sentence to tell"},
		{"elsewhere", "the label is on another sentence that says the same"},
	},
}

// readError is a label that was wrong, or one that was missed, of a model that had not
// seen the contract; somebody read it.
type readError struct{ contract, node, label, class string }

func readErrors(t *testing.T) []readError {
	t.Helper()
	file, err := os.Open("testdata/errors.csv")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, file.Close()) })
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"contract", "start", "node", "label", "class"}, rows[0])
	seen := map[string]bool{}
	var list []readError
	for _, r := range rows[1:] {
		_, err := strconv.Atoi(r[1])
		require.NoError(t, err, r)
		key := strings.Join(r[:4], " ")
		require.False(t, seen[key], "%s is there twice", key)
		seen[key] = true
		require.True(t, slices.ContainsFunc(errorClasses[r[3]], func(c [2]string) bool { return c[0] == r[4] }), r)
		list = append(list, readError{r[0], r[2], r[3], r[4]})
	}
	return list
}

// TestErrorsRead keeps the tables of the errors in docs/clause-labels.md those of the file.
// A share is of all errors of the cross-validation: what was read of a node stands for all
// its errors, of which base.json tells how many there are.
func TestErrorsRead(t *testing.T) {
	t.Parallel()

	list := readErrors(t)
	var base struct {
		Labels            int
		Precision, Recall float64
		PerNode           []struct {
			Node              string
			Labels            int
			Precision, Recall float64
		}
	}
	data, err := os.ReadFile("../label/base.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &base))
	all := map[[2]string]float64{} // errors by label and node
	for _, n := range base.PerNode {
		hits := float64(n.Labels) * n.Recall
		all[[2]string{"missed", n.Node}] = float64(n.Labels) - hits
		all[[2]string{"wrong", n.Node}] = hits/max(n.Precision, 1e-9) - hits
	}
	read := map[[2]string]float64{}
	var contracts []string
	for _, e := range list {
		read[[2]string{e.label, e.node}]++
		if !slices.Contains(contracts, e.contract) {
			contracts = append(contracts, e.contract)
		}
	}
	names := map[string]string{}
	for _, n := range nlp.Taxonomy() {
		names[n.ID] = n.Name
	}

	docs, err := os.ReadFile("../../docs/clause-labels.md")
	require.NoError(t, err)
	shares := map[string]float64{}
	for _, label := range []string{"wrong", "missed"} {
		byContract := make([][]readError, len(contracts))
		total := 0
		for _, e := range list {
			if e.label == label {
				at := slices.Index(contracts, e.contract)
				byContract[at] = append(byContract[at], e)
				total++
			}
		}
		if says := fmt.Sprintf("%d labels that were %s", total, label); !strings.Contains(string(docs), says) {
			t.Errorf("docs/clause-labels.md does not say %q", says)
		}
		for _, class := range errorClasses[label] {
			share := learn.NewInterval(len(contracts), func(drawn []int) float64 {
				var these, those float64
				for _, i := range drawn {
					for _, e := range byContract[i] {
						weight := all[[2]string{label, e.node}] / read[[2]string{label, e.node}]
						those += weight
						if e.class == class[0] {
							these += weight
						}
					}
				}
				return these / max(those, 1e-9)
			})
			shares[class[0]+" "+label] = share.Value
			count, nodes := 0, map[string]int{}
			for _, e := range list {
				if e.label == label && e.class == class[0] {
					count++
					nodes[e.node]++
				}
			}
			var most []string
			for node := range nodes {
				most = append(most, node)
			}
			slices.SortFunc(most, func(a, b string) int { return cmp.Or(cmp.Compare(nodes[b], nodes[a]), cmp.Compare(a, b)) })
			for i, node := range most {
				most[i] = fmt.Sprintf("%s %d", names[node], nodes[node])
			}
			row := fmt.Sprintf("| %s | %d | %.0f %% (%.0f to %.0f) | %s |\n", class[1], count, 100*share.Value, 100*share.Low, 100*share.High, strings.Join(most[:min(3, len(most))], ", "))
			if !strings.Contains(string(docs), row) {
				t.Errorf("docs/clause-labels.md lacks the row\n%s", row)
			}
		}
	}

	// What F1 would be if the marks were as they were read.
	hits := float64(base.Labels) * base.Recall
	wrong, missed := hits/base.Precision-hits, float64(base.Labels)-hits
	f1 := func(right, unmarked float64) float64 {
		hits, wrong, missed := hits+right*wrong, wrong-right*wrong, missed-unmarked*missed
		return 2 * hits / (2*hits + wrong + missed)
	}
	for _, c := range []struct {
		says            string
		right, unmarked float64
	}{
		{"if what is right counted as right and marks that do not hold as none, micro F1 would be %.2f", shares["missing wrong"], shares["mark missed"]},
		{"with what is said again and arguable, %.2f", shares["missing wrong"] + shares["again wrong"] + shares["arguable wrong"], shares["mark missed"] + shares["elsewhere missed"]},
		{"with what stands beside a mark as well, %.2f", shares["missing wrong"] + shares["again wrong"] + shares["arguable wrong"] + shares["beside wrong"], shares["mark missed"] + shares["elsewhere missed"] + shares["part missed"]},
	} {
		says := fmt.Sprintf(c.says, math.Round(100*f1(c.right, c.unmarked))/100)
		if !strings.Contains(strings.Join(strings.Fields(string(docs)), " "), says) {
			t.Errorf("docs/clause-labels.md does not say %q", says)
		}
	}
}
