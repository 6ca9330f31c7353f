package nlp

// The numbers of the hash of Fowler, Noll and Vo.
const (
	hashStart  = 14695981039346656037
	hashFactor = 1099511628211
)

// hashString is that hash of s.
func hashString(s string) uint64 {
	h := uint64(hashStart)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashFactor
	}
	return h
}

// hashLetters is hashString of a word in small letters, without making it, where
// it has none but the letters of English.
func hashLetters(word string) (hash uint64, ok bool) {
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

// hashPair is a hash of two, in their order.
func hashPair(first, second uint64) uint64 { return first*0x9e3779b97f4a7c15 + second }

// hashWord is that of a word as scanWord finds it: in small letters and mended, if
// it has a letter, and as it stands if it is a number.
func hashWord(word string, broken, letter bool) uint64 {
	if !letter {
		return hashString(word)
	}
	if h, plain := hashLetters(word); plain {
		return h
	}
	if broken {
		word = joinLines(word, false)
	}
	return hashString(normalizeWord(word))
}
