package office

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/transform"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/sniff"
)

// readText writes a plain text file: its lines as they are, form feeds as page
// breaks. Markdown is text.
func readText(ctx context.Context, f *io.SectionReader, to *flow) error {
	head := make([]byte, min(f.Size(), sniff.HeadSize))
	if _, err := f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	to.indent = true
	return writeLines(transform.NewReader(contextReader{ctx, f}, sniff.Decoder(head)), to)
}

// ReadText returns the pages of a text as those of a file with it.
func ReadText(ctx context.Context, text string) ([]format.Page, error) {
	limits := format.DefaultLimits()
	limits.MaxPages = math.MaxInt
	var pages []format.Page
	to := newFlow(ctx, limits, func(p format.Page) error {
		pages = append(pages, p)
		return nil
	})
	to.indent = true
	if err := writeLines(contextReader{ctx, strings.NewReader(text)}, to); err != nil {
		return nil, err
	}
	err := to.finish()
	return pages, err
}

// writeLines writes text whose lines end in LF, CR LF or CR.
func writeLines(from io.Reader, to *flow) error {
	r := bufio.NewReaderSize(from, 64<<10)
	var line []byte
	empty := true   // nothing of the line is written yet
	apart := true   // the line before is blank
	marked := false // there was a heading of Markdown
	for to.err == nil {
		c, _, err := r.ReadRune()
		if errors.Is(err, io.EOF) {
			to.write(string(line))
			return nil
		}
		if err != nil {
			return err
		}
		switch c {
		case '\r':
			if next, _ := r.Peek(1); len(next) == 1 && next[0] == '\n' {
				continue
			}
			fallthrough
		case '\n':
			text := string(line)
			blank := empty && strings.TrimSpace(text) == ""
			if heading, level := markdownHeading(text); level > 0 && empty && (apart || marked) {
				writeHeading(to, heading, level)
				marked = true
			} else if level := underline(r, text, marked); level > 0 && empty && apart {
				if _, _, err := r.ReadLine(); err != nil && !errors.Is(err, io.EOF) {
					return err
				}
				writeHeading(to, strings.TrimSpace(text), level)
				marked = true
			} else if blank {
				to.paragraph()
			} else {
				to.write(text)
				to.line()
			}
			line, empty, apart = line[:0], true, blank
		case '\f':
			to.write(string(line))
			to.pageBreak()
			line, empty = line[:0], true
		default:
			if line = utf8.AppendRune(line, c); len(line) >= 4096 {
				to.write(string(line))
				line, empty = line[:0], false
			}
		}
	}
	return to.err
}
