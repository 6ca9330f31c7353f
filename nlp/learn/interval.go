package learn

import "slices"

// Interval is a figure, and where it lies in 95 of 100 draws of as many contracts.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// draws is how often contracts are drawn for an interval.
const draws = 400

// NewInterval takes a figure of the contracts that are drawn, each as often as it is
// listed (the bootstrap of Efron, 1979). Sentences of a contract are not drawn one by
// one, because they are alike.
func NewInterval(contracts int, of func(drawn []int) float64) Interval {
	drawn := make([]int, contracts)
	for i := range drawn {
		drawn[i] = i
	}
	v := Interval{Value: of(drawn)}
	random := Randomizer(1)
	figures := make([]float64, draws)
	for i := range figures {
		for k := range drawn {
			drawn[k] = random.Below(contracts)
		}
		figures[i] = of(drawn)
	}
	slices.Sort(figures)
	v.Low, v.High = figures[draws/40], figures[draws-1-draws/40]
	return v
}
