package e2e_test

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/query"
)

// rows are what the tables hold of a team, read with the plainest of SQL. What is
// made of them is made in Go, of the sentences themselves: nothing that is stored
// beside them to answer sooner is looked at.
type rows struct {
	files     []*fileRow // the newest first
	byID      map[string]*fileRow
	types     []typeRow
	matters   map[string]matterRow
	users     map[string]string // names by id
	decisions []decisionRow     // in their order
	searches  []savedRow
	families  map[string]string // names by node
	names     map[string]string // by node
}

type fileRow struct {
	ID             string     `db:"id"`
	Name           string     `db:"name"`
	Status         string     `db:"status"`
	ErrorCode      *string    `db:"error_code"`
	TypeID         *string    `db:"document_type_id"`
	TypeSource     *string    `db:"document_type_source"`
	TypeScore      *float32   `db:"document_type_score"`
	MatterID       *string    `db:"matter_id"`
	Stage          string     `db:"lifecycle_stage"`
	Language       string     `db:"language"`
	Source         string     `db:"source"`
	ContentType    string     `db:"content_type"`
	Pages          int        `db:"page_count"`
	RecognisedPage int        `db:"pages_ocr"`
	Size           int64      `db:"size"`
	Parties        []db.Party `db:"parties"`
	Counterparties []string   `db:"counterparties"`
	CreatedBy      *string    `db:"created_by"`
	CreatedAt      time.Time  `db:"created_at"`
	ChangedAt      time.Time  `db:"progress_at"`
	DuplicateOf    *string    `db:"duplicate_of"`
	TextReady      bool       `db:"text_ready"`
	Generation     int        `db:"generation"`
	Analyzed       bool       `db:"analyzed"`

	text       string // canonical
	sentences  []sentenceRow
	attributes []attributeRow // of the file as a whole
	tokens     []tokenRow
	guess      *guessRow
	nodes      map[string]*nodeRow
	said       map[string][]valued // different values of sentences, by field
}

type sentenceRow struct {
	ID      string     `db:"id"`
	FileID  string     `db:"file_id"`
	Ordinal int        `db:"ordinal"`
	Text    string     `db:"text"`
	Label   *string    `db:"label"`
	Several []db.Label `db:"labels"`
	Score   *float32   `db:"score"`
	Source  *string    `db:"source"`
	Page    int        `db:"page"`
	Start   int        `db:"start_at"`
	End     int        `db:"end_at"`
}

// each is s once for each of its labels.
func (s sentenceRow) each() []sentenceRow {
	if s.Several == nil && s.Label != nil {
		return []sentenceRow{s}
	}
	var all []sentenceRow
	for _, l := range s.Several {
		if l.Source != "refused" {
			one := s
			one.Label, one.Score, one.Source = &l.Node, l.Score, &l.Source
			all = append(all, one)
		}
	}
	return all
}

type attributeRow struct {
	FileID     string             `db:"file_id"`
	Key        string             `db:"key"`
	Value      string             `db:"value"`
	Normal     string             `db:"normal"`
	Normalized nlp.Value          `db:"normalized"`
	Confidence float32            `db:"confidence"`
	Source     string             `db:"source"`
	Ordinal    int                `db:"ordinal"`
	Spans      []db.AttributeSpan `db:"spans"`
}

// shown is what people see of it: its words, and of a place its name, however it is written.
func (a attributeRow) shown() string {
	if slices.Contains(query.Places, a.Key) {
		return cmp.Or(a.Normalized.Name, a.Value)
	}
	return a.Value
}

type tokenRow struct {
	Token, Stem string
	Count       int
}

type guessRow struct {
	FileID     string         `db:"file_id"`
	Generation int            `db:"generation"`
	ModelID    string         `db:"model_id"`
	Title      string         `db:"title"`
	Abstained  bool           `db:"abstained"`
	Scores     []db.TypeScore `db:"scores"`
}

type typeRow struct {
	ID          string    `db:"id"`
	Key         *string   `db:"key"`
	Name        string    `db:"name"`
	Description string    `db:"description"`
	CreatedBy   *string   `db:"created_by"`
	Version     int       `db:"version"`
	CreatedAt   time.Time `db:"created_at"`
	UpdatedAt   time.Time `db:"updated_at"`

	Analysis   *int       `db:"analysis"` // version of the latest
	AnalyzedAt *time.Time `db:"analyzed_at"`
}

type matterRow struct {
	ID             string     `db:"id"`
	Name           string     `db:"name"`
	Stage          string     `db:"stage"`
	Status         string     `db:"status"`
	Source         string     `db:"source"`
	Parties        []db.Party `db:"parties"`
	Counterparties []string   `db:"counterparties"`
	OwnerID        *string    `db:"owner_id"`
	DueAt          *time.Time `db:"due_at"`
	CreatedAt      time.Time  `db:"created_at"`
}

type decisionRow struct {
	SentenceID string    `db:"resource_id"`
	UserID     *string   `db:"actor_id"`
	Was        *string   `db:"was"`
	Becomes    *string   `db:"becomes"`
	Source     *string   `db:"source"` // of what it was
	At         time.Time `db:"created_at"`

	fileID string
}

type savedRow struct {
	Filter json.RawMessage `db:"filter"`
}

// nodeRow is a node as one file has it.
type nodeRow struct {
	label     string
	sentences int
	validated int
	first     int     // ordinal
	place     float64 // in the file
	surest    sentenceRow
}

// readRows reads what there is of a team now.
func readRows(t testing.TB, s *system, teamID string) *rows {
	t.Helper()
	r := &rows{byID: map[string]*fileRow{}, matters: map[string]matterRow{}, users: map[string]string{}}
	files := selected[fileRow](t, s, `SELECT id, name, status, error_code, document_type_id, document_type_source, document_type_score, matter_id, lifecycle_stage, language,
			source, content_type, page_count, pages_ocr, size, parties, counterparties, created_by, created_at, progress_at, duplicate_of, text_ready, generation,
			id IN (SELECT file_id FROM analyses) AS analyzed
		FROM files WHERE team_id = $1 ORDER BY id DESC`, teamID)
	for i := range files {
		r.files = append(r.files, &files[i])
		r.byID[files[i].ID] = &files[i]
	}
	for _, p := range selected[struct {
		FileID string `db:"file_id"`
		Text   string `db:"text"`
	}](t, s, `SELECT file_id, string_agg(text, E'\f' ORDER BY number) AS text FROM pages WHERE team_id = $1 GROUP BY file_id`, teamID) {
		r.byID[p.FileID].text = p.Text
	}
	for _, x := range selected[sentenceRow](t, s, `SELECT id, file_id, ordinal, text, label, labels, score, source, page, start_at, end_at FROM sentences WHERE team_id = $1 ORDER BY file_id, ordinal`, teamID) {
		f := r.byID[x.FileID]
		f.sentences = append(f.sentences, x)
	}
	for _, a := range selected[attributeRow](t, s, `SELECT file_id, key, value, normal, normalized, confidence, source, ordinal, spans FROM attributes WHERE team_id = $1 AND level = 'file' ORDER BY file_id, ordinal, key`, teamID) {
		f := r.byID[a.FileID]
		f.attributes = append(f.attributes, a)
	}
	for _, k := range selected[struct {
		FileID string     `db:"file_id"`
		Tokens []tokenRow `db:"tokens"`
	}](t, s, `SELECT file_id, tokens FROM file_tokens WHERE team_id = $1`, teamID) {
		r.byID[k.FileID].tokens = k.Tokens
	}
	for _, g := range selected[guessRow](t, s, `SELECT file_id, generation, model_id, title, abstained, scores FROM file_types WHERE team_id = $1`, teamID) {
		r.byID[g.FileID].guess = &g
	}
	r.types = selected[typeRow](t, s, `SELECT id, key, name, description, created_by, version, created_at, updated_at,
			(SELECT max(version) FROM type_analyses WHERE document_type_id = t.id) AS analysis,
			(SELECT max(analyzed_at) FROM type_analyses WHERE document_type_id = t.id) AS analyzed_at
		FROM document_types t WHERE team_id = $1`, teamID)
	slices.SortFunc(r.types, func(a, b typeRow) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	for _, m := range selected[matterRow](t, s, `SELECT id, name, stage, status, source, parties, counterparties, owner_id, due_at, created_at FROM matters WHERE team_id = $1`, teamID) {
		r.matters[m.ID] = m
	}
	for _, u := range selected[struct {
		ID   string `db:"id"`
		Name string `db:"name"`
	}](t, s, `SELECT id, name FROM users WHERE $1 <> ''`, teamID) {
		r.users[u.ID] = u.Name
	}
	r.decisions = selected[decisionRow](t, s, `SELECT resource_id, actor_id, data ->> 'from' AS was, data ->> 'to' AS becomes, data ->> 'source' AS source, created_at
		FROM audit_events WHERE team_id = $1 AND action = 'sentence.validated' ORDER BY id`, teamID)
	r.searches = selected[savedRow](t, s, `SELECT filter FROM saved_searches WHERE team_id = $1`, teamID)
	r.readNodes(selected[struct {
		Key, Name, Family string
	}](t, s, `SELECT key, name, family FROM nodes WHERE team_id = $1`, teamID))
	return r
}

// selected reads rows into structs.
func selected[T any](t testing.TB, s *system, sql string, teamID string) []T {
	t.Helper()
	found, err := s.db.Pool().Query(t.Context(), sql, teamID)
	require.NoError(t, err)
	list, err := pgx.CollectRows(found, pgx.RowToStructByNameLax[T])
	require.NoError(t, err, sql)
	return list
}

// readNodes finds what nodes the sentences of each file come to.
func (r *rows) readNodes(own []struct{ Key, Name, Family string }) {
	families := map[string]string{}
	for _, f := range nlp.Families() {
		families[f.ID] = f.Name
	}
	r.names, r.families = map[string]string{}, map[string]string{}
	for _, n := range nlp.Taxonomy() {
		r.names[n.ID], r.families[n.ID] = n.Name, families[n.Family]
	}
	for _, n := range own {
		r.names[n.Key], r.families[n.Key] = n.Name, n.Family
	}
	sentences := map[string]*fileRow{}
	for _, f := range r.files {
		f.nodes, f.said = map[string]*nodeRow{}, map[string][]valued{}
		for _, s := range f.sentences {
			sentences[s.ID] = f
			for _, one := range s.each() {
				n := f.nodes[*one.Label]
				if n == nil {
					n = &nodeRow{label: *one.Label, first: s.Ordinal, place: (float64(s.Ordinal) + 0.5) / float64(len(f.sentences)), surest: one}
					f.nodes[*one.Label] = n
				}
				n.sentences++
				if one.validated() {
					n.validated++
				}
				if one.surerThan(n.surest) {
					n.surest = one
				}
			}
		}
	}
	for i, d := range r.decisions {
		if f := sentences[d.SentenceID]; f != nil {
			r.decisions[i].fileID = f.ID
		}
	}
}

func (s sentenceRow) validated() bool { return s.Source != nil && *s.Source == "validated" }

// surerThan is true of what people decided, and else of the better score.
func (s sentenceRow) surerThan(o sentenceRow) bool {
	if s.validated() != o.validated() {
		return s.validated()
	}
	score := func(x sentenceRow) float32 {
		if x.Score == nil {
			return -1
		}
		return *x.Score
	}
	return score(s) > score(o)
}

// which are the files that satisfy a condition, the newest first.
func (r *rows) which(is func(*fileRow) bool) []*fileRow {
	var list []*fileRow
	for _, f := range r.files {
		if is(f) {
			list = append(list, f)
		}
	}
	return list
}

// ofType are the files of a type that have a text.
func (r *rows) ofType(id string) []*fileRow {
	return r.which(func(f *fileRow) bool { return f.TextReady && f.is(id) })
}

func (f *fileRow) is(typeID string) bool { return f.TypeID != nil && *f.TypeID == typeID }

func (f *fileRow) assigned() bool { return f.TypeSource != nil && *f.TypeSource == "assigned" }

// order are the nodes of a file as they follow one another.
func (f *fileRow) order() []*nodeRow {
	list := make([]*nodeRow, 0, len(f.nodes))
	for _, n := range f.nodes {
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b *nodeRow) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.label, b.label)) })
	return list
}

// spread counts in how many files each node is.
func spread(files []*fileRow) map[string]int {
	n := map[string]int{}
	for _, f := range files {
		for label := range f.nodes {
			n[label]++
		}
	}
	return n
}

// quantile is the value below which a share of values lies, in between where it
// lies between two.
func quantile(values []float64, share float64) float64 {
	slices.Sort(values)
	at := share * float64(len(values)-1)
	low, high := values[int(math.Floor(at))], values[int(math.Ceil(at))]
	return low + (high-low)*(at-math.Floor(at))
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}
