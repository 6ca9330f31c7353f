package worker_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/model"
	"github.com/clausemill/clausemill/nlp"
)

// deposit is a contract of which the deposit is asked for, and not the fee.
func deposit(n int) string {
	said := []string{"The Tenant hands over a surety of $%d,500.00 before moving in.", "Before moving in, the Tenant provides a surety in the amount of $%d,500.00 to the Landlord."}
	return fmt.Sprintf("STORAGE AGREEMENT\n\nThis Agreement is made on %d May 2020.\n\n1. Fee\nThe fee of $%d.00 is paid each month. Late payment costs $25.00.\n\n2. Surety\n", n+1, 90+n) +
		fmt.Sprintf(said[n%2], n+2) + "\n\n3. Goods\nNo goods worth more than $90,000.00 are stored.\n"
}

// mark marks the surety of a contract.
func (m *mill) mark(f db.OwnField, file db.File, n int) {
	m.t.Helper()
	words := fmt.Sprintf("$%d,500.00", n+2)
	span, ok := nlp.NewPlacer(deposit(n)).Find(words, 0)
	require.True(m.t, ok)
	value, ok := model.Marked(f, "en", words, "")
	require.True(m.t, ok)
	page := 1
	require.NoError(m.t, m.db.InTx(m.t.Context(), func(tx *db.Tx) error {
		_, err := tx.MarkField(m.t.Context(), m.in, f, db.FieldMark{
			FileID: file.ID, Value: value.Value, Normalized: value.Normalized, Canonical: value.Canonical, Start: &span.Start, End: &span.End, Page: &page, Quote: words,
		})
		return err
	}))
}

// surety are the values that a file has for the field.
func (m *mill) surety(fileID, key string) []db.Attribute {
	m.t.Helper()
	rows, err := m.db.Attributes(m.t.Context(), m.in, fileID, db.AttributePlace{Level: db.FileLevel, Key: key, After: -1, Limit: 9})
	require.NoError(m.t, err)
	return rows
}

// TestLearnsFields marks a value in ten contracts, after which it is proposed in those that
// are there and in those that come; decisions and marks outlive another reading.
func TestLearnsFields(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	ctx := t.Context()
	var files []db.File
	for n := range 12 {
		f := m.upload(fmt.Sprintf("%d.txt", n), []byte(deposit(n)))
		m.wait(f.ID)
		files = append(files, f)
	}
	var field db.OwnField
	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) (err error) {
		field, err = tx.DeclareField(ctx, m.in, db.OwnField{Key: "surety_amount", Name: "Surety", Type: "money", Question: "What does the tenant hand over as surety?"})
		return err
	}))
	for n := range 10 {
		m.mark(field, files[n], n)
	}
	learned := func(version int) db.FieldModel {
		require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error { return jobs.Insert(ctx, m.client, tx.Raw, jobs.PlanTraining{}) }))
		var models []db.FieldModel
		require.Eventually(t, func() bool {
			var err error
			models, err = m.db.FieldModels(ctx, m.in, field.ID, 9)
			if err != nil || len(models) < version {
				return false
			}
			ops, err := m.db.Operations(ctx, m.in, "", 99)
			for _, op := range ops {
				if err != nil || op.State == "running" {
					return false
				}
			}
			return true
		}, time.Minute, 20*time.Millisecond)
		return models[0]
	}
	first := learned(1)
	require.Equal(t, db.FieldModelActive, first.Status)
	var report nlp.FieldReport
	require.NoError(t, json.Unmarshal(first.Metrics, &report))
	require.Equal(t, 10, report.Files)
	require.Greater(t, report.F1, 0.7)

	late := m.upload("late.txt", []byte(deposit(20)))
	m.wait(late.ID)
	for n, f := range map[int]db.File{10: files[10], 11: files[11], 20: late} {
		rows := m.surety(f.ID, field.Key)
		require.Len(t, rows, 1, "contract %d", n)
		require.Equal(t, fmt.Sprintf("$%d,500.00", n+2), rows[0].Value)
		require.Equal(t, "model", rows[0].Source)
		require.Equal(t, rows[0].Value, rows[0].Spans[0].Quote)
		require.Less(t, rows[0].Confidence, float32(1))
	}

	// One proposal is confirmed and one refused, and the contracts are read again.
	decide := func(f db.File, d db.AttributeDecision) {
		require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
			_, err := tx.DecideAttribute(ctx, m.in, f.ID, field.Key, m.surety(f.ID, field.Key)[0].Value, d)
			return err
		}))
	}
	decide(files[10], db.ConfirmedValue)
	decide(files[11], db.RefusedValue)
	for _, f := range []db.File{files[0], files[10], files[11]} {
		m.restart(f.ID, db.FileOptions{})
		m.wait(f.ID)
	}
	require.Equal(t, db.ConfirmedValue, *m.surety(files[10].ID, field.Key)[0].Decision)
	require.Empty(t, m.surety(files[11].ID, field.Key))
	kept := m.surety(files[0].ID, field.Key)
	require.Equal(t, "human", kept[0].Source)
	require.Equal(t, "$2,500.00", kept[0].Spans[0].Quote)

	// Both decisions are learned from: one file more.
	require.NoError(t, json.Unmarshal(learned(2).Metrics, &report))
	require.Equal(t, 12, report.Files)
	require.Equal(t, 11, report.Examples)

	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
		_, err := tx.DeleteField(ctx, m.in, field)
		return err
	}))
	require.Empty(t, m.surety(files[0].ID, field.Key))
	require.Empty(t, m.surety(late.ID, field.Key))
}

// TestProposesToTheEnd reads files for a field of which the operation counts only some: others
// were uploaded since, or a worker was killed that had counted them.
func TestProposesToTheEnd(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	ctx := t.Context()
	for n := range 3 {
		m.wait(m.upload(fmt.Sprintf("%d.txt", n), []byte(deposit(n))).ID)
	}
	var op db.Operation
	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
		field, err := tx.DeclareField(ctx, m.in, db.OwnField{Key: "surety_amount", Name: "Surety", Type: "money", Question: "What is the surety?"})
		if err != nil {
			return err
		}
		if op, err = tx.CreateOperation(ctx, m.in, "propose", 1, nil); err != nil {
			return err
		}
		return jobs.Insert(ctx, m.client, tx.Raw, jobs.ProposeField{OperationID: op.ID, TeamID: m.in.TeamID, Key: field.Key, Version: field.Version})
	}))
	const of = `SELECT count(*) FROM river_job WHERE kind = 'propose_field' AND state = '%s'`
	require.Eventually(t, func() bool {
		return m.count(fmt.Sprintf(of, "completed")) == 1 || m.count(fmt.Sprintf(of, "retryable")) == 1
	}, time.Minute, 20*time.Millisecond)
	require.Equal(t, 1, m.count(fmt.Sprintf(of, "completed")))
	op, err := m.db.Operation(ctx, m.in, op.ID)
	require.NoError(t, err)
	require.Equal(t, "completed", op.State)
	require.Equal(t, 1, op.Done)
}
