package e2e_test

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// share is of how many contracts TestContracts takes one.
var share = flag.Int("share", 0, "upload one of so many contracts of CLAUSEMILL_DATA; 0 leaves it be")

// checks are the endpoints that tell what contracts say together, each with who
// compares its numbers with those that the rows come to. They run in this order:
// what changes the rows comes last.
var checks = []struct {
	route string
	check func(*corpus)
}{
	{"GET /api/document-types", (*corpus).typeList},
	{"GET /api/document-types/{dtid}", (*corpus).typeByID},
	{"GET /api/document-types/{dtid}/crud", (*corpus).typeDetails},
	{"GET /api/document-types/{dtid}/name", (*corpus).typeName},
	{"GET /api/document-types/{dtid}/documents", (*corpus).typeDocuments},
	{"GET /api/document-types/stats", (*corpus).allTypeStats},
	{"GET /api/document-types/{dtid}/stats", (*corpus).typeStats},
	{"GET /api/document-types/{dtid}/tags", (*corpus).typeTags},
	{"GET /api/document-types/{dtid}/tree", (*corpus).typeTree},
	{"GET /api/document-types/{dtid}/analytics", (*corpus).typeAnalytics},
	{"GET /api/document-types/{dtid}/graph", (*corpus).typeGraph},
	{"GET /api/document-types/{dtid}/validation-analytics", (*corpus).typeReview},

	{"GET /api/files/{fileId}/radar", (*corpus).radar},
	{"GET /api/files/{fileId}/matches", (*corpus).matches},
	{"GET /api/files/{fileId}/scoreboard", (*corpus).scoreboard},
	{"GET /api/files/scoreboard-files/count", (*corpus).scoreboardCount},
	{"POST /api/files/{fileId}/document-types/cohort", (*corpus).cohort},
	{"POST /api/files/{fileId}/document-types/dates", (*corpus).dates},
	{"POST /api/files/{fileId}/document-types/scores", (*corpus).typeScores},

	{"GET /api/attributes/file-level/keys", (*corpus).attributeKeys},
	{"GET /api/attributes/file-level/values", (*corpus).attributeValues},
	{"POST /api/documents/{id}/get-filters", (*corpus).documentFilters},
	{"POST /api/files/{fileId}/get-filters", (*corpus).fileFilters},
	{"POST /api/files/{fileId}/list-filters", (*corpus).availableFilters},
	{"POST /api/files/{fileId}/filters/{id}/options", (*corpus).filterOptions},
	{"GET /api/files/{fileId}/get-filters-ai", (*corpus).factFilters},
	{"GET /api/files/{fileId}/get-filters-recommended", (*corpus).recommendedFilters},

	{"POST /api/document-types", (*corpus).typeCreated},
	{"PUT /api/document-types", (*corpus).typeRenamed},
	{"PUT /api/document-types/{dtid}/crud", (*corpus).typeDescribed},
	{"DELETE /api/document-types/{dtid}", (*corpus).typeDeleted},
	{"DELETE /api/document-types/{dtid}/crud", (*corpus).typeDetailsDeleted},
	{"POST /api/document-types/{dtid}/analyze", (*corpus).oneMoreFile},
	{"POST /api/document-types/analyze", (*corpus).allAnalyzed},
}

// TestContracts makes hundreds of real contracts the corpus of one team, through
// the API, and compares every number that is told of them with what the stored
// rows come to.
func TestContracts(t *testing.T) {
	c := newCorpus(t)
	c.requireAllRoutes()
	began := time.Now()
	c.fill()
	c.decide()
	c.settle()
	t.Logf("filled in %s", time.Since(began).Round(time.Second))
	total := 0
	for _, one := range checks {
		t.Run(strings.ReplaceAll(strings.TrimPrefix(one.route, "/api/"), "/", "."), func(t *testing.T) {
			c.t, c.numbers = t, 0
			began := time.Now()
			one.check(c)
			require.True(t, c.visited[one.route], "nobody asked")
			require.NotZero(t, c.numbers, "nothing was compared")
			t.Logf("%d values in %s", c.numbers, time.Since(began).Round(time.Millisecond))
			total += c.numbers
		})
	}
	t.Logf("%d values of %d contracts; searches answered: %v", total, len(c.rows.files), c.answered)
	for engine := range c.by { // a slow machine may leave some of Meilisearch's to Postgres
		require.NotZero(t, c.answered[engine], engine)
	}
}

// corpus is a team with contracts.
type corpus struct {
	*system

	t      *testing.T // of the check that runs
	teamID string
	people []*caller          // who ask the first of the engines
	by     map[string]*caller // the first of them, by the engine that answers searches
	late   contract           // that comes when the others were looked at
	work   *process

	rows     *rows
	visited  map[string]bool
	answered map[string]int // searches, by engine
	numbers  int            // values compared in this check
}

// newCorpus is a team of three people without files.
func newCorpus(t *testing.T) *corpus {
	t.Helper()
	if *share == 0 {
		t.Skip("takes minutes: `make corpus` runs it")
	}
	if os.Getenv("CLAUSEMILL_DATA") == "" {
		t.Skip("needs real contracts: set CLAUSEMILL_DATA")
	}
	engine := meilisearch()
	s := newSystem(t)
	c := &corpus{system: s, t: t, by: map[string]*caller{}, visited: map[string]bool{}, answered: map[string]int{}}
	addresses := map[string]string{"postgres": freeAddress(t)}
	s.api(addresses["postgres"])
	if engine != nil {
		s.env = append(s.env, engine...)
		addresses["meilisearch"] = freeAddress(t)
		s.api(addresses["meilisearch"])
	}
	var sessions []account
	require.NoError(t, s.db.InTx(t.Context(), func(tx *db.Tx) error {
		team, err := tx.EnsureOrganization(t.Context(), "The Readers")
		require.NoError(t, err)
		c.teamID = team.ID
		for _, name := range []string{"ada", "bob", "cyd"} {
			user, err := tx.EnsureUser(t.Context(), name+"@example.com", name)
			require.NoError(t, err)
			require.NoError(t, tx.AddMember(t.Context(), team.ID, user.ID, db.Admin))
			token := auth.NewToken()
			require.NoError(t, tx.CreateSession(t.Context(), token.Hash, user.ID, team.ID, auth.SessionLifetime))
			sessions = append(sessions, account{session: token.Text})
		}
		return nil
	}))
	for _, a := range sessions {
		c.people = append(c.people, a.bySession(t, addresses["postgres"]))
	}
	for name, address := range addresses {
		c.by[name] = sessions[0].bySession(t, address)
	}
	c.start()
	return c
}

// start has the work go on.
func (c *corpus) start() { c.work = c.worker() }

// stop leaves the rows as they are.
func (c *corpus) stop() { c.work.kill() }

// placeholder is what stands for a value in the path of a route.
var placeholder = regexp.MustCompile(`\{[^}]+\}`)

// ask sends a request to a route of the API, with values in place of what it has
// in braces, and notes that it was asked.
func (c *corpus) ask(who *caller, method, route string, body, out any, values ...string) {
	c.t.Helper()
	path, parameters, _ := strings.Cut(route, "?")
	c.visited[method+" "+path] = true
	path = placeholder.ReplaceAllStringFunc(path, func(string) string {
		value := values[0]
		values = values[1:]
		return value
	})
	text, err := json.Marshal(body)
	require.NoError(c.t, err)
	a := who.call(c.t.Context(), method, path+"?"+parameters, strings.NewReader(string(text)), "Content-Type", "application/json")
	require.NoError(c.t, a.err)
	require.True(c.t, a.ok(), "%s %s: %d %s", method, path, a.status, a.body)
	require.NoError(c.t, json.Unmarshal(a.body, out), string(a.body))
}

// get reads what a route answers the first of the people.
func (c *corpus) get(out any, route string, values ...string) {
	c.t.Helper()
	c.ask(c.people[0], http.MethodGet, route, nil, out, values...)
}

// post asks a route that takes a body.
func (c *corpus) post(body, out any, route string, values ...string) {
	c.t.Helper()
	c.ask(c.people[0], http.MethodPost, route, body, out, values...)
}

// requireAllRoutes finds in the description of the API the endpoints that there
// are of document types, of filters and of where a file stands among others.
func (c *corpus) requireAllRoutes() {
	c.t.Helper()
	var description struct {
		Paths map[string]map[string]struct{ Tags []string }
	}
	c.get(&description, "/openapi.json")
	var offered, checked []string
	standing := regexp.MustCompile(`^/api/files/.*(radar|/matches|scoreboard)`)
	for path, operations := range description.Paths {
		for method, operation := range operations {
			about := slices.Contains(operation.Tags, "Document types") || slices.Contains(operation.Tags, "Filters") || standing.MatchString(path)
			if about && !strings.HasPrefix(path, "/api/matters-files/") {
				offered = append(offered, strings.ToUpper(method)+" "+path)
			}
		}
	}
	for _, one := range checks {
		checked = append(checked, one.route)
	}
	require.ElementsMatch(c.t, offered, checked)
}

// contract is one that experts have read.
type contract struct {
	ID   string
	Type string
	Text string `json:"txt"` // where it is
}

// contracts are those of the share, type by type.
func contracts(t *testing.T) []contract {
	t.Helper()
	dir := filepath.Join(os.Getenv("CLAUSEMILL_DATA"), "cuad")
	lines, err := os.ReadFile(filepath.Join(dir, "contracts.jsonl"))
	require.NoError(t, err)
	var all []contract
	for line := range strings.Lines(string(lines)) {
		var one contract
		require.NoError(t, json.Unmarshal([]byte(line), &one))
		one.Text = filepath.Join(dir, one.Text)
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b contract) int { return strings.Compare(a.Type+a.ID, b.Type+b.ID) })
	var some []contract
	for i := 0; i < len(all); i += *share {
		some = append(some, all[i])
	}
	require.Greater(t, len(some), 10, "too few to speak of")
	return some
}

// upload sends a contract under a name that says nothing, of a type where people
// say which.
func (c *corpus) upload(one contract, typeID string) file {
	c.t.Helper()
	text, err := os.ReadFile(one.Text)
	require.NoError(c.t, err)
	body := map[string]any{"name": one.ID + ".txt", "contentBase64": base64.StdEncoding.EncodeToString(text)}
	if typeID != "" {
		body["documentTypeId"] = typeID
	}
	var f file
	c.post(body, &f, "/api/files")
	return f
}

// typeIDs are the ids of the document types, by name.
func (c *corpus) typeIDs() map[string]string {
	c.t.Helper()
	var types api.List[api.DocumentType]
	c.get(&types, "/api/document-types?limit=500")
	ids := map[string]string{}
	for _, t := range types.Items {
		ids[t.Name] = t.ID
	}
	return ids
}

// fill uploads the contracts. Of two in three people say the type, of some on
// the way and of some afterwards; the others are left to the model. Some are in
// matters, have gone through stages, or have parties that people gave.
func (c *corpus) fill() {
	all := contracts(c.t)
	c.late, all = all[len(all)/2], slices.Delete(all, len(all)/2, len(all)/2+1)
	types := c.typeIDs()
	var files []file
	for i, one := range all {
		typeID := types[one.Type]
		require.NotEmpty(c.t, typeID, one.Type)
		if i%3 != 0 {
			typeID = ""
		}
		files = append(files, c.upload(one, typeID))
	}
	copied, err := os.ReadFile(all[0].Text)
	require.NoError(c.t, err)
	for _, f := range []upload{
		{"again.txt", copied},
		{"scan.png", encodePNG(c.t, scan(c.t, clauses(1, linesAPage)))},
		{"cut.pdf", textPDF(2, 3)[:700]},
	} {
		files = append(files, c.people[1].upload(f))
	}
	require.Eventually(c.t, func() bool {
		return c.count(`SELECT count(*) FROM files WHERE status IN ('queued', 'processing')`) == 0
	}, 20*time.Minute, 100*time.Millisecond, "the contracts are not read")

	var done struct{}
	for i, one := range all {
		if i%3 == 1 {
			c.ask(c.people[0], http.MethodPut, "/api/files/{fileId}", map[string]any{"documentTypeId": types[one.Type]}, &done, files[i].ID)
		}
	}
	for i, matter := range []map[string]any{
		{"name": "North", "stage": "drafting", "source": "Mail", "parties": []db.Party{{Name: "Nordwind AG"}}, "counterparties": []string{"Süd GmbH"}, "dueAt": "2030-05-01T00:00:00Z"},
		{"name": "South 50%", "stage": "review", "source": "mail", "counterparties": []string{"Sud GmbH", "Ost"}},
		{"name": "West", "status": "on_hold"},
	} {
		var made struct{ ID string }
		c.post(matter, &made, "/api/matters")
		for j := i; j < len(files); j += 5 {
			c.ask(c.people[0], http.MethodPut, "/api/files/{fileId}", map[string]any{"matterId": made.ID}, &done, files[j].ID)
		}
	}
	for i := 0; i < len(files); i += 4 {
		stage := []string{"review", "signature", "active"}[i/4%3]
		c.ask(c.people[0], http.MethodPut, "/api/files/{fileId}/lifecycle-stage?stage="+stage, map[string]any{}, &done, files[i].ID)
	}
	for i := 2; i < len(files); i += 9 {
		c.ask(c.people[0], http.MethodPut, "/api/files/{fileId}", map[string]any{
			"parties":        []db.Party{{Name: "Großhandel  Ærø", Role: "Seller"}, {Name: fmt.Sprintf("Buyer %d", i%4)}},
			"counterparties": []string{fmt.Sprintf("BUYER %d", i%4)},
			"attributes":     map[string]any{"cost_center": []map[string]string{{"value": fmt.Sprintf("Unit %d", i%5)}}},
		}, &done, files[i].ID)
	}
	c.post(map[string]any{"name": "Laws", "filter": map[string]any{"field": "attribute.governing_law", "op": "exists"}}, &done, "/api/saved-searches")
}

// settle has all corpora analysed as they are, and the work stopped when there is
// none left. A model that was trained meanwhile labels sentences anew, and then
// it takes another turn.
func (c *corpus) settle() {
	c.t.Helper()
	for range 5 {
		c.rest()
		var accepted api.Accepted
		c.post(nil, &accepted, "/api/document-types/analyze")
		c.finished(accepted.OperationID)
		c.rest()
		var types api.List[api.DocumentType]
		c.get(&types, "/api/document-types?limit=500")
		if !slices.ContainsFunc(types.Items, func(t api.DocumentType) bool { return t.Stale }) {
			c.stop()
			c.rows = readRows(c.t, c.system, c.teamID)
			return
		}
	}
	require.FailNow(c.t, "the corpus does not come to rest")
}

// finished waits for an operation.
func (c *corpus) finished(id string) {
	c.t.Helper()
	var op api.Operation
	require.Eventually(c.t, func() bool {
		c.get(&op, "/api/operations/{id}", id)
		return op.State != "running"
	}, 20*time.Minute, 50*time.Millisecond, "the operation does not end")
	require.Equal(c.t, []any{"completed", op.Total, 0}, []any{op.State, op.Done, op.Failed})
}

// rest waits until there is no work, nothing is left to be counted, and all can
// be found as it is.
func (c *corpus) rest() {
	c.t.Helper()
	require.EventuallyWithT(c.t, func(t *assert.CollectT) {
		rows, _ := c.db.Pool().Query(c.t.Context(), `
			SELECT 'a job to ' || kind || ' is ' || state || coalesce(': ' || (errors[cardinality(errors)] ->> 'error'), '') FROM river_job
			WHERE state IN ('available', 'running', 'retryable', 'pending')
			UNION ALL SELECT 'words are to be counted' FROM vocabulary_changes
			UNION ALL SELECT 'a file is to be indexed: ' || status FROM files
			WHERE text_ready AND (indexed_generation < generation OR indexed_label_generation < label_generation) LIMIT 20`)
		left, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		assert.Empty(t, left)
	}, 20*time.Minute, 100*time.Millisecond)
}
