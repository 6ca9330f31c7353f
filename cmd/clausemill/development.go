//go:build !production

package main

const firstStep = "Start with: clausemill dev"

// development is what a program for servers is built without (`-tags
// production`): it signs people in without a password, runs a database, or is of
// use beside the source only.
type development struct {
	Dev   dev       `cmd:"" help:"Run all of it on this machine: API, workers and a database of its own."`
	Bench benchmark `cmd:"" help:"Measure a service of its own beside what it competes with."`
	Train train     `cmd:"" help:"Train the model that labels clauses, from annotated contracts."`
	Eval  evaluate  `cmd:"" help:"Score how well contracts are understood, from annotated ones."`
}
