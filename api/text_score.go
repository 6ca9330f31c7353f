package api

import (
	"context"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/corpus"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// TextComparison is how close a text is to others.
type TextComparison struct {
	Similarity float64            `json:"similarity" doc:"0 to 1: mean similarity of its sentences to the closest others, weighted by length"`
	Typicality *float64           `json:"typicality,omitempty" doc:"Only for a document type, 0 to 1: share of its files that have a sentence similar to one of the text, as a mean over the sentences of the text"`
	Compared   int                `json:"compared" doc:"Number of sentences that the text was compared with"`
	Files      int                `json:"files,omitempty" doc:"Number of files that contain these sentences"`
	Sentences  []ComparedSentence `json:"sentences" nullable:"false"`
}

// ComparedSentence is a sentence with the nearest ones of the others.
type ComparedSentence struct {
	Text       string        `json:"text"`
	Span       Span          `json:"span"`
	Similarity float64       `json:"similarity" doc:"Similarity to the closest sentence, 0 to 1"`
	Typicality *float64      `json:"typicality,omitempty" doc:"Share of the files of the document type that have a similar sentence"`
	Nearest    []NearestText `json:"nearest" nullable:"false"`
}

// NearestText is a sentence of a reference, or of a file.
type NearestText struct {
	Text       string          `json:"text"`
	Span       Span            `json:"span" doc:"Span in the reference or in the file"`
	Similarity float64         `json:"similarity" doc:"0 to 1: cosine over the words, with larger weights for rare words"`
	FileID     string          `json:"fileId,omitempty"`
	FileName   string          `json:"fileName,omitempty"`
	SentenceID string          `json:"sentenceId,omitempty"`
	Label      *string         `json:"label,omitempty" doc:"Label, for a sentence of a file; the first of labels"`
	Labels     []SentenceLabel `json:"labels,omitempty" doc:"Labels, for a sentence of a file"`
}

type scoreRequest struct {
	Body struct {
		Text           string  `json:"text"`
		Reference      *string `json:"reference,omitempty" doc:"A text to compare with"`
		DocumentTypeID string  `json:"documentTypeId,omitempty" maxLength:"36"`
		Nearest        int     `json:"nearest,omitempty" minimum:"1" maximum:"10" default:"3" doc:"Maximum number of closest sentences for each sentence"`
	}
}

func (a *API) scoreText(ctx context.Context, in *scoreRequest) (TextComparison, error) {
	if (in.Body.Reference == nil) == (in.Body.DocumentTypeID == "") {
		return TextComparison{}, invalid("body", "must have either reference or documentTypeId")
	}
	ctx, cancel := context.WithTimeout(ctx, textTime)
	defer cancel()
	release, err := a.quotas.texts.take(ctx)
	if err != nil {
		return TextComparison{}, err
	}
	defer release()
	given, err := comparableText(ctx, "text", in.Body.Text)
	if err != nil {
		return TextComparison{}, err
	}
	var others []NearestText
	if in.Body.Reference != nil {
		reference, err := comparableText(ctx, "reference", *in.Body.Reference)
		if err != nil {
			return TextComparison{}, err
		}
		others = reference.compared()
	} else if others, err = a.textsOfType(ctx, in.Body.DocumentTypeID); err != nil {
		return TextComparison{}, err
	}
	return compare(ctx, given.compared(), others, in.Body.Nearest)
}

// comparableText segments a text, unless it has too many sentences to compare.
func comparableText(ctx context.Context, location, text string) (givenText, error) {
	given, err := readText(ctx, location, text, "")
	if err == nil && len(given.Sentences) > maxTextSentences {
		err = fault.Newf(fault.TooLarge, "%s has more than 10,000 sentences", location)
	}
	return given, err
}

// compared are the sentences of a text, to be compared.
func (t givenText) compared() []NearestText {
	return newList(t.sentences(), func(s TextSentence) NearestText { return NearestText{Text: s.Text, Span: s.Span} }).Items
}

// textsOfType are the sentences that represent a document type.
func (a *API) textsOfType(ctx context.Context, id string) ([]NearestText, error) {
	if !isID(id) {
		return nil, fault.New(fault.NotFound, "not found")
	}
	if err := a.DB.NeedDocumentType(ctx, auth.Scope(ctx), id); err != nil {
		return nil, err
	}
	rows, err := a.DB.FiledSentences(ctx, auth.Scope(ctx), db.SentenceFilter{DocumentTypeID: id}, db.ByPlace, db.SentencePlace{}, maxTypeSentences)
	return newList(rows, func(s db.FiledSentence) NearestText {
		return NearestText{Text: s.Text, Span: Span{s.Start, s.End}, FileID: s.FileID, FileName: s.FileName, SentenceID: s.ID, Label: s.Label, Labels: newList(s.Labels(), newSentenceLabel).Items}
	}).Items, err
}

const (
	// maxTextSentences bounds the sentences of each text that are compared.
	maxTextSentences = 10_000
	// maxTypeSentences bounds the sentences that represent a document type.
	maxTypeSentences = 20_000
)

// compare compares sentences with others, until ctx ends.
func compare(ctx context.Context, sentences, others []NearestText, nearest int) (TextComparison, error) {
	against := corpus.NewSentences(
		newList(others, func(o NearestText) string { return o.Text }).Items,
		newList(others, func(o NearestText) string { return o.FileID }).Items)
	held := make([]corpus.Held, len(sentences))
	for i, s := range sentences {
		if err := ctx.Err(); err != nil {
			return TextComparison{}, err
		}
		held[i] = against.Hold(s.Text, nearest)
	}
	out := TextComparison{Compared: len(others), Files: against.Files(), Sentences: make([]ComparedSentence, len(sentences))}
	out.Similarity, out.Typicality = against.Whole(held)
	for i, s := range sentences {
		out.Sentences[i] = ComparedSentence{
			Text: s.Text, Span: s.Span, Similarity: held[i].Similarity, Typicality: held[i].Typicality,
			Nearest: newList(held[i].Nearest, func(n corpus.Near) NearestText {
				other := others[n.Sentence]
				other.Similarity = n.Similarity
				return other
			}).Items,
		}
	}
	return out, nil
}
