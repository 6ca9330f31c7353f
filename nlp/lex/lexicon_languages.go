package lex

import "strings"

// Lexicon is what words of a language other than English mean to extractors.
type Lexicon struct {
	senses map[string]Sense // by word in small letters
	parts  []numberPart     // of numbers that are written as one word, larger ones first
	// Business are words for days on which business is done, and adjectives of them.
	Business map[string]bool
	// Between are adjectives that may be between a number and its unit, or behind it.
	Between map[string]bool
	// Joins are words inside a number: "treinta y uno".
	Joins map[string]bool
	// Of are words inside a date: "1 de enero de 2024".
	Of map[string]bool
}

// LexiconOf returns that of a language, an ISO 639-1 code; nil where there is none, as
// for English, whose words SenseOf knows.
func LexiconOf(language string) *Lexicon { return lexicons[language] }

// SenseOf looks word up, in any case; the zero Sense is that of most words.
func (l *Lexicon) SenseOf(word string) Sense {
	const longest = 64 // the longest number below a million
	if len(word) > longest {
		return Sense{}
	}
	lower := strings.ToLower(word)
	if s, known := l.senses[lower]; known {
		return s
	}
	if n, ok := l.compound(lower, 1_000_000); ok {
		return Sense{NumeralWord, n}
	}
	return Sense{}
}

// numberPart is a word inside numbers that are written as one word.
type numberPart struct {
	word  string
	value int32
}

// compound reads a number below another that is one word: "zweitausendvierundzwanzig".
func (l *Lexicon) compound(word string, below int32) (int32, bool) {
	for _, part := range l.parts {
		left, right, found := strings.Cut(word, part.word)
		if !found || part.value >= below {
			continue
		}
		n, rest, ok := int32(1), int32(0), true
		if left != "" {
			n, ok = l.compound(left, part.value)
		}
		if right = strings.TrimPrefix(strings.TrimPrefix(right, "und"), "en"); ok && right != "" {
			rest, ok = l.compound(right, part.value)
		}
		if ok {
			return n*part.value + rest, true
		}
	}
	s := l.senses[word]
	return s.Value, s.Class == NumeralWord && s.Value < 100
}

// newLexicon adds the words of a language to those that all share: the legal forms of
// companies. Words that mean the same are parted by a bar.
func newLexicon(words map[Class]string, months, numerals, tens, units string) *Lexicon {
	l := &Lexicon{senses: map[string]Sense{}}
	add := func(class Class, first, step int, words string) {
		for i, group := range strings.Fields(words) {
			for word := range strings.SplitSeq(group, "|") {
				l.senses[word] = Sense{class, int32(first + i*step)}
			}
		}
	}
	add(CorporateWord, 0, 0, "ag gmbh kg kgaa ohg ug eg se nv bv vof cv sarl sas sasu snc sci scp sca eurl gie sa spa srl srls sapa scarl sl slu sau slp slne mbh inc llc ltd plc llp corp corporation incorporated limited sàrl aps asa ab oy")
	add(ScaleWord, 3, 3, words[ScaleWord])
	for class, list := range words {
		if class == OrdinalWord || class == ScaleWord {
			continue
		}
		add(class, 0, 0, list)
	}
	add(OrdinalWord, 1, 1, words[OrdinalWord])
	add(MonthWord, 1, 1, months)
	add(NumeralWord, 0, 1, numerals)
	add(NumeralWord, 20, 10, tens)
	for i, group := range strings.Fields(units) {
		for word := range strings.SplitSeq(group, "|") {
			l.senses[word] = Sense{UnitWord, int32("DWMYQ"[i])}
		}
	}
	return l
}

// with gives l its other words.
func (l *Lexicon) with(business, between, joins, of string) *Lexicon {
	l.Business, l.Between, l.Joins, l.Of = Set(business), Set(between), Set(joins), Set(of)
	for word := range l.Business {
		if s := l.senses[word]; s.Class == 0 && strings.Contains(word, "tag") || s.Class == 0 && strings.Contains(word, "dag") {
			l.senses[word] = Sense{UnitWord, 'D'}
		}
	}
	return l
}

// compounds adds the numbers from 21 to 99 that are one word, made by join.
func (l *Lexicon) compounds(thousands, hundreds, ones, tens string, join func(one, ten string) string) *Lexicon {
	for word := range strings.FieldsSeq(thousands) {
		l.parts = append(l.parts, numberPart{word, 1000})
	}
	for word := range strings.FieldsSeq(hundreds) {
		l.parts = append(l.parts, numberPart{word, 100})
	}
	for i, ten := range strings.Fields(tens) {
		for j, one := range strings.Fields(ones) {
			l.senses[join(one, ten)] = Sense{NumeralWord, int32(20 + 10*i + j + 1)}
		}
	}
	return l
}

var lexicons = map[string]*Lexicon{
	"de": newLexicon(map[Class]string{
		OrdinalWord: "ersten|erster", HundredWord: "hundert", ScaleWord: "tausend|tsd million|millionen|mio milliarde|milliarden|mrd billion|billionen",
		CorporateWord: "genossenschaft stiftung aktiengesellschaft",
		BodyWord:      "verein stadt gemeinde landkreis universität hochschule",
		FrameWord: "der die das den dem des ein eine einer eines einem einen zwischen und oder mit von vom zu zur zum im in am an auf aus bei für firma herr herrn frau vertrag vereinbarung " +
			"käufer käuferin verkäufer verkäuferin mieter mieterin vermieter vermieterin auftraggeber auftraggeberin auftragnehmer auftragnehmerin lieferant lieferantin kunde kundin besteller anbieter lizenzgeber lizenznehmer " +
			"arbeitgeber arbeitgeberin darlehensgeber darlehensnehmer gesellschaft parteien partei seite nachfolgend nachstehend sitz vertreten durch anlage seiten unternehmen geschäftsführer vorstand gegen sowie als",
	}, "januar|jänner|jan februar|feber|feb märz|maerz|mrz april|apr mai juni|jun juli|jul august|aug september|sep|sept oktober|okt november|nov dezember|dez",
		"null ein|eins|eine|einen|einem|einer|eines zwei|zwo drei vier fünf|fuenf sechs sieben acht neun zehn elf zwölf|zwoelf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn",
		"zwanzig dreißig|dreissig vierzig fünfzig sechzig siebzig achtzig neunzig",
		"tag|tage|tagen|tages|kalendertag|kalendertage|kalendertagen woche|wochen|kalenderwochen monat|monate|monaten|monats|kalendermonat|kalendermonate|kalendermonaten jahr|jahre|jahren|jahres|kalenderjahr|kalenderjahre|kalenderjahren|vertragsjahre|vertragsjahren quartal|quartale|quartalen|kalenderquartale").
		with("werktag werktage werktagen arbeitstag arbeitstage arbeitstagen bankarbeitstag bankarbeitstage bankarbeitstagen geschäftstag geschäftstage geschäftstagen", "volle vollen ganze ganzen weitere weiteren weiterer weiteres aufeinanderfolgende aufeinanderfolgenden volles", "und", "").
		compounds("tausend", "hundert", "ein zwei drei vier fünf sechs sieben acht neun", "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig", func(one, ten string) string { return one + "und" + ten }),
	"fr": newLexicon(map[Class]string{
		OrdinalWord: "premier", HundredWord: "cent|cents", ScaleWord: "mille million|millions milliard|milliards billion|billions",
		BodyWord: "fondation association commune ville université ministère syndicat",
		FrameWord: "le la les l un une des du de d et ou entre avec par pour en au aux à société monsieur madame m mme messieurs contrat convention article client prestataire vendeur acheteur bailleur preneur acquéreur cédant " +
			"soussignés soussigné parties partie siège représentée représenté d'une d'autre part ci-après la annexe page fournisseur l'acheteur l'acquéreur",
	}, "janvier|janv février|fevrier|févr|fév mars avril|avr mai juin juillet|juil|juill août|aout septembre|sept octobre|oct novembre|nov décembre|decembre|déc",
		"zéro un|une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize", "vingt|vingts trente quarante cinquante soixante septante huitante|octante nonante",
		"jour|jours semaine|semaines mois an|ans|année|années trimestre|trimestres").
		with("ouvré ouvrés ouvrable ouvrables", "calendaires calendaire francs pleins entiers consécutifs consécutives successifs supplémentaires", "et", "de du d'"),
	"es": newLexicon(map[Class]string{
		OrdinalWord: "primero", ScaleWord: "mil millón|millones - billón|billones",
		BodyWord: "fundación fundacion asociación asociacion universidad ayuntamiento ministerio cooperativa",
		FrameWord: "el la los las un una de del y e o u entre con por para en a al don doña d dña sr sra señor señora contrato artículo cliente proveedor vendedor comprador arrendador arrendatario parte partes otra una sociedad mercantil " +
			"representación nombre anexo página reunidos empresa",
	}, "enero|ene febrero|feb marzo|mar abril|abr mayo|may junio|jun julio|jul agosto|ago septiembre|setiembre|sep|sept octubre|oct noviembre|nov diciembre|dic",
		"cero un|uno|una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis|dieciseis diecisiete dieciocho diecinueve", "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
		"día|días|dia|dias semana|semanas mes|meses año|años|anualidad|anualidades trimestre|trimestres").
		with("hábiles hábil laborables laborable", "naturales natural consecutivos sucesivos completos adicionales", "y", "de del").
		numbers("veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve", 21, 1).
		numbers("veintiún|veintiun|veintiuna veintidos veintitres - - veintiseis", 21, 1).
		numbers("cien|ciento doscientos|doscientas trescientos|trescientas cuatrocientos|cuatrocientas quinientos|quinientas seiscientos|seiscientas setecientos|setecientas ochocientos|ochocientas novecientos|novecientas", 100, 100),
	"it": newLexicon(map[Class]string{
		OrdinalWord: "primo", HundredWord: "cento", ScaleWord: "mila|mille milione|milioni miliardo|miliardi",
		BodyWord: "fondazione associazione comune università ministero consorzio cooperativa provincia",
		FrameWord: "il lo la i gli le l un uno una di del dello della dei degli delle e o tra fra con per in al alla da dal dalla società ditta signor signora sig dott contratto articolo cliente fornitore venditore acquirente compratore locatore conduttore " +
			"committente appaltatore parte parti sede rappresentata persona allegato pagina premesso",
	}, "gennaio|genn|gen febbraio|febbr|feb marzo|mar aprile|apr maggio|mag giugno|giu luglio|lug agosto|ago settembre|sett|set ottobre|ott novembre|nov dicembre|dic",
		"zero un|uno|una due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove", "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
		"giorno|giorni|gg settimana|settimane mese|mesi anno|anni|annualità trimestre|trimestri").
		with("lavorativi lavorativo", "solari naturali consecutivi successivi interi ulteriori", "e", "del di").
		compounds("mila mille", "cento cent", "uno due tre quattro cinque sei sette otto nove", "venti trenta quaranta cinquanta sessanta settanta ottanta novanta", func(one, ten string) string {
			if one == "uno" || one == "otto" {
				return ten[:len(ten)-1] + one
			}
			return ten + one
		}).
		numbers("ventun trentun quarantun cinquantun sessantun settantun ottantun novantun", 21, 10).
		numbers("ventitré trentatré quarantatré cinquantatré sessantatré settantatré ottantatré novantatré", 23, 10),
	"nl": newLexicon(map[Class]string{
		OrdinalWord: "eerste", HundredWord: "honderd", ScaleWord: "duizend miljoen|mln miljard|mld biljoen", CorporateWord: "coöperatie",
		BodyWord:  "stichting vereniging gemeente provincie universiteit ministerie",
		FrameWord: "de het een en of tussen met van voor te in op aan door heer dhr mevrouw mevr overeenkomst artikel klant leverancier koper verkoper verhuurder huurder opdrachtgever opdrachtnemer partij partijen vennootschap gevestigd bijlage pagina enerzijds anderzijds",
	}, "januari|jan februari|feb maart|mrt april|apr mei juni|jun juli|jul augustus|aug september|sept|sep oktober|okt november|nov december|dec",
		"nul een|één twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien", "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
		"dag|dagen|kalenderdag|kalenderdagen week|weken maand|maanden|kalendermaand|kalendermaanden jaar|jaren|kalenderjaar|kalenderjaren kwartaal|kwartalen").
		with("werkdag werkdagen", "volle hele opeenvolgende achtereenvolgende aaneengesloten", "en", "").
		compounds("duizend", "honderd", "een twee drie vier vijf zes zeven acht negen", "twintig dertig veertig vijftig zestig zeventig tachtig negentig", func(one, ten string) string {
			if strings.HasSuffix(one, "e") {
				return one + "ën" + ten
			}
			return one + "en" + ten
		}),
}

// numbers adds numerals from first on, a step apart; a dash stands for none.
func (l *Lexicon) numbers(words string, first, step int) *Lexicon {
	for i, group := range strings.Fields(words) {
		for word := range strings.SplitSeq(group, "|") {
			if word != "-" {
				l.senses[word] = Sense{NumeralWord, int32(first + i*step)}
			}
		}
	}
	return l
}
