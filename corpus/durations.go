package corpus

import (
	"slices"
	"strings"

	"github.com/clausemill/clausemill/nlp"
)

// Lasting is a duration that a file states under a key, as an ISO 8601 duration
// that nlp.Days reads.
type Lasting struct {
	FileID   string
	Key      string
	Duration string
}

// Rank is how the durations of one key are spread, in days.
type Rank struct {
	Key                        string
	Files                      int // that state one
	Min, P25, Median, P75, Max float64
	Own                        *Length // of the file asked about
}

// Length is a duration among others.
type Length struct {
	Duration   string
	Days       float64
	Percentile float64
}

// RankDurations computes the distribution of durations, by key, and the rank of the
// file own in it. Values that are no durations are left out.
func RankDurations(list []Lasting, own string) []Rank {
	days := map[string][]float64{}
	lengths := map[string]*Length{}
	for _, l := range list {
		n, ok := nlp.Days(l.Duration)
		if !ok {
			continue
		}
		days[l.Key] = append(days[l.Key], n)
		if l.FileID == own {
			lengths[l.Key] = &Length{Duration: l.Duration, Days: n}
		}
	}
	var ranks []Rank
	for key, all := range days {
		slices.Sort(all)
		r := Rank{
			Key: key, Files: len(all), Own: lengths[key],
			Min: all[0], P25: Quantile(all, 0.25), Median: Quantile(all, 0.5), P75: Quantile(all, 0.75), Max: all[len(all)-1],
		}
		if r.Own != nil {
			r.Own.Percentile = Percentile(all, r.Own.Days)
		}
		ranks = append(ranks, r)
	}
	slices.SortFunc(ranks, func(x, y Rank) int { return strings.Compare(x.Key, y.Key) })
	return ranks
}
