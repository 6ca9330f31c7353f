package value

import "github.com/clausemill/clausemill/nlp/lex"

// addresses finds postal addresses of the United States, from the number of the
// house or the post office box to the ZIP code.
type addresses struct{}

func (a addresses) extract(t *Tape) []Mention {
	var found []Mention
	free := 0
	for i := 0; i < len(t.Lexemes); i++ {
		if !t.isZIP(i) {
			continue
		}
		state := i - 1
		if t.Is(state, ",", ".") {
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
		if t.Is(next, "-") && t.IsNumber(next+1) && len(t.At(next+1)) == 4 && t.Glued(next) {
			next += 2
		}
		found = append(found, Mention{t.Extent(start, next), Address, Value{Name: t.Quote(start, next)}, 0.9})
		i, free = next-1, next
	}
	return found
}

// isZIP reports whether lexeme i can be a ZIP code: five figures.
func (t *Tape) isZIP(i int) bool {
	return t.IsNumber(i) && len(t.At(i)) == 5 && lex.DigitPrefix(t.At(i)) == 5
}

// isState reports whether the name or the two letters of a state end at i.
func (a addresses) isState(t *Tape, i int) bool {
	if at := t.At(i); len(at) == 2 && states[at] {
		return true
	}
	for back := range 3 {
		if p, next, ok := t.TerritoryAt(i - back); ok && next == i+1 && len(p.Code) > 2 && p.Code[:2] == "US" {
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
			if code := name.territory.Code; len(code) == 5 && code[:2] == "US" {
				all[code[3:]] = true
			}
		}
	}
	return all
}()

// start goes back from the state to where the address begins.
func (a addresses) start(t *Tape, state, free int) (int, bool) {
	const reach = 30
	street := false
	for at := state - 1; at >= max(free, state-reach); at-- {
		switch {
		case t.Sense(at).Class == lex.StreetWord:
			street = true
		case t.Is(at, "box") && (t.Is(at-1, "office", ".", "O") || t.IsWord(at-1)):
			for at > free && t.Is(at-1, "p", "o", ".", "post", "office") {
				at--
			}
			for t.Is(at, ".") {
				at++ // that of the sentence before
			}
			return at, true
		case t.IsNumber(at) && t.Glued(at+1) && t.IsWord(at+1): // "3rd Floor"
		case t.IsNumber(at) && street && !t.Is(at-1, "suite", "floor", "ste", "no", "#", "room", "unit", "-"):
			if len(t.At(at)) <= 2 && at-1 >= free && t.IsNumber(at-1) && !t.Newline(at) && !t.Glued(at) {
				return at - 1, true // "787 7th Avenue"
			}
			return at, true
		case t.Sense(at).Class == lex.NumeralWord && street && t.IsUpper(at):
			return at, true
		case t.Is(at, ";", "(", ")", "“", "”", `"`, ":"), t.Is(at, "is", "are", "at", "and", "the", "whose", "having") && !t.IsUpper(at):
			return at, false
		}
	}
	return state, false
}
