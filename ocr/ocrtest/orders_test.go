package ocrtest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// typed is the words of a page of lines in a typeface of fixed width, twelve
// high and six wide.
func typed(lines ...string) sheet {
	var s sheet
	for y, l := range lines {
		for x := 0; x < len(l); {
			if l[x] == ' ' {
				x++
				continue
			}
			n := strings.IndexByte(l[x:]+" ", ' ')
			s.words = append(s.words, word{float64(6 * x), float64(14 * y), float64(6 * (x + n)), float64(14*y + 12), l[x : x+n]})
			x += n
		}
	}
	return s
}

func TestEdits(t *testing.T) {
	t.Parallel()
	signatures := typed(
		"IN WITNESS WHEREOF the parties have signed this on the day and in the year above",
		"",
		"ACME INC.                                BOLT LLC",
		"By: Ann Smith                            By: Bob Jones",
		"Title: President                         Title: Partner",
		"",
		"Signature page to the agreement of the parties about the things that they have agreed",
	)
	columns := typed(
		"the text of one column goes on           and that of the other one does",
		"and on and on until it has come          the very same until there is no",
		"to the end of the column where           more of it to be read by anyone",
		"it stops and the reader has to           who has come so far as to read",
		"go back to the top of the page           the last of the lines of a page",
		"and begin with the other column          that is about nothing whatsoever",
	)
	table := typed(
		"Item            Price           Term of the delivery",
		"Bolts           100             thirty days",
		"Nuts            200             sixty days",
	)
	cells := typed(
		"Governing law         This agreement is governed by the laws of the State",
		"                      of New York, without regard to conflicts of laws.",
		"",
		"Notices to the        Notices are in writing and sent to the addresses",
		"other party           below.",
	)
	margin := typed("1.    The first clause is here", "2.    The second one is here")
	rows := typed( // set wide, so that lines do not tell rows
		"Level one service stands         It is answered within one hour",
		"", "still for all of the users       of the day of the report",
		"", "", "", "Level two service is slow        It is answered on the next day",
		"", "for most of the users            of work after the report",
	)
	for _, tc := range []struct {
		name string
		page sheet
		got  string
		same bool
	}{
		{"rows of two cells", rows, "Level one service stands still for all of the users It is answered within one hour of the day of the report Level two service is slow for most of the users It is answered on the next day of work after the report", true},
		{"one row by cells, the other across", rows, "Level one service stands still for all of the users It is answered within one hour of the day of the report Level two service is slow It is answered on the next day for most of the users of work after the report", true},
		{"half of a row", rows, "Level one service stands still for all of the users Level two service is slow It is answered within one hour of the day of the report for most of the users It is answered on the next day of work after the report", false},
		{"signatures line by line", signatures, "IN WITNESS WHEREOF the parties have signed this on the day and in the year above ACME INC. BOLT LLC By: Ann Smith By: Bob Jones Title: President Title: Partner Signature page to the agreement of the parties about the things that they have agreed", true},
		{"signatures one after the other", signatures, "IN WITNESS WHEREOF the parties have signed this on the day and in the year above ACME INC. By: Ann Smith Title: President BOLT LLC By: Bob Jones Title: Partner Signature page to the agreement of the parties about the things that they have agreed", true},
		{"what is below between them", signatures, "IN WITNESS WHEREOF the parties have signed this on the day and in the year above ACME INC. By: Ann Smith Title: President Signature page to the agreement of the parties about the things that they have agreed BOLT LLC By: Bob Jones Title: Partner", false},
		{"columns one after the other", columns, "the text of one column goes on and on and on until it has come to the end of the column where it stops and the reader has to go back to the top of the page and begin with the other column and that of the other one does the very same until there is no more of it to be read by anyone who has come so far as to read the last of the lines of a page that is about nothing whatsoever", true},
		{"columns line by line", columns, "the text of one column goes on and that of the other one does and on and on until it has come the very same until there is no to the end of the column where more of it to be read by anyone it stops and the reader has to who has come so far as to read go back to the top of the page the last of the lines of a page and begin with the other column that is about nothing whatsoever", false},
		{"a table by rows", table, "Item Price Term of the delivery Bolts 100 thirty days Nuts 200 sixty days", true},
		{"a table by columns", table, "Item Bolts Nuts Price 100 200 Term of the delivery thirty days sixty days", false},
		{"cells whole, and line by line", cells, "Governing law This agreement is governed by the laws of the State of New York, without regard to conflicts of laws. Notices to the Notices are in writing and sent to the addresses other party below.", true},
		{"numbers with their clauses", margin, "1. The first clause is here 2. The second one is here", true},
		{"numbers apart", margin, "1. 2. The first clause is here The second one is here", false},
	} {
		edits, length := Layout{steps: read(tc.page.rows())}.Edits(tc.got)
		require.Equal(t, len(tc.got)+1, length, tc.name)
		if tc.same {
			require.Zero(t, edits, tc.name)
		} else {
			require.NotZero(t, edits, tc.name)
		}
	}

	l := Layout{steps: read(typed("Definitions ........ 3", "Notices .......... 14").rows())}
	edits, _ := l.Edits("Definitions 3\nNotices . . . . . . 14")
	require.Zero(t, edits, "leaders")
	edits, _ = l.Edits("Definitions 3\nNotice 74")
	require.Equal(t, 2, edits)
	edits, length := l.Edits("")
	require.Equal(t, length, edits)
}

func TestKinds(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("words that run on and on from the left to the right of the page as usual|", 3)
	with := func(lines string) []string { return typed(strings.Split(filler+lines, "|")...).kinds() }
	require.Contains(t, with(strings.Repeat("one item     two items     three of them|", 5)), Table)
	require.Equal(t, []string{Blocks}, with("ACME INC.                         BOLT LLC|By: Ann Smith                     By: Bob Jones|Title: President                  Title: Partner"))
	require.Equal(t, []string{Contents}, with(strings.Repeat("Definitions of terms .......... 3|", 6)))
	require.Equal(t, []string{Margin}, with(strings.Repeat("1.    the first of the clauses|      goes on below itself here|", 3)))
	require.Contains(t, with(strings.Repeat("          half of the page is one column             and the other is another one|", 8)), Prose)
	require.Equal(t, []string{Set, Marked}, with(strings.Repeat(filler, 12)))
	require.Empty(t, with("a page with a letter that is not \ufffd known"))
	require.Empty(t, with(strings.Repeat("[***] [***] [***]|", 20)))
	require.Empty(t, typed("few words").kinds())
}
