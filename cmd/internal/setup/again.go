package setup

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// leftBehind is a variable of the environment by which Again says to the program it
// loads that children were left to it.
const leftBehind = "CLAUSEMILL_LEFT_BEHIND"

// Again loads this program anew in place of the process that runs, with the same
// arguments, environment and process id: whoever supervises it notices nothing, and
// nobody has to. All that was in memory is gone at once, open connections are, and
// children die with the threads that started them. It returns only where it failed.
func Again() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return syscall.Exec(self, os.Args, append(os.Environ(), leftBehind+"=1")) //nolint:gosec // as it was started
}

// Reap waits for the children that Again left to this process, so that they do not
// stay in the table of processes. It is called before any others are started, and does
// nothing in a process that began otherwise: whoever started children there waits for
// them.
func Reap() {
	if os.Getenv(leftBehind) == "" {
		return
	}
	os.Unsetenv(leftBehind)
	lists, _ := filepath.Glob("/proc/self/task/*/children") // the pattern is well formed
	for _, list := range lists {
		text, _ := os.ReadFile(list) // else nothing is known of any
		for _, field := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				continue
			}
			go func() {
				for {
					if _, err := syscall.Wait4(pid, nil, 0, nil); err != syscall.EINTR {
						return
					}
				}
			}()
		}
	}
}
