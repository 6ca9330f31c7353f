package document

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/clausemill/clausemill/child"
	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/office"
	"github.com/clausemill/clausemill/document/sniff"
	"github.com/clausemill/clausemill/fault"
)

// Unlock writes the file at path, which password opens, to output as one that needs no
// password. The fault of a wrong password is fault.PasswordProtected. The password
// reaches the child by a pipe and is kept nowhere.
func (r *Reader) Unlock(ctx context.Context, path, name, password, output string) error {
	q := request{Op: opUnlock, Path: path, Name: name, Output: output}
	if err := r.call(ctx, q, []byte(password), 1, func(child.Reply) error { return nil }); err != nil {
		_ = os.Remove(output) // what a child that died left behind
		return r.blame(err, 0)
	}
	return nil
}

// unlock is the child's side of Unlock.
func (s *session) unlock(r request, password string) error {
	f, size, err := format.OpenFile(r.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	kind, err := sniff.File(s.ctx, f, size, r.Name, r.Limits)
	switch {
	case fault.CodeOf(err) == fault.PasswordProtected:
		return s.unlockOffice(r, f, password)
	case err != nil:
		return err
	case kind != PDF:
		return fault.File(fault.UnsupportedType, "only PDFs and Word documents can be unlocked; open the file in the program that it is from, and save it without a password", nil)
	}
	s.release() // its memory is needed
	err = errWrongPassword
	if !strings.Contains(password, "\x00") { // where the engine would see its end
		err = writeFile(r.Output, func(w *os.File) error { return s.engine.Unlock(s.ctx, r.Path, password, r.Limits, w) })
	}
	if fault.CodeOf(err) == fault.PasswordProtected {
		return errWrongPassword
	}
	return err
}

// unlockOffice unlocks an Office document, if what is in it can be read then.
func (s *session) unlockOffice(r request, f io.ReaderAt, password string) error {
	err := writeFile(r.Output, func(w *os.File) error { return office.Unlock(f, password, w) })
	if fault.CodeOf(err) == fault.PasswordProtected {
		return errWrongPassword
	}
	if err != nil {
		return err
	}
	open, size, err := format.OpenFile(r.Output)
	if err != nil {
		return err
	}
	_, err = sniff.File(s.ctx, open, size, "", r.Limits)
	if err = errors.Join(err, open.Close()); err != nil {
		_ = os.Remove(r.Output)
	}
	return err
}

var errWrongPassword = fault.File(fault.PasswordProtected, "the password is wrong", nil)
