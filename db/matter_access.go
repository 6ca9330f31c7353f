package db

import (
	"context"
	"slices"

	"github.com/clausemill/clausemill/fault"
)

// MatterAccess is who in the team sees a matter and what is in it.
type MatterAccess string

// The kinds of access.
const (
	MatterOpen       MatterAccess = "open"       // everybody
	MatterRestricted MatterAccess = "restricted" // those listed on it
)

// MatterAccesses lists them.
func MatterAccesses() []MatterAccess { return []MatterAccess{MatterOpen, MatterRestricted} }

// Steward reports whether in's actor decides who sees a matter: its owner, its
// creator, and admins, of those who see it themselves.
func (m Matter) Steward(in Scope) bool {
	user := in.UserID()
	return in.Admin || user != "" && (text(m.OwnerID) == user || text(m.CreatedBy) == user)
}

// setAccess opens or restricts a matter and lists people on it, as c says. Who
// restricts it is listed without being named; on a restricted matter there is a
// person always.
func (t *Tx) setAccess(ctx context.Context, in Scope, before Matter, c MatterChange) error {
	if c.Access == nil && c.People == nil {
		return nil
	}
	if !before.Steward(in) {
		return fault.New(fault.Forbidden, "who sees a matter is decided by its owner, its creator and admins")
	}
	access := before.Access
	if c.Access != nil {
		access = *c.Access
	}
	if access == MatterOpen && c.People != nil && len(*c.People) > 0 {
		return fault.New(fault.Invalid, "people are listed on restricted matters only; set access to restricted")
	}
	people := before.People
	if c.People != nil {
		people = *c.People
	}
	if user := in.UserID(); before.Access == MatterOpen && user != "" && !slices.Contains(people, user) {
		people = append(slices.Clone(people), user)
	}
	if access == MatterOpen {
		people = nil
		if err := t.takeOffPrograms(ctx, in, before.ID); err != nil {
			return err
		}
	}
	if err := t.listPeople(ctx, in, before.ID, people, access == MatterRestricted); err != nil {
		return err
	}
	a := args{"id": before.ID, "team": in.TeamID, "access": string(access)}
	if err := change(ctx, t.Queries, `UPDATE matters SET access = @access WHERE id = @id AND team_id = @team`, a); err != nil {
		return err
	}
	if access != before.Access {
		if err := t.renewShared(ctx, in, `f.matter_id = @matter`, before.ID); err != nil {
			return err
		}
	}
	return t.refreshTeam(ctx, in.TeamID)
}

// listPeople replaces the access list of a matter: members of the team and keys of
// the organization. Others are Invalid, and so is a list without a person if one is
// needed.
func (t *Tx) listPeople(ctx context.Context, in Scope, matterID string, people []string, needed bool) error {
	people = append([]string{}, slices.Compact(slices.Sorted(slices.Values(people)))...) // nobody is no NULL
	a := args{"id": matterID, "team": in.TeamID, "people": people, "by": nullable(in.UserID())}
	if _, err := exec(ctx, t.Queries, `DELETE FROM matter_people WHERE matter_id = @id AND coalesce(user_id, key_id) <> ALL(@people::uuid[])`, a); err != nil {
		return err
	}
	if _, err := exec(ctx, t.Queries, `
		INSERT INTO matter_people (matter_id, team_id, user_id, added_by)
		SELECT @id, @team, user_id, @by FROM members WHERE team_id = @team AND user_id = ANY(@people::uuid[]) ON CONFLICT DO NOTHING`, a); err != nil {
		return err
	}
	if _, err := exec(ctx, t.Queries, `
		INSERT INTO matter_people (matter_id, team_id, key_id, added_by)
		SELECT @id, @team, id, @by FROM api_keys WHERE team_id = @team AND kind = 'organization' AND id = ANY(@people::uuid[]) ON CONFLICT DO NOTHING`, a); err != nil {
		return err
	}
	type listed struct {
		All   int `db:"listed"`
		Users int `db:"users"`
	}
	n, err := one[listed](ctx, t.Queries, `SELECT count(*) AS listed, count(user_id) AS users FROM matter_people WHERE matter_id = @id`, a)
	switch {
	case err != nil:
		return err
	case n.All < len(people):
		return fault.New(fault.Invalid, "people names somebody who is neither a member of this team nor one of its keys")
	case needed && n.Users == 0:
		return fault.New(fault.Invalid, "people must name a member: nobody would see the matter otherwise")
	}
	return nil
}

// refreshTeam has the caches ask again what those in a team may see.
func (q Queries) refreshTeam(ctx context.Context, teamID string) error {
	_, err := exec(ctx, q, `SELECT pg_notify('`+RevokedChannel+`', @team)`, args{"team": teamID})
	return err
}

// renewShared updates the data that the whole team sees after the visibility of some
// files changed. They have the alias f: which is a condition on them, with @matter or
// @file as value. Words of files in restricted matters are not in the vocabulary, and
// no file is shown as a copy of one that its readers may not see.
func (t *Tx) renewShared(ctx context.Context, in Scope, which, id string) error {
	a := args{"team": in.TeamID, "matter": id, "file": id}
	// Who writes the text of a file holds it: the words are counted before, or as
	// the file is seen from now on. Nobody refers to it meanwhile.
	if err := t.holdReferring(ctx, `f.team_id = @team AND `+which, a, func() error {
		_, err := exec(ctx, t.Queries, `SELECT FROM files f WHERE f.team_id = @team AND `+which+` ORDER BY f.id FOR UPDATE`, a)
		return err
	}); err != nil {
		return err
	}
	if _, err := exec(ctx, t.Queries, `
		WITH changed AS (
			UPDATE file_tokens k SET counted = NOT k.counted FROM files f
			WHERE f.id = k.file_id AND f.team_id = @team AND `+which+` AND k.counted <> `+seenBeside("f", "NULL")+`
			RETURNING k.team_id, k.words, k.tokens, k.counted
		)
		INSERT INTO vocabulary_changes (team_id, words, stems, files)
		SELECT team_id, words, ARRAY(SELECT e ->> 'stem' FROM jsonb_array_elements(tokens) e), CASE WHEN counted THEN 1 ELSE -1 END FROM changed`, a); err != nil {
		return err
	}
	// Who writes a copy may wait for the file, so that nobody waits for the copy.
	late, err := value[bool](ctx, t.Queries, `
		WITH other AS MATERIALIZED (
			SELECT o.id, (SELECT f.id FROM files f WHERE f.team_id = @team AND f.sha256 = o.sha256 AND f.id < o.id
				AND `+seenBeside("f", "o.matter_id")+` ORDER BY f.id LIMIT 1) AS original
			FROM files f JOIN files o ON o.team_id = @team AND o.sha256 = f.sha256
			WHERE f.team_id = @team AND `+which+`
		), wanted AS (
			SELECT DISTINCT c.id, other.original FROM files c JOIN other ON c.id = other.id WHERE c.duplicate_of IS DISTINCT FROM other.original
		), held AS (
			SELECT id FROM files WHERE id IN (SELECT id FROM wanted) FOR NO KEY UPDATE SKIP LOCKED
		), changed AS (
			UPDATE files c SET duplicate_of = w.original FROM wanted w JOIN held h ON h.id = w.id WHERE c.id = w.id RETURNING c.id
		)
		SELECT (SELECT count(*) FROM wanted) > (SELECT count(*) FROM changed)`, a)
	if err == nil && late {
		err = errLate
	}
	return err
}

// needSeer is Invalid where a user may not see what they would be assigned to.
func (t *Tx) needSeer(ctx context.Context, in Scope, to Assignee, userID string) error {
	hidden, err := value[bool](ctx, t.Queries, `
		SELECT coalesce(@matter::uuid, (SELECT matter_id FROM files WHERE id = @file))::text IN (`+hiddenMatters("@team", "@user", "NULL")+`) IS TRUE`,
		args{"team": in.TeamID, "user": userID, "file": nullable(to.FileID), "matter": nullable(to.MatterID)})
	if err == nil && hidden {
		return fault.New(fault.Invalid, "userId names somebody who is not listed on the matter")
	}
	return err
}

// leaveMatters takes a user who left the team off its restricted matters. Where
// nobody is left on one, the team's admins are listed.
func (t *Tx) leaveMatters(ctx context.Context, in Scope, userID string) error {
	a := args{"team": in.TeamID, "user": userID}
	left, err := values[string](ctx, t.Queries, `
		DELETE FROM matter_people WHERE team_id = @team AND user_id = @user RETURNING matter_id::text`, a)
	if err != nil || len(left) == 0 {
		return err
	}
	a["left"] = left
	if _, err := exec(ctx, t.Queries, `
		INSERT INTO matter_people (matter_id, team_id, user_id)
		SELECT r.id, @team, m.user_id FROM matters r JOIN members m ON m.team_id = @team AND m.role = 'admin'
		WHERE r.id = ANY(@left::uuid[]) AND r.access = 'restricted'
			AND NOT EXISTS (SELECT FROM matter_people p WHERE p.matter_id = r.id AND p.user_id IS NOT NULL)
		ON CONFLICT DO NOTHING`, a); err != nil {
		return err
	}
	return t.refreshTeam(ctx, in.TeamID)
}
