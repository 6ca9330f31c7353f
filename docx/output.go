package docx

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// An output is a package that differs from a document in some of its parts.
type output struct {
	from    *Document
	changed map[string][]byte // by the name of the entry
	added   []string          // names of changed that are new, in order
	removed map[string]bool
}

func newOutput(d *Document) *output {
	return &output{from: d, changed: map[string][]byte{}, removed: map[string]bool{}}
}

// set gives a part new bytes.
func (o *output) set(name string, data []byte) {
	if _, again := o.changed[name]; !again && o.from.entries[strings.ToLower(name)] == nil {
		o.added = append(o.added, name)
	}
	o.changed[name] = data
}

// bytes writes the package: what did not change as it was packed, in its order
// and with its times; the very same bytes if nothing changed.
func (o *output) bytes() ([]byte, error) {
	if len(o.changed) == 0 && len(o.removed) == 0 {
		return o.from.data, nil
	}
	if err := o.unsign(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(len(o.from.data) + 1<<14)
	w := zip.NewWriter(&b)
	// Packing is most of what writing costs; the best would save a tenth of the size.
	w.RegisterCompressor(zip.Deflate, newPacker)
	for _, f := range o.from.zip.File {
		data, changed := o.changed[f.Name]
		switch {
		case o.removed[f.Name]:
		case changed:
			if err := write(w, f.Name, f.Modified, data); err != nil {
				return nil, err
			}
		default:
			if err := w.Copy(f); err != nil {
				return nil, fmt.Errorf("copy a part: %w", err)
			}
		}
	}
	for _, name := range o.added {
		if err := write(w, name, o.from.zip.File[0].Modified, o.changed[name]); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("write the package: %w", err)
	}
	return b.Bytes(), nil
}

// packers are kept: each has a table of more than a megabyte.
var packers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(io.Discard, flate.BestSpeed)
	return w
}}

// A packer compresses one part.
type packer struct{ *flate.Writer }

func newPacker(to io.Writer) (io.WriteCloser, error) {
	w := packers.Get().(*flate.Writer) //nolint:forcetypeassert // nothing else is put there
	w.Reset(to)
	return packer{w}, nil
}

func (p packer) Close() error {
	err := p.Writer.Close()
	packers.Put(p.Writer)
	return err
}

func write(w *zip.Writer, name string, modified time.Time, data []byte) error {
	if modified.Year() < 1980 { // there was none: the format counts from there
		modified = time.Time{}
	}
	to, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: modified})
	if err == nil {
		_, err = to.Write(data)
	}
	if err != nil {
		return fmt.Errorf("write a part: %w", err)
	}
	return nil
}

// Signed reports whether the package carries a digital signature, which no
// change of it can keep.
func (d *Document) Signed() bool {
	return slices.ContainsFunc(d.zip.File, func(f *zip.File) bool { return isSignature(f.Name) })
}

func isSignature(name string) bool {
	return strings.HasPrefix(strings.ToLower(name), "_xmlsignatures/")
}

// unsign takes out the signature, which would no longer be true.
func (o *output) unsign() error {
	if !o.from.Signed() {
		return nil
	}
	for _, f := range o.from.zip.File {
		if isSignature(f.Name) {
			o.removed[f.Name] = true
		}
	}
	if err := o.cut("_rels/.rels", func(e Element) bool {
		return strings.HasSuffix(e.Attr("Type"), "/digital-signature/origin")
	}); err != nil {
		return err
	}
	return o.cut("[Content_Types].xml", func(e Element) bool {
		return isSignature(strings.TrimPrefix(e.Attr("PartName"), "/"))
	})
}

// cut removes the children for which gone is true from a part's root.
func (o *output) cut(name string, gone func(Element) bool) error {
	p, err := o.part(name)
	if err != nil || p == nil {
		return err
	}
	var edits splices
	for e := range p.Root().Children() {
		if gone(e) {
			edits.replace(int(e.node().start), int(e.node().end), "")
		}
	}
	if len(edits) > 0 {
		o.set(p.Name, edits.apply(p.data))
	}
	return nil
}

// part reads a part as it is in the output so far.
func (o *output) part(name string) (*Part, error) {
	f := o.from.entries[strings.ToLower(name)]
	if f != nil {
		name = f.Name
	}
	data, changed := o.changed[name]
	if !changed {
		return o.from.Part(name)
	}
	return newPart(name, data, nil)
}

// read is a part of the document as it is in the output so far, also where the document
// itself is in memory only.
func (o *output) read(part *Part) (*Part, error) {
	if data, changed := o.changed[part.Name]; changed {
		return newPart(part.Name, data, part)
	}
	return part, nil
}

// appendTo puts markup at the end of a part's root.
func (o *output) appendTo(name, markup string) error {
	p, err := o.part(name)
	if err != nil || p == nil {
		return err
	}
	root := p.Root()
	var edits splices
	if root.node().open == root.node().end {
		edits.replace(0, int(root.node().end), string(p.data[:root.node().start])+root.startTag()+markup+root.endTag())
	} else {
		edits.insert(int(root.node().close), markup)
	}
	o.set(p.Name, edits.apply(p.data))
	return nil
}

// dropComments takes comments out of the package whose anchors are gone.
func (d *Document) dropComments(o *output, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	paragraphs := map[string]bool{}
	for _, c := range d.Comments() {
		if slices.Contains(ids, c.ID) && c.ParaID != "" {
			paragraphs[c.ParaID] = true
		}
	}
	if err := o.cut(d.target(d.main.Name, "comments"), func(e Element) bool {
		return e.Is("comment") && slices.Contains(ids, e.Attr("id"))
	}); err != nil {
		return err
	}
	return o.cut(d.target(d.main.Name, "commentsExtended"), func(e Element) bool {
		return paragraphs[e.Attr("w15:paraId")]
	})
}

// A splice replaces data[from:to].
type splice struct {
	from, to int
	text     string
}

// splices are changes of one part. Those at one place happen in the order in
// which they were added.
type splices []splice

func (s *splices) insert(at int, text string)        { s.replace(at, at, text) }
func (s *splices) replace(from, to int, text string) { *s = append(*s, splice{from, to, text}) }

// apply gives the part with all changes made. They must not overlap.
func (s splices) apply(data []byte) []byte {
	slices.SortStableFunc(s, func(a, b splice) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return a.to - b.to // what is put in at a place comes before what replaces it
	})
	grown := len(data)
	for _, e := range s {
		grown += len(e.text) - (e.to - e.from)
	}
	out := make([]byte, 0, grown)
	at := 0
	for _, e := range s {
		out = append(out, data[at:e.from]...)
		out = append(out, e.text...)
		at = e.to
	}
	return append(out, data[at:]...)
}
