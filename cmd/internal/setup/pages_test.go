package setup

import (
	"bytes"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
)

// TestPagesAreKept keeps pictures within a bound, those that were asked for last.
func TestPagesAreKept(t *testing.T) {
	t.Parallel()
	p := &pages{dir: t.TempDir(), log: slog.New(slog.DiscardHandler), most: 5000, every: 1000}
	page := func(n int) api.DrawnPage {
		return api.DrawnPage{File: db.File{SHA256: []byte{1}, Kind: "pdf"}, Number: n, Width: 100, Format: document.AsPNG}
	}
	old := time.Now().Add(-time.Hour)
	for n := range 20 {
		require.Nil(t, p.Drawn(page(n)))
		picture := bytes.Repeat([]byte{byte(n + 1)}, 1000)
		require.NoError(t, p.keep(p.path(page(n)), picture))
		require.Equal(t, picture, p.Drawn(page(n)))
		require.NotNil(t, p.Drawn(page(0)), "it is asked for all the time")
		for m := 1; m <= n; m++ {
			_ = os.Chtimes(p.path(page(m)), old, old.Add(time.Duration(m)*time.Second))
		}
	}
	left, err := os.ReadDir(p.dir)
	require.NoError(t, err)
	require.Len(t, left, 5)
	require.NotNil(t, p.Drawn(page(19)))
	require.Nil(t, p.Drawn(page(1)))

	names := map[string]bool{}
	for _, other := range []api.DrawnPage{
		page(1), page(2), {File: db.File{SHA256: []byte{2}, Kind: "pdf"}, Number: 1, Width: 100, Format: document.AsPNG},
		{File: page(1).File, Number: 1, Width: 101, Format: document.AsPNG}, {File: page(1).File, Number: 1, Width: 100, Format: document.AsJPEG},
	} {
		names[p.path(other)] = true
	}
	require.Len(t, names, 5)
}
