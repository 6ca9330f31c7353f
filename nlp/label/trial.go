package label

import (
	"context"
	"fmt"
	"slices"

	"github.com/clausemill/clausemill/nlp/learn"
)

// Trial says what it is worth to correct a model by a team's decisions: models that
// learned from the decisions on other files judge those on each, beside the model as
// it is. Only the nodes of its base count.
type Trial struct {
	Before       Metrics `json:"before"`
	AgreedBefore int     `json:"agreedBefore"` // decisions that the model would have made
	After        Metrics `json:"after"`
	Agreed       int     `json:"agreed"`
	// Gain is that of F1, by draws of files. Passages that nobody decided about count too,
	// as if m were right about them: few of those that a correction labels are right.
	Gain     learn.Interval `json:"gain"`
	Accepted bool           `json:"accepted"`
	Reason   string         `json:"reason"` // why it was not accepted
}

// leastTrialFiles is how many files have to have decisions, for one that is held back
// to be judged by what others teach.
const leastTrialFiles = 5

// Try tries the correction of m by decisions. It is accepted if it is better in 39 of
// 40 draws of files; chance alone is not enough.
func (m *Model) Try(ctx context.Context, decisions []Example) (Trial, error) {
	files := slices.DeleteFunc(slices.Clone(decisions), func(e Example) bool { return e.Decided != nil && !slices.Contains(e.Decided, true) })
	var t Trial
	nodes := m.nodes[:m.known]
	before, after := newEvaluation(nodes, nil), newEvaluation(nodes, nil)
	if len(files) < leastTrialFiles {
		t.Reason = fmt.Sprintf("decisions on %d files tell nothing of others; it takes %d", len(files), leastTrialFiles)
		t.Before, t.After = before.metrics(), after.metrics()
		return t, nil
	}
	base := *m
	base.nodes, base.own, base.layer = nodes, nil, nil
	m = &base
	files = m.Read(ctx, files)
	var corrected [learn.Folds]*Model
	learn.Each(learn.Folds, func(fold int) {
		if seen, _ := learn.Fold(files, fold); ctx.Err() == nil {
			corrected[fold] = m.Corrected(seen)
		}
	})
	if ctx.Err() != nil {
		return t, context.Cause(ctx)
	}
	said, says := make([][]float32, len(files)), make([][]float32, len(files)) // by file
	learn.Each(len(files), func(i int) {
		odds := files[i].prior.odds
		says[i] = slices.Clone(odds)
		corrected[i%learn.Folds].correct(files[i].Passages, says[i])
		said[i], says[i] = chances(slices.Clone(odds)), chances(says[i])
	})
	var was, is []learn.Tally // by file
	for i, example := range files {
		tallyBefore, agreedBefore := before.count(m, example, said[i])
		tally, agreed := after.count(m, example, says[i])
		undecidedBefore, undecided := m.changed(example, said[i], says[i])
		tallyBefore.Plus(undecidedBefore)
		tally.Plus(undecided)
		was, is = append(was, tallyBefore), append(is, tally)
		t.AgreedBefore += agreedBefore
		t.Agreed += agreed
	}
	t.Before, t.After = before.metrics(), after.metrics()
	f1 := func(of []learn.Tally, drawn []int) float64 {
		var all learn.Tally
		for _, i := range drawn {
			all.Plus(of[i])
		}
		return all.F1()
	}
	t.Gain = learn.NewInterval(len(files), func(drawn []int) float64 { return f1(is, drawn) - f1(was, drawn) })
	if t.Accepted = t.Gain.Low > 0; !t.Accepted {
		t.Reason = fmt.Sprintf("F1 on files that were held out changes by %+.3f, which may be chance: between %+.3f and %+.3f",
			t.Gain.Value, t.Gain.Low, t.Gain.High)
	}
	return t, nil
}

// changed counts the labels that probabilities give, before a correction and behind it, where
// nobody decided, as if those before were right.
func (m *Model) changed(example Example, said, says []float32) (before, after learn.Tally) {
	for at := range said {
		if example.decided(at / m.known) {
			continue
		}
		was, is := said[at] >= m.threshold, says[at] >= m.threshold
		if was {
			before.Add(true, true)
		}
		if was || is {
			after.Add(is, was)
		}
	}
	return before, after
}
