package worker_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
)

// leaseTo is a lease of Ada's with a tenant of its own.
func leaseTo(n int) (text, tenant string) {
	tenant = []string{"Bob", "Carol", "Dave", "Erin", "Frank", "Grace", "Heidi", "Ivan", "Judy"}[n] + " Ltd."
	return strings.ReplaceAll(lease, "Bob Ltd.", tenant), tenant
}

// counterparties are those of a file.
func (m *mill) counterparties(id string) []string { return m.file(id).Counterparties }

// operationsEnded waits for all operations to end, and returns how many there were.
func (m *mill) operationsEnded() (n int) {
	require.Eventually(m.t, func() bool {
		ops, err := m.db.Operations(m.t.Context(), m.in, "", 99)
		for _, op := range ops {
			if op.State == "running" {
				return false
			}
		}
		n = len(ops)
		return err == nil
	}, time.Minute, 20*time.Millisecond)
	return n
}

// TestOwnNames has a team learn its name from eight leases, one of which comes while the
// others are read for it, and be told another, and that it has none.
func TestOwnNames(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	ctx := t.Context()
	m.start()
	learn := func() {
		require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error { return jobs.Insert(ctx, m.client, tx.Raw, jobs.LearnNames{}) }))
	}
	var files []db.File
	upload := func(n int) {
		text, _ := leaseTo(n)
		f := m.upload(fmt.Sprintf("%d.txt", n), []byte(text))
		m.wait(f.ID)
		files = append(files, f)
	}
	for n := range 8 {
		upload(n)
	}
	require.Empty(t, m.counterparties(files[0].ID), "which side the team is on is not known")
	learn()
	require.Eventually(t, func() bool {
		own, err := m.db.OwnNames(ctx, m.in)
		return err == nil && own.Source != nil
	}, time.Minute, 20*time.Millisecond)
	require.Equal(t, 1, m.operationsEnded())
	own, err := m.db.OwnNames(ctx, m.in)
	require.NoError(t, err)
	require.Equal(t, db.NamesLearned, *own.Source)
	require.Equal(t, []string{"Ada Ltd."}, own.Names)
	upload(8)
	for n, f := range files {
		_, tenant := leaseTo(n)
		require.Equal(t, []string{tenant}, m.counterparties(f.ID))
	}

	// Somebody says that it is Bob, by another form and spelling. There are more files than
	// the operation was asked to go through.
	set := func(total int, names ...string) {
		require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
			if err := tx.SetOwnNames(ctx, m.in, names); err != nil {
				return err
			}
			op, err := tx.CreateOperation(ctx, m.in, "parties", total, nil)
			if err != nil {
				return err
			}
			return jobs.Insert(ctx, m.client, tx.Raw, jobs.ReadParties{OperationID: op.ID, TeamID: m.in.TeamID})
		}))
		m.operationsEnded()
	}
	set(1, "BOB GmbH")
	require.Equal(t, []string{"Ada Ltd."}, m.counterparties(files[0].ID))
	require.Empty(t, m.counterparties(files[8].ID), "a lease of others")
	set(9)
	require.Empty(t, m.counterparties(files[0].ID))

	// Nothing is learned against what users said.
	learn()
	require.Eventually(t, func() bool {
		return m.count(`SELECT count(*) FROM river_job WHERE kind = 'learn_names' AND finalized_at IS NULL`) == 0
	}, time.Minute, 20*time.Millisecond)
	own, err = m.db.OwnNames(ctx, m.in)
	require.NoError(t, err)
	require.Equal(t, db.NamesGiven, *own.Source)
	require.Empty(t, own.Names)
}

// TestNoOwnName has nothing learned where two are on all contracts.
func TestNoOwnName(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	ctx := t.Context()
	m.start()
	for n := range 9 {
		m.wait(m.upload(fmt.Sprintf("%d.txt", n), fmt.Appendf([]byte(lease), "\nCopy %d of nine.\n", n)).ID)
	}
	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error { return jobs.Insert(ctx, m.client, tx.Raw, jobs.LearnNames{}) }))
	require.Eventually(t, func() bool {
		return m.count(`SELECT count(*) FROM river_job WHERE kind = 'learn_names' AND finalized_at IS NULL`) == 0
	}, time.Minute, 20*time.Millisecond)
	own, err := m.db.OwnNames(ctx, m.in)
	require.NoError(t, err)
	require.Nil(t, own.Source)
	frequent, err := m.db.FrequentParties(ctx, m.in, 100, 5)
	require.NoError(t, err)
	require.Equal(t, []db.NamedParty{{Name: "Ada Ltd.", Files: 9, Of: 9}, {Name: "Bob Ltd.", Files: 9, Of: 9}}, frequent, "who are you?")
}
