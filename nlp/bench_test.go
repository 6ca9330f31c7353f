package nlp

import "testing"

func BenchmarkSegment(b *testing.B) {
	all := contracts(b)
	size := 0
	for _, c := range all {
		size += len(c.text)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range all {
			Segment([]string{c.text})
		}
	}
}

// BenchmarkSplit measures the splitter alone, on whole contracts as one block.
func BenchmarkSplit(b *testing.B) {
	all := contracts(b)
	size := 0
	for _, c := range all {
		size += len(c.text)
	}
	b.SetBytes(int64(size))
	var cuts []extent
	for b.Loop() {
		for _, c := range all {
			cuts = splitSentences(c.text, extent{0, len(c.text)}, nil, cuts[:0])
		}
	}
}

func BenchmarkTokens(b *testing.B) {
	all := contracts(b)
	size := 0
	for _, c := range all {
		size += len(c.text)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, c := range all {
			Tokens(c.text, TokenOptions{})
		}
	}
}

// BenchmarkStructure measures what is read from texts that were segmented:
// terms, references and signatures.
func BenchmarkStructure(b *testing.B) {
	var all []*Segmentation
	size := 0
	for _, c := range contracts(b) {
		all = append(all, Segment([]string{c.text}))
		size += len(c.text)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, s := range all {
			s.Terms()
			s.References()
			s.Signatures()
		}
	}
}
