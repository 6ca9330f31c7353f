// Package api is the HTTP API: one file for each area of the specification.
//
// An area file reads from top to bottom: its route table, its wire types, its
// requests, its handlers. A handler gets a decoded request and returns a value
// or a fault. Registration, status codes, headers and errors are in route.go
// and error.go. Access is declared once for a whole table.
//
// Handlers are short. Work that takes longer than a query is a job of worker;
// computations belong to the pure packages, above all corpus, query and redline; db's
// Scope decides which rows a query sees. handlers_test.go checks that. Paths, methods,
// access and summaries are those of the specification in testdata/endpoints.tsv; a test
// compares them.
package api
