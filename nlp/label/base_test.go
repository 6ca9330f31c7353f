package label

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReads(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{"en": true, "": true, "de": false, "fr": false, "es": false} {
		require.Equal(t, want, Reads(code), code)
	}
}
