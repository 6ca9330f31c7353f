package score_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	answers "github.com/clausemill/clausemill/answer/score"
	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/nlp/learn"
	"github.com/clausemill/clausemill/nlp/score"
)

// TestFloor asks all questions of ten contracts. The base model has seen them, so this
// tells nothing of others: it is what must not be lost. Every quote stands in the text.
func TestFloor(t *testing.T) {
	t.Parallel()
	corpus, err := score.Read(t.Context(), os.DirFS("../../nlp/testdata/contracts"))
	require.NoError(t, err)
	model, err := nlp.BaseModel()
	require.NoError(t, err)
	asked := answers.NewAnswers(corpus)
	for round := range learn.Folds {
		asked.Add(model, round)
	}
	floors := map[string]float64{"right passage first": 0.95, "right passage within three": 0.95, "rightly says nothing": 0.90, "quotes at their offsets": 1}
	for _, row := range asked.Rows() {
		t.Logf("%s: %.3f", row.What, row.Score)
		if !strings.HasPrefix(row.What, "of 300") {
			require.Contains(t, floors, row.What)
			require.GreaterOrEqual(t, row.Score, floors[row.What], row.What)
		}
	}
}
