package lex

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// cut is the pieces that a bar parts, without the bars: what the splitter must
// find again.
func cut(marked string) (text string, pieces []string) {
	pieces = strings.Split(marked, "|")
	for i := range pieces {
		pieces[i] = strings.TrimSpace(pieces[i])
	}
	return strings.ReplaceAll(marked, "|", ""), pieces
}

func TestSplitSentences(t *testing.T) {
	t.Parallel()
	for name, marked := range map[string]string{
		"Plain":                 `The Seller delivers. |The Buyer pays.`,
		"Company":               `Acme Inc. and Foo Corp. shall pay Bar Ltd. in full. |Acme Inc. has no other duty.`,
		"CompanyThenSentence":   `The guarantor is Foo Corp. |The Buyer relies on it.`,
		"CompanyInBrackets":     `This Lease is with Foo Co. (the "Lessor").`,
		"Country":               `Payment is in U.S. dollars under U.S. law. |It is due on receipt.`,
		"CountryThenSentence":   `No product leaves the U.S. |Each shipment is logged.`,
		"Number":                `See Exhibit No. 7 and Exh. 10.1 to the plan. |Nos. 3 and 4 are void.`,
		"NoAsAWord":             `The answer is no. |Nothing follows.`,
		"Sections":              `Under Sec. 4 and Art. IX the term ends. |It ends on notice.`,
		"SectionEndsSentence":   `Subject to Section 5. |The Company may assign.`,
		"LabelledLetter":        `As set out in Exhibit B. |Each party keeps a copy.`,
		"Initials":              `By J. P. Morgan and Mr. A. Smith. |Both sign.`,
		"Citation":              `As held in Roe v. Wade, 410 U.S. 113. |That was reversed.`,
		"Month":                 `Effective Jan. 5, 2020. |Pursuant to it, fees fall due.`,
		"MonthEndsSentence":     `Fees fall due each Dec. |Interest runs.`,
		"Figures":               `The fee is $1.5 million, or 3.25%. |It is fixed.`,
		"Address":               `Notices go to www.example.com or a.b@example.com. |They are in writing.`,
		"Latin":                 `Goods, i.e. the Products, e.g. Widgets, etc. are sold. |Services are not.`,
		"Quotes":                `He said "stop." |She stopped.`,
		"Brackets":              `This ends here (unless extended.) |It is not extended.`,
		"CurlyQuotes":           `The “Term.” |It begins now.`,
		"Ellipsis":              `Wait ... for it... |Then go on.`,
		"Question":              `Is it due? |It is! |Pay.`,
		"LowerCaseGoesOn":       `Paid to Foo & Co. by wire.`,
		"ShortItems":            `Sold in (a) Italy; (b) Malta; and (c) Spain.`,
		"LongItems":             `The Licensee shall not, without the prior written consent of the Licensor, which must not be withheld: |(a) transfer the Licensed Software or any copy or part of it to any third party whatsoever; or |(b) reverse engineer the Licensed Software in any way.`,
		"NumberOpensSentence":   `This Agreement ends. |7.2 The Seller returns all goods. |8. The Buyer pays.`,
		"ItemAfterStop":         `It is void. |(b) Licensor may cure.`,
		"StopInNumber":          `1. The Seller delivers. |A. On time. |IV. In full.`,
		"Recitals":              `WHEREAS, the Seller owns the Products described in Annex 1; and |WHEREAS, the Buyer wants them.`,
		"Redacted":              `The price is [***]. |[***] is secret.`,
		"WrappedLine":           "The Seller delivers the\ngoods to Foo Inc.\nand leaves. |The Buyer\npays.",
		"Time":                  `Noon is 12:00 p.m. Eastern Time. |The office closes at 5 p.m. |If late, call.`,
		"DegreesAndTitles":      `Dr. Jones, Ph.D. of Gen. Electric Co. attended.`,
		"NothingButAStop":       `.`,
		"SubsectionReference":   `Subject to Section 2.1(a). |(b) applies as well.`,
		"SemicolonInsideClause": `The term is one year; provided that it renews.`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, want := cut(marked)
			var got []string
			for _, e := range GrammarOf("en").Split(text, Extent{0, len(text)}, nil, nil) {
				got = append(got, text[e.Start:e.End])
			}
			require.Equal(t, want, got)
		})
	}
}

func TestSplitLanguages(t *testing.T) {
	t.Parallel()
	for language, marked := range map[string][]string{
		"de": {
			`Der Vertrag wird am 31. März 2024 zwischen der Müller GmbH & Co. KG, z. Hd. Dr. Weber, und der Becker AG geschlossen. |Er gilt ab dem 1. April.`,
			`Gem. § 5 Abs. 2 Nr. 3 BGB sind 1.234,56 EUR zzgl. USt. fällig. |Die Zahlung erfolgt zum 3. Werktag.`,
			`Es gilt Satz 2. |Die Frist endet am 15. |Der Käufer zahlt im Jahr 2024. |Im Übrigen gilt § 7.`,
			`Waren, z. B. Filter, d. h. Ersatzteile usw. sind in der Hauptstr. 5 abzuholen. |Dies gilt i. S. d. § 3.`,
			`Siehe Anlage B. |Die Parteien nennen sie „Ware.“ |Sie ist mangelfrei.`,
			`Vertreten durch Dipl.-Ing. K. Groß. |Sitz ist Frankfurt a. M., Bestell-Nr. 7.`,
		},
		"fr": {
			`En vertu de l'art. L. 123-4 du Code, M. Martin et Mme Petit sont liés. |Ils signent.`,
			`Il déclare : « Tout est conforme. » |Le Client en prend acte.`,
			`Le prix est de 15 000 € T.T.C. |Il est payable le 3 févr. 2024, cf. p. 4 et s., à la S.A.R.L. Durand.`,
			`Est-il tenu ? |Oui !`,
		},
		"es": {
			`Construcciones Norte, S.A. con domicilio en la C/ Mayor, n.º 5, y la Sra. Dña. Ana Ruiz firman. |Se rige por los arts. 1091 y 1255.`,
			`El titular tiene el D.N.I. núm. 12.345.678-Z. |Ambas partes son capaces. |¿Quién paga? |El arrendatario.`,
			`El fiador es Talleres Sur, S.L. |El banco confía en él.`,
		},
		"it": {
			`Ai sensi dell'art. 5, co. 1, lett. a), del D.Lgs. n. 231/2002 e degli artt. 3 e ss. c.c. la Rossi S.p.A. paga. |Il dott. Bianchi firma.`,
			`È dovuta l'I.V.A. |Il termine è di 30 gg. dalla data, ecc. |Non è prorogabile.`,
		},
		"nl": {
			`Krachtens art. 6:74 lid 1 jo. art. 6:95 BW is mr. J.P. de Vries, t.a.v. de afd. Inkoop, d.w.z. ordernr. 12, gebonden. |De termijn eindigt op 31 dec. 2025.`,
			`Verkoper is De Vries B.V. |Hij levert enz. |Kan dat?`,
		},
	} {
		for _, marked := range marked {
			text, want := cut(marked)
			var got []string
			for _, e := range GrammarOf(language).Split(text, Extent{0, len(text)}, nil, nil) {
				got = append(got, text[e.Start:e.End])
			}
			require.Equal(t, want, got)
		}
	}
}

func TestOpensOrdinal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language, before, text string
		want                   bool
	}{
		{"de", "Rates vom", "13. Juni 1990 über Reisen", true},
		{"de", "bis zum", "3. Werktag", true},
		{"de", "Dies gilt", "3. Vergütung", false},
		{"en", "as of", "13. June 1990", false},
		{"de", "vom", "13.", false},
		{"de", "vom", "", false},
	} {
		require.Equal(t, c.want, GrammarOf(c.language).OpensOrdinal(c.before, c.text), c.text)
	}
}

func TestSplitSentencesSkipsGaps(t *testing.T) {
	t.Parallel()
	text := "The Seller shall not\n- 3 -\f Acme. Confidential.\nassign this.\n- 4 -\f Acme. Confidential.\nIt ends."
	var gaps []Extent
	for at := range text {
		for _, furniture := range []string{"- 3 -", "- 4 -", "Acme. Confidential."} {
			if strings.HasPrefix(text[at:], furniture) {
				gaps = append(gaps, Extent{at, at + len(furniture)})
			}
		}
	}
	for _, language := range []string{"en", "de", "fr", "es", "it", "nl", "pt"} {
		cuts := GrammarOf(language).Split(text, Extent{0, len(text)}, gaps, nil)
		require.Len(t, cuts, 2, language)
		require.Equal(t, "It ends.", text[cuts[1].Start:cuts[1].End])
	}
}

func FuzzSplitSentences(f *testing.F) {
	f.Add("The Seller delivers. (a) It pays Foo Inc. (the “Buyer”); and (b) v. U.S.", uint(3), uint(9))
	f.Add("am 31. März « à l'art. L. 12. » d.w.z. ¿Qué? S.p.A. È z. B. „so“ n.º 5-Z. Él", uint(2), uint(7))
	f.Add("1.1\u2003“Term.”\n\fNo. ((((…", uint(0), uint(4))
	f.Fuzz(func(t *testing.T, text string, from, length uint) {
		gap := Extent{int(min(from, uint(len(text)))), int(min(from+length, uint(len(text))))}
		var gaps []Extent
		visible := text
		if gap.Start > 0 && gap.Start < gap.End && text[gap.Start-1] == '\n' {
			gaps = []Extent{gap}
			visible = text[:gap.Start] + strings.Repeat(" ", gap.End-gap.Start) + text[gap.End:]
		}
		for _, language := range []string{"en", "de", "fr", "es", "it", "nl", "pt"} {
			end := 0
			for _, e := range append(GrammarOf(language).Split(text, Extent{0, len(text)}, gaps, nil), Extent{len(text), len(text)}) {
				require.GreaterOrEqual(t, e.Start, end)
				require.LessOrEqual(t, e.End, len(text))
				require.Equal(t, e, Trim(text, e))
				require.Empty(t, strings.TrimSpace(visible[end:e.Start]), "what is between sentences")
				end = e.End
			}
		}
	})
}
