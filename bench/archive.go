package bench

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
)

const (
	packed       = 3000
	packedAtOnce = 100
)

// archives brings in an archive of many small texts, beside the least that has to
// be done with it: its entries in the store and a row for each.
func archives(ctx context.Context, c *Config) ([]row, error) {
	texts, salt := make([]string, packed), time.Now().UnixNano()
	for i := range texts {
		texts[i] = fmt.Sprintf("The Tenant of house number %d-%d shall pay the rent.", salt, i)
	}
	content, err := pack(texts)
	if err != nil {
		return nil, err
	}
	floor, err := c.unpackAlone(ctx, content)
	if err != nil {
		return nil, err
	}
	id, in, read, err := c.bringIn(ctx, content, packed)
	if err != nil {
		return nil, err
	}
	took, err := c.reprocess(ctx, id, packed)
	if err != nil {
		return nil, err
	}
	return []row{
		{fmt.Sprintf("%d entries in", packed), fmt.Sprintf("%.1f s", in.Seconds()), fmt.Sprintf("floor %.1f s", floor.Seconds()), floor.Seconds() / in.Seconds(), "≥ 0.3"},
		{what: fmt.Sprintf("%d entries read", packed), ours: fmt.Sprintf("%.1f s", read.Seconds()), want: c.within(time.Minute)},
		{what: "jobs from end to end: each read again as it is", ours: fmt.Sprintf("%.0f/s", packed/took.Seconds()), want: "≥ 150/s"},
	}, nil
}

// bringIn uploads an archive of so many texts, and tells how long it takes until all are in
// and until all are read.
func (c *Config) bringIn(ctx context.Context, content []byte, texts int) (id string, in, read time.Duration, err error) {
	started := time.Now()
	if id, err = c.upload(ctx, "texts.zip", content); err != nil {
		return "", 0, 0, err
	}
	if err := c.follow(ctx, []string{id}, state.ended); err != nil {
		return "", 0, 0, err
	}
	in = time.Since(started)
	err = c.allRead(ctx, id, texts)
	return id, in, time.Since(started), err
}

// pack makes an archive of texts.
func pack(texts []string) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for i, text := range texts {
		to, err := archive.Create(fmt.Sprintf("street %d/%d/lease.txt", i%7, i))
		if err != nil {
			return nil, err
		}
		if _, err := io.WriteString(to, text); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return out.Bytes(), err
}

// unpackAlone is how long it takes to store the entries of an archive and to write
// a row for each.
func (c *Config) unpackAlone(ctx context.Context, content []byte) (time.Duration, error) {
	const table = "bench_entries"
	if _, err := c.DB.Pool().Exec(ctx, `CREATE TABLE `+table+` (id uuid PRIMARY KEY, name text, size bigint, sha256 bytea)`); err != nil {
		return 0, err
	}
	defer c.DB.Pool().Exec(context.WithoutCancel(ctx), `DROP TABLE `+table) //nolint:errcheck // with the database
	started := time.Now()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return 0, err
	}
	var ids, names, sums []string
	var sizes []int64
	for i, entry := range archive.File {
		from, err := entry.Open()
		if err != nil {
			return 0, err
		}
		id := db.NewID()
		written, err := c.Blobs.Put(ctx, blob.Original(id), from, 1<<20)
		if err != nil {
			return 0, err
		}
		ids, names, sizes, sums = append(ids, id), append(names, entry.Name), append(sizes, written.Size), append(sums, hex.EncodeToString(written.SHA256[:]))
		if len(ids) < packedAtOnce && i < len(archive.File)-1 {
			continue
		}
		if _, err := c.DB.Pool().Exec(ctx, `INSERT INTO `+table+` SELECT id, name, size, decode(sum, 'hex')
			FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[]) f (id, name, size, sum)`, ids, names, sizes, sums); err != nil {
			return 0, err
		}
		ids, names, sizes, sums = nil, nil, nil, nil
	}
	return time.Since(started), nil
}

// allRead waits until all that came out of an archive of so many texts is read, and makes
// sure that it is all there.
func (c *Config) allRead(ctx context.Context, id string, packed int) error {
	for {
		open, err := c.unread(ctx, id, packed)
		if err != nil || open == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// unread is how many of the entries of an archive are still to be read, none of which may fail.
func (c *Config) unread(ctx context.Context, id string, packed int) (open int, err error) {
	var all, failed int
	err = c.DB.Pool().QueryRow(ctx, `
		SELECT count(*), count(*) FILTER (WHERE status IN ('queued', 'processing')), count(*) FILTER (WHERE status = 'failed')
		FROM files WHERE parent_id = $1`, id).Scan(&all, &open, &failed)
	if err == nil && (all != packed || failed > 0) {
		err = fmt.Errorf("of %d entries %d are there, and %d failed", packed, all, failed)
	}
	return open, err
}
