package e2e_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/auth"
	client "github.com/clausemill/clausemill/clients/go"
	"github.com/clausemill/clausemill/db"
)

// step is a call of an operation. Names with a $ stand for what was kept before.
type step struct {
	Op    string                     `json:"op"`
	Path  []any                      `json:"path"`  // the ids in the path, in order
	Query map[string]json.RawMessage `json:"query"` // parameters
	Body  json.RawMessage            `json:"body"`
	Keep  map[string]string          `json:"keep"`  // name → where it is in the answer
	Fails int                        `json:"fails"` // the status that it may fail with, of what need not succeed here
	Waits int                        `json:"waits"` // the status while it cannot succeed yet
}

// steps call every operation, but for those that send files. The tests of all clients
// take them.
func steps(t *testing.T) []step {
	t.Helper()
	text, err := os.ReadFile("../../clients/testdata/operations.json")
	require.NoError(t, err)
	var all []step
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&all))
	return all
}

// wire notes what the service answers, and signs in by session.
type wire struct {
	session string

	mu   sync.Mutex
	last *noted
}

// noted is an answer as it came.
type noted struct {
	status int
	media  string
	body   bytes.Buffer
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	w.mu.Lock()
	r.AddCookie(&http.Cookie{Name: auth.CookieName, Value: w.session})
	w.mu.Unlock()
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	n := &noted{status: response.StatusCode, media: response.Header.Get("Content-Type")}
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(response.Body, &n.body), response.Body}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = n
	for _, cookie := range response.Cookies() { // another team is another session
		if cookie.Name == auth.CookieName && cookie.Value != "" {
			w.session = cookie.Value
		}
	}
	return response, nil
}

// trial is a team that clients are tried on: who they are, and what is there.
type trial struct {
	*system

	address string
	admin   account
	values  map[string]string // by name: $user and so on
}

// newTrial has an organization with an admin and a member.
func newTrial(t *testing.T) *trial {
	t.Helper()
	s := newSystem(t)
	o := &trial{system: s, address: freeAddress(t)}
	session := auth.NewToken()
	require.NoError(t, s.db.InTx(t.Context(), func(tx *db.Tx) error {
		ada, err := tx.EnsureUser(t.Context(), "ada@example.com", "Ada")
		require.NoError(t, err)
		bob, err := tx.EnsureUser(t.Context(), "bob@example.com", "Bob")
		require.NoError(t, err)
		team, err := tx.CreateOrganization(t.Context(), "The Readers", ada.ID)
		require.NoError(t, err)
		require.NoError(t, tx.AddMember(t.Context(), team.ID, bob.ID, db.Member))
		o.admin = account{in: db.Scope{TeamID: team.ID, ActorKind: "user", ActorID: ada.ID}, session: session.Text}
		other := auth.NewToken()
		if err := tx.CreateSession(t.Context(), other.Hash, ada.ID, team.ID, auth.SessionLifetime); err != nil {
			return err
		}
		o.values = map[string]string{"$team": team.ID, "$me": ada.ID, "$user": bob.ID, "$email": "bob@example.com"}
		return tx.CreateSession(t.Context(), session.Hash, ada.ID, team.ID, auth.SessionLifetime)
	}))
	s.api(o.address, "CLAUSEMILL_OPERATORS=ada@example.com")
	s.worker()
	return o
}

// sources are the files that the steps are about, by name.
func sources(t *testing.T) map[string]upload {
	t.Helper()
	agreement := func(law string) []string {
		return []string{
			"SUPPLY AGREEMENT",
			`This Supply Agreement is made on May 5, 2020 by and between Acme Inc., a Delaware corporation ("Acme"), and Bolt LLC, a New York limited liability company (the "Buyer").`,
			"1. Price. The Buyer shall pay $1,250.00 within thirty days after the invoice.",
			"2. Confidentiality. The Buyer shall keep all information confidential.",
			"3. Governing Law. This Agreement shall be governed by and construed in accordance with the laws of the State of " + law + ".",
		}
	}
	return map[string]upload{
		"$contract": {"supply.docx", encodeDOCX(t, "", agreement("Delaware"))},
		"$other":    {"other.docx", encodeDOCX(t, "", agreement("New York"))},
		"$scan":     {"scan.png", encodePNG(t, scan(t, clauses(71, 6)))},
		"$scan2":    {"scan2.png", encodePNG(t, scan(t, clauses(72, 6)))},
		"$spare":    {"spare.txt", []byte(strings.Join(clauses(73, 9), "\n"))},
	}
}

// TestGoClient calls every method of the Go client on a running service. Every answer
// is decoded without a field that the client does not know, and encoded again it is
// what came.
func TestGoClient(t *testing.T) {
	o := newTrial(t)
	seen := &wire{session: o.admin.session}
	c, err := client.New(client.Config{URL: "http://" + o.address, Transport: seen})
	require.NoError(t, err)
	ctx := t.Context()
	called := map[string]bool{"UploadFile": true, "WaitForFile": true, "AddFileVersion": true, "Redline": true, "DownloadRedline": true}
	for name, f := range sources(t) {
		uploaded, err := c.UploadFile(ctx, client.Upload{Sources: []client.Source{client.NewSource(f.name, f.content)}})
		require.NoError(t, err)
		require.NoError(t, uploaded[0].Err)
		o.values[name] = uploaded[0].File.ID
		requireLossless(t, seen.last.body.Bytes(), &uploaded[0].File)
	}
	for name := range sources(t) {
		_, err := c.WaitForFile(ctx, o.values[name])
		require.NoError(t, err)
	}
	added, err := c.AddFileVersion(ctx, o.values["$other"], client.Version{
		Source: client.NewSource("next.docx", sources(t)["$contract"].content), ExpectVersion: 1, Note: "The next",
	})
	require.NoError(t, err)
	requireLossless(t, seen.last.body.Bytes(), added)
	_, err = c.WaitForFile(ctx, o.values["$other"])
	require.NoError(t, err)

	ours := reflect.ValueOf(c)
	for _, step := range steps(t) {
		method := methodOf(ours, step.Op)
		require.GreaterOrEqual(t, method, 0, "%s is no method", step.Op)
		name := ours.Type().Method(method).Name
		t.Run(name, func(t *testing.T) {
			answer := o.take(t, ours.Method(method), seen, step)
			for kept, where := range step.Keep {
				o.values["$"+kept] = valueAt(t, answer, where)
			}
		})
		called[name] = true
		for _, more := range []string{"All", "Content"} {
			if also := ours.MethodByName(name + more); also.IsValid() && step.Fails == 0 {
				t.Run(name+more, func(t *testing.T) { o.take(t, also, seen, step) })
				called[name+more] = true
			}
		}
		if step.Op == "createServiceAccount" {
			t.Run("ServiceAccount", func(t *testing.T) {
				account := client.ClientCredentials("http://"+o.address, o.values["$account"], o.values["$secret"], "files:read")
				unattended, err := client.New(client.Config{URL: "http://" + o.address, Tokens: account})
				require.NoError(t, err)
				page, err := unattended.ListFiles(t.Context(), client.ListFilesParams{Limit: 1})
				require.NoError(t, err)
				require.Len(t, page.Items, 1)
				_, err = unattended.ListWebhooks(t.Context(), client.ListWebhooksParams{})
				require.True(t, client.AccessDenied(err), "%v", err)
			})
		}
		if step.Op == "createChanges" {
			t.Run("DownloadRedline", func(t *testing.T) {
				made, err := c.Redline(t.Context(), o.values["$contract"], client.GetRedlineParams{})
				require.NoError(t, err)
				require.Equal(t, client.Checks{AcceptAllEqualsTarget: true, RejectAllEqualsBase: true, PriorRevisionsPreserved: true, Opens: true}, made.Checks)
				document, err := c.DownloadRedline(t.Context(), o.values["$contract"], client.GetRedlineParams{})
				require.NoError(t, err)
				content, err := io.ReadAll(document)
				require.NoError(t, errors.Join(err, document.Close()))
				require.Contains(t, documentXML(t, content), "<w:ins ")
			})
		}
	}
	for i := range ours.NumMethod() {
		require.True(t, called[ours.Type().Method(i).Name], "nobody calls %s", ours.Type().Method(i).Name)
	}
}

// TestTypeScriptClient has Node.js take the same steps with the client for TypeScript.
// What was sent and answered is then compiled as values of the client's types: a field
// that they do not have is an error, and so is one that they want.
func TestTypeScriptClient(t *testing.T) {
	const dir = "../../clients/typescript"
	npm(t, dir, nil, "test")
	o := newTrial(t)
	o.examples(t, func(name string, arguments ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), "node", append([]string{filepath.Join(dir, "build/examples", name+".js")}, arguments...)...)
	})
	o.npm(t, dir, "run", "test:live")
}

// TestGoExamples runs the programs of clients/go/examples.
func TestGoExamples(t *testing.T) {
	built := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", built+"/", "../../clients/go/examples/...").CombinedOutput()
	require.NoError(t, err, "%s", out)
	newTrial(t).examples(t, func(name string, arguments ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), filepath.Join(built, strings.ReplaceAll(name, "-", "")), arguments...)
	})
}

// examples runs the five integrations of a client.
func (o *trial) examples(t *testing.T, program func(name string, arguments ...string) *exec.Cmd) {
	t.Helper()
	c, err := client.New(client.Config{URL: "http://" + o.address, Transport: &wire{session: o.admin.session}})
	require.NoError(t, err)
	key, err := c.CreateAPIKey(t.Context(), client.CreateAPIKeyRequest{Name: "examples", Kind: new(client.APIKeyKindOrganization)})
	require.NoError(t, err)
	account, err := c.CreateServiceAccount(t.Context(), client.ServiceAccountFields{
		Name: new("examples"), Role: new(client.TeamRoleMember), Scopes: []client.ServiceScope{"export", "files:read", "files:write"},
	}, client.CreateServiceAccountParams{})
	require.NoError(t, err)
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	env := append(os.Environ(), "CLAUSEMILL_URL=http://"+o.address, "CLAUSEMILL_API_KEY="+key.Secret,
		"CLAUSEMILL_CLIENT_ID="+account.ID, "CLAUSEMILL_CLIENT_SECRET="+*account.Secret, "WEBHOOK_SECRET="+secret)
	run := func(name string, arguments ...string) string {
		t.Helper()
		cmd := program(name, arguments...)
		var complaints bytes.Buffer
		cmd.Env, cmd.Stderr = env, &complaints
		out, err := cmd.Output()
		require.NoError(t, err, "%s: %s", name, complaints.String())
		return string(out)
	}
	folder, dir := t.TempDir(), t.TempDir()
	for _, f := range sources(t) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, f.name), f.content, 0o600))
	}
	require.Contains(t, run("read-text", filepath.Join(folder, "spare.txt")), "Agreement number")
	for range 2 {
		require.Equal(t, len(sources(t)), strings.Count(run("import-folder", folder, filepath.Join(dir, "journal")), " completed"))
	}
	page, err := c.ListFiles(t.Context(), client.ListFilesParams{Q: "supply"})
	require.NoError(t, err)
	require.Len(t, page.Items, 1, "the second run sent nothing")
	table := run("export-attributes")
	require.Contains(t, table, "governing_law")
	require.Contains(t, table, "supply.docx")
	require.Contains(t, documentXML(t, []byte(run("redline", page.Items[0].ID, "thirty", "sixty"))), "<w:ins ")

	address := freeAddress(t)
	listen := address
	if program("").Args[0] == "node" {
		_, listen, _ = strings.Cut(address, ":")
	}
	receiver := program("receive-webhook", listen)
	var printed bytes.Buffer
	receiver.Env, receiver.Stdout = env, &printed
	require.NoError(t, receiver.Start())
	event := func(id string, at time.Time) int {
		response, err := http.DefaultClient.Do(signedEvent(t, "http://"+address+"/in", secret, id, at))
		if err != nil {
			return 0
		}
		_ = response.Body.Close()
		return response.StatusCode
	}
	require.Eventually(t, func() bool { return event("one", time.Now()) == http.StatusNoContent }, time.Minute, 50*time.Millisecond)
	require.Equal(t, http.StatusNoContent, event("one", time.Now()), "it is not sent again")
	require.Equal(t, http.StatusUnauthorized, event("two", time.Now().Add(-time.Hour)))
	require.Equal(t, http.StatusUnauthorized, event("two", time.Now().Add(time.Hour)))
	require.NoError(t, receiver.Process.Kill())
	_ = receiver.Wait() // it was killed
	require.Equal(t, 1, strings.Count(printed.String(), "one ping"), "it is handled once")
	require.NotContains(t, printed.String(), "two")
}

// signedEvent is the request of a webhook.
func signedEvent(t *testing.T, url, secret, id string, at time.Time) *http.Request {
	t.Helper()
	const body = `{"type":"ping","timestamp":"2026-11-22T09:30:00Z","data":{}}`
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	require.NoError(t, err)
	timestamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "." + body))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("webhook-id", id)
	r.Header.Set("webhook-timestamp", timestamp)
	r.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return r
}

// npm runs npm about the trial's service.
func (o *trial) npm(t *testing.T, dir string, arguments ...string) {
	t.Helper()
	paths := map[string]string{}
	for name, f := range sources(t) {
		paths[name] = filepath.Join(t.TempDir(), f.name)
		require.NoError(t, os.WriteFile(paths[name], f.content, 0o600))
	}
	about, err := json.Marshal(map[string]any{
		"url": "http://" + o.address, "cookie": auth.CookieName, "session": o.admin.session, "values": o.values, "sources": paths,
	})
	require.NoError(t, err)
	npm(t, dir, []string{"CLAUSEMILL_LIVE=" + string(about)}, arguments...)
}

// npm runs npm with the packages of a directory, and skips where there are none.
func npm(t *testing.T, dir string, env []string, arguments ...string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "node_modules/@types/node")); err != nil {
		t.Skip("needs Node.js 20 and the packages of clients/typescript: make clients installs them")
	}
	cmd := exec.CommandContext(t.Context(), "npm", append([]string{"--silent"}, arguments...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Logf("%s", out)
}

// methodOf finds the method of an operation: names differ in capitals.
func methodOf(c reflect.Value, op string) int {
	for i := range c.NumMethod() {
		if strings.EqualFold(c.Type().Method(i).Name, op) {
			return i
		}
	}
	return -1
}

// take calls a method, and compares what it returns with what came.
func (o *trial) take(t *testing.T, method reflect.Value, seen *wire, s step) []byte {
	t.Helper()
	results := method.Call(o.arguments(t, method.Type(), s))
	for range 300 {
		var e *client.Error
		if failed, _ := results[len(results)-1].Interface().(error); s.Waits == 0 || !errors.As(failed, &e) || e.Status != s.Waits {
			break
		}
		time.Sleep(200 * time.Millisecond)
		results = method.Call(o.arguments(t, method.Type(), s))
	}
	if len(results) == 1 && results[0].Kind() == reflect.Func { // pages
		pages := 0
		for _, err := range results[0].Seq2() {
			require.True(t, err.IsNil(), "%v", err)
			if pages++; pages > 100 {
				break
			}
		}
		return nil
	}
	failed := results[len(results)-1]
	if s.Fails != 0 && !failed.IsNil() {
		var e *client.Error
		require.ErrorAs(t, failed.Interface().(error), &e)
		require.Equal(t, s.Fails, e.Status)
		require.NotEmpty(t, e.Code)
		require.NotEmpty(t, e.RequestID)
		return nil
	}
	require.True(t, failed.IsNil(), "%v", failed)
	if len(results) == 1 {
		return nil
	}
	switch answer := results[0].Interface().(type) {
	case string:
		require.NotEmpty(t, answer)
	case *client.Stream:
		defer answer.Close()
		if answer.ContentType() == "text/event-stream" { // it goes on
			_, err := answer.Read(make([]byte, 1))
			require.NoError(t, err)
			return nil
		}
		content, err := io.ReadAll(answer)
		require.NoError(t, err)
		require.Equal(t, seen.last.body.Bytes(), content)
		require.NotEmpty(t, content)
	default:
		requireLossless(t, seen.last.body.Bytes(), answer)
	}
	return seen.last.body.Bytes()
}

// arguments are those of a method, from what a step says.
func (o *trial) arguments(t *testing.T, method reflect.Type, s step) []reflect.Value {
	t.Helper()
	all := []reflect.Value{reflect.ValueOf(t.Context())}
	ids := s.Path
	for i := 1; i < method.NumIn(); i++ {
		argument := reflect.New(method.In(i)).Elem()
		switch {
		case argument.Kind() == reflect.Int64:
			argument.SetInt(int64(ids[0].(float64)))
			ids = ids[1:]
		case argument.Kind() == reflect.String:
			argument.SetString(o.fill(t, ids[0].(string)))
			ids = ids[1:]
		case strings.HasSuffix(method.In(i).Name(), "Params"):
			o.setParameters(t, argument, s.Query)
		case s.Body != nil:
			decoder := json.NewDecoder(strings.NewReader(o.fill(t, string(s.Body))))
			decoder.DisallowUnknownFields()
			require.NoError(t, decoder.Decode(argument.Addr().Interface()))
		}
		all = append(all, argument)
	}
	require.Empty(t, ids, "more ids than the path takes")
	return all
}

func (o *trial) setParameters(t *testing.T, parameters reflect.Value, query map[string]json.RawMessage) {
	t.Helper()
	left := maps.Clone(query)
	for i := range parameters.NumField() {
		name := parameters.Type().Field(i).Tag.Get("query")
		if text, ok := query[name]; ok {
			require.NoError(t, json.Unmarshal([]byte(o.fill(t, string(text))), parameters.Field(i).Addr().Interface()))
			delete(left, name)
		}
	}
	require.Empty(t, left, "parameters that it does not take")
}

// fill puts in what was kept. Longer names go first, as one may begin like another.
func (o *trial) fill(t *testing.T, text string) string {
	t.Helper()
	names := slices.SortedFunc(maps.Keys(o.values), func(x, y string) int { return len(y) - len(x) })
	for _, name := range names {
		text = strings.ReplaceAll(text, name, o.values[name])
	}
	return text
}

// valueAt is what stands somewhere in an answer: items.0.id.
func valueAt(t *testing.T, answer []byte, where string) string {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal(answer, &value))
	for part := range strings.SplitSeq(where, ".") {
		switch at := value.(type) {
		case map[string]any:
			value = at[part]
		case []any:
			i, err := strconv.Atoi(part)
			require.NoError(t, err)
			require.Less(t, i, len(at), "%s of %s", where, answer)
			value = at[i]
		}
	}
	require.NotEmpty(t, value, "%s of %s", where, answer)
	return fmt.Sprint(value)
}

// requireLossless compares what came with what the client made of it: it knows every
// field, and encodes them as they were.
func requireLossless(t *testing.T, came []byte, made any) {
	t.Helper()
	strict := reflect.New(reflect.TypeOf(made).Elem())
	decoder := json.NewDecoder(bytes.NewReader(came))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(strict.Interface()), "%s", came)
	encoded, err := json.Marshal(made)
	require.NoError(t, err)
	require.Equal(t, valuesIn(t, came), valuesIn(t, encoded))
}

// valuesIn is JSON with its numbers and times as they are meant: 1e3 is 1000, and a time
// may end in zeros.
func valuesIn(t *testing.T, text []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	require.NoError(t, decoder.Decode(&value), "%s", text)
	var exact func(any) any
	exact = func(value any) any {
		switch value := value.(type) {
		case map[string]any:
			for name := range value {
				value[name] = exact(value[name])
			}
		case []any:
			for i := range value {
				value[i] = exact(value[i])
			}
		case json.Number:
			number, ok := new(big.Rat).SetString(value.String())
			require.True(t, ok)
			return number.String()
		case string:
			if at, err := time.Parse(time.RFC3339Nano, value); err == nil {
				return at.Format(time.RFC3339Nano)
			}
		}
		return value
	}
	return exact(value)
}
