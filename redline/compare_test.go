package redline_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
)

// holdCompared holds the comparison of two documents to its laws: all changes
// can be made together; rejected they leave base, accepted they give other but
// for what is told to be left. It returns whether they give all words of other.
func holdCompared(tb testing.TB, base, other []byte, name string) bool {
	tb.Helper()
	found, err := redline.Compare(base, other)
	require.NoError(tb, err, name)
	for i := range found.Changes {
		found.Changes[i].ID, found.Changes[i].Author, found.Changes[i].Date = strconv.Itoa(i), ann, noon
	}
	r, err := redline.Execute(base, found.Changes, redline.Options{})
	require.NoError(tb, err, name)
	require.Empty(tb, r.Failed, name)
	d, err := docx.Open(base)
	require.NoError(tb, err)
	require.True(tb, r.Checks.OK() || len(d.Faults()) > 0, "%s %+v", name, r.Checks)
	clean, err := redline.Execute(base, found.Changes, redline.Options{Clean: true, Existing: docx.Accept})
	require.NoError(tb, err, name)
	if len(found.Left) == 0 {
		require.Equal(tb, read(tb, other), read(tb, clean.Document), name)
	}
	return slices.Equal(read(tb, other), read(tb, clean.Document))
}

// read is what a document says outside of text boxes and beside the results of fields,
// with its tracked changes accepted.
func read(tb testing.TB, data []byte) []string {
	tb.Helper()
	d, err := docx.Open(data)
	require.NoError(tb, err)
	resolved, err := d.Resolve(docx.AcceptAll)
	require.NoError(tb, err)
	d, err = docx.Open(resolved)
	require.NoError(tb, err)
	var texts []string
	for _, s := range d.Stories() {
		for _, p := range s.Paragraphs() {
			if p.Closest("txbxContent").Exists() {
				continue
			}
			text := s.Key + " "
			for piece := range p.Pieces() {
				if piece.End > piece.Start && !piece.Result {
					text += piece.Text
				}
			}
			texts = append(texts, text)
		}
	}
	return texts
}

// randomBody is a body of paragraphs and tables with all that changes must not
// break: pictures, links, fields, sections, locks, tracked changes.
func randomBody(random *rand.Rand) string {
	var b strings.Builder
	for range random.IntN(7) {
		switch random.IntN(10) {
		case 0:
			randomTable(&b, random)
		case 1:
			b.WriteString(`<w:sdt><w:sdtPr><w:lock w:val="contentLocked"/></w:sdtPr><w:sdtContent>`)
			randomParagraph(&b, random)
			b.WriteString(`</w:sdtContent></w:sdt>`)
		default:
			randomParagraph(&b, random)
		}
	}
	if random.IntN(8) > 0 { // else what stands last may be a table
		randomParagraph(&b, random)
	}
	return b.String()
}

func randomTable(b *strings.Builder, random *rand.Rand) {
	columns := 1 + random.IntN(2)
	b.WriteString(`<w:tbl><w:tblPr/><w:tblGrid/>`)
	for range 1 + random.IntN(3) {
		b.WriteString(`<w:tr>`)
		if random.IntN(8) == 0 {
			b.WriteString(`<w:trPr><w:del ` + foreign(random) + `/></w:trPr>`)
		}
		for range columns {
			b.WriteString(`<w:tc>`)
			if random.IntN(10) == 0 {
				randomTable(b, random)
			}
			for range 1 + random.IntN(2) {
				randomParagraph(b, random)
			}
			b.WriteString(`</w:tc>`)
		}
		b.WriteString(`</w:tr>`)
	}
	b.WriteString(`</w:tbl>`)
}

// foreign are the attributes of another author's tracked change.
func foreign(random *rand.Rand) string {
	return fmt.Sprintf(`w:id="%d" w:author="Bob" w:date="2026-01-02T03:04:05Z"`, random.IntN(1<<30))
}

func randomParagraph(b *strings.Builder, random *rand.Rand) {
	b.WriteString(`<w:p>`)
	switch random.IntN(12) {
	case 0:
		b.WriteString(`<w:pPr><w:rPr><w:del ` + foreign(random) + `/></w:rPr></w:pPr>`)
	case 1:
		b.WriteString(`<w:pPr><w:sectPr/></w:pPr>`)
	}
	for range random.IntN(4) {
		words := fmt.Sprintf("%c%c %c ", 'a'+random.IntN(4), 'a'+random.IntN(4), 'a'+random.IntN(4))
		run := `<w:r><w:t xml:space="preserve">` + words + `</w:t></w:r>`
		switch random.IntN(12) {
		case 0:
			run = `<w:ins ` + foreign(random) + `>` + run + `</w:ins>`
		case 1:
			run = `<w:del ` + foreign(random) + `>` + strings.ReplaceAll(run, "w:t", "w:delText") + `</w:del>`
		case 2:
			run = `<w:hyperlink w:anchor="x">` + run + `</w:hyperlink>`
		case 3:
			run = `<w:fldSimple w:instr="PAGE">` + run + `</w:fldSimple>`
		case 4:
			run += `<w:r><w:drawing/></w:r>`
		case 5:
			run += `<w:r><w:br w:type="page"/></w:r>`
		}
		b.WriteString(run)
	}
	b.WriteString(`</w:p>`)
}

// TestCompareRandom compares whatever comes with whatever else.
func TestCompareRandom(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	whole := 0
	for range 250 {
		base, other := randomBody(random), randomBody(random)
		if holdCompared(t, word(t, base), word(t, other), base+"\n→\n"+other) {
			whole++
		}
	}
	require.Greater(t, whole, 25)
}

// TestCompareWithItself holds that a document does not differ from itself, whatever
// tracked changes it has.
func TestCompareWithItself(t *testing.T) {
	t.Parallel()
	deleted := `<w:p><w:r><w:t>Kept.</w:t></w:r></w:p>` +
		`<w:tbl><w:tblPr/><w:tblGrid/><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:tcPr><w:cellDel w:id="1" w:author="Bob"/></w:tcPr><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>` +
		`<w:p><w:pPr><w:rPr><w:del w:id="2" w:author="Bob"/></w:rPr><w:sectPr><w:pgSz w:w="100" w:h="100"/></w:sectPr></w:pPr></w:p>` +
		`<w:p><w:r><w:t>Last.</w:t></w:r></w:p><w:p><w:pPr><w:rPr><w:del w:id="3" w:author="Bob"/></w:rPr></w:pPr></w:p>`
	itself := map[string][]byte{"deletions": word(t, deleted), "formula": word(t, tracedFormula)}
	paths, _ := filepath.Glob(filepath.Join(os.Getenv("CLAUSEMILL_DATA"), "docx", "*.docx")) // none without the dataset
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		if filepath.Base(path) == "safe-docx__atomizer_redline.docx" {
			continue // w:del stands around paragraphs in it, which the schema does not allow
		}
		if _, err := docx.Open(data); err == nil {
			itself[filepath.Base(path)] = data
		}
	}
	for name, data := range itself {
		found, err := redline.Compare(data, data)
		require.NoError(t, err, name)
		require.Empty(t, found.Changes, name)
		require.Empty(t, found.Left, name)
	}
}

// tracedFormula is a formula with a tracked change inside.
const tracedFormula = `<w:p><m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:r><m:t>a=</m:t></m:r><m:r><w:ins w:id="1" w:author="Bob"><m:t>2</m:t></w:ins></m:r></m:oMath></w:p>`

// TestCompareTracedFormula takes a formula away of which a part is a tracked change, and has
// both documents open.
func TestCompareTracedFormula(t *testing.T) {
	t.Parallel()
	holdCompared(t, word(t, tracedFormula+`<w:p><w:r><w:t>Last.</w:t></w:r></w:p>`), word(t, `<w:p><w:r><w:t>Last.</w:t></w:r></w:p>`), "gone")
	holdCompared(t, word(t, `<w:p><w:r><w:t>Last.</w:t></w:r></w:p>`), word(t, tracedFormula+`<w:p><w:r><w:t>Last.</w:t></w:r></w:p>`), "new")
}

// TestCompareCorpus compares every document of the dataset with two others.
func TestCompareCorpus(t *testing.T) {
	t.Parallel()
	paths := corpus(t)
	whole := 0
	for i, path := range paths {
		base, err := os.ReadFile(path)
		require.NoError(t, err)
		for j := range 2 {
			with := paths[(i*7+1+j*len(paths)/2)%len(paths)]
			other, err := os.ReadFile(with)
			require.NoError(t, err)
			if _, err := docx.Open(base); err != nil {
				continue
			}
			if _, err := docx.Open(other); err == nil && holdCompared(t, base, other, filepath.Base(path)+" with "+filepath.Base(with)) {
				whole++
			}
		}
	}
	t.Log(whole)
	require.Positive(t, whole)
}
