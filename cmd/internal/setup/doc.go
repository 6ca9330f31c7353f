// Package setup ties the rooms together: it reads the configuration, opens what
// a subcommand needs and runs it until it is told to stop.
//
// The subcommands of cmd/clausemill say what runs; this package says how. It
// holds no behaviour of the service. The one rule to know: settings exist only
// here, as fields of Config. No other room reads the environment.
package setup
