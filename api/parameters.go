package api

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/search"
)

// foreignKey marks, in an operation's metadata, an operation whose query follows the rules
// of others: OAuth wants parameters that nobody knows to be ignored (RFC 6749, 3.1 and 3.2).
const foreignKey = "foreign"

// foreign allows unknown query parameters in an operation.
func foreign(op *huma.Operation) {
	op.Metadata = map[string]any{foreignKey: true}
}

// meant refuses queries that would not be understood as intended: malformed ones,
// unknown parameters, empty ones that need a value, several values for a single one,
// and values that cannot be an id or a time. It also rewrites queries to one form:
// repeated parameters of a list to one with commas, and days to times.
func meant(ctx huma.Context, next func(huma.Context)) {
	op, address := ctx.Operation(), ctx.URL()
	if address.RawQuery == "" || op.Metadata[foreignKey] == true {
		next(ctx)
		return
	}
	query, err := url.ParseQuery(address.RawQuery)
	if err != nil {
		refuse(ctx, newError(http.StatusBadRequest, "the query cannot be read: "+err.Error()))
		return
	}
	var wrong []Detail
	rewritten := false
	for _, name := range slices.Sorted(maps.Keys(query)) {
		p := parameter(op, name)
		if p == nil {
			wrong = append(wrong, Detail{"query." + brief(name), unknown(op, brief(name))})
			continue
		}
		value, fault := read(p.Schema, query[name])
		if fault != "" {
			wrong = append(wrong, Detail{"query." + name, fault})
		}
		if value != query[name][0] {
			query[name], rewritten = []string{value}, true
		}
	}
	if len(wrong) > 0 {
		refuse(ctx, newError(http.StatusUnprocessableEntity, "validation failed: "+wrong[0].Location+": "+wrong[0].Message, wrong...))
		return
	}
	if rewritten {
		address.RawQuery = query.Encode()
		ctx = asked{ctx, address}
	}
	next(ctx)
}

// parameter is the query parameter called name of op, nil if it has none.
func parameter(op *huma.Operation, name string) *huma.Param {
	for _, p := range op.Parameters {
		if p.In == "query" && p.Name == name {
			return p
		}
	}
	return nil
}

// read combines the values of a parameter with schema s to one value, or returns what
// is wrong with them.
func read(s *huma.Schema, values []string) (value, fault string) {
	value = strings.Join(values, ",")
	switch {
	case len(values) > 1 && s.Type != huma.TypeArray:
		return value, "is given more than once, and takes one value"
	case value == "" && needed(s):
		return value, "is empty"
	case !couldBe(s, value):
		return value, "is not an id"
	case s.Format == "date-time" && value != "":
		at, ok := dayOrInstant(value)
		if !ok {
			return value, noTime
		}
		return at.Format(time.RFC3339Nano), ""
	}
	return value, ""
}

// needed reports whether a parameter with schema s may not be empty. Other parameters
// count as absent if they are empty.
func needed(s *huma.Schema) bool {
	return s.MinLength != nil && *s.MinLength > 0
}

// couldBe is false if s is an id or a list of ids and value has anything else. Otherwise
// a list would be empty, and a caller who sent a name instead of an id would believe
// that.
func couldBe(s *huma.Schema, value string) bool {
	switch {
	case value == "":
		return true
	case s.Type == huma.TypeArray && s.Items.Format == "uuid":
		return !slices.ContainsFunc(strings.Split(value, ","), func(id string) bool { return !isID(id) })
	}
	return s.Format != "uuid" || isID(value)
}

// unknown is the message for a parameter that op does not have. It suggests a similar
// name, since most are misspelt.
func unknown(op *huma.Operation, name string) string {
	var names []string
	for _, p := range op.Parameters {
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	message := "there is no parameter " + name
	if near := nearest(name, names); near != "" {
		return message + "; did you mean " + near + "?"
	}
	if len(names) == 0 {
		return message + "; this operation takes none"
	}
	verb := "are"
	if len(names) == 1 {
		verb = "is"
	}
	return message + "; there " + verb + " " + strings.Join(names, ", ")
}

// nearest is the most similar one of names: equal except for case and punctuation, with
// at most one letter in three wrong, or beginning with name. It is "" if there is none.
func nearest(name string, names []string) (near string) {
	letters := func(name string) []rune {
		return slices.DeleteFunc([]rune(strings.ToLower(name)), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		})
	}
	given := letters(name)
	best := max(1, len(given)/3) + 1
	for _, candidate := range names {
		whole := letters(candidate)
		if d := search.Distance(given, whole, best); d < best {
			near, best = candidate, d
		} else if near == "" && len(given) > 2 && strings.HasPrefix(string(whole), string(given)) {
			near = candidate
		}
	}
	return near
}

// brief is the beginning of a name, which may be very long.
func brief(name string) string {
	const most = 64
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return name
}

// noTime is the message for a value that is not a time.
const noTime = "must be a day, as 2026-03-31, or an instant, as 2026-03-31T12:00:00Z"

// dayOrInstant is a time as callers write it; a day is its beginning in UTC.
func dayOrInstant(text string) (at time.Time, ok bool) {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		at, err = time.Parse(time.RFC3339, text)
	}
	return at, err == nil
}

// asked is a request with a rewritten query.
type asked struct {
	humaContext
	address url.URL
}

// Unwrap returns the original request.
func (r asked) Unwrap() huma.Context { return r.humaContext }

// URL has the rewritten query.
func (r asked) URL() url.URL { return r.address }

// Query is a parameter of the rewritten query.
func (r asked) Query(name string) string { return r.address.Query().Get(name) }
