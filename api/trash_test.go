package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/jobs"
)

// trash lists what somebody finds in the trash.
func (b *bundle) trash(t testing.TB, who caller, query string) []api.TrashEntry {
	t.Helper()
	return get[api.List[api.TrashEntry]](t, b.call(t, who, "GET /api/trash"+query, ""), http.StatusOK).Items
}

// discard deletes something, a field with what was marked for it, and returns its entry.
func (b *bundle) discard(t testing.TB, who caller, path string) string {
	t.Helper()
	if strings.HasPrefix(path, "/api/fields/") {
		path, _, _ = strings.Cut(path, "?")
		path += "?force=true"
	}
	return get[api.Deleted](t, b.call(t, who, "DELETE "+path, ""), http.StatusOK).TrashID
}

// askedOf counts the jobs with these very arguments.
func (b *bundle) askedOf(t testing.TB, args jobs.Args) (n int) {
	t.Helper()
	encoded, err := json.Marshal(args)
	require.NoError(t, err)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.Raw.QueryRow(t.Context(), `SELECT count(*) FROM river_job WHERE kind = $1 AND args = $2::jsonb`, args.Kind(), string(encoded)).Scan(&n)
	}))
	return n
}

func TestTrash(t *testing.T) {
	t.Parallel()
	b := setup(t)
	colleague := b.colleague(t, b.acme, "colleague")
	f := b.file(t, b.acme)
	m := b.matter(t, b.acme, `{"name":"The 100% case"}`)
	inFile, inMatter := b.discard(t, colleague, "/api/files/"+f.ID), b.discard(t, b.acme, "/api/matters/"+m.ID)

	list := b.trash(t, colleague, "")
	require.Len(t, list, 2)
	require.Equal(t, inMatter, list[0].ID, "the latest first")
	require.Equal(t, db.TrashedMatter, list[0].Kind)
	require.Equal(t, m.ID, list[0].ResourceID)
	require.Equal(t, "The 100% case", list[0].Name)
	require.Equal(t, b.acme.scope.ActorID, *list[0].DeletedBy)
	require.Equal(t, list[0].DeletedAt.Add(30*24*time.Hour), list[0].ExpiresAt)
	require.Nil(t, list[0].OperationID)
	require.NotNil(t, list[0].Held)
	for query, want := range map[string][]string{
		"?kind=file": {inFile}, "?kind=file,matter": {inMatter, inFile}, "?kind=chat": {}, "?q=100%25": {inMatter}, "?q=%25%25": {}, "?limit=1": {inMatter},
	} {
		ids := []string{}
		for _, e := range b.trash(t, b.acme, query) {
			ids = append(ids, e.ID)
		}
		require.Equal(t, want, ids, query)
	}
	require.Empty(t, b.trash(t, b.alice, ""), "of the team that she is in")
	get[api.Error](t, b.call(t, b.acme, "GET /api/trash?kind=team", ""), http.StatusUnprocessableEntity)
	get[api.Error](t, b.call(t, b.acme, "GET /api/files/"+f.ID, ""), http.StatusNotFound)

	path := "/api/trash/" + inFile
	get[api.Error](t, b.call(t, b.mallory, "POST "+path+"/restore", ""), http.StatusNotFound)
	back := get[api.TrashEntry](t, b.call(t, colleague, "POST "+path+"/restore", `{"name":"named\u0007 anew"}`), http.StatusOK)
	require.Equal(t, f.ID, back.ResourceID)
	require.Equal(t, "named anew", get[api.File](t, b.call(t, b.acme, "GET /api/files/"+f.ID, ""), http.StatusOK).Name)
	require.Equal(t, 2, b.askedOf(t, jobs.SettleFiles{TeamID: b.acme.scope.TeamID, FileIDs: []string{f.ID}}), "when it went, and when it came back")
	require.Equal(t, 1, b.askedOf(t, jobs.ReceiveFile{File: jobs.File{FileID: f.ID, TeamID: b.acme.scope.TeamID, Attempt: 2}}), "it was not read yet")
	get[api.Error](t, b.call(t, colleague, "POST "+path+"/restore", ""), http.StatusNotFound)
	get[api.Error](t, b.call(t, b.acme, "DELETE "+path, ""), http.StatusNotFound)
	get[api.Error](t, b.call(t, b.acme, "POST /api/trash/"+inMatter+"/restore", `{"name":"\u0007"}`), http.StatusUnprocessableEntity)
}

// TestPurge ends things for good: from the trash, and right away.
func TestPurge(t *testing.T) {
	t.Parallel()
	b := setup(t)
	colleague := b.colleague(t, b.acme, "colleague")
	hook := b.call(t, b.acme, "POST /api/webhooks", `{"url":"https://example.com/","types":["*"]}`)
	require.Equal(t, http.StatusCreated, hook.Code)
	f := b.file(t, b.acme)
	b.process(t, b.acme, f.ID)
	get[api.File](t, b.call(t, b.acme, "PUT /api/files/"+f.ID, `{"name":"quisquilian.pdf"}`), http.StatusOK)
	require.Equal(t, http.StatusCreated, b.call(t, b.acme, "POST /api/files/"+f.ID+"/assign", `{"note":"read quisquilian.pdf"}`).Code)
	m := b.matter(t, b.acme, `{"name":"quisquilian","description":"@`+b.colleagueAddress(t, colleague)+`"}`)
	entry := b.discard(t, b.acme, "/api/files/"+f.ID)
	get[api.Error](t, b.call(t, colleague, "DELETE /api/trash/"+entry, ""), http.StatusForbidden)
	get[api.Message](t, b.call(t, b.acme, "DELETE /api/trash/"+entry, ""), http.StatusOK)
	requireAsked(t, b, jobs.PurgeFile{FileID: f.ID, TeamID: b.acme.scope.TeamID, Bytes: []string{f.ID}})

	for _, who := range []caller{colleague, b.acmeKey} {
		other := b.file(t, b.acme)
		get[api.Error](t, b.call(t, who, "DELETE /api/files/"+other.ID+"?purge=true", ""), http.StatusForbidden)
		get[api.File](t, b.call(t, b.acme, "GET /api/files/"+other.ID, ""), http.StatusOK)
	}
	require.Empty(t, get[api.Deleted](t, b.call(t, b.acme, "DELETE /api/matters/"+m.ID+"?purge=true", ""), http.StatusOK).TrashID)
	for _, id := range []string{f.ID, m.ID, db.NewID()} {
		get[api.Error](t, b.call(t, b.acme, "DELETE /api/matters/"+id+"?purge=true", ""), http.StatusNotFound)
	}
	require.Empty(t, b.trash(t, b.acme, ""))
	for table, rows := range rowsOf(t, b.db) {
		for _, row := range rows {
			require.NotContains(t, row, "quisquilian", table)
		}
	}
	list := get[api.FileList](t, b.call(t, b.acmeKey, "GET /api/files?deleted=true", ""), http.StatusOK)
	require.Len(t, list.Deleted, 1)
	require.Equal(t, f.ID, list.Deleted[0].ID)
	require.NotNil(t, list.Deleted[0].PurgedAt)
}

// colleagueAddress is the address of a user.
func (b *bundle) colleagueAddress(t testing.TB, who caller) string {
	t.Helper()
	user, err := b.db.User(t.Context(), who.scope.ActorID)
	require.NoError(t, err)
	return user.Email
}

// TestFollowDeletions follows files by updatedSince and deleted, page by page.
func TestFollowDeletions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var kept, gone []string
	for range 5 {
		kept, gone = append(kept, b.file(t, b.acme).ID), append(gone, b.file(t, b.acme).ID)
	}
	for _, id := range gone {
		b.discard(t, b.acmeKey, "/api/files/"+id)
	}
	restored := b.trash(t, b.acme, "?limit=1")[0]
	get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+restored.ID+"/restore", ""), http.StatusOK)
	kept, gone = append(kept, restored.ResourceID), slices.DeleteFunc(gone, func(id string) bool { return id == restored.ResourceID })
	for limit := 1; limit <= 12; limit++ {
		var files, deleted []string
		for cursor, pages := "", 0; ; pages++ {
			require.Less(t, pages, 20, "the list has an end")
			page := get[api.FileList](t, b.call(t, b.acmeKey, fmt.Sprintf("GET /api/files?deleted=true&limit=%d&updatedSince=2020-01-01T00:00:00Z&cursor=%s", limit, cursor), ""), http.StatusOK)
			require.LessOrEqual(t, len(page.Items)+len(page.Deleted), limit)
			for _, f := range page.Items {
				require.Empty(t, deleted, "files come first")
				files = append(files, f.ID)
			}
			for _, f := range page.Deleted {
				deleted = append(deleted, f.ID)
			}
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		require.ElementsMatch(t, kept, files)
		require.ElementsMatch(t, gone, deleted)
	}
	latest := get[api.FileList](t, b.call(t, b.acmeKey, "GET /api/files?deleted=true", ""), http.StatusOK).Deleted[0]
	since := "GET /api/files?deleted=true&updatedSince=" + latest.DeletedAt.Format(time.RFC3339Nano)
	require.Empty(t, get[api.FileList](t, b.call(t, b.acmeKey, since, ""), http.StatusOK).Deleted)
	require.Empty(t, get[api.FileList](t, b.call(t, b.mallory, "GET /api/files?deleted=true", ""), http.StatusOK).Deleted)
	require.Empty(t, get[api.FileList](t, b.call(t, b.acmeKey, "GET /api/files", ""), http.StatusOK).Deleted, "only where it is asked for")
	get[api.Error](t, b.call(t, b.acmeKey, "GET /api/files?deleted=true&cursor=ZGVsZXRlZC1maWxlczp4", ""), http.StatusUnprocessableEntity)
	get[api.Error](t, b.call(t, b.acmeKey, "GET /api/files?deleted=true&cursor=x", ""), http.StatusUnprocessableEntity)
}

// rowsOf is every row of the database by its table.
func rowsOf(t testing.TB, d *db.DB) map[string][]string {
	t.Helper()
	rows := map[string][]string{}
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		var tables []string
		if err := tx.Raw.QueryRow(t.Context(), `SELECT array_agg(relname::text ORDER BY relname) FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace`).Scan(&tables); err != nil {
			return err
		}
		for _, table := range tables {
			var list []string
			if err := tx.Raw.QueryRow(t.Context(), `SELECT coalesce(array_agg(row ORDER BY row), '{}') FROM (SELECT to_jsonb(r)::text AS row FROM "`+table+`" r) rows`).Scan(&list); err != nil {
				return err
			}
			rows[table] = list
		}
		return nil
	}))
	return rows
}

// bookkeeping is what a deletion and a restoration write beside what they are
// about, by table, and of tables that have more in them what becomes another value
// by them.
var bookkeeping = map[string]*regexp.Regexp{
	"audit_events": nil, "events": nil, "webhook_deliveries": nil, "river_job": nil, "vocabulary_changes": nil, "rate_limits": nil, "notifications": nil,
	"label_changes": nil, "file_count_changes": nil, "name_changes": nil, "attribute_values_lost": nil, "corpus_changes": nil,
	"files":      regexp.MustCompile(`"(progress_at|updated_at|version|label_generation|indexed_generation|indexed_label_generation)": ("[^"]*"|\d+)`),
	"categories": regexp.MustCompile(`"(updated_at|version)": ("[^"]*"|\d+)`),
	"api_keys":   regexp.MustCompile(`"last_used_at": ("[^"]*"|null)`),
}

// asItWas is every row but bookkeeping.
func asItWas(t testing.TB, d *db.DB) map[string][]string {
	t.Helper()
	rows := rowsOf(t, d)
	for table, changes := range bookkeeping {
		if changes == nil {
			delete(rows, table)
			continue
		}
		for i, row := range rows[table] {
			rows[table][i] = changes.ReplaceAllString(row, "")
		}
	}
	return rows
}

// discarding are the paths of what goes into the trash, by its kind, as furnish
// makes it.
var discarding = map[db.TrashKind]string{
	db.TrashedFile:         "/api/files/{fileId}",
	db.TrashedMatter:       "/api/matters/{matterId}",
	db.TrashedDocumentType: "/api/document-types/{dtid}",
	db.TrashedChat:         "/api/chats/{chatId}",
	db.TrashedWidget:       "/api/dashboard-widgets/{id}",
	db.TrashedSavedSearch:  "/api/saved-searches/{id}",
	db.TrashedTag:          "/api/tags/{key}",
	db.TrashedCategory:     "/api/categories/{id}",
	db.TrashedField:        "/api/fields/{key}",
}

// TestTrashBringsAllBack deletes one of everything and restores it, each by itself
// and all together in another order: every row is as it was.
func TestTrashBringsAllBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.furnish(t, b.acme, word)
	path := map[string]string{}
	for kind, template := range discarding {
		of, known := target{served()["DELETE "+template], ids}.path()
		require.True(t, known, "%s is made", kind)
		path[string(kind)] = of
	}
	get[api.File](t, b.call(t, b.acme, "PUT "+path["file"], `{"matterId":"`+strings.TrimPrefix(path["matter"], "/api/matters/")+`"}`), http.StatusOK)
	require.Less(t, b.call(t, b.acme, "POST "+path["file"]+"/assign", `{"note":"`+word+`"}`).Code, 500)
	get[api.Matter](t, b.call(t, b.acme, "PUT "+path["matter"], `{"documentTypeIds":["`+ids["{dtid}"]+`"]}`), http.StatusOK)
	below := b.call(t, b.acme, "POST /api/categories", `{"name":"below","parentId":"`+strings.TrimPrefix(path["category"], "/api/categories/")+`"}`)
	require.Equal(t, http.StatusCreated, below.Code)
	path["category below"] = "/api/categories/" + idOf(below)
	packed := db.NewID()
	path["file out of it"] = "/api/files/" + packed
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		if _, err := tx.CreateFile(t.Context(), b.acme.scope, db.NewFile{ID: packed, Name: "a.txt", SHA256: []byte("a"), Source: "zip", ParentID: ids["{fileId}"], Entry: 1}); err != nil {
			return err
		}
		for _, id := range []string{packed, ids["{fileId}"]} {
			if err := tx.CompleteAttempt(t.Context(), b.acme.scope, db.Attempt{FileID: id, Number: 1}); err != nil {
				return err
			}
		}
		return tx.SaveRendition(t.Context(), b.acme.scope, ids["{fileId}"], []byte("key"), db.Rendition{Report: json.RawMessage(`{}`)}, time.Hour)
	}))
	before := asItWas(t, b.db)
	kinds := slices.Sorted(maps.Keys(path))
	for _, kind := range kinds {
		entry := b.discard(t, b.acme, path[kind])
		get[api.Error](t, b.call(t, b.acme, "DELETE "+path[kind], ""), http.StatusNotFound)
		require.NotEqual(t, before, asItWas(t, b.db))
		get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+entry+"/restore", ""), http.StatusOK)
		require.Equal(t, before, asItWas(t, b.db), kind)
	}
	for range 12 { // whatever holds something goes before what it holds, and after it, and so it comes back
		var order []string
		for _, list := range [][]string{kinds, kinds} {
			shuffled := slices.Clone(list)
			rand.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			order = append(order, shuffled...)
		}
		entries := map[string]string{}
		for _, kind := range order[:len(kinds)] {
			entries[kind] = b.discard(t, b.acme, path[kind])
		}
		for _, kind := range order[len(kinds):] {
			get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+entries[kind]+"/restore", ""), http.StatusOK)
		}
		require.Equal(t, before, asItWas(t, b.db), "%v", order)
	}
}

// elsewhere are what tells of things that are in the trash by their ids or names:
// the trash itself, and what was written down before.
var elsewhere = regexp.MustCompile(`^/api/(trash|files\?deleted|audit|operations|notifications|webhooks|flags|api-keys|teams|search/synonyms|session|matters/[^/]*/timeline)`)

// reads are the POSTs that change nothing.
var reads = regexp.MustCompile(`^POST /api/(tools/|documents/|dashboard-widgets/execute-query|export/query|files/bulk/(status|ocr)|text/)|/(get-|list-)filters|/options$`)

// TestTrashIsNowhere deletes one of everything, and then calls every operation:
// about what is in the trash it is 404, and no answer shows a word or an id of it.
func TestTrashIsNowhere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.furnish(t, b.acme, secret)
	get[api.File](t, b.call(t, b.acme, "PUT /api/files/"+ids["{fileId}"], `{"name":"`+secret+`.pdf","parties":[{"name":"`+secret+`"}],"metadata":{"`+secret+`":"`+secret+`"}}`), http.StatusOK)
	for _, kind := range get[api.List[api.DocumentType]](t, b.call(t, b.acme, "GET /api/document-types", ""), http.StatusOK).Items {
		if kind.Name == secret {
			b.discard(t, b.acme, "/api/document-types/"+kind.ID)
		}
	}
	get[api.Message](t, b.call(t, b.acme, "DELETE /api/metadata-keys/"+ids["{key}"], ""), http.StatusOK) // which knows no trash
	had := everyID(t, b.db, b.acme.scope.TeamID)
	for _, f := range get[api.FileList](t, b.call(t, b.acme, "GET /api/files", ""), http.StatusOK).Items {
		if f.ID != ids["{fileId}"] {
			b.discard(t, b.acme, "/api/files/"+f.ID)
		}
	}
	gone := map[string]bool{}
	for kind, path := range discarding {
		path, known := target{served()["DELETE "+path], ids}.path()
		require.True(t, known, kind)
		gone[path[strings.LastIndexByte(path, '/')+1:]] = true
		b.discard(t, b.acme, path)
	}
	left := everyID(t, b.db, b.acme.scope.TeamID)
	maps.DeleteFunc(had, func(id string, _ bool) bool { return left[id] })
	require.Greater(t, len(had), 20)
	seen, missed := 0, 0
	operations := served()
	for _, line := range slices.Sorted(maps.Keys(operations)) {
		g := target{operations[line], ids}
		path, known := g.path()
		if g.op.Security == nil || g.endless() || !known || strings.HasPrefix(path, "/api/trash/") {
			continue
		}
		asked, body, _ := g.line(secret)
		b.undoneOf(t, func() {
			w := b.call(t, b.acme, asked, body)
			answer := w.Body.String()
			about := slices.ContainsFunc(slices.Collect(maps.Keys(gone)), func(id string) bool { return strings.Contains(path, id) })
			switch {
			case about && g.op.Responses["201"] == nil || about && g.op.Method != http.MethodPut:
				missed++
				require.Equal(t, http.StatusNotFound, w.Code, "%s %s: %s", asked, body, answer)
			case g.op.Method != http.MethodGet && !reads.MatchString(line), elsewhere.MatchString(path):
				return
			}
			seen++
			for _, id := range uuids.FindAllString(answer, -1) {
				require.False(t, had[id] && !strings.Contains(asked+body, id), "%s %s shows %s: %s", asked, body, id, answer)
			}
			if !strings.Contains(asked+body, secret) {
				require.NotContains(t, answer, secret, asked)
			}
		})
	}
	t.Logf("%d answers, %d of them that there is nothing", seen, missed)
	require.Greater(t, seen-missed, 40)
	require.Greater(t, missed, 80)
	for _, q := range []string{secret, "confidential", ""} {
		for _, path := range []string{"/api/search?q=", "/api/files/search-index?q="} {
			found := get[api.List[json.RawMessage]](t, b.call(t, b.acme, "GET "+path+q, ""), http.StatusOK)
			require.Empty(t, found.Items, q)
			require.Zero(t, *found.Total)
		}
	}
}

// undoneOf takes back what f changes.
func (b *bundle) undoneOf(t *testing.T, f func()) {
	t.Helper()
	(&house{bundle: b}).undone(t, f)
}

// TestTrashedNames restores things whose names or places are taken.
func TestTrashedNames(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, c := range []struct{ path, body string }{
		{"/api/document-types", `{"name":"Offer Letter"}`},
		{"/api/saved-searches", `{"name":"Offer Letter"}`},
		{"/api/categories", `{"name":"Offer Letter"}`},
	} {
		w := b.call(t, b.acme, "POST "+c.path, c.body)
		require.Equal(t, http.StatusCreated, w.Code, w.Body)
		entry := b.discard(t, b.acme, c.path+"/"+idOf(w))
		require.Equal(t, http.StatusCreated, b.call(t, b.acme, "POST "+c.path, c.body).Code)
		refused := get[api.Error](t, b.call(t, b.acme, "POST /api/trash/"+entry+"/restore", ""), http.StatusConflict)
		require.Contains(t, refused.Message, "of that name by now")
		get[api.Error](t, b.call(t, b.acme, "POST /api/trash/"+entry+"/restore", `{"name":"offer letter"}`), http.StatusConflict)
		get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+entry+"/restore", `{"name":"The Old One"}`), http.StatusOK)
		var back struct{ Name string }
		require.NoError(t, json.Unmarshal(b.call(t, b.acme, "GET "+c.path+"/"+idOf(w), "").Body.Bytes(), &back))
		require.Equal(t, "The Old One", back.Name)
	}
	widget := func(title, place string) api.Widget {
		w := b.call(t, b.acme, "POST /api/dashboard-widgets", `{"title":"`+title+`","kind":"number","query":{"source":"files","metric":{"op":"count"}},"position":`+place+`}`)
		return get[api.Widget](t, w, http.StatusCreated)
	}
	first := widget("first", `{"x":0,"y":0,"w":4,"h":2}`)
	entry := b.discard(t, b.acme, "/api/dashboard-widgets/"+first.ID)
	widget("second", `{"x":2,"y":1,"w":4,"h":2}`)
	get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+entry+"/restore", ""), http.StatusOK)
	back := get[api.Widget](t, b.call(t, b.acme, "GET /api/dashboard-widgets/"+first.ID, ""), http.StatusOK)
	require.Equal(t, db.Position{X: 6, Y: 0, W: 4, H: 2}, back.Position, "the first place that has room")
	chat := get[api.Chat](t, b.call(t, b.acme, "PUT /api/chats/"+db.NewID(), `{}`), http.StatusCreated)
	entry = b.discard(t, b.acme, "/api/chats/"+chat.ID)
	get[api.Chat](t, b.call(t, b.acme, "PUT /api/chats/"+chat.ID, `{}`), http.StatusCreated)
	get[api.Error](t, b.call(t, b.acme, "POST /api/trash/"+entry+"/restore", `{"name":"x"}`), http.StatusConflict)
	b.discard(t, b.acme, "/api/chats/"+chat.ID)
	get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+entry+"/restore", ""), http.StatusOK)
}

// TestTrashLastPlace has a file whose place went into the trash put in another one:
// the first, restored, does not take it back, wherever the second is by then.
func TestTrashLastPlace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, c := range []struct{ path, member string }{{"/api/matters", "matterId"}, {documentTypes, "documentTypeId"}} {
		f := "/api/files/" + b.file(t, b.acme).ID
		var things, entries []string
		for _, name := range []string{"First", "Second"} {
			id := b.make(t, b.acme, c.path, name+" Place")
			get[api.File](t, b.call(t, b.acme, "PUT "+f, `{"`+c.member+`":"`+id+`"}`), http.StatusOK)
			things, entries = append(things, id), append(entries, b.discard(t, b.acme, c.path+"/"+id))
		}
		for i, want := range []string{"", things[1]} {
			get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+entries[i]+"/restore", ""), http.StatusOK)
			now := get[api.File](t, b.call(t, b.acme, "GET "+f, ""), http.StatusOK)
			is := now.MatterID
			if c.member == "documentTypeId" {
				is = now.DocumentTypeID
			}
			if want == "" {
				require.Nil(t, is)
			} else {
				require.Equal(t, &want, is)
			}
		}
	}
}

// TestTrashOfOnesOwn has chats and saved searches seen in the trash by those who
// saw them before, and restored by those who may delete them.
func TestTrashOfOnesOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	guest, stranger := b.colleague(t, b.acme, "guest"), b.colleague(t, b.acme, "stranger")
	chat := get[api.Chat](t, b.call(t, b.acme, "POST /api/chats", `{"name":"ours"}`), http.StatusCreated)
	require.Equal(t, http.StatusCreated, b.call(t, b.acme, "POST /api/chats/"+chat.ID+"/participants", `{"userId":"`+guest.scope.ActorID+`"}`).Code)
	search := get[api.SavedSearch](t, b.call(t, b.acme, "POST /api/saved-searches", `{"name":"mine","shared":true}`), http.StatusCreated)
	inChat, inSearch := b.discard(t, b.acme, "/api/chats/"+chat.ID), b.discard(t, b.acme, "/api/saved-searches/"+search.ID)
	require.Len(t, b.trash(t, b.acme, ""), 2)
	require.Len(t, b.trash(t, guest, ""), 1)
	require.Empty(t, b.trash(t, stranger, ""))
	get[api.Error](t, b.call(t, stranger, "POST /api/trash/"+inChat+"/restore", ""), http.StatusNotFound)
	get[api.Error](t, b.call(t, guest, "POST /api/trash/"+inSearch+"/restore", ""), http.StatusNotFound)
	get[api.Error](t, b.call(t, guest, "POST /api/trash/"+inChat+"/restore", ""), http.StatusForbidden)
	require.Len(t, b.trash(t, guest, ""), 1, "it stays where it is")
	get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+inChat+"/restore", ""), http.StatusOK)
	get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+inSearch+"/restore", ""), http.StatusOK)
	back := get[api.Chat](t, b.call(t, guest, "GET /api/chats/"+chat.ID, ""), http.StatusOK)
	require.Len(t, back.Participants, 2)

	// Whoever leaves the team does not come back with the chat.
	inChat = b.discard(t, b.acme, "/api/chats/"+chat.ID)
	require.Equal(t, http.StatusOK, b.call(t, b.acme, "DELETE /api/teams/users/"+guest.scope.ActorID, "").Code)
	get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+inChat+"/restore", ""), http.StatusOK)
	require.Len(t, get[api.Chat](t, b.call(t, b.acme, "GET /api/chats/"+chat.ID, ""), http.StatusOK).Participants, 1)

	// The last one to leave a chat finds it in the trash.
	require.Equal(t, http.StatusOK, b.call(t, b.acme, "DELETE /api/chats/"+chat.ID+"/participants/"+b.acme.scope.ActorID, "").Code)
	get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+b.trash(t, b.acme, "")[0].ID+"/restore", ""), http.StatusOK)
	get[api.Chat](t, b.call(t, b.acme, "GET /api/chats/"+chat.ID, ""), http.StatusOK)
}

// TestRestoreMany asks for many things to come back.
func TestRestoreMany(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var entries []string
	for range 3 {
		entries = append(entries, b.discard(t, b.acme, "/api/files/"+b.file(t, b.acme).ID))
	}
	nobodys := db.NewID()
	asked := get[api.RestoreAccepted](t, b.call(t, b.acme, "POST /api/trash/restore", `{"ids":["`+entries[0]+`","`+entries[1]+`","`+nobodys+`","x"]}`), http.StatusAccepted)
	require.Equal(t, 2, asked.Accepted)
	require.Equal(t, []string{nobodys, "x"}, asked.NotFound)
	requireAsked(t, b, jobs.RestoreTrash{
		OperationID: asked.OperationID, TeamID: b.acme.scope.TeamID, ActorKind: "user", ActorID: b.acme.scope.ActorID, Admin: true, EntryIDs: entries[:2],
	})
	none := get[api.RestoreAccepted](t, b.call(t, b.acme, "POST /api/trash/restore", `{"operationId":"`+nobodys+`"}`), http.StatusAccepted)
	require.Zero(t, none.Accepted)
	require.Equal(t, "completed", get[api.Operation](t, b.call(t, b.acme, "GET "+none.StatusURL, ""), http.StatusOK).State)
	require.Zero(t, get[api.RestoreAccepted](t, b.call(t, b.mallory, "POST /api/trash/restore", `{"ids":["`+entries[0]+`"]}`), http.StatusAccepted).Accepted)
	for _, wrong := range []string{`{}`, `{"ids":[],"operationId":"` + nobodys + `"}`, `{"operationId":"x"}`} {
		get[api.Error](t, b.call(t, b.acme, "POST /api/trash/restore", wrong), http.StatusUnprocessableEntity)
	}
}

// making are bodies that make what goes into the trash, by the path of its kind,
// with # for a name. Files are uploaded.
var making = map[string]string{
	"/api/files": "", "/api/matters": `{"name":"#"}`, "/api/categories": `{"name":"#"}`, "/api/chats": `{"name":"#"}`, "/api/saved-searches": `{"name":"#"}`,
	"/api/document-types": `{"name":"#"}`, "/api/dashboard-widgets": `{"title":"#","kind":"number","query":{"source":"files","metric":{"op":"count"}}}`,
}

// make makes one of what a path lists.
func (b *bundle) make(t testing.TB, who caller, path, name string) (id string) {
	t.Helper()
	if path == "/api/files" {
		return b.file(t, who).ID
	}
	w := b.call(t, who, "POST "+path, strings.ReplaceAll(making[path], "#", name))
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	return idOf(w)
}

// inARace calls all of lines at the same time and returns the codes of the answers,
// sorted.
func (b *bundle) inARace(t testing.TB, who caller, lines ...string) []int {
	t.Helper()
	codes := make([]int, len(lines))
	var all sync.WaitGroup
	for i, line := range lines {
		all.Go(func() { codes[i] = b.call(t, who, line, "").Code })
	}
	all.Wait()
	slices.Sort(codes)
	return codes
}

// TestTrashRaces has the same thing deleted, restored and purged by several at
// once: one of them does it, and to the others it is not there.
func TestTrashRaces(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	b := newBundle(t, d)
	for _, path := range slices.Sorted(maps.Keys(making)) {
		for i := range 3 {
			one := path + "/" + b.make(t, b.acme, path, fmt.Sprint("n", i))
			require.Equal(t, []int{200, 404, 404}, b.inARace(t, b.acme, "DELETE "+one, "DELETE "+one, "DELETE "+one), one)
			entry := "/api/trash/" + b.trash(t, b.acme, "")[0].ID
			again := "POST " + entry + "/restore"
			require.Equal(t, []int{200, 404, 404}, b.inARace(t, b.acme, again, again, again), one)
			require.Equal(t, http.StatusOK, b.call(t, b.acme, "GET "+one, "").Code)
			entry = "/api/trash/" + b.discard(t, b.acme, one)
			again = "POST " + entry + "/restore"
			require.Equal(t, []int{200, 404, 404, 404}, b.inARace(t, b.acme, again, "DELETE "+entry, again, "DELETE "+entry), one)
			require.Empty(t, b.trash(t, b.acme, ""))
		}
	}
}

// TestTrashOfContainersAtOnce deletes and restores a matter, a document type and a
// file in them at the same time, in all ways: when all are back, the file is where
// it was.
func TestTrashOfContainersAtOnce(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	b := newBundle(t, d)
	matter, kind := b.make(t, b.acme, "/api/matters", "Works"), b.make(t, b.acme, "/api/document-types", "Works")
	f := b.file(t, b.acme)
	get[api.File](t, b.call(t, b.acme, "PUT /api/files/"+f.ID, `{"matterId":"`+matter+`","documentTypeId":"`+kind+`"}`), http.StatusOK)
	things := []string{"/api/files/" + f.ID, "/api/matters/" + matter, "/api/document-types/" + kind}
	for range 20 {
		var lines []string
		for _, path := range things {
			if rand.IntN(2) == 0 {
				lines = append(lines, "DELETE "+path)
			}
		}
		for _, e := range b.trash(t, b.acme, "") {
			lines = append(lines, "POST /api/trash/"+e.ID+"/restore")
		}
		for _, code := range b.inARace(t, b.acme, lines...) {
			require.Contains(t, []int{200, 404}, code)
		}
		if rand.IntN(3) > 0 {
			continue // more of the same
		}
		lines = nil
		for _, e := range b.trash(t, b.acme, "") {
			lines = append(lines, "POST /api/trash/"+e.ID+"/restore")
		}
		b.inARace(t, b.acme, lines...)
		require.Empty(t, b.trash(t, b.acme, ""))
		now := get[api.File](t, b.call(t, b.acme, "GET "+things[0], ""), http.StatusOK)
		require.NotNil(t, now.MatterID)
		require.NotNil(t, now.DocumentTypeID)
		require.Equal(t, []string{matter, kind}, []string{*now.MatterID, *now.DocumentTypeID})
	}
}

// shelved is a thing as TestTrashByThree knows it.
type shelved struct {
	maker    string // whose it is to change, of what others use
	path, id string
	entry    string // in the trash; "" where it is not
	owner    string // who alone sees it; "" for the team
	purged   bool
	matter   int // index of the matter that a file is in, or was when it went; -1 for none
}

// TestTrashByThree has an admin, a member and somebody of another team make,
// delete, restore and purge things at random, and compares what is there with
// what should be.
func TestTrashByThree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	people := map[string]caller{"admin": b.acme, "member": b.colleague(t, b.acme, "member"), "stranger": b.mallory}
	names := slices.Sorted(maps.Keys(people))
	paths := slices.Sorted(maps.Keys(making))
	steps := 0
	rapid.Check(t, func(rt *rapid.T) {
		b.undoneOf(t, func() {
			var things []*shelved
			code := func(who, line, body string) int {
				steps++
				return b.call(t, people[who], line, body).Code
			}
			sees := func(who string, s *shelved) bool { return who != "stranger" && (s.owner == "" || s.owner == who) }
			some := func(fits func(*shelved) bool) *shelved {
				fitting := slices.DeleteFunc(slices.Clone(things), func(s *shelved) bool { return !fits(s) })
				if len(fitting) == 0 {
					rt.Skip("there is none yet")
				}
				return rapid.SampledFrom(fitting).Draw(rt, "thing")
			}
			all := func(*shelved) bool { return true }
			binned := func(s *shelved) bool { return s.entry != "" } // and purged, maybe
			there := func(of string) func(*shelved) bool {
				return func(s *shelved) bool { return s.path == of && s.entry == "" && !s.purged }
			}
			someone := func() string { return rapid.SampledFrom(names).Draw(rt, "who") }
			rt.Repeat(map[string]func(*rapid.T){
				"make": func(*rapid.T) {
					path, who := rapid.SampledFrom(paths).Draw(rt, "path"), rapid.SampledFrom(names[:2]).Draw(rt, "who")
					s := &shelved{path: path, matter: -1, id: b.make(t, people[who], path, fmt.Sprint("n", len(things)))}
					if path == "/api/chats" || path == "/api/saved-searches" {
						s.owner = who
					}
					s.maker = who
					things = append(things, s)
				},
				"file": func(*rapid.T) {
					f, m := some(there("/api/files")), some(there("/api/matters"))
					require.Equal(t, http.StatusOK, code("member", "PUT /api/files/"+f.id, `{"matterId":"`+m.id+`"}`))
					f.matter = slices.Index(things, m)
				},
				"delete": func(*rapid.T) {
					s, who := some(all), someone()
					w := b.call(t, people[who], "DELETE "+s.path+"/"+s.id, "")
					if s.entry != "" || s.purged || !sees(who, s) {
						require.Equal(t, http.StatusNotFound, w.Code, w.Body)
						return
					}
					if (s.path == "/api/categories" || s.path == documentTypes) && who == "member" && s.maker != who {
						require.Equal(t, http.StatusForbidden, w.Code, "what others made")
						return
					}
					s.entry = get[api.Deleted](t, w, http.StatusOK).TrashID
				},
				"restore": func(*rapid.T) {
					s, who := some(binned), someone()
					want := http.StatusNotFound
					if !s.purged && sees(who, s) {
						want = http.StatusOK
					}
					require.Equal(t, want, code(who, "POST /api/trash/"+s.entry+"/restore", ""))
					if want == http.StatusOK {
						s.entry = ""
					}
				},
				"purge": func(*rapid.T) {
					s, who := some(binned), someone()
					want := map[string]int{"admin": http.StatusOK, "member": http.StatusForbidden, "stranger": http.StatusNotFound}[who]
					if want == http.StatusOK && (s.purged || !sees(who, s)) {
						want = http.StatusNotFound
					}
					require.Equal(t, want, code(who, "DELETE /api/trash/"+s.entry, ""))
					s.purged = s.purged || want == http.StatusOK
				},
			})
			for _, who := range names {
				shown := map[string]bool{}
				for _, e := range b.trash(t, people[who], "?limit=500") {
					shown[e.ID] = true
				}
				files, inMatters := 0, map[int]int{}
				for _, s := range things {
					there := s.entry == "" && !s.purged && sees(who, s)
					require.Equal(t, there, code(who, "GET "+s.path+"/"+s.id, "") == http.StatusOK, "%s %s%s", who, s.path, s.id)
					require.Equal(t, s.entry != "" && !s.purged && sees(who, s), shown[s.entry], "%s %s", who, s.path)
					if there && s.path == "/api/files" {
						files++
						if s.matter >= 0 && things[s.matter].entry == "" && !things[s.matter].purged {
							inMatters[s.matter]++
						}
					}
				}
				require.Equal(t, files, *get[api.FileList](t, b.call(t, people[who], "GET /api/files", ""), http.StatusOK).Total)
				for i, s := range things {
					if s.path == "/api/matters" && s.entry == "" && !s.purged && sees(who, s) {
						in := get[api.List[api.File]](t, b.call(t, people[who], "GET /api/matters/"+s.id+"/files", ""), http.StatusOK)
						require.Equal(t, inMatters[i], *in.Total, "files of a matter")
					}
				}
			}
		})
	})
	t.Logf("%d steps", steps)
}

// TestTrashOfRestrictedMatters has what was in a restricted matter be seen in the
// trash by those listed on it alone, wherever the matter is.
func TestTrashOfRestrictedMatters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner := b.joining(t, b.acme, "partner", db.Member)
	matter := b.matter(t, partner, `{"name":"Project","access":"restricted"}`)
	var within []string
	for range 2 {
		f := b.file(t, partner)
		get[api.File](t, b.call(t, partner, "PUT /api/files/"+f.ID, `{"matterId":"`+matter.ID+`"}`), http.StatusOK)
		within = append(within, f.ID)
	}
	before := get[api.Matter](t, b.call(t, partner, "GET /api/matters/"+matter.ID, ""), http.StatusOK)
	unseen := func(entries int) {
		t.Helper()
		list := b.trash(t, partner, "")
		require.Len(t, list, entries)
		require.Empty(t, b.trash(t, b.acme, ""), "an admin, who is not listed")
		require.Empty(t, get[api.FileList](t, b.call(t, b.acmeKey, "GET /api/files?deleted=true", ""), http.StatusOK).Deleted)
		for _, e := range list {
			get[api.Error](t, b.call(t, b.acme, "POST /api/trash/"+e.ID+"/restore", ""), http.StatusNotFound)
			get[api.Error](t, b.call(t, b.acme, "DELETE /api/trash/"+e.ID, ""), http.StatusNotFound)
		}
		for _, id := range within {
			get[api.Error](t, b.call(t, b.acme, "GET /api/files/"+id, ""), http.StatusNotFound)
		}
	}
	first := b.discard(t, partner, "/api/files/"+within[0])
	unseen(1)
	inMatter := b.discard(t, partner, "/api/matters/"+matter.ID)
	unseen(3)
	require.Equal(t, 1, b.trash(t, partner, "?kind=matter")[0].Held["files"])
	require.Contains(t, get[api.Error](t, b.call(t, partner, "POST /api/trash/"+first+"/restore", ""), http.StatusConflict).Message, "restore that first")
	get[api.TrashEntry](t, b.call(t, partner, "POST /api/trash/"+inMatter+"/restore", `{"name":"Project Two"}`), http.StatusOK)
	unseen(1) // what was deleted by itself
	require.Equal(t, 2, b.askedOf(t, jobs.SettleFiles{TeamID: b.acme.scope.TeamID, FileIDs: within[1:]}), "when it went, and when it came back")
	get[api.TrashEntry](t, b.call(t, partner, "POST /api/trash/"+first+"/restore", ""), http.StatusOK)
	unseen(0)
	after := get[api.Matter](t, b.call(t, partner, "GET /api/matters/"+matter.ID, ""), http.StatusOK)
	require.Equal(t, "Project Two", after.Name)
	require.Equal(t, before.PeopleIDs, after.PeopleIDs)
	require.Equal(t, before.Access, after.Access)
	for _, id := range within {
		f := get[api.File](t, b.call(t, partner, "GET /api/files/"+id, ""), http.StatusOK)
		require.Equal(t, matter.ID, *f.MatterID)
		require.NotEqual(t, "Project Two", f.Name)
	}

	// It comes back without what was purged meanwhile, be that all that was in it.
	inMatter = b.discard(t, partner, "/api/matters/"+matter.ID)
	with := b.trash(t, partner, "?kind=file")
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		for _, e := range with {
			if _, err := tx.PurgeTrash(t.Context(), db.System(b.acme.scope.TeamID), e.ID); err != nil {
				return err
			}
		}
		return nil
	}))
	get[api.TrashEntry](t, b.call(t, partner, "POST /api/trash/"+inMatter+"/restore", ""), http.StatusOK)
	unseen(0)
	for i := range within {
		within[i] = b.file(t, partner).ID
		get[api.File](t, b.call(t, partner, "PUT /api/files/"+within[i], `{"matterId":"`+matter.ID+`"}`), http.StatusOK)
	}

	// Whatever was in it is purged with it: nobody else may come to see that.
	b.discard(t, partner, "/api/files/"+within[0])
	inMatter = b.discard(t, partner, "/api/matters/"+matter.ID)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		gone, err := tx.PurgeTrash(t.Context(), db.System(b.acme.scope.TeamID), inMatter)
		require.Len(t, gone.Files, 2)
		return err
	}))
	require.Empty(t, b.trash(t, partner, ""))

	// It goes in one transaction, so there is a bound.
	matter = b.matter(t, partner, `{"name":"Archive","access":"restricted"}`)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		for range 201 {
			if _, err := tx.CreateFile(t.Context(), partner.scope, db.NewFile{ID: db.NewID(), Name: "a.txt", SHA256: []byte("a"), Source: "upload", MatterID: matter.ID}); err != nil {
				return err
			}
		}
		return nil
	}))
	refused := get[api.Error](t, b.call(t, partner, "DELETE /api/matters/"+matter.ID, ""), http.StatusConflict)
	require.Contains(t, refused.Message, "more than 200 files")
}

// TestTrashOfTags deletes a tag by which people and a model have labelled, and
// restores it: beside a file that was in the trash meanwhile, and one that went
// later.
func TestTrashOfTags(t *testing.T) {
	t.Parallel()
	b := setup(t)
	colleague := b.colleague(t, b.acme, "colleague")
	tag := b.newTag(t, b.acme, "Step in")
	label := func(who caller, list ...said) (api.File, []string) {
		f, ids := b.contract(t, who, list...)
		get[api.Sentence](t, b.call(t, who, "PATCH /api/sentences/"+ids[0]+"/validate?label="+tag.Key, ""), http.StatusOK)
		return f, ids
	}
	here, sentences := label(b.acme, said{"A.", "", 0.1, "predicted"}, said{"B.", tag.Key, 0.8, "predicted"}, said{"C.", "", 0.1, "predicted"})
	before, _ := label(colleague, said{"A.", "", 0.1, "predicted"})
	after, _ := label(b.acme, said{"A.", "governing_law", 0.7, "predicted"})
	for _, f := range []api.File{here, before, after} {
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
			err := tx.CompleteAttempt(t.Context(), b.acme.scope, db.Attempt{FileID: f.ID, Number: 1})
			if err != nil && err.Error() == db.ErrOvertaken.Error() {
				return nil
			}
			return err
		}))
	}
	was := asItWas(t, b.db)
	labelled := func() int {
		list := get[api.List[api.Sentence]](t, b.call(t, b.acme, "GET /api/sentences?label="+tag.Key, ""), http.StatusOK)
		return *list.Total
	}
	require.Equal(t, 4, labelled())

	inBefore := b.discard(t, b.acme, "/api/files/"+before.ID)
	get[api.Error](t, b.call(t, b.acme, "DELETE /api/tags/"+tag.Key, ""), http.StatusConflict)
	inTag := b.discard(t, b.acme, "/api/tags/"+tag.Key+"?force=true")
	get[api.Error](t, b.call(t, b.acme, "GET /api/tags/"+tag.Key, ""), http.StatusNotFound)
	require.Zero(t, labelled())
	inAfter := b.discard(t, b.acme, "/api/files/"+after.ID)
	get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+inBefore+"/restore", ""), http.StatusOK)
	require.Zero(t, labelled(), "of a tag that is in the trash")
	require.Equal(t, 2, b.trash(t, b.acme, "?kind=tag")[0].Held["decisions"])
	get[api.Error](t, b.call(t, colleague, "POST /api/trash/"+inTag+"/restore", ""), http.StatusForbidden)
	get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+inTag+"/restore", ""), http.StatusOK)
	require.Equal(t, 3, labelled())
	get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+inAfter+"/restore", ""), http.StatusOK)
	require.Equal(t, 4, labelled())
	now := asItWas(t, b.db)
	for _, table := range []string{"sentences", "nodes", "retired_nodes", "file_nodes"} {
		require.Equal(t, was[table], now[table], table)
	}

	// What people decided meanwhile stays.
	inTag = b.discard(t, b.acme, "/api/tags/"+tag.Key+"?force=true")
	get[api.Sentence](t, b.call(t, b.acme, "PATCH /api/sentences/"+sentences[0]+"/validate?label=governing_law", ""), http.StatusOK)
	get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+inTag+"/restore", `{"name":"Step-in rights"}`), http.StatusOK)
	require.Equal(t, 3, labelled())
	require.Equal(t, "Step-in rights", get[api.Tag](t, b.call(t, b.acme, "GET /api/tags/"+tag.Key, ""), http.StatusOK).Name)
}
