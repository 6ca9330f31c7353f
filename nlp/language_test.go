package nlp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// foreign are contracts in languages other than English, with what they are cut into.
var foreign = map[string]struct {
	text      string
	sections  []string
	sentences []string
	law       string
}{
	"de": {
		"LIEFERVERTRAG\n\n§ 1 Gegenstand\n\nDieser Vertrag wird zwischen den Parteien geschlossen und gilt ab sofort auf\nunbestimmte Zeit, sofern er nicht von einer der Parteien schriftlich gekündigt\nwird. " +
			"Änderungen und Ergänzungen dieses Vertrages bedürfen der Schriftform.\n\n§ 2 Preis\n\nDer Preis beträgt 1.250,00 €. Er ist am 01.02.2020 fällig.",
		[]string{"1 Gegenstand", "2 Preis"},
		[]string{
			"LIEFERVERTRAG", "§ 1 Gegenstand",
			"Dieser Vertrag wird zwischen den Parteien geschlossen und gilt ab sofort auf unbestimmte Zeit, sofern er nicht von einer der Parteien schriftlich gekündigt wird.",
			"Änderungen und Ergänzungen dieses Vertrages bedürfen der Schriftform.",
			"§ 2 Preis", "Der Preis beträgt 1.250,00 €.", "Er ist am 01.02.2020 fällig.",
		},
		"",
	},
	"fr": {
		"CONTRAT DE FOURNITURE\n\nLe présent contrat est conclu entre les parties pour une durée indéterminée et peut\nêtre résilié par chacune d'elles moyennant un préavis écrit de trois mois. Il est régi par le droit français.\n\n" +
			"1. Prix\n\nLe prix est fixé à 5 000 euros par les parties. Il est payé à la livraison.",
		[]string{"1 Prix"},
		[]string{
			"CONTRAT DE FOURNITURE",
			"Le présent contrat est conclu entre les parties pour une durée indéterminée et peut être résilié par chacune d'elles moyennant un préavis écrit de trois mois.",
			"Il est régi par le droit français.", "1. Prix", "Le prix est fixé à 5 000 euros par les parties.", "Il est payé à la livraison.",
		},
		"France",
	},
}

func TestSegmentOtherLanguages(t *testing.T) {
	t.Parallel()
	for code, c := range foreign {
		s := structure.Segment([]string{c.text})
		nlptest.RequireLaws(t, []string{c.text}, s)
		require.Equal(t, code, s.Language)
		var sections, sentences []string
		for _, x := range s.Sections {
			sections = append(sections, x.Path+" "+x.Title)
		}
		for _, x := range s.Sentences {
			sentences = append(sentences, s.Plain(x.Span))
		}
		require.Equal(t, c.sections, sections)
		require.Equal(t, c.sentences, sentences)
		law := ""
		for _, f := range fact.Extract(s).File {
			if f.Key == value.GoverningLaw {
				law = f.Value.Name
			}
		}
		require.Equal(t, c.law, law)
	}
}
