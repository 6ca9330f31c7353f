package structure

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSyllables(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]int{
		"cat": 1, "Tenant,": 2, "lease": 1, "table": 2, "agreement": 3, "the": 1, "(b)": 1, "$1,000": 0, "—": 0, "rhythm": 1,
	} {
		require.Equal(t, want, countSyllables(word), word)
	}
}

func TestReadability(t *testing.T) {
	t.Parallel()
	grade := func(text string) float64 {
		g, ok := Readability(Segment([]string{text}))
		require.True(t, ok)
		return g
	}
	easy := grade("The cat sat on the mat. It saw the dog. The dog ran to the door and sat.")
	require.Less(t, easy, 3.0)
	require.Greater(t, grade(strings.Repeat("Notwithstanding anything herein to the contrary, the indemnifying party shall reimburse "+
		"the indemnified party for all liabilities, expenditures and obligations arising out of or attributable to the operations contemplated hereunder. ", 3)), easy+10)

	for _, text := range []string{"", "\f\x00", "12.3 45"} {
		_, ok := Readability(Segment([]string{text}))
		require.False(t, ok, text)
	}
	_, ok := Readability(Segment([]string{"Die Parteien haben diesen Vertrag in deutscher Sprache geschlossen und vereinbaren, dass er dem Recht der Bundesrepublik Deutschland unterliegt."}))
	require.False(t, ok)
}
