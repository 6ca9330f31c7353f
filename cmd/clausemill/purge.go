package main

import (
	"context"
	"fmt"
	"time"

	"github.com/clausemill/clausemill/cmd/internal/setup"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
)

// purge ends things for good.
type purge struct {
	setup.Database `embed:"" group:"Settings:"`
	output         `embed:""`

	Trash string `xor:"what" required:"" placeholder:"TEAM" help:"Purge what is in the trash of the team with this id."`
	File  string `xor:"what" required:"" placeholder:"ID" help:"Purge one file, in the trash or not: erasure on demand."`
	Yes   bool   `help:"Do it. Without, it is only said what would be purged."`
}

// Help is shown below the flags.
func (purge) Help() string {
	return `What was purged cannot be brought back, except from a backup. Nothing is left of it but its id in the audit. The bytes and the entries of the search engine go when a worker comes to them.`
}

// doomed is one thing that is or would be purged.
type doomed struct {
	TrashID   string       `json:"trashId,omitempty"` // of what is in the trash already
	Kind      db.TrashKind `json:"kind"`
	ID        string       `json:"id"`
	Name      string       `json:"name"`
	DeletedAt *time.Time   `json:"deletedAt,omitempty"`
	Purged    bool         `json:"purged"`
}

// Run purges one thing after the other, each in a transaction of its own.
func (p *purge) Run(ctx context.Context, c console) error {
	database, client, err := p.OpenQueue(ctx)
	if err != nil {
		return err
	}
	defer database.Close()
	team, things, err := p.find(ctx, database)
	if err != nil {
		return err
	}
	in := db.System(team)
	if p.Yes {
		for i := range things {
			err := database.InTx(ctx, func(tx *db.Tx) error { return purgeOne(ctx, client, tx, in, things[i]) })
			if err != nil && fault.KindOf(err) != fault.NotFound { // restored or purged by somebody else
				return fmt.Errorf("%s %s: %w", things[i].Kind, things[i].ID, err)
			}
			things[i].Purged = err == nil
		}
	}
	if err := table(c, p.output, "KIND|ID|PURGED|NAME", things, func(d doomed) []string {
		return []string{string(d.Kind), d.ID, map[bool]string{true: "yes", false: "no"}[d.Purged], d.Name}
	}); err != nil {
		return err
	}
	if !p.Yes && len(things) > 0 {
		fmt.Fprintln(c.err, "nothing was purged: repeat it with --yes")
	}
	return nil
}

// find lists what is to be purged, and whose it is.
func (p *purge) find(ctx context.Context, database *db.DB) (team string, things []doomed, err error) {
	if p.File != "" {
		place, err := database.WhereFileIs(ctx, p.File)
		if err != nil {
			return "", nil, fmt.Errorf("file %s: %w", p.File, err)
		}
		thing := doomed{Kind: db.TrashedFile, ID: p.File, Name: place.Name}
		if place.TrashID != nil {
			thing.TrashID = *place.TrashID
		}
		return place.TeamID, []doomed{thing}, nil
	}
	if _, err := database.Team(ctx, db.System(p.Trash)); err != nil {
		return "", nil, fmt.Errorf("team %s: %w", p.Trash, err)
	}
	const page = 1000
	for after := ""; ; {
		entries, err := database.Trash(ctx, db.System(p.Trash), db.TrashFilter{}, after, page)
		if err != nil {
			return "", nil, err
		}
		for _, e := range entries {
			things = append(things, doomed{TrashID: e.ID, Kind: e.Kind, ID: e.ResourceID, Name: e.Name, DeletedAt: &e.DeletedAt})
			after = e.ID
		}
		if len(entries) < page {
			return p.Trash, things, nil
		}
	}
}

func purgeOne(ctx context.Context, client *jobs.Client, tx *db.Tx, in db.Scope, d doomed) error {
	id := d.TrashID
	if id == "" {
		running, err := tx.CancelWaitingJobs(ctx, in, []string{d.ID})
		if err != nil {
			return err
		}
		if err := jobs.Cancel(ctx, client, tx.Raw, running); err != nil {
			return err
		}
		entry, err := tx.DeleteFile(ctx, in, d.ID)
		if err != nil {
			return err
		}
		id = entry.ID
	}
	gone, err := tx.PurgeTrash(ctx, in, id)
	if err != nil {
		return err
	}
	for _, f := range gone.Files {
		if err := jobs.Insert(ctx, client, tx.Raw, jobs.PurgeFile{FileID: f.ID, TeamID: in.TeamID, Bytes: f.Bytes}); err != nil {
			return err
		}
	}
	return nil
}
