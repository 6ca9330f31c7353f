package nlp

import "github.com/clausemill/clausemill/nlp/label"

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
