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

// TestTermLanguages reads how long agreements run and how they are renewed. The sentences
// were written for the test, as contracts word them.
func TestTermLanguages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, text, want string }{
		{
			"de", "Dieser Vertrag tritt am 1. April 2024 in Kraft und hat eine Laufzeit von zwei Jahren. Er verlängert sich stillschweigend um jeweils ein weiteres Jahr, wenn er nicht mit einer Frist von drei Monaten zum Ende der Laufzeit gekündigt wird.",
			"effective_date 2024-04-01; initial_term P2Y; expiration_date 2026-04-01; renewal_term P1Y again; renewal_type automatic; notice_period P3M",
		},
		{"de", "Der Vertrag läuft bis zum 31. Dezember 2026.", "expiration_date 2026-12-31"},
		{"de", "Der Vertrag endet am 31. Dezember 2026.", "expiration_date 2026-12-31"},
		{"de", "Der Vertrag wird auf unbestimmte Zeit geschlossen.", "expiration_date perpetual"},
		{"de", "Der Vertrag wird auf die Dauer von fünf Jahren geschlossen. Eine Probezeit von sechs Monaten ist Teil des Vertrages.", "initial_term P5Y"},
		{"de", "Die Frist nach diesem Vertrag läuft bis zum 31. Dezember 2026. Der Verkäufer leistet nach diesem Vertrag Garantie für die Dauer von zwei Jahren.", ""},
		{"de", "Die Laufzeit dieses Vertrages beträgt drei Jahre.", "initial_term P3Y"},
		{"de", "1.2 Dieser Vertrag hat eine Laufzeit vom 1. Januar 2024 bis zum 31. Dezember 2026.", "expiration_date 2026-12-31"},
		{"de", "Die Zahlungen aus diesem Vertrag werden für die Dauer von zwei Jahren gestundet. Nach Beendigung des Vertrages gilt das Wettbewerbsverbot für die Dauer von zwei Jahren.", ""},
		{"de", "Dieser Vertrag gilt für die bis zum 31. Dezember 2024 bestellte Ware. Die Frist verlängert sich automatisch um einen Monat.", ""},
		{"fr", "Après la fin du contrat, l'obligation de confidentialité subsiste pour une durée de cinq ans.", ""},
		{"es", "La confidencialidad se mantendrá con una duración de cinco años tras la terminación del contrato.", ""},
		{"it", "Gli obblighi di riservatezza del contratto hanno durata di cinque anni dalla cessazione.", ""},
		{"nl", "De huurovereenkomst wordt na afloop van de duur van vijf jaar voortgezet voor een aansluitende periode van vijf jaar.", ""},
		{"de", "Der Vertrag verlängert sich nicht automatisch um ein Jahr.", ""},
		{"de", "Der Vertrag verlängert sich automatisch, wenn er nicht drei Monate vor Ablauf gekündigt wird.", ""},
		{
			"fr", "Le présent contrat est conclu pour une durée d'un an à compter du 1er mars 2024. Il se renouvellera par tacite reconduction pour des périodes successives d'un an, sauf préavis de trois mois avant l'échéance.",
			"effective_date 2024-03-01; initial_term P1Y; expiration_date 2025-03-01; renewal_term P1Y again; renewal_type automatic; notice_period P3M",
		},
		{"fr", "Le présent contrat restera en vigueur jusqu'au 31 décembre 2026.", "expiration_date 2026-12-31"},
		{"fr", "Le contrat ne sera pas renouvelé tacitement pour un an. Le contrat prendra fin le 31 décembre 2026.", "expiration_date 2026-12-31"},
		{"fr", "Le vendeur accorde au titre du contrat une garantie d'une durée de deux ans.", ""},
		{
			"es", "El presente contrato tendrá una duración de dos años desde el 1 de marzo de 2024. Se prorrogará tácitamente por períodos sucesivos de un año, salvo denuncia de una de las partes con dos meses de antelación.",
			"effective_date 2024-03-01; initial_term P2Y; expiration_date 2026-03-01; renewal_term P1Y again; renewal_type automatic; notice_period P2M",
		},
		{"es", "El contrato estará en vigor hasta el 31 de diciembre de 2026. El contrato no se prorrogará tácitamente por un año.", "expiration_date 2026-12-31"},
		{
			"it", "Il presente contratto ha una durata di tre anni con decorrenza dal 1° marzo 2024. Alla scadenza si rinnova tacitamente di anno in anno, salvo disdetta con preavviso di sei mesi.",
			"effective_date 2024-03-01; initial_term P3Y; expiration_date 2027-03-01; renewal_term P1Y again; renewal_type automatic; notice_period P6M",
		},
		{"it", "Il contratto resta in vigore fino al 31 dicembre 2026. Il contratto non si rinnova tacitamente per un anno.", "expiration_date 2026-12-31"},
		{
			"nl", "Deze overeenkomst wordt aangegaan voor de duur van twee jaar met ingang van 1 maart 2024. Zij wordt telkens stilzwijgend verlengd met één jaar, tenzij een partij opzegt met inachtneming van een opzegtermijn van drie maanden.",
			"effective_date 2024-03-01; initial_term P2Y; expiration_date 2026-03-01; renewal_term P1Y again; renewal_type automatic; notice_period P3M",
		},
		{"nl", "De overeenkomst blijft in werking tot en met 31 december 2026. De overeenkomst wordt niet stilzwijgend verlengd met één jaar.", "expiration_date 2026-12-31"},
		{"nl", "De overeenkomst is aangegaan voor onbepaalde tijd.", "expiration_date perpetual"},
	} {
		s := structure.SegmentIn(c.language, []string{c.text})
		found := fact.Read(s)
		nlptest.RequireAttributes(t, s, found)
		var got []string
		for _, a := range found.File {
			said := fmt.Sprintf("%s %s", a.Key, a.Value)
			if a.Value.Recurring {
				said += " again"
			}
			got = append(got, said)
		}
		require.Equal(t, c.want, strings.Join(got, "; "), c.text)
	}
}
