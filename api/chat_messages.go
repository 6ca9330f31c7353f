package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// chatMessages serves what is said in chats, to their participants.
func (a *API) chatMessages() {
	const byAuthor = "Only its author may; for others it is 403. With `If-Match` a stale version is 409. "
	session := a.area("Chats", withSession)
	get(session, "/api/chats/messages", "searchChatMessages", "Search the messages of all chats", a.searchMessages, describe(
		"Finds messages that have all words of `q`, in any form, in the chats that the caller participates in, newest first. \"Quoted words\" are a phrase, `or` is between "+
			"alternatives, and a word with - before it must be absent. `GET /api/search` does not search messages."))
	get(session, "/api/chats/{chatId}/messages", "listChatMessages", "List the messages of a chat", a.listMessages, describe(
		onlySeen+"Each page is in the order of the conversation, the newest message last. Without `cursor` it is the end of the chat, or what is around the message `around`. "+
			"`nextCursor` leads to older messages and is absent where there are none. `newerCursor` leads to those behind the page: ask with it again, also later, until "+
			"`items` is empty. A message about a file that the caller may not see is left out. With `q` only messages with these words are listed, as in `GET /api/chats/messages`."))
	post(session, sayPath, "createChatMessage", "Write a message", a.createMessage, status(http.StatusCreated), describe(
		onlySeen+"The message keeps the documents that the chat has at the time. Participants in `mentions`, and those whose e-mail address is in the text behind an at sign, are "+
			"notified. Whoever is no participant cannot be mentioned in `mentions`: 422. The participants get the event chat.message_added. "+
			"With `ask` the service answers: `reply` is its message, which all participants get. It answers from the current document with quotes, which the text of the file has at "+
			"their spans: facts that were read, clauses with the label that is asked for, the team's own labels included, differences from the reference document (\"what changed in termination?\"), "+
			"else what speaks of the words of the question. Where nothing does, `found` is false and `nearest` has what comes closest. Of a question about many documents "+
			"(\"which contracts expire in 90 days?\") it answers the query that it stands for. Questions are in English and have 1,000 characters at most. Without a document, or one to compare with, it is 409. "+
			"Where the installation has a language model, it writes an answer out of the quotes (`written`), which says its name (`model`); the flag "+modelFlag+", switched off, keeps it from the team. "+
			"With `Accept: text/event-stream` the answer comes as server-sent events: `quote` for each quote, `sentence` for each sentence that the model writes, as it is checked, and in the end "+
			"`message` with the body of the other answer, which alone counts, or `error`. What is refused before the first event is answered as always."))
	get(session, "/api/chats/{chatId}/messages/{messageId}", "getChatMessage", "Get a message", a.getMessage, describe(
		onlySeen+"A deleted message has `deletedAt` and no text."))
	patch(session, "/api/chats/{chatId}/messages/{messageId}", "updateChatMessage", "Edit a message", a.updateMessage, describe(
		onlySeen+byAuthor+"The message has `editedAt` then; its earlier text is not stored. Who is mentioned only now is notified. A deleted message is 409."))
	del(session, "/api/chats/{chatId}/messages/{messageId}", "deleteChatMessage", "Delete a message", a.deleteMessage, describe(
		onlySeen+byAuthor+"The text is removed for good and cannot be restored; the message keeps its place in the chat. Deleting it again is no error."))
	put(session, "/api/chats/{chatId}/read", "markChatRead", "Mark a chat as read", a.markChatRead, eitherWay[ChatRead](a), describe(
		onlySeen+"Marks the messages up to `messageId` as read by the caller, by default all. What was read stays read. `messageId` is a query parameter or in the body. Answers the chat."))
}

const sayPath = "/api/chats/{chatId}/messages"

// ChatMessage is what a participant wrote in a chat, or what the service answered.
type ChatMessage struct {
	ID                       string        `json:"id"`
	ChatID                   string        `json:"chatId"`
	Number                   int           `json:"number" doc:"Place in the chat, from 1. Deleted messages keep theirs"`
	Author                   *ChatAuthor   `json:"author,omitempty" doc:"Absent if the account was deleted, and of answers of the service"`
	Text                     string        `json:"text" doc:"Plain text; empty if the message was deleted, or if it is an answer and a document that it quotes is in the trash"`
	Mentions                 []string      `json:"mentions" nullable:"false" doc:"Ids of the users who are mentioned"`
	DocumentContext          *ChatDocument `json:"documentContext,omitempty" doc:"The current document of the chat when the message was written; absent if it has been deleted"`
	ReferenceDocumentContext *ChatDocument `json:"referenceDocumentContext,omitempty" doc:"The reference document of the chat when the message was written; absent if it has been deleted"`
	Version                  int           `json:"version"`
	CreatedAt                time.Time     `json:"createdAt"`
	EditedAt                 *time.Time    `json:"editedAt"`
	DeletedAt                *time.Time    `json:"deletedAt"`
	Answers                  *string       `json:"answers" doc:"Of an answer of the service: id of the message that asked"`
	Answer                   *ChatAnswer   `json:"answer,omitempty" doc:"The answer with its quotes"`
}

// SentMessage is a message that was written, and the answer that it asked for.
type SentMessage struct {
	ChatMessage

	Reply *ChatMessage `json:"reply,omitempty" doc:"What the service answers, if the message asks"`
}

// ChatAuthor is who wrote a message.
type ChatAuthor struct {
	UserID string `json:"userId"`
	Name   string `json:"name"`
}

func newChatMessage(m db.ChatMessage) ChatMessage {
	out := ChatMessage{
		ID: m.ID, ChatID: m.ChatID, Number: m.Number, Text: m.Text, Mentions: list(m.Mentions),
		DocumentContext: newChatDocument(m.FileID, m.FileName), ReferenceDocumentContext: newChatDocument(m.ReferenceFileID, m.ReferenceFileName),
		Version: m.Version, CreatedAt: m.CreatedAt.UTC(), EditedAt: utc(m.EditedAt), DeletedAt: utc(m.DeletedAt), Answers: m.Answers, Answer: newChatAnswer(m.Answer),
	}
	if m.AuthorID != nil {
		out.Author = &ChatAuthor{*m.AuthorID, text(m.AuthorName)}
	}
	return out
}

func (m ChatMessage) address() string { return "/api/chats/" + m.ChatID + "/messages/" + m.ID }

// etag also changes with the names of its files and author.
func (m ChatMessage) etag() string { return contentTag(m.Version, m) }

// ChatMessageRef is the request of every operation on one message.
type ChatMessageRef struct {
	ChatRef
	MessageID string `path:"messageId" format:"uuid" doc:"Message id"`
}

// ChatMessages is a page of a conversation.
type ChatMessages struct {
	List[ChatMessage]
	NewerCursor string `json:"newerCursor" doc:"Cursor of the messages behind this page"`
}

const chatMessagePages = "chat messages"

// chatPlace is where a page of messages lies. A cursor has < or > and the number of a
// message.
func chatPlace(p Page) (at db.ChatPlace, err error) {
	place, err := p.place(chatMessagePages)
	if err != nil || place == "" {
		return at, err
	}
	n, err := strconv.ParseInt(place[1:], 10, 32)
	switch {
	case err != nil || n < 0 || place[0] != '<' && place[0] != '>':
		return at, errCursor("query.cursor")
	case place[0] == '>':
		after := int(n)
		at.After = &after
	default:
		at.Before = max(int(n), 1)
	}
	return at, nil
}

func (a *API) listMessages(ctx context.Context, in *struct {
	ChatRef
	Page
	Around string `query:"around" format:"uuid" doc:"Id of a message to be in the middle of the page; not together with cursor"`
	Q      string `query:"q" maxLength:"500" doc:"Only messages with these words"`
}) (ChatMessages, error) {
	scope := auth.Scope(ctx)
	if err := a.DB.NeedChat(ctx, scope, in.ChatID); err != nil {
		return ChatMessages{}, err
	}
	at, err := chatPlace(in.Page)
	if err != nil {
		return ChatMessages{}, err
	}
	if in.Around != "" {
		if in.Cursor != "" {
			return ChatMessages{}, invalid("query.around", "is not used together with cursor")
		}
		middle, err := a.DB.ChatMessage(ctx, scope, in.ChatID, in.Around)
		if err != nil {
			return ChatMessages{}, err
		}
		after := max(middle.Number-1-in.Limit/2, 0)
		at.After = &after
	}
	rows, err := a.DB.ChatMessages(ctx, scope, in.ChatID, in.Q, at, in.Limit+1)
	if err != nil {
		return ChatMessages{}, err
	}
	rows, more := cut(rows, in.Limit)
	older, newer := 1, max(at.Before-1, 0) // numbers at the ends of the page
	if at.After != nil {
		older, newer = *at.After+1, *at.After
	} else {
		slices.Reverse(rows)
	}
	if len(rows) > 0 {
		older, newer = rows[0].Number, last(rows).Number
	}
	out := ChatMessages{newList(rows, newChatMessage), cursor(chatMessagePages, fmt.Sprintf(">%d", newer))}
	if at.After == nil && more || at.After != nil && older > 1 {
		out.NextCursor = cursor(chatMessagePages, fmt.Sprintf("<%d", older))
	}
	return out, nil
}

// FoundMessage is a message with the name of its chat.
type FoundMessage struct {
	ChatMessage
	ChatName string `json:"chatName"`
}

func (a *API) searchMessages(ctx context.Context, in *struct {
	Page
	Q string `query:"q" required:"true" minLength:"1" maxLength:"500" doc:"Words to find"`
}) (List[FoundMessage], error) {
	const kind = "found messages"
	after, err := in.idPlace(kind)
	if err != nil {
		return List[FoundMessage]{}, err
	}
	rows, err := a.DB.FindMessages(ctx, auth.Scope(ctx), in.Q, after, in.Limit+1)
	return newPage(rows, in.Limit, kind, func(m db.ChatMessage) FoundMessage { return FoundMessage{newChatMessage(m), m.ChatName} },
		func(m db.ChatMessage) string { return m.ID }), err
}

type createChatMessageRequest struct {
	ChatRef
	OnceKey
	Body struct {
		Text     string   `json:"text" minLength:"1" maxLength:"10000" doc:"Plain text"`
		Mentions []string `json:"mentions,omitempty" maxItems:"200" nullable:"false" doc:"Ids of participants to notify"`
		Ask      bool     `json:"ask,omitempty" doc:"The service answers"`
	}
}

// said is an error for a message that says nothing, or mentions what cannot be a user.
func said(text *string, mentions []string) error {
	if text != nil && strings.TrimFunc(*text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) == "" {
		return invalid("body.text", "must have at least one character that is not a space")
	}
	for i, id := range mentions {
		if !isID(id) {
			return invalid(fmt.Sprintf("body.mentions[%d]", i), "is not the id of a participant")
		}
	}
	return nil
}

func (a *API) createMessage(ctx context.Context, in *createChatMessageRequest) (out SentMessage, err error) {
	if err := said(&in.Body.Text, in.Body.Mentions); err != nil {
		return out, err
	}
	stream := newAnswerStream(ctx)
	defer stream.close()
	answered, unanswered, err := a.answered(ctx, in, stream)
	if err != nil {
		return out, stream.fail(ctx, err)
	}
	err = a.DB.InTx(ctx, func(tx *db.Tx) error {
		out, err = once(ctx, tx, sayPath, in.OnceKey, in, func() (sent SentMessage, err error) {
			if unanswered != nil {
				return sent, unanswered
			}
			row, err := tx.AddChatMessage(ctx, auth.Scope(ctx), in.ChatID, db.NewChatMessage{Text: in.Body.Text, Mentions: in.Body.Mentions})
			if err != nil {
				return sent, err
			}
			sent.ChatMessage = newChatMessage(row)
			if in.Body.Ask {
				sent.Reply, err = answered.reply(ctx, tx, row)
			}
			return sent, err
		})
		return err
	})
	if err != nil {
		return out, stream.fail(ctx, err)
	}
	callOf(ctx).w.Header().Set("Location", out.address())
	return out, stream.finish(out)
}

// answered finds the answer that a message asks for, before the chat is held. Whoever
// repeats a request gets the first one, whatever it would be now; unanswered is why there is
// none.
func (a *API) answered(ctx context.Context, in *createChatMessageRequest, stream *answerStream) (found replying, unanswered, err error) {
	if !in.Body.Ask {
		return found, nil, nil
	}
	if in.IdempotencyKey != "" {
		if repeated, err := a.DB.Repeated(ctx, auth.Scope(ctx), sayPath, in.IdempotencyKey); err != nil || repeated {
			return found, nil, err
		}
	}
	if found, unanswered = a.answer(ctx, in.ChatID, in.Body.Text); unanswered != nil {
		return found, unanswered, nil
	}
	return found, nil, a.write(ctx, &found.said, in.Body.Text, stream)
}

func (a *API) getMessage(ctx context.Context, in *ChatMessageRef) (ChatMessage, error) {
	row, err := a.DB.ChatMessage(ctx, auth.Scope(ctx), in.ChatID, in.MessageID)
	return newChatMessage(row), err
}

func (a *API) updateMessage(ctx context.Context, in *struct {
	ChatMessageRef
	OfVersion
	Body struct {
		Text     *string   `json:"text,omitempty" minLength:"1" maxLength:"10000"`
		Mentions *[]string `json:"mentions,omitempty" maxItems:"200" doc:"Ids of participants; by default they stay"`
	}
}) (ChatMessage, error) {
	change := db.ChatMessageChange{Text: in.Body.Text, Mentions: in.Body.Mentions}
	if err := said(change.Text, orNothing(change.Mentions)); err != nil {
		return ChatMessage{}, err
	}
	var err error
	if change.IfVersion, err = ifMatch(in.IfMatch); err != nil {
		return ChatMessage{}, err
	}
	return inTx(ctx, a, newChatMessage, func(tx *db.Tx, scope db.Scope) (db.ChatMessage, error) {
		return tx.EditChatMessage(ctx, scope, in.ChatID, in.MessageID, change)
	})
}

func (a *API) deleteMessage(ctx context.Context, in *struct {
	ChatMessageRef
	OfVersion
}) (Message, error) {
	version, err := ifMatch(in.IfMatch)
	if err != nil {
		return Message{}, err
	}
	err = a.DB.InTx(ctx, func(tx *db.Tx) error {
		return tx.DeleteChatMessage(ctx, auth.Scope(ctx), in.ChatID, in.MessageID, version)
	})
	return Message{"the message was deleted"}, err
}

// ChatRead is how far a chat was read.
type ChatRead struct {
	MessageID string `json:"messageId,omitempty" maxLength:"36" doc:"The last message that was read; by default the last of the chat"`
}

func (a *API) markChatRead(ctx context.Context, in *struct {
	ChatRef
	Body *ChatRead
}) (Chat, error) {
	message := orNothing(in.Body).MessageID
	return inTx(ctx, a, newChat, func(tx *db.Tx, scope db.Scope) (db.Chat, error) {
		if message != "" && !isID(message) {
			return db.Chat{}, invalid("body.messageId", "names no message of this chat")
		}
		return tx.MarkChatRead(ctx, scope, in.ChatID, message)
	})
}
