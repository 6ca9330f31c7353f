package db

import (
	"context"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clausemill/clausemill/fault"
)

// DeleteFile moves a file into the trash; see DeleteFiles.
func (t *Tx) DeleteFile(ctx context.Context, in Scope, id string) (TrashEntry, error) {
	entries, err := t.DeleteFiles(ctx, in, []string{id}, "")
	if err == nil && len(entries) == 0 {
		err = errNotFound
	}
	return first(entries), err
}

// DeleteFiles moves files into the trash with everything that was read in them
// and said of them, those that are there, and returns their entries. What they
// gave others goes with them: their words, being like another file, being what
// others duplicate. Their attempts end as cancelled; the caller ends their jobs,
// now that it holds the files. Several at once are less work.
func (t *Tx) DeleteFiles(ctx context.Context, in Scope, ids []string, operationID string) ([]TrashEntry, error) {
	files, err := t.holdFiles(ctx, in, ids)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	ids = make([]string, len(files))
	for i, f := range files {
		ids[i] = f.ID
	}
	assigned, err := t.takeAway(ctx, in, "assignments", "file_id", ids)
	if err != nil {
		return nil, err
	}
	entries, err := t.leaveParents(ctx, in, ids)
	if err != nil {
		return nil, err
	}
	said, err := t.saidOf(ctx, in, ids)
	if err != nil {
		return nil, err
	}
	things := make([]discarded, len(files))
	for i, f := range files {
		d := discarded{ID: NewID(), Kind: TrashedFile, ResourceID: f.ID, Name: f.Name, Operation: nullable(operationID), Held: held{
			MatterID: text(f.MatterID), ParentID: text(f.ParentID), Files: entries[f.ID], Interrupted: !f.Status.Terminal(),
		}}
		if f.DocumentTypeID != nil {
			d.Held.DocumentType = &heldType{ID: *f.DocumentTypeID, Source: f.DocumentTypeSource, Score: f.DocumentTypeScore}
		}
		d.Held.Rows = rowsOf("assignments", assigned[f.ID])
		d.Counts = map[string]int{
			"assignments": len(assigned[f.ID]), "files": len(entries[f.ID]), "decisions": said[f.ID].Decisions, "changes": said[f.ID].Changes,
		}
		things[i] = d
		if err := t.leaveTeam(ctx, in, f, d.ID); err != nil {
			return nil, err
		}
	}
	trashed, err := t.discardAll(ctx, in, things)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if err := t.emit(ctx, in.TeamID, "file.deleted", id, FileData{id}); err != nil {
			return nil, err
		}
	}
	t.finishFollowed(in.TeamID, ids...)
	return trashed, nil
}

// holdFiles locks those of files that are there, and first those that came out of them or are
// their copies.
func (t *Tx) holdFiles(ctx context.Context, in Scope, ids []string) (files []File, err error) {
	a := in.args(args{"ids": ids})
	err = t.holdReferring(ctx, `f.id IN (SELECT id FROM files WHERE parent_id = ANY(@ids) UNION ALL SELECT id FROM files WHERE duplicate_of = ANY(@ids))
		AND f.team_id IS NOT DISTINCT FROM @team`, a, func() error {
		// Locked against new references, too: every transaction that writes a row about a
		// file also looks the file up in its team, before or after.
		files, err = many[File](ctx, t.Queries, `SELECT `+fileColumns+` FROM files WHERE id = ANY(@ids) AND team_id IS NOT DISTINCT FROM @team`+in.sees("files")+` ORDER BY id FOR UPDATE`, a)
		return err
	})
	return files, err
}

// leaveTeam takes back what f gave other files, and says that it goes. While it
// is there, the audit finds the matter that it is in.
func (t *Tx) leaveTeam(ctx context.Context, in Scope, f File, entryID string) error {
	for _, sql := range []string{forgetWords, `UPDATE file_tokens SET counted = false WHERE file_id = @id AND team_id = @team`, forgetLikeness} {
		if _, err := exec(ctx, t.Queries, sql, args{"id": f.ID, "team": in.TeamID}); err != nil {
			return err
		}
	}
	if err := t.leaveCopies(ctx, in, f.ID); err != nil {
		return err
	}
	if !f.Status.Terminal() {
		if _, err := t.CancelFile(ctx, in, f.ID); err != nil {
			return err
		}
	}
	return t.Audit(ctx, in, "file.deleted", "file", f.ID, map[string]any{"trashId": entryID})
}

// leaveParents has files out of archives forget those of ids that they came out
// of, and returns them by these.
func (t *Tx) leaveParents(ctx context.Context, in Scope, ids []string) (map[string][]heldFile, error) {
	type child struct {
		heldFile

		ParentID string `db:"parent_id"`
	}
	children, err := many[child](ctx, t.Queries, `
		WITH children AS (
			SELECT id, parent_id FROM files WHERE parent_id = ANY(@ids) AND team_id IS NOT DISTINCT FROM @team AND id <> ALL(@ids) ORDER BY id FOR NO KEY UPDATE
		)
		UPDATE files f SET parent_id = NULL FROM children c WHERE f.id = c.id
		RETURNING f.id, NULL::text AS source, NULL::real AS score, c.parent_id`, args{"ids": ids, "team": in.TeamID})
	of := make(map[string][]heldFile)
	for _, c := range children {
		of[c.ParentID] = append(of[c.ParentID], c.heldFile)
	}
	return of, err
}

// said counts the decisions and changes that users made on a file.
type said struct {
	ID        string `db:"id"`
	Decisions int    `db:"decisions"` // about sentences
	Changes   int    `db:"changes"`   // that are proposed
}

func (t *Tx) saidOf(ctx context.Context, in Scope, ids []string) (map[string]said, error) {
	rows, err := many[said](ctx, t.Queries, `
		SELECT f.id, (SELECT count(*) FROM sentences s WHERE s.file_id = f.id AND s.source = 'validated') AS decisions,
			(SELECT count(*) FROM changes c WHERE c.file_id = f.id AND c.status = 'proposed') AS changes
		FROM files f WHERE f.id = ANY(@ids) AND f.team_id IS NOT DISTINCT FROM @team`, args{"ids": ids, "team": in.TeamID})
	of := make(map[string]said, len(rows))
	for _, r := range rows {
		of[r.ID] = r
	}
	return of, err
}

// restoreFiles brings files back, with the words that they gave the team. Those
// whose attempt was interrupted begin another one.
func (t *Tx) restoreFiles(ctx context.Context, in Scope, entries []binned, name string, findable bool) (ids []string, reading []File, err error) {
	places := map[TrashKind][]string{}
	var teams []string
	for _, e := range entries {
		ids, teams = append(ids, e.ResourceID), append(teams, e.ID)
		if e.Held.MatterID != "" {
			places[TrashedMatter] = append(places[TrashedMatter], e.Held.MatterID)
		}
		if e.Held.DocumentType != nil {
			places[TrashedDocumentType] = append(places[TrashedDocumentType], e.Held.DocumentType.ID)
		}
		if e.Held.ParentID != "" {
			places[TrashedFile] = append(places[TrashedFile], e.Held.ParentID)
		}
		places[TrashedFile] = append(places[TrashedFile], fileIDs(e.Held.Files)...)
	}
	// They come before their places, as always: who deletes a matter, and had waited for one of its
	// files while that went into the trash, still has the file locked.
	if _, err := exec(ctx, t.Queries, `SELECT FROM files WHERE id = ANY(@ids) AND team_id = ANY(@teams) ORDER BY id FOR UPDATE`,
		args{"ids": ids, "teams": teams}); err != nil {
		return nil, nil, err
	}
	for _, kind := range TrashKinds() {
		if err := t.stay(ctx, in, kind, places[kind]); err != nil {
			return nil, nil, err
		}
	}
	if err := t.comeBack(ctx, in, name, entries...); err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if err := t.rejoin(ctx, in, e); err != nil {
			return nil, nil, err
		}
	}
	if err := t.catchUp(ctx, in, ids); err != nil {
		return nil, nil, err
	}
	for _, id := range ids {
		if !findable {
			break
		}
		if err := t.SetFindable(ctx, in, id); err != nil {
			return nil, nil, err
		}
	}
	for _, e := range entries {
		if err := t.Audit(ctx, in, "file.restored", "file", e.ResourceID, map[string]any{"trashId": e.ID}); err != nil {
			return nil, nil, err
		}
		if err := t.emit(ctx, in.TeamID, "file.restored", e.ResourceID, FileData{e.ResourceID}); err != nil {
			return nil, nil, err
		}
		if !e.Held.Interrupted {
			continue
		}
		f, err := t.File(ctx, in, e.ResourceID)
		if err != nil {
			return nil, nil, err
		}
		if f, err = t.RestartFile(ctx, in, f.ID, f.Options, f.Bulk); err != nil {
			return nil, nil, err
		}
		reading = append(reading, f)
	}
	return ids, reading, nil
}

// stay holds things that are there, so that they are not deleted before the
// transaction ends, and the entries of those that are not: of two that join each
// other the second to come back then sees the first. One that was deleted between the
// two has the transaction run again: its row may be locked by now, and who brings it
// back locks the entry first.
func (t *Tx) stay(ctx context.Context, in Scope, kind TrashKind, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	a := args{"team": in.TeamID, "kind": kind, "ids": ids}
	const gone = `FROM trash WHERE team_id = @team AND kind = @kind AND resource_id = ANY(@ids::text[]) AND purged_at IS NULL`
	locked, err := values[string](ctx, t.Queries, `SELECT id::text `+gone+` ORDER BY id FOR UPDATE`, a)
	if err != nil {
		return err
	}
	if _, err := exec(ctx, t.Queries, `SELECT FROM `+shelves[kind].table+` WHERE id = ANY(@ids::text[]::uuid[]) AND team_id = @team ORDER BY id FOR KEY SHARE`, a); err != nil {
		return err
	}
	a["locked"] = locked
	late, err := value[bool](ctx, t.Queries, `SELECT EXISTS (SELECT `+gone+` AND id <> ALL(@locked::uuid[]))`, a)
	if late && err == nil {
		err = errLate
	}
	return err
}

// rejoin puts a file that is back where it was: into its matter, under its
// document type, below its archive. Where one of these is in the trash itself, it
// takes the file along when it comes back.
func (t *Tx) rejoin(ctx context.Context, in Scope, e binned) error {
	was := e.Held.DocumentType
	if was == nil {
		was = &heldType{}
	}
	type places struct {
		MatterID *string `db:"matter_id"`
		TypeID   *string `db:"document_type_id"`
		ParentID *string `db:"parent_id"`
	}
	a := args{
		"id": e.ResourceID, "team": in.TeamID, "matter": nullable(e.Held.MatterID), "type": nullable(was.ID), "source": was.Source, "score": was.Score,
		"parent": nullable(e.Held.ParentID), "files": fileIDs(e.Held.Files),
	}
	now, err := one[places](ctx, t.Queries, `
		UPDATE files f SET matter_id = p.matter, document_type_id = p.type, document_type_source = CASE WHEN p.type IS NOT NULL THEN @source END,
			document_type_score = CASE WHEN p.type IS NOT NULL THEN @score::real END, parent_id = p.parent,
			indexed_generation = 0, indexed_label_generation = 0, progress_at = now()
		FROM (SELECT
			(SELECT id FROM matters WHERE id = @matter AND team_id = @team) AS matter,
			(SELECT id FROM document_types WHERE id = @type AND team_id = @team) AS type,
			(SELECT id FROM files WHERE id = @parent AND team_id = @team) AS parent
		) p
		WHERE f.id = @id AND f.team_id = @team
		RETURNING f.matter_id, f.document_type_id, f.parent_id`, a)
	if err != nil {
		return err
	}
	for _, place := range []struct {
		kind TrashKind
		was  string
		is   *string
		file heldFile
	}{
		{TrashedMatter, e.Held.MatterID, now.MatterID, heldFile{ID: e.ResourceID}},
		{TrashedDocumentType, was.ID, now.TypeID, heldFile{ID: e.ResourceID, Source: was.Source, Score: was.Score}},
		{TrashedFile, e.Held.ParentID, now.ParentID, heldFile{ID: e.ResourceID}},
	} {
		if place.was == text(place.is) {
			continue
		}
		if place.kind == TrashedMatter {
			if err := t.needOpen(ctx, in, place.was); err != nil {
				return err
			}
		}
		if _, err := exec(ctx, t.Queries, `
			UPDATE trash SET held = jsonb_set(held, '{files}', coalesce(held -> 'files', '[]') || @file::jsonb)
			WHERE team_id = @team AND kind = @kind AND resource_id = @resource AND purged_at IS NULL`,
			args{"team": in.TeamID, "kind": place.kind, "resource": place.was, "file": place.file}); err != nil {
			return err
		}
	}
	if _, err := exec(ctx, t.Queries, `UPDATE files SET parent_id = @id WHERE id = ANY(@files) AND team_id IS NOT DISTINCT FROM @team AND parent_id IS NULL`, a); err != nil {
		return err
	}
	// Its words count again, where everybody sees it, and the oldest file with its
	// bytes is what the others duplicate.
	if err := t.renewShared(ctx, in, `f.id = @file`, e.ResourceID); err != nil {
		return err
	}
	if err := t.joinLater(ctx, in, "parentId", e.Held.Files, func(heldFile) any { return e.ResourceID }); err != nil {
		return err
	}
	return t.putBack(ctx, in, e.Held.Rows)
}

// holders are the entries of things that a file joins again when they come back.
const holders = `team_id = @team AND kind = ANY(@kinds) AND purged_at IS NULL AND held @> jsonb_build_object('files', jsonb_build_array(jsonb_build_object('id', @file::text)))`

// holdHolders locks holders before the file is, as a transaction does that restores
// one of them, and returns their ids.
func (t *Tx) holdHolders(ctx context.Context, in Scope, fileID string, kinds []TrashKind) ([]string, error) {
	if len(kinds) == 0 {
		return nil, nil
	}
	return values[string](ctx, t.Queries, `SELECT id::text FROM trash WHERE `+holders+` ORDER BY id FOR UPDATE`,
		args{"team": in.TeamID, "kinds": kinds, "file": fileID})
}

// errLate has a transaction run again that has locked some rows and then others, if another of
// the first kind has come since. To wait for that one now may be a deadlock.
var errLate = &pgconn.PgError{Code: "40001", Message: "something has just come to what is locked"}

// unhold has things in the trash, which are locked, forget a file that somebody put in
// another place: that stays the last word, even where the other place is gone, too, by the
// time they come back.
func (t *Tx) unhold(ctx context.Context, in Scope, fileID string, kinds []TrashKind, locked []string) error {
	if len(kinds) == 0 {
		return nil
	}
	a := args{"team": in.TeamID, "kinds": kinds, "file": fileID, "locked": locked}
	late, err := value[bool](ctx, t.Queries, `SELECT EXISTS (SELECT FROM trash WHERE `+holders+` AND id <> ALL(coalesce(@locked::uuid[], '{}')))`, a)
	if err != nil {
		return err
	}
	if late {
		return errLate
	}
	if len(locked) == 0 {
		return nil
	}
	_, err = exec(ctx, t.Queries, `
		UPDATE trash SET held = jsonb_set(held, '{files}',
			(SELECT coalesce(jsonb_agg(f), '[]') FROM jsonb_array_elements(held -> 'files') f WHERE f ->> 'id' <> @file))
		WHERE id = ANY(@locked::uuid[])`, a)
	return err
}

// needOpen is a Conflict for a restricted matter in the trash: outside of it
// everybody would see what was in it.
func (t *Tx) needOpen(ctx context.Context, in Scope, matterID string) error {
	restricted, err := value[bool](ctx, t.Queries, `
		SELECT EXISTS (SELECT FROM matters m JOIN trash x ON x.id = m.team_id AND x.team_id = @team WHERE m.id = @matter AND m.access = 'restricted')`,
		args{"team": in.TeamID, "matter": matterID})
	if err == nil && restricted {
		return fault.New(fault.Conflict, "the file was in a restricted matter that is in the trash itself; restore that first")
	}
	return err
}

// fileIDs are the ids of files that something was taken from.
func fileIDs(files []heldFile) []string {
	ids := make([]string, len(files))
	for i, f := range files {
		ids[i] = f.ID
	}
	return ids
}
