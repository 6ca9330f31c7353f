package ocr

import (
	"slices"
	"strings"
)

// Latin is the script that all languages of the default models are written in.
const Latin = "Latin"

// models are those that read a script, by the name that Tesseract's detection gives it,
// the likeliest in a contract first.
var models = map[string][]string{
	"Arabic":     {"ara", "fas", "urd", "script/Arabic"},
	"Armenian":   {"hye", "script/Armenian"},
	"Bengali":    {"ben", "script/Bengali"},
	"Cyrillic":   {"rus", "ukr", "bul", "srp", "kaz", "bel", "mkd", "script/Cyrillic"},
	"Devanagari": {"hin", "mar", "nep", "script/Devanagari"},
	"Ethiopic":   {"amh", "script/Ethiopic"},
	"Georgian":   {"kat", "script/Georgian"},
	"Greek":      {"ell", "script/Greek"},
	"Gujarati":   {"guj", "script/Gujarati"},
	"Gurmukhi":   {"pan", "script/Gurmukhi"},
	"Han":        {"chi_sim", "chi_tra", "jpn", "script/HanS", "script/HanT"},
	"Hangul":     {"kor", "script/Hangul"},
	"Hebrew":     {"heb", "script/Hebrew"},
	"Japanese":   {"jpn", "script/Japanese"},
	"Kannada":    {"kan", "script/Kannada"},
	"Khmer":      {"khm", "script/Khmer"},
	"Korean":     {"kor", "script/Hangul"},
	"Lao":        {"lao", "script/Lao"},
	"Malayalam":  {"mal", "script/Malayalam"},
	"Myanmar":    {"mya", "script/Myanmar"},
	"Sinhala":    {"sin", "script/Sinhala"},
	"Tamil":      {"tam", "script/Tamil"},
	"Telugu":     {"tel", "script/Telugu"},
	"Thai":       {"tha", "script/Thai"},
	"Tibetan":    {"bod", "script/Tibetan"},
}

// ModelsOf names the models that read a script, the likeliest first; none of Latin, which
// many read, and of scripts that none reads.
func ModelsOf(script string) []string { return models[script] }

// mostModels bounds the models that a page is read with: each takes time and memory.
const mostModels = 2

// LanguagesOf is what a page in a script is read in where these models are installed; ""
// if none of them reads it.
func LanguagesOf(script string, installed []string) string {
	var found []string
	for _, model := range ModelsOf(script) {
		if slices.Contains(installed, model) && (len(found) == 0 || !strings.Contains(model, "/")) {
			found = append(found, model)
		}
	}
	return strings.Join(found[:min(len(found), mostModels)], "+")
}
