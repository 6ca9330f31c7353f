package value

import "github.com/clausemill/clausemill/nlp/lex"

// persons finds people where a text says that they are: behind a title, in a
// signature block, as the one to whose attention a notice goes.
type persons struct{}

func (p persons) extract(t *Tape) []Mention {
	var found []Mention
	for i := 0; i < len(t.Lexemes); i++ {
		start, ok := p.cue(t, i)
		if !ok {
			continue
		}
		next := p.end(t, start)
		if next == start {
			continue
		}
		found = append(found, Mention{t.Extent(start, next), Person, Value{Name: t.Quote(start, next)}, 0.85})
		i = next - 1
	}
	return found
}

// cue returns where a name begins if the words at i announce one.
func (p persons) cue(t *Tape, i int) (int, bool) {
	switch {
	case !t.IsWord(i) && !t.Is(i, "/"):
		return i, false
	case t.IsUpper(i) && t.Is(i, "mr", "mrs", "ms", "dr", "messrs", "prof"):
		if t.Is(i+1, ".") {
			return i + 2, true
		}
		return i + 1, true
	case t.Is(i, "name", "attention", "attn") && t.Is(i+1, ":", ".:", "."):
		at := i + 2
		for t.Is(at, ":", "mr", "ms", "dr", ".") {
			at++
		}
		return at, true
	case t.Is(i, "/") && t.Is(i+1, "s") && t.Is(i+2, "/"):
		return i + 3, true
	}
	return i, false
}

// end returns what follows the name at start, or start where none stands: two
// to four words with capitals, initials among them.
func (p persons) end(t *Tape, start int) int {
	words, next := 0, start
	for i := start; i < start+10; i++ {
		switch {
		case i > start && (t.Newline(i) || t.Apart(i) || len(t.At(i)) > 2 && lex.IsCapitals(t.At(i)) != lex.IsCapitals(t.At(start)) && t.IsWord(i) && len(t.At(start)) > 2):
			return p.finish(t, start, next, words)
		case t.IsUpper(i) && t.Sense(i).Class != lex.CorporateWord && !t.Is(i, "title", "by", "name", "date", "its", "president", "chief", "vice", "director", "general", "legal", "the", "executive", "senior", "contracts", "manager", "secretary", "treasurer", "head", "department", "chairman", "attention", "fax", "email", "print", "printed"):
			words, next = words+1, i+1
		case t.Is(i, ".") && len(t.At(i-1)) <= 2 && i > start:
			next = i + 1
		case t.Is(i, "-") && t.Glued(i) && t.Glued(i+1), t.Is(i, "de", "van", "von", "der", "di"):
		default:
			return p.finish(t, start, next, words)
		}
	}
	return p.finish(t, start, next, words)
}

// finish rejects what is too short or too long for a name, or a company's.
func (p persons) finish(t *Tape, start, next, words int) int {
	if words < 2 || words > 4 || t.Sense(next).Class == lex.CorporateWord {
		return start
	}
	return next
}
