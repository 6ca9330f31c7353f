package api

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/corpus"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
)

// filesCohort serves a file among those of a document type.
func (a *API) filesCohort() {
	const of = "Of the document type `documentTypeId`, or of the file's own; of the team where it has none; those that `where` lets through. 409 before the file is analysed."
	session := a.area("Document types", withSession)
	post(session, "/api/files/{fileId}/document-types/cohort", "getFileCohort", "Find the most similar files of a document type", scheduled(a, a.getCohort), describe(
		"The files most like it in what clauses they have, as on the scoreboard, and what they say of their attributes beside what this file says. "+of))
	post(session, "/api/files/{fileId}/document-types/dates", "getFileCohortDates", "Compare the dates of a file with its cohort's", scheduled(a, a.getDates), describe(
		"How the file's dates and durations stand among those of the others: a date in a series by month, quarter or year, and the durations in days. "+of))
	post(session, "/api/files/{fileId}/document-types/scores", "getFileTypeScores", "Score a file against document types", scheduled(a, a.getTypeScores), describe(
		"How likely the file is of each of the team's types, by the model that predicts them; they add up to 1. "+
			"With `explain`, the words of the file that weigh most for and against the likeliest, and how much more often its labels occur in the files of that type. 409 before the model has read the file."))
}

// cohortFiles is how many files a cohort has where no limit is given.
const cohortFiles = 50

// cohortRequest asks for the files of a type around one.
type cohortRequest struct {
	FileRef
	Body *struct {
		Condition
		DocumentTypeID string   `json:"documentTypeId,omitempty" maxLength:"36"`
		Attributes     []string `json:"attributes,omitempty" nullable:"false" maxItems:"50" doc:"Keys of attributes at file level; all without it"`
		Limit          int      `json:"limit,omitempty" minimum:"1" maximum:"500" default:"50" doc:"How many files at most"`
	}
}

// ofType is what a file is compared with, where a type is asked for.
func (a *API) ofType(ctx context.Context, fileID, documentTypeID string, c Condition) (db.File, db.Corpus, Comparison, error) {
	if documentTypeID == "" {
		return a.compared(ctx, fileID, nil, c)
	}
	if !isID(documentTypeID) || a.DB.NeedDocumentType(ctx, auth.Scope(ctx), documentTypeID) != nil {
		return db.File{}, db.Corpus{}, Comparison{}, errNoSuchType
	}
	return a.compared(ctx, fileID, &documentTypeID, c)
}

var errNoSuchType = invalid("body.documentTypeId", "names nothing in this team")

// Cohort is the files most like one, and what they say.
type Cohort struct {
	FileID        string               `json:"fileId"`
	Compared      Comparison           `json:"compared"`
	Size          int                  `json:"size" doc:"Files of the cohort"`
	Files         []AlikeFile          `json:"files" nullable:"false"`
	Distributions []CohortDistribution `json:"distributions" nullable:"false"`
}

// CohortDistribution is what the files of a cohort say of one attribute, beside what
// one file says.
type CohortDistribution struct {
	db.Distribution
	ThisFile *ValueShare `json:"thisFile,omitempty" doc:"Absent where the file says nothing of it"`
}

// ValueShare is a value with how common it is.
type ValueShare struct {
	Value string  `json:"value"`
	Share float64 `json:"share" doc:"Share of the other files in the cohort that have this value, out of those that have any value"`
}

func (a *API) getCohort(ctx context.Context, in *cohortRequest) (Cohort, error) {
	documentTypeID, limit := "", cohortFiles
	var keys []string
	var condition Condition
	if in.Body != nil {
		condition = in.Body.Condition
		documentTypeID, keys, limit = in.Body.DocumentTypeID, in.Body.Attributes, cmp.Or(in.Body.Limit, limit)
	}
	_, others, comparison, err := a.ofType(ctx, in.FileID, documentTypeID, condition)
	if err != nil {
		return Cohort{}, err
	}
	return a.cohort(ctx, others, comparison, keys, limit)
}

func (a *API) cohort(ctx context.Context, others db.Corpus, comparison Comparison, keys []string, limit int) (Cohort, error) {
	scope := auth.Scope(ctx)
	rows, err := a.DB.Scoreboard(ctx, scope, others, limit)
	if err != nil {
		return Cohort{}, err
	}
	out := Cohort{FileID: others.FileID, Compared: comparison, Size: len(rows), Files: newAlikeFiles(rows), Distributions: []CohortDistribution{}}
	theirs, err := a.DB.Distributions(ctx, scope, newList(rows, func(r db.Alike) string { return r.FileID }).Items, others.FileID)
	if err != nil {
		return out, err
	}
	for _, d := range theirs {
		if keys != nil && !slices.Contains(keys, d.Key) {
			continue
		}
		item := CohortDistribution{Distribution: d.Distribution}
		if d.Own != nil {
			item.ThisFile = &ValueShare{Value: *d.Own, Share: corpus.Share(d.OwnFiles, d.Files)}
		}
		out.Distributions = append(out.Distributions, item)
	}
	return out, nil
}

// DateCohort is how the dates and durations of a file stand among others.
type DateCohort struct {
	FileID    string         `json:"fileId"`
	Compared  Comparison     `json:"compared"`
	DateKey   string         `json:"dateKey"`
	Bucket    string         `json:"bucket" enum:"month,quarter,year"`
	Series    []DateBucket   `json:"series" nullable:"false" doc:"In order; buckets without files are left out"`
	ThisFile  *DatePlace     `json:"thisFile,omitempty" doc:"Absent if the file does not state the date"`
	Undated   int            `json:"undated" doc:"Files that do not state the date, or not precisely enough"`
	Durations []DurationRank `json:"durations" nullable:"false"`
}

// DateBucket is the files with a date in one month, quarter or year.
type DateBucket struct {
	From    string   `json:"from" format:"date"`
	To      string   `json:"to" format:"date" doc:"Its last day"`
	Count   int      `json:"count"`
	FileIDs []string `json:"fileIds" nullable:"false" doc:"At most 50"`
}

// DatePlace is where the date of a file stands.
type DatePlace struct {
	Date       string  `json:"date" doc:"As far as it is known: 2020, 2020-01 or 2020-01-05"`
	Bucket     string  `json:"bucket,omitempty" doc:"Where its bucket begins; absent where the date is coarser"`
	Percentile float64 `json:"percentile" doc:"The share of dates that are earlier, and half of those that are the same"`
}

// DurationRank is where a duration of a file stands, in days.
type DurationRank struct {
	Key      string         `json:"key"`
	Files    int            `json:"files" doc:"Files that state it"`
	Min      float64        `json:"min" doc:"Days; a year counts 365, a month the twelfth of it"`
	P25      float64        `json:"p25"`
	Median   float64        `json:"median"`
	P75      float64        `json:"p75"`
	Max      float64        `json:"max"`
	ThisFile *DurationPlace `json:"thisFile,omitempty"`
}

// DurationPlace is a duration of a file.
type DurationPlace struct {
	Duration   string  `json:"duration" doc:"ISO 8601"`
	Days       float64 `json:"days"`
	Percentile float64 `json:"percentile"`
}

func (a *API) getDates(ctx context.Context, in *struct {
	FileRef
	Body *struct {
		Condition
		DocumentTypeID string `json:"documentTypeId,omitempty" maxLength:"36"`
		DateKey        string `json:"dateKey,omitempty" enum:"agreement_date,effective_date,expiration_date" default:"expiration_date"`
		Bucket         string `json:"bucket,omitempty" enum:"month,quarter,year" default:"quarter"`
	}
}) (DateCohort, error) {
	documentTypeID, key, bucket := "", "expiration_date", "quarter"
	var condition Condition
	if in.Body != nil {
		condition = in.Body.Condition
		documentTypeID, key, bucket = in.Body.DocumentTypeID, cmp.Or(in.Body.DateKey, key), cmp.Or(in.Body.Bucket, bucket)
	}
	_, others, comparison, err := a.ofType(ctx, in.FileID, documentTypeID, condition)
	if err != nil {
		return DateCohort{}, err
	}
	rows, err := a.DB.DatesOf(ctx, auth.Scope(ctx), others)
	if err != nil {
		return DateCohort{}, err
	}
	return newDateCohort(in.FileID, comparison, key, bucket, rows), nil
}

// mostBucketFiles is how many files of a bucket are named.
const mostBucketFiles = 50

func newDateCohort(fileID string, comparison Comparison, key, bucket string, rows []db.Dated) DateCohort {
	var dates []corpus.Dated
	var durations []corpus.Lasting
	for _, r := range rows {
		if r.Key == key && r.Date != nil {
			dates = append(dates, corpus.Dated{FileID: r.FileID, Date: *r.Date})
		}
		if r.Duration != nil {
			durations = append(durations, corpus.Lasting{FileID: r.FileID, Key: r.Key, Duration: *r.Duration})
		}
	}
	series := corpus.InBuckets(dates, fileID, corpus.Period(bucket))
	out := DateCohort{
		FileID: fileID, Compared: comparison, DateKey: key, Bucket: bucket, Undated: comparison.Files - series.Dates,
		Series: newList(series.Buckets, func(b corpus.Bucket) DateBucket {
			return DateBucket{From: b.From, To: b.To, Count: len(b.Files), FileIDs: b.Files[:min(mostBucketFiles, len(b.Files))]}
		}).Items,
		Durations: newList(corpus.RankDurations(durations, fileID), newDurationRank).Items,
	}
	if p := series.Own; p != nil {
		out.ThisFile = &DatePlace{Date: p.Date, Bucket: p.From, Percentile: p.Percentile}
	}
	return out
}

func newDurationRank(r corpus.Rank) DurationRank {
	out := DurationRank{Key: r.Key, Files: r.Files, Min: r.Min, P25: r.P25, Median: r.Median, P75: r.P75, Max: r.Max}
	if l := r.Own; l != nil {
		out.ThisFile = &DurationPlace{Duration: l.Duration, Days: l.Days, Percentile: l.Percentile}
	}
	return out
}

// TypeScores is how likely a file is of each type.
type TypeScores struct {
	FileID    string      `json:"fileId"`
	Assigned  *string     `json:"assigned" doc:"The type that users set; null if they did not"`
	Predicted *string     `json:"predicted" doc:"The type that the model gives it; null where it abstains"`
	Abstained bool        `json:"abstained" doc:"No type is likelier than all others together"`
	Title     string      `json:"title" doc:"That the model read in the text; empty where it found none"`
	ModelID   string      `json:"modelId"`
	Scores    []TypeScore `json:"scores" nullable:"false" doc:"The likeliest first"`
	Stale     bool        `json:"stale" doc:"The text, the team's types or the model of types have changed since; reprocess the file from classify for what they say now"`
}

// TypeScore is how likely a file is of one type.
type TypeScore struct {
	Rank           int            `json:"rank"`
	DocumentTypeID string         `json:"documentTypeId"`
	Name           string         `json:"name"`
	Score          float64        `json:"score" minimum:"0" maximum:"1"`
	Evidence       []TypeEvidence `json:"evidence,omitempty" nullable:"false" doc:"Of the three likeliest, where it is asked for"`

	key string // what the model calls the type
}

// TypeEvidence is something of a file that speaks for a type, or against it.
type TypeEvidence struct {
	Token     string   `json:"token,omitempty" doc:"Words of the file"`
	Weight    *float64 `json:"weight,omitempty" doc:"Of the words: what they add to the logarithm of the odds; below 0 where they speak against it"`
	Title     bool     `json:"title,omitempty" doc:"The words are in the title"`
	Label     string   `json:"label,omitempty" doc:"A node that the file has"`
	Sentences int      `json:"sentences,omitempty" doc:"Of the file that have the node"`
	Lift      *float64 `json:"lift,omitempty" doc:"Of the node: how many times more often the files of the type have it than the team's files do"`
}

func (a *API) getTypeScores(ctx context.Context, in *struct {
	FileRef
	Body *struct {
		DocumentTypeIDs []string `json:"documentTypeIds,omitempty" nullable:"false" maxItems:"500" doc:"Only these types"`
		Explain         bool     `json:"explain,omitempty"`
	}
}) (TypeScores, error) {
	row, err := a.DB.File(ctx, auth.Scope(ctx), in.FileID)
	if err != nil {
		return TypeScores{}, err
	}
	out, err := a.typeScores(ctx, row)
	if err != nil || in.Body == nil {
		return out, err
	}
	if in.Body.Explain {
		if err := a.explainTypes(ctx, &out); err != nil {
			return out, err
		}
	}
	if in.Body.DocumentTypeIDs != nil {
		out.Scores = slices.DeleteFunc(out.Scores, func(s TypeScore) bool { return !slices.Contains(in.Body.DocumentTypeIDs, s.DocumentTypeID) })
	}
	return out, nil
}

// typeScores reads what the model of types made of a file.
func (a *API) typeScores(ctx context.Context, row db.File) (TypeScores, error) {
	scope := auth.Scope(ctx)
	guess, err := a.DB.TypeGuess(ctx, scope, row.ID)
	if fault.KindOf(err) == fault.NotFound {
		return TypeScores{}, unanalyzed(row)
	}
	if err != nil {
		return TypeScores{}, err
	}
	types, err := a.DB.TypeKeys(ctx, scope)
	if err != nil {
		return TypeScores{}, err
	}
	teamModel, err := a.DB.TypeModelID(ctx, scope, nlp.BaseTypeModelID())
	return newTypeScores(row, guess, types, cmp.Or(teamModel, nlp.BaseTypeModelID())), err
}

// newTypeScores is a guess by the types and the model that are there.
func newTypeScores(row db.File, guess db.TypeGuess, types []db.DocumentType, modelID string) TypeScores {
	out := TypeScores{FileID: row.ID, Abstained: guess.Abstained, Title: guess.Title, ModelID: guess.ModelID, Scores: []TypeScore{}, Stale: guess.Generation != row.Generation || guess.ModelID != modelID}
	if text(row.DocumentTypeSource) == "assigned" {
		out.Assigned = row.DocumentTypeID
	}
	offered := map[string]db.DocumentType{}
	for _, t := range types {
		if !t.Hidden {
			offered[t.ModelKey()] = t
		}
	}
	ranked := corpus.Likeliest(newList(guess.Scores, func(s db.TypeScore) string { return s.Type }).Items, func(key string) bool {
		_, ok := offered[key]
		return ok
	})
	out.Stale = out.Stale || len(ranked) < len(guess.Scores)
	for _, r := range ranked {
		s := guess.Scores[r.At]
		t := offered[s.Type]
		out.Scores = append(out.Scores, TypeScore{Rank: r.Rank, DocumentTypeID: t.ID, Name: t.Name, Score: s.Probability, key: s.Type})
		if r.At == 0 && !guess.Abstained {
			out.Predicted = &t.ID
		}
	}
	return out
}

const (
	explainedTypes = 3
	mostEvidence   = 8 // of each sort
)

// explainTypes tells what speaks for the likeliest types.
func (a *API) explainTypes(ctx context.Context, out *TypeScores) error {
	scope := auth.Scope(ctx)
	pages, err := a.DB.PageTexts(ctx, scope, out.FileID)
	if err != nil {
		return err
	}
	_, model, err := a.models.ActiveTypes(ctx, scope)
	if err != nil {
		return err
	}
	read := nlp.TypeText{Title: out.Title, Text: strings.Join(pages, "\f")}
	for i, s := range out.Scores[:min(explainedTypes, len(out.Scores))] {
		lifts, err := a.DB.NodeLifts(ctx, scope, out.FileID, s.DocumentTypeID, mostEvidence)
		if err != nil {
			return err
		}
		words := newList(model.Explain(read, s.key, mostEvidence), func(e nlp.TypeEvidence) TypeEvidence {
			return TypeEvidence{Token: e.Words, Weight: &e.Weight, Title: e.Title}
		}).Items
		nodes := newList(lifts, func(l db.NodeLift) TypeEvidence {
			return TypeEvidence{Label: l.Label, Sentences: l.Sentences, Lift: &l.Lift}
		}).Items
		out.Scores[i].Evidence = slices.Concat(words, nodes)
	}
	return nil
}
