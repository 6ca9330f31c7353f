//go:build !production

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/nlp/score"
)

// trainTypes trains the model that predicts document types.
func (t *train) trainTypes(ctx context.Context, c console, corpus *corpus) error {
	var whole, untitled nlp.TypeMetrics
	if t.Score {
		metrics, err := nlp.CrossValidateTypes(ctx, corpus.types, corpus.contracts, score.WithoutHead)
		if err != nil {
			return err
		}
		whole, untitled = metrics[0], metrics[1]
		writeTypeScores(c.out, whole, untitled)
	}
	model, err := nlp.TrainTypes(ctx, corpus.types, corpus.contracts)
	if err != nil {
		return err
	}
	data, err := model.AppendBinary(nil)
	if err != nil {
		return err
	}
	if err := replaceFile(t.Types, data); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "model of types sha256:%x: %d bytes\n", sha256.Sum256(data), len(data))
	if !t.Score {
		return nil
	}
	return replaceFile(t.TypesCard, corpus.typesCard(data, whole, untitled))
}

// typesCard is the model card of the model of types.
func (c *corpus) typesCard(data []byte, whole, untitled nlp.TypeMetrics) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# The base model of contract types

Made by `+"`clausemill train`"+` from the titles of contracts and all of their words; it tells the words that it goes by.

- Data: Contract Understanding Atticus Dataset (CUAD) v1, The Atticus Project, CC BY 4.0: %d contracts of %d types. SHA-256 `+"`%s`"+`
- Model: %d bytes, SHA-256 `+"`%x`"+`. Licence of the model: CC BY 4.0, with the attribution above.
- Use: sorting commercial contracts in English into these types, for people to confirm. A contract of another type is mostly given none: no type is likelier than all others together. It reads no titles of files, only those that stand in the text.

Scores of five-fold cross-validation over contracts. Without the head means without the title and the first 3,000 characters.

`, len(c.contracts), len(whole.PerType), c.hash, len(data), sha256.Sum256(data))
	writeTypeScores(&b, whole, untitled)
	return b.Bytes()
}

// writeTypeScores writes the metrics as tables.
func writeTypeScores(w io.Writer, whole, untitled nlp.TypeMetrics) {
	fmt.Fprint(w, "| measure | whole contracts | without the head |\n|---|---|---|\n")
	for _, row := range []struct {
		name            string
		whole, untitled float64
	}{
		{"accuracy", whole.Accuracy, untitled.Accuracy},
		{"macro F1", whole.MacroF1, untitled.MacroF1},
		{"among the three likeliest", whole.TopThree, untitled.TopThree},
		{"given a type", whole.Given, untitled.Given},
		{"of these, right", whole.Right, untitled.Right},
		{"calibration error", whole.CalibrationError, untitled.CalibrationError},
	} {
		fmt.Fprintf(w, "| %s | %.3f | %.3f |\n", row.name, row.whole, row.untitled)
	}
	fmt.Fprint(w, "\n| type | contracts | precision | recall | F1 | F1 without the head |\n|---|---|---|---|---|---|\n")
	for i, m := range whole.PerType {
		fmt.Fprintf(w, "| %s | %d | %.3f | %.3f | %.3f | %.3f |\n", m.Type, m.Contracts, m.Precision, m.Recall, m.F1, untitled.PerType[i].F1)
	}
}
