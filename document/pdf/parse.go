package pdf

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/clausemill/clausemill/document/format"
)

// This file reads the structure of a PDF: its objects and their locations, not their
// meaning. It serves to add to a file, or to copy from it, without passing all of it
// through the engine's memory. It accepts only files that conform to ISO 32000. The
// engine rewrites other files correctly, if it can open them (see Sound).
// docs/decisions.md describes what that saves.

var errUnsound = errors.New("the structure of the PDF is not sound")

func unsound(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errUnsound, fmt.Sprintf(format, args...))
}

// raw is the source of one object.
type raw []byte

// dict is a dictionary in the order in which it was written.
type dict struct {
	keys   []string // with the slash
	values map[string]raw
}

func (d dict) get(key string) raw { return d.values[key] }

// with returns a copy of d in which key has value.
func (d dict) with(key string, value raw) dict {
	out := dict{keys: slices.Clone(d.keys), values: make(map[string]raw, len(d.values)+1)}
	for k, v := range d.values {
		out.values[k] = v
	}
	if _, known := out.values[key]; !known {
		out.keys = append(out.keys, key)
	}
	out.values[key] = value
	return out
}

func (d dict) raw() raw {
	b := []byte("<<")
	for _, key := range d.keys {
		b = append(append(append(append(b, key...), ' '), d.values[key]...), '\n')
	}
	return append(b, ">>"...)
}

// lexer takes objects off the front of some source.
type lexer struct {
	b []byte
	i int
}

const maxDepth = 100 // of arrays and dictionaries in each other

// errShort means that an object continues beyond the available source.
var errShort = errors.New("unexpected end")

func isSpace(c byte) bool { return bytes.IndexByte([]byte("\x00\t\n\f\r "), c) >= 0 }

func isDelimiter(c byte) bool { return bytes.IndexByte([]byte("()<>[]{}/%"), c) >= 0 }

func (l *lexer) space() {
	for l.i < len(l.b) {
		switch c := l.b[l.i]; {
		case isSpace(c):
			l.i++
		case c == '%':
			for l.i < len(l.b) && l.b[l.i] != '\n' && l.b[l.i] != '\r' {
				l.i++
			}
		default:
			return
		}
	}
}

// token takes one delimiter, name, string, number or keyword; empty at the end.
func (l *lexer) token() (raw, error) {
	l.space()
	start := l.i
	if start == len(l.b) {
		return nil, errShort
	}
	switch c := l.b[l.i]; {
	case c == '(':
		return l.text()
	case c == '<' && l.i+1 < len(l.b) && l.b[l.i+1] == '<', c == '>' && l.i+1 < len(l.b) && l.b[l.i+1] == '>':
		l.i += 2
	case c == '<':
		end := bytes.IndexByte(l.b[l.i:], '>')
		if end < 0 {
			return nil, errShort
		}
		l.i += end + 1
	case c == '[' || c == ']':
		l.i++
	case c == '/' || !isDelimiter(c):
		l.i++
		for l.i < len(l.b) && !isSpace(l.b[l.i]) && !isDelimiter(l.b[l.i]) {
			l.i++
		}
		if l.i == len(l.b) {
			return nil, errShort
		}
	default:
		return nil, unsound("a stray %q", c)
	}
	return l.b[start:l.i], nil
}

// text takes a string in parentheses.
func (l *lexer) text() (raw, error) {
	start, depth := l.i, 0
	for ; l.i < len(l.b); l.i++ {
		switch l.b[l.i] {
		case '\\':
			l.i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.i++
				return l.b[start:l.i], nil
			}
		}
	}
	return nil, errShort
}

// value takes a whole object, references included.
func (l *lexer) value() (raw, error) { return l.nested(maxDepth) }

func (l *lexer) nested(depth int) (raw, error) {
	l.space()
	start := l.i
	t, err := l.token()
	if err != nil {
		return nil, err
	}
	switch string(t) {
	case "<<", "[":
		closing := map[string]string{"<<": ">>", "[": "]"}[string(t)]
		if depth == 0 {
			return nil, unsound("nested too deeply")
		}
		for {
			mark := l.i
			t, err := l.token()
			if err != nil {
				return nil, err
			}
			if string(t) == closing {
				return l.b[start:l.i], nil
			}
			l.i = mark
			if _, err := l.nested(depth - 1); err != nil {
				return nil, err
			}
		}
	case ">>", "]":
		return nil, unsound("a stray %s", t)
	}
	if _, ok := t.integer(); ok && l.referenceFollows() {
		return l.b[start:l.i], nil
	}
	return t, nil
}

// referenceFollows takes "generation R" if that comes next.
func (l *lexer) referenceFollows() bool {
	mark := l.i
	if generation, err := l.token(); err == nil {
		if _, ok := generation.integer(); ok {
			if t, err := l.token(); err == nil && string(t) == "R" {
				return true
			}
		}
	}
	l.i = mark
	return false
}

func (v raw) integer() (int, bool) {
	n, err := strconv.Atoi(string(v))
	return n, err == nil
}

func (v raw) number() (float32, bool) {
	n, err := strconv.ParseFloat(string(v), 32)
	return float32(n), err == nil
}

// reference is the number of the object that v refers to.
func (v raw) reference() (int, bool) {
	fields := bytes.Fields(v)
	if len(fields) != 3 || string(fields[2]) != "R" {
		return 0, false
	}
	return raw(fields[0]).integer()
}

func (v raw) isDict() bool { return bytes.HasPrefix(v, []byte("<<")) }

func (v raw) isArray() bool { return bytes.HasPrefix(v, []byte("[")) }

func (v raw) dict() (dict, error) {
	d := dict{values: map[string]raw{}}
	if !v.isDict() {
		return d, unsound("no dictionary")
	}
	l := &lexer{b: v[2:]}
	for {
		key, err := l.token()
		if err != nil {
			return d, err
		}
		if string(key) == ">>" {
			return d, nil
		}
		if key[0] != '/' {
			return d, unsound("key %q", key)
		}
		value, err := l.value()
		if err != nil {
			return d, err
		}
		if _, twice := d.values[string(key)]; !twice {
			d.keys = append(d.keys, string(key))
		}
		d.values[string(key)] = value
	}
}

func (v raw) array() ([]raw, error) {
	if !v.isArray() {
		return nil, unsound("no array")
	}
	l := &lexer{b: v[1:]}
	var all []raw
	for {
		mark := l.i
		t, err := l.token()
		if err != nil {
			return nil, err
		}
		if string(t) == "]" {
			return all, nil
		}
		l.i = mark
		element, err := l.value()
		if err != nil {
			return nil, err
		}
		all = append(all, element)
	}
}

// renumbered is v with every reference replaced.
func (v raw) renumbered(number func(int) int) (raw, error) {
	var out []byte
	l := &lexer{b: append(slices.Clone(v), ' ')}
	for {
		l.space()
		start := l.i
		t, err := l.token()
		if errors.Is(err, errShort) && start >= len(v) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if n, ok := t.integer(); ok && l.referenceFollows() {
			out = fmt.Appendf(out, "%d 0 R ", number(n))
			continue
		}
		out = append(append(out, t...), ' ')
	}
}

// location is the position of an object: an offset, or an index in the object
// stream with that number. The zero value is that of a free object.
type location struct {
	offset int64
	stream int
	index  int
}

// objects finds the objects of a PDF.
type objects struct {
	r       io.ReaderAt
	size    int64
	places  map[int]location
	trailer dict
	most    int   // objects
	start   int64 // of the last cross-reference section
	streams bool  // that section is a stream

	unpacked map[int][]raw // objects of the object streams that were used last
	held     int           // bytes of these
}

// indirect is an object and, if it is a stream, its data.
type indirect struct {
	value raw
	data  *io.SectionReader
}

const (
	maxFileObjects = 10_000_000
	maxSource      = 64 << 20  // of one object without its stream
	maxTable       = 64 << 20  // unpacked, of a cross-reference or object stream
	maxHeld        = 64 << 20  // of unpacked objects
	maxPacked      = 1_000_000 // objects of one object stream
	pdfWindow      = 4 << 10
)

// openPDFObjects reads the cross-reference sections, of at most so many objects.
func openObjects(r io.ReaderAt, size int64, most int) (*objects, error) {
	p := &objects{r: r, size: size, most: most, places: map[int]location{}}
	head, tail := make([]byte, 5), make([]byte, min(size, 1024))
	if _, err := r.ReadAt(head, 0); err != nil || string(head) != "%PDF-" {
		return nil, unsound("no header at the start")
	}
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	at := bytes.LastIndex(tail, []byte("startxref"))
	if at < 0 {
		return nil, unsound("no startxref")
	}
	l := &lexer{b: append(tail[at+len("startxref"):], ' ')}
	t, err := l.token()
	start, ok := t.integer()
	if err != nil || !ok {
		return nil, unsound("no offset after startxref")
	}
	p.start = int64(start)
	seen := map[int64]bool{}
	for next := p.start; next > 0; {
		if seen[next] {
			return nil, unsound("cross-reference sections in a circle")
		}
		seen[next] = true
		if next, err = p.section(next); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// section reads one section and returns the offset of the one before, or 0.
func (p *objects) section(offset int64) (int64, error) {
	word, err := p.read(offset, 4)
	if err != nil {
		return 0, err
	}
	first := p.trailer.values == nil
	var trailer dict
	if string(word) == "xref" {
		trailer, err = p.table(offset + 4)
	} else {
		if trailer, err = p.crossStream(offset); first {
			p.streams = true
		}
	}
	if err != nil {
		return 0, err
	}
	if first {
		p.trailer = trailer
	}
	if hybrid, ok := trailer.get("/XRefStm").integer(); ok {
		if _, err := p.crossStream(int64(hybrid)); err != nil {
			return 0, err
		}
	}
	previous, _ := trailer.get("/Prev").integer()
	return int64(previous), nil
}

func (p *objects) read(offset int64, n int) ([]byte, error) {
	if offset < 0 || offset+int64(n) > p.size {
		return nil, unsound("an offset beyond the file")
	}
	b := make([]byte, n)
	if _, err := p.r.ReadAt(b, offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b, nil
}

// lex calls parse with a window of the file that grows until it is large enough.
func (p *objects) lex(offset int64, parse func(*lexer) error) error {
	for window := int64(pdfWindow); ; window *= 8 {
		if offset < 0 || offset >= p.size {
			return unsound("an offset beyond the file")
		}
		n := min(window, p.size-offset)
		b, err := p.read(offset, int(n))
		if err != nil {
			return err
		}
		err = parse(&lexer{b: b})
		if !errors.Is(err, errShort) {
			return err
		}
		if n == p.size-offset || window > maxSource {
			return unsound("an object without an end")
		}
	}
}

// entrySize is the length of a line of a cross-reference table.
const entrySize = 20

func (p *objects) table(offset int64) (trailer dict, err error) {
	for {
		var from, count int
		end := false
		err := p.lex(offset, func(l *lexer) error {
			t, err := l.token()
			if err != nil {
				return err
			}
			if string(t) == "trailer" {
				end = true
				value, err := l.value()
				if err != nil {
					return err
				}
				trailer, err = value.dict()
				return err
			}
			n, err := l.token()
			if err != nil {
				return err
			}
			var ok, also bool
			from, ok = t.integer()
			count, also = n.integer()
			if !ok || !also || from < 0 || count < 0 || from+count > p.most {
				return unsound("subsection %q %q", t, n)
			}
			for l.i < len(l.b) && isSpace(l.b[l.i]) {
				l.i++
			}
			offset += int64(l.i)
			return nil
		})
		if err != nil || end {
			return trailer, err
		}
		lines, err := p.read(offset, count*entrySize)
		if err != nil {
			return trailer, err
		}
		for i := range count {
			line := lines[i*entrySize:][:entrySize]
			at, err := strconv.ParseInt(string(line[:10]), 10, 64)
			if err != nil || line[10] != ' ' || line[16] != ' ' || (line[17] != 'n' && line[17] != 'f') {
				return trailer, unsound("cross-reference %q", line)
			}
			if line[17] == 'f' {
				at = 0
			}
			p.note(from+i, location{offset: at})
		}
		offset += int64(len(lines))
	}
}

// note keeps the first place of an object that is found, which is the newest.
func (p *objects) note(number int, place location) {
	if _, known := p.places[number]; !known {
		p.places[number] = place
	}
}

// crossStream reads a cross-reference stream; its dictionary is the trailer.
func (p *objects) crossStream(offset int64) (dict, error) {
	object, _, err := p.at(offset)
	if err != nil {
		return dict{}, err
	}
	d, err := object.value.dict()
	if err != nil {
		return d, err
	}
	data, err := object.unpack(d, maxTable)
	if err != nil {
		return d, err
	}
	widths, err := integers(d.get("/W"))
	if err != nil || len(widths) != 3 || slices.Min(widths) < 0 || slices.Max(widths) > 8 {
		return d, unsound("widths %q", d.get("/W"))
	}
	size, _ := d.get("/Size").integer()
	index := []int{0, size}
	if value := d.get("/Index"); value != nil {
		if index, err = integers(value); err != nil || len(index)%2 != 0 {
			return d, unsound("index %q", value)
		}
	}
	width := widths[0] + widths[1] + widths[2]
	for ; len(index) > 0; index = index[2:] {
		from, count := index[0], index[1]
		if from < 0 || count < 0 || from+count > p.most || width == 0 || count > len(data)/width {
			return d, unsound("index %d %d", from, count)
		}
		for i := range count {
			entry := data[:width]
			data = data[width:]
			kind, second, third := 1, bigEndian(entry[widths[0]:][:widths[1]]), bigEndian(entry[widths[0]+widths[1]:])
			if widths[0] > 0 {
				kind = int(bigEndian(entry[:widths[0]]))
			}
			switch kind {
			case 1:
				p.note(from+i, location{offset: second})
			case 2:
				p.note(from+i, location{stream: int(second), index: int(third)})
			default:
				p.note(from+i, location{})
			}
		}
	}
	return d, nil
}

func bigEndian(b []byte) (n int64) {
	for _, c := range b {
		n = n<<8 | int64(c)
	}
	return n
}

func integers(v raw) ([]int, error) {
	elements, err := v.array()
	if err != nil {
		return nil, err
	}
	all := make([]int, len(elements))
	for i, element := range elements {
		n, ok := element.integer()
		if !ok {
			return nil, unsound("no integer: %q", element)
		}
		all[i] = n
	}
	return all, nil
}

// at reads the object at an offset, and its number.
func (p *objects) at(offset int64) (object indirect, number int, err error) {
	err = p.lex(offset, func(l *lexer) error {
		var head [3]raw
		for i := range head {
			t, err := l.token()
			if err != nil {
				return err
			}
			head[i] = t
		}
		n, ok := head[0].integer()
		if generation, also := head[1].integer(); !ok || !also || generation != 0 || string(head[2]) != "obj" {
			return unsound("object %q", bytes.Join([][]byte{head[0], head[1], head[2]}, []byte(" ")))
		}
		value, err := l.value()
		if err != nil {
			return err
		}
		object, number = indirect{value: value}, n
		t, err := l.token()
		if err != nil || string(t) != "stream" {
			return err
		}
		if l.i+1 >= len(l.b) {
			return errShort
		}
		if l.b[l.i] == '\r' {
			l.i++
		}
		l.i++ // the line feed
		d, err := value.dict()
		if err != nil {
			return err
		}
		length, err := p.length(d)
		if err != nil {
			return err
		}
		start := offset + int64(l.i)
		if length < 0 || start+length > p.size {
			return unsound("a stream beyond the file")
		}
		object.data = io.NewSectionReader(p.r, start, length)
		return nil
	})
	return object, number, err
}

func (p *objects) length(d dict) (int64, error) {
	value := d.get("/Length")
	if number, ok := value.reference(); ok {
		place := p.places[number]
		if place.offset == 0 {
			return 0, unsound("a length in an object stream")
		}
		// Not a stream itself, or this would not end.
		err := p.lex(place.offset, func(l *lexer) error {
			var t raw
			for range 4 { // number, generation, "obj", value
				var err error
				if t, err = l.token(); err != nil {
					return err
				}
			}
			value = t
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	n, ok := value.integer()
	if !ok {
		return 0, unsound("length %q", value)
	}
	return int64(n), nil
}

// object reads an object by its number. One that is free or absent is null.
func (p *objects) object(number int) (indirect, error) {
	place := p.places[number]
	if place.stream != 0 {
		return p.packed(place)
	}
	if place.offset == 0 {
		return indirect{value: raw("null")}, nil
	}
	object, found, err := p.at(place.offset)
	if err == nil && found != number {
		err = unsound("object %d at the place of %d", found, number)
	}
	return object, err
}

// packed reads an object of an object stream.
func (p *objects) packed(place location) (indirect, error) {
	objects, known := p.unpacked[place.stream]
	if !known {
		if p.places[place.stream].stream != 0 {
			return indirect{}, unsound("an object stream in another")
		}
		container, err := p.object(place.stream)
		if err != nil {
			return indirect{}, err
		}
		if _, objects, err = container.objects(); err != nil {
			return indirect{}, err
		}
		p.keep(place.stream, objects)
	}
	if place.index < 0 || place.index >= len(objects) {
		return indirect{}, unsound("index %d of an object stream", place.index)
	}
	return indirect{value: objects[place.index]}, nil
}

// keep holds the objects of a stream, in place of others if there are many.
func (p *objects) keep(stream int, objects []raw) {
	size := 0
	for _, object := range objects {
		size += len(object)
	}
	if p.unpacked == nil || p.held+size > maxHeld {
		p.unpacked, p.held = map[int][]raw{}, 0
	}
	p.unpacked[stream] = objects
	p.held += size
}

// check reads every object once, to find damaged ones.
func (p *objects) check() error {
	inStream := func(number int) int { return p.places[number].stream }
	numbers := slices.SortedFunc(maps.Keys(p.places), func(a, b int) int {
		return cmp.Or(cmp.Compare(inStream(a), inStream(b)), cmp.Compare(a, b))
	})
	for _, number := range numbers {
		if _, err := p.object(number); err != nil {
			return err
		}
	}
	return nil
}

// objects takes an object stream apart: the numbers of its objects, 0 for one that is none,
// and their values.
func (o indirect) objects() (numbers []int, values []raw, err error) {
	d, err := o.value.dict()
	if err != nil {
		return nil, nil, err
	}
	data, err := o.unpack(d, maxTable)
	if err != nil {
		return nil, nil, err
	}
	return members(d, data)
}

// members are the objects of an object stream by its dictionary and its data. An object ends
// where the next one begins, so that none is read twice, however many places are in the head.
func members(d dict, data []byte) (numbers []int, values []raw, err error) {
	n, ok := d.get("/N").integer()
	first, also := d.get("/First").integer()
	if !ok || !also || n < 0 || first < 0 || first > len(data) || n > first || n > maxPacked {
		return nil, nil, unsound("object stream of %q objects", d.get("/N"))
	}
	head := &lexer{b: append(slices.Clone(data[:first]), ' ')}
	data = append(data, ' ') // ends what comes last
	body := data[first:]
	numbers, values = make([]int, n), make([]raw, n)
	places := make([]int, n)
	for i := range places {
		number, err := head.token()
		if err != nil {
			return nil, nil, unsound("object stream: %v", err)
		}
		numbers[i], _ = number.integer()
		t, err := head.token()
		at, ok := t.integer()
		if err != nil || !ok || at < 0 || at >= len(body) {
			return nil, nil, unsound("offset in an object stream")
		}
		places[i] = at
	}
	ends := slices.Compact(slices.Sorted(slices.Values(places)))
	read := make(map[int]raw, len(ends)) // by place
	for i, at := range ends {
		end := len(body)
		if i+1 < len(ends) {
			end = ends[i+1] + 1 // with the byte that ends a word
		}
		l := &lexer{b: body[at:end]}
		if read[at], err = l.value(); err != nil {
			return nil, nil, unsound("object stream: %v", err)
		}
	}
	for i, at := range places {
		values[i] = read[at]
	}
	return numbers, values, nil
}

// unpack decodes the data of a cross-reference or object stream, which are deflated, if at
// all. It is an error if there are as many bytes as most; what was read is returned with it.
func (o indirect) unpack(d dict, most int64) ([]byte, error) {
	if o.data == nil {
		return nil, unsound("no stream")
	}
	var from io.Reader = o.data
	filter, parameters := d.get("/Filter"), d.get("/DecodeParms")
	if filter.isArray() {
		filters, err := filter.array()
		if err != nil || len(filters) != 1 {
			return nil, unsound("filter %q", filter)
		}
		filter = filters[0]
		if parameters.isArray() {
			all, err := parameters.array()
			if err != nil || len(all) != 1 {
				return nil, unsound("parameters %q", parameters)
			}
			parameters = all[0]
		}
	}
	switch string(filter) {
	case "":
	case "/FlateDecode":
		z, err := zlib.NewReader(from)
		if err != nil {
			return nil, unsound("%v", err)
		}
		from = z
	default:
		return nil, unsound("filter %q", filter)
	}
	data, err := io.ReadAll(io.LimitReader(from, most))
	if err != nil || int64(len(data)) >= most {
		return data, unsound("a stream that does not unpack")
	}
	if !parameters.isDict() {
		return data, nil
	}
	settings, err := parameters.dict()
	if err != nil {
		return nil, err
	}
	if predictor, ok := settings.get("/Predictor").integer(); ok && predictor != 1 {
		columns, ok := settings.get("/Columns").integer()
		if predictor < 10 || !ok || columns < 1 || columns > 1<<16 {
			return nil, unsound("predictor %d", predictor)
		}
		return unpredict(data, columns)
	}
	return data, nil
}

// unpredict undoes PNG's filters for rows of single bytes.
func unpredict(data []byte, columns int) ([]byte, error) {
	out := make([]byte, 0, len(data))
	above := make([]byte, columns)
	for ; len(data) > columns; data = data[columns+1:] {
		row := slices.Clone(data[1 : columns+1])
		for i := range row {
			var left, upperLeft byte
			if i > 0 {
				left, upperLeft = row[i-1], above[i-1]
			}
			switch data[0] {
			case 0:
			case 1:
				row[i] += left
			case 2:
				row[i] += above[i]
			case 3:
				row[i] += byte((int(left) + int(above[i])) / 2)
			case 4:
				row[i] += paeth(left, above[i], upperLeft)
			default:
				return nil, unsound("row filter %d", data[0])
			}
		}
		out = append(out, row...)
		above = row
	}
	return out, nil
}

// paeth is PNG's Paeth predictor: the neighbour that is nearest to a linear estimate.
func paeth(left, above, upperLeft byte) byte {
	distance := func(n byte) int {
		d := int(left) + int(above) - int(upperLeft) - int(n)
		return max(d, -d)
	}
	switch a, b, c := distance(left), distance(above), distance(upperLeft); {
	case a <= b && a <= c:
		return left
	case b <= c:
		return above
	default:
		return upperLeft
	}
}

// resolve follows references until the value is not a reference.
func (p *objects) resolve(v raw) (raw, error) {
	for range 10 {
		number, ok := v.reference()
		if !ok {
			return v, nil
		}
		object, err := p.object(number)
		if err != nil {
			return nil, err
		}
		v = object.value
	}
	return nil, unsound("references in a circle")
}

func (p *objects) resolveDict(v raw) (dict, error) {
	v, err := p.resolve(v)
	if err != nil {
		return dict{}, err
	}
	return v.dict()
}

// leaf is a page with what it inherits filled in.
type leaf struct {
	number int
	dict   dict
}

// inherited are the entries that a page may inherit from the tree above it.
var inherited = []string{"/Resources", "/MediaBox", "/CropBox", "/Rotate"}

// leaves lists the pages in order.
func (p *objects) leaves(limits format.Limits) ([]leaf, error) {
	root, err := p.resolveDict(p.trailer.get("/Root"))
	if err != nil {
		return nil, err
	}
	var all []leaf
	seen := map[int]bool{}
	var walk func(v raw, above dict, depth int) error
	walk = func(v raw, above dict, depth int) error {
		number, ok := v.reference()
		if !ok || seen[number] || depth == 0 {
			return unsound("a page tree that is none")
		}
		seen[number] = true
		d, err := p.resolveDict(v)
		if err != nil {
			return err
		}
		for _, key := range inherited {
			if value := above.get(key); value != nil && d.get(key) == nil {
				d = d.with(key, value)
			}
		}
		if d.get("/Kids") == nil {
			if all = append(all, leaf{number, d}); len(all) > limits.MaxPages {
				return format.TooManyPages(limits)
			}
			return nil
		}
		list, err := p.resolve(d.get("/Kids"))
		if err != nil {
			return err
		}
		kids, err := list.array()
		if err != nil {
			return err
		}
		for _, kid := range kids {
			if err := walk(kid, d, depth-1); err != nil {
				return err
			}
		}
		return nil
	}
	return all, walk(root.get("/Pages"), dict{}, maxDepth)
}
