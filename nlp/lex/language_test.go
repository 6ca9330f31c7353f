package lex

import (
	"testing"

	"github.com/stretchr/testify/require"
)

var languages = map[string]string{
	"en": "This Agreement is made as of the date first written above by and between the parties, who agree that it binds their successors and assigns.",
	"de": "Dieser Vertrag wird zwischen den Parteien geschlossen und gilt ab dem 1. Januar 2020 auf unbestimmte Zeit, sofern er nicht von einer der Parteien schriftlich gekündigt wird. Änderungen bedürfen der Schriftform.",
	"fr": "Le présent contrat est conclu entre les parties pour une durée indéterminée et peut être résilié par chacune d'elles moyennant un préavis écrit de trois mois. Il est régi par le droit français.",
	"es": "El presente contrato se celebra entre las partes por tiempo indefinido y podrá ser resuelto por cualquiera de ellas mediante notificación escrita con tres meses de antelación. Se rige por la ley española.",
}

func TestDetectLanguage(t *testing.T) {
	t.Parallel()
	for code, text := range languages {
		require.Equal(t, code, DetectLanguage(text), text)
	}
	// Short ones, which have the small words of English and of others.
	require.Equal(t, "en", DetectLanguage("The Tenant of Qwxyzzy is to pay the rent of the premises to the Landlord in advance."))
	for _, text := range []string{
		"De huurder is in gebreke of in verzuim, of hij was in het pand en had er de was hangen.",
		"Lejer skal have ret til at bo i huset for en leje, der er under det, som er aftalt for det.",
		"Der Mieter war in der Wohnung, also hat er die Miete in bar an den Vermieter zu zahlen.",
	} {
		require.NotEqual(t, "en", DetectLanguage(text), text)
	}
	for _, text := range []string{"", "Vertrag", "1.1 2.2 3.3", "Acme GmbH", "\xff\xfe"} {
		require.Empty(t, DetectLanguage(text), text)
	}
}
