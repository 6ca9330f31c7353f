package document

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/clausemill/clausemill/child"
	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/trace"
)

// Config describes a Reader.
type Config struct {
	Command     []string      // program and arguments that end in Serve
	Size        int           // children at most, at least 1
	Nice        int           // 0 to 19, as child.Config
	Rest        child.Rest    // nil for never
	MemoryLimit int64         // resident bytes of a child; 0 is DefaultMemory
	Timeout     time.Duration // of processor time, for opening a file or reading a page; 0 is DefaultTimeout
	Limits      Limits        // the zero Limits are DefaultLimits
	CacheDir    string        // keeps compiled code, so that children start in a tenth of a second; may be empty
	Converter   string        // program of LibreOffice, for DOC; empty where there is none
	Log         *slog.Logger
	Observe     func(child.Event)
}

// The default limits of a child. A page of a contract takes milliseconds; a page that
// takes a minute is an attack or a map.
const (
	DefaultMemory  = 600 << 20
	DefaultTimeout = 60 * time.Second
)

// Reader reads files in child processes. Its methods are safe for concurrent
// use. A path is that of a regular file that nobody changes meanwhile.
//
// Their errors are fault.File errors, which are permanent, if the file is at fault
// (fault.Error.Page is the page, if it is only one); ctx.Err(); or errors that are
// worth a retry. Of these, the death of a child has the Code that it keeps if it
// happens again.
type Reader struct {
	pool      *child.Pool
	timeout   time.Duration
	limits    Limits
	cacheDir  string
	converter string
}

// NewReader makes a Reader. No child starts before the first request.
func NewReader(cfg Config) *Reader {
	if cfg.MemoryLimit == 0 {
		cfg.MemoryLimit = DefaultMemory
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	if cfg.Limits == (Limits{}) {
		cfg.Limits = DefaultLimits()
	}
	return &Reader{
		pool: child.NewPool(child.Config{
			Command: cfg.Command, Size: cfg.Size, Nice: cfg.Nice, Rest: cfg.Rest, MemoryLimit: cfg.MemoryLimit,
			Log: cfg.Log, Observe: cfg.Observe,
		}),
		timeout:   cfg.Timeout,
		limits:    cfg.Limits,
		cacheDir:  cfg.CacheDir,
		converter: cfg.Converter,
	}
}

// Close ends the children. Running requests fail.
func (r *Reader) Close() error { return r.pool.Close() }

// Warm has a child compile the PDF engine. That takes seconds on a new machine, and
// should be done before the first request; the result is in CacheDir for all later
// children.
func (r *Reader) Warm(ctx context.Context) error {
	return r.do(ctx, request{Op: opWarm}, func(child.Reply) error { return nil })
}

// Inspect detects the format of the file at path and counts its pages. Where its bytes
// are ambiguous, the name under which it was uploaded decides.
func (r *Reader) Inspect(ctx context.Context, path, name string) (Info, error) {
	var info Info
	err := r.do(ctx, request{Op: opInspect, Path: path, Name: name}, func(a child.Reply) error {
		return json.Unmarshal(a.Header, &info)
	})
	if err != nil {
		return Info{}, r.blame(err, 0)
	}
	return info, nil
}

const (
	batchPages = 32 // of one request to a child
	maxLost    = 8  // pages given up before the file is
	wholeFile  = 30 // times Config.Timeout for work that cannot be done in batches
)

// Extract calls each for the pages from..to in order; to 0 means the last. If reading
// a page hangs, crashes or takes too much memory, the page is delivered without text
// and with ReasonUnreadable. An error of each ends the work and is returned.
//
// For formats without pages (DOCX, HTML, text) the reader cuts the text into pages.
// Their number is unknown before the last one.
func (r *Reader) Extract(ctx context.Context, path string, kind Kind, from, to int, each func(Page) error) error {
	if to == 0 {
		to = format.AllPages
	}
	lost, crashed := 0, 0
	for next := max(from, 1); next <= to; {
		opened, delivered := false, 0
		last := to
		if kind == PDF || kind == TIFF { // the others are read from the start each time
			last = min(to, next+batchPages-1)
		}
		var unwanted error
		err := r.do(ctx, request{Op: opExtract, Path: path, Kind: kind, From: next, To: last}, func(a child.Reply) error {
			var h pageHeader
			if err := json.Unmarshal(a.Header, &h); err != nil {
				return err
			}
			if h.Number == 0 {
				opened = true
				return nil
			}
			page, err := h.page(a.Payload)
			if err != nil {
				return err
			}
			delivered++
			unwanted = each(page)
			return unwanted
		})
		switch {
		case unwanted != nil:
			return unwanted
		case err == nil && (last == to || next+delivered <= last):
			return nil
		case err == nil:
			next = last + 1
			continue
		case !opened || !died(err) || lost == maxLost:
			return r.blame(err, 0)
		}
		next += delivered
		if delivered == 0 && errors.Is(err, child.ErrCrash) && crashed != next {
			crashed = next // try once more: another page or process may have been the cause
			continue
		}
		if delivered == 0 {
			lost++
			if err := each(format.Unreadable(next)); err != nil {
				return err
			}
			next++
		}
	}
	return nil
}

// Render draws one page (from 1) at dpi or less; with dpi 0, at the resolution that
// recognition needs.
func (r *Reader) Render(ctx context.Context, path string, kind Kind, page int, dpi float64) (Image, error) {
	return r.picture(ctx, request{Op: opRender, Path: path, Kind: kind, From: page, DPI: dpi})
}

// Scan is Render for callers that can decode JPEGs: a page that is only a JPEG is not
// drawn but returned as it is. Whether its data is valid shows when it is decoded.
func (r *Reader) Scan(ctx context.Context, path string, kind Kind, page int, dpi float64) (Image, error) {
	return r.picture(ctx, request{Op: opRender, Path: path, Kind: kind, From: page, DPI: dpi, Packed: true})
}

func (r *Reader) picture(ctx context.Context, q request) (Image, error) {
	var img Image
	err := r.do(ctx, q, func(a child.Reply) error {
		var h imageHeader
		if err := json.Unmarshal(a.Header, &h); err != nil {
			return err
		}
		img = Image{
			Bytes: append([]byte(nil), a.Payload...), JPEG: h.JPEG, Width: h.Width, Height: h.Height, DPI: h.DPI,
			PageWidth: h.PageWidth, PageHeight: h.PageHeight,
		}
		return nil
	})
	if err != nil {
		return Image{}, r.blame(err, q.From)
	}
	return img, nil
}

// Unpack calls each for every file inside a ZIP archive or attached to a mail,
// beginning with number from. An entry that cannot be read has Err and no
// reader; the reader of one that ends early fails. What each does not read is
// skipped.
func (r *Reader) Unpack(ctx context.Context, path string, kind Kind, from int, each func(Entry, io.Reader) error) error {
	var entry *unpacking
	defer func() { _ = entry.end(errors.New("unpacking was broken off")) }() // what each said of it was told before
	err := r.call(ctx, request{Op: opUnpack, Path: path, Kind: kind, From: from}, nil, wholeFile, func(a child.Reply) error {
		var h entryHeader
		if err := json.Unmarshal(a.Header, &h); err != nil {
			return err
		}
		switch {
		case h.Entry != nil && h.Fault != nil:
			h.Entry.Err = h.Fault.fault()
			return each(*h.Entry, nil)
		case h.Entry != nil:
			entry = startUnpacking(*h.Entry, each)
			return nil
		case entry == nil:
			return errors.New("bytes without an entry")
		case !h.End:
			return entry.write(a.Payload)
		case h.Fault != nil:
			return entry.end(h.Fault.fault())
		default:
			return entry.end(io.EOF)
		}
	})
	if err != nil {
		return r.blame(err, 0)
	}
	return nil
}

// errPassedOver means that the caller does not want the rest of an entry.
var errPassedOver = errors.New("the rest is passed over")

// unpacking passes the bytes of one entry to its reader.
type unpacking struct {
	pipe *io.PipeWriter
	done chan error
}

func startUnpacking(e Entry, each func(Entry, io.Reader) error) *unpacking {
	from, to := io.Pipe()
	u := &unpacking{pipe: to, done: make(chan error, 1)}
	go func() {
		err := each(e, from)
		from.CloseWithError(errPassedOver)
		u.done <- err
		close(u.done)
	}()
	return u
}

func (u *unpacking) write(b []byte) error {
	if _, err := u.pipe.Write(b); err != nil && !errors.Is(err, errPassedOver) {
		return err
	}
	return nil
}

// end tells the caller why there are no more bytes and waits for it.
func (u *unpacking) end(reason error) error {
	if u == nil {
		return nil
	}
	u.pipe.CloseWithError(reason)
	return <-u.done
}

// do sends a request to a child, and once more if the child ended without an error
// message: something else may have been the cause.
func (r *Reader) do(ctx context.Context, q request, each func(child.Reply) error) error {
	return r.call(ctx, q, nil, 1, each)
}

// write has a child write a file, and reads its info into info unless that is nil.
func (r *Reader) write(ctx context.Context, q request, payload []byte, info *Info) error {
	err := r.call(ctx, q, payload, wholeFile, func(a child.Reply) error { return json.Unmarshal(a.Header, info) })
	if err != nil {
		_ = os.Remove(q.Output) // what a child that died left behind
		return r.blame(err, 0)
	}
	return nil
}

func (r *Reader) call(ctx context.Context, q request, payload []byte, timeouts int, each func(child.Reply) error) error {
	q.Limits, q.CacheDir, q.Converter = r.limits, r.cacheDir, r.converter
	answered := false
	call := child.Call{Header: q, Payload: payload, Timeout: time.Duration(timeouts) * r.timeout, Name: "reader " + string(q.Op), Attrs: q.traced(), Each: func(a child.Reply) error {
		answered = true
		return each(a)
	}}
	err := r.pool.Do(ctx, call)
	if !answered && errors.Is(err, child.ErrCrash) {
		err = r.pool.Do(ctx, call)
	}
	return err
}

// traced is what a trace has of a request: the pages that it names, and neither the
// path nor the name of the file.
func (q request) traced() []trace.Attr {
	if q.From == 0 || q.Op == opUnpack {
		return nil
	}
	attrs := []trace.Attr{trace.Page(q.From)}
	if q.To >= q.From && q.To != format.AllPages {
		attrs = append(attrs, trace.Pages(q.To-q.From+1))
	}
	return attrs
}

// died reports whether err says that a child did not survive its request.
func died(err error) bool {
	return errors.Is(err, child.ErrTimeout) || errors.Is(err, child.ErrMemory) || errors.Is(err, child.ErrCrash)
}

// blame turns the death of a child into a fault of the file: reading the same bytes
// again would kill the next child. If a child ended by itself, something else may have
// been the cause, so the error is worth a retry.
func (r *Reader) blame(err error, page int) error {
	if !died(err) {
		return err
	}
	what := "the file cannot be read"
	if page > 0 {
		what = fmt.Sprintf("page %d cannot be read", page)
	}
	switch {
	case errors.Is(err, child.ErrTimeout):
		what += fmt.Sprintf(" in %s of processor time", r.timeout)
	case errors.Is(err, child.ErrMemory):
		what += " within the limit on memory"
	}
	e := fault.File(fault.CorruptFile, what, err)
	e.Page = page
	if errors.Is(err, child.ErrCrash) {
		e.Kind = fault.Internal
	}
	return e
}
