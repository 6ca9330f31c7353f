package document

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"image/png"

	"github.com/clausemill/clausemill/child"
)

// Format is a format that pages are drawn in.
type Format string

// The formats that pages are drawn in.
const (
	AsJPEG Format = "jpeg"
	AsPNG  Format = "png"
)

// drawnQuality is that of JPEGs: letters keep their edges at it.
const drawnQuality = 85

// draw draws a page for people. The picture is encoded here, where time and memory are
// bounded.
func (s *session) draw(r request, send reply) error {
	f, err := s.file(r)
	if err != nil {
		return err
	}
	img, err := f.Draw(s.ctx, r.From, r.Width)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := encode(&out, img, r.Format); err != nil {
		return err
	}
	return send(struct{}{}, out.Bytes())
}

func encode(out *bytes.Buffer, img image.Image, as Format) error {
	if as == AsPNG {
		return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(out, img)
	}
	return jpeg.Encode(out, img, &jpeg.Options{Quality: drawnQuality})
}

// Draw draws one page (from 1) as it is displayed, in colour, width pixels wide or less
// where it would be too high.
func (r *Reader) Draw(ctx context.Context, path string, kind Kind, page, width int, as Format) ([]byte, error) {
	var picture []byte
	q := request{Op: opDraw, Path: path, Kind: kind, From: page, Width: width, Format: as}
	err := r.do(ctx, q, func(a child.Reply) error {
		picture = append([]byte(nil), a.Payload...)
		return nil
	})
	if err != nil {
		return nil, r.blame(err, page)
	}
	return picture, nil
}
