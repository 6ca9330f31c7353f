package worker_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestVocabularyKeepsUp reads several files at once, of which each has a word of
// its own: none waits for the next chores to be known.
func TestVocabularyKeepsUp(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	var ids []string
	for i := range 6 {
		ids = append(ids, m.upload(fmt.Sprintf("%d.txt", i), fmt.Appendf(nil, "The Tenant shall mend the lanternfish%c.\n", 'a'+i)).ID)
	}
	for _, id := range ids {
		m.wait(id)
	}
	require.Eventually(t, func() bool {
		waiting, err := m.db.StaleVocabularies(t.Context())
		if err != nil || len(waiting) > 0 {
			return false
		}
		known, err := m.db.WordsWithPrefix(t.Context(), m.in, []string{"en"}, "lanternfish", 10)
		return err == nil && len(known) == len(ids)
	}, time.Minute, 50*time.Millisecond)
}

// TestFoldsWhatADeadWorkerLeft has changes of a vocabulary that no job tells of, as a
// worker leaves them which is killed before it has folded them.
func TestFoldsWhatADeadWorkerLeft(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	_, err := m.db.Pool().Exec(t.Context(), `INSERT INTO vocabulary_changes (team_id, words, stems, files) VALUES ($1, '{lease}', '{leas}', 1)`, m.in.TeamID)
	require.NoError(t, err)
	m.start()
	require.Eventually(t, func() bool {
		waiting, err := m.db.StaleVocabularies(t.Context())
		if err != nil || len(waiting) > 0 {
			return false
		}
		known, err := m.db.WordsWithPrefix(t.Context(), m.in, []string{"en"}, "lease", 10)
		return err == nil && len(known) == 1
	}, time.Minute, 50*time.Millisecond)
}
