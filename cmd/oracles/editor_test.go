package oracles_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
	"github.com/clausemill/clausemill/sfdt"
)

// oddities are documents in which the editor changes something when it opens and
// saves them, or that it never opens.
var oddities = map[string]string{
	"docx-editor__pr175-176-columns-test":    "the editor fails at laying out a table over columns",
	"docx4j__w14_mcIgnorable-in-other-parts": "the editor joins words and their styles",
}

// An edit is something to be done in the editor.
type edit struct {
	At    string `json:"at"` // section;block;
	Start int    `json:"start"`
	End   int    `json:"end"`
	Do    string `json:"do"`
	Text  string `json:"text,omitempty"`
}

// TestEditor opens every document in the web editor, which must have all of it;
// saves it, which must change nothing; and edits it, which must come back as the
// changes that were made.
func TestEditor(t *testing.T) {
	t.Parallel()
	need(t, "node", "node", "--version")
	need(t, "the editor (npm install @syncfusion/ej2-documenteditor jsdom)", "node", "-e", "require.resolve('@syncfusion/ej2-documenteditor'); require.resolve('jsdom')")
	dir := t.TempDir()
	editor := start(t, "node", filepath.Join("testdata", "editor.js"), dir)
	opened, edited := 0, 0
	all := documents(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if why := oddities[name]; why != "" {
			t.Log(name + ": " + why)
			continue
		}
		data := all[name]
		src, err := docx.Open(data)
		require.NoError(t, err)
		made, err := sfdt.Convert(src)
		require.NoError(t, err)
		file, err := os.Create(filepath.Join(dir, name+".sfdt"))
		require.NoError(t, err)
		require.NoError(t, made.Encode(file))
		require.NoError(t, file.Close())
		plan := plans(made)
		var report struct {
			Failed              string
			Revisions, Comments int
		}
		editor.ask(t, map[string]any{"name": name, "edits": plan}, &report)
		if report.Failed != "" {
			t.Errorf("%s does not open: %s", name, brief(report.Failed))
			continue
		}
		opened++
		if len(made.Comments) != report.Comments || len(made.Revisions) != report.Revisions {
			t.Errorf("%s: the editor has %d comments of %d and %d tracked changes of %d", name, report.Comments, len(made.Comments), report.Revisions, len(made.Revisions))
		}
		base := text(t, filepath.Join(dir, name+".sfdt"))
		if saved := text(t, filepath.Join(dir, name+".saved.sfdt")); saved != base {
			t.Errorf("%s: the editor has another text: %s", name, difference(saved, base))
		}
		if changes, unclear := compare(t, src, filepath.Join(dir, name+".saved.sfdt")); len(changes)+len(unclear) > 0 {
			t.Errorf("%s was not edited: %v %v", name, told(changes), unclear)
		}
		changes, unclear := compare(t, src, filepath.Join(dir, name+".edited.sfdt"))
		if wanted := expected(plan); !slices.Equal(wanted, told(changes)) || len(unclear) > 0 {
			t.Errorf("%s was edited by %v: %v %v", name, wanted, told(changes), unclear)
		}
		edited += len(plan)
	}
	t.Logf("%d documents opened, %d edits came back", opened, edited)
	require.NotZero(t, edited)
}

// text is what the body of a saved document says.
func text(t *testing.T, file string) string {
	t.Helper()
	saved := read(t, file)
	lines := make([]string, len(saved.Text))
	for i, line := range saved.Text {
		lines[i] = line.String()
	}
	return folded(strings.Join(lines, "\n"))
}

func read(t *testing.T, file string) *sfdt.Saved {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	saved, err := sfdt.Read(data)
	require.NoError(t, err, file)
	return saved
}

func compare(t *testing.T, src *docx.Document, file string) (changes []redline.Change, unclear []string) {
	t.Helper()
	saved := read(t, file)
	require.NotEmpty(t, saved.Origin, "the editor has kept what tells of which document it was made")
	changes, unclear, err := sfdt.Compare(src, saved, redline.Author{Name: "Sam Sender"}, time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC))
	require.NoError(t, err)
	return changes, unclear
}

// plans are edits of paragraphs of plain text, a dozen at most.
func plans(made *sfdt.Document) []edit {
	var all []edit
	for i, section := range made.Sections {
		at := 0 // the editor counts what is in a control like what is outside
		for _, block := range section.Blocks {
			if text, ok := only(block); ok && len(all) < 12 {
				e := []edit{{Start: 4, End: 4, Do: "insert", Text: "zebra"}, {Start: 4, End: 9, Do: "delete"}, {Start: 4, End: 9, Do: "bold"}, {Start: 4, End: 9, Do: "comment", Text: "why"}}[len(all)%4]
				for e.Do == "delete" && e.End < len(text)-1 && (text[e.End-1] == ' ' || text[e.End] == ' ') {
					e.End++ // with a whole word the editor deletes a blank
				}
				e.At = fmt.Sprintf("%d;%d;", i, at)
				all = append(all, e)
			}
			at += size(block)
		}
	}
	return all
}

// size is how many blocks the editor counts.
func size(block sfdt.Block) int {
	if block.Control == nil {
		return 1
	}
	n := 0
	for _, inner := range block.Blocks {
		n += size(inner)
	}
	return n
}

// only is the text of a paragraph that has nothing else.
func only(block sfdt.Block) (text string, ok bool) {
	if block.Inlines == nil || len(*block.Inlines) != 1 || block.CharacterFormat != nil && block.CharacterFormat.RevisionIDs != nil {
		return "", false
	}
	inline := (*block.Inlines)[0]
	if inline.Text == nil || inline.RevisionIDs != nil || len(*inline.Text) < 20 || strings.ContainsFunc(*inline.Text, func(r rune) bool { return r >= 0x7F || r < ' ' }) {
		return "", false
	}
	return *inline.Text, true
}

// expected are edits as told, sorted.
func expected(plan []edit) []string {
	var all []string
	for _, e := range plan {
		all = append(all, fmt.Sprintf("%s %d-%d %s", map[string]redline.Type{"insert": redline.Insert, "delete": redline.Delete, "bold": redline.FormatText, "comment": redline.CommentOn}[e.Do], e.Start, e.End, e.Text))
	}
	slices.Sort(all)
	return all
}

// told are changes by what they do, sorted.
func told(changes []redline.Change) []string {
	var all []string
	for _, c := range changes {
		start, end := -1, -1
		if c.Anchor.Start != nil {
			start, end = *c.Anchor.Start, *c.Anchor.End
		}
		all = append(all, fmt.Sprintf("%s %d-%d %s", c.Type, start, end, c.Text))
	}
	slices.Sort(all)
	return all
}
