// Package search finds sentences and files: one question, two engines.
//
// Postgres answers everywhere: its index is part of the rows, so what is
// committed can be found. Meilisearch answers where one is configured, and
// Postgres stands in for it while it is down. Both pass the same tests.
//
// Meilisearch only finds. What a hit says (name, page, text, label) is read from
// the database by its id and for the caller's team, so a stale entry can cost a
// hit and never show what is not there or not the caller's.
//
// SQL is db's; when to index, and what an answer looks like on the wire, is for
// worker and api. Nothing here knows HTTP.
package search
