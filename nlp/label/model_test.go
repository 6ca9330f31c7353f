package label

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/learn"
	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/nlptest"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

func TestTaxonomy(t *testing.T) {
	t.Parallel()
	families, nodes := map[string]bool{}, map[string]bool{}
	for _, family := range Families() {
		families[family.ID] = true
	}
	for _, node := range Taxonomy() {
		require.False(t, nodes[node.ID], node.ID)
		require.True(t, families[node.Family], node.ID)
		require.NotEmpty(t, node.Name)
		require.NotEmpty(t, node.Description)
		nodes[node.ID] = true
	}
	require.Len(t, nodes, 41)
	base, err := Base()
	require.NoError(t, err)
	require.Len(t, base.Nodes(), len(nodes))
	for _, node := range base.Nodes() {
		require.True(t, nodes[node], node)
	}
}

func TestAnnotate(t *testing.T) {
	t.Parallel()
	s := structure.Segment([]string{"1. Law. Texas law governs this Agreement.\n\n2. Term. It lasts one\nyear. It ends then.\n"})
	quotes := map[string][]string{
		"law":  {"Texas law  governs this Agreement."},
		"term": {"It lasts one year.<omitted>ends then"},
		"none": {"It ends never."},
		"few":  {"law"},
	}
	labels := Annotate(s, []string{"few", "law", "none", "term"}, quotes)
	found := map[string]string{}
	for i, sentence := range s.Sentences {
		found[lex.Unwrap(sentence.Text)] = strings.Join(labels[i], " ")
	}
	require.Equal(t, "law", found["Texas law governs this Agreement."])
	require.Equal(t, "term", found["It lasts one year."])
	require.Equal(t, "term", found["It ends then."])
}

// clauses are sentences that nobody doubts.
var clauses = map[string]string{
	"governing_law":               "This Agreement shall be governed by and construed in accordance with the laws of the State of New York.",
	"no_solicit_of_employees":     "During the term and for one year thereafter, neither party shall solicit or hire any employee of the other party.",
	"termination_for_convenience": "Either party may terminate this Agreement for any reason upon thirty (30) days' prior written notice to the other party.",
	"anti_assignment":             "Neither party may assign this Agreement without the prior written consent of the other party.",
	"insurance":                   "Contractor shall maintain commercial general liability insurance with limits of not less than $1,000,000 per occurrence.",
	"audit_rights":                "Licensor shall have the right to audit the books and records of Licensee once a year upon reasonable notice.",
}

// first is the label of a prediction, "" for none.
func first(p Prediction) string {
	if len(p.Labels) == 0 {
		return ""
	}
	return p.Labels[0].Node
}

func TestBaseModel(t *testing.T) {
	t.Parallel()
	base, err := Base()
	require.NoError(t, err)
	for node, text := range clauses {
		p := base.Predict([]Passage{{Text: text, Kind: structure.Paragraph}})[0]
		require.Equal(t, node, first(p), text)
		require.GreaterOrEqual(t, p.Labels[0].Probability, base.Threshold())
		require.InDelta(t, 1-p.Labels[0].Probability, p.NoClause, 1e-9)
	}
	for _, text := range []string{"", "The weather was fine that day.", "Die Vertragsparteien vereinbaren Folgendes.", "\x00\xff", "3"} {
		p := base.Predict([]Passage{{Text: text, Kind: structure.Paragraph}})[0]
		require.Empty(t, p.Labels, text)
	}
	require.Empty(t, base.Predict(nil))
}

// TestRenamed takes one node for another, and one for nothing.
func TestRenamed(t *testing.T) {
	t.Parallel()
	base, err := Base()
	require.NoError(t, err)
	ask := func(m *Model, node string) Prediction {
		return m.Predict([]Passage{{Text: clauses[node], Kind: structure.Paragraph}})[0]
	}
	renamed := base.Renamed(map[string]string{"governing_law": "insurance", "anti_assignment": "", "strange": "insurance"})
	law := ask(renamed, "governing_law")
	require.Equal(t, "insurance", first(law))
	require.InDelta(t, ask(base, "governing_law").NoClause, law.NoClause, 1e-9)
	for node := range clauses {
		p := ask(renamed, node)
		seen := map[string]bool{}
		for _, s := range append(slices.Clone(p.Labels), p.Alternatives...) {
			require.False(t, seen[s.Node], "%s twice of %s", s.Node, node)
			seen[s.Node] = true
		}
		require.False(t, seen[""] || seen["anti_assignment"] || seen["governing_law"], node)
	}
	require.NotEqual(t, "anti_assignment", first(ask(renamed, "anti_assignment")))
	require.Equal(t, "governing_law", first(ask(base, "governing_law")), "it stays as it was")
}

// TestPredictIgnoresLines holds predictions to the words of a text: what is
// scanned has other line ends than what was typed.
func TestPredictIgnoresLines(t *testing.T) {
	t.Parallel()
	base, err := Base()
	require.NoError(t, err)
	for _, text := range clauses {
		wrapped := strings.ReplaceAll(text, " ", "\r\n")
		require.Equal(t, first(base.Predict([]Passage{{Text: text, Heading: "Law", Kind: structure.Paragraph}})[0]), first(base.Predict([]Passage{{Text: wrapped, Heading: "Law", Kind: structure.Paragraph}})[0]))
	}
}

// TestPassages holds passages to the sentences, one for one, each under its
// heading.
func TestPassages(t *testing.T) {
	t.Parallel()
	s := structure.Segment([]string{"This is said before all others.\n\nARTICLE 9 GENERAL\n\n9.1 Law. " + clauses["governing_law"] + " It binds.\n"})
	passages := Passages(s, fact.Extract(s))
	require.Len(t, passages, len(s.Sentences))
	require.Empty(t, passages[0].Heading)
	require.Equal(t, "Law", passages[len(passages)-1].Heading)
	for i, passage := range passages {
		require.Equal(t, s.Plain(s.Sentences[i].Span), passage.Text)
		require.Equal(t, passage.Text == clauses["governing_law"], slices.Contains(passage.Facts, value.GoverningLaw), passage.Text)
	}
}

// TestPassagesAreLed says what leads in to the items of a list, and that nothing
// leads in to what is on its own.
func TestPassagesAreLed(t *testing.T) {
	t.Parallel()
	s := structure.Segment([]string{"ARTICLE 9 GENERAL\n\n9.1 Duties. It is a trade. The Supplier shall:\n\n(a) deliver the goods on time;\n\n(b) insure them.\n\n9.2 Law. " + clauses["governing_law"] + "\n"})
	leads := map[string]string{}
	passages := Passages(s, fact.Extract(s))
	for i, passage := range passages {
		if lead := leadOf(passages, i); lead != noLead {
			leads[passage.Text] = passages[lead].Text
		}
	}
	require.Equal(t, map[string]string{"(a) deliver the goods on time;": "The Supplier shall:", "(b) insure them.": "The Supplier shall:"}, leads)
}

// TestFileFeatures says which passages are seen together, and that what leads in
// to a passage is one before it or nothing.
func TestFileFeatures(t *testing.T) {
	t.Parallel()
	var passages []Passage
	for i := range mostTogether + 2 {
		passages = append(passages, Passage{Text: fmt.Sprintf("word%c", 'a'+i), Heading: "First"})
	}
	passages = append(passages, Passage{Text: "other", Heading: "Second", Lead: 2}, Passage{Text: "more", Heading: "Second", Lead: 3}, Passage{Text: "last", Heading: "Second", Lead: 90}, Passage{Text: "none", Heading: "Second", Lead: -1})
	names := map[learn.Feature]string{}
	for _, p := range passages {
		for group, prefix := range map[uint8]string{ownWords: "", headingWords: "heading ", wordsBefore: "before ", wordsAfter: "after ", sectionWords: "section ", leadWords: "lead "} {
			for _, word := range []string{p.Text, p.Heading} {
				names[appendWords(nil, hashWords(word, nil), group)[0]] = prefix + word
			}
		}
	}
	var seen []string
	for _, f := range fileFeatures(passages) {
		var words []string
		for _, feature := range slices.Concat(f.own, f.heading, f.beside, f.wide) {
			words = append(words, names[feature])
		}
		seen = append(seen, fmt.Sprint(f.same, " ", strings.Join(words, ", ")))
	}
	together := "section worda, section wordb, section wordc, section wordd, section worde, section wordf, section wordg, section wordh"
	second := "section other, section more, section last, section none"
	require.Equal(t, "false worda, heading First, after wordb, "+together, seen[0])
	require.Equal(t, "true wordb, heading First, before worda, after wordc, "+together, seen[1])
	require.Equal(t, "true wordh, heading First, before wordg, after wordi, "+together, seen[mostTogether-1])
	require.Equal(t, "false wordi, heading First, before wordh, after wordj, section wordi, section wordj", seen[mostTogether])
	require.Equal(t, []string{
		"false other, heading Second, before wordj, after more, " + second + ", lead wordi",
		"true more, heading Second, before other, after last, " + second + ", lead wordi",
		"false last, heading Second, before more, after none, " + second,
		"true none, heading Second, before last, " + second,
	}, seen[mostTogether+2:])
}

// TestPartedSentence reads the parts of a sentence together that the end of a page has parted.
func TestPartedSentence(t *testing.T) {
	t.Parallel()
	const body, item = structure.Paragraph, structure.ListItem
	for _, test := range []struct {
		name     string
		passages []Passage
		want     string // by passage: the words that are read as its own
	}{
		{"a footer between", []Passage{{Text: "Before it.", Kind: body}, {Text: "The Supplier shall insure the goods against", Kind: body}, {Text: "Page 12", Kind: structure.Heading}, {Text: "fire and theft.", Kind: body}, {Text: "After it.", Kind: body}},
			"2 10 2 10 2"},
		{"in three parts", []Passage{{Text: "The Supplier shall insure the goods,", Kind: body}, {Text: "at its own cost and expense, against", Kind: body}, {Text: "fire and theft.", Kind: body}}, "16 16 16"},
		{"two sentences", []Passage{{Text: "The Supplier shall insure the goods.", Kind: body}, {Text: "fire and theft.", Kind: body}}, "6 3"},
		{"a sentence that begins", []Passage{{Text: "The Supplier shall insure the goods against", Kind: body}, {Text: "Fire and theft.", Kind: body}}, "7 3"},
		{"items of a list", []Passage{{Text: "(a) insure the goods against fire and", Kind: item}, {Text: "deliver them.", Kind: item}}, "7 2"},
		{"the number of an item", []Passage{{Text: "The Supplier shall insure the goods", Kind: item}, {Text: "b) deliver them.", Kind: item}}, "6 3"},
		{"a heading", []Passage{{Text: "INSURANCE OF THE GOODS AND OTHERS", Kind: structure.Heading}, {Text: "fire and theft.", Kind: body}}, "6 3"},
		{"a sentence between", []Passage{{Text: "The Supplier shall insure the goods against", Kind: body}, {Text: strings.Repeat("The Buyer pays. ", 6), Kind: body}, {Text: "fire and theft.", Kind: body}}, "7 18 3"},
	} {
		var read []string
		words := newFileWords(test.passages)
		for i := range test.passages {
			own, _, _ := words.whole(i)
			read = append(read, strconv.Itoa(len(own)))
		}
		require.Equal(t, test.want, strings.Join(read, " "), test.name)
	}
}

// TestScoresAreOfAllFeatures checks that what is added up once for passages that
// share it gives what adding up each passage on its own gives.
func TestScoresAreOfAllFeatures(t *testing.T) {
	t.Parallel()
	base, err := Base()
	require.NoError(t, err)
	text, err := os.ReadFile("../testdata/contracts/25ab7c70d2d9.txt")
	require.NoError(t, err)
	s := structure.Segment(strings.Split(string(text), "\f"))
	passages := Passages(s, fact.Read(s))
	found := base.score(passages)
	vectorizer := learn.NewVectorizer(base.vocabulary, &groupWeights)
	led := 0
	for i, f := range fileFeatures(passages) {
		led += learn.Bit(passages[i].Lead > 0)
		var sums learn.SlotSums
		v := vectorizer.Vector(nil, f.own, f.heading, f.beside, f.wide)
		base.weights.Add(v.Entries, &sums)
		alone := make([]float32, base.known)
		for view := range linearViews {
			base.views[view].Apply(sums[view*base.known:], alone)
			require.InDeltaSlice(t, alone, found.views[view][i*base.known:][:base.known], 1e-3, passages[i].Text)
		}
		units := make([]float32, base.network.Units())
		base.network.Add(appendKnown(nil, &v, base.network.Knows), units)
		base.network.Score(units, alone)
		base.views[networkView].Line(alone)
		require.InDeltaSlice(t, alone, found.views[networkView][i*base.known:][:base.known], 1e-3, passages[i].Text)
	}
	require.NotZero(t, led, "lists are led in to")
}

// TestFactsTold looks at a file through the facts that are read from it.
func TestFactsTold(t *testing.T) {
	t.Parallel()
	f := newScored([]Passage{{Text: "A"}, {Text: "B", Facts: []value.Key{value.Party, value.GoverningLaw}}}, []string{"governing_law", "renewal_term", "insurance"})
	var told [][]float32
	for node := range f.nodes {
		elsewhere := f.states(node)
		told = append(told, []float32{f.statedIn(0, node, elsewhere), f.statedIn(1, node, elsewhere)})
	}
	require.Equal(t, [][]float32{{0, 1}, {-1, -1}, {-1, -1}}, told)
	for id := range factOf {
		require.True(t, slices.ContainsFunc(taxonomy, func(n Node) bool { return n.ID == id }), id)
	}
}

// smallExamples are files of a few passages each.
func smallExamples() ([]string, []Example) {
	nodes := []string{"governing_law", "anti_assignment"}
	var examples []Example
	for range 40 {
		examples = append(examples, Example{
			Passages: []Passage{
				{Text: clauses["governing_law"], Heading: "Law", Kind: structure.Paragraph},
				{Text: "The parties met on that day in the office of the Company.", Heading: "Law", Kind: structure.Paragraph},
				{Text: clauses["anti_assignment"], Heading: "Assignment", Kind: structure.Paragraph},
				{Text: "The Company shall send its invoices every month by mail.", Heading: "Assignment", Kind: structure.ListItem, Lead: 1},
			},
			Labels: [][]string{{"governing_law"}, nil, {"anti_assignment"}, nil},
		})
	}
	return nodes, examples
}

func TestTrain(t *testing.T) {
	t.Parallel()
	nodes, examples := smallExamples()
	m, err := Train(t.Context(), nodes, examples)
	require.NoError(t, err)
	again, err := Train(t.Context(), nodes, examples)
	require.NoError(t, err)
	first, err := m.AppendBinary(nil)
	require.NoError(t, err)
	second, err := again.AppendBinary(nil)
	require.NoError(t, err)
	require.Equal(t, first, second, "the same examples give the same model")

	metrics := Evaluate(m, examples)
	require.InDelta(t, 1, metrics.MicroF1, 1e-9)
	require.InDelta(t, 1, metrics.AveragePrecision, 1e-9)
	require.Equal(t, 80, metrics.Labels)

	parsed, err := Parse(first)
	require.NoError(t, err)
	require.Equal(t, m.Predict(examples[0].Passages), parsed.Predict(examples[0].Passages))
}

// patient is a context that ends after it was asked so many times.
type patient struct {
	context.Context

	asked, patience int
}

func (p *patient) Err() error {
	if p.asked++; p.asked > p.patience {
		return context.Canceled
	}
	return nil
}

// TestTrainIsCancelled ends a training at any of the places where it can end.
func TestTrainIsCancelled(t *testing.T) {
	t.Parallel()
	nodes, examples := smallExamples()
	whole := &patient{Context: t.Context(), patience: math.MaxInt}
	_, err := Train(whole, nodes, examples)
	require.NoError(t, err)
	ended, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	for _, share := range []int{0, 1, 5, 20, 60, 95, 100} {
		m, err := Train(&patient{Context: ended, patience: (whole.asked - 1) * share / 100}, nodes, examples)
		require.ErrorIs(t, err, cause, "after %d %%", share)
		require.Nil(t, m)
	}
	_, err = CrossValidate(ended, nodes, examples, nil)
	require.ErrorIs(t, err, cause)
}

func TestTrainRefuses(t *testing.T) {
	t.Parallel()
	nodes, examples := smallExamples()
	passages := examples[0].Passages
	for name, try := range map[string]func() error{
		"no nodes":      func() error { _, err := Train(t.Context(), nil, examples); return err },
		"a node twice":  func() error { _, err := Train(t.Context(), []string{"a", "a"}, examples); return err },
		"too few files": func() error { _, err := Train(t.Context(), nodes, examples[:4]); return err },
		"unknown label": func() error { _, err := Train(t.Context(), nodes[:1], examples); return err },
		"too few labels": func() error {
			_, err := Train(t.Context(), nodes, []Example{{Passages: passages}, {}, {}, {}, {}})
			return err
		},
		"too few to fold": func() error { _, err := CrossValidate(t.Context(), nodes, examples[:5], nil); return err },
	} {
		require.Error(t, try(), name)
	}
	_, err := Train(t.Context(), nodes, make([]Example, 5))
	require.Error(t, err, "no passages")
}

// TestEvaluateCounts checks the measures by hand, on two files of two passages.
func TestEvaluateCounts(t *testing.T) {
	t.Parallel()
	average, at80 := averagePrecision([]outcome{{0.9, true, 0}, {0.8, false, 0}, {0.7, true, 0}, {0.1, false, 0}}, 3, []int{1})
	require.InDelta(t, (1+2.0/3)/3, average, 1e-9)
	require.Zero(t, at80, "two of three are never four of five")
	_, at80 = averagePrecision([]outcome{{0.8, false, 0}, {0.7, true, 0}}, 1, []int{1})
	require.InDelta(t, 0.5, at80, 1e-9)

	bins, failure := reliability([]outcome{{0.95, true, 0}, {0.95, false, 0}, {0.001, true, 0}}, []int{1})
	require.Equal(t, 2, bins[9].Pairs)
	require.InDelta(t, 0.45, failure, 1e-6)

	average, at80 = averagePrecision([]outcome{{0.9, false, 1}, {0.8, true, 0}, {0.7, false, 2}, {0.6, true, 0}}, 4, []int{2, 1, 0})
	require.InDelta(t, (2*2.0/3+2*4.0/5)/4, average, 1e-9, "a file that is drawn twice counts twice, one that is not drawn not at all")
	require.InDelta(t, 4.0/5, at80, 1e-9)

	counts := learn.Tally{Hits: 2, Wrong: 1, Missed: 3}
	require.InDelta(t, 2.0/3, counts.Precision(), 1e-9)
	require.InDelta(t, 0.4, counts.Recall(), 1e-9)
	require.InDelta(t, 0.5, counts.F1(), 1e-9)
}

// TestIntervals draws files of which every other is labelled rightly.
func TestIntervals(t *testing.T) {
	t.Parallel()
	nodes, examples := smallExamples()
	m, err := Train(t.Context(), nodes, examples)
	require.NoError(t, err)
	for i := range examples {
		if i%2 == 1 {
			examples[i].Labels = [][]string{nil, {"governing_law"}, {"anti_assignment"}, nil}
		}
	}
	e := newEvaluation(nodes, []string{"governing_law"})
	for _, example := range examples {
		e.add(m, example)
	}
	told, v := e.metrics(), e.intervals()
	require.InDelta(t, 0.75, told.MicroF1, 1e-9)
	require.InDelta(t, told.MicroF1, v.MicroF1.Value, 1e-9)
	require.Less(t, v.MicroF1.Low, 0.72)
	require.Greater(t, v.MicroF1.High, 0.78)
	require.InDelta(t, told.MacroF1, v.MacroF1.Value, 1e-9)
	require.InDelta(t, told.AveragePrecision, v.AveragePrecision.Value, 1e-9)
	require.InDelta(t, told.CalibrationError, v.CalibrationError.Value, 1e-9)
	require.Equal(t, learn.Interval{Value: 1, Low: 1, High: 1}, v.PresenceF1, "what is right in each is right in all")
	require.Equal(t, learn.Interval{Value: 1, Low: 1, High: 1}, v.PresenceOfAll, "a wrong sentence of a file that has the node is no wrong file")
}

func TestParseModelRefuses(t *testing.T) {
	t.Parallel()
	for _, data := range [][]byte{nil, []byte("x"), []byte(format), baseBytes[:len(baseBytes)/2], baseBytes[1:], append([]byte(nil), append(baseBytes, 0)...)} {
		_, err := Parse(data)
		require.ErrorIs(t, err, learn.ErrModel)
	}
	damaged := append([]byte(nil), baseBytes...)
	damaged[len(damaged)/2] ^= 1
	_, err := Parse(damaged)
	require.ErrorIs(t, err, learn.ErrModel)
}

// FuzzParseModel feeds the parser bytes that pass the checksum. What it takes
// for a model can be used.
func FuzzParseModel(f *testing.F) {
	nodes, examples := smallExamples()
	m, err := Train(f.Context(), nodes, examples)
	require.NoError(f, err)
	data, err := m.AppendBinary(nil)
	require.NoError(f, err)
	f.Add(data[len(format) : len(data)-crc32.Size])
	team, _, err := m.Adapt(f.Context(), examples[:3])
	require.NoError(f, err)
	team = team.Corrected(examples[:3])
	data, err = team.AppendBinary(nil)
	require.NoError(f, err)
	f.Add(data[len(format) : len(data)-crc32.Size])
	f.Fuzz(func(t *testing.T, body []byte) {
		sealed := append([]byte(format), body...)
		sealed = binary.LittleEndian.AppendUint32(sealed, crc32.ChecksumIEEE(sealed))
		m, err := Parse(sealed)
		if err != nil {
			return
		}
		for _, p := range m.Predict(examples[0].Passages) {
			if math.IsNaN(p.NoClause) || p.NoClause < 0 || p.NoClause > 1 {
				t.Errorf("a probability of %v", p.NoClause)
			}
		}
		again, err := m.AppendBinary(nil)
		require.NoError(t, err)
		_, err = Parse(again)
		require.NoError(t, err)
	})
}

func BenchmarkPredict(b *testing.B) {
	base, err := Base()
	require.NoError(b, err)
	var files [][]Passage
	size, sentences := 0, 0
	for _, c := range nlptest.Contracts(b) {
		s := structure.Segment([]string{c.Text})
		passages := Passages(s, fact.Extract(s))
		files = append(files, passages)
		size += len(c.Text)
		sentences += len(passages)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, passages := range files {
			base.Predict(passages)
		}
	}
	b.ReportMetric(float64(sentences*b.N)/b.Elapsed().Seconds(), "sentences/s")
}

func BenchmarkParseModel(b *testing.B) {
	for b.Loop() {
		if _, err := Parse(baseBytes); err != nil {
			b.Fatal(err)
		}
	}
}

// TestAdapt teaches the base model a node it does not know and a habit it does
// not have, from ten decisions on each, among files of which the rest is not
// decided.
func TestAdapt(t *testing.T) {
	t.Parallel()
	base, err := Base()
	require.NoError(t, err)
	stranger := func(month string) Passage {
		return Passage{Text: "The Carrier shall report every delay of a shipment by radio before the end of " + month + ".", Heading: "Delays", Kind: structure.Paragraph}
	}
	law := Passage{Text: clauses["governing_law"], Heading: "Law", Kind: structure.Paragraph}
	insured := Passage{Text: clauses["insurance"], Heading: "Insurance", Kind: structure.Paragraph}
	var decisions []Example
	for _, month := range strings.Fields("January February March April May June July August September October") {
		decisions = append(decisions, Example{
			Passages: []Passage{law, stranger(month), insured, {Text: "The Carrier shall wash its vehicles.", Heading: "Vehicles", Kind: structure.Paragraph}},
			Labels:   [][]string{nil, {"delay"}, nil, nil},
			Decided:  []bool{false, true, true, true}, // insurance is no matter to this team
		})
	}
	team, told, err := base.Adapt(t.Context(), decisions)
	require.NoError(t, err)
	team = team.Corrected(decisions)
	require.Equal(t, append(base.Nodes(), "delay"), team.Nodes())
	require.Equal(t, []OwnLabel{{Node: "delay", Examples: 10, Learned: true, Found: 10}}, told)
	p := team.Predict([]Passage{law, stranger("November"), insured})
	require.Equal(t, "governing_law", first(p[0]), "what was not decided stays")
	require.Equal(t, "delay", first(p[1]))
	require.Empty(t, p[2].Labels)
	require.Equal(t, "insurance", first(base.Predict([]Passage{insured})[0]), "the base stays as it is")

	data, err := team.AppendBinary(nil)
	require.NoError(t, err)
	parsed, err := Parse(data)
	require.NoError(t, err)
	require.Equal(t, p, parsed.Predict([]Passage{law, stranger("November"), insured}))

	again, _, err := team.Adapt(t.Context(), decisions)
	require.NoError(t, err)
	same, err := again.Corrected(decisions).AppendBinary(nil)
	require.NoError(t, err)
	require.Equal(t, data, same, "a team model is adapted from its base")

	metrics := Evaluate(team, decisions)
	require.Equal(t, 30, metrics.Passages, "only decisions count")
	require.Equal(t, 10, metrics.Labels)
	require.InDelta(t, 1, metrics.MicroF1, 1e-9)

	_, _, err = base.Adapt(t.Context(), nil)
	require.Error(t, err)
	_, _, err = base.Adapt(t.Context(), []Example{{Passages: []Passage{law}}})
	require.Error(t, err)
	_, _, err = base.Adapt(t.Context(), []Example{{Passages: []Passage{law}, Labels: [][]string{nil}, Decided: []bool{false}}})
	require.Error(t, err)
}

func TestBaseMetrics(t *testing.T) {
	t.Parallel()
	m, err := BaseMetrics()
	require.NoError(t, err)
	require.Positive(t, m.Passages)
	for _, score := range []float64{m.MicroF1, m.Precision, m.Recall, m.MacroF1, m.AveragePrecision, m.PrecisionAt80, m.PresenceF1, m.FirstLabel, m.CalibrationError} {
		require.Positive(t, score)
	}
	card, err := os.ReadFile("base.md")
	require.NoError(t, err)
	require.Contains(t, string(card), fmt.Sprintf("| micro F1 | %.3f |", m.MicroF1), "the card tells the same")
	require.InDelta(t, 2*m.Precision*m.Recall/(m.Precision+m.Recall), m.MicroF1, 0.002)
	require.Greater(t, m.MicroF1, 0.66, "a model that labels worse is not shipped")
	require.Greater(t, m.AveragePrecision, 0.695)
	labels, nodes := 0, make([]string, len(m.PerNode))
	for i, node := range m.PerNode {
		nodes[i] = node.Node
		labels += node.Labels
	}
	require.Equal(t, m.Labels, labels)
	base, err := Base()
	require.NoError(t, err)
	require.Equal(t, base.Nodes(), nodes)
}
