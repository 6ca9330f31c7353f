package search_test

import (
	"context"
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

// A phrase out of a contract must find the contract: as it is, with a typing
// error, and with its words in another order.
func TestKnownItem(t *testing.T) {
	list := contracts(t, 1000)
	open := map[string]func(t *testing.T, d *db.DB) search.Engine{
		"Postgres": func(_ *testing.T, d *db.DB) search.Engine { return search.NewPostgres(d) },
		"Meili":    func(t *testing.T, d *db.DB) search.Engine { return newMeili(t, d) },
	}
	for name, engine := range open {
		t.Run(name, func(t *testing.T) {
			d, _ := dbtest.Database(t)
			h := newHouse(t, d, engine(t, d))
			began := time.Now()
			ids := h.fill(t, list)
			t.Logf("filled in %s", time.Since(began))
			began = time.Now()
			index := newWordSets(list)
			random := rand.New(rand.NewPCG(1, 2))
			const samples = 300
			found := map[string]int{}
			for range samples {
				file := random.IntN(len(list))
				phrase := pick(random, list[file])
				for index.contracts(phrase) >= common {
					phrase = pick(random, list[file])
				}
				for variant, text := range map[string]string{
					"as it is":          strings.Join(phrase, " "),
					"with a typo":       strings.Join(mistype(random, phrase), " "),
					"in another order":  strings.Join(shuffle(random, phrase), " "),
					"quoted":            `"` + strings.Join(phrase, " ") + `"`,
					"typed and swapped": strings.Join(shuffle(random, mistype(random, phrase)), " "),
				} {
					answer := h.files(t, h.ours, search.Query{Text: text, Limit: 10})
					if slices.ContainsFunc(answer.Hits, func(hit search.FileHit) bool { return hit.FileID == ids[file] }) {
						found[variant]++
					} else if testing.Verbose() {
						t.Logf("%s: %q", variant, text)
					}
				}
			}
			t.Logf("%s an answer", time.Since(began)/(5*samples))
			for variant, n := range found {
				t.Logf("%s: %.3f", variant, float64(n)/samples)
			}
			for _, variant := range []string{"as it is", "with a typo", "in another order"} {
				require.GreaterOrEqual(t, float64(found[variant])/samples, 0.98, variant)
			}
		})
	}
}

// pick takes six to nine words in a row, three of them long, from some sentence
// that has them.
func pick(random *rand.Rand, sentences []string) []string {
	for {
		words := strings.FieldsFunc(sentences[random.IntN(len(sentences))], func(r rune) bool { return r == ' ' })
		n := 6 + random.IntN(4)
		if len(words) < n {
			continue
		}
		from := random.IntN(len(words) - n + 1)
		phrase := slices.Clone(words[from : from+n])
		long := slices.DeleteFunc(slices.Clone(phrase), func(w string) bool { return len(w) < 5 })
		if len(long) >= 3 && !strings.ContainsAny(strings.Join(phrase, " "), `"“”`) {
			return phrase
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
