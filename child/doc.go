// Package child runs work that may crash, hang or bloat in supervised child
// processes: native code, sandboxes, other people's programs.
//
// A Pool keeps up to Size children, gives each one request at a time and uses
// them again. Whatever goes wrong with a child (time limit, memory limit, a
// crash, a cancelled caller) ends its whole process group at once and costs
// the one request it was working on. Serve is the other end of the pipe.
//
// What a request means is left to the callers, and so is every judgement of
// what a dead child says about the input. The rule to know: a child's standard
// output belongs to the protocol, its standard error to the log, and its
// environment is only what Config.Env gives it. The room needs Linux.
package child
