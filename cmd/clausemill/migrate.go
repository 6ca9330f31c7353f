package main

import (
	"context"

	"github.com/clausemill/clausemill/cmd/internal/setup"
)

// migrate brings the schema up to date.
type migrate struct {
	setup.Database `embed:"" group:"Settings:"`
	setup.Logging  `embed:"" group:"Settings:"`
}

// Run may be called by any number of machines at once, and again.
func (m *migrate) Run(ctx context.Context, c console) error {
	m.Migrate = true
	database, err := setup.OpenDatabase(ctx, m.Database, m.NewLog(c.err))
	if err != nil {
		return err
	}
	database.Close()
	return nil
}
