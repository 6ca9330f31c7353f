package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/clausemill/clausemill/blob"
)

// errDraining has load balancers look away before the process ends.
var errDraining = newError(http.StatusServiceUnavailable, "this process is about to end, and answers what is still sent to it")

// livez reports that the process answers. Nothing else is a reason to restart it.
func (a *API) livez(w http.ResponseWriter, r *http.Request) {
	callOf(r.Context()).probe = true
	writeOK(w)
}

// readyz reports whether requests can be served: Postgres answers, its schema fits
// this program, the file store is that of the installation, and the process is not
// about to end.
func (a *API) readyz(w http.ResponseWriter, r *http.Request) {
	callOf(r.Context()).probe = true
	if a.drains() {
		writeError(w, errDraining)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	err := a.DB.Fits(ctx)
	if store := a.Blobs.Check(ctx); err == nil && errors.Is(store, blob.ErrForeign) { // without any store much can be served
		err = store
	}
	if err != nil {
		writeError(w, problem(r.Context(), err))
		return
	}
	writeOK(w)
}

func writeOK(w http.ResponseWriter) {
	w.Header().Set("Content-Type", jsonType)
	_, _ = io.WriteString(w, `{"status":"ok"}`+"\n") // an error means that the prober has gone
}
