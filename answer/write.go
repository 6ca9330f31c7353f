package answer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/clausemill/clausemill/nlp"
)

// Writer reads what a model writes to a Prompt, as it comes, and lets those sentences
// through whose proof holds.
type Writer struct {
	Dropped int // sentences without a proof that holds

	prompt   Prompt
	line     strings.Builder
	thinking bool
	said     int
}

// Writer reads an answer to p.
func (p Prompt) Writer() *Writer { return &Writer{prompt: p} }

const (
	// mostWritten bounds the sentences of an answer, and longestLine the characters of one
	// with its proof.
	mostWritten = 8
	longestLine = 2000
	// leastProof is how many words a proof has at least, unless it is the whole passage.
	leastProof = 3
	// leastShared is the share of the words of a sentence that its proof or the question
	// has.
	leastShared = 0.6
)

// Add takes the next piece of an answer, and gives the sentences that it completes.
func (w *Writer) Add(piece string) (list []Said) {
	for _, r := range piece {
		if r == '\n' || r == '\r' {
			list = append(list, w.End()...)
		} else if w.line.Len() < 4*longestLine {
			w.line.WriteRune(r)
		}
	}
	return list
}

// End gives the sentences of a last line without an end.
func (w *Writer) End() []Said {
	line := strings.TrimSpace(w.line.String())
	w.line.Reset()
	// Models that think aloud do so between these tags.
	if _, after, found := strings.Cut(line, "</think>"); found {
		line, w.thinking = strings.TrimSpace(after), false
	} else if strings.HasPrefix(line, "<think>") {
		w.thinking = true
	}
	if line == "" || w.thinking {
		return nil
	}
	return w.read(line)
}

var (
	proofs  = regexp.MustCompile(`\[\s*(\d{1,3})\s*:\s*["“”'](.*?)["“”']\s*\]`)
	bullets = regexp.MustCompile(`^(?:[-*•–]|\d{1,2}[.)])\s+`)
)

// read reads a line: sentences, each followed by its proof.
func (w *Writer) read(line string) (list []Said) {
	if strings.Trim(line, ".\"") == "NOTHING" {
		return nil
	}
	line = bullets.ReplaceAllString(line, "")
	at := 0
	var text string
	var cited []passage
	whole := true
	flush := func() {
		if text = strings.Trim(text, " .,;*"); text == "" {
			return
		}
		sentences := sentencesIn(text)
		w.Dropped += len(sentences) - 1 // only the last one has the proof
		last := sentences[len(sentences)-1]
		if !whole || len(cited) == 0 || w.said == mostWritten || len(last) > longestLine || !w.prompt.holds(last, cited) {
			w.Dropped++
		} else {
			s := Said{Text: strings.TrimRight(last, " .") + "."}
			for _, p := range cited {
				s.Citations = append(s.Citations, p.citation)
			}
			list = append(list, s)
			w.said++
		}
		text, cited, whole = "", nil, true
	}
	for _, found := range proofs.FindAllStringSubmatchIndex(line, -1) {
		if before := line[at:found[0]]; strings.Trim(before, " .,;") != "" {
			flush()
			text = before
		}
		at = found[1]
		if p, ok := w.prompt.proof(line[found[2]:found[3]], line[found[4]:found[5]]); ok {
			cited = append(cited, p)
		} else {
			whole = false
		}
	}
	flush()
	if text = strings.Trim(line[at:], " .,;*"); text != "" {
		cited = nil
		flush()
	}
	return list
}

// sentencesIn are the sentences of a line; one at least.
func sentencesIn(text string) []string {
	s := nlp.Segment([]string{text})
	if len(s.Sentences) == 0 {
		return []string{text}
	}
	list := make([]string, len(s.Sentences))
	for i, sentence := range s.Sentences {
		list[i] = s.Plain(sentence.Span)
	}
	return list
}

// proof is the passage with a number, if it has the words.
func (p Prompt) proof(number, words string) (passage, bool) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(p.passages) {
		return passage{}, false
	}
	one := p.passages[n-1]
	proof, all := nlp.Squash(words), nlp.Squash(one.citation.Quote)
	if proof == "" || len(strings.Fields(words)) < leastProof && proof != all {
		return passage{}, false
	}
	return one, strings.Contains(all, proof)
}

// holds reports whether the passages that a sentence cites can be its ground: they have its
// numbers and names, most of its words, and deny what it denies.
func (p Prompt) holds(sentence string, cited []passage) bool {
	if addresses(sentence) {
		return false
	}
	var ground strings.Builder
	for _, c := range cited {
		ground.WriteString(c.citation.Quote + " " + c.Fact + " ")
	}
	known, stemmer := stemsOf(ground.String()), nlp.Stemmer{}
	has := numbersIn(ground.String())
	for n := range numbersIn(sentence) {
		if !has[n] {
			return false
		}
	}
	shared, all := 0, 0
	for i, word := range strings.FieldsFunc(sentence, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’' }) {
		for _, part := range wordsOf(word) {
			if grammar[part] || negations[part] || numerals[part] != "" {
				continue
			}
			stem := stemmer.Stem(part)
			all++
			switch {
			case known[stem] || p.asked[stem]:
				shared++
			case i > 0 && unicode.IsUpper([]rune(word)[0]): // a name that stands nowhere
				return false
			}
		}
	}
	return float64(shared) >= leastShared*float64(all) && agree(sentence, ground.String())
}

// stemsOf are the stems of the words of a text that are not grammar.
func stemsOf(text string) map[string]bool {
	set, stemmer := map[string]bool{}, nlp.Stemmer{}
	for _, word := range wordsOf(text) {
		if !grammar[word] {
			set[stemmer.Stem(word)] = true
		}
	}
	return set
}

var numerals = func() map[string]string {
	m := map[string]string{"hundred": "100", "thousand": "1000", "million": "million", "billion": "billion", "once": "1", "twice": "2"}
	for i, word := range strings.Fields("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty") {
		m[word] = strconv.Itoa(i + 1)
	}
	for i, word := range strings.Fields("thirty forty fifty sixty seventy eighty ninety") {
		m[word] = strconv.Itoa(30 + 10*i)
	}
	return m
}()

var (
	digits  = regexp.MustCompile(`\d[\d,.]*`)
	isoDate = regexp.MustCompile(`\b\d{4}-(\d\d)-\d\d\b`)
)

// numbersIn are the numbers of a text, in digits or words, each in one form.
func numbersIn(text string) map[string]bool {
	set := map[string]bool{}
	for _, n := range digits.FindAllString(isoDate.ReplaceAllStringFunc(text, func(date string) string { return strings.ReplaceAll(date, "-", " ") }), -1) {
		n = strings.TrimLeft(strings.ReplaceAll(strings.TrimRight(n, ".,"), ",", ""), "0")
		if before, after, found := strings.Cut(n, "."); found && strings.Trim(after, "0") == "" {
			n = before
		}
		set[n] = true
	}
	for _, word := range wordsOf(text) {
		if n := numerals[word]; n != "" {
			set[n] = true
		}
	}
	return set
}

// negations are words that deny, and limiting those that go with them in what they
// qualify.
var (
	negations = wordSet(`no not none never neither nor nothing nobody without cannot`)
	limiting  = wordSet(`needs need requires require required requiring subject unless except excluding only prohibited prohibit prohibits forbidden void waives waive waived excluded exclude excludes deny denied refuse terminate terminates terminated expire expires non free absent absence exempt exclusive exclusively less fewer`)

	// denied is what a clause forbids or denies; bounded is an upper bound in the same form.
	denied = regexp.MustCompile(`(?i)\b(may|shall|will|must|can|could|should|would|does|do|did|is|are|was|were|has|have)\s+not\b|\bcannot\b|\bneither\b|\bnor\b|\bno\s+(party|right|obligation|liability|license|licence)\b|\bin no event\b|\bnever\b`)
	// unbounded is what says that there is no bound.
	unbounded = regexp.MustCompile(`(?i)\bunlimited\b|\buncapped\b|\b(no|without|without any) (limits?|limitations?|caps?)\b|\bnot (be )?(limited|capped)\b`)
	bounded   = regexp.MustCompile(`(?i)\b(exceed\w*|greater|more than|less than|later than|limited to|earlier than|prior to)\b`)
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// agree reports whether a sentence denies where its ground does, and only there.
func agree(sentence, ground string) bool {
	has := func(text string, sets ...map[string]bool) bool {
		return slices.ContainsFunc(wordsOf(text), func(word string) bool {
			return slices.ContainsFunc(sets, func(set map[string]bool) bool { return set[word] })
		})
	}
	if unbounded.MatchString(sentence) && !unbounded.MatchString(ground) {
		return false
	}
	if has(sentence, negations) && !has(ground, negations, limiting) {
		return false
	}
	return !denied.MatchString(ground) || bounded.MatchString(ground) || has(sentence, negations, limiting)
}
