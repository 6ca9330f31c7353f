//go:build !production

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/clausemill/clausemill/bench"
	"github.com/clausemill/clausemill/nlp/score"
)

// evaluate says how well texts are understood.
type evaluate struct {
	Data   string `env:"CLAUSEMILL_DATA" required:"" placeholder:"DIR" help:"Annotated contracts: a directory that holds cuad/contracts.jsonl and the texts it names."`
	JSON   string `name:"json" placeholder:"FILE" help:"Write the figures to a file as well, - for standard output instead of the table."`
	Labels bool   `default:"true" negatable:"" help:"Score the clause labels, which trains five models and takes minutes."`
}

// Help is shown below the flags.
func (evaluate) Help() string {
	return `Each figure stands beside its anchor, what common means reach on contracts of the same data, and its target.
What is learned is scored on contracts that it was not learned from: five times over, four fifths are trained on and the last is scored.
All figures but the speed are the same every time; clausemill bench measures that beside a peer.`
}

// Run scores the program on all contracts of the corpus.
func (e *evaluate) Run(ctx context.Context, c console) error {
	corpus, err := score.Read(ctx, os.DirFS(filepath.Join(e.Data, "cuad")))
	if err != nil {
		return err
	}
	speed, err := bench.AnalysisSpeed(corpus.Texts())
	if err != nil {
		return err
	}
	types, err := corpus.TypeRows(ctx)
	if err != nil {
		return err
	}
	report := evaluation{Data: "sha256:" + corpus.Hash, Contracts: len(corpus.Contracts), Rows: types}
	if e.Labels {
		labels, err := corpus.LabelRows(ctx)
		if err != nil {
			return err
		}
		report.Rows = append(report.Rows, labels...)
	}
	report.Rows = append(report.Rows, corpus.AttributeRows()...)
	report.Rows = append(report.Rows, corpus.SentenceRows()...)
	report.Rows = append(report.Rows, corpus.HeadingRows()...)
	report.Rows = append(report.Rows, score.Row{Topic: "speed", What: "whole analysis, MB a CPU second", Score: speed.MBPerSecond, Target: bench.WantedAnalysis})
	return e.write(c, report)
}

// evaluation is what eval writes as JSON.
type evaluation struct {
	Data      string      `json:"data"`
	Contracts int         `json:"contracts"`
	Rows      []score.Row `json:"rows"`
}

func (e *evaluate) write(c console, report evaluation) error {
	if e.JSON != "" {
		data, err := json.MarshalIndent(report, "", "  ")
		if err != nil {
			return err
		}
		data = append(data, '\n')
		if e.JSON == "-" {
			_, err = c.out.Write(data)
			return err
		}
		if err := os.WriteFile(e.JSON, data, 0o644); err != nil { //nolint:gosec // a report
			return err
		}
	}
	fmt.Fprintf(c.out, "data %s: %d contracts\n\n", report.Data, report.Contracts)
	t := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\t\tscore\tanchor\ttarget\t")
	topic := ""
	for _, r := range report.Rows {
		shown := r.Topic
		if shown == topic {
			shown = ""
		}
		topic = r.Topic
		missed := ""
		if !r.Met() {
			missed = "missed"
		}
		fmt.Fprintf(t, "%s\t%s\t%.3f\t%s\t%s\t%s\n", shown, r.What, r.Score, figure(r.Anchor), figure(r.Target), missed)
	}
	return t.Flush()
}

// figure leaves out what there is none of.
func figure(f float64) string {
	if f == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", f)
}
