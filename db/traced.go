package db

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/clausemill/clausemill/trace"
)

// OpenOption changes how Open connects.
type OpenOption func(*pgxpool.Config)

// Traced has statements recorded as spans in the trace that they are part of.
func Traced(config *pgxpool.Config) { config.ConnConfig.Tracer = spans{} }

// slow is how long a statement takes that is recorded. Jobs run hundreds of faster ones,
// which would push the spans of others out of the queue of those that are to be sent. So a
// trace has at most a thousand for each second that it waits for Postgres. Statements that
// failed are recorded, too.
const slow = time.Millisecond

// spans makes spans of what pgx does. Their names are made of words that this program
// knows: neither text of a statement nor its parameters get into one.
type spans struct{}

// statement is what runs.
type statement struct {
	began time.Time
	name  func() string
}

type statementKey struct{}

// begin remembers a statement. Outside of a trace that is recorded it does nothing.
func begin(ctx context.Context, name func() string) context.Context {
	if !trace.Recorded(ctx) {
		return ctx
	}
	return context.WithValue(ctx, statementKey{}, statement{time.Now(), name})
}

func end(ctx context.Context, tag pgconn.CommandTag, err error) {
	s, ok := ctx.Value(statementKey{}).(statement)
	if !ok || err == nil && time.Since(s.began) < slow {
		return
	}
	trace.Past(ctx, trace.Client, s.began, classify(err), s.name, trace.Statement(tag.RowsAffected())...)
}

// TraceQueryStart is called before a statement.
func (spans) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	return begin(ctx, func() string { return nameOf(data.SQL) })
}

// TraceQueryEnd is called when the rows of a statement are read.
func (spans) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	end(ctx, data.CommandTag, data.Err)
}

// TraceBatchStart is called before statements that are sent together: one span, with the
// name of the first.
func (spans) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	return begin(ctx, func() string {
		if data.Batch == nil || len(data.Batch.QueuedQueries) == 0 {
			return otherStatement
		}
		return nameOf(data.Batch.QueuedQueries[0].SQL)
	})
}

// TraceBatchQuery is called with each of them.
func (spans) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd is called after the last of them.
func (spans) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchEndData) {
	end(ctx, pgconn.CommandTag{}, data.Err)
}

// TraceCopyFromStart is called before rows are copied into a table.
func (spans) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceCopyFromStartData) context.Context {
	return begin(ctx, func() string { return nameOf("COPY " + strings.Join(data.TableName, " ")) })
}

// TraceCopyFromEnd is called when they are.
func (spans) TraceCopyFromEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceCopyFromEndData) {
	end(ctx, data.CommandTag, data.Err)
}

// otherStatement is the name of what begins with no word of Verbs.
const otherStatement = "STATEMENT"

// Verbs lists what names of statements in traces begin with.
func Verbs() []string {
	return []string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "COPY", "LOCK", "BEGIN", "COMMIT", "ROLLBACK", otherStatement}
}

// tableNames are the names of all tables of the schema, River's included.
var tableNames = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(schemaFile) {
		if column, ok := strings.CutPrefix(line, "column\t"); ok {
			table, _, _ := strings.Cut(column, ".")
			all[table] = true
		}
	}
	return all
})

// nameOf names a statement by its first word and by the first table of the schema that it
// reads or writes: SELECT files.
func nameOf(sql string) string {
	verb, last := "", ""
	for word := range strings.FieldsFuncSeq(sql, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		switch upper := strings.ToUpper(word); {
		case verb == "":
			verb = otherStatement
			if slices.Contains(Verbs(), upper) {
				verb = upper
			}
			last = upper
		case tableNames()[word] && slices.Contains([]string{"FROM", "INTO", "UPDATE", "JOIN", "COPY", "TABLE", "ONLY"}, last):
			return verb + " " + word
		default:
			last = upper
		}
	}
	return cmp.Or(verb, otherStatement)
}
