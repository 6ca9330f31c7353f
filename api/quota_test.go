package api

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/fault"
)

func testQuota(share Share) *quota {
	refusals := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "refusals", Help: "."}, []string{"quota", "share"})
	return newQuota(refusals, "too_many_things", "things", share, 7)
}

func TestQuota(t *testing.T) {
	t.Parallel()
	q := testQuota(Share{Caller: 2, Team: 3, Process: 5})
	person := func(id, team string) auth.Principal {
		return auth.Principal{Kind: auth.Session, UserID: id, TeamID: team}
	}
	key := func(id, team string) auth.Principal {
		return auth.Principal{Kind: auth.OrganizationKey, KeyID: id, TeamID: team}
	}
	var held []func()
	take := func(p auth.Principal) {
		t.Helper()
		release, err := q.take(p)
		require.NoError(t, err)
		held = append(held, release)
	}
	refused := func(p auth.Principal, whose string) {
		t.Helper()
		_, err := q.take(p)
		e, ok := err.(*Error) //nolint:errorlint // it is never wrapped
		require.True(t, ok, "%v", err)
		require.Equal(t, http.StatusTooManyRequests, e.status)
		require.Equal(t, "too_many_things", e.Code)
		require.GreaterOrEqual(t, e.retryAfter, 7)
		require.Contains(t, e.Message, whose)
	}
	take(person("ann", "one"))
	take(person("ann", "two"))
	refused(person("ann", "three"), "you have") // a caller has one share, in all teams together
	take(key("k", "one"))
	take(key("l", "one"))
	refused(person("bob", "one"), "your team has")
	take(person("bob", "two"))
	_, err := q.take(person("eve", "four"))
	require.Equal(t, fault.Unavailable, fault.KindOf(err), "it is not her fault: %v", err)
	for _, release := range held {
		release()
	}
	require.Empty(t, q.held)
	require.Zero(t, q.all)
	take(person("ann", "one"))
}

// TestTurns has a team ask for more than there is.
func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slots := newScheduler(4, testQuota(Share{Caller: 6, Team: 9, Process: 20}))
		ctx := func(user, team string) context.Context {
			return auth.With(t.Context(), &auth.Principal{Kind: auth.Session, UserID: user, TeamID: team})
		}
		var working []string
		asks := func(ctx context.Context) (end func()) {
			who, done := auth.From(ctx).UserID, make(chan struct{})
			go func() {
				release, err := slots.take(ctx)
				if err != nil {
					return
				}
				working = append(working, who)
				<-done
				release()
			}()
			synctest.Wait()
			return func() { close(done); synctest.Wait() }
		}
		first, second := asks(ctx("greedy", "one")), asks(ctx("greedy", "one"))
		cancelled, cancel := context.WithCancel(ctx("greedy", "one"))
		asks(cancelled)
		third, fourth := asks(ctx("greedy", "one")), asks(ctx("greedy", "one"))
		require.Equal(t, []string{"greedy", "greedy"}, working, "a team has half of the places")
		fifth := asks(ctx("greedy", "one"))
		_, err := slots.take(ctx("greedy", "one"))
		require.Equal(t, http.StatusTooManyRequests, err.(*Error).status, "six have a place or wait") //nolint:errorlint,forcetypeassert // it is never wrapped
		other := asks(ctx("modest", "two"))
		require.Equal(t, "modest", working[2], "nobody waits for another team")

		cancel()
		synctest.Wait()
		mate := asks(ctx("mate", "one"))
		first()
		require.Equal(t, []string{"greedy", "greedy", "modest", "mate"}, working, "of a team, who has the fewest is next")
		second()
		require.Equal(t, "greedy", working[4])
		other()
		third()
		mate()
		fourth()
		fifth()
		require.Len(t, working, 7, "who went away has no turn")
		require.Empty(t, slots.busy)
		require.Zero(t, slots.all)
	})
}

// TestBodiesHaveAPace: Huma would else end an honest body that takes longer than
// five seconds.
func TestBodiesHaveAPace(t *testing.T) {
	t.Parallel()
	for path, item := range OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Post, item.Put, item.Patch, item.Delete} {
			require.True(t, op == nil || op.BodyReadTimeout < 0, path)
		}
	}
}
