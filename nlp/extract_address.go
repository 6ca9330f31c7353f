package nlp

import "github.com/clausemill/clausemill/nlp/lex"

// addresses finds postal addresses of the United States, from the number of the
// house or the post office box to the ZIP code.
type addresses struct{}

func (a addresses) extract(t *tape) []mention {
	var found []mention
	free := 0
	for i := 0; i < len(t.lex); i++ {
		if !t.isZIP(i) {
			continue
		}
		state := i - 1
		if t.is(state, ",", ".") {
			state--
		}
		if !a.isState(t, state) {
			continue
		}
		start, ok := a.start(t, state, free)
		if !ok {
			continue
		}
		next := i + 1
		if t.is(next, "-") && t.isNumber(next+1) && len(t.at(next+1)) == 4 && t.glued(next) {
			next += 2
		}
		found = append(found, mention{t.extent(start, next), Address, Value{Name: t.quote(start, next)}, 0.9})
		i, free = next-1, next
	}
	return found
}

// isZIP reports whether lexeme i can be a ZIP code: five figures.
func (t *tape) isZIP(i int) bool {
	return t.isNumber(i) && len(t.at(i)) == 5 && lex.DigitPrefix(t.at(i)) == 5
}

// isState reports whether the name or the two letters of a state end at i.
func (a addresses) isState(t *tape, i int) bool {
	if at := t.at(i); len(at) == 2 && states[at] {
		return true
	}
	for back := range 3 {
		if p, next, ok := t.territoryAt(i - back); ok && next == i+1 && len(p.code) > 2 && p.code[:2] == "US" {
			return true
		}
	}
	return false
}

// states are the codes of the Post.
var states = func() map[string]bool {
	all := map[string]bool{}
	for _, names := range territories {
		for _, name := range names {
			if code := name.territory.code; len(code) == 5 && code[:2] == "US" {
				all[code[3:]] = true
			}
		}
	}
	return all
}()

// start goes back from the state to where the address begins.
func (a addresses) start(t *tape, state, free int) (int, bool) {
	const reach = 30
	street := false
	for at := state - 1; at >= max(free, state-reach); at-- {
		switch {
		case t.sense(at).Class == lex.StreetWord:
			street = true
		case t.is(at, "box") && (t.is(at-1, "office", ".", "O") || t.isWord(at-1)):
			for at > free && t.is(at-1, "p", "o", ".", "post", "office") {
				at--
			}
			for t.is(at, ".") {
				at++ // that of the sentence before
			}
			return at, true
		case t.isNumber(at) && t.glued(at+1) && t.isWord(at+1): // "3rd Floor"
		case t.isNumber(at) && street && !t.is(at-1, "suite", "floor", "ste", "no", "#", "room", "unit", "-"):
			return at, true
		case t.sense(at).Class == lex.NumeralWord && street && t.isUpper(at):
			return at, true
		case t.is(at, ";", "(", ")", "“", "”", `"`, ":"), t.is(at, "is", "are", "at", "and", "the", "whose", "having") && !t.isUpper(at):
			return at, false
		}
	}
	return state, false
}
