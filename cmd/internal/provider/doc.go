// Package provider is an OpenID Connect identity provider for development. It
// implements the whole protocol, and has two users and an organization.
//
// It asks for no password, so it answers only this machine, and only `clausemill dev`
// starts it: programs for servers are built without it. Its keys are new at every
// start.
package provider
