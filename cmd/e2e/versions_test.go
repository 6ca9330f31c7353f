package e2e_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// colleagues are people of one organization.
func (s *system) colleagues(address string, names ...string) (all []*caller) {
	s.t.Helper()
	ctx := s.t.Context()
	require.NoError(s.t, s.db.InTx(ctx, func(tx *db.Tx) error {
		team := ""
		for _, name := range names {
			user, err := tx.EnsureUser(ctx, name+"@example.com", name)
			if err != nil {
				return err
			}
			if team == "" {
				made, err := tx.CreateOrganization(ctx, "Acme", user.ID)
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
			all = append(all, account{session: session.Text}.bySession(s.t, address))
		}
		return nil
	}))
	return all
}

// document is a file as it must be: what each of its versions was when it was
// added.
type document struct {
	id       string
	versions [][]byte
}

func (d *document) path() string { return "/api/files/" + d.id }

// office is a service with people who work on the same documents, and what these
// must be.
type office struct {
	t         *testing.T
	people    []*caller
	documents []*document
	deleted   []*document
	serial    int
}

// TestVersionsAreKept has three people upload, edit, execute, send back, restore
// and delete in any order: every version of every file keeps the bytes that it was
// given, and what is brought back is what it was.
func TestVersionsAreKept(t *testing.T) {
	s := newSystem(t)
	address := freeAddress(t)
	s.api(address)
	s.worker()
	// Each step is some requests and a file that is read, so there are fewer of
	// them than rapid would take.
	require.NoError(t, flag.Set("rapid.checks", "4"))
	require.NoError(t, flag.Set("rapid.steps", "40"))
	require.NoError(t, flag.Set("rapid.shrinktime", "2m"))
	o := &office{t: t, people: s.colleagues(address, "ann", "bob", "cora")}
	rapid.Check(t, func(r *rapid.T) {
		o.documents, o.deleted = nil, nil
		o.upload(r)
		r.Repeat(map[string]func(*rapid.T){
			"upload":    o.upload,
			"send back": o.sendBack,
			"restore":   o.restore,
			"execute":   o.execute,
			"decide":    o.decide,
			"edit":      o.edit,
			"race":      o.race,
			"rename":    o.rename,
			"delete":    o.delete,
			"":          o.check,
		})
	})
}

func (o *office) somebody(r *rapid.T) *caller {
	return o.people[rapid.IntRange(0, len(o.people)-1).Draw(r, "who")]
}

func (o *office) some(r *rapid.T) *document {
	if len(o.documents) == 0 {
		r.Skip("there is no document")
	}
	return o.documents[rapid.IntRange(0, len(o.documents)-1).Draw(r, "document")]
}

// content is a document that nobody has sent before, or the bytes of an earlier
// one.
func (o *office) content(r *rapid.T) (name string, content []byte) {
	if len(o.documents) > 0 && rapid.IntRange(0, 9).Draw(r, "again") == 0 {
		d := o.some(r)
		return "again.docx", d.versions[rapid.IntRange(0, len(d.versions)-1).Draw(r, "version")]
	}
	o.serial++
	lines := []string{fmt.Sprintf("Lease number %d of the house.", o.serial), "The term is thirty days.", "The end."}
	if rapid.IntRange(0, 4).Draw(r, "format") == 0 {
		return "lease.txt", []byte(strings.Join(lines, "\n\n"))
	}
	return "lease.docx", encodeDOCX(o.t, "", lines)
}

func (o *office) upload(r *rapid.T) {
	name, content := o.content(r)
	f := o.somebody(r).upload(upload{name, content})
	o.documents = append(o.documents, &document{f.ID, [][]byte{content}})
}

// versioned is what the steps read of an answer to a version.
type versioned struct {
	Version     *struct{ N int }
	StatusURL   string
	OperationID string
}

func versionBody(name string, content []byte, expect int) string {
	body, _ := json.Marshal(map[string]any{"name": name, "contentBase64": base64.StdEncoding.EncodeToString(content), "expectVersion": max(expect, 1)}) // strings always can be
	return string(body)
}

func (o *office) sendBack(r *rapid.T) {
	d, who := o.some(r), o.somebody(r)
	name, content := o.content(r)
	expect := rapid.IntRange(0, 1).Draw(r, "off") + len(d.versions)
	a := who.post(d.path()+"/versions", versionBody(name, content, expect))
	switch {
	case expect != len(d.versions):
		require.Equal(r, http.StatusConflict, a.status, string(a.body))
	case bytes.Equal(content, d.versions[len(d.versions)-1]):
		require.Equal(r, http.StatusOK, a.status, string(a.body))
	default:
		require.Equal(r, http.StatusAccepted, a.status, string(a.body))
		d.versions = append(d.versions, content)
		o.maybeWait(r, d)
	}
}

// maybeWait lets a version be read, or not before the next one comes.
func (o *office) maybeWait(r *rapid.T, d *document) {
	if rapid.Bool().Draw(r, "wait") {
		o.people[0].wait(d.id, 2*time.Minute)
	}
}

func (o *office) restore(r *rapid.T) {
	d, who := o.some(r), o.somebody(r)
	n := rapid.IntRange(1, len(d.versions)+1).Draw(r, "n")
	a := who.post(fmt.Sprintf("%s/versions/%d/restore", d.path(), n), "")
	switch {
	case n > len(d.versions):
		require.Equal(r, http.StatusNotFound, a.status, string(a.body))
	case bytes.Equal(d.versions[n-1], d.versions[len(d.versions)-1]):
		require.Equal(r, http.StatusOK, a.status, string(a.body))
	default:
		require.Equal(r, http.StatusAccepted, a.status, string(a.body))
		d.versions = append(d.versions, d.versions[n-1])
		o.maybeWait(r, d)
	}
}

// made follows an operation that makes a version to its end, and takes down what
// that is: the number that the operation tells, if it made one.
func (o *office) made(r *rapid.T, d *document, statusURL string) {
	var op struct {
		State  string
		Result struct{ Version int }
		Errors []struct{ Error string }
	}
	require.Eventually(r, func() bool {
		a := o.people[0].get(statusURL)
		return a.ok() && json.Unmarshal(a.body, &op) == nil && op.State != "running"
	}, 2*time.Minute, 20*time.Millisecond)
	require.Equal(r, "completed", op.State, op.Errors)
	if op.Result.Version == len(d.versions)+1 {
		a := o.people[0].get(fmt.Sprintf("%s/download?version=%d", d.path(), op.Result.Version))
		require.Equal(r, http.StatusOK, a.status, string(a.body))
		require.NotEqual(r, d.versions[len(d.versions)-1], a.body)
		d.versions = append(d.versions, a.body)
	}
	require.Equal(r, len(d.versions), op.Result.Version)
	o.people[0].wait(d.id, 2*time.Minute)
}

// word is a document that was read and is a Word document.
func (o *office) word(r *rapid.T) *document {
	d := o.some(r)
	o.people[0].wait(d.id, 2*time.Minute)
	if !bytes.HasPrefix(d.versions[len(d.versions)-1], []byte("PK")) {
		r.Skip("it is no Word document")
	}
	return d
}

func (o *office) execute(r *rapid.T) {
	d, who := o.word(r), o.somebody(r)
	o.serial++
	a := who.post(d.path()+"/changes", fmt.Sprintf(`{"type":"insert","anchor":{"block":2,"start":0,"end":0},"text":"Note %d. "}`, o.serial))
	require.Contains(r, []int{http.StatusCreated, http.StatusUnprocessableEntity, http.StatusConflict}, a.status, string(a.body))
	if rapid.Bool().Draw(r, "later") {
		return // it stays open, for another version
	}
	var accepted versioned
	a = o.somebody(r).post(d.path()+"/execute-all", "")
	require.Equal(r, http.StatusAccepted, a.status, string(a.body))
	require.NoError(r, json.Unmarshal(a.body, &accepted))
	o.made(r, d, accepted.StatusURL)
}

func (o *office) decide(r *rapid.T) {
	d, who := o.word(r), o.somebody(r)
	var done struct{ OperationID string }
	a := who.post(d.path()+"/execute-redline-revisions?wait=0&decision="+rapid.SampledFrom([]string{"accept", "reject"}).Draw(r, "decision"), "")
	require.Contains(r, []int{http.StatusOK, http.StatusAccepted}, a.status, string(a.body))
	require.NoError(r, json.Unmarshal(a.body, &done))
	o.made(r, d, "/api/operations/"+done.OperationID)
}

func (o *office) edit(r *rapid.T) {
	d, who := o.word(r), o.somebody(r)
	var opened struct{ SFDT json.RawMessage }
	a := who.get(d.path() + "/sfdt")
	require.Equal(r, http.StatusOK, a.status, string(a.body))
	require.NoError(r, json.Unmarshal(a.body, &opened))
	o.serial++
	saved := strings.Replace(string(opened.SFDT), "The term", fmt.Sprintf("The term (%d)", o.serial), 1)
	a = who.post(d.path()+"/versions", `{"sfdt":`+saved+`}`)
	if saved == string(opened.SFDT) || a.status == http.StatusOK { // what is open stands in the way of the edit
		require.Equal(r, http.StatusOK, a.status, string(a.body))
		return
	}
	require.Equal(r, http.StatusAccepted, a.status, string(a.body))
	var accepted versioned
	require.NoError(r, json.Unmarshal(a.body, &accepted))
	o.made(r, d, accepted.StatusURL)
}

// race has all three send something back at once, each for the version that they
// have seen: one of them is in time.
func (o *office) race(r *rapid.T) {
	d := o.some(r)
	answers, contents := make([]answer, len(o.people)), make([][]byte, len(o.people))
	var all sync.WaitGroup
	for i, who := range o.people {
		o.serial++
		contents[i] = fmt.Appendf(nil, "Answer number %d to the lease.", o.serial)
		all.Go(func() {
			answers[i] = who.post(d.path()+"/versions", versionBody("answer.txt", contents[i], len(d.versions)))
		})
	}
	all.Wait()
	took := 0
	for i, a := range answers {
		switch a.status {
		case http.StatusAccepted:
			took++
			d.versions = append(d.versions, contents[i])
		default:
			require.Equal(r, http.StatusConflict, a.status, string(a.body))
		}
	}
	require.Equal(r, 1, took)
	o.maybeWait(r, d)
}

func (o *office) rename(r *rapid.T) {
	d, who := o.some(r), o.somebody(r)
	a := who.call(o.t.Context(), http.MethodPut, d.path(), strings.NewReader(`{"name":"renamed.docx","metadata":{"by":"somebody"}}`), "Content-Type", "application/json")
	require.Equal(r, http.StatusOK, a.status, string(a.body))
}

func (o *office) delete(r *rapid.T) {
	d, who := o.some(r), o.somebody(r)
	a := who.call(o.t.Context(), http.MethodDelete, d.path(), nil)
	require.Equal(r, http.StatusOK, a.status, string(a.body))
	for i, other := range o.documents {
		if other == d {
			o.documents = append(o.documents[:i:i], o.documents[i+1:]...)
			break
		}
	}
	o.deleted = append(o.deleted, d)
}

// check holds every version of every document to what it was.
func (o *office) check(r *rapid.T) {
	who := o.people[o.serial%len(o.people)]
	for _, d := range o.documents {
		var list struct {
			Items []struct {
				N       int
				Current bool
				SHA256  string
				Size    int
			}
		}
		a := who.get(d.path() + "/versions?limit=500")
		require.Equal(r, http.StatusOK, a.status, string(a.body))
		require.NoError(r, json.Unmarshal(a.body, &list))
		require.Len(r, list.Items, len(d.versions))
		for i, item := range list.Items {
			want := d.versions[len(d.versions)-1-i]
			require.Equal(r, len(d.versions)-i, item.N)
			require.Equal(r, i == 0, item.Current)
			require.Equal(r, len(want), item.Size)
			a := who.get(fmt.Sprintf("%s/download?version=%d", d.path(), item.N))
			require.Equal(r, http.StatusOK, a.status, string(a.body))
			require.True(r, bytes.Equal(want, a.body), "version %d of %s is another document", item.N, d.id)
			require.Equal(r, fmt.Sprintf(`"%d-%s"`, item.N, item.SHA256), a.header.Get("ETag"))
		}
		a = who.get(d.path() + "/download")
		require.Equal(r, fmt.Sprint(len(d.versions)), a.header.Get("X-Version"))
		require.True(r, bytes.Equal(d.versions[len(d.versions)-1], a.body))
		require.Equal(r, http.StatusNotFound, who.get(fmt.Sprintf("%s/download?version=%d", d.path(), len(d.versions)+1)).status)
	}
	for _, d := range o.deleted {
		require.Equal(r, http.StatusNotFound, who.get(d.path()+"/download?version=1").status)
	}
}
