package redline

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
)

// A Report describes what was done to a document, for the caller of the API.
type Report struct {
	Source    string         `json:"source" enum:"docx,text" doc:"docx: the Word document itself; text: a Word document that was built from the structure of a file in another format"`
	Base      Base           `json:"base"`
	Applied   []Done         `json:"applied" nullable:"false"`
	Failed    []Refused      `json:"failed" nullable:"false"`
	Revisions RevisionCounts `json:"revisions"`
	Comments  int            `json:"comments" doc:"Number of comments in the resulting document"`
	Accepted  []string       `json:"accepted" nullable:"false" doc:"Ids of the tracked changes of the base that were accepted"`
	Rejected  []string       `json:"rejected" nullable:"false"`
	Warnings  []string       `json:"warnings" nullable:"false" doc:"protected, signature_removed or comments; comments: the document has comments, which accepting changes does not remove"`
	Checks    Checks         `json:"checks" doc:"Checks that were computed on the returned bytes"`
}

// Base names the document that changes were made to.
type Base struct {
	SHA256  string `json:"sha256"`
	Version int    `json:"version" doc:"Number of the version of the file"`
}

// Done is a change that was carried out.
type Done struct {
	ID  string `json:"id"`
	How How    `json:"how,omitempty" doc:"How the position of its anchor was found"`
}

// Refused is a change that was not, and why.
type Refused struct {
	ID    string `json:"id"`
	Code  string `json:"code" doc:"Error code: anchor_not_found, anchor_ambiguous, stale_document, conflict, target_not_found, …"`
	Error string `json:"error"`
}

// RevisionCounts counts tracked changes.
type RevisionCounts struct {
	Before int `json:"before" doc:"Number of tracked changes in the base"`
	After  int `json:"after"`
	Ours   int `json:"ours" doc:"Number of tracked changes made from the proposed changes"`
}

// Report makes the Report of a result.
func (r *Result) Report(source string, base Base) Report {
	report := Report{
		Source: source, Base: base, Applied: []Done{}, Failed: []Refused{}, Comments: r.Comments,
		Revisions: RevisionCounts{r.Before, r.After, r.Ours},
		Accepted:  append([]string{}, r.Accepted...), Rejected: append([]string{}, r.Rejected...),
		Warnings: append([]string{}, r.Warnings...), Checks: r.Checks,
	}
	for _, a := range r.Applied {
		done := Done{ID: a.ID}
		if a.Resolved != nil {
			done.How = a.Resolved.How
		}
		report.Applied = append(report.Applied, done)
	}
	for _, f := range r.Failed {
		report.Failed = append(report.Failed, Refused{f.ID, string(f.Err.Code), f.Err.Message})
	}
	return report
}

// Propose checks new changes of a document that has other proposed changes: it returns
// the resolved anchors of those that can be applied, in the order of the changes, and
// those that cannot. Earlier changes that can no longer be applied are ignored.
func Propose(doc *docx.Document, sha256 string, standing, proposed []Change) (applied []Applied, failed []Failed) {
	a := newApplier(doc, sha256)
	for i := range standing {
		if standing[i].marks() {
			a.apply(&standing[i])
		}
	}
	a.applied, a.failed = nil, nil
	for i := range proposed {
		c := &proposed[i]
		switch {
		case c.Type == Withdraw:
			a.applied = append(a.applied, Applied{ID: c.ID})
		case c.marks():
			a.apply(c)
		default:
			if err := c.Validate(); err != nil {
				a.failed = append(a.failed, Failed{c.ID, asError(err)})
			}
		}
	}
	a.decisions(slices.Concat(standing, proposed))
	why, where := map[string]*Error{}, map[string]Applied{}
	for _, f := range a.failed {
		why[f.ID] = f.Err
	}
	for _, done := range a.applied {
		where[done.ID] = done
	}
	for _, c := range proposed {
		if err := why[c.ID]; err != nil {
			failed = append(failed, Failed{c.ID, err})
		} else {
			applied = append(applied, where[c.ID])
		}
	}
	return applied, failed
}

// Drop removes changes that cannot be applied, and records them in Left.
func (c *Comparison) Drop(failed []Failed) {
	why := map[string]*Error{}
	for _, f := range failed {
		why[f.ID] = f.Err
	}
	at := make([]int, len(c.Changes)) // where each goes, -1 for nowhere
	var kept []Change
	for i, change := range c.Changes {
		err := why[change.ID]
		if err == nil {
			at[i] = len(kept)
			kept = append(kept, change)
			continue
		}
		at[i] = -1
		place := cmp.Or(change.Anchor.Part, change.Target)
		if change.Anchor.Block != nil {
			place = fmt.Sprintf("%s, paragraph %d", place, *change.Anchor.Block)
		}
		c.Left = append(c.Left, fmt.Sprintf("%s: a change (%s) cannot be made: %s", place, change.Type, err.Message))
	}
	var moves []Move
	for _, m := range c.Moves {
		if at[m.From] >= 0 && at[m.To] >= 0 {
			moves = append(moves, Move{at[m.From], at[m.To]})
		}
	}
	c.Changes, c.Moves = kept, moves
}

// An Outcome is a report, or why there is none: what is kept of an execution.
type Outcome struct {
	Report *Report  `json:"report,omitempty"`
	Error  *Failure `json:"error,omitempty"`
}

// A Failure is a fault that can be kept.
type Failure struct {
	Kind    fault.Kind `json:"kind"`
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

// NewFailure keeps what a caller may know of err.
func NewFailure(err error) *Failure {
	var own *Error
	if errors.As(err, &own) {
		return &Failure{own.Kind, own.Code, own.Message}
	}
	return &Failure{fault.KindOf(err), fault.CodeOf(err), fault.Message(err)}
}

// Fault is the error again.
func (f *Failure) Fault() error {
	return &fault.Error{Kind: f.Kind, Code: f.Code, Message: f.Message}
}
