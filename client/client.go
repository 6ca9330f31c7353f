package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// defaultPatience is how long a server may be out of reach before a request
	// is given up: a restart or a deployment, not a holiday.
	defaultPatience = 10 * time.Minute

	// idleTimeout ends a request on which nothing moves, neither the body nor an
	// answer. A server holds a long poll for 30 s at most.
	idleTimeout = 90 * time.Second

	// maxBody bounds an answer; a list of 500 files is well below.
	maxBody = 32 << 20
)

// Config says which server to talk to, and as whom.
type Config struct {
	URL      string        // of the server: https://contracts.example.com
	Key      string        // an API key
	Patience time.Duration // how long to retry while the server does not answer; 0 is ten minutes

	// Paused, if set, is called before each wait, to inform the user.
	Paused func(reason error, pause time.Duration)
}

// Client talks to one server with one key. It may be used concurrently.
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
	if config.Key == "" {
		return nil, errors.New("an API key is needed")
	}
	if config.Patience == 0 {
		config.Patience = defaultPatience
	}
	if config.Paused == nil {
		config.Paused = func(error, time.Duration) {}
	}
	return &Client{config: config, base: base, http: &http.Client{
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: 15 * time.Second}).DialContext,
			TLSHandshakeTimeout: 15 * time.Second,
			MaxIdleConnsPerHost: 16,
			IdleConnTimeout:     time.Minute,
			// A refusal then comes before the bytes that it is about are sent.
			ExpectContinueTimeout: 2 * time.Second,
			ForceAttemptHTTP2:     true,
		},
		// The key is sent to this server only, so redirects are not followed.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Error is an answer with a status other than 2xx.
type Error struct {
	Status     int
	Message    string        // the server's own words, fit for people
	RetryAfter time.Duration // 0 where the server did not say
}

func (e *Error) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("the server answered %d %s", e.Status, http.StatusText(e.Status))
	}
	return e.Message
}

// passing reports whether the error is likely to be transient, of the server or of
// a proxy before it.
func (e *Error) passing() bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
		http.StatusInsufficientStorage: // somebody makes room
		return true
	default:
		return false
	}
}

// Refused reports whether the server rejects the key itself, so that every other
// request would fail too.
func Refused(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden)
}

// prepare makes a new request for each attempt. It calls alive whenever bytes were
// transferred.
type prepare = func(ctx context.Context, alive func()) (*http.Request, error)

// do sends a request until it succeeds, fails for good or patience ends, and
// decodes the answer into out.
func (c *Client) do(ctx context.Context, request prepare, out any) error {
	var trouble trouble
	for {
		if err := c.gate.wait(ctx); err != nil {
			return err
		}
		err := c.once(ctx, request, out)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		pause, again := trouble.next(err, c.config.Patience)
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

// once is one attempt.
func (c *Client) once(ctx context.Context, request prepare, out any) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(idleTimeout, func() { cancel(errIdle) })
	defer idle.Stop()
	alive := func() { idle.Reset(idleTimeout) }

	r, err := request(ctx, alive)
	if err != nil {
		return permanent{err}
	}
	r.Header.Set("Authorization", "Bearer "+c.config.Key)
	r.Header.Set("Accept", "application/json")
	response, err := c.http.Do(r)
	if err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, errIdle) {
			return cause
		}
		return err
	}
	defer response.Body.Close()
	alive()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil {
		return err
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return newError(response, body)
	}
	if err := json.Unmarshal(body, out); err != nil {
		return permanent{fmt.Errorf("%s does not answer like Clausemill: %w", c.base, err)}
	}
	return nil
}

// errIdle ends a request that transfers no bytes.
var errIdle = errors.New("the connection transfers no data")

func newError(response *http.Response, body []byte) *Error {
	e := &Error{Status: response.StatusCode, RetryAfter: parseRetryAfter(response.Header.Get("Retry-After"), time.Now())}
	var said struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(body, &said) == nil {
		e.Message = said.Error
	}
	return e
}

// get prepares a request without a body.
func (c *Client) get(path string, query url.Values) prepare {
	target := c.base.JoinPath(path)
	target.RawQuery = query.Encode()
	return func(ctx context.Context, _ func()) (*http.Request, error) {
		return http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	}
}
