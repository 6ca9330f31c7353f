package score

import (
	"crypto/sha256"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/nlp"
)

// Judged is a fact of a contract and whether the annotators agree with it.
type Judged struct {
	nlp.JudgedFact
	Exact bool // to the letter, as Attributes compares
	hash  byte // of its contract
}

// Judge compares every fact that is asked for with the annotators' answer. Ambiguous dates
// and what is redacted are left out. A party is right if it names the annotators' party, in
// spite of slips of the pen and of what is said behind the name; how long an agreement runs
// if the annotators marked the words for when it ends.
func (c *Corpus) Judge() []Judged {
	var list []Judged
	for _, contract := range c.Contracts {
		hash := sha256.Sum256([]byte(contract.ID))[0]
		for _, q := range questions {
			want, ok := q.want(contract.Answers[q.category])
			if !ok || q.name == "parties, similar" {
				continue
			}
			left := slices.Clone(want)
			for _, a := range contract.Facts.File {
				given := q.read(a.Value)
				if a.Key != q.key || given == "" {
					continue
				}
				at := slices.Index(left, given)
				exact := at >= 0
				if at < 0 && q.key == nlp.Party {
					at = slices.IndexFunc(left, func(w string) bool { return sameParty(given, w) })
				}
				if at >= 0 {
					left = slices.Delete(left, at, at+1)
				}
				list = append(list, Judged{nlp.JudgedFact{Attribute: a, Right: at >= 0}, exact, hash})
			}
		}
		marked := plainName(strings.Join(contract.Clauses["Expiration Date"], " "))
		for _, a := range contract.Facts.File {
			if a.Key == nlp.InitialTerm {
				right := strings.Contains(marked, plainName(contract.Text.Quote(a.Spans[0])))
				list = append(list, Judged{nlp.JudgedFact{Attribute: a, Right: right}, right, hash})
			}
		}
	}
	return list
}

// sameParty reports whether two names are those of one party: they differ in few letters, or
// one goes on where the other ends.
func sameParty(a, b string) bool {
	const slips = 2
	a, b = spelled(a), spelled(b)
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) > 2*slips && (strings.HasPrefix(b, a) || distance(a, b, slips) <= slips)
}

// spelled leaves out of a name what is written or not.
func spelled(name string) string {
	words := strings.Fields(name)
	words = slices.DeleteFunc(words, func(w string) bool { return w == "the" || w == "and" })
	return strings.Join(words, "")
}

// distance is how many letters have to be changed, added or left out to make a of b, or more
// than most where it is.
func distance(a, b string, most int) int {
	if len(b)-len(a) > most {
		return most + 1
	}
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
		}
		last = row
	}
	return last[len(b)]
}

// Calibration is how far confidences are from how often facts were right, of one key or all,
// on contracts that nothing was fitted to.
type Calibration struct {
	Key                     nlp.Key // "" for all
	Facts, Right, Exact     int
	ByHand                  float64 // expected calibration error of the rules' own
	Held                    float64 // that of confidences, over the parts together
	Each                    float64 // that of each part by itself, in which chance does not even out, on average
	Doubtful, DoubtfulRight int     // those below nlp.DoubtfulFact

	claims, byHand [][]float64 // by part
	right          [][]bool
}

// CalibrationErrors divides the contracts, and measures each part by confidences that are
// fitted to the others.
func CalibrationErrors(judged []Judged, parts int) []Calibration {
	byKey := map[nlp.Key]*Calibration{}
	for part := range parts {
		var rest []nlp.JudgedFact
		for _, j := range judged {
			if int(j.hash)%parts != part {
				rest = append(rest, j.JudgedFact)
			}
		}
		levels := nlp.CalibrateFacts(rest)
		for _, j := range judged {
			if int(j.hash)%parts != part {
				continue
			}
			sure := nlp.FactConfidence(levels, j.Attribute)
			for _, key := range []nlp.Key{"", j.Key} {
				if byKey[key] == nil {
					byKey[key] = &Calibration{Key: key, claims: make([][]float64, parts), byHand: make([][]float64, parts), right: make([][]bool, parts)}
				}
				byKey[key].add(j, part, sure)
			}
		}
	}
	list := make([]Calibration, 0, len(byKey))
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		c := byKey[key]
		right := slices.Concat(c.right...)
		c.ByHand, c.Held = calibrationError(slices.Concat(c.byHand...), right), calibrationError(slices.Concat(c.claims...), right)
		for part, claims := range c.claims {
			c.Each += calibrationError(claims, c.right[part]) * float64(len(claims)) / float64(c.Facts)
		}
		list = append(list, *c)
	}
	return list
}

func (c *Calibration) add(j Judged, part int, sure float64) {
	right, exact := 0, 0
	if j.Right {
		right = 1
	}
	if j.Exact {
		exact = 1
	}
	c.Facts, c.Right, c.Exact = c.Facts+1, c.Right+right, c.Exact+exact
	if sure < nlp.DoubtfulFact {
		c.Doubtful, c.DoubtfulRight = c.Doubtful+1, c.DoubtfulRight+right
	}
	c.claims[part], c.byHand[part], c.right[part] = append(c.claims[part], sure), append(c.byHand[part], j.Strength), append(c.right[part], j.Right)
}

// calibrationError is how far, on average, what facts claim is from how many are right, in
// ten bins of what they claim.
func calibrationError(claims []float64, right []bool) float64 {
	const bins = 10
	var off [bins]float64
	for i, claim := range claims {
		bin := min(bins-1, int(claim*bins))
		off[bin] += claim
		if right[i] {
			off[bin]--
		}
	}
	sum := 0.0
	for _, o := range off {
		sum += math.Abs(o)
	}
	return sum / float64(max(1, len(claims)))
}
