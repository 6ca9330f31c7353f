package api_test

import (
	"crypto/rand"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

const byCounterparty = `{"query":{"source":"files","metric":{"op":"count"},"groupBy":["counterparty","documentType"]}}` // which is read of the files

// TestSlowQuery holds up what a question is about for longer than questions may
// take.
func TestSlowQuery(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	b := newBundle(t, d)
	held, err := d.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer held.Rollback(t.Context()) //nolint:errcheck // what was held is let go of
	_, err = held.Exec(t.Context(), `LOCK TABLE files IN ACCESS EXCLUSIVE MODE`)
	require.NoError(t, err)
	e := get[api.Error](t, b.call(t, b.alice, "POST "+widgets+"/execute-query", byCounterparty), http.StatusUnprocessableEntity)
	require.Equal(t, "the question takes too long to answer; narrow it by filters", e.Message)
	require.Equal(t, "invalid", e.Code)
	require.NotContains(t, b.log.String(), "level=ERROR", "it is nothing of ours to fix")
	require.NoError(t, held.Rollback(t.Context()))
	get[api.Data](t, b.call(t, b.alice, "POST "+widgets+"/execute-query", byCounterparty), http.StatusOK)
	var limit string
	require.NoError(t, d.Pool().QueryRow(t.Context(), `SELECT current_setting('statement_timeout')`).Scan(&limit))
	require.Equal(t, "0", limit, "the limit is the question's, not the connection's")
}

// TestQueriesOnlyRead has a question carry out what would write.
func TestQueriesOnlyRead(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	b := newBundle(t, d)
	get[api.BulkAccepted](t, b.call(t, b.alice, "POST /api/files/bulk/update-parties",
		`{"fileIds":["`+b.file(t, b.alice).ID+`"],"add":[{"name":"Bolt GmbH","role":"counterparty"}]}`), http.StatusAccepted)
	_, err := d.Pool().Exec(t.Context(), `
		UPDATE files SET counterparties = '{Bolt GmbH}';
		CREATE OR REPLACE FUNCTION fold(text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
		BEGIN
			DELETE FROM files;
			RETURN lower($1);
		END $$`)
	require.NoError(t, err)
	get[api.Error](t, b.call(t, b.alice, "POST "+widgets+"/execute-query", byCounterparty), http.StatusInternalServerError)
	require.Contains(t, b.log.String(), "cannot execute DELETE in a read-only transaction")
	var files int
	require.NoError(t, d.Pool().QueryRow(t.Context(), `SELECT count(*) FROM files`).Scan(&files))
	require.Equal(t, 1, files)
}

// onFirstWrite does something once an answer has begun.
type onFirstWrite struct {
	http.ResponseWriter
	once sync.Once
	do   func()
}

func (w *onFirstWrite) Write(p []byte) (int, error) {
	w.once.Do(w.do)
	return w.ResponseWriter.Write(p)
}

// TestBrokenExport takes a table away while it is exported: what the caller has
// by then is half of it, and does not look like all.
func TestBrokenExport(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"csv", "xlsx"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			d, _ := dbtest.Database(t)
			b := newBundle(t, d)
			require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
				for range 501 { // more than are read at a time, and than is kept back before the answer begins
					var name string
					for range 60 { // nothing that could be packed
						name += rand.Text()
					}
					if _, err := tx.CreateFile(t.Context(), b.alice.scope, db.NewFile{ID: db.NewID(), Name: name, Size: 3, SHA256: []byte("abc"), Source: "upload"}); err != nil {
						return err
					}
				}
				return nil
			}))
			broken := make(chan error, 1)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				b.api.ServeHTTP(&onFirstWrite{ResponseWriter: w, do: func() {
					_, err := d.Pool().Exec(r.Context(), `ALTER TABLE files RENAME TO gone`)
					broken <- err
				}}, r)
			}))
			t.Cleanup(server.Close)
			response := do(t, server, b.alice, "GET /api/export/files?format="+format, "")
			require.Equal(t, http.StatusOK, response.StatusCode, "it began well")
			_, err := io.Copy(io.Discard, response.Body)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.NoError(t, <-broken)
			refused := do(t, server, b.alice, "GET /api/export/files?format="+format, "")
			require.Equal(t, http.StatusInternalServerError, refused.StatusCode)
			require.Equal(t, "application/json", refused.Header.Get("Content-Type"))
			server.Close()
			require.Equal(t, 2, strings.Count(b.log.String(), "operation failed"), b.log.String())
		})
	}
}
