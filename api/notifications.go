package api

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// notifications serves the notifications of users.
func (a *API) notifications() {
	session := a.area("Notifications", withSession)
	get(session, "/api/notifications", "listNotifications", "List notifications", a.listNotifications, describe(
		"Lists the caller's notifications in the current team, newest first, with the number of unread ones. They are stored for ninety days. `/api/events` "+
			"has an event for each new one."))
	create(a, session, "/api/notifications", "pushNotification", "Send a notification", a.pushNotification, describe(
		"Sends a notification to the members of the team in `userIds`, by default to the caller. The answer has the notification of each."))
	patch(session, "/api/notifications/{id}", "updateNotification", "Mark a notification as read or unread", a.markNotification, eitherWay[NotificationMark](a), describe(
		"Marks a notification as read, or as unread if `read` is false. `read` is a query parameter or in the body."))
}

// Notification is a notification of one user.
type Notification struct {
	ID        string              `json:"id"`
	UserID    string              `json:"userId"`
	Kind      db.NotificationKind `json:"kind"`
	Title     string              `json:"title"`
	Body      string              `json:"body"`
	Link      string              `json:"link" doc:"Link to the subject: a path of this API or another URL; empty for none"`
	Read      bool                `json:"read"`
	ReadAt    *time.Time          `json:"readAt"`
	CreatedBy *string             `json:"createdBy" doc:"Id of the user who caused it; null for notifications of the service itself"`
	CreatedAt time.Time           `json:"createdAt"`
}

func newNotification(n db.Notification) Notification {
	return Notification{
		ID: n.ID, UserID: n.UserID, Kind: n.Kind, Title: n.Title, Body: n.Body, Link: n.Link,
		Read: n.ReadAt != nil, ReadAt: utc(n.ReadAt), CreatedBy: n.CreatedBy, CreatedAt: n.CreatedAt.UTC(),
	}
}

// Notifications is a page of a user's notifications.
type Notifications struct {
	List[Notification]
	Unread int `json:"unread" doc:"Number of unread notifications on all pages, regardless of the filters"`
}

func (a *API) listNotifications(ctx context.Context, in *struct {
	Page
	Unread bool                  `query:"unread" doc:"Only unread notifications"`
	Kind   []db.NotificationKind `query:"kind" doc:"Only these kinds"`
}) (Notifications, error) {
	scope := auth.Scope(ctx)
	after, err := in.idPlace("notifications")
	if err != nil {
		return Notifications{}, err
	}
	rows, err := a.DB.Notifications(ctx, scope, db.NotificationFilter{Unread: in.Unread, Kinds: words(in.Kind)}, after, in.Limit+1)
	if err != nil {
		return Notifications{}, err
	}
	unread, err := a.DB.CountNotifications(ctx, scope, db.NotificationFilter{Unread: true})
	return Notifications{
		List:   newPage(rows, in.Limit, "notifications", newNotification, func(n db.Notification) string { return n.ID }),
		Unread: unread,
	}, err
}

type pushNotificationRequest struct {
	OnceKey
	Body struct {
		UserIDs []string            `json:"userIds,omitempty" maxItems:"500" nullable:"false" doc:"Ids of members of the team; by default the caller"`
		Kind    db.NotificationKind `json:"kind,omitempty" doc:"custom, the default, or mention; other kinds are reserved for the service"`
		Title   string              `json:"title" minLength:"1" maxLength:"300"`
		Body    string              `json:"body,omitempty" maxLength:"5000"`
		Link    string              `json:"link,omitempty" maxLength:"2000" doc:"A path that begins with /, or a URL that begins with https://"`
	}
}

// Pushed has the notification of each recipient.
type Pushed struct {
	Items []Notification `json:"items" nullable:"false"`
}

func (p Pushed) address() string { return "/api/notifications" }

func (a *API) pushNotification(ctx context.Context, tx *db.Tx, in *pushNotificationRequest) (Pushed, error) {
	scope := auth.Scope(ctx)
	n := db.NewNotification{Kind: in.Body.Kind, Body: in.Body.Body, Link: in.Body.Link}
	switch n.Kind { //nolint:exhaustive // the others tell of what happened
	case "":
		n.Kind = db.CustomNote
	case db.CustomNote, db.Mention:
	default:
		return Pushed{}, invalid("body.kind", "must be custom or mention")
	}
	var err error
	if n.Title, err = title("body.title", in.Body.Title); err != nil {
		return Pushed{}, err
	}
	if !safeLink(n.Link) {
		return Pushed{}, invalid("body.link", "must be a path that begins with / or an address that begins with https://")
	}
	people := in.Body.UserIDs
	if len(people) == 0 {
		people = []string{scope.UserID()}
	}
	people = slices.Compact(slices.Sorted(slices.Values(people)))
	for i, id := range people {
		if !isID(id) {
			return Pushed{}, invalid(fmt.Sprintf("body.userIds[%d]", i), "is not the id of a member of this team")
		}
	}
	told, err := tx.PushNotifications(ctx, scope, people, n)
	if err != nil {
		return Pushed{}, err
	}
	if len(told) < len(people) {
		return Pushed{}, invalid("body.userIds", "has a user who is not a member of this team")
	}
	return Pushed{newList(told, newNotification).Items},
		tx.Audit(ctx, scope, "notification.pushed", "notification", told[0].ID, map[string]any{"people": len(told)})
}

// safeLink reports whether a link is a path on this server or an https URL. Others, such
// as javascript:, could run in the page that shows them.
func safeLink(link string) bool {
	if link == "" {
		return true
	}
	u, err := url.Parse(link)
	if err != nil {
		return false
	}
	if u.Scheme == "" && u.Host == "" {
		return strings.HasPrefix(link, "/") && !strings.HasPrefix(link, "//") && !strings.HasPrefix(link, `/\`)
	}
	return u.Scheme == "https" && u.Host != "" && u.User == nil
}

// NotificationMark is whether a notification counts as read.
type NotificationMark struct {
	Read *bool `json:"read,omitempty" doc:"By default true"`
}

func (a *API) markNotification(ctx context.Context, in *struct {
	IDRef
	Body *NotificationMark
}) (Notification, error) {
	read := orNothing(in.Body).Read
	return inTx(ctx, a, newNotification, func(tx *db.Tx, scope db.Scope) (db.Notification, error) {
		return tx.MarkNotification(ctx, scope, in.ID, read == nil || *read)
	})
}
