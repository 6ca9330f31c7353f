package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
)

// Question is what a field asks for.
func Question(f db.OwnField) nlp.FieldQuestion {
	words := append([]string{f.Name, f.Question}, f.Examples...)
	return nlp.FieldQuestion{Kind: nlp.FieldKind(f.Type), Words: words, Choices: f.Choices}
}

// FieldReport reads the metrics of a model of a field.
func FieldReport(m db.FieldModel) (r nlp.FieldReport, err error) {
	return r, json.Unmarshal(m.Metrics, &r)
}

// Field is a field whose values are proposed, with what proposes them.
type Field struct {
	db.OwnField

	Model *nlp.FieldModel
}

// mostFields bounds the memory for models of fields; each takes some hundred kilobytes.
const mostFields = 200

// Fields are the fields of a team whose values are proposed. One whose model was made by an
// earlier release and can no longer be read is left out until it is learned again.
func (s *Store) Fields(ctx context.Context, in db.Scope) ([]Field, error) {
	active, err := s.db.ActiveFields(ctx, in)
	if err != nil {
		return nil, err
	}
	var list []Field
	for _, f := range active {
		m, err := s.openField(ctx, in, f.ModelID)
		if errors.Is(err, nlp.ErrModel) || fault.KindOf(err) == fault.NotFound { // another took its place meanwhile
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, Field{f.OwnField, m})
	}
	return list, nil
}

func (s *Store) openField(ctx context.Context, in db.Scope, id string) (*nlp.FieldModel, error) {
	s.mu.Lock()
	m, ok := s.fields[id]
	s.mu.Unlock()
	if ok {
		return m, nil
	}
	data, err := s.db.FieldModelData(ctx, in, id)
	if err != nil {
		return nil, err
	}
	if m, err = nlp.ParseFieldModel(data); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.fields) >= mostFields {
		clear(s.fields)
	}
	s.fields[id] = m
	return m, nil
}

// fieldEndings are how the keys of fields end whose values are numbers or days: filters
// compare values by how a key ends. The first is added to keys that are made of a name.
var fieldEndings = map[nlp.FieldKind][]string{
	nlp.NumberField: {"_number", "_rate"}, nlp.DateField: {"_date"}, nlp.MoneyField: {"_amount", "_value"},
}

// takenEndings are those of all kinds, and of lengths of time.
var takenEndings = []string{"_number", "_rate", "_date", "_amount", "_value", "_term", "_period"}

// FieldKey is the key of a field of a kind that is made of words: letters, digits and
// underscores.
func FieldKey(kind nlp.FieldKind, words string) string {
	for _, ending := range append(fieldEndings[kind], "") {
		if ending != "" && strings.HasSuffix(words, ending) {
			return words
		}
	}
	if endings := fieldEndings[kind]; len(endings) > 0 {
		return words + endings[0]
	}
	if endsLike(words, takenEndings) {
		return words + "_" + string(kind)
	}
	return words
}

// FieldKeyFits says how a key must end for values of a kind, "" where it does.
func FieldKeyFits(kind nlp.FieldKind, key string) string {
	endings := fieldEndings[kind]
	switch {
	case len(endings) > 0 && !endsLike(key, endings):
		return "must end with " + strings.Join(endings, " or ") + ", as filters compare values by that"
	case len(endings) == 0 && endsLike(key, takenEndings):
		return "must not end with " + strings.Join(takenEndings, ", ") + ", which are for numbers, days and lengths of time"
	}
	return ""
}

func endsLike(key string, endings []string) bool {
	return slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(key, ending) })
}

// wantedValues says what words have to hold for each type.
var wantedValues = map[db.MetadataType]string{
	"text": "text", "number": "a number, as 30 or 12.5", "date": "a day, as 31 March 2026 or 2026-03-31", "money": "an amount of money, as $1,250.00 or 1250.00 EUR",
}

// Wanted says what the values of a field are.
func Wanted(f db.OwnField) string {
	if f.Type == "choice" {
		return "one of " + strings.Join(f.Choices, ", ")
	}
	return wantedValues[f.Type]
}

// Marked reads the value of a field in words of a text in a language, or in what somebody
// gave instead of it. It is false where there is none.
func Marked(f db.OwnField, language, quote, given string) (a db.Attribute, ok bool) {
	q := Question(f)
	q.Language = language
	a.Value = strings.Join(strings.Fields(cmp.Or(given, quote)), " ")
	v, ok := nlp.FieldValue(q, cmp.Or(given, quote))
	if !ok {
		return a, false
	}
	if f.Type == "choice" || f.Type == "text" {
		a.Value = v.Name
	}
	a.Canonical = v.String()
	a.Normalized, _ = json.Marshal(v) // of plain values
	return a, true
}
