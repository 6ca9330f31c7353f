package structure_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
)

func TestSections(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string // indented by level: path, title
	}{
		"Articles": {
			"ARTICLE I\n\nPRICE\n\nSection 1.01 Price. " + clause + "\n\nSection 1.02 Tax. " + clause + "\n\n(a) one;\n\n(b) two, that is\n\n(i) three; or\n\n(ii) four.\n\nARTICLE II\n\nTERM\n\n2.1 Term. " + clause,
			[]string{"1 PRICE", " 1.1 Price", " 1.2 Tax", "  1.2(a)", "  1.2(b)", "   1.2(b)(i)", "   1.2(b)(ii)", "2 TERM", " 2.1 Term"},
		},
		"Counted": {
			"1. Price. " + clause + "\n\n(a) one;\n\n(b) two.\n\n2. Term. " + clause,
			[]string{"1 Price", " 1(a)", " 1(b)", "2 Term"},
		},
		"LetterI": {
			"1. Price. " + clause + "\n\n(h) one;\n\n(i) two;\n\n(j) three.",
			[]string{"1 Price", " 1(h)", " 1(i)", " 1(j)"},
		},
		"RomanI": {
			"1. Price. " + clause + "\n\n(h) one;\n\n(i) two;\n\n(ii) three.\n\n(j) four.",
			[]string{"1 Price", " 1(h)", "  1(h)(i)", "  1(h)(ii)", " 1(j)"},
		},
		"TwoNumbers": {
			"7.2 (a) The Seller pays.\n\n(b) The Buyer pays.\n\n7.3 The Seller shall pay.",
			[]string{"7.2", " 7.2(a)", " 7.2(b)", "7.3"},
		},
		"ListInSection": {
			"5. Price. " + clause + "\n\n1. One.\n\n2. Two.\n\n6. Term. " + clause,
			[]string{"5 Price", " 5.1 One", " 5.2 Two", "6 Term"},
		},
		"Capitals": {
			"SUPPLY AGREEMENT\n\n" + clause + "\n\nPRICE\n\n" + clause + "\n\nTERM\n\n" + clause,
			[]string{" PRICE", " TERM"},
		},
		"RecitalsDoNotHold": {
			"SUPPLY AGREEMENT\n\nRECITALS\n\n" + clause + "\n\n1. Price. " + clause + "\n\n2. Term. " + clause,
			[]string{" RECITALS", "1 Price", "2 Term"},
		},
		"RestartsInParts": {
			"SUPPLY AGREEMENT\n\nGOODS\n\n1. Price. " + clause + "\n\n2. Term. " + clause + "\n\nSERVICES\n\n1. Price. " + clause,
			[]string{" GOODS", " 1 Price", " 2 Term", " SERVICES", " 1 Price"},
		},
		"HeadingInSection": {
			"4. Price. " + clause + "\n\n4.1 One. " + clause + "\n\nTAXES AND DUTIES\n\n" + clause + "\n\n4.2 Two. " + clause,
			[]string{"4 Price", " 4.1 One", "  TAXES AND DUTIES", " 4.2 Two"},
		},
		"Exhibits": {
			"SUPPLY AGREEMENT\n\n1. Price. " + clause + "\n\nEXHIBIT A\n\nGOODS\n\n1. Nuts. " + clause,
			[]string{"1 Price", "1 Nuts"},
		},
		"Contents": {
			"TABLE OF CONTENTS\n1. Price ........ 1\n2. Term ........ 2\n3. Law ........ 4\n\n1. Price. " + clause + "\n\n2. Term. " + clause,
			[]string{"1 Price", "2 Term"},
		},
		"ContentsBehindLegend": {
			"CONFIDENTIAL   EXECUTION COPY   TABLE OF CONTENTS   1. Price     1\n1.1   Goods     1   1.2   Tax     2   1.3   Delivery     2   1.4   Title     3   1.5   Risk     3   1.6   Returns     4\n2. Term     4\n\n" +
				"1. Price. " + clause + "\n\n1.1 Goods. " + clause + "\n\n2. Term. " + clause,
			[]string{"1 Price", " 1.1 Goods", "2 Term"},
		},
		"ListedDefinitions": {
			"TABLE OF CONTENTS\n1. Terms ........ 1\n1.1 \"Buyer\" or \"Buyers\" ........ 1\n1.3 \"Goods\" ........ 1\n2. Price ........ 2\n\n1. Terms\n\n1.1 \"Buyer\" or \"Buyers\" means Acme Inc.\n\n" +
				"1.2 \"Day\" means a business day.\n\n1.3 \"Goods\" means nuts.\n\n2. Price. " + clause,
			[]string{"1 Terms", " 1.1 \"Buyer\" or \"Buyers\"", " 1.2", " 1.3 \"Goods\"", "2 Price"},
		},
		"CountsOnInCapitals": {
			"1. PRICE\n\n" + clause + "\n\n1. nuts; and\n\n2. bolts.\n\n2. GOODS\n\n" + clause + "\n\n3. TERM\n\n" + clause,
			[]string{"1 PRICE", " 1.1", " 1.2", "2 GOODS", "3 TERM"},
		},
		"FootOfPage": {
			"3.7 Price. " + clause + "\n\n3.8 [***] CONFIDENTIAL Page 16 of 49\n\n3.9 Term. " + clause,
			[]string{"3.7 Price", "3.8", "3.9 Term"},
		},
		"Brand": {"5.1   eBix pays the price to the Buyer.\n\n5.2 The Buyer shall pay eBix.", []string{"5.1", "5.2"}},
		"Streets": {
			"1. Notices. " + clause + "\n\nAcme Inc.\n\n90 Merrick Avenue, Suite 601\n\n75 Castilian Drive Goleta\n\n20 Richmond Street East\n\n2. Law. " + clause,
			[]string{"1 Notices", "2 Law"},
		},
		"LostBreak": {
			"5.1 Price. " + wrapped + " 5.2 Purchase Orders. " + wrapped + "\n\n5.3 Tax. " + wrapped,
			[]string{"5.1 Price", "5.2 Purchase Orders", "5.3 Tax"},
		},
		"LostBreaks": {
			"3. Price\n\n3.1 " + wrapped + " 3.2 " + wrapped + " 3.3 Tax. " + wrapped + " 4. TERM. 4.1 " + wrapped + "\n\n4.2 " + wrapped,
			[]string{"3 Price", " 3.1", " 3.2", " 3.3 Tax", "4 TERM", " 4.1", " 4.2"},
		},
		"LostBreakBehindAddress": {
			"9.1 Notices. " + wrapped + "\n\nAcme Inc., Attn: General Counsel Section 9.2 Waiver. " + wrapped + "\n\n9.3 Law. " + wrapped,
			[]string{"9.1 Notices", "9.2 Waiver", "9.3 Law"},
		},
		"LostBreakOfArticle": {
			"ARTICLE I\n\nPRICE\n\n1.1 " + wrapped + "\n\nACME EXECUTION COPY ARTICLE II TERM\n\n2.1 " + wrapped,
			[]string{"1 PRICE", " 1.1", "2 TERM", " 2.1"},
		},
		"LostBreakAboveFirst": {
			"4.9 Price. " + wrapped + " 5.1 Orders. " + wrapped + "\n\n5.2 Tax. " + wrapped,
			[]string{"4.9 Price", "5.1 Orders", "5.2 Tax"},
		},
		"LostBreakAboveAll": {
			"SUPPLY AGREEMENT\n\nThe parties agree as follows: 1.0 PRICE.\n\n1.1 " + wrapped + "\n\n1.2 " + wrapped,
			[]string{"1 PRICE", " 1.1", " 1.2"},
		},
		"RowsOfTable": {
			"1. Price. " + clause + "\n\n7.09 Castilla, Colombia\n\n6.93 Vasconia, Colombia\n\n7.47 Mars, Gulf Coast\n\n2. Term. " + clause,
			[]string{"1 Price", "2 Term"},
		},
		"FigureAboveTitle": {
			"1. Price. " + clause + "\n\n12 EXECUTION COPY\n\n2 Term\n\n" + clause + "\n\n3.4 Law. " + clause,
			[]string{"1 Price", "2 Term", "3.4 Law"},
		},
		"ReferencesAreNotMissing": {
			"5.1 Price. " + wrapped + " 5.2 Orders are invoiced.\n\n5.2 Orders. " + wrapped + " 5.3 Tax is due.\n\n5.3 Tax. " + wrapped,
			[]string{"5.1 Price", "5.2 Orders", "5.3 Tax"},
		},
		"ReferencesToMissing": {
			"5.1 Price. " + wrapped + " It applies in the events of this Section 5.2 (Orders), of 5.2 Orders and of subsection 5.2 Orders.\n\n5.3 Tax. " + wrapped,
			[]string{"5.1 Price", "5.3 Tax"},
		},
		"TooDeep":   {"1.1.1.1.1.1.1.1.1.1 Price. " + clause, nil},
		"Signature": {"1. Price. " + clause + "\n\nIN WITNESS WHEREOF, the parties have signed.\n\nACME INC.\nBy: /s/ Jane Doe\nName: Jane Doe", []string{"1 Price"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pages := []string{c.text}
			s := structure.Segment(pages)
			nlptest.RequireLaws(t, pages, s)
			var got []string
			for _, x := range s.Sections {
				got = append(got, strings.TrimRight(strings.Repeat(" ", x.Level-1)+x.Path+" "+x.Title, " "))
			}
			require.Equal(t, c.want, got)
		})
	}
}

// wrapped is clause in lines of print.
const wrapped = "The Seller delivers the goods to the Buyer on the date that the order\nnames, and bears the risk until then."

// TestSequenceHostile holds the work on numbers inside of paragraphs in proportion to how
// many there are, whether one continues the other or not.
func TestSequenceHostile(t *testing.T) {
	t.Parallel()
	const most = 50_000
	for name, number := range map[string]func(i int) string{
		"Continue":   func(i int) string { return fmt.Sprintf("%d.%d Term. ", i/900+1, i%900+1) },
		"Same":       func(int) string { return "1.2 Term. " },
		"Backwards":  func(i int) string { return fmt.Sprintf("%d.%d Term. ", 99-i/1_100, 999-i%900) },
		"Interleave": func(i int) string { return fmt.Sprintf("%d.%d Term. The\n\n%d.1 Term. ", i%7+1, i%13+1, i%5+1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			text.WriteString("1.1 Price.\n\n")
			for i := range most {
				text.WriteString(number(i))
				if i%6 == 5 {
					text.WriteString("\nThe ")
				}
			}
			start := time.Now()
			structure.Segment([]string{text.String()})
			require.Less(t, time.Since(start), 20*time.Second)
		})
	}
}

// TestOneLineHostile segments lines with very many headings that are not taken for sections:
// were the rest of the line looked through behind each, this would not end.
func TestOneLineHostile(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"1 Aa. ", "1 Aa bb cc. ", "1.1 Aa ", "(a) Aa ", "§ 5 Aa. ", "- AA BB. "} {
		s := structure.SegmentIn("en", []string{strings.Repeat(unit, 50_000)})
		require.NotEmpty(t, s.Sentences, unit)
	}
}

// TestSectionsLanguages reads the headings of languages other than English.
func TestSectionsLanguages(t *testing.T) {
	t.Parallel()
	for language, c := range map[string]struct {
		text string
		want []string // indented by level: path, title
	}{
		"de": {
			"§ 5 Haftung\n\nDer Verkäufer haftet für Vorsatz.\n\n§ 6 - Laufzeit und Kündigung\n\n(1) Der Vertrag beginnt am 1. März 2023.\n\n§ 7 Abs. 2 gilt entsprechend.\n\n" +
				"Artikel 7 Miete\n\n1. Das Mietverhältnis beginnt am 1. März 2023.\n\n2. Die Miete beträgt 500 Euro.\n\nArt. 8\nKosten\n\nSie trägt der Käufer.",
			[]string{"5 Haftung", "6 Laufzeit und Kündigung", " 6(1)", "7 Miete", " 7.1", " 7.2", "8 Kosten"},
		},
		"fr": {
			"Article 1er – Objet\n\nLe présent contrat a pour objet la vente.\n\nArticle 4 – Durée du contrat\n\n4.1 Le contrat est conclu pour deux ans.\n\n" +
				"4.2 Il est renouvelable.\n\nARTICLE 5 : LE PRIX\n\nLe prix est ferme.\n\nArt. 6. - Litiges\n\nIls sont soumis au tribunal.",
			[]string{"1 Objet", "4 Durée du contrat", " 4.1", " 4.2", "5 LE PRIX", "6 Litiges"},
		},
		"es": {
			"Cláusula Primera.- Objeto\n\nEl vendedor vende los bienes.\n\nCLÁUSULA QUINTA. DURACIÓN\n\nEl contrato dura dos años.\n\n" +
				"Cláusula Décima Primera: Ley aplicable\n\nSe rige por la ley española.\n\nArtículo 12. Notificaciones\n\nLas partes se notifican por escrito.",
			[]string{"1 Objeto", "5 DURACIÓN", "11 Ley aplicable", "12 Notificaciones"},
		},
		"it": {
			"Art. 7 – Durata\n\nIl contratto dura due anni.\n\nArticolo 8. Foro competente\n\n8.1 Il contratto è regolato dalla legge italiana.\n\n8.2 Foro esclusivo. Decide il foro di Milano.",
			[]string{"7 Durata", "8 Foro competente", " 8.1", " 8.2 Foro esclusivo"},
		},
		"nl": {
			"Artikel 3. Duur van de overeenkomst\n\nDe overeenkomst duurt twee jaar.\n\n3.1 De koper betaalt.\n\nArtikel 4 – Aansprakelijkheid\n\nDe verkoper is aansprakelijk.\n\nArtikel 5\n\nBetaling",
			[]string{"3 Duur van de overeenkomst", " 3.1", "4 Aansprakelijkheid", "5 Betaling"},
		},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			pages := []string{c.text}
			s := structure.SegmentIn(language, pages)
			nlptest.RequireLaws(t, pages, s)
			var got []string
			for _, x := range s.Sections {
				got = append(got, strings.TrimRight(strings.Repeat(" ", x.Level-1)+x.Path+" "+x.Title, " "))
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestSectionSpans(t *testing.T) {
	t.Parallel()
	pages := []string{"1. Price. The price – if any – is\n\n(a) 5 €; or\n\n(b) 6 €.\n\n2. Term\n\nOne year.\n\nIN WITNESS WHEREOF, the parties have signed."}
	s := structure.Segment(pages)
	nlptest.RequireLaws(t, pages, s)
	var got [][3]string
	for _, x := range s.Sections {
		got = append(got, [3]string{s.Quote(x.Heading), s.Quote(x.Body), s.Quote(x.Span)})
	}
	require.Equal(t, [][3]string{
		{"1. Price.", "The price – if any – is", "1. Price. The price – if any – is\n\n(a) 5 €; or\n\n(b) 6 €."},
		{"(a)", "5 €; or", "(a) 5 €; or"},
		{"(b)", "6 €.", "(b) 6 €."},
		{"2. Term", "One year.", "2. Term\n\nOne year."},
	}, got)
}

// TestBlockLevels gives headings and items the level of the section that they open, and a
// title none.
func TestBlockLevels(t *testing.T) {
	t.Parallel()
	s := structure.Segment([]string{"LEASE AGREEMENT\n\nThis lease is made on 1 May 2020 between Acme Ltd and Bolt Ltd.\n\n1. Rent\n\n" + clause + "\n\n1.1 Deposit\n\n" + clause +
		"\n\n(a) cash; and\n\n(b) bank guarantees.\n\n2. Term\n\n" + clause})
	var levels []string
	for _, d := range s.Documents {
		for _, b := range d.Blocks {
			if b.Kind != structure.Paragraph {
				levels = append(levels, fmt.Sprint(b.Level, " ", strings.Fields(s.Quote(b.Span))[0]))
			}
		}
	}
	require.Equal(t, []string{"0 LEASE", "1 1.", "2 1.1", "3 (a)", "3 (b)", "1 2."}, levels)
}
