package db_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/db/dbtest"
	"github.com/clausemill/clausemill/trace"
)

// TestStatementsAreSpans runs statements of each kind in a trace: those that take long or
// fail are recorded, with names from a closed set and nothing of their text.
func TestStatementsAreSpans(t *testing.T) {
	t.Parallel()

	_, url := dbtest.Database(t)
	d, err := db.Open(t.Context(), url, 2, db.Traced)
	require.NoError(t, err)
	t.Cleanup(d.Close)
	recorder := tracetest.NewSpanRecorder()
	tracer := trace.New(sdk.NewTracerProvider(sdk.WithSpanProcessor(recorder)))
	ctx, request := tracer.Receive(t.Context(), http.Header{})
	pool := d.Pool()
	run := func(ctx context.Context, sql string, args ...any) error {
		_, err := pool.Exec(ctx, sql, args...)
		return err
	}
	const secret = "Quillfeather"

	require.NoError(t, run(t.Context(), `SELECT pg_sleep(0.005), 'outside'`))
	require.Empty(t, recorder.Ended(), "outside of a trace")
	quiet, _ := tracer.Receive(t.Context(), http.Header{"Traceparent": {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"}})
	require.NoError(t, run(quiet, `SELECT pg_sleep(0.005)`))
	require.Empty(t, recorder.Ended(), "of a trace that is not recorded")

	require.NoError(t, run(ctx, `SELECT pg_sleep(0.005), $1::text, count(*) FROM files JOIN users ON true`, secret))
	require.NoError(t, run(ctx, `WITH nap AS (SELECT pg_sleep(0.005)) SELECT '`+secret+`' FROM nap, (SELECT 1 FROM teams) AS t`))
	require.NoError(t, run(ctx, `/* `+secret+` */ SELECT pg_sleep(0.005)`))
	require.Error(t, run(ctx, `INSERT INTO teams (name) VALUES ($1, '`+secret+`')`, secret))
	_, err = pool.CopyFrom(ctx, pgx.Identifier{"teams"}, []string{"name"}, pgx.CopyFromRows([][]any{{secret}}))
	require.Error(t, err)
	batch := &pgx.Batch{}
	batch.Queue(`UPDATE files SET name = $1 WHERE pg_sleep(0.005) IS NULL AND false`, secret)
	batch.Queue(`SELECT pg_sleep(0.005)`)
	require.NoError(t, pool.SendBatch(ctx, batch).Close())
	cancelled, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	require.Error(t, run(cancelled, `SELECT pg_sleep(9), count(*) FROM sessions`))
	request.End(nil)

	ended := recorder.Ended()
	names := []string{}
	for _, span := range ended {
		names = append(names, span.Name())
		require.NotContains(t, fmt.Sprint(span.Name(), span.Attributes(), span.Events(), span.Status(), span.Links()), secret)
	}
	for _, name := range []string{"SELECT files", "WITH teams", "STATEMENT", "INSERT teams", "COPY teams", "UPDATE files", "SELECT sessions"} {
		require.Contains(t, names, name)
	}
	for _, span := range ended[:len(ended)-1] {
		verb, _, _ := strings.Cut(span.Name(), " ")
		require.Contains(t, db.Verbs(), verb)
		require.Equal(t, ended[len(ended)-1].SpanContext().SpanID(), span.Parent().SpanID())
	}
	sleeping := ended[slices.Index(names, "SELECT files")]
	require.GreaterOrEqual(t, sleeping.EndTime().Sub(sleeping.StartTime()), time.Millisecond)
	require.Equal(t, codes.Unset, sleeping.Status().Code)
	for _, name := range []string{"INSERT teams", "COPY teams", "SELECT sessions"} {
		require.Equal(t, codes.Error, ended[slices.Index(names, name)].Status().Code, name)
	}
}

// TestDeliveriesAreAskedOnce has events, a ping and a replay bring deliveries in a trace and
// outside of one: those of a trace are asked for in their transaction, and by nobody else.
func TestDeliveriesAreAskedOnce(t *testing.T) {
	t.Parallel()

	d, _ := dbtest.Database(t)
	in := scopeOf(t, d, "hooks@example.com")
	var atOnce []db.DeliveryRef
	d.DeliverInTraces(func(_ context.Context, _ pgx.Tx, refs []db.DeliveryRef) error {
		atOnce = append(atOnce, refs...)
		return nil
	})
	later := func() (refs []db.DeliveryRef) {
		require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) (err error) {
			refs, err = tx.AskDeliveries(t.Context(), 100)
			return err
		}))
		return refs
	}
	url, secret := "https://example.com", "s"
	var hook db.Webhook
	require.NoError(t, d.InTx(t.Context(), func(tx *db.Tx) (err error) {
		hook, err = tx.CreateWebhook(t.Context(), in, db.WebhookChange{URL: &url, Secret: &secret})
		return err
	}))
	later()

	bring := func(ctx context.Context) (deliveries int) {
		before := len(atOnce)
		require.NoError(t, d.InTx(ctx, func(tx *db.Tx) error {
			name := "The sale"
			if _, err := tx.CreateMatter(ctx, in, db.MatterChange{Name: &name}); err != nil {
				return err
			}
			ping, err := tx.Ping(ctx, in, hook.ID)
			if err != nil {
				return err
			}
			return tx.SaveDelivery(ctx, db.DeliveryRef{ID: ping.ID, TeamID: in.TeamID, Round: 1}, db.DeliveryAttempt{State: db.DeliveryDelivered})
		}))
		require.NoError(t, d.InTx(ctx, func(tx *db.Tx) error {
			delivered, err := tx.Deliveries(ctx, in, hook.ID, db.DeliveryFilter{States: []string{string(db.DeliveryDelivered)}}, "", 1)
			if err != nil {
				return err
			}
			_, err = tx.Replay(ctx, in, hook.ID, delivered[0].ID)
			return err
		}))
		return len(atOnce) - before
	}
	ctx, request := trace.New(sdk.NewTracerProvider()).Receive(t.Context(), http.Header{})
	defer request.End(nil)
	require.Equal(t, 3, bring(ctx), "the matter, the ping and its replay")
	require.Empty(t, later())
	require.Zero(t, bring(t.Context()))
	require.Len(t, later(), 2, "the matter and the replay")
}
