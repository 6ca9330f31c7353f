package api_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/auth"
)

// otherNames are the names that the API has another one for: see "Names in the
// API" in docs/decisions.md.
var otherNames = map[string]string{
	"fileTypeId": "documentTypeId", "segmentId": "sentenceId", "state": "status", "where": "filter", "selection": "filter", "condition": "filter",
	"kinds": "types", "base64": "contentBase64", "filename": "name", "fileCount": "files", "created": "createdAt", "updated": "updatedAt",
	"at": "…At", "time": "…At", "date": "…At", "user": "userId", "people": "peopleIds", "remaining": "left", "skipped": "left",
}

// standing are those that mean something else where they are, or that somebody else
// named. Each of them is there.
var standing = []string{
	"FileType.fileTypeId",   // the specification has …/file-type-id
	"AnalysisRequest.kinds", // of analyses
	"Decided.updated",       // how many
	"SignedIn.user",         // the user, and no id
	"AttributeValue.date",   // a day, or what is known of it
	"DatePlace.date",        // a day
	"Work.people",           // who has work, and how much

	// Where work stands that goes on by itself.
	"Operation.state", "OperationData.state", "Delivery.state",
	// Word calls the time of a mark so.
	"Change.date", "ProposedChange.date", "CreateChangesRequest.date",
	// A document that was made is a file to save.
	"RenditionDocument.filename", "RenditionDocument.base64",
	// What is compared are segments, each of them a sentence.
	"Aligned.segmentId", "Reference.segmentId", "Match.segmentId", "MatchedText.segmentId",
	"DocumentType.fileCount",
}

// typed are those whose sort is called type. Events are, too.
var typed = []string{"Change", "UntrackedChange", "ProposedChange", "CreateChangesRequest", "Entity", "Delivery"}

// labelled are shown by their label, and have no name.
var labelled = []string{
	"FieldFilter", "FactFilter", "Recommendation", "AttributeField", "MatterFileFacet", "FoundKey", "Column", "Axis",
	"FilterOption", "FilterValue", "Facet",
}

// oauthNames are those of RFC 6749.
var oauthNames = []string{"access_token", "client_id", "client_secret", "error_description", "expires_in", "grant_type", "token_type"}

// instant is how times are called.
var instant = regexp.MustCompile(`(At|Until|Since|Before|From|To)$|^(from|to|timestamp|asOf)$`)

// properties shows do every property of every component with its place, as
// Matter.stage.
func properties(do func(where, name string, s *huma.Schema)) {
	var within func(where string, s *huma.Schema)
	within = func(where string, s *huma.Schema) {
		for name, property := range s.Properties {
			do(where+"."+name, name, property)
			within(where+"."+name, property)
		}
		if s.Items != nil {
			within(where, s.Items)
		}
		for _, one := range slices.Concat(s.OneOf, s.AnyOf, s.AllOf) {
			within(where, one)
		}
	}
	for name, s := range api.OpenAPI().Components.Schemas.Map() {
		within(name, s)
	}
}

// TestNamesInTheDocument holds the API to one name for one thing.
func TestNamesInTheDocument(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	properties(func(where, name string, s *huma.Schema) {
		seen[where] = true
		if !slices.Contains(standing, where) {
			require.Empty(t, otherNames[name], "%s: call it so", where)
		}
		if name == "type" {
			of := strings.TrimSuffix(where, ".type")
			require.True(t, strings.HasSuffix(of, "Event") || slices.Contains(typed, of), "%s: it is called kind", where)
		}
		if s.Format == "date-time" && !slices.Contains(standing, where) {
			require.Regexp(t, instant, name, where)
		}
		if strings.HasSuffix(name, "At") && (name != "dueAt" || s.Format != "") { // dueAt may be given as a day
			require.Equal(t, []string{"string", "date-time"}, []string{s.Type, s.Format}, where)
		}
		if !slices.Contains(oauthNames, name) {
			require.Regexp(t, `^[a-z][a-zA-Z0-9]*$`, name, where)
		}
	})
	for _, where := range standing {
		require.True(t, seen[where], where)
	}
	for _, of := range typed {
		require.True(t, seen[of+".type"] && !seen[of+".kind"], of)
	}
	for _, of := range labelled {
		require.True(t, seen[of+".label"] && !seen[of+".name"], of)
	}
}

// TestListsHaveItems holds what lists to one form.
func TestListsHaveItems(t *testing.T) {
	t.Parallel()
	schemas := api.OpenAPI().Components.Schemas.Map()
	lists := regexp.MustCompile(`^(list|search)[A-Z]`)
	for line, op := range served() {
		if !lists.MatchString(op.OperationID) {
			continue
		}
		schema := op.Responses["200"].Content["application/json"].Schema
		answer := schemas[schema.Ref[strings.LastIndexByte(schema.Ref, '/')+1:]]
		require.NotNil(t, answer.Properties["items"], line)
		require.Equal(t, "array", answer.Properties["items"].Type, line)
		require.Contains(t, answer.Required, "items", line)
	}
}

// TestSummaries holds summaries to saying what of.
func TestSummaries(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for line, op := range served() {
		require.GreaterOrEqual(t, len(strings.Fields(op.Summary)), 2, line)
		require.Empty(t, seen[op.Summary], line)
		seen[op.Summary] = line
	}
}

// TestETagsAreDescribed holds that what has an ETag says so, and can be asked for
// conditionally.
func TestETagsAreDescribed(t *testing.T) {
	t.Parallel()
	conditional := 0
	for line, op := range served() {
		named := slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.In == "header" && p.Name == "If-None-Match" })
		require.Equal(t, named, op.Responses["304"] != nil, line)
		if named {
			require.NotNil(t, op.Responses["200"].Headers["ETag"], line)
			conditional++
		}
	}
	require.Greater(t, conditional, 15)
}

// TestRefusalsInPlainWords has values that cannot be read: nobody is told how Go
// writes times, or what an RFC is.
func TestRefusalsInPlainWords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	matter := b.matter(t, b.acme, `{"name":"Lease"}`)
	for line, bodies := range map[string]map[string]string{
		"POST /api/api-keys":            {`{"name":"x","expiresAt":"tomorrow"}`: "body.expiresAt: must be an instant, as 2026-03-31T12:00:00Z"},
		"PUT /api/matters/" + matter.ID: {`{"dueAt":"31.3."}`: "must be a day, as 2026-03-31, or an instant"},
		"POST /api/teams/invitations":   {`{"email":"somebody"}`: "body.email: is not an e-mail address"},
		"POST /api/files/bulk/delete":   {`{"filter":{"updatedSince":"now"}}`: "body.filter.updatedSince: must be an instant"},
		"POST /api/webhooks":            {`{"url":"http://[::1"}`: "body.url: is not a URL"},
		"PUT /api/teams/icon":           {`{"contentBase64":"?"}`: "body.contentBase64: is not base64"},
		"GET /api/audit?from=yesterday": {"": "query.from: must be a day, as 2026-03-31, or an instant, as 2026-03-31T12:00:00Z"},
		"GET /api/files?matterId=x":     {"": "query.matterId: is not an id"},
	} {
		for body, want := range bodies {
			w := b.call(t, b.acme, line, body)
			require.Contains(t, get[api.Error](t, w, http.StatusUnprocessableEntity).Message, want, "%s %s", line, body)
			require.NotRegexp(t, `RFC|2006|json:|parsing|%!`, w.Body.String())
		}
	}
	due := get[api.Matter](t, b.call(t, b.acme, "PUT /api/matters/"+matter.ID, `{"dueAt":"2026-03-31"}`), http.StatusOK).DueAt
	require.Equal(t, "2026-03-31T00:00:00Z", due.Format(time.RFC3339))
}

// TestCookieOfTheDocument holds that the document names the cookie that this service
// sets.
func TestCookieOfTheDocument(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{"http://127.0.0.1:8080": auth.PlainCookieName, "https://contracts.example.com": auth.CookieName} {
		b := setup(t, func(c *api.Config) { c.PublicURL = address })
		for _, path := range []string{"/openapi.json", "/openapi-3.0.json"} {
			var document struct {
				Components struct {
					SecuritySchemes map[string]struct{ In, Name string }
				}
			}
			require.NoError(t, json.Unmarshal(b.call(t, b.nobody, "GET "+path, "").Body.Bytes(), &document))
			require.Equal(t, struct{ In, Name string }{"cookie", want}, document.Components.SecuritySchemes["session"], address)
		}
	}
}

// TestFacetsHaveLabels holds that what is counted by id can be shown.
func TestFacetsHaveLabels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	b.process(t, b.alice, f.ID)
	kind, matter := b.ofType(t, b.alice, f.ID), b.matter(t, b.alice, `{"name":"Merger"}`)
	b.call(t, b.alice, "PUT /api/files/"+f.ID, `{"matterId":"`+matter.ID+`"}`)
	name := get[api.TypeName](t, b.call(t, b.alice, "GET /api/document-types/"+kind+"/name", ""), http.StatusOK).Name
	for _, path := range []string{"/api/files/search-index", "/api/search"} {
		found := get[api.Summary](t, b.call(t, b.alice, "GET "+path+"?q=tenant&facets=documentType,matter,language", ""), http.StatusOK)
		require.Equal(t, []api.Facet{{Value: kind, Label: name, Count: 1}}, found.Facets["documentType"], path)
		require.Equal(t, []api.Facet{{Value: matter.ID, Label: "Merger", Count: 1}}, found.Facets["matter"], path)
	}
}
