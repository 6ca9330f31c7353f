//go:build !production

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/bench"
	"github.com/clausemill/clausemill/cmd/internal/postgres"
	"github.com/clausemill/clausemill/cmd/internal/provider"
	"github.com/clausemill/clausemill/cmd/internal/setup"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/ocr"
)

// benchmark measures a service of its own beside what it competes with.
type benchmark struct {
	Corpus  string   `env:"CLAUSEMILL_DATA" required:"" placeholder:"DIR" help:"Contracts to measure with: a directory that holds cuad/contracts.jsonl, cuad/pdf, cuad/txt and docx/timing."`
	Only    []string `help:"Sections to measure, of ocr, pdf, pictures, analysis, documents, import, archive, search, api, neighbours, starts, answers, alike, scale, cost and simulate. All but the last five by default."`
	Pages   int      `default:"32" help:"Pages to recognise in each condition."`
	Layouts int      `default:"48" help:"Pages to recognise that are chosen for their layout."`
	Files   int      `default:"100000" help:"Files that scale is measured with, of about fifty sentences each; answers and alike, with 10,000 at most."`
	Workers int      `default:"50" help:"Workers that simulate plays, with two slots each."`
	Teams   int      `default:"2000" help:"Teams that simulate plays."`
	Keep    string   `type:"path" placeholder:"DIR" help:"Directory to measure in, which is kept: scale is not filled again. A temporary one by default."`

	setup.Config `embed:"" group:"Settings:"`
}

// Help is shown below the flags.
func (benchmark) Help() string {
	return `It starts a database, an API and workers in a temporary directory, measures, and removes them again.
Close what else is busy on this machine first. bench/README.md says how to read the table.`
}

// Run brings a service up, measures it and takes it down.
func (b *benchmark) Run(ctx context.Context, c console) (err error) {
	dir := b.Keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "clausemill-bench-*"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // the database may run as somebody else
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o711); err != nil { //nolint:gosec // likewise
		return err
	}
	b.DataDir, b.LogLevel, b.RateLimit = dir, "error", 10_000_000 // which nobody reaches
	server, err := postgres.Start(ctx, postgres.Config{Dir: filepath.Join(dir, "postgres")})
	if err != nil {
		return err
	}
	defer server.Stop() //nolint:errcheck // the directory is removed
	b.DatabaseURL, b.DatabaseDirectURL = server.URL(postgres.Database), ""
	rooms, err := setup.Open(ctx, b.Config, b.NewLog(c.err))
	if err != nil {
		return err
	}
	defer rooms.Close()
	slots, err := b.Slots(nil, rooms.Log)
	if err != nil {
		return err
	}
	boundMemory(apiMemory + workerMemory + int64(slots[jobs.QueueText])*textMemory + b.held())
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}

	url := "http://" + listener.Addr().String()
	identity, err := provider.New(url)
	if err != nil {
		return err
	}
	all, serving := errgroup.WithContext(ctx)
	serving, stop := context.WithCancel(serving)
	all.Go(func() error { return rooms.Serve(serving, listener, identity) })
	all.Go(func() error { return rooms.Work(serving, slots, nil) })
	all.Go(func() error {
		defer stop()
		config, err := b.measured(serving, rooms, url)
		if err != nil {
			return err
		}
		config.Out = c.out
		return bench.Run(serving, config)
	})
	if err := all.Wait(); !errors.Is(err, context.Canceled) || ctx.Err() != nil {
		return err
	}
	return nil
}

// held is the memory of the pages that are recognised: within the bound of a service beside
// them, the collector would take half of the processor time that is measured.
func (b *benchmark) held() int64 {
	const page = 9 << 20 // A4 at 300 dpi, grey
	if len(b.Only) > 0 && !slices.Contains(b.Only, "ocr") {
		return 0
	}
	return int64(3*b.Pages+b.Layouts) * page
}

// measured is what bench needs of a running service.
func (b *benchmark) measured(ctx context.Context, rooms *setup.Rooms, url string) (bench.Config, error) {
	_, key, err := newKey(ctx, rooms.DB, db.APIKey{Kind: db.OrganizationKey, Name: "bench"}, provider.Organization)
	if err != nil {
		return bench.Config{}, err
	}
	caller, err := auth.New(rooms.DB).Key(ctx, key)
	if err != nil {
		return bench.Config{}, err
	}
	session, err := signIn(ctx, url)
	if err != nil {
		return bench.Config{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return bench.Config{}, err
	}
	program := cmp.Or(b.OCRProgram, filepath.Join(filepath.Dir(self), "clausemill-ocr"))
	return bench.Config{
		Data: b.Corpus, Pages: b.Pages, Layouts: b.Layouts, Files: b.Files, Only: b.Only, Workers: max(1, b.Workers), Teams: max(3, b.Teams),
		URL: url, Key: key, Session: session, Scope: caller.Scope(),
		Service: func(ctx context.Context, dir, address string) *exec.Cmd {
			service := exec.CommandContext(ctx, self, "dev", "--addr", address)
			service.Env = append(os.Environ(), "CLAUSEMILL_DATA_DIR="+dir, "BLOB_URL=") // a bucket has one owner
			return service
		},
		NewTeam: func(ctx context.Context, name string) (bench.Team, error) { return newTeam(ctx, rooms.DB, name) },
		DB:      rooms.DB, Blobs: rooms.Blobs, OCRProgram: program, Engines: rooms.Engines(),
		Documents: func() *document.Reader {
			return document.NewReader(document.Config{Command: []string{self, "reader"}, Size: 1, CacheDir: filepath.Join(b.DataDir, "cache"), Log: rooms.Log})
		},
		OCR: func() *ocr.Reader { return ocr.New(ocr.Config{Command: []string{program}, Slots: 1, Log: rooms.Log}) },
	}, nil
}

// signIn opens a session in the organization whose key is measured.
func signIn(ctx context.Context, address string) (*http.Cookie, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/auth/login?loginHint="+provider.User, nil)
	if err != nil {
		return nil, err
	}
	answer, err := (&http.Client{Jar: jar}).Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	for _, cookie := range jar.Cookies(request.URL) {
		if cookie.Name == auth.PlainCookieName {
			return cookie, nil
		}
	}
	return nil, fmt.Errorf("sign in: %s", answer.Status)
}

// newTeam makes somebody who shares nothing with that organization, and opens a session of
// theirs.
func newTeam(ctx context.Context, d *db.DB, name string) (bench.Team, error) {
	token := auth.NewToken()
	made, key, err := newKey(ctx, d, db.APIKey{Kind: db.UserKey, Name: "bench"}, name+"@localhost")
	if err != nil {
		return bench.Team{}, err
	}
	err = d.InTx(ctx, func(tx *db.Tx) error {
		return tx.CreateSession(ctx, token.Hash, *made.UserID, made.TeamID, auth.SessionLifetime)
	})
	return bench.Team{
		Session: &http.Cookie{Name: auth.PlainCookieName, Value: token.Text}, Key: key,
		Scope: db.Scope{TeamID: made.TeamID, ActorKind: "user", ActorID: *made.UserID},
	}, err
}
