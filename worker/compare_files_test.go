package worker_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// form is a contract that two parties fill in.
func form(first, second string) string {
	return strings.NewReplacer("FIRST", first, "SECOND", second).Replace(`CONFIDENTIALITY AGREEMENT

This Confidentiality Agreement is made on March 1, 2020 by and between FIRST (the "Discloser") and SECOND (the "Recipient").

1. Purpose. The parties wish to discuss a possible business relationship, and the Discloser may disclose information which is not public.

2. Secrecy. The Recipient shall hold the Confidential Information in confidence, shall use it for the purpose above only, and shall not disclose it to any person without the prior written consent of the Discloser.

3. Exceptions. The obligation does not apply to information which was known to the Recipient before, which becomes public without a breach, or which a court orders to be disclosed.

4. Return. Within thirty days of a written request the Recipient shall return or destroy all copies of the Confidential Information and confirm this in writing.
`)
}

func TestLikenesses(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	text := form("Alpha Systems, Inc.", "Beta Foods LLC")
	read := func(name, content string) string { return m.wait(m.upload(name, []byte(content)).ID).ID }
	alike := func(id string) map[string]string {
		list, err := m.db.Likenesses(t.Context(), m.in, id)
		require.NoError(t, err)
		kinds := map[string]string{}
		for _, l := range list {
			kinds[l.FileID] = l.Kind
			require.Greater(t, l.Share, float32(0.8))
		}
		return kinds
	}

	first := read("first.txt", text)
	require.Empty(t, alike(first))
	other := read("other.txt", "Dear Anna,\n\nwe had a lovely time at the lake, and the children swam all day long.\n")
	same := read("same.txt", strings.ReplaceAll(text, "\n\n", "\n\n\n"))
	changed := read("changed.txt", strings.Replace(text, "thirty days", "sixty days", 1))
	filled := read("filled.txt", form("Alpha Systems, Inc.", "Gamma Motors GmbH"))
	require.Empty(t, alike(other))
	require.Equal(t, map[string]string{same: "duplicate", changed: "version", filled: "template"}, alike(first))
	require.Equal(t, map[string]string{first: "version", same: "version", filled: "template"}, alike(changed))

	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.DeleteFile(t.Context(), m.in, same)
		return err
	}))
	require.Equal(t, map[string]string{changed: "version", filled: "template"}, alike(first))
}

// TestVersions has a contract come again and again, between edits of it: to the
// byte, and with other bytes.
func TestVersions(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	text := form("Alpha Systems, Inc.", "Beta Foods LLC")
	edited := strings.Replace(text, "thirty days", "sixty days", 1)
	edit := func(word string) string { return strings.Replace(edited, "in writing", "in "+word, 1) }
	read := func(content string) string { return m.wait(m.upload("contract.txt", []byte(content)).ID).ID }
	versionOf := func(id string) string {
		l, err := m.db.VersionOf(t.Context(), m.in, id)
		if fault.KindOf(err) == fault.NotFound {
			return ""
		}
		require.NoError(t, err)
		require.Equal(t, "version", l.Kind)
		require.Less(t, l.Share, float32(1))
		return l.FileID
	}

	original := read(text)
	for blank := range 12 { // more than a file is compared with
		require.Empty(t, versionOf(read(text+strings.Repeat("\n", 1+blank))))
	}
	first := read(edited)
	second := read(edit("German"))
	want := map[string]string{original: "", first: original, second: first}
	for content, of := range map[string]string{text: "", edited: original, edit("German"): first} {
		want[read(content)], want[read(strings.ReplaceAll(content, "\n\n", "\n\n\n"))] = of, of
	}
	for id, of := range want {
		require.Equal(t, of, versionOf(id))
	}
	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.DeleteFile(t.Context(), m.in, first)
		return err
	}))
	require.NotContains(t, []string{"", first}, versionOf(second))
	_, err := m.db.VersionOf(t.Context(), db.System(db.NewID()), second)
	require.Equal(t, fault.NotFound, fault.KindOf(err), "another team has none of them")
}

// TestLikenessesOfFilesReadAtOnce reads copies at the same time: neither of two
// is there yet when the other looks.
func TestLikenessesOfFilesReadAtOnce(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	const copies = 6
	var ids []string
	for i := range copies { // that they wait lets them begin together
		text := form("Alpha Systems, Inc.", "Beta Foods LLC") + strings.Repeat("\n", i)
		ids = append(ids, m.upload("copy.txt", []byte(text)).ID)
	}
	m.start()
	m.start()
	for _, id := range ids {
		require.Equal(t, db.FileCompleted, m.wait(id).Status)
	}
	for _, id := range ids {
		list, err := m.db.Likenesses(t.Context(), m.in, id)
		require.NoError(t, err)
		require.Len(t, list, copies-1)
	}
}
