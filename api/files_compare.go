package api

import (
	"cmp"
	"context"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/corpus"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/query"
	"github.com/clausemill/clausemill/search"
)

// filesCompare serves comparisons of a file with others.
func (a *API) filesCompare() {
	const others = " The other files are the 10,000 newest analysed files of its document type, or of the team where it has none; `filter` narrows them. Its duplicates and versions are left out, unless `copies` is true. 409 before the file is analysed."
	session := a.area("Files", withSession)
	get(session, "/api/files/{fileId}/radar", "getFileRadar", "Compare the clauses of a file with its type's corpus", scheduled(a, a.getRadar), describe(
		"Returns how fully the file covers each family of clauses, compared with other files. The coverage of a family is the sum of the frequencies of its nodes that the file has, divided by the sum for all its nodes that occur: 1 for a file with all of them."+others))
	get(session, "/api/files/{fileId}/matches", "listFileMatches", "Match the clauses of a file with its type's corpus", scheduled(a, a.listMatches), describe(
		"Lists the labelled sentences of the file in reading order, each with the closest sentences of other files of its document type, or of the team where it has none. `diff` has the words in which two sentences differ. `label` narrows the sentences of the file, `filter` those of the other files. Duplicates and versions of the file are left out, unless `copies` is true."))
	get(session, "/api/files/{fileId}/scoreboard", "getFileScoreboard", "Rank a file among the files of its type", scheduled(a, a.getScoreboard), describe(
		"Lists the most similar files in form. The score is the weight of the nodes that both files have, divided by the weight of those that either has; rare nodes weigh more. 1 means the same nodes. Files that share no node are left out."+others))
	get(session, "/api/files/scoreboard-files/count", "countScoreboardFiles", "Count the files that can be on a scoreboard", scheduled(a, a.countScoreboard), describe(
		"Counts the files that can be ranked: analysed files that have clauses. `documentTypeId` narrows them to a document type. `filter` works as in the list of files."))
}

// corpusLimit is how many files one is compared with at most. Their nodes are
// read in a fraction of a second.
const corpusLimit = 10_000

// Copies says whether a file is compared with its own copies.
type Copies struct {
	Copies bool `query:"copies" json:"copies,omitempty" doc:"Counts the duplicates and versions of the file as well, and all of those of another file. By default the former are left out, and of the latter the oldest counts"`
}

// compared is an analysed file and what it is compared with: of its own type, or
// of another that is asked for.
func (a *API) compared(ctx context.Context, fileID string, documentTypeID *string, c Condition, copies Copies) (db.File, db.Corpus, Comparison, error) {
	row, analyzed, err := a.analyzed(ctx, fileID)
	if err != nil {
		return row, db.Corpus{}, Comparison{}, err
	}
	if !analyzed {
		return row, db.Corpus{}, Comparison{}, unanalyzed(row)
	}
	if documentTypeID == nil {
		documentTypeID = row.DocumentTypeID
	}
	where, err := c.filter(ctx, a.DB.Queries, query.Files)
	if err != nil {
		return row, db.Corpus{}, Comparison{}, err
	}
	others, comparison, err := a.comparedWith(ctx, row, documentTypeID, where, copies)
	return row, others, comparison, err
}

// comparedWith is what a file is compared with, where the type is given.
func (a *API) comparedWith(ctx context.Context, row db.File, documentTypeID *string, where query.Filter, copies Copies) (db.Corpus, Comparison, error) {
	others := db.Corpus{FileID: row.ID, DocumentTypeID: documentTypeID, Where: where, Copies: copies.Copies, Most: corpusLimit}
	comparison := Comparison{Scope: "team", DocumentTypeID: documentTypeID}
	if documentTypeID != nil {
		comparison.Scope = "documentType"
	}
	files, err := a.DB.CountCorpus(ctx, auth.Scope(ctx), others)
	comparison.Files = files
	return others, comparison, err
}

// apart has a filter leave out the sentences of a file, and of its copies.
func (a *API) apart(ctx context.Context, fileID string, copies Copies, filter db.SentenceFilter) (db.SentenceFilter, error) {
	var err error
	if copies.Copies {
		filter.Where = query.And(filter.Where, query.Filter{Field: query.File, Op: query.NotIn, Values: []string{fileID}})
	} else {
		filter.Without, err = a.DB.RelativeBytes(ctx, auth.Scope(ctx), fileID)
	}
	return filter, err
}

// Radar is how fully a file covers the families of clauses.
type Radar struct {
	FileID   string     `json:"fileId"`
	Compared Comparison `json:"compared"`
	Axes     []Axis     `json:"axes" nullable:"false" doc:"One for each family, in the order of the taxonomy"`
}

// Axis is one family of clauses.
type Axis struct {
	Node       string     `json:"node" doc:"Key of the family; empty for nodes without a family"`
	Label      string     `json:"label"`
	Value      float64    `json:"value" minimum:"0" maximum:"1"`
	CorpusMean float64    `json:"corpusMean"`
	CorpusP10  float64    `json:"corpusP10" doc:"10th percentile of the files"`
	CorpusP90  float64    `json:"corpusP90" doc:"90th percentile of the files"`
	Typical    bool       `json:"typical" doc:"Whether the value is between corpusP10 and corpusP90"`
	Nodes      []AxisNode `json:"nodes" nullable:"false" doc:"Nodes that occur in this file or in the others, most frequent first"`
}

// AxisNode is a node of a family.
type AxisNode struct {
	Node      string  `json:"node" doc:"Key of the clause label"`
	Label     string  `json:"label"`
	Sentences int     `json:"sentences" doc:"Number of sentences of this file that have the node; 0 where it is missing"`
	Frequency float64 `json:"frequency" doc:"Share of the files that have the node"`
}

func (a *API) getRadar(ctx context.Context, in *struct {
	FileRef
	Condition
	Copies
}) (Radar, error) {
	_, others, comparison, err := a.compared(ctx, in.FileID, nil, in.Condition, in.Copies)
	if err != nil {
		return Radar{}, err
	}
	axes, err := a.radar(ctx, others)
	return Radar{in.FileID, comparison, axes}, err
}

// radar reads the axes of a file.
func (a *API) radar(ctx context.Context, others db.Corpus) ([]Axis, error) {
	scope := auth.Scope(ctx)
	shares, err := a.DB.NodeShares(ctx, scope, others)
	if err != nil {
		return nil, err
	}
	named, err := a.named(ctx)
	if err != nil {
		return nil, err
	}
	families := newList(nlp.Families(), func(f nlp.Family) string { return f.Name }).Items
	nodes := newList(shares, func(s db.NodeShare) corpus.Node { return corpus.Node{Label: s.Label, Family: named(s.Label).Family} }).Items
	rows, err := a.DB.Radar(ctx, scope, others, newList(nodes, func(n corpus.Node) db.FamilyNode { return db.FamilyNode{Family: n.Family, Label: n.Label} }).Items)
	if err != nil {
		return nil, err
	}
	values := map[string]db.Axis{}
	for _, r := range rows {
		values[r.Family] = r
	}
	return newList(corpus.Branches(families, nodes), func(b corpus.Branch) Axis {
		v := values[b.Family]
		return Axis{b.Family, cmp.Or(b.Family, "Other"), v.Value, v.Mean, v.P10, v.P90, v.P10 <= v.Value && v.Value <= v.P90, newList(b.Nodes, func(i int) AxisNode {
			s := shares[i]
			return AxisNode{s.Label, named(s.Label).Name, s.Sentences, s.Frequency}
		}).Items}
	}).Items, nil
}

// Match is a sentence of a file with the closest ones of others.
type Match struct {
	SegmentID string          `json:"segmentId" doc:"Id of the sentence"`
	Text      string          `json:"text"`
	Label     *string         `json:"label" doc:"The first of labels"`
	Labels    []SentenceLabel `json:"labels" nullable:"false"`
	Page      int             `json:"page"`
	Span      Span            `json:"span"`
	Matches   []MatchedText   `json:"matches" nullable:"false" doc:"Closest first"`
}

// MatchedText is a sentence of another file.
type MatchedText struct {
	FileID    string          `json:"fileId"`
	FileName  string          `json:"fileName"`
	SegmentID string          `json:"segmentId" doc:"Id of the sentence"`
	Text      string          `json:"text"`
	Label     *string         `json:"label" doc:"The first of labels"`
	Labels    []SentenceLabel `json:"labels" nullable:"false"`
	Score     float64         `json:"score" minimum:"0" maximum:"1"`
	Identical bool            `json:"identical" doc:"Whether both sentences have the same words"`
	Validated bool            `json:"validated" doc:"Whether a user confirmed or set its label"`
	Diff      []TextEdit      `json:"diff" nullable:"false" doc:"Differences from the sentence of this file to that of the other file"`
}

// TextEdit is a run of words of one of two texts, or of both.
type TextEdit struct {
	Op   string `json:"op" enum:"=,-,+" doc:"=: in both texts; -: only in the first; +: only in the second"`
	Text string `json:"text"`
}

type matchesRequest struct {
	FileRef
	Condition
	Copies
	Label    []string `query:"label" maxItems:"100" doc:"Only sentences with these labels"`
	MinScore float64  `query:"minScore" minimum:"0" maximum:"1" default:"0.3" doc:"Minimum similarity"`
	PerText  int      `query:"matches" minimum:"1" maximum:"20" default:"3" doc:"Maximum number of matches for each sentence"`
	Limit    int      `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"Maximum number of sentences"`
	Cursor   string   `query:"cursor" maxLength:"200" doc:"The nextCursor of the previous page"`
}

func (a *API) listMatches(ctx context.Context, in *matchesRequest) (List[Match], error) {
	scope := auth.Scope(ctx)
	row, err := a.DB.File(ctx, scope, in.FileID)
	if err != nil {
		return List[Match]{}, err
	}
	others, err := a.matchedWith(ctx, row, in)
	if err != nil {
		return List[Match]{}, err
	}
	after, err := Page{Cursor: in.Cursor}.sentencePlace(db.ByPlace)
	if err != nil {
		return List[Match]{}, err
	}
	filter := db.SentenceFilter{FileIDs: []string{row.ID}, Labels: in.Label, Labelled: true}
	rows, err := a.DB.FiledSentences(ctx, scope, filter, db.ByPlace, after, in.Limit+1)
	if err != nil {
		return List[Match]{}, err
	}
	total, err := a.DB.CountSentences(ctx, scope, filter, mostCounted)
	if err != nil {
		return List[Match]{}, err
	}
	rows, more := cut(rows, in.Limit)
	out := List[Match]{Items: []Match{}, Total: &total}
	if more {
		out.NextCursor = sentenceCursor(db.ByPlace, last(rows))
	}
	for _, s := range rows {
		item, err := a.match(ctx, s, others, in)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, item)
	}
	return out, nil
}

// matchedWith are the sentences that those of a file are matched with.
func (a *API) matchedWith(ctx context.Context, row db.File, in *matchesRequest) (db.SentenceFilter, error) {
	where, err := in.Condition.filter(ctx, a.DB.Queries, query.Sentences)
	if err != nil {
		return db.SentenceFilter{}, err
	}
	return a.apart(ctx, row.ID, in.Copies, db.SentenceFilter{DocumentTypeID: text(row.DocumentTypeID), Where: where})
}

// match finds the closest sentences of other files.
func (a *API) match(ctx context.Context, s db.FiledSentence, others db.SentenceFilter, in *matchesRequest) (Match, error) {
	near, err := a.nearest.Sentences(ctx, auth.Scope(ctx), search.NearQuery{
		Text: s.Text, Without: s.ID, MinSimilarity: in.MinScore, Limit: in.PerText, Filter: others,
	})
	return Match{s.ID, s.Text, s.Label, newList(s.Labels(), newSentenceLabel).Items, s.Page, Span{s.Start, s.End}, newList(near, func(n search.Near) MatchedText {
		diff := newList(nlp.DiffWords(s.Text, n.Text), func(e nlp.Edit) TextEdit { return TextEdit(e) }).Items
		return MatchedText{
			FileID: n.FileID, FileName: n.FileName, SegmentID: n.ID, Text: n.Text, Label: n.Label, Labels: newList(n.Labels(), newSentenceLabel).Items, Score: n.Similarity,
			Identical: len(diff) == 1 && diff[0].Op == "=", Validated: n.ValidatedAt != nil, Diff: diff,
		}
	}).Items}, err
}

// Scoreboard is the files nearest in form to one.
type Scoreboard struct {
	FileID   string      `json:"fileId"`
	Compared Comparison  `json:"compared"`
	Items    []AlikeFile `json:"items" nullable:"false"`
}

// AlikeFile is a file with its similarity to another.
type AlikeFile struct {
	Rank           int               `json:"rank" doc:"Rank from 1; files with the same score have the same rank"`
	FileID         string            `json:"fileId"`
	Name           string            `json:"name"`
	Score          float64           `json:"score" minimum:"0" maximum:"1"`
	SharedNodes    []string          `json:"sharedNodes" nullable:"false" doc:"Nodes that both files have"`
	MissingNodes   []string          `json:"missingNodes" nullable:"false" doc:"Nodes of the compared file that this file does not have"`
	ExtraNodes     []string          `json:"extraNodes" nullable:"false" doc:"Nodes of this file that the compared file does not have"`
	LifecycleStage db.LifecycleStage `json:"lifecycleStage"`
	DocumentTypeID *string           `json:"documentTypeId"`
}

func newAlikeFiles(rows []db.Alike) []AlikeFile {
	ranks := corpus.Ranks(newList(rows, func(r db.Alike) float64 { return r.Score }).Items)
	files := make([]AlikeFile, len(rows))
	for i, r := range rows {
		files[i] = AlikeFile{ranks[i], r.FileID, r.Name, r.Score, r.Shared, r.Missing, r.Extra, r.LifecycleStage, r.DocumentTypeID}
	}
	return files
}

func (a *API) getScoreboard(ctx context.Context, in *struct {
	FileRef
	Condition
	Copies
	Limit int `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"Maximum number of files"`
}) (Scoreboard, error) {
	_, others, comparison, err := a.compared(ctx, in.FileID, nil, in.Condition, in.Copies)
	if err != nil {
		return Scoreboard{}, err
	}
	rows, err := a.DB.Scoreboard(ctx, auth.Scope(ctx), others, in.Limit)
	return Scoreboard{in.FileID, comparison, newAlikeFiles(rows)}, err
}

// ScorableFiles is how many files can be ranked.
type ScorableFiles struct {
	Count   int `json:"count"`
	Pending int `json:"pending" doc:"Number of files whose processing has not reached the analysis yet"`
}

func (a *API) countScoreboard(ctx context.Context, in *struct {
	Condition
	DocumentTypeID string `query:"documentTypeId" format:"uuid"`
}) (ScorableFiles, error) {
	where, err := in.Condition.filter(ctx, a.DB.Queries, query.Files)
	if err != nil {
		return ScorableFiles{}, err
	}
	row, err := a.DB.CountScorable(ctx, auth.Scope(ctx), in.DocumentTypeID, where)
	return ScorableFiles(row), err
}
