package picture

import (
	"bufio"
	"fmt"
	"image/jpeg"
	"io"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/raster"
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
