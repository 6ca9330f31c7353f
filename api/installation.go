package api

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/jobs"
	"github.com/clausemill/clausemill/search"
)

// installation serves what operators see of all teams together: sums, and nothing of
// a file or a team.
func (a *API) installation() {
	session := a.area("Installation", withSession)
	get(session, "/api/installation", "getInstallation", "Get the state of the installation", a.getInstallation, describe(
		"Returns what the workers, the queues, the search index and the database do, and how the files of all teams fare. "+
			"Figures over time are in buckets of five minutes, twelve in all; those of the last hour begin with the first bucket, at `from`. "+
			"For operators of the installation (`CLAUSEMILL_OPERATORS`) in a session; for others it is 404. `GET /api/session` has whether the caller is one."))
}

// Installation is how an installation does. All of it is over all teams.
type Installation struct {
	MeasuredAt    time.Time      `json:"measuredAt"`
	From          time.Time      `json:"from" doc:"Where the last hour begins: 55 to 60 minutes ago, on a multiple of five minutes"`
	Workers       []WorkerState  `json:"workers" nullable:"false" doc:"Live workers first, then those whose heartbeat stopped within the last hour"`
	Queues        []QueueState   `json:"queues" nullable:"false" doc:"All queues of jobs, empty ones too"`
	Steps         []StepState    `json:"steps" nullable:"false" doc:"Kinds of jobs that ended in the last hour or run now, the one that took most time in all first"`
	Index         IndexState     `json:"index"`
	Database      DatabaseState  `json:"database"`
	Storage       StorageState   `json:"storage"`
	FilesByStatus map[string]int `json:"filesByStatus" doc:"Number of files for each status; statuses without files are absent"`
	FilesOverTime []FilesBucket  `json:"filesOverTime" nullable:"false" doc:"How files ended in the last hour"`
	Failures      []FailureCause `json:"failures" nullable:"false" doc:"Why files failed in the last 24 hours, the most frequent cause first"`
}

// WorkerState is a worker process.
type WorkerState struct {
	Name      string      `json:"name" doc:"What jobs call it; new at each start of the process"`
	Host      string      `json:"host"`
	Version   string      `json:"version" doc:"Release and commit of the program; empty for releases before 0.2"`
	Alive     bool        `json:"alive" doc:"Whether it was seen within the last 15 seconds. The jobs of a worker that is not alive go to others"`
	Slots     []SlotState `json:"slots" nullable:"false" doc:"By queue; queues that it does not work are absent"`
	Languages []string    `json:"languages" nullable:"false" doc:"Languages that it recognises in scans, by their Tesseract codes; none if it does no OCR"`
	StartedAt time.Time   `json:"startedAt"`
	SeenAt    time.Time   `json:"seenAt" doc:"Its last heartbeat; there is one every three seconds"`
}

// SlotState is how many jobs of a queue a worker can run at once.
type SlotState struct {
	Queue string `json:"queue"`
	Total int    `json:"total"`
	Used  int    `json:"used"`
}

// QueueState is a queue of jobs.
type QueueState struct {
	Name            string       `json:"name" doc:"ocr and text read files, ocr_now and text_now those that should not wait behind an import, index is for Meilisearch, upkeep for chores, webhook for deliveries"`
	Waiting         int          `json:"waiting" doc:"Number of jobs that wait for a worker, or for the fair scheduler to admit them"`
	Running         int          `json:"running"`
	Scheduled       int          `json:"scheduled" doc:"Number of jobs that are not due yet"`
	Retryable       int          `json:"retryable" doc:"Number of jobs that failed and will be tried again"`
	OldestWaitingAt *time.Time   `json:"oldestWaitingAt" doc:"When the oldest waiting job was created; null if none waits"`
	Slots           int          `json:"slots" doc:"Number of jobs that the live workers can run at once"`
	Finished        int          `json:"finished" doc:"Number of jobs that finished in the last hour"`
	Failed          int          `json:"failed" doc:"Number of jobs that were given up in the last hour; cancelled ones are not counted"`
	OverTime        []JobsBucket `json:"overTime" nullable:"false"`
}

// JobsBucket is how many jobs of a queue ended within five minutes.
type JobsBucket struct {
	From     time.Time `json:"from"`
	Finished int       `json:"finished"`
	Failed   int       `json:"failed"`
}

// StepState is what the jobs of a kind took in the last hour.
type StepState struct {
	Kind          string     `json:"kind" doc:"Kind of job, such as receive_file, recognize_pages, analyze_text, index_file"`
	Finished      int        `json:"finished"`
	Failed        int        `json:"failed"`
	MedianSeconds *float64   `json:"medianSeconds" doc:"Duration of those that finished; null if none did"`
	P95Seconds    *float64   `json:"p95Seconds"`
	Running       int        `json:"running" doc:"Number that run now"`
	RunningSince  *time.Time `json:"runningSince" doc:"When the one that has run longest was started; null if none runs"`
}

// IndexState is how the search index does.
type IndexState struct {
	Engine       string `json:"engine" enum:"postgres,meilisearch" doc:"Engine that searches are meant for"`
	Answering    string `json:"answering" enum:"postgres,meilisearch" doc:"Engine that answers them now"`
	Reachable    bool   `json:"reachable" doc:"Whether the engine that searches are meant for answers"`
	CircuitOpen  bool   `json:"circuitOpen" doc:"Whether the process that answers this request skips that engine for now, because it failed repeatedly"`
	WaitingFiles int    `json:"waitingFiles" doc:"Number of files whose newest text search does not find yet"`
	LagSeconds   int    `json:"lagSeconds" doc:"How long the oldest of them has waited"`
}

// DatabaseState is how the database does.
type DatabaseState struct {
	Version             string     `json:"version" doc:"Of Postgres"`
	Size                int64      `json:"size" doc:"Bytes on disk"`
	Connections         int        `json:"connections" doc:"Number of open connections to the server, of all programs"`
	MaxConnections      int        `json:"maxConnections"`
	OldestTransactionAt *time.Time `json:"oldestTransactionAt" doc:"When the oldest open transaction began; null if there is none"`
}

// StorageState is how the store of the files' bytes does.
type StorageState struct {
	Reachable bool   `json:"reachable" doc:"Whether it answers and can be written to, for the process that answers this request"`
	Size      *int64 `json:"size" doc:"Bytes of the disk that the directory is on; null for a bucket"`
	Free      *int64 `json:"free" doc:"Bytes of it that are free; null for a bucket"`
}

// FilesBucket is how files ended within five minutes.
type FilesBucket struct {
	From      time.Time `json:"from"`
	Completed int       `json:"completed"`
	Failed    int       `json:"failed"`
}

// FailureCause is a cause of failed files.
type FailureCause struct {
	Code   fault.Code `json:"code"`
	Hint   string     `json:"hint" doc:"What to do about it"`
	Files  int        `json:"files" doc:"Number of attempts at files that failed of it"`
	LastAt time.Time  `json:"lastAt"`
}

// partPatience is how long the page waits for a search engine or a store that hangs.
const partPatience = 2 * time.Second

func (a *API) getInstallation(ctx context.Context, _ *struct{}) (Installation, error) {
	if !a.operates(auth.From(ctx)) {
		return Installation{}, fault.New(fault.NotFound, "not found")
	}
	now := time.Now().UTC()
	from := now.Truncate(db.Bucket).Add(db.Bucket - time.Hour)
	out := Installation{MeasuredAt: now, From: from, FilesByStatus: map[string]int{}}
	for _, part := range []func(context.Context, *Installation) error{
		a.workerStates, a.queueStates, a.stepStates, a.indexState, a.databaseState, a.storageState, a.fileStates,
	} {
		if err := part(ctx, &out); err != nil {
			return Installation{}, err
		}
	}
	return out, nil
}

func (a *API) workerStates(ctx context.Context, out *Installation) error {
	fleet, err := a.DB.FleetOfWorkers(ctx)
	if err != nil {
		return err
	}
	used, err := a.DB.SlotsInUse(ctx)
	if err != nil {
		return err
	}
	type place struct{ worker, queue string }
	busy := map[place]int{}
	for _, u := range used {
		busy[place{u.WorkerID, u.Queue}] = u.Jobs
	}
	out.Workers = newList(fleet, func(w db.FleetWorker) WorkerState {
		state := WorkerState{
			Name: w.ID, Host: w.ID[:max(strings.LastIndex(w.ID, "-"), 0)], Version: w.Version, Alive: w.Alive, Slots: []SlotState{}, Languages: w.Languages,
			StartedAt: w.StartedAt.UTC(), SeenAt: w.SeenAt.UTC(),
		}
		var slots map[string]int
		_ = json.Unmarshal(w.Slots, &slots) // the worker's own; nonsense is no slots
		for _, queue := range jobs.Queues {
			if slots[queue] > 0 {
				// A job more than slots may have its page made ready.
				state.Slots = append(state.Slots, SlotState{queue, slots[queue], min(slots[queue], busy[place{w.ID, queue}])})
			}
		}
		return state
	}).Items
	return nil
}

func (a *API) queueStates(ctx context.Context, out *Installation) error {
	loads, err := a.DB.QueueLoads(ctx, jobs.Queues, out.From)
	out.Queues = newList(loads, func(q db.QueueLoad) QueueState {
		return QueueState{
			Name: q.Queue, Waiting: q.Waiting, Running: q.Running, Scheduled: q.Scheduled, Retryable: q.Retryable, OldestWaitingAt: utc(q.OldestWaiting),
			Slots: q.Slots, Finished: q.Finished, Failed: q.Failed,
			OverTime: newList(q.OverTime, func(b db.JobsBucket) JobsBucket { return JobsBucket{b.From.UTC(), b.Finished, b.Failed} }).Items,
		}
	}).Items
	return err
}

func (a *API) stepStates(ctx context.Context, out *Installation) error {
	rows, err := a.DB.Steps(ctx, out.From)
	out.Steps = newList(rows, func(s db.Step) StepState {
		return StepState{
			Kind: s.Kind, Finished: s.Finished, Failed: s.Failed, MedianSeconds: s.Median, P95Seconds: s.P95,
			Running: s.Running, RunningSince: utc(s.RunningSince),
		}
	}).Items
	return err
}

func (a *API) indexState(ctx context.Context, out *Installation) error {
	waiting, err := a.DB.IndexBacklog(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, partPatience)
	defer cancel()
	condition := search.ConditionOf(ctx, a.Search)
	out.Index = IndexState{
		Engine: condition.Engine, Answering: condition.Answering, Reachable: condition.Reachable, CircuitOpen: condition.CircuitOpen,
		WaitingFiles: waiting.Files, LagSeconds: int(waiting.Oldest),
	}
	return nil
}

func (a *API) databaseState(ctx context.Context, out *Installation) error {
	load, err := a.DB.ServerLoad(ctx)
	out.Database = DatabaseState{load.Version, load.Size, load.Connections, load.MaxConnections, utc(load.OldestTransaction)}
	return err
}

func (a *API) storageState(ctx context.Context, out *Installation) error {
	ctx, cancel := context.WithTimeout(ctx, partPatience)
	defer cancel()
	out.Storage = StorageState{Reachable: a.Blobs.Ready(ctx) == nil}
	if size, free, ok := a.Blobs.Room(); ok {
		out.Storage.Size, out.Storage.Free = &size, &free
	}
	return nil
}

func (a *API) fileStates(ctx context.Context, out *Installation) error {
	counts, err := a.DB.AllFilesByStatus(ctx)
	if err != nil {
		return err
	}
	for _, c := range counts {
		out.FilesByStatus[string(c.Status)] = c.Files
	}
	ended, err := a.DB.FilesOverTime(ctx, out.From)
	if err != nil {
		return err
	}
	out.FilesOverTime = newList(ended, func(b db.FilesInBucket) FilesBucket { return FilesBucket{b.From.UTC(), b.Completed, b.Failed} }).Items
	causes, err := a.DB.FailureCauses(ctx, out.MeasuredAt.Add(-24*time.Hour))
	out.Failures = newList(causes, func(c db.FailureCause) FailureCause {
		code := fault.Code(c.Code)
		return FailureCause{code, hints[code], c.Files, c.Last.UTC()}
	}).Items
	return err
}
