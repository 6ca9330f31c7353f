package nlp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/label"
	"github.com/clausemill/clausemill/nlp/learn"
)

func TestModelID(t *testing.T) {
	t.Parallel()
	require.Equal(t, "e3b0c442-98fc-8c14-9afb-f4c8996fb924", learn.ID(nil), "the hash of nothing, marked as version 8")
	require.NotEqual(t, learn.ID(nil), label.BaseID())
}
