package db_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// TestMessagesAtOnce has people write into one chat at once: the messages are numbered
// without gaps, and each of them is told to everybody.
func TestMessagesAtOnce(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	b := &bundle{db: d, ours: scopeOf(t, d, "ours@example.com")}
	var chat db.Chat
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) (err error) {
		chat, _, err = tx.EnsureChat(t.Context(), b.ours, db.NewID(), "All")
		return err
	}))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				err := d.InTx(t.Context(), func(tx *db.Tx) error {
					_, err := tx.AddChatMessage(t.Context(), b.ours, chat.ID, db.NewChatMessage{Text: "x"})
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	list, err := d.ChatMessages(t.Context(), b.ours, chat.ID, "", db.ChatPlace{}, 100)
	require.NoError(t, err)
	require.Len(t, list, 40)
	for i, m := range list {
		require.Equal(t, 40-i, m.Number)
	}
	events, err := d.Events(t.Context(), b.ours, 0, 100)
	require.NoError(t, err)
	require.Len(t, events, 40)
	chat, err = d.Chat(t.Context(), b.ours, chat.ID)
	require.NoError(t, err)
	require.Zero(t, chat.Unread)
	require.NotNil(t, chat.LastMessageAt)
}
