package db

import "context"

// Withdrawn is the result of withdrawing decisions.
type Withdrawn struct {
	Sentences []string // on which people had decided
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
	rows, err := t.labelledSentences(ctx, in, `s.id = ANY(@ids) AND `+decidedOn, args{"ids": ids})
	if err != nil || len(rows) == 0 {
		return Withdrawn{}, nil, err
	}
	events := make([]sentenceEvent, len(rows))
	for i := range rows {
		row := &rows[i]
		before := row.Labelling
		row.withdraw()
		events[i] = sentenceEvent{row.ID, row.FileID, map[string]any{
			"from": before.Label, "to": row.Label, "score": row.Score, "modelId": row.ModelID, "validatedBy": before.ValidatedBy, "validatedAt": before.ValidatedAt,
			"decidedSince": before.decidedSince(),
		}}
		if before.Stored != nil || row.Stored != nil {
			events[i].Data["fromLabels"], events[i].Data["toLabels"] = nodesOf(before.Labels()), nodesOf(row.Labels())
		}
	}
	if err := t.saveLabellings(ctx, rows); err != nil {
		return Withdrawn{}, nil, err
	}
	if err := t.auditSentences(ctx, in, "sentence.withdrawn", events); err != nil {
		return Withdrawn{}, nil, err
	}
	if err := t.LabelsChanged(ctx, in, files); err != nil {
		return Withdrawn{}, nil, err
	}
	out := Withdrawn{Sentences: idsOf(rows)}
	if out.Unread, err = t.Unkept(ctx, in, files); err != nil {
		return Withdrawn{}, nil, err
	}
	return out, nil, t.emit(ctx, in.TeamID, "sentences.withdrawn", in.TeamID, SentencesData{len(rows), len(files)})
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
