package office

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/fault"
)

// openDOC makes an opener of Word's binary format. LibreOffice first converts the file
// to DOCX, tracked changes included. Converter is the path of LibreOffice's program, or
// "" if it is not installed.
func openDOC(converter string) format.Opener {
	return func(ctx context.Context, path string, limits format.Limits) (format.File, error) {
		if converter == "" {
			return nil, fault.File(fault.UnsupportedType,
				"DOC files are read where LibreOffice (package libreoffice-writer) is installed, which it is not; save the file as DOCX", nil)
		}
		dir, err := os.MkdirTemp("", "clausemill-doc-")
		if err != nil {
			return nil, fmt.Errorf("make a place for the conversion: %w", err)
		}
		d := &converted{dir: dir}
		result, err := convert(ctx, converter, fromDOC, path, dir, conversionTime)
		if err != nil {
			return nil, errors.Join(err, d.Close())
		}
		d.running = running{path: result, limits: limits, read: readDOCX}
		return d, nil
	}
}

// converted is a file that stands in for another one.
type converted struct {
	running
	dir string
}

func (d *converted) Close() error { return os.RemoveAll(d.dir) }
