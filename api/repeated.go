package api

import (
	"net/http"
	"net/url"
	"strings"
)

// joinRepeated makes a list, in commas, of a query parameter that is given
// several times. Huma would read the first and drop the rest in silence. What
// takes no list refuses it.
func joinRepeated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/api/") || !strings.Contains(r.URL.RawQuery, "&") {
			next.ServeHTTP(w, r)
			return
		}
		query, err := url.ParseQuery(r.URL.RawQuery)
		repeated := false
		for name, values := range query {
			if len(values) > 1 {
				query[name], repeated = []string{strings.Join(values, ",")}, true
			}
		}
		if err == nil && repeated {
			joined := *r.URL
			joined.RawQuery = query.Encode()
			r = r.WithContext(r.Context()) // a copy: the request is the server's
			r.URL = &joined
		}
		next.ServeHTTP(w, r)
	})
}
