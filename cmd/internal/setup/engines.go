package setup

import (
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/search"
)

// engine is Meilisearch where one is named, with Postgres for what it cannot
// answer, else Postgres.
func (c Config) engine(database *db.DB) search.Engine {
	postgres := search.NewPostgres(database)
	if c.MeiliURL == "" {
		return postgres
	}
	return search.NewFallback(c.meili(database), postgres)
}

func (c Config) meili(database *db.DB) *search.Meili {
	return search.NewMeili(database, search.MeiliConfig{URL: c.MeiliURL, Key: c.MeiliKey, Prefix: c.MeiliPrefix})
}

// Engines are all that can answer here, for comparing them: Postgres, and
// Meilisearch where one is named.
func (r *Rooms) Engines() []search.Engine {
	engines := []search.Engine{search.NewPostgres(r.DB)}
	if r.MeiliURL != "" {
		engines = append(engines, r.meili(r.DB))
	}
	return engines
}
