package nlp

import (
	"context"
	"fmt"

	"github.com/clausemill/clausemill/nlp/doctype"
	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/label"
	"github.com/clausemill/clausemill/nlp/learn"
	"github.com/clausemill/clausemill/nlp/lex"
	"github.com/clausemill/clausemill/nlp/likeness"
	"github.com/clausemill/clausemill/nlp/structure"
	"github.com/clausemill/clausemill/nlp/value"
)

// Words of a text, and places in it.

type (
	// Span is a half-open range of code points of the canonical text.
	Span = lex.Span
	// Offsets converts between bytes and code points of one text.
	Offsets = lex.Offsets
	// Token is a word of a text with all the forms that share its stem.
	Token = lex.Token
	// TokenOptions narrow what Tokens counts.
	TokenOptions = lex.TokenOptions
	// Stemmer stems words by the rules of a language.
	Stemmer = lex.Stemmer
)

// NewOffsets prepares the conversion between bytes and code points of text.
func NewOffsets(text string) *Offsets { return lex.NewOffsets(text) }

// Tokens counts the words of text, the most frequent first.
func Tokens(text string, options TokenOptions) []Token { return lex.Tokens(text, options) }

// Version names the rules of all that is read from a text. It is stored with
// what was read, so that what newer rules would read otherwise can be found.
var Version = fmt.Sprintf("%d.%d", structure.SegmenterVersion, fact.Version)

// SegmenterVersion names the rules of Segment.
const SegmenterVersion = structure.SegmenterVersion

// What Segment finds.

type (
	// Segmentation is a text with its parts: the input of all other analyses.
	Segmentation = structure.Segmentation
	// Sentence is the unit that is labelled.
	Sentence = structure.Sentence
	// Page is the text of a page with the structure that its format declares.
	Page = structure.Page
	// Declared is what a format declares about a paragraph.
	Declared = structure.Declared
	// Cell is a cell of a table.
	Cell = structure.Cell
)

// Paragraph is the kind of block that most are, the others are those that formats
// declare.
const (
	Paragraph = structure.Paragraph
	Heading   = structure.Heading
	ListItem  = structure.ListItem
	Contents  = structure.Contents
)

// Segment segments the page texts of one file; any bytes are valid input.
func Segment(pages []string) *Segmentation { return structure.Segment(pages) }

// SegmentPages is Segment for pages with what their format declares.
func SegmentPages(pages []Page) *Segmentation { return structure.SegmentPages(pages) }

// SegmentIn is Segment for a text whose language is known by its ISO 639-1 code.
func SegmentIn(language string, pages []string) *Segmentation {
	return structure.SegmentIn(language, pages)
}

// Readability is the Flesch-Kincaid grade of a text, false where it has none.
func Readability(s *Segmentation) (grade float64, ok bool) { return structure.Readability(s) }

// What words say: what it is about, and what it is.

type (
	// Key says what an attribute is about.
	Key = value.Key
	// Value is what words say, apart from how they say it.
	Value = value.Value
)

// The keys of facts that others ask for.
const (
	Party          = value.Party
	DocumentName   = value.DocumentName
	AgreementDate  = value.AgreementDate
	EffectiveDate  = value.EffectiveDate
	ExpirationDate = value.ExpirationDate
	InitialTerm    = value.InitialTerm
	RenewalTerm    = value.RenewalTerm
	NoticePeriod   = value.NoticePeriod
	GoverningLaw   = value.GoverningLaw
)

// Days is how long a Value.Duration is, false where that is none.
func Days(duration string) (days float64, ok bool) { return value.Days(duration) }

// What Extract and Facts find.

type (
	// Attribute is a fact about the file, and the words that it was read from.
	Attribute = fact.Attribute
	// Attributes is what Extract finds.
	Attributes = fact.Attributes
	// Finding is a fact with its place in the text.
	Finding = fact.Finding
	// JudgedFact is an attribute of a contract that somebody annotated.
	JudgedFact = fact.Judged
	// FactLevel is how often facts were right whose rules were that sure of them.
	FactLevel = fact.Level
)

// DoubtfulFact is the confidence below which somebody should look at a fact.
const DoubtfulFact = fact.Doubt

// CalibrateFacts fits levels to facts of which it is known whether they were right.
func CalibrateFacts(judged []JudgedFact) []FactLevel { return fact.Calibrate(judged) }

// FactConfidence is how often facts like a are right by levels.
func FactConfidence(levels []FactLevel, a Attribute) float64 {
	return fact.Confidence(levels, a.Key, a.Value, a.Strength)
}

// Keys of attributes that follow from the structure of a text.
const (
	DefinedTerm    = fact.DefinedTerm
	CrossReference = fact.CrossReference
)

// Extract reads the facts of a file: parties, dates, terms, law, money and the
// like.
func Extract(s *Segmentation) Attributes { return fact.Extract(s) }

// Facts is Extract with the terms that the file defines and its references.
func Facts(s *Segmentation) Attributes { return fact.Read(s) }

// Models of clauses, what they read and what they say.

type (
	// Family groups the nodes of the taxonomy by what they are about.
	Family = label.Family
	// Node is a clause of interest.
	Node = label.Node
	// Model labels passages with the nodes it has learned.
	Model = label.Model
	// Passage is a sentence with what a model looks at beside its words.
	Passage = label.Passage
	// Prediction is a model's prediction for one passage.
	Prediction = label.Prediction
	// Score is how likely a node is.
	Score = label.Score
	// Example is a file with the labels that people gave its passages.
	Example = label.Example
	// Metrics says how well a model labels passages it has not seen.
	Metrics = label.Metrics
)

// Families returns the families of Taxonomy in the order in which they are shown.
func Families() []Family { return label.Families() }

// Taxonomy returns the clauses that the base model knows, family by family.
func Taxonomy() []Node { return label.Taxonomy() }

// BaseModel returns the model of clauses that comes with the program.
func BaseModel() (*Model, error) { return label.Base() }

// BaseModelID returns its id, a UUID that is made of its bytes.
func BaseModelID() string { return label.BaseID() }

// BaseMetrics returns its scores, on contracts that were held back.
func BaseMetrics() (Metrics, error) { return label.BaseMetrics() }

// Labels reports whether the base model can label texts in a language.
func Labels(language string) bool { return label.Reads(language) }

// Passages returns the sentences of s as models read them. facts are those of s.
func Passages(s *Segmentation, facts Attributes) []Passage { return label.Passages(s, facts) }

// ErrModel says what every flaw of the bytes of a model comes down to.
var ErrModel = learn.ErrModel

// ParseModel reads a model of clauses, as Model.AppendBinary wrote it.
func ParseModel(data []byte) (*Model, error) { return label.Parse(data) }

// Annotate returns for each sentence of s the nodes of the quoted clauses that cover
// it.
func Annotate(s *Segmentation, nodes []string, quotes map[string][]string) [][]string {
	return label.Annotate(s, nodes, quotes)
}

// Train learns a model of nodes from examples, until ctx ends.
func Train(ctx context.Context, nodes []string, examples []Example) (*Model, error) {
	return label.Train(ctx, nodes, examples)
}

// Evaluate compares what m predicts with examples it was not trained on.
func Evaluate(m *Model, examples []Example, withoutPresence ...string) Metrics {
	return label.Evaluate(m, examples, withoutPresence...)
}

// CrossValidate trains on all files but one part of them, evaluates on that part,
// and so on for each.
func CrossValidate(ctx context.Context, nodes []string, examples []Example, withoutPresence ...string) (Metrics, error) {
	return label.CrossValidate(ctx, nodes, examples, withoutPresence...)
}

// Models of contract types, what they read and what they say.

type (
	// DocumentType is a sort of contract.
	DocumentType = doctype.Type
	// TypeModel predicts the document type of a text.
	TypeModel = doctype.Model
	// TypeText is a contract as a model of types reads it.
	TypeText = doctype.Contract
	// TypeEvidence is words of a contract that speak for a type, or against it.
	TypeEvidence = doctype.Evidence
	// TypeExample is a contract whose type people named.
	TypeExample = doctype.Example
	// TypeMetrics are the scores of a TypeModel on contracts that it was not trained on.
	TypeMetrics = doctype.Metrics
)

// DocumentTypes returns the types that the base model knows, by name.
func DocumentTypes() []DocumentType { return doctype.All() }

// BaseTypeModel returns the model of contract types that comes with the program.
func BaseTypeModel() (*TypeModel, error) { return doctype.Base() }

// BaseTypeModelID returns its id, a UUID that is made of its bytes.
func BaseTypeModelID() string { return doctype.BaseID() }

// ParseTypeModel reads a model of types, as TypeModel.AppendBinary wrote it.
func ParseTypeModel(data []byte) (*TypeModel, error) { return doctype.Parse(data) }

// NewTypeText takes from a text what a model of types reads, by the facts of it.
func NewTypeText(s *Segmentation, facts Attributes) TypeText { return doctype.NewContract(s, facts) }

// TrainTypes learns a model of types from examples, until ctx ends.
func TrainTypes(ctx context.Context, types []string, examples []TypeExample) (*TypeModel, error) {
	return doctype.Train(ctx, types, examples)
}

// EvaluateTypes compares what m predicts with examples it was not trained on.
func EvaluateTypes(m *TypeModel, examples []TypeExample) TypeMetrics {
	return doctype.Evaluate(m, examples)
}

// CrossValidateTypes trains on all contracts but one part of them, evaluates on
// that part, and so on for each.
func CrossValidateTypes(ctx context.Context, types []string, examples []TypeExample, altered ...func(TypeText) TypeText) ([]TypeMetrics, error) {
	return doctype.CrossValidate(ctx, types, examples, altered...)
}

// What texts are compared by, and what comes of it.

type (
	// Reading is a text as Compare takes it.
	Reading = likeness.Reading
	// Sketch is a MinHash sketch of the runs of three words of a text.
	Sketch = likeness.Sketch
	// Corpus finds the sentences that are closest in words to a text.
	Corpus = likeness.Corpus
	// Vector is the term vector of a text, for its similarity to others.
	Vector = likeness.Vector
	// Wording is how one thing is put in many texts.
	Wording = likeness.Wording
	// Edit is a run of words that two texts share, or that one of them has in place of what the other has.
	Edit = likeness.Edit
)

// LikeDuplicate is the kind of near duplicate where two files are the same document.
const LikeDuplicate = likeness.Duplicate

// CompareTexts reports whether two texts are duplicates, versions, or neither.
func CompareTexts(a, b Reading) likeness.Comparison { return likeness.Compare(a, b) }

// NewSketch makes of a text what finds those that are much alike.
func NewSketch(text string) Sketch { return likeness.NewSketch(text) }

// ParseSketch reads what Sketch.Bytes wrote; other bytes are of no text.
func ParseSketch(data []byte) Sketch { return likeness.ParseSketch(data) }

// NewCorpus returns one without sentences.
func NewCorpus() *Corpus { return likeness.NewCorpus() }

// Centroid is the middle of vectors.
func Centroid(vectors []Vector) Vector { return likeness.Centroid(vectors) }

// DiffWords is the word diff from a to b.
func DiffWords(a, b string) []Edit { return likeness.DiffWords(a, b) }

// Anchored is a sentence as it was when a user labelled it.
type Anchored = likeness.Anchored

// Carry brings the decisions about old sentences over to those of a new
// segmentation.
func Carry(old []Anchored, renewed []Sentence) (matched []likeness.Match, orphaned []int) {
	return likeness.Carry(old, renewed)
}
