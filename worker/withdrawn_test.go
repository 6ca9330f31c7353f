package worker_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/worker"
)

// relabelled waits until so many relabelings have ended.
func (m *mill) relabelled(n int) {
	m.t.Helper()
	require.Eventually(m.t, func() bool {
		ops, err := m.db.Operations(m.t.Context(), m.in, "", 9)
		return err == nil && len(ops) == n && ops[0].Kind == "relabel" && ops[0].State == "completed"
	}, time.Minute, 20*time.Millisecond)
}

// TestWithdrawnDecisions teaches a team's model something wrong and takes it back:
// what models say is kept beside decisions through every reading and training,
// counts again when they are withdrawn, and nothing of what was withdrawn is left
// in the model that labels.
func TestWithdrawnDecisions(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	ctx := t.Context()
	f := m.laws()
	before, err := m.db.Sentences(ctx, m.in, f.ID)
	require.NoError(t, err)
	idsNow := func() []string {
		sentences, err := m.db.Sentences(ctx, m.in, f.ID)
		require.NoError(t, err)
		require.Len(t, sentences, len(before))
		ids := make([]string, len(sentences))
		for i, s := range sentences {
			ids[i] = s.ID
		}
		return ids
	}
	wrong := "weather"
	decide := func(ids []string) {
		require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
			_, _, err := tx.DecideSentences(ctx, m.in, ids, db.Decision{Set: true, Labels: []string{wrong}})
			return err
		}))
	}
	// Too few to train on: the worker plans on its own as well.
	few := before[:40]
	decide(idsNow()[:len(few)])

	for _, from := range []string{"segment", "classify"} {
		m.restart(f.ID, db.FileOptions{From: from})
		m.wait(f.ID)
		decided, err := m.db.DecidedSentences(ctx, m.in, f.ID)
		require.NoError(t, err)
		require.Len(t, decided, len(few))
		for i, s := range decided {
			require.Equal(t, &db.Predicted{Label: before[i].Label, Suggested: before[i].Suggested, Score: before[i].Score, Close: before[i].Close, ModelID: before[i].ModelID}, s.Prediction, from)
		}
	}

	plan := func() {
		require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error { return jobs.Insert(ctx, m.client, tx.Raw, jobs.PlanTraining{}) }))
	}
	ids := idsNow() // those nobody decided on have new ones
	for i, id := range ids {
		before[i].ID = id
	}
	decide(ids[len(few):])
	plan()
	m.relabelled(1)
	models, err := m.db.Models(ctx, m.in)
	require.NoError(t, err)
	require.Equal(t, db.ModelActive, models[0].Status)
	decided, err := m.db.DecidedSentences(ctx, m.in, f.ID)
	require.NoError(t, err)
	for _, s := range decided {
		require.Equal(t, models[0].ID, *s.Prediction.ModelID, "what the model says that labels now")
	}
	stands, err := m.db.ModelStands(ctx, m.in)
	require.NoError(t, err)
	require.True(t, stands)

	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
		done, refused, err := tx.WithdrawSentences(ctx, m.in, ids)
		require.Empty(t, refused)
		require.ElementsMatch(t, ids, done.Sentences)
		require.Empty(t, done.Unread)
		require.NoError(t, err)
		stands, err = tx.ModelStands(ctx, m.in)
		require.NoError(t, err)
		require.False(t, stands)
		due, err := tx.DueTrainings(ctx, worker.DueTraining)
		require.Contains(t, due, db.Training{TeamID: m.in.TeamID, Version: 2})
		return err
	}))
	plan()
	m.relabelled(2)
	after, err := m.db.Sentences(ctx, m.in, f.ID)
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.Equal(t, nlp.BaseModelID(), *after[0].ModelID)
}

// TestAnalyzeAgain is about what was decided before the model's word was kept: it
// is asked once more.
func TestAnalyzeAgain(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	ctx := t.Context()
	f := m.upload("lease.txt", []byte(lease))
	m.wait(f.ID)
	before, err := m.db.Sentences(ctx, m.in, f.ID)
	require.NoError(t, err)
	_, err = m.db.Pool().Exec(ctx, `UPDATE sentences SET source = 'validated', label = 'weather', model_id = NULL, score = NULL WHERE file_id = $1`, f.ID)
	require.NoError(t, err)
	_, err = m.db.Pool().Exec(ctx, `UPDATE analyses SET keeps_overruled = false WHERE file_id = $1`, f.ID)
	require.NoError(t, err)
	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
		ids := make([]string, len(before))
		for i, s := range before {
			ids[i] = s.ID
		}
		done, _, err := tx.WithdrawSentences(ctx, m.in, ids)
		require.NoError(t, err)
		require.Equal(t, []string{f.ID}, done.Unread)
		op, err := tx.CreateOperation(ctx, m.in, "relabel", 1, nil)
		require.NoError(t, err)
		return jobs.Insert(ctx, m.client, tx.Raw, jobs.RelabelFiles{OperationID: op.ID, TeamID: m.in.TeamID, FileIDs: done.Unread})
	}))
	m.relabelled(1)
	after, err := m.db.Sentences(ctx, m.in, f.ID)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// TestSupersededRelabelling has a model label files again that is not active any more: they
// are left to the one that is.
func TestSupersededRelabelling(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	ctx := t.Context()
	f := m.upload("lease.txt", []byte(lease))
	m.wait(f.ID)
	_, err := m.db.Pool().Exec(ctx, `UPDATE analyses SET model_id = $1 WHERE file_id = $2`, db.NewID(), f.ID)
	require.NoError(t, err)
	relabel := func(model string) {
		require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
			op, err := tx.CreateRelabelling(ctx, m.in, model)
			require.NoError(t, err)
			return jobs.Insert(ctx, m.client, tx.Raw, jobs.RelabelFiles{OperationID: op.ID, TeamID: m.in.TeamID, ModelID: model})
		}))
	}
	otherwise := func() []string {
		list, err := m.db.LabelledOtherwise(ctx, m.in, nlp.BaseModelID(), "", 9)
		require.NoError(t, err)
		return list
	}
	relabel(db.NewID())
	m.relabelled(1)
	require.Equal(t, []string{f.ID}, otherwise())
	relabel(nlp.BaseModelID())
	m.relabelled(2)
	require.Empty(t, otherwise())
}
