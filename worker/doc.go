// Package worker does what package jobs asks for: one file per kind of job.
//
// A worker process joins the others by starting: jobs wait in Postgres, and any
// worker takes any of them. Work is a short sequence of calls into the rooms
// that think (document, ocr, nlp, search); its result, the next job and its own
// end commit in one transaction, so a process may be killed anywhere and the
// step runs again elsewhere.
//
// Two lanes of child processes stand beside each other: jobs of a bulk import
// run at low priority, so that a single page of another team runs at the speed
// of an idle machine.
package worker
