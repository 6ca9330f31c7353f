package setup

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clausemill/clausemill"
	"github.com/clausemill/clausemill/child"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/ocr"
	"github.com/clausemill/clausemill/worker"
)

const (
	// niceness lets imports use a machine to the full without being felt.
	niceness = 10

	// stopTimeout is how long a worker may take to stop: running pages end, the
	// rest goes back to the queue.
	stopTimeout = 30 * time.Second
)

// Work works jobs until ctx ends, and then finishes those that run. Where other workers
// were given its jobs meanwhile, the process may do nothing more, and again, which can
// be nil, has it begin anew; it ends where that fails.
func (r *Rooms) Work(ctx context.Context, slots map[string]int, again func() error) error {
	lanes, err := r.lanes(slots)
	if err != nil {
		return err
	}
	defer lanes.close()
	pictures, err := r.pictures(lanes.now.Documents)
	if err != nil {
		return err
	}
	r.health.set(ctx, "worker", starting)
	var installed []string
	if slots[jobs.QueueOCR] > 0 {
		switch installed, err = r.installedLanguages(ctx, lanes.now.OCR); {
		case ctx.Err() != nil:
			return nil // told to stop before it began
		case err != nil:
			return err
		}
		go r.health.keep(ctx, "recognition", recogniserEvery, r.Recognises)
	}
	begun := time.Now()
	switch err := lanes.now.Documents.Warm(ctx); {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return fmt.Errorf("PDFs cannot be opened: %w", err)
	case time.Since(begun) > time.Second:
		r.Log.InfoContext(ctx, "compiled the sandbox of PDFs", slog.Duration("took", time.Since(begun)))
	}
	go r.health.keep(ctx, "files", checkEvery, r.Blobs.Ready)
	failed := make(chan error, 1)
	w, err := worker.New(worker.Config{
		DB:              r.DB.Prepared(),
		Blobs:           r.Blobs,
		Pictures:        pictures,
		Search:          r.Search,
		Bulk:            lanes.bulk,
		Now:             lanes.now,
		Urgency:         &lanes.urgency,
		Slots:           slots,
		Languages:       r.OCRLanguages,
		Installed:       installed,
		Version:         clausemill.Build(),
		PrivateWebhooks: r.PrivateWebhooks,
		Trash:           r.trash(),
		Log:             r.Log,
		Metrics:         r.Metrics,
		Tracer:          r.traces.tracer(),
		// Once: several jobs find out at the same time, and a line that one of them has yet to
		// write is lost where another one is faster to begin anew.
		Fenced: sync.OnceFunc(func() {
			// Nothing may be written any more, not even a farewell.
			if again != nil {
				r.Log.ErrorContext(ctx, "other workers have the jobs of this one, because its heartbeat had stopped: beginning anew")
				r.Log.ErrorContext(ctx, "the program cannot be started again", slog.Any("error", again()))
			}
			r.Log.ErrorContext(ctx, "other workers have the jobs of this one, because its heartbeat had stopped: ending")
			os.Exit(1)
		}),
		Failed: func(err error) { failed <- err },
	})
	if err != nil {
		return err
	}
	if w.Start(ctx) != nil {
		return nil // told to stop before it began
	}
	r.health.set(ctx, "worker", "")
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	r.health.set(ctx, "worker", "stopping")
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := w.Stop(stopping); err != nil {
		r.Log.WarnContext(ctx, "jobs were cut off and will be done again", slog.Any("error", err))
	}
	return err
}

// installedLanguages are those there are models for. Without one for each
// configured language every scan would fail, one after the other, so that is an
// error.
func (r *Rooms) installedLanguages(ctx context.Context, recogniser *ocr.Reader) ([]string, error) {
	installed, err := recogniser.Languages(ctx)
	if err != nil {
		return nil, fmt.Errorf("the recogniser does not answer: %w", err)
	}
	for _, language := range strings.Split(r.OCRLanguages, "+") {
		if !slices.Contains(installed, language) {
			return nil, fmt.Errorf("CLAUSEMILL_OCR_LANGUAGES names %q, for which there is no model: install tesseract-ocr-%[1]s, or choose from %[2]s",
				language, strings.Join(installed, ", "))
		}
	}
	return installed, nil
}

// Recognises is an error where pages cannot be recognised in the languages that
// are configured, nor could be if a recogniser were free.
func (r *Rooms) Recognises(ctx context.Context) error {
	recogniser, err := r.ocrProgram()
	if err != nil {
		return fmt.Errorf("the recogniser does not answer: %w", err)
	}
	spare := ocr.New(ocr.Config{Command: []string{recogniser}, Slots: 1, Languages: r.OCRLanguages, Log: r.Log})
	defer spare.Close()
	_, err = r.installedLanguages(ctx, spare)
	return err
}

// restPerUrgent is how many children of imports pause for a job that somebody
// waits for: the one whose core it takes, and one beside it, whose use of caches
// and memory slows it by half.
const restPerUrgent = 2

// lanes are the child processes for imports and for what people wait for.
type lanes struct {
	bulk, now worker.Lane
	urgency   worker.Urgency // of the work in progress, for which the bulk lane pauses
}

func (r *Rooms) lanes(slots map[string]int) (*lanes, error) {
	var l lanes
	recogniser, err := r.ocrProgram()
	if err != nil && slots[jobs.QueueOCR] > 0 {
		return nil, err
	}
	urgent := func(others int) bool { return others < restPerUrgent*l.urgency.Jobs() }
	for _, lane := range []struct {
		name string
		nice int
		rest child.Rest
		of   *worker.Lane
	}{{"bulk", niceness, urgent, &l.bulk}, {"now", 0, nil, &l.now}} {
		log := r.Log.With(slog.String("lane", lane.name))
		// Recognition has its pages drawn by a reader as well.
		lane.of.Documents, err = r.documents(slots[jobs.QueueText]+slots[jobs.QueueOCR], lane.nice, lane.rest, log)
		if err != nil {
			return nil, err
		}
		lane.of.OCR = ocr.New(ocr.Config{
			Command:     []string{recogniser},
			Slots:       max(1, slots[jobs.QueueOCR]),
			Nice:        lane.nice,
			Rest:        lane.rest,
			Languages:   r.OCRLanguages,
			PageTimeout: r.OCRTimeout,
			MemoryLimit: int64(r.OCRMemory),
			Log:         log,
			Observe:     r.observe("recogniser"),
		})
	}
	return &l, nil
}

func (l *lanes) close() {
	for _, lane := range []worker.Lane{l.bulk, l.now} {
		// What they were asked is over; how they end does not matter.
		_ = lane.Documents.Close()
		_ = lane.OCR.Close()
	}
}
