package db

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/clausemill/clausemill/fault"
)

// VersionSource is how a version of a file was made.
type VersionSource string

// The sources.
const (
	VersionUploaded VersionSource = "upload"  // with the file
	VersionExecuted VersionSource = "execute" // changes of the version before were carried out
	VersionEdited   VersionSource = "editor"  // saved in the editor
	VersionImported VersionSource = "import"  // sent back by somebody
	VersionUnlocked VersionSource = "unlock"  // the version before without its password
)

// VersionSources lists the sources.
func VersionSources() []VersionSource {
	return []VersionSource{VersionUploaded, VersionExecuted, VersionEdited, VersionImported, VersionUnlocked}
}

// Version is one of the documents that a file was and is. Its bytes never change.
type Version struct {
	FileID       string        `db:"file_id"`
	Number       int           `db:"number"` // from 1, without gaps
	BytesID      string        `db:"bytes_id"`
	Name         string        `db:"name"` // as it came
	Kind         string        `db:"kind"` // "" before it was looked at
	ContentType  string        `db:"content_type"`
	Size         int64         `db:"size"`
	SHA256       []byte        `db:"sha256"`
	Source       VersionSource `db:"source"`
	AuthorKind   *string       `db:"author_kind"` // nil where nobody knows who it was
	AuthorID     *string       `db:"author_id"`
	AuthorName   *string       `db:"author_name"` // of a person, a key or a service account
	Note         string        `db:"note"`
	RestoredFrom *int          `db:"restored_from"`
	Read         bool          `db:"read"` // its text is there
	CreatedAt    time.Time     `db:"created_at"`
}

const versions = `
	SELECT v.file_id, v.number, v.bytes_id, v.name, v.kind, v.content_type, v.size, v.sha256, v.source, v.author_kind, v.author_id,
		coalesce(nullif(u.name, ''), u.email, k.name, s.name) AS author_name, v.note, v.restored_from,
		v.reading IS NOT NULL OR f.text_ready AND f.text_version = v.number AS read, v.created_at
	FROM file_versions v
	JOIN files f ON f.id = v.file_id AND f.team_id = v.team_id
	LEFT JOIN users u ON v.author_kind = 'user' AND u.id = v.author_id
	LEFT JOIN api_keys k ON v.author_kind = 'key' AND k.id = v.author_id
	LEFT JOIN service_accounts s ON v.author_kind = 'service' AND s.id = v.author_id
	WHERE v.file_id = @file AND v.team_id = @team`

// Versions lists those of a file, newest first, that are older than number
// before (0 for all), at most limit.
func (q Queries) Versions(ctx context.Context, in Scope, fileID string, before, limit int) ([]Version, error) {
	return many[Version](ctx, q, versions+in.sees("f")+` AND (@before::bigint = 0 OR v.number < @before) ORDER BY v.number DESC LIMIT @limit`,
		in.args(args{"file": fileID, "before": before, "limit": limit}))
}

// Version is one version of a file.
func (q Queries) Version(ctx context.Context, in Scope, fileID string, number int) (Version, error) {
	return one[Version](ctx, q, versions+in.sees("f")+` AND v.number = @number::bigint`, in.args(args{"file": fileID, "number": number}))
}

// FileAt is a file as if version number were its current one, NotFound where
// there is none; 0 is the current one.
func (q Queries) FileAt(ctx context.Context, in Scope, id string, number int) (File, error) {
	file, err := q.File(ctx, in, id)
	if err != nil || number == 0 || number == file.CurrentVersion {
		return file, err
	}
	v, err := q.Version(ctx, in, id, number)
	if err != nil {
		return File{}, err
	}
	file.CurrentVersion, file.BytesID, file.Name = v.Number, v.BytesID, v.Name
	file.Kind, file.ContentType, file.Size, file.SHA256 = v.Kind, v.ContentType, v.Size, v.SHA256
	return file, nil
}

// NewVersion is what becomes the next version of a file.
type NewVersion struct {
	BytesID      string
	Name         string
	Kind         string // "" until it is looked at
	ContentType  string
	Size         int64
	SHA256       []byte
	Source       VersionSource
	Note         string
	RestoredFrom int // 0 where it is a new one
}

// AddVersion makes v the current version of a file whose row the caller holds,
// and begins a new attempt to read it. The file keeps its name but for the
// extension, which is that of the version.
func (t *Tx) AddVersion(ctx context.Context, in Scope, file File, v NewVersion, bulk bool) (File, error) {
	if err := t.leaveCopies(ctx, in, file.ID); err != nil {
		return File{}, err
	}
	a := args{
		"id": file.ID, "team": in.TeamID, "number": file.CurrentVersion + 1, "bytes": v.BytesID, "name": v.Name, "kind": v.Kind,
		"content_type": v.ContentType, "size": v.Size, "sha256": v.SHA256, "source": v.Source, "note": v.Note,
		"actor_kind": in.ActorKind, "actor": nullable(in.ActorID), "file_name": withExtensionOf(file.Name, v.Name),
	}
	if a["restored"] = nil; v.RestoredFrom > 0 {
		a["restored"] = v.RestoredFrom
	}
	if _, err := exec(ctx, t.Queries, `
		INSERT INTO file_versions (file_id, number, team_id, bytes_id, name, kind, content_type, size, sha256, source, author_kind, author_id, note, restored_from)
		VALUES (@id, @number, @team, @bytes, @name, @kind, @content_type, @size, @sha256, @source, @actor_kind, @actor, @note, @restored)`, a); err != nil {
		return File{}, err
	}
	if err := change(ctx, t.Queries, `
		UPDATE files SET current_version = @number, bytes_id = @bytes, name = @file_name, kind = @kind, content_type = @content_type,
			size = @size, sha256 = @sha256, version = version + 1, updated_at = now(),
			duplicate_of = (SELECT o.id FROM files o WHERE o.team_id = @team AND o.sha256 = @sha256 AND o.id <> @id
				AND `+seenBeside("o", "files.matter_id")+` ORDER BY o.duplicate_of IS NOT NULL, o.id LIMIT 1 FOR KEY SHARE SKIP LOCKED)
		WHERE id = @id AND team_id = @team`, a); err != nil {
		return File{}, err
	}
	if err := t.Audit(ctx, in, "file.version_added", "file", file.ID, map[string]any{
		"version": file.CurrentVersion + 1, "source": v.Source, "restoredFrom": a["restored"],
	}); err != nil {
		return File{}, err
	}
	row, err := t.RestartFile(ctx, in, file.ID, FileOptions{Unread: true}, bulk)
	if err != nil {
		return File{}, err
	}
	return row, t.emit(ctx, in.TeamID, "file.version_added", file.ID, FileVersionData{file.ID, row.Name, row.CurrentVersion, v.Source, row.MatterID})
}

// withExtensionOf is a name with the extension of another one, where that has one.
func withExtensionOf(name, other string) string {
	extension := path.Ext(other)
	if extension == "" || strings.EqualFold(path.Ext(name), extension) {
		return name
	}
	return strings.TrimSuffix(name, path.Ext(name)) + extension
}

// Reading is what was read in a version that is not the current one any more, as
// it was when the next one took its place: with the labels that people gave.
type Reading struct {
	Language   string
	Documents  []Document
	Blocks     []Block
	Attributes []Attribute // of the file first, then of places in it
}

// keepReading keeps what was read in the version before the current one, while
// it is there.
func (t *Tx) keepReading(ctx context.Context, in Scope, fileID string) error {
	type row struct {
		Version  int    `db:"text_version"`
		Language string `db:"language"`
	}
	a := args{"id": fileID, "team": in.TeamID}
	old, err := many[row](ctx, t.Queries, `
		SELECT text_version, language FROM files WHERE id = @id AND team_id = @team AND text_ready AND text_version < current_version`, a)
	if err != nil || len(old) == 0 {
		return err
	}
	reading := Reading{Language: old[0].Language}
	if reading.Documents, err = t.Documents(ctx, in, fileID); err != nil {
		return err
	}
	if reading.Blocks, err = t.Blocks(ctx, in, fileID, -1, everything); err != nil {
		return err
	}
	for _, level := range []AttributeLevel{FileLevel, SpanLevel} {
		attributes, err := t.Attributes(ctx, in, fileID, AttributePlace{Level: level, After: -1, Limit: everything})
		if err != nil {
			return err
		}
		reading.Attributes = append(reading.Attributes, attributes...)
	}
	a["reading"], a["number"] = reading, old[0].Version
	_, err = exec(ctx, t.Queries, `UPDATE file_versions SET reading = @reading WHERE file_id = @id AND number = @number AND team_id = @team`, a)
	return err
}

// everything is a limit that nothing reaches.
const everything = 1<<31 - 1

// Reading is what was read in an earlier version of a file. It is Conflict where
// another one took its place before it was read.
func (q Queries) Reading(ctx context.Context, in Scope, fileID string, number int) (Reading, error) {
	kept, err := value[*Reading](ctx, q, `SELECT reading FROM file_versions WHERE file_id = @file AND number = @number::bigint AND team_id = @team`+in.seesFile("file_id"),
		in.args(args{"file": fileID, "number": number}))
	switch {
	case err != nil:
		return Reading{}, err
	case kept == nil:
		return Reading{}, fault.Newf(fault.Conflict, "version %d was replaced before it was read; restore it to have it read", number)
	}
	return *kept, nil
}

// BytesOf lists the ids under which bytes of a file lie.
func (q Queries) BytesOf(ctx context.Context, in Scope, fileID string) ([]string, error) {
	return values[string](ctx, q, `SELECT DISTINCT bytes_id::text FROM file_versions WHERE file_id = @file AND team_id = @team`+in.seesFile("file_id")+` ORDER BY 1`,
		in.args(args{"file": fileID}))
}

// KnownBytes returns which of ids are the bytes of a file or of an index, in any team: for the sweep
// of stored bytes that nothing refers to. What is no id is of nobody, such as the name
// that an interrupted write has left in a directory.
func (q Queries) KnownBytes(ctx context.Context, ids []string) (map[string]bool, error) {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return uuid.Validate(id) != nil })
	found, err := values[string](ctx, q, `
		SELECT id::text FROM files WHERE id = ANY(@ids)
		UNION
		SELECT bytes_id::text FROM file_versions WHERE bytes_id = ANY(@ids)
		UNION
		SELECT bytes_id::text FROM nearest_indexes WHERE bytes_id = ANY(@ids)`, args{"ids": ids})
	known := make(map[string]bool, len(found))
	for _, id := range found {
		known[id] = true
	}
	return known, err
}

// OrphanedDecision is what a person decided about a sentence that found no place
// in the next text of its file.
type OrphanedDecision struct {
	ID          string     `db:"id"`
	Text        string     `db:"text"`
	Label       *string    `db:"label"`   // nil for a decision that it has none
	Refused     bool       `db:"refused"` // the decision is that it does not have the label
	ValidatedBy *string    `db:"validated_by"`
	ValidatedAt *time.Time `db:"validated_at"`
}

// orphaned are the decisions about sentences, label by label.
func orphaned(sentences []Sentence) []OrphanedDecision {
	var list []OrphanedDecision
	for _, s := range sentences {
		before := len(list)
		for _, l := range s.entries() {
			if l.decided() {
				list = append(list, OrphanedDecision{Text: s.Text, Label: &l.Node, Refused: l.Source == sourceRefused, ValidatedBy: l.ValidatedBy, ValidatedAt: l.ValidatedAt})
			}
		}
		if len(list) == before {
			list = append(list, OrphanedDecision{Text: s.Text, ValidatedBy: s.ValidatedBy, ValidatedAt: s.ValidatedAt})
		}
	}
	return list
}

// OrphanedDecisions lists those that found no place in the text of a version of a
// file, the latest first, at most limit.
func (q Queries) OrphanedDecisions(ctx context.Context, in Scope, fileID string, number, limit int) ([]OrphanedDecision, error) {
	return many[OrphanedDecision](ctx, q, `
		SELECT id, text, label, refused, validated_by, validated_at FROM orphaned_decisions
		WHERE file_id = @file AND version = @number AND team_id = @team`+in.seesFile("file_id")+` ORDER BY id DESC LIMIT @limit`,
		in.args(args{"file": fileID, "number": number, "limit": limit}))
}
