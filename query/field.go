package query

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Source is the sort of rows that a question is about.
type Source string

// The sources.
const (
	Files      Source = "files"
	Sentences  Source = "sentences"
	Attributes Source = "attributes" // one row for each value of a file, and for each place that has one
	Matters    Source = "matters"
	Audit      Source = "audit"
)

// Sources lists them all.
func Sources() []Source { return []Source{Files, Sentences, Attributes, Matters, Audit} }

// Kind is what the values of a field are like. It decides which operators there
// are.
type Kind string

// The kinds.
const (
	Enum    Kind = "enum"   // one of a set, in any case
	Text    Kind = "text"   // free
	Number  Kind = "number" // durations in days, money in its currency's unit
	Date    Kind = "date"   // a day or an instant
	Boolean Kind = "boolean"
)

// Field names something that can be asked about.
type Field string

// The fields that every deployment has. Attributes of files are fields as well:
// see AttributeField.
const (
	File               Field = "file"
	Name               Field = "name"
	Path               Field = "path"
	Status             Field = "status"
	ErrorCode          Field = "errorCode"
	DocumentType       Field = "documentType"
	DocumentTypeSource Field = "documentTypeSource"
	Matter             Field = "matter"
	LifecycleStage     Field = "lifecycleStage"
	Language           Field = "language"
	FileSource         Field = "source"
	ContentType        Field = "contentType"
	PageCount          Field = "pageCount"
	Size               Field = "size"
	Party              Field = "party"
	Counterparty       Field = "counterparty"
	PartyRole          Field = "partyRole"        // a party with what the contract calls it: Acme Inc. (Licensor)
	OurRole            Field = "ourRole"          // what it calls the team
	CounterpartyRole   Field = "counterpartyRole" // what it calls the others
	CreatedBy          Field = "createdBy"
	CreatedAt          Field = "createdAt"
	UpdatedAt          Field = "updatedAt"
	HasOCR             Field = "hasOcr"
	Duplicate          Field = "duplicate"
	NeedsReview        Field = "needsReview" // it has values so unsure that somebody should check them, and nobody did
	Category           Field = "category"
	Said               Field = "text" // what the file says, as a search reads it

	Sentence    Field = "sentence"
	Label       Field = "label"
	LabelSource Field = "labelSource"
	LabelScore  Field = "labelScore"
	Page        Field = "page"

	AttributeKey    Field = "key"
	AttributeLevel  Field = "level"
	AttributeValue  Field = "value"
	AttributeOrigin Field = "attributeSource"
	Confidence      Field = "confidence"
	ValueNumber     Field = "valueNumber"
	ValueDate       Field = "valueDate"
	Currency        Field = "currency"

	MatterName         Field = "matterName"
	MatterStage        Field = "matterStage"
	MatterStatus       Field = "matterStatus"
	MatterSource       Field = "matterSource"
	MatterParty        Field = "matterParty"
	MatterCounterparty Field = "matterCounterparty"
	MatterOwner        Field = "matterOwner"
	MatterDueAt        Field = "matterDueAt"
	MatterCreatedAt    Field = "matterCreatedAt"
	MatterCategory     Field = "matterCategory"

	Action       Field = "action"
	Actor        Field = "actor"
	ActorKind    Field = "actorKind"
	ResourceKind Field = "resourceKind"
	OccurredAt   Field = "occurredAt"
)

// Definition is what is known of a field.
type Definition struct {
	Field Field
	Label string // its display name
	Kind  Kind
	Of    Source // whose rows have it
	Many  bool   // a row may have several values, or none
	Names bool   // values are ids, which are shown by the names of what they identify
	Key   string // of an attribute of files, else ""

	Member string // of the metadata of files, else ""
}

// definitions is the allow-list, in the order in which filters are offered.
var definitions = []Definition{
	{Field: DocumentType, Label: "Document type", Kind: Enum, Of: Files, Names: true},
	{Field: Status, Label: "Status", Kind: Enum, Of: Files},
	{Field: LifecycleStage, Label: "Lifecycle stage", Kind: Enum, Of: Files},
	{Field: Matter, Label: "Matter", Kind: Enum, Of: Files, Names: true},
	{Field: Category, Label: "Category", Kind: Enum, Of: Files, Many: true, Names: true},
	{Field: Party, Label: "Party", Kind: Enum, Of: Files, Many: true},
	{Field: Counterparty, Label: "Counterparty", Kind: Enum, Of: Files, Many: true},
	{Field: PartyRole, Label: "Party and role", Kind: Enum, Of: Files, Many: true},
	{Field: OurRole, Label: "Our role", Kind: Enum, Of: Files, Many: true},
	{Field: CounterpartyRole, Label: "Counterparty's role", Kind: Enum, Of: Files, Many: true},
	{Field: Language, Label: "Language", Kind: Enum, Of: Files},
	{Field: FileSource, Label: "Source", Kind: Enum, Of: Files},
	{Field: ContentType, Label: "Content type", Kind: Enum, Of: Files},
	{Field: ErrorCode, Label: "Error", Kind: Enum, Of: Files},
	{Field: DocumentTypeSource, Label: "Document type given by", Kind: Enum, Of: Files},
	{Field: CreatedBy, Label: "Uploaded by", Kind: Enum, Of: Files, Names: true},
	{Field: Name, Label: "Name", Kind: Text, Of: Files},
	{Field: Path, Label: "Folder", Kind: Text, Of: Files},
	{Field: Said, Label: "Text", Kind: Text, Of: Files},
	{Field: File, Label: "File", Kind: Enum, Of: Files, Names: true},
	{Field: PageCount, Label: "Pages", Kind: Number, Of: Files},
	{Field: Size, Label: "Size in bytes", Kind: Number, Of: Files},
	{Field: CreatedAt, Label: "Uploaded at", Kind: Date, Of: Files},
	{Field: UpdatedAt, Label: "Changed at", Kind: Date, Of: Files},
	{Field: HasOCR, Label: "Recognised from images", Kind: Boolean, Of: Files},
	{Field: Duplicate, Label: "Duplicate", Kind: Boolean, Of: Files},
	{Field: NeedsReview, Label: "Has facts to review", Kind: Boolean, Of: Files},

	{Field: Label, Label: "Clause", Kind: Enum, Of: Sentences},
	{Field: LabelSource, Label: "Clause given by", Kind: Enum, Of: Sentences},
	{Field: LabelScore, Label: "Clause score", Kind: Number, Of: Sentences},
	{Field: Page, Label: "Page", Kind: Number, Of: Sentences},
	{Field: Sentence, Label: "Sentence", Kind: Enum, Of: Sentences, Names: true},

	{Field: AttributeKey, Label: "Attribute", Kind: Enum, Of: Attributes},
	{Field: AttributeLevel, Label: "Level", Kind: Enum, Of: Attributes},
	{Field: AttributeValue, Label: "Value", Kind: Enum, Of: Attributes},
	{Field: AttributeOrigin, Label: "Value given by", Kind: Enum, Of: Attributes},
	{Field: Confidence, Label: "Confidence", Kind: Number, Of: Attributes},
	{Field: ValueNumber, Label: "Amount", Kind: Number, Of: Attributes},
	{Field: ValueDate, Label: "Date", Kind: Date, Of: Attributes},
	{Field: Currency, Label: "Currency", Kind: Enum, Of: Attributes},

	{Field: MatterName, Label: "Matter name", Kind: Text, Of: Matters},
	{Field: MatterStage, Label: "Matter stage", Kind: Enum, Of: Matters},
	{Field: MatterStatus, Label: "Matter status", Kind: Enum, Of: Matters},
	{Field: MatterSource, Label: "Matter source", Kind: Enum, Of: Matters},
	{Field: MatterOwner, Label: "Matter owner", Kind: Enum, Of: Matters, Names: true},
	{Field: MatterCategory, Label: "Matter category", Kind: Enum, Of: Matters, Many: true, Names: true},
	{Field: MatterParty, Label: "Matter party", Kind: Enum, Of: Matters, Many: true},
	{Field: MatterCounterparty, Label: "Matter counterparty", Kind: Enum, Of: Matters, Many: true},
	{Field: MatterDueAt, Label: "Matter due at", Kind: Date, Of: Matters},
	{Field: MatterCreatedAt, Label: "Matter created at", Kind: Date, Of: Matters},

	{Field: Action, Label: "Action", Kind: Enum, Of: Audit},
	{Field: Actor, Label: "Actor", Kind: Enum, Of: Audit, Names: true},
	{Field: ActorKind, Label: "Kind of actor", Kind: Enum, Of: Audit},
	{Field: ResourceKind, Label: "Kind of resource", Kind: Enum, Of: Audit},
	{Field: OccurredAt, Label: "Time", Kind: Date, Of: Audit},
}

// reach lists the sources whose fields a query about a source may use: those of its
// sentences and its matter for a file, those of its file for a sentence.
var reach = map[Source][]Source{
	Files:      {Files, Sentences, Matters},
	Sentences:  {Sentences, Files, Matters},
	Attributes: {Attributes, Files, Matters},
	Matters:    {Matters},
	Audit:      {Audit},
}

// Fields lists the fields that a question about s may use, but for the
// attributes of files, which are as many as the team's files have.
func Fields(s Source) []Definition {
	var list []Definition
	for _, d := range definitions {
		if slices.Contains(reach[s], d.Of) {
			list = append(list, d)
		}
	}
	return list
}

// attributePrefix begins the fields that are attributes of files.
const attributePrefix = "attribute."

var attributeKey = regexp.MustCompile(`^[a-z][a-z0-9_]{0,99}$`)

// AttributeField is the field for a file-level attribute: attribute.governing_law.
func AttributeField(key string) Field { return Field(attributePrefix + key) }

// attributeKind follows from how a key ends, since values are normalised by key:
// dates to days, terms to durations, values to money, rates to percent, numbers to numbers.
func attributeKind(key string) Kind {
	if sums[key] {
		return Number
	}
	for ending, kind := range map[string]Kind{"_date": Date, "_term": Number, "_period": Number, "_value": Number, "_amount": Number, "_rate": Number, "_number": Number} {
		if strings.HasSuffix(key, ending) {
			return kind
		}
	}
	return Enum
}

// sums are the keys of money that have no such ending.
var sums = map[string]bool{"rent": true, "deposit": true, "salary": true, "principal": true}

// Places are the keys whose values are places. They are compared by the place, whichever
// of its names stands for it.
var Places = []string{"governing_law", "jurisdiction"}

// metadataPrefix begins the fields that are members of the metadata of files.
const metadataPrefix = "metadata."

// longestMember is how many bytes the name of a member has at most.
const longestMember = 200

// MetadataField is the field for a member of the metadata of files:
// metadata.externalId.
func MetadataField(key string) Field { return Field(metadataPrefix + key) }

// Member is the member of metadata that f is, if it is one.
func (f Field) Member() (key string, ok bool) {
	key, ok = strings.CutPrefix(string(f), metadataPrefix)
	return key, ok && IsMember(key)
}

// IsMember reports whether a member of metadata of that name can be asked about:
// it may have any letters, and nothing that is not seen.
func IsMember(key string) bool {
	return strings.TrimSpace(key) == key && key != "" && len(key) <= longestMember && utf8.ValidString(key) && !strings.ContainsFunc(key, unicode.IsControl)
}

// Operators lists the operators that conditions on d take, the commonest first.
func (d Definition) Operators() []Op {
	kind := d.Kind
	switch {
	case d.Field == Said:
		return []Op{Contains, Matches}
	case d.Member != "" && kind == Number:
		kind = Date // what is equal is told by words
	case d.Key != "" && kind == Enum:
		list := []Op{In, NotIn, Contains}
		if d.mayBeSum() {
			list = append(list, AtLeast, AtMost, Above, Below)
		}
		return append(list, Exists, Missing)
	}
	return kind.Operators()
}

// mayBeSum reports whether values of d are sums of money or told in other words.
func (d Definition) mayBeSum() bool { return d.Key == "liability_cap" }

// IsPlace reports whether the values of d are places.
func (d Definition) IsPlace() bool { return slices.Contains(Places, d.Key) }

// IsMoney reports whether the numbers of d have a currency, and can be added up
// within one only.
func (d Definition) IsMoney() bool {
	return d.Field == ValueNumber || strings.HasSuffix(d.Key, "_value") || strings.HasSuffix(d.Key, "_amount") || sums[d.Key]
}

// MayBeMoney reports whether numbers of d are sums of money, which a cap on liability may be told in
// other words than.
func (d Definition) MayBeMoney() bool { return d.IsMoney() || d.mayBeSum() }

// Lookup is the definition of a field, if it is one.
func Lookup(f Field) (Definition, bool) {
	if key, ok := strings.CutPrefix(string(f), attributePrefix); ok {
		if !attributeKey.MatchString(key) {
			return Definition{}, false
		}
		return Definition{Field: f, Label: keyLabel(key), Kind: attributeKind(key), Of: Files, Many: true, Key: key}, true
	}
	if key, ok := f.Member(); ok {
		return Definition{Field: f, Label: key, Kind: Text, Of: Files, Many: true, Member: key}, true
	}
	i := slices.IndexFunc(definitions, func(d Definition) bool { return d.Field == f })
	if i < 0 {
		return Definition{}, false
	}
	return definitions[i], true
}

// keyLabel is the display name of a key: governing_law is Governing law. For durations
// it includes the unit, which their values lack.
func keyLabel(key string) string {
	name := strings.ReplaceAll(key, "_", " ")
	if strings.HasSuffix(key, "_term") || strings.HasSuffix(key, "_period") {
		name += " in days"
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// Op is how a field is compared.
type Op string

// The operators.
const (
	In         Op = "in"         // equals any of the values
	NotIn      Op = "notIn"      // equals none of them; a row without a value equals none
	Contains   Op = "contains"   // has the value as a part, in any case; of what a file says, has its words and phrases; of an attribute, has its words in this order, the last begun at least
	Matches    Op = "matches"    // is found by the value as a search
	StartsWith Op = "startsWith" // begins with the value, in any case
	AtLeast    Op = "gte"        // of a date, on that day or later
	AtMost     Op = "lte"        // of a date, on that day or earlier
	Above      Op = "gt"         // of a date, after that day
	Below      Op = "lt"         // of a date, before that day
	Exists     Op = "exists"     // has any value
	Missing    Op = "missing"    // has none
)

// operators are those of each kind, the commonest first.
var operators = map[Kind][]Op{
	Enum:    {In, NotIn, Exists, Missing},
	Text:    {Contains, StartsWith, In, NotIn, Exists, Missing},
	Number:  {AtLeast, AtMost, Above, Below, In, Exists, Missing},
	Date:    {AtLeast, AtMost, Above, Below, Exists, Missing},
	Boolean: {In},
}

// Operators lists the operators that a field of this kind has, the commonest
// first.
func (k Kind) Operators() []Op { return slices.Clone(operators[k]) }
