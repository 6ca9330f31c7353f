package db

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"sort"
	"strings"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// Attempt names one run of a file through the pipeline. A step that belongs to
// an attempt which was cancelled, ended or overtaken writes nothing.
type Attempt struct {
	FileID string `db:"id"`
	Number int    `db:"attempt"`
}

// ErrOvertaken is the Conflict of a step whose attempt was cancelled, ended or
// overtaken.
var ErrOvertaken = fault.New(fault.Conflict, "this attempt is over")

// OpenAttempt is the file of an attempt that is still wanted, held until the
// transaction ends. It is Conflict where the attempt was cancelled, ended or
// overtaken.
func (t *Tx) OpenAttempt(ctx context.Context, in Scope, a Attempt) (File, error) {
	f, err := t.FileForUpdate(ctx, in, a.FileID)
	if err != nil {
		return File{}, err
	}
	if f.Attempt != a.Number || f.Status.Terminal() {
		return File{}, ErrOvertaken
	}
	return f, nil
}

// PlanOnce has each connection plan the statements of this transaction once, and not in each:
// for one small file that took a quarter of the database's time. It is for statements that find
// their rows by keys, as those of the pipeline do, so that the same plan is right however large
// the tables have become; a plan that was made while they were empty would read them whole.
func (t *Tx) PlanOnce(ctx context.Context) error {
	return later(ctx, t.Queries, `
		SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`)
}

// EnterStage marks the attempt as being worked on in stage.
func (t *Tx) EnterStage(ctx context.Context, in Scope, a Attempt, stage FileStage) (File, error) {
	f, err := one[File](ctx, t.Queries, `
		UPDATE files SET status = 'processing', stage = @stage, started_at = coalesce(started_at, now()), progress_at = now()
		WHERE id = @id AND team_id = @team AND attempt = @attempt AND status IN ('queued', 'processing')
		RETURNING `+fileColumns, args{"id": a.FileID, "team": in.TeamID, "attempt": a.Number, "stage": string(stage)})
	if fault.KindOf(err) == fault.NotFound {
		return File{}, ErrOvertaken
	}
	if err != nil {
		return File{}, err
	}
	return f, t.fileEvent(ctx, f)
}

// SetKind records what a file and its current version turned out to be, and how
// many pages it has where that shows before they are read: pages is 0 otherwise.
func (t *Tx) SetKind(ctx context.Context, in Scope, id, kind, contentType string, pages int) error {
	return change(ctx, t.Queries, `
		WITH held AS (SELECT id, current_version FROM files WHERE id = @id AND team_id = @team), file AS (
			UPDATE files f SET kind = @kind, content_type = @content_type, page_count = coalesce(nullif(@pages, 0), f.page_count) FROM held
			WHERE f.id = held.id AND (f.kind, f.content_type, f.page_count) IS DISTINCT FROM (@kind, @content_type, coalesce(nullif(@pages, 0), f.page_count))
		), version AS (
			UPDATE file_versions v SET kind = @kind, content_type = @content_type FROM held
			WHERE v.file_id = held.id AND v.number = held.current_version AND (v.kind, v.content_type) IS DISTINCT FROM (@kind, @content_type)
		)
		SELECT FROM held`,
		args{"id": id, "team": in.TeamID, "kind": kind, "content_type": contentType, "pages": pages})
}

// AddWarnings adds to a file's warnings; the pages of a warning that is already
// there are merged.
func (t *Tx) AddWarnings(ctx context.Context, in Scope, id string, list ...Warning) error {
	if len(list) == 0 {
		return nil
	}
	f, err := t.FileForUpdate(ctx, in, id)
	if err != nil {
		return err
	}
	for _, w := range list {
		f.Warnings = addWarning(f.Warnings, w)
	}
	return t.setWarnings(ctx, in, id, f.Warnings)
}

func addWarning(list []Warning, w Warning) []Warning {
	for i := range list {
		if list[i].Code == w.Code && list[i].Message == w.Message {
			list[i].Pages = mergePages(list[i].Pages, w.Pages)
			return list
		}
	}
	return append(list, w)
}

func (t *Tx) setWarnings(ctx context.Context, in Scope, id string, list []Warning) error {
	return change(ctx, t.Queries, `UPDATE files SET warnings = @warnings WHERE id = @id AND team_id = @team`,
		args{"id": id, "team": in.TeamID, "warnings": list})
}

// Entry is a file in an archive or a message that could not be read.
type Entry struct {
	Path   string
	Reason string // for people
}

// namedEntries is how many entries the warnings of one file name.
const namedEntries = 100

// SetEntries records how far the entries of an archive or a message have come,
// and warns of those that were passed over.
func (t *Tx) SetEntries(ctx context.Context, in Scope, id string, done, total int, passedOver []Entry) error {
	f, err := one[File](ctx, t.Queries, `
		UPDATE files SET entries = @total, entries_done = @done, progress_at = now() WHERE id = @id AND team_id = @team
		RETURNING `+fileColumns, args{"id": id, "team": in.TeamID, "done": done, "total": total})
	if err != nil {
		return err
	}
	if len(passedOver) > 0 {
		named := 0
		for _, w := range f.Warnings {
			if w.Code == EntryUnreadable {
				named++
			}
		}
		for _, entry := range passedOver {
			w := Warning{Code: EntryUnreadable, Message: entry.Path + " was passed over: " + entry.Reason}
			if named++; named > namedEntries {
				w.Message = "more were passed over than are named here"
			}
			f.Warnings = addWarning(f.Warnings, w)
		}
		if err := t.setWarnings(ctx, in, id, f.Warnings); err != nil {
			return err
		}
	}
	return t.fileEvent(ctx, f)
}

// FailAttempt ends an attempt with its cause. What the attempt had read stays
// readable. It does nothing to an attempt that is over.
func (t *Tx) FailAttempt(ctx context.Context, in Scope, a Attempt, stage FileStage, cause error) error {
	f, err := t.OpenAttempt(ctx, in, a)
	if err != nil {
		return err
	}
	if stage == "" {
		stage = f.Stage
	}
	var page *int
	if e, ok := asFault(cause); ok && e.Page > 0 {
		page = &e.Page
	}
	if err := t.Audit(ctx, in, "file.failed", "file", f.ID, map[string]any{"attempt": f.Attempt, "code": fault.CodeOf(cause)}); err != nil {
		return err
	}
	return t.endAttempt(ctx, in, f, FileFailed, args{
		"code": string(fault.CodeOf(cause)), "stage": string(stage), "message": fault.Message(cause), "page": page,
	})
}

// CompleteAttempt ends an attempt well.
func (t *Tx) CompleteAttempt(ctx context.Context, in Scope, a Attempt) error {
	return t.completeAttempt(ctx, in, a, args{})
}

// CompleteSearchable is CompleteAttempt of a file whose present text and labels are searchable.
func (t *Tx) CompleteSearchable(ctx context.Context, in Scope, a Attempt) error {
	return t.completeAttempt(ctx, in, a, args{"searchable": true})
}

// CompleteUnchanged is CompleteAttempt of a file whose pages, text and meaning were read again
// and came out as they are stored, which their digest tells, with the warnings of that reading.
// It does nothing and is false where they did not, or where somebody has decided about the file
// since, where it has a new version, or where the search engine does not have it as it is.
func (t *Tx) CompleteUnchanged(ctx context.Context, in Scope, a Attempt, digest []byte, pages PageCounts, found ...Warning) (bool, error) {
	f, err := t.OpenAttempt(ctx, in, a)
	if err != nil {
		return false, err
	}
	same, err := value[bool](ctx, t.Queries, `
		SELECT EXISTS (
			SELECT FROM files f JOIN analyses a ON a.file_id = f.id AND a.team_id = f.team_id
			WHERE f.id = @id AND f.team_id = @team AND f.text_ready AND f.text_version = f.current_version AND NOT f.pages_ahead
				AND f.indexed_generation = f.generation AND f.indexed_label_generation = f.label_generation
				AND a.digest = @digest AND a.generation = f.generation AND a.label_generation = f.label_generation)`,
		args{"id": f.ID, "team": in.TeamID, "digest": digest})
	if err != nil || !same {
		return false, err
	}
	for _, w := range found {
		f.Warnings = addWarning(f.Warnings, w)
	}
	return true, t.completeHeld(ctx, in, f, args{"pages": pages.All, "done": pages.Done, "recognised": pages.Recognised, "warnings": f.Warnings})
}

func (t *Tx) completeAttempt(ctx context.Context, in Scope, a Attempt, how args) error {
	f, err := t.OpenAttempt(ctx, in, a)
	if err != nil {
		return err
	}
	return t.completeHeld(ctx, in, f, how)
}

// completeHeld is completeAttempt of a file that is held.
func (t *Tx) completeHeld(ctx context.Context, in Scope, f File, how args) error {
	if err := t.Audit(ctx, in, "file.completed", "file", f.ID, map[string]any{"attempt": f.Attempt, "warnings": len(f.Warnings)}); err != nil {
		return err
	}
	return t.endAttempt(ctx, in, f, goodEnd(f.Warnings), how)
}

// endAttempt writes the end of f's attempt to the file, its history and the
// outbox.
func (t *Tx) endAttempt(ctx context.Context, in Scope, f File, status FileStatus, a args) error {
	all := args{
		"code": nil, "stage": nil, "message": nil, "page": nil, "searchable": false,
		"pages": nil, "done": nil, "recognised": nil, "warnings": nil, // as they are
	}
	maps.Copy(all, a)
	all["id"], all["team"], all["status"] = f.ID, in.TeamID, string(status)
	ended, err := one[File](ctx, t.Queries, `
		UPDATE files SET status = @status, stage = CASE WHEN @status IN ('completed', 'completed_with_warnings') THEN 'done' ELSE stage END,
			error_code = @code, error_stage = @stage, error_message = @message, error_page = @page,
			started_at = CASE WHEN @status = 'cancelled' THEN started_at ELSE coalesce(started_at, now()) END,
			finished_at = now(), progress_at = now(),
			page_count = coalesce(@pages, page_count), pages_done = coalesce(@done, pages_done), pages_ocr = coalesce(@recognised, pages_ocr),
			warnings = coalesce(@warnings, warnings),
			indexed_generation = CASE WHEN @searchable THEN generation ELSE indexed_generation END,
			indexed_label_generation = CASE WHEN @searchable THEN label_generation ELSE indexed_label_generation END
		WHERE id = @id AND team_id = @team
		RETURNING `+fileColumns, all)
	if err != nil {
		return err
	}
	if err := t.keepAttempts(ctx, []string{f.ID}); err != nil {
		return err
	}
	if err := t.fileEvent(ctx, ended); err != nil {
		return err
	}
	if err := t.attemptEvent(ctx, ended); err != nil {
		return err
	}
	t.finishFollowed(f.TeamID, f.ID)
	return nil
}

// keepAttempts writes the ends of files' attempts to their histories.
func (t *Tx) keepAttempts(ctx context.Context, ids []string) error {
	return later(ctx, t.Queries, `
		INSERT INTO file_attempts (file_id, team_id, attempt, status, error_code, error_stage, error_message, started_at)
		SELECT id, team_id, attempt, status, error_code, error_stage, error_message, started_at FROM files WHERE id = ANY(@ids)
		ON CONFLICT (file_id, attempt) DO UPDATE SET status = excluded.status, error_code = excluded.error_code,
			error_stage = excluded.error_stage, error_message = excluded.error_message, finished_at = now()`, args{"ids": ids})
}

// overtake cancels what is under way in files' histories, before other attempts
// begin. Operations that waited for nothing else end.
func (t *Tx) overtake(ctx context.Context, in Scope, ids []string) error {
	overtaken, err := values[string](ctx, t.Queries, `
		WITH held AS (SELECT id, team_id, attempt, status, started_at FROM files WHERE id = ANY(@ids) AND team_id IS NOT DISTINCT FROM @team ORDER BY id FOR UPDATE),
		under_way AS (SELECT * FROM held WHERE status IN ('queued', 'processing')), kept AS (
			INSERT INTO file_attempts (file_id, team_id, attempt, status, started_at)
			SELECT id, team_id, attempt, 'cancelled', started_at FROM under_way
			ON CONFLICT (file_id, attempt) DO NOTHING
		)
		SELECT id::text FROM under_way`, args{"ids": ids, "team": in.TeamID})
	if err != nil || len(overtaken) == 0 {
		return err
	}
	t.finishFollowed(in.TeamID, overtaken...)
	return nil
}

// attemptEvent emits the end of an attempt, so that clients which wait for files need
// not follow every step.
func (t *Tx) attemptEvent(ctx context.Context, f File) error {
	kind := "file.completed"
	if f.Status == FileFailed || f.Status == FileCancelled {
		kind = "file." + string(f.Status)
	}
	if err := t.emit(ctx, f.TeamID, kind, f.ID, FileEndData{f.ID, f.Name, f.Status, f.Attempt, f.MatterID, f.ErrorCode}); err != nil {
		return err
	}
	return t.tellOfFile(ctx, f)
}

// FileAttempt is how one attempt ended.
type FileAttempt struct {
	Attempt      int        `db:"attempt"`
	Status       FileStatus `db:"status"`
	ErrorCode    *string    `db:"error_code"`
	ErrorStage   *string    `db:"error_stage"`
	ErrorMessage *string    `db:"error_message"`
	StartedAt    *time.Time `db:"started_at"`
	FinishedAt   time.Time  `db:"finished_at"`
}

// FileAttempts lists the attempts of a file that have ended, latest first.
func (q Queries) FileAttempts(ctx context.Context, in Scope, id string) ([]FileAttempt, error) {
	return many[FileAttempt](ctx, q, `
		SELECT attempt, status, error_code, error_stage, error_message, started_at, finished_at
		FROM file_attempts WHERE file_id = @id AND team_id = @team ORDER BY attempt DESC`, args{"id": id, "team": in.TeamID})
}

// RestartFile begins a new attempt. The text that is there stays readable until
// the new one replaces it. A file that is being worked on may be restarted as
// well: its running attempt is overtaken, and the caller cancels its jobs.
func (t *Tx) RestartFile(ctx context.Context, in Scope, id string, options FileOptions, bulk bool) (File, error) {
	if err := t.overtake(ctx, in, []string{id}); err != nil {
		return File{}, err
	}
	f, err := one[File](ctx, t.Queries, `
		UPDATE files SET attempt = attempt + 1, status = 'queued', stage = 'received', options = @options, bulk = @bulk,
			warnings = `+keptWarnings+`, error_code = NULL, error_stage = NULL, error_message = NULL, error_page = NULL,
			`+keptProgress+`, queued_at = now(), started_at = NULL, finished_at = NULL, progress_at = now()
		WHERE id = @id AND team_id = @team
		RETURNING `+fileColumns, args{"id": id, "team": in.TeamID, "options": options, "bulk": bulk, "from": options.From})
	if err != nil {
		return File{}, err
	}
	if err := t.Audit(ctx, in, "file.reprocessed", "file", id, map[string]any{"attempt": f.Attempt}); err != nil {
		return File{}, err
	}
	if err := t.fileEvent(ctx, f); err != nil {
		return File{}, err
	}
	return f, nil
}

// StrandedFiles lists up to limit files, and their teams, that are under way and were for as long
// as age, without a job that would go on with them. It is a safety net: no step leaves a file so.
// What waits for the search engine has a net of its own (see UnindexedFiles).
func (q Queries) StrandedFiles(ctx context.Context, age time.Duration, limit int) ([]FileRef, error) {
	return many[FileRef](ctx, q, `SELECT f.id AS file_id, f.team_id `+stranded+` ORDER BY f.progress_at LIMIT @limit`, args{"age": age, "limit": limit})
}

const stranded = `FROM files f
	WHERE f.status IN ('queued', 'processing') AND f.stage <> 'index' AND f.progress_at < now() - @age::interval
		AND NOT EXISTS (
			SELECT FROM river_job j WHERE j.args ->> 'file_id' = f.id::text
				AND j.state IN ('pending', 'available', 'scheduled', 'retryable', 'running'))`

// RestartStranded begins a new attempt of a file, if it is stranded still: see StrandedFiles. It is
// NotFound otherwise.
func (t *Tx) RestartStranded(ctx context.Context, f FileRef, age time.Duration) (File, error) {
	held, err := one[File](ctx, t.Queries, `SELECT `+fileColumns+` `+stranded+` AND f.id = @id AND f.team_id = @team FOR UPDATE OF f`,
		args{"id": f.FileID, "team": f.TeamID, "age": age})
	if err != nil {
		return File{}, err
	}
	return t.RestartFile(ctx, System(f.TeamID), f.FileID, held.Options, true)
}

// The codes of warnings that are not about how a file was read.
const (
	EntryUnreadable    = "entry_unreadable"    // of an archive or a message
	LanguageUnlabelled = "language_unlabelled" // no model reads the language
	AnalysisFailed     = "analysis_failed"     // the text is there, and nothing that follows from it
	IndexPending       = "index_pending"       // the text cannot be found yet, because the search engine did not answer
)

// keptWarnings are those that come from stages before the one that an attempt
// starts from: what that stage and later ones find they say again.
const keptWarnings = `jsonb_path_query_array(warnings, CASE @from
	WHEN 'segment' THEN '$[*] ? (@.code == "` + EntryUnreadable + `")'
	WHEN 'classify' THEN '$[*] ? (@.code != "` + LanguageUnlabelled + `" && @.code != "` + AnalysisFailed + `" && @.code != "` + IndexPending + `")'
	WHEN 'index' THEN '$[*] ? (@.code != "` + IndexPending + `")'
	ELSE '$[*] ? (1 == 0)' END::jsonpath)`

// keptProgress is what stays done where an attempt begins with the text that is
// there, and does not read pages or unpack anything.
const (
	keepsText    = `@from IN ('segment', 'classify', 'index') AND text_ready AND text_version = current_version`
	keptProgress = `pages_done = CASE WHEN ` + keepsText + ` THEN pages_done ELSE 0 END,
		pages_ocr = CASE WHEN ` + keepsText + ` THEN pages_ocr ELSE 0 END,
		entries_done = CASE WHEN ` + keepsText + ` THEN entries_done ELSE 0 END`
)

// RestartFiles is RestartFile over many, in one statement, and returns the new
// attempts. Ids that are not the team's are simply absent from the answer.
func (t *Tx) RestartFiles(ctx context.Context, in Scope, ids []string, options FileOptions) ([]Attempt, error) {
	if err := t.overtake(ctx, in, ids); err != nil {
		return nil, err
	}
	attempts, err := many[Attempt](ctx, t.Queries, `
		UPDATE files SET attempt = attempt + 1, status = 'queued', stage = 'received', options = @options, bulk = true,
			warnings = `+keptWarnings+`, error_code = NULL, error_stage = NULL, error_message = NULL, error_page = NULL,
			`+keptProgress+`, queued_at = now(), started_at = NULL, finished_at = NULL, progress_at = now()
		WHERE id = ANY(@ids) AND team_id IS NOT DISTINCT FROM @team
		RETURNING id, attempt`, args{"ids": ids, "team": in.TeamID, "options": options, "from": options.From})
	if err != nil {
		return nil, err
	}
	if err := t.Audit(ctx, in, "file.reprocessed", "files", "", map[string]any{"count": len(attempts)}); err != nil {
		return nil, err
	}
	if err := t.emit(ctx, in.TeamID, "files.queued", in.TeamID, FilesQueuedData{len(attempts)}); err != nil {
		return nil, err
	}
	return attempts, nil
}

// CancelFile ends the running attempt of a file. It is Conflict where nothing
// is running.
func (t *Tx) CancelFile(ctx context.Context, in Scope, id string) (File, error) {
	f, err := t.FileForUpdate(ctx, in, id)
	if err != nil {
		return File{}, err
	}
	if f.Status.Terminal() {
		return File{}, fault.Newf(fault.Conflict, "a file that is %s cannot be cancelled", f.Status)
	}
	if err := t.endAttempt(ctx, in, f, FileCancelled, args{}); err != nil {
		return File{}, err
	}
	if err := t.Audit(ctx, in, "file.cancelled", "file", id, nil); err != nil {
		return File{}, err
	}
	return t.File(ctx, in, id)
}

// AcceptFile ends a file as completed with the text it has. It is Conflict
// without text.
func (t *Tx) AcceptFile(ctx context.Context, in Scope, id string) (File, error) {
	f, err := t.FileForUpdate(ctx, in, id)
	if err != nil {
		return File{}, err
	}
	if !f.Current() {
		return File{}, fault.New(fault.Conflict, "a file without text cannot be completed; reprocess it")
	}
	if err := t.endAttempt(ctx, in, f, goodEnd(f.Warnings), args{}); err != nil {
		return File{}, err
	}
	if err := t.Audit(ctx, in, "file.accepted", "file", id, nil); err != nil {
		return File{}, err
	}
	return t.File(ctx, in, id)
}

// ActiveFiles counts a team's files that are on their way, up to limit.
func (q Queries) ActiveFiles(ctx context.Context, in Scope, limit int) (int, error) {
	return value[int](ctx, q, `
		SELECT count(*) FROM (
			SELECT FROM files WHERE team_id = @team AND status IN ('queued', 'processing') LIMIT @limit
		) active`, args{"team": in.TeamID, "limit": limit})
}

// MostAhead is how many files a TeamQueue has: whoever waits asks again and again, and that
// must not take the longer the more there are.
const MostAhead = 1000

// TeamQueue is the files of a team that wait, MostAhead of them at most, in the order in which
// they were queued, and how many files and pages per second its latest files took.
type TeamQueue struct {
	At                  time.Time   `db:"at"` // by the clock of the database, as the times of files are
	Queued              []time.Time `db:"queued"`
	IDs                 []string    `db:"ids"`
	FilesPerSecond      float64     `db:"files_per_second"`
	PagesPerSecond      float64     `db:"pages_per_second"`
	RecognizedPerSecond float64     `db:"recognized_per_second"` // pages, while files were worked on of which pages had to be
}

// Ahead is how many files were queued before f and have not started, MostAhead for as many
// or more.
func (q TeamQueue) Ahead(f FileState) int {
	return sort.Search(len(q.IDs), func(i int) bool {
		return cmp.Or(q.Queued[i].Compare(f.QueuedAt), strings.Compare(q.IDs[i], f.ID)) >= 0
	})
}

// TeamQueue is the queue of a team as it is now.
func (q Queries) TeamQueue(ctx context.Context, in Scope) (TeamQueue, error) {
	return one[TeamQueue](ctx, q, `
		SELECT now() AS at, w.queued, w.ids,
			coalesce(r.files / nullif(r.span, 0), 0)::float8 AS files_per_second,
			coalesce(r.pages / nullif(r.span, 0), 0)::float8 AS pages_per_second,
			coalesce(r.recognized / nullif(r.recognizing, 0), 0)::float8 AS recognized_per_second
		FROM (
			SELECT coalesce(array_agg(queued_at ORDER BY queued_at, id), '{}') AS queued, coalesce(array_agg(id::text ORDER BY queued_at, id), '{}') AS ids
			FROM (SELECT queued_at, id FROM files WHERE team_id = @team AND status = 'queued' ORDER BY queued_at, id LIMIT @most) waiting
		) w, (
			SELECT count(*)::float8 AS files, sum(page_count)::float8 AS pages,
				extract(epoch FROM max(finished_at) - min(started_at))::float8 AS span,
				sum(pages_ocr)::float8 AS recognized,
				extract(epoch FROM max(finished_at) FILTER (WHERE pages_ocr > 0) - min(started_at) FILTER (WHERE pages_ocr > 0))::float8 AS recognizing
			FROM (
				SELECT page_count, pages_ocr, started_at, finished_at FROM files
				WHERE team_id = @team AND status IN ('completed', 'completed_with_warnings')
					AND progress_at > now() - interval '10 minutes' AND finished_at IS NOT NULL
				ORDER BY progress_at DESC LIMIT 100
			) recent
		) r`, args{"team": in.TeamID, "most": MostAhead})
}

func mergePages(a, b []int) []int {
	seen := map[int]bool{}
	var all []int
	for _, list := range [][]int{a, b} {
		for _, n := range list {
			if !seen[n] {
				seen[n] = true
				all = append(all, n)
			}
		}
	}
	return all
}

// String is for logs.
func (a Attempt) String() string { return fmt.Sprintf("%s#%d", a.FileID, a.Number) }
