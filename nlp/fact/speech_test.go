package fact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
)

func TestExtractLanguages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, text, want string }{
		{
			"de", "LIEFERVERTRAG\n\nDieser Vertrag wird am 31. März 2024 zwischen der Müller GmbH & Co. KG, Hauptstr. 5, München (nachfolgend „Lieferant“ genannt), vertreten durch ihren Geschäftsführer Dr. Hans Weber, und der Becker AG, Köln (nachfolgend „Käufer“), geschlossen.\n\n" +
				"§ 1 Laufzeit\n\nDer Vertrag tritt am 1. April 2024 in Kraft.\n\n§ 2 Recht\n\nDieser Vertrag unterliegt dem Recht der Schweiz.",
			"party Müller GmbH & Co. KG [Lieferant] 0.80; party Becker AG [Käufer] 0.80; agreement_date 2024-03-31 [] 0.80; effective_date 2024-04-01 [] 0.75; governing_law Switzerland [] 0.90",
		},
		{
			"de", "Auf diesen Vertrag findet das Recht der Schweiz keine Anwendung.",
			"",
		},
		{
			"fr", "CONTRAT DE FOURNITURE\n\nENTRE LES SOUSSIGNÉS :\n\nDupont Industries S.A.S., au capital de 50 000 €, ci-après dénommée « le Vendeur »,\n\nET\n\nMartin Logistique SARL, dont le siège est à Lyon, ci-après dénommée « l'Acheteur »,\n\n" +
				"Article 1 - Durée\n\nLe présent contrat prend effet le 1er mars 2024 pour un an.\n\nArticle 2 - Droit\n\nLe présent contrat est régi par le droit français.\n\nFait à Paris, le 14 février 2024",
			"party Dupont Industries S.A.S. [le Vendeur] 0.80; party Martin Logistique SARL [l'Acheteur] 0.80; agreement_date 2024-02-14 [] 0.60; effective_date 2024-03-01 [] 0.75; governing_law France [] 0.90",
		},
		{
			"es", "CONTRATO DE SERVICIOS\n\nEn Madrid, a 1 de enero de 2024\n\nREUNIDOS\n\nDe una parte, Construcciones Norte, S.A., con domicilio en Madrid (en adelante, el “Cliente”).\n\nDe otra parte, Talleres Sur, S.L., con domicilio en Sevilla (en adelante, el “Proveedor”).\n\nEXPONEN\n\n" +
				"El presente contrato entrará en vigor el 15 de enero de 2024.\n\nEl presente contrato se regirá por las leyes de España.",
			"party Construcciones Norte, S.A. [Cliente] 0.80; party Talleres Sur, S.L. [Proveedor] 0.80; agreement_date 2024-01-01 [] 0.60; effective_date 2024-01-15 [] 0.75; governing_law Spain [] 0.90",
		},
		{
			"it", "CONTRATTO DI APPALTO\n\nTRA\n\nRossi S.p.A., con sede in Milano (di seguito \"Committente\"),\n\nE\n\nVerdi S.r.l., con sede in Roma (di seguito \"Appaltatore\")\n\nPREMESSO CHE\n\nIl presente contratto decorre dal 1° gennaio 2024.\n\nIl presente contratto è regolato dalla legge italiana.",
			"party Rossi S.p.A. [Committente] 0.80; party Verdi S.r.l. [Appaltatore] 0.80; effective_date 2024-01-01 [] 0.75; governing_law Italy [] 0.90",
		},
		{
			"nl", "KOOPOVEREENKOMST\n\nDeze overeenkomst wordt op 5 maart 2024 gesloten\n\nTUSSEN\n\nBakker Handel B.V., gevestigd te Utrecht (hierna \"Verkoper\"),\n\nEN\n\nJansen Techniek N.V., gevestigd te Rotterdam (hierna \"Koper\")\n\nArtikel 1\n\nOp deze overeenkomst is Nederlands recht van toepassing.",
			"party Bakker Handel B.V. [Verkoper] 0.80; party Jansen Techniek N.V. [Koper] 0.80; agreement_date 2024-03-05 [] 0.80; governing_law Netherlands [] 0.90",
		},
		{"de", "Der Vertrag läuft bis zum 31. Dezember 2026.", "expiration_date 2026-12-31 [] 0.75"},
		{"de", "Der Vertrag tritt mit Unterzeichnung in Kraft und endet am 31. Dezember 2026.", "expiration_date 2026-12-31 [] 0.75"},
		{"de", "Der Vertrag tritt am 31. Dezember 2026 außer Kraft. Die Kündigung des Vertrages wird wirksam zum 31. Dezember 2026.", ""},
		{"de", "Die Lieferungen erfolgen nach der Vereinbarung, die am 3. Mai 2019 gilt.", ""},
		{"de", "Dieser Vertrag gilt ab dem 1. März 2024 bis zum 28. Februar 2026.", "effective_date 2024-03-01 [] 0.75; expiration_date 2026-02-28 [] 0.75"},
		{"fr", "Le présent contrat restera en vigueur jusqu'au 31 décembre 2026. Le contrat prendra fin le 31 décembre 2026.", "expiration_date 2026-12-31 [] 0.75"},
		{"fr", "Le présent contrat est en vigueur à compter du 1er mars 2024.", "effective_date 2024-03-01 [] 0.75"},
		{"es", "El contrato estará en vigor hasta el 31 de diciembre de 2026.", "expiration_date 2026-12-31 [] 0.75"},
		{"es", "El contrato tendrá una vigencia de un año desde el 1 de marzo de 2024.", "effective_date 2024-03-01 [] 0.75; initial_term P1Y [] 0.75; expiration_date 2025-03-01 [] 0.70"},
		{"it", "Il contratto resta in vigore fino al 31 dicembre 2026.", "expiration_date 2026-12-31 [] 0.75"},
		{"it", "Il contratto ha una durata di tre anni a partire dal 1° marzo 2024 e fino al 28 febbraio 2027.", "effective_date 2024-03-01 [] 0.75; initial_term P3Y [] 0.75; expiration_date 2027-02-28 [] 0.75"},
		{"nl", "De overeenkomst blijft in werking tot 31 december 2026.", "expiration_date 2026-12-31 [] 0.75"},
		{"nl", "Deze overeenkomst treedt op 1 maart 2024 in werking. De overeenkomst loopt met ingang van 1 april 2024.", "effective_date 2024-03-01 [] 0.75"},
		{"de", "Der Rahmenvertrag vom 3. Mai 2019 gilt fort. Der Rahmenvertrag, geschlossen am 3. Mai 2019, gilt neben dieser Vereinbarung.", ""},
		{"de", "Dieser Vertrag ergänzt den Rahmenvertrag vom 3. Mai 2019, der zwischen den Parteien geschlossen wurde.", ""},
		{"fr", "Le contrat antérieur conclu le 3 mai 2019 est résilié.", ""},
		{"es", "El contrato anterior firmado el 3 de mayo de 2019 queda resuelto.", ""},
		{"it", "Il contratto stipulato il 3 maggio 2019 è risolto.", ""},
		{"nl", "De overeenkomst die op 3 mei 2019 is gesloten, blijft gelden.", ""},
		{
			"de", "Zwischen der Müller GmbH und der Becker AG wird am 31. März 2024 ein Vertrag geschlossen. Die Müller GmbH und die Becker AG haben am 3. Mai 2019 einen Rahmenvertrag geschlossen.",
			"party Müller GmbH [] 0.60; party Becker AG [] 0.60; agreement_date 2024-03-31 [] 0.80",
		},
		{
			"de", "Mitarbeiter in Berlin unterliegen dem Recht der Bundesrepublik Deutschland; die folgenden Regeln gelten.",
			"governing_law Germany [] 0.70",
		},
		{
			"de", "zwischen der Alpha GmbH & Co. KG, vertreten durch ihre Komplementärin, die Alpha Verwaltungs GmbH, diese vertreten durch die Alpha Holding AG (nachfolgend „Lieferant“), und der Beta AG, vertreten durch den Vorstand Hans Weber (nachfolgend „Käufer“)",
			"party Alpha GmbH & Co. KG [Lieferant] 0.80; party Beta AG [Käufer] 0.80",
		},
		{
			"fr", "ENTRE\n\nDupont SARL, représentée par son président, la société Dupont Holding SAS, ci-après dénommée « le Vendeur »\n\nET\n\nMartin SARL, représentée par M. Jean Martin, ci-après dénommée « l'Acheteur »",
			"party Dupont SARL [le Vendeur] 0.80; party Martin SARL [l'Acheteur] 0.80",
		},
		{
			"es", "De una parte, Construcciones Norte, S.A., representada por Gestión Norte, S.L. (en adelante, el “Cliente”), y de otra, Talleres Sur, S.L. (en adelante, el “Proveedor”).",
			"party Construcciones Norte, S.A. [Cliente] 0.80; party Talleres Sur, S.L. [Proveedor] 0.80",
		},
		{
			"it", "tra Rossi S.p.A., rappresentata dalla Rossi Holding S.r.l. (di seguito \"Committente\"), e Verdi S.r.l. (di seguito \"Appaltatore\")",
			"party Rossi S.p.A. [Committente] 0.80; party Verdi S.r.l. [Appaltatore] 0.80",
		},
		{
			"nl", "tussen Bakker Handel B.V., vertegenwoordigd door Bakker Beheer B.V. (hierna \"Verkoper\"), en Jansen Techniek N.V. (hierna \"Koper\")",
			"party Bakker Handel B.V. [Verkoper] 0.80; party Jansen Techniek N.V. [Koper] 0.80",
		},
		{
			"nl", "tussen Stichting Zorg voor Ouderen, gevestigd te Utrecht (hierna \"Huurder\"), en de heer J. de Vries, wonende te Rotterdam (hierna \"Verhuurder\")",
			"party Stichting Zorg voor Ouderen [Huurder] 0.80; party J. de Vries [Verhuurder] 0.80",
		},
		{
			"es", "REUNIDOS\n\nDe una parte, la Fundación Niños del Sur, con domicilio en Sevilla (en adelante, la “Arrendataria”).\n\nDe otra parte, D. Juan Pérez Gómez, mayor de edad, con domicilio en Sevilla (en adelante, el “Arrendador”).",
			"party Fundación Niños del Sur [Arrendataria] 0.80; party Juan Pérez Gómez [Arrendador] 0.80",
		},
		{
			"es", "De una parte, D. Juan Pérez Gómez, actuando en nombre y representación de Construcciones Norte, S.A. (en adelante, el “Cliente”), y de otra, Talleres Sur, S.L. (en adelante, el “Proveedor”).",
			"party Construcciones Norte, S.A. [Cliente] 0.80; party Talleres Sur, S.L. [Proveedor] 0.80",
		},
		{
			"de", "Zwischen\n\nMax Berger, Hauptstr. 5, München (nachfolgend „Vermieter“)\n\nund\n\nFrau Dr. Anna von Stein, Köln (nachfolgend „Mieterin“)\n\nwird folgender Mietvertrag geschlossen.",
			"party Max Berger [Vermieter] 0.80; party Anna von Stein [Mieterin] 0.80",
		},
		{
			"de", "zwischen der Stadt Köln, vertreten durch die Oberbürgermeisterin (nachfolgend „Stadt“), dem Sportfreunde Elm e. V. (nachfolgend „Verein“) und der Volksbank Elm eG (nachfolgend „Bank“)",
			"party Stadt Köln [Stadt] 0.80; party Sportfreunde Elm e. V. [Verein] 0.80; party Volksbank Elm eG [Bank] 0.80",
		},
		{
			"fr", "ENTRE\n\nMonsieur Jean Dupont, demeurant à Lyon, ci-après dénommé « le Bailleur »\n\nET\n\nl'Association Sportive de Lyon, dont le siège est à Lyon, ci-après dénommée « le Preneur »",
			"party Jean Dupont [le Bailleur] 0.80; party Association Sportive de Lyon [le Preneur] 0.80",
		},
		{
			"it", "tra il sig. Mario Rossi, nato a Milano (di seguito \"Locatore\"), e il Comune di Monza, con sede in Monza (di seguito \"Conduttore\")",
			"party Mario Rossi [Locatore] 0.80; party Comune di Monza [Conduttore] 0.80",
		},
		{"de", "Für diesen Vertrag gelten die Gesetze des US-Bundesstaats Kalifornien.", "governing_law California [] 0.90"},
		{"fr", "La loi de Californie s’applique à ce contrat.", "governing_law California [] 0.90"},
		{"it", "Il contratto è regolamentato dalle leggi dello stato della California.", "governing_law California [] 0.90"},
		{"it", "Vari servizi, tra cui Elm Net e Elm Relay (i \"Servizi\"), sono offerti.", ""},
		{"fr", "Un accord entre vous et nous.\n\n4th Floor\nSan Francisco, CA 94105\n\nElm SAS est une société (ci-après « Elm »).", "party Elm SAS [Elm] 0.40"},
		{"fr", "Le présent contrat est conclu à compter du 1er mars 2024.", ""},
		{"es", "En virtud del acuerdo de 3 de mayo de 2020, las partes colaboran.", ""},
		{"fr", "La loi française est connue. Le 1er mars 2024, il pleuvait entre Paris et Lyon.", ""},
	} {
		s := structure.SegmentIn(c.language, []string{c.text})
		found := fact.Read(s)
		nlptest.RequireAttributes(t, s, found)
		var got []string
		for _, a := range found.File {
			got = append(got, fmt.Sprintf("%s %s [%s] %.2f", a.Key, a.Value, strings.Join(a.Value.Aliases, ", "), a.Confidence))
		}
		require.Equal(t, c.want, strings.Join(got, "; "), c.text)
	}
}
