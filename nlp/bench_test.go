package nlp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/label"
	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/link"
	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
)

// BenchmarkAnalysis measures the whole analysis of the contracts that lie beside
// the code: segments, sections, sentences, terms, references, signatures,
// attributes and labels. Run it with -cpu 1; clausemill bench measures the same
// on a whole corpus.
func BenchmarkAnalysis(b *testing.B) {
	model, err := label.Base()
	require.NoError(b, err)
	var texts [][]string
	size := 0
	for _, pattern := range []string{"testdata/*.txt", "testdata/*/*.txt", "fact/testdata/*.txt"} {
		names, err := filepath.Glob(pattern)
		require.NoError(b, err)
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(b, err)
			size += len(text)
			texts = append(texts, strings.Split(string(text), "\f"))
		}
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	sentences := 0
	for b.Loop() {
		for _, pages := range texts {
			s := structure.Segment(pages)
			facts := fact.Read(s)
			s.Signatures()
			model.Predict(label.Passages(s, facts))
			sentences += len(s.Sentences)
		}
	}
	b.ReportMetric(float64(sentences)/b.Elapsed().Seconds(), "sentences/s")
}

func BenchmarkSegment(b *testing.B) {
	all := nlptest.Contracts(b)
	size := 0
	for _, c := range all {
		size += len(c.Text)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range all {
			structure.Segment([]string{c.Text})
		}
	}
}

// BenchmarkSplit measures the splitter alone, on whole contracts as one block.
func BenchmarkSplit(b *testing.B) {
	all := nlptest.Contracts(b)
	size := 0
	for _, c := range all {
		size += len(c.Text)
	}
	b.SetBytes(int64(size))
	var cuts []lex.Extent
	for b.Loop() {
		for _, c := range all {
			cuts = lex.GrammarOf("en").Split(c.Text, lex.Extent{Start: 0, End: len(c.Text)}, nil, cuts[:0])
		}
	}
}

func BenchmarkTokens(b *testing.B) {
	all := nlptest.Contracts(b)
	size := 0
	for _, c := range all {
		size += len(c.Text)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, c := range all {
			lex.Tokens(c.Text, lex.TokenOptions{})
		}
	}
}

// BenchmarkStructure measures what is read from texts that were segmented:
// terms, references and signatures.
func BenchmarkStructure(b *testing.B) {
	var all []*structure.Segmentation
	size := 0
	for _, c := range nlptest.Contracts(b) {
		all = append(all, structure.Segment([]string{c.Text}))
		size += len(c.Text)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, s := range all {
			link.Terms(s)
			link.References(s)
			s.Signatures()
		}
	}
}
