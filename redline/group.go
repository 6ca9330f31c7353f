package redline

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clausemill/clausemill/docx"
)

// units are what a reader takes in as one: dates, amounts, numbers in words with their
// figures, and defined terms, which are quoted or written with capitals.
var units = regexp.MustCompile("^(?:" + strings.Join([]string{
	`\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:January|February|March|April|May|June|July|August|September|October|November|December),? \d{4}`,
	`(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}(?:st|nd|rd|th)?,? \d{4}`,
	`\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}`,
	`(?:USD|EUR|GBP|CHF|US\$|[$€£¥]) ?\d[\d.,']*\d?(?: (?:thousand|million|billion))?`,
	`\d[\d.,']*\d? ?(?:USD|EUR|GBP|CHF|dollars|euros|pounds|percent|[$€£¥%])`,
	`\pL+(?:-\pL+)? \(\d+\)`,
	`["“„][^"“”„\n]{1,60}["”]`,
	`\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+){1,4}`,
}, "|") + ")")

// unitsIn are the places of units in a text, in code points. Only where one can begin is
// it looked for: most letters are small, and no figure follows their word.
func unitsIn(text string) [][2]int {
	var all [][2]int
	counted := wordsBeforeFigures(text)
	for at, runes := 0, 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		for len(counted) > 0 && counted[0][1] <= at {
			counted = counted[1:]
		}
		if begins := unicode.IsDigit(r) || unicode.IsUpper(r) || strings.ContainsRune("$€£¥\"“„", r) || len(counted) > 0 && counted[0][0] <= at; begins {
			if unit := units.FindString(text[at:]); unit != "" {
				length := utf8.RuneCountInString(unit)
				all = append(all, [2]int{runes, runes + length})
				at, runes = at+len(unit), runes+length
				continue
			}
		}
		at, runes = at+size, runes+1
	}
	return all
}

// wordsBeforeFigures are the places of words before figures in brackets, "thirty (30)", in
// bytes.
func wordsBeforeFigures(text string) [][2]int {
	var all [][2]int
	for from := 0; ; {
		at := strings.Index(text[from:], " (")
		if at < 0 {
			return all
		}
		end := from + at
		from = end + len(" (")
		if from < len(text) && text[from] >= '0' && text[from] <= '9' {
			start := strings.LastIndexFunc(text[:end], func(r rune) bool { return r != '-' && !unicode.IsLetter(r) })
			all = append(all, [2]int{start + 1, end})
		}
	}
}

// grouped joins hunks that only blanks separate, so that replaced words are one
// decision, and widens those that begin or end inside a unit to all of it. Whole reports
// whether a stretch of the old text can be replaced as one.
func grouped(old, new string, hunks []Hunk, whole func(start, end int) bool) []Hunk {
	was, is := []rune(old), []rune(new)
	inOld, inNew := unitsIn(old), unitsIn(new)
	type stretch struct{ start, end, from, to int } // in the old text and the new one
	var out []stretch
	shift := 0
	for k, h := range hunks {
		now := stretch{h.Start, h.End, h.Start + shift, h.Start + shift + len([]rune(h.Text))}
		left, right := 0, len(was) // as far as the text around is the same
		if k > 0 {
			left = hunks[k-1].End
		}
		if k+1 < len(hunks) {
			right = hunks[k+1].Start
		}
		oldStart, oldEnd := widened(now.start, now.end, inOld)
		newStart, newEnd := widened(now.from, now.to, inNew)
		before := min(max(now.start-oldStart, now.from-newStart), now.start-left)
		after := min(max(oldEnd-now.end, newEnd-now.to), right-now.end)
		if before+after > 0 && whole(now.start-before, now.end+after) {
			now = stretch{now.start - before, now.end + after, now.from - before, now.to + after}
		}
		if n := len(out) - 1; n >= 0 {
			last := out[n]
			replaces := last.start < last.end && last.from < last.to && now.start < now.end && now.from < now.to
			if now.start <= last.end || replaces && blank(was[last.end:now.start]) && whole(last.start, now.end) {
				out[n] = stretch{last.start, max(last.end, now.end), last.from, max(last.to, now.to)}
				shift = now.to - now.end
				continue
			}
		}
		out = append(out, now)
		shift = now.to - now.end
	}
	joined := make([]Hunk, len(out))
	for i, s := range out {
		joined[i] = Hunk{s.start, s.end, string(is[s.from:s.to])}
	}
	return joined
}

// widened is a stretch with all of the units that it begins or ends inside of.
func widened(start, end int, units [][2]int) (from, to int) {
	from, to = start, end
	for _, u := range units {
		if u[0] < end && start < u[1] || start == end && u[0] < start && start < u[1] {
			from, to = min(from, u[0]), max(to, u[1])
		}
	}
	return from, to
}

func blank(text []rune) bool {
	return len(text) > 0 && !slices.ContainsFunc(text, func(r rune) bool { return !unicode.IsSpace(r) || r == '\n' || r == '\v' || r == '\f' })
}

// uniform reports whether a stretch of the column is in one paragraph, of one format
// and in no field, so that it can be replaced as one.
func (c *column) uniform(start, end int) bool {
	i := c.at(start)
	if end > c.starts[i]+c.length(i) {
		return false
	}
	var first docx.Piece
	for piece := range c.paragraphs[i].Pieces() {
		if piece.End+c.starts[i] <= start || piece.Start+c.starts[i] >= end || piece.Start == piece.End {
			continue
		}
		switch {
		case piece.Field != 0 || !piece.Item.Is("t") || !piece.Run.Exists():
			return false
		case !first.Run.Exists():
			first = piece
		case first.Run.Parent() != piece.Run.Parent(), !bytes.Equal(first.Run.Child("rPr").Raw(), piece.Run.Child("rPr").Raw()):
			return false
		}
	}
	return true
}
