package e2e_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestReading is the service undisturbed: every format comes to its end, and
// what was read can be asked for.
func TestReading(t *testing.T) {
	s := newSystem(t)
	ada := s.account("ada@example.com")
	address := freeAddress(t)
	s.api(address)
	s.worker()
	c := ada.byKey(t, address)
	for _, u := range mixed(t, 1) {
		a := c.send(t.Context(), u, "")
		require.True(t, a.ok(), "%s: %d %s %v", u.name, a.status, a.body, a.err)
	}
	started := time.Now()
	for _, f := range c.allEnd(3 * time.Minute) {
		t.Logf("%-28s %-24s %s %v", f.Name, f.Status, f.code(), f.Warnings)
	}
	fmt.Println(time.Since(started))
	s.lawful()
}
