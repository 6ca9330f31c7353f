package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/clausemill/clausemill/cmd/internal/setup"
)

// backup writes all of an installation.
type backup struct {
	setup.Config `embed:"" group:"Settings:"`
	output       `embed:""`

	To string `arg:"" help:"The file to write, which must not exist. In a directory it gets a name of its own. - is standard output."`
}

// Help is shown below the flags.
func (backup) Help() string {
	return `The service may run meanwhile: the rows are those of one moment. Sessions, tokens, the queue and the search index are not in it. It has keys and addresses of webhooks: keep it as safe as the database.
It fails, and names them, where bytes of files are missing in the store or are not those that were uploaded.`
}

// Run prints to where the archive does not go.
func (b *backup) Run(ctx context.Context, c console) error {
	b.Migrate = false
	rooms, err := setup.Open(ctx, b.Config, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer rooms.Close()
	var done archived
	if b.To == "-" {
		buffered := bufio.NewWriterSize(c.out, 1<<20)
		done, err = writeArchive(ctx, rooms, "", buffered)
		err = errors.Join(err, buffered.Flush())
		c.out = c.err
	} else {
		if info, err := os.Stat(b.To); err == nil && info.IsDir() {
			b.To = filepath.Join(b.To, "clausemill-"+time.Now().UTC().Format("20060102T150405Z")+".tar")
		}
		done, err = newArchive(ctx, rooms, "", b.To)
		done.File = b.To
	}
	if err != nil {
		return fmt.Errorf("there is no backup: %w", err)
	}
	return say(c, b.output, done, done.sentence("backed up")+" to "+b.To)
}

// restore reads all of an installation.
type restore struct {
	setup.Config `embed:"" group:"Settings:"`
	output       `embed:""`

	From   string `arg:"" type:"existingfile" help:"The file that 'backup' wrote."`
	Verify bool   `help:"Read back each row and all bytes before anything counts, and compare them with the file."`
	DryRun bool   `help:"Check the file and whether it can be restored, and restore nothing. With --verify rows are written, read back and undone."`
}

// Help is shown below the flags.
func (restore) Help() string {
	return `All of the installation is restored, or nothing, into a new database (after 'clausemill migrate') and an empty file store, with the release that made the backup. Ids stay what they were. Users sign in again. Operations that ran are cancelled; workers index the files for search, and read those whose reading was interrupted.`
}

// Run may be called again after it failed, as importTeam's.
func (r *restore) Run(ctx context.Context, c console) error {
	done, err := load(ctx, r.Config, loading{from: r.From, whole: true, dryRun: r.DryRun, verify: r.Verify})
	if err != nil {
		return fmt.Errorf("restore %s: nothing was restored: %w", filepath.Base(r.From), err)
	}
	return say(c, r.output, done, done.sentence(map[bool]string{false: "restored", true: "would restore"}[r.DryRun]))
}
