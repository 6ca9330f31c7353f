package db

import (
	"context"
	"time"
)

// CreateOrganization makes an organization with its maker as the admin.
func (t *Tx) CreateOrganization(ctx context.Context, name, userID string) (Team, error) {
	team, err := t.createTeam(ctx, OrganizationTeam, name)
	if err != nil {
		return Team{}, err
	}
	if err := t.AddMember(ctx, team.ID, userID, Admin); err != nil {
		return Team{}, err
	}
	in := Scope{TeamID: team.ID, ActorKind: "user", ActorID: userID}
	return team, t.Audit(ctx, in, "team.created", "team", team.ID, nil)
}

// Team is the team of the scope.
func (q Queries) Team(ctx context.Context, in Scope) (Team, error) {
	return one[Team](ctx, q, `SELECT `+teamColumns+` FROM teams WHERE id = @team`, args{"team": in.TeamID})
}

// SetTeamIcon keeps a PNG as the team's icon.
func (t *Tx) SetTeamIcon(ctx context.Context, in Scope, png []byte) error {
	_, err := exec(ctx, t.Queries, `
		INSERT INTO team_icons (team_id, png) VALUES (@team, @png)
		ON CONFLICT (team_id) DO UPDATE SET png = excluded.png, updated_at = now()`, args{"team": in.TeamID, "png": png})
	if err != nil {
		return err
	}
	return t.Audit(ctx, in, "team.icon_changed", "team", in.TeamID, nil)
}

// TeamIcon is the team's icon, a PNG; NotFound where it has none.
func (q Queries) TeamIcon(ctx context.Context, in Scope) ([]byte, error) {
	return value[[]byte](ctx, q, `SELECT png FROM team_icons WHERE team_id = @team`, args{"team": in.TeamID})
}

// TeamStatus is what a team has and waits for.
type TeamStatus struct {
	Members       int            `db:"members"`
	Storage       int64          `db:"storage"` // bytes of all versions of the files; one that was restored has those of an earlier one
	Files         int            `db:"files"`
	FilesByStatus map[string]int `db:"files_by_status"`
	QueueDepth    int            `db:"queue_depth"`    // jobs that have not ended
	OldestWaiting *time.Time     `db:"oldest_waiting"` // when the oldest job that no worker has begun was asked for
}

// TeamStatus measures the team.
func (q Queries) TeamStatus(ctx context.Context, in Scope) (TeamStatus, error) {
	return one[TeamStatus](ctx, q, `
		WITH counted AS (SELECT status, count(*) AS files FROM files WHERE team_id = @team`+in.sees("files")+` GROUP BY status),
		waiting AS (
			SELECT count(*) AS depth, min(created_at) FILTER (WHERE state IN ('pending', 'available', 'scheduled', 'retryable')) AS oldest
			FROM river_job
			WHERE state IN ('pending', 'available', 'scheduled', 'retryable', 'running') AND args->>'team_id' = @team::uuid::text
		)
		SELECT (SELECT count(*) FROM members WHERE team_id = @team::uuid) AS members,
			(SELECT coalesce(sum(size), 0)::bigint FROM file_versions WHERE team_id = @team AND restored_from IS NULL) AS storage,
			(SELECT coalesce(sum(files), 0)::int FROM counted) AS files,
			(SELECT coalesce(jsonb_object_agg(status, files), '{}') FROM counted) AS files_by_status,
			depth AS queue_depth, oldest AS oldest_waiting
		FROM waiting`, in.args(args{}))
}
