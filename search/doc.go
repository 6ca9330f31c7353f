// Package search is the full-text search for sentences and files, with two engines:
// Postgres and Meilisearch.
//
// Postgres is always there: its index is part of the rows, so what is committed is
// searchable. Meilisearch answers if it is configured, and Postgres is the fallback
// while it is down, and for queries that it cannot answer. Both pass the same tests.
//
// Meilisearch returns ids only. The name, page, text and label of a hit are read from
// the database by its id and for the caller's team. So a stale entry can cost a hit,
// but never shows what is gone or not the caller's.
//
// SQL is db's, when to index is worker's, and HTTP is api's.
package search
