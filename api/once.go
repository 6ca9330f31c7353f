package api

import (
	"context"
	"crypto/sha256"
	"encoding/json"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// OnceKey makes it safe to repeat a request that creates something.
type OnceKey struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"255" doc:"A repeated request with the same key and body within a day gets the first answer"`
}

// secretive is an answer with a secret that is shown only once. It is stored without
// the secret.
type secretive interface{ withoutSecret() any }

// unstored forbids caches to store an answer with a secret.
func unstored(ctx context.Context) { callOf(ctx).w.Header().Set("Cache-Control", "no-store") }

// once runs do, unless a request with the same key did so before: then it returns that
// request's answer. Another body with the same key is Invalid.
func once[T any](ctx context.Context, tx *db.Tx, operation string, k OnceKey, body any, do func() (T, error)) (T, error) {
	if k.IdempotencyKey == "" {
		return do()
	}
	var out T
	text, err := json.Marshal(body)
	if err != nil {
		return out, err
	}
	hash := sha256.Sum256(text)
	scope := auth.Scope(ctx)
	before, err := tx.Idempotent(ctx, scope, operation, k.IdempotencyKey, hash[:])
	if err != nil {
		return out, err
	}
	if before != nil {
		return out, json.Unmarshal(before, &out)
	}
	if out, err = do(); err != nil {
		return out, err
	}
	var answer any = out
	if s, ok := answer.(secretive); ok {
		answer = s.withoutSecret()
	}
	if text, err = json.Marshal(answer); err != nil {
		return out, err
	}
	return out, tx.RememberAnswer(ctx, scope, operation, k.IdempotencyKey, text)
}
