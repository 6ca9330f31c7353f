package nlp

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

//go:embed labels.model
var baseModel []byte

//go:embed labels.md
var baseCard string

// BaseModel returns the model that comes with the program. It knows the nodes of
// Taxonomy, reads English and was trained by `clausemill train`; its scores are
// in docs/clause-labels.md.
var BaseModel = sync.OnceValues(func() (*Model, error) { return ParseModel(baseModel) })

// BaseMetrics returns the metrics in the card of the base model, to three places:
// those of contracts that were held back.
var BaseMetrics = sync.OnceValue(func() Metrics { return readCard(baseCard) })

// Measure is a score of all nodes together, with the words that model cards have
// for it.
type Measure struct {
	Name  string
	Score *float64
}

// Measures lists the scores of m, to be read and written.
func (m *Metrics) Measures() []Measure {
	return []Measure{
		{"micro F1", &m.MicroF1},
		{"precision", &m.Precision},
		{"recall", &m.Recall},
		{"macro F1", &m.MacroF1},
		{"average precision over all pairs", &m.AveragePrecision},
		{"precision at 80 % recall", &m.PrecisionAt80},
		{"presence in a contract, F1", &m.PresenceF1},
		{"first label right, of the labelled sentences that are given one", &m.FirstLabel},
		{"calibration error", &m.CalibrationError},
	}
}

// readCard reads what a model card says of the scores of all nodes and of each,
// and of how many sentences were scored. Lines that it does not know say other
// things.
func readCard(card string) Metrics {
	var m Metrics
	measures := map[string]*float64{}
	for _, measure := range m.Measures() {
		measures[measure.Name] = measure.Score
	}
	for line := range strings.Lines(card) {
		if _, counts, ok := strings.Cut(line, " contracts, "); ok {
			_, _ = fmt.Sscanf(counts, "%d sentences, %d labels", &m.Passages, &m.Labels) // or another line
		}
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		var scores []float64
		for _, cell := range cells[1:] {
			score, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				break
			}
			scores = append(scores, score)
		}
		switch {
		case len(scores) == 1 && measures[cells[0]] != nil:
			*measures[cells[0]] = scores[0]
		case len(scores) == 6:
			m.PerNode = append(m.PerNode, NodeMetrics{cells[0], int(scores[0]), scores[1], scores[2], scores[3], scores[4], scores[5]})
		}
	}
	return m
}
