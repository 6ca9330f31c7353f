package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

// rental is a text with a value for fields of each type.
const rental = "RENTAL AGREEMENT\n\nThis Agreement is made on 31 March 2026. The surety is €1,250.00 and the key is handed over after thirty (30) days.\n\n§ 2 The laws of Austria apply.\n"

// rented is a file with that text.
func (b *bundle) rented(t *testing.T, who caller) string {
	t.Helper()
	f, _ := b.contract(t, who, said{text: "Words."})
	b.read(t, who, f.ID, rental)
	b.exec(t, `DELETE FROM pages WHERE file_id = $1`, f.ID)
	b.exec(t, `INSERT INTO pages (file_id, team_id, number, source, reason, text) VALUES ($1, $2, 1, 'text_layer', 'good', $3)`, f.ID, who.scope.TeamID, rental)
	return f.ID
}

// marking is the body of a mark of words in the rental.
func marking(t *testing.T, fileID, words, value string) string {
	t.Helper()
	at := strings.Index(rental, words)
	require.NotEqual(t, -1, at)
	start := utf8.RuneCountInString(rental[:at])
	return fmt.Sprintf(`{"fileId":%q,"span":{"start":%d,"end":%d},"value":%q}`, fileID, start, start+utf8.RuneCountInString(words), value)
}

// TestFields declares a field of each type, and marks its value: it is filtered, exported,
// looked up and searched as attributes are, and goes with the field.
func TestFields(t *testing.T) {
	t.Parallel()
	b := setup(t)
	file := b.rented(t, b.acme)
	declare := func(body string) api.Field {
		return get[api.Field](t, b.call(t, b.acme, "POST /api/fields", body), http.StatusCreated)
	}
	for _, tt := range []struct{ body, key, words, value, want, normal string }{
		{`{"name":"Key handed over","kind":"number","question":"After how many days?"}`, "key_handed_over_number", "thirty (30) days", "", "thirty (30) days", "30"},
		{`{"name":"Surety","kind":"money"}`, "surety_amount", "€1,250.00", "", "€1,250.00", "1250.00"},
		{`{"name":"Made","kind":"date","key":"made_date"}`, "made_date", "31 March 2026", "", "31 March 2026", "2026-03-31"},
		{`{"name":"Heading","kind":"text","examples":["LEASE"]}`, "heading", "RENTAL AGREEMENT", "", "RENTAL AGREEMENT", "RENTAL AGREEMENT"},
		{`{"name":"Laws","kind":"choice","choices":["Austria","Germany"]}`, "laws", "laws of Austria", "", "Austria", "Austria"},
		{`{"name":"Venue","kind":"choice","choices":["Wien","Graz"]}`, "venue", "laws of Austria", "Wien", "Wien", "Wien"},
	} {
		f := declare(tt.body)
		require.Equal(t, tt.key, f.Key)
		require.Equal(t, api.FieldLearning{Status: "learning", Needed: 10, Versions: []api.FieldVersion{}}, *f.Learning)
		made := get[api.FieldMark](t, b.call(t, b.acme, "POST /api/fields/"+f.Key+"/marks", marking(t, file, tt.words, tt.value)), http.StatusCreated)
		require.Equal(t, tt.want, made.Value)
		require.Equal(t, tt.words, made.Place.Text)
		n := made.Normalized
		require.Contains(t, []string{n.Amount, n.Date, n.Name}, tt.normal)
		require.Equal(t, 1, get[api.Field](t, b.call(t, b.acme, "GET /api/fields/"+f.Key, ""), http.StatusOK).Learning.Files)
	}
	for filter, want := range map[string]int{
		`{"field":"attribute.key_handed_over_number","op":"lte","values":["30"]}`: 1, `{"field":"attribute.key_handed_over_number","op":"gt","values":["30"]}`: 0,
		`{"field":"attribute.surety_amount","op":"gte","values":["1000"]}`: 1, `{"field":"attribute.made_date","op":"gte","values":["2026-04-01"]}`: 0,
		`{"field":"attribute.laws","op":"in","values":["austria"]}`: 1,
	} {
		require.Len(t, get[api.FileList](t, b.call(t, b.acme, "GET /api/files?filter="+url.QueryEscape(filter), ""), http.StatusOK).Items, want, filter)
	}
	table := b.call(t, b.acme, "GET /api/export/files?attributes=surety_amount,made_date", "").Body.String()
	require.Contains(t, table, `"€1,250.00",2026-03-31`)
	found := get[api.FileHits](t, b.call(t, b.acme, "GET /api/search?groups=attributes&q=Wien", ""), http.StatusOK).Groups.Attributes.Items
	require.Equal(t, "venue", found[0].Key)

	// A second value, one that is set with the file, and what is no value.
	get[api.FieldMark](t, b.call(t, b.acme, "POST /api/fields/heading/marks", marking(t, file, "This Agreement", "")), http.StatusCreated)
	marks := get[api.List[api.FieldMark]](t, b.call(t, b.acme, "GET /api/fields/heading/marks?limit=1&fileId="+file, ""), http.StatusOK)
	require.Equal(t, "RENTAL AGREEMENT", marks.Items[0].Value)
	require.NotEmpty(t, marks.NextCursor)
	get[api.Message](t, b.call(t, b.acme, "DELETE /api/fields/heading/marks/"+marks.Items[0].ID, ""), http.StatusOK)
	require.Equal(t, http.StatusNotFound, b.call(t, b.acme, "DELETE /api/fields/heading/marks/"+marks.Items[0].ID, "").Code)
	left := get[api.FileLookup](t, b.call(t, b.acme, "POST /api/tools/lookup-document-attribute-value", `{"fileId":"`+file+`","key":"heading"}`), http.StatusOK).Items
	require.Equal(t, "This Agreement", left[0].Value)
	require.Equal(t, "human", left[0].Source)
	get[api.File](t, b.call(t, b.acme, "PUT /api/files/"+file, `{"attributes":{"surety_amount":[{"value":"2000.00 EUR"}]}}`), http.StatusOK)
	sums := get[api.List[api.FieldMark]](t, b.call(t, b.acme, "GET /api/fields/surety_amount/marks", ""), http.StatusOK).Items
	require.Len(t, sums, 1)
	require.Equal(t, "2000.00", sums[0].Normalized.Amount)
	require.Nil(t, sums[0].Place)
	for line, body := range map[string]string{
		"PUT /api/files/" + file: `{"attributes":{"surety_amount":[{"value":"plenty"}]}}`, "POST /api/fields/made_date/marks": marking(t, file, "RENTAL", ""),
	} {
		require.Equal(t, http.StatusUnprocessableEntity, b.call(t, b.acme, line, body).Code, line)
	}
	bad := get[api.Error](t, b.call(t, b.acme, "POST /api/fields/made_date/marks", marking(t, file, "RENTAL", "")), http.StatusUnprocessableEntity)
	require.Contains(t, bad.Message, "these words do not hold a day, as 31 March 2026")
	bad = get[api.Error](t, b.call(t, b.acme, "POST /api/fields/laws/marks", marking(t, file, "RENTAL", "Peru")), http.StatusUnprocessableEntity)
	require.Contains(t, bad.Message, "must be one of Austria, Germany")
	for _, span := range []string{`{"start":5,"end":5}`, `{"start":-1,"end":5}`, `{"start":0,"end":90000}`} {
		require.Equal(t, http.StatusUnprocessableEntity, b.call(t, b.acme, "POST /api/fields/laws/marks", `{"fileId":"`+file+`","span":`+span+`}`).Code, span)
	}

	require.Equal(t, http.StatusConflict, b.call(t, b.acme, "DELETE /api/fields/laws", "").Code)
	entry := get[api.Deleted](t, b.call(t, b.acme, "DELETE /api/fields/laws?force=true", ""), http.StatusOK).TrashID
	require.Equal(t, http.StatusNotFound, b.call(t, b.acme, "GET /api/fields/laws", "").Code)
	require.Empty(t, get[api.FileLookup](t, b.call(t, b.acme, "POST /api/tools/lookup-document-attribute-value", `{"fileId":"`+file+`","key":"laws"}`), http.StatusOK).Items)
	require.Len(t, get[api.List[api.Field]](t, b.call(t, b.acme, "GET /api/fields", ""), http.StatusOK).Items, 5)
	require.Equal(t, http.StatusConflict, b.call(t, b.acme, "POST /api/fields", `{"name":"Laws","kind":"text"}`).Code)
	get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+entry+"/restore", ""), http.StatusOK)
	back := get[api.FileLookup](t, b.call(t, b.acme, "POST /api/tools/lookup-document-attribute-value", `{"fileId":"`+file+`","key":"laws"}`), http.StatusOK).Items
	require.Equal(t, "Austria", back[0].Value)
	require.NotEmpty(t, back[0].Spans)
	require.Empty(t, get[api.List[api.Field]](t, b.call(t, b.mallory, "GET /api/fields", ""), http.StatusOK).Items)
	require.Equal(t, http.StatusNotFound, b.call(t, b.mallory, "GET /api/fields/venue", "").Code)
}

// TestFieldDeclarations refuses what is no field.
func TestFieldDeclarations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for body, status := range map[string]int{
		`{"name":"Governing law","kind":"text"}`:                  http.StatusConflict,
		`{"name":"Fee","kind":"money","key":"fee"}`:               http.StatusUnprocessableEntity,
		`{"name":"Fee","kind":"text","key":"fee_amount"}`:         http.StatusUnprocessableEntity,
		`{"name":"Fee","kind":"text","key":"Fee"}`:                http.StatusUnprocessableEntity,
		`{"name":"甲","kind":"text"}`:                              http.StatusUnprocessableEntity,
		`{"name":"Fee","kind":"choice"}`:                          http.StatusUnprocessableEntity,
		`{"name":"Fee","kind":"text","choices":["a"]}`:            http.StatusUnprocessableEntity,
		`{"name":"Fee","kind":"choice","choices":["a","a"]}`:      http.StatusUnprocessableEntity,
		`{"name":"Fee","kind":"blob"}`:                            http.StatusUnprocessableEntity,
		`{"name":"Fee","kind":"text","examples":[" "]}`:           http.StatusUnprocessableEntity,
		`{"name":"甲","kind":"text","key":"first"}`:                http.StatusCreated,
		`{"name":"Term","kind":"text"}`:                           http.StatusCreated,
		`{"name":"Grace period","kind":"text"}`:                   http.StatusCreated, // grace_period_text
		`{"name":"Fee","kind":"choice","choices":["Low","High"]}`: http.StatusCreated,
	} {
		require.Equal(t, status, b.call(t, b.acme, "POST /api/fields", body).Code, body)
	}
	require.Equal(t, http.StatusConflict, b.call(t, b.acme, "POST /api/fields", `{"name":"Again","kind":"text","key":"first"}`).Code)
	changed := get[api.Field](t, b.call(t, b.acme, "PATCH /api/fields/fee", `{"name":"Level","choices":["Low","Middle","High"]}`), http.StatusOK)
	require.Equal(t, []string{"Low", "Middle", "High"}, changed.Choices)
	require.Equal(t, http.StatusUnprocessableEntity, b.call(t, b.acme, "PATCH /api/fields/fee", `{"choices":[]}`).Code)
}

// TestFieldsOfOthers has a field be changed by those who may, and marks in restricted
// matters be seen by those who see their files.
func TestFieldsOfOthers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob, admin := b.colleague(t, b.acme, "bob"), b.joining(t, b.acme, "ann", db.Admin)
	get[api.Field](t, b.call(t, bob, "POST /api/fields", `{"name":"Heading","kind":"text"}`), http.StatusCreated)
	get[api.Field](t, b.call(t, bob, "PATCH /api/fields/heading", `{"question":"What is on top?"}`), http.StatusOK)

	matter := get[api.Matter](t, b.call(t, admin, "POST /api/matters", `{"name":"Secret","access":"restricted"}`), http.StatusCreated).ID
	file := b.rented(t, admin)
	get[api.File](t, b.call(t, admin, "PUT /api/files/"+file, `{"matterId":"`+matter+`"}`), http.StatusOK)
	mark := get[api.FieldMark](t, b.call(t, admin, "POST /api/fields/heading/marks", marking(t, file, "RENTAL AGREEMENT", "")), http.StatusCreated)
	require.Empty(t, get[api.List[api.FieldMark]](t, b.call(t, bob, "GET /api/fields/heading/marks", ""), http.StatusOK).Items)
	require.Empty(t, get[api.List[api.FieldMark]](t, b.call(t, bob, "GET /api/fields/heading/marks?fileId="+file, ""), http.StatusOK).Items)
	require.Equal(t, http.StatusNotFound, b.call(t, bob, "DELETE /api/fields/heading/marks/"+mark.ID, "").Code)
	require.Equal(t, http.StatusNotFound, b.call(t, bob, "POST /api/fields/heading/marks", marking(t, file, "RENTAL", "")).Code)
	require.Len(t, get[api.List[api.FieldMark]](t, b.call(t, admin, "GET /api/fields/heading/marks", ""), http.StatusOK).Items, 1)

	for _, line := range []string{"PATCH /api/fields/heading", "DELETE /api/fields/heading?force=true"} {
		require.Equal(t, http.StatusForbidden, b.call(t, bob, line, `{"name":"Top"}`).Code, line)
	}
	get[api.Field](t, b.call(t, admin, "PATCH /api/fields/heading", `{"name":"Top"}`), http.StatusOK)
	require.Equal(t, 1, get[api.Field](t, b.call(t, bob, "GET /api/fields/heading", ""), http.StatusOK).Learning.Files, "what is learned from is counted")
}

// TestTrashOfFields deletes a field and restores it: beside files that were in the trash
// before and after it, one that was read meanwhile, and one whose value was set meanwhile.
func TestTrashOfFields(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob := b.colleague(t, b.acme, "bob")
	field := get[api.Field](t, b.call(t, b.acme, "POST /api/fields", `{"name":"Heading","kind":"text"}`), http.StatusCreated)
	marked := func() string {
		id := b.rented(t, b.acme)
		get[api.FieldMark](t, b.call(t, b.acme, "POST /api/fields/heading/marks", marking(t, id, "RENTAL AGREEMENT", "")), http.StatusCreated)
		return id
	}
	before, after, read, set := marked(), marked(), marked(), marked()
	values := func(fileID string) []api.Attribute {
		return get[api.FileLookup](t, b.call(t, b.acme, "POST /api/tools/lookup-document-attribute-value", `{"fileId":"`+fileID+`","key":"heading"}`), http.StatusOK).Items
	}
	require.NotEmpty(t, values(read)[0].Spans)
	b.exec(t, `UPDATE fields SET decisions = 0`)

	inBefore := b.discard(t, b.acme, "/api/files/"+before)
	require.Equal(t, http.StatusConflict, b.call(t, b.acme, "DELETE /api/fields/heading", "").Code)
	inField := b.discard(t, b.acme, "/api/fields/heading")
	inAfter := b.discard(t, b.acme, "/api/files/"+after)
	get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+inBefore+"/restore", ""), http.StatusOK)
	for _, id := range []string{before, read, set} {
		require.Empty(t, values(id), "of a field that is in the trash")
	}
	held := b.trash(t, b.acme, "?kind=field")
	require.Len(t, held, 1)
	require.Equal(t, field.Key, held[0].ResourceID)
	require.Equal(t, 3, held[0].Held["values"])
	b.exec(t, `INSERT INTO file_attempts (file_id, team_id, attempt, status, finished_at) VALUES ($1, $2, 77, 'completed', clock_timestamp())`, read, b.acme.scope.TeamID)
	get[api.File](t, b.call(t, b.acme, "PUT /api/files/"+set, `{"attributes":{"heading":[{"value":"Set meanwhile"}]}}`), http.StatusOK)

	require.Equal(t, http.StatusForbidden, b.call(t, bob, "POST /api/trash/"+inField+"/restore", "").Code)
	get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+inField+"/restore", `{"name":"Top"}`), http.StatusOK)
	require.Equal(t, "Top", get[api.Field](t, b.call(t, b.acme, "GET /api/fields/heading", ""), http.StatusOK).Name)
	get[api.TrashEntry](t, b.call(t, b.acme, "POST /api/trash/"+inAfter+"/restore", ""), http.StatusOK)
	for _, id := range []string{before, after} {
		require.Len(t, values(id), 1)
		require.Equal(t, "RENTAL AGREEMENT", values(id)[0].Value)
		require.NotEmpty(t, values(id)[0].Spans)
	}
	require.Equal(t, "RENTAL AGREEMENT", values(read)[0].Value)
	require.Empty(t, values(read)[0].Spans, "it was read meanwhile: the words may be in another place")
	require.Len(t, values(set), 1)
	require.Equal(t, "Set meanwhile", values(set)[0].Value)
	marks := get[api.List[api.FieldMark]](t, b.call(t, b.acme, "GET /api/fields/heading/marks", ""), http.StatusOK).Items
	require.Len(t, marks, 4)
	due, err := b.db.DueFields(t.Context(), 4)
	require.NoError(t, err)
	require.NotEmpty(t, due, "it is learned again")

	// In the trash nothing is learned of it, and purged nothing is left.
	inField = b.discard(t, b.acme, "/api/fields/heading")
	due, err = b.db.DueFields(t.Context(), 4)
	require.NoError(t, err)
	require.Empty(t, due)
	require.Equal(t, http.StatusOK, b.call(t, b.acme, "DELETE /api/trash/"+inField, "").Code)
	for _, table := range []string{"fields", "field_marks", "attributes WHERE key = 'heading'"} {
		var rows int
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error { return tx.Raw.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&rows) }))
		require.Zero(t, rows, table)
	}
	get[api.Field](t, b.call(t, b.acme, "POST /api/fields", `{"name":"Heading","kind":"text"}`), http.StatusCreated)
}
