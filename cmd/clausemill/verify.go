package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/cmd/internal/setup"
	"github.com/clausemill/clausemill/db"
)

// verify compares the file store with the rows.
type verify struct {
	setup.Config `embed:"" group:"Settings:"`
	output       `embed:""`

	Sizes bool `help:"Compare sizes alone and read no bytes: sooner done, but changes that keep the size are not seen."`
}

// Help is shown below the flags.
func (verify) Help() string {
	return `It reads the bytes of every version of every file, of all teams and with the trash, and compares them with the hash that they were uploaded with. It changes nothing, and the service may run meanwhile. What is missing or changed is printed with its key in the store, and the status is 1.
What the store has and no row names is counted: bytes that were uploaded after the moment that the database was recovered to, or that an interrupted upload left. Workers remove them within two days.`
}

// verified is the result of verify.
type verified struct {
	Files   int   `json:"files"` // objects of bytes
	Bytes   int64 `json:"bytes"`
	Lost    int   `json:"lost"`    // of the files
	Unnamed int   `json:"unnamed"` // objects beside them, which no row names
}

// reportEach is how often a long run says how far it is.
const reportEach = time.Minute

// Run prints each loss as it is found.
func (v *verify) Run(ctx context.Context, c console) error {
	v.Migrate = false
	rooms, err := setup.Look(ctx, v.Config, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer rooms.Close()
	var done verified
	if err := v.files(ctx, c, rooms, &done); err != nil {
		return err
	}
	if done.Unnamed, err = unnamed(ctx, rooms); err != nil {
		return err
	}
	sentence := fmt.Sprintf("%d stored files, %d bytes: %d lost; %d objects that no row names", done.Files, done.Bytes, done.Lost, done.Unnamed)
	if err := say(c, v.output, done, sentence); err != nil {
		return err
	}
	if done.Lost > 0 {
		return exit{fmt.Errorf("the store does not have all that the rows name: %d of %d", done.Lost, done.Files), exitFailed}
	}
	return nil
}

// files compares page after page, so that no transaction is open for as long as it takes.
func (v *verify) files(ctx context.Context, c console, rooms *setup.Rooms, done *verified) error {
	const page = 1000
	var after db.StoredVersion
	seen := map[string]bool{} // of the file
	reported := time.Now()
	for {
		some, err := rooms.DB.StoredVersions(ctx, after, page)
		if err != nil || len(some) == 0 {
			return err
		}
		for _, version := range some {
			if version.FileID != after.FileID {
				clear(seen)
			}
			if !seen[version.BytesID] { // a version may have those of an earlier one
				seen[version.BytesID] = true
				if err := v.file(ctx, c, rooms, version.ArchivedBytes, done); err != nil {
					return err
				}
			}
			if time.Since(reported) > reportEach {
				fmt.Fprintf(c.err, "%d stored files, %s so far\n", done.Files, humanize.IBytes(uint64(done.Bytes)))
				reported = time.Now()
			}
			after = version
		}
	}
}

// file compares the bytes of one version.
func (v *verify) file(ctx context.Context, c console, rooms *setup.Rooms, b db.ArchivedBytes, done *verified) error {
	err := readStored(ctx, rooms.Blobs, b, func(from io.Reader) ([]byte, error) {
		if v.Sizes {
			return b.SHA256, nil
		}
		sum := sha256.New()
		_, err := io.Copy(sum, from)
		return sum.Sum(nil), err
	})
	lost, ok := errors.AsType[loss](err)
	if err != nil && !ok {
		return err
	}
	if ok {
		// It may have been purged since its row was read.
		known, err := rooms.DB.KnownBytes(ctx, []string{b.BytesID})
		if err != nil || !known[b.BytesID] {
			return err
		}
		done.Lost++
		if err := say(c, v.output, lost, lost.Key+": "+lost.Error()); err != nil {
			return err
		}
	}
	done.Files++
	done.Bytes += b.Size
	return nil
}

// unnamed counts what the store has and no row names.
func unnamed(ctx context.Context, rooms *setup.Rooms) (int, error) {
	const atATime = 1000
	count := 0
	var ids []string
	flush := func() error {
		known, err := rooms.DB.KnownBytes(ctx, ids)
		count += len(ids) - len(known)
		ids = ids[:0]
		return err
	}
	err := rooms.Blobs.Objects(ctx, func(o blob.Object) error {
		if ids = append(ids, o.ID); len(ids) < atATime {
			return nil
		}
		return flush()
	})
	if err != nil {
		return 0, err
	}
	return count, flush()
}
