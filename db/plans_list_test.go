package db_test

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// How many rows and entries of indexes a question may read.
const (
	page   = 1_500   // a page of a list, or one thing with all that belongs to it
	some   = 6_000   // as many as the question itself names, or a page of what every twentieth row is
	many   = 20_000  // of a twenty-fifth of all files, or what a tenth of them hides
	ofType = 60_000  // what files of one document type have: a twenty-fifth of all
	ofTeam = 700_000 // what all files of a team have, for figures of the whole
)

// just is the error of what is asked for its plan.
func just[T any](_ T, err error) error { return err }

func just2[S, T any](_ S, _ T, err error) error { return err }

// refs names files of a team.
func refs(team string, files ...string) []db.FileRef {
	list := make([]db.FileRef, len(files))
	for i, id := range files {
		list[i] = db.FileRef{TeamID: team, FileID: id}
	}
	return list
}

// maybe takes it that there is no such row, or none in the right state.
func maybe(err error) error {
	if kind := fault.KindOf(err); kind == fault.NotFound || kind == fault.Conflict {
		return nil
	}
	return err
}

const later = time.Hour

var (
	text       = "x"
	errTooLate = fault.New(fault.Internal, "too late")
	note       = db.NewNotification{Kind: db.CustomNote, Title: "x"}
)

func definition(f query.Field) query.Definition {
	d, _ := query.Lookup(f)
	return d
}

// textOf is a text of one sentence.
func textOf() db.Text {
	document := db.NewID()
	return db.Text{
		Language:  "en",
		Documents: []db.Document{{ID: document, Kind: "agreement", End: 5, FirstPage: 1, LastPage: 1}},
		Blocks:    []db.Block{{DocumentID: document, Kind: "paragraph", Text: "Words", End: 5, Page: 1}},
		Sentences: []db.Sentence{{ID: db.NewID(), Page: 1, End: 5, Text: "Words"}},
		Words:     []string{"words"},
	}
}

// checked is a filter that a caller might give.
func checked(of query.Source, f query.Filter) query.Filter {
	f, err := f.Checked(of, time.Now())
	if err != nil {
		panic(err)
	}
	return f
}

// says is the condition that a text or a name has what a tsquery asks for.
func says(words string, absent bool) query.Filter {
	return query.Filter{Field: query.Said, Op: query.Matches, Values: []string{"x"}, Words: &query.Words{Query: words, Absent: absent}}
}

func (a asker) facets(ask func(f db.Facets) error) error {
	return a.db.Facets(a.ctx, a.in, time.Minute, ask)
}

func (a asker) group(q query.Query) error {
	q, err := q.Checked(time.Now())
	if err != nil {
		return err
	}
	return just(a.db.Aggregate(a.ctx, a.in, q, time.Minute))
}

func (a asker) corpus() db.Corpus {
	return db.Corpus{FileID: a.file, DocumentTypeID: &a.kind, Most: 500}
}

func (a asker) list(filter db.FileFilter, order db.Order, after db.Place) error {
	return just(a.ListFiles(a.ctx, a.in, filter, order, after, 100))
}

func (a asker) search(p db.SearchPlan) error {
	p.Most, p.Block, p.Raw, p.Limit, p.Best = 400, 400, 400, 20, 3
	return just(a.SearchSentences(a.ctx, a.in, p))
}

func (a asker) sentences(f db.SentenceFilter, order db.SentenceOrder) error {
	return just(a.FiledSentences(a.ctx, a.in, f, order, db.SentencePlace{}, 50))
}

func labelled(label string) query.Filter { return query.Is(query.Label, label) }

// hot are the questions of requests, of each file and page that is read, and of
// what goes round all the time.
var hot = []question{
	// Who asks.
	{"SessionByHash", page, func(a asker) error { return just(a.SessionByHash(a.ctx, a.session)) }},
	{"APIKeyByHash", page, func(a asker) error { return just(a.APIKeyByHash(a.ctx, a.keyHash)) }},
	{"TouchAPIKey", page, func(a asker) error { return a.TouchAPIKey(a.ctx, a.key) }},
	{"ServiceSessionByHash", page, func(a asker) error { return just(a.ServiceSessionByHash(a.ctx, a.token)) }},
	{"TouchServiceAccount", page, func(a asker) error { return a.TouchServiceAccount(a.ctx, a.account) }},
	{"ProvenScopes", page, func(a asker) error { return just(a.ProvenScopes(a.ctx, a.account, a.secret)) }},
	{"CreateServiceToken", page, func(a asker) error {
		return a.CreateServiceToken(a.ctx, a.account, a.secret, []byte("new"), []string{"export"}, time.Hour)
	}},
	{"ServiceAccounts", page, func(a asker) error { return just(a.ServiceAccounts(a.ctx, a.in, "", 50)) }},
	{"CountRequests", page, func(a asker) error {
		return just(a.CountRequests(a.ctx, map[string]int{"subject 77": 1, "subject 7": 2}, time.Minute))
	}},
	{"HiddenMatters", page, func(a asker) error { return just(a.HiddenMatters(a.ctx, a.in.TeamID, a.user, "")) }},
	{"Shared", page, func(a asker) error { return just(a.Shared(a.ctx, a.in.TeamID)) }},
	{"User", page, func(a asker) error { return just(a.User(a.ctx, a.user)) }},
	{"HomeTeam", page, func(a asker) error { return just(a.HomeTeam(a.ctx, a.user)) }},
	{"Team", page, func(a asker) error { return just(a.Team(a.ctx, a.in)) }},
	{"MemberRole", page, func(a asker) error { return just(a.MemberRole(a.ctx, a.in.TeamID, a.user)) }},
	{"Member", page, func(a asker) error { return just(a.Member(a.ctx, a.in, a.user)) }},
	{"Members", page, func(a asker) error { return just(a.Members(a.ctx, a.in, a.user, 50)) }},
	{"CountMembers", some, func(a asker) error { return just(a.CountMembers(a.ctx, a.in)) }},
	{"MemberByEmail", page, func(a asker) error { return maybe(just(a.MemberByEmail(a.ctx, a.in, "user5@example.com"))) }},
	{"Memberships", page, func(a asker) error { return just(a.Memberships(a.ctx, a.user)) }},
	{"OpenSessions", page, func(a asker) error { return just(a.OpenSessions(a.ctx, a.user, a.session)) }},
	{"OwnedAPIKeys", page, func(a asker) error {
		return just(a.OwnedAPIKeys(a.ctx, db.KeyOwner{UserID: a.user, OrganizationID: a.in.TeamID}, a.key, 50))
	}},
	{"Idempotent", page, func(a asker) error { return just(a.Idempotent(a.ctx, a.in, "POST /api/files", "new", []byte{1})) }},
	{"RememberAnswer", page, func(a asker) error {
		if _, err := a.Idempotent(a.ctx, a.in, "POST /api/files", "new", []byte{1}); err != nil {
			return err
		}
		return a.RememberAnswer(a.ctx, a.in, "POST /api/files", "new", json.RawMessage(`{}`))
	}},
	{"Flags", page, func(a asker) error { return just(a.Flags(a.ctx, a.in, a.flag, 50)) }},
	{"FlagWithKey", page, func(a asker) error { return maybe(just(a.FlagWithKey(a.ctx, a.in, "flag-7"))) }},
	{"FlagConditions", page, func(a asker) error { return just(a.FlagConditions(a.ctx, a.in, []string{a.flag})) }},

	// Files.
	{"File", page, func(a asker) error { return just(a.File(a.ctx, a.in, a.file)) }},
	{"FileAt", page, func(a asker) error { return just(a.FileAt(a.ctx, a.in, a.file, 1)) }},
	{"FileForUpdate", page, func(a asker) error { return just(a.FileForUpdate(a.ctx, a.in, a.file)) }},
	{"FileState", page, func(a asker) error { return just(a.FileState(a.ctx, a.in, a.file)) }},
	{"FileStates", page, func(a asker) error { return just(a.FileStates(a.ctx, a.in.Hidden, refs(a.in.TeamID, a.files...))) }},
	{"Files", page, func(a asker) error { return just(a.Files(a.ctx, a.in, db.FileFilter{}, a.file, 100)) }},
	{"Files/of a matter", page, func(a asker) error { return just(a.Files(a.ctx, a.in, db.FileFilter{MatterID: a.matter}, "", 100)) }},
	{"Files/of a type", some, func(a asker) error {
		return just(a.Files(a.ctx, a.in, db.FileFilter{DocumentTypeID: a.kind}, a.file, 100))
	}},
	{"Files/of a rare type", page, func(a asker) error { return just(a.Files(a.ctx, a.in, db.FileFilter{DocumentTypeID: a.rare}, "", 100)) }},
	{"Files/failed", page, func(a asker) error {
		return just(a.Files(a.ctx, a.in, db.FileFilter{Statuses: []string{"failed"}}, "", 100))
	}},
	{"Files/failed or cancelled", page, func(a asker) error {
		return just(a.Files(a.ctx, a.in, db.FileFilter{Statuses: []string{"failed", "cancelled"}}, "", 100))
	}},
	{"Files/of a cause", page, func(a asker) error {
		return just(a.Files(a.ctx, a.in, db.FileFilter{Statuses: []string{"failed"}, Causes: []string{"corrupt_file"}}, "", 100))
	}},
	{"Files/of a stage", page, func(a asker) error {
		return just(a.Files(a.ctx, a.in, db.FileFilter{LifecycleStage: "signed"}, "", 100))
	}},
	// A name that several files have may be the one sampled in a hundred, and then looks as
	// frequent: this one is one file's.
	{"Files/named", page, func(a asker) error {
		return just(a.Files(a.ctx, a.in, db.FileFilter{Name: "contract 47110"}, "", 100))
	}},
	{"Files/changed", page, func(a asker) error {
		return just(a.Files(a.ctx, a.in, db.FileFilter{UpdatedSince: time.Now()}, "", 100))
	}},
	{"Files/with a label", page, func(a asker) error {
		return just(a.Files(a.ctx, a.in, db.FileFilter{Where: checked(query.Files, labelled("payment_terms"))}, "", 100))
	}},
	{"Files/with a rare label", page, func(a asker) error {
		return just(a.Files(a.ctx, a.in, db.FileFilter{Where: checked(query.Files, labelled("rare_clause"))}, "", 100))
	}},
	{"Files/with facts to review", some, func(a asker) error {
		return just(a.Files(a.ctx, a.in, db.FileFilter{Where: checked(query.Files, query.Is(query.NeedsReview, "true"))}, "", 100))
	}},
	{"FileIDs/with facts to review", some, func(a asker) error {
		return just(a.FileIDs(a.ctx, a.in, db.FileFilter{Where: checked(query.Files, query.Is(query.NeedsReview, "true"))}, 100))
	}},
	{"Files/with a value", ofTeam, func(a asker) error {
		return just(a.Files(a.ctx, a.in, db.FileFilter{Where: checked(query.Files, query.Compare(query.AttributeField("effective_date"), query.Above, "2099-01-07"))}, "", 100))
	}},
	{"Files/in a category", page, func(a asker) error {
		return just(a.Files(a.ctx, a.in, db.FileFilter{Where: checked(query.Files, query.Is(query.Category, a.category))}, "", 100))
	}},
	{"Files/with metadata", page, func(a asker) error {
		return just(a.Files(a.ctx, a.in, db.FileFilter{Where: checked(query.Files, query.Is(query.MetadataField("project"), "P-13"))}, "", 100))
	}},
	{"Files/with a text", some, func(a asker) error {
		return just(a.Files(a.ctx, a.in, db.FileFilter{Where: says("'escrow'", false)}, "", 100))
	}},
	{"Files/with a common text", ofTeam, func(a asker) error {
		return just(a.Files(a.ctx, a.in, db.FileFilter{Where: says("'payment'", false)}, "", 100))
	}},
	{"Files/without a text", some, func(a asker) error {
		return just(a.Files(a.ctx, a.in, db.FileFilter{Where: says("!'escrow'", true)}, "", 100))
	}},
	{"CountFiles/with a text", some, func(a asker) error {
		return just(a.CountFiles(a.ctx, a.in, db.FileFilter{Where: says("'escrow'", false)}))
	}},
	{"CountFiles/completed", some, func(a asker) error {
		return just(a.CountFiles(a.ctx, a.in, db.FileFilter{Statuses: []string{string(db.FileCompleted)}}))
	}},
	{"SearchSentences/with a text", some, func(a asker) error {
		return a.search(db.SearchPlan{Words: "'escrow'", Filter: db.SearchFilter{Where: says("'escrow' & 'account'", false)}})
	}},
	{"Files/duplicates", some, func(a asker) error {
		return just(a.Files(a.ctx, a.in, db.FileFilter{Where: checked(query.Files, query.Is(query.Duplicate, "true"))}, "", 100))
	}},
	{"Files/restricted", many, func(a asker) error { return just(a.Files(a.ctx, a.guest, db.FileFilter{}, "", 100)) }},
	{"Files/restricted, failed", some, func(a asker) error {
		return just(a.Files(a.ctx, a.guest, db.FileFilter{Statuses: []string{"failed"}}, "", 100))
	}},
	{"ListFiles/by name", page, func(a asker) error {
		return a.list(db.FileFilter{}, db.Order{By: "name"}, db.Place{Value: &text, ID: a.file})
	}},
	{"ListFiles/by size", page, func(a asker) error {
		return a.list(db.FileFilter{}, db.Order{By: "size", Descending: true}, db.Place{})
	}},
	{"ListFiles/by pages", page, func(a asker) error { return a.list(db.FileFilter{}, db.Order{By: "pageCount"}, db.Place{}) }},
	{"ListFiles/by age", page, func(a asker) error {
		return a.list(db.FileFilter{}, db.Order{By: "createdAt", Descending: true}, db.Place{})
	}},
	{"ListFiles/by change", page, func(a asker) error {
		return a.list(db.FileFilter{}, db.Order{By: "updatedAt", Descending: true}, db.Place{})
	}},
	{"ListFiles/by metadata", ofTeam, func(a asker) error {
		return a.list(db.FileFilter{}, db.Order{By: "metadata.project", Type: "text"}, db.Place{})
	}},
	{"CountFiles", some, func(a asker) error { return just(a.CountFiles(a.ctx, a.in, db.FileFilter{})) }},
	{"CountFiles/of a matter", page, func(a asker) error { return just(a.CountFiles(a.ctx, a.in, db.FileFilter{MatterID: a.matter})) }},
	{"CountFiles/failed", page, func(a asker) error {
		return just(a.CountFiles(a.ctx, a.in, db.FileFilter{Statuses: []string{"failed"}}))
	}},
	{"FileIDs", page, func(a asker) error { return just(a.FileIDs(a.ctx, a.in, db.FileFilter{MatterID: a.matter}, 1000)) }},
	{"NewestFile", page, func(a asker) error { return just(a.NewestFile(a.ctx, a.in)) }},
	{"NewestFile/restricted", many, func(a asker) error { return just(a.NewestFile(a.ctx, a.guest)) }},
	{"FileAttempts", page, func(a asker) error { return just(a.FileAttempts(a.ctx, a.in, a.file)) }},
	{"FileJobs", page, func(a asker) error { return just(a.FileJobs(a.ctx, a.in, a.files)) }},
	{"FileJobStates", page, func(a asker) error { return just(a.FileJobStates(a.ctx, a.in, a.waiting)) }},
	{"ActiveFiles", page, func(a asker) error { return just(a.ActiveFiles(a.ctx, a.in, 1000)) }},
	{"TeamQueue", page, func(a asker) error {
		return just(a.TeamQueue(a.ctx, a.in))
	}},
	{"FileCategories", page, func(a asker) error { return just(a.FileCategories(a.ctx, a.in, a.files)) }},
	{"FiledUnder", page, func(a asker) error { return just(a.FiledUnder(a.ctx, a.in, a.files)) }},
	{"HasOCRText", page, func(a asker) error { return just(a.HasOCRText(a.ctx, a.in, a.files)) }},
	{"Versions", page, func(a asker) error { return just(a.Versions(a.ctx, a.in, a.file, 0, 50)) }},
	{"Version", page, func(a asker) error { return just(a.Version(a.ctx, a.in, a.file, 1)) }},
	{"Reading", page, func(a asker) error { return maybe(just(a.Reading(a.ctx, a.in, a.file, 1))) }},
	{"BytesOf", page, func(a asker) error { return just(a.BytesOf(a.ctx, a.in, a.file)) }},
	{"StoredVersions", page, func(a asker) error {
		after := db.StoredVersion{Number: 1}
		after.FileID = a.files[0]
		return just(a.StoredVersions(a.ctx, after, 1000))
	}},
	{"KnownBytes", page, func(a asker) error { return just(a.KnownBytes(a.ctx, a.files)) }},
	{"OrphanedDecisions", page, func(a asker) error { return just(a.OrphanedDecisions(a.ctx, a.in, a.file, 1, 50)) }},
	{"CreateFile", page, func(a asker) error {
		return just(a.CreateFile(a.ctx, a.in, db.NewFile{ID: db.NewID(), Name: "a.pdf", Size: 3, SHA256: []byte("abc"), Source: "upload"}))
	}},
	{"CreateFiles", page, func(a asker) error {
		return just(a.CreateFiles(a.ctx, a.in, []db.NewFile{
			{ID: db.NewID(), Name: "a.pdf", Size: 3, SHA256: []byte("abc"), Source: "upload"},
			{ID: db.NewID(), Name: "b.pdf", Size: 3, SHA256: []byte("abd"), Source: "upload", MatterID: a.matter},
		}))
	}},
	{"UpdateFile", page, func(a asker) error {
		return just(a.UpdateFile(a.ctx, a.in, a.file, db.FileUpdate{Name: &text, MatterID: &a.matter}))
	}},
	{"PutIntoMatter", page, func(a asker) error { return just(a.PutIntoMatter(a.ctx, a.in, a.matter, a.file)) }},
	{"ChangeMetadata", page, func(a asker) error {
		return just(a.ChangeMetadata(a.ctx, a.in, a.files, json.RawMessage(`{"project": "x"}`), nil))
	}},
	{"ChangeParties", page, func(a asker) error {
		return just(a.ChangeParties(a.ctx, a.in, a.files, db.PartyChange{Add: []db.Party{{Name: "x"}}}))
	}},
	{"ChangeCategories", page, func(a asker) error {
		return just(a.ChangeCategories(a.ctx, a.in, a.files, db.CategoryLinks{Add: []string{a.category}}))
	}},
	{"SetLifecycleStage", page, func(a asker) error { return just2(a.SetLifecycleStage(a.ctx, a.in, a.file, "review")) }},
	{"LockFiles", page, func(a asker) error { return a.LockFiles(a.ctx, a.in, a.files) }},
	{"DeleteFile", page, func(a asker) error { return just(a.DeleteFile(a.ctx, a.in, a.file)) }},
	{"DeleteFiles", some, func(a asker) error { return just(a.DeleteFiles(a.ctx, a.in, a.files, a.operation)) }},

	// How a file is read.
	{"PlanOnce", page, func(a asker) error { return a.PlanOnce(a.ctx) }},
	{"OpenAttempt", page, func(a asker) error { return just(a.OpenAttempt(a.ctx, a.system(), a.attempt())) }},
	{"EnterStage", page, func(a asker) error { return just(a.EnterStage(a.ctx, a.system(), a.attempt(), db.StageExtract)) }},
	{"SetKind", page, func(a asker) error { return a.SetKind(a.ctx, a.system(), a.running, "pdf", "application/pdf", 3) }},
	{"AddWarnings", page, func(a asker) error { return a.AddWarnings(a.ctx, a.system(), a.running, db.Warning{Code: "x"}) }},
	{"SetEntries", page, func(a asker) error { return a.SetEntries(a.ctx, a.system(), a.running, 1, 2, nil) }},
	{"FailAttempt", page, func(a asker) error { return a.FailAttempt(a.ctx, a.system(), a.attempt(), db.StageExtract, errTooLate) }},
	{"CompleteAttempt", page, func(a asker) error { return a.CompleteAttempt(a.ctx, a.system(), a.attempt()) }},
	{"CompleteSearchable", page, func(a asker) error { return a.CompleteSearchable(a.ctx, a.system(), a.attempt()) }},
	{"CompleteUnchanged", page, func(a asker) error {
		return just(a.CompleteUnchanged(a.ctx, a.system(), a.attempt(), []byte("x"), db.PageCounts{All: 1, Done: 1}))
	}},
	{"RestartFile", page, func(a asker) error { return just(a.RestartFile(a.ctx, a.in, a.file, db.FileOptions{}, false)) }},
	{"RestartFiles", page, func(a asker) error { return just(a.RestartFiles(a.ctx, a.in, a.files, db.FileOptions{})) }},
	{"CancelFile", page, func(a asker) error { return just(a.CancelFile(a.ctx, a.in, a.running)) }},
	{"CancelWaitingJobs", page, func(a asker) error { return just(a.CancelWaitingJobs(a.ctx, a.in, []string{a.waiting})) }},
	{"AcceptFile", page, func(a asker) error { return just(a.AcceptFile(a.ctx, a.in, a.file)) }},
	{"AddVersion", page, func(a asker) error {
		f, err := a.FileForUpdate(a.ctx, a.in, a.file)
		if err != nil {
			return err
		}
		return just(a.AddVersion(a.ctx, a.in, f, db.NewVersion{BytesID: db.NewID(), Name: "b.pdf", Size: 4, SHA256: []byte("abd"), Source: "upload"}, false))
	}},
	{"ExchangePages", page, func(a asker) error { return a.ExchangePages(a.ctx, a.system(), a.file, nil) }},
	{"ReplacePages", page, func(a asker) error { return a.ReplacePages(a.ctx, a.system(), a.file, 1, nil) }},
	{"AddPages", page, func(a asker) error {
		return a.AddPages(a.ctx, a.system(), a.running, 9, []db.Page{{Number: 9, Source: "ocr", Pending: true}})
	}},
	{"CopyPages", page, func(a asker) error { return just(a.CopyPages(a.ctx, a.system(), a.file, a.running)) }},
	{"PendingPages", page, func(a asker) error { return just(a.PendingPages(a.ctx, a.system(), a.file)) }},
	{"SaveRecognized", page, func(a asker) error {
		if err := a.AddPages(a.ctx, a.system(), a.running, 9, []db.Page{{Number: 9, Source: "ocr", Pending: true}}); err != nil {
			return err
		}
		return a.SaveRecognized(a.ctx, a.system(), a.running, db.Page{Number: 9, Source: "ocr"})
	}},
	{"Pages", page, func(a asker) error { return just(a.Pages(a.ctx, a.in, a.file)) }},
	{"PageSpans", page, func(a asker) error { return just(a.PageSpans(a.ctx, a.in, a.file)) }},
	{"PageTexts", page, func(a asker) error { return just(a.PageTexts(a.ctx, a.in, a.file)) }},
	{"PageStructures", page, func(a asker) error { return just(a.PageStructures(a.ctx, a.in, a.file)) }},
	{"PagesBetween", page, func(a asker) error { return just(a.PagesBetween(a.ctx, a.in, a.file, 1, 9)) }},
	{"PagesWithWords", page, func(a asker) error { return just(a.PagesWithWords(a.ctx, a.in, a.file, 1, 9)) }},
	{"SaveText", page, func(a asker) error { return just(a.SaveText(a.ctx, a.system(), a.file, textOf())) }},
	{"DecidedSentences", page, func(a asker) error { return just(a.DecidedSentences(a.ctx, a.system(), a.file)) }},
	{"SaveAnalysis", page, func(a asker) error {
		return a.SaveAnalysis(a.ctx, a.system(), a.file, db.Meaning{
			Analysis:   db.Analysis{Generation: 1, Version: "2"},
			Attributes: []db.Attribute{{Level: db.FileLevel, Key: "term", Value: "x", Source: "rule", Normalized: json.RawMessage(`{}`)}},
		})
	}},
	{"SaveAttributes", page, func(a asker) error { return a.SaveAttributes(a.ctx, a.system(), a.file, 1, nil) }},
	{"SaveProposals", page, func(a asker) error { return a.SaveProposals(a.ctx, a.system(), a.file, 1, "x", nil) }},
	{"DecideAttribute", page, func(a asker) error {
		_, err := a.DecideAttribute(a.ctx, a.in, a.file, "effective_date", text, db.RefusedValue)
		return maybe(err)
	}},
	{"RefusedAttributes", page, func(a asker) error { return just(a.RefusedAttributes(a.ctx, a.in, a.file, 50)) }},
	{"SetAttribute", page, func(a asker) error { return a.SetAttribute(a.ctx, a.in, a.file, "effective_date", nil) }},
	{"SaveSketch", page, func(a asker) error {
		return a.SaveSketch(a.ctx, a.system(), a.file, db.Sketch{Generation: 1, Data: []byte{1}, Bands: []int64{1, 2, 3}})
	}},
	{"LockSketches", page, func(a asker) error { return a.LockSketches(a.ctx, a.system()) }},
	{"Sketch", page, func(a asker) error { return just(a.Sketch(a.ctx, a.system(), a.file)) }},
	{"SimilarSketches", page, func(a asker) error {
		_, _, err := a.SimilarSketches(a.ctx, a.system(), a.file, []int64{1, 1000, 1001}, 100)
		return err
	}},
	{"SaveCompared", page, func(a asker) error {
		return a.SaveCompared(a.ctx, a.system(), a.file, 1, []db.Compared{{FileID: a.files[0], Generation: 1, Kind: "version", Share: 0.9}})
	}},
	{"Likenesses", page, func(a asker) error { return just(a.Likenesses(a.ctx, a.in, a.file)) }},
	{"VersionOf", page, func(a asker) error { return maybe(just(a.VersionOf(a.ctx, a.in, a.file))) }},
	{"FileText", page, func(a asker) error { return just(a.FileText(a.ctx, a.in, a.file)) }},
	{"LabelsChanged", page, func(a asker) error { return a.LabelsChanged(a.ctx, a.system(), a.files) }},

	// What a file says.
	{"Documents", page, func(a asker) error { return just(a.Documents(a.ctx, a.in, a.file)) }},
	{"Blocks", page, func(a asker) error { return just(a.Blocks(a.ctx, a.in, a.file, 0, 100)) }},
	{"CountBlocks", page, func(a asker) error { return just(a.CountBlocks(a.ctx, a.in, a.file)) }},
	{"Sentences", page, func(a asker) error { return just(a.Sentences(a.ctx, a.in, a.file)) }},
	{"FileTokens", ofTeam, func(a asker) error { return just(a.FileTokens(a.ctx, a.in, a.file)) }},
	{"StemFiles", page, func(a asker) error { return just(a.StemFiles(a.ctx, a.in, []string{"nipfmbdlk", "nophmbdlk"})) }},
	{"Analysis", page, func(a asker) error { return just(a.Analysis(a.ctx, a.in, a.file)) }},
	{"Sections", page, func(a asker) error { return just(a.Sections(a.ctx, a.in, a.file, db.SectionFilter{}, 0, 100)) }},
	{"CountSections", page, func(a asker) error { return just(a.CountSections(a.ctx, a.in, a.file, db.SectionFilter{})) }},
	{"LabelledSentences", page, func(a asker) error { return just(a.LabelledSentences(a.ctx, a.in, a.file)) }},
	{"Attributes", page, func(a asker) error {
		return just(a.Attributes(a.ctx, a.in, a.file, db.AttributePlace{Level: db.FileLevel, After: -1, Limit: 100}))
	}},
	{"CountAttributes", page, func(a asker) error {
		return just(a.CountAttributes(a.ctx, a.in, a.file, db.AttributePlace{Level: db.FileLevel}))
	}},
	{"Facts", page, func(a asker) error { return just(a.Facts(a.ctx, a.in, a.file)) }},
	{"FactValues", page, func(a asker) error {
		d, _ := query.Lookup(query.AttributeField("effective_date"))
		return just(a.FactValues(a.ctx, a.in, a.files, []query.Definition{d}))
	}},
	{"TypeGuess", page, func(a asker) error { return just(a.TypeGuess(a.ctx, a.in, a.file)) }},
	{"Changes", page, func(a asker) error { return just(a.Changes(a.ctx, a.in, a.file)) }},
	{"ProposeChanges", page, func(a asker) error {
		f, err := a.File(a.ctx, a.in, a.file)
		if err != nil {
			return err
		}
		return just(a.ProposeChanges(a.ctx, a.in, f, []db.Change{{ID: db.NewID(), Body: json.RawMessage(`{}`), BaseSHA256: []byte{1}}}))
	}},
	{"OpenChangesBefore", page, func(a asker) error {
		f, err := a.File(a.ctx, a.in, a.file)
		if err != nil {
			return err
		}
		return just(a.OpenChangesBefore(a.ctx, a.in, f))
	}},
	{"Rendition", page, func(a asker) error { return maybe(just(a.Rendition(a.ctx, a.in, a.file, []byte{1}))) }},
	{"RenditionReport", page, func(a asker) error { return maybe(just(a.RenditionReport(a.ctx, a.in, a.file, []byte{1}))) }},
	{"SaveRendition", page, func(a asker) error {
		return a.SaveRendition(a.ctx, a.in, a.file, []byte{2}, db.Rendition{Report: json.RawMessage(`{}`)}, later)
	}},

	// A file beside others: the newest few hundred of its type.
	{"Measures", ofType, func(a asker) error { return just(a.Measures(a.ctx, a.in, a.file, &a.kind, 500)) }},
	{"CountCorpus", ofType, func(a asker) error { return just(a.CountCorpus(a.ctx, a.in, a.corpus())) }},
	{"Radar", ofType, func(a asker) error {
		return just(a.Radar(a.ctx, a.in, a.corpus(), []db.FamilyNode{{Family: "f", Label: "payment_terms"}}))
	}},
	{"NodeShares", ofType, func(a asker) error { return just(a.NodeShares(a.ctx, a.in, a.corpus())) }},
	{"Scoreboard", ofType, func(a asker) error { return just(a.Scoreboard(a.ctx, a.in, a.corpus(), 20)) }},
	{"DatesOf", ofType, func(a asker) error { return just(a.DatesOf(a.ctx, a.in, a.corpus())) }},
	{"Distributions", page, func(a asker) error { return just(a.Distributions(a.ctx, a.in, a.files, a.file)) }},
	{"CountScorable", ofType, func(a asker) error { return just(a.CountScorable(a.ctx, a.in, a.kind, query.Filter{})) }},
	{"Relatives", page, func(a asker) error { return just(a.Relatives(a.ctx, a.in, a.file)) }},
	{"RelativeBytes", page, func(a asker) error { return just(a.RelativeBytes(a.ctx, a.in, a.file)) }},
	{"NodeLifts", ofTeam, func(a asker) error { return just(a.NodeLifts(a.ctx, a.in, a.file, a.kind, false, 20)) }},

	// Sentences.
	{"FiledSentence", page, func(a asker) error { return just(a.FiledSentence(a.ctx, a.in, a.sentence)) }},
	{"Neighbors", page, func(a asker) error {
		return just(a.Neighbors(a.ctx, a.in, db.FiledSentence{FileID: a.file, Sentence: db.Sentence{Ordinal: 1}}, 3))
	}},
	{"FiledSentences", page, func(a asker) error {
		return just(a.FiledSentences(a.ctx, a.in, db.SentenceFilter{}, db.ByPlace, db.SentencePlace{FileID: a.file, Ordinal: 1}, 50))
	}},
	{"FiledSentences/most doubtful", page, func(a asker) error { return a.sentences(db.SentenceFilter{}, db.ByDoubt) }},
	{"FiledSentences/surest, next page", page, func(a asker) error {
		return just(a.FiledSentences(a.ctx, a.in, db.SentenceFilter{}, db.BySurety, db.SentencePlace{Score: 0.5, ID: a.sentence}, 50))
	}},
	{"FiledSentences/of a file", page, func(a asker) error { return a.sentences(db.SentenceFilter{FileIDs: []string{a.file}}, db.ByPlace) }},
	{"AddClauses", page, func(a asker) error {
		sentences, err := a.FiledSentences(a.ctx, a.in, db.SentenceFilter{FileIDs: []string{a.file}}, db.ByPlace, db.SentencePlace{}, 50)
		return cmp.Or(err, a.AddClauses(a.ctx, a.in, sentences))
	}},
	{"ClauseSentences", page, func(a asker) error {
		return just(a.ClauseSentences(a.ctx, a.in, db.FiledSentence{FileID: a.file}, []string{"payment_terms"}))
	}},
	{"FiledSentences/with a label", page, func(a asker) error {
		return a.sentences(db.SentenceFilter{Labels: []string{"payment_terms"}}, db.BySurety)
	}},
	{"FiledSentences/with a rare label", page, func(a asker) error {
		return a.sentences(db.SentenceFilter{Labels: []string{"rare_clause"}}, db.BySurety)
	}},
	{"FiledSentences/with a rare label, by place", page, func(a asker) error {
		return a.sentences(db.SentenceFilter{Labels: []string{"rare_clause"}}, db.ByPlace)
	}},
	{"FiledSentences/of a rare type", page, func(a asker) error { return a.sentences(db.SentenceFilter{DocumentTypeID: a.rare}, db.ByPlace) }},
	{"FiledSentences/doubtful of a rare type", page, func(a asker) error { return a.sentences(db.SentenceFilter{DocumentTypeID: a.rare}, db.ByDoubt) }},
	{"FiledSentences/validated", page, func(a asker) error { return a.sentences(db.SentenceFilter{Source: "validated"}, db.ByPlace) }},
	{"CountSentences", some, func(a asker) error { return just(a.CountSentences(a.ctx, a.in, db.SentenceFilter{}, 1000)) }},
	{"CountSentences/of a rare type", page, func(a asker) error {
		return just(a.CountSentences(a.ctx, a.in, db.SentenceFilter{DocumentTypeID: a.rare}, 1000))
	}},
	{"SentenceIDs", page, func(a asker) error {
		return just(a.SentenceIDs(a.ctx, a.in, db.SentenceFilter{FileIDs: []string{a.file}}, 1000))
	}},
	{"SentenceIDs/rare", page, func(a asker) error {
		return just(a.SentenceIDs(a.ctx, a.in, db.SentenceFilter{Labels: []string{"rare_clause"}}, 1000))
	}},
	{"ReviewSentences", page, func(a asker) error { return just(a.ReviewSentences(a.ctx, a.in, "", db.SentencePlace{}, 50)) }},
	{"ReviewSentences/next page", page, func(a asker) error {
		return just(a.ReviewSentences(a.ctx, a.in, "", db.SentencePlace{Score: 0.5, ID: a.reviewed}, 50))
	}},
	{"ReviewSentences/of a type", many, func(a asker) error { return just(a.ReviewSentences(a.ctx, a.in, a.kind, db.SentencePlace{}, 50)) }},
	{"ReviewSentences/of a rare type", page, func(a asker) error { return just(a.ReviewSentences(a.ctx, a.in, a.rare, db.SentencePlace{}, 50)) }},
	{"ClaimReview", many, func(a asker) error { return a.ClaimReview(a.ctx, a.in, 5) }},
	{"Review", page, func(a asker) error { return just(a.Review(a.ctx, a.in)) }},
	{"ReleaseReview", page, func(a asker) error { return a.ReleaseReview(a.ctx, a.in) }},
	{"ReviewProgress", many, func(a asker) error { return just(a.ReviewProgress(a.ctx, a.in, time.Now().Add(-later), 1000)) }},
	{"DecideSentences", page, func(a asker) error {
		label := "payment_terms"
		return just2(a.DecideSentences(a.ctx, a.in, []string{a.reviewed}, db.Decision{Set: true, Labels: []string{label}}))
	}},
	{"WithdrawSentences", page, func(a asker) error { return just2(a.WithdrawSentences(a.ctx, a.in, []string{a.decided})) }},
	{"Unkept", page, func(a asker) error { return just(a.Unkept(a.ctx, a.in, a.files)) }},
	{"LabelCounts", ofTeam, func(a asker) error { return just(a.LabelCounts(a.ctx, a.in, "")) }},
	{"LabelCounts/of a rare type", page, func(a asker) error { return just(a.LabelCounts(a.ctx, a.in, a.rare)) }},
	{"NeedDocumentType", page, func(a asker) error { return a.NeedDocumentType(a.ctx, a.in, a.kind) }},
	{"TextStates", page, func(a asker) error { return just(a.TextStates(a.ctx, a.in, time.Now())) }},
	{"TextFiles", ofTeam, func(a asker) error { return just2(a.TextFiles(a.ctx, a.in)) }},
	{"NearestIndex", page, func(a asker) error { return just(a.NearestIndex(a.ctx, a.in)) }},
	{"SaveNearestIndex", page, func(a asker) error {
		return maybe(a.SaveNearestIndex(a.ctx, a.in, db.NearestIndex{BytesID: db.NewID()}, db.NewID()))
	}},
	{"DropNearestIndex", page, func(a asker) error { return a.DropNearestIndex(a.ctx, a.in, db.NewID()) }},
	{"CountTextFiles", ofTeam, func(a asker) error { return just(a.CountTextFiles(a.ctx, a.in)) }},
	{"SentenceTexts", page, func(a asker) error { return just(a.SentenceTexts(a.ctx, a.in, db.SentenceFilter{FileIDs: a.files})) }},

	// Search.
	{"WordForms", page, func(a asker) error {
		return just2(a.WordForms(a.ctx, a.in, []string{"nipfmbdlk", "nophmbdlk"}, []string{"nipfmbdlk", "nophmbdlk"}))
	}},
	{"Spellings", some, func(a asker) error {
		return just(a.Spellings(a.ctx, a.in, []string{"en", "de"}, []string{"nophmbdlk"}, [][]string{{"nophmbdl", "nophmbdk"}}))
	}},
	{"WordsWithPrefix", page, func(a asker) error { return just(a.WordsWithPrefix(a.ctx, a.in, []string{"en"}, "nop", 20)) }},
	{"RecentFiles", 90_000, func(a asker) error { return just(a.RecentFiles(a.ctx, a.in)) }},
	{"SearchSentences/a rare word", page, func(a asker) error { return a.search(db.SearchPlan{Words: "'escrow'", Names: "'escrow'"}) }},
	{"SearchSentences/a rare word and a common one", page, func(a asker) error {
		return a.search(db.SearchPlan{Words: "'escrow' & 'payment'", Asked: "'escrow'", Names: "'escrow' & 'payment'"})
	}},
	{"SearchSentences/by file", page, func(a asker) error {
		return a.search(db.SearchPlan{Words: "'escrow'", Names: "'escrow'", ByFile: true, Top: 5, Facets: []string{"status"}})
	}},
	{"SearchSentences/files of sentences that are not ranked", 120_000, func(a asker) error { // the index has 100,000
		return just(a.SearchSentences(a.ctx, a.in, db.SearchPlan{
			Words: "'payment'", Most: 5, Block: 5, Raw: 5, ByFile: true, Few: 50, Spread: 2_000, Limit: 20, Best: 3,
		}))
	}},
	{"SearchSentences/the newest", some, func(a asker) error {
		return a.search(db.SearchPlan{Words: "'payment'", Newest: 400, ByFile: true, Few: 500, Spread: 2_000})
	}},
	{"SearchSentences/without words", page, func(a asker) error { return a.search(db.SearchPlan{ByFile: true, Newest: 100}) }},
	{"SearchSentences/of a matter", page, func(a asker) error {
		return a.search(db.SearchPlan{Words: "'escrow'", Filter: db.SearchFilter{MatterIDs: []string{a.matter}}})
	}},
	{"SentencesFound", page, func(a asker) error {
		return just(a.SentencesFound(a.ctx, a.in, db.SearchFilter{}, []string{a.sentence}))
	}},
	{"FilesFound", page, func(a asker) error { return just(a.FilesFound(a.ctx, a.in, db.SearchFilter{}, a.files)) }},
	{"FileFacets", page, func(a asker) error { return just(a.FileFacets(a.ctx, a.in, a.files, []string{"status"})) }},
	{"FilesWithMost", some, func(a asker) error {
		return just(a.FilesWithMost(a.ctx, a.in, db.SearchPlan{}, []string{"'escrow'", "'payment'"}, 1, 100))
	}},
	{"SynonymGroups", page, func(a asker) error { return just(a.SynonymGroups(a.ctx, a.in)) }},
	{"SectionsTitled", some, func(a asker) error { return just(a.SectionsTitled(a.ctx, a.in, "escrow", query.Filter{}, 20)) }},
	{"SectionsTitled/common", ofTeam, func(a asker) error { return just(a.SectionsTitled(a.ctx, a.in, "payment", query.Filter{}, 20)) }},
	{"Named", many, func(a asker) error { return just(a.Named(a.ctx, a.in, db.NamedMatters, "Matter 12", 20)) }},
	{"Named/chats", page, func(a asker) error { return just(a.Named(a.ctx, a.in, db.NamedChats, "Chat 12", 20)) }},
	{"AttributeValues", ofTeam, func(a asker) error {
		return just(a.db.AttributeValues(a.ctx, a.in, db.AttributeSearch{Levels: []db.AttributeLevel{db.FileLevel}, Keys: []string{"contract_value"}, Occurrences: 3, Limit: 20}))
	}},
	{"AttributeValues/exact", page, func(a asker) error {
		return just(a.db.AttributeValues(a.ctx, a.in, db.AttributeSearch{Levels: []db.AttributeLevel{db.FileLevel}, Text: "77 usd", Match: db.MatchExact, Occurrences: 3, Limit: 20}))
	}},
	{"AttributeValues/similar", some * 2, func(a asker) error {
		return just(a.db.AttributeValues(a.ctx, a.in, db.AttributeSearch{Levels: []db.AttributeLevel{db.SpanLevel}, Text: "term 1234", Match: db.MatchSimilar, Most: 500, Occurrences: 3, Limit: 20}))
	}},
	{"AttributeValues/restricted", 6 * many, func(a asker) error {
		return just(a.db.AttributeValues(a.ctx, a.guest, db.AttributeSearch{Levels: []db.AttributeLevel{db.SpanLevel}, Text: "term 1234", Match: db.MatchSimilar, Most: 500, Occurrences: 3, Limit: 20}))
	}},
	{"AttributeKeys", ofTeam, func(a asker) error { return just(a.AttributeKeys(a.ctx, a.in, db.FileLevel, "", db.MatchExact, 20)) }},
	{"MetadataLike", some, func(a asker) error { return just(a.MetadataLike(a.ctx, a.in, "P-13", query.Filter{}, 20)) }},
	{"SavedSearches", some, func(a asker) error { return just(a.SavedSearches(a.ctx, a.in, db.NamePlace{}, 50)) }},
	{"SavedSearch", page, func(a asker) error { return maybe(just(a.SavedSearch(a.ctx, a.in, a.savedSearch))) }},
	{"FieldUses", ofTeam, func(a asker) error { return just(a.FieldUses(a.ctx, a.in)) }},

	// Filters and dashboards: figures of what the filters let through.
	{"Facets", ofTeam, func(a asker) error {
		return a.facets(func(f db.Facets) error {
			return just(f.Options(a.ctx, query.Filter{}, definition(query.DocumentType), "", 20, 0))
		})
	}},
	{"Options", page, func(a asker) error {
		return a.facets(func(f db.Facets) error {
			return just(f.Options(a.ctx, checked(query.Files, query.Is(query.Matter, a.matter)), definition(query.Party), "", 20, 0))
		})
	}},
	{"Options/types", some, func(a asker) error {
		return a.facets(func(f db.Facets) error {
			return just(f.Options(a.ctx, query.Filter{}, definition(query.DocumentType), "", 20, 0))
		})
	}},
	{"Count", page, func(a asker) error {
		return a.facets(func(f db.Facets) error {
			return just(f.Count(a.ctx, checked(query.Files, query.Is(query.Matter, a.matter))))
		})
	}},
	{"Range", page, func(a asker) error {
		return a.facets(func(f db.Facets) error {
			return just(f.Range(a.ctx, checked(query.Files, query.Is(query.Matter, a.matter)), definition(query.Size)))
		})
	}},
	{"AttributeOptions", page, func(a asker) error {
		return a.facets(func(f db.Facets) error {
			return just(f.AttributeOptions(a.ctx, checked(query.Files, query.Is(query.Matter, a.matter)), 20))
		})
	}},
	{"AttributeFields", ofTeam, func(a asker) error {
		return a.facets(func(f db.Facets) error { return just(f.AttributeFields(a.ctx, 50)) })
	}},
	{"MetadataFields", page, func(a asker) error { return a.facets(func(f db.Facets) error { return just(f.MetadataFields(a.ctx)) }) }},
	{"Aggregate", ofTeam, func(a asker) error {
		return a.group(query.Query{Source: query.Files, Metric: query.Metric{Op: query.Count}, GroupBy: []query.Field{query.Status}})
	}},
	{"Aggregate/of each type", some, func(a asker) error {
		return a.group(query.Query{Source: query.Files, Metric: query.Metric{Op: query.Count}, GroupBy: []query.Field{query.DocumentType}})
	}},
	{"Aggregate/of a matter", page, func(a asker) error {
		return a.group(query.Query{Source: query.Sentences, Metric: query.Metric{Op: query.Count}, GroupBy: []query.Field{query.Label}, Filters: []query.Filter{query.Is(query.Matter, a.matter)}})
	}},
	{"Aggregate/of a rare type", page, func(a asker) error {
		return a.group(query.Query{Source: query.Attributes, Metric: query.Metric{Op: query.Count}, GroupBy: []query.Field{query.AttributeKey}, Filters: []query.Filter{query.Is(query.DocumentType, a.rare)}})
	}},
	{"Aggregate/types with more than some files", some, func(a asker) error {
		return a.group(query.Query{Source: query.Files, Metric: query.Metric{Op: query.Count}, GroupBy: []query.Field{query.DocumentType}, Having: []query.Bound{{Op: query.Above, Value: 3}}})
	}},
	{"Aggregate/labels of more than some sentences", page, func(a asker) error {
		return a.group(query.Query{Source: query.Sentences, Metric: query.Metric{Op: query.Count}, GroupBy: []query.Field{query.Label}, Having: []query.Bound{{Op: query.Above, Value: 3}}})
	}},
	{"Aggregate/types with more files than the average", some, func(a asker) error {
		return a.group(query.Query{Source: query.Files, Metric: query.Metric{Op: query.Count}, GroupBy: []query.Field{query.DocumentType}, Having: []query.Bound{{Op: query.Above, Value: 1, Across: query.Avg}}})
	}},
	{"Aggregate/average of each type", some, func(a asker) error {
		return a.group(query.Query{Source: query.Files, Metric: query.Metric{Op: query.Count}, GroupBy: []query.Field{query.DocumentType}, Across: query.Avg})
	}},
	{"Aggregate/of a rare type, by two dates of each file", page, func(a asker) error {
		return a.group(query.Query{Source: query.Files, Metric: query.Metric{Op: query.Count}, Filters: []query.Filter{query.Is(query.DocumentType, a.rare), query.Than(query.AttributeField("agreement_date"), query.Above, query.AttributeField("effective_date"))}})
	}},
	{"Aggregate/share of a sum, of a rare type", page, func(a asker) error {
		return a.group(query.Query{Source: query.Files, Metric: query.Metric{Op: query.Share, Field: query.AttributeField("contract_value"), Filters: []query.Filter{query.Is(query.Label, "governing_law")}}, Filters: []query.Filter{query.Is(query.DocumentType, a.rare)}})
	}},
	{"Aggregate/all labels", page, func(a asker) error {
		return a.group(query.Query{Source: query.Sentences, Metric: query.Metric{Op: query.Count}, GroupBy: []query.Field{query.Label}})
	}},
	{"Aggregate/all sentences", page, func(a asker) error {
		return a.group(query.Query{Source: query.Sentences, Metric: query.Metric{Op: query.Count}})
	}},
	{"DueAnalyses", page, func(a asker) error { return just(a.DueAnalyses(a.ctx, later)) }},
	{"Widgets", page, func(a asker) error { return just(a.Widgets(a.ctx, a.in)) }},
	{"Widget", page, func(a asker) error { return just(a.Widget(a.ctx, a.in, a.widget)) }},
	{"MetadataKeys", page, func(a asker) error { return just(a.MetadataKeys(a.ctx, a.in)) }},

	// Matters, and work on them.
	{"Matter", page, func(a asker) error { return just(a.Matter(a.ctx, a.in, a.matter)) }},
	{"NeedMatter", page, func(a asker) error { return a.NeedMatter(a.ctx, a.in, a.matter) }},
	{"Matters", page, func(a asker) error {
		return just(a.Matters(a.ctx, a.in, db.MatterFilter{}, db.Order{}, db.Place{ID: a.matter}, 50))
	}},
	{"Matters/by name", page, func(a asker) error {
		return just(a.Matters(a.ctx, a.in, db.MatterFilter{}, db.Order{By: "name"}, db.Place{Value: &text, ID: a.matter}, 50))
	}},
	{"Matters/by change", page, func(a asker) error {
		return just(a.Matters(a.ctx, a.in, db.MatterFilter{}, db.Order{By: "updatedAt", Descending: true}, db.Place{}, 50))
	}},
	{"Matters/by age", page, func(a asker) error {
		return just(a.Matters(a.ctx, a.in, db.MatterFilter{}, db.Order{By: "createdAt", Descending: true}, db.Place{}, 50))
	}},
	{"Matters/by due date", page, func(a asker) error {
		return just(a.Matters(a.ctx, a.in, db.MatterFilter{}, db.Order{By: "dueAt"}, db.Place{}, 50))
	}},
	{"Matters/of an owner", page, func(a asker) error {
		return just(a.Matters(a.ctx, a.in, db.MatterFilter{OwnerID: a.user}, db.Order{}, db.Place{}, 50))
	}},
	{"Matters/restricted", page, func(a asker) error {
		return just(a.Matters(a.ctx, a.guest, db.MatterFilter{}, db.Order{}, db.Place{}, 50))
	}},
	{"CountMatters", many, func(a asker) error { return just(a.CountMatters(a.ctx, a.in, db.MatterFilter{})) }},
	{"MatterNames", page, func(a asker) error { return just(a.MatterNames(a.ctx, a.in, db.MatterFilter{}, db.NamePlace{}, 50)) }},
	{"NamesOfMatters", page, func(a asker) error { return just(a.NamesOfMatters(a.ctx, a.in, []string{a.matter})) }},
	{"DocumentTypeNames", page, func(a asker) error { return just(a.DocumentTypeNames(a.ctx, a.in, []string{a.kind})) }},
	{"MemberNames", page, func(a asker) error { return just(a.MemberNames(a.ctx, a.in, []string{a.user})) }},
	{"MatterOverviews", page, func(a asker) error { return just(a.MatterOverviews(a.ctx, a.in, db.MatterFilter{}, db.DuePlace{}, 50)) }},
	{"MatterCounts", many, func(a asker) error { return just2(a.MatterCounts(a.ctx, a.in, db.MatterFilter{})) }},
	{"MatterFacetValues", page, func(a asker) error {
		return just(a.MatterFacetValues(a.ctx, a.in, "sources", db.MatterFileFilter{MatterID: a.matter}, "", 20))
	}},
	{"MatterFacetValues/of all", ofTeam, func(a asker) error {
		return just(a.MatterFacetValues(a.ctx, a.in, "sources", db.MatterFileFilter{}, "", 20))
	}},
	{"Timeline", page, func(a asker) error { return just(a.Timeline(a.ctx, a.in, a.matter, 0, 50)) }},
	{"TakeOutOfMatter", page, func(a asker) error { return just(a.TakeOutOfMatter(a.ctx, a.in, a.matter, a.file)) }},
	{"NeedMatterFile", page, func(a asker) error { return a.NeedMatterFile(a.ctx, a.in, a.matter, a.file) }},
	{"UpdateMatter", page, func(a asker) error { return just(a.UpdateMatter(a.ctx, a.in, a.matter, db.MatterChange{Name: &text})) }},
	{"Assignments", page, func(a asker) error { return just(a.Assignments(a.ctx, a.in, db.Assignee{FileID: a.file}, "", 50)) }},
	{"Assignments/of a matter", page, func(a asker) error { return just(a.Assignments(a.ctx, a.in, db.Assignee{MatterID: a.matter}, "", 50)) }},
	{"Assign", page, func(a asker) error {
		return just(a.Assign(a.ctx, a.in, db.Assignee{FileID: a.file}, a.user, db.AssignmentChange{}))
	}},
	{"Work", page, func(a asker) error {
		return just(a.Work(a.ctx, a.in, db.WorkFilter{UserID: a.user}, db.DuePlace{}, 50))
	}},
	{"Work/of all", page, func(a asker) error { return just(a.Work(a.ctx, a.in, db.WorkFilter{}, db.DuePlace{}, 50)) }},
	{"Work/on a matter", many, func(a asker) error {
		return just(a.Work(a.ctx, a.in, db.WorkFilter{MatterID: a.matter}, db.DuePlace{}, 50))
	}},
	{"WorkByPerson", ofTeam, func(a asker) error { return just2(a.WorkByPerson(a.ctx, a.in, db.WorkFilter{})) }},

	// Types, labels and categories.
	{"DocumentType", some, func(a asker) error { return just(a.DocumentType(a.ctx, a.in, a.kind)) }},
	{"DocumentTypes", 10_000, func(a asker) error { return just(a.DocumentTypes(a.ctx, a.in, false, "", 50)) }},
	{"CountDocumentTypes", page, func(a asker) error { return just(a.CountDocumentTypes(a.ctx, a.in, false)) }},
	{"TypeKeys", page, func(a asker) error { return just(a.TypeKeys(a.ctx, a.in)) }},
	{"TypeModelID", page, func(a asker) error { return just(a.TypeModelID(a.ctx, a.in, db.NewID())) }},
	{"TypeAnalysis", page, func(a asker) error { return just(a.TypeAnalysis(a.ctx, a.in, a.kind, 0)) }},
	{"TypeStats", ofTeam, func(a asker) error { return just(a.TypeStats(a.ctx, a.in, "", false)) }},
	{"CountUntyped", ofTeam, func(a asker) error { return just(a.CountUntyped(a.ctx, a.in, false)) }},
	{"CorpusState", ofType, func(a asker) error { return just(a.CorpusState(a.ctx, a.in, a.kind)) }},
	{"Nodes", page, func(a asker) error { return just(a.Nodes(a.ctx, a.in)) }},
	{"RetiredNodes", page, func(a asker) error { return just(a.RetiredNodes(a.ctx, a.in)) }},
	{"ActiveModel", page, func(a asker) error { return just(a.ActiveModel(a.ctx, a.in)) }},
	{"Model", page, func(a asker) error { return just(a.Model(a.ctx, a.in, a.model)) }},
	{"Models", page, func(a asker) error { return just(a.Models(a.ctx, a.in)) }},
	{"Field", page, func(a asker) error { return maybe(just(a.Field(a.ctx, a.in, "x"))) }},
	{"Fields", page, func(a asker) error { return just(a.Fields(a.ctx, a.in)) }},
	{"ActiveFields", page, func(a asker) error { return just(a.ActiveFields(a.ctx, a.in)) }},
	{"FieldUse", page, func(a asker) error { return just(a.FieldUse(a.ctx, a.in, db.OwnField{ID: db.NewID(), Key: "x"})) }},
	{"FieldModels", page, func(a asker) error { return just(a.FieldModels(a.ctx, a.in, db.NewID(), 20)) }},
	{"FieldMarks", page, func(a asker) error { return just(a.FieldMarks(a.ctx, a.in, db.OwnField{ID: db.NewID()}, "", "", 50)) }},
	{"FieldMarks/of a file", page, func(a asker) error {
		return just(a.FieldMarks(a.ctx, a.in, db.OwnField{ID: db.NewID()}, a.file, "", 50))
	}},
	{"FieldMarks/restricted", page, func(a asker) error {
		return just(a.FieldMarks(a.ctx, a.guest, db.OwnField{ID: db.NewID()}, "", "", 50))
	}},
	{"MarksOfFile", page, func(a asker) error { return just(a.MarksOfFile(a.ctx, a.in, a.file)) }},
	{"OwnNames", page, func(a asker) error { return just(a.OwnNames(a.ctx, a.in)) }},
	{"FrequentParties", page, func(a asker) error { return just(a.FrequentParties(a.ctx, a.in, 100, 6)) }},
	{"TeamsWithoutNames", some, func(a asker) error { return just(a.TeamsWithoutNames(a.ctx, time.Now().Add(-later))) }},
	{"ReadParties", page, func(a asker) error { return a.ReadParties(a.ctx, a.in, []string{a.file}) }},
	{"AdvanceOperation", page, func(a asker) error { return maybe(a.AdvanceOperation(a.ctx, a.in, a.operation, 1)) }},
	{"DueFields", page, func(a asker) error { return just(a.DueFields(a.ctx, 10)) }},
	{"Category", page, func(a asker) error { return just(a.Category(a.ctx, a.in, a.category)) }},
	{"Categories", ofTeam, func(a asker) error { return just(a.Categories(a.ctx, a.in, db.CategoryFilter{}, db.NamePlace{}, 50)) }},

	// Chats, news and the trash.
	{"Chat", page, func(a asker) error { return just(a.Chat(a.ctx, a.in, a.chat)) }},
	{"Chats", page, func(a asker) error { return just(a.Chats(a.ctx, a.in, db.ChatFilter{}, "", 50)) }},
	{"Chats/about a file", page, func(a asker) error { return just(a.Chats(a.ctx, a.in, db.ChatFilter{FileID: a.file}, "", 50)) }},
	{"Chats/restricted", many, func(a asker) error { return just(a.Chats(a.ctx, a.guest, db.ChatFilter{}, "", 50)) }},
	{"NeedChat", page, func(a asker) error { return a.NeedChat(a.ctx, a.in, a.chat) }},
	{"ChatMessage", page, func(a asker) error { return just(a.ChatMessage(a.ctx, a.in, a.chat, a.message)) }},
	{"ChatMessages", page, func(a asker) error { return just(a.ChatMessages(a.ctx, a.in, a.chat, "", db.ChatPlace{}, 50)) }},
	{"ChatMessages/with words", page, func(a asker) error {
		return just(a.ChatMessages(a.ctx, a.in, a.chat, "clause", db.ChatPlace{Before: 3}, 50))
	}},
	{"ChatMessages/restricted", many, func(a asker) error { return just(a.ChatMessages(a.ctx, a.guest, a.chat, "", db.ChatPlace{}, 50)) }},
	{"FindMessages", some, func(a asker) error { return just(a.FindMessages(a.ctx, a.in, "w7", "", 50)) }},
	{"FindMessages/what all say", some, func(a asker) error { return just(a.FindMessages(a.ctx, a.in, "clause", "", 50)) }},
	{"FindMessages/restricted", many, func(a asker) error { return just(a.FindMessages(a.ctx, a.guest, "clause", "", 50)) }},
	{"AddChatMessage", page, func(a asker) error { return just(a.AddChatMessage(a.ctx, a.in, a.chat, db.NewChatMessage{Text: "x"})) }},
	{"AddAnswer", page, func(a asker) error {
		return just(a.AddAnswer(a.ctx, a.in, db.ChatMessage{ID: a.message, ChatID: a.chat}, "x", json.RawMessage(`{}`)))
	}},
	{"SectionTitles", page, func(a asker) error { return just(a.SectionTitles(a.ctx, a.in, a.file)) }},
	{"ReserveTokens", page, func(a asker) error { return just(a.ReserveTokens(a.ctx, a.in, 1, 0)) }},
	{"SettleTokens", page, func(a asker) error { return a.SettleTokens(a.ctx, a.in, "2026-01-01", 1, 0) }},
	{"TokensToday", page, func(a asker) error { return just(a.TokensToday(a.ctx, a.in)) }},
	{"Repeated", page, func(a asker) error { return just(a.Repeated(a.ctx, a.in, "/x", "k")) }},
	{"MarkChatRead", page, func(a asker) error { return just(a.MarkChatRead(a.ctx, a.in, a.chat, "")) }},
	{"EnsureChat", page, func(a asker) error { return just2(a.EnsureChat(a.ctx, a.in, db.NewID(), "x")) }},
	{"Events", page, func(a asker) error { return just(a.Events(a.ctx, a.in, 0, 100)) }},
	{"LastEvent", page, func(a asker) error { return just(a.LastEvent(a.ctx, a.in)) }},
	{"Audit", page, func(a asker) error { return a.Audit(a.ctx, a.in, "file.updated", "file", a.file, nil) }},
	{"AuditEvents", page, func(a asker) error { return just(a.AuditEvents(a.ctx, a.in, a.file, 50)) }},
	{"ThingNames", page, func(a asker) error { return just(a.ThingNames(a.ctx, a.in, []string{a.file, a.matter, a.user})) }},
	{"AuditTrail", page, func(a asker) error { return just(a.AuditTrail(a.ctx, a.in, db.AuditFilter{}, db.AuditPlace{}, 50)) }},
	{"AuditTrail/of a file", page, func(a asker) error {
		return just(a.AuditTrail(a.ctx, a.in, db.AuditFilter{FileID: a.file}, db.AuditPlace{}, 50))
	}},
	{"AuditTrail/of a matter", page, func(a asker) error {
		return just(a.AuditTrail(a.ctx, a.in, db.AuditFilter{MatterID: a.matter}, db.AuditPlace{}, 50))
	}},
	{"AuditTrail/of a rare action", page, func(a asker) error {
		return just(a.AuditTrail(a.ctx, a.in, db.AuditFilter{Actions: []string{"file.replaced"}}, db.AuditPlace{}, 50))
	}},
	{"AuditTrail/of somebody", page, func(a asker) error {
		return just(a.AuditTrail(a.ctx, a.in, db.AuditFilter{ActorID: a.user}, db.AuditPlace{}, 50))
	}},
	{"CountAudit", ofTeam, func(a asker) error {
		return just(a.CountAudit(a.ctx, a.in, db.AuditFilter{}, []db.AuditGroup{db.ByAction}, 50))
	}},
	{"ActorNames", page, func(a asker) error { return just(a.ActorNames(a.ctx, a.in, []string{a.user})) }},
	{"Notify", page, func(a asker) error { return a.Notify(a.ctx, a.in, []string{a.user}, note) }},
	{"PushNotifications", page, func(a asker) error { return just(a.PushNotifications(a.ctx, a.in, []string{a.user}, note)) }},
	{"Notifications", page, func(a asker) error {
		return just(a.Notifications(a.ctx, a.in, db.NotificationFilter{}, a.notification, 50))
	}},
	{"Notifications/unread", page, func(a asker) error {
		return just(a.Notifications(a.ctx, a.in, db.NotificationFilter{Unread: true}, "", 50))
	}},
	{"Notifications/of a rare kind", many, func(a asker) error {
		return just(a.Notifications(a.ctx, a.in, db.NotificationFilter{Kinds: []string{"mention"}}, "", 50))
	}},
	{"Notifications/restricted", ofType, func(a asker) error { return just(a.Notifications(a.ctx, a.guest, db.NotificationFilter{}, "", 50)) }},
	{"CountNotifications", some, func(a asker) error {
		return just(a.CountNotifications(a.ctx, a.in, db.NotificationFilter{Unread: true}))
	}},
	{"MarkNotification", page, func(a asker) error { return just(a.MarkNotification(a.ctx, a.in, a.notification, true)) }},
	{"Trash", page, func(a asker) error { return just(a.Trash(a.ctx, a.in, db.TrashFilter{}, a.entry, 50)) }},
	{"CountTrash", page, func(a asker) error { return just(a.CountTrash(a.ctx, a.in, db.TrashFilter{})) }},
	{"TrashIDs", page, func(a asker) error {
		return just(a.TrashIDs(a.ctx, a.in, db.TrashFilter{Operation: a.operation}, 1000))
	}},
	{"RestoreTrash", some, func(a asker) error { return just(a.RestoreTrash(a.ctx, a.in, []string{a.entry}, "", false)) }},
	{"DeletedFiles", page, func(a asker) error { return just(a.DeletedFiles(a.ctx, a.in, time.Now().Add(-later), "", 100)) }},
	{"Vanished", page, func(a asker) error { return just(a.Vanished(a.ctx, a.in, 100)) }},
	{"SetRemoved", page, func(a asker) error { return a.SetRemoved(a.ctx, a.in, a.files, false) }},

	// Work under way.
	{"Operation", page, func(a asker) error { return just(a.Operation(a.ctx, a.in, a.operation)) }},
	{"Operations", page, func(a asker) error { return just(a.Operations(a.ctx, a.in, a.operation, 50)) }},
	{"CreateOperation", page, func(a asker) error { return just(a.CreateOperation(a.ctx, a.in, "reprocess", 3, nil)) }},
	{"FollowFiles", page, func(a asker) error {
		return a.FollowFiles(a.ctx, a.operation, []db.Attempt{{FileID: a.file, Number: 2}})
	}},
	{"StepOperation", page, func(a asker) error { return a.StepOperation(a.ctx, a.in, a.operation, 1, nil) }},
	{"FinishOperation", page, func(a asker) error { return a.FinishOperation(a.ctx, a.in, a.operation, nil, "") }},
	{"HoldOperation", page, func(a asker) error { return maybe(a.HoldOperation(a.ctx, a.in, a.operation)) }},
	{"DeriveStatus", page, func(a asker) error { return a.DeriveStatus(a.ctx, a.in, a.file) }},
	{"Fence", page, func(a asker) error { return a.Fence(a.ctx, a.job, 1) }},
	{"Fenced", page, func(a asker) error { return just(a.Fenced(a.ctx, a.job, 1)) }},
	{"FinishIndexing", page, func(a asker) error { return maybe(a.FinishIndexing(a.ctx, a.system(), a.file, 1)) }},
	{"CompleteUnindexed", page, func(a asker) error { return maybe(just(a.CompleteUnindexed(a.ctx, a.system(), a.running))) }},
	{"AwaitIndex", page, func(a asker) error { return a.AwaitIndex(a.ctx, a.system(), a.attempt()) }},
	{"IndexFiles", page, func(a asker) error {
		return just(a.IndexFiles(a.ctx, []db.FileRef{{TeamID: a.in.TeamID, FileID: a.file}}))
	}},
	{"IndexSentences", page, func(a asker) error {
		return just(a.IndexSentences(a.ctx, []db.FileRef{{TeamID: a.in.TeamID, FileID: a.file}}))
	}},
	{"SetIndexed", page, func(a asker) error { return a.SetIndexed(a.ctx, a.system(), a.file, 2) }},
	{"SetFindable", page, func(a asker) error { return a.SetFindable(a.ctx, a.system(), a.file) }},
	{"SetLabelsIndexed", page, func(a asker) error {
		return a.SetLabelsIndexed(a.ctx, []db.Indexed{{FileRef: db.FileRef{TeamID: a.in.TeamID, FileID: a.file}, Labels: 5}})
	}},
	{"FoldCounts", some, func(a asker) error { return a.db.FoldCounts(a.ctx, a.in.TeamID) }},
	{"FoldVocabulary", page, func(a asker) error { return a.db.FoldVocabulary(a.ctx, a.in.TeamID) }},
	{"Webhooks", page, func(a asker) error { return just(a.Webhooks(a.ctx, a.in, "", 50)) }},
	{"Deliveries", page, func(a asker) error { return just(a.Deliveries(a.ctx, a.in, a.hook, db.DeliveryFilter{}, "", 50)) }},
	{"Deliveries/failed", some, func(a asker) error {
		return just(a.Deliveries(a.ctx, a.in, a.hook, db.DeliveryFilter{States: []string{"failed"}}, "", 50))
	}},
}

// ofAll are the questions that are about all teams, or read what
// is of them: the unfinished jobs, and what webhooks were sent.
var ofAll = []question{
	{"TeamStatus", ofTeam, func(a asker) error { return just(a.TeamStatus(a.ctx, a.in)) }},
	{"PurgeTrash", ofTeam, func(a asker) error { return just(a.PurgeTrash(a.ctx, a.in, a.entry)) }},
	{"WordStatistics", page, func(a asker) error { return just(a.WordStatistics(a.ctx)) }},
	{"DueTrash", page, func(a asker) error { return just(a.DueTrash(a.ctx, 720*time.Hour, 100)) }},
	{"Heartbeat", page, func(a asker) error { return a.Heartbeat(a.ctx, "worker 1", "1", map[string]int{"bulk": 2}, nil) }},
	{"RecognitionLanguages", page, func(a asker) error { return just(a.RecognitionLanguages(a.ctx)) }},
	{"LiveWorkers", page, func(a asker) error { return just(a.LiveWorkers(a.ctx, "text")) }},
	{"RescueJobs", page, func(a asker) error { return just(a.RescueJobs(a.ctx, "worker 1", nil, 15*time.Second)) }},
	{"Admit", page, func(a asker) error { return just(a.db.Admit(a.ctx, "bulk", 0)) }},
	{"QueueDepths", 40_000, func(a asker) error { return just(a.QueueDepths(a.ctx)) }},
	{"FleetOfWorkers", page, func(a asker) error { return just(a.FleetOfWorkers(a.ctx)) }},
	{"SlotsInUse", page, func(a asker) error { return just(a.SlotsInUse(a.ctx)) }},
	{"QueueLoads", ofTeam, func(a asker) error {
		return just(a.QueueLoads(a.ctx, []string{"bulk", "interactive"}, time.Now().Add(-time.Hour).Truncate(db.Bucket)))
	}},
	{"Steps", ofTeam, func(a asker) error { return just(a.Steps(a.ctx, time.Now().Add(-time.Hour))) }},
	{"FilesOverTime", ofTeam, func(a asker) error {
		return just(a.FilesOverTime(a.ctx, time.Now().Add(-time.Hour).Truncate(db.Bucket)))
	}},
	{"FailureCauses", page, func(a asker) error { return just(a.FailureCauses(a.ctx, time.Now().Add(-24*time.Hour))) }},
	{"AllFilesByStatus", ofTeam, func(a asker) error { return just(a.AllFilesByStatus(a.ctx)) }},
	{"ServerLoad", page, func(a asker) error { return just(a.ServerLoad(a.ctx)) }},
	{"Connections", page, func(a asker) error { return just(a.Connections(a.ctx)) }},
	{"AdoptIndexJobs", page, func(a asker) error { return just(a.AdoptIndexJobs(a.ctx, 100)) }},
	{"IndexBacklog", page, func(a asker) error { return just(a.IndexBacklog(a.ctx)) }},
	{"StaleIndexing", page, func(a asker) error { return just(a.StaleIndexing(a.ctx, 100)) }},
	{"IndexFilesAfter", page, func(a asker) error { return just(a.IndexFilesAfter(a.ctx, a.file, 100)) }},
	{"UnindexedFiles", page, func(a asker) error { return just(a.UnindexedFiles(a.ctx, 100)) }},
	{"DueNearestIndexes", ofTeam, func(a asker) error {
		return just(a.DueNearestIndexes(a.ctx, db.DueNearest{Format: 1, Sentences: 20_000, Share: 10, Age: later}))
	}},
	{"StrandedFiles", page, func(a asker) error { return just(a.StrandedFiles(a.ctx, later, 100)) }},
	{"RestartStranded", page, func(a asker) error {
		_, err := a.RestartStranded(a.ctx, db.FileRef{FileID: a.file, TeamID: a.system().TeamID}, later)
		if fault.KindOf(err) == fault.NotFound {
			return nil
		}
		return err
	}},
	{"StaleCounts", some, func(a asker) error { return just(a.StaleCounts(a.ctx)) }},
	{"StaleVocabularies", page, func(a asker) error { return just(a.StaleVocabularies(a.ctx)) }},
	{"AskDeliveries", page, func(a asker) error { return just(a.AskDeliveries(a.ctx, 100)) }},
	{"DueTrainings", ofTeam, func(a asker) error {
		return just(a.DueTrainings(a.ctx, db.DueTraining{New: 5, First: 50, Examples: 5, Base: db.NewID()}))
	}},
	{"DueTypeTrainings", ofTeam, func(a asker) error { return just(a.DueTypeTrainings(a.ctx, db.NewID(), 10)) }},
	{"StemTexts", ofTeam, func(a asker) error { return just(a.StemTexts(a.ctx, 20)) }},
	{"Prune", ofTeam, func(a asker) error { return a.Prune(a.ctx) }},
}

// cold are the other questions, by why they are not asked often.
var cold = map[string]string{
	"no question of its own": "AnalyzeGrown InTx Listen Ping UnknownBytes",
	"once, as a program starts or stops": `
		Catalogue EverHadFiles Fits FilesPlan Installation Migrate NewestBytes Schema SetMarked SignOff`,
	"one row by its key, when somebody changes it": `
		AddNode ArrangeWidgets AssignmentForUpdate CarryChanges ChangeMetadataKey ChatForUpdate CreateCategory CreateDocumentType
		CreateFlag BeginMatterChat ChangeField CreateMatter CreateWebhook CreateWidget DeclareField DeclareMetadata DeleteChatMessage DeleteFlag DeleteFlagCondition
		DeleteInvitation DeleteWebhook DropDelivery DueDelivery EditChatMessage EndChanges FieldForUpdate Flag FlagCondition MarkField MetadataKey NodeForUpdate OwnedAPIKey PlaceMarks PutFlagCondition Replay SaveDelivery
		SaveSearch SetSynonyms TeamIcon SetTeamIcon Unassign UnmarkField UpdateAssignment UpdateCategory UpdateChat UpdateDocumentType UpdateFlag
		UpdateNode UpdateSavedSearch UpdateWebhook UpdateWidget Webhook WithdrawChange WithdrawLifecycleStage`,
	"once, when somebody signs in or joins": `
		AcceptInvitation AddMember AddParticipant CreateInvitation CreateOrganization CreateSession EndOpenSession EnsureOrganization
		EnsureUser PersonalTeam RevokeSession SignIn SwitchSession`,
	"an administrator's, now and then": `
		APIKeys AllAPIKeys CreateAPIKey CreateServiceAccount Invitations RemoveMember RemoveParticipant ReplaceServiceSecret
		RevokeAPIKey RevokeServiceAccount ServiceAccount SetOwnNames SetRole UpdateServiceAccount`,
	"an operator's, at the command line": "AllTeams BeginImport Export ServerVersion Unindex WhereFileIs",
	"deletes a thing with what is about it": `
		CancelOperation DeleteCategory DeleteChat DeleteDocumentType DeleteField DeleteMatter DeleteNode DeleteSavedSearch DeleteWidget
		ForgetMetadataKey MergeNode MetadataUse NodeUse`,
	"once for a training or an analysis, of all that it learns from": `
		ActivateModel AllFiles AssignedFiles CorpusAttributes CorpusEdges CorpusExamples CorpusNodes CorpusOverTime CorpusTerms
		CountAllFiles CountLabelledOtherwise CreateRelabelling DecidedFiles Deciders Examples FieldModelData FilesWithoutField LabelledOtherwise LastRefusal LearnOwnName ModelData ModelStands OtherFiles RefuseModel
		ReviewStates SaidOfField SaveFieldModel SaveModel SaveTypeAnalysis SaveTypeModel TypeDecisions TypeModelData UnusualFiles`,
}
