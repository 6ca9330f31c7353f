package docx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// likewise reads data beside an earlier part and on its own, which must give the
// same.
func likewise(t *testing.T, before, data string) tree {
	t.Helper()
	like, err := newPart("document.xml", []byte(before), nil)
	require.NoError(t, err)
	alone, wrong := scan([]byte(data), nil)
	beside, err := scan([]byte(data), like)
	if wrong != nil {
		require.EqualError(t, err, wrong.Error())
		return beside
	}
	require.NoError(t, err)
	require.Len(t, beside.nodes, len(alone.nodes))
	for i, n := range alone.nodes {
		require.Equal(t, alone.names[n.name], beside.names[beside.nodes[i].name])
		require.Equal(t, tracks(alone.names[n.name]), beside.tracks[beside.nodes[i].name])
		n.name = beside.nodes[i].name
		require.Equal(t, n, beside.nodes[i])
	}
	require.Equal(t, alone.declared, beside.declared)
	return beside
}

const blocksBefore = `<w:document xmlns:w="` + wordNS + `"><w:body>` +
	`<w:p><w:r><w:t>One</w:t></w:r></w:p><w:p/><w:p><w:r><w:t>Two</w:t></w:r></w:p>` +
	`<w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>` +
	`<x:y xmlns:x="urn:x"><x:z/></x:y><w:sectPr/></w:body></w:document>`

func TestReadingAgain(t *testing.T) {
	t.Parallel()
	for name, change := range map[string][]string{
		"nothing":           {"One", "One"},
		"a word":            {"Two", "Three and more"},
		"a block less":      {"<w:p/><w:p>", "<w:p>"},
		"a block more":      {"<w:p/>", "<w:p/><w:p><w:r/></w:p>"},
		"a cell":            {"cell", "other"},
		"the first":         {"One", "None"},
		"another root":      {`<w:document xmlns:w="` + wordNS + `">`, `<w:document xmlns:w="urn:w">`},
		"another name":      {"<x:z/>", "<x:tracked/><w:ins/>"},
		"another namespace": {`xmlns:x="urn:x"`, `xmlns:x="urn:other"`},
		"no end":            {"</w:body>", ""},
		"an end too many":   {"<w:p/>", "</w:p>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := strings.Replace(blocksBefore, change[0], change[1], 1)
			likewise(t, blocksBefore, changed)
			if _, err := scan([]byte(changed), nil); err == nil {
				likewise(t, changed, blocksBefore)
			}
		})
	}
}

// TestReadingAgainSparesWork counts the steps that reading takes.
func TestReadingAgainSparesWork(t *testing.T) {
	t.Parallel()
	before := strings.Replace(blocksBefore, "<w:p/>", strings.Repeat("<w:p><w:r><w:t>same</w:t></w:r></w:p>", 100), 1)
	like, err := newPart("document.xml", []byte(before), nil)
	require.NoError(t, err)
	steps := func(like *Part) (n int) {
		s := newScanner([]byte(strings.NewReplacer("One", "None", "cell", "other").Replace(before)), like)
		for ; s.at < len(s.data); n++ {
			require.NoError(t, s.step())
		}
		return n
	}
	require.Less(t, steps(like), steps(nil)/4)
}

// FuzzReadingAgain reads what cannot be read, and what only looks like it was
// read before.
func FuzzReadingAgain(f *testing.F) {
	f.Add(blocksBefore, strings.Replace(blocksBefore, "One", "None", 1))
	f.Add(`<a><b/><b><c/></b></a>`, `<a><b><c/></b><b/></a>`)
	f.Fuzz(func(t *testing.T, before, data string) {
		if _, err := newPart("document.xml", []byte(before), nil); err != nil || !strings.HasPrefix(before, "<") {
			return
		}
		likewise(t, before, data)
	})
}
