package value

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFindLanguages reads values as other languages write them. What is expected is the
// key, the value and the confidence of each.
func TestFindLanguages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, text, want string }{
		{"de", "am 31. März 2024", "date 2024-03-31 0.97"},
		{"de", "am 31.03.2024 und am 04.05.2024", "date 2024-03-31 0.97, date 2024-05-04 0.97"},
		{"de", "zum 01.02.24 und 1.2.20", "date 2024-02-01 0.97"},
		{"de", "seit Januar 2024", "date 2024-01 0.70"},
		{"de", "am 31. Februar 2024", ""},
		{"de", "ab dem ersten April 2024", "date 2024-04-01 0.97"},
		{"de", "binnen sechs (6) Monaten oder 30 Tagen", "duration P6M 0.95, duration P30D 0.95"},
		{"de", "für ein Jahr, drei volle Kalenderjahre, zehn Werktage, einundzwanzig Tage", "duration P1Y 0.95, duration P3Y 0.95, duration P10D 0.95, duration P21D 0.95"},
		{"de", "1.234,56 EUR, EUR 1.234,56, 12.500 €, 100,-- EUR", "money 1234.56 EUR 0.97, money 1234.56 EUR 0.97, money 12500 EUR 0.97, money 100 EUR 0.97"},
		{"de", "12,5 Mio. Euro", "money 12500000 EUR 0.97"},
		{"de", "EUR 12,500", "money 12.500 or 12500 EUR 0.50"},
		{"de", "CHF 12'500.00 und Fr. 1'250.50", "money 12500.00 CHF 0.97, money 1250.50 CHF 0.97"},
		{"de", "CHF 12’500.00, dazu CHF 99.50 und CHF 1.250", "money 12500.00 CHF 0.97, money 99.50 CHF 0.97, money 1.250 or 1250 CHF 0.50"},
		{"de", "5 %, 5,25 %, 5 v.H., 5 v. H., fünf Prozent", "percentage 5 0.97, percentage 5.25 0.97, percentage 5 0.97, percentage 5 0.97, percentage 5 0.97"},
		{"de", "zweihundertfünfzig Euro", "money 250 EUR 0.97"},
		{"fr", "le 1er mars 2024", "date 2024-03-01 0.97"},
		{"fr", "le 14 juillet 2023, le 03/04/2024", "date 2023-07-14 0.97, date 2024-04-03 0.97"},
		{"fr", "Le prix est de 12 500,00 € HT", "money 12500.00 EUR 0.97"},
		{"fr", "12\u00a0500,00\u00a0€ et 1\u202f250\u202f000 euros", "money 12500.00 EUR 0.97, money 1250000 EUR 0.97"},
		{"fr", "2,5 millions d'euros, cinq mille euros (5 000 €)", "money 2500000 EUR 0.97, money 5000 EUR 0.97"},
		{"fr", "quatre-vingt-dix-sept jours, trente (30) jours, un an, dix jours ouvrés", "duration P97D 0.95, duration P30D 0.95, duration P1Y 0.95, duration P10D 0.95"},
		{"fr", "soixante et onze mois", "duration P71M 0.95"},
		{"fr", "5,5 % et dix pour cent", "percentage 5.5 0.97, percentage 10 0.97"},
		{"es", "a 1 de enero de 2024, el 15 de mayo del 2023", "date 2024-01-01 0.97, date 2023-05-15 0.97"},
		{"es", "12.500,00 euros y 300 €", "money 12500.00 EUR 0.97, money 300 EUR 0.97"},
		{"es", "un año, treinta (30) días hábiles, treinta y un meses", "duration P1Y 0.95, duration P30D 0.95, duration P31M 0.95"},
		{"es", "el 5 por ciento de mil doscientos euros", "percentage 5 0.97, money 1200 EUR 0.97"},
		{"it", "dal 1° gennaio 2024 al 31 dicembre 2025", "date 2024-01-01 0.97, date 2025-12-31 0.97"},
		{"it", "€ 12.500,00 oltre IVA, euro 300,50", "money 12500.00 EUR 0.97, money 300.50 EUR 0.97"},
		{"it", "sei (6) anni, ventuno giorni, 30 gg., trenta giorni lavorativi, duemila euro", "duration P6Y 0.95, duration P21D 0.95, duration P30D 0.95, duration P30D 0.95, money 2000 EUR 0.97"},
		{"nl", "op 1 januari 2024 en 03-04-2024", "date 2024-01-01 0.97, date 2024-04-03 0.97"},
		{"nl", "€ 12.500,00 en 5 procent", "money 12500.00 EUR 0.97, percentage 5 0.97"},
		{"nl", "één jaar, dertig (30) dagen, eenentwintig werkdagen", "duration P1Y 0.95, duration P30D 0.95, duration P21D 0.95"},
		{"de", "Dieser Vertrag unterliegt dem Recht der Schweiz.", "jurisdiction Switzerland 0.90"},
		{"de", "Es gilt deutsches Recht, das Recht der Bundesrepublik Deutschland, das Recht Frankreichs und das Recht von Papua-Neuguinea.", "jurisdiction Germany 0.90, jurisdiction Germany 0.90, jurisdiction France 0.90, jurisdiction Papua New Guinea 0.90"},
		{"de", "Das Recht des Käufers bleibt unberührt. Die Schweiz liefert.", ""},
		{"de", "zwischen der Müller GmbH & Co. KG und der Becker AG", "organization Müller GmbH & Co. KG 0.90, organization Becker AG 0.90"},
		{"fr", "Le contrat est régi par le droit français ou par la loi de la Confédération suisse, le droit d'Espagne, la législation du Luxembourg.", "jurisdiction France 0.90, jurisdiction Switzerland 0.90, jurisdiction Spain 0.90, jurisdiction Luxembourg 0.90"},
		{"es", "Se regirá por las leyes de España, la legislación española o el derecho del Reino Unido.", "jurisdiction Spain 0.90, jurisdiction Spain 0.90, jurisdiction United Kingdom 0.90"},
		{"es", "Construcciones Norte, S.A. y Talleres Sur, S.L.U. firman.", "organization Construcciones Norte, S.A. 0.90, organization Talleres Sur, S.L.U. 0.90"},
		{"it", "È regolato dalla legge italiana; la Rossi S.p.A. e la Verdi S.r.l. firmano.", "jurisdiction Italy 0.90, organization Rossi S.p.A. 0.90, organization Verdi S.r.l. 0.90"},
		{"nl", "Op deze overeenkomst is Nederlands recht van toepassing, niet het recht van België. De Vries B.V. tekent.", "jurisdiction Netherlands 0.90, jurisdiction Belgium 0.90, organization Vries B.V. 0.90"},
		{"nl", "beheerst door de wetgeving van de staat Californië van de Verenigde Staten", "jurisdiction California 0.90"},
		{"es", "las leyes del estado de California, EE. UU.; la legislación de Cataluña; las leyes del estado de Jalisco", "jurisdiction California 0.90, jurisdiction Catalonia, Spain 0.90, jurisdiction Jalisco, Mexico 0.90"},
		{"fr", "régi par les lois de l'État de Floride ou le droit du canton de Genève", "jurisdiction Florida 0.90, jurisdiction Canton of Geneva 0.90"},
		{"de", "nach dem Recht des Freistaats Bayern und dem Recht des Staates Texas", "jurisdiction Bavaria 0.90, jurisdiction Texas 0.90"},
		{"it", "dalle leggi dello Stato di New York e dalla legge del Cantone Ticino", "jurisdiction New York 0.90, jurisdiction Canton of Ticino 0.90"},
		{"en", "the laws of the State of Jalisco, Mexico, the courts of São Paulo, the laws of Mendoza and the laws of the Province of Santiago del Estero", "jurisdiction Jalisco, Mexico 0.95, jurisdiction São Paulo, Brazil 0.95, jurisdiction Santiago del Estero, Argentina 0.95"},
		{"de", "VON RECHTEN SOWIE JEGLICHE GARANTIEN AB, DIE ENTSTEHEN; zwischen der NORDISCHE MUSTER AB, Kiel", "organization NORDISCHE MUSTER AB 0.90"},
		{"es", "Necesitará una cuenta de Mozilla\nSe requiere una cuenta; la Muebles SE, Madrid", "organization Muebles SE 0.90"},
		{"de", "Für diesen Vertrag gelten die Gesetze des US-Bundesstaats Kalifornien.", "jurisdiction California 0.90"},
		{"de", "die deutschen Gerichte, die Gerichte des Kantons Zürich, die Gerichte in Wien", "jurisdiction Germany 0.90, jurisdiction Canton of Zurich 0.90"},
		{"fr", "les tribunaux français, les juridictions du Québec, les tribunaux de Genève", "jurisdiction France 0.90, jurisdiction Quebec, Canada 0.90"},
		{"es", "los tribunales de México, la jurisdicción española, los tribunales de Salta", "jurisdiction Mexico 0.90, jurisdiction Spain 0.90"},
		{"it", "i giudici italiani, i tribunali dello Stato di New York", "jurisdiction Italy 0.90, jurisdiction New York 0.90"},
		{"nl", "de Nederlandse rechter, de rechtbanken van België", "jurisdiction Netherlands 0.90, jurisdiction Belgium 0.90"},
		{"pt", "12 500,00 € em 03.04.2024", "money 12500.00 EUR 0.97, date 2024-04-03 0.97"},
		{"", "Le prix est de 12 500,00 €, de 12 500 €", "money 500.00 or 12500.00 EUR 0.50, money 500 or 12500 EUR 0.50"},
		{"fr", "deux cent quatre-vingt-dix jours, deux cents quatre-vingt jours, dix-sept mois, vingt-et-un jours", "duration P290D 0.95, duration P280D 0.95, duration P17M 0.95, duration P21D 0.95"},
		{"fr", "cent quatre-vingts euros, mille neuf cent quatre-vingt-quatre euros, deux-cent-mille euros", "money 180 EUR 0.97, money 1984 EUR 0.97, money 200000 EUR 0.97"},
		{"fr", "cent et un jours, quarante quarante jours, vingt-cinq six jours, un an et demi, cent cent euros", ""},
		{"es", "dos mil quinientos millones de euros, quinientos doscientos euros, mil y un días", "money 2500000000 EUR 0.97"},
		{"es", "entre treinta y sesenta días, dos y tres años", "duration P60D 0.95, duration P3Y 0.95"},
		{"de", "fünfzigtausend Euro, hunderttausend Euro, zweihundertfünfundsiebzigtausenddreihundert Euro, hundertundeins Tage", "money 50000 EUR 0.97, money 100000 EUR 0.97, money 275300 EUR 0.97, duration P101D 0.95"},
		{"de", "drei Komma fünf Prozent", ""},
		{"de", "hunderthundert Euro, tausendtausend Euro", ""},
		{"it", "centomila euro, centottanta giorni, duecentotto giorni, centuno giorni, milleotto euro, ventitré mesi, trentunmila euro", "money 100000 EUR 0.97, duration P180D 0.95, duration P208D 0.95, duration P101D 0.95, money 1008 EUR 0.97, duration P23M 0.95, money 31000 EUR 0.97"},
		{"nl", "vijftigduizend euro, honderdentwintig dagen, tweehonderdvijftigduizend euro", "money 50000 EUR 0.97, duration P120D 0.95, money 250000 EUR 0.97"},
		{"de", "0,125 %, 0,750 Prozent, 0,125 EUR, 0.125 EUR, 0,125,000 EUR", "percentage 0.125 0.97, percentage 0.750 0.97, money 0.125 EUR 0.97, money 0.125 EUR 0.97"},
		{"de", "zwei Prozent (2,125 %)", "percentage 2.125 or 2125 0.50"},
		{"fr", "0,125 % et 0,750 euro", "percentage 0.125 0.97, money 0.750 EUR 0.97"},
		{"en", "0,125 % and EUR 0,125", "percentage 0.125 0.97, money 0.125 EUR 0.97"},
		{"de", "Pos. 2 300,00 €, 2 300,00 %, 2 300 Tage", "money 300.00 or 2300.00 EUR 0.50, percentage 300.00 or 2300.00 0.50"},
		{"de", "EUR 2 300,00, 2 300,00 €, 12 000,00 €, zweitausend Euro (2 300,00 €)", "money 2300.00 EUR 0.97, money 2300.00 EUR 0.97, money 12000.00 EUR 0.97, money 2300.00 EUR 0.97"},
		{"it", "n. 3 500,00 euro", "money 500.00 or 3500.00 EUR 0.50"},
		{"nl", "post 4 100 250,00 euro", "money 250.00 or 100250.00 or 4100250.00 EUR 0.50"},
		{"en", "Item 4 100 000,00 EUR", "money 100000.00 or 4100000.00 EUR 0.50"},
		{"es", "2 300,00 euros", "money 2300.00 EUR 0.97"},
		{"fr", strings.Repeat("100 ", 9) + "euros", "money 100 or 100100 EUR 0.50"},
		{"de", "gemäß Ziffer 10.11.12, Nr. 10.11.12, § 10.11.12, Abs. 10/11/12", ""},
		{"de", "vom 10.11.12 bis 11.11.12, siehe 10.11.12, am 2024-01-05", "date 2012-11-10 0.97, date 2012-11-11 0.97, date 2012-11-10 0.50, date 2024-01-05 0.97"},
		{"fr", "article 10.11.12, art. 10.11.12, n° 10.11.12, le 10.11.12, al. 10.11.12", "date 2012-11-10 0.97"},
		{"es", "cláusula 10.11.12, n.º 10.11.12, el 10.11.12 al 11.11.12", "date 2012-11-10 0.97, date 2012-11-11 0.97"},
		{"it", "punto 10.11.12, il 10.11.12", "date 2012-11-10 0.97"},
		{"nl", "lid 10.11.12, op 10.11.12", "date 2012-11-10 0.97"},
		{"es", "TALLERES SUR SE OBLIGA A PAGAR. TALLERES SUR S.L. SE OBLIGA.", "organization TALLERES SUR S.L. 0.90"},
		{"fr", "DUPONT AGIT DANS SA QUALITE DE VENDEUR. DUPONT SA, LYON", "organization DUPONT SA 0.90"},
		{"it", "ROSSI SE VUOLE E VERDI SA CHE", ""},
		{"de", "DIESER VERTRAG GILT AB DEM TAG; die Muster SE liefert", "organization Muster SE 0.90"},
		{"en", "two thousand million dollars, two million three thousand dollars", "money 2000000000 USD 0.97, money 2003000 USD 0.97"},
		{"en", "$12,500 and EUR 1.250 on 03.04.2020", "money 12500 USD 0.97, money 1.250 or 1250 EUR 0.50, date 2020-03-04 or 2020-04-03 0.50"},
	} {
		var got []string
		for _, m := range Find(NewTape(c.language, c.text, nil), c.language == "en" || c.language == "") {
			got = append(got, fmt.Sprintf("%s %s %.2f", m.Key, m.Value, m.Confidence))
		}
		require.Equal(t, c.want, strings.Join(got, ", "), c.text)
	}
}
