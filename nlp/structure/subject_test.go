package structure_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/structure"
)

// TestTitleBeforeSubject reads titles that the text follows without a mark, by who does
// something elsewhere, and none where the same words are one name.
func TestTitleBeforeSubject(t *testing.T) {
	t.Parallel()
	const others = "\n\n9.1 Notices. Acme shall give notice. Notice by Acme shall be written, and Acme may call. The Service Provider shall answer. A Service Provider may call.\n"
	for _, c := range []struct{ text, title string }{
		{"3.2 Business Expenses Acme shall pay all expenses of its business.", "Business Expenses"},
		{"3.2 Support and Upkeep Service Provider shall keep it up.", "Support and Upkeep"},
		{"3.2 Acme shall pay all expenses of its business.", ""},
		{"3.2 Bolt and Acme shall pay all expenses of their business.", ""},
		{"3.2 Northern Bolt shall pay all expenses of its business.", ""},
		{"3.2 Working Acme shall have the meaning given above.", ""},
		{"3.2 Each Acme shall pay all expenses of its business.", ""},
		{"3.2 In this Agreement:", ""},
		{"10.23 SUPPLY AGREEMENT\n\n3.2 Acme shall pay.", ""},
		{"3) Project Manager   a)   Signs the form.", ""},
	} {
		s := structure.Segment([]string{c.text + others})
		require.NotEmpty(t, s.Sections, c.text)
		require.Equal(t, c.title, s.Sections[0].Title, c.text)
	}
}
