package db

import (
	"context"
	"slices"
	"time"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// MatterStage is how far the work on a matter is.
type MatterStage string

// MatterStages lists the stages in order.
func MatterStages() []MatterStage {
	return []MatterStage{"intake", "drafting", "review", "negotiation", "approval", "signature", "closed"}
}

// MatterStatus is whether a matter is worked on at all.
type MatterStatus string

// MatterStatuses lists the statuses.
func MatterStatuses() []MatterStatus {
	return []MatterStatus{"open", "on_hold", "closed", "cancelled"}
}

// Matter is a piece of legal work with the files about it.
type Matter struct {
	ID              string       `db:"id"`
	Name            string       `db:"name"`
	Description     string       `db:"description"`
	Stage           MatterStage  `db:"stage"`
	Status          MatterStatus `db:"status"`
	Source          string       `db:"source"`
	Parties         []Party      `db:"parties"`
	Counterparties  []string     `db:"counterparties"`
	OwnerID         *string      `db:"owner_id"`
	DueAt           *time.Time   `db:"due_at"`
	DocumentTypeIDs []string     `db:"document_type_ids"`
	CategoryIDs     []string     `db:"category_ids"`
	Access          MatterAccess `db:"access"`
	People          []string     `db:"people"` // users and keys that are listed on it, where it is restricted
	Version         int          `db:"version"`
	CreatedBy       *string      `db:"created_by"`
	CreatedAt       time.Time    `db:"created_at"`
	UpdatedAt       time.Time    `db:"updated_at"`
}

var matterColumns = `m.id, m.name, m.description, m.stage, m.status, m.source, m.parties, m.counterparties, m.owner_id, m.due_at,
	ARRAY(SELECT document_type_id::text FROM matter_document_types WHERE matter_id = m.id ORDER BY 1) AS document_type_ids,
	` + categorizedMatters.of("m") + ` AS category_ids,
	m.access, ARRAY(SELECT coalesce(user_id, key_id)::text FROM matter_people WHERE matter_id = m.id AND m.access = 'restricted' ORDER BY added_at, 1) AS people,
	m.version, m.created_by, m.created_at, m.updated_at`

// MatterChange is what is said of a matter. A nil field stays as it is, or as it
// begins; a pointer to "" takes an owner away, and one to the zero time a due
// date.
type MatterChange struct {
	Name            *string
	Description     *string
	Stage           *MatterStage
	Status          *MatterStatus
	Source          *string
	Parties         *[]Party
	Counterparties  *[]string
	OwnerID         *string
	DueAt           *time.Time
	DocumentTypeIDs *[]string
	CategoryIDs     *[]string
	Access          *MatterAccess
	People          *[]string // users and keys; who restricts a matter is listed on it anyway
	IfVersion       int       // 0 for any; otherwise another version is Conflict
}

// CreateMatter opens a matter, which its creator owns unless c says otherwise.
func (t *Tx) CreateMatter(ctx context.Context, in Scope, c MatterChange) (Matter, error) {
	id := NewID()
	if c.OwnerID == nil {
		user := in.UserID()
		c.OwnerID = &user
	}
	if _, err := exec(ctx, t.Queries, `
		INSERT INTO matters (id, team_id, name, created_by) VALUES (@id, @team, @name, @user)`,
		args{"id": id, "team": in.TeamID, "name": c.Name, "user": nullable(in.UserID())}); err != nil {
		return Matter{}, err
	}
	if err := t.setAccess(ctx, in, Matter{ID: id, Access: MatterOpen, CreatedBy: nullable(in.UserID())}, c); err != nil {
		return Matter{}, err
	}
	after, err := t.changeMatter(ctx, in, id, c, 0)
	if err != nil {
		return Matter{}, err
	}
	if err := t.matterEvent(ctx, in, "matter.created", after, nil); err != nil {
		return Matter{}, err
	}
	return after, t.tellOfMatter(ctx, in, Matter{}, after, "was created")
}

// UpdateMatter applies c, and notifies the assignees of the matter.
func (t *Tx) UpdateMatter(ctx context.Context, in Scope, id string, c MatterChange) (Matter, error) {
	before, err := t.matterForUpdate(ctx, in, id)
	if err != nil {
		return Matter{}, err
	}
	if c.IfVersion != 0 && c.IfVersion != before.Version {
		return Matter{}, errStale
	}
	if err := t.setAccess(ctx, in, before, c); err != nil {
		return Matter{}, err
	}
	after, err := t.changeMatter(ctx, in, id, c, 1)
	if err != nil {
		return Matter{}, err
	}
	came := slices.DeleteFunc(append(slices.Clone(after.People), text(after.OwnerID)), func(id string) bool {
		return id == "" || id == text(before.OwnerID) || slices.Contains(before.People, id)
	})
	if err := t.joinMatterChats(ctx, in, id, came...); err != nil {
		return Matter{}, err
	}
	data := map[string]any{"fields": matterDifference(before, after)}
	if before.Stage != after.Stage {
		data["stage"] = [2]MatterStage{before.Stage, after.Stage}
	}
	if before.Status != after.Status {
		data["status"] = [2]MatterStatus{before.Status, after.Status}
	}
	if err := t.matterEvent(ctx, in, "matter.updated", after, data); err != nil {
		return Matter{}, err
	}
	return after, t.tellOfMatter(ctx, in, before, after, "was changed")
}

// matterDifference names the fields in which two states of a matter differ, as
// they are called on the wire.
func matterDifference(a, b Matter) []string {
	fields := []string{}
	for _, f := range []struct {
		name    string
		changed bool
	}{
		{"name", a.Name != b.Name},
		{"description", a.Description != b.Description},
		{"stage", a.Stage != b.Stage},
		{"status", a.Status != b.Status},
		{"source", a.Source != b.Source},
		{"parties", !slices.Equal(a.Parties, b.Parties)},
		{"counterparties", !slices.Equal(a.Counterparties, b.Counterparties)},
		{"ownerId", text(a.OwnerID) != text(b.OwnerID)},
		{"dueAt", !timeOf(a.DueAt).Equal(timeOf(b.DueAt))},
		{"categoryIds", !slices.Equal(a.CategoryIDs, b.CategoryIDs)},
		{"documentTypeIds", !slices.Equal(a.DocumentTypeIDs, b.DocumentTypeIDs)},
		{"access", a.Access != b.Access},
		{"people", !slices.Equal(a.People, b.People)},
	} {
		if f.changed {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// changeMatter writes what c says and raises the version by step.
func (t *Tx) changeMatter(ctx context.Context, in Scope, id string, c MatterChange, step int) (Matter, error) {
	if c.OwnerID != nil && *c.OwnerID != "" {
		if err := t.needMember(ctx, in, *c.OwnerID, "ownerId"); err != nil {
			return Matter{}, err
		}
	}
	if c.DocumentTypeIDs != nil {
		if err := t.setMatterTypes(ctx, in, id, *c.DocumentTypeIDs); err != nil {
			return Matter{}, err
		}
	}
	if c.CategoryIDs != nil {
		if err := t.recategorize(ctx, in, categorizedMatters, []string{id}, *c.CategoryIDs); err != nil {
			return Matter{}, err
		}
	}
	return one[Matter](ctx, t.Queries, `
		UPDATE matters m SET
			name           = coalesce(@name, name),
			description    = coalesce(@description, description),
			stage          = coalesce(@stage, stage),
			status         = coalesce(@status, status),
			source         = coalesce(@source, source),
			parties        = coalesce(@parties, parties),
			counterparties = coalesce(@counterparties, counterparties),
			owner_id       = CASE WHEN @owner::text IS NULL THEN owner_id ELSE nullif(@owner, '')::uuid END,
			due_at         = CASE WHEN @due::timestamptz IS NULL THEN due_at ELSE nullif(@due, '0001-01-01 00:00:00+00'::timestamptz) END,
			version        = version + @step, updated_at = now()
		WHERE id = @id AND team_id = @team
		RETURNING `+matterColumns, args{
		"id": id, "team": in.TeamID, "name": c.Name, "description": c.Description, "stage": c.Stage, "status": c.Status,
		"source": c.Source, "parties": c.Parties, "counterparties": c.Counterparties, "owner": c.OwnerID, "due": c.DueAt, "step": step,
	})
}

// setMatterTypes replaces the document types of a matter. One of another team is
// Invalid.
func (t *Tx) setMatterTypes(ctx context.Context, in Scope, id string, types []string) error {
	if _, err := exec(ctx, t.Queries, `DELETE FROM matter_document_types WHERE matter_id = @id`, args{"id": id}); err != nil {
		return err
	}
	types = slices.Compact(slices.Sorted(slices.Values(types)))
	n, err := exec(ctx, t.Queries, `
		INSERT INTO matter_document_types (matter_id, document_type_id)
		SELECT @id, id FROM document_types WHERE id = ANY(@types) AND team_id = @team`,
		args{"id": id, "team": in.TeamID, "types": types})
	if err == nil && int(n) < len(types) {
		return fault.New(fault.Invalid, "documentTypeIds names something that is not in this team")
	}
	return err
}

// mostWithin is how many files go into the trash with a restricted matter, in one
// transaction.
const mostWithin = 200

// DeleteMatter moves a matter into the trash with the assignments to it. Its files
// stay, in no matter until it is back. Those of a restricted matter would be
// everybody's: they go with it, as entries of their own, and the caller ends their
// jobs as it does after DeleteFiles. It is Conflict where they are too many.
func (t *Tx) DeleteMatter(ctx context.Context, in Scope, id string) (entry TrashEntry, within []string, err error) {
	if err := t.holdWith(ctx, in, TrashedMatter, "matter_id", id); err != nil {
		return TrashEntry{}, nil, err
	}
	before, err := t.Matter(ctx, in, id)
	if err != nil {
		return TrashEntry{}, nil, err
	}
	var entries []string
	if before.Access == MatterRestricted {
		if within, entries, err = t.deleteWithin(ctx, in, id); err != nil {
			return TrashEntry{}, nil, err
		}
	}
	// Clients that poll files for changes have to see it.
	files, err := many[heldFile](ctx, t.Queries, `
		UPDATE files SET matter_id = NULL, version = version + 1, updated_at = now(), progress_at = now()
		WHERE id IN (SELECT id FROM files WHERE matter_id = @id AND team_id = @team ORDER BY id FOR NO KEY UPDATE)
		RETURNING id, NULL::text AS source, NULL::real AS score`, args{"id": id, "team": in.TeamID})
	if err != nil {
		return TrashEntry{}, nil, err
	}
	assigned, err := t.takeAway(ctx, in, "assignments", "matter_id", []string{id})
	if err != nil {
		return TrashEntry{}, nil, err
	}
	entry, err = t.discard(ctx, in, discarded{
		Kind: TrashedMatter, ResourceID: id, Name: before.Name, Restricted: before.Access == MatterRestricted,
		Held:   held{MatterID: id, Files: files, Within: entries, Rows: rowsOf("assignments", assigned[id])},
		Counts: map[string]int{"files": len(files) + len(within), "assignments": len(assigned[id])},
	})
	if err != nil {
		return TrashEntry{}, nil, err
	}
	return entry, within, t.matterEvent(ctx, in, "matter.deleted", before, map[string]any{"files": len(files) + len(within), "trashId": entry.ID})
}

// deleteWithin moves the files of a matter, which are held with it, into the trash, and
// returns them and their entries.
func (t *Tx) deleteWithin(ctx context.Context, in Scope, matterID string) (files, entries []string, err error) {
	files, err = values[string](ctx, t.Queries, `SELECT id::text FROM files WHERE matter_id = @id AND team_id = @team ORDER BY files.id LIMIT @most`,
		args{"id": matterID, "team": in.TeamID, "most": mostWithin + 1})
	if err != nil {
		return nil, nil, err
	}
	if len(files) > mostWithin {
		return nil, nil, fault.Newf(fault.Conflict, "the matter is restricted and has more than %d files, which go with it; delete them first", mostWithin)
	}
	trashed, err := t.DeleteFiles(ctx, in, files, "")
	for _, e := range trashed {
		entries = append(entries, e.ID)
	}
	return files, entries, err
}

// restoreMatter brings a matter back, with those of its files that are in no other
// one by now.
func (t *Tx) restoreMatter(ctx context.Context, in Scope, e binned, name string) error {
	if err := t.stay(ctx, in, TrashedFile, fileIDs(e.Held.Files)); err != nil {
		return err
	}
	if err := t.comeBack(ctx, in, name, e); err != nil {
		return err
	}
	if err := t.putBack(ctx, in, e.Held.Rows); err != nil {
		return err
	}
	files := int64(0)
	if len(e.Held.Files) > 0 {
		var err error
		if files, err = exec(ctx, t.Queries, `
			UPDATE files SET matter_id = @id, version = version + 1, updated_at = now(), progress_at = now()
			WHERE id IN (SELECT id FROM files WHERE id = ANY(@files) AND team_id IS NOT DISTINCT FROM @team AND matter_id IS NULL ORDER BY id FOR NO KEY UPDATE)`,
			args{"id": e.ResourceID, "team": in.TeamID, "files": fileIDs(e.Held.Files)}); err != nil {
			return err
		}
	}
	if err := t.joinLater(ctx, in, "matterId", e.Held.Files, func(heldFile) any { return e.ResourceID }); err != nil {
		return err
	}
	after, err := t.Matter(ctx, in, e.ResourceID)
	if err != nil {
		return err
	}
	return t.matterEvent(ctx, in, "matter.restored", after, map[string]any{"files": files, "trashId": e.ID})
}

// matterEvent writes what happened to a matter to the audit and the outbox.
func (t *Tx) matterEvent(ctx context.Context, in Scope, kind string, m Matter, data map[string]any) error {
	if err := t.Audit(ctx, in, kind, "matter", m.ID, data); err != nil {
		return err
	}
	now := MatterData{m.ID, m.Name, m.Stage, m.Status, m.Version}
	if kind == "matter.deleted" {
		return t.emit(ctx, in.TeamID, kind, m.ID, DeletedMatterData(now))
	}
	return t.emit(ctx, in.TeamID, kind, m.ID, now)
}

// tellOfMatter notifies those who work on a matter, but not who changed it, and
// those whom its description now mentions.
func (t *Tx) tellOfMatter(ctx context.Context, in Scope, before, after Matter, what string) error {
	people, err := values[string](ctx, t.Queries, `
		SELECT user_id::text FROM (
			SELECT user_id FROM assignments WHERE matter_id = @id AND status = 'open'
			UNION SELECT owner_id FROM matters WHERE id = @id AND owner_id IS NOT NULL
		) concerned WHERE user_id IS DISTINCT FROM @actor::uuid`, args{"id": after.ID, "actor": nullable(in.UserID())})
	if err != nil {
		return err
	}
	n := NewNotification{Kind: MatterUpdated, Title: after.Name + " " + what, Link: matterLink(after.ID)}
	if before.Stage != after.Stage {
		n.Body = "It is in stage " + string(after.Stage) + "."
	}
	if err := t.Notify(ctx, in, people, n); err != nil {
		return err
	}
	return t.mention(ctx, in, before.Description, after.Description, "the matter "+after.Name, matterLink(after.ID))
}

func matterLink(id string) string { return "/api/matters/" + id }

// Matter is one matter.
func (q Queries) Matter(ctx context.Context, in Scope, id string) (Matter, error) {
	return one[Matter](ctx, q, `SELECT `+matterColumns+` FROM matters m WHERE id = @id AND team_id = @team`+in.seesMatter("id"),
		in.args(args{"id": id}))
}

// NeedMatter is NotFound unless the team has that matter.
func (q Queries) NeedMatter(ctx context.Context, in Scope, id string) error {
	_, err := value[bool](ctx, q, `SELECT true FROM matters WHERE id = @id AND team_id = @team`+in.seesMatter("id"), in.args(args{"id": id}))
	return err
}

func (t *Tx) matterForUpdate(ctx context.Context, in Scope, id string) (Matter, error) {
	return one[Matter](ctx, t.Queries, `SELECT `+matterColumns+` FROM matters m WHERE id = @id AND team_id = @team`+in.seesMatter("id")+` FOR NO KEY UPDATE`,
		in.args(args{"id": id}))
}

// MatterFilter narrows a list of matters; the zero filter is all of them. What
// is given must all hold.
type MatterFilter struct {
	Stages       []string
	Statuses     []string
	OwnerID      string
	Counterparty string // in any spelling that query folds
	DueBefore    time.Time
	Name         string       // part of the name, any case
	Where        query.Filter // of query.Matters, and checked
}

// where is the condition that f is, as the first of those of a query.
func (f MatterFilter) where(in Scope, a args) (*clauses, error) {
	w := startClauses("m.team_id = @team"+in.seesMatter("m.id"), in.args(a))
	condition, err := conditions(query.And(
		among(query.MatterStage, f.Stages), among(query.MatterStatus, f.Statuses), same(query.MatterOwner, f.OwnerID),
		same(query.MatterCounterparty, f.Counterparty), when(query.MatterDueAt, query.Below, f.DueBefore), part(query.MatterName, f.Name), f.Where),
		a, query.Matters)
	if condition != "" {
		w.and(condition)
	}
	return w, err
}

// ListedMatter is a matter with its place in a list.
type ListedMatter struct {
	Matter

	Value *string `db:"value"` // of what the list is ordered by
}

// Place is where a page begins that comes after m.
func (m ListedMatter) Place() Place { return Place{m.Value, m.ID} }

// Matters lists matters that match filter, in an order, starting after a place.
func (q Queries) Matters(ctx context.Context, in Scope, filter MatterFilter, order Order, after Place, limit int) ([]ListedMatter, error) {
	a := args{"limit": limit}
	w, err := filter.where(in, a)
	if err != nil {
		return nil, err
	}
	value, rest, sorted := order.page(query.Matters, after, a)
	w.and(rest)
	return many[ListedMatter](ctx, q, `SELECT `+matterColumns+`, `+value+` AS value FROM matters m WHERE `+w.String()+sorted+` LIMIT @limit`, a)
}

// CountMatters counts what Matters would list.
func (q Queries) CountMatters(ctx context.Context, in Scope, filter MatterFilter) (int, error) {
	a := args{}
	w, err := filter.where(in, a)
	if err != nil {
		return 0, err
	}
	return value[int](ctx, q, `SELECT count(*) FROM matters m WHERE `+w.String(), a)
}

// NamePlace is a place in a list by name; the zero place is its start.
type NamePlace struct{ Name, ID string }

// MatterName is what a matter is called.
type MatterName struct {
	ID     string       `db:"id"`
	Name   string       `db:"name"`
	Status MatterStatus `db:"status"`
}

// MatterNames lists the names of matters by name.
func (q Queries) MatterNames(ctx context.Context, in Scope, filter MatterFilter, after NamePlace, limit int) ([]MatterName, error) {
	a := args{"limit": limit, "after_name": after.Name}
	w, err := filter.where(in, a)
	if err != nil {
		return nil, err
	}
	w.when(after.ID != "", "(lower(m.name), m.id) > (lower(@after_name), @after::uuid)", "after", nullable(after.ID))
	return many[MatterName](ctx, q, `
		SELECT m.id, m.name, m.status FROM matters m WHERE `+w.String()+` ORDER BY lower(m.name), m.id LIMIT @limit`, a)
}

// NamesOfMatters is what matters are called, by their ids.
func (q Queries) NamesOfMatters(ctx context.Context, in Scope, ids []string) (map[string]string, error) {
	return q.names(ctx, `SELECT id, name FROM matters m WHERE team_id = @team AND id = ANY(@ids::uuid[])`+in.seesMatter("id"), in, ids)
}

// DuePlace is a place in a list by due date, those without one at its end; the
// zero place is its start.
type DuePlace struct {
	Due *time.Time
	ID  string
}

// MatterOverview is a matter with what is going on in it.
type MatterOverview struct {
	Matter
	Files   int  `db:"files"`
	Open    int  `db:"open"`    // open assignments, those to its files included
	Late    int  `db:"late"`    // of these, past their due date
	Overdue bool `db:"overdue"` // the matter itself is
}

// MatterOverviews lists matters that are open or on hold and match filter, the
// most urgent first.
func (q Queries) MatterOverviews(ctx context.Context, in Scope, filter MatterFilter, after DuePlace, limit int) ([]MatterOverview, error) {
	a := args{"limit": limit, "after_due": after.Due}
	w, err := filter.where(in, a)
	if err != nil {
		return nil, err
	}
	w.and("m.status IN ('open', 'on_hold')")
	w.when(after.ID != "", "(coalesce(m.due_at, 'infinity'), m.id) > (coalesce(@after_due::timestamptz, 'infinity'), @after::uuid)", "after", nullable(after.ID))
	return many[MatterOverview](ctx, q, `
		SELECT `+matterColumns+`, coalesce(m.due_at < now(), false) AS overdue,
			(SELECT count(*) FROM files f WHERE f.matter_id = m.id) AS files, w.open, w.late
		FROM matters m
		CROSS JOIN LATERAL (
			SELECT count(*) AS open, count(*) FILTER (WHERE due_at < now()) AS late
			FROM (
				SELECT due_at FROM assignments WHERE matter_id = m.id AND status = 'open'
				UNION ALL
				SELECT a.due_at FROM files f JOIN assignments a ON a.file_id = f.id WHERE f.matter_id = m.id AND a.status = 'open'
			) a
		) w
		WHERE `+w.String()+` ORDER BY coalesce(m.due_at, 'infinity'), m.id LIMIT @limit`, a)
}

// MatterCount is how many matters that are open or on hold are in a stage.
type MatterCount struct {
	Stage   MatterStage `db:"stage"`
	Count   int         `db:"count"`
	Overdue int         `db:"overdue"`
}

// MatterCounts counts matters that are open or on hold and match filter, by stage
// in the order of the stages, those without any included, and all of them.
func (q Queries) MatterCounts(ctx context.Context, in Scope, filter MatterFilter) (stages []MatterCount, all MatterCount, err error) {
	a := args{"stages": MatterStages()}
	w, err := filter.where(in, a)
	if err != nil {
		return nil, all, err
	}
	w.and("m.status IN ('open', 'on_hold')")
	stages, err = many[MatterCount](ctx, q, `
		SELECT s.stage, count(m.stage) AS count, count(m.stage) FILTER (WHERE m.due_at < now()) AS overdue
		FROM unnest(@stages::text[]) WITH ORDINALITY s (stage, place)
		LEFT JOIN (SELECT m.stage, m.due_at FROM matters m WHERE `+w.String()+`) m ON m.stage = s.stage
		GROUP BY s.stage, s.place ORDER BY s.place`, a)
	for _, s := range stages {
		all.Count, all.Overdue = all.Count+s.Count, all.Overdue+s.Overdue
	}
	return stages, all, err
}

// PutIntoMatter moves a file into a matter, out of the one that it was in.
func (t *Tx) PutIntoMatter(ctx context.Context, in Scope, matterID, fileID string) (File, error) {
	return t.UpdateFile(ctx, in, fileID, FileUpdate{MatterID: &matterID})
}

// TakeOutOfMatter takes a file out of a matter. It is NotFound where the file is
// not in it.
func (t *Tx) TakeOutOfMatter(ctx context.Context, in Scope, matterID, fileID string) (File, error) {
	if err := t.NeedMatterFile(ctx, in, matterID, fileID); err != nil {
		return File{}, err
	}
	none := ""
	return t.UpdateFile(ctx, in, fileID, FileUpdate{MatterID: &none})
}

// NeedMatterFile is NotFound unless the file is in the matter. It is held until
// the transaction ends.
func (t *Tx) NeedMatterFile(ctx context.Context, in Scope, matterID, fileID string) error {
	f, err := t.FileForUpdate(ctx, in, fileID)
	if err == nil && text(f.MatterID) != matterID {
		return errNotFound
	}
	return err
}

// fileMoved writes that a file left one matter and joined another; nil is none.
func (t *Tx) fileMoved(ctx context.Context, in Scope, fileID string, from, to *string) error {
	if text(from) == text(to) {
		return nil
	}
	for _, step := range []struct {
		matter *string
		action string
	}{{from, "matter.file_removed"}, {to, "matter.file_added"}} {
		if step.matter == nil {
			continue
		}
		if err := t.Audit(ctx, in, step.action, "matter", *step.matter, map[string]any{"fileId": fileID}); err != nil {
			return err
		}
		if err := t.emit(ctx, in.TeamID, step.action, *step.matter, MatterFileData{*step.matter, fileID}); err != nil {
			return err
		}
	}
	return nil
}

// TimelineEvent is something that happened to a matter or to one of its files.
type TimelineEvent struct {
	AuditEvent
	ActorName *string `db:"actor_name"` // of a person
	AboutID   *string `db:"about_id"`   // the file that it is about
	FileName  *string `db:"file_name"`  // nil once the file is gone
}

// Timeline lists what happened to a matter, to the files that are in it, and to
// those that were while they were, newest first, before the event with id before
// (0 for the newest).
func (q Queries) Timeline(ctx context.Context, in Scope, matterID string, before int64, limit int) ([]TimelineEvent, error) {
	return many[TimelineEvent](ctx, q, `
		WITH latest AS (
			(SELECT id FROM audit_events WHERE team_id = @team AND matter_id = @matter AND (@before = 0 OR id < @before) ORDER BY id DESC LIMIT @limit)
			UNION
			SELECT e.id FROM files f CROSS JOIN LATERAL (
				SELECT id FROM audit_events WHERE team_id = @team AND resource_id = f.id AND (@before = 0 OR id < @before) ORDER BY id DESC LIMIT @limit
			) e WHERE f.matter_id = @matter AND f.team_id = @team
		), happened AS (
			SELECT `+auditColumns+`,
				coalesce(CASE WHEN resource_kind = 'file' THEN resource_id ELSE file_id END, (data ->> 'fileId')::uuid) AS about_id
			FROM audit_events WHERE id IN (SELECT id FROM latest ORDER BY id DESC LIMIT @limit)
		)
		SELECT h.*, coalesce(nullif(u.name, ''), u.email, s.name) AS actor_name, f.name AS file_name
		FROM happened h
		LEFT JOIN users u ON h.actor_kind = 'user' AND u.id = h.actor_id
		LEFT JOIN service_accounts s ON h.actor_kind = 'service' AND s.id = h.actor_id
		LEFT JOIN files f ON f.id = h.about_id AND f.team_id = @team
		ORDER BY h.id DESC`, args{"team": in.TeamID, "matter": matterID, "before": before, "limit": limit})
}

// text is the string behind p, "" for nil.
func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// timeOf is the time behind p, the zero time for nil.
func timeOf(p *time.Time) time.Time {
	if p == nil {
		return time.Time{}
	}
	return *p
}
