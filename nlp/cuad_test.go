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
	Type    string              `json:"type"`
	File    string              `json:"txt"`
	Clauses map[string][]string `json:"clauses"`
	Answers map[string]string   `json:"answers"`
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
// The number that opens a section may lie in the clause or outside.
type edgeScore struct {
	clauses, starts, ends, both, sentences int
}

var leadingNumber = regexp.MustCompile(`^\s*(?:(?:(?i:article|section)\s+)?(?:\(?[0-9a-zA-Z]{1,4}[.)]|\d+(?:\.\d+)+\.?|[IVXLC]+\.?)\)?\s+)+`)

func (s *edgeScore) add(text string, clauses, sentences []extent) {
	starts, ends := map[int]bool{}, map[int]bool{}
	skipNumber := func(e extent) int { return e.start + len(leadingNumber.FindString(text[e.start:e.end])) }
	for _, e := range sentences {
		starts[e.start], starts[skipNumber(e)], ends[e.end] = true, true, true
	}
	s.sentences += len(sentences)
	s.clauses += len(clauses)
	for _, c := range clauses {
		start, end := starts[c.start] || starts[skipNumber(c)], ends[c.end]
		if start {
			s.starts++
		}
		if end {
			s.ends++
		}
		if start && end {
			s.both++
		}
	}
}
