package setup

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/web"
)

const (
	// writers is how many children make searchable PDFs.
	writers = 2

	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10

	// drainTimeout is how long requests may go on after the first Ctrl-C. An
	// upload that takes longer is begun again by its client.
	drainTimeout = 20 * time.Second
)

// Identity is an identity provider on the server that it is for, which is for
// development: see cmd/internal/provider. Programs for servers have none.
type Identity interface {
	http.Handler
	Path() string                // below which it answers
	Origin() string              // of the server, as browsers reach it
	Config() auth.ProviderConfig // how to sign in there
}

// Serve answers requests on l until ctx ends, and then finishes those that run.
// People sign in through the configured identity provider, or through dev where
// that is not nil.
func (r *Rooms) Serve(ctx context.Context, l net.Listener, dev Identity) error {
	if err := checkOrigins(r.Origins); err != nil {
		return err
	}
	languageModel, err := r.Client()
	if err != nil {
		return err
	}
	signIn, err := r.SignIn()
	publicURL := r.origin()
	if dev != nil {
		signIn, publicURL, err = auth.NewProvider(dev.Config()), dev.Origin(), nil
	}
	if err != nil {
		return err
	}
	queue, err := r.inserter()
	if err != nil {
		return err
	}
	documents, err := r.documents(writers, niceness, nil, r.Log)
	if err != nil {
		return err
	}
	defer documents.Close()
	pages, err := r.pages()
	if err != nil {
		return err
	}
	defer pages.documents.Close()
	pictures, err := r.pictures(pages.documents)
	if err != nil {
		return err
	}
	limits := api.DefaultLimits()
	limits.MaxFile, limits.MaxJSONFile, limits.KeyRequests = int64(r.MaxFile), int64(r.MaxJSONFile), r.RateLimit
	limits.Uploads, limits.Waiting = api.UploadShare(int64(r.Uploads)), api.WaitingShare(int64(r.Waiting))
	limits.Questions = r.DatabaseConns * 4 / 5 // the rest is for what is answered at once
	console := r.ConsoleHandler()
	a, err := api.New(api.Config{
		DB:              r.DB,
		Jobs:            queue,
		Blobs:           r.Blobs,
		Search:          r.Search,
		PDF:             searchable{r.DB, r.Blobs, documents},
		Pages:           pages,
		Pictures:        pictures,
		Unlocker:        unlocker{r.Blobs, pages.documents},
		Log:             r.Log,
		Registry:        r.Metrics,
		Tracer:          r.traces.tracer(),
		Draining:        r.draining.Load,
		Limits:          limits,
		Trash:           r.trash(),
		LanguageModel:   languageModel,
		TeamTokens:      r.LLMTeamTokens,
		Operators:       r.Operators,
		PrivateWebhooks: r.PrivateWebhooks,
		SignIn:          signIn,
		Console:         console,
		NotBuilt:        r.Console && console == nil,
		Origins:         r.Origins,
		PublicURL:       publicURL,
	})
	if err != nil {
		return err
	}
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error {
		if err := a.Run(ctx); ctx.Err() == nil {
			return err
		}
		return nil // it ends with ctx and nothing else
	})
	all.Go(func() error { return serveHTTP(ctx, l, beside(a, dev), r.Log) })
	return all.Wait()
}

// Drain returns a context that ends DrainDelay after ctx. In between everything is
// answered, but readiness probes are refused and each answer is the last on its
// connection. So load balancers look away before nobody listens any more: what has
// connected when the listener closes, and was not accepted, is reset.
func (r *Rooms) Drain(ctx context.Context) (context.Context, context.CancelFunc) {
	later, end := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		r.draining.Store(true)
		r.health.set(later, "shutdown", "draining")
		r.Log.InfoContext(later, "draining: a second signal ends at once", slog.Duration("delay", r.DrainDelay))
		time.Sleep(r.DrainDelay)
		end(context.Cause(ctx))
	})
	return later, func() {
		stop()
		end(nil)
	}
}

// ConsoleHandler serves the console; nil where that is switched off, or not built.
func (c Config) ConsoleHandler() http.Handler {
	if !c.Console {
		return nil
	}
	return web.Handler()
}

// beside answers for the API, and for the identity provider of development where
// there is one.
func beside(api http.Handler, dev Identity) http.Handler {
	if dev == nil {
		return api
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, dev.Path()+"/") {
			dev.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
}

// serveHTTP is an HTTP server that drains when ctx ends.
func serveHTTP(ctx context.Context, l net.Listener, h http.Handler, log *slog.Logger) error {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug), // what clients do wrong
	}
	drained := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
		defer cancel()
		drained <- server.Shutdown(ctx)
	})
	err := server.Serve(l)
	if stop() {
		return err // it ended by itself
	}
	if err := <-drained; err != nil {
		log.WarnContext(ctx, "requests were cut off", slog.Any("error", err))
		return server.Close()
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
