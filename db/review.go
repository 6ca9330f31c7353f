package db

import (
	"context"
	"time"
)

// ReviewLease is how long a sentence is kept for the person who reviews it.
const ReviewLease = 2 * time.Minute

// Of the sentences that nobody decided on, those are reviewed that the model doubts:
// whose label, or whose closest label where they have none, is neither sure nor out of
// the question.
const (
	leastDoubt = 0.2
	mostDoubt  = 0.8
)

// mostConsidered is how many of the most doubtful sentences of each kind the order is
// made of, and mostAlike how many with the same words are decided at once.
const (
	mostConsidered = 200
	mostAlike      = 100
)

// ReviewItem is a sentence to decide on, which is kept for somebody.
type ReviewItem struct {
	FiledSentence

	Worth     float32   `db:"worth"`
	ExpiresAt time.Time `db:"expires_at"`
	Alike     []string  `db:"alike"` // undecided sentences with its words, itself among them
}

// doubted are the kinds of sentences to review, each in the order of an index: the
// condition, the score that is in doubt, and the least certain first. Of several labels
// it is the least certain of those that nobody decided on.
var doubted = []struct{ where, score, order string }{
	{`label IS NOT NULL AND source = 'predicted' AND score < @most_doubt AND labels IS NULL`, `score`, `score, id`},
	{`labels IS NOT NULL AND source = 'predicted' AND least_score(labels) < @most_doubt`, `least_score(labels)`, `least_score(labels), id`},
	{`label IS NULL AND source = 'predicted' AND score >= @least_doubt`, `score`, `score DESC, id DESC`},
}

// ofWording are the undecided sentences with a wording that a condition on a row w asks
// for, by the indexes of both kinds.
func (s Scope) ofWording(wording string) string {
	where := `s.team_id = @team AND s.source = 'predicted' AND wording(s.text) = ` + wording + s.seesFile("s.file_id")
	return `(SELECT s.id, s.label, s.labels, s.score, s.close FROM sentences s WHERE s.label IS NOT NULL AND ` + where + ` LIMIT @most_alike)
		UNION ALL (SELECT s.id, s.label, s.labels, s.score, s.close FROM sentences s WHERE s.label IS NULL AND ` + where + ` LIMIT @most_alike)`
}

// wrongLabels is how many labels of a sentence are wrong or missing, as far as scores
// tell: what came close may be missing.
const wrongLabels = `coalesce(close, 0) + CASE WHEN label IS NULL THEN coalesce(score, 0) WHEN labels IS NULL THEN 1 - score
	ELSE (SELECT coalesce(sum(1 - (l ->> 'score')::real), 0) FROM jsonb_array_elements(labels) l WHERE l ->> 'source' = 'predicted') END`

func (s Scope) reviewArgs() args {
	return s.args(args{
		"user": nullable(s.UserID()), "least_doubt": leastDoubt, "most_doubt": mostDoubt, "most_considered": mostConsidered, "most_alike": mostAlike,
		"lease": ReviewLease,
	})
}

// ClaimReview keeps the sentences whose decision is worth most for the person of the
// scope, up to limit with those that are kept already, whose lease begins anew: nobody
// else is given them meanwhile. What a decision is worth is the number of labels that it
// is expected to put right, times that of sentences with the same words.
func (t *Tx) ClaimReview(ctx context.Context, in Scope, limit int) error {
	a := in.reviewArgs()
	a["limit"] = limit
	// What was decided, or is gone, is not kept.
	if _, err := exec(ctx, t.Queries, `
		DELETE FROM review_claims c WHERE c.team_id = @team AND (c.expires_at < now() OR c.user_id = @user AND NOT EXISTS (
			SELECT FROM sentences s WHERE s.id = c.sentence_id AND s.team_id = @team AND s.source = 'predicted'`+in.seesFile("s.file_id")+`))`, a); err != nil {
		return err
	}
	held, err := exec(ctx, t.Queries, `UPDATE review_claims SET expires_at = now() + @lease WHERE team_id = @team AND user_id = @user`, a)
	if err != nil || int(held) >= limit {
		return err
	}
	a["limit"] = limit - int(held)
	kinds := ""
	for _, kind := range doubted {
		if kinds != "" {
			kinds += ` UNION ALL `
		}
		kinds += `(SELECT s.id, s.text, ` + kind.score + ` AS score FROM sentences s
			WHERE s.team_id = @team AND ` + kind.where + in.seesFile("s.file_id") + `
				AND NOT EXISTS (SELECT FROM review_claims c WHERE c.team_id = @team AND c.wording = wording(s.text))
			ORDER BY ` + kind.order + ` LIMIT @most_considered)`
	}
	_, err = exec(ctx, t.Queries, `
		WITH considered AS MATERIALIZED (`+kinds+`), worded AS (
			SELECT DISTINCT ON (wording(text)) wording(text) AS wording, id, score FROM considered ORDER BY wording(text), abs(score - 0.5), id
		), weighed AS (
			SELECT w.wording, w.id, (SELECT sum(`+wrongLabels+`) FROM (`+in.ofWording("w.wording")+`) alike) AS worth FROM worded w
		)
		INSERT INTO review_claims (team_id, wording, sentence_id, user_id, worth, expires_at)
		SELECT @team, wording, id, @user, worth, now() + @lease FROM weighed ORDER BY worth DESC, id LIMIT @limit
		ON CONFLICT DO NOTHING`, a)
	return err
}

// Review lists what is kept for the person of the scope, worth most first.
func (q Queries) Review(ctx context.Context, in Scope) ([]ReviewItem, error) {
	rows, err := many[ReviewItem](ctx, q, `
		SELECT `+filedColumns+`, c.worth, c.expires_at, ARRAY(
			SELECT alike.id::text FROM (`+in.ofWording("c.wording")+`) alike ORDER BY alike.id <> s.id, alike.id LIMIT @most_alike
		) AS alike
		FROM review_claims c JOIN `+filed+` ON s.id = c.sentence_id
		WHERE c.team_id = @team AND c.user_id = @user AND c.expires_at > now() AND s.team_id = @team AND s.source = 'predicted'`+in.sees("f")+`
		ORDER BY c.worth DESC, s.id`, in.reviewArgs())
	if err != nil {
		return nil, err
	}
	sentences := make([]FiledSentence, len(rows))
	for i, r := range rows {
		sentences[i] = r.FiledSentence
	}
	err = q.AddClauses(ctx, in, sentences)
	for i := range rows {
		rows[i].FiledSentence = sentences[i]
	}
	return rows, err
}

// ReleaseReview gives back what was kept for the person of the scope.
func (t *Tx) ReleaseReview(ctx context.Context, in Scope) error {
	_, err := exec(ctx, t.Queries, `DELETE FROM review_claims WHERE team_id = @team AND user_id = @user`, in.reviewArgs())
	return err
}

// ReviewProgress counts what is to be decided, and what was.
type ReviewProgress struct {
	Left    int `db:"left"` // sentences, as far as most
	Others  int `db:"others"`
	Decided int `db:"decided"` // since a time
	Mine    int `db:"mine"`
}

// ReviewProgress counts the sentences to review, those that others review now, and what
// was decided since a time, each as far as most.
func (q Queries) ReviewProgress(ctx context.Context, in Scope, since time.Time, most int) (ReviewProgress, error) {
	a := in.reviewArgs()
	a["since"], a["most"] = since, most
	left := ``
	for _, kind := range doubted {
		if left != "" {
			left += ` + `
		}
		left += `(SELECT count(*) FROM (SELECT FROM sentences s WHERE s.team_id = @team AND ` + kind.where + in.seesFile("s.file_id") + ` LIMIT @most) counted)`
	}
	return one[ReviewProgress](ctx, q, `
		SELECT least(`+left+`, @most) AS left,
			(SELECT count(*) FROM review_claims c JOIN sentences s ON s.id = c.sentence_id AND s.team_id = c.team_id
				WHERE c.team_id = @team AND c.user_id <> @user AND c.expires_at > now()`+in.seesFile("s.file_id")+`) AS others,
			count(*) AS decided, count(*) FILTER (WHERE decided.validated_by = @user) AS mine
		FROM (
			SELECT s.validated_by FROM sentences s WHERE s.team_id = @team AND s.source = 'validated' AND s.validated_at >= @since`+in.seesFile("s.file_id")+`
			ORDER BY s.validated_at DESC LIMIT @most
		) decided`, a)
}
