// Package api is the HTTP API: one file for each area of the specification.
//
// An area file reads from top to bottom: its route table, its wire types, its
// requests, its handlers. A handler gets a decoded request and returns a value
// or a fault. Registration, status codes, headers and errors are in route.go
// and error.go. Access is declared once for a whole table.
//
// Handlers are short. What takes longer than a query is a job that worker does;
// what computes belongs to the pure rooms, above all corpus, query and redline;
// whose rows a query sees is db's Scope. handlers_test.go holds that. Paths,
// methods, access and summaries are those of the specification in
// testdata/endpoints.tsv, and a test holds the two equal.
package api
