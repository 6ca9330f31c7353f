package nlp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestModelID(t *testing.T) {
	t.Parallel()
	require.Equal(t, "e3b0c442-98fc-8c14-9afb-f4c8996fb924", modelID(nil), "the hash of nothing, marked as version 8")
	require.NotEqual(t, modelID(nil), BaseModelID())
	require.True(t, Labels("en"))
	require.False(t, Labels("de"))
}
