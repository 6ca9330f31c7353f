package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/query"
)

// withMetadata uploads a file of a name with metadata.
func (b *bundle) withMetadata(t *testing.T, who caller, name, metadata string) api.File {
	t.Helper()
	return get[api.File](t, b.upload(t, who, [][2]string{{"metadata", metadata}}, [2]string{name, "Some text of " + name}), http.StatusAccepted)
}

// TestMetadataIsFound filters files by what they carry, declared or not.
func TestMetadataIsFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.withMetadata(t, b.alice, "a", `{"externalId":"SAP-4711","amount":9,"signed":"2024-02-29","Schlüssel'\\@$1":"Ä","tags":["Red","blue"]}`)
	b.withMetadata(t, b.alice, "b", `{"externalId":"sap-4712","amount":"10.50","signed":"2025-01-01","fee":{"amount":"1250.00","currency":"EUR"},"契約":"甲"}`)
	b.withMetadata(t, b.alice, "c", `{"externalId":null,"amount":"many","nested":{"a":{"b":1}}}`)
	b.file(t, b.alice)
	b.withMetadata(t, b.acme, "d", `{"externalId":"SAP-4711"}`)

	for _, tt := range []struct{ filter, want string }{
		{`{"field":"metadata.externalId","op":"in","values":["SAP-4711"]}`, "a"},
		{`{"field":"metadata.externalId","op":"in","values":["sap-4711","SAP-4712"]}`, "a b"},
		{`{"field":"metadata.externalId","op":"in","values":[]}`, ""},
		{`{"field":"metadata.externalId","op":"notIn","values":["SAP-4711"]}`, "b c lease.pdf"},
		{`{"not":{"field":"metadata.externalId","op":"in","values":["SAP-4711"]}}`, "b c lease.pdf"},
		{`{"field":"metadata.externalId","op":"contains","values":["p-47"]}`, "a b"},
		{`{"field":"metadata.externalId","op":"startsWith","values":["sap"]}`, "a b"},
		{`{"field":"metadata.externalId","op":"exists"}`, "a b"},
		{`{"field":"metadata.externalId","op":"missing"}`, "c lease.pdf"},
		{`{"field":"metadata.amount","op":"gte","values":[9]}`, "a b"},
		{`{"field":"metadata.amount","op":"gt","values":[9]}`, "b"},
		{`{"field":"metadata.amount","op":"lt","values":["10"]}`, "a"},
		{`{"field":"metadata.fee","op":"gte","values":["1250"]}`, "b"},
		{`{"field":"metadata.signed","op":"lte","values":["2024-02-29"]}`, "a"},
		{`{"field":"metadata.signed","op":"gt","values":["2024-02-29"]}`, "b"},
		{`{"field":"metadata.tags","op":"in","values":["BLUE"]}`, "a"},
		{`{"field":"metadata.Schlüssel'\\@$1","op":"in","values":["a"]}`, "a"},
		{`{"field":"metadata.契約","op":"in","values":["甲"]}`, "b"},
		{`{"field":"metadata.nested","op":"exists"}`, "c"},
		{`{"field":"metadata.nothing","op":"in","values":["x"]}`, ""},
		{`{"field":"name","op":"in","values":["A"]}`, "a"},
	} {
		names := order(t, b, b.alice, "/api/files?sort=name&filter="+url.QueryEscape(tt.filter), func(f api.File) string { return f.Name })
		require.Equal(t, tt.want, strings.Join(names, " "), tt.filter)
	}
	for _, bad := range []string{
		`{"field":"metadata.","op":"exists"}`, `{"field":"metadata.amount","op":"gte","values":["many"]}`, `{"field":"metadata.amount","op":"gte","values":[1,2]}`,
		`{"field":"metadata.amount","op":"sum","values":[1]}`, `{"field":"metadata. a","op":"exists"}`, `{"field":"metadata.a\u0007","op":"exists"}`,
	} {
		require.Equal(t, http.StatusUnprocessableEntity, b.call(t, b.alice, "GET /api/files?filter="+url.QueryEscape(bad), "").Code, bad)
	}
	where := `"filter":{"filter":{"field":"metadata.externalId","op":"in","values":["SAP-4711"]}}`
	require.Equal(t, 1, get[api.BulkAccepted](t, b.call(t, b.alice, "POST /api/files/bulk/update-metadata", `{`+where+`,"set":{"seen":true}}`), http.StatusAccepted).Accepted)
	saved := `{"name":"Mine","filter":{"field":"metadata.externalId","op":"exists"}}`
	require.Equal(t, http.StatusCreated, b.call(t, b.alice, "POST /api/saved-searches", saved).Code)
	found := func(who caller, q string) []api.MetadataHit {
		return get[api.FileHits](t, b.call(t, who, "GET /api/search?groups=metadata&q="+url.QueryEscape(q), ""), http.StatusOK).Groups.Metadata.Items
	}
	require.Len(t, found(b.alice, "4711"), 1)
	hit := found(b.alice, "SAP-4711")[0]
	require.Equal(t, []string{"a", "externalId", "SAP-4711"}, []string{hit.FileName, hit.Key, hit.Value})
	require.Empty(t, found(b.mallory, "4711"))
	require.Empty(t, found(b.alice, "the"))
}

// TestDeclaredMetadata declares keys, and has values checked, sorted and exported.
func TestDeclaredMetadata(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const keys = "/api/metadata-keys"
	names := []string{"a", "b", "c", "d"}
	values := []string{
		`{"amount":9,"signed":"2025-01-01","fee":{"amount":"20.00","currency":"EUR"},"region":"North","who":"Zoë"}`,
		`{"amount":"10","signed":"2024-12-31","fee":{"amount":3,"currency":"USD"},"region":"south","who":"alan"}`,
		`{"amount":"many","signed":"2024-13-01","fee":5,"region":["North","South"],"who":7}`,
		`{}`,
	}
	var files []api.File
	for i, name := range names {
		files = append(files, b.withMetadata(t, b.acme, name, values[i]))
	}
	declare := func(body string) api.MetadataKey {
		return get[api.MetadataKey](t, b.call(t, b.acme, "POST "+keys, body), http.StatusCreated)
	}
	for body, unfit := range map[string]int{
		`{"key":"amount","kind":"number"}`: 1, `{"key":"signed","kind":"date"}`: 1, `{"key":"fee","kind":"money"}`: 1,
		`{"key":"region","kind":"choice","choices":["North","South"]}`: 1, `{"key":"who","kind":"text"}`: 1,
	} {
		k := declare(body)
		require.Equal(t, []int{3, unfit}, []int{*k.Files, *k.Unfit}, body)
	}
	for body, status := range map[string]int{
		`{"key":"amount","kind":"text"}`: http.StatusConflict, `{"key":"a/b","kind":"text"}`: http.StatusUnprocessableEntity, `{"key":" a","kind":"text"}`: http.StatusUnprocessableEntity,
		`{"key":"x","kind":"choice"}`: http.StatusUnprocessableEntity, `{"key":"x","kind":"text","choices":["a"]}`: http.StatusUnprocessableEntity,
		`{"key":"x","kind":"choice","choices":["a","a"]}`: http.StatusUnprocessableEntity, `{"key":"x","kind":"blob"}`: http.StatusUnprocessableEntity,
	} {
		require.Equal(t, status, b.call(t, b.acme, "POST "+keys, body).Code, body)
	}
	require.Equal(t, http.StatusForbidden, b.call(t, b.colleague(t, b.acme, "bob"), "POST "+keys, `{"key":"x","kind":"text"}`).Code)

	for value, sentence := range map[string]string{
		`{"amount":"12,5"}`:                      `metadata: amount must be a number, as 12.5 or "12.5", or a list of such values`,
		`{"amount":true}`:                        "amount must be a number",
		`{"amount":[1,"x"]}`:                     "amount must be a number",
		`{"signed":"1.1.2024"}`:                  "signed must be a day, as 2026-03-31",
		`{"signed":"2023-02-29"}`:                "signed must be a day",
		`{"fee":12}`:                             "fee must be money",
		`{"fee":{"amount":1,"currency":"euro"}}`: "fee must be money",
		`{"region":"East"}`:                      "region must be one of North, South",
		`{"who":1}`:                              "who must be text",
	} {
		for line, body := range map[string]string{
			"PUT /api/files/" + files[3].ID:        `{"metadata":` + value + `}`,
			"POST /api/files/bulk/update-metadata": `{"fileIds":["` + files[3].ID + `"],"set":` + value + `}`,
		} {
			e := get[api.Error](t, b.call(t, b.acme, line, body), http.StatusUnprocessableEntity)
			require.Contains(t, e.Message, sentence, line)
		}
		require.Equal(t, http.StatusUnprocessableEntity, b.upload(t, b.acme, [][2]string{{"metadata", value}}, [2]string{"x.txt", "Some text."}).Code)
	}
	for _, good := range []string{`{"amount":[1,"2.5",null]}`, `{"amount":null,"who":[]}`, `{"other":{"any":"thing"}}`, `{"amount":-1e3}`, `{}`} {
		require.Equal(t, http.StatusOK, b.call(t, b.acme, "PUT /api/files/"+files[3].ID, `{"metadata":`+good+`}`).Code, good)
	}
	var unfit map[string]any
	require.NoError(t, json.Unmarshal([]byte(values[2]), &unfit))
	unfit["note"] = "kept"
	body, err := json.Marshal(map[string]any{"metadata": unfit})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, b.call(t, b.acme, "PUT /api/files/"+files[2].ID, string(body)).Code, "what does not fit already may stay")

	for sort, want := range map[string]string{
		"metadata.amount": "a b d c", "-metadata.amount": "b a d c", "metadata.signed": "b a d c", "metadata.fee": "b c a d", "-metadata.fee": "a c b d",
		"metadata.who": "c b a d", "-metadata.who": "a b c d",
	} {
		got := strings.Join(order(t, b, b.acme, "/api/files?sort="+sort, func(f api.File) string { return f.Name }), " ")
		if !strings.HasSuffix(sort, "who") { // those without a value by their ids
			require.Equal(t, want[:3], got[:3], "%s: %s", sort, got)
			continue
		}
		require.Equal(t, want, got, sort)
	}
	require.Equal(t, http.StatusUnprocessableEntity, b.call(t, b.acme, "GET /api/files?sort=metadata.other", "").Code)

	table := strings.Split(strings.TrimSpace(b.call(t, b.acme, "GET /api/export/files?sort=name", "").Body.String()), "\n")
	require.True(t, strings.HasSuffix(strings.TrimSpace(table[0]), "metadata.amount,metadata.fee,metadata.region,metadata.signed,metadata.who"), table[0])
	require.True(t, strings.HasSuffix(strings.TrimSpace(table[1]), "9,20.00 EUR,North,2025-01-01,Zoë"), table[1])
	require.Contains(t, table[3], "North; South")
	table = strings.Split(strings.TrimSpace(b.call(t, b.acme, "GET /api/export/files?sort=name&metadata=who", "").Body.String()), "\n")
	require.True(t, strings.HasSuffix(strings.TrimSpace(table[2]), ",alan"), table[2])

	filters := get[api.AvailableFilters](t, b.call(t, b.acme, "POST /api/files/"+files[0].ID+"/list-filters", ""), http.StatusOK)
	require.Contains(t, filters.Items, api.FieldFilter{ID: "metadata.region", Key: "region", Label: "region", Kind: "enum", Scope: "file", Multi: true, Operators: []query.Op{"in", "notIn", "exists", "missing"}})
	options := get[api.List[api.FilterOption]](t, b.call(t, b.acme, "POST /api/files/"+files[0].ID+"/filters/metadata.region/options", `{}`), http.StatusOK)
	require.Equal(t, []api.FilterOption{{Value: "north", Label: "North", Count: 2}}, options.Items[:1])

	k := get[api.MetadataKey](t, b.call(t, b.acme, "PATCH "+keys+"/amount", `{"kind":"text"}`), http.StatusOK)
	require.Equal(t, []int{3, 1}, []int{*k.Files, *k.Unfit})
	require.Equal(t, http.StatusUnprocessableEntity, b.call(t, b.acme, "PATCH "+keys+"/amount", `{"kind":"choice"}`).Code)
	require.Len(t, get[api.List[api.MetadataKey]](t, b.call(t, b.acme, "GET "+keys, ""), http.StatusOK).Items, 5)
	require.Equal(t, http.StatusOK, b.call(t, b.acme, "DELETE "+keys+"/amount", "").Code)
	require.Equal(t, http.StatusNotFound, b.call(t, b.acme, "GET "+keys+"/amount", "").Code)
	require.Equal(t, http.StatusOK, b.call(t, b.acme, "PUT /api/files/"+files[3].ID, `{"metadata":{"amount":"many"}}`).Code)

	w := b.call(t, b.acme, "POST "+keys, `{"key":"契約 番号","kind":"text"}`)
	require.Equal(t, http.StatusCreated, w.Code)
	require.Equal(t, http.StatusOK, b.call(t, b.acme, "GET "+w.Header().Get("Location"), "").Code)
	require.Equal(t, http.StatusNotFound, b.call(t, b.mallory, "GET "+w.Header().Get("Location"), "").Code)
}
