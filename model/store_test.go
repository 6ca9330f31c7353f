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

// TestRetiredNodes has a team merge a node that its model knows: the model means
// the other one by it.
func TestRetiredNodes(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	base, err := nlp.BaseModel()
	require.NoError(t, err)
	passage := nlp.Passage{Text: "The seeds are handed over in jute sacks.", Kind: nlp.Paragraph}
	var decisions []nlp.Example
	for range nlp.LeastExamples {
		decisions = append(decisions, nlp.Example{
			Passages: []nlp.Passage{passage, {Text: "The parties met on that day."}}, Labels: [][]string{{"seeds"}, nil}, Decided: []bool{true, true},
		})
	}
	trained, _, err := base.Adapt(t.Context(), decisions)
	require.NoError(t, err)
	data, err := trained.AppendBinary(nil)
	require.NoError(t, err)
	var in db.Scope
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		user, err := tx.EnsureUser(t.Context(), db.NewID()+"@example.com", "Ada")
		require.NoError(t, err)
		in = db.System(user.PersonalTeamID)
		_, err = tx.AddNode(t.Context(), in, db.Node{Key: "seeds", Name: "Seeds"})
		require.NoError(t, err)
		return tx.SaveModel(t.Context(), in, db.Model{ID: db.NewID(), Version: 1, Status: db.ModelActive, BaseID: nlp.BaseModelID(), Metrics: []byte("{}")}, data)
	}))
	store := model.NewStore(d)
	label := func() string {
		_, m, err := store.Active(t.Context(), in)
		require.NoError(t, err)
		return m.Predict([]nlp.Passage{passage})[0].Labels[0].Node
	}
	require.Equal(t, "seeds", label())
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		node, err := tx.NodeForUpdate(t.Context(), in, "seeds")
		require.NoError(t, err)
		_, err = tx.MergeNode(t.Context(), in, node, "insurance")
		return err
	}))
	require.Equal(t, "insurance", label())
}
