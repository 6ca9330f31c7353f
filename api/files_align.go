package api

import (
	"bytes"
	"context"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/corpus"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/search"
	"github.com/clausemill/clausemill/sfdt"
)

// filesAlign serves the comparison of a file with those of a document type, clause by
// clause.
func (a *API) filesAlign() {
	session := a.area("Files", withSession)
	post(session, "/api/files/{fileId}/sfdt/document-types-align", "alignFile", "Align a document with its type's corpus", scheduled(a, a.alignFile), describe(
		"Compares each labelled sentence of the file with the closest sentence of the same label in the other files of a document type: `documentTypeId`, by default the type of the file. "+
			"A sentence is `typical` if the similarity is at least `threshold`, `unusual` if it is lower, and `extra` if no other file has its label. "+
			"A label is `missing` if at least half of the files have it and this one does not. `sfdt` is the file for the Syncfusion editor, with comments on what is not typical. "+
			"At most the first 500 labelled sentences are compared. Duplicates and versions of the file are no other files, unless `copies` is true. 409 before the file is analysed; 422 where it has no type and `documentTypeId` is absent."))
}

type alignRequest struct {
	FileRef
	Body *struct {
		DocumentTypeID string `json:"documentTypeId,omitempty" maxLength:"36"`
		Copies
		Threshold *float64 `json:"threshold,omitempty" minimum:"0" maximum:"1" doc:"Minimum similarity of a typical wording; by default 0.6"`
	}
}

// Alignment is a file compared with those of a type.
type Alignment struct {
	FileID    string     `json:"fileId"`
	Compared  Comparison `json:"compared"`
	Source    string     `json:"source" enum:"docx,text" doc:"What sfdt was made from. docx: the Word document itself; text: the text of a file in another format"`
	Alignment []Aligned  `json:"alignment" nullable:"false" doc:"In reading order; missing labels come last, most frequent first"`
	SFDT      Object     `json:"sfdt"`
}

// Aligned is a sentence with the closest other one, or a label without a sentence.
type Aligned struct {
	SegmentID string     `json:"segmentId,omitempty" doc:"Id of the sentence; absent where the label is missing"`
	Node      string     `json:"node"`
	Name      string     `json:"name" doc:"Name of the node"`
	Status    string     `json:"status" enum:"typical,unusual,missing,extra"`
	Score     float64    `json:"score" minimum:"0" maximum:"1" doc:"Similarity of the two sentences; 0 where there is only one"`
	Frequency float64    `json:"frequency" minimum:"0" maximum:"1" doc:"Share of the files that have the label"`
	Text      string     `json:"text,omitempty"`
	Page      int        `json:"page,omitempty"`
	Span      *Span      `json:"span,omitempty"`
	Reference *Reference `json:"reference,omitempty" doc:"The closest sentence of another file; where the label is missing, a sentence that has it"`
	Diff      []TextEdit `json:"diff,omitempty" doc:"Differences from the sentence of this file to the reference"`
}

// Reference is a sentence of another file.
type Reference struct {
	FileID    string `json:"fileId"`
	FileName  string `json:"fileName"`
	SegmentID string `json:"segmentId"`
	Text      string `json:"text"`
}

const (
	mostAligned      = 500 // sentences
	typicalLikeness  = 0.6
	alignmentSpeaker = "Clausemill"
)

func (a *API) alignFile(ctx context.Context, in *alignRequest) (Alignment, error) {
	typeID, threshold, copies := "", typicalLikeness, Copies{}
	if in.Body != nil {
		typeID, copies = in.Body.DocumentTypeID, in.Body.Copies
		if in.Body.Threshold != nil {
			threshold = *in.Body.Threshold
		}
	}
	row, others, comparison, err := a.ofType(ctx, in.FileID, typeID, Condition{}, copies)
	if err != nil {
		return Alignment{}, err
	}
	if others.DocumentTypeID == nil {
		return Alignment{}, fault.New(fault.Invalid, "the file has no document type; send documentTypeId")
	}
	o, release, err := a.open(ctx, row.ID, 0)
	if err != nil {
		return Alignment{}, err
	}
	defer release()
	out := Alignment{FileID: row.ID, Compared: comparison, Source: string(o.Source)}
	if out.Alignment, err = a.align(ctx, row, others, threshold); err != nil {
		return Alignment{}, err
	}
	made, err := sfdt.Convert(o.doc)
	if err != nil {
		return Alignment{}, err
	}
	made.Annotate(remarks(out.Alignment), alignmentSpeaker, row.UpdatedAt)
	var document bytes.Buffer
	if err := made.Encode(&document); err != nil {
		return Alignment{}, err
	}
	out.SFDT = document.Bytes()
	return out, nil
}

// align finds the closest sentence for each sentence, and the missing labels.
func (a *API) align(ctx context.Context, row db.File, others db.Corpus, threshold float64) ([]Aligned, error) {
	scope := auth.Scope(ctx)
	filter, err := a.apart(ctx, row.ID, Copies{others.Copies}, db.SentenceFilter{DocumentTypeID: *others.DocumentTypeID})
	if err != nil {
		return nil, err
	}
	shares, err := a.DB.NodeShares(ctx, scope, others)
	if err != nil {
		return nil, err
	}
	named, err := a.named(ctx)
	if err != nil {
		return nil, err
	}
	frequency := map[string]float64{}
	for _, s := range shares {
		frequency[s.Label] = s.Frequency
	}
	rows, err := a.DB.FiledSentences(ctx, scope, db.SentenceFilter{FileIDs: []string{row.ID}, Labelled: true}, db.ByPlace, db.SentencePlace{}, mostAligned)
	if err != nil {
		return nil, err
	}
	all := []Aligned{}
	for _, l := range db.EachLabel(rows) {
		s := rows[l.At]
		near, err := a.like(ctx, s.Text, l.Node, filter)
		if err != nil {
			return nil, err
		}
		all = append(all, newAligned(s, named(l.Node), frequency[l.Node], near, threshold))
	}
	missing, err := a.missing(ctx, shares, named, filter)
	return append(all, missing...), err
}

// newAligned is a label of a sentence with the closest one of the other files, nil for none.
func newAligned(s db.FiledSentence, node Tag, frequency float64, near *search.Near, threshold float64) Aligned {
	aligned := Aligned{SegmentID: s.ID, Node: node.Key, Name: node.Name, Frequency: frequency, Text: s.Text, Page: s.Page, Span: &Span{s.Start, s.End}}
	if near == nil {
		aligned.Status = string(corpus.Stands(nil, threshold))
		return aligned
	}
	aligned.Status, aligned.Score, aligned.Reference = string(corpus.Stands(&near.Similarity, threshold)), near.Similarity, newReference(near.FiledSentence)
	aligned.Diff = newList(nlp.DiffWords(s.Text, near.Text), func(e nlp.Edit) TextEdit { return TextEdit(e) }).Items
	return aligned
}

// missing are the expected labels that a file does not have, each with a sentence of
// a file that has it.
func (a *API) missing(ctx context.Context, shares []db.NodeShare, named func(string) Tag, filter db.SentenceFilter) ([]Aligned, error) {
	var all []Aligned
	for _, s := range shares {
		if s.Sentences > 0 || !corpus.Expected(s.Frequency) {
			continue
		}
		filter.Labels = []string{s.Label}
		example, err := a.DB.FiledSentences(ctx, auth.Scope(ctx), filter, db.BySurety, db.SentencePlace{}, 1)
		if err != nil {
			return nil, err
		}
		missing := Aligned{Node: s.Label, Name: named(s.Label).Name, Status: string(corpus.Missing), Frequency: s.Frequency}
		if len(example) > 0 {
			missing.Reference = newReference(example[0])
		}
		all = append(all, missing)
	}
	return all, nil
}

func newReference(s db.FiledSentence) *Reference {
	return &Reference{FileID: s.FileID, FileName: s.FileName, SegmentID: s.ID, Text: s.Text}
}

// like is the closest sentence with a label that a filter lets through, nil if none has
// a word in common.
func (a *API) like(ctx context.Context, text, label string, filter db.SentenceFilter) (*search.Near, error) {
	filter.Labels = []string{label}
	near, err := a.nearest.Sentences(ctx, auth.Scope(ctx), search.NearQuery{Text: text, Filter: filter, Limit: 1})
	if err != nil || len(near) == 0 {
		return nil, err
	}
	return &near[0], nil
}

// remarks are comments on what is not typical.
func remarks(all []Aligned) []sfdt.Note {
	var notes []sfdt.Note
	for _, one := range all {
		like := ""
		if one.Reference != nil {
			like = one.Reference.Text
		}
		if text := corpus.Standing(one.Status).Remark(one.Name, one.Score, one.Frequency, like); text != "" {
			notes = append(notes, sfdt.Note{Quote: one.Text, Text: text})
		}
	}
	return notes
}
