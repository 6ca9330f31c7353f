package link

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
)

// Term is a word or a name to which a document gives a meaning of its own.
type Term struct {
	Name        string       `json:"name"`        // as first defined, on one line
	Document    int          `json:"document"`    // index of the document that defines it
	Definitions []Definition `json:"definitions"` // in order; more than one where it is defined again
	// Uses are the other places where it is written, in order, in plural and in
	// capitals, too. In a document with a definition of its own that one counts;
	// elsewhere the first of the file.
	Uses []lex.Span `json:"uses,omitempty"`
}

// Definition is a place that gives a term its meaning.
type Definition struct {
	Term     lex.Span       `json:"term"` // the name, without its quotes
	lex.Span                // the words that define it: its numbered section or paragraph where the term opens it, else the sentence
	Kind     DefinitionKind `json:"kind"`
	Section  int            `json:"section"` // ordinal of the innermost section, -1 where there is none
}

// DefinitionKind is the way a definition is written.
type DefinitionKind string

// The closed set of kinds.
const (
	Meaning   DefinitionKind = "meaning"    // "X" means …
	ShortName DefinitionKind = "short_name" // … (the "X"), hereinafter "X"
)

const (
	// longestTerm bounds the name of a term, in bytes.
	longestTerm = 100
	// mostTermWords bounds it in words.
	mostTermWords = 10
	// longestLead bounds what is in brackets before a short name, in bytes:
	// "together with its successors and permitted assigns, collectively, the".
	longestLead = 120
)

// quotation is a quoted name: the words, and the quotes with them.
type quotation struct{ name, whole lex.Extent }

// termFinder collects the terms of one segmentation.
type termFinder struct {
	s        *structure.Segmentation
	terms    []Term
	known    map[termKey]int // index of the term
	block    structure.Block
	document int
	sentence int // the first one that ends behind the place looked at last
}

// termKey is what a term is known by.
type termKey struct {
	name     string
	document int
}

// Terms finds the defined terms of every document, in the order of their first
// definitions, and where they are used.
func Terms(s *structure.Segmentation) []Term {
	f := termFinder{s: s, known: map[termKey]int{}}
	for i, d := range s.Documents {
		f.document = i
		for _, b := range d.Blocks {
			if !b.Contents {
				f.block = b
				f.findDefinitions(lex.Extent{Start: s.Offsets.Byte(b.Start), End: s.Offsets.Byte(b.End)})
			}
		}
	}
	f.findUses()
	return f.terms
}

// findDefinitions adds the definitions in one block.
func (f *termFinder) findDefinitions(block lex.Extent) {
	text := f.s.Text[:block.End]
	if e, ok := plainDefinition(text, block); ok {
		f.define(e, block, Meaning)
	}
	for at := block.Start; at < block.End; {
		q, next := nextQuotation(text, block.Start, at)
		if next <= at {
			return
		}
		at = next
		if q.name.Start == q.name.End {
			continue
		}
		switch {
		case meansBehind(text, q.whole), opensDefinition(text, block, q.whole):
			f.define(q.name, block, Meaning)
		case isShortName(text, block.Start, q.whole):
			f.define(q.name, block, ShortName)
		}
	}
}

// nextQuotation returns the first quoted name of text that opens at or behind
// at, and where to look on. The name is empty where the quotes hold something
// else.
func nextQuotation(text string, start, at int) (q quotation, next int) {
	open := quoteAt(text, at)
	if open < 0 {
		return q, -1
	}
	from := open + 1
	closer := "\""
	if text[open] != '"' {
		from, closer = open+len("“"), "”"
	} else if open > start && !opensQuote(text[open-1]) {
		return q, from
	}
	length := strings.IndexAny(text[from:min(len(text), from+longestTerm+len(closer))], "\"“”")
	if length <= 0 {
		return q, from
	}
	end := from + length
	if !strings.HasPrefix(text[end:], closer) && closer == "”" && text[end] != '"' {
		return q, from // another quote opens
	}
	whole := lex.Extent{Start: open, End: end + 1}
	if text[end] != '"' {
		whole.End = end + len("”")
	}
	e := lex.Trim(text, lex.Extent{Start: from, End: end})
	for e.Start < e.End && (strings.IndexByte(",;:", text[e.End-1]) >= 0 || text[e.End-1] == '.' && strings.Count(text[e.Start:e.End], ".") == 1) {
		e.End--
	}
	if isTermName(text[e.Start:e.End]) {
		q = quotation{e, whole}
	}
	return q, whole.End
}

// quoteAt returns where the first quote that can open is at or behind at, or
// -1.
func quoteAt(text string, at int) int {
	for i := at; i < len(text); i++ {
		if c := text[i]; c == '"' || c == "“"[0] && strings.HasPrefix(text[i:], "“") {
			return i
		}
	}
	return -1
}

// opensQuote reports whether a straight quote behind c opens.
func opensQuote(c byte) bool { return lex.ASCIISpace[c] || strings.IndexByte("([{/-", c) >= 0 }

// isTermName reports whether s can be the name of a term.
func isTermName(s string) bool {
	if !lex.HasLetter(s) || strings.ContainsAny(s, "\"“”") || strings.Count(s, " ") >= mostTermWords {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("$§(", r)
}

// meaningVerbs follow a term that they define.
var meaningVerbs = []string{
	"means", "mean", "shall mean", "will mean", "shall each mean", "has the meaning", "have the meaning", "has the respective meaning", "has the same meaning",
	"shall have the meaning", "shall have the definition", "shall have the same meaning", "shall have the respective meaning", "will have the meaning",
	"is defined", "are defined", "shall be defined", "includes", "shall include", "refers to", "refer to", "shall refer to", "is used to", "when used", "as used",
}

// betweenNames are the words between two names of one meaning.
var betweenNames = lex.Set("or and and/or a an the term terms word words each also any respectively in this agreement herein section its plural singular correlative with meanings")

// meansBehind reports whether the quotation e is followed by a verb that gives
// it a meaning, other names of the same meaning left aside.
func meansBehind(text string, e lex.Extent) bool {
	const reach = 240 // bytes of further names
	rest := text[e.End:min(len(text), e.End+reach)]
	for {
		rest = strings.TrimLeft(rest, " \t\n\f\u00a0,:)")
		switch {
		case opensWithVerb(rest):
			return true
		case strings.HasPrefix(rest, "("): // "X" (or "Y") means
			rest = rest[1:]
		case strings.HasPrefix(rest, "\"") || strings.HasPrefix(rest, "“"):
			q, next := nextQuotation(rest, 0, 0)
			if q.name.Start == q.name.End {
				return false
			}
			rest = rest[next:]
		default:
			word := lex.WordAt(rest)
			if word == "" || !betweenNames[strings.ToLower(word)] {
				return false
			}
			rest = rest[len(word):]
		}
	}
}

// opensDefinition reports whether the quotation e is what its block is about:
// all that is before it is a number, or the meaning follows later.
func opensDefinition(text string, block, e lex.Extent) bool {
	const reach = 120 // bytes up to the verb
	number := lex.NumberAt(text[block.Start:])
	if block.Start+number.End != e.Start || e.End == block.End {
		return false
	}
	return number.Form == lex.Decimal || strings.Contains(text[e.End:min(block.End, e.End+reach)], " mean")
}

func opensWithVerb(s string) bool {
	for _, verb := range meaningVerbs {
		if rest, ok := cutWords(s, verb); ok && (rest == "" || !lex.IsLetter(rest[0])) {
			return true
		}
	}
	return false
}

// cutWords cuts words, with any white space between them, from the start of s.
func cutWords(s, words string) (rest string, ok bool) {
	for word := range strings.SplitSeq(words, " ") {
		s = s[lex.SpaceAt(s):]
		if s, ok = strings.CutPrefix(s, word); !ok {
			return s, false
		}
	}
	return s, true
}

// plainDefinition finds the name at the start of a block that is defined
// without quotes, which print sets in bold: "UK Listing Authority means the FCA".
func plainDefinition(text string, block lex.Extent) (lex.Extent, bool) {
	e := block
	e.Start += lex.NumberAt(text[e.Start:]).End
	for at, words := e.Start, 0; words < mostTermWords && at < min(e.End, e.Start+longestTerm); words++ {
		if words > 0 {
			for _, verb := range []string{"means", "shall mean"} {
				if rest, ok := cutWords(text[at:], verb); ok && rest != "" && strings.IndexByte(" \n\t:,", rest[0]) >= 0 {
					e = lex.Trim(text, lex.Extent{Start: e.Start, End: at})
					return e, isTermName(text[e.Start:e.End]) && lex.StartsUpper(text[e.Start:e.End])
				}
			}
		}
		from := at
		for at < e.End && !lex.ASCIISpace[text[at]] {
			at++
		}
		word := text[from:at]
		if r, _ := utf8.DecodeRuneInString(word); !unicode.IsUpper(r) && !structure.Connectors[word] && !lex.IsDigit(word[0]) || strings.HasSuffix(word, ".") || structure.TitleClosers[word] {
			return e, false
		}
		for at < e.End && lex.ASCIISpace[text[at]] {
			at++
		}
	}
	return e, false
}

// leads are the words that come before a short name in brackets.
var leads = lex.Set(`the a an each such every any all both collectively individually together jointly severally singly hereinafter hereafter herein hereunder referred to as called
	known being sometimes and or also in this agreement of defined its their with respectively either one may be is are for purposes shall term where applicable generally`)

// isShortName reports whether the quotation e gives a short name to what stands
// before it: in brackets, or behind "hereinafter".
func isShortName(text string, start int, e lex.Extent) bool {
	from := max(start, e.Start-longestLead)
	before := text[from:e.Start]
	bracket := strings.LastIndexAny(before, "([")
	if bracket >= 0 && strings.IndexByte(before[bracket:], ')') < 0 {
		lead := before[bracket+1:]
		if strings.TrimSpace(lead) == "" {
			return closesBracket(text[e.End:])
		}
		return isLead(lead) || endsClause(lead) || isHereinafter(lead)
	}
	return isHereinafter(before)
}

// closesBracket reports whether what follows a quotation that opened a bracket
// closes it or names another, and does not continue with a sentence.
func closesBracket(s string) bool {
	s = s[lex.SpaceAt(s):]
	if s == "" {
		return false
	}
	if strings.IndexByte(")],;.", s[0]) >= 0 {
		return true
	}
	word := lex.WordAt(s)
	return word == "or" || word == "and" || word == "herein" || word == "hereinafter" || word == "as" || word == "collectively" || word == "in"
}

// endsClause reports whether s closes with an article behind a comma: "any such
// change, a".
func endsClause(s string) bool {
	comma := strings.LastIndexByte(s, ',')
	return comma > 0 && articles[strings.TrimSpace(s[comma+1:])]
}

var articles = lex.Set("a an the this each such")

// isLead reports whether s is made of the words that come before a short name,
// names in quotes among them.
func isLead(s string) bool {
	quoted := false
	for word := range strings.FieldsSeq(s) {
		opens := strings.HasPrefix(word, "\"") || strings.HasPrefix(word, "“")
		closes := strings.ContainsAny(strings.TrimLeft(word, "\"“"), "\"”")
		if quoted || opens {
			quoted = !closes
			continue
		}
		if bare := strings.Trim(word, ",:;"); bare != "" && !leads[strings.ToLower(bare)] {
			return false
		}
	}
	return true
}

// isHereinafter reports whether s closes with words that announce a name:
// "hereinafter", "referred to individually as a". Names announced before do not
// count.
func isHereinafter(s string) bool {
	const reach = 12 // words
	as := false
	words := strings.Fields(s)
	for _, word := range slices.Backward(words[max(0, len(words)-reach):]) {
		switch word = strings.ToLower(strings.Trim(word, "(,:")); {
		case strings.ContainsAny(word, "\"“”"):
		case word == "hereinafter" || word == "hereafter" || as && (word == "referred" || word == "known" || word == "defined") || word == "called":
			return true
		case !leads[word]:
			return false
		case word == "as":
			as = true
		}
	}
	return false
}

// define adds a definition of the name e.
func (f *termFinder) define(e, block lex.Extent, kind DefinitionKind) {
	s := f.s
	d := Definition{Term: s.SpanOf(e), Kind: kind, Span: f.block.Span}
	d.Section = s.SectionAt(d.Term.Start)
	opens := e.Start-block.Start-lex.NumberAt(s.Text[block.Start:block.End]).End <= len("the term “")
	if kind == Meaning && opens {
		if d.Section >= 0 && s.Sections[d.Section].Block == f.block.Ordinal {
			d.Span = s.Sections[d.Section].Span
		}
	} else {
		for f.sentence < len(s.Sentences) && s.Sentences[f.sentence].End <= d.Term.Start {
			f.sentence++
		}
		if f.sentence < len(s.Sentences) && s.Sentences[f.sentence].Start <= d.Term.Start && d.Term.End <= s.Sentences[f.sentence].End {
			d.Span = s.Sentences[f.sentence].Span
		}
	}
	name := lex.Unwrap(s.Text[e.Start:e.End])
	key := termKey{name, f.document}
	at, ok := f.known[key]
	if !ok {
		at = len(f.terms)
		f.known[key] = at
		f.terms = append(f.terms, Term{Name: name, Document: f.document})
	}
	t := &f.terms[at]
	if n := len(t.Definitions); n == 0 || t.Definitions[n-1].Term.Start < d.Term.Start {
		t.Definitions = append(t.Definitions, d)
	}
}

// findUses fills in where the terms are used.
func (f *termFinder) findUses() {
	if len(f.terms) == 0 {
		return
	}
	words := newNameTree(f.terms)
	defined := map[int]bool{} // by code point, where a definition writes the name
	for _, t := range f.terms {
		for _, d := range t.Definitions {
			defined[d.Term.Start] = true
		}
	}
	for i, d := range f.s.Documents {
		for _, b := range d.Blocks {
			if b.Contents {
				continue
			}
			end := f.s.Offsets.Byte(b.End)
			text := f.s.Text[:end]
			for at := f.s.Offsets.Byte(b.Start); at < end; {
				name, length := words.longest(text[at:])
				if length == 0 {
					at = nextWord(text, at)
					continue
				}
				use := f.s.SpanOf(lex.Extent{Start: at, End: at + length})
				if !defined[use.Start] {
					t := &f.terms[f.meant(name, i)]
					t.Uses = append(t.Uses, use)
				}
				at = nextWord(text, at+length-1)
			}
		}
	}
}

// meant returns the index of the term that a name stands for in a document.
func (f *termFinder) meant(first, document int) int {
	if own, ok := f.known[termKey{f.terms[first].Name, document}]; ok {
		return own
	}
	return first
}

// nextWord returns where the word behind the one at i begins.
func nextWord(text string, i int) int { return skip(text, skip(text, i, true), false) }

// skip returns the end of the part of text at i that is a word, or that is none.
func skip(text string, i int, word bool) int {
	for i < len(text) {
		c, size := text[i], 1
		is := lex.IsLetter(c) || lex.IsDigit(c)
		if c >= utf8.RuneSelf {
			if size = wordSize(text[i:]); size > 0 {
				is = true
			} else {
				_, size = lex.DecodeRune(text[i:])
			}
		}
		if is != word {
			return i
		}
		i += size
	}
	return i
}

// wordSize returns the length of the letter, digit or section sign that s opens
// with, or 0.
func wordSize(s string) int {
	if s == "" {
		return 0
	}
	if s[0] < utf8.RuneSelf {
		if lex.IsLetter(s[0]) || lex.IsDigit(s[0]) {
			return 1
		}
		return 0
	}
	r, size := utf8.DecodeRuneInString(s)
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '§' {
		return size
	}
	return 0
}

// nameTree finds the longest of many names at a place of a text.
type nameTree struct {
	roots [256]int32
	nodes []nameNode // the first is none
}

type nameNode struct {
	byte        byte
	next, child int32 // sibling and first child, 0 where there is none
	term        int32 // index of the term whose name ends here, plus one
}

// newNameTree makes the tree of the names of terms, the first of each name, in
// plural, singular and capitals where that is no other term's name.
func newNameTree(terms []Term) *nameTree {
	tree := &nameTree{nodes: make([]nameNode, 1, 64*len(terms)+1)}
	for i, t := range terms {
		tree.add(t.Name, i)
	}
	for i, t := range terms {
		forms := []string{t.Name, t.Name + "s", t.Name + "es"}
		if stem, ok := strings.CutSuffix(t.Name, "y"); ok {
			forms = append(forms, stem+"ies")
		}
		if stem, ok := strings.CutSuffix(t.Name, "s"); ok && len(stem) > 3 && !strings.HasSuffix(stem, "s") {
			forms = append(forms, stem)
		}
		for _, form := range forms {
			tree.add(form, i)
			if len(t.Name) > 3 {
				tree.add(strings.ToUpper(form), i)
			}
		}
	}
	return tree
}

// add adds a name unless it is there.
func (t *nameTree) add(name string, term int) {
	at := &t.roots[name[0]]
	for i := range len(name) {
		for *at != 0 && t.nodes[*at].byte != name[i] {
			at = &t.nodes[*at].next
		}
		if *at == 0 {
			made := int32(len(t.nodes))
			*at = made // before the nodes may move
			t.nodes = append(t.nodes, nameNode{byte: name[i]})
		}
		if node := &t.nodes[*at]; i+1 < len(name) {
			at = &node.child
		} else if node.term == 0 {
			node.term = int32(term) + 1
		}
	}
}

// longest returns the term with the longest name that text opens with, and the
// bytes that takes; line breaks count as blanks.
func (t *nameTree) longest(text string) (term, length int) {
	if text == "" {
		return 0, 0
	}
	node := t.roots[text[0]]
	for i := 0; node != 0 && i < len(text); {
		c, size := text[i], 1
		if lex.ASCIISpace[c] {
			c, size = ' ', lex.SpaceAt(text[i:])
		}
		for node != 0 && t.nodes[node].byte != c {
			node = t.nodes[node].next
		}
		if node == 0 {
			break
		}
		i += size
		if n := &t.nodes[node]; n.term > 0 && wordSize(text[i:]) == 0 {
			term, length = int(n.term)-1, i
		}
		node = t.nodes[node].child
	}
	return term, length
}
