// Package db is the access to Postgres, and the only package with SQL.
//
// Each method of Queries is one query; DB runs it on a connection of its own and Tx
// inside a transaction. Every method on a team's rows takes a Scope and has it in the
// WHERE clause: a row of another team is not found, never forbidden. The exceptions
// are keys.go and sessions.go, which identify the caller, and queue.go, which manages
// the queue as a whole.
//
// Values reach SQL as named args only. A WHERE clause grows in one of two ways: clauses
// adds what the fixed parameters of a list ask for; conditions renders a query.Filter,
// which callers compose freely, through an allow-list of columns (render.go). Longer
// statements are put together from parts with names, as searchStatement is.
//
// The migrations define the schema. schema.tsv lists it object by object, and
// schema.go refuses a database with another one.
//
// Errors are faults: no row is NotFound, a violated constraint is Conflict or
// Invalid. Row structs are in the file of their queries; wire types are api's.
package db
