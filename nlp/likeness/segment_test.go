package likeness

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// shelf is files of sentences, as xho asks a corpus keeps them.
type shelf struct {
	*Corpus

	files []SegmentFile
	ids   map[int][16]byte // by sentence
	texts map[[16]byte]string
	next  uint64
}

func newShelf() *shelf {
	return &shelf{Corpus: NewCorpus(), ids: map[int][16]byte{}, texts: map[[16]byte]string{}}
}

func (s *shelf) newID() (id [16]byte) {
	s.next++
	binary.BigEndian.PutUint64(id[:], s.next*0x9e3779b97f4a7c15) // not in the order in which they are made
	return id
}

func (s *shelf) add(texts ...string) {
	f := SegmentFile{ID: s.newID(), Generation: len(texts), First: s.Len()}
	for _, text := range texts {
		id := s.newID()
		s.texts[id] = text
		s.ids[s.Add(text)] = id
	}
	f.End = s.Len()
	s.files = append(s.files, f)
}

// remove removes a file.
func (s *shelf) remove(i int) {
	for sentence := s.files[i].First; sentence < s.files[i].End; sentence++ {
		s.Remove(sentence)
		delete(s.texts, s.ids[sentence])
		delete(s.ids, sentence)
	}
	s.files = slices.Delete(s.files, i, i+1)
}

// write has everything in a segment from here on.
func (s *shelf) write(t testing.TB) []byte {
	t.Helper()
	var to bytes.Buffer
	n, err := s.Write(&to, s.files, func(sentence int) [16]byte { return s.ids[sentence] })
	require.NoError(t, err)
	segment, err := OpenSegment(to.Bytes())
	require.NoError(t, err)
	require.True(t, segment.Whole())
	require.Equal(t, n, segment.Len())
	s.Corpus, s.ids = NewCorpusOn(segment), map[int][16]byte{}
	require.Equal(t, len(s.files), segment.Files())
	for i := range s.files {
		at, ok := segment.FindFile(s.files[i].ID)
		require.True(t, ok)
		f := segment.File(at)
		require.Equal(t, s.files[i].Generation, f.Generation)
		s.files[i] = f
	}
	for sentence := range segment.Len() {
		s.ids[sentence] = segment.ID(sentence)
	}
	_, ok := segment.FindFile(s.newID())
	require.False(t, ok)
	return to.Bytes()
}

// check compares what is nearest with the cosine of every sentence that is there.
func (s *shelf) check(t testing.TB, query string, n int) {
	t.Helper()
	v := s.Vector(query)
	scores := map[[16]byte]float64{}
	for id, text := range s.texts {
		if score := v.Likeness(s.Vector(text)); score > 0 {
			scores[id] = score
		}
	}
	want := slices.Sorted(mapValues(scores))
	slices.Reverse(want)
	found := s.Nearest(query, n)
	require.Len(t, found, min(n, len(want)), query)
	for i, f := range found {
		require.InDelta(t, want[i], f.Score, 1e-5, query)
		require.InDelta(t, scores[s.ids[f.Sentence]], f.Score, 1e-5, query)
		require.True(t, i == 0 || !worse(found[i-1], f), "the closest first, and equals in their order")
	}
	require.False(t, s.base.Damaged())
}

func mapValues(m map[[16]byte]float64) func(yield func(float64) bool) {
	return func(yield func(float64) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// letters makes sentences of words some of which are rare.
type letters struct{ *rand.Rand }

func (r letters) sentence() string {
	words := make([]string, 1+r.IntN(9))
	for i := range words {
		words[i] = "x" + string(rune('a'+min(r.IntN(26), r.IntN(26), r.IntN(26)))) + string(rune('a'+min(r.IntN(26), r.IntN(26), r.IntN(26))))
	}
	return strings.Join(words, " ")
}

func (r letters) sentences(n int) []string {
	list := make([]string, r.IntN(2*n))
	for i := range list {
		list[i] = r.sentence()
	}
	return list
}

// TestSegmentIsExact has files come, go and be written, and asks in between.
func TestSegmentIsExact(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		r := letters{rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // a test
		s := newShelf()
		for range 40 {
			switch r.IntN(8) {
			case 0:
				s.write(t)
			case 1, 2:
				if len(s.files) > 0 {
					s.remove(r.IntN(len(s.files)))
				}
			default:
				s.add(r.sentences(60)...)
			}
			for range 4 {
				s.check(t, r.sentence(), 1+r.IntN(30))
			}
		}
		if seed%2 == 0 {
			for len(s.files) > 0 {
				s.remove(0)
			}
		}
		s.write(t)
		require.Equal(t, len(s.texts), s.Len())
		s.check(t, r.sentence(), 10)
	}
}

// TestManyWindows has more sentences than are looked at together, and lists of many
// blocks.
func TestManyWindows(t *testing.T) {
	t.Parallel()
	r := letters{rand.New(rand.NewPCG(3, 4))} //nolint:gosec // a test
	s := newShelf()
	for s.Len() < 2*window {
		s.add(r.sentences(200)...)
	}
	s.add(slices.Repeat([]string{"seldom here"}, 3)...)
	memory := s.Corpus
	queries := []string{"seldom", "xaa seldom xzz unheard", "xaa xab xac xad xae xaf xag", r.sentence(), r.sentence()}
	for _, query := range queries {
		s.check(t, query, 10)
	}
	s.Settle()
	answers := map[string][]Likeness{}
	for _, query := range queries {
		answers[query] = s.Nearest(query, 100)
	}
	s.write(t)
	require.Equal(t, memory.Len(), s.Len())
	for _, query := range queries {
		s.check(t, query, 10)
		for i, f := range s.Nearest(query, 100) {
			require.InDelta(t, answers[query][i].Score, f.Score, 1e-6, "written or in memory is the same")
			require.Equal(t, answers[query][i].Sentence, f.Sentence)
		}
	}
	s.remove(0)
	s.add("seldom xaa", "new words")
	for _, query := range append(queries, "new xaa words") {
		s.check(t, query, 10)
		s.check(t, query, 1000)
	}
}

// TestSegmentWithoutWords leaves out what can never be found, but not its file.
func TestSegmentWithoutWords(t *testing.T) {
	t.Parallel()
	s := newShelf()
	s.add("of the", "30 60")
	s.add("The seller pays.", "of")
	s.add()
	s.write(t)
	require.Equal(t, 1, s.Len())
	s.write(t)
	require.Len(t, s.files, 3)
	require.Len(t, s.Nearest("sellers", 5), 1)
	require.Equal(t, 1, s.Corpus.Add("A buyer."))
	s.Remove(1)
	require.Empty(t, s.Nearest("buyer", 5))
}

// TestSegmentFormat fails where segments become others than those that are stored:
// because of their layout, or because words have other stems. SegmentFormat goes up then.
func TestSegmentFormat(t *testing.T) {
	t.Parallel()
	s := newShelf()
	s.add("The parties agreed on relational databases.", "Die Verträge der Käuferin's gelten.", "co-operation, e-mail and non-\ncompetition")
	r := letters{rand.New(rand.NewPCG(7, 7))} //nolint:gosec // a test
	s.add(r.sentences(600)...)
	s.write(t)
	var sum uint32
	for _, part := range [][]byte{s.base.lists, s.base.terms, s.base.stems, s.base.ids, s.base.files} { // norms may differ in their last bit
		sum = crc32.Update(sum, castagnoli, part)
	}
	const known = "1: aee020d5"
	require.Equal(t, known, fmt.Sprintf("%d: %08x", SegmentFormat, sum))
}

// TestSegmentThatFails stops where it cannot be written.
func TestSegmentThatFails(t *testing.T) {
	t.Parallel()
	s := newShelf()
	s.add(slices.Repeat([]string{"The seller pays."}, 9000)...)
	full := errors.New("the disk is full")
	_, err := s.Write(broken{full}, s.files, func(sentence int) [16]byte { return s.ids[sentence] })
	require.ErrorIs(t, err, full)
}

type broken struct{ error }

func (b broken) Write([]byte) (int, error) { return 0, b.error }

// sealed gives a segment the checksum that its layout should have.
func sealed(data []byte) []byte {
	data = slices.Clone(data)
	if len(data) < footerSize {
		return data
	}
	footer := data[len(data)-footerSize:]
	part := func(from, to uint64) []byte {
		if from > to || to > uint64(len(data)) {
			return nil
		}
		return data[from:to]
	}
	at := func(i int) uint64 { return binary.LittleEndian.Uint64(footer[8*i:]) }
	sum := crc32.Checksum(part(at(1), at(2)), castagnoli)
	sum = crc32.Update(sum, castagnoli, part(at(parts-1), uint64(len(data)-footerSize)))
	sum = crc32.Update(sum, castagnoli, footer[:footerSize-4])
	binary.LittleEndian.PutUint32(footer[footerSize-4:], sum)
	return data
}

// useAll does with a segment whatever can be done.
func useAll(data []byte) (opened bool) {
	segment, err := OpenSegment(data)
	if err != nil {
		return false
	}
	segment.Whole()
	c := NewCorpusOn(segment)
	for _, query := range []string{"xaa xab xac seller", "xba", "seldom xaa", "xaa xaa xbb xcc xdd xee xff"} {
		c.Nearest(query, 3)
		c.Nearest(query, 500)
		c.Vector(query)
	}
	for i := range segment.Len() {
		segment.ID(i)
	}
	files := make([]SegmentFile, segment.Files())
	for i := range files {
		files[i] = segment.File(i)
		segment.FindFile(files[i].ID)
	}
	if len(files) > 0 && files[0].First < files[0].End {
		c.Remove(files[0].First)
	}
	c.Add("xaa seller")
	c.Nearest("xaa seller", 5)
	// Overlapping files would have sentences written twice.
	slices.SortFunc(files, func(a, b SegmentFile) int { return cmp.Compare(a.First, b.First) })
	for i := range files {
		if i > 0 && files[i].First < files[i-1].End {
			return true
		}
	}
	_, _ = c.Write(&bytes.Buffer{}, files, segment.ID)
	return true
}

// segmentOf is one with lists of a few blocks.
func segmentOf(t testing.TB, sentences int) []byte {
	t.Helper()
	r := letters{rand.New(rand.NewPCG(1, 1))} //nolint:gosec // a test
	s := newShelf()
	s.add("The seller pays.")
	for s.Len() < sentences {
		s.add(r.sentences(max(1, sentences/8))...)
	}
	return s.write(t)
}

// TestDamagedSegment changes every byte, and cuts a segment off everywhere.
func TestDamagedSegment(t *testing.T) {
	t.Parallel()
	whole := segmentOf(t, 150)
	require.True(t, useAll(whole))
	for i := range whole {
		require.False(t, useAll(whole[:i]))
		if useAll(sealed(whole[:i])) {
			t.Fatal("a part is no segment")
		}
		changed := slices.Clone(whole)
		changed[i] ^= []byte{1, 0x80, 0xff}[i%3]
		if segment, err := OpenSegment(changed); err == nil {
			require.False(t, segment.Whole(), "byte %d", i)
			useAll(changed)
		}
		useAll(sealed(changed))
	}
	require.False(t, useAll(nil))
}

// TestDamagedTables has tables of blocks lead anywhere.
func TestDamagedTables(t *testing.T) {
	t.Parallel()
	whole := segmentOf(t, 2000)
	r := rand.New(rand.NewPCG(5, 5)) //nolint:gosec // a test
	for range 300 {
		data := slices.Clone(whole)
		for range 1 + r.IntN(20) {
			binary.LittleEndian.PutUint32(data[len(segmentMagic)+r.IntN(len(data)/2):], []uint32{0, 1, 1 << 31, 1<<32 - 1, r.Uint32() >> r.IntN(32)}[r.IntN(5)])
		}
		useAll(sealed(data))
	}
}

// TestDamageIsNoticed reads a list that xas changed.
func TestDamageIsNoticed(t *testing.T) {
	t.Parallel()
	data := segmentOf(t, 2000)
	segment, err := OpenSegment(data)
	require.NoError(t, err)
	clear(segment.lists)
	c := NewCorpusOn(segment)
	c.Nearest("xaa xab xac", 10)
	require.True(t, segment.Damaged())
	_, err = c.Write(&bytes.Buffer{}, nil, segment.ID)
	require.ErrorIs(t, err, ErrSegment)
}

func FuzzSegment(f *testing.F) {
	f.Add([]byte(segmentMagic))
	f.Add(segmentOf(f, 4))
	f.Add(segmentOf(f, 150))
	f.Fuzz(func(_ *testing.T, data []byte) {
		useAll(data)
		useAll(sealed(data))
	})
}

// BenchmarkSegment asks a segment of so many sentences for the ten closest of them, from
// eight sides at once.
func BenchmarkSegment(b *testing.B) {
	for _, n := range []int{600_000, 5_000_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			if n > 1_000_000 && testing.Short() {
				b.Skip("wants two gigabytes")
			}
			var queries []string
			sentences := sentencesLike(b, n)
			before := heap()
			c, i := NewCorpus(), 0
			for text := range sentences {
				if c.Add(text); i%(n/1000) == 0 {
					queries = append(queries, text)
				}
				i++
			}
			c.Settle()
			b.Logf("%.1f bytes a sentence in memory", (float64(heap())-float64(before))/float64(n))
			files := []SegmentFile{{End: c.Len()}}
			random := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // a benchmark
			id := func(int) (id [16]byte) {
				binary.LittleEndian.PutUint64(id[:], random.Uint64())
				return id
			}
			path := filepath.Join(b.TempDir(), "segment")
			f, err := os.Create(path)
			require.NoError(b, err)
			begin := time.Now()
			_, err = c.Write(f, files, id)
			require.NoError(b, err)
			require.NoError(b, f.Close())
			b.Logf("written in %s", time.Since(begin).Round(time.Millisecond))
			ask(b, "in memory", c, queries)
			c = nil

			data, err := os.ReadFile(path)
			require.NoError(b, err)
			before = heap()
			begin = time.Now()
			segment, err := OpenSegment(data)
			require.NoError(b, err)
			c = NewCorpusOn(segment)
			c.Nearest(queries[1], 10)
			b.Logf("opened and asked in %s", time.Since(begin).Round(time.Microsecond))
			ask(b, "segment", c, queries)
			b.Logf("%.1f bytes a sentence in the segment (%.1f of lists, %.1f of words), %.2f on the heap", float64(len(data))/float64(n), float64(len(segment.lists))/float64(n),
				float64(len(segment.terms)+len(segment.stems))/float64(n), float64(float64(heap())-float64(before))/float64(n))
			runtime.KeepAlive(c)
			runtime.KeepAlive(data)
			for b.Loop() {
				c.Nearest(queries[0], 10)
			}
		})
	}
}

// ask asks from eight sides at once, of which as many go on as there are processors, as
// where the service is asked. Of one question it also measures the processor time, which
// others on the machine do not change.
func ask(b *testing.B, name string, c *Corpus, queries []string) {
	b.Helper()
	took, busy := make([]time.Duration, len(queries)), make([]time.Duration, len(queries))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for side := range 8 {
		all.Go(func() {
			runtime.LockOSThread()
			for i := side; i < len(queries); i += 8 {
				begin := time.Now()
				slots <- struct{}{}
				started := processorTime(b)
				c.Nearest(queries[i], 10)
				busy[i] = processorTime(b) - started
				<-slots
				took[i] = time.Since(begin)
			}
		})
	}
	all.Wait()
	for what, list := range map[string][]time.Duration{"8 at once": took, "processor time": busy} {
		slices.Sort(list)
		var sum time.Duration
		for _, d := range list {
			sum += d
		}
		b.Logf("%s, %d questions, %s: mean %s, p50 %s, p95 %s", name, len(list), what, (sum / time.Duration(len(list))).Round(time.Microsecond),
			list[len(list)/2].Round(time.Microsecond), list[len(list)*95/100].Round(time.Microsecond))
	}
}

// processorTime is that of this thread.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		b.Error(err)
	}
	return time.Duration(t.Nano())
}
