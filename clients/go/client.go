package clausemill

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// defaultPatience is how long a service may be out of reach before a request is
	// given up: a restart.
	defaultPatience = 2 * time.Minute

	// idleTimeout ends a request on which nothing moves, neither the body nor an
	// answer. A service holds a long poll for 60 s at most.
	idleTimeout = 90 * time.Second
)

// Config says which service to talk to, and as whom.
type Config struct {
	URL      string        // of the service: https://contracts.example.com
	Key      string        // an API key
	Tokens   TokenSource   // in place of a key: see ClientCredentials
	Patience time.Duration // how long to retry what fails; 0 is two minutes; see the package's comment

	// Transport, if set, sends the requests. It may sign in by other means than a key.
	Transport http.RoundTripper

	// Paused, if set, is called before each wait, to inform the user.
	Paused func(reason error, pause time.Duration)
}

// Client talks to one service. It may be used concurrently.
type Client struct {
	config Config
	base   *url.URL
	http   *http.Client
	gate   gate
}

// New makes a client. It talks to nobody yet.
func New(config Config) (*Client, error) {
	base, err := url.Parse(strings.TrimRight(config.URL, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("%q is no address of a server: it looks like http://127.0.0.1:8080", config.URL)
	}
	if config.Key == "" && config.Tokens == nil && config.Transport == nil {
		return nil, errors.New("an API key is needed, or a service account")
	}
	if config.Patience == 0 {
		config.Patience = defaultPatience
	}
	if config.Paused == nil {
		config.Paused = func(error, time.Duration) {}
	}
	if config.Transport == nil {
		config.Transport = newTransport()
	}
	return &Client{config: config, base: base, http: &http.Client{
		Transport: config.Transport,
		// The key is sent to this service only, so redirects are not followed.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: 15 * time.Second,
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     time.Minute,
		// A refusal then comes before the bytes that it is about are sent.
		ExpectContinueTimeout: 2 * time.Second,
		ForceAttemptHTTP2:     true,
	}
}

// prepare makes a new request for each attempt. It calls alive whenever bytes were
// transferred.
type prepare = func(ctx context.Context, alive func()) (*http.Request, error)

// do sends a request until it succeeds, fails for good or patience ends. A success is
// given to read, which has to close it; that it fails is as if there were no answer.
// A request that is not repeatable is not sent again where the service may have
// carried it out.
func (c *Client) do(ctx context.Context, repeatable bool, request prepare, read func(*Stream) error) error {
	var trouble trouble
	for {
		if err := c.gate.wait(ctx); err != nil {
			return err
		}
		err := c.once(ctx, trouble.watch(request), read)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		pause, again := trouble.next(err, repeatable, c.config.Patience)
		if !again {
			return err
		}
		c.config.Paused(err, pause)
		if asked := retryAfter(err); asked > 0 {
			c.gate.close(asked) // for every other request as well
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// once is one attempt, or two where a token was revoked meanwhile.
func (c *Client) once(ctx context.Context, request prepare, read func(*Stream) error) error {
	token, err := c.token(ctx)
	if err != nil {
		return permanent{err} // it was tried for as long as there is patience
	}
	err = c.attempt(ctx, token, request, read)
	account, ok := c.config.Tokens.(*serviceAccount)
	var answer *Error
	if !ok || !errors.As(err, &answer) || answer.Status != http.StatusUnauthorized {
		return err
	}
	account.refused(token)
	if token, err = c.token(ctx); err != nil {
		return permanent{err}
	}
	return c.attempt(ctx, token, request, read)
}

// token is what a request is signed in with.
func (c *Client) token(ctx context.Context) (string, error) {
	switch tokens := c.config.Tokens.(type) {
	case nil:
		return c.config.Key, nil
	case *serviceAccount:
		return tokens.get(ctx, c.config)
	default:
		return tokens.Token(ctx)
	}
}

func (c *Client) attempt(ctx context.Context, token string, request prepare, read func(*Stream) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	idle := time.AfterFunc(idleTimeout, func() { cancel(errIdle) })
	end := func() {
		idle.Stop()
		cancel(nil)
	}
	r, err := request(ctx, func() { idle.Reset(idleTimeout) })
	if err != nil {
		end()
		return permanent{err}
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := c.http.Do(r) //nolint:bodyclose // the stream is closed, which closes it
	if err != nil {
		cause := context.Cause(ctx)
		end()
		if errors.Is(cause, errIdle) {
			return cause
		}
		return err
	}
	idle.Stop()
	answer := newStream(ctx, response, idle, end)
	if response.StatusCode > 299 || response.StatusCode == http.StatusAccepted && response.Request.Method == http.MethodGet {
		defer answer.Close()
		return newError(answer)
	}
	return read(answer)
}

// errIdle ends a request that transfers no bytes.
var errIdle = errors.New("the connection transfers no data")
