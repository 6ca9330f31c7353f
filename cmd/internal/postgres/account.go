package postgres

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// insideID is the id by which a server in a user namespace knows itself. Any
// but 0 will do; nothing on disk ever carries it.
const insideID = 1000

// account is who the server runs as.
type account struct {
	name      string
	uid, gid  int  // owner of the cluster's files, as this process sees it
	drop      bool // change to uid and gid before the program starts
	namespace bool // stay who we are, but look unprivileged from inside
}

// chooseAccount returns the first account that can run the server in dir.
func chooseAccount(p programs, dir string) (account, error) {
	var refused []string
	for _, a := range candidates(os.Geteuid()) {
		err := a.try(p, dir)
		if err == nil {
			return a, nil
		}
		refused = append(refused, fmt.Sprintf("%s: %v", a.name, err))
	}
	if os.Geteuid() != 0 {
		return account{}, fmt.Errorf("cannot run Postgres in %s: %s", dir, strings.Join(refused, "; "))
	}
	return account{}, fmt.Errorf("cannot run Postgres in %s, and it refuses to run as root (%s): "+
		"use a data directory whose parents everybody may search (chmod o+x, or CLAUSEMILL_DATA_DIR), run as an ordinary user, "+
		"or allow user namespaces (sysctl user.max_user_namespaces and kernel.unprivileged_userns_clone; "+
		"in a container --security-opt seccomp=unconfined)", dir, strings.Join(refused, "; "))
}

// candidates lists the accounts to try for a process of uid, best first.
// The namespace comes last because container runtimes often forbid it; it is
// what remains when the directory lies under a home that only root may enter.
func candidates(uid int) []account {
	if uid != 0 {
		return []account{{name: "this user", uid: uid, gid: os.Getegid()}}
	}
	var all []account
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(u.Uid)
		gid, gidErr := strconv.Atoi(u.Gid)
		if uidErr == nil && gidErr == nil {
			all = append(all, account{name: "user " + name, uid: uid, gid: gid, drop: true})
		}
	}
	return append(all, account{name: "a user namespace", gid: os.Getegid(), namespace: true})
}

// try runs the smallest program there is in dir: the system itself then checks
// each parent directory, whatever permissions, ACLs or policies it goes by.
func (a account) try(p programs, dir string) error {
	return a.command(p, dir, "postgres", "--version").Run()
}

// command prepares a server program to run as a in dir. The environment is
// fixed: PGPORT, PGDATA and a foreign locale must not reach the server.
func (a account) command(p programs, dir, program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(p.bin, program), args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + p.bin + ":/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	switch {
	case a.drop:
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	case a.namespace:
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: insideID, HostID: a.uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: insideID, HostID: a.gid, Size: 1}}
	}
	return cmd
}

// own gives dir and all in it to a. A cluster may change accounts between two
// starts, when its directory moved.
func (a account) own(dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) == a.uid && int(stat.Gid) == a.gid {
			return nil
		}
		return os.Lchown(path, a.uid, a.gid)
	})
}
