package child

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/clausemill/clausemill/fault"
)

// The largest parts of a frame. Requests come from this program, so their payload
// may be a whole file. Replies come from a child that may be compromised, so they
// must not fill the parent's memory.
const (
	MaxHeader  = 16 << 20
	MaxRequest = 1 << 30
	MaxReply   = 128 << 20
)

// frameKind is the first byte of a frame. No kind is a printable character, so
// that text printed by mistake is not taken for a frame.
type frameKind byte

const (
	frameRequest frameKind = 1 + iota
	frameReply             // one of any number
	frameDone              // the handler returned nil
	frameFault             // the handler returned an error: the header is a wireFault
)

// frame is a message in either direction. On the wire: kind (1 byte), call (4),
// header length (4), payload length (4), header, payload; integers big endian.
type frame struct {
	kind    frameKind
	call    uint32 // number of the request, repeated in what answers it
	header  json.RawMessage
	payload []byte
}

const prefixSize = 13

var errFrame = errors.New("not a frame of the protocol")

func writeFrame(w io.Writer, f frame) error {
	if len(f.header) > MaxHeader {
		return fmt.Errorf("header of %d bytes exceeds %d", len(f.header), MaxHeader)
	}
	prefix := make([]byte, 0, prefixSize+len(f.header))
	prefix = append(prefix, byte(f.kind))
	prefix = binary.BigEndian.AppendUint32(prefix, f.call)
	prefix = binary.BigEndian.AppendUint32(prefix, uint32(len(f.header)))
	prefix = binary.BigEndian.AppendUint32(prefix, uint32(len(f.payload)))
	if _, err := w.Write(append(prefix, f.header...)); err != nil {
		return err
	}
	if len(f.payload) == 0 {
		return nil
	}
	_, err := w.Write(f.payload)
	return err
}

// readFrame reads into the memory of *buf, which the frame's parts share until
// the next call. Memory grows with the bytes that arrive and not with the
// length that was announced.
func readFrame(r io.Reader, buf *[]byte, maxPayload int) (frame, error) {
	var prefix [prefixSize]byte
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		return frame{}, err
	}
	f := frame{kind: frameKind(prefix[0]), call: binary.BigEndian.Uint32(prefix[1:])}
	header := int64(binary.BigEndian.Uint32(prefix[5:]))
	payload := int64(binary.BigEndian.Uint32(prefix[9:]))
	if f.kind < frameRequest || f.kind > frameFault || header > MaxHeader || payload > int64(maxPayload) {
		return frame{}, errFrame
	}
	total := int(header + payload)
	b := (*buf)[:0]
	for len(b) < total {
		have := len(b)
		step := min(total-have, max(have, 1<<20))
		b = slices.Grow(b, step)[:have+step]
		if _, err := io.ReadFull(r, b[have:]); err != nil {
			return frame{}, io.ErrUnexpectedEOF
		}
	}
	*buf = b
	f.header, f.payload = json.RawMessage(b[:header:header]), b[header:]
	return f, nil
}

// wireFault is a fault.Error on its way to the parent. Errors of other types
// travel as internal ones, with their text as the cause.
type wireFault struct {
	Kind    fault.Kind `json:"kind"`
	Code    fault.Code `json:"code,omitempty"`
	Message string     `json:"message"`
	Page    int        `json:"page,omitempty"`
	Cause   string     `json:"cause,omitempty"`
}

func newWireFault(err error) wireFault {
	var e *fault.Error
	if !errors.As(err, &e) {
		if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
			return wireFault{Kind: fault.NoSpace, Message: "there is no space for temporary files; try again later", Cause: err.Error()}
		}
		return wireFault{Kind: fault.Internal, Message: "internal error", Cause: err.Error()}
	}
	w := wireFault{Kind: e.Kind, Code: e.Code, Message: e.Message, Page: e.Page}
	if e.Cause != nil {
		w.Cause = e.Cause.Error()
	}
	return w
}

func (w wireFault) fault() *fault.Error {
	e := &fault.Error{Kind: w.Kind, Code: w.Code, Message: w.Message, Page: w.Page}
	if w.Cause != "" {
		e.Cause = errors.New(w.Cause)
	}
	return e
}
