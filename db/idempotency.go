package db

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/clausemill/clausemill/fault"
)

// Idempotent looks up the idempotency key of a creating request. The first call of a
// caller with a key returns nil, and the request is executed; a later one returns the
// stored answer. Keys belong to their caller. Two concurrent calls wait for one
// another. The same key with another body is Invalid.
func (t *Tx) Idempotent(ctx context.Context, in Scope, operation, key string, bodyHash []byte) (json.RawMessage, error) {
	type row struct {
		BodyHash []byte          `db:"body_hash"`
		Response json.RawMessage `db:"response"`
	}
	a := args{"team": in.TeamID, "actor": in.ActorID, "operation": operation, "key": key, "hash": bodyHash}
	n, err := exec(ctx, t.Queries, `
		INSERT INTO idempotency_keys (team_id, actor_id, operation, key, body_hash) VALUES (@team, @actor, @operation, @key, @hash)
		ON CONFLICT DO NOTHING`, a)
	if err != nil || n == 1 {
		return nil, err
	}
	first, err := one[row](ctx, t.Queries, `
		SELECT body_hash, response FROM idempotency_keys WHERE team_id = @team AND actor_id = @actor AND operation = @operation AND key = @key`, a)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(first.BodyHash, bodyHash) {
		return nil, fault.New(fault.Invalid, "this Idempotency-Key was used with another body")
	}
	return first.Response, nil
}

// Repeated reports whether a caller has used an idempotency key before.
func (q Queries) Repeated(ctx context.Context, in Scope, operation, key string) (bool, error) {
	return value[bool](ctx, q, `
		SELECT EXISTS (SELECT FROM idempotency_keys WHERE team_id = @team AND actor_id = @actor AND operation = @operation AND key = @key)`,
		args{"team": in.TeamID, "actor": in.ActorID, "operation": operation, "key": key})
}

// RememberAnswer keeps the answer to a key that Idempotent has just taken.
func (t *Tx) RememberAnswer(ctx context.Context, in Scope, operation, key string, response json.RawMessage) error {
	return change(ctx, t.Queries, `
		UPDATE idempotency_keys SET response = @response WHERE team_id = @team AND actor_id = @actor AND operation = @operation AND key = @key`,
		args{"team": in.TeamID, "actor": in.ActorID, "operation": operation, "key": key, "response": response})
}
