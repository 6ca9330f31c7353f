package worker_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
)

// labelled is a file of a type whose sentences are labelled with nodes, in their
// order, and which was made in a year.
func (m *mill) labelled(typeID, year string, nodes ...string) string {
	m.t.Helper()
	ctx, f := m.t.Context(), db.NewFile{ID: db.NewID(), Name: "labelled.txt", Size: 1, Source: "upload"}
	f.SHA256 = []byte(f.ID)
	require.NoError(m.t, m.db.InTx(ctx, func(tx *db.Tx) error {
		_, err := tx.CreateFile(ctx, m.in, f)
		require.NoError(m.t, err)
		var sentences []db.Sentence
		var predictions []db.Prediction
		for i, node := range nodes {
			text := fmt.Sprintf("The %s shall hold.", node)
			sentences = append(sentences, db.Sentence{ID: db.NewID(), Ordinal: i, Page: 1, Start: 100 * i, End: 100*i + len(text), Text: text})
			score := float32(0.9)
			predictions = append(predictions, db.Prediction{SentenceID: sentences[i].ID, Predicted: db.Predicted{Label: &nodes[i], Score: &score}})
		}
		tokens := []db.Token{{Token: "hold", Stem: "hold", Count: len(nodes)}}
		row, err := tx.SaveText(ctx, m.in, f.ID, db.Text{Sentences: sentences, Tokens: tokens})
		require.NoError(m.t, err)
		_, err = tx.UpdateFile(ctx, m.in, f.ID, db.FileUpdate{DocumentTypeID: &typeID})
		require.NoError(m.t, err)
		model := db.NewID()
		date := db.Attribute{ID: db.NewID(), Level: db.FileLevel, Key: "agreement_date", Value: year, Normalized: []byte(`{"date":"` + year + `-03-01"}`), Confidence: 1, Source: "rule"}
		return tx.SaveAnalysis(ctx, m.in, f.ID, db.Meaning{
			Analysis: db.Analysis{Generation: row.Generation, Version: "test", ModelID: &model}, Labels: predictions, Attributes: []db.Attribute{date},
		})
	}))
	return f.ID
}

// analyzed has the corpus of a type analysed, and returns what it came to.
func (m *mill) analyzed(typeID string) db.TypeAnalysis {
	m.t.Helper()
	ctx := m.t.Context()
	var op db.Operation
	require.NoError(m.t, m.db.InTx(ctx, func(tx *db.Tx) (err error) {
		if op, err = tx.CreateOperation(ctx, m.in, "analyze", 1, nil); err != nil {
			return err
		}
		return jobs.Insert(ctx, m.client, tx.Raw, jobs.AnalyzeCorpus{OperationID: op.ID, TeamID: m.in.TeamID, DocumentTypeID: typeID})
	}))
	require.Eventually(m.t, func() bool {
		now, err := m.db.Operation(ctx, m.in, op.ID)
		return err == nil && now.State == "completed" && now.Done == 1
	}, time.Minute, 20*time.Millisecond)
	analysis, err := m.db.TypeAnalysis(ctx, m.in, typeID, 0)
	require.NoError(m.t, err)
	return analysis
}

// TestCorpus recomputes by hand what four files come to.
func TestCorpus(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	ctx := t.Context()
	var typeID, otherID string
	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
		mine, err := tx.CreateDocumentType(ctx, m.in, "Mine", "")
		require.NoError(t, err)
		other, err := tx.CreateDocumentType(ctx, m.in, "Other", "")
		typeID, otherID = mine.ID, other.ID
		return err
	}))
	m.labelled(typeID, "2020", "parties", "cap", "law")
	m.labelled(typeID, "2020", "parties", "law", "law")
	odd := m.labelled(typeID, "2021", "parties", "law", "escrow")
	m.labelled(typeID, "2021", "parties")
	m.labelled(otherID, "2021", "parties", "cap")
	require.NoError(t, m.db.FoldVocabulary(ctx, m.in.TeamID))
	m.start()

	a := m.analyzed(typeID)
	require.Equal(t, 4, a.Files)
	require.Nil(t, a.Result.Copies, "there are none")
	nodes := map[string]db.CorpusNode{}
	for _, n := range a.Result.Nodes {
		nodes[n.Label] = n
	}
	require.Len(t, nodes, 4)
	require.Equal(t, "parties", a.Result.Nodes[0].Label, "the most frequent first")
	for label, want := range map[string]struct {
		files, sentences int
		place            float64
	}{"parties": {4, 4, 1.0 / 6}, "law": {3, 4, 0.5}, "cap": {1, 1, 0.5}, "escrow": {1, 1, 2.5 / 3}} {
		n := nodes[label]
		require.Equal(t, []int{want.files, want.sentences}, []int{n.Files, n.Sentences}, label)
		require.InDelta(t, float64(want.files)/4, n.Frequency, 1e-9)
		require.InDelta(t, math.Log2(4/float64(want.files)), n.Rarity, 1e-9)
		require.InDelta(t, want.place, n.Place, 1e-6, label)
		require.Equal(t, fmt.Sprintf("The %s shall hold.", label), n.Wording.Text)
		require.InDelta(t, 0, n.Wording.Spread, 1e-6, "all have the same words")
		require.Equal(t, want.files, n.Wording.Sentences)
	}

	edges := map[string]db.CorpusEdge{}
	for _, e := range a.Result.Edges {
		edges[e.Kind+" "+e.From+" "+e.To] = e
	}
	require.InDelta(t, 2.0/4, edges["follows parties law"].Weight, 1e-9)
	require.InDelta(t, 1.0/4, edges["follows parties cap"].Weight, 1e-9)
	require.InDelta(t, 1, edges["follows cap law"].Weight, 1e-9)
	require.InDelta(t, 1.0/3, edges["follows law escrow"].Weight, 1e-9)
	require.NotContains(t, edges, "follows law cap")
	together := edges["cooccurs cap law"]
	require.InDelta(t, 1.0/3, together.Weight, 1e-9)
	require.InDelta(t, 4.0/3, *together.Lift, 1e-9)
	require.Equal(t, 1, together.Files)
	require.InDelta(t, 1, edges["parent family:General parties"].Weight, 1e-9, "the only one of its family")
	require.Equal(t, []db.CorpusYear{
		{Year: "2020", Files: 2, Nodes: map[string]int{"parties": 2, "law": 2, "cap": 1}},
		{Year: "2021", Files: 2, Nodes: map[string]int{"parties": 2, "law": 1, "escrow": 1}},
	}, a.Result.OverTime)
	require.Equal(t, 4, a.Result.TermFiles)
	require.Equal(t, []int{4, 10}, []int{a.Result.Terms[0].Files, a.Result.Terms[0].Count})
	require.InDelta(t, math.Log(1+5.0/5), a.Result.Terms[0].Weight, 1e-9, "all files of the team have it")
	require.Equal(t, "agreement_date", a.Result.Attributes[0].Key)
	require.Equal(t, 4, a.Result.Attributes[0].Files)
	require.Equal(t, []db.ValueCount{{Value: "2020", Files: 2}, {Value: "2021", Files: 2}}, a.Result.Attributes[0].Values)
	require.InDelta(t, (0+math.Log2(4.0/3)+2)/3, a.Result.Unusual[0].Rarity, 1e-9)
	require.Equal(t, []string{"cap", "escrow"}, []string{a.Result.Unusual[0].Nodes[0], nodesOf(a.Result.Unusual, odd)[0]})

	listed := func() db.ListedType {
		row, err := m.db.DocumentType(ctx, m.in, typeID)
		require.NoError(t, err)
		return row
	}
	require.False(t, listed().Stale)
	late := m.labelled(typeID, "2022", "parties", "cap")
	require.True(t, listed().Stale, "one more file")
	again := m.analyzed(typeID)
	require.Equal(t, 5, again.Files)
	require.Greater(t, again.Version, a.Version)
	require.False(t, listed().Stale)
	first, err := m.db.TypeAnalysis(ctx, m.in, typeID, a.Version)
	require.NoError(t, err)
	require.Equal(t, a, first, "the earlier version stays")
	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
		_, err := tx.DeleteFile(ctx, m.in, late)
		return err
	}))
	require.True(t, listed().Stale, "one file less")
	require.Equal(t, a.Result.Nodes, m.analyzed(typeID).Result.Nodes, "and all is as before")
}

// TestCorpusCountsContractsOnce keeps both: an analysis in which a contract counts once,
// and one with its versions.
func TestCorpusCountsContractsOnce(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	ctx := t.Context()
	var typeID string
	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
		mine, err := tx.CreateDocumentType(ctx, m.in, "Mine", "")
		typeID = mine.ID
		return err
	}))
	first, version := m.labelled(typeID, "2020", "parties", "cap"), m.labelled(typeID, "2021", "parties", "cap")
	m.labelled(typeID, "2021", "parties")
	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
		_, err := tx.Raw.Exec(ctx, `INSERT INTO file_likeness (file_id, other_id, team_id, kind, share) VALUES ($1, $2, $3, 'version', 0.9)`, version, first, m.in.TeamID)
		return err
	}))
	m.start()
	a := m.analyzed(typeID)
	all := a.Counting(true)
	require.Equal(t, []int{2, 3}, []int{a.Files, all.Files})
	for files, r := range map[int]db.CorpusResult{2: a.Counting(false).Result, 3: all.Result} {
		require.Equal(t, []int{files, files - 1}, []int{r.Nodes[0].Files, r.Nodes[1].Files})
		require.Equal(t, files, r.TermFiles)
		require.Equal(t, files, r.Attributes[0].Files)
		require.Contains(t, r.Edges, db.CorpusEdge{From: "parties", To: "cap", Kind: "follows", Weight: float64(files-1) / float64(files), Files: files - 1})
	}
}

func nodesOf(list []db.UnusualFile, id string) []string {
	for _, u := range list {
		if u.FileID == id {
			return u.Nodes
		}
	}
	return nil
}

// TestCorporaAreAnalyzedUnasked follows a corpus from its first file to its last.
func TestCorporaAreAnalyzedUnasked(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	ctx := t.Context()
	var typeID string
	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
		mine, err := tx.CreateDocumentType(ctx, m.in, "Mine", "")
		typeID = mine.ID
		return err
	}))
	due := func(patience time.Duration) []int {
		t.Helper()
		list, err := m.db.DueAnalyses(ctx, patience)
		require.NoError(t, err)
		versions := []int{}
		for _, d := range list {
			require.Equal(t, []string{m.in.TeamID, typeID}, []string{d.TeamID, d.DocumentTypeID})
			versions = append(versions, d.Version)
		}
		return versions
	}
	require.Empty(t, due(time.Hour), "no type has files")
	m.labelled(typeID, "2020", "parties", "cap")
	require.Empty(t, due(time.Hour), "it may go on changing")
	require.Equal(t, []int{1}, due(time.Hour), "it has settled")
	files := []string{m.labelled(typeID, "2020", "law")}
	require.Empty(t, due(time.Hour), "it has changed again")
	files = append(files, m.labelled(typeID, "2021", "law"))
	require.Equal(t, []int{1}, due(0), "it never settles")

	m.start()
	insert := func(args jobs.Args) {
		require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error { return jobs.Insert(ctx, m.client, tx.Raw, args) }))
	}
	analyzed := func(version, files int) db.TypeAnalysis {
		t.Helper()
		var a db.TypeAnalysis
		require.Eventually(t, func() bool {
			insert(jobs.PlanAnalyses{})
			var err error
			a, err = m.db.TypeAnalysis(ctx, m.in, typeID, 0)
			return err == nil && a.Version == version
		}, time.Minute, 50*time.Millisecond)
		require.Equal(t, files, a.Files)
		require.Empty(t, due(0))
		return a
	}
	first := analyzed(1, 3)
	insert(jobs.AnalyzeCorpus{TeamID: m.in.TeamID, DocumentTypeID: typeID, Version: 7})
	require.Eventually(t, func() bool {
		var ended, elsewhere int
		require.NoError(t, m.db.Pool().QueryRow(ctx, `
			SELECT count(*) FILTER (WHERE state = 'completed'), count(*) FILTER (WHERE queue <> 'text')
			FROM river_job WHERE kind = 'analyze_corpus'`).Scan(&ended, &elsewhere))
		require.Zero(t, elsewhere, "what nobody waits for takes turns")
		return ended == 2
	}, time.Minute, 20*time.Millisecond)
	same, err := m.db.TypeAnalysis(ctx, m.in, typeID, 0)
	require.NoError(t, err)
	require.Equal(t, first, same, "there was nothing new, however often it was planned")

	label := "escrow"
	sentences, err := m.db.Sentences(ctx, m.in, files[0])
	require.NoError(t, err)
	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
		_, _, err := tx.DecideSentences(ctx, m.in, []string{sentences[0].ID}, db.Decision{Set: true, Labels: []string{label}})
		return err
	}))
	analyzed(2, 3)
	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
		for _, id := range files {
			if _, err := tx.DeleteFile(ctx, m.in, id); err != nil {
				return err
			}
		}
		return nil
	}))
	require.Equal(t, "cap", analyzed(3, 1).Result.Nodes[0].Label)
}
