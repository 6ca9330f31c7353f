// Package ocrtest makes scans with known text and measures how well and how
// cheaply they are read. Tests and benchmarks of recognition share it; no
// program does.
//
// The pages are those of PDFs with a text layer, drawn by poppler as a clean
// scan would show them; Degrade then does to them what offices do.
package ocrtest
