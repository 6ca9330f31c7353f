package doctype

import (
	"slices"
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
)

// How much of what the base says counts where a contract is strange to it, so that none is
// likelier than all others together, and where it only says that it is attached to another:
// then a type has to have a probability of 0.9.
const (
	strangeTrust  = 0.4
	attachedTrust = 0.54
)

// trust is how much of what the base says of t counts.
func (m *Model) trust(t Contract) float64 {
	title, attached := t.subject()
	switch {
	case m.isStrange(title, t.Language):
		return strangeTrust
	case attached && title == "":
		return attachedTrust
	}
	return 1
}

// strangers are what contracts are called that the base has not seen. Without them it
// tells a lease that it is a franchise, by the words that it knows.
var strangers = []string{
	"lease", "sublease", "tenancy", "rental", "roommate", "employment", "offer letter", "loan", "credit agreement", "line of credit", "promissory", "mortgage", "note",
	"non disclosure", "nondisclosure", "confidentiality", "nda", "statement of work", "sow", "work order", "order form", "terms of service", "terms of use", "legal terms",
	"event terms", "terms and conditions", "terms conditions", "privacy", "cookie",
}

// neighbours are words of titles that say what the base knows, beside such: a "Master
// Services and Non-Disclosure Agreement" is one of services.
var neighbours = lex.Set("affiliate agency branding collaboration consulting development distribution distributor endorsement franchise hosting property joint license licence maintenance " +
	"manufacturing marketing competition compete outsourcing promotion reseller service services sponsorship alliance supply transportation software")

// isStrange reports whether the base cannot know the sort of a contract: by its title, or because
// it is in a language that the base does not read.
func (m *Model) isStrange(title, language string) bool {
	if language != "" && !lex.MaybeEnglish(language) {
		return true
	}
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !lex.IsWordRune(r) })
	title = " " + strings.Join(words, " ") + " "
	for _, name := range strangers {
		if !strings.Contains(title, " "+name+" ") || slices.Contains(m.types[:m.known], name) {
			continue
		}
		for _, word := range words {
			if word == "under" || word == "pursuant" {
				break // "Statement of Work under the Services Agreement" is none of services
			}
			if neighbours[word] && name != "terms of service" {
				return false
			}
		}
		return true
	}
	return false
}
