// Package thirdparty says what of others is in the programs that are released, and
// under which licences.
//
// Modules are what the compiler takes, and their licences are read beside their
// source. What modules hold as bytes (pdfium, as WebAssembly; the pages of River UI,
// as scripts) has no licence there: parts/ has it, under the version of the module
// that it was looked up for. With another version nothing is told until somebody has
// looked again. What the console holds is in the lock file of npm.
package thirdparty
