package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/model"
	"github.com/clausemill/clausemill/nlp"
)

// TestOutdatedModelGivesWay has a team's model be of a format that is no longer
// read: its files are labelled all the same.
func TestOutdatedModelGivesWay(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	var in db.Scope
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		user, err := tx.EnsureUser(t.Context(), db.NewID()+"@example.com", "Ada")
		if err != nil {
			return err
		}
		in = db.System(user.PersonalTeamID)
		return tx.SaveModel(t.Context(), in, db.Model{ID: db.NewID(), Version: 1, Status: db.ModelActive, BaseID: nlp.BaseModelID(), Metrics: []byte("{}")},
			[]byte("clausemill labels 1\n"))
	}))
	id, m, err := model.NewStore(d).Active(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, nlp.BaseModelID(), id)
	require.NotEmpty(t, m.Nodes())
}
