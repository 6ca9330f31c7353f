package search

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
)

// NearestBuild is the index of a team's sentences, ready to be stored.
type NearestBuild struct {
	Before    db.NearestIndex // the one that is stored; without bytes where none is
	Same      bool            // nothing has changed since
	Files     int
	Sentences int       // once it is written
	Seen      time.Time // the newest change that is in it

	corpus *corpus
	spill  int
}

// spillAfter is how many sentences that were read are kept in memory while an index is
// built: so many take a tenth of a gigabyte.
const spillAfter = 1_000_000

// BuildNearest makes the index of a team of the one that is stored and what has changed
// since. Close it.
func BuildNearest(ctx context.Context, d *db.DB, in db.Scope, stored Stored, log *slog.Logger) (*NearestBuild, error) {
	return buildNearest(ctx, d, in, stored, log, spillAfter)
}

func buildNearest(ctx context.Context, d *db.DB, in db.Scope, stored Stored, log *slog.Logger, spill int) (*NearestBuild, error) {
	before, err := d.NearestIndex(ctx, in)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return nil, err
	}
	b := &NearestBuild{Before: before, corpus: newCorpus(&nlp.CorpusSegment{}, nil), spill: spill}
	if before.BytesID != "" && before.Format == nlp.SegmentFormat {
		if err := b.open(ctx, stored); err != nil {
			if kind := fault.KindOf(err); kind != fault.NotFound && !errors.Is(err, errDamaged) {
				return nil, err
			}
			log.WarnContext(ctx, "the index of nearest sentences is built of all sentences: the one before cannot be read",
				slog.String("team", in.TeamID), slog.Any("error", err))
		}
	}
	err = b.corpus.guarded(func() error { return b.read(ctx, d, in) })
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// open begins with the index before, unless a byte of it has changed.
func (b *NearestBuild) open(ctx context.Context, stored Stored) error {
	c, err := openIndex(ctx, stored, b.Before.BytesID)
	if err != nil {
		return err
	}
	err = c.guarded(func() error {
		if !c.base.Whole() {
			return errDamaged
		}
		return nil
	})
	if err != nil {
		c.mapped.close()
		return err
	}
	b.corpus = c
	return nil
}

// read reads what has changed.
func (b *NearestBuild) read(ctx context.Context, d *db.DB, in db.Scope) error {
	files, seen, err := d.TextFiles(ctx, in)
	if err != nil {
		return err
	}
	// Files of one time are near one another in the tables.
	slices.SortFunc(files, func(a, b db.TextFile) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	b.Files, b.Seen = len(files), seen
	b.corpus.keepOnly(files)
	b.Same = b.corpus.index != "" && len(b.corpus.gone) == 0
	files = slices.DeleteFunc(files, func(f db.TextFile) bool { return !b.corpus.changed(f) })
	b.Same = b.Same && len(files) == 0
	for some := range slices.Chunk(files, filesAtOnce) {
		if err := b.corpus.readFiles(ctx, d, in, slices.Clone(some)); err != nil {
			return err
		}
		if len(b.corpus.ids) > b.spill {
			if err := b.goOn(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// goOn continues from a file of what was read so far.
func (b *NearestBuild) goOn(ctx context.Context) error {
	f, err := os.CreateTemp("", "clausemill-nearest-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // what is mapped stays
	if _, err = b.corpus.write(f); err != nil {
		return errors.Join(err, f.Close())
	}
	if err = f.Close(); err != nil {
		return err
	}
	c, err := openIndex(ctx, func(context.Context, string) (string, func(), error) {
		return f.Name(), func() {}, nil
	}, b.corpus.index)
	if err != nil {
		return err
	}
	b.corpus.mapped.close()
	b.corpus = c
	return nil
}

// Write writes the index.
func (b *NearestBuild) Write(to io.Writer) error {
	return b.corpus.guarded(func() (err error) {
		b.Sentences, err = b.corpus.write(to)
		return err
	})
}

// Close lets go of the index before.
func (b *NearestBuild) Close() { b.corpus.mapped.close() }

// write writes all sentences that are there.
func (c *corpus) write(to io.Writer) (sentences int, err error) {
	files := make([]nlp.SegmentFile, 0, c.count())
	for at := range c.base.Files() {
		if !c.gone[at] {
			files = append(files, c.base.File(at))
		}
	}
	for id, r := range c.files {
		files = append(files, nlp.SegmentFile{ID: id, Generation: r.generation, First: r.first, End: r.end})
	}
	return c.words.Write(to, files, c.id)
}
