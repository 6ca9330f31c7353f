//go:build !production

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/nlp/learn"
	"github.com/clausemill/clausemill/nlp/score"
)

// train trains the base models, for clause labels and for document types.
type train struct {
	Corpus    string `env:"CLAUSEMILL_DATA" required:"" placeholder:"DIR" help:"Annotated contracts: a directory that holds cuad/contracts.jsonl and the texts it names."`
	Model     string `default:"nlp/label/base.model" help:"Where to write the model."`
	Card      string `default:"nlp/label/base.md" help:"Where to write its model card."`
	Metrics   string `default:"nlp/label/base.json" help:"Where to write the scores in the card, for programs."`
	Types     string `default:"nlp/doctype/base.model" help:"Where to write the model of contract types."`
	TypesCard string `default:"nlp/doctype/base.md" help:"Where to write its model card."`
	Only      string `enum:",labels,types" default:"" help:"Make one model only: labels or types."`
	Score     bool   `default:"true" negatable:"" help:"Cross-validate first, which takes five times as long as the training."`
}

// Help is shown below the flags.
func (train) Help() string {
	return `The same contracts give the same model and the same scores. A training that is interrupted leaves the files as they were.
Scores are of contracts that were not trained on: five times over, four fifths are trained on and the last is scored.`
}

// Run trains on all contracts of the corpus.
func (t *train) Run(ctx context.Context, c console) error {
	corpus, err := readCorpus(ctx, filepath.Join(t.Corpus, "cuad"))
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "data sha256:%s: %d contracts, %d sentences, %d labels\n", corpus.hash, len(corpus.examples), corpus.passages, corpus.labels)
	if t.Only != "types" {
		if err := t.trainLabels(ctx, c, corpus); err != nil {
			return err
		}
	}
	if t.Only != "labels" {
		return t.trainTypes(ctx, c, corpus)
	}
	return nil
}

// trainLabels makes the model that labels clauses.
func (t *train) trainLabels(ctx context.Context, c console, corpus *corpus) (err error) {
	var scores nlp.Validation
	if t.Score {
		if scores, err = nlp.CrossValidate(ctx, corpus.nodes, corpus.examples, nil, score.Everywhere...); err != nil {
			return err
		}
		writeScores(c.out, scores)
	}
	model, err := nlp.Train(ctx, corpus.nodes, corpus.examples)
	if err != nil {
		return err
	}
	data, err := model.AppendBinary(nil)
	if err != nil {
		return err
	}
	if err := replaceFile(t.Model, data); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "model sha256:%x: %d bytes, labels from a probability of %.3f\n", sha256.Sum256(data), len(data), model.Threshold())
	if !t.Score {
		return nil
	}
	metrics, err := json.MarshalIndent(scores.Metrics, "", "\t")
	if err != nil {
		return err
	}
	if err := replaceFile(t.Metrics, append(metrics, '\n')); err != nil {
		return err
	}
	return replaceFile(t.Card, corpus.card(model, data, scores))
}

// replaceFile puts a new file in the place of another, whole or not at all.
func replaceFile(path string, data []byte) (err error) {
	fresh, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(fresh.Name()))
		}
	}()
	_, err = fresh.Write(data)
	if err := errors.Join(err, fresh.Chmod(0o644), fresh.Close()); err != nil {
		return err
	}
	return os.Rename(fresh.Name(), path)
}

// corpus is the annotated contracts as examples.
type corpus struct {
	hash      string // SHA-256 of the annotations and then of each text
	types     []string
	contracts []nlp.TypeExample
	nodes     []string
	examples  []nlp.Example
	passages  int
	labels    int
}

func readCorpus(ctx context.Context, dir string) (*corpus, error) {
	read, err := score.Read(ctx, os.DirFS(dir))
	if err != nil {
		return nil, err
	}
	c := &corpus{hash: read.Hash}
	c.nodes, c.examples = read.Labels()
	c.types, c.contracts = read.Types()
	for _, example := range c.examples {
		c.passages += len(example.Passages)
		for _, labels := range example.Labels {
			c.labels += len(labels)
		}
	}
	return c, nil
}

// card is the model card: what to expect of a model.
func (c *corpus) card(model *nlp.Model, data []byte, scores nlp.Validation) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# The base model of clause labels

Made by `+"`clausemill train`"+`; docs/clause-labels.md tells how it works and what to expect of it.

- Data: Contract Understanding Atticus Dataset (CUAD) v1, The Atticus Project, CC BY 4.0: %d contracts, %d sentences, %d labels. SHA-256 `+"`%s`"+`
- Model: %d bytes, SHA-256 `+"`%x`"+`; knows %d nodes, labels from a probability of %.3f. Licence of the model: CC BY 4.0, with the attribution above.
- Use: labelling sentences of commercial contracts in English, for people to confirm. It is no legal advice, and says nothing on other languages.

Scores of five-fold cross-validation over contracts; each fold chose its own threshold without the contracts it was scored on.

`, len(c.examples), c.passages, c.labels, c.hash, len(data), sha256.Sum256(data), len(model.Nodes()), model.Threshold())
	writeScores(&b, scores)
	return b.Bytes()
}

// writeScores writes the metrics as tables.
func writeScores(w io.Writer, v nlp.Validation) {
	m, i := v.Metrics, v.Intervals
	fmt.Fprint(w, "| measure | score | in 95 of 100 draws of contracts |\n|---|---|---|\n")
	for _, row := range []struct {
		name     string
		score    float64
		interval learn.Interval
	}{
		{"micro F1", m.MicroF1, i.MicroF1},
		{"precision", m.Precision, learn.Interval{}},
		{"recall", m.Recall, learn.Interval{}},
		{"macro F1", m.MacroF1, i.MacroF1},
		{"average precision over all pairs", m.AveragePrecision, i.AveragePrecision},
		{"precision at 80 % recall", m.PrecisionAt80, i.PrecisionAt80},
		{"presence in a contract, F1", m.PresenceF1, i.PresenceF1},
		{"presence of all nodes, F1", i.PresenceOfAll.Value, i.PresenceOfAll},
		{"first label right, of the labelled sentences that are given one", m.FirstLabel, learn.Interval{}},
		{"calibration error", m.CalibrationError, i.CalibrationError},
	} {
		within := ""
		if row.interval.High > 0 {
			within = ends(row.interval)
		}
		fmt.Fprintf(w, "| %s | %.3f | %s |\n", row.name, row.score, within)
	}
	fmt.Fprint(w, "\n| node | labels | precision | recall | F1 | average precision | presence F1 |\n|---|---|---|---|---|---|---|\n")
	for _, n := range m.PerNode {
		fmt.Fprintf(w, "| %s | %d | %.3f | %.3f | %.3f | %.3f | %.3f |\n", n.Node, n.Labels, n.Precision, n.Recall, n.F1, n.AveragePrecision, n.PresenceF1)
	}
	fmt.Fprint(w, "\n| probability | pairs | mean | came true |\n|---|---|---|---|\n")
	for i, bin := range m.Calibration {
		fmt.Fprintf(w, "| %.1f to %.1f | %d | %.3f | %.3f |\n", float64(i)/10, float64(i+1)/10, bin.Pairs, bin.Mean, bin.Share)
	}
}
