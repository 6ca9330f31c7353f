package fact

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/clausemill/clausemill/nlp/value"
)

// Level is how often facts were right whose rules were that sure of them.
type Level struct {
	Key        value.Key `json:"key"`
	How        string    `json:"how,omitempty"` // for an expiration: whether it is a date, counted or perpetual
	To         float64   `json:"to"`            // the greatest strength of the level
	Right      int       `json:"right"`
	All        int       `json:"all"`
	Confidence float64   `json:"confidence"`
}

// Judged is a fact of a contract that somebody annotated.
type Judged struct {
	Attribute
	Right bool
}

// confidenceJSON was fitted on the contracts of CUAD v1 (The Atticus Project, CC BY 4.0) by
// TestConfidence in nlp/score.
//
//go:embed confidence.json
var confidenceJSON []byte

var levels = sync.OnceValue(func() []Level {
	var list []Level
	if err := json.Unmarshal(confidenceJSON, &list); err != nil {
		panic(fmt.Sprintf("confidence.json: %v", err))
	}
	return list
})

// Doubt is the confidence below which somebody should look: more than one in four such facts
// is wrong.
const Doubt = 0.75

// ambiguousDate bounds the confidence in a date that can be read in two ways.
const ambiguousDate = 0.5

// calibrated is how often facts are right whose rules are that sure. Of notices that end
// employment the levels know nothing.
func (r *fileReader) calibrated(f fact) float64 {
	if f.key == value.NoticePeriod && r.ends {
		return f.confidence
	}
	return Confidence(levels(), f.key, f.value, f.confidence)
}

// Confidence is that of a fact by levels. Where they know nothing of its key, it is its
// strength.
func Confidence(levels []Level, key value.Key, v value.Value, strength float64) float64 {
	sure := strength
	for _, l := range levels {
		if l.Key == key && l.How == how(key, v) {
			if sure = l.Confidence; strength <= l.To {
				break
			}
		}
	}
	if v.Readings != nil {
		return min(sure, ambiguousDate)
	}
	return sure
}

// how tells expirations apart that rules of unlike reliability read.
func how(key value.Key, v value.Value) string {
	switch {
	case key != value.ExpirationDate:
		return ""
	case v.Perpetual:
		return "perpetual"
	case v.Duration != "":
		return "counted"
	}
	return "date"
}

// Calibrate fits levels to facts of which it is known whether they were right: of stronger
// ones no fewer are (isotonic regression), each level has enough of them, and its share is
// drawn to that of all as if it had a few more of those.
func Calibrate(judged []Judged) []Level {
	const (
		least = 50
		more  = 4
	)
	groups := map[string][]Judged{}
	for _, j := range judged {
		group := string(j.Key) + " " + how(j.Key, j.Value)
		groups[group] = append(groups[group], j)
	}
	var list []Level
	for _, group := range groups {
		slices.SortStableFunc(group, func(a, b Judged) int { return cmp.Compare(a.Strength, b.Strength) })
		var equal, fitted []Level // those of one strength, whatever their order; and levels
		all := Level{}
		for _, j := range group {
			right := 0
			if j.Right {
				right = 1
			}
			all.Right, all.All = all.Right+right, all.All+1
			if n := len(equal); n > 0 && equal[n-1].To == j.Strength {
				equal[n-1].Right, equal[n-1].All = equal[n-1].Right+right, equal[n-1].All+1
				continue
			}
			equal = append(equal, Level{Key: j.Key, How: how(j.Key, j.Value), To: j.Strength, Right: right, All: 1})
		}
		for _, l := range equal {
			for n := len(fitted); n > 0 && (fitted[n-1].All < least || fitted[n-1].Right*l.All >= l.Right*fitted[n-1].All); n-- {
				l.Right, l.All = l.Right+fitted[n-1].Right, l.All+fitted[n-1].All
				fitted = fitted[:n-1]
			}
			fitted = append(fitted, l)
		}
		if n := len(fitted); n > 1 && fitted[n-1].All < least {
			fitted[n-1].Right += fitted[n-2].Right
			fitted[n-1].All += fitted[n-2].All
			fitted = slices.Delete(fitted, n-2, n-1)
		}
		for i := range fitted {
			l := &fitted[i]
			share := float64(all.Right) / float64(all.All)
			l.Confidence = math.Round(100*(float64(l.Right)+more*share)/float64(l.All+more)) / 100
			l.To = math.Ceil(l.To*1000) / 1000
		}
		fitted[len(fitted)-1].To = 1
		list = append(list, fitted...)
	}
	slices.SortFunc(list, func(a, b Level) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.How, b.How), cmp.Compare(a.To, b.To))
	})
	return list
}
