package oracles_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// python is the interpreter that LibreOffice's bindings are installed for.
const python = "/usr/bin/python3"

// need skips the test unless a command succeeds.
func need(t *testing.T, what, name string, args ...string) {
	t.Helper()
	if err := exec.CommandContext(t.Context(), name, args...).Run(); err != nil {
		t.Skip(what + " is not installed")
	}
}

// A reader gives the text of a file as another program reads it, with all tracked
// changes accepted or rejected; not ok where it reads none.
type reader func(file, view string) (text string, ok bool)

// agree holds every form of the samples against each other, all as one program
// reads them: accepting the redline gives the clean document, rejecting it gives
// the original rejected. Documents whose own tracked changes the program carries
// out in another way than we do say nothing of our changes, and may be few.
func agree(t *testing.T, all []sample, read reader) {
	t.Helper()
	same := func(name, file, view, plain string) bool {
		is, ok := read(file, view)
		was, plainOK := read(plain, "accept")
		if !ok || !plainOK {
			return false
		}
		if is = folded(is); is != folded(was) {
			t.Logf("%s %s: %s", name, view, difference(is, folded(was)))
			return false
		}
		return true
	}
	compared, odd, changes := 0, 0, 0
	for _, s := range all {
		if !same(s.name+" original", s.original, "accept", s.accepted) || !same(s.name+" original", s.original, "reject", s.rejected) {
			odd++
			continue
		}
		if same(s.name+" redline", s.redline, "accept", s.clean) && same(s.name+" redline", s.redline, "reject", s.rejected) {
			compared++
			changes += s.changes
		} else {
			t.Errorf("%s: the redline is read in another way", s.name)
		}
	}
	t.Logf("%d documents with %d changes agree; %d are read in another way as they stand", compared, changes, odd)
	require.Less(t, odd*8, len(all)+8, "too many documents say nothing")
}

// difference is the first line in which two texts differ.
func difference(is, was string) string {
	a, b := strings.Split(is, "\n"), strings.Split(was, "\n")
	for i := range max(len(a), len(b)) {
		x, y := "", ""
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return "\n\t" + brief(x) + "\n\t" + brief(y)
		}
	}
	return ""
}

func brief(text string) string {
	if runes := []rune(text); len(runes) > 200 {
		return string(runes[:200]) + "…"
	}
	return text
}

// TestRedlines has other programs accept and reject what we make.
func TestRedlines(t *testing.T) {
	t.Parallel()
	dir := judges(t)
	need(t, "python3", python, "--version")
	all := samples(t)
	t.Run("LibreOffice", func(t *testing.T) { libreOffice(t, dir, all) })
	t.Run("Pandoc", func(t *testing.T) {
		t.Parallel()
		need(t, "pandoc", "pandoc", "--version")
		all := slices.DeleteFunc(slices.Clone(all), func(s sample) bool { return s.loose })
		agree(t, all, judged(t, dir, "pandoc"))
	})
	t.Run("Rules", func(t *testing.T) {
		t.Parallel()
		agree(t, all, judged(t, dir, "rules"))
	})
	t.Run("Sound", func(t *testing.T) { sound(t, dir, all) })
}

func libreOffice(t *testing.T, dir string, all []sample) {
	t.Helper()
	t.Parallel()
	need(t, "LibreOffice", "soffice", "--version")
	need(t, "python3-uno", python, "-c", "import uno")
	all = slices.DeleteFunc(slices.Clone(all), func(s sample) bool { return s.hidden })
	o := office{script: filepath.Join(dir, "oracle.py"), texts: t.TempDir()}
	var tracked, plain []string
	for _, s := range all {
		tracked = append(tracked, s.original, s.redline)
		plain = append(plain, s.accepted, s.rejected, s.clean)
	}
	o.read(t, "accept", tracked)
	o.read(t, "reject", tracked)
	o.read(t, "none", plain)
	agree(t, all, func(file, view string) (string, bool) {
		if slices.Contains(plain, file) {
			view = "none"
		}
		text, err := os.ReadFile(o.text(file, view))
		return string(text), err == nil
	})
}

// An office is LibreOffice, asked by a script that writes texts to a directory.
type office struct{ script, texts string }

func (o office) text(file, view string) string {
	return filepath.Join(o.texts, filepath.Base(file)+"."+view+".txt")
}

// read has files read, a second time if it broke down over some.
func (o office) read(t *testing.T, view string, files []string) {
	t.Helper()
	for range 2 {
		files = slices.DeleteFunc(slices.Clone(files), func(file string) bool {
			_, err := os.Stat(o.text(file, view))
			return err == nil
		})
		if len(files) == 0 {
			return
		}
		list := filepath.Join(t.TempDir(), "list")
		require.NoError(t, os.WriteFile(list, []byte(strings.Join(files, "\n")), 0o600))
		cmd := exec.CommandContext(t.Context(), python, o.script, "--batch", list, "--out", o.texts, "--modes", view) // headers are left out: it accepts nothing there
		out, err := cmd.CombinedOutput()
		switch cmd.ProcessState.ExitCode() {
		case 0, 2: // 2: some did not load, which the missing texts tell
		case 4:
			t.Skip("LibreOffice does not start")
		default:
			require.NoError(t, err, string(out))
		}
	}
}

// judged reads by a judge.
func judged(t *testing.T, dir, name string) reader {
	t.Helper()
	j := start(t, python, filepath.Join("testdata", "judge.py"), dir)
	return func(file, view string) (string, bool) {
		var answer struct{ Text, Error string }
		j.ask(t, map[string]string{"ask": name, "file": file, "view": view}, &answer)
		return answer.Text, answer.Error == ""
	}
}

// sound finds nothing wrong in what is made that was not wrong before.
func sound(t *testing.T, dir string, all []sample) {
	t.Helper()
	t.Parallel()
	need(t, "python3-lxml", python, "-c", "import lxml")
	j := start(t, python, filepath.Join("testdata", "judge.py"), dir)
	for _, s := range all {
		for _, file := range []string{s.redline, s.clean, s.accepted, s.rejected} {
			var answer struct {
				Findings []string
				Error    string
			}
			j.ask(t, map[string]string{"ask": "check", "file": file, "base": s.original}, &answer)
			if len(answer.Findings) > 0 || answer.Error != "" {
				t.Errorf("%s: %s %s", filepath.Base(file), answer.Error, strings.Join(answer.Findings, "; "))
			}
		}
	}
}
