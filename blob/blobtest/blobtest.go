// Package blobtest gives tests of full disks a small one, and tests of buckets a
// real S3 server.
package blobtest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Disk is a directory with room for so many bytes. Only root can make one; the
// tests of others skip.
func Disk(t testing.TB, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=0777,size="+size); err != nil {
		t.Skip("cannot mount a small disk: ", err)
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return dir
}

// Fill takes all the room that is left in dir, until the function it returns is
// called.
func Fill(t testing.TB, dir string) (release func()) {
	t.Helper()
	path := filepath.Join(dir, "ballast")
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	for chunk := bytes.Repeat([]byte{1}, 64<<10); len(chunk) > 0; {
		if _, err := f.Write(chunk); err != nil {
			require.ErrorIs(t, err, unix.ENOSPC)
			chunk = chunk[:len(chunk)/2]
		}
	}
	return func() { require.NoError(t, os.Remove(path)) }
}
