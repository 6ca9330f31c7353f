package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	client "github.com/clausemill/clausemill/clients/go"
	"github.com/clausemill/clausemill/cmd/internal/setup"
)

// upload sends files to a server.
type upload struct {
	Paths []string `arg:"" name:"path" type:"path" help:"Files, folders (with all below them) and ZIP archives (each entry becomes a file)."`

	URL string `env:"CLAUSEMILL_URL" default:"${url}" help:"Address of the server."`
	Key string `secret:"" env:"CLAUSEMILL_API_KEY" help:"API key. For a server that 'clausemill dev' runs here, the key in its data directory is found without."`

	ClientID     string `secret:"" env:"CLAUSEMILL_CLIENT_ID" help:"Id of a service account, in place of a key."`
	ClientSecret string `secret:"" env:"CLAUSEMILL_CLIENT_SECRET" help:"Secret of the service account."`

	Jobs int  `short:"j" default:"4" help:"Requests with files to make at a time."`
	Wait bool `short:"w" help:"Follow the files until the server is done with them."`

	DocumentType string            `placeholder:"ID" help:"Document type of the files. The server recognises it otherwise."`
	Matter       string            `placeholder:"ID" help:"Matter that the files belong to."`
	Metadata     map[string]string `short:"m" placeholder:"KEY=VALUE" help:"Metadata of the files."`

	Patience time.Duration `default:"10m" help:"How long to go on while the server is out of reach."`
	JSON     bool          `name:"json" help:"Print one JSON object for each file instead of a summary."`

	DataDir string `env:"CLAUSEMILL_DATA_DIR" default:"data" type:"path" hidden:"" help:"Where 'clausemill dev' keeps its key."`
}

// Help is shown below the flags.
func (upload) Help() string {
	return `Run the same command again to go on after an interruption: what the server has is not sent twice.
Of what lies below a folder, the server keeps where: its path, as seen from the folder that was named.
A key may make 100 requests a minute; small files go 25 with one, large ones alone.

The exit status is 0 when every file was accepted (with --wait: and is of use), 1 when some were not,
2 when the command line is wrong, 3 when the server could not be reached or refused the caller or what was sent could not be
noted, and 130 after Ctrl-C.
The API key is the environment variable CLAUSEMILL_API_KEY. In place of one, a service account with the scopes files:read and
files:write has its id in CLAUSEMILL_CLIENT_ID and its secret in CLAUSEMILL_CLIENT_SECRET. Each may be in a file instead, whose path
is in the variable of the same name with _FILE.`
}

// Run uploads, and says what became of each file.
func (u *upload) Run(ctx context.Context, c console) error {
	paths, folders, err := client.Collect(u.Paths)
	if err != nil {
		return exit{err, exitUsage}
	}
	if len(paths) == 0 {
		return exit{errors.New("there are no files in these folders"), exitUsage}
	}
	caller, err := u.caller()
	if err != nil {
		return exit{err, exitUsage}
	}
	var watch display
	server, err := client.New(client.Config{
		URL: u.URL, Key: u.Key, Tokens: caller, Patience: u.Patience,
		Paused: func(reason error, pause time.Duration) { watch.Paused(reason, pause) },
	})
	if err != nil {
		return exit{err, exitUsage}
	}
	journal, err := openJournal(u.URL, cmp.Or(u.Key, u.ClientID)) // a secret may be replaced
	if err != nil {
		return err
	}
	defer journal.Close()

	watch = newDisplay(c.err, len(paths), u.Wait)
	batch := client.Batch{
		Client: server, Journal: journal, Watch: watch, Jobs: u.Jobs, Wait: u.Wait,
		DocumentTypeID: u.DocumentType, MatterID: u.Matter, Folders: folders,
	}
	if len(u.Metadata) > 0 {
		batch.Metadata = map[string]any{}
		for key, value := range u.Metadata {
			batch.Metadata[key] = value
		}
	}
	items, err := batch.Run(ctx, paths)
	watch.Close()
	if writeErr := u.report(c.out, items); writeErr != nil {
		return writeErr
	}
	return verdict(items, err)
}

// defaultURL is where 'clausemill dev' listens unless it is told otherwise.
const defaultURL = "http://127.0.0.1:8080"

// devKeyFile is where 'clausemill dev' keeps its key, in the data directory.
const devKeyFile = "dev-key"

// caller is who uploads: a service account, or nil where a key says it.
func (u *upload) caller() (client.TokenSource, error) {
	switch {
	case u.ClientID == "" && u.ClientSecret == "":
		u.findKey()
		var none client.TokenSource
		return none, nil
	case u.Key != "":
		return nil, errors.New("CLAUSEMILL_API_KEY and CLAUSEMILL_CLIENT_ID are both set: unset one")
	case u.ClientID == "" || u.ClientSecret == "":
		return nil, errors.New("a service account needs both CLAUSEMILL_CLIENT_ID and CLAUSEMILL_CLIENT_SECRET")
	default:
		return client.ClientCredentials(u.URL, u.ClientID, u.ClientSecret), nil
	}
}

// findKey takes the key that `clausemill dev` made, when that server is meant.
// It is sent to this machine only.
func (u *upload) findKey() {
	server, err := url.Parse(u.URL)
	if err != nil || u.Key != "" {
		return
	}
	if ip := net.ParseIP(server.Hostname()); ip == nil || !ip.IsLoopback() {
		return
	}
	if key, err := os.ReadFile(filepath.Join(u.DataDir, devKeyFile)); err == nil {
		u.Key = strings.TrimSpace(string(key))
	}
}

func openJournal(server, key string) (*client.Journal, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir() // a service account may have no home
	}
	return client.OpenJournal(filepath.Join(cache, "clausemill", "uploads"), server, key)
}

// verdict turns the results of the files into the exit status of the program.
func verdict(items []*client.Item, err error) error {
	switch {
	case errors.Is(err, setup.ErrInterrupted):
		return exit{errors.New("interrupted: the server continues to process the files that it has accepted; run the same command again to send and follow the rest"), exitInterrupted}
	case err != nil:
		return exit{err, exitEndedEarly}
	case slices.ContainsFunc(items, func(i *client.Item) bool { return i.Err != nil }):
		return exit{nil, exitFailed}
	default:
		return nil
	}
}

// report prints how many files went which way, and each that failed with why.
func (u *upload) report(w io.Writer, items []*client.Item) error {
	if u.JSON {
		return reportJSON(w, items)
	}
	counts := map[string]int{}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, item := range items {
		counts[outcome(item)]++
	}
	for _, name := range []string{"completed", "completed with warnings", "accepted", stillRead, "failed", "not sent"} {
		if n := counts[name]; n > 0 {
			fmt.Fprintf(table, "%6d\t%s\n", n, name)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, item := range items {
		if item.Err != nil && outcome(item) != stillRead {
			fmt.Fprintf(table, "%s\t%s\t%v\n", outcome(item), printable(item.Path), printable(item.Err.Error()))
		}
	}
	return table.Flush()
}

// stillRead is the outcome of what the server has and nobody waited for.
const stillRead = "accepted, still being read"

func outcome(item *client.Item) string {
	switch {
	case errors.Is(item.Err, client.ErrUnfinished):
		return stillRead
	case item.Err != nil && item.File.ID == "":
		return "not sent"
	case item.Err != nil:
		return "failed"
	case item.File.Status == client.ProcessingStatusCompletedWithWarnings:
		return "completed with warnings"
	case item.File.Status.Ended():
		return "completed"
	default:
		return "accepted"
	}
}

func reportJSON(w io.Writer, items []*client.Item) error {
	lines := json.NewEncoder(w)
	for _, item := range items {
		line := struct {
			Path    string           `json:"path"`
			ID      string           `json:"id,omitempty"`
			Status  string           `json:"status,omitempty"`
			Outcome string           `json:"outcome"`
			Resumed bool             `json:"resumed,omitempty"`
			Error   string           `json:"error,omitempty"`
			Warn    []client.Warning `json:"warnings,omitempty"`
		}{Path: item.Path, ID: item.File.ID, Status: string(item.File.Status), Outcome: outcome(item), Resumed: item.Resumed, Warn: item.File.Warnings}
		if item.Err != nil {
			line.Error = item.Err.Error()
		}
		if err := lines.Encode(line); err != nil {
			return err
		}
	}
	return nil
}
