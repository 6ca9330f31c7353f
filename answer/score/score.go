// Package score measures answers on contracts in which lawyers marked the clauses: 41
// questions in three wordings each (questions.tsv), asked of each contract.
//
// The labels that answers are made of come from models that were not trained on the
// contract. docs/answers.md has the figures.
package score

import (
	"context"
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/answer"
	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/nlp/learn"
	"github.com/clausemill/clausemill/nlp/score"
)

//go:embed questions.tsv
var questionsText string

// wordings are the questions by node.
func wordings() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(questionsText) {
		node, questions, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all[node] = strings.Split(questions, "\t")
	}
	return all
}

// byValue are the nodes whose words occur in many places of a contract, of which the
// annotators marked some: right is what has their words.
var byValue = []string{"document_name", "parties", "agreement_date", "effective_date"}

// asked is one question of one contract, and what came of it.
type asked struct {
	contract int
	there    bool // the annotators marked an answer
	first    bool // the first passage is right
	three    bool // one of the first three is
	silent   bool // nothing was said
	cited    int  // quotes
	held     int  // of which the text has at their offsets
}

// Answers gathers what comes of the questions.
type Answers struct {
	corpus *score.Corpus
	asked  []asked
}

// NewAnswers has asked nothing yet.
func NewAnswers(c *score.Corpus) *Answers { return &Answers{corpus: c} }

// Add asks all questions of the contracts of a round that m was not trained on.
func (a *Answers) Add(m *nlp.Model, round int) {
	held := make([][]asked, len(a.corpus.Contracts))
	learn.Each(len(held), func(i int) {
		if i%learn.Folds == round {
			c := a.corpus.Contracts[i]
			held[i] = ask(i, c, m.Predict(nlp.Passages(c.Text, c.Facts)))
		}
	})
	for _, list := range held {
		a.asked = append(a.asked, list...)
	}
}

// Run asks with five models, each of the contracts that it was not trained on.
func (a *Answers) Run(ctx context.Context) error {
	nodes, examples := a.corpus.Labels()
	round := 0
	_, err := nlp.CrossValidate(ctx, nodes, examples, func(m *nlp.Model, _ []nlp.Example) {
		a.Add(m, round)
		round++
	})
	return err
}

// ask asks all questions of one contract.
func ask(number int, c *score.Contract, predicted []nlp.Prediction) (list []asked) {
	d := document(c, predicted)
	var nodes []string
	quotes := map[string][]string{}
	for _, node := range nlp.Taxonomy() {
		nodes = append(nodes, node.ID)
		quotes[node.ID] = c.Clauses[node.Category]
	}
	marked := nlp.Annotate(c.Text, nodes, quotes)
	all := wordings()
	for _, node := range nodes {
		right := func(s answer.Said) bool {
			if slices.Contains(byValue, node) && saysOne(s, quotes[node]) {
				return true
			}
			return slices.ContainsFunc(s.Citations, func(cited answer.Citation) bool {
				return slices.ContainsFunc(within(c.Text.Sentences, cited.Span), func(i int) bool { return slices.Contains(marked[i], node) })
			})
		}
		for _, question := range all[node] {
			got := d.Answer(answer.Ask(question, nil))
			o := asked{contract: number, there: len(quotes[node]) > 0, silent: !got.Found}
			for i, s := range got.Sentences {
				if right(s) {
					o.first = o.first || i == 0
					o.three = o.three || i < 3
				}
				for _, cited := range s.Citations {
					o.cited++
					o.held += learn.Bit(c.Text.Quote(cited.Span) == cited.Quote)
				}
			}
			list = append(list, o)
		}
	}
	return list
}

// saysOne reports whether an answer has one of the values that the annotators marked.
func saysOne(s answer.Said, values []string) bool {
	_, said, _ := strings.Cut(s.Text, ": ")
	return slices.ContainsFunc(values, func(value string) bool { return nlp.Squash(value) == nlp.Squash(said) })
}

// within are the sentences that a span touches.
func within(sentences []nlp.Sentence, span nlp.Span) (list []int) {
	for i, s := range sentences {
		if s.Start < span.End && s.End > span.Start {
			list = append(list, i)
		}
	}
	return list
}

// document is a contract as the service has it: with the labels that are stored.
func document(c *score.Contract, predicted []nlp.Prediction) *answer.Document {
	sentences := make([]answer.Sentence, len(c.Text.Sentences))
	for i, s := range c.Text.Sentences {
		sentences[i] = answer.Sentence{Span: s.Span, ID: strconv.Itoa(i), Page: s.Page, Text: c.Text.Plain(s.Span)}
		for _, l := range predicted[i].Labels {
			sentences[i].Labels = append(sentences[i].Labels, answer.Label{Node: l.Node, Score: l.Probability})
		}
		if closest := predicted[i].Alternatives; len(predicted[i].Labels) == 0 && len(closest) > 0 {
			sentences[i].Labels = []answer.Label{{Node: closest[0].Node, Score: closest[0].Probability, Closest: true}}
		}
	}
	var facts []answer.Read
	for _, f := range c.Facts.File {
		read := answer.Read{Key: string(f.Key), Confidence: f.Confidence}
		for _, span := range f.Spans {
			read.Places = append(read.Places, answer.Place{Span: span, Page: c.Text.PageAt(span.Start), Quote: c.Text.Quote(span)})
		}
		read.Value = strings.Join(strings.Fields(read.Places[0].Quote), " ")
		facts = append(facts, read)
	}
	sections := make([]answer.Section, len(c.Text.Sections))
	for i, s := range c.Text.Sections {
		sections[i] = answer.Section{Span: s.Span, Number: s.Number, Title: s.Title}
	}
	return answer.NewDocument(c.ID, c.Text.Text, sentences, sections, facts)
}

// drawn is how many questions are drawn of all.
const drawn = 300

// Rows are the shares of right answers, of questions drawn from all and of all.
func (a *Answers) Rows() []score.Row {
	order := make([]int, len(a.asked))
	for i := range order {
		order[i] = i
	}
	random := learn.Randomizer(1)
	random.Shuffle(order)
	sample := make([]bool, len(a.asked))
	for _, i := range order[:min(drawn, len(order))] {
		sample[i] = true
	}
	const first, three, silent = 0.75, 0.90, 0.85
	rows := []score.Row{
		a.row("of 300: right passage first", first, func(i int) (bool, bool) { return a.asked[i].first, sample[i] && a.asked[i].there }),
		a.row("of 300: right passage within three", three, func(i int) (bool, bool) { return a.asked[i].three, sample[i] && a.asked[i].there }),
		a.row("of 300: rightly says nothing", silent, func(i int) (bool, bool) { return a.asked[i].silent, sample[i] && !a.asked[i].there }),
		a.row("right passage first", first, func(i int) (bool, bool) { return a.asked[i].first, a.asked[i].there }),
		a.row("right passage within three", three, func(i int) (bool, bool) { return a.asked[i].three, a.asked[i].there }),
		a.row("rightly says nothing", silent, func(i int) (bool, bool) { return a.asked[i].silent, !a.asked[i].there }),
	}
	cited, held := 0, 0
	for _, o := range a.asked {
		cited += o.cited
		held += o.held
	}
	return append(rows, score.Row{Topic: topic, What: "quotes at their offsets", Score: float64(held) / float64(max(1, cited)), Target: 1})
}

const topic = "answers"

// row is the share of the questions that count which are right, by draws of contracts.
func (a *Answers) row(what string, target float64, of func(i int) (right, counts bool)) score.Row {
	tallies := make([]learn.Tally, len(a.corpus.Contracts))
	for i, o := range a.asked {
		if right, counts := of(i); counts {
			tallies[o.contract].Add(true, right)
		}
	}
	i := learn.NewInterval(len(tallies), func(drawn []int) float64 {
		var all learn.Tally
		for _, contract := range drawn {
			all.Plus(tallies[contract])
		}
		return all.Precision()
	})
	return score.Row{Topic: topic, What: what, Score: i.Value, Target: target, Interval: &i}
}
