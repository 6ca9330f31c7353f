package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// The bounds of bulk requests.
const (
	maxBulk     = 10_000
	maxBulkBody = 2 << 20
	maxFirst    = 10 // items that a dry run lists
)

// Intent has the safeguards of a bulk change.
type Intent struct {
	DryRun bool `json:"dryRun,omitempty" doc:"Changes nothing: returns how many items would be affected, and the first of them"`
	Expect *int `json:"expect,omitempty" minimum:"0" doc:"The expected number of affected items, as a dry run returns it; any other number is 409"`
}

// check is 409 if a change would affect another number of items than expected. Call it
// in the transaction that makes the change.
func (i Intent) check(n int, what string) error {
	if i.Expect == nil || *i.Expect == n {
		return nil
	}
	message := fmt.Sprintf("nothing was changed: %d %s were expected, but %d would be affected", *i.Expect, what, n)
	return newError(http.StatusConflict, message, Detail{"body.expect", fmt.Sprintf("%d would be affected", n)})
}

// checkSelection refuses a selection unless it has exactly one of a list, a filter with
// a condition, and all.
func checkSelection[F interface {
	comparable
	trim() error
}](list string, listed bool, filter F, all bool) error {
	var none F
	if ways(listed, filter != none, all) != 1 {
		return invalid("body", "must have exactly one of "+list+", filter and all")
	}
	if filter == none {
		return nil
	}
	if err := filter.trim(); err != nil {
		return err
	}
	if reflect.ValueOf(filter).Elem().IsZero() {
		return invalid("body.filter", "has no condition; send \"all\": true instead to select everything")
	}
	return nil
}

// ways counts how many are true.
func ways(said ...bool) int {
	n := 0
	for _, is := range said {
		if is {
			n++
		}
	}
	return n
}

// tooMany refuses a selection of more items than the limit.
func tooMany(what string) error {
	return invalid("body", fmt.Sprintf("selects more than %d %s; narrow the selection", maxBulk, what))
}

// trim removes an empty condition, and refuses one that only seems to be a condition:
// notIn without values is always true.
func (c *Condition) trim() error {
	switch {
	case c.Where == nil:
	case c.Where.IsZero():
		c.Where = nil
	case c.Where.Valueless():
		return invalid("body.filter.filter", "has an in or notIn without values")
	}
	return nil
}

// lists names fields of the filter in a body that are lists, for which a single value
// is accepted too.
func lists(names ...string) option {
	return func(op *huma.Operation) {
		op.Middlewares = append(op.Middlewares, func(ctx huma.Context, next func(huma.Context)) {
			next(merged{ctx, &listing{body: ctx.BodyReader(), names: names, limit: op.MaxBodyBytes}, false})
		})
	}
}

// listing is a body in which single values of these fields become lists.
type listing struct {
	body  io.Reader
	names []string
	limit int64
	text  io.Reader // nil before the body is read
}

// Read reads the rewritten body.
func (l *listing) Read(p []byte) (int, error) {
	if l.text == nil {
		text, err := io.ReadAll(io.LimitReader(l.body, l.limit))
		if err != nil {
			return 0, err
		}
		l.text = io.MultiReader(bytes.NewReader(asLists(text, l.names)), l.body)
	}
	return l.text.Read(p)
}

// asLists is text with single strings turned into lists. Malformed text is returned
// unchanged, to be refused later.
func asLists(text []byte, names []string) []byte {
	var body, filter map[string]json.RawMessage
	if json.Unmarshal(text, &body) != nil || json.Unmarshal(body["filter"], &filter) != nil {
		return text
	}
	changed := false
	for _, name := range names {
		if value := filter[name]; len(value) > 0 && value[0] == '"' {
			filter[name] = append(append(json.RawMessage{'['}, value...), ']')
			changed = true
		}
	}
	if !changed {
		return text
	}
	var err error
	if body["filter"], err = json.Marshal(filter); err != nil {
		return text
	}
	whole, err := json.Marshal(body)
	if err != nil {
		return text
	}
	return whole
}
