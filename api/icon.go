package api

import (
	"bytes"
	"image"
	_ "image/jpeg" // a format of icons
	"image/png"

	"golang.org/x/image/draw"

	"github.com/clausemill/clausemill/fault"
)

const (
	maxIcon     = 1 << 20 // bytes of an uploaded icon
	maxIconBody = maxIcon*4/3 + 1024
	maxIconSide = 2048 // pixels of an uploaded icon, since a small file can unpack to a huge picture
	iconSide    = 512  // pixels of a stored icon
)

// drawIcon encodes a PNG or JPEG again, as a PNG that is no larger than iconSide. Other
// formats are Unsupported, among them SVG, which may contain scripts.
func drawIcon(content []byte) ([]byte, error) {
	if len(content) > maxIcon {
		return nil, fault.New(fault.TooLarge, "an icon may have at most 1 MiB")
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(content))
	if err != nil || format != "png" && format != "jpeg" {
		return nil, fault.New(fault.Unsupported, "an icon must be a PNG or a JPEG")
	}
	if config.Width > maxIconSide || config.Height > maxIconSide {
		return nil, fault.New(fault.TooLarge, "an icon may have at most 2048 pixels on each side")
	}
	picture, _, err := image.Decode(bytes.NewReader(content))
	if err != nil {
		return nil, invalid("body.contentBase64", "is not a readable image")
	}
	size := picture.Bounds()
	if longest := max(size.Dx(), size.Dy()); longest > iconSide {
		size = image.Rect(0, 0, max(1, size.Dx()*iconSide/longest), max(1, size.Dy()*iconSide/longest))
	}
	icon := image.NewNRGBA(image.Rect(0, 0, size.Dx(), size.Dy()))
	draw.ApproxBiLinear.Scale(icon, icon.Bounds(), picture, picture.Bounds(), draw.Src, nil)
	var out bytes.Buffer
	err = png.Encode(&out, icon)
	return out.Bytes(), err
}
