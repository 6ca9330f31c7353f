package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/draft"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/redline"
	"github.com/clausemill/clausemill/sfdt"
)

// filesRedline serves the changes of documents, and documents with their changes
// applied.
func (a *API) filesRedline() {
	const base = " For a file that is not a DOCX, a Word document is built from its structure (`source: \"text\"`)."
	const made = " The result is made once for a document and a set of changes, and stored for a week. If it takes longer than `wait` seconds, the answer is 202 with Retry-After. " +
		"By default the answer is JSON with the checks and the bytes; `format` or the Accept header selects the bytes alone." + base +
		" `base` is the SHA-256 of the document that the caller has seen; if the document is another one, it is 409."
	session := a.area("Files", withSession)
	get(session, "/api/files/{fileId}/changes", "listChanges", "List the changes of a document", a.listChanges, describe(
		"Lists the proposed changes in the order of their creation, then the tracked changes (`rev_…`) and comments (`com_…`) of the document, in document order."+base))
	post(session, "/api/files/{fileId}/changes", "createChanges", "Propose changes to a document", a.createChanges, status(http.StatusCreated), body(maxChangeBody), describe(
		"Proposes one change, or with `changes` up to 1,000, all of them or none. `anchor` has a position, a text, or both; with both, the text decides. It is resolved at once and returned as `resolved`. "+
			"`anchor.span` is the span of a sentence, section or quote, as another operation returned it. It selects one of several places with the same text. Over several table cells, an edit becomes one change for each cell, and a comment is placed at the first. "+
			"A text that does not occur is 422. A text that occurs more than once is 409, with the places in `details`. "+
			"The text may extend over several paragraphs: any white space matches the end of a paragraph, and it may contain the numbers that lists show. A text that crosses the boundary of a cell is 422, with the text of each cell in `details`. "+
			"Changes of the same text are 409. `compareTo` is used without the other fields: it proposes the changes that turn this document into that of another file. "+
			"`moves` then has the pairs of changes that only move a paragraph, and `left` what changes cannot express. "+
			"With `preview` the changes are checked and returned, and nothing is stored."+base))
	raw(session, http.MethodGet, "/api/files/{fileId}/execute-redline", "getRedline", "Get a document with its changes as tracked changes", a.executeRedline, etagged, a.documentRendition, orLater(a), describe(
		"Returns the document with the open changes as tracked changes and comments, each with its author and date."+made))
	raw(session, http.MethodGet, "/api/files/{fileId}/execute-revision", "getRevision", "Get a document with its changes carried out", a.executeRevision, etagged, a.documentRendition, orLater(a), describe(
		"Returns the clean document: open changes are applied without tracking, decisions are carried out, and `existing` sets whether the other tracked changes are accepted, rejected or kept."+made))
	post(session, "/api/files/{fileId}/execute-redline-revisions", "executeRedlineDecisions", "Carry out decisions on tracked changes", a.executeDecisions, eitherWay[DecisionOptions](a), describe(
		"Carries out the accept and reject decisions on the tracked changes of the document. The result becomes the next version of the file. "+
			"`decision` applies to all tracked changes without a decision; `author` restricts it to those of one author. Without any decision nothing changes. 422 for a file that is not a DOCX. 202 with an operation where it takes longer than `wait` seconds."))
	post(session, "/api/files/{fileId}/execute-all", "executeAllChanges", "Carry out all changes of a document", a.executeAll, status(http.StatusAccepted), eitherWay[ExecuteOptions](a), describe(
		"Applies all open changes and decisions, without tracking. The result becomes the next version of the file, which is then processed, analysed and indexed again. "+
			"Tracked changes without a decision stay. 422 for a file that is not a DOCX."))
}

// documentRendition describes an answer in several formats.
func (a *API) documentRendition(op *huma.Operation) {
	registry := a.huma.OpenAPI().Components.Schemas
	rendition := registry.Schema(reflect.TypeFor[Rendition](), true, "")
	sections := map[string]*huma.Schema{"sections": {Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeObject}}}
	op.Responses = map[string]*huma.Response{
		"200": {Description: http.StatusText(http.StatusOK), Content: map[string]*huma.MediaType{
			jsonType:          {Schema: rendition},
			sfdt.ContentType:  {Schema: &huma.Schema{Type: huma.TypeObject, Properties: sections, Required: []string{"sections"}}},
			docx.ContentType:  {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
			"text/html":       {Schema: &huma.Schema{Type: huma.TypeString}},
			"application/pdf": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
		}},
	}
}

// Change is a proposed change, or a tracked change or comment of the document.
type Change struct {
	ID         string            `json:"id"`
	FileID     string            `json:"fileId"`
	Origin     string            `json:"origin" enum:"proposed,document"`
	Type       string            `json:"type" doc:"For proposed changes: insert, delete, replace, rewrite, insertParagraph, deleteParagraph, insertRow, deleteRow, insertCell, deleteCell, format, properties, comment, reply, accept, reject or withdraw. For tracked changes of the document: the kind of mark (ins, del, moveFrom, moveTo, rPrChange, …). For its comments: comment"`
	Anchor     *redline.Anchor   `json:"anchor,omitempty"`
	Text       string            `json:"text,omitempty"`
	Side       redline.Side      `json:"side,omitempty"`
	Style      string            `json:"style,omitempty"`
	Cells      []string          `json:"cells,omitempty"`
	Content    bool              `json:"content,omitempty" doc:"Only from a comparison: it brings along what text cannot say, such as formatting, tables, pictures and notes"`
	Format     *docx.Format      `json:"format,omitempty"`
	Of         docx.Holder       `json:"of,omitempty" enum:"text,paragraph,mark,table,grid,row,cell,section" doc:"For properties: what has them. mark is the end of a paragraph, which has properties like text, grid the widths of the columns of a table"`
	Settings   *docx.Settings    `json:"settings,omitempty" doc:"For properties, format and insertParagraph: properties of WordprocessingML that are set and taken out, beside format"`
	Comment    string            `json:"comment,omitempty"`
	Target     string            `json:"target,omitempty" doc:"For a comment of the document: id of the comment that it replies to"`
	On         string            `json:"on,omitempty" doc:"For tracked changes of the document: what the mark applies to, which is text, mark, row, cell, numbering, properties or math"`
	Pair       string            `json:"pair,omitempty" doc:"For a move: id of the change at its other end"`
	Properties []string          `json:"properties,omitempty" doc:"For changes of properties, proposed or tracked: the properties that differ, as the elements of WordprocessingML (b, sz, jc, …)"`
	Done       bool              `json:"done,omitempty" doc:"For a comment of the document: whether it is resolved"`
	Author     redline.Author    `json:"author"`
	Date       *time.Time        `json:"date,omitempty" doc:"The date of the mark in the document"`
	Status     string            `json:"status" enum:"proposed,executed,withdrawn,stale,open,accepted,rejected" doc:"open, accepted and rejected are for tracked changes of the document; accepted and rejected have a decision that is not carried out yet"`
	Resolved   *redline.Resolved `json:"resolved,omitempty" doc:"Position in the document"`
	Error      *redline.Refused  `json:"error,omitempty" doc:"Why the change could not be carried out"`
	Version    int               `json:"version,omitempty" doc:"For a proposed change: number of the version of the file that its position refers to. An open change moves to the next version if its text is there"`
	Ended      int               `json:"endedVersion,omitempty" doc:"Number of the version in which the change was carried out, or to which it could not move"`
	CreatedBy  *string           `json:"createdBy,omitempty"`
	CreatedAt  *time.Time        `json:"createdAt,omitempty"`
}

// Changes is the answer to what the changes of a document are.
type Changes struct {
	Items      []Change      `json:"items" nullable:"false"`
	Total      int           `json:"total"`
	NextCursor string        `json:"nextCursor,omitempty"`
	Document   ChangedSource `json:"document"`

	Passages []redline.Passage `json:"passages,omitempty" doc:"Only with passages: the document that the positions refer to"`
}

// ChangedSource is the document that changes are about.
type ChangedSource struct {
	SHA256    string       `json:"sha256"`
	Version   int          `json:"version" doc:"Number of the version of the file"`
	Source    draft.Source `json:"source" enum:"docx,text"`
	Revisions int          `json:"revisions" doc:"Number of tracked changes in the document"`
	Comments  int          `json:"comments"`
}

func newChange(row db.Change) (Change, error) {
	var c redline.Change
	if err := json.Unmarshal(row.Body, &c); err != nil {
		return Change{}, fault.Wrap(fault.Internal, "a change cannot be read", err)
	}
	created, date := row.CreatedAt.UTC(), c.Date.UTC()
	out := Change{
		ID: row.ID, FileID: row.FileID, Origin: "proposed", Type: string(c.Type), Text: redline.Readable(c.Text, c.Content), Content: len(c.Content) > 0, Side: c.Side, Style: c.Style, Cells: c.Cells,
		Comment: c.Comment, Target: c.Target, Author: c.Author, Date: &date, Status: string(row.Status), Version: row.Version,
		CreatedBy: row.CreatedBy, CreatedAt: &created,
	}
	if row.Ended != nil {
		out.Ended = *row.Ended
	}
	if c.Anchor != (redline.Anchor{}) {
		out.Anchor = &c.Anchor
	}
	if !c.Format.IsZero() {
		out.Format = &c.Format
	}
	if !c.Settings.IsZero() {
		out.Of, out.Settings, out.Properties = c.Of, &c.Settings, c.Settings.Names()
	}
	if row.Resolved != nil {
		if err := json.Unmarshal(row.Resolved, &out.Resolved); err != nil {
			return Change{}, fault.Wrap(fault.Internal, "a change cannot be read", err)
		}
	}
	if row.Error != nil {
		if err := json.Unmarshal(row.Error, &out.Error); err != nil {
			return Change{}, fault.Wrap(fault.Internal, "a change cannot be read", err)
		}
	}
	return out, nil
}

// newChanges are the proposed changes of a document, and the document's own tracked
// changes and comments, with the proposed decisions on them.
func newChanges(rows []db.Change, o *opened) (proposed, standing []Change, err error) {
	for _, row := range rows {
		c, err := newChange(row)
		if err != nil {
			return nil, nil, err
		}
		proposed = append(proposed, c)
	}
	open, err := openOf(rows, nil)
	marks := redline.Standing(o.doc, open)
	return proposed, newList(marks, func(m redline.Mark) Change { return newStanding(o.file.ID, m) }).Items, err
}

// decided is the status of a tracked change by the decision about it.
var decided = map[redline.Type]string{"": "open", redline.Accept: "accepted", redline.Reject: "rejected"}

func newStanding(fileID string, m redline.Mark) Change {
	c := Change{
		ID: m.ID, FileID: fileID, Origin: "document", Type: m.Kind, On: m.On, Text: m.Text, Target: m.Target, Author: m.Author, Date: dated(m.Date),
		Status: decided[m.Decision], Resolved: m.Resolved, Pair: m.Pair, Properties: m.Properties, Done: m.Done,
	}
	if m.Comment {
		c.Type = "comment"
	}
	return c
}

func dated(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// opened is a file with its Word document.
type opened struct {
	file db.File
	draft.Draft
	sha256 string
	doc    *docx.Document
}

// open reads the Word document of a version of a file, 0 for the current one. Only as
// many as there are processors are open at once, since one may take a hundred megabytes.
func (a *API) open(ctx context.Context, fileID string, version int) (*opened, func(), error) {
	file, err := a.DB.FileAt(ctx, auth.Scope(ctx), fileID, version)
	if err != nil {
		return nil, nil, err
	}
	release, err := a.quotas.texts.take(ctx)
	if err != nil {
		return nil, nil, err
	}
	o := &opened{file: file}
	if o.Draft, err = draft.Read(ctx, a.DB, a.Blobs, a.Pictures, auth.Scope(ctx), file); err == nil {
		o.sha256 = redline.SHA256(o.Data)
		o.doc, err = docx.Open(o.Data)
	}
	if err != nil {
		release()
		return nil, nil, coded(err)
	}
	return o, release, nil
}

// coded gives an error of editing its own code, for programs.
func coded(err error) error {
	code := fault.CodeOf(err)
	if code == fault.InternalCode || fault.KindOf(err) == fault.Internal {
		return err
	}
	e := newError(statuses[fault.KindOf(err)], fault.Message(err))
	e.Code = string(code)
	if code == draft.ErrNotReady.Code {
		e.retryAfter = 2
	}
	if code == fault.ConversionFailed {
		e.retryAfter = int(db.KeepAttempt.Seconds())
	}
	return e
}

// refused is the answer to a change that cannot be made.
func refused(location string, failed *redline.Error) error {
	e := newError(statuses[failed.Kind], failed.Message, Detail{location, failed.Message})
	e.Code = string(failed.Code)
	for _, c := range failed.Candidates {
		e.Details = append(e.Details, Detail{
			Location: fmt.Sprintf("%s block %d, %d to %d", c.Part, c.Block, c.Start, c.End),
			Message:  c.Before + "[" + c.Text + "]" + c.After,
		})
	}
	if failed.With != "" {
		e.Details = append(e.Details, Detail{"change", failed.With})
	}
	return e
}

type listChangesRequest struct {
	AtVersion
	Page
	Status string `query:"status" enum:"proposed,executed,withdrawn,stale,open,accepted,rejected" doc:"Only changes with this status"`
	Origin string `query:"origin" enum:"proposed,document" doc:"Only proposed changes, or only tracked changes and comments of the document"`

	Passages bool `query:"passages" doc:"Returns the text of the document with the first page: its paragraphs and tables, with tracked changes, list numbers and format. Text boxes are left out"`
}

func (a *API) listChanges(ctx context.Context, in *listChangesRequest) (Changes, error) {
	from, err := in.offset("changes")
	if err != nil {
		return Changes{}, err
	}
	o, release, err := a.open(ctx, in.FileID, in.Version)
	if err != nil {
		return Changes{}, err
	}
	defer release()
	rows, err := a.DB.Changes(ctx, auth.Scope(ctx), in.FileID)
	if err != nil {
		return Changes{}, err
	}
	rows = slices.DeleteFunc(rows, func(row db.Change) bool { return in.Version != 0 && row.Version != in.Version })
	proposed, standing, err := newChanges(rows, o)
	if err != nil {
		return Changes{}, err
	}
	comments := len(o.doc.Comments())
	all := slices.DeleteFunc(append(proposed, standing...), func(c Change) bool {
		return in.Status != "" && c.Status != in.Status || in.Origin != "" && c.Origin != in.Origin
	})
	out := Changes{Items: []Change{}, Total: len(all), Document: ChangedSource{
		SHA256: o.sha256, Version: o.file.CurrentVersion, Source: o.Source, Revisions: len(standing) - comments, Comments: comments,
	}}
	if in.Passages && from == 0 {
		out.Passages = redline.Passages(o.doc)
	}
	if from < len(all) {
		shown, more := cut(all[from:], in.Limit)
		out.Items = shown
		if more {
			out.NextCursor = cursor("changes", strconv.Itoa(from+in.Limit))
		}
	}
	return out, nil
}
