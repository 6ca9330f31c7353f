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

// lawWords are how a language names the law of a place.
type lawWords struct {
	nouns map[string]bool // law
	small map[string]bool // between them and a place, before its name
	// of are adjectives of places, without their endings, by code.
	of      map[string]string
	endings map[string]bool
	names   func() map[string][]territoryName
}

// lawsOf are those of each language with a lexicon.
var lawsOf = map[string]*lawWords{
	"de": newLawWords("de", "recht rechts rechte gesetz gesetze gesetzen rechtsordnung", "der des die den das dem von bundesrepublik republik königreich königreichs fürstentum fürstentums kanton kantons land landes staates staats bundesstaates bundesstaats us - us-bundesstaats us-bundesstaates us-staates freistaats freistaates und geltenden materiellen",
		"deutsch DE österreichisch AT schweizerisch CH schweizer CH französisch FR italienisch IT spanisch ES niederländisch NL belgisch BE luxemburgisch LU liechtensteinisch LI englisch GB-ENG schottisch GB-SCT irisch IE polnisch PL tschechisch CZ dänisch DK schwedisch SE norwegisch NO finnisch FI portugiesisch PT griechisch GR ungarisch HU türkisch TR chinesisch CN japanisch JP",
		"e em en er es"),
	"fr": newLawWords("fr", "droit droits loi lois législation", "de du des la le les l' en vigueur au aux république royaume confédération principauté grand-duché canton l ' ’ état province région et internes matériel interne",
		"français FR française FR françaises FR suisse CH suisses CH belge BE belges BE luxembourgeois LU luxembourgeoise LU luxembourgeoises LU monégasque MC allemand DE allemande DE allemandes DE anglais GB-ENG anglaise GB-ENG anglaises GB-ENG italien IT italienne IT italiennes IT espagnol ES espagnole ES espagnoles ES néerlandais NL néerlandaise NL autrichien AT autrichienne AT portugais PT portugaise PT polonais PL polonaise PL marocain MA marocaine MA tunisien TN tunisienne TN algérien DZ algérienne DZ sénégalais SN irlandais IE irlandaise IE japonais JP chinois CN québécois CA-QC",
		""),
	"es": newLawWords("es", "derecho ley leyes legislación normativa", "de del la el los las en vigor vigente vigentes reino república estado estados provincia comunidad autónoma común",
		"español ES española ES españolas ES españoles ES francés FR francesa FR francesas FR alemán DE alemana DE alemanas DE italiano IT italiana IT italianas IT inglés GB-ENG inglesa GB-ENG inglesas GB-ENG portugués PT portuguesa PT suizo CH suiza CH suizas CH mexicano MX mexicana MX mexicanas MX argentino AR argentina AR argentinas AR colombiano CO colombiana CO colombianas CO chileno CL chilena CL chilenas CL peruano PE peruana PE peruanas PE holandés NL neerlandés NL neerlandesa NL belga BE austriaco AT austriaca AT",
		""),
	"it": newLawWords("it", "legge leggi diritto legislazione normativa ordinamento", "di del della dello dei degli delle dell' la il lo repubblica regno confederazione stato stati cantone provincia regione vigente",
		"italiano IT italiana IT italiane IT francese FR francesi FR tedesco DE tedesca DE tedesche DE spagnolo ES spagnola ES spagnole ES svizzero CH svizzera CH svizzere CH inglese GB-ENG inglesi GB-ENG austriaco AT austriaca AT austriache AT olandese NL olandesi NL belga BE lussemburghese LU sammarinese SM portoghese PT polacco PL polacca PL",
		""),
	"nl": newLawWords("nl", "recht wet wetten wetgeving", "van de het der koninkrijk republiek bondsrepubliek staat deelstaat provincie kanton geldende",
		"nederlands NL belgisch BE duits DE frans FR engels GB-ENG zwitsers CH spaans ES italiaans IT luxemburgs LU oostenrijks AT pools PL iers IE deens DK zweeds SE noors NO portugees PT",
		"e"),
}

func newLawWords(code, nouns, small, adjectives, endings string) *lawWords {
	w := &lawWords{nouns: lex.Set(nouns), small: lex.Set(small), endings: lex.Set(endings), of: map[string]string{}}
	list := strings.Fields(adjectives)
	for i := 0; i < len(list); i += 2 {
		w.of[list[i]] = list[i+1]
	}
	w.endings[""] = true
	w.names = sync.OnceValue(func() map[string][]territoryName { return namesIn(code) })
	return w
}

// otherNames are what countries are called beside their names in CLDR.
var otherNames = map[string]string{
	"de": "GB Großbritannien; US USA; US Vereinigte Staaten von Amerika; US Vereinigten Staaten; US Vereinigten Staaten von Amerika; CZ Tschechische Republik; CZ Tschechischen Republik; GB-ENG England; GB-EAW England und Wales; GB-SCT Schottland; GB-WLS Wales; " +
		"GB-NIR Nordirland; US-NY New York; US-DE Delaware; US-CA Kalifornien; HK Hongkong; MK Nordmazedonien; CI Elfenbeinküste; TR Türkei; DE-BY Bayern; DE-HE Hessen; DE-SN Sachsen; DE-NI Niedersachsen; DE-NW Nordrhein-Westfalen; DE-RP Rheinland-Pfalz; DE-ST Sachsen-Anhalt; DE-TH Thüringen; CH-ZH Zürich; CH-BE Bern; CH-GE Genf; CH-LU Luzern; CH-VD Waadt; CH-VS Wallis; CH-TI Tessin; CH-SG St. Gallen; CH-ZG Zug; CH-SZ Schwyz; CH-SO Solothurn",
	"fr": "GB Grande-Bretagne; US États-Unis d'Amérique; US États-Unis d’Amérique; US Etats-Unis; GB-ENG Angleterre; GB-EAW Angleterre et du pays de Galles; GB-SCT Écosse; CH Confédération suisse; FR République française; US-NY New York; US-DE Delaware; CA-QC Québec; CA-ON Ontario; " +
		"MK Macédoine du Nord; HK Hong Kong; CI Côte d'Ivoire; CZ République tchèque; US-CA Californie; US-FL Floride; US-GA Géorgie; US-LA Louisiane; US-PA Pennsylvanie; US-VA Virginie; US-NM Nouveau-Mexique; US-NC Caroline du Nord; US-SC Caroline du Sud; CA-BC Colombie-Britannique; CA-NB Nouveau-Brunswick; CA-NS Nouvelle-Écosse; CH-GE Genève; CH-VD Vaud; CH-VS Valais; CH-ZH Zurich; CH-BE Berne; CH-FR Fribourg; CH-NE Neuchâtel; CH-JU Jura; BE-VLG Région flamande; BE-WAL Région wallonne; DE-BY Bavière",
	"es": "GB Gran Bretaña; US Estados Unidos de América; GB-ENG Inglaterra; GB-EAW Inglaterra y Gales; GB-SCT Escocia; US-NY Nueva York; US-DE Delaware; MX México; MK Macedonia del Norte; HK Hong Kong; CI Costa de Marfil; CZ República Checa; NL Holanda; US-PA Pensilvania; US-NJ Nueva Jersey; US-NM Nuevo México; US-NC Carolina del Norte; US-SC Carolina del Sur; US-LA Luisiana; US-TX Tejas; DE-BY Baviera",
	"it": "GB Gran Bretagna; US Stati Uniti d'America; US Stati Uniti d’America; GB-ENG Inghilterra; GB-EAW Inghilterra e Galles; GB-SCT Scozia; IT Repubblica italiana; US-NY New York; US-DE Delaware; MK Macedonia del Nord; CI Costa d'Avorio; CZ Repubblica Ceca; NL Olanda; US-NC Carolina del Nord; US-SC Carolina del Sud; CH-TI Ticino; CH-ZH Zurigo; CH-GE Ginevra; CH-BE Berna; DE-BY Baviera; ES-CT Catalogna",
	"nl": "GB Groot-Brittannië; US Verenigde Staten van Amerika; GB-ENG Engeland; GB-EAW Engeland en Wales; GB-SCT Schotland; US-NY New York; US-DE Delaware; HK Hongkong; MK Noord-Macedonië; CI Ivoorkust; US-CA Californië; US-NC Noord-Carolina; US-SC Zuid-Carolina; DE-BY Beieren; BE-VLG Vlaams Gewest; BE-WAL Waals Gewest; ES-CT Catalonië",
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
		if !t.IsWord(i) || !l.isNoun(t.At(i)) {
			continue
		}
		m, next, ok := l.at(t, i)
		if !ok {
			continue
		}
		found = append(found, m)
		i = max(i, next-1)
	}
	return found
}

// isNoun reports whether word is one for law; "l'" and the like may be before it.
func (l laws) isNoun(word string) bool {
	return l.nouns[cutElision(strings.ToLower(word))]
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

// at reads the place whose law the noun at lexeme i means.
func (l laws) at(t *Tape, i int) (Mention, int, bool) {
	const reach = 6
	if code, ok := l.adjective(t.At(i - 1)); ok { // "deutsches Recht", "Nederlands recht"
		return l.mention(t, i-1, i+1, code), i + 1, true
	}
	if code, ok := l.adjective(t.At(i + 1)); ok { // "droit français"
		return l.mention(t, i, i+2, code), i + 2, true
	}
	for at := i + 1; at < i+1+reach; at++ {
		if place, next, ok := l.placeAt(t, at); ok {
			return Mention{t.Extent(at, next), Jurisdiction, Value{Name: place.Name, Code: place.Code}, 0.9}, next, true
		}
		word := strings.ToLower(t.At(at))
		if code, ok := l.adjective(word); ok && l.small[strings.ToLower(t.At(at-1))] { // "loi de la République française"
			return l.mention(t, at, at+1, code), at + 1, true
		}
		if !l.small[word] {
			break
		}
	}
	return Mention{}, i, false
}

func (l laws) mention(t *Tape, i, next int, code string) Mention {
	return Mention{t.Extent(i, next), Jurisdiction, Value{Name: nameOf(code), Code: code}, 0.9}
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
	for cut := len(word); cut >= 4 && cut >= len(word)-2; cut-- {
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
