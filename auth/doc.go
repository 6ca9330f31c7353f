// Package auth authenticates callers: it makes and checks API keys, sessions and
// the secrets and tokens of service accounts, signs users in through OpenID Connect,
// and carries the Principal in the context of a request.
//
// What a principal may do is decided where routes are declared, in api. Which rows
// it may see is decided by its db.Scope, which every query takes.
//
// A secret is in memory only until it is hashed. It is never stored, logged or
// part of an error.
package auth
