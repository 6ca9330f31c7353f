package blobtest

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What S3 is asked with.
const (
	AccessKey = "clausemill"
	SecretKey = "clausemill-of-tests"
	Bucket    = "contracts"
)

// programVariable names versitygw; testenv sets it where `make test` has built it.
const programVariable = "S3_TEST_PROGRAM"

// S3 starts a real S3 server with one bucket until the test ends, and returns where
// it answers and the directory of the bucket's objects. The test skips where there
// is no such server.
func S3(t testing.TB) (address, dir string) {
	t.Helper()
	program := os.Getenv(programVariable)
	if program == "" {
		t.Skip("there is no S3 server: " + programVariable + " names none (scripts/build-s3.sh builds it, testenv names it)")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address = free.Addr().String()
	require.NoError(t, free.Close())
	home := t.TempDir()
	buckets, dir := filepath.Join(home, "buckets"), filepath.Join(home, "buckets", Bucket)
	require.NoError(t, os.MkdirAll(dir, 0o700))
	sidecar := filepath.Join(home, "metadata") // not every file system of a test has attributes
	require.NoError(t, os.Mkdir(sidecar, 0o700))
	log, err := os.Create(filepath.Join(home, "log"))
	require.NoError(t, err)
	defer log.Close()

	server := exec.Command(program, "--port", address, "--keep-alive", "--quiet", "posix", "--sidecar", sidecar, buckets)
	server.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+AccessKey, "ROOT_SECRET_KEY="+SecretKey)
	server.Dir, server.Stdout, server.Stderr = home, log, log
	server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started, ended := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // Pdeathsig comes at the end of the thread that forked
		err := server.Start()
		started <- err
		if err == nil {
			_ = server.Wait() // it is killed
		}
		close(ended)
	}()
	require.NoError(t, <-started)
	t.Cleanup(func() {
		_ = server.Process.Kill() // it may have ended
		<-ended
		if t.Failed() {
			said, _ := os.ReadFile(log.Name()) // what can be read of it
			t.Logf("the S3 server said:\n%s", said)
		}
	})
	require.Eventually(t, func() bool {
		response, err := http.Get("http://" + address)
		return err == nil && response.Body.Close() == nil
	}, time.Minute, 20*time.Millisecond, "the S3 server does not answer")
	return address, dir
}

// BlobURL is how the bucket is opened that S3 has, at an address that leads to it.
func BlobURL(address string) string {
	return "s3://" + Bucket + "?region=us-east-1&use_path_style=true&endpoint=http://" + address
}
