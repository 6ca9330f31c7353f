package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// starts measures a service that begins: from nothing, when it makes its database and compiles
// its readers, and once more.
func starts(ctx context.Context, c *Config) (rows []row, err error) {
	files, err := c.pdfs()
	if err != nil {
		return nil, err
	}
	dir, done, err := temporary()
	if err != nil {
		return nil, err
	}
	defer done()
	if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // the database may run as somebody else
		return nil, err
	}
	for i, how := range []string{"from nothing", "once more"} {
		ready, first, err := c.start(ctx, dir, files[i])
		if err != nil {
			return rows, err
		}
		rows = append(rows,
			row{what: "dev started " + how + ", to ready", ours: fmt.Sprintf("%.1f s", ready.Seconds())},
			row{what: "its first contract, to completed", ours: fmt.Sprintf("%.1f s", first.Seconds())})
	}
	return rows, nil
}

// start runs a service in dir until it has read one file.
func (c *Config) start(ctx context.Context, dir, file string) (ready, first time.Duration, err error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return 0, 0, err
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return 0, 0, err
	}
	service := c.Service(ctx, dir, address)
	service.Cancel = func() error { return service.Process.Signal(os.Interrupt) }
	service.WaitDelay = time.Minute
	var said bytes.Buffer
	service.Stderr = &said
	started := time.Now()
	if err := service.Start(); err != nil {
		return 0, 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- service.Wait() }()
	defer func() {
		_ = service.Cancel() // it may have ended
		if end := <-ended; err == nil {
			err = end
		} else {
			err = fmt.Errorf("%w; the service said: %s", err, said.Bytes())
		}
	}()
	other := *c
	other.URL, other.Session = "http://"+address, nil
	for other.call(ctx, http.MethodGet, "/readyz", "", nil, nil) != nil {
		if len(ended) > 0 || ctx.Err() != nil {
			return 0, 0, errors.Join(ctx.Err(), errors.New("the service does not get ready"))
		}
		time.Sleep(20 * time.Millisecond)
	}
	ready = time.Since(started)
	key, err := os.ReadFile(filepath.Join(dir, "dev-key"))
	if err != nil {
		return 0, 0, err
	}
	other.Key = strings.TrimSpace(string(key))
	started = time.Now()
	id, err := other.upload(ctx, filepath.Base(file), content)
	if err != nil {
		return 0, 0, err
	}
	_, err = other.awaitEnd(ctx, id) // by long poll, as requests by key are counted
	return ready, time.Since(started), err
}

// freeAddress is one that nobody listens at.
func freeAddress(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
