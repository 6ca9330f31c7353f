// Package setup wires the packages together: it reads the configuration, opens what
// a subcommand needs, and runs it until it is stopped.
//
// It has no behaviour of the service. Settings exist only here, as fields of Config:
// no other package reads the environment.
package setup
