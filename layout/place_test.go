package layout_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/layout"
)

// sheets are pages with the words of words, as a reader finds them.
func sheets(pages ...string) []layout.Page {
	all := make([]layout.Page, len(pages))
	for i, text := range pages {
		all[i] = layout.Page{Number: i + 1, Width: 600, Height: 800, Text: text}
		at := 0
		for word := range strings.SplitSeq(text, " ") {
			end := at + utf8.RuneCountInString(word)
			if end > at {
				all[i].Words = append(all[i].Words, layout.Word{Start: at, End: end, Box: layout.Box{X0: float32(at), X1: float32(end), Y1: 10}})
			}
			at = end + 1
		}
	}
	return all
}

// marked shows which words of a text have a place, and where pages begin.
func marked(pages []layout.Placed) string {
	var b strings.Builder
	for _, page := range pages {
		fmt.Fprintf(&b, "%d:", page.Number)
		text := []rune(page.Text)
		for _, w := range page.Words {
			b.WriteString(" " + string(text[w.Start:w.End]))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestPlace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		text    string
		printed []string
		want    string
	}{
		{"headers and page numbers", "The tenant pays rent.\nThe landlord keeps the house.", []string{"LEASE The tenant pays 1", "LEASE rent. The landlord keeps the house. 2"}, "1: The tenant pays\n2: rent. The landlord keeps the house.\n"},
		{"numbers of lists", "Rent is due.\nRent is low.", []string{"1. Rent is due. 2. Rent is low."}, "1: Rent is due. Rent is low.\n"},
		{"deleted words", "The term is sixty days.", []string{"The term is thirty sixty days."}, "1: The term is sixty days.\n"},
		{"other marks", "“Ten\u00adant” isn’t fi\u200bne", []string{`"Tenant" isn't ﬁne`}, "1: “Ten\u00adant” isn’t fi\u200bne\n"},
		{"words in pieces", "An Agreement of and between us", []string{"An Agree ment ofand between us"}, "1: An Agree ment of and between us\n"},
		{"a note elsewhere", "The house is red.\nThe lease ends in May.\n1 Since 1990.", []string{"The house is red. 1 Since 1990.", "The lease ends in May."}, "1: The house is red.\n2: The lease ends in May.\n"},
		{"an empty page", "One two", []string{"One", "", "two"}, "1: One\n2:\n3: two\n"},
		{"nothing in common", "One two", []string{"3 4 5"}, "1:\n"},
		{"no text", "", []string{"One"}, "1:\n"},
		{"no pages", "One", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			pages := layout.Place(sheets(tt.printed...), tt.text)
			require.Equal(t, tt.want, marked(pages))
			end := 0
			for _, page := range pages {
				require.Equal(t, end, page.Start, "pages follow each other")
				end = page.End
				_, err := layout.DecodeWords(layout.EncodeWords(page.Words))
				require.NoError(t, err)
			}
			if len(pages) > 0 {
				require.Equal(t, len([]rune(tt.text)), end)
			}
		})
	}
}

// TestPlaceOfManyWords places all words of a long text in which most words are frequent,
// whatever is printed between them, and each where it is.
func TestPlaceOfManyWords(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var text []string
	var pages []string
	for page := range 200 {
		printed := []string{"Confidential", "Draft"}
		for range 300 {
			word := fmt.Sprintf("w%d", int(random.ExpFloat64()*40))
			if random.IntN(60) == 0 {
				word = fmt.Sprintf("rare%d", random.IntN(100_000))
			}
			text = append(text, word)
			if random.IntN(500) == 0 {
				printed = append(printed, "deleted", "words")
			}
			printed = append(printed, word)
		}
		pages = append(pages, strings.Join(append(printed, "Page", strconv.Itoa(page+1)), " "))
	}
	whole := strings.Join(text, " ")
	nth := make([]int, len(whole)) // of the words before
	for i := 1; i < len(whole); i++ {
		nth[i] = nth[i-1] + strings.Count(whole[i-1:i], " ")
	}
	placed := layout.Place(sheets(pages...), whole)
	n, wrong := 0, 0
	for i, page := range placed {
		words := 0
		for _, w := range page.Words {
			if nth[page.Start+w.Start]/300 != i {
				wrong++
			}
			words++
		}
		n += words
	}
	require.Zero(t, wrong)
	require.GreaterOrEqual(t, n, 200*300*999/1000)
}
