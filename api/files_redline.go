package api

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/draft"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/redline"
	"github.com/clausemill/clausemill/sfdt"
)

// filesRedline serves the changes of documents, and documents with their changes
// carried out.
func (a *API) filesRedline() {
	const base = "A file that is no DOCX is edited as one that is built from its structure (`source: \"text\"`). "
	const made = "Made once for a document and a set of changes, and kept for a week; the request waits for it up to `wait` seconds and is then answered 202 with Retry-After. " +
		"JSON with the proof and the bytes by default; the bytes themselves by `format` or Accept. " + base +
		"With `base` (the SHA-256 of the document that the caller has seen) it is 409 where the document is another one. "
	session := a.area("Files", withSession)
	get(session, "/api/files/{fileId}/changes", "listChanges", "List the changes of a document", a.listChanges, describe(
		"The proposed changes in the order in which they were made, then the tracked changes (`rev_…`) and comments (`com_…`) that stand in the document, in document order. "+base))
	post(session, "/api/files/{fileId}/changes", "createChanges", "Propose changes to a document", a.createChanges, status(http.StatusCreated), body(maxChangeBody), describe(
		"One change, or `changes` (all or none, at most 1,000). `anchor` is a position, or the words, or both, and then the words decide; what it means is found now and told as `resolved`. "+
			"`anchor.span` is that of a sentence, section or quote, copied from where it was answered: of words that stand at many places it means the very one; over cells it becomes a change for each cell, a comment one at the first. "+
			"Words that are not there are 422, words that stand twice 409 with the places in `details`. "+
			"They may run over paragraphs, with any blanks for their ends and with the numbers that lists show; over the border of a cell they are 422 with the words of each cell in `details`. "+
			"Changes about the same text are 409. `compareTo` in place of all that proposes what turns the document into that of another file; "+
			"`moves` then pairs what was only moved, and `left` says what cannot be said by changes. "+base))
	raw(session, http.MethodGet, "/api/files/{fileId}/execute-redline", "getRedline", "Get a document with its changes as tracked changes", a.executeRedline, a.documentRendition, orLater(a), describe(
		made+"The document with the open changes as tracked changes and comments, each by its author and date."))
	raw(session, http.MethodGet, "/api/files/{fileId}/execute-revision", "getRevision", "Get a document with its changes carried out", a.executeRevision, a.documentRendition, orLater(a), describe(
		made+"The clean document: open changes applied without a trace, decisions carried out, and the other tracked changes accepted, rejected or kept as `existing` says."))
	post(session, "/api/files/{fileId}/execute-redline-revisions", "executeRedlineDecisions", "Carry out decisions on tracked changes", a.executeDecisions, eitherWay[DecisionOptions](a), describe(
		"Carries out the accept and reject decisions on the tracked changes that stand in the document, and makes the result the file's next version. "+
			"`decision` decides on all others as well, `author` on those of one author. Where nothing is decided nothing happens. 422 for a file that is no DOCX; 202 with an operation where it takes longer than `wait`."))
	post(session, "/api/files/{fileId}/execute-all", "executeAllChanges", "Carry out all changes of a document", a.executeAll, status(http.StatusAccepted), eitherWay[ExecuteOptions](a), describe(
		"Carries out all open changes and decisions, without a trace, and makes the result the file's next version, which is then read, analysed and indexed again. "+
			"Tracked changes that nobody decided on stay. 422 for a file that is no DOCX."))
}

// documentRendition describes an answer in several formats.
func (a *API) documentRendition(op *huma.Operation) {
	registry := a.huma.OpenAPI().Components.Schemas
	rendition := registry.Schema(reflect.TypeFor[Rendition](), true, "")
	sfdt := &huma.Schema{Type: huma.TypeObject, Required: []string{"sections"}, Description: "With format=sfdt"}
	op.Responses = map[string]*huma.Response{
		"200": {Description: http.StatusText(http.StatusOK), Content: map[string]*huma.MediaType{
			"application/json": {Schema: &huma.Schema{AnyOf: []*huma.Schema{rendition, sfdt}}},
			docx.ContentType:   {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
			"application/pdf":  {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
		}},
	}
}

// Change is a change of a document, proposed or standing in it.
type Change struct {
	ID        string            `json:"id"`
	FileID    string            `json:"fileId"`
	Origin    string            `json:"origin" enum:"proposed,document"`
	Type      string            `json:"type" doc:"Of proposed ones: insert, delete, replace, rewrite, insertParagraph, deleteParagraph, insertRow, deleteRow, format, comment, reply, accept, reject or withdraw. Of the document's: the kind of mark (ins, del, moveFrom, moveTo, rPrChange, …) or comment"`
	Anchor    *redline.Anchor   `json:"anchor,omitempty"`
	Text      string            `json:"text,omitempty"`
	Side      redline.Side      `json:"side,omitempty"`
	Style     string            `json:"style,omitempty"`
	Cells     []string          `json:"cells,omitempty"`
	Format    *docx.Format      `json:"format,omitempty"`
	Comment   string            `json:"comment,omitempty"`
	Target    string            `json:"target,omitempty" doc:"Of a comment of the document: the one that it answers"`
	On        string            `json:"on,omitempty" doc:"Of the document's: what the mark acts on: text, mark, row, cell, numbering, properties or math"`
	Author    redline.Author    `json:"author"`
	Date      *time.Time        `json:"date,omitempty"`
	Status    string            `json:"status" enum:"proposed,executed,withdrawn,stale,open,accepted,rejected" doc:"open, accepted and rejected are of the document's: the last two are decided on and not carried out yet"`
	Resolved  *redline.Resolved `json:"resolved,omitempty" doc:"Where it stands"`
	Error     *redline.Refused  `json:"error,omitempty" doc:"Why it could not be carried out"`
	Version   int               `json:"version,omitempty" doc:"Of a proposed one: the version of the file that its place is in. An open one moves along to the next version where its words stand there"`
	Ended     int               `json:"endedVersion,omitempty" doc:"The version that it was carried out in, or could not come along to"`
	CreatedBy *string           `json:"createdBy,omitempty"`
	CreatedAt *time.Time        `json:"createdAt,omitempty"`
}

// Changes is the answer to what the changes of a document are.
type Changes struct {
	Changes    []Change      `json:"changes" nullable:"false"`
	Total      int           `json:"total"`
	NextCursor string        `json:"nextCursor,omitempty"`
	Document   ChangedSource `json:"document"`
}

// ChangedSource is the document that changes are about.
type ChangedSource struct {
	SHA256    string       `json:"sha256"`
	Version   int          `json:"version" doc:"Of the file: its number"`
	Source    draft.Source `json:"source" enum:"docx,text"`
	Revisions int          `json:"revisions" doc:"Tracked changes that stand in it"`
	Comments  int          `json:"comments"`
}

func newChange(row db.Change) (Change, error) {
	var c redline.Change
	if err := json.Unmarshal(row.Body, &c); err != nil {
		return Change{}, fault.Wrap(fault.Internal, "a change cannot be read", err)
	}
	created, date := row.CreatedAt.UTC(), c.Date.UTC()
	out := Change{
		ID: row.ID, FileID: row.FileID, Origin: "proposed", Type: string(c.Type), Text: c.Text, Side: c.Side, Style: c.Style, Cells: c.Cells,
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

// standing lists the tracked changes and comments of a document, with the
// decisions that were made on them.
func standing(fileID string, doc *docx.Document, decided map[string]redline.Type) []Change {
	var all []Change
	for _, r := range doc.Revisions() {
		c := Change{
			ID: r.ID, FileID: fileID, Origin: "document", Type: r.Kind, On: r.On, Text: r.Text, Author: redline.Author{Name: r.Author},
			Date: dated(r.Date), Status: "open",
		}
		switch decided[r.ID] {
		case redline.Accept:
			c.Status = "accepted"
		case redline.Reject:
			c.Status = "rejected"
		}
		if r.Paragraph >= 0 {
			c.Resolved = &redline.Resolved{Part: r.Story, Block: r.Paragraph, EndBlock: r.Paragraph, Start: r.Start, End: r.End, How: redline.Exact}
		}
		all = append(all, c)
	}
	for _, m := range doc.Comments() {
		c := Change{
			ID: redline.CommentPrefix + m.ID, FileID: fileID, Origin: "document", Type: "comment", Text: m.Text,
			Author: redline.Author{Name: m.Author, Initials: m.Initials}, Date: dated(m.Date), Status: "open",
		}
		if m.Parent != "" {
			c.Target = redline.CommentPrefix + m.Parent
		}
		if m.Story != "" {
			c.Resolved = &redline.Resolved{Part: m.Story, Block: m.Paragraph, EndBlock: m.EndBlock, Start: m.Start, End: m.End, How: redline.Exact}
		}
		all = append(all, c)
	}
	return all
}

func dated(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// opened is a file with the document that stands behind it.
type opened struct {
	file db.File
	draft.Draft
	sha256 string
	doc    *docx.Document
}

// open reads the document behind a version of a file, 0 for the current one. As
// many at once as there are processors: one may take a hundred megabytes.
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
	if o.Draft, err = draft.Read(ctx, a.DB, a.Blobs, auth.Scope(ctx), file); err == nil {
		o.sha256 = redline.SHA256(o.Data)
		o.doc, err = docx.Open(o.Data)
	}
	if err != nil {
		release()
		return nil, nil, coded(err)
	}
	return o, release, nil
}

// coded gives an error of editing its own code, for programs to switch on.
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
	Status string `query:"status" enum:"proposed,executed,withdrawn,stale,open,accepted,rejected" doc:"Only changes of this status"`
	Origin string `query:"origin" enum:"proposed,document" doc:"Only proposed changes, or only those that stand in the document"`
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
	var all []Change
	decided := map[string]redline.Type{}
	for _, row := range rows {
		c, err := newChange(row)
		if err != nil {
			return Changes{}, err
		}
		if row.Status == db.ChangeProposed {
			decided[c.Target] = redline.Type(c.Type)
		}
		all = append(all, c)
	}
	inDocument := standing(in.FileID, o.doc, decided)
	comments := 0
	for _, c := range inDocument {
		if c.Type == "comment" {
			comments++
		}
	}
	all = slices.DeleteFunc(append(all, inDocument...), func(c Change) bool {
		return in.Status != "" && c.Status != in.Status || in.Origin != "" && c.Origin != in.Origin
	})
	out := Changes{Changes: []Change{}, Total: len(all), Document: ChangedSource{
		SHA256: o.sha256, Version: o.file.CurrentVersion, Source: o.Source, Revisions: len(inDocument) - comments, Comments: comments,
	}}
	if from < len(all) {
		shown, more := cut(all[from:], in.Limit)
		out.Changes = shown
		if more {
			out.NextCursor = cursor("changes", strconv.Itoa(from+in.Limit))
		}
	}
	return out, nil
}

// maxChangeBody bounds a request with changes, in bytes; maxChanges the changes,
// since each looks for its words in the whole document while the caller waits.
const (
	maxChangeBody = 5 << 20
	maxChanges    = 1_000
)

// ProposedChange is a change that somebody asks for.
type ProposedChange struct {
	Type    redline.Type    `json:"type,omitempty" enum:"insert,delete,replace,rewrite,insertParagraph,deleteParagraph,insertRow,deleteRow,format,comment,reply,accept,reject,withdraw"`
	Anchor  *ProposedAnchor `json:"anchor,omitempty"`
	Text    string          `json:"text,omitempty" doc:"\\n ends a paragraph, \\v a line, \\t is a tab"`
	Side    redline.Side    `json:"side,omitempty" enum:"before,after" doc:"Of the anchor, for what is put in; after, if left out, for paragraphs and rows"`
	Style   string          `json:"style,omitempty" maxLength:"255" doc:"Of inserted paragraphs: the id of a paragraph style. Without it they are like their neighbour"`
	Cells   []string        `json:"cells,omitempty" maxItems:"500" doc:"Texts of the cells of an inserted row"`
	Format  *docx.Format    `json:"format,omitempty"`
	Comment string          `json:"comment,omitempty" doc:"Goes with the change as a comment on its place"`
	Target  string          `json:"target,omitempty" maxLength:"100" doc:"Of reply: the comment (com_…); of accept and reject: the tracked change (rev_…); of withdraw: the change"`
	Author  *redline.Author `json:"author,omitempty" doc:"The caller, if left out"`
	Date    *time.Time      `json:"date,omitempty" doc:"Now, if left out"`
}

// ProposedAnchor is an anchor that may be copied from what was read in the file.
type ProposedAnchor struct {
	redline.Anchor
	Span *Span `json:"span,omitempty" doc:"In place of a position in the document: the span of a sentence, section, segment or quote of the file, as it was answered; with their text as text it is refused where other words stand there by now"`
}

type createChangesRequest struct {
	FileRef
	OnceKey
	Body struct {
		ProposedChange
		Changes   []ProposedChange `json:"changes,omitempty" doc:"Many changes in place of one"`
		CompareTo string           `json:"compareTo,omitempty" format:"uuid" doc:"A file that shows how the document is to be"`
		SFDT      EditorDocument   `json:"sfdt,omitempty" doc:"What the Syncfusion editor saved of the document: tracked edits become changes by their author and date, others by the caller"`
	}
}

// CreatedChanges is the answer to proposed changes.
type CreatedChanges struct {
	Changes []Change    `json:"changes" nullable:"false"`
	Moves   [][2]string `json:"moves,omitempty" doc:"With compareTo: changes that delete and put in one paragraph"`
	Left    []string    `json:"left,omitempty" doc:"With compareTo or sfdt: what cannot be said by changes, or not be made beside those that are open"`
}

func (c CreatedChanges) location() string {
	if len(c.Changes) == 0 {
		return ""
	}
	return "/api/files/" + c.Changes[0].FileID + "/changes"
}

func (a *API) createChanges(ctx context.Context, in *createChangesRequest) (CreatedChanges, error) {
	o, release, err := a.open(ctx, in.FileID, 0)
	if err != nil {
		return CreatedChanges{}, err
	}
	defer release()
	asked, err := a.proposed(ctx, in, o)
	if err != nil {
		return CreatedChanges{}, err
	}
	isEdit := func(c redline.Change) bool { return c.Type != redline.CommentOn }
	if auth.From(ctx).Role == db.Viewer && slices.ContainsFunc(asked.changes, isEdit) {
		return CreatedChanges{}, errMembers
	}
	var out CreatedChanges
	err = a.DB.InTx(ctx, func(tx *db.Tx) error {
		out, err = once(ctx, tx, "changes "+in.FileID, in.OnceKey, in, func() (CreatedChanges, error) {
			return a.propose(ctx, tx, o, asked)
		})
		return err
	})
	return out, err
}

// A proposal is the changes that a request asks for.
type proposal struct {
	changes []redline.Change
	from    []int               // the place in the request of each
	found   *redline.Comparison // where they were found, and not asked for one by one
}

// proposed reads what a request asks for: one change, a list of them, what
// differs from another file, or what an edited SFDT changes.
func (a *API) proposed(ctx context.Context, in *createChangesRequest, o *opened) (proposal, error) {
	single := in.Body.Type != ""
	given := 0
	for _, is := range []bool{single, in.Body.Changes != nil, in.Body.CompareTo != "", in.Body.SFDT != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return proposal{}, invalid("body", "must have either a type, changes, compareTo or sfdt")
	}
	me, err := a.author(ctx)
	if err != nil {
		return proposal{}, err
	}
	if in.Body.SFDT != nil {
		return edits(in.Body.SFDT, o, me)
	}
	if in.Body.CompareTo != "" {
		return a.differences(ctx, in.Body.CompareTo, o, me)
	}
	list := in.Body.Changes
	if single {
		list = []ProposedChange{in.Body.ProposedChange}
	}
	if len(list) > maxChanges {
		return proposal{}, fault.Newf(fault.TooLarge, "there are more than %d changes, which is the limit of one request", maxChanges)
	}
	return a.asked(ctx, list, o, me)
}

// asked are changes that are listed, each where its anchor has it.
func (a *API) asked(ctx context.Context, list []ProposedChange, o *opened, me redline.Author) (all proposal, err error) {
	var text *redline.Text
	for i, p := range list {
		changes := []redline.Change{p.change(me)}
		if p.Anchor != nil && p.Anchor.Span != nil {
			if text == nil {
				if text, err = a.textOf(ctx, o); err != nil {
					return all, err
				}
			}
			if changes, err = text.Place(changes[0], p.Anchor.Span.Start, p.Anchor.Span.End); err != nil {
				var why *redline.Error
				if errors.As(err, &why) {
					err = refused(location(i), why)
				}
				return all, err
			}
		}
		for _, c := range changes {
			c.ID = db.NewID()
			all.changes, all.from = append(all.changes, c), append(all.from, i)
		}
	}
	return all, nil
}

func location(change int) string { return fmt.Sprintf("body.changes[%d]", change) }

// textOf is the text of a file beside its document.
func (a *API) textOf(ctx context.Context, o *opened) (*redline.Text, error) {
	if !o.file.Current() {
		return nil, coded(draft.Unread(o.file))
	}
	pages, err := a.DB.PageTexts(ctx, auth.Scope(ctx), o.file.ID)
	if err != nil {
		return nil, err
	}
	return redline.NewText(o.doc, strings.Join(pages, "\f")), nil
}

func (p ProposedChange) change(me redline.Author) redline.Change {
	c := redline.Change{
		Type: p.Type, Text: p.Text, Side: p.Side, Style: p.Style, Cells: p.Cells, Comment: p.Comment, Target: p.Target,
		Author: me, Date: time.Now().UTC().Truncate(time.Second),
	}
	if p.Anchor != nil {
		c.Anchor = p.Anchor.Anchor
	}
	if p.Format != nil {
		c.Format = *p.Format
	}
	if p.Author != nil && strings.TrimSpace(p.Author.Name) != "" {
		c.Author = *p.Author
	}
	if p.Date != nil {
		c.Date = p.Date.UTC()
	}
	return c
}

// author is the caller, as a change is signed.
func (a *API) author(ctx context.Context) (redline.Author, error) {
	user, err := a.DB.User(ctx, auth.Scope(ctx).UserID())
	if err != nil {
		return redline.Author{}, err
	}
	name := cmp.Or(user.Name, user.Email)
	var initials strings.Builder
	for _, word := range strings.Fields(name) {
		r := []rune(word)
		initials.WriteRune(r[0])
	}
	return redline.Author{Name: name, Initials: strings.ToUpper(initials.String())}, nil
}

// differences are the changes that turn a document into that of another file.
func (a *API) differences(ctx context.Context, with string, o *opened, me redline.Author) (proposal, error) {
	file, err := a.DB.File(ctx, auth.Scope(ctx), with)
	if fault.KindOf(err) == fault.NotFound {
		return proposal{}, invalid("body.compareTo", "names nothing in this team")
	}
	if err != nil {
		return proposal{}, err
	}
	other, err := draft.Read(ctx, a.DB, a.Blobs, auth.Scope(ctx), file)
	if err != nil {
		return proposal{}, coded(err)
	}
	found, err := redline.Compare(o.Data, other.Data)
	if err != nil {
		return proposal{}, coded(err)
	}
	for i := range found.Changes {
		found.Changes[i].ID, found.Changes[i].Author = db.NewID(), me
		found.Changes[i].Date = time.Now().UTC().Truncate(time.Second)
	}
	return proposal{changes: found.Changes, found: found}, nil
}

// propose adds changes to those that are open already, if all of them can stand
// together. Of those that were found and not asked for, it adds the ones that can.
func (a *API) propose(ctx context.Context, tx *db.Tx, o *opened, asked proposal) (CreatedChanges, error) {
	changes, found := asked.changes, asked.found
	scope := auth.Scope(ctx)
	file, err := tx.FileForUpdate(ctx, scope, o.file.ID)
	if err != nil {
		return CreatedChanges{}, err
	}
	if !bytes.Equal(file.SHA256, o.file.SHA256) {
		return CreatedChanges{}, coded(&fault.Error{Kind: fault.Conflict, Code: redline.StaleDocument, Message: "the file has changed in the meantime; try again"})
	}
	open, err := openChanges(ctx, tx.Queries, file.ID, nil)
	if err != nil {
		return CreatedChanges{}, err
	}
	applied, failed := redline.Propose(o.doc, o.sha256, open, changes)
	switch {
	case found != nil:
		found.Drop(failed)
		changes = found.Changes
	case failed != nil:
		i := slices.IndexFunc(changes, func(c redline.Change) bool { return c.ID == failed[0].ID })
		return CreatedChanges{}, refused(location(asked.from[i]), failed[0].Err)
	}
	var rows []db.Change
	out := CreatedChanges{Changes: []Change{}}
	if found != nil {
		out.Left = found.Left
		for _, m := range found.Moves {
			out.Moves = append(out.Moves, [2]string{changes[m.From].ID, changes[m.To].ID})
		}
	}
	for i, c := range changes {
		if c.Type == redline.Withdraw {
			if !isID(c.Target) {
				return CreatedChanges{}, fault.New(fault.NotFound, "not found")
			}
			withdrawn, err := tx.WithdrawChange(ctx, scope, file.ID, c.Target)
			if err != nil {
				return CreatedChanges{}, err
			}
			change, err := newChange(withdrawn)
			if err != nil {
				return CreatedChanges{}, err
			}
			out.Changes = append(out.Changes, change)
			continue
		}
		if c.Anchor != (redline.Anchor{}) && c.Anchor.Text == "" {
			c.Anchor.DocSHA256 = o.sha256 // a place means something in this document only
		}
		row := db.Change{ID: c.ID}
		if row.Body, err = json.Marshal(c); err != nil {
			return CreatedChanges{}, err
		}
		if applied[i].Resolved != nil {
			if row.Resolved, err = json.Marshal(applied[i].Resolved); err != nil {
				return CreatedChanges{}, err
			}
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return out, nil
	}
	if rows, err = tx.ProposeChanges(ctx, scope, file, rows); err != nil {
		return CreatedChanges{}, err
	}
	for _, row := range rows {
		change, err := newChange(row)
		if err != nil {
			return CreatedChanges{}, err
		}
		out.Changes = append(out.Changes, change)
	}
	return out, nil
}

// openChanges are the proposed changes of a file, or those of ids.
func openChanges(ctx context.Context, q db.Queries, fileID string, ids []string) ([]redline.Change, error) {
	rows, err := q.Changes(ctx, auth.Scope(ctx), fileID)
	if err != nil {
		return nil, err
	}
	var open []redline.Change
	for _, row := range rows {
		if row.Status != db.ChangeProposed || ids != nil && !slices.Contains(ids, row.ID) {
			continue
		}
		var c redline.Change
		if err := json.Unmarshal(row.Body, &c); err != nil {
			return nil, fault.Wrap(fault.Internal, "a change cannot be read", err)
		}
		open = append(open, c)
	}
	return open, nil
}

// RenditionOptions are how a document with changes is asked for.
type RenditionOptions struct {
	Version int      `query:"version" minimum:"1" doc:"The number of a version: what the changes make of that one; the current one, if left out. 404 where there is none"`
	Format  string   `query:"format" enum:"json,docx,pdf,sfdt" doc:"What is answered; Accept says the same. PDF is laid out by LibreOffice, where workers have it"`
	Changes []string `query:"changes" doc:"Only these changes; all open ones, if left out"`
	Strict  bool     `query:"strict" doc:"409 where one of the changes cannot be made"`
	Base    string   `query:"base" maxLength:"64" doc:"The SHA-256 of the document that the caller has seen"`
	Wait    int      `query:"wait" minimum:"0" maximum:"60" default:"5" doc:"Seconds to wait for it to be made"`
}

type redlineRequest struct {
	FileRef
	RenditionOptions
}

type revisionRequest struct {
	FileRef
	RenditionOptions
	Existing string `query:"existing" enum:"accept,reject,keep" default:"accept" doc:"What becomes of tracked changes that nobody decided on"`
	Comments string `query:"comments" enum:"keep,strip" default:"keep"`
}

func (a *API) executeRedline(ctx context.Context, in *redlineRequest, w http.ResponseWriter, r *http.Request) error {
	return a.rendition(ctx, in.FileID, in.RenditionOptions, jobs.ExecuteChanges{Mode: "redline"}, w, r)
}

func (a *API) executeRevision(ctx context.Context, in *revisionRequest, w http.ResponseWriter, r *http.Request) error {
	return a.rendition(ctx, in.FileID, in.RenditionOptions, jobs.ExecuteChanges{Mode: "revision", Existing: in.Existing, Comments: in.Comments}, w, r)
}

// Rendition is a document with changes carried out.
type Rendition struct {
	FileID string `json:"fileId"`
	Kind   string `json:"kind" enum:"redline,revision"`
	redline.Report
	Document RenditionDocument `json:"document"`
}

// RenditionDocument is the bytes.
type RenditionDocument struct {
	Filename    string `json:"filename"`
	ContentType string `json:"contentType"`
	Size        int    `json:"size"`
	SHA256      string `json:"sha256"`
	Base64      []byte `json:"base64"`
}

// format is what a caller wants to get.
func (o RenditionOptions) format(r *http.Request) string {
	if o.Format != "" {
		return o.Format
	}
	accept := r.Header.Get("Accept")
	switch {
	case strings.Contains(accept, docx.ContentType):
		return "docx"
	case strings.Contains(accept, "application/pdf"):
		return "pdf"
	}
	return "json"
}

// rendition answers with a document that is made, or is there already.
func (a *API) rendition(ctx context.Context, fileID string, o RenditionOptions, job jobs.ExecuteChanges, w http.ResponseWriter, r *http.Request) error {
	format := o.format(r)
	if format == "pdf" {
		job.Format = format
	}
	file, made, err := a.carriedOut(ctx, fileID, o, job)
	if err != nil {
		return err
	}
	if made == nil {
		return later(w)
	}
	if o.Strict && len(made.report.Failed) > 0 {
		failed := made.report.Failed[0]
		return &Error{status: http.StatusConflict, Message: failed.Error, Code: failed.Code, Details: []Detail{{failed.ID, failed.Error}}}
	}
	return made.write(w, r, file, job.Mode, format)
}

// carriedOut is what a job makes of a file: nil where that takes longer than the
// caller waits.
func (a *API) carriedOut(ctx context.Context, fileID string, o RenditionOptions, job jobs.ExecuteChanges) (db.File, *made, error) {
	job.Version = o.Version
	file, job, err := a.execution(ctx, a.DB.Queries, fileID, o.Base, o.Changes, job)
	if err != nil {
		return file, nil, err
	}
	made, err := a.await(ctx, job, time.Duration(o.Wait)*time.Second)
	if err != nil {
		return file, nil, coded(err)
	}
	return file, made, nil
}

// later answers that a document is not made yet.
func later(w http.ResponseWriter) error {
	w.Header().Set("Retry-After", "1")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	return json.NewEncoder(w).Encode(Message{"the document is being made; ask again"})
}

// made is a rendition that can be answered with.
type made struct {
	report   redline.Report
	document []byte
}

// execution completes a job: what it is about, and the key of its result.
func (a *API) execution(ctx context.Context, q db.Queries, fileID, base string, ids []string, job jobs.ExecuteChanges) (db.File, jobs.ExecuteChanges, error) {
	scope := auth.Scope(ctx)
	file, err := q.FileAt(ctx, scope, fileID, job.Version)
	if err != nil {
		return file, job, err
	}
	job.DocumentID, job.TeamID, job.ActorKind, job.ActorID = file.ID, scope.TeamID, scope.ActorKind, scope.ActorID
	if job.BaseSHA256, err = a.baseOf(ctx, file); err != nil {
		return file, job, coded(err)
	}
	if base != "" && base != job.BaseSHA256 {
		return file, job, coded(errStale)
	}
	changes, err := openChanges(ctx, q, file.ID, ids)
	if err != nil {
		return file, job, err
	}
	if ids != nil && len(changes) != len(ids) {
		return file, job, fault.New(fault.NotFound, "not found: one of the changes is not open in this file")
	}
	for _, c := range changes {
		job.ChangeIDs = append(job.ChangeIDs, c.ID)
	}
	key := sha256.New()
	described, err := json.Marshal([]any{renditionVersion, job.Mode, file.CurrentVersion, job.BaseSHA256, changes, job.Existing, job.Comments, job.Format, job.Decision, job.Author, job.OperationID})
	if err != nil {
		return file, job, err
	}
	key.Write(described)
	job.Key = hex.EncodeToString(key.Sum(nil))
	return file, job, nil
}

// renditionVersion changes when documents are made in another way, so that none
// made in the old way is given out.
const renditionVersion = 2

// baseOf names the document behind a file.
func (a *API) baseOf(ctx context.Context, file db.File) (string, error) {
	if isDOCX(file) {
		return hex.EncodeToString(file.SHA256), nil
	}
	d, err := draft.Read(ctx, a.DB, a.Blobs, auth.Scope(ctx), file)
	return redline.SHA256(d.Data), err
}

// await gives what a job makes: nil where that takes longer than patience.
func (a *API) await(ctx context.Context, job jobs.ExecuteChanges, patience time.Duration) (*made, error) {
	key, err := hex.DecodeString(job.Key)
	if err != nil {
		return nil, err
	}
	found, err := a.found(ctx, job.DocumentID, key)
	if found != nil || err != nil {
		return found, err
	}
	waiter, err := a.wait(ctx, job.DocumentID)
	if err != nil {
		return nil, err
	}
	defer waiter.done()
	if err := a.DB.InTx(ctx, func(tx *db.Tx) error { return jobs.Insert(ctx, a.Jobs, tx.Raw, job) }); err != nil {
		return nil, err
	}
	over := time.NewTimer(patience)
	defer over.Stop()
	for {
		select {
		case <-waiter.C:
		case <-over.C:
			return a.found(ctx, job.DocumentID, key)
		case <-a.hub.closed:
			return nil, nil //nolint:nilnil // not yet is an answer
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if found, err := a.found(ctx, job.DocumentID, key); found != nil || err != nil {
			return found, err
		}
	}
}

// found is what was made under a key: nil if nothing was yet, the error if
// nothing could be.
func (a *API) found(ctx context.Context, fileID string, key []byte) (*made, error) {
	row, err := a.DB.Rendition(ctx, auth.Scope(ctx), fileID, key)
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil //nolint:nilnil // not yet is an answer
	}
	if err != nil {
		return nil, err
	}
	var outcome redline.Outcome
	if err := json.Unmarshal(row.Report, &outcome); err != nil {
		return nil, fault.Wrap(fault.Internal, "a rendition cannot be read", err)
	}
	if failure := outcome.Error; failure != nil && failure.Kind == fault.Internal {
		e := newError(http.StatusInternalServerError, "the document could not be made, for a reason that is in the log of the workers; ask again to have it tried again")
		e.retryAfter = int(db.KeepAttempt.Seconds())
		return nil, e
	}
	if outcome.Error != nil {
		return nil, outcome.Error.Fault()
	}
	return &made{*outcome.Report, row.Document}, nil
}

// write answers in a format.
func (m *made) write(w http.ResponseWriter, r *http.Request, file db.File, kind, format string) error {
	header := w.Header()
	name, contentType, document := withExtension(file.Name, "."+kind+".docx"), docx.ContentType, m.document
	switch format {
	case "pdf":
		name, contentType = withExtension(file.Name, "."+kind+".pdf"), "application/pdf"
	case "sfdt":
		doc, err := docx.Open(m.document)
		if err != nil {
			return err
		}
		converted, err := sfdt.Convert(doc)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := converted.Encode(&b); err != nil {
			return err
		}
		name, contentType, document = withExtension(file.Name, "."+kind+".sfdt"), "application/json", b.Bytes()
	}
	etag := `"` + redline.SHA256(document) + `"`
	header.Set("ETag", etag)
	header.Set("Vary", "Accept")
	if format != "json" {
		header.Set("X-Redline-Applied", strconv.Itoa(len(m.report.Applied)))
		header.Set("X-Redline-Failed", strconv.Itoa(len(m.report.Failed)))
		header.Set("X-Redline-Checks", strconv.FormatBool(m.report.Checks.OK()))
		header.Set("Content-Type", contentType)
		header.Set("Content-Disposition", attachment(name))
		serveContent(w, r, time.Time{}, bytes.NewReader(document))
		return nil
	}
	if etagMatches(r.Header.Get("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	header.Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(Rendition{
		FileID: file.ID, Kind: kind, Report: m.report,
		Document: RenditionDocument{Filename: name, ContentType: contentType, Size: len(document), SHA256: strings.Trim(etag, `"`), Base64: document},
	})
}

// ExecuteOptions are how the result of executing becomes the file.
type ExecuteOptions struct {
	Base string `json:"base,omitempty" maxLength:"64" doc:"The SHA-256 of the document that the caller has seen: 409 where it is another one"`
}

// DecisionOptions decide on tracked changes at once.
type DecisionOptions struct {
	ExecuteOptions
	Decision string `json:"decision,omitempty" enum:"accept,reject" doc:"What becomes of tracked changes that nobody decided on; they stay, if left out"`
	Author   string `json:"author,omitempty" maxLength:"255" doc:"With decision: only those of this author"`
}

type decisionRequest struct {
	FileRef
	Wait int `query:"wait" minimum:"0" maximum:"60" default:"5" doc:"Seconds to wait for the result"`
	Body *DecisionOptions
}

// Executed is what came of decisions, or where that can be followed.
type Executed struct {
	Accepted    []string `json:"accepted" nullable:"false" doc:"Tracked changes that were accepted"`
	Rejected    []string `json:"rejected" nullable:"false"`
	Left        int      `json:"left" doc:"Tracked changes that still stand"`
	Version     int      `json:"version" doc:"The number of the version that the file has now"`
	OperationID string   `json:"operationId,omitempty"`
	StatusURL   string   `json:"statusUrl,omitempty" doc:"Where to follow what takes longer"`
}

func (e Executed) underway() string { return e.StatusURL }

func (a *API) executeDecisions(ctx context.Context, in *decisionRequest) (Executed, error) {
	options := orNothing(in.Body)
	changes, err := openChanges(ctx, a.DB.Queries, in.FileID, nil)
	if err != nil {
		return Executed{}, err
	}
	decisions := []string{}
	for _, c := range changes {
		if c.Type == redline.Accept || c.Type == redline.Reject {
			decisions = append(decisions, c.ID)
		}
	}
	if len(decisions) == 0 && options.Decision == "" {
		return a.nothingDecided(ctx, in.FileID, options.Base)
	}
	var op db.Operation
	err = a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		op, err = a.replaceFile(ctx, tx, in.FileID, options.Base, decisions, jobs.ExecuteChanges{Mode: "decide", Decision: options.Decision, Author: options.Author})
		return err
	})
	if err != nil {
		return Executed{}, err
	}
	return a.awaitOperation(ctx, op, time.Duration(in.Wait)*time.Second)
}

// nothingDecided is the answer where the file stays what it is.
func (a *API) nothingDecided(ctx context.Context, fileID, base string) (Executed, error) {
	o, release, err := a.open(ctx, fileID, 0)
	if err != nil {
		return Executed{}, err
	}
	defer release()
	switch {
	case o.Source != draft.Original:
		return Executed{}, coded(errNotDOCX)
	case base != "" && base != o.sha256:
		return Executed{}, coded(errStale)
	}
	return Executed{Accepted: []string{}, Rejected: []string{}, Left: len(o.doc.Revisions()), Version: o.file.CurrentVersion}, nil
}

var (
	errNotDOCX = fault.File(docx.NotDOCX, "the file is no DOCX, so its bytes cannot be replaced; ask for execute-revision and upload that", nil)
	errStale   = &fault.Error{Kind: fault.Conflict, Code: redline.StaleDocument, Message: "the document is not the one that base names"}
)

// replaceFile begins an execution whose result becomes the next version of the
// file.
func (a *API) replaceFile(ctx context.Context, tx *db.Tx, fileID, base string, ids []string, job jobs.ExecuteChanges) (op db.Operation, err error) {
	if op, err = tx.CreateOperation(ctx, auth.Scope(ctx), "execute", 1, nil); err != nil {
		return op, err
	}
	job.OperationID = op.ID
	file, job, err := a.execution(ctx, tx.Queries, fileID, base, ids, job)
	switch {
	case err != nil:
		return op, err
	case !isDOCX(file):
		return op, coded(errNotDOCX)
	case !file.Status.Terminal():
		return op, coded(draft.ErrNotReady)
	}
	if err := tx.Audit(ctx, auth.Scope(ctx), "change.execution_asked", "file", fileID, map[string]any{"changes": len(job.ChangeIDs)}); err != nil {
		return op, err
	}
	return op, jobs.Insert(ctx, a.Jobs, tx.Raw, job)
}

func isDOCX(file db.File) bool { return document.Kind(file.Kind) == document.DOCX }

// awaitOperation gives the result of an operation, or where to follow it.
func (a *API) awaitOperation(ctx context.Context, op db.Operation, patience time.Duration) (Executed, error) {
	waiter, err := a.wait(ctx, op.ID)
	if err != nil {
		return Executed{}, err
	}
	defer waiter.done()
	over := time.NewTimer(patience)
	defer over.Stop()
	for waiting := true; ; {
		now, err := a.DB.Operation(ctx, auth.Scope(ctx), op.ID)
		if err != nil {
			return Executed{}, err
		}
		switch {
		case now.State == "completed":
			out := Executed{OperationID: op.ID}
			return out, json.Unmarshal(now.Result, &out)
		case now.State == "cancelled":
			return Executed{}, db.ErrCancelled
		case now.State == "failed":
			return Executed{}, newError(http.StatusConflict, now.Errors[0].Error)
		case !waiting:
			return Executed{Accepted: []string{}, Rejected: []string{}, OperationID: op.ID, StatusURL: "/api/operations/" + op.ID}, nil
		}
		select {
		case <-waiter.C:
		case <-over.C:
			waiting = false
		case <-a.hub.closed:
			waiting = false
		case <-ctx.Done():
			return Executed{}, ctx.Err()
		}
	}
}

type executeAllRequest struct {
	FileRef
	Body *ExecuteOptions
}

// executeAll answers at once: what follows it, reading the new version, takes as
// long as reading takes.
func (a *API) executeAll(ctx context.Context, in *executeAllRequest) (Accepted, error) {
	var op db.Operation
	err := a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		op, err = a.replaceFile(ctx, tx, in.FileID, orNothing(in.Body).Base, nil, jobs.ExecuteChanges{Mode: "all"})
		return err
	})
	return newAccepted("execution queued", op, in.FileID), err
}
