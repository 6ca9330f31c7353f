// Package jobs defines the background jobs: the arguments, the queue and the
// uniqueness of each. It has no behaviour; package worker runs them.
//
// A job is always inserted in the transaction of the row it is about. Its
// arguments are its identity: a second request for the same step of the same
// attempt is the same job, and nothing is enqueued twice.
//
// Scheduling is fair between teams. A bulk job is inserted as pending, and the
// workers admit pending jobs from the team with the fewest admitted ones (see
// db.Admit). A team with few running jobs skips this: its jobs go to queues of
// their own and start at once.
package jobs
