package value

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestValueString(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]Value{
		"Acme Inc.":                {Name: "Acme Inc.", Role: "Buyer", Code: "US"},
		"2020-01":                  {Date: "2020-01", Relative: "agreement_date"},
		"1250.00 USD":              {Amount: "1250.00", Currency: "USD"},
		"12.5":                     {Amount: "12.5"},
		"2020-05-06 or 2020-06-05": {Readings: []string{"2020-05-06", "2020-06-05"}},
		"P1Y":                      {Duration: "P1Y", Recurring: true},
		"perpetual":                {Perpetual: true},
		"recurring":                {Recurring: true},
		"US-NY":                    {Code: "US-NY"},
		"Buyer":                    {Role: "Buyer"},
		"agreement_date":           {Relative: "agreement_date"},
		"":                         {},
	} {
		require.Equal(t, want, v.String())
	}
}
