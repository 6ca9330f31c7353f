package search

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/meilisearch/meilisearch-go"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
)

// MeiliConfig is the address of Meilisearch, and the time limits.
type MeiliConfig struct {
	URL string
	// Key is the master key, or one that may manage keys, indexes, documents,
	// settings and tasks. Searches use keys that are derived from it and see one
	// team only.
	Key string
	// Prefix begins the name of the index. Installations that share a server
	// need one each: what an installation does not know, it removes.
	Prefix       string
	Timeout      time.Duration // of a search; 1 s where 0
	IndexTimeout time.Duration // of what is sent until it is confirmed; 10 min where 0
}

// Meili searches with Meilisearch, and reads the hits from the database.
type Meili struct {
	config  MeiliConfig
	db      *db.DB
	lexicon *lexicon
	http    *http.Client
	admin   meilisearch.ServiceManager

	mu       sync.Mutex
	parent   *meilisearch.Key // what tenant tokens are derived from; nil before the server was prepared
	tokens   map[string]token // by team
	complete time.Time        // when the index was last seen to be complete
}

// token lets its bearer search what one team has.
type token struct {
	value string
	until time.Time
}

var _ Engine = (*Meili)(nil)

// NewMeili answers from the server that c names, about the rows of d. The server
// is first asked when it is needed.
func NewMeili(d *db.DB, c MeiliConfig) *Meili {
	if c.Prefix == "" {
		c.Prefix = "clausemill"
	}
	if c.Timeout == 0 {
		c.Timeout = time.Second
	}
	if c.IndexTimeout == 0 {
		c.IndexTimeout = 10 * time.Minute
	}
	m := &Meili{config: c, db: d, lexicon: newLexicon(d), tokens: map[string]token{}}
	const connections = 32
	m.http = &http.Client{Transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		MaxIdleConnsPerHost: connections,
		IdleConnTimeout:     time.Minute,
		// Compressed answers come in two segments, of which the second waits
		// for the delayed acknowledgement of the first: 44 ms.
		DisableCompression: true,
	}}
	m.admin = m.client(c.Key)
	return m
}

// client makes a client with a key. Its own retries are off: they sleep for seconds,
// and searches fall back to Postgres.
func (m *Meili) client(key string) meilisearch.ServiceManager {
	return meilisearch.New(strings.TrimSuffix(m.config.URL, "/"), meilisearch.WithAPIKey(key),
		meilisearch.WithCustomClient(m.http), meilisearch.DisableRetries())
}

// Name is meilisearch.
func (*Meili) Name() string { return "meilisearch" }

// Immediate is false: texts have to be indexed first.
func (*Meili) Immediate() bool { return false }

// Healthy reports whether the server answers.
func (m *Meili) Healthy(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, m.config.Timeout)
	defer cancel()
	_, err := m.admin.HealthWithContext(ctx)
	return unavailable(err)
}

// schema is the version of the settings and the documents below. Another version
// has another index, which is filled before it is used.
const schema = 4

// Version is that of the server. Unlike Healthy, it needs a key that the server takes.
func (m *Meili) Version(ctx context.Context) (string, error) {
	v, err := m.admin.VersionWithContext(ctx)
	if err != nil {
		return "", err
	}
	return v.PkgVersion, nil
}

// index is the name of the index that holds sentences and files: one of both, so
// that a file and its sentences come in the same task.
func (m *Meili) index() string { return m.indexOf(schema) }

func (m *Meili) indexOf(version int) string { return fmt.Sprintf("%s_v%d", m.config.Prefix, version) }

// teamField is what tenant tokens filter on.
const teamField = "teamId"

// Kinds of documents.
const (
	kindSentence = "sentence"
	kindFile     = "file"
)

// settings of the index. A sentence has stems and a file a name, and a search is
// for one of the two. The position of a word in it is irrelevant, and ranking by that
// (attribute) took a quarter of the time of a search. Misspelt words are corrected
// before, by the words that the team uses.
func settings() *meilisearch.Settings {
	return &meilisearch.Settings{
		SearchableAttributes: []string{"stems", "name"},
		FilterableAttributes: slices.Concat([]string{teamField, "kind", "generation", valuesOf},
			slices.Sorted(maps.Values(sentenceAttributes)), slices.Sorted(maps.Values(fileAttributes))),
		SortableAttributes: []string{"createdAt", "fileId", "ordinal"},
		RankingRules:       []string{"words", "proximity", "sort"},
		TypoTolerance: &meilisearch.TypoTolerance{
			MinWordSizeForTypos: meilisearch.MinWordSizeForTypos{OneTypo: oneEditFrom, TwoTypos: twoEditsFrom},
			DisableOnWords:      []string{},
			DisableOnAttributes: []string{},
			DisableOnNumbers:    true,
		},
		Pagination: &meilisearch.Pagination{MaxTotalHits: Window},
		Faceting:   &meilisearch.Faceting{MaxValuesPerFacet: Window, SortFacetValuesBy: map[string]meilisearch.SortFacetType{"*": meilisearch.SortFacetTypeAlpha}},
	}
}

// prepare makes sure that the index is there with its settings, and the key for
// searching. Several processes may do so at once: the server carries out
// one after the other, and what is done already changes nothing.
func (m *Meili) prepare(ctx context.Context) (*meilisearch.Key, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.parent != nil {
		return m.parent, nil
	}
	if _, err := m.admin.GetIndexWithContext(ctx, m.index()); code(err) == "index_not_found" {
		created, err := m.admin.CreateIndexWithContext(ctx, &meilisearch.IndexConfig{Uid: m.index(), PrimaryKey: "id"})
		if err != nil {
			return nil, unavailable(err)
		}
		if err := m.await(ctx, []int64{created.TaskUID}, "index_already_exists"); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, unavailable(err)
	}
	set, err := m.admin.Index(m.index()).UpdateSettingsWithContext(ctx, settings())
	if err != nil {
		return nil, unavailable(err)
	}
	// Nobody looks for facets by the beginning of their values, and the server
	// would write down all values anew for it with each batch.
	facets, err := m.admin.Index(m.index()).UpdateFacetSearchWithContext(ctx, false)
	if err != nil {
		return nil, unavailable(err)
	}
	if err := m.await(ctx, []int64{set.TaskUID, facets.TaskUID}); err != nil {
		return nil, err
	}
	key, err := m.searchKey(ctx)
	if err != nil {
		return nil, err
	}
	m.parent = key
	return key, nil
}

// searchKey is a key that may search this index and nothing else. Its id follows
// from the prefix, so every process gets the same one.
func (m *Meili) searchKey(ctx context.Context) (*meilisearch.Key, error) {
	sum := sha256.Sum256([]byte(m.config.Prefix))
	id := uuid.UUID(sum[:16])
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // the client takes version 4 only
	key, err := m.admin.GetKeyWithContext(ctx, id.String())
	if code(err) == "api_key_not_found" {
		key, err = m.admin.CreateKeyWithContext(ctx, &meilisearch.Key{
			UID: id.String(), Name: m.config.Prefix, Description: "Searches; the parent of the keys of teams",
			Actions: []string{"search"}, Indexes: []string{m.config.Prefix + "_v*"},
		})
		if code(err) == "api_key_already_exists" {
			key, err = m.admin.GetKeyWithContext(ctx, id.String())
		}
	}
	if status(err) == http.StatusForbidden {
		return nil, fault.Wrap(fault.Internal, "the Meilisearch key may not manage keys", safe(err))
	}
	return key, unavailable(err)
}

// searcher is a client that sees what one team has, and no more.
func (m *Meili) searcher(ctx context.Context, teamID string) (meilisearch.ServiceManager, error) {
	parent, err := m.prepare(ctx)
	if err != nil {
		return nil, err
	}
	const (
		lifetime = time.Hour
		margin   = 5 * time.Minute
	)
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	t, ok := m.tokens[teamID]
	if !ok || now.After(t.until.Add(-margin)) {
		t.until = now.Add(lifetime)
		only := map[string]any{"filter": equal(teamField, teamID)}
		t.value, err = m.admin.GenerateTenantToken(parent.UID, map[string]any{m.index(): only},
			&meilisearch.TenantTokenOptions{APIKey: parent.Key, ExpiresAt: t.until})
		if err != nil {
			return nil, err
		}
		if len(m.tokens) >= mostTeams {
			clear(m.tokens)
		}
		m.tokens[teamID] = t
	}
	return m.client(t.value), nil
}

// forget makes the next call prepare the server again: it may have been
// replaced by an empty one.
func (m *Meili) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.parent, m.complete = nil, time.Time{}
	clear(m.tokens)
}

// equal is the filter for a field to be value. Values that are not ours are
// quoted, so that no value can be a filter.
func equal(field, value string) string { return field + " = " + quote(value) }

// among is the filter for a field to be one of values.
func among(field string, values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = quote(v)
	}
	return field + " IN [" + strings.Join(quoted, ", ") + "]"
}

var quoting = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\x00", "")

func quote(value string) string { return `"` + quoting.Replace(value) + `"` }

// unavailable turns an error of the client into a fault. Its own text quotes requests,
// and with them contracts, so it is dropped.
func unavailable(err error) error {
	if err == nil {
		return nil
	}
	var already *fault.Error
	if errors.As(err, &already) {
		return err
	}
	if s := status(err); s >= 400 && s < 500 && s != http.StatusTooManyRequests && s != http.StatusRequestTimeout {
		return fault.Wrap(fault.Internal, "the search engine refused a request", safe(err))
	}
	return fault.Wrap(fault.Unavailable, "the search engine is not available; try again", safe(err))
}

// safe is what may be logged of a client's error.
func safe(err error) error {
	var m *meilisearch.Error
	if !errors.As(err, &m) {
		return err
	}
	if m.MeilisearchApiError.Code == "" {
		return fmt.Errorf("%s %s: status %d: %w", m.Method, m.Endpoint, m.StatusCode, m.OriginError)
	}
	return fmt.Errorf("%s %s: status %d: %s", m.Method, m.Endpoint, m.StatusCode, m.MeilisearchApiError.Code)
}

// code is the server's name for what went wrong, "" where there is none.
func code(err error) string {
	var m *meilisearch.Error
	if errors.As(err, &m) {
		return m.MeilisearchApiError.Code
	}
	return ""
}

// status is the HTTP status of an error, 0 where there is none.
func status(err error) int {
	var m *meilisearch.Error
	if errors.As(err, &m) {
		return m.StatusCode
	}
	return 0
}
