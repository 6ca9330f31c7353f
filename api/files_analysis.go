package api

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/query"
)

// filesAnalysis serves the stored analysis of files, and starts new ones.
func (a *API) filesAnalysis() {
	session := a.area("Files", withSession)
	post(session, "/api/files/{fileId}/analysis", "analyzeFile", "Analyze a file", a.analyzeFile, describe(
		"Returns the stored analysis if it is current, that is, of the present text by the present rules: attributes of the file, sections and labelled sentences, or what `kinds` selects. The kinds documentType, cohort and radar compare the file with others. They are returned only on request and computed for each request. "+
			"If the stored analysis is not current, or with `force`, the answer is 202 with an operation: the text is segmented and analysed again, and what users set is carried over. "+
			"A file that is being processed is not restarted; the operation follows the running attempt. 409 where there is no text."), mayBe(http.StatusAccepted, "FileAnalysis"))
}

// FileAnalysis is the analysis of a file's text, or the operation that makes it.
type FileAnalysis struct {
	FileID       string        `json:"fileId"`
	Message      string        `json:"message,omitempty"`
	OperationID  string        `json:"operationId,omitempty" doc:"Only with 202"`
	StatusURL    string        `json:"statusUrl,omitempty" doc:"URL of the operation, which reports the progress; only with 202"`
	Version      string        `json:"version,omitempty" doc:"Version of the analysis rules"`
	ModelID      *string       `json:"modelId,omitempty" doc:"The model that labelled the sentences; absent where no model supports the language"`
	Language     string        `json:"language,omitempty"`
	AnalyzedAt   *time.Time    `json:"analyzedAt,omitempty"`
	Attributes   []Attribute   `json:"attributes,omitempty" nullable:"false" doc:"Attributes of the file as a whole"`
	Sections     []SectionNode `json:"sections,omitempty" nullable:"false"`
	Sentences    []Sentence    `json:"sentences,omitempty" nullable:"false" doc:"Sentences with a label"`
	DocumentType *TypeScores   `json:"documentType,omitempty" doc:"Absent where no model of document types supports the language"`
	Cohort       *Cohort       `json:"cohort,omitempty" doc:"The 50 most similar files"`
	Radar        *Radar        `json:"radar,omitempty"`
}

func (r FileAnalysis) underway() string { return r.StatusURL }

// mayBe documents another status of the answer, with the same body.
func mayBe(status int, schema string) option {
	return func(op *huma.Operation) {
		op.Responses = map[string]*huma.Response{strconv.Itoa(status): {
			Description: http.StatusText(status),
			Content:     map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Ref: "#/components/schemas/" + schema}}},
		}}
	}
}

type analysisRequest struct {
	FileRef
	Body *struct {
		Kinds []string `json:"kinds,omitempty" nullable:"false" maxItems:"10" enum:"attributes,sections,sentences,documentType,cohort,radar"`
		Force bool     `json:"force,omitempty" doc:"Analyses the file again even if the stored analysis is current"`
	}
}

func (a *API) analyzeFile(ctx context.Context, in *analysisRequest) (FileAnalysis, error) {
	scope := auth.Scope(ctx)
	row, err := a.DB.File(ctx, scope, in.FileID)
	if err != nil {
		return FileAnalysis{}, err
	}
	stored, err := a.DB.Analysis(ctx, scope, in.FileID)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return FileAnalysis{}, err
	}
	current := err == nil && stored.Generation == row.Generation && stored.Version == nlp.Version
	switch {
	case !row.Status.Terminal():
		return a.followAnalysis(ctx, row)
	case !current || in.Body != nil && in.Body.Force:
		accepted, err := a.startAgain(ctx, row.ID, "analysis", "analysis queued", db.FileOptions{From: string(db.StageSegment)})
		return FileAnalysis{FileID: row.ID, Message: accepted.Message, OperationID: accepted.OperationID, StatusURL: accepted.StatusURL}, err
	}
	kinds := []string{"attributes", "sections", "sentences"}
	if in.Body != nil && in.Body.Kinds != nil {
		kinds = in.Body.Kinds
	}
	return a.storedAnalysis(ctx, row, stored, kinds)
}

// followAnalysis is an operation that ends with the file's running attempt.
func (a *API) followAnalysis(ctx context.Context, row db.File) (FileAnalysis, error) {
	var op db.Operation
	err := a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		if op, err = tx.CreateOperation(ctx, auth.Scope(ctx), "analysis", 1, nil); err != nil {
			return err
		}
		if err := tx.Audit(ctx, auth.Scope(ctx), "file.analyze", "file", row.ID, map[string]any{"operationId": op.ID}); err != nil {
			return err
		}
		return tx.FollowFiles(ctx, op.ID, []db.Attempt{{FileID: row.ID, Number: row.Attempt}})
	})
	accepted := newAccepted("the file is being processed", op, row.ID)
	return FileAnalysis{FileID: row.ID, Message: accepted.Message, OperationID: accepted.OperationID, StatusURL: accepted.StatusURL}, err
}

// storedAnalysis reads the requested kinds of results.
func (a *API) storedAnalysis(ctx context.Context, row db.File, stored db.Analysis, kinds []string) (out FileAnalysis, err error) {
	scope := auth.Scope(ctx)
	out = FileAnalysis{FileID: row.ID, Version: stored.Version, ModelID: stored.ModelID, Language: row.Language, AnalyzedAt: utc(&stored.AnalyzedAt)}
	if slices.Contains(kinds, "attributes") {
		if out.Attributes, err = a.attributes(ctx, row.ID, db.AttributePlace{Level: db.FileLevel, After: -1, Limit: maxFileAttributes}); err != nil {
			return out, err
		}
	}
	if slices.Contains(kinds, "sections") {
		sections, err := a.DB.Sections(ctx, scope, row.ID, db.SectionFilter{}, -1, math.MaxInt32)
		if err != nil {
			return out, err
		}
		out.Sections, _ = plant(sections, 0)
	}
	if slices.Contains(kinds, "sentences") {
		labelled, err := a.DB.LabelledSentences(ctx, scope, row.ID)
		if err != nil {
			return out, err
		}
		if err := a.DB.AddClauses(ctx, scope, labelled); err != nil {
			return out, err
		}
		out.Sentences = newList(labelled, newSentence).Items
	}
	return out, a.addComparisons(ctx, row, kinds, &out)
}

// addComparisons adds the requested kinds that compare the file with others.
func (a *API) addComparisons(ctx context.Context, row db.File, kinds []string, out *FileAnalysis) error {
	if slices.Contains(kinds, "documentType") {
		scores, err := a.typeScores(ctx, row)
		if err != nil && fault.KindOf(err) != fault.Conflict { // a file can be analysed and have none
			return err
		}
		if err == nil {
			out.DocumentType = &scores
		}
	}
	if !slices.Contains(kinds, "cohort") && !slices.Contains(kinds, "radar") {
		return nil
	}
	corpus, comparison, err := a.comparedWith(ctx, row, row.DocumentTypeID, query.Filter{}, Copies{})
	if err != nil {
		return err
	}
	if slices.Contains(kinds, "cohort") {
		cohort, err := a.cohort(ctx, corpus, comparison, nil, cohortListed)
		if err != nil {
			return err
		}
		out.Cohort = &cohort
	}
	if slices.Contains(kinds, "radar") {
		axes, err := a.radar(ctx, corpus)
		out.Radar = &Radar{row.ID, comparison, axes}
		return err
	}
	return nil
}
