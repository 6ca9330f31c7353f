//go:build production

package main

const firstStep = "Start with: clausemill serve, and clausemill work beside it."

// development is empty here; see development.go.
type development struct{}
