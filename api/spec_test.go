package api_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
)

var update = flag.Bool("update", false, "write testdata/openapi.json anew")

// beyond lists what we serve beside the specification, with who may call it.
var beyond = map[string]string{
	"GET /api/teams/names":                                     "session",
	"PUT /api/teams/names":                                     "session",
	"GET /api/fields":                                          "session",
	"POST /api/fields":                                         "session",
	"GET /api/fields/{key}":                                    "session",
	"PATCH /api/fields/{key}":                                  "session",
	"DELETE /api/fields/{key}":                                 "session",
	"GET /api/fields/{key}/marks":                              "session",
	"POST /api/fields/{key}/marks":                             "session",
	"DELETE /api/fields/{key}/marks/{markId}":                  "session",
	"GET /api/metadata-keys":                                   "session",
	"POST /api/metadata-keys":                                  "session",
	"GET /api/metadata-keys/{key}":                             "session",
	"PATCH /api/metadata-keys/{key}":                           "session",
	"DELETE /api/metadata-keys/{key}":                          "session",
	"POST /api/files/bulk/update-categories":                   "session",
	"POST /api/tags":                                           "session",
	"GET /api/tags/{key}":                                      "session",
	"PATCH /api/tags/{key}":                                    "session",
	"POST /api/tags/{key}/merge":                               "session",
	"DELETE /api/tags/{key}":                                   "session",
	"GET /api/export/files":                                    "session",
	"GET /api/export/matters":                                  "session",
	"GET /api/export/sentences":                                "session",
	"GET /api/export/search":                                   "session",
	"POST /api/export/query":                                   "session",
	"DELETE /api/saved-searches/{id}":                          "session",
	"GET /api/saved-searches":                                  "session",
	"GET /api/saved-searches/{id}":                             "session",
	"PATCH /api/saved-searches/{id}":                           "session",
	"POST /api/saved-searches":                                 "session",
	"GET /api/search/synonyms":                                 "session",
	"GET /api/languages":                                       "session",
	"PUT /api/search/synonyms":                                 "session",
	"GET /api/files/{fileId}/text":                             "key",
	"GET /api/files/{fileId}/pages":                            "key",
	"POST /api/files/{fileId}/pages":                           "key",
	"GET /api/files/{fileId}/print":                            "key",
	"GET /api/files/{fileId}/pages/{n}/words":                  "key",
	"GET /api/files/{fileId}/pages/{n}/image":                  "key",
	"GET /api/files/{fileId}/boxes":                            "key",
	"GET /api/files/{fileId}/versions":                         "session",
	"POST /api/files/{fileId}/versions":                        "session",
	"GET /api/files/{fileId}/versions/{n}":                     "session",
	"GET /api/files/{fileId}/versions/{n}/review":              "session",
	"POST /api/files/{fileId}/versions/{n}/restore":            "session",
	"POST /api/files/{fileId}/unlock":                          "session",
	"POST /api/files/{fileId}/attributes/{key}/decide":         "session",
	"GET /api/files/{fileId}/likeness":                         "session",
	"GET /api/files/{fileId}/likeness/{id}":                    "session",
	"GET /api/service-accounts":                                "session",
	"POST /api/service-accounts":                               "session",
	"GET /api/service-accounts/{id}":                           "session",
	"PATCH /api/service-accounts/{id}":                         "session",
	"DELETE /api/service-accounts/{id}":                        "session",
	"POST /api/service-accounts/{id}/secret":                   "session",
	"POST /auth/token":                                         "open",
	"GET /api/webhooks":                                        "session",
	"POST /api/webhooks":                                       "session",
	"GET /api/webhooks/{id}":                                   "session",
	"PATCH /api/webhooks/{id}":                                 "session",
	"DELETE /api/webhooks/{id}":                                "session",
	"POST /api/webhooks/{id}/secret":                           "session",
	"POST /api/webhooks/{id}/ping":                             "session",
	"GET /api/webhooks/{id}/deliveries":                        "session",
	"POST /api/webhooks/{id}/deliveries/{deliveryId}/replay":   "session",
	"GET /api/events":                                          "session",
	"GET /api/operations":                                      "session",
	"GET /api/operations/{id}":                                 "session",
	"POST /api/operations/{id}/cancel":                         "session",
	"POST /api/models/section/{id}/activate":                   "session",
	"DELETE /api/sentences/{sentenceid}/validate":              "session",
	"DELETE /api/files/{fileId}/lifecycle-stage":               "session",
	"GET /api/review":                                          "session",
	"POST /api/review/claims":                                  "session",
	"DELETE /api/review/claims":                                "session",
	"GET /api/installation":                                    "session",
	"GET /api/audit":                                           "session",
	"PATCH /api/files/{fileId}/assignments/{assignmentId}":     "session",
	"PATCH /api/matters/{matterId}/assignments/{assignmentId}": "session",
	"POST /api/sentences/bulk-withdraw":                        "session",
	"GET /auth/login":                                          "open",
	"GET /auth/callback":                                       "open",
	"POST /auth/logout":                                        "session",
	"GET /api/session":                                         "session",
	"PUT /api/session":                                         "session",
	"GET /api/sessions":                                        "session",
	"DELETE /api/sessions/{id}":                                "session",
	"GET /api/api-keys":                                        "session",
	"POST /api/api-keys":                                       "session",
	"GET /api/api-keys/{id}":                                   "session",
	"DELETE /api/api-keys/{id}":                                "session",
	"PATCH /api/teams/users/{userId}":                          "session",
	"DELETE /api/teams/users/{userId}":                         "session",
	"GET /api/teams/invitations":                               "session",
	"POST /api/teams/invitations":                              "session",
	"DELETE /api/teams/invitations/{id}":                       "session",
	"POST /api/invitations/accept":                             "session",
	"GET /api/trash":                                           "session",
	"POST /api/trash/restore":                                  "session",
	"POST /api/trash/{id}/restore":                             "session",
	"DELETE /api/trash/{id}":                                   "session",
	"GET /api/chats/messages":                                  "session",
	"GET /api/chats/{chatId}/messages":                         "session",
	"POST /api/chats/{chatId}/messages":                        "session",
	"GET /api/chats/{chatId}/messages/{messageId}":             "session",
	"PATCH /api/chats/{chatId}/messages/{messageId}":           "session",
	"DELETE /api/chats/{chatId}/messages/{messageId}":          "session",
	"PUT /api/chats/{chatId}/read":                             "session",
}

// specification reads "METHOD /path" → who may call it.
func specification(t *testing.T) map[string]string {
	t.Helper()
	file, err := os.Open("testdata/endpoints.tsv")
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	require.True(t, lines.Scan(), "the header")
	all := map[string]string{}
	for lines.Scan() {
		columns := strings.Split(lines.Text(), "\t")
		require.Len(t, columns, 6)
		all[columns[1]+" "+columns[2]] = columns[4]
	}
	require.Len(t, all, 169)
	return all
}

// served is "METHOD /path" → operation of what is registered.
func served() map[string]*huma.Operation {
	all := map[string]*huma.Operation{}
	for path, item := range api.OpenAPI().Paths {
		for method, op := range map[string]*huma.Operation{
			http.MethodGet: item.Get, http.MethodHead: item.Head, http.MethodPost: item.Post,
			http.MethodPut: item.Put, http.MethodPatch: item.Patch, http.MethodDelete: item.Delete,
		} {
			if op != nil {
				all[method+" "+path] = op
			}
		}
	}
	return all
}

// TestRoutesMatchSpec holds what is served equal to the specification, and tells
// how much of it is still missing.
func TestRoutesMatchSpec(t *testing.T) {
	t.Parallel()
	spec, ours := specification(t), served()
	for line, op := range ours {
		access := fmt.Sprint(op.Metadata["access"])
		if want, ok := beyond[line]; ok {
			require.Equal(t, want, access, line)
			require.NotContains(t, spec, line)
			continue
		}
		require.Contains(t, spec, line, "neither specified nor listed as ours")
		require.Equal(t, spec[line], access, line)
	}
	for line := range beyond {
		require.Contains(t, ours, line)
	}
	var missing []string
	for _, line := range slices.Sorted(maps.Keys(spec)) {
		if ours[line] == nil {
			missing = append(missing, line)
		}
	}
	t.Logf("%d of %d operations are missing:\n%s", len(missing), len(spec), strings.Join(missing, "\n"))
	for line, access := range spec {
		if access == "key" {
			require.Contains(t, ours, line, "what integrations are built on is never missing")
		}
	}
}

// TestNamesOfOperations holds what clients call operations: a verb and what it is
// done to, in camel case, and a summary that tells one operation from all others.
func TestNamesOfOperations(t *testing.T) {
	t.Parallel()
	ids, summaries := map[string]string{}, map[string]string{}
	for line, op := range served() {
		require.Regexp(t, `^[a-z]+([A-Z][A-Za-z]+)?$`, op.OperationID, line)
		require.NotContains(t, ids, op.OperationID, line)
		ids[op.OperationID] = line
		require.NotContains(t, summaries, op.Summary, line)
		summaries[op.Summary] = line
		if !strings.HasPrefix(line, "GET /auth") && !strings.HasPrefix(line, "POST /auth") {
			require.GreaterOrEqual(t, strings.Count(op.Summary, " "), 1, line)
		}
	}
}

// TestOpenAPI pins the description, so that every change of the wire is seen in
// review.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	var indented bytes.Buffer
	require.NoError(t, json.Indent(&indented, api.Description(false), "", "  "))
	description := append(indented.Bytes(), '\n')
	const golden = "testdata/openapi.json"
	if *update {
		require.NoError(t, os.WriteFile(golden, description, 0o644)) //nolint:gosec // it is published
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), string(description), "run go test ./api -update and read the difference")

	document, err := openapi3.NewLoader().LoadFromData(description)
	require.NoError(t, err)
	require.NoError(t, document.Validate(t.Context()))
	require.Less(t, bytes.Index(description, []byte(`"multipart/form-data"`)), bytes.Index(description, []byte(`"$ref": "#/components/schemas/UploadFileRequest"`)), "a form comes first")
}

// TestOldOpenAPI holds the description for older tools to be one of theirs, with
// the same operations and schemas.
func TestOldOpenAPI(t *testing.T) {
	t.Parallel()
	document, err := openapi3.NewLoader().LoadFromData(api.Description(true))
	require.NoError(t, err)
	require.Equal(t, "3.0.3", document.OpenAPI)
	require.NoError(t, document.Validate(t.Context()))
	now, err := openapi3.NewLoader().LoadFromData(api.Description(false))
	require.NoError(t, err)
	require.Equal(t, slices.Sorted(maps.Keys(now.Components.Schemas)), slices.Sorted(maps.Keys(document.Components.Schemas)))
	require.Equal(t, now.Paths.Len(), document.Paths.Len())
	require.NotRegexp(t, `"type":\[|"null"|"\$ref":"[^"]*",|"const":`, string(api.Description(true)))
}
