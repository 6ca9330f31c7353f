package search_test

import (
	"html"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/search"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		``:                         {},
		`Termination  NOTICE`:      {"termination", "notice"},
		`"written notice" term`:    {`"written notice"`, "term"},
		`“written notice”`:         {`"written notice"`},
		`"not closed at all`:       {`"not closed at all"`},
		`-waiver -"set off" a-b -`: {"-waiver", `-"set off"`, "a-b"},
		`10.1 § 5(a)`:              {"10-1", "5-a"},
		`"" " - "`:                 {},
		`party's`:                  {"party-s"},
		`a"b c"d`:                  {"a", `"b c"`, "d"},
		"e\u0301tat \u0301":        {"e\u0301tat"},
		strings.Repeat("x ", 100):  strings.Split(strings.TrimSpace(strings.Repeat("x ", search.MaxTerms)), " "),
		"\u202eabc\u202c \x00 😀 חוזה 合同": {"abc", "חוזה", "合同"},
	} {
		require.Equal(t, want, search.Parse(text), text)
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"term", "term", 0}, {"term", "trem", 1}, {"term", "tem", 1}, {"term", "terms", 1}, {"term", "tarm", 1},
		{"agreement", "agrement", 1}, {"agreement", "agremnet", 2}, {"licensor", "licensee", 2}, {"ca", "abc", 3}, {"straße", "strase", 1},
		{"indemnity", "warranty", 3}, {"a", "abcdef", 3},
	} {
		require.Equal(t, tt.want, min(3, search.Distance([]rune(tt.a), []rune(tt.b), 2)), "%s %s", tt.a, tt.b)
		require.Equal(t, tt.want, min(3, search.Distance([]rune(tt.b), []rune(tt.a), 2)), "%s %s", tt.b, tt.a)
	}
}

// Of words that Postgres does not know to be common the files tell how common they are, as
// long as there are more than are counted.
func TestShareOfWords(t *testing.T) {
	t.Parallel()
	team := db.NewID()
	known := db.WordStatistics{Sentences: 2_000_000, Least: 0.004, Frequencies: map[string]float64{db.TeamLexeme(team): 0.5}}
	for _, tt := range []struct {
		name           string
		files, anyForm int
		share          float64
		want           float64
	}{
		{"known", 5000, 5000, 0.02, 0.02},
		{"a few sentences of each file", 2000, 2000, 0, 0.003},
		{"mostly in other forms", 10, 2000, 0, 0.003},
		{"whose forms are not told", 2000, 0, 0, 0.003},
		{"fewer than any that is known", 9000, 9000, 0, 0.004},
		{"in few files", search.Window - 1, search.Window - 1, 0, 0},
	} {
		require.InDelta(t, tt.want, search.WordShare(known, team, tt.files, tt.anyForm, tt.share), 1e-9, tt.name)
	}
	require.Zero(t, search.WordShare(known, db.NewID(), 5000, 5000, 0), "of a team of which nothing is known")
}

// The index is asked for a common word as well, unless few sentences hold the others.
func TestAsked(t *testing.T) {
	t.Parallel()
	team := db.NewID()
	known := db.WordStatistics{Sentences: 5_000_000, Least: 0.0035, Frequencies: map[string]float64{db.TeamLexeme(team): 1}}
	shares := map[string]float64{"shall": 0.28, "provide": 0.1, "notice": 0.06, "agreement": 0.2}
	files := map[string]int{"npc": 4_000, "minute": 300, "closing": 20_000}
	for text, want := range map[string]string{
		"npc shall provide":       "(npc) & (provide)",
		"minute shall provide":    "(minute)",
		"shall provide notice":    "",
		"closing notice":          "",
		"minute":                  "",
		"minute -shall":           "",
		"minute shall -notice":    "!(notice) & (minute)",
		`minute "shall provide"`:  "",
		"minute shall shall":      "(minute)",
		`"agreement npc" shall`:   "(agreement <1> npc)",
		"neverheard shall":        "(neverheard)",
		"agreement shall provide": "",
	} {
		got, err := search.Asked(known, team, text, shares, files)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
	got, err := search.Asked(known, db.NewID(), "npc shall provide", shares, files)
	require.NoError(t, err)
	require.Empty(t, got, "of a team of which nothing is known")
}

// Neighbours are all of the words one edit away, and nothing else.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"term", "lease", "aa", "käufer"} {
		list := search.Neighbours(word)
		for _, near := range list {
			require.LessOrEqual(t, search.Distance([]rune(word), []rune(near), 2), 1, "%s %s", word, near)
		}
		for _, near := range []string{word[1:], "x" + word, word + "s"} {
			require.Contains(t, list, near)
		}
	}
}

func TestSnippet(t *testing.T) {
	t.Parallel()
	require.Equal(t, `a &lt;b&gt; <em>notice</em> &amp; <em>notices</em>`, search.Snippet("a <b> notice & notices", "notice"))
	require.Equal(t, `no mark`, search.Snippet("no mark", "notice"))
	require.Empty(t, search.Snippet("", "notice"))
	require.Equal(t, "the <em>résumé</em>, <em>re\u0301sume\u0301s</em> &amp; <em>RESUME</em>", search.Snippet("the résumé, re\u0301sume\u0301s & RESUME", "resume"))
	long := strings.Repeat("lorem ipsum ", 100) + "notice of default " + strings.Repeat("dolor sit ", 100)
	got := search.Snippet(long, "notice", "default")
	require.Contains(t, got, "<em>notice</em> of <em>default</em>")
	require.True(t, strings.HasPrefix(got, "… ") && strings.HasSuffix(got, " …"), got)
}

// FuzzQuery holds parsing to its bounds whatever is typed.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{`a "b c" -d`, `-"`, "\x00\xff", `“x” «y»`, "10.1 non-compete"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		terms := search.Parse(text)
		require.LessOrEqual(t, len(terms), search.MaxTerms)
		for _, term := range terms {
			require.NotEmpty(t, strings.Trim(term, `-"`))
			require.Equal(t, []string{term}, search.Parse(term)[:1], "a term that is typed again is itself")
		}
	})
}

// FuzzSnippet holds snippets to escaped text with balanced marks.
func FuzzSnippet(f *testing.F) {
	f.Add("a <b> notice & notices", "notice")
	f.Add(strings.Repeat("long ", 200), "long")
	f.Add("\xff\xfe<em>", "em")
	f.Add("the résumé & re\u0301sume\u0301 of Zürich", "resume zürich")
	f.Fuzz(func(t *testing.T, text, word string) {
		got := search.Snippet(text, search.Words(word)...)
		require.True(t, utf8.ValidString(got))
		require.Equal(t, strings.Count(got, "<em>"), strings.Count(got, "</em>"))
		bare := strings.NewReplacer("<em>", "", "</em>", "").Replace(got)
		require.NotContains(t, bare, "<")
		plain := strings.TrimSuffix(strings.TrimPrefix(html.UnescapeString(bare), "… "), " …")
		require.Contains(t, string([]rune(text)), plain, "a snippet is a part of the text")
		require.LessOrEqual(t, utf8.RuneCountInString(plain), search.SnippetLength)

		var folded []string
		for _, w := range search.Marked(text, search.Words(word)...) {
			folded = append(folded, search.Fold(w))
		}
		require.Equal(t, folded, search.Marked(search.Fold(text), search.Words(search.Fold(word))...), "accents and case change nothing in what is marked")
	})
}

// FuzzExpression holds expressions to their bounds: what is read can be written and read
// again, and what is not is refused in a sentence.
func FuzzExpression(f *testing.F) {
	for _, seed := range []string{
		`a AND (b OR "c d") NOT e`, `a NEAR/5 b NEAR/2 "c d"`, `NOT NOT a`, `((((a OR b))))`, `a OR`, `(`, `)`, `-(a OR b)`, `NEAR/0`, `a AND - b`, `"AND" OR "`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		whole, err := search.ParseExpression(text)
		if err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			return
		}
		again, err := search.ParseExpression(whole)
		require.NoError(t, err, whole)
		require.Equal(t, whole, again)
	})
}

// FuzzPlain holds stems that are sent to a server to their length and their words.
func FuzzPlain(f *testing.F) {
	f.Add("a, b-c \ue000 d")
	f.Fuzz(func(t *testing.T, text string) {
		require.Equal(t, utf8.RuneCountInString(text), utf8.RuneCountInString(search.Plain(text)))
		require.Empty(t, strings.Trim(strings.Join(strings.Fields(search.Plain(text)), ""), strings.Join(search.Words(text), "")+strings.ToUpper(text)))
	})
}

func TestExpressions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`a AND b`:                         `a b`,
		`a and b or c`:                    `a and b or c`, // words
		`lease (45) days -rent`:           `lease 45 days -rent`,
		`a OR b c`:                        `(a OR (b AND c))`,
		`(a OR b) c`:                      `(a OR b) c`,
		`a AND NOT b`:                     `a -b`,
		`a NOT (b OR "c d")`:              `a -(b OR "c d")`,
		`a AND -(b AND c)`:                `a -(b AND c)`,
		`NOT NOT a`:                       `a`,
		`notice NEAR/5 "as is"`:           `(notice NEAR/5 "as is")`,
		`a NEAR/2 b NEAR/3 c d`:           `(a NEAR/2 b) (b NEAR/3 c) d`,
		`"TERMS AND CONDITIONS"`:          `"terms and conditions"`,
		`TERMS AND CONDITIONS OF SALE`:    `terms and conditions of sale`, // a heading
		`IBM OR DELL`:                     `(ibm OR dell)`,
		`"NEW YORK" OR DELAWARE`:          `("new york" OR delaware)`,
		`10 20 OR 30`:                     `((10 AND 20) OR 30)`,
		`“a OR b” c`:                      `"a or b" c`,
		`a OR (b AND (c OR d))`:           `(a OR (b AND (c OR d)))`,
		`Portland, OR`:                    `portland or`,
		`a OR b AND`:                      `(a OR (b AND and))`,
		`a AND ""`:                        `a`,
		`"" OR a AND b`:                   `a b`,
		`a NEAR/5 …`:                      `a`,
		`non-compete OR NEAR`:             `(non-compete OR near)`,
		`(a OR b OR (c OR d)) AND -"x y"`: `(a OR b OR c OR d) -"x y"`,
	} {
		terms, err := search.ParseTerms(text)
		require.NoError(t, err, text)
		require.Equal(t, want, strings.Join(terms, " "), text)
	}
	for text, reason := range map[string]string{
		`a OR AND`:                            "needs a word before it",
		`OR a`:                                "needs a word before it",
		`a AND AND b`:                         "needs a word before it",
		`a AND NOT`:                           "followed by a word",
		`a AND (b`:                            "not closed",
		`a OR b)`:                             "was not opened",
		`a OR ()`:                             "where a word is missing",
		`a NEAR/0 b`:                          "from 1 to 50",
		`a NEAR/ b`:                           "from 1 to 50",
		`a NEAR/51 b`:                         "from 1 to 50",
		`a NEAR/3 (b OR c)`:                   "between two words",
		strings.Repeat("a NEAR/50 ", 6) + "b": "smaller distances",
		`"` + strings.Repeat("a ", 500) + `" NEAR/2 b`: "smaller distances",
		`a NEAR/3 -b`: "between two words",
		`NEAR/3 b`:    "needs a word before it",
		strings.Repeat("(", 11) + "a OR b" + strings.Repeat(")", 11): "parentheses in one another",
		strings.Repeat("a OR ", search.MaxTerms) + "b":               "words and phrases",
	} {
		_, err := search.ParseTerms(text)
		require.Equal(t, fault.Invalid, fault.KindOf(err), text)
		require.ErrorContains(t, err, reason, text)
	}
}
