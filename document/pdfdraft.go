package document

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

// A draft is a PDF that is being changed. What the engine has touched of a
// document stays in its memory, so a draft that has grown is saved and goes on
// from there in a fresh instance.
type draft struct {
	s      *session
	dir    string // for what is saved on the way, and nothing else
	limits Limits
	pages  int
	saved  string // the last that was saved on the way

	p        *pdfium
	document uint64
	opened   *pdfFile // what the document was read from; nil for a new one
}

const (
	draftMemory = 192 << 20 // of the sandbox, from which a draft is saved on the way
	draftBatch  = 32        // pages changed between two looks at the memory
)

// newDraft starts an empty document.
func (s *session) newDraft(dir string, limits Limits) (*draft, error) {
	p, err := s.engine.fresh(s.ctx)
	if err != nil {
		return nil, err
	}
	d := &draft{s: s, limits: limits, p: p}
	if d.dir, err = os.MkdirTemp(dir, "draft-"); err != nil {
		return nil, fmt.Errorf("write the PDF: %w", err)
	}
	d.document = p.call(p.createDocument)
	s.engine.inUse++
	return d, nil
}

// openDraft starts from the document at path.
func (s *session) openDraft(path, dir string, limits Limits) (*draft, error) {
	d := &draft{s: s, limits: limits}
	if err := d.open(path); err != nil {
		return nil, err
	}
	var err error
	if d.dir, err = os.MkdirTemp(dir, "draft-"); err != nil {
		return nil, errors.Join(fmt.Errorf("write the PDF: %w", err), d.opened.close())
	}
	return d, nil
}

func (d *draft) open(path string) error {
	f, err := d.s.engine.openPDF(d.s.ctx, path, d.limits)
	if err != nil {
		return err
	}
	d.opened = f
	d.p, d.document, d.pages = d.opened.p, uint64(d.opened.document), d.opened.count
	return nil
}

func (d *draft) close() {
	d.leave()
	_ = os.RemoveAll(d.dir) // a leftover costs room until the directory is swept
}

// leave closes the document and keeps the directory.
func (d *draft) leave() {
	if d.opened != nil {
		_ = d.opened.close() // it was only read
		d.opened = nil
	} else if d.document != 0 {
		d.p.call(d.p.closeDocument, d.document)
		d.s.engine.inUse--
	}
	d.document = 0
}

// relieve gives memory back: it saves the draft and goes on from there.
func (d *draft) relieve() error {
	f, err := os.CreateTemp(d.dir, "")
	if err != nil {
		return fmt.Errorf("write the PDF: %w", err)
	}
	if err := errors.Join(d.save(f), f.Close()); err != nil {
		return err
	}
	d.leave()
	if d.saved != "" {
		_ = os.Remove(d.saved) // close removes what is left
	}
	d.saved = f.Name()
	return d.open(d.saved)
}

func (d *draft) heavy() bool { return d.p.memory.Size() > draftMemory }

// saveWhole makes the engine write every object once and drop encryption. (Its
// increments repeat every object that was looked at, images included.)
const saveWhole = 3

func (d *draft) save(w io.Writer) error {
	p, out := d.p, bufio.NewWriterSize(w, 64<<10)
	d.s.engine.runtime.sink = out
	defer func() { d.s.engine.runtime.sink = nil }()
	writer := p.call(p.createWriter)
	ok := p.call(p.save, d.document, writer, saveWhole)
	p.call(p.free, writer)
	if p.err != nil {
		return fault.File(fault.CorruptFile, "the PDF cannot be rewritten", p.err)
	}
	if err := out.Flush(); err != nil || ok == 0 {
		return fmt.Errorf("write the PDF: %w", errors.Join(err, errNotSaved))
	}
	return nil
}

var errNotSaved = errors.New("pdfium did not save the document")

// append copies the pages of the PDF at path to the end.
func (d *draft) append(path string) error {
	source, err := d.s.engine.openPDF(d.s.ctx, path, d.limits)
	if err != nil {
		return err
	}
	defer func() { _ = source.close() }() // it was only read
	if d.pages+source.count > d.limits.MaxPages {
		return tooManyPages(d.limits)
	}
	// Copying by batches repeats what pages share, such as fonts: only where the
	// whole might not fit.
	batch := int(min(int64(source.count), max(1, int64(source.count)*copyAtOnce/source.size)))
	for from := 1; from <= source.count; from += batch {
		to := min(from+batch-1, source.count)
		pages := d.p.cString(fmt.Sprintf("%d-%d", from, to))
		ok := d.p.call(d.p.importPages, d.document, uint64(source.document), uint64(pages), uint64(d.pages))
		d.p.call(d.p.free, uint64(pages))
		if ok == 0 {
			return fault.File(fault.CorruptFile, "the pages of the PDF cannot be copied", d.p.err)
		}
		d.pages += to - from + 1
		if !d.heavy() {
			continue
		}
		if err := errors.Join(source.close(), d.relieve()); err != nil {
			return err
		}
		if source, err = d.s.engine.openPDF(d.s.ctx, path, d.limits); err != nil {
			return err
		}
	}
	return nil
}

// copyAtOnce is how many bytes of a file are copied between two looks at the
// memory.
const copyAtOnce = 64 << 20

// lay puts the words of pages, which are as displayed, under the pages of the
// same numbers. There are few enough to lie in memory.
func (d *draft) lay(pages []layout.Page) error {
	f, err := os.CreateTemp(d.dir, "")
	if err != nil {
		return fmt.Errorf("write the text layer: %w", err)
	}
	defer os.Remove(f.Name())
	text := newPDFWriter(f)
	for _, page := range pages {
		text.page(page, nil)
	}
	if err := errors.Join(text.finish(), f.Close()); err != nil {
		return fmt.Errorf("write the text layer: %w", err)
	}
	layer, err := d.s.engine.openPDF(d.s.ctx, f.Name(), d.limits)
	if err != nil {
		return err
	}
	for i, page := range pages {
		if err := d.layPage(page, layer, i); err != nil {
			return errors.Join(err, layer.close())
		}
	}
	if err := layer.close(); err != nil || !d.heavy() {
		return err
	}
	return d.relieve()
}

// layPage inserts page i of layer into the page that it belongs to.
func (d *draft) layPage(page layout.Page, layer *pdfFile, i int) error {
	p := d.p
	if page.Number < 1 || page.Number > d.pages {
		return fault.Newf(fault.NotFound, "the PDF has no page %d", page.Number)
	}
	target := p.call(p.loadPage, d.document, uint64(page.Number-1))
	if target == 0 {
		return pageFault(page.Number, p.err)
	}
	defer p.call(p.closePage, target)
	xObject := p.call(p.pageXObject, d.document, uint64(layer.document), uint64(i))
	form := p.call(p.xObjectForm, xObject)
	if form == 0 {
		return pageFault(page.Number, p.err)
	}
	p.writeMatrix(p.view(target).undisplay())
	p.call(p.setMatrix, form, uint64(p.out))
	p.call(p.insertObject, target, form)
	ok := p.call(p.generate, target)
	p.call(p.closeXObject, xObject)
	if ok == 0 {
		return pageFault(page.Number, p.err)
	}
	return nil
}

// undisplay maps the page as displayed, with y growing upwards, to the page's
// own coordinates.
func (v view) undisplay() matrix {
	switch v.rotation {
	case 0:
		return matrix{1, 0, 0, 1, v.left, v.bottom}
	case 1:
		return matrix{0, 1, -1, 0, v.right, v.bottom}
	case 2:
		return matrix{-1, 0, 0, -1, v.right, v.top}
	default:
		return matrix{0, -1, 1, 0, v.left, v.top}
	}
}

// writeMatrix fills an FS_MATRIX in the out-parameters.
func (p *pdfium) writeMatrix(m matrix) {
	b, _ := p.memory.Read(p.out, uint32(4*len(m)))
	for i, v := range m {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(v))
	}
}

// cString puts s into the sandbox's memory. The caller frees it.
func (p *pdfium) cString(s string) uint32 {
	address := p.alloc(len(s) + 1)
	p.memory.WriteString(address, s+"\x00")
	return address
}
