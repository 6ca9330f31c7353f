package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

// What is below makes requests of the description alone, so that an operation
// which is added later is called by the tests without being named in them.

// schemas are those that the description refers to.
var schemas = api.OpenAPI().Components.Schemas

// word is in every text that is made up here. It is no word otherwise, so a
// search for it finds what was made here and nothing else.
const word = "zyzzyva"

// pathParameter stands for an id.
var pathParameter = regexp.MustCompile(`\{\w+\}`)

// example is a value that s allows. A text contains about; where an id is asked
// for it is id.
func example(s *huma.Schema, name, about, id string) any {
	for s.Ref != "" {
		s = schemas.SchemaFromRef(s.Ref)
	}
	switch {
	case len(s.OneOf) > 0:
		return example(s.OneOf[0], name, about, id)
	case len(s.Enum) > 0:
		return s.Enum[0]
	}
	switch s.Type {
	case huma.TypeObject:
		out := map[string]any{}
		for _, required := range s.Required {
			out[required] = example(s.Properties[required], required, about, id)
		}
		return out
	case huma.TypeArray:
		return []any{example(s.Items, strings.TrimSuffix(name, "s"), about, id)}
	case huma.TypeInteger, huma.TypeNumber:
		if s.Minimum != nil {
			return *s.Minimum
		}
		return 1
	case huma.TypeBoolean:
		return true
	}
	switch {
	case s.Format == "uuid" || strings.HasSuffix(name, "Id"):
		return id
	case s.Format == "email":
		return about + "@example.com"
	case s.Format == "date-time":
		return "2030-01-02T03:04:05Z"
	case s.Format == "uri":
		return "https://example.com/" + about
	case s.ContentEncoding == "base64":
		return "aGVsbG8="
	case s.MaxLength != nil:
		return about[:min(len(about), *s.MaxLength)]
	}
	return about
}

// bodies are what the description alone does not tell: one of several fields, or
// what is there already.
var bodies = map[string]string{
	"PUT /api/teams/icon":                                 "{\"contentBase64\":\"" + tinyIcon + `"}`,
	"PUT /api/search/synonyms":                            `{"groups":[["zyzzyva","weevil"]]}`,
	"PUT /api/session":                                    `{"teamId":"{teamId}"}`,
	"PUT /api/document-types":                             `{"id":"{dtid}","description":"zyzzyva"}`,
	"PATCH /api/flags/{id}":                               `{"description":"zyzzyva"}`,
	"PATCH /api/categories/{id}":                          `{"color":"#a0b1c2"}`,
	"PATCH /api/chats/{chatId}":                           `{"name":"weevil"}`,
	"PATCH /api/chats/{chatId}/messages/{messageId}":      `{"text":"weevil"}`,
	"PATCH /api/dashboard-widgets/layout":                 `{"widgets":[{"id":"{widgetId}","position":{"x":0,"y":500,"w":1,"h":1}}]}`,
	"PATCH /api/matters/{matterId}/files":                 `{"fileId":"{fileId}"}`,
	"POST /api/chats/{chatId}/participants":               `{"userId":"{userId}"}`,
	"POST /api/chats/{chatId}/document-context":           `{"fileId":"{fileId}"}`,
	"POST /api/chats/{chatId}/reference-document-context": `{"fileId":"{fileId}"}`,
	"POST /api/dashboard-widgets/generate-config":         `{"prompt":"number of files"}`,
	"POST /api/files/{fileId}/versions":                   `{"name":"zyzzyva.txt","contentBase64":"aGVsbG8="}`,
	"POST /api/files/bulk/delete":                         `{"fileIds":["{fileId}"]}`,
	"POST /api/files/bulk/ocr":                            `{"fileIds":["{fileId}"]}`,
	"POST /api/files/bulk/reprocess":                      `{"fileIds":["{fileId}"]}`,
	"POST /api/files/bulk/status":                         `{"fileIds":["{fileId}"]}`,
	"POST /api/files/bulk/update-metadata":                `{"fileIds":["{fileId}"],"set":{"a":"zyzzyva"}}`,
	"POST /api/files/bulk/update-parties":                 `{"fileIds":["{fileId}"],"add":[{"name":"zyzzyva"}]}`,
	"POST /api/files/bulk/update-categories":              `{"fileIds":["{fileId}"],"replace":[]}`,
	"PATCH /api/metadata-keys/{key}":                      `{"description":"zyzzyva"}`,
	"PATCH /api/fields/{key}":                             `{"question":"zyzzyva"}`,
	"POST /api/fields/{key}/marks":                        `{"fileId":"{fileId}","value":"zyzzyva"}`,
	"POST /api/files/{fileId}/attributes/{key}/decide":    `{"value":"zyzzyva","decision":"confirmed"}`,
	"POST /api/files/{fileId}/changes":                    `{"type":"comment","anchor":{"text":"confidential"},"text":"zyzzyva"}`,
	"POST /api/sentences/bulk-assign-label":               `{"sentenceIds":["{sentenceid}"],"label":"governing_law"}`,
	"POST /api/sentences/bulk-validate":                   `{"sentenceIds":["{sentenceid}"]}`,
	"POST /api/sentences/bulk-withdraw":                   `{"sentenceIds":["{sentenceid}"]}`,
	"POST /api/tags/{key}/merge":                          `{"into":"governing_law"}`,
	"POST /api/service-accounts":                          `{"name":"zyzzyva","role":"viewer","scopes":["export"]}`,
	"PATCH /api/service-accounts/{id}":                    `{"description":"zyzzyva"}`,
	"POST /api/trash/restore":                             `{"ids":["{trashId}"]}`,
	"POST /api/text/nlp/score-text":                       `{"text":"zyzzyva","reference":"zyzzyva"}`,
}

// tinyIcon is a PNG of one pixel in base64.
const tinyIcon = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// target is an operation and the ids that its path names.
type target struct {
	op  *huma.Operation
	ids map[string]string // by the path up to the parameter, and by its name
}

// path is the operation's path about those ids. What has no id names nothing.
func (g target) path() (path string, known bool) {
	known = true
	return pathParameter.ReplaceAllStringFunc(g.op.Path, func(parameter string) string {
		before, _, _ := strings.Cut(g.op.Path, parameter)
		for _, key := range []string{parameter, before} {
			if id, ok := g.ids[key]; ok {
				return id
			}
		}
		known = false
		return db.NewID()
	}), known
}

// line is a request that fits the description, with every text about.
func (g target) line(about string) (line, body string, known bool) {
	path, known := g.path()
	query := url.Values{}
	for _, p := range g.op.Parameters {
		if p.In == "query" && (p.Required || slices.Contains([]string{"q", "query", "prefix", "evaluateFor"}, p.Name)) {
			query.Set(p.Name, fmt.Sprint(example(p.Schema, p.Name, about, db.NewID())))
		}
	}
	if g.hurry() != "" {
		query.Set("wait", "0")
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	if text, ok := bodies[g.op.Method+" "+g.op.Path]; ok {
		body = pathParameter.ReplaceAllStringFunc(text, func(name string) string { return g.ids[name] })
	} else if content := g.content(); content != nil && g.op.RequestBody.Required {
		text, _ := json.Marshal(example(content, "", about, db.NewID())) // made of what JSON has
		body = string(text)
	}
	return g.op.Method + " " + path, body, known
}

// hurry is the query of an operation that may wait for what is made: here nobody
// makes it.
func (g target) hurry() string {
	for _, p := range g.op.Parameters {
		if p.In == "query" && p.Name == "wait" {
			return "?wait=0"
		}
	}
	return ""
}

// content is the schema of a JSON body, nil where there is none.
func (g target) content() *huma.Schema {
	if g.op.RequestBody == nil || g.op.RequestBody.Content["application/json"] == nil {
		return nil
	}
	return g.op.RequestBody.Content["application/json"].Schema
}

// endless reports whether an answer goes on until the caller leaves.
func (g target) endless() bool {
	answer := g.op.Responses["200"]
	return answer != nil && answer.Content["text/event-stream"] != nil
}

// furnish gives a team something of everything that the API can make, as who,
// and returns the ids: what has POST is asked to make one, and lists tell the
// rest. Every text in it contains about.
func (b *bundle) furnish(t *testing.T, who caller, about string) map[string]string {
	t.Helper()
	f := b.file(t, who)
	b.process(t, who, f.ID)
	b.analyze(t, who, f.ID)
	contract, _ := b.contract(t, who, said{text: about + " applies.", label: "governing_law", score: 0.9, source: "predicted"})
	b.read(t, who, contract.ID, supply+"\n3. "+about+". The "+about+" is confidential.\n")
	b.analyze(t, who, contract.ID)
	kind := b.ofType(t, who, f.ID, contract.ID)
	ids := map[string]string{
		"{fileId}": contract.ID, "/api/documents/": kind, "{dtid}": kind, "{filetypeid}": kind, "/api/document-types/": kind,
		"{userId}": who.scope.ActorID, "{teamId}": who.scope.TeamID, "/api/files/{fileId}/filters/": "status",
		"{key}": strings.ReplaceAll(about, "-", "_"), "{n}": "1",
	}
	get[api.MetadataKey](t, b.call(t, who, "POST /api/metadata-keys", `{"key":"`+ids["{key}"]+`","kind":"text"}`), http.StatusCreated)
	operations := served()
	lines := slices.Sorted(maps.Keys(operations))
	slices.SortStableFunc(lines, func(x, y string) int { return strings.Count(x, "{") - strings.Count(y, "{") })
	for _, line := range lines {
		g := target{operations[line], ids}
		if g.op.Method != http.MethodPost || g.op.DefaultStatus != http.StatusCreated {
			continue
		}
		line, body, known := g.line(about)
		if !known {
			continue
		}
		w := b.call(t, who, line, body)
		if w.Code != http.StatusCreated {
			t.Logf("%s %s is not made of its description: %s", line, body, w.Body)
			continue
		}
		if id := idOf(w); id != "" {
			ids[g.op.Path+"/"] = id
		}
	}
	ids["{widgetId}"] = ids["/api/dashboard-widgets/"]
	ids["{trashId}"] = get[api.Deleted](t, b.call(t, who, "DELETE /api/matters/"+b.matter(t, who, `{"name":"`+about+`"}`).ID, ""), http.StatusOK).TrashID
	for _, line := range lines {
		g := target{operations[line], ids}
		if _, ok := ids[g.op.Path+"/"]; ok || g.op.Method != http.MethodGet || g.endless() {
			continue
		}
		if path, known := g.path(); known {
			if id := idOf(b.call(t, who, "GET "+path+g.hurry(), "")); id != "" {
				ids[g.op.Path+"/"] = id
				if g.op.Path == "/api/sentences" {
					ids["{sentenceid}"] = id
				}
			}
		}
	}
	return ids
}

// idOf is the id of what an answer is about, or of the first of a list.
func idOf(w *httptest.ResponseRecorder) string {
	var answer struct {
		ID    string
		Items []struct{ ID string }
	}
	if json.Unmarshal(w.Body.Bytes(), &answer) != nil {
		return ""
	}
	if answer.ID == "" && len(answer.Items) > 0 {
		return answer.Items[0].ID
	}
	return answer.ID
}

// everyRow is the condition of a digest over all rows.
const everyRow = "true"

// digest is a sum over the rows of each table of which a condition holds, but for counts of use.
func digest(t *testing.T, d *db.DB, condition string) map[string]string {
	t.Helper()
	var tables []string
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Raw.QueryRow(t.Context(), `
			SELECT array_agg(table_name ORDER BY table_name) FROM information_schema.tables
			WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> 'rate_limits'`).Scan(&tables)
	}))
	return digestOf(t, d, tables, condition)
}

// written counts the rows of each table that the transaction which a database is has inserted,
// updated and deleted until now, whether or not that was undone, but for counts of
// requests. While those of a table stand still so does its digest, which takes longer.
func written(t *testing.T, d *db.DB) (rows map[string]int64) {
	t.Helper()
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Raw.QueryRow(t.Context(), `
			SELECT coalesce(jsonb_object_agg(relname, n_tup_ins + n_tup_upd + n_tup_del), '{}') FROM pg_stat_xact_user_tables
			WHERE schemaname = 'public' AND n_tup_ins + n_tup_upd + n_tup_del > 0 AND relname <> 'rate_limits'`).Scan(&rows)
	}))
	return rows
}

// digestOf is the digest of the rows r of tables of which a condition holds.
func digestOf(t *testing.T, d *db.DB, tables []string, condition string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	parts := make([]string, len(tables))
	for i, table := range tables {
		parts[i] = `SELECT '` + table + `' AS name, md5(coalesce(string_agg(row, '' ORDER BY row), '')) AS sum
			FROM (SELECT (to_jsonb(r) - 'last_used_at')::text AS row FROM ` + pgx.Identifier{table}.Sanitize() + ` r WHERE ` + condition + `) rows`
	}
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Raw.QueryRow(t.Context(), `SELECT jsonb_object_agg(name, sum) FROM (`+strings.Join(parts, " UNION ALL ")+`) sums`).Scan(&sums)
	}))
	return sums
}

// everyID lists what a team owns, in any table.
func everyID(t *testing.T, d *db.DB, teamID string) map[string]bool {
	t.Helper()
	ids := map[string]bool{teamID: true}
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		var tables, found []string
		if err := tx.Raw.QueryRow(t.Context(), `
			SELECT array_agg(quote_ident(x.table_name)) FROM information_schema.columns x
			JOIN information_schema.columns y USING (table_schema, table_name)
			WHERE table_schema = 'public' AND x.column_name = 'id' AND x.data_type = 'uuid' AND y.column_name = 'team_id'`).Scan(&tables); err != nil {
			return err
		}
		for i, table := range tables {
			tables[i] = `SELECT id::text FROM ` + table + ` WHERE team_id = $1`
		}
		if err := tx.Raw.QueryRow(t.Context(), `SELECT array_agg(id) FROM (`+strings.Join(tables, " UNION ALL ")+`) owned`, teamID).Scan(&found); err != nil {
			return err
		}
		for _, id := range found {
			ids[id] = true
		}
		return nil
	}))
	return ids
}
