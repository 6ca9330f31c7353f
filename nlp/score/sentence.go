package score

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/clausemill/clausemill/nlp"
)

// partial are the categories whose annotations are names, dates and phrases;
// those of all others are sentences.
var partial = map[string]bool{
	"Document Name": true, "Parties": true, "Agreement Date": true, "Effective Date": true, "Expiration Date": true,
	"Renewal Term": true, "Notice Period to Terminate Renewal": true, "Governing Law": true,
}

// leadingNumber is a number that opens a section. It may lie in an annotated
// clause or before it.
var leadingNumber = regexp.MustCompile(`^\s*(?:(?:(?i:article|section)\s+)?(?:\(?[0-9a-zA-Z]{1,4}[.)]|\d+(?:\.\d+)+\.?|[IVXLC]+\.?)\)?\s+)+`)

// Edges are how many annotated clauses begin and end where sentences do. More
// sentences raise the shares by themselves, so their number belongs to them.
type Edges struct {
	Both      Share
	Sentences int
}

// Edges compares the ends of sentences with those of annotated clauses that are on one
// line of the text.
func (c *Corpus) Edges() Edges {
	var all Edges
	for _, contract := range c.Contracts {
		text := contract.Text.Text
		starts, ends := map[int]bool{}, map[int]bool{}
		for _, s := range contract.Text.Sentences {
			starts[s.Start], ends[s.End] = true, true
			starts[s.Start+numberLength(s.Text)] = true
		}
		all.Sentences += len(contract.Text.Sentences)
		offsets := nlp.NewOffsets(text)
		for category, quotes := range contract.Clauses {
			if partial[category] {
				continue
			}
			for _, quote := range quotes {
				for part := range strings.SplitSeq(quote, "<omitted>") {
					at := find(text, part)
					if at == nil || strings.Contains(text[at[0]:at[1]], "\n") {
						continue
					}
					start, end := offsets.CodePoint(at[0]), offsets.CodePoint(at[1])
					all.Both.add((starts[start] || starts[start+numberLength(text[at[0]:at[1]])]) && ends[end])
				}
			}
		}
	}
	return all
}

func numberLength(s string) int { return utf8.RuneCountInString(leadingNumber.FindString(s)) }

// find returns the first place of words in text, with any white space between them,
// or nil.
func find(text, words string) []int {
	fields := strings.Fields(words)
	if len(fields) == 0 {
		return nil
	}
	for i, word := range fields {
		fields[i] = regexp.QuoteMeta(word)
	}
	return regexp.MustCompile(strings.Join(fields, `\s+`)).FindStringIndex(text)
}
