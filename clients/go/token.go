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
// For a Client it uses the Transport, Patience and Paused of the Client's Config.
//
// POST /auth/token.
func ClientCredentials(address, id, secret string, scopes ...string) TokenSource {
	return &serviceAccount{address: address, id: id, secret: secret, scopes: scopes}
}

type serviceAccount struct {
	address, id, secret string
	scopes              []string

	mu      sync.Mutex
	token   string
	until   time.Time
	renewal *renewal // under way, or nil
}

// renewal is a request for a token, which all wait for who want one.
type renewal struct {
	done        chan struct{}
	token       string
	err         error
	interrupted bool // by the context of the one who asks
}

// refused forgets a token that the service does not take, unless there is a new one
// already.
func (a *serviceAccount) refused(token string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token == token {
		a.token = ""
	}
}

// Token is a token that is good for some time.
func (a *serviceAccount) Token(ctx context.Context) (string, error) {
	return a.get(ctx, Config{})
}

// get asks for a new token as config says where the present one is about to end. Others
// wait meanwhile, and have the same.
func (a *serviceAccount) get(ctx context.Context, config Config) (string, error) {
	for {
		a.mu.Lock()
		if a.token != "" && time.Until(a.until) > renewBefore {
			defer a.mu.Unlock()
			return a.token, nil
		}
		present := a.renewal
		if present == nil {
			mine := &renewal{done: make(chan struct{})}
			a.renewal = mine
			a.mu.Unlock()
			a.renew(ctx, config, mine)
			return mine.token, mine.err
		}
		a.mu.Unlock()
		select {
		case <-present.done:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
		if !present.interrupted {
			return present.token, present.err
		}
	}
}

// renew asks for a token.
func (a *serviceAccount) renew(ctx context.Context, config Config, result *renewal) {
	asked, seconds := time.Now(), int64(0)
	result.token, seconds, result.err = a.ask(ctx, config)
	result.interrupted = result.err != nil && ctx.Err() != nil
	a.mu.Lock()
	defer a.mu.Unlock()
	a.renewal = nil
	if result.err == nil {
		a.token, a.until = result.token, asked.Add(time.Duration(seconds)*time.Second)
	}
	close(result.done)
}

// ask makes the request for a token, which is good for so many seconds.
func (a *serviceAccount) ask(ctx context.Context, config Config) (token string, seconds int64, err error) {
	if config.Transport == nil {
		config.Transport = newTransport()
	}
	c, err := New(Config{URL: a.address, Transport: config.Transport, Patience: config.Patience, Paused: config.Paused})
	if err != nil {
		return "", 0, err
	}
	form := url.Values{"grant_type": {"client_credentials"}}
	if len(a.scopes) > 0 {
		form.Set("scope", strings.Join(a.scopes, " "))
	}
	var answer struct {
		Token   string `json:"access_token"`
		Seconds int64  `json:"expires_in"`
	}
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
	return answer.Token, answer.Seconds, err
}
