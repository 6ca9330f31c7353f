package query

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// labelNames are what people call labels of the base model beside their names, in the
// singular. A phrase that stands for several labels is listed with each.
var labelNames = map[string][]string{
	"anti_assignment":                    {"assignment restriction", "restriction on assignment", "assignment", "no assignment"},
	"audit_rights":                       {"audit right", "audit", "inspection right"},
	"cap_on_liability":                   {"liability cap", "limitation of liability", "limit of liability", "limitation on liability", "limited liability", "limit on liability", "capped liability", "cap of liability", "liability limitation", "liability limit", "limitation to liability", "cap"},
	"change_of_control":                  {"change in control"},
	"covenant_not_to_sue":                {"no-challenge", "no-contest"},
	"exclusivity":                        {"exclusive dealing", "exclusive right", "exclusive licence", "exclusive license"},
	"insurance":                          {"insurance requirement"},
	"affiliate_license_licensee":         {"affiliate license", "license for affiliates"},
	"affiliate_license_licensor":         {"affiliate license", "license of affiliates"},
	"irrevocable_or_perpetual_license":   {"perpetual license", "irrevocable license"},
	"ip_ownership_assignment":            {"ip ownership", "ip clause", "ip clauses", "ip provision", "intellectual property clause", "intellectual property clauses", "ip assignment", "assignment of ip", "intellectual property assignment", "assignment of intellectual property"},
	"joint_ip_ownership":                 {"joint ownership", "joint ownership of ip"},
	"license_grant":                      {"grant of license", "license"},
	"liquidated_damages":                 {"contractual penalty", "penalty"},
	"minimum_commitment":                 {"minimum purchase", "purchase commitment", "volume commitment", "minimum order", "minimum volume", "take or pay", "take-or-pay"},
	"most_favored_nation":                {"mfn", "most favored customer", "best price"},
	"no_solicit_of_customers":            {"solicitation of customers", "non-solicitation", "non-solicit", "no-solicit", "customer non-solicitation", "non-solicit of customers", "non-solicitation of customers", "non-solicitation of clients", "solicitation of clients"},
	"no_solicit_of_employees":            {"solicitation of employees", "poaching", "non-solicitation", "non-solicit", "no-solicit", "no-hire", "employee non-solicitation", "non-solicit of employees", "non-solicitation of employees", "non-solicitation of staff"},
	"non_compete":                        {"covenant not to compete", "non-competition", "no-compete"},
	"notice_period_to_terminate_renewal": {"notice of non-renewal", "non-renewal notice"},
	"post_termination_services":          {"transition services", "exit assistance", "post-termination obligation"},
	"price_restrictions":                 {"price restriction", "price cap", "price limit"},
	"renewal_term":                       {"automatic renewal", "auto-renewal", "evergreen renewal", "automatic prolongation", "prolongation", "renewal"},
	"revenue_profit_sharing":             {"revenue share", "revenue sharing", "profit sharing", "profit share"},
	"rofr_rofo_rofn":                     {"right of first refusal", "right of first offer", "right of first negotiation", "rofr", "rofo", "rofn"},
	"source_code_escrow":                 {"escrow", "code escrow"},
	"termination_for_convenience":        {"termination without cause", "convenience termination", "termination at will"},
	"third_party_beneficiary":            {"third-party rights"},
	"uncapped_liability":                 {"unlimited liability"},
	"unlimited_license":                  {"enterprise license"},
	"warranty_duration":                  {"warranty", "warranty period"},
}

// labelPhrases are words that say of a contract that it has a label, without its name.
var labelPhrases = map[string][]string{
	"anti_assignment":             {"prohibit assignment", "prohibits assignment", "restrict assignment", "restricts assignment", "forbid assignment", "cannot be assigned without consent", "cannot be assigned without prior consent", "limit right to assign", "limits right to assign", "restrict right to assign", "restricts right to assign", "limit ability to assign", "restrict ability to assign", "limit assignment rights", "restrict assignment rights", "can only be assigned with consent", "assignable only with consent", "only assignable with consent", "cannot be assigned", "not assignable"},
	"audit_rights":                {"allow audits", "allow an audit", "permit audits", "permit an audit", "can be audited", "can audit", "may audit"},
	"cap_on_liability":            {"cap liability", "caps liability", "capping liability", "limit liability", "limits liability", "limiting liability", "capped", "liability is capped", "liability is limited", "is liability capped", "is liability limited"},
	"change_of_control":           {"restrict a change of control"},
	"exclusivity":                 {"exclusive"},
	"insurance":                   {"require insurance", "requires insurance", "require us to insure"},
	"ip_ownership_assignment":     {"assign ip", "assigns ip", "assign intellectual property", "assigns intellectual property", "assign the intellectual property", "transfer ip", "transfer intellectual property", "assign ownership of ip", "transfer ownership of ip"},
	"non_compete":                 {"prohibit competition", "restrict competition", "prevent competition", "forbid competition", "prohibit competing", "prevent us from competing", "prohibit us from competing", "stop us from competing", "restrict us from competing"},
	"revenue_profit_sharing":      {"share revenue", "share revenues", "share profits", "share profit"},
	"renewal_term":                {"roll over automatically", "roll over", "rolls over", "rolling over", "renew by themselves", "renews by itself", "self-renewing", "extend automatically", "extends automatically", "are extended automatically", "automatically extend", "auto-renew", "auto-renews", "auto-renewing", "automatically renew", "automatically renews", "automatically renewing", "renew automatically", "renews automatically", "renewing automatically", "renew themselves", "evergreen"},
	"termination_for_convenience": exits(),
	"uncapped_liability":          {"uncapped", "uncapped liability", "liability is uncapped", "liability is unlimited", "liability is not capped", "is liability uncapped", "is liability unlimited", "leave liability uncapped", "leaves liability uncapped", "leaving liability uncapped", "leave liability unlimited", "leaves liability unlimited", "leave liability open", "without limit of liability"},
}

// exits are the words that say that a contract can be ended without a reason.
func exits() []string {
	var list []string
	for _, why := range []string{"for convenience", "without cause", "without reason", "without giving reasons", "without giving a reason", "for no reason", "for any reason", "at will", "at any time"} {
		list = append(list, "terminable "+why, "allow termination "+why, "allows termination "+why, "permit termination "+why, "permits termination "+why)
		for _, end := range []string{"terminate", "cancel", "end", "exit", "leave", "get out of"} {
			list = append(list, "can "+end+" "+why, "can be "+verbOf(end).done+" "+why)
		}
	}
	return list
}

// consents are the words that say that a contract can be assigned with consent only.
func consents() []string {
	var list []string
	for _, need := range []string{"need", "needs", "require", "requires", "requiring", "needing"} {
		for _, whose := range []string{"", "the other party's ", "other party's ", "the counterparty's ", "our ", "their ", "prior ", "prior written ", "written "} {
			for _, act := range []string{"to assign", "to be assigned", "for assignment", "to assignment", "for an assignment", "to an assignment", "before assignment", "prior to assignment", "before they can be assigned", "before it can be assigned", "before we can assign", "before assigning"} {
				list = append(list, need+" "+whose+"consent "+act)
			}
		}
	}
	return list
}

// predicates say of a contract that it has a label whose name is an adjective with one of a few
// nouns: "the license is non-transferable" for a non-transferable license.
func predicates(o Option) []string {
	var list []string
	for _, name := range append([]string{lowerWords(o.Name)}, labelNames[o.Value]...) {
		for _, noun := range []string{"license", "liability", "assignment"} {
			if adjective, ok := strings.CutSuffix(name, " "+noun); ok && !strings.Contains(adjective, " ") && adjective != "no" && adjective != "ip" {
				list = append(list, noun+" is "+adjective, noun+"s are "+adjective)
			}
		}
	}
	return list
}

// LabelNames are what people call a label of the base model beside its name, and the
// words by which they say that a contract has it.
func LabelNames(label string) []string {
	return slices.Concat(labelNames[label], labelPhrases[label])
}

// typeNames are what people call document types, by words of the types' names.
var typeNames = map[string][]string{
	"non disclosure":    {"nda", "confidentiality agreement", "non-disclosure agreement"},
	"confidentiality":   {"nda", "confidentiality agreement", "non-disclosure agreement"},
	"lease":             {"lease", "tenancy agreement", "rental agreement"},
	"statement of work": {"sow", "statement of work"},
	"master service":    {"msa", "master agreement"},
	"master services":   {"msa", "master agreement"},
	"loan":              {"loan", "credit agreement", "facility agreement"},
	"license":           {"license"},
	"employment":        {"employment agreement", "employment contract"},
	"terms of service":  {"tos", "terms of use"},
}

// languages are the names of the languages that are told apart.
var languages = map[string]string{
	"english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it", "dutch": "nl", "portuguese": "pt", "polish": "pl",
	"swedish": "sv", "danish": "da", "finnish": "fi", "russian": "ru", "chinese": "zh", "japanese": "ja",
}

// nations are the laws that people call by an adjective.
var nations = map[string]string{
	"english": "England", "scottish": "Scotland", "irish": "Ireland", "british": "United Kingdom", "american": "United States",
	"german": "Germany", "french": "France", "swiss": "Switzerland", "austrian": "Austria", "dutch": "Netherlands", "belgian": "Belgium",
	"spanish": "Spain", "italian": "Italy", "portuguese": "Portugal", "polish": "Poland", "swedish": "Sweden", "danish": "Denmark", "norwegian": "Norway",
	"californian": "California", "tx": "Texas", "fl": "Florida", "nj": "New Jersey", "cali": "California", "calif": "California", "texan": "Texas", "welsh": "England and Wales", "czech": "Czech Republic", "greek": "Greece", "turkish": "Turkey", "singaporean": "Singapore", "brazilian": "Brazil", "mexican": "Mexico", "russian": "Russia", "ukrainian": "Ukraine",
	"hungarian": "Hungary", "romanian": "Romania", "bulgarian": "Bulgaria", "korean": "South Korea", "thai": "Thailand", "vietnamese": "Vietnam", "indonesian": "Indonesia", "malaysian": "Malaysia", "egyptian": "Egypt", "icelandic": "Iceland", "luxembourgish": "Luxembourg",
	"argentinian": "Argentina", "chilean": "Chile", "colombian": "Colombia", "nigerian": "Nigeria", "kenyan": "Kenya", "taiwanese": "Taiwan", "estonian": "Estonia", "latvian": "Latvia", "lithuanian": "Lithuania", "croatian": "Croatia", "slovak": "Slovakia", "maltese": "Malta",
	"finnish": "Finland", "canadian": "Canada", "australian": "Australia", "indian": "India", "chinese": "China", "japanese": "Japan", "israeli": "Israel",
}

// spellings are the ways in which a name is written: with hyphens, spaces or neither,
// in British and American spelling.
func spellings(name string) []string {
	name = lowerWords(name)
	list := []string{name}
	add := func(from, to string) {
		for _, one := range list {
			if other := strings.ReplaceAll(one, from, to); !slices.Contains(list, other) {
				list = append(list, other)
			}
		}
	}
	add("license", "licence")
	add("licence", "license")
	add("favored", "favoured")
	add("-", " ")
	add("non ", "non")
	if strings.Count(name, " ") == 2 || strings.Contains(name, "-") { // change-of-control
		for _, one := range list { // third-party beneficiary
			if strings.Count(one, " ") == 2 {
				list = append(list, strings.Replace(one, " ", "-", 1))
			}
		}
		add(" ", "-")
	}
	return list
}

// calling is a name with the option that it stands for.
type calling struct {
	name   string
	option Option
}

// joinsNoun reports whether what follows a noun says more of it.
func joinsNoun(rest string) bool {
	first, _, more := strings.Cut(rest, " ")
	return more && slices.Contains([]string{"of", "on", "to", "not", "for", "in", "without"}, first)
}

// callings are all names of options, the longest first; several options may go by one.
func callings(options []Option, more func(Option) []string) []calling {
	var list []calling
	for _, o := range options {
		if lowerWords(o.Name) == "" {
			continue
		}
		for _, name := range append([]string{o.Name}, more(o)...) {
			for _, spelling := range spellings(name) {
				words := []string{spelling, plural(spelling)}
				if head, rest, ok := strings.Cut(spelling, " "); ok && joinsNoun(rest) { // covenants not to sue
					words = append(words, plural(head)+" "+rest)
				} else if two := strings.SplitN(spelling, " ", 3); len(two) == 3 && joinsNoun(two[2]) {
					words = append(words, two[0]+" "+plural(two[1])+" "+two[2])
				}
				if len(spelling) <= len("rofr") { // NDA's, as people write
					words = append(words, spelling+"'s")
				}
				for _, word := range words {
					if c := (calling{word, o}); !slices.Contains(list, c) {
						list = append(list, c)
					}
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b calling) int { return len(b.name) - len(a.name) })
	return list
}

// namesOfType are what a document type is called beside its name: an agreement is a
// contract as well.
func namesOfType(o Option) []string {
	var list []string
	name := strings.ReplaceAll(lowerWords(o.Name), "-", " ")
	for words, names := range typeNames {
		if strings.Contains(" "+strings.ReplaceAll(name, "licence", "license")+" ", " "+words+" ") {
			list = append(list, names...)
		}
	}
	for _, last := range []string{" agreement", " contract"} {
		if stem, ok := strings.CutSuffix(lowerWords(o.Name), last); ok {
			list = append(list, stem+" agreement", stem+" contract")
		}
	}
	if initials := initialsOf(name); initials != "" {
		list = append(list, initials)
	}
	slices.Sort(list)
	return list
}

// initialsOf are those of a name that people use in its place: PO for a purchase order. Those of two
// words of which the second only says that it is an agreement stand for too much.
func initialsOf(name string) string {
	words := strings.Fields(name)
	if len(words) < 2 || len(words) == 2 && (words[1] == "agreement" || words[1] == "contract") {
		return ""
	}
	var initials strings.Builder
	for _, word := range words {
		if smallWords[word] {
			continue
		}
		first, _ := utf8.DecodeRuneInString(word)
		initials.WriteRune(first)
	}
	return initials.String()
}

// called consumes the longest name that is there, and gives all options that go by it.
func (p *parser) called(list []calling) []Option {
	for _, c := range list {
		if !p.take(c.name) {
			continue
		}
		var options []Option
		for _, other := range list {
			if other.name == c.name {
				options = append(options, other.option)
			}
		}
		return options
	}
	return nil
}

// clauseOf is what a clause would be called that a token which was not understood is the last word of,
// "data protection", "" where it is of none.
func (p *parser) clauseOf(at int) string {
	if at+1 >= len(p.tokens) || p.tokens[at].quoted || smallWords[p.tokens[at].lower] || !slices.Contains([]string{"clause", "clauses", "provision", "provisions"}, p.tokens[at+1].lower) {
		return ""
	}
	from := at
	for from > 0 && slices.Contains(p.lost, from-1) && !smallWords[p.tokens[from-1].lower] && at-from < longestTitle-1 {
		from--
	}
	return p.words(from, at+1)
}

// named are the words that were not understood, with what may have been meant by them
// and by those that follow.
func (p *parser) named() []Unknown {
	var list []Unknown
	for i, words := range p.unknown {
		u := Unknown{Words: words, Nearest: instead[lowerWords(words)]}
		u.Contrary = i < len(p.lost) && slices.Contains(p.contraries, p.lost[i])
		if i >= mostProposed || u.Contrary {
			list = append(list, u)
			continue
		}
		for n := min(longestName, len(p.tokens)); n > 0 && u.Nearest == "" && i < len(p.lost); n-- {
			if from := p.lost[i]; from+n <= len(p.tokens) {
				if u.Nearest = p.nearest(p.words(from, from+n)); strings.EqualFold(u.Nearest, words) {
					u.Nearest = ""
				}
			}
		}
		if u.Nearest == "" {
			u.Types = p.typesFor(words)
		}
		if i < len(p.lost) && u.Nearest == "" {
			u.Clause = p.clauseOf(p.lost[i])
		}
		if i < len(p.lost) && p.lost[i] > 0 && p.lost[i] < len(p.tokens) && capital(p.tokens[p.lost[i]]) {
			u.Party = slices.Contains([]string{"with", "between", "from", "by", "of", "for", "involving", "and", "or"}, p.tokens[p.lost[i]-1].lower) && len(p.find(Party, words)) == 0
		}
		list = append(list, u)
	}
	return list
}

// instead is what to ask in place of what no query can answer.
var instead = map[string]string{"percentage": "how many", "percent": "how many", "proportion": "how many", "share of": "how many", "ratio": "how many", "reviewed": "without facts to review", "unreviewed": "with facts to review", "signed": "with a signing date", "unsigned": "without a signing date"}

// mostTypes is how many types of documents are named where one is missing.
const mostTypes = 5

// typesFor are names of types of documents that there are, if words are what one is called
// that is not there.
func (p *parser) typesFor(words string) []string {
	words = lowerWords(words)
	for _, names := range typeNames {
		for _, name := range names {
			if words != name && words != plural(name) {
				continue
			}
			list := []string{}
			for _, o := range p.vocabulary.Values[DocumentType][:min(mostTypes, len(p.vocabulary.Values[DocumentType]))] {
				list = append(list, o.Name)
			}
			return append(list[:max(0, len(list)-2)], strings.Join(list[max(0, len(list)-2):], " and "))
		}
	}
	return nil
}

// foreignWords are short words of other languages that English does not have.
var foreignWords = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`der das den dem ein eine einen welche welcher welches wie viele verträge vertrag alle mit ohne nach und oder aus im ist sind wann wer zeige
		le les des du un une quels quelles quel quelle combien contrat contrats avec sans et ou qui sont qu'est-ce montre
		el los las del una qué que cuáles cuántos contratos contrato con sin y cuando este vencen
		il lo gli i della quali quanti contratti contratto senza nel che scadono
		het een welke hoeveel contracten zonder en van dat zijn toon
		quais quantos sem com os uma`) {
		set[w] = true
	}
	for _, w := range []string{"i", "den", "still", "lo", "dat"} {
		delete(set, w)
	}
	return set
}()

// Foreign reports whether a text has two words that English does not have.
func Foreign(text string) bool {
	n := 0
	for _, t := range tokens(text) {
		if foreignWords[strings.Trim(t.lower, "¿¡")] && !t.quoted {
			n++
		}
	}
	return n > 1
}

// foreign reports whether a question is of another language: two words of it are, or all
// that was not understood.
func (p *parser) foreign() bool {
	n := 0
	for _, t := range p.tokens {
		if foreignWords[strings.Trim(t.lower, "¿¡")] && !t.quoted && !capital(t) || foreignWords[strings.Trim(t.lower, "¿¡")] && t.start == p.tokens[0].start {
			n++
		}
	}
	return n > 1 || n > 0 && n == len(p.unknown)
}

// mostProposed is for how many words the nearest name is looked for.
const mostProposed = 10

// longestName is how many words a name has that is proposed.
const longestName = 4

// nearest is the name that differs in the fewest letters, at most in one of five.
func (p *parser) nearest(words string) string {
	words = lowerWords(words)
	best, least := "", len([]rune(words))/5+1
	try := func(name string) {
		if strings.TrimSuffix(name, "s") == words || strings.ReplaceAll(name, "-", " ") == words {
			return // it was not meant here
		}
		if diff := len(name) - len(words); diff >= 4*least || -diff >= 4*least { // bytes of as many letters
			return
		}
		if d := distance(words, name); d > 0 && d < least {
			best, least = name, d
		}
	}
	for _, n := range p.fields {
		try(n.name)
	}
	for _, list := range [][]calling{p.labels, p.types} {
		for _, c := range list {
			try(c.name)
		}
	}
	for _, name := range usual {
		try(name)
	}
	return best
}

// usual are words of questions that are often mistyped.
var usual = []string{"contracts", "agreements", "documents", "expiring", "expire", "uploaded", "without", "average", "between", "signed", "governed by"}

// distance is how many letters have to be put in, taken out or replaced.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		before := row[0]
		row[0] = i + 1
		for j := range y {
			change := before
			if x[i] != y[j] {
				change++
			}
			before, row[j+1] = row[j+1], min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
