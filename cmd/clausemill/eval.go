//go:build !production

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"

	answers "github.com/clausemill/clausemill/answer/score"
	"github.com/clausemill/clausemill/bench"
	"github.com/clausemill/clausemill/nlp/learn"
	"github.com/clausemill/clausemill/nlp/score"
)

// evaluate says how well texts are understood.
type evaluate struct {
	Data   string `env:"CLAUSEMILL_DATA" required:"" placeholder:"DIR" help:"Annotated contracts: a directory that holds cuad/contracts.jsonl and the texts it names."`
	JSON   string `name:"json" placeholder:"FILE" help:"Write the figures to a file as well, - for standard output instead of the table."`
	Before string `placeholder:"FILE" help:"Figures that an earlier --json wrote, to stand beside the new ones."`
	Labels bool   `default:"true" negatable:"" help:"Score the clause labels, which trains five models and takes minutes."`
	Taught bool   `help:"Score what is learned from decisions as well, which trains ten models more."`
	Only   string `enum:"answers,fields," default:"" placeholder:"PART" help:"Score answers to questions alone (answers), which trains five models, or fields that a team declares (fields)."`
	Review string `placeholder:"FILE" help:"Draw what the decisions of a review are worth as SVG."`
	Curve  string `placeholder:"FILE" help:"Draw what is learned from decisions as SVG."`
}

// Help is shown below the flags.
func (evaluate) Help() string {
	return `Each figure stands beside its anchor, what common means reach on contracts of the same data, and its target.
What is learned is scored on contracts that it was not learned from: five times over, four fifths are trained on and the last is scored.
All figures but the speed are the same every time; clausemill bench measures that beside a peer.`
}

// Run scores the program on all contracts of the corpus.
func (e *evaluate) Run(ctx context.Context, c console) error {
	if e.Review != "" && !e.Labels {
		return errors.New("--review draws what --no-labels leaves out")
	}
	corpus, err := score.Read(ctx, os.DirFS(filepath.Join(e.Data, "cuad")))
	if err != nil {
		return err
	}
	if e.Only == "answers" {
		answers := answers.NewAnswers(corpus)
		if err := answers.Run(ctx); err != nil {
			return err
		}
		return e.write(c, evaluation{Data: "sha256:" + corpus.Hash, Contracts: len(corpus.Contracts), Rows: answers.Rows()})
	}
	if e.Only == "fields" {
		return e.fields(ctx, c, corpus)
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
		labels, reviewed, err := corpus.LabelRows(ctx)
		if err != nil {
			return err
		}
		report.Rows, report.Reviewed = append(report.Rows, labels...), reviewed
		if err := draw(e.Review, score.ReviewChart(reviewed)); err != nil {
			return err
		}
	}
	if e.Taught || e.Curve != "" {
		if report.Taught, err = e.teach(ctx, c, corpus); err != nil {
			return err
		}
	}
	report.Rows = append(report.Rows, corpus.AttributeRows()...)
	report.Rows = append(report.Rows, corpus.SentenceRows()...)
	report.Rows = append(report.Rows, corpus.HeadingRows()...)
	report.Rows = append(report.Rows, score.Row{Topic: "speed", What: "whole analysis, MB a CPU second", Score: speed.MBPerSecond, Target: bench.WantedAnalysis})
	if e.Before != "" {
		var earlier evaluation
		data, err := os.ReadFile(e.Before)
		if err == nil {
			err = json.Unmarshal(data, &earlier)
		}
		if err != nil {
			return fmt.Errorf("the figures before: %w", err)
		}
		score.Compare(report.Rows, earlier.Rows)
	}
	return e.write(c, report)
}

// evaluation is what eval writes as JSON.
type evaluation struct {
	Data      string           `json:"data"`
	Contracts int              `json:"contracts"`
	Rows      []score.Row      `json:"rows"`
	Reviewed  []score.Reviewed `json:"reviewed,omitempty"`
	Taught    []score.Taught   `json:"taught,omitempty"`

	Fields []score.FieldScore `json:"fields,omitempty"`
}

// teach scores labels that decisions teach, and says how it goes on meanwhile.
func (e *evaluate) teach(ctx context.Context, c console, corpus *score.Corpus) ([]score.Taught, error) {
	taught, err := corpus.OwnLabels(ctx, func(node string, taught []score.Taught) {
		fmt.Fprintf(c.err, "%s:", node)
		for _, t := range taught {
			fmt.Fprintf(c.err, " %.3f", t.F1.Value)
		}
		fmt.Fprintln(c.err)
	})
	if err != nil {
		return nil, err
	}
	return taught, draw(e.Curve, score.TaughtChart(taught))
}

// fields scores fields that are declared, and says how it goes on meanwhile.
func (e *evaluate) fields(ctx context.Context, c console, corpus *score.Corpus) error {
	scores, err := corpus.Fields(ctx, func(s score.FieldScore) { fmt.Fprintln(c.err, s) })
	if err != nil {
		return err
	}
	return e.write(c, evaluation{Data: "sha256:" + corpus.Hash, Contracts: len(corpus.Contracts), Fields: scores})
}

// writeFields writes how well declared fields are found.
func writeFields(t *tabwriter.Writer, scores []score.FieldScore) {
	fmt.Fprintln(t, "values of declared fields, F1\tmarked\tClausemill\t\tprecision\trecall\texpression and regression at their best threshold\t\tgain\t\terror of confidence")
	for _, s := range scores {
		fmt.Fprintf(t, "%s\t%d\t%.3f\t%s\t%.3f\t%.3f\t%.3f\t%s\t%+.3f\t%s\t%.3f\n", s.Field, s.Marked, s.F1.Value, ends(s.F1), s.Precision, s.Recall,
			s.Peer.Value, ends(s.Peer), s.Gain.Value, ends(s.Gain), s.Error)
	}
}

// draw writes a chart to a file, if one is named.
func draw(file string, chart score.Chart) error {
	if file == "" {
		return nil
	}
	var svg bytes.Buffer
	if err := chart.SVG(&svg); err != nil {
		return err
	}
	return os.WriteFile(file, svg.Bytes(), 0o644) //nolint:gosec // a report
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
	if report.Fields != nil {
		writeFields(t, report.Fields)
		return t.Flush()
	}
	fmt.Fprintln(t, "\t\tscore\tanchor\ttarget\t\tin 95 of 100 draws\tbefore")
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
		within := ""
		if r.Interval != nil {
			within = ends(*r.Interval)
		}
		fmt.Fprintf(t, "%s\t%s\t%.3f\t%s\t%s\t%s\t%s\t%s\n", shown, r.What, r.Score, figure(r.Anchor), figure(r.Target), missed, within, figure(r.Before))
	}
	if report.Reviewed != nil {
		fmt.Fprintln(t, "\nmicro F1 that a review adds\tby worth\t\trandom order\t\ttimes as much\t")
		for _, g := range report.Reviewed {
			fmt.Fprintf(t, "%d decisions\t%+.4f\t%s\t%+.4f\t%s\t%.2f\t%s\n", g.Decisions, g.ByWorth.Value, ends(g.ByWorth), g.Random.Value, ends(g.Random), g.Ratio.Value, ends(g.Ratio))
		}
	}
	if err := t.Flush(); err != nil || report.Taught == nil {
		return err
	}
	fmt.Fprintln(t, "\nlabels that a team taught, F1\tClausemill\t\tregression at its best threshold\t\tgain")
	for _, d := range report.Taught {
		fmt.Fprintf(t, "%d decisions\t%.3f\t%s\t%.3f\t%s\t%+.3f\t%s\n", d.Decisions, d.F1.Value, ends(d.F1), d.Peer.Value, ends(d.Peer), d.Gain.Value, ends(d.Gain))
	}
	return t.Flush()
}

// ends shows where a figure lies.
func ends(i learn.Interval) string { return fmt.Sprintf("%.3f to %.3f", i.Low, i.High) }

// figure leaves out what there is none of.
func figure(f float64) string {
	if f == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", f)
}
