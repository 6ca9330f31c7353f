package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

func (k OnceKey) key() OnceKey { return k }

// create registers a POST that creates something in one transaction, once for each
// Idempotency-Key. The answer is 201, with the new thing's address in Location.
func create[I interface{ key() OnceKey }, O interface{ address() string }](
	a *API, area huma.API, path, id, summary string, h func(ctx context.Context, tx *db.Tx, in *I) (O, error), with ...option,
) {
	made := func(ctx context.Context, in *I) (out O, err error) {
		err = a.DB.InTx(ctx, func(tx *db.Tx) error {
			out, err = once(ctx, tx, path, (*in).key(), in, func() (O, error) { return h(ctx, tx, in) })
			return err
		})
		if err == nil {
			callOf(ctx).w.Header().Set("Location", out.address())
			if hiding, ok := any(out).(interface{ hides() bool }); ok && hiding.hides() {
				a.auth.ForgetTeam(auth.Scope(ctx).TeamID)
			}
		}
		return out, err
	}
	post(area, path, id, summary, made, append([]option{status(http.StatusCreated)}, with...)...)
}

// inTx runs do in one transaction, and answers with the row that it returns.
func inTx[R, O any](ctx context.Context, a *API, convert func(R) O, do func(tx *db.Tx, in db.Scope) (R, error)) (O, error) {
	var row R
	err := a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		row, err = do(tx, auth.Scope(ctx))
		return err
	})
	return convert(row), err
}
