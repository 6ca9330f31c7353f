package document

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/clausemill/clausemill/child"
	"github.com/clausemill/clausemill/fault"
)

// Print lays the DOCX at path out and writes it to output as PDF, tracked
// changes and comments as LibreOffice shows them. It fails for its
// conversion where there is no LibreOffice.
func (r *Reader) Print(ctx context.Context, path, output string) error {
	if r.converter == "" {
		return fault.File(fault.ConversionFailed, "documents are laid out as PDF where LibreOffice (package libreoffice-writer) is installed, which it is not", nil)
	}
	err := r.call(ctx, request{Op: opPrint, Path: path, Output: output}, nil, 1, func(child.Reply) error { return nil })
	if err != nil {
		_ = os.Remove(output) // what a child that died left behind
		return r.blame(err, 0)
	}
	return nil
}

// print is the child's side of Print.
func (s *session) print(r request) (err error) {
	dir, err := os.MkdirTemp("", "clausemill-pdf-")
	if err != nil {
		return fmt.Errorf("make a place for the conversion: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	result, err := convert(s.ctx, s.converter, toPDF, r.Path, dir, conversionTime)
	if err != nil {
		return err
	}
	from, err := os.Open(result)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.Create(r.Output)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}
