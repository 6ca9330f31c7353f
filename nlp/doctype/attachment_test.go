package doctype

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAttachedTo(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"AMENDMENT NO. 2": "", "First Amendment": "", "FIRST AMENDMENT TO AGREEMENT": "", "ADDENDUM": "", "Addendum #3": "", "Exhibit 10.2": "", "SCHEDULE A": "", "Annex IV to the Agreement": "", "2nd Amendment": "",
		"FIRST AMENDMENT TO SUPPLY AGREEMENT": "TO SUPPLY AGREEMENT", "Amendment No. 2 to the Lease": "to the Lease", "License Agreement Amendment": "License Agreement", "MULTI-STATE ADDENDUM": "MULTI-STATE",
	} {
		rest, attached := attachedTo(title)
		require.True(t, attached, title)
		require.Equal(t, want, rest, title)
	}
	for _, title := range []string{"", "SUPPLY AGREEMENT", "AMENDED AND RESTATED SUPPLY AGREEMENT", "Agreement", "No. 2"} {
		rest, attached := attachedTo(title)
		require.False(t, attached, title)
		require.Equal(t, title, rest)
	}
}

func TestParentIn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"This Amendment No. 2 (the \"Amendment\") to the Master Supply Agreement dated May 1, 2020 is made by the parties.": "Master Supply Agreement",
		"FIRST AMENDMENT\n\nThis First Amendment to Office Lease is made by the parties.":                                   "Office Lease",
		"This Addendum is attached to and made part of that certain\nFranchise Agreement between the parties.":              "Franchise Agreement",
		"This Amendment amends the Agreement dated May 1, 2020.":                                                            "",
		"The parties to the Supply Agreement meet.":                                                                         "",
		"This Amendment is made by the parties. " + strings.Repeat("x ", 1000) + "Amendment to the Supply Agreement":        "",
		"": "",
	} {
		require.Equal(t, want, parentIn(text), text)
	}
}

// TestBaseOfAttachments holds the base to the type that the title or the first words of an
// amendment name, and to none that it only takes from the word for it.
func TestBaseOfAttachments(t *testing.T) {
	t.Parallel()
	m, err := Base()
	require.NoError(t, err)
	const body = "\n\nThe following Section 4.2 is hereby added: The parties shall meet once a year. All other terms remain in full force and effect. IN WITNESS WHEREOF the parties have signed."
	for _, c := range []struct{ title, text, want string }{
		{"AMENDMENT NO. 2 TO THE DISTRIBUTOR AGREEMENT", body, "distributor"},
		{"AMENDMENT NO. 2", "This Amendment No. 2 to the Distributor Agreement is made on May 1, 2020." + body, "distributor"},
		{"AMENDMENT NO. 2", "This Amendment No. 2 to the Office Lease is made on May 1, 2020." + body, ""},
		{"AMENDMENT NO. 2", "This Amendment No. 2 is made on May 1, 2020." + body, ""},
		{"AMENDMENT NO. 2 TO THE LEASE", body, ""},
		{"FIRST AMENDMENT", body, ""},
		{"ADDENDUM", body, ""},
		{"EXHIBIT A", body, ""},
		{"SCHEDULE 1", body, ""},
		{"STATEMENT OF WORK NO. 3 UNDER THE MASTER SERVICES AGREEMENT", body, ""},
	} {
		p := m.Predict(Contract{Title: c.title, Text: c.text}, every)
		require.Equal(t, c.want, p.Type, "%s: %v", c.title, p.Scores[0])
	}
	list := m.Explain(Contract{Title: "AMENDMENT NO. 2", Text: "This Amendment No. 2 to the Distributor Agreement is made on May 1, 2020." + body}, "distributor", 3)
	require.NotEmpty(t, list)
	require.Equal(t, Evidence{Words: "Distributor", Weight: list[0].Weight, Title: true}, list[0])

	lease := Contract{Title: "AMENDMENT NO. 2", Text: "This Amendment No. 2 to the Office Lease is made on May 1, 2020." + body}
	team, err := m.Adapt([]Example{{lease, "lease"}, {Contract{Title: "FIRST AMENDMENT TO LEASE", Text: body}, "lease"}, {Contract{Title: "Office Lease", Text: body}, "lease"}})
	require.NoError(t, err)
	require.Equal(t, "lease", team.Predict(Contract{Title: "Amendment No. 3 to the Lease", Text: body}, every).Type, "a team teaches its own")
}
