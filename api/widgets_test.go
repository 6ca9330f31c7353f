package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/query"
)

const widgets = "/api/dashboard-widgets"

func TestWidgets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	create := func(kind, more string) string {
		return `{"title":"By law","kind":"` + kind + `","query":{"source":"files","metric":{"op":"count"},"groupBy":["attribute.governing_law"],
			"filters":[{"field":"createdAt","op":"gte","values":["month-1"]}]}` + more + `}`
	}
	w := b.call(t, b.alice, "POST "+widgets, create("bar", ""))
	first := get[api.Widget](t, w, http.StatusCreated)
	require.Equal(t, widgets+"/"+first.ID, w.Header().Get("Location"))
	require.Equal(t, db.Position{X: 0, Y: 0, W: 6, H: 4}, first.Position)
	require.Equal(t, query.Values{"month-1"}, first.Query.Filters[0].Values, "a date stays relative")
	number := get[api.Widget](t, b.call(t, b.alice, "POST "+widgets, create("number", "")), http.StatusCreated)
	require.Equal(t, db.Position{X: 0, Y: 4, W: 3, H: 2}, number.Position, "below the others")
	get[api.Error](t, b.call(t, b.alice, "POST "+widgets, create("pie", `,"position":{"x":5,"y":3,"w":2,"h":1}`)), http.StatusConflict)
	beside := get[api.Widget](t, b.call(t, b.alice, "POST "+widgets, create("pie", `,"position":{"x":6,"y":0,"w":6,"h":4}`)), http.StatusCreated)

	list := get[api.List[api.Widget]](t, b.call(t, b.alice, "GET "+widgets, ""), http.StatusOK)
	require.Equal(t, []api.Widget{first, beside, number}, list.Items)
	require.Empty(t, get[api.List[api.Widget]](t, b.call(t, b.mallory, "GET "+widgets, ""), http.StatusOK).Items)

	one := b.call(t, b.alice, "GET "+widgets+"/"+first.ID, "")
	require.Equal(t, first, get[api.Widget](t, one, http.StatusOK))
	etag := one.Header().Get("ETag")
	update := func(match, body string, status int) api.Widget {
		r := request(t, b.alice, "PATCH "+widgets+"/"+first.ID, body)
		r.Header.Set("If-Match", match)
		return get[api.Widget](t, b.send(t, r), status)
	}
	changed := update(etag, `{"title":"Laws 2025/2026","kind":"pie"}`, http.StatusOK)
	require.Equal(t, []any{"Laws 2025/2026", query.PieChart, first.Query, 2}, []any{changed.Title, changed.Kind, changed.Query, changed.Version})
	update(etag, `{"title":"Late"}`, http.StatusConflict)
	require.Equal(t, "widget.updated", b.audited(t, b.alice, first.ID))

	for body, location := range map[string]string{
		`{"title":"\u200b"}`:                                                         "body.title",
		`{"position":{"x":8,"y":0,"w":5,"h":1}}`:                                     "body.position",
		`{"query":{"source":"users","metric":{"op":"count"}}}`:                       "body.query.source",
		`{"query":{"source":"files","metric":{"op":"sum"}}}`:                         "body.query",
		`{"query":{"source":"files","metric":{"op":"count"},"groupBy":["team_id"]}}`: "body.query",
	} {
		e := get[api.Error](t, b.call(t, b.alice, "PATCH "+widgets+"/"+first.ID, body), http.StatusUnprocessableEntity)
		require.Equal(t, location, e.Details[0].Location, body)
	}
	require.Equal(t, http.StatusOK, b.call(t, b.alice, "DELETE "+widgets+"/"+number.ID, "").Code)
	require.Equal(t, http.StatusNotFound, b.call(t, b.alice, "DELETE "+widgets+"/"+number.ID, "").Code)
	require.Equal(t, "widget.deleted", b.audited(t, b.alice, number.ID))
}

func TestWidgetsAreCreatedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	send := func(title string, status int) api.Widget {
		r := request(t, b.alice, "POST "+widgets, `{"title":"`+title+`","kind":"number","query":{"source":"files","metric":{"op":"count"}}}`)
		r.Header.Set("Idempotency-Key", "once")
		return get[api.Widget](t, b.send(t, r), status)
	}
	first := send("Files", http.StatusCreated)
	require.Equal(t, first, send("Files", http.StatusCreated))
	send("Others", http.StatusUnprocessableEntity)
	require.Len(t, get[api.List[api.Widget]](t, b.call(t, b.alice, "GET "+widgets, ""), http.StatusOK).Items, 1)
}

func TestWidgetsAreArranged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	make := func(who caller) api.Widget {
		return get[api.Widget](t, b.call(t, who, "POST "+widgets, `{"title":"w","kind":"bar","query":{"source":"files","metric":{"op":"count"}}}`), http.StatusCreated)
	}
	first, second, third, theirs := make(b.alice), make(b.alice), make(b.alice), make(b.mallory)
	at := func(w api.Widget, x, y int) string {
		return fmt.Sprintf(`{"id":"%s","position":{"x":%d,"y":%d,"w":6,"h":4}}`, w.ID, x, y)
	}
	places := func() (list []db.Position) {
		for _, w := range get[api.List[api.Widget]](t, b.call(t, b.alice, "GET "+widgets, ""), http.StatusOK).Items {
			list = append(list, w.Position)
		}
		return list
	}
	before := places()
	for body, status := range map[string]int{
		at(first, 0, 4):                          http.StatusConflict, // where the second is
		at(first, 6, 0) + "," + at(second, 8, 2): http.StatusUnprocessableEntity,
		at(first, 6, 0) + "," + at(second, 6, 3): http.StatusConflict,
		at(first, 6, 0) + "," + at(theirs, 6, 8): http.StatusNotFound,
		at(first, 6, 0) + "," + at(first, 6, 8):  http.StatusUnprocessableEntity,
		"":                                       http.StatusUnprocessableEntity,
	} {
		require.Equal(t, status, b.call(t, b.alice, "PATCH "+widgets+"/layout", `{"widgets":[`+body+`]}`).Code, body)
		require.Equal(t, before, places(), "all or none")
	}
	swapped := at(first, 0, 4) + "," + at(second, 0, 0) + "," + at(third, 6, 0)
	list := get[api.List[api.Widget]](t, b.call(t, b.alice, "PATCH "+widgets+"/layout", `{"widgets":[`+swapped+`]}`), http.StatusOK)
	require.Equal(t, []string{second.ID, third.ID, first.ID}, []string{list.Items[0].ID, list.Items[1].ID, list.Items[2].ID})
	require.Equal(t, "widgets.arranged", b.audited(t, b.alice, b.alice.scope.TeamID))
}

// TestQueriesAgainstSQL holds answers to what independent statements say.
func TestQueriesAgainstSQL(t *testing.T) {
	t.Parallel()
	b := setup(t)
	texts := []string{supply, supply, "LEASE\n\nThis Lease is made on June 1, 2021 by and between Acme Inc., a Delaware corporation, and Casa GmbH.\n\n1. Law. This Lease is governed by the laws of the State of New York.\n"}
	for _, text := range texts {
		b.read(t, b.alice, b.file(t, b.alice).ID, text)
	}
	b.read(t, b.mallory, b.file(t, b.mallory).ID, supply)

	sql := func(statement string) [][]any {
		var rows [][]any
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
			rows = nil
			found, err := tx.Raw.Query(t.Context(), statement, b.alice.scope.TeamID)
			require.NoError(t, err)
			for found.Next() {
				values, err := found.Values()
				require.NoError(t, err)
				rows = append(rows, values)
			}
			return found.Err()
		}))
		require.NotEmpty(t, rows, statement)
		return rows
	}
	words := func(rows [][]any) []string {
		var lines []string
		for _, row := range rows {
			text, err := json.Marshal(row)
			require.NoError(t, err)
			lines = append(lines, string(text))
		}
		slices.Sort(lines)
		return lines
	}
	for config, statement := range map[string]string{
		`{"source":"files","metric":{"op":"count"}}`: `SELECT count(*) FROM files WHERE team_id = $1`,
		`{"source":"files","metric":{"op":"count"},"groupBy":["attribute.governing_law"]}`: `
			SELECT max(value), count(DISTINCT file_id) FROM attributes WHERE team_id = $1 AND level = 'file' AND key = 'governing_law' GROUP BY normal`,
		`{"source":"files","metric":{"op":"count"},"groupBy":["attribute.governing_law"],"having":[{"op":"gte","value":2},{"op":"lt","value":2.5}]}`: `
			SELECT max(value), count(DISTINCT file_id) FROM attributes WHERE team_id = $1 AND level = 'file' AND key = 'governing_law' GROUP BY normal HAVING count(*) = 2`,
		`{"source":"files","metric":{"op":"count"},"groupBy":["attribute.agreement_date"],"bucket":"year"}`: `
			SELECT substr(normal, 1, 4) || '-01-01', count(*) FROM attributes WHERE team_id = $1 AND level = 'file' AND key = 'agreement_date' GROUP BY 1`,
		`{"source":"attributes","metric":{"op":"count"},"groupBy":["key","level"],"filters":[{"field":"level","op":"in","values":["span"]}]}`: `
			SELECT key, level, count(*) FROM attributes WHERE team_id = $1 AND level = 'span' GROUP BY 1, 2`,
		`{"source":"attributes","metric":{"op":"sum","field":"valueNumber"},"filters":[{"field":"key","op":"in","values":["money"]}]}`: `
			SELECT upper(split_part(normal, ' ', 2)), sum(split_part(normal, ' ', 1)::numeric)::float8 FROM attributes WHERE team_id = $1 AND key = 'money' GROUP BY 1`,
		`{"source":"files","metric":{"op":"avg","field":"size"},"groupBy":["status"]}`: `SELECT status, avg(size)::float8 FROM files WHERE team_id = $1 GROUP BY 1`,
		`{"source":"audit","metric":{"op":"count"},"groupBy":["action"]}`:              `SELECT action, count(*) FROM audit_events WHERE team_id = $1 GROUP BY 1`,
		`{"source":"files","metric":{"op":"count"},"filters":[{"any":[{"field":"attribute.governing_law","op":"in","values":["NEW YORK"]},{"field":"attribute.agreement_date","op":"lt","values":["2021-01-01"]}]}]}`: `
			SELECT count(*) FROM files f WHERE team_id = $1 AND EXISTS (SELECT FROM attributes a WHERE a.file_id = f.id AND level = 'file' AND
				(key = 'governing_law' AND normal = 'new york' OR key = 'agreement_date' AND normal < '2021'))`,
	} {
		data := get[api.Data](t, b.call(t, b.alice, "POST "+widgets+"/execute-query", `{"query":`+config+`}`), http.StatusOK)
		require.Equal(t, words(sql(statement)), words(data.Rows), config)
		require.Equal(t, len(data.Rows), data.Total)
		require.False(t, data.Truncated)
		for _, row := range data.Rows {
			require.Len(t, row, len(data.Columns))
		}
	}
	data := get[api.Data](t, b.call(t, b.alice, "POST "+widgets+"/execute-query", `{"query":{"source":"files","metric":{"op":"count"},"groupBy":["file"],"limit":2}}`), http.StatusOK)
	require.True(t, data.Truncated)
	require.Equal(t, 3, data.Total)
	for _, bad := range []string{`{"source":"files","metric":{"op":"count"},"groupBy":["id; DROP TABLE files"]}`, `{"source":"sessions","metric":{"op":"count"}}`,
		`{"source":"files","metric":{"op":"count"},"having":[{"op":"gt","value":3}]}`, `{"source":"files","metric":{"op":"count"},"groupBy":["party"],"having":[{"op":"in","value":3}]}`} {
		get[api.Error](t, b.call(t, b.alice, "POST "+widgets+"/execute-query", `{"query":`+bad+`}`), http.StatusUnprocessableEntity)
	}
}

func TestGenerateConfig(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.read(t, b.alice, b.file(t, b.alice).ID, supply)
	made := get[api.Generated](t, b.call(t, b.alice, "POST "+widgets+"/generate-config", `{"prompt":"Contracts by governing law where party is Acme as a pie"}`), http.StatusOK)
	require.Equal(t, query.PieChart, made.Config.Kind)
	require.Equal(t, []query.Field{"attribute.governing_law"}, made.Config.Query.GroupBy)
	require.Equal(t, query.Is(query.Party, "acme inc."), made.Config.Query.Filters[0])
	require.NotEmpty(t, made.Understood)
	made = get[api.Generated](t, b.call(t, b.alice, "POST "+widgets+"/generate-config", `{"prompt":"contracts where governing law is Delaware"}`), http.StatusOK)
	require.JSONEq(t, `[[1]]`, string(must(json.Marshal(made.Preview.Rows))))
	config := must(json.Marshal(made.Config))
	get[api.Widget](t, b.call(t, b.alice, "POST "+widgets, string(config)), http.StatusCreated)

	// Names are those of the team's own files.
	made = get[api.Generated](t, b.call(t, b.alice, "POST "+widgets+"/generate-config", `{"prompt":"which contracts with bolt"}`), http.StatusOK)
	require.Equal(t, query.Is(query.Party, "bolt llc"), made.Config.Query.Filters[0])
	require.Equal(t, query.TableChart, made.Config.Kind)
	require.JSONEq(t, `[["lease.pdf", 1]]`, string(must(json.Marshal(made.Preview.Rows))))
	get[api.Error](t, b.call(t, b.mallory, "POST "+widgets+"/generate-config", `{"prompt":"which contracts with bolt"}`), http.StatusUnprocessableEntity)

	// Groups are those within bounds, and those that are compared.
	b.read(t, b.alice, b.file(t, b.alice).ID, supply)
	for prompt, rows := range map[string]string{
		"which parties have more than one contract": `[["Acme Inc.", 2], ["Bolt LLC", 2]]`,
		"parties with more than two contracts":      `[]`,
		"Acme versus Zeta":                          "",
		"compare Acme and Bolt":                     `[["Acme Inc.", 2], ["Bolt LLC", 2]]`,
	} {
		res := b.call(t, b.alice, "POST "+widgets+"/generate-config", string(must(json.Marshal(map[string]string{"prompt": prompt}))))
		if rows == "" {
			get[api.Error](t, res, http.StatusUnprocessableEntity)
			continue
		}
		made = get[api.Generated](t, res, http.StatusOK)
		require.JSONEq(t, rows, string(must(json.Marshal(made.Preview.Rows))), prompt)
		get[api.Widget](t, b.call(t, b.alice, "POST "+widgets, string(must(json.Marshal(made.Config)))), http.StatusCreated)
	}

	e := get[api.Error](t, b.call(t, b.alice, "POST "+widgets+"/generate-config", `{"prompt":"contracts by colour and mood"}`), http.StatusUnprocessableEntity)
	var words []string
	for _, d := range e.Details {
		require.Equal(t, "body.prompt", d.Location)
		words = append(words, d.Message)
	}
	require.Equal(t, []string{`"by" is not understood`, `"colour" is not understood`, `"mood" is not understood`}, words)
	e = get[api.Error](t, b.call(t, b.alice, "POST "+widgets+"/generate-config", `{"prompt":"moods by goverming law"}`), http.StatusUnprocessableEntity)
	require.Contains(t, string(must(json.Marshal(e.Details))), `did you mean \"governing law\"?`)
	mended := get[api.Generated](t, b.call(t, b.alice, "POST "+widgets+"/generate-config", `{"prompt":"contracts by goverming law"}`), http.StatusOK)
	require.Equal(t, "goverming", mended.Understood[0].Phrase)
	require.Equal(t, `read as "governing"`, mended.Understood[0].Meaning)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
