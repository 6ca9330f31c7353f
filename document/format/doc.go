// Package format defines what all readers of formats share: pages and their images,
// limits, and errors. File is an opened file, and Opener the function that opens one.
//
// A file beyond a limit fails with an error that names the limit; it is never
// truncated silently.
package format
