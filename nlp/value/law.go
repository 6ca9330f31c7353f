package value

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/clausemill/clausemill/nlp/lex"
)

// laws finds in languages other than English the places whose law a text speaks of:
// "Recht der Schweiz", "droit français", "leyes de España".
type laws struct{ *lawWords }

// otherNames are what countries are called beside their names in CLDR.
var otherNames = map[string]string{
	"de": "GB Großbritannien; GB Vereinigten Königreichs; GB Vereinigten Königreiches; GB Vereinigten Königreich; AE Vereinigten Arabischen Emirate; AE Vereinigten Arabischen Emiraten; CA-QC Quebec; CA-QC Québec; ES-CT Katalonien; IT-32 Südtirol; AT-7 Tirol; AT-6 Steiermark; AT-2 Kärnten; US-PA Pennsylvanien; US USA; US Vereinigte Staaten von Amerika; US Vereinigten Staaten; US Vereinigten Staaten von Amerika; CZ Tschechische Republik; CZ Tschechischen Republik; GB-ENG England; GB-EAW England und Wales; GB-SCT Schottland; GB-WLS Wales; " +
		"GB-NIR Nordirland; US-NY New York; US-DE Delaware; US-CA Kalifornien; HK Hongkong; MK Nordmazedonien; CI Elfenbeinküste; TR Türkei; DE-BY Bayern; DE-HE Hessen; DE-SN Sachsen; DE-NI Niedersachsen; DE-NW Nordrhein-Westfalen; DE-RP Rheinland-Pfalz; DE-ST Sachsen-Anhalt; DE-TH Thüringen; CH-ZH Zürich; CH-BE Bern; CH-GE Genf; CH-LU Luzern; CH-VD Waadt; CH-VS Wallis; CH-TI Tessin; CH-SG St. Gallen; CH-ZG Zug; CH-SZ Schwyz; CH-SO Solothurn",
	"fr": "GB Grande-Bretagne; US États-Unis d'Amérique; US États-Unis d’Amérique; US Etats-Unis; GB-ENG Angleterre; GB-EAW Angleterre et du pays de Galles; GB-EAW Angleterre et pays de Galles; GB-EAW Angleterre et du Pays de Galles; GB-EAW Angleterre et Pays de Galles; GB-EAW Angleterre et Galles; GB-NIR Irlande du Nord; GB-WLS Pays de Galles; GB-WLS pays de Galles; ES-CT Catalogne; GB-SCT Écosse; CH Confédération suisse; FR République française; US-NY New York; US-DE Delaware; CA-QC Québec; CA-ON Ontario; " +
		"MK Macédoine du Nord; HK Hong Kong; CI Côte d'Ivoire; CZ République tchèque; US-CA Californie; US-FL Floride; US-GA Géorgie; US-LA Louisiane; US-PA Pennsylvanie; US-VA Virginie; US-NM Nouveau-Mexique; US-NC Caroline du Nord; US-SC Caroline du Sud; CA-BC Colombie-Britannique; CA-NB Nouveau-Brunswick; CA-NS Nouvelle-Écosse; CH-GE Genève; CH-VD Vaud; CH-VS Valais; CH-ZH Zurich; CH-BE Berne; CH-FR Fribourg; CH-NE Neuchâtel; CH-JU Jura; BE-VLG Région flamande; BE-WAL Région wallonne; DE-BY Bavière",
	"es": "GB Gran Bretaña; US Estados Unidos de América; GB-ENG Inglaterra; GB-EAW Inglaterra y Gales; GB-EAW Inglaterra y País de Gales; GB-EAW Inglaterra y del País de Gales; GB-NIR Irlanda del Norte; GB-WLS Gales; MX Estados Unidos Mexicanos; US-MA Massachusetts; CA-QC Quebec; GB-SCT Escocia; US-NY Nueva York; US-DE Delaware; MX México; MK Macedonia del Norte; HK Hong Kong; CI Costa de Marfil; CZ República Checa; NL Holanda; US-PA Pensilvania; US-NJ Nueva Jersey; US-NM Nuevo México; US-NC Carolina del Norte; US-SC Carolina del Sur; US-LA Luisiana; US-TX Tejas; DE-BY Baviera",
	"it": "GB Gran Bretagna; US Stati Uniti d'America; US Stati Uniti d’America; GB-ENG Inghilterra; GB-EAW Inghilterra e Galles; GB-EAW Inghilterra e del Galles; GB-EAW Inghilterra e nel Galles; GB-NIR Irlanda del Nord; GB-WLS Galles; US-PA Pennsylvania; GB-SCT Scozia; IT Repubblica italiana; US-NY New York; US-DE Delaware; MK Macedonia del Nord; CI Costa d'Avorio; CZ Repubblica Ceca; NL Olanda; US-NC Carolina del Nord; US-SC Carolina del Sud; CH-TI Ticino; CH-ZH Zurigo; CH-GE Ginevra; CH-BE Berna; DE-BY Baviera; ES-CT Catalogna",
	"nl": "GB Groot-Brittannië; US Verenigde Staten van Amerika; GB-ENG Engeland; GB-EAW Engeland en Wales; GB-NIR Noord-Ierland; CA-QC Quebec; BE-VLG Vlaanderen; BE-WAL Wallonië; GB-SCT Schotland; US-NY New York; US-DE Delaware; HK Hongkong; MK Noord-Macedonië; CI Ivoorkust; US-CA Californië; US-NC Noord-Carolina; US-SC Zuid-Carolina; DE-BY Beieren; BE-VLG Vlaams Gewest; BE-WAL Waals Gewest; ES-CT Catalonië",
}

// namesIn returns the names of all countries in a language, by CLDR, and those that their
// parts have in English, by their first word, longer ones first.
func namesIn(code string) map[string][]territoryName {
	all := map[string][]territoryName{}
	english := display.Regions(language.English)
	shown := map[string]string{}
	for _, list := range territories {
		for _, name := range list {
			shown[name.territory.Code] = name.territory.Name
		}
	}
	add := func(country, name string) {
		t := NewTape(code, name, nil)
		if len(t.Lexemes) == 0 || !t.IsUpper(0) {
			return
		}
		entry := territoryName{territory: Territory{country, shown[country]}}
		if entry.territory.Name == "" {
			region, err := language.ParseRegion(country)
			if err != nil {
				return
			}
			entry.territory.Name = english.Name(region)
		}
		for i := range t.Lexemes {
			entry.words = append(entry.words, t.At(i))
		}
		first, at := strings.ToLower(entry.words[0]), 0
		for at < len(all[first]) && len(all[first][at].words) >= len(entry.words) {
			at++
		}
		all[first] = append(all[first][:at], append([]territoryName{entry}, all[first][at:]...)...)
	}
	names := display.Regions(language.MustParse(code))
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			region, err := language.ParseRegion(string(a) + string(b))
			if err == nil && region.IsCountry() && region.Canonicalize() == region {
				if name := names.Name(region); name != "" {
					add(region.String(), name)
				}
			}
		}
	}
	for _, list := range territories {
		for _, name := range list {
			if strings.Contains(name.territory.Code, "-") && !slices.Contains(name.words, ",") {
				add(name.territory.Code, strings.NewReplacer(" - ", "-", " .", ".").Replace(strings.Join(name.words, " ")))
			}
		}
	}
	for other := range strings.SplitSeq(otherNames[code], "; ") {
		country, name, _ := strings.Cut(other, " ")
		add(country, name)
	}
	return all
}

func (l laws) extract(t *Tape) []Mention {
	var found []Mention
	for i := 0; i < len(t.Lexemes); i++ {
		if !t.IsWord(i) {
			continue
		}
		word := cutElision(strings.ToLower(t.At(i)))
		law := l.nouns[word]
		if !law && !l.courts[word] {
			continue
		}
		list, next := l.at(t, i, law)
		if !law && (isArbitral(t, next) || isArbitral(t, next+1)) {
			continue
		}
		found = append(found, list...)
		i = max(i, next-1)
	}
	return found
}

// isArbitral reports whether lexeme i makes what is before it no court: "Corte Española de
// Arbitraje".
func isArbitral(t *Tape, i int) bool {
	return t.Is(i, "arbitraje", "arbitrage", "d'arbitrage", "d’arbitrage", "arbitral", "arbitrale", "arbitrato", "d'arbitrato", "d’arbitrato")
}

// cutElision is a word without an article that is written together with it:
// "l'ordinamento", "d’Espagne".
func cutElision(word string) string {
	for _, mark := range [...]string{"'", "’"} {
		if before, after, found := strings.Cut(word, mark); found && len(before) <= 5 && after != "" {
			return after
		}
	}
	return word
}

// NamesLaw reports whether a jurisdiction of a text in another language than English is
// named for its law, and not for its courts.
func (t *Tape) NamesLaw(m Mention) bool {
	const reach = 20
	l := lawsOf[t.language]
	first, next := t.Find(m.Start), t.Find(m.End)
	for i := next - 1; l != nil && i >= max(0, first-reach); i-- {
		word := cutElision(strings.ToLower(t.At(i)))
		if l.nouns[word] || l.courts[word] {
			return l.nouns[word]
		}
	}
	return false
}

// at reads the places whose law, or courts, the noun at lexeme i means, and returns what is
// behind them.
func (l laws) at(t *Tape, i int, law bool) ([]Mention, int) {
	list, next := l.before(t, i)
	if list == nil {
		list, next = l.after(t, i, law)
	}
	if list == nil && law {
		list, next = l.chosenAt(t, i)
	}
	return list, next
}

// before reads what is said in front of the noun at lexeme i: "deutsches Recht", "deutsches
// materielles Recht", "Belgisch of Nederlands recht", "das in Deutschland geltende Recht".
func (l laws) before(t *Tape, i int) ([]Mention, int) {
	const (
		reach = 3 // words between
		place = 6 // lexemes of a place with an article
	)
	at := i - 1
	for at > i-reach && l.qualities[strings.ToLower(t.At(at))] {
		at--
	}
	if code, ok := l.adjective(t.At(at)); ok && !l.behind {
		list := []Mention{l.mention(t, at, i+1, code)}
		if first, other, ok := l.adjectiveBefore(t, at); ok {
			list = append([]Mention{l.mention(t, first, i+1, other)}, list...)
		}
		return list, i + 1
	}
	if l.forced[strings.ToLower(t.At(i-1))] {
		for at := i - 2; at > i-2-place && at > 0; at-- {
			if p, next, ok := l.placeAt(t, at); ok && next == i-1 && (l.inside[strings.ToLower(t.At(at-1))] || l.inside[strings.ToLower(t.At(at-2))]) {
				return []Mention{l.named(t, at, i+1, p)}, i + 1
			}
		}
	}
	return nil, i
}

// adjectiveBefore reads the other adjective of two, of which the second is at lexeme i:
// "deutsches und österreichisches Recht", "Nederlands dan wel Duits recht".
func (l laws) adjectiveBefore(t *Tape, i int) (at int, code string, ok bool) {
	for at = i - 1; at > i-4; at-- {
		if !l.and[strings.ToLower(t.At(at))] {
			break
		}
	}
	if at == i-1 {
		return i, "", false
	}
	code, ok = l.adjective(t.At(at))
	return at, code, ok
}

// after reads what is said behind the noun at lexeme i: "Recht der Schweiz", "droit
// français", "leyes vigentes en España", "lois de la France et de la Belgique". Of the parts
// of a country only those have courts that are called what they are: "tribunales de Salta"
// are those of a city.
func (l laws) after(t *Tape, i int, law bool) ([]Mention, int) {
	const reach = 9
	titled := false
	for at := i + 1; at < i+1+reach; at++ {
		word, last := strings.ToLower(t.At(at)), strings.ToLower(t.At(at-1))
		if p, next, ok := l.placeAt(t, at); ok {
			if !law && !titled && strings.Contains(p.Code, "-") && !strings.HasPrefix(p.Code, "GB-") {
				return nil, i
			}
			list := []Mention{l.named(t, at, next, p)}
			if other, end, ok := l.otherAt(t, next, p); ok {
				list, next = append(list, other), end
			}
			return list, next
		}
		if code, ok := l.adjective(word); ok && l.behind && (at == i+1 || l.titles[last] || l.qualities[last]) || ok && l.titles[strings.ToLower(t.At(at+1))] && !l.behind && l.small[last] {
			first := at
			if at == i+1 {
				first = i
			}
			list := []Mention{l.mention(t, first, at+1, code)}
			if other, ok := l.adjective(t.At(at + 2)); ok && l.behind && l.and[strings.ToLower(t.At(at+1))] {
				return append(list, l.mention(t, at+2, at+3, other)), at + 3
			}
			return list, at + 1
		}
		titled = titled || l.titles[word] || word == "du" || word == "del" || word == "della" || strings.HasPrefix(word, "dell'")
		if !l.small[word] && !l.titles[word] && !l.qualities[word] && !(l.inside[word] && (l.forced[last] || !law)) {
			break
		}
	}
	return nil, i
}

// otherAt reads a second place behind the one that ends before lexeme i: "und Österreichs".
func (l laws) otherAt(t *Tape, i int, p Territory) (Mention, int, bool) {
	const reach = 4
	if !l.and[strings.ToLower(t.At(i))] {
		return Mention{}, i, false
	}
	for at := i + 1; at < i+1+reach; at++ {
		if other, next, ok := l.placeAt(t, at); ok {
			return l.named(t, at, next, other), next, other.Code != p.Code
		}
		if word := strings.ToLower(t.At(at)); !l.small[word] && !l.titles[word] {
			break
		}
	}
	return Mention{}, i, false
}

// chosenAt reads the place of the law that the noun at lexeme i calls the applicable one:
// "Toepasselijk recht: Nederlands", "la ley aplicable al contrato será la española".
func (l laws) chosenAt(t *Tape, i int) ([]Mention, int) {
	const (
		reach = 12 // to what links them
		small = 4  // between that and the place
	)
	if !l.chosen[strings.ToLower(t.At(i-1))] && !l.chosen[strings.ToLower(t.At(i+1))] {
		return nil, i
	}
	for at := i + 1; at < i+1+reach; at++ {
		word := cutElision(strings.ToLower(t.At(at)))
		if l.nouns[word] || t.Is(at, ".", ";") {
			break
		}
		if !l.links[word] {
			continue
		}
		for next := at + 1; next < at+1+small; next++ {
			if p, end, ok := l.placeAt(t, next); ok {
				return []Mention{l.named(t, next, end, p)}, end
			}
			if code, ok := l.adjective(t.At(next)); ok {
				return []Mention{l.mention(t, next, next+1, code)}, next + 1
			}
			if word := strings.ToLower(t.At(next)); !l.small[word] && !l.titles[word] && !l.links[word] && !t.Is(next, "celui", "celle") {
				break
			}
		}
	}
	return nil, i
}

func (l laws) mention(t *Tape, i, next int, code string) Mention {
	return Mention{t.Extent(i, next), Jurisdiction, Value{Name: nameOf(code), Code: code}, 0.9}
}

func (l laws) named(t *Tape, i, next int, p Territory) Mention {
	return Mention{t.Extent(i, next), Jurisdiction, Value{Name: p.Name, Code: p.Code}, 0.9}
}

// nameOf returns the English name of the place with a code.
var nameOf = func() func(code string) string {
	names := sync.OnceValue(func() map[string]string {
		all := map[string]string{}
		for _, list := range territories {
			for _, name := range list {
				all[name.territory.Code] = name.territory.Name
			}
		}
		return all
	})
	return func(code string) string { return names()[code] }
}()

// adjective returns the code of the place that word is an adjective of.
func (l laws) adjective(word string) (string, bool) {
	word = strings.ToLower(word)
	for cut := len(word); cut >= 4 && cut >= len(word)-3; cut-- {
		if code, ok := l.of[word[:cut]]; ok && l.endings[word[cut:]] {
			return code, true
		}
	}
	return "", false
}

// placeAt reads the name of a country at lexeme i, in the language of t.
func (l laws) placeAt(t *Tape, i int) (Territory, int, bool) {
	if !t.IsWord(i) {
		return Territory{}, i, false
	}
	first := cutElision(t.At(i))
	r, _ := lex.DecodeRune(first)
	if !unicode.IsUpper(r) {
		return Territory{}, i, false
	}
	all := l.names()
	lower := strings.ToLower(first)
	list := all[lower]
	if list == nil {
		list = all[strings.TrimSuffix(lower, "s")] // "Recht Frankreichs"
	}
	for _, name := range list {
		next := i + 1
		for _, word := range name.words[1:] {
			if !t.Is(next, word) {
				next = i
				break
			}
			next++
		}
		if next > i {
			return name.territory, next, true
		}
	}
	return Territory{}, i, false
}
