package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/answer"
	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/nlp"
)

// services is a contract that answers questions, on two pages.
const services = `SERVICES AGREEMENT

This Services Agreement is made on May 5, 2020 by and between Acme Inc., a Delaware corporation ("Acme"), and Bolt LLC, a New York limited liability company (the "Customer").

1. Limitation of Liability. In no event shall the aggregate liability of either party under this Agreement exceed the fees paid in the twelve (12) months before the claim.

2. Governing Law. This Agreement shall be governed by and construed in accordance with the laws of the State of Delaware.` + "\f" + `3. Parking. The “Naïve” Customer may park four vehicles in the northern courtyard.
`

// labelled gives a file of who a text, and the labels that the base model finds.
func (b *bundle) labelled(t testing.TB, who caller, text string) string {
	t.Helper()
	f := b.file(t, who)
	b.anew(t, f.ID)
	seg := nlp.Segment(strings.Split(text, "\f"))
	model, err := nlp.BaseModel()
	require.NoError(t, err)
	id := nlp.BaseModelID()
	predicted := model.Predict(nlp.Passages(seg, nlp.Facts(seg)))
	sentences := make([]db.Sentence, len(seg.Sentences))
	for i, s := range seg.Sentences {
		sentences[i] = db.Sentence{ID: db.NewID(), Ordinal: i, Block: s.Block, Page: s.Page, Start: s.Start, End: s.End, Text: seg.Plain(s.Span)}
		var labels []db.ScoredLabel
		for _, l := range predicted[i].Labels {
			score := float32(l.Probability)
			labels = append(labels, db.ScoredLabel{Node: l.Node, Score: &score})
		}
		sentences[i].Predict(db.NewPredicted(&id, labels, nil))
	}
	b.readWith(t, who, f.ID, seg, sentences)
	return f.ID
}

// ask asks a question in a chat, and gives the message with what the service replied.
func (b *bundle) ask(t testing.TB, who caller, chatID, question string) api.SentMessage {
	t.Helper()
	sent := get[api.SentMessage](t, b.call(t, who, "POST /api/chats/"+chatID+"/messages", asking(t, question)), http.StatusCreated)
	require.NotNil(t, sent.Reply)
	require.NotNil(t, sent.Reply.Answer)
	return sent
}

func asking(t testing.TB, question string) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"text": question, "ask": true})
	require.NoError(t, err)
	return string(body)
}

// requireCited holds that every sentence of an answer has quotes, and every quote stands
// in the text at its span.
func requireCited(t testing.TB, texts map[string]string, a *api.ChatAnswer) {
	t.Helper()
	cited := a.Nearest
	for _, s := range a.Sentences {
		require.NotEmpty(t, s.Citations, s.Text)
		cited = append(cited, s.Citations...)
	}
	for _, c := range cited {
		text := []rune(texts[c.FileID])
		require.Equal(t, c.Quote, string(text[c.Span.Start:c.Span.End]))
		require.Equal(t, 1+strings.Count(string(text[:c.Span.Start]), "\f"), c.Page)
		require.NotEmpty(t, c.SentenceID)
	}
}

func TestChatAnswers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob, carol := b.joining(t, b.acme, "bob", db.Member), b.colleague(t, b.acme, "carol")
	file := b.labelled(t, b.acme, services)
	texts := map[string]string{file: services}
	chat := b.chat(t, b.acme, `{"fileId":"`+file+`"}`, bob)

	law := b.ask(t, b.acme, chat.ID, "What is the governing law?")
	require.Equal(t, law.ID, *law.Reply.Answers)
	require.Nil(t, law.Reply.Author)
	require.Equal(t, answer.Fact, law.Reply.Answer.Kind)
	require.Contains(t, law.Reply.Answer.Sentences[0].Text, "Delaware")
	require.Contains(t, law.Reply.Answer.Sentences[0].Citations[0].Quote, "laws of the State of Delaware")
	require.Contains(t, law.Reply.Text, "(page 1")
	requireCited(t, texts, law.Reply.Answer)

	capped := b.ask(t, bob, chat.ID, "Is liability capped?")
	require.Equal(t, []string{"Cap on liability"}, capped.Reply.Answer.Topics)
	require.Contains(t, capped.Reply.Answer.Sentences[0].Citations[0].Quote, "twelve (12) months")
	requireCited(t, texts, capped.Reply.Answer)

	parking := b.ask(t, bob, chat.ID, "Where may vehicles be parked?")
	require.Equal(t, answer.Passages, parking.Reply.Answer.Kind)
	require.Equal(t, 2, parking.Reply.Answer.Sentences[0].Citations[0].Page)
	requireCited(t, texts, parking.Reply.Answer)

	for _, question := range []string{"Is there a source code escrow?", "Who feeds the elephants?", "Wie lange gilt die Verschwiegenheit?", "???", strings.Repeat("é", 1_000)} {
		nothing := b.ask(t, bob, chat.ID, question)
		require.False(t, nothing.Reply.Answer.Found, question)
		require.Empty(t, nothing.Reply.Answer.Sentences)
		require.Contains(t, nothing.Reply.Text, "Nothing in this document says so.")
		requireCited(t, texts, nothing.Reply.Answer)
	}

	// Answers are messages of the chat: for its participants, and nobody else.
	path := "/api/chats/" + chat.ID + "/messages"
	require.Equal(t, law.Reply, ptrOf(get[api.ChatMessage](t, b.call(t, bob, "GET "+path+"/"+law.Reply.ID, ""), http.StatusOK)))
	require.Len(t, get[api.List[api.FoundMessage]](t, b.call(t, bob, "GET /api/chats/messages?q=%22State+of+Delaware%22", ""), http.StatusOK).Items, 1)
	for _, who := range []caller{carol, b.mallory} {
		require.Equal(t, http.StatusNotFound, b.call(t, who, "POST "+path, asking(t, "What is the governing law?")).Code)
		require.Equal(t, http.StatusNotFound, b.call(t, who, "GET "+path+"/"+law.Reply.ID, "").Code)
		require.Empty(t, get[api.List[api.FoundMessage]](t, b.call(t, who, "GET /api/chats/messages?q=Delaware", ""), http.StatusOK).Items)
	}
	require.Equal(t, []string{"chat.message_added", "chat.message_added"}, b.heardOf(t, bob, chat.ID)[:2])
	require.Equal(t, 16, get[api.Chat](t, b.call(t, b.acme, "GET /api/chats/"+chat.ID, ""), http.StatusOK).Unread+2, "the own question and its answer are read")
	require.Equal(t, http.StatusForbidden, b.call(t, b.acme, "PATCH "+path+"/"+law.Reply.ID, `{"text":"x"}`).Code)
	require.Equal(t, http.StatusForbidden, b.call(t, b.acme, "DELETE "+path+"/"+law.Reply.ID, "").Code)

	// A deleted question takes its answer along.
	get[api.Message](t, b.call(t, b.acme, "DELETE "+path+"/"+law.ID, ""), http.StatusOK)
	gone := get[api.ChatMessage](t, b.call(t, bob, "GET "+path+"/"+law.Reply.ID, ""), http.StatusOK)
	require.Equal(t, []any{"", true}, []any{gone.Text, gone.Answer == nil && gone.DeletedAt != nil})

	// What is quoted goes into the trash: so do the quotes, and come back with it.
	entry := b.discard(t, b.acme, "/api/files/"+file)
	hidden := get[api.ChatMessage](t, b.call(t, bob, "GET "+path+"/"+capped.Reply.ID, ""), http.StatusOK)
	require.Equal(t, []any{"", true}, []any{hidden.Text, hidden.Answer == nil && hidden.DeletedAt == nil})
	require.Empty(t, get[api.List[api.FoundMessage]](t, b.call(t, bob, "GET /api/chats/messages?q=aggregate", ""), http.StatusOK).Items)
	vanished := get[api.Error](t, b.call(t, bob, "POST "+path, asking(t, "Is liability capped?")), http.StatusConflict)
	require.Contains(t, vanished.Message, "no document")
	get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+entry+"/restore", ""), http.StatusOK)
	require.Equal(t, capped.Reply.Answer, get[api.ChatMessage](t, b.call(t, bob, "GET "+path+"/"+capped.Reply.ID, ""), http.StatusOK).Answer)
	entry = b.discard(t, b.acme, "/api/files/"+file)
	require.Equal(t, http.StatusOK, b.call(t, b.acme, "DELETE /api/trash/"+entry, "").Code)
	b.exec(t, `SELECT 1 / (count(*) = 0)::int FROM chat_messages WHERE answer::text LIKE '%twelve%' OR text LIKE '%twelve%'`)
}

func ptrOf[T any](v T) *T { return &v }

// TestChatDifferences compares a document with the reference of the chat.
func TestChatDifferences(t *testing.T) {
	t.Parallel()
	b := setup(t)
	changed := strings.Replace(services, "State of Delaware.\f", "State of Ohio.\f", 1)
	file, reference := b.labelled(t, b.acme, changed), b.labelled(t, b.acme, services)
	texts := map[string]string{file: changed, reference: services}
	chat := b.chat(t, b.acme, `{"fileId":"`+file+`","referenceFileId":"`+reference+`"}`)
	law := b.ask(t, b.acme, chat.ID, "What changed in the governing law?").Reply.Answer
	require.Equal(t, answer.Difference, law.Kind)
	require.Len(t, law.Sentences, 1)
	require.Equal(t, []string{file, reference}, []string{law.Sentences[0].Citations[0].FileID, law.Sentences[0].Citations[1].FileID})
	require.Contains(t, law.Sentences[0].Text, "Ohio")
	requireCited(t, texts, law)
	same := b.ask(t, b.acme, chat.ID, "How does the cap on liability differ?").Reply.Answer
	require.Contains(t, same.Sentences[0].Text, "Both documents say")
	requireCited(t, texts, same)
	all := b.ask(t, b.acme, chat.ID, "What changed?").Reply.Answer
	require.Len(t, all.Sentences, 1)

	alone := b.chat(t, b.acme, `{"fileId":"`+file+`"}`)
	refused := get[api.Error](t, b.call(t, b.acme, "POST /api/chats/"+alone.ID+"/messages", asking(t, "What changed?")), http.StatusConflict)
	require.Contains(t, refused.Message, "no reference document")
}

// TestChatQuestions refuses what cannot be answered, and hands on what is about many files.
func TestChatQuestions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	chat := b.chat(t, b.acme, `{}`)
	line := "POST /api/chats/" + chat.ID + "/messages"
	require.Contains(t, get[api.Error](t, b.call(t, b.acme, line, asking(t, "When does it end?")), http.StatusConflict).Message, "no document")
	require.Contains(t, get[api.Error](t, b.call(t, b.acme, line, asking(t, strings.Repeat("why ", 2_500))), http.StatusUnprocessableEntity).Details[0].Message, "1,000 characters")
	unread := b.chat(t, b.acme, `{"fileId":"`+b.file(t, b.acme).ID+`"}`)
	require.Contains(t, get[api.Error](t, b.call(t, b.acme, "POST /api/chats/"+unread.ID+"/messages", asking(t, "When does it end?")), http.StatusConflict).Message, "not read yet")
	require.Empty(t, get[api.ChatMessages](t, b.call(t, b.acme, "GET /api/chats/"+chat.ID+"/messages", ""), http.StatusOK).Items, "what is refused is not said")

	many := b.ask(t, b.acme, chat.ID, "Which contracts expire in the next 90 days?").Reply
	require.Equal(t, answer.Many, many.Answer.Kind)
	require.NotNil(t, many.Answer.Query)
	require.Contains(t, many.Text, "the next 90 days")
	require.Contains(t, get[api.Error](t, b.call(t, b.acme, line, asking(t, "Which contracts sing songs?")), http.StatusUnprocessableEntity).Message, "sing")

	// A request that is repeated gets its first answer.
	file := b.labelled(t, b.acme, services)
	about := b.chat(t, b.acme, `{"fileId":"`+file+`"}`)
	send := func() api.SentMessage {
		r := request(t, b.acme, "POST /api/chats/"+about.ID+"/messages", asking(t, "What is the governing law?"))
		r.Header.Set("Idempotency-Key", "once")
		return get[api.SentMessage](t, b.send(t, r), http.StatusCreated)
	}
	first := send()
	require.Equal(t, first, send())
	require.Len(t, get[api.ChatMessages](t, b.call(t, b.acme, "GET /api/chats/"+about.ID+"/messages", ""), http.StatusOK).Items, 2)

	// A person's label decides, and the team's own labels are asked for by name.
	own := b.newTag(t, b.acme, "Parking rights")
	sentences := get[api.List[api.Sentence]](t, b.call(t, b.acme, "GET /api/sentences?fileId="+file+"&limit=100", ""), http.StatusOK).Items
	parked := sentences[len(sentences)-1]
	require.Equal(t, http.StatusOK, b.call(t, b.acme, "PATCH /api/sentences/"+parked.ID+"/validate", `{"label":"`+own.Key+`"}`).Code)
	rights := b.ask(t, b.acme, about.ID, "Are there parking rights?").Reply.Answer
	require.Equal(t, []string{"Parking rights"}, rights.Topics)
	require.Equal(t, parked.ID, rights.Sentences[0].Citations[0].SentenceID)
	requireCited(t, map[string]string{file: services}, rights)
}
