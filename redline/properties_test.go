package redline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
)

// trackable are the deceptions for which Word has a mark, each with the marks.
var trackable = map[string][]string{
	"heading style": {"pPrChange"}, "heading level": {"pPrChange"}, "indent off the page": {"pPrChange"}, "frame off the page": {"pPrChange"},
	"list left": {"pPrChange"}, "hidden paragraph end": {"rPrChange"}, "number hidden": {"rPrChange"},
	"table header row": {"trPrChange"}, "hidden row": {"trPrChange"}, "row height": {"trPrChange"}, "table width": {"tblGridChange"}, "merged cells": {"tcPrChange"},
	"page margins": {"sectPrChange"}, "page size": {"sectPrChange"}, "first page header": {"sectPrChange"},
	"bold removed": {"rPrChange"}, "hidden": {"rPrChange"}, "hidden on the web": {"rPrChange"}, "white text": {"rPrChange"}, "symbol font": {"rPrChange"},
	"squeezed to one percent": {"rPrChange"}, "lowered off the line": {"rPrChange"}, "superscript": {"rPrChange"}, "text on its own colour": {"rPrChange"},
	"struck through twice": {"rPrChange"},
}

// TestPropertiesAreTracked holds that every change of properties that Word can mark is
// marked, so that nothing is left; that accepting gives the other document and rejecting
// the base, in everything; and that the marks are decided on one by one.
func TestPropertiesAreTracked(t *testing.T) {
	t.Parallel()
	base := pack(t, agreement())
	for name, kinds := range trackable {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, parts := deceptions[name], agreement()
			parts[d[0]] = strings.Replace(parts[d[0]], d[1], d[2], 1)
			other := pack(t, parts)
			for _, pair := range [][2][]byte{{base, other}, {other, base}} {
				found, err := redline.Compare(pair[0], pair[1])
				require.NoError(t, err)
				require.Empty(t, found.Left)
				holdTold(t, pair[0], found)
				r, err := redline.Execute(pair[0], found.Changes, redline.Options{})
				require.NoError(t, err)
				marked, err := docx.Open(r.Document)
				require.NoError(t, err)
				var made []string
				for _, m := range redline.Standing(marked, nil) {
					if !m.Comment && !slices.Contains(made, m.Kind) {
						require.NotEmpty(t, m.Properties)
						made = append(made, m.Kind)
					}
				}
				require.Equal(t, kinds, made)
				holdSame(t, decided(t, r.Document, redline.Accept), pair[1])
				holdSame(t, decided(t, r.Document, redline.Reject), pair[0])
			}
		})
	}
}

// decided is a document with all tracked changes decided on, each by its id.
func decided(t *testing.T, data []byte, decision redline.Type) []byte {
	t.Helper()
	d, err := docx.Open(data)
	require.NoError(t, err)
	var decisions []redline.Change
	for m := range d.Marks() {
		decisions = append(decisions, redline.Change{ID: m.ID, Type: decision, Target: m.ID, Author: ann, Date: noon})
	}
	r, err := redline.Decide(data, decisions, func(docx.Revision) docx.Decision { return docx.Keep })
	require.NoError(t, err)
	require.Empty(t, r.Failed)
	require.True(t, r.Checks.OK(), "%+v", r.Checks)
	require.Zero(t, r.After)
	return r.Document
}

// holdSame holds that two documents differ in nothing.
func holdSame(t *testing.T, a, b []byte) {
	t.Helper()
	found, err := redline.Compare(a, b)
	require.NoError(t, err)
	require.Empty(t, found.Changes)
	require.Empty(t, found.Left)
}

// TestPropertiesOfProposals holds proposed settings to what the format allows, and to
// one change of a thing.
func TestPropertiesOfProposals(t *testing.T) {
	t.Parallel()
	base := pack(t, agreement())
	centred := docx.Settings{Set: []docx.Property{{Name: "jc", Attributes: map[string]string{"val": "center"}}}}
	change := func(of docx.Holder, block int, s docx.Settings) redline.Change {
		return redline.Change{ID: string(of), Type: redline.SetProperties, Of: of, Settings: s, Anchor: redline.Anchor{Block: at(block)}, Author: ann, Date: noon}
	}
	d, err := docx.Open(base)
	require.NoError(t, err)
	cell := slices.IndexFunc(d.Story("body").Paragraphs(), func(p *docx.Paragraph) bool { return p.Text() == "Item" })
	refused := func(changes ...redline.Change) string {
		r, err := redline.Execute(base, changes, redline.Options{})
		require.NoError(t, err)
		if len(r.Failed) == 0 {
			return ""
		}
		return string(r.Failed[len(r.Failed)-1].Err.Code)
	}
	require.Empty(t, refused(change(docx.OfParagraph, 0, centred)))
	require.Empty(t, refused(change(docx.OfTable, cell, centred)))
	require.Equal(t, "anchor_mismatch", refused(change(docx.OfTable, 0, centred)), "no table")
	require.Equal(t, "invalid_change", refused(change(docx.OfCell, cell, centred)), "a cell has no alignment")
	require.Equal(t, "invalid_change", refused(change(docx.OfParagraph, 0, docx.Settings{Set: []docx.Property{{Name: "jc", Attributes: map[string]string{"val w:x": "1"}}}})))
	require.Equal(t, "no_change", refused(change(docx.OfParagraph, 0, docx.Settings{})))
	twice := change(docx.OfParagraph, 0, centred)
	twice.ID = "again"
	require.Equal(t, "conflict", refused(change(docx.OfParagraph, 0, centred), twice))
	gone := redline.Change{ID: "delete", Type: redline.DeleteRow, Anchor: redline.Anchor{Block: at(cell)}, Author: ann, Date: noon}
	high := docx.Settings{Set: []docx.Property{{Name: "cantSplit"}}}
	require.Equal(t, "conflict", refused(change(docx.OfRow, cell, high), gone))
	require.Equal(t, "conflict", refused(gone, change(docx.OfParagraph, cell, centred)))
}
