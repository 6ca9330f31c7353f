package likeness

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// royalty is a contract that has nothing to do with the others.
const royalty = `FRANCHISE AGREEMENT

This Franchise Agreement is made on March 1, 2020 by and between Burger Systems, Inc., a Delaware corporation ("Franchisor"), and Bob Miller ("Franchisee").

1. Grant. The Franchisor grants to the Franchisee the right to run one restaurant under the System and the Marks.

2. Royalty. The Franchisee shall pay to the Franchisor a royalty of 5% of the gross sales of the restaurant.
`

// nda is a short contract between two parties.
func nda(first, second, days string) string {
	return "CONFIDENTIALITY AGREEMENT\n\nThis Confidentiality Agreement is made between " + first + " (the \"Discloser\") and " + second + ` (the "Recipient").

1. Purpose. The parties wish to discuss a possible business relationship, and the Discloser may disclose information which is not public.

2. Secrecy. The Recipient shall hold the Confidential Information in confidence, shall use it for the purpose above only, and shall not disclose it to any person without the prior written consent of the Discloser.

3. Exceptions. The obligation does not apply to information which was known to the Recipient before, which is or becomes public without a breach, or which a court of competent jurisdiction orders to be disclosed.

4. Return. Within ` + days + ` days of a written request the Recipient shall return or destroy all copies of the Confidential Information and confirm this in writing.

5. Term. The obligations of this Agreement survive for five years after the date of the last disclosure. This Agreement is governed by the laws of the State of New York.
`
}

// misreadLetters reads every so many words with a letter wrong, as a recogniser
// does.
func misreadLetters(text string, every int) string {
	fields := strings.SplitAfter(text, " ")
	for i := every / 2; i < len(fields); i += every {
		if len(fields[i]) > 4 {
			fields[i] = strings.NewReplacer("m", "rn", "e", "c", "l", "1", "h", "b").Replace(fields[i][:3]) + fields[i][3:]
		}
	}
	return strings.Join(fields, "")
}

func TestSketch(t *testing.T) {
	t.Parallel()
	text := nda("Alpha Systems, Inc.", "Beta Foods LLC", "30")
	s := NewSketch(text)
	require.InDelta(t, 1, s.Resemblance(NewSketch(strings.ToUpper(text))), 0, "case and spaces do not count")
	require.Equal(t, s, ParseSketch(s.Bytes()))
	require.Len(t, s.Bands(), sketchBins/sketchRows)
	require.Less(t, s.Resemblance(NewSketch(royalty)), 0.1)
	require.Empty(t, NewSketch(""))
	require.Empty(t, NewSketch(" ... "))
	require.Empty(t, ParseSketch([]byte{1, 2, 3}))
	require.Zero(t, s.Resemblance(nil))
	require.InDelta(t, 1, NewSketch("Yes").Resemblance(NewSketch("yes!")), 0, "a text of one word")

	// Half of the runs in common are estimated as half.
	var half, whole strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&whole, "w%d ", i)
		if i < 4500 {
			fmt.Fprintf(&half, "w%d ", i)
		} else {
			fmt.Fprintf(&half, "v%d ", i)
		}
	}
	require.InDelta(t, 4500.0/7500, NewSketch(whole.String()).Resemblance(NewSketch(half.String())), 0.15)
}

func TestCompare(t *testing.T) {
	t.Parallel()
	parties := []string{"Alpha Systems, Inc.", "Beta Foods LLC"}
	text := nda(parties[0], parties[1], "30")
	read := NewReading(text, parties, false)
	for name, c := range map[string]struct {
		other Reading
		kind  Kind
	}{
		"Itself":            {read, Duplicate},
		"OtherSpaces":       {NewReading(strings.ReplaceAll(text, " ", "\n"), parties, false), Duplicate},
		"OtherQuotes":       {NewReading(written.Replace(text), parties, false), Duplicate},
		"Scan":              {NewReading(misreadLetters(text, 20), nil, true), Duplicate},
		"PoorScan":          {NewReading(misreadLetters(text, 7), []string{"A1pha Systerns, Inc."}, true), Duplicate},
		"OtherNumber":       {NewReading(nda(parties[0], parties[1], "60"), parties, false), Version},
		"ScanOfOtherFigure": {NewReading(misreadLetters(nda(parties[0], parties[1], "745"), 20), nil, true), Version},
		"ScanOfOneMore":     {NewReading(misreadLetters(text+"\n6. Notices. All notices shall be given in writing to the addresses above, and count from the day after.\n", 20), nil, true), Version},
		"OneMoreClause":     {NewReading(text+"\n6. Notices. All notices shall be given in writing to the addresses above.\n", parties, false), Version},
		"OtherParty":        {NewReading(nda(parties[0], "Gamma Motors GmbH", "30"), []string{parties[0], "Gamma Motors GmbH"}, false), Template},
		"OtherParties":      {NewReading(nda("Delta Air, Inc.", "Gamma Motors GmbH", "30"), []string{"Delta Air, Inc.", "Gamma Motors GmbH"}, false), Template},
		"ScanOfOtherParty":  {NewReading(misreadLetters(nda(parties[0], "Gamma Motors GmbH", "30"), 20), []string{parties[0], "Gamma Motors GmbH"}, true), Template},
		"UnreadOtherParty":  {NewReading(misreadLetters(nda(parties[0], "Gamma Motors GmbH", "30"), 20), nil, true), Template},
		"AnotherContract":   {NewReading(royalty, []string{"Burger Systems, Inc."}, false), ""},
		"Nothing":           {NewReading("", nil, false), ""},
	} {
		l := Compare(read, c.other)
		require.Equal(t, c.kind, l.Kind, "%s: %+v", name, l)
		back := Compare(c.other, read)
		require.Equal(t, l, back, "%s: the same both ways", name)
		require.GreaterOrEqual(t, l.Share, 0.0)
		require.LessOrEqual(t, l.Share, 1.0)
	}
	require.Equal(t, Comparison{Duplicate, 1, 0}, Compare(read, read))
	require.Equal(t, Comparison{}, Compare(NewReading("", nil, false), NewReading("", nil, false)))
}

// written is how another program writes the same: quotes, dashes, ligatures, spaces, and
// a word broken at the end of a line.
var written = strings.NewReplacer("'", "’", `"`, "”", "-", "–", "fi", "ﬁ", ". ", ".\u00a0", "Agreement", "Agree\u00adment")

// What a PDF says and what its text file says are one document.
func TestCompareWriting(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"the Company's non-compete, a 'first' offer", "the Company’s non–compete, a ‘first’ offer"},
		{"so called - or not - it ends", "so called—or not—it ends"},
		{"it ends -- or not", "it ends — or not"},
		{"the final offer", "the ﬁnal oﬀer"},
		{"a well-\nknown agreement of an indemnity in agree-\nments", "a well-known agreement of an indemnity in agreements"},
		{"a wellknown thing", "a well-known thing"},
		{"Vendor`s goods", "Vendor's goods"},
	} {
		require.Equal(t, Duplicate, Compare(NewReading(pair[0], nil, false), NewReading(pair[1], nil, false)).Kind, pair[0])
		require.Equal(t, Duplicate, Compare(NewReading(pair[1], nil, false), NewReading(pair[0], nil, false)).Kind, pair[0])
	}
	require.NotEqual(t, Duplicate, Compare(NewReading("it is not 10 but more", nil, false), NewReading("it is not 11 but more", nil, false)).Kind)
	require.NotEqual(t, Duplicate, Compare(NewReading("you may re-sign it", nil, false), NewReading("you may sign it", nil, false)).Kind)
}

func FuzzCompare(f *testing.F) {
	f.Add("one two three", "one two 3", "Acme")
	f.Fuzz(func(t *testing.T, a, b, party string) {
		if len(a)+len(b) > 4000 {
			return
		}
		one, other := NewReading(a, []string{party}, true), NewReading(b, nil, false)
		l := Compare(one, other)
		require.GreaterOrEqual(t, l.Share, 0.0)
		require.LessOrEqual(t, l.Share, 1.0)
		s := NewSketch(a)
		require.Equal(t, s.Bands(), ParseSketch(s.Bytes()).Bands())
	})
}
