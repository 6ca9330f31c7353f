package nlp

import "github.com/clausemill/clausemill/nlp/lex"

// persons finds people where a text says that they are: behind a title, in a
// signature block, as the one to whose attention a notice goes.
type persons struct{}

func (p persons) extract(t *tape) []mention {
	var found []mention
	for i := 0; i < len(t.lex); i++ {
		start, ok := p.cue(t, i)
		if !ok {
			continue
		}
		next := p.end(t, start)
		if next == start {
			continue
		}
		found = append(found, mention{t.extent(start, next), Person, Value{Name: t.quote(start, next)}, 0.85})
		i = next - 1
	}
	return found
}

// cue returns where a name begins if the words at i announce one.
func (p persons) cue(t *tape, i int) (int, bool) {
	switch {
	case !t.isWord(i) && !t.is(i, "/"):
		return i, false
	case t.isUpper(i) && t.is(i, "mr", "mrs", "ms", "dr", "messrs", "prof"):
		if t.is(i+1, ".") {
			return i + 2, true
		}
		return i + 1, true
	case t.is(i, "name", "attention", "attn") && t.is(i+1, ":", ".:", "."):
		at := i + 2
		for t.is(at, ":", "mr", "ms", "dr", ".") {
			at++
		}
		return at, true
	case t.is(i, "/") && t.is(i+1, "s") && t.is(i+2, "/"):
		return i + 3, true
	}
	return i, false
}

// end returns what follows the name at start, or start where none stands: two
// to four words with capitals, initials among them.
func (p persons) end(t *tape, start int) int {
	words, next := 0, start
	for i := start; i < start+10; i++ {
		switch {
		case i > start && (t.newline(i) || t.apart(i) || len(t.at(i)) > 2 && lex.IsCapitals(t.at(i)) != lex.IsCapitals(t.at(start)) && t.isWord(i) && len(t.at(start)) > 2):
			return p.finish(t, start, next, words)
		case t.isUpper(i) && t.sense(i).Class != lex.CorporateWord && !t.is(i, "title", "by", "name", "date", "its", "president", "chief", "vice", "director", "general", "legal", "the", "executive", "senior", "contracts", "manager", "secretary", "treasurer", "head", "department", "chairman", "attention", "fax", "email", "print", "printed"):
			words, next = words+1, i+1
		case t.is(i, ".") && len(t.at(i-1)) <= 2 && i > start:
			next = i + 1
		case t.is(i, "-") && t.glued(i) && t.glued(i+1), t.is(i, "de", "van", "von", "der", "di"):
		default:
			return p.finish(t, start, next, words)
		}
	}
	return p.finish(t, start, next, words)
}

// finish rejects what is too short or too long for a name, or a company's.
func (p persons) finish(t *tape, start, next, words int) int {
	if words < 2 || words > 4 || t.sense(next).Class == lex.CorporateWord {
		return start
	}
	return next
}
