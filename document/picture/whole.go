package picture

import (
	"bufio"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"io"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/raster"
	"github.com/clausemill/clausemill/fault"
)

// Whole is a page in a form for another file: a JPEG as it is, anything else
// unpacked, in colour if its decoder returns colour.
func (p *File) Whole(number int) (*raster.Picture, error) {
	f := p.frames[number-1]
	out := &raster.Picture{Turn: f.turn}
	out.PageWidth, out.PageHeight = f.points()
	if err := p.fill(out, f); err != nil {
		return nil, format.AtPage(err, number)
	}
	return out, nil
}

// Draw draws a page for people, with its colours.
func (p *File) Draw(ctx context.Context, page, width int) (image.Image, error) {
	if page < 1 || page > len(p.frames) {
		return nil, fault.Newf(fault.NotFound, "the image has no page %d", page)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	whole, err := p.Whole(page)
	if err == nil && whole.JPEG != nil {
		if whole.Image, err = jpeg.Decode(bufio.NewReader(whole.JPEG)); err != nil {
			err = format.AtPage(imageFault(codecs[p.kind].name, err), page)
		}
	}
	if err != nil {
		return nil, err
	}
	across, down := format.DrawnSize(whole.PageWidth, whole.PageHeight, width)
	if whole.Turn.Swaps() {
		across, down = down, across
	}
	return raster.Fit(whole.Image, across, down, whole.Turn), nil
}

func (p *File) fill(out *raster.Picture, f frame) error {
	c, single := codecs[p.kind]
	if !single {
		gray, err := f.decode()
		out.Image = gray
		return err
	}
	if _, err := p.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read the image: %w", err)
	}
	if p.kind == format.JPEG {
		config, err := jpeg.DecodeConfig(bufio.NewReader(p.file))
		if err != nil {
			return imageFault(c.name, err)
		}
		if _, err := p.file.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("read the image: %w", err)
		}
		out.JPEG, out.Config = p.file, config
		return nil
	}
	m, err := c.decode(bufio.NewReader(p.file))
	if err != nil {
		return imageFault(c.name, err)
	}
	out.Image = m
	return nil
}
