package redline

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/clausemill/clausemill/docx"
	"github.com/clausemill/clausemill/fault"
)

// Options are how changes are applied.
type Options struct {
	Clean    bool          // leave no trace: the changes as if they had always been so
	Tracked  bool          // Clean only: the changes stay as tracked ones, and only decisions leave no trace
	Existing docx.Decision // Clean only: what becomes of other people's changes that nobody decided on
	Strip    bool          // Clean only: take all comments out
	Strict   bool          // fail as a whole when one change fails
}

// Checks is the proof of a result, computed on the bytes that are given out.
type Checks struct {
	AcceptAllEqualsTarget   bool `json:"acceptAllEqualsTarget" doc:"Accepting all changes gives the intended text"`
	RejectAllEqualsBase     bool `json:"rejectAllEqualsBase" doc:"Rejecting all changes gives the same text and formatting as rejecting all changes of the base"`
	PriorRevisionsPreserved bool `json:"priorRevisionsPreserved" doc:"Every tracked change of the base is still in the document"`
	Opens                   bool `json:"opens" doc:"The package is valid: it opens, its ids are unique and its references resolve"`
}

// OK reports whether everything holds.
func (c Checks) OK() bool {
	return c.AcceptAllEqualsTarget && c.RejectAllEqualsBase && c.PriorRevisionsPreserved && c.Opens
}

// A Result is a document with changes carried out.
type Result struct {
	Document []byte
	Applied  []Applied
	Failed   []Failed
	Before   int // tracked changes in the base
	After    int // tracked changes in the document
	Ours     int // of those, the ones that the changes made
	Comments int // in the document
	Warnings []string
	Checks   Checks

	// Decided are the tracked changes of the base that were accepted and
	// rejected, by decision of a change.
	Accepted, Rejected []string
}

// SHA256 names bytes as anchors do.
func SHA256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Execute applies changes to a document: as tracked changes and comments, each by its
// author, or as a clean document. Changes that cannot be applied are reported.
// Decisions among the changes are applied to a clean document only.
func Execute(base []byte, changes []Change, options Options) (*Result, error) {
	doc, err := docx.Open(base)
	if err != nil {
		return nil, err
	}
	a := newApplier(doc, SHA256(base))
	decisions := a.decisions(changes)
	for i := range changes {
		if changes[i].marks() {
			a.apply(&changes[i])
		}
	}
	if options.Strict && len(a.failed) > 0 {
		return nil, a.failed[0].Err
	}
	marked, err := a.editor.Bytes()
	if err != nil {
		return nil, err
	}
	r := &Result{Document: marked, Applied: a.applied, Failed: a.failed, Warnings: a.warnings()}
	for range doc.Marks() {
		r.Before++
	}
	r.Checks = Checks{true, true, true, true}
	after := doc
	if !slices.Equal(base, marked) {
		if after, err = doc.Reopen(marked); err != nil {
			return nil, err
		}
		if r.Checks, err = a.prove(after); err != nil {
			return nil, err
		}
	}
	if options.Clean {
		if after, err = a.clean(r, after, decisions, options); err != nil {
			return nil, err
		}
	}
	a.count(r, after)
	return r, nil
}

// Decisions on tracked changes of the document, by revision id.
func (a *applier) decisions(changes []Change) map[string]docx.Decision {
	decided := map[string]docx.Decision{}
	var known map[string]bool
	for i := range changes {
		c := &changes[i]
		if c.Type != Accept && c.Type != Reject {
			continue
		}
		if known == nil {
			known = map[string]bool{}
			for r := range a.doc.Marks() {
				known[r.ID] = true
			}
		}
		target := c.Target
		if !known[target] {
			target = a.doc.RevisionNow(target)
		}
		switch _, twice := decided[target]; {
		case !known[target]:
			a.failed = append(a.failed, Failed{c.ID, refuse(fault.NotFound, UnknownTarget, "the document has no such tracked change")})
			continue
		case twice:
			a.failed = append(a.failed, Failed{c.ID, refuse(fault.Conflict, Conflict, "the tracked change is decided on already")})
			continue
		}
		decided[target] = map[Type]docx.Decision{Accept: docx.Accept, Reject: docx.Reject}[c.Type]
		a.applied = append(a.applied, Applied{ID: c.ID})
	}
	return decided
}

// clean resolves the marks: those of the changes, those that were decided on,
// and the rest.
func (a *applier) clean(r *Result, marked *docx.Document, decisions map[string]docx.Decision, options Options) (clean *docx.Document, err error) {
	decided := map[string]docx.Decision{}
	for revision := range a.doc.Marks() {
		switch decision := decisions[revision.ID]; decision {
		case docx.Accept:
			r.Accepted = append(r.Accepted, revision.ID)
			decided[a.editor.Key(revision)] = decision
		case docx.Reject:
			r.Rejected = append(r.Rejected, revision.ID)
			decided[a.editor.Key(revision)] = decision
		}
	}
	r.Document, err = marked.Resolve(func(revision docx.Revision) docx.Decision {
		if a.editor.Made(revision) {
			if options.Tracked {
				return docx.Keep
			}
			return docx.Accept
		}
		if decision, ok := decided[a.editor.Key(revision)]; ok {
			return decision
		}
		return options.Existing
	})
	if err != nil {
		return nil, err
	}
	if clean, err = marked.Reopen(r.Document); err != nil || !options.Strip {
		return clean, err
	}
	if r.Document, err = clean.WithoutComments(); err != nil {
		return nil, err
	}
	return clean.Reopen(r.Document)
}

// count looks at what was made.
func (a *applier) count(r *Result, made *docx.Document) {
	for revision := range made.Marks() {
		r.After++
		if a.editor.Made(revision) {
			r.Ours++
		}
	}
	r.Comments = len(made.Comments())
	if r.Comments > 0 {
		r.Warnings = append(r.Warnings, "comments")
	}
}

// warnings are what a reader should know of the document.
func (a *applier) warnings() []string {
	var warnings []string
	if a.doc.Related("settings").Root().Child("documentProtection").Exists() {
		warnings = append(warnings, "protected")
	}
	if a.doc.Signed() {
		warnings = append(warnings, "signature_removed")
	}
	return warnings
}

// prove holds what was written, as it was read again, against what was to be.
// Texts and formatting are compared where anything differs or was to: the rest
// is the same bytes.
func (a *applier) prove(after *docx.Document) (c Checks, err error) {
	c.Opens = len(after.Faults()) <= len(a.doc.Faults())
	c.PriorRevisionsPreserved = a.preserved(after)
	before, now := differing(a.doc, after, a.target.touched(a.doc))
	is, err := after.Excerpt(now.holds)
	if err != nil {
		return c, err
	}
	was, err := a.doc.Excerpt(before.holds)
	if err != nil {
		return c, err
	}
	accepted, err := is.Resolved(func(r docx.Revision) docx.Decision {
		if a.editor.Made(r) {
			return docx.Accept
		}
		return docx.Keep
	})
	if err != nil {
		return c, err
	}
	c.AcceptAllEqualsTarget = slices.Equal(lines(accepted, nil, nil), lines(a.doc, a.target, before))
	wasShape, err := resolved(was, docx.RejectAll)
	if err != nil {
		return c, err
	}
	isShape, err := resolved(is, docx.RejectAll)
	c.RejectAllEqualsBase = slices.Equal(wasShape, isShape)
	return c, err
}

// resolved is the shape of a document with decisions carried out.
func resolved(d *docx.Document, decide func(docx.Revision) docx.Decision) ([]string, error) {
	after, err := d.Resolved(decide)
	if err != nil {
		return nil, err
	}
	return after.Shape(), nil
}

// preserved reports whether the marks of the base are all there, with all their
// text. One that was cut in two counts as the one it was. What an author of the
// changes had put in before may have been changed by that author.
func (a *applier) preserved(after *docx.Document) bool {
	type mark struct{ key, author, date string }
	sum := func(d *docx.Document, own bool) map[mark]int {
		all := map[mark]int{}
		for r := range d.Marks() {
			if own || !a.editor.Made(r) {
				all[mark{a.editor.Key(r), r.Author, r.Element.Attr("date")}] += len(r.Text) + 1
			}
		}
		return all
	}
	have := sum(after, false)
	for m, n := range sum(a.doc, true) {
		if have[m] < n && !a.editor.By(m.author) {
			return false
		}
	}
	return true
}

// Decide applies the decisions among changes to the tracked changes of a document;
// rest decides those without a decision. The other changes are not applied.
func Decide(base []byte, changes []Change, rest func(docx.Revision) docx.Decision) (*Result, error) {
	doc, err := docx.Open(base)
	if err != nil {
		return nil, err
	}
	a := newApplier(doc, SHA256(base))
	decisions := a.decisions(changes)
	r := &Result{Applied: a.applied, Failed: a.failed, Warnings: a.warnings()}
	r.Document, err = doc.Resolve(func(revision docx.Revision) docx.Decision {
		r.Before++
		decision, ok := decisions[revision.ID]
		if !ok {
			decision = rest(revision)
		}
		switch decision {
		case docx.Accept:
			r.Accepted = append(r.Accepted, revision.ID)
		case docx.Reject:
			r.Rejected = append(r.Rejected, revision.ID)
		case docx.Keep:
		}
		return decision
	})
	if err != nil {
		return nil, err
	}
	after, err := doc.Reopen(r.Document)
	if err != nil {
		return nil, err
	}
	a.count(r, after)
	r.Checks, err = a.proveDecisions(r, doc, after)
	return r, err
}

// proveDecisions compares a document after decisions with the one before: accepting or
// rejecting all remaining changes gives the same text in both.
func (a *applier) proveDecisions(r *Result, before, after *docx.Document) (Checks, error) {
	decided := map[string]docx.Decision{}
	for _, id := range r.Accepted {
		decided[id] = docx.Accept
	}
	for _, id := range r.Rejected {
		decided[id] = docx.Reject
	}
	inBefore, inAfter := differing(before, after, nil)
	was, err := before.Excerpt(inBefore.holds)
	if err != nil {
		return Checks{}, err
	}
	is, err := after.Excerpt(inAfter.holds)
	if err != nil {
		return Checks{}, err
	}
	var fates []docx.Decision // of the marks in the excerpt, which have other places there and so other ids
	roots := rootsOf(before)
	for revision := range before.Marks() {
		if block := roots.below(revision.Element); inBefore[block] || block.Is("sectPr") || !block.Exists() {
			fates = append(fates, decided[revision.ID])
		}
	}
	same := func(rest docx.Decision) (bool, error) {
		next := 0
		then, err := resolved(was, func(docx.Revision) docx.Decision {
			next++
			return cmp.Or(fates[next-1], rest)
		})
		if err != nil {
			return false, err
		}
		now, err := resolved(is, func(docx.Revision) docx.Decision { return rest })
		return slices.Equal(then, now), err
	}
	var c Checks
	if c.AcceptAllEqualsTarget, err = same(docx.Accept); err != nil {
		return c, err
	}
	if c.RejectAllEqualsBase, err = same(docx.Reject); err != nil {
		return c, err
	}
	c.PriorRevisionsPreserved = c.AcceptAllEqualsTarget && c.RejectAllEqualsBase
	c.Opens = len(after.Faults()) <= len(before.Faults())
	return c, nil
}
