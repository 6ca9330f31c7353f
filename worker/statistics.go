package worker

import (
	"context"
	"log/slog"
	"time"

	"github.com/clausemill/clausemill/db"
)

// How often tables that have grown are looked for: often while there are some, as in the
// first minutes of an installation, and less and less where there are none.
const (
	statisticsAtOnce = 5 * time.Second
	statisticsAtLast = time.Minute
)

// keepStatistics has Postgres look at tables that grow faster than it does by itself, until
// ctx ends.
func keepStatistics(ctx context.Context, d *db.DB, log *slog.Logger) {
	for wait := statisticsAtOnce; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		n, err := d.AnalyzeGrown(ctx)
		if err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "statistics of tables that have grown are behind", slog.Any("error", err))
		}
		if wait = min(2*wait, statisticsAtLast); n > 0 {
			wait = statisticsAtOnce
		}
	}
}
