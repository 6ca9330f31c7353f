package api

import (
	"context"
	"encoding/json"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/draft"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/redline"
)

// VersionReview is what a version does to the one before, and to the changes that were
// proposed for that.
type VersionReview struct {
	FileID    string             `json:"fileId"`
	Since     Base               `json:"since" doc:"The version before"`
	Version   Base               `json:"version"`
	Tracked   []Change           `json:"tracked" nullable:"false" doc:"Tracked changes and comments that the version before does not have, with their authors. Accept and reject them by their ids with createChanges"`
	Untracked []UntrackedChange  `json:"untracked" nullable:"false" doc:"Differences that no tracked change shows"`
	Left      []string           `json:"left,omitempty" doc:"Untracked differences that changes cannot express, each with its place and both values"`
	Carried   []string           `json:"carried" nullable:"false" doc:"Ids of the open changes whose text is unchanged: they are at their places in the version"`
	Conflicts []ConflictedChange `json:"conflicts" nullable:"false" doc:"Proposed changes whose text the version changes as well"`
	Warnings  []string           `json:"warnings" nullable:"false" doc:"untracked: there are differences without tracked changes. hidden_text: the version hides text, strikes it out, or makes it white or tiny"`
}

// Base names a version and its bytes.
type Base = redline.Base

// UntrackedChange is a difference that no tracked change shows.
type UntrackedChange struct {
	ID         string            `json:"id" doc:"The same for the same difference in later versions"`
	Type       string            `json:"type" doc:"As of changes"`
	Was        string            `json:"was" doc:"The text in the version before"`
	Text       string            `json:"text" doc:"The text in the version"`
	Properties []string          `json:"properties,omitempty" doc:"For changes of format and properties: the properties that differ"`
	Resolved   *redline.Resolved `json:"resolved,omitempty" doc:"Position in the version before"`
}

// ConflictedChange is a proposed change beside what the other side made of its text.
type ConflictedChange struct {
	Change  Change            `json:"change"`
	Base    string            `json:"base" doc:"The paragraph in the version before"`
	Ours    string            `json:"ours" doc:"The paragraph with the proposed change"`
	Theirs  string            `json:"theirs" doc:"The paragraph in the version; empty if it is gone"`
	Place   *redline.Resolved `json:"place,omitempty" doc:"Position of that paragraph in the version"`
	Authors []string          `json:"authors" nullable:"false" doc:"Authors of the tracked changes in it; none if it was changed without"`
	Reason  string            `json:"reason" doc:"Why the proposed change cannot be carried over"`
	Keep    *ProposedChange   `json:"keep,omitempty" doc:"The change of the version that has our text there, for createChanges; none where there is nothing to change or no place for it. Withdrawing the proposed change leaves theirs"`
}

// reviewVersion puts a version beside the one before and what was proposed for that.
func (a *API) reviewVersion(ctx context.Context, in *struct {
	VersionRef
	Since int `query:"since" minimum:"1" doc:"Number of the version to compare with; by default the one before"`
}) (VersionReview, error) {
	since := in.Since
	if since == 0 {
		since = in.N - 1
	}
	next, release, err := a.open(ctx, in.FileID, in.N)
	if err != nil {
		return VersionReview{}, err
	}
	defer release()
	if since < 1 || since >= in.N {
		return VersionReview{}, invalid("query.since", "must be a version before the one that is reviewed")
	}
	file, err := a.DB.FileAt(ctx, auth.Scope(ctx), in.FileID, since)
	if err != nil {
		return VersionReview{}, err
	}
	before, err := draft.Read(ctx, a.DB, a.Blobs, a.Pictures, auth.Scope(ctx), file)
	if err != nil {
		return VersionReview{}, coded(err)
	}
	rows, err := a.DB.Changes(ctx, auth.Scope(ctx), in.FileID)
	if err != nil {
		return VersionReview{}, err
	}
	out := VersionReview{
		FileID: in.FileID, Since: Base{SHA256: redline.SHA256(before.Data), Version: since}, Version: Base{SHA256: next.sha256, Version: in.N},
		Tracked: []Change{}, Untracked: []UntrackedChange{}, Carried: []string{}, Conflicts: []ConflictedChange{}, Warnings: []string{},
	}
	ours, byID, err := out.ours(rows, since, in.N)
	if err != nil {
		return VersionReview{}, err
	}
	review, err := redline.NewReview(before.Data, next.Data, ours)
	if err != nil {
		return VersionReview{}, coded(err)
	}
	return out, out.add(review, byID)
}

// ours are the proposed changes that a version had to be reconciled with; those that were
// carried along to it are noted.
func (r *VersionReview) ours(rows []db.Change, since, n int) (ours []redline.Change, byID map[string]db.Change, err error) {
	byID = map[string]db.Change{}
	for _, row := range rows {
		lost := row.Status == db.ChangeStale && row.Ended != nil && *row.Ended == n
		switch {
		case row.Status == db.ChangeProposed && row.Version >= n:
			r.Carried = append(r.Carried, row.ID)
			continue
		case row.Version != since, row.Status != db.ChangeProposed && !lost:
			continue
		}
		var c redline.Change
		if err := json.Unmarshal(row.Body, &c); err != nil {
			return nil, nil, fault.Wrap(fault.Internal, "a change cannot be read", err)
		}
		ours, byID[row.ID] = append(ours, c), row
	}
	return ours, byID, nil
}

func (r *VersionReview) add(review *redline.Review, byID map[string]db.Change) error {
	for _, m := range review.Tracked {
		r.Tracked = append(r.Tracked, newStanding(r.FileID, m))
	}
	for _, d := range review.Untracked {
		settings := d.Format.Settings()
		settings.Set, settings.Unset = append(settings.Set, d.Settings.Set...), append(settings.Unset, d.Settings.Unset...)
		r.Untracked = append(r.Untracked, UntrackedChange{
			ID: d.ID, Type: string(d.Type), Was: d.Was, Text: redline.Readable(d.Change.Text, d.Content), Properties: settings.Names(), Resolved: d.Resolved,
		})
	}
	for _, c := range review.Carried {
		r.Carried = append(r.Carried, c.ID)
	}
	for _, k := range review.Conflicts {
		change, err := newChange(byID[k.ID])
		if err != nil {
			return err
		}
		r.Conflicts = append(r.Conflicts, ConflictedChange{change, k.Base, k.Ours, k.Theirs, k.Place, append([]string{}, k.Authors...), k.Reason, newProposed(k.Keep)})
	}
	r.Left, r.Warnings = review.Left, append(r.Warnings, review.Warnings...)
	return nil
}

// newProposed is a change of words as a request has it.
func newProposed(c *redline.Change) *ProposedChange {
	if c == nil {
		return nil
	}
	return &ProposedChange{Type: c.Type, Anchor: &ProposedAnchor{Anchor: c.Anchor}, Text: c.Text, Side: c.Side, Style: c.Style, Comment: c.Comment, Author: &c.Author}
}
