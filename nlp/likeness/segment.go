package likeness

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"sort"
	"sync/atomic"
)

// Segment is a corpus as Corpus.Write has written it: an inverted index that is read
// where it is, in a mapped file or in memory, and takes next to nothing of its own.
// Several goroutines may read it at once. Whatever its bytes are, reading them does not
// panic; Damaged reports what OpenSegment could not see.
//
// Numbers are little-endian. It begins with the magic. Then come, each directly after
// the one before:
//
//	posting lists  by term
//	terms          for each: where its list begins (8 bytes), where its stem begins
//	               (4 bytes), how many sentences have it (4 bytes); and one more, which
//	               ends the last
//	stems          in their order, without separators
//	norms          by sentence, a float32: the length of its vector
//	rounded        by sentence, a byte: its norm rounded down, see round
//	ids            by sentence, 16 bytes
//	files          by id: the id (16 bytes), generation, first sentence, end (4 bytes each)
//	footer         see below
//
// A posting list is in blocks of 128 sentences. One of several blocks begins with a
// table: for each, its last sentence and where its bytes end (4 bytes each). In a block
// there is, for each sentence, how many there are between it and the one before, as a
// varint.
type Segment struct {
	lists    []byte
	terms    []byte
	stems    []byte
	norms    []byte
	rounded  []byte
	ids      []byte
	files    []byte
	all      []byte
	numTerms int
	numFiles int
	length   int
	sum      uint32 // of all before the footer
	damaged  atomic.Bool
}

// SegmentFormat changes with the layout of segments, and with what the stems of a text
// are: a segment of another format is not read.
const SegmentFormat = 1

const (
	segmentMagic = "clausemill nearest \x01\r\n"
	blockSize    = 128
	termSize     = 16
	fileSize     = 28
	parts        = 7
	footerSize   = parts*8 + 3*4 + 2*4
)

// ErrSegment is that bytes are no segment of this format, or a damaged one.
var ErrSegment = errors.New("these bytes are no segment of nearest sentences, or are damaged")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// SegmentFile is a file whose sentences are in a segment, from First to before End.
type SegmentFile struct {
	ID         [16]byte
	Generation int
	First, End int
}

// OpenSegment reads data, which must not change while the segment is used. It is
// ErrSegment where the layout is not whole; the posting lists are not looked at.
func OpenSegment(data []byte) (*Segment, error) {
	if len(data) < len(segmentMagic)+footerSize || string(data[:len(segmentMagic)]) != segmentMagic {
		return nil, ErrSegment
	}
	footer := data[len(data)-footerSize:]
	var at [parts + 1]uint64
	for i := range parts {
		at[i] = binary.LittleEndian.Uint64(footer[8*i:])
	}
	at[parts] = uint64(len(data) - footerSize)
	counts := footer[parts*8:]
	terms, length, files := uint64(u32(counts)), uint64(u32(counts[4:])), uint64(u32(counts[8:]))
	before := uint64(len(segmentMagic))
	for _, next := range at {
		if next < before {
			return nil, ErrSegment
		}
		before = next
	}
	if at[0] != uint64(len(segmentMagic)) || at[2]-at[1] != (terms+1)*termSize || at[4]-at[3] != length*4 ||
		at[5]-at[4] != length || at[6]-at[5] != length*16 || at[7]-at[6] != files*fileSize || terms > math.MaxInt32/2 || length > math.MaxUint32/2 {
		return nil, ErrSegment
	}
	s := &Segment{
		lists: data[at[0]:at[1]], terms: data[at[1]:at[2]], stems: data[at[2]:at[3]], norms: data[at[3]:at[4]],
		rounded: data[at[4]:at[5]], ids: data[at[5]:at[6]], files: data[at[6]:at[7]], all: data,
		numTerms: int(terms), numFiles: int(files), length: int(length), //nolint:gosec // bounded above, and by the data
		sum: u32(counts[12:]),
	}
	if s.layout() != u32(counts[16:]) || !s.ordered() {
		return nil, ErrSegment
	}
	return s, nil
}

func u32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

// layout is the checksum of all that says where something is.
func (s *Segment) layout() uint32 {
	sum := crc32.Checksum(s.terms, castagnoli)
	sum = crc32.Update(sum, castagnoli, s.files)
	footer := s.all[len(s.all)-footerSize:]
	return crc32.Update(sum, castagnoli, footer[:footerSize-4])
}

// ordered reports whether the tables lead to places that are there.
func (s *Segment) ordered() bool {
	var list uint64
	var stem, before uint32
	for at := 0; at < len(s.terms); at += termSize {
		l, t, n := s.term(at / termSize)
		if l < list || t < stem || int(n) > s.length || at > 0 && before == 0 {
			return false
		}
		list, stem, before = l, t, n
	}
	if list != uint64(len(s.lists)) || int(stem) != len(s.stems) || before != 0 {
		return false
	}
	var last []byte
	for i := range s.numFiles {
		id, f := s.files[i*fileSize:][:16], s.File(i)
		if i > 0 && bytes.Compare(last, id) >= 0 || f.First > f.End || f.End > s.length {
			return false
		}
		last = id
	}
	return true
}

// term is where the list and the stem of a term begin, and how many sentences have it.
func (s *Segment) term(i int) (list uint64, stem, sentences uint32) {
	entry := s.terms[i*termSize:][:termSize]
	return binary.LittleEndian.Uint64(entry), u32(entry[8:]), u32(entry[12:])
}

// Whole reports whether all bytes are what was written. It reads them all.
func (s *Segment) Whole() bool {
	return crc32.Checksum(s.all[:len(s.all)-footerSize], castagnoli) == s.sum
}

// Damaged reports whether a posting list was found to be damaged when it was read: what
// was answered since the segment was opened may be wrong.
func (s *Segment) Damaged() bool { return s.damaged.Load() }

// Len is the number of sentences.
func (s *Segment) Len() int { return s.length }

// ID is the id of a sentence.
func (s *Segment) ID(sentence int) [16]byte { return [16]byte(s.ids[sentence*16:]) }

// Files is the number of files.
func (s *Segment) Files() int { return s.numFiles }

// File is one of the files, which are in the order of their ids.
func (s *Segment) File(i int) SegmentFile {
	b := s.files[i*fileSize:][:fileSize]
	return SegmentFile{[16]byte(b), int(u32(b[16:])), int(u32(b[20:])), int(u32(b[24:]))}
}

// FindFile is the place of the file with an id.
func (s *Segment) FindFile(id [16]byte) (i int, ok bool) {
	return sort.Find(s.numFiles, func(i int) int { return bytes.Compare(id[:], s.files[i*fileSize:][:16]) })
}

// stem is the stem of a term.
func (s *Segment) stem(term int) []byte {
	_, from, _ := s.term(term)
	_, to, _ := s.term(term + 1)
	return s.stems[from:to]
}

// find is the term of a stem.
func (s *Segment) find(stem string) (term int32, ok bool) {
	i, ok := sort.Find(s.numTerms, func(i int) int { return cmp.Compare(stem, string(s.stem(i))) })
	return int32(i), ok //nolint:gosec // bounded by OpenSegment
}

// count is how many sentences have a term.
func (s *Segment) count(term int32) int {
	_, _, n := s.term(int(term))
	return int(n)
}

// norm is the length of the vector of a sentence.
func (s *Segment) norm(sentence uint32) float32 {
	return math.Float32frombits(u32(s.norms[4*sentence:]))
}

// cursor goes through the sentences that have a term: those of a segment, and then
// those that were added since.
type cursor struct {
	rest  []uint32 // of the block that was decoded, or of what was added
	added []uint32 // behind all blocks

	segment *Segment
	table   []byte // of several blocks
	data    []byte // of all blocks
	left    int    // sentences in blocks that were not decoded
	block   int    // the next one
	last    uint32 // one more than the last sentence of the block before
	at      uint32 // where the next block begins in data
	buffer  []uint32
}

// cursor is one at the begin of the list of a term of the segment.
func (s *Segment) cursor(term int32, added []uint32) cursor {
	from, _, n := s.term(int(term))
	to, _, _ := s.term(int(term) + 1)
	c := cursor{segment: s, data: s.lists[from:to], left: int(n), added: added}
	if n > blockSize {
		size := (c.left + blockSize - 1) / blockSize * 8
		if size > len(c.data) {
			c.damage()
			return c
		}
		c.table, c.data = c.data[:size], c.data[size:]
	}
	return c
}

// damage ends a list that cannot be read on.
func (c *cursor) damage() {
	c.segment.damaged.Store(true)
	c.left = 0
}

// ends is the last sentence of the next block and where its bytes end.
func (c *cursor) ends() (last, end uint32) {
	if c.table == nil {
		return uint32(c.segment.length) - 1, uint32(len(c.data)) //nolint:gosec // bounded by OpenSegment, and a block
	}
	entry := c.table[c.block*8:]
	return u32(entry), u32(entry[4:])
}

// next makes rest the next block, or what was added; false where there is no more.
func (c *cursor) next() bool {
	if c.left > 0 {
		n := min(c.left, blockSize)
		last, end := c.ends()
		if c.buffer == nil {
			c.buffer = make([]uint32, 0, n)
		}
		if c.rest = c.decode(c.buffer[:0], n, last, end); c.rest != nil {
			c.pass(n, last, end)
			return true
		}
		c.damage()
	}
	c.rest, c.added = c.added, nil
	return len(c.rest) > 0
}

// pass makes the block after the next one the next.
func (c *cursor) pass(n int, last, end uint32) {
	c.left -= n
	c.block++
	c.last, c.at = last+1, end
}

// decode appends the next block, of n sentences, to list; nil where it is damaged.
func (c *cursor) decode(list []uint32, n int, last, end uint32) []uint32 {
	if end < c.at || int(end) > len(c.data) || int(last) >= c.segment.length {
		return nil
	}
	data := c.data[c.at:end]
	next := uint64(c.last)
	i := 0
	for range n {
		if i >= len(data) {
			return nil
		}
		gap := uint64(data[i])
		if i++; gap >= 0x80 {
			more, size := binary.Uvarint(data[i:])
			if size <= 0 || size > 4 {
				return nil
			}
			gap = gap&0x7f | more<<7
			i += size
		}
		if next += gap; next > uint64(last) {
			return nil
		}
		list = append(list, uint32(next)) //nolint:gosec // at most last
		next++
	}
	if i != len(data) || c.table != nil && next != uint64(last)+1 {
		return nil
	}
	return list
}

// peek is the next sentence; false where there is none.
func (c *cursor) peek() (sentence uint32, ok bool) {
	if len(c.rest) == 0 && !c.next() {
		return 0, false
	}
	return c.rest[0], true
}

// has reports whether a sentence has the term, and goes to behind it. Blocks before it
// are not decoded.
func (c *cursor) has(sentence uint32) bool {
	if len(c.rest) == 0 || c.rest[len(c.rest)-1] < sentence {
		c.rest = nil
		for c.left > 0 {
			last, end := c.ends()
			if last >= sentence {
				break
			}
			c.pass(min(c.left, blockSize), last, end)
		}
		if !c.next() {
			return false
		}
	}
	i := sort.Search(len(c.rest), func(i int) bool { return c.rest[i] >= sentence })
	c.rest = c.rest[i:]
	return len(c.rest) > 0 && c.rest[0] == sentence
}
