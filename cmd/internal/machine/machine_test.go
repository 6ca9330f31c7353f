package machine

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	v2Mount = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
	v1Mount = "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n" +
		"35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
)

func TestWithin(t *testing.T) {
	t.Parallel()

	const gib = 1 << 30
	node := Limits{CPUs: 64, Memory: 256 * gib}
	for name, tt := range map[string]struct {
		mounts, groups string
		files          map[string]string // below /sys/fs/cgroup
		want           Limits
	}{
		"NoCgroups": {want: node},
		"Unlimited": {
			mounts: v2Mount, groups: "0::/user.slice\n",
			files: map[string]string{"user.slice/cpu.max": "max 100000\n", "user.slice/memory.max": "max\n"},
			want:  node,
		},
		"Container": {
			mounts: v2Mount, groups: "0::/\n",
			files: map[string]string{"cpu.max": "200000 100000\n", "memory.max": "2147483648\n"},
			want:  Limits{CPUs: 2, Memory: 2 * gib, LimitedCPUs: true, LimitedMemory: true},
		},
		"HalfAProcessor": {
			mounts: v2Mount, groups: "0::/\n",
			files: map[string]string{"cpu.max": "50000 100000\n"},
			want:  Limits{CPUs: 1, Memory: node.Memory, LimitedCPUs: true},
		},
		"LimitsOfThoseAbove": {
			mounts: v2Mount, groups: "0::/pods/one/app\n",
			files: map[string]string{
				"pods/memory.max": "4294967296", "pods/one/memory.max": "1073741824", "pods/one/app/memory.max": "max",
				"pods/cpu.max": "150000 100000", "pods/one/app/cpu.max": "800000 100000",
				"other/memory.max": "1",
			},
			want: Limits{CPUs: 2, Memory: gib, LimitedCPUs: true, LimitedMemory: true},
		},
		"PartOfTheTree": { // as in a container that shares the names of its host
			mounts: "30 23 0:26 /docker/a\\040b /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n", groups: "0::/docker/a b/init\n",
			files: map[string]string{"init/memory.max": "max", "memory.max": "1073741824"},
			want:  Limits{CPUs: 64, Memory: gib, LimitedMemory: true},
		},
		"OutsideOfWhatIsSeen": {
			mounts: v2Mount, groups: "0::/../elsewhere\n",
			files: map[string]string{"memory.max": "1073741824"},
			want:  Limits{CPUs: 64, Memory: gib, LimitedMemory: true},
		},
		"Version1": {
			mounts: v1Mount, groups: "4:memory:/docker/x\n2:cpu,cpuacct:/docker/x\n0::/\n",
			files: map[string]string{
				"memory/docker/x/memory.limit_in_bytes": "9223372036854771712", "memory/docker/memory.limit_in_bytes": "3221225472",
				"cpu,cpuacct/docker/x/cpu.cfs_quota_us": "300000", "cpu,cpuacct/docker/x/cpu.cfs_period_us": "100000",
				"cpu,cpuacct/docker/cpu.cfs_quota_us": "-1", "cpu,cpuacct/docker/cpu.cfs_period_us": "100000",
			},
			want: Limits{CPUs: 3, Memory: 3 * gib, LimitedCPUs: true, LimitedMemory: true},
		},
		"NoWayOut": {
			mounts: v2Mount, groups: "0::/a/../../../../etc\n",
			files: map[string]string{"memory.max": "1073741824"},
			want:  Limits{CPUs: 64, Memory: gib, LimitedMemory: true},
		},
		"Nonsense": {
			mounts: "x - cgroup2\n1 2 3 4 5 - cgroup2 a\n" + v2Mount, groups: "\n::\n0:\n0::relative\n0::/\n",
			files: map[string]string{"cpu.max": "NaN 0", "memory.max": "-1"},
			want:  node,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			write := func(name, text string) {
				path := filepath.Join(root, name)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
				require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			}
			write("proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"+tt.mounts)
			write("proc/self/cgroup", tt.groups)
			for name, text := range tt.files {
				write(filepath.Join("sys/fs/cgroup", name), text)
			}
			require.Equal(t, tt.want, node.within(root))
		})
	}
}

func TestOwn(t *testing.T) {
	t.Parallel()

	own := Own()
	require.Positive(t, own.CPUs)
	require.LessOrEqual(t, own.CPUs, runtime.NumCPU())
	require.Positive(t, own.Memory)
}

// FuzzWithin holds that no file makes it fail or leave nothing.
func FuzzWithin(f *testing.F) {
	f.Add(v2Mount, "0::/a\n", "200000 100000", "1024")
	f.Add(v2Mount, "0::/a/../../..\n", "max 100000", "max")
	f.Add(v1Mount, "4:memory:/a\n", "-1", "max")
	f.Fuzz(func(t *testing.T, mounts, own, cpu, memory string) {
		root := t.TempDir()
		for name, text := range map[string]string{
			"proc/self/mountinfo": mounts, "proc/self/cgroup": own,
			"sys/fs/cgroup/cpu.max": cpu, "sys/fs/cgroup/memory.max": memory,
		} {
			path := filepath.Join(root, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		}
		for _, dir := range groups(root) {
			require.True(t, strings.HasPrefix(dir, root), dir)
		}
		require.Positive(t, Limits{CPUs: 4}.within(root).CPUs)
	})
}
