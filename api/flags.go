package api

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/flag"
)

// flags serves feature flags: section 4.7 of the specification. Everybody may read
// them, admins may change them.
func (a *API) flags() {
	const fields = " An absent field is left unchanged."
	session := a.area("Feature flags", withSession)
	get(session, "/api/flags", "listFlags", "List feature flags", a.listFlags, describe(
		"Lists feature flags by key. With `evaluateFor` each flag includes whether it is on for that subject, and by which condition. "+
			"The same subject always gets the same result, and a larger rollout never turns a feature off. "+
			"Users of the team, named by id or e-mail address, have the attributes `userId`, `email`, `domain` and `role`. "+
			"Every subject has the attribute `subject` and those given by `attribute`."))
	create(a, session, "/api/flags", "createFlag", "Create a feature flag", a.createFlag, admins, describe("Creates a feature flag, with conditions if any are given. A taken key is 409."))
	get(session, "/api/flags/{id}", "getFlag", "Get a feature flag", a.getFlag, describe("Returns a feature flag with its conditions."))
	patch(session, "/api/flags/{id}", "updateFlag", "Update a feature flag", a.updateFlag, admins, eitherWay[FlagFields](a), describe(
		"Changes a feature flag. Fields are query parameters or in the body: `enabled=true` turns the flag on, and may be repeated."+fields+" Without any field it is 422."))
	del(session, "/api/flags/{id}", "deleteFlag", "Delete a feature flag", a.deleteFlag, admins, describe("Deletes a feature flag with its conditions, for good."))
	get(session, "/api/flags/{id}/conditions", "listFlagConditions", "List the conditions of a feature flag", a.listConditions, describe("Lists the conditions of a feature flag, oldest first. The flag is on if any condition matches; an enabled flag without conditions is on for everybody."))
	create(a, session, "/api/flags/{id}/conditions", "createFlagCondition", "Add a condition to a feature flag", a.createCondition, admins, eitherWay[FlagConditionFields](a), describe(
		"Adds a condition to a feature flag. A condition without any field matches everybody. Fields are query parameters or in the body."))
	patch(session, "/api/flags/{id}/conditions/{cid}", "updateFlagCondition", "Update a condition of a feature flag", a.updateCondition, admins, eitherWay[FlagConditionFields](a), describe(
		"Changes a condition. Fields are query parameters or in the body. Without any field, the rollout becomes 100 percent."+fields))
	del(session, "/api/flags/{id}/conditions/{cid}", "deleteFlagCondition", "Delete a condition of a feature flag", a.deleteCondition, admins, describe("Deletes a condition of a feature flag, for good. A flag without conditions is on for everybody while it is enabled."))
}

// Flag is a feature that the team turns on for some.
type Flag struct {
	ID          string          `json:"id"`
	Key         string          `json:"key"`
	Description string          `json:"description"`
	Enabled     bool            `json:"enabled" doc:"If false, the flag is off for everybody"`
	Conditions  []FlagCondition `json:"conditions" nullable:"false"`
	Version     int             `json:"version"`
	CreatedAt   time.Time       `json:"createdAt"`
	UpdatedAt   time.Time       `json:"updatedAt"`
	Evaluation  *Evaluation     `json:"evaluation,omitempty" doc:"Only with evaluateFor"`
}

// Evaluation is the value of a flag for a subject.
type Evaluation struct {
	On          bool   `json:"on"`
	ConditionID string `json:"conditionId,omitempty" doc:"Id of the condition that turned it on; absent for a flag without conditions"`
}

// FlagCondition turns a flag on for a share of the subjects whose attribute matches.
type FlagCondition struct {
	ID        string        `json:"id"`
	FlagID    string        `json:"flagId"`
	Attribute string        `json:"attribute"`
	Operator  flag.Operator `json:"operator"`
	Values    []string      `json:"values" nullable:"false"`
	Rollout   float32       `json:"rollout" minimum:"0" maximum:"100" doc:"Percentage of the matching subjects"`
}

func newFlag(f db.Flag, conditions []db.FlagCondition) Flag {
	out := Flag{
		ID: f.ID, Key: f.Key, Description: f.Description, Enabled: f.Enabled, Conditions: []FlagCondition{},
		Version: f.Version, CreatedAt: f.CreatedAt.UTC(), UpdatedAt: f.UpdatedAt.UTC(),
	}
	for _, c := range conditions {
		if c.FlagID == f.ID {
			out.Conditions = append(out.Conditions, newCondition(c))
		}
	}
	return out
}

// address is that of its flag's conditions: it has none of its own.
func (c FlagCondition) address() string { return "/api/flags/" + c.FlagID + "/conditions" }

func newCondition(c db.FlagCondition) FlagCondition {
	return FlagCondition{ID: c.ID, Attribute: c.Attribute, Operator: flag.Operator(c.Operator), Values: c.Values, Rollout: c.Rollout, FlagID: c.FlagID}
}

func (f Flag) etag() string    { return versionTag(f.Version) }
func (f Flag) address() string { return "/api/flags/" + f.ID }

// rules is f in the form for evaluation.
func (f Flag) rules() flag.Flag {
	out := flag.Flag{ID: f.ID, Enabled: f.Enabled}
	for _, c := range f.Conditions {
		out.Conditions = append(out.Conditions, flag.Condition{ID: c.ID, Attribute: c.Attribute, Operator: c.Operator, Values: c.Values, Rollout: c.Rollout})
	}
	return out
}

func (a *API) listFlags(ctx context.Context, in *struct {
	Page
	EvaluateFor string   `query:"evaluateFor" maxLength:"320" doc:"The subject: a user id, an e-mail address, or another identifier"`
	Attribute   []string `query:"attribute" maxItems:"20" doc:"An attribute of the subject, as name:value; may be repeated"`
}) (List[Flag], error) {
	scope := auth.Scope(ctx)
	after, err := in.place("flags")
	if err != nil {
		return List[Flag]{}, err
	}
	rows, err := a.DB.Flags(ctx, scope, after, in.Limit+1)
	if err != nil {
		return List[Flag]{}, err
	}
	conditions, err := a.DB.FlagConditions(ctx, scope, newList(rows, func(f db.Flag) string { return f.ID }).Items)
	if err != nil {
		return List[Flag]{}, err
	}
	flags := pageByID(rows, in.Limit, "flags", func(f db.Flag) string { return f.Key }, func(f db.Flag) Flag { return newFlag(f, conditions) })
	if in.EvaluateFor == "" {
		return flags, nil
	}
	subject, err := a.subject(ctx, in.EvaluateFor, in.Attribute)
	if err != nil {
		return List[Flag]{}, err
	}
	for i, f := range flags.Items {
		var e Evaluation
		e.On, e.ConditionID = f.rules().Evaluate(subject)
		flags.Items[i].Evaluation = &e
	}
	return flags, nil
}

// subject is the subject called name, with its attributes. The id and the address of a
// user name the same subject.
func (a *API) subject(ctx context.Context, name string, extra []string) (flag.Subject, error) {
	s := flag.Subject{ID: name, Attributes: map[string]string{"subject": name}}
	for i, pair := range extra {
		attribute, value, ok := strings.Cut(pair, ":")
		if !ok {
			return s, invalid(fmt.Sprintf("query.attribute[%d]", i), "must be written as name:value")
		}
		s.Attributes[attribute] = value
	}
	find := a.DB.MemberByEmail
	if isID(name) {
		find = a.DB.Member
	}
	member, err := find(ctx, auth.Scope(ctx), name)
	if fault.KindOf(err) == fault.NotFound {
		return s, nil
	} else if err != nil {
		return s, err
	}
	_, domain, _ := strings.Cut(member.Email, "@")
	s.ID = member.UserID
	s.Attributes["userId"], s.Attributes["email"], s.Attributes["domain"], s.Attributes["role"] = member.UserID, member.Email, domain, member.Role
	return s, nil
}

// FlagFields are the fields of a flag that are to be set.
type FlagFields struct {
	Key         *string `json:"key,omitempty" pattern:"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"`
	Description *string `json:"description,omitempty" maxLength:"1000"`
	Enabled     *bool   `json:"enabled,omitempty"`
}

func (a *API) createFlag(ctx context.Context, tx *db.Tx, in *struct {
	OnceKey
	Body struct {
		Key         string `json:"key" pattern:"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$" doc:"Key that programs use; unique in the team"`
		Description string `json:"description,omitempty" maxLength:"1000"`
		Enabled     bool   `json:"enabled,omitempty"`

		Conditions []FlagConditionFields `json:"conditions,omitempty" maxItems:"100" nullable:"false" doc:"Initial conditions"`
	}
}) (Flag, error) {
	row, err := tx.CreateFlag(ctx, auth.Scope(ctx), db.Flag{Key: in.Body.Key, Description: in.Body.Description, Enabled: in.Body.Enabled})
	if err != nil {
		return Flag{}, err
	}
	for i, fields := range in.Body.Conditions {
		if _, err := fields.create(ctx, tx, row.ID, fmt.Sprintf("body.conditions[%d]", i)); err != nil {
			return Flag{}, err
		}
	}
	if row, err = tx.Flag(ctx, auth.Scope(ctx), row.ID); err != nil { // because conditions change its version
		return Flag{}, err
	}
	return wholeFlag(ctx, tx.Queries, row)
}

func (a *API) getFlag(ctx context.Context, in *IDRef) (Flag, error) {
	row, err := a.DB.Flag(ctx, auth.Scope(ctx), in.ID)
	if err != nil {
		return Flag{}, err
	}
	return wholeFlag(ctx, a.DB.Queries, row)
}

// wholeFlag is a flag with its conditions.
func wholeFlag(ctx context.Context, q db.Queries, row db.Flag) (Flag, error) {
	conditions, err := q.FlagConditions(ctx, auth.Scope(ctx), []string{row.ID})
	return newFlag(row, conditions), err
}

func (a *API) updateFlag(ctx context.Context, in *struct {
	IDRef
	OfVersion
	Body *FlagFields
}) (Flag, error) {
	fields := orNothing(in.Body)
	if fields == (FlagFields{}) {
		return Flag{}, invalid("body", "must have enabled, key or description")
	}
	update := db.FlagUpdate{Key: fields.Key, Description: fields.Description, Enabled: fields.Enabled}
	var err error
	if update.IfVersion, err = ifMatch(in.IfMatch); err != nil {
		return Flag{}, err
	}
	var out Flag
	err = a.DB.InTx(ctx, func(tx *db.Tx) error {
		row, err := tx.UpdateFlag(ctx, auth.Scope(ctx), in.ID, update)
		if err != nil {
			return err
		}
		out, err = wholeFlag(ctx, tx.Queries, row)
		return err
	})
	return out, err
}

func (a *API) deleteFlag(ctx context.Context, in *IDRef) (Message, error) {
	err := a.DB.InTx(ctx, func(tx *db.Tx) error { return tx.DeleteFlag(ctx, auth.Scope(ctx), in.ID) })
	return Message{"the flag was deleted"}, err
}

func (a *API) listConditions(ctx context.Context, in *IDRef) (List[FlagCondition], error) {
	scope := auth.Scope(ctx)
	if _, err := a.DB.Flag(ctx, scope, in.ID); err != nil {
		return List[FlagCondition]{}, err
	}
	rows, err := a.DB.FlagConditions(ctx, scope, []string{in.ID})
	return newList(rows, newCondition), err
}

// FlagConditionRef is the request of every operation on one condition.
type FlagConditionRef struct {
	IDRef
	CID string `path:"cid" format:"uuid" doc:"Condition id"`
}

// FlagConditionFields are the fields of a condition that are to be set.
type FlagConditionFields struct {
	Attribute *string        `json:"attribute,omitempty" maxLength:"100" doc:"Attribute of the subject: userId, email, domain, role, subject, or a custom one"`
	Operator  *flag.Operator `json:"operator,omitempty"`
	Values    *[]string      `json:"values,omitempty" maxItems:"1000" nullable:"false"`
	Rollout   *float32       `json:"rollout,omitempty" minimum:"0" maximum:"100" doc:"Percentage of the matching subjects"`
}

// apply sets the fields of f in c. at is the location of f in the request.
func (f FlagConditionFields) apply(c *db.FlagCondition, at string) error {
	if f.Attribute != nil {
		c.Attribute = *f.Attribute
	}
	if f.Values != nil {
		c.Values = list(*f.Values)
	}
	if f.Operator != nil {
		c.Operator = string(*f.Operator)
	}
	if f.Rollout != nil {
		c.Rollout = *f.Rollout
	}
	operator := flag.Operator(c.Operator)
	switch {
	case operator != flag.Any && c.Attribute == "":
		return invalid(at+".attribute", "is required for this operator")
	case operator != flag.Any && len(c.Values) == 0:
		return invalid(at+".values", "are required for this operator")
	case (operator == flag.GreaterThan || operator == flag.LessThan) && slices.ContainsFunc(c.Values, noNumber):
		return invalid(at+".values", "must be numbers")
	}
	return nil
}

func noNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err != nil
}

func (a *API) createCondition(ctx context.Context, tx *db.Tx, in *struct {
	IDRef
	OnceKey
	Body *FlagConditionFields
}) (FlagCondition, error) {
	return orNothing(in.Body).create(ctx, tx, in.ID, "body")
}

// create makes a condition from f. at is the location of f in the request.
func (f FlagConditionFields) create(ctx context.Context, tx *db.Tx, flagID, at string) (FlagCondition, error) {
	c := db.FlagCondition{FlagID: flagID, Operator: string(flag.Any), Values: []string{}, Rollout: 100}
	if f.Values != nil {
		c.Operator = string(flag.Equals)
	}
	if err := f.apply(&c, at); err != nil {
		return FlagCondition{}, err
	}
	return putCondition(ctx, tx, c)
}

func (a *API) updateCondition(ctx context.Context, in *struct {
	FlagConditionRef
	Body *FlagConditionFields
}) (FlagCondition, error) {
	fields := FlagConditionFields{}
	if in.Body != nil {
		fields = *in.Body
	}
	if fields == (FlagConditionFields{}) {
		all := float32(100)
		fields.Rollout = &all
	}
	var out FlagCondition
	err := a.DB.InTx(ctx, func(tx *db.Tx) error {
		c, err := tx.FlagCondition(ctx, auth.Scope(ctx), in.ID, in.CID)
		if err != nil {
			return err
		}
		if err := fields.apply(&c, "body"); err != nil {
			return err
		}
		out, err = putCondition(ctx, tx, c)
		return err
	})
	return out, err
}

func putCondition(ctx context.Context, tx *db.Tx, c db.FlagCondition) (FlagCondition, error) {
	row, err := tx.PutFlagCondition(ctx, auth.Scope(ctx), c)
	return newCondition(row), err
}

func (a *API) deleteCondition(ctx context.Context, in *FlagConditionRef) (Message, error) {
	err := a.DB.InTx(ctx, func(tx *db.Tx) error { return tx.DeleteFlagCondition(ctx, auth.Scope(ctx), in.ID, in.CID) })
	return Message{"the condition was deleted"}, err
}
