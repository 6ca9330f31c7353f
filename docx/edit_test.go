package docx_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/docx"
)

var ann = docx.By{Author: "Ann Lee", Initials: "AL", Date: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)}

// shape is what a document looks like: its paragraphs with their properties and
// formatted text, whichever runs the text is in.
func shape(tb testing.TB, data []byte) []string {
	tb.Helper()
	d, err := docx.Open(data)
	require.NoError(tb, err)
	return d.Shape()
}

// randomEdits asks for up to n changes at random places and returns how many
// were taken.
func randomEdits(e *docx.Editor, d *docx.Document, random *rand.Rand, n int) map[string]int {
	done := map[string]int{}
	var all []*docx.Paragraph
	for _, s := range d.Stories() {
		all = append(all, s.Paragraphs()...)
	}
	if len(all) == 0 {
		return done
	}
	used := map[*docx.Paragraph]bool{}
	for range n {
		p := all[random.IntN(len(all))]
		if used[p] {
			continue
		}
		used[p] = true
		length := p.Len()
		a, b := random.IntN(length+1), random.IntN(length+1)
		a, b = min(a, b), max(a, b)
		mark := e.Mark()
		var err error
		var kind string
		switch random.IntN(9) {
		case 0:
			kind = "insert"
			err = e.Insert(p, a, "new <text> & more ", ann)
		case 1:
			kind = "delete"
			err = e.Delete(p, a, b, ann)
		case 2:
			kind = "replace"
			if err = e.Delete(p, a, b, ann); err == nil {
				err = e.InsertAfterDeleted(p, b, "instead\tof\vit", ann)
			}
		case 3:
			kind = "split"
			err = e.Insert(p, a, "one\ntwo\nthree", ann)
		case 4:
			kind = "join"
			err = e.Join(p, ann)
		case 5:
			kind = "paragraph"
			err = e.InsertParagraphs(p, random.IntN(2) == 0, []string{"A new one.", ""}, "", docx.Settings{}, ann)
		case 6:
			kind = "delete paragraph"
			_, err = e.DeleteParagraphs([]*docx.Paragraph{p}, ann)
			if err == nil && p.Index > 0 {
				used[p.Story.Paragraph(p.Index-1)] = true
			}
		case 7:
			kind = "format"
			bold := true
			err = e.Format(p, a, b, docx.Format{Bold: &bold}.Settings(), ann)
		case 8:
			kind = "comment"
			_, err = e.Comment(p, a, p, b, "Why?\nReally.", ann)
		}
		if err != nil {
			e.Undo(mark)
			kind = "refused"
		}
		done[kind]++
	}
	return done
}

// TestEditLaws holds random edits of every document to the laws of redlines.
func TestEditLaws(t *testing.T) {
	t.Parallel()
	out := os.Getenv("DOCX_OUT")
	total := map[string]int{}
	for i, path := range corpus(t) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		d, err := docx.Open(data)
		if err != nil {
			continue
		}
		random := rand.New(rand.NewPCG(1, uint64(i)))
		for round := range 4 {
			e := d.Edit()
			for kind, n := range randomEdits(e, d, random, 1+round*4) {
				total[kind] += n
			}
			edited, err := e.Bytes()
			require.NoError(t, err, path)
			if out != "" {
				require.NoError(t, os.WriteFile(filepath.Join(out, fmt.Sprintf("%d-%s", round, filepath.Base(path))), edited, 0o600))
			}
			after, err := docx.Open(edited)
			require.NoError(t, err, path)
			reverted, err := after.Resolve(func(r docx.Revision) docx.Decision {
				if r.Author == ann.Author {
					return docx.Reject
				}
				return docx.Keep
			})
			require.NoError(t, err)
			require.Equal(t, d.Shape(), shape(t, reverted), "%s, round %d", path, round)
		}
	}
	t.Log(total)
}
