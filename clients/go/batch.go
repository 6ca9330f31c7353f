package clausemill

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Item is one file of a batch: where it is, and how it fares.
type Item struct {
	Path    string
	Size    int64
	File    File  // as the server last described it; without an id until it is accepted
	Resumed bool  // an earlier run had sent it
	Err     error // why it is of no use, once it has ended

	modified time.Time
	previous string // the id under which the server had it once, and no longer has
}

// Watcher is notified of the progress of a batch. Its methods are called one at a
// time, and an item may be read only during a call about it.
type Watcher interface {
	Sending(item *Item, bytes int64) // so many bytes of it have gone out; its File is not to be read
	Accepted(item *Item)             // the server has it
	Moved(item *Item)                // its status on the server changed
	Ended(item *Item)                // nothing more will happen; see item.Err
}

// unwatched is the Watcher of nobody.
type unwatched struct{}

func (unwatched) Sending(*Item, int64) {}
func (unwatched) Accepted(*Item)       {}
func (unwatched) Moved(*Item)          {}
func (unwatched) Ended(*Item)          {}

// Batch brings files to a server.
type Batch struct {
	Client  *Client
	Journal *Journal // nil remembers nothing
	Watch   Watcher  // nil watches nothing
	Jobs    int      // uploads at a time
	Wait    bool     // follow each file until the server is done with it

	DocumentTypeID string // for every file, as is what follows
	MatterID       string
	Metadata       map[string]any
	Folders        map[string]string // of each file, by path; see Collect

	// Every is the pause between two questions about the files that are being
	// waited for; 0 is two seconds.
	Every time.Duration

	watching sync.Mutex
}

// ErrUnfinished is of a file that the server has, and works on, though the batch
// ended before it was done.
var (
	ErrUnfinished = errors.New("the server has it and is still processing it")
	errUnsent     = errors.New("not done: the batch ended before")
)

// Run sends the files at paths that the server does not have yet, and returns
// all of them with what became of each. The error is one that ended the batch:
// a key that is not accepted, a server that is gone, an ErrJournal, or ctx.
func (b *Batch) Run(ctx context.Context, paths []string) ([]*Item, error) {
	if b.Watch == nil {
		b.Watch = unwatched{}
	}
	items := make([]*Item, len(paths))
	for i, path := range paths {
		items[i] = &Item{Path: path}
	}
	err := b.run(ctx, items)
	for _, item := range items {
		if err != nil && item.Err == nil && (item.File.ID == "" || b.Wait && !item.File.Status.Ended()) {
			item.Err = errUnsent
			if item.File.ID != "" {
				item.Err = ErrUnfinished
			}
		}
	}
	return items, err
}

func (b *Batch) run(ctx context.Context, items []*Item) error {
	if err := b.resume(ctx, items); err != nil {
		return err
	}
	followed := newFollower(b)
	for _, item := range items {
		if item.Resumed {
			b.settle(followed, item)
		}
	}
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error {
		defer followed.last()
		return b.sendAll(ctx, groups(items), followed)
	})
	if b.Wait {
		all.Go(func() error { return followed.run(ctx) })
	}
	return all.Wait()
}

// Small files go many with one request: a key may make 100 a minute.
const (
	groupFiles = 25
	groupBytes = 8 << 20
)

// groups cuts items into what is sent together, and leaves out what need not be
// sent. It cuts first: another run after an interruption then makes the same
// requests of what is left, and is given the same answers.
func groups(items []*Item) [][]*Item {
	var all [][]*Item
	for len(items) > 0 {
		n, bytes := 0, int64(0)
		for n < min(len(items), groupFiles) && (n == 0 || bytes+items[n].Size <= groupBytes) {
			bytes += items[n].Size
			n++
		}
		fresh := slices.DeleteFunc(slices.Clone(items[:n]), func(item *Item) bool { return item.Resumed || item.Err != nil })
		if len(fresh) > 0 {
			all = append(all, fresh)
		}
		items = items[n:]
	}
	return all
}

// sendAll uploads groups, Jobs at a time.
func (b *Batch) sendAll(ctx context.Context, groups [][]*Item, followed *follower) error {
	uploads, stop := errgroup.WithContext(ctx)
	uploads.SetLimit(max(b.Jobs, 1))
	for _, group := range groups {
		if stop.Err() != nil {
			break
		}
		uploads.Go(func() error { return b.sendGroup(stop, group, followed) })
	}
	if err := uploads.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// sendGroup uploads items with one request, and one by one if that is refused:
// the fault may be with one of them. The error is one that ends the batch.
func (b *Batch) sendGroup(ctx context.Context, items []*Item, followed *follower) error {
	err := b.send(ctx, items)
	switch {
	case err == nil:
		noted := b.note(items)
		for _, item := range items {
			if item.Err != nil {
				b.end(item, item.Err)
			} else {
				b.settle(followed, item)
			}
		}
		return noted
	case ctx.Err() != nil, AccessDenied(err), unreachable(err):
		return err
	case len(items) == 1:
		b.end(items[0], err)
		return nil
	}
	for i := range items {
		if err := b.sendGroup(ctx, items[i:i+1], followed); err != nil {
			return err
		}
	}
	return nil
}

// unreachable reports whether err says something of the server and nothing of
// the file: all patience is used up, so the next file need not try.
func unreachable(err error) bool {
	var local *os.PathError
	var answer *Error
	if errors.As(err, &answer) {
		return answer.passing()
	}
	return !errors.As(err, &local) && !errors.As(err, &permanent{})
}

// resume looks up what earlier runs have sent, and asks the server whether it
// still has that.
func (b *Batch) resume(ctx context.Context, items []*Item) error {
	known := map[string]*Item{}
	for _, item := range items {
		info, err := os.Stat(item.Path)
		if err != nil {
			b.end(item, err)
			continue
		}
		item.Size, item.modified = info.Size(), info.ModTime()
		if e, ok := b.Journal.unchanged(item.Path, info); ok {
			known[e.ID] = item
		}
	}
	return b.recall(ctx, known)
}

// recall asks the server for files by the ids of an earlier run. The items of
// those that it no longer has are to be sent again.
func (b *Batch) recall(ctx context.Context, known map[string]*Item) error {
	ids := slices.Sorted(maps.Keys(known)) // the oldest first, as ids count up
	for chunk := range slices.Chunk(ids, MaxIDs) {
		files, err := b.files(ctx, chunk)
		if err != nil {
			return err
		}
		for _, file := range files {
			if item := known[file.ID]; item != nil {
				item.File, item.Resumed = file, true
			}
		}
	}
	for id, item := range known {
		if !item.Resumed {
			item.previous = id
		}
	}
	return nil
}

// files returns those of at most MaxIDs files that the service still has, in no
// particular order.
func (b *Batch) files(ctx context.Context, ids []string) ([]File, error) {
	page, err := b.Client.ListFiles(ctx, ListFilesParams{IDs: ids, Limit: int64(len(ids))})
	if err != nil {
		return nil, err
	}
	return page.Items, nil
}

// send uploads items, but for those whose bytes the server turns out to have.
func (b *Batch) send(ctx context.Context, items []*Item) error {
	sources := make(map[*Item]Source, len(items))
	known := map[string]*Item{}
	for _, item := range items {
		source, err := ReadSource(item.Path)
		if err != nil {
			return err
		}
		source.Folder = b.Folders[item.Path]
		item.Size, sources[item] = source.Size, source
		if e, sent := b.Journal.sent(source); sent && item.previous == "" {
			known[e.ID] = item
		}
	}
	if err := b.recall(ctx, known); err != nil {
		return err
	}
	items = slices.DeleteFunc(slices.Clone(items), func(item *Item) bool { return item.Resumed })
	if len(items) == 0 {
		return nil
	}

	upload := Upload{
		DocumentTypeID: b.DocumentTypeID,
		MatterID:       b.MatterID,
		Metadata:       b.Metadata,
		Sent: func(source int, bytes int64) {
			b.tell(func() { b.Watch.Sending(items[source], bytes) })
		},
	}
	previous := make([]string, len(items))
	for i, item := range items {
		upload.Sources = append(upload.Sources, sources[item])
		previous[i] = item.previous
	}
	var err error
	if upload.IdempotencyKey, err = idempotencyKey(upload, previous); err != nil {
		return err
	}
	answers, err := b.Client.UploadFile(ctx, upload)
	if err != nil {
		return err
	}
	for i, item := range items {
		item.File, item.Err = answers[i].File, answers[i].Err
	}
	return nil
}

// note has the journal remember those of items that the server accepted just now.
func (b *Batch) note(items []*Item) error {
	var accepted []entry
	for _, item := range items {
		if item.Err == nil && !item.Resumed {
			accepted = append(accepted, entry{
				Path: item.Path, Size: item.Size, Modified: item.modified, SHA256: item.File.SHA256, ID: item.File.ID,
			})
		}
	}
	return b.Journal.accepted(accepted)
}

// idempotencyKey is the same for the same upload, so that an answer that was
// lost on the way is given again. A file that the server no longer has is
// another upload.
func idempotencyKey(u Upload, previous []string) (string, error) {
	text, err := json.Marshal([]any{u.Sources, u.DocumentTypeID, u.MatterID, u.Metadata, previous})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// settle notes that the server has item, and what comes next.
func (b *Batch) settle(followed *follower, item *Item) {
	b.tell(func() { b.Watch.Accepted(item) })
	if b.Wait && !item.File.Status.Ended() {
		followed.add(item)
		return
	}
	b.end(item, item.File.Err())
}

func (b *Batch) end(item *Item, err error) {
	item.Err = err
	b.tell(func() { b.Watch.Ended(item) })
}

func (b *Batch) tell(what func()) {
	b.watching.Lock()
	defer b.watching.Unlock()
	what()
}

// follower polls the files that the server is working on: many with one request,
// and round-robin where they are too many for one.
type follower struct {
	batch *Batch

	mu      sync.Mutex
	pending []*Item       // the next to be asked for is the first
	more    bool          // uploads continue
	changed chan struct{} // holds one signal: pending or more has changed
}

func newFollower(b *Batch) *follower {
	return &follower{batch: b, more: true, changed: make(chan struct{}, 1)}
}

func (f *follower) add(item *Item) {
	f.mu.Lock()
	f.pending = append(f.pending, item)
	f.mu.Unlock()
	f.signal()
}

// last says that nothing will be added any more.
func (f *follower) last() {
	f.mu.Lock()
	f.more = false
	f.mu.Unlock()
	f.signal()
}

func (f *follower) signal() {
	select {
	case f.changed <- struct{}{}:
	default:
	}
}

// run returns when all files have ended.
func (f *follower) run(ctx context.Context) error {
	pause := f.batch.Every
	if pause == 0 {
		pause = pollEvery
	}
	for {
		if f.done() {
			return nil
		}
		chunk, alone := f.next()
		err := error(nil)
		switch {
		case len(chunk) == 0:
			select {
			case <-f.changed:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			continue
		case alone:
			err = f.longPoll(ctx, chunk[0])
		default:
			err = f.poll(ctx, chunk)
		}
		if err == nil && !f.done() {
			err = sleep(ctx, pause) // a long scan moves with every page
		}
		if err != nil {
			return err
		}
	}
}

// done reports whether nothing is left to ask for.
func (f *follower) done() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.pending) == 0 && !f.more
}

// next takes the files to ask for. Alone means that no other file is left.
func (f *follower) next() (chunk []*Item, alone bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := min(len(f.pending), MaxIDs)
	chunk = slices.Clone(f.pending[:n])
	f.pending = slices.Delete(f.pending, 0, n)
	return chunk, n == 1 && len(f.pending) == 0 && !f.more
}

func (f *follower) poll(ctx context.Context, chunk []*Item) error {
	ids := make([]string, len(chunk))
	for i, item := range chunk {
		ids[i] = item.File.ID
	}
	files, err := f.batch.files(ctx, ids)
	if err != nil {
		return err
	}
	byID := map[string]File{}
	for _, file := range files {
		byID[file.ID] = file
	}
	for _, item := range chunk {
		file, ok := byID[item.File.ID]
		if !ok {
			f.batch.end(item, fmt.Errorf("the server no longer has it (%s)", item.File.ID))
			continue
		}
		f.moved(item, file)
	}
	return nil
}

func (f *follower) longPoll(ctx context.Context, item *Item) error {
	file, err := f.batch.Client.GetFileStatus(ctx, item.File.ID, GetFileStatusParams{Wait: new(int64(longPoll.Seconds()))})
	var answer *Error
	if errors.As(err, &answer) && !AccessDenied(err) {
		f.batch.end(item, err)
		return nil
	}
	if err != nil {
		return err
	}
	// A status has no more than this.
	now := item.File
	now.Status, now.Stage, now.Progress, now.Warnings, now.Error = file.Status, file.Stage, file.Progress, file.Warnings, file.Error
	f.moved(item, now)
	return nil
}

func (f *follower) moved(item *Item, file File) {
	item.File = file
	if file.Status.Ended() {
		f.batch.end(item, file.Err())
		return
	}
	f.batch.tell(func() { f.batch.Watch.Moved(item) })
	f.add(item)
}
