package worker

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/clausemill/clausemill/db"
)

// foldEvery is the least time between two foldings of one team's vocabulary. A
// file shares most of its words with the one before, so that during an import
// folding after each would write the same rows over and over.
const foldEvery = 5 * time.Second

// Where folding takes long, as of many teams that import at once, the pause after it is
// foldShare times as long as it took, and foldAtLast at most.
const (
	foldShare  = 20
	foldAtLast = 30 * time.Second
)

// vocabularies brings the vocabularies of teams up to date, and with them what is
// counted: at once after the first file, and then every foldEvery or less often.
type vocabularies struct {
	db  *db.DB
	log *slog.Logger

	mu     sync.Mutex
	folded map[string]bool // in this interval
	wanted map[string]bool // in the next one
}

func newVocabularies(d *db.DB, log *slog.Logger) *vocabularies {
	return &vocabularies{db: d, log: log, folded: map[string]bool{}, wanted: map[string]bool{}}
}

// changed records that the words of a team's files changed.
func (v *vocabularies) changed(ctx context.Context, team string) {
	v.mu.Lock()
	wait := v.folded[team]
	if wait {
		v.wanted[team] = true
	}
	v.folded[team] = true
	v.mu.Unlock()
	if !wait {
		v.fold(ctx, team)
	}
}

// keepFolding folds every foldEvery, or less often, until ctx ends. What a worker has not
// folded by then, or when it is killed, is found by foldChanges.
func (v *vocabularies) keepFolding(ctx context.Context) {
	for wait := foldEvery; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		began := time.Now()
		v.mu.Lock()
		teams := slices.Collect(maps.Keys(v.wanted))
		clear(v.wanted)
		clear(v.folded)
		for _, team := range teams {
			v.folded[team] = true
		}
		v.mu.Unlock()
		for _, team := range teams {
			v.fold(ctx, team)
		}
		wait = min(max(foldEvery, foldShare*time.Since(began)), foldAtLast)
	}
}

func (v *vocabularies) fold(ctx context.Context, team string) {
	if err := errors.Join(v.db.FoldVocabulary(ctx, team), v.db.FoldCounts(ctx, team)); err != nil && ctx.Err() == nil {
		v.log.WarnContext(ctx, "the vocabulary is behind, or what is counted", slog.String("team", team), slog.Any("error", err))
	}
}
