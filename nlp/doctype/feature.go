package doctype

import (
	"math"
	"strings"

	"github.com/clausemill/clausemill/nlp/learn"
	"github.com/clausemill/clausemill/nlp/lex"
)

// The groups of features of a contract, in the order in which they are read.
const (
	titleWords   = iota // and pairs of them
	textWords           // of all of the text
	namedWords          // what contracts are called that the text mentions: "this Supply Agreement"
	proudWords          // with a capital within a sentence, and pairs of them: "the Franchisee"
	tellingStems        // of the words of the text, the few that differ most from type to type
)

// groupWeights say how much each group counts.
var groupWeights = [learn.MostGroups]float64{titleWords: 1, textWords: 0.5, namedWords: 0.5, proudWords: 0.5, tellingStems: 0.5}

// featuresOf returns the features of a contract, group by group.
func featuresOf(t Contract) []learn.Feature {
	var grouped [learn.MostGroups][]learn.Feature
	grouped[textWords] = make([]learn.Feature, 0, len(t.Text)/6)
	grouped[tellingStems] = make([]learn.Feature, 0, len(t.Text)/6)
	eachFeature(t, func(f learn.Feature, _ string) { grouped[f.Group] = append(grouped[f.Group], f) })
	features := grouped[titleWords]
	for _, group := range grouped[titleWords+1:] {
		features = append(features, group...)
	}
	return features
}

// longestName is how many words of a name are looked at before "Agreement".
const longestName = 4

// eachFeature yields the features of a contract, with the words that each is
// made of.
func eachFeature(t Contract, yield func(f learn.Feature, words string)) {
	title, _ := t.subject()
	eachTitleFeature(title, yield)
	var (
		name       []word // words in capitals up to here, the last few
		proud      word   // the capitalised word before, if any
		afterSmall bool   // the word before is in small letters
		last       int
	)
	for w := range eachWord(t.Text) {
		if closesName(t.Text[last:w.start]) {
			name = name[:0]
		}
		if w.start > last+1 {
			proud, afterSmall = word{}, false
		}
		last = w.end
		words := t.Text[w.start:w.end]
		yield(learn.Feature{Key: learn.HashKey(learn.WordKey+textWords, w.hash), Group: textWords}, words)
		yield(learn.Feature{Key: learn.HashKey(learn.WordKey+tellingStems, w.stem), Group: tellingStems}, words)
		if !w.capital {
			if w.hash != andHash && w.hash != ofHash {
				name = name[:0]
			}
			proud, afterSmall = word{}, true
			continue
		}
		if w.hash == agreementHash || w.hash == contractHash {
			yieldName(t.Text, name, yield)
			name = name[:0]
		} else {
			if len(name) == longestName {
				name = append(name[:0], name[1:]...)
			}
			name = append(name, w)
		}
		if !afterSmall && proud.end == 0 {
			continue // it may open a sentence
		}
		yield(learn.Feature{Key: learn.HashKey(learn.WordKey+proudWords, w.hash), Group: proudWords}, words)
		if proud.end > 0 {
			yield(learn.Feature{Key: learn.HashKey(learn.PairKey+proudWords, lex.HashPair(proud.hash, w.hash)), Group: proudWords}, t.Text[proud.start:w.end])
		}
		proud, afterSmall = w, false
	}
}

func eachTitleFeature(title string, yield func(f learn.Feature, words string)) {
	var before word
	for w := range eachWord(title) {
		yield(learn.Feature{Key: learn.HashKey(learn.WordKey+titleWords, w.hash), Group: titleWords}, title[w.start:w.end])
		if before.end > 0 {
			yield(learn.Feature{Key: learn.HashKey(learn.PairKey+titleWords, lex.HashPair(before.hash, w.hash)), Group: titleWords}, title[before.start:w.end])
		}
		before = w
	}
}

// yieldName yields the words of the name of a contract, and pairs of them.
func yieldName(text string, name []word, yield func(f learn.Feature, words string)) {
	for i, w := range name {
		yield(learn.Feature{Key: learn.HashKey(learn.WordKey+namedWords, w.hash), Group: namedWords}, text[w.start:w.end])
		if i > 0 {
			before := name[i-1]
			yield(learn.Feature{Key: learn.HashKey(learn.PairKey+namedWords, lex.HashPair(before.hash, w.hash)), Group: namedWords}, text[before.start:w.end])
		}
	}
}

var andHash, ofHash, agreementHash, contractHash = lex.HashString("and"), lex.HashString("of"), lex.HashString("agreement"), lex.HashString("contract")

// closesName reports whether the characters between two words end a name.
func closesName(between string) bool {
	return len(between) > 1 && strings.ContainsAny(between, `.;:()"`)
}

// word is a word of a contract.
type word struct {
	start, end int
	hash       uint64 // of its form in small letters
	stem       uint64 // of that without its ending
	capital    bool   // it begins with one
}

// eachWord yields the words of text without numbers.
func eachWord(text string) func(yield func(word) bool) {
	return func(yield func(word) bool) {
		for i := 0; i < len(text); {
			start, end, broken, letter := lex.ScanWord(text, i)
			i = end
			if !letter || end-start > lex.MaxWord {
				continue
			}
			w := word{start: start, end: end, capital: text[start] >= 'A' && text[start] <= 'Z'}
			word := text[start:end]
			var plain bool
			if w.hash, plain = lex.HashLetters(word); plain {
				w.stem, _ = lex.HashLetters(word[:stemLength(word)])
			} else {
				if broken {
					word = lex.JoinLines(word, false)
				}
				word = lex.NormalizeWord(word)
				w.hash, w.stem = lex.HashString(word), lex.HashString(word[:stemLength(word)])
			}
			if !yield(w) {
				return
			}
		}
	}
}

// endings are what words of one stem end in, beside an s.
var endings = [...]string{"ation", "ment", "ing", "or", "er", "ee", "ed", "ie", "e", "y"}

// leastStem is how many bytes of a word its ending has to leave.
const leastStem = 4

// stemLength returns how many bytes of a word come before its ending. The stem is
// just precise enough to map "distributes" and "Distributors" to the same one.
func stemLength(word string) int {
	n := len(word)
	if n > leastStem && word[n-1]|0x20 == 's' {
		n--
	}
	for _, ending := range endings {
		from := n - len(ending)
		if from >= leastStem && word[n-1]|0x20 == ending[len(ending)-1] && strings.EqualFold(word[from:n], ending) {
			return from
		}
	}
	return n
}

// softmax makes logarithms of odds probabilities that add up to 1.
func softmax(logits []float64) {
	most := math.Inf(-1)
	for _, l := range logits {
		most = max(most, l)
	}
	sum := 0.0
	for i, l := range logits {
		logits[i] = math.Exp(l - most)
		sum += logits[i]
	}
	for i := range logits {
		logits[i] /= sum
	}
}
