package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/auth"
)

// scope is a part of the API that service accounts may be let into.
type scope string

// The scopes. Each operation has one.
const (
	readFiles  scope = "files:read"
	writeFiles scope = "files:write"
	exports    scope = "export"
	hooks      scope = "webhooks"
	auditing   scope = "audit"
	personal   scope = "personal" // cannot be granted: who people are, what is theirs alone, and what lets others in
)

// scopeKey is the key of an operation's metadata for its scope.
const scopeKey = "scope"

// scopes lists those that can be granted.
func scopes() []scope { return []scope{readFiles, writeFiles, exports, hooks, auditing} }

func (scope) Schema(huma.Registry) *huma.Schema { return enum(scopes()) }

func scopeDescriptions() map[string]string {
	return map[string]string{
		string(readFiles):  "Read files, matters and their analysis",
		string(writeFiles): "Upload and change files, matters, labels and types",
		string(exports):    "Export tables of files, matters, sentences and search hits",
		string(hooks):      "Manage webhooks, with the role admin",
		string(auditing):   "Read the audit log",
	}
}

// scopesOf is the scope of what reads and of what changes something, by area.
var scopesOf = map[string]struct{ reading, changing scope }{
	"Categories":        {readFiles, writeFiles},
	"Dashboard widgets": {readFiles, writeFiles},
	"Document types":    {readFiles, writeFiles},
	"Events":            {readFiles, writeFiles},
	"Fields":            {readFiles, writeFiles},
	"Files":             {readFiles, writeFiles},
	"Filters":           {readFiles, writeFiles},
	"Matters":           {readFiles, writeFiles},
	"Metadata":          {readFiles, writeFiles},
	"Models":            {readFiles, writeFiles},
	"Operations":        {readFiles, writeFiles},
	"Search":            {readFiles, writeFiles},
	"Sentences":         {readFiles, writeFiles},
	"Text analysis":     {readFiles, writeFiles},
	"Tools":             {readFiles, writeFiles},
	"Trash":             {readFiles, writeFiles},
	"Export":            {exports, exports},
	"Webhooks":          {hooks, hooks},
	"Analytics":         {auditing, auditing},
	"API keys":          {personal, personal},
	"Chats":             {personal, personal},
	"Feature flags":     {personal, personal},
	"Installation":      {personal, personal},
	"Notifications":     {personal, personal},
	"Service accounts":  {personal, personal},
	"Sign-in":           {personal, personal},
	"Teams and users":   {personal, personal},
}

// scopeOf is the scope of an operation, "" where its area has none: a test fails
// then.
func scopeOf(op *huma.Operation) scope {
	area := scopesOf[op.Tags[0]]
	switch {
	case strings.HasPrefix(op.Path, "/api/saved-searches"), strings.HasPrefix(op.Path, "/api/review"): // a person's own
		return personal
	case reads(op):
		return area.reading
	}
	return area.changing
}

// granted reports whether a service account has the scope of an operation.
func granted(p auth.Principal, op *huma.Operation) bool {
	needed, _ := op.Metadata[scopeKey].(scope)
	return needed != "" && slices.Contains(p.Scopes, string(needed))
}

// insufficientScope refuses a service account as RFC 6750 says.
func insufficientScope(op *huma.Operation) *Error {
	e := newError(http.StatusForbidden, "this endpoint is for people: service accounts do not reach it")
	e.Code, e.challenge = "insufficient_scope", `, error="insufficient_scope"`
	if needed := op.Metadata[scopeKey]; needed != personal {
		e.Message = "the access token lacks the scope " + string(scopeOf(op))
		e.challenge += `, scope="` + string(scopeOf(op)) + `"`
	}
	return e
}
