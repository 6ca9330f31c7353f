package worker

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash"
	"strconv"

	"github.com/clausemill/clausemill/db"
)

// digest is of all that is stored of a file's pages, text and meaning, but for ids and for how it
// compares with other files: where it is equal to that of the last reading, there is nothing to
// write. Another version of the program may store the same in another way, so it is part of it.
func digest(version string, pages []db.Page, text db.Text, u understood) ([]byte, error) {
	m := u.meaning
	var guess *db.TypeGuess
	if m.Type != nil {
		of := *m.Type
		of.Generation = 0
		guess = &of
	}
	d := newDigester()
	d.value([]any{
		version, m.Version, m.ModelID, m.Counts, guess, text.SegmenterVersion, text.Language, text.TokenTotal, text.Pages, text.Orphaned,
		len(pages), len(text.Documents), len(text.Blocks), len(text.Sentences), len(text.Tokens), len(text.Words), len(m.Sections), len(m.Attributes),
	})
	d.bytes(u.sketch.Data)
	for _, p := range pages {
		d.text(p.Text)
		d.bytes(p.Words)
		d.bytes(p.Paragraphs)
		p.Text, p.Words, p.Paragraphs = "", nil, nil
		d.value(p)
	}
	nth := make(map[string]string, len(text.Documents))
	for i, of := range text.Documents {
		nth[of.ID] = strconv.Itoa(i)
		of.ID = ""
		d.value(of)
	}
	for _, b := range text.Blocks {
		b.DocumentID, b.Text = nth[b.DocumentID], "" // that of the pages, between its ends
		d.value(b)
	}
	for _, s := range text.Sentences {
		d.text(s.Text)
		s.ID, s.Text = "", ""
		d.value(s)
	}
	for _, t := range text.Tokens {
		d.text(t.Token)
		d.text(t.Stem)
		d.value(t.Count)
	}
	for _, w := range text.Words {
		d.text(w)
	}
	for _, s := range m.Sections {
		s.ID = ""
		d.value(s)
	}
	for _, a := range m.Attributes {
		d.value(a)
	}
	return d.hash.Sum(nil), d.err
}

// digester makes a digest of values one after the other. Texts are not copied as a whole: one
// of them may be all of a file.
type digester struct {
	hash   hash.Hash
	json   *json.Encoder // into hash
	buffer [8 << 10]byte
	err    error
}

func newDigester() *digester {
	d := &digester{hash: sha256.New()}
	d.json = json.NewEncoder(d.hash)
	return d
}

// value adds a small value.
func (d *digester) value(v any) {
	if d.err == nil {
		d.err = d.json.Encode(v)
	}
}

// bytes adds bytes, with their number. A hash takes all.
func (d *digester) bytes(b []byte) {
	_, _ = d.hash.Write(binary.AppendUvarint(d.buffer[:0], uint64(len(b))))
	_, _ = d.hash.Write(b)
}

// text is bytes of a string.
func (d *digester) text(s string) {
	_, _ = d.hash.Write(binary.AppendUvarint(d.buffer[:0], uint64(len(s))))
	for len(s) > 0 {
		n := copy(d.buffer[:], s)
		_, _ = d.hash.Write(d.buffer[:n])
		s = s[n:]
	}
}
