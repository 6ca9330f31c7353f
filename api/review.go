package api

import (
	"context"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// review serves the queue of sentences whose labels people should decide on.
func (a *API) review() {
	session := a.area("Sentences", withSession)
	get(session, "/api/review", "getReviewProgress", "Get the progress of the review", a.reviewProgress, describe(
		"Counts the sentences that are to be reviewed: those without a decision whose label the model doubts, and those without a label that are close to having one. "+
			"It also counts the decisions `since` a time, by default the last 24 hours."))
	post(session, "/api/review/claims", "claimReview", "Claim the next sentences to review", a.claimReview, eitherWay[ReviewClaims](a), describe(
		"Returns the sentences whose decision is worth most, and keeps them for the caller for two minutes: nobody else is given them, or sentences with the same words. "+
			"What a decision is worth is how many labels of all sentences with the same words are expected to be wrong or missing. "+
			"What the caller has claimed is returned again as long as nobody has decided on it, and kept for another two minutes: whoever shows a sentence calls this every minute. "+
			"The label is decided by the operations on sentences; `sentenceIds` has all sentences with the same words, for `bulk-assign-label`."))
	del(session, "/api/review/claims", "releaseReview", "Release the claimed sentences", a.releaseReview, describe(
		"Lets others review what the caller has claimed. What nobody releases is free two minutes after it was claimed last."))
}

// ReviewClaims is how much somebody wants to review.
type ReviewClaims struct {
	Limit int `json:"limit,omitempty" minimum:"1" maximum:"50" default:"5" doc:"Number of sentences to keep, with those that were claimed before"`
}

// ReviewItem is a sentence to decide on.
type ReviewItem struct {
	Sentence
	Suggested   *string   `json:"suggested" doc:"For a sentence without a label, the closest one; score is its probability"`
	Worth       float32   `json:"worth" doc:"What a decision is worth: how many labels of all sentences with the same words are expected to be wrong or missing"`
	SentenceIDs []string  `json:"sentenceIds" nullable:"false" doc:"Ids of at most 100 undecided sentences with the same words, this one first"`
	ExpiresAt   time.Time `json:"expiresAt" doc:"When others may be given it, unless it is claimed again"`
}

// ReviewQueue is what somebody reviews now.
type ReviewQueue struct {
	Items []ReviewItem `json:"items" nullable:"false" doc:"Worth most first"`
}

// ReviewProgress counts what is to be reviewed, and what was.
type ReviewProgress struct {
	Left    int `json:"left" doc:"Number of sentences to review, at most 10,000"`
	Others  int `json:"others" doc:"Number of sentences that others have claimed now"`
	Decided int `json:"decided" doc:"Number of sentences decided on by the team since then, at most 10,000"`
	Mine    int `json:"mine" doc:"Number of those decided on by the caller"`
}

func (a *API) claimReview(ctx context.Context, in *struct{ Body *ReviewClaims }) (ReviewQueue, error) {
	scope, out := auth.Scope(ctx), ReviewQueue{}
	limit := orNothing(in.Body).Limit
	if limit == 0 {
		limit = 5
	}
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.ClaimReview(ctx, scope, limit); err != nil {
			return err
		}
		rows, err := tx.Review(ctx, scope)
		if err != nil {
			return err
		}
		retired, err := tx.RetiredNodes(ctx, scope)
		if err != nil {
			return err
		}
		out.Items = newList(rows, func(r db.ReviewItem) ReviewItem {
			suggested := r.Suggested
			if becomes, gone := retired[text(suggested)]; gone {
				suggested = orNull(becomes)
			}
			return ReviewItem{newSentence(r.FiledSentence), suggested, r.Worth, r.Alike, r.ExpiresAt.UTC()}
		}).Items
		return nil
	})
	return out, err
}

func (a *API) releaseReview(ctx context.Context, _ *struct{}) (Message, error) {
	err := a.DB.InTx(ctx, func(tx *db.Tx) error { return tx.ReleaseReview(ctx, auth.Scope(ctx)) })
	return Message{"released"}, err
}

func (a *API) reviewProgress(ctx context.Context, in *struct {
	Since time.Time `query:"since" doc:"Count decisions from this time on"`
}) (ReviewProgress, error) {
	since := in.Since
	if since.IsZero() {
		since = time.Now().Add(-24 * time.Hour)
	}
	p, err := a.DB.ReviewProgress(ctx, auth.Scope(ctx), since, mostCounted)
	return ReviewProgress(p), err
}
