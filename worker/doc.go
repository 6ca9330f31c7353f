// Package worker runs the jobs that package jobs defines: one file per kind.
//
// Jobs wait in Postgres, and any worker process may take any of them; a new worker
// only has to be started. A job is a short sequence of calls into the packages that
// compute (document, ocr, nlp, search). Its result, the next job and its own
// completion commit in one transaction. So a process may be killed at any moment,
// and the step runs again on another one.
//
// A worker whose heartbeat stops loses its jobs to the others. If it was only
// paused, its fencing token (db.Tx.Fence) keeps it from writing results.
//
// There are two lanes of child processes: jobs of a bulk import run at low
// priority, so that a single page of another team runs at the speed of an idle
// machine.
package worker
