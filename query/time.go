package query

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// relative are dates that depend on the day: today, the first day of a period, a number of periods
// from this one, or that of a month by its name, with days, weeks, months or years to or from it.
// A month by its name is the last such month that has begun, and next-march the first March
// that is not over. With no more than days behind it, the day is what has begun or is not over:
// march+4d is the last 5 March. Days of the week are likewise: friday is the last that has begun,
// next-friday the first that is not over.
var relative = regexp.MustCompile(`^(?:today|(week|month|quarter|year)([+-]\d{1,4})?|` +
	`(next-)?(january|february|march|april|may|june|july|august|september|october|november|december)(\+\d{1,2}d$)?|` +
	`(next-)?(monday|tuesday|wednesday|thursday|friday|saturday|sunday))((?:[+-]\d{1,5}[dwmy]){0,3})$`)

var offset = regexp.MustCompile(`([+-]\d+)([dwmy])`)

var errTime = errors.New("no date")

// The years that dates may be of: those that every engine can compare.
const (
	firstYear = 1
	lastYear  = 9999
)

// parseTime reads a day, which is then its start in UTC, or an instant. A
// relative date needs a time.
func parseTime(v string, now time.Time) (at time.Time, day bool, err error) {
	if at, err = time.Parse(time.DateOnly, v); err == nil {
		return at, true, inYears(at)
	}
	if at, err = time.Parse(time.RFC3339Nano, v); err == nil {
		return at, false, inYears(at)
	}
	m := relative.FindStringSubmatch(v)
	if m == nil || now.IsZero() {
		return at, false, errTime
	}
	now = now.UTC()
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	n, _ := strconv.Atoi(m[2]) // "" is 0
	switch m[1] {
	case "week":
		at = today.AddDate(0, 0, -(int(today.Weekday())+6)%7+7*n) // from Monday
	case "month":
		at = time.Date(today.Year(), today.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	case "quarter":
		at = time.Date(today.Year(), (today.Month()-1)/3*3+1+time.Month(3*n), 1, 0, 0, 0, 0, time.UTC)
	case "year":
		at = time.Date(today.Year()+n, 1, 1, 0, 0, 0, 0, time.UTC)
	default:
		switch at = today; {
		case m[4] != "":
			at = monthOf(m[4], m[3] != "", strings.Trim(m[5], "+d"), today)
		case m[7] != "":
			at = weekdayOf(m[7], m[6] != "", today)
		}
	}
	for _, by := range offset.FindAllStringSubmatch(m[8], -1) {
		n, _ := strconv.Atoi(by[1]) // matched
		at = addUnits(at, n, by[2])
	}
	return at, true, inYears(at)
}

// monthOf is the first day of a month by its name, or the one that many days behind it: the last
// that has begun, or the first that is not over.
func monthOf(name string, ahead bool, days string, today time.Time) time.Time {
	month, _ := time.Parse("January", name) // matched
	n, _ := strconv.Atoi(days)              // "" is 0
	first := time.Date(today.Year(), month.Month(), 1+n, 0, 0, 0, 0, time.UTC)
	last := first
	if days == "" {
		last = first.AddDate(0, 1, -1)
	}
	switch {
	case ahead && last.Before(today):
		return time.Date(today.Year()+1, month.Month(), 1+n, 0, 0, 0, 0, time.UTC)
	case !ahead && first.After(today):
		return time.Date(today.Year()-1, month.Month(), 1+n, 0, 0, 0, 0, time.UTC)
	}
	return first
}

// weekdayOf is the last day of the week of that name that has begun, or the first that is not over.
func weekdayOf(name string, ahead bool, today time.Time) time.Time {
	monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
	at := monday.AddDate(0, 0, slices.Index(weekdays, name))
	switch {
	case ahead && at.Before(today):
		return at.AddDate(0, 0, 7)
	case !ahead && at.After(today):
		return at.AddDate(0, 0, -7)
	}
	return at
}

// nextDay is when a day is over: where no year follows, its last moment.
func nextDay(at time.Time) time.Time {
	next := at.AddDate(0, 0, 1)
	if inYears(next) != nil {
		return next.Add(-time.Microsecond)
	}
	return next
}

// addUnits is the day n units from another. A month's last day is as far as a
// month goes: one month after 31 January is the last of February.
func addUnits(at time.Time, n int, unit string) time.Time {
	switch unit {
	case "w":
		return at.AddDate(0, 0, 7*n)
	case "m", "y":
		if unit == "y" {
			n *= 12
		}
		first := time.Date(at.Year(), at.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
		last := first.AddDate(0, 1, -1).Day()
		return first.AddDate(0, 0, min(at.Day(), last)-1)
	default:
		return at.AddDate(0, 0, n)
	}
}

func inYears(at time.Time) error {
	if at.Year() < firstYear || at.Year() > lastYear {
		return errTime
	}
	return nil
}
