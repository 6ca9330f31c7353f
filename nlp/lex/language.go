package lex

import (
	"unicode"
	"unicode/utf8"

	"github.com/abadojack/whatlanggo"
)

const (
	// leastLanguage is the number of letters below which a guess is worth
	// nothing: four German words come out at a confidence of 0.4.
	leastLanguage = 60
	// sampleLanguage is how many bytes are looked at, in languageSamples places.
	sampleLanguage  = 3000
	languageSamples = 3
	sureLanguage    = 0.6
	// leastEnglish is the number of words from which a quarter of them being
	// small English ones settles it, at a hundredth of the cost.
	leastEnglish = 40
	// denseEnglish is as many where half of them are, which settles it for short texts.
	denseEnglish = 12
)

// DetectLanguage returns the ISO 639-1 code of the language that most of text is
// written in, or "" where it is too short or too mixed to tell.
func DetectLanguage(text string) string {
	sample := languageSample(text)
	if isEnglish(sample) {
		return "en"
	}
	letters := 0
	for _, r := range sample {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if letters < leastLanguage {
		return ""
	}
	info := whatlanggo.Detect(sample)
	if info.Confidence < sureLanguage {
		return ""
	}
	return info.Lang.Iso6391()
}

// MaybeEnglish reports whether a text in language, an ISO 639-1 code, is read by
// the rules for English: it is, or it does not tell.
func MaybeEnglish(language string) bool { return language == "" || language == "en" }

// isEnglish reports whether text is long enough and full enough of the small
// words of English to be nothing else.
func isEnglish(text string) bool {
	all, small := 0, 0
	for word := range Words(text, false) {
		all++
		if Stopwords[word] {
			small++
		}
	}
	return all >= leastEnglish && small*4 >= all || all >= denseEnglish && small*2 >= all
}

// languageSample takes pieces from the beginning, the middle and the end, so
// that a title page or an annex in another language does not decide.
func languageSample(text string) string {
	if len(text) <= sampleLanguage {
		return text
	}
	sample := make([]byte, 0, sampleLanguage+languageSamples)
	for i := range languageSamples {
		start := (len(text) - sampleLanguage/languageSamples) * i / (languageSamples - 1)
		for start < len(text) && !utf8.RuneStart(text[start]) {
			start++
		}
		end := min(len(text), start+sampleLanguage/languageSamples)
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end--
		}
		sample = append(append(sample, text[start:end]...), ' ')
	}
	return string(sample)
}
