package worker_test

import (
	"cmp"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/redline"
	"github.com/clausemill/clausemill/worker"
)

// dataFiles are the files of a pattern in CLAUSEMILL_DATA, with what reads them.
func dataFiles(t *testing.T, pattern ...string) ([]string, *document.Reader) {
	t.Helper()
	dir := os.Getenv("CLAUSEMILL_DATA")
	if dir == "" {
		t.Skip("CLAUSEMILL_DATA is not set")
	}
	files, err := filepath.Glob(filepath.Join(dir, filepath.Join(pattern...)))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	self, err := os.Executable()
	require.NoError(t, err)
	reader := document.NewReader(document.Config{Command: []string{self, "reader"}, Size: 1, CacheDir: os.TempDir(), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { _ = reader.Close() })
	return files, reader
}

// TestEverySentenceIsAPlace comments on and rewords every sentence of the Word
// documents in CLAUSEMILL_DATA, by where it was read: none may be elsewhere in
// the document, or in two places.
func TestEverySentenceIsAPlace(t *testing.T) {
	t.Parallel()
	files, reader := dataFiles(t, "docx", "*.docx")
	documents, sentences, elsewhere := 0, 0, 0
	refused := map[fault.Code]int{}
	var headings declaredHeadings
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		doc, err := docx.Open(data)
		if err != nil {
			continue
		}
		var pages []string
		var read []db.PageStructure
		if err := reader.Extract(t.Context(), file, document.DOCX, 1, 0, func(p document.Page) error {
			pages = append(pages, p.Text)
			page, err := worker.ReadPage(p)
			require.NoError(t, err)
			read = append(read, page)
			for _, paragraph := range p.Paragraphs {
				if paragraph.Part == "body" {
					require.Equal(t, paragraph.Number, doc.Numbers()[paragraph.Block], "%s %d", filepath.Base(file), paragraph.Block)
				}
			}
			return nil
		}); err != nil {
			continue
		}
		documents++
		text := redline.NewText(doc, strings.Join(pages, "\f"))
		seg, err := worker.SegmentPages(read)
		require.NoError(t, err)
		headings.score(t, doc, seg, filepath.Base(file))
		for _, s := range seg.Sentences {
			sentences++
			first, _, _ := strings.Cut(s.Text, " ")
			for _, c := range []redline.Change{
				{Type: redline.Delete},
				{Type: redline.CommentOn, Text: "Why?"},
				{Type: redline.Replace, Text: strings.Replace(s.Text, first, first+" amended", 1)},
			} {
				c.Anchor.Text, c.Author, c.Date = s.Text, redline.Author{Name: "Ada"}, time.Unix(0, 0)
				placed, err := text.Place(c, s.Start, s.End)
				if c.Type == redline.Delete {
					var words strings.Builder
					for _, p := range placed {
						words.WriteString(p.Anchor.Text)
					}
					if err == nil && bare(words.String()) != bare(s.Text) {
						elsewhere++
						t.Logf("%s: %q stands as %q", filepath.Base(file), s.Text, words.String())
					}
					continue
				}
				if err == nil {
					for i := range placed {
						placed[i].ID = strconv.Itoa(i)
					}
					if _, failed := redline.Propose(doc, "", nil, placed); failed != nil {
						err = failed[0].Err
					}
				}
				if err == nil {
					continue
				}
				var why *redline.Error
				require.ErrorAs(t, err, &why)
				refused[why.Code]++
				if why.Code != "unsupported_region" {
					t.Logf("%s: %s of %q: %s", filepath.Base(file), c.Type, s.Text, why.Message)
				}
			}
		}
	}
	t.Logf("%d sentences of %d documents; %d stand otherwise, refused %v", sentences, documents, elsewhere, refused)
	t.Logf("headings that are declared: %d found, %d missed, %d more, F1 %.4f", headings.found, headings.missed, headings.more, headings.f1())
	require.GreaterOrEqual(t, headings.f1(), 0.99)
	require.LessOrEqual(t, elsewhere, sentences/1000, "with a check box or a formula in them")
	require.LessOrEqual(t, refused[redline.AnchorNotFound], sentences/200, "formulas")
	delete(refused, redline.AnchorNotFound)
	delete(refused, "unsupported_region")
	require.Empty(t, refused)
}

// bare is a text without what documents and files tell in different ways.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("\u00AD\uFFFC", r) {
			return -1
		}
		return r
	}, text)
}

// declaredHeadings compares the sections of documents with the paragraphs of the body
// whose style or whose own outline level declares a heading.
type declaredHeadings struct{ found, missed, more int }

func (h *declaredHeadings) f1() float64 {
	return 2 * float64(h.found) / float64(max(1, 2*h.found+h.missed+h.more))
}

func (h *declaredHeadings) score(t *testing.T, doc *docx.Document, seg *nlp.Segmentation, name string) {
	t.Helper()
	outline, base, standard := map[string]string{}, map[string]string{}, ""
	for e := range doc.Related("styles").Root().Children() {
		if !e.Is("style") {
			continue
		}
		id, named := e.Attr("styleId"), strings.ToLower(e.Child("name").Attr("val"))
		base[id] = e.Child("basedOn").Attr("val")
		if level, ok := strings.CutPrefix(named, "heading "); ok && len(level) == 1 {
			outline[id] = string(level[0] - 1)
		} else if named == "title" || strings.HasPrefix(named, "toc ") {
			outline[id] = "9"
		} else if level := e.Child("pPr").Child("outlineLvl"); level.Exists() {
			outline[id] = level.Attr("val")
		}
		if e.Attr("type") == "paragraph" && e.Attr("default") == "1" {
			standard = id
		}
	}
	declares := func(p *docx.Paragraph) bool {
		properties := p.Child("pPr")
		if own := properties.Child("outlineLvl"); own.Exists() {
			return own.Attr("val") < "9"
		}
		style := cmp.Or(properties.Child("pStyle").Attr("val"), standard)
		if _, known := base[style]; !known {
			style = standard
		}
		for range 32 {
			if level, ok := outline[style]; ok {
				return level < "9"
			}
			style = base[style]
		}
		return false
	}
	begins := func(text string) string {
		line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
		words := []rune(bare(line))
		return string(words[:min(len(words), 40)])
	}
	sections, unnumbered := map[string]int{}, map[string]int{}
	for _, s := range seg.Sections {
		at := begins(seg.Quote(s.Span))
		sections[at]++
		if s.Number == "" {
			unnumbered[at]++
		}
	}
	var missed []string
	headings := 0
	for _, p := range doc.Story("body").Paragraphs() {
		at := begins(p.Text())
		if at == "" || !declares(p) || p.Closest("txbxContent").Exists() || p.Closest("mc:Fallback").Exists() || p.MarkDeleted() {
			continue
		}
		headings++
		if sections[at] > 0 {
			sections[at]--
			unnumbered[at]--
			h.found++
		} else {
			h.missed++
			missed = append(missed, at)
		}
	}
	if headings < 3 {
		return // what looks like a heading counts as well
	}
	for at, n := range unnumbered {
		if n > 0 {
			h.more += n
			missed = append(missed, "+"+at)
		}
	}
	if missed != nil {
		t.Logf("%s: %q", name, missed)
	}
}
