package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/query"
)

// matters serves pieces of legal work and what happens in them: section 4.10 of
// the specification begins here.
func (a *API) matters() {
	session := a.area("Matters", withSession)
	get(session, "/api/matters", "listMatters", "List matters", a.listMatters, describe(
		"Lists the matters of the team, newest first or in the order of `sort`. A matter is listed only if it matches all given filters. `filter` takes any condition on matters: matterStage, matterParty, matterCreatedAt and others."))
	create(a, session, "/api/matters", "createMatter", "Create a matter", a.createMatter, describe(
		"Creates a matter. Its owner is `ownerId`, by default the caller. Members who are mentioned in the description, by an at sign before their "+
			"e-mail address, are notified. Stage and status are independent: a matter may be closed at any stage. A restricted matter is visible only to the people listed on it."))
	get(session, "/api/matters/names-list", "listMatterNames", "List the names of matters", a.listMatterNames, describe("Lists ids, names and statuses of matters, by name, for menus."))
	get(session, "/api/matters/{matterId}", "getMatter", "Get a matter", a.getMatter, describe("Returns a matter. A restricted matter is 404 for callers who are not listed on it."))
	put(session, "/api/matters/{matterId}", "updateMatter", "Update a matter", a.updateMatter, describe(
		"Changes a matter. An absent field is left unchanged; `\"\"` removes `ownerId`, and null removes `dueAt`. Stage and status may change to any other value. "+
			"The owner and the assignees are notified. With `If-Match` a stale version is 409."))
	del(session, "/api/matters/{matterId}", "deleteMatter", "Delete a matter", a.deleteMatter, describe(
		"Deletes a matter with its assignments. Its files stay and have no matter until it is restored. The files of a restricted matter, at most 200, are deleted and restored with it. "+purging))
	get(session, "/api/matters/{matterId}/timeline", "listMatterTimeline", "List the events of a matter, newest first", a.matterTimeline, describe(
		"Lists the events of the matter and of its files, newest first. For files that have left the matter, it has the events from the time when they were in it."))
	get(session, "/api/dashboard/matters", "listDashboardMatters", "List matters for the dashboard", a.mattersDashboard, describe(
		"Lists matters that are open or on hold, the most urgent first, with the number of all of them by stage and of those that are overdue."))
}

// Matter is a piece of legal work.
type Matter struct {
	ID              string          `json:"id"`
	Name            string          `json:"name"`
	Description     string          `json:"description"`
	Stage           db.MatterStage  `json:"stage" doc:"Stage of the work"`
	Status          db.MatterStatus `json:"status" doc:"Whether the matter is open, on hold, closed or cancelled"`
	Source          string          `json:"source" doc:"Where the matter came from, as free text"`
	Parties         []db.Party      `json:"parties" nullable:"false"`
	Counterparties  []string        `json:"counterparties" nullable:"false"`
	OwnerID         *string         `json:"ownerId"`
	DueAt           *time.Time      `json:"dueAt"`
	DocumentTypeIDs []string        `json:"documentTypeIds" nullable:"false" doc:"Ids of the document types that it is about"`
	CategoryIDs     []string        `json:"categoryIds" nullable:"false"`
	Access          db.MatterAccess `json:"access" doc:"open: the whole team sees it. restricted: only the people listed on it see it and its contents; for all others, admins included, it is 404"`
	PeopleIDs       []string        `json:"peopleIds" nullable:"false" doc:"For a restricted matter: ids of the users and of the organization's API keys listed on it"`
	Version         int             `json:"version"`
	CreatedBy       *string         `json:"createdBy"`
	CreatedAt       time.Time       `json:"createdAt"`
	UpdatedAt       time.Time       `json:"updatedAt"`
}

func newMatter(m db.Matter) Matter {
	return Matter{
		ID: m.ID, Name: m.Name, Description: m.Description, Stage: m.Stage, Status: m.Status, Source: m.Source,
		Parties: list(m.Parties), Counterparties: list(m.Counterparties), OwnerID: m.OwnerID, DueAt: utc(m.DueAt),
		DocumentTypeIDs: list(m.DocumentTypeIDs), CategoryIDs: list(m.CategoryIDs), Access: m.Access, PeopleIDs: list(m.People), Version: m.Version, CreatedBy: m.CreatedBy,
		CreatedAt: m.CreatedAt.UTC(), UpdatedAt: m.UpdatedAt.UTC(),
	}
}

func (m Matter) address() string { return "/api/matters/" + m.ID }

// hides reports whether m may be hidden from members of the team.
func (m Matter) hides() bool { return m.Access == db.MatterRestricted }

func (m Matter) etag() string { return versionTag(m.Version) }

// versionTag is the ETag of a versioned thing, which If-Match compares.
func versionTag(version int) string { return `"` + strconv.Itoa(version) + `"` }

// contentTag is versionTag for a body that may also change without a new version.
func contentTag(version int, body any) string {
	text, _ := json.Marshal(body) // it is about to be sent as such
	h := fnv.New64a()
	_, _ = h.Write(text) // never fails
	return fmt.Sprintf(`"%d.%x"`, version, h.Sum64())
}

// MatterRef is the request of every operation on one matter.
type MatterRef struct {
	MatterID string `path:"matterId" format:"uuid" doc:"Matter id"`
}

// MatterFilter narrows a list of matters.
type MatterFilter struct {
	Stage        []db.MatterStage  `query:"stage" doc:"Matters in any of these stages"`
	Status       []db.MatterStatus `query:"status" doc:"Matters with any of these statuses"`
	OwnerID      string            `query:"ownerId" format:"uuid"`
	Counterparty string            `query:"counterparty" maxLength:"500" doc:"Name of one of the counterparties, ignoring case"`
	DueBefore    time.Time         `query:"dueBefore"`
	Q            string            `query:"q" maxLength:"200" doc:"Part of the name, ignoring case"`
	Condition
}

// filter is f for the database.
func (f MatterFilter) filter(ctx context.Context, d db.Queries) (db.MatterFilter, error) {
	where, err := f.Condition.filter(ctx, d, query.Matters)
	return db.MatterFilter{
		Stages: words(f.Stage), Statuses: words(f.Status), OwnerID: f.OwnerID, Counterparty: f.Counterparty, DueBefore: f.DueBefore, Name: f.Q, Where: where,
	}, err
}

func (a *API) listMatters(ctx context.Context, in *struct {
	Page
	MatterSort
	MatterFilter
}) (List[Matter], error) {
	order := in.order()
	after, err := in.sortedPlace("matters", query.Matters, order)
	if err != nil {
		return List[Matter]{}, err
	}
	filter, err := in.filter(ctx, a.DB.Queries)
	if err != nil {
		return List[Matter]{}, err
	}
	rows, err := a.DB.Matters(ctx, auth.Scope(ctx), filter, order, after, in.Limit+1)
	if err != nil {
		return List[Matter]{}, err
	}
	rows, more := cut(rows, in.Limit)
	matters := newList(rows, func(m db.ListedMatter) Matter { return newMatter(m.Matter) })
	if more {
		matters.NextCursor = sortedCursor("matters", order, last(rows).Place())
	}
	total, err := a.DB.CountMatters(ctx, auth.Scope(ctx), filter)
	matters.Total = &total
	return matters, err
}

// MatterFields are the fields of a matter other than its name.
type MatterFields struct {
	Description     *string          `json:"description,omitempty" maxLength:"20000"`
	Stage           *db.MatterStage  `json:"stage,omitempty"`
	Status          *db.MatterStatus `json:"status,omitempty"`
	Source          *string          `json:"source,omitempty" maxLength:"200"`
	Parties         *[]db.Party      `json:"parties,omitempty" maxItems:"1000"`
	Counterparties  *[]string        `json:"counterparties,omitempty" maxItems:"1000"`
	OwnerID         *string          `json:"ownerId,omitempty" maxLength:"36" doc:"Id of a member of the team"`
	DueAt           DueDate          `json:"dueAt,omitzero"`
	DocumentTypeIDs *[]string        `json:"documentTypeIds,omitempty" maxItems:"200"`
	CategoryIDs     *Categories      `json:"categoryIds,omitempty"`
	Access          *db.MatterAccess `json:"access,omitempty"`
	PeopleIDs       *[]string        `json:"peopleIds,omitempty" maxItems:"1000" doc:"For restricted access: ids of members and of the organization's API keys. The user who restricts a matter is always listed"`
}

// change is f for the database.
func (f MatterFields) change(name *string) (db.MatterChange, error) {
	name, err := newTitle("body.name", name)
	if err != nil {
		return db.MatterChange{}, err
	}
	if err := namesOne("body.ownerId", f.OwnerID); err != nil {
		return db.MatterChange{}, err
	}
	if f.DocumentTypeIDs != nil {
		for i, id := range *f.DocumentTypeIDs {
			if !isID(id) {
				return db.MatterChange{}, invalid(fmt.Sprintf("body.documentTypeIds[%d]", i), "does not exist in this team")
			}
		}
	}
	categories, err := f.CategoryIDs.change("body.categoryIds")
	if err != nil {
		return db.MatterChange{}, err
	}
	if f.PeopleIDs != nil {
		for i, id := range *f.PeopleIDs {
			if !isID(id) {
				return db.MatterChange{}, invalid(fmt.Sprintf("body.peopleIds[%d]", i), "is not the id of a member or an API key of this team")
			}
		}
	}
	return db.MatterChange{
		CategoryIDs: categories, Access: f.Access, People: f.PeopleIDs, Name: name, Description: f.Description, Stage: f.Stage, Status: f.Status, Source: f.Source, Parties: f.Parties,
		Counterparties: f.Counterparties, OwnerID: f.OwnerID, DueAt: f.DueAt.change(), DocumentTypeIDs: f.DocumentTypeIDs,
	}, nil
}

type createMatterRequest struct {
	OnceKey
	Body struct {
		Name string `json:"name" minLength:"1" maxLength:"300"`
		MatterFields
	}
}

func (a *API) createMatter(ctx context.Context, tx *db.Tx, in *createMatterRequest) (Matter, error) {
	change, err := in.Body.change(&in.Body.Name)
	if err != nil {
		return Matter{}, err
	}
	row, err := tx.CreateMatter(ctx, auth.Scope(ctx), change)
	return newMatter(row), err
}

// MatterName is the name of a matter.
type MatterName struct {
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Status db.MatterStatus `json:"status"`
}

func (a *API) listMatterNames(ctx context.Context, in *struct {
	Page
	MatterFilter
}) (List[MatterName], error) {
	after, err := in.namePlace("matter names")
	if err != nil {
		return List[MatterName]{}, err
	}
	filter, err := in.filter(ctx, a.DB.Queries)
	if err != nil {
		return List[MatterName]{}, err
	}
	rows, err := a.DB.MatterNames(ctx, auth.Scope(ctx), filter, after, in.Limit+1)
	return newPage(rows, in.Limit, "matter names", func(m db.MatterName) MatterName { return MatterName(m) },
		func(m db.MatterName) string { return m.ID + " " + m.Name }), err
}

func (a *API) getMatter(ctx context.Context, in *MatterRef) (Matter, error) {
	row, err := a.DB.Matter(ctx, auth.Scope(ctx), in.MatterID)
	return newMatter(row), err
}

type updateMatterRequest struct {
	MatterRef
	OfVersion
	Body struct {
		Name *string `json:"name,omitempty" minLength:"1" maxLength:"300"`
		MatterFields
	}
}

func (a *API) updateMatter(ctx context.Context, in *updateMatterRequest) (Matter, error) {
	change, err := in.Body.change(in.Body.Name)
	if err != nil {
		return Matter{}, err
	}
	if change.IfVersion, err = ifMatch(in.IfMatch); err != nil {
		return Matter{}, err
	}
	matter, err := inTx(ctx, a, newMatter, func(tx *db.Tx, scope db.Scope) (db.Matter, error) {
		return tx.UpdateMatter(ctx, scope, in.MatterID, change)
	})
	if change.Access != nil || change.People != nil {
		a.auth.ForgetTeam(auth.Scope(ctx).TeamID)
	}
	return matter, err
}

func (a *API) deleteMatter(ctx context.Context, in *struct {
	MatterRef
	Purging
}) (Deleted, error) {
	return a.remove(ctx, in.Purging, "the matter", func(tx *db.Tx, scope db.Scope) (db.TrashEntry, error) {
		entry, within, err := tx.DeleteMatter(ctx, scope, in.MatterID)
		if err != nil || len(within) == 0 {
			return entry, err
		}
		if err := a.stop(ctx, tx, within...); err != nil {
			return entry, err
		}
		return entry, a.settle(ctx, tx, within, nil)
	})
}

// TimelineEvent is something that happened in a matter.
type TimelineEvent struct {
	ID        string        `json:"id"`
	CreatedAt time.Time     `json:"createdAt"`
	Action    string        `json:"action" doc:"What happened: matter.updated, matter.file_added, file.completed, assignment.created, …"`
	Actor     TimelineActor `json:"actor"`
	FileID    *string       `json:"fileId,omitempty" doc:"Id of the file that the event is about"`
	FileName  *string       `json:"fileName,omitempty" doc:"Name of the file; absent if it was deleted"`
	Data      Object        `json:"data" doc:"Depends on the action"`
}

// TimelineActor is who did something.
type TimelineActor struct {
	Kind string  `json:"kind" enum:"user,key,service,system"`
	ID   *string `json:"id,omitempty" doc:"Id of the user, API key or service account"`
	Name *string `json:"name,omitempty" doc:"Name of the user or service account"`
}

func newTimelineEvent(e db.TimelineEvent) TimelineEvent {
	return TimelineEvent{
		ID: strconv.FormatInt(e.ID, 10), CreatedAt: e.CreatedAt.UTC(), Action: e.Action, FileID: e.AboutID, FileName: e.FileName, Data: Object(e.Data),
		Actor: TimelineActor{Kind: e.ActorKind, ID: e.ActorID, Name: e.ActorName},
	}
}

func (a *API) matterTimeline(ctx context.Context, in *struct {
	MatterRef
	Page
}) (List[TimelineEvent], error) {
	scope := auth.Scope(ctx)
	place, err := in.place("timeline")
	if err != nil {
		return List[TimelineEvent]{}, err
	}
	before, err := strconv.ParseInt(cmp.Or(place, "0"), 10, 64)
	if err != nil {
		return List[TimelineEvent]{}, errCursor("query.cursor")
	}
	if err := a.DB.NeedMatter(ctx, scope, in.MatterID); err != nil {
		return List[TimelineEvent]{}, err
	}
	rows, err := a.DB.Timeline(ctx, scope, in.MatterID, before, in.Limit+1)
	return newPage(rows, in.Limit, "timeline", newTimelineEvent, func(e db.TimelineEvent) string { return strconv.FormatInt(e.ID, 10) }), err
}

// MattersDashboard is an overview of the matters that have not ended.
type MattersDashboard struct {
	List[DashboardMatter]
	Stages  []StageCount `json:"stages" nullable:"false" doc:"All stages, in order"`
	Overdue int          `json:"overdue" doc:"Number of matters past their due date"`
}

// DashboardMatter is a matter with the number of its files and assignments.
type DashboardMatter struct {
	Matter
	Files              int  `json:"files"`
	OpenAssignments    int  `json:"openAssignments" doc:"Number of open assignments to the matter and to its files"`
	OverdueAssignments int  `json:"overdueAssignments"`
	Overdue            bool `json:"overdue" doc:"Whether it is past its due date"`
}

// StageCount is how many matters are in a stage.
type StageCount struct {
	Stage   db.MatterStage `json:"stage"`
	Count   int            `json:"count"`
	Overdue int            `json:"overdue"`
}

func newDashboardMatter(m db.MatterOverview) DashboardMatter {
	return DashboardMatter{newMatter(m.Matter), m.Files, m.Open, m.Late, m.Overdue}
}

func (a *API) mattersDashboard(ctx context.Context, in *struct {
	Page
	MatterFilter
}) (MattersDashboard, error) {
	scope := auth.Scope(ctx)
	after, err := in.duePlace("dashboard")
	if err != nil {
		return MattersDashboard{}, err
	}
	filter, err := in.filter(ctx, a.DB.Queries)
	if err != nil {
		return MattersDashboard{}, err
	}
	rows, err := a.DB.MatterOverviews(ctx, scope, filter, after, in.Limit+1)
	if err != nil {
		return MattersDashboard{}, err
	}
	stages, all, err := a.DB.MatterCounts(ctx, scope, filter)
	out := MattersDashboard{
		List:    newPage(rows, in.Limit, "dashboard", newDashboardMatter, func(m db.MatterOverview) string { return dueCursor(m.DueAt, m.ID) }),
		Stages:  newList(stages, func(c db.MatterCount) StageCount { return StageCount(c) }).Items,
		Overdue: all.Overdue,
	}
	out.Total = &all.Count
	return out, err
}

// mattersFiles serves the files of matters.
func (a *API) mattersFiles() {
	session := a.area("Matters", withSession)
	get(session, "/api/matters/{matterId}/files", "listMatterFiles", "List the files of a matter", a.listMatterFiles, describe("Lists the files of a matter, as the list of files does."))
	patch(session, "/api/matters/{matterId}/files", "updateMatterFile", "Add, remove or update a file of a matter", a.updateMatterFile, describe(
		"Changes a file of the matter and returns the file. `add`, the default, adds it to the matter and removes it from its previous one. `remove` removes it from the matter. `stage` sets its lifecycle stage "+
			"by the rules of `PUT /api/files/{fileId}/lifecycle-stage`; it may be combined with `add`."))

	const values = " Counts are of the files of matters. The chosen values of the other filters and `filter` narrow the files that are counted. The values can be used in conditions on files: documentType, source, matterStage, matterStatus, party or matterParty, counterparty or matterCounterparty."
	facets := a.area("Filters", withSession)
	get(facets, "/api/matters-files/filters", "listMatterFileFilters", "List filters for the files of matters", a.matterFileFilters, describe("Lists all filters for the files of matters, each with its most frequent values and the number of files that have one."+values))
	for facet, id := range map[db.MatterFacet]string{
		"counterparties": "listCounterpartyFilterValues", "document-types": "listDocumentTypeFilterValues", "parties": "listPartyFilterValues",
		"sources": "listSourceFilterValues", "stages": "listStageFilterValues", "statuses": "listStatusFilterValues",
	} {
		description := "Lists the values of one filter, each with the number of its files. `missing` is the number of files without a value." + values
		switch facet {
		case "counterparties", "parties":
			description += " The names are those of the file and of its matter. Names that differ only in case, accents and spaces are one value, with the other spellings as its aliases."
		case "stages", "statuses":
			description += " The values are those of the matter. All are listed, even without files."
		}
		get(facets, "/api/matters-files/filters/"+string(facet), id, "List "+strings.ReplaceAll(string(facet), "-", " ")+" to filter by", a.matterFacet(facet), describe(description))
	}
}

func (a *API) listMatterFiles(ctx context.Context, in *struct {
	MatterRef
	Page
	FileSort
	Status         []db.FileStatus   `query:"status" doc:"Files with any of these statuses"`
	DocumentTypeID string            `query:"documentTypeId" format:"uuid"`
	LifecycleStage db.LifecycleStage `query:"lifecycleStage"`
	Q              string            `query:"q" maxLength:"200" doc:"Part of the name, ignoring case"`
	Condition
}) (List[File], error) {
	if err := a.DB.NeedMatter(ctx, auth.Scope(ctx), in.MatterID); err != nil {
		return List[File]{}, err
	}
	filter, err := FileFilter{
		MatterID: in.MatterID, Status: in.Status, DocumentTypeID: in.DocumentTypeID, LifecycleStage: in.LifecycleStage, Q: in.Q, Condition: in.Condition,
	}.filter(ctx, a.DB.Queries, nil)
	if err != nil {
		return List[File]{}, err
	}
	return a.filesPage(ctx, in.Page, in.FileSort, filter, nil)
}

type updateMatterFileRequest struct {
	MatterRef
	Body struct {
		FileID string            `json:"fileId,omitempty" maxLength:"36"`
		Add    bool              `json:"add,omitempty"`
		Remove bool              `json:"remove,omitempty"`
		Stage  db.LifecycleStage `json:"stage,omitempty"`
	}
}

func (a *API) updateMatterFile(ctx context.Context, in *updateMatterFileRequest) (File, error) {
	scope := auth.Scope(ctx)
	body := in.Body
	var row db.File
	err := a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		if err := tx.NeedMatter(ctx, scope, in.MatterID); err != nil {
			return err
		}
		if body.Add && body.Remove || body.Remove && body.Stage != "" {
			return invalid("body", "can have only one of add, remove and stage, or add and stage")
		}
		if !isID(body.FileID) {
			return invalid("body.fileId", "must be the id of a file")
		}
		switch {
		case body.Remove:
			row, err = tx.TakeOutOfMatter(ctx, scope, in.MatterID, body.FileID)
		case body.Add || body.Stage == "":
			row, err = tx.PutIntoMatter(ctx, scope, in.MatterID, body.FileID)
		default:
			err = tx.NeedMatterFile(ctx, scope, in.MatterID, body.FileID)
		}
		if err != nil || body.Stage == "" {
			return err
		}
		_, row, err = toStage(ctx, tx, body.FileID, body.Stage)
		return err
	})
	if err != nil {
		return File{}, err
	}
	return a.fullFile(ctx, row)
}

// MatterFileFilter narrows the files of matters.
type MatterFileFilter struct {
	MatterID       string            `query:"matterId" format:"uuid"`
	Counterparties []string          `query:"counterparties" maxItems:"100" doc:"Files with any of these values of the filter"`
	DocumentTypes  []string          `query:"documentTypes" maxItems:"100" doc:"Files with any of these values of the filter"`
	Parties        []string          `query:"parties" maxItems:"100" doc:"Files with any of these values of the filter"`
	Sources        []string          `query:"sources" maxItems:"100" doc:"Files with any of these values of the filter"`
	Stages         []db.MatterStage  `query:"stages" doc:"Files of matters in any of these stages"`
	Statuses       []db.MatterStatus `query:"statuses" doc:"Files of matters with any of these statuses"`
	Condition
}

func (f MatterFileFilter) filter(ctx context.Context, d db.Queries) (db.MatterFileFilter, error) {
	where, err := f.Condition.filter(ctx, d, query.Files)
	return db.MatterFileFilter{MatterID: f.MatterID, Where: where, Chosen: map[db.MatterFacet][]string{
		"counterparties": f.Counterparties, "document-types": f.DocumentTypes, "parties": f.Parties,
		"sources": f.Sources, "stages": words(f.Stages), "statuses": words(f.Statuses),
	}}, err
}

// FilterValues is the values of one filter.
type FilterValues struct {
	Key     string        `json:"key"`
	Items   []FilterValue `json:"items" nullable:"false" doc:"Most frequent first"`
	Missing int           `json:"missing" doc:"Number of files without a value"`
	Files   int           `json:"files" doc:"Number of all files counted"`
}

// FilterValue is one value of a filter.
type FilterValue struct {
	Value   string   `json:"value" doc:"The value to filter by"`
	Label   string   `json:"label" doc:"Display name"`
	Aliases []string `json:"aliases,omitempty" nullable:"false" doc:"Other spellings of the label"`
	Count   int      `json:"count" doc:"Number of files that have it"`
}

func newFilterValue(v db.FacetValue) FilterValue {
	return FilterValue{Value: v.Value, Label: v.Label, Aliases: v.Aliases, Count: v.Count}
}

type matterFacetRequest struct {
	MatterFileFilter
	Q     string `query:"q" maxLength:"200" doc:"Part of a label, ignoring case"`
	Limit int    `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"Maximum number of values"`
}

// matterFacet counts the values of one filter.
func (a *API) matterFacet(facet db.MatterFacet) handler[matterFacetRequest, FilterValues] {
	return func(ctx context.Context, in *matterFacetRequest) (FilterValues, error) {
		return a.filterValues(ctx, facet, in)
	}
}

func (a *API) filterValues(ctx context.Context, facet db.MatterFacet, in *matterFacetRequest) (FilterValues, error) {
	filter, err := in.filter(ctx, a.DB.Queries)
	if err != nil {
		return FilterValues{}, err
	}
	found, err := a.DB.MatterFacetValues(ctx, auth.Scope(ctx), facet, filter, in.Q, in.Limit)
	if err != nil {
		return FilterValues{}, err
	}
	out := FilterValues{
		Key: string(facet), Items: newList(found.Items, newFilterValue).Items,
		Missing: found.Missing, Files: found.Total,
	}
	if in.Q != "" {
		return out, nil
	}
	switch facet {
	case "stages":
		out.Items = withAll(out.Items, words(db.MatterStages()))
	case "statuses":
		out.Items = withAll(out.Items, words(db.MatterStatuses()))
	}
	return out, nil
}

// withAll adds values without files.
func withAll(items []FilterValue, values []string) []FilterValue {
	for _, v := range values {
		if !slices.ContainsFunc(items, func(i FilterValue) bool { return i.Value == v }) {
			items = append(items, FilterValue{Value: v, Label: v})
		}
	}
	return items
}

// MatterFileFilters is all filters over the files of matters.
type MatterFileFilters struct {
	Items []MatterFileFacet `json:"items" nullable:"false"`
}

// MatterFileFacet is one filter with its values.
type MatterFileFacet struct {
	Key     string        `json:"key"`
	Label   string        `json:"label" doc:"Display name"`
	Kind    string        `json:"kind" enum:"enum"`
	Multi   bool          `json:"multi" doc:"Whether several values may be chosen; a file must have any of them"`
	Options []FilterValue `json:"options" nullable:"false"`
	Count   int           `json:"count" doc:"Number of files that have a value"`
	Files   int           `json:"files" doc:"Number of all files counted"`
}

// facetLabels are the display names of the filters.
var facetLabels = map[db.MatterFacet]string{
	"counterparties": "Counterparty", "document-types": "Document type", "parties": "Party",
	"sources": "Source", "stages": "Stage of the matter", "statuses": "Status of the matter",
}

func (a *API) matterFileFilters(ctx context.Context, in *matterFacetRequest) (MatterFileFilters, error) {
	out := MatterFileFilters{Items: []MatterFileFacet{}}
	for _, facet := range db.MatterFacets() {
		values, err := a.filterValues(ctx, facet, in)
		if err != nil {
			return MatterFileFilters{}, err
		}
		out.Items = append(out.Items, newMatterFileFacet(facet, values))
	}
	return out, nil
}

func newMatterFileFacet(facet db.MatterFacet, v FilterValues) MatterFileFacet {
	return MatterFileFacet{
		Key: string(facet), Label: facetLabels[facet], Kind: "enum", Multi: true, Options: v.Items, Count: v.Files - v.Missing, Files: v.Files,
	}
}
