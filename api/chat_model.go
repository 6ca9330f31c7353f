package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/clausemill/clausemill/answer"
	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/llm"
)

const (
	// modelFlag is the key of the flag with which a team keeps the language model out.
	modelFlag = "language-model"
	// modelTokens bounds what a model writes.
	modelTokens = 1000
)

const quotesOnly = " The answer is made of quotes."

// write has the language model write an answer out of its quotes, if there is one and the
// team lets it. Whatever the model does, the quotes stay: the only errors are those of the
// database and of who asks.
func (a *API) write(ctx context.Context, said *answer.Answer, question string, stream *answerStream) error {
	for _, quote := range said.Sentences {
		if err := stream.send("quote", newChatSentence(quote)); err != nil {
			return err
		}
	}
	if a.LanguageModel == nil || len(said.Sentences) == 0 {
		return nil
	}
	if on, err := a.modelAllowed(ctx); err != nil || !on {
		return err
	}
	prompt := said.Prompt(question)
	if prompt.Empty() {
		said.Notice = "No language model was asked, because the quotes address one." + quotesOnly
		return nil
	}
	return a.writeWithin(ctx, said, prompt, stream)
}

// writeWithin has the model write as far as the team has tokens.
func (a *API) writeWithin(ctx context.Context, said *answer.Answer, prompt answer.Prompt, stream *answerStream) error {
	written := &writing{writer: prompt.Writer(), stream: stream}
	reply, failed, err := a.askModel(ctx, llm.Request{System: prompt.System, User: prompt.User, MaxTokens: modelTokens}, func(piece string) error {
		return written.hear(written.writer.Add(piece))
	})
	if err != nil {
		return err
	}
	if failed == nil {
		failed = written.hear(written.writer.End())
	}
	if failed != nil {
		reason, err := a.unwritten(ctx, failed)
		if err == nil {
			said.Notice = noticeOfError(reason)
		}
		return err
	}
	a.metrics.modelSentences.WithLabelValues("holds").Add(float64(len(written.sentences)))
	a.metrics.modelSentences.WithLabelValues("dropped").Add(float64(written.writer.Dropped))
	said.Notice = noticeOf(reply.Model, len(written.sentences), written.writer.Dropped, prompt.Withheld)
	outcome := "unproved"
	if len(written.sentences) > 0 {
		outcome, said.Model, said.Written = "written", reply.Model, written.sentences
	}
	a.metrics.modelAnswers.WithLabelValues(outcome).Inc()
	return nil
}

// writing is the sentences of a model that the quotes prove, sent on as they come.
type writing struct {
	writer    *answer.Writer
	stream    *answerStream
	sentences []answer.Said
}

func (w *writing) hear(list []answer.Said) error {
	w.sentences = append(w.sentences, list...)
	for _, s := range list {
		if err := w.stream.send("sentence", newChatSentence(s)); err != nil {
			return err
		}
	}
	return nil
}

// errNoTokens is why a team's question does not reach the model.
var errNoTokens = errors.New("the team has used up its tokens of the language model for today")

// askModel has the model write to its end, if the team has tokens for it, and counts what
// that took. failed is why it did not write, an error of hear included; err is one of
// the database.
func (a *API) askModel(ctx context.Context, request llm.Request, hear func(piece string) error) (reply llm.Reply, failed, err error) {
	scope, reserved := auth.Scope(ctx), llm.Estimate(request.System+request.User)+request.MaxTokens
	day, err := a.DB.ReserveTokens(ctx, scope, reserved, a.TeamTokens)
	if err != nil {
		return reply, nil, err
	}
	if day == "" {
		return reply, errNoTokens, nil
	}
	begin := time.Now()
	reply, failed = a.LanguageModel.Ask(ctx, request, hear)
	a.metrics.modelSeconds.Observe(time.Since(begin).Seconds())
	a.metrics.modelTokens.WithLabelValues("prompt").Add(float64(reply.PromptTokens))
	a.metrics.modelTokens.WithLabelValues("completion").Add(float64(reply.CompletionTokens))
	a.metrics.modelCost.Add(a.LanguageModel.Cost(reply))
	return reply, failed, a.DB.SettleTokens(context.WithoutCancel(ctx), scope, day, reserved, reply.PromptTokens+reply.CompletionTokens)
}

// unwritten counts and logs why the model has not written, and returns it in words for
// users. An error that is not the model's is returned as such.
func (a *API) unwritten(ctx context.Context, failed error) (reason, err error) {
	if errors.Is(failed, errNoTokens) {
		a.metrics.modelAnswers.WithLabelValues("budget").Inc()
		return errNoTokens, nil
	}
	for name, reason := range llm.Reasons() {
		if errors.Is(failed, reason) {
			a.metrics.modelAnswers.WithLabelValues(name).Inc()
			a.Log.LogAttrs(ctx, slog.LevelWarn, "no answer of the language model", slog.String("request_id", callOf(ctx).id), slog.Any("error", failed))
			return reason, nil
		}
	}
	return nil, failed
}

// noticeOfError says why there are quotes only.
func noticeOfError(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "." + quotesOnly
}

// noticeOf says what was left out of what a model wrote, and of what it was given.
func noticeOf(model string, written, dropped, withheld int) string {
	var parts []string
	switch {
	case written == 0 && dropped == 0:
		parts = append(parts, "The language model "+model+" found no answer in the quotes."+quotesOnly)
	case written == 0:
		parts = append(parts, "Nothing that the language model "+model+" wrote is proved by the quotes."+quotesOnly)
	case dropped > 0:
		parts = append(parts, plural(dropped, "sentence of the language model was", "sentences of the language model were")+" left out, because the quotes do not prove it.")
	}
	if withheld > 0 {
		parts = append(parts, plural(withheld, "quote addresses", "quotes address")+" a language model, and was not given to it.")
	}
	return strings.Join(parts, " ")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// modelAllowed reports whether the caller's team lets the language model write. A team
// without the flag does.
func (a *API) modelAllowed(ctx context.Context) (bool, error) {
	row, err := a.DB.FlagWithKey(ctx, auth.Scope(ctx), modelFlag)
	if fault.KindOf(err) == fault.NotFound {
		return true, nil
	} else if err != nil {
		return false, err
	}
	whole, err := wholeFlag(ctx, a.DB.Queries, row)
	if err != nil {
		return false, err
	}
	subject, err := a.subject(ctx, auth.From(ctx).UserID, nil)
	if err != nil {
		return false, err
	}
	on, _ := whole.rules().Evaluate(subject)
	return on, nil
}

// answerStream sends an answer as events while it comes about, to callers that want it
// so. For others it does nothing.
type answerStream struct {
	call *call // nil where no events are wanted

	mu    sync.Mutex // of writing
	begun *eventStream
	done  chan struct{}
}

func newAnswerStream(ctx context.Context) *answerStream {
	c := callOf(ctx)
	if !strings.Contains(c.r.Header.Get("Accept"), "text/event-stream") {
		c = nil
	}
	return &answerStream{call: c, done: make(chan struct{})}
}

// send sends an event.
func (s *answerStream) send(event string, data any) error {
	if s.call == nil {
		return nil
	}
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun == nil {
		header := s.call.w.Header()
		header.Set("Content-Type", "text/event-stream")
		header.Set("Cache-Control", "no-store")
		header.Set("X-Accel-Buffering", "no") // proxies that would collect a whole answer
		s.call.w.WriteHeader(http.StatusCreated)
		s.begun = &eventStream{w: &s.call.w, control: http.NewResponseController(&s.call.w)}
		go s.beat()
	}
	return s.begun.send("event: " + event + "\ndata: " + string(text) + "\n\n")
}

// beat keeps the connection through the time that a model thinks.
func (s *answerStream) beat() {
	heartbeat := time.NewTicker(heartbeatEvery)
	defer heartbeat.Stop()
	for {
		select {
		case <-s.done:
			return
		case <-heartbeat.C:
			s.mu.Lock()
			select {
			case <-s.done:
			default:
				_ = s.begun.send(": still here\n\n") // the next event has the error
			}
			s.mu.Unlock()
		}
	}
}

// close ends the heartbeat.
func (s *answerStream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.done)
	s.call = nil
}

// finish sends the whole answer, and nothing after it.
func (s *answerStream) finish(sent SentMessage) error { return s.end("message", sent) }

// fail hands on an error, or sends it where the answer has begun.
func (s *answerStream) fail(ctx context.Context, err error) error {
	if s.begun == nil || s.call.w.lost {
		return err
	}
	if e := s.end("error", problem(ctx, err)); e != nil {
		return e
	}
	return err
}

func (s *answerStream) end(event string, data any) error {
	if s.call == nil {
		return nil
	}
	err := s.send(event, data)
	s.call.w.ended = true
	return err
}
