package api

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/corpus"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/query"
)

// filters serves the filters for files: section 4.2 of the specification, except
// those for files of matters.
func (a *API) filters() {
	const use = " `filter` takes conditions on these fields in the lists of files and of sentences, in bulk operations, in both searches and in widgets."
	const counts = " Counts are of files that the caller can see, that are in the corpus and that match the `filter` in the request. Conditions of that `filter` on a field do not narrow the options of the field itself."
	session := a.area("Filters", withSession)
	post(session, "/api/documents/{id}/get-filters", "getDocumentFilters", "List filters for a document, with options", scheduled(a, a.getDocumentFilters), describe(
		"Lists the filters for a corpus, each with its most frequent options. `id` is that of a document type, or of a file: the corpus is then that of `POST /api/files/{fileId}/get-filters`."+use+counts))
	post(session, "/api/files/{fileId}/get-filters", "getFileFilters", "List filters for a file, with options", scheduled(a, a.getFileFilters), describe(
		"Lists the filters for the files of the file's document type, or of the team where it has none, each with its most frequent options. `ofFile` marks the options that the file itself has."+use+counts))
	get(session, "/api/files/{fileId}/get-filters-ai", "getFactFilters", "List filters filled in from what a file states", scheduled(a, a.getFactFilters), describe(
		"Lists conditions that this file and others match, made of its document type, attributes and clauses. Where no other file has the same day or number, the condition is for the same year, or for numbers that are a quarter more or less at most. Each has the places in the file that it was extracted from, and the number of the team's files that match it."+use))
	get(session, "/api/files/{fileId}/get-filters-recommended", "getRecommendedFilters", "List the filters that best split the files like this one", scheduled(a, a.getRecommendedFilters), describe(
		"Lists the values of this file that best split the corpus, at most 12: its type, law, parties, clauses and other values, the years of its dates and the ranges of its numbers. The corpus is the files of its document type. It is all files of the team where the file has no type, or where none of its values splits those of the type, as for the only file of a type. "+
			"`corpus` shows which of the two it is. `gain` is the information gain in bits. "+
			"Filters that the team uses in saved searches come before similar ones."+use))
	post(session, "/api/files/{fileId}/list-filters", "listFilters", "List filters for a file, without options", a.listFilters, describe(
		"Lists every field with its operators, fields of sentences and of matters included. A condition on sentences matches a file if it matches any of its sentences."+use))
	post(session, "/api/files/{fileId}/filters/{id}/options", "listFilterOptions", "List the options of a filter", scheduled(a, a.listOptions), describe(
		"Lists the options of a filter, those with most files first. `query` narrows them to labels that contain it."+counts))
	get(session, "/api/attributes/file-level/keys", "listAttributeKeys", "List the attribute keys that files have", scheduled(a, a.listAttributeKeys), describe(
		"Lists the attributes that files of the team have values for, most frequent first. `field` is the id of the filter."))
	get(session, "/api/attributes/file-level/values", "listAttributeValues", "List the values of an attribute key", scheduled(a, a.listAttributeValues), describe(
		"Lists the values of an attribute with the number of files, those with most files first. `value` can be used in a condition."))
}

// FieldFilter is a field that files can be filtered by.
type FieldFilter struct {
	ID        string         `json:"id" doc:"The field, as used in conditions"`
	Key       string         `json:"key" doc:"The field without the prefix attribute."`
	Label     string         `json:"label" doc:"Display name"`
	Kind      query.Kind     `json:"kind" enum:"enum,text,number,date,boolean"`
	Scope     string         `json:"scope" enum:"file,sentence,matter" doc:"What the value belongs to. A condition on sentences matches a file if it matches any of its sentences"`
	Multi     bool           `json:"multi" doc:"Whether a file may have several values"`
	Operators []query.Op     `json:"operators" nullable:"false"`
	Options   []FilterOption `json:"options,omitempty" nullable:"false" doc:"The most frequent values; absent where they were not requested, and for texts, numbers and dates"`
	Total     *int           `json:"total,omitempty" doc:"Number of different values, not only those in options"`
	Range     *ValueRange    `json:"range,omitempty" doc:"Only for numbers and dates"`
}

// FilterOption is a value that files have.
type FilterOption struct {
	Value  string `json:"value" doc:"The value, as used in conditions"`
	Label  string `json:"label" doc:"Display name"`
	Count  int    `json:"count" doc:"Number of files that have it"`
	OfFile bool   `json:"ofFile,omitempty" doc:"true if the file itself has it"`
}

// ValueRange is the range of numbers or dates.
type ValueRange struct {
	Min   *string `json:"min"`
	Max   *string `json:"max"`
	Count int     `json:"count" doc:"Number of files that have a value"`
}

func newFieldFilter(d query.Definition) FieldFilter {
	f := FieldFilter{
		ID: string(d.Field), Key: cmp.Or(d.Key, d.Member, string(d.Field)), Label: d.Label, Kind: d.Kind, Scope: "file",
		Multi: d.Many || d.Of == query.Sentences, Operators: d.Operators(),
	}
	switch d.Of { //nolint:exhaustive // files are not asked about the others
	case query.Sentences:
		f.Scope = "sentence"
	case query.Matters:
		f.Scope = "matter"
	}
	return f
}

func newFilterOption(o db.Option) FilterOption {
	return FilterOption{Value: o.Value, Label: o.Label, Count: o.Files}
}

// Corpus is the files that options are counted in.
type Corpus struct {
	Filter query.Filter `json:"filter" doc:"The condition for files in the corpus; an empty one means all files of the team"`
	Files  int          `json:"files" doc:"Number of files in the corpus that match the filter in the request"`
}

// Filters are fields with their options in a corpus.
type Filters struct {
	Items  []FieldFilter `json:"items" nullable:"false"`
	Corpus Corpus        `json:"corpus"`
}

// FilterQuestion is the request for options under a selection.
type FilterQuestion struct {
	Filter *query.Filter `json:"filter,omitempty" doc:"Only files that match this condition are counted"`
	Limit  int           `json:"limit,omitempty" minimum:"1" maximum:"100" default:"20" doc:"Maximum number of options for each filter"`
}

// corpusOf is the condition for the files of a document type, or all.
func corpusOf(typeID *string) query.Filter {
	if typeID == nil {
		return query.Filter{}
	}
	return query.Is(query.DocumentType, *typeID)
}

func (a *API) getDocumentFilters(ctx context.Context, in *struct {
	ID   string `path:"id" format:"uuid" doc:"Id of a document type or of a file"`
	Body *FilterQuestion
}) (Filters, error) {
	err := a.DB.NeedDocumentType(ctx, auth.Scope(ctx), in.ID)
	if fault.KindOf(err) == fault.NotFound {
		return a.getFileFilters(ctx, &fileFiltersRequest{FileRef{in.ID}, in.Body})
	}
	if err != nil {
		return Filters{}, err
	}
	return a.corpusFilters(ctx, corpusOf(&in.ID), "", in.Body)
}

type fileFiltersRequest struct {
	FileRef
	Body *FilterQuestion
}

func (a *API) getFileFilters(ctx context.Context, in *fileFiltersRequest) (Filters, error) {
	row, err := a.DB.File(ctx, auth.Scope(ctx), in.FileID)
	if err != nil {
		return Filters{}, err
	}
	return a.corpusFilters(ctx, corpusOf(row.DocumentTypeID), row.ID, in.Body)
}

// corpusFilters lists the filters that have values in a corpus, and marks the options
// that a file of it has.
func (a *API) corpusFilters(ctx context.Context, within query.Filter, fileID string, question *FilterQuestion) (Filters, error) {
	asked := orNothing(question)
	asked.Limit = cmp.Or(asked.Limit, 20) // the default without a body
	selection := query.Filter{}
	if asked.Filter != nil {
		var err error
		if selection, err = checked(ctx, a.DB.Queries, *asked.Filter, query.Files, "body.filter"); err != nil {
			return Filters{}, err
		}
	}
	out := Filters{Corpus: Corpus{Filter: within}}
	err := a.DB.Facets(ctx, auth.Scope(ctx), queryPatience, func(f db.Facets) (err error) {
		if out.Corpus.Files, err = f.Count(ctx, query.And(within, selection)); err != nil {
			return err
		}
		out.Items, err = filled(ctx, f, within, selection, fileID, asked.Limit)
		return err
	})
	return out, err
}

// filled are the filters that have values in a corpus under a selection.
func filled(ctx context.Context, f db.Facets, within, selection query.Filter, fileID string, limit int) ([]FieldFilter, error) {
	together, err := f.AttributeOptions(ctx, query.And(within, selection), limit)
	if err != nil {
		return nil, err
	}
	fields, err := offered(ctx, f)
	if err != nil {
		return nil, err
	}
	all := []FieldFilter{}
	for _, d := range fields {
		filter, err := fill(ctx, f, d, within, selection, together, limit)
		if err != nil {
			return nil, err
		}
		if filter.Range == nil && len(filter.Options) == 0 {
			continue
		}
		if err := filter.mark(ctx, f, d, fileID); err != nil {
			return nil, err
		}
		all = append(all, filter)
	}
	return all, nil
}

// offered are the fields that files can be filtered by, with the attributes that they
// have. Ids of files and sentences are left out, since nobody chooses them.
func offered(ctx context.Context, f db.Facets) ([]query.Definition, error) {
	fields := slices.DeleteFunc(query.Fields(query.Files), func(d query.Definition) bool {
		return d.Field == query.File || d.Field == query.Sentence
	})
	attributes, err := f.AttributeFields(ctx, maxAttributeFields)
	if err != nil {
		return nil, err
	}
	declared, err := f.MetadataFields(ctx)
	return slices.Concat(attributes, fields, declared), err
}

// fill is a filter with its options or its range. Options of attributes may have
// been read together, under the whole selection.
func fill(ctx context.Context, f db.Facets, d query.Definition, within, selection query.Filter, together map[query.Field][]db.Option, limit int) (FieldFilter, error) {
	filter := newFieldFilter(d)
	others := query.And(within, selection.Without(d.Field))
	switch d.Kind {
	case query.Enum, query.Boolean:
		options := together[d.Field]
		if d.Key == "" || slices.Contains(selection.Uses(), d.Field) {
			var err error
			if options, err = f.Options(ctx, others, d, "", limit, 0); err != nil {
				return filter, err
			}
		}
		filter.Options = newList(options, newFilterOption).Items
		if len(options) > 0 {
			filter.Total = &options[0].Total
		}
	case query.Number, query.Date:
		r, err := f.Range(ctx, others, d)
		if err != nil {
			return filter, err
		}
		if r.Files > 0 {
			filter.Range = &ValueRange{r.Min, r.Max, r.Files}
		}
	case query.Text:
	}
	return filter, nil
}

// mark marks the options that a file has; "" is no file.
func (ff *FieldFilter) mark(ctx context.Context, f db.Facets, d query.Definition, fileID string) error {
	if fileID == "" || len(ff.Options) == 0 {
		return nil
	}
	own, err := f.Options(ctx, query.Is(query.File, fileID), d, "", maxOptions, 0)
	for i, o := range ff.Options {
		ff.Options[i].OfFile = slices.ContainsFunc(own, func(other db.Option) bool { return other.Value == o.Value })
	}
	return err
}

// AvailableFilters are fields without their options.
type AvailableFilters struct {
	Items []FieldFilter `json:"items" nullable:"false"`
}

func (a *API) listFilters(ctx context.Context, in *FileRef) (AvailableFilters, error) {
	scope := auth.Scope(ctx)
	if _, err := a.DB.FileState(ctx, scope, in.FileID); err != nil {
		return AvailableFilters{}, err
	}
	var out AvailableFilters
	err := a.DB.Facets(ctx, scope, queryPatience, func(f db.Facets) error {
		fields, err := offered(ctx, f)
		out.Items = newList(fields, newFieldFilter).Items
		return err
	})
	return out, err
}

type optionsRequest struct {
	FileRef
	Field string `path:"id" maxLength:"200" doc:"Id of the filter: status, attribute.governing_law"`
	Body  *struct {
		BodyPage
		Query  string        `json:"query,omitempty" maxLength:"200" doc:"Part of a label, ignoring case"`
		Filter *query.Filter `json:"filter,omitempty" doc:"Only files that match this condition are counted"`
	}
}

func (a *API) listOptions(ctx context.Context, in *optionsRequest) (List[FilterOption], error) {
	scope := auth.Scope(ctx)
	row, err := a.DB.File(ctx, scope, in.FileID)
	if err != nil {
		return List[FilterOption]{}, err
	}
	d, ok := query.Lookup(query.Field(in.Field))
	if reachable := slices.ContainsFunc(query.Fields(query.Files), func(other query.Definition) bool { return other.Field == d.Field }); !ok || !reachable && d.Key+d.Member == "" {
		return List[FilterOption]{}, fault.New(fault.NotFound, "not found")
	}
	if d.Member != "" {
		d.Kind = query.Enum // the values as they are written, whatever they are compared by
	}
	if d.Kind != query.Enum && d.Kind != query.Boolean {
		return List[FilterOption]{}, invalid("path.id", "is a "+string(d.Kind)+", which has no options")
	}
	asked, selection := orNothing(in.Body), query.Filter{}
	if asked.Filter != nil {
		if selection, err = checked(ctx, a.DB.Queries, *asked.Filter, query.Files, "body.filter"); err != nil {
			return List[FilterOption]{}, err
		}
	}
	return a.fieldOptions(ctx, d, query.And(corpusOf(row.DocumentTypeID), selection.Without(d.Field)), asked.Query, cmp.Or(asked.Limit, 50), asked.offset)
}

// fieldOptions is a page of the options of a field in the files that match a condition.
func (a *API) fieldOptions(ctx context.Context, d query.Definition, filter query.Filter, text string, limit int, offsetIn func(kind string) (int, error)) (List[FilterOption], error) {
	offset, err := offsetIn("options-" + string(d.Field))
	if err != nil {
		return List[FilterOption]{}, err
	}
	if place, ok := nlp.Place(text); ok && d.IsPlace() {
		text = place.Name
	}
	var out List[FilterOption]
	err = a.DB.Facets(ctx, auth.Scope(ctx), queryPatience, func(f db.Facets) error {
		rows, err := f.Options(ctx, filter, d, text, limit, offset)
		out = newList(rows, newFilterOption)
		total := 0
		if len(rows) > 0 {
			total = rows[0].Total
		}
		if len(rows) > 0 || offset == 0 {
			out.Total = &total
		}
		if end := offset + len(rows); end < total {
			out.NextCursor = cursor("options-"+string(d.Field), strconv.Itoa(end))
		}
		return err
	})
	return out, err
}

// AttributeField is an attribute that files can be filtered by.
type AttributeField struct {
	Key   string     `json:"key"`
	Field string     `json:"field" doc:"The field, as used in conditions"`
	Label string     `json:"label" doc:"Display name"`
	Kind  query.Kind `json:"kind" enum:"enum,text,number,date,boolean"`
	Files int        `json:"files" doc:"Number of files that have a value"`
}

func (a *API) listAttributeKeys(ctx context.Context, _ *struct{}) (List[AttributeField], error) {
	rows, err := a.DB.AttributeKeys(ctx, auth.Scope(ctx), db.FileLevel, "", db.MatchExact, maxAttributeFields)
	return newList(rows, func(k db.FoundKey) AttributeField {
		d, _ := query.Lookup(query.AttributeField(k.Key))
		return AttributeField{Key: k.Key, Field: string(d.Field), Label: d.Label, Kind: d.Kind, Files: k.Files}
	}), err
}

func (a *API) listAttributeValues(ctx context.Context, in *struct {
	Page
	Key   string `query:"key" required:"true" minLength:"1" maxLength:"100" doc:"Upper or lower case; spaces and hyphens count as underscores"`
	Query string `query:"query" maxLength:"200" doc:"Part of a value, ignoring case"`
}) (List[FilterOption], error) {
	d, ok := query.Lookup(query.AttributeField(attributeKey(in.Key)))
	if !ok {
		return List[FilterOption]{}, invalid("query.key", "has no letters")
	}
	d.Kind = query.Enum // the values as they are written, whatever they are compared by
	return a.fieldOptions(ctx, d, query.Filter{}, in.Query, in.Limit, in.offset)
}

// FactFilter is a condition made from a file's own values.
type FactFilter struct {
	FieldFilter
	Filter     query.Filter `json:"filter" doc:"The condition, ready to use"`
	Count      int          `json:"count" doc:"Number of the team's files that match it"`
	Confidence *float32     `json:"confidence,omitempty" doc:"0 to 1; absent where it is certain"`
	Source     string       `json:"source" enum:"attribute,clause,file" doc:"What the condition was made from"`
	Spans      []Quote      `json:"spans" nullable:"false" doc:"The places in the file that it was extracted from; empty if users set the value"`

	near query.Filter // where no other file meets it
}

// FactFilters are the conditions made from a file's own values.
type FactFilters struct {
	Items []FactFilter `json:"items" nullable:"false"`
}

func (a *API) getFactFilters(ctx context.Context, in *FileRef) (FactFilters, error) {
	row, err := a.DB.File(ctx, auth.Scope(ctx), in.FileID)
	if err != nil {
		return FactFilters{}, err
	}
	filters, err := a.factFilters(ctx, row)
	if err != nil {
		return FactFilters{}, err
	}
	out := FactFilters{Items: []FactFilter{}}
	err = a.DB.Facets(ctx, auth.Scope(ctx), queryPatience, func(f db.Facets) error {
		for _, filter := range filters {
			found, err := filter.widened(ctx, f)
			if err != nil {
				return err
			}
			if found.Count > 1 { // one that finds the file alone is of no use
				out.Items = append(out.Items, found)
			}
		}
		return nil
	})
	return out, err
}

// widened counts what a filter finds, or what is near it where that is the file alone.
func (filter FactFilter) widened(ctx context.Context, f db.Facets) (FactFilter, error) {
	var err error
	for _, condition := range []query.Filter{filter.Filter, filter.near} {
		if len(condition.Uses()) == 0 {
			break
		}
		filter.Filter = condition
		if filter.Count, err = f.Count(ctx, condition); err != nil || filter.Count > 1 {
			break
		}
	}
	return filter, err
}

// How many places of a clause are returned, and how many clauses of a file are read.
const (
	maxClauseSpans = 5
	maxClauses     = 10_000
)

func validated(l db.Label) bool { return l.Source == "validated" }

// surety is the certainty of a label. Labels set by users are above any
// score.
func surety(l db.Label) float64 {
	switch {
	case validated(l):
		return 2
	case l.Score == nil:
		return 0
	default:
		return float64(*l.Score)
	}
}

func newFactFilter(condition query.Filter, source string) FactFilter {
	d, _ := query.Lookup(condition.Uses()[0])
	return FactFilter{FieldFilter: newFieldFilter(d), Filter: condition, Source: source, Spans: []Quote{}}
}

// factFilters are conditions on a file's own values, one for each field.
func (a *API) factFilters(ctx context.Context, row db.File) ([]FactFilter, error) {
	filters := []FactFilter{}
	if row.DocumentTypeID != nil {
		f := newFactFilter(query.Is(query.DocumentType, *row.DocumentTypeID), "file")
		f.Confidence = row.DocumentTypeScore
		filters = append(filters, f)
	}
	facts, err := a.DB.Facts(ctx, auth.Scope(ctx), row.ID)
	if err != nil {
		return nil, err
	}
	suggested := query.Suggest(newList(facts, newQueryFact).Items)
	for _, s := range suggested {
		filters = append(filters, attributeFilter(s, facts))
	}
	labelled := db.SentenceFilter{FileIDs: []string{row.ID}, Labelled: true}
	sentences, err := a.DB.FiledSentences(ctx, auth.Scope(ctx), labelled, db.ByPlace, db.SentencePlace{}, maxClauses)
	return append(filters, clauseFilters(sentences)...), err
}

func newQueryFact(f db.Fact) query.Fact {
	return query.Fact{Key: f.Key, Normal: f.Normal, Number: f.Number, Day: f.Day}
}

// attributeFilter is a condition with the confidence and the places of its facts.
func attributeFilter(s query.Suggestion, facts []db.Fact) FactFilter {
	f := newFactFilter(s.Condition, "attribute")
	f.near, _ = newQueryFact(facts[s.Facts[0]]).Near()
	for _, i := range s.Facts {
		if facts[i].Source == "rule" {
			f.Confidence = &facts[i].Confidence
		}
		f.Spans = append(f.Spans, newList(facts[i].Spans, newQuote).Items...)
	}
	return f
}

// clauseFilters are conditions on the labels of sentences, the most certain first.
func clauseFilters(sentences []db.FiledSentence) []FactFilter {
	labels := db.EachLabel(sentences)
	labellings := make([]corpus.Labelling, len(labels))
	for i, l := range labels {
		labellings[i] = corpus.Labelling{Label: l.Node, Score: surety(l.Label), Source: i}
	}
	return newList(corpus.Clauses(corpus.Surest(labellings)), func(c corpus.Clause) FactFilter {
		f := newFactFilter(query.Is(query.Label, c.Label), "clause")
		if surest := labels[c.Sources[0]]; !validated(surest.Label) {
			f.Confidence = surest.Score
		}
		some, _ := cut(c.Sources, maxClauseSpans)
		f.Spans = newList(some, func(i int) Quote {
			s := sentences[labels[i].At]
			return Quote{Span{s.Start, s.End}, s.Page, s.Text}
		}).Items
		return f
	}).Items
}

// Recommendation is a condition that splits a corpus.
type Recommendation struct {
	FieldFilter
	Filter query.Filter `json:"filter" doc:"The condition for this file's value, ready to use"`
	Value  string       `json:"value" doc:"Display name"`
	Count  int          `json:"count" doc:"Number of files in the corpus that match it"`
	Gain   float64      `json:"gain" doc:"Information gain in bits, 0 to 1"`
	Used   int          `json:"used" doc:"Number of the team's saved searches with a condition on the field"`
	Reason string       `json:"reason"`
}

// Recommendations are the conditions that best split the corpus of a file.
type Recommendations struct {
	Items  []Recommendation `json:"items" nullable:"false" doc:"Best first"`
	Corpus Corpus           `json:"corpus"`
}

// mostToAdvise is the maximum number of recommendations.
const mostToAdvise = 12

func (a *API) getRecommendedFilters(ctx context.Context, in *FileRef) (Recommendations, error) {
	scope := auth.Scope(ctx)
	row, err := a.DB.File(ctx, scope, in.FileID)
	if err != nil {
		return Recommendations{}, err
	}
	used, err := a.DB.FieldUses(ctx, scope)
	if err != nil {
		return Recommendations{}, err
	}
	var out Recommendations
	err = a.DB.Facets(ctx, scope, queryPatience, func(f db.Facets) error {
		own, err := valuesOf(ctx, f, row.ID)
		if err != nil {
			return err
		}
		facts, err := a.DB.Facts(ctx, scope, row.ID)
		if err != nil {
			return err
		}
		own = append(own, rangesOf(facts)...)
		if out, err = recommended(ctx, f, corpusOf(row.DocumentTypeID), own, used); err == nil && len(out.Items) == 0 && row.DocumentTypeID != nil {
			out, err = recommended(ctx, f, query.Filter{}, own, used)
		}
		return err
	})
	return out, err
}

// ownValue is a value that a file has of a field.
type ownValue struct {
	query.Definition

	option db.Option
	near   query.Filter // of a day or a number
}

func (v ownValue) condition() query.Filter {
	if len(v.near.Uses()) > 0 {
		return v.near
	}
	return query.Is(v.Field, v.option.Value)
}

// unsplit are the fields by which nobody splits files: how a file was read, what is its own,
// and what is a field and a label as well.
var (
	unsplit       = []query.Field{query.Status, query.ErrorCode, query.HasOCR, query.NeedsReview, query.LabelSource, query.AttributeField("document_name"), query.AttributeField("signatory"), query.AttributeField("address")}
	unsplitLabels = []string{"document_name", "parties", "agreement_date", "effective_date", "expiration_date"}
)

// rangesOf are the years and sizes of what a file states, the first of each key.
func rangesOf(facts []db.Fact) []ownValue {
	var own []ownValue
	for _, fact := range facts {
		near, ok := newQueryFact(fact).Near()
		d, _ := query.Lookup(query.AttributeField(fact.Key))
		if !ok || slices.ContainsFunc(own, func(v ownValue) bool { return v.Field == d.Field }) {
			continue
		}
		label := near.All[0].Values[0] + " to " + near.All[1].Values[0]
		if d.Kind == query.Date {
			label = strings.TrimSuffix(near.All[0].Values[0], "-01-01")
		}
		own = append(own, ownValue{d, db.Option{Label: label}, near})
	}
	return own
}

// valuesOf are the values of a file by which files can be split.
func valuesOf(ctx context.Context, f db.Facets, fileID string) ([]ownValue, error) {
	fields, err := offered(ctx, f)
	if err != nil {
		return nil, err
	}
	self := query.Is(query.File, fileID)
	attributes, err := f.AttributeOptions(ctx, self, maxOptions)
	if err != nil {
		return nil, err
	}
	var own []ownValue
	for _, d := range fields {
		same, twice := query.Lookup(query.Field(d.Key)) // parties are fields of files as well
		if d.Kind != query.Enum && d.Kind != query.Boolean || twice && same.Of == query.Files || slices.Contains(unsplit, d.Field) {
			continue
		}
		values := attributes[d.Field]
		if d.Key == "" {
			if values, err = f.Options(ctx, self, d, "", maxOptions, 0); err != nil {
				return nil, err
			}
		}
		own = append(own, splitting(d, values)...)
	}
	return own, nil
}

// splitting are the values of a field by which somebody would split files.
func splitting(d query.Definition, values []db.Option) []ownValue {
	var own []ownValue
	for _, o := range values {
		if d.Field != query.Label || !slices.Contains(unsplitLabels, o.Value) {
			own = append(own, ownValue{Definition: d, option: o})
		}
	}
	return own
}

// recommended are those of a file's values that split a corpus best.
func recommended(ctx context.Context, f db.Facets, within query.Filter, own []ownValue, used map[query.Field]int) (Recommendations, error) {
	out := Recommendations{Items: []Recommendation{}, Corpus: Corpus{Filter: within}}
	var err error
	if out.Corpus.Files, err = f.Count(ctx, within); err != nil {
		return out, err
	}
	splits := make([]corpus.Split, len(own))
	for i, v := range own {
		splits[i] = corpus.Split{Key: string(v.Field), Value: v.option.Label, Used: used[v.Field]}
		if splits[i].With, err = f.Count(ctx, query.And(within, v.condition())); err != nil {
			return out, err
		}
	}
	out.Items = newList(corpus.Advise(splits, out.Corpus.Files, mostToAdvise), func(a corpus.Advice) Recommendation {
		return newRecommendation(own[a.Split], splits[a.Split], a.Gain, out.Corpus.Files)
	}).Items
	return out, nil
}

func newRecommendation(v ownValue, s corpus.Split, gain float64, all int) Recommendation {
	r := Recommendation{FieldFilter: newFieldFilter(v.Definition), Filter: v.condition(), Value: s.Value, Count: s.With, Gain: gain, Used: s.Used}
	r.Reason = fmt.Sprintf("splits %d files into %d with it and %d without", all, s.With, all-s.With)
	if s.Used > 0 {
		r.Reason += fmt.Sprintf("; in %d kept searches", s.Used)
	}
	return r
}
