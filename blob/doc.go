// Package blob stores the original bytes of files, on disk or in S3.
//
// A key belongs to one file and is written once, before the row of the file or of
// its version commits: a row without bytes cannot exist, and bytes without a row
// are swept later. A write that returns nil is durable.
//
// The drivers are those of gocloud.dev. This package adds the hash, the fsync
// before an upload is acknowledged, a mark that tells installations apart, and
// local paths for readers that need them: copies of what is in a bucket, fetched
// once for many readers.
package blob
