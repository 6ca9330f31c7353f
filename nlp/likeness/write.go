package likeness

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"slices"
)

// Write writes the sentences of files as a segment, with weights of their own. Those
// that were removed, have no words or are in none of the files are left out; the others
// are numbered anew, in the order of the files' sentences, and it returns how many those
// are. Id is asked once for each.
//
// Besides the corpus it takes sixteen bytes of memory for each sentence, and the longest
// posting list.
func (c *Corpus) Write(to io.Writer, files []SegmentFile, id func(sentence int) [16]byte) (sentences int, err error) {
	w := &segmentWriter{to: bufio.NewWriterSize(to, 1<<16), corpus: c, id: id, renumbered: make([]uint32, c.Len())}
	w.number(files)
	w.write([]byte(segmentMagic))
	w.mark()
	w.lists()
	w.mark()
	w.write(w.terms)
	w.mark()
	w.write(w.stems)
	w.mark()
	w.sentences()
	w.mark()
	w.write(w.files)
	return len(w.kept), w.end()
}

type segmentWriter struct {
	to     *bufio.Writer
	corpus *Corpus
	id     func(sentence int) [16]byte

	renumbered []uint32 // by old number, one more than the new one; 0 for what is left out
	kept       []uint32 // by new number, the old one
	squares    []float64

	terms  []byte
	stems  []byte
	files  []byte
	footer []byte
	sum    uint32
	at     uint64
	err    error
}

func (w *segmentWriter) write(b []byte) {
	if w.err == nil {
		w.sum = crc32.Update(w.sum, castagnoli, b)
		w.at += uint64(len(b))
		_, w.err = w.to.Write(b)
	}
}

// mark begins a part.
func (w *segmentWriter) mark() { w.footer = binary.LittleEndian.AppendUint64(w.footer, w.at) }

// number gives the sentences that stay their new numbers.
func (w *segmentWriter) number(files []SegmentFile) {
	files = slices.SortedFunc(slices.Values(files), func(a, b SegmentFile) int { return cmp.Compare(a.First, b.First) })
	for i, f := range files {
		files[i].First = len(w.kept)
		for sentence := f.First; sentence < f.End; sentence++ {
			if w.corpus.norm(uint32(sentence)) > 0 { //nolint:gosec // memory ends before the numbers do
				w.kept = append(w.kept, uint32(sentence))    //nolint:gosec // as above
				w.renumbered[sentence] = uint32(len(w.kept)) //nolint:gosec // as above
			}
		}
		files[i].End = len(w.kept)
	}
	slices.SortFunc(files, func(a, b SegmentFile) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	for _, f := range files {
		w.files = append(w.files, f.ID[:]...)
		for _, n := range []int{f.Generation, f.First, f.End} {
			w.files = binary.LittleEndian.AppendUint32(w.files, uint32(n)) //nolint:gosec // as above
		}
	}
	w.squares = make([]float64, len(w.kept))
}

// lists writes the posting lists of all stems that stay, in the order of the stems.
func (w *segmentWriter) lists() {
	base := w.corpus.base
	added := slices.Sorted(maps.Keys(w.corpus.stems))
	for term := 0; term < base.numTerms || len(added) > 0; {
		if len(added) == 0 || term < base.numTerms && string(base.stem(term)) < added[0] {
			w.list(base.stem(term), int32(term)) //nolint:gosec // bounded by OpenSegment
			term++
			continue
		}
		w.list([]byte(added[0]), w.corpus.stems[added[0]])
		added = added[1:]
	}
	w.term(0) // the end of the last
}

// list writes the posting list of a term, unless nothing is left of it.
func (w *segmentWriter) list(stem []byte, term int32) {
	var list []uint32
	for c := w.corpus.cursor(term); c.next(); c.rest = nil {
		for _, sentence := range c.rest {
			if n := w.renumbered[sentence]; n > 0 {
				list = append(list, n-1)
			}
		}
	}
	if len(list) == 0 {
		return
	}
	weight := float64(weight(len(w.kept), len(list)))
	w.term(len(list))
	w.stems = append(w.stems, stem...)
	var table, data []byte
	next := uint32(0)
	for block := range slices.Chunk(list, blockSize) {
		for _, n := range block {
			data = binary.AppendUvarint(data, uint64(n-next))
			next = n + 1
			w.squares[n] += weight
		}
		table = binary.LittleEndian.AppendUint32(table, next-1)
		table = binary.LittleEndian.AppendUint32(table, uint32(len(data))) //nolint:gosec // five bytes a sentence at most
	}
	if len(list) > blockSize {
		w.write(table)
	}
	w.write(data)
}

// term begins a term that so many sentences have.
func (w *segmentWriter) term(sentences int) {
	if len(w.stems) > math.MaxUint32 || len(w.kept) > math.MaxInt32 {
		w.err = errors.New("a segment of nearest sentences has no room for so many words")
	}
	w.terms = binary.LittleEndian.AppendUint64(w.terms, w.at-uint64(len(segmentMagic)))
	w.terms = binary.LittleEndian.AppendUint32(w.terms, uint32(len(w.stems))) //nolint:gosec // checked above
	w.terms = binary.LittleEndian.AppendUint32(w.terms, uint32(sentences))    //nolint:gosec // checked above
}

// sentences writes what there is of each.
func (w *segmentWriter) sentences() {
	var b []byte
	for _, square := range w.squares {
		b = binary.LittleEndian.AppendUint32(b[:0], math.Float32bits(root(square)))
		w.write(b)
	}
	w.mark()
	for _, square := range w.squares {
		w.write(append(b[:0], round(root(square))))
	}
	w.mark()
	for _, old := range w.kept {
		id := w.id(int(old))
		w.write(id[:])
	}
}

// end writes the footer.
func (w *segmentWriter) end() error {
	if w.corpus.base.Damaged() && w.err == nil {
		w.err = ErrSegment
	}
	for _, n := range []int{len(w.terms)/termSize - 1, len(w.kept), len(w.files) / fileSize} {
		w.footer = binary.LittleEndian.AppendUint32(w.footer, uint32(n)) //nolint:gosec // memory ends before
	}
	w.footer = binary.LittleEndian.AppendUint32(w.footer, w.sum)
	sum := crc32.Checksum(w.terms, castagnoli)
	sum = crc32.Update(sum, castagnoli, w.files)
	sum = crc32.Update(sum, castagnoli, w.footer)
	w.write(binary.LittleEndian.AppendUint32(w.footer, sum))
	return errors.Join(w.err, w.to.Flush())
}
