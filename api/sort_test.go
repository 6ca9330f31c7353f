package api_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
)

// order reads a list page by page and returns what its items are called.
func order[T any](t *testing.T, b *bundle, who caller, list string, name func(T) string) (names []string) {
	t.Helper()
	for cursor := ""; ; {
		page := get[api.List[T]](t, b.call(t, who, "GET "+list+"&limit=2&cursor="+cursor, ""), http.StatusOK)
		for _, item := range page.Items {
			names = append(names, name(item))
		}
		if cursor = page.NextCursor; cursor == "" {
			return names
		}
		require.LessOrEqual(t, len(names), 100, "the list has no end")
	}
}

// TestSortedFiles reads lists of files in every order.
func TestSortedFiles(t *testing.T) {
	t.Parallel()
	d, _ := dbtest.Database(t)
	b := newBundle(t, d)
	matter := b.matter(t, b.alice, `{"name":"Lease"}`).ID
	for i, name := range []string{"delta.txt", "Alpha.txt", "charlie.txt", "bravo.txt", "alpha.txt"} {
		id := get[api.File](t, b.upload(t, b.alice, [][2]string{{"matterId", matter}}, [2]string{name, strings.Repeat("x", 10*(i+1))}), http.StatusAccepted).ID
		_, err := d.Pool().Exec(t.Context(), `UPDATE files SET page_count = $2, created_at = created_at - make_interval(days => $3), progress_at = now() + make_interval(secs => $4) WHERE id = $1`,
			id, []int{3, 1, 3, 1, 2}[i], []int{1, 3, 2, 5, 4}[i], []int{2, 1, 4, 3, 5}[i])
		require.NoError(t, err)
	}
	b.file(t, b.acme)

	byName := func(f api.File) string { return strings.TrimSuffix(f.Name, ".txt") }
	for sort, want := range map[string]string{
		"name":       "Alpha alpha bravo charlie delta",
		"-name":      "delta charlie bravo alpha Alpha",
		"createdAt":  "bravo alpha Alpha charlie delta",
		"-createdAt": "delta charlie Alpha alpha bravo",
		"updatedAt":  "Alpha delta bravo charlie alpha",
		"-updatedAt": "alpha charlie bravo delta Alpha",
		"size":       "delta Alpha charlie bravo alpha",
		"-size":      "alpha bravo charlie Alpha delta",
		"pageCount":  "Alpha bravo alpha delta charlie",
		"-pageCount": "charlie delta alpha bravo Alpha",
		"":           "alpha bravo charlie Alpha delta",
	} {
		for _, list := range []string{"/api/files?sort=" + sort, "/api/matters/" + matter + "/files?sort=" + sort, "/api/files?q=a&sort=" + sort} {
			require.Equal(t, want, strings.Join(order(t, b, b.alice, list, byName), " "), list)
		}
		table := b.call(t, b.alice, "GET /api/export/files?sort="+sort, "").Body.String()
		rows := strings.Split(strings.TrimSpace(table), "\n")[1:]
		for i, name := range strings.Fields(want) {
			require.Contains(t, rows[i], ","+name+".txt,", sort)
		}
	}
}

// TestSortedMatters reads the list of matters in every order; those without a due
// date come last.
func TestSortedMatters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i, due := range []string{"null", `"2031-01-01T00:00:00Z"`, `"2030-01-01T00:00:00.000001Z"`, "null", `"2030-01-01T00:00:00.000001Z"`} {
		b.matter(t, b.alice, fmt.Sprintf(`{"name":%q,"dueAt":%s}`, []string{"delta", "Alpha", "charlie", "bravo", "echo"}[i], due))
	}
	byName := func(m api.Matter) string { return m.Name }
	for sort, want := range map[string]string{
		"name":       "Alpha bravo charlie delta echo",
		"-name":      "echo delta charlie bravo Alpha",
		"dueAt":      "charlie echo Alpha delta bravo",
		"-dueAt":     "Alpha echo charlie bravo delta",
		"createdAt":  "delta Alpha charlie bravo echo",
		"-updatedAt": "echo bravo charlie Alpha delta",
	} {
		require.Equal(t, want, strings.Join(order(t, b, b.alice, "/api/matters?sort="+sort, byName), " "), sort)
	}
}

// TestSortIsMeant refuses orders that there are not, and cursors of other lists.
func TestSortIsMeant(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 3 {
		b.file(t, b.alice)
		b.matter(t, b.alice, fmt.Sprintf(`{"name":"%d"}`, i))
	}
	for _, line := range []string{
		"GET /api/files?sort=nmae", "GET /api/files?sort=-", "GET /api/files?sort=--name", "GET /api/files?sort=createdat",
		"GET /api/matters?sort=size", "GET /api/matters?sort=-", "GET /api/export/files?sort=x", "GET /api/export/matters?sort=x",
	} {
		e := get[api.Error](t, b.call(t, b.alice, line, ""), http.StatusUnprocessableEntity)
		require.Equal(t, "query.sort", e.Details[0].Location, line)
	}
	cursor := func(list string) string {
		return get[api.List[any]](t, b.call(t, b.alice, "GET "+list+"limit=1", ""), http.StatusOK).NextCursor
	}
	lists := []string{"/api/files?", "/api/files?sort=name&", "/api/files?sort=-name&", "/api/files?sort=size&", "/api/matters?", "/api/matters?sort=name&", "/api/matters?sort=dueAt&"}
	for _, of := range lists {
		for _, list := range slices.DeleteFunc(slices.Clone(lists), func(l string) bool { return l == of }) {
			e := get[api.Error](t, b.call(t, b.alice, "GET "+list+"cursor="+cursor(of), ""), http.StatusUnprocessableEntity)
			require.Contains(t, e.Message, "is not the nextCursor of this list", "%s in %s", of, list)
		}
	}
	for sort, place := range map[string]string{
		"name": "x a", "size": db.NewID() + " a", "-size": db.NewID() + " 99999999999999999999", "createdAt": db.NewID() + " yesterday", "pageCount": db.NewID() + " 1.5", "updatedAt": "",
	} {
		made := base64.RawURLEncoding.EncodeToString([]byte("files by " + sort + ":" + place))
		if place == "" {
			require.Equal(t, http.StatusOK, b.call(t, b.alice, "GET /api/files?sort="+sort+"&cursor="+made, "").Code)
			continue
		}
		require.Equal(t, http.StatusUnprocessableEntity, b.call(t, b.alice, "GET /api/files?sort="+sort+"&cursor="+made, "").Code, sort)
	}
}
