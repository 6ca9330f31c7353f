package fact

import (
	"slices"
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/value"
)

// kind is a sort of agreement that has sums of its own.
type kind int

const (
	lease kind = iota + 1
	employment
	loan
)

// sumWords are the words by which a language says the sums of leases, employment
// contracts and loans.
type sumWords struct {
	kinds    map[kind]map[string]bool // in the name of an agreement, or parts in it
	cues     []sumCue
	adverbs  map[string]string // how often a sum is paid, before it: "monthly"
	units    map[string]string // behind "per"
	per      map[string]bool
	probing  []string // a trial
	resigns  []string // end employment or a tenancy
	notice   []string
	notTrial []string // sentences that are about something else than ordinary notice
	others   []string // phrases before a figure that is one of another agreement
	since    []string // beside a period that begins with a notice: "within 10 days of notice"

	instruments map[string]bool // those of kinds that are no parts of parties: "Credit Company"
	shares      []string        // behind a word of interest that is a share: "interest in Acme LLC"
	notShares   []string        // and behind these, when it is none: "interest in arrears"
}

// sumCue is what says which sum of money, or which rate, a figure is.
type sumCue struct {
	key     value.Key
	kind    kind
	said    []string // phrases before the figure, or close behind it
	not     []string // words near it that make it another sum
	sure    float64
	figures value.Key // Money, or Percentage of a rate
}

// sums are the words by language, ISO 639-1.
var sums = map[string]*sumWords{
	"en": {
		kinds: map[kind]map[string]bool{
			lease:      lex.Set("lease sublease tenancy rental roommate landlord tenant lessor lessee renter"),
			employment: lex.Set("employment employer employee executive"),
			loan:       lex.Set("loan credit note mortgage borrower lender maker"),
		},
		cues: []sumCue{
			{value.Rent, lease, []string{"rent", "rental"}, []string{"deposit", "late", "insurance", "abatement", "increase", "pet", "fee", "additional", "percentage", "holdover", "value", "aggregate", "estimated", "parking"}, 0.75, value.Money},
			{value.Deposit, lease, []string{"deposit"}, []string{"pet", "key", "keys", "escrow", "purchase", "non", "nonrefundable", "interest", "parking", "remote", "control"}, 0.75, value.Money},
			{value.Salary, employment, []string{"salary", "wage", "wages", "base compensation", "based compensation", "annual compensation", "base pay"}, []string{"bonus", "severance", "increase", "excess", "allowance", "target", "total", "reimburse", "reimbursed", "months", "insurance", "twice", "times"}, 0.75, value.Money},
			{value.Principal, loan, []string{"principal sum", "principal amount", "amount of the loan", "loan amount", "amount of loan"}, []string{"minimum", "less", "multiple", "undrawn", "fee", "prepay", "fiscal", "judgment", "installments", "payment", "payments"}, 0.75, value.Money},
			{value.Principal, loan, []string{"line of credit of", "loan of", "loan facility", "credit facility", "loan in the amount", "line of credit in the amount"}, []string{"minimum", "less", "multiple", "undrawn", "fee", "prepay", "fiscal", "judgment", "other"}, 0.6, value.Money},
			{value.InterestRate, loan, []string{"interest"}, []string{"plus", "above", "libor", "prime", "sofr", "eurodollar", "default", "late", "overdue", "past", "delinquent", "lesser", "greater", "maximum", "excess", "fee", "usury", "usurious", "controlling"}, 0.7, value.Percentage},
		},
		adverbs: map[string]string{"monthly": "P1M", "annual": "P1Y", "annually": "P1Y", "annualized": "P1Y", "yearly": "P1Y", "weekly": "P1W", "biweekly": "P2W", "bi-weekly": "P2W", "quarterly": "P3M", "hourly": "PT1H"},
		units:   map[string]string{"month": "P1M", "year": "P1Y", "annum": "P1Y", "week": "P1W", "quarter": "P3M", "hour": "PT1H", "day": "P1D"},
		per:     lex.Set("per a each every p"),
		probing: []string{"probation", "probationary"},
		resigns: []string{"terminate", "terminated", "terminates", "termination", "resign", "resignation", "end"}, notice: []string{"notice"},
		notTrial: []string{"breach", "default", "cure", "enter", "entry", "inspect", "probation", "probationary", "offer", "renew", "renewal", "cause", "insurance", "claim"},
		others: []string{"former", "previous", "prior tenant", "prior landlord", "prior lease", "prior employer", "prior employment", "prior loan", "prior note",
			"prior lender", "earlier tenant", "earlier lease", "earlier employer", "earlier loan", "earlier note"},
		since:       []string{"within", "after", "following", "receipt"},
		instruments: lex.Set("lease sublease tenancy rental employment loan credit note mortgage"),
		shares:      []string{"in"}, notShares: []string{"amount", "arrears", "advance"},
	},
	"de": {
		kinds: map[kind]map[string]bool{
			lease:      lex.Set("mietvertrag wohnungsmietvertrag gewerbemietvertrag untermietvertrag pachtvertrag vermieter mieter"),
			employment: lex.Set("arbeitsvertrag anstellungsvertrag dienstvertrag arbeitgeber arbeitnehmer"),
			loan:       lex.Set("darlehensvertrag kreditvertrag darlehen darlehensgeber darlehensnehmer kreditnehmer"),
		},
		cues: []sumCue{
			{value.Rent, lease, []string{"miete", "kaltmiete", "grundmiete", "nettokaltmiete", "mietzins", "gesamtmiete"}, []string{"kaution", "mietkaution", "nebenkosten", "betriebskosten", "erhöhung"}, 0.7, value.Money},
			{value.Deposit, lease, []string{"kaution", "mietkaution", "mietsicherheit"}, []string{"zinsen"}, 0.7, value.Money},
			{value.Salary, employment, []string{"gehalt", "bruttogehalt", "monatsgehalt", "jahresgehalt", "bruttomonatsgehalt", "bruttojahresgehalt", "vergütung", "bruttovergütung", "arbeitslohn"}, []string{"bonus", "abfindung", "vertragsstrafe", "überstunden"}, 0.7, value.Money},
			{value.Principal, loan, []string{"darlehen", "darlehensbetrag", "darlehenssumme", "kreditbetrag"}, []string{"rate", "raten", "gebühr"}, 0.7, value.Money},
			{value.InterestRate, loan, []string{"zinsen", "zinssatz", "verzinst", "verzinsen"}, []string{"verzug", "verzugszinsen", "basiszinssatz", "über"}, 0.7, value.Percentage},
		},
		adverbs: map[string]string{"monatlich": "P1M", "monatliche": "P1M", "monatliches": "P1M", "monatlichen": "P1M", "jährlich": "P1Y", "jährliche": "P1Y", "jährliches": "P1Y", "monatsgehalt": "P1M", "bruttomonatsgehalt": "P1M", "jahresgehalt": "P1Y", "bruttojahresgehalt": "P1Y"},
		units:   map[string]string{"monat": "P1M", "jahr": "P1Y", "stunde": "PT1H", "woche": "P1W", "a": "P1Y"},
		per:     lex.Set("pro im je p monatlich jährlich"),
		probing: []string{"probezeit"},
	},
	"fr": {
		kinds: map[kind]map[string]bool{
			lease:      lex.Set("bail location bailleur locataire preneur"),
			employment: lex.Set("travail employeur salarié salariée"),
			loan:       lex.Set("prêt crédit prêteur emprunteur"),
		},
		cues: []sumCue{
			{value.Rent, lease, []string{"loyer", "loyer mensuel", "loyer annuel"}, []string{"charges", "dépôt", "retard", "révision"}, 0.7, value.Money},
			{value.Deposit, lease, []string{"dépôt de garantie", "caution"}, nil, 0.7, value.Money},
			{value.Salary, employment, []string{"rémunération", "salaire", "appointements"}, []string{"prime", "indemnité"}, 0.7, value.Money},
			{value.Principal, loan, []string{"montant du prêt", "prêt", "somme", "principal"}, []string{"mensualités", "échéances", "frais"}, 0.7, value.Money},
			{value.InterestRate, loan, []string{"intérêt", "intérêts", "taux"}, []string{"retard", "défaut", "pénalité", "majoré"}, 0.7, value.Percentage},
		},
		adverbs: map[string]string{"mensuel": "P1M", "mensuelle": "P1M", "annuel": "P1Y", "annuelle": "P1Y", "mensuellement": "P1M"},
		units:   map[string]string{"mois": "P1M", "an": "P1Y", "année": "P1Y", "heure": "PT1H", "semaine": "P1W"},
		per:     lex.Set("par"),
		probing: []string{"essai", "d'essai", "d’essai"},
	},
	"es": {
		kinds: map[kind]map[string]bool{
			lease:      lex.Set("arrendamiento alquiler arrendador arrendatario inquilino"),
			employment: lex.Set("trabajo laboral empleador trabajador trabajadora"),
			loan:       lex.Set("préstamo crédito prestamista prestatario"),
		},
		cues: []sumCue{
			{value.Rent, lease, []string{"renta", "alquiler", "precio del arrendamiento"}, []string{"fianza", "gastos", "mora", "actualización"}, 0.7, value.Money},
			{value.Deposit, lease, []string{"fianza", "depósito"}, nil, 0.7, value.Money},
			{value.Salary, employment, []string{"salario", "retribución", "remuneración", "sueldo"}, []string{"indemnización", "bono"}, 0.7, value.Money},
			{value.Principal, loan, []string{"préstamo", "principal", "capital", "importe del préstamo"}, []string{"cuotas", "comisión"}, 0.7, value.Money},
			{value.InterestRate, loan, []string{"interés", "intereses"}, []string{"demora", "mora"}, 0.7, value.Percentage},
		},
		adverbs: map[string]string{"mensual": "P1M", "mensuales": "P1M", "anual": "P1Y", "anuales": "P1Y"},
		units:   map[string]string{"mes": "P1M", "año": "P1Y", "hora": "PT1H", "semana": "P1W", "mensuales": "P1M", "anuales": "P1Y", "anual": "P1Y"},
		per:     lex.Set("al por cada"),
		probing: []string{"prueba"},
	},
	"it": {
		kinds: map[kind]map[string]bool{
			lease:      lex.Set("locazione affitto locatore conduttore inquilino"),
			employment: lex.Set("lavoro datore lavoratore dipendente"),
			loan:       lex.Set("mutuo prestito finanziamento mutuante mutuatario"),
		},
		cues: []sumCue{
			{value.Rent, lease, []string{"canone", "affitto", "pigione"}, []string{"deposito", "oneri", "mora"}, 0.7, value.Money},
			{value.Deposit, lease, []string{"deposito cauzionale", "cauzione"}, nil, 0.7, value.Money},
			{value.Salary, employment, []string{"retribuzione", "stipendio", "salario", "compenso"}, []string{"indennità", "premio"}, 0.7, value.Money},
			{value.Principal, loan, []string{"mutuo", "prestito", "capitale", "somma"}, []string{"rate", "spese"}, 0.7, value.Money},
			{value.InterestRate, loan, []string{"interesse", "interessi", "tasso"}, []string{"mora", "ritardo"}, 0.7, value.Percentage},
		},
		adverbs: map[string]string{"mensile": "P1M", "mensili": "P1M", "annuo": "P1Y", "annua": "P1Y", "annuale": "P1Y", "annui": "P1Y"},
		units:   map[string]string{"mese": "P1M", "anno": "P1Y", "ora": "PT1H", "settimana": "P1W"},
		per:     lex.Set("al all per ogni"),
		probing: []string{"prova"},
	},
	"nl": {
		kinds: map[kind]map[string]bool{
			lease:      lex.Set("huurovereenkomst huurcontract verhuurder huurder"),
			employment: lex.Set("arbeidsovereenkomst arbeidscontract werkgever werknemer"),
			loan:       lex.Set("geldlening lening leningsovereenkomst kredietovereenkomst lener uitlener geldgever geldnemer"),
		},
		cues: []sumCue{
			{value.Rent, lease, []string{"huur", "huurprijs", "kale huur", "maandhuur"}, []string{"waarborgsom", "borg", "servicekosten"}, 0.7, value.Money},
			{value.Deposit, lease, []string{"waarborgsom", "borg", "borgsom"}, nil, 0.7, value.Money},
			{value.Salary, employment, []string{"salaris", "maandsalaris", "brutosalaris", "loon", "uurloon", "jaarsalaris"}, []string{"boete", "bonus"}, 0.7, value.Money},
			{value.Principal, loan, []string{"hoofdsom", "lening", "bedrag van", "geleende bedrag"}, []string{"termijnen", "eindtermijn", "kosten"}, 0.7, value.Money},
			{value.InterestRate, loan, []string{"rente", "rentepercentage"}, []string{"verzuim", "vertraging", "boete"}, 0.7, value.Percentage},
		},
		adverbs: map[string]string{"maandelijks": "P1M", "maandelijkse": "P1M", "jaarlijks": "P1Y", "jaarlijkse": "P1Y", "maandsalaris": "P1M", "jaarsalaris": "P1Y", "maandhuur": "P1M", "uurloon": "PT1H"},
		units:   map[string]string{"maand": "P1M", "jaar": "P1Y", "uur": "PT1H", "week": "P1W"},
		per:     lex.Set("per"),
		probing: []string{"proeftijd"},
	},
}

// sumsOf reads the sums that agreements of a kind have: rent and deposit, salary and
// trial, principal and interest. Of other agreements it reads none, so that a salary
// that a supply agreement speaks of is no fact of it.
func (r *fileReader) sumsOf(words *sumWords, name string, parties []fact) []fact {
	if words == nil {
		return nil
	}
	kinds := r.kindsOf(words, name, parties)
	var list []fact
	for _, cue := range words.cues {
		if !kinds[cue.kind] {
			continue
		}
		f, ok := r.sum(words, cue)
		at := slices.IndexFunc(list, func(f fact) bool { return f.key == cue.key })
		switch {
		case ok && at < 0:
			list = append(list, f)
		case ok && f.confidence > list[at].confidence:
			list[at] = f
		}
	}
	if kinds[employment] {
		if f, ok := r.trial(words); ok {
			list = append(list, f)
		}
	}
	return list
}

// kindsOf is which sorts of agreement this is: by its name, the parts of its parties and,
// where it has no name or its language none that is read, the first words.
func (r *fileReader) kindsOf(words *sumWords, name string, parties []fact) map[kind]bool {
	const reach = 150
	kinds := map[kind]bool{}
	for k, set := range words.kinds {
		says := func(s string, not map[string]bool) bool {
			return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(s), func(c rune) bool { return !lex.IsWordRune(c) }), func(word string) bool { return set[word] && !not[word] })
		}
		kinds[k] = says(name, nil) || slices.ContainsFunc(parties, func(f fact) bool { return says(f.value.Role, words.instruments) })
		for i := 0; i < reach && (name == "" || len(parties) == 0) && !kinds[k]; i++ {
			kinds[k] = set[r.lower(i)]
		}
	}
	return kinds
}

// Around a figure, in lexemes.
const (
	cueBefore  = 20
	cueBehind  = 6
	cueHeading = 6
)

// ambiguous bounds the confidence in a sum beside which the words have others, too.
const ambiguous = 0.6

// sum finds the first figure that the words of a cue are beside, one with what it is paid
// for before others. Which of several it is cannot be told.
func (r *fileReader) sum(words *sumWords, cue sumCue) (fact, bool) {
	best, several := fact{}, false
	for _, in := range r.sentences {
		for _, m := range r.mentions(cue.figures, in) {
			at, next := r.t.Find(m.Start), r.t.Find(m.End)
			said, ok := r.saidBeside(words, cue, in, at, next)
			if !ok {
				continue
			}
			v, confidence := m.Value, min(cue.sure, m.Confidence)
			if cue.key != value.Deposit && cue.key != value.Principal {
				if v.Period = r.periodOf(words, said, at, next); v.Period == "" {
					confidence -= 0.25
				}
			}
			several = several && confidence <= best.confidence || confidence == best.confidence && v.String() != best.value.String()
			if confidence > best.confidence {
				best = fact{cue.key, v, confidence, []lex.Extent{m.Extent, r.t.Extent(in.first, in.next)}}
			}
		}
	}
	if several {
		best.confidence = min(best.confidence, ambiguous)
	}
	return best, best.confidence > 0
}

// saidBeside returns where the words of a cue are that the figure between two lexemes
// belongs to.
func (r *fileReader) saidBeside(words *sumWords, cue sumCue, in stretch, at, next int) (int, bool) {
	near := stretch{max(in.first, at-cueBefore), min(in.next, next+cueBehind)}
	if at <= in.first+1 {
		near.first = max(0, at-cueHeading) // "Annual Compensation", and the figure below it
	}
	said := -1
	for i := near.first; i < at; i++ {
		if end, ok := r.opens(i, cue.said); ok && end <= at && !r.isShare(words, cue, end) {
			said = i
		}
	}
	if said < 0 {
		for i := next; i < near.next && said < 0; i++ {
			if end, ok := r.opens(i, cue.said); ok && !r.isShare(words, cue, end) {
				said = i
			}
		}
	}
	if said < 0 {
		return 0, false
	}
	for i := near.first; i < at; i++ {
		if _, ok := r.opens(i, words.others); ok {
			return 0, false
		}
	}
	const around = 4
	return said, !r.has(stretch{max(near.first, min(said, at)-around), min(near.next, max(next+around, said+1))}, cue.not...)
}

// isShare reports whether the interest that ends at a lexeme is a share of something.
func (r *fileReader) isShare(words *sumWords, cue sumCue, end int) bool {
	const behind = 4
	return cue.key == value.InterestRate && slices.Contains(words.shares, r.lower(end)) && !r.has(stretch{end, end + behind}, words.notShares...)
}

// periodOf is what the sum between two lexemes is paid for, as ISO 8601 writes it: a
// month where "per month" is behind it, or "monthly" before it.
func (r *fileReader) periodOf(words *sumWords, said, at, next int) string {
	const behind, before = 5, 6
	for i := next; i < next+behind; i++ {
		if r.t.Is(i, ".", ";") && !r.t.Glued(i+1) || r.t.Apart(i) {
			break
		}
		if period := words.units[r.lower(i+1)]; period != "" && (words.per[r.lower(i)] || r.t.Is(i, "/")) {
			return period
		}
		if r.t.Is(i, "/") && words.units[r.lower(i+1)] != "" {
			return words.units[r.lower(i+1)]
		}
	}
	for i := at - 1; i >= max(0, min(said, at)-before); i-- {
		if period := words.adverbs[r.lower(i)]; period != "" {
			if r.t.Is(i, "weekly") && r.t.Is(i-1, "-") && r.t.Is(i-2, "bi") {
				return words.adverbs["biweekly"]
			}
			return period
		}
	}
	if period := words.adverbs[r.lower(next)]; period != "" {
		return period
	}
	return ""
}

// trial is how long an employee is on probation.
func (r *fileReader) trial(words *sumWords) (fact, bool) {
	const reach = 12
	for _, in := range r.sentences {
		at := r.index(in, words.probing...)
		if at < 0 {
			continue
		}
		for _, m := range r.mentions(value.Period, stretch{max(in.first, at-reach), min(in.next, at+reach)}) {
			if !r.has(stretch{r.t.Find(m.End), min(in.next, r.t.Find(m.End)+3)}, words.notice...) {
				return fact{value.ProbationPeriod, m.Value, 0.7, []lex.Extent{m.Extent, r.t.Extent(in.first, in.next)}}, true
			}
		}
	}
	return fact{}, false
}

// endingNotice is the notice by which employment or a tenancy is ended, where the
// agreement is not renewed and has no notice against that.
func (r *fileReader) endingNotice(words *sumWords, name string, parties []fact) (fact, bool) {
	const behind, before = 4, 3
	kinds := r.kindsOf(words, name, parties)
	if !kinds[employment] && !kinds[lease] {
		return fact{}, false
	}
	for _, in := range r.sentences {
		if !r.has(in, words.resigns...) && !r.has(in, words.notice...) || r.has(in, words.notTrial...) {
			continue
		}
		for _, m := range r.mentions(value.Period, in) {
			at, next := r.t.Find(m.Start), r.t.Find(m.End)
			notice := r.index(stretch{next, min(in.next, next+behind)}, words.notice...)
			if notice >= 0 && !r.has(stretch{max(in.first, at-before), notice}, words.since...) {
				return fact{value.NoticePeriod, m.Value, 0.5, []lex.Extent{m.Extent, r.t.Extent(in.first, in.next)}}, true
			}
		}
	}
	return fact{}, false
}
