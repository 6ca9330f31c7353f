package sfdt

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// Encode writes the document in the long form of the format, as JSON.
func (d *Document) Encode(w io.Writer) error {
	body, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("encode the document: %w", err)
	}
	return d.finish(w, body, "images")
}

// EncodeShort writes the document in the short form, packed: a JSON string that
// is a base64 ZIP archive, as the editor's own servers send it.
func (d *Document) EncodeShort(w io.Writer) error {
	short := *d
	short.Optimized = true
	body, err := json.Marshal(&short)
	if err != nil {
		return fmt.Errorf("encode the document: %w", err)
	}
	if _, err := io.WriteString(w, `"`); err != nil {
		return err
	}
	text := base64.NewEncoder(base64.StdEncoding, w)
	archive := zip.NewWriter(text)
	entry, err := archive.Create("sfdt")
	if err != nil {
		return err
	}
	if err := d.finish(entry, shorten(body), "imgs"); err != nil {
		return err
	}
	if err := archive.Close(); err != nil {
		return err
	}
	if err := text.Close(); err != nil {
		return err
	}
	_, err = io.WriteString(w, `"`)
	return err
}

// finish writes an encoded document with its pictures, which are not copied on
// the way.
func (d *Document) finish(w io.Writer, body []byte, key string) error {
	if _, err := fmt.Fprintf(w, `%s,%q:{`, body[:len(body)-1], key); err != nil {
		return err
	}
	for i, p := range d.images {
		comma := ","
		if i == 0 {
			comma = ""
		}
		if _, err := fmt.Fprintf(w, `%s"%d":["data:%s;base64,`, comma, i, p.contentType); err != nil {
			return err
		}
		text := base64.NewEncoder(base64.StdEncoding, w)
		if _, err := text.Write(p.data); err != nil {
			return err
		}
		if err := text.Close(); err != nil {
			return err
		}
		if _, err := io.WriteString(w, `"]`); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "}}")
	return err
}

// shorten replaces the names of fields in encoded JSON by their short forms. It
// relies on what Marshal writes: no blanks, and a colon right behind a name.
func shorten(body []byte) []byte {
	out := make([]byte, 0, len(body))
	for len(body) > 0 {
		i := bytes.IndexByte(body, '"')
		if i < 0 {
			break
		}
		end := i + 1
		for body[end] != '"' {
			if body[end] == '\\' {
				end++
			}
			end++
		}
		end++
		out = append(out, body[:i]...)
		word := body[i:end]
		body = body[end:]
		if len(body) > 0 && body[0] == ':' {
			if short, known := shortNames[string(word[1:len(word)-1])]; known {
				out = strconv.AppendQuote(out, short)
				continue
			}
		}
		out = append(out, word...)
	}
	return append(out, body...)
}
