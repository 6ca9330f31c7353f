package setup

import (
	"context"
	"errors"
	"fmt"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
)

// How a store is refused. A process that does not see the files of the others
// would fail all work on them, and remove what it does not know.
var (
	errForeignStore = errors.New("the file store that BLOB_URL names belongs to another installation: BLOB_URL must name the same store for all processes")
	errEmptyStore   = errors.New("the file store that BLOB_URL names does not have the files of this installation: BLOB_URL must name the same store for all processes")
	errUnknownStore = errors.New("the file store that BLOB_URL names has files that this database knows nothing of: name their database, or an empty store")
)

// claim makes sure that the store is that of the installation, or could be. Where it
// is new, or of a release that did not mark it, it is marked if mark says so.
func claim(ctx context.Context, d *db.DB, blobs *blob.Store, mark bool) error {
	return d.InTx(ctx, func(tx *db.Tx) error {
		here, err := tx.Installation(ctx)
		if err != nil {
			return err
		}
		owner, err := blobs.Mark(ctx)
		if err != nil {
			return fmt.Errorf("the file store that BLOB_URL names cannot be read: %w", err)
		}
		if owner == "" {
			if err := fits(ctx, tx.Queries, blobs, here.Marked); err != nil || !mark {
				return err
			}
			if owner, err = blobs.SetMark(ctx, here.ID); err != nil {
				return fmt.Errorf("mark the file store: %w", err)
			}
		}
		if owner != here.ID {
			return errForeignStore
		}
		blobs.Own(owner)
		if here.Marked || !mark {
			return nil
		}
		return tx.SetMarked(ctx)
	})
}

// looked is how many of the newest files are looked for in a store without a mark.
const looked = 10

// fits decides whether a store without a mark is that of the database: most of its
// newest files are there, or there are none on either side, and no other store was
// marked.
func fits(ctx context.Context, q db.Queries, blobs *blob.Store, marked bool) error {
	newest, err := q.NewestBytes(ctx, looked)
	if err != nil {
		return err
	}
	there := 0
	for _, b := range newest {
		ok, err := blobs.Has(ctx, blob.Of(b.FileID, b.BytesID))
		if err != nil {
			return err
		}
		if ok {
			there++
		}
	}
	if len(newest) > 0 && 2*there > len(newest) {
		return nil
	}
	if len(newest) > 0 || marked {
		return errEmptyStore
	}
	before, err := q.EverHadFiles(ctx)
	if before || err != nil { // and all were deleted
		return err
	}
	found := errors.New("an object")
	if err := blobs.Objects(ctx, func(blob.Object) error { return found }); errors.Is(err, found) {
		return errUnknownStore
	} else if err != nil {
		return err
	}
	return nil
}
