package picture

import (
	"errors"
	"image"
	"math/bits"
	"strings"
	"sync"

	"github.com/clausemill/clausemill/document/raster"
)

// A faxCoding is one of the schemes of ITU-T T.4 and T.6 for black and white
// pages.
type faxCoding int

const (
	modifiedHuffman faxCoding = iota // one-dimensional, rows start on a byte, as TIFF compression 2 has it
	groupThree                       // one-dimensional with ends of line
	groupThreeMixed                  // each row says whether it is one- or two-dimensional
	groupFour                        // two-dimensional without ends of line
)

// errFax means that a page is not in the coding that its tags state.
var errFax = errors.New("fax data cannot be decoded")

// decodeFax unpacks a page of fax data. Rows with transmission errors are replaced by
// the row above, as fax machines do. A page that is mostly damaged, or in a coding
// without resynchronisation, is refused.
func decodeFax(data []byte, coding faxCoding, leastFirst bool, width, height int) (*image.Gray, error) {
	d := &faxDecoder{data: data, leastFirst: leastFirst, coding: coding, width: width}
	page := image.NewGray(image.Rect(0, 0, width, height))
	for i := range page.Pix {
		page.Pix[i] = raster.White
	}
	damaged := 0
	for y := range height {
		end, err := d.row()
		if end && err == nil {
			break
		}
		if err != nil {
			damaged++
			if coding == groupFour || coding == modifiedHuffman || damaged > height/2 {
				return nil, err
			}
			d.current = append(d.current[:0], d.above...)
			if !d.resynchronise() {
				break
			}
		}
		paint(page.Pix[y*page.Stride:][:width], d.current)
		d.above, d.current = d.current, d.above
	}
	return page, nil
}

// paint draws a row that starts in white and changes colour at each of changes.
func paint(row []byte, changes []int) {
	for i := 0; i < len(changes); i += 2 {
		end := len(row)
		if i+1 < len(changes) {
			end = changes[i+1]
		}
		clear(row[changes[i]:end]) // black is 0
	}
}

// faxDecoder reads rows as the columns where the colour changes.
type faxDecoder struct {
	data       []byte
	leastFirst bool
	coding     faxCoding
	width      int
	position   int // in bits

	above, current []int // changes of colour, to black first
}

// longestFaxCode is the length in bits of the longest code.
const longestFaxCode = 13

// peek returns the next n bits, at most 16; zeros follow the data.
func (d *faxDecoder) peek(n int) int {
	var window uint32
	at := d.position / 8
	for i := range 3 {
		var b byte
		if at+i < len(d.data) {
			if b = d.data[at+i]; d.leastFirst {
				b = bits.Reverse8(b)
			}
		}
		window = window<<8 | uint32(b)
	}
	return int(window >> (24 - d.position%8 - n) & (1<<n - 1))
}

// bit returns one bit of the data.
func (d *faxDecoder) bit(position int) byte {
	b := d.data[position/8]
	if d.leastFirst {
		return b >> (position % 8) & 1
	}
	return b >> (7 - position%8) & 1
}

func (d *faxDecoder) atEnd() bool { return d.position >= 8*len(d.data) }

// endOfLine is eleven zeros or more, and a one.
const endOfLine = 11

// skipEndOfLine reads an end of line and the fill before it, if they are next.
func (d *faxDecoder) skipEndOfLine() bool {
	start := d.position
	for !d.atEnd() {
		d.position++
		if bit := d.bit(d.position - 1); bit == 0 {
			continue
		}
		if d.position-1-start >= endOfLine {
			return true
		}
		break
	}
	d.position = start
	return false
}

// resynchronise goes to the next end of line, without reading it.
func (d *faxDecoder) resynchronise() bool {
	zeros := 0
	for ; !d.atEnd(); d.position++ {
		switch {
		case d.bit(d.position) == 0:
			zeros++
		case zeros >= endOfLine:
			d.position -= endOfLine
			return true
		default:
			zeros = 0
		}
	}
	return false
}

// row reads the next row into current; end says that there is none.
func (d *faxDecoder) row() (end bool, err error) {
	flat := d.coding != groupFour
	switch d.coding {
	case modifiedHuffman:
		d.position = (d.position + 7) &^ 7
	case groupFour:
		if d.skipEndOfLine() { // the end of the page is two of them
			return true, nil
		}
	case groupThree, groupThreeMixed:
		lines := 0
		for d.skipEndOfLine() {
			if lines++; d.coding == groupThreeMixed {
				flat = d.peek(1) == 1
				d.position++
			}
		}
		if lines > 1 { // the end of the page is six
			return true, nil
		}
	}
	if d.atEnd() {
		// Fax machines do not send the height, so the data just ends; the other two
		// codings have it.
		if d.coding == groupFour || d.coding == modifiedHuffman {
			return true, errFax
		}
		return true, nil
	}
	d.current = d.current[:0]
	if flat {
		return false, d.flatRow()
	}
	return false, d.relativeRow()
}

// flatRow reads a row of runs.
func (d *faxDecoder) flatRow() error {
	for column, black := 0, 0; column < d.width; black ^= 1 {
		run, err := d.run(black)
		if err != nil {
			return err
		}
		if column += run; column > d.width {
			return errFax
		}
		if column < d.width {
			d.current = append(d.current, column)
		}
	}
	return nil
}

// The modes of two-dimensional coding.
type faxMode struct {
	length uint8
	kind   faxModeKind
	shift  int8
}

type faxModeKind uint8

const (
	unknownMode faxModeKind = iota
	vertical
	horizontal
	pass
)

// longestMode is the length in bits of the longest mode.
const longestMode = 7

// relativeRow reads a row that is described by the changes in the row above.
func (d *faxDecoder) relativeRow() error {
	table := faxTables()
	column, black, next := -1, 0, 0
	for column < d.width {
		// The next change above to the opposite colour, and the one after it. A
		// step to the left may have gone back before the last one.
		for next > 0 && d.change(next-1) > column {
			next--
		}
		for d.change(next) <= column && d.change(next) < d.width || next&1 != black {
			next++
		}
		mode := table.modes[d.peek(longestMode)]
		d.position += int(mode.length)
		switch mode.kind {
		case pass:
			column = d.change(next + 1)
			continue
		case vertical:
			to := d.change(next) + int(mode.shift)
			if to < max(column, 0) || to > d.width {
				return errFax
			}
			column = to
			d.mark(column)
			black ^= 1
		case horizontal:
			for range 2 {
				run, err := d.run(black)
				if err != nil {
					return err
				}
				if column = max(column, 0) + run; column > d.width {
					return errFax
				}
				d.mark(column)
				black ^= 1
			}
		case unknownMode:
			return errFax
		}
	}
	return nil
}

// change is the column of a change in the row above; past the last one all are
// at its end.
func (d *faxDecoder) change(i int) int {
	if i < len(d.above) {
		return d.above[i]
	}
	return d.width
}

// mark notes a change in the current row.
func (d *faxDecoder) mark(column int) {
	if column < d.width {
		d.current = append(d.current, column)
	}
}

// run reads the length of a run of a colour: any number of codes for multiples
// of 64, and one for the rest.
func (d *faxDecoder) run(black int) (int, error) {
	table := &faxTables().runs[black]
	for total := 0; total <= d.width; {
		code := table[d.peek(longestFaxCode)]
		if code.length == 0 {
			return 0, errFax
		}
		d.position += int(code.length)
		total += int(code.run)
		if code.run < 64 {
			return total, nil
		}
	}
	return 0, errFax
}

// faxCode is what a code says, looked up by the bits that start with it.
type faxCode struct {
	length uint8
	run    int16
}

type faxTable struct {
	runs  [2][1 << longestFaxCode]faxCode // of white and of black
	modes [1 << longestMode]faxMode
}

// The codes of T.4 for the runs 0 to 63 and 64, 128, …, 1728 of each colour, and
// those for 1792, 1856, …, 2560 of both.
const (
	whiteCodes = `00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 110100 110101
		101010 101011 0100111 0001100 0001000 0010111 0000011 0000100 0101000 0101011 0010011 0100100 0011000
		00000010 00000011 00011010 00011011 00010010 00010011 00010100 00010101 00010110 00010111 00101000 00101001
		00101010 00101011 00101100 00101101 00000100 00000101 00001010 00001011 01010010 01010011 01010100 01010101
		00100100 00100101 01011000 01011001 01011010 01011011 01001010 01001011 00110010 00110011 00110100
		11011 10010 010111 0110111 00110110 00110111 01100100 01100101 01101000 01100111 011001100 011001101
		011010010 011010011 011010100 011010101 011010110 011010111 011011000 011011001 011011010 011011011
		010011000 010011001 010011010 011000 010011011`
	blackCodes = `0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 00000100 00000111
		000011000 0000010111 0000011000 0000001000 00001100111 00001101000 00001101100 00000110111 00000101000
		00000010111 00000011000 000011001010 000011001011 000011001100 000011001101 000001101000 000001101001
		000001101010 000001101011 000011010010 000011010011 000011010100 000011010101 000011010110 000011010111
		000001101100 000001101101 000011011010 000011011011 000001010100 000001010101 000001010110 000001010111
		000001100100 000001100101 000001010010 000001010011 000000100100 000000110111 000000111000 000000100111
		000000101000 000001011000 000001011001 000000101011 000000101100 000001011010 000001100110 000001100111
		0000001111 000011001000 000011001001 000001011011 000000110011 000000110100 000000110101 0000001101100
		0000001101101 0000001001010 0000001001011 0000001001100 0000001001101 0000001110010 0000001110011
		0000001110100 0000001110101 0000001110110 0000001110111 0000001010010 0000001010011 0000001010100
		0000001010101 0000001011010 0000001011011 0000001100100 0000001100101`
	longCodes = `00000001000 00000001100 00000001101 000000010010 000000010011 000000010100 000000010101 000000010110
		000000010111 000000011100 000000011101 000000011110 000000011111`
)

// modeCodes are those of T.4 and T.6.
var modeCodes = map[string]faxMode{
	"1": {kind: vertical}, "011": {kind: vertical, shift: 1}, "000011": {kind: vertical, shift: 2},
	"0000011": {kind: vertical, shift: 3}, "010": {kind: vertical, shift: -1}, "000010": {kind: vertical, shift: -2},
	"0000010": {kind: vertical, shift: -3}, "001": {kind: horizontal}, "0001": {kind: pass},
}

var faxTables = sync.OnceValue(func() *faxTable {
	t := &faxTable{}
	for black, codes := range [2]string{whiteCodes, blackCodes} {
		for i, code := range append(strings.Fields(codes), strings.Fields(longCodes)...) {
			run := i
			if i >= 64 {
				run = (i - 63) * 64
			}
			lookUp(t.runs[black][:], code, longestFaxCode, faxCode{uint8(len(code)), int16(run)})
		}
	}
	for code, mode := range modeCodes {
		mode.length = uint8(len(code))
		lookUp(t.modes[:], code, longestMode, mode)
	}
	return t
})

// lookUp fills in all entries of a table that start with a code.
func lookUp[T any](table []T, code string, longest int, entry T) {
	first := 0
	for _, bit := range code {
		first = first<<1 | int(bit-'0')
	}
	free := longest - len(code)
	for i := range 1 << free {
		table[first<<free|i] = entry
	}
}
