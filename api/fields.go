package api

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/model"
	"github.com/clausemill/clausemill/nlp"
)

// teamFields serves the fields that a team declares for its files.
func (a *API) teamFields() {
	const own = " Only its creator may do so once others have marked or decided on values, or admins (403 for others)."
	session := a.area("Fields", withSession)
	get(session, "/api/fields", "listFields", "List the team's fields", a.listFields, describe(
		"Lists the fields that the team declared, by key. Values of a field are attributes of files with its key: filters, exports, searches and look-ups find them as `attribute.{key}`."))
	create(a, session, "/api/fields", "createField", "Declare a field", a.createField, describe(
		"Declares a field: a fact that users mark in files, and that the service proposes once it is marked in ten. Kinds are text, number, date, money and choice. "+
			"The key is derived from the name unless it is given. It never changes, and ends by the kind: `_number` or `_rate`, `_date`, `_amount` or `_value`. "+
			"A key that is declared or in the trash, or that the service extracts itself, is 409."))
	get(session, "/api/fields/{key}", "getField", "Get a field", a.getField, describe(
		"Returns a field with what was learned of it. Versions are trained seconds after users mark values, or confirm or refuse proposed ones, for the first time with ten files and then with each tenth more. "+
			"Their scores are measured on files that were held back, one fifth after the other. Learning uses the files of restricted matters as well; nobody sees more of those than the counts."))
	patch(session, "/api/fields/{key}", "updateField", "Update a field", a.updateField, describe(
		"Changes the name, question, examples or choices. Absent fields stay as they are. The field is learned again."+own))
	del(session, "/api/fields/{key}", "deleteField", "Delete a field", a.deleteField, describe(
		"Moves a field into the trash, with its marks, models and all values in files. Where users have marked or decided on values it is 409, unless `force` is true. "+
			"Restoring brings all of it back; in files that were read meanwhile, marked values have no place then, and proposed ones come with the next training."+own))
	get(session, "/api/fields/{key}/marks", "listFieldMarks", "List marked values", a.listFieldMarks, describe("Lists the values that users marked for a field, the oldest first, in files that the caller may see."))
	create(a, session, "/api/fields/{key}/marks", "createFieldMark", "Mark a value", a.createFieldMark, describe(
		"Marks a value of a field in a file by the range of its words, with `value` where the words say it in another way, or for a choice. `GET /api/files/{fileId}/boxes` gives the boxes of a range on the page, "+
			"and `pages/{number}/words` the ranges of the words in a box. Without `span`, the value has no place. "+
			"Marked values stand in place of proposed ones, and a file may have several. They are kept when the file is reprocessed and for new versions. Words that hold no value of the kind are 422."))
	del(session, "/api/fields/{key}/marks/{markId}", "deleteFieldMark", "Remove a mark", a.deleteFieldMark, describe(
		"Removes a marked value. Once a file has no mark of the field, the proposed values hold again."))
}

// Field is a fact that a team declared.
type Field struct {
	Key       string          `json:"key"`
	Name      string          `json:"name"`
	Kind      db.MetadataType `json:"kind" enum:"text,number,date,money,choice"`
	Question  string          `json:"question" doc:"What it asks for, for those who mark values; learning uses its words"`
	Examples  []string        `json:"examples" nullable:"false" doc:"Examples of values"`
	Choices   []string        `json:"choices" nullable:"false" doc:"Allowed values of a choice"`
	Filter    string          `json:"filter" doc:"The field, as used in conditions"`
	CreatedBy *string         `json:"createdBy"`
	CreatedAt time.Time       `json:"createdAt"`
	UpdatedAt time.Time       `json:"updatedAt"`

	Learning *FieldLearning `json:"learning,omitempty" doc:"What was learned; absent in lists"`
}

// FieldLearning says how far a field is learned.
type FieldLearning struct {
	Status   string         `json:"status" enum:"learning,proposing,refused" doc:"proposing while a version is active; refused if too few of the values of the latest one were right"`
	Files    int            `json:"files" doc:"Number of files in which users marked or confirmed values"`
	Needed   int            `json:"needed" doc:"Number of files that the first version takes"`
	Reason   string         `json:"reason,omitempty" doc:"Why nothing is proposed"`
	Versions []FieldVersion `json:"versions" nullable:"false" doc:"The latest 20, the newest first"`
}

// FieldVersion is what one training made.
type FieldVersion struct {
	Version   int                 `json:"version"`
	Status    db.FieldModelStatus `json:"status"`
	Files     int                 `json:"files" doc:"Number of files that it learned from"`
	Examples  int                 `json:"examples" doc:"Number of values in them"`
	Precision float64             `json:"precision" doc:"Share of the proposed values that are right, in files that were held back"`
	Recall    float64             `json:"recall" doc:"Share of the values that are proposed"`
	F1        float64             `json:"f1"`
	Threshold float64             `json:"threshold" doc:"Confidence from which values are proposed"`
	Reason    string              `json:"reason,omitempty" doc:"Why it was refused"`
	TrainedAt time.Time           `json:"trainedAt"`
}

func newField(f db.OwnField) Field {
	return Field{
		Key: f.Key, Name: f.Name, Kind: f.Type, Question: f.Question, Examples: list(f.Examples), Choices: list(f.Choices), Filter: "attribute." + f.Key,
		CreatedBy: f.CreatedBy, CreatedAt: f.CreatedAt.UTC(), UpdatedAt: f.UpdatedAt.UTC(),
	}
}

func newFieldVersion(m db.FieldModel) FieldVersion {
	r, _ := model.FieldReport(m) // it was written by this program
	return FieldVersion{
		Version: m.Version, Status: m.Status, Files: r.Files, Examples: r.Examples, Precision: r.Precision, Recall: r.Recall, F1: r.F1, Threshold: r.Border,
		Reason: r.Reason, TrainedAt: m.TrainedAt.UTC(),
	}
}

func (f Field) address() string { return "/api/fields/" + f.Key }

// FieldRef is the request of every operation on one field.
type FieldRef struct {
	Key string `path:"key" maxLength:"100" doc:"Key of the field"`
}

func (a *API) listFields(ctx context.Context, _ *struct{}) (List[Field], error) {
	rows, err := a.DB.Fields(ctx, auth.Scope(ctx))
	return newList(rows, newField), err
}

// mostVersions is how many versions of a field are listed.
const mostVersions = 20

// learned is a field with what was learned of it.
func learned(ctx context.Context, q db.Queries, f db.OwnField) (Field, error) {
	out := newField(f)
	use, err := q.FieldUse(ctx, auth.Scope(ctx), f)
	if err != nil {
		return out, err
	}
	models, err := q.FieldModels(ctx, auth.Scope(ctx), f.ID, mostVersions)
	out.Learning = &FieldLearning{Status: "learning", Files: use.Files, Needed: nlp.LeastFieldExamples, Versions: newList(models, newFieldVersion).Items}
	if len(models) > 0 && models[0].Status == db.FieldModelActive {
		out.Learning.Status = "proposing"
	} else if len(models) > 0 {
		out.Learning.Status, out.Learning.Reason = "refused", out.Learning.Versions[0].Reason
	}
	return out, err
}

type createFieldRequest struct {
	OnceKey
	Body struct {
		Key      string          `json:"key,omitempty" maxLength:"100" doc:"A small letter, then small letters, digits and underscores; by default derived from the name"`
		Name     string          `json:"name" minLength:"1" maxLength:"100"`
		Kind     db.MetadataType `json:"kind" enum:"text,number,date,money,choice"`
		Question string          `json:"question,omitempty" maxLength:"500"`
		Examples []string        `json:"examples,omitempty" maxItems:"20" nullable:"false"`
		Choices  []string        `json:"choices,omitempty" maxItems:"100" nullable:"false" doc:"Allowed values of a choice, in order; only for choices"`
	}
}

func (a *API) createField(ctx context.Context, tx *db.Tx, in *createFieldRequest) (Field, error) {
	name, err := title("body.name", in.Body.Name)
	if err != nil {
		return Field{}, err
	}
	f := db.OwnField{Key: in.Body.Key, Name: name, Type: in.Body.Kind, Question: strings.TrimSpace(in.Body.Question), Examples: in.Body.Examples, Choices: in.Body.Choices}
	if f.Key == "" {
		f.Key = model.FieldKey(nlp.FieldKind(f.Type), nodeKey(name))
	}
	if err := checkField(f); err != nil {
		return Field{}, err
	}
	row, err := tx.DeclareField(ctx, auth.Scope(ctx), f)
	if err != nil {
		return Field{}, err
	}
	return learned(ctx, tx.Queries, row)
}

// checkField refuses a key that fits no field of the type, and choices as those of
// metadata are.
func checkField(f db.OwnField) error {
	if !db.IsAttributeKey(f.Key) {
		return invalid("body.key", "must be a small letter and at most 99 small letters, digits and underscores; give one where the name has no Latin letters")
	}
	if problem := model.FieldKeyFits(nlp.FieldKind(f.Type), f.Key); problem != "" {
		return invalid("body.key", problem)
	}
	if _, taken := candidateKeys[f.Key]; taken || f.Key == string(nlp.DocumentName) {
		return fault.Newf(fault.Conflict, "the service extracts %s itself; give the field another key", f.Key)
	}
	for i, e := range f.Examples {
		if strings.TrimSpace(e) == "" || len(e) > 200 {
			return invalid(fmt.Sprintf("body.examples[%d]", i), "must have at most 200 bytes, and not be blank")
		}
	}
	return checkMetadataKey(db.MetadataKey{Key: f.Key, Type: f.Type, Choices: f.Choices})
}

func (a *API) getField(ctx context.Context, in *FieldRef) (Field, error) {
	row, err := a.DB.Field(ctx, auth.Scope(ctx), in.Key)
	if err != nil {
		return Field{}, err
	}
	return learned(ctx, a.DB.Queries, row)
}

// ownField is a field that the caller may change, held, with the decisions of users on it.
func ownField(ctx context.Context, tx *db.Tx, key string) (db.OwnField, db.FieldUse, error) {
	scope := auth.Scope(ctx)
	row, err := tx.FieldForUpdate(ctx, scope, key)
	if err != nil {
		return row, db.FieldUse{}, err
	}
	use, err := tx.FieldUse(ctx, scope, row)
	if err == nil && use.Others && auth.From(ctx).Role != db.Admin {
		err = fault.New(fault.Forbidden, "others have marked or decided on values of this field; only admins of the team may change it")
	}
	return row, use, err
}

// FieldUpdate has what can be changed of a field.
type FieldUpdate struct {
	Name     *string   `json:"name,omitempty" minLength:"1" maxLength:"100"`
	Question *string   `json:"question,omitempty" maxLength:"500"`
	Examples *[]string `json:"examples,omitempty" maxItems:"20"`
	Choices  *[]string `json:"choices,omitempty" maxItems:"100" doc:"Allowed values of a choice, in order; only for choices. Values that are no longer among them stay"`
}

func (a *API) updateField(ctx context.Context, in *struct {
	FieldRef
	Body FieldUpdate
}) (out Field, err error) {
	change := db.FieldChange{Question: in.Body.Question, Examples: in.Body.Examples, Choices: in.Body.Choices}
	if change.Name, err = newTitle("body.name", in.Body.Name); err != nil {
		return out, err
	}
	err = a.DB.InTx(ctx, func(tx *db.Tx) error {
		before, _, err := ownField(ctx, tx, in.Key)
		if err != nil {
			return err
		}
		row, err := tx.ChangeField(ctx, auth.Scope(ctx), before, change)
		if err == nil {
			err = checkField(row)
		}
		if err == nil {
			out, err = learned(ctx, tx.Queries, row)
		}
		return err
	})
	return out, err
}

func (a *API) deleteField(ctx context.Context, in *struct {
	FieldRef
	Purging
	Force bool `query:"force" doc:"Delete it even where users have marked or decided on values"`
}) (Deleted, error) {
	return a.remove(ctx, in.Purging, "the field", func(tx *db.Tx, scope db.Scope) (db.TrashEntry, error) {
		row, use, err := ownField(ctx, tx, in.Key)
		if err == nil && use.Said && !in.Force {
			err = fault.New(fault.Conflict, "users have marked or decided on values of this field; send force=true to delete them with it")
		}
		if err != nil {
			return db.TrashEntry{}, err
		}
		return tx.DeleteField(ctx, scope, row)
	})
}

// FieldMark is a value that a user marked in a file.
type FieldMark struct {
	ID         string         `json:"id"`
	Field      string         `json:"field" doc:"Key of the field"`
	FileID     string         `json:"fileId"`
	Value      string         `json:"value"`
	Normalized AttributeValue `json:"normalized"`
	Place      *Quote         `json:"place,omitempty" doc:"The words in the file; absent if the mark has no place, or a new text of the file does not have the words any more"`
	CreatedBy  *string        `json:"createdBy"`
	CreatedAt  time.Time      `json:"createdAt"`
}

func (m FieldMark) address() string { return "/api/fields/" + m.Field + "/marks/" + m.ID }

func newFieldMark(m db.FieldMark) FieldMark {
	out := FieldMark{ID: m.ID, Field: m.Key, FileID: m.FileID, Value: m.Value, CreatedBy: m.CreatedBy, CreatedAt: m.CreatedAt.UTC()}
	out.Normalized = newAttributeValue(m.Normalized)
	if m.Start != nil && m.End != nil && m.Page != nil {
		out.Place = &Quote{Span{*m.Start, *m.End}, *m.Page, m.Quote}
	}
	return out
}

func (a *API) listFieldMarks(ctx context.Context, in *struct {
	FieldRef
	Page
	FileID string `query:"fileId" format:"uuid" doc:"Only marks in this file"`
}) (List[FieldMark], error) {
	after, err := in.idPlace("marks")
	if err != nil {
		return List[FieldMark]{}, err
	}
	f, err := a.DB.Field(ctx, auth.Scope(ctx), in.Key)
	if err != nil {
		return List[FieldMark]{}, err
	}
	rows, err := a.DB.FieldMarks(ctx, auth.Scope(ctx), f, in.FileID, after, in.Limit+1)
	return newPage(rows, in.Limit, "marks", newFieldMark, func(m db.FieldMark) string { return m.ID }), err
}

type createFieldMarkRequest struct {
	OnceKey
	FieldRef
	Body struct {
		FileID string `json:"fileId" maxLength:"36"`
		Span   *Span  `json:"span,omitempty" doc:"The words in the text of the file"`
		Value  string `json:"value,omitempty" maxLength:"2000" doc:"The value, if it is not what the words say"`
	}
}

func (a *API) createFieldMark(ctx context.Context, tx *db.Tx, in *createFieldMarkRequest) (FieldMark, error) {
	scope := auth.Scope(ctx)
	f, err := tx.FieldForUpdate(ctx, scope, in.Key)
	if err != nil {
		return FieldMark{}, err
	}
	if !isID(in.Body.FileID) {
		return FieldMark{}, fault.New(fault.NotFound, "not found")
	}
	file, err := tx.FileForUpdate(ctx, scope, in.Body.FileID) // nobody reads it again while the words are placed
	if err == nil {
		err = unsettled(file)
	}
	if err != nil {
		return FieldMark{}, err
	}
	mark := db.FieldMark{FileID: file.ID}
	if in.Body.Span != nil {
		if err := placeMark(ctx, tx, &mark, *in.Body.Span); err != nil {
			return FieldMark{}, err
		}
	}
	value, ok := model.Marked(f, file.Language, mark.Quote, in.Body.Value)
	if !ok {
		return FieldMark{}, noValue(f, in.Body.Value)
	}
	mark.Value, mark.Normalized, mark.Canonical = value.Value, value.Normalized, value.Canonical
	row, err := tx.MarkField(ctx, scope, f, mark)
	return newFieldMark(row), err
}

// noValue is the answer to words that hold no value of a field.
func noValue(f db.OwnField, given string) error {
	if given != "" {
		return invalid("body.value", "must be "+model.Wanted(f))
	}
	return invalid("body.span", "these words do not hold "+model.Wanted(f)+"; mark others, or give the value")
}

// longestMark is how many characters a mark may have.
const longestMark = 5000

// placeMark finds the words of a mark in the pages of its file.
func placeMark(ctx context.Context, tx *db.Tx, mark *db.FieldMark, span Span) error {
	pages, err := tx.PageSpans(ctx, auth.Scope(ctx), mark.FileID)
	if err != nil {
		return err
	}
	if span.Start < 0 || span.End <= span.Start || span.End-span.Start > longestMark || len(pages) == 0 || span.End > last(pages).End {
		return invalid("body.span", fmt.Sprintf("must lie in the text of the file and have 1 to %d characters", longestMark))
	}
	texts, err := tx.PageTexts(ctx, auth.Scope(ctx), mark.FileID)
	if err != nil {
		return err
	}
	first := slices.IndexFunc(pages, func(p db.PageSpan) bool { return p.End > span.Start })
	mark.Quote = string([]rune(strings.Join(texts, "\f"))[span.Start:span.End])
	mark.Start, mark.End, mark.Page = &span.Start, &span.End, &pages[first].Number
	return nil
}

func (a *API) deleteFieldMark(ctx context.Context, in *struct {
	FieldRef
	MarkID string `path:"markId" format:"uuid" doc:"Id of the mark"`
}) (Message, error) {
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		f, err := tx.FieldForUpdate(ctx, auth.Scope(ctx), in.Key)
		if err != nil {
			return err
		}
		return tx.UnmarkField(ctx, auth.Scope(ctx), f, in.MarkID)
	})
	return Message{"the mark was removed"}, err
}
