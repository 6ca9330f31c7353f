package worker_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/model"
	"github.com/clausemill/clausemill/nlp"
)

// TestLearnsFromDecisions shows a new sort of clause to a team's model, which
// then finds it in sentences that nobody has seen.
func TestLearnsFromDecisions(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	ctx := t.Context()
	contract := func(n int) string {
		var text strings.Builder
		fmt.Fprintf(&text, "SUPPLY AGREEMENT\n\nThis Agreement is made by Supplier %d and its customer.\n\n", n)
		for i := range 10 {
			fmt.Fprintf(&text, "%d.1 The Supplier shall hand over %d seeds of the wheat in sealed jute sacks at gate %d of the granary.\n\n", i+1, 10*n+i, i)
			fmt.Fprintf(&text, "%d.2 The parties met on day %d of month %d in order to talk about the weather.\n\n", i+1, i+1, n+1)
		}
		return text.String()
	}
	const node = "seed_delivery"
	isSeed := func(s db.Sentence) bool { return strings.Contains(s.Text, "seeds") }
	var seeds, others []string
	for n := range 8 {
		f := m.upload(fmt.Sprintf("%d.txt", n), []byte(contract(n)))
		m.wait(f.ID)
		sentences, err := m.db.Sentences(ctx, m.in, f.ID)
		require.NoError(t, err)
		for _, s := range sentences {
			if isSeed(s) {
				seeds = append(seeds, s.ID)
			} else {
				others = append(others, s.ID)
			}
		}
	}
	unseen := m.upload("unseen.txt", []byte(contract(9)))
	m.wait(unseen.ID)
	require.Empty(t, slices.DeleteFunc(slices.Collect(maps.Values(m.labels(unseen.ID))), func(label string) bool { return label != node }))

	// At once, since the planning that goes on by itself would train on a part.
	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
		label := node
		_, wrong, err := tx.DecideSentences(ctx, m.in, seeds, db.Decision{Set: true, Labels: []string{label}})
		require.Empty(t, wrong)
		require.NoError(t, err)
		_, wrong, err = tx.DecideSentences(ctx, m.in, others, db.Decision{Set: true})
		require.Empty(t, wrong)
		require.NoError(t, err)
		return jobs.Insert(ctx, m.client, tx.Raw, jobs.PlanTraining{})
	}))
	require.Eventually(t, func() bool {
		ops, err := m.db.Operations(ctx, m.in, "", 9)
		return err == nil && len(ops) == 1 && ops[0].Kind == "relabel" && ops[0].State == "completed" && ops[0].Done == 9
	}, time.Minute, 20*time.Millisecond)

	models, err := m.db.Models(ctx, m.in)
	require.NoError(t, err)
	require.Len(t, models, 1)
	require.Equal(t, db.ModelActive, models[0].Status)
	require.Equal(t, nlp.BaseModelID(), models[0].BaseID)
	require.Greater(t, models[0].Sentences, 100)
	var report model.Report
	require.NoError(t, json.Unmarshal(models[0].Metrics, &report))
	require.Equal(t, []nlp.OwnLabel{{Node: node, Examples: 80, Learned: true, Found: 80}}, report.Own, "the base model knows nothing of seeds")
	require.False(t, report.Trial.Accepted, "nothing was said of what it knows")
	notes, err := m.db.Notifications(ctx, m.in, db.NotificationFilter{}, "", 9)
	require.NoError(t, err)
	require.Contains(t, notes[0].Body, "seed_delivery is found in 80 of 80 examples.")
	sentences, err := m.db.Sentences(ctx, m.in, unseen.ID)
	require.NoError(t, err)
	for _, s := range sentences {
		require.Equal(t, models[0].ID, *s.ModelID)
		require.Equal(t, isSeed(s), s.Label != nil && *s.Label == node, s.Text)
	}
	due, err := m.db.DueTrainings(ctx, db.DueTraining{})
	require.NoError(t, err)
	require.Empty(t, due, "nothing was decided since")
}

// laws is a file of 60 sentences about the governing law that has been read.
func (m *mill) laws() db.File {
	m.t.Helper()
	var text strings.Builder
	for i := range 60 {
		fmt.Fprintf(&text, "%d.1 This Agreement shall be governed by the laws of the State of New York, as it stood in the year %d.\n\n", i+1, 1900+i)
	}
	f := m.upload("laws.txt", []byte(text.String()))
	m.wait(f.ID)
	return f
}

// TestWorseModelStaysCandidate trains on decisions of which those of each file say the
// opposite of the others.
func TestWorseModelStaysCandidate(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	ctx := t.Context()
	right := "governing_law"
	var ids [2][]string
	for n := range 8 {
		var text strings.Builder
		for i := range 10 {
			fmt.Fprintf(&text, "%d.1 This Agreement shall be governed by the laws of the State of New York, as it stood in the year %d.\n\n", i+1, 1900+10*n+i)
		}
		f := m.upload(fmt.Sprintf("%d.txt", n), []byte(text.String()))
		m.wait(f.ID)
		sentences, err := m.db.Sentences(ctx, m.in, f.ID)
		require.NoError(t, err)
		for _, s := range sentences {
			ids[n%2] = append(ids[n%2], s.ID)
		}
	}
	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
		for n, d := range []db.Decision{{Set: true, Labels: []string{right}}, {Set: true}} {
			if _, _, err := tx.DecideSentences(ctx, m.in, ids[n], d); err != nil {
				return err
			}
		}
		return jobs.Insert(ctx, m.client, tx.Raw, jobs.TrainModel{TeamID: m.in.TeamID, Version: 1})
	}))
	var models []db.Model
	require.Eventually(t, func() bool {
		var err error
		models, err = m.db.Models(ctx, m.in)
		return err == nil && len(models) == 1
	}, time.Minute, 20*time.Millisecond)
	require.Equal(t, db.ModelCandidate, models[0].Status)
	var report model.Report
	require.NoError(t, json.Unmarshal(models[0].Metrics, &report))
	require.Contains(t, report.Trial.Reason, "may be chance")
	ops, err := m.db.Operations(ctx, m.in, "", 9)
	require.NoError(t, err)
	require.Empty(t, ops)
	notes, err := m.db.Notifications(ctx, m.in, db.NotificationFilter{}, "", 9)
	require.NoError(t, err)
	require.Equal(t, db.ModelTrained, notes[0].Kind)
	require.Contains(t, notes[0].Body, report.Trial.Reason)
}

// TestRefusedTraining trains a team that has decided on nothing: why that makes no
// model is written down, once.
func TestRefusedTraining(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error {
		return jobs.Insert(t.Context(), m.client, tx.Raw, jobs.TrainModel{TeamID: m.in.TeamID, Version: 1})
	}))
	var refused *db.Refusal
	require.Eventually(t, func() bool {
		var err error
		refused, err = m.db.LastRefusal(t.Context(), m.in)
		return err == nil && refused != nil
	}, time.Minute, 20*time.Millisecond)
	require.Equal(t, "there are no decisions to learn from", refused.Reason)
	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error { return tx.RefuseModel(t.Context(), m.in, 1, refused.Reason) }))
	events, err := m.db.AuditEvents(t.Context(), m.in, m.in.TeamID, 9)
	require.NoError(t, err)
	require.Len(t, events, 1)
}

// TestFailedTrainingIsNotRepeated plans the same training twice, as every plan
// does while its team's decisions make no model.
func TestFailedTrainingIsNotRepeated(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	count := func() (n int) {
		row := m.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM river_job WHERE kind = 'train_model' AND args ->> 'team_id' = $1`, m.in.TeamID)
		require.NoError(t, row.Scan(&n))
		return n
	}
	ask := func() {
		require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error {
			return jobs.Insert(t.Context(), m.client, tx.Raw, jobs.TrainModel{TeamID: m.in.TeamID, Version: 1})
		}))
	}
	ask()
	require.Equal(t, 1, count())
	_, err := m.db.Pool().Exec(t.Context(),
		`UPDATE river_job SET state = 'cancelled', finalized_at = now() WHERE kind = 'train_model' AND args ->> 'team_id' = $1`, m.in.TeamID)
	require.NoError(t, err)
	ask()
	require.Equal(t, 1, count())
}

// TestTeamTypes has a team assign a type of its own until files are predicted to
// be of it.
func TestTeamTypes(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	ctx := t.Context()
	var own db.DocumentType
	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) (err error) {
		own, err = tx.CreateDocumentType(ctx, m.in, "NDA", "")
		return err
	}))
	ids := make([]string, 12)
	for i := range ids {
		ids[i] = m.wait(m.upload("nda.txt", []byte(form("Alpha Systems "+strconv.Itoa(i)+", Inc.", "Beta Foods LLC"))).ID).ID
	}
	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
		for _, id := range ids {
			if _, err := tx.UpdateFile(ctx, m.in, id, db.FileUpdate{DocumentTypeID: &own.ID}); err != nil {
				return err
			}
		}
		due, err := tx.DueTypeTrainings(ctx, nlp.BaseTypeModelID(), 10)
		require.Equal(t, []db.Training{{TeamID: m.in.TeamID, Version: 1, Standing: true}}, due, "before the plan of the minute sees them")
		return err
	}))
	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
		return jobs.Insert(ctx, m.client, tx.Raw, jobs.PlanTraining{})
	}))
	require.Eventually(t, func() bool {
		id, err := m.db.TypeModelID(ctx, m.in, nlp.BaseTypeModelID())
		return err == nil && id != ""
	}, 2*time.Minute, 20*time.Millisecond)
	due, err := m.db.DueTypeTrainings(ctx, nlp.BaseTypeModelID(), 10)
	require.NoError(t, err)
	require.Empty(t, due)

	f := m.wait(m.upload("new.txt", []byte(form("Delta Air, Inc.", "Gamma Motors GmbH"))).ID)
	require.Equal(t, own.ID, *f.DocumentTypeID)
	require.Equal(t, "predicted", *f.DocumentTypeSource)
	guess, err := m.db.TypeGuess(ctx, m.in, f.ID)
	require.NoError(t, err)
	require.NotEqual(t, nlp.BaseTypeModelID(), guess.ModelID)
}
