package score

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/nlp"
)

// Attribute is how often one attribute was right.
type Attribute struct {
	Name      string
	Precision Share // of what was answered
	Recall    Share // of what was asked for
	Misses    []Miss
}

// F1 is that of all answers.
func (a *Attribute) F1() float64 { return F1(a.Precision, a.Recall) }

// Miss is a contract in which an attribute was not wholly right.
type Miss struct {
	Contract    string
	Given, Want []string
}

// question is what an attribute is asked for, and how an answer is compared.
type question struct {
	name     string
	category string // of the annotations
	key      nlp.Key
	want     func(answer string) (values []string, ok bool) // ok is false where the answer is redacted
	read     func(nlp.Value) string
	same     func(a, b string) bool
}

var questions = []question{
	{"document name", "Document Name", nlp.DocumentName, wantName, func(v nlp.Value) string { return plainName(v.Name) }, equal},
	{"parties, exact", "Parties", nlp.Party, wantParties, func(v nlp.Value) string { return plainParty(v.Name) }, equal},
	{"parties, similar", "Parties", nlp.Party, wantParties, func(v nlp.Value) string { return plainParty(v.Name) }, similar},
	{"agreement date", "Agreement Date", nlp.AgreementDate, wantDate, dateOf, equal},
	{"effective date", "Effective Date", nlp.EffectiveDate, wantDate, dateOf, equal},
	{"expiration date", "Expiration Date", nlp.ExpirationDate, wantDate, dateOf, equal},
	{"governing law", "Governing Law", nlp.GoverningLaw, wantLaw, func(v nlp.Value) string { return plainLaw(v.Name) }, equal},
	{"renewal term", "Renewal Term", nlp.RenewalTerm, wantTerm, termOf, equal},
	{"notice period", "Notice Period to Terminate Renewal", nlp.NoticePeriod, wantTerm, termOf, equal},
}

// Attributes compares the attributes of files with the annotators' answers. An
// answer where they have none is wrong; their dates and terms with redacted
// parts are left out. Names are compared without case, punctuation and white
// space, those of parties also without the bracket behind them and with one
// spelling of Inc., Corp., Co. and Ltd.; dates as ISO 8601 writes them; laws by the
// name of the state or country; terms as number and unit, a year being twelve
// months.
func (c *Corpus) Attributes() []Attribute {
	scores := make([]Attribute, len(questions))
	for i, q := range questions {
		scores[i].Name = q.name
		for _, contract := range c.Contracts {
			want, ok := q.want(contract.Answers[q.category])
			if !ok {
				continue
			}
			var given []string
			for _, a := range contract.Facts.File {
				if a.Key == q.key {
					if text := q.read(a.Value); text != "" {
						given = append(given, text)
					}
				}
			}
			if !scores[i].compare(given, want, q.same) {
				scores[i].Misses = append(scores[i].Misses, Miss{contract.ID, given, want})
			}
		}
	}
	return scores
}

// compare counts, and reports whether all was right.
func (a *Attribute) compare(given, want []string, same func(a, b string) bool) bool {
	left, right := slices.Clone(want), 0
	for _, g := range given {
		at := slices.IndexFunc(left, func(w string) bool { return same(g, w) })
		a.Precision.add(at >= 0)
		if at >= 0 {
			left = slices.Delete(left, at, at+1)
			right++
		}
	}
	a.Recall.All += len(want)
	a.Recall.Right += right
	return right == len(given) && len(left) == 0
}

var (
	notAlphanumeric = regexp.MustCompile(`[^a-z0-9]+`)
	companyForms    = strings.NewReplacer("incorporated", "inc", "corporation", "corp", "company", "co", "limited", "ltd")
	aboutParties    = regexp.MustCompile(`(?i)^\(?\s*(?:each|individual|collective)|^[^("“]* and [^("“]*[("“].*part(?:y|ies)`)
	parenthesis     = regexp.MustCompile(`\([^)]*\)?`)
	usDate          = regexp.MustCompile(`^(\d{1,2})/(\d{1,2})/(\d{4})$`)
	lengthOfTime    = regexp.MustCompile(`(?i)\(?(\d+(?:\.\d+)?)\)?\s*(day|week|month|year)`)
	lawTitles       = strings.NewReplacer("state of", "", "province of", "", "republic of", "", "federal", "", "people's", "", ", canada", "", ", united kingdom", "", ", australia", "", " and ", " ", " or ", " ")
)

func plainName(s string) string {
	return strings.TrimSpace(notAlphanumeric.ReplaceAllString(strings.ToLower(s), " "))
}

func plainParty(s string) string {
	return companyForms.Replace(plainName(parenthesis.ReplaceAllString(s, " ")))
}

func plainLaw(s string) string { return plainName(lawTitles.Replace(strings.ToLower(s))) }

func equal(a, b string) bool { return a == b }

// similar is a substring, or most of the words.
func similar(a, b string) bool {
	if a == b || a != "" && b != "" && (strings.Contains(a, b) || strings.Contains(b, a)) {
		return true
	}
	x, y := strings.Fields(a), strings.Fields(b)
	common := 0
	for _, w := range x {
		if slices.Contains(y, w) {
			common++
		}
	}
	return float64(common) >= 0.6*float64(len(x)+len(y)-common)
}

func some(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func wantName(answer string) ([]string, bool) { return some(plainName(answer)), true }

// wantParties are the names in an answer, without what follows them in brackets.
func wantParties(answer string) ([]string, bool) {
	var names []string
	for part := range strings.SplitSeq(strings.TrimPrefix(answer, "("), ";") {
		if aboutParties.MatchString(strings.TrimSpace(part)) {
			continue
		}
		name := plainParty(part)
		if name != "" && !strings.HasPrefix(name, "each of the") && !strings.HasPrefix(name, "collectively") {
			names = append(names, name)
		}
	}
	return names, true
}

func wantDate(answer string) ([]string, bool) {
	if strings.Contains(answer, "[") {
		return nil, false
	}
	answer = strings.TrimSpace(strings.ToLower(answer))
	if m := usDate.FindStringSubmatch(answer); m != nil {
		return []string{fmt.Sprintf("%s-%02s-%02s", m[3], m[1], m[2])}, true
	}
	return some(answer), true
}

func dateOf(v nlp.Value) string {
	if v.Perpetual {
		return "perpetual"
	}
	return v.Date
}

func wantLaw(answer string) ([]string, bool) {
	return some(plainLaw(answer)), !strings.Contains(answer, "[")
}

func wantTerm(answer string) ([]string, bool) {
	if strings.Contains(answer, "[") {
		return nil, false
	}
	answer = strings.ToLower(answer)
	m := lengthOfTime.FindStringSubmatch(answer)
	if m == nil {
		return some(answer), true
	}
	return []string{term(m[1], m[2], strings.Contains(answer, "suc"))}, true
}

func termOf(v nlp.Value) string {
	switch {
	case v.Perpetual:
		return "perpetual"
	case v.Duration == "":
		return ""
	}
	return term(v.Duration[1:len(v.Duration)-1], v.Duration[len(v.Duration)-1:], v.Recurring)
}

// term writes a length of time in one unit, as far as there is one.
func term(number, unit string, successive bool) string {
	unit = strings.ToLower(unit[:1])
	if unit == "y" {
		var years float64
		if _, err := fmt.Sscan(number, &years); err == nil {
			number, unit = fmt.Sprintf("%g", 12*years), "m"
		}
	}
	prefix := ""
	if successive {
		prefix = "successive "
	}
	return prefix + number + unit
}
