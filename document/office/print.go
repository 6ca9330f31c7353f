package office

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/clausemill/clausemill/document/format"
	wml "github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
)

// Print has LibreOffice lay out the file at path, and writes it to output as PDF.
func Print(ctx context.Context, converter string, kind format.Kind, path, output string) (err error) {
	if !kind.Printed() {
		return fault.Newf(fault.Internal, "files of type %s are not printed", kind)
	}
	dir, err := os.MkdirTemp("", "clausemill-pdf-")
	if err != nil {
		return fmt.Errorf("make a place for the conversion: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if kind == format.DOCX {
		if path, err = notesInOrder(path, dir); err != nil {
			return err
		}
	}
	result, err := convert(ctx, converter, toPDF(kind), path, dir, conversionTime)
	if err != nil {
		return err
	}
	from, err := os.Open(result)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.Create(output)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// notesInOrder is the path of the DOCX file at path, or of a copy in dir that LibreOffice
// reads aright. What cannot be opened is left to it.
func notesInOrder(path, dir string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	d, err := wml.Open(data)
	if err != nil {
		return path, nil //nolint:nilerr // LibreOffice may be able to
	}
	ordered, err := d.NotesInOrder()
	if err != nil || bytes.Equal(ordered, data) {
		return path, err
	}
	path = filepath.Join(dir, "ordered")
	return path, os.WriteFile(path, ordered, 0o600)
}
