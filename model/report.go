package model

import "github.com/clausemill/clausemill/nlp"

// Report says what came of a training. db.Model keeps it as its metrics.
type Report struct {
	// Trial is what correcting the base model is worth. Where it was refused, the model
	// has the labels of the base as they were.
	Trial nlp.Trial `json:"trial"`
	// Own are the team's own labels.
	Own []nlp.OwnLabel `json:"own"`
}

// Learns reports whether a model with this report says anything else than the base.
func (r *Report) Learns() bool { return r.Trial.Accepted || len(r.Learned()) > 0 }

// Learned lists the own labels that the model knows.
func (r *Report) Learned() (nodes []string) {
	for _, label := range r.Own {
		if label.Learned {
			nodes = append(nodes, label.Node)
		}
	}
	return nodes
}
