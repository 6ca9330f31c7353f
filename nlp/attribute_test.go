package nlp

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// attributeScore counts answers as the annotators' are counted: an answer where
// they have none is wrong.
type attributeScore struct{ right, given, gold int }

func (s attributeScore) f1() float64 {
	return 2 * float64(s.right) / float64(max(1, s.given+s.gold))
}

func (s attributeScore) precision() float64 { return float64(s.right) / float64(max(1, s.given)) }

func (s attributeScore) recall() float64 { return float64(s.right) / float64(max(1, s.gold)) }

func (s *attributeScore) add(given, gold []string, same func(a, b string) bool) bool {
	s.given += len(given)
	s.gold += len(gold)
	left := slices.Clone(gold)
	all := len(given) == len(gold)
	for _, g := range given {
		at := slices.IndexFunc(left, func(want string) bool { return same(g, want) })
		if at < 0 {
			all = false
			continue
		}
		left = slices.Delete(left, at, at+1)
		s.right++
	}
	return all
}

var (
	notAlphanumeric = regexp.MustCompile(`[^a-z0-9]+`)
	companyForms    = strings.NewReplacer("incorporated", "inc", "corporation", "corp", "company", "co", "limited", "ltd")
	aboutParties    = regexp.MustCompile(`(?i)^\(?\s*(?:each|individual|collective)|^[^("“]* and [^("“]*[("“].*part(?:y|ies)`)
	parenthesis     = regexp.MustCompile(`\([^)]*\)?`)
	usDate          = regexp.MustCompile(`^(\d{1,2})/(\d{1,2})/(\d{4})$`)
	lengthOfTime    = regexp.MustCompile(`(?i)\(?(\d+(?:\.\d+)?)\)?\s*(day|week|month|year)`)
)

func normalName(s string) string {
	return strings.TrimSpace(notAlphanumeric.ReplaceAllString(strings.ToLower(s), " "))
}

func normalParty(s string) string {
	return companyForms.Replace(normalName(parenthesis.ReplaceAllString(s, " ")))
}

func equal(a, b string) bool { return a == b }

// similar is a substring, or most of the words.
func similar(a, b string) bool {
	if a == b || a != "" && b != "" && (strings.Contains(a, b) || strings.Contains(b, a)) {
		return true
	}
	x, y := strings.Fields(a), strings.Fields(b)
	common := 0
	for _, w := range x {
		if slices.Contains(y, w) {
			common++
		}
	}
	return float64(common) >= 0.6*float64(len(x)+len(y)-common)
}

// goldParties are the names in an answer, without what follows them in brackets.
func goldParties(answer string) []string {
	var names []string
	for part := range strings.SplitSeq(strings.TrimPrefix(answer, "("), ";") {
		if aboutParties.MatchString(strings.TrimSpace(part)) {
			continue
		}
		name := normalParty(parenthesis.ReplaceAllString(part, " "))
		if name != "" && !strings.HasPrefix(name, "each of the") && !strings.HasPrefix(name, "collectively") {
			names = append(names, name)
		}
	}
	return names
}

// goldDate returns the date of an answer; ok is false where it is redacted.
func goldDate(answer string) (dates []string, ok bool) {
	if strings.Contains(answer, "[") {
		return nil, false
	}
	answer = strings.TrimSpace(strings.ToLower(answer))
	if m := usDate.FindStringSubmatch(answer); m != nil {
		return []string{fmt.Sprintf("%s-%02s-%02s", m[3], m[1], m[2])}, true
	}
	if answer == "" {
		return nil, true
	}
	return []string{answer}, true
}

// months writes lengths of time in one unit, as far as there is one.
func months(n, unit string) string {
	switch strings.ToLower(unit) {
	case "year", "Y", "y":
		var x float64
		fmt.Sscan(n, &x)
		return fmt.Sprintf("%gm", 12*x)
	case "month", "M", "m":
		return n + "m"
	}
	return n + strings.ToLower(unit[:1])
}

func goldTerm(answer string) (terms []string, ok bool) {
	lower := strings.ToLower(answer)
	if strings.Contains(answer, "[") {
		return nil, false
	}
	if lower == "" {
		return nil, true
	}
	m := lengthOfTime.FindStringSubmatch(lower)
	if m == nil {
		return []string{lower}, true
	}
	term := months(m[1], m[2])
	if strings.Contains(lower, "suc") {
		term = "successive " + term
	}
	return []string{term}, true
}

func termOf(v Value) string {
	if v.Perpetual {
		return "perpetual"
	}
	term := months(v.Duration[1:len(v.Duration)-1], v.Duration[len(v.Duration)-1:])
	if v.Recurring {
		term = "successive " + term
	}
	return term
}

var lawTitles = strings.NewReplacer("state of", "", "province of", "", "republic of", "", "federal", "", "people's", "", ", canada", "", ", united kingdom", "", ", australia", "", " and ", " ")

func normalLaw(s string) string { return normalName(lawTitles.Replace(strings.ToLower(s))) }

var misses = flag.String("misses", "", "print where attributes of this name are missed, such as \"Governing Law\"")

// scoreAttributes answers by what was asked how often the answer was right.
// The annotators' dates and terms with redacted parts are left out.
func scoreAttributes(t *testing.T) map[string]*attributeScore {
	t.Helper()
	scores := map[string]*attributeScore{}
	for _, c := range contracts(t) {
		found := map[Key][]Attribute{}
		s := Segment([]string{c.text})
		for _, a := range Extract(s).File {
			found[a.Key] = append(found[a.Key], a)
		}
		score := func(what string, key Key, gold []string, read func(Value) string, same func(a, b string) bool) {
			if scores[what] == nil {
				scores[what] = &attributeScore{}
			}
			var given []string
			for _, a := range found[key] {
				if text := read(a.Value); text != "" {
					given = append(given, text)
				}
			}
			if !scores[what].add(given, gold, same) && *misses == what {
				t.Logf("%s gave %q, not %q", c.ID, given, gold)
				for _, a := range found[key] {
					t.Logf("    read from %.300q", s.Plain(a.Spans[len(a.Spans)-1]))
				}
				t.Logf("    annotated %.600q", c.Clauses[what])
			}
		}
		answer := c.Answers
		score("Document Name", DocumentName, some(normalName(answer["Document Name"])), func(v Value) string { return normalName(v.Name) }, equal)
		party := func(v Value) string { return normalParty(v.Name) }
		score("Parties", Party, goldParties(answer["Parties"]), party, equal)
		score("Parties, similar", Party, goldParties(answer["Parties"]), party, similar)
		for what, key := range map[string]Key{"Agreement Date": AgreementDate, "Effective Date": EffectiveDate, "Expiration Date": ExpirationDate} {
			if gold, ok := goldDate(answer[what]); ok {
				score(what, key, gold, dateOf, equal)
			}
		}
		for what, key := range map[string]Key{"Renewal Term": RenewalTerm, "Notice Period to Terminate Renewal": NoticePeriod} {
			if gold, ok := goldTerm(answer[what]); ok {
				score(what, key, gold, termOf, equal)
			}
		}
		if law := answer["Governing Law"]; !strings.Contains(law, "[") {
			score("Governing Law", GoverningLaw, some(normalLaw(law)), func(v Value) string { return normalLaw(v.Name) }, equal)
		}
	}
	return scores
}

func dateOf(v Value) string {
	if v.Perpetual {
		return "perpetual"
	}
	return v.Date
}

func some(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// TestAttributeScores holds the attributes to what they reached against the
// answers of CUAD's annotators (F1), less a little.
func TestAttributeScores(t *testing.T) {
	t.Parallel()
	scores := scoreAttributes(t)
	for what, least := range map[string]float64{
		"Document Name": 0.83, "Parties": 0.74, "Parties, similar": 0.84, "Agreement Date": 0.87, "Effective Date": 0.81,
		"Expiration Date": 0.67, "Renewal Term": 0.75, "Notice Period to Terminate Renewal": 0.80, "Governing Law": 0.95,
	} {
		s := scores[what]
		t.Logf("%-36s precision %.3f, recall %.3f, F1 %.3f (%d answers, %d asked for)", what, s.precision(), s.recall(), s.f1(), s.given, s.gold)
		require.GreaterOrEqual(t, s.f1(), least, what)
	}
}

// TestExtractGolden reads texts that show what each extractor takes.
func TestExtractGolden(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/attribute/*.txt")
	require.NoError(t, err)
	whole, err := filepath.Glob("testdata/attribute/contracts/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range append(names, whole...) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			s := Segment([]string{string(text)})
			found := Extract(s)
			requireAttributes(t, s, found)
			golden := strings.TrimSuffix(name, ".txt") + ".golden"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(drawAttributes(t, s, found)), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), drawAttributes(t, s, found))
		})
	}
}

// drawAttributes writes a line for each attribute and each finding.
func drawAttributes(t *testing.T, s *Segmentation, found Attributes) string {
	t.Helper()
	var b strings.Builder
	line := func(key Key, text string, value Value, confidence float64) {
		drawn, err := json.Marshal(value)
		require.NoError(t, err)
		fmt.Fprintf(&b, "%s %q %s %.2f\n", key, text, drawn, confidence)
	}
	for _, a := range found.File {
		line("file "+a.Key, s.Plain(a.Spans[0]), a.Value, a.Confidence)
	}
	for _, f := range found.Findings {
		line(f.Key, s.Plain(f.Span), f.Value, f.Confidence)
	}
	return b.String()
}

// requireAttributes holds attributes to what Extract promises.
func requireAttributes(t *testing.T, s *Segmentation, found Attributes) {
	t.Helper()
	points := []rune(s.Text)
	quote := func(span Span) string {
		require.True(t, 0 <= span.Start && span.Start < span.End && span.End <= len(points), "%v", span)
		return string(points[span.Start:span.End])
	}
	last := 0
	for _, f := range found.Findings {
		require.Equal(t, quote(f.Span), f.Text)
		require.GreaterOrEqual(t, f.Start, last, "in order")
		requireValue(t, f.Value, f.Confidence)
		last = f.Start
	}
	seen := map[Key]bool{}
	for _, a := range found.File {
		require.NotEmpty(t, a.Spans, a.Key)
		for _, span := range a.Spans {
			require.NotEmpty(t, quote(span))
		}
		require.False(t, seen[a.Key] && a.Key != Party, a.Key)
		seen[a.Key] = true
		requireValue(t, a.Value, a.Confidence)
	}
}

func requireValue(t *testing.T, v Value, confidence float64) {
	t.Helper()
	require.NotEqual(t, Value{}, v)
	require.Greater(t, confidence, 0.0)
	require.LessOrEqual(t, confidence, 1.0)
	if v.Readings != nil {
		require.Greater(t, len(v.Readings), 1)
		require.Empty(t, v.Date+v.Amount, "what is ambiguous is not decided")
	}
}

func TestExtractLaws(t *testing.T) {
	t.Parallel()
	for _, c := range contracts(t) {
		s := Segment(strings.SplitAfter(c.text, "\n\n\n\n\n"))
		requireAttributes(t, s, Extract(s))
	}
}

func FuzzExtract(f *testing.F) {
	for _, seed := range []string{
		"", "This Agreement is made on 1 March 2024 (the \"Effective Date\") by and between Acme, Inc. (\"Acme\") and Mr. John Doe.",
		"the fifth day of ____, 20__ 31 June 2024 03/04/2020 2020-02-30 1.2.20", "US$ 1,250.50 million 1.250,00 € five thousand dollars ($5,000) five percent (5%)",
		"governed by the laws of the State of New York. thirty (30) days' notice two-year terms (12) months renew automatically", "Party A: X Co., Ltd. P.O. Box 1, 12 Main Street, Austin, TX 78701-1234",
		"Der Preis beträgt 1.250,00 € und ist am 01.02.2020 zu zahlen, sofern nichts anderes vereinbart ist.\fSeite", "\xff\xfe[●] “x” (●)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := Segment(strings.Split(text, "\f"))
		requireAttributes(t, s, Extract(s))
	})
}

// TestExtractHostile holds the work on a text in proportion to its length.
func TestExtractHostile(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{
		"between A Inc. and ", "(", "____ ", "[ ", "\"x ", "five ", "1 ", "1.", "$1 ", "five thousand ", "12 Main Street ", "TX 78701 ", "Inc. ", "A ", "of the ", "governed by law ",
		"laws of the State of New York ", "term of this Agreement shall be effective ", "renew automatically one year ", "notice ", "AGREEMENT ", "effective date ", "Mr. ", "January 1, 2020 ", "Party A: X ",
		"term is 1 year ", "the law governed New York law ", "Ü ", "; and X Inc. (\"X\") ", "the \"Effective Date\" ", "Inc ", "between A , ", "and A Inc ", "AGREEMENT      ",
	} {
		text := strings.Repeat(pattern, 200_000/len(pattern))
		Extract(Segment([]string{text}))
	}
}

func BenchmarkExtract(b *testing.B) {
	all := contracts(b)
	size := 0
	list := make([]*Segmentation, 0, len(all))
	for _, c := range all {
		size += len(c.text)
		list = append(list, Segment([]string{c.text}))
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range list {
			Extract(s)
		}
	}
}
