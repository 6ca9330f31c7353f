package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
	"github.com/clausemill/clausemill/search"
	"github.com/clausemill/clausemill/sheet"
)

// export serves lists, search hits and query results as tables for spreadsheets.
func (a *API) export() {
	const tables = " The table is CSV or XLSX and is streamed: if an error interrupts it, the answer ends early. " +
		"Text that begins like a formula cannot run as one: in CSV an apostrophe precedes it. " +
		"Text is cut after 32,767 characters, the limit of a cell. XLSX continues after 1,048,576 rows in another sheet."
	csv := produces("text/csv", xlsxType)
	session := a.area("Export", withSession)
	raw(session, http.MethodGet, "/api/export/files", "exportFiles", "Export files as a table", exporting(a, a.exportFiles), csv, describe(
		"Exports the files that the list of files returns for the same filters, in the same order. `attributes` adds columns with attribute values as they are written in the file, and dates as 2026-03-31."+tables))
	raw(session, http.MethodGet, "/api/export/matters", "exportMatters", "Export matters as a table", exporting(a, a.exportMatters), csv, describe(
		"Exports the matters that the list of matters returns for the same filters, in the same order."+tables))
	raw(session, http.MethodGet, "/api/export/sentences", "exportSentences", "Export sentences as a table", exporting(a, a.exportSentences), csv, describe(
		"Exports the sentences that the list of sentences returns for the same filters, file by file."+tables))
	raw(session, http.MethodGet, "/api/export/search", "exportSearch", "Export search hits as a table", exporting(a, a.exportHits), csv, describe(
		"Exports the first 1,000 sentences that a search finds, best matches first; `limit` and `cursor` are ignored."+tables))
	raw(session, http.MethodPost, "/api/export/query", "exportQuery", "Export the answer to a query as a table", exporting(a, a.exportData), csv, describe(
		"Runs the query of a widget and exports its result."+tables))
}

const xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// exporting is h with a limit of concurrent exports, because each reads as fast as the
// database answers and keeps in memory what is not sent yet.
func exporting[I any](a *API, h rawHandler[I]) rawHandler[I] {
	return func(ctx context.Context, in *I, w http.ResponseWriter, r *http.Request) error {
		release, err := a.quotas.exports.take(auth.From(ctx))
		if err != nil {
			return err
		}
		defer release()
		return h(ctx, in, w, r)
	}
}

// TableFormat is the format of a table.
type TableFormat struct {
	Format string `query:"format" enum:"csv,xlsx" default:"csv"`
}

// The batches of an export.
const (
	exportBatch  = 500       // rows that are read at a time
	exportBuffer = 256 << 10 // bytes that are written before the answer begins
)

// write sends a table: its headings, and the rows that fill writes. An early failure is
// answered as an error, since nothing was sent before.
func (f TableFormat) write(w http.ResponseWriter, name string, headings []any, fill func(t sheet.Writer) error) error {
	open, kind := sheet.NewCSV, "text/csv; charset=utf-8"
	if f.Format == "xlsx" {
		open, kind = sheet.NewXLSX, xlsxType
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", attachment(name+"."+f.Format))
	out := bufio.NewWriterSize(w, exportBuffer)
	t, err := open(out)
	if err != nil {
		return err
	}
	if err := t.Row(headings...); err != nil {
		return err
	}
	if err := fill(t); err != nil {
		return err
	}
	if err := t.Close(); err != nil {
		return err
	}
	return out.Flush()
}

// portions writes rows, then the rows after the last of them, until there are no more.
func portions[R any](rows []R, write func(rows []R) error, after func(last R) ([]R, error)) error {
	for len(rows) > 0 {
		if err := write(rows); err != nil {
			return err
		}
		if len(rows) < exportBatch {
			return nil
		}
		var err error
		if rows, err = after(last(rows)); err != nil {
			return err
		}
	}
	return nil
}

// fileHeadings are the columns that every export of files has.
var fileHeadings = []any{
	"id", "name", "status", "lifecycleStage", "documentTypeId", "documentTypeName", "documentTypeSource", "matterId", "matterName", "language",
	"pageCount", "size", "source", "parties", "counterparties", "createdAt", "updatedAt", "metadata", "categoryNames",
}

func (a *API) exportFiles(ctx context.Context, in *struct {
	TableFormat
	FileSort
	FileFilter
	IDs        []string `query:"ids" format:"uuid" maxItems:"500" doc:"Only these files"`
	Metadata   []string `query:"metadata" maxItems:"100" doc:"Keys of metadata, one column each, with lists joined by semicolons; by default the keys that the team has declared"`
	Attributes []string `query:"attributes" maxItems:"100" doc:"Keys of attributes of files as a whole, ignoring case, one column each"`
}, w http.ResponseWriter, _ *http.Request) error {
	filter, err := in.filter(ctx, a.DB.Queries, in.IDs)
	if err != nil {
		return err
	}
	columns, err := a.columns(ctx, in.Attributes, in.Metadata)
	if err != nil {
		return err
	}
	scope := auth.Scope(ctx)
	order, err := a.order(ctx, in.FileSort)
	if err != nil {
		return err
	}
	rows, err := a.DB.ListFiles(ctx, scope, filter, order, db.Place{}, exportBatch) // before anything is sent, so that errors can be answered
	if err != nil {
		return err
	}
	return in.write(w, "files", append(slices.Clone(fileHeadings), columns.headings()...), func(t sheet.Writer) error {
		return portions(rows, func(rows []db.ListedFile) error {
			return a.fileRows(ctx, t, rows, columns)
		}, func(last db.ListedFile) ([]db.ListedFile, error) {
			return a.DB.ListFiles(ctx, scope, filter, order, last.Place(), exportBatch)
		})
	})
}

// fileColumns are the columns that an export of files has beside the usual ones.
type fileColumns struct {
	attributes []query.Definition
	members    []string // of the metadata
}

// columns returns the requested columns. Without names of metadata keys it takes those
// that the team has declared.
func (a *API) columns(ctx context.Context, attributes, members []string) (c fileColumns, err error) {
	c.members = members
	if c.attributes, err = attributeFields(attributes); err != nil {
		return c, err
	}
	if members == nil {
		var declared []db.MetadataKey
		declared, err = a.DB.MetadataKeys(ctx, auth.Scope(ctx))
		c.members = newList(declared, func(k db.MetadataKey) string { return k.Key }).Items
	}
	return c, err
}

// attributeFields are the fields of attributes that the parameter `attributes` names.
func attributeFields(keys []string) ([]query.Definition, error) {
	fields := make([]query.Definition, len(keys))
	for i, key := range keys {
		var ok bool
		if fields[i], ok = query.Lookup(query.AttributeField(attributeKey(key))); !ok {
			return nil, invalid(fmt.Sprintf("query.attributes[%d]", i), "has no letters")
		}
	}
	return fields, nil
}

func (c fileColumns) headings() []any {
	return slices.Concat(
		newList(c.attributes, func(d query.Definition) any { return string(d.Field) }).Items,
		newList(c.members, func(key string) any { return string(query.MetadataField(key)) }).Items)
}

// fileRows writes files into a table.
func (a *API) fileRows(ctx context.Context, t sheet.Writer, rows []db.ListedFile, columns fileColumns) error {
	scope, ids := auth.Scope(ctx), idsOf(rows)
	values, err := a.DB.FactValues(ctx, scope, ids, columns.attributes)
	if err != nil {
		return err
	}
	categories, err := a.DB.FileCategories(ctx, scope, ids)
	if err != nil {
		return err
	}
	under, err := a.DB.FiledUnder(ctx, scope, ids)
	if err != nil {
		return err
	}
	for _, f := range rows {
		cells := []any{
			f.ID, f.Name, string(f.Status), string(f.LifecycleStage), f.DocumentTypeID, under[f.ID].DocumentType, f.DocumentTypeSource,
			f.MatterID, under[f.ID].Matter, f.Language, f.PageCount, f.Size, f.Source, partyNames(f.Parties), strings.Join(f.Counterparties, "; "), f.CreatedAt, f.ProgressAt, string(f.Metadata),
			strings.Join(newList(categories[f.ID], func(c db.CategoryName) string { return c.Name }).Items, "; "),
		}
		own := newList(columns.attributes, func(d query.Definition) any { return strings.Join(values[f.ID][d.Key], "; ") }).Items
		if err := t.Row(slices.Concat(cells, own, metadataCells(f.Metadata, columns.members))...); err != nil {
			return err
		}
	}
	return nil
}

func partyNames(parties []db.Party) string {
	names := make([]string, len(parties))
	for i, p := range parties {
		names[i] = p.Name
	}
	return strings.Join(names, "; ")
}

func (a *API) exportMatters(ctx context.Context, in *struct {
	TableFormat
	MatterSort
	MatterFilter
}, w http.ResponseWriter, _ *http.Request) error {
	filter, err := in.filter(ctx, a.DB.Queries)
	if err != nil {
		return err
	}
	scope := auth.Scope(ctx)
	order := in.order()
	rows, err := a.DB.Matters(ctx, scope, filter, order, db.Place{}, exportBatch)
	if err != nil {
		return err
	}
	headings := []any{
		"id", "name", "description", "stage", "status", "source", "parties", "counterparties", "ownerId", "ownerName", "dueAt", "documentTypeIds",
		"documentTypeNames", "createdAt", "updatedAt",
	}
	return in.write(w, "matters", headings, func(t sheet.Writer) error {
		return portions(rows, func(rows []db.ListedMatter) error {
			return a.matterRows(ctx, t, rows)
		}, func(last db.ListedMatter) ([]db.ListedMatter, error) {
			return a.DB.Matters(ctx, scope, filter, order, last.Place(), exportBatch)
		})
	})
}

// matterRows writes matters into a table.
func (a *API) matterRows(ctx context.Context, t sheet.Writer, rows []db.ListedMatter) error {
	owners, err := a.DB.MemberNames(ctx, auth.Scope(ctx), present(rows, func(m db.ListedMatter) *string { return m.OwnerID }))
	if err != nil {
		return err
	}
	types, err := a.DB.DocumentTypeNames(ctx, auth.Scope(ctx), slices.Concat(newList(rows, func(m db.ListedMatter) []string { return m.DocumentTypeIDs }).Items...))
	if err != nil {
		return err
	}
	for _, m := range rows {
		typeNames := newList(m.DocumentTypeIDs, func(id string) string { return types[id] }).Items
		if err := t.Row(m.ID, m.Name, m.Description, string(m.Stage), string(m.Status), m.Source, partyNames(m.Parties),
			strings.Join(m.Counterparties, "; "), m.OwnerID, owners[text(m.OwnerID)], m.DueAt, strings.Join(m.DocumentTypeIDs, "; "),
			strings.Join(typeNames, "; "), m.CreatedAt, m.UpdatedAt); err != nil {
			return err
		}
	}
	return nil
}

func (a *API) exportSentences(ctx context.Context, in *struct {
	TableFormat
	SentenceFilter
}, w http.ResponseWriter, _ *http.Request) error {
	filter, err := in.SentenceFilter.filter(ctx, a.DB.Queries)
	if err != nil {
		return err
	}
	scope := auth.Scope(ctx)
	rows, err := a.DB.FiledSentences(ctx, scope, filter, db.ByPlace, db.SentencePlace{}, exportBatch)
	if err != nil {
		return err
	}
	named, err := a.named(ctx)
	if err != nil {
		return err
	}
	headings := []any{"id", "fileId", "fileName", "documentTypeId", "documentTypeName", "ordinal", "page", "start", "end", "label", "labelName", "score", "source", "labels", "labelNames", "text"}
	return in.write(w, "sentences", headings, func(t sheet.Writer) error {
		return portions(rows, func(rows []db.FiledSentence) error {
			return a.sentenceRows(ctx, t, rows, named)
		}, func(last db.FiledSentence) ([]db.FiledSentence, error) {
			return a.DB.FiledSentences(ctx, scope, filter, db.ByPlace, db.SentencePlace{FileID: last.FileID, Ordinal: last.Ordinal}, exportBatch)
		})
	})
}

// sentenceRows writes sentences into a table.
func (a *API) sentenceRows(ctx context.Context, t sheet.Writer, rows []db.FiledSentence, named func(label string) Tag) error {
	types, err := a.DB.DocumentTypeNames(ctx, auth.Scope(ctx), present(rows, func(s db.FiledSentence) *string { return s.DocumentTypeID }))
	if err != nil {
		return err
	}
	for _, s := range rows {
		if err := t.Row(s.ID, s.FileID, s.FileName, s.DocumentTypeID, types[text(s.DocumentTypeID)], s.Ordinal, s.Page, s.Start, s.End,
			s.Label, labelName(named, s.Label), s.Score, s.Source, joined(s.Labels(), labelNode), joined(s.Labels(), nodeName(named)), s.Text); err != nil {
			return err
		}
	}
	return nil
}

// labelName is what people call a label, "" where there is none.
func labelName(named func(label string) Tag, label *string) string {
	if label == nil {
		return ""
	}
	return named(*label).Name
}

// joined are labels in one cell.
func joined(labels []db.Label, name func(db.Label) string) string {
	return strings.Join(newList(labels, name).Items, "; ")
}

func labelNode(l db.Label) string { return l.Node }

func nodeName(named func(label string) Tag) func(db.Label) string {
	return func(l db.Label) string { return named(l.Node).Name }
}

func (a *API) exportHits(ctx context.Context, in *struct {
	TableFormat
	SearchQuestion
}, w http.ResponseWriter, _ *http.Request) error {
	q, err := in.query(ctx, a.DB.Queries)
	if err != nil {
		return err
	}
	q.Offset, q.Limit, q.Facets, q.Engine = 0, search.Window, nil, ""
	if q.Synonyms, err = a.synonyms(ctx); err != nil {
		return err
	}
	found, err := a.Search.Sentences(ctx, auth.Scope(ctx), q)
	if err != nil {
		return err
	}
	named, err := a.named(ctx)
	if err != nil {
		return err
	}
	headings := []any{"fileId", "fileName", "sentenceId", "page", "start", "end", "label", "labelName", "score", "labels", "labelNames", "text"}
	return in.write(w, "hits", headings, func(t sheet.Writer) error {
		for _, h := range found.Hits {
			if err := t.Row(h.FileID, h.FileName, h.SentenceID, h.Page, h.Start, h.End, firstLabel(h.Labels), labelName(named, firstLabel(h.Labels)), h.Score,
				joined(h.Labels, labelNode), joined(h.Labels, nodeName(named)), h.Text); err != nil {
				return err
			}
		}
		return nil
	})
}

func (a *API) exportData(ctx context.Context, in *struct {
	TableFormat
	Body struct {
		Query query.Query `json:"query"`
	}
}, w http.ResponseWriter, _ *http.Request) error {
	data, err := a.data(ctx, in.Body.Query)
	if err != nil {
		return err
	}
	headings := newList(data.Columns, func(c Column) any { return c.Label }).Items
	return in.write(w, "data", headings, func(t sheet.Writer) error {
		for _, row := range data.Rows {
			cells, err := cellsOf(row)
			if err != nil {
				return err
			}
			if err := t.Row(cells...); err != nil {
				return err
			}
		}
		return nil
	})
}

// cellsOf are the cells of a row of a result; the last one is the measure.
func cellsOf(row []any) ([]any, error) {
	value, err := measure(last(row))
	return append(slices.Clone(row[:len(row)-1]), value), err
}

// measure is the last cell of a row of a result, without loss of digits.
func measure(cell any) (any, error) {
	text, ok := cell.(json.RawMessage)
	if !ok {
		return nil, fault.New(fault.Internal, "an answer has no measure")
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}
