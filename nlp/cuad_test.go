package nlp

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// contract is one line of the annotated contracts.
type contract struct {
	ID      string              `json:"id"`
	File    string              `json:"txt"`
	Clauses map[string][]string `json:"clauses"`
	text    string
}

// contracts reads the annotated contracts, which are too large to lie beside
// the code.
func contracts(tb testing.TB) []contract {
	tb.Helper()
	data := os.Getenv("CLAUSEMILL_DATA")
	if data == "" {
		tb.Skip("CLAUSEMILL_DATA names no directory with contracts")
	}
	file, err := os.Open(filepath.Join(data, "cuad", "contracts.jsonl"))
	require.NoError(tb, err)
	defer file.Close()
	var all []contract
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c contract
		require.NoError(tb, json.Unmarshal(lines.Bytes(), &c))
		text, err := os.ReadFile(filepath.Join(data, "cuad", c.File))
		require.NoError(tb, err)
		c.text = string(text)
		all = append(all, c)
	}
	require.NoError(tb, lines.Err())
	require.NotEmpty(tb, all)
	return all
}

// notWholeSentences are the categories whose annotations are names, dates and
// phrases; those of all others are sentences.
var notWholeSentences = map[string]bool{
	"Document Name": true, "Parties": true, "Agreement Date": true, "Effective Date": true, "Expiration Date": true,
	"Renewal Term": true, "Notice Period to Terminate Renewal": true, "Governing Law": true,
}

var spaces = regexp.MustCompile(`\s+`)

// clauseExtents finds the annotated clauses that stand on one line of the text.
func (c contract) clauseExtents() []extent {
	var found []extent
	for category, spans := range c.Clauses {
		if notWholeSentences[category] {
			continue
		}
		for _, span := range spans {
			for segment := range strings.SplitSeq(span, "<omitted>") {
				words := strings.Fields(segment)
				if len(words) == 0 {
					continue
				}
				for i, word := range words {
					words[i] = regexp.QuoteMeta(word)
				}
				at := regexp.MustCompile(strings.Join(words, `\s+`)).FindStringIndex(c.text)
				if at != nil && !strings.Contains(c.text[at[0]:at[1]], "\n") {
					found = append(found, extent{at[0], at[1]})
				}
			}
		}
	}
	return found
}

// edgeScore says how many annotated clauses begin and end where sentences do.
type edgeScore struct {
	clauses, starts, numberedStarts, ends, both, sentences int
}

var leadingNumber = regexp.MustCompile(`^\s*(?:(?:(?i:article|section)\s+)?(?:\(?[0-9a-zA-Z]{1,4}[.)]|\d+(?:\.\d+)+\.?|[IVXLC]+\.?)\)?\s+)+`)

func (s *edgeScore) add(text string, clauses, sentences []extent, report func(extent, string)) {
	starts, numbered, ends := map[int]bool{}, map[int]bool{}, map[int]bool{}
	for _, e := range sentences {
		starts[e.start], ends[e.end] = true, true
		numbered[e.start+len(leadingNumber.FindString(text[e.start:e.end]))] = true
	}
	s.sentences += len(sentences)
	for _, c := range clauses {
		s.clauses++
		start := starts[c.start]
		begin := start || numbered[c.start] || numbered[c.start+len(leadingNumber.FindString(text[c.start:c.end]))]
		end := ends[c.end]
		for _, hit := range []struct {
			ok    bool
			count *int
		}{{start, &s.starts}, {begin, &s.numberedStarts}, {end, &s.ends}, {begin && end, &s.both}} {
			if hit.ok {
				*hit.count++
			}
		}
		if !begin && report != nil {
			report(c, "start")
		}
		if !end && report != nil {
			report(c, "end")
		}
	}
}
