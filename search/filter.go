package search

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// sentenceAttributes is where Meilisearch has the fields of a sentence and what a
// sentence repeats of its file.
var sentenceAttributes = map[query.Field]string{
	query.File:           "fileId",
	query.Status:         "status",
	query.DocumentType:   "documentTypeId",
	query.Matter:         "matterId",
	query.LifecycleStage: "lifecycleStage",
	query.Language:       "language",
	query.CreatedAt:      "createdAt",

	query.Label:       "label",
	query.LabelSource: "labelSource",
	query.LabelScore:  "labelScore",
	query.Page:        "page",
}

// fileAttributes is where it has the fields that only the documents of files have.
// Attributes of contracts are in valuesOf by their key.
var fileAttributes = map[query.Field]string{
	query.ErrorCode:          "errorCode",
	query.DocumentTypeSource: "documentTypeSource",
	query.FileSource:         "source",
	query.ContentType:        "contentType",
	query.PageCount:          "pageCount",
	query.Size:               "size",
	query.Party:              "party",
	query.Counterparty:       "counterparty",
	query.CreatedBy:          "createdBy",
	query.HasOCR:             "hasOcr",
	query.Duplicate:          "duplicate",
}

const valuesOf = "attributes"

// attribute is where documents of a kind have a field, "" where they do not. None
// has parts of words, times that change with every step of the work, and matters.
func attribute(kind string, f query.Field) string {
	if kind == kindFile {
		if d, ok := query.Lookup(f); ok && d.Key != "" {
			return valuesOf + "." + d.Key
		}
		if a, ok := fileAttributes[f]; ok {
			return a
		}
	}
	return sentenceAttributes[f]
}

// indexed reports whether the index has what a condition on a field that it has compares:
// of attributes that are words, not their parts, nor the sums that some are. It compares no two fields.
func indexed(c query.Filter) bool {
	d, _ := query.Lookup(c.Field)
	return c.Than == "" && (d.Key == "" || d.Kind != query.Enum || c.Op == query.In || c.Op == query.NotIn || c.Op == query.Exists || c.Op == query.Missing)
}

// mostNamed is how many files a condition may name that the index does not have.
const mostNamed = Window

// listed is filter for a list of files, which are asked as a whole: in place of
// what one sentence alone cannot show it has the files.
func (m *Meili) listed(ctx context.Context, in db.Scope, filter Filter) (Filter, error) {
	files, sentences := filter.Split()
	if parts := sentences.Parts(); len(parts) == 0 || len(parts) == 1 && parts[0].Asserts() {
		return filter, nil
	}
	ids, err := m.filesWith(ctx, in, sentences)
	return Filter{Where: query.And(files, query.Is(query.File, ids...))}, err
}

// filesWith are the files that a condition lets through. It is Unavailable where
// they are too many.
func (m *Meili) filesWith(ctx context.Context, in db.Scope, condition query.Filter) ([]string, error) {
	ids, err := m.db.FileIDs(ctx, in, db.FileFilter{Where: condition}, mostNamed+1)
	if err == nil && len(ids) > mostNamed {
		err = errFilter
	}
	return ids, err
}

// errFilter and errBeyond mean that another engine has to be asked. They do not count
// as failures of this one.
var (
	errFilter = fault.New(fault.Unavailable, "the search engine cannot answer this filter")
	errBeyond = fault.New(fault.Unavailable, "the search engine cannot answer this expression")
)

// narrowed is filter for documents of a kind. Conditions on fields that these do not
// have become conditions on file ids, read from the database; and files that were
// deleted since they were indexed are excluded. It is Unavailable where that is about
// too many files.
func (m *Meili) narrowed(ctx context.Context, in db.Scope, kind string, filter Filter) (Filter, error) {
	if kind != kindFile && filter.Tree().PairsLabels() {
		return Filter{}, errFilter // the index has all labels of a sentence, but the score of the first only
	}
	where, err := m.told(ctx, in, kind, filter.Tree())
	if err != nil {
		return Filter{}, err
	}
	gone, err := m.db.Vanished(ctx, in, mostNamed+1)
	switch {
	case err != nil:
		return Filter{}, err
	case len(gone) > mostNamed:
		return Filter{}, errFilter
	case len(gone) > 0:
		named := query.Is(query.File, gone...)
		where = query.And(where, query.Filter{Not: &named})
	}
	return Filter{Where: where}, nil
}

// told is condition in terms of the fields that documents of a kind have. The rest is
// read from the database, with as few queries as possible.
func (m *Meili) told(ctx context.Context, in db.Scope, kind string, condition query.Filter) (query.Filter, error) {
	lacking := func(f query.Filter) bool {
		return f.Has(func(c query.Filter) bool { return attribute(kind, c.Field) == "" || !indexed(c) })
	}
	each := func(list []query.Filter, join func([]query.Filter) query.Filter) (query.Filter, error) {
		var parts, asked []query.Filter
		for _, part := range list {
			if lacking(part) && !part.UsesOf(query.Sentences) {
				asked = append(asked, part)
				continue
			}
			part, err := m.told(ctx, in, kind, part)
			if err != nil {
				return query.Filter{}, err
			}
			parts = append(parts, part)
		}
		if len(asked) > 0 {
			named, err := m.byName(ctx, in, join(asked))
			if err != nil {
				return query.Filter{}, err
			}
			parts = append(parts, named)
		}
		return join(parts), nil
	}
	switch {
	case !lacking(condition):
		return condition, nil
	case condition.All != nil:
		return each(condition.All, func(list []query.Filter) query.Filter { return query.Filter{All: list} })
	case condition.Any != nil:
		return each(condition.Any, func(list []query.Filter) query.Filter { return query.Filter{Any: list} })
	case condition.Not != nil:
		inner, err := m.told(ctx, in, kind, *condition.Not)
		return query.Filter{Not: &inner}, err
	case condition.UsesOf(query.Sentences):
		return query.Filter{}, errFilter
	}
	return m.byName(ctx, in, condition)
}

// byName is condition with its files by their ids: those that it lets through, or
// those that it does not where these are fewer.
func (m *Meili) byName(ctx context.Context, in db.Scope, condition query.Filter) (query.Filter, error) {
	ids, err := m.filesWith(ctx, in, condition)
	if !errors.Is(err, errFilter) {
		return query.Is(query.File, ids...), err
	}
	ids, err = m.filesWith(ctx, in, query.Filter{Not: &condition})
	return query.Filter{Field: query.File, Op: query.NotIn, Values: ids}, err
}

// meiliFilter renders a filter for documents of a kind. A file has nothing of
// what sentences are asked.
func meiliFilter(kind string, f Filter) (string, error) {
	filter := f.Tree()
	if kind == kindFile {
		filter, _ = f.Split()
	}
	condition, err := filter.Render(meiliDialect{kind})
	if err != nil || condition == "" {
		return equal("kind", kind), err
	}
	return both(equal("kind", kind), condition), nil
}

// meiliDialect writes conditions on documents of a kind for Meilisearch.
type meiliDialect struct{ kind string }

// Not holds of what a condition does not hold of.
func (meiliDialect) Not(condition string) string { return "(NOT " + condition + ")" }

var meiliComparisons = map[query.Op]string{query.AtLeast: ">=", query.AtMost: "<=", query.Above: ">", query.Below: "<"}

// Compare is a condition on a field.
func (l meiliDialect) Compare(c query.Comparison) string {
	field := attribute(l.kind, c.Field)
	switch {
	case c.Op == query.Exists:
		return fmt.Sprintf("(%s EXISTS AND %[1]s IS NOT NULL AND %[1]s IS NOT EMPTY)", field)
	case c.Op == query.Missing:
		c.Op = query.Exists
		return l.Not(l.Compare(c))
	case c.Op == query.NotIn:
		c.Op = query.In
		return l.Not(l.Compare(c))
	case c.Kind == query.Boolean:
		return field + " = " + strconv.FormatBool(c.Yes)
	case c.Kind == query.Number && c.Op == query.In:
		list := make([]string, len(c.Numbers))
		for i, n := range c.Numbers {
			list[i] = number(c.Field, n)
		}
		return field + " IN [" + strings.Join(list, ", ") + "]"
	case c.Kind == query.Number:
		return field + " " + meiliComparisons[c.Op] + " " + number(c.Field, c.Numbers[0])
	case c.Kind == query.Date:
		return fmt.Sprintf("%s %s %.6f", field, meiliComparisons[c.Op], seconds(c.Time))
	default:
		return among(field, c.Texts)
	}
}

// number writes n in full, as the server reads numbers, and no finer than it has
// those of the field: scores are of single precision.
func number(field query.Field, n float64) string {
	if field == query.LabelScore {
		return strconv.FormatFloat(n, 'f', -1, 32)
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }
