package corpus

import (
	"cmp"
	"slices"
	"time"
)

// Period is how long the buckets of a series are.
type Period string

// The periods.
const (
	Month   Period = "month"
	Quarter Period = "quarter"
	Year    Period = "year"
)

// Dated is the date that a file states, as precisely as it is known: 2020, 2020-01
// or 2020-01-05.
type Dated struct {
	FileID string
	Date   string
}

// Bucket is the files with a date in one period.
type Bucket struct {
	From, To string // the first and the last day, as 2020-01-31
	Files    []string
}

// Series is dates in buckets.
type Series struct {
	Buckets []Bucket // in order; those without files are left out
	Dates   int      // that are fine enough for a bucket
	Own     *Place   // of the file in question, nil if it states no date
}

// Place is the position of a date in a series.
type Place struct {
	Date       string
	From       string  // of its bucket; empty where the date is coarser
	Percentile float64 // among the dates that are in buckets
}

// InBuckets puts dates in buckets of a period. Own is the file whose place is
// looked for.
func InBuckets(list []Dated, own string, period Period) Series {
	var s Series
	at := map[string]int{}
	var dates []string
	for _, d := range list {
		from, to, ok := period.around(d.Date)
		if d.FileID == own {
			s.Own = &Place{Date: d.Date, From: from}
		}
		if !ok {
			continue
		}
		dates = append(dates, d.Date)
		i, known := at[from]
		if !known {
			i = len(s.Buckets)
			at[from] = i
			s.Buckets = append(s.Buckets, Bucket{From: from, To: to})
		}
		s.Buckets[i].Files = append(s.Buckets[i].Files, d.FileID)
	}
	slices.SortFunc(s.Buckets, func(x, y Bucket) int { return cmp.Compare(x.From, y.From) })
	s.Dates = len(dates)
	if s.Own != nil {
		s.Own.Percentile = Percentile(dates, s.Own.Date)
	}
	return s
}

// around is the first and the last day of the period that a date falls into; not
// ok where the date is coarser than the period, or is none.
func (p Period) around(date string) (from, to string, ok bool) {
	var day time.Time
	var err error
	switch len(date) {
	case len("2006"):
		if p != Year {
			return "", "", false
		}
		day, err = time.Parse("2006", date)
	case len("2006-01"):
		day, err = time.Parse("2006-01", date)
	default:
		day, err = time.Parse(time.DateOnly, date)
	}
	if err != nil {
		return "", "", false
	}
	months, month := 1, day.Month()
	switch p {
	case Year:
		months, month = 12, time.January
	case Quarter:
		months, month = 3, month-(month-1)%3
	case Month:
	}
	first := time.Date(day.Year(), month, 1, 0, 0, 0, 0, time.UTC)
	return first.Format(time.DateOnly), first.AddDate(0, months, -1).Format(time.DateOnly), true
}
