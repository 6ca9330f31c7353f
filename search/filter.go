package search

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// fieldAttributes is where Meilisearch has each field. Attributes of files are
// in fileAttributes by their key.
var fieldAttributes = map[query.Field]string{
	query.File:               "fileId",
	query.Status:             "status",
	query.ErrorCode:          "errorCode",
	query.DocumentType:       "documentTypeId",
	query.DocumentTypeSource: "documentTypeSource",
	query.Matter:             "matterId",
	query.LifecycleStage:     "lifecycleStage",
	query.Language:           "language",
	query.FileSource:         "source",
	query.ContentType:        "contentType",
	query.PageCount:          "pageCount",
	query.Size:               "size",
	query.Party:              "party",
	query.Counterparty:       "counterparty",
	query.CreatedBy:          "createdBy",
	query.CreatedAt:          "createdAt",
	query.HasOCR:             "hasOcr",
	query.Duplicate:          "duplicate",

	query.Sentence:    "id",
	query.Label:       "label",
	query.LabelSource: "labelSource",
	query.LabelScore:  "labelScore",
	query.Page:        "page",
}

const fileAttributes = "attributes"

// indexed reports whether the index has a field. It has none of parts of words,
// of times that change with every step of the work, and of matters: what is
// asked about those the database finds the files of.
func indexed(f query.Field) bool {
	d, ok := query.Lookup(f)
	return ok && (d.Key != "" || fieldAttributes[f] != "")
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
		err = fault.New(fault.Unavailable, "the search engine cannot answer this filter")
	}
	return ids, err
}

// narrowed is filter with the files in place of the conditions that the index
// does not have. It is Unavailable where those are too many, or conditions on
// sentences are mixed in.
func (m *Meili) narrowed(ctx context.Context, in db.Scope, filter Filter) (Filter, error) {
	var kept, asked []query.Filter
	for _, part := range filter.Tree().Parts() {
		there := true
		for _, f := range part.Uses() {
			there = there && indexed(f)
		}
		switch {
		case there:
			kept = append(kept, part)
		case part.UsesOf(query.Sentences):
			return filter, fault.New(fault.Unavailable, "the search engine cannot answer this filter")
		default:
			asked = append(asked, part)
		}
	}
	if len(asked) == 0 {
		return filter, nil
	}
	ids, err := m.filesWith(ctx, in, query.And(asked...))
	return Filter{Where: query.And(append(kept, query.Is(query.File, ids...))...)}, err
}

// meiliFilter renders a filter for documents of a kind. A file has nothing of
// what sentences are asked.
func meiliFilter(kind string, f Filter) (string, error) {
	filter := f.Tree()
	if kind == kindFile {
		filter, _ = f.Split()
	}
	condition, err := filter.Render(meiliDialect{})
	if err != nil || condition == "" {
		return equal("kind", kind), err
	}
	return and(equal("kind", kind), condition), nil
}

// meiliDialect writes conditions for Meilisearch.
type meiliDialect struct{}

// Not holds of what a condition does not hold of.
func (meiliDialect) Not(condition string) string { return "(NOT " + condition + ")" }

var meiliComparisons = map[query.Op]string{query.AtLeast: ">=", query.AtMost: "<=", query.Above: ">", query.Below: "<"}

// Compare is a condition on a field.
func (l meiliDialect) Compare(c query.Comparison) string {
	field := fieldAttributes[c.Field]
	if c.Key != "" {
		field = fileAttributes + "." + c.Key
	}
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
