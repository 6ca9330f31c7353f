package api_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

// exported are the rows of a table as CSV, by their headings.
func (b *bundle) exported(t *testing.T, who caller, line, body string) []map[string]string {
	t.Helper()
	w := b.call(t, who, line, body)
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	require.Equal(t, "text/csv; charset=utf-8", w.Header().Get("Content-Type"))
	require.Contains(t, w.Header().Get("Content-Disposition"), "attachment")
	text, ok := strings.CutPrefix(w.Body.String(), "\ufeff")
	require.True(t, ok)
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	rows := []map[string]string{}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, heading := range lines[0] {
			row[heading] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func TestExport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const many = 503 // more than are read at a time
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		for range many {
			_, err := tx.CreateFile(t.Context(), b.alice.scope, db.NewFile{ID: db.NewID(), Name: "=cmd|' /C calc'!A0", Size: 3, SHA256: []byte("abc"), Source: "upload", Parties: []db.Party{{Name: "Acme"}, {Name: "Bolt"}}})
			require.NoError(t, err)
		}
		return nil
	}))
	id := b.file(t, b.alice).ID
	b.read(t, b.alice, id, supply)
	b.label(t, b.alice, id, "governing_law")
	b.file(t, b.mallory)

	files := b.exported(t, b.alice, "GET /api/export/files", "")
	require.Len(t, files, many+1)
	require.Equal(t, id, files[0]["id"], "the newest first")
	seen := map[string]bool{}
	for _, f := range files {
		seen[f["id"]] = true
	}
	require.Len(t, seen, many+1, "none twice")
	require.Equal(t, "'=cmd|' /C calc'!A0", files[1]["name"], "no formula")
	require.Equal(t, "Acme; Bolt", files[1]["parties"])
	condition := url.QueryEscape(`{"field":"attribute.governing_law","op":"exists"}`)
	require.Len(t, b.exported(t, b.alice, "GET /api/export/files?filter="+condition, ""), 1)
	require.Empty(t, b.exported(t, b.acme, "GET /api/export/files", ""))

	wide := b.exported(t, b.alice, "GET /api/export/files?attributes=Governing%20Law,agreement_date,party,insured_value", "")
	require.Len(t, wide, many+1)
	require.Equal(t, []string{"Delaware", "2020-05-05", "Acme Inc.; Bolt LLC", ""}, []string{
		wide[0]["attribute.governing_law"], wide[0]["attribute.agreement_date"], wide[0]["attribute.party"], wide[0]["attribute.insured_value"],
	})
	require.Empty(t, wide[many]["attribute.governing_law"])

	// A list has the same values, where it is asked for them.
	listed := get[api.FileList](t, b.call(t, b.aliceKey, "GET /api/files?limit=2&attributes=Governing%20Law,agreement_date,insured_value", ""), http.StatusOK)
	require.Equal(t, map[string][]string{"governing_law": {"Delaware"}, "agreement_date": {"2020-05-05"}}, listed.Items[0].Attributes)
	require.Nil(t, listed.Items[1].Attributes)
	require.Nil(t, get[api.FileList](t, b.call(t, b.alice, "GET /api/files?limit=1", ""), http.StatusOK).Items[0].Attributes)
	get[api.Error](t, b.call(t, b.alice, "GET /api/files?attributes=party,-", ""), http.StatusUnprocessableEntity)

	lease, deal := b.ofType(t, b.alice, id), b.matter(t, b.alice, `{"name":"=Deal"}`)
	b.call(t, b.alice, "PUT /api/files/"+id, `{"matterId":"`+deal.ID+`"}`)
	named := b.exported(t, b.alice, "GET /api/export/files?documentTypeId="+lease, "")
	require.Len(t, named, 1)
	require.Equal(t, []string{lease, get[api.TypeName](t, b.call(t, b.alice, "GET /api/document-types/"+lease+"/name", ""), http.StatusOK).Name, deal.ID, "'=Deal"},
		[]string{named[0]["documentTypeId"], named[0]["documentTypeName"], named[0]["matterId"], named[0]["matterName"]})
	get[api.Deleted](t, b.call(t, b.alice, "DELETE /api/matters/"+deal.ID, ""), http.StatusOK)

	first := b.matter(t, b.alice, `{"name":"=Merger","stage":"review","parties":[{"name":"Acme"},{"name":"Bolt"}],"dueAt":"2026-03-31T12:00:00Z","ownerId":"`+b.alice.scope.ActorID+`","documentTypeIds":["`+lease+`"]}`)
	second := b.matter(t, b.alice, `{"name":"Sale"}`)
	matters := b.exported(t, b.alice, "GET /api/export/matters", "")
	require.Len(t, matters, 2)
	require.Equal(t, []string{second.ID, first.ID}, []string{matters[0]["id"], matters[1]["id"]}, "the newest first")
	require.Equal(t, []string{"'=Merger", "review", "Acme; Bolt", "2026-03-31T12:00:00Z"}, []string{
		matters[1]["name"], matters[1]["stage"], matters[1]["parties"], matters[1]["dueAt"],
	})
	require.Empty(t, matters[0]["dueAt"])
	me := get[api.SignedIn](t, b.call(t, b.alice, "GET /api/session", ""), http.StatusOK).User
	require.Equal(t, []string{me.ID, me.Name, named[0]["documentTypeName"]}, []string{matters[1]["ownerId"], matters[1]["ownerName"], matters[1]["documentTypeNames"]})
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Raw.Exec(t.Context(), `UPDATE users SET name = '' WHERE id = $1`, me.ID)
		return err
	}))
	unnamed := b.exported(t, b.alice, "GET /api/export/matters?stage=review", "")
	require.Len(t, unnamed, 1)
	require.Equal(t, me.Email, unnamed[0]["ownerName"])
	require.Empty(t, b.exported(t, b.mallory, "GET /api/export/matters", ""))

	sentences := b.exported(t, b.alice, "GET /api/export/sentences?label=governing_law", "")
	require.Len(t, sentences, 1)
	require.Equal(t, "Governed by law.", sentences[0]["text"])
	require.Equal(t, "0.75", sentences[0]["score"])
	require.Equal(t, []string{lease, named[0]["documentTypeName"], "Governing law"}, []string{sentences[0]["documentTypeId"], sentences[0]["documentTypeName"], sentences[0]["labelName"]})
	require.Empty(t, b.exported(t, b.alice, "GET /api/export/sentences?groupKey="+db.NewID(), ""))
	hits := b.exported(t, b.alice, "GET /api/export/search?q=governed", "")
	require.Len(t, hits, 2)
	for _, hit := range hits {
		require.Equal(t, map[string]string{"": "", "governing_law": "Governing law"}[hit["label"]], hit["labelName"])
	}

	const question = `{"query":{"source":"files","metric":{"op":"sum","field":"size"},"groupBy":["name"],"sort":"key"}}`
	data := b.exported(t, b.alice, "POST /api/export/query", question)
	answer := get[api.Data](t, b.call(t, b.alice, "POST "+widgets+"/execute-query", question), http.StatusOK)
	require.Len(t, data, len(answer.Rows))
	for i, row := range answer.Rows {
		require.Equal(t, string(must(json.Marshal(row[1]))), data[i]["Sum of Size in bytes"])
	}

	w := b.call(t, b.alice, "GET /api/export/files?format=xlsx", "")
	require.Equal(t, http.StatusOK, w.Code)
	archive, err := zip.NewReader(bytes.NewReader(w.Body.Bytes()), int64(w.Body.Len()))
	require.NoError(t, err)
	part, err := archive.Open("xl/worksheets/sheet1.xml")
	require.NoError(t, err)
	text, err := io.ReadAll(part)
	require.NoError(t, err)
	require.Equal(t, many+2, strings.Count(string(text), "<row "))
	require.Contains(t, string(text), "=cmd|")
	require.NotContains(t, string(text), "<f>")

	for line, body := range map[string]string{
		"GET /api/export/files?format=pdf": "", "GET /api/export/files?filter=x": "", "GET /api/export/search?filter=x": "",
		"GET /api/export/files?attributes=party,-": "", "GET /api/export/matters?filter=x": "",
		"POST /api/export/query": `{"query":{"source":"users","metric":{"op":"count"}}}`,
	} {
		get[api.Error](t, b.call(t, b.alice, line, body), http.StatusUnprocessableEntity)
	}
}

// gone is a caller who has hung up.
type gone struct{ http.ResponseWriter }

func (gone) Write([]byte) (int, error) { return 0, errors.New("write: broken pipe") }

// TestExportThatNobodyReads is nothing that an operator has to hear of.
func TestExportThatNobodyReads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, format := range []string{"csv", "xlsx"} {
		r := request(t, b.alice, "GET /api/export/files?format="+format, "")
		require.PanicsWithValue(t, http.ErrAbortHandler, func() { b.api.ServeHTTP(gone{httptest.NewRecorder()}, r) })
	}
	require.NotContains(t, b.log.String(), "failed")
}

// TestExportThatFails has a row that cannot be read among those that are read
// last.
func TestExportThatFails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		for i := range 501 {
			_, err := tx.CreateFile(t.Context(), b.alice.scope, db.NewFile{ID: db.NewID(), Name: strconv.Itoa(i), Size: 3, SHA256: []byte("abc"), Source: "upload"})
			require.NoError(t, err)
		}
		_, err := tx.Raw.Exec(t.Context(), `UPDATE files SET warnings = '"nothing"' WHERE name = '0'`)
		return err
	}))
	for _, format := range []string{"csv", "xlsx"} {
		w := b.call(t, b.alice, "GET /api/export/files?format="+format, "")
		get[api.Error](t, w, http.StatusInternalServerError)
		require.Equal(t, "application/json", w.Header().Get("Content-Type"))
		require.Empty(t, w.Header().Get("Content-Disposition"), "no download")
	}
}
