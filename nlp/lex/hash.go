package lex

// The numbers of the hash of Fowler, Noll and Vo.
const (
	hashStart  = 14695981039346656037
	hashFactor = 1099511628211
)

// HashString is that hash of s.
func HashString(s string) uint64 {
	h := uint64(hashStart)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashFactor
	}
	return h
}

// HashLetters is HashString of a word in small letters, without making it, where
// it has none but the letters of English.
func HashLetters(word string) (hash uint64, ok bool) {
	hash = hashStart
	for i := range len(word) {
		c := word[i] | 0x20
		if c < 'a' || c > 'z' {
			return 0, false
		}
		hash = (hash ^ uint64(c)) * hashFactor
	}
	return hash, true
}

// HashPair is a hash of two, in their order.
func HashPair(first, second uint64) uint64 { return first*0x9e3779b97f4a7c15 + second }

// HashWord is that of a word as ScanWord finds it: in small letters and mended, if
// it has a letter, and as it stands if it is a number.
func HashWord(word string, broken, letter bool) uint64 {
	if !letter {
		return HashString(word)
	}
	if h, plain := HashLetters(word); plain {
		return h
	}
	if broken {
		word = JoinLines(word, false)
	}
	return HashString(NormalizeWord(word))
}
