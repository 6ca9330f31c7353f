package api

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// Creation is part of the request of whatever makes something.
type Creation struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"The same request with the same key within a day makes nothing more and is answered the same again"`
}

func (c Creation) key() string { return c.IdempotencyKey }

// create registers a POST that makes something in one transaction, once for each
// Idempotency-Key. The answer is 201, with the address of what was made.
func create[I interface{ key() string }, O interface{ address() string }](
	a *API, area huma.API, path, summary string, h func(ctx context.Context, tx *db.Tx, in *I) (O, error), with ...option,
) {
	once := func(ctx context.Context, in *I) (out O, err error) {
		err = a.DB.InTx(ctx, func(tx *db.Tx) error {
			out, err = idempotent(ctx, tx, path, in, h)
			return err
		})
		if err == nil {
			callOf(ctx).w.Header().Set("Location", out.address())
		}
		return out, err
	}
	post(area, path, summary, once, append([]option{status(http.StatusCreated)}, with...)...)
}

// idempotent is what h makes of in, or the first answer again where the key of
// in was seen before with all of the same.
func idempotent[I interface{ key() string }, O any](
	ctx context.Context, tx *db.Tx, operation string, in *I, h func(ctx context.Context, tx *db.Tx, in *I) (O, error),
) (out O, err error) {
	key := (*in).key()
	if key == "" {
		return h(ctx, tx, in)
	}
	meant, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	hash := sha256.Sum256(meant)
	first, err := tx.Idempotent(ctx, auth.Scope(ctx), operation, key, hash[:])
	if err != nil {
		return out, err
	}
	if first != nil {
		return out, json.Unmarshal(first, &out)
	}
	if out, err = h(ctx, tx, in); err != nil {
		return out, err
	}
	answer, err := json.Marshal(out)
	if err != nil {
		return out, err
	}
	return out, tx.RememberAnswer(ctx, auth.Scope(ctx), operation, key, answer)
}
