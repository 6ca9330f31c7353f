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

// filesCohort serves comparisons of a file with those of a document type.
func (a *API) filesCohort() {
	const of = "The other files are those of the document type `documentTypeId`, by default the type of the file, or all files of the team where it has no type. `filter` narrows them. Duplicates and versions of the file are left out, unless `copies` is true. 409 before the file is analysed."
	session := a.area("Document types", withSession)
	post(session, "/api/files/{fileId}/document-types/cohort", "getFileCohort", "Find the most similar files of a document type", scheduled(a, a.getCohort), describe(
		"Returns the files with the most similar clauses, ranked as on the scoreboard, and the distribution of the values of their attributes, with the value of this file. "+
			"The cohort is at most 500 files; `limit` cuts what is listed of them, not what is counted. Durations are one value where they are the same number of months, of thirty days each. "+of))
	post(session, "/api/files/{fileId}/document-types/dates", "getFileCohortDates", "Compare the dates of a file with its cohort's", scheduled(a, a.getDates), describe(
		"Compares the dates and durations of the file with those of other files: one date as a series by month, quarter or year, and the durations in days. "+of))
	post(session, "/api/files/{fileId}/document-types/scores", "getFileTypeScores", "Score a file against document types", scheduled(a, a.getTypeScores), describe(
		"Returns the probability of each of the team's document types for this file, as the model predicts them. They add up to 1. "+
			"With `explain`, the three most probable types have evidence: the words of the file with the largest weights for and against the type, and how much more often its labels occur in files of that type. 409 before the model was applied to the file."))
}

// cohortFiles is how many files a cohort has at most, and cohortListed how many of them
// are listed where no limit is given.
const cohortFiles, cohortListed = 500, 50

// cohortRequest asks for the files of a type around one.
type cohortRequest struct {
	FileRef
	Body *struct {
		Condition
		Copies
		DocumentTypeID string   `json:"documentTypeId,omitempty" maxLength:"36"`
		Attributes     []string `json:"attributes,omitempty" nullable:"false" maxItems:"50" doc:"Keys of attributes of files as a whole; by default all"`
		Limit          int      `json:"limit,omitempty" minimum:"1" maximum:"500" default:"50" doc:"Maximum number of files that are listed"`
	}
}

// ofType is what a file is compared with, for an optional type in the request.
func (a *API) ofType(ctx context.Context, fileID, documentTypeID string, c Condition, copies Copies) (db.File, db.Corpus, Comparison, error) {
	if documentTypeID == "" {
		return a.compared(ctx, fileID, nil, c, copies)
	}
	if !isID(documentTypeID) || a.DB.NeedDocumentType(ctx, auth.Scope(ctx), documentTypeID) != nil {
		return db.File{}, db.Corpus{}, Comparison{}, errNoSuchType
	}
	return a.compared(ctx, fileID, &documentTypeID, c, copies)
}

var errNoSuchType = invalid("body.documentTypeId", "does not exist in this team")

// Cohort is the files most similar to one, and the values of their attributes.
type Cohort struct {
	FileID        string               `json:"fileId"`
	Compared      Comparison           `json:"compared"`
	Size          int                  `json:"size" doc:"Number of files in the cohort, listed or not"`
	Items         []AlikeFile          `json:"items" nullable:"false"`
	Distributions []CohortDistribution `json:"distributions" nullable:"false"`
}

// CohortDistribution is the values of one attribute in a cohort, with the value of one
// file.
type CohortDistribution struct {
	db.Distribution
	ThisFile *ValueShare `json:"thisFile,omitempty" doc:"Absent where the file has no value"`
}

// ValueShare is a value with its share.
type ValueShare struct {
	Value string  `json:"value"`
	Share float64 `json:"share" doc:"Share of the other files in the cohort that have this value, out of those that have any value"`
}

func (a *API) getCohort(ctx context.Context, in *cohortRequest) (Cohort, error) {
	documentTypeID, limit := "", cohortListed
	var keys []string
	var condition Condition
	var copies Copies
	if in.Body != nil {
		condition, copies = in.Body.Condition, in.Body.Copies
		documentTypeID, keys, limit = in.Body.DocumentTypeID, in.Body.Attributes, cmp.Or(in.Body.Limit, limit)
	}
	_, others, comparison, err := a.ofType(ctx, in.FileID, documentTypeID, condition, copies)
	if err != nil {
		return Cohort{}, err
	}
	return a.cohort(ctx, others, comparison, keys, limit)
}

func (a *API) cohort(ctx context.Context, others db.Corpus, comparison Comparison, keys []string, limit int) (Cohort, error) {
	scope := auth.Scope(ctx)
	rows, err := a.DB.Scoreboard(ctx, scope, others, cohortFiles)
	if err != nil {
		return Cohort{}, err
	}
	out := Cohort{FileID: others.FileID, Compared: comparison, Size: len(rows), Items: newAlikeFiles(rows[:min(limit, len(rows))]), Distributions: []CohortDistribution{}}
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

// DateCohort compares the dates and durations of a file with those of others.
type DateCohort struct {
	FileID    string         `json:"fileId"`
	Compared  Comparison     `json:"compared"`
	DateKey   string         `json:"dateKey"`
	Bucket    string         `json:"bucket" enum:"month,quarter,year"`
	Series    []DateBucket   `json:"series" nullable:"false" doc:"In order of time; buckets without files are left out"`
	ThisFile  *DatePlace     `json:"thisFile,omitempty" doc:"Absent if the file does not state the date"`
	Undated   int            `json:"undated" doc:"Number of files that do not state the date, or not precisely enough"`
	Durations []DurationRank `json:"durations" nullable:"false"`
}

// DateBucket is the files with a date in one month, quarter or year.
type DateBucket struct {
	From    string   `json:"from" format:"date"`
	To      string   `json:"to" format:"date" doc:"Last day of the bucket"`
	Count   int      `json:"count"`
	FileIDs []string `json:"fileIds" nullable:"false" doc:"At most 50 of the files"`
}

// DatePlace is the rank of a file's date.
type DatePlace struct {
	Date       string  `json:"date" doc:"As precise as the file states it: 2020, 2020-01 or 2020-01-05"`
	Bucket     string  `json:"bucket,omitempty" doc:"Start of its bucket; absent where the date is less precise than a bucket"`
	Percentile float64 `json:"percentile" doc:"Share of earlier dates, plus half of the equal ones"`
}

// DurationRank is the rank of a file's duration, in days.
type DurationRank struct {
	Key      string         `json:"key"`
	Files    int            `json:"files" doc:"Number of files that state the duration"`
	Min      float64        `json:"min" doc:"In days; a year has 365, a month a twelfth of that"`
	P25      float64        `json:"p25"`
	Median   float64        `json:"median"`
	P75      float64        `json:"p75"`
	Max      float64        `json:"max"`
	ThisFile *DurationPlace `json:"thisFile,omitempty"`
}

// DurationPlace is a duration of a file.
type DurationPlace struct {
	Duration   string  `json:"duration" doc:"ISO 8601 duration"`
	Days       float64 `json:"days"`
	Percentile float64 `json:"percentile"`
}

func (a *API) getDates(ctx context.Context, in *struct {
	FileRef
	Body *struct {
		Condition
		Copies
		DocumentTypeID string `json:"documentTypeId,omitempty" maxLength:"36"`
		DateKey        string `json:"dateKey,omitempty" enum:"agreement_date,effective_date,expiration_date" default:"expiration_date"`
		Bucket         string `json:"bucket,omitempty" enum:"month,quarter,year" default:"quarter"`
	}
}) (DateCohort, error) {
	documentTypeID, key, bucket := "", "expiration_date", "quarter"
	var condition Condition
	var copies Copies
	if in.Body != nil {
		condition, copies = in.Body.Condition, in.Body.Copies
		documentTypeID, key, bucket = in.Body.DocumentTypeID, cmp.Or(in.Body.DateKey, key), cmp.Or(in.Body.Bucket, bucket)
	}
	_, others, comparison, err := a.ofType(ctx, in.FileID, documentTypeID, condition, copies)
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
	FileID      string      `json:"fileId"`
	AssignedID  *string     `json:"assignedId" doc:"Id of the type that users assigned; null if they assigned none"`
	PredictedID *string     `json:"predictedId" doc:"Id of the type that the model predicts; null where it abstains"`
	Abstained   bool        `json:"abstained" doc:"true if no type is more probable than all others together"`
	Title       string      `json:"title" doc:"The title that the model found in the text; empty where it found none"`
	ModelID     string      `json:"modelId"`
	Items       []TypeScore `json:"items" nullable:"false" doc:"Most probable first"`
	Stale       bool        `json:"stale" doc:"true if the text, the team's types or the model have changed since the prediction; reprocess the file from classify to update it"`
}

// TypeScore is how likely a file is of one type.
type TypeScore struct {
	Rank           int            `json:"rank"`
	DocumentTypeID string         `json:"documentTypeId"`
	Name           string         `json:"name"`
	Score          float64        `json:"score" minimum:"0" maximum:"1"`
	Evidence       []TypeEvidence `json:"evidence,omitempty" nullable:"false" doc:"Only for the three most probable types, and only with explain"`

	key string // what the model calls the type
}

// TypeEvidence is evidence in a file for a type, or against it.
type TypeEvidence struct {
	Token     string   `json:"token,omitempty" doc:"Words of the file"`
	Weight    *float64 `json:"weight,omitempty" doc:"Weight of the words: what they add to the log-odds; negative if they count against the type"`
	Title     bool     `json:"title,omitempty" doc:"Whether the words are in the title"`
	Label     string   `json:"label,omitempty" doc:"A label that the file has"`
	Sentences int      `json:"sentences,omitempty" doc:"Number of sentences of the file with the label"`
	Lift      *float64 `json:"lift,omitempty" doc:"How many times more frequent the label is in files of the type than in all files of the team"`
}

func (a *API) getTypeScores(ctx context.Context, in *struct {
	FileRef
	Body *struct {
		DocumentTypeIDs []string `json:"documentTypeIds,omitempty" nullable:"false" maxItems:"500" doc:"Only these types"`
		Explain         bool     `json:"explain,omitempty"`
		Copies
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
		if err := a.explainTypes(ctx, &out, in.Body.Copies); err != nil {
			return out, err
		}
	}
	if in.Body.DocumentTypeIDs != nil {
		out.Items = slices.DeleteFunc(out.Items, func(s TypeScore) bool { return !slices.Contains(in.Body.DocumentTypeIDs, s.DocumentTypeID) })
	}
	return out, nil
}

// typeScores reads the prediction of document types for a file.
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

// newTypeScores is a stored prediction in terms of the present types and model.
func newTypeScores(row db.File, guess db.TypeGuess, types []db.DocumentType, modelID string) TypeScores {
	out := TypeScores{FileID: row.ID, Abstained: guess.Abstained, Title: guess.Title, ModelID: guess.ModelID, Items: []TypeScore{}, Stale: guess.Generation != row.Generation || guess.ModelID != modelID}
	if text(row.DocumentTypeSource) == "assigned" {
		out.AssignedID = row.DocumentTypeID
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
		out.Items = append(out.Items, TypeScore{Rank: r.Rank, DocumentTypeID: t.ID, Name: t.Name, Score: s.Probability, key: s.Type})
		if r.At == 0 && !guess.Abstained {
			out.PredictedID = &t.ID
		}
	}
	return out
}

const (
	explainedTypes = 3
	mostEvidence   = 8 // of each sort
)

// explainTypes adds the evidence for the most probable types.
func (a *API) explainTypes(ctx context.Context, out *TypeScores, copies Copies) error {
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
	for i, s := range out.Items[:min(explainedTypes, len(out.Items))] {
		lifts, err := a.DB.NodeLifts(ctx, scope, out.FileID, s.DocumentTypeID, copies.Copies, mostEvidence)
		if err != nil {
			return err
		}
		words := newList(model.Explain(read, s.key, mostEvidence), func(e nlp.TypeEvidence) TypeEvidence {
			return TypeEvidence{Token: e.Words, Weight: &e.Weight, Title: e.Title}
		}).Items
		nodes := newList(lifts, func(l db.NodeLift) TypeEvidence {
			return TypeEvidence{Label: l.Label, Sentences: l.Sentences, Lift: &l.Lift}
		}).Items
		out.Items[i].Evidence = slices.Concat(words, nodes)
	}
	return nil
}
