package redline

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/docx"
)

// A storyPair is a story of one document and its counterpart in another, either nil
// where it has none.
type storyPair struct{ old, new *docx.Story }

// A slot is where a header or footer stands: on the first, even or other pages of a
// section.
type slot struct {
	section    int
	kind, page string // "header" or "footer"; "default", "first" or "even"
}

func (s slot) String() string {
	return "section " + strconv.Itoa(s.section+1) + ", " + s.kind + " (" + s.page + ")"
}

// sections are the properties of the sections of a document in order, without those that
// a tracked change deletes with the end of their paragraph.
func sections(d *docx.Document) []docx.Element {
	var all []docx.Element
	body := d.Story("body")
	for _, p := range body.Paragraphs() {
		e, mark := p.Child("pPr", "sectPr"), p.Mark()
		if e.Exists() && !p.Closest("txbxContent").Exists() && !mark.Child("del").Exists() && !mark.Child("moveFrom").Exists() {
			all = append(all, e)
		}
	}
	for e := range body.Root.Children() {
		if e.Is("sectPr") {
			all = append(all, e)
		}
	}
	return all
}

// sectionOf is the w:sectPr of the section that a paragraph of the body is in, none for
// other paragraphs.
func sectionOf(d *docx.Document, p *docx.Paragraph) docx.Element {
	if p.Story.Key != "body" {
		return docx.Element{}
	}
	for _, s := range sections(d) {
		if last := p.Story.ParagraphOf(s.Closest("p")); last == nil || last.Index >= p.Index {
			return s
		}
	}
	return docx.Element{}
}

// slots are the headers and footers of a document, each section with those that it
// takes over from the one before. Unused are those that stand on no page, because their
// section does not use them.
func slots(d *docx.Document) (order []slot, filled map[slot]*docx.Story, unused map[slot]*docx.Story) {
	byPart := map[string]*docx.Story{}
	for _, s := range d.Stories() {
		if strings.HasPrefix(s.Key, "header:") || strings.HasPrefix(s.Key, "footer:") {
			byPart[strings.ToLower(s.Root.Part().Name)] = s
		}
	}
	targets := map[string]string{}
	for _, r := range d.Relationships(d.Main().Name) {
		targets[r.ID] = strings.ToLower(r.Target)
	}
	filled = map[slot]*docx.Story{}
	even := d.Related("settings").Root().Child("evenAndOddHeaders").On()
	var idle []slot
	for i, section := range sections(d) {
		for _, kind := range []string{"header", "footer"} {
			for _, page := range []string{"default", "first", "even"} {
				at := slot{i, kind, page}
				filled[at] = filled[slot{i - 1, kind, page}]
				for c := range section.Children() {
					if c.Is(kind+"Reference") && (c.Attr("type") == page || c.Attr("type") == "" && page == "default") {
						filled[at] = byPart[targets[c.Attr("r:id")]]
					}
				}
				switch {
				case filled[at] == nil:
				case page == "first" && !section.Child("titlePg").On(), page == "even" && !even:
					idle = append(idle, at) // the next section may use it
				default:
					order = append(order, at)
				}
			}
		}
	}
	unused = map[slot]*docx.Story{}
	for _, at := range idle {
		unused[at] = filled[at]
		delete(filled, at)
	}
	return order, filled, unused
}

// pairStories puts the stories of two documents side by side: headers and footers by
// the section and the pages that they stand on, notes by the order of their references
// and by their text, whatever their parts and ids are called.
func pairStories(old, new *docx.Document) []storyPair {
	p := &pairing{old: map[*docx.Story]*docx.Story{}, new: map[*docx.Story]bool{}}
	p.pair(old.Story("body"), new.Story("body"))
	if len(sections(old)) != len(sections(new)) { // the numbers of sections say little
		p.same(old, new)
	}
	order, filled, _ := slots(old)
	_, others, _ := slots(new)
	for _, at := range order {
		p.pair(filled[at], others[at])
	}
	for _, kind := range []string{"footnote", "endnote"} {
		p.notes(noted(old, kind), noted(new, kind))
	}
	p.rest(old, new)
	var all []storyPair
	for _, s := range old.Stories() {
		all = append(all, storyPair{s, p.old[s]})
	}
	for _, s := range new.Stories() {
		if !p.new[s] {
			all = append(all, storyPair{nil, s})
		}
	}
	return all
}

type pairing struct {
	old map[*docx.Story]*docx.Story
	new map[*docx.Story]bool // those that have a counterpart
}

func (p *pairing) pair(old, new *docx.Story) {
	if old != nil && new != nil && p.old[old] == nil && !p.new[new] && !takesNothing(old, new) {
		p.old[old], p.new[new] = new, true
	}
}

// takesNothing reports whether a note of the base has no paragraph, which the format wants
// but not all programs write, and the other has words: they can only come with a new note.
func takesNothing(old, new *docx.Story) bool {
	return strings.Contains(old.Key, "note:") && len(old.Paragraphs()) == 0 &&
		slices.ContainsFunc(new.Paragraphs(), func(p *docx.Paragraph) bool { return strings.ContainsFunc(p.Text(), isWord) })
}

// same pairs the headers and footers that say the same, in order.
func (p *pairing) same(old, new *docx.Document) {
	codes := newCodebook()
	codes.know(old)
	codes.know(new)
	of := func(d *docx.Document, kind string) (all []*docx.Story, texts []string) {
		for _, s := range d.Stories() {
			text := codes.storyText(s)
			if strings.HasPrefix(s.Key, kind+":") && strings.TrimSpace(text) != "" {
				all, texts = append(all, s), append(texts, text)
			}
		}
		return all, texts
	}
	for _, kind := range []string{"header", "footer"} {
		was, oldTexts := of(old, kind)
		is, newTexts := of(new, kind)
		for i, text := range oldTexts {
			for j := range newTexts {
				if newTexts[j] == text {
					p.pair(was[i], is[j])
				}
			}
		}
	}
}

// noted are the notes that the body refers to, in order.
func noted(d *docx.Document, kind string) []*docx.Story {
	var all []*docx.Story
	if !slices.ContainsFunc(d.Stories(), func(s *docx.Story) bool { return strings.HasPrefix(s.Key, kind+":") }) {
		return nil
	}
	known := map[*docx.Story]bool{nil: true}
	for e := range d.Story("body").Root.Descendants() {
		if !e.Is(kind + "Reference") {
			continue
		}
		if s := d.Story(kind + ":" + e.Attr("id")); !known[s] {
			all, known[s] = append(all, s), true
		}
	}
	return all
}

func (p *pairing) notes(old, new []*docx.Story) {
	was, is := storyBlocks(old), storyBlocks(new)
	i, j := 0, 0
	for _, m := range append(common(texts(was), texts(is)), match{len(old), len(new)}) {
		for _, n := range similar(was[i:m.a], is[j:m.b]) {
			p.pair(old[i+n.a], new[j+n.b])
		}
		if m.a < len(old) {
			p.pair(old[m.a], new[m.b])
		}
		i, j = m.a+1, m.b+1
	}
}

// storyBlocks are stories as one block each, to be compared as wholes.
func storyBlocks(stories []*docx.Story) []block {
	all := make([]block, len(stories))
	for i, s := range stories {
		all[i] = block{paragraphs: make([]*docx.Paragraph, 1), story: s, text: storyText(s)}
		all[i].count()
	}
	return all
}

func storyText(s *docx.Story) string {
	var b strings.Builder
	for _, p := range s.Paragraphs() {
		b.WriteString(p.Text() + "\n")
	}
	return b.String()
}

// rest pairs what nothing refers to: by text, then by name, then, of headers and
// footers, in order.
func (p *pairing) rest(old, new *docx.Document) {
	_, _, unused := slots(old)
	_, _, unusedNew := slots(new)
	idle := stories(unused) // they have a counterpart only in what says the same
	maps.Copy(idle, stories(unusedNew))
	kind := func(s *docx.Story) string { k, _, _ := strings.Cut(s.Key, ":"); return k }
	for _, key := range []func(*docx.Story) string{
		func(s *docx.Story) string { return kind(s) + " " + storyText(s) },
		func(s *docx.Story) string {
			if idle[s] {
				return ""
			}
			return s.Key
		},
		func(s *docx.Story) string {
			if strings.HasSuffix(kind(s), "er") && !idle[s] {
				return kind(s)
			}
			return ""
		},
	} {
		open := map[string][]*docx.Story{}
		for _, b := range new.Stories() {
			if p.new[b] {
				continue
			}
			if k := key(b); k != "" {
				open[k] = append(open[k], b)
			}
		}
		for _, a := range old.Stories() {
			if p.old[a] != nil || len(open) == 0 {
				continue
			}
			if k := key(a); k != "" && len(open[k]) > 0 {
				p.pair(a, open[k][0])
				open[k] = open[k][1:]
			}
		}
	}
}
