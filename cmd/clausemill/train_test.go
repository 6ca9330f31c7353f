package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/setup"
	"github.com/clausemill/clausemill/nlp"
)

// smallCorpus writes contracts of two clauses and returns their directory.
func smallCorpus(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "cuad", "txt"), 0o755))
	var annotations []byte
	for i := range 15 {
		law := fmt.Sprintf("This Agreement is governed by the laws of the State of New York, as amended %d times.", i)
		name := fmt.Sprintf("txt/%d.txt", i)
		kind := []string{"SUPPLY", "AGENCY"}[i%2]
		text := kind + " AGREEMENT\n\n1. Delivery. The Supplier delivers the goods to the office of the Buyer.\n\n2. Law. " + law + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "cuad", name), []byte(text), 0o644))
		line, err := json.Marshal(map[string]any{"txt": name, "type": map[string]string{"SUPPLY": "Supply", "AGENCY": "Agency"}[kind], "clauses": map[string][]string{"Governing Law": {law}, "Insurance": {"The Supplier delivers the goods to the office of the Buyer."}}})
		require.NoError(t, err)
		annotations = append(append(annotations, line...), '\n')
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cuad", "contracts.jsonl"), annotations, 0o644))
	return dir
}

func TestTrain(t *testing.T) {
	t.Parallel()

	corpus, out := smallCorpus(t), t.TempDir()
	model, card := filepath.Join(out, "labels.model"), filepath.Join(out, "labels.md")
	types, typesCard := filepath.Join(out, "types.model"), filepath.Join(out, "types.md")
	arguments := []string{"train", "--corpus", corpus, "--model", model, "--card", card, "--metrics", filepath.Join(out, "labels.json"), "--types", types, "--types-card", typesCard}
	status, first, stderr := command(t, arguments...)
	require.Zero(t, status, stderr)
	require.Contains(t, first, "15 contracts")
	require.Contains(t, first, "| governing_law | 15 |")

	data, err := os.ReadFile(model)
	require.NoError(t, err)
	parsed, err := nlp.ParseModel(data)
	require.NoError(t, err)
	require.Len(t, parsed.Nodes(), len(nlp.Taxonomy()))
	told, err := os.ReadFile(card)
	require.NoError(t, err)
	require.Contains(t, string(told), "Atticus Project, CC BY 4.0")

	data, err = os.ReadFile(types)
	require.NoError(t, err)
	_, err = nlp.ParseTypeModel(data)
	require.NoError(t, err)
	told, err = os.ReadFile(typesCard)
	require.NoError(t, err)
	require.Contains(t, string(told), "| supply | 8 |")

	status, second, stderr := command(t, arguments...)
	require.Zero(t, status, stderr)
	require.Equal(t, first, second, "the same contracts give the same model and scores")

	status, _, stderr = command(t, "train", "--corpus", t.TempDir(), "--model", model)
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "contracts.jsonl")
}

// interrupting is a terminal at which somebody ends the program as soon as it
// says what.
type interrupting struct {
	bytes.Buffer

	what      string
	interrupt context.CancelCauseFunc
}

func (i *interrupting) Write(p []byte) (int, error) {
	n, err := i.Buffer.Write(p)
	if bytes.Contains(i.Bytes(), []byte(i.what)) {
		i.interrupt(setup.ErrInterrupted)
	}
	return n, err
}

// TestTrainIsInterrupted ends a training before it learns anything, and between
// its two models.
func TestTrainIsInterrupted(t *testing.T) {
	t.Parallel()

	corpus := smallCorpus(t)
	for what, files := range map[string][]string{"15 contracts": {}, "model sha256": {"labels.json", "labels.md", "labels.model"}} {
		ctx, interrupt := context.WithCancelCause(t.Context())
		out := t.TempDir()
		arguments := []string{"train", "--corpus", corpus, "--model", filepath.Join(out, "labels.model"), "--card", filepath.Join(out, "labels.md"), "--metrics", filepath.Join(out, "labels.json"),
			"--types", filepath.Join(out, "types.model"), "--types-card", filepath.Join(out, "types.md")}
		terminal := &interrupting{what: what, interrupt: interrupt}
		require.Equal(t, exitInterrupted, run(ctx, arguments, console{terminal, terminal}), what)
		written := []string{}
		entries, err := os.ReadDir(out)
		require.NoError(t, err)
		for _, e := range entries {
			written = append(written, e.Name())
		}
		require.Equal(t, files, written, "%s: a model goes with its card", what)
	}
	ctx, interrupt := context.WithCancelCause(t.Context())
	interrupt(setup.ErrInterrupted)
	require.Equal(t, exitInterrupted, run(ctx, []string{"eval", "--data", corpus}, console{new(bytes.Buffer), new(bytes.Buffer)}))
}
