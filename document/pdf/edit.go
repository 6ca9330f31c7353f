package pdf

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

// Sound is a PDF whose objects can be read.
type Sound struct {
	file    *os.File
	objects *objects
	pages   []leaf
	scratch string // a file to remove afterwards, if the PDF had to be written anew
}

// OpenSound opens the PDF at path for editing. The engine first rewrites a PDF that is
// encrypted without a password, or so damaged that only the engine can read it, to a
// file in dir.
func (e *Engine) OpenSound(ctx context.Context, path, dir string, limits format.Limits) (*Sound, error) {
	d, err := e.openPDF(ctx, path, "", limits)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	sound, err := readSound(path, d.count, limits)
	if !errors.Is(err, errUnsound) && !errors.Is(err, errShort) {
		return sound, err
	}
	scratch, err := os.CreateTemp(dir, "sound-*.pdf")
	if err != nil {
		return nil, fmt.Errorf("write the PDF: %w", err)
	}
	if err = errors.Join(d.save(scratch), scratch.Close()); err == nil {
		sound, err = readSound(scratch.Name(), d.count, limits)
	}
	if err != nil {
		_ = os.Remove(scratch.Name()) // the first error is the one that counts
		if errors.Is(err, errUnsound) || errors.Is(err, errShort) {
			err = fault.File(fault.CorruptFile, "the PDF cannot be rewritten", err)
		}
		return nil, err
	}
	sound.scratch = scratch.Name()
	return sound, nil
}

// readSound reads a PDF's structure, which must have as many pages as the engine
// sees.
func readSound(path string, pages int, limits format.Limits) (*Sound, error) {
	f, size, err := format.OpenFile(path)
	if err != nil {
		return nil, err
	}
	p := &Sound{file: f}
	if p.objects, err = openObjects(f, size, maxFileObjects); err == nil {
		p.pages, err = p.objects.leaves(limits)
	}
	if err == nil && p.objects.trailer.get("/Encrypt") != nil {
		err = unsound("it is encrypted")
	}
	if err == nil && len(p.pages) != pages {
		err = unsound("%d pages instead of %d", len(p.pages), pages)
	}
	if err == nil {
		err = p.objects.check()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return p, nil
}

// Close closes the file that OpenSound opened and removes the one that it wrote.
func (p *Sound) Close() {
	_ = p.file.Close() // it was only read
	if p.scratch != "" {
		_ = os.Remove(p.scratch)
	}
}

// Unlock writes the PDF at path, which password opens, to w as one that needs none.
func (e *Engine) Unlock(ctx context.Context, path, password string, limits format.Limits, w io.Writer) error {
	d, err := e.openPDF(ctx, path, password, limits)
	if err != nil {
		return err
	}
	return errors.Join(d.save(w), d.Close())
}

// saveOpen makes the engine write every object, without encryption.
const saveOpen = 3

// save has the engine rewrite the document.
func (d *file) save(w io.Writer) error {
	p, runtime, out := d.p, d.engine.runtime, bufio.NewWriter(w)
	runtime.sink = out
	defer func() { runtime.sink = nil }()
	writer := p.call(p.createWriter)
	ok := p.call(p.saveCopy, uint64(d.document), writer, saveOpen)
	p.call(p.free, writer)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the PDF: %w", err)
	}
	if ok == 0 {
		return fault.File(fault.CorruptFile, "the PDF cannot be rewritten", p.err)
	}
	return nil
}

// LayWords writes the PDF with an invisible text layer: the words of pages, at their
// displayed positions, under the pages of the same numbers. The file's bytes stay as
// they are; the words follow as an incremental update.
func (p *Sound) LayWords(w io.Writer, pages []layout.Page) error {
	out := newUpdate(w, p.objects)
	// This undoes changes of the coordinates by the page's own content.
	before := out.packed("", []byte("q\n"))
	for _, page := range pages {
		if page.Number < 1 || page.Number > len(p.pages) {
			return fault.Newf(fault.NotFound, "the PDF has no page %d", page.Number)
		}
		if err := p.layPage(out, before, p.pages[page.Number-1], page); err != nil {
			return err
		}
	}
	return out.finishUpdate(p.objects)
}

// layPage puts the words on the displayed page as a form of their own: see textForm.
func (p *Sound) layPage(out *Writer, before int, leaf leaf, page layout.Page) error {
	resources, err := p.dictOrNone(leaf.dict.get("/Resources"))
	if err != nil {
		return err
	}
	forms, err := p.dictOrNone(resources.get("/XObject"))
	if err != nil {
		return err
	}
	name := "/Words"
	for forms.get(name) != nil {
		name += "0"
	}
	place, err := p.display(leaf.dict, page)
	if err != nil {
		return err
	}
	own, err := p.contents(leaf.dict.get("/Contents"))
	if err != nil {
		return err
	}
	form, turn := out.textForm(page)
	all := fmt.Appendf(nil, "[%d 0 R", before)
	for _, stream := range own {
		all = fmt.Appendf(all, " %s", stream)
	}
	after := out.packed("", fmt.Appendf(nil, "Q q %s cm%s Do Q\n", place.after(turn), name))
	all = fmt.Appendf(all, " %d 0 R]", after)
	forms = forms.with(name, fmt.Appendf(nil, "%d 0 R", form))
	dict := leaf.dict.with("/Contents", all).with("/Resources", resources.with("/XObject", forms.raw()).raw())
	out.object(leaf.number, "%s", dict.raw())
	return nil
}

// dictOrNone is the dictionary that v is or refers to, or an empty one.
func (p *Sound) dictOrNone(v raw) (dict, error) {
	v, err := p.objects.resolve(v)
	if err != nil || len(v) == 0 || string(v) == "null" {
		return dict{}, err
	}
	return v.dict()
}

// contents lists the references to a page's content streams.
func (p *Sound) contents(v raw) ([]raw, error) {
	if len(v) == 0 {
		return nil, nil
	}
	target, err := p.objects.resolve(v)
	switch {
	case err != nil:
		return nil, err
	case target.isArray():
		return target.array()
	case string(target) == "null":
		return nil, nil
	default:
		return []raw{v}, nil
	}
}

// usLetter is the size of a page that has none.
var usLetter = [4]float32{0, 0, 612, 792}

// display is the matrix from the page as displayed, with y growing upwards and
// the size that words have it in, to the page's own coordinates.
func (p *Sound) display(d dict, words layout.Page) (matrix, error) {
	media, err := p.rectangle(d.get("/MediaBox"), usLetter)
	if err != nil {
		return matrix{}, err
	}
	crop, err := p.rectangle(d.get("/CropBox"), media)
	if err != nil {
		return matrix{}, err
	}
	v := view{
		left: max(media[0], crop[0]), bottom: max(media[1], crop[1]),
		right: min(media[2], crop[2]), top: min(media[3], crop[3]),
	}
	if v.left >= v.right || v.bottom >= v.top {
		v = view{left: media[0], bottom: media[1], right: media[2], top: media[3]}
	}
	turn, err := p.objects.resolve(d.get("/Rotate"))
	if err != nil {
		return matrix{}, err
	}
	degrees, _ := turn.integer()
	v.rotation = degrees / 90 & 3
	m := v.undisplay()
	width, height := v.right-v.left, v.top-v.bottom
	if v.rotation&1 == 1 {
		width, height = height, width
	}
	x, y := width/words.Width, height/words.Height
	return matrix{m[0] * x, m[1] * x, m[2] * y, m[3] * y, m[4], m[5]}, nil
}

// rectangle reads a box, whichever its corners are.
func (p *Sound) rectangle(v raw, absent [4]float32) ([4]float32, error) {
	v, err := p.objects.resolve(v)
	if err != nil || len(v) == 0 || string(v) == "null" {
		return absent, err
	}
	elements, err := v.array()
	if err != nil || len(elements) != 4 {
		return absent, unsound("rectangle %q", v)
	}
	var r [4]float32
	for i, element := range elements {
		if element, err = p.objects.resolve(element); err != nil {
			return absent, err
		}
		n, ok := element.number()
		if !ok {
			return absent, unsound("rectangle %q", v)
		}
		r[i] = n
	}
	r = [4]float32{min(r[0], r[2]), min(r[1], r[3]), max(r[0], r[2]), max(r[1], r[3])}
	if r[0] == r[2] || r[1] == r[3] {
		return absent, nil
	}
	return r, nil
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

// copier copies pages and what they refer to from one file to another.
type copier struct {
	from    *objects
	to      *Writer
	numbers map[int]int // new ones by old ones
	queue   []int       // old numbers that are still to be copied
}

// CopyPages appends all pages of p.
func (p *Sound) CopyPages(to *Writer) error {
	c := &copier{from: p.objects, to: to, numbers: map[int]int{}}
	for _, leaf := range p.pages { // first, as pages may refer to each other
		number := to.reserve()
		c.numbers[leaf.number] = number
		to.kids = append(to.kids, number)
	}
	for _, leaf := range p.pages {
		dict := leaf.dict
		dict.keys = slices.DeleteFunc(slices.Clone(dict.keys), func(key string) bool { return key == "/Parent" })
		value, err := dict.raw().renumbered(c.number)
		if err != nil {
			return err
		}
		// Of two entries with the same name one would be lost, so none is left.
		to.object(c.numbers[leaf.number], "<</Parent %d 0 R %s", pagesObject, value[len("<<"):])
	}
	for len(c.queue) > 0 {
		last := len(c.queue) - 1
		number := c.queue[last]
		c.queue = c.queue[:last]
		if err := c.copy(number); err != nil {
			return err
		}
	}
	return to.err
}

// number is the new number of an object, which is copied if it was not yet.
func (c *copier) number(old int) int {
	number, known := c.numbers[old]
	if !known {
		number = c.to.reserve()
		c.numbers[old] = number
		c.queue = append(c.queue, old)
	}
	return number
}

func (c *copier) copy(old int) error {
	object, err := c.from.object(old)
	if err != nil {
		return err
	}
	number := c.numbers[old]
	if object.value.isDict() {
		d, err := object.value.dict()
		if err != nil {
			return err
		}
		if kind := string(d.get("/Type")); kind == "/Pages" || kind == "/Catalog" {
			c.to.object(number, "null") // the tree above the pages is not copied
			return nil
		}
		if object.data != nil {
			object.value = d.with("/Length", fmt.Appendf(nil, "%d", object.data.Size())).raw()
		}
	}
	value, err := object.value.renumbered(c.number)
	if err != nil {
		return err
	}
	if object.data == nil {
		c.to.object(number, "%s", value)
		return nil
	}
	c.to.offsets[number] = c.to.written
	c.to.printf("%d 0 obj\n%s\nstream\n", number, value)
	if _, err := io.Copy(c.to, object.data); err != nil {
		return err
	}
	c.to.printf("\nendstream\nendobj\n")
	return nil
}
