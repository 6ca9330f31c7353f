package setup

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/jobs"
)

// TestComplaintsAreCounted has many parts complain of one thing for a while.
func TestComplaintsAreCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := Logging{LogLevel: "info", LogFormat: "text"}.NewLog(&out)
		away := errors.New("dial tcp 127.0.0.1:5432: connection refused")
		for i := range 300 { // thirty seconds of it
			log.Warn("heartbeat failed", slog.Any("error", away))
			log.With(slog.Int("lane", i)).Error("admission failed", slog.String("err", away.Error()))
			time.Sleep(100 * time.Millisecond)
		}
		synctest.Wait()
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		require.Len(t, lines, 4, out.String())
		require.NotContains(t, lines[0], "repeated")
		repeated := 0
		for _, line := range lines[1:] {
			var n int
			_, count, _ := strings.Cut(line, " repeated=")
			_, err := fmt.Sscan(count, &n)
			require.NoError(t, err)
			repeated += n
		}
		require.Equal(t, 599, repeated)
		time.Sleep(2 * calmAfter)
		synctest.Wait()
		out.Reset()
		log.Warn("heartbeat failed", slog.Any("error", away))
		require.Contains(t, out.String(), "connection refused", "it is forgotten once it ended")
		time.Sleep(2 * calmAfter)
	})
}

// TestLinesThatAreNotCounted keeps what is about one file, and what is no
// complaint.
func TestLinesThatAreNotCounted(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := Logging{LogLevel: "info", LogFormat: "json"}.NewLog(&out)
	for i := range 5 {
		log.Warn("job failed", slog.Int("file", i), slog.String("error", "the file is encrypted"))
		log.Info("worker started")
	}
	require.Equal(t, 10, strings.Count(out.String(), "\n"))
}

// TestRiverIsQuiet keeps what River says of itself for who asks for it.
func TestRiverIsQuiet(t *testing.T) {
	t.Parallel()
	for level, want := range map[string]int{"info": 1, "debug": 2} {
		var out bytes.Buffer
		log := jobs.Quiet(Logging{LogLevel: level, LogFormat: "text"}.NewLog(&out)).With(slog.String("component", "river"))
		log.Info("producer: Producer job counts")
		log.Warn("job stuck")
		require.Equal(t, want, strings.Count(out.String(), "\n"), level)
	}
}
