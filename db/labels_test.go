package db_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
)

// several is a file with one sentence that a model gave labels.
func (b *bundle) several(t *testing.T, labels ...string) (string, db.Sentence) {
	t.Helper()
	f := b.file(t, b.ours)
	s := db.Sentence{ID: db.NewID(), Page: 1, End: 5, Text: "Words"}
	model, scored := db.NewID(), []db.ScoredLabel{}
	for i, label := range labels {
		score := 0.9 - 0.1*float32(i)
		scored = append(scored, db.ScoredLabel{Node: label, Score: &score})
	}
	s.Predict(db.NewPredicted(&model, scored, nil))
	text := textOf()
	text.Sentences = []db.Sentence{s}
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.SaveText(t.Context(), b.ours, f.ID, text)
		return err
	}))
	return f.ID, s
}

// labels are the nodes that a sentence has.
func (b *bundle) labels(t *testing.T, id string) []string {
	t.Helper()
	s, err := b.db.FiledSentence(t.Context(), b.ours, id)
	require.NoError(t, err)
	nodes := []string{}
	for _, l := range s.Labels() {
		nodes = append(nodes, l.Node)
	}
	return nodes
}

// TestLabelsOfTheReleaseBefore has a program of release 0.1.0, which knows one label of a
// sentence, read, decide on and predict sentences with several, and copy them into the
// table in its own way.
func TestLabelsOfTheReleaseBefore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	exec := func(sql string, args ...any) {
		t.Helper()
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Raw.Exec(t.Context(), sql, args...)
			return err
		}))
	}
	_, s := b.several(t, "insurance", "governing_law")
	first, err := b.db.FiledSentence(t.Context(), b.ours, s.ID)
	require.NoError(t, err)
	require.Equal(t, "insurance", *first.Label)
	require.Equal(t, []string{"insurance", "governing_law"}, b.labels(t, s.ID))
	exec(`UPDATE sentences SET source = 'validated', validated_at = now(), label = label WHERE id = $1`, s.ID)
	require.Equal(t, []string{"insurance"}, b.labels(t, s.ID), "it confirmed the one that it saw")

	_, s = b.several(t, "insurance", "governing_law")
	exec(`UPDATE sentences SET label = 'audit_rights', score = 0.5, source = 'predicted' WHERE id = $1`, s.ID)
	require.Equal(t, []string{"audit_rights"}, b.labels(t, s.ID))

	file, s := b.several(t, "insurance", "governing_law")
	exec(`UPDATE files SET progress_at = now() WHERE id = $1`, file)
	exec(`UPDATE sentences SET label = label, score = score, source = source WHERE id = $1`, s.ID)
	require.Equal(t, []string{"insurance", "governing_law"}, b.labels(t, s.ID), "it said what was there")
}

// TestCarryLabels carries decisions about single labels over to a text that is read anew.
func TestCarryLabels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, s := b.several(t, "insurance", "governing_law", "audit_rights")
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.DecideSentences(t.Context(), b.ours, []string{s.ID}, db.Decision{Add: []string{"governing_law"}, Remove: []string{"insurance"}})
		return err
	}))
	old, err := b.db.FiledSentence(t.Context(), b.ours, s.ID)
	require.NoError(t, err)
	var renewed db.Sentence
	model, score := db.NewID(), float32(0.7)
	says := db.NewPredicted(&model, []db.ScoredLabel{{Node: "insurance", Score: &score}, {Node: "exclusivity", Score: &score}}, nil)
	renewed.Predict(says)
	renewed.CarryFrom(old.Labelling)
	var nodes []string
	for _, l := range renewed.Labels() {
		nodes = append(nodes, l.Node+" "+l.Source)
	}
	require.Equal(t, []string{"governing_law validated", "exclusivity predicted"}, nodes)
	require.Equal(t, "insurance", renewed.Refused()[0].Node)
	require.Equal(t, says, *renewed.Prediction)

	var later db.Sentence
	later.CarryFrom(old.Labelling)
	require.Equal(t, old.Labelling, later.Labelling)
	later.Predict(says)
	require.Equal(t, renewed.Labelling, later.Labelling, "before or after the analysis")
}
