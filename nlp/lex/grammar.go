package lex

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Grammar is what the splitter knows of a language.
type Grammar struct {
	unicode       bool                        // sentences are those of Unicode's annex 29, since nothing is known here
	abbreviations map[string]abbreviationKind // looked up as written, then in lower case
	suffixes      []string                    // close abbreviations that a name or a number follows: "Hauptstr. 5"
	openers       map[string]bool             // begin sentences and do not follow a name in its middle
	labels        map[string]bool             // come before a letter that is their name and no initial
	conjunctions  []string                    // join the items of a list; longer ones first
	// wide is set where words have letters beyond ASCII and abbreviations of small
	// letters: "févr.", "d.w.z."
	wide bool
	// spacedQuotes is set where white space is inside guillemets: « Term. »
	spacedQuotes bool
	// Where a figure with a stop is an ordinal, ordinals are what it counts most often
	// and articles the words before it: "am 31. März", "der 2. Zivilsenat".
	ordinals, articles map[string]bool
}

// kinds makes of lists of words the abbreviations of a grammar.
func kinds(lists map[abbreviationKind]string) map[string]abbreviationKind {
	all := map[string]abbreviationKind{}
	for kind, words := range lists {
		for word := range strings.FieldsSeq(words) {
			all[word] = kind
		}
	}
	return all
}

var englishRules = &Grammar{
	abbreviations: kinds(map[abbreviationKind]string{
		beforeName: "mr mrs ms dr prof hon messrs mme rev gen col capt lt sgt v vs viz cf e.g i.e eg ie ibid approx incl excl attn c/o",
		beforeNumber: "no nos sec secs sect art arts exh exhs ex para paras par pars cl ch fig figs vol p pp sched scheds app apps " +
			"reg regs stat stats tit subsec ann div item ser rm ste apt bldg fl tel ext ph",
		beforeDay: "jan feb mar apr jun jul aug sep sept oct nov dec",
		afterName: "inc corp co cos ltd llc l.l.c llp l.l.p lp l.p plc p.l.c pty gmbh s.a n.a n.v b.v a.g s.p.a s.r.l s.a.r.l bros assoc assn dept univ intl mfg " +
			"jr sr esq ph.d m.d d.o j.d ll.m b.a m.b.a c.p.a u.s u.k e.u u.n u.s.a u.s.c c.f.r d.c p.o a.m p.m et al etc st ave blvd rd ln hwy ft mt " +
			"u.c.c fed cir ct supp cal del mass wash tex fla ill mich minn conn ariz colo penn wis okla ore tenn ind kan ky miss mo mont neb nev n.y n.j n.c s.c n.d s.d n.h n.m r.i w.va " +
			"yr yrs mo mos hr hrs min sq lb lbs oz govt admin est",
	}),
	openers:      Openers,
	labels:       Labels,
	conjunctions: []string{"and/or", "and", "or"},
}

// GrammarOf returns the grammar of a language, an ISO 639-1 code: that of English where
// it is not known, and Unicode's rules where there is none.
func GrammarOf(language string) *Grammar {
	if MaybeEnglish(language) {
		return englishRules
	}
	if g := grammars[language]; g != nil {
		return g
	}
	return unicodeRules
}

// unicodeRules have the abbreviations of English for what is no sentence: headings.
var unicodeRules = func() *Grammar {
	rules := *englishRules
	rules.unicode = true
	return &rules
}()

// grammars are those of languages other than English, by ISO 639-1 code.
var grammars = map[string]*Grammar{"de": germanRules, "fr": frenchRules, "es": spanishRules, "it": italianRules, "nl": dutchRules}

var germanRules = &Grammar{
	wide:     true,
	suffixes: []string{"str", "nr", "nrn", "abs"},
	abbreviations: kinds(map[abbreviationKind]string{
		beforeName: "abs nr nrn ziff buchst lit rn rdnr rz az anl anm bd aufl fn kap abschn unterabs dr prof dipl ing hr hrn fr jur med phil rer nat oec inh " +
			"gem vgl bzgl bzw erw ggf ggfs insb insbes evtl ca mind max min sog betr entspr einschl ausschl exkl inkl zzgl abzgl lt mtl jährl vorm nachm geb gest " +
			"hd zt bes z.b d.h i.s.d i.v.m i.h.v z.hd z.zt u.u i.d.r i.d.f i.e.s s.o s.u zb dh iv ivm isd ihv idr idf bspw ausg hrsg verf begl beigef " +
			"abl bgbl rgbl bek verz spk ra rae stb wp str tel fa st exkl gez allg dt bes übl urspr vors stellv mtg grds schriftl mündl gesetzl zul dgl",
		beforeNumber: "art artt seite s p §",
		beforeDay:    "jan febr feb mrz apr jun jul aug sept sep okt nov dez",
		afterName: "co gmbh ag kg ohg e.v ev usw etc uä u.ä o.ä u.a ff f mio mrd tsd std stdn stk stck st min sek wo mwst ust bd kg jr sen " +
			"ca v.h v.t a.m d.j d.m verw-ges ges gebr corp inc ltd",
	}),
	openers: Set(`Der Die Das Den Dem Des Dieser Diese Dieses Diesen Diesem Ein Eine Einen Einem Einer Eines Er Sie Es Wir Ihr Ihre Sein Seine Kein Keine In Im An Am Auf Aus Bei Beim Mit Nach Nachdem Von Vom
		Zu Zum Zur Für Durch Gegen Ohne Um Über Unter Vor Während Wegen Trotz Sofern Soweit Sollte Sollten Wenn Falls Wird Werden Ist Sind Hat Haben Hierzu Hierfür Hiervon Dies Dabei Dadurch
		Danach Darüber Daneben Davon Dazu Dagegen Insoweit Insbesondere Im Übrigen Jede Jeder Jedes Alle Alles Sämtliche Soll Kann Können Muss Müssen Gilt Gelten Als Auch Nur Wer Was Wo Wie Weitere Weiterhin
		Etwaige Ferner Zudem Außerdem Jedoch Näheres Beide Gemäß Erfolgt Liegt Besteht Bestehen Abweichend Entsprechendes Sonstige Da Damit Bis Ab Seit Zwischen Hiermit Nicht Nichts Andernfalls Ebenso Eine Solche Solcher`),
	labels:       Set("anlage anhang buchstabe klasse typ gruppe abschnitt teil los variante ziffer satz alternative stufe phase plan absatz"),
	conjunctions: []string{"und/oder", "und", "oder", "sowie"},
	ordinals: Set(`Januar Februar März Maerz April Mai Juni Juli August September Oktober November Dezember Jänner Feber Jan Febr Feb Apr Jun Jul Aug Sept Sep Okt Nov Dez
		Tag Tage Tages Werktag Werktages Kalendertag Kalendertages Bankarbeitstag Monat Monats Jahr Jahres Jahrhundert Jahrhunderts Quartal Quartals Halbjahr Kalenderjahr Lebensjahr Lebensjahres Woche
		Auflage Abschnitt Kapitel Teil Stock Obergeschoss Etage Hauptstück Nachtrag Nachtrags Änderung`),
	articles: Set("am dem den der des zum zur vom im beim das die ab bis seit jeder jeden jedem eines einem vor nach spätestens"),
}

var frenchRules = &Grammar{
	wide: true, spacedQuotes: true,
	abbreviations: kinds(map[abbreviationKind]string{
		beforeName: "let cst consid m mm mme mmes mlle mlles me mes dr prof ste sté ets cf n no nos arts réf ref tél tel env cass bull chap sect fasc al p pp vol éd av bd bld boul pl rte imp lot bât bat app " +
			"resp adm not p.ex ex.ord jur trib trim spéc comp obs concl rapp rec req ord décr circ parag préc ss tit liv loc dép dépt arr cne",
		beforeNumber: "art alin ann annexe ch fig par § ord",
		beforeDay:    "janv févr fév fevr mar avr juil juill sept oct nov déc dec",
		afterName:    "etc cie co sarl s.a.r.l sas sa sci snc inc corp ltd civ com crim soc pén proc trav env suiv max min ht ttc h.t t.t.c vs a.m p.m ex jr mio mds",
	}),
	openers: Set(`Le La Les L Un Une Des Du De D Ce Cet Cette Ces C Il Elle Ils Elles On Nous Vous Je Son Sa Ses Leur Leurs Notre Votre Nos Vos En Dans Par Pour Sur Sous Avec Sans Selon Si S Sauf Toute Tout Tous Toutes
		Chaque Aucun Aucune À A Au Aux Dès Lors Lorsque Quand Quel Quelle Quels Quelles Qui Que Qu Ainsi Toutefois Cependant Néanmoins Conformément Est Sont Ne N Ni Or Mais Et Ou Où Après Avant Depuis Pendant
		Jusqu Afin Outre Quant Faute Y Seul Seule Seuls Seules Ledit Ladite Lesdits Lesdites Celui Celle Ceux Aux Faits Fait Sera Seront Peut Peuvent Doit Doivent Tant Nonobstant Passé Compte Entre Puis Enfin Nul Nulle Plus`),
	labels:       Set("annexe appendice pièce section partie classe catégorie série groupe tableau option lot phase tranche type niveau"),
	conjunctions: []string{"et/ou", "et", "ou"},
}

var spanishRules = &Grammar{
	wide: true, spacedQuotes: true,
	abbreviations: kinds(map[abbreviationKind]string{
		beforeName: "sr sra srta sres sras d da dª dña dn don dr dra dres ldo lda lic ing arq prof mons gral cnel excmo excma excmos ilmo ilma ilmos sto sta fr art arts núm núms num nums nº no pág págs pag pags p pp " +
			"apdo apdos ap párr inc cap caps tít tit vol t tomo fol f lib secc sec anex cf cfr cf v vid vgr p.ej p. ej avda av ave pza plza pl ctra urb edif esc izq c dpto depto dto ofic tel tfno fax ext att atn ref rfª exp rec " +
			"aprox máx mín admón cta cte cód prov ee",
		beforeNumber: "fig",
		beforeDay:    "ene feb mar abr may jun jul ago sep sept set oct nov dic",
		afterName:    "etc cía cia cías co hnos hno soc sociedad ltda ltd corp inc s.a s.l s.l.u s.a.u s.c s.coop uu ff aa jj mm vd vds ud uds h hs kg km kms min a.m p.m grales gral dcha izqda jr ss sig sigs",
	}),
	openers: Set(`El La Los Las Lo Un Una Unos Unas Al Del De En Con Sin Por Para Según Sobre Bajo Ante Desde Hasta Entre Tras Este Esta Estos Estas Esto Ese Esa Esos Dicho Dicha Dichos Dichas Aquel Aquella Cada Todo Toda Todos Todas
		Ningún Ninguna Nada Ambas Ambos Si Cuando Como Donde Quien Quienes Cual Cualquier Su Sus Se No Ni Y O Pero Sin Así Asimismo Además También Tampoco No Podrá Podrán Deberá Deberán Será Serán Es Son Ha Han Queda Quedan
		Salvo Siempre Mientras Conforme A Él Ella Ello Ellos Ellas Mediante Durante Transcurrido Corresponde Véase Igualmente Finalmente Únicamente Sólo Solo Respecto Antes Después Otro Otra Otros Que Qué Responde Tal Tales`),
	labels:       Set("anexo apéndice sección parte clase categoría serie grupo tabla opción lote fase tramo tipo nivel bloque portal escalera"),
	conjunctions: []string{"y/o", "y", "e", "o", "u"},
}

var italianRules = &Grammar{
	wide: true, spacedQuotes: true,
	abbreviations: kinds(map[abbreviationKind]string{
		beforeName: "act att nav proc part cpv doc docc lit cifra consid sig sigg sigra dott dottssa dr drssa avv avvti ing arch geom rag prof on ill egr spett gent mons art artt n nn no num co comm lett pag pagg p pp all alleg cap capp par parr sez sezz tit vol voll fasc tab fig " +
			"cfr cf v vd rif prot fald rep reg racc cass cons corte trib app tar cost civ pen ord sent dec dir reg lgs d.lgs dlgs d.l d.p.r d.m d.p.c.m l r.d tel fax loc fraz cond int sc ca circa c.a p.es es incl escl max min " +
			"legs decr rel est pubbl gu s.o",
		beforeDay: "gen genn feb febbr mar apr mag giu lug ago sett set ott nov dic",
		afterName: "ecc etc s.p.a spa s.r.l srl s.n.c snc s.a.s sas s.a.p.a s.c.a.r.l scarl soc coop f.lli flli c.c c.p c.p.c c.p.p cod ss segg sgg ff gg mm aa ant post a.r i.v.a iva co.co ltd inc corp jr",
	}),
	openers: Set(`Il Lo La I Gli Le L Un Uno Una Del Dello Della Dei Degli Delle Di Al Allo Alla Ai Agli Alle A Da Dal Dalla Dai In Nel Nella Nei Nelle Con Su Sul Sulla Per Tra Fra Ove Qualora Se Quando Quale Quali Questo Questa Questi Queste
		Tale Tali Ogni Ciascuno Ciascuna Tutti Tutte Tutto Nessun Nessuno Nessuna Non Resta Restano È Sono Si Ha Hanno Esso Essa Essi Egli Entrambe Entrambi Sua Suo Suoi Sue Salvo Fermo Ferma Inoltre Altresì Tuttavia Pertanto Anche
		Decorso Dopo Prima Durante Mediante Secondo Senza Ai Chi Che Cosa Dove Come Così Letto Visto Vista Visti Viste Risponde Nulla Sino Fino Entro Oltre E O Ma Né Qualsiasi Eventuali Eventuale Altri Altre Eccetto Deve Devono Può Possono`),
	labels:       Set("allegato appendice sezione parte classe categoria serie gruppo tabella opzione lotto fase tipo livello scala prospetto"),
	conjunctions: []string{"e/o", "e", "ed", "o", "od", "oppure", "nonché"},
}

var dutchRules = &Grammar{
	wide:     true,
	suffixes: []string{"nr", "str"},
	abbreviations: kinds(map[abbreviationKind]string{
		beforeName: "mr mrs dhr dhrn mevr mw dr drs ir ing prof ds bc ll nr nrs ordernr art artt jo juncto lid par blz p pp pag sub hfdst hoofdst bijl fig tab vgl zgn zg bijv bv d.w.z dwz ca circa excl incl max min resp gev geb wnd wed gebr fam " +
			"stb stcrt trb pb pbeg pbeu rb hof rov afd t.a.v tav t.n.v tel tst ref kvk i.v.m ivm m.b.t mbt t.b.v tbv t.o.v t.g.v n.a.v a.d.h.v m.u.v i.p.v o.b.v o.g.v t.l.v m.i.v o.a o.m d.d dd cf nl",
		beforeDay: "jan febr feb mrt apr jun jul aug sept sep okt nov dec",
		afterName: "enz etc e.d ed e.v ev e.a c.s cs c.q m.m b.v n.v v.o.f vof c.v co cie st stk jl a.s m.n w.o u.s dgn wk mnd uur min jr sr ltd inc corp gmbh",
	}),
	openers: Set(`De Het Een Deze Dit Die Dat Er Hij Zij Ze Wij U Je Men In Op Aan Bij Met Voor Van Uit Door Naar Na Tot Tegen Over Onder Tijdens Wegens Ingevolge Krachtens Indien Als Wanneer Zodra Voorzover Tenzij Hoewel Omdat Is Zijn
		Wordt Worden Kan Kunnen Moet Moeten Mag Mogen Zal Zullen Heeft Hebben Geen Niet Elke Elk Ieder Iedere Alle Beide Ook Echter Daarnaast Daarbij Daartoe Hiervan Hierbij Hiertoe Zie Partijen Partij Wie Wat Waar Hoe Welke Ja Nee Zulks Zo
		Behoudens Onverminderd Overeenkomstig Mits Ten Te Ter Tevens Voorts Bovendien Verder Anders Eén Zonder Vanaf Binnen Buiten Ingeval Mocht Enige Sommige Andere Overige Slechts Uitsluitend Hetgeen Haar Hun Zijne Onze Ons Uw`),
	labels:       Set("bijlage afdeling onderdeel deel klasse categorie groep tabel optie fase type niveau letter blok sectie"),
	conjunctions: []string{"en/of", "en", "of", "dan wel", "alsmede"},
}

// EndsSentence is EndsSentence for a line above and the line that follows it.
func (g *Grammar) EndsSentence(above, next string) bool {
	if !EndsSentence(above) {
		return false
	}
	if !g.wide || !strings.HasSuffix(above, ".") {
		return true
	}
	const reach = 2 * maxAbbreviation
	above = above[max(0, len(above)-reach):]
	return g.EndsAt(above+"\n"+next[:min(len(next), reach)], len(above)-1)
}

// isShortened reports whether word has no vowels, as abbreviations have: "cpv", "Stk".
// Acronyms may have none either.
func isShortened(word string) bool {
	return len(word) > 1 && !strings.ContainsAny(word, "aeiouyAEIOUY.0123456789") && isASCII(word) && strings.ToUpper(word) != word
}

// OpensOrdinal reports whether s begins with an ordinal in figures that belongs to the
// noun behind it, and so is no number of a section: "31. März 2024". before is what
// stands before s.
func (g *Grammar) OpensOrdinal(before, s string) bool {
	n := DigitPrefix(s)
	return g.ordinals != nil && n > 0 && n+1 < len(s) && s[n] == '.' && ASCIISpace[s[n+1]] && g.isOrdinal(before, s[:n], s[n+1+SpaceAt(s[n+1:]):])
}

// isOrdinal reports whether figure, a word with a stop behind it, is an ordinal that
// belongs to what follows, after: "am 31. März", "zum 3. Werktag".
func (g *Grammar) isOrdinal(before, figure, after string) bool {
	if len(figure) > 3 || DigitPrefix(figure) < len(figure) {
		return false
	}
	noun := wideWordAt(after)
	if g.openers[noun] {
		return false
	}
	return g.ordinals[noun] || g.articles[strings.ToLower(wideWordBefore(strings.TrimRight(before, " \t\n\f\u00a0")))]
}

// OpensSentence reports whether s, in a language other than English, begins with a word
// that begins sentences, as "Der Mieter zahlt" does.
func (g *Grammar) OpensSentence(s string) bool { return g.wide && g.openers[wideWordAt(s)] }

// wordBefore is WordBefore with the letters of the language.
func (g *Grammar) wordBefore(s string) string {
	if g.wide {
		return wideWordBefore(s)
	}
	return WordBefore(s)
}

// wideWordBefore is WordBefore with the letters of every language.
func wideWordBefore(s string) string {
	i := len(s)
	for i > 0 && i > len(s)-maxAbbreviation {
		c := s[i-1]
		if c < utf8.RuneSelf {
			if !IsDigit(c) && !IsLetter(c) && c != '.' && c != '&' {
				break
			}
			i--
			continue
		}
		r, size := utf8.DecodeLastRuneInString(s[:i])
		if !unicode.IsLetter(r) {
			break
		}
		i -= size
	}
	return s[i:]
}

// wideWordAt returns the letters that s opens with.
func wideWordAt(s string) string {
	i := 0
	for i < len(s) && i < 2*maxAbbreviation {
		r, size := DecodeRune(s[i:])
		if !unicode.IsLetter(r) {
			break
		}
		i += size
	}
	return s[:i]
}
