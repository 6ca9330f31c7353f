package api

import (
	"context"
	"io"
	"net/http"
	"time"
)

// healthz says that the process answers; nothing else should restart it.
func (a *API) healthz(w http.ResponseWriter, r *http.Request) {
	callOf(r.Context()).operation = "healthz"
	writeOK(w)
}

// readyz says that requests can be served: Postgres answers, and with a schema
// that this program can work with.
func (a *API) readyz(w http.ResponseWriter, r *http.Request) {
	callOf(r.Context()).operation = "readyz"
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	if err := a.DB.Fits(ctx); err != nil {
		writeError(w, problem(r.Context(), err))
		return
	}
	writeOK(w)
}

func writeOK(w http.ResponseWriter) {
	w.Header().Set("Content-Type", jsonType)
	_, _ = io.WriteString(w, `{"status":"ok"}`+"\n") // the prober has gone; nothing is left to tell
}
