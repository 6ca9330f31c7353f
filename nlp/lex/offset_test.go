package lex

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestOffsets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		// Long enough for several strides, with characters of every width across
		// their borders.
		runes := rapid.SliceOfN(rapid.SampledFrom([]rune("aé漢😀\n")), 0, 1500).Draw(t, "text")
		text := string(runes)
		o := NewOffsets(text)
		point := rapid.IntRange(0, len(runes)).Draw(t, "point")
		offset := o.Byte(point)
		require.Equal(t, point, utf8.RuneCountInString(text[:offset]))
		require.Equal(t, point, o.CodePoint(offset))
		end := rapid.IntRange(point, len(runes)).Draw(t, "end")
		require.Equal(t, string(runes[point:end]), o.Slice(Span{point, end}))
	})
}
