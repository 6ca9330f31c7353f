package clausemill

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// upload reads and sends the file at path.
func upload(t *testing.T, c *Client, path string) (File, error) {
	t.Helper()

	source, err := ReadSource(path)
	require.NoError(t, err)
	return sendOne(t, c, Upload{Sources: []Source{source}, IdempotencyKey: source.SHA256})
}

// sendOne makes an upload of one file.
func sendOne(t *testing.T, c *Client, u Upload) (File, error) {
	t.Helper()

	answers, err := c.UploadFile(t.Context(), u)
	if err != nil {
		return File{}, err
	}
	require.Len(t, answers, 1)
	return answers[0].File, answers[0].Err
}

func TestUpload(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s server
		var form http.Header
		var length int64
		s.before = func(_ http.ResponseWriter, r *http.Request) bool {
			form, length = r.Header.Clone(), r.ContentLength
			return false
		}
		c := start(t, &s)

		name := filepath.Join(t.TempDir(), `the "Müller" lease.pdf`)
		text := strings.Repeat("whereas ", 100_000)
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		source, err := ReadSource(name)
		require.NoError(t, err)

		var sent []int64
		file, err := sendOne(t, c, Upload{
			Sources:        []Source{source},
			MatterID:       "m-1",
			Metadata:       map[string]any{"box": 7},
			IdempotencyKey: "once",
			Sent:           func(_ int, n int64) { sent = append(sent, n) },
		})
		require.NoError(t, err)
		require.Equal(t, source.SHA256, file.SHA256)
		require.Equal(t, int64(len(text)), file.Size)
		require.Equal(t, `the %22Müller%22 lease.pdf`, file.Name)
		require.Greater(t, length, int64(len(text)), "the server can refuse it at once")
		require.Equal(t, "once", form.Get("Idempotency-Key"))
		require.IsIncreasing(t, sent[:len(sent)-1])
		require.Equal(t, int64(len(text)), sent[len(sent)-1])
	})
}

func TestUploadObeysRetryAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := server{before: times(1, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "60")
			answer(w, http.StatusTooManyRequests, map[string]string{"error": "too many requests"})
		})}
		c := start(t, &s)
		paths := write(t, "a", "b")

		began := time.Now()
		_, err := upload(t, c, paths[0])
		require.NoError(t, err)
		require.GreaterOrEqual(t, time.Since(began), time.Minute)
		require.Equal(t, 2, s.count("POST"))
		require.EqualValues(t, 1, s.received, "a refusal comes before the bytes")
	})
}

func TestRetryAfterHoldsAllRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := server{before: times(1, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "60")
			answer(w, http.StatusTooManyRequests, nil)
		})}
		c := start(t, &s)
		paths := write(t, "a", "b")

		var both sync.WaitGroup
		began := time.Now()
		both.Go(func() { _, _ = upload(t, c, paths[0]) })
		synctest.Wait()
		both.Go(func() {
			_, err := upload(t, c, paths[1])
			require.NoError(t, err)
			require.GreaterOrEqual(t, time.Since(began), time.Minute)
		})
		both.Wait()
		require.Equal(t, 3, s.count("POST"), "one refusal for all")
	})
}

func TestUploadTriesAgain(t *testing.T) {
	t.Parallel()

	for name, trouble := range map[string]http.HandlerFunc{
		"Dropped":     func(w http.ResponseWriter, _ *http.Request) { drop(w) },
		"Unavailable": func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusServiceUnavailable, nil) },
		"NoSpace":     func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusInsufficientStorage, nil) },
		"BadGateway":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"Silent": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		},
		"DroppedInTheMiddle": func(w http.ResponseWriter, r *http.Request) {
			_, _ = r.Body.Read(make([]byte, 10_000))
			drop(w)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := server{before: times(4, trouble)}
				c := start(t, &s)
				file, err := upload(t, c, write(t, strings.Repeat("lease ", 50_000))[0])
				require.NoError(t, err)
				require.Equal(t, "file-0001", file.ID)
				require.GreaterOrEqual(t, s.count("POST"), 5)
			})
		})
	}
}

// TestUploadAnswers has answers about several files, two of which are the same.
func TestUploadAnswers(t *testing.T) {
	t.Parallel()

	sources := []Source{NewSource("a/index.html", []byte("lease")), NewSource("b/index.html", []byte("lease")), NewSource("c.txt", []byte("deed"))}
	taken := func(i int, id string) File { return File{ID: id, SHA256: sources[i].SHA256} }
	refused := func(i int64) UploadError { return UploadError{Index: i, Error: "no"} }
	for name, tt := range map[string]struct {
		answer uploadAnswer
		want   []string // ids, or nothing where one was refused
	}{
		"All":         {uploadAnswer{Items: []File{taken(0, "1"), taken(1, "2"), taken(2, "3")}}, []string{"1", "2", "3"}},
		"FirstOfTwo":  {uploadAnswer{Items: []File{taken(1, "2"), taken(2, "3")}, Errors: []UploadError{refused(0)}}, []string{"", "2", "3"}},
		"SecondOfTwo": {uploadAnswer{Items: []File{taken(0, "1"), taken(2, "3")}, Errors: []UploadError{refused(1)}}, []string{"1", "", "3"}},
		"TooFew":      {uploadAnswer{Items: []File{taken(0, "1")}, Errors: []UploadError{refused(1)}}, nil},
		"Twice":       {uploadAnswer{Items: []File{taken(0, "1")}, Errors: []UploadError{refused(1), refused(1)}}, nil},
		"BeyondThem":  {uploadAnswer{Items: []File{taken(0, "1"), taken(1, "2")}, Errors: []UploadError{refused(3)}}, nil},
		"Negative":    {uploadAnswer{Items: []File{taken(0, "1"), taken(1, "2")}, Errors: []UploadError{refused(-1)}}, nil},
		"OtherOrder":  {uploadAnswer{Items: []File{taken(2, "3"), taken(0, "1")}, Errors: []UploadError{refused(1)}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all, err := tt.answer.match(sources)
			if tt.want == nil {
				require.ErrorContains(t, err, "about other files than the 3 that were sent")
				return
			}
			require.NoError(t, err)
			for i, id := range tt.want {
				require.Equal(t, id, all[i].File.ID)
				require.Equal(t, id == "", all[i].Err != nil)
			}
		})
	}
}

// TestSlowUploadTriesAgain breaks off uploads that take longer than patience each.
func TestSlowUploadTriesAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := server{before: times(3, func(w http.ResponseWriter, r *http.Request) {
			for range 19 {
				_, _ = io.ReadFull(r.Body, make([]byte, 30_000))
				time.Sleep(patience / 15) // in a bubble: a slow line
			}
			drop(w)
		})}
		c := start(t, &s)
		began := time.Now()
		_, err := upload(t, c, write(t, strings.Repeat("lease ", 100_000))[0])
		require.NoError(t, err)
		require.Greater(t, time.Since(began), 3*patience)
		require.Equal(t, 4, s.count("POST"))
	})
}

// TestTooManyRequestsIsWaitedFor has a service ask for more time than there is patience.
func TestTooManyRequestsIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := server{before: times(20, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "60")
			answer(w, http.StatusTooManyRequests, nil)
		})}
		c := start(t, &s)
		ctx, cancel := context.WithTimeout(t.Context(), patience/2)
		defer cancel()
		_, err := c.ListFiles(ctx, ListFilesParams{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = c.ListFiles(t.Context(), ListFilesParams{})
		require.NoError(t, err)
		require.Equal(t, 21, s.count("GET"))
	})
}

func TestLostAnswerIsGivenAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lost := times(2, func(w http.ResponseWriter, _ *http.Request) { drop(w) })
		s := server{after: func(w http.ResponseWriter) bool { return lost(w, nil) }}
		c := start(t, &s)
		file, err := upload(t, c, write(t, "a lease")[0])
		require.NoError(t, err)
		require.Equal(t, "file-0001", file.ID)
		require.Len(t, s.files, 1)
	})
}

func TestUploadGivesUp(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name    string
		answer  http.HandlerFunc
		tries   int // 0 for many
		message string
	}{
		{"Invalid", func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusUnprocessableEntity, map[string]string{"error": "matterId: no such matter"})
		}, 1, "matterId: no such matter"},
		{"TooLarge", func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusRequestEntityTooLarge, map[string]string{"error": "larger than 500 MiB"})
		}, 1, "larger than 500 MiB"},
		{"Broken", func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusInternalServerError, map[string]string{"error": "internal error"})
		}, 3, "internal error"},
		{"NotClausemill", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("<html>"))
		}, 1, "http://server.test does not answer like Clausemill"},
		{"Moved", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://elsewhere.test/")
			w.WriteHeader(http.StatusMovedPermanently)
		}, 1, "the server answered 301 Moved Permanently"},
		{"Gone", func(w http.ResponseWriter, _ *http.Request) { drop(w) }, 0, "EOF"},
		{"GoneAtTheEnd", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			drop(w)
		}, 0, "EOF"},
		{"Busy", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "30")
			answer(w, http.StatusServiceUnavailable, map[string]string{"error": "the database is away"})
		}, 0, "the database is away"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := server{before: func(w http.ResponseWriter, r *http.Request) bool {
					tt.answer(w, r)
					return true
				}}
				c := start(t, &s)
				began := time.Now()
				_, err := upload(t, c, write(t, "a lease")[0])
				require.ErrorContains(t, err, tt.message)
				if tt.tries > 0 {
					require.Equal(t, tt.tries, s.count("POST"))
				} else {
					require.Greater(t, s.count("POST"), 10)
				}
				require.LessOrEqual(t, time.Since(began), patience)
			})
		})
	}
}

func TestChangedFileIsNotSent(t *testing.T) {
	t.Parallel()

	for name, now := range map[string]string{"Other": "a leash", "Longer": "a lease for life", "Shorter": "a", "Empty": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var s server
				c := start(t, &s)
				path := write(t, "a lease")[0]
				source, err := ReadSource(path)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(path, []byte(now), 0o600))
				_, err = c.UploadFile(t.Context(), Upload{Sources: []Source{source}, IdempotencyKey: "k"})
				require.ErrorIs(t, err, errChanged)
				synctest.Wait()
				require.Empty(t, s.files)
			})
		})
	}
}

func TestKeyStaysWithItsServer(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct{ url, key, message string }{
		{"127.0.0.1:8080", "k", "no address of a server"},
		{"ftp://contracts.test", "k", "no address of a server"},
		{"http://contracts.test", "", "an API key is needed, or a service account"},
		{"http://contracts.test/base/", "k", ""},
	} {
		_, err := New(Config{URL: tt.url, Key: tt.key})
		if tt.message == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, tt.message)
		}
	}
}

func TestParseRetryAfter(t *testing.T) {
	t.Parallel()

	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                              0,
		"7":                             7 * time.Second,
		" 7 ":                           7 * time.Second,
		"0":                             0,
		"-7":                            0,
		"soon":                          0,
		"999999999":                     maxAsked,
		"99999999999999999999":          0,
		"Sun, 01 Mar 2026 12:00:30 GMT": 30 * time.Second,
		"Sun, 01 Mar 2026 11:00:30 GMT": 0,
	} {
		require.Equal(t, want, parseRetryAfter(value, now), value)
	}
}

func TestBackOff(t *testing.T) {
	t.Parallel()

	for tries := 1; tries < 1000; tries++ {
		pause := backOff(tries)
		require.GreaterOrEqual(t, pause, firstPause/2)
		require.LessOrEqual(t, pause, maxPause)
		if tries > 10 {
			require.GreaterOrEqual(t, pause, maxPause/2)
		}
	}
}
