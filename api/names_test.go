package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"github.com/clausemill/clausemill/api"
)

// TestNamesAreKeptWhole has names with what parts the directories of a file's.
func TestNamesAreKeptWhole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const name = `Sale / Purchase \\ Lease`
	for line, body := range map[string]string{
		"POST " + documentTypes:    `{"name":"` + name + `"}`,
		"POST /api/teams":          `{"name":"` + name + `"}`,
		"POST /api/api-keys":       `{"name":"` + name + `"}`,
		"POST /api/saved-searches": `{"name":"` + name + `"}`,
	} {
		var made struct{ Name string }
		w := b.call(t, b.alice, line, body)
		require.Equal(t, http.StatusCreated, w.Code, w.Body)
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &made))
		require.Equal(t, `Sale / Purchase \ Lease`, made.Name, line)
	}
}

// TestAccents has letters with accents as one character and as two, as different
// systems write them in names: both are the same.
func TestAccents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const name = "Café Müller"
	composed, apart := norm.NFC.String(name), norm.NFD.String(name)
	f := b.file(t, b.alice)
	require.Equal(t, composed, get[api.File](t, b.call(t, b.alice, "PUT /api/files/"+f.ID, `{"name":"`+apart+`"}`), http.StatusOK).Name)
	for _, q := range []string{composed, apart} {
		require.Equal(t, 1, *get[api.List[api.File]](t, b.call(t, b.alice, "GET /api/files?q="+url.QueryEscape(q), ""), http.StatusOK).Total)
	}
	for _, line := range []string{"POST " + documentTypes, "POST /api/categories", "POST /api/saved-searches"} {
		require.Equal(t, http.StatusCreated, b.call(t, b.alice, line, `{"name":"`+composed+`"}`).Code, line)
		require.Equal(t, http.StatusConflict, b.call(t, b.alice, line, `{"name":"`+apart+`"}`).Code, line)
	}
}
