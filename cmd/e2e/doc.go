// Package e2e tests the whole service as its users meet it: the real programs
// in processes of their own, a real Postgres, and nothing but HTTP in between.
//
// What one room can prove is proved there. Here is what only the whole can show:
// that nothing is lost or done twice while processes are killed at random, that
// hostile files cost an error and never a worker, that a cancelled file stops
// costing CPU, that one team's import does not hold up another team.
//
// The rule to know: tests look into the database to check what must hold in it,
// and to set up what would take too long over HTTP, but never to help the
// service along. The long versions have Make targets of their own.
package e2e
