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

// home serves the page at the root, with links to the documentation. It loads nothing
// else and runs no script.
func (a *API) home(router chi.Router) {
	router.Get("/", func(w http.ResponseWriter, r *http.Request) {
		callOf(r.Context()).operation = "home"
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", pagePolicy)
		// An error means that the reader has gone.
		_ = homeTemplate.Execute(w, struct {
			SignIn bool
			Origin string
		}{a.SignIn != nil, cmp.Or(a.PublicURL, "http://"+r.Host)})
	})
}
