package answer

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"
)

// What a model is told. Text of documents stands between tags that it cannot end.
var (
	//go:embed prompts/system.txt
	systemPrompt string
	//go:embed prompts/question.txt
	questionPrompt string
	//go:embed prompts/addressed.txt
	addressedText string

	questionTemplate = template.Must(template.New("question").Parse(questionPrompt))
)

// addressed are the patterns of texts that speak to a model.
var addressed = sync.OnceValue(func() []*regexp.Regexp {
	var all []*regexp.Regexp
	for line := range strings.Lines(addressedText) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
			all = append(all, regexp.MustCompile(line))
		}
	}
	return all
})

// addresses reports whether a text speaks to a model and not to the parties.
func addresses(text string) bool {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	return slices.ContainsFunc(addressed(), func(r *regexp.Regexp) bool { return r.MatchString(text) })
}

// Prompt is what a model is told to write an answer from quotes.
type Prompt struct {
	System, User string
	Withheld     int // quotes that address a model, and are not handed to one

	passages []passage
	asked    map[string]bool // stems of the question
}

// passage is a quote as a model gets it.
type passage struct {
	Number    int
	Section   string
	Text      string
	Fact      string // that was read from it
	Reference bool   // it is of the other document

	citation Citation
}

// Prompt asks a model to answer question out of the quotes of a, and nothing else. It has
// no passages where there is nothing to write from.
func (a Answer) Prompt(question string) Prompt {
	p := Prompt{System: systemPrompt, asked: stemsOf(question)}
	fileID := ""
	for _, said := range a.Sentences {
		for _, c := range said.Citations {
			if fileID == "" {
				fileID = c.FileID
			}
			same := func(other passage) bool { return other.citation.FileID == c.FileID && other.citation.Span == c.Span }
			at := slices.IndexFunc(p.passages, same)
			switch {
			case at < 0 && (addresses(c.Quote) || addresses(c.Section) || a.continues(c)):
				p.Withheld++
				continue
			case at < 0:
				at = len(p.passages)
				p.passages = append(p.passages, passage{Number: at + 1, Section: inert(c.Section), Text: inert(c.Quote), Reference: c.FileID != fileID, citation: c})
			}
			if fact := said.Text; a.Kind == Fact && !strings.HasPrefix(fact, "“") && !addresses(fact) && p.passages[at].Fact == "" {
				p.passages[at].Fact = inert(fact)
			}
		}
	}
	var b strings.Builder
	if err := questionTemplate.Execute(&b, map[string]any{"Passages": p.passages, "Question": inert(question)}); err != nil {
		panic(err) // the template has no calls that fail
	}
	p.User = b.String()
	return p
}

// continues reports whether a quote follows text that addresses a model, and may go on
// with it.
func (a Answer) continues(c Citation) bool {
	for _, d := range a.documents {
		at := d.sentenceAt(c.Span.Start)
		if d.FileID != c.FileID || at < 0 {
			continue
		}
		if slices.ContainsFunc(d.Sentences[max(0, at-2):at], func(s Sentence) bool { return addresses(s.Text) }) {
			return true
		}
	}
	return false
}

// Empty reports whether there is nothing that a model could write from.
func (p Prompt) Empty() bool { return len(p.passages) == 0 }

// inert is text on one line, without what begins or ends a tag or an attribute.
func inert(text string) string {
	return strings.NewReplacer("<", "‹", ">", "›").Replace(strings.ReplaceAll(strings.Join(strings.Fields(text), " "), `"`, "”"))
}
