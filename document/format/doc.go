// Package format is what every format comes to: pages, pictures of them, the
// limits of one file, and the faults that all have in common. File is what a room
// makes of an opened file, Opener how it is asked to.
//
// The one rule to know: a file beyond a limit fails by its name, and is never cut
// short in silence.
package format
