// Package jobs says what can be asked for: the arguments of every job, its
// queue and its uniqueness. It has no behaviour; worker does the work.
//
// A job is inserted in the transaction of the row it is about, always. Its
// arguments are its identity: a second request for the same step of the same
// attempt is the same job, so no caller can ask twice.
//
// Bulk work waits for its team's turn: it is inserted as pending, and the
// workers admit pending jobs team by team. Work of a team that has little under
// way goes to queues of its own and starts at once.
package jobs
