package value

import (
	"regexp"
	"strconv"
)

// writtenDuration is what Value.Duration holds.
var writtenDuration = regexp.MustCompile(`^P(\d+)([DWMY])$`)

// Days is how long a Value.Duration is. A year counts 365 days and a month the
// twelfth of it, as in filters; business days count as days.
func Days(duration string) (days float64, ok bool) {
	m := writtenDuration.FindStringSubmatch(duration)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(m[1], 64)
	return n * map[string]float64{"D": 1, "W": 7, "M": 365. / 12, "Y": 365}[m[2]], err == nil
}
