package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/clausemill/clausemill/cmd/internal/setup"
)

// health asks a process of this machine how it is.
type health struct {
	output `embed:""`

	MetricsAddr string        `env:"CLAUSEMILL_METRICS_ADDR" help:"Address that the process answers operators on: 127.0.0.1:9090 by default."`
	Live        bool          `help:"Ask only whether it answers, and not whether it has what it needs."`
	Timeout     time.Duration `default:"5s" help:"How long to wait for the answer."`
}

// Help is shown below the flags.
func (health) Help() string {
	return `The exit status is 0 when 'serve' or 'work' is ready and 1 when it is not, as the health checks of containers want it. What is wrong is printed.`
}

// Run asks once.
func (h *health) Run(ctx context.Context, c console) error {
	address, err := reachable(h.MetricsAddr)
	if err != nil {
		return exit{err, exitUsage}
	}
	path := "/readyz"
	if h.Live {
		path = "/livez"
	}
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		return exit{err, exitUsage}
	}
	// Not by way of a proxy, which it would not find.
	answer, err := (&http.Client{Transport: &http.Transport{}}).Do(request)
	if err != nil {
		return fmt.Errorf("nobody answers: %w", err)
	}
	defer answer.Body.Close()
	var said struct {
		Status string            `json:"status"`
		Checks map[string]string `json:"checks,omitempty"`
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&said); err != nil || said.Status == "" {
		return fmt.Errorf("%s answers %s, but not as Clausemill does", address, answer.Status)
	}
	lines := []string{said.Status}
	for _, name := range slices.Sorted(maps.Keys(said.Checks)) {
		lines = append(lines, name+": "+said.Checks[name])
	}
	if err := say(c, h.output, said, strings.Join(lines, "\n")); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return errors.New("not ready")
	}
	return nil
}

// reachable is where to reach a process of this machine that listens on address.
func reachable(address string) (string, error) {
	if address == "" {
		address = setup.DefaultMetricsAddr
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", err
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port), nil
}
