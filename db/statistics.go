package db

import "context"

// AnalyzeGrown has Postgres look anew at the tables that are several times as large as when
// it last did, and returns how many those were; tables of another owner are left to Postgres. What is prepared while a table is small goes
// over all of it, however large it gets, until its statistics change; Postgres looks by
// itself only each minute, and thousands of files come in between.
func (d *DB) AnalyzeGrown(ctx context.Context) (int, error) {
	const few, times = "500", "4"
	grown, err := values[string](ctx, d.Queries, `
		SELECT format('%I.%I', s.schemaname, s.relname) FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
		WHERE s.schemaname = current_schema() AND pg_has_role(c.relowner, 'USAGE')
			AND s.n_mod_since_analyze > `+few+` AND s.n_live_tup > `+few+` + `+times+` * greatest(c.reltuples, 0) ORDER BY s.relid`, nil)
	if err != nil {
		return 0, err
	}
	for _, table := range grown {
		if _, err := exec(ctx, d.Queries, `ANALYZE (SKIP_LOCKED) `+table, nil); err != nil {
			return 0, err
		}
	}
	return len(grown), nil
}
