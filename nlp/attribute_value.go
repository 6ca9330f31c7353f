package nlp

import "strings"

// String is the value on one line, the same for equal values whatever words they
// were read from: "Acme Inc.", "2020-01-05", "P30D", "1250.00 USD". Of words
// that can be read in more ways than one it has every reading.
func (v Value) String() string {
	switch {
	case v.Name != "":
		return v.Name
	case v.Date != "":
		return v.Date
	case v.Amount != "":
		return strings.TrimSpace(v.Amount + " " + v.Currency)
	case len(v.Readings) > 0:
		return strings.TrimSpace(strings.Join(v.Readings, " or ") + " " + v.Currency)
	case v.Duration != "":
		return v.Duration
	case v.Perpetual:
		return "perpetual"
	case v.Recurring:
		return "recurring"
	case v.Code != "":
		return v.Code
	case v.Role != "":
		return v.Role
	default:
		return v.Relative
	}
}
