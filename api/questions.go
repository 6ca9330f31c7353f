package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/llm"
	"github.com/clausemill/clausemill/query"
)

// reading is what a question in plain words was understood as.
type reading struct {
	config     WidgetConfig
	understood []query.Understood
	model      string // that wrote the query; "" where the grammar understood the question
}

// understand makes a configuration of a question in plain words, which the request has at
// location. Where the grammar does not understand it, a language model is asked, if it
// may be and there is one; without an answer of it the grammar's refusal stands.
func (a *API) understand(ctx context.Context, location, question string, askModel bool) (reading, error) {
	vocabulary, err := a.vocabulary(ctx)
	if err != nil {
		return reading{}, err
	}
	var failed error
	vocabulary.Find = func(f query.Field, name string) []query.Option {
		if failed != nil {
			return nil
		}
		found, err := a.valuesLike(ctx, f, name)
		failed = err
		return found
	}
	var read reading
	config, understood, err := query.Prompt(question, vocabulary)
	var unknown query.MisunderstoodError
	switch {
	case failed != nil:
		return reading{}, failed
	case errors.As(err, &unknown):
		written, reason, broken := a.written(ctx, question, vocabulary, askModel)
		if broken = cmp.Or(failed, broken); broken != nil {
			return reading{}, broken
		}
		if written.model == "" {
			return reading{}, misunderstood(location, err, unknown, reason)
		}
		read = written
	case err != nil:
		return reading{}, err
	default:
		read = reading{config: WidgetConfig{config.Title, config.Kind, config.Query}, understood: understood}
	}
	return read, a.addOwnNames(ctx, &read)
}

// misunderstood refuses a question of which words mean nothing, with what may have been
// meant, and why a language model has written no query either.
func misunderstood(location string, err error, unknown query.MisunderstoodError, reason string) *Error {
	refusal := newError(http.StatusUnprocessableEntity, fault.Message(err))
	for _, words := range unknown.Words {
		said := strconv.Quote(words.Words) + " is not understood"
		switch {
		case words.Types != nil:
			said = words.String()
		case words.Nearest != "":
			said += "; did you mean " + strconv.Quote(words.Nearest) + "?"
		case words.Party, words.Contrary:
			said = words.String()
		}
		refusal.Details = append(refusal.Details, Detail{location, said})
	}
	if reason != "" {
		refusal.Details = append(refusal.Details, Detail{location, reason})
	}
	return refusal
}

// addOwnNames says of a question about counterparties that nobody has said who the team is.
func (a *API) addOwnNames(ctx context.Context, read *reading) error {
	asked := read.config.Query
	used := slices.Concat(asked.Filter().Uses(), asked.Metric.Condition().Uses(), asked.GroupBy, []query.Field{asked.Metric.Field})
	if !slices.ContainsFunc(used, func(f query.Field) bool {
		return f == query.Counterparty || f == query.OurRole || f == query.CounterpartyRole
	}) {
		return nil
	}
	own, err := a.DB.OwnNames(ctx, auth.Scope(ctx))
	if err == nil && own.Source == nil {
		read.understood = append(read.understood, query.Understood{Phrase: "counterparty", Meaning: "a party other than the team; its names are not set (`PUT /api/teams/names`)"})
	}
	return err
}

// queryTokens bounds the query that a model writes.
const queryTokens = 600

// written has the language model write a query for a question that the grammar does not
// understand. There is none where there is no model, where it may not be asked, and where it
// failed or wrote no valid query; reason says why in the last two.
func (a *API) written(ctx context.Context, question string, v query.Vocabulary, askModel bool) (read reading, reason string, err error) {
	if a.LanguageModel == nil || !askModel {
		return read, "", nil
	}
	if on, err := a.modelAllowed(ctx); err != nil || !on {
		return read, "", err
	}
	system, err := query.WriterPrompt(v)
	if err != nil {
		return read, "", err
	}
	var text strings.Builder
	reply, failed, err := a.askModel(ctx, llm.Request{System: system, User: question, MaxTokens: queryTokens}, func(piece string) error {
		_, err := text.WriteString(piece)
		return err
	})
	if err != nil {
		return read, "", err
	}
	if failed != nil {
		reason, err := a.unwritten(ctx, failed)
		if err != nil {
			return read, "", err
		}
		return read, reason.Error(), nil
	}
	config, understood, err := query.ReadWritten(text.String(), question, v, time.Now())
	if err != nil {
		a.metrics.modelAnswers.WithLabelValues("unproved").Inc()
		return read, fault.Message(err), nil //nolint:nilerr // what the model wrote is no query: that is told, and no failure
	}
	a.metrics.modelAnswers.WithLabelValues("written").Inc()
	return reading{WidgetConfig{config.Title, config.Kind, config.Query}, []query.Understood{understood}, reply.Model}, "", nil
}

// valuesLike are the values of a field of files that have a name as a part.
func (a *API) valuesLike(ctx context.Context, f query.Field, name string) (found []query.Option, err error) {
	if f == query.MatterOwner { // who may own one: a matter need not have files
		return a.membersLike(ctx, name)
	}
	d, _ := query.Lookup(f)
	err = a.DB.Facets(ctx, auth.Scope(ctx), queryPatience, func(facets db.Facets) error {
		options, err := facets.Options(ctx, query.Filter{}, d, name, query.MostFound, 0)
		found = newList(options, func(o db.Option) query.Option { return query.Option{Value: o.Value, Name: o.Label} }).Items
		return err
	})
	return found, err
}

// membersLike finds members of the team by a part of their names.
func (a *API) membersLike(ctx context.Context, name string) (found []query.Option, err error) {
	members, err := a.DB.Members(ctx, auth.Scope(ctx), "", mostMembersNamed)
	for _, m := range members {
		if strings.Contains(query.Fold(m.Name), query.Fold(name)) && len(found) < query.MostFound {
			found = append(found, query.Option{Value: m.UserID, Name: m.Name})
		}
	}
	return found, err
}

// mostMembersNamed bounds how many members are looked through for a name.
const mostMembersNamed = 2000

// vocabulary is the team's names of types, tags, attributes and matters.
func (a *API) vocabulary(ctx context.Context) (query.Vocabulary, error) {
	scope := auth.Scope(ctx)
	v := query.Vocabulary{Values: map[query.Field][]query.Option{}}
	types, err := a.DB.TypeKeys(ctx, scope)
	if err != nil {
		return v, err
	}
	for _, t := range types {
		v.Values[query.DocumentType] = append(v.Values[query.DocumentType], query.Option{Value: t.ID, Name: t.Name})
	}
	own, err := a.DB.Fields(ctx, scope)
	if err != nil {
		return v, err
	}
	for _, f := range own {
		v.Own = append(v.Own, query.Option{Value: f.Key, Name: f.Name})
	}
	tags, err := taxonomy(ctx, a.DB.Queries, scope)
	if err != nil {
		return v, err
	}
	for _, t := range tags {
		v.Values[query.Label] = append(v.Values[query.Label], query.Option{Value: t.Key, Name: t.Name})
	}
	err = a.DB.Facets(ctx, scope, queryPatience, func(f db.Facets) error {
		fields, err := f.AttributeFields(ctx, maxAttributeFields)
		for _, d := range fields {
			v.Keys = append(v.Keys, d.Key)
		}
		if err != nil {
			return err
		}
		matter, _ := query.Lookup(query.Matter)
		matters, err := f.Options(ctx, query.Filter{}, matter, "", maxOptions, 0)
		for _, m := range matters {
			v.Values[query.Matter] = append(v.Values[query.Matter], query.Option{Value: m.Value, Name: m.Label})
		}
		return err
	})
	return v, err
}
