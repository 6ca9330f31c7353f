package nlp

import (
	"github.com/clausemill/clausemill/nlp/label"
	"github.com/clausemill/clausemill/nlp/lex"
)

// Language is one that texts are read in by rules of its own.
type Language struct {
	Code      string // ISO 639-1
	Name      string // in English
	Tesseract string // its code for recognition
	Labels    bool   // the base models label its sentences and predict types of its texts
}

// Languages returns those with rules for sentences, values, facts and stems. Of texts in
// others sentences follow Unicode's annex 29, and figures are read.
func Languages() []Language {
	list := []Language{
		{Code: "de", Name: "German", Tesseract: "deu"},
		{Code: "en", Name: "English", Tesseract: "eng"},
		{Code: "es", Name: "Spanish", Tesseract: "spa"},
		{Code: "fr", Name: "French", Tesseract: "fra"},
		{Code: "it", Name: "Italian", Tesseract: "ita"},
		{Code: "nl", Name: "Dutch", Tesseract: "nld"},
	}
	for i := range list {
		list[i].Labels = label.Reads(list[i].Code)
	}
	return list
}

// LanguageOf is the one of Languages that most of text is written in; false where it is
// none of them, or too short to tell.
func LanguageOf(text string) (Language, bool) {
	code := lex.DetectLanguage(text)
	for _, l := range Languages() {
		if l.Code == code {
			return l, true
		}
	}
	return Language{}, false
}
