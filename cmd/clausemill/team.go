package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"time"

	"github.com/clausemill/clausemill/cmd/internal/setup"
	"github.com/clausemill/clausemill/db"
)

// teamCommands is about teams as a whole.
type teamCommands struct {
	List   listTeams  `cmd:"" help:"List the teams of the installation."`
	Export exportTeam `cmd:"" help:"Write all of a team into one file: rows, files with all versions, decisions, audit."`
	Import importTeam `cmd:"" help:"Read what 'team export' wrote into another installation."`
}

// listTeams shows all teams.
type listTeams struct {
	setup.Database `embed:"" group:"Settings:"`
	output         `embed:""`
}

// Run prints a table.
func (l *listTeams) Run(ctx context.Context, c console) error {
	database, err := l.Open(ctx)
	if err != nil {
		return err
	}
	defer database.Close()
	all, err := database.AllTeams(ctx)
	if err != nil {
		return err
	}
	return table(c, l.output, "ID|KIND|MEMBERS|FILES|CREATED|NAME", all, func(t db.TeamSummary) []string {
		return []string{t.ID, t.Kind, strconv.Itoa(t.Members), strconv.Itoa(t.Files), t.CreatedAt.Format(time.DateOnly), t.Name}
	})
}

// exportTeam writes a team.
type exportTeam struct {
	setup.Config `embed:"" group:"Settings:"`
	output       `embed:""`

	Team string `arg:"" help:"Id of the team, from 'clausemill team list'."`
	To   string `short:"o" required:"" placeholder:"FILE" help:"The file to write. It must not exist."`
}

// Help is shown below the flags.
func (exportTeam) Help() string {
	return `The file has everything that the team may see, keys and addresses of webhooks among it: keep it as safe as the database. The service may run meanwhile: the rows are those of one moment.`
}

// Validate refuses what would be the archive of all teams.
func (e *exportTeam) Validate() error {
	if e.Team == "" {
		return errors.New("the id of the team is empty: for all teams use 'clausemill backup'")
	}
	return nil
}

// Run writes a file that only its owner can read.
func (e *exportTeam) Run(ctx context.Context, c console) error {
	e.Migrate = false
	rooms, err := setup.Open(ctx, e.Config, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer rooms.Close()
	done, err := newArchive(ctx, rooms, e.Team, e.To)
	if err != nil {
		return fmt.Errorf("export team %s: %w", e.Team, err)
	}
	return say(c, e.output, done, done.sentence("exported"))
}

// importTeam reads a team.
type importTeam struct {
	setup.Config `embed:"" group:"Settings:"`
	output       `embed:""`

	From   string `arg:"" type:"existingfile" help:"The file that 'team export' wrote."`
	DryRun bool   `help:"Check the file and whether it can be imported, and import nothing."`

	SignIns bool `help:"Also import by which accounts of the identity provider people sign in who are new here. Only for files that nobody else can have changed."`
}

// Help is shown below the flags.
func (importTeam) Help() string {
	return `All of the team is imported, or nothing. Ids stay what they were. It is refused where the team, or an account with the same address and another id, exists, and where the schema of the database is another one than that of the archive. Who is new here signs in with the address that the identity provider has verified. Workers index the files for search, and read those whose reading was interrupted.`
}

// Run may be called again after it failed: what it had stored of files is removed, at
// the latest by a sweep.
func (i *importTeam) Run(ctx context.Context, c console) error {
	done, err := load(ctx, i.Config, loading{from: i.From, dryRun: i.DryRun, signIns: i.SignIns})
	if err != nil {
		return fmt.Errorf("import %s: nothing was imported: %w", filepath.Base(i.From), err)
	}
	return say(c, i.output, done, done.sentence(map[bool]string{false: "imported", true: "would import"}[i.DryRun]))
}
