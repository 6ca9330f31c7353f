package postgres

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// pidfile is what a running server says of itself in postmaster.pid.
type pidfile struct {
	pid    int
	socket string // directory of its socket
	ready  bool   // answers queries; false while it starts or stops
}

// readPidfile returns false where there is none, or none that can be read: a
// server writes it line by line while it starts.
func readPidfile(data string) (pidfile, bool) {
	text, err := os.ReadFile(pidfilePath(data))
	if err != nil {
		return pidfile{}, false
	}
	// The lines: pid, data directory, start time, port, socket directory,
	// listen address, shared memory key, status.
	lines := strings.Split(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil || pid <= 1 {
		return pidfile{}, false
	}
	p := pidfile{pid: pid}
	if len(lines) > 4 {
		p.socket = lines[4]
	}
	if len(lines) > 7 {
		p.ready = strings.TrimSpace(lines[7]) == "ready"
	}
	return p, true
}

func pidfilePath(data string) string { return filepath.Join(data, "postmaster.pid") }

// runs reports whether the process that p names is the server of data. After a
// crash or a reboot the number may belong to anything, this process included.
func (p pidfile) runs(data string) (bool, error) {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
	if err != nil || len(line) == 0 {
		return false, nil // gone, or dead and not yet waited for
	}
	args := strings.Split(string(bytes.TrimRight(line, "\x00")), "\x00")
	if filepath.Base(args[0]) != "postgres" {
		return false, nil
	}
	// A server works in its data directory, and the link follows when that is
	// renamed; but root without CAP_SYS_PTRACE may not read another user's.
	if dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", p.pid)); err == nil {
		return dir == data, nil
	}
	if slices.Contains(args, data) {
		return true, nil
	}
	return false, fmt.Errorf("process %d (%s) may be a server that uses %s: stop it first",
		p.pid, strings.Join(args, " "), data)
}

// ended waits until process pid, which need not be a child, is gone, for at most ms
// milliseconds.
func ended(pid, ms int) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("watch process %d: %w", pid, err)
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, ms)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err == nil && n == 0 {
			return fmt.Errorf("process %d does not end", pid)
		}
		return err
	}
}
