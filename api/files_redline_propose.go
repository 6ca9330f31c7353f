package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/draft"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/redline"
)

// maxChangeBody bounds a request with changes, in bytes. maxChanges bounds the changes,
// since each is searched in the whole document while the caller waits.
const (
	maxChangeBody = 5 << 20
	maxChanges    = 1_000
)

// ProposedChange is a change in a request.
type ProposedChange struct {
	Type   redline.Type    `json:"type,omitempty" enum:"insert,delete,replace,rewrite,insertParagraph,deleteParagraph,insertRow,deleteRow,format,properties,comment,reply,accept,reject,withdraw"`
	Anchor *ProposedAnchor `json:"anchor,omitempty"`
	Text   string          `json:"text,omitempty" doc:"\\n ends a paragraph, \\v ends a line, \\t is a tab"`
	Side   redline.Side    `json:"side,omitempty" enum:"before,after" doc:"Side of the anchor where something is inserted; by default after for paragraphs and rows"`
	Style  string          `json:"style,omitempty" maxLength:"255" doc:"For inserted paragraphs: id of a paragraph style. By default it is the style of the adjacent paragraph"`
	Cells  []string        `json:"cells,omitempty" maxItems:"500" doc:"Texts of the cells of an inserted row"`
	Format *docx.Format    `json:"format,omitempty"`
	Of     docx.Holder     `json:"of,omitempty" enum:"text,paragraph,mark,table,grid,row,cell,section" doc:"For properties: what around the anchor's paragraph has them"`

	Settings *docx.Settings `json:"settings,omitempty" doc:"For properties, format and insertParagraph: properties of WordprocessingML to set and to take out. Their values are written as they are given"`

	Comment string          `json:"comment,omitempty" doc:"A comment that is added with the change, at its position"`
	Target  string          `json:"target,omitempty" maxLength:"100" doc:"For reply: id of the comment (com_…). For accept and reject: id of the tracked change (rev_…). For withdraw: id of the proposed change"`
	Author  *redline.Author `json:"author,omitempty" doc:"By default the caller"`
	Date    *time.Time      `json:"date,omitempty" doc:"By default the present time"`
}

// ProposedAnchor is an anchor that may also be a span of the file's text.
type ProposedAnchor struct {
	redline.Anchor
	Span *Span `json:"span,omitempty" doc:"Used instead of a position in the document: the span of a sentence, section, segment or quote of the file, as another operation returned it. If text has its text too, the change is refused where the text has changed since"`
}

type createChangesRequest struct {
	FileRef
	OnceKey
	Body struct {
		ProposedChange
		Changes   []ProposedChange `json:"changes,omitempty" doc:"Several changes instead of one"`
		CompareTo string           `json:"compareTo,omitempty" format:"uuid" doc:"Id of the file that the document should become equal to"`
		Compared  int              `json:"compareToVersion,omitempty" minimum:"1" doc:"Only with compareTo: number of the version of that file; by default its current one"`
		Preview   bool             `json:"preview,omitempty" doc:"Stores nothing: the answer has the changes that would be proposed, without regard to open ones"`
		HTML      bool             `json:"html,omitempty" doc:"Only with preview: the answer has the document with the changes as an HTML page, too"`
		Version   int              `json:"version,omitempty" minimum:"1" doc:"Only with preview: number of the version that the changes are for; by default the current one"`
		SFDT      EditorDocument   `json:"sfdt,omitempty" doc:"The document as the Syncfusion editor saved it. Tracked edits become changes with their author and date, other edits become changes of the caller"`
	}
}

// CreatedChanges is the answer to proposed changes.
type CreatedChanges struct {
	Items []Change    `json:"items" nullable:"false"`
	Moves [][2]string `json:"moves,omitempty" doc:"Only with compareTo: pairs of changes that delete and insert the same paragraph"`
	Left  []string    `json:"left,omitempty" doc:"Only with compareTo or sfdt: differences that changes cannot express, each with its place and both values, or that conflict with open changes. Without any, accepting all changes gives the other document in words, formatting and everything else"`

	HTML string `json:"html,omitempty" doc:"Only with html: the document with the changes as tracked changes, as one page without scripts and with all styles inline"`

	Warnings []string `json:"warnings,omitempty" doc:"Only with compareTo: hidden_text where text that can be read in this document is hidden, struck out, white or tiny in the other"`
}

func (c CreatedChanges) location() string {
	if len(c.Items) == 0 {
		return ""
	}
	return "/api/files/" + c.Items[0].FileID + "/changes"
}

func (a *API) createChanges(ctx context.Context, in *createChangesRequest) (CreatedChanges, error) {
	switch {
	case in.Body.Version != 0 && !in.Body.Preview:
		return CreatedChanges{}, invalid("body.version", "is used with preview only")
	case in.Body.HTML && !in.Body.Preview:
		return CreatedChanges{}, invalid("body.html", "is used with preview only")
	case in.Body.Compared != 0 && in.Body.CompareTo == "":
		return CreatedChanges{}, invalid("body.compareToVersion", "is used with compareTo only")
	}
	o, release, err := a.open(ctx, in.FileID, in.Body.Version)
	if err != nil {
		return CreatedChanges{}, err
	}
	defer release()
	asked, err := a.proposed(ctx, in, o)
	if err != nil {
		return CreatedChanges{}, err
	}
	if in.Body.Preview {
		return asked.preview(o, in.Body.HTML)
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
	from    []int               // the index in the request of each
	found   *redline.Comparison // set if they come from a comparison, not from a list
}

// proposed returns the changes of a request: one change, a list of them, the
// differences from another file, or the edits in an SFDT.
func (a *API) proposed(ctx context.Context, in *createChangesRequest, o *opened) (proposal, error) {
	single := in.Body.Type != ""
	if ways(single, in.Body.Changes != nil, in.Body.CompareTo != "", in.Body.SFDT != nil) != 1 {
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
		return a.differences(ctx, in.Body.CompareTo, in.Body.Compared, o, me)
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

// asked are the changes of a list, each at the position of its anchor.
func (a *API) asked(ctx context.Context, list []ProposedChange, o *opened, me redline.Author) (all proposal, err error) {
	wanted := newList(list, func(p ProposedChange) redline.Asked { return p.asked(me) }).Items
	var text *redline.Text
	if redline.Spanned(wanted) {
		if text, err = a.textOf(ctx, o); err != nil {
			return all, err
		}
	}
	if all.changes, all.from, err = text.PlaceAll(wanted); err != nil {
		var why *redline.Error
		if errors.As(err, &why) {
			err = refused(location(last(all.from)), why)
		}
		return proposal{}, err
	}
	for i := range all.changes {
		all.changes[i].ID = db.NewID()
	}
	return all, nil
}

func location(change int) string { return fmt.Sprintf("body.changes[%d]", change) }

// textOf is the text of a file together with its document.
func (a *API) textOf(ctx context.Context, o *opened) (*redline.Text, error) {
	if !o.file.Current() {
		return nil, coded(draft.Unread(o.file))
	}
	if err := unsettled(o.file); err != nil {
		return nil, err
	}
	pages, err := a.DB.PageTexts(ctx, auth.Scope(ctx), o.file.ID)
	if err == nil {
		err = a.still(ctx, o.file)
	}
	if err != nil {
		return nil, err
	}
	return redline.NewText(o.doc, strings.Join(pages, "\f")), nil
}

func (p ProposedChange) asked(me redline.Author) redline.Asked {
	c := redline.Asked{Change: redline.Change{
		Type: p.Type, Text: p.Text, Side: p.Side, Style: p.Style, Cells: p.Cells, Comment: p.Comment, Target: p.Target,
		Author: me, Date: time.Now().UTC().Truncate(time.Second),
	}}
	if p.Anchor != nil {
		c.Anchor = p.Anchor.Anchor
		if s := p.Anchor.Span; s != nil {
			c.Span = &[2]int{s.Start, s.End}
		}
	}
	if p.Format != nil {
		c.Format = *p.Format
	}
	if p.Settings != nil {
		c.Of, c.Settings = p.Of, *p.Settings
	}
	if p.Author != nil && strings.TrimSpace(p.Author.Name) != "" {
		c.Author = *p.Author
	}
	if p.Date != nil {
		c.Date = p.Date.UTC()
	}
	return c
}

// author is the caller as the author of changes.
func (a *API) author(ctx context.Context) (redline.Author, error) {
	p := auth.From(ctx)
	if p.Kind == auth.Service {
		return redline.NewAuthor(p.Name), nil
	}
	user, err := a.DB.User(ctx, p.UserID)
	if err != nil {
		return redline.Author{}, err
	}
	return redline.NewAuthor(cmp.Or(user.Name, user.Email)), nil
}

// differences are the changes that turn a document into that of another file.
func (a *API) differences(ctx context.Context, with string, version int, o *opened, me redline.Author) (proposal, error) {
	file, err := a.DB.FileAt(ctx, auth.Scope(ctx), with, version)
	if fault.KindOf(err) == fault.NotFound {
		return proposal{}, invalid("body.compareTo", "does not exist in this team")
	}
	if err != nil {
		return proposal{}, err
	}
	other, err := draft.Read(ctx, a.DB, a.Blobs, a.Pictures, auth.Scope(ctx), file)
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

// propose adds changes to the open ones, if none of them conflict. Of the changes from
// a comparison it adds those without conflict.
func (a *API) propose(ctx context.Context, tx *db.Tx, o *opened, asked proposal) (CreatedChanges, error) {
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
	applied, err := asked.fit(o, open)
	if err != nil {
		return CreatedChanges{}, err
	}
	rows, withdrawn, err := asked.rows(o, applied)
	if err != nil {
		return CreatedChanges{}, err
	}
	gone, err := withdraw(ctx, tx, file.ID, withdrawn)
	if err != nil {
		return CreatedChanges{}, err
	}
	if len(rows) > 0 {
		if rows, err = tx.ProposeChanges(ctx, scope, file, rows); err != nil {
			return CreatedChanges{}, err
		}
	}
	return newCreatedChanges(append(gone, rows...), asked.found)
}

// preview is what would be proposed if no other change were open.
func (p *proposal) preview(o *opened, page bool) (CreatedChanges, error) {
	applied, err := p.fit(o, nil)
	if err != nil {
		return CreatedChanges{}, err
	}
	rows, _, err := p.rows(o, applied)
	if err != nil {
		return CreatedChanges{}, err
	}
	now := time.Now()
	for i := range rows {
		rows[i].FileID, rows[i].Status, rows[i].Version, rows[i].CreatedAt = o.file.ID, db.ChangeProposed, o.file.CurrentVersion, now
	}
	out, err := newCreatedChanges(rows, p.found)
	if err != nil || !page {
		return out, err
	}
	result, err := redline.Execute(o.Data, p.changes, redline.Options{})
	if err != nil {
		return out, coded(err)
	}
	doc, err := docx.Open(result.Document)
	if err != nil {
		return out, coded(err)
	}
	out.HTML = string(redline.HTML(doc, o.file.Name, append(out.Warnings, result.Warnings...)))
	return out, nil
}

// fit refuses changes that conflict with open ones; from a comparison it drops them. It
// returns the results of the others, change by change.
func (p *proposal) fit(o *opened, open []redline.Change) ([]redline.Applied, error) {
	applied, failed := redline.Propose(o.doc, o.sha256, open, p.changes)
	switch {
	case p.found != nil:
		p.found.Drop(failed)
		p.changes = p.found.Changes
	case failed != nil:
		i := slices.IndexFunc(p.changes, func(c redline.Change) bool { return c.ID == failed[0].ID })
		return nil, refused(location(p.from[i]), failed[0].Err)
	}
	return applied, nil
}

// rows are the changes as they are stored, and the ids of those that are withdrawn.
func (p *proposal) rows(o *opened, applied []redline.Applied) (rows []db.Change, withdrawn []string, err error) {
	for i, c := range p.changes {
		if c.Type == redline.Withdraw {
			withdrawn = append(withdrawn, c.Target)
			continue
		}
		if c.Anchor != (redline.Anchor{}) && c.Anchor.Text == "" {
			c.Anchor.DocSHA256 = o.sha256 // a place means something in this document only
		}
		row := db.Change{ID: c.ID}
		if row.Body, err = json.Marshal(c); err != nil {
			return nil, nil, err
		}
		if applied[i].Resolved != nil {
			if row.Resolved, err = json.Marshal(applied[i].Resolved); err != nil {
				return nil, nil, err
			}
		}
		rows = append(rows, row)
	}
	return rows, withdrawn, nil
}

// withdraw withdraws proposed changes.
func withdraw(ctx context.Context, tx *db.Tx, fileID string, ids []string) (rows []db.Change, err error) {
	for _, id := range ids {
		if !isID(id) {
			return nil, fault.New(fault.NotFound, "not found")
		}
		row, err := tx.WithdrawChange(ctx, auth.Scope(ctx), fileID, id)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func newCreatedChanges(rows []db.Change, found *redline.Comparison) (CreatedChanges, error) {
	out := CreatedChanges{Items: []Change{}}
	if found != nil {
		out.Left, out.Moves, out.Warnings = found.Left, found.Moved(), found.Warnings
	}
	for _, row := range rows {
		c, err := newChange(row)
		if err != nil {
			return CreatedChanges{}, err
		}
		out.Items = append(out.Items, c)
	}
	return out, nil
}

// openChanges are the open changes of a file, all or those of ids.
func openChanges(ctx context.Context, q db.Queries, fileID string, ids []string) ([]redline.Change, error) {
	rows, err := q.Changes(ctx, auth.Scope(ctx), fileID)
	if err != nil {
		return nil, err
	}
	return openOf(rows, ids)
}

// openOf reads the open changes of rows, all or those of ids.
func openOf(rows []db.Change, ids []string) ([]redline.Change, error) {
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
