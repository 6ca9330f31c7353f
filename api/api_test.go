package api_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

func TestMain(m *testing.M) {
	openapi3.DefineStringFormatValidator("uuid", openapi3.NewRegexpFormatValidator(`^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$`))
	code := m.Run()
	writeRecording()
	dbtest.Drop()
	os.Exit(code)
}

// caller is somebody who asks, with the header that proves it.
type caller struct {
	scope  db.Scope
	header http.Header
	secret auth.Secret
}

// bundle is a running API and those who ask it.
type bundle struct {
	db       *db.DB
	api      *api.API
	blobs    *blob.Store
	registry *prometheus.Registry
	log      *bytes.Buffer

	nobody   caller
	alice    caller // a session in her personal team
	aliceKey caller // her key
	acme     caller // a session of an organization's admin
	acmeKey  caller // the organization's key
	mallory  caller // a session in another team
}

// setup is an API over a transaction that is rolled back.
func setup(t testing.TB, change ...func(*api.Config)) *bundle {
	t.Helper()
	d := dbtest.New(t)
	d.Rehearse()
	return newBundle(t, d, change...)
}

func newBundle(t testing.TB, d *db.DB, change ...func(*api.Config)) *bundle {
	t.Helper()
	b := &bundle{db: d, registry: prometheus.NewRegistry(), log: &bytes.Buffer{}}
	blobs, err := blob.Open(t.Context(), "mem://")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, blobs.Close()) })
	b.blobs = blobs
	b.api = b.newAPI(t, change...)

	// Tests share a database, and a new address is locked until its test ends.
	own := rand.Text()
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) error {
		alice, err := tx.EnsureUser(t.Context(), "alice@"+own+".example", "Alice")
		require.NoError(t, err)
		b.alice = b.signIn(t, tx, alice.ID, alice.PersonalTeamID)
		b.aliceKey = b.key(t, tx, db.APIKey{Kind: db.UserKey, TeamID: alice.PersonalTeamID, UserID: &alice.ID, Name: "k"})

		acme, err := tx.EnsureOrganization(t.Context(), "Acme "+own)
		require.NoError(t, err)
		require.NoError(t, tx.AddMember(t.Context(), acme.ID, alice.ID, db.Admin))
		b.acme = b.signIn(t, tx, alice.ID, acme.ID)
		b.acmeKey = b.key(t, tx, db.APIKey{Kind: db.OrganizationKey, TeamID: acme.ID, Name: "k"})

		mallory, err := tx.EnsureUser(t.Context(), "mallory@"+own+".example", "Mallory")
		require.NoError(t, err)
		b.mallory = b.signIn(t, tx, mallory.ID, mallory.PersonalTeamID)
		return nil
	}))
	return b
}

// newAPI is another replica over the same database and store.
func (b *bundle) newAPI(t testing.TB, change ...func(*api.Config)) *api.API {
	t.Helper()
	// A client without a pool inserts in the transactions that it is given.
	driver := riverpgxv5.New(b.db.Pool())
	queue, err := river.NewClient(driver, &river.Config{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	config := api.Config{
		DB: b.db, Jobs: queue, Blobs: b.blobs, Log: slog.New(slog.NewTextHandler(b.log, nil)),
		Registry: b.registry, Limits: api.DefaultLimits(), Trash: 30 * 24 * time.Hour, Pages: pageDrawer{map[string]bool{}},
	}
	for _, c := range change {
		c(&config)
	}
	a, err := api.New(config)
	require.NoError(t, err)
	return a
}

func (b *bundle) signIn(t testing.TB, tx *db.Tx, userID, teamID string) caller {
	t.Helper()
	token := auth.NewToken()
	require.NoError(t, tx.CreateSession(t.Context(), token.Hash, userID, teamID, auth.SessionLifetime))
	return caller{
		scope:  db.Scope{TeamID: teamID, ActorKind: "user", ActorID: userID},
		header: http.Header{"Cookie": {auth.CookieName + "=" + token.Text}},
		secret: token,
	}
}

func (b *bundle) key(t testing.TB, tx *db.Tx, key db.APIKey) caller {
	t.Helper()
	secret := auth.NewKey(key.Kind)
	key.Hint = secret.Hint
	made, err := tx.CreateAPIKey(t.Context(), key, secret.Hash)
	require.NoError(t, err)
	scope := db.Scope{TeamID: key.TeamID, ActorKind: "key", ActorID: made.ID}
	if key.UserID != nil {
		scope = db.Scope{TeamID: key.TeamID, ActorKind: "user", ActorID: *key.UserID}
	}
	return caller{scope: scope, header: http.Header{"Authorization": {"Bearer " + secret.Text}}, secret: secret}
}

// service is a service account of in's team, with a token.
func (b *bundle) service(t testing.TB, tx *db.Tx, in db.Scope, role string, matters []string, scopes ...string) caller {
	t.Helper()
	secret, token, name := auth.NewServiceSecret(), auth.NewServiceToken(), "robot"
	c := db.ServiceAccountChange{Name: &name, Role: &role, Scopes: &scopes, MatterIDs: &matters}
	made, err := tx.CreateServiceAccount(t.Context(), in, c, secret.Hash, secret.Hint)
	require.NoError(t, err)
	require.NoError(t, tx.CreateServiceToken(t.Context(), made.ID, secret.Hash, token.Hash, scopes, auth.ServiceTokenLifetime))
	return caller{
		scope:  db.Scope{TeamID: in.TeamID, ActorKind: "service", ActorID: made.ID},
		header: http.Header{"Authorization": {"Bearer " + token.Text}}, secret: token,
	}
}

// everyScope lists the scopes that service accounts may have.
var everyScope = []string{"audit", "export", "files:read", "files:write", "webhooks"}

// accepts reports whether callers may prove who they are to an operation by a scheme.
func accepts(op *huma.Operation, scheme string) bool {
	return slices.ContainsFunc(op.Security, func(s map[string][]string) bool { return s[scheme] != nil })
}

// request is a request of who, "METHOD /path", with a JSON body where there is
// one.
func request(t testing.TB, who caller, line, body string) *http.Request {
	t.Helper()
	method, target, ok := strings.Cut(line, " ")
	require.True(t, ok)
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, target, reader)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, values := range who.header {
		r.Header[name] = values
	}
	return r
}

// send answers r, and holds the answer to the description.
func (b *bundle) send(t testing.TB, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	var asked bytes.Buffer
	if r.Body != nil && r.Header.Get("Content-Type") == "application/json" {
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(r.Body, &asked), r.Body}
	}
	b.api.ServeHTTP(w, r)
	requireDescribed(t, r, w)
	if w.Code < 300 {
		require.NoError(t, unaskable(r, asked.Bytes()), "what was taken is not what the description asks for")
	}
	keep(operationOf(r), asked.Bytes(), w)
	return w
}

// described is the description as a client's tools read it.
var described = sync.OnceValues(func() (routers.Router, error) {
	text, err := json.Marshal(api.OpenAPI())
	if err != nil {
		return nil, err
	}
	document, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	return gorillamux.NewRouter(document)
})

// operationOf is the id of the operation that answers r, "" where none does.
func operationOf(r *http.Request) string {
	router, err := described()
	if err != nil {
		return ""
	}
	route, _, err := router.FindRoute(r)
	if err != nil {
		return ""
	}
	return route.Operation.OperationID
}

// requireDescribed fails where an answer has a status, a field or a type that
// the description does not know.
func requireDescribed(t testing.TB, r *http.Request, w *httptest.ResponseRecorder) {
	t.Helper()
	require.NoError(t, undescribed(r, w), w.Body.String())
}

// undescribed is what the description does not know of an answer.
func undescribed(r *http.Request, w *httptest.ResponseRecorder) error {
	router, err := described()
	if err != nil {
		return err
	}
	route, params, err := router.FindRoute(r)
	if err != nil || w.Code == http.StatusNotModified {
		return nil // not an operation; or an answer without a body
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route},
		Status:                 w.Code, Header: w.Header(),
		Options: &openapi3filter.Options{ExcludeResponseBody: w.Header().Get("Content-Type") != "application/json" || r.Method == http.MethodHead},
	}
	input.SetBodyBytes(w.Body.Bytes())
	if w.Code >= 400 && w.Code < 500 && route.Operation.Responses.Value(strconv.Itoa(w.Code)) == nil && !*record {
		return fmt.Errorf("%s answers %d, which is not described; run all tests of api with -record", route.Operation.OperationID, w.Code)
	}
	return openapi3filter.ValidateResponse(context.Background(), input)
}

// unaskable is what the description does not know of a request that was taken: a
// client that is generated from it could not have sent that. See shorthands.
func unaskable(r *http.Request, body []byte) error {
	router, err := described()
	if err != nil {
		return err
	}
	route, params, err := router.FindRoute(r)
	if err != nil {
		return nil // not an operation
	}
	for _, values := range r.URL.Query() {
		if len(values) > 1 || values[0] == "" {
			return nil
		}
	}
	asked := r.Clone(r.Context())
	asked.Body = io.NopCloser(bytes.NewReader(body))
	err = openapi3filter.ValidateRequest(context.Background(), &openapi3filter.RequestValidationInput{
		Request: asked, PathParams: params, Route: route,
		Options: &openapi3filter.Options{
			ExcludeRequestBody: r.Header.Get("Content-Type") != "application/json",
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
		},
	})
	if err != nil && shorthands.MatchString(err.Error()) {
		return nil
	}
	return err
}

// shorthands are what is taken beyond the description, which asks for the plain form
// of it: a day for an instant, one value for a list of one, the values of a list one
// by one, what is no id among many (the answer names it), and a parameter that is
// empty for one that is left out.
var shorthands = regexp.MustCompile(`not valid date-time|format "uuid"|not valid uuid|/filter/\w+": value must be an array`)

func (b *bundle) call(t testing.TB, who caller, line, body string) *httptest.ResponseRecorder {
	t.Helper()
	return b.send(t, request(t, who, line, body))
}

// get decodes the answer to a call that must have the given status.
func get[T any](t testing.TB, w *httptest.ResponseRecorder, status int) T {
	t.Helper()
	require.Equal(t, status, w.Code, w.Body.String())
	var out T
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &out), w.Body.String())
	return out
}

// form is an upload of files by name, after fields.
func form(t testing.TB, fields [][2]string, files ...[2]string) (body *bytes.Buffer, contentType string) {
	t.Helper()
	body = &bytes.Buffer{}
	w := multipart.NewWriter(body)
	for _, f := range fields {
		require.NoError(t, w.WriteField(f[0], f[1]))
	}
	for _, f := range files {
		part, err := w.CreateFormFile("file", f[0])
		require.NoError(t, err)
		_, err = io.WriteString(part, f[1])
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return body, w.FormDataContentType()
}

func (b *bundle) upload(t testing.TB, who caller, fields [][2]string, files ...[2]string) *httptest.ResponseRecorder {
	t.Helper()
	body, contentType := form(t, fields, files...)
	r := request(t, who, "POST /api/files", "")
	r.Body, r.ContentLength = io.NopCloser(body), int64(body.Len())
	r.Header.Set("Content-Type", contentType)
	return b.send(t, r)
}

// file is an uploaded file of who.
func (b *bundle) file(t testing.TB, who caller) api.File {
	t.Helper()
	return get[api.File](t, b.upload(t, who, nil, [2]string{"lease.pdf", "%PDF-1.7 the bytes"}), http.StatusAccepted)
}

// anew gives files bytes of their own, so that they are no copies of one another.
func (b *bundle) anew(t testing.TB, fileIDs ...string) {
	t.Helper()
	b.exec(t, `UPDATE files SET sha256 = sha256(id::text::bytea), duplicate_of = NULL WHERE id = ANY($1::uuid[])`, fileIDs)
}

// exec carries out a statement.
func (b *bundle) exec(t testing.TB, sql string, values ...any) {
	t.Helper()
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Raw.Exec(t.Context(), sql, values...)
		return err
	}))
}
