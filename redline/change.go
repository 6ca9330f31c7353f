package redline

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
)

// Type is the kind of a change.
type Type string

// The types of changes.
const (
	Insert          Type = "insert"
	Delete          Type = "delete"
	Replace         Type = "replace"
	Rewrite         Type = "rewrite" // gives a paragraph a new text
	InsertParagraph Type = "insertParagraph"
	DeleteParagraph Type = "deleteParagraph"
	InsertRow       Type = "insertRow"
	DeleteRow       Type = "deleteRow"
	InsertCell      Type = "insertCell"
	DeleteCell      Type = "deleteCell"
	FormatText      Type = "format"
	SetProperties   Type = "properties" // of a paragraph, table, row, cell or section
	CommentOn       Type = "comment"
	Reply           Type = "reply"
	Accept          Type = "accept"
	Reject          Type = "reject"
	Withdraw        Type = "withdraw"
)

// Types lists all types of changes.
var Types = []Type{
	Insert, Delete, Replace, Rewrite, InsertParagraph, DeleteParagraph, InsertRow, DeleteRow, InsertCell, DeleteCell, FormatText, SetProperties,
	CommentOn, Reply, Accept, Reject, Withdraw,
}

// Why a change cannot be made, beside the codes of docx.
const (
	AnchorNotFound  fault.Code = "anchor_not_found"
	AnchorAmbiguous fault.Code = "anchor_ambiguous"
	AnchorMismatch  fault.Code = "anchor_mismatch"
	StaleDocument   fault.Code = "stale_document"
	Conflict        fault.Code = "conflict"
	NoChange        fault.Code = "no_change"
	BadChange       fault.Code = "invalid_change"
	UnknownTarget   fault.Code = "target_not_found"
)

// An Error is why a change cannot be applied.
type Error struct {
	Code       fault.Code
	Kind       fault.Kind
	Message    string
	Candidates []Candidate // where the words were found, if more than once
	With       string      // the change that this one conflicts with
}

func (e *Error) Error() string { return e.Message }

// A Candidate is a place that an anchor might mean.
type Candidate struct {
	Resolved
	Before string `json:"before"` // the text in front of it
	Text   string `json:"text"`
	After  string `json:"after"` // the text behind it
}

func refuse(kind fault.Kind, code fault.Code, message string) *Error {
	return &Error{Kind: kind, Code: code, Message: message}
}

// asError gives the errors of docx the form of this room's.
func asError(err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	code := fault.CodeOf(err)
	kind := fault.Invalid
	switch code { //nolint:exhaustive // the others are of files
	case fault.InternalCode:
		code = BadChange
	case docx.TargetDeleted:
		kind = fault.Conflict
	}
	return &Error{Code: code, Kind: kind, Message: fault.Message(err)}
}

// Side is the side of an anchor on which text is inserted.
type Side string

// The sides.
const (
	Before Side = "before"
	After  Side = "after"
)

// An Anchor identifies the text that a change is about: by position, by the words
// themselves, or both, in which case the words decide. Positions count code points of
// the canonical text of paragraphs (docx.Paragraph); an anchor that spans paragraphs
// counts the end of each as one more code point, \n.
type Anchor struct {
	Part       string `json:"part,omitempty" maxLength:"100" doc:"Part of the document: body, header:N, footer:N, footnote:ID or endnote:ID; by default body"`
	ParaID     string `json:"paraId,omitempty" maxLength:"40" doc:"Id of the paragraph in Word"`
	Block      *int   `json:"block,omitempty" minimum:"0" doc:"Index of the paragraph in its part, cells included, from 0. With text, the text has to be in this paragraph, and occurrence counts in it"`
	EndBlock   *int   `json:"endBlock,omitempty" minimum:"0" doc:"For deleteParagraph: the last paragraph to delete"`
	Start      *int   `json:"start,omitempty" minimum:"0" doc:"Start in code points from the start of the paragraph"`
	End        *int   `json:"end,omitempty" minimum:"0" doc:"End in code points, exclusive; the end of a paragraph counts as one"`
	Text       string `json:"text,omitempty" maxLength:"1000000" doc:"The text itself, with \\n between paragraphs"`
	Before     string `json:"before,omitempty" maxLength:"1000" doc:"Some of the text before it"`
	After      string `json:"after,omitempty" maxLength:"1000" doc:"Some of the text after it"`
	Occurrence int    `json:"occurrence,omitempty" minimum:"0" doc:"Number of the occurrence, from 1, where the text occurs more than once"`
	DocSHA256  string `json:"docSha256,omitempty" maxLength:"64" doc:"SHA-256 of the document that the anchor was made for. If the document is another one, only the text is used"`
}

// Author is who makes a change.
type Author struct {
	Name     string `json:"name" maxLength:"255"`
	Initials string `json:"initials,omitempty" maxLength:"9"`
}

// A Change is one thing to be done to a document.
type Change struct {
	ID     string      `json:"id"`
	Type   Type        `json:"type"`
	Anchor Anchor      `json:"anchor,omitzero"`
	Text   string      `json:"text,omitempty"`
	Side   Side        `json:"side,omitempty"`
	Style  string      `json:"style,omitempty"` // of inserted paragraphs: the id of a paragraph style
	Cells  []string    `json:"cells,omitempty"` // of an inserted row
	Format docx.Format `json:"format,omitzero"`
	Of     docx.Holder `json:"of,omitempty"` // what the settings are of: by default text, or the new paragraph

	Settings docx.Settings `json:"settings,omitzero"`

	// Content is what is put in that text cannot say, with its formatting: of
	// insertParagraph, insertRow and insertCell the whole, else what each
	// docx.ObjectToCome in Text stands for. Comparisons make it.
	Content []*docx.Content `json:"content,omitempty"`

	Comment string    `json:"comment,omitempty"` // goes with the change, as a comment on its place
	Target  string    `json:"target,omitempty"`  // of reply, accept, reject and withdraw
	Author  Author    `json:"author"`
	Date    time.Time `json:"date"`
}

func (c *Change) by() docx.By {
	return docx.By{Author: c.Author.Name, Initials: c.Author.Initials, Date: c.Date}
}

// marks reports whether the change leaves a mark in a document, other than a
// decision on marks that are there.
func (c *Change) marks() bool {
	switch c.Type {
	case Accept, Reject, Withdraw:
		return false
	default:
		return true
	}
}

// whole reports whether all that is put in is given as content.
func (c *Change) whole() bool {
	return len(c.Content) == 1 && (c.Type == InsertParagraph || c.Type == InsertRow || c.Type == InsertCell)
}

// maxChangeText bounds the text of one change, in bytes.
const maxChangeText = 1 << 20

// Validate checks a change independently of the document.
func (c *Change) Validate() error {
	if len(c.Text) > maxChangeText || len(c.Comment) > maxChangeText {
		return refuse(fault.TooLarge, BadChange, "the text is longer than 1 MiB, which is the limit")
	}
	text := c.Text
	switch {
	case c.whole():
		text = ""
	case c.Type == Rewrite || c.Type == Replace || c.Type == Insert:
		if c.Type != Insert {
			text = withoutKept.Replace(text)
		}
		if strings.Count(text, docx.ObjectToCome) != len(c.Content) {
			return refuse(fault.Invalid, BadChange, "the text has a character that stands for pictures and the like, and none is given for it")
		}
		text = strings.ReplaceAll(text, docx.ObjectToCome, "")
	case len(c.Content) > 0:
		return refuse(fault.Invalid, BadChange, "a change of this type has no content")
	}
	cells := c.Cells
	if c.whole() {
		cells = nil
	}
	for _, text := range append([]string{text, c.Comment}, cells...) {
		if err := validText(text); err != nil {
			return err
		}
	}
	for _, text := range []string{c.Author.Name, c.Author.Initials, c.Style} {
		if err := validText(text); err != nil || strings.ContainsAny(text, "\n\v\t") {
			return refuse(fault.Invalid, BadChange, "an author, initials and a style are one line of text")
		}
	}
	needsText := false
	switch c.Type {
	case Insert, Replace, CommentOn, Reply:
		needsText = c.Text == "" && (c.Type != CommentOn || c.Comment == "")
	case InsertRow:
		if len(c.Cells) == 0 && !c.whole() {
			return refuse(fault.Invalid, BadChange, "a row needs the texts of its cells")
		}
	case FormatText, SetProperties:
		if c.Format.IsZero() && c.Settings.IsZero() {
			return refuse(fault.Invalid, NoChange, "the format changes nothing")
		}
	case InsertCell:
		if !c.whole() {
			return refuse(fault.Invalid, BadChange, "a cell needs its content")
		}
	case Delete, Rewrite, InsertParagraph, DeleteParagraph, DeleteRow, DeleteCell, Accept, Reject, Withdraw:
	default:
		return refuse(fault.Invalid, BadChange, "the type of the change is not known")
	}
	switch {
	case needsText:
		return refuse(fault.Invalid, NoChange, "the change has no text")
	case c.Type == Replace && c.Text == c.Anchor.Text:
		return refuse(fault.Invalid, NoChange, "the new text is the old one")
	case c.Side != "" && c.Side != Before && c.Side != After:
		return refuse(fault.Invalid, BadChange, "the side is before or after")
	case c.Target == "" && (c.Type == Reply || !c.marks()):
		return refuse(fault.Invalid, BadChange, "the change needs a target")
	}
	return nil
}

// kept are the characters of canonical text that a new text in place of an old
// one may have where the old one has them, but that cannot be written.
const kept = "\uFFFC\f"

var withoutKept = strings.NewReplacer("\uFFFC", "", "\f", "")

// validText refuses what a document cannot hold or a change cannot mean.
func validText(text string) error {
	if !utf8.ValidString(text) {
		return refuse(fault.Invalid, BadChange, "the text is not valid Unicode")
	}
	for _, r := range text {
		switch {
		case r == '\n' || r == '\v' || r == '\t':
		case !docx.IsXML(r), r == '\r', r >= 0x7F && r < 0xA0:
			return refuse(fault.Invalid, BadChange, "the text has a control character; \\n ends a paragraph, \\v a line, \\t is a tab")
		case r == '\uFDD0':
			return refuse(fault.Invalid, BadChange, "the text has U+FDD0, which is no character")
		case r == '\uFFFC':
			return refuse(fault.Invalid, BadChange, "the text has U+FFFC, which stands for pictures and notes and cannot be written")
		}
	}
	return nil
}
