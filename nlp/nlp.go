package nlp

import (
	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// Words of a text, and places in it.
type (
	Span         = lex.Span
	Offsets      = lex.Offsets
	Token        = lex.Token
	TokenOptions = lex.TokenOptions
)

// NewOffsets prepares the conversion between bytes and code points of text.
func NewOffsets(text string) *Offsets { return lex.NewOffsets(text) }

// Tokens counts the words of text, the most frequent first.
func Tokens(text string, options TokenOptions) []Token { return lex.Tokens(text, options) }

// SegmenterVersion names the rules of Segment.
const SegmenterVersion = structure.SegmenterVersion

// What Segment finds.
type (
	Segmentation = structure.Segmentation
	Sentence     = structure.Sentence
)

// Paragraph is the kind of block that most are.
const Paragraph = structure.Paragraph

// Segment reads the page texts of one file, whatever bytes they are.
func Segment(pages []string) *Segmentation { return structure.Segment(pages) }

// SegmentIn is Segment for a text whose language is known by its ISO 639-1 code.
func SegmentIn(language string, pages []string) *Segmentation {
	return structure.SegmentIn(language, pages)
}

// Readability is the Flesch-Kincaid grade of a text, false where it has none.
func Readability(s *Segmentation) (grade float64, ok bool) { return structure.Readability(s) }

// What words say: what it is about, and what it is.
type (
	Key   = value.Key
	Value = value.Value
)

// The keys of facts that others ask for.
const (
	Party          = value.Party
	DocumentName   = value.DocumentName
	AgreementDate  = value.AgreementDate
	EffectiveDate  = value.EffectiveDate
	ExpirationDate = value.ExpirationDate
	RenewalTerm    = value.RenewalTerm
	NoticePeriod   = value.NoticePeriod
	GoverningLaw   = value.GoverningLaw
)

// Days is how long a Value.Duration is, false where that is none.
func Days(duration string) (days float64, ok bool) { return value.Days(duration) }

// What Extract and Facts find.
type (
	Attribute  = fact.Attribute
	Attributes = fact.Attributes
	Finding    = fact.Finding
)

// Keys of what the structure of a text tells.
const (
	DefinedTerm    = fact.DefinedTerm
	CrossReference = fact.CrossReference
)

// Extract reads the facts of a file: parties, dates, terms, law, money and the
// like.
func Extract(s *Segmentation) Attributes { return fact.Extract(s) }

// Facts is Extract with the terms that the file defines and its references.
func Facts(s *Segmentation) Attributes { return fact.Read(s) }
