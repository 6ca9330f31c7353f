package api

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/layout"
)

// filesContent serves what was read in a file.
func (a *API) filesContent() {
	keyed := a.area("Files", withKey)
	get(keyed, "/api/files/{fileId}/documents", "Document segments", a.listDocuments, describe(
		"The logical documents of the file in order (the agreement, its exhibits and schedules), each with its blocks: headings, paragraphs, list items, "+
			"tables and signature blocks. Pages of the list are counted in blocks; a document that goes on is named again on the next one. "+
			"Before there is text the list is empty and `textReady` is false. A cursor from before a reprocess is 409."))

	session := a.area("Files", withSession)
	get(session, "/api/files/{fileId}/ocr", "OCR-extracted text", a.getOCR, describe(
		"The recognised pages with their confidence; those whose own text was good enough are left out. 404 where nothing was recognised."))
	head(session, "/api/files/{fileId}/ocr", "Check whether OCR text exists", a.headOCR, describe(
		"200 where pages were recognised and had text, 404 otherwise."))
	raw(session, http.MethodGet, "/api/files/{fileId}/ocr-download", "Download OCR text", a.downloadOCR,
		produces("text/plain", "text/html", "application/pdf"), describe(
			"The whole text, pages parted by form feeds; with `format=hocr` with the place of every word; with `format=pdf` as a searchable PDF. 404 where nothing was recognised."))
	get(session, "/api/files/{fileId}/tokens", "Token frequencies, exclusions filtered on the server", a.listTokens, describe(
		"Most frequent first. Stop words and numbers are left out, and what `exclude` names, as token or as stem."))
	post(session, "/api/files/{fileId}/merge", "Merge document images into a PDF", a.mergeFiles, status(http.StatusAccepted), describe(
		"Makes one PDF of the file and of those named, in that order: a new file that is recognised like any other. "+
			"Images and PDFs can be merged."))
}

// Documents is what a file consists of.
type Documents struct {
	FileID     string        `json:"fileId"`
	Status     db.FileStatus `json:"status"`
	TextReady  bool          `json:"textReady"`
	Language   string        `json:"language"`
	Documents  []Document    `json:"documents" nullable:"false"`
	NextCursor string        `json:"nextCursor,omitempty"`
	Total      int           `json:"total" doc:"Blocks on all pages"`
}

// Document is one logical document inside a file.
type Document struct {
	ID     string  `json:"id"`
	Index  int     `json:"index" doc:"Its place in the file, from 0"`
	Kind   string  `json:"kind" doc:"agreement, amendment, exhibit, schedule, …"`
	Title  string  `json:"title"`
	Span   Span    `json:"span"`
	Pages  []int   `json:"pages" nullable:"false" doc:"Its first and its last page"`
	Blocks []Block `json:"blocks" nullable:"false"`
}

// Block is a piece of a document.
type Block struct {
	Index      int         `json:"index" doc:"Its place in the file, from 0"`
	Kind       string      `json:"kind" enum:"heading,paragraph,list_item,table,signature_block"`
	Number     string      `json:"number,omitempty" doc:"As it is printed: 7.2, (a), …"`
	Level      int         `json:"level,omitempty" doc:"Of headings and list items, from 1"`
	Text       string      `json:"text"`
	Span       Span        `json:"span"`
	Page       int         `json:"page" doc:"On which it begins"`
	Labels     []Label     `json:"labels" nullable:"false"`
	Attributes []Attribute `json:"attributes" nullable:"false"`
}

// Label is a clause that a block was found to be.
type Label struct {
	Label string   `json:"label"`
	Score *float32 `json:"score,omitempty"`
}

// Attribute is a fact that was found in a block.
type Attribute struct {
	Key        string   `json:"key"`
	Value      string   `json:"value"`
	Normalized string   `json:"normalized,omitempty"`
	Confidence *float32 `json:"confidence,omitempty"`
	Spans      []Span   `json:"spans" nullable:"false"`
}

func newBlock(b db.Block) Block {
	block := Block{
		Index: b.Ordinal, Kind: b.Kind, Number: b.Number, Level: b.Level, Text: b.Text,
		Span: Span{b.Start, b.End}, Page: b.Page, Labels: []Label{}, Attributes: []Attribute{},
	}
	if b.Label != nil {
		block.Labels = append(block.Labels, Label{*b.Label, b.Score})
	}
	return block
}

func newDocument(d db.Document) Document {
	return Document{
		ID: d.ID, Index: d.Ordinal, Kind: d.Kind, Title: d.Title, Span: Span{d.Start, d.End},
		Pages: []int{d.FirstPage, d.LastPage}, Blocks: []Block{},
	}
}

// arrange puts blocks into the documents they belong to, and leaves out those
// that have none among them.
func arrange(documents []db.Document, blocks []db.Block) []Document {
	arranged := []Document{}
	for _, d := range documents {
		document := newDocument(d)
		for _, b := range blocks {
			if b.DocumentID == d.ID {
				document.Blocks = append(document.Blocks, newBlock(b))
			}
		}
		if len(document.Blocks) > 0 {
			arranged = append(arranged, document)
		}
	}
	return arranged
}

// listDocuments keeps the generation of the text in the cursor: the blocks of
// two readings do not add up to a document.
func (a *API) listDocuments(ctx context.Context, in *struct {
	FileRef
	Page
}) (Documents, error) {
	scope := auth.Scope(ctx)
	row, err := a.DB.File(ctx, scope, in.FileID)
	if err != nil {
		return Documents{}, err
	}
	after, err := in.blocksAfter(row.Generation)
	if err != nil {
		return Documents{}, err
	}
	documents, err := a.DB.Documents(ctx, scope, in.FileID)
	if err != nil {
		return Documents{}, err
	}
	blocks, err := a.DB.Blocks(ctx, scope, in.FileID, after, in.Limit+1)
	if err != nil {
		return Documents{}, err
	}
	blocks, more := cut(blocks, in.Limit)
	out := Documents{
		FileID: row.ID, Status: row.Status, TextReady: row.TextReady, Language: row.Language,
		Documents: arrange(documents, blocks),
	}
	if more {
		out.NextCursor = cursor("blocks", fmt.Sprintf("%d:%d", row.Generation, blocks[len(blocks)-1].Ordinal))
	}
	out.Total, err = a.DB.CountBlocks(ctx, scope, in.FileID)
	return out, err
}

// blocksAfter is the ordinal after which the page begins.
func (p Page) blocksAfter(generation int) (int, error) {
	place, err := p.place("blocks")
	if err != nil || place == "" {
		return -1, err
	}
	made, ordinal, _ := strings.Cut(place, ":")
	after, err := strconv.Atoi(ordinal)
	if err != nil {
		return 0, invalid("query.cursor", "is not the nextCursor of this list")
	}
	if made != strconv.Itoa(generation) {
		return 0, fault.New(fault.Conflict, "the text has changed since the page before; start from the first page")
	}
	return after, nil
}

// OCR is the recognised text of a file.
type OCR struct {
	FileID     string    `json:"fileId"`
	Confidence float32   `json:"confidence" doc:"Mean over the pages, 0 to 100"`
	Pages      []OCRPage `json:"pages" nullable:"false"`
}

// OCRPage is one recognised page.
type OCRPage struct {
	Number     int       `json:"number" doc:"From 1"`
	Reason     string    `json:"reason" doc:"Why it was recognised: its own text was missing, garbled, …"`
	Confidence float32   `json:"confidence" doc:"0 to 100"`
	Width      float32   `json:"width" doc:"Points"`
	Height     float32   `json:"height"`
	Text       string    `json:"text"`
	LayerText  *string   `json:"layerText,omitempty" doc:"The text that the page carried and that was passed over"`
	Error      string    `json:"error,omitempty" doc:"Why the page could not be recognised"`
	Words      []OCRWord `json:"words,omitempty" doc:"With words=true"`
}

// OCRWord is a word and where it stands.
type OCRWord struct {
	Text       string     `json:"text"`
	Box        layout.Box `json:"box" doc:"Points from the upper left corner"`
	Confidence float32    `json:"confidence" doc:"0 to 100"`
}

func newOCRPage(p db.Page) (OCRPage, error) {
	out := OCRPage{
		Number: p.Number, Reason: p.Reason, Confidence: p.Confidence, Width: p.Width, Height: p.Height,
		Text: p.Text, LayerText: p.LayerText, Error: text(p.ErrorCode),
	}
	page, err := p.Layout()
	if err != nil {
		return out, err
	}
	runes := []rune(p.Text)
	for _, w := range page.Words {
		out.Words = append(out.Words, OCRWord{string(runes[w.Start:w.End]), w.Box, w.Confidence})
	}
	return out, nil
}

func (a *API) getOCR(ctx context.Context, in *struct {
	FileRef
	From  int  `query:"from" minimum:"1" default:"1" doc:"The first page"`
	To    int  `query:"to" minimum:"1" maximum:"1000000" default:"1000000" doc:"The last page"`
	Words bool `query:"words" doc:"With words and boxes; at most 100 pages at once"`
}) (OCR, error) {
	if err := a.requireOCR(ctx, in.FileID); err != nil {
		return OCR{}, err
	}
	if in.Words && in.To-in.From >= wordPages {
		return OCR{}, invalid("query.words", "comes for at most 100 pages at once: narrow from and to")
	}
	read := a.DB.PagesBetween
	if in.Words {
		read = a.DB.PagesWithWords
	}
	pages, err := read(ctx, auth.Scope(ctx), in.FileID, in.From, in.To)
	if err != nil {
		return OCR{}, err
	}
	out := OCR{FileID: in.FileID, Pages: []OCRPage{}}
	for _, p := range pages {
		if p.Source != string(document.Recognised) || p.Pending {
			continue
		}
		page, err := newOCRPage(p)
		if err != nil {
			return OCR{}, err
		}
		out.Pages = append(out.Pages, page)
		out.Confidence += page.Confidence
	}
	out.Confidence /= float32(max(1, len(out.Pages)))
	return out, nil
}

// wordPages bounds an answer with words: a dense page has a thousand.
const wordPages = 100

func (a *API) headOCR(ctx context.Context, in *FileRef) error { return a.requireOCR(ctx, in.FileID) }

// requireOCR is NotFound unless the file has recognised text.
func (a *API) requireOCR(ctx context.Context, id string) error {
	found, err := a.DB.HasOCRText(ctx, auth.Scope(ctx), []string{id})
	if err == nil && !found[id] {
		return fault.New(fault.NotFound, "there is no recognised text")
	}
	return err
}

type downloadOCRRequest struct {
	FileRef
	Format string `query:"format" enum:"text,hocr,pdf" default:"text"`
}

func (a *API) downloadOCR(ctx context.Context, in *downloadOCRRequest, w http.ResponseWriter, _ *http.Request) error {
	scope := auth.Scope(ctx)
	if err := a.requireOCR(ctx, in.FileID); err != nil {
		return err
	}
	row, err := a.DB.File(ctx, scope, in.FileID)
	if err != nil {
		return err
	}
	switch in.Format {
	case "hocr":
		return a.writeHOCR(ctx, row, w)
	case "pdf":
		if a.PDF == nil {
			return fault.New(fault.Unavailable, "searchable PDFs cannot be made here")
		}
		announce(w, "application/pdf", withExtension(row.Name, ".searchable.pdf"))
		return a.PDF.SearchablePDF(ctx, row, w)
	default:
		pages, err := a.DB.Pages(ctx, scope, in.FileID)
		if err != nil {
			return err
		}
		announce(w, "text/plain; charset=utf-8", withExtension(row.Name, ".txt"))
		return writeText(w, pages)
	}
}

// announce says what follows and under which name it is saved.
func announce(w http.ResponseWriter, contentType, name string) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Disposition", attachment(name))
}

// writeText writes the file's canonical text.
func writeText(w io.Writer, pages []db.Page) error {
	b := bufio.NewWriter(w)
	for i, p := range pages {
		if i > 0 {
			b.WriteByte('\f')
		}
		b.WriteString(p.Text)
	}
	return b.Flush() // bufio keeps the first error
}

func (a *API) writeHOCR(ctx context.Context, row db.File, w http.ResponseWriter) error {
	announce(w, "text/html; charset=utf-8", withExtension(row.Name, ".hocr.html"))
	return layout.WriteHOCR(w, row.Name, a.pagesOf(ctx, row), 300/72.)
}

// pagesAtOnce is how many pages with words are held to be sent.
const pagesAtOnce = 16

// pagesOf reads the pages of a file as they are wanted.
func (a *API) pagesOf(ctx context.Context, file db.File) iter.Seq2[layout.Page, error] {
	return func(yield func(layout.Page, error) bool) {
		for from := 1; ; from += pagesAtOnce {
			pages, err := a.somePages(ctx, file, from)
			if err != nil {
				yield(layout.Page{}, err)
				return
			}
			for _, page := range pages {
				if !yield(page, nil) {
					return
				}
			}
			if len(pages) < pagesAtOnce {
				return
			}
		}
	}
}

// somePages is Conflict where a new attempt has begun: pages of two do not make
// a document.
func (a *API) somePages(ctx context.Context, file db.File, from int) ([]layout.Page, error) {
	rows, err := a.DB.PagesWithWords(ctx, auth.Scope(ctx), file.ID, from, from+pagesAtOnce-1)
	if err != nil {
		return nil, err
	}
	now, err := a.DB.File(ctx, auth.Scope(ctx), file.ID) // last, so that the rows are not younger
	if err != nil {
		return nil, err
	}
	if now.Attempt != file.Attempt {
		return nil, fault.New(fault.Conflict, "the file was reprocessed meanwhile; ask again")
	}
	pages := make([]layout.Page, len(rows))
	for i, row := range rows {
		if pages[i], err = row.Layout(); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

// Tokens are the words of a file.
type Tokens struct {
	FileID     string  `json:"fileId"`
	Total      int     `json:"total" doc:"Words of the file, stop words and numbers left out"`
	Distinct   int     `json:"distinct" doc:"Different ones, before exclusions"`
	Files      int     `json:"files" doc:"Files of the team that document frequencies are counted over"`
	Items      []Token `json:"items" nullable:"false"`
	NextCursor string  `json:"nextCursor,omitempty"`
}

// Token is a word with its forms counted together.
type Token struct {
	Token             string  `json:"token" doc:"Its commonest form"`
	Stem              string  `json:"stem"`
	Count             int     `json:"count"`
	DocumentFrequency int     `json:"documentFrequency" doc:"Files of the team that have it"`
	TFIDF             float64 `json:"tfidf" doc:"count / total × ln((1 + files) / (1 + documentFrequency))"`
}

func (a *API) listTokens(ctx context.Context, in *struct {
	FileRef
	Page
	Exclude   []string `query:"exclude" maxItems:"1000" doc:"Tokens or stems to leave out, in any case"`
	MinLength int      `query:"minLength" minimum:"1" maximum:"100" default:"1" doc:"Characters that a token must have"`
}) (Tokens, error) {
	scope := auth.Scope(ctx)
	place, err := in.place("tokens")
	if err != nil {
		return Tokens{}, err
	}
	skip, _ := strconv.Atoi(place) // "" is the start
	if _, err := a.DB.File(ctx, scope, in.FileID); err != nil {
		return Tokens{}, err
	}
	counted, err := a.DB.FileTokens(ctx, scope, in.FileID)
	if fault.KindOf(err) == fault.NotFound {
		return Tokens{}, fault.New(fault.Conflict, "the file has no text yet; ask again once textReady is true")
	}
	if err != nil {
		return Tokens{}, err
	}
	var tokens []db.Token
	if err := json.Unmarshal(counted.Tokens, &tokens); err != nil {
		return Tokens{}, err
	}
	out := Tokens{FileID: in.FileID, Total: counted.Total, Distinct: len(tokens), Files: counted.TeamFiles}
	tokens = exclude(tokens, in.Exclude, in.MinLength)
	tokens, more := cut(tokens[min(max(skip, 0), len(tokens)):], in.Limit)
	if more {
		out.NextCursor = cursor("tokens", strconv.Itoa(skip+in.Limit))
	}
	files, err := a.DB.StemFiles(ctx, scope, stemsOf(tokens))
	out.Items = newList(tokens, func(t db.Token) Token { return weigh(t, counted, files[t.Stem]) }).Items
	return out, err
}

// exclude leaves out what the caller does not want to see.
func exclude(tokens []db.Token, words []string, minLength int) []db.Token {
	unwanted := make(map[string]bool, len(words))
	for _, w := range words {
		unwanted[strings.ToLower(strings.TrimSpace(w))] = true
	}
	kept := slices.DeleteFunc(tokens, func(t db.Token) bool {
		return unwanted[strings.ToLower(t.Token)] || unwanted[t.Stem] || utf8.RuneCountInString(t.Token) < minLength
	})
	slices.SortStableFunc(kept, func(x, y db.Token) int { return cmp.Or(y.Count-x.Count, cmp.Compare(x.Stem, y.Stem)) })
	return kept
}

// weigh counts a token against the team's files. The file itself is one of them
// even before the counts have caught up with it.
func weigh(t db.Token, in db.FileTokens, files int) Token {
	files = max(1, min(files, in.TeamFiles))
	share := float64(t.Count) / float64(max(1, in.Total))
	return Token{t.Token, t.Stem, t.Count, files, share * math.Log(float64(1+in.TeamFiles)/float64(1+files))}
}

func stemsOf(tokens []db.Token) []string {
	stems := make([]string, len(tokens))
	for i, t := range tokens {
		stems[i] = t.Stem
	}
	return stems
}

type mergeRequest struct {
	FileRef
	Body *struct {
		FileIDs []string `json:"fileIds,omitempty" maxItems:"500" doc:"Files to add, in this order"`
		Name    string   `json:"name,omitempty" maxLength:"255" doc:"Of the new file; by default that of the first with .pdf"`
	}
}

func (a *API) mergeFiles(ctx context.Context, in *mergeRequest) (Accepted, error) {
	scope := auth.Scope(ctx)
	sources, name := []string{in.FileID}, ""
	if in.Body != nil {
		sources, name = append(sources, in.Body.FileIDs...), cleanName(in.Body.Name)
	}
	first, err := a.mergeable(ctx, sources)
	if err != nil {
		return Accepted{}, err
	}
	if name == "" || name == "." {
		name = withExtension(first.Name, ".pdf")
	}
	job := jobs.MergeFiles{
		TeamID: scope.TeamID, ActorKind: scope.ActorKind, ActorID: scope.ActorID, FileID: db.NewID(), Name: name, Sources: sources,
	}
	var op db.Operation
	err = a.DB.InTx(ctx, func(tx *db.Tx) (err error) {
		if op, err = tx.CreateOperation(ctx, scope, "merge", 1, nil); err != nil {
			return err
		}
		job.OperationID = op.ID
		return jobs.Insert(ctx, a.Jobs, tx.Raw, job)
	})
	return newAccepted("merging queued", op, job.FileID), err
}

// pictures are the kinds that can be merged. A file that was not looked at yet
// has none, and the job finds out.
var pictures = []document.Kind{"", document.PDF, document.PNG, document.JPEG, document.TIFF, document.WebP}

// mergeable is the first of sources, where all are there and can be merged.
func (a *API) mergeable(ctx context.Context, sources []string) (db.File, error) {
	filter, _ := FileFilter{}.filter(sources)
	rows, err := a.DB.Files(ctx, auth.Scope(ctx), filter, "", len(sources))
	if err != nil {
		return db.File{}, err
	}
	byID := make(map[string]db.File, len(rows))
	for _, row := range rows {
		byID[row.ID] = row
	}
	for i, id := range sources {
		row, ok := byID[id]
		switch {
		case !ok && i == 0:
			return db.File{}, fault.New(fault.NotFound, "not found")
		case !ok:
			return db.File{}, invalid(fmt.Sprintf("body.fileIds[%d]", i-1), "names nothing in this team")
		case !slices.Contains(pictures, document.Kind(row.Kind)):
			return db.File{}, fault.Newf(fault.Invalid, "%s is neither an image nor a PDF", row.Name)
		}
	}
	return byID[sources[0]], nil
}
