package e2e_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
)

// TestConsoleClauses decides on the labels of a sentence and of a whole clause, and takes
// decisions back, in their order and out of it.
func TestConsoleClauses(t *testing.T) {
	h, _, b := consoleBrowser(t)
	samples, err := filepath.Glob("../../web/public/samples/*.pdf")
	require.NoError(t, err)
	for _, path := range samples {
		content, err := os.ReadFile(path) //nolint:gosec // of the repository
		require.NoError(t, err)
		h.caller().upload(upload{filepath.Base(path), content})
	}
	h.caller().allEnd(time.Minute)
	person := h.signIn(provider.User)
	file, sentence, n := clauseOfMany(t, person)
	b.opens(h, provider.User, "/files/"+file+"?tab=clauses")
	open := `document.querySelector("#clause-` + sentence + ` .value")`
	b.until(open)
	b.value(open + `.click()`)
	b.until(`document.querySelector(".clause.here")`)

	// A further label, beside the one of the model; then the whole clause, and back.
	const labels = `document.querySelectorAll(".clause.here .clause-name strong").length`
	before := b.value(labels)
	b.presses("a")
	b.until(`document.querySelectorAll("[role=dialog] [role=option]").length > 20`)
	require.Equal(t, "false", b.value(`[...document.querySelectorAll("[role=dialog] [role=option]")].some((e) => e.innerText.includes("No clause"))`))
	b.choosesLabel("insurance")
	b.until(labels + ` === 1 + ` + before)
	require.Equal(t, b.value(labels), b.value(`document.querySelectorAll(".clause.here .decide button[aria-label^='Not this one']").length`))
	b.presses("w")
	b.until(`document.querySelectorAll(".clause .decided").length === ` + strconv.Itoa(n))
	b.presses("z")
	b.until(`document.querySelectorAll(".clause .decided").length === 0`)
	b.presses("z")
	b.value(open + `.click()`) // confirming went on to the next clause
	b.until(labels + ` === ` + before)
	b.undoesOutOfOrder(person, sentence)
	b.quiet(h.address)
}

// clauseOfMany is a file, the first sentence of a clause of it that has more than one and
// whose sentences have no other labels, and not that of insurance, and how many it has.
func clauseOfMany(t *testing.T, p person) (file, sentence string, n int) {
	t.Helper()
	var list struct {
		Items []struct {
			ID, FileID string
			Labels     []struct{ Node, ClauseID string }
		}
	}
	p.get("/api/sentences?limit=500&source=predicted").into(t, http.StatusOK, &list)
	members := map[string][]int{}
	other := func(i int) bool { return len(list.Items[i].Labels) > 1 || list.Items[i].Labels[0].Node == "insurance" }
	for i, s := range list.Items {
		for _, label := range s.Labels {
			members[label.ClauseID] = append(members[label.ClauseID], i)
		}
	}
	for _, of := range members {
		if len(of) > n && !slices.ContainsFunc(of, other) {
			first := list.Items[of[0]]
			file, sentence, n = first.FileID, first.ID, len(of)
		}
	}
	require.Greater(t, n, 1)
	return file, sentence, n
}

// choosesLabel takes the only label with a word, in the box that asks for one.
func (b *browser) choosesLabel(word string) {
	b.t.Helper()
	b.until(`document.activeElement.matches("[role=dialog] .choose-input")`)
	b.types(word)
	b.until(`document.querySelectorAll("[role=dialog] [role=option]").length === 1 && document.querySelector("[role=dialog] [data-highlighted]")`)
	b.presses("Enter")
}

// labelled is what is decided and predicted of a sentence.
type labelled struct {
	Labels  []struct{ Node, Source string }
	Refused []string
}

// labelsOf reads the labels of a sentence.
func labelsOf(p person, id string) labelled {
	p.t.Helper()
	var found struct{ Items []labelled }
	p.get("/api/sentences?filter="+url.QueryEscape(`{"field":"sentence","op":"in","values":["`+id+`"]}`)).into(p.t, http.StatusOK, &found)
	require.Len(p.t, found.Items, 1)
	return found.Items[0]
}

// undoesOutOfOrder refuses the label of the clause that the cursor is on, adds another
// one and takes each back, once in the order of the decisions and once the other way.
func (b *browser) undoesOutOfOrder(p person, id string) {
	b.t.Helper()
	var s labelled
	is := func(given, predicted, refused int) {
		b.t.Helper()
		require.Eventually(b.t, func() bool {
			s = labelsOf(p, id)
			validated := 0
			for _, label := range s.Labels {
				if label.Source == "validated" {
					validated++
				}
			}
			return validated == given && len(s.Labels)-validated == predicted && len(s.Refused) == refused
		}, 10*time.Second, 50*time.Millisecond, "%+v", &s)
	}
	is(0, 1, 0)
	twice := func() {
		b.t.Helper()
		b.value(`document.querySelectorAll(".toast .bare").forEach((e) => e.click())`)
		b.clicks(`.clause.here .decide button[aria-label^="Not this one"]`)
		b.until(`document.querySelector(".clause.here .clause-name strong").innerText === "No clause"`)
		b.presses("a")
		b.choosesLabel("insurance")
		is(1, 0, 1)
		b.until(`document.querySelectorAll(".toast .link").length === 2`)
	}
	twice()
	b.presses("z")
	is(0, 0, 1) // refused, and nothing else
	b.presses("z")
	is(0, 1, 0)
	twice()
	b.clicks(`.toast .link`) // the first decision, and the second one with it
	is(0, 1, 0)
	b.presses("z") // nothing is left to take back
	b.clicks(`.toast .link`)
	throughout(b.t, func() bool {
		s = labelsOf(p, id)
		return len(s.Labels) == 1 && len(s.Refused) == 0
	})
}
