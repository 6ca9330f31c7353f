package learn

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestID(t *testing.T) {
	t.Parallel()
	require.Equal(t, "e3b0c442-98fc-8c14-9afb-f4c8996fb924", ID(nil), "the hash of nothing, marked as version 8")
	require.NotEqual(t, ID(nil), ID([]byte{0}))
}
