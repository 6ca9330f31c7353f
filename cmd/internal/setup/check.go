package setup

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
)

// Finding is what a check of the settings found.
type Finding struct {
	Check  string `json:"check"`
	Status string `json:"status"` // ok, failed, or unused
	Detail string `json:"detail"`
}

// The statuses of findings.
const (
	checkOK     = "ok"
	checkFailed = "failed"
	checkUnused = "unused"
)

// checkFor is how long one check may take.
const checkFor = 15 * time.Second

// Check reports whether all that the settings name is there: what serve and work need
// to start. It changes nothing.
func (c Config) Check(ctx context.Context) []Finding {
	r := &Rooms{Config: c, Log: slog.New(slog.DiscardHandler)}
	var database *db.DB
	checks := []struct {
		name string
		look func(ctx context.Context) (detail string, err error)
	}{
		{"sign-in settings", func(context.Context) (string, error) {
			provider, err := c.SignIn()
			if provider == nil {
				return "", err
			}
			return c.OIDCIssuer, nil
		}},
		{"origins of pages", func(context.Context) (string, error) { return strings.Join(c.Origins, ", "), checkOrigins(c.Origins) }},
		{"identity provider", func(ctx context.Context) (string, error) {
			provider, err := c.SignIn()
			if provider == nil || err != nil {
				return "", nil //nolint:nilerr // told by the check before
			}
			return "answers for client " + c.OIDCClientID, provider.Ready(ctx)
		}},
		{"database", func(ctx context.Context) (string, error) {
			connected, err := c.Connect(ctx)
			if err != nil {
				return "", err
			}
			database = connected
			version, err := database.ServerVersion(ctx)
			return "Postgres " + version, err
		}},
		{"schema", func(ctx context.Context) (string, error) {
			if database == nil {
				return "", errNoDatabase
			}
			schema, err := database.Schema(ctx)
			if err != nil {
				return "", err
			}
			return schema.String(), nil
		}},
		{"file store", func(ctx context.Context) (string, error) {
			address, err := c.blobURL()
			if err != nil {
				return "", err
			}
			return address, c.checkStore(ctx, address, database)
		}},
		{"search", func(ctx context.Context) (string, error) {
			if c.MeiliURL == "" {
				return "Postgres", nil
			}
			version, err := c.meili(nil).Version(ctx)
			return "Meilisearch " + version, err
		}},
		{"language model", func(ctx context.Context) (string, error) {
			model, err := c.Client()
			if model == nil || err != nil {
				return "", err
			}
			return model.Model, model.Ready(ctx)
		}},
		{"traces", func(context.Context) (string, error) { return c.checked() }},
		{"recognition", func(ctx context.Context) (string, error) {
			return c.OCRLanguages, r.Recognises(ctx)
		}},
		{"old documents", func(context.Context) (string, error) {
			path, err := c.converter()
			if path == "" && err == nil {
				return "", nil
			}
			return path, err
		}},
	}
	findings := make([]Finding, len(checks))
	for i, check := range checks {
		limited, cancel := context.WithTimeout(ctx, checkFor)
		detail, err := check.look(limited)
		cancel()
		f := Finding{check.name, checkOK, detail}
		switch {
		case err != nil:
			f.Status, f.Detail = checkFailed, strings.ReplaceAll(err.Error(), "\n", " ")
		case detail == "":
			f.Status, f.Detail = checkUnused, unused[check.name]
		}
		findings[i] = f
	}
	if database != nil {
		database.Close()
	}
	return findings
}

// unused is what it means that a check had nothing to look for.
var unused = map[string]string{
	"sign-in settings":  "no OIDC_ISSUER: only API keys are accepted",
	"identity provider": "no OIDC_ISSUER",
	"language model":    "no LLM_URL: answers are made of quotes",
	"traces":            "no OTEL_EXPORTER_OTLP_ENDPOINT: none are recorded",
	"old documents":     "LibreOffice is not installed: DOC files are refused",
}

// errNoDatabase is of checks that need one.
var errNoDatabase = errors.New("the database does not answer")

// Failed reports whether any of the findings is a fault.
func Failed(findings []Finding) bool {
	for _, f := range findings {
		if f.Status == checkFailed {
			return true
		}
	}
	return false
}

// checkStore looks at the store of files, and whether it is that of the database. It
// marks neither.
func (c Config) checkStore(ctx context.Context, address string, database *db.DB) error {
	store, err := blob.Open(ctx, address)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.Ready(ctx); err != nil || database == nil {
		return err
	}
	if database.Fits(ctx) != nil {
		return nil // told by its own check
	}
	mark, err := store.Mark(ctx)
	if err != nil {
		return err
	}
	return database.InTx(ctx, func(tx *db.Tx) error {
		here, err := tx.Installation(ctx)
		switch {
		case err != nil:
			return err
		case mark == "":
			return fits(ctx, tx.Queries, store, here.Marked)
		case mark != here.ID:
			return errForeignStore
		}
		return nil
	})
}
