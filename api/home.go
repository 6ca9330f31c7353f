package api

import (
	"cmp"
	_ "embed"
	"html/template"
	"net/http"

	"github.com/go-chi/chi/v5"
)

//go:embed home.html
var homePage string

var homeTemplate = template.Must(template.New("home").Parse(homePage))

// home serves the page at the root: the console, or where there is none a page with links
// to the documentation, which loads nothing else and runs no script.
func (a *API) home(router chi.Router) {
	if a.Console != nil {
		router.Get("/", a.console)
		return
	}
	router.Get("/", func(w http.ResponseWriter, r *http.Request) {
		callOf(r.Context()).operation = "home"
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", pagePolicy)
		// An error means that the reader has gone.
		_ = homeTemplate.Execute(w, struct {
			SignIn   bool
			NotBuilt bool
			Origin   string
		}{a.SignIn != nil, a.NotBuilt, cmp.Or(a.PublicURL, "http://"+r.Host)})
	})
}

// console serves the console, whose addresses are pages of one script.
func (a *API) console(w http.ResponseWriter, r *http.Request) {
	callOf(r.Context()).operation = "console"
	a.Console.ServeHTTP(w, r)
}

// notFound answers for addresses that are no operation. Those that a browser loads, with
// what they are made of, are the console's.
func (a *API) notFound(w http.ResponseWriter, r *http.Request) {
	loads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if a.Console != nil && loads && !private(r.URL.Path) {
		a.console(w, r)
		return
	}
	writeError(w, &Error{status: http.StatusNotFound, Message: "not found"})
}

// startPage is where people are after signing in, unless they came from elsewhere.
func (a *API) startPage() string {
	if a.Console != nil {
		return "/"
	}
	return "/docs"
}
