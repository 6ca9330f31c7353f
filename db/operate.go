package db

import (
	"context"
	"time"
)

// This file has what operators ask of all teams, at the command line.

// Unindex marks the texts of one file, of a team or, where both are "", of all teams
// as not indexed, and returns how many there are. A reconciliation of the index
// indexes them again.
func (t *Tx) Unindex(ctx context.Context, teamID, fileID string) (int, error) {
	n, err := exec(ctx, t.Queries, `
		UPDATE files f SET indexed_generation = 0, indexed_label_generation = 0
		WHERE text_ready AND NOT `+inTrash("f")+`
			AND (@team::uuid IS NULL OR team_id = @team) AND (@file::uuid IS NULL OR id = @file)`,
		args{"team": nullable(teamID), "file": nullable(fileID)})
	return int(n), err
}

// FilePlace says whose a file is.
type FilePlace struct {
	TeamID  string  `db:"team_id"`
	Name    string  `db:"name"`
	TrashID *string `db:"trash_id"` // of a file in the trash
}

// WhereFileIs finds a file of any team, in the trash or not.
func (q Queries) WhereFileIs(ctx context.Context, id string) (FilePlace, error) {
	return one[FilePlace](ctx, q, `
		SELECT coalesce(x.team_id, f.team_id)::text AS team_id, f.name, x.id::text AS trash_id
		FROM files f LEFT JOIN trash x ON x.id = f.team_id WHERE f.id = @id`, args{"id": id})
}

// TeamSummary is a team as its operator sees it.
type TeamSummary struct {
	ID        string    `db:"id" json:"id"`
	Kind      string    `db:"kind" json:"kind"`
	Name      string    `db:"name" json:"name"`
	Members   int       `db:"members" json:"members"`
	Files     int       `db:"files" json:"files"`
	CreatedAt time.Time `db:"created_at" json:"createdAt"`
}

// AllTeams lists every team of the installation by name.
func (q Queries) AllTeams(ctx context.Context) ([]TeamSummary, error) {
	return many[TeamSummary](ctx, q, `
		SELECT id::text, kind, name, created_at,
			(SELECT count(*) FROM members m WHERE m.team_id = t.id) AS members,
			(SELECT count(*) FROM files f WHERE f.team_id = t.id) AS files
		FROM teams t WHERE kind <> 'trash' ORDER BY name, id`, nil)
}

// ServerVersion is the version of Postgres, such as 17.2.
func (q Queries) ServerVersion(ctx context.Context) (string, error) {
	return value[string](ctx, q, `SHOW server_version`, nil)
}
