package setup

import "github.com/clausemill/clausemill/search"

// Engines are all that can answer here, for comparing them: Postgres, and
// Meilisearch where one is named.
func (r *Rooms) Engines() []search.Engine {
	engines := []search.Engine{search.NewPostgres(r.DB)}
	if r.MeiliURL != "" {
		engines = append(engines, r.engine())
	}
	return engines
}
