package db

import (
	"context"
	"slices"
	"time"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/query"
)

// Position is a place in the grid of a dashboard, which is GridWidth columns
// wide.
type Position struct {
	X int `json:"x" db:"x" minimum:"0" maximum:"11" doc:"Columns from the left; the dashboard has twelve"`
	Y int `json:"y" db:"y" minimum:"0" maximum:"10000" doc:"Rows from the top"`
	W int `json:"w" db:"w" minimum:"1" maximum:"12" doc:"Width in columns"`
	H int `json:"h" db:"h" minimum:"1" maximum:"100" doc:"Height in rows"`
}

// GridWidth is how many columns a dashboard has.
const GridWidth = 12

// Widget is a question with its place on the dashboard of a team.
type Widget struct {
	Position

	ID        string      `db:"id"`
	Title     string      `db:"title"`
	Kind      query.Chart `db:"kind"`
	Query     query.Query `db:"query"`
	Version   int         `db:"version"`
	CreatedBy *string     `db:"created_by"`
	CreatedAt time.Time   `db:"created_at"`
	UpdatedAt time.Time   `db:"updated_at"`
}

const widgetColumns = `id, title, kind, query, x, y, w, h, version, created_by, created_at, updated_at`

// mostWidgets is how many a dashboard has at most.
const mostWidgets = 200

var errManyWidgets = fault.Newf(fault.Conflict, "a dashboard has %d widgets at most", mostWidgets)

// Widgets lists the widgets of a team from the top left.
func (q Queries) Widgets(ctx context.Context, in Scope) ([]Widget, error) {
	return many[Widget](ctx, q, `SELECT `+widgetColumns+` FROM widgets WHERE team_id = @team ORDER BY y, x, id`, args{"team": in.TeamID})
}

// Widget is one widget.
func (q Queries) Widget(ctx context.Context, in Scope, id string) (Widget, error) {
	return one[Widget](ctx, q, `SELECT `+widgetColumns+` FROM widgets WHERE id = @id AND team_id = @team`, args{"id": id, "team": in.TeamID})
}

// lockWidgets makes others wait who change the dashboard, until the transaction
// ends.
func (t *Tx) lockWidgets(ctx context.Context, in Scope) error {
	_, err := exec(ctx, t.Queries, `SELECT pg_advisory_xact_lock(hashtextextended('widgets:' || @team, 0))`, args{"team": in.TeamID})
	return err
}

// keepApart is Conflict where two widgets of the team are in one place.
func (t *Tx) keepApart(ctx context.Context, in Scope) error {
	titles, err := values[string](ctx, t.Queries, `
		SELECT a.title || ' and ' || b.title FROM widgets a
		JOIN widgets b ON b.team_id = a.team_id AND b.id > a.id AND a.x < b.x + b.w AND b.x < a.x + a.w AND a.y < b.y + b.h AND b.y < a.y + a.h
		WHERE a.team_id = @team LIMIT 1`, args{"team": in.TeamID})
	if err == nil && len(titles) > 0 {
		err = fault.Newf(fault.Conflict, "two widgets would overlap: %s", titles[0])
	}
	return err
}

// CreateWidget adds a widget. Without a width it goes below all others, with the
// usual size of its kind. A place that is taken is Conflict.
func (t *Tx) CreateWidget(ctx context.Context, in Scope, w Widget) (Widget, error) {
	if err := t.lockWidgets(ctx, in); err != nil {
		return Widget{}, err
	}
	type extent struct {
		Widgets int `db:"widgets"`
		Bottom  int `db:"bottom"`
	}
	there, err := one[extent](ctx, t.Queries, `SELECT count(*) AS widgets, coalesce(max(y + h), 0) AS bottom FROM widgets WHERE team_id = @team`, args{"team": in.TeamID})
	if err != nil {
		return Widget{}, err
	}
	if there.Widgets >= mostWidgets {
		return Widget{}, errManyWidgets
	}
	if w.W == 0 {
		w.Position = Position{Y: there.Bottom, W: 6, H: 4}
		if w.Kind == query.NumberChart {
			w.W, w.H = 3, 2
		}
	}
	row, err := one[Widget](ctx, t.Queries, `
		INSERT INTO widgets (id, team_id, title, kind, query, x, y, w, h, created_by)
		VALUES (@id, @team, @title, @kind, @query, @x, @y, @w, @h, @user) RETURNING `+widgetColumns, args{
		"id": NewID(), "team": in.TeamID, "title": w.Title, "kind": string(w.Kind), "query": w.Query,
		"x": w.X, "y": w.Y, "w": w.W, "h": w.H, "user": nullable(in.UserID()),
	})
	if err != nil {
		return Widget{}, err
	}
	if err := t.keepApart(ctx, in); err != nil {
		return Widget{}, err
	}
	return row, t.Audit(ctx, in, "widget.created", "widget", row.ID, map[string]any{"title": row.Title})
}

// WidgetUpdate changes a widget; what is nil stays as it is.
type WidgetUpdate struct {
	Title     *string
	Kind      *query.Chart
	Query     *query.Query
	Position  *Position
	IfVersion int // 0 for any; otherwise another version is Conflict
}

// UpdateWidget applies u. A place that is taken is Conflict.
func (t *Tx) UpdateWidget(ctx context.Context, in Scope, id string, u WidgetUpdate) (Widget, error) {
	if err := t.lockWidgets(ctx, in); err != nil {
		return Widget{}, err
	}
	w, err := t.Widget(ctx, in, id)
	if err != nil {
		return Widget{}, err
	}
	if u.IfVersion != 0 && u.IfVersion != w.Version {
		return Widget{}, fault.New(fault.Conflict, "the widget has changed since it was read; read it again")
	}
	if u.Title != nil {
		w.Title = *u.Title
	}
	if u.Kind != nil {
		w.Kind = *u.Kind
	}
	if u.Query != nil {
		w.Query = *u.Query
	}
	if u.Position != nil {
		w.Position = *u.Position
	}
	row, err := one[Widget](ctx, t.Queries, `
		UPDATE widgets SET title = @title, kind = @kind, query = @query, x = @x, y = @y, w = @w, h = @h, version = version + 1, updated_at = now()
		WHERE id = @id AND team_id = @team RETURNING `+widgetColumns, args{
		"id": id, "team": in.TeamID, "title": w.Title, "kind": string(w.Kind), "query": w.Query, "x": w.X, "y": w.Y, "w": w.W, "h": w.H,
	})
	if err != nil {
		return Widget{}, err
	}
	if err := t.keepApart(ctx, in); err != nil {
		return Widget{}, err
	}
	return row, t.Audit(ctx, in, "widget.updated", "widget", id, nil)
}

// ArrangeWidgets moves widgets by their ids, all or none. It is NotFound for one
// that the team does not have, and Conflict where two would overlap.
func (t *Tx) ArrangeWidgets(ctx context.Context, in Scope, positions map[string]Position) error {
	if err := t.lockWidgets(ctx, in); err != nil {
		return err
	}
	var ids []string
	var x, y, w, h []int
	for id, p := range positions {
		ids, x, y, w, h = append(ids, id), append(x, p.X), append(y, p.Y), append(w, p.W), append(h, p.H)
	}
	n, err := exec(ctx, t.Queries, `
		UPDATE widgets SET x = p.x, y = p.y, w = p.w, h = p.h, version = version + 1, updated_at = now()
		FROM unnest(@ids::uuid[], @x::int[], @y::int[], @w::int[], @h::int[]) p (id, x, y, w, h)
		WHERE widgets.id = p.id AND team_id = @team`, args{"team": in.TeamID, "ids": ids, "x": x, "y": y, "w": w, "h": h})
	if err != nil {
		return err
	}
	if int(n) != len(positions) {
		return errNotFound
	}
	if err := t.keepApart(ctx, in); err != nil {
		return err
	}
	return t.Audit(ctx, in, "widgets.arranged", "team", in.TeamID, map[string]any{"widgets": len(positions)})
}

// DeleteWidget moves a widget into the trash.
func (t *Tx) DeleteWidget(ctx context.Context, in Scope, id string) (TrashEntry, error) {
	if err := t.hold(ctx, in, TrashedWidget, id); err != nil {
		return TrashEntry{}, err
	}
	w, err := t.Widget(ctx, in, id)
	if err != nil {
		return TrashEntry{}, err
	}
	entry, err := t.discard(ctx, in, discarded{Kind: TrashedWidget, ResourceID: id, Name: w.Title})
	if err != nil {
		return TrashEntry{}, err
	}
	return entry, t.Audit(ctx, in, "widget.deleted", "widget", id, map[string]any{"trashId": entry.ID})
}

// restoreWidget brings a widget back to its place, or to the first free one where
// that is taken.
func (t *Tx) restoreWidget(ctx context.Context, in Scope, e binned, title string) error {
	if err := t.lockWidgets(ctx, in); err != nil {
		return err
	}
	others, err := t.Widgets(ctx, in)
	if err != nil {
		return err
	}
	if len(others) >= mostWidgets {
		return errManyWidgets
	}
	if err := t.comeBack(ctx, in, title, e); err != nil {
		return err
	}
	w, err := t.Widget(ctx, in, e.ResourceID)
	if err != nil {
		return err
	}
	if place := freePlace(w.Position, others); place != w.Position {
		if err := change(ctx, t.Queries, `UPDATE widgets SET x = @x, y = @y, version = version + 1, updated_at = now() WHERE id = @id AND team_id = @team`,
			args{"id": w.ID, "team": in.TeamID, "x": place.X, "y": place.Y}); err != nil {
			return err
		}
	}
	return t.Audit(ctx, in, "widget.restored", "widget", w.ID, map[string]any{"trashId": e.ID})
}

// freePlace is p where none of widgets is there, or else the first place that has
// room for it, by rows from the top and from the left in each.
func freePlace(p Position, widgets []Widget) Position {
	taken := func(p Position) bool {
		return slices.ContainsFunc(widgets, func(w Widget) bool {
			return p.X < w.X+w.W && w.X < p.X+p.W && p.Y < w.Y+w.H && w.Y < p.Y+p.H
		})
	}
	if !taken(p) {
		return p
	}
	for p.Y = 0; ; p.Y++ { // below all of them at the latest
		for p.X = 0; p.X+p.W <= GridWidth; p.X++ {
			if !taken(p) {
				return p
			}
		}
	}
}
