package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/nlp"
)

const supply = `SUPPLY AGREEMENT

This Supply Agreement is made on May 5, 2020 by and between Acme Inc., a Delaware corporation ("Acme"), and Bolt LLC, a New York limited liability company (the "Buyer").

1. Price. The Buyer shall pay $1,250.00 within thirty (30) days.

2. Governing Law. This Agreement is governed by the laws of the State of Delaware.
`

// read gives a file a text, with its blocks and what it says.
func (b *bundle) read(t testing.TB, who caller, id, text string) {
	t.Helper()
	b.readWith(t, who, id, nlp.Segment([]string{text}), nil)
}

// readWith is read of a text that has sentences.
func (b *bundle) readWith(t testing.TB, who caller, id string, seg *nlp.Segmentation, sentences []db.Sentence) {
	t.Helper()
	in := db.System(who.scope.TeamID)
	rows := db.Text{Language: seg.Language, Sentences: sentences}
	for i, d := range seg.Documents {
		document := db.Document{ID: db.NewID(), Ordinal: i, Kind: string(d.Kind), Title: d.Title, Start: d.Start, End: d.End, FirstPage: d.FirstPage, LastPage: d.LastPage}
		rows.Documents = append(rows.Documents, document)
		for _, block := range d.Blocks {
			rows.Blocks = append(rows.Blocks, db.Block{
				Ordinal: block.Ordinal, DocumentID: document.ID, Kind: string(block.Kind), Text: seg.Quote(block.Span),
				Start: block.Start, End: block.End, Page: block.Page,
			})
		}
	}
	var attributes []db.Attribute
	add := func(level db.AttributeLevel, ordinal int, a nlp.Attribute) {
		normalized, err := json.Marshal(a.Value)
		require.NoError(t, err)
		row := db.Attribute{Level: level, Ordinal: ordinal, Key: string(a.Key), Normalized: normalized, Canonical: a.Value.String(), Confidence: float32(a.Confidence)}
		for _, s := range a.Spans {
			row.Spans = append(row.Spans, db.AttributeSpan{Start: s.Start, End: s.End, Page: seg.PageAt(s.Start), Quote: seg.Quote(s)})
		}
		row.Value = row.Spans[0].Quote
		attributes = append(attributes, row)
	}
	var pages []db.Page
	for i, page := range strings.Split(seg.Text, "\f") {
		pages = append(pages, db.Page{Number: i + 1, Source: "text_layer", Text: page})
	}
	facts := nlp.Facts(seg)
	for i, a := range facts.File {
		add(db.FileLevel, i, a)
	}
	for i, f := range facts.Findings {
		add(db.SpanLevel, i, nlp.Attribute{Key: f.Key, Value: f.Value, Confidence: f.Confidence, Spans: []nlp.Span{f.Span}})
	}
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		require.NoError(t, tx.ReplacePages(t.Context(), in, id, len(pages), pages))
		row, err := tx.SaveText(t.Context(), in, id, rows)
		require.NoError(t, err)
		return tx.SaveAttributes(t.Context(), in, id, row.Generation, attributes)
	}))
}

// requireQuoted holds the spans of attributes to the text.
func requireQuoted(t testing.TB, text string, list []api.Attribute) {
	t.Helper()
	for _, a := range list {
		for _, s := range a.Spans {
			require.Equal(t, string([]rune(text)[s.Start:s.End]), s.Text, a.Key)
			require.Equal(t, 1, s.Page)
		}
	}
}

func TestLookUpAttributes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	b.read(t, b.alice, f.ID, supply)
	theirs := b.file(t, b.mallory)
	b.read(t, b.mallory, theirs.ID, supply)

	const inFile, inSpan = "POST /api/tools/lookup-document-attribute-value", "POST /api/tools/lookup-filespan-attribute-value"
	about := func(key, more string) string { return `{"fileId":"` + f.ID + `","key":"` + key + `"` + more + `}` }
	law := get[api.FileLookup](t, b.call(t, b.alice, inFile, about("Governing Law", "")), http.StatusOK)
	require.True(t, law.Found)
	require.Equal(t, "governing_law", law.Key)
	require.Len(t, law.Items, 1)
	require.Equal(t, "Delaware", law.Items[0].Normalized.Name)
	require.Equal(t, "rule", law.Items[0].Source)
	requireQuoted(t, supply, law.Items)
	require.NotEmpty(t, law.Candidates)
	for _, c := range law.Candidates {
		require.Equal(t, "jurisdiction", c.Key)
	}
	require.Len(t, get[api.FileLookup](t, b.call(t, b.alice, inFile, about("governing-law", `,"limit":1`)), http.StatusOK).Candidates, 1)
	parties := get[api.FileLookup](t, b.call(t, b.alice, inFile, about("party", "")), http.StatusOK)
	require.Equal(t, []string{"Acme Inc.", "Bolt LLC"}, []string{parties.Items[0].Normalized.Name, parties.Items[1].Normalized.Name})
	none := get[api.FileLookup](t, b.call(t, b.alice, inFile, about("renewal_term", "")), http.StatusOK)
	require.False(t, none.Found)
	require.Equal(t, "duration", none.Candidates[0].Key)
	require.Empty(t, get[api.FileLookup](t, b.call(t, b.alice, inFile, about("colour", "")), http.StatusOK).Items)

	money := get[api.SpanLookup](t, b.call(t, b.alice, inSpan, about("money", "")), http.StatusOK)
	require.True(t, money.Found)
	require.Equal(t, 1, *money.Total)
	require.Equal(t, "1250.00", money.Items[0].Normalized.Amount)
	require.Equal(t, "USD", money.Items[0].Normalized.Currency)
	requireQuoted(t, supply, money.Items)
	at := strings.Index(supply, "$1,250.00")
	require.Equal(t, at, money.Items[0].Spans[0].Start)
	for span, found := range map[string]bool{`"start":0,"end":10`: false, `"start":0,"end":5000`: true} {
		out := get[api.SpanLookup](t, b.call(t, b.alice, inSpan, about("money", `,"span":{`+span+`}`)), http.StatusOK)
		require.Equal(t, found, out.Found, span)
	}

	whole := get[api.SpanLookup](t, b.call(t, b.alice, inSpan, about("jurisdiction", "")), http.StatusOK)
	require.Greater(t, len(whole.Items), 1)
	require.Empty(t, whole.NextCursor)
	var paged []api.Attribute
	more := ""
	for range whole.Items {
		page := get[api.SpanLookup](t, b.call(t, b.alice, inSpan, about("jurisdiction", `,"limit":1`+more)), http.StatusOK)
		paged = append(paged, page.Items...)
		more = `,"cursor":"` + page.NextCursor + `"`
	}
	require.Equal(t, whole.Items, paged)
	require.Equal(t, `,"cursor":""`, more, "nothing follows the last page")
	first := get[api.SpanLookup](t, b.call(t, b.alice, inSpan, about("jurisdiction", `,"limit":1`)), http.StatusOK)
	b.read(t, b.alice, f.ID, supply)
	e := get[api.Error](t, b.call(t, b.alice, inSpan, about("jurisdiction", `,"cursor":"`+first.NextCursor+`"`)), http.StatusConflict)
	require.Contains(t, e.Message, "start from the first page")

	for _, line := range []string{inFile, inSpan} {
		for _, id := range []string{theirs.ID, db.NewID(), "x"} {
			get[api.Error](t, b.call(t, b.alice, line, `{"fileId":"`+id+`","key":"party"}`), http.StatusNotFound)
		}
		for _, wrong := range []string{`{}`, `{"fileId":"` + f.ID + `"}`, about("", ""), about(" _-", ""), about("party", `,"colour":1`), about(strings.Repeat("k", 101), "")} {
			get[api.Error](t, b.call(t, b.alice, line, wrong), http.StatusUnprocessableEntity)
		}
	}
	for _, wrong := range []string{`,"cursor":"x"`, `,"limit":0`, `,"limit":501`, `,"span":{"start":5,"end":5}`, `,"span":{"start":-1,"end":5}`, `,"span":{"start":0,"end":9999999999}`} {
		get[api.Error](t, b.call(t, b.alice, inSpan, about("money", wrong)), http.StatusUnprocessableEntity)
	}
}

func TestSearchAttributes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, second := b.file(t, b.alice), b.file(t, b.alice)
	b.read(t, b.alice, f.ID, supply)
	b.read(t, b.alice, second.ID, strings.ReplaceAll(supply, "Bolt LLC", "Crank GmbH"))
	b.read(t, b.mallory, b.file(t, b.mallory).ID, supply)

	const values = "POST /api/tools/search-attribute-values"
	find := func(body string) api.List[api.FoundValue] {
		t.Helper()
		return get[api.List[api.FoundValue]](t, b.call(t, b.alice, values, body), http.StatusOK)
	}
	law := find(`{"query":"delawere","keys":["Governing Law"]}`)
	require.Equal(t, 1, *law.Total)
	require.Equal(t, []any{"file", "governing_law", "similar", 2, 2}, []any{law.Items[0].Level, law.Items[0].Key, law.Items[0].Match, law.Items[0].Count, law.Items[0].Files})
	require.Equal(t, "US-DE", law.Items[0].Normalized.Code)
	exact := find(`{"query":"crank gmbh","match":"exact","level":"file"}`)
	require.Len(t, exact.Items, 1)
	require.Equal(t, []any{"party", "Crank GmbH", "exact", 1, 1.0}, []any{exact.Items[0].Key, exact.Items[0].Value, exact.Items[0].Match, exact.Items[0].Files, exact.Items[0].Score})
	require.Empty(t, find(`{"query":"crank","match":"exact"}`).Items)
	require.Equal(t, "prefix", find(`{"query":"crank","match":"prefix"}`).Items[0].Match)
	require.Empty(t, find(`{"query":"crank","fileIds":["`+f.ID+`"]}`).Items)
	require.NotEmpty(t, find(`{"query":"2020-05","level":"span"}`).Items, "the normalised value is searched")

	all := find(`{}`)
	require.Equal(t, len(all.Items), *all.Total)
	var paged []api.FoundValue
	for cursor := ""; len(paged) < len(all.Items); {
		page := find(`{"limit":3,"cursor":"` + cursor + `"}`)
		require.NotEmpty(t, page.Items)
		paged, cursor = append(paged, page.Items...), page.NextCursor
	}
	require.Equal(t, all.Items, paged)

	for line, want := range map[string]string{"document": "governing_law", "filespan": "jurisdiction"} {
		path := "POST /api/tools/search-" + line + "-attribute-keys"
		keys := get[api.FoundKeys](t, b.call(t, b.alice, path, `{"query":"`+want[:6]+`"}`), http.StatusOK)
		require.Equal(t, want, keys.Items[0].Key)
		require.Equal(t, "prefix", keys.Items[0].Match)
		require.Equal(t, 2, keys.Items[0].Files)
		require.Contains(t, strings.Join(keys.Items[0].Examples, "|"), "Delaware")
		require.Greater(t, len(get[api.FoundKeys](t, b.call(t, b.alice, path, `{}`), http.StatusOK).Items), 2)
		require.Len(t, get[api.FoundKeys](t, b.call(t, b.alice, path, `{"limit":1}`), http.StatusOK).Items, 1)
		require.Empty(t, get[api.FoundKeys](t, b.call(t, b.acme, path, `{}`), http.StatusOK).Items, "another team")
	}
	law2 := get[api.FoundKeys](t, b.call(t, b.alice, "POST /api/tools/search-document-attribute-keys", `{"query":"goverming law"}`), http.StatusOK)
	require.Equal(t, []string{"governing_law", "Governing law", "similar"}, []string{law2.Items[0].Key, law2.Items[0].Label, law2.Items[0].Match})

	const entities = "POST /api/tools/search-filespan-entities"
	who := get[api.List[api.Entity]](t, b.call(t, b.alice, entities, `{"query":"acme inc","types":["party","organization"],"occurrences":1}`), http.StatusOK)
	require.NotEmpty(t, who.Items)
	require.Contains(t, who.Items[0].Entity, "Acme")
	require.Len(t, who.Items[0].Occurrences, 1)
	o := who.Items[0].Occurrences[0]
	require.Equal(t, second.ID, o.FileID, "the newest first")
	require.Equal(t, "lease.pdf", o.FileName)
	require.Contains(t, o.Spans[0].Text, "Acme")
	every := get[api.List[api.Entity]](t, b.call(t, b.alice, entities, `{}`), http.StatusOK)
	for _, e := range every.Items {
		require.NotContains(t, []string{"reference", "defined_term"}, e.Type)
		require.Len(t, e.Occurrences, min(e.Count, 3))
	}

	for _, line := range []string{values, entities} {
		for _, wrong := range []string{
			`{"cursor":"x"}`, `{"limit":0}`, `{"match":"near"}`, `{"fileIds":["x"]}`, `{"query":"` + strings.Repeat("x", 501) + `"}`, `{"query":1}`, `[]`,
			`{"cursor":"dmFsdWVzOi0x"}`, `{"cursor":"dmFsdWVzOjEwMDA"}`, // values:-1, values:1000
		} {
			get[api.Error](t, b.call(t, b.alice, line, wrong), http.StatusUnprocessableEntity)
		}
		for _, hostile := range []string{`\u0000%`, `\ud800`, `%_\\`, `'; --`, strings.Repeat("é ", 250)} {
			require.Empty(t, get[api.List[api.FoundValue]](t, b.call(t, b.alice, values, `{"query":"`+hostile+`"}`), http.StatusOK).Items, hostile)
		}
	}
	get[api.Error](t, b.call(t, b.alice, entities, `{"types":["colour"]}`), http.StatusUnprocessableEntity)
	get[api.Error](t, b.call(t, b.alice, entities, `{"occurrences":0}`), http.StatusUnprocessableEntity)
}

func TestAttributesOfDocuments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	b.read(t, b.alice, f.ID, supply)
	path := "GET /api/files/" + f.ID + "/documents"
	whole := get[api.Documents](t, b.call(t, b.aliceKey, path, ""), http.StatusOK)
	requireQuoted(t, supply, whole.Attributes)
	keys := map[string]bool{}
	for _, a := range whole.Attributes {
		keys[a.Key] = true
	}
	require.True(t, keys["governing_law"] && keys["party"] && keys["agreement_date"], "%v", keys)
	n := 0
	blocks := map[int][]api.Attribute{}
	for _, d := range whole.Items {
		for _, block := range d.Blocks {
			requireQuoted(t, supply, block.Attributes)
			for _, a := range block.Attributes {
				require.GreaterOrEqual(t, a.Spans[0].Start, block.Span.Start)
				require.Less(t, a.Spans[0].Start, block.Span.End)
			}
			n += len(block.Attributes)
			blocks[block.Index] = block.Attributes
		}
	}
	require.Len(t, nlp.Facts(nlp.Segment([]string{supply})).Findings, n, "every one is in a block")
	for cursor := ""; ; {
		page := get[api.Documents](t, b.call(t, b.aliceKey, path+"?limit=1&cursor="+cursor, ""), http.StatusOK)
		block := page.Items[0].Blocks[0]
		require.Equal(t, blocks[block.Index], block.Attributes, "page by page it is the same")
		require.Equal(t, whole.Attributes, page.Attributes)
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
}

// TestFactsToReview marks what is guessed, in files and in texts, until somebody decides on it.
func TestFactsToReview(t *testing.T) {
	t.Parallel()
	const guessed = "SUPPLY AGREEMENT\n\nThis Supply Agreement is made on 1 May 2020 by and between Acme Inc. (\"Acme\") and Bolt LLC. This Agreement shall be effective upon its execution.\n"
	b := setup(t)
	f := b.file(t, b.alice)
	b.read(t, b.alice, f.ID, guessed)
	review := func(list []api.Attribute) map[string]bool {
		keys := map[string]bool{}
		for _, a := range list {
			keys[a.Key] = keys[a.Key] || a.NeedsReview
		}
		return keys
	}
	read := func() map[string]bool {
		return review(get[api.Documents](t, b.call(t, b.alice, "GET /api/files/"+f.ID+"/documents", ""), http.StatusOK).Attributes)
	}
	found := func(needs string) int {
		filter := url.QueryEscape(`{"field":"needsReview","op":"in","values":["` + needs + `"]}`)
		return len(get[api.List[any]](t, b.call(t, b.alice, "GET /api/files?filter="+filter, ""), http.StatusOK).Items)
	}
	want := map[string]bool{"document_name": false, "party": false, "agreement_date": false, "effective_date": true}
	require.Equal(t, want, read())
	require.Equal(t, []int{1, 0}, []int{found("true"), found("false")})
	body, err := json.Marshal(map[string]string{"text": guessed})
	require.NoError(t, err)
	require.Equal(t, want, review(get[api.TextAnalysis](t, b.call(t, b.alice, "POST /api/text/nlp/analyze-text", string(body)), http.StatusOK).Attributes))

	decide := func(decision string) api.Attribute {
		line := "POST /api/files/" + f.ID + "/attributes/effective_date/decide"
		return get[api.Attribute](t, b.call(t, b.alice, line, `{"value":"2020-05-01","decision":"`+decision+`"}`), http.StatusOK)
	}
	require.False(t, decide("confirmed").NeedsReview)
	require.False(t, read()["effective_date"], "somebody has checked it")
	require.Equal(t, []int{0, 1}, []int{found("true"), found("false")})
	require.True(t, decide("withdrawn").NeedsReview)
	require.Equal(t, 1, found("true"))
	get[api.File](t, b.call(t, b.alice, "PUT /api/files/"+f.ID, `{"attributes":{"effective_date":[{"value":"May 2020"}]}}`), http.StatusOK)
	require.False(t, read()["effective_date"], "people set it")
	require.Zero(t, found("true"))
}

// TestOneValueOfAnAttribute decides on one of two parties: a refused one is nowhere, a
// confirmed one stays when the file is read again without it, and each can be withdrawn.
func TestOneValueOfAnAttribute(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	b.read(t, b.alice, f.ID, supply)
	documents := func() api.Documents {
		return get[api.Documents](t, b.call(t, b.alice, "GET /api/files/"+f.ID+"/documents", ""), http.StatusOK)
	}
	values := func(list []api.Attribute, key string) []string {
		out := []string{}
		for _, a := range list {
			if a.Key != key {
				continue
			}
			decision := db.AttributeDecision("")
			if a.Decision != nil {
				decision = *a.Decision
			}
			out = append(out, a.Value+" "+string(decision))
		}
		return out
	}
	path := "POST /api/files/" + f.ID + "/attributes/party/decide"
	decide := func(value, decision string) api.Attribute {
		return get[api.Attribute](t, b.call(t, b.alice, path, fmt.Sprintf(`{"value":%q,"decision":%q}`, value, decision)), http.StatusOK)
	}
	found := func(value string) int {
		filter := fmt.Sprintf(`{"field":"attribute.party","op":"in","values":[%q]}`, strings.ToLower(value))
		return len(get[api.List[api.File]](t, b.call(t, b.alice, "GET /api/files?filter="+url.QueryEscape(filter), ""), http.StatusOK).Items)
	}
	parties := values(documents().Attributes, "party")
	require.Len(t, parties, 2, "%v", parties)
	first, second := strings.TrimSpace(parties[0]), strings.TrimSpace(parties[1])
	require.Equal(t, 1, found(first))

	refused := decide(strings.ToUpper(first), "refused")
	require.Equal(t, first, refused.Value)
	require.Equal(t, db.RefusedValue, *refused.Decision)
	require.NotNil(t, refused.DecidedBy)
	require.Equal(t, []string{second + " "}, values(documents().Attributes, "party"))
	require.Equal(t, []string{first + " refused"}, values(documents().Refused, "party"))
	require.Zero(t, found(first))
	file := get[api.File](t, b.call(t, b.alice, "GET /api/files/"+f.ID, ""), http.StatusOK)
	require.Len(t, file.Parties, 1, "the parties of the file are those that hold")
	require.NotContains(t, b.call(t, b.alice, "GET /api/export/files?format=csv&attributes=party", "").Body.String(), first)

	require.Equal(t, db.ConfirmedValue, *decide(second, "confirmed").Decision)
	b.read(t, b.alice, f.ID, strings.ReplaceAll(supply, second, "Somebody Else Inc."))
	after := documents()
	require.Contains(t, values(after.Attributes, "party"), second+" confirmed", "it was confirmed, and is not read any more")
	require.NotContains(t, fmt.Sprint(values(after.Attributes, "party")), first, "it is refused in another reading, too")
	require.Equal(t, []string{first + " refused"}, values(after.Refused, "party"))

	require.Nil(t, decide(second, "withdrawn").Decision)
	require.NotContains(t, fmt.Sprint(values(documents().Attributes, "party")), second, "nothing says so any more")
	require.Nil(t, decide(first, "withdrawn").Decision)
	require.Contains(t, values(documents().Attributes, "party"), first+" ")
	require.Equal(t, 1, found(first))
	require.Empty(t, documents().Refused)
	require.Len(t, actionsOf(changes(t, b, f.ID), "file.attribute_decided"), 4)

	// A key that people set as a whole is theirs, and what was refused stays so behind it.
	decide(first, "refused")
	get[api.File](t, b.call(t, b.alice, "PUT /api/files/"+f.ID, `{"attributes":{"party":[{"value":"Mars"}]}}`), http.StatusOK)
	require.Equal(t, "conflict", get[api.Error](t, b.call(t, b.alice, path, `{"value":"Mars","decision":"refused"}`), http.StatusConflict).Code)
	get[api.File](t, b.call(t, b.alice, "PUT /api/files/"+f.ID, `{"attributes":{"party":null}}`), http.StatusOK)
	require.NotContains(t, fmt.Sprint(values(documents().Attributes, "party")), first)
	require.Equal(t, []string{first + " refused"}, values(documents().Refused, "party"))

	get[api.Error](t, b.call(t, b.alice, path, `{"value":"Nobody","decision":"confirmed"}`), http.StatusNotFound)
	get[api.Error](t, b.call(t, b.alice, path, `{"value":"`+first+`","decision":"maybe"}`), http.StatusUnprocessableEntity)
	get[api.Error](t, b.call(t, b.mallory, path, `{"value":"`+first+`","decision":"confirmed"}`), http.StatusNotFound)
}

// TestCorrectedAttribute gives a file a value that its text does not state, and
// takes it back.
func TestCorrectedAttribute(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.file(t, b.alice)
	b.read(t, b.alice, f.ID, supply)
	lookup := func() api.FileLookup {
		return get[api.FileLookup](t, b.call(t, b.alice, "POST /api/tools/lookup-document-attribute-value", `{"fileId":"`+f.ID+`","key":"Governing law"}`), http.StatusOK)
	}
	read := lookup().Items
	require.Equal(t, "rule", read[0].Source)

	path := "PUT /api/files/" + f.ID
	get[api.File](t, b.call(t, b.alice, path, `{"attributes":{"Governing law":[{"value":" England  and Wales ","normalized":{"name":"England and Wales","code":"GB-EAW"}}]}}`), http.StatusOK)
	given := lookup().Items
	require.Len(t, given, 1)
	require.Equal(t, "human", given[0].Source)
	require.Equal(t, "England and Wales", given[0].Value)
	require.Equal(t, "GB-EAW", given[0].Normalized.Code)

	for _, none := range []string{"[]", "null", "[]"} {
		get[api.File](t, b.call(t, b.alice, path, `{"attributes":{"governing_law":`+none+`}}`), http.StatusOK)
		require.Equal(t, read, lookup().Items, "what was read counts again, and is not taken away twice")
	}
	require.Equal(t, []string{"file.attribute_withdrawn", "file.attribute_set"}, actionsOf(changes(t, b, f.ID), "file.attribute"))
	get[api.File](t, b.call(t, b.alice, path, `{"attributes":{"governing_law":[{"value":"Mars"}]}}`), http.StatusOK)
	b.read(t, b.alice, f.ID, strings.Replace(supply, "Delaware.", "Utah.", 1))
	require.Equal(t, "Mars", lookup().Items[0].Value, "it stays when the file is read again")
	get[api.File](t, b.call(t, b.alice, path, `{"attributes":{"governing_law":null}}`), http.StatusOK)
	require.Equal(t, "Utah", lookup().Items[0].Normalized.Name, "what was read last")

	for _, bad := range []string{
		`{"attributes":{"governing_law":[{"value":"  "}]}}`, `{"attributes":{"":[{"value":"x"}]}}`,
		`{"attributes":{"governing law":[],"governing-law":[]}}`, `{"attributes":{"Größe":[{"value":"x"}]}}`,
	} {
		get[api.Error](t, b.call(t, b.alice, path, bad), http.StatusUnprocessableEntity)
	}
	get[api.Error](t, b.call(t, b.mallory, path, `{"attributes":{"party":[]}}`), http.StatusNotFound)
}
