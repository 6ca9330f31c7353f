package document

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"image/color"
	"image/jpeg"
	"io"
	"os"
	"path/filepath"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

// Part is one of the files that are merged.
type Part struct {
	Path string `json:"path"`
	Kind Kind   `json:"kind"` // PDF or an image format
}

// merge writes the pages of the parts, in order, to one PDF. Images become pages
// of the size that they have; a JPEG keeps its bytes.
func (s *session) merge(r request, send reply) error {
	s.release() // its memory is needed
	return writeFile(r.Output, func(w io.Writer) error {
		pages, err := s.mergeTo(w, r)
		if err != nil {
			return err
		}
		return send(Info{Kind: PDF, Pages: pages}, nil)
	})
}

func (s *session) mergeTo(w io.Writer, r request) (pages int, err error) {
	out := newPDFWriter(w)
	for i, part := range r.Parts {
		if part.Kind == PDF {
			err = s.copyPDF(out, part, filepath.Dir(r.Output), r.Limits)
		} else {
			err = s.embedImages(out, part, nil, r.Limits)
		}
		if err == nil && len(out.kids) > r.Limits.MaxPages {
			err = tooManyPages(r.Limits)
		}
		if err != nil {
			return 0, atPart(err, i)
		}
	}
	return len(out.kids), out.finish()
}

func (s *session) copyPDF(out *pdfWriter, part Part, dir string, limits Limits) error {
	p, err := s.openSound(part.Path, dir, limits)
	if err != nil {
		return err
	}
	defer p.close()
	return p.copyPages(out)
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

// layer lays invisible words under the pages of a file, so that what was
// recognised can be searched and marked in it. A PDF keeps all that it has.
func (s *session) layer(r request, payload []byte) error {
	pages, err := decodeLayers(r.Layers, payload)
	if err != nil {
		return err
	}
	s.release()
	return writeFile(r.Output, func(w io.Writer) error {
		if r.Kind == PDF {
			p, err := s.openSound(r.Path, filepath.Dir(r.Output), r.Limits)
			if err != nil {
				return err
			}
			defer p.close()
			return p.layWords(w, pages)
		}
		byNumber := map[int]layout.Page{}
		for _, page := range pages {
			byNumber[page.Number] = page
		}
		out := newPDFWriter(w)
		if err := s.embedImages(out, Part{Path: r.Path, Kind: r.Kind}, byNumber, r.Limits); err != nil {
			return err
		}
		return out.finish()
	})
}

// embedImages appends the pages of an image file, with the words of text (by
// page number, as displayed) under them.
func (s *session) embedImages(out *pdfWriter, part Part, text map[int]layout.Page, limits Limits) error {
	open := s.opener(part.Kind)
	if open == nil {
		return fault.File(fault.UnsupportedType, fmt.Sprintf("files of type %s cannot become pages of a PDF", part.Kind), nil)
	}
	f, err := open(s.ctx, part.Path, limits)
	if err != nil {
		return err
	}
	defer f.close()
	p, ok := f.(*picture)
	if !ok {
		return fault.File(fault.UnsupportedType, fmt.Sprintf("files of type %s cannot become pages of a PDF", part.Kind), nil)
	}
	for i, frame := range p.frames {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		image, err := p.embed(part.Kind, frame)
		if err != nil {
			return atPage(err, i+1)
		}
		page := layout.Page{Number: i + 1}
		page.Width, page.Height = frame.points()
		if words, ok := text[i+1]; ok {
			page = words
		}
		out.page(page, image)
	}
	return out.err
}

// embed makes a frame fit for a PDF: a JPEG as it is, anything else unpacked, in
// colour where its decoder gives colour.
func (p *picture) embed(kind Kind, f frame) (*pdfImage, error) {
	c, single := codecs[kind]
	if !single {
		gray, err := f.decode()
		if err != nil {
			return nil, err
		}
		out := packGray(gray)
		out.turn = f.turn
		return out, nil
	}
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read the image: %w", err)
	}
	if kind == JPEG {
		config, err := jpeg.DecodeConfig(bufio.NewReader(p.file))
		if err != nil {
			return nil, imageFault(c.name, err)
		}
		if _, err := p.file.Seek(0, io.SeekStart); err != nil {
			return nil, fmt.Errorf("read the image: %w", err)
		}
		out := &pdfImage{width: config.Width, height: config.Height, colour: "DeviceRGB", turn: f.turn, jpeg: p.file}
		switch config.ColorModel {
		case color.GrayModel:
			out.colour = "DeviceGray"
		case color.CMYKModel:
			out.colour, out.inverse = "DeviceCMYK", true // as every program writes them since Photoshop did
		}
		return out, nil
	}
	m, err := c.decode(bufio.NewReader(p.file))
	if err != nil {
		return nil, imageFault(c.name, err)
	}
	out := pack(m)
	out.turn = f.turn
	return out, nil
}

// writeFile leaves a whole file at path or none.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write the PDF: %w", err)
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

// Searchable writes a PDF to output that shows the file at path (a PDF or an
// image) and in which the words of pages can be found and marked: those that
// were recognised, as displayed. The PDF's pages, and the text they have, stay
// as they are.
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
