// Package machine tells how much of the machine this process may use: its
// processors and its memory, or what a container leaves of them.
//
// The one rule to know: a limit may be set on any cgroup above a process, so all
// that can be seen are read, of either version.
package machine
