package fact_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

var update = flag.Bool("update", false, "write the goldens anew")

// TestExtractGolden reads texts that show what each extractor takes.
func TestExtractGolden(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			s := structure.Segment([]string{string(text)})
			found := fact.Extract(s)
			nlptest.RequireAttributes(t, s, found)
			golden := strings.TrimSuffix(name, ".txt") + ".golden"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(nlptest.DrawAttributes(t, s, found)), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), nlptest.DrawAttributes(t, s, found))
		})
	}
}

func TestExtractLaws(t *testing.T) {
	t.Parallel()
	for _, c := range nlptest.Contracts(t) {
		s := structure.Segment(strings.SplitAfter(c.Text, "\n\n\n\n\n"))
		nlptest.RequireAttributes(t, s, fact.Read(s))
	}
}

func FuzzExtract(f *testing.F) {
	for _, seed := range []string{
		"", "This Agreement is made on 1 March 2024 (the \"Effective Date\") by and between Acme, Inc. (\"Acme\") and Mr. John Doe.",
		"the fifth day of ____, 20__ 31 June 2024 03/04/2020 2020-02-30 1.2.20", "US$ 1,250.50 million 1.250,00 € five thousand dollars ($5,000) five percent (5%)",
		"governed by the laws of the State of New York. thirty (30) days' notice two-year terms (12) months renew automatically", "Party A: X Co., Ltd. P.O. Box 1, 12 Main Street, Austin, TX 78701-1234",
		"1.1 “Goods” means nuts; see Section 1.1 and Exhibit A. (the \"Price\")\n\nEXHIBIT A\n\nGoods", "Der Preis beträgt 1.250,00 € und ist am 01.02.2020 zu zahlen, sofern nichts anderes vereinbart ist.\fSeite", "\xff\xfe[●] “x” (●)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := structure.Segment(strings.Split(text, "\f"))
		nlptest.RequireAttributes(t, s, fact.Read(s))
	})
}

// FuzzExtractLanguages is FuzzExtract for the rules of other languages.
func FuzzExtractLanguages(f *testing.F) {
	for _, seed := range []string{
		"am 31. März 2024 zwischen der Müller GmbH & Co. KG (nachfolgend „A“) und 12'500.00 Fr. 1.2 zweitausendeinhundert Tage 5 v. H.", "ENTRE\nA S.A.S. dénommée « B » le 1er mars 12 500,00 d'euros quatre-vingt-dix",
		"En X, a 1 de enero de 2024 ley de España mil doscientos", "1° gennaio € 1,5 milioni di euro l'ordinamento italiano", "tussen De B.V. ’ 1\u202f000 recht van 't", "\xff«",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, language := range []string{"de", "fr", "es", "it", "nl", "pt"} {
			s := structure.SegmentIn(language, strings.Split(text, "\f"))
			nlptest.RequireAttributes(t, s, fact.Read(s))
		}
	})
}

// TestExtractHostileLanguages is TestExtractHostile for the rules of other languages.
func TestExtractHostileLanguages(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"de", "fr", "es", "it", "nl"} {
		for _, pattern := range []string{
			"zwischen ", "entre ", "tra A S.p.A. ", "tussen A B.V. und ", "1 000 ", "1'000'", "zwei", "hundert", "tausend", "cent ", "et un ", "vingt - ", "recht der ", "loi de la ", "(„", "« ", "d'", "nachfolgend ", "Recht Schweiz gilt Vertrag ",
			"am 1. Januar 2024 Vertrag geschlossen ", "1,5 Mio. ", "En ", "fr. 1 ", "mil ", "A. ", "von De ", "Vertrag verlängert jeweils ein Jahr ", "contrat durée d'un an ", "vertreten durch A GmbH ", "000 ", "1'000 ",
		} {
			nlptest.RequireLinear(t, pattern, 100_000, func(text string) { fact.Extract(structure.SegmentIn(language, []string{text})) })
		}
	}
}

// TestExtractHostile holds the work on a text in proportion to its length.
func TestExtractHostile(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{
		"between A Inc. and ", "(", "____ ", "[ ", "\"x ", "five ", "1 ", "1.", "$1 ", "five thousand ", "12 Main Street ", "TX 78701 ", "Inc. ", "A ", "of the ", "governed by law ",
		"laws of the State of New York ", "term of this Agreement shall be effective ", "renew automatically one year ", "notice ", "AGREEMENT ", "effective date ", "Mr. ", "January 1, 2020 ", "Party A: X ",
		"term is 1 year ", "the law governed New York law ", "Ü ", "; and X Inc. (\"X\") ", "the \"Effective Date\" ", "Inc ", "between A , ", "and A Inc ", "AGREEMENT      ", "000 ", "1'000 ",
		"the Supply dated May 1, 2020 ", "fifth anniversary of this agreement shall ", "this agreement shall extend up to an additional year ", "3/4/11 ", "this agreement effective on the date of ",
	} {
		nlptest.RequireLinear(t, pattern, 200_000, func(text string) { fact.Extract(structure.Segment([]string{text})) })
	}
	for _, language := range []string{"en", "fr"} { // a row of groups that is no figure because of its end
		nlptest.RequireLinear(t, "000 ", 200_000, func(text string) { fact.Extract(structure.SegmentIn(language, []string{text + "000x"})) })
	}
}

func BenchmarkExtract(b *testing.B) {
	all := nlptest.Contracts(b)
	size := 0
	list := make([]*structure.Segmentation, 0, len(all))
	for _, c := range all {
		size += len(c.Text)
		list = append(list, structure.Segment([]string{c.Text}))
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range list {
			fact.Extract(s)
		}
	}
}

func TestExtractReadsPast(t *testing.T) {
	t.Parallel()
	said := func(text string, key value.Key) []string {
		var names []string
		for _, a := range fact.Extract(structure.Segment([]string{text})).File {
			if a.Key == key {
				names = append(names, a.Value.Name)
			}
		}
		return names
	}
	aside := strings.Repeat("all issues relating to arbitration under the act of arbitration, ", 14)
	require.Equal(t, []string{"Arizona"}, said("Except for "+aside+"which will be governed by the act itself, and "+aside+
		"this Agreement will be governed by the internal laws of the State of Arizona.", value.GoverningLaw), "an aside governed by something else")
	require.Equal(t, []string{"Texas"}, said("This Agreement shall be governed by the laws ofthe State ofTexas.", value.GoverningLaw), "words that a scan runs together")
	require.Equal(t, []string{"EXCLUSIVE SUPPLY AGREEMENT"}, said("SUPPLY AGREEMENT\n\nEXHIBIT 10.2\n\nEXCLUSIVE SUPPLY AGREEMENT\n\nThis Exclusive Supply Agreement is made by Acme Inc. and Bolt LLC.", value.DocumentName), "a cover with a shorter name")
	require.Equal(t, []string{"FIRST AMENDMENT TO ACME MAINTENANCE AGREEMENT"}, said("FIRST AMENDMENT TO ACME                MAINTENANCE AGREEMENT\n\nThis First Amendment to Acme Maintenance Agreement is made by Acme Inc. and Bolt LLC.", value.DocumentName), "a title in two parts that its first sentence says whole")
	require.Equal(t, []string{"SCHEDULE TO Maintenance Agreement"}, said("SCHEDULE TO Maintenance Agreement    Supplier Name:  Acme, Inc.\n\nThis Schedule is made by Acme Inc.", value.DocumentName), "the label of a field beside a title")
	require.Equal(t, []string{"Supply Agreement"}, said("Supply Agreement [v.08]\n\nIF YOU DO NOT AGREE TO ALL OF THE TERMS, RETURN THE GOODS.", value.DocumentName), "a sentence in capitals")
	require.Equal(t, []string{"California and Hong Kong"}, said("This Agreement is governed by the laws of the State of California and the laws of Hong Kong.", value.GoverningLaw), "two laws together")
	require.Equal(t, []string{"Texas or Ohio"}, said("This Agreement is governed by the law of the place where the claim is first brought, which is either the State of Texas or Ohio.", value.GoverningLaw), "the law of either place")
	require.Empty(t, said("This Agreement is governed by applicable law. Goods are shipped to either Texas or Ohio.", value.GoverningLaw), "either of two places that name no law")
	require.Equal(t, []string{"Ontario, Canada"}, said("This Agreement is governed by the laws of the Province of Ontario and the laws of Canada applicable therein.", value.GoverningLaw), "federal law is part of a state's")
	require.Equal(t, []string{"Italy"}, said("Any such arbitration shall (i) be subject to the application of the Italian Law, and (ii) take place in Paris.", value.GoverningLaw), "the law of an arbitration")
	require.Equal(t, []string{"Switzerland"}, said("This agreement is governed by Swiss substantive law.", value.GoverningLaw), "what kind of law")
	require.Equal(t, []string{"Luxembourg"}, said("This DPA is subject to the law of Luxembourg.", value.GoverningLaw), "an agreement by another name")
	require.Equal(t, []string{"Acme Inc."}, said("This Agreement is between Acme Inc. (“Acme”) and the Customer (“you”).", value.Party), "a part and no name")
}
