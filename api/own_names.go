package api

import (
	"context"
	"fmt"
	"net/http"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/query"
)

// ownNames serves under which names the team makes contracts, by which the parties of a
// file are told from its counterparties.
func (a *API) ownNames() {
	session := a.area("Teams and users", withSession)
	get(session, "/api/teams/names", "getTeamNames", "Get the names of the team in contracts", a.getTeamNames, describe(
		"Returns under which names the team makes contracts. The `counterparties` of a file are its parties without the team, and known only of files that the team is a party of. "+
			"An organization is also known by its name here, as long as users have set no others. A name is learned where one party is on most contracts, and nobody else on nearly as many."))
	put(session, "/api/teams/names", "setTeamNames", "Set the names of the team in contracts", a.setTeamNames, status(http.StatusAccepted), describe(
		"Sets under which names the team makes contracts, and queues that the counterparties of all files are found anew; those that users set stay. "+
			"A party is the team if it has one of the names, in any legal form (`Acme, Inc.` for `Acme GmbH`), or begins with the words of one. No names say that the team is none of the parties, and that none is to be learned."))
}

// TeamNames is under which names the team makes contracts.
type TeamNames struct {
	Names       []string         `json:"names" nullable:"false"`
	Source      *string          `json:"source,omitempty" enum:"given,learned" doc:"given: set by users; learned: from who is on most contracts. Absent where it is neither"`
	Suggestions []NameSuggestion `json:"suggestions" nullable:"false" doc:"While there is no source, the parties that are on most of the newest contracts: who of them is the team?"`
}

// NameSuggestion is a party that may be the team.
type NameSuggestion struct {
	Name  string `json:"name"`
	Files int    `json:"files" doc:"On how many of the newest contracts it is a party"`
	Of    int    `json:"of" doc:"Number of contracts that were looked at, at most 100"`
}

// mostSuggestions are the suggestions of own names, and suggestedFrom the contracts
// that they are of.
const (
	mostSuggestions = 6
	suggestedFrom   = 100
)

func (a *API) getTeamNames(ctx context.Context, _ *struct{}) (TeamNames, error) {
	scope := auth.Scope(ctx)
	own, err := a.DB.OwnNames(ctx, scope)
	if err != nil {
		return TeamNames{}, err
	}
	var frequent []db.NamedParty
	if own.Source == nil {
		if frequent, err = a.DB.FrequentParties(ctx, scope, suggestedFrom, mostSuggestions); err != nil {
			return TeamNames{}, err
		}
	}
	return TeamNames{Names: list(own.Names), Source: own.Source, Suggestions: newList(frequent, func(p db.NamedParty) NameSuggestion {
		return NameSuggestion(p)
	}).Items}, nil
}

func (a *API) setTeamNames(ctx context.Context, in *struct {
	Body struct {
		Names []string `json:"names" nullable:"false" maxItems:"50" doc:"Each of at most 200 characters"`
	}
}) (Accepted, error) {
	names, seen := []string{}, map[string]bool{}
	for i, given := range in.Body.Names {
		name := cleanTitle(given)
		if name == "" || len([]rune(name)) > 200 {
			return Accepted{}, invalid(fmt.Sprintf("body.names[%d]", i), "has to be of 1 to 200 printable characters")
		}
		if folded := query.Fold(name); !seen[folded] {
			seen[folded] = true
			names = append(names, name)
		}
	}
	scope := auth.Scope(ctx)
	var op db.Operation
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.SetOwnNames(ctx, scope, names); err != nil {
			return err
		}
		files, err := tx.CountAllFiles(ctx, scope)
		if err != nil {
			return err
		}
		if op, err = tx.CreateOperation(ctx, scope, "parties", files, nil); err != nil {
			return err
		}
		return jobs.Insert(ctx, a.Jobs, tx.Raw, jobs.ReadParties{OperationID: op.ID, TeamID: scope.TeamID})
	})
	return newAccepted("counterparties queued", op, ""), err
}
