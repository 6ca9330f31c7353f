package worker

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/clausemill/clausemill/db"
)

// digest is of all that is stored of a file's pages, text and meaning, but for ids and for how it
// compares with other files: where it is equal to that of the last reading, there is nothing to
// write. Another version of the program may store the same in another way, so it is part of it.
func digest(version string, pages []db.Page, text db.Text, u understood) ([]byte, error) {
	h := sha256.New()
	write := func(part []byte) {
		_, _ = h.Write(binary.AppendUvarint(nil, uint64(len(part)))) // a hash takes all
		_, _ = h.Write(part)
	}
	pages = slices.Clone(pages)
	for i := range pages {
		p := &pages[i]
		write([]byte(p.Text))
		write(p.Words)
		write(p.Paragraphs)
		p.Text, p.Words, p.Paragraphs = "", nil, nil
	}
	text.Documents, text.Blocks, text.Sentences = slices.Clone(text.Documents), slices.Clone(text.Blocks), slices.Clone(text.Sentences)
	nth := make(map[string]string, len(text.Documents))
	for i := range text.Documents {
		d := &text.Documents[i]
		nth[d.ID] = strconv.Itoa(i)
		d.ID = ""
	}
	for i := range text.Blocks {
		b := &text.Blocks[i]
		b.DocumentID, b.Text = nth[b.DocumentID], "" // that of the pages, between its ends
	}
	for i := range text.Sentences {
		text.Sentences[i].ID = ""
	}
	m := u.meaning
	m.Sections = slices.Clone(m.Sections)
	for i := range m.Sections {
		m.Sections[i].ID = ""
	}
	if m.Type != nil {
		guess := *m.Type
		guess.Generation = 0
		m.Type = &guess
	}
	write(u.sketch.Data)
	err := json.NewEncoder(h).Encode([]any{version, pages, text, m.Version, m.ModelID, m.Counts, m.Sections, m.Attributes, m.Type})
	return h.Sum(nil), err
}
