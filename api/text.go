package api

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/corpus"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
)

// text serves the analysis of texts that are not files.
func (a *API) text() {
	const size = " The text may have at most 1 MiB, else it is 413. It is not stored."
	session := a.area("Text analysis", withSession)
	post(session, "/api/text/nlp/analyze-text", "analyzeText", "Analyze text", a.analyzeText, body(maxTextBody), describe(
		"Analyses a text as if it were the text of a file, and returns the result at once. Labels are for English text only, from the team's active model; a text file with the same text gets the same ones. "+
			"`GET /api/languages` lists what is read in which language; in others dates, amounts and other figures are extracted. A form feed ends a page."+size))
	get(session, "/api/languages", "listLanguages", "List languages", a.listLanguages, describe(
		"Languages that texts are read in by rules of their own, by code. Of texts in other languages sentences follow Unicode's rules, and dates, amounts and percentages in figures are extracted."))
	post(session, "/api/text/nlp/score-text", "scoreText", "Score text", a.scoreText, body(2*maxTextBody), describe(
		"Compares the sentences of a text by their words with those of `reference`, another text, or with those of the files of `documentTypeId`: "+
			"at most 20,000 sentences, from the newest files."+size))
}

const (
	maxText     = 1 << 20 // bytes
	maxTextBody = 7 << 20 // of one text in JSON, every byte escaped
	// maxTextTokens is how many words of a text are listed.
	maxTextTokens = 1000
	// textTime is how long a text may take, waiting for a processor included.
	textTime = 20 * time.Second
)

// TextAnalysis is the analysis of a text.
type TextAnalysis struct {
	Language   string         `json:"language" doc:"ISO 639-1 code; empty if it was not detected"`
	Warnings   []Warning      `json:"warnings" nullable:"false" doc:"The code language_unlabelled says that no model supports the language"`
	ModelID    string         `json:"modelId,omitempty" doc:"The model that labelled the sentences; absent where no model supports the language"`
	Sentences  []TextSentence `json:"sentences" nullable:"false"`
	Labels     []TextLabel    `json:"labels" nullable:"false" doc:"Clauses of the text, most probable first"`
	Entities   []Attribute    `json:"entities" nullable:"false" doc:"Entities with their positions in the text, in reading order"`
	Attributes []Attribute    `json:"attributes" nullable:"false" doc:"Attributes of the text as a whole"`
	Tokens     []TextToken    `json:"tokens" nullable:"false" doc:"Words without stop words and numbers, most frequent first, at most 1,000"`
}

// Language says what is read of texts in a language.
type Language struct {
	Code         string               `json:"code" doc:"ISO 639-1 code"`
	Name         string               `json:"name" doc:"In English"`
	Capabilities LanguageCapabilities `json:"capabilities"`
}

// LanguageCapabilities are what can be read of texts in a language.
type LanguageCapabilities struct {
	Sentences bool `json:"sentences" doc:"Sentence boundaries by the rules of the language"`
	Values    bool `json:"values" doc:"Dates, durations, amounts and percentages, in figures and in words"`
	Facts     bool `json:"facts" doc:"Parties, dates and governing law of the text as a whole"`
	Stems     bool `json:"stems" doc:"Stems and stop words of tokens"`
	Labels    bool `json:"labels" doc:"Clause labels"`
	Types     bool `json:"types" doc:"Document types"`
	OCR       bool `json:"ocr" doc:"Recognition of scans: a running worker has it installed"`
}

func (a *API) listLanguages(ctx context.Context, _ *struct{}) (List[Language], error) {
	installed, err := a.DB.RecognitionLanguages(ctx)
	return newList(nlp.Languages(), func(l nlp.Language) Language {
		return Language{l.Code, l.Name, LanguageCapabilities{
			Sentences: true, Values: true, Facts: true, Stems: true, Labels: l.Labels, Types: l.Labels, OCR: slices.Contains(installed, l.Tesseract),
		}}
	}), err
}

// unlabelled is the warning for a text in a language without a model.
var unlabelled = Warning{Code: db.LanguageUnlabelled, Message: "clauses are labelled in English texts only"}

// TextSentence is a sentence, a heading, an item of a list or a row of a table.
type TextSentence struct {
	Text         string          `json:"text"`
	Span         Span            `json:"span"`
	Page         int             `json:"page"`
	Label        *string         `json:"label" doc:"The first of labels; null for no clause"`
	Labels       []SentenceLabel `json:"labels" nullable:"false" doc:"All labels, most probable first"`
	Score        *float32        `json:"score,omitempty" doc:"Probability of the label; for no clause, the probability of the closest label, which is the first of alternatives"`
	NoClause     *float32        `json:"noClause,omitempty" doc:"Only for no clause: the probability of no clause"`
	Alternatives []TextScore     `json:"alternatives" nullable:"false" doc:"Other possible nodes, most probable first: further labels, and nodes that are too improbable"`
}

// TextScore is how likely a node is.
type TextScore struct {
	Label string  `json:"label"`
	Score float32 `json:"score"`
}

// TextLabel is a clause that a text has.
type TextLabel struct {
	Label string  `json:"label"`
	Name  string  `json:"name"`
	Score float32 `json:"score" doc:"Score of its most probable sentence"`
	Spans []Span  `json:"spans" nullable:"false"`
}

// TextToken is a word of a text with its forms counted together.
type TextToken struct {
	Token string `json:"token" doc:"The most frequent form of the word"`
	Stem  string `json:"stem"`
	Count int    `json:"count"`
}

func newTextToken(t nlp.Token) TextToken { return TextToken{t.Token, t.Stem, t.Count} }

func newTextAttribute(text givenText, a nlp.Attribute) Attribute {
	out := Attribute{Key: string(a.Key), Normalized: AttributeValue(a.Value), Confidence: float32(a.Confidence), NeedsReview: needsReview(float32(a.Confidence)), Source: "rule"}
	for _, s := range a.Spans {
		at := text.Span(s)
		out.Spans = append(out.Spans, Quote{Span{at.Start, at.End}, text.Page(at), text.Alignment.Quote(at)})
	}
	out.Value = strings.Join(strings.Fields(out.Spans[0].Text), " ")
	return out
}

// givenText is the text of a request as it is read from a text file, which leaves out
// what is not seen and the marks of Markdown, and where it is in the request.
type givenText struct {
	*nlp.Segmentation
	*nlp.Alignment
}

// readText reads a text of a request. The language is detected where it is "".
func readText(ctx context.Context, location, text, language string) (givenText, error) {
	if len(text) > maxText {
		return givenText{}, fault.New(fault.TooLarge, location+" is larger than 1 MiB")
	}
	read, err := document.ReadText(ctx, text)
	if err != nil {
		return givenText{}, err
	}
	seg := nlp.SegmentPagesIn(language, newList(read, newTextPage).Items)
	return givenText{seg, nlp.Align(seg.Text, text)}, nil
}

// newTextPage is a page of a text, which declares nothing but headings.
func newTextPage(p document.Page) nlp.Page {
	return nlp.Page{Text: p.Text, Declared: newList(p.Paragraphs, func(q document.Paragraph) nlp.Declared {
		return nlp.Declared{Span: nlp.Span{Start: q.Start, End: q.End}, Kind: nlp.Heading, Level: q.Level}
	}).Items}
}

// sentences are those of a text, without labels.
func (t givenText) sentences() []TextSentence {
	return newList(t.Sentences, func(s nlp.Sentence) TextSentence {
		at := t.Span(s.Span)
		return TextSentence{Text: t.Alignment.Quote(at), Span: Span{at.Start, at.End}, Page: t.Page(at), Labels: []SentenceLabel{}, Alternatives: []TextScore{}}
	}).Items
}

func (a *API) analyzeText(ctx context.Context, in *struct {
	Body struct {
		Text     string `json:"text"`
		Language string `json:"language,omitempty" pattern:"^[a-z]{2}$" doc:"ISO 639-1 code; detected if absent"`
	}
}) (TextAnalysis, error) {
	ctx, cancel := context.WithTimeout(ctx, textTime)
	defer cancel()
	release, err := a.quotas.texts.take(ctx)
	if err != nil {
		return TextAnalysis{}, err
	}
	defer release()
	seg, err := readText(ctx, "text", in.Body.Text, in.Body.Language)
	if err != nil {
		return TextAnalysis{}, err
	}
	out := TextAnalysis{
		Language: seg.Language, Sentences: seg.sentences(), Labels: []TextLabel{}, Warnings: []Warning{},
		Tokens: newList(nlp.Tokens(seg.Text, nlp.TokenOptions{Language: seg.Language}), newTextToken).Items,
	}
	out.Tokens, _ = cut(out.Tokens, maxTextTokens)
	facts := nlp.Facts(seg.Segmentation)
	if nlp.Labels(seg.Language) {
		scope := auth.Scope(ctx)
		nodes, err := taxonomy(ctx, a.DB.Queries, scope)
		if err != nil {
			return TextAnalysis{}, err
		}
		id, model, err := a.models.Active(ctx, scope)
		if err != nil {
			return TextAnalysis{}, err
		}
		out.ModelID = id
		out.label(model.Predict(nlp.Passages(seg.Segmentation, facts)), nodes)
	} else {
		out.Warnings = append(out.Warnings, unlabelled)
	}
	out.Attributes = newList(facts.File, func(f nlp.Attribute) Attribute { return newTextAttribute(seg, f) }).Items
	out.Entities = newList(facts.Findings, func(f nlp.Finding) Attribute {
		return newTextAttribute(seg, nlp.Attribute{Key: f.Key, Value: f.Value, Confidence: f.Confidence, Spans: []nlp.Span{f.Span}})
	}).Items
	return out, ctx.Err()
}

// label adds a model's predictions to the sentences and to the text.
func (t *TextAnalysis) label(predictions []nlp.Prediction, nodes []Tag) {
	var found []corpus.Labelling
	for i, p := range predictions {
		t.Sentences[i].predicted(p)
		found = append(found, newList(p.Labels, func(l nlp.Score) corpus.Labelling {
			return corpus.Labelling{Label: l.Node, Score: l.Probability, Source: i}
		}).Items...)
	}
	clauses := map[string]corpus.Clause{}
	for _, c := range corpus.Clauses(found) {
		clauses[c.Label] = c
	}
	for _, node := range nodes {
		if c, ok := clauses[node.Key]; ok {
			t.Labels = append(t.Labels, TextLabel{node.Key, node.Name, float32(c.Score), newList(c.Sources, func(i int) Span { return t.Sentences[i].Span }).Items})
		}
	}
	slices.SortStableFunc(t.Labels, func(x, y TextLabel) int { return cmp.Compare(y.Score, x.Score) })
}

// predicted sets a model's prediction for a sentence.
func (s *TextSentence) predicted(p nlp.Prediction) {
	for _, l := range p.Labels {
		score := float32(l.Probability)
		s.Labels = append(s.Labels, SentenceLabel{Node: l.Node, Score: &score, Source: "predicted"})
	}
	s.Alternatives = newList(slices.Concat(p.Labels, p.Alternatives), func(l nlp.Score) TextScore { return TextScore{l.Node, float32(l.Probability)} }).Items
	if len(s.Labels) > 0 {
		s.Label, s.Score, s.Alternatives = &s.Labels[0].Node, s.Labels[0].Score, s.Alternatives[1:]
		return
	}
	none := float32(p.NoClause)
	s.NoClause = &none
	if len(s.Alternatives) > 0 {
		s.Score = &s.Alternatives[0].Score
	}
}
