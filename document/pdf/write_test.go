package pdf

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/formattest"
)

func TestPackKeepsColours(t *testing.T) {
	t.Parallel()
	require.Equal(t, "DeviceRGB", pack(formattest.Flag()).colour)
	grey := image.NewNRGBA(image.Rect(0, 0, 3, 1))
	grey.Set(0, 0, color.NRGBA{R: 7, G: 7, B: 7, A: 255})
	grey.Set(1, 0, color.NRGBA{R: 90, G: 90, B: 90, A: 255})
	out := pack(grey)
	require.Equal(t, "DeviceGray", out.colour)
	require.Equal(t, []byte{7, 90, 255}, out.samples, "what is transparent shows white")
}
