package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

// category makes one.
func (b *bundle) category(t *testing.T, who caller, name string) string {
	t.Helper()
	return get[api.Category](t, b.call(t, who, "POST /api/categories", `{"name":"`+name+`"}`), http.StatusCreated).ID
}

// TestWhatStandsInCategories puts files, matters and document types into
// categories, finds them there, and takes them out.
func TestWhatStandsInCategories(t *testing.T) {
	t.Parallel()
	b := setup(t)
	leases, suppliers := b.category(t, b.acme, "Leases"), b.category(t, b.acme, "Suppliers")
	foreign := b.category(t, b.mallory, "Foreign")
	ids := func(list ...string) string { return `{"categoryIds":["` + strings.Join(list, `","`) + `"]}` }

	f := get[api.File](t, b.upload(t, b.acme, [][2]string{{"categoryIds", `["` + leases + `"]`}}, [2]string{"a.txt", "Some text."}), http.StatusAccepted)
	require.Equal(t, []string{leases}, f.CategoryIDs)
	other := b.file(t, b.acme)
	require.Equal(t, []string{}, other.CategoryIDs)
	m := b.matter(t, b.acme, `{"name":"Office","categoryIds":["`+leases+`"]}`)
	require.Equal(t, []string{leases}, m.CategoryIDs)
	made := get[api.DocumentType](t, b.call(t, b.acme, "POST "+documentTypes, `{"name":"Rent","categoryIds":["`+leases+`"]}`), http.StatusCreated)
	require.Equal(t, []string{leases}, made.CategoryIDs)

	found := func(list, filter string) *int {
		return get[api.List[any]](t, b.call(t, b.acme, "GET "+list+"?filter="+url.QueryEscape(filter), ""), http.StatusOK).Total
	}
	require.Equal(t, 1, *found("/api/files", `{"field":"category","op":"in","values":["`+leases+`"]}`))
	require.Equal(t, 1, *found("/api/files", `{"field":"category","op":"missing"}`))
	require.Equal(t, 1, *found("/api/matters", `{"field":"matterCategory","op":"in","values":["`+leases+`"]}`))
	require.Zero(t, *found("/api/files", `{"field":"category","op":"in","values":["`+foreign+`"]}`))
	options := get[api.List[api.FilterOption]](t, b.call(t, b.acme, "POST /api/files/"+f.ID+"/filters/category/options", `{}`), http.StatusOK)
	require.Equal(t, []api.FilterOption{{Value: leases, Label: "Leases", Count: 1}}, options.Items)
	rows := strings.Split(strings.TrimSpace(b.call(t, b.acme, "GET /api/export/files?sort=name", "").Body.String()), "\n")
	require.True(t, strings.HasSuffix(strings.TrimSpace(rows[0]), ",metadata,categoryNames"))
	require.True(t, strings.HasSuffix(strings.TrimSpace(rows[1]), ",Leases"))

	counts := func(id string) []int {
		c := get[api.Category](t, b.call(t, b.acme, "GET /api/categories/"+id, ""), http.StatusOK)
		return []int{c.Files, c.Matters, c.DocumentTypes}
	}
	require.Equal(t, []int{1, 1, 1}, counts(leases))
	require.Equal(t, []int{0, 0, 0}, counts(suppliers))

	for line, body := range map[string]string{
		"PUT /api/files/" + f.ID:                         ids(foreign),
		"PUT /api/matters/" + m.ID:                       ids("x"),
		"PUT " + documentTypes + "/" + made.ID + "/crud": ids(db.NewID()),
		"POST /api/matters":                              `{"name":"x","categoryIds":["` + foreign + `"]}`,
		"POST " + documentTypes:                          `{"name":"x","categoryIds":["` + foreign + `"]}`,
		"POST /api/files/bulk/update-categories":         `{"fileIds":["` + f.ID + `"],"add":["` + foreign + `"]}`,
	} {
		e := get[api.Error](t, b.call(t, b.acme, line, body), http.StatusUnprocessableEntity)
		require.Contains(t, e.Message, "in this team", line)
	}
	require.Equal(t, http.StatusUnprocessableEntity, b.upload(t, b.acme, [][2]string{{"categoryIds", `["` + foreign + `"]`}}, [2]string{"a.txt", "Some text."}).Code)
	require.Equal(t, http.StatusUnprocessableEntity, b.call(t, b.acme, "POST /api/files/bulk/update-categories", `{"fileIds":["`+f.ID+`"]}`).Code)

	changed := get[api.File](t, b.call(t, b.acme, "PUT /api/files/"+f.ID, ids(suppliers, leases, suppliers)), http.StatusOK)
	require.Equal(t, []string{leases, suppliers}, changed.CategoryIDs)
	require.Equal(t, f.Version+1, changed.Version)
	require.Equal(t, "file.updated", b.audited(t, b.acme, f.ID))
	require.Equal(t, []string{leases, suppliers}, get[api.File](t, b.call(t, b.acme, "PUT /api/files/"+f.ID, `{"name":"b.txt"}`), http.StatusOK).CategoryIDs, "they stay")
	require.Empty(t, get[api.Matter](t, b.call(t, b.acme, "PUT /api/matters/"+m.ID, `{"categoryIds":[]}`), http.StatusOK).CategoryIDs)

	bulk := func(change string) [][]string {
		done := get[api.BulkAccepted](t, b.call(t, b.acme, "POST /api/files/bulk/update-categories", `{"fileIds":["`+f.ID+`","`+other.ID+`"],`+change+`}`), http.StatusAccepted)
		require.Equal(t, 2, done.Accepted)
		of := func(id string) []string {
			return get[api.File](t, b.call(t, b.acme, "GET /api/files/"+id, ""), http.StatusOK).CategoryIDs
		}
		return [][]string{of(f.ID), of(other.ID)}
	}
	require.Equal(t, [][]string{{suppliers}, {}}, bulk(`"remove":["`+leases+`"]`))
	require.Equal(t, [][]string{{suppliers}, {suppliers}}, bulk(`"add":["`+suppliers+`"]`))
	require.Equal(t, [][]string{{leases}, {leases}}, bulk(`"replace":["`+leases+`","`+suppliers+`"],"remove":["`+suppliers+`"]`))
	require.Equal(t, [][]string{{}, {}}, bulk(`"replace":[]`))
	require.Equal(t, [][]string{{leases}, {leases}}, bulk(`"add":["`+leases+`"]`))

	plan := get[api.BulkAccepted](t, b.call(t, b.acme, "POST /api/files/bulk/update-categories", `{"all":true,"dryRun":true,"replace":[]}`), http.StatusOK)
	require.Equal(t, 2, plan.Accepted)
	require.Equal(t, http.StatusConflict, b.call(t, b.acme, "POST /api/files/bulk/update-categories", `{"all":true,"expect":1,"replace":[]}`).Code)
	require.Equal(t, http.StatusUnprocessableEntity, b.call(t, b.acme, "POST /api/files/bulk/update-categories", `{"filter":{},"replace":[]}`).Code)

	// A category goes into the trash with what stands in it, and comes back.
	e := get[api.Error](t, b.call(t, b.acme, "DELETE /api/categories/"+leases, ""), http.StatusConflict)
	require.Equal(t, "2 files, 0 matters and 1 document types stand in the category; send force=true to delete it all the same", e.Message)
	gone := get[api.Deleted](t, b.call(t, b.acme, "DELETE /api/categories/"+leases+"?force=true", ""), http.StatusOK)
	left := get[api.File](t, b.call(t, b.acme, "GET /api/files/"+f.ID, ""), http.StatusOK)
	require.Empty(t, left.CategoryIDs)
	require.Zero(t, *found("/api/files", `{"field":"category","op":"exists"}`))
	get[any](t, b.call(t, b.acme, "POST /api/trash/"+gone.TrashID+"/restore", ""), http.StatusOK)
	back := get[api.File](t, b.call(t, b.acme, "GET /api/files/"+f.ID, ""), http.StatusOK)
	require.Equal(t, []string{leases}, back.CategoryIDs)
	require.Greater(t, back.Version, left.Version, "whoever follows the file hears of it")
}

// TestWhoChangesWhatOthersUse has members and an admin change categories and
// document types.
func TestWhoChangesWhatOthersUse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob, eve := b.colleague(t, b.acme, "bob"), b.colleague(t, b.acme, "eve")
	mine, unused := b.category(t, bob, "Mine"), b.category(t, bob, "Unused")
	f := b.file(t, bob)
	get[api.File](t, b.call(t, bob, "PUT /api/files/"+f.ID, `{"categoryIds":["`+mine+`"]}`), http.StatusOK)
	own := get[api.DocumentType](t, b.call(t, bob, "POST "+documentTypes, `{"name":"Own"}`), http.StatusCreated)
	spare := get[api.DocumentType](t, b.call(t, bob, "POST "+documentTypes, `{"name":"Spare"}`), http.StatusCreated)
	get[api.File](t, b.call(t, bob, "PUT /api/files/"+f.ID, `{"documentTypeId":"`+own.ID+`"}`), http.StatusOK)
	types := get[api.List[api.DocumentType]](t, b.call(t, bob, "GET "+documentTypes, ""), http.StatusOK)
	program := types.Items[0]
	require.NotNil(t, program.Key)

	for _, try := range []struct {
		who        caller
		line, body string
		status     int
	}{
		{eve, "PATCH /api/categories/" + unused, `{"name":"X"}`, http.StatusForbidden},
		{bob, "PATCH /api/categories/" + mine, `{"name":"Ours"}`, http.StatusOK},
		{eve, "DELETE /api/categories/" + unused, "", http.StatusForbidden},
		{bob, "DELETE /api/categories/" + mine + "?force=true", "", http.StatusForbidden},
		{bob, "DELETE /api/categories/" + unused, "", http.StatusOK},
		{b.acme, "DELETE /api/categories/" + mine, "", http.StatusConflict},
		{b.acme, "DELETE /api/categories/" + mine + "?force=true", "", http.StatusOK},

		{eve, "PUT " + documentTypes + "/" + own.ID + "/crud", `{"name":"X"}`, http.StatusForbidden},
		{bob, "PUT " + documentTypes + "/" + own.ID + "/crud", `{"name":"X"}`, http.StatusOK},
		{bob, "PUT " + documentTypes + "/" + own.ID + "/crud", `{"hidden":true}`, http.StatusForbidden},
		{bob, "PUT " + documentTypes + "/" + program.ID + "/crud", `{"name":"X"}`, http.StatusForbidden},
		{bob, "DELETE " + documentTypes + "/" + program.ID, "", http.StatusConflict},
		{b.acme, "DELETE " + documentTypes + "/" + program.ID, "", http.StatusConflict},
		{eve, "DELETE " + documentTypes + "/" + spare.ID, "", http.StatusForbidden},
		{bob, "DELETE " + documentTypes + "/" + own.ID, "", http.StatusForbidden},
		{bob, "DELETE " + documentTypes + "/" + spare.ID, "", http.StatusOK},
		{b.acme, "DELETE " + documentTypes + "/" + own.ID + "/crud", "", http.StatusOK},

		{b.acme, "PUT " + documentTypes + "/" + program.ID + "/crud", `{"hidden":true}`, http.StatusOK},
	} {
		w := b.call(t, try.who, try.line, try.body)
		require.Equal(t, try.status, w.Code, "%s %s: %s", try.line, try.body, w.Body)
	}
	listed := get[api.List[api.DocumentType]](t, b.call(t, bob, "GET "+documentTypes, ""), http.StatusOK)
	require.NotEqual(t, program.ID, listed.Items[0].ID)
	require.Equal(t, *types.Total-3, *listed.Total)
	listed = get[api.List[api.DocumentType]](t, b.call(t, bob, "GET "+documentTypes+"?hidden=true", ""), http.StatusOK)
	require.Equal(t, program.ID, listed.Items[0].ID)
	require.True(t, listed.Items[0].Hidden)
}
