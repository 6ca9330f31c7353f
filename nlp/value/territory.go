package value

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/clausemill/clausemill/nlp/lex"
)

// Territory is a state, province or country, with its code of ISO 3166 and its name in full.
type Territory struct{ Code, Name string }

// territories are found by their first word, in lower case, longer names first.
var territories = func() map[string][]territoryName {
	all := map[string][]territoryName{}
	for line := range strings.SplitSeq(strings.TrimSpace(territoryNames), "\n") {
		code, names, _ := strings.Cut(line, " ")
		list := strings.Split(names, "; ")
		for _, name := range list {
			words := strings.Fields(strings.ReplaceAll(name, ", ", " , "))
			first := strings.Map(func(r rune) rune { // as TerritoryAt does it
				if 'A' <= r && r <= 'Z' {
					return r | 0x20
				}
				return r
			}, words[0])
			entry := territoryName{words, Territory{code, asWritten(list[0])}}
			at := 0
			for at < len(all[first]) && len(all[first][at].words) >= len(words) {
				at++
			}
			all[first] = append(all[first][:at], append([]territoryName{entry}, all[first][at:]...)...)
		}
	}
	return all
}()

type territoryName struct {
	words     []string
	territory Territory
}

// bySquash are the territories by the letters of their names.
var bySquash = sync.OnceValue(func() map[string]Territory {
	all := map[string]Territory{}
	for line := range strings.SplitSeq(strings.TrimSpace(territoryNames), "\n") {
		code, names, _ := strings.Cut(line, " ")
		list := strings.Split(names, "; ")
		for _, name := range list {
			if squashed := squash(name); all[squashed] == (Territory{}) {
				all[squashed] = Territory{code, asWritten(list[0])}
			}
		}
	}
	return all
})

// asWritten is the name of a territory as people write it.
func asWritten(name string) string { return strings.NewReplacer(" - ", "-", " .", ".").Replace(name) }

func squash(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// titled is what may stand before the name of a place, and behind it.
var titled = regexp.MustCompile(`(?i)^\s*(?:(?:the|laws?|of|state|commonwealth|province|republic|kingdom|territory)\s+)*(.*?)(?:\s+(?:laws?|state))?\s*$`)

// longestPlace bounds what may be the name of a place, in bytes.
const longestPlace = 200

// Place is the territory that text names, and nothing beside: "STATE OF DELAWARE", "PRC",
// "California, USA".
func Place(text string) (Territory, bool) {
	if len(text) > longestPlace {
		return Territory{}, false
	}
	if p, ok := bySquash()[squash(text)]; ok {
		return p, true
	}
	bare := titled.FindStringSubmatch(text)[1]
	if p, ok := bySquash()[squash(bare)]; ok {
		return p, true
	}
	at := strings.LastIndex(bare, ",")
	if at < 0 {
		return Territory{}, false
	}
	part, ok := Place(bare[:at])
	whole, known := bySquash()[squash(bare[at:])]
	if !ok || !known || !strings.HasPrefix(part.Code, whole.Code+"-") {
		return Territory{}, false
	}
	return part, true
}

// Parts are the territories inside one that have laws of their own: the states of the
// United States.
func (p Territory) Parts() []Territory {
	var list []Territory
	for line := range strings.SplitSeq(strings.TrimSpace(territoryNames), "\n") {
		code, names, _ := strings.Cut(line, " ")
		if strings.HasPrefix(code, p.Code+"-") {
			name, _, _ := strings.Cut(names, "; ")
			list = append(list, Territory{code, asWritten(name)})
		}
	}
	return list
}

// TerritoryAt reads the name of a place at lexeme i.
func (t *Tape) TerritoryAt(i int) (Territory, int, bool) {
	if !t.IsUpper(i) || t.Sense(i).Class == lex.MonthWord {
		return Territory{}, i, false
	}
	var buffer [24]byte
	at := t.At(i)
	if len(at) > len(buffer) {
		return Territory{}, i, false
	}
	lower := buffer[:len(at)]
	for j := range len(at) {
		lower[j] = at[j]
		if 'A' <= at[j] && at[j] <= 'Z' {
			lower[j] |= 0x20
		}
	}
	for _, name := range territories[string(lower)] {
		if next, ok := t.named(i, name.words); ok {
			return name.territory, next, true
		}
	}
	return Territory{}, i, false
}

// named reports whether the lexemes from i on are words. Letters with stops
// between them are one word, as in "U.S.A.".
func (t *Tape) named(i int, words []string) (next int, ok bool) {
	for _, word := range words {
		if !t.Is(i, word) || t.IsWord(i) && !t.IsUpper(i) && !t.Is(i, "of", "and", "the", "d'ivoire", "d’ivoire", "del", "de", "do", "la", "y", "da") {
			return i, false
		}
		i++
	}
	return i, true
}

// territoryNames are the codes of ISO 3166 with the name to show and others: all countries, and
// the parts of federations and of the countries that have laws by region. A part whose name
// others have too, or people, is read with its country only.
const territoryNames = `
US-AL Alabama
US-AK Alaska
US-AZ Arizona
US-AR Arkansas
US-CA California
US-CO Colorado
US-CT Connecticut
US-DE Delaware
US-DC District of Columbia; Washington , D . C .; Washington , DC; Washington D . C .; Washington DC
US-FL Florida
US-GA Georgia
US-HI Hawaii
US-ID Idaho
US-IL Illinois
US-IN Indiana
US-IA Iowa
US-KS Kansas
US-KY Kentucky
US-LA Louisiana
US-ME Maine
US-MD Maryland
US-MA Massachusetts; Massachussets
US-MI Michigan
US-MN Minnesota
US-MS Mississippi
US-MO Missouri
US-MT Montana
US-NE Nebraska
US-NV Nevada
US-NH New Hampshire
US-NJ New Jersey
US-NM New Mexico
US-NY New York; N . Y .
US-NC North Carolina
US-ND North Dakota
US-OH Ohio
US-OK Oklahoma
US-OR Oregon
US-PA Pennsylvania
US-PR Puerto Rico
US-RI Rhode Island
US-SC South Carolina
US-SD South Dakota
US-TN Tennessee
US-TX Texas
US-UT Utah
US-VT Vermont
US-VA Virginia
US-WA Washington
US-WV West Virginia
US-WI Wisconsin
US-WY Wyoming
US United States; United States of America; U . S . A .; U . S .; USA; U . S
CA-AB Alberta, Canada; Alberta
CA-BC British Columbia, Canada; British Columbia
CA-MB Manitoba, Canada; Manitoba
CA-NB New Brunswick, Canada; New Brunswick
CA-NL Newfoundland, Canada; Newfoundland
CA-NS Nova Scotia, Canada; Nova Scotia
CA-ON Ontario, Canada; Ontario
CA-PE Prince Edward Island, Canada; Prince Edward Island
CA-QC Quebec, Canada; Quebec; Québec
CA-SK Saskatchewan, Canada; Saskatchewan
CA Canada; Canadian
AU-NSW New South Wales, Australia; New South Wales
AU-QLD Queensland, Australia; Queensland
AU-SA South Australia
AU-TAS Tasmania, Australia; Tasmania
AU-VIC Victoria, Australia; Victoria
AU-WA Western Australia
AU Australia; Australian
GB-EAW England and Wales; England & Wales
GB-ENG England; English
GB-SCT Scotland; Scottish; Scots
GB-NIR Northern Ireland
GB-WLS Wales
GB United Kingdom; U . K .; UK; Great Britain
AF Afghanistan
AL Albania
DZ Algeria
AD Andorra
AO Angola
AI Anguilla
AG Antigua and Barbuda
AR Argentina; Argentine Republic
AM Armenia
AW Aruba
AT Austria; Austrian
AZ Azerbaijan
BS Bahamas
BH Bahrain
BD Bangladesh
BB Barbados
BY Belarus
BE Belgium; Belgian
BZ Belize
BM Bermuda
BO Bolivia
BA Bosnia and Herzegovina
BW Botswana
BR Brazil
VG British Virgin Islands
BN Brunei
BG Bulgaria
KH Cambodia
CM Cameroon
KY Cayman Islands
CL Chile
CN China; People's Republic of China; People’s Republic of China; Peoples Republic of China; PRC; P . R . C .; P . R . China; PR China; Mainland China; Chinese
CO Colombia
CR Costa Rica
HR Croatia
CU Cuba
CW Curaçao
CY Cyprus
CZ Czech Republic; Czechia
DK Denmark; Danish
DO Dominican Republic
EC Ecuador
EG Egypt
SV El Salvador
EE Estonia
ET Ethiopia
FJ Fiji
FI Finland
FR France; French Republic; French
GE Republic of Georgia
DE Germany; Federal Republic of Germany; German
GH Ghana
GI Gibraltar
GR Greece; Hellenic Republic
GT Guatemala
GG Guernsey
HN Honduras
HK Hong Kong; Hong Kong Special Administrative Region
HU Hungary
IS Iceland
IN India; Indian
ID Indonesia
IR Iran
IQ Iraq
IE Ireland; Irish; Republic of Ireland
IM Isle of Man
IL Israel; Israeli
IT Italy; Italian
JM Jamaica
JP Japan; Japanese
JO Jordan
KZ Kazakhstan; Republic of Kazakhstan
KE Kenya
KR South Korea; Republic of Korea; Korea; Korean
KW Kuwait
LV Latvia
LB Lebanon
LI Liechtenstein
LT Lithuania
LU Luxembourg; Luxemburg
MO Macau; Macao
MK North Macedonia
MY Malaysia
MT Malta
MH Marshall Islands
MU Mauritius
MX Mexico; United Mexican States
MD Moldova
MC Monaco
MN Mongolia
ME Montenegro
MA Morocco
NA Namibia
NP Nepal
NL Netherlands; Dutch; Kingdom of the Netherlands; Holland; The Netherlands
NZ New Zealand
NI Nicaragua
NG Nigeria
NO Norway; Norwegian
OM Oman
PK Pakistan
PA Panama
PY Paraguay
PE Peru
PH Philippines
PL Poland
PT Portugal
QA Qatar
RO Romania
RU Russia; Russian; Russian Federation
SA Saudi Arabia; Kingdom of Saudi Arabia
SN Senegal
RS Serbia
SC Seychelles
SG Singapore
SK Slovakia; Slovak Republic
SI Slovenia
ZA South Africa; Republic of South Africa
ES Spain; Spanish; Kingdom of Spain
LK Sri Lanka
SE Sweden; Swedish; Kingdom of Sweden
CH Switzerland; Swiss Confederation; Swiss
SY Syria
TW Taiwan; Republic of China; R . O . C .; R . O . C
TZ Tanzania
TH Thailand
TT Trinidad and Tobago
TN Tunisia
TR Turkey; Türkiye
TC Turks and Caicos Islands
UG Uganda
UA Ukraine
AE United Arab Emirates
AE-DU Dubai
AE-AZ Abu Dhabi
UY Uruguay
UZ Uzbekistan
VE Venezuela
VN Vietnam; Viet Nam
YE Yemen
ZM Zambia
ZW Zimbabwe
AC Ascension Island
AS American Samoa
AX Åland Islands; Aland Islands
BF Burkina Faso
BI Burundi
BJ Benin
BL Saint Barthélemy; St . Barthélemy
BT Bhutan
CC Cocos Islands
CD Democratic Republic of the Congo; Democratic Republic of Congo
CF Central African Republic
CG Republic of the Congo; Republic of Congo; Congo
CI Côte d’Ivoire; Côte d'Ivoire; Ivory Coast; Cote d'Ivoire
CK Cook Islands
CV Cape Verde; Cabo Verde
CX Christmas Island
DJ Djibouti
DM Dominica; Commonwealth of Dominica
EH Western Sahara
ER Eritrea
FK Falkland Islands
FM Micronesia; Federated States of Micronesia
FO Faroe Islands
GA Gabon
GD Grenada
GF French Guiana
GL Greenland
GM Gambia; The Gambia
GN Guinea
GP Guadeloupe
GQ Equatorial Guinea
GS South Georgia
GU Guam
GW Guinea - Bissau
GY Guyana
HT Haiti
IO British Indian Ocean Territory
JE Jersey
KG Kyrgyzstan; Kyrgyz Republic
KI Kiribati
KM Comoros
KN Saint Kitts and Nevis; St . Kitts and Nevis
KP North Korea; Democratic People's Republic of Korea
LA Laos; Lao People's Democratic Republic
LC Saint Lucia; St . Lucia
LR Liberia
LS Lesotho
LY Libya
MF Saint Martin; St . Martin
MG Madagascar
ML Mali
MM Myanmar; Burma
MP Northern Mariana Islands
MQ Martinique
MR Mauritania
MS Montserrat
MV Maldives
MW Malawi
MZ Mozambique
NC New Caledonia
NE Niger
NF Norfolk Island
NR Nauru
NU Niue
PF French Polynesia
PG Papua New Guinea; Independent State of Papua New Guinea
PM Saint Pierre and Miquelon; St . Pierre and Miquelon
PN Pitcairn Islands
PS Palestine; Palestinian Territories
PW Palau
RE Réunion
RW Rwanda
SB Solomon Islands
SD Sudan
SH Saint Helena; St . Helena
SL Sierra Leone
SM San Marino
SO Somalia
SR Suriname
SS South Sudan
ST São Tomé and Príncipe; Sao Tome and Principe
SX Sint Maarten
SZ Eswatini; Swaziland
TD Chad
TG Togo
TJ Tajikistan
TK Tokelau
TL Timor - Leste; East Timor
TM Turkmenistan
TO Tonga
TV Tuvalu
VA Vatican City; Holy See
VC Saint Vincent and the Grenadines; St . Vincent and the Grenadines
VI United States Virgin Islands; U . S . Virgin Islands
VU Vanuatu
WF Wallis and Futuna
WS Samoa
XK Kosovo
YT Mayotte
CA-NT Northwest Territories
CA-NU Nunavut
CA-YT Yukon
AU-ACT Australian Capital Territory
AU-NT Northern Territory
DE-BW Baden - Württemberg
DE-BY Bavaria
DE-BE Berlin
DE-BB Brandenburg
DE-HB Bremen
DE-HH Hamburg
DE-HE Hesse
DE-MV Mecklenburg - Vorpommern
DE-NI Lower Saxony
DE-NW North Rhine - Westphalia
DE-RP Rhineland - Palatinate
DE-SL Saarland
DE-SN Saxony
DE-ST Saxony - Anhalt
DE-SH Schleswig - Holstein
DE-TH Thuringia
CH-AG Aargau
CH-BE Canton of Bern; Canton of Berne
CH-BL Basel - Landschaft
CH-BS Basel - Stadt
CH-FR Canton of Fribourg
CH-GE Canton of Geneva
CH-GL Canton of Glarus
CH-GR Graubünden
CH-JU Canton of Jura
CH-LU Canton of Lucerne
CH-NE Canton of Neuchâtel
CH-SG Canton of St . Gallen
CH-SH Canton of Schaffhausen
CH-SO Canton of Solothurn
CH-SZ Canton of Schwyz
CH-TG Thurgau
CH-TI Canton of Ticino
CH-UR Canton of Uri
CH-VD Canton of Vaud
CH-VS Canton of Valais
CH-ZG Canton of Zug
CH-ZH Canton of Zurich; Canton of Zürich
AQ Antarctica
BQ Bonaire, Sint Eustatius and Saba; Bonaire; Caribbean Netherlands
BV Bouvet Island
HM Heard Island and McDonald Islands
SJ Svalbard and Jan Mayen; Svalbard
TF French Southern Territories
UM United States Minor Outlying Islands
AE-AJ Ajman, United Arab Emirates; Ajman
AE-FU Fujairah, United Arab Emirates; Fujairah
AE-RK Ras Al Khaimah, United Arab Emirates; Ras Al Khaimah
AE-SH Sharjah, United Arab Emirates; Sharjah
AE-UQ Umm Al Quwain, United Arab Emirates; Umm Al Quwain
AR-A Salta, Argentina
AR-B Province of Buenos Aires, Argentina; Province of Buenos Aires
AR-C City of Buenos Aires, Argentina; City of Buenos Aires; Buenos Aires, Argentina; Buenos Aires
AR-D San Luis, Argentina
AR-E Entre Ríos, Argentina; Entre Ríos; Entre Rios, Argentina; Entre Rios
AR-F La Rioja, Argentina
AR-G Santiago del Estero, Argentina; Santiago del Estero
AR-H Chaco, Argentina; Chaco
AR-J San Juan, Argentina
AR-K Catamarca, Argentina; Catamarca
AR-L La Pampa, Argentina; La Pampa
AR-M Mendoza, Argentina
AR-N Misiones, Argentina
AR-P Formosa, Argentina
AR-Q Neuquén, Argentina; Neuquén; Neuquen, Argentina; Neuquen
AR-R Río Negro, Argentina; Rio Negro, Argentina
AR-S Santa Fe, Argentina
AR-T Tucumán, Argentina; Tucumán; Tucuman, Argentina; Tucuman
AR-U Chubut, Argentina; Chubut
AR-V Tierra del Fuego, Argentina; Tierra del Fuego
AR-W Corrientes, Argentina; Corrientes
AR-X Córdoba, Argentina; Cordoba, Argentina
AR-Y Jujuy, Argentina; Jujuy
AR-Z Santa Cruz, Argentina
AT-1 Burgenland, Austria; Burgenland
AT-2 Carinthia, Austria; Carinthia; Kärnten, Austria; Kärnten; Karnten, Austria; Karnten
AT-3 Lower Austria, Austria; Lower Austria; Niederösterreich, Austria; Niederösterreich; Niederosterreich, Austria; Niederosterreich
AT-4 Upper Austria, Austria; Upper Austria; Oberösterreich, Austria; Oberösterreich; Oberosterreich, Austria; Oberosterreich
AT-5 Salzburg, Austria; Salzburg
AT-6 Styria, Austria; Styria; Steiermark, Austria; Steiermark
AT-7 Tyrol, Austria; Tyrol; Tirol, Austria; Tirol
AT-8 Vorarlberg, Austria; Vorarlberg
AT-9 Vienna, Austria; Vienna; Wien, Austria; Wien
BE-BRU Brussels - Capital Region, Belgium; Brussels - Capital Region
BE-VLG Flemish Region, Belgium; Flemish Region; Flanders, Belgium; Flanders
BE-WAL Walloon Region, Belgium; Walloon Region; Wallonia, Belgium; Wallonia
BR-AC Acre, Brazil
BR-AL Alagoas, Brazil; Alagoas
BR-AM Amazonas, Brazil
BR-AP Amapá, Brazil; Amapá; Amapa, Brazil; Amapa
BR-BA Bahia, Brazil; Bahia
BR-CE Ceará, Brazil; Ceará; Ceara, Brazil; Ceara
BR-DF Distrito Federal, Brazil; Distrito Federal
BR-ES Espírito Santo, Brazil; Espírito Santo; Espirito Santo, Brazil; Espirito Santo
BR-GO Goiás, Brazil; Goiás; Goias, Brazil; Goias
BR-MA Maranhão, Brazil; Maranhão; Maranhao, Brazil; Maranhao
BR-MG Minas Gerais, Brazil; Minas Gerais
BR-MS Mato Grosso do Sul, Brazil; Mato Grosso do Sul
BR-MT Mato Grosso, Brazil; Mato Grosso
BR-PA Pará, Brazil; Para, Brazil
BR-PB Paraíba, Brazil; Paraíba; Paraiba, Brazil; Paraiba
BR-PE Pernambuco, Brazil; Pernambuco
BR-PI Piauí, Brazil; Piauí; Piaui, Brazil; Piaui
BR-PR Paraná, Brazil; Paraná; Parana, Brazil; Parana
BR-RJ Rio de Janeiro, Brazil; Rio de Janeiro
BR-RN Rio Grande do Norte, Brazil; Rio Grande do Norte
BR-RO Rondônia, Brazil; Rondônia; Rondonia, Brazil; Rondonia
BR-RR Roraima, Brazil; Roraima
BR-RS Rio Grande do Sul, Brazil; Rio Grande do Sul
BR-SC Santa Catarina, Brazil
BR-SE Sergipe, Brazil; Sergipe
BR-SP São Paulo, Brazil; São Paulo; Sao Paulo, Brazil; Sao Paulo
BR-TO Tocantins, Brazil; Tocantins
CH-AI Appenzell Innerrhoden, Switzerland; Appenzell Innerrhoden
CH-AR Appenzell Ausserrhoden, Switzerland; Appenzell Ausserrhoden
CH-NW Nidwalden, Switzerland; Nidwalden
CH-OW Obwalden, Switzerland; Obwalden
ES-AN Andalusia, Spain; Andalusia; Andalucía, Spain; Andalucía; Andalucia, Spain; Andalucia
ES-AR Aragon, Spain; Aragon; Aragón, Spain; Aragón
ES-AS Asturias, Spain; Asturias
ES-CB Cantabria, Spain; Cantabria
ES-CE Ceuta, Spain; Ceuta
ES-CL Castile and León, Spain; Castile and León; Castilla y León, Spain; Castilla y León; Castile and Leon, Spain; Castile and Leon; Castilla y Leon, Spain; Castilla y Leon
ES-CM Castilla - La Mancha, Spain; Castilla - La Mancha
ES-CN Canary Islands, Spain; Canary Islands; Canarias, Spain; Canarias
ES-CT Catalonia, Spain; Catalonia; Cataluña, Spain; Cataluña; Catalunya, Spain; Catalunya; Cataluna, Spain; Cataluna
ES-EX Extremadura, Spain; Extremadura
ES-GA Galicia, Spain; Galicia
ES-IB Balearic Islands, Spain; Balearic Islands; Islas Baleares, Spain; Islas Baleares
ES-MC Region of Murcia, Spain; Region of Murcia
ES-MD Community of Madrid, Spain; Community of Madrid; Comunidad de Madrid, Spain; Comunidad de Madrid
ES-ML Melilla, Spain; Melilla
ES-NC Navarre, Spain; Navarre; Navarra, Spain; Navarra
ES-PV Basque Country, Spain; Basque Country; País Vasco, Spain; País Vasco; Pais Vasco, Spain; Pais Vasco
ES-RI La Rioja, Spain
ES-VC Valencian Community, Spain; Valencian Community; Comunidad Valenciana, Spain; Comunidad Valenciana
IN-AN Andaman and Nicobar Islands, India; Andaman and Nicobar Islands
IN-AP Andhra Pradesh, India; Andhra Pradesh
IN-AR Arunāchal Pradesh, India; Arunāchal Pradesh; Arunachal Pradesh, India; Arunachal Pradesh
IN-AS Assam, India; Assam
IN-BR Bihār, India; Bihār; Bihar, India; Bihar
IN-CH Chandīgarh, India; Chandīgarh; Chandigarh, India; Chandigarh
IN-CT Chhattisgarh, India; Chhattisgarh
IN-DH Dādra and Nagar Haveli and Damān and Diu, India; Dādra and Nagar Haveli and Damān and Diu; Dadra and Nagar Haveli and Daman and Diu, India; Dadra and Nagar Haveli and Daman and Diu
IN-DL Delhi, India; Delhi
IN-GA Goa, India; Goa
IN-GJ Gujarāt, India; Gujarāt; Gujarat, India; Gujarat
IN-HP Himāchal Pradesh, India; Himāchal Pradesh; Himachal Pradesh, India; Himachal Pradesh
IN-HR Haryāna, India; Haryāna; Haryana, India; Haryana
IN-JH Jhārkhand, India; Jhārkhand; Jharkhand, India; Jharkhand
IN-JK Jammu and Kashmīr, India; Jammu and Kashmīr; Jammu and Kashmir, India; Jammu and Kashmir
IN-KA Karnātaka, India; Karnātaka; Karnataka, India; Karnataka
IN-KL Kerala, India; Kerala
IN-LA Ladākh, India; Ladākh; Ladakh, India; Ladakh
IN-LD Lakshadweep, India; Lakshadweep
IN-MH Mahārāshtra, India; Mahārāshtra; Maharashtra, India; Maharashtra
IN-ML Meghālaya, India; Meghālaya; Meghalaya, India; Meghalaya
IN-MN Manipur, India; Manipur
IN-MP Madhya Pradesh, India; Madhya Pradesh
IN-MZ Mizoram, India; Mizoram
IN-NL Nāgāland, India; Nāgāland; Nagaland, India; Nagaland
IN-OR Odisha, India; Odisha; Orissa, India; Orissa
IN-PB Punjab, India
IN-PY Puducherry, India; Puducherry; Pondicherry, India; Pondicherry
IN-RJ Rājasthān, India; Rājasthān; Rajasthan, India; Rajasthan
IN-SK Sikkim, India; Sikkim
IN-TG Telangana, India; Telangana
IN-TN Tamil Nādu, India; Tamil Nādu; Tamil Nadu, India; Tamil Nadu
IN-TR Tripura, India; Tripura
IN-UP Uttar Pradesh, India; Uttar Pradesh
IN-UT Uttarakhand, India; Uttarakhand
IN-WB West Bengal, India; West Bengal
MX-AGU Aguascalientes, Mexico; Aguascalientes
MX-BCN Baja California, Mexico; Baja California
MX-BCS Baja California Sur, Mexico; Baja California Sur
MX-CAM Campeche, Mexico; Campeche
MX-CHH Chihuahua, Mexico; Chihuahua
MX-CHP Chiapas, Mexico; Chiapas
MX-CMX Mexico City, Mexico; Mexico City; Ciudad de México, Mexico; Ciudad de México; Ciudad de Mexico, Mexico; Ciudad de Mexico
MX-COA Coahuila, Mexico; Coahuila
MX-COL Colima, Mexico; Colima
MX-DUR Durango, Mexico
MX-GRO Guerrero, Mexico
MX-GUA Guanajuato, Mexico; Guanajuato
MX-HID Hidalgo, Mexico
MX-JAL Jalisco, Mexico; Jalisco
MX-MEX State of Mexico, Mexico; State of Mexico; Estado de México, Mexico; Estado de México; Estado de Mexico, Mexico; Estado de Mexico
MX-MIC Michoacán, Mexico; Michoacán; Michoacan, Mexico; Michoacan
MX-MOR Morelos, Mexico
MX-NAY Nayarit, Mexico; Nayarit
MX-NLE Nuevo León, Mexico; Nuevo León; Nuevo Leon, Mexico; Nuevo Leon
MX-OAX Oaxaca, Mexico; Oaxaca
MX-PUE Puebla, Mexico; Puebla
MX-QUE Querétaro, Mexico; Querétaro; Queretaro, Mexico; Queretaro
MX-ROO Quintana Roo, Mexico; Quintana Roo
MX-SIN Sinaloa, Mexico; Sinaloa
MX-SLP San Luis Potosí, Mexico; San Luis Potosí; San Luis Potosi, Mexico; San Luis Potosi
MX-SON Sonora, Mexico
MX-TAB Tabasco, Mexico
MX-TAM Tamaulipas, Mexico; Tamaulipas
MX-TLA Tlaxcala, Mexico; Tlaxcala
MX-VER Veracruz, Mexico; Veracruz
MX-YUC Yucatán, Mexico; Yucatán; Yucatan, Mexico; Yucatan
MX-ZAC Zacatecas, Mexico; Zacatecas
MY-01 Johor, Malaysia; Johor
MY-02 Kedah, Malaysia; Kedah
MY-03 Kelantan, Malaysia; Kelantan
MY-04 Malacca, Malaysia; Malacca; Melaka, Malaysia; Melaka
MY-05 Negeri Sembilan, Malaysia; Negeri Sembilan
MY-06 Pahang, Malaysia; Pahang
MY-07 Penang, Malaysia; Penang; Pulau Pinang, Malaysia; Pulau Pinang
MY-08 Perak, Malaysia; Perak
MY-09 Perlis, Malaysia; Perlis
MY-10 Selangor, Malaysia; Selangor
MY-11 Terengganu, Malaysia; Terengganu
MY-12 Sabah, Malaysia; Sabah
MY-13 Sarawak, Malaysia; Sarawak
MY-14 Kuala Lumpur, Malaysia; Kuala Lumpur
MY-15 Labuan, Malaysia; Labuan
MY-16 Wilayah Persekutuan Putrajaya, Malaysia; Wilayah Persekutuan Putrajaya
NG-AB Abia, Nigeria; Abia
NG-AD Adamawa, Nigeria; Adamawa
NG-AK Akwa Ibom, Nigeria; Akwa Ibom
NG-AN Anambra, Nigeria; Anambra
NG-BA Bauchi, Nigeria; Bauchi
NG-BE Benue, Nigeria; Benue
NG-BO Borno, Nigeria; Borno
NG-BY Bayelsa, Nigeria; Bayelsa
NG-CR Cross River, Nigeria; Cross River
NG-DE Delta, Nigeria
NG-EB Ebonyi, Nigeria; Ebonyi
NG-ED Edo, Nigeria
NG-EK Ekiti, Nigeria; Ekiti
NG-EN Enugu, Nigeria; Enugu
NG-FC Abuja Federal Capital Territory, Nigeria; Abuja Federal Capital Territory
NG-GO Gombe, Nigeria; Gombe
NG-IM Imo, Nigeria
NG-JI Jigawa, Nigeria; Jigawa
NG-KD Kaduna, Nigeria; Kaduna
NG-KE Kebbi, Nigeria; Kebbi
NG-KN Kano, Nigeria; Kano
NG-KO Kogi, Nigeria; Kogi
NG-KT Katsina, Nigeria; Katsina
NG-KW Kwara, Nigeria; Kwara
NG-LA Lagos, Nigeria; Lagos
NG-NA Nasarawa, Nigeria; Nasarawa
NG-NI Niger, Nigeria
NG-OG Ogun, Nigeria; Ogun
NG-ON Ondo, Nigeria; Ondo
NG-OS Osun, Nigeria; Osun
NG-OY Oyo, Nigeria; Oyo
NG-PL Plateau, Nigeria
NG-RI Rivers, Nigeria
NG-SO Sokoto, Nigeria; Sokoto
NG-TA Taraba, Nigeria; Taraba
NG-YO Yobe, Nigeria; Yobe
NG-ZA Zamfara, Nigeria; Zamfara
`
