package api

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/corpus"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
)

// text says what texts mean that are no files.
func (a *API) text() {
	const size = "At most 1 MiB of text, else 413; nothing of it is kept. "
	session := a.area("Text analysis", withSession)
	post(session, "/api/text/nlp/analyze-text", "analyzeText", "Analyze text", a.analyzeText, body(maxTextBody), describe(size+
		"Answered at once: what a file with this text would say. Labels are given to English text only, by the team's active model; "+
		"of other languages the figures are read. A form feed ends a page."))
	post(session, "/api/text/nlp/score-text", "scoreText", "Score text", a.scoreText, body(2*maxTextBody), describe(size+
		"Compares the sentences of the text by their words with those of `reference`, another text, or of the files of `documentTypeId`, the newest first and "+
		"at most 20,000 sentences."))
}

const (
	maxText     = 1 << 20 // bytes
	maxTextBody = 7 << 20 // of one text in JSON, every byte escaped
	// maxTextTokens is how many words of a text are listed.
	maxTextTokens = 1000
	// textTime is how long a text may take, waiting for a processor included.
	textTime = 20 * time.Second
)

// TextAnalysis is what a text says.
type TextAnalysis struct {
	Language   string         `json:"language" doc:"ISO 639-1; empty if it was not detected"`
	ModelID    string         `json:"modelId,omitempty" doc:"That labelled the sentences; absent where no model reads the language"`
	Sentences  []TextSentence `json:"sentences" nullable:"false"`
	Labels     []TextLabel    `json:"labels" nullable:"false" doc:"The clauses of the text, the surest first"`
	Entities   []Attribute    `json:"entities" nullable:"false" doc:"Entities with their places in the text, in order"`
	Attributes []Attribute    `json:"attributes" nullable:"false" doc:"What holds for the text as a whole"`
	Tokens     []TextToken    `json:"tokens" nullable:"false" doc:"Stop words and numbers left out, the most frequent first, at most 1,000"`
}

// TextSentence is a sentence, a heading, an item of a list or a row of a table.
type TextSentence struct {
	Text         string      `json:"text"`
	Span         Span        `json:"span"`
	Page         int         `json:"page"`
	Label        *string     `json:"label" doc:"The key of a node; null for no clause"`
	Score        *float64    `json:"score,omitempty" doc:"As that of a sentence of a file: how likely the label is; for no clause, how likely the one that came closest, the first of the alternatives"`
	NoClause     *float64    `json:"noClause,omitempty" doc:"For no clause, how likely that is"`
	Alternatives []TextScore `json:"alternatives" nullable:"false" doc:"The other nodes that are likely at all, the likeliest first"`
}

// TextScore is how likely a node is.
type TextScore struct {
	Label string  `json:"label"`
	Score float64 `json:"score"`
}

// TextLabel is a clause that a text has.
type TextLabel struct {
	Label string  `json:"label"`
	Name  string  `json:"name"`
	Score float64 `json:"score" doc:"Of its likeliest sentence"`
	Spans []Span  `json:"spans" nullable:"false"`
}

// TextToken is a word of a text with its forms counted together.
type TextToken struct {
	Token string `json:"token" doc:"Its commonest form"`
	Stem  string `json:"stem"`
	Count int    `json:"count"`
}

func newTextToken(t nlp.Token) TextToken { return TextToken{t.Token, t.Stem, t.Count} }

func newTextAttribute(seg *nlp.Segmentation, a nlp.Attribute) Attribute {
	out := Attribute{Key: string(a.Key), Normalized: AttributeValue(a.Value), Confidence: float32(a.Confidence), Source: "rule"}
	for _, s := range a.Spans {
		out.Spans = append(out.Spans, Quote{Span{s.Start, s.End}, seg.PageAt(s.Start), seg.Quote(s)})
	}
	out.Value = strings.Join(strings.Fields(out.Spans[0].Text), " ")
	return out
}

// segment reads a text of a request.
func segment(location, text, language string) (*nlp.Segmentation, error) {
	if len(text) > maxText {
		return nil, fault.New(fault.TooLarge, location+" is larger than 1 MiB")
	}
	return nlp.SegmentIn(language, strings.Split(text, "\f")), nil
}

func (a *API) analyzeText(ctx context.Context, in *struct {
	Body struct {
		Text     string `json:"text"`
		Language string `json:"language,omitempty" pattern:"^[a-z]{2}$" doc:"ISO 639-1; found out where it is absent"`
	}
}) (TextAnalysis, error) {
	ctx, cancel := context.WithTimeout(ctx, textTime)
	defer cancel()
	release, err := a.quotas.texts.take(ctx)
	if err != nil {
		return TextAnalysis{}, err
	}
	defer release()
	seg, err := segment("text", in.Body.Text, in.Body.Language)
	if err != nil {
		return TextAnalysis{}, err
	}
	out := TextAnalysis{
		Language: seg.Language, Sentences: make([]TextSentence, len(seg.Sentences)), Labels: []TextLabel{},
		Tokens: newList(nlp.Tokens(seg.Text, nlp.TokenOptions{}), newTextToken).Items,
	}
	out.Tokens, _ = cut(out.Tokens, maxTextTokens)
	for i, s := range seg.Sentences {
		out.Sentences[i] = TextSentence{Text: s.Text, Span: Span{s.Start, s.End}, Page: s.Page, Alternatives: []TextScore{}}
	}
	facts := nlp.Facts(seg)
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
		out.label(model.Predict(nlp.Passages(seg, facts)), nodes)
	}
	out.Attributes = newList(facts.File, func(f nlp.Attribute) Attribute { return newTextAttribute(seg, f) }).Items
	out.Entities = newList(facts.Findings, func(f nlp.Finding) Attribute {
		return newTextAttribute(seg, nlp.Attribute{Key: f.Key, Value: f.Value, Confidence: f.Confidence, Spans: []nlp.Span{f.Span}})
	}).Items
	return out, ctx.Err()
}

// label tells what a model says of the sentences, in terms of nodes.
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
			t.Labels = append(t.Labels, TextLabel{node.Key, node.Name, c.Score, newList(c.Sources, func(i int) Span { return t.Sentences[i].Span }).Items})
		}
	}
	slices.SortStableFunc(t.Labels, func(x, y TextLabel) int { return cmp.Compare(y.Score, x.Score) })
}

// predicted tells what a model says of a sentence.
func (s *TextSentence) predicted(p nlp.Prediction) {
	switch {
	case p.Label != "":
		s.Score = &p.Probability
	case len(p.Alternatives) > 0:
		s.NoClause, s.Score = &p.Probability, &p.Alternatives[0].Probability
	default:
		s.NoClause = &p.Probability
	}
	others := p.Labels
	if len(others) > 0 {
		s.Label, others = &p.Label, others[1:]
	}
	s.Alternatives = newList(slices.Concat(others, p.Alternatives), func(l nlp.Score) TextScore { return TextScore{l.Node, l.Probability} }).Items
}
