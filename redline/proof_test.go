package redline

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
)

// written is a document of paragraphs, and what an applier makes of it that
// changes the first "thirty" to "sixty".
func written(t *testing.T, lines ...string) (base *docx.Document, a *applier, marked *docx.Document) {
	t.Helper()
	var passages []docx.Passage
	for _, line := range lines {
		passages = append(passages, docx.Passage{Kind: docx.BodyPassage, Text: line})
	}
	data, err := docx.Build(passages)
	require.NoError(t, err)
	base, err = docx.Open(data)
	require.NoError(t, err)
	a = newApplier(base, SHA256(data))
	a.apply(&Change{ID: "a", Type: Replace, Anchor: Anchor{Text: "thirty", Occurrence: 1}, Text: "sixty", Author: Author{Name: "Ann"}, Date: time.Unix(0, 0)})
	require.Len(t, a.applied, 1)
	data, err = a.editor.Bytes()
	require.NoError(t, err)
	marked, err = docx.Open(data)
	require.NoError(t, err)
	return base, a, marked
}

// TestProofFindsFaults proves documents that are not what they were to be.
func TestProofFindsFaults(t *testing.T) {
	t.Parallel()
	base, a, marked := written(t, "One.", "The term is thirty days.", "Three.", "Four.", "Five.")
	c, err := a.prove(marked)
	require.NoError(t, err)
	require.True(t, c.OK())

	c, err = a.prove(base)
	require.NoError(t, err)
	require.False(t, c.AcceptAllEqualsTarget, "nothing was written")
	require.True(t, c.RejectAllEqualsBase)

	for name, lines := range map[string][]string{
		"another word": {"One.", "The term is thirty days.", "Three!", "Four.", "Five."},
		"another end":  {"One.", "The term is thirty days.", "Three.", "Four."},
		"more":         {"One.", "And more.", "The term is thirty days.", "Three.", "Four.", "Five."},
		"other order":  {"One.", "The term is thirty days.", "Four.", "Three.", "Five."},
		"other text":   {"One.", "The term was thirty days.", "Three.", "Four.", "Five."},
	} {
		_, _, other := written(t, lines...)
		c, err = a.prove(other)
		require.NoError(t, err)
		require.False(t, c.AcceptAllEqualsTarget, name)
		require.False(t, c.RejectAllEqualsBase, name)
	}
}
