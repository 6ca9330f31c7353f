package fact

import (
	"strings"
	"time"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/value"
)

// phrases are the words by which a language other than English says the facts of an
// agreement plainly. What is said in another way is left out.
type phrases struct {
	between   []string // before the parties; several words are a phrase
	ends      []string // close the list of parties
	called    []string // before what a party is called
	agreement []string // what the agreement calls itself
	made      []string // it is made on a date
	signed    []string // before the place and the date of signatures, at the start of a line
	on        string   // between that place and the date
	effect    []string // verbs by which it takes effect, at a date behind them
	governs   []string // put it under a law
	negates   []string
}

// speech are the phrases by language, ISO 639-1.
var speech = map[string]*phrases{
	"de": {
		between: []string{"zwischen"}, ends: []string{"§", "präambel", "vorbemerkung", "vorbemerkungen"},
		called:    []string{"nachfolgend", "nachstehend", "folgenden", "genannt"},
		agreement: []string{"vertrag", "vertrages", "vertrags", "vereinbarung", "mietvertrag", "kaufvertrag", "liefervertrag", "dienstvertrag", "arbeitsvertrag", "werkvertrag", "rahmenvertrag", "lizenzvertrag", "mietverhältnis", "vertragsverhältnis", "nachtrag"},
		made:      []string{"geschlossen", "abgeschlossen", "unterzeichnet", "vom"},
		effect:    []string{"tritt", "beginnt", "gilt", "läuft", "wirksam"},
		governs:   []string{"unterliegt", "unterliegen", "gilt", "anwendung", "anzuwenden", "anwendbar", "maßgeblich", "maßgebend", "untersteht", "unterstehen", "richten", "richtet"},
		negates:   []string{"nicht", "kein", "keine", "keinen", "keiner"},
	},
	"fr": {
		between: []string{"entre"}, ends: []string{"préambule", "article", "convenu", "exposé"},
		called:    []string{"ci-après", "après", "dénommée", "dénommé", "désignée", "désigné"},
		agreement: []string{"contrat", "convention", "accord", "bail", "avenant"},
		made:      []string{"conclu", "conclue", "signé", "signée"}, signed: []string{"fait à"},
		effect:  []string{"effet", "vigueur", "débute", "commence"},
		governs: []string{"régi", "régie", "régis", "régies", "soumis", "soumise", "soumises", "applicable", "gouverné", "gouvernée"},
		negates: []string{"pas", "aucun", "aucune", "non"},
	},
	"es": {
		between: []string{"reunidos", "entre", "de una parte"}, ends: []string{"exponen", "manifiestan", "cláusulas", "primera"},
		called:    []string{"adelante", "denominada", "denominado", "denominará"},
		agreement: []string{"contrato", "acuerdo", "convenio"},
		made:      []string{"celebra", "celebrado", "suscrito", "suscribe", "firmado"}, signed: []string{"en"}, on: ", a",
		effect:  []string{"vigor", "efectos", "comienza", "comenzará", "inicia", "iniciará"},
		governs: []string{"regirá", "regirán", "rige", "rigen", "regido", "sometido", "someten", "somete", "aplicable", "aplicará", "regulará"},
		negates: []string{"no", "ninguna", "ningún"},
	},
	"it": {
		between: []string{"tra", "fra"}, ends: []string{"premesso", "premesse", "articolo"},
		called:    []string{"seguito", "denominata", "denominato", "detta"},
		agreement: []string{"contratto", "accordo", "convenzione", "locazione"},
		made:      []string{"stipulato", "stipulata", "sottoscritto", "concluso", "conclusa"},
		effect:    []string{"decorre", "decorrenza", "vigore", "effetto", "inizia", "inizio"},
		governs:   []string{"regolato", "regolata", "regolati", "disciplinato", "disciplinata", "soggetto", "soggetta", "retto", "applica", "applicabile", "sottoposto", "governato"},
		negates:   []string{"non", "nessuna", "nessun"},
	},
	"nl": {
		between: []string{"tussen", "ondergetekenden"}, ends: []string{"overwegende", "artikel", "overwegingen"},
		called:    []string{"hierna", "genoemd", "noemen"},
		agreement: []string{"overeenkomst", "contract", "huurovereenkomst", "koopovereenkomst", "arbeidsovereenkomst"},
		made:      []string{"gesloten", "aangegaan", "ondertekend"}, signed: []string{"aldus"},
		effect:  []string{"werking", "gaat", "ingangsdatum", "aanvang"},
		governs: []string{"toepassing", "beheerst", "toepasselijk", "onderworpen"},
		negates: []string{"niet", "geen"},
	},
}

// read reads the parties and all facts, parties among them.
func (p *phrases) read(r *fileReader) (parties, facts []fact) {
	parties = p.parties(r)
	facts = append(facts, parties...)
	for _, of := range []func(*fileReader) (fact, bool){p.agreementDate, p.effectiveDate, p.governingLaw} {
		if f, ok := of(r); ok {
			facts = append(facts, f)
		}
	}
	return parties, facts
}

// parties are the companies that are named behind "between", with what they are called.
func (p *phrases) parties(r *fileReader) []fact {
	const (
		reach = 260 // lexemes of a list of parties
		most  = 6
	)
	var best []fact
	for i := 0; i < r.opening && len(best) < enoughParties; i++ {
		next, ok := r.opens(i, p.between)
		if !ok {
			continue
		}
		in := stretch{next, min(next+reach, len(r.t.Lexemes))}
		for _, end := range p.ends {
			for at := in.first; at < in.next; at++ {
				if r.t.Is(at, end) && r.t.Newline(at) {
					in.next = at
				}
			}
		}
		if list := p.partiesIn(r, in, most); len(list) > len(best) {
			best = list
		}
	}
	if len(best) < enoughParties {
		for i := range best {
			best[i].confidence = 0.4
		}
	}
	return best
}

// opens reports whether one of list is at lexeme i, and returns what follows.
func (r *fileReader) opens(i int, list []string) (next int, ok bool) {
	for _, phrase := range list {
		if next, ok = r.t.Follows(i, phrase); ok {
			return next, true
		}
	}
	return i, false
}

// partiesIn returns the companies of a list. Who only represents one of them is none.
func (p *phrases) partiesIn(r *fileReader, in stretch, most int) []fact {
	var list []fact
	seen := map[string]bool{}
	named := r.mentions(value.Organization, in)
	for i, m := range named {
		name := normalizedName(m.Value.Name)
		if seen[name] || len(list) == most {
			continue
		}
		seen[name] = true
		end := in.next
		if i+1 < len(named) {
			end = r.t.Find(named[i+1].Start)
		}
		party := value.Value{Name: m.Value.Name}
		confidence := 0.6
		if alias := p.aliasIn(r, stretch{r.t.Find(m.End), end}); alias != "" {
			party.Aliases = []string{alias}
			confidence = 0.8
		}
		list = append(list, fact{value.Party, party, confidence, []lex.Extent{m.Extent}})
	}
	return list
}

// aliasIn returns what the party before a stretch is called in it: the words in
// quotation marks behind a word that says so.
func (p *phrases) aliasIn(r *fileReader, in stretch) string {
	const reach = 60
	in.next = min(in.next, in.first+reach)
	at := r.index(in, p.called...)
	if at < 0 {
		at = in.first
		for at < in.next && !r.t.Is(at, "(") {
			at++
		}
	}
	const near = 8
	for i := at; i < min(in.next, at+near); i++ {
		if !r.t.IsQuote(i) {
			continue
		}
		if words, next := r.quoted(i); next > i+1 {
			return strings.Trim(r.t.Quote(words.first, words.next), " ,.")
		}
	}
	return ""
}

// agreementDate is the date on which the agreement says that it is made, or else the
// one beside the place of its signatures.
func (p *phrases) agreementDate(r *fileReader) (fact, bool) {
	for _, in := range r.sentences {
		if in.first >= r.opening {
			break
		}
		for _, m := range p.dates(r, in) {
			if r.has(in, p.agreement...) && r.has(in, p.made...) {
				return fact{value.AgreementDate, m.Value, 0.8, []lex.Extent{m.Extent, r.t.Extent(in.first, in.next)}}, true
			}
		}
	}
	const reach = 8
	for _, m := range r.found {
		first := r.t.Find(m.Start)
		if m.Key != value.Date || len(m.Value.Date) < len(time.DateOnly) {
			continue
		}
		for at := max(0, first-reach); at < first; at++ {
			if _, ok := r.opens(at, p.signed); ok && r.t.Newline(at) && r.t.IsUpper(at) && p.precedes(r, first) {
				return fact{value.AgreementDate, m.Value, 0.6, []lex.Extent{m.Extent}}, true
			}
		}
	}
	return fact{}, false
}

// precedes reports whether what is between a place and a date is before lexeme i.
func (p *phrases) precedes(r *fileReader, i int) bool {
	words := len(strings.Fields(p.on))
	_, ok := r.t.Follows(i-words, p.on)
	return ok && i >= words
}

// dates returns those of a sentence that are whole.
func (p *phrases) dates(r *fileReader, in stretch) []value.Mention {
	var list []value.Mention
	for _, m := range r.mentions(value.Date, in) {
		if len(m.Value.Date) == len(time.DateOnly) {
			list = append(list, m)
		}
	}
	return list
}

// effectiveDate is the date behind the words by which the agreement takes effect.
func (p *phrases) effectiveDate(r *fileReader) (fact, bool) {
	const reach = 14
	for _, in := range r.sentences {
		if !r.has(in, p.agreement...) || r.has(in, p.negates...) {
			continue
		}
		for i := range r.each(in, p.effect...) {
			around := stretch{max(in.first, i-1), min(in.next, i+reach)}
			if list := p.dates(r, around); len(list) > 0 {
				return fact{value.EffectiveDate, list[0].Value, 0.75, []lex.Extent{list[0].Extent, r.t.Extent(in.first, in.next)}}, true
			}
		}
	}
	return fact{}, false
}

// governingLaw is the place whose law a sentence puts the agreement under. It is less
// sure where more than one is named, or something is denied.
func (p *phrases) governingLaw(r *fileReader) (fact, bool) {
	best := fact{}
	for _, in := range r.sentences {
		places := r.mentions(value.Jurisdiction, in)
		if len(places) == 0 || !r.has(in, p.governs...) {
			continue
		}
		confidence := 0.7
		if r.has(in, p.agreement...) || r.has(in, p.called...) {
			confidence = 0.9
		}
		for _, m := range places[1:] {
			if m.Value.Code != places[0].Value.Code {
				confidence = 0.45
			}
		}
		if r.has(in, p.negates...) {
			confidence = min(confidence, 0.4)
		}
		if confidence > best.confidence {
			best = fact{value.GoverningLaw, places[0].Value, confidence, []lex.Extent{places[0].Extent, r.t.Extent(in.first, in.next)}}
		}
	}
	return best, best.confidence > 0
}
