package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clausemill/clausemill/nlp"
)

// Document is a file as answers are made of it.
type Document struct {
	FileID    string
	Sentences []Sentence
	Facts     []Read

	index   index
	offsets *nlp.Offsets // of the canonical text, which spans are of
	length  int          // of it, in code points
}

// Section is one of a document; those inside another follow it.
type Section struct {
	nlp.Span

	Number, Title string
}

// NewDocument is a file with its canonical text, and puts its sentences under the titles of
// sections.
func NewDocument(fileID, text string, sentences []Sentence, sections []Section, facts []Read) *Document {
	for _, section := range sections {
		first, _ := slices.BinarySearchFunc(sentences, section.Start, func(s Sentence, at int) int { return cmp.Compare(s.End, at+1) })
		for i := first; i < len(sentences) && sentences[i].Start < section.End && section.Title != ""; i++ {
			sentences[i].Heading = strings.TrimSpace(section.Number + " " + section.Title)
		}
	}
	return &Document{fileID, sentences, facts, newIndex(sentences), nlp.NewOffsets(text), utf8.RuneCountInString(text)}
}

// Sentence is one of a document, in its order.
type Sentence struct {
	nlp.Span

	ID      string
	Page    int
	Text    string // on one line
	Heading string // of the section that it is in; NewDocument sets it
	Labels  []Label
}

// Label is a label that a sentence has, or the one that came closest.
type Label struct {
	Node    string
	Score   float64 // 1 where a person gave it
	Closest bool    // the sentence does not have it
}

// Read is a fact of a document.
type Read struct {
	Key        string
	Value      string // as it is shown
	Confidence float64
	Places     []Place // the best first
}

// Place is where a fact was read.
type Place struct {
	nlp.Span

	Page  int
	Quote string
}

// Citation is a quote with its place. The text of the file has Quote at Span.
type Citation struct {
	FileID     string
	SentenceID string // that the quote begins in
	Span       nlp.Span
	Page       int
	Section    string // its number and title; "" where there is none
	Quote      string
}

// Said is one sentence of an answer with what supports it.
type Said struct {
	Text      string
	Citations []Citation
}

// Answer is what a document says to a question.
type Answer struct {
	Kind      Kind
	Topics    []string
	Found     bool
	Sentences []Said
	Nearest   []Citation
	More      int // further differences

	Understood []string // of a question about many documents

	Model   string // that wrote Written; "" where only quotes answer
	Written []Said // out of the quotes, each sentence checked
	Notice  string // what is to be known of the answer: that the document has none of the words, or why no model wrote

	documents []*Document // that it was made of
}

// Message is the answer as the text of a message.
func (a Answer) Message() string {
	if a.Kind == Many {
		return "This asks for many documents. Understood: " + strings.Join(a.Understood, "; ")
	}
	var b strings.Builder
	for _, s := range a.Written {
		b.WriteString(s.Text + s.where() + "\n")
	}
	if len(a.Written) > 0 {
		b.WriteString("\nWritten by the language model " + a.Model + " from these passages:\n")
	}
	for _, s := range a.Sentences {
		b.WriteString(s.Text)
		if a.Kind != Difference && !strings.HasPrefix(s.Text, "“") { // a fact
			b.WriteString(": " + quotation(s.Citations[0].Quote))
		}
		b.WriteString(s.where())
		b.WriteByte('\n')
	}
	if !a.Found {
		b.WriteString(a.nothing())
	}
	for i, near := range a.Nearest {
		if i == 0 {
			b.WriteString("\nThe nearest passages:\n")
		}
		b.WriteString(quotation(near.Quote) + Said{Citations: []Citation{near}}.where() + "\n")
	}
	if a.Notice != "" {
		b.WriteString("\n" + a.Notice + "\n")
	}
	return strings.TrimSpace(b.String())
}

// nothing says that nothing was found.
func (a Answer) nothing() string {
	if a.Kind == Difference {
		return "The documents do not differ in this."
	}
	return "Nothing in this document says so."
}

// where is the page and section of the first quote of s.
func (s Said) where() string {
	first := s.Citations[0]
	if first.Section == "" {
		return fmt.Sprintf(" (page %d)", first.Page)
	}
	return fmt.Sprintf(" (page %d, %s)", first.Page, first.Section)
}

const (
	// sure is the confidence from which a fact does.
	sure = 0.5
	// mostPassages, mostJoined and mostNearest bound what is quoted: passages, sentences of
	// one, and what is near where nothing answers.
	mostPassages = 5
	mostJoined   = 4
	// enough is how many passages and facts are quoted before those are left out that do not
	// answer by themselves.
	enough      = 3
	mostNearest = 3
	// mostQuoted is how many characters of a sentence are quoted for a fact that stands in it.
	mostQuoted = 700
)

// Answer quotes what d says to q, about one document.
func (d *Document) Answer(q Question) Answer {
	a := Answer{Kind: q.Kind, Topics: q.names(), Sentences: []Said{}, Nearest: []Citation{}, documents: []*Document{d}}
	quoted := map[int]bool{}
	if q.Kind == Fact {
		a.Sentences = append(a.Sentences, d.facts(q, quoted)...)
	}
	ranked := q.rank(d)
	for _, p := range d.passages(ranked, q, quoted) {
		p = slices.DeleteFunc(p, func(sentence int) bool { return quoted[sentence] })
		if said := d.quote(p); len(said.Citations) > 0 && len(a.Sentences) < mostPassages {
			a.Sentences = append(a.Sentences, said)
		}
	}
	if a.Found = len(a.Sentences) > 0; !a.Found {
		if q.Kind == Passages && len(ranked) == 0 { // they may be of another language
			a.Notice = "It has none of the words of the question: ask in its language, or in other words."
		} else if q.foreign {
			a.Notice = "Questions are read in English; of others only the words are looked for."
		}
		for _, s := range ranked[:min(mostNearest, len(ranked))] {
			a.Nearest = append(a.Nearest, d.quote([]int{s.sentence}).Citations...)
		}
	}
	return a
}

func (q Question) names() []string {
	names := make([]string, len(q.Topics))
	for i, t := range q.Topics {
		names[i] = t.Name
	}
	return names
}

// facts says the facts that q asks for, those of the first key that has any, and notes the
// sentences that they are quoted from.
func (d *Document) facts(q Question, quoted map[int]bool) (all []Said) {
	for _, topic := range q.Topics {
		for _, key := range topic.Keys {
			before := len(all)
			for _, fact := range d.Facts {
				if fact.Key != key || fact.Confidence < sure || len(fact.Places) == 0 {
					continue
				}
				sentence := d.sentenceAt(fact.Places[0].Start)
				if c, ok := d.cite(fact.Places[0], sentence); ok {
					all = append(all, Said{topic.title(key) + ": " + fact.Value, []Citation{c}})
					quoted[sentence] = true
				}
			}
			if len(all) > before {
				break
			}
		}
	}
	return all
}

// passages joins ranked sentences that follow each other under one heading, the passage of
// the best first: those that answer q, and where any or a fact does, up to enough with the next.
func (d *Document) passages(ranked []scored, q Question, quoted map[int]bool) (list [][]int) {
	said := len(quoted)
	for _, s := range ranked {
		answers := s.score >= q.border()
		if !answers && (said == 0 || said >= enough || s.score < q.further()) {
			break
		}
		at := slices.IndexFunc(list, func(p []int) bool {
			next := s.sentence == p[0]-1 || s.sentence == p[len(p)-1]+1
			return answers && next && len(p) < mostJoined && d.Sentences[p[0]].Heading == d.Sentences[s.sentence].Heading
		})
		switch {
		case at >= 0 && s.sentence < list[at][0]:
			list[at] = slices.Insert(list[at], 0, s.sentence)
		case at >= 0:
			list[at] = append(list[at], s.sentence)
		case len(list) < mostPassages:
			list = append(list, []int{s.sentence})
			if !quoted[s.sentence] {
				said++
			}
		}
	}
	return list
}

// quote quotes sentences one by one.
func (d *Document) quote(sentences []int) (s Said) {
	var texts []string
	for _, i := range sentences {
		if c, ok := d.cite(Place{Span: d.Sentences[i].Span, Page: d.Sentences[i].Page}, i); ok {
			s.Citations = append(s.Citations, c)
			texts = append(texts, d.Sentences[i].Text)
		}
	}
	s.Text = quotation(strings.Join(texts, " "))
	return s
}

// quotation is a quote on one line, in quotation marks.
func quotation(quote string) string { return "“" + strings.Join(strings.Fields(quote), " ") + "”" }

// NewLabel is a label that a sentence has: a person gave it, or a model with a score.
func NewLabel(node string, score *float32, byPerson bool) Label {
	if score == nil || byPerson {
		return Label{Node: node, Score: 1}
	}
	return Label{Node: node, Score: float64(*score)}
}

// NewClosest is the label that came closest where a sentence has none.
func NewClosest(node string, score *float32) Label {
	l := NewLabel(node, score, false)
	l.Closest = true
	return l
}

// OfMany is the answer to a question about many documents, by what was understood of it.
func OfMany(understood []string) Answer {
	return Answer{
		Kind: Many, Topics: []string{}, Found: true, Nearest: []Citation{},
		Sentences:  []Said{},
		Understood: understood,
	}
}
