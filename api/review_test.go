package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
)

// TestReview has two people of a team review: what decides most comes first, nobody is
// given what another one has, and what was decided, released or expired is no more kept.
func TestReview(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob := b.colleague(t, b.acme, "bob")
	label := "governing_law"
	b.contract(t, b.acme, said{"Sure.", label, 0.99, "predicted"}, said{"Nothing at all.", "", 0.01, "predicted"}, said{"Half of one.", label, 0.5, "predicted"},
		said{"Twice, and rather sure.", label, 0.7, "predicted"}, said{"Nearly a clause.", "", 0.4, "predicted"}, said{"Decided.", label, 0.5, "validated"})
	b.contract(t, b.acme, said{"TWICE and rather sure", "", 0.25, "predicted"})
	b.exec(t, `UPDATE sentences SET suggested = $1 WHERE label IS NULL`, label)
	b.exec(t, `UPDATE sentences SET close = 0.15 WHERE text = 'Twice, and rather sure.'`)

	claim := func(who caller, limit int) []api.ReviewItem {
		return get[api.ReviewQueue](t, b.call(t, who, "POST /api/review/claims", fmt.Sprintf(`{"limit":%d}`, limit)), http.StatusOK).Items
	}
	texts := func(items []api.ReviewItem) (out []string) {
		for _, i := range items {
			out = append(out, i.Text)
		}
		return out
	}
	progress := func(who caller) api.ReviewProgress {
		return get[api.ReviewProgress](t, b.call(t, who, "GET /api/review", ""), http.StatusOK)
	}
	decided := progress(b.acme).Decided
	require.Equal(t, api.ReviewProgress{Left: 4, Decided: decided}, progress(b.acme))
	mine := claim(b.acme, 1)
	require.Equal(t, []string{"Twice, and rather sure."}, texts(mine), "two are decided at once")
	require.Len(t, mine[0].SentenceIDs, 2)
	require.InDelta(t, (1-0.7)+0.25+0.15, mine[0].Worth, 1e-6, "a label that may be wrong, and others that may be missing")
	require.Equal(t, mine[0].ID, mine[0].SentenceIDs[0])
	his := claim(bob, 10)
	require.Equal(t, []string{"Half of one.", "Nearly a clause."}, texts(his))
	require.Equal(t, label, *his[1].Suggested)
	require.Equal(t, 2, progress(b.acme).Others)
	require.Equal(t, texts(mine), texts(claim(b.acme, 10)), "nothing else is free")

	// One is decided, and not given to anybody any more; then the decision is withdrawn.
	get[api.Sentence](t, b.call(t, bob, "PATCH /api/sentences/"+his[0].ID+"/validate", `{"label":null}`), http.StatusOK)
	require.Equal(t, []string{"Nearly a clause."}, texts(claim(bob, 10)))
	require.Equal(t, api.ReviewProgress{Left: 3, Others: 1, Decided: decided + 1, Mine: 1}, progress(bob))
	get[api.Sentence](t, b.call(t, bob, "DELETE /api/sentences/"+his[0].ID+"/validate", ""), http.StatusOK)
	require.Equal(t, []string{"Half of one.", "Nearly a clause."}, texts(claim(bob, 10)))

	// What somebody releases, or does not claim again in time, others are given.
	get[api.Message](t, b.call(t, bob, "DELETE /api/review/claims", ""), http.StatusOK)
	require.Len(t, claim(b.acme, 2), 2)
	b.exec(t, `UPDATE review_claims SET expires_at = now() - interval '1 second'`)
	require.Len(t, claim(bob, 10), 3)
	require.Empty(t, claim(b.acme, 10))

	require.Empty(t, claim(b.mallory, 10), "of another team")
	require.Equal(t, api.ReviewProgress{}, progress(b.mallory))
	viewer := b.joining(t, b.acme, "viewer", db.Viewer)
	get[api.Error](t, b.call(t, viewer, "POST /api/review/claims", ""), http.StatusForbidden)
	get[api.Error](t, b.call(t, b.acme, "POST /api/review/claims", `{"limit":51}`), http.StatusUnprocessableEntity)
}

// TestReviewIsForPeople has a service account claim in vain, and a colleague not be told of
// sentences in a matter that they are not in.
func TestReviewIsForPeople(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bob := b.colleague(t, b.acme, "bob")
	inside, _ := b.contract(t, b.acme, said{"Half of one.", "governing_law", 0.5, "predicted"})
	others := func(who caller) int {
		return get[api.ReviewProgress](t, b.call(t, who, "GET /api/review", ""), http.StatusOK).Others
	}
	require.Len(t, get[api.ReviewQueue](t, b.call(t, b.acme, "POST /api/review/claims", ""), http.StatusOK).Items, 1)
	require.Equal(t, 1, others(bob))
	wall := b.matter(t, b.acme, `{"name":"Wall","access":"restricted"}`)
	get[api.File](t, b.call(t, b.acme, "PUT /api/files/"+inside.ID, `{"matterId":"`+wall.ID+`"}`), http.StatusOK)
	require.Zero(t, others(bob))

	b.contract(t, b.acme, said{"Half of another.", "governing_law", 0.5, "predicted"})
	var robot caller
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		robot = b.service(t, tx, b.acme.scope, "member", nil, "files:read", "files:write")
		return nil
	}))
	for _, line := range []string{"GET /api/review", "POST /api/review/claims", "DELETE /api/review/claims"} {
		get[api.Error](t, b.call(t, robot, line, ""), http.StatusForbidden)
	}
}
