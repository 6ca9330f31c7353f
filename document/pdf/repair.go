package pdf

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Bounds of a repair. All of the file is held in memory, and what its object streams unpack
// to.
const (
	maxRepaired        = 64 << 20
	maxRepairedObjects = 1_000_000
	maxRepairedNumber  = 4 << 20 // the engine's own
)

// repairing collects the objects of a PDF whose cross-reference sections are of no use.
type repairing struct {
	data   []byte
	added  bytes.Buffer // the objects out of object streams, which follow data
	room   int64        // bytes that object streams may still unpack to
	places map[int]int  // offsets of objects by their numbers
	last   int          // offset of the last object of data
	root   int          // number of the catalog
}

// repair returns a PDF with a new cross-reference table behind it, made of the objects that
// are found in it, wherever its own sections say they are. Of objects with the same number
// the last one counts. It is nil where the file has no catalog, is encrypted, or ends too
// early: a part of a contract must not be taken for all of it.
func repair(data []byte) []byte {
	head := bytes.Index(data[:min(len(data), 1024)], []byte("%PDF-"))
	if head < 0 && bytes.HasPrefix(data, []byte("%")) { // its header is lost
		data, head = append([]byte("%PDF-1.7\n"), data...), 0
	}
	if head < 0 || len(data) > maxRepaired || bytes.Contains(data, []byte("/Encrypt")) {
		return nil
	}
	r := &repairing{data: data[head:], room: maxHeld, places: map[int]int{}} // offsets count from the header
	r.collect()
	end := max(bytes.LastIndex(r.data, []byte("trailer")), bytes.LastIndex(r.data, []byte("startxref")))
	if r.root == 0 || end < r.last || len(r.places) > maxRepairedObjects || r.room <= 0 {
		return nil
	}
	return r.written()
}

// collect walks over the objects, without what looks like one inside of a stream.
func (r *repairing) collect() {
	ended := true // as far as was looked
	start, body, number := r.next(0)
	for body > 0 && len(r.places) <= maxRepairedObjects && r.room > 0 {
		r.places[number], r.last = start, start
		following, after, next := r.next(body)
		limit := len(r.data)
		if after > 0 {
			limit = following
		}
		l := &lexer{b: append(slices.Clip(r.data[body:limit]), ' ')}
		value, err := l.value()
		if err == nil && value.isDict() {
			d, err := value.dict()
			t, _ := l.token()
			if err == nil && string(t) == "stream" && ended {
				content := body + l.i
				length := bytes.Index(r.data[content:], []byte("endstream"))
				if ended = length >= 0; ended {
					r.unpack(d, value, r.data[content:content+length])
					following, after, next = r.next(content + length)
				}
			}
			r.see(number, d)
		}
		start, body, number = following, after, next
	}
}

// next finds "number generation obj" at or after an offset: where it starts and where it
// ends, 0 if there is none.
func (r *repairing) next(from int) (start, end, number int) {
	for at := from; ; {
		i := bytes.Index(r.data[at:], []byte("obj"))
		if i < 0 {
			return 0, 0, 0
		}
		at += i
		b := r.data[from:at]
		second := bytes.TrimRight(b, "\x00\t\n\f\r ")
		before := bytes.TrimRight(second, "0123456789")
		first := bytes.TrimRight(before, "\x00\t\n\f\r ")
		start := len(bytes.TrimRight(first, "0123456789"))
		at += len("obj")
		number, ok := raw(first[start:]).integer()
		if ok && len(before) < len(second) && len(first) < len(before) && number > 0 && number <= maxRepairedNumber {
			return from + start, at, number
		}
	}
}

// see notes the catalog.
func (r *repairing) see(number int, d dict) {
	if string(d.get("/Type")) == "/Catalog" && d.get("/Pages") != nil {
		r.root = number
	}
}

// unpack adds the objects of an object stream. Many of them may have the same value, so what
// is added is bounded beside what is unpacked; there is no room left behind either bound.
func (r *repairing) unpack(d dict, value raw, content []byte) {
	if d.get("/First") == nil || d.get("/N") == nil {
		return
	}
	content = bytes.TrimPrefix(bytes.TrimPrefix(content, []byte("\r")), []byte("\n"))
	stream := indirect{value: value, data: io.NewSectionReader(bytes.NewReader(content), 0, int64(len(content)))}
	data, err := stream.unpack(d, r.room)
	if r.room -= int64(len(data)); err != nil {
		return
	}
	numbers, values, err := members(d, data)
	if err != nil {
		return
	}
	for i, value := range values {
		if numbers[i] < 1 || numbers[i] > maxRepairedNumber {
			continue
		}
		if r.added.Len()+len(value) > maxHeld || len(r.places) > maxRepairedObjects {
			r.room = 0
			return
		}
		r.places[numbers[i]] = len(r.data) + r.added.Len()
		fmt.Fprintf(&r.added, "%d 0 obj\n%s\nendobj\n", numbers[i], value)
		if d, err := value.dict(); err == nil {
			r.see(numbers[i], d)
		}
	}
}

// written is the file with what was added, and its table.
func (r *repairing) written() []byte {
	out := bytes.NewBuffer(make([]byte, 0, len(r.data)+r.added.Len()+(entrySize+1)*len(r.places)+1024))
	out.Write(r.data)
	out.Write(r.added.Bytes())
	start := out.Len() + 1
	out.WriteString("\nxref\n0 1\n0000000000 65535 f \n")
	numbers := slices.Sorted(maps.Keys(r.places))
	for i := 0; i < len(numbers); {
		end := i + 1
		for end < len(numbers) && numbers[end] == numbers[end-1]+1 {
			end++
		}
		fmt.Fprintf(out, "%d %d\n", numbers[i], end-i)
		for ; i < end; i++ {
			fmt.Fprintf(out, "%010d 00000 n \n", r.places[numbers[i]])
		}
	}
	fmt.Fprintf(out, "trailer\n<</Size %d /Root %d 0 R>>\nstartxref\n%d\n%%%%EOF\n", numbers[len(numbers)-1]+1, r.root, start)
	return out.Bytes()
}
