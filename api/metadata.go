package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/query"
)

// metadata serves the metadata keys that a team declares.
func (a *API) metadata() {
	const types = " Types are `text`, `number` (12.5 or \"12.5\"), `date` (2026-03-31), `money` ({\"amount\": \"1250.00\", \"currency\": \"USD\"}) and `choice`; a file has one value or a list. " +
		"From then on, a value of another type is 422 when a file is uploaded or updated. Existing values stay; `unfit` is the number of files with values of another type."
	session := a.area("Metadata", withSession)
	get(session, "/api/metadata-keys", "listMetadataKeys", "List declared metadata keys", a.listMetadataKeys, describe(
		"Lists the declared metadata keys, by key. Files may have other keys too. Conditions on files refer to any key as in `metadata.externalId`. The operators in, notIn and contains compare text, ignoring case; "+
			"gte, lte, gt and lt compare numbers, amounts of money and days. Lists of files can be sorted by declared keys, exports have a column for each, and searches find their values."))
	create(a, session, "/api/metadata-keys", "createMetadataKey", "Declare a metadata key", a.createMetadataKey, admins, describe(
		"Declares a metadata key with a type. A key may be in any script, without slashes, of at most 200 bytes. A key that is declared already is 409."+types))
	get(session, "/api/metadata-keys/{key}", "getMetadataKey", "Get a declared metadata key", a.getMetadataKey, describe("Returns a declared metadata key with its type and, for a choice, the allowed values."))
	patch(session, "/api/metadata-keys/{key}", "updateMetadataKey", "Update a declared metadata key", a.updateMetadataKey, admins, describe(
		"Changes the declaration of a metadata key. An absent field is left unchanged."+types))
	del(session, "/api/metadata-keys/{key}", "deleteMetadataKey", "Withdraw the declaration of a metadata key", a.deleteMetadataKey, admins, describe("Withdraws the declaration of a metadata key. The values in files stay and are treated as text."))
}

// MetadataKey is the declaration of a key of files' metadata.
type MetadataKey struct {
	Key         string          `json:"key"`
	Kind        db.MetadataType `json:"kind" enum:"text,number,date,money,choice"`
	Choices     []string        `json:"choices" nullable:"false" doc:"Allowed values of a choice"`
	Description string          `json:"description"`
	Field       string          `json:"field" doc:"The field, as used in conditions and sort"`
	Files       *int            `json:"files,omitempty" doc:"Number of files that have a value; absent in lists"`
	Unfit       *int            `json:"unfit,omitempty" doc:"Number of them with a value of another type; absent in lists"`
	CreatedBy   *string         `json:"createdBy"`
	CreatedAt   time.Time       `json:"createdAt"`
	UpdatedAt   time.Time       `json:"updatedAt"`
}

func newMetadataKey(k db.MetadataKey) MetadataKey {
	return MetadataKey{
		Key: k.Key, Kind: k.Type, Choices: list(k.Choices), Description: k.Description, Field: string(query.MetadataField(k.Key)),
		CreatedBy: k.CreatedBy, CreatedAt: k.CreatedAt.UTC(), UpdatedAt: k.UpdatedAt.UTC(),
	}
}

func (k MetadataKey) address() string { return "/api/metadata-keys/" + url.PathEscape(k.Key) }

// counted is a key with the files that have it.
func counted(ctx context.Context, q db.Queries, k db.MetadataKey) (MetadataKey, error) {
	use, err := q.MetadataUse(ctx, auth.Scope(ctx), k)
	out := newMetadataKey(k)
	out.Files, out.Unfit = &use.Files, &use.Unfit
	return out, err
}

func (a *API) listMetadataKeys(ctx context.Context, _ *struct{}) (List[MetadataKey], error) {
	rows, err := a.DB.MetadataKeys(ctx, auth.Scope(ctx))
	return newList(rows, newMetadataKey), err
}

type createMetadataKeyRequest struct {
	OnceKey
	Body struct {
		Key         string          `json:"key" minLength:"1" maxLength:"200"`
		Kind        db.MetadataType `json:"kind" enum:"text,number,date,money,choice"`
		Choices     []string        `json:"choices,omitempty" maxItems:"500" nullable:"false" doc:"Allowed values of a choice, in order; only for choices"`
		Description string          `json:"description,omitempty" maxLength:"2000"`
	}
}

func (a *API) createMetadataKey(ctx context.Context, tx *db.Tx, in *createMetadataKeyRequest) (MetadataKey, error) {
	if !query.IsMember(in.Body.Key) || strings.Contains(in.Body.Key, "/") {
		return MetadataKey{}, invalid("body.key", "must have at most 200 bytes, no slash, no control characters, and no space at its ends")
	}
	k := db.MetadataKey{Key: in.Body.Key, Type: in.Body.Kind, Choices: in.Body.Choices, Description: in.Body.Description}
	if err := checkMetadataKey(k); err != nil {
		return MetadataKey{}, err
	}
	row, err := tx.DeclareMetadata(ctx, auth.Scope(ctx), k)
	if err != nil {
		return MetadataKey{}, err
	}
	return counted(ctx, tx.Queries, row)
}

// checkMetadataKey refuses a choice without values, and values for other types.
func checkMetadataKey(k db.MetadataKey) error {
	if (k.Type == "choice") != (len(k.Choices) > 0) {
		return invalid("body.choices", "must have the values of a choice, and be absent for other types")
	}
	for i, c := range k.Choices {
		if c != strings.TrimSpace(c) || c == "" || len(c) > 200 || slices.Contains(k.Choices[:i], c) {
			return invalid(fmt.Sprintf("body.choices[%d]", i), "must have at most 200 bytes, no spaces at its ends, and be unique")
		}
	}
	return nil
}

// MetadataRef is the request of every operation on one key.
type MetadataRef struct {
	Key string `path:"key" maxLength:"1000" doc:"Metadata key"`
}

func (a *API) getMetadataKey(ctx context.Context, in *MetadataRef) (MetadataKey, error) {
	row, err := a.DB.MetadataKey(ctx, auth.Scope(ctx), in.Key)
	if err != nil {
		return MetadataKey{}, err
	}
	return counted(ctx, a.DB.Queries, row)
}

func (a *API) updateMetadataKey(ctx context.Context, in *struct {
	MetadataRef
	Body struct {
		Kind        *db.MetadataType `json:"kind,omitempty" enum:"text,number,date,money,choice"`
		Choices     *[]string        `json:"choices,omitempty" maxItems:"500" doc:"Allowed values of a choice, in order; only for choices"`
		Description *string          `json:"description,omitempty" maxLength:"2000"`
	}
}) (out MetadataKey, err error) {
	change := db.MetadataChange{Type: in.Body.Kind, Choices: in.Body.Choices, Description: in.Body.Description}
	if change.Type != nil && *change.Type != "choice" && change.Choices == nil {
		change.Choices = &[]string{}
	}
	err = a.DB.InTx(ctx, func(tx *db.Tx) error {
		row, err := tx.ChangeMetadataKey(ctx, auth.Scope(ctx), in.Key, change, checkMetadataKey)
		if err != nil {
			return err
		}
		out, err = counted(ctx, tx.Queries, row)
		return err
	})
	return out, err
}

func (a *API) deleteMetadataKey(ctx context.Context, in *MetadataRef) (Message, error) {
	err := a.DB.InTx(ctx, func(tx *db.Tx) error { return tx.ForgetMetadataKey(ctx, auth.Scope(ctx), in.Key) })
	return Message{"the declaration was withdrawn; the values stay"}, err
}

// metadataCells are values of metadata as cells of a table.
func metadataCells(metadata json.RawMessage, members []string) []any {
	if len(members) == 0 {
		return nil
	}
	var all map[string]json.RawMessage
	_ = json.Unmarshal(metadata, &all) // it is an object
	cells := make([]any, len(members))
	for i, key := range members {
		cells[i] = metadataCell(all[key])
	}
	return cells
}

// metadataCell is a value in readable form: money with its currency, a list with
// semicolons.
func metadataCell(value json.RawMessage) string {
	var text string
	if value == nil || string(value) == "null" || json.Unmarshal(value, &text) == nil {
		return text
	}
	var several []json.RawMessage
	if json.Unmarshal(value, &several) == nil {
		return strings.Join(newList(several, metadataCell).Items, "; ")
	}
	var money struct {
		Amount   json.RawMessage `json:"amount"`
		Currency string          `json:"currency"`
	}
	if json.Unmarshal(value, &money) == nil && money.Amount != nil && money.Currency != "" {
		return metadataCell(money.Amount) + " " + money.Currency
	}
	return norm.NFC.String(string(value))
}
