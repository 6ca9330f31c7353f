package db

import (
	"context"
	"slices"

	"github.com/clausemill/clausemill/fault"
)

// LifecycleStage is the stage of a contract in its own life cycle. It is independent
// of the processing status of the file.
type LifecycleStage string

// Archived is the last stage. Only admins may move a contract out of it.
const Archived LifecycleStage = "archived"

// lifecycle is the order of the stages. Expired and terminated are alternatives: both
// follow active.
var lifecycle = []LifecycleStage{"draft", "review", "negotiation", "approval", "signature", "active", "expired", "terminated", "archived"}

// LifecycleStages lists the stages in order.
func LifecycleStages() []LifecycleStage { return slices.Clone(lifecycle) }

// rank makes expired and terminated equals.
func (s LifecycleStage) rank() int {
	at := slices.Index(lifecycle, s)
	if s == "terminated" || s == "archived" {
		at--
	}
	return at
}

// Next is the stage one step forward. After active comes expired: a contract
// ends by itself unless somebody terminates it.
func (s LifecycleStage) Next() LifecycleStage {
	for _, stage := range lifecycle {
		if stage.rank() > s.rank() {
			return stage
		}
	}
	return s
}

// MayBecome reports whether the step is allowed: forward any number of stages,
// back by one, to archived from anywhere, and from there to anywhere.
func (s LifecycleStage) MayBecome(next LifecycleStage) bool {
	from, to := s.rank(), next.rank()
	return to > from || to == from-1 || s == Archived && next != s
}

// SetLifecycleStage moves a contract to stage, or one step forward where stage
// is empty. A step that is not allowed is Conflict, an unknown stage Invalid.
func (t *Tx) SetLifecycleStage(ctx context.Context, in Scope, id string, stage LifecycleStage) (before LifecycleStage, after File, err error) {
	file, err := t.FileForUpdate(ctx, in, id)
	if err != nil {
		return "", File{}, err
	}
	if stage == "" {
		stage = file.LifecycleStage.Next()
	}
	if !slices.Contains(lifecycle, stage) {
		return "", File{}, fault.New(fault.Invalid, "stage must be one of draft, review, negotiation, approval, signature, active, expired, terminated, archived")
	}
	if !file.LifecycleStage.MayBecome(stage) {
		return "", File{}, fault.Newf(fault.Conflict, "a contract in stage %s cannot go to %s", file.LifecycleStage, stage)
	}
	after, err = one[File](ctx, t.Queries, `
		UPDATE files SET lifecycle_stage = @stage, lifecycle_before = lifecycle_stage,
			version = version + 1, updated_at = now(), progress_at = now()
		WHERE id = @id AND team_id = @team RETURNING `+fileColumns,
		args{"id": id, "team": in.TeamID, "stage": string(stage)})
	if err != nil {
		return "", File{}, err
	}
	if err := t.Audit(ctx, in, "file.lifecycle_changed", "file", id, map[string]any{"from": file.LifecycleStage, "to": stage}); err != nil {
		return "", File{}, err
	}
	return file.LifecycleStage, after, t.fileEvent(ctx, after)
}

// WithdrawLifecycleStage undoes the last change of a contract's stage, in either
// direction. It is Conflict if there was no change, or if it was undone already.
func (t *Tx) WithdrawLifecycleStage(ctx context.Context, in Scope, id string) (before LifecycleStage, after File, err error) {
	file, err := t.FileForUpdate(ctx, in, id)
	if err != nil {
		return "", File{}, err
	}
	after, err = one[File](ctx, t.Queries, `
		UPDATE files SET lifecycle_stage = lifecycle_before, lifecycle_before = NULL,
			version = version + 1, updated_at = now(), progress_at = now()
		WHERE id = @id AND team_id = @team AND lifecycle_before IS NOT NULL RETURNING `+fileColumns,
		args{"id": id, "team": in.TeamID})
	if fault.KindOf(err) == fault.NotFound {
		return "", File{}, fault.New(fault.Conflict, "the stage has not changed since it was last taken back")
	}
	if err != nil {
		return "", File{}, err
	}
	if err := t.Audit(ctx, in, "file.lifecycle_withdrawn", "file", id, map[string]any{"from": file.LifecycleStage, "to": after.LifecycleStage}); err != nil {
		return "", File{}, err
	}
	return file.LifecycleStage, after, t.fileEvent(ctx, after)
}
