package search_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/search"
)

// TestNearestFromTheIndex begins with an index that is stored, and finds what was
// committed since.
func TestNearestFromTheIndex(t *testing.T) {
	t.Parallel()
	l := newShelf(t, dbtest.New(t))
	query := search.NearQuery{Text: "The seller delivers the goods."}
	kept := l.file(t, l.ours, "The seller delivers the goods.", "This is governed by the law of Utah.", "of the")
	changed := l.file(t, l.ours, "The seller delivers.")
	trashed := l.file(t, l.ours, "A seller delivers all the goods.")
	restored := l.file(t, l.ours, "Another seller delivers the goods.")
	l.file(t, l.ours)
	earlier := l.delete(t, restored)
	l.file(t, newTeam(t, l.db, "theirs"), "The seller delivers the goods.")
	row := l.build(t, l.ours)
	require.Equal(t, 4, row.Files)
	require.Equal(t, 4, row.Sentences)
	require.ElementsMatch(t, []string{"The seller delivers the goods.", "The seller delivers.", "A seller delivers all the goods."}, l.texts(t, query))
	require.Equal(t, row.BytesID, l.NearestIndex(l.ours.TeamID))

	l.write(t, l.ours, changed, "The buyer delivers zeppelins.")
	entry := l.delete(t, trashed)
	require.NoError(t, l.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.RestoreTrash(t.Context(), l.ours, []string{earlier}, "", false)
		return err
	}))
	l.file(t, l.ours, "The zeppelin delivers the goods.")
	want := []string{"The seller delivers the goods.", "Another seller delivers the goods.", "The zeppelin delivers the goods.", "The buyer delivers zeppelins."}
	for range 2 { // what the process knows, and what another begins with
		require.ElementsMatch(t, want, l.texts(t, query))
		require.Equal(t, "The buyer delivers zeppelins.", l.texts(t, search.NearQuery{Text: "zeppelins for a buyer"})[0])
		require.Equal(t, row.BytesID, l.NearestIndex(l.ours.TeamID))
		l.restart()
	}
	require.NoError(t, l.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.PurgeTrash(t.Context(), l.ours, entry)
		return err
	}))
	require.ElementsMatch(t, want, l.texts(t, query))

	next := l.build(t, l.ours)
	require.NotEqual(t, row.BytesID, next.BytesID)
	require.Equal(t, 5, next.Files)
	l.restart()
	require.ElementsMatch(t, want, l.texts(t, query))
	require.Equal(t, next.BytesID, l.NearestIndex(l.ours.TeamID))
	require.Equal(t, next.BytesID, l.build(t, l.ours).BytesID, "nothing has changed since")
	stored, err := os.ReadFile(l.path(next.BytesID))
	require.NoError(t, err)
	require.NotContains(t, string(stored), trashed)
	require.True(t, l.Forget(l.ours.TeamID))
	require.Equal(t, []string{"The seller delivers the goods."}, l.texts(t, search.NearQuery{Text: query.Text, Filter: db.SentenceFilter{FileIDs: []string{kept}}}))
	require.Empty(t, l.log.String())
}

// TestNearestIndexIsExact compares what is found from an index, and from one that is
// behind, with what is found by all sentences.
func TestNearestIndexIsExact(t *testing.T) {
	t.Parallel()
	l := newShelf(t, dbtest.New(t))
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a test
	words := strings.Fields("seller buyer goods price rent lease tenant landlord insurance notice deposit repair access law court claim damage delay payment invoice")
	sentence := func() (text string) {
		for range 1 + random.IntN(7) {
			text += words[min(random.IntN(len(words)), random.IntN(len(words)))] + " "
		}
		return text
	}
	some := func() []string {
		texts := make([]string, random.IntN(30))
		for i := range texts {
			texts[i] = sentence()
		}
		return texts
	}
	var files []string
	for round := range 6 {
		for range 4 {
			files = append(files, l.file(t, l.ours, some()...))
		}
		l.write(t, l.ours, files[random.IntN(len(files))], some()...)
		at := random.IntN(len(files))
		l.delete(t, files[at])
		files = slices.Delete(files, at, at+1)
		l.build(t, l.ours)
		l.restart()
		fresh := search.NewNearest(l.db, nil, l.logger())
		for range 10 {
			q := search.NearQuery{Text: sentence(), Limit: 15}
			want, err := fresh.Sentences(t.Context(), l.ours, q)
			require.NoError(t, err)
			got, err := l.Sentences(t.Context(), l.ours, q)
			require.NoError(t, err)
			require.Len(t, got, len(want), "round %d", round)
			for i := range want {
				require.InDelta(t, want[i].Similarity, got[i].Similarity, 1e-5)
			}
		}
	}
}

// TestNearestWithoutItsIndex has indexes be damaged in all ways: all is read then, it is
// logged, and the index is forgotten, so that another is built.
func TestNearestWithoutItsIndex(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, l *shelf, path string){
		"missing":   func(t *testing.T, _ *shelf, path string) { require.NoError(t, os.Remove(path)) },
		"empty":     func(t *testing.T, _ *shelf, path string) { require.NoError(t, os.Truncate(path, 0)) },
		"cut short": func(t *testing.T, _ *shelf, path string) { require.NoError(t, os.Truncate(path, 500)) },
		"changed": func(t *testing.T, _ *shelf, path string) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			at := bytes.Index(data, []byte("\n")) + 1
			copy(data[at:], bytes.Repeat([]byte{0xff}, 40)) // posting lists
			require.NoError(t, os.WriteFile(path, data, 0o600))
		},
		"cut short while it is read": func(t *testing.T, l *shelf, path string) {
			require.NotEmpty(t, l.texts(t, search.NearQuery{Text: "seller"}))
			require.NoError(t, os.Truncate(path, 0))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, _ := dbtest.Database(t)
			l := newShelf(t, d)
			l.file(t, l.ours, "The seller delivers the goods.", "A seller pays.")
			for i := range 50 {
				l.file(t, l.ours, fmt.Sprint("The seller number ", strings.Repeat("q", i+2)))
			}
			row := l.build(t, l.ours)
			damage(t, l, l.path(row.BytesID))
			for range 2 {
				require.Equal(t, "The seller delivers the goods.", l.texts(t, search.NearQuery{Text: "seller delivers goods"})[0])
				require.Len(t, l.texts(t, search.NearQuery{Text: "seller", Limit: 100}), 52)
			}
			require.Contains(t, l.log.String(), row.BytesID)
			_, err := l.db.NearestIndex(t.Context(), l.ours)
			require.Error(t, err, "it is built anew")

			next := l.build(t, l.ours)
			require.Eventually(t, func() bool {
				l.Renew(l.ours.TeamID)
				return len(l.texts(t, search.NearQuery{Text: "seller", Limit: 100})) == 52 && l.NearestIndex(l.ours.TeamID) == next.BytesID
			}, 10*time.Second, 10*time.Millisecond)
		})
	}
}

// TestNearestIndexOfAnotherFormat is not read, and not forgotten: a process of another
// release may read it.
func TestNearestIndexOfAnotherFormat(t *testing.T) {
	t.Parallel()
	l := newShelf(t, dbtest.New(t))
	l.file(t, l.ours, "The seller delivers the goods.")
	row := l.build(t, l.ours)
	other := row
	other.Format++
	require.NoError(t, l.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.SaveNearestIndex(t.Context(), l.ours, other, row.BytesID)
	}))
	require.Len(t, l.texts(t, search.NearQuery{Text: "seller"}), 1)
	require.Empty(t, l.NearestIndex(l.ours.TeamID))
	require.NotEqual(t, row.BytesID, l.build(t, l.ours).BytesID)
}

// TestNearestWhileIndexesChange asks from many sides while files come, indexes are built
// in the place of others, and teams are forgotten.
func TestNearestWhileIndexesChange(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	l := newShelf(t, d)
	stays := make([]string, 0, 300)
	for i := range 300 {
		stays = append(stays, fmt.Sprint("The seller stays ", strings.Repeat("q", i%100+2)))
	}
	l.file(t, l.ours, append(stays, "The seller stays.")...)
	id := l.file(t, l.ours, "The seller delivers the goods.")
	l.build(t, l.ours)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 40 {
				near, err := l.Sentences(context.Background(), l.ours, search.NearQuery{Text: "The seller stays.", Limit: 5})
				if err != nil || len(near) != 5 || near[0].Text != "The seller stays." {
					t.Error(len(near), err)
				}
				l.Renew(l.ours.TeamID)
			}
		})
	}
	var last db.NearestIndex
	for i := range 10 {
		l.write(t, l.ours, id, fmt.Sprint("The seller delivers ", i), "The seller pays.")
		l.file(t, l.ours, "Another buyer.")
		last = l.build(t, l.ours)
		if i%4 == 0 {
			l.Forget(l.ours.TeamID)
		}
	}
	all.Wait()
	require.Eventually(t, func() bool {
		l.Renew(l.ours.TeamID)
		near, err := l.Sentences(t.Context(), l.ours, search.NearQuery{Text: "buyer", Limit: 100})
		return err == nil && len(near) == 10 && l.NearestIndex(l.ours.TeamID) == last.BytesID
	}, 20*time.Second, 10*time.Millisecond)
	require.Eventually(t, func() bool { return l.Forget(l.ours.TeamID) || len(l.texts(t, search.NearQuery{Text: "buyer"})) == 0 }, 10*time.Second, 10*time.Millisecond)
	require.NotContains(t, l.log.String(), "cannot be read")
}
