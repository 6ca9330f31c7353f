package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSearchWithoutItsEngine names a search engine that does not answer: files
// are read all the same, and Postgres finds them.
func TestSearchWithoutItsEngine(t *testing.T) {
	_, c, browser := newService(t, "MEILI_URL=http://127.0.0.1:1", "MEILI_KEY=x")
	note := c.upload(upload{"note.txt", []byte("The Tenant shall pay the rent.")})
	require.Equal(t, "completed_with_warnings", c.wait(note.ID, time.Minute).Status)
	for range 4 { // more often than the engine is asked before it is left alone
		var found struct {
			Engine string
			Items  []struct{ FileID string }
		}
		browser.get("/api/search?q=rent").into(t, http.StatusOK, &found)
		require.Equal(t, "postgres", found.Engine)
		require.Len(t, found.Items, 1)
		require.Equal(t, note.ID, found.Items[0].FileID)
	}
}
