package e2e_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/query"
)

// valued is a value of a file, and how it is written.
type valued struct {
	value any // string, float64, time.Time or bool
	words string
}

// field is what a file can be filtered by.
type field struct {
	id    string
	kind  query.Kind
	scope string
	multi bool
	read  func(r *rows, f *fileRow) []valued
}

// written is a word as it is, of which there may be none.
func written(words ...string) (list []valued) {
	for _, w := range words {
		if w != "" {
			list = append(list, valued{w, w})
		}
	}
	return list
}

// folded are words that are the same in any case and with any accents.
func folded(words ...string) (list []valued) {
	for _, w := range words {
		if key := plainly(w); key != "" {
			list = append(list, valued{key, w})
		}
	}
	return list
}

// roles are what a file calls those of its parties that are counterparties, or are not.
func (f *fileRow) roles(counterparties bool) (list []valued) {
	for _, p := range f.Parties {
		is := slices.ContainsFunc(f.Counterparties, func(c string) bool { return plainly(c) == plainly(p.Name) })
		if p.Role != "" && is == counterparties {
			list = append(list, folded(p.Role)...)
		}
	}
	return list
}

// plainly is a word in small letters without accents, with single spaces.
func plainly(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
	return norm.NFC.String(strings.Join(strings.Fields(s), " "))
}

// named is an id with the name of what it stands for.
func named(id *string, name func(id string) string) []valued {
	if id == nil {
		return nil
	}
	return []valued{{*id, name(*id)}}
}

func number[N int | int64 | float64](n N) []valued { return []valued{{value: float64(n)}} }

// fields are all that there are, but for the attributes of files.
func fields() []field {
	file := func(id string, kind query.Kind, read func(r *rows, f *fileRow) []valued) field {
		return field{id, kind, "file", false, read}
	}
	many := func(f field) field { f.multi = true; return f }
	sentence := func(id string, kind query.Kind, read func(s sentenceRow) []valued) field {
		return field{id, kind, "sentence", true, func(_ *rows, f *fileRow) []valued {
			list, known := f.said[id]
			if !known {
				for _, s := range f.sentences {
					for _, v := range read(s) {
						if !slices.Contains(list, v) {
							list = append(list, v)
						}
					}
				}
				f.said[id] = list
			}
			return list
		}}
	}
	matter := func(id string, kind query.Kind, read func(r *rows, m matterRow) []valued) field {
		return field{id, kind, "matter", false, func(r *rows, f *fileRow) []valued {
			if f.MatterID == nil {
				return nil
			}
			return read(r, r.matters[*f.MatterID])
		}}
	}
	user := func(r *rows) func(string) string { return func(id string) string { return r.users[id] } }
	return []field{
		file("documentType", query.Enum, func(r *rows, f *fileRow) []valued { return named(f.TypeID, r.typeName) }),
		file("status", query.Enum, func(_ *rows, f *fileRow) []valued { return written(f.Status) }),
		file("lifecycleStage", query.Enum, func(_ *rows, f *fileRow) []valued { return written(f.Stage) }),
		file("matter", query.Enum, func(r *rows, f *fileRow) []valued {
			return named(f.MatterID, func(id string) string { return r.matters[id].Name })
		}),
		many(file("party", query.Enum, func(_ *rows, f *fileRow) (list []valued) {
			for _, p := range f.Parties {
				list = append(list, folded(p.Name)...)
			}
			return list
		})),
		many(file("counterparty", query.Enum, func(_ *rows, f *fileRow) []valued { return folded(f.Counterparties...) })),
		many(file("partyRole", query.Enum, func(_ *rows, f *fileRow) (list []valued) {
			for _, p := range f.Parties {
				if p.Role != "" {
					list = append(list, folded(p.Name+" ("+p.Role+")")...)
				}
			}
			return list
		})),
		many(file("ourRole", query.Enum, func(_ *rows, f *fileRow) []valued {
			if len(f.Counterparties) == 0 {
				return nil
			}
			return f.roles(false)
		})),
		many(file("counterpartyRole", query.Enum, func(_ *rows, f *fileRow) []valued { return f.roles(true) })),
		file("language", query.Enum, func(_ *rows, f *fileRow) []valued { return written(f.Language) }),
		file("source", query.Enum, func(_ *rows, f *fileRow) []valued { return written(f.Source) }),
		file("contentType", query.Enum, func(_ *rows, f *fileRow) []valued { return written(f.ContentType) }),
		file("errorCode", query.Enum, func(_ *rows, f *fileRow) []valued { return written(word(f.ErrorCode)) }),
		file("documentTypeSource", query.Enum, func(_ *rows, f *fileRow) []valued { return written(word(f.TypeSource)) }),
		file("createdBy", query.Enum, func(r *rows, f *fileRow) []valued { return named(f.CreatedBy, user(r)) }),
		file("name", query.Text, func(_ *rows, f *fileRow) []valued { return written(f.Name) }),
		// Nothing here has a folder or stands in a category.
		file("path", query.Text, func(*rows, *fileRow) []valued { return nil }),
		many(file("category", query.Enum, func(*rows, *fileRow) []valued { return nil })),
		many(matter("matterCategory", query.Enum, func(*rows, matterRow) []valued { return nil })),
		file("pageCount", query.Number, func(_ *rows, f *fileRow) []valued { return number(f.Pages) }),
		file("size", query.Number, func(_ *rows, f *fileRow) []valued { return number(f.Size) }),
		file("createdAt", query.Date, func(_ *rows, f *fileRow) []valued { return []valued{{value: f.CreatedAt}} }),
		file("updatedAt", query.Date, func(_ *rows, f *fileRow) []valued { return []valued{{value: f.ChangedAt}} }),
		file("hasOcr", query.Boolean, func(_ *rows, f *fileRow) []valued { return []valued{{value: f.RecognisedPage > 0}} }),
		file("duplicate", query.Boolean, func(_ *rows, f *fileRow) []valued { return []valued{{value: f.DuplicateOf != nil}} }),
		file("needsReview", query.Boolean, func(_ *rows, f *fileRow) []valued {
			return []valued{{value: slices.ContainsFunc(f.attributes, func(a attributeRow) bool { return a.Source != "human" && a.Confidence < nlp.DoubtfulFact })}}
		}),

		sentence("label", query.Enum, func(s sentenceRow) (list []valued) {
			for _, one := range s.each() {
				list = append(list, written(*one.Label)...)
			}
			return list
		}),
		sentence("labelSource", query.Enum, func(s sentenceRow) []valued { return written(word(s.Source)) }),
		sentence("labelScore", query.Number, func(s sentenceRow) []valued {
			if s.Score == nil {
				return nil
			}
			return number(float64(*s.Score))
		}),
		sentence("page", query.Number, func(s sentenceRow) []valued { return number(s.Page) }),

		matter("matterName", query.Text, func(_ *rows, m matterRow) []valued { return written(m.Name) }),
		matter("matterStage", query.Enum, func(_ *rows, m matterRow) []valued { return written(m.Stage) }),
		matter("matterStatus", query.Enum, func(_ *rows, m matterRow) []valued { return written(m.Status) }),
		matter("matterSource", query.Enum, func(_ *rows, m matterRow) []valued { return written(plainly(m.Source)) }),
		matter("matterOwner", query.Enum, func(r *rows, m matterRow) []valued { return named(m.OwnerID, user(r)) }),
		many(matter("matterParty", query.Enum, func(_ *rows, m matterRow) (list []valued) {
			for _, p := range m.Parties {
				list = append(list, written(plainly(p.Name))...)
			}
			return list
		})),
		many(matter("matterCounterparty", query.Enum, func(_ *rows, m matterRow) (list []valued) {
			for _, name := range m.Counterparties {
				list = append(list, written(plainly(name))...)
			}
			return list
		})),
		matter("matterDueAt", query.Date, func(_ *rows, m matterRow) []valued {
			if m.DueAt == nil {
				return nil
			}
			return []valued{{value: *m.DueAt}}
		}),
		matter("matterCreatedAt", query.Date, func(_ *rows, m matterRow) []valued { return []valued{{value: m.CreatedAt}} }),
	}
}

func (r *rows) typeName(id string) string {
	for _, t := range r.types {
		if t.ID == id {
			return t.Name
		}
	}
	return ""
}

// attributeField is the field of an attribute of files: a day, a number of days or
// of a currency's unit, or words.
func attributeField(key string) field {
	kind := query.Enum
	switch {
	case strings.HasSuffix(key, "_date"):
		kind = query.Date
	case strings.HasSuffix(key, "_term"), strings.HasSuffix(key, "_period"), strings.HasSuffix(key, "_value"), strings.HasSuffix(key, "_amount"):
		kind = query.Number
	}
	return field{"attribute." + key, kind, "file", true, func(_ *rows, f *fileRow) (list []valued) {
		for _, a := range f.attributes {
			if a.Key != key {
				continue
			}
			switch v, ok := a.Normalized.Date, false; kind {
			case query.Date:
				day := time.Time{}
				for _, layout := range []string{"2006", "2006-01", time.DateOnly} {
					if at, err := time.Parse(layout, v); err == nil {
						day, ok = at, true
					}
				}
				if ok {
					list = append(list, valued{value: day})
				}
			case query.Number:
				if n, ok := magnitude(a.Normal); ok {
					list = append(list, number(n)...)
				}
			case query.Enum, query.Text, query.Boolean:
				list = append(list, valued{a.Normal, a.shown()})
			}
		}
		return list
	}}
}

// magnitude is how many days or units a value is.
func magnitude(normal string) (float64, bool) {
	amount, _, _ := strings.Cut(normal, " ")
	if n, err := strconv.ParseFloat(amount, 64); err == nil {
		return n, true
	}
	var n float64
	var unit string
	if _, err := fmt.Sscanf(normal, "p%f%s", &n, &unit); err != nil {
		return 0, false
	}
	days, ok := map[string]float64{"d": 1, "w": 7, "m": 365.0 / 12, "y": 365}[unit]
	return math.Round(100*n*days) / 100, ok
}

// attributeKeysOf are the keys of what files say of themselves, those of most
// files first.
func attributeKeysOf(files []*fileRow) []string {
	n := map[string]int{}
	for key, said := range sayings(files) {
		ids := map[string]bool{}
		for _, s := range said {
			for id := range s.files {
				ids[id] = true
			}
		}
		n[key] = len(ids)
	}
	return byFrequency(n)
}

// allFields are those of files and of whatever files say of themselves.
func (r *rows) allFields() []field {
	var list []field
	for _, key := range attributeKeysOf(r.files) {
		list = append(list, attributeField(key))
	}
	return append(list, fields()...)
}

func (r *rows) field(id query.Field) field {
	if key, ok := strings.CutPrefix(string(id), "attribute."); ok {
		return attributeField(key)
	}
	all := fields()
	return all[slices.IndexFunc(all, func(f field) bool { return f.id == string(id) })]
}

// holds reports whether a condition holds of a file.
func (c *corpus) holds(q query.Filter, f *fileRow) bool {
	switch {
	case q.All != nil:
		return !slices.ContainsFunc(q.All, func(part query.Filter) bool { return !c.holds(part, f) })
	case q.Any != nil:
		return slices.ContainsFunc(q.Any, func(part query.Filter) bool { return c.holds(part, f) })
	case q.Not != nil:
		return !c.holds(*q.Not, f)
	case q.Field == "":
		return true
	}
	what := c.rows.field(q.Field)
	own := what.read(c.rows, f)
	if what.kind == query.Enum && compares(q.Op) { // the sums among words
		words := own
		own = nil
		for _, v := range words {
			if n, ok := magnitude(v.value.(string)); ok && !strings.HasPrefix(v.value.(string), "p") {
				own = append(own, number(n)...)
			}
		}
	}
	one := func(is func(v any) bool) bool {
		return slices.ContainsFunc(own, func(v valued) bool { return is(v.value) })
	}
	switch q.Op { //nolint:exhaustive // Matches is of texts alone, which are asked for by searches
	case query.Exists:
		return len(own) > 0
	case query.Missing:
		return len(own) == 0
	case query.NotIn:
		q.Op = query.In
		return !c.holds(q, f)
	case query.Contains:
		if what.kind == query.Enum { // words, from the beginning of one
			words := func(text string) string {
				return " " + strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(query.Punctuation, r) }), " ")
			}
			return one(func(v any) bool { return strings.Contains(words(v.(string)), words(q.Values[0])) })
		}
		return one(func(v any) bool { return strings.Contains(strings.ToLower(v.(string)), strings.ToLower(q.Values[0])) })
	case query.StartsWith:
		return one(func(v any) bool { return strings.HasPrefix(strings.ToLower(v.(string)), strings.ToLower(q.Values[0])) })
	case query.In:
		return one(func(v any) bool {
			return slices.ContainsFunc(q.Values, func(o string) bool { return c.compare(what, v, o) == 0 })
		})
	case query.AtLeast:
		return one(func(v any) bool { return c.compare(what, v, q.Values[0]) >= 0 })
	case query.AtMost:
		return one(func(v any) bool { return c.compare(what, v, q.Values[0]) <= 0 })
	case query.Above:
		return one(func(v any) bool { return c.compare(what, v, q.Values[0]) > 0 })
	case query.Below:
		return one(func(v any) bool { return c.compare(what, v, q.Values[0]) < 0 })
	}
	require.FailNow(c.t, "no such operator", q.Op)
	return false
}

// compares reports whether op compares numbers or days.
func compares(op query.Op) bool {
	return slices.Contains([]query.Op{query.AtLeast, query.AtMost, query.Above, query.Below}, op)
}

// compare orders a value by another that is written. An instant of a day is that
// day.
func (c *corpus) compare(what field, v any, other string) int {
	c.t.Helper()
	switch v := v.(type) {
	case bool:
		if strconv.FormatBool(v) == other {
			return 0
		}
		return 1
	case float64:
		n, err := strconv.ParseFloat(other, 64)
		require.NoError(c.t, err)
		if what.id == "labelScore" {
			n = float64(float32(n))
		}
		switch {
		case v < n:
			return -1
		case v > n:
			return 1
		}
		return 0
	case time.Time:
		if day, err := time.Parse(time.DateOnly, other); err == nil {
			return v.UTC().Truncate(24 * time.Hour).Compare(day)
		}
		at, err := time.Parse(time.RFC3339Nano, other)
		require.NoError(c.t, err)
		return v.Compare(at)
	default:
		return strings.Compare(plainly(v.(string)), plainly(other))
	}
}
