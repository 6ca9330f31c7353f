//go:build !production

package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/cmd/internal/postgres"
	"github.com/clausemill/clausemill/cmd/internal/provider"
	"github.com/clausemill/clausemill/cmd/internal/setup"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
)

// dev runs all of the service in one process, for one person.
type dev struct {
	setup.Config `embed:"" group:"Settings:"`

	address string // of the private database
}

// Help is shown below the flags.
func (dev) Help() string {
	return `Everything is kept in the data directory (--data-dir): the database, the files, and an API key that is made once.
It listens to this machine only, and signs in whoever is there as one of two users of an organization, without a password. Ctrl-C finishes what has begun; a second one does not.`
}

// Run brings up the database, then the API and the workers on it, and takes
// them down in reverse.
func (d *dev) Run(ctx context.Context, c console) (err error) {
	if err := d.loopbackOnly(ctx); err != nil {
		return exit{err, exitUsage}
	}
	// An address in use is the likeliest trouble, so it comes first.
	listener, err := setup.Listen(ctx, "CLAUSEMILL_ADDR", d.Addr)
	if err != nil {
		return err
	}
	defer listener.Close() // again, where the server has closed it
	log := d.NewLog(c.err)
	operators, err := d.ListenMetrics(ctx, log)
	if err != nil {
		return err
	}
	defer operators.Close()
	if len(d.Operators) == 0 {
		d.Operators = []string{provider.User}
	}
	// Others may pass through, as the database may have to run as somebody else.
	if err := os.MkdirAll(d.DataDir, 0o711); err != nil { //nolint:gosec // see above
		return err
	}
	ended := make(<-chan struct{})
	if d.DatabaseURL == "" {
		server, err := postgres.Start(ctx, postgres.Config{Dir: filepath.Join(d.DataDir, "postgres")})
		if ctx.Err() != nil && err != nil {
			return context.Cause(ctx) // whatever Ctrl-C has its programs say
		}
		if err != nil {
			return err
		}
		defer server.Stop() //nolint:errcheck // a later start recovers
		d.DatabaseURL, ended = server.URL(postgres.Database), server.Ended()
		d.address, d.DatabaseDirectURL = d.DatabaseURL, ""
	}
	rooms, err := setup.Open(ctx, d.Config, log)
	if err != nil {
		return err
	}
	defer rooms.Close()
	if err := rooms.Trace(ctx, "clausemill"); err != nil {
		return exit{err, exitUsage}
	}
	identity, err := provider.New("http://" + listener.Addr().String())
	if err != nil {
		return err
	}
	if err := settle(ctx, rooms.DB); err != nil {
		return err
	}
	key, err := d.key(ctx, rooms.DB)
	if err != nil {
		return err
	}
	contracts, err := d.samplesDir()
	if err != nil {
		return err
	}
	slots, err := d.Slots(nil, log)
	if err != nil {
		return err
	}
	if err := rooms.Recognises(ctx); err != nil { // before it says that it runs
		return err
	}
	boundMemory(apiMemory + workerMemory + int64(slots[jobs.QueueText])*textMemory)
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error { return rooms.Serve(ctx, listener, identity) })
	all.Go(func() error { return rooms.Work(ctx, slots, nil) })
	all.Go(func() error { return rooms.ServeMetrics(ctx, operators) })
	all.Go(func() error {
		select {
		case <-ended:
			return errors.New("the database ended: its log is " + filepath.Join(d.DataDir, "postgres", "postgres.log"))
		case <-ctx.Done():
			return nil
		}
	})
	d.welcome(c.err, listener.Addr(), key, contracts)
	return all.Wait()
}

// loopbackOnly refuses to sign anybody in for the whole network.
func (d *dev) loopbackOnly(ctx context.Context) error {
	host, _, err := net.SplitHostPort(d.Addr)
	if err != nil {
		return err
	}
	open := host == "" // every interface
	if !open {
		found, err := net.DefaultResolver.LookupIPAddr(ctx, host)
		if err != nil {
			return err
		}
		open = slices.ContainsFunc(found, func(a net.IPAddr) bool { return !a.IP.IsLoopback() })
	}
	if open {
		return fmt.Errorf("dev signs anybody in, so it listens to this machine only and not on %s: use 'clausemill serve'", d.Addr)
	}
	return nil
}

// settle makes one of the two users the admin of their organization, whoever
// signs in first.
func settle(ctx context.Context, database *db.DB) error {
	return database.InTx(ctx, func(tx *db.Tx) error {
		user, err := tx.EnsureUser(ctx, provider.User, "")
		if err != nil {
			return err
		}
		team, err := tx.EnsureOrganization(ctx, provider.Organization)
		if err != nil {
			return err
		}
		return tx.AddMember(ctx, team.ID, user.ID, db.Admin)
	})
}

// key returns the key in the data directory, if it is still valid, or makes one.
func (d *dev) key(ctx context.Context, database *db.DB) (string, error) {
	path := filepath.Join(d.DataDir, devKeyFile)
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	key := strings.TrimSpace(string(text))
	if _, err := auth.New(database).Key(ctx, key); err == nil {
		return key, nil
	}
	_, key, err = newKey(ctx, database, db.APIKey{Kind: db.OrganizationKey, Name: "dev"}, provider.Organization)
	if err != nil {
		return "", err
	}
	return key, os.WriteFile(path, []byte(key+"\n"), 0o600)
}

// welcome says what to do next. It is for people, so it is no log line.
func (d *dev) welcome(w io.Writer, address net.Addr, key, dir string) {
	url := "http://" + address.String()
	if d.ConsoleHandler() != nil {
		fmt.Fprintf(w, "\nOpen %s/\n", url)
	}
	fmt.Fprintf(w, `
Clausemill runs at %[1]s, its description at %[1]s/docs, its data in %[2]s.
Sign in:  %[1]s/auth/login
API key:  %[3]s

Upload a folder, or one file; these are samples:

    %[4]s
    curl -H 'Authorization: Bearer %[3]s' -F 'file=@%[5]s' %[1]s/api/files

Commands for operators, such as jobs and backup, find it by

    export %[6]s

Ctrl-C stops it.
`, url, d.DataDir, key, d.uploadCommand(url, dir), filepath.Join(dir, "services-agreement.pdf"), d.settings())
}

// settings has other commands find what this one runs. A database of the user's own is
// left out, as its address may have a password.
func (d *dev) settings() string {
	text := "CLAUSEMILL_DATA_DIR=" + quoted(d.DataDir)
	if d.address != "" {
		text += " DATABASE_URL=" + quoted(d.address)
	}
	return text
}

// samples are contracts of our own to try it with.
//
//go:embed samples
var samples embed.FS

// samplesDir puts the samples where they can be uploaded from.
func (d *dev) samplesDir() (string, error) {
	dir := filepath.Join(d.DataDir, "samples")
	if err := os.RemoveAll(dir); err != nil { // those of an older program
		return "", err
	}
	files, err := fs.Sub(samples, "samples")
	if err != nil {
		return "", err
	}
	return dir, os.CopyFS(dir, files)
}

// uploadCommand uploads what is in dir. It works as it is printed, where this
// program was started.
func (d *dev) uploadCommand(url, dir string) string {
	words := []string{os.Args[0], "upload", "--wait"}
	if url != defaultURL {
		words = append(words, "--url", url)
	}
	if here, err := filepath.Abs("data"); err != nil || here != d.DataDir { // where upload looks for the key
		words = append(words, "--data-dir", d.DataDir)
	}
	words = append(words, dir)
	for i, word := range words {
		if strings.ContainsFunc(word, func(r rune) bool { return !strings.ContainsRune(plain, r) }) {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// plain are the characters that no shell reads anything into.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+=,"
