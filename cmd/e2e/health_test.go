package e2e_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestReady takes from a worker what it needs, one after the other, and gives it
// back: it says so where orchestrators look, and at once does its work again.
func TestReady(t *testing.T) {
	long(t)
	t.Parallel()
	s := newSystem(t)
	recogniser := filepath.Join(s.dir, "clausemill-ocr")
	require.NoError(t, os.Symlink(ocrProgram, recogniser))
	address, operators, serving := freeAddress(t), freeAddress(t), freeAddress(t)
	s.api(address, "CLAUSEMILL_METRICS_ADDR="+serving)
	s.worker("CLAUSEMILL_METRICS_ADDR="+operators, "CLAUSEMILL_OCR="+recogniser)
	ada := s.account("ada@example.com").byKey(t, address)

	type answer struct {
		Status string
		Checks map[string]string
	}
	asked := func(address string) (a answer) {
		response, err := http.Get("http://" + address + "/readyz")
		if err != nil {
			return answer{Status: err.Error()}
		}
		defer response.Body.Close()
		_ = json.NewDecoder(response.Body).Decode(&a)
		require.Equal(t, response.StatusCode == http.StatusOK, a.Status == "ok")
		return a
	}
	becomes := func(check, wrong string) {
		t.Helper()
		require.Eventually(t, func() bool {
			a := asked(operators)
			if wrong == "" {
				return a.Status == "ok"
			}
			return a.Status == "unavailable" && a.Checks[check] != "ok"
		}, time.Minute, 50*time.Millisecond, check)
		if wrong != "" {
			require.Contains(t, asked(operators).Checks[check], wrong)
		}
	}
	becomes("", "")
	require.Equal(t, map[string]string{"database": "ok", "files": "ok", "recognition": "ok", "worker": "ok"}, asked(operators).Checks)
	require.Equal(t, answer{"ok", map[string]string{"database": "ok"}}, asked(serving), "an API without it answers what it can")
	healthy := func() error { return exec.Command(program, "health", "--metrics-addr", operators).Run() } //nolint:gosec // our own program
	require.NoError(t, healthy())

	require.NoError(t, os.Rename(s.blobs(), s.blobs()+".gone"))
	becomes("files", "the file store is not available")
	require.Error(t, healthy())
	require.NoError(t, os.Rename(s.blobs()+".gone", s.blobs()))
	becomes("", "")

	require.NoError(t, os.Remove(recogniser))
	becomes("recognition", "the recogniser does not answer")
	require.NoError(t, os.Symlink(ocrProgram, recogniser))
	becomes("", "")
	require.NoError(t, healthy())
	require.Equal(t, "completed", ada.wait(ada.upload(upload{"a.txt", []byte("The Tenant shall pay the rent.")}).ID, time.Minute).Status)

	live, err := http.Get("http://" + operators + "/livez")
	require.NoError(t, err)
	require.NoError(t, live.Body.Close())
	require.Equal(t, http.StatusOK, live.StatusCode)
}
