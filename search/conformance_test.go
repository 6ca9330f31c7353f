package search_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
	"github.com/clausemill/clausemill/search"
)

func TestPostgres(t *testing.T) {
	t.Parallel()
	conform(t, func(t *testing.T, _ bool) *house {
		d := dbtest.New(t)
		return newHouse(t, d, search.NewPostgres(d))
	})
}

func forms(t *testing.T, h *house) {
	h.file(t, h.ours, "one.pdf", notice, law)
	for _, text := range []string{"termination notice", "terminating", "noticed parties"} {
		found := h.sentences(t, h.ours, search.Query{Text: text})
		require.Equal(t, []string{notice}, texts(found), text)
		require.False(t, found.Relaxed, text)
		require.Empty(t, found.Corrected, text)
	}
}

// conform holds an engine to what every engine promises. Where a promise is
// about all that the engine holds, open is asked for one that is alone.
func conform(t *testing.T, open func(t *testing.T, alone bool) *house) {
	for _, promise := range []struct {
		name string
		keep func(t *testing.T, h *house)
	}{
		{"Words", words},
		{"Phrases", phrases},
		{"CommonPhrases", commonPhrases},
		{"Expressions", expressions},
		{"Forms", forms},
		{"Languages", languages},
		{"InUse", inUse},
		{"MostWords", mostWords},
		{"Exclusions", exclusions},
		{"Misspellings", misspellings},
		{"Prefix", prefix},
		{"Relaxed", relaxed},
		{"RelaxedExclusions", relaxedExclusions},
		{"RelaxedGroups", relaxedGroups},
		{"Synonyms", synonyms},
		{"TypedSynonyms", typedSynonyms},
		{"Unfinished", unfinished},
		{"Snippets", snippets},
		{"Escaping", escaping},
		{"Accents", accents},
		{"Filters", filters},
		{"Conditions", conditions},
		{"Listing", listing},
		{"Facets", facets},
		{"Paging", paging},
		{"ByFile", byFile},
		{"Newest", newest},
		{"Isolation", isolation},
		{"Restriction", restriction},
		{"Removal", removal},
		{"Reindexing", reindexing},
		{"Reconciling", reconciling},
		{"Hostile", hostile},
		{"HostileExpressions", hostileExpressions},
	} {
		t.Run(promise.name, func(t *testing.T) {
			t.Parallel()
			promise.keep(t, open(t, promise.name == "Reconciling"))
		})
	}
}

const (
	notice   = "Either party may terminate this Agreement upon thirty days written notice to the other party."
	law      = "This Agreement shall be governed by the laws of the State of California."
	licence  = "Licensor grants an exclusive licence of the Trademarks in the Territory."
	payment  = "All invoices are payable within forty-five (45) days of receipt."
	noticeAt = "Notices are sent to the address that stands in Exhibit/Schedule 10.1 of this lease."
)

func words(t *testing.T, h *house) {
	h.file(t, h.ours, "one.pdf", notice, law)
	h.file(t, h.ours, "two.pdf", licence, payment, noticeAt)

	for query, want := range map[string][]string{
		"terminate notice party":    {notice},
		"party notice terminates":   {notice}, // in any order and number
		"GOVERNED california":       {law},
		"exclusive   territory,":    {licence},
		"schedule":                  {noticeAt}, // though Exhibit/Schedule looks like a path
		"10.1":                      {noticeAt},
		"forty-five days":           {payment},
		"forty five":                {payment},
		"agreement":                 {notice, law},
		"california trademarks inc": {},
	} {
		found := h.sentences(t, h.ours, search.Query{Text: query})
		if len(want) == 0 {
			require.False(t, found.Total > 0 && !found.Relaxed, query)
			continue
		}
		require.ElementsMatch(t, want, texts(found), query)
		require.Equal(t, len(want), found.Total, query)
		require.True(t, found.Exact, query)
		require.False(t, found.Relaxed, query)
		require.Empty(t, found.Corrected, query)
	}
}

func phrases(t *testing.T, h *house) {
	const reversed = "Notice in a written form is needed."
	h.file(t, h.ours, "one.pdf", notice, reversed)

	require.Equal(t, []string{notice}, texts(h.sentences(t, h.ours, search.Query{Text: `"written notice"`})))
	require.Equal(t, []string{notice}, texts(h.sentences(t, h.ours, search.Query{Text: `“written notice to the other party” agreement`})))
	require.ElementsMatch(t, []string{notice, reversed}, texts(h.sentences(t, h.ours, search.Query{Text: `written notice`})))
	require.Equal(t, notice, h.sentences(t, h.ours, search.Query{Text: `written notice`}).Hits[0].Text, "words that stand together come first")
	require.Zero(t, h.sentences(t, h.ours, search.Query{Text: `"written agreement"`}).Total)
}

// Words of grammar are looked for in phrases, and where there are no others.
func commonPhrases(t *testing.T, h *house) {
	const asIs, between, apart, event, other = `The goods are sold "as is".`, "This Agreement is made by and between the parties.",
		"It is as good as gold, by day and between meals.", "In no event is a party liable.", "In the event of no notice."
	h.file(t, h.ours, "one.pdf", asIs, between, apart, event, other)

	for text, want := range map[string][]string{
		`"as is"`: {asIs}, `"by and between"`: {between}, `"in no event"`: {event}, `as is`: {asIs}, `"no notice"`: {other},
		`"made by and between" parties`: {between}, `"is made"`: {between}, `is the sold`: {asIs}, `goods -"as is"`: {apart}, `made -"by and between"`: {}, `in no event`: {event, other},
	} {
		found := h.sentences(t, h.ours, search.Query{Text: text})
		if len(want) == 0 {
			require.True(t, found.Total == 0 || found.Relaxed, text)
			continue
		}
		require.ElementsMatch(t, want, texts(found), text)
		require.False(t, found.Relaxed, text)
	}
	require.Equal(t, []string{"as", "is"}, marked(h.sentences(t, h.ours, search.Query{Text: `"as is"`}).Hits[0].Snippet))
	require.Equal(t, event, h.sentences(t, h.ours, search.Query{Text: "in no event"}).Hits[0].Text, "to the letter first")
}

func expressions(t *testing.T, h *house) {
	h.file(t, h.ours, "one.pdf", notice, law, licence, payment)

	for text, want := range map[string][]string{
		`california OR trademarks`:                         {law, licence},
		`agreement AND (california OR notice)`:             {notice, law},
		`agreement AND NOT california`:                     {notice},
		`agreement NOT (california OR notice)`:             {},
		`"written notice" OR "exclusive licence"`:          {notice, licence},
		`(trademarks OR invoices) -days`:                   {licence},
		`agreement AND NOT (california AND governed)`:      {notice},
		`NOT agreement`:                                    {licence, payment},
		`trademrks OR invoces`:                             {licence, payment},
		`(notice OR law) (california OR thirty)`:           {notice, law},
		`california OR (invoices AND (days OR trademark))`: {law, payment},
	} {
		found := h.sentences(t, h.ours, search.Query{Text: text, Facets: search.Facets()})
		require.ElementsMatch(t, want, texts(found), text)
		require.Equal(t, len(want), found.Total, text)
		require.False(t, found.Relaxed, text)
		if len(want) > 0 {
			require.Equal(t, []db.FacetCount{{Value: "en", Count: 1}}, found.Facets[search.Language], text)
			files := h.files(t, h.ours, search.Query{Text: text})
			require.Equal(t, 1, files.Total, text)
			require.Equal(t, len(want), files.Hits[0].Matches, text)
		}
	}
	for _, text := range []string{"notice OR AND", "(notice OR law", "notice AND AND law", "notice NEAR/0 law", "notice NEAR/3 (law OR fee)"} {
		_, err := h.Sentences(t.Context(), h.ours, search.Query{Text: text})
		require.Equal(t, fault.Invalid, fault.KindOf(err), text)
		_, err = h.Files(t.Context(), h.ours, search.Query{Text: text})
		require.Equal(t, fault.Invalid, fault.KindOf(err), text)
	}
}

// The forms of a word are those of the language that a text is in, and a team may have
// texts in several.
func languages(t *testing.T, h *house) {
	const german, french, dutch = "Die Kündigungen bedürfen der Schriftform.", "Le contrat est résilié par écrit.", "De opzeggingen geschieden schriftelijk."
	h.sentences(t, h.ours, search.Query{Text: "Kündigung"}) // the first text of a language is found at once
	for language, text := range map[string]string{"de": german, "fr": french, "nl": dutch, "en": notice, "": law} {
		id := h.create(t, h.ours, language+".txt", nil)
		h.text(t, h.ours, id, language, text)
		h.index(t, h.ours, id)
	}
	for text, want := range map[string]string{
		"Kündigung": german, "kundigung": german, `"der Schriftform"`: german, "contrats résiliés": french, "opzegging": dutch, "noticed parties": notice, "governing law": law,
		"die Kündigung": german,
	} {
		found := h.sentences(t, h.ours, search.Query{Text: text})
		require.Equal(t, []string{want}, texts(found), text)
		require.False(t, found.Relaxed, text)
		require.Empty(t, found.Corrected, text)
		require.NotEmpty(t, marked(found.Hits[0].Snippet), text)
	}
}

// A word that the team uses is never taken for a misspelling of another.
func inUse(t *testing.T, h *house) {
	const rare, common = "Datec was founded in Port Moresby.", "On that date the company is liquidated."
	h.file(t, h.ours, "one.pdf", rare)
	h.file(t, h.ours, "two.pdf", common, common)

	found := h.sentences(t, h.ours, search.Query{Text: "Datec liquidated"})
	require.Empty(t, found.Corrected)
	require.True(t, found.Relaxed, "no sentence has both")
	require.Contains(t, texts(found), rare)
	require.Empty(t, h.sentences(t, h.ours, search.Query{Text: "datec"}).Corrected)
}

// Where nothing has all the words, the file that has most of them comes first.
func mostWords(t *testing.T, h *house) {
	h.file(t, h.ours, "unrelated.pdf", "The hippopotamus pays damages.", "The south wing is closed.")
	most := h.file(t, h.ours, "contract.pdf", "Bank of South Pacific is the customer.", "Datec is the supplier.", "It pays damages for delay.")
	h.file(t, h.ours, "later.pdf", "The Pacific is an ocean, and liquidity is none.")

	found := h.files(t, h.ours, search.Query{Text: "Bank of South Pacific Datec hippopotamus damages"})
	require.True(t, found.Relaxed)
	require.Equal(t, most, found.Hits[0].FileID)
}

func exclusions(t *testing.T, h *house) {
	h.file(t, h.ours, "one.pdf", notice, law, licence)

	require.Equal(t, []string{law}, texts(h.sentences(t, h.ours, search.Query{Text: `agreement -notice`})))
	require.Equal(t, []string{law}, texts(h.sentences(t, h.ours, search.Query{Text: `agreement -"written notice"`})))
	require.Equal(t, []string{licence}, texts(h.sentences(t, h.ours, search.Query{Text: `-agreement`})))
}

func misspellings(t *testing.T, h *house) {
	id := h.file(t, h.ours, "one.pdf", notice, law, licence)
	h.file(t, h.ours, "two.pdf", payment)

	for query, corrected := range map[string]string{
		"terminat agrement":   "terminate agreement",
		"californai":          "california",
		"exclusvie trademrks": "exclusive trademarks",
		"writen notice":       "written notice",
		"goverend laws":       "governed laws",
	} {
		found := h.sentences(t, h.ours, search.Query{Text: query})
		require.NotEmpty(t, found.Hits, query)
		require.Equal(t, id, found.Hits[0].FileID, query)
		require.Equal(t, corrected, found.Corrected, query)
		require.False(t, found.Relaxed, query)
		require.NotEmpty(t, marked(found.Hits[0].Snippet), query)
	}
	require.Zero(t, h.sentences(t, h.ours, search.Query{Text: `"agrement"`}).Total, "quotes mean it")
	require.Zero(t, h.sentences(t, h.ours, search.Query{Text: `zzgrxment`}).Total)
}

func prefix(t *testing.T, h *house) {
	h.file(t, h.ours, "one.pdf", notice, law)

	require.Equal(t, []string{notice}, texts(h.sentences(t, h.ours, search.Query{Text: "writ", Prefix: true})))
	require.Equal(t, []string{law}, texts(h.sentences(t, h.ours, search.Query{Text: "state of calif", Prefix: true})))
}

func relaxed(t *testing.T, h *house) {
	scattered := h.file(t, h.ours, "scattered.pdf", law, licence)
	h.file(t, h.ours, "other.pdf", notice)

	found := h.files(t, h.ours, search.Query{Text: "california trademarks"})
	require.NotEmpty(t, found.Hits)
	require.Equal(t, scattered, found.Hits[0].FileID)
	require.True(t, found.Relaxed)
	sentences := h.sentences(t, h.ours, search.Query{Text: "california governed hippopotamus"})
	require.NotEmpty(t, sentences.Hits)
	require.Equal(t, law, sentences.Hits[0].Text)
	require.True(t, sentences.Relaxed)

	const rare, common = "This index is for convenience of reading.", "Termination means termination, and to terminate is to give notice of termination."
	h.file(t, h.ours, "rare.pdf", rare)
	h.file(t, h.ours, "common.pdf", common, common, common)
	h.file(t, h.ours, "more.pdf", common, notice)
	sentences = h.sentences(t, h.ours, search.Query{Text: "termination for convenience"})
	require.True(t, sentences.Relaxed)
	require.Equal(t, rare, sentences.Hits[0].Text, "the rarest word says most")
}

func snippets(t *testing.T, h *house) {
	id := h.file(t, h.ours, "one.pdf", payment, notice, strings.Repeat("lorem ipsum dolor ", 200)+"hippopotamus "+strings.Repeat("sit amet ", 200))

	found := h.sentences(t, h.ours, search.Query{Text: "written notices"})
	require.Len(t, found.Hits, 1)
	hit := found.Hits[0]
	require.Equal(t, id, hit.FileID)
	require.Equal(t, "one.pdf", hit.FileName)
	require.Equal(t, 2, hit.Page)
	require.Equal(t, len(payment)+1, hit.Start)
	require.Equal(t, len(payment)+1+len(notice), hit.End)
	require.Equal(t, notice, hit.Text)
	require.Equal(t, []string{"written", "notice"}, marked(hit.Snippet))

	long := h.sentences(t, h.ours, search.Query{Text: "hippopotamus"}).Hits[0]
	require.Equal(t, []string{"hippopotamus"}, marked(long.Snippet))
	require.Less(t, len(long.Snippet), 400)
	require.Contains(t, long.Snippet, "…")
}

func escaping(t *testing.T, h *house) {
	const attack = `The <script>alert("x")</script> Vendor & Co's \ue000 "Notice" <em>applies</em> to hippopotamus`
	h.file(t, h.ours, `<b>evil & hippopotamus</b>.pdf`, strings.ReplaceAll(attack, `\ue000`, "\ue000\ue001"))

	found := h.sentences(t, h.ours, search.Query{Text: "vendor hippopotamus"})
	require.Len(t, found.Hits, 1)
	snippet := found.Hits[0].Snippet
	require.Equal(t, []string{"Vendor", "hippopotamus"}, marked(snippet))
	bare := strings.NewReplacer("<em>", "", "</em>", "").Replace(snippet)
	require.NotContains(t, bare, "<")
	require.NotContains(t, bare, `"`)
	require.Contains(t, bare, "&lt;script&gt;")
	require.Contains(t, bare, "&lt;em&gt;applies&lt;/em&gt;")
	file := h.files(t, h.ours, search.Query{Text: "hippopotamus"}).Hits[0]
	require.Equal(t, "&lt;b&gt;evil &amp; <em>hippopotamus</em>&lt;/b&gt;.pdf", file.Snippet)
}

// accents do not matter, nor whether they are of one character with their letter.
func accents(t *testing.T, h *house) {
	written := []string{
		norm.NFC.String("The résumé of the Zürich office is reviewed."),
		norm.NFD.String("The résumé of the Zürich office is kept."),
		"The resume of the Zurich office is lost.",
	}
	for i, name := range []string{norm.NFC.String("Genève.txt"), norm.NFD.String("Genève.txt"), "Geneve.txt"} {
		h.file(t, h.ours, name, written[i])
	}
	const other = "The café by the office is open."
	h.file(t, h.ours, "other.txt", other)

	for _, q := range []search.Query{
		{Text: "résumé zürich"}, {Text: "RESUME ZÜRICH"}, {Text: "resume zurich"}, {Text: "rèsumê"}, {Text: `"Zürich office"`}, {Text: `"zurich office"`},
		{Text: "office -café"}, {Text: "office -cafe"}, {Text: "office zuri", Prefix: true}, {Text: "office zürí", Prefix: true}, {Text: "résum", Prefix: true},
	} {
		for _, form := range []norm.Form{norm.NFC, norm.NFD} {
			q.Text = form.String(q.Text)
			found := h.sentences(t, h.ours, q)
			require.ElementsMatch(t, written, texts(found), q.Text)
			require.Empty(t, found.Corrected, q.Text)
			require.False(t, found.Relaxed, q.Text)
			for _, hit := range found.Hits {
				require.Equal(t, hit.Text, strings.NewReplacer("<em>", "", "</em>", "").Replace(hit.Snippet), q.Text)
				require.NotEmpty(t, marked(hit.Snippet), q.Text)
				for _, words := range marked(hit.Snippet) {
					if !q.Prefix {
						words += " "
					}
					require.Contains(t, hit.Text, " "+words, "marks are on whole words, as they are written")
				}
			}
		}
	}
	for _, text := range []string{"office -zurich", "office -zürich", `office -"resume of the zürich"`} {
		require.Equal(t, []string{other}, texts(h.sentences(t, h.ours, search.Query{Text: text})), text)
	}
	for _, text := range []string{"zurihc", "zürihc"} {
		found := h.sentences(t, h.ours, search.Query{Text: text})
		require.ElementsMatch(t, written, texts(found), text)
		require.Contains(t, []string{norm.NFC.String("zürich"), "zurich"}, norm.NFC.String(found.Corrected), text)
	}
	require.Equal(t, 3, h.files(t, h.ours, search.Query{Text: "genev", Prefix: true}).Total)
	for _, text := range []string{"geneve", "genève", "GENÈVE"} {
		found := h.files(t, h.ours, search.Query{Text: text})
		require.Equal(t, 3, found.Total, text)
		require.Empty(t, found.Corrected, text)
		for _, hit := range found.Hits {
			require.True(t, hit.NameMatch, text)
			require.Equal(t, "<em>"+strings.TrimSuffix(hit.FileName, ".txt")+"</em>.txt", hit.Snippet, text)
		}
	}
}

// library is files that differ in everything that can be filtered.
func library(t *testing.T, h *house) (lease, licenceID string) {
	lease = h.create(t, h.ours, "lease.pdf", nil)
	h.text(t, h.ours, lease, "en", notice, law)
	licenceID = h.create(t, h.ours, "licence.pdf", nil)
	h.text(t, h.ours, licenceID, "de", notice, licence)
	require.NoError(t, h.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, _, err := tx.SetLifecycleStage(t.Context(), h.ours, lease, "active")
		return err
	}))
	h.index(t, h.ours, lease, licenceID)
	return lease, licenceID
}

func filters(t *testing.T, h *house) {
	lease, licenceID := library(t, h)
	row, err := h.db.File(t.Context(), h.ours, lease)
	require.NoError(t, err)
	nobody := db.NewID()

	for _, tt := range []struct {
		name   string
		filter search.Filter
		want   []string
	}{
		{"None", search.Filter{}, []string{lease, licenceID}},
		{"FileIDs", search.Filter{FileIDs: []string{lease}}, []string{lease}},
		{"NoFileIDs", search.Filter{FileIDs: []string{}}, []string{}},
		{"LifecycleStages", search.Filter{LifecycleStages: []string{"active", "expired"}}, []string{lease}},
		{"Languages", search.Filter{Languages: []string{"de"}}, []string{licenceID}},
		{"Statuses", search.Filter{Statuses: []string{"failed"}}, []string{}},
		{"DocumentTypeIDs", search.Filter{DocumentTypeIDs: []string{nobody}}, []string{}},
		{"MatterIDs", search.Filter{MatterIDs: []string{nobody}}, []string{}},
		{"Labels", search.Filter{Labels: []string{"governing_law"}}, []string{}},
		{"CreatedFrom", search.Filter{CreatedFrom: row.CreatedAt.Add(-time.Hour)}, []string{lease, licenceID}},
		{"CreatedFromLater", search.Filter{CreatedFrom: row.CreatedAt.Add(time.Hour)}, []string{}},
		{"CreatedTo", search.Filter{CreatedTo: row.CreatedAt.Add(-time.Hour)}, []string{}},
		{"Both", search.Filter{Languages: []string{"de"}, LifecycleStages: []string{"active"}}, []string{}},
	} {
		for _, text := range []string{"notice", ""} {
			found := h.files(t, h.ours, search.Query{Text: text, Filter: tt.filter})
			ids := []string{}
			for _, hit := range found.Hits {
				ids = append(ids, hit.FileID)
			}
			require.ElementsMatch(t, tt.want, ids, "%s %q", tt.name, text)
			require.Equal(t, len(tt.want), found.Total, "%s %q", tt.name, text)
		}
		sentences := h.sentences(t, h.ours, search.Query{Text: "notice", Filter: tt.filter})
		require.Len(t, sentences.Hits, len(tt.want), tt.name)
		require.Equal(t, len(tt.want), sentences.Total, tt.name)
	}
}

func facets(t *testing.T, h *house) {
	library(t, h)
	h.file(t, h.ours, "third.pdf", notice)
	h.file(t, h.theirs, "theirs.pdf", notice)

	for name, summary := range map[string]search.Summary{
		"Sentences": h.sentences(t, h.ours, search.Query{Text: "notice", Facets: search.Facets()}).Summary,
		"Files":     h.files(t, h.ours, search.Query{Text: "notice", Facets: search.Facets()}).Summary,
	} {
		require.True(t, summary.Exact, name)
		require.Equal(t, []db.FacetCount{{Value: "en", Count: 2}, {Value: "de", Count: 1}}, summary.Facets[search.Language], name)
		require.Equal(t, []db.FacetCount{{Value: "draft", Count: 2}, {Value: "active", Count: 1}}, summary.Facets[search.LifecycleStage], name)
		require.Empty(t, summary.Facets[search.Label], name)
		require.NotNil(t, summary.Facets[search.Matter], name)
	}
	none := h.sentences(t, h.ours, search.Query{Text: "notice"})
	require.Nil(t, none.Facets)
	_, err := h.Sentences(t.Context(), h.ours, search.Query{Facets: []search.Facet{"name); DROP TABLE files"}})
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

func paging(t *testing.T, h *house) {
	const files, each = 12, 15
	ids := make([]string, files)
	for i := range files {
		ids[i] = h.create(t, h.ours, fmt.Sprintf("file %d.pdf", i), nil)
		var list []string
		for j := range each {
			list = append(list, fmt.Sprintf("The hippopotamus clause %d of %d stands here.", j, i))
		}
		h.text(t, h.ours, ids[i], "en", list...)
	}
	h.index(t, h.ours, ids...)

	for _, text := range []string{"hippopotamus", "hippopotmaus clause", ""} {
		seen := map[string]bool{}
		for offset := 0; ; offset += 7 {
			page := h.sentences(t, h.ours, search.Query{Text: text, Limit: 7, Offset: offset})
			if len(page.Hits) == 0 {
				break
			}
			for _, hit := range page.Hits {
				require.False(t, seen[hit.SentenceID], "%q: a page repeats a hit", text)
				seen[hit.SentenceID] = true
			}
		}
		require.Len(t, seen, files*each, "%q", text)
		seen = map[string]bool{}
		for offset := 0; offset < files; offset += 5 {
			page := h.files(t, h.ours, search.Query{Text: text, Limit: 5, Offset: offset})
			require.Equal(t, files, page.Total)
			for _, hit := range page.Hits {
				require.False(t, seen[hit.FileID], "%q: a page repeats a file", text)
				seen[hit.FileID] = true
			}
		}
		require.Len(t, seen, files, "%q", text)
	}
	_, err := h.Sentences(t.Context(), h.ours, search.Query{Limit: 1, Offset: search.Window})
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	_, err = h.Files(t.Context(), h.ours, search.Query{Limit: -1})
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

func byFile(t *testing.T, h *house) {
	many := h.file(t, h.ours, "supply.pdf", notice, law, "A second notice.", "A third notice.", "A fourth notice.")
	named := h.file(t, h.ours, "Notice_of-default.pdf", licence)
	h.file(t, h.ours, "unrelated.pdf", payment)

	found := h.files(t, h.ours, search.Query{Text: "notice"})
	require.Equal(t, 2, found.Total)
	require.True(t, found.Exact)
	require.Equal(t, named, found.Hits[0].FileID, "names come first")
	require.True(t, found.Hits[0].NameMatch)
	require.Empty(t, found.Hits[0].Hits)
	require.Equal(t, []string{"Notice"}, marked(found.Hits[0].Snippet))
	require.Equal(t, many, found.Hits[1].FileID)
	require.False(t, found.Hits[1].NameMatch)
	require.Equal(t, 4, found.Hits[1].Matches)
	require.Len(t, found.Hits[1].Hits, search.BestOfFile)
	require.Len(t, found.Hits[1].Pages, search.BestOfFile)
	require.IsIncreasing(t, found.Hits[1].Pages)
	for _, hit := range found.Hits[1].Hits {
		require.Equal(t, many, hit.FileID)
		require.NotEmpty(t, marked(hit.Snippet))
	}

	// A condition on sentences leaves names out, but not of the order of the sentences
	// beside the files, which is that of sentences by themselves.
	h.file(t, h.ours, "Notice.pdf", "Of a notice that is given late, and of which nobody knows, each party tells the other one in time.")
	onPage := search.Filter{Where: query.Filter{Field: query.Page, Op: query.AtMost, Values: []string{"3"}}}
	require.Equal(t, 3, h.sentences(t, h.ours, search.Query{Text: "notice", Filter: onPage}).Total)
}

func newest(t *testing.T, h *house) {
	first := h.file(t, h.ours, "first.pdf", notice)
	second := h.file(t, h.ours, "second.pdf", law, licence)

	found := h.files(t, h.ours, search.Query{})
	require.Equal(t, 2, found.Total)
	require.Equal(t, second, found.Hits[0].FileID)
	require.Equal(t, first, found.Hits[1].FileID)
	require.False(t, found.Hits[0].NameMatch)
	sentences := h.sentences(t, h.ours, search.Query{})
	require.Equal(t, []string{law, licence, notice}, texts(sentences))
}

func isolation(t *testing.T, h *house) {
	h.file(t, h.ours, "ours.pdf", law)
	theirs := h.file(t, h.theirs, "zyklotron.pdf", "The zyklotron is secret.", notice)

	for _, text := range []string{"zyklotron", "zyklotrom", "zyklotro", "secret", `"zyklotron is secret"`, "written notice", "-california"} {
		for _, filter := range []search.Filter{{}, {FileIDs: []string{theirs}}} {
			for _, prefix := range []bool{false, true} {
				q := search.Query{Text: text, Filter: filter, Facets: search.Facets(), Prefix: prefix}
				found := h.sentences(t, h.ours, q)
				require.Zero(t, found.Total, text)
				require.Empty(t, found.Hits, text)
				require.NotContains(t, found.Corrected, "zyklotron", "another team's words are no corrections")
				require.Empty(t, found.Facets[search.Language], text)
				require.Empty(t, h.files(t, h.ours, q).Hits, text)
			}
		}
	}
	require.Equal(t, 1, h.files(t, h.ours, search.Query{}).Total)
	require.Equal(t, 1, h.files(t, h.theirs, search.Query{Text: "zyklotron"}).Total)
	require.Empty(t, h.index(t, h.ours, theirs), "a file is not indexed for another team")
}

// What is in a restricted matter is found, counted and known as words by those
// who are listed on it alone.
func restriction(t *testing.T, h *house) {
	var matter db.Matter
	name, access := "Project", db.MatterRestricted
	require.NoError(t, h.db.InTx(t.Context(), func(tx *db.Tx) (err error) {
		user, err := tx.EnsureUser(t.Context(), "partner@example.com", "")
		if err != nil {
			return err
		}
		if err := tx.AddMember(t.Context(), h.ours.TeamID, user.ID, db.Member); err != nil {
			return err
		}
		listed := db.Scope{TeamID: h.ours.TeamID, ActorKind: "user", ActorID: user.ID}
		matter, err = tx.CreateMatter(t.Context(), listed, db.MatterChange{Name: &name, Access: &access})
		return err
	}))
	others := h.ours
	var err error
	others.Hidden, err = h.db.HiddenMatters(t.Context(), h.ours.TeamID, "", "")
	require.NoError(t, err)
	require.Equal(t, []string{matter.ID}, others.Hidden)

	id := h.create(t, h.ours, "zyklotron.pdf", func(f *db.NewFile) { f.MatterID = matter.ID })
	h.text(t, h.ours, id, "en", "The zyklotron is secret.", notice)
	h.index(t, h.ours, id)
	h.file(t, h.ours, "open.pdf", notice)

	for _, text := range []string{"zyklotron", "zyklotrom", "secret", `"zyklotron is secret"`, "written notice", "-california", ""} {
		q := search.Query{Text: text, Facets: search.Facets()}
		found := h.sentences(t, others, q)
		require.NotContains(t, found.Corrected, "zyklotron")
		for _, hit := range found.Hits {
			require.NotEqual(t, id, hit.FileID, text)
		}
		require.LessOrEqual(t, found.Total, 1, text)
		for _, counts := range found.Facets {
			for _, c := range counts {
				require.LessOrEqual(t, c.Count, 1, "%s: %s", text, c.Value)
			}
		}
		require.LessOrEqual(t, h.files(t, others, q).Total, 1, text)
	}
	require.Equal(t, 1, h.files(t, h.ours, search.Query{Text: "zyklotron"}).Total)
	require.Equal(t, 2, h.sentences(t, h.ours, search.Query{Text: "written notice"}).Total)
}

func removal(t *testing.T, h *house) {
	id := h.file(t, h.ours, "one.pdf", notice)
	kept := h.file(t, h.ours, "two.pdf", notice)
	require.NoError(t, h.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.DeleteFile(t.Context(), h.ours, id)
		return err
	}))
	gone := func() {
		t.Helper()
		found := h.sentences(t, h.ours, search.Query{Text: "notice", Facets: search.Facets()})
		require.Equal(t, 1, found.Total)
		require.True(t, found.Exact)
		require.Equal(t, kept, found.Hits[0].FileID)
		require.Equal(t, 1, found.Facets[search.Language][0].Count)
		for _, q := range []search.Query{{}, {Text: "notice"}, {Text: "pdf"}} {
			require.Equal(t, 1, h.files(t, h.ours, q).Total, q.Text)
		}
	}
	gone() // at once, whatever the engine still holds
	require.NoError(t, h.Remove(t.Context(), refs(h.ours, id)))
	require.NoError(t, h.db.InTx(t.Context(), func(tx *db.Tx) error { return tx.SetRemoved(t.Context(), h.ours, []string{id}, h.Immediate()) }))
	gone()
	require.Empty(t, h.index(t, h.ours, id))
	require.NoError(t, h.Remove(t.Context(), nil))

	trash, err := h.db.TrashIDs(t.Context(), h.ours, db.TrashFilter{}, 10)
	require.NoError(t, err)
	require.NoError(t, h.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.RestoreTrash(t.Context(), h.ours, trash, "", h.Immediate())
		return err
	}))
	require.Len(t, h.index(t, h.ours, id), 1)
	require.Equal(t, 2, h.sentences(t, h.ours, search.Query{Text: "notice"}).Total, "back again")
	require.Equal(t, 2, h.files(t, h.ours, search.Query{Text: "pdf"}).Total)

	require.NoError(t, h.db.InTx(t.Context(), func(tx *db.Tx) error { return tx.SetRemoved(t.Context(), h.ours, []string{id}, h.Immediate()) }))
	back, err := h.db.File(t.Context(), h.ours, id)
	require.NoError(t, err)
	require.Equal(t, h.Immediate(), back.Searchable(), "removed after it came back, it is to be indexed again")
}

func reindexing(t *testing.T, h *house) {
	id := h.file(t, h.ours, "one.pdf", notice, law)
	require.Equal(t, []db.Indexed{{FileRef: db.FileRef{TeamID: h.ours.TeamID, FileID: id}, Generation: 1}}, h.index(t, h.ours, id), "again is the same")
	require.Len(t, h.sentences(t, h.ours, search.Query{Text: "agreement"}).Hits, 2)

	h.text(t, h.ours, id, "en", licence)
	done := h.index(t, h.ours, id)
	require.Equal(t, 2, done[0].Generation)
	require.Zero(t, h.sentences(t, h.ours, search.Query{Text: "agreement"}).Total)
	require.Equal(t, 1, h.sentences(t, h.ours, search.Query{Text: "licence"}).Total)

	h.text(t, h.ours, id, "en")
	require.Equal(t, 3, h.index(t, h.ours, id)[0].Generation, "a file without sentences is indexed as well")
	require.Zero(t, h.sentences(t, h.ours, search.Query{Text: "licence"}).Total)
	require.Equal(t, 1, h.files(t, h.ours, search.Query{Text: "one"}).Total)
}

func reconciling(t *testing.T, h *house) {
	id := h.create(t, h.ours, "waiting.pdf", nil)
	h.text(t, h.ours, id, "en", notice)
	_, err := h.Reconcile(t.Context(), false)
	require.NoError(t, err)
	require.Equal(t, 1, h.sentences(t, h.ours, search.Query{Text: "notice"}).Total)
	row, err := h.db.File(t.Context(), h.ours, id)
	require.NoError(t, err)
	require.True(t, row.Searchable())

	name := "renamed hippopotamus.pdf"
	require.NoError(t, h.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.UpdateFile(t.Context(), h.ours, id, db.FileUpdate{Name: &name})
		return err
	}))
	_, err = h.Reconcile(t.Context(), true)
	require.NoError(t, err)
	require.Equal(t, 1, h.files(t, h.ours, search.Query{Text: "hippopotamus"}).Total)
	drift, err := h.Reconcile(t.Context(), true)
	require.NoError(t, err)
	require.Zero(t, drift)
}

// Whatever is asked, it is answered or refused in a sentence, and soon.
func hostileExpressions(t *testing.T, h *house) {
	list := make([]string, 200)
	for i := range list {
		list[i] = strings.Repeat("notice the other party of a thirty days written agreement ", 4)
	}
	h.file(t, h.ours, "one.pdf", list...)

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	long := strings.TrimSpace(strings.Repeat("a ", 950))
	for _, text := range []string{
		strings.Repeat("(", 10_000) + " OR a", "a OR " + strings.Repeat("(", 10_000), strings.Repeat("()", 2000) + " AND a", "a NEAR/999999999 b", "a NEAR/-1 b", "a NEAR/1e9 b", "NEAR/5", "a NEAR/5",
		"AND", "OR OR", "NOT", strings.Repeat("NOT ", 999) + "a", strings.Repeat("-", 3000) + "a OR b", strings.Repeat("AND ", 3000), "the AND of", "NOT the", "the OR NOT of", "the NEAR/3 of", "NOT (the OR a)",
		"a\x00 AND\x00 b", "\xff OR \xff", "😀 OR 😀", "😀 NEAR/3 notice", strings.Repeat("a OR ", 25_000) + "b", strings.Repeat("x", 100_000) + " OR b",
		`"notice OR party`, `notice OR "`, `notice AND """`, "notice* OR *party*", strings.Repeat("a* ", 2000) + "OR b", strings.Repeat("notice OR ", 39) + "party", strings.Repeat("(notice OR a) AND ", 19) + "party",
		strings.TrimSuffix(strings.Repeat("a NEAR/50 ", 40), " NEAR/50 "), strings.Repeat("notice NEAR/50 party NEAR/50 ", 19) + "days", `"` + long + `" NEAR/50 "` + long + `"`, `"` + long + `" OR "` + long + `"`, `"` + long + long + `"`,
		strings.Repeat(`"notice the other party" NEAR/50 `, 39) + "days", strings.Repeat("-(a OR -(", 5) + "b" + strings.Repeat("))", 5) + " AND notice", strings.Repeat("terminaton OR ", 39) + "agrement",
		"notice NEAR/50 party NEAR/50 days NEAR/50 written NEAR/50 other NEAR/50 the", `"notice the other party" NEAR/50 "thirty days written agreement"`,
	} {
		for _, prefix := range []bool{false, true} {
			q := search.Query{Text: text, Facets: search.Facets(), Prefix: prefix}
			_, err := h.Sentences(ctx, h.ours, q)
			if kind := fault.KindOf(err); kind != fault.Unavailable { // what Postgres answers in its place
				require.True(t, err == nil || kind == fault.Invalid, "%.60q: %v", text, err)
			}
			_, err = h.Files(ctx, h.ours, q)
			if kind := fault.KindOf(err); kind != fault.Unavailable {
				require.True(t, err == nil || kind == fault.Invalid, "%.60q: %v", text, err)
			}
			require.NoError(t, ctx.Err(), "%.60q", text)
		}
	}
}

func hostile(t *testing.T, h *house) {
	h.file(t, h.ours, "one.pdf", notice, "חוזה זה יפורש על פי הדין", "合同受中国法律管辖", "Der Käufer zahlt über 5 Mio. €")

	for _, text := range []string{
		`"`, `""`, `"""`, `'`, `''`, `\`, `'\''`, `-`, `--`, `-""`, `- notice`, `(`, `)`, `&`, `|`, `!`, `!!`, `<->`, `:*`, `notice:*`, `'notice'`,
		`notice & | !`, `a & (b`, `%`, `_`, `$1`, `@team`, `@words`, `; DROP TABLE sentences; --`, `teamId = x OR 1 = 1`, `"x" OR teamId EXISTS`,
		"team=" + h.theirs.TeamID, "'team=" + h.theirs.TeamID + "'",
		"\x00", "notice\x00written", "\xff\xfe", "\u202enotice\u202c", "😀", "😀 notice", "חוזה", "合同", "käufer", "KÄUFER", "ﬁ", "e\u0301",
		strings.Repeat("notice ", 2000), strings.Repeat("a", 10_000), strings.Repeat("-", 10_000), strings.Repeat(`"a" `, 3000),
		strings.Repeat("(", 10_000), strings.Repeat("terminaton agrement writen ", 400), strings.Repeat("é", 10_000), "the of and", "<b>", "&amp;",
	} {
		for _, prefix := range []bool{false, true} {
			q := search.Query{Text: text, Facets: search.Facets(), Prefix: prefix}
			_, err := h.Sentences(t.Context(), h.ours, q)
			require.NoError(t, err, "%.60q", text)
			_, err = h.Files(t.Context(), h.ours, q)
			require.NoError(t, err, "%.60q", text)
		}
	}
	for _, text := range []string{"חוזה", "käufer", "KÄUFER", "notice\x00written", "\u202enotice\u202c", "😀 notice", "- notice"} {
		require.Equal(t, 1, h.sentences(t, h.ours, search.Query{Text: text}).Total, "%q", text)
	}
	require.Zero(t, h.sentences(t, h.ours, search.Query{Text: "😀"}).Total)
	require.Zero(t, h.sentences(t, h.ours, search.Query{Text: "team=" + h.ours.TeamID}).Total)
}
