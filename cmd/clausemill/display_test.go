package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	client "github.com/clausemill/clausemill/clients/go"
)

func TestBars(t *testing.T) {
	t.Parallel()

	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	width := 80
	var screen bytes.Buffer
	b := &bars{
		w: &screen, total: 4, wait: true, rows: map[string]row{},
		began: now, now: func() time.Time { return now }, width: func() int { return width },
	}
	lease := &client.Item{Path: "/c/lease.pdf", Size: 4 << 20}
	nda := &client.Item{Path: "/c/nda \x1b[2J.pdf", Size: 100}

	b.Sending(lease, 1<<20)
	now = now.Add(2 * time.Second)
	b.Sending(nda, 100)
	require.Equal(t, []string{
		"█████░░░░░░░░░░░░░░░  25% 1.0 MiB    lease.pdf",
		"████████████████████ 100% 100 B      nda ?[2J.pdf",
		"░░░░░░░░░░░░░░░░░░░░ 0 of 4 sent, 0 done, 512 KiB/s",
	}, b.frame())

	b.Accepted(nda)
	nda.File = client.File{Status: "processing", Stage: "recognize", Progress: .5}
	b.Moved(nda)
	b.Sending(lease, 4<<20)
	b.Accepted(lease)
	lease.Err = errors.New("damaged")
	b.Ended(lease)
	b.Paused(errors.New("too many requests"), 40*time.Second)
	now = now.Add(2 * time.Second)
	require.Equal(t, []string{
		"██████████░░░░░░░░░░  50% recognize  nda ?[2J.pdf",
		"█████░░░░░░░░░░░░░░░ 2 of 4 sent, 0 done, 1 failed, 1.0 MiB/s (waiting 38s: to…",
	}, b.frame())

	width = 30
	for _, line := range b.frame() {
		require.LessOrEqual(t, len([]rune(line)), 29)
	}

	// The next frame takes the place of the last.
	b.draw()
	screen.Reset()
	b.draw()
	require.True(t, strings.HasPrefix(screen.String(), "\x1b[2A\r\x1b[J"), "%q", screen.String())
}

func TestBarsOfNothing(t *testing.T) {
	t.Parallel()

	b := &bars{total: 0, rows: map[string]row{}, now: time.Now, width: func() int { return 0 }}
	b.Sending(&client.Item{Path: "empty"}, 0)
	require.Len(t, b.frame(), 2)
}

func TestLines(t *testing.T) {
	t.Parallel()

	var out bytes.Buffer
	l := newDisplay(&out, 2, true)
	item := &client.Item{Path: "a.pdf", File: client.File{ID: "f1"}}
	l.Sending(item, 1)
	l.Accepted(item)
	l.Moved(item)
	item.File.Status = "completed"
	l.Ended(item)
	item.Err = errors.New("it broke")
	l.Ended(item)
	l.Paused(errors.New("busy"), 2100*time.Millisecond)
	l.Close()
	require.Equal(t, "accepted a.pdf as f1\ncompleted a.pdf\nfailed a.pdf: it broke\nwaiting 2s: busy\n", out.String())
}
