package api

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/search"
)

// tools serves look-ups and searches over the attributes of a team's files.
func (a *API) tools() {
	const ways = " `match` is how loosely `query` matches: `exact` ignores case, accents and spaces; `prefix` also matches what begins with `query`; " +
		"`similar` also matches its words in any order and with typing errors. " +
		"Best matches first, then by frequency. An empty `query` matches everything."
	session := a.area("Tools", withSession)
	post(session, "/api/tools/lookup-document-attribute-value", "lookupFileAttributeValue", "Look up attribute values of files", a.lookupFileAttribute, describe(
		"The value of an attribute of the file as a whole. `candidates` are the places in the file where such values occur, to check it. "+
			"Where users set the value, only theirs is answered."))
	post(session, "/api/tools/lookup-filespan-attribute-value", "lookupSpanAttributeValue", "Look up attribute values of spans", a.lookupSpanAttribute, describe(
		"The spans of the file that have the attribute, in reading order. With `span`, those that overlap it. A cursor from before the file was reprocessed is 409."))
	post(session, "/api/tools/search-attribute-values", "searchAttributeValues", "Search attribute values", scheduled(a, a.searchValues), describe(
		"Values of attributes in the team's files, with the number of occurrences and of files. Searches both the words and the normalised value."+
			ways+" The first 1,000 can be paged through."))
	post(session, "/api/tools/search-document-attribute-keys", "searchFileAttributeKeys", "Search attribute keys of files", scheduled(a, a.searchKeys(db.FileLevel)), describe(
		"Keys of attributes that files of the team have as a whole."+ways))
	post(session, "/api/tools/search-filespan-attribute-keys", "searchSpanAttributeKeys", "Search attribute keys of spans", scheduled(a, a.searchKeys(db.SpanLevel)), describe(
		"Keys of attributes that spans in files of the team have."+ways))
	post(session, "/api/tools/search-filespan-entities", "searchSpanEntities", "Search entities in spans", scheduled(a, a.searchEntities), describe(
		"People, organisations, places, dates and amounts in the team's files, with their spellings and occurrences."+ways+" The first 1,000 can be paged through."))
}

// attributeKey turns the name of a key into the key: "Governing Law" is governing_law.
func attributeKey(name string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r == ' ' || r == '-' || r == '_' }), "_"))
}

// keyLabel is the display name of a key.
func keyLabel(key string) string {
	name := strings.ReplaceAll(key, "_", " ")
	return strings.ToUpper(name[:1]) + name[1:]
}

// candidateKeys is which findings the value of a key of the file level is one of.
var candidateKeys = map[string]string{
	"agreement_date":              "date",
	"effective_date":              "date",
	"expiration_date":             "date",
	"initial_term":                "duration",
	"renewal_term":                "duration",
	"notice_period":               "duration",
	"governing_law":               "jurisdiction",
	"contract_value":              "money",
	"rent":                        "money",
	"deposit":                     "money",
	"salary":                      "money",
	"principal":                   "money",
	"interest_rate":               "percentage",
	"probation_period":            "duration",
	"payment_term":                "duration",
	"liability_cap":               "money",
	"termination_for_convenience": "duration",
	"signatory":                   "person",
	"currency":                    "money",
	"address":                     "address",
	"party":                       "party",
}

// FileLookup is the values of an attribute of a file.
type FileLookup struct {
	FileID     string      `json:"fileId"`
	Key        string      `json:"key"`
	Found      bool        `json:"found"`
	Items      []Attribute `json:"items" nullable:"false" doc:"One value, or several for keys such as party"`
	Candidates []Attribute `json:"candidates" nullable:"false" doc:"In reading order"`
}

// FileKey names an attribute of a file.
type FileKey struct {
	FileID string `json:"fileId" maxLength:"36"`
	Key    string `json:"key" minLength:"1" maxLength:"100" doc:"Upper or lower case; spaces and hyphens count as underscores"`
}

func (a *API) lookupFileAttribute(ctx context.Context, in *struct {
	Body struct {
		FileKey
		Limit int `json:"limit,omitempty" minimum:"1" maximum:"500" default:"10" doc:"Maximum number of candidates"`
	}
}) (FileLookup, error) {
	key := attributeKey(in.Body.Key)
	if _, err := a.keyedFile(ctx, in.Body.FileID, key); err != nil {
		return FileLookup{}, err
	}
	out := FileLookup{FileID: in.Body.FileID, Key: key, Candidates: []Attribute{}}
	var err error
	if out.Items, err = a.attributes(ctx, in.Body.FileID, db.AttributePlace{Level: db.FileLevel, Key: key, After: -1, Limit: maxFileAttributes}); err != nil {
		return FileLookup{}, err
	}
	out.Found = len(out.Items) > 0
	if candidate, ok := candidateKeys[key]; ok {
		out.Candidates, err = a.attributes(ctx, in.Body.FileID, db.AttributePlace{Level: db.SpanLevel, Key: candidate, After: -1, Limit: in.Body.Limit})
	}
	return out, err
}

// keyedFile is the file in a body with a key. Anything but an id is not found.
func (a *API) keyedFile(ctx context.Context, id, key string) (db.File, error) {
	if key == "" {
		return db.File{}, invalid("body.key", "has no letters")
	}
	if !isID(id) {
		return db.File{}, fault.New(fault.NotFound, "not found")
	}
	return a.DB.File(ctx, auth.Scope(ctx), id)
}

func (a *API) attributes(ctx context.Context, fileID string, p db.AttributePlace) ([]Attribute, error) {
	rows, err := a.DB.Attributes(ctx, auth.Scope(ctx), fileID, p)
	if err != nil {
		return nil, err
	}
	return newAttributes(rows)
}

// SpanLookup are the places of a file that have an attribute.
type SpanLookup struct {
	FileID string `json:"fileId"`
	Key    string `json:"key"`
	Found  bool   `json:"found"`
	List[Attribute]
}

func (a *API) lookupSpanAttribute(ctx context.Context, in *struct {
	Body struct {
		FileKey
		BodyPage
		Span *Span `json:"span,omitempty" doc:"Only values that overlap this range of the text"`
	}
}) (SpanLookup, error) {
	where := db.AttributePlace{Level: db.SpanLevel, Key: attributeKey(in.Body.Key), Limit: in.Body.Limit + 1}
	row, err := a.keyedFile(ctx, in.Body.FileID, where.Key)
	if err != nil {
		return SpanLookup{}, err
	}
	if s := in.Body.Span; s != nil {
		if s.Start < 0 || s.End <= s.Start || s.End > maxOffset {
			return SpanLookup{}, invalid("body.span", "must start at 0 or later and end after its start")
		}
		where.Start, where.End = s.Start, s.End
	}
	if where.After, err = afterOrdinal(in.Body.BodyPage, "attributes", row.Generation); err != nil {
		return SpanLookup{}, err
	}
	rows, err := a.DB.Attributes(ctx, auth.Scope(ctx), row.ID, where)
	if err != nil {
		return SpanLookup{}, err
	}
	rows, more := cut(rows, in.Body.Limit)
	out := SpanLookup{FileID: row.ID, Key: where.Key}
	if out.Items, err = newAttributes(rows); err != nil {
		return SpanLookup{}, err
	}
	if more {
		out.NextCursor = ordinalCursor("attributes", row.Generation, last(rows).Ordinal)
	}
	total, err := a.DB.CountAttributes(ctx, auth.Scope(ctx), row.ID, where)
	out.Total, out.Found = &total, total > 0
	return out, err
}

// maxOffset is more code points than a text can have.
const maxOffset = 1<<31 - 1

// ToolQuery is the text of a search, and how loosely it matches.
type ToolQuery struct {
	Query string `json:"query,omitempty" maxLength:"500" doc:"Only the first 200 characters are used"`
	Match string `json:"match,omitempty" enum:"exact,prefix,similar" default:"similar"`
}

// FoundKey is a key that files of the team have.
type FoundKey struct {
	Key      string   `json:"key"`
	Label    string   `json:"label" doc:"Display name"`
	Count    int      `json:"count" doc:"Number of occurrences"`
	Files    int      `json:"files" doc:"Number of files"`
	Match    string   `json:"match,omitempty" doc:"exact, prefix or similar; absent without a query"`
	Score    float64  `json:"score" doc:"0 to 1; 0 without a query"`
	Examples []string `json:"examples" nullable:"false" doc:"Some of its values"`
}

// FoundKeys are the keys that a search found.
type FoundKeys struct {
	Items []FoundKey `json:"items" nullable:"false"`
}

func newFoundKey(k db.FoundKey) FoundKey {
	return FoundKey{k.Key, keyLabel(k.Key), k.Count, k.Files, string(k.Match()), k.Score, list(k.Examples)}
}

// searchKeys makes the handler for the keys of a level.
func (a *API) searchKeys(level db.AttributeLevel) handler[keysRequest, FoundKeys] {
	return func(ctx context.Context, in *keysRequest) (FoundKeys, error) {
		rows, err := a.DB.AttributeKeys(ctx, auth.Scope(ctx), level, in.Body.Query, db.AttributeMatch(in.Body.Match), in.Body.Limit)
		return FoundKeys{newList(rows, newFoundKey).Items}, err
	}
}

type keysRequest struct {
	Body struct {
		ToolQuery
		Limit int `json:"limit,omitempty" minimum:"1" maximum:"500" default:"50" doc:"Maximum number of items"`
	}
}

// FoundValue is a value that files of the team have.
type FoundValue struct {
	Level      string         `json:"level" enum:"file,span" doc:"file: of the file as a whole; span: of a place in it"`
	Key        string         `json:"key"`
	Value      string         `json:"value" doc:"The most frequent wording"`
	Aliases    []string       `json:"aliases" nullable:"false" doc:"Other wordings, most frequent first, at most ten"`
	Normalized AttributeValue `json:"normalized" doc:"Normalised value of the most frequent wording"`
	Count      int            `json:"count" doc:"Number of occurrences"`
	Files      int            `json:"files" doc:"Number of files"`
	Match      string         `json:"match,omitempty" doc:"exact, prefix or similar; absent without a query"`
	Score      float64        `json:"score" doc:"0 to 1; 0 without a query"`
}

func newFoundValue(v db.FoundValue) (FoundValue, error) {
	out := FoundValue{
		Level: string(v.Level), Key: v.Key, Value: v.Value, Aliases: list(v.Aliases),
		Count: v.Count, Files: v.Files, Match: string(v.Match()), Score: v.Score,
	}
	return out, json.Unmarshal(v.Normalized, &out.Normalized)
}

type valuesRequest struct {
	Body struct {
		ToolQuery
		BodyPage
		Level   string   `json:"level,omitempty" enum:"file,span" doc:"Both levels by default"`
		Keys    []string `json:"keys,omitempty" maxItems:"100" nullable:"false" doc:"Only these keys"`
		FileIDs []string `json:"fileIds,omitempty" maxItems:"500" nullable:"false" doc:"Only these files"`
	}
}

func (a *API) searchValues(ctx context.Context, in *valuesRequest) (List[FoundValue], error) {
	s := db.AttributeSearch{
		Levels: []db.AttributeLevel{db.FileLevel, db.SpanLevel}, Keys: keysOf(in.Body.Keys), FileIDs: in.Body.FileIDs,
		Text: in.Body.Query, Match: db.AttributeMatch(in.Body.Match),
	}
	if in.Body.Level != "" {
		s.Levels = []db.AttributeLevel{db.AttributeLevel(in.Body.Level)}
	}
	return findValues(ctx, a.DB, s, in.Body.BodyPage, newFoundValue)
}

// entityKeys are the attribute keys of entities.
func entityKeys() []string {
	return []string{"party", "organization", "person", "jurisdiction", "address", "date", "duration", "money", "percentage"}
}

// Entity is an entity in the team's files.
type Entity struct {
	Entity      string         `json:"entity" doc:"The most frequent wording"`
	Type        string         `json:"type" enum:"party,organization,person,jurisdiction,address,date,duration,money,percentage"`
	Aliases     []string       `json:"aliases" nullable:"false" doc:"Other wordings, most frequent first, at most ten"`
	Normalized  AttributeValue `json:"normalized"`
	Count       int            `json:"count" doc:"Number of occurrences"`
	Files       int            `json:"files" doc:"Number of files"`
	Match       string         `json:"match,omitempty" doc:"exact, prefix or similar; absent without a query"`
	Score       float64        `json:"score" doc:"0 to 1; 0 without a query"`
	Occurrences []Occurrence   `json:"occurrences" nullable:"false" doc:"In the newest files first"`
}

// Occurrence is a place where an entity is.
type Occurrence struct {
	FileID     string  `json:"fileId"`
	FileName   string  `json:"fileName"`
	Confidence float32 `json:"confidence" doc:"0 to 1"`
	Spans      []Quote `json:"spans" nullable:"false"`
}

func newEntity(v db.FoundValue) (Entity, error) {
	out := Entity{
		Entity: v.Value, Type: v.Key, Aliases: list(v.Aliases), Count: v.Count, Files: v.Files, Match: string(v.Match()), Score: v.Score,
		Occurrences: newList(v.Occurrences, func(o db.ValueOccurrence) Occurrence {
			return Occurrence{o.FileID, o.FileName, o.Confidence, newList(o.Spans, newQuote).Items}
		}).Items,
	}
	return out, json.Unmarshal(v.Normalized, &out.Normalized)
}

type entitiesRequest struct {
	Body struct {
		ToolQuery
		BodyPage
		Types       []string `json:"types,omitempty" maxItems:"20" nullable:"false" enum:"party,organization,person,jurisdiction,address,date,duration,money,percentage" doc:"All types by default"`
		FileIDs     []string `json:"fileIds,omitempty" maxItems:"500" nullable:"false" doc:"Only these files"`
		Occurrences int      `json:"occurrences,omitempty" minimum:"1" maximum:"20" default:"3" doc:"Maximum number of occurrences listed for each"`
	}
}

func (a *API) searchEntities(ctx context.Context, in *entitiesRequest) (List[Entity], error) {
	s := db.AttributeSearch{
		Levels: []db.AttributeLevel{db.SpanLevel}, Keys: in.Body.Types, FileIDs: in.Body.FileIDs,
		Text: in.Body.Query, Match: db.AttributeMatch(in.Body.Match), Occurrences: in.Body.Occurrences,
	}
	if s.Keys == nil {
		s.Keys = entityKeys()
	}
	return findValues(ctx, a.DB, s, in.Body.BodyPage, newEntity)
}

// findValues is one page of the results of s.
func findValues[T any](ctx context.Context, d *db.DB, s db.AttributeSearch, page BodyPage, convert func(db.FoundValue) (T, error)) (List[T], error) {
	if i := slices.IndexFunc(s.FileIDs, func(id string) bool { return !isID(id) }); i >= 0 {
		return List[T]{}, invalid(fmt.Sprintf("body.fileIds[%d]", i), "is not an id")
	}
	var err error
	if s.Offset, err = page.offset("values"); err != nil {
		return List[T]{}, err
	}
	if s.Offset >= search.Window {
		return List[T]{}, errCursor("body.cursor")
	}
	s.Limit = min(page.Limit, search.Window-s.Offset)
	rows, err := d.AttributeValues(ctx, auth.Scope(ctx), s)
	if err != nil {
		return List[T]{}, err
	}
	out := List[T]{Items: make([]T, len(rows))}
	total := 0
	for i, row := range rows {
		if out.Items[i], err = convert(row); err != nil {
			return List[T]{}, err
		}
		total = row.Total
	}
	if len(rows) > 0 || s.Offset == 0 {
		out.Total = &total
	}
	if end := s.Offset + len(rows); end < min(total, search.Window) {
		out.NextCursor = cursor("values", strconv.Itoa(end))
	}
	return out, nil
}

// keysOf turns names of keys into keys, nil into nil.
func keysOf(names []string) []string {
	if names == nil {
		return nil
	}
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = attributeKey(name)
	}
	return keys
}
