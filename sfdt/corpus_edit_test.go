package sfdt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/redline"
	"github.com/clausemill/clausemill/sfdt"
)

// TestCorpusEdits edits a dozen paragraphs of each document as an editor saves
// them that tracks: exactly these edits must come back as changes.
func TestCorpusEdits(t *testing.T) {
	t.Parallel()

	edits := 0
	for name, src := range readable(t) {
		made, err := sfdt.Convert(src)
		require.NoError(t, err)
		wanted := edited(made)
		saved, err := sfdt.Read(encode(t, made))
		require.NoError(t, err)
		changes, unclear, err := sfdt.Compare(src, saved, sender, sentAt)
		require.NoError(t, err)
		require.Empty(t, unclear, name)
		var told []string
		for _, c := range changes {
			start, end := -1, -1
			if c.Anchor.Start != nil {
				start, end = *c.Anchor.Start, *c.Anchor.End
			}
			told = append(told, tell(c.Type, start, end, c.Text, c.Author.Name))
		}
		require.ElementsMatch(t, wanted, told, name)
		edits += len(wanted)
	}
	require.Greater(t, edits, 100)
}

func tell(what redline.Type, start, end int, text, author string) string {
	return fmt.Sprintf("%s %d-%d %q by %s", what, start, end, text, author)
}

// edited edits paragraphs of plain text, and returns what must be told of it.
func edited(made *sfdt.Document) (wanted []string) {
	by := func(what string) []string {
		id := fmt.Sprintf("edit-%d", len(made.Revisions))
		made.Revisions = append(made.Revisions, sfdt.Revision{ID: id, Type: what, Author: "Eve Editor", Date: "2026-03-04T05:06:07Z"})
		return []string{id}
	}
	const start, end, added = 4, 9, "zebra"
	for _, section := range made.Sections {
		for i, block := range section.Blocks {
			line, ok := plainLine(block)
			if !ok || len(wanted) == 12 {
				continue
			}
			piece := func(from, to int) sfdt.Inline {
				part := line
				text := (*line.Text)[from:to]
				part.Text = &text
				return part
			}
			before, middle, after := piece(0, start), piece(start, end), piece(end, len(*line.Text))
			switch len(wanted) % 3 {
			case 0:
				typed := added
				middle = line
				middle.Text, middle.RevisionIDs, after = &typed, by("Insertion"), piece(start, len(*line.Text))
				wanted = append(wanted, tell(redline.Insert, start, start, added, "Eve Editor"))
			case 1:
				middle.RevisionIDs = by("Deletion")
				wanted = append(wanted, tell(redline.Delete, start, end, "", "Eve Editor"))
			case 2:
				format := sfdt.CharacterFormat{}
				if line.CharacterFormat != nil {
					format = *line.CharacterFormat
				}
				format.Strikethrough = "SingleStrike"
				middle.CharacterFormat = &format
				wanted = append(wanted, tell(redline.FormatText, start, end, "", sender.Name))
			}
			section.Blocks[i].Inlines = &[]sfdt.Inline{before, middle, after}
		}
	}
	return wanted
}

// plainLine is the text of a paragraph that has nothing else, in which no letter
// is beside its like: where an edit of it stands is not in doubt.
func plainLine(block sfdt.Block) (line sfdt.Inline, ok bool) {
	if block.Inlines == nil || len(*block.Inlines) != 1 || block.CharacterFormat != nil && block.CharacterFormat.RevisionIDs != nil {
		return line, false
	}
	line = (*block.Inlines)[0]
	if line.Text == nil || line.RevisionIDs != nil || len(*line.Text) < 20 || (*line.Text)[4] == (*line.Text)[9] || (*line.Text)[3] == (*line.Text)[8] {
		return line, false
	}
	return line, !strings.ContainsFunc(*line.Text, func(r rune) bool { return r >= 0x7F || r < ' ' })
}
