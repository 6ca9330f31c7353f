package api_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

// walled is in every text of what stands in a restricted matter, and in no
// request.
const walled = "obreptitious"

// restrict has who make a restricted matter with a contract in it, and returns
// the ids of what is there to be asked for.
func (h *house) restrict(t *testing.T, who caller) map[string]string {
	t.Helper()
	w := h.call(t, who, "POST /api/matters", `{"name":"`+walled+`","description":"`+walled+`","access":"restricted"}`)
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	matter := idOf(w)
	law := said{text: word + " " + walled + " applies.", label: "governing_law", score: 0.9, source: "predicted"}
	labelled, _ := h.contract(t, who, law)
	contract, _ := h.contract(t, who, law)
	h.read(t, who, contract.ID, supply+"\n3. "+word+" "+walled+". The "+walled+" is confidential.\n")
	h.analyze(t, who, contract.ID)
	ids := map[string]string{
		"{fileId}": contract.ID, "{matterId}": matter, "/api/matters/": matter, "{userId}": who.scope.ActorID, "{teamId}": who.scope.TeamID,
		"/api/files/{fileId}/filters/": "status", "/api/document-types/": h.ours["/api/document-types/"], "{dtid}": h.ours["{dtid}"],
		"{filetypeid}": h.ours["{filetypeid}"], "labelled": labelled.ID, "/api/documents/": h.ours["/api/documents/"], "{widgetId}": h.ours["{widgetId}"],
		"{n}": "1",
	}
	for _, made := range []struct{ line, body, at string }{
		{"PATCH /api/matters/" + matter + "/files", `{"fileId":"` + contract.ID + `"}`, ""},
		{"PATCH /api/matters/" + matter + "/files", `{"fileId":"` + labelled.ID + `"}`, ""},
		{"POST /api/files/" + contract.ID + "/assign", `{"note":"` + walled + `"}`, ""},
		{"POST /api/matters/" + matter + "/assignments", `{"note":"` + walled + `"}`, "/api/matters/{matterId}/assignments/"},
		{"POST /api/chats", `{"name":"` + walled + `"}`, "/api/chats/"},
		{"POST /api/chats/{}/document-context", `{"fileId":"` + contract.ID + `"}`, ""},
		{"POST /api/chats/{}/participants", `{"userId":"` + h.member.scope.ActorID + `"}`, ""},
		{"POST /api/chats/{}/messages", `{"text":"` + walled + `"}`, "/api/chats/{chatId}/messages/"},
		{"POST /api/files/" + contract.ID + "/changes", `{"type":"comment","anchor":{"text":"confidential"},"text":"` + walled + `"}`, ""},
		{"GET /api/sentences?fileId=" + labelled.ID, "", "{sentenceid}"},
	} {
		w := h.call(t, who, strings.Replace(made.line, "{}", ids["/api/chats/"], 1), made.body)
		require.Less(t, w.Code, http.StatusMultipleChoices, "%s: %s", made.line, w.Body)
		if made.at != "" {
			ids[made.at] = idOf(w)
			require.NotEmpty(t, ids[made.at], "%s: %s", made.line, w.Body)
		}
	}
	gone := h.file(t, who).ID
	get[api.File](t, h.call(t, who, "PUT /api/files/"+gone, `{"name":"`+walled+`","matterId":"`+matter+`"}`), http.StatusOK)
	ids["gone"], ids["/api/trash/"] = gone, h.discard(t, who, "/api/files/"+gone)
	return ids
}

// TestRestrictedMatters calls every operation as those in the team who are not
// listed on a restricted matter: about what is in it, which is not found, and
// about all else, which does not show it.
func TestRestrictedMatters(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	partner := h.joining(t, h.acme, "partner", db.Admin)
	hidden := h.restrict(t, partner)
	h.owned = map[string]bool{hidden["{fileId}"]: true, hidden["labelled"]: true, hidden["{matterId}"]: true, hidden["/api/chats/"]: true, hidden["/api/chats/{chatId}/messages/"]: true, hidden["gone"]: true, hidden["/api/trash/"]: true}
	require.NoError(t, h.db.InTx(t.Context(), func(tx *db.Tx) error {
		rows, err := tx.Raw.Query(t.Context(), `
			SELECT id::text FROM sentences WHERE file_id IN ($1, $3) UNION SELECT id::text FROM documents WHERE file_id = $1
			UNION SELECT id::text FROM sections WHERE file_id = $1 UNION SELECT id::text FROM attributes WHERE file_id IN ($1, $3)
			UNION SELECT id::text FROM assignments WHERE file_id = $1 OR matter_id = $2`,
			hidden["{fileId}"], hidden["{matterId}"], hidden["labelled"])
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				return err
			}
			h.owned[id] = true
		}
		return rows.Err()
	}))
	var listedKey caller
	require.NoError(t, h.db.InTx(t.Context(), func(tx *db.Tx) error {
		listedKey = h.key(t, tx, db.APIKey{Kind: db.OrganizationKey, TeamID: h.acme.scope.TeamID, Name: "listed"})
		return nil
	}))
	listed := map[string]caller{"Member": h.joining(t, h.acme, "clerk", db.Member), "Viewer": h.joining(t, h.acme, "reader", db.Viewer), "Key": listedKey}
	people := []string{partner.scope.ActorID}
	for _, who := range inOrder(maps.Clone(listed)) {
		people = append(people, who.scope.ActorID)
	}
	get[api.Matter](t, h.call(t, partner, "PUT /api/matters/"+hidden["{matterId}"], `{"peopleIds":["`+strings.Join(people, `","`)+`"]}`), http.StatusOK)
	var robot caller
	require.NoError(t, h.db.InTx(t.Context(), func(tx *db.Tx) error {
		listed["Service"] = h.service(t, tx, partner.scope, db.Member, []string{hidden["{matterId}"]}, everyScope...)
		robot = h.service(t, tx, h.acme.scope, db.Admin, nil, everyScope...)
		return nil
	}))
	gone := maps.Clone(hidden)
	gone["{fileId}"] = hidden["gone"]
	h.before = digest(t, h.pool, everyRow)
	callers := map[string]caller{"Admin": h.acme, "Member": h.member, "Viewer": h.viewer, "Key": h.acmeKey, "Service": robot}
	operations := served()
	var cells, missing, shared atomic.Int64
	t.Run("All", func(t *testing.T) {
		for _, line := range slices.Sorted(maps.Keys(operations)) {
			op := operations[line]
			if op.Security == nil || (target{op, nil}).endless() {
				continue
			}
			t.Run(strings.ReplaceAll(line, "/", "_"), func(t *testing.T) {
				t.Parallel()
				h := h.room(t)
				creates := op.Method == http.MethodPut && op.Responses["201"] != nil
				for name, who := range inOrder(callers) {
					if name == "Key" && !accepts(op, "apiKey") || name == "Service" && !accepts(op, "oauth2") {
						continue
					}
					// What is theirs, and may have to do with what they cannot see.
					h.undone(t, func() {
						asked, body, _ := target{op, h.ours}.line(word)
						cells.Add(1)
						w := h.call(t, who, asked, body)
						require.Less(t, w.Code, http.StatusInternalServerError, "%s: %s %s", name, asked, h.log)
						h.blind(t, name+" "+asked+" "+body, w.Body.String())
					})
					requests := variants(op, hidden, gone)
					line, body, _ := target{op, hidden}.line(word)
					for _, asked := range append(requests, asked{line, body}) {
						if creates || !h.names(asked.line) {
							continue
						}
						h.undone(t, func() {
							h.wrote = written(t, h.db)
							cells.Add(1)
							missing.Add(1)
							w := h.call(t, who, asked.line, asked.body)
							if w.Code != http.StatusForbidden { // to admins and members alone, whatever there is
								require.Equal(t, http.StatusNotFound, w.Code, "%s: %s %s %s", name, asked.line, w.Body, h.log)
							}
							h.blind(t, asked.line+asked.body, w.Body.String())
							h.untouched(t, "a refused call changed something")
						})
					}
				}

				// Those who are listed are answered as whoever made it is.
				line, body, _ := target{op, hidden}.line(word)
				if creates || !h.names(line) || strings.HasPrefix(op.Path, "/api/chats/") { // which has participants of its own
					return
				}
				answer := func(who caller) (code int) {
					h.undone(t, func() { code = h.call(t, who, line, body).Code })
					require.Less(t, code, http.StatusInternalServerError, "%s %s", line, h.log)
					cells.Add(1)
					shared.Add(1)
					return code
				}
				want := answer(partner)
				for name, who := range inOrder(listed) {
					code := answer(who)
					switch {
					case name == "Key" && !accepts(op, "apiKey"), name == "Service" && !accepts(op, "oauth2"), name == "Viewer" && op.Metadata["viewers"] != true, op.Metadata["admins"] == true:
						require.Equal(t, http.StatusForbidden, code, "%s: %s", name, line)
					case op.Method == http.MethodGet:
						require.Equal(t, want, code, "%s: %s", name, line)
					case strings.Contains(op.Path, "/assign"): // one's own work, of which they have none yet
						require.NotEqual(t, http.StatusUnauthorized, code, "%s: %s", name, line)
					case code != http.StatusForbidden: // which is whose it is to change
						require.Equal(t, want, code, "%s: %s", name, line)
					}
				}
			})
		}
	})
	t.Logf("%d cells, %d of them about what is hidden, %d by those listed", cells.Load(), missing.Load(), shared.Load())
	require.Greater(t, cells.Load(), int64(1300))
	require.Greater(t, shared.Load(), int64(200))
	require.Greater(t, missing.Load(), int64(150))

	for _, line := range []string{"GET /api/files/" + hidden["{fileId}"], "GET /api/matters/" + hidden["{matterId}"], "GET /api/sentences/" + hidden["{sentenceid}"] + "/neighbors"} {
		require.Equal(t, http.StatusOK, h.call(t, partner, line, "").Code, line)
	}
}

// TestProgramsOfRestrictedMatters has an admin who is not listed on a matter change a
// service account that is: its secret would show them the matter.
func TestProgramsOfRestrictedMatters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner := b.joining(t, b.acme, "partner", db.Admin)
	matter := b.matter(t, partner, `{"name":"Project","access":"restricted"}`).ID
	account := get[api.ServiceAccount](t, b.call(t, partner, "POST /api/service-accounts", `{"name":"x","role":"viewer","scopes":["files:read"],"matterIds":["`+matter+`"]}`), http.StatusCreated)
	path := " /api/service-accounts/" + account.ID
	for _, body := range []string{"", `{"overlapHours":0}`} {
		require.NotContains(t, b.call(t, b.acme, "POST"+path+"/secret", body).Body.String(), "cm_svc_")
		get[api.Error](t, b.call(t, b.acme, "POST"+path+"/secret", body), http.StatusForbidden)
	}
	seen := get[api.ServiceAccount](t, b.call(t, b.acme, "PATCH"+path, `{"name":"y","matterIds":[]}`), http.StatusOK)
	require.Empty(t, seen.MatterIDs)
	require.Equal(t, []string{matter}, get[api.ServiceAccount](t, b.call(t, partner, "GET"+path, ""), http.StatusOK).MatterIDs)
	robot := bearer(get[api.AccessToken](t, b.token(t, grant(account, "")), http.StatusOK).Text)
	require.Equal(t, http.StatusOK, b.call(t, robot, "GET /api/matters/"+matter, "").Code, "its secret and its matter are what they were")

	renewed := get[api.ServiceAccount](t, b.call(t, partner, "POST"+path+"/secret", ""), http.StatusOK)
	require.NotEmpty(t, renewed.Secret)
	get[api.Message](t, b.call(t, b.acme, "DELETE"+path, ""), http.StatusOK)
	require.Equal(t, http.StatusUnauthorized, b.call(t, robot, "GET /api/matters/"+matter, "").Code)
}

// names reports whether a request names what is in the restricted matter.
func (h *house) names(line string) bool {
	return slices.ContainsFunc(uuids.FindAllString(line, -1), func(id string) bool { return h.owned[id] })
}

// blind fails where the answer to a request shows what is in the restricted
// matter.
func (h *house) blind(t *testing.T, asked, answer string) {
	t.Helper()
	require.NotContains(t, answer, walled, asked)
	for _, id := range uuids.FindAllString(answer, -1) {
		require.False(t, h.owned[id] && !strings.Contains(asked, id), "%s shows %s", asked, id)
	}
}

// TestMatterAccess restricts and opens a matter: who may, who is listed, and what
// follows for files that have to do with others.
func TestMatterAccess(t *testing.T) {
	t.Parallel()
	b := setup(t)
	partner, other := b.joining(t, b.acme, "partner", db.Member), b.joining(t, b.acme, "other", db.Member)
	matter := b.matter(t, partner, `{"name":"Project"}`)
	require.Equal(t, db.MatterOpen, matter.Access)
	line := "PUT /api/matters/" + matter.ID

	inside := get[api.File](t, b.upload(t, partner, nil, [2]string{"a.pdf", "%PDF-1.7 the same"}), http.StatusAccepted)
	outside := get[api.File](t, b.upload(t, other, nil, [2]string{"b.pdf", "%PDF-1.7 the same"}), http.StatusAccepted)
	require.Equal(t, inside.ID, *outside.DuplicateOf)
	b.call(t, partner, "PATCH /api/matters/"+matter.ID+"/files", `{"fileId":"`+inside.ID+`"}`)

	require.Equal(t, http.StatusForbidden, b.call(t, other, line, `{"access":"restricted"}`).Code, "neither owner, creator nor admin")
	require.Equal(t, http.StatusUnprocessableEntity, b.call(t, partner, line, `{"peopleIds":["`+other.scope.ActorID+`"]}`).Code, "it is open")
	for _, stranger := range []string{db.NewID(), b.mallory.scope.ActorID} {
		require.Equal(t, http.StatusUnprocessableEntity, b.call(t, partner, line, `{"access":"restricted","peopleIds":["`+stranger+`"]}`).Code)
	}
	restricted := get[api.Matter](t, b.call(t, partner, line, `{"access":"restricted"}`), http.StatusOK)
	require.Equal(t, []string{partner.scope.ActorID}, restricted.PeopleIDs)
	for _, who := range []caller{other, b.acme, b.acmeKey} {
		require.Equal(t, http.StatusNotFound, b.call(t, who, "GET /api/files/"+inside.ID, "").Code)
	}
	require.Nil(t, get[api.File](t, b.call(t, other, "GET /api/files/"+outside.ID, ""), http.StatusOK).DuplicateOf, "of what they cannot see")
	require.Equal(t, http.StatusUnprocessableEntity, b.call(t, partner, "POST /api/files/"+inside.ID+"/assign?userId="+other.scope.ActorID, "").Code)
	trashed := get[struct{ TrashID string }](t, b.call(t, partner, "DELETE /api/matters/"+matter.ID, ""), http.StatusOK)
	restore := "POST /api/trash/" + trashed.TrashID + "/restore"
	require.Equal(t, http.StatusNotFound, b.call(t, other, restore, "").Code)
	require.Equal(t, http.StatusOK, b.call(t, partner, restore, "").Code)
	require.Equal(t, http.StatusNotFound, b.call(t, other, "GET /api/files/"+inside.ID, "").Code, "it is restricted still")
	require.Equal(t, http.StatusUnprocessableEntity, b.call(t, partner, line, `{"peopleIds":[]}`).Code, "nobody would see it")

	shared := get[api.Matter](t, b.call(t, partner, line, `{"peopleIds":["`+partner.scope.ActorID+`","`+other.scope.ActorID+`"]}`), http.StatusOK)
	require.Len(t, shared.PeopleIDs, 2)
	require.Equal(t, http.StatusOK, b.call(t, other, "GET /api/files/"+inside.ID, "").Code)
	require.Equal(t, http.StatusForbidden, b.call(t, other, line, `{"access":"open"}`).Code)

	// Those who are listed leave the team: somebody has to see it.
	for _, who := range []caller{other, partner} {
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error { return tx.RemoveMember(t.Context(), b.acme.scope, who.scope.ActorID) }))
	}
	require.Equal(t, http.StatusOK, b.call(t, b.acme, "GET /api/files/"+inside.ID, "").Code)
	opened := get[api.Matter](t, b.call(t, b.acme, line, `{"access":"open"}`), http.StatusOK)
	require.Empty(t, opened.PeopleIDs)
	require.Equal(t, inside.ID, *get[api.File](t, b.call(t, b.acme, "GET /api/files/"+outside.ID, ""), http.StatusOK).DuplicateOf)
}

// TestRestrictedFromTheAnswerOn asks for a matter as soon as it is restricted, as
// somebody of whom the program remembers what they may see.
func TestRestrictedFromTheAnswerOn(t *testing.T) {
	t.Parallel()
	b, _, _ := live(t)
	other := b.colleague(t, b.acme, "other")
	listening := func() (is bool) {
		err := b.db.Pool().QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%')`).Scan(&is)
		return err == nil && is
	}
	require.Eventually(t, listening, time.Minute, time.Millisecond)
	seen := func(id string) int { return b.call(t, other, "GET /api/matters/"+id, "").Code }
	for range 40 {
		matter := b.matter(t, b.acme, `{"name":"Project"}`)
		require.Equal(t, http.StatusOK, seen(matter.ID))
		get[api.Matter](t, b.call(t, b.acme, "PUT /api/matters/"+matter.ID, `{"access":"restricted"}`), http.StatusOK)
		require.Equal(t, http.StatusNotFound, seen(matter.ID))
		get[api.Matter](t, b.call(t, b.acme, "PUT /api/matters/"+matter.ID, `{"peopleIds":["`+b.acme.scope.ActorID+`","`+other.scope.ActorID+`"]}`), http.StatusOK)
		require.Equal(t, http.StatusOK, seen(matter.ID))
		require.Equal(t, http.StatusNotFound, seen(b.matter(t, b.acme, `{"name":"Project","access":"restricted"}`).ID))
	}
}

// TestViewers comment, and propose nothing else.
func TestViewers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	viewer := b.joining(t, b.acme, "viewer", db.Viewer)
	contract, _ := b.contract(t, b.acme, said{text: word + " applies."})
	b.read(t, b.acme, contract.ID, supply)
	line := "POST /api/files/" + contract.ID + "/changes"
	comment := `{"type":"comment","anchor":{"text":"Price"},"text":"Who?"}`
	require.Equal(t, http.StatusCreated, b.call(t, viewer, line, comment).Code)
	for _, edit := range []string{
		`{"type":"delete","anchor":{"text":"Price"}}`,
		`{"changes":[` + comment + `,{"type":"insert","anchor":{"text":"Price"},"side":"after","text":" not"}]}`,
	} {
		require.Equal(t, http.StatusForbidden, b.call(t, viewer, line, edit).Code, edit)
	}
	require.Equal(t, http.StatusForbidden, b.call(t, viewer, "POST /api/saved-searches", `{"name":"a","shared":true}`).Code)
	require.Equal(t, http.StatusCreated, b.call(t, viewer, "POST /api/saved-searches", `{"name":"a"}`).Code)
}
