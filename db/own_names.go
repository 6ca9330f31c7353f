package db

import (
	"context"
	"time"
)

// OwnNames are the names under which a team makes contracts. Whoever of the parties of a
// file is none of them is a counterparty.
type OwnNames struct {
	Names  []string `db:"own_names"`
	Source *string  `db:"own_names_source"` // nil where nobody has set names, and none were learned
}

// The sources of own names.
const (
	NamesGiven   = "given"   // by users, no name included
	NamesLearned = "learned" // from who is on most contracts
)

const ownNames = `own_names, own_names_source`

// OwnNames is under which names the team makes contracts.
func (q Queries) OwnNames(ctx context.Context, in Scope) (OwnNames, error) {
	return one[OwnNames](ctx, q, `SELECT `+ownNames+` FROM teams WHERE id = @team`, args{"team": in.TeamID})
}

// SetOwnNames changes the names that a team has set; none says that no party is the team.
// ReadParties brings its files up to date. It waits for files that are being read with
// the names of before, and those that follow are read with the new ones: rows of a
// team's files hold its row FOR KEY SHARE.
func (t *Tx) SetOwnNames(ctx context.Context, in Scope, names []string) error {
	if err := t.holdTeam(ctx, in); err != nil {
		return err
	}
	if _, err := exec(ctx, t.Queries, `UPDATE teams SET own_names = coalesce(@names::text[], '{}'), own_names_source = @source WHERE id = @team`,
		args{"team": in.TeamID, "names": names, "source": NamesGiven}); err != nil {
		return err
	}
	return t.Audit(ctx, in, "team.names_set", "team", in.TeamID, map[string]any{"names": len(names)})
}

// holdTeam locks a team against whatever writes rows of it.
func (t *Tx) holdTeam(ctx context.Context, in Scope) error {
	_, err := exec(ctx, t.Queries, `SELECT FROM teams WHERE id = @team FOR UPDATE`, args{"team": in.TeamID})
	return err
}

// LearnOwnName keeps the name that a team was found under, and reports whether nobody
// had set or learned one.
func (t *Tx) LearnOwnName(ctx context.Context, in Scope, name string) (bool, error) {
	if err := t.holdTeam(ctx, in); err != nil {
		return false, err
	}
	n, err := exec(ctx, t.Queries, `
		UPDATE teams SET own_names = ARRAY[@name::text], own_names_source = @source WHERE id = @team AND own_names_source IS NULL`,
		args{"team": in.TeamID, "name": name, "source": NamesLearned})
	if err != nil || n == 0 {
		return false, err
	}
	return true, t.Audit(ctx, in, "team.name_learned", "team", in.TeamID, nil)
}

// ReadParties tells the parties of files from the counterparties among them, as it is done
// when a file is read.
func (t *Tx) ReadParties(ctx context.Context, in Scope, fileIDs []string) error {
	return t.readParties(ctx, in, fileIDs...)
}

// TeamsWithoutNames lists the teams that nobody has set or learned names for, and that
// have had files read since.
func (q Queries) TeamsWithoutNames(ctx context.Context, since time.Time) ([]string, error) {
	return values[string](ctx, q, `
		SELECT t.id::text FROM teams t
		WHERE t.own_names_source IS NULL AND EXISTS (SELECT FROM files f WHERE f.team_id = t.id AND f.progress_at >= @since AND f.text_ready)
		ORDER BY t.id`, args{"since": since})
}

// NamedParty is a party of the team's newest contracts.
type NamedParty struct {
	Name  string `db:"name"`  // as it is mostly written
	Files int    `db:"files"` // of the Of newest that it is on
	Of    int    `db:"of"`
}

// FrequentParties lists who is on most of the newest contracts with parties, at most limit.
// No more than sample contracts are looked at.
func (q Queries) FrequentParties(ctx context.Context, in Scope, sample, limit int) ([]NamedParty, error) {
	return many[NamedParty](ctx, q, `
		WITH newest AS MATERIALIZED (
			SELECT DISTINCT a.file_id FROM attributes a
			WHERE a.team_id = @team AND a.key = 'party' AND a.level = 'file'`+in.seesFile("a.file_id")+` ORDER BY a.file_id DESC LIMIT @sample
		), named AS (
			SELECT a.file_id, left(coalesce(nullif(a.normalized ->> 'name', ''), a.value), 200) AS name
			FROM newest n JOIN attributes a ON a.file_id = n.file_id AND a.team_id = @team AND a.level = 'file' AND a.key = 'party'
		)
		SELECT mode() WITHIN GROUP (ORDER BY name) AS name, count(DISTINCT file_id) AS files, (SELECT count(*) FROM newest) AS of
		FROM named GROUP BY bare(name) ORDER BY files DESC, name LIMIT @limit`,
		in.args(args{"sample": sample, "limit": limit}))
}
