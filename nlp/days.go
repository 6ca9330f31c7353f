package nlp

import (
	"regexp"
	"strconv"
)

// writtenDuration is what Value.Duration holds.
var writtenDuration = regexp.MustCompile(`^P(\d+)([DWMY])$`)

// Days is how long a Value.Duration is. A month counts 30.4375 days and a year
// 365.25; business days count as days.
func Days(duration string) (days float64, ok bool) {
	m := writtenDuration.FindStringSubmatch(duration)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(m[1], 64)
	return n * map[string]float64{"D": 1, "W": 7, "M": 30.4375, "Y": 365.25}[m[2]], err == nil
}
