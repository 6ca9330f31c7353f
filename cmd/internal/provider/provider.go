package provider

import (
	"context"
	"crypto/rand"
	_ "embed"
	"html/template"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"

	"github.com/clausemill/clausemill/auth"
)

// The people, and the organization that both belong to.
const (
	User         = "dev@localhost"
	Colleague    = "colleague@localhost"
	Organization = "Example Ltd"
)

// Path is where the provider lies on the server that it is part of.
const Path = "/dev/identity"

// organizationClaim is where accounts say what they belong to.
const organizationClaim = "organizations"

// Provider answers below Path.
type Provider struct {
	http.Handler

	config   auth.ProviderConfig
	origin   string
	store    *store
	callback func(ctx context.Context, id string) string
}

// New is a provider on the server that browsers reach at origin.
func New(origin string) (*Provider, error) {
	issuer := origin + Path
	p := &Provider{origin: origin, config: auth.ProviderConfig{
		Issuer: issuer, ClientID: "clausemill", ClientSecret: rand.Text(),
		CallbackURL: origin + "/auth/callback", LogoutURL: origin + "/",
		Scopes: []string{oidc.ScopeOpenID, oidc.ScopeEmail, oidc.ScopeProfile}, OrganizationClaim: organizationClaim,
	}}
	// The store wants a password; as long as only it and we know this one, who
	// may sign in is decided here.
	password := rand.Text()
	known := people{
		{ID: "1", Username: User, Password: password, FirstName: "Dev", LastName: "Eloper", Email: User, EmailVerified: true},
		{ID: "2", Username: Colleague, Password: password, FirstName: "Colly", LastName: "Gue", Email: Colleague, EmailVerified: true},
	}
	p.store = &store{
		people: known,
		Storage: storage.NewStorageWithClients(known, map[string]*storage.Client{
			p.config.ClientID: storage.WebClient(p.config.ClientID, p.config.ClientSecret, p.config.CallbackURL),
		}),
		password: password,
	}
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails
	protocol, err := op.NewProvider(&op.Config{CryptoKey: key, CodeMethodS256: true}, p.store, op.StaticIssuer(issuer), op.WithAllowInsecure())
	if err != nil {
		return nil, err
	}
	p.callback = op.AuthCallbackURL(protocol)
	mux := http.NewServeMux()
	mux.Handle("/", protocol)
	named := op.NewIssuerInterceptor(protocol.IssuerFromRequest)
	mux.HandleFunc("GET /login", named.HandlerFunc(p.page))
	mux.HandleFunc("POST /login", named.HandlerFunc(p.choose))
	p.Handler = localOnly(http.NewCrossOriginProtection().Handler(http.StripPrefix(Path, mux)))
	return p, nil
}

// Path is where the provider lies on its server.
func (p *Provider) Path() string { return Path }

// Config is how to sign in here.
func (p *Provider) Config() auth.ProviderConfig { return p.config }

// Origin is the server that the provider is part of, as browsers reach it.
func (p *Provider) Origin() string { return p.origin }

//go:embed login.html
var loginPage string

var loginTemplate = template.Must(template.New("login").Parse(loginPage))

// page lets one choose who to be. Whom the hint names goes on without a click,
// as somebody would who is signed in already.
func (p *Provider) page(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("id")
	request, err := p.store.AuthRequestByID(r.Context(), id)
	if err != nil {
		http.Error(w, "this sign-in is over; begin again", http.StatusBadRequest)
		return
	}
	if asked, ok := request.(*storage.AuthRequest); ok && p.store.people.GetUserByUsername(asked.LoginHint) != nil {
		p.finish(w, r, id, asked.LoginHint)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	_ = loginTemplate.Execute(w, map[string]any{"ID": id, "People": p.store.people, "Organization": Organization}) // the reader has gone
}

func (p *Provider) choose(w http.ResponseWriter, r *http.Request) {
	p.finish(w, r, r.PostFormValue("id"), r.PostFormValue("user"))
}

// finish signs user in and leads back to the protocol.
func (p *Provider) finish(w http.ResponseWriter, r *http.Request, id, user string) {
	if err := p.store.CheckUsernamePassword(user, p.store.password, id); err != nil {
		http.Error(w, "this sign-in is over, or there is nobody of that name; begin again", http.StatusBadRequest)
		return
	}
	http.Redirect(w, r, p.callback(r.Context(), id), http.StatusSeeOther)
}

// localOnly refuses whoever is not on this machine, or calls it by a foreign
// name: that is how a web page reaches a local server. A forwarded request may
// come from anywhere.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local(r) {
			http.Error(w, "this identity provider is for development on the machine itself", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func local(r *http.Request) bool {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !remote.Addr().Unmap().IsLoopback() || r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != "" {
		return false
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && address.IsLoopback()
}

// people are the accounts there are.
type people []*storage.User

func (p people) GetUserByID(id string) *storage.User {
	return p.find(func(u *storage.User) bool { return u.ID == id })
}

func (p people) GetUserByUsername(name string) *storage.User {
	return p.find(func(u *storage.User) bool { return u.Username == name })
}

func (p people) find(is func(u *storage.User) bool) *storage.User {
	if i := slices.IndexFunc(p, is); i >= 0 {
		return p[i]
	}
	return nil
}

// ExampleClientID names no client: services do not sign in here.
func (people) ExampleClientID() string { return "" }

// store is what the protocol remembers, in memory, with our page and claim.
type store struct {
	*storage.Storage
	people   people
	password string
}

// GetClientByClientID is a client that is sent to our page.
func (s *store) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	known, err := s.Storage.GetClientByClientID(ctx, id)
	return client{known}, err
}

type client struct{ op.Client }

func (client) LoginURL(id string) string { return Path + "/login?id=" + id }

// SetUserinfoFromToken answers the user info endpoint.
func (s *store) SetUserinfoFromToken(ctx context.Context, info *oidc.UserInfo, tokenID, subject, origin string) error {
	info.AppendClaims(organizationClaim, []string{Organization})
	return s.Storage.SetUserinfoFromToken(ctx, info, tokenID, subject, origin)
}
