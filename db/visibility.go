package db

import (
	"context"
	"fmt"
	"strings"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// Scope's conditions. A restricted matter, with everything in it, exists only
// for those listed on it; Hidden has the others' matters. Where there are none,
// as mostly, the conditions are empty and a query is what it was.

// hiddenFiles are the ids of files in hidden matters, and of those that were when
// they went into the trash.
const hiddenFiles = `SELECT id FROM files WHERE team_id = @team AND matter_id = ANY(@hidden::uuid[])
	UNION ALL SELECT resource_id::uuid FROM trash WHERE team_id = @team AND kind = 'file' AND matter_id = ANY(@hidden::uuid[])`

// sees is the condition that the file of the table or alias is visible.
func (s Scope) sees(files string) string {
	if len(s.Hidden) == 0 {
		return ""
	}
	return " AND (" + files + ".matter_id IS NULL OR " + files + ".matter_id <> ALL(@hidden::uuid[]))"
}

// made reports whether the actor of s may change something: its maker and admins may.
// by is nil if the maker is unknown.
func (s Scope) made(by *string) bool {
	user := s.UserID()
	return s.Admin || user != "" && text(by) == user
}

// errMade is the answer to others.
func errMade(what string) error {
	return fault.Newf(fault.Forbidden, "others use this %s; it is for who made it and for admins of the team", what)
}

// seesFile is the condition that the file whose id an expression has is visible.
func (s Scope) seesFile(id string) string {
	if len(s.Hidden) == 0 {
		return ""
	}
	return " AND " + id + " NOT IN (" + hiddenFiles + ")"
}

// seesMatter is the condition that the matter whose id an expression has is
// visible.
func (s Scope) seesMatter(id string) string {
	if len(s.Hidden) == 0 {
		return ""
	}
	return " AND " + id + " <> ALL(@hidden::uuid[])"
}

// seesAbout is the condition that the files which a chat or a message is about are
// visible. It looks each up: somebody has few chats, and a matter may have many files.
func (s Scope) seesAbout(said string) string {
	if len(s.Hidden) == 0 {
		return ""
	}
	about := " = ANY(ARRAY[" + said + ".file_id, " + said + ".reference_file_id]"
	return " AND NOT EXISTS (SELECT FROM files h WHERE h.id" + about + ") AND h.matter_id = ANY(@hidden::uuid[]))" +
		" AND NOT EXISTS (SELECT FROM trash h WHERE h.team_id = @team AND h.kind = 'file' AND h.resource_id" + about + "::text[]) AND h.matter_id = ANY(@hidden::uuid[]))"
}

// seesChat is the condition that what a chat is about is visible, and its matter not in
// the trash.
func (s Scope) seesChat(chats string) string {
	there := " AND (" + chats + ".matter_id IS NULL OR EXISTS (SELECT FROM matters x WHERE x.id = " + chats + ".matter_id AND x.team_id = @team%s))"
	return fmt.Sprintf(there, s.seesMatter("x.id")) + s.seesAbout(chats)
}

// hiddenChats are the ids of chats about hidden files, or of hidden matters.
const hiddenChats = `SELECT c.id FROM (` + hiddenFiles + `) h JOIN chats c ON h.id IN (c.file_id, c.reference_file_id)
	UNION ALL SELECT id FROM chats WHERE matter_id = ANY(@hidden::uuid[])`

// seesEvent is the condition that what an audit event is about is visible: it was
// in no hidden matter then, and is in none now.
func (s Scope) seesEvent(events string) string {
	if len(s.Hidden) == 0 {
		return ""
	}
	return " AND (" + events + ".matter_id IS NULL OR " + events + ".matter_id <> ALL(@hidden::uuid[]))" +
		" AND (" + events + ".resource_id IS NULL OR " + events + ".resource_id <> ALL(@hidden::uuid[])" + s.seesFile(events+".resource_id") +
		" AND " + events + ".resource_id NOT IN (" + hiddenChats + "))" +
		" AND (" + events + ".file_id IS NULL" + strings.Replace(s.seesFile(events+".file_id"), " AND ", " OR ", 1) + ")"
}

// seesNews is the condition that what an event of the outbox is about is visible.
func (s Scope) seesNews(events string) string {
	if len(s.Hidden) == 0 {
		return ""
	}
	return " AND (" + events + ".matter_id IS NULL OR " + events + ".matter_id <> ALL(@hidden::uuid[]))" + s.seesFile(events+".subject_id") +
		" AND " + events + ".subject_id NOT IN (" + hiddenChats + ")"
}

// seesAssignee is the condition that what people are assigned to is visible, in
// rows of files or of matters.
func (s Scope) seesAssignee(to Assignee) string {
	if to.MatterID != "" {
		return s.seesMatter("id")
	}
	return s.sees("files")
}

// seesAssigned is the condition that what assignments of an alias are to is
// visible.
func (s Scope) seesAssigned(assignments string) string {
	if len(s.Hidden) == 0 {
		return ""
	}
	return " AND (" + assignments + ".matter_id IS NULL OR " + assignments + ".matter_id <> ALL(@hidden::uuid[])) AND (" +
		assignments + ".file_id IS NULL OR " + assignments + ".file_id NOT IN (" + hiddenFiles + "))"
}

// seesLink is the condition that what a link of a notification leads to is
// visible.
func (s Scope) seesLink(link string) string {
	if len(s.Hidden) == 0 {
		return ""
	}
	return " AND " + link + ` NOT IN (
		WITH hidden AS (` + hiddenFiles + `)
		SELECT '/api/files/' || id FROM hidden
		UNION ALL SELECT '/api/matters/' || id FROM unnest(@hidden::uuid[]) id
		UNION ALL SELECT '/api/chats/' || id FROM (` + hiddenChats + `) chats)`
}

// seesDelivery is the condition that what a webhook was sent is about is visible:
// it may have been in no restricted matter then.
func (s Scope) seesDelivery(payload string) string {
	if len(s.Hidden) == 0 {
		return ""
	}
	return " AND coalesce(" + payload + `::jsonb #>> '{data,id}' NOT IN (
		SELECT id::text FROM (` + hiddenFiles + `) f UNION ALL SELECT id::text FROM unnest(@hidden::uuid[]) id), true)
		AND coalesce(` + payload + `::jsonb #>> '{data,fileId}' NOT IN (SELECT id::text FROM (` + hiddenFiles + `) f), true)`
}

// shared is the condition that everybody in the team sees a file, in rows of files
// alone; a further condition says of which matters.
func shared(matters string) string {
	return `(matter_id IS NULL OR matter_id NOT IN (SELECT id FROM matters WHERE access = 'restricted'` + matters + `))`
}

// ofTeam narrows matters to those of the scope.
const ofTeam = ` AND team_id = @team`

// seesRows is the condition that the rows of a source are visible.
func (s Scope) seesRows(of query.Source) string {
	alias := tables[of].alias
	switch of { //nolint:exhaustive // the others are about files
	case query.Files:
		return s.sees(alias)
	case query.Matters:
		return s.seesMatter(alias + ".id")
	case query.Audit:
		return s.seesEvent(alias)
	default:
		return s.seesFile(alias + ".file_id")
	}
}

// seenBeside is the condition that whoever sees a file in a matter, or in none,
// sees the file of an alias too.
func seenBeside(files, matter string) string {
	return "(" + files + ".matter_id IS NULL OR " + files + ".matter_id IS NOT DISTINCT FROM " + matter + "::uuid OR EXISTS (SELECT FROM matters m WHERE m.id = " + files + ".matter_id AND m.access = 'open'))"
}

// args adds to a what the conditions of s need: @team and @hidden.
func (s Scope) args(a args) args {
	a["team"], a["hidden"] = s.TeamID, s.Hidden
	return a
}

// HiddenMatters lists the restricted matters of a team that a user, or a key of
// the organization, is not listed on. For neither it lists all of them.
func (q Queries) HiddenMatters(ctx context.Context, teamID, userID, keyID string) ([]string, error) {
	return values[string](ctx, q, hiddenMatters("@team", "@user", "@key"),
		args{"team": teamID, "user": nullable(userID), "key": nullable(keyID)})
}

// hiddenMatters selects what HiddenMatters lists, those in the trash included.
func hiddenMatters(team, user, key string) string {
	listed := `NOT EXISTS (SELECT FROM matter_people p WHERE (p.user_id = ` + user + ` OR p.key_id = ` + key + `) AND p.matter_id = %s)`
	return restrictedMatters(team, listed)
}

// restrictedMatters selects the restricted matters of a team, those in the trash
// included, of which a condition holds. It has %s where the id of the matter is.
func restrictedMatters(team, condition string) string {
	of := func(id string) string { return strings.Replace(condition, "%s", id, 1) }
	return `SELECT r.id::text FROM matters r WHERE r.team_id = ` + team + ` AND r.access = 'restricted' AND ` + of("r.id") + `
		UNION ALL
		SELECT x.resource_id FROM trash x WHERE x.team_id = ` + team + ` AND x.restricted AND x.purged_at IS NULL AND ` + of("x.resource_id::uuid")
}

// Shared is the scope of data that is shown to a whole team: it leaves out what is in
// restricted matters.
func (q Queries) Shared(ctx context.Context, teamID string) (Scope, error) {
	hidden, err := q.HiddenMatters(ctx, teamID, "", "")
	in := System(teamID)
	in.Hidden = hidden
	return in, err
}
