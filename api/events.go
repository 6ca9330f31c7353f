package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// events serves the event stream of the caller's team.
func (a *API) events() {
	session := a.area("Events", withSession)
	raw(session, http.MethodGet, "/api/events", "streamEvents", "Stream events of the team", a.streamEvents, produces("text/event-stream"), streamed, describe(
		"Streams events of the team as server-sent events, each with its data as JSON: "+strings.Join(eventKinds(func(db.EventType) bool { return true }), ", ")+
			". The events notification.created and notification.updated are sent to the user concerned only; chat.message_added, chat.message_edited and chat.message_deleted, with the ids of "+
			"the message and its chat (`id`, `chatId`), to participants of the chat; chat.read to the user who read it. A client that reconnects with `Last-Event-ID` gets all events since then, up to one day."))
}

const (
	heartbeatEvery = 15 * time.Second // below the minute after which proxies give up
	writeTimeout   = 30 * time.Second
	eventBatch     = 100
)

type eventsRequest struct {
	LastEventID string `header:"Last-Event-ID" doc:"Id of the last event that was received"`
}

// streamed has ogen hand the stream on: what it makes to parse one does not compile
// where errors are typed.
func streamed(op *huma.Operation) {
	op.Responses["200"].Content["text/event-stream"].Extensions = map[string]any{"x-ogen-raw-response": true}
}

func (a *API) streamEvents(ctx context.Context, in *eventsRequest, w http.ResponseWriter, r *http.Request) error {
	scope := auth.Scope(ctx)
	waiter, err := a.wait(ctx, scope.TeamID)
	if err != nil {
		return err
	}
	defer waiter.done()
	at, err := strconv.ParseInt(in.LastEventID, 10, 64)
	if err != nil {
		if at, err = a.DB.LastEvent(ctx, scope); err != nil {
			return err
		}
	}
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no") // proxies that would collect a whole answer
	stream := &eventStream{w: w, control: http.NewResponseController(w)}
	if err := stream.send("retry: 1000\n\n"); err != nil {
		return err
	}
	return a.followEvents(ctx, at, stream, waiter, r)
}

// followEvents sends the events after at until the caller disconnects.
func (a *API) followEvents(ctx context.Context, at int64, stream *eventStream, waiter *waiter, r *http.Request) (err error) {
	scope := auth.Scope(ctx)
	heartbeat := time.NewTicker(heartbeatEvery)
	defer heartbeat.Stop()
	for {
		if at, err = a.sendEvents(ctx, scope, at, stream); err != nil {
			return err
		}
		select {
		case <-waiter.C:
		case <-heartbeat.C:
			if err := stream.send(": still here\n\n"); err != nil {
				return err
			}
		case <-a.hub.closed:
			return nil
		case <-ctx.Done():
			return nil
		}
		// The caller's permissions may have changed. The result is cached, so this
		// costs nothing.
		p, err := a.authenticate(r)
		if err != nil || p.Kind == auth.Nobody {
			return nil //nolint:nilerr // signed out: the stream ends, and a new one is refused
		}
		scope = p.Scope()
	}
}

// newsKey is a caller, and the last event that was sent to it.
type newsKey struct {
	who   string // a db.Scope
	after int64
}

// newNews reads events once for all streams of one caller, since each event wakes all
// of them.
func newNews(d *db.DB) *batcher[newsKey, db.Scope, []db.Event] {
	return newBatcher(func(ctx context.Context, key newsKey, asked []db.Scope) ([][]db.Event, error) {
		list, err := d.Events(ctx, asked[0], key.after, eventBatch)
		return slices.Repeat([][]db.Event{list}, len(asked)), err
	})
}

// sendEvents sends the events after at, and returns the last one sent.
func (a *API) sendEvents(ctx context.Context, scope db.Scope, at int64, stream *eventStream) (int64, error) {
	for {
		list, err := a.news.do(ctx, newsKey{fmt.Sprint(scope), at}, scope)
		if err != nil {
			return at, err
		}
		if at, err = stream.sendAll(list, at); err != nil || len(list) < eventBatch {
			return at, err
		}
	}
}

// eventStream writes to a client, with a deadline in case it has stopped reading.
type eventStream struct {
	w       io.Writer
	control *http.ResponseController
}

func (s *eventStream) send(text string) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // where there is no connection there is no deadline
	if _, err := io.WriteString(s.w, text); err != nil {
		return err
	}
	return s.control.Flush()
}

// sendAll sends events, and returns the last one sent, or at if there are none.
func (s *eventStream) sendAll(list []db.Event, at int64) (int64, error) {
	for _, e := range list {
		at = e.ID
		if err := s.send(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", e.ID, e.Kind, e.Data)); err != nil {
			return at, err
		}
	}
	return at, nil
}
