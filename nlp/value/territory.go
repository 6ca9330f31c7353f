package value

import (
	"strings"

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
			first := strings.ToLower(words[0])
			entry := territoryName{words, Territory{code, strings.NewReplacer(" - ", "-", " .", ".").Replace(list[0])}}
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
		if !t.Is(i, word) || t.IsWord(i) && !t.IsUpper(i) && !t.Is(i, "of", "and", "the") {
			return i, false
		}
		i++
	}
	return i, true
}

// territoryNames are the codes of ISO 3166 with the name to show and others. States
// and provinces of federations that choose their own law are listed apart.
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
CN People's Republic of China; People’s Republic of China; Peoples Republic of China; PRC; P . R . C .; P . R . China; PR China; China; Mainland China; Chinese
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
`
