package fact

import (
	"slices"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// Version names the rules of Extract. It is stored with their results
// and rises with every change that can move one.
const Version = 12

// Finding is a fact with its place in the text.
type Finding struct {
	lex.Span
	Key        value.Key   `json:"key"`
	Text       string      `json:"text"` // what the span covers, line breaks included
	Value      value.Value `json:"normalized"`
	Confidence float64     `json:"confidence"` // 0 to 1
}

// Attribute is a fact about the file, and the words that it was read from. Two
// attributes of a file have the same key only if both are parties, signatories or addresses.
type Attribute struct {
	Key        value.Key   `json:"key"`
	Value      value.Value `json:"normalized"`
	Confidence float64     `json:"confidence"` // 0 to 1
	Strength   float64     `json:"-"`          // how sure its rule is, by hand; Confidence is fitted to it
	Spans      []lex.Span  `json:"spans"`      // the best evidence first; at least one
}

// Attributes is what Extract finds.
type Attributes struct {
	File     []Attribute // about the whole file, parties in the order in which they are named
	Findings []Finding   // in order of their spans
}

// Extract reads the facts of a file from its text. Of German, French, Spanish, Italian
// and Dutch texts it takes the parties, dates, term, renewal and law that are said plainly; of
// other languages what needs none: figures of dates, money and percentages.
func Extract(s *structure.Segmentation) Attributes {
	gaps := make([]lex.Extent, len(s.Furniture))
	for i, f := range s.Furniture {
		gaps[i] = lex.Extent{Start: s.Offsets.Byte(f.Start), End: s.Offsets.Byte(f.End)}
	}
	t := value.NewTape(s.Language, s.Text, gaps)
	english := lex.MaybeEnglish(s.Language)
	found := value.Find(t, english)
	words := speech[s.Language]
	if !english && words == nil {
		return Attributes{Findings: findings(s, found)}
	}
	r := newFileReader(s, t, found)
	var parties, facts []fact
	sure := func(f fact) float64 { return f.confidence }
	if words != nil {
		parties, facts = words.read(r)
	} else {
		parties = r.parties()
		facts = r.facts(parties)
		resolve(found, facts)
		sure = r.calibrated
	}
	for _, p := range parties {
		found = append(found, value.Mention{Extent: p.evidence[0], Key: p.key, Value: p.value, Confidence: sure(p)})
	}
	return Attributes{File: attributes(s, facts, sure), Findings: findings(s, found)}
}

func findings(s *structure.Segmentation, list []value.Mention) []Finding {
	value.Sort(list)
	found := make([]Finding, len(list))
	for i, m := range list {
		found[i] = Finding{s.SpanOf(m.Extent), m.Key, s.Text[m.Start:m.End], m.Value, m.Confidence}
	}
	return found
}

func attributes(s *structure.Segmentation, facts []fact, sure func(fact) float64) []Attribute {
	list := make([]Attribute, len(facts))
	for i, f := range facts {
		list[i] = Attribute{Key: f.key, Value: f.value, Confidence: sure(f), Strength: f.confidence, Spans: make([]lex.Span, len(f.evidence))}
		for j, e := range f.evidence {
			list[i].Spans[j] = s.SpanOf(e)
		}
	}
	return list
}

// resolve gives dates that refer to the date of the agreement that date, if the
// agreement states it.
func resolve(found []value.Mention, facts []fact) {
	at := slices.IndexFunc(facts, func(f fact) bool { return f.key == value.AgreementDate })
	if at < 0 {
		return
	}
	for i := range found {
		if found[i].Value.Relative == string(value.AgreementDate) {
			found[i].Value.Date, found[i].Value.Readings = facts[at].value.Date, facts[at].value.Readings
		}
	}
}
