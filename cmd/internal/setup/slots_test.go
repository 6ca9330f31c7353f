package setup

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/machine"
)

func TestSlots(t *testing.T) {
	t.Parallel()

	var said bytes.Buffer
	log := slog.New(slog.NewTextHandler(&said, nil))
	got, err := Config{OCRSlots: 3, TextSlots: 2}.Slots(nil, log)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"ocr": 3, "text": 2}, got)
	require.Contains(t, said.String(), "ocr=3 ocr_by=setting text=2 text_by=setting")

	got, err = Config{OCRSlots: 3}.Slots(map[string]int{"text": 1}, log)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"text": 1}, got)

	_, err = Config{}.Slots(map[string]int{"fax": 1}, log)
	require.ErrorContains(t, err, `there is no queue "fax": there is ocr and text`)
	_, err = Config{}.Slots(map[string]int{"ocr": -1}, log)
	require.ErrorContains(t, err, "slots are counted from 0")
}

func TestSlotsFitTheContainer(t *testing.T) {
	t.Parallel()

	const mib, gib = 1 << 20, 1 << 30
	for _, tt := range []struct {
		asked int
		own   machine.Limits
		n     int
		by    string
	}{
		{0, machine.Limits{CPUs: 8, Memory: 32 * gib}, 8, "processors"},
		{0, machine.Limits{CPUs: 64, Memory: 16 * gib}, 23, "memory"},
		{0, machine.Limits{CPUs: 2, Memory: 256 * gib, LimitedCPUs: true}, 2, "processor limit"},
		{0, machine.Limits{CPUs: 64, Memory: 2 * gib, LimitedMemory: true}, 2, "memory limit"},
		{0, machine.Limits{CPUs: 2, Memory: 2 * gib, LimitedCPUs: true, LimitedMemory: true}, 2, "processor limit"},
		{0, machine.Limits{CPUs: 4, Memory: 256 * mib, LimitedMemory: true}, 1, "memory limit"},
		{0, machine.Limits{CPUs: 4}, 4, "processors"},
		{5, machine.Limits{CPUs: 1, Memory: gib, LimitedMemory: true}, 5, "setting"},
	} {
		n, by := fitting(tt.asked, tt.own, laneCount*350*mib)
		require.Equal(t, tt.n, n, tt)
		require.Equal(t, tt.by, by, tt)
	}
}
