// Package trace records what happens to a request in all processes that it
// comes through, as spans of OpenTelemetry.
//
// A trace begins where a Tracer is told of a request or of a job, and goes on in
// whatever has its context: Start adds a span to the trace of a context, and does
// nothing where there is none. So only the rooms in which traces begin are given a
// Tracer, and without one nothing is recorded and nothing is written beside jobs.
//
// Spans are read by people who may see no contract. Their names, attributes and
// errors are therefore from closed sets (attributes.go): codes, counts, numbers of
// pages; no names of files, no paths, no words of a query, no text of an error.
//
// The package knows the interface of OpenTelemetry only. What records spans and
// where they are sent is set up by cmd.
package trace
