package query

import (
	"errors"
	"regexp"
	"strconv"
	"time"
)

// relative are dates that depend on the day: today and a number of days, weeks,
// months or years from it, or the first day of a period, a number of periods
// from this one. A month by its name is the last such month that has begun, and next-march
// the first March that is not over; months or years are counted from either.
var relative = regexp.MustCompile(`^(?:(today)(?:([+-]\d{1,5})([dwmy]))?|(week|month|quarter|year)([+-]\d{1,4})?|` +
	`(next-)?(january|february|march|april|may|june|july|august|september|october|november|december)(?:([+-]\d{1,4})([my]))?)$`)

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
	at = time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	n, _ := strconv.Atoi(m[2] + m[5] + m[8]) // two of them are "", and none is 0
	switch {
	case m[7] != "":
		month, _ := time.Parse("January", m[7])
		at = time.Date(at.Year(), month.Month(), 1, 0, 0, 0, 0, time.UTC)
		switch ahead := m[6] != ""; {
		case ahead && month.Month() < now.Month():
			at = at.AddDate(1, 0, 0)
		case !ahead && month.Month() > now.Month():
			at = at.AddDate(-1, 0, 0)
		}
		at = addUnits(at, n, m[9])
	case m[1] != "":
		at = addUnits(at, n, m[3])
	case m[4] == "quarter":
		at = time.Date(at.Year(), (at.Month()-1)/3*3+1+time.Month(3*n), 1, 0, 0, 0, 0, time.UTC)
	case m[4] == "week":
		at = at.AddDate(0, 0, -(int(at.Weekday())+6)%7+7*n) // from Monday
	case m[4] == "month":
		at = time.Date(at.Year(), at.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	default:
		at = time.Date(at.Year()+n, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return at, true, inYears(at)
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
