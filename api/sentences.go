package api

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/query"
)

// sentences serves the sentences of the team's files: section 4.4 of the
// specification begins here.
func (a *API) sentences() {
	const order = "By default the newest files come first, each in reading order. `sort=score` (the least certain first) and `sort=-score` list only sentences with a score. " +
		"`total` is absent where there are more than 10,000."
	session := a.area("Sentences", withSession)
	get(session, "/api/sentences", "listSentences", "List sentences", a.listSentences, describe(
		"Lists sentences of the team's files that match all given filters. "+order))
	get(session, "/api/sentences/by-file-type/{filetypeid}", "listDocumentTypeSentences", "List the sentences of a document type", a.listTypeSentences, describe(
		"Lists the sentences of the files of one document type, with the filters of the list of sentences. "+order))
	get(session, "/api/sentences/{sentenceid}/neighbors", "getSentenceNeighbors", "Get the sentences around a sentence", a.listNeighbors, describe(
		"Returns the sentences before and after a sentence in its file, in reading order."))
}

// Sentence is a sentence of a file, a heading, an item of a list or a row of a
// table.
type Sentence struct {
	ID             string     `json:"id"`
	FileID         string     `json:"fileId"`
	FileName       string     `json:"fileName"`
	DocumentTypeID *string    `json:"documentTypeId" doc:"Id of the document type of the file"`
	SectionID      *string    `json:"sectionId" doc:"Id of the innermost section that contains it"`
	Ordinal        int        `json:"ordinal" doc:"Position in the file, from 0"`
	Text           string     `json:"text"`
	Page           int        `json:"page" doc:"Page where it begins"`
	Span           Span       `json:"span" doc:"Span in the file's text; with text, it can be used as the anchor of a change"`
	Label          *string    `json:"label" doc:"The first of labels; null for no clause, or while it is not classified"`
	Score          *float32   `json:"score,omitempty" doc:"Probability of the first label, 0 to 1; for no clause, the probability of the closest label"`
	Source         *string    `json:"source,omitempty" enum:"predicted,validated" doc:"validated if users have decided on every label, or that there is none. Absent while it is not classified"`
	ModelID        *string    `json:"modelId,omitempty" doc:"The model that predicted the labels"`
	ValidatedBy    *string    `json:"validatedBy,omitempty" doc:"Id of the user who decided last"`
	ValidatedAt    *time.Time `json:"validatedAt,omitempty"`

	Labels  []SentenceLabel `json:"labels" nullable:"false" doc:"All labels: those set by users first, then by probability"`
	Refused []string        `json:"refused,omitempty" doc:"Labels that users have removed one by one"`

	Prediction *PredictedLabel `json:"prediction,omitempty" doc:"The model's prediction, if a user has decided on labels; it applies again when the decision is withdrawn"`
}

// SentenceLabel is a label of a sentence.
type SentenceLabel struct {
	Node        string     `json:"node" doc:"Key of a node"`
	Score       *float32   `json:"score,omitempty" doc:"Probability by the model, 0 to 1; absent if the model does not predict the label"`
	Source      string     `json:"source" enum:"predicted,validated"`
	ValidatedBy *string    `json:"validatedBy,omitempty" doc:"Id of the user"`
	ValidatedAt *time.Time `json:"validatedAt,omitempty"`
	ClauseID    string     `json:"clauseId,omitempty" doc:"Sentences that follow one another in one section and have this label are a clause. The id stays when the file is read anew and the clause begins with the same words"`
}

func newSentenceLabel(l db.Label) SentenceLabel {
	return SentenceLabel{Node: l.Node, Score: l.Score, Source: l.Source, ValidatedBy: l.ValidatedBy, ValidatedAt: utc(l.ValidatedAt)}
}

// PredictedLabel is the model's prediction for a sentence that users have labelled.
type PredictedLabel struct {
	Label   *string          `json:"label" doc:"The first of labels; null for no clause"`
	Score   *float32         `json:"score,omitempty" doc:"As the score of a sentence"`
	ModelID *string          `json:"modelId,omitempty"`
	Labels  []PredictedScore `json:"labels" nullable:"false" doc:"Best first"`
}

// PredictedScore is a label that a model predicts.
type PredictedScore struct {
	Node  string   `json:"node" doc:"Key of a node"`
	Score *float32 `json:"score,omitempty" doc:"Probability, 0 to 1"`
}

func newSentence(s db.FiledSentence) Sentence {
	out := Sentence{
		ID: s.ID, FileID: s.FileID, FileName: s.FileName, DocumentTypeID: s.DocumentTypeID, SectionID: s.SectionID,
		Ordinal: s.Ordinal, Text: s.Text, Page: s.Page, Span: Span{s.Start, s.End}, Label: s.Label, Score: s.Score,
		Source: s.Source, ModelID: s.ModelID, ValidatedBy: s.ValidatedBy, ValidatedAt: utc(s.ValidatedAt),
		Labels: newList(s.Labels(), func(l db.Label) SentenceLabel {
			label := newSentenceLabel(l)
			label.ClauseID = s.Clauses[l.Node]
			return label
		}).Items,
	}
	for _, l := range s.Labelling.Refused() {
		out.Refused = append(out.Refused, l.Node)
	}
	if p := s.Prediction; p != nil {
		out.Prediction = &PredictedLabel{p.Label, p.Score, p.ModelID, newList(p.All(), func(l db.ScoredLabel) PredictedScore { return PredictedScore(l) }).Items}
	}
	return out
}

// SentenceRef is the request of every operation on one sentence.
type SentenceRef struct {
	SentenceID string `path:"sentenceid" format:"uuid" doc:"Sentence id"`
}

// FileTypeRef is the request of every operation on the sentences of a document
// type.
type FileTypeRef struct {
	FileTypeID string `path:"filetypeid" format:"uuid" doc:"Document type id"`
}

// noClause stands for no label, where null cannot be written.
const noClause = "null"

// SentenceFilter narrows a list of sentences.
type SentenceFilter struct {
	FileID         []string `query:"fileId" json:"fileId,omitempty" format:"uuid" minItems:"1" maxItems:"500" doc:"Sentences of any of these files"`
	DocumentTypeID string   `query:"documentTypeId" json:"documentTypeId,omitempty" format:"uuid" doc:"Sentences of files of this document type"`
	Label          []string `query:"label" json:"label,omitempty" minItems:"1" maxItems:"100" doc:"Sentences with any of these labels; the word null selects those that are no clause. Source and scores are then of these labels"`
	Source         string   `query:"source" json:"source,omitempty" enum:"predicted,validated"`
	MinScore       float32  `query:"minScore" json:"minScore,omitempty" minimum:"0" maximum:"1" doc:"Least score; a label that a person gave and no model predicted counts as 1"`
	MaxScore       float32  `query:"maxScore" json:"maxScore,omitempty" minimum:"0" maximum:"1"`
	GroupKey       string   `query:"groupKey" json:"groupKey,omitempty" format:"uuid" doc:"Sentences of this group of the null review"`
	Condition
}

// filter is f for the database.
func (f SentenceFilter) filter(ctx context.Context, d db.Queries) (db.SentenceFilter, error) {
	filter := db.SentenceFilter{
		FileIDs: f.FileID, DocumentTypeID: f.DocumentTypeID, Source: f.Source, MinScore: f.MinScore, MaxScore: f.MaxScore, Wording: f.GroupKey,
	}
	for _, label := range f.Label {
		if label == noClause {
			filter.Unlabelled = true
		} else {
			filter.Labels = append(filter.Labels, label)
		}
	}
	var err error
	filter.Where, err = f.Condition.filter(ctx, d, query.Sentences)
	return filter, err
}

// SentenceSort is the order of a list of sentences.
type SentenceSort struct {
	Sort db.SentenceOrder `query:"sort" enum:"place,score,-score" default:"place"`
}

func (a *API) listSentences(ctx context.Context, in *struct {
	Page
	SentenceSort
	SentenceFilter
}) (List[Sentence], error) {
	return a.listFiltered(ctx, in.Page, in.Sort, in.SentenceFilter)
}

func (a *API) listTypeSentences(ctx context.Context, in *struct {
	FileTypeRef
	Page
	SentenceSort
	SentenceFilter
}) (List[Sentence], error) {
	if err := a.DB.NeedDocumentType(ctx, auth.Scope(ctx), in.FileTypeRef.FileTypeID); err != nil {
		return List[Sentence]{}, err
	}
	filter := in.SentenceFilter
	if filter.DocumentTypeID != "" && !strings.EqualFold(filter.DocumentTypeID, in.FileTypeRef.FileTypeID) {
		return List[Sentence]{}, invalid("query.documentTypeId", "differs from the id in the path")
	}
	filter.DocumentTypeID = in.FileTypeRef.FileTypeID
	return a.listFiltered(ctx, in.Page, in.Sort, filter)
}

// mostCounted bounds the total of a list of sentences: for a large team, counting all
// would take longer than reading the page.
const mostCounted = 10_000

func (a *API) listFiltered(ctx context.Context, page Page, order db.SentenceOrder, f SentenceFilter) (List[Sentence], error) {
	scope := auth.Scope(ctx)
	after, err := page.sentencePlace(order)
	if err != nil {
		return List[Sentence]{}, err
	}
	filter, err := f.filter(ctx, a.DB.Queries)
	if err != nil {
		return List[Sentence]{}, err
	}
	rows, err := a.DB.FiledSentences(ctx, scope, filter, order, after, page.Limit+1)
	if err != nil {
		return List[Sentence]{}, err
	}
	rows, more := cut(rows, page.Limit)
	if err := a.DB.AddClauses(ctx, scope, rows); err != nil {
		return List[Sentence]{}, err
	}
	sentences := newList(rows, newSentence)
	if more {
		sentences.NextCursor = sentenceCursor(order, last(rows))
	}
	total, err := a.DB.CountSentences(ctx, scope, filter, mostCounted+1)
	if total <= mostCounted {
		sentences.Total = &total
	}
	return sentences, err
}

// sentenceCursor is the cursor after s in an order.
func sentenceCursor(order db.SentenceOrder, s db.FiledSentence) string {
	if order == db.ByPlace {
		return cursor("sentences-place", s.FileID+":"+strconv.Itoa(s.Ordinal))
	}
	return cursor("sentences-"+string(order), s.ID+":"+strconv.FormatFloat(float64(*s.Score), 'g', -1, 32))
}

// sentencePlace is the place where p begins in an order.
func (p Page) sentencePlace(order db.SentenceOrder) (db.SentencePlace, error) {
	place, err := p.place("sentences-" + string(order))
	if err != nil || place == "" {
		return db.SentencePlace{}, err
	}
	id, at, _ := strings.Cut(place, ":")
	number, err := strconv.ParseFloat(at, 32)
	if err != nil || !isID(id) {
		return db.SentencePlace{}, invalid("query.cursor", "is not the nextCursor of this list")
	}
	if order == db.ByPlace {
		return db.SentencePlace{FileID: id, Ordinal: int(number)}, nil
	}
	return db.SentencePlace{ID: id, Score: float32(number)}, nil
}

// Neighbors is a sentence with those before and after it.
type Neighbors struct {
	Sentence Sentence   `json:"sentence"`
	Before   []Sentence `json:"before" nullable:"false"`
	After    []Sentence `json:"after" nullable:"false"`
}

func (a *API) listNeighbors(ctx context.Context, in *struct {
	SentenceRef
	Window int `query:"window" minimum:"1" maximum:"50" default:"3" doc:"Number of sentences on each side"`
}) (Neighbors, error) {
	scope := auth.Scope(ctx)
	row, err := a.DB.FiledSentence(ctx, scope, in.SentenceID)
	if err != nil {
		return Neighbors{}, err
	}
	rows, err := a.DB.Neighbors(ctx, scope, row, in.Window)
	if err != nil {
		return Neighbors{}, err
	}
	rows = append(rows, row)
	err = a.DB.AddClauses(ctx, scope, rows)
	row, rows = rows[len(rows)-1], rows[:len(rows)-1]
	out := Neighbors{Sentence: newSentence(row), Before: []Sentence{}, After: []Sentence{}}
	for _, r := range rows {
		if r.Ordinal < row.Ordinal {
			out.Before = append(out.Before, newSentence(r))
		} else {
			out.After = append(out.After, newSentence(r))
		}
	}
	return out, err
}
