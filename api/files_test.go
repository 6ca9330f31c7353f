package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
)

func TestUploadAndRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.aliceKey)
	require.Equal(t, "lease.pdf", f.Name)
	read := get[api.File](t, b.call(t, b.alice, "GET /api/files/"+f.ID, ""), http.StatusOK)
	require.Equal(t, f.SHA256, read.SHA256)
}
