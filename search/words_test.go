package search_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/search"
)

// TestLettersOfWords holds the letters that words are made of to what Unicode says of each.
func TestLettersOfWords(t *testing.T) {
	t.Parallel()
	for r := rune(0); r < 0x3000; r++ {
		want := unicode.IsLetter(r) || unicode.IsDigit(r)
		if unicode.IsMark(r) {
			continue // alone it may be nothing but an accent
		}
		require.Equal(t, want, len(search.Words(string(r))) == 1, "%U", r)
	}
}

// What is excluded is excluded where nothing has all words, too.
func relaxedExclusions(t *testing.T, h *house) {
	const with, without, other, both = "Hippopotamus leases are void.", "Hippopotamus rents are due.", "Zebra leases are void.", "Zebra void hippopotamus."
	h.file(t, h.ours, "one.pdf", with, "A giraffe stands.")
	kept := h.file(t, h.ours, "two.pdf", without, "A giraffe walks.")
	h.file(t, h.ours, "three.pdf", other)

	for text, want := range map[string][]string{
		"hippopotamus zebra -leases":                 {without},
		"hippopotamus giraffe zebra -leases":         {without, "A giraffe stands.", "A giraffe walks."},
		"hippopotamus zebra NOT (leases OR rents)":   {},
		"hippopotamus zebra NOT (leases AND void)":   {without},
		"hippopotamus zebra -(leases AND void) -due": {},
	} {
		found := h.sentences(t, h.ours, search.Query{Text: text})
		require.Subset(t, want, texts(found), text)
		require.Equal(t, len(want) > 0, found.Relaxed, text)
		require.Equal(t, len(want) > 0, len(found.Hits) > 0, text)
	}
	files := h.files(t, h.ours, search.Query{Text: "hippopotamus zebra -leases"})
	require.Equal(t, 1, files.Total)
	require.Equal(t, kept, files.Hits[0].FileID)
	h.file(t, h.ours, "four.pdf", both)
	require.Equal(t, []string{both}, texts(h.sentences(t, h.ours, search.Query{Text: "hippopotamus zebra NOT (leases AND void)"})))
}

// A group is a rare word where it asks for something to be there, and each way in which
// it can hold is looked for as it is.
func relaxedGroups(t *testing.T, h *house) {
	const goat, boat, moat = "The goat eats grass in the meadow.", "A boat sails.", "The moat has water and grass."
	h.file(t, h.ours, "one.pdf", goat)
	h.file(t, h.ours, "two.pdf", boat, "It idles.")
	h.file(t, h.ours, "three.pdf", moat)

	for text, want := range map[string][]string{
		"(NOT grass OR goat) xylophone boat":          {boat}, // what has no grass is no sign of anything
		"((goat AND meadow) OR xylophone) boat":       {goat, boat},
		"((moat NOT water) OR (goat AND grass)) boat": {goat, boat},
		`((goat AND NOT grass) OR sails) water`:       {boat, moat},
	} {
		found := h.sentences(t, h.ours, search.Query{Text: text})
		require.ElementsMatch(t, want, texts(found), text)
		require.True(t, found.Relaxed, text)
	}
}

// Synonyms stand for words and for words beside each other, within expressions too.
func synonyms(t *testing.T, h *house) {
	const god, force, apart, strike = "An act of God excuses delay.", "Force majeure excuses the Supplier.", "The force of a majeure is felt.", "A strike excuses delay."
	h.file(t, h.ours, "one.pdf", god, force, apart, strike, licence)
	groups := [][]string{{"act of god", "force majeure"}, {"license", "licence"}}
	for text, want := range map[string][]string{
		"force majeure":                           {god, force},
		"force AND majeure":                       {force, apart}, // two words
		"force majeure OR strike":                 {god, force, strike},
		"(force majeure AND delay) OR trademarks": {god, licence},
		"license OR strike":                       {licence, strike},
		"excuses NOT (act of god OR strike)":      {force}, // what is excluded is meant as it is
		"excuses AND (act of god OR license)":     {god, force},
		`excuses AND ("act of god" OR strike)`:    {god, strike},
		"(force majeure OR strike) AND supplier":  {force},
	} {
		found := h.sentences(t, h.ours, search.Query{Text: text, Synonyms: groups})
		require.False(t, found.Relaxed, text)
		require.ElementsMatch(t, want, texts(found), text)
	}
}

// A synonym of several words is as typed where it stands to the letter, whatever its
// length.
func typedSynonyms(t *testing.T, h *house) {
	groups := [][]string{{"act of god", "force majeure"}}
	const stems, letters = "Forces majeures excused it.", "Force majeure excuses it."
	h.file(t, h.ours, "one.pdf", stems, letters, stems)
	for _, text := range []string{"act of god", "force majeure"} {
		require.Equal(t, letters, h.sentences(t, h.ours, search.Query{Text: text, Synonyms: groups}).Hits[0].Text, text)
	}
}

// What is typed to its last word, and what is still being typed, is no mistake.
func unfinished(t *testing.T, h *house) {
	const portland, oregon, salem = "The office is in Portland.", "Portland orders are shipped.", "Salem is the capital."
	h.file(t, h.ours, "one.pdf", portland, oregon, salem)
	for text, want := range map[string][]string{
		"Portland, OR":         {portland, oregon},
		"portland AND":         {portland, oregon},
		"portland office AND":  {portland},
		`portland AND ""`:      {portland, oregon},
		`portland AND "…"`:     {portland, oregon},
		`"" OR salem`:          {salem},
		"salem OR office AND":  {salem, portland},
		"portland (office) OR": {portland},
	} {
		for _, typing := range []bool{false, true} {
			found := h.sentences(t, h.ours, search.Query{Text: text, Prefix: typing})
			require.ElementsMatch(t, want, texts(found), text)
			require.False(t, found.Relaxed, text)
		}
	}
	for text, want := range map[string][]string{
		"salem OR (office":            {salem, portland},
		"salem OR (office AND (":      {salem, portland},
		"portland AND NOT":            {portland, oregon},
		"portland NEAR/":              {portland, oregon},
		"portland NEAR/5":             {portland, oregon},
		"portland NEAR/99":            {portland, oregon},
		`portland AND -"`:             {portland, oregon},
		"portland AND NOT (office OR": {oregon},
		"portland AND offi":           {portland},
	} {
		found := h.sentences(t, h.ours, search.Query{Text: text, Prefix: true})
		require.ElementsMatch(t, want, texts(found), text)
		require.False(t, found.Relaxed, text)
	}
	const whole = `(portland OR "salem capital") AND NOT (office NEAR/12 x) OR -orders NOT shipped`
	for end := range len(whole) {
		_, err := h.Sentences(t.Context(), h.ours, search.Query{Text: whole[:end], Prefix: true})
		require.NotEqual(t, fault.Invalid, fault.KindOf(err), whole[:end])
	}
	for _, text := range []string{"portland OR AND", "AND portland", "portland OR AND salem", "(portland OR)", "portland NEAR/5", "portland AND NOT", "(portland OR salem"} {
		_, err := h.Sentences(t.Context(), h.ours, search.Query{Text: text})
		require.Equal(t, fault.Invalid, fault.KindOf(err), text)
	}
	for _, text := range []string{"portland) OR salem", "AND salem", "portland AND OR salem", "salem NEAR/99 portland"} {
		_, err := h.Sentences(t.Context(), h.ours, search.Query{Text: text, Prefix: true})
		require.Equal(t, fault.Invalid, fault.KindOf(err), "%s is no tail", text)
	}
}

// NEAR counts words within a sentence, from any word of a side or its synonyms, and a
// side that is no word is left out alone.
func TestPostgresNear(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	h := newHouse(t, d, search.NewPostgres(d))
	const governed, first, second, god, far = "It is governed by the laws of the State of Delaware.", "The laws apply.", "Delaware has courts.",
		"An act of God excuses the delay.", "Force majeure, whatever the parties say of it elsewhere, excuses nothing."
	h.file(t, h.ours, "one.pdf", governed, first, second, god, far)
	groups := [][]string{{"act of god", "force majeure"}, {"laws", "statutes"}, {"delay", "default", "late delivery"}}
	for text, want := range map[string][]string{
		"laws NEAR/5 delaware":            {governed},
		"delaware NEAR/5 laws":            {governed},
		"laws NEAR/4 delaware":            {},
		"apply NEAR/50 courts":            {}, // in two sentences
		"statutes NEAR/5 delaware":        {governed},
		"delaware NEAR/5 statutes":        {governed},
		"excuses NEAR/2 default":          {god},
		`"late delivery" NEAR/2 excuses`:  {}, // as it is
		"late-delivery NEAR/2 excuses":    {god},
		"act-of-god NEAR/3 excuses":       {god},
		"force-majeure NEAR/1 excuses":    {god},
		"force-majeure NEAR/9 excuses":    {god, far},
		`delaware NEAR/5 "…"`:             {governed, second},
		`"…" NEAR/5 delaware`:             {governed, second},
		"delaware NEAR/3 § NEAR/3 courts": {second},
		"the NEAR/2 state":                {governed},
		`state NEAR/2 "by the"`:           {},
	} {
		found := h.sentences(t, h.ours, search.Query{Text: text, Synonyms: groups})
		if len(want) == 0 {
			require.True(t, found.Total == 0 || found.Relaxed, text)
			continue
		}
		require.ElementsMatch(t, want, texts(found), text)
		require.False(t, found.Relaxed, text)
	}
}

// What an engine still has of texts that were read anew is not shown, and pages are as
// long as they were asked to be, as long as there is more.
func TestMeiliPagesWithoutWhatIsGone(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	h := newHouse(t, d, newMeili(t, d))
	const files, each, lost = 40, 9, 4 // more than three blocks of sentences
	ids := make([]string, files)
	fill := func(i int) {
		var list []string
		for j := range each {
			list = append(list, fmt.Sprintf("The hippopotamus clause %d of %d stands here.%s", j, i, strings.Repeat(" Lorem ipsum.", (i+j)%5)))
		}
		h.text(t, h.ours, ids[i], "en", list...)
	}
	for i := range files {
		ids[i] = h.create(t, h.ours, fmt.Sprintf("file %d.pdf", i), nil)
		fill(i)
	}
	h.index(t, h.ours, ids...)
	for i := range lost {
		fill(i * 9) // its sentences are others now
	}
	walk := func(text string, limit int, ask func(q search.Query) (seen []string, s search.Summary)) map[string]int {
		seen := map[string]int{}
		for q := (search.Query{Text: text, Limit: limit}); ; {
			page, s := ask(q)
			for _, id := range page {
				seen[id]++
			}
			require.GreaterOrEqual(t, s.Total, len(page))
			if s.Next == 0 {
				return seen
			}
			require.Len(t, page, limit, "%q from %d", text, q.Offset)
			q.Offset = s.Next
		}
	}
	sentences := func(q search.Query) (seen []string, s search.Summary) {
		found := h.sentences(t, h.ours, q)
		for _, hit := range found.Hits {
			seen = append(seen, hit.SentenceID)
		}
		return seen, found.Summary
	}
	inFiles := func(q search.Query) (seen []string, s search.Summary) {
		found := h.files(t, h.ours, q)
		for _, hit := range found.Hits {
			seen = append(seen, hit.FileID)
		}
		return seen, found.Summary
	}
	once := func(seen map[string]int, want int, about string) {
		require.Len(t, seen, want, about)
		for id, n := range seen {
			require.Equal(t, 1, n, "%s: %s", about, id)
		}
	}
	for _, limit := range []int{7, 20, 64} {
		for _, text := range []string{"hippopotamus", "hippopotamus clause", "hippopotamus OR zebra", "hippopotamus xylophone"} {
			about := fmt.Sprintf("%q by %d", text, limit)
			once(walk(text, limit, sentences), (files-lost)*each, about)
			if text != "hippopotamus xylophone" { // of most words, in so many files
				once(walk(text, limit, inFiles), files-lost, about)
			}
		}
	}
	once(walk("", 50, sentences), (files-lost)*each, "listed")
}
