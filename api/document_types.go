package api

import (
	"context"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// documentTypes serves the types of contracts of a team: section 4.3 of the
// specification begins here.
func (a *API) documentTypes() {
	const changes = "An absent field is left unchanged. With `If-Match` a stale version is 409. Name and description can be changed by the creator of the type and by admins, `hidden` by admins only (403 for others)."
	const deletes = "Deletes a document type. A built-in type cannot be deleted (409); an admin can hide it by an update. Other types can be deleted by admins, and by their creator while they have no files (403 for others). The files stay and have no type until it is restored; the next analysis of a file predicts one of the other types. " + purging
	session := a.area("Document types", withSession)
	get(session, "/api/document-types", "listDocumentTypes", "List document types", a.listTypes, describe(
		"Lists the document types by name, each with the number of its files. A team starts with the 25 types of the base model. Admins may rename and hide them, and the team may add its own. Hidden types are listed with `hidden` only."))
	create(a, session, "/api/document-types", "createDocumentType", "Create a document type", a.createType, describe(
		"Adds a document type to the team. A taken name is 409, upper and lower case being equal."))
	put(session, "/api/document-types", "updateDocumentTypeByBody", "Update the document type that the body names", a.updateNamedType, describe("Changes the document type whose id is `id` in the body. "+changes))
	get(session, "/api/document-types/{dtid}", "getDocumentType", "Get a document type", a.getType, describe("Returns a document type with the number of its files and the time of the last analysis of its corpus."))
	del(session, "/api/document-types/{dtid}", "deleteDocumentType", "Delete a document type", a.deleteType, describe(deletes))
	get(session, "/api/document-types/{dtid}/crud", "getDocumentTypeDetails", "Get the details of a document type", a.getType, describe("The same as `GET /api/document-types/{dtid}`."))
	put(session, "/api/document-types/{dtid}/crud", "updateDocumentType", "Update a document type", a.updateType, describe("Changes a document type. "+changes))
	del(session, "/api/document-types/{dtid}/crud", "deleteDocumentTypeDetails", "Delete a document type by its details", a.deleteType, describe(deletes))
	get(session, "/api/document-types/{dtid}/name", "getDocumentTypeName", "Get the name of a document type", a.getTypeName, describe("Returns the name only."))
	get(session, "/api/document-types/{dtid}/documents", "listDocumentTypeFiles", "List the files of a document type", a.listTypeFiles, describe(
		"Lists the files of the type, assigned or predicted, newest first or in the order of `sort`."))
}

// DocumentType is a type of contract.
type DocumentType struct {
	ID          string     `json:"id"`
	Key         *string    `json:"key,omitempty" doc:"Key of the type in the base model; absent for a type that the team added"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	CategoryIDs []string   `json:"categoryIds" nullable:"false"`
	Hidden      bool       `json:"hidden,omitempty" doc:"true if it is neither offered nor predicted; files that have it keep it"`
	CreatedBy   *string    `json:"createdBy,omitempty" doc:"Id of the user who created it; absent for built-in types"`
	FileCount   int        `json:"fileCount"`
	Assigned    int        `json:"assigned" doc:"Number of files whose type users assigned; for the others it was predicted"`
	AnalyzedAt  *time.Time `json:"analyzedAt" doc:"When its corpus was last analysed; null if never"`
	Stale       bool       `json:"stale" doc:"true if the corpus has changed since, or was never analysed"`
	Version     int        `json:"version"`
	CreatedAt   time.Time  `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
}

func newType(t db.ListedType) DocumentType {
	return DocumentType{
		ID: t.ID, Key: t.Key, Name: t.Name, Description: t.Description,
		CategoryIDs: list(t.CategoryIDs), Hidden: t.Hidden, CreatedBy: t.CreatedBy, FileCount: t.Files, Assigned: t.Assigned,
		AnalyzedAt: utc(t.AnalyzedAt), Stale: t.Stale, Version: t.Version, CreatedAt: t.CreatedAt.UTC(), UpdatedAt: t.UpdatedAt.UTC(),
	}
}

func (t DocumentType) address() string { return "/api/document-types/" + t.ID }

// etag also changes with the corpus.
func (t DocumentType) etag() string { return contentTag(t.Version, t) }

// TypeRef is the request of every operation on one document type.
type TypeRef struct {
	TypeID string `path:"dtid" format:"uuid" doc:"Document type id"`
}

func (a *API) listTypes(ctx context.Context, in *struct {
	Page
	Hidden bool `query:"hidden" doc:"Also lists hidden types"`
}) (List[DocumentType], error) {
	scope := auth.Scope(ctx)
	after, err := in.place("document-types")
	if err != nil {
		return List[DocumentType]{}, err
	}
	rows, err := a.DB.DocumentTypes(ctx, scope, in.Hidden, after, in.Limit+1)
	if err != nil {
		return List[DocumentType]{}, err
	}
	total, err := a.DB.CountDocumentTypes(ctx, scope, in.Hidden)
	rows, more := cut(rows, in.Limit)
	types := newList(rows, newType)
	types.Total = &total
	if more {
		types.NextCursor = cursor("document-types", last(rows).Name)
	}
	return types, err
}

type createTypeRequest struct {
	OnceKey
	Body struct {
		Name        string     `json:"name" minLength:"1" maxLength:"100"`
		Description string     `json:"description,omitempty" maxLength:"2000"`
		CategoryIDs Categories `json:"categoryIds,omitempty"`
	}
}

func (a *API) createType(ctx context.Context, tx *db.Tx, in *createTypeRequest) (DocumentType, error) {
	name := cleanTitle(in.Body.Name)
	if name == "" {
		return DocumentType{}, errTypeNameless
	}
	categories, err := in.Body.CategoryIDs.ids("body.categoryIds")
	if err != nil {
		return DocumentType{}, err
	}
	made, err := tx.CreateDocumentType(ctx, auth.Scope(ctx), name, in.Body.Description, categories...)
	return newType(db.ListedType{DocumentType: made, CategoryIDs: categories, Stale: true}), err
}

var errTypeNameless = invalid("body.name", "has no printable characters")

// TypeChange has the fields of a document type that can be changed.
type TypeChange struct {
	Name        *string     `json:"name,omitempty" minLength:"1" maxLength:"100"`
	Description *string     `json:"description,omitempty" maxLength:"2000"`
	CategoryIDs *Categories `json:"categoryIds,omitempty" doc:"Replaces all categories of the type"`
	Hidden      *bool       `json:"hidden,omitempty" doc:"true: the type is no longer offered or predicted; files that have it keep it. For admins only"`
}

func (a *API) updateNamedType(ctx context.Context, in *struct {
	OfVersion
	Body struct {
		ID string `json:"id" format:"uuid"`
		TypeChange
	}
}) (DocumentType, error) {
	return a.changeType(ctx, in.Body.ID, in.IfMatch, in.Body.TypeChange)
}

func (a *API) updateType(ctx context.Context, in *struct {
	TypeRef
	OfVersion
	Body TypeChange
}) (DocumentType, error) {
	return a.changeType(ctx, in.TypeID, in.IfMatch, in.Body)
}

func (a *API) changeType(ctx context.Context, id, version string, c TypeChange) (DocumentType, error) {
	if c.Name != nil {
		if *c.Name = cleanTitle(*c.Name); *c.Name == "" {
			return DocumentType{}, errTypeNameless
		}
	}
	change := db.DocumentTypeChange{Name: c.Name, Description: c.Description, Hidden: c.Hidden}
	var err error
	if change.CategoryIDs, err = c.CategoryIDs.change("body.categoryIds"); err != nil {
		return DocumentType{}, err
	}
	if change.IfVersion, err = ifMatch(version); err != nil {
		return DocumentType{}, err
	}
	if change != (db.DocumentTypeChange{}) {
		err = a.DB.InTx(ctx, func(tx *db.Tx) error { return tx.UpdateDocumentType(ctx, auth.Scope(ctx), id, change) })
	}
	if err != nil {
		return DocumentType{}, err
	}
	return a.getType(ctx, &TypeRef{id})
}

func (a *API) getType(ctx context.Context, in *TypeRef) (DocumentType, error) {
	row, err := a.DB.DocumentType(ctx, auth.Scope(ctx), in.TypeID)
	return newType(row), err
}

func (a *API) deleteType(ctx context.Context, in *struct {
	TypeRef
	Purging
}) (Deleted, error) {
	return a.remove(ctx, in.Purging, "the document type", func(tx *db.Tx, scope db.Scope) (db.TrashEntry, error) {
		return tx.DeleteDocumentType(ctx, scope, in.TypeID)
	})
}

// TypeName is the name of a document type.
type TypeName struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (a *API) getTypeName(ctx context.Context, in *TypeRef) (TypeName, error) {
	row, err := a.DB.DocumentType(ctx, auth.Scope(ctx), in.TypeID)
	return TypeName{row.ID, row.Name}, err
}

func (a *API) listTypeFiles(ctx context.Context, in *struct {
	TypeRef
	Page
	FileSort
}) (List[File], error) {
	if err := a.DB.NeedDocumentType(ctx, auth.Scope(ctx), in.TypeID); err != nil {
		return List[File]{}, err
	}
	return a.filesPage(ctx, in.Page, in.FileSort, db.FileFilter{DocumentTypeID: in.TypeID}, nil)
}
