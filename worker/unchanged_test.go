package worker_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
)

// TestUnchangedReading reads files again that come out as they are stored: nothing of them is
// written, unless somebody has decided in between.
func TestUnchangedReading(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	german := "MIETVERTRAG\n\n1. Miete\n\nDer Mieter zahlt die Miete am ersten Tag eines jeden Monats. Die Parteien haben diesen Vertrag " +
		"in deutscher Sprache geschlossen und vereinbaren, dass er dem Recht der Bundesrepublik Deutschland unterliegt.\n"
	for name, content := range map[string][]byte{"lease.txt": []byte(lease), "miete.txt": []byte(german), "contract.pdf": fixture(t, "two-pages.pdf")} {
		first := m.wait(m.upload(name, content).ID)
		again := func() (db.File, []db.Sentence) {
			t.Helper()
			m.restart(first.ID, db.FileOptions{})
			file := m.wait(first.ID)
			sentences, err := m.db.Sentences(t.Context(), m.in, first.ID)
			require.NoError(t, err)
			m.lawful(first.ID)
			return file, sentences
		}
		before, err := m.db.Sentences(t.Context(), m.in, first.ID)
		require.NoError(t, err)

		file, sentences := again()
		require.Equal(t, 2, file.Attempt)
		require.Equal(t, first.Generation, file.Generation, "%s: the text is the same", name)
		require.Equal(t, before, sentences, "they keep their ids")
		require.Equal(t, [...]any{first.Status, first.Warnings, first.PageCount, first.PagesDone}, [...]any{file.Status, file.Warnings, file.PageCount, file.PagesDone})

		require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error { return tx.LabelsChanged(t.Context(), m.in, []string{first.ID}) }))
		file, _ = again()
		require.Equal(t, first.Generation+1, file.Generation, "%s: somebody has decided", name)
		file, _ = again()
		require.Equal(t, first.Generation+1, file.Generation, "%s: nobody has", name)

		_, err = m.db.Pool().Exec(t.Context(), `UPDATE analyses SET digest = sha256(digest) WHERE file_id = $1`, first.ID)
		require.NoError(t, err)
		file, _ = again()
		require.Equal(t, first.Generation+2, file.Generation, "%s: it came out differently", name)
	}
}
