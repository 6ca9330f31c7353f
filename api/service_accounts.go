package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// serviceAccounts serves the programs that work unattended, and their tokens.
func (a *API) serviceAccounts() {
	session := a.area("Service accounts", withSession)
	get(session, "/api/service-accounts", "listServiceAccounts", "List service accounts", a.listServiceAccounts, admins, describe("Lists the service accounts of the team, newest first, revoked ones included."))
	create(a, session, "/api/service-accounts", "createServiceAccount", "Create a service account", a.createServiceAccount, admins, describe(
		"Creates a service account for a program that works in this team unattended. The program gets an access token for an hour from `POST /auth/token`, with the `id` of the account as client_id and its secret as client_secret. "+
			"The role and the scopes limit what it may do. It sees only the restricted matters in `matterIds`. The secret is in this answer only. An answer repeated for an "+
			"`Idempotency-Key` does not have it; a lost secret has to be replaced. A team may have 100 service accounts."))
	get(session, "/api/service-accounts/{id}", "getServiceAccount", "Get a service account", a.getServiceAccount, admins)
	patch(session, "/api/service-accounts/{id}", "updateServiceAccount", "Update a service account", a.updateServiceAccount, admins, describe(
		"Changes a service account. An absent field is left unchanged. The change takes effect at once, also for tokens in use. With `If-Match` a stale version is 409. A revoked account is 409 too."))
	post(session, "/api/service-accounts/{id}/secret", "replaceServiceAccountSecret", "Replace the secret of a service account", a.replaceServiceSecret, admins, eitherWay[SecretReplacement](a), describe(
		"Replaces the secret. The new one is in this answer only. The previous one stays valid for `overlapHours`, so that programs can switch without interruption. "+
			"If an earlier one is still valid because of a recent replacement, that one stays, no longer than announced, and the secret between ends: its answer may have been lost. "+
			"With 0 the previous secret and all tokens end at once. 403 if the account sees restricted matters that the caller does not see."))
	del(session, "/api/service-accounts/{id}", "revokeServiceAccount", "Revoke a service account", a.revokeServiceAccount, admins, describe(
		"Revokes a service account. The account and its tokens stop working at once, and this cannot be undone. The account is still listed."))

	raw(a.area("Service accounts", open), http.MethodPost, tokenPath, "issueToken", "Get an access token for a service account", a.issueToken, foreign, tokenAnswers(a), describe(
		"Returns an access token by the client credentials grant of OAuth 2 (RFC 6749, 4.4). The client sends `client_id` and `client_secret` in the form, or by HTTP Basic. "+
			"Without `scope` the token has all scopes of the account. Errors have the form of RFC 6749, 5.2."))
	document := a.huma.OpenAPI()
	form := document.Components.Schemas.Schema(reflect.TypeFor[tokenForm](), true, "")
	document.Paths[tokenPath].Post.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{formMedia: {Schema: form}}}
}

// ServiceAccount is a program that works by itself.
type ServiceAccount struct {
	ID          string     `json:"id" doc:"Id of the service account: the client_id"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Role        string     `json:"role" enum:"admin,member,viewer"`
	Scopes      []scope    `json:"scopes" nullable:"false"`
	MatterIDs   []string   `json:"matterIds" nullable:"false" doc:"Ids of the restricted matters that it sees, among those that the caller sees"`
	Hint        string     `json:"hint" doc:"Last characters of the secret"`
	Version     int        `json:"version"`
	CreatedBy   *string    `json:"createdBy"`
	CreatedAt   time.Time  `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
	LastUsedAt  *time.Time `json:"lastUsedAt" doc:"Precise to the minute; null if it was never used"`
	RevokedAt   *time.Time `json:"revokedAt" doc:"null while it is valid"`
	Secret      string     `json:"secret,omitempty" doc:"The client_secret; only in the responses that create it"`

	PreviousSecretUntil *time.Time `json:"previousSecretUntil,omitempty" doc:"After a replacement: until this time, the previous secret is valid too"`
}

func newServiceAccount(s db.ServiceAccount) ServiceAccount {
	granted := make([]scope, len(s.Scopes))
	for i, name := range s.Scopes {
		granted[i] = scope(name)
	}
	return ServiceAccount{
		ID: s.ID, Name: s.Name, Description: s.Description, Role: s.Role, Scopes: granted, MatterIDs: list(s.MatterIDs), Hint: s.Hint,
		Version: s.Version, CreatedBy: s.CreatedBy, CreatedAt: s.CreatedAt.UTC(), UpdatedAt: s.UpdatedAt.UTC(),
		LastUsedAt: utc(s.LastUsedAt), RevokedAt: utc(s.RevokedAt), PreviousSecretUntil: utc(s.PreviousSecretUntil),
	}
}

func (s ServiceAccount) address() string { return "/api/service-accounts/" + s.ID }

func (s ServiceAccount) withoutSecret() any {
	s.Secret = ""
	return s
}

func (s ServiceAccount) etag() string { return contentTag(s.Version, s) }

func (a *API) listServiceAccounts(ctx context.Context, in *Page) (List[ServiceAccount], error) {
	after, err := in.idPlace("service-accounts")
	if err != nil {
		return List[ServiceAccount]{}, err
	}
	rows, err := a.DB.ServiceAccounts(ctx, auth.Scope(ctx), after, in.Limit+1)
	return newPage(rows, in.Limit, "service-accounts", newServiceAccount, func(s db.ServiceAccount) string { return s.ID }), err
}

// ServiceAccountFields is what can be said of a service account.
type ServiceAccountFields struct {
	Name        *string   `json:"name,omitempty" minLength:"1" maxLength:"200" doc:"Name of the account, such as its purpose"`
	Description *string   `json:"description,omitempty" maxLength:"1000"`
	Role        *string   `json:"role,omitempty" enum:"admin,member,viewer" doc:"Webhooks and other operations for admins need admin"`
	Scopes      *[]scope  `json:"scopes,omitempty" minItems:"1" maxItems:"20"`
	MatterIDs   *[]string `json:"matterIds,omitempty" maxItems:"1000" doc:"Ids of the restricted matters that it sees. Send only those that the caller sees; others stay as they are"`
}

// change is f for the database.
func (f ServiceAccountFields) change() (db.ServiceAccountChange, error) {
	c := db.ServiceAccountChange{Description: f.Description, Role: f.Role, MatterIDs: f.MatterIDs}
	if f.Name != nil {
		name := cleanTitle(*f.Name)
		if name == "" {
			return c, invalid("body.name", "has no printable characters")
		}
		c.Name = &name
	}
	if f.Scopes != nil {
		names := words(*f.Scopes)
		slices.Sort(names)
		names = slices.Compact(names)
		c.Scopes = &names
	}
	for _, id := range orNothing(f.MatterIDs) {
		if !isID(id) {
			return c, invalid("body.matterIds", "names what is no restricted matter, or none that you see")
		}
	}
	return c, nil
}

type createServiceAccountRequest struct {
	OnceKey
	Body ServiceAccountFields
}

func (a *API) createServiceAccount(ctx context.Context, tx *db.Tx, in *createServiceAccountRequest) (ServiceAccount, error) {
	change, err := in.Body.change()
	switch {
	case err != nil:
		return ServiceAccount{}, err
	case change.Name == nil:
		return ServiceAccount{}, invalid("body.name", "is required")
	case change.Role == nil:
		return ServiceAccount{}, invalid("body.role", "is required")
	case change.Scopes == nil:
		return ServiceAccount{}, invalid("body.scopes", "is required")
	}
	secret := auth.NewServiceSecret()
	row, err := tx.CreateServiceAccount(ctx, auth.Scope(ctx), change, secret.Hash, secret.Hint)
	out := newServiceAccount(row)
	out.Secret = secret.Text
	unstored(ctx)
	return out, err
}

func (a *API) getServiceAccount(ctx context.Context, in *IDRef) (ServiceAccount, error) {
	row, err := a.DB.ServiceAccount(ctx, auth.Scope(ctx), in.ID)
	return newServiceAccount(row), err
}

func (a *API) updateServiceAccount(ctx context.Context, in *struct {
	IDRef
	OfVersion
	Body ServiceAccountFields
}) (ServiceAccount, error) {
	change, err := in.Body.change()
	if err != nil {
		return ServiceAccount{}, err
	}
	if change.IfVersion, err = ifMatch(in.IfMatch); err != nil {
		return ServiceAccount{}, err
	}
	return a.changeServiceAccount(ctx, func(tx *db.Tx, scope db.Scope) (db.ServiceAccount, error) {
		return tx.UpdateServiceAccount(ctx, scope, in.ID, change)
	})
}

// changeServiceAccount does what has to hold at once.
func (a *API) changeServiceAccount(ctx context.Context, do func(tx *db.Tx, in db.Scope) (db.ServiceAccount, error)) (ServiceAccount, error) {
	out, err := inTx(ctx, a, newServiceAccount, do)
	a.auth.ForgetTeam(auth.Scope(ctx).TeamID)
	return out, err
}

func (a *API) replaceServiceSecret(ctx context.Context, in *struct {
	IDRef
	Body *SecretReplacement
}) (ServiceAccount, error) {
	secret := auth.NewServiceSecret()
	out, err := a.changeServiceAccount(ctx, func(tx *db.Tx, scope db.Scope) (db.ServiceAccount, error) {
		return tx.ReplaceServiceSecret(ctx, scope, in.ID, secret.Hash, secret.Hint, in.Body.overlap())
	})
	out.Secret = secret.Text
	unstored(ctx)
	return out, err
}

func (a *API) revokeServiceAccount(ctx context.Context, in *IDRef) (Message, error) {
	_, err := a.changeServiceAccount(ctx, func(tx *db.Tx, scope db.Scope) (db.ServiceAccount, error) {
		return tx.RevokeServiceAccount(ctx, scope, in.ID)
	})
	return Message{"the service account was revoked"}, err
}

// Where tokens come from, and how many bytes a request for one may have.
const (
	tokenPath       = "/auth/token"
	maxTokenRequest = 16 << 10
	formMedia       = "application/x-www-form-urlencoded"
)

// AccessToken is a token of a service account, in the form of RFC 6749, 5.1.
type AccessToken struct {
	Text      string `json:"access_token"`
	TokenType string `json:"token_type"`
	ExpiresIn int    `json:"expires_in" doc:"Lifetime in seconds"`
	Scope     string `json:"scope" doc:"Scopes, separated by spaces"`
}

// TokenError is why there is no token, in the form of RFC 6749, 5.2.
type TokenError struct {
	Code        string `json:"error" enum:"invalid_request,invalid_client,invalid_scope,unsupported_grant_type"`
	Description string `json:"error_description"`
}

func (e *TokenError) Error() string { return e.Description }

// tokenForm is the form of a request for a token, for its description.
type tokenForm struct {
	GrantType    string `json:"grant_type" enum:"client_credentials"`
	ClientID     string `json:"client_id,omitempty" doc:"The id of the service account; absent with HTTP Basic"`
	ClientSecret string `json:"client_secret,omitempty" doc:"Absent with HTTP Basic"`
	Scope        string `json:"scope,omitempty" doc:"Scopes, separated by spaces"`
}

// tokenAnswers documents what RFC 6749 says of requests for tokens.
func tokenAnswers(a *API) option {
	schemas := a.huma.OpenAPI().Components.Schemas
	of := func(name string, s *huma.Schema) *huma.Response {
		return &huma.Response{Description: name, Content: map[string]*huma.MediaType{jsonType: {Schema: s}}}
	}
	token, refused := schemas.Schema(reflect.TypeFor[AccessToken](), true, ""), schemas.Schema(reflect.TypeFor[TokenError](), true, "")
	return func(op *huma.Operation) {
		op.Responses = map[string]*huma.Response{
			"200": of("The token", token),
			"400": of("The request is invalid", refused),
			"401": of("The client is unknown, or the secret is wrong", refused),
			"429": {Ref: "#/components/responses/RateLimited"},
		}
	}
}

// issueToken answers in the words of RFC 6749, also where it refuses.
func (a *API) issueToken(ctx context.Context, _ *struct{}, w http.ResponseWriter, r *http.Request) error {
	token, err := a.tokenFor(ctx, w.Header(), r)
	refused, ok := err.(*TokenError) //nolint:errorlint // it is ours, and not wrapped
	if err != nil && !ok {
		return err
	}
	header, status, answer := w.Header(), http.StatusOK, any(token)
	header.Set("Content-Type", jsonType)
	header.Set("Cache-Control", "no-store")
	if ok {
		status, answer = http.StatusBadRequest, refused
		if refused.Code == "invalid_client" {
			status = http.StatusUnauthorized
			header.Set("WWW-Authenticate", `Basic realm="clausemill"`)
		}
	}
	w.WriteHeader(status)
	return json.NewEncoder(w).Encode(answer)
}

// tokenFor makes the token that r asks for, or says why not with a TokenError.
func (a *API) tokenFor(ctx context.Context, header http.Header, r *http.Request) (AccessToken, error) {
	form, err := tokenRequest(r)
	if err != nil {
		return AccessToken{}, err
	}
	id, text := strings.ToLower(form.Get("client_id")), form.Get("client_secret")
	secret := auth.HashToken(text)
	granted, err := a.proven(ctx, header, id, text)
	if err != nil {
		return AccessToken{}, err
	}
	wanted := strings.Fields(form.Get("scope"))
	if len(wanted) == 0 {
		wanted = granted
	}
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	if slices.ContainsFunc(wanted, func(name string) bool { return !slices.Contains(granted, name) }) {
		return AccessToken{}, &TokenError{"invalid_scope", "the service account has the scopes " + strings.Join(granted, " ") + " and no other"}
	}
	token := auth.NewServiceToken()
	err = a.DB.CreateServiceToken(ctx, id, secret, token.Hash, wanted, auth.ServiceTokenLifetime)
	if err != nil && fault.KindOf(err) == fault.NotFound {
		return AccessToken{}, errClient // until a moment ago it was right
	}
	return AccessToken{token.Text, "Bearer", int(auth.ServiceTokenLifetime.Seconds()), strings.Join(wanted, " ")}, err
}

var errClient = &TokenError{"invalid_client", "the client_id is not known, or the client_secret is wrong"}

// proven are the scopes of the service account whose secret was sent. Tokens count
// among the requests of their account. Whoever tries secrets is slowed down with all
// others who do; were they counted by account, anybody who knows its id could lock
// it out. The database is not asked about what is no secret that was handed out.
func (a *API) proven(ctx context.Context, header http.Header, id, secret string) ([]string, error) {
	if isID(id) && auth.IsServiceSecret(secret) {
		scopes, err := a.DB.ProvenScopes(ctx, id, auth.HashToken(secret))
		if err == nil {
			return scopes, a.limiter.count(ctx, auth.Principal{Kind: auth.Service, KeyID: id}.RateSubject(), header)
		}
		if fault.KindOf(err) != fault.NotFound {
			return nil, err
		}
	}
	if err := a.limiter.count(ctx, "token", http.Header{}); err != nil {
		return nil, err
	}
	return nil, errClient
}

// tokenRequest reads a request for a token: its form, with the client's id and
// secret where they come by HTTP Basic. Nothing may come twice.
func tokenRequest(r *http.Request) (url.Values, error) {
	if mediaType(r.Header.Get("Content-Type")) != formMedia {
		return nil, &TokenError{"invalid_request", "send a form as " + formMedia}
	}
	r.Body = http.MaxBytesReader(nil, r.Body, maxTokenRequest)
	if err := r.ParseForm(); err != nil {
		return nil, &TokenError{"invalid_request", "the form cannot be read"}
	}
	form := r.PostForm
	for _, values := range form {
		if len(values) > 1 {
			return nil, &TokenError{"invalid_request", "a parameter is given more than once"}
		}
	}
	switch form.Get("grant_type") {
	case "client_credentials":
	case "":
		return nil, &TokenError{"invalid_request", "grant_type is missing"}
	default:
		return nil, &TokenError{"unsupported_grant_type", "only client_credentials is supported"}
	}
	if r.Header.Get("Authorization") == "" {
		return form, nil
	}
	return form, basicClient(r, form)
}

// basicClient puts the client's id and secret of HTTP Basic into the form.
func basicClient(r *http.Request, form url.Values) error {
	id, secret, ok := r.BasicAuth()
	if !ok {
		return &TokenError{"invalid_client", "the client proves who it is by HTTP Basic, or in the form"}
	}
	if form.Get("client_secret") != "" || form.Get("client_id") != "" && form.Get("client_id") != id {
		return &TokenError{"invalid_request", "the client proves who it is in two ways"}
	}
	var err error // RFC 6749, 2.3.1: both are encoded as in a form first
	if id, err = url.QueryUnescape(id); err == nil {
		secret, err = url.QueryUnescape(secret)
	}
	if err != nil {
		return &TokenError{"invalid_client", "the client's id or secret cannot be read"}
	}
	form.Set("client_id", id)
	form.Set("client_secret", secret)
	return nil
}
