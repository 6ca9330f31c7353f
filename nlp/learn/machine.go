package learn

import (
	"context"
	"encoding/binary"
	"math"
)

// Answer is a passage that carries a label, or does not.
type Answer struct {
	Entries []Entry
	Right   bool
	Cost    float32 // of being wrong about it, against the length of the weights
}

// Machine is the linear model of one label.
type Machine struct {
	Weights []float32 // by row
	Bias    float32
}

// Score adds up the weights of entries.
func (m *Machine) Score(entries []Entry) float32 {
	sum := m.Bias
	for _, e := range entries {
		sum += float32(e.Value * m.Weights[e.Row])
	}
	return sum
}

// machineRounds is how often TrainMachine goes over its answers.
const machineRounds = 10

// TrainMachine is TrainLinear for one label, with answers that do not all count
// the same.
func TrainMachine(ctx context.Context, answers []Answer, rows int) *Machine {
	m := &Machine{Weights: make([]float32, rows)}
	multipliers, lengths := make([]float32, len(answers)), make([]float32, len(answers))
	order, resting := make([]int, len(answers)), make([]int, len(answers))
	for i, a := range answers {
		order[i] = i
		lengths[i] = 1 + 1/(2*a.Cost) // the bias is a feature of every passage
		for _, e := range a.Entries {
			lengths[i] += float32(e.Value * e.Value)
		}
	}
	random := Randomizer(1)
	for round := range machineRounds {
		if ctx.Err() != nil {
			break
		}
		random.Shuffle(order)
		for _, i := range order {
			if resting[i] > 0 && round < machineRounds-1 {
				resting[i]--
				continue
			}
			a, side := &answers[i], float32(-1)
			if a.Right {
				side = 1
			}
			slope := float32(side*m.Score(a.Entries)) - 1 + multipliers[i]/(2*a.Cost)
			if multipliers[i] == 0 && slope >= 0 {
				if slope >= farEnough {
					resting[i] = rest
				}
				continue
			}
			renewed := max(0, multipliers[i]-slope/lengths[i])
			if step := (renewed - multipliers[i]) * side; step != 0 {
				multipliers[i] = renewed
				for _, e := range a.Entries {
					m.Weights[e.Row] += float32(step * e.Value)
				}
				m.Bias += step
			}
		}
	}
	return m
}

// Machines are any number of machines, packed: weights that are too small to matter
// are left out.
type Machines struct {
	Bias  []float32
	units []float32 // by machine: what its packed weights are multiples of
	// By row of the vocabulary: where the weights of that row begin, and the end.
	starts  []uint32
	machine []uint32
	values  []int8
}

// PackMachines packs machines of one vocabulary of so many rows.
func PackMachines(list []*Machine, rows int) *Machines {
	p := &Machines{starts: make([]uint32, 1, rows+1)}
	for _, m := range list {
		var unit float32
		for _, weight := range m.Weights {
			unit = max(unit, float32(math.Abs(float64(weight)))/math.MaxInt8)
		}
		p.Bias, p.units = append(p.Bias, m.Bias), append(p.units, max(unit, math.SmallestNonzeroFloat32))
	}
	for row := range rows {
		for i, m := range list {
			if value := math.Round(float64(m.Weights[row] / p.units[i])); math.Abs(value) >= LeastPacked {
				p.machine, p.values = append(p.machine, uint32(i)), append(p.values, int8(value))
			}
		}
		p.starts = append(p.starts, uint32(len(p.values)))
	}
	return p
}

// Score puts the scores of all machines for one passage into sums.
func (p *Machines) Score(entries []Entry, sums []float32) {
	clear(sums)
	for _, e := range entries {
		for at := p.starts[e.Row]; at < p.starts[e.Row+1]; at++ {
			sums[p.machine[at]] += float32(e.Value * float32(p.values[at]))
		}
	}
	for i := range sums {
		sums[i] = float32(sums[i]*p.units[i]) + p.Bias[i]
	}
}

// Append writes the machines.
func (p *Machines) Append(data []byte) []byte {
	data = binary.AppendUvarint(data, uint64(len(p.Bias)))
	data = AppendFloats(AppendFloats(data, p.Bias), p.units)
	for row := range len(p.starts) - 1 {
		from, to := p.starts[row], p.starts[row+1]
		data = binary.AppendUvarint(data, uint64(to-from))
		for at := from; at < to; at++ {
			data = binary.AppendUvarint(data, uint64(p.machine[at]))
			data = append(data, byte(p.values[at]))
		}
	}
	return data
}

// Machines reads what Append wrote of a vocabulary of so many rows.
func (p *Parser) Machines(rows int) *Machines {
	n := p.Count(2 * 4)
	m := &Machines{Bias: p.Floats(n), units: p.Floats(n), starts: make([]uint32, 1, rows+1)}
	for range rows {
		for range p.Count(2) {
			machine := p.number(math.MaxUint32)
			if value := p.Bytes(1); len(value) == 1 && machine < uint64(n) {
				m.machine, m.values = append(m.machine, uint32(machine)), append(m.values, int8(value[0]))
			} else {
				p.Fail()
			}
		}
		if p.failed {
			return nil
		}
		m.starts = append(m.starts, uint32(len(m.values)))
	}
	return m
}

// leastMargin is the score from which a passage tells something of a line; most are
// far below it.
const leastMargin = -1.3

// FitLine finds the slope and the shift that make margins logarithms of odds (Platt,
// 1999), by Newton's method.
func FitLine(margins []float32, right []bool) (slope, shift float32) {
	const (
		rounds = 25
		ridge  = 1e-3
		most   = 2 // a step
	)
	a, b := 3.0, -1.0
	for range rounds {
		ga, gb, haa, hab, hbb := ridge*a, 0.0, ridge, 0.0, ridge
		for i, m := range margins {
			if m <= leastMargin {
				continue
			}
			margin := float64(m)
			p := Logistic(a*margin + b)
			g, h := p-float64(Bit(right[i])), p*(1-p)
			ga += g * margin
			gb += g
			haa += h * margin * margin
			hab += h * margin
			hbb += h
		}
		determinant := haa*hbb - hab*hab
		if determinant < 1e-12 {
			break
		}
		da, db := (ga*hbb-gb*hab)/determinant, (gb*haa-ga*hab)/determinant
		scale := min(1, most/max(math.Abs(da), math.Abs(db), 1e-12))
		a, b = a-scale*da, b-scale*db
	}
	return float32(a), float32(b)
}
