// Package query defines the query language for files, sentences, attributes, matters
// and audit events: filters, groupings and measures.
//
// A query is a tree of conditions over an allow-list of fields (field.go). It is
// validated here, and rendered by the package that knows an engine: db for Postgres,
// search for Meilisearch. So a filter means the same in a list of files, in a search
// and in a dashboard widget, and user input never becomes part of a statement
// (injection). A grammar parses questions in plain English (prompt.go), and reads them
// again where something was left over (mend.go): with other words for what it is asked
// in (reword.go), which stand in one table (wording.go).
//
// The package is pure: it knows neither SQL nor HTTP nor the time. Relative dates are
// resolved with the time that the caller passes. A new field needs its column in db
// and its attribute in search; tests there check all fields.
package query
