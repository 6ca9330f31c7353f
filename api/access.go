package api

import (
	"log/slog"
	"maps"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// access says who may call an operation.
type access string

const (
	withKey     access = "key"     // API keys and sessions
	withSession access = "session" // sessions only
	open        access = "open"    // anybody
)

// The keys of an operation's metadata.
const (
	accessKey  = "access"  // an access
	adminsKey  = "admins"  // true where members are not enough
	viewersKey = "viewers" // true where viewers are
)

// admins restricts an operation to admins of the current team. The user of a
// personal team is its admin.
func admins(op *huma.Operation) {
	op.Metadata = map[string]any{adminsKey: true}
}

// asking are the operations beside GET and HEAD that change nothing.
var asking = map[string]bool{
	"POST /api/files/{fileId}/pages":                     true, // pages can be laid out again at any time
	"POST /api/documents/{id}/get-filters":               true,
	"POST /api/files/{fileId}/get-filters":               true,
	"POST /api/files/{fileId}/list-filters":              true,
	"POST /api/files/{fileId}/filters/{id}/options":      true,
	"POST /api/files/{fileId}/sections":                  true,
	"POST /api/files/{fileId}/stats":                     true,
	"POST /api/files/{fileId}/document-types/cohort":     true,
	"POST /api/files/{fileId}/document-types/dates":      true,
	"POST /api/files/{fileId}/document-types/scores":     true,
	"POST /api/files/{fileId}/sfdt/document-types-align": true,
	"POST /api/files/bulk/ocr":                           true,
	"POST /api/files/bulk/status":                        true,
	"POST /api/export/query":                             true,
	"POST /api/dashboard-widgets/execute-query":          true,
	"POST /api/dashboard-widgets/generate-config":        true,
	"POST /api/text/nlp/analyze-text":                    true,
	"POST /api/text/nlp/score-text":                      true,
	"POST /api/tools/lookup-document-attribute-value":    true,
	"POST /api/tools/lookup-filespan-attribute-value":    true,
	"POST /api/tools/search-attribute-values":            true,
	"POST /api/tools/search-document-attribute-keys":     true,
	"POST /api/tools/search-filespan-attribute-keys":     true,
	"POST /api/tools/search-filespan-entities":           true,
}

// viewersToo are the operations that viewers may call beside those that change
// nothing: what is about the caller alone, and what people say to one another.
var viewersToo = map[string]bool{
	"POST /api/files/{fileId}/changes": true, // comments alone: see createChanges

	"PATCH /api/files/{fileId}/assignments/{assignmentId}":     true, // their own work
	"PATCH /api/matters/{matterId}/assignments/{assignmentId}": true,

	"POST /api/chats":                                       true,
	"PATCH /api/chats/{chatId}":                             true,
	"PUT /api/chats/{chatId}":                               true,
	"DELETE /api/chats/{chatId}":                            true,
	"POST /api/chats/{chatId}/participants":                 true,
	"DELETE /api/chats/{chatId}/participants/{userId}":      true,
	"POST /api/chats/{chatId}/document-context":             true,
	"DELETE /api/chats/{chatId}/document-context":           true,
	"POST /api/chats/{chatId}/reference-document-context":   true,
	"DELETE /api/chats/{chatId}/reference-document-context": true,
	"POST /api/chats/{chatId}/messages":                     true,
	"PATCH /api/chats/{chatId}/messages/{messageId}":        true,
	"DELETE /api/chats/{chatId}/messages/{messageId}":       true,
	"PUT /api/chats/{chatId}/read":                          true,

	"PATCH /api/notifications/{id}":    true,
	"POST /api/saved-searches":         true, // shared ones are for members: see createSavedSearch
	"PATCH /api/saved-searches/{id}":   true,
	"DELETE /api/saved-searches/{id}":  true,
	"POST /api/trash/{id}/restore":     true, // what they may delete: see restoreTrash
	"PUT /api/session":                 true,
	"DELETE /api/sessions/{id}":        true,
	"POST /auth/logout":                true,
	"POST /api/invitations/accept":     true,
	"POST /api/teams":                  true,
	"DELETE /api/teams/users/{userId}": true, // oneself
	"POST /api/api-keys":               true, // of one's own
	"DELETE /api/api-keys/{id}":        true,
}

// forViewers reports whether viewers may call an operation.
func forViewers(op *huma.Operation) bool {
	return op.Metadata[adminsKey] != true && (reads(op) || viewersToo[op.Method+" "+op.Path])
}

// reads reports whether an operation changes nothing.
func reads(op *huma.Operation) bool {
	return op.Method == http.MethodGet || op.Method == http.MethodHead || asking[op.Method+" "+op.Path]
}

// The names of the security schemes in the description.
const (
	keyScheme     = "apiKey"
	sessionScheme = "session"
	oauthScheme   = "oauth2"
)

// document writes the access into the description of an operation.
func (who access) document(op *huma.Operation) {
	refer := func(status, name string) {
		op.Responses[status] = &huma.Response{Ref: "#/components/responses/" + name}
	}
	if op.Responses["400"] == nil && op.Metadata[foreignKey] != true {
		refer("400", "Malformed") // a query or a body that cannot be read
	}
	if op.Responses["422"] == nil && op.Responses["default"] == nil && op.Metadata[foreignKey] != true {
		refer("422", "Invalid") // whatever else it refuses, parameters that it does not have
	}
	if who == open {
		return
	}
	op.Security = []map[string][]string{{sessionScheme: {}}}
	scope := scopeOf(op)
	op.Metadata[scopeKey] = scope
	if scope != personal {
		op.Security = append(op.Security, map[string][]string{oauthScheme: {string(scope)}})
		refer("429", "RateLimited")
	}
	const forAdmins = "For admins of the team."
	if op.Metadata[adminsKey] == true && !strings.HasSuffix(op.Description, forAdmins) { // Huma comes by twice
		op.Description = strings.TrimSpace(op.Description + " " + forAdmins)
	}
	op.Metadata[viewersKey] = forViewers(op)
	const forMembers = "Not for viewers."
	if op.Metadata[adminsKey] != true && op.Metadata[viewersKey] != true && !strings.HasSuffix(op.Description, forMembers) {
		op.Description = strings.TrimSpace(op.Description + " " + forMembers)
	}
	refer("401", "Unauthenticated")
	refer("403", "Forbidden")
	if strings.Contains(op.Path, "{") {
		refer("404", "NotFound")
	}
	if who == withKey {
		op.Security = append([]map[string][]string{{keyScheme: {}}}, op.Security...)
	} else if scope == personal {
		return
	}
	for _, response := range op.Responses {
		if response.Ref != "" {
			continue
		}
		if response.Headers == nil {
			response.Headers = map[string]*huma.Param{}
		}
		for name := range rateLimitHeaders() {
			response.Headers[name] = &huma.Param{Ref: "#/components/headers/" + name}
		}
	}
}

// rateLimitHeaders describes the headers of every answer to a key.
func rateLimitHeaders() map[string]*huma.Param {
	integer := &huma.Schema{Type: huma.TypeInteger}
	return map[string]*huma.Param{
		"X-RateLimit-Limit":     {Description: "Number of requests that the owner of an API key, or a service account, may send in a window", Schema: integer},
		"X-RateLimit-Remaining": {Description: "Number of requests left in the current window", Schema: integer},
		"X-RateLimit-Reset":     {Description: "When the window resets, as Unix time in seconds", Schema: integer},
	}
}

// commonResponses describes the errors that most operations share.
func commonResponses(schemas huma.Registry) map[string]*huma.Response {
	content := map[string]*huma.MediaType{"application/json": {Schema: schemas.Schema(reflect.TypeFor[Error](), true, "Error")}}
	limited := rateLimitHeaders()
	limited["Retry-After"] = &huma.Param{Description: "Seconds to wait", Schema: &huma.Schema{Type: huma.TypeInteger}}
	return map[string]*huma.Response{
		"Unauthenticated": {Description: "The API key or access token is missing or invalid, or the user is not signed in", Content: content},
		"Forbidden":       {Description: "API keys, or this caller, may not use the operation, or the access token lacks its scope (insufficient_scope)", Content: content},
		"NotFound":        {Description: "It does not exist, or the caller may not see it", Content: content},
		"Malformed":       {Description: "The request cannot be read", Content: content},
		"Conflict":        {Description: "The present state does not allow it, or somebody else changed it in the meantime", Content: content},
		"TooLarge":        {Description: "The request is larger than the limit", Content: content},
		"UnsupportedType": {Description: "The media type or file format is not supported", Content: content},
		"Invalid":         {Description: "A part of the request is invalid", Content: content},
		"RateLimited":     {Description: "Too many requests with an API key or access token (rate_limited), or too many concurrent requests of a kind (too_many_uploads, too_many_waiting, …)", Content: content, Headers: limited},
	}
}

// identify authenticates the caller, and counts the requests of keys. An API key has
// precedence over a cookie. An expired cookie counts as none.
func (a *API) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !private(r.URL.Path) || r.URL.Path == tokenPath { // whoever asks for a token proves who it is in its own way
			next.ServeHTTP(w, r)
			return
		}
		p, err := a.authenticate(r)
		if err != nil {
			writeError(w, problem(r.Context(), err))
			return
		}
		if p.Kind == auth.Nobody {
			next.ServeHTTP(w, r)
			return
		}
		callOf(r.Context()).principal = p
		if p.RateLimited() {
			if err := a.limiter.count(r.Context(), p.RateSubject(), w.Header()); err != nil {
				refusal := problem(r.Context(), err)
				if refusal.status == http.StatusTooManyRequests {
					a.metrics.refused.Inc()
				}
				writeError(w, refusal)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// private reports whether callers of path are authenticated.
func private(path string) bool {
	if path == adminPath {
		return true
	}
	for _, prefix := range []string{"/api/", "/auth/", adminPath + "/"} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// errAdmins is also for refusals that depend on more than the operation.
var errAdmins = fault.New(fault.Forbidden, "only admins of the team may do this")

// errMembers is the answer to a viewer who wants to change something.
var errMembers = fault.New(fault.Forbidden, "viewers may only read and comment")

var errNobody = fault.New(fault.Anonymous, "sign in or send an API key")

// authenticate returns the caller, or Nobody for a request without credentials.
func (a *API) authenticate(r *http.Request) (auth.Principal, error) {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, key, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return auth.Principal{}, fault.New(fault.Anonymous, "send the API key as Authorization: Bearer <key>")
		}
		if key = strings.TrimSpace(key); auth.IsServiceToken(key) {
			p, err := a.auth.Service(r.Context(), key)
			if fault.KindOf(err) == fault.Anonymous {
				e := newError(http.StatusUnauthorized, fault.Message(err))
				e.challenge = `, error="invalid_token"`
				return auth.Principal{}, e
			}
			return p, err
		}
		return a.auth.Key(r.Context(), key)
	}
	token := a.sessionToken(r)
	if token == "" {
		return auth.Principal{}, nil
	}
	p, err := a.auth.Session(r.Context(), token)
	if fault.KindOf(err) == fault.Anonymous {
		return auth.Principal{}, nil
	}
	return p, err
}

// allow refuses callers that may not call the operations of an area, and paths with
// impossible ids.
func (a *API) allow(who access) func(ctx huma.Context, next func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		c := callOf(ctx.Context())
		op := ctx.Operation()
		c.operation = op.OperationID
		switch {
		case who == open:
		case c.principal.Kind == auth.Nobody:
			refuse(ctx, errNobody)
			return
		case c.principal.ByKey() && who != withKey:
			refuse(ctx, fault.New(fault.Forbidden, "this endpoint is not available to API keys"))
			return
		case c.principal.Kind == auth.Service && !granted(c.principal, op):
			refuse(ctx, insufficientScope(op))
			return
		case op.Metadata[adminsKey] == true && c.principal.Role != db.Admin:
			refuse(ctx, errAdmins)
			return
		case c.principal.Role == db.Viewer && op.Metadata[viewersKey] != true:
			refuse(ctx, errMembers)
			return
		}
		for _, param := range op.Parameters {
			if param.In == "path" && param.Schema.Format == "uuid" && !isID(ctx.Param(param.Name)) {
				refuse(ctx, fault.New(fault.NotFound, "not found"))
				return
			}
		}
		next(ctx)
	}
}

func refuse(ctx huma.Context, err error) {
	r, w := humachi.Unwrap(ctx)
	writeError(w, problem(r.Context(), err))
}

// secure sets the headers that restrict what browsers do with an answer, and refuses
// requests that another site makes a signed-in browser send.
func (a *API) secure(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	if a.PublicURL != "" {
		// A proxy may call this server by another name than browsers do.
		if err := crossOrigin.AddTrustedOrigin(a.PublicURL); err != nil {
			panic(err) // it was checked when it was read
		}
	}
	always := http.Header{
		"X-Content-Type-Options":  {"nosniff"},
		"Content-Security-Policy": {"default-src 'none'; frame-ancestors 'none'"},
		"Referrer-Policy":         {"no-referrer"},
	}
	if strings.HasPrefix(a.PublicURL, "https://") {
		// A browser that has used TLS once uses nothing else here for a year.
		always["Strict-Transport-Security"] = []string{"max-age=31536000"}
	}
	cache := []string{"private, no-cache"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		maps.Copy(header, always)
		if a.shareWithOrigin(w, r) {
			return
		}
		if private(r.URL.Path) {
			header["Cache-Control"] = cache
		}
		// Browsers never send a key on their own, so requests with one cannot be
		// forged by other sites.
		if r.Header.Get("Authorization") == "" {
			if err := crossOrigin.Check(r); err != nil {
				a.Log.LogAttrs(r.Context(), slog.LevelWarn, "cross-origin request refused", slog.Any("error", err))
				writeError(w, newError(http.StatusForbidden, "requests from another site are refused"))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
