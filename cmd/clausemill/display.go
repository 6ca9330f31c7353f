package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"golang.org/x/term"

	client "github.com/clausemill/clausemill/clients/go"
)

// display shows the progress of an upload.
type display interface {
	client.Watcher
	Paused(reason error, pause time.Duration)
	Close()
}

// newDisplay draws bars on a terminal, and writes lines anywhere else.
func newDisplay(w io.Writer, total int, wait bool) display {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return newBars(f, total, wait)
	}
	return &lines{w: w}
}

// lines is the display where there is no terminal: one line for each thing that
// happened, none for progress.
type lines struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lines) say(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.w, format+"\n", args...)
}

func (*lines) Sending(*client.Item, int64) {}
func (*lines) Moved(*client.Item)          {}
func (*lines) Close()                      {}

func (l *lines) Accepted(item *client.Item) {
	word := "accepted"
	if item.Resumed {
		word = "has"
	}
	l.say("%s %s as %s", word, item.Path, item.File.ID)
}

func (l *lines) Ended(item *client.Item) {
	switch {
	case item.Err != nil:
		l.say("%s %s: %v", outcome(item), item.Path, item.Err)
	case item.File.Status.Ended():
		l.say("%s %s", outcome(item), item.Path)
	}
}

func (l *lines) Paused(reason error, pause time.Duration) {
	l.say("waiting %s: %v", pause.Round(time.Second), reason)
}

// bars is the display on a terminal: a bar for each file that moves and one for
// all of them, redrawn in place.
type bars struct {
	mu     sync.Mutex
	w      io.Writer
	width  func() int
	now    func() time.Time
	ticker *time.Ticker
	done   chan struct{}

	total, accepted, ended, failed int
	wait                           bool
	bytes                          int64 // of accepted files that were sent
	began                          time.Time
	rows                           map[string]row // by path
	paused                         string
	pausedUntil                    time.Time
	drawn                          int // lines on the screen that the next frame replaces
}

// row is one file that moves.
type row struct {
	path  string
	done  float64 // 0 to 1
	what  string
	since time.Time
	bytes int64
}

const (
	frameEvery = 100 * time.Millisecond
	maxRows    = 8
	barWidth   = 20
)

func newBars(w *os.File, total int, wait bool) *bars {
	b := &bars{
		w: w, total: total, wait: wait, rows: map[string]row{}, began: time.Now(), now: time.Now,
		ticker: time.NewTicker(frameEvery), done: make(chan struct{}),
		width: func() int {
			if width, _, err := term.GetSize(int(w.Fd())); err == nil && width > 0 {
				return width
			}
			return 80
		},
	}
	go func() {
		for {
			select {
			case <-b.ticker.C:
				b.draw()
			case <-b.done:
				return
			}
		}
	}()
	return b
}

// Close leaves the last frame on the screen.
func (b *bars) Close() {
	b.ticker.Stop()
	close(b.done)
	b.mu.Lock()
	clear(b.rows)
	b.paused = ""
	b.mu.Unlock()
	b.draw()
}

func (b *bars) update(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
}

func (b *bars) Sending(item *client.Item, bytes int64) {
	b.update(func() {
		r, ok := b.rows[item.Path]
		if !ok {
			r = row{path: item.Path, since: b.now()}
		}
		r.done, r.bytes = 1, bytes
		if item.Size > 0 {
			r.done = float64(bytes) / float64(item.Size)
		}
		r.what = humanize.IBytes(uint64(bytes))
		b.rows[item.Path] = r
	})
}

func (b *bars) Accepted(item *client.Item) {
	b.update(func() {
		b.accepted++
		b.bytes += b.rows[item.Path].bytes
		delete(b.rows, item.Path)
	})
}

func (b *bars) Moved(item *client.Item) {
	b.update(func() {
		if item.File.Status == "queued" {
			delete(b.rows, item.Path)
			return
		}
		since := b.now()
		if r, ok := b.rows[item.Path]; ok {
			since = r.since
		}
		b.rows[item.Path] = row{path: item.Path, done: item.File.Progress, what: string(item.File.Stage), since: since}
	})
}

func (b *bars) Ended(item *client.Item) {
	b.update(func() {
		delete(b.rows, item.Path)
		b.ended++
		if item.Err != nil {
			b.failed++
		}
	})
}

func (b *bars) Paused(reason error, pause time.Duration) {
	b.update(func() { b.paused, b.pausedUntil = reason.Error(), b.now().Add(pause) })
}

// draw replaces the last frame.
func (b *bars) draw() {
	b.mu.Lock()
	defer b.mu.Unlock()
	frame := b.frame()
	var out strings.Builder
	if b.drawn > 0 {
		fmt.Fprintf(&out, "\x1b[%dA", b.drawn)
	}
	out.WriteString("\r\x1b[J")
	for _, line := range frame {
		out.WriteString(line + "\n")
	}
	b.drawn = len(frame)
	_, _ = io.WriteString(b.w, out.String())
}

// frame is what the screen shows now: the files that have moved longest, then
// all of them together.
func (b *bars) frame() []string {
	rows := make([]row, 0, len(b.rows))
	for _, r := range b.rows {
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(x, y row) int {
		return cmp.Or(x.since.Compare(y.since), cmp.Compare(x.path, y.path))
	})
	width := b.width() - 1
	var frame []string
	for _, r := range rows[:min(len(rows), maxRows)] {
		frame = append(frame, fit(fmt.Sprintf("%s %3.0f%% %-10s %s", bar(r.done), 100*r.done, r.what, printable(filepath.Base(r.path))), width))
	}
	return append(frame, fit(b.summary(), width))
}

func (b *bars) summary() string {
	finished := b.accepted
	if b.wait {
		finished = b.ended
	}
	text := fmt.Sprintf("%s %d of %d sent", bar(float64(finished)/float64(max(b.total, 1))), b.accepted, b.total)
	if b.wait {
		text += fmt.Sprintf(", %d done", b.ended-b.failed)
	}
	if b.failed > 0 {
		text += fmt.Sprintf(", %d failed", b.failed)
	}
	moving := b.bytes
	for _, r := range b.rows {
		moving += r.bytes
	}
	if seconds := b.now().Sub(b.began).Seconds(); moving > 0 && seconds > 1 {
		text += fmt.Sprintf(", %s/s", humanize.IBytes(uint64(float64(moving)/seconds)))
	}
	if left := b.pausedUntil.Sub(b.now()); b.paused != "" && left > 0 {
		text += fmt.Sprintf(" (waiting %s: %s)", left.Round(time.Second), printable(b.paused))
	}
	return text
}

func bar(done float64) string {
	full := int(barWidth * min(max(done, 0), 1))
	return strings.Repeat("█", full) + strings.Repeat("░", barWidth-full)
}

// fit cuts line to width runes, so that it takes one line on the screen.
func fit(line string, width int) string {
	runes := []rune(line)
	if len(runes) <= width {
		return line
	}
	return string(runes[:max(width-1, 0)]) + "…"
}

// printable keeps names of files from steering the terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '?'
		}
		return r
	}, text)
}
