package score

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/nlp/learn"
)

// FieldScore is how well the values of a field are found in contracts in which nobody
// marked them, those without a value included.
type FieldScore struct {
	Field  string         `json:"field"`
	Marked int            `json:"marked"` // contracts
	F1     learn.Interval `json:"f1"`
	// Precision and Recall are of what is proposed.
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	// Peer is the F1 of a regular expression with logistic regression on the words around
	// what it matches, from the score that is the best for the contracts that it is
	// scored on.
	Peer learn.Interval `json:"peer"`
	// Gain is the difference.
	Gain learn.Interval `json:"gain"`
	// Error is the mean difference between how sure proposals are and how many are right.
	Error float64 `json:"error"`
}

// FieldSizes are the numbers of contracts that are marked.
var FieldSizes = []int{10, 20, 50, 100}

const (
	// fieldDraws is how often contracts are drawn to be marked.
	fieldDraws = 3
	// leastUnseen is how many contracts with a value are left to be found.
	leastUnseen = 30
	// leastChoices is how many contracts make a law one of the choices.
	leastChoices = 8
)

// fieldTrial is one of the fields that are declared to be scored.
type fieldTrial struct {
	name     string
	question nlp.FieldQuestion
	files    []fieldFile
}

// fieldFile is a contract with what its annotators say of the field.
type fieldFile struct {
	contract *Contract
	reading  *nlp.FieldReading
	marks    []nlp.FieldMark
	unknown  bool // the annotators' answer cannot be told: the contract is left out
}

// Fields scores fields of each kind by the annotators' clauses: a number of contracts with
// a value is marked, of a few others the text is known, and the rest is asked. tell is told
// of each score.
func (c *Corpus) Fields(ctx context.Context, tell func(FieldScore)) ([]FieldScore, error) {
	var all []FieldScore
	for _, trial := range c.fieldTrials() {
		for _, size := range FieldSizes {
			with := 0
			for _, f := range trial.files {
				with += learn.Bit(len(f.marks) > 0)
			}
			if with < size+leastUnseen {
				continue
			}
			score, err := trial.score(ctx, size)
			if err != nil {
				return nil, err
			}
			tell(score)
			all = append(all, score)
		}
	}
	return all, nil
}

// fieldTrials are the fields with the marks of the annotators.
func (c *Corpus) fieldTrials() []fieldTrial {
	laws := c.commonLaws()
	trials := []fieldTrial{
		{name: "document name (text)", question: nlp.FieldQuestion{Kind: nlp.TextField, Words: []string{"Title", "What is the contract called?"}}},
		{name: "notice to end renewal (number)", question: nlp.FieldQuestion{Kind: nlp.NumberField, Words: []string{"Renewal notice", "How many days or months before the renewal must notice be given to prevent it?"}}},
		{name: "agreement date (date)", question: nlp.FieldQuestion{Kind: nlp.DateField, Words: []string{"Signing", "On which day was the agreement made?"}}},
		{name: "insured amount (money)", question: nlp.FieldQuestion{Kind: nlp.MoneyField, Words: []string{"Cover", "For which amount must a party be insured?"}}},
		{name: "governing law (choice)", question: nlp.FieldQuestion{Kind: nlp.ChoiceField, Words: []string{"Law", "Which law governs the contract?"}, Choices: laws}},
	}
	marked := []func(*Contract, *nlp.Placer, nlp.FieldQuestion) ([]nlp.FieldMark, bool){markNames, markNotice, markDate, markInsured, markLaw}
	for i := range trials {
		trials[i].files = make([]fieldFile, len(c.Contracts))
		learn.Each(len(c.Contracts), func(n int) {
			contract := c.Contracts[n]
			f := fieldFile{contract: contract, reading: nlp.ReadField(trials[i].question, contract.Text)}
			question := trials[i].question
			question.Language = contract.Text.Language
			marks, known := marked[i](contract, nlp.NewPlacer(contract.Text.Text), question)
			f.marks, f.unknown = marks, !known
			trials[i].files[n] = f
		})
		trials[i].files = slices.DeleteFunc(trials[i].files, func(f fieldFile) bool { return f.unknown })
	}
	return trials
}

// commonLaws are the laws of enough contracts.
func (c *Corpus) commonLaws() (laws []string) {
	counts := map[string]int{}
	for _, contract := range c.Contracts {
		if law, ok := wantLaw(contract.Answers["Governing Law"]); ok && len(law) == 1 {
			counts[law[0]]++
		}
	}
	for law, n := range counts {
		if n >= leastChoices {
			laws = append(laws, law)
		}
	}
	slices.Sort(laws)
	return laws
}

// markNames marks the first place of the title. It may be written in several ways.
func markNames(c *Contract, p *nlp.Placer, _ nlp.FieldQuestion) ([]nlp.FieldMark, bool) {
	for _, name := range c.Clauses["Document Name"] {
		if span, ok := p.Find(name, 0); ok {
			return []nlp.FieldMark{{Value: c.Text.Plain(span), Span: span}}, true
		}
	}
	return nil, len(c.Clauses["Document Name"]) == 0
}

// markNotice marks the length of time in the clause that is the annotators' answer.
func markNotice(c *Contract, p *nlp.Placer, q nlp.FieldQuestion) ([]nlp.FieldMark, bool) {
	m := lengthOfTime.FindStringSubmatch(strings.ToLower(c.Answers["Notice Period to Terminate Renewal"]))
	if m == nil {
		return nil, c.Answers["Notice Period to Terminate Renewal"] == ""
	}
	return markIn(c, p, q, "Notice Period to Terminate Renewal", func(value string) bool { return value == m[1] })
}

// markDate marks the date that is the annotators' answer.
func markDate(c *Contract, p *nlp.Placer, q nlp.FieldQuestion) ([]nlp.FieldMark, bool) {
	want, ok := wantDate(c.Answers["Agreement Date"])
	if !ok || len(want) == 0 {
		return nil, ok
	}
	return markIn(c, p, q, "Agreement Date", func(value string) bool { return value == want[0] })
}

// markInsured marks the first amount in the clauses on insurance. Contracts that require
// insurance of no amount have no value.
func markInsured(c *Contract, p *nlp.Placer, q nlp.FieldQuestion) ([]nlp.FieldMark, bool) {
	marks, _ := markIn(c, p, q, "Insurance", func(string) bool { return true })
	return marks, true
}

// markLaw marks the clause that names one of the choices.
func markLaw(c *Contract, p *nlp.Placer, q nlp.FieldQuestion) ([]nlp.FieldMark, bool) {
	want, ok := wantLaw(c.Answers["Governing Law"])
	if !ok || len(want) == 0 || !slices.Contains(q.Choices, want[0]) {
		return nil, ok
	}
	for _, clause := range c.Clauses["Governing Law"] {
		if span, ok := p.Find(clause, 0); ok {
			return []nlp.FieldMark{{Value: want[0], Span: span}}, true
		}
	}
	return nil, false
}

// markIn marks the first value in the clauses of a category that is right.
func markIn(c *Contract, p *nlp.Placer, q nlp.FieldQuestion, category string, right func(value string) bool) (marks []nlp.FieldMark, known bool) {
	for _, clause := range c.Clauses[category] {
		for _, part := range strings.Split(clause, "<omitted>") {
			span, ok := p.Find(part, 0)
			if !ok {
				continue
			}
			for _, f := range nlp.FieldValues(q, c.Text.Quote(span)) {
				f.Start, f.End = f.Start+span.Start, f.End+span.Start
				if value := f.Value.String(); right(value) && marks == nil {
					marks = []nlp.FieldMark{{Value: value, Span: f.Span}}
				}
			}
		}
	}
	return marks, marks != nil || len(c.Clauses[category]) == 0
}

// answer is what a program makes of one contract that nobody marked.
type fieldAnswer struct {
	score float64
	right bool
}

// score marks contracts, learns and asks the others, so many times over.
func (t *fieldTrial) score(ctx context.Context, size int) (FieldScore, error) {
	ours, peers := make([]learn.Tally, len(t.files)), make([]learn.Tally, len(t.files))
	var sure, hits [10]float64
	proposed := 0
	for draw := range fieldDraws {
		marked, unseen := t.draw(size, draw)
		var examples []nlp.FieldExample
		for _, i := range marked {
			examples = append(examples, nlp.FieldExample{Reading: t.files[i].reading, Marks: t.files[i].marks})
		}
		var others []*nlp.FieldReading
		for _, i := range unseen[:nlp.OtherFieldFiles] {
			others = append(others, t.files[i].reading)
		}
		unseen = unseen[nlp.OtherFieldFiles:]
		model, _ := nlp.LearnField(ctx, examples, others)
		if ctx.Err() != nil {
			return FieldScore{}, context.Cause(ctx)
		}
		proposals := make([][]nlp.FieldProposal, len(unseen))
		if model != nil {
			learn.Each(len(unseen), func(n int) { proposals[n] = model.Propose(t.files[unseen[n]].reading) })
		}
		for n, i := range unseen {
			found := false
			for _, p := range proposals[n] {
				right := t.isRight(i, p.Value.String())
				found = found || right
				ours[i].Hits += learn.Bit(right)
				ours[i].Wrong += learn.Bit(!right)
				at := min(int(10*p.Confidence), 9)
				sure[at] += p.Confidence
				hits[at] += float64(learn.Bit(right))
				proposed++
			}
			ours[i].Missed += learn.Bit(len(t.files[i].marks) > 0 && !found)
		}
		t.askPeer(marked, unseen, peers)
	}
	f1 := func(tallies []learn.Tally) func(drawn []int) float64 {
		return func(drawn []int) float64 {
			var all learn.Tally
			for _, i := range drawn {
				all.Plus(tallies[i])
			}
			return all.F1()
		}
	}
	var all learn.Tally
	for _, tally := range ours {
		all.Plus(tally)
	}
	score := FieldScore{
		Field: t.name, Marked: size, Precision: all.Precision(), Recall: all.Recall(),
		F1: learn.NewInterval(len(t.files), f1(ours)), Peer: learn.NewInterval(len(t.files), f1(peers)),
		Gain: learn.NewInterval(len(t.files), func(drawn []int) float64 { return f1(ours)(drawn) - f1(peers)(drawn) }),
	}
	for i := range sure {
		score.Error += math.Abs(sure[i]-hits[i]) / float64(max(1, proposed))
	}
	return score, nil
}

// isRight reports whether a value is that of the annotators.
func (t *fieldTrial) isRight(file int, value string) bool {
	return slices.ContainsFunc(t.files[file].marks, func(m nlp.FieldMark) bool {
		return m.Value == value || t.question.Kind == nlp.TextField && plainName(m.Value) == plainName(value)
	})
}

// draw returns contracts to mark, of those that have a value, and all others.
func (t *fieldTrial) draw(size, draw int) (marked, unseen []int) {
	random := learn.Randomizer(1000*size + draw)
	order := make([]int, len(t.files))
	for i := range order {
		order[i] = i
	}
	random.Shuffle(order)
	for _, i := range order {
		if len(marked) < size && len(t.files[i].marks) > 0 {
			marked = append(marked, i)
		} else {
			unseen = append(unseen, i)
		}
	}
	return marked, unseen
}

// askPeer has the peer learn from the same contracts and asks it the others.
func (t *fieldTrial) askPeer(marked, unseen []int, tallies []learn.Tally) {
	peer := newFieldPeer(t, marked)
	answers := make([]fieldAnswer, len(unseen))
	learn.Each(len(unseen), func(n int) {
		value, score := peer.answer(t.files[unseen[n]].contract.Text.Text)
		answers[n] = fieldAnswer{score, value != "" && t.isRight(unseen[n], value)}
	})
	wanted := 0
	for _, i := range unseen {
		wanted += learn.Bit(len(t.files[i].marks) > 0)
	}
	threshold := bestAnswer(answers, wanted)
	for n, i := range unseen {
		given := answers[n].score >= threshold
		tallies[i].Hits += learn.Bit(given && answers[n].right)
		tallies[i].Wrong += learn.Bit(given && !answers[n].right)
		tallies[i].Missed += learn.Bit(len(t.files[i].marks) > 0 && !(given && answers[n].right))
	}
}

// bestAnswer is the score from which answers have the best F1, where so many are wanted.
func bestAnswer(answers []fieldAnswer, wanted int) (threshold float64) {
	sorted := slices.Clone(answers)
	slices.SortStableFunc(sorted, func(a, b fieldAnswer) int { return cmp.Compare(b.score, a.score) })
	best, hits := -1.0, 0
	for n, a := range sorted {
		hits += learn.Bit(a.right)
		if f1 := learn.Ratio(2*hits, n+1+wanted); f1 > best {
			best, threshold = f1, a.score
		}
	}
	return threshold
}

// String is the score on one line.
func (s FieldScore) String() string {
	return fmt.Sprintf("%s, %d marked: %.3f, peer %.3f", s.Field, s.Marked, s.F1.Value, s.Peer.Value)
}
