package api

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// Message is the answer to a change that has no other result.
type Message struct {
	Message string `json:"message"`
}

// List is one page of a list.
type List[T any] struct {
	Items      []T    `json:"items" nullable:"false"`
	NextCursor string `json:"nextCursor,omitempty" doc:"The cursor of the next page; absent on the last page"`
	Total      *int   `json:"total,omitempty" doc:"Number of items on all pages"`
}

// newList turns rows into a page.
func newList[R, T any](rows []R, convert func(R) T) List[T] {
	list := List[T]{Items: make([]T, len(rows))}
	for i, row := range rows {
		list.Items[i] = convert(row)
	}
	return list
}

// newPage is newList of rows that were read with one more than limit, with the cursor
// of the next page: the place of the last row in a kind of list.
func newPage[R, T any](rows []R, limit int, kind string, convert func(R) T, place func(R) string) List[T] {
	rows, more := cut(rows, limit)
	list := newList(rows, convert)
	if more {
		list.NextCursor = cursor(kind, place(last(rows)))
	}
	return list
}

// Page is how a list is asked for.
type Page struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"Maximum number of items"`
	Cursor string `query:"cursor" maxLength:"2000" doc:"The nextCursor of the previous page"`
}

// place is the decoded cursor, "" at the start of the list. Only cursors of
// this kind of list are accepted.
func (p Page) place(kind string) (string, error) { return placeOf(p.Cursor, kind, "query.cursor") }

// idPlace is place in a list by id.
func (p Page) idPlace(kind string) (string, error) {
	place, err := p.place(kind)
	if err == nil && place != "" && !isID(place) {
		return "", errCursor("query.cursor")
	}
	return place, err
}

// namePlace is place in a list by name: an id and the name.
func (p Page) namePlace(kind string) (db.NamePlace, error) {
	place, err := p.place(kind)
	if err != nil || place == "" {
		return db.NamePlace{}, err
	}
	id, name, _ := strings.Cut(place, " ")
	if !isID(id) {
		return db.NamePlace{}, errCursor("query.cursor")
	}
	return db.NamePlace{Name: name, ID: id}, nil
}

// duePlace is place in a list by due date: an id and, where there is one, the
// date.
func (p Page) duePlace(kind string) (db.DuePlace, error) {
	place, err := p.place(kind)
	if err != nil || place == "" {
		return db.DuePlace{}, err
	}
	id, date, dated := strings.Cut(place, " ")
	if !isID(id) {
		return db.DuePlace{}, errCursor("query.cursor")
	}
	if !dated {
		return db.DuePlace{ID: id}, nil
	}
	due, err := time.Parse(time.RFC3339Nano, date)
	if err != nil {
		return db.DuePlace{}, errCursor("query.cursor")
	}
	return db.DuePlace{Due: &due, ID: id}, nil
}

// dueCursor is the place that duePlace reads.
func dueCursor(due *time.Time, id string) string {
	if due == nil {
		return id
	}
	return id + " " + due.UTC().Format(time.RFC3339Nano)
}

// BodyPage is how a list is asked for in a body.
type BodyPage struct {
	Limit  int    `json:"limit,omitempty" minimum:"1" maximum:"500" default:"50" doc:"Maximum number of items"`
	Cursor string `json:"cursor,omitempty" maxLength:"2000" doc:"The nextCursor of the previous page"`
}

// place is as that of Page.
func (p BodyPage) place(kind string) (string, error) { return placeOf(p.Cursor, kind, "body.cursor") }

func placeOf(cursor, kind, location string) (string, error) {
	if cursor == "" {
		return "", nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	made, place, ok := strings.Cut(string(text), ":")
	if err != nil || !ok || made != kind || !utf8.Valid(text) || slices.Contains(text, 0) {
		return "", errCursor(location)
	}
	return place, nil
}

// offset is the place in a list that is paged by number, 0 at its start.
func (p Page) offset(kind string) (int, error) {
	place, err := p.place(kind)
	if err != nil {
		return 0, err
	}
	return offsetOf(place, "query.cursor")
}

// offset is as that of Page.
func (p BodyPage) offset(kind string) (int, error) {
	place, err := p.place(kind)
	if err != nil {
		return 0, err
	}
	return offsetOf(place, "body.cursor")
}

func offsetOf(place, location string) (int, error) {
	if place == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(place)
	if err != nil || n < 0 || n > math.MaxInt32 {
		return 0, errCursor(location)
	}
	return n, nil
}

func errCursor(location string) error { return invalid(location, "is not the nextCursor of this list") }

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

// last is the last of rows, which may not be empty.
func last[T any](rows []T) T { return rows[len(rows)-1] }

// pageByID makes a page of rows that were read one longer than limit, in the
// order of their ids.
func pageByID[R, T any](rows []R, limit int, kind string, id func(R) string, convert func(R) T) List[T] {
	rows, more := cut(rows, limit)
	list := newList(rows, convert)
	if more {
		list.NextCursor = cursor(kind, id(rows[limit-1]))
	}
	return list
}

// Span is a half-open range of the file's text.
type Span struct {
	Start int `json:"start" doc:"Code points from the start of the file's text"`
	End   int `json:"end"`
}

// DueDate is a time, none, or absent: a field of a change.
type DueDate struct {
	given bool
	at    time.Time
}

// UnmarshalJSON reads a time; null and "" are none.
func (d *DueDate) UnmarshalJSON(b []byte) error {
	d.given, d.at = true, time.Time{}
	var text *string
	if err := json.Unmarshal(b, &text); err != nil || text == nil || *text == "" {
		return err
	}
	var ok bool
	if d.at, ok = dayOrInstant(*text); !ok {
		return fault.New(fault.Invalid, "dueAt "+noTime)
	}
	return nil
}

// MarshalJSON is the inverse; what is absent is left out by omitzero.
func (d DueDate) MarshalJSON() ([]byte, error) {
	if d.at.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(d.at)
}

// Schema is a time or none.
func (DueDate) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Nullable: true, Description: "A day, as 2026-03-31, or an instant, as 2026-03-31T12:00:00Z; null or an empty string removes it"}
	s.PrecomputeMessages()
	return s
}

// change is nil where it is absent, and the zero time for none.
func (d DueDate) change() *time.Time {
	if !d.given {
		return nil
	}
	return &d.at
}

// OrNull is a value, null, or absent: a field of a change, where null removes the
// value.
type OrNull[T any] struct {
	given bool
	value *T
}

// isNull reports whether it is there and null.
func (o OrNull[T]) isNull() bool { return o.given && o.value == nil }

// UnmarshalJSON tells null from absence.
func (o *OrNull[T]) UnmarshalJSON(b []byte) error {
	o.given = true
	return json.Unmarshal(b, &o.value)
}

// MarshalJSON is the inverse; what is absent is left out by omitzero.
func (o OrNull[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.value) }

// Schema is that of a value, or null.
func (OrNull[T]) Schema(schemas huma.Registry) *huma.Schema {
	s := *huma.SchemaFromType(schemas, reflect.TypeFor[T]())
	s.Nullable = true
	s.PrecomputeMessages()
	return &s
}

// title is a name that a user gave, if it can be shown on one line.
func title(location, name string) (string, error) {
	name = norm.NFC.String(strings.TrimSpace(name))
	if name == "" || strings.ContainsFunc(name, unicode.IsControl) {
		return "", invalid(location, "must have only printable characters, and at least one that is not a space")
	}
	return name, nil
}

// newTitle is title of an optional name.
func newTitle(location string, name *string) (*string, error) {
	if name == nil {
		return nil, nil //nolint:nilnil // it stays as it is
	}
	clean, err := title(location, *name)
	return &clean, err
}

// namesOne is invalid unless an optional id is empty or has the form of an id.
func namesOne(location string, id *string) error {
	if id != nil && *id != "" && !isID(*id) {
		return invalid(location, "does not exist in this team")
	}
	return nil
}

// isID reports whether text has the form of an id. Anything else is not found, and
// never reaches the database.
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
