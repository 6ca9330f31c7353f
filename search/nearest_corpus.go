package search

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/google/uuid"
	"golang.org/x/sys/unix"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/nlp"
)

// corpus is the sentences of a team: those of an index that is stored, and what has
// changed since.
type corpus struct {
	index  string // the id of its bytes; "" where there is none
	mapped *mapping
	base   *nlp.CorpusSegment

	// Guarded by Nearest.mu.
	users  int // the table of teams counts as one
	asked  time.Time
	forget *time.Timer

	counted atomic.Int64 // when files were counted last, in Unix nanoseconds

	mu      sync.RWMutex
	words   *nlp.Corpus
	ids     [][16]byte           // by number in words, behind those of the base
	files   map[[16]byte]reading // that are not as they are in the base
	gone    map[int]bool         // places in the base of files that are not as they are there
	removed int                  // sentences behind the base that words holds in vain
	seen    time.Time            // the newest change
}

// reading is which text of a file is known, and the numbers of its sentences.
type reading struct{ generation, first, end int }

// newCorpus is one of what is mapped, or without sentences.
func newCorpus(base *nlp.CorpusSegment, mapped *mapping) *corpus {
	return &corpus{
		base: base, mapped: mapped, words: nlp.NewCorpusOn(base), users: 1,
		files: map[[16]byte]reading{}, gone: map[int]bool{},
	}
}

// mapping is the bytes of a file in memory, without being copied there.
type mapping struct {
	data    []byte
	release func()
}

func mapFile(path string, release func()) (*mapping, error) {
	f, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(f) }()
	var stat unix.Stat_t
	if err := unix.Fstat(f, &stat); err != nil {
		return nil, err
	}
	if stat.Size == 0 {
		return nil, nlp.ErrSegment
	}
	data, err := unix.Mmap(f, 0, int(stat.Size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return &mapping{data, release}, nil
}

func (m *mapping) close() {
	if m != nil {
		_ = unix.Munmap(m.data)
		m.release()
	}
}

// errDamaged is that the stored index of a team cannot be read.
var errDamaged = errors.New("the index of nearest sentences is damaged")

// openIndex maps an index. It is NotFound where the store does not have it, and
// errDamaged where its bytes are none.
func openIndex(ctx context.Context, stored Stored, bytesID string) (*corpus, error) {
	path, release, err := stored(ctx, bytesID)
	if err != nil {
		return nil, err
	}
	m, err := mapFile(path, release)
	if err != nil {
		release()
		if errors.Is(err, unix.ENOENT) {
			err = fault.Wrap(fault.NotFound, "not found", err)
		}
		if errors.Is(err, nlp.ErrSegment) {
			err = errDamaged
		}
		return nil, err
	}
	c := newCorpus(&nlp.CorpusSegment{}, m)
	err = c.guarded(func() error {
		base, err := nlp.OpenSegment(m.data)
		if err == nil {
			c.base, c.words = base, nlp.NewCorpusOn(base)
		}
		return err
	})
	if err != nil {
		m.close()
		return nil, errDamaged
	}
	c.index = bytesID
	return c, nil
}

// guarded does what reads the base. It is errDamaged where that is not what was written,
// or where the disk does not give the bytes that are mapped: without this the process
// would end, as where a network file system has lost the file.
func (c *corpus) guarded(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			if at, ok := p.(interface{ Addr() uintptr }); !ok || !c.mapped.has(at.Addr()) {
				panic(p)
			}
			err = errDamaged
		}
	}()
	if err = do(); err == nil && c.base.Damaged() {
		err = errDamaged
	}
	return err
}

// has reports whether an address is one of the mapping.
func (m *mapping) has(address uintptr) bool {
	if m == nil {
		return false
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(m.data)))
	return address >= from && address < from+uintptr(len(m.data))
}

// update reads what has changed since the newest change known, and what was deleted since.
// Where that does not explain how many files there are, it compares them all. They are
// counted now and then, or where it has to be sure: what is shown is read from the
// database, and filtered there, so files that are gone are never shown. It reports whether
// most of what is in memory is there in vain: all of it should be forgotten, and read anew.
func (c *corpus) update(ctx context.Context, d *db.DB, in db.Scope, sure bool) (worn bool, err error) {
	in = db.System(in.TeamID) // all sentences, regardless of the caller
	c.mu.RLock()
	seen, known := c.seen, c.count()
	c.mu.RUnlock()
	if !seen.IsZero() {
		seen = seen.Add(-overlap)
	}
	states, err := d.TextStates(ctx, in, seen)
	if err != nil {
		return false, err
	}
	files := -1
	if !c.stale(states) {
		now := time.Now().UnixNano()
		if !sure && now-c.counted.Load() < int64(countEach) {
			return false, nil
		}
		if files, err = d.CountTextFiles(ctx, in); err != nil {
			return false, err
		}
		if files == known {
			c.counted.Store(now)
			return false, nil
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refresh(ctx, d, in, states, seen, files)
}

// stale reports whether one of states is not known.
func (c *corpus) stale(states []db.TextState) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.ContainsFunc(states, func(s db.TextState) bool { return c.changed(s.TextFile) })
}

// refresh reads what is new in states, which are those that have changed since a time.
// Files is how many there are, or -1. What was read stays where it fails halfway. Hold c.
func (c *corpus) refresh(ctx context.Context, d *db.DB, in db.Scope, states []db.TextState, since time.Time, files int) (worn bool, err error) {
	list := make([]db.TextFile, len(states))
	for i, s := range states {
		list[i] = s.TextFile
	}
	if err := c.readFiles(ctx, d, in, list); err != nil {
		return false, err
	}
	for _, s := range states {
		if s.ProgressAt.After(c.seen) {
			c.seen = s.ProgressAt
		}
	}
	if files < 0 {
		if files, err = d.CountTextFiles(ctx, in); err != nil {
			return false, err
		}
	}
	if files != c.count() && !since.IsZero() {
		gone, err := d.DeletedFiles(ctx, in, since, "", mostDeleted)
		if err != nil {
			return false, err
		}
		for _, f := range gone {
			if id, err := uuid.Parse(f.FileID); err == nil {
				c.remove(id)
			}
		}
	}
	if files != c.count() {
		all, _, err := d.TextFiles(ctx, in)
		if err != nil {
			return false, err
		}
		c.keepOnly(all)
		if err := c.readFiles(ctx, d, in, all); err != nil {
			return false, err
		}
	}
	c.words.Settle()
	return c.removed > len(c.ids)/2, nil
}

// readFiles reads those of some whose text is not known. Hold c.
func (c *corpus) readFiles(ctx context.Context, d *db.DB, in db.Scope, some []db.TextFile) error {
	some = slices.DeleteFunc(some, func(f db.TextFile) bool { return !c.changed(f) })
	for part := range slices.Chunk(some, filesAtOnce) {
		ids := make([]string, len(part))
		for i, f := range part {
			ids[i] = uuid.UUID(f.ID).String()
		}
		texts, err := d.SentenceTexts(ctx, in, db.SentenceFilter{FileIDs: ids})
		if err != nil {
			return err
		}
		byFile := make(map[string][]db.SentenceText, len(part))
		for _, t := range texts {
			byFile[t.FileID] = append(byFile[t.FileID], t)
		}
		for i, f := range part {
			c.replace(f, byFile[ids[i]])
		}
	}
	return nil
}

// count is how many files are known. Hold c.
func (c *corpus) count() int { return c.base.Files() - len(c.gone) + len(c.files) }

// changed reports whether the text of a file is not known. Hold c.
func (c *corpus) changed(f db.TextFile) bool {
	if known, ok := c.files[f.ID]; ok {
		return known.generation != f.Generation
	}
	at, ok := c.base.FindFile(f.ID)
	return !ok || c.gone[at] || c.base.File(at).Generation != f.Generation
}

// replace makes texts those of a file. Hold c.
func (c *corpus) replace(f db.TextFile, texts []db.SentenceText) {
	c.remove(f.ID)
	first := c.words.Len()
	for _, t := range texts {
		c.words.Add(t.Text)
		c.ids = append(c.ids, t.ID)
	}
	c.files[f.ID] = reading{f.Generation, first, c.words.Len()}
}

// remove forgets a file. Hold c.
func (c *corpus) remove(id [16]byte) {
	if r, ok := c.files[id]; ok {
		c.take(r.first, r.end)
		c.removed += r.end - r.first
		delete(c.files, id)
	} else if at, ok := c.base.FindFile(id); ok {
		c.removeFromBase(at)
	}
}

// removeFromBase forgets the file at a place in the base. Hold c.
func (c *corpus) removeFromBase(at int) {
	if !c.gone[at] {
		f := c.base.File(at)
		c.take(f.First, f.End)
		c.gone[at] = true
	}
}

// take takes sentences out of what is found. Hold c.
func (c *corpus) take(first, end int) {
	for sentence := first; sentence < end; sentence++ {
		c.words.Remove(sentence)
	}
}

// keepOnly forgets all files but those of a list. Hold c.
func (c *corpus) keepOnly(list []db.TextFile) {
	there := make([]bool, c.base.Files())
	added := make(map[[16]byte]bool, len(c.files))
	for _, f := range list {
		if _, ok := c.files[f.ID]; ok {
			added[f.ID] = true
		} else if at, ok := c.base.FindFile(f.ID); ok {
			there[at] = true
		}
	}
	for at, ok := range there {
		if !ok {
			c.removeFromBase(at)
		}
	}
	for id := range c.files {
		if !added[id] {
			c.remove(id)
		}
	}
}

// id is that of a sentence. Hold c.
func (c *corpus) id(sentence int) [16]byte {
	if own := sentence - c.base.Len(); own >= 0 {
		return c.ids[own]
	}
	return c.base.ID(sentence)
}

// ask asks a question about a team's sentences as they are now. Where the index that is
// stored turns out to be damaged, it is asked anew without it.
func (n *Nearest) ask(ctx context.Context, in db.Scope, question func(c *corpus) error) error {
	for {
		c, err := n.open(ctx, in)
		if err != nil {
			return err
		}
		var worn bool
		err = c.guarded(func() (err error) {
			if worn, err = c.update(ctx, n.db, in, false); err == nil {
				err = question(c)
			}
			return err
		})
		if worn || errors.Is(err, errDamaged) {
			n.drop(in.TeamID, c)
		}
		n.leave(c)
		if !errors.Is(err, errDamaged) {
			return err
		}
		n.distrust(ctx, in, c.index, err)
	}
}

// open is what is kept of a team, and keeps it for a while longer. Call leave after it.
func (n *Nearest) open(ctx context.Context, in db.Scope) (*corpus, error) {
	if c := n.kept(ctx, in); c != nil {
		return c, nil
	}
	c, err := n.load(ctx, in)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if other := n.teams[in.TeamID]; other != nil { // opened by somebody else meanwhile
		c.mapped.close()
		other.users++
		return other, nil
	}
	n.keep(in.TeamID, c)
	c.users++
	return c, nil
}

// kept is what is in memory of a team; nil where nothing is. Now and then it has
// somebody look for another index.
func (n *Nearest) kept(ctx context.Context, in db.Scope) *corpus {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.teams[in.TeamID]
	if c == nil {
		return nil
	}
	c.users++
	c.forget.Reset(idle)
	if n.stored != nil && time.Since(c.asked) > renewed {
		c.asked = time.Now()
		c.users++
		go func() {
			defer n.leave(c)
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewed)
			defer cancel()
			if err := n.renew(ctx, in, c); err != nil {
				n.log.WarnContext(ctx, "the index of nearest sentences could not be renewed", slog.String("team", in.TeamID), slog.Any("error", err))
			}
		}()
	}
	return c
}

// keep puts a corpus into the table. Hold n.
func (n *Nearest) keep(teamID string, c *corpus) {
	n.teams[teamID] = c
	c.asked = time.Now()
	c.forget = time.AfterFunc(idle, func() { n.drop(teamID, c) })
}

// leave ends the use of a corpus. The last one who leaves unmaps it.
func (n *Nearest) leave(c *corpus) {
	n.mu.Lock()
	c.users--
	last := c.users == 0
	n.mu.Unlock()
	if last {
		c.mapped.close()
	}
}

// drop lets go of a corpus, if it is that of a team.
func (n *Nearest) drop(teamID string, c *corpus) {
	n.mu.Lock()
	dropped := n.teams[teamID] == c
	if dropped {
		c.forget.Stop()
		delete(n.teams, teamID)
	}
	n.mu.Unlock()
	if dropped {
		n.leave(c)
	}
}

// renew puts the index that a team has now in the place of an older one, once it is up to
// date. Questions are answered from the older one meanwhile.
func (n *Nearest) renew(ctx context.Context, in db.Scope, old *corpus) error {
	row, err := n.row(ctx, in)
	if err != nil || row.BytesID == "" || row.BytesID == old.index {
		return err
	}
	c, err := n.load(ctx, in)
	if err != nil {
		return err
	}
	if c.index != "" {
		err = c.guarded(func() error {
			_, err := c.update(ctx, n.db, in, true)
			return err
		})
	}
	n.mu.Lock()
	replaced := err == nil && c.index != "" && n.teams[in.TeamID] == old
	if replaced {
		old.forget.Stop()
		n.keep(in.TeamID, c)
		old.users-- // that of the table; the caller is one more
	}
	n.mu.Unlock()
	if !replaced {
		c.mapped.close()
	}
	return err
}

// row is the index that a team has stored, if it can be read; one without bytes if not.
func (n *Nearest) row(ctx context.Context, in db.Scope) (db.NearestIndex, error) {
	row, err := n.db.NearestIndex(ctx, in)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return row, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if err != nil || row.Format != nlp.SegmentFormat || n.distrusted[in.TeamID] == row.BytesID {
		return db.NearestIndex{}, nil
	}
	return row, nil
}

// load maps the index of a team. Where there is none, or it cannot be read, the corpus is
// empty: all sentences are read then.
func (n *Nearest) load(ctx context.Context, in db.Scope) (*corpus, error) {
	for before := ""; n.stored != nil; {
		row, err := n.row(ctx, in)
		if err != nil {
			return nil, err
		}
		if row.BytesID == "" {
			break
		}
		c, err := openIndex(ctx, n.stored, row.BytesID)
		if err == nil {
			c.seen = row.Seen
			return c, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		// A worker may have replaced it since the row was read, and removed its bytes.
		gone := fault.KindOf(err) == fault.NotFound
		if gone && before != row.BytesID {
			before = row.BytesID
			continue
		}
		if gone || errors.Is(err, errDamaged) {
			n.distrust(ctx, in, row.BytesID, err)
			continue
		}
		n.log.WarnContext(ctx, "the index of nearest sentences is not available: all sentences of a team are read instead",
			slog.String("team", in.TeamID), slog.Any("error", err))
		break
	}
	return newCorpus(&nlp.CorpusSegment{}, nil), nil
}

// distrust has an index that cannot be read built anew, and not read again until then.
func (n *Nearest) distrust(ctx context.Context, in db.Scope, bytesID string, cause error) {
	n.mu.Lock()
	n.distrusted[in.TeamID] = bytesID
	n.mu.Unlock()
	n.log.ErrorContext(ctx, "the index of nearest sentences cannot be read: all sentences of a team are read instead, and it is built anew",
		slog.String("team", in.TeamID), slog.String("index", bytesID), slog.Any("error", cause))
	if err := n.db.DropNearestIndex(ctx, in, bytesID); err != nil {
		n.log.WarnContext(ctx, "the index could not be forgotten", slog.String("team", in.TeamID), slog.Any("error", err))
	}
}
