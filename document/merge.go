package document

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/pdf"
	"github.com/clausemill/clausemill/document/picture"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

// Part is one of the files that are merged.
type Part struct {
	Path string `json:"path"`
	Kind Kind   `json:"kind"` // PDF or an image format
}

// merge writes the pages of the parts, in order, to one PDF. Images become pages of
// their displayed size; a JPEG keeps its bytes.
func (s *session) merge(r request, send reply) error {
	s.release() // its memory is needed
	return writeFile(r.Output, func(w *os.File) error {
		pages, err := s.mergeTo(w, r)
		if err != nil {
			return err
		}
		return send(Info{Kind: PDF, Pages: pages}, nil)
	})
}

func (s *session) mergeTo(w io.Writer, r request) (pages int, err error) {
	out := pdf.NewWriter(w)
	for i, part := range r.Parts {
		if part.Kind == PDF {
			err = s.copyPDF(out, part, filepath.Dir(r.Output), r.Limits)
		} else {
			err = s.embedImages(out, part, nil, r.Limits)
		}
		if err == nil && out.Pages() > r.Limits.MaxPages {
			err = format.TooManyPages(r.Limits)
		}
		if err != nil {
			return 0, atPart(err, i)
		}
	}
	return out.Pages(), out.Finish()
}

func (s *session) copyPDF(out *pdf.Writer, part Part, dir string, limits Limits) error {
	p, err := s.engine.OpenSound(s.ctx, part.Path, dir, limits)
	if err != nil {
		return err
	}
	defer p.Close()
	return p.CopyPages(out)
}

// atPart names the file that a merge failed at.
func atPart(err error, i int) error {
	var known *fault.Error
	if errors.As(err, &known) {
		at := *known
		at.Message = fmt.Sprintf("file %d: %s", i+1, known.Message)
		return &at
	}
	return err
}

// layer adds invisible words to the pages of a file, so that recognised text can be
// searched and selected. A PDF keeps all of its contents.
func (s *session) layer(r request, payload []byte) error {
	pages, err := decodeLayers(r.Layers, payload)
	if err != nil {
		return err
	}
	s.release()
	return writeFile(r.Output, func(w *os.File) error {
		if r.Kind == PDF {
			p, err := s.engine.OpenSound(s.ctx, r.Path, filepath.Dir(r.Output), r.Limits)
			if err != nil {
				return err
			}
			defer p.Close()
			return p.LayWords(w, pages)
		}
		byNumber := map[int]layout.Page{}
		for _, page := range pages {
			byNumber[page.Number] = page
		}
		out := pdf.NewWriter(w)
		if err := s.embedImages(out, Part{Path: r.Path, Kind: r.Kind}, byNumber, r.Limits); err != nil {
			return err
		}
		return out.Finish()
	})
}

// embedImages appends the pages of an image file, with the words of text (by
// page number, as displayed) under them.
func (s *session) embedImages(out *pdf.Writer, part Part, text map[int]layout.Page, limits Limits) error {
	open := s.opener(part.Kind)
	if open == nil {
		return fault.File(fault.UnsupportedType, fmt.Sprintf("files of type %s cannot become pages of a PDF", part.Kind), nil)
	}
	f, err := open(s.ctx, part.Path, limits)
	if err != nil {
		return err
	}
	defer f.Close()
	p, ok := f.(*picture.File)
	if !ok {
		return fault.File(fault.UnsupportedType, fmt.Sprintf("files of type %s cannot become pages of a PDF", part.Kind), nil)
	}
	for number := 1; number <= p.Pages(); number++ {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		whole, err := p.Whole(number)
		if err != nil {
			return err
		}
		page, ok := text[number]
		if !ok {
			page = layout.Page{Number: number, Width: whole.PageWidth, Height: whole.PageHeight}
		}
		if err := out.Page(page, whole); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes a complete file to path, or none.
func writeFile(path string, write func(*os.File) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write the file: %w", err)
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// layerHeader is the text of a page on its way to a child; the text's bytes and
// the encoded words follow in the payload.
type layerHeader struct {
	Number int     `json:"number"`
	Width  float32 `json:"width"`
	Height float32 `json:"height"`
	Text   int     `json:"text"`
	Words  int     `json:"words"`
}

func encodeLayers(pages []layout.Page) (headers []layerHeader, payload []byte) {
	for _, page := range pages {
		words := layout.EncodeWords(page.Words)
		headers = append(headers, layerHeader{
			Number: page.Number, Width: page.Width, Height: page.Height, Text: len(page.Text), Words: len(words),
		})
		payload = append(append(payload, page.Text...), words...)
	}
	return headers, payload
}

func decodeLayers(headers []layerHeader, payload []byte) ([]layout.Page, error) {
	pages := make([]layout.Page, 0, len(headers))
	for _, h := range headers {
		words, err := layout.DecodeWords(payload[h.Text:][:h.Words])
		if err != nil {
			return nil, err
		}
		pages = append(pages, layout.Page{
			Number: h.Number, Width: h.Width, Height: h.Height, Text: string(payload[:h.Text]), Words: words,
		})
		payload = payload[h.Text+h.Words:]
	}
	return pages, nil
}

// Searchable writes the file at path (a PDF or an image) to output as a PDF in which
// the recognised words of pages can be found and selected at their displayed
// positions. The PDF's pages and their own text stay as they are.
func (r *Reader) Searchable(ctx context.Context, path string, kind Kind, pages []layout.Page, output string) error {
	headers, payload := encodeLayers(pages)
	q := request{Op: opLayer, Path: path, Kind: kind, Layers: headers, Output: output}
	return r.write(ctx, q, payload, nil)
}

// Merge writes the pages of PDFs and images, in order, to one PDF at output and
// returns how many there are. The message of a fault names the part.
func (r *Reader) Merge(ctx context.Context, parts []Part, output string) (pages int, err error) {
	var info Info
	err = r.write(ctx, request{Op: opMerge, Parts: parts, Output: output}, nil, &info)
	return info.Pages, err
}
