// Package formattest builds the files that tests of formats read, and asserts what
// every page that comes of one promises.
package formattest
