package api_test

import (
	"encoding/json"
	"flag"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
)

// record has the whole suite write down what is asked and answered in it, as the
// examples and errors of the description.
var record = flag.Bool("record", false, "write recorded.json anew, with what the tests ask and get; run all of them")

// recordedFile is read by the description.
const recordedFile = "recorded.json"

// recording is what was asked and answered so far.
var recording = struct {
	sync.Mutex
	operations map[string]*api.Recorded
}{operations: map[string]*api.Recorded{}}

// secrets are what looks like a key, a token or a cookie. Those of tests open
// nothing, but whoever looks for leaks cannot know.
var secrets = regexp.MustCompile(`(cm_[a-z]+_|whsec_)[A-Za-z0-9_-]+`)

// keep records a call, if it is a better example than the one before.
func keep(operation string, asked []byte, w *httptest.ResponseRecorder) {
	if !*record || operation == "" {
		return
	}
	recording.Lock()
	defer recording.Unlock()
	kept := recording.operations[operation]
	if kept == nil {
		kept = &api.Recorded{Responses: map[string]json.RawMessage{}, Errors: map[string][]string{}}
		recording.operations[operation] = kept
	}
	status, answer := strconv.Itoa(w.Code), w.Body.Bytes()
	if w.Code >= http.StatusBadRequest {
		var e api.Error
		_ = json.Unmarshal(answer, &e) // it was checked
		if e.Code != "" && !slices.Contains(kept.Errors[status], e.Code) {
			kept.Errors[status] = append(kept.Errors[status], e.Code)
			slices.Sort(kept.Errors[status])
		}
		return
	}
	if json.Valid(asked) && better(asked, kept.Request) {
		kept.Request = exampleOf(asked)
	}
	if w.Header().Get("Content-Type") == "application/json" && json.Valid(answer) && better(answer, kept.Responses[status]) {
		kept.Responses[status] = exampleOf(answer)
	}
}

// better reports whether a body shows more than the one before. What fills a page
// shows less.
func better(body []byte, before json.RawMessage) bool {
	const enough = 1500
	switch {
	case before == nil:
		return true
	case len(before) > enough:
		return len(body) < len(before)
	default:
		return len(body) > len(before) && len(body) <= enough
	}
}

// exampleOf is a body as an example: lists cut down to two, texts to a line.
func exampleOf(body []byte) json.RawMessage {
	var value any
	_ = json.Unmarshal(body, &value) // it is valid
	out, _ := json.Marshal(cutDown(value))
	return secrets.ReplaceAll(out, []byte("${1}…"))
}

func cutDown(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			v[name] = cutDown(field)
		}
	case []any:
		for i := range v {
			v[i] = cutDown(v[i])
		}
		return v[:min(len(v), 2)]
	}
	return value
}

// writeRecording ends a suite that recorded.
func writeRecording() {
	if !*record {
		return
	}
	text, err := json.MarshalIndent(recording.operations, "", " ")
	if err == nil {
		err = os.WriteFile(recordedFile, append(text, '\n'), 0o644) //nolint:gosec // it is published
	}
	if err != nil {
		panic(err)
	}
}

// TestRecorded holds the examples of the description to its schemas: each operation
// has one of what it takes and of what it answers.
func TestRecorded(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(recordedFile)
	require.NoError(t, err)
	var all map[string]api.Recorded
	require.NoError(t, json.Unmarshal(text, &all))
	require.NotRegexp(t, secrets, string(text))
	description, err := json.Marshal(api.OpenAPI())
	require.NoError(t, err)
	document, err := openapi3.NewLoader().LoadFromData(description)
	require.NoError(t, err)
	for path, item := range document.Paths.Map() {
		for method, op := range item.Operations() {
			line := method + " " + path
			recorded := all[op.OperationID]
			if body := op.RequestBody; body != nil && body.Value.Content.Get("application/json") != nil {
				requireExample(t, line, body.Value.Content.Get("application/json"), recorded.Request)
				if body.Value.Content.Get("application/json").Schema.Value.Properties["expect"] != nil {
					require.NotEmpty(t, recorded.Errors["409"], "no test expects a wrong number of %s", line)
				}
			}
			for status, response := range op.Responses.Map() {
				media := response.Value.Content["application/json"]
				if media == nil || !strings.HasPrefix(status, "2") {
					continue
				}
				requireExample(t, line+" "+status, media, recorded.Responses[status])
			}
			if op.Parameters.GetByInAndName("header", "If-Match") != nil {
				require.NotEmpty(t, recorded.Errors["409"], "no test sends a stale If-Match to %s", line)
			}
			for status := range recorded.Errors {
				if status < "500" {
					require.NotNil(t, op.Responses.Value(status), "%s answers %s", line, status)
				}
			}
			delete(all, op.OperationID)
		}
	}
	require.Empty(t, slices.Sorted(maps.Keys(all)), "operations that are no more")
}

func requireExample(t *testing.T, where string, media *openapi3.MediaType, example json.RawMessage) {
	t.Helper()
	require.NotEmpty(t, example, "%s has no example; run all tests of api with -record", where)
	var value any
	require.NoError(t, json.Unmarshal(example, &value))
	require.NoError(t, media.Schema.Value.VisitJSON(value), where)
}
