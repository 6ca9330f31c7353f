package blob

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/clausemill/clausemill/fault"
)

// markKey is where a store says which installation it belongs to.
const markKey = "installation"

// ErrForeign is Unavailable: the store is not the one that Own has named, or it
// is not there any more and something else is, as below a mount point.
var ErrForeign = fault.New(fault.Unavailable, "the file store is not that of this installation: BLOB_URL must name the same store for all processes")

// Mark is the id of the installation that the store belongs to, "" where it does
// not say.
func (s *Store) Mark(ctx context.Context) (string, error) {
	text, err := s.bucket.ReadAll(ctx, markKey)
	if gcerrors.Code(err) == gcerrors.NotFound {
		if s.dir != "" { // a directory that is away may come back
			_, err := os.Stat(s.dir)
			return "", unavailable(err)
		}
		return "", nil
	}
	return strings.TrimSpace(string(text)), unavailable(err)
}

// SetMark marks the store as that of an installation unless it has a mark, and
// returns the mark that it has then: of several at once, all get the same.
func (s *Store) SetMark(ctx context.Context, id string) (string, error) {
	var err error
	if s.dir != "" {
		err = s.linkMark(id + "\n")
	} else {
		options := &blob.WriterOptions{ContentType: "text/plain", DisableContentTypeDetection: true, IfNotExist: true}
		err = s.bucket.WriteAll(ctx, markKey, []byte(id+"\n"), options)
		if err != nil && gcerrors.Code(err) != gcerrors.FailedPrecondition {
			// Not every service that speaks S3 knows the condition.
			if mark, readErr := s.Mark(ctx); mark != "" || readErr != nil {
				return mark, readErr
			}
			options.IfNotExist = false
			err = s.bucket.WriteAll(ctx, markKey, []byte(id+"\n"), options)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrExist) && gcerrors.Code(err) != gcerrors.FailedPrecondition {
		return "", unavailable(err)
	}
	return s.Mark(ctx)
}

// linkMark writes the mark to a directory: whole, and if there is none.
func (s *Store) linkMark(text string) error {
	f, err := os.CreateTemp(s.dir, markKey+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), s.path(markKey)); err != nil {
		return err
	}
	return syncPath(s.dir)
}

// Own has the store answer ErrForeign from now on where it turns out not to be
// marked as id.
func (s *Store) Own(id string) { s.owner = id }

// Check is ErrForeign where the store is not the one that Own has named.
func (s *Store) Check(ctx context.Context) error {
	if s.owner == "" {
		return nil
	}
	mark, err := s.Mark(ctx)
	if err == nil && mark != s.owner {
		err = ErrForeign
	}
	return err
}

// missing is what it means that there is nothing where there should be
// something: NotFound in the right store.
func (s *Store) missing(ctx context.Context, cause error) error {
	if err := s.Check(ctx); err != nil {
		return err
	}
	return fault.Wrap(fault.NotFound, "the file's bytes are missing", cause)
}

// Has reports whether there are bytes under key.
func (s *Store) Has(ctx context.Context, key string) (bool, error) {
	ok, err := s.bucket.Exists(ctx, key)
	return ok, unavailable(err)
}
