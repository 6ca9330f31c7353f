package clausemill

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// notes is a Watcher that counts.
type notes struct {
	accepted, moved, ended int
	onAccepted             func()
}

func (n *notes) Sending(*Item, int64) {}
func (n *notes) Moved(*Item)          { n.moved++ }
func (n *notes) Ended(*Item)          { n.ended++ }

func (n *notes) Accepted(*Item) {
	n.accepted++
	if n.onAccepted != nil {
		n.onAccepted()
	}
}

// journal opens the journal in dir, as each run of the program does.
func journal(t *testing.T, dir string) *Journal {
	t.Helper()

	j, err := OpenJournal(dir, "http://server.test", key)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, j.Close()) })
	return j
}

func numbered(n int) (contents []string) {
	for i := range n {
		contents = append(contents, fmt.Sprintf("contract %d", i))
	}
	return contents
}

func TestBatchSendsNothingTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s server
		c := start(t, &s)
		dir := t.TempDir()
		paths := write(t, numbered(400)...)
		run := func() []*Item {
			n := &notes{}
			b := Batch{Client: c, Journal: journal(t, dir), Watch: n, Jobs: 4}
			items, err := b.Run(t.Context(), paths)
			require.NoError(t, err)
			require.Equal(t, len(paths), n.accepted)
			require.Equal(t, len(paths), n.ended)
			for i, item := range items {
				require.NoError(t, item.Err)
				require.Equal(t, paths[i], item.Path)
				require.Equal(t, filepath.Base(paths[i]), item.File.Name)
			}
			return items
		}

		first := run()
		require.Equal(t, 16, s.count("POST"), "25 files a request")

		again := run()
		require.Equal(t, 16, s.count("POST"))
		require.Equal(t, 3, s.count("GET"), "150 files a request")
		for i := range again {
			require.True(t, again[i].Resumed)
			require.Equal(t, first[i].File.ID, again[i].File.ID)
		}

		// Touched, changed and deleted files.
		later := time.Now().Add(time.Hour)
		require.NoError(t, os.Chtimes(paths[0], later, later))
		require.NoError(t, os.WriteFile(paths[1], []byte("amended"), 0o600))
		delete(s.files, first[2].File.ID)
		third := run()
		require.Equal(t, 17, s.count("POST"), "two of one group")
		require.Len(t, s.files, 401)
		require.True(t, third[0].Resumed)
		require.NotEqual(t, first[1].File.ID, third[1].File.ID)
		require.NotEqual(t, first[2].File.ID, third[2].File.ID)
		require.EqualValues(t, len("amended"), third[1].File.Size)
	})
}

func TestBatchGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s server
		c := start(t, &s)
		dir := t.TempDir()
		paths := write(t, numbered(100)...)

		ctx, interrupt := context.WithCancelCause(t.Context())
		interrupted := errors.New("interrupted")
		n := &notes{}
		n.onAccepted = func() {
			if n.accepted == 40 {
				interrupt(interrupted)
			}
		}
		b := Batch{Client: c, Journal: journal(t, dir), Watch: n, Jobs: 4, Wait: true}
		items, err := b.Run(ctx, paths)
		require.ErrorIs(t, err, interrupted)
		require.Len(t, items, 100)
		for _, item := range items {
			require.Error(t, item.Err)
		}
		synctest.Wait()

		b = Batch{Client: c, Journal: journal(t, dir), Watch: &notes{}, Jobs: 4}
		_, err = b.Run(t.Context(), paths)
		require.NoError(t, err)
		require.Len(t, s.files, 100)
		require.LessOrEqual(t, s.count("POST"), 8, "but for those under way")
	})
}

func TestBatchWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		s := server{work: func(f *File) {
			asked.Add(1)
			switch f.Status { //nolint:exhaustive // the others are ends
			case "queued":
				f.Status = "processing"
			case "processing":
				f.Status = "completed"
				if strings.HasSuffix(f.Name, "7.txt") {
					f.Status, f.Error = "failed", &FileError{Code: "corrupt_file", Message: "the file is damaged", Hint: "export it again", Page: new(int64(3))}
				}
			}
		}}
		c := start(t, &s)
		n := &notes{}
		b := Batch{Client: c, Journal: journal(t, t.TempDir()), Watch: n, Jobs: 8, Wait: true}
		items, err := b.Run(t.Context(), write(t, numbered(1000)...))
		require.NoError(t, err)
		require.Equal(t, 1000, n.ended)
		require.Equal(t, 1000, n.moved)
		for _, item := range items {
			require.True(t, item.File.Status.Ended())
			if strings.HasSuffix(item.Path, "7.txt") {
				require.EqualError(t, item.Err, "corrupt_file: the file is damaged (page 3); export it again")
			} else {
				require.NoError(t, item.Err)
			}
		}
		require.LessOrEqual(t, s.count("GET"), 30, "for 1,000 files that changed twice each")
	})
}

func TestBatchWaitsForTheLastWithOneRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := server{work: func(f *File) {
			time.Sleep(20 * time.Second) // held, as ?wait asks
			f.Status = "completed_with_warnings"
		}}
		c := start(t, &s)
		b := Batch{Client: c, Journal: journal(t, t.TempDir()), Watch: &notes{}, Jobs: 1, Wait: true}
		paths := write(t, "a lease")
		items, err := b.Run(t.Context(), paths)
		require.NoError(t, err)
		require.NoError(t, items[0].Err)
		require.Equal(t, ProcessingStatusCompletedWithWarnings, items[0].File.Status)
		require.Equal(t, filepath.Base(paths[0]), items[0].File.Name, "a status has no name")
	})
}

func TestBatchFileVanishes(t *testing.T) {
	t.Parallel()

	for _, files := range []int{1, 2} {
		t.Run(strconv.Itoa(files), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var s server
				s.before = func(_ http.ResponseWriter, r *http.Request) bool {
					if r.Method == http.MethodGet {
						s.mu.Lock()
						clear(s.files)
						s.mu.Unlock()
					}
					return false
				}
				c := start(t, &s)
				b := Batch{Client: c, Journal: journal(t, t.TempDir()), Watch: &notes{}, Jobs: 1, Wait: true}
				items, err := b.Run(t.Context(), write(t, numbered(files)...))
				require.NoError(t, err)
				for _, item := range items {
					require.Error(t, item.Err)
				}
			})
		})
	}
}

func TestBatchOneBadFile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s server
		c := start(t, &s)
		paths := append(write(t, "lease", spreadsheet, "another lease"), filepath.Join(t.TempDir(), "absent.pdf"))
		b := Batch{Client: c, Journal: journal(t, t.TempDir()), Watch: &notes{}, Jobs: 1}
		items, err := b.Run(t.Context(), paths)
		require.NoError(t, err)
		require.Equal(t, 1, s.count("POST"))
		require.NoError(t, items[0].Err)
		require.EqualError(t, items[1].Err, "a spreadsheet is no contract")
		require.NoError(t, items[2].Err)
		require.Equal(t, filepath.Base(paths[2]), items[2].File.Name)
		require.ErrorIs(t, items[3].Err, os.ErrNotExist)
	})
}

// TestBatchRefusedGroup has a request refused as a whole, which says nothing of
// the files in it but of one.
func TestBatchRefusedGroup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := server{before: times(1, func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusRequestEntityTooLarge, map[string]string{"error": "too large"})
		})}
		c := start(t, &s)
		b := Batch{Client: c, Journal: journal(t, t.TempDir()), Watch: &notes{}, Jobs: 1}
		items, err := b.Run(t.Context(), write(t, "lease", spreadsheet, "another lease"))
		require.NoError(t, err)
		require.Equal(t, 4, s.count("POST"))
		require.NoError(t, items[0].Err)
		require.EqualError(t, items[1].Err, "a spreadsheet is no contract")
		require.NoError(t, items[2].Err)
	})
}

// TestBatchAsksAgainForALostAnswer interrupts a batch between the server's
// commit and its answer: the next run makes the same requests.
func TestBatchAsksAgainForALostAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		posts := 0
		s := server{}
		s.after = func(w http.ResponseWriter) bool {
			if posts++; posts != 2 {
				return false
			}
			interrupt()
			drop(w)
			return true
		}
		c := start(t, &s)
		dir, paths := t.TempDir(), write(t, numbered(110)...)
		run := func(ctx context.Context) error {
			_, err := (&Batch{Client: c, Journal: journal(t, dir), Watch: &notes{}, Jobs: 1}).Run(ctx, paths)
			return err
		}
		require.Error(t, run(ctx))
		require.NoError(t, run(t.Context()))
		require.Len(t, s.files, len(paths))
	})
}

func TestBatchEndsWithoutTheServer(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name  string
		does  http.HandlerFunc
		tries int // at most
	}{
		{"KeyRefused", func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusUnauthorized, map[string]string{"error": "the key was revoked"})
		}, 4},
		{"Gone", func(w http.ResponseWriter, _ *http.Request) { drop(w) }, 200},
		{"Away", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := server{before: func(w http.ResponseWriter, r *http.Request) bool {
					tt.does(w, r)
					return true
				}}
				c := start(t, &s)
				b := Batch{Client: c, Journal: journal(t, t.TempDir()), Watch: &notes{}, Jobs: 4, Wait: true}
				items, err := b.Run(t.Context(), write(t, numbered(50)...))
				require.Error(t, err)
				require.LessOrEqual(t, s.count("POST"), tt.tries)
				for _, item := range items {
					require.Error(t, item.Err)
				}
			})
		})
	}
}

// TestBatchEndsWithItsJournal has the journal's disk full. What the server took is not
// sent again, and is not said to have failed.
func TestBatchEndsWithItsJournal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s server
		c := start(t, &s)
		j, err := OpenJournal(t.TempDir(), "http://server.test", key)
		require.NoError(t, err)
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip("there is no disk that is always full")
		}
		require.NoError(t, j.file.Close())
		j.file = full
		defer j.Close()
		n := &notes{}
		b := Batch{Client: c, Journal: j, Watch: n, Jobs: 1}
		items, err := b.Run(t.Context(), write(t, numbered(30)...))
		require.ErrorIs(t, err, ErrJournal)
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.Equal(t, 1, s.count("POST"))
		require.Len(t, s.files, 25)
		require.Equal(t, 25, n.accepted)
		for _, item := range items[:25] {
			require.NoError(t, item.Err)
			_, ok := j.sent(Source{Path: item.Path, SHA256: item.File.SHA256})
			require.True(t, ok, "it is remembered until the program ends")
		}
		for _, item := range items[25:] {
			require.ErrorIs(t, item.Err, errUnsent)
		}
	})
}

func TestBatchWithoutJournal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s server
		c := start(t, &s)
		b := Batch{Client: c}
		items, err := b.Run(t.Context(), write(t, numbered(3)...))
		require.NoError(t, err)
		require.Len(t, s.files, 3)
		require.Equal(t, "file-0003", items[2].File.ID)
	})
}

func TestJournalSurvivesATornLine(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	whole := entry{Path: "/a", SHA256: "1", ID: "file-1"}
	require.NoError(t, journal(t, dir).accepted([]entry{whole}))
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	text, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(files[0], append(text, text[:len(text)/2]...), 0o600))

	later := entry{Path: "/b", SHA256: "2", ID: "file-2"}
	require.NoError(t, journal(t, dir).accepted([]entry{later}))
	j := journal(t, dir)
	for _, want := range []entry{whole, later} {
		got, ok := j.sent(Source{Path: want.Path, SHA256: want.SHA256})
		require.True(t, ok)
		require.Equal(t, want.ID, got.ID)
	}

	other, err := OpenJournal(dir, "http://server.test", "cm_user_other")
	require.NoError(t, err)
	defer other.Close()
	_, ok := other.sent(Source{Path: "/a", SHA256: "1"})
	require.False(t, ok, "another key has another team")
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"path":"/a","size":1,"modified":"2026-01-01T00:00:00Z","sha256":"00","id":"x"}` + "\n{"))
	f.Add([]byte("\x00\n\n\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		j, err := OpenJournal(dir, "s", "k")
		require.NoError(t, err)
		require.NoError(t, j.Close())
		require.NoError(t, os.WriteFile(j.file.Name(), text, 0o600))
		j, err = OpenJournal(dir, "s", "k")
		if err != nil {
			return // a line longer than any that was written
		}
		require.NoError(t, j.accepted([]entry{{Path: "/p", SHA256: "s", ID: "i"}}))
		require.NoError(t, j.Close())
		j, err = OpenJournal(dir, "s", "k")
		require.NoError(t, err)
		_, ok := j.sent(Source{Path: "/p", SHA256: "s"})
		require.True(t, ok)
		require.NoError(t, j.Close())
	})
}

// TestBatchTellsFolders sends a folder with folders in it: a file in one has its
// path in the request, and so have those beside it, as the paths are by order.
func TestBatchTellsFolders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s server
		c := start(t, &s)
		dir := t.TempDir()
		for _, name := range []string{"2020/2020", "2020/leases/a.txt", "b.txt"} {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
		}
		for _, tt := range []struct {
			of   string
			want []string
		}{
			{"", []string{"2020/2020", "2020/leases/a.txt", "b.txt"}},
			{"2020/leases", nil}, // nothing to tell of
		} {
			paths, folders, err := Collect([]string{filepath.Join(dir, tt.of)})
			require.NoError(t, err)
			s.paths = nil
			_, err = (&Batch{Client: c, Journal: journal(t, t.TempDir()), Watch: &notes{}, Jobs: 1, Folders: folders}).Run(t.Context(), paths)
			require.NoError(t, err)
			require.Equal(t, tt.want, s.paths)
		}
	})
}

func TestCollect(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	for _, name := range []string{"b/2.pdf", "b/1.docx", "a.zip", ".hidden/x.pdf", "b/.DS_Store", "b/c/3.txt"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	require.NoError(t, os.Symlink(dir, filepath.Join(dir, "b", "loop")))

	for _, tt := range []struct {
		name string
		of   []string
		want []string

		folders map[string]string
	}{
		{"Folder", []string{""}, []string{"a.zip", "b/1.docx", "b/2.pdf", "b/c/3.txt"}, map[string]string{"b/1.docx": "b", "b/2.pdf": "b", "b/c/3.txt": "b/c"}},
		{"OrderGiven", []string{"b/2.pdf", "a.zip"}, []string{"b/2.pdf", "a.zip"}, nil},
		{"Once", []string{"b/2.pdf", "b", "b"}, []string{"b/2.pdf", "b/1.docx", "b/c/3.txt"}, map[string]string{"b/c/3.txt": "c"}},
		{"HiddenWhenNamed", []string{".hidden/x.pdf", ".hidden"}, []string{".hidden/x.pdf"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			var of, want []string
			for _, p := range tt.of {
				of = append(of, filepath.Join(dir, p))
			}
			for _, p := range tt.want {
				want = append(want, filepath.Join(dir, p))
			}
			folders := map[string]string{}
			for p, folder := range tt.folders {
				folders[filepath.Join(dir, p)] = folder
			}
			got, below, err := Collect(of)
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Equal(t, folders, below)
		})
	}

	_, _, err := Collect([]string{filepath.Join(dir, "absent")})
	require.ErrorIs(t, err, os.ErrNotExist)
}
