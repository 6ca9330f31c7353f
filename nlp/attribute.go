package nlp

import (
	"cmp"
	"slices"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
)

// AttributeVersion names the rules of Extract. It is stored with their results
// and rises with every change that can move one.
const AttributeVersion = 4

// Key says what an attribute is about.
type Key string

// What stands in a span of the file.
const (
	Date         Key = "date"
	Period       Key = "duration"
	Money        Key = "money"
	Percentage   Key = "percentage"
	Jurisdiction Key = "jurisdiction"
	Organization Key = "organization"
	Person       Key = "person"
	Address      Key = "address"
	Party        Key = "party" // also at file level
)

// What holds for the file as a whole.
const (
	DocumentName   Key = "document_name"
	AgreementDate  Key = "agreement_date"
	EffectiveDate  Key = "effective_date"
	ExpirationDate Key = "expiration_date"
	InitialTerm    Key = "initial_term"
	RenewalTerm    Key = "renewal_term"
	NoticePeriod   Key = "notice_period"
	GoverningLaw   Key = "governing_law"
	ContractValue  Key = "contract_value"
)

// Value is what words say, apart from how they say it. Each key fills fields of
// its own; what the words leave open stays empty.
type Value struct {
	Name      string   `json:"name,omitempty"`      // of a document, party, person, organization or jurisdiction; an address on one line
	Code      string   `json:"code,omitempty"`      // ISO 3166 of a jurisdiction: "US-NY", "DE"
	Role      string   `json:"role,omitempty"`      // what the contract calls a party by its part: "Licensor"
	Aliases   []string `json:"aliases,omitempty"`   // what else the contract calls a party
	Date      string   `json:"date,omitempty"`      // ISO 8601, cut to what is known: "2020-01-05", "2020-01", "2020"
	Relative  string   `json:"relative,omitempty"`  // the date that a date is named by: "agreement_date"
	Readings  []string `json:"readings,omitempty"`  // of words that can be read in more ways than one; Date or Amount is then empty
	Duration  string   `json:"duration,omitempty"`  // ISO 8601: "P30D", "P2W", "P6M", "P1Y"
	Business  bool     `json:"business,omitempty"`  // the days are business days
	Recurring bool     `json:"recurring,omitempty"` // the term is renewed again and again
	Times     int      `json:"times,omitempty"`     // how often it can be, where that is said
	Perpetual bool     `json:"perpetual,omitempty"` // until somebody ends it
	Amount    string   `json:"amount,omitempty"`    // decimal, with a stop: "1250.00"; of a percentage, percent
	Currency  string   `json:"currency,omitempty"`  // ISO 4217
}

// Finding is a fact that stands in the text.
type Finding struct {
	lex.Span
	Key        Key     `json:"key"`
	Text       string  `json:"text"` // what the span covers, line breaks included
	Value      Value   `json:"normalized"`
	Confidence float64 `json:"confidence"` // 0 to 1
}

// Attribute is a fact about the file, and the words that it was read from. Two
// attributes of a file have the same key only if both are parties.
type Attribute struct {
	Key        Key        `json:"key"`
	Value      Value      `json:"normalized"`
	Confidence float64    `json:"confidence"` // 0 to 1
	Spans      []lex.Span `json:"spans"`      // the telling words first; at least one
}

// Attributes is what Extract finds.
type Attributes struct {
	File     []Attribute // about the whole file, parties in the order in which they are named
	Findings []Finding   // in order of their spans
}

// mention is a Finding while it is being found.
type mention struct {
	lex.Extent
	key        Key
	value      Value
	confidence float64
}

// extractor finds facts of one sort. It must not panic on any tape, and every
// mention must lie within its text.
type extractor interface {
	extract(t *tape) []mention
}

// extractors run over every file, those of anyLanguage whatever its language.
// The file level is read from what they find.
var (
	anyLanguage = []extractor{dates{}, amounts{}, percentages{}}
	extractors  = []extractor{periods{}, jurisdictions{}, organizations{}, persons{}, addresses{}}
)

// Extract reads the facts of a file from its text. Of a text in a language
// other than English it takes what needs no language: figures of dates, money
// and percentages.
func Extract(s *structure.Segmentation) Attributes {
	t := newTape(s)
	found := mentionsOf(t, anyLanguage)
	if !lex.MaybeEnglish(s.Language) {
		return Attributes{Findings: findings(s, found)}
	}
	found = append(found, mentionsOf(t, extractors)...)
	sortMentions(found)
	r := newFileReader(s, t, found)
	parties := r.parties()
	facts := r.facts(parties)
	resolve(found, facts)
	for _, p := range parties {
		found = append(found, mention{p.evidence[0], p.key, p.value, p.confidence})
	}
	return Attributes{File: attributes(s, facts), Findings: findings(s, found)}
}

func mentionsOf(t *tape, list []extractor) []mention {
	var found []mention
	for _, e := range list {
		found = append(found, e.extract(t)...)
	}
	return found
}

func sortMentions(list []mention) {
	slices.SortStableFunc(list, func(a, b mention) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.key, b.key))
	})
}

func findings(s *structure.Segmentation, list []mention) []Finding {
	sortMentions(list)
	found := make([]Finding, len(list))
	for i, m := range list {
		found[i] = Finding{s.SpanOf(m.Extent), m.key, s.Text[m.Start:m.End], m.value, m.confidence}
	}
	return found
}

func attributes(s *structure.Segmentation, facts []fact) []Attribute {
	list := make([]Attribute, len(facts))
	for i, f := range facts {
		list[i] = Attribute{Key: f.key, Value: f.value, Confidence: f.confidence, Spans: make([]lex.Span, len(f.evidence))}
		for j, e := range f.evidence {
			list[i].Spans[j] = s.SpanOf(e)
		}
	}
	return list
}

// resolve gives the dates that are named by the date of the agreement that
// date, if the agreement tells it.
func resolve(found []mention, facts []fact) {
	at := slices.IndexFunc(facts, func(f fact) bool { return f.key == AgreementDate })
	if at < 0 {
		return
	}
	for i := range found {
		if found[i].value.Relative == string(AgreementDate) {
			found[i].value.Date, found[i].value.Readings = facts[at].value.Date, facts[at].value.Readings
		}
	}
}
