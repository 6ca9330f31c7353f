package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/clausemill/clausemill/blob"
)

// livez reports that the process answers. Nothing else is a reason to restart it.
func (a *API) livez(w http.ResponseWriter, r *http.Request) {
	callOf(r.Context()).operation = "livez"
	writeOK(w)
}

// readyz reports whether requests can be served: Postgres answers, its schema fits
// this program, and the file store is that of the installation.
func (a *API) readyz(w http.ResponseWriter, r *http.Request) {
	callOf(r.Context()).operation = "readyz"
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
