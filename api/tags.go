package api

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// tags serves the nodes that a team adds to the taxonomy. Built-in nodes are shared by
// all teams and cannot be changed.
func (a *API) tags() {
	const own = "Built-in tags cannot be changed (409). A tag that others have used in decisions can be changed by admins only (403 for others)."
	session := a.area("Sentences", withSession)
	create(a, session, "/api/tags", "createTag", "Create a tag", a.createTag, describe(
		"Adds a node to the team's taxonomy. The name may be in any script. The key, which labels refer to, is derived from a Latin name and random for others; it never changes. "+
			"A taken name is 409, upper and lower case being equal. `newNode` of a bulk assignment does the same."))
	get(session, "/api/tags/{key}", "getTag", "Get a tag", a.getTag, describe("A node of the taxonomy, built in or created by the team."))
	patch(session, "/api/tags/{key}", "updateTag", "Update a tag", a.updateTag, describe(
		"Changes the name, family or description. Absent fields stay as they are. The key and the labels stay too. "+own))
	post(session, "/api/tags/{key}/merge", "mergeTag", "Merge a tag into another", a.mergeTag, describe(
		"Sentences that have this label, predicted or validated, get the label `into` instead, which may be built in; their source stays. "+
			"Models predict `into` wherever they learned this one. Afterwards the tag no longer exists. "+own))
	del(session, "/api/tags/{key}", "deleteTag", "Delete a tag", a.deleteTag, describe(
		"409 with the number of sentences where some have this label. With `force`, decisions for it are withdrawn and predictions of it count as no clause. Restoring the tag restores both. "+own+" "+purging))
}

// TagRef is the request of every operation on one tag.
type TagRef struct {
	Key string `path:"key" maxLength:"200" doc:"The key of a tag"`
}

// NewTag is a clause to be added to the taxonomy.
type NewTag struct {
	NewNode
	Description string `json:"description,omitempty" maxLength:"2000"`
}

func (t Tag) address() string { return "/api/tags/" + t.Key }

func newTag(n db.Node) Tag {
	return Tag{Key: n.Key, Name: n.Name, Family: n.Family, Description: n.Description, Own: true, ID: n.ID, CreatedBy: n.CreatedBy}
}

type createTagRequest struct {
	OnceKey
	Body NewTag
}

func (a *API) createTag(ctx context.Context, tx *db.Tx, in *createTagRequest) (Tag, error) {
	tags, err := taxonomy(ctx, tx.Queries, auth.Scope(ctx))
	if err != nil {
		return Tag{}, err
	}
	name, err := tagName("body.name", in.Body.Name)
	if err != nil {
		return Tag{}, err
	}
	if tagNamed(tags, name) != nil {
		return Tag{}, errTagName
	}
	row, err := addTag(ctx, tx, tags, db.Node{Name: name, Family: cleanTitle(in.Body.Family), Description: in.Body.Description})
	return newTag(row), err
}

// errTagName is the answer to a name that is taken.
var errTagName = fault.New(fault.Conflict, "a tag of that name exists already")

// addTag adds a node with a key that no model uses.
func addTag(ctx context.Context, tx *db.Tx, tags []Tag, n db.Node) (db.Node, error) {
	retired, err := tx.RetiredNodes(ctx, auth.Scope(ctx))
	if err != nil {
		return n, err
	}
	n.Key = nodeKey(n.Name)
	if _, known := retired[n.Key]; known || n.Key == "" || n.Key == noClause || hasTag(tags, n.Key) {
		id := db.NewID()
		n.Key = "tag_" + id[len(id)-12:] // of the random part
	}
	return tx.AddNode(ctx, auth.Scope(ctx), n)
}

// tagNamed is the tag with a name, ignoring case, or with a name of the same key; nil
// for none.
func tagNamed(tags []Tag, name string) *Tag {
	key := nodeKey(name)
	for i, t := range tags {
		if strings.EqualFold(t.Name, name) || key != "" && key == nodeKey(t.Name) {
			return &tags[i]
		}
	}
	return nil
}

// tagName is the name of a tag as it is stored: in any script, on one line.
func tagName(location, name string) (string, error) {
	name = strings.Join(strings.Fields(cleanTitle(name)), " ")
	if !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) || strings.EqualFold(name, noClause) {
		return "", invalid(location, "must have letters or digits, and cannot be null")
	}
	return name, nil
}

// latin are the Latin letters that are not another letter with an accent.
var latin = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i")

// nodeKey is the key that is derived from the words of a name, "" if they have letters
// that keys cannot have.
func nodeKey(name string) string {
	words := strings.FieldsFunc(query.Fold(latin.Replace(strings.ToLower(name))), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	key := strings.Join(words, "_")
	if strings.ContainsFunc(key, func(r rune) bool { return r > unicode.MaxASCII }) {
		return ""
	}
	return key
}

func (a *API) getTag(ctx context.Context, in *TagRef) (Tag, error) {
	tags, err := a.countedTags(ctx, "")
	for _, t := range tags.Items {
		if t.Key == in.Key {
			return t, nil
		}
	}
	if err == nil {
		err = fault.New(fault.NotFound, "not found")
	}
	return Tag{}, err
}

// ownTag is a tag of the team that the caller may change, locked, with its uses.
func ownTag(ctx context.Context, tx *db.Tx, key string) (db.Node, db.NodeUse, error) {
	scope := auth.Scope(ctx)
	row, err := tx.NodeForUpdate(ctx, scope, key)
	if fault.KindOf(err) == fault.NotFound {
		tags, listErr := taxonomy(ctx, tx.Queries, scope)
		if listErr != nil {
			return row, db.NodeUse{}, listErr
		}
		if hasTag(tags, key) {
			err = fault.New(fault.Conflict, "built-in tags cannot be changed")
		}
	}
	if err != nil {
		return row, db.NodeUse{}, err
	}
	use, err := tx.NodeUse(ctx, scope, key)
	if err == nil && use.Others > 0 && auth.From(ctx).Role != db.Admin {
		err = fault.New(fault.Forbidden, "others have used this tag in decisions; only admins of the team may change it")
	}
	return row, use, err
}

// TagChange has the fields of a tag that can be changed.
type TagChange struct {
	Name        *string `json:"name,omitempty" minLength:"1" maxLength:"100"`
	Family      *string `json:"family,omitempty" maxLength:"100" doc:"An empty string removes the tag from its family"`
	Description *string `json:"description,omitempty" maxLength:"2000"`
}

func (a *API) updateTag(ctx context.Context, in *struct {
	TagRef
	Body TagChange
}) (Tag, error) {
	change := db.NodeChange{Name: in.Body.Name, Description: in.Body.Description}
	if change.Name != nil {
		name, err := tagName("body.name", *change.Name)
		if err != nil {
			return Tag{}, err
		}
		change.Name = &name
	}
	if in.Body.Family != nil {
		family := cleanTitle(*in.Body.Family)
		change.Family = &family
	}
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		before, _, err := ownTag(ctx, tx, in.Key)
		if err != nil || change == (db.NodeChange{}) {
			return err
		}
		if change.Name != nil {
			tags, err := taxonomy(ctx, tx.Queries, auth.Scope(ctx))
			if err != nil {
				return err
			}
			if other := tagNamed(tags, *change.Name); other != nil && other.Key != before.Key {
				return errTagName
			}
		}
		_, err = tx.UpdateNode(ctx, auth.Scope(ctx), before, change)
		return err
	})
	if err != nil {
		return Tag{}, err
	}
	return a.getTag(ctx, &in.TagRef)
}

// MergedTag is the result of a merge.
type MergedTag struct {
	Message   string `json:"message"`
	Into      string `json:"into"`
	Sentences int    `json:"sentences" doc:"How many sentences got the other label"`
	Validated int    `json:"validated" doc:"How many of them users had validated"`
}

func (a *API) mergeTag(ctx context.Context, in *struct {
	TagRef
	Body struct {
		Into string `json:"into" minLength:"1" maxLength:"200" doc:"The key of the tag that stays"`
	}
}) (MergedTag, error) {
	var use db.NodeUse
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		row, _, err := ownTag(ctx, tx, in.Key)
		if err != nil {
			return err
		}
		tags, err := taxonomy(ctx, tx.Queries, auth.Scope(ctx))
		if err != nil {
			return err
		}
		if in.Body.Into == row.Key || !hasTag(tags, in.Body.Into) {
			return invalid("body.into", "must be the key of another available tag")
		}
		use, err = tx.MergeNode(ctx, auth.Scope(ctx), row, in.Body.Into)
		return err
	})
	return MergedTag{"the tag was merged", in.Body.Into, use.Sentences, use.Validated}, err
}

func (a *API) deleteTag(ctx context.Context, in *struct {
	TagRef
	Purging
	Force bool `query:"force" doc:"Delete it even where sentences have this label"`
}) (Deleted, error) {
	return a.remove(ctx, in.Purging, "the tag", func(tx *db.Tx, scope db.Scope) (db.TrashEntry, error) {
		row, use, err := ownTag(ctx, tx, in.Key)
		if err != nil {
			return db.TrashEntry{}, err
		}
		if use.Sentences > 0 && !in.Force {
			return db.TrashEntry{}, fault.New(fault.Conflict, fmt.Sprintf("%d sentences have the tag, %d of them set by users; merge it into another, or send force=true to withdraw them", use.Sentences, use.Validated))
		}
		entry, done, err := tx.DeleteNode(ctx, scope, row)
		if err != nil {
			return entry, err
		}
		return entry, a.analyzeAgain(ctx, tx, done.Unread)
	})
}
