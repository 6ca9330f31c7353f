package oracles_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/redline"
)

var share = flag.Int("share", 1, "look at one of so many documents")

// judges is the directory of the scripts that ask other programs, or skips the
// test.
func judges(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("CLAUSEMILL_ORACLES")
	if dir == "" {
		t.Skip("CLAUSEMILL_ORACLES is not set")
	}
	return filepath.Join(dir, "redline")
}

// A sample is a document with all that is made of it, by file.
type sample struct {
	name     string
	original string
	accepted string // the original with its tracked changes accepted, by us
	rejected string
	redline  string
	clean    string // the redline, accepted
	changes  int
	hidden   bool // from LibreOffice
	loose    bool // it has blanks that nobody shows but pandoc
}

// samples makes every form of every document of the share.
func samples(t *testing.T) []sample {
	t.Helper()
	var all []sample
	dir := t.TempDir()
	for name, data := range documents(t, *share) {
		src, err := docx.Open(data)
		require.NoError(t, err)
		changes := invent(t, src, name)
		write := func(form string, data []byte, err error) string {
			require.NoError(t, err, name)
			path := filepath.Join(dir, name+"."+form+".docx")
			require.NoError(t, os.WriteFile(path, data, 0o600))
			return path
		}
		resolve := func(decide func(docx.Revision) docx.Decision) ([]byte, error) {
			src, err := docx.Open(data)
			require.NoError(t, err)
			return src.Resolve(decide)
		}
		execute := func(options redline.Options) ([]byte, error) {
			result, err := redline.Execute(data, changes, options)
			if err != nil {
				return nil, err
			}
			require.Empty(t, result.Failed, name)
			require.True(t, result.Checks.OK(), "%s %+v", name, result.Checks)
			return result.Document, nil
		}
		s := sample{name: name, changes: len(changes), hidden: hidden(src, changes), loose: loose(src), original: write("original", data, nil)}
		made, err := resolve(docx.AcceptAll)
		s.accepted = write("accepted", made, err)
		made, err = resolve(docx.RejectAll)
		s.rejected = write("rejected", made, err)
		made, err = execute(redline.Options{})
		s.redline = write("redline", made, err)
		made, err = execute(redline.Options{Clean: true, Existing: docx.Accept})
		s.clean = write("clean", made, err)
		all = append(all, s)
	}
	require.NotEmpty(t, all)
	return all
}

// documents gives the readable ones of every so many documents, or skips the test.
func documents(t *testing.T, every int) map[string][]byte {
	t.Helper()
	dir := os.Getenv("CLAUSEMILL_DATA")
	if dir == "" {
		t.Skip("CLAUSEMILL_DATA is not set")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "docx", "*.docx"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	all := map[string][]byte{}
	for i := 0; i < len(paths); i += every {
		data, err := os.ReadFile(paths[i])
		require.NoError(t, err)
		if _, err := docx.Open(data); err == nil {
			all[strings.TrimSuffix(filepath.Base(paths[i]), ".docx")] = data
		}
	}
	return all
}

// invent makes changes of all types in a document, the same ones each time.
func invent(t *testing.T, src *docx.Document, name string) []redline.Change {
	t.Helper()
	seed := fnv.New64()
	_, err := io.WriteString(seed, name)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(seed.Sum64(), 0)) //nolint:gosec // the same each time
	var paragraphs []*docx.Paragraph
	for _, story := range src.Stories() {
		for _, p := range story.Paragraphs() {
			if p.Len() > 12 {
				paragraphs = append(paragraphs, p)
			}
		}
	}
	random.Shuffle(len(paragraphs), func(i, j int) { paragraphs[i], paragraphs[j] = paragraphs[j], paragraphs[i] })
	types := []redline.Type{redline.Replace, redline.Insert, redline.Delete, redline.InsertParagraph, redline.DeleteParagraph, redline.Rewrite, redline.FormatText, redline.CommentOn}
	var changes []redline.Change
	for i, p := range paragraphs[:min(len(paragraphs), 16)] {
		start := random.IntN(p.Len() / 2)
		end := start + 1 + random.IntN(p.Len()-start)
		c := redline.Change{
			ID: strconv.Itoa(i), Type: types[i%len(types)], Author: redline.Author{Name: "Ora Cle", Initials: "OC"}, Date: time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC),
			Anchor: redline.Anchor{Part: p.Story.Key, Block: &p.Index, Start: &start, End: &end}, Text: "zebra crossing",
		}
		switch c.Type {
		case redline.Insert:
			c.Anchor.End = &start
		case redline.FormatText:
			c.Text, c.Format = "", docx.Format{Bold: new(true)}
		case redline.Rewrite:
			text := []rune(p.Text())
			c.Text = string(text[:start]) + "zebra " + string(text[start:])
		case redline.Delete, redline.DeleteParagraph:
			c.Text = ""
		}
		changes = append(changes, c)
	}
	_, failed := redline.Propose(src, "", nil, changes)
	found := redline.Comparison{Changes: changes}
	found.Drop(failed)
	return found.Changes
}

// hidden reports whether a change is where LibreOffice carries out none, or not
// all: in content controls and text boxes, and beside fields. Nor can it tell
// about text with page numbers, which it counts anew.
func hidden(src *docx.Document, changes []redline.Change) bool {
	for e := range src.Story("body").Root.Descendants() {
		if e.Is("instrText") && strings.Contains(e.Chars(), "PAGE") || e.Is("fldSimple") && strings.Contains(e.Attr("instr"), "PAGE") {
			return true
		}
	}
	return slices.ContainsFunc(changes, func(c redline.Change) bool {
		p := src.Story(c.Anchor.Part).Paragraph(*c.Anchor.Block)
		if p.Closest("sdt").Exists() || p.Closest("txbxContent").Exists() {
			return true
		}
		for e := range p.Descendants() {
			if e.Is("sdt", "fldChar", "fldSimple") {
				return true
			}
		}
		return false
	})
}

// loose reports whether a document has text with blanks at its ends that do not
// say that they count.
func loose(src *docx.Document) bool {
	for e := range src.Story("body").Root.Descendants() {
		if text := e.Chars(); e.Is("t") && e.Attr("xml:space") != "preserve" && strings.TrimSpace(text) != text {
			return true
		}
	}
	return false
}

// A judge is a program that answers questions.
type judge struct {
	questions io.Writer
	answers   *bufio.Scanner
	complaint *bytes.Buffer
}

// start starts a program that answers lines of JSON by lines of JSON, until the
// test is over.
func start(t *testing.T, name string, args ...string) *judge {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), name, args...)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	j := &judge{questions: in, answers: bufio.NewScanner(out), complaint: &bytes.Buffer{}}
	j.answers.Buffer(nil, 64<<20)
	cmd.Stderr = j.complaint
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, in.Close())
		require.NoError(t, cmd.Wait(), j.complaint.String())
	})
	return j
}

func (j *judge) ask(t *testing.T, question, answer any) {
	t.Helper()
	line, err := json.Marshal(question)
	require.NoError(t, err)
	_, err = j.questions.Write(append(line, '\n'))
	require.NoError(t, err, j.complaint.String())
	require.True(t, j.answers.Scan(), "%v %s", j.answers.Err(), j.complaint)
	require.NoError(t, json.Unmarshal(j.answers.Bytes(), answer), j.answers.Text())
}

// folded is a text without what programs show in different ways: blanks and empty
// lines.
func folded(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if words := strings.Fields(strings.Map(shown, line)); len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return strings.Join(lines, "\n")
}

func shown(r rune) rune {
	switch r {
	case '\u00a0', '\v', '\f':
		return ' '
	case '\u2011':
		return '-'
	case '\u00ad', '\uFFFC':
		return -1
	}
	return r
}
