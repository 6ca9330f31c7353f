package e2e_test

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/nlp"
)

// decide has three people decide on some hundred sentences, one after the other,
// many at once, and on some of them twice; over four weeks. One node is the
// team's own.
func (c *corpus) decide() {
	c.rest()
	rows := readRows(c.t, c.system, c.teamID)
	nodes := nlp.Taxonomy()
	var done struct{}
	var told []sentenceRow
	validate := func(who int, s sentenceRow, label string) {
		body := map[string]any{"label": label}
		switch label {
		case "":
			body = map[string]any{"label": nil}
		case "confirm":
			body = map[string]any{}
		}
		c.ask(c.people[who], http.MethodPatch, "/api/sentences/{id}/validate", body, &done, s.ID)
	}
	for i, f := range rows.files {
		labelled, none := 0, 0
		for j, s := range f.sentences {
			switch {
			case s.Source == nil:
			case len(s.each()) == 1 && labelled < 2 && (i+j)%3 == 0:
				labelled++
				validate(i%2, s, []string{"confirm", *s.Label, nodes[(i+7*j)%len(nodes)].ID, "", "confirm"}[(i+labelled)%5])
				told = append(told, s)
			case s.Label == nil && none < 1 && (i+j)%7 == 0:
				none++
				validate(i%3, s, []string{"confirm", nodes[i%len(nodes)].ID, ""}[i%3])
				told = append(told, s)
			}
		}
	}
	require.Greater(c.t, len(told), 20, "too few to tell anything of")
	for i, s := range told {
		switch i % 4 {
		case 0:
			validate((i/4)%3, s, []string{"confirm", nodes[i%len(nodes)].ID, ""}[i%3])
		case 1:
			validate(2, s, "confirm")
		}
	}
	some := func(n, of int) (ids []string) {
		for i, s := range told {
			if i%of == n {
				ids = append(ids, s.ID)
			}
		}
		return ids
	}
	c.ask(c.people[1], http.MethodPost, "/api/sentences/bulk-validate", map[string]any{"sentenceIds": some(3, 10)}, &done)
	c.ask(c.people[2], http.MethodPost, "/api/sentences/bulk-assign-label", map[string]any{
		"sentenceIds": some(5, 20), "newNode": map[string]string{"name": "Side Letter", "family": "Correspondence"},
	}, &done)
	_, err := c.db.Pool().Exec(c.t.Context(), `UPDATE audit_events SET created_at = created_at - id % 4 * interval '7 days' WHERE action = 'sentence.validated'`)
	require.NoError(c.t, err)
}

func (c *corpus) typeReview() {
	judged := 0
	for _, t := range c.rows.types {
		var got api.TypeReview
		c.get(&got, "/api/document-types/{dtid}/validation-analytics", t.ID)
		want := c.review(t)
		judged += want.Totals.Validated
		byUser := func(r api.Reviewer) string { return fmt.Sprintf("%06d %s", 1e6-r.Decisions-1, *r.UserID) }
		for i := 1; i < len(got.Reviewers); i++ {
			require.LessOrEqual(c.t, got.Reviewers[i].Decisions, got.Reviewers[i-1].Decisions)
		}
		want.Reviewers, got.Reviewers = sorted(want.Reviewers, byUser), sorted(got.Reviewers, byUser)
		c.agree(t.Name, want, got)
	}
	require.NotZero(c.t, judged)
}

// verdicts are the decisions on one sentence, in their order.
type verdicts []decisionRow

// predicted is what a model said last, if one did.
func (v verdicts) predicted() (label string, known bool) {
	for _, d := range v {
		if d.byModel() {
			label, known = word(d.Was), true
		}
	}
	return label, known
}

func (d decisionRow) byModel() bool { return d.Source != nil && *d.Source == "predicted" }

// lastTwo is what the two people who spoke last said last, the later second.
func (v verdicts) lastTwo() []string {
	var said, who []string
	for _, d := range slices.Backward(v) {
		if user := word(d.UserID); !slices.Contains(who, user) && len(who) < 2 {
			who, said = append(who, user), append([]string{word(d.Becomes)}, said...)
		}
	}
	return said
}

func word(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func pointer[T any](v T) *T { return &v }

// orNone is null for no word.
func orNone(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// review is what people made of the labels of a type's sentences.
func (c *corpus) review(t typeRow) api.TypeReview {
	out := api.TypeReview{DocumentTypeID: t.ID, Labels: []api.ReviewedLabel{}, Confusion: []api.ReplacedLabel{}, Reviewers: []api.Reviewer{}, Trend: []api.ReviewWeek{}}
	labels := map[string]*api.ReviewedLabel{}
	label := func(key string) *api.ReviewedLabel {
		if labels[key] == nil {
			labels[key] = &api.ReviewedLabel{Label: key, Name: c.rows.names[key]}
		}
		return labels[key]
	}
	scores := map[string][]float64{}
	for _, f := range c.rows.which(func(f *fileRow) bool { return f.is(t.ID) }) {
		for _, s := range f.sentences {
			if s.Source == nil {
				continue
			}
			for _, one := range s.each() {
				out.Totals.Sentences++
				if one.validated() {
					out.Totals.Validated++
					label(*one.Label).Validated++
					continue
				}
				out.Totals.Predicted++
				label(*one.Label).Predicted++
				scores[*one.Label] = append(scores[*one.Label], float64(*one.Score))
			}
			if len(s.each()) == 0 {
				out.Totals.Sentences++
				if s.validated() {
					out.Totals.Validated++
				} else {
					out.Totals.None++
				}
			}
		}
	}
	bySentence := map[string]verdicts{}
	var all verdicts
	for _, d := range c.rows.decisions {
		if f := c.rows.byID[d.fileID]; f != nil && f.is(t.ID) {
			bySentence[d.SentenceID] = append(bySentence[d.SentenceID], d)
			all = append(all, d)
		}
	}
	replaced := map[[2]string]int{}
	for _, v := range bySentence {
		was, known := v.predicted()
		if !known {
			continue
		}
		is := word(v[len(v)-1].Becomes)
		if was != is {
			replaced[[2]string{was, is}]++
		}
		if was != "" {
			label(was).Judged++
		}
		switch {
		case was == is && is == "":
			out.Totals.ConfirmedNone++
		case was == is:
			out.Totals.Confirmed++
			label(was).Confirmed++
		case was == "":
			out.Totals.Added++
			label(is).Added++
		case is == "":
			out.Totals.Rejected++
		default:
			out.Totals.Corrected++
			label(is).Added++
		}
	}
	for key, l := range labels {
		if len(scores[key]) > 0 {
			l.MeanScore = pointer(mean(scores[key]))
		}
		if l.Judged > 0 {
			l.Precision = pointer(float64(l.Confirmed) / float64(l.Judged))
			l.PrecisionRange = likelyRange(l.Confirmed, l.Judged)
		}
		if l.Confirmed+l.Added > 0 {
			l.RecallEstimate = pointer(float64(l.Confirmed) / float64(l.Confirmed+l.Added))
		}
		out.Labels = append(out.Labels, *l)
	}
	out.Labels = sorted(out.Labels, func(l api.ReviewedLabel) string { return l.Label })
	for pair, n := range replaced {
		out.Confusion = append(out.Confusion, api.ReplacedLabel{From: orNone(pair[0]), To: orNone(pair[1]), Count: n})
	}
	slices.SortFunc(out.Confusion, func(a, b api.ReplacedLabel) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(word(a.From), word(b.From)), cmp.Compare(word(a.To), word(b.To)))
	})
	out.Reviewers, out.Trend, out.Agreement = reviewers(all), weeks(all), agreement(bySentence)
	return out
}

// likelyRange solves (p - share)² = z² p(1 - p)/n for p, as Wilson has it.
func likelyRange(right, n int) []float64 {
	z2, size, share := 1.959964*1.959964, float64(n), float64(right)/float64(n)
	a, b, c := 1+z2/size, -2*share-z2/size, share*share
	root := math.Sqrt(max(0, b*b-4*a*c))
	return []float64{max(0, (-b-root)/(2*a)), min(1, (-b+root)/(2*a))}
}

func reviewers(all verdicts) []api.Reviewer {
	decisions, judged, confirmed := map[string]int{}, map[string]int{}, map[string]int{}
	for _, d := range all {
		who := word(d.UserID)
		decisions[who]++
		if d.byModel() {
			judged[who]++
			if word(d.Was) == word(d.Becomes) {
				confirmed[who]++
			}
		}
	}
	list := []api.Reviewer{}
	for who, n := range decisions {
		list = append(list, api.Reviewer{UserID: pointer(who), Decisions: n, Agreement: float64(confirmed[who]) / float64(max(1, judged[who]))})
	}
	return list
}

func weeks(all verdicts) []api.ReviewWeek {
	decisions, judged, right := map[string]int{}, map[string]int{}, map[string]int{}
	for _, d := range all {
		monday := d.At.UTC()
		for monday.Weekday() != time.Monday {
			monday = monday.AddDate(0, 0, -1)
		}
		week := monday.Format(time.DateOnly)
		decisions[week]++
		if d.byModel() && d.Was != nil {
			judged[week]++
			if word(d.Becomes) == *d.Was {
				right[week]++
			}
		}
	}
	list := []api.ReviewWeek{}
	for week, n := range decisions {
		list = append(list, api.ReviewWeek{Week: week, Decisions: n, Precision: float64(right[week]) / float64(max(1, judged[week]))})
	}
	return sorted(list, func(w api.ReviewWeek) string { return w.Week })
}

// agreement is how far the two people who spoke last of a sentence agree, beyond
// chance.
func agreement(bySentence map[string]verdicts) api.ReviewAgreement {
	var out api.ReviewAgreement
	var said [2]map[string]float64
	for i := range said {
		said[i] = map[string]float64{}
	}
	for _, v := range bySentence {
		two := v.lastTwo()
		if len(two) < 2 {
			continue
		}
		out.Pairs++
		if two[0] == two[1] {
			out.Agreed++
		}
		for i, label := range two {
			said[i][label]++
		}
	}
	n, chance := float64(out.Pairs), 0.0
	for label, first := range said[0] {
		chance += first / n * said[1][label] / n
	}
	switch {
	case out.Pairs == 0:
	case chance > 1-1e-12:
		out.Kappa = 1
	default:
		out.Kappa = (float64(out.Agreed)/n - chance) / (1 - chance)
	}
	return out
}
