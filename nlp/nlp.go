package nlp

import (
	"context"
	"fmt"

	"github.com/clausemill/clausemill/nlp/doctype"
	"github.com/clausemill/clausemill/nlp/fact"
	"github.com/clausemill/clausemill/nlp/field"
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
	// Alignment is where a text is in the one that it was read from.
	Alignment = lex.Alignment
	// Token is a word of a text with all the forms that share its stem.
	Token = lex.Token
	// TokenOptions narrow what Tokens counts.
	TokenOptions = lex.TokenOptions
	// Stemmer stems words by the rules of a language.
	Stemmer = lex.Stemmer
)

// NewOffsets prepares the conversion between bytes and code points of text.
func NewOffsets(text string) *Offsets { return lex.NewOffsets(text) }

// Align finds read in given: its visible characters, in their order.
func Align(read, given string) *Alignment { return lex.Align(read, given) }

// Words yields the words of a text on one line in lower case: those with a letter.
func Words(text string) func(yield func(string) bool) { return lex.Words(text, false) }

// Squash is the letters and digits of a text in lower case, by which texts are the same
// however they are spaced and broken.
func Squash(text string) string { return lex.Squash(text) }

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

// SegmentPagesIn is SegmentPages for a text whose language is known by its ISO 639-1 code,
// "" for one that is detected.
func SegmentPagesIn(language string, pages []Page) *Segmentation {
	return structure.SegmentPagesIn(language, pages)
}

// Readability is the Flesch-Kincaid grade of a text, false where it has none.
func Readability(s *Segmentation) (grade float64, ok bool) { return structure.Readability(s) }

// What words say: what it is about, and what it is.

type (
	// Key says what an attribute is about.
	Key = value.Key
	// Value is what words say, apart from how they say it.
	Value = value.Value
	// Territory is a place that has laws.
	Territory = value.Territory
)

// Place is the territory that text names, and nothing beside: "STATE OF DELAWARE", "PRC".
func Place(text string) (Territory, bool) { return value.Place(text) }

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
	// Validation is Metrics with where its figures lie in draws of files.
	Validation = label.Validation
	// Trial says what it is worth to correct a model by a team's decisions.
	Trial = label.Trial
	// LabelPart is what users decided about some labels of a passage.
	LabelPart = label.Part
	// OwnLabel says what was learned of a label that the base model does not know.
	OwnLabel = label.OwnLabel
)

// OtherFiles is how many files without decisions a team's own labels are told from,
// beside those with decisions.
const OtherFiles = label.OtherFiles

// LeastExamples is how many decisions have to say that a label of a team is right
// before it is learned.
const LeastExamples = label.LeastExamples

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

// CrossValidate trains on all files but one part of them, evaluates on that part,
// and so on for each.
func CrossValidate(ctx context.Context, nodes []string, examples []Example, told func(m *Model, held []Example), withoutPresence ...string) (Validation, error) {
	return label.CrossValidate(ctx, nodes, examples, told, withoutPresence...)
}

// Fields that a team declares, what is learned of them and what is proposed.

type (
	// FieldKind says what the values of a field are.
	FieldKind = field.Kind
	// FieldQuestion is what a field asks for.
	FieldQuestion = field.Question
	// FieldReading is a text as a model of fields reads it for one question.
	FieldReading = field.Reading
	// FieldExample is a file with the decisions of users on a field.
	FieldExample = field.Example
	// FieldMark is a value that people gave.
	FieldMark = field.Mark
	// FieldModel proposes values for one question.
	FieldModel = field.Model
	// FieldProposal is a value that a file may have, and its words.
	FieldProposal = field.Proposal
	// FieldReport is what became of learning a field.
	FieldReport = field.Report
	// Placer finds words in a text where white space may differ.
	Placer = field.Placer
)

// The kinds of values that fields have.
const (
	TextField   = field.Text
	NumberField = field.Number
	DateField   = field.Date
	MoneyField  = field.Money
	ChoiceField = field.Choice
)

// LeastFieldExamples is how many files with values of people a field is learned from.
const LeastFieldExamples = field.LeastExamples

// ReadField takes from a text what q may be answered with.
func ReadField(q FieldQuestion, s *Segmentation) *FieldReading { return field.Read(q, s) }

// FieldValue reads what words answer to q, false where they hold no value of its kind.
func FieldValue(q FieldQuestion, words string) (Value, bool) { return field.ValueOf(q, words) }

// FieldValues returns the values of q in words with their places, in order; none for texts
// and choices.
func FieldValues(q FieldQuestion, words string) []field.Found { return field.ValuesIn(q, words) }

// OtherFieldFiles is how many files of which nobody said anything a field is learned from.
const OtherFieldFiles = field.OtherFiles

// LearnField learns the question that files were read for from examples and from others of which nobody said anything, until
// ctx ends. The model is nil where the report has a reason.
func LearnField(ctx context.Context, examples []FieldExample, others []*FieldReading) (*FieldModel, FieldReport) {
	return field.Learn(ctx, examples, others)
}

// ParseFieldModel reads a model of a field, as FieldModel.AppendBinary wrote it.
func ParseFieldModel(data []byte) (*FieldModel, error) { return field.Parse(data) }

// NewPlacer prepares a text to find words in it.
func NewPlacer(text string) *Placer { return field.NewPlacer(text) }

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
	// CorpusSegment is a Corpus that was written, and is read where it is.
	CorpusSegment = likeness.Segment
	// SegmentFile is a file whose sentences are in a segment.
	SegmentFile = likeness.SegmentFile
	// Vector is the term vector of a text, for its similarity to others.
	Vector = likeness.Vector
	// Wording is how one thing is put in many texts.
	Wording = likeness.Wording
	// Edit is a run of words that two texts share, or that one of them has in place of what the other has.
	Edit = likeness.Edit
)

// LikeDuplicate is the kind of near duplicate where two files are the same document.
const LikeDuplicate = likeness.Duplicate

// NewReading reads a text for comparisons.
func NewReading(text string, parties []string, recognized bool) Reading {
	return likeness.NewReading(text, parties, recognized)
}

// CompareTexts reports whether two texts are duplicates, versions, or neither.
func CompareTexts(a, b Reading) likeness.Comparison { return likeness.Compare(a, b) }

// NewSketch makes of a text what finds those that are much alike.
func NewSketch(text string) Sketch { return likeness.NewSketch(text) }

// ParseSketch reads what Sketch.Bytes wrote; other bytes are of no text.
func ParseSketch(data []byte) Sketch { return likeness.ParseSketch(data) }

// NewCorpus returns one without sentences.
func NewCorpus() *Corpus { return likeness.NewCorpus() }

// NewCorpusOn returns one of the sentences of a segment.
func NewCorpusOn(base *CorpusSegment) *Corpus { return likeness.NewCorpusOn(base) }

// OpenSegment reads what Corpus.Write wrote; ErrSegment where its layout is not whole.
func OpenSegment(data []byte) (*CorpusSegment, error) { return likeness.OpenSegment(data) }

// SegmentFormat is that of the segments which are read and written.
const SegmentFormat = likeness.SegmentFormat

// ErrSegment is that bytes are no segment of this format, or a damaged one.
var ErrSegment = likeness.ErrSegment

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
