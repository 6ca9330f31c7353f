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
			"governing_law Switzerland [] 0.40",
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
		require.Equal(t, c.want, strings.Join(got, "; "))
	}
}
