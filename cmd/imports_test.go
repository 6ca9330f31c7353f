package cmd_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/clausemill/clausemill"

// rooms is the map of the house: which rooms each room may open a door to. What
// is below a room (db/dbtest, ocr/tesseract) may do what the room may, and open
// the room itself. The rooms of nlp and document are on the map one by one: others
// come in by the front, nlp or document itself.
var rooms = map[string]string{
	// Vocabularies and pure rooms.
	"docx":    "fault",
	"fault":   "",
	"layout":  "",
	"nlp":     "nlp/doctype nlp/fact nlp/field nlp/label nlp/learn nlp/lex nlp/likeness nlp/link nlp/structure nlp/value",
	"sheet":   "",
	".":       "", // the plate at the door: which release this is
	"corpus":  "nlp",
	"answer":  "nlp query",
	"query":   "fault nlp",
	"redline": "docx fault",
	"sfdt":    "docx fault redline",
	"flag":    "",
	"web":     "", // knows the wire only, in its own language

	// What nlp is made of, each above what it opens.
	"nlp/lex":       "",
	"nlp/structure": "nlp/lex",
	"nlp/link":      "nlp/lex nlp/structure",
	"nlp/value":     "nlp/lex",
	"nlp/fact":      "nlp/lex nlp/link nlp/structure nlp/value",
	"nlp/learn":     "",
	"nlp/label":     "nlp/fact nlp/learn nlp/lex nlp/structure nlp/value",
	"nlp/doctype":   "nlp/fact nlp/learn nlp/lex nlp/structure nlp/value",
	"nlp/field":     "nlp/learn nlp/lex nlp/structure nlp/value",
	"nlp/likeness":  "nlp/lex nlp/structure",
	"nlp/score":     "nlp nlp/learn",
	"nlp/nlptest":   "nlp/fact nlp/lex nlp/link nlp/structure nlp/value",

	"answer/score": "answer nlp nlp/learn nlp/score",

	// Engines, one each.
	"blob":     "fault",
	"child":    "fault trace",
	"document": "child docx fault layout document/archive document/format document/office document/pdf document/picture document/raster document/sniff trace",
	"ocr":      "child fault layout trace",
	"model":    "db fault nlp",
	"draft":    "blob db document docx fault layout",
	"search":   "db fault nlp query trace",
	"webhook":  "fault trace",
	"llm":      "trace",
	"trace":    "fault",

	// What document is made of, each above what it opens.
	"document/format":       "fault layout",
	"document/raster":       "",
	"document/archive":      "fault document/format",
	"document/sniff":        "fault document/archive document/format",
	"document/pdf":          "fault layout document/format document/raster",
	"document/picture":      "fault layout document/format document/raster",
	"document/office":       "docx fault layout document/archive document/format document/sniff",
	"document/formattest":   "fault layout document/format",
	"document/documenttest": "",

	// State.
	"db":   "fault layout query trace",
	"jobs": "trace",
	"auth": "db fault",

	// The two that act: one answers, one works. Neither knows the other.
	"api":    "answer auth blob corpus db document docx draft fault flag jobs layout llm model nlp query redline search sfdt sheet trace webhook",
	"worker": "blob corpus db document docx draft fault jobs layout model nlp ocr redline search sfdt trace webhook",

	// Outside: it knows the wire only.
	"clients/go": "",
}

// fronts are the rooms that others import in place of the rooms below them, which
// are on the map one by one.
var fronts = []string{"document", "nlp"}

// keepers names the only rooms that may import a dependency directly. Whoever
// wants to replace one looks there and nowhere else.
var keepers = map[string]string{
	"github.com/alecthomas/kong":        "cmd",
	"github.com/aws/aws-sdk-go-v2":      "blob",
	"github.com/beevik/etree":           "document",
	"github.com/danielgtaylor/huma":     "api",
	"github.com/go-chi/chi":             "api",
	"github.com/jackc/pgx":              "db jobs worker cmd",
	"github.com/klippa-app/go-pdfium":   "document/pdf",
	"github.com/meilisearch":            "search",
	"github.com/otiai10/gosseract":      "ocr/tesseract",
	"github.com/pdfcpu/pdfcpu":          "document/formattest",
	"github.com/pressly/goose":          "db",
	"github.com/prometheus":             "api worker cmd",
	"github.com/riverqueue/river":       "db jobs worker cmd",
	"github.com/tetratelabs/wazero":     "document/pdf",
	"gocloud.dev":                       "blob",
	"riverqueue.com/riverui":            "api",
	"github.com/coreos/go-oidc":         "auth",
	"github.com/zitadel/oidc":           "cmd",
	"go.opentelemetry.io":               "trace cmd",
	"golang.org/x/oauth2":               "auth",
	"github.com/clipperhouse/uax29":     "nlp/lex",
	"github.com/blevesearch/snowball":   "nlp/lex",
	"github.com/abadojack/whatlanggo":   "nlp/lex",
	"github.com/johannesboyne/gofakes3": "blob",
}

// pure rooms neither wait nor reach out: they get bytes and give values.
var pure = []string{"answer", "corpus", "docx", "fault", "flag", "layout", "nlp", "query", "redline", "sfdt", "sheet"}

// programs tie rooms together, or measure them: they may open every door.
var programs = []string{"cmd", "bench"}

// pkg is what `go list` says of a package.
type pkg struct {
	ImportPath                string
	Imports                   []string
	TestImports, XTestImports []string
}

func (p pkg) room() string { return roomOf(p.name()) }

// roomOf returns the innermost room on the map that a package is in, or else the
// outermost directory.
func roomOf(name string) string {
	for strings.Contains(name, "/") {
		if _, ok := rooms[name]; ok {
			break
		}
		name = path.Dir(name)
	}
	return name
}

func (p pkg) name() string {
	if p.ImportPath == module {
		return "."
	}
	return strings.TrimPrefix(p.ImportPath, module+"/")
}

func (p pkg) program() bool { return slices.Contains(programs, p.room()) }

// forTests reports whether a package of ours exists for tests only. Its name
// says so: db/dbtest.
func forTests(path string) bool {
	return strings.HasPrefix(path, module) && strings.HasSuffix(path, "test")
}

func packages(t *testing.T) []pkg {
	t.Helper()

	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = ".."
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	require.NoError(t, err, complaints.String())
	var all []pkg
	lines := json.NewDecoder(bytes.NewReader(out))
	for {
		var p pkg
		err := lines.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, p)
	}
}

func TestEveryRoomIsOnTheMap(t *testing.T) {
	t.Parallel()

	found := map[string]bool{}
	for _, p := range packages(t) {
		found[p.room()] = true
		if !p.program() {
			require.Contains(t, rooms, p.room(), "a room that is not on the map")
			require.False(t, slices.Contains(fronts, p.room()) && p.name() != p.room(), "%s is a room of %s that is not on the map", p.name(), p.room())
		}
	}
	for room := range rooms {
		require.Contains(t, found, room, "a room that is only on the map")
	}
}

func TestRoomsOpenOnlyTheirDoors(t *testing.T) {
	t.Parallel()

	for _, p := range packages(t) {
		if p.program() {
			continue
		}
		allowed := strings.Fields(rooms[p.room()])
		check := func(imports []string, testing bool) {
			for _, imported := range imports {
				other, ours := strings.CutPrefix(imported, module+"/")
				if !ours || testing && forTests(imported) {
					continue
				}
				other = roomOf(other)
				if other != p.room() && !slices.Contains(allowed, other) || forTests(imported) {
					t.Errorf("%s may not import %s", p.name(), imported)
				}
			}
		}
		check(p.Imports, forTests(p.ImportPath))
		check(p.TestImports, true)
		check(p.XTestImports, true)
	}
}

var update = flag.Bool("update", false, "draw the rooms in docs/architecture.md anew")

// TestPicture draws the rooms and their arrows in the documentation, those of each
// front in a picture of their own, without the arrows that a longer way of them implies.
func TestPicture(t *testing.T) {
	t.Parallel()

	const file = "../docs/architecture.md"
	var leads func(from, to string) bool // over one arrow at least
	leads = func(from, to string) bool {
		return slices.ContainsFunc(strings.Fields(rooms[from]), func(next string) bool { return next == to || leads(next, to) })
	}
	frontOf := func(room string) string {
		front, _, _ := strings.Cut(room, "/")
		if !slices.Contains(fronts, front) {
			return ""
		}
		return front
	}
	pictures := map[string]*strings.Builder{"": {}}
	for _, front := range fronts {
		pictures[front] = &strings.Builder{}
	}
	draw := func(front, room string, allowed []string) {
		arrows := slices.DeleteFunc(slices.Clone(allowed), func(to string) bool {
			return to == "fault" || to == "trace" || slices.ContainsFunc(allowed, func(other string) bool { return leads(other, to) })
		})
		line := "    " + room
		if len(arrows) > 0 {
			line += " --> " + strings.Join(arrows, " & ")
		}
		if front != "" {
			line = strings.ReplaceAll(line, front+"/", "")
		}
		fmt.Fprintln(pictures[front], line)
	}
	for _, room := range slices.Sorted(maps.Keys(rooms)) {
		if room == "fault" || room == "trace" || room == "." || forTests(module+"/"+room) {
			continue
		}
		front := frontOf(room)
		var inside, outside []string
		for _, to := range strings.Fields(rooms[room]) {
			if front != "" && frontOf(to) == front {
				inside = append(inside, to)
			} else {
				outside = append(outside, to)
			}
		}
		if front != "" {
			draw(front, room, inside)
		}
		if front == "" || room == front {
			draw("", room, outside)
		}
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for front, picture := range pictures {
		name := "rooms"
		if front != "" {
			name += " of " + front
		}
		begin, end := "    %% "+name+"\n", "    %% end of "+name+"\n"
		before, rest, found := strings.Cut(string(text), begin)
		require.True(t, found)
		drawn, after, found := strings.Cut(rest, end)
		require.True(t, found)
		if *update {
			text = []byte(before + begin + picture.String() + end + after)
			continue
		}
		require.Equal(t, picture.String(), drawn, "go test ./cmd -run TestPicture -update draws it anew")
	}
	if *update {
		require.NoError(t, os.WriteFile(file, text, 0o600))
	}
}

func TestDependenciesStayWithTheirKeepers(t *testing.T) {
	t.Parallel()

	for _, p := range packages(t) {
		for _, imported := range p.Imports {
			for dependency, names := range keepers {
				if !strings.HasPrefix(imported, dependency) {
					continue
				}
				keeps := slices.ContainsFunc(strings.Fields(names), func(keeper string) bool {
					return p.name() == keeper || strings.HasPrefix(p.name(), keeper+"/")
				})
				if !keeps && !p.program() && !forTests(p.ImportPath) {
					t.Errorf("%s may not import %s: it is kept by %s", p.name(), imported, names)
				}
			}
		}
	}
}

func TestPureRoomsReachNothing(t *testing.T) {
	t.Parallel()

	reach := []string{"database/sql", "log", "log/slog", "net", "net/http", "os", "os/exec", "path/filepath", "syscall"}
	for _, p := range packages(t) {
		outer, _, _ := strings.Cut(p.name(), "/")
		if !slices.Contains(pure, outer) || forTests(p.ImportPath) {
			continue
		}
		for _, imported := range p.Imports {
			if slices.Contains(reach, imported) {
				t.Errorf("%s is pure and may not import %s", p.name(), imported)
			}
		}
	}
}

// readers are the only folders with programs, which may read the environment.
var readers = []string{"cmd/", "bench/", "clients/go/examples/", "clients/generators/"}

// TestOnlyProgramsReadTheEnvironment finds uses by type checking nothing: a room
// that does not name the functions cannot call them.
func TestOnlyProgramsReadTheEnvironment(t *testing.T) {
	t.Parallel()

	out, err := exec.CommandContext(t.Context(), "grep", "-rnE", "--include=*.go", "--exclude=*_test.go",
		`\bos\.(Getenv|LookupEnv|Environ|ExpandEnv|UserCacheDir|UserHomeDir|UserConfigDir)\(|\bsyscall\.(Getenv|Environ)\(`, "..").Output()
	var none *exec.ExitError
	if errors.As(err, &none) && none.ExitCode() == 1 {
		return // no line matches
	}
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		file, _, _ := strings.Cut(strings.TrimPrefix(line, "../"), ":")
		program := slices.ContainsFunc(readers, func(folder string) bool { return strings.HasPrefix(file, folder) })
		if !program && !forTests(module+"/"+path.Dir(file)) {
			t.Errorf("only programs read the environment: %s", strings.TrimSpace(line))
		}
	}
}

// TestProgramNeedsNoC proves that everything but the OCR child is pure Go.
func TestProgramNeedsNoC(t *testing.T) {
	t.Parallel()

	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if .CgoFiles}}{{.ImportPath}}{{end}}", "./cmd/clausemill")
	cmd.Dir = ".."
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=1")
	out, err := cmd.Output()
	require.NoError(t, err)
	for imported := range strings.Lines(string(out)) {
		// The standard library has a Go version of each.
		if imported = strings.TrimSpace(imported); strings.Contains(imported, ".") {
			t.Errorf("clausemill links %s, which needs a C compiler", imported)
		}
	}
}

// TestProgramForServersSignsNobodyIn holds that what is for development is not in
// the program that the images have: neither the identity provider without a
// password, which is of an example of its library, nor the private database.
func TestProgramForServersSignsNobodyIn(t *testing.T) {
	t.Parallel()

	deps := func(flags ...string) string {
		cmd := exec.CommandContext(t.Context(), "go", slices.Concat([]string{"list", "-deps"}, flags, []string{"./cmd/clausemill"})...)
		cmd.Dir = ".."
		out, err := cmd.Output()
		require.NoError(t, err)
		return string(out)
	}
	development, production := deps(), deps("-tags", "production")
	for _, name := range []string{"github.com/zitadel/oidc/v3/example", module + "/cmd/internal/provider", module + "/cmd/internal/postgres", module + "/bench"} {
		require.Contains(t, development, name)
		require.NotContains(t, production, name)
	}
}
