package search_test

import (
	"context"
	"flag"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/search"
)

// asked is set by `make ranking`: 5,600 questions take minutes.
var asked = flag.Bool("known", false, "ask for known phrases of the contracts in CLAUSEMILL_DATA")

// common is from how many contracts on the words of a phrase are no sign of any
// one of them.
const common = 10

// contracts are the sentences of real contracts, by contract.
func contracts(t testing.TB, most int) [][]string {
	t.Helper()
	dir := os.Getenv("CLAUSEMILL_DATA")
	if dir == "" {
		t.Skip("needs real contracts: set CLAUSEMILL_DATA")
	}
	names, err := filepath.Glob(filepath.Join(dir, "cuad", "txt", "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	boundary := regexp.MustCompile(`[.;:]\s+[A-Z("“]|\n\s*\n`)
	var list [][]string
	for _, name := range names[:min(most, len(names))] {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		text := string(b)
		var sentences []string
		start := 0
		add := func(end int) {
			if s := strings.Join(strings.Fields(text[start:end]), " "); len(s) > 12 {
				sentences = append(sentences, s)
			}
			start = end
		}
		for _, at := range boundary.FindAllStringIndex(text, -1) {
			add(at[0] + 1)
		}
		add(len(text))
		list = append(list, sentences)
	}
	return list
}

// fill adds contracts to a team and makes them findable, several at a time.
func (h *house) fill(t testing.TB, list [][]string) []string {
	t.Helper()
	ids := make([]string, len(list))
	for i, sentences := range list {
		ids[i] = h.create(t, h.ours, "upload.pdf", nil)
		require.NoError(t, saveText(context.Background(), h.db, h.ours, ids[i], "en", sentences))
	}
	require.NoError(t, h.db.FoldVocabulary(context.Background(), h.ours.TeamID))
	for some := range slices.Chunk(ids, 64) {
		h.index(t, h.ours, some...)
	}
	return ids
}

// TestKnownItem asks for a phrase out of a contract, which must find the
// contract: as it is, with a typing error, with its words in another order; and
// for a few of its words only, with one of them in other words.
func TestKnownItem(t *testing.T) {
	if !*asked {
		t.Skip("is run by `make ranking`")
	}
	list := contracts(t, 1000)
	index := newWordSets(list)
	open := map[string]func(t *testing.T, d *db.DB) search.Engine{
		"Postgres": func(_ *testing.T, d *db.DB) search.Engine { return search.NewPostgres(d) },
		"Meili":    func(t *testing.T, d *db.DB) search.Engine { return newMeili(t, d) },
	}
	for name, engine := range open {
		t.Run(name, func(t *testing.T) {
			d, _ := dbtest.Database(t)
			h := newHouse(t, d, engine(t, d))
			began := time.Now()
			k := &known{house: h, contracts: list, index: index, ids: h.fill(t, list), random: rand.New(rand.NewPCG(1, 2))}
			t.Logf("filled in %s", time.Since(began))
			t.Run("Phrase", k.phrases)
			t.Run("FewWords", k.fewWords)
		})
	}
}

// known is contracts that an engine has been given.
type known struct {
	*house

	contracts [][]string // their sentences
	index     wordSets
	ids       []string // of files, by contract
	random    *rand.Rand
}

// place is where of ten hits the one that is meant stands, from 1; 0 for
// nowhere.
type place int

// file is the place of a contract among the files that a question finds.
func (k *known) file(t *testing.T, e search.Engine, contract int, q search.Query) place {
	q.Limit = 10
	answer, err := e.Files(t.Context(), k.ours, q)
	require.NoError(t, err)
	return place(1 + slices.IndexFunc(answer.Hits, func(hit search.FileHit) bool { return hit.FileID == k.ids[contract] }))
}

// sentence is the place of a sentence, or of one with the same words, among
// those that a question finds.
func (k *known) sentence(t *testing.T, e search.Engine, text string, q search.Query) place {
	q.Limit = 10
	answer, err := e.Sentences(t.Context(), k.ours, q)
	require.NoError(t, err)
	return place(1 + slices.IndexFunc(answer.Hits, func(hit search.Hit) bool { return hit.Text == text }))
}

// tally counts places by what was asked.
type tally map[string][]place

// note keeps a place, and tells what was not found.
func (c tally) note(t *testing.T, variant, text string, p place) {
	c[variant] = append(c[variant], p)
	if p == 0 && testing.Verbose() {
		t.Logf("%s: %q", variant, text)
	}
}

// found is the share of what was asked that was found among ten, and the mean of
// the reciprocals of the places.
func (c tally) found(variant string) (share, rank float64) {
	for _, p := range c[variant] {
		if p > 0 {
			share++
			rank += 1 / float64(p)
		}
	}
	n := float64(len(c[variant]))
	return share / n, rank / n
}

// tell logs what was found.
func (c tally) tell(t *testing.T) {
	for _, variant := range slices.Sorted(maps.Keys(c)) {
		share, rank := c.found(variant)
		t.Logf("%-32s %.3f of %d among ten, mean reciprocal rank %.3f", variant, share, len(c[variant]), rank)
	}
}

// choose takes so many words out of a contract that few others have together,
// with the sentence that they are out of.
func (k *known) choose(least, most int, fit func(phrase []string) bool) (contract int, sentence string, phrase []string) {
	for {
		contract = k.random.IntN(len(k.contracts))
		if sentence, phrase = pick(k.random, k.contracts[contract], least, most); k.index.contracts(phrase) < common && fit(phrase) {
			return contract, sentence, phrase
		}
	}
}

func anything([]string) bool { return true }

func (k *known) phrases(t *testing.T) {
	const samples = 300
	counts := tally{}
	began := time.Now()
	for range samples {
		contract, _, phrase := k.choose(6, 9, anything)
		for variant, text := range map[string]string{
			"as it is":          strings.Join(phrase, " "),
			"with a typo":       strings.Join(mistype(k.random, phrase), " "),
			"in another order":  strings.Join(shuffle(k.random, phrase), " "),
			"quoted":            `"` + strings.Join(phrase, " ") + `"`,
			"typed and swapped": strings.Join(shuffle(k.random, mistype(k.random, phrase)), " "),
		} {
			counts.note(t, variant, text, k.file(t, k.Engine, contract, search.Query{Text: text}))
		}
	}
	t.Logf("%s an answer", time.Since(began)/(5*samples))
	k.verbatim(t, counts)
	counts.tell(t)
	_, rank := counts.found("four words in quotes")
	require.GreaterOrEqual(t, rank, 0.97)
	for _, variant := range []string{"as it is", "with a typo", "in another order"} {
		share, _ := counts.found(variant)
		require.GreaterOrEqual(t, share, 0.98, variant)
	}
}

// verbatim asks for four words in a row, of whatever kind, that one contract has and no
// other.
func (k *known) verbatim(t *testing.T, counts tally) {
	const samples, length = 100, 4
	texts := make([]string, len(k.contracts))
	for i, sentences := range k.contracts {
		for _, s := range sentences {
			texts[i] += "| " + strings.Join(search.Words(s), " ") + " "
		}
	}
	for range samples {
		for {
			contract := k.random.IntN(len(k.contracts))
			words := search.Words(k.contracts[contract][k.random.IntN(len(k.contracts[contract]))])
			if len(words) < length {
				continue
			}
			from := k.random.IntN(len(words) - length + 1)
			phrase := strings.Join(words[from:from+length], " ")
			if len(slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return !strings.Contains(text, " "+phrase+" ") })) == 1 {
				q := search.Query{Text: `"` + phrase + `"`}
				counts.note(t, "four words in quotes", q.Text, k.file(t, k.Engine, contract, q))
				break
			}
		}
	}
}

// legal are synonyms as a team keeps them.
var legal = [][]string{
	{"terminate", "cancel"}, {"termination", "cancellation"}, {"assign", "transfer"}, {"assignment", "transfer"}, {"agreement", "contract"},
	{"indemnify", "hold harmless"}, {"liability", "responsibility"}, {"fee", "charge"}, {"fees", "charges"}, {"territory", "region"},
	{"confidential", "secret"}, {"purchase", "buy"}, {"vendor", "supplier"}, {"customer", "client"}, {"employee", "staff"},
	{"warranty", "guarantee"}, {"dispute", "controversy"}, {"prior", "earlier"}, {"begin", "commence"}, {"notify", "inform"},
}

// reword puts another word of a group in the place of one that phrase has; not ok
// where it has none.
func reword(phrase []string) (other []string, ok bool) {
	for i, word := range phrase {
		for _, group := range legal {
			if at := slices.Index(group, strings.ToLower(word)); at >= 0 {
				other = slices.Clone(phrase)
				other[i] = group[(at+1)%len(group)]
				return other, true
			}
		}
	}
	return nil, false
}

func (k *known) fewWords(t *testing.T) {
	const samples = 200
	// What Meilisearch does not answer, Postgres does in its place.
	served := search.NewFallback(k.Engine, search.NewPostgres(k.db))
	counts := tally{}
	for range samples {
		contract, sentence, phrase := k.choose(3, 5, anything)
		for variant, words := range map[string][]string{"as they are": phrase, "with a typo": mistype(k.random, phrase)} {
			q := search.Query{Text: strings.Join(words, " ")}
			counts.note(t, "the file, "+variant, q.Text, k.file(t, k.Engine, contract, q))
			counts.note(t, "the sentence, "+variant, q.Text, k.sentence(t, k.Engine, sentence, q))
		}
		var reworded []string
		contract, sentence, phrase = k.choose(3, 5, func(phrase []string) (ok bool) {
			reworded, ok = reword(phrase)
			return ok && k.index.contracts(phrase)+k.index.contracts(reworded) < common
		})
		q := search.Query{Text: strings.Join(reworded, " "), Synonyms: legal}
		counts.note(t, "the file, with a synonym", q.Text+" for "+strings.Join(phrase, " "), k.file(t, served, contract, q))
		counts.note(t, "the sentence, with a synonym", q.Text+" for "+strings.Join(phrase, " "), k.sentence(t, served, sentence, q))
	}
	counts.tell(t)
	for variant := range counts {
		share, _ := counts.found(variant)
		require.GreaterOrEqual(t, share, 0.97, variant)
	}
}

// pick takes words in a row, at least and at most so many and half of them long,
// from some sentence that has them. None is an operator.
func pick(random *rand.Rand, sentences []string, least, most int) (sentence string, phrase []string) {
	for {
		sentence = sentences[random.IntN(len(sentences))]
		words := strings.Fields(sentence)
		n := least + random.IntN(most-least+1)
		if len(words) < n {
			continue
		}
		from := random.IntN(len(words) - n + 1)
		phrase = slices.Clone(words[from : from+n])
		long := slices.DeleteFunc(slices.Clone(phrase), func(w string) bool { return len(w) < 5 })
		operator := slices.ContainsFunc(phrase, func(w string) bool { return w == "AND" || w == "OR" || w == "NOT" })
		if 2*len(long) >= least && !operator && !strings.ContainsAny(strings.Join(phrase, " "), `"“”`) {
			return sentence, phrase
		}
	}
}

// wordSets are the sentences that have each word, by contract and number.
type wordSets map[string]map[[2]int]bool

func newWordSets(list [][]string) wordSets {
	sets := wordSets{}
	for i, sentences := range list {
		for j, s := range sentences {
			for _, w := range search.Words(s) {
				if sets[w] == nil {
					sets[w] = map[[2]int]bool{}
				}
				sets[w][[2]int{i, j}] = true
			}
		}
	}
	return sets
}

// contracts counts the contracts that have a sentence with all words of phrase.
func (s wordSets) contracts(phrase []string) int {
	words := search.Words(strings.Join(phrase, " "))
	if len(words) == 0 {
		return common // nothing to ask for
	}
	rarest := slices.MinFunc(words, func(a, b string) int { return len(s[a]) - len(s[b]) })
	having := map[int]bool{}
	for at := range s[rarest] {
		if !slices.ContainsFunc(words, func(w string) bool { return !s[w][at] }) {
			having[at[0]] = true
		}
	}
	return len(having)
}

// mistype makes one error in a word that is long enough to survive it.
func mistype(random *rand.Rand, phrase []string) []string {
	phrase = slices.Clone(phrase)
	for range 100 {
		i := random.IntN(len(phrase))
		word := []rune(phrase[i])
		if len(word) < 5 || strings.ContainsFunc(phrase[i], func(r rune) bool { return r < 'A' || r > 'z' }) {
			continue
		}
		at := 1 + random.IntN(len(word)-2)
		switch random.IntN(4) {
		case 0:
			word = slices.Delete(word, at, at+1)
		case 1:
			word = slices.Insert(word, at, rune('a'+random.IntN(26)))
		case 2:
			word[at] = rune('a' + random.IntN(26))
		default:
			word[at], word[at+1] = word[at+1], word[at]
		}
		phrase[i] = string(word)
		return phrase
	}
	return phrase
}

func shuffle(random *rand.Rand, phrase []string) []string {
	phrase = slices.Clone(phrase)
	random.Shuffle(len(phrase), func(i, j int) { phrase[i], phrase[j] = phrase[j], phrase[i] })
	return phrase
}
