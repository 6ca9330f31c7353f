package api

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/query"
	"github.com/clausemill/clausemill/search"
)

// HitGroups are the matches of a search other than files. Groups that were not
// requested are absent.
type HitGroups struct {
	Sentences     *HitGroup[Hit]         `json:"sentences,omitempty"`
	Sections      *HitGroup[SectionHit]  `json:"sections,omitempty"`
	Attributes    *HitGroup[FoundValue]  `json:"attributes,omitempty"`
	Metadata      *HitGroup[MetadataHit] `json:"metadata,omitempty"`
	Matters       *HitGroup[NameHit]     `json:"matters,omitempty"`
	DocumentTypes *HitGroup[NameHit]     `json:"documentTypes,omitempty"`
	Chats         *HitGroup[NameHit]     `json:"chats,omitempty"`
}

// HitGroup is the first matches of one kind.
type HitGroup[T any] struct {
	Items []T `json:"items" nullable:"false"`
	Total int `json:"total" doc:"Number of matches, counted up to 1,000"`
}

// SectionHit is a section whose heading matched.
type SectionHit struct {
	SectionID string  `json:"sectionId"`
	FileID    string  `json:"fileId"`
	FileName  string  `json:"fileName"`
	Number    string  `json:"number"`
	Title     string  `json:"title"`
	Page      int     `json:"page"`
	Span      Span    `json:"span"`
	Score     float64 `json:"score" doc:"Scores can be compared within one group only"`
}

// MetadataHit is a value in the metadata of a file.
type MetadataHit struct {
	FileID   string `json:"fileId"`
	FileName string `json:"fileName"`
	Key      string `json:"key"`
	Value    string `json:"value"`
}

// NameHit is something whose name matched.
type NameHit struct {
	ID    string  `json:"id"`
	Name  string  `json:"name"`
	Score float64 `json:"score" doc:"0 to 1; 1 if the name contains the words as given"`
}

// GroupChoice selects the groups of a search.
type GroupChoice struct {
	Groups     []string `query:"groups" enum:"files,sentences,sections,attributes,metadata,matters,documentTypes,chats" doc:"The groups to return in addition to files; by default all. The value files alone returns no groups"`
	GroupLimit int      `query:"groupLimit" minimum:"1" maximum:"20" default:"5" doc:"Maximum number of hits in each group"`
}

func (r GroupChoice) wants(group string) bool {
	return r.Groups == nil || slices.Contains(r.Groups, group)
}

// mostValues bounds the matching values of metadata and attributes that are read,
// because a common word such as agreement may match thousands.
const mostValues = 200

// groups finds the matches of q other than files, which have been found. Groups without
// spelling correction of their own are searched for the spelling that was found in files.
func (a *API) groups(ctx context.Context, q search.Query, found search.Files, r GroupChoice) (*HitGroups, error) {
	clean := func(text string) string { return strings.ReplaceAll(strings.ToValidUTF8(text, " "), "\x00", " ") } // as a database takes it
	text := clean(q.Text)
	files, _ := q.Filter.Split()
	out := &HitGroups{}
	var err error
	if r.wants("sentences") {
		if out.Sentences, err = a.foundSentences(ctx, q, found.Top, r.GroupLimit); err != nil {
			return nil, err
		}
	}
	if r.wants("sections") {
		if out.Sections, err = a.foundSections(ctx, clean(cmp.Or(found.Corrected, q.Text)), files, r.GroupLimit); err != nil {
			return nil, err
		}
	}
	if r.wants("attributes") {
		if out.Attributes, err = a.foundAttributes(ctx, text, files, r.GroupLimit); err != nil {
			return nil, err
		}
	}
	if r.wants("metadata") {
		if out.Metadata, err = a.foundMetadata(ctx, text, files, r.GroupLimit); err != nil {
			return nil, err
		}
	}
	if !q.Filter.Tree().IsZero() {
		return out, nil
	}
	return out, a.foundNames(ctx, text, r, out)
}

func (a *API) foundSentences(ctx context.Context, q search.Query, top *search.Top, limit int) (*HitGroup[Hit], error) {
	if top != nil {
		return &HitGroup[Hit]{newList(top.Hits, newHit).Items, top.Total}, nil
	}
	q.Limit, q.Facets = limit, nil
	found, err := a.Search.Sentences(ctx, auth.Scope(ctx), q)
	return &HitGroup[Hit]{newList(found.Hits, newHit).Items, found.Total}, err
}

func (a *API) foundSections(ctx context.Context, text string, files query.Filter, limit int) (*HitGroup[SectionHit], error) {
	rows, err := a.DB.SectionsTitled(ctx, auth.Scope(ctx), text, files, limit)
	return newGroup(rows, func(s db.FoundSection) SectionHit {
		return SectionHit{s.ID, s.FileID, s.FileName, s.Number, s.Title, s.Page, Span{s.Start, s.End}, s.Score}
	}, func(s db.FoundSection) int { return s.Total }), err
}

func (a *API) foundAttributes(ctx context.Context, text string, files query.Filter, limit int) (*HitGroup[FoundValue], error) {
	values, err := findValues(ctx, a.DB, db.AttributeSearch{
		Levels: []db.AttributeLevel{db.FileLevel, db.SpanLevel}, Where: files, Text: text, Match: db.MatchSimilar, Most: mostValues,
	}, BodyPage{Limit: limit}, newFoundValue)
	if err != nil {
		return nil, err
	}
	return &HitGroup[FoundValue]{values.Items, *values.Total}, nil
}

func (a *API) foundMetadata(ctx context.Context, text string, files query.Filter, limit int) (*HitGroup[MetadataHit], error) {
	rows, err := a.DB.MetadataLike(ctx, auth.Scope(ctx), text, files, limit)
	return newGroup(rows, func(m db.FoundMetadata) MetadataHit { return MetadataHit{m.FileID, m.FileName, m.Key, m.Value} },
		func(m db.FoundMetadata) int { return m.Total }), err
}

// foundNames finds things by name that do not belong to files.
func (a *API) foundNames(ctx context.Context, text string, r GroupChoice, out *HitGroups) error {
	for _, named := range []struct {
		group string
		what  db.Namesake
		into  **HitGroup[NameHit]
	}{
		{"matters", db.NamedMatters, &out.Matters}, {"documentTypes", db.NamedDocumentTypes, &out.DocumentTypes}, {"chats", db.NamedChats, &out.Chats},
	} {
		if !r.wants(named.group) {
			continue
		}
		rows, err := a.DB.Named(ctx, auth.Scope(ctx), named.what, text, r.GroupLimit)
		if err != nil {
			return err
		}
		*named.into = newGroup(rows, func(n db.FoundName) NameHit { return NameHit{n.ID, n.Name, n.Score} }, func(n db.FoundName) int { return n.Total })
	}
	return nil
}

// newGroup makes a group of rows, each of which has the total.
func newGroup[R, T any](rows []R, convert func(R) T, total func(R) int) *HitGroup[T] {
	group := &HitGroup[T]{Items: newList(rows, convert).Items}
	if len(rows) > 0 {
		group.Total = total(rows[0])
	}
	return group
}
