package nlp

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// Token is a word of a text with all the forms that share its stem.
type Token struct {
	Token string `json:"token"` // the most frequent form, in lower case
	Stem  string `json:"stem"`
	Count int    `json:"count"` // over all forms

	Forms []string `json:"-"` // every form, in no order
}

// TokenOptions narrow what Tokens counts.
type TokenOptions struct {
	Exclude   []string // words, of which all forms with the same stem are left out
	MinLength int      // in code points; shorter words are left out
	Stopwords bool     // keep the words of English grammar
}

// Tokens counts the words of text, the most frequent first and equal ones in
// the order of their stems. Numbers are left out.
func Tokens(text string, options TokenOptions) []Token {
	forms := map[string]int{}
	for word := range words(text) {
		forms[word]++
	}
	var stemmer stemmer
	excluded := map[string]bool{}
	for _, word := range options.Exclude {
		excluded[stemmer.stem(normalizeWord(strings.TrimSpace(word)))] = true
	}
	type group struct {
		token string
		most  int
		count int
		forms []string
	}
	groups := map[string]group{}
	for word, count := range forms {
		if !options.Stopwords && stopwords[word] || utf8.RuneCountInString(word) < options.MinLength {
			continue
		}
		stem := stemmer.stem(word)
		if excluded[stem] {
			continue
		}
		g := groups[stem]
		if count > g.most || count == g.most && word < g.token {
			g.token, g.most = word, count
		}
		g.count += count
		g.forms = append(g.forms, word)
		groups[stem] = g
	}
	tokens := make([]Token, 0, len(groups))
	for stem, g := range groups {
		tokens = append(tokens, Token{Token: g.token, Stem: stem, Count: g.count, Forms: g.forms})
	}
	slices.SortFunc(tokens, func(a, b Token) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Stem, b.Stem))
	})
	return tokens
}

// words yields the words of text in lower case: runs of letters, marks and
// digits with at least one letter, with the apostrophes and hyphens inside
// them. A hyphen at the end of a line only shows where the line ended.
func words(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); {
			start, end, broken, letter := scanWord(text, i)
			if start == len(text) {
				return
			}
			i = end
			if !letter {
				continue
			}
			word := text[start:end]
			if broken {
				word = mendWord(word)
			}
			if !yield(normalizeWord(word)) {
				return
			}
		}
	}
}

// scanWord finds the first word at or after i; start is len(text) where there
// is none. A broken word holds a line break.
func scanWord(text string, i int) (start, end int, broken, letter bool) {
	for i < len(text) {
		r, size := decode(text[i:])
		if isWordRune(r) {
			break
		}
		i += size
	}
	start = i
	for i < len(text) {
		r, size := decode(text[i:])
		switch {
		case isWordRune(r):
			letter = letter || unicode.IsLetter(r)
			i += size
			continue
		case r == '\'' || r == '’' || r == '-' || r == '\u2010' || r == '\u2011' || r == '\u00ad':
			next := i + size
			if r == '-' || r == '\u00ad' {
				if after := lineBreak(text[next:]); after > 0 && endsLower(text[start:i]) && startsLower(text[next+after:]) {
					broken = true
					next += after
				}
			}
			if after, _ := decode(text[next:]); next < len(text) && isWordRune(after) {
				i = next
				continue
			}
		}
		break
	}
	return start, i, broken, letter
}

func decode(s string) (rune, int) {
	if s != "" && s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(s)
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isLetter(byte(r)) || isDigit(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// lineBreak returns the length of the white space that s opens with if it holds
// exactly one line break, else 0.
func lineBreak(s string) int {
	breaks, i := 0, 0
	for i < len(s) && asciiSpace[s[i]] {
		if s[i] == '\n' {
			breaks++
		}
		i++
	}
	if breaks != 1 {
		return 0
	}
	return i
}

func endsLower(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLower(r)
}

// mendWord takes the hyphen and the line break out of a broken word.
func mendWord(word string) string {
	var b strings.Builder
	for i := 0; i < len(word); {
		r, size := decode(word[i:])
		if r == '-' || r == '\u00ad' {
			if after := lineBreak(word[i+size:]); after > 0 {
				i += size + after
				continue
			}
		}
		b.WriteString(word[i : i+size])
		i += size
	}
	return b.String()
}

// normalizeWord gives the forms of a word that differ in case, in the shape of
// the apostrophe or in the possessive one form.
func normalizeWord(word string) string {
	plain := true
	for i := range len(word) {
		if c := word[i]; c < 'a' || c > 'z' {
			plain = false
			break
		}
	}
	if plain {
		return word
	}
	word = apostrophes.Replace(strings.ToLower(word))
	return strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "'")
}

var apostrophes = strings.NewReplacer("’", "'", "\u00ad", "", "\u2010", "-", "\u2011", "-")

// stemmer keeps the working space of the Porter stemmer.
type stemmer struct{ env *snowballstem.Env }

// Stem returns the stem of an English word in lower case.
func Stem(word string) string {
	var s stemmer
	return s.stem(word)
}

func (s *stemmer) stem(word string) string {
	if s.env == nil {
		s.env = snowballstem.NewEnv(word)
	} else {
		s.env.SetCurrent(word)
	}
	english.Stem(s.env)
	return s.env.Current()
}
