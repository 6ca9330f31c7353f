package clausemill

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEncode(t *testing.T) {
	t.Parallel()

	query, header := url.Values{}, http.Header{}
	encode(struct {
		Text   string             `query:"text"`
		Many   []ProcessingStatus `query:"many"`
		None   []string           `query:"none"`
		No     *bool              `query:"no"`
		Zero   *int64             `query:"zero"`
		Absent *int64             `query:"absent"`
		Score  *float32           `query:"score"`
		Since  time.Time          `query:"since"`
		Never  time.Time          `query:"never"`
		Match  string             `header:"If-Match"`
		Key    string             `header:"Idempotency-Key"`
	}{
		Text: "a&b=c", Many: []ProcessingStatus{ProcessingStatusQueued, ProcessingStatusFailed}, No: new(false), Zero: new(int64(0)),
		Score: new(float32(0.3)), Since: time.Date(2026, time.March, 1, 12, 0, 0, 5000, time.UTC), Match: `"7"`,
	}, query, header)
	require.Equal(t, url.Values{
		"text": {"a&b=c"}, "many": {"queued", "failed"}, "no": {"false"}, "zero": {"0"}, "score": {"0.3"}, "since": {"2026-03-01T12:00:00.000005Z"},
	}, query)
	require.Equal(t, `"7"`, header.Get("If-Match"))
	require.Len(t, header.Get("Idempotency-Key"), 26, "one of its own")
}

func TestPath(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := ""
		s := server{before: func(w http.ResponseWriter, r *http.Request) bool {
			asked = r.URL.EscapedPath()
			answer(w, http.StatusOK, map[string]any{})
			return true
		}}
		c := start(t, &s)
		_, err := c.GetFile(t.Context(), "a/../b c?#%", GetFileParams{})
		require.NoError(t, err)
		require.Equal(t, "/api/files/a%2F..%2Fb%20c%3F%23%25", asked)
	})
}

// TestOnlyWhatIsSafeIsRepeated loses the answers of requests.
func TestOnlyWhatIsSafeIsRepeated(t *testing.T) {
	t.Parallel()

	lost := func(w http.ResponseWriter, _ *http.Request) { drop(w) }
	crashed := func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusInternalServerError, nil) }
	away := func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusServiceUnavailable, nil) }
	read := func(ctx context.Context, c *Client) error {
		_, err := c.ListMatters(ctx, ListMattersParams{})
		return err
	}
	post := func(ctx context.Context, c *Client) error {
		_, err := c.ReprocessFile(ctx, "id", ReprocessOptions{})
		return err
	}
	patch := func(ctx context.Context, c *Client) error {
		_, err := c.UpdateTag(ctx, "key", TagChange{})
		return err
	}
	keyed := func(ctx context.Context, c *Client) error {
		_, err := c.CreateMatter(ctx, CreateMatterRequest{}, CreateMatterParams{})
		return err
	}
	for name, tt := range map[string]struct {
		trouble http.HandlerFunc
		ask     func(context.Context, *Client) error
		again   bool
	}{
		"ReadLost":         {lost, read, true},
		"ReadCrashed":      {crashed, read, true},
		"PostLost":         {lost, post, false},
		"PostCrashed":      {crashed, post, false},
		"PostAway":         {away, post, true},
		"PatchLost":        {lost, patch, false},
		"PostWithKeyLost":  {lost, keyed, true},
		"PostWithKeyAway":  {away, keyed, true},
		"PostWithKeyBroke": {crashed, keyed, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				first := times(1, tt.trouble)
				keys := map[string]bool{}
				s := server{before: func(w http.ResponseWriter, r *http.Request) bool {
					if key := r.Header.Get(keyHeader); key != "" {
						keys[key] = true
					}
					if !first(w, r) {
						answer(w, http.StatusOK, map[string]any{"items": []any{}})
					}
					return true
				}}
				c := start(t, &s)
				err := tt.ask(t.Context(), c)
				require.Equal(t, tt.again, err == nil, "%v", err)
				require.Len(t, s.requests, map[bool]int{true: 2, false: 1}[tt.again])
				require.LessOrEqual(t, len(keys), 1, "the same key each time")
			})
		})
	}
}

func TestAllPages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := server{before: func(w http.ResponseWriter, r *http.Request) bool {
			switch r.URL.Query().Get("cursor") {
			case "":
				answer(w, http.StatusOK, map[string]any{"items": []any{map[string]any{"id": "1"}, map[string]any{"id": "2"}}, "nextCursor": "two"})
			case "two":
				answer(w, http.StatusOK, map[string]any{"items": []any{}, "nextCursor": "three"})
			case "three":
				answer(w, http.StatusOK, map[string]any{"items": []any{map[string]any{"id": "3"}}})
			}
			return true
		}}
		c := start(t, &s)
		var ids []string
		for file, err := range c.ListFilesAll(t.Context(), ListFilesParams{Limit: 2}) {
			require.NoError(t, err)
			ids = append(ids, file.ID)
		}
		require.Equal(t, []string{"1", "2", "3"}, ids)
		require.Len(t, s.requests, 3)
		for _, err := range c.ListFilesAll(t.Context(), ListFilesParams{}) {
			require.NoError(t, err)
			break
		}
		require.Len(t, s.requests, 4, "no page before it is wanted")
	})
}

func TestAllPagesEndsWithAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := server{before: func(w http.ResponseWriter, _ *http.Request) bool {
			answer(w, http.StatusForbidden, map[string]string{"error": "no"})
			return true
		}}
		c := start(t, &s)
		var errs []error
		for _, err := range c.ListFilesAll(t.Context(), ListFilesParams{}) {
			errs = append(errs, err)
		}
		require.Len(t, errs, 1)
		require.True(t, AccessDenied(errs[0]))
	})
}

func TestError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := server{before: func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("X-Request-Id", "R1")
			answer(w, http.StatusUnprocessableEntity, map[string]any{
				"error": "body.name: is missing", "code": "invalid", "details": []any{map[string]string{"location": "body.name", "message": "is missing"}},
			})
			return true
		}}
		c := start(t, &s)
		_, err := c.CreateMatter(t.Context(), CreateMatterRequest{}, CreateMatterParams{})
		var e *Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, &Error{
			Status: 422, Code: "invalid", Message: "body.name: is missing", RequestID: "R1", Details: []Detail{{Location: "body.name", Message: "is missing"}},
		}, e)
		require.NotErrorIs(t, err, ErrNotReady)
	})
}

func TestNotModified(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := server{before: func(w http.ResponseWriter, r *http.Request) bool {
			if r.Header.Get("If-None-Match") != `"7"` {
				return false
			}
			w.WriteHeader(http.StatusNotModified)
			return true
		}}
		c := start(t, &s)
		_, err := c.GetFileStatus(t.Context(), "id", GetFileStatusParams{IfNoneMatch: `"7"`})
		require.ErrorIs(t, err, ErrNotModified)
	})
}

func TestDownloadRedlineWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		unready := times(3, func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusAccepted, map[string]string{"message": "it is being made"})
		})
		s := server{before: func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Get("format") != "docx" {
				return false
			}
			if !unready(w, r) {
				w.Header().Set("Content-Type", "application/vnd.openxmlformats-officedocument.wordprocessingml.document")
				w.Header().Set("Content-Disposition", `attachment; filename="lease.docx"`)
				_, _ = io.WriteString(w, "PK")
			}
			return true
		}}
		c := start(t, &s)
		document, err := c.DownloadRedline(t.Context(), "id", GetRedlineParams{})
		require.NoError(t, err)
		content, err := io.ReadAll(document)
		require.NoError(t, errors.Join(err, document.Close()))
		require.Equal(t, "PK", string(content))
		require.Equal(t, "lease.docx", document.FileName())
		require.EqualValues(t, 2, document.Size)
		require.Len(t, s.requests, 4)
	})
}

// TestStreamMayBeReadSlowly has a reader that is busy with what it read, and then a
// service that sends no more.
func TestStreamMayBeReadSlowly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := server{before: func(w http.ResponseWriter, r *http.Request) bool {
			w.Header().Set("Content-Type", "text/csv")
			_, _ = io.WriteString(w, "a,b")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return true
		}}
		c := start(t, &s)
		table, err := c.ExportFiles(t.Context(), ExportFilesParams{})
		require.NoError(t, err)
		defer table.Close()
		require.Equal(t, "text/csv", table.ContentType())
		begun := make([]byte, 2)
		_, err = io.ReadFull(table, begun)
		require.NoError(t, err)
		time.Sleep(2 * idleTimeout) // in a bubble: the reader's own work
		_, err = io.ReadAll(table)
		require.ErrorIs(t, err, errIdle)
	})
}

func TestWaitForFile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		s := server{work: func(f *File) {
			if asked++; asked == 3 {
				f.Status, f.Error = ProcessingStatusFailed, &FileError{Code: "encrypted", Message: "it has a password", Page: new(int64(2))}
			}
		}}
		c := start(t, &s)
		file, err := upload(t, c, write(t, "a lease")[0])
		require.NoError(t, err)
		status, err := c.WaitForFile(t.Context(), file.ID)
		var reason *FileError
		require.ErrorAs(t, err, &reason)
		require.EqualError(t, err, "encrypted: it has a password (page 2)")
		require.Equal(t, ProcessingStatusFailed, status.Status)

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		other, err := upload(t, c, write(t, "another")[0])
		require.NoError(t, err)
		_, err = c.WaitForFile(ctx, other.ID)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestNullable(t *testing.T) {
	t.Parallel()

	for want, n := range map[string]Nullable[string]{`{}`: {}, `{"dueAt":null}`: Null[string](), `{"dueAt":"soon"}`: Value("soon")} {
		type patch struct {
			DueAt Nullable[string] `json:"dueAt,omitzero"`
		}
		text, err := json.Marshal(patch{n})
		require.NoError(t, err)
		require.JSONEq(t, want, string(text))
		var back patch
		require.NoError(t, json.NewDecoder(strings.NewReader(want)).Decode(&back))
		require.Equal(t, patch{n}, back)
	}
}
