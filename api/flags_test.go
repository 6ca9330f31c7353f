package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/api"
	"github.com/clausemill/clausemill/flag"
)

func (b *bundle) flag(t *testing.T, body string) api.Flag {
	t.Helper()
	return get[api.Flag](t, b.call(t, b.acme, "POST /api/flags", body), http.StatusCreated)
}

func TestFlags(t *testing.T) {
	t.Parallel()
	b := setup(t)
	beta := b.flag(t, `{"key":"beta","description":"New editor"}`)
	b.flag(t, `{"key":"alpha","enabled":true}`)
	require.False(t, beta.Enabled)
	get[api.Error](t, b.call(t, b.acme, "POST /api/flags", `{"key":"beta"}`), http.StatusConflict)
	get[api.Error](t, b.call(t, b.acme, "POST /api/flags", `{"key":"two words"}`), http.StatusUnprocessableEntity)
	get[api.Flag](t, b.call(t, b.alice, "POST /api/flags", `{"key":"beta"}`), http.StatusCreated)

	page := get[api.List[api.Flag]](t, b.call(t, b.acme, "GET /api/flags?limit=1", ""), http.StatusOK)
	require.Equal(t, "alpha", page.Items[0].Key)
	page = get[api.List[api.Flag]](t, b.call(t, b.acme, "GET /api/flags?cursor="+page.NextCursor, ""), http.StatusOK)
	require.Equal(t, []api.Flag{beta}, page.Items)
	require.Empty(t, page.NextCursor)

	path := "/api/flags/" + beta.ID
	for range 2 { // who asks again gets the same
		require.True(t, get[api.Flag](t, b.call(t, b.acme, "PATCH "+path+"?enabled=true", ""), http.StatusOK).Enabled)
	}
	for _, nothing := range []string{"", "{}"} {
		e := get[api.Error](t, b.call(t, b.acme, "PATCH "+path, nothing), http.StatusUnprocessableEntity)
		require.Contains(t, e.Message, "must have enabled, key or description")
	}
	changed := get[api.Flag](t, b.call(t, b.acme, "PATCH "+path+"?enabled=true", `{"description":"The editor"}`), http.StatusOK)
	require.True(t, changed.Enabled)
	require.Equal(t, "The editor", changed.Description)
	require.Equal(t, "beta", changed.Key)
	get[api.Error](t, b.call(t, b.acme, "PATCH "+path, `{"key":"alpha"}`), http.StatusConflict)
	get[api.Error](t, b.call(t, b.acme, "PATCH "+path+"?key=two%20words", ""), http.StatusUnprocessableEntity)

	w := b.call(t, b.acme, "GET "+path, "")
	require.Equal(t, changed, get[api.Flag](t, w, http.StatusOK))
	stale := request(t, b.acme, "PATCH "+path, `{"enabled":false}`)
	stale.Header.Set("If-Match", `"1"`)
	get[api.Error](t, b.send(t, stale), http.StatusConflict)
	fresh := request(t, b.acme, "PATCH "+path, `{"enabled":false}`)
	fresh.Header.Set("If-Match", w.Header().Get("ETag"))
	require.False(t, get[api.Flag](t, b.send(t, fresh), http.StatusOK).Enabled)

	member := b.colleague(t, b.acme, "member")
	get[api.Flag](t, b.call(t, member, "GET "+path, ""), http.StatusOK)
	get[api.Error](t, b.call(t, member, "PATCH "+path, ""), http.StatusForbidden)
	get[api.Message](t, b.call(t, b.acme, "DELETE "+path, ""), http.StatusOK)
	get[api.Error](t, b.call(t, b.acme, "GET "+path, ""), http.StatusNotFound)
}

func TestFlagConditions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	whole := b.flag(t, `{"key":"whole","enabled":true,"conditions":[{"attribute":"domain","values":["acme.example"]},{"rollout":10}]}`)
	require.Len(t, whole.Conditions, 2, "it is never on for everybody")
	require.Equal(t, flag.Equals, whole.Conditions[0].Operator)
	require.Equal(t, whole, get[api.Flag](t, b.call(t, b.acme, "GET /api/flags/"+whole.ID, ""), http.StatusOK))
	half := get[api.Error](t, b.call(t, b.acme, "POST /api/flags", `{"key":"half","conditions":[{"rollout":10},{"values":["x"]}]}`), http.StatusUnprocessableEntity)
	require.Equal(t, "body.conditions[1].attribute", half.Details[0].Location)
	require.Len(t, get[api.List[api.Flag]](t, b.call(t, b.acme, "GET /api/flags", ""), http.StatusOK).Items, 1, "all of it or nothing")

	f := b.flag(t, `{"key":"beta","enabled":true}`)
	path := "/api/flags/" + f.ID + "/conditions"
	everybody := get[api.FlagCondition](t, b.call(t, b.acme, "POST "+path, ""), http.StatusCreated)
	require.Equal(t, api.FlagCondition{ID: everybody.ID, FlagID: f.ID, Operator: flag.Any, Values: []string{}, Rollout: 100}, everybody)
	domain := get[api.FlagCondition](t, b.call(t, b.acme, "POST "+path+"?rollout=12.5&attribute=domain", `{"values":["acme.example"]}`), http.StatusCreated)
	require.Equal(t, flag.Equals, domain.Operator)
	require.InDelta(t, 12.5, domain.Rollout, 0)
	list := get[api.List[api.FlagCondition]](t, b.call(t, b.acme, "GET "+path, ""), http.StatusOK)
	require.Equal(t, []api.FlagCondition{everybody, domain}, list.Items)

	one := path + "/" + domain.ID
	require.InDelta(t, 100, get[api.FlagCondition](t, b.call(t, b.acme, "PATCH "+one, ""), http.StatusOK).Rollout, 0, "without anything it is rolled out")
	changed := get[api.FlagCondition](t, b.call(t, b.acme, "PATCH "+one+"?rollout=0", `{"operator":"ends_with"}`), http.StatusOK)
	require.Equal(t, flag.EndsWith, changed.Operator)
	require.Zero(t, changed.Rollout)
	for _, bad := range []string{
		`{"operator":"sounds_like"}`, `{"rollout":101}`, `{"rollout":-1}`, `{"values":[]}`, `{"attribute":""}`,
		`{"operator":"greater_than"}`,
	} {
		get[api.Error](t, b.call(t, b.acme, "PATCH "+one, bad), http.StatusUnprocessableEntity)
	}
	other := b.flag(t, `{"key":"other"}`)
	require.Equal(t, http.StatusNotFound, b.call(t, b.acme, "PATCH /api/flags/"+other.ID+"/conditions/"+domain.ID, "").Code, "of another flag")
	require.Equal(t, http.StatusNotFound, b.call(t, b.acme, "DELETE /api/flags/"+other.ID+"/conditions/"+domain.ID, "").Code)

	before := get[api.Flag](t, b.call(t, b.acme, "GET /api/flags/"+f.ID, ""), http.StatusOK)
	get[api.Message](t, b.call(t, b.acme, "DELETE "+one, ""), http.StatusOK)
	after := get[api.Flag](t, b.call(t, b.acme, "GET /api/flags/"+f.ID, ""), http.StatusOK)
	require.Equal(t, []api.FlagCondition{everybody}, after.Conditions)
	require.Greater(t, after.Version, before.Version, "conditions are part of it")
}

func TestFlagEvaluation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	me := get[api.SignedIn](t, b.call(t, b.acme, "GET /api/session", ""), http.StatusOK).User
	on := map[string]string{}
	for key, condition := range map[string]string{
		"all": "", "admins": `{"attribute":"role","values":["admin"]}`, "me": `{"attribute":"userId","values":["` + me.ID + `"]}`,
		"pro": `{"attribute":"plan","values":["pro"]}`, "half": `{"rollout":50}`, "nobody": `{"rollout":0}`,
	} {
		f := b.flag(t, `{"key":"`+key+`","enabled":true}`)
		if condition != "" {
			on[key] = get[api.FlagCondition](t, b.call(t, b.acme, "POST /api/flags/"+f.ID+"/conditions", condition), http.StatusCreated).ID
		}
	}
	b.flag(t, `{"key":"off"}`)
	evaluate := func(query string) map[string]api.Evaluation {
		out := map[string]api.Evaluation{}
		for _, f := range get[api.List[api.Flag]](t, b.call(t, b.acme, "GET /api/flags?"+query, ""), http.StatusOK).Items {
			require.NotNil(t, f.Evaluation)
			out[f.Key] = *f.Evaluation
		}
		return out
	}
	byID := evaluate("evaluateFor=" + me.ID + "&attribute=plan:pro")
	require.Equal(t, api.Evaluation{On: true}, byID["all"])
	require.Equal(t, api.Evaluation{On: true, ConditionID: on["admins"]}, byID["admins"])
	require.Equal(t, api.Evaluation{On: true, ConditionID: on["me"]}, byID["me"])
	require.Equal(t, api.Evaluation{On: true, ConditionID: on["pro"]}, byID["pro"])
	require.Equal(t, api.Evaluation{}, byID["nobody"])
	require.Equal(t, api.Evaluation{}, byID["off"])
	require.Equal(t, byID, evaluate("evaluateFor="+me.Email+"&attribute=plan:pro"), "a user is the same by address")

	stranger := get[api.SignedIn](t, b.call(t, b.mallory, "GET /api/session", ""), http.StatusOK).User
	other := evaluate("evaluateFor=" + stranger.ID)
	require.False(t, other["admins"].On, "nothing is known of who is not of the team")
	require.False(t, other["pro"].On)
	get[api.Error](t, b.call(t, b.acme, "GET /api/flags?evaluateFor=x&attribute=plan", ""), http.StatusUnprocessableEntity)
}
