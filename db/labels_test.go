package db_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/query"
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
		_, _, err := tx.DecideSentences(t.Context(), b.ours, []string{s.ID}, db.Decision{Add: []string{"governing_law"}, Remove: []string{"insurance"}})
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

// TestOneLabel asks for a label and a score or a source in one condition: both are of the
// same label of a sentence.
func TestOneLabel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, s := b.several(t, "insurance", "governing_law") // 0.9 and 0.8
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		decided, _, err := tx.DecideSentences(t.Context(), b.ours, []string{s.ID}, db.Decision{Add: []string{"insurance", "audit_rights"}})
		require.Equal(t, []string{s.ID}, decided)
		return err
	}))
	law, sure, given := query.Is(query.Label, "governing_law"), query.Compare(query.LabelScore, query.AtLeast, "0.85"), query.Is(query.LabelSource, "validated")
	for name, tt := range map[string]struct {
		filter db.SentenceFilter
		want   int
	}{
		"of another":       {db.SentenceFilter{Where: query.And(law, sure)}, 0},
		"given another":    {db.SentenceFilter{Where: query.And(law, given)}, 0},
		"in two places":    {db.SentenceFilter{Labels: []string{"governing_law"}, Where: sure}, 0},
		"either":           {db.SentenceFilter{Where: query.And(query.Is(query.Label, "governing_law", "insurance"), sure)}, 1},
		"given":            {db.SentenceFilter{Where: query.And(query.Is(query.Label, "audit_rights"), given)}, 1},
		"not its first":    {db.SentenceFilter{Where: query.And(law, query.Compare(query.LabelScore, query.AtLeast, "0.75"))}, 1},
		"by itself":        {db.SentenceFilter{Where: law}, 1},
		"with other parts": {db.SentenceFilter{Where: query.And(law, sure, query.Compare(query.Page, query.AtLeast, "1"))}, 0},
		"denied":           {db.SentenceFilter{Where: query.Filter{Not: &query.Filter{All: []query.Filter{law, sure}}}}, 1},
	} {
		var err error
		tt.filter.Where, err = tt.filter.Where.Checked(query.Sentences, time.Now())
		require.NoError(t, err, name)
		n, err := b.db.CountSentences(t.Context(), b.ours, tt.filter, 9)
		require.NoError(t, err, name)
		require.Equal(t, tt.want, n, name)
	}
}

// TestTrainingsCountEveryDecision has a first training fall due by a label of the team's
// own that was given beside others, and a model retire when the earlier of two decisions
// on a sentence is withdrawn with the later one.
func TestTrainingsCountEveryDecision(t *testing.T) {
	t.Parallel()
	b := setup(t)
	due := func() bool {
		t.Helper()
		list, err := b.db.DueTrainings(t.Context(), db.DueTraining{New: 1, First: 50, Examples: 2})
		require.NoError(t, err)
		return slices.ContainsFunc(list, func(d db.Training) bool { return d.TeamID == b.ours.TeamID })
	}
	decide := func(id string, d db.Decision) {
		t.Helper()
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
			_, _, err := tx.DecideSentences(t.Context(), b.ours, []string{id}, d)
			return err
		}))
	}
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.AddNode(t.Context(), b.ours, db.Node{Key: "weather", Name: "Weather"})
		return err
	}))
	file, first := b.several(t, "insurance", "governing_law")
	_, second := b.several(t, "insurance")
	decide(first.ID, db.Decision{Add: []string{"weather"}}) // the others stay open
	require.False(t, due(), "of one example")
	decide(second.ID, db.Decision{Set: true, Labels: []string{"insurance", "weather"}})
	require.True(t, due())
	files, err := b.db.DecidedFiles(t.Context(), b.ours, 9)
	require.NoError(t, err)
	require.Contains(t, files, file)

	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		if err := tx.SaveModel(t.Context(), b.ours, db.Model{ID: db.NewID(), Version: 1, Status: db.ModelActive, BaseID: db.NewID(), Metrics: []byte("{}")}, []byte{1}); err != nil {
			return err
		}
		for _, earlier := range []string{ // all of a test happens at one time
			`UPDATE models SET trained_at = now() - interval '1 hour' WHERE team_id = $1`,
			`UPDATE sentences SET validated_at = now() - interval '2 hours', labels = (
				SELECT jsonb_agg(CASE WHEN l ? 'validatedAt' THEN jsonb_set(l, '{validatedAt}', to_jsonb(now() - interval '2 hours')) ELSE l END)
				FROM jsonb_array_elements(labels) l) WHERE team_id = $1`,
		} {
			if _, err := tx.Raw.Exec(t.Context(), earlier, b.ours.TeamID); err != nil {
				return err
			}
		}
		return nil
	}))
	decide(first.ID, db.Decision{Add: []string{"audit_rights"}})
	stands, err := b.db.ModelStands(t.Context(), b.ours)
	require.NoError(t, err)
	require.True(t, stands)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		done, _, err := tx.WithdrawSentences(t.Context(), b.ours, []string{first.ID})
		require.Equal(t, []string{first.ID}, done.Sentences)
		return err
	}))
	stands, err = b.db.ModelStands(t.Context(), b.ours)
	require.NoError(t, err)
	require.False(t, stands, "it learned from the first of the two decisions")
}

// TestTrainingsFollowTheBase has a model that was learned on another base fall due where there
// are decisions to learn from, and not at once.
func TestTrainingsFollowTheBase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	base := db.NewID()
	due := func() bool {
		t.Helper()
		list, err := b.db.DueTrainings(t.Context(), db.DueTraining{New: 5, First: 50, Examples: 5, Base: base})
		require.NoError(t, err)
		return slices.ContainsFunc(list, func(d db.Training) bool { return d.TeamID == b.ours.TeamID && d.Version == 2 && d.Standing })
	}
	trained := func(base, age string) {
		t.Helper()
		_, err := b.db.Conn().Exec(t.Context(), `UPDATE models SET base_id = $2, trained_at = now() - $3::interval WHERE team_id = $1`, b.ours.TeamID, base, age)
		require.NoError(t, err)
	}
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.SaveModel(t.Context(), b.ours, db.Model{ID: db.NewID(), Version: 1, Status: db.ModelActive, BaseID: db.NewID(), Metrics: []byte("{}")}, []byte{1})
	}))
	trained(db.NewID(), "2 hours")
	require.False(t, due(), "nothing is there to learn from")
	_, sentence := b.several(t, "insurance")
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, _, err := tx.DecideSentences(t.Context(), b.ours, []string{sentence.ID}, db.Decision{Set: true, Labels: []string{"insurance"}})
		return err
	}))
	require.True(t, due())
	trained(db.NewID(), "10 minutes")
	require.False(t, due(), "another release may have learned it")
	trained(base, "2 hours")
	require.False(t, due())
}

// TestClose has what came close to being a label stored with a sentence, and there again
// once a decision is withdrawn.
func TestClose(t *testing.T) {
	t.Parallel()
	b := setup(t)
	scored := func(scores ...float32) (list []db.ScoredLabel) {
		for i := range scores {
			list = append(list, db.ScoredLabel{Node: []string{"insurance", "exclusivity", "audit_rights"}[i], Score: &scores[i]})
		}
		return list
	}
	model := db.NewID()
	require.Nil(t, db.NewPredicted(&model, nil, scored(0.25)).Close, "the closest is suggested")
	require.Nil(t, db.NewPredicted(&model, scored(0.75), nil).Close)
	require.InDelta(t, 0.375, *db.NewPredicted(&model, nil, scored(0.5, 0.25, 0.125)).Close, 0)
	s := db.Sentence{ID: db.NewID(), Page: 1, End: 5, Text: "Words"}
	s.Predict(db.NewPredicted(&model, scored(0.75), scored(0.25, 0.125)))
	f, text := b.file(t, b.ours), textOf()
	text.Sentences = []db.Sentence{s}
	write := func(do func(tx *db.Tx) error) {
		t.Helper()
		require.NoError(t, b.db.InTx(t.Context(), do))
	}
	write(func(tx *db.Tx) error {
		_, err := tx.SaveText(t.Context(), b.ours, f.ID, text)
		return err
	})
	said := func() *float32 {
		t.Helper()
		stored, err := b.db.FiledSentence(t.Context(), b.ours, s.ID)
		require.NoError(t, err)
		return stored.Close
	}
	require.InDelta(t, 0.375, *said(), 0)
	write(func(tx *db.Tx) error {
		_, _, err := tx.DecideSentences(t.Context(), b.ours, []string{s.ID}, db.Decision{Set: true})
		return err
	})
	require.Nil(t, said(), "a person said that there are none")
	write(func(tx *db.Tx) error {
		_, _, err := tx.WithdrawSentences(t.Context(), b.ours, []string{s.ID})
		return err
	})
	require.InDelta(t, 0.375, *said(), 0)
}
