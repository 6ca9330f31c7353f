package db

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// FileStatus is the processing status of a file.
type FileStatus string

// The statuses. Queued and Processing are on their way; the others are ends.
const (
	FileQueued       FileStatus = "queued"
	FileProcessing   FileStatus = "processing"
	FileCompleted    FileStatus = "completed"
	FileWithWarnings FileStatus = "completed_with_warnings"
	FileFailed       FileStatus = "failed"
	FileCancelled    FileStatus = "cancelled"
)

// Terminal reports whether nothing more will happen by itself.
func (s FileStatus) Terminal() bool { return s != FileQueued && s != FileProcessing }

// FileStage is the step of the pipeline that a file has reached.
type FileStage string

// The stages, in order.
const (
	StageReceived  FileStage = "received"
	StageExtract   FileStage = "extract"
	StageRecognize FileStage = "recognize"
	StageSegment   FileStage = "segment"
	StageClassify  FileStage = "classify"
	StageIndex     FileStage = "index"
	StageDone      FileStage = "done"
)

// Party is one side of a contract.
type Party struct {
	Name string `json:"name" minLength:"1" maxLength:"500" doc:"Name as written in the contract"`
	Role string `json:"role,omitempty" maxLength:"200" doc:"Role in the contract: Supplier, Licensor, …"`
}

// Warning is something a reader of a completed file should know.
type Warning struct {
	Code    string `json:"code"`
	Pages   []int  `json:"pages,omitempty"`
	Message string `json:"message"`
}

// FileOptions steer one attempt.
type FileOptions struct {
	From      string `json:"from,omitempty"`      // the stage to start again from: extract, segment or index
	OCR       string `json:"ocr,omitempty"`       // auto, force or never
	Languages string `json:"languages,omitempty"` // Tesseract codes joined by +
	Unread    bool   `json:"unread,omitempty"`    // the bytes are new to the file
}

// FileState is how far a file has come. It is asked for more often than
// anything else, so it can be read by itself.
type FileState struct {
	ID                string     `db:"id"`
	Status            FileStatus `db:"status"`
	Stage             FileStage  `db:"stage"`
	Attempt           int        `db:"attempt"`
	PageCount         int        `db:"page_count"`
	PagesDone         int        `db:"pages_done"`
	PagesOCR          int        `db:"pages_ocr"`
	Entries           int        `db:"entries"`      // of an archive or a message; 0 until they were counted
	EntriesDone       int        `db:"entries_done"` // the last one processed; the next run resumes there
	Warnings          []Warning  `db:"warnings"`
	ErrorCode         *string    `db:"error_code"`
	ErrorStage        *string    `db:"error_stage"`
	ErrorMessage      *string    `db:"error_message"`
	ErrorPage         *int       `db:"error_page"`
	TextReady         bool       `db:"text_ready"`
	Generation        int        `db:"generation"`
	IndexedGeneration int        `db:"indexed_generation"`
	QueuedAt          time.Time  `db:"queued_at"`
	StartedAt         *time.Time `db:"started_at"`
	FinishedAt        *time.Time `db:"finished_at"`
	ProgressAt        time.Time  `db:"progress_at"`
}

// File is one uploaded document and all that is known of it.
type File struct {
	FileState

	TeamID             string          `db:"team_id"`
	Name               string          `db:"name"`
	Path               string          `db:"path"` // the folder that it lay in, where that is known
	Kind               string          `db:"kind"`
	ContentType        string          `db:"content_type"`
	Size               int64           `db:"size"`
	SHA256             []byte          `db:"sha256"`
	Source             string          `db:"source"`
	DocumentTypeID     *string         `db:"document_type_id"`
	DocumentTypeSource *string         `db:"document_type_source"`
	DocumentTypeScore  *float32        `db:"document_type_score"`
	MatterID           *string         `db:"matter_id"`
	Parties            []Party         `db:"parties"`
	Counterparties     []string        `db:"counterparties"`
	PartiesSource      *string         `db:"parties_source"` // read or given: of both
	Metadata           json.RawMessage `db:"metadata"`
	LifecycleStage     LifecycleStage  `db:"lifecycle_stage"`
	DuplicateOf        *string         `db:"duplicate_of"`
	ParentID           *string         `db:"parent_id"`
	Version            int             `db:"version"`
	CreatedBy          *string         `db:"created_by"`
	CreatedAt          time.Time       `db:"created_at"`
	UpdatedAt          time.Time       `db:"updated_at"`
	Bulk               bool            `db:"bulk"`
	Options            FileOptions     `db:"options"` // of the present attempt
	Language           string          `db:"language"`
	BytesID            string          `db:"bytes_id"`        // where the bytes of the current version lie: see blob.Of
	CurrentVersion     int             `db:"current_version"` // of the document; Version also counts changes that users make to the row
	TextVersion        int             `db:"text_version"`    // whose text is there, where there is one
	PagesAhead         bool            `db:"pages_ahead"`     // the pages are not those that the text was made of
}

const fileColumns = `id, status, stage, attempt, page_count, pages_done, pages_ocr, entries, entries_done, warnings,
	error_code, error_stage, error_message, error_page, text_ready, generation, indexed_generation,
	queued_at, started_at, finished_at, progress_at, team_id, name, path, kind, content_type, size, sha256, source, document_type_id,
	document_type_source, document_type_score, matter_id, parties, counterparties, parties_source, metadata, lifecycle_stage,
	duplicate_of, parent_id, version, created_by, created_at, updated_at, bulk, options, language,
	coalesce(bytes_id, id) AS bytes_id, current_version, text_version, pages_ahead`

// Current reports whether the text that is there is that of the current version.
func (f File) Current() bool { return f.TextReady && f.TextVersion == f.CurrentVersion }

// Unreadable is why there is no text, and none will come by itself: nil where some
// is there, or still may come.
func (f File) Unreadable() error {
	reason := "it is an archive: ask for the files that came out of it"
	switch {
	case f.TextReady || !f.Status.Terminal():
		return nil
	case f.Status == FileFailed:
		reason = text(f.ErrorMessage)
	case f.Status == FileCancelled:
		reason = "its reading was cancelled: reprocess it"
	}
	return &fault.Error{Kind: fault.Conflict, Code: "no_text", Message: "there is no text of this file: " + reason}
}

// Searchable reports whether the text that is there now can be found.
func (f FileState) Searchable() bool { return f.TextReady && f.IndexedGeneration >= f.Generation }

// Progress is the share of the pipeline that is behind the file, 0 to 1. Pages
// are what takes time, so they make up most of it.
func (f FileState) Progress() float64 {
	switch {
	case f.Status == FileCompleted || f.Status == FileWithWarnings:
		return 1
	case f.Stage == StageReceived && f.Entries > 0:
		return 0.9 * float64(f.EntriesDone) / float64(f.Entries)
	case f.Stage == StageReceived:
		return 0
	case f.Stage == StageExtract || f.Stage == StageRecognize:
		if f.PageCount == 0 {
			return 0.02
		}
		return 0.02 + 0.88*float64(min(f.PagesDone, f.PageCount))/float64(f.PageCount)
	case f.Stage == StageSegment:
		return 0.92
	default:
		return 0.96
	}
}

// Retryable reports whether another attempt could end differently; it means
// something only for a failed file.
func (f FileState) Retryable() bool {
	if f.ErrorCode == nil {
		return false
	}
	switch fault.Code(*f.ErrorCode) {
	case fault.OCRTimeout, fault.OCRCrash, fault.OCRMemory, fault.ConversionFailed, fault.IndexUnavailable, fault.BytesLost, fault.InternalCode:
		return true
	case fault.PasswordProtected, fault.UnsupportedType, fault.CorruptFile, fault.EmptyFile, fault.FileTooLarge, fault.TooManyPages:
		return false
	}
	return false
}

// NewFile is what an upload brings.
type NewFile struct {
	ID             string          `json:"id"`
	Name           string          `json:"name"`
	Path           string          `json:"path"`
	Kind           string          `json:"kind"`
	ContentType    string          `json:"content_type"`
	Size           int64           `json:"size"`
	SHA256         []byte          `json:"sha256"`
	Source         string          `json:"source"`
	DocumentTypeID string          `json:"document_type_id,omitempty"`
	MatterID       string          `json:"matter_id,omitempty"`
	Parties        []Party         `json:"parties,omitempty"`
	CategoryIDs    []string        `json:"-"`
	Metadata       json.RawMessage `json:"metadata,omitempty"`
	Bulk           bool            `json:"bulk"`
	ParentID       string          `json:"parent_id,omitempty"` // with Entry, for a file out of an archive or a message
	Entry          int             `json:"entry,omitempty"`
}

// CreateFile records an upload, as CreateFiles does.
func (t *Tx) CreateFile(ctx context.Context, in Scope, f NewFile) (File, error) {
	rows, err := t.CreateFiles(ctx, in, []NewFile{f})
	if err != nil {
		return File{}, err
	}
	return rows[0], nil
}

// CreateFiles records uploads, each with the oldest file of the team that has
// the same bytes as what it duplicates, and its first version. A document type
// or matter of another team is Invalid. One that came out of another file is in
// the same matter and has the same metadata and the same uploader; one out of an
// archive, the type and the parties that were given as well.
func (t *Tx) CreateFiles(ctx context.Context, in Scope, list []NewFile) ([]File, error) {
	checked := map[string]bool{}
	for _, f := range list {
		if f.ParentID == "" && f.Metadata != nil && !checked[string(f.Metadata)] { // what is inherited was checked
			if err := t.checkMetadata(ctx, in, nil, f.Metadata); err != nil {
				return nil, err
			}
			checked[string(f.Metadata)] = true
		}
		for _, ref := range []struct{ table, id, what string }{
			{"document_types", f.DocumentTypeID, "documentTypeId"},
			{"matters", f.MatterID, "matterId"},
		} {
			if ref.id == "" || checked[ref.table+ref.id] {
				continue
			}
			if err := t.owned(ctx, in, ref.table, ref.id, ref.what); err != nil {
				return nil, err
			}
			checked[ref.table+ref.id] = true
		}
	}
	// A file that is just going away is no original: its deletion would have to be
	// waited for.
	rows, err := many[File](ctx, t.Queries, `
		INSERT INTO files (id, team_id, name, path, kind, content_type, size, sha256, source, document_type_id, document_type_source,
			matter_id, parties, parties_source, metadata, bulk, parent_id, entry, created_by, duplicate_of)
		SELECT id, @team, name, path, kind, content_type, size, sha256, source, document_type_id, CASE WHEN document_type_id IS NOT NULL THEN 'assigned' END,
			matter_id, coalesce(parties, '[]'), CASE WHEN parties IS NOT NULL THEN 'given' END, coalesce(metadata, '{}'), bulk, parent_id, entry, created_by,
			coalesce(
				(SELECT o.id FROM files o WHERE o.team_id = @team AND o.sha256 = new.sha256 AND `+seenBeside("o", "new.matter_id")+` ORDER BY o.duplicate_of IS NOT NULL, o.id LIMIT 1 FOR KEY SHARE SKIP LOCKED),
				nullif(first_value(id) OVER (PARTITION BY sha256 ORDER BY nth), id))
		FROM (
			SELECT f.id, f.name, f.path, f.kind, f.content_type, f.size, decode(f.sha256, 'base64') AS sha256, f.source, f.bulk, f.parent_id, f.entry,
				coalesce(f.document_type_id, CASE WHEN f.source = 'zip' AND p.document_type_source = 'assigned' THEN p.document_type_id END) AS document_type_id,
				coalesce(f.matter_id, p.matter_id) AS matter_id,
				coalesce(f.parties, CASE WHEN f.source = 'zip' AND p.parties_source = 'given' THEN p.parties END) AS parties,
				coalesce(f.metadata, p.metadata) AS metadata, coalesce(@user, p.created_by) AS created_by, f.nth
			FROM ROWS FROM (jsonb_to_recordset(@files) AS (id uuid, name text, path text, kind text, content_type text, size bigint, sha256 text,
				source text, document_type_id uuid, matter_id uuid, parties jsonb, metadata jsonb, bulk boolean, parent_id uuid, entry int)) WITH ORDINALITY
				AS f (id, name, path, kind, content_type, size, sha256, source, document_type_id, matter_id, parties, metadata, bulk, parent_id, entry, nth)
			LEFT JOIN LATERAL (SELECT * FROM files WHERE id = f.parent_id AND team_id = @team LIMIT 1) p ON true
		) new
		ORDER BY nth
		RETURNING `+fileColumns, args{"team": in.TeamID, "files": list, "user": nullable(in.UserID())})
	if err != nil {
		return nil, err
	}
	if err := t.categorizeNew(ctx, in, list); err != nil {
		return nil, err
	}
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
		if row.MatterID != nil {
			if err := t.emit(ctx, in.TeamID, "matter.file_added", *row.MatterID, MatterFileData{*row.MatterID, row.ID}); err != nil {
				return nil, err
			}
		}
		if err := t.fileEvent(ctx, row); err != nil {
			return nil, err
		}
	}
	if in.UserID() == "" { // of people the database knows by itself
		if _, err := exec(ctx, t.Queries, `UPDATE file_versions SET author_kind = @kind, author_id = @actor WHERE file_id = ANY(@ids) AND author_kind IS NULL`,
			args{"ids": ids, "kind": in.ActorKind, "actor": nullable(in.ActorID)}); err != nil {
			return nil, err
		}
	}
	_, err = exec(ctx, t.Queries, `
		INSERT INTO audit_events (team_id, actor_kind, actor_id, action, resource_kind, resource_id, data, matter_id)
		SELECT @team, @actor_kind, @actor, a.action, a.kind, a.resource, a.data, f.matter_id
		FROM unnest(@ids::uuid[]) WITH ORDINALITY new (id, nth) JOIN files f ON f.id = new.id
		CROSS JOIN LATERAL (VALUES
			('file.created', 'file', f.id, jsonb_build_object('size', f.size, 'contentType', f.content_type)),
			('matter.file_added', 'matter', f.matter_id, jsonb_build_object('fileId', f.id))) a (action, kind, resource, data)
		WHERE a.resource IS NOT NULL ORDER BY new.nth`,
		args{"team": in.TeamID, "actor_kind": in.ActorKind, "actor": nullable(in.ActorID), "ids": ids})
	return rows, err
}

// owned is Invalid unless table has that row for the team, where it then stays
// until the transaction ends: something is to refer to it. The table is one of
// ours, never a caller's word.
func (t *Tx) owned(ctx context.Context, in Scope, table, id, what string) error {
	seen := ""
	switch table {
	case "files":
		seen = in.sees("files")
	case "matters":
		seen = in.seesMatter("id")
	}
	_, err := value[bool](ctx, t.Queries, `SELECT true FROM `+table+` WHERE id = @id AND team_id = @team`+seen+` FOR KEY SHARE`, in.args(args{"id": id}))
	if fault.KindOf(err) == fault.NotFound {
		return fault.Newf(fault.Invalid, "%s does not exist in this team", what)
	}
	return err
}

// File is one file.
func (q Queries) File(ctx context.Context, in Scope, id string) (File, error) {
	return one[File](ctx, q, `SELECT `+fileColumns+` FROM files WHERE id = @id AND team_id = @team`+in.sees("files"),
		in.args(args{"id": id}))
}

// FileState is how far one file has come.
func (q Queries) FileState(ctx context.Context, in Scope, id string) (FileState, error) {
	states, err := q.FileStates(ctx, in.Hidden, []FileRef{{TeamID: in.TeamID, FileID: id}})
	if err != nil {
		return FileState{}, err
	}
	if states[0].ID == "" {
		err = classify(pgx.ErrNoRows)
	}
	return states[0], err
}

// FileStates is how far files have come, in their order. It is the zero FileState for one
// that is not there: not in its team, or in a matter that is hidden.
func (q Queries) FileStates(ctx context.Context, hidden []string, files []FileRef) ([]FileState, error) {
	ids, teams := make([]string, len(files)), make([]string, len(files))
	for i, f := range files {
		ids[i], teams[i] = f.FileID, f.TeamID
	}
	in := Scope{Hidden: hidden}
	rows, _ := q.conn.Query(ctx, `
		SELECT a.at, f.id::text, f.status, f.stage, f.attempt, f.page_count, f.pages_done, f.pages_ocr, f.entries, f.entries_done, f.warnings::text,
			f.error_code, f.error_stage, f.error_message, f.error_page, f.text_ready, f.generation, f.indexed_generation,
			f.queued_at, f.started_at, f.finished_at, f.progress_at
		FROM unnest(`+opaque("ids", "uuid[]")+`, `+opaque("teams", "uuid[]")+`) WITH ORDINALITY a (id, team_id, at)
		JOIN files f ON f.id = a.id AND f.team_id IS NOT DISTINCT FROM a.team_id`+in.sees("f"), in.args(args{"ids": ids, "teams": teams}))
	found, err := pgx.CollectRows(rows, scanFileState)
	states := make([]FileState, len(files))
	for _, s := range found {
		states[s.at-1] = s.FileState
	}
	return states, classify(err)
}

// placedState is the state of a file, and the place from 1 that it was asked for in.
type placedState struct {
	FileState

	at int64
}

// scanFileState gives the columns to types that pgx scans as they are: to find a
// way to others, for each row anew, is a twelfth of the work on the most frequent
// of all requests. They are in one place, as each would else be one of its own in
// memory.
func scanFileState(from pgx.CollectableRow) (placedState, error) {
	var row struct {
		placedState
		warnings                            string
		code, stage, message                pgtype.Text
		page                                pgtype.Int4
		queued, started, finished, progress pgtype.Timestamptz
	}
	s := &row.FileState
	err := from.Scan(
		&row.at, &s.ID, (*string)(&s.Status), (*string)(&s.Stage), &s.Attempt, &s.PageCount, &s.PagesDone, &s.PagesOCR,
		&s.Entries, &s.EntriesDone, &row.warnings,
		&row.code, &row.stage, &row.message, &row.page, &s.TextReady, &s.Generation, &s.IndexedGeneration,
		&row.queued, &row.started, &row.finished, &row.progress)
	if err != nil {
		return placedState{}, err
	}
	s.ErrorCode, s.ErrorStage = ifValid(row.code.String, row.code.Valid), ifValid(row.stage.String, row.stage.Valid)
	s.ErrorMessage, s.ErrorPage = ifValid(row.message.String, row.message.Valid), ifValid(int(row.page.Int32), row.page.Valid)
	s.QueuedAt, s.ProgressAt = row.queued.Time, row.progress.Time
	s.StartedAt, s.FinishedAt = ifValid(row.started.Time, row.started.Valid), ifValid(row.finished.Time, row.finished.Valid)
	s.Warnings = []Warning{}
	if row.warnings != "[]" {
		err = json.Unmarshal([]byte(row.warnings), &s.Warnings)
	}
	return row.placedState, err
}

// ifValid is nil where a column was null.
func ifValid[T any](value T, valid bool) *T {
	if !valid {
		return nil
	}
	return &value
}

// FileForUpdate is File, held until the transaction ends.
func (t *Tx) FileForUpdate(ctx context.Context, in Scope, id string) (File, error) {
	return one[File](ctx, t.Queries, `SELECT `+fileColumns+` FROM files WHERE id = @id AND team_id = @team`+in.sees("files")+` FOR NO KEY UPDATE`,
		in.args(args{"id": id}))
}

// FileFilter narrows a list of files; the zero filter is all of them. What is
// given must all hold.
type FileFilter struct {
	IDs            []string
	Statuses       []string
	Causes         []string // error codes of failed files
	UpdatedSince   time.Time
	DocumentTypeID string
	MatterID       string
	LifecycleStage string
	Name           string       // part of the name, any case
	Where          query.Filter // of query.Files, and checked
}

// tree is f as one condition.
func (f FileFilter) tree() query.Filter {
	return query.And(
		among(query.File, f.IDs), among(query.Status, f.Statuses), among(query.ErrorCode, f.Causes),
		when(query.UpdatedAt, query.Above, f.UpdatedSince),
		same(query.DocumentType, f.DocumentTypeID), same(query.Matter, f.MatterID), same(query.LifecycleStage, f.LifecycleStage),
		part(query.Name, f.Name), f.Where)
}

func (f FileFilter) where(in Scope, a args) (string, error) {
	condition, err := conditions(f.tree(), in.args(a), query.Files)
	return "f.team_id = @team" + in.sees("f") + also(condition), err
}

// ListedFile is a file with its place in a list.
type ListedFile struct {
	File

	Value *string `db:"value"` // of what the list is ordered by
}

// Place is where a page begins that comes after f.
func (f ListedFile) Place() Place { return Place{f.Value, f.ID} }

// ListFiles lists files that match filter, in an order, starting after a place.
func (q Queries) ListFiles(ctx context.Context, in Scope, filter FileFilter, order Order, after Place, limit int) ([]ListedFile, error) {
	a := args{"limit": limit}
	where, err := filter.where(in, a)
	if err != nil {
		return nil, err
	}
	value, rest, sorted := order.page(query.Files, after, a)
	return many[ListedFile](ctx, q.forValues(), `
		SELECT `+fileColumns+`, `+value+` AS value FROM files f
		WHERE `+where+` AND `+rest+sorted+` LIMIT @limit`, a)
}

// Files is ListFiles, newest first, starting after the id `after` (exclusive; ""
// starts at the top).
func (q Queries) Files(ctx context.Context, in Scope, filter FileFilter, after string, limit int) ([]File, error) {
	listed, err := q.ListFiles(ctx, in, filter, Order{}, Place{ID: after}, limit)
	rows := make([]File, len(listed))
	for i, f := range listed {
		rows[i] = f.File
	}
	return rows, err
}

// CountFiles counts what Files would list. Nearly all files are completed, so where these
// are asked for the others are counted, and taken from all.
func (q Queries) CountFiles(ctx context.Context, in Scope, filter FileFilter) (int, error) {
	a := args{}
	var others string
	all := filter
	all.Statuses = nil
	if slices.Contains(filter.Statuses, string(FileCompleted)) && countable(all.tree()) {
		left := filter
		left.Statuses = []string{}
		for _, status := range FileStatuses() {
			if !slices.Contains(filter.Statuses, string(status)) {
				left.Statuses = append(left.Statuses, string(status))
			}
		}
		where, err := left.where(in, a)
		if err != nil {
			return 0, err
		}
		filter, others = all, ` - (SELECT count(*) FROM files f WHERE `+where+`)`
	}
	where, err := filter.where(in, a)
	if err != nil {
		return 0, err
	}
	count := `count(*) FROM files`
	if countable(filter.tree()) {
		count = `coalesce(sum(f.files), 0) FROM ` + fileFigures
	}
	return value[int](ctx, q, `SELECT ((SELECT `+count+` f WHERE `+where+`)`+others+`)::int`, a)
}

// FileIDs lists the ids that match filter, oldest first, at most limit.
func (q Queries) FileIDs(ctx context.Context, in Scope, filter FileFilter, limit int) ([]string, error) {
	a := args{"limit": limit}
	where, err := filter.where(in, a)
	if err != nil {
		return nil, err
	}
	return values[string](ctx, q.forValues(), `SELECT id::text FROM files f WHERE `+where+` ORDER BY f.id LIMIT @limit`, a)
}

// FileUpdate changes what users set on a file. A nil field stays; a
// pointer to "" takes an id back: the type is again what the model says.
type FileUpdate struct {
	Name           *string
	DocumentTypeID *string
	MatterID       *string
	Parties        *[]Party
	Counterparties *[]string
	CategoryIDs    *[]string
	ReadParties    bool // takes back what was said of both: they are again what was read
	Metadata       json.RawMessage
	IfVersion      int // 0 for any; otherwise another version is Conflict
}

// UpdateFile applies u. The audit has which fields changed, and of ids and
// sources what they were and are.
func (t *Tx) UpdateFile(ctx context.Context, in Scope, id string, u FileUpdate) (File, error) {
	var places []TrashKind
	if u.DocumentTypeID != nil {
		places = append(places, TrashedDocumentType)
	}
	if u.MatterID != nil {
		places = append(places, TrashedMatter)
	}
	locked, err := t.holdHolders(ctx, in, id, places)
	if err != nil {
		return File{}, err
	}
	before, err := t.FileForUpdate(ctx, in, id)
	if err != nil {
		return File{}, err
	}
	if u.IfVersion != 0 && u.IfVersion != before.Version {
		return File{}, errStale
	}
	if err := t.unhold(ctx, in, id, places, locked); err != nil {
		return File{}, err
	}
	if err := t.checkMetadata(ctx, in, before.Metadata, u.Metadata); err != nil {
		return File{}, err
	}
	for _, ref := range []struct {
		table string
		id    *string
		what  string
	}{{"document_types", u.DocumentTypeID, "documentTypeId"}, {"matters", u.MatterID, "matterId"}} {
		if ref.id == nil || *ref.id == "" {
			continue
		}
		if err := t.owned(ctx, in, ref.table, *ref.id, ref.what); err != nil {
			return File{}, err
		}
	}
	row, err := one[File](ctx, t.Queries, `
		UPDATE files SET
			name             = coalesce(@name, name),
			document_type_id     = CASE WHEN @type::text IS NULL THEN document_type_id WHEN @type = '' THEN guessed_type ELSE @type::uuid END,
			document_type_source = CASE WHEN @type::text IS NULL THEN document_type_source WHEN @type = '' THEN guessed_source ELSE 'assigned' END,
			document_type_score  = CASE WHEN @type::text IS NULL THEN document_type_score WHEN @type = '' THEN guessed_score END,
			matter_id        = CASE WHEN @matter::text IS NULL THEN matter_id ELSE nullif(@matter, '')::uuid END,
			parties          = CASE WHEN @read THEN '[]' ELSE coalesce(@parties, parties) END,
			counterparties   = CASE WHEN @read THEN '{}' ELSE coalesce(@counterparties, counterparties) END,
			parties_source   = CASE WHEN @read THEN NULL WHEN @parties IS NULL AND @counterparties::text[] IS NULL THEN parties_source ELSE 'given' END,
			metadata         = coalesce(@metadata, metadata),
			version          = version + 1, updated_at = now(), progress_at = now()
		FROM `+guessedType+`
		WHERE id = @id AND team_id = @team
		RETURNING `+fileColumns, args{
		"id": id, "team": in.TeamID, "name": u.Name, "type": u.DocumentTypeID, "matter": u.MatterID,
		"parties": u.Parties, "counterparties": u.Counterparties, "read": u.ReadParties, "metadata": u.Metadata,
	})
	if err != nil {
		return File{}, err
	}
	if u.ReadParties {
		if err := t.readParties(ctx, in, id); err != nil {
			return File{}, err
		}
		if row, err = t.File(ctx, in, id); err != nil {
			return File{}, err
		}
	}
	difference := fileDifference(before, row)
	if u.CategoryIDs != nil {
		if err := t.refile(ctx, in, id, *u.CategoryIDs, difference); err != nil {
			return File{}, err
		}
	}
	if err := t.Audit(ctx, in, "file.updated", "file", id, difference); err != nil {
		return File{}, err
	}
	if err := t.fileMoved(ctx, in, id, before.MatterID, row.MatterID); err != nil {
		return File{}, err
	}
	if text(before.MatterID) != text(row.MatterID) {
		if err := t.renewShared(ctx, in, `f.id = @file`, id); err != nil {
			return File{}, err
		}
	}
	return row, t.fileEvent(ctx, row)
}

// refile replaces the categories of a file, and adds them to the audit's record of
// the change.
func (t *Tx) refile(ctx context.Context, in Scope, id string, categories []string, difference map[string]any) error {
	ids := func() ([]string, error) {
		return values[string](ctx, t.Queries, `SELECT unnest(`+categorizedFiles.of("f")+`) FROM files f WHERE f.id = @id AND f.team_id = @team`,
			args{"id": id, "team": in.TeamID})
	}
	before, err := ids()
	if err != nil {
		return err
	}
	if err := t.recategorize(ctx, in, categorizedFiles, []string{id}, categories); err != nil {
		return err
	}
	after, err := ids()
	if !slices.Equal(before, after) {
		fields, _ := difference["fields"].([]string)
		difference["fields"], difference["categoryIds"] = append(fields, "categoryIds"), [2][]string{list(before), list(after)}
	}
	return err
}

// fileDifference is the audit's record of a change: the fields in which two states of
// a file differ, and the old and new values of ids and sources.
func fileDifference(a, b File) map[string]any {
	fields := []string{}
	data := map[string]any{}
	for _, f := range []struct {
		name    string
		changed bool
	}{
		{"name", a.Name != b.Name},
		{"parties", !slices.Equal(a.Parties, b.Parties)},
		{"counterparties", !slices.Equal(a.Counterparties, b.Counterparties)},
		{"metadata", !bytes.Equal(a.Metadata, b.Metadata)},
	} {
		if f.changed {
			fields = append(fields, f.name)
		}
	}
	for _, f := range []struct {
		name        string
		before, now *string
	}{
		{"documentTypeId", a.DocumentTypeID, b.DocumentTypeID},
		{"documentTypeSource", a.DocumentTypeSource, b.DocumentTypeSource},
		{"matterId", a.MatterID, b.MatterID},
		{"partiesSource", a.PartiesSource, b.PartiesSource},
	} {
		if text(f.before) != text(f.now) {
			fields = append(fields, f.name)
			data[f.name] = [2]*string{f.before, f.now}
		}
	}
	data["fields"] = fields
	return data
}

// leaveCopies is for a file that goes, or gets other bytes: from now on the oldest
// of its copies is what the others duplicate.
func (t *Tx) leaveCopies(ctx context.Context, in Scope, id string) error {
	_, err := exec(ctx, t.Queries, `
		WITH copies AS (
			SELECT id FROM files WHERE team_id = @team AND duplicate_of = @id
				AND sha256 = (SELECT sha256 FROM files WHERE id = @id AND team_id = @team)
			ORDER BY id FOR NO KEY UPDATE
		)
		UPDATE files f SET duplicate_of = nullif((SELECT id FROM copies ORDER BY id LIMIT 1), f.id) FROM copies c WHERE f.id = c.id`,
		args{"id": id, "team": in.TeamID})
	return err
}
