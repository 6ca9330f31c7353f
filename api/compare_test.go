package api_test

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/nlp"
)

// The nodes of the small corpus. Two are of one family, the third of another.
const (
	capped  = "cap_on_liability"
	insured = "insurance"
	law     = "governing_law"
)

// fact is an attribute at file level.
type fact struct{ key, value, normalized string }

// analyzedFile is a file with labelled sentences, in the order of nodes, whose
// analysis is stored.
func (b *bundle) analyzedFile(t testing.TB, who caller, nodes []string, facts ...fact) string {
	t.Helper()
	sentences := []said{{text: "This is how it begins.", source: "predicted"}}
	for i, node := range nodes {
		sentences = append(sentences, said{fmt.Sprintf("Clause %d speaks of %s and of nothing else.", i, node), node, 0.9, "predicted"})
	}
	f, _ := b.contract(t, who, sentences...)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		row, err := tx.File(t.Context(), who.scope, f.ID)
		require.NoError(t, err)
		m := db.Meaning{Analysis: db.Analysis{Generation: row.Generation, Version: "test", Counts: db.Counts{Words: 10 * len(nodes), Sentences: 1 + len(nodes)}}}
		for i, a := range facts {
			m.Attributes = append(m.Attributes, db.Attribute{
				ID: db.NewID(), Level: db.FileLevel, Ordinal: i, Key: a.key, Value: a.value, Normalized: []byte(a.normalized), Confidence: 1, Source: "rule",
			})
		}
		return tx.SaveAnalysis(t.Context(), who.scope, f.ID, m)
	}))
	return f.ID
}

// smallCorpus is five files of one type, and one of mallory's that nobody else
// may see. Of the five, four have a cap, two have insurance and one a law.
func (b *bundle) smallCorpus(t testing.TB) (typeID string, files []string) {
	t.Helper()
	files = []string{
		b.analyzedFile(t, b.alice, []string{capped, insured, law}, fact{"governing_law", "New York", `{"code":"US-NY"}`}, fact{"expiration_date", "May 1, 2024", `{"date":"2024-05-01"}`}, fact{"initial_term", "two years", `{"duration":"P2Y"}`}),
		b.analyzedFile(t, b.alice, []string{capped, insured}, fact{"governing_law", "New York", `{"code":"US-NY"}`}, fact{"expiration_date", "June 2024", `{"date":"2024-06"}`}, fact{"initial_term", "30 days", `{"duration":"P30D"}`}),
		b.analyzedFile(t, b.alice, []string{capped, capped}, fact{"governing_law", "Delaware", `{"code":"US-DE"}`}, fact{"expiration_date", "2025", `{"date":"2025"}`}),
		b.analyzedFile(t, b.alice, []string{capped}),
		b.analyzedFile(t, b.alice, nil),
	}
	b.analyzedFile(t, b.mallory, []string{capped, law})
	return b.ofType(t, b.alice, files...), files
}

func TestRadar(t *testing.T) {
	t.Parallel()
	b := setup(t)
	typeID, files := b.smallCorpus(t)
	r := get[api.Radar](t, b.call(t, b.alice, "GET /api/files/"+files[2]+"/radar", ""), http.StatusOK)
	require.Equal(t, api.Comparison{Scope: "documentType", DocumentTypeID: &typeID, Files: 5}, r.Compared)
	axes := map[string]api.Axis{}
	for _, axis := range r.Axes {
		require.GreaterOrEqual(t, axis.Value, 0.0)
		require.LessOrEqual(t, axis.Value, 1.0)
		axes[axis.Label] = axis
	}
	require.Len(t, axes, 8, "one for each family")
	// The frequencies are 4/5 and 2/5, so a cap is 4 of 6 parts of the family.
	risk := axes["Liability and risk"]
	require.InDelta(t, 4.0/6, risk.Value, 1e-9)
	require.InDelta(t, (1+1+4.0/6+4.0/6+0)/5, risk.CorpusMean, 1e-9)
	require.InDelta(t, 0.4*4.0/6, risk.CorpusP10, 1e-9, "between the least and the next")
	require.InDelta(t, 1, risk.CorpusP90, 1e-9)
	require.True(t, risk.Typical)
	require.Equal(t, []api.AxisNode{{capped, "Cap on liability", 2, 0.8}, {insured, "Insurance", 0, 0.4}}, risk.Nodes)
	require.Zero(t, axes["Law and enforcement"].Value)
	require.InDelta(t, 0.2, axes["Law and enforcement"].CorpusMean, 1e-9)
	require.Empty(t, axes["Competition and exclusivity"].Nodes)

	without := b.file(t, b.alice)
	get[api.Error](t, b.call(t, b.alice, "GET /api/files/"+without.ID+"/radar", ""), http.StatusConflict)
	get[api.Error](t, b.call(t, b.mallory, "GET /api/files/"+files[0]+"/radar", ""), http.StatusNotFound)
}

func TestScoreboard(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, files := b.smallCorpus(t)
	board := get[api.Scoreboard](t, b.call(t, b.alice, "GET /api/files/"+files[1]+"/scoreboard", ""), http.StatusOK)
	rarity := func(n float64) float64 { return math.Log2(1 + 5/n) }
	require.Len(t, board.Items, 3, "the file without clauses is like none")
	first := board.Items[0]
	require.Equal(t, files[0], first.FileID)
	require.InDelta(t, (rarity(4)+rarity(2))/(rarity(4)+rarity(2)+rarity(1)), first.Score, 1e-6)
	require.Equal(t, []string{capped, insured}, first.SharedNodes)
	require.Equal(t, []string{law}, first.MissingNodes)
	require.Empty(t, first.ExtraNodes)
	for _, i := range []int{1, 2} {
		require.InDelta(t, rarity(4)/(rarity(4)+rarity(2)), board.Items[i].Score, 1e-6)
		require.Equal(t, 2, board.Items[i].Rank, "the same score is the same rank")
		require.Equal(t, []string{insured}, board.Items[i].ExtraNodes)
	}
	back := get[api.Scoreboard](t, b.call(t, b.alice, "GET /api/files/"+files[0]+"/scoreboard?limit=1", ""), http.StatusOK)
	require.Equal(t, files[1], back.Items[0].FileID)
	require.InDelta(t, first.Score, back.Items[0].Score, 1e-9, "the likeness is the same both ways")

	count := "GET /api/files/scoreboard-files/count"
	require.Equal(t, 4, get[api.ScorableFiles](t, b.call(t, b.alice, count, ""), http.StatusOK).Count)
	require.Equal(t, 1, get[api.ScorableFiles](t, b.call(t, b.mallory, count, ""), http.StatusOK).Count)
	b.file(t, b.alice)
	require.Equal(t, api.ScorableFiles{Count: 4, Pending: 1}, get[api.ScorableFiles](t, b.call(t, b.alice, count, ""), http.StatusOK))
	require.Equal(t, api.ScorableFiles{}, get[api.ScorableFiles](t, b.call(t, b.alice, count+"?documentTypeId="+db.NewID(), ""), http.StatusOK))
}

func TestMatches(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, files := b.smallCorpus(t)
	path := "GET /api/files/" + files[0] + "/matches"
	all := get[api.List[api.Match]](t, b.call(t, b.alice, path, ""), http.StatusOK)
	require.Equal(t, 3, *all.Total)
	require.Equal(t, capped, *all.Items[0].Label)
	for _, m := range all.Items[0].Matches {
		require.NotEqual(t, files[0], m.FileID, "never of the file itself")
		require.Contains(t, files, m.FileID, "never of another team")
		first, second := "", ""
		for _, e := range m.Diff {
			if e.Op != "+" {
				first += e.Text
			}
			if e.Op != "-" {
				second += e.Text
			}
		}
		require.Equal(t, []string{all.Items[0].Text, m.Text}, []string{first, second})
	}
	require.True(t, all.Items[0].Matches[0].Identical)
	require.InDelta(t, 1, all.Items[0].Matches[0].Score, 1e-6)

	one := get[api.List[api.Match]](t, b.call(t, b.alice, path+"?label="+insured+"&matches=1&minScore=0.99", ""), http.StatusOK)
	require.Len(t, one.Items, 1)
	require.Len(t, one.Items[0].Matches, 1)
	require.Equal(t, files[1], one.Items[0].Matches[0].FileID)

	paged := []api.Match{}
	for next := ""; ; {
		page := get[api.List[api.Match]](t, b.call(t, b.alice, path+"?limit=2&cursor="+next, ""), http.StatusOK)
		paged = append(paged, page.Items...)
		if next = page.NextCursor; next == "" {
			break
		}
	}
	require.Equal(t, all.Items, paged)
	require.Empty(t, get[api.List[api.Match]](t, b.call(t, b.alice, "GET /api/files/"+files[4]+"/matches", ""), http.StatusOK).Items)
}

func TestCohort(t *testing.T) {
	t.Parallel()
	b := setup(t)
	typeID, files := b.smallCorpus(t)
	path := "POST /api/files/" + files[0] + "/document-types/cohort"
	c := get[api.Cohort](t, b.call(t, b.alice, path, ""), http.StatusOK)
	require.Equal(t, 3, c.Size)
	require.Equal(t, files[1], c.Items[0].FileID)
	laws := map[string]api.CohortDistribution{}
	for _, d := range c.Distributions {
		laws[d.Key] = d
	}
	require.Equal(t, 2, laws["governing_law"].Files)
	require.Equal(t, []db.ValueCount{{Value: "Delaware", Files: 1}, {Value: "New York", Files: 1}}, laws["governing_law"].Values)
	require.Equal(t, api.ValueShare{Value: "New York", Share: 0.5}, *laws["governing_law"].ThisFile)
	require.Zero(t, laws["initial_term"].ThisFile.Share)

	narrow := get[api.Cohort](t, b.call(t, b.alice, path, `{"documentTypeId":"`+typeID+`","attributes":["governing_law"],"limit":1}`), http.StatusOK)
	require.Len(t, narrow.Items, 1)
	require.Equal(t, 3, narrow.Size, "what is listed is not what is counted")
	require.Equal(t, []api.CohortDistribution{laws["governing_law"]}, narrow.Distributions)
	none := get[api.Cohort](t, b.call(t, b.alice, path, `{"documentTypeId":"`+b.typeOf(t, b.alice, "agency")+`"}`), http.StatusOK)
	require.Zero(t, none.Size)
	for _, other := range []string{"x", b.typeOf(t, b.mallory, "agency")} {
		get[api.Error](t, b.call(t, b.alice, path, `{"documentTypeId":"`+other+`"}`), http.StatusUnprocessableEntity)
	}
}

// A month of thirty days and one of the calendar are one value among what contracts say.
func TestCohortTakesDurationsTogether(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var files []string
	for _, f := range []fact{
		{"notice_period", "six (6) months", `{"duration":"P6M"}`}, {"notice_period", "180 days", `{"duration":"P180D"}`}, {"notice_period", "180 days", `{"duration":"P180D"}`},
		{"notice_period", "182 days", `{"duration":"P182D"}`}, {"notice_period", "one year", `{"duration":"P1Y"}`}, {"notice_period", "365 days", `{"duration":"P365D"}`},
		{"notice_period", "twelve months", `{"duration":"P12M"}`}, {"notice_period", "two weeks", `{"duration":"P2W"}`}, {"notice_period", "14 days", `{"duration":"P14D"}`},
	} {
		files = append(files, b.analyzedFile(t, b.alice, []string{capped}, f))
	}
	b.ofType(t, b.alice, files...)
	b.exec(t, `UPDATE attributes SET normal = lower(normalized ->> 'duration') WHERE file_id = ANY($1::uuid[])`, files)
	c := get[api.Cohort](t, b.call(t, b.alice, "POST /api/files/"+files[0]+"/document-types/cohort", ""), http.StatusOK)
	require.Len(t, c.Distributions, 1)
	counts := map[int]int{}
	for _, v := range c.Distributions[0].Values {
		counts[v.Files]++
	}
	require.Equal(t, map[int]int{3: 1, 2: 2, 1: 1}, counts, "a year, half a year, two weeks, and 182 days")
	require.InDelta(t, 2.0/8, c.Distributions[0].ThisFile.Share, 1e-9)
}

// A file is not compared with its own copies, and a contract counts once however often
// it was uploaded, unless that is asked for.
func TestCopiesDoNotCount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	nodes := []string{capped, insured, law}
	own := b.analyzedFile(t, b.alice, nodes)
	version, scan, draft := b.analyzedFile(t, b.alice, nodes), b.analyzedFile(t, b.alice, nodes), b.analyzedFile(t, b.alice, nodes)
	other, again := b.analyzedFile(t, b.alice, []string{capped}), b.analyzedFile(t, b.alice, []string{capped})
	b.ofType(t, b.alice, own, version, scan, draft, other, again)
	for _, pair := range [][3]string{{version, own, "version"}, {scan, own, "duplicate"}, {draft, version, "version"}, {again, other, "duplicate"}} {
		b.exec(t, `INSERT INTO file_likeness (file_id, other_id, team_id, kind, share) VALUES ($1, $2, $3, $4, 0.9)`, pair[0], pair[1], b.alice.scope.TeamID, pair[2])
	}
	path := "/api/files/" + version
	for _, tt := range []struct {
		copies        string
		files, listed int
		laws          float64 // share of the files that have one
	}{{"", 2, 1, 0.5}, {"true", 6, 5, 4.0 / 6}} {
		query, body := "?copies="+tt.copies, `{"copies":`+tt.copies+`}`
		if tt.copies == "" {
			query, body = "", ""
		}
		radar := get[api.Radar](t, b.call(t, b.alice, "GET "+path+"/radar"+query, ""), http.StatusOK)
		require.Equal(t, tt.files, radar.Compared.Files, "with itself")
		for _, axis := range radar.Axes {
			for _, node := range axis.Nodes {
				if node.Label == law {
					require.InDelta(t, tt.laws, node.Frequency, 1e-9)
				}
			}
		}
		require.Len(t, get[api.Scoreboard](t, b.call(t, b.alice, "GET "+path+"/scoreboard"+query, ""), http.StatusOK).Items, tt.listed)
		cohort := get[api.Cohort](t, b.call(t, b.alice, "POST "+path+"/document-types/cohort", body), http.StatusOK)
		require.Equal(t, tt.listed, cohort.Size)
		dates := get[api.DateCohort](t, b.call(t, b.alice, "POST "+path+"/document-types/dates", body), http.StatusOK)
		require.Equal(t, tt.files, dates.Compared.Files)
		first := get[api.List[api.Match]](t, b.call(t, b.alice, "GET "+path+"/matches"+query, ""), http.StatusOK).Items[0]
		alignment := get[api.Alignment](t, b.call(t, b.alice, "POST "+path+"/sfdt/document-types-align", body), http.StatusOK)
		near := get[api.NearestMatches](t, b.call(t, b.alice, "GET /api/sentences/"+first.SegmentID+"/nearest-matches"+query, ""), http.StatusOK)
		of := map[string]bool{}
		for _, m := range first.Matches {
			of[m.FileID] = true
		}
		for _, a := range alignment.Alignment {
			if a.Reference != nil {
				of[a.Reference.FileID] = true
			}
		}
		for _, n := range near.Items {
			if n.Sentence.FileID != version {
				of[n.Sentence.FileID] = true
			}
		}
		for _, copied := range []string{own, scan, draft} {
			if tt.copies == "" {
				require.NotContains(t, of, copied)
			}
		}
		require.Equal(t, tt.copies != "", of[own] || of[scan] || of[draft])
	}
}

// A contract counts once in what is said of its type.
func TestCopiesDoNotCountInTypes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	own, version, other := b.analyzedFile(t, b.alice, []string{capped, law}), b.analyzedFile(t, b.alice, []string{capped, law}), b.analyzedFile(t, b.alice, []string{capped})
	typeID := b.ofType(t, b.alice, own, version, other)
	b.exec(t, `INSERT INTO file_likeness (file_id, other_id, team_id, kind, share) VALUES ($1, $2, $3, 'version', 0.9)`, version, own, b.alice.scope.TeamID)
	state, err := b.db.CorpusState(t.Context(), b.alice.scope, typeID)
	require.NoError(t, err)
	require.Equal(t, []int{2, 3}, []int{state.Files, state.AllFiles})
	of := func(copies bool) db.CorpusResult {
		nodes, err := b.db.CorpusNodes(t.Context(), b.alice.scope, typeID, copies)
		require.NoError(t, err)
		edges, err := b.db.CorpusEdges(t.Context(), b.alice.scope, typeID, copies, nil)
		require.NoError(t, err)
		return db.CorpusResult{Nodes: nodes, Edges: edges}
	}
	result := of(false)
	result.Copies = &db.CopiesResult{CorpusResult: of(true), Files: state.AllFiles}
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.SaveTypeAnalysis(t.Context(), b.alice.scope, typeID, state, result)
	}))
	path := documentTypes + "/" + typeID
	for query, want := range map[string]struct {
		files, laws int
		share       float64
	}{"": {2, 1, 0.5}, "?copies=true": {3, 2, 2.0 / 3}} {
		analytics := get[api.TypeAnalytics](t, b.call(t, b.alice, "GET "+path+"/analytics"+query, ""), http.StatusOK)
		require.Equal(t, want.files, analytics.Files)
		require.Equal(t, []int{want.files, want.laws}, []int{analytics.Nodes[0].Files, analytics.Nodes[1].Files})
		graph := get[api.TypeGraph](t, b.call(t, b.alice, "GET "+path+"/graph"+query, ""), http.StatusOK)
		require.Equal(t, want.files, graph.AnalysisOf.Files)
		require.Contains(t, graph.Edges, db.CorpusEdge{From: capped, To: law, Kind: "follows", Weight: want.share, Files: want.laws})
		tags := get[api.TypeNodes](t, b.call(t, b.alice, "GET "+path+"/tags"+query, ""), http.StatusOK)
		require.Equal(t, want.laws, tags.Items[1].Files)
		tree := get[api.TypeTree](t, b.call(t, b.alice, "GET "+path+"/tree"+query, ""), http.StatusOK)
		require.InDelta(t, want.share, tree.Children[len(tree.Children)-1].Frequency, 1e-9)
		stats := get[api.TypeStats](t, b.call(t, b.alice, "GET "+path+"/stats"+query, ""), http.StatusOK)
		require.Equal(t, []int{want.files, want.files, want.files}, []int{stats.Files, stats.Assigned, stats.Analyzed})
		all := get[api.AllTypeStats](t, b.call(t, b.alice, "GET "+documentTypes+"/stats"+query, ""), http.StatusOK)
		require.Contains(t, all.Items, stats)
	}
}

func TestDates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, files := b.smallCorpus(t)
	path := "POST /api/files/" + files[0] + "/document-types/dates"
	d := get[api.DateCohort](t, b.call(t, b.alice, path, ""), http.StatusOK)
	require.Len(t, d.Series, 1)
	require.Equal(t, []string{"2024-04-01", "2024-06-30"}, []string{d.Series[0].From, d.Series[0].To})
	require.Equal(t, 2, d.Series[0].Count)
	require.ElementsMatch(t, files[:2], d.Series[0].FileIDs)
	require.Equal(t, 3, d.Undated, "a year is too coarse for a quarter")
	require.Equal(t, api.DatePlace{Date: "2024-05-01", Bucket: "2024-04-01", Percentile: 0.25}, *d.ThisFile)
	require.Len(t, d.Durations, 1)
	term := d.Durations[0]
	require.Equal(t, "initial_term", term.Key)
	require.InDelta(t, 730, term.Max, 1e-9)
	require.InDelta(t, (30+730)/2, term.Median, 1e-9)
	require.InDelta(t, 30+0.25*700, term.P25, 1e-9)
	require.InDelta(t, 0.75, term.ThisFile.Percentile, 1e-9)

	years := get[api.DateCohort](t, b.call(t, b.alice, path, `{"bucket":"year"}`), http.StatusOK)
	require.Equal(t, []int{2, 1}, []int{years.Series[0].Count, years.Series[1].Count})
	require.Equal(t, 2, years.Undated)
	months := get[api.DateCohort](t, b.call(t, b.alice, path, `{"bucket":"month","dateKey":"agreement_date"}`), http.StatusOK)
	require.Empty(t, months.Series)
	require.Nil(t, months.ThisFile)
	require.Equal(t, 5, months.Undated)
}

// TestComparisonsTakeConditions compares a file with those of New York only.
func TestComparisonsTakeConditions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, files := b.smallCorpus(t)
	const condition = `{"field":"attribute.governing_law","op":"in","values":["new york"]}`
	filter := "filter=" + url.QueryEscape(condition)
	path := "/api/files/" + files[2]

	radar := get[api.Radar](t, b.call(t, b.alice, "GET "+path+"/radar?"+filter, ""), http.StatusOK)
	require.Equal(t, 3, radar.Compared.Files, "itself and two others")
	board := get[api.Scoreboard](t, b.call(t, b.alice, "GET "+path+"/scoreboard?"+filter, ""), http.StatusOK)
	require.Equal(t, []string{files[1], files[0]}, []string{board.Items[0].FileID, board.Items[1].FileID})
	require.Len(t, board.Items, 2)
	require.Equal(t, 2, get[api.ScorableFiles](t, b.call(t, b.alice, "GET /api/files/scoreboard-files/count?"+filter, ""), http.StatusOK).Count)
	cohort := get[api.Cohort](t, b.call(t, b.alice, "POST "+path+"/document-types/cohort", `{"filter":`+condition+`}`), http.StatusOK)
	require.Equal(t, board.Items, cohort.Items)
	require.Equal(t, radar.Compared, cohort.Compared)
	dates := get[api.DateCohort](t, b.call(t, b.alice, "POST "+path+"/document-types/dates", `{"filter":`+condition+`,"bucket":"year"}`), http.StatusOK)
	require.Equal(t, radar.Compared, dates.Compared)
	require.Equal(t, []int{2, 1}, []int{dates.Series[0].Count, dates.Series[1].Count})
	near := func(query string) []string {
		ids := []string{}
		for _, m := range get[api.List[api.Match]](t, b.call(t, b.alice, "GET "+path+"/matches?matches=20&"+query, ""), http.StatusOK).Items {
			for _, other := range m.Matches {
				ids = append(ids, other.FileID)
			}
		}
		slices.Sort(ids)
		return slices.Compact(ids)
	}
	require.Contains(t, near(""), files[3])
	require.Subset(t, []string{files[0], files[1]}, near(filter))
	require.NotEmpty(t, near(filter))

	for line, body := range map[string]string{
		"GET " + path + "/radar?filter=x": "", "GET " + path + "/scoreboard?filter=x": "", "GET " + path + "/matches?filter=x": "",
		"GET /api/files/scoreboard-files/count?filter=x": "", "GET /api/matters-files/filters?filter=x": "",
		"POST " + path + "/document-types/cohort": `{"filter":{"field":"colour"}}`, "POST " + path + "/document-types/dates": `{"filter":{"field":"colour"}}`,
	} {
		get[api.Error](t, b.call(t, b.alice, line, body), http.StatusUnprocessableEntity)
	}
}

func TestTypeScores(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, files := b.smallCorpus(t)
	path := "POST /api/files/" + files[0] + "/document-types/scores"
	get[api.Error](t, b.call(t, b.alice, path, ""), http.StatusConflict)
	agency, license := b.typeOf(t, b.alice, "agency"), b.typeOf(t, b.alice, "license")
	save := func(guess db.TypeGuess) {
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
			row, err := tx.File(t.Context(), b.alice.scope, files[0])
			require.NoError(t, err)
			guess.Generation, guess.ModelID = row.Generation, nlp.BaseTypeModelID()
			return tx.SaveAnalysis(t.Context(), b.alice.scope, files[0], db.Meaning{Analysis: db.Analysis{Generation: row.Generation, Version: "test"}, Type: &guess})
		}))
	}
	save(db.TypeGuess{Title: "AGENCY AGREEMENT", Scores: []db.TypeScore{{Type: "agency", Probability: 0.9}, {Type: "license", Probability: 0.1}}})
	s := get[api.TypeScores](t, b.call(t, b.alice, path, `{"explain":true}`), http.StatusOK)
	require.NotNil(t, s.AssignedID, "people gave it another type, and it stays")
	require.Equal(t, agency, *s.PredictedID)
	require.Equal(t, []string{agency, license}, []string{s.Items[0].DocumentTypeID, s.Items[1].DocumentTypeID})
	require.Contains(t, s.Items[0].Evidence[0].Token, "AGENCY")
	require.True(t, s.Items[0].Evidence[0].Title)
	require.False(t, s.Stale)
	for _, model := range []struct {
		data  []byte
		stale bool
	}{{[]byte("better"), true}, {nil, false}} {
		require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
			return tx.SaveTypeModel(t.Context(), b.alice.scope, db.TypeModel{ID: db.NewID(), Version: 1, BaseID: nlp.BaseTypeModelID(), Data: model.data})
		}))
		require.Equal(t, model.stale, get[api.TypeScores](t, b.call(t, b.alice, path, ""), http.StatusOK).Stale, "of another model")
	}

	only := get[api.TypeScores](t, b.call(t, b.alice, path, `{"documentTypeIds":["`+license+`"]}`), http.StatusOK)
	require.Len(t, only.Items, 1)
	require.Equal(t, 2, only.Items[0].Rank)
	require.Empty(t, only.Items[0].Evidence)

	get[api.DocumentType](t, b.call(t, b.alice, "PUT "+documentTypes, `{"id":"`+agency+`","hidden":true}`), http.StatusOK)
	gone := get[api.TypeScores](t, b.call(t, b.alice, path, ""), http.StatusOK)
	require.True(t, gone.Stale)
	require.Nil(t, gone.PredictedID)
	require.Len(t, gone.Items, 1)
}

func TestTypeReview(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, ids := b.contract(t, b.alice, said{"The cap is one dollar.", capped, 0.9, "predicted"}, said{"The cap is two dollars.", capped, 0.7, "predicted"}, said{"Some other thing.", "", 0.2, "predicted"}, said{"The law is that of Ohio.", law, 0.8, "predicted"})
	typeID := b.ofType(t, b.alice, f.ID)
	validate := func(id, body string) {
		require.Equal(t, http.StatusOK, b.call(t, b.alice, "PATCH /api/sentences/"+id+"/validate", body).Code)
	}
	validate(ids[0], "")
	validate(ids[1], `{"label":"`+insured+`"}`)
	validate(ids[2], `{"label":"`+capped+`"}`)
	path := "GET " + documentTypes + "/" + typeID + "/validation-analytics"
	r := get[api.TypeReview](t, b.call(t, b.alice, path, ""), http.StatusOK)
	require.Equal(t, api.ReviewTotals{Sentences: 4, Predicted: 1, None: 0, Validated: 3, Confirmed: 1, Corrected: 1, Added: 1}, r.Totals)
	require.Equal(t, []string{capped, law, insured}, []string{r.Labels[0].Label, r.Labels[1].Label, r.Labels[2].Label})
	require.InDelta(t, 0.5, *r.Labels[0].Precision, 1e-9)
	require.InDelta(t, 0.5, *r.Labels[0].RecallEstimate, 1e-9)
	require.Nil(t, r.Labels[1].Precision)
	require.InDelta(t, 0.8, *r.Labels[1].MeanScore, 1e-6)
	require.Len(t, r.Confusion, 2)
	require.Equal(t, b.alice.scope.ActorID, *r.Reviewers[0].UserID)
	require.Equal(t, 3, r.Reviewers[0].Decisions)
	require.Len(t, r.Trend, 1)
	require.Equal(t, time.Now().UTC().Weekday() == time.Monday, r.Trend[0].Week == time.Now().UTC().Format(time.DateOnly))
	empty := get[api.TypeReview](t, b.call(t, b.alice, "GET "+documentTypes+"/"+b.typeOf(t, b.alice, "agency")+"/validation-analytics", ""), http.StatusOK)
	require.Zero(t, empty.Totals)
	get[api.Error](t, b.call(t, b.mallory, path, ""), http.StatusNotFound)
}

func TestAnalysisKinds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, files := b.smallCorpus(t)
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		row, err := tx.File(t.Context(), b.alice.scope, files[0])
		require.NoError(t, err)
		_, err = tx.Raw.Exec(t.Context(), `UPDATE files SET status = 'completed' WHERE id = $1`, row.ID)
		require.NoError(t, err)
		_, err = tx.Raw.Exec(t.Context(), `UPDATE analyses SET version = $2 WHERE file_id = $1`, row.ID, nlp.Version)
		return err
	}))
	path := "POST /api/files/" + files[0] + "/analysis"
	some := get[api.FileAnalysis](t, b.call(t, b.alice, path, `{"kinds":["documentType","cohort","radar"]}`), http.StatusOK)
	require.Nil(t, some.DocumentType, "no model of types has read it")
	require.Nil(t, some.Attributes)
	require.Equal(t, get[api.Cohort](t, b.call(t, b.alice, "POST /api/files/"+files[0]+"/document-types/cohort", ""), http.StatusOK), *some.Cohort)
	require.Equal(t, get[api.Radar](t, b.call(t, b.alice, "GET /api/files/"+files[0]+"/radar", ""), http.StatusOK), *some.Radar)
	plain := get[api.FileAnalysis](t, b.call(t, b.alice, path, ""), http.StatusOK)
	require.Nil(t, plain.Radar)
	require.NotNil(t, plain.Sentences)
}

func TestLikeness(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.analyzedFile(t, b.alice, []string{capped}), b.analyzedFile(t, b.alice, []string{capped, law})
	third := b.analyzedFile(t, b.alice, nil)
	texts := map[string]string{first: "One two three four five.", second: "One two three four six.", third: "Nothing of the kind."}
	require.NoError(t, b.db.InTx(t.Context(), func(tx *db.Tx) error {
		for id, text := range texts {
			if err := tx.AddPages(t.Context(), b.alice.scope, id, 1, []db.Page{{Number: 1, Source: "text_layer", Text: text}}); err != nil {
				return err
			}
			if _, err := tx.Raw.Exec(t.Context(), `UPDATE files SET sha256 = sha256($1) WHERE id = $2`, []byte("%PDF-1.7 "+text), id); err != nil {
				return err
			}
		}
		row, err := tx.File(t.Context(), b.alice.scope, second)
		require.NoError(t, err)
		for id := range texts {
			if err := tx.SaveSketch(t.Context(), b.alice.scope, id, db.Sketch{Generation: row.Generation}); err != nil {
				return err
			}
		}
		return tx.SaveAnalysis(t.Context(), b.alice.scope, second, db.Meaning{
			Analysis: db.Analysis{Generation: row.Generation, Version: "test"},
			Compared: []db.Compared{
				{FileID: first, Generation: row.Generation, Kind: "version", Share: 0.875},
				{FileID: third, Generation: row.Generation, Kind: "duplicate", Share: 1},
				{FileID: db.NewID(), Generation: row.Generation, Kind: "duplicate", Share: 1},
			},
		})
	}))
	newer := get[api.File](t, b.call(t, b.alice, "GET /api/files/"+second, ""), http.StatusOK)
	require.Equal(t, api.LikeFile{FileID: first, Name: newer.VersionOf.Name, Kind: "version", Percent: 87.5}, *newer.VersionOf)
	require.Len(t, newer.Duplicates, 1, "one that went away meanwhile is left out")
	again := get[api.File](t, b.upload(t, b.alice, nil, [2]string{"again.pdf", "%PDF-1.7 " + texts[second]}), http.StatusAccepted)
	for id, of := range map[string]*api.LikeFile{first: nil, third: newer.VersionOf, again.ID: newer.VersionOf} {
		require.Equal(t, of, get[api.File](t, b.call(t, b.alice, "GET /api/files/"+id, ""), http.StatusOK).VersionOf)
	}

	path := "GET /api/files/" + first + "/likeness"
	require.Equal(t, second, get[api.LikeFiles](t, b.call(t, b.alice, path, ""), http.StatusOK).Items[0].FileID)
	same := get[api.ComparedFiles](t, b.call(t, b.alice, path+"/"+second, ""), http.StatusOK)
	require.Equal(t, []any{"version", 2}, []any{*same.Kind, same.Changed})
	require.InDelta(t, 80, same.Percent, 1e-9)
	require.Nil(t, get[api.ComparedFiles](t, b.call(t, b.alice, path+"/"+third, ""), http.StatusOK).Kind)
	get[api.Error](t, b.call(t, b.alice, path+"/"+b.file(t, b.mallory).ID, ""), http.StatusNotFound)
	get[api.Error](t, b.call(t, b.alice, path+"/"+b.file(t, b.alice).ID, ""), http.StatusConflict)
}
