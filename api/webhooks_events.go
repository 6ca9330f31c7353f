package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/webhook"
)

// eventKinds lists the wanted kinds of events.
func eventKinds(wanted func(db.EventType) bool) []string {
	var kinds []string
	for _, e := range db.EventTypes() {
		if wanted(e) {
			kinds = append(kinds, e.Kind)
		}
	}
	return kinds
}

// describeEvents adds the requests to webhooks to the OpenAPI document: an entry of
// `webhooks` for each kind, with a named schema.
func (a *API) describeEvents() {
	document := a.huma.OpenAPI()
	document.Webhooks = map[string]*huma.PathItem{}
	ping := db.EventType{Kind: db.PingEvent, Summary: "A test event was requested for the webhook", Example: db.PingData{}}
	event := &huma.Schema{Description: "The body of a request to a webhook", Discriminator: &huma.Discriminator{PropertyName: "type", Mapping: map[string]string{}}}
	for _, e := range append([]db.EventType{ping}, db.EventTypes()...) {
		document.Webhooks[e.Kind] = &huma.PathItem{Post: describedEvent(document.Components.Schemas, e)}
		ref := "#/components/schemas/" + nameOfEvent(e.Kind)
		event.OneOf = append(event.OneOf, &huma.Schema{Ref: ref})
		event.Discriminator.Mapping[e.Kind] = ref
	}
	document.Components.Schemas.Map()[anyEvent] = event
}

// anyEvent is the schema of whatever a webhook is sent.
const anyEvent = "WebhookEvent"

// eventBody is the body of a request to a webhook.
type eventBody struct{ json.RawMessage }

// Schema is that of any event.
func (eventBody) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Ref: "#/components/schemas/" + anyEvent}
}

// exampleTime is the time of events in examples.
const exampleTime = "2026-11-22T09:30:00.123456Z"

func describedEvent(schemas huma.Registry, e db.EventType) *huma.Operation {
	name := nameOfEvent(e.Kind)
	kind := &huma.Schema{Type: huma.TypeString, Const: e.Kind}
	schemas.Map()[name] = &huma.Schema{
		Type: huma.TypeObject, Required: []string{"type", "timestamp", "data"},
		Properties: map[string]*huma.Schema{
			"type":      kind,
			"timestamp": {Type: huma.TypeString, Format: "date-time", Description: "When the event happened; retries and replays do not change it"},
			"data":      schemas.Schema(reflect.TypeOf(e.Example), true, name),
		},
	}
	text := &huma.Schema{Type: huma.TypeString}
	op := &huma.Operation{
		OperationID: "on" + strings.TrimSuffix(name, "Event"), Method: http.MethodPost, Summary: e.Summary, Tags: []string{"Webhooks"},
		Parameters: []*huma.Param{
			{Name: webhook.IDHeader, In: "header", Required: true, Description: "Id of the delivery, the same for each attempt and replay", Schema: &huma.Schema{Type: huma.TypeString, Format: "uuid"}},
			{Name: webhook.TimestampHeader, In: "header", Required: true, Description: "Time of the attempt, in Unix seconds", Schema: text},
			{Name: webhook.SignatureHeader, In: "header", Required: true, Description: "One or more signatures `v1,<base64>`, separated by spaces", Schema: text},
		},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{jsonType: {
			Schema:  &huma.Schema{Ref: "#/components/schemas/" + name},
			Example: map[string]any{"type": e.Kind, "timestamp": exampleTime, "data": e.Example},
		}}},
		Responses: map[string]*huma.Response{
			"2XX":     {Description: "The event was received"},
			"default": {Description: "The event was not received: it is sent again later"},
		},
		Extensions: map[string]any{"security": []any{}}, // only the signature authenticates
	}
	if e.Default {
		op.Description = "Sent to webhooks that are created without types."
	}
	return op
}

// nameOfEvent is the schema of a kind: FileCompletedEvent.
func nameOfEvent(kind string) string {
	var name strings.Builder
	for part := range strings.FieldsFuncSeq(kind, func(r rune) bool { return r == '.' || r == '_' }) {
		name.WriteString(capital(part))
	}
	return name.String() + "Event"
}
