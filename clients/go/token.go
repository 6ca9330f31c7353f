package clausemill

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// TokenSource gives the bearer token of a request. It is asked for each one, so it
// keeps a token for as long as that is good.
type TokenSource interface {
	Token(ctx context.Context) (string, error)
}

// renewBefore is how long before its end a token is renewed: clocks differ, and a
// request takes its time.
const renewBefore = time.Minute

// ClientCredentials signs in as a service account of the service at address, by OAuth 2
// client credentials. It renews its token before that expires, and at once when the
// service refuses it. Without scopes the token has all that the account has.
//
// POST /auth/token.
func ClientCredentials(address, id, secret string, scopes ...string) TokenSource {
	return &serviceAccount{address: address, id: id, secret: secret, scopes: scopes}
}

type serviceAccount struct {
	address, id, secret string
	scopes              []string

	mu    sync.Mutex
	token string
	until time.Time
	http  http.RoundTripper // nil is the usual one
}

// refused forgets a token that the service does not take, and reports whether it was
// the present one or a new one is there already.
func (a *serviceAccount) refused(token string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token == token {
		a.token = ""
	}
	return true
}

// Token asks for a new token where the present one is about to end. Others wait
// meanwhile, and have the same.
func (a *serviceAccount) Token(ctx context.Context) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token != "" && time.Until(a.until) > renewBefore {
		return a.token, nil
	}
	if a.http == nil {
		a.http = newTransport()
	}
	c, err := New(Config{URL: a.address, Transport: a.http})
	if err != nil {
		return "", err
	}
	form := url.Values{"grant_type": {"client_credentials"}}
	if len(a.scopes) > 0 {
		form.Set("scope", strings.Join(a.scopes, " "))
	}
	var answer struct {
		Token   string `json:"access_token"`
		Seconds int64  `json:"expires_in"`
	}
	asked := time.Now()
	err = c.do(ctx, true, func(ctx context.Context, _ func()) (*http.Request, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.JoinPath("auth", "token").String(), strings.NewReader(form.Encode()))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.SetBasicAuth(url.QueryEscape(a.id), url.QueryEscape(a.secret)) // RFC 6749, 2.3.1
		return r, nil
	}, func(s *Stream) error {
		defer s.Close()
		return c.decode(s, &answer)
	})
	if err != nil {
		return "", err
	}
	a.token, a.until = answer.Token, asked.Add(time.Duration(answer.Seconds)*time.Second)
	return a.token, nil
}
