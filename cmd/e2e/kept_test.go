package e2e_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
)

// document is a file as it must be.
type document struct {
	id       string
	versions [][]byte // what each was when it was added
	matter   *folder  // that it is in, or was in when it was deleted
	kind     *folder  // that people assigned, or had when it was deleted

	entry string            // in the trash
	was   map[string]string // what was answered about it when it was deleted; nil if it was not read yet
}

func (d *document) path() string { return "/api/files/" + d.id }

// GoString is what rapid tells of one.
func (d *document) GoString() string { return d.path() }

// in is where d keeps a folder like f.
func (d *document) in(f *folder) **folder {
	if f.matter {
		return &d.matter
	}
	return &d.kind
}

// folder is a matter or a document type as it must be.
type folder struct {
	path       string
	matter     bool
	restricted bool
	kinds      []*folder // of documents, that a matter is about

	entry  string            // in the trash
	purged bool              // and not even there
	was    map[string]string // as of a document
	joined []*document       // that join it again when it comes back
	within []*document       // that were deleted with it
}

func (f *folder) id() string { return f.path[strings.LastIndexByte(f.path, '/')+1:] }

// GoString is what rapid tells of one.
func (f *folder) GoString() string {
	if f == nil {
		return "none"
	}
	return f.path
}

// there reports whether f is neither in the trash nor purged.
func (f *folder) there() bool { return f.entry == "" && !f.purged }

// colleague works in an office.
type colleague struct {
	*caller

	id     string
	admin  bool
	listed bool // on the restricted matters
}

// GoString is what rapid tells of one.
func (p *colleague) GoString() string { return p.id }

// sees reports whether what is in f, or was when it was deleted, exists for p.
func (p *colleague) sees(f *folder) bool { return f == nil || !f.restricted || p.listed }

// office is an organization whose people work on the same documents, and what
// these must be.
type office struct {
	system    *system
	t         *testing.T
	people    []*colleague // the first sees all of it
	documents []*document
	folders   []*folder
	purged    []*document
	serial    int
	checks    int
}

// office makes an organization of three.
func (s *system) office(t *testing.T, address string, nth int) *office {
	t.Helper()
	ctx := t.Context()
	o := &office{system: s, t: t, people: []*colleague{{admin: true, listed: true}, {listed: true}, {}}}
	require.NoError(t, s.db.InTx(ctx, func(tx *db.Tx) error {
		team := ""
		for i, p := range o.people {
			user, err := tx.EnsureUser(ctx, fmt.Sprintf("colleague%d.%d@example.com", nth, i), "Colleague")
			if err != nil {
				return err
			}
			if i == 0 {
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
			p.id, p.caller = user.ID, account{session: session.Text}.bySession(t, address)
		}
		return nil
	}))
	return o
}

// atLeast has rapid take fewer checks and steps than it would, unless the command
// line says how many.
func atLeast(t *testing.T, name, value string) {
	t.Helper()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	if !given {
		require.NoError(t, flag.Set(name, value))
	}
}

// TestNothingIsLost has three people upload, send back, execute, decide, edit,
// restore, label, file, delete, bring back and purge in any order, with one of them
// not listed on the restricted matters. Every version of every file keeps the bytes
// that it was given, what is in the trash is nowhere else, and what is brought back
// is what it was. -rapid.checks and -rapid.steps have it go on for longer.
func TestNothingIsLost(t *testing.T) {
	s := newSystem(t)
	address := freeAddress(t)
	s.api(address)
	s.worker()
	// Each step is some requests and a file that is read.
	atLeast(t, "rapid.checks", "6")
	atLeast(t, "rapid.steps", "60")
	atLeast(t, "rapid.shrinktime", "2m")
	nth := 0
	rapid.Check(t, func(r *rapid.T) {
		nth++
		o := s.office(t, address, nth)
		o.open(r, "matters", false)
		o.open(r, "matters", true)
		o.open(r, "document-types", false)
		o.upload(r)
		r.Repeat(map[string]func(*rapid.T){
			"upload": o.upload, "send back": o.sendBack, "take back": o.takeBack, "execute": o.execute, "decide": o.decide, "edit": o.edit,
			"race": o.race, "rename": o.rename, "label": o.label, "assign": o.assign, "file": o.file, "open": o.openAny,
			"delete": o.delete, "close": o.close, "close again": o.close, "bring back": o.bringBack, "bring back again": o.bringBack, "purge": o.purge, "": o.check,
		})
	})
	s.lawful()
}

// ask sends a request that must be answered with a status, and reads the answer.
func (o *office) ask(r *rapid.T, who *colleague, status int, method, path, body string, into any) {
	more := []string{}
	if body != "" {
		more = append(more, "Content-Type", "application/json")
	}
	a := who.call(o.t.Context(), method, path, strings.NewReader(body), more...)
	require.NoError(r, a.err)
	require.Equal(r, status, a.status, "%s %s %s: %s", method, path, body, a.body)
	if into != nil {
		require.NoError(r, json.Unmarshal(a.body, into), string(a.body))
	}
}

// one draws one of those that fit.
func one[T any](r *rapid.T, what string, all []T, fits func(T) bool) T {
	fitting := slices.DeleteFunc(slices.Clone(all), func(x T) bool { return !fits(x) })
	if len(fitting) == 0 {
		r.Skip("there is no " + what)
	}
	return rapid.SampledFrom(fitting).Draw(r, what)
}

// some is a document and somebody who sees it.
func (o *office) some(r *rapid.T) (*document, *colleague) {
	d := one(r, "document", o.documents, func(d *document) bool { return d.entry == "" })
	return d, one(r, "who", o.people, func(p *colleague) bool { return p.sees(d.matter) })
}

// settled waits until a document is read and can be found, and its open changes have their
// places in it.
func (o *office) settled(r *rapid.T, d *document) {
	o.people[0].wait(d.id, 2*time.Minute)
	require.Eventually(r, func() bool {
		return o.system.count(`SELECT count(*) FROM river_job WHERE kind = $1 AND args ->> 'document_id' = $2 AND state NOT IN ('completed', 'cancelled', 'discarded')`,
			jobs.CarryChanges{}.Kind(), d.id) == 0
	}, time.Minute, 10*time.Millisecond)
	require.Eventually(r, func() bool {
		return strings.Contains(string(o.people[0].get(d.path()).body), `"searchable":true`)
	}, time.Minute, 10*time.Millisecond)
}

// maybeSettled lets a version be read, or not before the next thing is done.
func (o *office) maybeSettled(r *rapid.T, d *document) {
	if rapid.Bool().Draw(r, "wait") {
		o.settled(r, d)
	}
}

// open makes a matter or a document type.
func (o *office) open(r *rapid.T, path string, restricted bool) {
	o.serial++
	f := &folder{path: "/api/" + path + "/", matter: path == "matters", restricted: restricted}
	body := map[string]any{"name": fmt.Sprintf("Folder %d", o.serial)}
	if f.matter {
		f.kinds = slices.DeleteFunc(slices.Clone(o.folders), func(k *folder) bool { return k.matter || !k.there() })
		ids := []string{}
		for _, k := range f.kinds {
			ids = append(ids, k.id())
		}
		body["documentTypeIds"] = ids
	}
	if restricted {
		body["access"], body["peopleIds"] = "restricted", []string{o.people[0].id, o.people[1].id}
	}
	text, err := json.Marshal(body)
	require.NoError(r, err)
	var made struct{ ID string }
	o.ask(r, o.people[0], http.StatusCreated, http.MethodPost, strings.TrimSuffix(f.path, "/"), string(text), &made)
	f.path += made.ID
	o.folders = append(o.folders, f)
}

func (o *office) openAny(r *rapid.T) {
	path := rapid.SampledFrom([]string{"matters", "document-types"}).Draw(r, "what")
	o.open(r, path, path == "matters" && rapid.Bool().Draw(r, "restricted"))
}

// content is a document that nobody has sent before, or the bytes of an earlier
// one.
func (o *office) content(r *rapid.T) (name string, content []byte) {
	if len(o.documents) > 0 && rapid.IntRange(0, 9).Draw(r, "again") == 0 {
		return "again.docx", rapid.SampledFrom(rapid.SampledFrom(o.documents).Draw(r, "document").versions).Draw(r, "version")
	}
	o.serial++
	lines := []string{fmt.Sprintf("Lease number %d of the house.", o.serial), "The law of Delaware governs.", "The term is thirty days."}
	if rapid.IntRange(0, 4).Draw(r, "format") == 0 {
		return "lease.txt", []byte(strings.Join(lines, "\n\n"))
	}
	return "lease.docx", encodeDOCX(o.t, "", lines)
}

func (o *office) upload(r *rapid.T) {
	name, content := o.content(r)
	d := &document{id: rapid.SampledFrom(o.people).Draw(r, "who").upload(upload{name, content}).ID, versions: [][]byte{content}}
	o.documents = append(o.documents, d)
	for rapid.Bool().Draw(r, "into") {
		o.put(r, d, o.people[0], one(r, "folder", o.folders, (*folder).there))
	}
	o.maybeSettled(r, d)
}

func versionBody(name string, content []byte, expect int) string {
	body, _ := json.Marshal(map[string]any{"name": name, "contentBase64": base64.StdEncoding.EncodeToString(content), "expectVersion": max(expect, 1)}) // strings always can be
	return string(body)
}

func (o *office) sendBack(r *rapid.T) {
	d, who := o.some(r)
	name, content := o.content(r)
	expect := rapid.IntRange(0, 1).Draw(r, "off") + len(d.versions)
	status := http.StatusAccepted
	switch {
	case expect != len(d.versions):
		status = http.StatusConflict
	case bytes.Equal(content, d.versions[len(d.versions)-1]):
		status = http.StatusOK
	}
	o.ask(r, who, status, http.MethodPost, d.path()+"/versions", versionBody(name, content, expect), nil)
	if status == http.StatusAccepted {
		d.versions = append(d.versions, content)
		o.maybeSettled(r, d)
	}
}

func (o *office) takeBack(r *rapid.T) {
	d, who := o.some(r)
	n := rapid.IntRange(1, len(d.versions)+1).Draw(r, "n")
	status := http.StatusAccepted
	switch {
	case n > len(d.versions):
		status = http.StatusNotFound
	case bytes.Equal(d.versions[n-1], d.versions[len(d.versions)-1]):
		status = http.StatusOK
	}
	o.ask(r, who, status, http.MethodPost, fmt.Sprintf("%s/versions/%d/restore", d.path(), n), "", nil)
	if status == http.StatusAccepted {
		d.versions = append(d.versions, d.versions[n-1])
		o.maybeSettled(r, d)
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
	}, 2*time.Minute, 10*time.Millisecond)
	require.Equal(r, "completed", op.State, op.Errors)
	if op.Result.Version == len(d.versions)+1 {
		a := o.people[0].get(fmt.Sprintf("%s/download?version=%d", d.path(), op.Result.Version))
		require.Equal(r, http.StatusOK, a.status, string(a.body))
		require.NotEqual(r, d.versions[len(d.versions)-1], a.body)
		d.versions = append(d.versions, a.body)
	}
	require.Equal(r, len(d.versions), op.Result.Version)
	o.settled(r, d)
}

// word is a document that was read and is a Word document, and somebody who sees
// it.
func (o *office) word(r *rapid.T) (*document, *colleague) {
	d, who := o.some(r)
	if !bytes.HasPrefix(d.versions[len(d.versions)-1], []byte("PK")) {
		r.Skip("it is no Word document")
	}
	o.settled(r, d)
	return d, who
}

// versioned is what the steps read of an answer to a version.
type versioned struct{ StatusURL, OperationID string }

func (o *office) execute(r *rapid.T) {
	d, who := o.word(r)
	o.serial++
	a := who.post(d.path()+"/changes", fmt.Sprintf(`{"type":"insert","anchor":{"block":2,"start":0,"end":0},"text":"Note %d. "}`, o.serial))
	require.Contains(r, []int{http.StatusCreated, http.StatusUnprocessableEntity, http.StatusConflict}, a.status, string(a.body))
	if rapid.Bool().Draw(r, "later") {
		return // it stays open, for another version
	}
	var accepted versioned
	o.ask(r, who, http.StatusAccepted, http.MethodPost, d.path()+"/execute-all", "", &accepted)
	o.made(r, d, accepted.StatusURL)
}

func (o *office) decide(r *rapid.T) {
	d, who := o.word(r)
	var done versioned
	a := who.post(d.path()+"/execute-redline-revisions?wait=0&decision="+rapid.SampledFrom([]string{"accept", "reject"}).Draw(r, "decision"), "")
	require.Contains(r, []int{http.StatusOK, http.StatusAccepted}, a.status, string(a.body))
	require.NoError(r, json.Unmarshal(a.body, &done))
	o.made(r, d, "/api/operations/"+done.OperationID)
}

func (o *office) edit(r *rapid.T) {
	d, who := o.word(r)
	var opened struct{ SFDT json.RawMessage }
	o.ask(r, who, http.StatusOK, http.MethodGet, d.path()+"/sfdt", "", &opened)
	o.serial++
	saved := strings.Replace(string(opened.SFDT), "The term", fmt.Sprintf("The term (%d)", o.serial), 1)
	a := who.post(d.path()+"/versions", `{"sfdt":`+saved+`}`)
	if saved == string(opened.SFDT) || a.status == http.StatusOK { // what is open stands in the way of the edit
		require.Equal(r, http.StatusOK, a.status, string(a.body))
		return
	}
	require.Equal(r, http.StatusAccepted, a.status, string(a.body))
	var accepted versioned
	require.NoError(r, json.Unmarshal(a.body, &accepted))
	o.made(r, d, accepted.StatusURL)
}

// race has everybody send something back at once, each for the version that they
// have seen: one of those who see the document is in time.
func (o *office) race(r *rapid.T) {
	d, _ := o.some(r)
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
		switch {
		case !o.people[i].sees(d.matter):
			require.Equal(r, http.StatusNotFound, a.status, string(a.body))
		case a.status == http.StatusAccepted:
			took++
			d.versions = append(d.versions, contents[i])
		default:
			require.Equal(r, http.StatusConflict, a.status, string(a.body))
		}
	}
	require.Equal(r, 1, took)
	o.maybeSettled(r, d)
}

func (o *office) rename(r *rapid.T) {
	d, who := o.some(r)
	o.serial++
	o.ask(r, who, http.StatusOK, http.MethodPut, d.path(), fmt.Sprintf(`{"name":"lease %d.docx","metadata":{"shelf":"%d"}}`, o.serial, o.serial), nil)
}

func (o *office) label(r *rapid.T) {
	d, who := o.some(r)
	o.settled(r, d)
	var list struct{ Items []struct{ ID string } }
	o.ask(r, who, http.StatusOK, http.MethodGet, "/api/sentences?fileId="+d.id, "", &list)
	of := rapid.SampledFrom(list.Items).Draw(r, "sentence").ID
	label := rapid.SampledFrom([]string{"governing_law", "insurance"}).Draw(r, "label")
	o.ask(r, who, http.StatusOK, http.MethodPatch, "/api/sentences/"+of+"/validate?label="+label, "", nil)
}

func (o *office) assign(r *rapid.T) {
	path := ""
	if d, who := o.some(r); rapid.Bool().Draw(r, "file") || d.matter == nil {
		path = d.path() + "/assign?userId=" + who.id
	} else {
		path = d.matter.path + "/assignments"
	}
	a := o.people[0].post(path, `{"note":"Read it."}`)
	require.Contains(r, []int{http.StatusCreated, http.StatusConflict}, a.status, string(a.body)) // once each
}

// file puts a document into a matter or under a document type, or takes it out of
// both.
func (o *office) file(r *rapid.T) {
	d, who := o.some(r)
	o.put(r, d, who, one(r, "folder", append(o.folders, nil), who.sees))
}

// put has somebody put a document into a folder, or out of all.
func (o *office) put(r *rapid.T, d *document, who *colleague, f *folder) {
	change := func(field, id string, status int) {
		o.ask(r, who, status, http.MethodPut, d.path(), `{"`+field+`":"`+id+`"}`, nil)
	}
	switch {
	case f == nil:
		change("matterId", "", http.StatusOK)
		change("documentTypeId", "", http.StatusOK)
		d.matter, d.kind = nil, nil
		o.leave(d, true)
		o.leave(d, false)
	case !f.there():
		change("matterId", f.id(), http.StatusUnprocessableEntity)
		change("documentTypeId", f.id(), http.StatusUnprocessableEntity)
	case f.matter:
		change("matterId", f.id(), http.StatusOK)
		d.matter = f
		o.leave(d, true)
	default:
		change("documentTypeId", f.id(), http.StatusOK)
		d.kind = f
		o.leave(d, false)
	}
}

// leave has folders in the trash, matters or document types, take a document along no more:
// where somebody put it is the last word.
func (o *office) leave(d *document, matters bool) {
	for _, f := range o.folders {
		if f.matter == matters {
			f.joined = slices.DeleteFunc(f.joined, func(x *document) bool { return x == d })
		}
	}
}

// passing are the fields that change with a thing's going and coming back, or
// with that of others. Where a document belongs is looked at by itself.
var passing = []string{
	"version", "updatedAt", "versionOf", "duplicateOf", "duplicates", "matterId", "documentTypeId", "documentTypeSource", "documentTypeScore", "fileTypeId",
	"documentTypeIds", "fileCount", "assigned", "analyzedAt", "stale",
}

// lasting is an answer without what is passing.
func lasting(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			if slices.Contains(passing, name) {
				delete(value, name)
			} else {
				value[name] = lasting(member)
			}
		}
	case []any:
		for i := range value {
			value[i] = lasting(value[i])
		}
	}
	return value
}

// said is what is answered at paths.
func (o *office) said(r *rapid.T, paths ...string) map[string]string {
	all := map[string]string{}
	for _, path := range paths {
		var answer any
		o.ask(r, o.people[0], http.StatusOK, http.MethodGet, path, "", &answer)
		text, err := json.Marshal(lasting(answer))
		require.NoError(r, err)
		all[path] = string(text)
	}
	return all
}

func (o *office) saidOf(r *rapid.T, d *document) map[string]string {
	return o.said(r, d.path(), d.path()+"/documents", d.path()+"/changes", d.path()+"/assignments", "/api/sentences?limit=500&fileId="+d.id)
}

func (o *office) saidIn(r *rapid.T, f *folder) map[string]string {
	if f.matter {
		return o.said(r, f.path, f.path+"/assignments")
	}
	return o.said(r, f.path)
}

// same holds what is answered to what was. The difference is logged as well: what
// does not come again when the steps are repeated would not be told.
func (o *office) same(r *rapid.T, was, is map[string]string) {
	if !maps.Equal(was, is) {
		for path, text := range was {
			if is[path] != text {
				o.t.Logf("%s was\n%s\nand is\n%s", path, text, is[path])
			}
		}
	}
	require.Equal(r, was, is)
}

// remember takes down what a document is before it goes.
func (o *office) remember(r *rapid.T, d *document) {
	d.was = nil
	if o.people[0].get(d.path() + "/status").file(o.t).ended() {
		o.settled(r, d)
		d.was = o.saidOf(r, d)
	}
}

func (o *office) delete(r *rapid.T) {
	d, who := o.some(r)
	o.remember(r, d)
	var gone struct{ TrashID string }
	o.ask(r, who, http.StatusOK, http.MethodDelete, d.path(), "", &gone)
	require.NotEmpty(r, gone.TrashID)
	d.entry = gone.TrashID
}

// close deletes a matter or a document type.
func (o *office) close(r *rapid.T) {
	f := one(r, "folder", o.folders, (*folder).there)
	who := one(r, "who", o.people, func(p *colleague) bool { return p.sees(f) })
	if !f.matter && !who.admin {
		o.ask(r, who, http.StatusForbidden, http.MethodDelete, f.path, "", nil)
		return
	}
	for _, d := range o.documents {
		switch {
		case d.entry != "":
		case f.restricted && d.matter == f:
			o.remember(r, d)
			f.within = append(f.within, d)
		case *d.in(f) == f:
			*d.in(f) = nil
			f.joined = append(f.joined, d)
		}
	}
	f.was = o.saidIn(r, f)
	var gone struct{ TrashID string }
	o.ask(r, who, http.StatusOK, http.MethodDelete, f.path, "", &gone)
	require.NotEmpty(r, gone.TrashID)
	f.entry = gone.TrashID
	var trash struct {
		Items []struct{ ID, ResourceID string }
	}
	o.ask(r, who, http.StatusOK, http.MethodGet, "/api/trash?limit=500", "", &trash)
	for _, d := range f.within {
		for _, e := range trash.Items {
			if e.ResourceID == d.id {
				d.entry = e.ID
			}
		}
		require.NotEmpty(r, d.entry)
	}
}

// binned draws something in the trash: a document or a folder, and somebody who
// knows of it.
func (o *office) binned(r *rapid.T) (d *document, f *folder, who *colleague) {
	if rapid.Bool().Draw(r, "document") {
		d = one(r, "document", o.documents, func(d *document) bool { return d.entry != "" })
		return d, nil, one(r, "who", o.people, func(p *colleague) bool { return p.sees(d.matter) })
	}
	f = one(r, "folder", o.folders, func(f *folder) bool { return f.entry != "" })
	return nil, f, one(r, "who", o.people, func(p *colleague) bool { return p.sees(f) })
}

func (o *office) bringBack(r *rapid.T) {
	d, f, who := o.binned(r)
	if f != nil {
		o.ask(r, who, http.StatusOK, http.MethodPost, "/api/trash/"+f.entry+"/restore", "", nil)
		o.reopened(r, f)
		return
	}
	status := http.StatusOK
	if d.matter != nil && d.matter.restricted && d.matter.entry != "" {
		status = http.StatusConflict // until that is back
	}
	o.ask(r, who, status, http.MethodPost, "/api/trash/"+d.entry+"/restore", "", nil)
	if status == http.StatusOK {
		o.broughtBack(r, d)
	}
}

// broughtBack follows what a document does that is back: it joins what it was in,
// or will when that comes back.
func (o *office) broughtBack(r *rapid.T, d *document) {
	d.entry = ""
	for _, in := range []**folder{&d.matter, &d.kind} {
		if *in != nil && !(*in).there() {
			(*in).joined = append((*in).joined, d)
			*in = nil
		}
	}
	o.settled(r, d)
	if d.was != nil {
		o.same(r, d.was, o.saidOf(r, d))
	}
}

// reopened follows what a folder does that is back: it takes what was in it and is
// in no other one by now.
func (o *office) reopened(r *rapid.T, f *folder) {
	f.entry = ""
	for _, d := range f.joined {
		if in := d.in(f); *in == nil {
			*in = f
		}
	}
	for _, d := range f.within {
		if slices.Contains(o.documents, d) {
			o.broughtBack(r, d)
		}
	}
	f.joined, f.within = nil, nil
	o.same(r, f.was, o.saidIn(r, f))
}

func (o *office) purge(r *rapid.T) {
	d, f, who := o.binned(r)
	var entry string
	if f != nil {
		entry = f.entry
	} else {
		entry = d.entry
	}
	if !who.admin {
		o.ask(r, who, http.StatusForbidden, http.MethodDelete, "/api/trash/"+entry, "", nil)
		return
	}
	o.ask(r, who, http.StatusOK, http.MethodDelete, "/api/trash/"+entry, "", nil)
	o.ask(r, who, http.StatusNotFound, http.MethodPost, "/api/trash/"+entry+"/restore", "", nil)
	if f != nil {
		f.entry, f.purged = "", true
	}
	o.documents = slices.DeleteFunc(o.documents, func(x *document) bool {
		// What was in a restricted matter nobody would be kept from seeing.
		gone := x == d || f != nil && f.restricted && x.matter == f
		if gone {
			o.purged = append(o.purged, x)
		}
		return gone
	})
	for _, x := range o.documents { // those in the trash come back without it
		if f != nil && *x.in(f) == f {
			*x.in(f) = nil
		}
	}
}

// check holds all there is to what it must be, for one after the other of the
// people.
func (o *office) check(r *rapid.T) {
	who := o.people[o.checks%len(o.people)]
	o.checks++
	there, entries := []string{}, []string{}
	for _, d := range o.documents {
		switch {
		case !who.sees(d.matter):
			o.ask(r, who, http.StatusNotFound, http.MethodGet, d.path()+"/versions", "", nil)
			o.ask(r, who, http.StatusNotFound, http.MethodGet, d.path()+"/download?version=1", "", nil)
		case d.entry != "":
			entries = append(entries, d.entry)
			o.ask(r, who, http.StatusNotFound, http.MethodGet, d.path()+"/download?version=1", "", nil)
		default:
			there = append(there, d.id)
			o.checkDocument(r, who, d)
		}
	}
	for _, f := range o.folders {
		switch {
		case who.sees(f) && f.entry != "":
			entries = append(entries, f.entry)
			fallthrough
		case !who.sees(f), !f.there():
			o.ask(r, who, http.StatusNotFound, http.MethodGet, f.path, "", nil)
		default:
			var now struct{ DocumentTypeIDs []string }
			o.ask(r, who, http.StatusOK, http.MethodGet, f.path, "", &now)
			about := []string{}
			for _, k := range f.kinds {
				if k.there() {
					about = append(about, k.id())
				}
			}
			require.ElementsMatch(r, about, now.DocumentTypeIDs)
		}
	}
	for _, d := range o.purged {
		o.ask(r, who, http.StatusNotFound, http.MethodGet, d.path()+"/download?version=1", "", nil)
	}
	for path, want := range map[string][]string{"/api/files": there, "/api/trash": entries} {
		var list struct {
			Items []struct{ ID string }
			Total int
		}
		o.ask(r, who, http.StatusOK, http.MethodGet, path+"?limit=500", "", &list)
		ids := make([]string, len(list.Items))
		for i, item := range list.Items {
			ids[i] = item.ID
		}
		require.ElementsMatch(r, want, ids, path)
		require.Equal(r, len(want), list.Total, path)
	}
}

// checkDocument holds a document to what it must be: where it belongs, and every
// version.
func (o *office) checkDocument(r *rapid.T, who *colleague, d *document) {
	var now struct {
		MatterID, DocumentTypeID, DocumentTypeSource *string
		CurrentVersion                               int
	}
	o.ask(r, who, http.StatusOK, http.MethodGet, d.path(), "", &now)
	require.Equal(r, len(d.versions), now.CurrentVersion)
	if d.matter == nil {
		require.Nil(r, now.MatterID)
	} else {
		require.NotNil(r, now.MatterID)
		require.Equal(r, d.matter.id(), *now.MatterID)
	}
	if d.kind == nil { // it may be guessed
		require.True(r, now.DocumentTypeSource == nil || *now.DocumentTypeSource == "predicted")
	} else {
		require.NotNil(r, now.DocumentTypeID)
		require.Equal(r, []string{d.kind.id(), "assigned"}, []string{*now.DocumentTypeID, *now.DocumentTypeSource})
	}
	var list struct {
		Items []struct {
			N       int
			Current bool
			SHA256  string
			Size    int
		}
	}
	o.ask(r, who, http.StatusOK, http.MethodGet, d.path()+"/versions?limit=500", "", &list)
	require.Len(r, list.Items, len(d.versions))
	for i, item := range list.Items {
		want := d.versions[len(d.versions)-1-i]
		sum := sha256.Sum256(want)
		require.Equal(r, len(d.versions)-i, item.N)
		require.Equal(r, i == 0, item.Current)
		require.Equal(r, len(want), item.Size)
		require.Equal(r, hex.EncodeToString(sum[:]), item.SHA256)
		a := who.get(fmt.Sprintf("%s/download?version=%d", d.path(), item.N))
		require.Equal(r, http.StatusOK, a.status, string(a.body))
		require.True(r, bytes.Equal(want, a.body), "version %d of %s is another document", item.N, d.id)
		require.Equal(r, fmt.Sprintf(`"%d-%s"`, item.N, item.SHA256), a.header.Get("ETag"))
	}
	a := who.get(d.path() + "/download")
	require.Equal(r, strconv.Itoa(len(d.versions)), a.header.Get("X-Version"))
	require.True(r, bytes.Equal(d.versions[len(d.versions)-1], a.body))
	require.Equal(r, http.StatusNotFound, who.get(fmt.Sprintf("%s/download?version=%d", d.path(), len(d.versions)+1)).status)
}
