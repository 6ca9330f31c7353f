package redline

import (
	"fmt"
	"strconv"
	"strings"
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

// TestUnlikeDocuments compares documents that share nothing. Each change must
// only be held against those at its place, and nothing be paired at any price.
func TestUnlikeDocuments(t *testing.T) {
	t.Parallel()
	const n = 300
	written := func(word string) []byte {
		var passages []docx.Passage
		for i := range n {
			passages = append(passages, docx.Passage{Kind: docx.BodyPassage, Text: fmt.Sprintf("%s%d %[1]s%[2]d.", word, i)})
		}
		data, err := docx.Build(passages)
		require.NoError(t, err)
		return data
	}
	base, other := written("old"), written("new")
	found, err := Compare(base, other)
	require.NoError(t, err)
	require.Empty(t, found.Left)
	require.Less(t, len(found.Changes), 2*n+2)

	doc, err := docx.Open(base)
	require.NoError(t, err)
	a := newApplier(doc, SHA256(base))
	for i := range found.Changes {
		c := found.Changes[i]
		c.ID = strconv.Itoa(i)
		a.apply(&c)
	}
	require.Empty(t, a.failed)
	for at, claims := range a.lie {
		require.LessOrEqual(t, len(claims), 8, "%d", at.paragraph)
	}
	undo := a.checkpoint()
	before := len(a.claims)
	a.apply(&Change{ID: "more", Type: InsertParagraph, Anchor: Anchor{Block: new(int)}, Text: "More."})
	undo()
	require.Len(t, a.claims, before)
	for _, claims := range a.lie {
		for _, i := range claims {
			require.Less(t, i, before, "nothing of what was undone is left")
		}
	}

	blocks := make([]block, n)
	require.Nil(t, similar(blocks, blocks), "too many to hold each against each")
	require.Len(t, similar(blocks[:20], blocks[:20]), 20)

	long := make([]block, 20)
	for i := range long {
		var text strings.Builder
		for j := range maxTable/len(long)/len(long) + 1 {
			fmt.Fprintf(&text, "w%d ", j)
		}
		long[i] = block{paragraphs: []*docx.Paragraph{nil}, text: text.String()}
		long[i].count()
	}
	require.Len(t, similar(long[1:], long[1:]), 19)
	require.Nil(t, similar(long, long), "too many words to hold each against each")
}
