package lex

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/spanish"
)

// Token is a word of a text with all the forms that share its stem.
type Token struct {
	Token string `json:"token"` // the most frequent form, in lower case
	Stem  string `json:"stem"`
	Count int    `json:"count"` // over all forms

	Forms []string `json:"-"` // every form, in alphabetical order
}

// TokenOptions narrow what Tokens counts.
type TokenOptions struct {
	Exclude   []string // words, of which all forms with the same stem are left out
	MinLength int      // in code points; shorter words are left out
	Stopwords bool     // keep the words of grammar
	Language  string   // ISO 639-1, of the stems and stop words; English where there are none of it
}

// Tokens counts the words of text, the most frequent first and equal ones in
// the order of their stems. Numbers are left out.
func Tokens(text string, options TokenOptions) []Token {
	forms := map[string]int{}
	for word := range Words(text, IsHyphenated(text)) {
		forms[word]++
	}
	stemmer := Stemmer{Language: options.Language}
	stopwords := StopwordsOf(options.Language)
	excluded := map[string]bool{}
	for _, word := range options.Exclude {
		excluded[stemmer.Stem(NormalizeWord(strings.TrimSpace(word)))] = true
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
		stem := stemmer.Stem(word)
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
		slices.Sort(g.forms)
		tokens = append(tokens, Token{Token: g.token, Stem: stem, Count: g.count, Forms: g.forms})
	}
	slices.SortFunc(tokens, func(a, b Token) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Stem, b.Stem))
	})
	return tokens
}

// MaxWord is where a run of letters is no word any more but data, in bytes. An
// index has a limit on what it can hold as well.
const MaxWord = 128

// Words yields the words of text in lower case: runs of letters, marks and
// digits with at least one letter, and the apostrophes and hyphens inside them.
// Words that were broken at the end of a line are whole again, without their
// hyphen if the text is hyphenated.
func Words(text string, hyphenated bool) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); {
			start, end, broken, letter := ScanWord(text, i)
			i = end
			if !letter || end-start > MaxWord {
				continue
			}
			word := text[start:end]
			if broken {
				word = JoinLines(word, hyphenated)
			}
			if !yield(NormalizeWord(word)) {
				return
			}
		}
	}
}

// ScanWord finds the first word at or after i; start and end are len(text)
// where there is none. A broken word holds a line break.
func ScanWord(text string, i int) (start, end int, broken, letter bool) {
	for i < len(text) {
		r, size := DecodeRune(text[i:])
		if IsWordRune(r) {
			break
		}
		i += size
	}
	start = i
	for i < len(text) {
		r, size := DecodeRune(text[i:])
		next := i + size
		switch {
		case IsWordRune(r):
			letter = letter || unicode.IsLetter(r)
			i = next
			continue
		case isInner(r):
			if space := breakAfter(text, i, r, next); space > 0 {
				broken = true
				next += space
			}
			if after, _ := DecodeRune(text[next:]); IsWordRune(after) {
				i = next
				continue
			}
		}
		break
	}
	return start, i, broken, letter
}

// isInner reports whether r can be inside a word, between two of its
// letters: an apostrophe or a hyphen.
func isInner(r rune) bool {
	return r == '\'' || r == '-' || r >= utf8.RuneSelf && strings.ContainsRune("’\u2010\u2011\u00ad", r)
}

// NormalizeWord gives the forms of a word that differ in case, in the shape of
// the apostrophe or in the possessive one form.
func NormalizeWord(word string) string {
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
	word = strings.ToLower(word)
	if !isASCII(word) {
		word = apostrophes.Replace(word)
	}
	return strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "'")
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

var apostrophes = strings.NewReplacer("’", "'", "\u00ad", "", "\u2010", "-", "\u2011", "-")

// Stemmer stems words by the snowball algorithm of a language, and keeps its working
// space.
type Stemmer struct {
	Language string // ISO 639-1; English where it is another
	env      *snowballstem.Env
}

// stemmers are those of languages other than English.
var stemmers = map[string]func(*snowballstem.Env) bool{
	"de": german.Stem, "fr": french.Stem, "es": spanish.Stem, "it": italian.Stem, "nl": dutch.Stem,
}

// Stem is that of a word in lower case.
func (s *Stemmer) Stem(word string) string {
	if s.env == nil {
		s.env = snowballstem.NewEnv(word)
	} else {
		s.env.SetCurrent(word)
	}
	if stem := stemmers[s.Language]; stem != nil {
		stem(s.env)
	} else {
		english.Stem(s.env)
	}
	return s.env.Current()
}
