package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clausemill/clausemill/trace"
)

// Config is where a model is, and how it is asked.
type Config struct {
	URL     string        // of the API, with its version: http://127.0.0.1:8080/v1
	Model   string        // as the server names it
	Key     string        // sent as bearer token; "" where the server wants none
	Timeout time.Duration // for all of an answer, repetitions included

	// Price of a million tokens, in a currency of the operator's.
	PromptPrice, CompletionPrice float64
}

const (
	tries        = 3
	firstPause   = 250 * time.Millisecond // before the second try; twice as long before each further one
	maxPause     = 5 * time.Second        // that a server may ask for with Retry-After
	maxHeader    = 64 << 10
	maxStream    = 4 << 20 // bytes of an answer as it is sent
	maxReplyText = 64 << 10
	dialTimeout  = 5 * time.Second

	// restAfter failures in a row the model is left alone for restFor.
	restAfter = 3
	restFor   = 30 * time.Second
)

// The reasons for which there is no answer.
var (
	ErrUnreachable = errors.New("the language model cannot be reached")
	ErrSlow        = errors.New("the language model took too long")
	ErrRefused     = errors.New("the language model refused the request")
	ErrBusy        = errors.New("the language model is busy")
	ErrGarbled     = errors.New("the language model sent no answer that can be read")
	ErrResting     = errors.New("the language model failed several times and is left alone for a while")
)

// Reasons are all of them, by their names in metrics.
func Reasons() map[string]error {
	return map[string]error{"unreachable": ErrUnreachable, "slow": ErrSlow, "refused": ErrRefused, "busy": ErrBusy, "garbled": ErrGarbled, "resting": ErrResting}
}

// Client asks one model. It can be used by many at once.
type Client struct {
	Config

	endpoint *url.URL
	http     *http.Client
	plain    atomic.Bool // the server answered without what not every server knows, and only so
	pause    func(ctx context.Context, d time.Duration) error

	mu      sync.Mutex
	failed  int // in a row
	resting time.Time
}

// New is a client of c, whose URL and model are checked; nothing is asked yet.
func New(c Config) (*Client, error) {
	at, err := url.Parse(c.URL)
	switch {
	case err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https":
		return nil, errors.New("LLM_URL is no address of an API: write http://127.0.0.1:8080/v1")
	case at.User != nil || at.RawQuery != "" || at.Fragment != "":
		return nil, errors.New("LLM_URL may have no user, query or fragment; a key belongs into LLM_KEY")
	case c.Model == "":
		return nil, errors.New("LLM_MODEL is needed beside LLM_URL: the name of the model, as the server has it")
	case c.Timeout <= 0:
		return nil, errors.New("LLM_TIMEOUT has to be longer than nothing")
	case !(c.PromptPrice >= 0) || !(c.CompletionPrice >= 0):
		return nil, errors.New("the price of tokens has to be a number from 0 on")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is one
	transport.MaxResponseHeaderBytes = maxHeader
	transport.MaxIdleConnsPerHost = 16
	return &Client{
		Config: c, endpoint: at, pause: sleep,
		http: &http.Client{
			Transport: transport,
			// Contract text and the key go where the operator said, and nowhere else.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// Request is what a model is asked.
type Request struct {
	System    string // what it is to do
	User      string // what it is asked
	MaxTokens int    // of its answer
}

// Reply is what a model answered.
type Reply struct {
	Model            string // that answered, as the server says; else as it was asked for
	PromptTokens     int
	CompletionTokens int
}

// Cost is what a reply cost, in the currency of the prices.
func (c *Client) Cost(r Reply) float64 {
	return (float64(r.PromptTokens)*c.PromptPrice + float64(r.CompletionTokens)*c.CompletionPrice) / 1e6
}

// Ask asks the model, and hands on each piece of its answer as it comes. It is tried again
// as long as no piece has come. The error is one of Reasons, or that of ctx, or of hear,
// which ends the answer. The tokens of a reply are estimated where the server does not
// say them, those of an answer that was cut off, too.
func (c *Client) Ask(ctx context.Context, r Request, hear func(piece string) error) (reply Reply, err error) {
	ctx, span := trace.Start(ctx, trace.Client, "ask model")
	asked := stopwatch{began: time.Now()}
	defer func() {
		asked.tell(span, reply, err)
		span.End(nil)
	}()
	if c.rests() {
		return Reply{}, ErrResting
	}
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	plain := c.plain.Load()
	for try := range tries {
		asked.tries = try + 1
		a := attempt{c: c, hear: asked.first(hear), plain: plain}
		var again time.Duration
		again, err = a.ask(limited, r)
		reply.add(a.reply(r))
		if err == nil {
			c.plain.Store(plain)
		}
		plain = plain || errors.Is(err, errForm)
		if err == nil || again < 0 || a.heard > 0 || try == tries-1 {
			break
		}
		if c.pause(limited, max(again, firstPause<<try+rand.N(firstPause))) != nil { //nolint:gosec // jitter
			break
		}
	}
	var told *heardError
	switch {
	case errors.As(err, &told):
		err = told.error
	case ctx.Err() != nil:
		err = ctx.Err()
	case err != nil && limited.Err() != nil:
		err = ErrSlow
	}
	c.note(ctx, err)
	return reply, err
}

// add counts the tokens of another try.
func (r *Reply) add(other Reply) {
	r.Model = other.Model
	r.PromptTokens += other.PromptTokens
	r.CompletionTokens += other.CompletionTokens
}

// errForm is a refusal that may be of the form of the request, or of what it holds: the next
// try is plain, and tells.
var errForm = fmt.Errorf("%w: the form of the request", ErrRefused)

// heardError is an error of who hears an answer.
type heardError struct{ error }

// rests reports whether the model is left alone.
func (c *Client) rests() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed < restAfter || time.Now().After(c.resting) {
		return false
	}
	return true
}

// note counts failures of the model. What callers end themselves is none.
func (c *Client) note(ctx context.Context, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := false
	for _, reason := range Reasons() {
		known = known || errors.Is(err, reason)
	}
	switch {
	case err == nil:
		c.failed = 0
	case known && ctx.Err() == nil:
		c.failed++
		c.resting = time.Now().Add(restFor)
	}
}

// attempt is one request.
type attempt struct {
	c     *Client
	hear  func(piece string) error
	plain bool // without what not every server knows
	sent  bool // the server has taken the request
	heard int  // bytes of its text
	model string
	usage *usage
}

// reply is what an attempt has come to.
func (a *attempt) reply(r Request) Reply {
	out := Reply{Model: a.model}
	if out.Model == "" {
		out.Model = a.c.Model
	}
	switch {
	case a.usage != nil:
		out.PromptTokens, out.CompletionTokens = max(0, a.usage.PromptTokens), max(0, a.usage.CompletionTokens)
	case a.sent:
		out.PromptTokens, out.CompletionTokens = Estimate(r.System+r.User), (a.heard+3)/4
	}
	return out
}

// Estimate is about how many tokens a text has, rather too many.
func Estimate(text string) int { return len(text)/3 + 1 }

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type completion struct {
	Model         string         `json:"model"`
	Messages      []message      `json:"messages"`
	MaxTokens     int            `json:"max_tokens,omitempty"`
	Temperature   *float64       `json:"temperature,omitempty"`
	Stream        bool           `json:"stream"`
	StreamOptions *streamOptions `json:"stream_options,omitempty"`
}

type usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
}

// chunk is a part of a stream, or a whole answer.
type chunk struct {
	Model   string `json:"model"`
	Usage   *usage `json:"usage"`
	Choices []struct {
		Delta   content `json:"delta"`
		Message content `json:"message"`
	} `json:"choices"`
	Error json.RawMessage `json:"error"`
}

type content struct {
	Content *string `json:"content"`
}

// ask sends the request once. again is how long to wait before the next try; below 0
// there is none.
func (a *attempt) ask(ctx context.Context, r Request) (again time.Duration, err error) {
	body := completion{Model: a.c.Model, Messages: []message{{"system", r.System}, {"user", r.User}}}
	if !a.plain {
		body.MaxTokens, body.Temperature = r.MaxTokens, new(float64)
		body.Stream, body.StreamOptions = true, &streamOptions{IncludeUsage: true}
	}
	text, err := json.Marshal(body)
	if err != nil {
		return -1, err
	}
	answer, err := a.c.send(ctx, http.MethodPost, "chat/completions", text)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	switch status := answer.StatusCode; {
	case status == http.StatusOK:
		a.sent = true
		if err := a.read(answer); err != nil {
			return 0, err
		}
		return 0, nil
	case !a.plain && (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity):
		return 0, fmt.Errorf("%w: HTTP %d", errForm, status)
	case status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= http.StatusInternalServerError:
		return retryAfter(answer), fmt.Errorf("%w: HTTP %d", ErrBusy, status)
	default: // redirects, too
		return -1, fmt.Errorf("%w: HTTP %d", ErrRefused, status)
	}
}

// send sends a request. What servers say of errors is not handed on: it may repeat what
// they were asked.
func (c *Client) send(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.endpoint.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream, application/json")
	if c.Key != "" {
		r.Header.Set("Authorization", "Bearer "+c.Key)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, ErrUnreachable
	}
	return answer, nil
}

// retryAfter is how long a server asks to wait, within bounds.
func retryAfter(answer *http.Response) time.Duration {
	seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(min(seconds, 3600))*time.Second, maxPause)
}

// read reads an answer, whole or as a stream.
func (a *attempt) read(answer *http.Response) error {
	limited := io.LimitReader(answer.Body, maxStream)
	if !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		text, err := io.ReadAll(limited)
		if err != nil {
			return ErrUnreachable
		}
		return a.whole(text)
	}
	return a.stream(limited)
}

func (a *attempt) whole(text []byte) error {
	done, err := a.take(text)
	if err == nil && !done && a.heard == 0 {
		return ErrGarbled
	}
	return err
}

// Ready reports whether the server lists models to those who have the key.
func (c *Client) Ready(ctx context.Context) error {
	answer, err := c.send(ctx, http.MethodGet, "models", nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: HTTP %d", ErrRefused, answer.StatusCode)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxStream)).Decode(&list); err != nil {
		return ErrGarbled
	}
	for _, m := range list.Data {
		if m.ID == c.Model {
			return nil
		}
	}
	return fmt.Errorf("the server has no model %q", c.Model)
}
