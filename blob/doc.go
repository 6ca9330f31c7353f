// Package blob keeps the original bytes of files, on disk or in S3.
//
// A key belongs to one file and is written once, before the row of the file or of
// its version commits: a row without bytes cannot exist, and bytes without a row
// are swept later. A write that returns nil is durable.
//
// Engines are gocloud.dev's; this room adds the hash taken on the way, the
// fsync that a 2xx promises, and a local path for readers that need one.
package blob
