package e2e_test

import (
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// home is a directory in which `clausemill dev` keeps everything.
type home struct {
	t       testing.TB
	dir     string
	address string
	as      *syscall.Credential // nil for who runs the test
}

func newHome(t testing.TB, as *syscall.Credential) *home {
	t.Helper()
	dir, err := openDir("clausemill-e2e-dev-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if as != nil {
		require.NoError(t, os.Chown(dir, int(as.Uid), int(as.Gid)))
	} else {
		linkCache(t, filepath.Join(dir, "data"))
	}
	return &home{t: t, dir: dir, address: freeAddress(t), as: as}
}

// dev starts all of it and returns once it is ready.
func (h *home) dev(settings ...string) *process {
	h.t.Helper()
	p := startAs(h.t, h.as, h.dir, append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + h.dir, "CLAUSEMILL_DATA_DIR=" + filepath.Join(h.dir, "data"), "CLAUSEMILL_ADDR=" + h.address,
		"CLAUSEMILL_OCR=" + ocrProgram, "CLAUSEMILL_OCR_SLOTS=1", "CLAUSEMILL_TEXT_SLOTS=1", "CLAUSEMILL_RATE_LIMIT=10000000", "CLAUSEMILL_LOG_LEVEL=warn",
	}, settings...), devProgram, "dev")
	require.Eventually(h.t, func() bool { return !p.running() || ready(h.address) }, time.Minute, 20*time.Millisecond)
	require.True(h.t, p.running(), p.said(4<<10))
	return p
}

// caller has the key that dev has made.
func (h *home) caller() *caller {
	h.t.Helper()
	var key []byte
	require.Eventually(h.t, func() bool {
		var err error
		key, err = os.ReadFile(filepath.Join(h.dir, "data", "dev-key"))
		return err == nil && len(key) > 0
	}, 10*time.Second, 20*time.Millisecond)
	return newCaller(h.t, h.address, http.Header{"Authorization": {"Bearer " + strings.TrimSpace(string(key))}})
}

// ours lists the processes that work in the directory, whoever their parent is.
func (h *home) ours() []stat {
	var found []stat
	for _, s := range processes() {
		if strings.Contains(s.arguments, h.dir) {
			found = append(found, s)
		}
	}
	return found
}

// nobody is an ordinary user, or nil where the test runs as one.
func nobody(t *testing.T) *syscall.Credential {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	u, err := user.Lookup("nobody")
	if err != nil {
		t.Skip("there is no user nobody")
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	require.NoError(t, err)
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	require.NoError(t, err)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func TestDev(t *testing.T) {
	for name, as := range map[string]*syscall.Credential{"AsWhoever": nil, "AsOrdinaryUser": nobody(t)} {
		t.Run(name, func(t *testing.T) { goesOn(t, as) })
	}
}

// goesOn ends dev in the middle of its work, first well and then badly, and
// finds the work done in the end.
func goesOn(t *testing.T, as *syscall.Credential) {
	t.Helper()
	h := newHome(t, as)
	p := h.dev()
	c := h.caller()
	note := c.upload(upload{"note.txt", []byte("The Tenant shall pay the rent.")})
	require.Equal(t, "completed", c.wait(note.ID, time.Minute).Status)

	// Ctrl-C: what runs may end, and nothing is left.
	f := c.upload(longScan(t))
	c.follow(f.ID, func(now file) bool { return now.Pages.Done > 0 })
	children := p.children()
	require.NotEmpty(t, children)
	p.signal(syscall.SIGINT)
	p.ends(time.Minute)
	require.Contains(t, []int{0, 130}, p.cmd.ProcessState.ExitCode(), p.said(4<<10))
	requireGone(t, children)
	require.Empty(t, h.ours())

	// The power fails: everything goes at once.
	p = h.dev()
	again := c.get("/api/files/" + f.ID).file(t).Pages.Done
	c.follow(f.ID, func(now file) bool { return now.Pages.Done > again })
	children = p.children()
	for _, s := range append(children, h.ours()...) {
		_ = syscall.Kill(s.pid, syscall.SIGKILL)
	}
	p.kill()
	requireGone(t, children)

	p = h.dev()
	require.Equal(t, "completed", c.wait(f.ID, 3*time.Minute).Status)
	require.Equal(t, "completed", c.get("/api/files/"+note.ID).file(t).Status)
	require.Len(t, c.list(), 2)
	p.signal(syscall.SIGINT)
	p.ends(time.Minute)
	require.Empty(t, h.ours())
}
