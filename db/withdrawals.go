package db

import "context"

// Withdrawn is the result of withdrawing decisions.
type Withdrawn struct {
	Sentences int      // on which people had decided
	Unread    []string // files to be analysed again, since what the model says was not kept
}

// WithdrawSentences withdraws the labels that users set on all of ids, or on none: then
// it returns an error for each that failed. The sentences have the model's label again,
// or are unclassified where it is not known. One without a user's label is left
// unchanged. The audit has what was withdrawn, and whose it was.
func (t *Tx) WithdrawSentences(ctx context.Context, in Scope, ids []string) (Withdrawn, []SentenceError, error) {
	files, err := t.holdFilesOf(ctx, in, ids)
	if err != nil {
		return Withdrawn{}, nil, err
	}
	if wrong, err := t.undecidable(ctx, in, ids, Decision{}); wrong != nil || err != nil {
		return Withdrawn{}, wrong, err
	}
	n, err := exec(ctx, t.Queries, `
		WITH old AS (
			SELECT id, label, validated_by, validated_at FROM sentences
			WHERE id = ANY(@ids) AND team_id = @team AND source = 'validated' FOR NO KEY UPDATE
		), withdrawn AS (
			UPDATE sentences s SET source = CASE WHEN s.prediction IS NOT NULL THEN 'predicted' END,
				label = s.prediction ->> 'label', suggested = s.prediction ->> 'suggested', score = (s.prediction ->> 'score')::real,
				model_id = (s.prediction ->> 'modelId')::uuid, prediction = NULL, validated_by = NULL, validated_at = NULL
			FROM old WHERE s.id = old.id
			RETURNING s.id, s.file_id, s.label AS becomes, s.score, s.model_id, old.label, old.validated_by, old.validated_at
		)
		INSERT INTO audit_events (team_id, actor_kind, actor_id, action, resource_kind, resource_id, file_id, data)
		SELECT @team, @actor_kind, @actor, 'sentence.withdrawn', 'sentence', id, file_id,
			jsonb_build_object('from', label, 'to', becomes, 'score', score, 'modelId', model_id, 'validatedBy', validated_by, 'validatedAt', validated_at)
		FROM withdrawn ORDER BY id`, args{
		"ids": ids, "team": in.TeamID, "actor_kind": in.ActorKind, "actor": nullable(in.ActorID),
	})
	if err != nil || n == 0 {
		return Withdrawn{}, nil, err
	}
	if err := t.LabelsChanged(ctx, in, files); err != nil {
		return Withdrawn{}, nil, err
	}
	out := Withdrawn{Sentences: int(n)}
	if out.Unread, err = t.Unkept(ctx, in, files); err != nil {
		return Withdrawn{}, nil, err
	}
	return out, nil, t.emit(ctx, in.TeamID, "sentences.withdrawn", in.TeamID, SentencesData{int(n), len(files)})
}

// holdFilesOf locks the files of sentences first, in the same order as a transaction
// that replaces their text.
func (t *Tx) holdFilesOf(ctx context.Context, in Scope, sentenceIDs []string) ([]string, error) {
	return values[string](ctx, t.Queries, `
		SELECT id::text FROM files
		WHERE team_id = @team AND id IN (SELECT file_id FROM sentences WHERE id = ANY(@ids) AND team_id = @team)
		ORDER BY id FOR NO KEY UPDATE`, args{"ids": sentenceIDs, "team": in.TeamID})
}

// Unkept are those of files whose analysis did not keep what people overruled, so
// that they have to be analysed again to say it.
func (t *Tx) Unkept(ctx context.Context, in Scope, fileIDs []string) ([]string, error) {
	return values[string](ctx, t.Queries, `
		SELECT file_id::text FROM analyses WHERE file_id = ANY(@ids) AND team_id = @team AND NOT keeps_overruled ORDER BY file_id`,
		args{"ids": fileIDs, "team": in.TeamID})
}
