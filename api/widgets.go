package api

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
	"github.com/clausemill/clausemill/search"
)

// widgets serves the dashboard of a team: section 4.11 of the specification.
func (a *API) widgets() {
	const questions = " Queries may use the fields of an allow-list: `POST /api/files/{fileId}/list-filters` lists those of files, and attributes are `attribute.` followed by their key. " +
		"Sums and other measures of money are computed for each currency. `partyRole` is a party with what its contract calls it (`Acme Inc. (Licensor)`), `ourRole` what it calls the team, and `counterpartyRole` what it calls the others. `having` keeps the groups whose measure is within bounds: parties with more than three files are " +
		"`{\"source\": \"files\", \"metric\": {\"op\": \"count\"}, \"groupBy\": [\"party\"], \"having\": [{\"op\": \"gt\", \"value\": 3}]}`."
	session := a.area("Dashboard widgets", withSession)
	get(session, "/api/dashboard-widgets", "listWidgets", "List dashboard widgets", a.listWidgets, describe("Lists all widgets of the team, from the top left."))
	create(a, session, "/api/dashboard-widgets", "createWidget", "Create a dashboard widget", a.createWidget, describe(
		"Creates a widget on the dashboard of the team. Without a position it is placed below the others; a position that is taken is 409."+questions))
	post(session, "/api/dashboard-widgets/execute-query", "executeWidgetQuery", "Run the query of a widget", scheduled(a, a.executeQuery), describe(
		"Runs a query on the present data of the team, in a read-only transaction. A query that takes longer than five seconds is 422."+questions))
	post(session, "/api/dashboard-widgets/generate-config", "generateWidgetConfig", "Generate a widget from a question in plain words", a.generateConfig, describe(
		"Makes the configuration of a widget from a question in plain English, by a grammar. It understands counts, sums, averages, medians, extremes, `by` fields, `per month`, `top 10`, "+
			"`last quarter`, `expiring in the next 90 days`, `where governing law is …`, `with Acme`, `Acme versus Bolt`, `since January`, `parties with more than 3 contracts`, `that auto-renew`, `without a cap on liability`, `mentioning …`, "+
			"`where Acme is the licensor`, `in which we are the tenant`, `rent per landlord`, `governed by Texas law or expiring this year`, and kinds of charts. "+
			"`Which …`, `list …` and `show me …` give the files themselves, `how many …` their number. `understood` shows how the words were interpreted, and which date a period is about. "+
			"Words that are not understood are 422, with what may have been meant. Where the operator has a language model and the team does not keep it out, that writes the query before, "+
			"with the same fields and values; of the team it is told the names of labels, types and fields. Nothing is stored."))
	patch(session, "/api/dashboard-widgets/layout", "arrangeWidgets", "Move widgets on the dashboard", a.arrangeWidgets, describe(
		"Sets the positions of widgets, all of them or none. 409 where two widgets would overlap, including widgets that are not in the request; 404 for a widget that does not exist."))
	get(session, "/api/dashboard-widgets/{id}", "getWidget", "Get a dashboard widget", a.getWidget, describe("Returns a widget with its query and its position on the dashboard."))
	patch(session, "/api/dashboard-widgets/{id}", "updateWidget", "Update a dashboard widget", a.updateWidget, describe(
		"Changes a widget. An absent field is left unchanged. With `If-Match` a stale version is 409."))
	del(session, "/api/dashboard-widgets/{id}", "deleteWidget", "Delete a dashboard widget", a.deleteWidget, describe("Deletes a widget. "+purging))
}

// Widget is a question on the dashboard of the team.
type Widget struct {
	ID        string      `json:"id"`
	Title     string      `json:"title"`
	Kind      query.Chart `json:"kind" enum:"number,bar,line,pie,table"`
	Query     query.Query `json:"query"`
	Position  db.Position `json:"position"`
	Version   int         `json:"version"`
	CreatedBy *string     `json:"createdBy"`
	CreatedAt time.Time   `json:"createdAt"`
	UpdatedAt time.Time   `json:"updatedAt"`
}

func (w Widget) etag() string { return fmt.Sprintf(`"%d"`, w.Version) }

func newWidget(w db.Widget) Widget {
	return Widget{
		ID: w.ID, Title: w.Title, Kind: w.Kind, Query: w.Query, Position: w.Position, Version: w.Version, CreatedBy: w.CreatedBy,
		CreatedAt: w.CreatedAt.UTC(), UpdatedAt: w.UpdatedAt.UTC(),
	}
}

func (w Widget) address() string { return "/api/dashboard-widgets/" + w.ID }

// WidgetRef is the request of every operation on one widget.
type WidgetRef struct {
	ID string `path:"id" format:"uuid" doc:"Widget id"`
}

func (a *API) listWidgets(ctx context.Context, _ *struct{}) (List[Widget], error) {
	rows, err := a.DB.Widgets(ctx, auth.Scope(ctx))
	return newList(rows, newWidget), err
}

type createWidgetRequest struct {
	OnceKey
	Body struct {
		Title    string       `json:"title" minLength:"1" maxLength:"200"`
		Kind     query.Chart  `json:"kind" enum:"number,bar,line,pie,table"`
		Query    query.Query  `json:"query"`
		Position *db.Position `json:"position,omitempty"`
	}
}

func (a *API) createWidget(ctx context.Context, tx *db.Tx, in *createWidgetRequest) (Widget, error) {
	w := db.Widget{Title: cleanTitle(in.Body.Title), Kind: in.Body.Kind, Query: in.Body.Query}
	if err := checkWidget(ctx, tx.Queries, &w.Title, &w.Query, in.Body.Position); err != nil {
		return Widget{}, err
	}
	if in.Body.Position != nil {
		w.Position = *in.Body.Position
	}
	row, err := tx.CreateWidget(ctx, auth.Scope(ctx), w)
	return newWidget(row), err
}

// checkWidget checks the fields of a widget; nil fields are not changed. The query is
// stored unchanged, so that its dates stay relative.
func checkWidget(ctx context.Context, d db.Queries, title *string, q *query.Query, p *db.Position) error {
	if title != nil && *title == "" {
		return invalid("body.title", "has no printable characters")
	}
	if p != nil && p.X+p.W > db.GridWidth {
		return invalid("body.position", "extends beyond the columns of the dashboard")
	}
	if q == nil {
		return nil
	}
	_, err := checkedQuery(ctx, d, *q, time.Now())
	return err
}

// checkedQuery is q, validated, with relative dates and words resolved.
func checkedQuery(ctx context.Context, d db.Queries, q query.Query, now time.Time) (query.Query, error) {
	q, err := q.Checked(now)
	if err == nil {
		var filter query.Filter
		filter, err = search.Read(ctx, auth.Scope(ctx), q.Filter(), d)
		q.Filters = filter.Parts()
	}
	if err == nil {
		var where query.Filter
		where, err = search.Read(ctx, auth.Scope(ctx), q.Metric.Condition(), d)
		q.Metric.Filters = where.Parts()
	}
	if fault.KindOf(err) == fault.Invalid {
		return q, invalid("body.query", fault.Message(err))
	}
	return q, err
}

func (a *API) getWidget(ctx context.Context, in *WidgetRef) (Widget, error) {
	row, err := a.DB.Widget(ctx, auth.Scope(ctx), in.ID)
	return newWidget(row), err
}

func (a *API) updateWidget(ctx context.Context, in *struct {
	WidgetRef
	OfVersion
	Body struct {
		Title    *string      `json:"title,omitempty" minLength:"1" maxLength:"200"`
		Kind     *query.Chart `json:"kind,omitempty" enum:"number,bar,line,pie,table"`
		Query    *query.Query `json:"query,omitempty"`
		Position *db.Position `json:"position,omitempty"`
	}
}) (Widget, error) {
	update := db.WidgetUpdate{Title: in.Body.Title, Kind: in.Body.Kind, Query: in.Body.Query, Position: in.Body.Position}
	if update.Title != nil {
		*update.Title = cleanTitle(*update.Title)
	}
	if err := checkWidget(ctx, a.DB.Queries, update.Title, update.Query, update.Position); err != nil {
		return Widget{}, err
	}
	var err error
	if update.IfVersion, err = ifMatch(in.IfMatch); err != nil {
		return Widget{}, err
	}
	return inTx(ctx, a, newWidget, func(tx *db.Tx, scope db.Scope) (db.Widget, error) { return tx.UpdateWidget(ctx, scope, in.ID, update) })
}

func (a *API) deleteWidget(ctx context.Context, in *struct {
	WidgetRef
	Purging
}) (Deleted, error) {
	return a.remove(ctx, in.Purging, "the widget", func(tx *db.Tx, scope db.Scope) (db.TrashEntry, error) {
		return tx.DeleteWidget(ctx, scope, in.ID)
	})
}

// Placement is the new position of a widget.
type Placement struct {
	ID       string      `json:"id" format:"uuid"`
	Position db.Position `json:"position"`
}

func (a *API) arrangeWidgets(ctx context.Context, in *struct {
	Body struct {
		Widgets []Placement `json:"widgets" minItems:"1" maxItems:"200" nullable:"false"`
	}
}) (List[Widget], error) {
	positions := map[string]db.Position{}
	for i, w := range in.Body.Widgets {
		if err := checkWidget(ctx, a.DB.Queries, nil, nil, &w.Position); err != nil {
			return List[Widget]{}, invalid(fmt.Sprintf("body.widgets[%d].position", i), "extends beyond the columns of the dashboard")
		}
		if _, twice := positions[w.ID]; twice || !isID(w.ID) {
			return List[Widget]{}, invalid(fmt.Sprintf("body.widgets[%d].id", i), "is not an id, or is given twice")
		}
		positions[w.ID] = w.Position
	}
	err := a.DB.InTx(ctx, func(tx *db.Tx) error { return tx.ArrangeWidgets(ctx, auth.Scope(ctx), positions) })
	if err != nil {
		return List[Widget]{}, err
	}
	return a.listWidgets(ctx, nil)
}

// queryPatience limits the time of a widget's query.
const queryPatience = 5 * time.Second

// Data is the result of a query: a table with a row for each group.
type Data struct {
	Columns   []Column    `json:"columns" nullable:"false" doc:"The fields of groupBy, but where across makes one of all groups, the currency for measures of money, and the measure"`
	Rows      [][]any     `json:"rows" nullable:"false" doc:"One value for each column: display names, or null for none, and the measure, a number or a time"`
	Keys      [][]*string `json:"keys" nullable:"false" doc:"For each row, the values of the fields in groupBy, as used in conditions"`
	Total     int         `json:"total" doc:"Number of groups, including those beyond the limit"`
	Truncated bool        `json:"truncated" doc:"true if there are more groups than rows"`
	AsOf      time.Time   `json:"asOf"`
	TookMS    int64       `json:"tookMs"`
}

// Column is a column of a result.
type Column struct {
	Key   string `json:"key" doc:"The name of a field, or currency, or value"`
	Label string `json:"label" doc:"Display name"`
	Kind  string `json:"kind" enum:"enum,text,number,date,boolean"`
}

func (a *API) executeQuery(ctx context.Context, in *struct {
	Body struct {
		Query query.Query `json:"query"`
	}
}) (Data, error) {
	return a.data(ctx, in.Body.Query)
}

func (a *API) data(ctx context.Context, asked query.Query) (Data, error) {
	began := time.Now()
	q, err := checkedQuery(ctx, a.DB.Queries, asked, began)
	if err != nil {
		return Data{}, err
	}
	groups, err := a.DB.Aggregate(ctx, auth.Scope(ctx), q, queryPatience)
	if err != nil {
		return Data{}, err
	}
	data := Data{
		Columns: columnsOf(q), Rows: newList(groups, dataRow).Items, Keys: newList(groups, func(g db.Group) []*string { return list(g.Keys) }).Items,
		AsOf: began.UTC(), TookMS: time.Since(began).Milliseconds(),
	}
	if len(groups) > 0 {
		data.Total = groups[0].Groups
	}
	data.Truncated = data.Total > len(data.Rows)
	return data, nil
}

// dataRow is the names of a group and its measure.
func dataRow(g db.Group) []any {
	return append(newList(g.Names, func(name *string) any { return name }).Items, measured(g.Value))
}

// measured is a measure on the wire.
func measured(value json.RawMessage) json.RawMessage {
	if value == nil {
		return json.RawMessage("null")
	}
	return value
}

// columnsOf describes the columns of the result of q.
func columnsOf(q query.Query) []Column {
	var list []Column
	for _, f := range q.GroupBy {
		if q.Across != "" {
			break // all of the groups are one
		}
		d, _ := query.Lookup(f)
		kind := d.Kind
		list = append(list, Column{string(f), d.Label, string(kind)})
	}
	if db.ByCurrency(q) {
		list = append(list, Column{db.CurrencyKey, "Currency", string(query.Enum)})
	}
	value := Column{"value", acrossLabel(q, measureLabel(q.Metric)), string(query.Number)}
	if q.Metric.IsDate() {
		value.Kind = string(query.Date)
	}
	return append(list, value)
}

// acrossLabel is the display name of one figure of the measures of all groups, or that of the measure.
func acrossLabel(q query.Query, measure string) string {
	if q.Across == "" {
		return measure
	}
	var fields []string
	for _, f := range q.GroupBy {
		d, _ := query.Lookup(f)
		fields = append(fields, d.Label)
	}
	figure := map[query.MetricOp]string{query.Sum: "Sum", query.Avg: "Average", query.Min: "Least", query.Max: "Greatest", query.Median: "Median"}[q.Across]
	return figure + " by " + strings.Join(fields, " and ") + ": " + measure
}

// measureLabel is the display name of a measure.
func measureLabel(m query.Metric) string {
	d, _ := query.Lookup(m.Field)
	if m.Unit != "" {
		d.Label = strings.TrimSuffix(d.Label, " in days") + " in " + string(m.Unit) + "s"
		if d.Kind == query.Date {
			d.Label += " ago"
		}
	}
	return map[query.MetricOp]string{
		query.Count: "Count", query.CountDistinct: "Different values of " + d.Label, query.Sum: "Sum of " + d.Label, query.Avg: "Average of " + d.Label,
		query.Min: "Least " + d.Label, query.Max: "Greatest " + d.Label, query.Median: "Median of " + d.Label, query.Share: strings.TrimSuffix("Percent of "+d.Label, " of "),
	}[m.Op]
}

// Generated is a configuration made from plain words, with their interpretation.
type Generated struct {
	Config     WidgetConfig       `json:"config"`
	Understood []query.Understood `json:"understood" nullable:"false" doc:"Words and their interpretation"`
	Generator  string             `json:"generator" enum:"grammar,model" doc:"grammar: the rules of the service; model: a language model, where the operator has one and the rules did not understand the question"`
	Model      string             `json:"model,omitempty" doc:"The language model that wrote the query"`
	Preview    Data               `json:"preview" doc:"The result of the query on the present data"`
}

// WidgetConfig is the configuration of a new widget.
type WidgetConfig struct {
	Title string      `json:"title"`
	Kind  query.Chart `json:"kind" enum:"number,bar,line,pie,table"`
	Query query.Query `json:"query"`
}

func (a *API) generateConfig(ctx context.Context, in *struct {
	Body struct {
		Prompt      string `json:"prompt" minLength:"1" maxLength:"1000" doc:"A question in English: contracts expiring next quarter by counterparty"`
		GrammarOnly bool   `json:"grammarOnly,omitempty" doc:"No language model is asked, for words that may be no question"`
	}
}) (Generated, error) {
	read, err := a.understand(ctx, "body.prompt", in.Body.Prompt, !in.Body.GrammarOnly)
	if err != nil {
		return Generated{}, err
	}
	preview, err := a.data(ctx, read.config.Query)
	generated := Generated{Config: read.config, Understood: list(read.understood), Generator: "grammar", Model: read.model, Preview: preview}
	if read.model != "" {
		generated.Generator = "model"
	}
	return generated, err
}

// The bounds of filters and their options.
const (
	maxAttributeFields = 200
	maxOptions         = 500
)
