package main

import (
	"context"
	"fmt"

	"github.com/clausemill/clausemill/cmd/internal/setup"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
)

// reindex has the search index made again.
type reindex struct {
	setup.Database `embed:"" group:"Settings:"`
	output         `embed:""`

	All  bool   `xor:"what" required:"" help:"Index the files of all teams, and remove what does not belong into the index."`
	Team string `xor:"what" required:"" placeholder:"ID" help:"Index the files of a team."`
	File string `xor:"what" required:"" placeholder:"ID" help:"Index one file."`
}

// Help is shown below the flags.
func (reindex) Help() string {
	return `Workers do it in the background. Search finds the old entries meanwhile. The metric clausemill_index_waiting_files says how many files wait.`
}

// Run marks the files, and asks for a reconciliation in the same transaction.
func (r *reindex) Run(ctx context.Context, c console) error {
	database, client, err := r.OpenQueue(ctx)
	if err != nil {
		return err
	}
	defer database.Close()
	var files int
	err = database.InTx(ctx, func(tx *db.Tx) (err error) {
		if files, err = tx.Unindex(ctx, r.Team, r.File); err != nil {
			return err
		}
		return jobs.Insert(ctx, client, tx.Raw, jobs.ReconcileIndex{Full: r.All})
	})
	if err != nil {
		return err
	}
	return say(c, r.output, map[string]int{"files": files}, fmt.Sprintf("%d files wait to be indexed", files))
}
