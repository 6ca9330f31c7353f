package query

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWordingsKeepTheirParts finds every part that a wording keeps in what it is read as. Of three the
// answer tells it: how long something lasts, and which stages there are, and who has taken what.
func TestWordingsKeepTheirParts(t *testing.T) {
	t.Parallel()
	list := slices.Concat(wordings(kinds), wordings(shapes), wordings(spans), wordings(conditions), bearings())
	require.Greater(t, len(list), 400)
	for _, r := range list {
		read := strings.Join(r.to, " ")
		for _, word := range r.from {
			name, _, _ := strings.Cut(strings.TrimSuffix(word, "}"), "=")
			if word[0] == '{' && !slices.Contains([]string{"average term of {B}", "{C} by stage", ""}, read) {
				require.Contains(t, read, name+"}", r.from)
			}
		}
		for _, word := range r.to {
			require.True(t, word[0] != '{' || slices.ContainsFunc(r.from, func(w string) bool { return strings.HasPrefix(w, strings.TrimSuffix(word, "}")) }), r.to)
		}
	}
}
