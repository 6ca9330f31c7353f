package redline_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
)

// The passages hold the canonical text of every paragraph of the body, and every
// tracked change of text in it.
func TestPassages(t *testing.T) {
	t.Parallel()
	const by = `w:author="Bob" w:date="2026-01-02T03:04:05Z"`
	const moved = `<w:moveFromRangeStart w:id="20" w:name="m" ` + by + `/><w:p><w:pPr><w:rPr><w:moveFrom w:id="21" ` + by + `/></w:rPr></w:pPr><w:moveFrom w:id="22" ` + by + `><w:r><w:t>Gone.</w:t></w:r></w:moveFrom></w:p><w:moveFromRangeEnd w:id="20"/>` +
		`<w:p><w:r><w:rPr><w:b/><w:sz w:val="20"/><w:rPrChange w:id="23" ` + by + `><w:rPr><w:i/><w:sz w:val="20"/></w:rPr></w:rPrChange></w:rPr><w:t>Bold.</w:t></w:r></w:p>` +
		`<w:moveToRangeStart w:id="24" w:name="m" ` + by + `/><w:p><w:pPr><w:rPr><w:moveTo w:id="25" ` + by + `/></w:rPr></w:pPr><w:moveTo w:id="26" ` + by + `><w:r><w:t>Gone.</w:t></w:r></w:moveTo></w:p><w:moveToRangeEnd w:id="24"/>`
	doc, err := docx.Open(word(t, contract+moved))
	require.NoError(t, err)
	shown, ids := map[int]string{}, map[string]bool{}
	var walk func([]redline.Passage)
	note := func(changes []string) {
		for _, id := range changes {
			ids[id] = true
		}
	}
	walk = func(all []redline.Passage) {
		for _, p := range all {
			note(p.Changes)
			var text strings.Builder
			for _, run := range p.Runs {
				note(run.Changes)
				if !run.Deleted {
					require.Equal(t, len([]rune(text.String())), run.Start)
					text.WriteString(run.Text)
				}
			}
			if p.Part == "body" && p.Rows == nil {
				shown[p.Block] = text.String()
			}
			for _, row := range p.Rows {
				note(row.Changes)
				for _, cell := range row.Cells {
					note(cell.Changes)
					walk(cell.Passages)
				}
			}
		}
	}
	walk(redline.Passages(doc))
	for _, p := range doc.Story("body").Paragraphs() {
		require.Equal(t, p.Text(), shown[p.Index])
	}
	for _, r := range doc.Revisions() {
		require.True(t, ids[r.ID], r.Kind)
	}

	marks := redline.Standing(doc, nil)
	require.Len(t, marks, 7)
	kinds := map[string]redline.Mark{}
	for _, m := range marks {
		kinds[m.ID] = m
		if m.Kind == "rPrChange" {
			require.Equal(t, []string{"b", "i"}, m.Properties)
		}
	}
	for _, m := range marks {
		switch m.Kind {
		case "moveFrom":
			require.Equal(t, "moveTo", kinds[m.Pair].Kind)
		case "moveTo":
			require.Equal(t, "moveFrom", kinds[m.Pair].Kind)
		default:
			require.Empty(t, m.Pair)
		}
	}
}

// TestPassagesHide says of each text why nobody may see it, styles included, and nothing
// of text that is read.
func TestPassagesHide(t *testing.T) {
	t.Parallel()
	run := func(look, text string) string {
		return `<w:r><w:rPr>` + look + `</w:rPr><w:t xml:space="preserve">` + text + `</w:t></w:r>`
	}
	doc, err := docx.Open(word(t, `<w:p>`+run(`<w:vanish/>`, "One")+run(`<w:strike/>`, "Two")+run(`<w:color w:val="FFFFFF"/>`, "Three")+
		run(`<w:sz w:val="2"/>`, "Four")+run(`<w:b/>`, "Five")+run(`<w:vanish/>`, " ")+`</w:p>`))
	require.NoError(t, err)
	why := map[string]string{}
	for _, r := range redline.Passages(doc)[0].Runs {
		why[r.Text] = r.Hidden
	}
	require.Equal(t, map[string]string{"One": "hidden", "Two": "struck", "Three": "white", "Four": "tiny", "Five": "", " ": ""}, why)
}
