package fact

import (
	"iter"
	"sort"
	"strings"

	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// fact is an Attribute while it is being found.
type fact struct {
	key        value.Key
	value      value.Value
	confidence float64 // by hand, to choose among evidence
	evidence   []lex.Extent
}

// fileReader is a file with what was found in it, as the file level is read from
// it.
type fileReader struct {
	s         *structure.Segmentation
	t         *value.Tape
	found     []value.Mention // in order
	sentences []stretch       // in order
	ends      bool            // the notice is one by which employment or a tenancy is ended
	opening   int             // the lexemes of the cover page and of the first sentences

	signatures []stretch       // the blocks of signatures, nil until somebody asks
	small      map[string]bool // the longer words in small letters, nil until somebody asks
}

// stretch is a half-open range of lexemes.
type stretch struct{ first, next int }

// openingLexemes is how far the names and dates of an agreement are looked for
// at its beginning; covers and tables of contents can be long.
const openingLexemes = 1500

// longestStretch is where a sentence is cut that is none, so that the work on
// each stays bounded.
const longestStretch = 400

func newFileReader(s *structure.Segmentation, t *value.Tape, found []value.Mention) *fileReader {
	r := &fileReader{s: s, t: t, found: found, opening: min(len(t.Lexemes), openingLexemes)}
	at, from := 0, 0
	for n, sentence := range s.Sentences {
		end := s.Offsets.Byte(sentence.End)
		for at < len(t.Lexemes) && int(t.Lexemes[at].Start) < end {
			at++
		}
		if n+1 < len(s.Sentences) && at-from < longestStretch/2 && r.isBroken(at) {
			continue
		}
		for ; from < at; from += longestStretch {
			r.sentences = append(r.sentences, stretch{from, min(from+longestStretch, at)})
		}
		from = at
	}
	return r
}

// isBroken reports whether the sentence that ends before a lexeme continues in the next: its
// line ends with a word that no sentence ends with, before a date or a figure ("effective
// until", "February 28, 2004"), or a date has a stop for a comma ("March 18. 2021").
func (r *fileReader) isBroken(next int) bool {
	t := r.t
	if t.Is(next-1, ":") && !t.Newline(next) { // "6. TERM: 1 May 2020"
		return t.Sense(next).Class == lex.MonthWord || t.IsNumber(next) && (t.Sense(next+1).Class == lex.MonthWord || t.Is(next+1, "/", "-") && t.Glued(next+1))
	}
	if t.Is(next-1, "until", "through", "on", "of", "than", "before") {
		return t.Sense(next).Class == lex.MonthWord || t.IsNumber(next) || t.Sense(next).Class == lex.OrdinalWord
	}
	return t.Is(next-1, ".") && t.IsNumber(next-2) && t.Sense(next-3).Class == lex.MonthWord && len(t.At(next)) == 4 && t.IsNumber(next)
}

// mentions returns what of one key lies between two lexemes.
func (r *fileReader) mentions(key value.Key, in stretch) []value.Mention {
	if in.first >= in.next {
		return nil
	}
	e := r.t.Extent(in.first, in.next)
	from := sort.Search(len(r.found), func(i int) bool { return r.found[i].Start >= e.Start })
	var list []value.Mention
	for _, m := range r.found[from:] {
		if m.Start >= e.End {
			break
		}
		if m.Key == key && m.End <= e.End {
			list = append(list, m)
		}
	}
	return list
}

// has reports whether one of words is in the stretch.
func (r *fileReader) has(in stretch, words ...string) bool { return r.index(in, words...) >= 0 }

// index returns the first lexeme of the stretch that is one of words, or -1.
func (r *fileReader) index(in stretch, words ...string) int {
	for i := range r.each(in, words...) {
		return i
	}
	return -1
}

// each yields the lexemes of the stretch that are one of words.
func (r *fileReader) each(in stretch, words ...string) iter.Seq[int] {
	return func(yield func(int) bool) {
		begin := initials(words)
		for i := max(in.first, 0); i < min(in.next, len(r.t.Lexemes)); i++ {
			if l := &r.t.Lexemes[i]; begin.has(l.Initial) && l.Form == value.Word && r.t.Is(i, words...) && !yield(i) {
				return
			}
		}
	}
}

// initialSet is a set of first bytes, of which some share a place.
type initialSet uint32

// initials returns those of words.
func initials(words []string) initialSet {
	var set initialSet
	for _, word := range words {
		set |= 1 << (word[0] & 0x1f)
	}
	return set
}

// has reports whether a word of the set may begin with c.
func (s initialSet) has(c byte) bool { return s>>(c&0x1f)&1 == 1 }

// says reports whether the words of phrase stand together in the stretch.
func (r *fileReader) says(in stretch, phrases ...string) bool {
	begin := initials(phrases)
	for i := max(in.first, 0); i < min(in.next, len(r.t.Lexemes)); i++ {
		if !begin.has(r.t.Lexemes[i].Initial) {
			continue
		}
		for _, phrase := range phrases {
			if next, ok := r.t.Follows(i, phrase); ok && next <= in.next {
				return true
			}
		}
	}
	return false
}

// facts reads the file level, in the order of its keys.
func (r *fileReader) facts(parties []fact) []fact {
	var list []fact
	add := func(f fact, ok bool) fact {
		if ok {
			list = append(list, f)
		}
		return f
	}
	law, governed := r.governingLaw()
	r.readFigures(law)
	named := add(r.documentName())
	list = append(list, parties...)
	agreed := add(r.agreementDate())
	effective := add(r.effectiveDate(agreed))
	terms := r.termSentences()
	add(r.initialTerm(terms))
	add(r.expirationDate(terms, effective, agreed))
	renewal := add(r.renewalTerm())
	add(r.renewalType())
	notice, ok := r.noticePeriod(renewal)
	if !ok {
		notice, ok = r.endingNotice(sums["en"], named.value.Name, parties)
		r.ends = ok
	}
	add(notice, ok)
	add(law, governed)
	add(r.contractValue())
	add(r.currency(law))
	list = append(list, r.clauseFacts()...)
	list = append(list, r.addresses(parties)...)
	list = append(list, r.signatories()...)
	return append(list, r.sumsOf(sums["en"], named.value.Name, parties)...)
}

// contractValue is the sum that the agreement says it is about: the largest in
// the first sentence on the price of the whole that is not a price by the piece.
func (r *fileReader) contractValue() (fact, bool) {
	for _, in := range r.sentences {
		money := r.mentions(value.Money, in)
		if len(money) == 0 || !r.says(in, "purchase price", "total contract", "contract price", "contract value", "total consideration", "aggregate consideration", "contract sum", "total fee", "total price", "total cost", "total compensation") {
			continue
		}
		best := fact{}
		for _, m := range money {
			next := r.t.Find(m.End)
			byPiece := r.t.Is(next, "per", "each") || r.has(stretch{max(in.first, r.t.Find(m.Start)-5), next}, "per")
			if !byPiece && m.Value.Amount != "" && larger(m.Value.Amount, best.value.Amount) {
				best = fact{value.ContractValue, m.Value, 0.5, []lex.Extent{m.Extent, r.t.Extent(in.first, in.next)}}
			}
		}
		if best.evidence != nil {
			return best, true
		}
	}
	return fact{}, false
}

// larger compares the whole parts of two decimals.
func larger(a, b string) bool {
	a, _, _ = strings.Cut(strings.TrimLeft(a, "0"), ".")
	b, _, _ = strings.Cut(strings.TrimLeft(b, "0"), ".")
	return len(a) > len(b) || len(a) == len(b) && a > b
}
