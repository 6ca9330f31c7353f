package api

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/draft"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/llm"
	"github.com/clausemill/clausemill/model"
	"github.com/clausemill/clausemill/search"
	"github.com/clausemill/clausemill/trace"
)

// Config is what the API works with.
type Config struct {
	DB       *db.DB
	Jobs     *jobs.Client // inserts and cancels jobs; runs none
	Blobs    *blob.Store
	Search   search.Engine // nil for Postgres' own
	PDF      PDFWriter     // nil where searchable PDFs cannot be made
	Pages    PageDrawer    // nil where pages cannot be drawn
	Pictures draft.Gallery // of PDFs that Word documents are built of; nil for none, as where workers have none
	Unlocker Unlocker      // nil where files cannot be unlocked
	Log      *slog.Logger
	Registry prometheus.Registerer
	Tracer   *trace.Tracer // nil where there are no traces
	Limits   Limits
	Draining func() bool   // whether the process is about to end, and others should be asked; nil for never
	Trash    time.Duration // how long deleted things can be restored

	// LanguageModel writes answers out of quotes; nil where there is none. A team may use
	// TeamTokens of it in a day; 0 is no limit.
	LanguageModel *llm.Client
	TeamTokens    int

	// PrivateWebhooks allows webhooks to private addresses.
	PrivateWebhooks bool

	// Operators are the e-mail addresses of those who may see the installation and look
	// into the queue, which are shared by all teams.
	Operators []string

	// SignIn is where people sign in; nil where there are only API keys.
	SignIn *auth.Provider

	// Console answers page loads of browsers; nil where there is none.
	Console http.Handler

	// NotBuilt has the page at the root say how to build the console, which this
	// program was built without.
	NotBuilt bool

	// Origins are those whose pages may call the API with a key or a token of their
	// own.
	Origins []string

	// PublicURL is the origin under which browsers reach the API. If it is plain
	// http, for development, cookies are sent without TLS too.
	PublicURL string
}

// PDFWriter makes searchable PDFs.
type PDFWriter interface {
	// SearchablePDF writes file as a PDF whose recognised pages have an invisible
	// text layer, once all of it is made.
	SearchablePDF(ctx context.Context, file db.File, w io.Writer) error
}

// Limits bound what callers may ask for. See DefaultLimits.
type Limits struct {
	MaxFile      int64         // bytes of one uploaded file
	MaxJSONFile  int64         // bytes of one file sent in JSON, decoded
	Uploads      Share         // concurrent uploads
	UploadTime   time.Duration // total time of an upload, so that none keeps its slot forever
	BodyPatience time.Duration // period over which BodyPace is measured
	BodyPace     int64         // minimum bytes a second of a request body
	BodyMemory   int64         // total bytes of bodies that are kept in memory; a team may use half
	Waiting      Share         // open long polls and event streams
	Exports      Share         // concurrent exports
	Questions    int           // concurrent expensive queries; a team may have half
	KeyRequests  int           // requests by key in a window, for each user or organization
	KeyWindow    time.Duration // the window
}

// DefaultLimits are the limits of the specification and, where it has none, limits
// for a small server.
func DefaultLimits() Limits {
	return Limits{
		MaxFile:      500 << 20,
		MaxJSONFile:  50 << 20,
		Uploads:      UploadShare(64),
		UploadTime:   2 * time.Hour,
		BodyPatience: 30 * time.Second,
		BodyPace:     1 << 10,
		BodyMemory:   512 << 20,
		Waiting:      WaitingShare(4096),
		Exports:      Share{Caller: 4, Team: 8, Process: 32},
		Questions:    16,
		KeyRequests:  100,
		KeyWindow:    time.Minute,
	}
}

// API answers requests.
type API struct {
	Config
	auth    *auth.Authenticator
	huma    huma.API
	handler http.Handler
	hub     *hub
	limiter *limiter
	unlocks *limiter
	quotas  quotas
	news    *batcher[newsKey, db.Scope, []db.Event]
	fields  *huma.Schema // of uploadFields
	said    *huma.Schema // of versionFields
	metrics *metrics
	nearest *search.Nearest
	models  *model.Store
	states  *batcher[hidden, db.FileRef, db.FileState]
	queues  *queues
	admin   *admin // nil without a connection pool
}

// New makes the API, which can serve requests at once. Run keeps it informed of
// changes by other processes.
func New(c Config) (*API, error) {
	a := &API{
		Config:  c,
		auth:    auth.New(c.DB),
		hub:     newHub(),
		limiter: newLimiter(c.DB, c.Limits.KeyRequests, c.Limits.KeyWindow),
		unlocks: newLimiter(c.DB, unlockTries, unlockPeriod),
		news:    newNews(c.DB),
		nearest: search.NewNearest(c.DB, c.nearestIndex(), c.Log),
		models:  model.NewStore(c.DB),
		states: newBatcher(func(ctx context.Context, from hidden, files []db.FileRef) ([]db.FileState, error) {
			return c.DB.FileStates(ctx, from.ids(), files)
		}),
		queues: newQueues(c.DB.TeamQueue),
	}
	a.metrics = newMetrics(c.Registry, a.hub)
	a.quotas = newQuotas(c.Limits, a.metrics.quotas)
	if a.Search == nil {
		a.Search = search.NewPostgres(c.DB)
	}
	router := a.routes()
	if c.DB.Pool() != nil {
		var err error
		if a.admin, err = newAdmin(c.Jobs, c.Log); err != nil {
			return nil, err
		}
		router.Mount(adminPath, a.operatorsOnly(a.admin))
	}
	a.handler = a.observe(a.secure(a.identify(router)))
	return a, nil
}

// nearestIndex opens stored indexes of nearest sentences; nil without a store.
func (c Config) nearestIndex() search.Stored {
	if c.Blobs == nil {
		return nil
	}
	return func(ctx context.Context, bytesID string) (path string, release func(), err error) {
		return c.Blobs.Local(ctx, blob.Nearest(bytesID))
	}
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if a.drains() {
		w.Header().Set("Connection", "close") // the next request is for others
	}
	a.handler.ServeHTTP(w, r)
}

// drains is whether the process is about to end.
func (a *API) drains() bool { return a.Draining != nil && a.Draining() }

// Run listens for changes by other processes until ctx ends. It then ends all waiting
// requests, so that the server can shut down.
func (a *API) Run(ctx context.Context) error {
	defer a.hub.close()
	if a.admin != nil {
		if err := a.admin.Start(ctx); err != nil {
			return err
		}
	}
	return a.DB.Listen(ctx, db.Listener{
		Channels: []string{db.EventsChannel, db.RevokedChannel},
		Heard: func(channel, payload string) {
			if channel == db.RevokedChannel {
				a.auth.Revoked(payload)
			} else {
				a.hub.wake(payload)
			}
		},
		Connected: func() {
			a.auth.Resume()
			a.hub.wakeAll()
		},
		Lost: func(err error) {
			a.auth.Pause()
			a.Log.LogAttrs(ctx, slog.LevelWarn, "not listening for changes", slog.Any("error", err))
		},
	})
}

// routes builds the router.
func (a *API) routes() *chi.Mux {
	router := chi.NewMux()
	router.Use(middleware.GetHead)
	router.NotFound(a.notFound)
	router.MethodNotAllowed(methodNotAllowed(router))

	a.areas(router)
	a.documentation(router)
	a.home(router)
	router.Get("/livez", a.livez)
	router.Get("/healthz", a.livez) // as it is called in other places
	router.Get("/readyz", a.readyz)
	return router
}

// areas registers all operations. It may not use the fields of Config, since the
// OpenAPI document is made without them.
func (a *API) areas(router chi.Router) {
	a.huma = humachi.New(router, config())
	for _, area := range []func(){
		a.files, a.filesStatus, a.filesLifecycle, a.filesReprocess, a.filesBulk,
		a.filesDocuments, a.filesSections, a.filesStats, a.filesAnalysis, a.filesCompare, a.filesCohort, a.filesOCR, a.filesPages, a.filesImage, a.filesPrint, a.filesTokens, a.filesMerge, a.filesVersions, a.filesUnlock, a.attributeDecisions, a.filesRedline, a.filesSFDT, a.filesAlign,
		a.documentTypes, a.documentTypesAnalysis, a.filesLikeness,
		a.sentences, a.sentencesTags, a.tags, a.review, a.sentencesReview, a.sentencesNearest,
		a.sectionModels, a.tools, a.text, a.search, a.operations, a.events,
		a.widgets, a.filters, a.savedSearches, a.export,
		a.matters, a.mattersFiles, a.assignments, a.notifications, a.chats, a.chatMessages, a.categories, a.metadata, a.teamFields, a.trash, a.webhooks,
		a.signIn, a.session, a.apiKeys, a.serviceAccounts, a.teams, a.members, a.ownNames, a.flags, a.audit, a.installation,
	} {
		area()
	}
}
