package worker

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
)

// learnNames finds under which name a team makes contracts: who is on most of them.
type learnNames struct {
	river.WorkerDefaults[jobs.LearnNames]
	*Worker
}

// learnEvery is how often teams with new files are looked at. Files of twice that time
// count as new, so that a chore that came late has missed none.
const learnEvery = time.Minute

// What makes a party the team: on so many of the newest contracts, and on so much of them,
// while nobody else is on more than half as many. A team that has contracts with
// one other only is neither of the two.
const (
	namesSample    = 100
	leastNamed     = 8
	leastShare     = 0.6
	mostOfNextBest = 0.5
)

// Work looks at the teams that nobody has named.
func (w *learnNames) Work(ctx context.Context, _ *river.Job[jobs.LearnNames]) error {
	teams, err := w.DB.TeamsWithoutNames(ctx, time.Now().Add(-2*learnEvery))
	if err != nil {
		return err
	}
	for _, team := range teams {
		if err := w.learnName(ctx, db.System(team)); err != nil {
			return err
		}
	}
	return nil
}

func (w *learnNames) learnName(ctx context.Context, in db.Scope) error {
	parties, err := w.DB.FrequentParties(ctx, in, namesSample, 2)
	if err != nil || !stands(parties) {
		return err
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error {
		learned, err := tx.LearnOwnName(ctx, in, parties[0].Name)
		if err != nil || !learned {
			return err
		}
		files, err := tx.CountAllFiles(ctx, in)
		if err != nil {
			return err
		}
		op, err := tx.CreateOperation(ctx, in, "parties", files, nil)
		if err != nil {
			return err
		}
		return enqueue(ctx, tx, jobs.ReadParties{OperationID: op.ID, TeamID: in.TeamID})
	})
}

// stands reports whether the first of parties, the most frequent ones, is the team.
func stands(parties []db.NamedParty) bool {
	if len(parties) == 0 {
		return false
	}
	files := float64(parties[0].Files)
	return parties[0].Files >= leastNamed && files >= leastShare*float64(parties[0].Of) &&
		(len(parties) == 1 || float64(parties[1].Files) <= mostOfNextBest*files)
}

// readParties tells which parties of a team's files are its counterparties.
type readParties struct {
	river.WorkerDefaults[jobs.ReadParties]
	*Worker
}

// filesPerParties is how many files are changed in one transaction, and so held.
const filesPerParties = 200

// Work reads some files, and asks for the next.
func (w *readParties) Work(ctx context.Context, job *river.Job[jobs.ReadParties]) error {
	in := db.System(job.Args.TeamID)
	files, err := w.DB.AllFiles(ctx, in, job.Args.After, filesPerParties)
	if err != nil {
		return err
	}
	return w.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.HoldOperation(ctx, in, job.Args.OperationID); err != nil { // before the files, as all steps do
			return err
		}
		if err := tx.ReadParties(ctx, in, files); err != nil {
			return err
		}
		if err := tx.AdvanceOperation(ctx, in, job.Args.OperationID, len(files)); err != nil {
			return err
		}
		if len(files) == filesPerParties {
			next := job.Args
			next.After = files[len(files)-1]
			return jobs.Follow(ctx, tx.Raw, tx, job, next)
		}
		if err := tx.FinishOperation(ctx, in, job.Args.OperationID, nil, ""); err != nil {
			return err
		}
		return jobs.Follow(ctx, tx.Raw, tx, job)
	})
}
