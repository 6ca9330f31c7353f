package api_test

import (
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/auth/authtest"
	"github.com/clausemill/clausemill/db"
)

const origin = "https://clausemill.example"

// browser keeps cookies and follows nothing.
type browser struct {
	b       *bundle
	cookies map[string]string
}

func (b *bundle) browser() *browser { return &browser{b, map[string]string{}} }

func (w *browser) caller() caller {
	var pairs []string
	for name, value := range w.cookies {
		pairs = append(pairs, name+"="+value)
	}
	if len(pairs) == 0 {
		return caller{}
	}
	return caller{header: http.Header{"Cookie": {strings.Join(pairs, "; ")}}}
}

func (w *browser) call(t *testing.T, line, body string) *httptest.ResponseRecorder {
	t.Helper()
	answer := w.b.call(t, w.caller(), line, body)
	for _, cookie := range answer.Result().Cookies() {
		require.True(t, cookie.HttpOnly && cookie.Secure && cookie.Path == "/" && cookie.Domain == "")
		require.Equal(t, http.SameSiteLaxMode, cookie.SameSite)
		require.True(t, strings.HasPrefix(cookie.Name, "__Host-"))
		if cookie.MaxAge < 0 {
			delete(w.cookies, cookie.Name)
		} else {
			w.cookies[cookie.Name] = cookie.Value
		}
	}
	return answer
}

// signIn walks through the issuer and returns the last answer.
func (w *browser) signIn(t *testing.T, issuer *authtest.Issuer, query string) *httptest.ResponseRecorder {
	t.Helper()
	answer := w.call(t, "GET /auth/login"+query, "")
	require.Equal(t, http.StatusFound, answer.Code, answer.Body.String())
	require.Empty(t, answer.Body.String())
	back := issuer.Visit(answer.Header().Get("Location"))
	return w.call(t, "GET "+back.RequestURI(), "")
}

// withIssuer is an API that people sign in to through an issuer.
func withIssuer(t *testing.T) (*bundle, *authtest.Issuer) {
	t.Helper()
	// Tests share a database, and a new address is locked until its test ends.
	issuer := authtest.New(t, "ada@"+strings.ToLower(rand.Text())+".example")
	return setup(t, signInThrough(issuer)), issuer
}

func signInThrough(issuer *authtest.Issuer) func(*api.Config) {
	return func(c *api.Config) {
		c.SignIn, c.PublicURL = auth.NewProvider(issuer.Config(origin)), origin
	}
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	b, issuer := withIssuer(t)
	acme := "Acme " + rand.Text()
	issuer.Account["organizations"] = []string{acme}
	ada := b.browser()
	answer := ada.signIn(t, issuer, "?returnTo="+url.QueryEscape("/docs?x=%C3%BC#Files"))
	require.Equal(t, http.StatusSeeOther, answer.Code, answer.Body.String())
	require.Equal(t, "/docs?x=%C3%BC#Files", answer.Header().Get("Location"))
	require.Equal(t, "no-store", answer.Header().Get("Cache-Control"))
	require.Len(t, ada.cookies, 1, "the attempt is over")
	require.NotContains(t, b.log.String(), ada.cookies[auth.CookieName])

	who := get[api.SignedIn](t, ada.call(t, "GET /api/session", ""), http.StatusOK)
	require.Equal(t, issuer.Account["email"], who.User.Email)
	require.Equal(t, "Ada Lovelace", who.User.Name)
	require.Equal(t, acme, who.Team.Name)
	require.Equal(t, db.Admin, who.Team.Role)
	require.Len(t, who.Teams, 2)
	require.Equal(t, db.PersonalTeam, who.Teams[0].Kind)

	// Another team is another session, and is remembered.
	inAcme := ada.caller()
	switched := get[api.SignedIn](t, ada.call(t, "PUT /api/session", `{"teamId":"`+who.Teams[0].ID+`"}`), http.StatusOK)
	require.Equal(t, who.Teams[0], switched.Team)
	get[api.Error](t, b.call(t, inAcme, "GET /api/session", ""), http.StatusUnauthorized)
	require.Equal(t, http.StatusNotFound, ada.call(t, "PUT /api/session", `{"teamId":"`+b.acme.scope.TeamID+`"}`).Code)
	require.Equal(t, switched, get[api.SignedIn](t, ada.call(t, "GET /api/session", ""), http.StatusOK))

	// Signing in again ends the session before, and never goes on with its token.
	before := ada.caller()
	require.Equal(t, "/docs", ada.signIn(t, issuer, "").Header().Get("Location"))
	get[api.Error](t, b.call(t, before, "GET /api/session", ""), http.StatusUnauthorized)
	require.Equal(t, switched, get[api.SignedIn](t, ada.call(t, "GET /api/session", ""), http.StatusOK))

	out := get[api.SignedOut](t, ada.call(t, "POST /auth/logout", ""), http.StatusOK)
	require.Contains(t, out.ProviderLogoutURL, issuer.URL+"/logout?")
	require.Empty(t, ada.cookies)
	get[api.Error](t, ada.call(t, "GET /api/session", ""), http.StatusUnauthorized)
}

// TestSignInLeadsToTheConsole holds where somebody is who came from nowhere.
func TestSignInLeadsToTheConsole(t *testing.T) {
	t.Parallel()
	issuer := authtest.New(t, "ada@"+strings.ToLower(rand.Text())+".example")
	b := setup(t, signInThrough(issuer), func(c *api.Config) { c.Console = http.NotFoundHandler() })
	require.Equal(t, "/", b.browser().signIn(t, issuer, "").Header().Get("Location"))
	require.Equal(t, "/files/x?page=2", b.browser().signIn(t, issuer, "?returnTo="+url.QueryEscape("/files/x?page=2")).Header().Get("Location"))
}

func TestSignInRefuses(t *testing.T) {
	t.Parallel()
	t.Run("NotSetUp", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		for _, line := range []string{"GET /auth/login", "GET /auth/callback?state=x&code=y"} {
			get[api.Error](t, b.call(t, b.nobody, line, ""), http.StatusNotFound)
		}
	})
	t.Run("ForeignBrowser", func(t *testing.T) {
		t.Parallel()
		b, issuer := withIssuer(t)
		answer := b.browser().call(t, "GET /auth/login", "")
		back := issuer.Visit(answer.Header().Get("Location"))
		for name, victim := range map[string]*browser{"without": b.browser(), "with": b.browser()} {
			if name == "with" {
				victim.call(t, "GET /auth/login", "") // is signing in as well
			}
			get[api.Error](t, victim.call(t, "GET "+back.RequestURI(), ""), http.StatusBadRequest)
			require.NotContains(t, victim.cookies, auth.CookieName)
		}
	})
	t.Run("ReturnTo", func(t *testing.T) {
		t.Parallel()
		b, issuer := withIssuer(t)
		for _, elsewhere := range []string{
			"https://evil.example", "//evil.example", `/\evil.example`, `\\evil.example`, "/\t/evil.example", "javascript:alert(1)",
			"docs", "/\n/evil.example", "/%zz", "/ü",
		} {
			get[api.Error](t, b.call(t, b.nobody, "GET /auth/login?returnTo="+url.QueryEscape(elsewhere), ""), http.StatusUnprocessableEntity)
		}
		// A cookie is the browser's own, and is not believed either.
		ada := b.browser()
		answer := ada.call(t, "GET /auth/login", "")
		secret, _, _ := strings.Cut(ada.cookies["__Host-clausemill_sign_in"], ".")
		ada.cookies["__Host-clausemill_sign_in"] = secret + ".Ly9ldmlsLmV4YW1wbGU" // //evil.example
		back := issuer.Visit(answer.Header().Get("Location"))
		require.Equal(t, "/docs", ada.call(t, "GET "+back.RequestURI(), "").Header().Get("Location"))
	})
	t.Run("Unverified", func(t *testing.T) {
		t.Parallel()
		b, issuer := withIssuer(t)
		issuer.Account["email_verified"] = false
		ada := b.browser()
		get[api.Error](t, ada.signIn(t, issuer, ""), http.StatusForbidden)
		require.NotContains(t, ada.cookies, auth.CookieName)
	})
	t.Run("Away", func(t *testing.T) {
		t.Parallel()
		b, issuer := withIssuer(t)
		issuer.Broken.Store(true)
		w := b.call(t, b.nobody, "GET /auth/login", "")
		get[api.Error](t, w, http.StatusServiceUnavailable)
		require.NotEmpty(t, w.Header().Get("Retry-After"))
	})
}

// TestPlantedSession holds that a browser goes on with no session that somebody
// put there before it signed in.
func TestPlantedSession(t *testing.T) {
	t.Parallel()
	b, issuer := withIssuer(t)
	ada := b.browser()
	ada.cookies[auth.CookieName] = b.mallory.secret.Text
	ada.signIn(t, issuer, "")
	require.NotEqual(t, b.mallory.secret.Text, ada.cookies[auth.CookieName])
	get[api.Error](t, b.call(t, b.mallory, "GET /api/session", ""), http.StatusUnauthorized)

	plain := b.browser()
	plain.cookies[auth.PlainCookieName] = ada.cookies[auth.CookieName]
	get[api.Error](t, plain.call(t, "GET /api/session", ""), http.StatusUnauthorized)
}

func TestSessionsOfAUser(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list := get[api.List[api.OpenSession]](t, b.call(t, b.alice, "GET /api/sessions", ""), http.StatusOK)
	require.Len(t, list.Items, 2)
	var other string
	for _, s := range list.Items {
		if !s.Current {
			other = s.ID
			require.Equal(t, b.acme.scope.TeamID, s.TeamID)
		}
	}
	get[api.Error](t, b.call(t, b.mallory, "DELETE /api/sessions/"+other, ""), http.StatusNotFound)
	get[api.Message](t, b.call(t, b.alice, "DELETE /api/sessions/"+other, ""), http.StatusOK)
	get[api.Error](t, b.call(t, b.acme, "GET /api/session", ""), http.StatusUnauthorized)
	get[api.SignedIn](t, b.call(t, b.alice, "GET /api/session", ""), http.StatusOK)
}

func TestAPIKeysOfUsers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.call(t, b.acme, "POST /api/api-keys", `{"name":"laptop"}`)
	mine := get[api.NewAPIKey](t, w, http.StatusCreated)
	require.Equal(t, "no-store", w.Header().Get("Cache-Control"))
	require.Equal(t, "/api/api-keys/"+mine.ID, w.Header().Get("Location"))
	byKey := caller{header: http.Header{"Authorization": {"Bearer " + mine.Secret}}}
	f := b.file(t, byKey)
	get[api.File](t, b.call(t, b.alice, "GET /api/files/"+f.ID, ""), http.StatusOK)
	get[api.Error](t, b.call(t, b.acme, "GET /api/files/"+f.ID, ""), http.StatusNotFound)

	ours := get[api.NewAPIKey](t, b.call(t, b.acme, "POST /api/api-keys", `{"name":"sync","kind":"organization","expiresAt":"2999-01-01T00:00:00Z"}`), http.StatusCreated)
	byKey = caller{header: http.Header{"Authorization": {"Bearer " + ours.Secret}}}
	f = b.file(t, byKey)
	get[api.File](t, b.call(t, b.acme, "GET /api/files/"+f.ID, ""), http.StatusOK)

	names := func(who caller) []string {
		var names []string
		w := b.call(t, who, "GET /api/api-keys", "")
		require.NotContains(t, w.Body.String(), ours.Secret)
		for _, k := range get[api.List[api.APIKey]](t, w, http.StatusOK).Items {
			names = append(names, k.Name)
			require.NotEmpty(t, k.Hint)
		}
		return names
	}
	require.Equal(t, []string{"sync", "laptop", "k", "k"}, names(b.acme))
	require.Equal(t, []string{"laptop", "k"}, names(b.alice), "those of an organization are seen in it")
	require.Empty(t, names(b.mallory))
	page := get[api.List[api.APIKey]](t, b.call(t, b.acme, "GET /api/api-keys?limit=3", ""), http.StatusOK)
	page = get[api.List[api.APIKey]](t, b.call(t, b.acme, "GET /api/api-keys?cursor="+page.NextCursor, ""), http.StatusOK)
	require.Len(t, page.Items, 1)

	member := b.colleague(t, b.acme, "member")
	for _, line := range []string{"GET /api/api-keys/", "DELETE /api/api-keys/"} {
		for _, who := range []caller{b.mallory, member, b.alice} {
			require.Equal(t, http.StatusNotFound, b.call(t, who, line+ours.ID, "").Code)
		}
	}
	get[api.Error](t, b.call(t, member, "POST /api/api-keys", `{"name":"x","kind":"organization"}`), http.StatusForbidden)
	get[api.Error](t, b.call(t, b.alice, "POST /api/api-keys", `{"name":"x","kind":"organization"}`), http.StatusUnprocessableEntity)
	get[api.Error](t, b.call(t, b.alice, "POST /api/api-keys", `{"name":"x","expiresAt":"2001-01-01T00:00:00Z"}`), http.StatusUnprocessableEntity)
	get[api.Error](t, b.call(t, b.alice, "POST /api/api-keys", `{"name":"\u0007"}`), http.StatusUnprocessableEntity)

	require.NotNil(t, get[api.APIKey](t, b.call(t, b.acme, "GET /api/api-keys/"+ours.ID, ""), http.StatusOK).LastUsedAt)
	get[api.Message](t, b.call(t, b.acme, "DELETE /api/api-keys/"+ours.ID, ""), http.StatusOK)
	get[api.Error](t, b.call(t, byKey, "GET /api/files", ""), http.StatusUnauthorized)
	get[api.Error](t, b.call(t, b.acme, "DELETE /api/api-keys/"+ours.ID, ""), http.StatusNotFound)
	require.NotNil(t, get[api.APIKey](t, b.call(t, b.acme, "GET /api/api-keys/"+ours.ID, ""), http.StatusOK).RevokedAt)
	require.NotContains(t, b.log.String(), ours.Secret)
}

func TestInvitation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	guest := get[api.SignedIn](t, b.call(t, b.mallory, "GET /api/session", ""), http.StatusOK).User
	invite := func(body string) api.NewInvitation {
		return get[api.NewInvitation](t, b.call(t, b.acme, "POST /api/teams/invitations", body), http.StatusCreated)
	}
	accept := func(who caller, token string) *httptest.ResponseRecorder {
		return b.call(t, who, "POST /api/invitations/accept", `{"token":"`+token+`"}`)
	}
	first := invite(`{"email":"` + guest.Email + `"}`)
	require.Equal(t, db.Member, first.Role)
	second := invite(`{"email":"` + strings.ToUpper(guest.Email) + `","role":"admin"}`)
	list := get[api.List[api.Invitation]](t, b.call(t, b.acme, "GET /api/teams/invitations", ""), http.StatusOK)
	require.Equal(t, []api.Invitation{second.Invitation}, list.Items, "inviting again replaces")

	get[api.Error](t, accept(b.mallory, first.Token), http.StatusNotFound)
	get[api.Error](t, accept(b.colleague(t, b.acme, "member"), second.Token), http.StatusNotFound)
	joined := get[api.TeamOfUser](t, accept(b.mallory, second.Token), http.StatusOK)
	require.Equal(t, b.acme.scope.TeamID, joined.ID)
	require.Equal(t, db.Admin, joined.Role)
	get[api.Error](t, accept(b.mallory, second.Token), http.StatusNotFound)
	get[api.Error](t, b.call(t, b.acme, "POST /api/teams/invitations", `{"email":"`+guest.Email+`"}`), http.StatusConflict)

	back := invite(`{"email":"new@example.com"}`)
	get[api.Message](t, b.call(t, b.acme, "DELETE /api/teams/invitations/"+back.ID, ""), http.StatusOK)
	get[api.Error](t, b.call(t, b.acme, "DELETE /api/teams/invitations/"+back.ID, ""), http.StatusNotFound)
	get[api.Error](t, b.call(t, b.alice, "POST /api/teams/invitations", `{"email":"new@example.com"}`), http.StatusConflict)
	get[api.Error](t, b.call(t, b.acme, "POST /api/teams/invitations", `{"email":"nobody"}`), http.StatusUnprocessableEntity)
}

// TestInvitationExpires holds that an old token lets nobody in, though it is
// addressed to them.
func TestInvitationExpires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	guest := get[api.SignedIn](t, b.call(t, b.mallory, "GET /api/session", ""), http.StatusOK).User
	for _, tt := range []struct {
		lifetime time.Duration
		open     int
		code     int
	}{{-time.Second, 0, http.StatusNotFound}, {time.Hour, 1, http.StatusOK}} {
		token := auth.NewToken()
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
			_, err := tx.CreateInvitation(t.Context(), b.acme.scope, guest.Email, db.Member, token.Hash, tt.lifetime)
			return err
		}))
		require.Len(t, get[api.List[api.Invitation]](t, b.call(t, b.acme, "GET /api/teams/invitations", ""), http.StatusOK).Items, tt.open)
		require.Equal(t, tt.code, b.call(t, b.mallory, "POST /api/invitations/accept", `{"token":"`+token.Text+`"}`).Code)
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	member := b.colleague(t, b.acme, "member")
	who := "/api/teams/users/" + member.scope.ActorID
	admin := "/api/teams/users/" + b.acme.scope.ActorID

	list := get[api.List[api.TeamUser]](t, b.call(t, member, "GET /api/teams/users?limit=1", ""), http.StatusOK)
	require.Equal(t, 2, *list.Total)
	rest := get[api.List[api.TeamUser]](t, b.call(t, member, "GET /api/teams/users?cursor="+list.NextCursor, ""), http.StatusOK)
	require.Empty(t, rest.NextCursor)
	require.ElementsMatch(t, []string{b.acme.scope.ActorID, member.scope.ActorID}, []string{list.Items[0].ID, rest.Items[0].ID})
	found := get[api.TeamUser](t, b.call(t, b.acme, "GET /api/users/find-by-email?email="+strings.ToUpper(rest.Items[0].Email), ""), http.StatusOK)
	require.Equal(t, rest.Items[0], found)
	get[api.Error](t, b.call(t, b.alice, "GET /api/users/find-by-email?email="+found.Email, ""), http.StatusNotFound)

	get[api.Error](t, b.call(t, member, "PATCH "+who, `{"role":"admin"}`), http.StatusForbidden)
	get[api.Error](t, b.call(t, member, "DELETE "+admin, ""), http.StatusForbidden)
	get[api.Error](t, b.call(t, b.acme, "PATCH "+admin, `{"role":"member"}`), http.StatusConflict)
	get[api.Error](t, b.call(t, b.acme, "DELETE "+admin, ""), http.StatusConflict)
	get[api.Error](t, b.call(t, b.alice, "DELETE /api/teams/users/"+b.alice.scope.ActorID, ""), http.StatusConflict)

	require.Equal(t, db.Admin, get[api.TeamUser](t, b.call(t, b.acme, "PATCH "+who, `{"role":"admin"}`), http.StatusOK).Role)
	require.Equal(t, db.Admin, get[api.SignedIn](t, b.call(t, member, "GET /api/session", ""), http.StatusOK).Team.Role)
	get[api.TeamUser](t, b.call(t, member, "PATCH "+admin, `{"role":"member"}`), http.StatusOK)
	get[api.Error](t, b.call(t, b.acme, "GET /api/teams/invitations", ""), http.StatusForbidden)
	get[api.Message](t, b.call(t, b.acme, "DELETE "+admin, ""), http.StatusOK)
	get[api.Error](t, b.call(t, b.acme, "GET /api/session", ""), http.StatusUnauthorized)
	get[api.SignedIn](t, b.call(t, b.alice, "GET /api/session", ""), http.StatusOK)
}

// TestMembershipIsHeard changes a role and removes a member in another process.
func TestMembershipIsHeard(t *testing.T) {
	t.Parallel()
	b, _, _ := live(t)
	member := b.colleague(t, b.acme, "member")
	code := func() int { return b.call(t, member, "GET /api/teams/invitations", "").Code }
	become := func(want int) {
		t.Helper()
		require.Eventually(t, func() bool { return code() == want }, time.Minute, 10*time.Millisecond)
	}
	become(http.StatusForbidden)
	change := func(what func(tx *db.Tx) error) { require.NoError(t, b.db.InTx(t.Context(), what)) }
	change(func(tx *db.Tx) error { return tx.SetRole(t.Context(), b.acme.scope, member.scope.ActorID, db.Admin) })
	become(http.StatusOK)
	change(func(tx *db.Tx) error { return tx.RemoveMember(t.Context(), b.acme.scope, member.scope.ActorID) })
	become(http.StatusUnauthorized)
}
