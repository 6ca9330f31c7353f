package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/nlp"
)

func TestModels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const list = "GET /api/models/section"
	only := get[api.List[api.Model]](t, b.call(t, b.alice, list, ""), http.StatusOK)
	require.Len(t, only.Items, 1)
	require.Equal(t, nlp.BaseModelID(), only.Items[0].ID)
	require.Equal(t, db.ModelActive, only.Items[0].Status)
	metrics, err := nlp.BaseMetrics()
	require.NoError(t, err)
	require.InDelta(t, metrics.MicroF1, only.Items[0].Metrics.MicroF1, 0)
	require.Len(t, only.Items[0].Metrics.PerNode, len(nlp.Taxonomy()))
	require.Nil(t, only.Items[0].Metrics.Agreed, "nobody decided")

	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.RefuseModel(t.Context(), b.alice.scope, 1, "there are no decisions to learn from")
	}))
	require.Equal(t, "there are no decisions to learn from", get[api.ModelList](t, b.call(t, b.alice, list, ""), http.StatusOK).Refused.Reason)
	require.Nil(t, get[api.ModelList](t, b.call(t, b.mallory, list, ""), http.StatusOK).Refused)
	first, second := db.NewID(), db.NewID()
	for version, id := range []string{first, second} {
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
			return tx.SaveModel(t.Context(), b.alice.scope, db.Model{
				ID: id, Version: version + 1, Status: db.ModelActive, BaseID: nlp.BaseModelID(), Sentences: 50,
				Metrics: []byte(`{"trial":{"after":{"passages":10,"microF1":0.5,"perNode":[{"node":"insurance","labels":4,"f1":0.5},{"node":"parties","labels":0}]},
					"gain":{"value":0.02,"low":-0.01,"high":0.05},"reason":"it may be chance"},"own":[{"node":"seeds","examples":5,"learned":true,"found":4,"wrong":1}]}`),
			}, []byte("data"))
		}))
	}
	all := get[api.ModelList](t, b.call(t, b.alice, list, ""), http.StatusOK)
	require.Nil(t, all.Refused, "a newer one was made")
	require.Len(t, all.Items, 3)
	require.Equal(t, []string{second, first, nlp.BaseModelID()}, []string{all.Items[0].ID, all.Items[1].ID, all.Items[2].ID})
	require.Equal(t, []db.ModelStatus{db.ModelActive, db.ModelRetired, db.ModelRetired}, []db.ModelStatus{all.Items[0].Status, all.Items[1].Status, all.Items[2].Status})

	one := get[api.Model](t, b.call(t, b.alice, list+"/"+second, ""), http.StatusOK)
	require.Equal(t, all.Items[0], one)
	require.Equal(t, "2", one.Version)
	require.InDelta(t, 0.5, one.Metrics.MicroF1, 0)
	require.NotNil(t, one.Metrics.Agreed)
	require.Equal(t, &api.Interval{Value: 0.02, Low: -0.01, High: 0.05}, one.Gain)
	require.False(t, *one.Corrected)
	require.Equal(t, "it may be chance", one.Reason)
	require.Equal(t, []api.OwnLabel{{Node: "seeds", Examples: 5, Learned: true, Found: 4, Wrong: 1}}, one.OwnLabels)
	require.Equal(t, []api.NodeMetrics{{Node: "insurance", Sentences: 4, F1: 0.5}}, one.Metrics.PerNode, "those that occur")
	require.Equal(t, db.ModelRetired, get[api.Model](t, b.call(t, b.alice, list+"/"+nlp.BaseModelID(), ""), http.StatusOK).Status)

	activate := "POST /api/models/section/%s/activate"
	back := get[api.Accepted](t, b.call(t, b.alice, fmt.Sprintf(activate, first), ""), http.StatusAccepted)
	require.Equal(t, "relabel", get[api.Operation](t, b.call(t, b.alice, "GET "+back.StatusURL, ""), http.StatusOK).Kind)
	require.Equal(t, db.ModelActive, get[api.Model](t, b.call(t, b.alice, list+"/"+first, ""), http.StatusOK).Status)
	require.Equal(t, db.ModelRetired, get[api.Model](t, b.call(t, b.alice, list+"/"+second, ""), http.StatusOK).Status)
	get[api.Error](t, b.call(t, b.alice, fmt.Sprintf(activate, first), ""), http.StatusConflict)
	get[api.Accepted](t, b.call(t, b.alice, fmt.Sprintf(activate, nlp.BaseModelID()), ""), http.StatusAccepted)
	require.Equal(t, db.ModelActive, get[api.Model](t, b.call(t, b.alice, list+"/"+nlp.BaseModelID(), ""), http.StatusOK).Status)
	get[api.Error](t, b.call(t, b.alice, fmt.Sprintf(activate, nlp.BaseModelID()), ""), http.StatusConflict)
	get[api.Error](t, b.call(t, b.alice, fmt.Sprintf(activate, db.NewID()), ""), http.StatusNotFound)
	get[api.Error](t, b.call(t, b.mallory, fmt.Sprintf(activate, second), ""), http.StatusNotFound)

	get[api.Error](t, b.call(t, b.mallory, list+"/"+second, ""), http.StatusNotFound)
	require.Len(t, get[api.List[api.Model]](t, b.call(t, b.mallory, list, ""), http.StatusOK).Items, 1)
	require.Equal(t, db.ModelActive, get[api.Model](t, b.call(t, b.mallory, list+"/"+nlp.BaseModelID(), ""), http.StatusOK).Status)
}
