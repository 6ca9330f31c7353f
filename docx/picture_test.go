package docx_test

import (
	"archive/zip"
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
)

// TestBuildPictures shows pictures between passages, no wider than the page, and names what
// they are for those who do not see them.
func TestBuildPictures(t *testing.T) {
	t.Parallel()

	one, two := []byte("one"), []byte("two")
	data, err := docx.Build([]docx.Passage{
		{Kind: docx.Illustrated, Picture: &docx.Picture{Bytes: one, Width: 936, Height: 100, Text: `Picture on "page" 1`}},
		{Kind: docx.BodyPassage, Text: "The Rent."},
		{Kind: docx.Illustrated, Picture: &docx.Picture{Bytes: two, JPEG: true, Width: 72, Height: 36}},
		{Kind: docx.Illustrated},
	})
	require.NoError(t, err)
	d, err := docx.Open(data)
	require.NoError(t, err)
	require.Empty(t, d.Faults())
	var sizes []string
	for e := range d.Story("body").Root.Descendants() {
		if e.Is("wp:extent") {
			sizes = append(sizes, e.Attr("cx")+" "+e.Attr("cy"))
		}
	}
	require.Equal(t, []string{"5943600 635000", "914400 457200"}, sizes)
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	for name, want := range map[string][]byte{"word/media/image1.png": one, "word/media/image2.jpeg": two} {
		f, err := z.Open(name)
		require.NoError(t, err)
		got, err := io.ReadAll(f)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
