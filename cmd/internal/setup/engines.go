package setup

import (
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/search"
)

// engine is Meilisearch where one is named, else Postgres.
func (c Config) engine(database *db.DB) search.Engine {
	if c.MeiliURL == "" {
		return search.NewPostgres(database)
	}
	return search.NewMeili(database, search.MeiliConfig{URL: c.MeiliURL, Key: c.MeiliKey, Prefix: c.MeiliPrefix})
}

// Engines are all that can answer here, for comparing them: Postgres, and
// Meilisearch where one is named.
func (r *Rooms) Engines() []search.Engine {
	engines := []search.Engine{search.NewPostgres(r.DB)}
	if r.MeiliURL != "" {
		engines = append(engines, r.Search)
	}
	return engines
}
