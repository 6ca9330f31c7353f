package api

import (
	_ "embed"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

// Recorded has requests and answers of an operation in the tests, which are the
// examples in the description, and its errors.
type Recorded struct {
	Request   json.RawMessage            `json:"request,omitempty"`
	Responses map[string]json.RawMessage `json:"responses,omitempty"` // by status
	Errors    map[string][]string        `json:"errors,omitempty"`    // status → codes
}

//go:embed recorded.json
var recordedText []byte

// recorded is by operation id.
var recorded = sync.OnceValue(func() map[string]Recorded {
	var all map[string]Recorded
	if err := json.Unmarshal(recordedText, &all); err != nil {
		panic(err) // our own tests wrote it
	}
	return all
})

// illustrate adds the recorded examples and errors of op.
func (d *describing) illustrate(op *huma.Operation) {
	of := recorded()[op.OperationID]
	if of.Request != nil && op.RequestBody != nil && op.RequestBody.Content[jsonType] != nil {
		op.RequestBody.Content[jsonType].Example = of.Request
	}
	for status, answer := range of.Responses {
		if response := op.Responses[status]; response != nil && response.Content[jsonType] != nil {
			response.Content[jsonType].Example = answer
		}
	}
	for _, status := range slices.Sorted(maps.Keys(of.Errors)) {
		if status < "500" { // internal errors do not belong to one operation
			op.Responses[status] = d.refusal(status, of.Errors[status])
		}
	}
}

// commonErrors are the components for errors that most operations share.
var commonErrors = map[int]string{
	http.StatusBadRequest:            "Malformed",
	http.StatusUnauthorized:          "Unauthenticated",
	http.StatusForbidden:             "Forbidden",
	http.StatusNotFound:              "NotFound",
	http.StatusConflict:              "Conflict",
	http.StatusRequestEntityTooLarge: "TooLarge",
	http.StatusUnsupportedMediaType:  "UnsupportedType",
	http.StatusUnprocessableEntity:   "Invalid",
	http.StatusTooManyRequests:       "RateLimited",
}

// refusal describes a status by the common component, or by its own if it has other
// codes.
func (d *describing) refusal(status string, with []string) *huma.Response {
	code, _ := strconv.Atoi(status) // 0 is none of them
	name := commonErrors[code]
	if name != "" && (slices.Equal(with, []string{codes[code]}) || code == http.StatusTooManyRequests) {
		return &huma.Response{Ref: "#/components/responses/" + name}
	}
	description := http.StatusText(code)
	if common := d.Components.Responses[name]; common != nil {
		description = common.Description
	}
	return &huma.Response{
		Description: description + ". Codes: `" + strings.Join(with, "`, `") + "`",
		Content:     d.Components.Responses["NotFound"].Content,
	}
}
