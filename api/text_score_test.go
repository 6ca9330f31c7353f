package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/nlp"
)

func TestScoreText(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const line = "POST /api/text/nlp/score-text"
	score := func(text, more string) api.TextComparison {
		t.Helper()
		return get[api.TextComparison](t, b.call(t, b.alice, line, `{"text":`+quoted(t, text)+`,`+more+`}`), http.StatusOK)
	}
	same := score(supply, `"reference":`+quoted(t, supply))
	require.InDelta(t, 1, same.Similarity, 1e-6)
	require.Nil(t, same.Typicality)
	require.Len(t, same.Sentences, same.Compared)
	for _, s := range same.Sentences {
		require.Equal(t, s.Text, s.Nearest[0].Text)
		require.Equal(t, s.Span, s.Nearest[0].Span)
		require.LessOrEqual(t, len(s.Nearest), 3)
	}
	other := score("The Tenant shall insure the premises. The price is due within thirty days.", `"nearest":1,"reference":`+quoted(t, supply))
	require.Zero(t, other.Sentences[0].Similarity)
	require.Empty(t, other.Sentences[0].Nearest)
	require.Contains(t, other.Sentences[1].Nearest[0].Text, "$1,250.00 within thirty")
	require.Greater(t, other.Similarity, 0.0)
	require.Less(t, other.Similarity, 0.5)
	require.Zero(t, score("", `"reference":"x y"`).Similarity)
	require.Zero(t, score(supply, `"reference":""`).Compared)

	// The files of a document type, of which one has the price and both the law.
	typeID, empty := db.NewID(), db.NewID()
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		for _, id := range []string{typeID, empty} {
			_, err := tx.Raw.Exec(t.Context(), `INSERT INTO document_types (id, team_id, name) VALUES ($1::uuid, $2, $1::text)`, id, b.alice.scope.TeamID)
			require.NoError(t, err)
		}
		return nil
	}))
	const price, law = "The Buyer shall pay the price within thirty days.", "This Agreement is governed by the laws of Delaware."
	var ids []string
	for _, text := range []string{law, price + " " + law} {
		f := b.file(t, b.alice)
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
			_, err := tx.UpdateFile(t.Context(), b.alice.scope, f.ID, db.FileUpdate{DocumentTypeID: &typeID})
			require.NoError(t, err)
			rows := db.Text{}
			for i, s := range nlp.Segment([]string{text}).Sentences {
				rows.Sentences = append(rows.Sentences, db.Sentence{ID: db.NewID(), Ordinal: i, Text: s.Text, Start: s.Start, End: s.End, Page: 1})
			}
			_, err = tx.SaveText(t.Context(), b.alice.scope, f.ID, rows)
			return err
		}))
		ids = append(ids, f.ID)
	}
	typed := score(price+" "+law, `"documentTypeId":"`+typeID+`"`)
	require.Equal(t, []int{3, 2}, []int{typed.Compared, typed.Files})
	require.InDelta(t, 0.5, *typed.Sentences[0].Typicality, 1e-9)
	require.InDelta(t, 1, *typed.Sentences[1].Typicality, 1e-9)
	require.Greater(t, *typed.Typicality, 0.5)
	require.Less(t, *typed.Typicality, 1.0)
	near := typed.Sentences[0].Nearest[0]
	require.Equal(t, []string{ids[1], "lease.pdf", price}, []string{near.FileID, near.FileName, near.Text})
	require.NotEmpty(t, near.SentenceID)
	none := score(law, `"documentTypeId":"`+empty+`"`)
	require.Zero(t, none.Compared)
	require.Nil(t, none.Typicality)

	for _, id := range []string{db.NewID(), "x"} {
		get[api.Error](t, b.call(t, b.alice, line, `{"text":"x","documentTypeId":"`+id+`"}`), http.StatusNotFound)
	}
	get[api.Error](t, b.call(t, b.mallory, line, `{"text":"x","documentTypeId":"`+typeID+`"}`), http.StatusNotFound)
	for _, wrong := range []string{`{"text":"x"}`, `{"text":"x","reference":"y","documentTypeId":"` + typeID + `"}`, `{"reference":"x"}`, `{"text":"x","reference":"y","nearest":11}`} {
		get[api.Error](t, b.call(t, b.alice, line, wrong), http.StatusUnprocessableEntity)
	}
	large, many := strings.Repeat("x", maxText+1), strings.Repeat("It pays. ", 10_001)
	for _, too := range []string{
		`{"text":"` + large + `","reference":"x"}`, `{"text":"x","reference":"` + large + `"}`,
		`{"text":"` + many + `","reference":"x"}`, `{"text":"x","reference":"` + many + `"}`,
	} {
		get[api.Error](t, b.call(t, b.alice, line, too), http.StatusRequestEntityTooLarge)
	}
}
