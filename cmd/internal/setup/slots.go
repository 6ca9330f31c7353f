package setup

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/clausemill/clausemill/cmd/internal/machine"
	"github.com/clausemill/clausemill/jobs"
)

// laneCount is how many children a slot may have at once: what somebody waits
// for is done beside what it interrupts.
const laneCount = 2

// textShare is the memory that a slot for texts counts with: two readers that are
// at work on large files, and the text itself.
const textShare = 512 << 20

// Slots is how many jobs of each queue to work at once: what was asked for, or
// what fits the machine or the container. It logs which of them it was.
func (c Config) Slots(asked map[string]int, log *slog.Logger) (map[string]int, error) {
	if len(asked) == 0 {
		l := machine.Own()
		ocr, ocrBy := fitting(c.OCRSlots, l, laneCount*uint64(c.OCRMemory))
		text, textBy := fitting(c.TextSlots, l, textShare)
		log.Info("slots", slog.Int("ocr", ocr), slog.String("ocr_by", ocrBy), slog.Int("text", text), slog.String("text_by", textBy),
			slog.Int("processors", l.CPUs), slog.String("memory", humanize.IBytes(l.Memory)))
		return map[string]int{jobs.QueueOCR: ocr, jobs.QueueText: text}, nil
	}
	for queue, n := range asked {
		if !slices.Contains(jobs.Fair, queue) {
			return nil, fmt.Errorf("there is no queue %q: there is %s", queue, strings.Join(jobs.Fair, " and "))
		}
		if n < 0 {
			return nil, fmt.Errorf("%s=%d: slots are counted from 0", queue, n)
		}
	}
	return maps.Clone(asked), nil
}

// fitting is asked, or as many slots as there are processors and, at so much each,
// memory for; and which of these it was.
func fitting(asked int, l machine.Limits, each uint64) (n int, by string) {
	if asked > 0 {
		return asked, "setting"
	}
	n, by = l.CPUs, "processors"
	if l.LimitedCPUs {
		by = "processor limit"
	}
	if fit := max(1, l.Memory/max(1, each)); l.Memory > 0 && fit < uint64(n) {
		n, by = int(fit), "memory"
		if l.LimitedMemory {
			by = "memory limit"
		}
	}
	return n, by
}
