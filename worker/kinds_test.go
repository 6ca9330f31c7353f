package worker_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/worker"
)

var updateKinds = flag.Bool("update-kinds", false, "write the figures for kinds of contract anew")

// kindsDir holds the marks, and the figures that TestKinds holds to.
const kindsDir = "../nlp/testdata/kinds"

// marked is a document with what a person read from it.
type marked struct {
	ID      string                     `json:"id"`
	Kind    string                     `json:"kind"`
	HeldOut bool                       `json:"heldOut"`
	SHA256  string                     `json:"sha256"`
	Adapted string                     `json:"adapted"`
	Path    string                     `json:"path"`
	Want    map[string]json.RawMessage `json:"want"`
}

// TestKinds reads leases, employment contracts, loans and other kinds the way uploads are
// read, and holds what is read from them to figures. The texts are their authors', so
// only the marks are in the repository.
func TestKinds(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(os.Getenv("CLAUSEMILL_DATA"), "kinds")
	if _, err := os.Stat(dir); err != nil || os.Getenv("CLAUSEMILL_DATA") == "" {
		t.Skip("CLAUSEMILL_DATA names no directory with kinds of contract")
	}
	documents := 52
	golden := filepath.Join(kindsDir, "figures.md")
	self, err := os.Executable()
	require.NoError(t, err)
	reader := document.NewReader(document.Config{Command: []string{self, "reader"}, Size: 1, CacheDir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { _ = reader.Close() })
	model, err := nlp.BaseTypeModel()
	require.NoError(t, err)
	figures := map[string]*tally{}
	for _, m := range readMarks(t) {
		if m.Adapted != "" {
			continue
		}
		file := filepath.Join(dir, m.ID+".txt")
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		require.NoError(t, err)
		documents--
		sum := sha256.Sum256(data)
		require.Equal(t, m.SHA256, hex.EncodeToString(sum[:]), m.ID)
		var read []db.PageStructure
		require.NoError(t, reader.Extract(t.Context(), file, document.Kind("text"), 1, 0, func(p document.Page) error {
			page, err := worker.ReadPage(p)
			read = append(read, page)
			return err
		}))
		s, err := worker.SegmentPages(read)
		require.NoError(t, err)
		facts := nlp.Facts(s)
		half := "development"
		if m.HeldOut {
			half = "held out"
		}
		for _, key := range kindFacts {
			m.compare(t, facts, key, half, figures)
		}
		predicted := model.Predict(nlp.NewTypeText(s, facts), func(string) bool { return true })
		m.compareType(t, predicted.Type, half, figures)
	}
	require.Zero(t, documents)
	drawn := drawKinds(figures)
	if *updateKinds {
		require.NoError(t, os.WriteFile(golden, []byte(drawn), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), drawn)
}

func readMarks(t *testing.T) []marked {
	t.Helper()
	file, err := os.Open(filepath.Join(kindsDir, "marks.jsonl"))
	require.NoError(t, err)
	defer file.Close()
	var all []marked
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m marked
		require.NoError(t, json.Unmarshal(lines.Bytes(), &m))
		all = append(all, m)
	}
	require.NoError(t, lines.Err())
	return all
}

var kindNames = []string{"lease", "employment", "loan", "nda", "sow", "terms"}

var kindFacts = []string{
	"document_name", "party", "role", "agreement_date", "effective_date", "expiration_date", "initial_term", "renewal_term", "notice_period", "governing_law",
	"contract_value", "rent", "deposit", "salary", "principal", "interest_rate", "probation_period",
}

// tally counts the answers about one fact.
type tally struct{ right, given, wanted int }

func count(figures map[string]*tally, half, kind, key string, right, given, wanted int) {
	for _, kind := range []string{kind, "all"} {
		name := half + "/" + kind + "/" + key
		if figures[name] == nil {
			figures[name] = &tally{}
		}
		figures[name].right += right
		figures[name].given += given
		figures[name].wanted += wanted
	}
}

// compare counts the answers about one fact. What was marked with a question mark was
// not decided by the one who read, and is left out.
func (m *marked) compare(t *testing.T, facts nlp.Attributes, key, half string, figures map[string]*tally) {
	t.Helper()
	if key == "party" || key == "role" {
		m.compareParties(t, facts, key, half, figures)
		return
	}
	raw := m.Want[key]
	if string(raw) == `"?"` {
		return
	}
	var want []string
	if raw != nil {
		for _, w := range marksOf(t, raw) {
			want = append(want, plainFact(key, w))
		}
	}
	var given string
	for _, a := range facts.File {
		if string(a.Key) == key {
			given = plainFact(key, saidFact(t, a.Value))
		}
	}
	right := given != "" && slices.Contains(want, given)
	if !right && (given != "" || len(want) > 0) {
		t.Logf("%s %s %s %s: %q, want %q", half, m.Kind, m.ID, key, given, want)
	}
	count(figures, half, m.Kind, key, bit(right), bit(given != ""), bit(len(want) > 0))
}

// compareParties counts parties by their names, and the roles of those found.
func (m *marked) compareParties(t *testing.T, facts nlp.Attributes, key, half string, figures map[string]*tally) {
	t.Helper()
	if string(m.Want["parties"]) == `"?"` {
		return
	}
	var parties []struct{ Name, Role string }
	require.NoError(t, json.Unmarshal(m.Want["parties"], &parties))
	left, right, given, wanted := map[string]string{}, 0, 0, 0
	for _, p := range parties {
		left[plainKind(p.Name)] = p.Role
		wanted += bit(key == "party" || p.Role != "")
	}
	var names []string
	for _, a := range facts.File {
		if a.Key != nlp.Party {
			continue
		}
		names = append(names, a.Value.Name+" ["+a.Value.Role+"]")
		name := plainKind(a.Value.Name)
		role, ok := left[name]
		delete(left, name)
		if key == "party" {
			given++
			right += bit(ok)
		} else if ok && role != "" && a.Value.Role != "" {
			given++
			right += bit(plainKind(role) == plainKind(a.Value.Role))
		}
	}
	if right < wanted || right < given {
		t.Logf("%s %s %s %s: %q, want %q", half, m.Kind, m.ID, key, names, parties)
	}
	count(figures, half, m.Kind, key, right, given, wanted)
}

// compareType counts types: the base has none of these kinds, so that to abstain is right.
func (m *marked) compareType(t *testing.T, given, half string, figures map[string]*tally) {
	t.Helper()
	want := []string{""}
	if raw := m.Want["type"]; raw != nil {
		want = append(want, marksOf(t, raw)...)
	}
	right := slices.Contains(want, given)
	if !right {
		t.Logf("%s %s %s type: %q, want %q", half, m.Kind, m.ID, given, want)
	}
	count(figures, half, m.Kind, "type", bit(right), 1, 1)
}

// marksOf returns the readings that are right: strings, or sums with what they are
// paid for.
func marksOf(t *testing.T, raw json.RawMessage) []string {
	t.Helper()
	var list []json.RawMessage
	require.NoError(t, json.Unmarshal(raw, &list))
	var all []string
	for _, one := range list {
		var s string
		if json.Unmarshal(one, &s) == nil {
			all = append(all, s)
			continue
		}
		var sum struct{ Amount, Currency, Period string }
		require.NoError(t, json.Unmarshal(one, &sum))
		all = append(all, plainSum(sum.Amount, sum.Currency, sum.Period))
	}
	return all
}

func plainSum(amount, currency, period string) string {
	if strings.Contains(amount, ".") {
		amount = strings.TrimRight(strings.TrimRight(amount, "0"), ".")
	}
	return strings.TrimSpace(amount + " " + currency + " " + period)
}

// saidFact writes a value as marks do.
func saidFact(t *testing.T, v nlp.Value) string {
	t.Helper()
	if v.Amount != "" {
		data, err := json.Marshal(v)
		require.NoError(t, err)
		var sum struct{ Amount, Currency, Period string }
		require.NoError(t, json.Unmarshal(data, &sum))
		return plainSum(sum.Amount, sum.Currency, sum.Period)
	}
	if v.Name == "" && v.Date == "" && v.Duration != "" {
		return v.Duration
	}
	return v.String()
}

func plainFact(key, s string) string {
	switch key {
	case "document_name":
		return plainKind(s)
	case "governing_law":
		return plainKind(strings.NewReplacer("State of ", "", "state of ", "", ", Australia", "", ", United Kingdom", "", ", United States", "").Replace(s))
	case "initial_term", "renewal_term":
		if n, ok := strings.CutSuffix(s, "Y"); ok {
			years := 0
			if _, err := fmt.Sscanf(n, "P%d", &years); err == nil {
				return fmt.Sprintf("P%dM", 12*years)
			}
		}
	}
	return s
}

// plainKind is a name without case, punctuation and white space.
func plainKind(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func drawKinds(figures map[string]*tally) string {
	var b strings.Builder
	for _, half := range []string{"development", "held out"} {
		fmt.Fprintf(&b, "F1, and right / answered / marked, %s\n\n| fact |", half)
		columns := append(slices.Clone(kindNames), "all")
		for _, kind := range columns {
			fmt.Fprintf(&b, " %s |", kind)
		}
		b.WriteString("\n|---" + strings.Repeat("|---", len(columns)) + "|\n")
		for _, key := range append(slices.Clone(kindFacts), "type") {
			fmt.Fprintf(&b, "| %s |", key)
			for _, kind := range columns {
				if f := figures[half+"/"+kind+"/"+key]; f == nil || f.given+f.wanted == 0 {
					b.WriteString(" – |")
				} else {
					fmt.Fprintf(&b, " %.2f (%d/%d/%d) |", 2*float64(f.right)/float64(f.given+f.wanted), f.right, f.given, f.wanted)
				}
			}
			b.WriteString("\n")
		}
		b.WriteString("\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
