package machine

import (
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// Limits is what a process may use.
type Limits struct {
	CPUs   int    // processors, 1 at least; part of one counts as one
	Memory uint64 // bytes; 0 where that cannot be told

	// What a cgroup leaves, where that is less than there is.
	LimitedCPUs, LimitedMemory bool
}

// Own is what this process may use.
func Own() Limits {
	l := Limits{CPUs: runtime.GOMAXPROCS(0)} // knows affinity, and who set it
	var machine syscall.Sysinfo_t
	if syscall.Sysinfo(&machine) == nil {
		l.Memory = machine.Totalram * uint64(machine.Unit)
	}
	return l.within("/")
}

// within narrows l to what the cgroups allow that can be seen below root, which
// is / but in tests.
func (l Limits) within(root string) Limits {
	for _, dir := range groups(root) {
		// The runtime looks as well, but counts no less than two.
		for _, quota := range []float64{
			ratio(dir, "cpu.max", ""),
			ratio(dir, "cpu.cfs_quota_us", "cpu.cfs_period_us"),
		} {
			if n := max(1, int(math.Ceil(quota))); quota > 0 && n < l.CPUs {
				l.CPUs, l.LimitedCPUs = n, true
			}
		}
		for _, name := range []string{"memory.max", "memory.limit_in_bytes"} {
			n, err := strconv.ParseUint(read(dir, name), 10, 64) // not "max"
			if err == nil && (l.Memory == 0 || n < l.Memory) {
				l.Memory, l.LimitedMemory = n, true
			}
		}
	}
	return l
}

// ratio is the first of two numbers by the second: both in one file, as version 2
// has them, or each in its own. It is 0 where there is no limit.
func ratio(dir, file, by string) float64 {
	numbers := strings.Fields(read(dir, file) + " " + read(dir, by))
	if len(numbers) != 2 {
		return 0
	}
	part, err := strconv.ParseFloat(numbers[0], 64) // "max" in version 2, -1 in version 1
	whole, wholeErr := strconv.ParseFloat(numbers[1], 64)
	if err != nil || wholeErr != nil || !(part > 0 && whole > 0) {
		return 0
	}
	return part / whole
}

// read is the text of a file without white space around it; none where there is
// no such file.
func read(dir, name string) string {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// groups lists the directories of the cgroups that this process is in, and of
// those above them as far as they are mounted here.
func groups(root string) []string {
	var dirs []string
	own := ownGroups(root)
	for line := range strings.Lines(read(root, "proc/self/mountinfo")) {
		// 36 35 98:0 /root /mount/point rw,noatime shared:1 - cgroup cgroup rw,memory
		before, after, _ := strings.Cut(line, " - ")
		mount, kind := strings.Fields(before), strings.Fields(after)
		if len(mount) < 5 || len(kind) < 3 {
			continue
		}
		var group string
		var found bool
		switch kind[0] {
		case "cgroup2":
			group, found = own[""]
		case "cgroup":
			for controller := range strings.SplitSeq(kind[2], ",") {
				if controller == "cpu" || controller == "memory" {
					group, found = own[controller]
				}
			}
		}
		if !found {
			continue
		}
		top := filepath.Join(root, unescape.Replace(mount[4]))
		// A container may see a part of the tree only, and be told a place in the
		// whole, or one outside of what it sees.
		below := strings.TrimPrefix(group, strings.TrimSuffix(unescape.Replace(mount[3]), "/"))
		for dir := filepath.Join(top, path.Clean("/"+below)); ; dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
			if dir == top {
				break
			}
		}
	}
	return dirs
}

// ownGroups is where this process is in the tree of each controller of version
// 1, and under "" in that of version 2.
func ownGroups(root string) map[string]string {
	own := map[string]string{}
	for line := range strings.Lines(read(root, "proc/self/cgroup")) {
		// 4:cpu,cpuacct:/path
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, path, ok := strings.Cut(rest, ":")
		if !ok || !strings.HasPrefix(path, "/") {
			continue
		}
		for controller := range strings.SplitSeq(controllers, ",") {
			own[controller] = path
		}
	}
	return own
}

// unescape undoes how mountinfo writes what separates its fields.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
