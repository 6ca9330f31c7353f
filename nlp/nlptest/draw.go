package nlptest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/link"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// DrawAttributes writes a line for each attribute and each finding.
func DrawAttributes(t *testing.T, s *structure.Segmentation, found fact.Attributes) string {
	t.Helper()
	var b strings.Builder
	line := func(key value.Key, text string, v value.Value, confidence float64) {
		drawn, err := json.Marshal(v)
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

// TargetOf names what a reference was found to mean.
func TargetOf(s *structure.Segmentation, r link.Reference) string {
	switch {
	case r.External != "":
		return " " + r.External
	case r.Section >= 0 && r.Exact:
		return " " + s.Sections[r.Section].Number
	case r.Section >= 0:
		return "~ " + s.Sections[r.Section].Number
	case r.Document >= 0:
		return fmt.Sprintf(" %s %s", s.Documents[r.Document].Kind, s.Documents[r.Document].Number)
	}
	return " none"
}
