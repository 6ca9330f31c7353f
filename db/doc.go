// Package db holds everything that lives in Postgres, and is the only room that
// writes SQL.
//
// One method of Queries answers one question; DB runs it on its own connection
// and Tx inside a transaction. Every method on a team's rows takes a Scope and
// has it in the WHERE clause: a row of another team is not found, never
// forbidden. The exceptions are keys.go and sessions.go, which find out who is
// asking, and queue.go, which looks after the queue as a whole.
//
// The schema is what migrations make of it; schema.tsv says what that is, object
// by object, and schema.go refuses a database that is another.
//
// Errors are faults: no row is NotFound, a violated constraint is Conflict or
// Invalid. Row structs live beside their queries; wire types are api's.
package db
