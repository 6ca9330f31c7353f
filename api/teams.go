package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
)

// teams serves the current team and its users: section 4.9 of the specification.
func (a *API) teams() {
	session := a.area("Teams and users", withSession)
	get(session, "/api/teams", "getTeam", "Get the current team", a.getTeam, describe("Returns the team that requests of this session refer to, with the caller's role."))
	create(a, session, "/api/teams", "createTeam", "Create a team", a.createTeam, describe(
		"Creates an organization with the caller as its admin. The current team of the session stays the same; switch with `PUT /api/session`."))
	raw(session, http.MethodGet, "/api/teams/icon", "getTeamIcon", "Get the icon of the team", a.getTeamIcon, etagged, produces("image/png"), describe(
		"Returns the icon as a PNG of at most 512 by 512 pixels. 404 where the team has none."))
	put(session, "/api/teams/icon", "setTeamIcon", "Set the icon of the team", a.putTeamIcon, body(maxIconBody), admins, describe(
		"Sets the icon: a PNG or JPEG of at most 1 MiB and 2048 pixels on each side. The picture is encoded again, so metadata in the image is removed."))
	get(session, "/api/teams/status", "getTeamStatus", "Get the status of the team", a.getTeamStatus, describe("Returns the number of members, the storage used, the number of files by status, and the length of the job queue."))
	get(session, "/api/teams/users", "listTeamUsers", "List the users of the team", a.listTeamUsers, describe("Lists the users of the team with their roles."))
	get(session, "/api/users/find-by-email", "findUserByEmail", "Find a user by e-mail address", a.findUser, describe(
		"Finds a user of the current team. Anybody else is 404, whether they have an account or not; they can be invited."))
}

// Team is the current team as its user sees it.
type Team struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind" enum:"personal,organization"`
	Name      string    `json:"name"`
	Role      string    `json:"role" enum:"admin,member,viewer" doc:"Role of the caller"`
	CreatedAt time.Time `json:"createdAt"`
}

func newTeam(t db.Team, role string) Team {
	return Team{ID: t.ID, Kind: t.Kind, Name: t.Name, Role: role, CreatedAt: t.CreatedAt.UTC()}
}

// address is its URL once it is the current team.
func (Team) address() string { return "/api/teams" }

// TeamUser is a user as the team sees them.
type TeamUser struct {
	User
	Role     string    `json:"role" enum:"admin,member,viewer"`
	JoinedAt time.Time `json:"joinedAt"`
}

func newTeamUser(m db.TeamMember) TeamUser {
	return TeamUser{User{ID: m.UserID, Email: m.Email, Name: m.Name}, m.Role, m.JoinedAt.UTC()}
}

// TeamStatus is the team's resources and its waiting jobs.
type TeamStatus struct {
	Plan             string         `json:"plan" enum:"self-hosted" doc:"There is only this plan"`
	Members          int            `json:"members"`
	StorageUsed      int64          `json:"storageUsed" doc:"Size of the uploaded files in bytes"`
	Files            int            `json:"files"`
	FilesByStatus    map[string]int `json:"filesByStatus" doc:"Number of files for each status; statuses without files are absent"`
	QueueDepth       int            `json:"queueDepth" doc:"Number of the team's jobs that have not ended"`
	OldestWaitingJob *time.Time     `json:"oldestWaitingAt" doc:"When the oldest waiting job was created; null if none waits"`
}

func (a *API) getTeam(ctx context.Context, _ *struct{}) (Team, error) {
	row, err := a.DB.Team(ctx, auth.Scope(ctx))
	return newTeam(row, auth.From(ctx).Role), err
}

func (a *API) createTeam(ctx context.Context, tx *db.Tx, in *struct {
	OnceKey
	Body struct {
		Name string `json:"name" minLength:"1" maxLength:"200"`
	}
}) (Team, error) {
	name := cleanTitle(in.Body.Name)
	if name == "" {
		return Team{}, invalid("body.name", "has no printable characters")
	}
	row, err := tx.CreateOrganization(ctx, name, auth.From(ctx).UserID)
	return newTeam(row, db.Admin), err
}

func (a *API) getTeamIcon(ctx context.Context, _ *struct{}, w http.ResponseWriter, _ *http.Request) error {
	icon, err := a.DB.TeamIcon(ctx, auth.Scope(ctx))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(icon)
	if err := conditional(callOf(ctx), `"`+hex.EncodeToString(sum[:16])+`"`); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "image/png")
	_, err = w.Write(icon)
	return err
}

func (a *API) putTeamIcon(ctx context.Context, in *struct {
	Body struct {
		ContentBase64 []byte `json:"contentBase64" doc:"The image, in base64"`
	}
}) (Message, error) {
	icon, err := drawIcon(in.Body.ContentBase64)
	if err != nil {
		return Message{}, err
	}
	err = a.DB.InTx(ctx, func(tx *db.Tx) error { return tx.SetTeamIcon(ctx, auth.Scope(ctx), icon) })
	return Message{"the icon was updated"}, err
}

func (a *API) getTeamStatus(ctx context.Context, _ *struct{}) (TeamStatus, error) {
	row, err := a.DB.TeamStatus(ctx, auth.Scope(ctx))
	return TeamStatus{
		Plan: "self-hosted", Members: row.Members, StorageUsed: row.Storage, Files: row.Files, FilesByStatus: row.FilesByStatus,
		QueueDepth: row.QueueDepth, OldestWaitingJob: utc(row.OldestWaiting),
	}, err
}

func (a *API) listTeamUsers(ctx context.Context, in *Page) (List[TeamUser], error) {
	scope := auth.Scope(ctx)
	after, err := in.idPlace("users")
	if err != nil {
		return List[TeamUser]{}, err
	}
	rows, err := a.DB.Members(ctx, scope, after, in.Limit+1)
	if err != nil {
		return List[TeamUser]{}, err
	}
	users := pageByID(rows, in.Limit, "users", func(m db.TeamMember) string { return m.UserID }, newTeamUser)
	total, err := a.DB.CountMembers(ctx, scope)
	users.Total = &total
	return users, err
}

func (a *API) findUser(ctx context.Context, in *struct {
	Email string `query:"email" required:"true" maxLength:"320" doc:"E-mail address, ignoring case"`
}) (TeamUser, error) {
	row, err := a.DB.MemberByEmail(ctx, auth.Scope(ctx), strings.TrimSpace(in.Email))
	return newTeamUser(row), err
}
