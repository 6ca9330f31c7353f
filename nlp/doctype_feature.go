package nlp

import (
	"math"
	"strings"

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

// typeGroupWeights say how much each group counts.
var typeGroupWeights = [mostGroups]float64{titleWords: 1, textWords: 0.5, namedWords: 0.5, proudWords: 0.5, tellingStems: 0.5}

// typeFeatures returns the features of a contract, group by group.
func typeFeatures(t TypeText) []feature {
	var grouped [mostGroups][]feature
	grouped[textWords] = make([]feature, 0, len(t.Text)/6)
	grouped[tellingStems] = make([]feature, 0, len(t.Text)/6)
	eachTypeFeature(t, func(f feature, _ string) { grouped[f.group] = append(grouped[f.group], f) })
	features := grouped[titleWords]
	for _, group := range grouped[titleWords+1:] {
		features = append(features, group...)
	}
	return features
}

// longestTypeName is how many words of a name are looked at before "Agreement".
const longestTypeName = 4

// eachTypeFeature yields the features of a contract, with the words that each is
// made of.
func eachTypeFeature(t TypeText, yield func(f feature, words string)) {
	eachTitleFeature(t.Title, yield)
	var (
		name       []typeWord // words in capitals up to here, the last few
		proud      typeWord   // the capitalised word before, if any
		afterSmall bool       // the word before is in small letters
		last       int
	)
	for w := range typeWords(t.Text) {
		if closesName(t.Text[last:w.start]) {
			name = name[:0]
		}
		if w.start > last+1 {
			proud, afterSmall = typeWord{}, false
		}
		last = w.end
		words := t.Text[w.start:w.end]
		yield(feature{hashKey(one+textWords, w.hash), textWords}, words)
		yield(feature{hashKey(one+tellingStems, w.stem), tellingStems}, words)
		if !w.capital {
			if w.hash != andHash && w.hash != ofHash {
				name = name[:0]
			}
			proud, afterSmall = typeWord{}, true
			continue
		}
		if w.hash == agreementHash || w.hash == contractHash {
			yieldName(t.Text, name, yield)
			name = name[:0]
		} else {
			if len(name) == longestTypeName {
				name = append(name[:0], name[1:]...)
			}
			name = append(name, w)
		}
		if !afterSmall && proud.end == 0 {
			continue // it may open a sentence
		}
		yield(feature{hashKey(one+proudWords, w.hash), proudWords}, words)
		if proud.end > 0 {
			yield(feature{hashKey(two+proudWords, lex.HashPair(proud.hash, w.hash)), proudWords}, t.Text[proud.start:w.end])
		}
		proud, afterSmall = w, false
	}
}

func eachTitleFeature(title string, yield func(f feature, words string)) {
	var before typeWord
	for w := range typeWords(title) {
		yield(feature{hashKey(one+titleWords, w.hash), titleWords}, title[w.start:w.end])
		if before.end > 0 {
			yield(feature{hashKey(two+titleWords, lex.HashPair(before.hash, w.hash)), titleWords}, title[before.start:w.end])
		}
		before = w
	}
}

// yieldName yields the words of the name of a contract, and pairs of them.
func yieldName(text string, name []typeWord, yield func(f feature, words string)) {
	for i, w := range name {
		yield(feature{hashKey(one+namedWords, w.hash), namedWords}, text[w.start:w.end])
		if i > 0 {
			before := name[i-1]
			yield(feature{hashKey(two+namedWords, lex.HashPair(before.hash, w.hash)), namedWords}, text[before.start:w.end])
		}
	}
}

var andHash, ofHash, agreementHash, contractHash = lex.HashString("and"), lex.HashString("of"), lex.HashString("agreement"), lex.HashString("contract")

// closesName reports whether what stands between two words ends a name.
func closesName(between string) bool {
	return len(between) > 1 && strings.ContainsAny(between, `.;:()"`)
}

// typeWord is a word of a contract.
type typeWord struct {
	start, end int
	hash       uint64 // of its form in small letters
	stem       uint64 // of that without its ending
	capital    bool   // it begins with one
}

// typeWords yields the words of text without numbers.
func typeWords(text string) func(yield func(typeWord) bool) {
	return func(yield func(typeWord) bool) {
		for i := 0; i < len(text); {
			start, end, broken, letter := lex.ScanWord(text, i)
			i = end
			if !letter || end-start > lex.MaxWord {
				continue
			}
			w := typeWord{start: start, end: end, capital: text[start] >= 'A' && text[start] <= 'Z'}
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

// stemLength returns how many bytes of a word come before its ending. It is no
// more than tells "distributes" and "Distributors" to be of one kind.
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
