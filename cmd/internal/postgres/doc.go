// Package postgres runs a private Postgres server for one directory: the
// database of `clausemill dev` and of the tests.
//
// It finds the installed server programs, makes the cluster on first use,
// listens on a unix socket in a directory that only its owner may enter, and
// stops with the process that started it. Whatever was killed before, the next
// Start on the same directory brings the same data back.
//
// It knows nothing of the schema: that is db's. The one rule to know: Postgres
// refuses to run as root, so under root it runs as somebody else (account.go).
package postgres
