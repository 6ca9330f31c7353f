package e2e_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// TestTrashOutlivesWorkers has workers killed while they delete many files and
// while they bring them back: each file is in the trash once, and is what it was
// when it is back.
func TestTrashOutlivesWorkers(t *testing.T) {
	s := newSystem(t)
	ada := s.account("ada@example.com")
	address := freeAddress(t)
	s.api(address)
	work := s.worker()
	c := ada.bySession(t, address)
	var ids []string
	for i := range 120 {
		content := fmt.Appendf(nil, "The Tenant of house number %d keeps no ostrich.\n\nThe law of Delaware governs this agreement.", i)
		ids = append(ids, c.upload(upload{fmt.Sprintf("lease %d.txt", i), content}).ID)
	}
	c.allEnd(3 * time.Minute)
	before := s.readings(ada.in)
	binned := func() int { return s.count(`SELECT count(*) FROM trash WHERE purged_at IS NULL`) }
	found := func() (total int) {
		var answer struct{ Total int }
		c.get("/api/files/search-index?q=ostrich").into(t, http.StatusOK, &answer)
		return answer.Total
	}
	// bulk asks for something, kills the worker once it has begun, and has another
	// one bring it to its end.
	bulk := func(path, body string) string {
		var asked struct{ OperationID string }
		was := binned()
		c.post(path, body).into(t, http.StatusAccepted, &asked)
		require.Eventually(t, func() bool { return binned() != was }, time.Minute, time.Millisecond)
		work.kill()
		t.Logf("killed at %d of %d", binned(), len(ids))
		work = s.worker()
		var op struct {
			State string
			Done  int
		}
		require.Eventually(t, func() bool {
			a := c.get("/api/operations/" + asked.OperationID)
			return a.ok() && json.Unmarshal(a.body, &op) == nil && op.State == "completed"
		}, 2*time.Minute, 50*time.Millisecond)
		require.Equal(t, len(ids), op.Done)
		return asked.OperationID
	}
	require.Equal(t, len(ids), found())
	list, err := json.Marshal(ids)
	require.NoError(t, err)
	operation := bulk("/api/files/bulk/delete", `{"fileIds":`+string(list)+`}`)
	require.Equal(t, len(ids), binned())
	require.Empty(t, c.list())
	require.Zero(t, found())

	bulk("/api/trash/restore", `{"operationId":"`+operation+`"}`)
	require.Zero(t, binned())
	s.requireSame(before, s.readings(ada.in))
	require.Equal(t, len(ids), found())
	s.lawful()
	s.vocabularyIsTrue(ada.in)
}

// shelved is a file as it must be: in the trash or not, what each of its versions
// was when it was made, and what was answered about it when it went.
type shelved struct {
	id, entry string
	versions  [][]byte
	was       map[string]string
}

func (k *shelved) path() string { return "/api/files/" + k.id }

// keepers are people who work on the same files, and what these must be.
type keepers struct {
	t      testing.TB
	people []*caller // the first is an admin
	files  []*shelved
	serial int
}

// keepers makes an organization of three.
func (s *system) keepers(address string, nth int) *keepers {
	s.t.Helper()
	k := &keepers{t: s.t}
	ctx := s.t.Context()
	require.NoError(s.t, s.db.InTx(ctx, func(tx *db.Tx) error {
		team := ""
		for i := range 3 {
			user, err := tx.EnsureUser(ctx, fmt.Sprintf("keeper%d.%d@example.com", nth, i), "Keeper")
			if err != nil {
				return err
			}
			if i == 0 {
				made, err := tx.CreateOrganization(ctx, "Keepers", user.ID)
				if err != nil {
					return err
				}
				team = made.ID
			} else if err := tx.AddMember(ctx, team, user.ID, db.Member); err != nil {
				return err
			}
			session := auth.NewToken()
			if err := tx.CreateSession(ctx, session.Hash, user.ID, team, auth.SessionLifetime); err != nil {
				return err
			}
			k.people = append(k.people, account{session: session.Text}.bySession(s.t, address))
		}
		return nil
	}))
	return k
}

// TestTrashKeepsEverything has three people upload, edit, label, execute, delete,
// restore and purge in any order: every version of every file keeps its bytes, what
// is in the trash is nowhere else, and what is restored is what it was.
func TestTrashKeepsEverything(t *testing.T) {
	s := newSystem(t)
	address := freeAddress(t)
	s.api(address)
	s.worker()
	// Each step is some requests and a file that is read, so there are fewer of
	// them than rapid would take.
	require.NoError(t, flag.Set("rapid.checks", "3"))
	require.NoError(t, flag.Set("rapid.steps", "40"))
	nth := 0
	rapid.Check(t, func(r *rapid.T) {
		nth++
		k := s.keepers(address, nth)
		k.upload(r)
		r.Repeat(map[string]func(*rapid.T){
			"upload": k.upload, "edit": k.edit, "label": k.label, "execute": k.execute,
			"delete": k.delete, "delete again": k.delete, "restore": k.restore, "restore again": k.restore, "purge": k.purge, "": k.check,
		})
	})
	s.lawful()
}

func (k *keepers) somebody(r *rapid.T) *caller { return rapid.SampledFrom(k.people).Draw(r, "who") }

// some is a file that is in the trash, or one that is not.
func (k *keepers) some(r *rapid.T, binned bool) *shelved {
	fitting := slices.DeleteFunc(slices.Clone(k.files), func(f *shelved) bool { return (f.entry != "") != binned })
	if len(fitting) == 0 {
		r.Skip("there is none")
	}
	return rapid.SampledFrom(fitting).Draw(r, "file")
}

func (k *keepers) upload(r *rapid.T) {
	k.serial++
	content := encodeDOCX(k.t, "", []string{fmt.Sprintf("Lease number %d of the house.", k.serial), "The law of Delaware governs.", "The term is thirty days."})
	f := &shelved{id: k.somebody(r).upload(upload{"lease.docx", content}).ID, versions: [][]byte{content}}
	k.files = append(k.files, f)
	if rapid.Bool().Draw(r, "wait") {
		k.settled(f)
	}
}

// settled waits until a file is read and can be found.
func (k *keepers) settled(f *shelved) {
	k.people[0].wait(f.id, 2*time.Minute)
	require.Eventually(k.t, func() bool {
		return strings.Contains(string(k.people[0].get(f.path()).body), `"searchable":true`)
	}, time.Minute, 20*time.Millisecond)
}

func (k *keepers) edit(r *rapid.T) {
	f, who := k.some(r, false), k.somebody(r)
	k.serial++
	body := fmt.Sprintf(`{"name":"lease %d.docx","metadata":{"shelf":"%d"}}`, k.serial, k.serial)
	a := who.call(k.t.Context(), http.MethodPut, f.path(), strings.NewReader(body), "Content-Type", "application/json")
	require.Equal(k.t, http.StatusOK, a.status, string(a.body))
}

func (k *keepers) label(r *rapid.T) {
	f, who := k.some(r, false), k.somebody(r)
	k.settled(f)
	var list struct{ Items []struct{ ID string } }
	who.get("/api/sentences?fileId="+f.id).into(k.t, http.StatusOK, &list)
	of := rapid.SampledFrom(list.Items).Draw(r, "sentence").ID
	label := rapid.SampledFrom([]string{"governing_law", "insurance"}).Draw(r, "label")
	a := who.call(k.t.Context(), http.MethodPatch, "/api/sentences/"+of+"/validate?label="+label, nil)
	require.Equal(k.t, http.StatusOK, a.status, string(a.body))
}

func (k *keepers) execute(r *rapid.T) {
	f, who := k.some(r, false), k.somebody(r)
	k.settled(f)
	k.serial++
	a := who.post(f.path()+"/changes", fmt.Sprintf(`{"type":"insert","anchor":{"block":2,"start":0,"end":0},"text":"Note %d. "}`, k.serial))
	require.Contains(k.t, []int{http.StatusCreated, http.StatusUnprocessableEntity, http.StatusConflict}, a.status, string(a.body))
	if rapid.Bool().Draw(r, "later") {
		return // it stays open
	}
	var accepted struct{ StatusURL string }
	who.post(f.path()+"/execute-all", "").into(k.t, http.StatusAccepted, &accepted)
	var op struct{ State string }
	require.Eventually(k.t, func() bool {
		a := who.get(accepted.StatusURL)
		return a.ok() && json.Unmarshal(a.body, &op) == nil && op.State != "running"
	}, 2*time.Minute, 20*time.Millisecond)
	require.Equal(k.t, "completed", op.State)
	k.settled(f)
	now := who.get(f.path() + "/download")
	if now.header.Get("X-Version") != fmt.Sprint(len(f.versions)) {
		f.versions = append(f.versions, now.body)
	}
}

func (k *keepers) delete(r *rapid.T) {
	f, who := k.some(r, false), k.somebody(r)
	f.was = nil
	if k.people[0].get(f.path() + "/status").file(k.t).ended() {
		k.settled(f)
		f.was = k.said(f)
	}
	var gone struct{ TrashID string }
	who.call(k.t.Context(), http.MethodDelete, f.path(), nil).into(k.t, http.StatusOK, &gone)
	require.NotEmpty(k.t, gone.TrashID)
	f.entry = gone.TrashID
}

func (k *keepers) restore(r *rapid.T) {
	f, who := k.some(r, true), k.somebody(r)
	a := who.post("/api/trash/"+f.entry+"/restore", "")
	require.Equal(k.t, http.StatusOK, a.status, string(a.body))
	f.entry = ""
	k.settled(f)
	if f.was != nil {
		require.Equal(k.t, f.was, k.said(f))
	}
}

func (k *keepers) purge(r *rapid.T) {
	f, who := k.some(r, true), k.somebody(r)
	a := who.call(k.t.Context(), http.MethodDelete, "/api/trash/"+f.entry, nil)
	if who != k.people[0] {
		require.Equal(k.t, http.StatusForbidden, a.status, string(a.body))
		return
	}
	require.Equal(k.t, http.StatusOK, a.status, string(a.body))
	require.Equal(k.t, http.StatusNotFound, who.post("/api/trash/"+f.entry+"/restore", "").status)
	k.files = slices.DeleteFunc(k.files, func(x *shelved) bool { return x == f })
}

// passing is what changes with a file's going and coming back, or with those of
// the other files.
var passing = regexp.MustCompile(`"(version|updatedAt|versionOf)":("[^"]*"|\d+|\{[^}]*\}),?`)

// said is what is answered about a file.
func (k *keepers) said(f *shelved) map[string]string {
	all := map[string]string{}
	for _, path := range []string{f.path(), f.path() + "/documents", f.path() + "/changes", f.path() + "/assignments", "/api/sentences?limit=500&fileId=" + f.id} {
		a := k.people[0].get(path)
		require.True(k.t, a.ok(), "%s: %d %s", path, a.status, a.body)
		all[path] = passing.ReplaceAllString(string(a.body), "")
	}
	return all
}

// check holds every file to what it must be.
func (k *keepers) check(r *rapid.T) {
	who := k.people[k.serial%len(k.people)]
	var list, trash struct {
		Items []struct{ ID string }
		Total int
	}
	who.get("/api/files?limit=500").into(k.t, http.StatusOK, &list)
	who.get("/api/trash?limit=500").into(k.t, http.StatusOK, &trash)
	there, entries := []string{}, []string{}
	for _, f := range k.files {
		if f.entry != "" {
			entries = append(entries, f.entry)
			require.Equal(k.t, http.StatusNotFound, who.get(f.path()+"/download").status)
			continue
		}
		there = append(there, f.id)
		for i, want := range f.versions {
			a := who.get(fmt.Sprintf("%s/download?version=%d", f.path(), i+1))
			require.Equal(k.t, http.StatusOK, a.status, string(a.body))
			require.True(k.t, bytes.Equal(want, a.body), "version %d of %s is another document", i+1, f.id)
		}
	}
	require.Equal(k.t, []int{len(there), len(entries)}, []int{list.Total, trash.Total})
	ids := func(items []struct{ ID string }) []string {
		all := make([]string, len(items))
		for i := range items {
			all[i] = items[i].ID
		}
		return all
	}
	require.ElementsMatch(k.t, there, ids(list.Items))
	require.ElementsMatch(k.t, entries, ids(trash.Items))
}
