package value

import (
	"strings"
	"sync"

	"github.com/clausemill/clausemill/nlp/lex"
)

// lawWords are how a language names the law and the courts of a place. All are in lower case.
type lawWords struct {
	nouns     map[string]bool // law
	courts    map[string]bool // those who apply it
	small     map[string]bool // articles and prepositions between them and a place
	titles    map[string]bool // what a place is, before its name: "Kanton", "République"
	qualities map[string]bool // what is said of the law beside its place: "materiell"
	forced    map[string]bool // "in force", before inside
	inside    map[string]bool // "in"
	chosen    map[string]bool // "applicable"
	links     map[string]bool // between the law that is applicable and its place: "is"
	and       map[string]bool
	// of are adjectives of places, without their endings, by code.
	of      map[string]string
	endings map[string]bool
	behind  bool // adjectives are behind their nouns
	names   func() map[string][]territoryName
}

// lawsOf are those of each language with a lexicon.
var lawsOf = map[string]*lawWords{
	"de": newLawWords("de", lawWords{
		nouns:  lex.Set("recht rechts rechte rechtes gesetz gesetze gesetzen rechtsordnung rechtsvorschriften"),
		courts: lex.Set("gericht gerichte gerichten gerichts gerichtes gerichtsbarkeit"),
		small:  lex.Set("der des die den das dem von us - und"),
		titles: lex.Set("bundesrepublik republik volksrepublik königreich königreichs königreiches fürstentum fürstentums großherzogtum großherzogtums grossherzogtum grossherzogtums kanton kantons kantone land landes bundesland bundeslandes staat staats staates " +
			"bundesstaat bundesstaats bundesstaates us-bundesstaats us-bundesstaates us-staates freistaat freistaats freistaates provinz eidgenossenschaft"),
		qualities: lex.Set("geltenden geltende geltendes geltendem materiellen materielle materielles materiellem inländischen zwingenden ordentlichen ordentliche staatlichen staatliche zuständigen zuständige internen"),
		forced:    lex.Set("geltende geltenden geltendes geltendem geltendes"), inside: lex.Set("in"),
		chosen: lex.Set("anwendbares anwendbare anwendbaren anzuwendendes anzuwendende maßgebliches maßgebliche maßgebendes"), links: lex.Set(": ist sei"), and: lex.Set("und oder sowie / beziehungsweise bzw . aber"),
		endings: lex.Set("e em en er es"),
	}, "deutsch DE österreichisch AT schweizerisch CH schweizer CH französisch FR italienisch IT spanisch ES niederländisch NL holländisch NL belgisch BE luxemburgisch LU liechtensteinisch LI englisch GB-ENG schottisch GB-SCT nordirisch GB-NIR britisch GB irisch IE "+
		"polnisch PL tschechisch CZ slowakisch SK slowenisch SI kroatisch HR serbisch RS dänisch DK schwedisch SE norwegisch NO finnisch FI isländisch IS estnisch EE lettisch LV litauisch LT portugiesisch PT griechisch GR zyprisch CY maltesisch MT ungarisch HU rumänisch RO bulgarisch BG "+
		"türkisch TR russisch RU ukrainisch UA chinesisch CN japanisch JP südkoreanisch KR indisch IN israelisch IL ägyptisch EG marokkanisch MA tunesisch TN amerikanisch US kanadisch CA mexikanisch MX brasilianisch BR argentinisch AR chilenisch CL australisch AU neuseeländisch NZ "+
		"südafrikanisch ZA monegassisch MC bayerisch DE-BY sächsisch DE-SN hessisch DE-HE kalifornisch US-CA katalanisch ES-CT"),
	"fr": newLawWords("fr", lawWords{
		nouns:     lex.Set("droit droits loi lois législation"),
		courts:    lex.Set("tribunal tribunaux juridiction juridictions cour cours juge juges"),
		small:     lex.Set("de du des la le les l' au aux l ' ’ et"),
		titles:    lex.Set("république royaume confédération principauté grand-duché grand - duché canton état etat états province région fédération"),
		qualities: lex.Set("en vigueur interne internes matériel matérielle positif civil civile commercial étatiques compétents compétentes compétent ordinaires ordinaire fédérales fédéral"),
		forced:    lex.Set("vigueur"), inside: lex.Set("dans en au aux à"),
		chosen: lex.Set("applicable applicables"), links: lex.Set(": est sera"), and: lex.Set("et ou / soit"),
		endings: lex.Set("e es s ne nes"), behind: true,
	}, "français FR françai FR suisse CH belge BE luxembourgeois LU monégasque MC allemand DE anglais GB-ENG écossais GB-SCT britannique GB irlandais IE italien IT espagnol ES néerlandais NL hollandais NL autrichien AT portugais PT polonais PL danois DK suédois SE norvégien NO finlandais FI "+
		"grec GR grecque GR hongrois HU tchèque CZ slovaque SK roumain RO bulgare BG croate HR slovène SI turc TR turque TR russe RU ukrainien UA maltais MT chypriote CY liechtensteinois LI andorran AD marocain MA tunisien TN algérien DZ sénégalais SN ivoirien CI camerounais CM malien ML "+
		"béninois BJ togolais TG burkinabè BF nigérien NE nigérian NG gabonais GA malgache MG mauricien MU libanais LB égyptien EG israélien IL japonais JP chinois CN indien IN australien AU américain US canadien CA québécois CA-QC ontarien CA-ON brésilien BR mexicain MX argentin AR chilien CL "+
		"haïtien HT catalan ES-CT bavarois DE-BY californien US-CA genevois CH-GE vaudois CH-VD valaisan CH-VS"),
	"es": newLawWords("es", lawWords{
		nouns:     lex.Set("derecho ley leyes legislación normativa ordenamiento"),
		courts:    lex.Set("tribunal tribunales juzgado juzgados corte cortes juez jueces jurisdicción"),
		small:     lex.Set("de del la el los las y"),
		titles:    lex.Set("reino república estado estados provincia comunidad autónoma principado nación federación cantón gran ducado oriental federativa bolivariana plurinacional"),
		qualities: lex.Set("en vigor vigente vigentes común civil mercantil foral sustantivo material interno jurídico ordinarios competentes federales nacionales"),
		forced:    lex.Set("vigor vigente vigentes"), inside: lex.Set("en"),
		chosen: lex.Set("aplicable aplicables"), links: lex.Set(": es será sea"), and: lex.Set("y e o u / bien"),
		endings: lex.Set("o a os as e es"), behind: true,
	}, "español ES francés FR frances FR alemán DE aleman DE italian IT inglés GB-ENG ingles GB-ENG escocés GB-SCT escoces GB-SCT británic GB irlandés IE irlandes IE portugués PT portugues PT suiz CH holandés NL holandes NL neerlandés NL neerlandes NL belga BE belgas BE austriac AT "+
		"luxemburgués LU luxemburgues LU andorran AD monegasc MC danés DK danes DK suec SE norueg NO finlandés FI finlandes FI polac PL chec CZ grieg GR húngar HU ruman RO búlgar BG ruso RU rusa RU rusas RU turc TR mexican MX argentin AR colombian CO chilen CL peruan PE uruguay UY paraguay PY "+
		"venezolan VE ecuatorian EC bolivian BO brasileñ BR cuban CU dominican DO panameñ PA costarricens CR guatemaltec GT salvadoreñ SV hondureñ HN nicaragüens NI puertorriqueñ US-PR estadounidens US canadiens CA chin CN japonés JP japones JP israelí IL marroquí MA catalán ES-CT catalan ES-CT "+
		"vasc ES-PV navarr ES-NC galleg ES-GA aragonés ES-AR aragones ES-AR balear ES-IB californian US-CA"),
	"it": newLawWords("it", lawWords{
		nouns:     lex.Set("legge leggi diritto legislazione normativa ordinamento"),
		courts:    lex.Set("tribunale tribunali giudice giudici corte corti giurisdizione giudiziaria giudiziarie"),
		small:     lex.Set("di del della dello dei degli delle dell' la il lo e"),
		titles:    lex.Set("repubblica regno confederazione stato stati cantone provincia regione principato granducato federazione"),
		qualities: lex.Set("vigente vigenti materiale sostanziale interno civile commerciale positivo giuridico ordinari ordinario competenti competente in vigore"),
		forced:    lex.Set("vigente vigenti vigore"), inside: lex.Set("in nel nella nello negli nei"),
		chosen: lex.Set("applicabile applicabili"), links: lex.Set(": è sarà quella quello"), and: lex.Set("e ed o oppure ovvero /"),
		endings: lex.Set("o a i e hi he"), behind: true,
	}, "italian IT frances FR tedesc DE spagnol ES svizzer CH ingles GB-ENG scozzes GB-SCT britannic GB irlandes IE austriac AT olandes NL neerlandes NL belg BE lussemburghes LU sammarines SM monegasc MC maltes MT portoghes PT polacc PL danes DK svedes SE norveges NO finlandes FI grec GR "+
		"ungheres HU ceco CZ ceca CZ slovacc SK sloven SI croat HR rumen RO bulgar BG turc TR russ RU ucrain UA cines CN giappones JP indian IN israelian IL egizian EG marocchin MA tunisin TN american US statunitens US canades CA messican MX brasilian BR argentin AR cilen CL australian AU "+
		"ticines CH-TI catalan ES-CT bavares DE-BY californian US-CA"),
	"nl": newLawWords("nl", lawWords{
		nouns:     lex.Set("recht wet wetten wetgeving"),
		courts:    lex.Set("rechter rechters rechtbank rechtbanken gerecht gerechten hof hoven jurisdictie"),
		small:     lex.Set("van de het der en"),
		titles:    lex.Set("koninkrijk republiek volksrepubliek bondsrepubliek staat deelstaat provincie kanton groothertogdom vorstendom prinsdom bondsstaat confederatie gewest"),
		qualities: lex.Set("geldende geldend materiële materieel interne burgerlijk burgerlijke dwingend bevoegde gewone"),
		forced:    lex.Set("geldende geldend vigerende"), inside: lex.Set("in"),
		chosen: lex.Set("toepasselijk toepasselijke"), links: lex.Set(": is zij dat"), and: lex.Set("en of dan wel ofwel respectievelijk /"),
		endings: lex.Set("e"),
	}, "nederlands NL belgisch BE vlaams BE-VLG waals BE-WAL duits DE frans FR engels GB-ENG schots GB-SCT brits GB iers IE zwitsers CH spaans ES italiaans IT luxemburgs LU oostenrijks AT pools PL deens DK zweeds SE noors NO fins FI finse FI portugees PT portugese PT grieks GR hongaars HU "+
		"tsjechisch CZ roemeens RO bulgaars BG kroatisch HR turks TR russisch RU chinees CN chinese CN japans JP israëlisch IL marokkaans MA amerikaans US canadees CA canadese CA mexicaans MX braziliaans BR argentijns AR australisch AU surinaams SR arubaans AW curaçaos CW indonesisch ID "+
		"liechtensteins LI monegaskisch MC catalaans ES-CT beiers DE-BY californisch US-CA"),
}

func newLawWords(code string, w lawWords, adjectives string) *lawWords {
	w.of = map[string]string{}
	list := strings.Fields(adjectives)
	for i := 0; i < len(list); i += 2 {
		w.of[list[i]] = list[i+1]
	}
	w.endings[""] = true
	w.names = sync.OnceValue(func() map[string][]territoryName { return namesIn(code) })
	return &w
}
