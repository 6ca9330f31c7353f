package api

import (
	"encoding/base64"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Message is the answer of a change that has nothing better to say.
type Message struct {
	Message string `json:"message"`
}

// List is one page of a list.
type List[T any] struct {
	Items      []T    `json:"items" nullable:"false"`
	NextCursor string `json:"nextCursor,omitempty" doc:"Send it as cursor for the next page; absent on the last"`
	Total      *int   `json:"total,omitempty" doc:"How many there are on all pages"`
}

// newList turns rows into a page.
func newList[R, T any](rows []R, convert func(R) T) List[T] {
	list := List[T]{Items: make([]T, len(rows))}
	for i, row := range rows {
		list.Items[i] = convert(row)
	}
	return list
}

// Page is how a list is asked for.
type Page struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"How many at most"`
	Cursor string `query:"cursor" maxLength:"200" doc:"nextCursor of the page before"`
}

// place is the decoded cursor, "" at the start of the list. Only cursors that
// were made for this kind of list are taken.
func (p Page) place(kind string) (string, error) { return placeOf(p.Cursor, kind, "query.cursor") }

// BodyPage is how a list is asked for in a body.
type BodyPage struct {
	Limit  int    `json:"limit,omitempty" minimum:"1" maximum:"500" default:"50" doc:"How many at most"`
	Cursor string `json:"cursor,omitempty" maxLength:"200" doc:"nextCursor of the page before"`
}

// place is as that of Page.
func (p BodyPage) place(kind string) (string, error) { return placeOf(p.Cursor, kind, "body.cursor") }

func placeOf(cursor, kind, location string) (string, error) {
	if cursor == "" {
		return "", nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	made, place, ok := strings.Cut(string(text), ":")
	if err != nil || !ok || made != kind {
		return "", invalid(location, "is not the nextCursor of this list")
	}
	return place, nil
}

// cursor makes the cursor of a place in a kind of list.
func cursor(kind, place string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(kind + ":" + place))
}

// cut ends a list that was read one longer than limit: the surplus row shows
// that there is more.
func cut[T any](rows []T, limit int) (shown []T, more bool) {
	if len(rows) > limit {
		return rows[:limit], true
	}
	return rows, false
}

// Span is a half-open range of the file's text.
type Span struct {
	Start int `json:"start" doc:"Code points from the start of the file's text"`
	End   int `json:"end"`
}

// isID reports whether text could be one of our ids. Anything else names
// nothing, and never reaches the database.
func isID(text string) bool {
	return len(text) == 36 && uuid.Validate(text) == nil
}

// utc is t for the wire.
func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}
