// Clausemill analyses contracts: it reads documents, scans included, finds what
// is in them, and answers questions over an HTTP API.
//
// This program is all of it but the OCR child, as subcommands; see --help.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"

	"github.com/clausemill/clausemill"
	"github.com/clausemill/clausemill/cmd/internal/setup"
)

// The exit statuses.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitEndedEarly  = 3
	exitInterrupted = 130 // as shells expect it
)

// commands is the command line.
type commands struct {
	Serve      serve        `cmd:"" help:"Run the API."`
	Work       work         `cmd:"" help:"Run a worker: it reads, recognises and analyses what the API accepts."`
	Migrate    migrate      `cmd:"" help:"Bring the database schema up to date."`
	Keys       keys         `cmd:"" help:"Make, list and revoke API keys."`
	Jobs       jobCommands  `cmd:"" help:"List, retry and cancel jobs."`
	Reindex    reindex      `cmd:"" help:"Make the search index again."`
	Purge      purge        `cmd:"" help:"Empty a trash, or erase a file."`
	Config     checkConfig  `cmd:"" help:"Check the settings."`
	Team       teamCommands `cmd:"" help:"List, export and import teams."`
	Backup     backup       `cmd:"" help:"Write all of the installation into one file: rows and files of all teams."`
	Restore    restore      `cmd:"" help:"Read what 'backup' wrote into an empty installation."`
	Verify     verify       `cmd:"" help:"Compare the bytes in the file store with what was uploaded."`
	Upload     upload       `cmd:"" help:"Send files and folders to a server, and follow them until they are done."`
	Health     health       `cmd:"" help:"Ask a process of this machine whether it is ready."`
	OpenAPI    openAPI      `cmd:"" name:"openapi" help:"Print the description of the API."`
	Man        man          `cmd:"" help:"Print the manual page."`
	Completion completion   `cmd:"" help:"Print what has a shell complete commands and flags."`
	Licenses   licenses     `cmd:"" help:"Print the licence of this program, and those of what it holds of others."`
	Reader     reader       `cmd:"" hidden:"" help:"Read documents for a worker, as its child."`

	Development development `embed:"" group:"To try it on one machine, and to develop it:"`

	Version kong.VersionFlag `help:"Print the version."`
}

const description = `Contract analysis: upload documents, follow how they are read, use what was found in them.

Every setting is a flag or an environment variable. Secrets are environment variables only: DATABASE_URL, DATABASE_DIRECT_URL, MEILI_KEY, OIDC_CLIENT_SECRET,
CLAUSEMILL_API_KEY and CLAUSEMILL_CLIENT_SECRET, or each with _FILE and the path of a file that has the value. ` + firstStep

// console is where a command writes: answers to out, everything else to err.
type console struct{ out, err io.Writer }

// exit is an error that ends the program with a status other than 1.
type exit struct {
	error

	status int
}

func (e exit) Unwrap() error { return e.error }

func main() {
	ctx, stop := setup.Interruptible(context.Background())
	status := run(ctx, os.Args[1:], console{os.Stdout, os.Stderr})
	stop()
	os.Exit(status)
}

// newParser reads command lines.
func newParser(ctx context.Context, c console) *kong.Kong {
	parser := kong.Must(&commands{},
		kong.Name("clausemill"),
		kong.Description(description),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(c),
		kong.Writers(c.out, c.err),
		kong.Vars{"version": clausemill.Build(), "url": defaultURL},
		kong.Resolvers(setup.Secrets()),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	ownSettings(parser.Model.Node)
	return parser
}

// ownSettings leaves out of the help of each command the settings that only
// another one uses. It takes them all the same: processes of one installation may
// be given the same.
func ownSettings(n *kong.Node) {
	for _, flag := range n.Flags {
		if only := flag.Tag.Get("only"); only != "" && n.Name != only && n.Name != "dev" {
			flag.Hidden = true
		}
		if flag.Tag.Has("secret") && flag.Tag.Get("secret") == "" {
			flag.Hidden = true // it is taken from the environment only
		}
	}
	for _, child := range n.Children {
		ownSettings(child)
	}
}

// run carries out one command line and returns the exit status.
func run(ctx context.Context, args []string, c console) int {
	parser := newParser(ctx, c)
	parsed, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(c.err, "clausemill: %v\ntry: clausemill --help\n", err)
		return exitUsage
	}
	if err := setup.NoSecretFlags(parsed); err != nil {
		fmt.Fprintln(c.err, "clausemill:", err)
		return exitUsage
	}
	err = parsed.Run()
	var status exit
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		if status.error != nil {
			fmt.Fprintln(c.err, "clausemill:", status.error)
		}
		return status.status
	case errors.Is(err, setup.ErrInterrupted), errors.Is(err, context.Canceled) && errors.Is(context.Cause(ctx), setup.ErrInterrupted):
		return exitInterrupted
	default:
		fmt.Fprintln(c.err, "clausemill:", err)
		return exitFailed
	}
}
