package db

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/clausemill/clausemill/fault"
)

// Chat is a conversation of some members of a team about documents.
type Chat struct {
	ID                string        `db:"id"`
	Name              string        `db:"name"`
	MatterID          *string       `db:"matter_id"` // that it belongs to
	CreatedBy         *string       `db:"created_by"`
	Participants      []Participant `db:"participants"` // the first to join first
	FileID            *string       `db:"file_id"`
	FileName          *string       `db:"file_name"`
	ReferenceFileID   *string       `db:"reference_file_id"`
	ReferenceFileName *string       `db:"reference_file_name"`
	Unread            int           `db:"unread"` // messages of others that the asking person has not read, at most MostUnread
	LastMessageAt     *time.Time    `db:"last_message_at"`
	Version           int           `db:"version"`
	CreatedAt         time.Time     `db:"created_at"`
	UpdatedAt         time.Time     `db:"updated_at"`
}

// MostUnread is where counting unread messages ends.
const MostUnread = 100

// Participant is a member who takes part in a chat.
type Participant struct {
	UserID  string    `json:"userId" db:"user_id"`
	Name    string    `json:"name" db:"name"`
	Email   string    `json:"email" db:"email"`
	AddedAt time.Time `json:"addedAt" db:"added_at"`
}

// chatColumns are those of ownChats.
func chatColumns(in Scope) string {
	said := `FROM chat_messages m WHERE m.team_id = c.team_id AND m.chat_id = c.id` + in.seesAbout("m")
	return `c.id, c.name, c.matter_id, c.created_by, f.id AS file_id, f.name AS file_name, r.id AS reference_file_id, r.name AS reference_file_name,
	c.version, c.created_at, c.updated_at,
	(SELECT count(*) FROM (SELECT ` + said + ` AND m.number > coalesce(own.read_number, 0) AND m.author_id IS DISTINCT FROM own.user_id
		AND m.deleted_at IS NULL LIMIT ` + strconv.Itoa(MostUnread) + `) unread) AS unread,
	(SELECT m.created_at ` + said + ` ORDER BY m.number DESC LIMIT 1) AS last_message_at,
	(SELECT jsonb_agg(jsonb_build_object('userId', u.id, 'name', u.name, 'email', u.email, 'addedAt', p.added_at) ORDER BY p.added_at, u.id)
		FROM chat_participants p JOIN users u ON u.id = p.user_id
		WHERE p.team_id = c.team_id AND p.chat_id = c.id) AS participants`
}

// ownChats is the chats that a user takes part in; there is no way to others. What
// they are about may be in the trash: then they are about nothing until it is back.
func ownChats(in Scope) string {
	return `chat_participants own
	JOIN chats c ON c.team_id = own.team_id AND c.id = own.chat_id
	LEFT JOIN files f ON f.id = c.file_id AND f.team_id = own.team_id
	LEFT JOIN files r ON r.id = c.reference_file_id AND r.team_id = own.team_id
	WHERE own.team_id = @team AND own.user_id = @user` + in.seesChat("c")
}

// Chat is one chat of in's own person; NotFound where they do not take part.
func (q Queries) Chat(ctx context.Context, in Scope, id string) (Chat, error) {
	return one[Chat](ctx, q, `SELECT `+chatColumns(in)+` FROM `+ownChats(in)+` AND c.id = @id`,
		in.args(args{"id": id, "user": nullable(in.UserID())}))
}

// NeedChat is NotFound where in's own person does not take part in a chat of that id.
func (q Queries) NeedChat(ctx context.Context, in Scope, id string) error {
	_, err := value[bool](ctx, q, `SELECT true FROM `+ownChats(in)+` AND c.id = @id`, in.args(args{"id": id, "user": nullable(in.UserID())}))
	return err
}

// ChatForUpdate is Chat, held until the transaction ends.
func (t *Tx) ChatForUpdate(ctx context.Context, in Scope, id string) (Chat, error) {
	return one[Chat](ctx, t.Queries, `SELECT `+chatColumns(in)+` FROM `+ownChats(in)+` AND c.id = @id FOR NO KEY UPDATE OF c`,
		in.args(args{"id": id, "user": nullable(in.UserID())}))
}

// ChatFilter narrows a list of chats.
type ChatFilter struct {
	FileID   string // in either context
	MatterID string
	Name     string // part of the name, any case
}

// Chats lists the chats of in's own person, newest first, starting after the id
// `after` (exclusive; "" starts at the top).
func (q Queries) Chats(ctx context.Context, in Scope, filter ChatFilter, after string, limit int) ([]Chat, error) {
	a := in.args(args{"user": nullable(in.UserID()), "limit": limit})
	w := startClauses("", a)
	w.when(filter.FileID != "", "@file IN (f.id, r.id)", "file", nullable(filter.FileID))
	w.when(filter.MatterID != "", "c.matter_id = @matter", "matter", nullable(filter.MatterID))
	w.when(filter.Name != "", `c.name ILIKE '%' || @name || '%'`, "name", likeLiteral.Replace(filter.Name))
	w.when(after != "", "own.chat_id < @after", "after", nullable(after))
	return many[Chat](ctx, q, `SELECT `+chatColumns(in)+` FROM `+ownChats(in)+w.String()+` ORDER BY own.chat_id DESC LIMIT @limit`, a)
}

// EnsureChat is the chat with that id, made with in's own person in it where
// there is none. A chat of others in the team is NotFound.
func (t *Tx) EnsureChat(ctx context.Context, in Scope, id, name string) (chat Chat, made bool, err error) {
	n, err := exec(ctx, t.Queries, `
		INSERT INTO chats (team_id, id, name, created_by) VALUES (@team, @id, @name, @user) ON CONFLICT DO NOTHING`,
		args{"team": in.TeamID, "id": id, "name": name, "user": nullable(in.UserID())})
	if err != nil {
		return Chat{}, false, err
	}
	if n == 1 {
		if err := t.addParticipant(ctx, in, id, in.UserID()); err != nil {
			return Chat{}, false, err
		}
		if err := t.Audit(ctx, in, "chat.created", "chat", id, nil); err != nil {
			return Chat{}, false, err
		}
	}
	chat, err = t.Chat(ctx, in, id)
	return chat, n == 1, err
}

// BeginMatterChat makes a chat about a matter, with the people of the matter in it.
// A matter that is not the team's is Invalid.
func (t *Tx) BeginMatterChat(ctx context.Context, in Scope, id, name, matterID string) (Chat, error) {
	if err := t.owned(ctx, in, "matters", matterID, "matterId"); err != nil {
		return Chat{}, err
	}
	if _, _, err := t.EnsureChat(ctx, in, id, name); err != nil {
		return Chat{}, err
	}
	a := in.args(args{"id": id, "matter": matterID})
	if err := change(ctx, t.Queries, `UPDATE chats SET matter_id = @matter WHERE team_id = @team AND id = @id`, a); err != nil {
		return Chat{}, err
	}
	chat, err := t.Chat(ctx, in, id)
	if err != nil {
		return Chat{}, err
	}
	people, err := values[string](ctx, t.Queries, `
		SELECT m.user_id::text FROM members m JOIN matters x ON x.id = @matter AND x.team_id = @team
		WHERE m.team_id = @team AND CASE WHEN x.access = 'restricted' THEN EXISTS (SELECT FROM matter_people p WHERE p.matter_id = x.id AND p.user_id = m.user_id)
			ELSE m.user_id = x.owner_id OR EXISTS (SELECT FROM assignments a WHERE a.matter_id = x.id AND a.user_id = m.user_id AND a.status = 'open') END
		ORDER BY m.user_id`, a)
	if err != nil {
		return Chat{}, err
	}
	for _, user := range people {
		if chat, err = t.AddParticipant(ctx, in, id, user); err != nil {
			return Chat{}, err
		}
	}
	return chat, nil
}

// joinMatterChats adds people who have come to a matter to its chats: those who see it.
func (t *Tx) joinMatterChats(ctx context.Context, in Scope, matterID string, userIDs ...string) error {
	type joined struct {
		ChatID string `db:"chat_id"`
		UserID string `db:"user_id"`
	}
	came, err := many[joined](ctx, t.Queries, `
		WITH joined AS (
			INSERT INTO chat_participants (team_id, chat_id, user_id, added_by)
			SELECT c.team_id, c.id, m.user_id, @by FROM chats c JOIN matters x ON x.id = c.matter_id JOIN members m ON m.team_id = c.team_id AND m.user_id = ANY(@users::uuid[])
			WHERE c.team_id = @team AND c.matter_id = @matter
				AND (x.access <> 'restricted' OR EXISTS (SELECT FROM matter_people p WHERE p.matter_id = x.id AND p.user_id = m.user_id))
			ON CONFLICT DO NOTHING RETURNING chat_id, user_id
		), touched AS (
			UPDATE chats SET version = version + 1, updated_at = now() WHERE team_id = @team AND id IN (SELECT chat_id FROM joined)
		)
		SELECT chat_id::text, user_id::text FROM joined ORDER BY 1, 2`,
		args{"team": in.TeamID, "matter": matterID, "users": userIDs, "by": nullable(in.UserID())})
	if err != nil {
		return err
	}
	for _, j := range came {
		if err := t.Audit(ctx, in, "chat.participant_added", "chat", j.ChatID, map[string]any{"userId": j.UserID}); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) addParticipant(ctx context.Context, in Scope, id, userID string) error {
	_, err := exec(ctx, t.Queries, `
		INSERT INTO chat_participants (team_id, chat_id, user_id, added_by) VALUES (@team, @id, @user, @by) ON CONFLICT DO NOTHING`,
		args{"team": in.TeamID, "id": id, "user": userID, "by": nullable(in.UserID())})
	return err
}

// ChatChange is what is said of a chat; a nil field stays as it is, and a
// pointer to "" takes a context away.
type ChatChange struct {
	Name            *string
	FileID          *string
	ReferenceFileID *string
	IfVersion       int // 0 for any; otherwise another version is Conflict
}

// UpdateChat applies c. A file that is not the team's is Invalid: what belongs
// to the team is what all participants can see.
func (t *Tx) UpdateChat(ctx context.Context, in Scope, id string, c ChatChange) (Chat, error) {
	before, err := t.ChatForUpdate(ctx, in, id)
	if err != nil {
		return Chat{}, err
	}
	if c.IfVersion != 0 && c.IfVersion != before.Version {
		return Chat{}, errStale
	}
	for _, file := range []*string{c.FileID, c.ReferenceFileID} {
		if file == nil || *file == "" {
			continue
		}
		if err := t.owned(ctx, in, "files", *file, "fileId"); err != nil {
			return Chat{}, err
		}
	}
	if err := change(ctx, t.Queries, `
		UPDATE chats SET
			name              = coalesce(@name, name),
			file_id           = CASE WHEN @file::text IS NULL THEN file_id ELSE nullif(@file, '')::uuid END,
			reference_file_id = CASE WHEN @reference::text IS NULL THEN reference_file_id ELSE nullif(@reference, '')::uuid END,
			version = version + 1, updated_at = now()
		WHERE team_id = @team AND id = @id`,
		args{"team": in.TeamID, "id": id, "name": c.Name, "file": c.FileID, "reference": c.ReferenceFileID}); err != nil {
		return Chat{}, err
	}
	after, err := t.Chat(ctx, in, id)
	if err != nil {
		return Chat{}, err
	}
	return after, t.Audit(ctx, in, "chat.updated", "chat", id, map[string]any{
		"renamed": before.Name != after.Name, "fileId": after.FileID, "referenceFileId": after.ReferenceFileID,
	})
}

// NewestFile is the id of the team's newest file; NotFound where it has none.
func (q Queries) NewestFile(ctx context.Context, in Scope) (string, error) {
	return value[string](ctx, q, `SELECT id::text FROM files WHERE team_id = @team`+in.sees("files")+` ORDER BY files.id DESC LIMIT 1`, in.args(args{}))
}

// AddParticipant adds a member to a chat, and notifies them. A participant is left
// unchanged; a user who is no member, or may not see the chat's matter, is Invalid.
func (t *Tx) AddParticipant(ctx context.Context, in Scope, id, userID string) (Chat, error) {
	before, err := t.ChatForUpdate(ctx, in, id)
	if err != nil || before.has(userID) {
		return before, err
	}
	if err := t.needMember(ctx, in, userID, "userId"); err != nil {
		return Chat{}, err
	}
	if before.MatterID != nil {
		if err := t.needSeer(ctx, in, Assignee{MatterID: *before.MatterID}, userID); err != nil {
			return Chat{}, err
		}
	}
	if err := t.addParticipant(ctx, in, id, userID); err != nil {
		return Chat{}, err
	}
	after, err := t.touchChat(ctx, in, id)
	if err != nil {
		return Chat{}, err
	}
	if err := t.Audit(ctx, in, "chat.participant_added", "chat", id, map[string]any{"userId": userID}); err != nil {
		return Chat{}, err
	}
	return after, t.Notify(ctx, in, []string{userID}, NewNotification{
		Kind: Mention, Title: "You were added to " + after.title(), Link: "/api/chats/" + id,
	})
}

func (t *Tx) touchChat(ctx context.Context, in Scope, id string) (Chat, error) {
	if err := change(ctx, t.Queries, `UPDATE chats SET version = version + 1, updated_at = now() WHERE team_id = @team AND id = @id`,
		args{"team": in.TeamID, "id": id}); err != nil {
		return Chat{}, err
	}
	return t.Chat(ctx, in, id)
}

// has reports whether a user takes part.
func (c Chat) has(userID string) bool {
	return slices.ContainsFunc(c.Participants, func(p Participant) bool { return p.UserID == userID })
}

// ledBy reports whether a user decides about the chat and who takes part: its
// creator, or anybody once the creator has left.
func (c Chat) ledBy(userID string) bool {
	return c.CreatedBy == nil || *c.CreatedBy == userID || !c.has(*c.CreatedBy)
}

// RemoveParticipant ends a user's part in a chat; the last one to go takes the
// chat along. Others than themselves only its creator may send away: Forbidden.
func (t *Tx) RemoveParticipant(ctx context.Context, in Scope, id, userID string) error {
	chat, err := t.ChatForUpdate(ctx, in, id)
	if err != nil {
		return err
	}
	if !chat.has(userID) {
		return errNotFound
	}
	if userID != in.UserID() && !chat.ledBy(in.UserID()) {
		return fault.New(fault.Forbidden, "only the creator of the chat may remove others")
	}
	if len(chat.Participants) == 1 {
		_, err := t.removeChat(ctx, in, chat)
		return err
	}
	if _, err := exec(ctx, t.Queries, `DELETE FROM chat_participants WHERE team_id = @team AND chat_id = @id AND user_id = @user`,
		args{"team": in.TeamID, "id": id, "user": userID}); err != nil {
		return err
	}
	if _, err := exec(ctx, t.Queries, `UPDATE chats SET version = version + 1, updated_at = now() WHERE team_id = @team AND id = @id`,
		args{"team": in.TeamID, "id": id}); err != nil {
		return err
	}
	return t.Audit(ctx, in, "chat.participant_removed", "chat", id, map[string]any{"userId": userID})
}

// DeleteChat moves a chat into the trash for all who take part. Only its creator
// may: Forbidden.
func (t *Tx) DeleteChat(ctx context.Context, in Scope, id string) (TrashEntry, error) {
	chat, err := t.ChatForUpdate(ctx, in, id)
	if err != nil {
		return TrashEntry{}, err
	}
	if !chat.ledBy(in.UserID()) {
		return TrashEntry{}, fault.New(fault.Forbidden, "only the creator of the chat may delete it; leave it by removing yourself")
	}
	return t.removeChat(ctx, in, chat)
}

// removeChat moves a chat into the trash. Nobody but those who took part in it
// knows of it there.
func (t *Tx) removeChat(ctx context.Context, in Scope, chat Chat) (TrashEntry, error) {
	if err := t.hold(ctx, in, TrashedChat, chat.ID); err != nil {
		return TrashEntry{}, err
	}
	rows, err := t.takeAway(ctx, in, "chat_participants", "chat_id", []string{chat.ID})
	if err != nil {
		return TrashEntry{}, err
	}
	people := make([]string, len(chat.Participants))
	for i, p := range chat.Participants {
		people[i] = p.UserID
	}
	messages, err := value[int](ctx, t.Queries, `SELECT count(*) FROM chat_messages WHERE team_id = @team AND chat_id = @id`, args{"team": in.TeamID, "id": chat.ID})
	if err != nil {
		return TrashEntry{}, err
	}
	entry, err := t.discard(ctx, in, discarded{
		Kind: TrashedChat, ResourceID: chat.ID, Name: chat.Name, UserIDs: people,
		Held:   held{MatterID: text(chat.MatterID), Rows: rowsOf("chat_participants", rows[chat.ID])},
		Counts: map[string]int{"participants": len(people), "messages": messages},
	})
	if err != nil {
		return TrashEntry{}, err
	}
	return entry, t.Audit(ctx, in, "chat.deleted", "chat", chat.ID, map[string]any{"trashId": entry.ID})
}

// restoreChat brings a chat back with those who took part and are still members.
// Only who may delete it may: Forbidden.
func (t *Tx) restoreChat(ctx context.Context, in Scope, e binned, name string) error {
	if err := t.comeBack(ctx, in, name, e); err != nil {
		return err
	}
	if err := t.putBack(ctx, in, e.Held.Rows); err != nil {
		return err
	}
	chat, err := t.Chat(ctx, in, e.ResourceID)
	if err != nil {
		return err
	}
	if !chat.ledBy(in.UserID()) {
		return fault.New(fault.Forbidden, "only the creator of the chat may restore it")
	}
	return t.Audit(ctx, in, "chat.restored", "chat", chat.ID, map[string]any{"trashId": e.ID})
}
