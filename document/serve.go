package document

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/clausemill/clausemill/child"
	"github.com/clausemill/clausemill/document/archive"
	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/office"
	"github.com/clausemill/clausemill/document/pdf"
	"github.com/clausemill/clausemill/document/picture"
	"github.com/clausemill/clausemill/document/sniff"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

// request is what Reader asks of a child. It carries the configuration as well:
// a child has none of its own.
type request struct {
	Op   operation `json:"op"`
	Path string    `json:"path,omitempty"`
	Kind Kind      `json:"kind,omitempty"`
	Name string    `json:"name,omitempty"`
	From int       `json:"from,omitempty"` // pages, or the one page; or the first entry
	To   int       `json:"to,omitempty"`
	DPI  float64   `json:"dpi,omitempty"`

	Packed bool `json:"packed,omitempty"` // a JPEG will do for a drawing

	Width  int    `json:"width,omitempty"` // of a drawing for people, in pixels
	Format Format `json:"format,omitempty"`

	Parts  []Part        `json:"parts,omitempty"`
	Layers []layerHeader `json:"layers,omitempty"`
	Output string        `json:"output,omitempty"` // the file to write

	Limits    Limits `json:"limits"`
	CacheDir  string `json:"cacheDir,omitempty"`
	Converter string `json:"converter,omitempty"`
}

type operation string

const (
	opInspect operation = "inspect"
	opExtract operation = "extract"
	opRender  operation = "render"
	opDraw    operation = "draw"
	opUnpack  operation = "unpack"
	opLayer   operation = "layer"
	opMerge   operation = "merge"
	opPrint   operation = "print"
	opUnlock  operation = "unlock"
	opWarm    operation = "warm"

	opPictures operation = "pictures"
)

// reply sends one answer to the parent.
type reply = func(header any, payload []byte) error

// idleTime is how long a child keeps a file open, and the memory that reading
// it took, after the last request.
const idleTime = 5 * time.Second

// heapLimit keeps the pictures of large pages from adding up to Config.MemoryLimit: what
// is left of the last one goes before it is reached. Most pages stay far below.
const heapLimit = 256 << 20

// session is the state of a child: the file of the last request stays open, so
// that batches of pages do not read its structure again.
type session struct {
	ctx       context.Context
	engine    pdf.Engine
	converter string

	mu     sync.Mutex // idle runs beside the requests
	idle   *time.Timer
	open   format.File
	opened request
	info   os.FileInfo
}

// Serve answers a Reader on standard input and output until the input ends. It
// is the whole of a child's work.
func Serve(ctx context.Context) error {
	debug.SetMemoryLimit(heapLimit)
	s := &session{ctx: ctx}
	s.idle = time.AfterFunc(idleTime, s.rest)
	defer s.idle.Stop()
	return child.ServeStdio(ctx, s.handle)
}

func (s *session) handle(header json.RawMessage, payload []byte, send func(any, []byte) error) error {
	var r request
	if err := json.Unmarshal(header, &r); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle.Stop()
	defer s.idle.Reset(idleTime)
	s.engine.CacheDir, s.converter = r.CacheDir, r.Converter
	switch r.Op {
	case opInspect:
		return s.inspect(r, send)
	case opExtract:
		return s.extract(r, send)
	case opRender:
		return s.render(r, send)
	case opDraw:
		return s.draw(r, send)
	case opPictures:
		return s.pictures(r, send)
	case opUnpack:
		return s.unpack(r, send)
	case opLayer:
		return s.layer(r, payload)
	case opMerge:
		return s.merge(r, send)
	case opPrint:
		return s.print(r)
	case opUnlock:
		return s.unlock(r, string(payload))
	case opWarm:
		return s.engine.Warm(s.ctx)
	default:
		return fault.Newf(fault.Internal, "unknown operation %q", r.Op)
	}
}

// rest frees what the last request left behind. An idle child does not allocate, so
// its garbage collector would not run for minutes.
func (s *session) rest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release()
	s.engine.Drop()
	debug.FreeOSMemory()
}

func (s *session) release() {
	if s.open != nil {
		_ = s.open.Close() // it was only read
		s.open = nil
	}
}

// opener returns the opener of a format, and nil for formats that have none.
func (s *session) opener(kind Kind) format.Opener {
	if kind == PDF {
		return s.engine.Open
	}
	if open := picture.Opener(kind); open != nil {
		return open
	}
	return office.Opener(kind, s.converter)
}

// file opens the file of r, unless it is open already.
func (s *session) file(r request) (format.File, error) {
	info, err := os.Stat(r.Path)
	if err != nil {
		return nil, fmt.Errorf("open the file: %w", err)
	}
	if s.open != nil && s.opened.Kind == r.Kind && s.opened.Limits == r.Limits &&
		os.SameFile(s.info, info) && s.info.Size() == info.Size() && s.info.ModTime().Equal(info.ModTime()) {
		return s.open, nil
	}
	s.release()
	open := s.opener(r.Kind)
	if open == nil {
		return nil, fault.File(fault.UnsupportedType, fmt.Sprintf("files of type %s cannot be read", r.Kind), nil)
	}
	f, err := open(s.ctx, r.Path, r.Limits)
	if err != nil {
		return nil, err
	}
	s.open, s.opened, s.info = f, r, info
	return f, nil
}

func (s *session) inspect(r request, send reply) error {
	f, size, err := format.OpenFile(r.Path)
	if err != nil {
		return err
	}
	r.Kind, err = sniff.File(s.ctx, f, size, r.Name, r.Limits)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	info := Info{Kind: r.Kind}
	if s.opener(r.Kind) != nil {
		f, err := s.file(r)
		if err != nil {
			return err
		}
		info.Pages = f.Pages()
	}
	return send(info, nil)
}

// pageHeader is a page on its way to the parent, followed by the text and the
// encoded words as payload.
type pageHeader struct {
	Number     int                `json:"number"` // 0 says that the file was opened, and nothing else
	Width      float32            `json:"width"`
	Height     float32            `json:"height"`
	Confidence float32            `json:"confidence"`
	NeedsOCR   bool               `json:"needsOcr"`
	Reason     format.Reason      `json:"reason"`
	ImageArea  float32            `json:"imageArea"`
	TextArea   float32            `json:"textArea"`
	Paragraphs []format.Paragraph `json:"paragraphs,omitempty"`
	Fields     []format.Field     `json:"fields,omitempty"`
	Emphasis   []format.Emphasis  `json:"emphasis,omitempty"`
	Text       int                `json:"text"` // bytes
}

func (s *session) extract(r request, send reply) error {
	f, err := s.file(r)
	if err != nil {
		return err
	}
	if err := send(pageHeader{}, nil); err != nil {
		return err
	}
	return f.Extract(s.ctx, r.From, r.To, func(p Page) error {
		payload := append([]byte(p.Text), layout.EncodeWords(p.Words)...)
		return send(pageHeader{
			Number: p.Number, Width: p.Width, Height: p.Height, Confidence: p.Confidence,
			NeedsOCR: p.NeedsOCR, Reason: p.Reason, ImageArea: p.ImageArea, TextArea: p.TextArea,
			Paragraphs: p.Paragraphs, Fields: p.Fields, Emphasis: p.Emphasis, Text: len(p.Text),
		}, payload)
	})
}

// page is the inverse of what extract sends.
func (h pageHeader) page(payload []byte) (Page, error) {
	if h.Text > len(payload) {
		return Page{}, errors.New("page is shorter than its text")
	}
	words, err := layout.DecodeWords(payload[h.Text:])
	if err != nil {
		return Page{}, err
	}
	return Page{
		Page: layout.Page{
			Number: h.Number, Width: h.Width, Height: h.Height, Confidence: h.Confidence,
			Text: string(payload[:h.Text]), Words: words,
		},
		NeedsOCR: h.NeedsOCR, Reason: h.Reason, ImageArea: h.ImageArea, TextArea: h.TextArea,
		Paragraphs: h.Paragraphs, Fields: h.Fields, Emphasis: h.Emphasis,
	}, nil
}

// imageHeader is an Image without its pixels, which are the payload.
type imageHeader struct {
	JPEG       bool    `json:"jpeg"`
	Width      int     `json:"width"`
	Height     int     `json:"height"`
	DPI        float64 `json:"dpi"`
	PageWidth  float32 `json:"pageWidth"`
	PageHeight float32 `json:"pageHeight"`
}

func (s *session) render(r request, send reply) error {
	f, err := s.file(r)
	if err != nil {
		return err
	}
	img, err := f.Render(s.ctx, r.From, r.DPI, r.Packed)
	if err != nil {
		return err
	}
	return send(imageHeader{
		JPEG: img.JPEG, Width: img.Width, Height: img.Height, DPI: img.DPI,
		PageWidth: img.PageWidth, PageHeight: img.PageHeight,
	}, img.Bytes)
}

// entryHeader begins an entry, or ends the last one; the frames between are
// its bytes.
type entryHeader struct {
	Entry *Entry      `json:"entry,omitempty"`
	Fault *entryFault `json:"fault,omitempty"` // why the entry cannot be read, or not to its end
	End   bool        `json:"end,omitempty"`
}

// entryFault is the part of an entry's error that the parent receives.
type entryFault struct {
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

func newEntryFault(err error) *entryFault {
	if err == nil {
		return nil
	}
	return &entryFault{Code: fault.CodeOf(err), Message: fault.Message(err)}
}

func (f *entryFault) fault() error { return fault.File(f.Code, f.Message, nil) }

// unpackers are the formats that contain files.
var unpackers = map[Kind]func(context.Context, *os.File, int64, Limits, int, func(Entry, io.Reader) error) error{
	ZIP: archive.Entries,
	EML: office.Attachments,
}

func (s *session) unpack(r request, send reply) error {
	entries := unpackers[r.Kind]
	if entries == nil {
		return fault.File(fault.UnsupportedType, fmt.Sprintf("files of type %s hold no files", r.Kind), nil)
	}
	f, size, err := format.OpenFile(r.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	buf := make([]byte, 256<<10)
	return entries(s.ctx, f, size, r.Limits, r.From, func(e Entry, from io.Reader) error {
		if err := send(entryHeader{Entry: &e, Fault: newEntryFault(e.Err)}, nil); err != nil || from == nil {
			return err
		}
		for {
			n, err := from.Read(buf)
			if n > 0 {
				if err := send(entryHeader{}, buf[:n]); err != nil {
					return err
				}
			}
			if errors.Is(err, io.EOF) {
				return send(entryHeader{End: true}, nil)
			}
			if err != nil {
				return send(entryHeader{End: true, Fault: newEntryFault(err)}, nil)
			}
		}
	})
}
