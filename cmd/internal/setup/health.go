package setup

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"sync"
	"time"
)

// health has the state of the dependencies of a process. They are checked in the
// background, so that probes are answered at once.
type health struct {
	log *slog.Logger

	mu     sync.Mutex
	checks map[string]string // what is wrong, by name; "" where nothing is
}

const (
	checkEvery   = 5 * time.Second
	checkTimeout = 10 * time.Second

	// recogniserEvery is seldom, since each look starts a child.
	recogniserEvery = 30 * time.Second
)

func newHealth(log *slog.Logger) *health { return &health{log: log, checks: map[string]string{}} }

// starting is what is wrong with what has only begun.
const starting = "starting"

// errSilent is of a look that did not come back.
var errSilent = errors.New("no answer in time")

// keep checks the dependency name with probe until ctx ends.
func (h *health) keep(ctx context.Context, name string, every time.Duration, probe func(ctx context.Context) error) {
	h.set(ctx, name, starting)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		h.look(ctx, name, probe)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (h *health) look(ctx context.Context, name string, probe func(ctx context.Context) error) {
	limited, cancel := context.WithTimeoutCause(ctx, checkTimeout, errSilent)
	defer cancel()
	err := probe(limited)
	if ctx.Err() != nil {
		return // the process ends
	}
	if limited.Err() != nil {
		err = context.Cause(limited)
	}
	said := ""
	if err != nil {
		said = err.Error() // for operators: the cause is what they want
	}
	h.set(ctx, name, said)
}

// set notes what is wrong with name, and logs when that begins and ends.
func (h *health) set(ctx context.Context, name, wrong string) {
	h.mu.Lock()
	before, known := h.checks[name]
	h.checks[name] = wrong
	h.mu.Unlock()
	switch {
	case !known || wrong == starting:
	case wrong != "" && (before == "" || before == starting):
		h.log.WarnContext(ctx, "not ready", slog.String("check", name), slog.String("error", wrong))
	case wrong == "" && before != "" && before != starting:
		h.log.InfoContext(ctx, "ready again", slog.String("check", name))
	}
}

// readiness is the answer of /readyz.
type readiness struct {
	Status string            `json:"status"` // ok, or unavailable
	Checks map[string]string `json:"checks"` // ok, or what is wrong
}

func (h *health) readiness() readiness {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := readiness{Status: "ok", Checks: maps.Clone(h.checks)}
	if len(r.Checks) == 0 {
		r.Status = "unavailable" // it has only just begun
	}
	for name, wrong := range r.Checks {
		if wrong == "" {
			r.Checks[name] = "ok"
		} else {
			r.Status = "unavailable"
		}
	}
	return r
}

// readyz is the readiness probe: it reports whether this process can do its work.
func (h *health) readyz(w http.ResponseWriter, _ *http.Request) {
	r := h.readiness()
	w.Header().Set("Content-Type", "application/json")
	if r.Status != "ok" {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(r) // the prober has gone; nothing is left to tell
}

// livez says that the process answers; nothing else should restart it.
func livez(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"status":"ok"}` + "\n")) // likewise
}
