package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
)

func TestTeamStatus(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const path = "GET /api/teams/status"
	before := get[api.TeamStatus](t, b.call(t, b.alice, path, ""), http.StatusOK)
	require.Zero(t, before.Files)
	require.Equal(t, 1, before.Members)

	get[api.File](t, b.call(t, b.alice, "POST /api/files", `{"name":"a.txt","contentBase64":"VGhlIFRlbmFudCBwYXlzLg=="}`), http.StatusAccepted)
	after := get[api.TeamStatus](t, b.call(t, b.alice, path, ""), http.StatusOK)
	require.Equal(t, 1, after.Files)
	require.Equal(t, map[string]int{"queued": 1}, after.FilesByStatus)
	require.EqualValues(t, len("The Tenant pays."), after.StorageUsed)
	require.Equal(t, 1, after.QueueDepth)
	require.NotNil(t, after.OldestWaitingJob)
	require.Zero(t, get[api.TeamStatus](t, b.call(t, b.mallory, path, ""), http.StatusOK).QueueDepth)
}
