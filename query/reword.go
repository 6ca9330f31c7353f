package query

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// What is here reads other wordings of what the rules read. A question of which words are left over is
// written once more with what they say in the place of these words, which is said of each of them, and
// the rules read it. So a wording that is listed here cannot lose anything without a word, and changes no
// question that was understood before.

// rewording is a wording with what it is read as: "" where it asks for nothing.
type rewording struct {
	from, to []string // words; of from alternatives as well, "the|our", that may be missing, "the?", and words that are kept, "{A}"
	literal  int      // how many words of from are told
	first    bool     // it begins the question
	last     bool     // it ends it
}

// mostKept is how many words a part has that is kept in a rewording, and mostRewordings how often a question
// is written once more.
const (
	mostKept       = 8
	mostRewordings = 4
)

// wordings are read from lines of a wording, => and what it is read as.
func wordings(lines string) []rewording {
	var list []rewording
	for line := range strings.Lines(lines) {
		from, to, ok := strings.Cut(strings.TrimSpace(line), "=>")
		if !ok {
			continue
		}
		r := rewording{from: strings.Fields(from), to: strings.Fields(to)}
		if r.from[0] == "^" {
			r.from, r.first = r.from[1:], true
		}
		if n := len(r.from) - 1; r.from[n] == "$" {
			r.from, r.last = r.from[:n], true
		}
		for _, word := range r.from {
			if word[0] != '{' && !strings.HasSuffix(word, "?") {
				r.literal++
			}
		}
		list = append(list, r)
	}
	return list
}

// rewrite is where a rewording holds: from and to are tokens, and with are those that stand in their place.
type rewrite struct {
	from, to int
	with     []token
	literal  int
}

// at is where r holds in tokens from one on, if it does.
func (r rewording) at(tokens []token, from int) (rewrite, bool) {
	if r.first && from > 0 {
		return rewrite{}, false
	}
	kept := map[string][]token{}
	to, ok := matched(r.from, tokens, from, kept, r.last)
	if !ok {
		return rewrite{}, false
	}
	w := rewrite{from: from, to: to, literal: r.literal}
	start, end := tokens[from].start, tokens[to-1].end
	for _, word := range r.to {
		if word[0] != '{' {
			w.with = append(w.with, token{word, strings.ToLower(word), false, start, end})
			continue
		}
		for _, t := range kept[word] {
			t.start, t.end = start, end // phrases are from one word to a later one
			w.with = append(w.with, t)
		}
	}
	return w, true
}

// matched is the token behind words that are told, if tokens from one on are these.
func matched(words []string, tokens []token, at int, kept map[string][]token, last bool) (int, bool) {
	if len(words) == 0 {
		return at, !last || at == len(tokens)
	}
	word, optional := strings.CutSuffix(words[0], "?")
	if open, among, ok := strings.Cut(word, "="); ok && word[0] == '{' {
		if at == len(tokens) || !slices.Contains(strings.Split(strings.TrimSuffix(among, "}"), "|"), tokens[at].lower) {
			return 0, false
		}
		kept[open+"}"] = tokens[at : at+1]
		return matched(words[1:], tokens, at+1, kept, last)
	}
	if word[0] == '{' {
		for n := 1; n <= mostKept && at+n <= len(tokens); n++ {
			if to, ok := matched(words[1:], tokens, at+n, kept, last); ok {
				kept[word] = tokens[at : at+n]
				return to, true
			}
		}
		return 0, false
	}
	if at < len(tokens) && !tokens[at].quoted && slices.Contains(strings.Split(word, "|"), tokens[at].lower) {
		if to, ok := matched(words[1:], tokens, at+1, kept, last); ok {
			return to, true
		}
	}
	if optional {
		return matched(words[1:], tokens, at, kept, last)
	}
	return 0, false
}

// reword writes what p has not understood all of in other words, again where something of it is left over
// still. Where no wording is known any more, a further figure is left out, or words that say nothing are.
func (p *parser) reword(begun parser) (*parser, Config, bool) {
	for range mostRewordings {
		lost := p.lostIn(begun.tokens)
		list := p.rewrites(begun.tokens, lost)
		begun.spelt = slices.Clip(begun.spelt)
		if len(list) == 0 {
			if said, ok := begun.oneFigure(nil); ok {
				begun.spelt = append(begun.spelt, said...)
			} else if list = idle(begun.tokens, lost); len(list) == 0 {
				break
			}
		}
		for _, w := range slices.Backward(list) {
			begun.put(w)
		}
		if len(begun.tokens) == 0 {
			break
		}
		p = begun.again()
		if config := p.read(); len(p.unknown) == 0 {
			return p, config, true
		}
	}
	return nil, Config{}, false
}

// put puts what words are read as in their place, and says so. Words of which that was said already are
// left out without it.
func (p *parser) put(w rewrite) {
	said := Understood{p.phrase(w.from, w.to), "asks for nothing by itself, and is passed over"}
	if len(w.with) > 0 {
		said.Meaning = "read as " + strconv.Quote(wordsOf(w.with))
	}
	if len(w.with) > 0 || strings.EqualFold(said.Phrase, wordsOf(p.tokens[w.from:w.to])) || !slices.ContainsFunc(p.spelt, func(u Understood) bool { return u.Phrase == said.Phrase }) {
		p.spelt = append(p.spelt, said)
	}
	p.tokens = slices.Concat(p.tokens[:w.from], w.with, p.tokens[w.to:])
}

// againAs reads in other words what there is no query of as it was read.
func (p *parser) againAs(begun parser) (*parser, Config, bool) {
	all := *p
	all.unknown, all.lost = nil, nil
	for at := range all.tokens {
		all.unknown, all.lost = append(all.unknown, all.tokens[at].word), append(all.lost, at)
	}
	other, config, ok := all.reword(begun)
	if ok {
		_, err := config.Query.Checked(time.Unix(0, 0))
		ok = err == nil
	}
	return other, config, ok
}

// lostIn are the tokens, as they were before rules replaced some, that were not understood.
func (p *parser) lostIn(tokens []token) map[int]bool {
	set := map[int]bool{}
	for i, words := range p.unknown {
		start, end := -1, -1
		if i < len(p.lost) && p.lost[i] < len(p.tokens) {
			start = p.tokens[p.lost[i]].start
			end = start + len(words)
		}
		for at, t := range tokens {
			if start >= 0 && t.start >= start && t.start < end || start < 0 && strings.Contains(" "+lowerWords(words)+" ", " "+t.lower+" ") {
				set[at] = true
			}
		}
	}
	return set
}

// rewrites are the rewordings of tokens with words that were not understood, those of the most words first
// where several are of the same.
func (p *parser) rewrites(tokens []token, lost map[int]bool) []rewrite {
	var found []rewrite
	for _, before := range []func([]token, map[int]bool) (rewrite, bool){p.heading, p.preamble} {
		if w, ok := before(tokens, lost); ok {
			found = append(found, w)
		}
	}
	for at, t := range tokens {
		if name, ok := strings.CutSuffix(t.word, "'s"); ok && lost[at] && capital(t) && at+1 < len(tokens) { // "Acme's total contract value"
			w := rewrite{from: at, to: len(tokens), literal: 1}
			for _, moved := range slices.Concat(tokens[at+1:], []token{{word: "of", lower: "of"}, {word: name, lower: strings.ToLower(name)}}) {
				moved.start, moved.end = t.start, tokens[len(tokens)-1].end
				w.with = append(w.with, moved)
			}
			found = append(found, w)
		}
		for _, r := range rewordings {
			if w, ok := r.at(tokens, at); ok && beside(w, lost) && (len(w.with) > 0 || w.to-w.from < longAside || p.meansNothing(tokens[w.from:w.to])) {
				found = append(found, w)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b rewrite) int { return b.literal - a.literal })
	var list []rewrite
	for _, w := range found {
		if !slices.ContainsFunc(list, func(other rewrite) bool { return w.from < other.to && other.from < w.to }) {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b rewrite) int { return a.from - b.from })
	return list
}

// beside reports whether words that were not understood are among those of w, or next to them.
func beside(w rewrite, lost map[int]bool) bool {
	for at := w.from - 1; at <= w.to; at++ {
		if lost[at] {
			return true
		}
	}
	return false
}

// idleWords join what is said of rows, and say nothing by themselves.
var idleWords = map[string]bool{
	"on": true, "have": true, "has": true, "had": true, "having": true, "be": true, "been": true, "being": true, "is": true, "are": true, "was": true, "were": true, "get": true, "got": true, "see": true, "seen": true,
	"we": true, "our": true, "the": true, "a": true, "an": true, "there": true, "that": true,
}

// idle are the words that were not understood and say nothing by themselves: all others are read then, or
// nothing is.
func idle(tokens []token, lost map[int]bool) (list []rewrite) {
	for at, t := range tokens {
		if lost[at] && !t.quoted && idleWords[t.lower] {
			list = append(list, rewrite{from: at, to: at + 1})
		}
	}
	return list
}

// heading is what stands before a colon, "for the board pack: how many …", of which no word has a meaning here.
func (p *parser) heading(tokens []token, lost map[int]bool) (rewrite, bool) {
	const longest = 6
	lexicon := map[string]bool(nil)
	for at := range min(longest, len(tokens)-1) {
		if lexicon == nil && strings.Contains(p.text, ":") {
			lexicon = p.lexicon()
		}
		if t := tokens[at]; !smallWords[t.lower] && !slices.Contains([]string{"show", "list", "me", "us", "get", "give", "need"}, t.lower) && (!lost[at] || lexicon[t.lower]) || t.quoted {
			return rewrite{}, false
		}
		if strings.HasSuffix(p.text[tokens[at].start:tokens[at].end], ":") {
			return rewrite{to: at + 1, literal: at + 1}, true
		}
	}
	return rewrite{}, false
}

// preamble is what somebody tells of himself before he asks, "my boss wants to know how many", if nothing of it
// has a meaning here. What begins with a preposition may say of which rows something is asked.
func (p *parser) preamble(tokens []token, lost map[int]bool) (rewrite, bool) {
	if !tellers[tokens[0].lower] {
		return rewrite{}, false
	}
	const longest = 16
	for at := 1; at < min(longest, len(tokens)); at++ {
		if !openers[tokens[at].lower] {
			continue
		}
		if w := (rewrite{to: at, literal: at}); beside(w, lost) && p.meansNothing(tokens[:at]) {
			return w, true
		}
	}
	return rewrite{}, false
}

// longAside is how many words an aside has that may say something of the rows.
const longAside = 4

// meansNothing reports whether words by themselves ask for no rows, figures or groups, and say nothing of any.
func (p *parser) meansNothing(words []token) bool {
	own := parser{base: -1, text: p.text, tokens: slices.Clone(words), vocabulary: p.vocabulary, fields: p.fields, labels: p.labels, types: p.types, phrases: p.phrases, found: p.found, clashes: map[int]bool{}}
	own.read()
	return len(own.filters)+len(own.groups)+own.periods() == 0 && own.metric == "" && own.source == ""
}

// tellers begin what somebody tells of himself, or of when he needs the answer; openers begin a question.
var (
	tellers = map[string]bool{"i": true, "we": true, "my": true, "our": true, "as": true, "before": true, "ahead": true, "after": true, "since": true, "because": true, "given": true, "now": true, "while": true, "it": true, "they": true, "he": true, "she": true, "the": true, "someone": true, "somebody": true, "everyone": true, "they're": true, "preparing": true, "working": true, "planning": true, "thinking": true, "wondering": true, "trying": true, "following": true, "further": true, "per": true}
	openers = map[string]bool{"which": true, "what": true, "how": true, "who": true, "when": true, "show": true, "list": true, "give": true, "find": true, "please": true, "can": true, "could": true, "is": true, "are": true, "do": true, "does": true, "tell": true, "get": true, "pull": true, "need": true, "want": true, "identify": true, "count": true, "i": true}
)
