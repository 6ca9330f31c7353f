// Package auth finds out who is asking: it makes and checks API keys and
// sessions, and carries the Principal through a request.
//
// What a principal may do is decided where routes are declared, in api; whose
// rows it may see is its db.Scope, which every query takes.
//
// The one rule: a secret exists here only as long as it takes to hash it. It is
// never stored, logged or part of an error.
package auth
