package db

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// ChatMessage is what somebody said in a chat, or what the service answered. A deleted
// one has no text, and neither has an answer while a file that it quotes is in the trash.
type ChatMessage struct {
	ID                string     `db:"id"`
	ChatID            string     `db:"chat_id"`
	ChatName          string     `db:"chat_name"`
	Number            int        `db:"number"` // in its chat, from 1
	AuthorID          *string    `db:"author_id"`
	AuthorName        *string    `db:"author_name"`
	Text              string     `db:"text"`
	Mentions          []string   `db:"mentions"` // users
	FileID            *string    `db:"file_id"`  // what the chat was about at the time
	FileName          *string    `db:"file_name"`
	ReferenceFileID   *string    `db:"reference_file_id"`
	ReferenceFileName *string    `db:"reference_file_name"`
	Version           int        `db:"version"`
	CreatedAt         time.Time  `db:"created_at"`
	EditedAt          *time.Time `db:"edited_at"`
	DeletedAt         *time.Time `db:"deleted_at"`

	Answers *string         `db:"answers"` // the message that asked, of what the service says
	Answer  json.RawMessage `db:"answer"`  // with its quotes
}

// quotesAll is the condition that all files which a message quotes are there.
const quotesAll = `(m.answer IS NULL OR (m.file_id IS NULL OR f.id IS NOT NULL) AND (m.reference_file_id IS NULL OR r.id IS NOT NULL))`

// ownMessages selects messages of the chats that a user takes part in, but for those
// about files that the user may not see. A file in the trash is not named.
func ownMessages(in Scope) string {
	return `SELECT m.id, m.chat_id, c.name AS chat_name, m.number, m.author_id, u.name AS author_name, m.mentions::text[] AS mentions, m.answers,
		CASE WHEN ` + quotesAll + ` THEN m.text ELSE '' END AS text, CASE WHEN ` + quotesAll + ` THEN m.answer END AS answer,
		f.id AS file_id, f.name AS file_name, r.id AS reference_file_id, r.name AS reference_file_name, m.version, m.created_at, m.edited_at, m.deleted_at
	FROM chat_participants own
	JOIN chats c ON c.team_id = own.team_id AND c.id = own.chat_id
	JOIN chat_messages m ON m.team_id = own.team_id AND m.chat_id = own.chat_id
	LEFT JOIN users u ON u.id = m.author_id
	LEFT JOIN files f ON f.id = m.file_id AND f.team_id = own.team_id
	LEFT JOIN files r ON r.id = m.reference_file_id AND r.team_id = own.team_id
	WHERE own.team_id = @team AND own.user_id = @user` + in.seesChat("c") + in.seesAbout("m")
}

// saysWords is the condition that a message has the words of @words. They are read as
// searchable reads texts, but for a - that begins a word: that word is absent.
const saysWords = quotesAll + ` AND to_tsvector('stems_en', searchable(m.text)) @@
	websearch_to_tsquery('stems_en', regexp_replace(unaccented(@words), '[./\\_@:&?=~+<>%#]|(?<=\S)-', ' ', 'g'))`

// ChatMessage is one message; NotFound where in's own person does not take part in
// the chat.
func (q Queries) ChatMessage(ctx context.Context, in Scope, chatID, id string) (ChatMessage, error) {
	return one[ChatMessage](ctx, q, ownMessages(in)+` AND own.chat_id = @chat AND m.id = @id`,
		in.args(args{"user": nullable(in.UserID()), "chat": chatID, "id": id}))
}

// ChatPlace is where a page of messages lies: before the one with the number Before,
// or behind the one with the number After. Of both zero it is the end of the chat.
type ChatPlace struct {
	Before int
	After  *int
}

// ChatMessages lists the messages of a chat next to a place, in their order. With words,
// only those that have them.
func (q Queries) ChatMessages(ctx context.Context, in Scope, chatID, words string, at ChatPlace, limit int) ([]ChatMessage, error) {
	a := in.args(args{"user": nullable(in.UserID()), "chat": chatID, "limit": limit})
	w := startClauses("", a)
	w.when(words != "", "m.team_id = @team AND "+saysWords, "words", words)
	w.when(at.Before > 0, "m.number < @before", "before", at.Before)
	order := "DESC"
	if at.After != nil {
		w.when(true, "m.number > @after", "after", *at.After)
		order = "ASC"
	}
	return many[ChatMessage](ctx, q, ownMessages(in)+` AND own.chat_id = @chat`+w.String()+` ORDER BY m.number `+order+` LIMIT @limit`, a)
}

// FindMessages lists messages with words in all chats of in's own person, newest
// first, starting after the id `after` (exclusive; "" starts at the top).
func (q Queries) FindMessages(ctx context.Context, in Scope, words, after string, limit int) ([]ChatMessage, error) {
	a := in.args(args{"user": nullable(in.UserID()), "words": words, "limit": limit})
	w := startClauses("", a)
	w.when(after != "", "m.id < @after", "after", nullable(after))
	return many[ChatMessage](ctx, q, ownMessages(in)+` AND m.team_id = @team AND `+saysWords+w.String()+` ORDER BY m.id DESC LIMIT @limit`, a)
}

// NewChatMessage is what is to be said.
type NewChatMessage struct {
	Text     string
	Mentions []string // users; those whose address the text has behind an at sign are, too
}

// AddChatMessage says something in a chat as in's own person, about the documents that
// the chat has now. Participants who are mentioned are notified; others are Invalid.
func (t *Tx) AddChatMessage(ctx context.Context, in Scope, chatID string, n NewChatMessage) (ChatMessage, error) {
	chat, err := t.ChatForUpdate(ctx, in, chatID)
	if err != nil {
		return ChatMessage{}, err
	}
	mentions, err := chat.mentions(n.Text, n.Mentions)
	if err != nil {
		return ChatMessage{}, err
	}
	id, err := t.insertMessage(ctx, in, chat, args{"author": nullable(in.UserID()), "text": n.Text, "mentions": mentions, "answers": nil, "answer": nil})
	if err != nil {
		return ChatMessage{}, err
	}
	m, err := t.ChatMessage(ctx, in, chatID, id)
	if err != nil {
		return ChatMessage{}, err
	}
	return m, t.tellOfMessage(ctx, in, "chat.message_added", chat, m, mentions)
}

// AddAnswer has the service answer a message of in's own person, with text for those who
// read it as a message and the answer with its quotes.
func (t *Tx) AddAnswer(ctx context.Context, in Scope, asked ChatMessage, text string, answer json.RawMessage) (ChatMessage, error) {
	chat, err := t.ChatForUpdate(ctx, in, asked.ChatID)
	if err != nil {
		return ChatMessage{}, err
	}
	id, err := t.insertMessage(ctx, in, chat, args{"author": nil, "text": text, "mentions": []string{}, "answers": asked.ID, "answer": answer})
	if err != nil {
		return ChatMessage{}, err
	}
	m, err := t.ChatMessage(ctx, in, asked.ChatID, id)
	if err != nil {
		return ChatMessage{}, err
	}
	return m, t.tellOfMessage(ctx, in, "chat.message_added", chat, m, nil)
}

// insertMessage writes a message at the end of a chat that is held, and gives its id. Of
// in's own person: who had read everything has read this, too.
func (t *Tx) insertMessage(ctx context.Context, in Scope, chat Chat, a args) (string, error) {
	for name, v := range (args{
		"id": NewID(), "team": in.TeamID, "chat": chat.ID, "user": nullable(in.UserID()), "file": chat.FileID, "reference": chat.ReferenceFileID,
	}) {
		a[name] = v
	}
	return value[string](ctx, t.Queries, `
		WITH said AS (
			INSERT INTO chat_messages (id, team_id, chat_id, number, author_id, text, mentions, file_id, reference_file_id, answers, answer)
			SELECT @id::uuid, @team::uuid, @chat::uuid, coalesce(max(number), 0) + 1, @author::uuid, @text, @mentions::uuid[], @file::uuid, @reference::uuid,
				@answers::uuid, @answer::jsonb
			FROM chat_messages WHERE team_id = @team AND chat_id = @chat
			RETURNING id, number
		), read AS (
			UPDATE chat_participants p SET read_number = said.number FROM said
			WHERE p.team_id = @team AND p.chat_id = @chat AND p.user_id = @user AND coalesce(p.read_number, 0) = said.number - 1
		)
		SELECT id::text FROM said`, a)
}

// mentions are the users whom a message mentions. Who takes no part in the chat would not
// see it: Invalid.
func (c Chat) mentions(text string, userIDs []string) ([]string, error) {
	var all []string
	for _, id := range userIDs {
		if !c.has(id) {
			return nil, fault.New(fault.Invalid, "mentions names somebody who does not take part in this chat; add them to the chat first")
		}
		all = append(all, id)
	}
	addresses := addressesIn(text)
	for _, p := range c.Participants {
		if slices.Contains(addresses, strings.ToLower(p.Email)) {
			all = append(all, p.UserID)
		}
	}
	return sortedSet(all), nil
}

// sortedSet is ids once each, never NULL.
func sortedSet(ids []string) []string {
	return append([]string{}, slices.Compact(slices.Sorted(slices.Values(ids)))...)
}

// ChatMessageChange is what is said of a message; a nil field stays as it is.
type ChatMessageChange struct {
	Text      *string
	Mentions  *[]string
	IfVersion int // 0 for any; otherwise another version is Conflict
}

// EditChatMessage changes a message of in's own person. Those who are mentioned only now
// are notified. A message of others is Forbidden, a deleted one Conflict.
func (t *Tx) EditChatMessage(ctx context.Context, in Scope, chatID, id string, c ChatMessageChange) (ChatMessage, error) {
	chat, before, err := t.ownMessage(ctx, in, chatID, id, c.IfVersion)
	if err != nil {
		return ChatMessage{}, err
	}
	if before.DeletedAt != nil {
		return ChatMessage{}, fault.New(fault.Conflict, "the message was deleted")
	}
	text, named := before.Text, []string{}
	if c.Text != nil {
		text = *c.Text
	}
	if c.Mentions != nil {
		named = *c.Mentions
	}
	mentions, err := chat.mentions(text, named)
	if err != nil {
		return ChatMessage{}, err
	}
	if c.Mentions == nil { // those who have left the chat stay mentioned
		mentions = sortedSet(append(mentions, before.Mentions...))
	}
	if text == before.Text && slices.Equal(mentions, before.Mentions) {
		return before, nil
	}
	after, err := t.rewrite(ctx, in, before, `edited_at = now()`, text, mentions)
	if err != nil {
		return ChatMessage{}, err
	}
	return after, t.tellOfMessage(ctx, in, "chat.message_edited", chat, after,
		slices.DeleteFunc(mentions, func(user string) bool { return slices.Contains(before.Mentions, user) }))
}

// DeleteChatMessage takes the text of a message of in's own person away for good, and that
// of its answer; their places in the chat stay. A message of others is Forbidden.
func (t *Tx) DeleteChatMessage(ctx context.Context, in Scope, chatID, id string, ifVersion int) error {
	chat, before, err := t.ownMessage(ctx, in, chatID, id, ifVersion)
	if err != nil || before.DeletedAt != nil {
		return err
	}
	gone, err := many[ChatMessage](ctx, t.Queries, ownMessages(in)+` AND own.chat_id = @chat AND m.answers = @id AND m.deleted_at IS NULL`,
		in.args(args{"user": nullable(in.UserID()), "chat": chatID, "id": id}))
	if err != nil {
		return err
	}
	for _, m := range append(gone, before) {
		after, err := t.rewrite(ctx, in, m, `answer = NULL, deleted_at = now()`, "", []string{})
		if err != nil {
			return err
		}
		if err := t.tellOfMessage(ctx, in, "chat.message_deleted", chat, after, nil); err != nil {
			return err
		}
	}
	return nil
}

// forgetAnswers takes the text of answers away that quote files which are purged.
func (t *Tx) forgetAnswers(ctx context.Context, files []PurgedFile) error {
	ids := make([]string, len(files))
	for i, f := range files {
		ids[i] = f.ID
	}
	_, err := exec(ctx, t.Queries, `
		UPDATE chat_messages SET text = '', answer = NULL, version = version + 1, deleted_at = coalesce(deleted_at, now())
		WHERE answer IS NOT NULL AND (file_id = ANY(@ids) OR reference_file_id = ANY(@ids))`, args{"ids": ids})
	return err
}

// ownMessage is a message that in's own person has said, with its chat, which is held.
func (t *Tx) ownMessage(ctx context.Context, in Scope, chatID, id string, ifVersion int) (Chat, ChatMessage, error) {
	chat, err := t.ChatForUpdate(ctx, in, chatID)
	if err != nil {
		return Chat{}, ChatMessage{}, err
	}
	m, err := t.ChatMessage(ctx, in, chatID, id)
	switch {
	case err != nil:
		return Chat{}, ChatMessage{}, err
	case text(m.AuthorID) != in.UserID():
		return Chat{}, ChatMessage{}, fault.New(fault.Forbidden, "only the author of a message may change it")
	case ifVersion != 0 && ifVersion != m.Version:
		return Chat{}, ChatMessage{}, errStale
	}
	return chat, m, nil
}

// rewrite gives a message another text. The answer that is kept for its Idempotency-Key
// has no other words than the message.
func (t *Tx) rewrite(ctx context.Context, in Scope, m ChatMessage, when, text string, mentions []string) (ChatMessage, error) {
	a := args{"id": m.ID, "team": in.TeamID, "actor": in.ActorID, "text": text, "mentions": mentions}
	if err := change(ctx, t.Queries, `
		UPDATE chat_messages SET text = @text, mentions = @mentions::uuid[], version = version + 1, `+when+` WHERE id = @id AND team_id = @team`, a); err != nil {
		return ChatMessage{}, err
	}
	if _, err := exec(ctx, t.Queries, `
		UPDATE idempotency_keys SET response = (response || jsonb_build_object('text', @text::text)) - CASE WHEN @text = '' THEN 'reply' ELSE '' END
		WHERE team_id = @team AND actor_id = @actor AND response ->> 'id' = @id::text`, a); err != nil {
		return ChatMessage{}, err
	}
	return t.ChatMessage(ctx, in, m.ChatID, m.ID)
}

// tellOfMessage writes what happened to a message to the audit, without its text, tells
// those who see it, and notifies those of them who are newly mentioned.
func (t *Tx) tellOfMessage(ctx context.Context, in Scope, action string, chat Chat, m ChatMessage, mentioned []string) error {
	if err := t.Audit(ctx, in, action, "chat", chat.ID, map[string]any{"messageId": m.ID}); err != nil {
		return err
	}
	// As Scope.Hidden has it: a file in the trash is still of the matter that it was in.
	audience, err := values[string](ctx, t.Queries, `
		WITH about AS (
			SELECT unnest(ARRAY[c.file_id, c.reference_file_id, m.file_id, m.reference_file_id]) AS id
			FROM chats c JOIN chat_messages m ON m.team_id = c.team_id AND m.chat_id = c.id AND m.id = @message WHERE c.team_id = @team AND c.id = @chat
		), within AS (
			SELECT f.matter_id FROM files f JOIN about a ON a.id = f.id
			UNION ALL SELECT b.matter_id FROM trash b JOIN about a ON b.team_id = @team AND b.kind = 'file' AND b.resource_id = a.id::text
			UNION ALL SELECT @matter::uuid
		), restricted AS MATERIALIZED (
			SELECT matter_id AS id FROM within w WHERE (SELECT access FROM matters x WHERE x.id = w.matter_id) = 'restricted'
		)
		SELECT p.user_id::text FROM chat_participants p WHERE p.team_id = @team AND p.chat_id = @chat
			AND NOT EXISTS (SELECT FROM restricted x WHERE NOT EXISTS (SELECT FROM matter_people l WHERE l.matter_id = x.id AND l.user_id = p.user_id))
		ORDER BY 1`, args{"team": in.TeamID, "chat": chat.ID, "message": m.ID, "matter": chat.MatterID})
	if err != nil {
		return err
	}
	for _, user := range audience {
		if err := t.emitTo(ctx, in.TeamID, user, action, chat.ID, map[string]any{"id": m.ID, "chatId": chat.ID, "number": m.Number}); err != nil {
			return err
		}
	}
	mentioned = slices.DeleteFunc(slices.Clone(mentioned), func(user string) bool { return user == in.UserID() || !slices.Contains(audience, user) })
	return t.Notify(ctx, in, mentioned, NewNotification{Kind: Mention, Title: "You are mentioned in " + chat.title(), Link: "/api/chats/" + chat.ID})
}

// title is how people are told of a chat.
func (c Chat) title() string {
	if c.Name == "" {
		return "a chat"
	}
	return "the chat " + c.Name
}

// MarkChatRead notes that in's own person has read a chat up to a message, or all of it
// where messageID is "". What was read before stays read.
func (t *Tx) MarkChatRead(ctx context.Context, in Scope, chatID, messageID string) (Chat, error) {
	if err := t.NeedChat(ctx, in, chatID); err != nil {
		return Chat{}, err
	}
	a := args{"team": in.TeamID, "chat": chatID, "user": nullable(in.UserID()), "message": nullable(messageID)}
	number, err := value[*int](ctx, t.Queries, `
		SELECT max(number) FROM chat_messages WHERE team_id = @team AND chat_id = @chat AND (@message::uuid IS NULL OR id = @message)`, a)
	if err != nil {
		return Chat{}, err
	}
	if number == nil && messageID != "" {
		return Chat{}, fault.New(fault.Invalid, "messageId names no message of this chat")
	}
	a["number"] = number
	n, err := exec(ctx, t.Queries, `
		UPDATE chat_participants SET read_number = @number
		WHERE team_id = @team AND chat_id = @chat AND user_id = @user AND coalesce(read_number, 0) < @number`, a)
	if err != nil {
		return Chat{}, err
	}
	if n > 0 {
		if err := t.emitTo(ctx, in.TeamID, in.UserID(), "chat.read", chatID, map[string]any{"chatId": chatID, "number": *number}); err != nil {
			return Chat{}, err
		}
	}
	return t.Chat(ctx, in, chatID)
}
