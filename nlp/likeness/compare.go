package likeness

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/clausemill/clausemill/nlp/lex"
)

// Kind is what two texts are to one another.
type Kind string

// The kinds. Texts that have too little in common are of none of them.
const (
	Duplicate Kind = "duplicate" // the same document, as far as it can be read
	Version   Kind = "version"   // the same contract, with changes
	Template  Kind = "template"  // the same form, between others
)

// Reading is a text as Compare takes it: its words, counted once for many comparisons.
type Reading struct {
	words      map[string]int
	size       int // bytes of the text
	parties    []string
	recognized bool
}

// NewReading reads a text. Parties are the names of its parties, as far as they are known.
// Recognized texts are from images, so that letters may be wrong.
func NewReading(text string, parties []string, recognized bool) Reading {
	return Reading{words: countWords(text), size: len(text), parties: parties, recognized: recognized}
}

// Size is about how many bytes of memory r takes.
func (r Reading) Size() int {
	const each = 64 // a word of six letters, its count, and their places in the map
	return each * (len(r.words) + len(r.parties) + 1)
}

// Comparison is how alike two texts are.
type Comparison struct {
	Kind    Kind    // "" for neither
	Share   float64 // of the words of both, that both have; 0 to 1
	Changed int     // words of either that the other has not
}

const (
	// leastShare is the share of words from which two texts have to do with one
	// another. What contracts have in common by being contracts is less.
	leastShare = 0.8
	// leastRecognized is that of a document with itself where it was recognised:
	// words are lost, torn and run together.
	leastRecognized = 0.95
	// mostDoubted bounds the words that are looked at for letters that were read
	// wrong.
	mostDoubted = 1500
)

// Compare reports whether two texts are duplicates, versions, or neither. How quotes,
// dashes, ligatures and hyphens at the ends of lines are written makes no difference.
// Where they come from OCR, words that differ in a few letters count as the same, and a change
// has to be a line of words or another figure to be distinguished from OCR errors.
func Compare(a, b Reading) Comparison {
	first, second := a.words, b.words
	words := 0
	var lost, gained []string
	for word, n := range first {
		words += n
		for range max(0, n-second[word]) {
			lost = append(lost, word)
		}
	}
	for word, n := range second {
		words += n
		for range max(0, n-first[word]) {
			gained = append(gained, word)
		}
	}
	if words == 0 {
		return Comparison{}
	}
	lost, gained = untorn(lost, gained)
	gained, lost = untorn(gained, lost)
	noisy := a.recognized || b.recognized
	if noisy {
		lost, gained = misread(lost, gained)
	}
	changed := len(lost) + len(gained)
	l := Comparison{Share: 1 - float64(changed)/float64(words), Changed: changed}
	switch {
	case l.Share < leastShare:
	case !sameParties(a, b, noisy):
		l.Kind = Template
	case changed == 0, noisy && l.Share >= leastRecognized && !edited(lost, gained, a.size):
		l.Kind = Duplicate
	default:
		l.Kind = Version
	}
	return l
}

// countWords counts the words and numbers of text, in small letters. The parts of a
// compound are words of their own, because files write its hyphen as they please.
func countWords(text string) map[string]int {
	text = asWritten.Replace(norm.NFKC.String(text))
	hyphenated := lex.IsHyphenated(text)
	counts := map[string]int{}
	for i := 0; i < len(text); {
		start, end, broken, letter := lex.ScanWord(text, i)
		i = end
		if start == end {
			break
		}
		word := text[start:end]
		if letter && broken {
			word = lex.JoinLines(word, hyphenated)
		}
		for part := range strings.SplitSeq(word, "-") {
			if letter {
				part = lex.NormalizeWord(part)
			}
			if _, known := counts[part]; !known {
				part = strings.Clone(part) // keeps the text from staying in memory
			}
			if part != "" {
				counts[part]++
			}
		}
	}
	return counts
}

// asWritten makes one of the ways to write an apostrophe or a dash.
var asWritten = strings.NewReplacer(
	"\u00ad", "", "‘", "'", "’", "'", "‚", "'", "‛", "'", "ʼ", "'", "ʻ", "'", "`", "'", "´", "'", "′", "'",
	"‐", "-", "‑", "-", "‒", "-", "–", "-", "—", " ", "―", " ", "−", "-", "--", " ")

// untorn returns what remains of both lists without words of lost that are two of gained
// in one: of a compound that was broken at the end of a line the hyphen may be gone.
func untorn(lost, gained []string) (stillLost, stillGained []string) {
	if len(lost) > mostDoubted || len(gained) > mostDoubted {
		return lost, gained
	}
	for _, word := range lost {
		torn := false
		for i := 1; i < len(word) && !torn; i++ {
			one := slices.Index(gained, word[:i])
			if one < 0 {
				continue
			}
			rest := slices.Delete(slices.Clone(gained), one, one+1)
			if other := slices.Index(rest, word[i:]); other >= 0 {
				gained, torn = slices.Delete(rest, other, other+1), true
			}
		}
		if !torn {
			stillLost = append(stillLost, word)
		}
	}
	return stillLost, gained
}

// misread returns what remains of both lists without the words of lost that some
// word of gained may be, read wrong.
func misread(lost, gained []string) (stillLost, stillGained []string) {
	if len(lost) > mostDoubted || len(gained) > mostDoubted {
		return lost, gained
	}
	slices.Sort(lost) // so that the same texts always give the same pairs
	slices.Sort(gained)
	for _, word := range lost {
		if i := slices.IndexFunc(gained, func(other string) bool { return mayBe(word, other) }); i >= 0 {
			gained = slices.Delete(gained, i, i+1)
		} else {
			stillLost = append(stillLost, word)
		}
	}
	return stillLost, gained
}

// mayBe reports whether one word can be the other with letters read wrong.
func mayBe(a, b string) bool {
	if !lex.HasLetter(a) || !lex.HasLetter(b) {
		return false
	}
	longest := max(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	allowed := 1 + longest/5
	return longest > 2 && lettersApart(a, b, allowed) <= allowed
}

// lettersApart is how many letters have to be changed, added or taken away to make
// one word the other, as far as most; more is most+1.
func lettersApart(a, b string, most int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > most || len(y)-len(x) > most {
		return most + 1
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range x {
		before, least := row[0], i+1
		row[0] = i + 1
		for j, s := range y {
			cost := before
			if r != s {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
			least = min(least, row[j+1])
		}
		if least > most {
			return most + 1
		}
	}
	return row[len(y)]
}

// edited reports whether what texts of about size bytes do not have in common is
// more than recognition makes of one document: it garbles words and tears them,
// but their letters stay about as many, and it loses a figure here and there, but
// puts no other in its place.
func edited(lost, gained []string, size int) bool {
	const (
		mostFigures = 3
		mostLetters = 60 // a line
		share       = 200
	)
	figures := func(words []string) []string {
		return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return lex.HasLetter(word) || len(word) < 2 })
	}
	before, after := figures(lost), figures(gained)
	if len(before)+len(after) > mostFigures {
		return true
	}
	for _, figure := range before {
		if slices.ContainsFunc(after, func(other string) bool { return lettersApart(figure, other, 1) > 1 }) {
			return true
		}
	}
	letters := len(strings.Join(gained, "")) - len(strings.Join(lost, ""))
	return max(letters, -letters) > max(mostLetters, size/share)
}

// sameParties reports whether each text names all parties of the other, as far
// as they are known.
func sameParties(a, b Reading, noisy bool) bool {
	return namesAll(a.parties, b.words, noisy) && namesAll(b.parties, a.words, noisy)
}

// namesAll reports whether a text of some words names all of parties, up to the form of the
// company.
func namesAll(parties []string, counts map[string]int, noisy bool) bool {
	for _, party := range parties {
		for word := range lex.Words(party, false) {
			if formWords[word] || lex.Stopwords[word] || counts[word] > 0 {
				continue
			}
			found := false
			for other := range counts {
				if noisy && mayBe(word, other) {
					found = true
					break
				}
			}
			if !found {
				return false
			}
		}
	}
	return true
}

// formWords say what a company is by law, which texts leave out as they
// please.
var formWords = lex.Set("inc incorporated corp corporation co company ltd limited llc l.l.c llp lp plc gmbh ag sa nv bv kg pty")
