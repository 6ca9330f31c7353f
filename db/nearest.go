package db

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// NearestIndex is the index of a team's sentences that is in the file store.
type NearestIndex struct {
	BytesID   string    `db:"bytes_id"`
	Format    int       `db:"format"`
	Sentences int       `db:"sentences"`
	Files     int       `db:"files"`
	Size      int64     `db:"size"` // in bytes
	Seen      time.Time `db:"seen"` // the newest change of a file that is in it
	BuiltAt   time.Time `db:"built_at"`
}

// NearestIndex returns the index of a team; NotFound where it has none.
func (q Queries) NearestIndex(ctx context.Context, in Scope) (NearestIndex, error) {
	return one[NearestIndex](ctx, q, `
		SELECT bytes_id, format, sentences, files, size, seen, built_at FROM nearest_indexes WHERE team_id = @team`, in.args(args{}))
}

// SaveNearestIndex makes x the index of a team in place of the one with the bytes before,
// "" for none. It is Conflict where the team has another by now.
func (t *Tx) SaveNearestIndex(ctx context.Context, in Scope, x NearestIndex, before string) error {
	sql := `
		INSERT INTO nearest_indexes (team_id, bytes_id, format, sentences, files, size, seen)
		VALUES (@team, @bytes, @format, @sentences, @files, @size, @seen) ON CONFLICT (team_id) DO NOTHING`
	if before != "" {
		sql = `
			UPDATE nearest_indexes SET bytes_id = @bytes, format = @format, sentences = @sentences, files = @files, size = @size,
				seen = @seen, built_at = now()
			WHERE team_id = @team AND bytes_id = @before`
	}
	n, err := exec(ctx, t.Queries, sql, in.args(args{
		"bytes": x.BytesID, "format": x.Format, "sentences": x.Sentences, "files": x.Files, "size": x.Size, "seen": x.Seen, "before": before,
	}))
	if err == nil && n == 0 {
		err = fault.New(fault.Conflict, "the team has got another index meanwhile")
	}
	return err
}

// DropNearestIndex forgets the index with these bytes, if the team still has it.
func (q Queries) DropNearestIndex(ctx context.Context, in Scope, bytesID string) error {
	_, err := exec(ctx, q, `DELETE FROM nearest_indexes WHERE team_id = @team AND bytes_id = @bytes`, in.args(args{"bytes": bytesID}))
	return err
}

// DueNearest is when the index of a team is due.
type DueNearest struct {
	Format    int           // another one is made anew
	Sentences int           // how many a team has to have to get one
	Share     int           // it is due where one in so many files has changed
	Age       time.Duration // or where any has, and it is as old as that
}

// DueNearestIndexes lists the teams whose index is due.
func (q Queries) DueNearestIndexes(ctx context.Context, due DueNearest) ([]string, error) {
	return values[string](ctx, q, `
		SELECT t.id::text FROM (
			SELECT team_id FROM label_counts GROUP BY team_id HAVING sum(firsts) >= @sentences
		) l JOIN teams t ON t.id = l.team_id AND t.kind <> 'trash' LEFT JOIN nearest_indexes n ON n.team_id = l.team_id
		WHERE n.format IS DISTINCT FROM @format
		UNION
		SELECT n.team_id::text FROM nearest_indexes n CROSS JOIN LATERAL (
			SELECT count(*) AS files, count(*) FILTER (WHERE progress_at > n.seen) AS changed FROM files WHERE team_id = n.team_id AND text_ready
		) f
		WHERE f.files = 0 OR greatest(f.changed, abs(f.files - n.files)) * @share > n.files
			OR n.built_at < now() - @age::interval AND (f.changed > 0 OR f.files <> n.files)
		ORDER BY 1`, args{"format": due.Format, "sentences": due.Sentences, "share": due.Share, "age": due.Age})
}

// TextFile is a file with which of its texts it has.
type TextFile struct {
	ID         [16]byte `db:"id"`
	Generation int      `db:"generation"`
}

// TextFiles lists all files with text, in no order, and when the newest change of one
// was. They come as one value, which takes less memory than rows where there are 100,000.
func (q Queries) TextFiles(ctx context.Context, in Scope) (files []TextFile, seen time.Time, err error) {
	type texts struct {
		Seen  *time.Time `db:"seen"`
		Files []byte     `db:"files"`
	}
	row, err := one[texts](ctx, q, `
		SELECT max(progress_at) AS seen, coalesce(string_agg(uuid_send(id) || int4send(generation), ''::bytea), '') AS files
		FROM files WHERE team_id = @team AND text_ready`+in.sees("files"), in.args(args{}))
	if err != nil || row.Seen == nil {
		return nil, time.Time{}, err
	}
	const size = 16 + 4
	files = make([]TextFile, len(row.Files)/size)
	for i := range files {
		b := row.Files[i*size:]
		files[i] = TextFile{[16]byte(b), int(binary.BigEndian.Uint32(b[16:]))}
	}
	return files, *row.Seen, nil
}
