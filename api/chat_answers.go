package api

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/answer"
	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/query"
)

// ChatAnswer is what the service answers to a message: quotes of the documents that the
// chat is about, or what it understood of a question about many documents.
type ChatAnswer struct {
	Kind      answer.Kind    `json:"kind" doc:"What the answer is made of: a fact that was read, clauses with the label that is asked for, passages with the words of the question, differences from the reference document; documents for a question about many"`
	Topics    []string       `json:"topics" nullable:"false" doc:"The labels and facts that the question is understood to ask for"`
	Found     bool           `json:"found" doc:"false if nothing in the document answers"`
	Sentences []ChatSentence `json:"sentences" nullable:"false" doc:"The answer, the best passage first"`
	Nearest   []Citation     `json:"nearest" nullable:"false" doc:"If nothing answers: what comes closest"`
	More      int            `json:"more" doc:"Number of further differences, which are not quoted"`
	Model     string         `json:"model,omitempty" doc:"The language model that wrote written; absent if the answer is made of quotes only"`
	Written   []ChatSentence `json:"written,omitempty" nullable:"false" doc:"What the model wrote out of sentences. Only sentences whose citations were found in the document"`
	Notice    string         `json:"notice,omitempty" doc:"What is to be known of the answer: that the document has none of the words of the question, why a language model wrote nothing, or what was left out of what it wrote"`
	Query     *AskedQuery    `json:"query,omitempty" doc:"What a question about many documents asks for"`
}

// ChatSentence is a sentence of an answer with what supports it.
type ChatSentence struct {
	Text      string     `json:"text"`
	Citations []Citation `json:"citations" nullable:"false" doc:"At least one"`
}

// Citation is a quote with its place.
type Citation struct {
	FileID     string `json:"fileId"`
	SentenceID string `json:"sentenceId" doc:"Sentence that the quote begins in, as long as the file is not reprocessed"`
	Span       Span   `json:"span"`
	Page       int    `json:"page" doc:"Page where it begins, from 1"`
	Section    string `json:"section" doc:"Number and title of its section; empty if there is none"`
	Quote      string `json:"quote" doc:"Exactly what the text of the file has at the span, line breaks included"`
}

func asAnswer(a answer.Answer) ChatAnswer {
	out := ChatAnswer{
		Model: a.Model, Notice: a.Notice,
		Kind: a.Kind, Topics: a.Topics, Found: a.Found, Nearest: newList(a.Nearest, newCitation).Items, More: a.More,
		Sentences: newList(a.Sentences, newChatSentence).Items,
	}
	if len(a.Written) > 0 {
		out.Written = newList(a.Written, newChatSentence).Items
	}
	return out
}

func newChatSentence(s answer.Said) ChatSentence {
	return ChatSentence{s.Text, newList(s.Citations, newCitation).Items}
}

func newCitation(c answer.Citation) Citation {
	return Citation{c.FileID, c.SentenceID, Span(c.Span), c.Page, c.Section, c.Quote}
}

// AskedQuery is a question about many documents as a query over them.
type AskedQuery struct {
	Question   string             `json:"question"`
	Config     WidgetConfig       `json:"config"`
	Understood []query.Understood `json:"understood" nullable:"false" doc:"Words and their interpretation"`
	Model      string             `json:"model,omitempty" doc:"The language model that wrote the query, where the rules of the service did not understand the question"`
}

// The answers to who asks what cannot be answered.
var (
	errNoDocument  = fault.New(fault.Conflict, "the chat has no document to ask, or it was deleted; set one with POST /api/chats/{chatId}/document-context")
	errMoved       = fault.New(fault.Conflict, "the documents of the chat were changed meanwhile; ask again")
	errNoReference = fault.New(fault.Conflict, "the chat has no reference document to compare with, or it was deleted; set one with POST /api/chats/{chatId}/reference-document-context")
)

// newChatAnswer is nil where there is none, or it is of a release that wrote them otherwise:
// then the text of the message is all there is.
func newChatAnswer(stored json.RawMessage) *ChatAnswer {
	var out ChatAnswer
	if stored == nil || json.Unmarshal(stored, &out) != nil {
		return nil
	}
	return &out
}

// replying is an answer that is not said yet, and the documents that it was made of.
type replying struct {
	said  answer.Answer
	query *AskedQuery // of a question about many documents

	fileID, referenceID *string
}

// answer answers a question in a chat by what it is about: one document, its difference
// from another one, or many.
func (a *API) answer(ctx context.Context, chatID, question string) (replying, error) {
	if len([]rune(question)) > answer.MaxQuestion {
		return replying{}, invalid("body.text", "is too long for a question, which may have 1,000 characters")
	}
	scope := auth.Scope(ctx)
	chat, err := a.DB.Chat(ctx, scope, chatID)
	if err != nil {
		return replying{}, err
	}
	nodes, err := a.DB.Nodes(ctx, scope)
	if err != nil {
		return replying{}, err
	}
	fields, err := a.DB.Fields(ctx, scope)
	if err != nil {
		return replying{}, err
	}
	out := replying{fileID: chat.FileID, referenceID: chat.ReferenceFileID}
	q := answer.Ask(question, slices.Concat(newList(nodes, newTopic).Items, newList(fields, newOwnTopic).Items))
	if q.Kind == answer.Many {
		out.said, out.query, err = a.askMany(ctx, question)
		return out, err
	}
	document, err := a.quotable(ctx, chat.FileID, errNoDocument)
	if err != nil {
		return out, err
	}
	if q.Kind != answer.Difference {
		out.said = document.Answer(q)
		return out, nil
	}
	reference, err := a.quotable(ctx, chat.ReferenceFileID, errNoReference)
	if err != nil {
		return out, err
	}
	out.said = document.Difference(q, reference)
	return out, nil
}

// reply says an answer to the message that asked.
func (r replying) reply(ctx context.Context, tx *db.Tx, asked db.ChatMessage) (*ChatMessage, error) {
	if text(asked.FileID) != text(r.fileID) || text(asked.ReferenceFileID) != text(r.referenceID) {
		return nil, errMoved
	}
	wire := asAnswer(r.said)
	wire.Query = r.query
	stored, err := json.Marshal(wire)
	if err != nil {
		return nil, err
	}
	row, err := tx.AddAnswer(ctx, auth.Scope(ctx), asked, r.said.Message(), stored)
	if err != nil {
		return nil, err
	}
	message := newChatMessage(row)
	return &message, nil
}

// askMany hands a question about many documents to the grammar of queries.
func (a *API) askMany(ctx context.Context, question string) (answer.Answer, *AskedQuery, error) {
	read, err := a.understand(ctx, "body.text", question, true)
	if err != nil {
		return answer.Answer{}, nil, err
	}
	meanings := newList(read.understood, func(u query.Understood) string { return u.Meaning }).Items
	return answer.OfMany(meanings), &AskedQuery{question, read.config, list(read.understood), read.model}, nil
}

// newTopic is a label that a team has named itself.
func newTopic(n db.Node) answer.Topic { return answer.Topic{Name: n.Name, Node: n.Key} }

// newOwnTopic is a field that a team has declared.
func newOwnTopic(f db.OwnField) answer.Topic {
	return answer.Topic{Name: f.Name, Keys: []string{f.Key}}
}

// quotable is a file with all that answers are made of. missing is the error where there
// is none.
func (a *API) quotable(ctx context.Context, fileID *string, missing error) (*answer.Document, error) {
	if fileID == nil {
		return nil, missing
	}
	scope := auth.Scope(ctx)
	file, err := a.settled(ctx, *fileID)
	if err != nil {
		return nil, err
	}
	pages, err := a.DB.PageTexts(ctx, scope, file.ID)
	if err != nil {
		return nil, err
	}
	sentences, err := a.DB.Sentences(ctx, scope, file.ID)
	if err != nil {
		return nil, err
	}
	sections, err := a.DB.SectionTitles(ctx, scope, file.ID)
	if err != nil {
		return nil, err
	}
	facts, err := a.DB.Attributes(ctx, scope, file.ID, db.AttributePlace{Level: db.FileLevel, After: -1, Limit: mostFacts})
	if err == nil {
		err = a.still(ctx, file)
	}
	if err != nil {
		return nil, err
	}
	return answer.NewDocument(
		file.ID, strings.Join(pages, "\f"), newList(sentences, newQuotable).Items, newList(sections, newTitled).Items, newList(facts, newRead).Items,
	), nil
}

// mostFacts bounds how many facts of a file answers are made of.
const mostFacts = 500

func newQuotable(s db.Sentence) answer.Sentence {
	out := answer.Sentence{Span: nlp.Span{Start: s.Start, End: s.End}, ID: s.ID, Page: s.Page, Text: s.Text}
	for _, l := range s.Labels() {
		out.Labels = append(out.Labels, answer.NewLabel(l.Node, l.Score, l.ValidatedBy != nil))
	}
	if s.Suggested != nil {
		out.Labels = append(out.Labels, answer.NewClosest(*s.Suggested, s.Score))
	}
	return out
}

func newTitled(s db.SectionTitle) answer.Section {
	return answer.Section{Span: nlp.Span{Start: s.Start, End: s.End}, Number: s.Number, Title: s.Title}
}

func newRead(f db.Attribute) answer.Read {
	confidence := float64(f.Confidence)
	if f.Decision != nil {
		confidence = 1
	}
	return answer.Read{Key: f.Key, Value: f.Value, Confidence: confidence, Places: newList(f.Spans, func(s db.AttributeSpan) answer.Place {
		return answer.Place{Span: nlp.Span{Start: s.Start, End: s.End}, Page: s.Page, Quote: s.Quote}
	}).Items}
}
