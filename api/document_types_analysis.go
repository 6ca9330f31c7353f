package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/corpus"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// documentTypesAnalysis serves statistics over the files of a document type.
func (a *API) documentTypesAnalysis() {
	const (
		once   = " Each contract counts once, by its oldest copy or version, unless `copies` is true."
		stored = once + " The answer is from the latest analysis, or from an earlier `version`; ten are kept. `stale` is true if the corpus has changed since. A changed corpus is analysed automatically a minute or two after its last change, and every quarter of an hour while it keeps changing. 409 before the first analysis."
		now    = " The answer is computed for each request and needs no analysis."
	)
	session := a.area("Document types", withSession)
	post(session, "/api/document-types/analyze", "analyzeDocumentTypes", "Analyze the corpora of all document types", a.analyzeTypes, status(http.StatusAccepted), describe(
		"Starts an analysis of the corpus of every document type, as one operation with a step for each type. It uses what was stored when the files were analysed, and reads no text again."))
	get(session, "/api/document-types/stats", "listDocumentTypeStats", "List statistics of all document types", scheduled(a, a.listTypeStats), describe("Lists for each document type the number of its files, pages, words, sentences and labels."+once+now))
	get(session, "/api/document-types/{dtid}/analytics", "getDocumentTypeAnalytics", "Get the analytics of a document type's corpus", a.getTypeAnalytics, describe(
		"Returns for each node its frequency, rarity, position and typical wording. The answer also has the words that distinguish the type, the distribution of attribute values, the development over years, and the files with the rarest clauses."+stored))
	post(session, "/api/document-types/{dtid}/analyze", "analyzeDocumentType", "Analyze the corpus of a document type", a.analyzeType, status(http.StatusAccepted), describe(
		"Starts an analysis of the corpus at once, whether it has changed or not. Without this request, a changed corpus is analysed automatically when it no longer changes."))
	get(session, "/api/document-types/{dtid}/graph", "getDocumentTypeGraph", "Get the order graph of a document type's clauses", a.getTypeGraph, describe(
		"Returns the nodes that occur and the edges between them: follows (which node comes next in the files), cooccurs (which nodes occur together), similar (which nodes have similar wordings) and parent (which family a node belongs to)."+stored))
	get(session, "/api/document-types/{dtid}/stats", "getDocumentTypeStats", "Get statistics of a document type", scheduled(a, a.getTypeStats), describe("Returns the number of files, pages, words, sentences and labels of a document type."+once+now))
	get(session, "/api/document-types/{dtid}/tags", "listDocumentTypeTags", "List the tags (nodes) that a document type's files have", scheduled(a, a.listTypeNodes), describe(
		"Lists the nodes that occur in the files of the type, most frequent first, each with the typical wording from the latest analysis, if there is one."+once+now))
	get(session, "/api/document-types/{dtid}/tree", "getDocumentTypeTree", "Get the tree of a document type's clauses", scheduled(a, a.getTypeTree), describe(
		"Returns the nodes that occur in the files of the type, grouped by family, in the order in which they usually occur in a file."+once+now))
	get(session, "/api/document-types/{dtid}/validation-analytics", "getDocumentTypeValidationAnalytics", "Compare predictions and decisions in a document type", scheduled(a, a.getTypeReview), describe(
		"Compares predicted labels with the decisions of users on the sentences of the type's files. It takes the 100,000 latest decisions. Decisions on sentences of an earlier text are not counted."+now))
}

func (a *API) analyzeTypes(ctx context.Context, _ *struct{}) (Accepted, error) {
	types, err := a.DB.TypeKeys(ctx, auth.Scope(ctx))
	if err != nil {
		return Accepted{}, err
	}
	return a.analyzeCorpora(ctx, newList(types, func(t db.DocumentType) string { return t.ID }).Items)
}

func (a *API) analyzeType(ctx context.Context, in *TypeRef) (Accepted, error) {
	if err := a.DB.NeedDocumentType(ctx, auth.Scope(ctx), in.TypeID); err != nil {
		return Accepted{}, err
	}
	return a.analyzeCorpora(ctx, []string{in.TypeID})
}

func (a *API) analyzeCorpora(ctx context.Context, ids []string) (Accepted, error) {
	scope := auth.Scope(ctx)
	var op db.Operation
	err := a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		if op, err = tx.CreateOperation(ctx, scope, "analyze", len(ids), nil); err != nil {
			return err
		}
		if len(ids) == 0 {
			return tx.FinishOperation(ctx, scope, op.ID, nil, "")
		}
		list := make([]jobs.Args, len(ids))
		for i, id := range ids {
			list[i] = jobs.AnalyzeCorpus{OperationID: op.ID, TeamID: scope.TeamID, DocumentTypeID: id}
			if err := tx.Audit(ctx, scope, "document_type.analyze", "document_type", id, map[string]any{"operationId": op.ID}); err != nil {
				return err
			}
		}
		return jobs.Insert(ctx, a.Jobs, tx.Raw, list...)
	})
	return newAccepted("analysis queued", op, ""), err
}

// TypeStats counts the contents of the files of a type.
type TypeStats struct {
	DocumentTypeID string     `json:"documentTypeId"`
	Name           string     `json:"name"`
	Files          int        `json:"files"`
	Assigned       int        `json:"assigned" doc:"Number of files whose type users assigned"`
	Predicted      int        `json:"predicted" doc:"Number of files whose type was predicted"`
	Analyzed       int        `json:"analyzed" doc:"Number of files whose text was analysed"`
	Pages          int        `json:"pages"`
	Words          int        `json:"words"`
	Sentences      int        `json:"sentences"`
	Labelled       int        `json:"labelled" doc:"Number of sentences with a label"`
	Validated      int        `json:"validated" doc:"Number of them whose label users confirmed or set"`
	AnalyzedAt     *time.Time `json:"analyzedAt" doc:"When the corpus was last analysed; null if never"`
	Stale          bool       `json:"stale"`
}

func newTypeStats(s db.TypeStats) TypeStats {
	return TypeStats{
		DocumentTypeID: s.ID, Name: s.Name, Files: s.Files, Assigned: s.Assigned, Predicted: s.Files - s.Assigned, Analyzed: s.Analyzed,
		Pages: s.Pages, Words: s.Words, Sentences: s.Sentences, Labelled: s.Labelled, Validated: s.Validated,
		AnalyzedAt: utc(s.AnalyzedAt), Stale: s.Stale,
	}
}

// AllTypeStats counts the contents of the files of all types.
type AllTypeStats struct {
	Items   []TypeStats `json:"items" nullable:"false"`
	Untyped int         `json:"untyped" doc:"Number of files without a document type"`
}

func (a *API) listTypeStats(ctx context.Context, in *struct{ OnceEach }) (AllTypeStats, error) {
	scope := auth.Scope(ctx)
	rows, err := a.DB.TypeStats(ctx, scope, "", in.Copies)
	if err != nil {
		return AllTypeStats{}, err
	}
	untyped, err := a.DB.CountUntyped(ctx, scope, in.Copies)
	return AllTypeStats{newList(rows, newTypeStats).Items, untyped}, err
}

func (a *API) getTypeStats(ctx context.Context, in *TypeNowRef) (TypeStats, error) {
	rows, err := a.DB.TypeStats(ctx, auth.Scope(ctx), in.TypeID, in.Copies)
	if err != nil {
		return TypeStats{}, err
	}
	if len(rows) == 0 {
		return TypeStats{}, fault.New(fault.NotFound, "not found")
	}
	return newTypeStats(rows[0]), nil
}

// OnceEach says whether each contract counts once.
type OnceEach struct {
	Copies bool `query:"copies" doc:"Counts all duplicates and versions. By default only the oldest of them counts"`
}

// TypeNowRef asks about a type's files as they are now.
type TypeNowRef struct {
	TypeRef
	OnceEach
}

// AnalysisOf identifies the analysis of a corpus that an answer is from.
type AnalysisOf struct {
	DocumentTypeID string    `json:"documentTypeId"`
	Version        int       `json:"version" doc:"Number of the analysis, from 1"`
	Files          int       `json:"files" doc:"Number of files that were analysed"`
	AnalyzedAt     time.Time `json:"analyzedAt"`
	Stale          bool      `json:"stale" doc:"true if the corpus has changed since, or there is a later analysis"`
}

// TypeAnalysisRef asks for an analysis of a type's corpus.
type TypeAnalysisRef struct {
	TypeRef
	OnceEach
	Version int `query:"version" minimum:"1" doc:"Number of an earlier analysis; by default the latest"`
}

// typeAnalysis reads a stored analysis, and returns which one it is.
func (a *API) typeAnalysis(ctx context.Context, in *TypeAnalysisRef) (AnalysisOf, db.CorpusResult, error) {
	scope := auth.Scope(ctx)
	row, err := a.DB.DocumentType(ctx, scope, in.TypeID)
	if err != nil {
		return AnalysisOf{}, db.CorpusResult{}, err
	}
	if row.Analysis == 0 {
		return AnalysisOf{}, db.CorpusResult{}, errNoCorpusAnalysis
	}
	stored, err := a.DB.TypeAnalysis(ctx, scope, in.TypeID, in.Version)
	stored = stored.Counting(in.Copies)
	return AnalysisOf{in.TypeID, stored.Version, stored.Files, stored.AnalyzedAt.UTC(), row.Stale || stored.Version < row.Analysis}, stored.Result, err
}

var errNoCorpusAnalysis = fault.New(fault.Conflict, "the corpus is not analysed yet; this happens soon after its files are processed, or at once with POST …/analyze")

// TypeAnalytics is the result of the analysis of a corpus.
type TypeAnalytics struct {
	AnalysisOf
	Nodes      []db.CorpusNode   `json:"nodes" nullable:"false" doc:"Most frequent first"`
	Terms      []db.CorpusTerm   `json:"terms" nullable:"false" doc:"Most distinctive first"`
	TermFiles  int               `json:"termFiles" doc:"Number of files that terms were counted in: the newest ones"`
	Attributes []db.Distribution `json:"attributes" nullable:"false"`
	OverTime   []db.CorpusYear   `json:"overTime" nullable:"false"`
	Unusual    []db.UnusualFile  `json:"unusual" nullable:"false" doc:"Files with the rarest nodes"`
}

func (a *API) getTypeAnalytics(ctx context.Context, in *TypeAnalysisRef) (TypeAnalytics, error) {
	of, r, err := a.typeAnalysis(ctx, in)
	return TypeAnalytics{of, list(r.Nodes), list(r.Terms), r.TermFiles, list(r.Attributes), list(r.OverTime), list(r.Unusual)}, err
}

// TypeGraph is the nodes of a corpus and the edges between them.
type TypeGraph struct {
	AnalysisOf
	Nodes []GraphNode     `json:"nodes" nullable:"false"`
	Edges []db.CorpusEdge `json:"edges" nullable:"false"`
}

// GraphNode is a node of the taxonomy, or a family of them.
type GraphNode struct {
	ID        string  `json:"id" doc:"Key of a node, or family: followed by the name of a family"`
	Name      string  `json:"name"`
	Family    string  `json:"family,omitempty" doc:"The family that the node belongs to"`
	Size      int     `json:"size" doc:"Number of sentences"`
	Frequency float64 `json:"frequency" doc:"Share of the files that have it; for a family, that of its most frequent node"`
}

func (a *API) getTypeGraph(ctx context.Context, in *struct {
	TypeAnalysisRef
	Kind      []string `query:"kind" maxItems:"4" enum:"follows,cooccurs,parent,similar" doc:"Only edges of these kinds; by default all"`
	MinWeight float64  `query:"minWeight" minimum:"0" maximum:"1"`
}) (TypeGraph, error) {
	of, r, err := a.typeAnalysis(ctx, &in.TypeAnalysisRef)
	if err != nil {
		return TypeGraph{}, err
	}
	named, err := a.named(ctx)
	if err != nil {
		return TypeGraph{}, err
	}
	return newTypeGraph(of, r, named, in.Kind, in.MinWeight), nil
}

// newTypeGraph has each family after the first of its nodes, and the edges of the
// given kinds with at least the given weight.
func newTypeGraph(of AnalysisOf, r db.CorpusResult, named func(string) Tag, kinds []string, minWeight float64) TypeGraph {
	nodes := newList(r.Nodes, func(n db.CorpusNode) corpus.Node { return corpusNode(n, named(n.Label).Family) }).Items
	vertex := func(v corpus.Vertex) GraphNode {
		if f := v.Family; f != nil {
			return GraphNode{ID: db.FamilyPrefix + f.Name, Name: f.Name, Size: f.Sentences, Frequency: f.Frequency}
		}
		n := nodes[v.Node]
		return GraphNode{n.Label, named(n.Label).Name, n.Family, n.Sentences, n.Frequency}
	}
	edges := slices.DeleteFunc(list(r.Edges), func(e db.CorpusEdge) bool {
		return e.Weight < minWeight || kinds != nil && !slices.Contains(kinds, e.Kind)
	})
	return TypeGraph{of, newList(corpus.Vertices(nodes), vertex).Items, edges}
}

func corpusNode(n db.CorpusNode, family string) corpus.Node {
	return corpus.Node{Label: n.Label, Family: family, Sentences: n.Sentences, Frequency: n.Frequency, Place: n.Place}
}

// named looks up the names of labels. A label that is no longer in the taxonomy has
// its key as the name.
func (a *API) named(ctx context.Context) (func(label string) Tag, error) {
	tags, err := taxonomy(ctx, a.DB.Queries, auth.Scope(ctx))
	byKey := make(map[string]Tag, len(tags))
	for _, t := range tags {
		byKey[t.Key] = t
	}
	return func(label string) Tag {
		if t, ok := byKey[label]; ok {
			return t
		}
		return Tag{Key: label, Name: label}
	}, err
}

// TypeNode is a node as the files of a type have it.
type TypeNode struct {
	Name        string `json:"name"`
	Family      string `json:"family" doc:"Empty where it has none"`
	Description string `json:"description,omitempty"`
	db.CorpusNode
}

// TypeNodes are the nodes of a type.
type TypeNodes struct {
	DocumentTypeID string     `json:"documentTypeId"`
	Items          []TypeNode `json:"items" nullable:"false"`
}

func (a *API) listTypeNodes(ctx context.Context, in *TypeNowRef) (TypeNodes, error) {
	scope := auth.Scope(ctx)
	if err := a.DB.NeedDocumentType(ctx, scope, in.TypeID); err != nil {
		return TypeNodes{}, err
	}
	rows, err := a.DB.CorpusNodes(ctx, scope, in.TypeID, in.Copies)
	if err != nil {
		return TypeNodes{}, err
	}
	latest, err := a.DB.TypeAnalysis(ctx, scope, in.TypeID, 0)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return TypeNodes{}, err
	}
	wordings := map[string]*db.CorpusWording{}
	for _, n := range latest.Counting(in.Copies).Result.Nodes {
		wordings[n.Label] = n.Wording
	}
	named, err := a.named(ctx)
	return TypeNodes{in.TypeID, newList(rows, func(n db.CorpusNode) TypeNode {
		n.Wording = wordings[n.Label]
		tag := named(n.Label)
		return TypeNode{tag.Name, tag.Family, tag.Description, n}
	}).Items}, err
}

// TypeTree is the usual outline of the files of a type.
type TypeTree struct {
	DocumentTypeID string       `json:"documentTypeId"`
	Name           string       `json:"name"`
	Children       []TypeFamily `json:"children" nullable:"false" doc:"Families in their usual order in a file"`
}

// TypeFamily is a family of nodes in the outline.
type TypeFamily struct {
	Name      string     `json:"name" doc:"Empty for nodes without a family"`
	Place     float64    `json:"place" doc:"Mean position of its nodes, weighted by their frequency"`
	Frequency float64    `json:"frequency" doc:"Frequency of its most frequent node"`
	Children  []TypeNode `json:"children" nullable:"false"`
}

func (a *API) getTypeTree(ctx context.Context, in *TypeNowRef) (TypeTree, error) {
	row, err := a.DB.DocumentType(ctx, auth.Scope(ctx), in.TypeID)
	if err != nil {
		return TypeTree{}, err
	}
	nodes, err := a.listTypeNodes(ctx, in)
	families := corpus.Outline(newList(nodes.Items, func(n TypeNode) corpus.Node { return corpusNode(n.CorpusNode, n.Family) }).Items)
	return TypeTree{DocumentTypeID: row.ID, Name: row.Name, Children: newList(families, func(f corpus.Family) TypeFamily {
		return TypeFamily{
			Name: f.Name, Place: f.Place, Frequency: f.Frequency,
			Children: newList(f.Nodes, func(i int) TypeNode { return nodes.Items[i] }).Items,
		}
	}).Items}, err
}

// TypeReview compares predictions and users' decisions in the files of a type.
type TypeReview struct {
	DocumentTypeID string          `json:"documentTypeId"`
	Totals         ReviewTotals    `json:"totals"`
	Labels         []ReviewedLabel `json:"labels" nullable:"false"`
	Confusion      []ReplacedLabel `json:"confusion" nullable:"false" doc:"Pairs of a predicted label and the label that users set instead, most frequent first"`
	Reviewers      []Reviewer      `json:"reviewers" nullable:"false" doc:"Those with most decisions first"`
	Agreement      ReviewAgreement `json:"agreement"`
	Trend          []ReviewWeek    `json:"trend" nullable:"false"`
}

// ReviewTotals counts sentences.
type ReviewTotals struct {
	Sentences     int `json:"sentences" doc:"Number of classified sentences; one with several labels counts once for each, here and below"`
	Predicted     int `json:"predicted" doc:"Sentences with a predicted label that was not reviewed"`
	None          int `json:"none" doc:"Sentences without a label that were not reviewed"`
	Validated     int `json:"validated" doc:"Sentences whose label users confirmed or set"`
	Confirmed     int `json:"confirmed" doc:"Reviewed predictions whose label was right"`
	ConfirmedNone int `json:"confirmedNone" doc:"Reviewed predictions of no label that were right"`
	Corrected     int `json:"corrected" doc:"Reviewed predictions that users replaced by another label"`
	Rejected      int `json:"rejected" doc:"Reviewed predictions that users replaced by no label"`
	Added         int `json:"added" doc:"Labels that users set where none was predicted"`
}

// ReviewedLabel compares predictions and users' decisions for one node.
type ReviewedLabel struct {
	Label          string    `json:"label"`
	Name           string    `json:"name"`
	Predicted      int       `json:"predicted" doc:"Sentences with the label, predicted and not reviewed"`
	Validated      int       `json:"validated" doc:"Sentences with the label, set or confirmed by users"`
	MeanScore      *float64  `json:"meanScore,omitempty" doc:"Mean score of the predicted ones"`
	Judged         int       `json:"judged" doc:"Predictions of the label that users have reviewed"`
	Confirmed      int       `json:"confirmed" doc:"Number of them that were right"`
	Added          int       `json:"added" doc:"Sentences with the label that users set and the model had not predicted: false negatives"`
	Precision      *float64  `json:"precision,omitempty" doc:"confirmed divided by judged"`
	PrecisionRange []float64 `json:"precisionRange,omitempty" nullable:"false" doc:"95 percent confidence interval of precision (Wilson)"`
	RecallEstimate *float64  `json:"recallEstimate,omitempty" doc:"confirmed divided by the sum of confirmed and added"`
}

// ReplacedLabel is a predicted label that users replaced, with its replacement.
type ReplacedLabel struct {
	From  *string `json:"from" doc:"Predicted label; null for none"`
	To    *string `json:"to"`
	Count int     `json:"count"`
}

// Reviewer is how often one user agrees with predictions.
type Reviewer struct {
	UserID    *string `json:"userId" doc:"null for decisions by API key"`
	Decisions int     `json:"decisions"`
	Agreement float64 `json:"agreement" doc:"Share of decisions on predictions that confirm them"`
}

// ReviewAgreement is the agreement between users.
type ReviewAgreement struct {
	Pairs  int     `json:"pairs" doc:"Number of sentences that two users decided on; for each the last two decisions count"`
	Agreed int     `json:"agreed" doc:"Number of them with equal decisions"`
	Kappa  float64 `json:"kappa" doc:"Cohen's kappa: agreement beyond chance; 1 is full agreement"`
}

// ReviewWeek is a week of decisions.
type ReviewWeek struct {
	Week      string  `json:"week" format:"date" doc:"Monday of the week"`
	Decisions int     `json:"decisions"`
	Precision float64 `json:"precision" doc:"Share of the reviewed predicted labels that were right"`
}

// mostVerdicts bounds the decisions that are read.
const mostVerdicts = 100_000

func (a *API) getTypeReview(ctx context.Context, in *TypeRef) (TypeReview, error) {
	scope := auth.Scope(ctx)
	if err := a.DB.NeedDocumentType(ctx, scope, in.TypeID); err != nil {
		return TypeReview{}, err
	}
	decisions, err := a.DB.TypeDecisions(ctx, scope, in.TypeID, mostVerdicts)
	if err != nil {
		return TypeReview{}, err
	}
	states, err := a.DB.ReviewStates(ctx, scope, in.TypeID)
	if err != nil {
		return TypeReview{}, err
	}
	named, err := a.named(ctx)
	now := newList(states, func(s db.ReviewState) corpus.Labelled {
		return corpus.Labelled{Node: text(s.Label), Predicted: s.Predicted, Validated: s.Validated, Score: s.Score}
	}).Items
	verdicts := newList(decisions, func(d db.TypeDecision) corpus.Verdict {
		return corpus.Verdict{Sentence: d.Part, Reviewer: text(d.UserID), From: text(d.From), To: text(d.To), Predicted: d.Predicted, At: d.At}
	}).Items
	return newTypeReview(in.TypeID, corpus.NewReview(now, verdicts), named), err
}

func newTypeReview(id string, r corpus.Review, named func(string) Tag) TypeReview {
	return TypeReview{
		DocumentTypeID: id,
		Totals: ReviewTotals{
			Sentences: r.Sentences, Predicted: r.Predicted, None: r.None, Validated: r.Validated,
			Confirmed: r.Confirmed, ConfirmedNone: r.ConfirmedNone, Corrected: r.Corrected, Rejected: r.Rejected, Added: r.Added,
		},
		Labels:    newList(r.Nodes, func(n corpus.ReviewedNode) ReviewedLabel { return newReviewedLabel(n, named(n.Node).Name) }).Items,
		Confusion: newList(r.Confusion, func(c corpus.Confusion) ReplacedLabel { return ReplacedLabel{orNull(c.From), orNull(c.To), c.Count} }).Items,
		Reviewers: newList(r.Reviewers, func(v corpus.Reviewer) Reviewer { return Reviewer{orNull(v.Name), v.Verdicts, v.Agreement} }).Items,
		Agreement: ReviewAgreement{r.Pairs, r.Agreed, r.Kappa},
		Trend: newList(r.Weeks, func(w corpus.ReviewWeek) ReviewWeek {
			return ReviewWeek{w.Start.Format(time.DateOnly), w.Verdicts, w.Precision}
		}).Items,
	}
}

func newReviewedLabel(n corpus.ReviewedNode, name string) ReviewedLabel {
	l := ReviewedLabel{
		Label: n.Node, Name: name, Predicted: n.Predicted, Validated: n.Validated, MeanScore: n.Score,
		Judged: n.Judged, Confirmed: n.Confirmed, Added: n.Added,
	}
	if n.Judged > 0 {
		l.Precision, l.PrecisionRange = &n.Precision, []float64{n.Low, n.High}
	}
	if n.Confirmed+n.Added > 0 {
		l.RecallEstimate = &n.Recall
	}
	return l
}

// orNull is null for "" on the wire.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
