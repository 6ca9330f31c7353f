package db_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
)

// sentences are rows of texts that a model predicted to be no clause.
func predicted(texts ...string) []db.Sentence {
	list := make([]db.Sentence, len(texts))
	for i, text := range texts {
		source, score := "predicted", float32(0.3)
		list[i] = db.Sentence{ID: db.NewID(), Ordinal: i, Page: 1, End: len(text), Text: text, Labelling: db.Labelling{Source: &source, Score: &score}}
	}
	return list
}

func (b *bundle) text(t *testing.T, in db.Scope, fileID string, sentences []db.Sentence) {
	t.Helper()
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.SaveText(t.Context(), in, fileID, db.Text{Sentences: sentences})
		return err
	}))
}

func TestWordingsAreGroupedByLettersAndDigits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	same := []string{"§ 7.2 The “Über”-Seller", "7 2 the über seller", "(7.2)  THE\nÜBER SELLER."}
	b.text(t, b.ours, b.file(t, b.ours).ID, predicted(append(same, "72 the über seller", "7.2 the uber seller")...))
	groups, err := b.db.ReviewSentences(t.Context(), b.ours, "", db.SentencePlace{}, 10)
	require.NoError(t, err)
	copies := []int{}
	for _, g := range groups {
		copies = append(copies, g.Copies)
	}
	require.ElementsMatch(t, []int{3, 1, 1}, copies)
	none, err := b.db.ReviewSentences(t.Context(), b.theirs, "", db.SentencePlace{}, 10)
	require.NoError(t, err)
	require.Empty(t, none)
}

// TestDecideMany decides on as many sentences as a request may name.
func TestDecideMany(t *testing.T) {
	t.Parallel()
	b := setup(t)
	texts := make([]string, 10_000)
	for i := range texts {
		texts[i] = fmt.Sprint("The seller delivers lot ", i)
	}
	f, list := b.file(t, b.ours), predicted(texts...)
	b.text(t, b.ours, f.ID, list)
	ids := make([]string, len(list))
	for i, s := range list {
		ids[i] = s.ID
	}
	label := "delivery"
	decide := func(in db.Scope, d db.Decision) (wrong []db.SentenceError) {
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) (err error) {
			_, wrong, err = tx.DecideSentences(t.Context(), in, ids, d)
			return err
		}))
		return wrong
	}
	require.Len(t, decide(b.theirs, db.Decision{Confirm: true}), len(ids))
	require.Empty(t, decide(b.ours, db.Decision{Set: true, Labels: []string{label}}))
	counts, err := b.db.LabelCounts(t.Context(), b.ours, "")
	require.NoError(t, err)
	require.Equal(t, []db.LabelCount{{Label: label, Sentences: len(ids), Validated: len(ids)}}, counts)
	require.Empty(t, decide(b.ours, db.Decision{}))
	decided, err := b.db.DecidedSentences(t.Context(), b.ours, f.ID)
	require.NoError(t, err)
	require.Len(t, decided, len(ids), "that it is no clause is a decision too")
}
