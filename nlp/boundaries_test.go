package nlp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
)

// heldOut parts the sentences that rules may be written on from those that they are
// only scored on.
const heldOut = "=== held out\n"

// wrapped is the length of the lines, in code points, that statutes are published in.
const wrapped = 72

// TestBoundaries scores where sentences end in the languages other than English, on
// sentences that were parted by hand: each paragraph as one line, and with its lines
// wrapped.
func TestBoundaries(t *testing.T) {
	t.Parallel()
	const least = 0.95
	names, err := filepath.Glob("testdata/languages/*.txt")
	require.NoError(t, err)
	require.Len(t, names, 5)
	for _, name := range names {
		language := strings.TrimSuffix(filepath.Base(name), ".txt")
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			all, err := os.ReadFile(name)
			require.NoError(t, err)
			seen, unseen, found := strings.Cut(string(all), heldOut)
			require.True(t, found)
			for part, gold := range map[string]string{"seen": seen, "held out": unseen} {
				for _, width := range []int{0, wrapped} {
					f1, wrong := scoreBoundaries(t, language, gold, width)
					t.Logf("%s, %s, lines of %d: F1 %.3f", language, part, width, f1)
					if part == "seen" {
						t.Log(strings.Join(wrong, "\n"))
					}
					require.GreaterOrEqual(t, f1, least, "%s, lines of %d", part, width)
				}
			}
		})
	}
}

// scoreBoundaries returns the F1 of the ends of sentences in paragraphs, of which each
// line of gold is a sentence and an empty line the end.
func scoreBoundaries(t *testing.T, language, gold string, width int) (f1 float64, wrong []string) {
	t.Helper()
	var text strings.Builder
	want := map[int]bool{}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(gold), "\n\n") {
		line := 0
		for sentence := range strings.SplitSeq(paragraph, "\n") {
			for word := range strings.FieldsSeq(sentence) {
				switch n := utf8.RuneCountInString(word); {
				case line == 0:
					line = n
				case width > 0 && line+1+n > width:
					text.WriteByte('\n')
					line = n
				default:
					text.WriteByte(' ')
					line += 1 + n
				}
				text.WriteString(word)
			}
			want[utf8.RuneCountInString(text.String())] = true
		}
		text.WriteString("\n\n")
	}
	s := structure.SegmentIn(language, []string{text.String()})
	nlptest.RequireLaws(t, []string{text.String()}, s)
	right := 0
	points := []rune(text.String())
	for _, sentence := range s.Sentences {
		if want[sentence.End] {
			right++
			delete(want, sentence.End)
			continue
		}
		wrong = append(wrong, "cut: …"+string(points[max(0, sentence.End-30):sentence.End])+" | "+string(points[sentence.End:min(len(points), sentence.End+20)]))
	}
	for end := range want {
		wrong = append(wrong, "not cut: …"+string(points[max(0, end-30):end])+" | "+string(points[end:min(len(points), end+20)]))
	}
	return 2 * float64(right) / float64(right+len(want)+len(s.Sentences)), wrong
}
