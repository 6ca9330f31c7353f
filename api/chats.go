package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// onlySeen is said of what is about one chat.
const onlySeen = "Only participants see a chat; for others it is 404. "

// chats serves conversations about documents. For everybody but its participants, a
// chat does not exist.
func (a *API) chats() {
	session := a.area("Chats", withSession)
	get(session, "/api/chats", "listChats", "List chats", a.listChats, describe("The chats that the caller participates in, newest first."))
	create(a, session, "/api/chats", "createChat", "Create a chat", a.createChat, describe(
		"The caller becomes a participant. So do the users in `participants`, who are notified. With `matterId` it is a chat of the matter: its owner and the users with open "+
			"assignments to it become participants, for a restricted matter all who are listed on it; so do those who come to the matter later. Only people who see the matter can "+
			"participate. The chat is hidden while the matter is in the trash, and purged with it."))
	get(session, "/api/chats/{chatId}", "getChat", "Get a chat", a.getChat, describe(
		onlySeen+"The chat has its participants, its documents, and the number of messages that the caller has not read."))
	patch(session, "/api/chats/{chatId}", "updateChat", "Update a chat", a.updateChat, eitherWay[ChatUpdate](a), describe(
		onlySeen+"The name is a query parameter or in the body. Without a name nothing changes. With `If-Match` a stale version is 409."))
	put(session, "/api/chats/{chatId}", "ensureChat", "Create a chat with a given id, or get it", a.ensureChat, eitherWay[ChatUpdate](a), mayBe(http.StatusCreated, "EnsuredChat"), describe(
		"201 where the chat was created, 200 where it existed. The name is used only for a new chat. The client chooses the id, a UUID. "+
			"The id of a chat that the caller does not participate in is 404."))
	del(session, "/api/chats/{chatId}", "deleteChat", "Delete a chat", a.deleteChat, describe(
		"Deletes the chat for all participants. Only its creator may, or any participant once the creator has left; for others it is 403. "+purging))
	get(session, "/api/chats/{chatId}/name", "getChatName", "Get the name of a chat", a.getChatName, describe("The name alone, for lists and titles."))
	get(session, "/api/chats/{chatId}/participants", "listChatParticipants", "List the participants of a chat", a.listParticipants, describe("In the order in which they joined."))
	post(session, "/api/chats/{chatId}/participants", "addChatParticipant", "Add a participant to a chat", a.addParticipant, status(http.StatusCreated), eitherWay[ChatParticipant](a), describe(
		"Adds a member of the team and notifies them. `userId` is a query parameter or in the body; by default it is the caller, who is a participant already. "+
			"The documents of the chat stay as they are. Answers the chat."))
	del(session, "/api/chats/{chatId}/participants/{userId}", "removeChatParticipant", "Remove a participant from a chat", a.removeParticipant, describe(
		"Participants may remove themselves, and the creator of the chat anybody; else it is 403. When the last participant leaves, the chat is deleted."))
	post(session, "/api/chats/{chatId}/document-context", "setChatContext", "Set the current document of a chat", a.setContext(currentContext), eitherWay[ChatContext](a), describe(
		"`fileId` is a query parameter or in the body. Every participant must be able to see the file. "+
			"By default it is the newest file of the team. Answers the chat."))
	del(session, "/api/chats/{chatId}/document-context", "removeChatContext", "Remove the current document of a chat", a.removeContext(currentContext), describe("The chat has no current document afterwards. Removing it again is no error."))
	post(session, "/api/chats/{chatId}/reference-document-context", "setChatReference", "Set the reference document of a chat", a.setContext(referenceContext), eitherWay[ChatContext](a), describe(
		"The document to compare with. `fileId` is a query parameter or in the body. By default it is the current document, or 409 where the chat has none. Answers the chat."))
	del(session, "/api/chats/{chatId}/reference-document-context", "removeChatReference", "Remove the reference document of a chat", a.removeContext(referenceContext), describe("The chat has no reference document afterwards. Removing it again is no error."))
}

// Chat is a conversation of some members of the team.
type Chat struct {
	ID                       string           `json:"id"`
	Name                     string           `json:"name"`
	MatterID                 *string          `json:"matterId" doc:"The matter that the chat belongs to"`
	CreatedBy                *string          `json:"createdBy"`
	Participants             []db.Participant `json:"participants" nullable:"false"`
	DocumentContext          *ChatDocument    `json:"documentContext,omitempty"`
	ReferenceDocumentContext *ChatDocument    `json:"referenceDocumentContext,omitempty"`
	Unread                   int              `json:"unread" doc:"Number of messages of others that the caller has not read; 100 stands for that many or more"`
	LastMessageAt            *time.Time       `json:"lastMessageAt"`
	Version                  int              `json:"version"`
	CreatedAt                time.Time        `json:"createdAt"`
	UpdatedAt                time.Time        `json:"updatedAt"`
}

// ChatDocument is a file that a chat is about.
type ChatDocument struct {
	FileID string `json:"fileId"`
	Name   string `json:"name"`
}

func newChat(c db.Chat) Chat {
	for i := range c.Participants {
		c.Participants[i].AddedAt = c.Participants[i].AddedAt.UTC()
	}
	return Chat{
		ID: c.ID, Name: c.Name, MatterID: c.MatterID, CreatedBy: c.CreatedBy, Participants: list(c.Participants),
		DocumentContext: newChatDocument(c.FileID, c.FileName), ReferenceDocumentContext: newChatDocument(c.ReferenceFileID, c.ReferenceFileName),
		Unread: c.Unread, LastMessageAt: utc(c.LastMessageAt), Version: c.Version, CreatedAt: c.CreatedAt.UTC(), UpdatedAt: c.UpdatedAt.UTC(),
	}
}

// newChatDocument is nil where there is no file.
func newChatDocument(id, name *string) *ChatDocument {
	if id == nil {
		return nil
	}
	return &ChatDocument{FileID: *id, Name: text(name)}
}

func (c Chat) address() string { return "/api/chats/" + c.ID }

// etag also changes with the names of its files.
func (c Chat) etag() string { return contentTag(c.Version, c) }

// ChatRef is the request of every operation on one chat.
type ChatRef struct {
	ChatID string `path:"chatId" format:"uuid" doc:"Chat id"`
}

func (a *API) listChats(ctx context.Context, in *struct {
	Page
	FileID   string `query:"fileId" format:"uuid" doc:"Chats whose current or reference document is this file"`
	MatterID string `query:"matterId" format:"uuid" doc:"Chats of this matter"`
	Q        string `query:"q" maxLength:"200" doc:"Part of the name, ignoring case"`
}) (List[Chat], error) {
	after, err := in.idPlace("chats")
	if err != nil {
		return List[Chat]{}, err
	}
	rows, err := a.DB.Chats(ctx, auth.Scope(ctx), db.ChatFilter{FileID: in.FileID, MatterID: in.MatterID, Name: in.Q}, after, in.Limit+1)
	return newPage(rows, in.Limit, "chats", newChat, func(c db.Chat) string { return c.ID }), err
}

type createChatRequest struct {
	OnceKey
	Body struct {
		Name            string   `json:"name,omitempty" maxLength:"300"`
		Participants    []string `json:"participants,omitempty" maxItems:"200" nullable:"false" doc:"Ids of members of the team in addition to the caller"`
		FileID          *string  `json:"fileId,omitempty" maxLength:"36" doc:"The current document"`
		ReferenceFileID *string  `json:"referenceFileId,omitempty" maxLength:"36" doc:"The document to compare with"`
		MatterID        *string  `json:"matterId,omitempty" maxLength:"36" doc:"The matter that the chat belongs to; it cannot be changed"`
	}
}

func (a *API) createChat(ctx context.Context, tx *db.Tx, in *createChatRequest) (Chat, error) {
	scope := auth.Scope(ctx)
	if err := namesOne("body.fileId", in.Body.FileID); err != nil {
		return Chat{}, err
	}
	if err := namesOne("body.referenceFileId", in.Body.ReferenceFileID); err != nil {
		return Chat{}, err
	}
	if err := namesOne("body.matterId", in.Body.MatterID); err != nil {
		return Chat{}, err
	}
	row, err := beginChat(ctx, tx, in.Body.Name, text(in.Body.MatterID))
	if err != nil {
		return Chat{}, err
	}
	for _, user := range in.Body.Participants {
		if !isID(user) {
			return Chat{}, invalid("body.participants", "has a user who is not a member of this team")
		}
		if row, err = tx.AddParticipant(ctx, scope, row.ID, user); err != nil {
			return Chat{}, err
		}
	}
	if in.Body.FileID != nil || in.Body.ReferenceFileID != nil {
		row, err = tx.UpdateChat(ctx, scope, row.ID, db.ChatChange{FileID: in.Body.FileID, ReferenceFileID: in.Body.ReferenceFileID})
	}
	return newChat(row), err
}

// beginChat makes a chat, of a matter where there is an id of one.
func beginChat(ctx context.Context, tx *db.Tx, name, matterID string) (db.Chat, error) {
	if matterID != "" {
		return tx.BeginMatterChat(ctx, auth.Scope(ctx), db.NewID(), name, matterID)
	}
	row, _, err := tx.EnsureChat(ctx, auth.Scope(ctx), db.NewID(), name)
	return row, err
}

func (a *API) getChat(ctx context.Context, in *ChatRef) (Chat, error) {
	row, err := a.DB.Chat(ctx, auth.Scope(ctx), in.ChatID)
	return newChat(row), err
}

// ChatUpdate is what changes about a chat.
type ChatUpdate struct {
	Name *string `json:"name,omitempty" maxLength:"300"`
}

func (a *API) updateChat(ctx context.Context, in *struct {
	ChatRef
	OfVersion
	Body *ChatUpdate
}) (Chat, error) {
	change := db.ChatChange{Name: orNothing(in.Body).Name}
	var err error
	if change.IfVersion, err = ifMatch(in.IfMatch); err != nil {
		return Chat{}, err
	}
	if change == (db.ChatChange{}) {
		return a.getChat(ctx, &in.ChatRef)
	}
	return a.changeChat(ctx, in.ChatID, change)
}

func (a *API) changeChat(ctx context.Context, id string, change db.ChatChange) (Chat, error) {
	return inTx(ctx, a, newChat, func(tx *db.Tx, scope db.Scope) (db.Chat, error) { return tx.UpdateChat(ctx, scope, id, change) })
}

// EnsuredChat is a chat that may be new.
type EnsuredChat struct {
	Chat
	made bool
}

func (c EnsuredChat) fresh() bool { return c.made }

func (a *API) ensureChat(ctx context.Context, in *struct {
	ChatID string `path:"chatId" doc:"A UUID of the client's choice"` // not of that format, since what is none is no 404 here
	Body   *ChatUpdate
}) (EnsuredChat, error) {
	if !isID(in.ChatID) || in.ChatID == uuid.Nil.String() {
		return EnsuredChat{}, invalid("path.chatId", "must be a UUID of your choice, other than the nil UUID")
	}
	var row db.Chat
	var made bool
	err := a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		row, made, err = tx.EnsureChat(ctx, auth.Scope(ctx), in.ChatID, text(orNothing(in.Body).Name))
		return err
	})
	return EnsuredChat{newChat(row), made}, err
}

func (a *API) deleteChat(ctx context.Context, in *struct {
	ChatRef
	Purging
}) (Deleted, error) {
	return a.remove(ctx, in.Purging, "the chat", func(tx *db.Tx, scope db.Scope) (db.TrashEntry, error) {
		return tx.DeleteChat(ctx, scope, in.ChatID)
	})
}

// ChatName is what a chat is called.
type ChatName struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (a *API) getChatName(ctx context.Context, in *ChatRef) (ChatName, error) {
	row, err := a.DB.Chat(ctx, auth.Scope(ctx), in.ChatID)
	return ChatName{row.ID, row.Name}, err
}

func (a *API) listParticipants(ctx context.Context, in *ChatRef) (List[db.Participant], error) {
	row, err := a.DB.Chat(ctx, auth.Scope(ctx), in.ChatID)
	chat := newChat(row)
	total := len(chat.Participants)
	return List[db.Participant]{Items: chat.Participants, Total: &total}, err
}

// ChatParticipant names a user to add to a chat.
type ChatParticipant struct {
	UserID string `json:"userId,omitempty" maxLength:"36" doc:"A member of the team; the caller by default"`
}

func (a *API) addParticipant(ctx context.Context, in *struct {
	ChatRef
	Body *ChatParticipant
}) (Chat, error) {
	var row db.Chat
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		if _, err := tx.ChatForUpdate(ctx, auth.Scope(ctx), in.ChatID); err != nil {
			return err
		}
		user, err := whom(ctx, orNothing(in.Body).UserID)
		if err != nil {
			return err
		}
		row, err = tx.AddParticipant(ctx, auth.Scope(ctx), in.ChatID, user)
		return err
	})
	return newChat(row), err
}

func (a *API) removeParticipant(ctx context.Context, in *struct {
	ChatRef
	UserID string `path:"userId" format:"uuid" doc:"User id"`
}) (Message, error) {
	err := a.DB.InTx(ctx, func(tx *db.Tx) error { return tx.RemoveParticipant(ctx, auth.Scope(ctx), in.ChatID, in.UserID) })
	return Message{"the participant was removed"}, err
}

// A documentContext is one of the two that a chat has.
type documentContext struct {
	change func(fileID string) db.ChatChange
	byWant func(ctx context.Context, tx *db.Tx, chat db.Chat) (fileID string, err error) // if the request has no file
}

var currentContext = documentContext{
	change: func(id string) db.ChatChange { return db.ChatChange{FileID: &id} },
	byWant: func(ctx context.Context, tx *db.Tx, _ db.Chat) (string, error) {
		id, err := tx.NewestFile(ctx, auth.Scope(ctx))
		if fault.KindOf(err) == fault.NotFound {
			return "", fault.New(fault.Conflict, "the team has no files; upload one")
		}
		return id, err
	},
}

var referenceContext = documentContext{
	change: func(id string) db.ChatChange { return db.ChatChange{ReferenceFileID: &id} },
	byWant: func(_ context.Context, _ *db.Tx, chat db.Chat) (string, error) {
		if chat.FileID == nil {
			return "", fault.New(fault.Conflict, "the chat has no current document; send fileId")
		}
		return *chat.FileID, nil
	},
}

// ChatContext names the file for a context of a chat.
type ChatContext struct {
	FileID string `json:"fileId,omitempty" maxLength:"36"`
}

type chatContextRequest struct {
	ChatRef
	Body *ChatContext
}

func (a *API) setContext(which documentContext) handler[chatContextRequest, Chat] {
	return func(ctx context.Context, in *chatContextRequest) (Chat, error) {
		var row db.Chat
		err := a.DB.InTx(ctx, func(tx *db.Tx) error {
			chat, err := tx.ChatForUpdate(ctx, auth.Scope(ctx), in.ChatID)
			if err != nil {
				return err
			}
			file := orNothing(in.Body).FileID
			if file == "" {
				if file, err = which.byWant(ctx, tx, chat); err != nil {
					return err
				}
			}
			if err := namesOne("body.fileId", &file); err != nil {
				return err
			}
			row, err = tx.UpdateChat(ctx, auth.Scope(ctx), in.ChatID, which.change(file))
			return err
		})
		return newChat(row), err
	}
}

func (a *API) removeContext(which documentContext) handler[ChatRef, Chat] {
	return func(ctx context.Context, in *ChatRef) (Chat, error) {
		return a.changeChat(ctx, in.ChatID, which.change(""))
	}
}
