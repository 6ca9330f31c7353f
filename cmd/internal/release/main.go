package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/clausemill/clausemill/cmd/internal/thirdparty"
)

// commands is the command line.
type commands struct {
	Notices notices  `cmd:"" help:"Write THIRD_PARTY_NOTICES: what of others the programs hold, and its licences."`
	Build   building `cmd:"" help:"Build the archives, their SBOMs, the npm package of the client, and SHA256SUMS."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	parsed := kong.Parse(&commands{}, kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Vars{"platforms": strings.Join(thirdparty.Platforms, ",")})
	parsed.FatalIfErrorf(parsed.Run())
}

// noticesFile is beside LICENSE, and embedded into the program.
const noticesFile = "THIRD_PARTY_NOTICES"

// notices writes the notices below root.
type notices struct {
	Root string `default:"." help:"The source."`
}

// Run writes the file anew.
func (n *notices) Run(ctx context.Context) error {
	root, err := os.OpenRoot(n.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	all, err := thirdparty.Components(ctx, n.Root)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.Within == thirdparty.InConsole && len(c.Texts) == 0 {
			return fmt.Errorf("%s is not installed, so its licence is not known: run make console", c.Name)
		}
	}
	return root.WriteFile(noticesFile, []byte(thirdparty.Notices(all)), 0o644)
}

// building makes the archives.
type building struct {
	Root      string   `default:"." help:"The source."`
	Out       string   `default:"dist" help:"Where to write. What is there is deleted."`
	Platforms []string `default:"${platforms}" help:"Processors to build for, with Linux."`
	Console   bool     `default:"true" negatable:"" help:"Refuse to build where the console is not."`
	Client    bool     `default:"true" negatable:"" help:"Pack the TypeScript client, which takes npm."`
}

// Run builds for each platform in turn.
func (b *building) Run(ctx context.Context) error {
	when, err := released(b.Root)
	if err != nil {
		return err
	}
	if b.Console {
		if _, err := os.Stat(b.Root + "/web/dist/index.html"); err != nil {
			return fmt.Errorf("the console is not built: run make console (%w)", err)
		}
	}
	all, err := thirdparty.Components(ctx, b.Root)
	if err != nil {
		return err
	}
	if written, err := os.ReadFile(b.Root + "/" + noticesFile); err != nil || !thirdparty.UpToDate(string(written), all) {
		return errors.Join(err, errors.New(noticesFile+" is of another time: run make notices"))
	}
	if err := os.RemoveAll(b.Out); err != nil {
		return err
	}
	if err := os.MkdirAll(b.Out, 0o755); err != nil { //nolint:gosec // for whoever fetches it
		return err
	}
	dir, err := os.MkdirTemp("", "clausemill-shown-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	with, err := show(ctx, b.Root, dir)
	if err != nil {
		return err
	}
	for _, platform := range b.Platforms {
		if err := archive(ctx, b.Root, b.Out, platform, when, all, with); err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
	}
	if b.Client {
		if err := npmPackage(ctx, b.Root, b.Out); err != nil {
			return fmt.Errorf("the TypeScript client: %w", err)
		}
	}
	return sums(b.Out)
}
