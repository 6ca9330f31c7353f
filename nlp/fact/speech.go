package fact

import (
	"strings"
	"time"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/value"
)

// phrases are the words by which a language other than English says the facts of an
// agreement plainly. What is said in another way is left out. Several words are a phrase.
type phrases struct {
	between    []string // before the parties
	and        []string // before the last of them
	ends       []string // close the list of parties
	represents []string // before who acts for a party
	acts       []string // behind who acts for one
	called     []string // before what a party is called
	agreement  []string // what the agreement calls itself
	this       []string // before that
	made       []string // it is made on a date
	signed     []string // before the place and the date of signatures, at the start of a line
	on         string   // between that place and the date
	starts     []string // it takes effect at the date behind them; the rest of a phrase may be behind the date
	runs       []string // it has effect, which says when it begins only with from
	from       []string
	until      []string // before the date at which it ends
	negates    []string
	lawPhrases
	termPhrases
}

// speech are the phrases by language, ISO 639-1.
var speech = map[string]*phrases{
	"de": {
		between: []string{"zwischen"}, and: []string{"und", "sowie"}, ends: []string{"§", "präambel", "vorbemerkung", "vorbemerkungen"},
		represents: []string{"vertreten"},
		acts:       []string{"handelnd", "namens", "geschäftsführer", "geschäftsführerin", "prokurist", "bevollmächtigter"},
		called:     []string{"nachfolgend", "nachstehend", "folgenden", "genannt"},
		agreement:  []string{"vertrag", "vertrages", "vertrags", "vereinbarung", "mietvertrag", "kaufvertrag", "liefervertrag", "dienstvertrag", "arbeitsvertrag", "werkvertrag", "rahmenvertrag", "lizenzvertrag", "mietverhältnis", "vertragsverhältnis", "nachtrag"},
		this:       []string{"dieser", "diese", "dieses", "diesen", "diesem", "vorliegende", "vorliegender", "vorliegenden", "nachstehende", "nachstehender", "folgende", "folgender", "folgenden"},
		made:       []string{"geschlossen", "abgeschlossen", "unterzeichnet"},
		starts:     []string{"tritt … in kraft", "treten … in kraft", "beginnt", "wirksam"},
		runs:       []string{"gilt", "läuft", "gültig", "laufzeit"}, from: []string{"ab"},
		until:   []string{"bis", "ende", "endet", "enden", "spätestens", "außer kraft", "gekündigt", "kündigung", "aufgehoben", "aufhebung"},
		negates: []string{"nicht", "kein", "keine", "keinen", "keiner"},
		lawPhrases: lawPhrases{
			governs: []string{"unterliegt", "unterliegen", "gilt", "gelten", "geltung", "anwendung", "anzuwenden", "anwendbar", "anwendbares", "anwendbare", "anwendbaren", "anzuwendendes", "anzuwendende", "angewendet", "angewandt", "wendet", "maßgeblich", "maßgebend", "maßgebliche", "untersteht", "unterstehen",
				"unterstellt", "unterstellen", "richten", "richtet", "bestimmt", "bestimmen", "regelt", "regeln", "beurteilt", "beurteilen", "ausgelegt", "auszulegen", "auslegung", "rechtswahl", "vereinbaren", "vereinbart", "wählen", "geregelt", "entscheidet", "entschieden"},
			subjects: []string{"es gilt", "gilt ausschließlich", "vertrages", "verträge", "verträgen", "lieferverträge", "rahmenvertrages", "mietvertrages", "darlehensvertrag", "darlehensvertrags", "rechtsbeziehung", "rechtsbeziehungen", "rechtsverhältnis", "rechtsverhältnisse", "vertragsbeziehung", "vertragsbeziehungen",
				"bedingungen", "geschäftsbedingungen", "anleihebedingungen", "lieferbedingungen", "einkaufsbedingungen", "nutzungsbedingungen", "agb", "vertragsparteien", "anwendbares recht", "anzuwendendes recht", "anwendbare recht", "rechtswahl", "bürgschaft", "garantie", "satzung"},
			founded: []string{"gegründet", "gegründete", "gegründeten", "errichtet", "errichtete", "errichteten", "bestehende", "bestehenden", "eingetragene", "eingetragenen", "inkorporiert", "organisiert", "organisierte"},
			exempt:  []string{"geregelt", "geregelten", "anders", "anderes", "abweichend", "nur", "ausschließlich", "ausschließlichen", "ausschließliche", "entgegenstehen", "zwingend", "zwingende", "zwingenden", "ausdrücklich"},
			except:  []string{"soweit", "sofern", "falls", "wenn", "un", "cisg", "wiener", "kaufrecht", "un-kaufrecht", "kollisionsrecht", "kollisionsnormen", "verweisungsnormen", "kaufrechtsübereinkommen", "übereinkommen"},
			applies: []string{"anwendung", "geltung"}, that: []string{"dass", "daß"}, bodies: []string{"gesellschaft", "aktiengesellschaft", "gmbh", "ag", "körperschaft", "person", "bank", "stiftung", "genossenschaft", "kapitalgesellschaft"},
			excludes: []string{"schließen", "schließt", "ausschluss", "ausschluß", "ausgenommen", "anstelle", "statt", "entgegen"}, excluded: []string{"ausgeschlossen", "abbedungen", "ausgenommen", "verdrängt"},
			statutes: []string{"gesetz", "gesetze", "gesetzen"}, topics: []string{"über", "zum", "zur", "betreffend", "vom"},
			and: []string{"und", "sowie"},
		},
		termPhrases: termPhrases{
			lasts: []string{"laufzeit", "vertragslaufzeit", "mietzeit", "dauer", "vertragsdauer"}, expires: []string{"endet", "endend"}, till: []string{"bis"}, unless: []string{"wenn", "sofern", "falls", "sei"}, yearly: []string{"von jahr zu jahr"}, open: []string{"auf unbestimmte zeit", "unbefristet"},
			after:  []string{"nach", "während", "ende", "ablauf", "beendigung"},
			others: []string{"geheimhaltung", "geheimhaltungspflicht", "vertraulichkeit", "wettbewerbsverbot", "lizenz", "frist", "fristen", "probezeit", "garantie", "gewährleistung", "gewährleistungsfrist", "angebot", "wartung", "kredit", "darlehen"},
			renews: []string{"verlängert", "verlängern"}, itself: []string{"stillschweigend", "automatisch", "jeweils"}, repeatedly: []string{"jeweils"},
			notice: []string{"frist", "kündigungsfrist", "vor ablauf", "vor ihrem ablauf", "vor dem ablauf", "vor ende", "vor dem ende"}, breach: []string{"grund", "verletzung", "verzug", "mahnung"},
		},
	},
	"fr": {
		between: []string{"entre"}, and: []string{"et", "d'autre", "d’autre"}, ends: []string{"préambule", "article", "convenu", "exposé"},
		represents: []string{"représentée", "représenté"},
		acts:       []string{"agissant", "qualité", "représentant", "gérant", "gérante", "président"},
		called:     []string{"ci-après", "après", "dénommée", "dénommé", "désignée", "désigné"},
		agreement:  []string{"contrat", "convention", "accord", "bail", "avenant"},
		this:       []string{"présent", "présente"},
		made:       []string{"conclu", "conclue", "signé", "signée"}, signed: []string{"fait à"},
		starts: []string{"prend effet", "prendra effet", "prenant effet", "entre en vigueur", "entrera en vigueur", "entrée en vigueur", "débute", "débutera", "commence", "commencera"},
		runs:   []string{"vigueur", "effet", "valable", "durée"}, from: []string{"dès", "à compter", "à partir"},
		until:   []string{"jusqu'au", "jusqu’au", "jusqu'à", "jusqu’à", "fin", "terme", "échéance", "expire", "expirera", "cesse", "cessera", "au plus tard", "résilié", "résiliée", "résiliation"},
		negates: []string{"pas", "aucun", "aucune", "non"},
		lawPhrases: lawPhrases{
			governs: []string{"régi", "régie", "régis", "régies", "régit", "régissent", "soumis", "soumise", "soumises", "soumettent", "soumet", "assujetti", "assujettie", "applicable", "applicables", "applique", "s'applique", "s’applique", "appliquent", "s'appliquent", "s’appliquent", "appliquera", "s'appliquera", "s’appliquera", "appliquant",
				"gouverné", "gouvernée", "gouvernés", "gouvernées", "interprété", "interprétée", "interprétés", "interprétées", "relève", "relèvent", "relèvera", "tranché", "tranchés", "tranchée", "tranchées", "tranchera", "statuera", "statueront", "statuant", "d'application", "d’application", "application du", "application de la", "conviennent", "choisissent", "référence au", "référer"},
			subjects: []string{"contrats", "entente", "protocole", "présentes", "présente", "conditions", "cgv", "cgu", "pacte", "garantie", "prêt", "statuts", "droit applicable", "loi applicable", "relations contractuelles", "relation contractuelle", "obligations contractuelles", "rapports contractuels"},
			founded:  []string{"société", "sociétés", "personne", "immatriculée", "constituée", "constitué", "organisée", "existant", "incorporée", "association"},
			exempt:   []string{"prévu", "prévus", "prévue", "prévues", "expressément", "exclusive", "exclusif", "contraire", "contraires"},
			except:   []string{"sauf", "si", "sous réserve", "vienne", "cvim", "conflit", "conflits", "convention", "toutefois", "sans"},
			that:     []string{"que"}, applies: []string{"application", "l'application", "l’application"}, bodies: []string{"de droit"}, rules: []string{"règles", "règle", "dispositions", "questions", "principes"},
			excludes: []string{"écartent", "écarte", "excluent", "exclut", "l'exclusion", "l’exclusion", "exclusion", "excluant", "exception", "l'exception", "l’exception", "non", "lieu"}, excluded: []string{"exclu", "exclue", "exclus", "exclues", "écarté", "écartée", "écartées"},
			statutes: []string{"loi", "lois", "législation"}, topics: []string{"n", "n°", "no", "du", "relative", "relatif", "sur", "portant", "en matière", "dite", "contre"},
			and: []string{"et"},
		},
		termPhrases: termPhrases{
			lasts: []string{"durée"}, expires: []string{"fin le", "terme le", "expire le", "expirera le"}, till: []string{"jusqu'au", "jusqu’au"}, unless: []string{"sauf", "si", "moins"}, yearly: []string{"d'année en année", "d’année en année"},
			open:   []string{"durée indéterminée"},
			after:  []string{"après", "pendant", "durant", "fin", "issue"},
			others: []string{"confidentialité", "concurrence", "délai", "garantie", "essai", "offre", "prêt", "crédit"},
			renews: []string{"renouvelé", "renouvelée", "renouvellera", "renouvelle", "renouvelable", "reconduit", "reconduite", "reconduction"}, itself: []string{"tacite", "tacitement", "automatiquement"},
			repeatedly: []string{"successives", "successifs", "chaque", "nouvelles"}, notice: []string{"préavis", "avant l'échéance", "avant l’échéance", "avant son échéance", "avant le terme", "avant la fin", "avant l'expiration", "avant l’expiration"},
			breach: []string{"manquement", "faute", "demeure"},
		},
	},
	"es": {
		between: []string{"reunidos", "entre", "de una parte"}, and: []string{"y", "e", "otra"}, ends: []string{"exponen", "manifiestan", "cláusulas", "primera"},
		represents: []string{"representada", "representado"},
		acts:       []string{"representación", "actuando", "actúa", "apoderado", "apoderada", "administrador", "administradora"},
		called:     []string{"adelante", "denominada", "denominado", "denominará"},
		agreement:  []string{"contrato", "acuerdo", "convenio"},
		this:       []string{"presente", "este"},
		made:       []string{"celebra", "celebrado", "suscrito", "suscribe", "firmado"}, signed: []string{"en"}, on: ", a",
		starts: []string{"entra en vigor", "entrará en vigor", "entrada en vigor", "surte efectos", "surtirá efectos", "surte efecto", "surtirá efecto", "comienza", "comenzará", "inicia", "iniciará"},
		runs:   []string{"vigor", "vigencia", "efectos", "válido", "duración"}, from: []string{"desde", "a partir"},
		until:   []string{"hasta", "fin", "finaliza", "finalizará", "termina", "terminará", "vence", "vencerá", "vencimiento", "expira", "expirará", "a más tardar", "resuelto", "resolución", "rescisión"},
		negates: []string{"no", "ninguna", "ningún"},
		lawPhrases: lawPhrases{
			governs: []string{"regirá", "regirán", "rige", "rigen", "regido", "regida", "regidos", "regidas", "sometido", "sometida", "sometidos", "sometidas", "someten", "somete", "someterá", "sujeto", "sujeta", "sujetos", "sujetas", "sujetará", "sujetarán", "aplicable", "aplicables", "aplicará", "aplicarán", "aplica", "aplicando", "aplicación", "regulará", "regularán", "regule", "rija", "rijan",
				"regula", "regulado", "regulada", "gobernado", "gobernará", "interpretará", "interpretarán", "interpretado", "interpretada", "interpretados", "resolverá", "resolverán", "resuelta", "resueltas", "estará a lo dispuesto", "estarán a lo dispuesto", "conforme al", "arreglo al"},
			subjects: []string{"contratos", "acuerdos", "arrendamiento", "presentes", "condiciones", "términos", "pacto", "pagarés", "garantía", "préstamo", "estatutos", "ley aplicable", "legislación aplicable", "derecho aplicable", "controversia", "relación contractual", "cláusulas", "póliza"},
			founded:  []string{"sociedad", "sociedades", "constituida", "constituido", "organizada", "existente", "entidad", "inscrita", "compañía", "mercantil"},
			exempt:   []string{"previsto", "prevista", "regulado", "expresamente", "exclusiva", "sólo", "solo", "dispuesto", "contemplado", "estipulado", "contrario", "pactado", "específicamente"},
			except:   []string{"salvo", "si", "excepto", "viena", "cisg", "conflicto", "conflictos", "convención", "sin"},
			that:     []string{"que"}, applies: []string{"aplicación"}, bodies: []string{"de derecho"}, rules: []string{"normas", "norma", "cuestiones", "disposiciones", "principios"},
			excludes: []string{"excluyen", "excluye", "exclusión", "excluyendo", "excepto", "salvo", "lugar", "renuncia"}, excluded: []string{"excluida", "excluido", "excluidas", "excluye", "excluyen"},
			statutes: []string{"ley", "leyes", "legislación", "normativa", "derecho"}, topics: []string{"n", "nº", "núm", "sobre", "relativa", "reguladora", "contra", "en materia"}, topic: "de", general: []string{"aplicación", "forma", "manera", "modo", "conformidad", "acuerdo"},
			and: []string{"y", "e"},
		},
		termPhrases: termPhrases{
			lasts: []string{"duración", "vigencia"}, till: []string{"hasta"}, unless: []string{"salvo", "si", "excepto"}, yearly: []string{"de año en año"}, expires: []string{"finaliza el", "finalizará el", "termina el", "terminará el", "vence el", "vencerá el"}, open: []string{"duración indefinida", "tiempo indefinido", "plazo indefinido"},
			after:  []string{"tras", "durante", "después", "terminación"},
			others: []string{"confidencialidad", "competencia", "garantía", "prueba", "oferta", "préstamo", "crédito"},
			renews: []string{"prorrogará", "prorroga", "prorrogado", "prórroga", "renovará", "renueva", "renovado"}, itself: []string{"tácitamente", "tácita", "automáticamente", "automática"},
			repeatedly: []string{"sucesivos", "sucesivas", "cada", "iguales"}, notice: []string{"preaviso", "antelación", "anticipación", "antes de su vencimiento", "antes del vencimiento"}, breach: []string{"incumplimiento"},
		},
	},
	"it": {
		between: []string{"tra", "fra"}, and: []string{"e", "ed"}, ends: []string{"premesso", "premesse", "articolo"},
		represents: []string{"rappresentata", "rappresentato"},
		acts:       []string{"rappresentante", "qualità", "amministratore", "procuratore"},
		called:     []string{"seguito", "denominata", "denominato", "detta"},
		agreement:  []string{"contratto", "accordo", "convenzione", "locazione"},
		this:       []string{"presente"},
		made:       []string{"stipulato", "stipulata", "sottoscritto", "concluso", "conclusa"},
		starts:     []string{"entra in vigore", "entrerà in vigore", "entrata in vigore", "decorre", "decorrerà", "decorrenza", "ha effetto", "avrà effetto", "con effetto", "inizia", "inizio"},
		runs:       []string{"vigore", "effetto", "valido", "validità", "durata"}, from: []string{"dal", "dall", "a partire", "a decorrere"},
		until:   []string{"fino", "sino", "termine", "termina", "terminerà", "scade", "scadrà", "scadenza", "cessa", "cesserà", "entro", "recesso", "risolto", "risoluzione"},
		negates: []string{"non", "nessuna", "nessun"},
		lawPhrases: lawPhrases{
			governs: []string{"regolamentato", "regolamentata", "regolamentati", "regolato", "regolata", "regolati", "regolate", "disciplinato", "disciplinata", "disciplinati", "disciplinate", "soggetto", "soggetta", "soggetti", "soggette", "retto", "retta", "applica", "applicano", "applicherà", "applicheranno", "applicabile", "applicabili", "applicando", "sottoposto", "sottoposta",
				"sottostà", "sottostanno", "governato", "governata", "interpretato", "interpretata", "interpretati", "interpretate", "rinviano", "rinvia", "rinvio", "riferimento", "assoggettato", "assoggettata", "assoggettati", "deciderà", "decideranno", "decisa", "decise", "risolta", "risolte"},
			subjects: []string{"contratti", "presenti", "condizioni", "termini", "patto", "parasociale", "rapporto", "atto", "statuto", "garanzia", "finanziamento", "fideiussione", "legge applicabile", "diritto applicabile", "controversia", "espressamente previsto"},
			founded:  []string{"società", "costituita", "costituito", "costituite", "organizzata", "esistente", "ente", "associazione"},
			exempt:   []string{"previsto", "previste", "espressamente", "diversamente", "solo", "esclusiva", "disciplinato", "regolato", "contemplato", "disposto", "derogato"},
			except:   []string{"salvo", "se", "qualora", "vienna", "conflitto", "conflitti", "convenzione", "senza", "fermo"},
			that:     []string{"che"}, applies: []string{"applicazione", "l'applicazione", "l’applicazione", "dell'applicazione", "dell’applicazione"}, bodies: []string{"di diritto"}, rules: []string{"norme", "norma", "disposizioni", "questioni", "principi"},
			excludes: []string{"escludono", "esclude", "esclusione", "escludendo", "eccezione", "luogo", "deroga"}, excluded: []string{"esclusa", "escluso", "escluse", "esclude", "escludono"},
			statutes: []string{"legge", "leggi", "normativa", "legislazione"}, topics: []string{"n", "nr", "sul", "sulla", "sui", "sulle", "relativa", "in materia", "recante", "del"},
			and: []string{"e", "ed"},
		},
		termPhrases: termPhrases{
			lasts: []string{"durata"}, till: []string{"fino", "sino"}, unless: []string{"salvo", "se", "qualora"}, yearly: []string{"di anno in anno"}, expires: []string{"scade il", "scadrà il", "termina il", "terminerà il"}, open: []string{"tempo indeterminato", "durata indeterminata"},
			after:  []string{"dopo", "durante", "cessazione"},
			others: []string{"riservatezza", "concorrenza", "garanzia", "prova", "offerta", "mutuo", "finanziamento"},
			renews: []string{"rinnova", "rinnoverà", "rinnovato", "rinnovo", "prorogato", "proroga"}, itself: []string{"tacitamente", "tacito", "automaticamente", "automatico"},
			repeatedly: []string{"successivi", "volta", "ciascuno"}, notice: []string{"preavviso", "prima della scadenza", "anticipo"}, breach: []string{"inadempimento", "diffida"},
		},
	},
	"nl": {
		between: []string{"tussen", "ondergetekenden"}, and: []string{"en", "anderzijds"}, ends: []string{"overwegende", "artikel", "overwegingen"},
		represents: []string{"vertegenwoordigd"},
		acts:       []string{"handelend", "namens", "bestuurder", "directeur", "gevolmachtigde"},
		called:     []string{"hierna", "genoemd", "noemen"},
		agreement:  []string{"overeenkomst", "contract", "huurovereenkomst", "koopovereenkomst", "arbeidsovereenkomst"},
		this:       []string{"deze", "dit", "onderhavige"},
		made:       []string{"gesloten", "aangegaan", "ondertekend"}, signed: []string{"aldus"},
		starts: []string{"treedt … in werking", "inwerkingtreding", "gaat in", "vangt … aan", "begint", "ingangsdatum"},
		runs:   []string{"werking", "kracht", "geldt", "geldig", "loopt", "duur"}, from: []string{"vanaf", "met ingang"},
		until:   []string{"tot", "einde", "eindigt", "loopt af", "verstrijkt", "uiterlijk", "buiten werking", "opgezegd", "opzegging", "beëindigd", "beëindiging"},
		negates: []string{"niet", "geen"},
		lawPhrases: lawPhrases{
			governs:  []string{"toepassing", "beheerst", "toepasselijk", "toepasselijke", "onderworpen", "geregeerd", "geldt", "gelden", "uitgelegd", "onderhevig", "past", "passen", "rechtskeuze", "beoordeeld", "geïnterpreteerd", "beslist"},
			subjects: []string{"overeenkomsten", "voorwaarden", "akte", "rechtsverhouding", "rechtsverhoudingen", "rechtsbetrekking", "rechtsbetrekkingen", "betrekkingen", "leningsovereenkomst", "aandeelhoudersovereenkomst", "koopovereenkomst", "huur", "toepasselijk recht", "geschillen", "geschil", "statuten", "raamovereenkomst", "licentieovereenkomst", "verbintenissen", "offertes"},
			founded:  []string{"vennootschap", "vennootschappen", "opgericht", "opgerichte", "bestaande", "rechtspersoon", "georganiseerd"},
			exempt:   []string{"geregeld", "anders", "alleen", "exclusieve", "dwingend", "dwingende", "voorzien", "voorziet", "uitdrukkelijk", "bepaald"},
			except:   []string{"tenzij", "indien", "mits", "voor zover", "weens", "koopverdrag", "cisg", "verdrag"},
			applies:  []string{"toepassing", "toepasselijkheid"}, that: []string{"dat"}, bodies: []string{"vennootschap", "rechtspersoon", "stichting", "bank"},
			excludes: []string{"sluiten", "uitsluiting", "uitgezonderd", "uitzondering", "plaats"}, excluded: []string{"uitgesloten"},
			statutes: []string{"wet", "wetten"}, topics: []string{"op", "van", "inzake", "betreffende"},
			and: []string{"en"},
		},
		termPhrases: termPhrases{
			lasts: []string{"duur", "looptijd", "periode"}, expires: []string{"eindigt op"}, till: []string{"tot"}, unless: []string{"tenzij", "indien", "mits"}, yearly: []string{"van jaar tot jaar"}, open: []string{"onbepaalde tijd"},
			after:  []string{"na", "tijdens", "einde", "afloop"},
			others: []string{"geheimhouding", "concurrentiebeding", "termijn", "garantie", "proeftijd", "aanbieding", "lening"},
			renews: []string{"verlengd", "verlenging"}, itself: []string{"stilzwijgend", "automatisch", "telkens"}, repeatedly: []string{"telkens", "steeds"},
			notice: []string{"opzegtermijn", "voor het einde", "vóór het einde", "voor de afloop", "voor afloop"}, breach: []string{"tekortkoming", "ingebrekestelling", "verzuim"},
		},
	},
}

// read reads the parties and all facts, parties among them.
func (p *phrases) read(r *fileReader) (parties, facts []fact) {
	parties = p.parties(r)
	facts = append(facts, parties...)
	if f, ok := p.agreementDate(r, parties); ok {
		facts = append(facts, f)
	}
	effective, ok := p.effectiveDate(r)
	if ok {
		facts = append(facts, effective)
	}
	facts = append(facts, p.terms(r, effective)...)
	law, ok := p.governingLaw(r)
	if ok {
		facts = append(facts, law)
	}
	if f, ok := r.currency(law); ok {
		facts = append(facts, f)
	}
	return parties, append(facts, r.sumsOf(sums[r.s.Language], "", parties)...)
}

// parties are those that are named behind "between", with what they are called.
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

// partiesIn returns the companies and people of a list. Who only represents one of them is none.
func (p *phrases) partiesIn(r *fileReader, in stretch, most int) []fact {
	var list []fact
	seen, people := map[string]bool{}, false
	named := p.acting(r, p.withPeople(r, in, r.mentions(value.Organization, in)))
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
		people = people || m.Key == value.Person
	}
	if people && len(list) < enoughParties {
		return nil // what has a short form in quotation marks need not be a person
	}
	return list
}

// acting returns those of the companies of a list that do not only represent the one
// before: "A KG, vertreten durch die B GmbH, und die C AG" has A and C.
func (p *phrases) acting(r *fileReader, named []value.Mention) []value.Mention {
	var list []value.Mention
	for _, m := range named {
		if len(list) == 0 || !p.isRepresented(r, stretch{r.t.Find(list[len(list)-1].End), r.t.Find(m.Start)}) {
			list = append(list, m)
		}
	}
	return list
}

// isRepresented reports whether what is between two companies says that the second acts
// for the first: nothing that begins another party is behind it.
func (p *phrases) isRepresented(r *fileReader, in stretch) bool {
	const (
		reach  = 16
		beside = 4 // lexemes between "and" and a name
	)
	last := -1
	for i := range r.each(in, p.represents...) {
		last = i
	}
	if last < 0 || in.next-last > reach || r.has(stretch{max(last, in.next-beside), in.next}, p.and...) {
		return false
	}
	for i := last + 1; i <= in.next; i++ {
		if r.t.Apart(i) || r.t.IsQuote(i) || r.t.Is(i, ")", ";") || r.t.IsNumber(i) && r.t.Newline(i) {
			return false
		}
	}
	return true
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
// one beside the place of its signatures. A sentence that names neither this agreement nor
// its parties for the first time is about another.
func (p *phrases) agreementDate(r *fileReader, parties []fact) (fact, bool) {
	for _, in := range r.sentences {
		if in.first >= r.opening {
			break
		}
		if !r.has(in, p.made...) || !r.has(in, p.agreement...) {
			continue
		}
		for _, m := range p.dates(r, in) {
			at := r.t.Find(m.Start)
			if r.t.Is(at-2, p.agreement...) && !r.t.Is(at-3, p.this...) {
				continue // "der Rahmenvertrag vom 3. Mai 2019"
			}
			if before := (stretch{max(in.first, at-besideDate), at}); r.says(before, p.from...) || r.says(before, p.until...) {
				continue // "conclu pour un an à compter du 1er mars 2024"
			}
			if p.namesThis(r, stretch{in.first, at}) || countWithin(parties, r.t.Extent(in.first, in.next)) >= enoughParties {
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

// namesThis reports whether a stretch has the agreement as this one: "le présent contrat".
func (p *phrases) namesThis(r *fileReader, in stretch) bool {
	for i := range r.each(in, p.agreement...) {
		if r.has(stretch{max(in.first, i-2), i}, p.this...) {
			return true
		}
	}
	return false
}

// countWithin counts the facts whose first evidence is in e.
func countWithin(facts []fact, e lex.Extent) int {
	n := 0
	for _, f := range facts {
		if f.evidence[0].Start >= e.Start && f.evidence[0].End <= e.End {
			n++
		}
	}
	return n
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

// effectiveDate is the date behind the words by which the agreement takes effect. One
// behind words for its end is none, whatever else the sentence says.
func (p *phrases) effectiveDate(r *fileReader) (fact, bool) {
	for _, in := range r.sentences {
		if !r.has(in, p.agreement...) || r.has(in, p.negates...) {
			continue
		}
		for _, m := range p.dates(r, in) {
			if p.takesEffect(r, in, r.t.Find(m.Start)) {
				return fact{value.EffectiveDate, m.Value, 0.75, []lex.Extent{m.Extent, r.t.Extent(in.first, in.next)}}, true
			}
		}
	}
	return fact{}, false
}

// besideDate is how many lexemes words that belong to a date are before it: "ab dem", "à
// compter du", "met ingang van", "bis zum", "tot en met".
const besideDate = 3

// takesEffect reports whether a sentence says that the agreement has effect from the date
// at lexeme i on.
func (p *phrases) takesEffect(r *fileReader, in stretch, i int) bool {
	const reach = 14
	if r.says(stretch{in.first, i}, p.until...) {
		return false
	}
	before := stretch{max(in.first, i-reach), i}
	for _, phrase := range p.starts {
		verb, rest, parted := strings.Cut(phrase, " … ")
		if r.says(before, verb) && (!parted || r.says(in, rest)) {
			return true
		}
	}
	return r.says(before, p.runs...) && r.says(stretch{max(in.first, i-besideDate), i}, p.from...)
}
