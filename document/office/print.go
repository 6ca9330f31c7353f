package office

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// Print has LibreOffice lay out the DOCX at path, and writes it to output as PDF.
func Print(ctx context.Context, converter, path, output string) (err error) {
	dir, err := os.MkdirTemp("", "clausemill-pdf-")
	if err != nil {
		return fmt.Errorf("make a place for the conversion: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	result, err := convert(ctx, converter, toPDF, path, dir, conversionTime)
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
