package redline

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/docx"
)

// HTML shows a document with its tracked changes and comments as a page that needs
// nothing else: all styles are inline, so that programs for mail show it as well, and
// there is no script in it. Alarms are the warnings to be shown on top.
func HTML(doc *docx.Document, title string, alarms []string) []byte {
	h := &page{marks: map[string]Mark{}}
	for _, m := range Standing(doc, nil) {
		h.marks[m.ID] = m
		if m.Comment {
			h.comments = append(h.comments, m)
		}
	}
	all := Passages(doc)
	h.findMoves(all)
	h.write(`<!DOCTYPE html><html><head><meta charset="utf-8"><title>` + html.EscapeString(title) + `</title></head><body style="font-family:Georgia,serif;font-size:15px;line-height:1.5;color:#111;background:#fff;max-width:50em;margin:2em auto;padding:0 1em">`)
	h.head(title, alarms)
	part := ""
	for _, p := range all {
		if p.Part != part && p.Part != "body" {
			h.write(`<div style="margin:1.5em 0 .5em;border-top:1px solid #999;color:#555;font-size:12px">` + html.EscapeString(partName(p.Part)) + `</div>`)
		}
		part = p.Part
		h.passage(p)
	}
	h.rest()
	h.write("</body></html>\n")
	return []byte(h.out.String())
}

// partName is what readers call a part.
func partName(key string) string {
	kind, id, _ := strings.Cut(key, ":")
	names := map[string]string{"header": "Header", "footer": "Footer", "footnote": "Footnote", "endnote": "Endnote"}
	return strings.TrimSpace(names[kind] + " " + id)
}

// A page is an HTML page that is being written.
type page struct {
	out      strings.Builder
	marks    map[string]Mark
	comments []Mark
	numbers  map[string]int // of comments that were shown
	moves    map[string]int // passages that are moves, by part and paragraph
	edited   map[string]bool
}

func (h *page) write(s string) { h.out.WriteString(s) }

// alarmTexts are warnings in words.
var alarmTexts = map[string]string{
	HiddenText:  "Text is hidden, struck out, white or too small to read.",
	Untracked:   "There are differences that no tracked change shows.",
	"protected": "The document is protected against editing.", "signature_removed": "The document was signed; the signature is gone.",
}

// hues tell authors apart.
var hues = []string{"#b00020", "#00529b", "#1b6e20", "#7b1fa2", "#9a5b00", "#00695c", "#5d4037", "#37474f"}

// authors are those of tracked changes in order.
func (h *page) authors() []string {
	var all []string
	for _, m := range h.marks {
		if !slices.Contains(all, m.Author.Name) {
			all = append(all, m.Author.Name)
		}
	}
	slices.Sort(all)
	return all
}

func (h *page) color(author string) string {
	return hues[slices.Index(h.authors(), author)%len(hues)]
}

func (h *page) head(title string, alarms []string) {
	h.write(`<div style="font-family:Arial,sans-serif;font-size:13px;border-bottom:2px solid #111;padding-bottom:.6em;margin-bottom:1.5em"><div style="font-size:17px;font-weight:bold">` + html.EscapeString(title) + `</div>`)
	for _, a := range alarms {
		if text := alarmTexts[a]; text != "" {
			h.write(`<div style="background:#b00020;color:#fff;padding:.4em .6em;margin:.5em 0">` + html.EscapeString(text) + `</div>`)
		}
	}
	for _, author := range h.authors() {
		changes, comments := 0, 0
		for _, m := range h.marks {
			switch {
			case m.Author.Name != author:
			case m.Comment:
				comments++
			default:
				changes++
			}
		}
		h.write(fmt.Sprintf(`<span style="color:%s;margin-right:1.2em">%s: %d tracked changes, %d comments</span>`, h.color(author), html.EscapeString(author), changes, comments))
	}
	h.write(`</div>`)
}

// said names a mark for those who point at it.
func said(m Mark) string {
	what := m.Author.Name
	if !m.Date.IsZero() {
		what += ", " + m.Date.Format("2 January 2006 15:04")
	}
	if len(m.Properties) > 0 {
		what += ": formatting (" + strings.Join(m.Properties, ", ") + ")"
	}
	return html.EscapeString(what)
}

// findMoves pairs paragraphs that were deleted as a whole with those that were put in as
// a whole and are like them.
func (h *page) findMoves(all []Passage) {
	h.moves, h.edited, h.numbers = map[string]int{}, map[string]bool{}, map[string]int{}
	var gone, came []Passage
	for _, p := range all {
		switch text, deleted, inserted := h.whole(p); {
		case len(strings.Fields(text)) < leastMoved:
		case deleted:
			gone = append(gone, p)
		case inserted:
			came = append(came, p)
		}
	}
	if len(gone)*len(came) > maxTable/64 {
		return
	}
	used := map[int]bool{}
	for _, from := range gone {
		text, _, _ := h.whole(from)
		was := wordsOf(text)
		best, most := -1, movedLikeness
		for i, to := range came {
			if used[i] {
				continue
			}
			other, _, _ := h.whole(to)
			is := wordsOf(other)
			if share := likeness(&was, &is); share >= most && (best < 0 || share > most) {
				best, most = i, share
			}
		}
		if best >= 0 {
			used[best] = true
			n := len(used)
			h.moves[placeOf(from)], h.moves[placeOf(came[best])] = n, n
			h.edited[placeOf(came[best])] = most < 1
		}
	}
}

func placeOf(p Passage) string { return p.Part + " " + strconv.Itoa(p.Block) }

// whole is the text of a paragraph, and whether all of it was deleted or put in.
func (h *page) whole(p Passage) (text string, deleted, inserted bool) {
	deleted, inserted = len(p.Runs) > 0, len(p.Runs) > 0
	for _, r := range p.Runs {
		text += r.Text
		in := slices.ContainsFunc(r.Changes, func(id string) bool { return h.marks[id].Kind == "ins" || h.marks[id].Kind == "moveTo" })
		deleted, inserted = deleted && r.Deleted, inserted && in && !r.Deleted
	}
	return text, deleted, inserted
}

func (h *page) passage(p Passage) {
	if len(p.Rows) > 0 {
		h.table(p)
		return
	}
	tag, style := "p", "margin:.6em 0"
	if p.Heading > 0 {
		tag, style = "h"+strconv.Itoa(min(p.Heading+1, 6)), "margin:1.2em 0 .4em;font-size:"+strconv.Itoa(max(15, 22-2*p.Heading))+"px"
	}
	bar := ""
	for _, id := range p.Changes {
		if m, known := h.marks[id]; known {
			bar = ` title="` + said(m) + `"`
			style += ";border-left:3px solid " + h.color(m.Author.Name) + ";padding-left:.5em"
			break
		}
	}
	h.write("<" + tag + ` style="` + style + `"` + bar + ">")
	if n := h.moves[placeOf(p)]; n > 0 {
		_, deleted, _ := h.whole(p)
		what := "moved here"
		switch {
		case deleted:
			what = "moved away"
		case h.edited[placeOf(p)]:
			what = "moved here and edited"
		}
		h.write(fmt.Sprintf(`<span style="font:11px Arial,sans-serif;color:#555;border:1px solid #999;padding:0 .3em;margin-right:.4em">%s (%d)</span>`, what, n))
	}
	if p.Number != "" {
		h.write(html.EscapeString(p.Number) + " ")
	}
	for _, r := range p.Runs {
		h.run(r)
	}
	notes := h.commentsAt(p)
	for _, m := range notes {
		h.write(fmt.Sprintf(`<sup style="color:%s;font-family:Arial,sans-serif">[%d]</sup>`, h.color(m.Author.Name), h.numbers[m.ID]))
	}
	h.write("</" + tag + ">")
	for _, m := range notes {
		h.comment(m)
	}
}

// commentsAt are the comments on a paragraph that were not shown yet, with their replies.
func (h *page) commentsAt(p Passage) []Mark {
	var all []Mark
	for _, m := range h.comments {
		at := m.Resolved
		if at == nil || at.Part != p.Part || at.Block != p.Block || h.numbers[m.ID] > 0 {
			continue
		}
		h.numbers[m.ID] = len(h.numbers) + 1
		all = append(all, m)
	}
	return all
}

func (h *page) comment(m Mark) {
	indent, what := "1.5em", ""
	if m.Target != "" {
		indent, what = "3em", " replies"
	}
	if m.Done {
		what += " (resolved)"
	}
	h.write(fmt.Sprintf(`<div style="margin:.2em 0 .4em %s;padding:.2em .6em;background:#fff8e1;border-left:3px solid %s;font:13px Arial,sans-serif"><b>[%d] %s%s</b><br>%s</div>`,
		indent, h.color(m.Author.Name), h.numbers[m.ID], said(m), what, breaks(m.Text)))
}

// rest shows the comments that are at no paragraph.
func (h *page) rest() {
	for _, m := range h.comments {
		if h.numbers[m.ID] == 0 {
			h.numbers[m.ID] = len(h.numbers) + 1
			h.comment(m)
		}
	}
}

var breaking = strings.NewReplacer("\n", "<br>", "\v", "<br>", "\f", `<br><span style="color:#999">— page break —</span><br>`, "\t", "&emsp;", "\uFFFC", `<span style="color:#777">[object]</span>`)

func breaks(text string) string { return breaking.Replace(html.EscapeString(text)) }

func (h *page) run(r PassageRun) {
	text := breaks(r.Text)
	for _, f := range []struct {
		on  bool
		tag string
	}{{r.Bold, "b"}, {r.Italic, "i"}, {r.Underline, "u"}, {r.Strike, "s"}} {
		if f.on {
			text = "<" + f.tag + ">" + text + "</" + f.tag + ">"
		}
	}
	for _, id := range slices.Backward(r.Changes) {
		m, known := h.marks[id]
		if !known {
			continue
		}
		tag, style := "span", "border-bottom:1px dotted "+h.color(m.Author.Name)
		switch m.Kind {
		case "ins", "moveTo":
			tag, style = "ins", "color:"+h.color(m.Author.Name)+";text-decoration:underline"
		case "del", "moveFrom":
			tag, style = "del", "color:"+h.color(m.Author.Name)+";text-decoration:line-through"
		}
		text = "<" + tag + ` style="` + style + `" title="` + said(m) + `">` + text + "</" + tag + ">"
	}
	h.write(text)
}

func (h *page) table(p Passage) {
	h.write(`<table style="border-collapse:collapse;margin:.8em 0;width:100%">`)
	for _, row := range p.Rows {
		h.write("<tr" + h.shade(row.Changes) + ">")
		for _, cell := range row.Cells {
			span := ""
			if cell.Span > 1 {
				span = ` colspan="` + strconv.Itoa(cell.Span) + `"`
			}
			shade := h.shade(cell.Changes)
			style := "border:1px solid #999;padding:.2em .5em;vertical-align:top"
			if shade != "" {
				style += ";background:#eef3fb"
			}
			h.write("<td" + span + ` style="` + style + `"` + ">")
			for _, inner := range cell.Passages {
				h.passage(inner)
			}
			h.write("</td>")
		}
		h.write("</tr>")
	}
	h.write("</table>")
}

// shade marks a row or cell that was put in, deleted or changed.
func (h *page) shade(changes []string) string {
	for _, id := range changes {
		m, known := h.marks[id]
		if !known {
			continue
		}
		background := "#eef3fb"
		switch m.Kind {
		case "ins", "cellIns":
			background = "#e8f5e9"
		case "del", "cellDel":
			background = "#fdecea"
		}
		return ` style="background:` + background + `" title="` + said(m) + `"`
	}
	return ""
}
