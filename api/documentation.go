package api

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"

	"github.com/clausemill/clausemill/auth"
)

//go:embed documentation.html
var documentationPage string

// documentation serves the description of the API, for programs and for people.
// The page loads nothing else and runs no script.
func (a *API) documentation(router chi.Router) {
	router.Get("/openapi.json", fixed("openapi", "application/openapi+json", "", func() []byte { return a.description(false) }))
	router.Get("/openapi-3.0.json", fixed("openapi", "application/openapi+json", "", func() []byte { return a.description(true) }))
	router.Get("/docs", fixed("docs", "text/html; charset=utf-8", pagePolicy, documentationHTML))
}

// description is Description with the session cookie named as this service sets it:
// without TLS it has another name.
func (a *API) description(old bool) []byte {
	text := Description(old)
	if a.plain() {
		text = bytes.ReplaceAll(text, []byte(auth.CookieName), []byte(auth.PlainCookieName))
	}
	return text
}

// documentationHTML is the description for people.
var documentationHTML = sync.OnceValue(func() []byte {
	var page bytes.Buffer
	if err := documentationTemplate.Execute(&page, OpenAPI()); err != nil {
		panic(err) // it reads what was just registered
	}
	return page.Bytes()
})

// pagePolicy is the Content-Security-Policy of pages without external resources.
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// fixed always serves the same bytes.
func fixed(operation, contentType, policy string, content func() []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		callOf(r.Context()).operation = operation
		w.Header().Set("Content-Type", contentType)
		if policy != "" {
			w.Header().Set("Content-Security-Policy", policy)
		}
		_, _ = w.Write(content()) // the reader has gone; nothing is left to tell
	}
}

var documentationTemplate = template.Must(template.New("documentation").Funcs(template.FuncMap{
	"areas":   areasOf,
	"access":  accessOf,
	"schema":  nameOfSchema,
	"marked":  marked,
	"anchor":  func(name string) string { return "schema-" + name },
	"refName": func(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] },
}).Parse(documentationPage))

// marked is a description as HTML, with text between back quotes as code.
func marked(text string) template.HTML {
	parts := strings.Split(template.HTMLEscapeString(text), "`")
	var out strings.Builder
	for i, part := range parts {
		switch {
		case i%2 == 0:
			out.WriteString(part)
		case i == len(parts)-1: // it has no other end
			out.WriteString("`" + part)
		default:
			out.WriteString("<code>" + part + "</code>")
		}
	}
	return template.HTML(out.String()) //nolint:gosec // it is escaped
}

// documentedArea is the operations of one tag, as the page lists them.
type documentedArea struct {
	Name       string
	Operations []*huma.Operation
}

func areasOf(description *huma.OpenAPI) []documentedArea {
	byTag := map[string][]*huma.Operation{}
	for _, path := range description.Paths {
		for _, op := range []*huma.Operation{path.Get, path.Head, path.Post, path.Put, path.Patch, path.Delete} {
			if op != nil {
				byTag[op.Tags[0]] = append(byTag[op.Tags[0]], op)
			}
		}
	}
	areas := make([]documentedArea, 0, len(byTag))
	for tag, operations := range byTag {
		slices.SortFunc(operations, func(x, y *huma.Operation) int {
			return strings.Compare(x.Path+" "+x.Method, y.Path+" "+y.Method)
		})
		areas = append(areas, documentedArea{tag, operations})
	}
	slices.SortFunc(areas, func(x, y documentedArea) int { return strings.Compare(x.Name, y.Name) })
	return areas
}

func accessOf(op *huma.Operation) string {
	switch op.Metadata[accessKey] {
	case withKey:
		return "API key, session" + scopeShown(op)
	case withSession:
		return "session" + scopeShown(op)
	default:
		return "anybody"
	}
}

// nameOfSchema is a short name of a schema: a name, a type, or a list of either.
func nameOfSchema(s *huma.Schema) string {
	switch {
	case s == nil:
		return ""
	case s.Ref != "":
		return s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
	case s.Type == huma.TypeArray:
		return nameOfSchema(s.Items) + "[]"
	case len(s.OneOf) > 0:
		names := make([]string, len(s.OneOf))
		for i, one := range s.OneOf {
			names[i] = nameOfSchema(one)
		}
		return strings.Join(names, " or ")
	case s.Type == "":
		return "any"
	case s.Format != "":
		return s.Type + " (" + s.Format + ")"
	default:
		return s.Type
	}
}
