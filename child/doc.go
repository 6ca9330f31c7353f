// Package child runs work that may crash, hang or use too much memory in
// supervised child processes: native code, sandboxes, third-party programs.
//
// A Pool keeps up to Size children, gives each one request at a time and reuses
// them. If a child fails (time limit, memory limit, crash, cancelled caller), its
// whole process group is killed at once, and only the request that it was working
// on fails. Serve is the loop that runs in the child.
//
// What a request means is up to the callers, and so is what a dead child means for
// its input. A child's standard output belongs to the protocol, its standard error
// to the log, and its environment is only Config.Env. The package needs Linux.
package child
