package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

// hostileText is a message that means something to a page, a shell, a database, a
// direction of writing and a tsquery.
const hostileText = "<img src=x onerror=alert(1)> </script> {{7*7}} ';DROP TABLE chats;-- \u202egnp.exe & | ! ( : * \r\n\tend 😀"

// say writes a message in a chat.
func (b *bundle) say(t testing.TB, who caller, chatID, text string, mentions ...string) api.ChatMessage {
	t.Helper()
	body, err := json.Marshal(map[string]any{"text": text, "mentions": append([]string{}, mentions...)})
	require.NoError(t, err)
	return get[api.ChatMessage](t, b.call(t, who, "POST /api/chats/"+chatID+"/messages", string(body)), http.StatusCreated)
}

// chat makes a chat of who and others.
func (b *bundle) chat(t testing.TB, who caller, body string, others ...caller) api.Chat {
	t.Helper()
	chat := get[api.Chat](t, b.call(t, who, "POST /api/chats", body), http.StatusCreated)
	for _, other := range others {
		chat = get[api.Chat](t, b.call(t, who, "POST /api/chats/"+chat.ID+"/participants", `{"userId":"`+other.scope.ActorID+`"}`), http.StatusCreated)
	}
	return chat
}

// heardOf lists the events of a chat that a person's stream has.
func (b *bundle) heardOf(t testing.TB, who caller, chatID string) (kinds []string) {
	t.Helper()
	list, err := b.db.Events(t.Context(), who.scope, 0, 500)
	require.NoError(t, err)
	for _, e := range list {
		if e.SubjectID == chatID {
			kinds = append(kinds, e.Kind)
		}
	}
	return kinds
}

func TestChatMessages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob, carol := b.joining(t, b.acme, "bob", db.Viewer), b.colleague(t, b.acme, "carol")
	about, reference := b.file(t, b.acme), b.file(t, b.acme)
	chat := b.chat(t, b.acme, `{"name":"Lease","fileId":"`+about.ID+`","referenceFileId":"`+reference.ID+`"}`, bob)
	path := "/api/chats/" + chat.ID + "/messages"

	w := b.call(t, b.acme, "POST "+path, `{"text":"Is the liability capped?"}`)
	first := get[api.ChatMessage](t, w, http.StatusCreated)
	one := path + "/" + first.ID
	require.Equal(t, one, w.Header().Get("Location"))
	require.Equal(t, b.acme.scope.ActorID, first.Author.UserID)
	require.Equal(t, []any{1, about.ID, reference.Name}, []any{first.Number, first.DocumentContext.FileID, first.ReferenceDocumentContext.Name})
	second := b.say(t, bob, chat.ID, hostileText)
	require.Equal(t, hostileText, get[api.ChatMessage](t, b.call(t, b.acme, "GET "+path+"/"+second.ID, ""), http.StatusOK).Text)

	// Nobody else is told of anything.
	for line, body := range map[string]string{
		"GET " + path: "", "POST " + path: `{"text":"x"}`, "GET " + one: "", "PATCH " + one: `{"text":"x"}`, "DELETE " + one: "", "PUT /api/chats/" + chat.ID + "/read": "",
	} {
		for _, who := range []caller{carol, b.mallory} {
			require.Equal(t, http.StatusNotFound, b.call(t, who, line, body).Code, line)
		}
	}
	get[api.Error](t, b.call(t, b.acme, "GET /api/chats/"+b.chat(t, b.acme, `{}`).ID+"/messages/"+first.ID, ""), http.StatusNotFound)

	// Only the author edits and deletes.
	get[api.Error](t, b.call(t, bob, "PATCH "+one, `{"text":"No."}`), http.StatusForbidden)
	get[api.Error](t, b.call(t, bob, "DELETE "+one, ""), http.StatusForbidden)
	etag := b.call(t, bob, "GET "+one, "").Header().Get("ETag")
	unless := request(t, bob, "GET "+one, "")
	unless.Header.Set("If-None-Match", etag)
	require.Equal(t, http.StatusNotModified, b.send(t, unless).Code)
	stale := func(method, body string) *httptest.ResponseRecorder {
		r := request(t, b.acme, method+" "+one, body)
		r.Header.Set("If-Match", etag)
		return b.send(t, r)
	}
	edited := get[api.ChatMessage](t, stale("PATCH", `{"text":"Is liability capped?"}`), http.StatusOK)
	require.Equal(t, "Is liability capped?", edited.Text)
	require.NotNil(t, edited.EditedAt)
	get[api.Error](t, stale("PATCH", `{"text":"Late"}`), http.StatusConflict)
	get[api.Error](t, stale("DELETE", ""), http.StatusConflict)
	require.Equal(t, edited, get[api.ChatMessage](t, b.call(t, b.acme, "PATCH "+one, `{}`), http.StatusOK))

	// What it was about leaves; the words stay.
	b.discard(t, b.acme, "/api/files/"+about.ID)
	require.Equal(t, edited.Text, get[api.ChatMessage](t, b.call(t, bob, "GET "+one, ""), http.StatusOK).Text)
	require.Nil(t, get[api.ChatMessage](t, b.call(t, bob, "GET "+one, ""), http.StatusOK).DocumentContext)

	get[api.Message](t, b.call(t, b.acme, "DELETE "+one, ""), http.StatusOK)
	get[api.Message](t, b.call(t, b.acme, "DELETE "+one, ""), http.StatusOK)
	get[api.Error](t, b.call(t, b.acme, "PATCH "+one, `{"text":"Back"}`), http.StatusConflict)
	gone := get[api.ChatMessages](t, b.call(t, bob, "GET "+path, ""), http.StatusOK).Items[0]
	require.Equal(t, []any{first.ID, "", 1}, []any{gone.ID, gone.Text, gone.Number})
	require.NotNil(t, gone.DeletedAt)

	want := []string{"chat.message_added", "chat.message_added", "chat.message_edited", "chat.message_deleted"}
	require.Equal(t, want, b.heardOf(t, bob, chat.ID))
	require.Equal(t, want, b.heardOf(t, b.acme, chat.ID))
	require.Empty(t, b.heardOf(t, carol, chat.ID), "a stranger of the same team")
	trail, err := b.db.AuditEvents(t.Context(), b.acme.scope, chat.ID, 2)
	require.NoError(t, err)
	require.Equal(t, []string{"chat.message_deleted", "chat.message_edited"}, []string{trail[0].Action, trail[1].Action})
	require.JSONEq(t, `{"messageId":"`+first.ID+`"}`, string(trail[1].Data), "no text")

	// All of it goes into the trash with the chat, and comes back.
	entry := b.discard(t, b.acme, "/api/chats/"+chat.ID)
	get[api.Error](t, b.call(t, bob, "GET "+path, ""), http.StatusNotFound)
	require.Empty(t, get[api.List[api.FoundMessage]](t, b.call(t, bob, "GET /api/chats/messages?q=onerror", ""), http.StatusOK).Items)
	get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+entry+"/restore", ""), http.StatusOK)
	require.Equal(t, hostileText, get[api.ChatMessages](t, b.call(t, bob, "GET "+path, ""), http.StatusOK).Items[1].Text)
}

// TestChatMessagesThatAreNone has requests for messages that cannot be.
func TestChatMessagesThatAreNone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob := b.colleague(t, b.acme, "bob")
	chat := b.chat(t, b.acme, `{}`)
	line := "POST /api/chats/" + chat.ID + "/messages"
	for _, body := range []string{
		`{"text":"` + strings.Repeat("é", 10_001) + `"}`, `{"text":"a\u0000b"}`, `{"text":""}`, `{"text":" \n\t\u0007"}`, `{}`, `{"text":"x","asks":true}`,
		`{"text":"x","mentions":["nobody"]}`, `{"text":"x","mentions":["` + bob.scope.ActorID + `"]}`, `{"text":"x","mentions":["` + b.mallory.scope.ActorID + `"]}`,
	} {
		e := get[api.Error](t, b.call(t, b.acme, line, body), http.StatusUnprocessableEntity)
		require.NotEmpty(t, e.Message)
	}
	require.Len(t, b.say(t, b.acme, chat.ID, strings.Repeat("é", 10_000)).Text, 20_000)
	require.Contains(t, get[api.Error](t, b.call(t, b.acme, line, `{"text":"x","mentions":["`+bob.scope.ActorID+`"]}`), http.StatusUnprocessableEntity).Message, "add them")

	send := func(text string) api.ChatMessage {
		r := request(t, b.acme, line, `{"text":"`+text+`"}`)
		r.Header.Set("Idempotency-Key", "once")
		return get[api.ChatMessage](t, b.send(t, r), http.StatusCreated)
	}
	first := send("Once")
	require.Equal(t, first, send("Once"))
	get[api.Message](t, b.call(t, b.acme, "DELETE "+strings.TrimPrefix(line, "POST ")+"/"+first.ID, ""), http.StatusOK)
	require.Equal(t, first.ID, send("Once").ID)
	require.Empty(t, send("Once").Text, "what was deleted is not kept for the key")
	require.Len(t, get[api.ChatMessages](t, b.call(t, b.acme, "GET "+strings.TrimPrefix(line, "POST "), ""), http.StatusOK).Items, 2)
}

// TestChatMessagePages reads a conversation from both ends while it goes on.
func TestChatMessagePages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	chat := b.chat(t, b.acme, `{}`)
	path := "/api/chats/" + chat.ID + "/messages"
	page := func(query string) (texts string, p api.ChatMessages) {
		p = get[api.ChatMessages](t, b.call(t, b.acme, "GET "+path+"?"+query, ""), http.StatusOK)
		for _, m := range p.Items {
			texts += m.Text
		}
		return texts, p
	}
	texts, empty := page("")
	require.Equal(t, []string{"", ""}, []string{texts, empty.NextCursor})
	said := map[string]api.ChatMessage{}
	for _, c := range "abcdefg" {
		said[string(c)] = b.say(t, b.acme, chat.ID, string(c))
	}
	texts, end := page("limit=3")
	require.Equal(t, "efg", texts)
	said["h"] = b.say(t, b.acme, chat.ID, "h")
	texts, older := page("limit=3&cursor=" + end.NextCursor)
	require.Equal(t, "bcd", texts)
	texts, oldest := page("limit=3&cursor=" + older.NextCursor)
	require.Equal(t, []string{"a", ""}, []string{texts, oldest.NextCursor})
	texts, newer := page("limit=3&cursor=" + oldest.NewerCursor)
	require.Equal(t, "bcd", texts)
	texts, newer = page("limit=9&cursor=" + newer.NewerCursor)
	require.Equal(t, "efgh", texts)
	texts, newer = page("cursor=" + newer.NewerCursor)
	require.Empty(t, texts)
	b.say(t, b.acme, chat.ID, "i")
	texts, _ = page("cursor=" + newer.NewerCursor)
	require.Equal(t, "i", texts, "the same cursor, later")
	texts, _ = page("cursor=" + empty.NewerCursor)
	require.Equal(t, "abcdefghi", texts)
	texts, around := page("limit=3&around=" + said["d"].ID)
	require.Equal(t, "cde", texts)
	texts, _ = page("limit=3&cursor=" + around.NextCursor)
	require.Equal(t, "ab", texts)
	get[api.Error](t, b.call(t, b.acme, "GET "+path+"?around="+said["d"].ID+"&cursor="+end.NextCursor, ""), http.StatusUnprocessableEntity)
	get[api.Error](t, b.call(t, b.acme, "GET "+path+"?around="+db.NewID(), ""), http.StatusNotFound)
}

func TestSearchMessages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob := b.colleague(t, b.acme, "bob")
	both, mine := b.chat(t, b.acme, `{"name":"Both"}`, bob), b.chat(t, b.acme, `{"name":"Mine"}`)
	indemnities := b.say(t, b.acme, both.ID, "The indemnities of the Verkäufer are too broad.")
	secret := b.say(t, b.acme, mine.ID, "My indemnity is a secret.")
	for query, want := range map[string][]string{
		"indemnity": {secret.ID, indemnities.ID}, "verkaufer": {indemnities.ID}, `"too broad"`: {indemnities.ID}, `"broad too"`: {}, "indemnity -secret": {indemnities.ID},
		"indemnity or absent": {secret.ID, indemnities.ID}, "too-broad": {indemnities.ID}, "absent": {}, "!!!": {}, "' & | ! :* <-> (": {},
	} {
		var ids []string
		for _, m := range get[api.List[api.FoundMessage]](t, b.call(t, b.acme, "GET /api/chats/messages?q="+url.QueryEscape(query), ""), http.StatusOK).Items {
			ids = append(ids, m.ID)
		}
		require.ElementsMatch(t, want, ids, query)
	}
	page := get[api.List[api.FoundMessage]](t, b.call(t, b.acme, "GET /api/chats/messages?q=indemnity&limit=1", ""), http.StatusOK)
	require.Equal(t, []string{secret.ID, "Mine"}, []string{page.Items[0].ID, page.Items[0].ChatName})
	page = get[api.List[api.FoundMessage]](t, b.call(t, b.acme, "GET /api/chats/messages?q=indemnity&limit=1&cursor="+page.NextCursor, ""), http.StatusOK)
	require.Equal(t, []string{indemnities.ID, ""}, []string{page.Items[0].ID, page.NextCursor})
	require.Len(t, get[api.List[api.FoundMessage]](t, b.call(t, bob, "GET /api/chats/messages?q=indemnity", ""), http.StatusOK).Items, 1)
	b.say(t, b.acme, both.ID, "Agreed.")
	require.Len(t, get[api.ChatMessages](t, b.call(t, bob, "GET /api/chats/"+both.ID+"/messages?q=broad", ""), http.StatusOK).Items, 1)
	get[api.Error](t, b.call(t, bob, "GET /api/chats/messages", ""), http.StatusUnprocessableEntity)
}

func TestMentionsAndUnread(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob, carol := b.colleague(t, b.acme, "bob"), b.colleague(t, b.acme, "carol")
	chat := b.chat(t, b.acme, `{"name":"Lease"}`, bob, carol)
	path := "/api/chats/" + chat.ID
	mentioned := func(who caller) int { return len(b.told(t, who)) - 1 } // the first is that they were added
	unread := func(who caller) int {
		return get[api.Chat](t, b.call(t, who, "GET "+path, ""), http.StatusOK).Unread
	}
	m := b.say(t, b.acme, chat.ID, "@bob, what do you say?", bob.scope.ActorID, b.acme.scope.ActorID)
	require.Equal(t, []int{1, 0}, []int{mentioned(bob), mentioned(carol)})
	require.Empty(t, b.told(t, b.acme), "nobody mentions themselves")
	address := b.colleagueAddress(t, carol)
	m = get[api.ChatMessage](t, b.call(t, b.acme, "PATCH "+path+"/messages/"+m.ID, `{"text":"@bob and @`+address+`?"}`), http.StatusOK)
	require.Len(t, m.Mentions, 3)
	require.Equal(t, []int{1, 1}, []int{mentioned(bob), mentioned(carol)}, "once each")

	require.Equal(t, []int{0, 1, 1}, []int{unread(b.acme), unread(bob), unread(carol)})
	answer := b.say(t, bob, chat.ID, "I say yes.")
	b.say(t, bob, chat.ID, "And soon.")
	require.Equal(t, []int{2, 1, 3}, []int{unread(b.acme), unread(bob), unread(carol)})
	require.Equal(t, 1, get[api.Chat](t, b.call(t, carol, "PUT "+path+"/read", `{"messageId":"`+answer.ID+`"}`), http.StatusOK).Unread)
	require.Zero(t, get[api.Chat](t, b.call(t, carol, "PUT "+path+"/read", ""), http.StatusOK).Unread)
	require.Zero(t, get[api.Chat](t, b.call(t, carol, "PUT "+path+"/read?messageId="+m.ID, ""), http.StatusOK).Unread, "what was read stays read")
	require.Equal(t, 2, unread(b.acme))
	get[api.Message](t, b.call(t, bob, "DELETE "+path+"/messages/"+answer.ID, ""), http.StatusOK)
	require.Equal(t, 1, unread(b.acme))
	get[api.Error](t, b.call(t, carol, "PUT "+path+"/read?messageId="+db.NewID(), ""), http.StatusUnprocessableEntity)
	require.Equal(t, "chat.read", b.heardOf(t, carol, chat.ID)[4])
	require.NotContains(t, b.heardOf(t, bob, chat.ID), "chat.read")
}

// TestMatterChats has the people of a matter in its chats, also those who come later,
// and nobody who does not see the matter.
func TestMatterChats(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob, carol, dora := b.colleague(t, b.acme, "bob"), b.colleague(t, b.acme, "carol"), b.colleague(t, b.acme, "dora")
	matter := b.matter(t, b.acme, `{"name":"Merger"}`)
	assign := func(who caller) {
		get[api.Assignment](t, b.call(t, b.acme, "POST /api/matters/"+matter.ID+"/assignments", `{"userId":"`+who.scope.ActorID+`"}`), http.StatusCreated)
	}
	sees := func(who caller) bool {
		return len(get[api.List[api.Chat]](t, b.call(t, who, "GET /api/chats?matterId="+matter.ID, ""), http.StatusOK).Items) == 1
	}
	assign(bob)
	chat := b.chat(t, carol, `{"name":"Merger","matterId":"`+matter.ID+`"}`)
	require.Equal(t, matter.ID, *chat.MatterID)
	require.Len(t, chat.Participants, 3, "whoever begins it, the owner, and who is assigned")
	require.False(t, sees(dora))
	assign(dora)
	require.True(t, sees(dora))
	b.say(t, dora, chat.ID, "Hello")
	for _, none := range []string{b.matter(t, b.mallory, `{"name":"Theirs"}`).ID, "nothing"} {
		get[api.Error](t, b.call(t, bob, "POST /api/chats", `{"matterId":"`+none+`"}`), http.StatusUnprocessableEntity)
	}

	// Restricted, it is for those listed.
	put := func(body string) {
		get[api.Matter](t, b.call(t, b.acme, "PUT /api/matters/"+matter.ID, body), http.StatusOK)
		for _, who := range []*caller{&b.acme, &bob, &carol, &dora} {
			var err error
			who.scope.Hidden, err = b.db.HiddenMatters(t.Context(), who.scope.TeamID, who.scope.ActorID, "")
			require.NoError(t, err)
		}
	}
	put(`{"access":"restricted","peopleIds":["` + bob.scope.ActorID + `"]}`)
	require.Equal(t, []bool{true, true, false, false}, []bool{sees(b.acme), sees(bob), sees(carol), sees(dora)})
	get[api.Error](t, b.call(t, dora, "GET /api/chats/"+chat.ID+"/messages", ""), http.StatusNotFound)
	require.Empty(t, get[api.List[api.FoundMessage]](t, b.call(t, dora, "GET /api/chats/messages?q=hello", ""), http.StatusOK).Items)
	b.say(t, bob, chat.ID, "Between us, @dora", dora.scope.ActorID)
	require.Len(t, b.heardOf(t, bob, chat.ID), 2)
	require.Empty(t, b.heardOf(t, dora, chat.ID), "not even of what she heard before")
	all := dora
	all.scope.Hidden = nil
	require.Len(t, b.heardOf(t, all, chat.ID), 1, "only her own of before was written for her")
	require.Equal(t, []db.NotificationKind{db.AssignmentCreated}, b.told(t, all), "who does not see it is not told either")
	get[api.Error](t, b.call(t, bob, "POST /api/chats/"+chat.ID+"/participants?userId="+b.colleague(t, b.acme, "eve").scope.ActorID, ""), http.StatusUnprocessableEntity)
	put(`{"peopleIds":["` + b.acme.scope.ActorID + `","` + bob.scope.ActorID + `","` + dora.scope.ActorID + `"]}`)
	require.True(t, sees(dora))

	// In the trash it is hidden, and purged it is gone.
	mine := b.chat(t, bob, `{"matterId":"`+matter.ID+`"}`)
	b.discard(t, bob, "/api/chats/"+mine.ID)
	entry := b.discard(t, b.acme, "/api/matters/"+matter.ID)
	require.False(t, sees(bob))
	get[api.Error](t, b.call(t, bob, "GET /api/chats/"+chat.ID, ""), http.StatusNotFound)
	get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+entry+"/restore", ""), http.StatusOK)
	require.True(t, sees(bob))
	get[api.Deleted](t, b.call(t, b.acme, "DELETE /api/matters/"+matter.ID+"?purge=true", ""), http.StatusOK)
	require.Empty(t, b.trash(t, bob, "?kind=chat"))
	get[api.Error](t, b.call(t, bob, "GET /api/chats/"+chat.ID, ""), http.StatusNotFound)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		var left int
		require.NoError(t, tx.Raw.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM chat_messages) + (SELECT count(*) FROM chats WHERE matter_id IS NOT NULL)`).Scan(&left))
		require.Zero(t, left)
		return nil
	}))
}

// TestMessagesAboutHiddenFiles has a file go into a restricted matter after it was
// talked about, in a chat that is about another one by now.
func TestMessagesAboutHiddenFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob := b.colleague(t, b.acme, "bob")
	f := b.file(t, b.acme)
	chat := b.chat(t, b.acme, `{"fileId":"`+f.ID+`"}`, bob)
	hidden := b.say(t, b.acme, chat.ID, "About the secret file")
	require.Equal(t, http.StatusOK, b.call(t, b.acme, "DELETE /api/chats/"+chat.ID+"/document-context", "").Code)
	b.say(t, b.acme, chat.ID, "About nothing secret")
	matter := b.matter(t, b.acme, `{"name":"Secret","access":"restricted"}`)
	require.Equal(t, http.StatusOK, b.call(t, b.acme, "PATCH /api/matters/"+matter.ID+"/files", `{"fileId":"`+f.ID+`"}`).Code)

	require.Len(t, get[api.ChatMessages](t, b.call(t, b.acme, "GET /api/chats/"+chat.ID+"/messages", ""), http.StatusOK).Items, 2)
	require.Len(t, get[api.ChatMessages](t, b.call(t, bob, "GET /api/chats/"+chat.ID+"/messages", ""), http.StatusOK).Items, 1)
	require.Equal(t, 1, get[api.Chat](t, b.call(t, bob, "GET /api/chats/"+chat.ID, ""), http.StatusOK).Unread)
	get[api.Error](t, b.call(t, bob, "GET /api/chats/"+chat.ID+"/messages/"+hidden.ID, ""), http.StatusNotFound)
	require.Len(t, get[api.List[api.FoundMessage]](t, b.call(t, bob, "GET /api/chats/messages?q=secret", ""), http.StatusOK).Items, 1)
	get[api.ChatMessage](t, b.call(t, b.acme, "PATCH /api/chats/"+chat.ID+"/messages/"+hidden.ID, `{"text":"Still about it"}`), http.StatusOK)
	require.Equal(t, []string{"chat.message_added", "chat.message_added"}, b.heardOf(t, bob, chat.ID))
}
