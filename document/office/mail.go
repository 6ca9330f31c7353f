package office

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"os"
	"strconv"
	"strings"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/transform"

	"github.com/clausemill/clausemill/document/archive"
	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/sniff"
	"github.com/clausemill/clausemill/fault"
)

// readEML writes a mail: the visible fields of its header, one line each, and its
// texts. Of alternatives it takes the plain text, or else the HTML. Attachments reads
// the attached files.
func readEML(ctx context.Context, f *io.SectionReader, to *flow) error {
	m := newMail(ctx, f, to.limits)
	header, err := m.header()
	if err != nil {
		return err
	}
	for _, field := range []string{"From", "To", "Cc", "Date", "Subject"} {
		if value := header.text(field); value != "" {
			to.write(field + ": " + value)
			to.line()
		}
	}
	to.paragraph()
	to.indent = true
	return m.walk(header, func(part mailPart, body io.Reader) error {
		if part.attached() || part.alternative != nil && *part.alternative {
			return nil
		}
		seen := &blankReader{r: body}
		switch part.kind {
		case "text/plain":
			err = writeLines(part.decoded(seen), to)
		case "text/html":
			err = writeHTML(part.decoded(seen), to)
		}
		if part.alternative != nil {
			*part.alternative = seen.more
		}
		to.paragraph()
		return err
	})
}

// Attachments calls each for every file attached to a mail, mails in it
// included, beginning with number from. Pictures that the mail's own text shows
// are not attached to it.
func Attachments(ctx context.Context, f *os.File, _ int64, limits format.Limits, from int, each func(archive.Entry, io.Reader) error) error {
	m := newMail(ctx, f, limits)
	header, err := m.header()
	if err != nil {
		return err
	}
	attached := 0
	return m.walk(header, func(part mailPart, body io.Reader) error {
		if !part.attached() {
			return nil
		}
		if attached++; attached < from {
			return nil
		}
		name := archive.CleanName(cmp.Or(part.name, nameOf(part.kind, attached)))
		return each(archive.Entry{Name: name, Path: name, Size: -1, Number: attached}, body)
	})
}

// nameOf names an attachment that came without a name.
func nameOf(kind string, number int) string {
	extension := map[string]string{
		"message/rfc822": ".eml", "application/pdf": ".pdf", "text/plain": ".txt", "text/html": ".html",
		"image/jpeg": ".jpg", "image/png": ".png", "image/tiff": ".tif", "application/zip": ".zip",
	}[kind]
	return fmt.Sprintf("attachment-%d%s", number, extension)
}

// mail is a mail while it is read: line by line, in one pass, however its parts are
// nested. docs/decisions.md compares it with libraries.
type mail struct {
	r      *bufio.Reader
	limits format.Limits

	open    []string // the boundaries of the parts around, innermost last
	stopped int      // how many of them are still open after the boundary that ended a part
	next    bool     // that boundary begins another part
	parts   int
}

func newMail(ctx context.Context, f io.Reader, limits format.Limits) *mail {
	return &mail{r: bufio.NewReaderSize(contextReader{ctx, f}, 64<<10), limits: limits}
}

// mailHeader maps fields, in lower case, to the first value of each.
type mailHeader map[string]string

// maxHeader bounds the header of a mail or a part in bytes.
const maxHeader = 1 << 20

// header reads fields up to an empty line. Like mail programs, it skips lines that
// are not fields.
func (m *mail) header() (mailHeader, error) {
	h := mailHeader{}
	field := ""
	for size := 0; ; {
		line, err := m.r.ReadSlice('\n')
		if size += len(line); size > maxHeader {
			return nil, fault.File(fault.FileTooLarge, fmt.Sprintf("the mail has a header of more than %d KiB, which is the limit", maxHeader>>10), nil)
		}
		text := strings.TrimRight(string(line), "\r\n")
		name, value, isField := strings.Cut(text, ":")
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case text == "" && len(line) > 0:
			return h, nil
		case line != nil && (strings.HasPrefix(text, " ") || strings.HasPrefix(text, "\t")):
			if field != "" {
				h[field] += " " + strings.TrimSpace(text)
			}
		case isField:
			field = strings.ToLower(strings.TrimSpace(name))
			if _, twice := h[field]; twice {
				field = ""
				continue
			}
			h[field] = strings.TrimSpace(value)
		}
		if errors.Is(err, io.EOF) {
			return h, nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

// text decodes a field for a reader.
func (h mailHeader) text(field string) string {
	return strings.Join(strings.Fields(decodeWords(h[strings.ToLower(field)])), " ")
}

// decodeWords decodes the encoded words in a value; invalid ones stay as they are.
func decodeWords(value string) string {
	decoder := mime.WordDecoder{CharsetReader: charset.NewReaderLabel}
	if decoded, err := decoder.DecodeHeader(value); err == nil {
		value = decoded
	}
	// Programs without support for encoded words write raw bytes.
	if decoded, _, err := transform.String(sniff.Decoder([]byte(value)), value); err == nil {
		value = decoded
	}
	return value
}

// A mailPart is a part that has no parts itself.
type mailPart struct {
	kind        string // the media type
	params      map[string]string
	disposition string
	name        string
	related     bool  // one of several that make a page
	alternative *bool // whether an alternative to it has been shown; nil if it has none
}

// attached reports whether a part is an attached file. A text without a name is the
// text of the mail, and a picture in its HTML belongs to that.
func (p mailPart) attached() bool {
	switch {
	case p.disposition == "attachment":
		return true
	case p.related && (strings.HasPrefix(p.kind, "image/") || p.name == ""):
		return false
	default:
		return p.name != "" || !strings.HasPrefix(p.kind, "text/")
	}
}

// decoded reads the part's text as UTF-8.
func (p mailPart) decoded(r io.Reader) io.Reader {
	if label := p.params["charset"]; label != "" {
		if e, name := charset.Lookup(label); e != nil && name != "utf-8" && name != "windows-1252" {
			return transform.NewReader(r, e.NewDecoder())
		}
	}
	// Programs often declare one of these two and mean the other; see sniff.Decoder.
	buffered := bufio.NewReaderSize(r, sniff.HeadSize)
	head, _ := buffered.Peek(sniff.HeadSize) // the next read returns an error again
	return transform.NewReader(buffered, sniff.Decoder(head))
}

// walk calls visit for every part below the part with this header. What visit does
// not read is skipped.
func (m *mail) walk(header mailHeader, visit func(mailPart, io.Reader) error) error {
	return m.part(header, mailPart{}, visit)
}

func (m *mail) part(header mailHeader, around mailPart, visit func(mailPart, io.Reader) error) error {
	if m.parts++; m.parts > m.limits.MaxEntries {
		return fault.File(fault.FileTooLarge, fmt.Sprintf("the mail has more than %d parts, which is the limit", m.limits.MaxEntries), nil)
	}
	p := around
	p.kind, p.params = parameters(cmp.Or(header["content-type"], "text/plain"))
	disposition, named := parameters(header["content-disposition"])
	p.disposition, p.name = disposition, decodeWords(cmp.Or(named["filename"], p.params["name"]))
	if p.kind == "multipart/encrypted" || strings.HasSuffix(p.kind, "pkcs7-mime") && p.params["smime-type"] == "enveloped-data" {
		return fault.File(fault.PasswordProtected, "the mail is encrypted; save it without encryption", nil)
	}
	if boundary := p.params["boundary"]; boundary != "" && strings.HasPrefix(p.kind, "multipart/") {
		switch p.kind {
		case "multipart/related":
			p.related = true
		case "multipart/alternative":
			p.alternative = new(bool)
		}
		return m.multipart(boundary, p, visit)
	}
	body := &bodyReader{mail: m}
	if err := visit(p, decodeTransfer(header["content-transfer-encoding"], body)); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, body)
	return err
}

// multipart reads the parts between the boundaries.
func (m *mail) multipart(boundary string, around mailPart, visit func(mailPart, io.Reader) error) error {
	level := len(m.open)
	if level >= m.limits.MaxDepth {
		return fault.File(fault.FileTooLarge, fmt.Sprintf("the mail nests its parts deeper than %d, which is the limit", m.limits.MaxDepth), nil)
	}
	m.open = append(m.open, boundary)
	// The text before the first part is for programs that do not support parts.
	if _, err := io.Copy(io.Discard, &bodyReader{mail: m}); err != nil {
		return err
	}
	for m.stopped == level+1 && m.next {
		header, err := m.header()
		if err != nil {
			return err
		}
		if err := m.part(header, around, visit); err != nil {
			return err
		}
	}
	m.open = m.open[:level]
	if m.stopped <= level {
		return nil // a part around ended, or the mail
	}
	_, err := io.Copy(io.Discard, &bodyReader{mail: m})
	return err
}

// A bodyReader reads up to the next line that is a boundary of any open part,
// without the line end before it, which belongs to the boundary.
type bodyReader struct {
	mail *mail
	held []byte // a line end that may be followed by a boundary
	line []byte // what was read and not given out
	mid  bool   // the last piece did not end its line
	done bool
}

func (b *bodyReader) Read(p []byte) (int, error) {
	for len(b.line) == 0 {
		if b.done {
			return 0, io.EOF
		}
		if err := b.advance(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.line)
	b.line = b.line[n:]
	return n, nil
}

// advance reads a line, or a piece of a long one.
func (b *bodyReader) advance() error {
	piece, err := b.mail.r.ReadSlice('\n')
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return err
	}
	if !b.mid && b.mail.isBoundary(piece) {
		b.done = true
		return nil
	}
	content := bytes.TrimRight(piece, "\r\n")
	if !bytes.HasSuffix(piece, []byte("\n")) {
		content = piece
	}
	b.line = append(append(b.line[:0:0], b.held...), content...)
	b.held = append(b.held[:0], piece[len(content):]...)
	b.mid = errors.Is(err, bufio.ErrBufferFull)
	if errors.Is(err, io.EOF) {
		b.line = append(b.line, b.held...)
		b.done, b.mail.stopped = true, 0
	}
	return nil
}

// isBoundary reports whether a line begins or ends a part, and which one.
func (m *mail) isBoundary(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("--")) {
		return false
	}
	text := strings.TrimRight(string(line[2:]), " \t\r\n")
	for i := len(m.open) - 1; i >= 0; i-- {
		if text == m.open[i] || text == m.open[i]+"--" {
			m.stopped, m.next = i+1, text == m.open[i]
			return true
		}
	}
	return false
}

// parameters parses a field such as Content-Type, in lower case except for the
// values. From a malformed field it returns what it can.
func parameters(field string) (value string, params map[string]string) {
	value, params, err := mime.ParseMediaType(field)
	if err == nil {
		return value, params
	}
	parts := strings.Split(field, ";")
	params = map[string]string{}
	for _, part := range parts[1:] {
		if name, v, ok := strings.Cut(part, "="); ok {
			params[strings.ToLower(strings.TrimSpace(name))] = strings.Trim(strings.TrimSpace(v), `"`)
		}
	}
	return strings.ToLower(strings.TrimSpace(parts[0])), params
}

// decodeTransfer undoes the transfer encoding of a body.
func decodeTransfer(encoding string, body io.Reader) io.Reader {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "base64":
		return &base64Reader{base64.NewDecoder(base64.RawStdEncoding, &base64Alphabet{r: body})}
	case "quoted-printable":
		return &quotedReader{bufio.NewReader(body)}
	default:
		return body
	}
}

// A base64Reader treats corrupt base64, such as an incomplete last group, as the end.
type base64Reader struct{ r io.Reader }

func (b *base64Reader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	var rest base64.CorruptInputError
	if errors.As(err, &rest) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// A quotedReader decodes quoted-printable. An equals sign that encodes nothing is
// kept.
type quotedReader struct{ r *bufio.Reader }

func (q *quotedReader) Read(p []byte) (int, error) {
	for n := range p {
		c, err := q.r.ReadByte()
		for err == nil && c == '=' {
			var again bool
			if c, again = q.quoted(); !again {
				break
			}
			c, err = q.r.ReadByte()
		}
		if err != nil {
			return n, err
		}
		p[n] = c
	}
	return len(p), nil
}

// quoted reads what follows an equals sign: a byte, or a soft line break.
func (q *quotedReader) quoted() (c byte, lineEnd bool) {
	next, _ := q.r.Peek(2) // the next read returns an error again
	switch {
	case len(next) == 2 && string(next) == "\r\n":
		_, _ = q.r.Discard(2)
		return 0, true
	case len(next) > 0 && next[0] == '\n':
		_, _ = q.r.Discard(1)
		return 0, true
	}
	if n, err := strconv.ParseUint(string(next), 16, 8); err == nil && len(next) == 2 {
		_, _ = q.r.Discard(2)
		return byte(n), false
	}
	return '=', false
}

// A base64Alphabet drops all characters outside of base64, as the standard requires
// of readers.
type base64Alphabet struct{ r io.Reader }

func (b *base64Alphabet) Read(p []byte) (int, error) {
	for {
		n, err := b.r.Read(p)
		kept := p[:0]
		for _, c := range p[:n] {
			if isLetter(c) || c >= '0' && c <= '9' || c == '+' || c == '/' {
				kept = append(kept, c)
			}
		}
		if len(kept) > 0 || err != nil {
			return len(kept), err
		}
	}
}

// A blankReader notes whether more than blanks was read.
type blankReader struct {
	r    io.Reader
	more bool
}

func (b *blankReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.more = b.more || len(bytes.TrimSpace(p[:n])) > 0
	return n, err
}
