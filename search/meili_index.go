package search

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/meilisearch/meilisearch-go"
	"golang.org/x/sync/errgroup"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
	"github.com/clausemill/clausemill/trace"
)

// facts are the fields of a file that each of its sentences repeats. They are few,
// because each is stored as often as there are sentences: conditions on other fields
// of files are answered by the database (narrowed).
type facts struct {
	ID             string  `json:"id"`
	Kind           string  `json:"kind"`
	TeamID         string  `json:"teamId"`
	FileID         string  `json:"fileId"` // of a file, its own id
	Status         string  `json:"status"`
	DocumentTypeID *string `json:"documentTypeId"`
	MatterID       *string `json:"matterId"`
	LifecycleStage string  `json:"lifecycleStage"`
	Language       string  `json:"language"`
	CreatedAt      float64 `json:"createdAt"` // Unix seconds
	Generation     int     `json:"generation"`
}

// fileDocument is what Meilisearch knows of a file. Values that can be written in
// several ways are folded, and of its name it has the stems.
type fileDocument struct {
	facts
	Name               string           `json:"name"`
	ErrorCode          *string          `json:"errorCode,omitempty"`
	DocumentTypeSource *string          `json:"documentTypeSource,omitempty"`
	Source             string           `json:"source"`
	ContentType        string           `json:"contentType"`
	PageCount          int              `json:"pageCount"`
	Size               int64            `json:"size"`
	Parties            []string         `json:"party,omitempty"`
	Counterparties     []string         `json:"counterparty,omitempty"`
	CreatedBy          *string          `json:"createdBy,omitempty"`
	HasOCR             bool             `json:"hasOcr"`
	Duplicate          bool             `json:"duplicate"`
	Attributes         map[string][]any `json:"attributes,omitempty"` // words or numbers by key; days are Unix seconds
	Stamp              string           `json:"stamp"`                // of db.IndexFile; "" while its sentences are on their way
}

// sentenceDocument is what Meilisearch knows of a sentence: the stems that Postgres
// has, so that the two find the same.
type sentenceDocument struct {
	facts
	Ordinal     int      `json:"ordinal"`
	Page        int      `json:"page"`
	Stems       string   `json:"stems"`
	Labels      []string `json:"label"` // null for none, which a condition may ask for
	LabelSource *string  `json:"labelSource,omitempty"`
	LabelScore  *float32 `json:"labelScore,omitempty"`
}

func newFacts(f db.IndexFile) facts {
	return facts{
		ID: f.FileID, Kind: kindFile, TeamID: f.TeamID, FileID: f.FileID, Status: f.Status, DocumentTypeID: f.DocumentTypeID, MatterID: f.MatterID,
		LifecycleStage: f.LifecycleStage, Language: f.Language, CreatedAt: seconds(f.CreatedAt), Generation: f.Generation,
	}
}

// newAttributes keeps of each value what its field is compared by.
func newAttributes(byKey map[string][]db.IndexValue) map[string][]any {
	attributes := make(map[string][]any, len(byKey))
	for key, list := range byKey {
		d, ok := query.Lookup(query.AttributeField(key))
		if !ok {
			continue
		}
		for _, v := range list {
			switch {
			case d.Kind == query.Number && v.Number != nil:
				attributes[key] = append(attributes[key], *v.Number)
			case d.Kind == query.Date && v.Day != nil:
				attributes[key] = append(attributes[key], *v.Day)
			case d.Kind == query.Enum:
				attributes[key] = append(attributes[key], v.Normal)
			}
		}
	}
	return attributes
}

func newFileDocument(f db.IndexFile, stamp string) fileDocument {
	return fileDocument{
		facts: newFacts(f), Name: plain(f.Name), ErrorCode: f.ErrorCode, DocumentTypeSource: f.DocumentTypeSource, Source: f.Source,
		ContentType: f.ContentType, PageCount: f.PageCount, Size: f.Size, Parties: f.Parties, Counterparties: f.Counterparties,
		CreatedBy: f.CreatedBy, HasOCR: f.HasOCR, Duplicate: f.Duplicate, Attributes: newAttributes(f.Attributes), Stamp: stamp,
	}
}

func newSentenceDocument(f facts, s db.IndexSentence) sentenceDocument {
	f.ID, f.Kind = s.ID, kindSentence
	if len(s.Labels) == 0 {
		s.Labels = nil
	}
	return sentenceDocument{facts: f, Ordinal: s.Ordinal, Page: s.Page, Stems: plain(s.Stems), Labels: s.Labels, LabelSource: s.Source, LabelScore: s.Score}
}

// Index sends the present text of files and waits until it can be found.
//
// A text that changes while it is sent is sent again: the newer one may have been
// indexed before this batch, and then the old sentences would stay.
func (m *Meili) Index(ctx context.Context, files []db.FileRef) (_ []db.Indexed, err error) {
	if len(files) == 0 {
		return nil, nil
	}
	ctx, span := trace.Start(ctx, trace.Client, "index files", trace.Engine(m.Name()), trace.Files(len(files)))
	defer func() { span.End(err) }()
	preparing, cancel := context.WithTimeout(ctx, m.config.IndexTimeout)
	defer cancel()
	if _, err := m.prepare(preparing); err != nil {
		return nil, err
	}
	var done []db.Indexed
	const attempts = 3
	for range attempts {
		sent, err := m.db.IndexFiles(ctx, files)
		if err != nil {
			return nil, err
		}
		for some := range bySentences(sent, sentAtOnce) {
			if err := m.send(ctx, some); err != nil {
				return nil, err
			}
		}
		now, err := m.db.IndexFiles(ctx, files)
		if err != nil {
			return nil, err
		}
		stamps := make(map[string]string, len(now))
		for _, f := range now {
			stamps[f.FileID] = f.Stamp
		}
		var changed, gone []db.FileRef
		for _, f := range sent {
			switch stamp, ok := stamps[f.FileID]; {
			case !ok:
				gone = append(gone, f.FileRef)
			case stamp != f.Stamp:
				changed = append(changed, f.FileRef)
			default:
				done = append(done, db.Indexed{FileRef: f.FileRef, Generation: f.Generation, Labels: f.Labels})
			}
		}
		if err := m.Remove(ctx, gone); err != nil {
			return nil, err
		}
		if files = changed; len(files) == 0 {
			break
		}
	}
	return done, nil
}

// How many sentences, about, are sent until they are confirmed, and are in memory.
const (
	sentAtOnce = 200_000
	readAtOnce = 20_000
)

// bySentences cuts files into lists of at most so many sentences, or of one file.
func bySentences(files []db.IndexFile, most int) iter.Seq[[]db.IndexFile] {
	return func(yield func([]db.IndexFile) bool) {
		start, n := 0, 0
		for i, f := range files {
			if i > start && n+f.Sentences > most {
				if !yield(files[start:i]) {
					return
				}
				start, n = i, 0
			}
			n += f.Sentences
		}
		if start < len(files) {
			yield(files[start:])
		}
	}
}

// send writes files with their sentences, takes away sentences of older texts,
// and waits until that is done.
func (m *Meili) send(ctx context.Context, files []db.IndexFile) error {
	ctx, cancel := context.WithTimeout(ctx, m.config.IndexTimeout)
	defer cancel()
	b := batch{index: m.admin.Index(m.index())}
	for some := range bySentences(files, readAtOnce) {
		refs := make([]db.FileRef, len(some))
		for i, f := range some {
			refs[i] = f.FileRef
		}
		sentences, err := m.db.IndexSentences(ctx, refs)
		if err != nil {
			return err
		}
		byFile := make(map[string][]db.IndexSentence, len(some))
		for _, s := range sentences {
			byFile[s.FileID] = append(byFile[s.FileID], s)
		}
		for _, f := range some {
			if err := b.addFile(ctx, f, byFile[f.FileID]); err != nil {
				return err
			}
		}
	}
	var older []string
	for _, f := range files {
		if f.Generation > 1 {
			older = append(older, fmt.Sprintf("(%s AND generation != %d)", equal("fileId", f.FileID), f.Generation))
		}
	}
	if err := b.flush(ctx); err != nil {
		return err
	}
	tasks, err := m.deleteWhere(ctx, older)
	if err != nil {
		return err
	}
	return m.await(ctx, append(b.tasks, tasks...))
}

// deleteWhere takes away what any of filters matches, and returns the tasks that
// do so.
func (m *Meili) deleteWhere(ctx context.Context, filters []string) ([]int64, error) {
	var tasks []int64
	const atATime = 200 // the server limits how deep a filter may be
	for some := range slices.Chunk(filters, atATime) {
		task, err := m.admin.Index(m.index()).DeleteDocumentsByFilterWithContext(ctx, strings.Join(some, " OR "), nil)
		if err != nil {
			return nil, unavailable(err)
		}
		tasks = append(tasks, task.TaskUID)
	}
	return tasks, nil
}

// batch collects documents and sends many at once: a server takes about as long
// for one task as for thousands of documents in it.
type batch struct {
	index meilisearch.IndexManager
	lines bytes.Buffer
	tasks []int64
}

// batchBytes is about how much is sent at once: some 50,000 sentences. Each batch
// has a cost that grows with the index, and is in memory here.
const batchBytes = 32 << 20

// addFile adds a file and its sentences: the file first without its stamp and
// last with it, so that an incomplete batch is detected.
func (b *batch) addFile(ctx context.Context, f db.IndexFile, sentences []db.IndexSentence) error {
	if err := b.add(ctx, newFileDocument(f, "")); err != nil {
		return err
	}
	of := newFacts(f)
	for _, s := range sentences {
		if err := b.add(ctx, newSentenceDocument(of, s)); err != nil {
			return err
		}
	}
	return b.add(ctx, newFileDocument(f, f.Stamp))
}

func (b *batch) add(ctx context.Context, document any) error {
	if err := json.NewEncoder(&b.lines).Encode(document); err != nil {
		return err
	}
	if b.lines.Len() < batchBytes {
		return nil
	}
	return b.flush(ctx)
}

func (b *batch) flush(ctx context.Context) error {
	if b.lines.Len() == 0 {
		return nil
	}
	task, err := b.index.AddDocumentsNdjsonWithContext(ctx, b.lines.Bytes(), nil)
	if err != nil {
		return unavailable(err)
	}
	b.lines.Reset()
	b.tasks = append(b.tasks, task.TaskUID)
	return nil
}

// await returns when the server has carried out tasks, and Unavailable if it did
// not. Errors with one of the codes forgiven count as done.
func (m *Meili) await(ctx context.Context, tasks []int64, forgiven ...string) error {
	const longest = 200 * time.Millisecond
	pause := 4 * time.Millisecond
	for _, uid := range tasks {
		for {
			task, err := m.admin.GetTaskWithContext(ctx, uid)
			if err != nil {
				return unavailable(err)
			}
			if task.Status == meilisearch.TaskStatusSucceeded {
				break
			}
			if task.Status == meilisearch.TaskStatusFailed || task.Status == meilisearch.TaskStatusCanceled {
				if slices.Contains(forgiven, task.Error.Code) {
					break
				}
				if task.Error.Code == "index_not_found" {
					m.forget()
				}
				return fault.Wrap(fault.Unavailable, "the search engine could not index; it will be tried again",
					fmt.Errorf("task %d (%s) %s: %s", uid, task.Type, task.Status, task.Error.Code))
			}
			select {
			case <-ctx.Done():
				return fault.Wrap(fault.Unavailable, "the search engine is busy; try again", ctx.Err())
			case <-time.After(pause):
				pause = min(pause*3/2, longest)
			}
		}
	}
	return nil
}

// Remove forgets files and waits until they cannot be found.
func (m *Meili) Remove(ctx context.Context, files []db.FileRef) error {
	if len(files) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, m.config.IndexTimeout)
	defer cancel()
	if _, err := m.prepare(ctx); err != nil {
		return err
	}
	filters := make([]string, len(files))
	for i, f := range files {
		filters[i] = fmt.Sprintf("(%s AND %s)", equal("fileId", f.FileID), equal(teamField, f.TeamID))
	}
	tasks, err := m.deleteWhere(ctx, filters)
	if err != nil {
		return err
	}
	return m.await(ctx, tasks)
}

// completeID is the id of a document which marks that the index has been filled once.
// Without it the index is not searched.
const completeID = "complete"

// isComplete reports whether the index has been filled. A yes is believed for
// a while: a server may be replaced by an empty one under a running service.
func (m *Meili) isComplete(ctx context.Context) (bool, error) {
	const believed = 10 * time.Second
	m.mu.Lock()
	seen := m.complete
	m.mu.Unlock()
	if time.Since(seen) < believed {
		return true, nil
	}
	var found struct {
		ID string `json:"id"`
	}
	err := m.admin.Index(m.index()).GetDocumentWithContext(ctx, completeID, nil, &found)
	switch code(err) {
	case "index_not_found":
		m.forget()
		return false, nil
	case "document_not_found":
		return false, nil
	}
	if err != nil {
		return false, unavailable(err)
	}
	m.mu.Lock()
	m.complete = time.Now()
	m.mu.Unlock()
	return true, nil
}

// Reconcile indexes what waits. It compares everything if full is set or if the
// index has not been filled yet.
func (m *Meili) Reconcile(ctx context.Context, full bool) (Drift, error) {
	if _, err := m.prepare(ctx); err != nil {
		return Drift{}, err
	}
	complete, err := m.isComplete(ctx)
	if err != nil {
		return Drift{}, err
	}
	drift, err := indexWaiting(ctx, m.db, m)
	if err != nil || complete && !full {
		return drift, err
	}
	missing, err := m.indexDrifted(ctx)
	drift.Indexed += missing
	if err != nil {
		return drift, err
	}
	if drift.Removed, err = m.removeUnknown(ctx); err != nil {
		return drift, err
	}
	if !complete {
		task, err := m.admin.Index(m.index()).AddDocumentsWithContext(ctx, []map[string]string{{"id": completeID}}, nil)
		if err != nil {
			return drift, unavailable(err)
		}
		if err := m.await(ctx, []int64{task.TaskUID}); err != nil {
			return drift, err
		}
	}
	return drift, m.removeOlder(ctx)
}

// removeOlder removes the indexes of older versions. Processes that still use one of
// them fall back to Postgres.
func (m *Meili) removeOlder(ctx context.Context) error {
	for older := 1; older < schema; older++ {
		// Asked first: to delete what is not there is a failed task.
		if _, err := m.admin.GetIndexWithContext(ctx, m.indexOf(older)); code(err) == "index_not_found" {
			continue
		} else if err != nil {
			return unavailable(err)
		}
		task, err := m.admin.DeleteIndexWithContext(ctx, m.indexOf(older))
		if err != nil {
			return unavailable(err)
		}
		if err := m.await(ctx, []int64{task.TaskUID}, "index_not_found"); err != nil { // another process was first
			return err
		}
	}
	return nil
}

// indexDrifted indexes the files that the server has otherwise than the
// database.
func (m *Meili) indexDrifted(ctx context.Context) (int, error) {
	var indexed atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(batchesAtOnce)
	var listing error
	for after := ""; ; {
		var rows []db.IndexFile
		if rows, listing = m.db.IndexFilesAfter(ctx, after, reconcileBatch); listing != nil || len(rows) == 0 {
			break
		}
		after = rows[len(rows)-1].FileID
		group.Go(func() error {
			drifted, err := m.drifted(ctx, rows)
			if err != nil {
				return err
			}
			return indexAndRecord(ctx, m.db, m, drifted, &indexed)
		})
	}
	err := group.Wait()
	if err == nil {
		err = listing
	}
	return int(indexed.Load()), err
}

// drifted are those of files that the server has otherwise.
func (m *Meili) drifted(ctx context.Context, files []db.IndexFile) ([]db.FileRef, error) {
	var drifted []db.FileRef
	for some := range slices.Chunk(files, Window) {
		ids := make([]string, len(some))
		for i, f := range some {
			ids[i] = f.FileID
		}
		held, err := m.held(ctx, ids)
		if err != nil {
			return nil, err
		}
		for _, f := range some {
			if held[f.FileID] != (holding{f.Stamp, f.Sentences}) {
				drifted = append(drifted, f.FileRef)
			}
		}
	}
	return drifted, nil
}

// holding is what the server has of a file.
type holding struct {
	stamp     string
	sentences int
}

// held lists what the server has of files: at most Window of them.
func (m *Meili) held(ctx context.Context, ids []string) (map[string]holding, error) {
	held := make(map[string]holding, len(ids))
	var documents meilisearch.DocumentsResult
	err := m.admin.Index(m.index()).GetDocumentsWithContext(ctx, &meilisearch.DocumentsQuery{
		Filter: both(equal("kind", kindFile), among("fileId", ids)), Fields: []string{"id", "stamp"}, Limit: int64(len(ids)),
	}, &documents)
	if err != nil {
		return nil, unavailable(err)
	}
	var files []fileDocument
	if err := documents.Results.DecodeInto(&files); err != nil {
		return nil, err
	}
	answer, err := m.admin.Index(m.index()).SearchWithContext(ctx, "", &meilisearch.SearchRequest{
		Filter: both(equal("kind", kindSentence), among("fileId", ids)), Facets: []string{"fileId"}, Limit: 1, AttributesToRetrieve: []string{"id"},
	})
	if err != nil {
		return nil, unavailable(err)
	}
	counts, err := facetCounts(answer.FacetDistribution)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		held[f.ID] = holding{f.Stamp, counts["fileId"][f.ID]}
	}
	return held, nil
}

// removeUnknown removes files that the database does not have.
func (m *Meili) removeUnknown(ctx context.Context) (int, error) {
	var unknown []db.FileRef
	for offset := int64(0); ; offset += reconcileBatch {
		var documents meilisearch.DocumentsResult
		err := m.admin.Index(m.index()).GetDocumentsWithContext(ctx, &meilisearch.DocumentsQuery{
			Filter: equal("kind", kindFile), Fields: []string{"id", teamField}, Offset: offset, Limit: reconcileBatch,
		}, &documents)
		if err != nil {
			return 0, unavailable(err)
		}
		var files []fileDocument
		if err := documents.Results.DecodeInto(&files); err != nil {
			return 0, err
		}
		if len(files) == 0 {
			break
		}
		var refs []db.FileRef
		for _, f := range files {
			refs = append(refs, db.FileRef{TeamID: f.TeamID, FileID: f.ID})
		}
		rows, err := m.db.IndexFiles(ctx, refs)
		if err != nil {
			return 0, err
		}
		known := make(map[db.FileRef]bool, len(rows))
		for _, f := range rows {
			known[f.FileRef] = true
		}
		for _, ref := range refs {
			if !known[ref] {
				unknown = append(unknown, ref)
			}
		}
	}
	return len(unknown), m.Remove(ctx, unknown)
}

// facetCounts decodes a facet distribution: field, value, count.
func facetCounts(distribution json.RawMessage) (map[string]map[string]int, error) {
	if len(distribution) == 0 {
		return nil, nil
	}
	var counts map[string]map[string]int
	return counts, json.Unmarshal(distribution, &counts)
}
