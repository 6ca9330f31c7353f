package worker

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/clausemill/clausemill/blob"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/draft"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/model"
	"github.com/clausemill/clausemill/nlp"
	"github.com/clausemill/clausemill/ocr"
	"github.com/clausemill/clausemill/search"
	"github.com/clausemill/clausemill/trace"
	"github.com/clausemill/clausemill/webhook"
)

// Lane is the child processes that serve one urgency.
type Lane struct {
	Documents *document.Reader
	OCR       *ocr.Reader
}

// Config is what a worker needs.
type Config struct {
	DB        *db.DB
	Blobs     *blob.Store
	Pictures  draft.Gallery // of PDFs that Word documents are built of; nil for none, as where the API has none
	Search    search.Engine
	Bulk, Now Lane
	Urgency   *Urgency       // of its jobs; nil where nobody asks
	Slots     map[string]int // jobs at once by queue; a queue that is absent is not worked
	Languages string         // of recognition, where a file names none
	Installed []string       // languages there are models for; none where nothing is recognised
	Version   string         // of the program, for operators
	Trash     time.Duration  // how long what is deleted can be brought back
	Log       *slog.Logger
	Metrics   prometheus.Registerer
	Tracer    *trace.Tracer // nil where there are no traces

	// PrivateWebhooks lets webhooks lead to this machine and its networks.
	PrivateWebhooks bool

	// Fenced is called when this process finds that its jobs were given to other
	// workers because its heartbeat had stopped. It should end the process, or load it
	// anew: its River client might still write to rows of the new owners.
	Fenced func()

	// Failed is called, once, when this process finds that it can do no job at all,
	// and gives back what it has. It should stop the worker.
	Failed func(error)
}

// The intervals of heartbeats. A worker without a heartbeat for grace counts as dead;
// its jobs start on another one within grace + rescueEvery.
const (
	heartbeatEvery = 3 * time.Second
	rescueEvery    = 3 * time.Second
	grace          = 12 * time.Second
	admitEvery     = 200 * time.Millisecond
)

// Workers of a queue share the asking for admissions: one by itself asks each admitEvery, and
// each of n every n-th time. Of more than so many none asks less often: where most of them
// go at once, those that are left still ask within seconds.
const shareAdmissions = 10

// Worker works jobs until it is stopped.
type Worker struct {
	Config
	id           string
	slots        map[string]int // of all queues
	river        *jobs.Client
	metrics      *metrics
	held         held
	failing      sync.Once
	hooks        *webhook.Sender
	models       *model.Store
	vocabularies *vocabularies
	readings     readings
	admissions   map[string]*admissions // by fair queue
	stop         context.CancelFunc
	stopped      chan struct{}
}

// New prepares a worker.
func New(c Config) (*Worker, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	if c.Urgency == nil {
		c.Urgency = new(Urgency)
	}
	w := &Worker{
		Config:       c,
		id:           fmt.Sprintf("%.40s-%s", host, uuid.NewString()[:8]),
		slots:        allSlots(c.Slots),
		metrics:      newMetrics(c.Metrics),
		held:         held{ids: map[int64]int{}},
		hooks:        webhook.NewSender(c.PrivateWebhooks),
		models:       model.NewStore(c.DB),
		vocabularies: newVocabularies(c.DB, c.Log),
		readings:     readings{of: map[textOf]nlp.Reading{}},
		admissions:   map[string]*admissions{},
	}
	for _, queue := range jobs.Fair {
		w.admissions[queue] = &admissions{due: make(chan struct{}, 1), since: time.Now()}
	}
	w.river, err = river.NewClient(c.DB.Driver(), &river.Config{
		ID:      w.id,
		Queues:  queues(w.slots),
		Workers: w.register(),
		Middleware: []rivertype.Middleware{
			&supervisor{worker: w},
		},
		PeriodicJobs: periodic(),
		Logger:       jobs.Quiet(c.Log),
		// A client hands out at most its slots per cooldown, so the default of
		// 100 ms would cap two slots at twenty jobs a second.
		FetchCooldown:     2 * time.Millisecond,
		FetchPollInterval: time.Second,
		JobTimeout:        jobTimeout,
		// Dead workers are detected by their heartbeat; this is for a job whose
		// worker is alive but lost it.
		RescueStuckJobsAfter:        4 * jobTimeout,
		MaxAttempts:                 maxAttempts,
		RetryPolicy:                 retryPolicy{},
		CompletedJobRetentionPeriod: 6 * time.Hour,
		CancelledJobRetentionPeriod: 6 * time.Hour,
		DiscardedJobRetentionPeriod: 7 * 24 * time.Hour,
		ReindexerIndexNames:         queueIndexes(),
		SoftStopTimeout:             drainTimeout,
	})
	return w, err
}

const (
	jobTimeout   = 30 * time.Minute // the longest step: extracting thousands of pages
	drainTimeout = 20 * time.Second // a page is recognised in less
	maxAttempts  = 20               // outages last; what is broken fails much earlier
	beginEvery   = time.Second      // how often a worker tries to begin
)

// queueIndexes are those of River's that are rebuilt at night: all but the two that no
// query needs, and our schema is without.
func queueIndexes() []string {
	return slices.DeleteFunc(river.ReindexerIndexNamesDefault(), func(name string) bool {
		return name == "river_job_args_index" || name == "river_job_metadata_index"
	})
}

// allSlots adds to the slots that were asked for what goes with them: the fast
// lanes, the index and the chores.
func allSlots(slots map[string]int) map[string]int {
	all := maps.Clone(slots)
	if n := slots[jobs.QueueOCR]; n > 0 {
		all[jobs.QueueOCRNow] = n // a lone scan has the whole machine
	}
	if n := slots[jobs.QueueText]; n > 0 {
		all[jobs.QueueTextNow] = n
		all[jobs.QueueIndex] = 2
		all[jobs.QueueUpkeep] = 1
		all[jobs.QueueWebhook] = 8
	}
	maps.DeleteFunc(all, func(_ string, n int) bool { return n <= 0 })
	return all
}

// queues is slots as River takes them. A page more than can be recognised at a time is
// taken: its picture is made while the others are read, so that no recogniser waits for one.
func queues(slots map[string]int) map[string]river.QueueConfig {
	config := make(map[string]river.QueueConfig, len(slots))
	for queue, n := range slots {
		if queue == jobs.QueueOCR || queue == jobs.QueueOCRNow {
			n++
		}
		config[queue] = river.QueueConfig{MaxWorkers: n}
	}
	return config
}

// register lists every kind of job with who does it.
func (w *Worker) register() *river.Workers {
	all := river.NewWorkers()
	river.AddWorker(all, &receiveFile{Worker: w})
	river.AddWorker(all, &extractText{Worker: w})
	river.AddWorker(all, &recognizePages{Worker: w})
	river.AddWorker(all, &segmentText{Worker: w})
	river.AddWorker(all, &analyzeText{Worker: w})
	river.AddWorker(all, &indexFile{Worker: w})
	river.AddWorker(all, &planTraining{Worker: w})
	river.AddWorker(all, &trainModel{Worker: w})
	river.AddWorker(all, &relabelFiles{Worker: w})
	river.AddWorker(all, &trainField{Worker: w})
	river.AddWorker(all, &learnNames{Worker: w})
	river.AddWorker(all, &readParties{Worker: w})
	river.AddWorker(all, &proposeField{Worker: w})
	river.AddWorker(all, &planAnalyses{Worker: w})
	river.AddWorker(all, &analyzeCorpus{Worker: w})
	river.AddWorker(all, &trainTypes{Worker: w})
	river.AddWorker(all, &mergeFiles{Worker: w})
	river.AddWorker(all, &executeChanges{Worker: w})
	river.AddWorker(all, &carryChanges{Worker: w})
	river.AddWorker(all, &printFile{Worker: w})
	river.AddWorker(all, &deleteFiles{Worker: w})
	river.AddWorker(all, &settleFiles{Worker: w})
	river.AddWorker(all, &restoreTrash{Worker: w})
	river.AddWorker(all, &emptyTrash{Worker: w})
	river.AddWorker(all, &purgeFile{Worker: w})
	river.AddWorker(all, &reconcileIndex{Worker: w})
	river.AddWorker(all, &sweepBlobs{Worker: w})
	river.AddWorker(all, &resumeFiles{Worker: w})
	river.AddWorker(all, &foldChanges{Worker: w})
	river.AddWorker(all, &planNearest{Worker: w})
	river.AddWorker(all, &buildNearest{Worker: w})
	river.AddWorker(all, &prune{Worker: w})
	river.AddWorker(all, &deliverWebhook{Worker: w})
	return all
}

// periodic lists the chores and when they are due. One that lasts longer than its interval is not
// joined by another: two that heal the index would send the same files.
func periodic() []*river.PeriodicJob {
	every := func(interval time.Duration, args river.JobArgs) *river.PeriodicJob {
		return river.NewPeriodicJob(river.PeriodicInterval(interval),
			func() (river.JobArgs, *river.InsertOpts) {
				return args, &river.InsertOpts{UniqueOpts: jobs.Meanwhile}
			}, &river.PeriodicJobOpts{RunOnStart: true})
	}
	return []*river.PeriodicJob{
		every(15*time.Second, jobs.ReconcileIndex{}),
		every(24*time.Hour, jobs.ReconcileIndex{Full: true}),
		every(sweepEvery, jobs.SweepBlobs{}),
		every(resumeEvery, jobs.ResumeFiles{}),
		every(foldEach, jobs.FoldChanges{}),
		every(planNearestEvery, jobs.PlanNearest{}),
		every(15*time.Minute, jobs.Prune{}),
		every(time.Hour, jobs.EmptyTrash{}),
		every(planEvery, jobs.PlanTraining{}),
		every(planAnalysesEvery, jobs.PlanAnalyses{}),
		every(learnEvery, jobs.LearnNames{}),
	}
}

// lane picks the child processes for a file's work.
func (w *Worker) lane(f jobs.File) Lane {
	if f.Bulk {
		return w.Bulk
	}
	return w.Now
}

// Start begins to work and returns; Stop ends what it started. A database that does not
// answer is waited for until ctx ends, which is the only error. What has begun goes on when
// ctx ends.
func (w *Worker) Start(ctx context.Context) error {
	for {
		err := w.begin(ctx)
		if err == nil {
			break
		}
		w.Log.WarnContext(ctx, "the worker cannot begin yet and tries again", slog.Any("error", err))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(beginEvery):
		}
	}
	ctx, w.stop = context.WithCancel(context.WithoutCancel(ctx))
	w.stopped = make(chan struct{})
	go w.keepAlive(ctx)
	for _, queue := range jobs.Fair {
		if w.Slots[queue] > 0 {
			go w.keepAdmitting(ctx, queue)
		}
	}
	if w.Slots[jobs.QueueText] > 0 {
		go w.keepAsking(ctx)
		go w.vocabularies.keepFolding(ctx)
		go keepStatistics(ctx, w.DB, w.Log)
	}
	w.Log.InfoContext(ctx, "worker started", slog.String("worker", w.id), slog.Any("slots", w.Slots))
	return nil
}

// begin gives the first sign of life and has River work. Where it fails it can be called
// again: River stops what it started, and jobs that it began are put back. A database that
// is silent holds up nobody for longer than ctx.
func (w *Worker) begin(ctx context.Context) error {
	if err := w.DB.Heartbeat(ctx, w.id, w.Version, w.slots, w.Installed); err != nil {
		return err
	}
	return w.river.Start(context.WithoutCancel(ctx))
}

// Stop lets running jobs finish for a while, puts the others back, and signs
// off. Ctx bounds all of it.
func (w *Worker) Stop(ctx context.Context) error {
	err := w.river.Stop(ctx)
	w.stop()
	<-w.stopped
	if err := w.DB.SignOff(ctx, w.id); err != nil {
		w.Log.WarnContext(ctx, "sign-off failed", slog.Any("error", err))
	}
	return err
}

// keepAlive writes the heartbeat of this worker, and rescues the jobs of workers
// whose heartbeat stopped. The heartbeat comes first, so that a process which was
// suspended does not rescue its own jobs. After an outage of the database all
// heartbeats are old, so the other workers get the full grace period again.
func (w *Worker) keepAlive(ctx context.Context) {
	defer close(w.stopped)
	outage := time.Now()
	beat, rescue := time.NewTicker(heartbeatEvery), time.NewTicker(rescueEvery)
	defer beat.Stop()
	defer rescue.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			if !w.beat(ctx) {
				outage = time.Now()
			}
		case <-rescue.C:
			if !w.beat(ctx) {
				outage = time.Now()
			}
			if time.Since(outage) < grace {
				continue
			}
			n, err := w.DB.RescueJobs(ctx, w.id, w.held.list(), grace)
			if err != nil {
				w.Log.WarnContext(ctx, "rescue failed", slog.Any("error", err))
			}
			if n > 0 {
				w.metrics.rescued.Add(float64(n))
				w.Log.WarnContext(ctx, "rescued jobs of workers whose heartbeat stopped", slog.Int("jobs", n))
			}
		}
	}
}

// fail reports that this worker has to stop.
func (w *Worker) fail(ctx context.Context, err error) {
	w.failing.Do(func() {
		w.Log.ErrorContext(ctx, "this worker can do no job and stops", slog.Any("error", err))
		w.Failed(err)
	})
}

// beat gives a sign of life and reports whether it arrived.
func (w *Worker) beat(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, heartbeatEvery)
	defer cancel()
	err := w.DB.Heartbeat(ctx, w.id, w.Version, w.slots, w.Installed)
	if err != nil {
		w.Log.WarnContext(ctx, "heartbeat failed", slog.Any("error", err))
	}
	return err == nil
}

// held are the jobs that this process is working on, and how many times: one
// that was given away may come back before its first run has noticed.
type held struct {
	mu  sync.Mutex
	ids map[int64]int
}

// take notes a job until the function it returns is called.
func (h *held) take(id int64) (release func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ids[id]++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.ids[id]--; h.ids[id] == 0 {
			delete(h.ids, id)
		}
	}
}

// list is never nil, which to the database would be no list at all.
func (h *held) list() []int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.AppendSeq([]int64{}, maps.Keys(h.ids))
}

// admissions is how a worker has jobs of a fair queue admitted: beyond the slots as many as it ends
// in admitEvery at its pace. An admission costs the database about a tenth of what a short file
// does, so short files share one. Of long jobs none is ahead, so that a team that comes later
// waits for none of them.
type admissions struct {
	due   chan struct{} // has the next one come now
	ended atomic.Int64  // jobs of this worker since the last one
	ahead atomic.Int64  // jobs that it admitted beyond the slots

	// Only the one that admits has these.
	since  time.Time // when the pace was measured last
	worked int64     // jobs since
}

// The pace is measured over paceEvery at least, so that two long jobs that end at once do not look
// like many short ones. More than mostAhead are not admitted, as workers may also stop.
const (
	paceEvery = 500 * time.Millisecond
	mostAhead = 64
)

// end counts a job, and has others admitted once half of what is ahead may have ended.
func (a *admissions) end() {
	if ended := a.ended.Add(1); 2*ended < a.ahead.Load() {
		return
	}
	select {
	case a.due <- struct{}{}:
	default: // already asked
	}
}

// next is how many jobs are to be admitted beyond the slots.
func (a *admissions) next() int {
	a.worked += a.ended.Swap(0)
	if past := time.Since(a.since); past > paceEvery {
		ahead := float64(a.worked) * admitEvery.Seconds() / past.Seconds()
		a.ahead.Store(min(int64(ahead), mostAhead))
		a.since, a.worked = time.Now(), 0
	}
	return int(a.ahead.Load())
}

// keepAdmitting admits jobs of queue whenever a slot may have become free.
func (w *Worker) keepAdmitting(ctx context.Context, queue string) {
	every, counted, own := admitEvery, time.Time{}, w.admissions[queue]
	for {
		if time.Since(counted) > heartbeatEvery {
			counted = time.Now()
			if n, err := w.DB.LiveWorkers(ctx, queue); err == nil { // else as before: admission tells of it
				every = admitEvery * time.Duration(min(max(1, n), shareAdmissions))
			}
		}
		wait := time.NewTimer(every/2 + rand.N(every)) // so that they do not all ask at once
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-wait.C:
		case <-own.due:
			wait.Stop()
		}
		if _, err := w.DB.Admit(ctx, queue, own.next()); err != nil && ctx.Err() == nil {
			w.Log.WarnContext(ctx, "admission failed", slog.String("queue", queue), slog.Any("error", err))
		}
	}
}
