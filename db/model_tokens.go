package db

import (
	"context"
	"math"
)

// today is the day by which tokens are counted.
const today = `(now() AT TIME ZONE 'UTC')::date`

// ReserveTokens takes n tokens of the language model for an answer of the team's, out of
// those that it may use in a day; 0 is no limit. "" means that they are used up, else it
// is the day that they are taken from. SettleTokens gives back what was not used.
func (q Queries) ReserveTokens(ctx context.Context, in Scope, n, budget int) (day string, err error) {
	if budget == 0 {
		budget = math.MaxInt
	}
	list, err := values[string](ctx, q, `
		INSERT INTO model_tokens AS m (team_id, day, tokens) SELECT @team::uuid, `+today+`, @n::bigint WHERE @n::bigint <= @budget::bigint
		ON CONFLICT (team_id) DO UPDATE
			SET day = excluded.day, tokens = excluded.tokens + CASE WHEN m.day = excluded.day THEN m.tokens ELSE 0 END
			WHERE m.day <> excluded.day OR m.tokens <= @budget::bigint - excluded.tokens
		RETURNING day::text`, args{"team": in.TeamID, "n": n, "budget": budget})
	if err != nil || len(list) == 0 {
		return "", err
	}
	return list[0], nil
}

// SettleTokens notes how many of the tokens that were reserved on a day an answer used.
func (q Queries) SettleTokens(ctx context.Context, in Scope, day string, reserved, used int) error {
	_, err := exec(ctx, q, `UPDATE model_tokens SET tokens = greatest(0, tokens + @more::bigint) WHERE team_id = @team AND day = @day::text::date`,
		args{"team": in.TeamID, "day": day, "more": used - reserved})
	return err
}

// TokensToday is how many tokens of the language model the team has used today.
func (q Queries) TokensToday(ctx context.Context, in Scope) (int, error) {
	list, err := values[int](ctx, q, `SELECT tokens FROM model_tokens WHERE team_id = @team AND day = `+today, args{"team": in.TeamID})
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[0], nil
}
