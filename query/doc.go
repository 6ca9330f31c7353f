// Package query is the one language in which files, sentences, attributes,
// matters and audit events are asked about: filters, groupings and measures.
//
// A question is a tree over an allow-list of fields (field.go). It is checked
// here, and rendered by whoever knows an engine: db for Postgres, search for
// Meilisearch. So a filter means the same in a list of files, in a search and in
// a dashboard widget, and no word of a caller can become a part of a statement.
// Plain words become a question by a grammar (prompt.go).
//
// The room is pure: it knows neither SQL nor HTTP nor the time. Dates that are
// relative to a day are resolved with the time that the caller gives. A field
// that is added here needs its column in db and its attribute in search; tests
// there walk all fields.
package query
