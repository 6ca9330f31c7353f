package main

import (
	"context"
	"errors"

	"github.com/clausemill/clausemill/cmd/internal/setup"
)

// checkConfig is about the settings.
type checkConfig struct {
	Check check `cmd:"" help:"Check that all that the settings name is there: database, files, search, sign-in, recognition."`
}

// check looks at everything that serve and work need.
type check struct {
	setup.Config `embed:"" group:"Settings:"`
	output       `embed:""`
}

// Help is shown below the flags.
func (check) Help() string {
	return `Give it the environment of the processes. It changes nothing. The exit status is 0 when nothing failed, 1 when something did and 2 when a setting is invalid.`
}

// Run prints a line for each check.
func (k *check) Run(ctx context.Context, c console) error {
	findings := k.Config.Check(ctx)
	if err := table(c, k.output, "CHECK|STATUS|DETAIL", findings, func(f setup.Finding) []string { return []string{f.Check, f.Status, f.Detail} }); err != nil {
		return err
	}
	if setup.Failed(findings) {
		return exit{errors.New("not everything is there"), exitFailed}
	}
	return nil
}
