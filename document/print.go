package document

import (
	"context"
	"os"

	"github.com/clausemill/clausemill/child"
	"github.com/clausemill/clausemill/document/office"
	"github.com/clausemill/clausemill/fault"
)

// Print lays out the file at path, whose kind is one that can be printed, and writes it to
// output as PDF, with tracked changes and comments as LibreOffice shows them. Without
// LibreOffice the error is fault.ConversionFailed.
func (r *Reader) Print(ctx context.Context, path string, kind Kind, output string) error {
	if r.converter == "" {
		return fault.File(fault.ConversionFailed, "documents are laid out as PDF where LibreOffice (package libreoffice-writer) is installed, which it is not", nil)
	}
	err := r.call(ctx, request{Op: opPrint, Path: path, Kind: kind, Output: output}, nil, 1, func(child.Reply) error { return nil })
	if err != nil {
		_ = os.Remove(output) // what a child that died left behind
		return r.blame(err, 0)
	}
	return nil
}

// print is the child's side of Print.
func (s *session) print(r request) error {
	return office.Print(s.ctx, s.converter, r.Kind, r.Path, r.Output)
}
