package setup

import (
	"context"
	"log/slog"
	"time"

	"github.com/clausemill/clausemill/db"
)

// countEvery is how often a process looks at what all of them may ask for.
const countEvery = time.Minute

// watchConnections says so where the processes that work on the database may ask
// for more connections than it has: whoever comes too late would wait.
func (r *Rooms) watchConnections(ctx context.Context) {
	var told db.Connections
	for {
		seen, err := r.DB.Connections(ctx)
		switch {
		case err != nil: // the database is away: others say so
		case seen.Asked <= seen.There:
			told = db.Connections{}
		case seen != told:
			told = seen
			r.Log.WarnContext(ctx, "the processes may ask for more connections than Postgres has: lower CLAUSEMILL_DATABASE_CONNS, or raise its max_connections",
				slog.Int("processes", seen.Processes), slog.Int("asked", seen.Asked), slog.Int("there", seen.There))
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(countEvery):
		}
	}
}
