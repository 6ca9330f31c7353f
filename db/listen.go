package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// listenRetry is how long a listener waits before it connects again.
const listenRetry = time.Second

// Listener receives the notifications of LISTEN channels.
type Listener struct {
	Channels []string
	Heard    func(channel, payload string)

	// Between Connected and Lost no notification is missed. What was sent before
	// Connected or after Lost is not received.
	Connected func()
	Lost      func(err error)
}

// Listen passes notifications to l until ctx ends. It has a connection of its own,
// and reconnects when that breaks.
func (d *DB) Listen(ctx context.Context, l Listener) error {
	for {
		err := d.listen(ctx, l)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		l.Lost(err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(listenRetry):
		}
	}
}

func (d *DB) listen(ctx context.Context, l Listener) error {
	conn, err := pgx.ConnectConfig(ctx, d.sessions.Config().ConnConfig.Copy())
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx)) // the connection is discarded anyway
	for _, channel := range l.Channels {
		if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
			return err
		}
	}
	l.Connected()
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		l.Heard(n.Channel, n.Payload)
	}
}
