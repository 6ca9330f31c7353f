package answer

import (
	"slices"
	"strings"

	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/query"
)

// Kind is what sort of answer a question gets.
type Kind string

// The kinds.
const (
	Fact       Kind = "fact"       // what was read from the document: a date, a party, a law
	Clause     Kind = "clause"     // the clauses with a label
	Passages   Kind = "passages"   // what speaks of the words of the question
	Difference Kind = "difference" // how two documents differ
	Many       Kind = "documents"  // about many documents; package query answers it
)

// Kinds are all of them.
func Kinds() []Kind { return []Kind{Fact, Clause, Passages, Difference, Many} }

// Question is what was asked.
type Question struct {
	Kind   Kind
	Topics []Topic  // what it is about: several where it does not tell them apart
	Stems  []string // of its words, without those of grammar and of asking

	foreign bool // it is of another language
}

// MaxQuestion is how many characters of a question are read.
const MaxQuestion = 1000

// Ask reads a question. own are the labels and fields of the team.
func Ask(text string, own []Topic) Question {
	words := wordsOf(text)
	stems, stemmer := make([]string, len(words)), nlp.Stemmer{}
	q := Question{foreign: query.Foreign(text)}
	for i, word := range words {
		stems[i] = stemmer.Stem(word)
		if !grammar[word] && !slices.Contains(q.Stems, stems[i]) {
			q.Stems = append(q.Stems, stems[i])
		}
	}
	most := 0
	consider := func(t Topic) {
		switch asked := t.asked(words, stems); {
		case asked == 0 || asked < most:
		case asked > most:
			most, q.Topics = asked, []Topic{t}
		default:
			q.Topics = append(q.Topics, t)
		}
	}
	for _, t := range builtIn() {
		consider(t)
	}
	for _, t := range own {
		consider(newOwn(t))
	}
	switch {
	case ofMany(words):
		q.Kind = Many
	case ofDifference(words):
		q.Kind = Difference
	case len(q.Topics) == 0:
		q.Kind = Passages
	case slices.ContainsFunc(q.Topics, func(t Topic) bool { return len(t.Keys) > 0 }):
		q.Kind = Fact
	default:
		q.Kind = Clause
	}
	return q
}

// ofMany reports whether a question is about many documents: it asks which, how many or
// all of them.
func ofMany(words []string) bool {
	plural := func(word string) bool {
		return slices.Contains([]string{"contracts", "agreements", "documents", "files", "leases", "licenses", "ndas", "matters"}, word)
	}
	for i, word := range words {
		if !plural(word) {
			continue
		}
		before := words[:i]
		if i > 0 && (words[0] == "list" || words[0] == "show" || words[0] == "find" || words[0] == "count") {
			return true
		}
		for _, asks := range [][]string{{"which"}, {"how", "many"}, {"all"}, {"all", "our"}, {"all", "my"}, {"every"}, {"our"}, {"number", "of"}, {"what"}} {
			if len(before) >= len(asks) && slices.Equal(before[len(before)-len(asks):], asks) {
				return true
			}
		}
	}
	return false
}

// ofDifference reports whether a question asks how the document differs from the
// reference.
func ofDifference(words []string) bool {
	for i, word := range words {
		switch {
		case strings.HasPrefix(word, "differ"), strings.HasPrefix(word, "compar"), strings.HasPrefix(word, "deviat"), word == "versus", word == "reference" && i > 0 && words[i-1] != "by":
			return true
		case word == "changed" && slices.Contains(words[:i], "what"), word == "changes" && i > 0 && (words[i-1] == "what" || words[i-1] == "which" || words[i-1] == "the"):
			return true
		}
	}
	return false
}

// spelling are the words that one of a question stands for.
var spelling = map[string][]string{
	"licence": {"license"}, "licences": {"licenses"}, "licenced": {"licensed"}, "ip": {"intellectual", "property"}, "favoured": {"favored"}, "favourable": {"favorable"}, "noncompete": {"non", "compete"},
	"carveouts": {"carve", "outs"}, "carveout": {"carve", "out"}, "cancelled": {"canceled"}, "criticise": {"criticize"}, "autorenew": {"auto", "renew"},
}

// wordsOf are the words of a text in lower case and in one spelling; those with a hyphen
// are several.
func wordsOf(text string) []string {
	var words []string
	for word := range nlp.Words(text) {
		for part := range strings.SplitSeq(word, "-") {
			part = strings.TrimSuffix(part, "'s")
			if other, ok := spelling[part]; ok {
				words = append(words, other...)
			} else if part != "" {
				words = append(words, part)
			}
		}
	}
	return words
}

// grammar are words that say nothing of what a question is about.
var grammar = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`a about after all allow allowed allows already also am an and any anybody anyone anything are as asked at be been changed changes compare compared comparison differ difference differences different differently differs deviate deviates deviation reference versus being between but by can clause clauses come contain contains contract
		contracts could describe did do document documents does done either else ever everything explain file find for from get give given got had has have hello help here hi how i if in into is it its
		just know let like look looks made make may me mean means mention mentioned mentions might much must my need of on or other our out over permitted please provide provided provides provision provisions quote
		read regarding related requirement required said say says see shall she should show so some somebody something speak state stated states tell text than that the their them then there these they
		thing things this those to told under us use very want was we were what when where whether which who whom whose why will with within word words would you your agreement agreements section`) {
		set[word] = true
	}
	return set
}()
