package office

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/clausemill/clausemill/document/format"
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
