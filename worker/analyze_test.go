package worker_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/search"
)

const lease = `LEASE AGREEMENT

This Lease Agreement is made by Ada Ltd. (the "Landlord") and Bob Ltd. (the "Tenant").

1. Rent

1.1 The Tenant shall pay the rent on the first day of each month.

(a) The rent is payable in advance.

(b) Section 1.1 does not stop the Landlord from waiving $100.

2. Governing Law

This Agreement is governed by the laws of the State of New York.
`

func TestSections(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	f := m.upload("lease.txt", []byte(lease))
	file := m.wait(f.ID)
	require.Equal(t, db.FileCompleted, file.Status, "%+v", file.Warnings)
	m.lawful(f.ID)

	sections, err := m.db.Sections(t.Context(), m.in, f.ID, db.SectionFilter{}, -1, 10_000)
	require.NoError(t, err)
	var paths, parents []string
	for _, s := range sections {
		paths = append(paths, s.Path)
		if s.Parent == nil {
			parents = append(parents, "")
		} else {
			parents = append(parents, sections[*s.Parent].Path)
		}
	}
	require.Equal(t, []string{"1", "1.1", "1.1(a)", "1.1(b)", "2"}, paths)
	require.Equal(t, []string{"", "1", "1.1", "1.1", ""}, parents)
	require.Equal(t, "Governing Law", sections[4].Title)

	analysis, err := m.db.Analysis(t.Context(), m.in, f.ID)
	require.NoError(t, err)
	require.Equal(t, file.Generation, analysis.Generation)
	require.Equal(t, nlp.Version, analysis.Version)
	require.InDelta(t, 6, *analysis.Counts.Readability, 3)
	analysis.Counts.Readability = nil
	require.Equal(t, db.Counts{Words: 67, Sentences: 8, Sections: 5, DefinedTerms: 2, CrossReferences: 1}, analysis.Counts)

	law, err := m.db.Attributes(t.Context(), m.in, f.ID, db.AttributePlace{Level: db.FileLevel, Key: "governing_law", After: -1, Limit: 9})
	require.NoError(t, err)
	require.Len(t, law, 1)
	require.JSONEq(t, `{"name":"New York","code":"US-NY"}`, string(law[0].Normalized))
	said := map[string][]string{}
	spans, err := m.db.Attributes(t.Context(), m.in, f.ID, db.AttributePlace{Level: db.SpanLevel, After: -1, Limit: 99})
	require.NoError(t, err)
	for _, a := range spans {
		said[a.Key] = append(said[a.Key], a.Value)
	}
	require.Equal(t, []string{"Landlord", "Tenant"}, said["defined_term"])
	require.Equal(t, []string{"Section 1.1"}, said["reference"])
	require.Equal(t, []string{"$100"}, said["money"])

	m.restart(f.ID, db.FileOptions{From: "segment"})
	m.wait(f.ID)
	again, err := m.db.Analysis(t.Context(), m.in, f.ID)
	require.NoError(t, err)
	require.Equal(t, file.Generation+1, again.Generation, "a new text is analysed anew")
	m.lawful(f.ID)
}

func TestAnalysisOfAnOlderTextIsRefused(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	f := m.wait(m.upload("lease.txt", []byte(lease)).ID)
	before, err := m.db.Sections(t.Context(), m.in, f.ID, db.SectionFilter{}, -1, 10_000)
	require.NoError(t, err)
	err = m.db.InTx(t.Context(), func(tx *db.Tx) error {
		return tx.SaveAnalysis(t.Context(), m.in, f.ID, db.Meaning{Analysis: db.Analysis{Generation: f.Generation - 1}})
	})
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	after, err := m.db.Sections(t.Context(), m.in, f.ID, db.SectionFilter{}, -1, 10_000)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// labels is what the sentences of a file are labelled, those that are.
func (m *mill) labels(id string) map[string]string {
	m.t.Helper()
	sentences, err := m.db.Sentences(m.t.Context(), m.in, id)
	require.NoError(m.t, err)
	given := map[string]string{}
	for _, s := range sentences {
		if s.Label != nil {
			given[s.Text] = *s.Label
		}
	}
	return given
}

// refuse makes the database refuse to write analyses, which is nobody's fault
// that could be told.
func (m *mill) refuse(broken bool) {
	m.t.Helper()
	sql := `DROP TRIGGER refuse ON analyses`
	if broken {
		sql = `
			CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
			CREATE TRIGGER refuse BEFORE INSERT ON analyses FOR EACH ROW EXECUTE FUNCTION refuse()`
	}
	_, err := m.db.Pool().Exec(m.t.Context(), sql)
	require.NoError(m.t, err)
}

func TestAnalysisThatFailsCostsTheAnalysis(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	m.refuse(true)
	f := m.upload("lease.txt", []byte(lease))
	file := m.wait(f.ID)
	require.Equal(t, db.FileWithWarnings, file.Status)
	require.True(t, file.TextReady)
	require.True(t, file.Searchable())
	require.Equal(t, db.AnalysisFailed, file.Warnings[0].Code)

	m.refuse(false)
	m.restart(f.ID, db.FileOptions{From: "classify"})
	again := m.wait(f.ID)
	require.Equal(t, db.FileCompleted, again.Status, "%+v", again.Warnings)
	require.Equal(t, file.Generation, again.Generation, "the text is the same")
	require.Equal(t, "governing_law", m.labels(f.ID)[law])
}

// TestWarningsOfEarlierStagesStay begins again at each stage of a file with a
// warning of each.
func TestWarningsOfEarlierStagesStay(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	f := m.wait(m.upload("lease.txt", []byte(lease)).ID)
	for _, test := range []struct {
		from string
		kept []string
	}{
		{"index", []string{db.EntryUnreadable, "low_ocr_confidence", db.LanguageUnlabelled}},
		{"classify", []string{db.EntryUnreadable, "low_ocr_confidence"}},
		{"segment", []string{db.EntryUnreadable}},
		{"extract", nil},
		{"", nil},
	} {
		require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error {
			for _, code := range []string{db.EntryUnreadable, "low_ocr_confidence", db.LanguageUnlabelled, db.IndexPending} {
				if err := tx.AddWarnings(t.Context(), m.in, f.ID, db.Warning{Code: code, Message: "as it was"}); err != nil {
					return err
				}
			}
			return nil
		}))
		m.restart(f.ID, db.FileOptions{From: test.from})
		var codes []string
		for _, w := range m.wait(f.ID).Warnings {
			codes = append(codes, w.Code)
		}
		require.Equal(t, test.kept, codes, test.from)
	}
}

const law = "This Agreement is governed by the laws of the State of New York."

func TestLabels(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	f := m.upload("lease.txt", []byte(lease))
	m.wait(f.ID)
	require.Equal(t, "governing_law", m.labels(f.ID)[law])
	sections, err := m.db.Sections(t.Context(), m.in, f.ID, db.SectionFilter{Label: "governing_law"}, -1, 9)
	require.NoError(t, err)
	require.Equal(t, "2", sections[0].Path)
	require.Equal(t, nlp.BaseModelID(), *sections[0].ModelID)

	sentences, err := m.db.Sentences(t.Context(), m.in, f.ID)
	require.NoError(t, err)
	decided := sentences[len(sentences)-1]
	for _, s := range sentences {
		require.Equal(t, "predicted", *s.Source, "whether or not it is a clause")
		require.Equal(t, nlp.BaseModelID(), *s.ModelID)
		require.False(t, s.Label != nil && s.Score == nil)
	}
	label := "insurance"
	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, wrong, err := tx.DecideSentences(t.Context(), m.in, []string{decided.ID}, db.Decision{Set: true, Labels: []string{label}})
		require.Empty(t, wrong)
		return err
	}))
	m.restart(f.ID, db.FileOptions{From: "segment"})
	m.wait(f.ID)
	require.Equal(t, label, m.labels(f.ID)[law], "people win")

	found, err := m.config.Search.Sentences(t.Context(), m.in, search.Query{Text: "laws of New York", Filter: db.SearchFilter{Labels: []string{label}}})
	require.NoError(t, err)
	require.Len(t, found.Hits, 1)
}

func TestOtherLanguagesAreSaidToBeUnlabelled(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	f := m.upload("miete.txt", []byte("MIETVERTRAG\n\n1. Miete\n\nDer Mieter zahlt die Miete am ersten Tag eines jeden Monats. Die Parteien haben diesen Vertrag "+
		"in deutscher Sprache geschlossen und vereinbaren, dass er dem Recht der Bundesrepublik Deutschland unterliegt.\n"))
	file := m.wait(f.ID)
	require.Equal(t, "de", file.Language)
	require.Equal(t, db.FileWithWarnings, file.Status)
	require.Equal(t, "language_unlabelled", file.Warnings[0].Code)
	require.Empty(t, m.labels(f.ID))
	sections, err := m.db.Sections(t.Context(), m.in, f.ID, db.SectionFilter{}, -1, 9)
	require.NoError(t, err)
	require.NotEmpty(t, sections, "structure knows no language")
}

// TestDeadlyAnalysisCostsNoText has a worker die while a file was read, which its
// analysis may have been the cause of: the text is stored before that is tried
// again.
func TestDeadlyAnalysisCostsNoText(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	died := m.upload("died.txt", []byte(lease))
	for _, sql := range []string{
		`UPDATE files SET kind = 'text' WHERE id = $1`,
		`UPDATE river_job SET kind = 'extract_text', attempt = 1, metadata = metadata || '{"rescued": 1}' WHERE args ->> 'file_id' = $1::text`,
	} {
		_, err := m.db.Pool().Exec(t.Context(), sql, died.ID)
		require.NoError(t, err)
	}
	m.start()
	require.Equal(t, db.FileCompleted, m.wait(died.ID).Status)
	require.NotEmpty(t, m.labels(died.ID))
	var alone int
	require.NoError(t, m.db.Pool().QueryRow(t.Context(),
		`SELECT count(*) FROM river_job WHERE kind = 'analyze_text' AND args ->> 'file_id' = $1`, died.ID).Scan(&alone))
	require.Equal(t, 1, alone)
}

// deaf is a search engine that does not answer.
type deaf struct{ search.Engine }

func (deaf) Immediate() bool { return false }

func (deaf) Index(context.Context, []db.FileRef) ([]db.Indexed, error) {
	return nil, fault.New(fault.Unavailable, "no answer")
}

func (deaf) Reconcile(context.Context, bool) (search.Drift, error) {
	return search.Drift{}, fault.New(fault.Unavailable, "no answer")
}

func TestAnalysisDoesNotWaitForADeadEngine(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.config.Search = deaf{m.config.Search}
	m.start()
	f := m.upload("lease.txt", []byte(lease))
	file := m.wait(f.ID)
	require.Equal(t, db.FileWithWarnings, file.Status)
	require.Equal(t, db.IndexPending, file.Warnings[0].Code)
	sections, err := m.db.Sections(t.Context(), m.in, f.ID, db.SectionFilter{}, -1, 10_000)
	require.NoError(t, err)
	require.Len(t, sections, 5)
}

// TestIndexIsMadeUpFor has the engine answer again: what was read meanwhile is
// found, and nothing is left that says otherwise.
func TestIndexIsMadeUpFor(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	healthy := m.config.Search
	m.config.Search = deaf{healthy}
	w := m.start()
	read, tried := m.upload("lease.txt", []byte(lease)), m.upload("note.txt", []byte("The Tenant shall pay the rent."))
	require.Equal(t, db.FileWithWarnings, m.wait(read.ID).Status)
	m.wait(tried.ID)
	m.restart(tried.ID, db.FileOptions{From: string(db.StageIndex)})
	require.Equal(t, db.FileFailed, m.wait(tried.ID).Status)
	require.NoError(t, w.Stop(t.Context()))

	drift, err := healthy.Reconcile(t.Context(), false)
	require.NoError(t, err)
	require.Equal(t, 2, drift.Indexed)
	for _, id := range []string{read.ID, tried.ID} {
		file := m.file(id)
		require.Equal(t, db.FileCompleted, file.Status, file.Name)
		require.True(t, file.Searchable())
		require.Empty(t, file.Warnings)
		require.Nil(t, file.ErrorCode)
	}
}

// slow is a search engine that answers when it is told to.
type slow struct {
	search.Engine
	answer chan struct{}
}

func (slow) Immediate() bool { return false }

func (s slow) Index(ctx context.Context, files []db.FileRef) ([]db.Indexed, error) {
	select {
	case <-s.answer:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return s.Engine.Index(ctx, files)
}

func TestAttemptEndsWithItsIndex(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	engine := slow{m.config.Search, make(chan struct{})}
	m.config.Search = engine
	m.start()
	f := m.upload("lease.txt", []byte(lease))
	require.Eventually(t, func() bool {
		file, err := m.db.File(t.Context(), m.in, f.ID)
		return err == nil && file.Stage == db.StageIndex && file.Status == db.FileProcessing
	}, time.Minute, 10*time.Millisecond, "the analysis does not wait for the engine")
	close(engine.answer)
	require.Equal(t, db.FileCompleted, m.wait(f.ID).Status)
}

// TestTypes follows the type of a file: predicted from what it says, replaced by
// what people say, and not taken back by the next analysis.
func TestTypes(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	types, err := m.db.TypeKeys(t.Context(), m.in)
	require.NoError(t, err)
	ids := map[string]string{}
	for _, row := range types {
		ids[row.ModelKey()] = row.ID
	}
	f := m.wait(m.upload("a.txt", []byte("FRANCHISE AGREEMENT\n\nThe Franchisor grants to the Franchisee the right to run a restaurant under the Marks and the System.\n")).ID)
	require.Equal(t, ids["franchise"], *f.DocumentTypeID)
	require.Equal(t, "predicted", *f.DocumentTypeSource)
	guess, err := m.db.TypeGuess(t.Context(), m.in, f.ID)
	require.NoError(t, err)
	require.Equal(t, "FRANCHISE AGREEMENT", guess.Title)
	require.Equal(t, "franchise", guess.Scores[0].Type)
	require.InDelta(t, guess.Scores[0].Probability, *f.DocumentTypeScore, 1e-6)

	unlike := m.wait(m.upload("b.txt", []byte("Dear Anna,\n\nwe had a lovely time at the lake, and the children swam all day.\n")).ID)
	require.Nil(t, unlike.DocumentTypeID, "the model abstains")

	agency := ids["agency"]
	require.NoError(t, m.db.InTx(t.Context(), func(tx *db.Tx) error {
		_, err := tx.UpdateFile(t.Context(), m.in, f.ID, db.FileUpdate{DocumentTypeID: &agency})
		return err
	}))
	m.restart(f.ID, db.FileOptions{From: "segment"})
	f = m.wait(f.ID)
	require.Equal(t, agency, *f.DocumentTypeID, "people's word wins")
	require.Equal(t, "assigned", *f.DocumentTypeSource)
	require.Nil(t, f.DocumentTypeScore)
}

// TestPartiesOfAFile reads the parties of a contract, one of which is the
// organization that has it, until a person knows better.
func TestPartiesOfAFile(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	ctx := t.Context()
	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
		team, err := tx.EnsureOrganization(ctx, "Ada")
		m.in.TeamID = team.ID
		return err
	}))
	m.start()
	f := m.wait(m.upload("lease.txt", []byte(lease)).ID)
	require.Equal(t, []db.Party{{Name: "Ada Ltd.", Role: "Landlord"}, {Name: "Bob Ltd.", Role: "Tenant"}}, f.Parties)
	require.Equal(t, []string{"Bob Ltd."}, f.Counterparties)
	require.Equal(t, "read", *f.PartiesSource)

	given := []db.Party{{Name: "Carol plc"}}
	require.NoError(t, m.db.InTx(ctx, func(tx *db.Tx) error {
		_, err := tx.UpdateFile(ctx, m.in, f.ID, db.FileUpdate{Parties: &given})
		return err
	}))
	m.restart(f.ID, db.FileOptions{From: "segment"})
	again := m.wait(f.ID)
	require.Equal(t, given, again.Parties)
	require.Equal(t, "given", *again.PartiesSource)
}

// TestTextWithoutWords analyses a page on which nothing is written.
func TestTextWithoutWords(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	file := m.wait(m.upload("rule.txt", []byte("* * * * *\n\n- - - - -\n")).ID)
	require.NotEqual(t, db.FileFailed, file.Status)
	for _, w := range file.Warnings {
		require.NotEqual(t, db.AnalysisFailed, w.Code)
	}
	_, err := m.db.Analysis(t.Context(), m.in, file.ID)
	require.NoError(t, err)
}

// TestContentsAreText reads a page that has nothing but a table of contents,
// which is kept out of the sentences.
func TestContentsAreText(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	var page strings.Builder
	page.WriteString("TABLE OF CONTENTS\n\n")
	for i := range 12 {
		fmt.Fprintf(&page, "Section %d. Supply of Products .......... %d\n", i+1, i+3)
	}
	file := m.wait(m.upload("contents.txt", []byte(page.String())).ID)
	require.Equal(t, db.FileCompleted, file.Status, "%+v", file.Warnings)
	sentences, err := m.db.Sentences(t.Context(), m.in, file.ID)
	require.NoError(t, err)
	require.Empty(t, sentences)

	blank := m.wait(m.upload("blank.txt", []byte("\n\n \n")).ID)
	require.Equal(t, "no_text", blank.Warnings[0].Code)
	require.Nil(t, blank.DocumentTypeID, "a text without words is of no type")
}

// TestConcludedFacts shows what follows from words, and keeps the words: contracts are
// grouped by it.
func TestConcludedFacts(t *testing.T) {
	t.Parallel()
	m := newMill(t)
	m.start()
	f := m.wait(m.upload("lease.txt", []byte(strings.Replace(lease, "(a) The rent", "This Lease Agreement shall automatically renew for successive one year terms. The fee is US$5,000. The rent", 1))).ID)
	rows, err := m.db.Attributes(t.Context(), m.in, f.ID, db.AttributePlace{Level: db.FileLevel, After: -1, Limit: 99})
	require.NoError(t, err)
	shown := map[string]string{}
	for _, a := range rows {
		shown[a.Key] = a.Value + " | " + a.Spans[0].Quote
	}
	require.Equal(t, "USD | US$5,000", shown["currency"])
	require.Equal(t, "automatic | automatically renew", shown["renewal_type"])
}
