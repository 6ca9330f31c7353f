// Package provider is an identity provider for development: a real one, that
// speaks the whole protocol, with two people and an organization in it.
//
// It asks for no password, so it answers only this machine, and no program but
// `clausemill dev` has it. Its keys are new at every start.
//
// The one rule: what signs in here signs in nowhere else. `clausemill serve`
// takes providers over TLS alone, and this one has none.
package provider
