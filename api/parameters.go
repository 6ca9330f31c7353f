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

// foreignKey marks, in an operation's metadata, one that others than our callers
// write the query of.
const foreignKey = "foreign"

// foreign lets an operation be called with parameters that it does not know.
func foreign(op *huma.Operation) {
	op.Metadata = map[string]any{foreignKey: true}
}

// meant refuses a query that would not be read as it is meant: one that cannot be
// read to its end, a parameter that the operation does not have, one that is
// empty where something is needed, two values where one is taken, and what cannot
// be an id or a time where one is asked for. Of lists, whose values come in commas
// or as often as the parameter is given, it makes the first, and of days instants.
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

// parameter is the one of op's query that is called name, nil where there is
// none.
func parameter(op *huma.Operation, name string) *huma.Param {
	for _, p := range op.Parameters {
		if p.In == "query" && p.Name == name {
			return p
		}
	}
	return nil
}

// read is the one value that the values of a parameter of s come to, or what is
// wrong with them.
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

// needed reports whether a parameter of s says nothing when it is empty. Others
// are as good as absent then.
func needed(s *huma.Schema) bool {
	return s.MinLength != nil && *s.MinLength > 0
}

// couldBe is false where s asks for an id or a list of ids and value has something
// that is none. A list would be empty then, and whoever mistook a name for an id
// take that for the answer.
func couldBe(s *huma.Schema, value string) bool {
	switch {
	case value == "":
		return true
	case s.Type == huma.TypeArray && s.Items.Format == "uuid":
		return !slices.ContainsFunc(strings.Split(value, ","), func(id string) bool { return !isID(id) })
	}
	return s.Format != "uuid" || isID(value)
}

// unknown says what is wrong with a parameter that op does not have: most often
// that it is called a little differently.
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

// nearest is the one of names that is most likely meant by name: the same but for
// case and punctuation, with a letter in three wrong, or one that begins with it.
// It is "" where none is.
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

// brief is the beginning of a name that may be anything.
func brief(name string) string {
	const most = 64
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return name
}

// noTime says how times are written.
const noTime = "must be a day, as 2026-03-31, or an instant, as 2026-03-31T12:00:00Z"

// dayOrInstant is a time as callers write it; a day is its beginning in UTC.
func dayOrInstant(text string) (at time.Time, ok bool) {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		at, err = time.Parse(time.RFC3339, text)
	}
	return at, err == nil
}

// asked is a request with another query.
type asked struct {
	humaContext
	address url.URL
}

// Unwrap is the request as it came.
func (r asked) Unwrap() huma.Context { return r.humaContext }

// URL has the other query.
func (r asked) URL() url.URL { return r.address }

// Query is a parameter of the other query.
func (r asked) Query(name string) string { return r.address.Query().Get(name) }
