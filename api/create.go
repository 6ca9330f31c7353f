package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/db"
)

func (k OnceKey) key() OnceKey { return k }

// create registers a POST that makes something in one transaction, once for each
// Idempotency-Key. The answer is 201, with the address of what was made.
func create[I interface{ key() OnceKey }, O interface{ address() string }](
	a *API, area huma.API, path, summary string, h func(ctx context.Context, tx *db.Tx, in *I) (O, error), with ...option,
) {
	made := func(ctx context.Context, in *I) (out O, err error) {
		err = a.DB.InTx(ctx, func(tx *db.Tx) error {
			out, err = once(ctx, tx, path, (*in).key(), in, func() (O, error) { return h(ctx, tx, in) })
			return err
		})
		if err == nil {
			callOf(ctx).w.Header().Set("Location", out.address())
		}
		return out, err
	}
	post(area, path, summary, made, append([]option{status(http.StatusCreated)}, with...)...)
}
