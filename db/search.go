package db

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// SearchFilter narrows a search; the zero filter is all that the team has.
// Within a field any of the values will do, and every field must be satisfied.
type SearchFilter struct {
	FileIDs         []string
	Statuses        []string
	DocumentTypeIDs []string
	MatterIDs       []string
	LifecycleStages []string
	Languages       []string     // ISO 639-1
	Labels          []string     // of sentences
	CreatedFrom     time.Time    // of files, inclusive
	CreatedTo       time.Time    // exclusive
	Where           query.Filter // of query.Sentences, and checked
}

// Tree is f as one condition.
func (f SearchFilter) Tree() query.Filter {
	return query.And(
		among(query.File, f.FileIDs), among(query.Status, f.Statuses), among(query.DocumentType, f.DocumentTypeIDs),
		among(query.Matter, f.MatterIDs), among(query.LifecycleStage, f.LifecycleStages), among(query.Language, f.Languages),
		among(query.Label, f.Labels),
		when(query.CreatedAt, query.AtLeast, f.CreatedFrom), when(query.CreatedAt, query.Below, f.CreatedTo), f.Where)
}

// Split parts f's tree into what files are asked and what sentences are.
func (f SearchFilter) Split() (files, sentences query.Filter) {
	var ofFiles, ofSentences []query.Filter
	for _, part := range f.Tree().Parts() {
		if part.UsesOf(query.Sentences) {
			ofSentences = append(ofSentences, part)
		} else {
			ofFiles = append(ofFiles, part)
		}
	}
	return query.And(ofFiles...), query.And(ofSentences...)
}

// OnSentences reports whether the filter narrows the sentences, and not only the
// files.
func (f SearchFilter) OnSentences() bool {
	_, sentences := f.Split()
	return !sentences.IsZero()
}

// OnFiles reports whether the filter narrows the files, and not only the
// sentences.
func (f SearchFilter) OnFiles() bool {
	files, _ := f.Split()
	return !files.IsZero()
}

// conditions renders what follows a condition on files f, and one on sentences
// s. It adds their values to a, which has the team.
func (f SearchFilter) conditions(a args) (onFiles, onSentences string, err error) {
	files, sentences := f.Split()
	if onFiles, err = conditions(files, a, query.Files); err != nil {
		return "", "", err
	}
	onSentences, err = conditions(sentences, a, query.Sentences)
	return also(onFiles), also(onSentences), err
}

// WordStatistics has the frequencies of words, as of the last ANALYZE. They are of
// the whole installation, and serve only to choose a plan.
type WordStatistics struct {
	Sentences   float64            // in all, about
	PerFile     float64            // sentences in a file, about
	Frequencies map[string]float64 // share of sentences that hold a common lexeme; rare ones are absent
	Least       float64            // the lowest of them; 0 where there are none
}

// TeamLexeme is the lexeme that every sentence and file name of a team has.
func TeamLexeme(teamID string) string { return "team=" + teamID }

// WordStatistics reads what Postgres knows about the words of sentences. Without
// statistics everything counts as rare.
func (q Queries) WordStatistics(ctx context.Context) (WordStatistics, error) {
	type row struct {
		Sentences   float64   `db:"sentences"`
		Files       float64   `db:"files"`
		Lexemes     []string  `db:"lexemes"`
		Frequencies []float64 `db:"frequencies"`
	}
	r, err := one[row](ctx, q, `
		SELECT
			(SELECT reltuples::float8 FROM pg_class WHERE oid = 'sentences'::regclass) AS sentences,
			(SELECT reltuples::float8 FROM pg_class WHERE oid = 'files'::regclass) AS files,
			coalesce(s.lexemes, '{}') AS lexemes, coalesce(s.frequencies, '{}') AS frequencies
		FROM (SELECT) always LEFT JOIN (
			SELECT most_common_elems::text::text[] AS lexemes, most_common_elem_freqs::float8[] AS frequencies
			FROM pg_stats WHERE schemaname = current_schema() AND tablename = 'sentences' AND attname = 'vector'
		) s ON true`, nil)
	if err != nil {
		return WordStatistics{}, err
	}
	known := WordStatistics{Sentences: max(r.Sentences, 0), PerFile: 100, Frequencies: make(map[string]float64, len(r.Lexemes))}
	if r.Files > 0 && r.Sentences > 0 {
		known.PerFile = max(1, r.Sentences/r.Files)
	}
	for i, lexeme := range r.Lexemes {
		known.Frequencies[lexeme] = r.Frequencies[i]
	}
	if n := len(r.Lexemes); n < len(r.Frequencies) { // followed by the lowest and the highest
		known.Least = r.Frequencies[n]
	}
	return known, nil
}

// stemmed are the languages that texts are stemmed by, beside English: those of the
// function stemming.
var stemmed = []string{"de", "es", "fr", "it", "nl"}

// WordForm is how the index knows a word.
type WordForm struct {
	Queries []string `db:"queries"`  // tsqueries, usually of one quoted lexeme: one for each way to stem it
	Files   int      `db:"files"`    // of the team, that use the word in this form
	AnyForm int      `db:"any_form"` // of the team, that use it in any form
	Stop    bool     `db:"stop"`     // a word of the grammar of one of the languages
}

// formsOf are the tsqueries for word in languages.
func formsOf(word, languages string) string {
	return `ARRAY(
		SELECT DISTINCT q::text FROM unnest(` + languages + `) l, phraseto_tsquery(stemming(l), ` + word + `) q WHERE numnode(q) > 0 ORDER BY 1
	)`
}

// filesOf is how many files of the team use word, which is looked up by itself: a plan for
// any team would take it for small, and read all of its words.
func filesOf(word string) string {
	return `coalesce((SELECT v.files FROM vocabulary v WHERE v.team_id = @team AND v.word = ` + word + `), 0)`
}

// WordForms looks words up, which have no accents, in their order. Typed are the
// same words with theirs. Languages are those that the team's texts are stemmed by,
// English first: names of files are English, and whatever is in no language of these.
func (q Queries) WordForms(ctx context.Context, in Scope, words, typed []string) (languages []string, forms []WordForm, err error) {
	type row struct {
		WordForm
		Languages []string `db:"languages"`
	}
	rows, err := many[row](ctx, q.prepared(), `
		WITH spoken AS MATERIALIZED (
			SELECT '{en}' || ARRAY(
				SELECT l FROM unnest(`+opaque("stemmed", "text[]")+`) l
				WHERE EXISTS (SELECT FROM files WHERE team_id = @team AND language = l AND language IN ('de', 'es', 'fr', 'it', 'nl')) ORDER BY l
			) AS languages
		)
		SELECT languages, queries, `+filesOf("w.word")+` AS files, (
				SELECT coalesce(sum(s.files), 0) FROM unnest(queries) q CROSS JOIN LATERAL (
					SELECT files FROM stems WHERE team_id = @team AND stem = trim(q, '''') LIMIT 1
				) s
			) AS any_form,
			EXISTS (SELECT FROM unnest(languages) l WHERE grammatical(l, w.word) OR grammatical(l, w.typed)) AS stop
		FROM spoken, unnest(`+opaque("words", "text[]")+`, `+opaque("typed", "text[]")+`) WITH ORDINALITY w (word, typed, at)
			CROSS JOIN LATERAL (SELECT `+formsOf("w.word", "languages")+` AS queries OFFSET 0) forms
		ORDER BY w.at`, args{"team": in.TeamID, "stemmed": stemmed, "words": words, "typed": typed})
	for _, r := range rows {
		languages, forms = r.Languages, append(forms, r.WordForm)
	}
	return languages, forms, err
}

// Spelling is a stop word, or a word of the team's vocabulary, that resembles
// Word.
type Spelling struct {
	Word    string   `db:"word"`
	Like    string   `db:"alike"`   // the word that it resembles
	Queries []string `db:"queries"` // how the index knows that
	Files   int      `db:"files"`   // of the team, that use it
	Stop    bool     `db:"stop"`
}

// Spellings lists stop words among the given neighbours of a word, and words of
// the team's vocabulary that are among them or have trigrams in common with it.
// Neighbours are parallel to words.
func (q Queries) Spellings(ctx context.Context, in Scope, languages, words []string, neighbours [][]string) ([]Spelling, error) {
	// An array of arrays must be rectangular in Postgres, so each word's
	// neighbours travel as one string.
	joined := make([]string, len(neighbours))
	for i, list := range neighbours {
		joined[i] = strings.Join(list, " ")
	}
	return many[Spelling](ctx, q.prepared(), `
		SELECT w.word, c.alike, `+formsOf("c.alike", opaque("languages", "text[]"))+` AS queries, max(c.files) AS files, bool_or(c.stop) AS stop
		FROM unnest(`+opaque("words", "text[]")+`, `+opaque("neighbours", "text[]")+`) w (word, neighbours)
		CROSS JOIN LATERAL (
			SELECT n AS alike, `+filesOf("n")+` AS files, EXISTS (SELECT FROM unnest(`+opaque("languages", "text[]")+`) l WHERE grammatical(l, n)) AS stop
			FROM unnest(string_to_array(w.neighbours, ' ')) n
			UNION ALL
			SELECT near.word, `+filesOf("near.word")+`, false
			FROM (
				SELECT word FROM words
				WHERE words.word % w.word AND length(words.word) BETWEEN length(w.word) - 2 AND length(w.word) + 2 OFFSET 0
			) near
			WHERE length(w.word) >= 8
		) c WHERE c.files > 0 OR c.stop GROUP BY w.word, c.alike`, args{"team": in.TeamID, "languages": languages, "words": words, "neighbours": joined})
}

// WordsWithPrefix lists the commonest words of the team's vocabulary that begin
// with prefix.
func (q Queries) WordsWithPrefix(ctx context.Context, in Scope, languages []string, prefix string, limit int) ([]WordForm, error) {
	return many[WordForm](ctx, q, `
		SELECT `+formsOf("v.word", "@languages::text[]")+` AS queries, files, files AS any_form, false AS stop FROM vocabulary v
		WHERE team_id = @team AND word >= @prefix AND word < @prefix || U&'\+10FFFF' AND files > 0
		ORDER BY files DESC, word LIMIT @limit`, args{"team": in.TeamID, "languages": languages, "prefix": prefix, "limit": limit})
}

// newestFiles is how many of a team's newest files each RecentFiles covers. The index is read
// for all sentences of these that match, so the steps are small.
var newestFiles = []int{100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600}

// RecentFiles are the newest files of a team, as far back as From.
type RecentFiles struct {
	Files int
	From  string // the id of the oldest of them
	To    string // the id of the newest
	Since time.Time
}

// RecentFiles lists ever larger parts of what a team has, newest first. What
// comes in later counts as recent as well.
func (q Queries) RecentFiles(ctx context.Context, in Scope) ([]RecentFiles, error) {
	type row struct {
		Files int    `db:"files"`
		From  string `db:"from"`
		To    string `db:"to"`
	}
	rows, err := many[row](ctx, q, `
		SELECT n AS files, oldest.id AS from, (SELECT id FROM files WHERE team_id = @team ORDER BY id DESC LIMIT 1) AS to
		FROM unnest(@sizes::int[]) n CROSS JOIN LATERAL (
			SELECT id FROM files WHERE team_id = @team ORDER BY id DESC OFFSET n - 1 LIMIT 1
		) oldest ORDER BY n`, args{"team": in.TeamID, "sizes": newestFiles})
	list := make([]RecentFiles, len(rows))
	for i, r := range rows {
		list[i] = RecentFiles{Files: r.Files, From: r.From, To: r.To, Since: time.Now()}
	}
	return list, err
}

// lexemes cover the time of the files: with the finest lexemes of which not too
// many are needed. There are none where it is too long.
func (r RecentFiles) lexemes() []string {
	if r.From == "" {
		return nil
	}
	now, since := milliseconds(time.Now()), milliseconds(r.Since)
	for digits := 8; digits >= 4; digits-- {
		const most = 12
		shift := uint(4 * (12 - digits))
		from, to := idTime(r.From)>>shift, idTime(r.To)>>shift
		if from > to || to-from >= most || now>>shift-since>>shift >= most {
			continue
		}
		var list []string
		for t := from; t <= to; t++ {
			list = append(list, fmt.Sprintf("'at=%0*x'", digits, t))
		}
		for t := max(to+1, since>>shift); t <= now>>shift; t++ {
			list = append(list, fmt.Sprintf("'at=%0*x'", digits, t))
		}
		return list
	}
	return nil
}

func milliseconds(t time.Time) uint64 { return uint64(t.UnixMilli()) }

// idTime is when an id was made, in milliseconds: its first twelve digits.
func idTime(id string) uint64 {
	t, err := strconv.ParseUint(strings.ReplaceAll(id, "-", "")[:12], 16, 64)
	if err != nil {
		panic("not an id: " + id) // it came from a uuid column
	}
	return t
}

// SearchPlan is one way to look for sentences. The ways differ in cost, and in
// which sentences are considered where more match than that.
type SearchPlan struct {
	Words   string // a tsquery of lexemes; "" is any sentence, newest file first
	Asked   string // the part of Words that the index is asked for, and each sentence for the rest; "" for all of it
	Rank    string // the tsquery that sentences are ranked by: Words, or something simpler
	Exact   string // the tsquery that a sentence comes first for; "" for none
	Literal string // the regular expression that comes before all of those, in any case and of texts without accents; "" for none
	Filter  SearchFilter
	Newest  int         // read this many of the newest files, and not the index
	Whole   bool        // the team is most of the installation, so the index is not asked for it
	Recent  RecentFiles // look into these files only; the zero value is all of them
	Most    int         // sentences to consider
	Block   int         // of these many the best come first, then of the next; it keeps pages apart
	Raw     int         // sentences of the index to read for that: Most, or more where some fall to a filter on files
	Crowd   int         // where not set to 0: consider this many if Raw are there, and else Most in one block

	ByFile bool   // group by file, and take files by name along
	Names  string // the tsquery for names; without any words the newest files are listed
	Few    int    // where the ranked sentences are in fewer files than this, more sentences are read for the files that they are in
	Spread int    // so many are read then, the ranked ones included
	Best   int    // sentences shown of a file
	Top    int    // sentences returned beside the files, the best of all
	Facets []string
	Limit  int
	Offset int
}

// FoundSentence is a sentence that matched.
type FoundSentence struct {
	ID       string  `json:"id" db:"id"`
	FileID   string  `json:"file_id" db:"file_id"`
	FileName string  `json:"file_name" db:"file_name"`
	Page     int     `json:"page" db:"page"`
	Start    int     `json:"start_at" db:"start_at"`
	End      int     `json:"end_at" db:"end_at"`
	Text     string  `json:"text" db:"text"`
	Labels   []Label `json:"labels" db:"labels"` // refused ones included
	Score    float64 `json:"score" db:"score"`
}

// FoundFile is a file with the best of its sentences that matched.
type FoundFile struct {
	ID          string          `json:"id" db:"id"`
	Name        string          `json:"name" db:"name"`
	ContentType string          `json:"content_type" db:"content_type"`
	Named       bool            `json:"named" db:"named"`     // its name matched
	Matched     int             `json:"matched" db:"matched"` // sentences, of those considered
	Score       float64         `json:"score" db:"score"`
	Sentences   []FoundSentence `json:"sentences" db:"sentences"`
}

// FacetCount is how many matching files have a value; of labels, how many
// matching sentences.
type FacetCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// Found is the result of a plan.
type Found struct {
	Sentences []FoundSentence         `db:"sentences"` // one page, or Top if by file
	Files     []FoundFile             `db:"files"`     // one page, if by file
	Total     int                     `db:"total"`     // sentences, or files if by file
	Ranked    int                     `db:"ranked"`    // sentences that Sentences are the best of
	Matched   int                     `db:"matched"`   // sentences considered, before filters
	Read      int                     `db:"read"`      // files read, of Newest
	Spread    int                     `db:"spread"`    // sentences read for their files, before filters; 0 where those ranked were enough
	Facets    map[string][]FacetCount `db:"facets"`
}

// facetColumns is where each facet lives, in the rows that SearchSentences
// keeps. A name that is absent here cannot reach SQL.
var facetColumns = map[string]string{
	"documentType":   "document_type_id",
	"matter":         "matter_id",
	"status":         "status",
	"lifecycleStage": "lifecycle_stage",
	"language":       "nullif(language, '')",
	"label":          "label",
}

// facetValues is how many values a facet lists, the commonest first.
const facetValues = 100

// countedColumns is what facets are counted of, in rows of files f.
const countedColumns = `f.id AS file_id, f.status, f.document_type_id, f.matter_id, f.lifecycle_stage, f.language`

// SearchSentences carries a plan out, in one statement. Files are read beside
// their sentences only where something is asked of them.
func (q Queries) SearchSentences(ctx context.Context, in Scope, p SearchPlan) (Found, error) {
	s, err := newSearchStatement(in, p)
	if err != nil {
		return Found{}, err
	}
	kept, answer := s.ofIndex, s.ofSentences
	if p.Newest > 0 {
		kept = s.ofNewest
	}
	if p.ByFile {
		answer = s.ofFiles
	}
	if p.genericPlan() {
		q = q.prepared()
	}
	return one[Found](ctx, q, kept()+answer()+`, (SELECT count(*) FROM kept) AS ranked, told.matched, told.read, told.spread, `+facets(p.Facets, s.labelled())+` AS facets FROM told`, s.args)
}

// searchStatement is the parts that a plan's statement is put together from. Each
// is SQL: the rows are sentences s and files f.
type searchStatement struct {
	SearchPlan
	in          Scope
	args        args
	onFiles     string // conditions, each with AND before it
	onSentences string
	ofTeam      string                         // the condition that files f are the team's
	listed      bool                           // files without words
	joined      bool                           // sentences are read with their files
	score       string                         // of a sentence
	byName      string                         // the query of files that are found by their names
	arg         func(name, kind string) string // renders one of args
}

// genericPlan reports whether a plan for any values is as good as one for those of p: to ask
// the index for words, and for each sentence that it names its file, or to read the files
// that are named. The best way for a condition depends on how much it lets through, and
// conditions of callers make ever new statements.
func (p SearchPlan) genericPlan() bool {
	if !p.Filter.Where.IsZero() || p.Filter.OnSentences() {
		return false
	}
	if p.Newest > 0 {
		named := SearchFilter{FileIDs: p.Filter.FileIDs}
		return p.Words != "" && p.Filter.FileIDs != nil && len(p.Filter.Tree().Parts()) == len(named.Tree().Parts())
	}
	return !p.ByFile || !p.Filter.OnFiles() // by_name looks for files themselves
}

func newSearchStatement(in Scope, p SearchPlan) (*searchStatement, error) {
	s := &searchStatement{SearchPlan: p, in: in, ofTeam: "f.team_id = @team", listed: p.ByFile && p.Words == "", arg: given(p.genericPlan()), args: args{
		"team": in.TeamID, "most": p.Most, "raw": p.Raw, "crowd": p.Crowd, "block": p.Block, "newest": p.Newest, "best": p.Best, "top": p.Top, "spread": p.Spread, "few": p.Few,
		"hidden": in.Hidden, "sentences": p.Most, "limit": p.Limit, "offset": p.Offset, "words": p.Words, "asked": p.Asked, "rank": cmp.Or(p.Rank, p.Words), "exact": p.Exact, "literal": p.Literal, "names": p.Names, "facet_values": facetValues,
	}}
	var err error
	if s.onFiles, s.onSentences, err = p.Filter.conditions(s.args); err != nil {
		return nil, err
	}
	// Without words files are listed, and asked as a whole: any of the sentences
	// of a file may be what a condition asks for.
	if s.listed {
		condition, err := conditions(p.Filter.Tree(), s.args, query.Files)
		if err != nil {
			return nil, err
		}
		s.onFiles = also(condition)
	}
	s.onFiles += in.sees("f")
	if p.genericPlan() {
		s.ofTeam = "f.team_id IS NOT DISTINCT FROM @team"
	}
	s.joined = p.Newest > 0 || s.onFiles != "" || !p.ByFile && p.facetsOfFiles() ||
		p.Top > 0 && s.onSentences != "" // whose files are not found by name, and yet come first by it
	s.rank()
	s.takeNames()
	return s, nil
}

// plain is the text of a sentence without accents. Few have any, and to call a function for
// each of the others takes as long as to compare them.
const plain = "CASE WHEN octet_length(s.text) = length(s.text) THEN s.text ELSE unaccented(s.text) END"

// rank computes the score of a sentence: higher where it has the exact words.
func (s *searchStatement) rank() {
	switch {
	case s.Words == "":
		s.score = "0::float8"
	case s.Exact == "":
		s.score = "ts_rank_cd(s.vector, @rank::tsquery, 1)::float8"
	default:
		s.score = "ts_rank_cd(s.vector, @rank::tsquery, 1)::float8" +
			" + CASE WHEN s.vector @@ @exact::tsquery THEN 1 + (@literal <> '' AND " + plain + " ~* @literal)::int ELSE 0 END"
	}
}

// takeNames says which files are found by their names.
func (s *searchStatement) takeNames() {
	s.byName = "SELECT NULL::uuid AS file_id WHERE false"
	switch {
	case s.listed:
		s.byName = "SELECT f.id AS file_id FROM newest f"
		if s.onSentences == "" {
			s.args["sentences"] = 0
		}
	case s.ByFile && s.onSentences != "": // a name has no label
	case s.Names != "":
		s.args["team_names"] = fmt.Sprintf("'%s' & (%s)", TeamLexeme(s.in.TeamID), s.Names)
		s.byName = "SELECT f.id AS file_id FROM files f WHERE f.vector @@ " + s.arg("team_names", "tsquery") + " AND " + s.ofTeam + s.onFiles
	}
}

// named are the files that are found by their names, where they are asked for.
func (s *searchStatement) named() string {
	switch {
	case !s.ByFile && (s.joined || s.Names == ""):
		return ""
	case !s.ByFile && s.Recent.Files > 0: // these sentences are in few files, and a common word is in many names
		return `, named AS MATERIALIZED (
				SELECT file_id FROM (SELECT DISTINCT file_id FROM read) r CROSS JOIN LATERAL (
					SELECT FROM files f WHERE f.id = r.file_id AND f.team_id IS NOT DISTINCT FROM @team AND f.vector @@ @names::tsquery OFFSET 0
				) f
			)`
	}
	return `, by_name AS MATERIALIZED (
				` + s.byName + `
			), named AS MATERIALIZED (
				SELECT file_id FROM by_name LIMIT @most
			)`
}

// considered is the columns of a sentence that is ranked, in blocks of so many.
func (s *searchStatement) considered(block string) string {
	named, columns := "s.file_id IN (SELECT file_id FROM named)", "s.file_id"
	if s.joined {
		columns = countedColumns
	}
	switch {
	case s.ByFile && s.Top == 0 || s.Names == "":
		named = "false"
	case s.joined:
		named = "f.vector @@ @names::tsquery"
	}
	return fmt.Sprintf("s.id AS sentence_id, s.ordinal, "+labelNodes+" AS labels, (row_number() OVER () - 1) / %s AS block, %s AS named, %s", block, named, columns)
}

// ofNewest reads the newest files. The inner LIMITs are fences: without them the
// planner asks the index about each file.
func (s *searchStatement) ofNewest() string {
	matching := "true" + s.onSentences
	if s.Words != "" {
		matching = "s.vector @@ @words::tsquery" + s.onSentences
	}
	found := `newest f CROSS JOIN LATERAL (
					SELECT s.* FROM sentences s WHERE s.file_id = f.id ORDER BY s.ordinal OFFSET 0
				) s
				WHERE ` + matching
	return fmt.Sprintf(`
			WITH newest AS MATERIALIZED (
				SELECT * FROM files f WHERE %[1]s %[2]s ORDER BY f.id DESC LIMIT @newest
			)%[3]s, kept AS MATERIALIZED (
				SELECT %[4]s, %[5]s AS score FROM %[6]s LIMIT @sentences
			)%[7]s, told AS (
				SELECT (SELECT count(*) FROM kept) AS matched, (SELECT count(*) FROM newest) AS read, %[8]s AS spread
			)`, s.ofTeam, s.onFiles, s.named(), s.considered("@block"), s.score, found, s.spread(found, ""), s.spreadRows())
}

// ofIndex reads the index. A CTE is planned for all its rows and yields them one
// by one, so the plan is the index and the heap is read no further than needed. A
// LIMIT in it would make a sequential scan look cheap. A sentence is ranked as it is
// read, so that its words and text are not carried along: to keep a copy of them takes
// longer than to rank it. Where few of those that are read are ranked, as with a filter
// on files, they are ranked where they lie.
func (s *searchStatement) ofIndex() string {
	later := s.Filter.OnFiles() || s.spreads()
	ranked := s.score + " AS score"
	if later {
		ranked = "s.ctid AS place"
	}
	from, most, block, matched := "read s", "@most", "@block", "CASE WHEN (SELECT count(*) FROM kept) < @most THEN (SELECT count(*) FROM read) ELSE @raw END"
	if s.joined {
		from += ` CROSS JOIN LATERAL (
					SELECT f.id, f.status, f.document_type_id, f.matter_id, f.lifecycle_stage, f.language, f.vector FROM files f
					WHERE f.id = s.file_id AND f.team_id IS NOT DISTINCT FROM @team ` + s.onFiles + ` OFFSET 0
				) f`
	}
	if s.Crowd > 0 {
		matched = "(SELECT count(*) FROM read)"
		most = "(SELECT CASE WHEN " + matched + " < @raw THEN @most::bigint ELSE @crowd END)"
		block = "(SELECT CASE WHEN " + matched + " < @raw THEN @most::bigint ELSE @block END)"
	}
	kept := fmt.Sprintf(`kept AS MATERIALIZED (
				SELECT %s, s.score FROM %s LIMIT %s
			)`, s.considered(block), from, most)
	if later {
		kept = fmt.Sprintf(`passed AS MATERIALIZED (
				SELECT s.place, %s FROM %s LIMIT %s
			), kept AS MATERIALIZED (
				SELECT p.*, s.score FROM passed p CROSS JOIN LATERAL (
					SELECT %s AS score FROM sentences s WHERE s.ctid = p.place OFFSET 0
				) s
			)`, s.considered(block), from, most, s.score)
	}
	matching := "s.vector @@ " + s.arg("words", "tsquery")
	if s.Asked != "" { // no index serves the second condition
		matching = "s.vector @@ " + s.arg("asked", "tsquery") + " AND (" + matching + ") IS TRUE"
	}
	return fmt.Sprintf(`
			WITH found AS MATERIALIZED (
				SELECT s.id, s.file_id, s.ordinal, s.label, s.labels, %[6]s FROM sentences s
				WHERE %[9]s %[1]s AND s.team_id = @team %[2]s
			), read AS MATERIALIZED (
				SELECT * FROM found LIMIT @raw
			)%[3]s, %[4]s%[7]s, told AS (
				SELECT %[5]s AS matched, 0::bigint AS read, %[8]s AS spread
			)`, within(s.in, s.Whole, s.Recent, s.args, s.arg), s.onSentences, s.named(), kept, matched, ranked, s.spread("found s", s.onFiles), s.spreadRows(), matching)
}

// spreads reports whether files are also found by sentences that are not ranked.
func (s *searchStatement) spreads() bool { return s.ByFile && s.Spread > 0 && s.Words != "" }

// spread are the files of all sentences of found, up to a number, where those that are
// ranked are in few files; of them the files that conditions let through. Sentences are
// read from the start: most were read to be ranked.
func (s *searchStatement) spread(found, conditions string) string {
	if !s.spreads() {
		return ""
	}
	few, labels, shown := "count(DISTINCT file_id) < @few", "", ""
	if s.Newest > 0 {
		few += " AND count(*) = @sentences" // else all of them are ranked
	}
	if slices.Contains(s.Facets, "label") {
		labels = ", " + labelNodes + " AS labels"
	}
	if conditions != "" {
		shown = `
				CROSS JOIN LATERAL (
					SELECT FROM files f WHERE f.id = w.file_id AND f.team_id IS NOT DISTINCT FROM @team ` + conditions + ` OFFSET 0
				) f`
	}
	return `, unranked AS MATERIALIZED (
				SELECT s.file_id` + labels + ` FROM ` + found + ` LIMIT (SELECT CASE WHEN ` + few + ` THEN @spread::bigint ELSE 0 END FROM kept)
			), wide AS MATERIALIZED (
				SELECT file_id, count(*) AS matched FROM unranked GROUP BY file_id
			), spread AS MATERIALIZED (
				SELECT w.file_id, w.matched FROM wide w` + shown + `
			)`
}

// spreadRows is how many sentences were read for that.
func (s *searchStatement) spreadRows() string {
	if !s.spreads() {
		return "0::bigint"
	}
	return "(SELECT coalesce(sum(matched), 0)::bigint FROM wide)"
}

// labelled are the labels of all sentences that are known to match, a list for each.
func (s *searchStatement) labelled() string {
	if !s.spreads() {
		return "kept"
	}
	return `(
				SELECT labels FROM kept WHERE NOT EXISTS (SELECT FROM wide)
				UNION ALL SELECT labels FROM unranked JOIN spread USING (file_id)
			) matching`
}

// foundColumns are those of FoundSentence but for its score.
const foundColumns = `s.id, s.file_id, f.name AS file_name, s.page, s.start_at, s.end_at, s.text, ` + allLabels + ` AS labels`

// ofFiles answers with files and the best of their sentences, and with the best
// sentences of all. A plan for any values expects few rows, so it takes one by one what
// it may: what is costly is made once, and what is looked up is an array.
func (s *searchStatement) ofFiles() string {
	order := "named DESC, block NULLS LAST, score DESC, file_id DESC"
	if s.listed {
		order = "file_id DESC"
	}
	matched, spread, ranked, others := "t.matched", "", "", ""
	if s.spreads() {
		// Of a file with more sentences than are ranked some of the others are shown. As in
		// ofNewest, without a fence the index would be asked about each file.
		matched, spread = "greatest(t.matched, w.matched)", " FULL JOIN spread w USING (file_id)"
		ranked = " WHERE ranked >= least(matched, @best)"
		others = `
					UNION ALL
					SELECT ` + foundColumns + `, s.rank FROM page p CROSS JOIN LATERAL (
						SELECT s.*, ` + s.score + ` AS rank FROM (
							SELECT s.* FROM sentences s WHERE s.file_id = p.file_id ORDER BY s.ordinal OFFSET 0
						) s WHERE s.vector @@ @words::tsquery ` + s.onSentences + ` LIMIT @best
					) s JOIN files f ON f.id = p.file_id WHERE p.ranked < least(p.matched, @best)`
	}
	top, sentences := "", "NULL::json"
	if s.Top > 0 {
		top, sentences = bestOfKept("@top"), topSentences
	}
	return `, by_text AS (
				SELECT file_id, min(block) AS block, max(score) AS score, count(*) AS matched FROM kept GROUP BY file_id
			), matching AS MATERIALIZED (
				SELECT file_id, n.file_id IS NOT NULL AS named, t.block, coalesce(t.score, 0) AS score, coalesce(` + matched + `, 0) AS matched, coalesce(t.matched, 0) AS ranked
				FROM by_text t FULL JOIN named n USING (file_id)` + spread + `
			), counted AS MATERIALIZED (
				SELECT ` + countedColumns + ` FROM matching JOIN files f ON f.id = file_id
			), page AS MATERIALIZED (
				SELECT *, row_number() OVER () AS at FROM (
					SELECT * FROM matching ORDER BY ` + order + ` LIMIT @limit OFFSET @offset
				) best
			), best_of_file AS MATERIALIZED (
				SELECT file_id, json_agg(x ORDER BY x.score DESC, x.start_at) AS sentences FROM (
					SELECT ` + foundColumns + `, k.score FROM (
						SELECT *, row_number() OVER (PARTITION BY file_id ORDER BY score DESC, ordinal) AS nth FROM kept WHERE file_id = ANY(ARRAY(SELECT file_id FROM page` + ranked + `))
					) k JOIN sentences s ON s.id = k.sentence_id JOIN files f ON f.id = k.file_id WHERE k.nth <= @best` + others + `
				) x GROUP BY file_id
			), shown AS (
				SELECT f.id, f.name, f.content_type, m.named, m.matched, m.score, m.at, coalesce(b.sentences, '[]') AS sentences
				FROM page m JOIN files f ON f.id = m.file_id LEFT JOIN best_of_file b USING (file_id)
			)` + top + `
			SELECT (SELECT count(*) FROM matching) AS total, ` + sentences + ` AS sentences,
				(SELECT coalesce(json_agg(shown ORDER BY at), '[]') FROM shown) AS files`
}

// ofSentences answers with sentences.
func (s *searchStatement) ofSentences() string {
	counted := ""
	if s.facetsOfFiles() {
		counted = `, counted AS MATERIALIZED (
				SELECT DISTINCT file_id, status, document_type_id, matter_id, lifecycle_stage, language FROM kept
			)`
	}
	return counted + bestOfKept("@limit OFFSET @offset") + `
			SELECT (SELECT count(*) FROM kept) AS total, NULL::json AS files, ` + topSentences + ` AS sentences`
}

// bestOfKept are as many of the best sentences, in order.
func bestOfKept(limit string) string {
	return `, top AS (
				SELECT ` + foundColumns + `, k.score, k.at FROM (
					SELECT *, row_number() OVER () AS at FROM (
						SELECT * FROM kept ORDER BY block, named DESC, score DESC, file_id DESC, ordinal LIMIT ` + limit + `
					) best
				) k JOIN sentences s ON s.id = k.sentence_id JOIN files f ON f.id = k.file_id
			)`
}

// topSentences is those of bestOfKept in one value.
const topSentences = `(SELECT coalesce(json_agg(top ORDER BY at), '[]') FROM top)`

// within renders where in the index to look: in the places of the team, unless it has most of
// them, and of its recent files. As a condition of its own it lets the index skip all others.
func within(in Scope, whole bool, recent RecentFiles, a args, arg func(name, kind string) string) string {
	var places []string
	if !whole {
		places = append(places, "'"+TeamLexeme(in.TeamID)+"'")
	}
	if at := recent.lexemes(); at != nil {
		places = append(places, "("+strings.Join(at, " | ")+")")
	}
	if places == nil {
		return ""
	}
	a["within"] = strings.Join(places, " & ")
	return "AND s.vector @@ " + arg("within", "tsquery")
}

// facetsOfFiles reports whether a facet is counted of files.
func (p SearchPlan) facetsOfFiles() bool {
	return slices.ContainsFunc(p.Facets, func(field string) bool { return field != "label" })
}

// facets renders facets as one JSON object: of files over those counted, and of
// labels over rows of labelled.
func facets(fields []string, labelled string) string {
	if len(fields) == 0 {
		return "NULL::jsonb"
	}
	var lists []string
	for _, field := range fields {
		column, ok := facetColumns[field]
		if !ok {
			continue
		}
		rows := "counted"
		if field == "label" {
			rows = labelled + " CROSS JOIN unnest(labels) label"
		}
		lists = append(lists, fmt.Sprintf(`'%s', (
			SELECT coalesce(jsonb_agg(v), '[]') FROM (
				SELECT %s AS value, count(*) AS count FROM %s WHERE %[2]s IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT @facet_values
			) v)`, field, column, rows))
	}
	return "jsonb_build_object(" + strings.Join(lists, ", ") + ")"
}

// SentencesFound are the sentences of ids that the team has and filter lets
// through, in the order of ids: what an engine beside Postgres found, made true.
func (q Queries) SentencesFound(ctx context.Context, in Scope, filter SearchFilter, ids []string) ([]FoundSentence, error) {
	a := in.args(args{"found": ids})
	onFiles, onSentences, err := filter.conditions(a)
	if err != nil {
		return nil, err
	}
	return many[FoundSentence](ctx, q, `
		SELECT `+foundColumns+`, 0::float8 AS score
		FROM unnest(@found::uuid[]) WITH ORDINALITY o (id, at)
		JOIN sentences s ON s.id = o.id AND s.team_id = @team
		JOIN files f ON f.id = s.file_id AND f.team_id = @team
		WHERE true `+in.sees("f")+onFiles+onSentences+` ORDER BY o.at`, a)
}

// FilesFound is SentencesFound for files, without their sentences.
func (q Queries) FilesFound(ctx context.Context, in Scope, filter SearchFilter, ids []string) ([]FoundFile, error) {
	a := in.args(args{"found": ids})
	onFiles, _, err := filter.conditions(a)
	if err != nil {
		return nil, err
	}
	return many[FoundFile](ctx, q, `
		SELECT f.id, f.name, f.content_type, false AS named, 0 AS matched, 0::float8 AS score, '[]'::jsonb AS sentences
		FROM unnest(@found::uuid[]) WITH ORDINALITY o (id, at)
		JOIN files f ON f.id = o.id AND f.team_id = @team
		WHERE true `+in.sees("f")+onFiles+` ORDER BY o.at`, a)
}

// FileFacets counts the values of facets over the files of ids. Labels are not
// a matter of files and left out.
func (q Queries) FileFacets(ctx context.Context, in Scope, ids []string, fields []string) (map[string][]FacetCount, error) {
	ofFiles := slices.DeleteFunc(slices.Clone(fields), func(field string) bool { return field == "label" })
	if len(ofFiles) == 0 {
		return nil, nil
	}
	return value[map[string][]FacetCount](ctx, q, `
		WITH counted AS MATERIALIZED (SELECT `+countedColumns+` FROM files f WHERE f.id = ANY(@ids) AND f.team_id = @team`+in.sees("f")+`)
		SELECT `+facets(ofFiles, ""), in.args(args{"ids": ids, "facet_values": facetValues}))
}

// FileRef names a file together with its team, where work is not for one team.
type FileRef struct {
	TeamID string `db:"team_id"`
	FileID string `db:"file_id"`
}

// IndexFile is what a search engine beside Postgres knows of a file.
type IndexFile struct {
	FileRef
	Name           string    `db:"name"`   // its stems, in order
	Status         string    `db:"status"` // where it is going, if it is still on its way
	DocumentTypeID *string   `db:"document_type_id"`
	MatterID       *string   `db:"matter_id"`
	LifecycleStage string    `db:"lifecycle_stage"`
	Language       string    `db:"language"`
	CreatedAt      time.Time `db:"created_at"`
	Generation     int       `db:"generation"`
	Labels         int       `db:"labels"` // their generation, which also grows when other filterable values change
	Sentences      int       `db:"sentences"`
	Stamp          string    `db:"stamp"` // changes with any of the above

	ErrorCode          *string                 `db:"error_code"`
	DocumentTypeSource *string                 `db:"document_type_source"`
	Source             string                  `db:"source"`
	ContentType        string                  `db:"content_type"`
	PageCount          int                     `db:"page_count"`
	Size               int64                   `db:"size"`
	Parties            []string                `db:"parties"` // folded
	Counterparties     []string                `db:"counterparties"`
	CreatedBy          *string                 `db:"created_by"`
	HasOCR             bool                    `db:"has_ocr"`
	Duplicate          bool                    `db:"duplicate"`
	Attributes         map[string][]IndexValue `db:"attributes"` // of the file level, by key
}

// IndexValue is a value of an attribute in the forms that it can be compared in.
type IndexValue struct {
	Normal string   `json:"normal"`
	Number *float64 `json:"number"`
	Day    *float64 `json:"day"` // its start, in Unix seconds
}

// indexFiles selects IndexFile rows. A file on its way is indexed before its
// status is final, so it is given the status that it will have once it can be
// found.
const indexFiles = `
	SELECT f.*, md5(ROW(generation, labels, sentences, name, status, document_type_id, matter_id, lifecycle_stage, language, page_count, has_ocr, duplicate)::text) AS stamp FROM (
		SELECT f.team_id, f.id AS file_id, in_order(f.vector) AS name,
			CASE WHEN f.status IN ('failed', 'cancelled') THEN f.status
				WHEN jsonb_path_exists(f.warnings, '$[*] ? (@.code != "` + IndexPending + `")') THEN 'completed_with_warnings'
				ELSE 'completed' END AS status,
			f.document_type_id, f.matter_id, f.lifecycle_stage, f.language, f.created_at, f.generation, f.label_generation AS labels,
			f.error_code, f.document_type_source, f.source, f.content_type, f.page_count, f.size, f.created_by,
			f.pages_ocr > 0 AS has_ocr, f.duplicate_of IS NOT NULL AS duplicate,
			ARRAY(SELECT fold(p ->> 'name') FROM jsonb_array_elements(f.parties) p) AS parties,
			ARRAY(SELECT fold(c) FROM unnest(f.counterparties) c) AS counterparties,
			(SELECT coalesce(jsonb_object_agg(key, list), '{}') FROM (
				SELECT key, jsonb_agg(jsonb_build_object('normal', normal, 'number', magnitude(normal),
					'day', extract(epoch FROM day(normal)::timestamp AT TIME ZONE 'UTC'))) AS list
				FROM attributes WHERE file_id = f.id AND level = 'file' GROUP BY key
			) k) AS attributes,
			(SELECT count(*) FROM sentences s WHERE s.file_id = f.id) AS sentences
		FROM files f`

// IndexFiles reads those of refs that have text. It is not scoped to one team:
// indexing is batched over teams, and each ref names its own.
func (q Queries) IndexFiles(ctx context.Context, refs []FileRef) ([]IndexFile, error) {
	return many[IndexFile](ctx, q, indexFiles+`
		JOIN unnest(@teams::uuid[], @files::uuid[]) r (team_id, file_id) ON f.team_id = r.team_id AND f.id = r.file_id
		WHERE f.text_ready) f`, refArgs(refs))
}

// IndexFilesAfter lists files with text in the order of their ids, of all teams,
// starting after an id ("" starts at the top): for comparing with an engine.
func (q Queries) IndexFilesAfter(ctx context.Context, after string, limit int) ([]IndexFile, error) {
	return many[IndexFile](ctx, q, indexFiles+`
		WHERE f.text_ready AND NOT `+inTrash("f")+` AND (@after::uuid IS NULL OR f.id > @after::uuid)
		ORDER BY f.id LIMIT @limit) f ORDER BY file_id`,
		args{"after": nullable(after), "limit": limit})
}

// UnindexedFiles lists files of all teams whose text or labels no engine has
// confirmed, those that have waited longest first, without those that have a job to be indexed.
func (q Queries) UnindexedFiles(ctx context.Context, limit int) ([]FileRef, error) {
	return many[FileRef](ctx, q, `
		SELECT team_id, id AS file_id FROM files f
		WHERE text_ready AND (indexed_generation < generation OR indexed_label_generation < label_generation) AND NOT `+inTrash("f")+`
			AND NOT EXISTS (SELECT FROM river_job j WHERE j.args ->> 'file_id' = f.id::text AND j.kind = '`+IndexFileKind+`'
				AND j.state IN ('pending', 'available', 'scheduled', 'retryable', 'running'))
		ORDER BY progress_at LIMIT @limit`, args{"limit": limit})
}

// IndexSentence is what a search engine beside Postgres knows of a sentence.
type IndexSentence struct {
	ID      string   `db:"id"`
	FileID  string   `db:"file_id"`
	Ordinal int      `db:"ordinal"`
	Page    int      `db:"page"`
	Stems   string   `db:"stems"` // in order
	Labels  []string `db:"labels"`
	Source  *string  `db:"source"`
	Score   *float32 `db:"score"`
}

// IndexSentences lists the sentences of files, by file and in order. Like
// IndexFiles it is not scoped to one team.
func (q Queries) IndexSentences(ctx context.Context, refs []FileRef) ([]IndexSentence, error) {
	return many[IndexSentence](ctx, q, `
		SELECT s.id, s.file_id, s.ordinal, s.page, in_order(s.vector) AS stems, `+labelNodes+` AS labels, s.source, s.score
		FROM unnest(@teams::uuid[], @files::uuid[]) r (team_id, file_id)
		JOIN sentences s ON s.file_id = r.file_id AND s.team_id = r.team_id
		ORDER BY s.file_id, s.ordinal`, refArgs(refs))
}

func refArgs(refs []FileRef) args {
	teams, files := make([]string, len(refs)), make([]string, len(refs))
	for i, r := range refs {
		teams[i], files[i] = r.TeamID, r.FileID
	}
	return args{"teams": teams, "files": files}
}

// SetIndexed records that a file's text up to a generation can be found. A newer
// record stays.
func (t *Tx) SetIndexed(ctx context.Context, in Scope, fileID string, generation int) error {
	f, err := one[File](ctx, t.Queries, `
		UPDATE files SET indexed_generation = @generation, progress_at = now()
		WHERE id = @id AND team_id = @team AND indexed_generation < @generation
		RETURNING `+fileColumns, args{"id": fileID, "team": in.TeamID, "generation": generation})
	if fault.KindOf(err) == fault.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	return t.fileEvent(ctx, f)
}

// SetFindable records that the present text and labels of a file are searchable, without an
// event. Where its attempt ends with it, CompleteSearchable does both.
func (t *Tx) SetFindable(ctx context.Context, in Scope, fileID string) error {
	return change(ctx, t.Queries, `
		UPDATE files SET indexed_generation = generation, indexed_label_generation = label_generation WHERE id = @id AND team_id = @team`,
		args{"id": fileID, "team": in.TeamID})
}

// Indexed has the generations of a file's text and labels that a search engine has
// confirmed.
type Indexed struct {
	FileRef
	Generation int
	Labels     int
}

// SetLabelsIndexed records the confirmed generations of the labels of files. Nobody
// waits for them, so there is no event.
func (q Queries) SetLabelsIndexed(ctx context.Context, done []Indexed) error {
	files, labels := make([]string, len(done)), make([]int, len(done))
	for i, d := range done {
		files[i], labels[i] = d.FileID, d.Labels
	}
	_, err := exec(ctx, q, `
		UPDATE files f SET indexed_label_generation = d.labels
		FROM (
			SELECT f.id, d.labels FROM unnest(@files::uuid[], @labels::int[]) d (id, labels)
			JOIN files f ON f.id = d.id AND f.indexed_label_generation < d.labels ORDER BY f.id FOR NO KEY UPDATE OF f
		) d WHERE f.id = d.id`, args{"files": files, "labels": labels})
	return err
}

// FilesWithMost lists the files that hold the most of words (tsqueries, the rarest
// first) somewhere, in their name or their text, and two at least, newest first.
// No more than limit files of the first matches of each of so many that are rare, the
// newest of them, are looked at. Of a plan it takes where to look, and the filter.
func (q Queries) FilesWithMost(ctx context.Context, in Scope, p SearchPlan, words []string, rare, limit int) ([]string, error) {
	a := in.args(args{"words": words, "limit": limit})
	onFiles, _, err := p.Filter.conditions(a)
	if err != nil {
		return nil, err
	}
	var found, first []string
	generic := p.Filter.Where.IsZero() && !p.Filter.OnSentences()
	arg := given(generic)
	most := arg("limit", "bigint")
	place := within(in, p.Whole, p.Recent, a, arg)
	for i, word := range words[:min(len(words), rare)] {
		name := fmt.Sprintf("rare%d", i)
		a[name] = word
		found = append(found, fmt.Sprintf(`%[1]s AS MATERIALIZED (
			SELECT s.file_id FROM sentences s WHERE s.vector @@ %[3]s %[2]s AND s.team_id = @team
		)`, name, place, arg(name, "tsquery")))
		first = append(first, `(SELECT DISTINCT file_id FROM (SELECT file_id FROM `+name+` LIMIT 10 * `+most+`) first ORDER BY file_id DESC LIMIT `+most+`)`)
	}
	if generic {
		q = q.prepared() // each file is read by its id
	}
	return values[string](ctx, q, `
		WITH `+strings.Join(found, ", ")+`, looked_at AS MATERIALIZED (
			`+strings.Join(first, " UNION ")+`
		), counted AS MATERIALIZED (
			SELECT f.id, (
				SELECT count(*) FROM unnest(`+arg("words", "text[]")+`::tsquery[]) w
				WHERE f.vector @@ w OR EXISTS (
					SELECT FROM (SELECT vector FROM sentences s WHERE s.file_id = f.id OFFSET 0) s WHERE s.vector @@ w
				)
			) AS held
			FROM looked_at l CROSS JOIN LATERAL (
				SELECT f.id, f.vector FROM files f WHERE f.id = l.file_id AND f.team_id IS NOT DISTINCT FROM @team `+in.sees("f")+onFiles+` OFFSET 0
			) f
		)
		SELECT id::text FROM counted WHERE held >= 2 AND held = (SELECT max(held) FROM counted) ORDER BY id DESC LIMIT `+most, a)
}
