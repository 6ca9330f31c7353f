package ocr

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/clausemill/clausemill/child"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
	"github.com/clausemill/clausemill/trace"
)

// The defaults of zero fields of a Config.
const (
	DefaultLanguages   = "eng"
	DefaultPageTimeout = 120 * time.Second
	DefaultMemoryLimit = 350 << 20
)

// recycleAfter is the number of pages after which a child is replaced: the
// native code leaks a little with each, and models take 0.2 s to load.
const recycleAfter = 200

// Config describes the children that read pages.
type Config struct {
	Command     []string   // the program clausemill-ocr and its arguments
	Slots       int        // pages read at a time, at least 1
	Nice        int        // added to the scheduling priority: 0 to 19
	Rest        child.Rest // nil for never
	Languages   string     // of images that name none, as Tesseract writes it: "eng", "eng+deu"
	TessdataDir string     // where models are; empty for Tesseract's own place
	PageTimeout time.Duration
	MemoryLimit int64 // resident bytes of a child
	Log         *slog.Logger
	Observe     func(child.Event)
}

// Image is the picture of one page.
type Image struct {
	Bytes         []byte  // PNM, PNG, JPEG, TIFF or WebP, read by content
	DPI           float64 // 0 where unknown; a JPEG far finer than needed is read coarser
	Width, Height float32 // of the page as displayed, in points; 0 to derive it from DPI
	Number        int     // of the page, from 1
	Languages     string  // empty for the configured ones
	Begun         func()  // called when the wait for a slot is over; may be nil
}

// childEnv makes a child frugal. One thread: a page costs four times the CPU
// with OpenMP's default, and slots are there to use all cores. Go's heap gives the
// memory of one page back before the next. C's keeps what a page of usual size takes:
// to get 60 MB from the system page after page is a tenth of the work on each. A child
// has 134 MB between pages then, and 142 at most, after 1 page or 140; it had 90 to 99,
// and 121 at most.
var childEnv = []string{
	"OMP_THREAD_LIMIT=1",
	"LC_ALL=C.UTF-8",
	"GOMEMLIMIT=48MiB",
	"MALLOC_ARENA_MAX=1",
	"MALLOC_MMAP_THRESHOLD_=33554432", // no larger one is heeded
	"MALLOC_TRIM_THRESHOLD_=134217728",
}

// maxImage is the largest image that is sent to a child, encoded: what 40
// million grey pixels take raw, and some.
const maxImage = 64 << 20

// Reader reads page images. Its methods are safe for concurrent use.
type Reader struct {
	cfg  Config
	pool *child.Pool
}

// New makes a Reader. Children start with the first page that needs them.
func New(cfg Config) *Reader {
	if cfg.Languages == "" {
		cfg.Languages = DefaultLanguages
	}
	if cfg.PageTimeout == 0 {
		cfg.PageTimeout = DefaultPageTimeout
	}
	if cfg.MemoryLimit == 0 {
		cfg.MemoryLimit = DefaultMemoryLimit
	}
	env := slices.Clone(childEnv)
	if cfg.TessdataDir != "" {
		env = append(env, "TESSDATA_PREFIX="+cfg.TessdataDir)
	}
	return &Reader{cfg: cfg, pool: child.NewPool(child.Config{
		Command:     cfg.Command,
		Env:         env,
		Size:        cfg.Slots,
		Nice:        cfg.Nice,
		Rest:        cfg.Rest,
		MemoryLimit: cfg.MemoryLimit,
		MaxUses:     recycleAfter,
		Log:         cfg.Log,
		Observe:     cfg.Observe,
	})}
}

// Close ends the children; pages being read fail with child.ErrClosed.
func (r *Reader) Close() error { return r.pool.Close() }

// Read returns the words of a page, waiting for a slot as long as ctx allows.
// Cancelling ctx ends the work at once. Permanent errors carry the page's
// number and a code: ocr_timeout, ocr_memory, ocr_crash, too_large and
// corrupt_file; a language that is not installed is Invalid without one.
func (r *Reader) Read(ctx context.Context, img Image) (layout.Page, error) {
	answer, err := r.askOf(ctx, img, Request{DPI: img.DPI, Languages: cmp.Or(img.Languages, r.cfg.Languages)})
	if err != nil {
		return layout.Page{}, err
	}
	return assemble(answer, img), nil
}

// Script names the script of a page as Unicode does, such as "Cyrillic"; "" where it
// cannot be told. Errors are those of Read.
func (r *Reader) Script(ctx context.Context, img Image) (string, error) {
	answer, err := r.askOf(ctx, img, Request{DPI: img.DPI, Script: true})
	return answer.Script, err
}

// askOf asks a child about an image.
func (r *Reader) askOf(ctx context.Context, img Image, request Request) (Answer, error) {
	if len(img.Bytes) > maxImage {
		return Answer{}, &fault.Error{Kind: fault.TooLarge, Code: fault.FileTooLarge, Page: img.Number,
			Message: fmt.Sprintf("the image of page %d has more than %d MiB", img.Number, maxImage>>20)}
	}
	answer, err := r.ask(ctx, request, img, trace.Page(img.Number))
	if err != nil {
		return Answer{}, pageError(err, img.Number)
	}
	return answer, nil
}

// Languages names the installed languages, sorted.
func (r *Reader) Languages(ctx context.Context) ([]string, error) {
	answer, err := r.ask(ctx, Request{List: true}, Image{})
	return answer.Languages, err
}

func (r *Reader) ask(ctx context.Context, request Request, img Image, attrs ...trace.Attr) (Answer, error) {
	var answer Answer
	err := r.pool.Do(ctx, child.Call{
		Header: request, Payload: img.Bytes, Timeout: r.cfg.PageTimeout, Begun: img.Begun, Name: request.traced(), Attrs: attrs,
		Each: func(reply child.Reply) error {
			if err := json.Unmarshal(reply.Header, &answer); err != nil {
				return fmt.Errorf("%w: %w", child.ErrCrash, err)
			}
			return nil
		},
	})
	return answer, err
}

// traced names a request in a trace.
func (r Request) traced() string {
	switch {
	case r.List:
		return "recogniser languages"
	case r.Script:
		return "recogniser script"
	}
	return "recogniser read"
}

// pageError says what the end of a child means for the page it was reading.
func pageError(err error, number int) error {
	var e *fault.Error
	switch {
	case errors.Is(err, child.ErrTimeout):
		e = fault.File(fault.OCRTimeout, fmt.Sprintf("reading page %d took too long", number), err)
	case errors.Is(err, child.ErrMemory):
		e = fault.File(fault.OCRMemory, fmt.Sprintf("reading page %d took too much memory", number), err)
	case errors.Is(err, child.ErrCrash):
		e = fault.File(fault.OCRCrash, fmt.Sprintf("the reader crashed on page %d", number), err)
	case !errors.As(err, &e):
		return err
	}
	e.Page = number
	return e
}
