package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/draft"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/layout"
)

// filesPages serves the text of files, and where it stands on their pages.
func (a *API) filesPages() {
	keyed := a.area("Files", withKey)
	raw(keyed, http.MethodGet, "/api/files/{fileId}/text", "getFileText", "Get the text of a file", a.getText, etagged, produces("text/plain"), describe(
		"Returns the text that all spans of the file count in, with a form feed between pages. `start` and `end` select a part of it. "+
			"The header `X-Version` has the number of the version that the text belongs to. While there is no text it is 409, with the code `not_ready` if it is on its way."))
	get(keyed, "/api/files/{fileId}/pages", "listFilePages", "List the pages of a file", a.listPages, describe(
		"Lists the pages of a PDF or an image, with their sizes and the spans of their texts. For other formats the list is empty, but for Word documents that were laid out as pages (`POST` to the same address)."))
	get(keyed, "/api/files/{fileId}/pages/{n}/words", "listPageWords", "List the words of a page", a.listPageWords, describe(
		"Lists the words of a page in reading order, each with its span and its box. 404 where the file has no such page, and with the code `no_pages` for formats without pages."))
	get(keyed, "/api/files/{fileId}/boxes", "listTextBoxes", "List the rectangles of a span", a.listBoxes, describe(
		"Lists the rectangles that mark a span on its pages, in the order of the text: one for each line, and more where one would also cover other words. "+
			"It takes any span of the file that the API returned. Parts of words are marked by the whole word. 404 with the code `no_pages` for formats without pages."))
}

// PageList is one page of the list of a file's pages.
type PageList struct {
	FileID     string     `json:"fileId"`
	TextReady  bool       `json:"textReady"`
	Version    *int       `json:"version" doc:"Number of the version that the text belongs to; null while there is no text"`
	Items      []PageInfo `json:"items" nullable:"false"`
	NextCursor string     `json:"nextCursor,omitempty"`
	Total      int        `json:"total" doc:"Number of pages on all pages of the list"`
}

// PageInfo is one page of a file as it was read.
type PageInfo struct {
	Number     int     `json:"number" doc:"Page number, from 1"`
	Width      float32 `json:"width" doc:"Width of the page as displayed, in points (1/72 inch); 0 where it could not be read"`
	Height     float32 `json:"height" doc:"Height of the page as displayed, in points; 0 where it could not be read"`
	Rotation   int     `json:"rotation" enum:"0,90,180,270" doc:"By how many degrees the text is turned clockwise against the page as displayed. Turn the page back by as much to read it"`
	Source     string  `json:"source" enum:"text_layer,ocr,print" doc:"Where the text comes from: the file itself, or recognition; print for a page that the file was laid out on"`
	Reason     string  `json:"reason" doc:"Why the text comes from there: good, no_text, garbled, …; printed for a page that the file was laid out on"`
	Pending    bool    `json:"pending" doc:"Whether the page is still to be recognised"`
	Confidence float32 `json:"confidence" doc:"0 to 100; 100 for a text layer"`
	Span       *Span   `json:"span,omitempty" doc:"Span of the page in the text of the file; absent while the text is not ready"`
	Error      string  `json:"error,omitempty" doc:"Why the page could not be recognised"`
}

// PageWords is the words of a page.
type PageWords struct {
	FileID     string     `json:"fileId"`
	Version    int        `json:"version" doc:"Number of the version that the text belongs to"`
	Number     int        `json:"number" doc:"Page number, from 1"`
	Width      float32    `json:"width" doc:"Width of the page as displayed, in points (1/72 inch)"`
	Height     float32    `json:"height" doc:"Height of the page as displayed, in points"`
	Items      []PageWord `json:"items" nullable:"false"`
	NextCursor string     `json:"nextCursor,omitempty"`
	Total      int        `json:"total" doc:"Number of words on the page"`
}

// PageWord is a word and its place.
type PageWord struct {
	Text       string  `json:"text"`
	Span       Span    `json:"span"`
	Box        PageBox `json:"box"`
	Confidence float32 `json:"confidence" doc:"0 to 100; 100 for a text layer"`
	Origin     string  `json:"origin" enum:"content,field,annotation" doc:"content: the page itself; field: the value of a form field; annotation: what is drawn over the page, such as a signature, a stamp or a note"`
}

// PageBox is a rectangle on a page, whatever the size it is shown in.
type PageBox struct {
	X0 float32 `json:"x0" minimum:"0" maximum:"1" doc:"Left edge, as a fraction of the page's width"`
	Y0 float32 `json:"y0" minimum:"0" maximum:"1" doc:"Upper edge, as a fraction of the page's height, from the top"`
	X1 float32 `json:"x1" minimum:"0" maximum:"1" doc:"Right edge"`
	Y1 float32 `json:"y1" minimum:"0" maximum:"1" doc:"Lower edge"`
}

// TextBoxes is where a span stands.
type TextBoxes struct {
	FileID     string    `json:"fileId"`
	Version    int       `json:"version" doc:"Number of the version that the text belongs to"`
	Items      []TextBox `json:"items" nullable:"false"`
	NextCursor string    `json:"nextCursor,omitempty"`
}

// TextBox is one rectangle of a span.
type TextBox struct {
	Page int     `json:"page" doc:"Page number, from 1"`
	Span Span    `json:"span" doc:"The part of the span that is in the rectangle"`
	Box  PageBox `json:"box"`
}

func (p PageList) etag() string  { return contentTag(version(p.Version), p) }
func (w PageWords) etag() string { return contentTag(w.Version, w) }
func (b TextBoxes) etag() string { return contentTag(b.Version, b) }

func version(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// wordOrigins names what words are part of.
var wordOrigins = map[layout.Origin]string{layout.Content: "content", layout.Field: "field", layout.Annotation: "annotation"}

func newPageInfo(row db.Page, span *Span) (PageInfo, error) {
	page, err := row.Layout()
	return PageInfo{
		Number: row.Number, Width: row.Width, Height: row.Height, Rotation: layout.Quarters(page) * 90,
		Source: row.Source, Reason: row.Reason, Pending: row.Pending, Confidence: row.Confidence, Span: span, Error: text(row.ErrorCode),
	}, err
}

func newPageBox(b layout.Box, page layout.Page) PageBox { return PageBox(b.Fraction(page)) }

// newPageWords are words of a page whose text begins at start.
func newPageWords(page layout.Page, words []layout.Word, start int) []PageWord {
	runes := []rune(page.Text)
	return newList(words, func(w layout.Word) PageWord {
		return PageWord{
			Text: string(runes[w.Start:w.End]), Span: Span{start + w.Start, start + w.End}, Box: newPageBox(w.Box, page),
			Confidence: w.Confidence, Origin: wordOrigins[w.Origin],
		}
	}).Items
}

// newTextBoxes are the rectangles of a span on a page whose text begins at start.
func newTextBoxes(page layout.Page, span Span, start int) []TextBox {
	return newList(layout.Pieces(page, span.Start-start, span.End-start), func(p layout.Piece) TextBox {
		return TextBox{Page: page.Number, Span: Span{start + p.Start, start + p.End}, Box: newPageBox(p.Box, page)}
	}).Items
}

// errNoPages is the fault of questions about pages of a text that flows.
var errNoPages = coded(&fault.Error{Kind: fault.NotFound, Code: "no_pages", Message: "files of this format have no pages: their text has spans, and no places"})

// settled is a file whose pages are those that its spans count in, or the Conflict that
// says whether they will be.
func (a *API) settled(ctx context.Context, fileID string) (db.File, error) {
	row, err := a.DB.File(ctx, auth.Scope(ctx), fileID)
	if err == nil {
		err = unsettled(row)
	}
	return row, err
}

// unsettled says why the text of a file cannot be used, if that is so.
func unsettled(row db.File) error {
	if row.TextReady && !row.PagesAhead {
		return nil
	}
	row.TextReady = false // that of other pages is of no use
	return coded(cmp.Or(row.Unreadable(), error(draft.ErrNotReady)))
}

// still is Conflict if a file's pages or text have changed since it was read.
func (a *API) still(ctx context.Context, row db.File) error {
	now, err := a.DB.File(ctx, auth.Scope(ctx), row.ID)
	if err == nil && (now.Generation != row.Generation || now.PagesAhead != row.PagesAhead) {
		err = fault.New(fault.Conflict, "the file was reprocessed in the meantime; repeat the request")
	}
	return err
}

// TextRange is a part of a text, by default all of it.
type TextRange struct {
	Start int `query:"start" minimum:"0" maximum:"1000000000" default:"0" doc:"Start of the part of the text, in code points"`
	End   int `query:"end" minimum:"0" maximum:"1000000000" default:"1000000000" doc:"End of the part, exclusive. What is behind the end of the text is left out"`
}

type getTextRequest struct {
	FileRef
	TextRange
}

// getText sends a part of the text as it is read. A file that is reprocessed meanwhile
// breaks it off.
func (a *API) getText(ctx context.Context, in *getTextRequest, w http.ResponseWriter, _ *http.Request) error {
	row, err := a.settled(ctx, in.FileID)
	if err != nil {
		return err
	}
	if err := conditional(callOf(ctx), fmt.Sprintf(`"text-%d"`, row.Generation)); err != nil {
		return err
	}
	spans, err := a.DB.PageSpans(ctx, auth.Scope(ctx), row.ID)
	if err != nil {
		return err
	}
	span, err := part(in.Start, in.End, spans)
	if err != nil {
		return err
	}
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("X-Version", strconv.Itoa(row.TextVersion))
	for chunk := range slices.Chunk(touched(spans, span), pagesAtOnce) {
		if err := a.writePages(ctx, row, span, chunk, w); err != nil {
			return err
		}
	}
	return nil
}

// part is a span of a text, cut at its end.
func part(start, end int, pages []db.PageSpan) (Span, error) {
	total := 0
	if len(pages) > 0 {
		total = last(pages).End
	}
	switch {
	case start > total:
		return Span{}, invalid("query.start", fmt.Sprintf("is behind the end of the text, which has %d code points", total))
	case end < start:
		return Span{}, invalid("query.end", "is before start")
	}
	return Span{start, min(end, total)}, nil
}

// touched are the pages that a span or the form feed behind them is in.
func touched(pages []db.PageSpan, span Span) []db.PageSpan {
	first, _ := slices.BinarySearchFunc(pages, span.Start, func(p db.PageSpan, at int) int { return cmp.Compare(p.End, at) })
	end, _ := slices.BinarySearchFunc(pages, span.End, func(p db.PageSpan, at int) int { return cmp.Compare(p.Start, at) })
	return pages[first:max(first, end)]
}

// writePages writes what is in span of pages that follow each other.
func (a *API) writePages(ctx context.Context, row db.File, span Span, pages []db.PageSpan, w io.Writer) error {
	rows, err := a.DB.PagesBetween(ctx, auth.Scope(ctx), row.ID, pages[0].Number, last(pages).Number)
	if err == nil {
		err = a.still(ctx, row)
	}
	if err != nil {
		return err
	}
	for i, page := range pages[:min(len(pages), len(rows))] {
		if _, err := io.WriteString(w, partOf(rows[i].Text+"\f", page, span)); err != nil {
			return err
		}
	}
	return nil
}

// partOf is what is in span of a page's text with the form feed behind it.
func partOf(text string, page db.PageSpan, span Span) string {
	if span.Start <= page.Start && span.End > page.End {
		return text
	}
	runes := []rune(text)
	return string(runes[max(span.Start-page.Start, 0):min(span.End-page.Start, len(runes))])
}

func (a *API) listPages(ctx context.Context, in *struct {
	FileRef
	Page
}) (PageList, error) {
	scope := auth.Scope(ctx)
	row, err := a.DB.File(ctx, scope, in.FileID)
	if err != nil {
		return PageList{}, err
	}
	after, err := afterOrdinal(in.Page, "pages", row.Generation)
	if err != nil {
		return PageList{}, err
	}
	out := PageList{FileID: row.ID, TextReady: row.TextReady && !row.PagesAhead, Version: textVersion(row), Items: []PageInfo{}}
	if !document.Kind(row.Kind).Drawn() {
		return a.listPrinted(ctx, row, out, after, in.Limit)
	}
	spans, err := a.DB.PageSpans(ctx, scope, row.ID)
	if err != nil {
		return PageList{}, err
	}
	from := max(after, 0)
	pages, err := a.DB.PagesWithWords(ctx, scope, row.ID, from+1, from+in.Limit)
	if err != nil {
		return PageList{}, err
	}
	if out.Items, err = pageInfos(pages, spans[min(from, len(spans)):], out.TextReady); err != nil {
		return PageList{}, err
	}
	if out.Total = len(spans); out.Total > from+len(pages) && len(pages) > 0 {
		out.NextCursor = ordinalCursor("pages", row.Generation, last(pages).Number)
	}
	return out, a.still(ctx, row)
}

// newPrintedInfo is a page that a file was laid out on.
func newPrintedInfo(print *draft.Print, span db.PageSpan) PageInfo {
	page := print.Pages[span.Number-1]
	return PageInfo{
		Number: span.Number, Width: page.Width, Height: page.Height, Source: "print", Reason: "printed", Confidence: 100, Span: &Span{span.Start, span.End},
	}
}

// listPrinted is out with the pages that a file was laid out on, if it was.
func (a *API) listPrinted(ctx context.Context, row db.File, out PageList, after, limit int) (PageList, error) {
	if !out.TextReady {
		return out, nil
	}
	places, err := a.placesOf(ctx, row)
	if errors.Is(err, errNoPages) || errors.Is(err, errNotPrinted) {
		return out, nil
	}
	if err != nil {
		return PageList{}, err
	}
	from := min(max(after, 0), len(places.spans))
	shown, more := cut(places.spans[from:], limit)
	out.Items = newList(shown, func(span db.PageSpan) PageInfo { return newPrintedInfo(places.print, span) }).Items
	if out.Total = len(places.spans); more {
		out.NextCursor = ordinalCursor("pages", row.Generation, last(shown).Number)
	}
	return out, a.still(ctx, row)
}

// pageInfos are pages with their spans, where there is a text.
func pageInfos(pages []db.Page, spans []db.PageSpan, textReady bool) ([]PageInfo, error) {
	items := []PageInfo{}
	for i, p := range pages[:min(len(pages), len(spans))] {
		var span *Span
		if textReady {
			span = &Span{spans[i].Start, spans[i].End}
		}
		page, err := newPageInfo(p, span)
		if err != nil {
			return nil, err
		}
		items = append(items, page)
	}
	return items, nil
}

// PageRef is the request of every operation on one page of a file.
type PageRef struct {
	FileRef
	N int `path:"n" minimum:"1" maximum:"1000000" doc:"Page number"`
}

type listPageWordsRequest struct {
	PageRef
	Limit  int    `query:"limit" minimum:"1" maximum:"5000" default:"2000" doc:"Maximum number of items; a dense page has a thousand words"`
	Cursor string `query:"cursor" maxLength:"2000" doc:"The nextCursor of the previous page"`
}

func (a *API) listPageWords(ctx context.Context, in *listPageWordsRequest) (PageWords, error) {
	row, err := a.settled(ctx, in.FileID)
	if err != nil {
		return PageWords{}, err
	}
	after, err := afterOrdinal(Page{Cursor: in.Cursor}, "words", row.Generation)
	if err != nil {
		return PageWords{}, err
	}
	places, err := a.placesOf(ctx, row)
	if err != nil {
		return PageWords{}, err
	}
	if in.N > len(places.spans) {
		return PageWords{}, fault.Newf(fault.NotFound, "the file has no page %d", in.N)
	}
	pages, err := a.layouts(ctx, row, places, places.spans[in.N-1:in.N])
	if err != nil {
		return PageWords{}, err
	}
	page, start := pages[0], places.spans[in.N-1].Start
	out := PageWords{FileID: row.ID, Version: row.TextVersion, Number: in.N, Width: page.Width, Height: page.Height, Total: len(page.Words)}
	from := min(after+1, len(page.Words))
	words, more := cut(page.Words[from:], in.Limit)
	out.Items = newPageWords(page, words, start)
	if more {
		out.NextCursor = ordinalCursor("words", row.Generation, after+len(words))
	}
	return out, nil
}

// layouts reads pages that follow each other, with their words. It is Conflict if they are
// no longer those of the file's text.
func (a *API) layouts(ctx context.Context, row db.File, p places, spans []db.PageSpan) (pages []layout.Page, err error) {
	if len(spans) == 0 {
		return nil, nil
	}
	if p.print != nil {
		for _, span := range spans {
			page, err := p.print.Layout(span.Number)
			if err != nil {
				return nil, err
			}
			pages = append(pages, page)
		}
		return pages, a.still(ctx, row)
	}
	rows, err := a.DB.PagesWithWords(ctx, auth.Scope(ctx), row.ID, spans[0].Number, last(spans).Number)
	if err == nil {
		err = a.still(ctx, row)
	}
	if err != nil {
		return nil, err
	}
	pages = make([]layout.Page, len(rows))
	for i, r := range rows {
		if pages[i], err = r.Layout(); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

type listBoxesRequest struct {
	FileRef
	TextRange
	Limit  int    `query:"limit" minimum:"1" maximum:"5000" default:"1000" doc:"Maximum number of items"`
	Cursor string `query:"cursor" maxLength:"2000" doc:"The nextCursor of the previous page"`
}

// listBoxes keeps in the cursor where the span continues.
func (a *API) listBoxes(ctx context.Context, in *listBoxesRequest) (TextBoxes, error) {
	row, err := a.settled(ctx, in.FileID)
	if err != nil {
		return TextBoxes{}, err
	}
	after, err := afterOrdinal(Page{Cursor: in.Cursor}, "boxes", row.Generation)
	if err != nil {
		return TextBoxes{}, err
	}
	places, err := a.placesOf(ctx, row)
	if err != nil {
		return TextBoxes{}, err
	}
	span, err := part(max(in.Start, after), in.End, places.spans)
	if err != nil {
		return TextBoxes{}, err
	}
	all := touched(places.spans, span)
	shown, more := cut(all, pagesAtOnce)
	pages, err := a.layouts(ctx, row, places, shown)
	if err != nil {
		return TextBoxes{}, err
	}
	out := TextBoxes{FileID: row.ID, Version: row.TextVersion, Items: []TextBox{}}
	for i, page := range pages {
		out.Items = append(out.Items, newTextBoxes(page, span, shown[i].Start)...)
	}
	switch items, cutOff := cut(out.Items, in.Limit); {
	case cutOff:
		out.NextCursor = ordinalCursor("boxes", row.Generation, out.Items[in.Limit].Span.Start)
		out.Items = items
	case more:
		out.NextCursor = ordinalCursor("boxes", row.Generation, all[pagesAtOnce].Start)
	}
	return out, nil
}
