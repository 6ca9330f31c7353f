// Package machine returns how much of the machine this process may use: its processors
// and its memory, or the limits of a container.
//
// A limit may be set on any cgroup above a process, so all visible ones are read, of
// cgroups v1 and v2.
package machine
