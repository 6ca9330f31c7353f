package child

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Handler answers one request in a child, with any number of replies. header
// and payload are valid until it returns. The error it returns reaches the
// caller of Pool.Do as a *fault.Error with the same kind, code, message and
// page; a panic is left to end the child.
type Handler = func(header json.RawMessage, payload []byte, reply func(header any, payload []byte) error) error

// Serve answers the requests of a Pool, one after the other, until in ends
// (then it returns nil) or ctx is done. A program serves its standard input and
// output through ServeStdio.
func Serve(ctx context.Context, in io.Reader, out io.Writer, h Handler) error {
	w := bufio.NewWriter(out)
	var buf []byte
	for ctx.Err() == nil {
		request, err := readFrame(in, &buf, MaxRequest)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read request: %w", err)
		}
		if request.kind != frameRequest {
			return errFrame
		}
		err = h(request.header, request.payload, func(header any, payload []byte) error {
			if len(payload) > MaxReply {
				return fmt.Errorf("reply of %d bytes exceeds %d", len(payload), MaxReply)
			}
			return send(w, frameReply, request.call, header, payload)
		})
		if err != nil {
			err = send(w, frameFault, request.call, newWireFault(err), nil)
		} else {
			err = send(w, frameDone, request.call, nil, nil)
		}
		if err != nil {
			return fmt.Errorf("write reply: %w", err)
		}
		if cap(buf) > keepBuffer {
			buf = nil
		}
	}
	return ctx.Err()
}

// keepBuffer is the largest read buffer that is kept for the next request: room
// for a usual page image, not for a usual file.
const keepBuffer = 16 << 20

func send(w *bufio.Writer, kind frameKind, call uint32, header any, payload []byte) error {
	f := frame{kind: kind, call: call, payload: payload}
	if header != nil {
		var err error
		if f.header, err = json.Marshal(header); err != nil {
			return err
		}
	}
	if err := writeFrame(w, f); err != nil {
		return err
	}
	return w.Flush()
}

// ServeStdio is Serve on standard input and output. It first takes file
// descriptor 1 away from everybody else: what native code or a stray print
// writes there goes to standard error and not between two frames.
//
// A panic leaves the output open, for the end of the process to close: the other
// side takes a closed pipe for a crash and kills, and the trace is written after
// everything that was deferred.
func ServeStdio(ctx context.Context, h Handler) error {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return fmt.Errorf("keep standard output: %w", err)
	}
	if err := unix.Dup3(2, 1, 0); err != nil {
		return fmt.Errorf("redirect standard output: %w", err)
	}
	out := os.NewFile(uintptr(fd), "protocol")
	err = Serve(ctx, os.Stdin, out, h)
	return errors.Join(err, out.Close())
}
