package worker

import (
	"encoding/json"
	"strings"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/nlp"
)

// newAttributes makes rows of the facts that a text states.
func newAttributes(seg *nlp.Segmentation, facts nlp.Attributes) ([]db.Attribute, error) {
	list := make([]db.Attribute, 0, len(facts.File)+len(facts.Findings))
	for i, a := range facts.File {
		row, err := newAttribute(seg, a)
		if err != nil {
			return nil, err
		}
		row.Level, row.Ordinal = db.FileLevel, i
		list = append(list, row)
	}
	for i, f := range facts.Findings {
		row, err := newAttribute(seg, nlp.Attribute{Key: f.Key, Value: f.Value, Confidence: f.Confidence, Spans: []nlp.Span{f.Span}})
		if err != nil {
			return nil, err
		}
		row.Level, row.Ordinal = db.SpanLevel, i
		list = append(list, row)
	}
	return list, nil
}

func newAttribute(seg *nlp.Segmentation, a nlp.Attribute) (db.Attribute, error) {
	normalized, err := json.Marshal(a.Value)
	row := db.Attribute{Key: string(a.Key), Normalized: normalized, Canonical: a.Value.String(), Confidence: float32(a.Confidence)}
	for _, s := range a.Spans {
		row.Spans = append(row.Spans, db.AttributeSpan{Start: s.Start, End: s.End, Page: seg.PageAt(s.Start), Quote: seg.Quote(s)})
	}
	if row.Value = strings.Join(strings.Fields(row.Spans[0].Quote), " "); a.Key.Concluded() {
		row.Value = row.Canonical
	}
	return row, err
}
