package db

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// pipelined is a transaction in which statements that nobody waits for the result of are sent
// along with the next one, in their order: each is a round trip less. What one of them fails
// with, the next one does.
type pipelined struct {
	pgx.Tx
	waiting *pgx.Batch
}

func newPipelined(tx pgx.Tx) *pipelined { return &pipelined{tx, &pgx.Batch{}} }

// later runs sql before the next statement of the transaction, or at its end. Outside of
// workers, whose statements are prepared, that is at once.
func later(ctx context.Context, q Queries, sql string, arguments ...any) error {
	if p, ok := q.conn.(*pipelined); ok && q.mode == pgx.QueryExecModeCacheStatement {
		p.waiting.Queue(sql, arguments...)
		return nil
	}
	_, err := q.conn.Exec(ctx, sql, append([]any{q.mode}, arguments...)...)
	return classify(err)
}

// take empties what waits.
func (p *pipelined) take() *pgx.Batch {
	batch := p.waiting
	p.waiting = &pgx.Batch{}
	return batch
}

// send sends what waits.
func (p *pipelined) send(ctx context.Context) error {
	if p.waiting.Len() == 0 {
		return nil
	}
	return p.Tx.SendBatch(ctx, p.take()).Close()
}

// Query is that of the transaction, behind what waits.
func (p *pipelined) Query(ctx context.Context, sql string, arguments ...any) (pgx.Rows, error) {
	before := p.waiting.Len()
	if before == 0 || !isPrepared(arguments) {
		if err := p.send(ctx); err != nil {
			return failedRows{err: err}, err
		}
		return p.Tx.Query(ctx, sql, arguments...)
	}
	batch := p.take()
	batch.Queue(sql, arguments[1:]...)
	results := p.Tx.SendBatch(ctx, batch)
	for range before {
		if _, err := results.Exec(); err != nil {
			_ = results.Close() // says the same
			return failedRows{err: err}, err
		}
	}
	rows, err := results.Query()
	return lastRows{rows, results}, err
}

// isPrepared reports whether a statement with these arguments is prepared, as those of a batch are.
func isPrepared(arguments []any) bool {
	return len(arguments) > 0 && arguments[0] == pgx.QueryExecModeCacheStatement
}

// lastRows are the rows of the last statement of a batch, which ends with them.
type lastRows struct {
	pgx.Rows
	results pgx.BatchResults
}

// Close ends the batch.
func (r lastRows) Close() {
	r.Rows.Close()
	_ = r.results.Close() // an error is that of the rows
}

// Exec is that of the transaction, behind what waits.
func (p *pipelined) Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error) {
	if !isPrepared(arguments) { // and may be several statements
		if err := p.send(ctx); err != nil {
			return pgconn.CommandTag{}, err
		}
	}
	if p.waiting.Len() == 0 {
		return p.Tx.Exec(ctx, sql, arguments...)
	}
	rows, err := p.Query(ctx, sql, arguments...)
	if err == nil {
		rows.Close()
		err = rows.Err()
	}
	return rows.CommandTag(), err
}

// QueryRow is that of the transaction, behind what waits.
func (p *pipelined) QueryRow(ctx context.Context, sql string, arguments ...any) pgx.Row {
	if err := p.send(ctx); err != nil {
		return failedRows{err: err}
	}
	return p.Tx.QueryRow(ctx, sql, arguments...)
}

// failedRows are the rows of a statement before which another one failed.
type failedRows struct {
	pgx.Rows // nil: nobody asks for more of what has failed
	err      error
}

// Close, Err, CommandTag, Next and Scan are those of rows that could not be read.
func (r failedRows) Close()                        {}
func (r failedRows) Err() error                    { return r.err }
func (r failedRows) CommandTag() pgconn.CommandTag { return pgconn.CommandTag{} }
func (r failedRows) Next() bool                    { return false }
func (r failedRows) Scan(...any) error             { return r.err }

// CopyFrom is that of the transaction, behind what waits.
func (p *pipelined) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error) {
	if err := p.send(ctx); err != nil {
		return 0, err
	}
	return p.Tx.CopyFrom(ctx, table, columns, rows)
}

// Begin is that of the transaction, behind what waits.
func (p *pipelined) Begin(ctx context.Context) (pgx.Tx, error) {
	if err := p.send(ctx); err != nil {
		return nil, err
	}
	return p.Tx.Begin(ctx)
}
