package api

import (
	"context"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// filesStats serves measures of files.
func (a *API) filesStats() {
	session := a.area("Files", withSession)
	post(session, "/api/files/{fileId}/stats", "getFileStats", "Get statistics of a file", a.getStats, describe(
		"Returns measures of the file and compares them with other files of its document type, or of the team where it has no type or `compareTo` is team. The comparison takes the 1,000 newest files, this one included. "+
			"The percentile is the share of these files with a lower value, plus half of those with the same value. `include` selects measures; by default all are returned. 409 before the file is analysed."))
}

// Stats is the measures of a file.
type Stats struct {
	FileID   string             `json:"fileId"`
	Language string             `json:"language"`
	Compared Comparison         `json:"compared"`
	Measures map[string]Measure `json:"measures" nullable:"false" doc:"By name: pages, words, sentences, sections, definedTerms, crossReferences; readability, the Flesch-Kincaid grade, for English texts; ocrConfidence, 0 to 100, where pages were recognised by OCR"`
	Labels   []LabelMeasure     `json:"labels" nullable:"false" doc:"Number of sentences for each label, labels that only other files have included"`
}

// Comparison is what a file is compared with.
type Comparison struct {
	Scope          string  `json:"scope" enum:"documentType,team,none"`
	DocumentTypeID *string `json:"documentTypeId,omitempty"`
	Files          int     `json:"files" doc:"Number of files compared, this one included"`
}

// Measure is a measure of a file compared with other files.
type Measure struct {
	Value      float64  `json:"value"`
	CorpusMean *float64 `json:"corpusMean,omitempty" doc:"Mean over the files that have this measure"`
	Percentile *float64 `json:"percentile,omitempty" minimum:"0" maximum:"1"`
}

// LabelMeasure is how many sentences of a file have a label.
type LabelMeasure struct {
	Label string `json:"label"`
	Measure
}

type statsRequest struct {
	FileRef
	Body *struct {
		Include   []string `json:"include,omitempty" nullable:"false" maxItems:"20" enum:"pages,words,sentences,sections,definedTerms,crossReferences,readability,ocrConfidence,labels"`
		CompareTo string   `json:"compareTo,omitempty" enum:"documentType,team,none"`
	}
}

var (
	errNotAnalyzed  = fault.New(fault.Conflict, "the file has not been analysed yet; ask again once its status is completed")
	errUnanalyzable = fault.New(fault.Conflict, "the file could not be analysed; reprocess it from the stage classify")
)

// unanalyzed is the error for requests for results of the analysis, if there is none
// yet or never will be.
func unanalyzed(row db.File) error {
	switch err := row.Unreadable(); {
	case err != nil:
		return coded(err)
	case row.Status.Terminal():
		return errUnanalyzable
	default:
		return errNotAnalyzed
	}
}

func (a *API) getStats(ctx context.Context, in *statsRequest) (Stats, error) {
	row, analyzed, err := a.analyzed(ctx, in.FileID)
	if err != nil {
		return Stats{}, err
	}
	if !analyzed {
		return Stats{}, unanalyzed(row)
	}
	var include []string
	out := Stats{FileID: row.ID, Language: row.Language, Compared: Comparison{Scope: "documentType"}, Measures: map[string]Measure{}, Labels: []LabelMeasure{}}
	if in.Body != nil {
		include = in.Body.Include
		if in.Body.CompareTo != "" {
			out.Compared.Scope = in.Body.CompareTo
		}
	}
	if out.Compared.Scope == "documentType" && row.DocumentTypeID == nil {
		out.Compared.Scope = "team"
	}
	most := comparedFiles
	switch out.Compared.Scope {
	case "none":
		most = 1
	case "documentType":
		out.Compared.DocumentTypeID = row.DocumentTypeID
	}
	rows, err := a.DB.Measures(ctx, auth.Scope(ctx), in.FileID, out.Compared.DocumentTypeID, most)
	for _, m := range rows {
		out.add(m, include)
	}
	return out, err
}

// comparedFiles bounds the files that one is compared with. Reading them takes a
// fraction of a second.
const comparedFiles = 1000

// add adds one measure, if it was requested.
func (s *Stats) add(m db.Measure, include []string) {
	s.Compared.Files = m.Files
	measure := Measure{Value: m.Value}
	if s.Compared.Scope != "none" {
		measure.CorpusMean, measure.Percentile = &m.Mean, &m.Percentile
	}
	label, isLabel := strings.CutPrefix(m.Key, db.LabelMeasure)
	switch {
	case include != nil && !slices.Contains(include, m.Key) && (!isLabel || !slices.Contains(include, "labels")):
	case isLabel:
		s.Labels = append(s.Labels, LabelMeasure{label, measure})
	default:
		s.Measures[m.Key] = measure
	}
}
