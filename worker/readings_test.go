package worker

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/nlp"
)

// TestReadings keeps the texts that came last, within its bound, each by its generation.
func TestReadings(t *testing.T) {
	t.Parallel()
	words := func(n int) nlp.Reading {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "word%d ", i)
		}
		return nlp.NewReading(text.String(), nil, false)
	}
	r := readings{of: map[textOf]nlp.Reading{}}
	one := words(10_000)
	fit := mostReadings / one.Size()
	file := func(i int) db.SketchedFile { return db.SketchedFile{ID: strconv.Itoa(i), Generation: 1} }
	for i := range fit + 2 {
		r.put(file(i), one)
		r.put(file(i), one) // known
	}
	for i := range fit + 2 {
		_, ok := r.get(file(i))
		require.Equal(t, i >= 2, ok, i)
	}
	require.LessOrEqual(t, r.size, mostReadings)
	require.Len(t, r.of, len(r.oldest))
	_, ok := r.get(db.SketchedFile{ID: strconv.Itoa(fit), Generation: 2})
	require.False(t, ok, "another text of the file")

	huge := words(mostReadings / 64)
	r.put(file(-1), huge)
	_, ok = r.get(file(-1))
	require.False(t, ok, "one text does not take the place of all others")
}
