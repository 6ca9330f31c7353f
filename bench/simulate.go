package bench

import (
	"cmp"
	"container/heap"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/jobs"
)

// What is played. A team has the same lane as in the interface, and a worker as many
// slots in the fast lane as beside it.
const (
	simulatedSlots = 2                      // of each worker in each lane
	simulatedLane  = 4                      // files of a team in the fast lane
	simulatedSpan  = 3 * time.Minute        // in which all files come
	simulatedTick  = 200 * time.Millisecond // between admissions
	simulatedMean  = time.Second            // of the work on a file
	fairWindow     = 10 * time.Second       // in which service is compared
	fewestServed   = 2                      // teams of a window in which it is
)

// class is a sort of team.
type class int

const (
	lone    class = iota // a file
	entry                // an archive with one file, which goes through the fair queue
	batch                // some files
	bulk                 // an import
	classes = 4
)

var classNames = [classes]string{"a lone file", "an archive of one file", "files in batches of 5 to 40", "files in imports"}

// arrival is files that a team sends at once.
type arrival struct {
	at    time.Duration
	team  string
	class class
	files []simulatedFile
}

type simulatedFile struct {
	id   string
	work time.Duration
}

// plan makes the arrivals of a seed: as much work as the slots of the fair queue do
// in the span, seven tenths of it imports of a few teams.
func plan(seed uint64, workers, teams int) []arrival {
	random := rand.New(rand.NewPCG(seed, 1))
	source := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	id := func() string { return uuid.Must(uuid.NewRandomFromReader(source)).String() }
	const spread = 1.0 // of the logarithm
	send := func(c class, n int, latest time.Duration) arrival {
		a := arrival{at: time.Duration(random.Int64N(int64(latest))), team: id(), class: c}
		for range n {
			work := math.Exp(spread*random.NormFloat64()-spread*spread/2) * float64(simulatedMean)
			a.files = append(a.files, simulatedFile{id(), time.Duration(work)})
		}
		return a
	}
	imports := max(2, teams/500)
	total := int(float64(workers*simulatedSlots) * float64(simulatedSpan/simulatedMean))
	var all []arrival
	weight := 0.0
	for i := range imports {
		weight += 1 / float64(i+1)
	}
	for i := range imports { // the first is the largest by far
		all = append(all, send(bulk, max(50, int(0.7*float64(total)/weight/float64(i+1))), simulatedSpan/5))
	}
	for i := imports; i < teams; i++ {
		switch {
		case i%20 == 0:
			all = append(all, send(batch, 5+random.IntN(36), simulatedSpan))
		case i%5 == 1:
			all = append(all, send(entry, 1, simulatedSpan))
		default:
			all = append(all, send(lone, 1, simulatedSpan))
		}
	}
	slices.SortStableFunc(all, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	return all
}

// simulation is a clock, the workers as it has them, and the queue in Postgres.
type simulation struct {
	db     *db.DB
	client *jobs.Client
	random *rand.Rand
	now    time.Duration
	free   map[string][]int // slots of each worker, by queue
	idle   map[string]int   // of all workers
	ready  map[string]int   // jobs that can be taken
	files  map[string]*played
	active map[string]int // files of a team that are not done
	works  ends
	fair   fairness
	waits  [classes][]time.Duration
	busy   time.Duration // of slots of the fair queue while work waited for it
	could  time.Duration
	done   map[string]int // how many times each file was
	cost   simulatedCost
}

// simulatedCost is what the database took, by the clock of the machine.
type simulatedCost struct {
	admit                 []time.Duration
	admitted              int
	insert, take, fulfill time.Duration
}

// played is a file in the simulation.
type played struct {
	simulatedFile
	team  string
	class class
	came  time.Duration
}

// end is when a worker is done with a job.
type end struct {
	at     time.Duration
	job    int64
	try    int
	worker int
	queue  string
	file   *played
}

type ends []end

func (e ends) Len() int { return len(e) }
func (e ends) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].job < e[j].job
}
func (e ends) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *ends) Push(x any)   { *e = append(*e, x.(end)) } //nolint:forcetypeassert // of this file
func (e *ends) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// play plays arrivals against the queue of d, which nobody else works, until all is
// done.
func play(ctx context.Context, d *db.DB, seed uint64, workers int, arrivals []arrival) (*simulation, error) {
	client, err := river.NewClient(d.Driver(), &river.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	s := &simulation{
		db: d, client: client, random: rand.New(rand.NewPCG(seed, 2)), free: map[string][]int{}, idle: map[string]int{}, ready: map[string]int{},
		files: map[string]*played{}, active: map[string]int{}, done: map[string]int{}, fair: newFairness(),
	}
	for _, queue := range []string{jobs.QueueText, jobs.QueueTextNow} {
		s.free[queue] = slices.Repeat([]int{simulatedSlots}, workers)
		s.idle[queue] = simulatedSlots * workers
	}
	for i := range workers {
		if err := d.Heartbeat(ctx, worker(i), "simulated", map[string]int{jobs.QueueText: simulatedSlots}, nil); err != nil {
			return nil, err
		}
	}
	// None of them dies.
	if _, err := d.Pool().Exec(ctx, `UPDATE workers SET seen_at = now() + interval '1 day'`); err != nil {
		return nil, err
	}
	for len(arrivals) > 0 || len(s.works) > 0 || s.fair.waiting > 0 {
		s.now += simulatedTick
		if arrivals, err = s.pass(ctx, arrivals); err != nil {
			return s, err
		}
		if err := s.tick(ctx); err != nil {
			return s, err
		}
	}
	return s, nil
}

// pass plays what ends and comes within a tick, each at its own time; slots that it
// frees take what was admitted before. It returns what is still to come.
func (s *simulation) pass(ctx context.Context, arrivals []arrival) (_ []arrival, err error) {
	for err == nil {
		switch {
		case len(s.works) > 0 && s.works[0].at <= s.now && (len(arrivals) == 0 || s.works[0].at <= arrivals[0].at):
			err = s.finish(ctx, heap.Pop(&s.works).(end)) //nolint:forcetypeassert // of this file
		case len(arrivals) > 0 && arrivals[0].at <= s.now:
			err = s.arrive(ctx, arrivals[0])
			arrivals = arrivals[1:]
		default:
			return arrivals, nil
		}
	}
	return arrivals, err
}

func worker(i int) string { return fmt.Sprintf("worker-%05d", i) }

// arrive enqueues files as the interface does, those of archives as the worker does.
func (s *simulation) arrive(ctx context.Context, a arrival) error {
	list := make([]jobs.Args, len(a.files))
	for i, f := range a.files {
		file := jobs.File{FileID: f.id, TeamID: a.team, Attempt: 1, Bulk: a.class == entry || s.active[a.team] >= simulatedLane}
		list[i] = jobs.ReceiveFile{File: file}
		s.active[a.team]++
		s.files[f.id] = &played{f, a.team, a.class, a.at}
		if file.Bulk {
			s.fair.wait(a.team)
		} else {
			s.ready[jobs.QueueTextNow]++
		}
	}
	started := time.Now()
	err := s.db.InTx(ctx, func(tx *db.Tx) error { return jobs.Insert(ctx, s.client, tx.Raw, list...) })
	s.cost.insert += time.Since(started)
	if err != nil {
		return err
	}
	return s.take(ctx, jobs.QueueTextNow, a.at)
}

// tick admits, and compares what teams got where a window ends.
func (s *simulation) tick(ctx context.Context) error {
	if s.fair.waiting > s.ready[jobs.QueueText] {
		started := time.Now()
		n, err := s.db.Admit(ctx, jobs.QueueText, 0)
		if err != nil {
			return err
		}
		s.cost.admit = append(s.cost.admit, time.Since(started))
		s.cost.admitted += n
		s.ready[jobs.QueueText] += n
		if err := s.take(ctx, jobs.QueueText, s.now); err != nil {
			return err
		}
	}
	all := simulatedSlots * len(s.free[jobs.QueueText])
	if s.fair.waiting > 0 {
		s.could += time.Duration(all) * simulatedTick
		s.busy += time.Duration(all-s.idle[jobs.QueueText]) * simulatedTick
	}
	if s.now%fairWindow == 0 {
		s.fair.compare(s.now)
	}
	return nil
}

// take gives jobs that are ready to workers with free slots, in any order, by the
// statement that they all ask.
func (s *simulation) take(ctx context.Context, queue string, at time.Duration) error {
	for s.ready[queue] > 0 && s.idle[queue] > 0 {
		w := s.random.IntN(len(s.free[queue]))
		for s.free[queue][w] == 0 {
			w = (w + 1) % len(s.free[queue])
		}
		started := time.Now()
		got, err := s.db.Driver().GetExecutor().JobGetAvailable(ctx, &riverdriver.JobGetAvailableParams{
			ClientID: worker(w), MaxAttemptedBy: 100, MaxToLock: s.free[queue][w], Queue: queue,
		})
		s.cost.take += time.Since(started)
		if err != nil {
			return err
		}
		if len(got.Jobs) == 0 {
			return fmt.Errorf("of %d jobs of %s none can be taken", s.ready[queue], queue)
		}
		slices.SortFunc(got.Jobs, func(a, b *rivertype.JobRow) int { return cmp.Compare(a.ID, b.ID) })
		for _, job := range got.Jobs {
			var about jobs.File
			if err := json.Unmarshal(job.EncodedArgs, &about); err != nil {
				return err
			}
			file := s.files[about.FileID]
			s.ready[queue]--
			s.idle[queue]--
			s.free[queue][w]--
			s.waits[file.class] = append(s.waits[file.class], at-file.came)
			if queue == jobs.QueueText {
				s.fair.begin(file.team, at)
			}
			heap.Push(&s.works, end{at + file.work, job.ID, job.Attempt, w, queue, file})
		}
	}
	return nil
}

// finish completes a job as a worker does: if it is still its own.
func (s *simulation) finish(ctx context.Context, e end) error {
	started := time.Now()
	err := s.db.InTx(ctx, func(tx *db.Tx) error {
		if err := tx.Fence(ctx, e.job, e.try); err != nil {
			return err
		}
		p := riverdriver.JobSetStateCompleted(e.job, time.Now(), nil)
		_, err := s.db.Driver().UnwrapExecutor(tx.Raw).JobSetStateIfRunningMany(ctx, &riverdriver.JobSetStateIfRunningManyParams{
			ID: []int64{p.ID}, Attempt: []*int{nil}, ErrData: [][]byte{nil}, FinalizedAt: []*time.Time{p.FinalizedAt}, MetadataDoMerge: []bool{false},
			MetadataUpdates: [][]byte{nil}, ScheduledAt: []*time.Time{nil}, State: []rivertype.JobState{p.State},
		})
		return err
	})
	s.cost.fulfill += time.Since(started)
	if err != nil {
		return err
	}
	s.free[e.queue][e.worker]++
	s.idle[e.queue]++
	s.active[e.file.team]--
	s.done[e.file.id]++
	if e.queue == jobs.QueueText {
		s.fair.end(e.file.team, e.at)
	}
	return s.take(ctx, e.queue, e.at)
}

// simulate plays a seed in a database of its own, on the server of the service.
func simulate(ctx context.Context, c *Config) ([]row, error) {
	d, drop, err := c.apart(ctx)
	if err != nil {
		return nil, err
	}
	defer drop()
	arrivals := plan(1, c.Workers, c.Teams)
	started := time.Now()
	s, err := play(ctx, d, 1, c.Workers, arrivals)
	if err != nil {
		return nil, err
	}
	rows := s.rows(c, arrivals, time.Since(started))
	crowds, err := c.crowded(ctx, d)
	return append(rows, crowds...), err
}

// apart makes an empty database beside that of the service, whose workers would
// take the jobs.
func (c *Config) apart(ctx context.Context) (d *db.DB, drop func(), err error) {
	const name = "clausemill_simulation"
	address, err := url.Parse(c.DB.Pool().Config().ConnString())
	if err != nil {
		return nil, nil, err
	}
	address.Path = "/" + name
	for _, sql := range []string{"DROP DATABASE IF EXISTS " + name, "CREATE DATABASE " + name} {
		if _, err := c.DB.Pool().Exec(ctx, sql); err != nil {
			return nil, nil, err
		}
	}
	if d, err = db.Open(ctx, address.String(), 4); err != nil {
		return nil, nil, err
	}
	drop = func() {
		d.Close()
		_, _ = c.DB.Pool().Exec(context.WithoutCancel(ctx), "DROP DATABASE "+name)
	}
	if _, err = d.Migrate(ctx, slog.New(slog.DiscardHandler)); err != nil {
		drop()
	}
	return d, drop, err
}

// rows tells what was seen.
func (s *simulation) rows(c *Config, arrivals []arrival, took time.Duration) []row {
	seconds := func(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
	line := inLine(arrivals, 2*simulatedSlots*len(s.free[jobs.QueueText]))
	var rows []row
	for of := range class(classes) {
		if len(s.waits[of]) == 0 {
			continue
		}
		ours, theirs := percentile(s.waits[of], 0.95), percentile(line[of], 0.95)
		want := ""
		if of != bulk {
			want = "≤ 5 s"
		}
		r := row{
			what: "wait of " + classNames[of] + ", p95", ours: seconds(ours), want: want,
			peer: fmt.Sprintf("in one line %s; p50 %s, max %s, %d files", seconds(theirs), seconds(percentile(s.waits[of], 0.5)), seconds(slices.Max(s.waits[of])), len(s.waits[of])),
		}
		if ours > 0 {
			r.ratio = theirs.Seconds() / ours.Seconds()
		}
		rows = append(rows, r)
	}
	mean, worst, windows := s.fair.result()
	files, admits := len(s.done), len(s.cost.admit)
	sum := time.Duration(0)
	for _, a := range s.cost.admit {
		sum += a
	}
	each := func(d time.Duration, n int) string { return milliseconds(d / time.Duration(max(1, n))) }
	rows = append(rows,
		row{what: "fairness (Jain) of slots among teams that wait", ours: fmt.Sprintf("%.3f", mean), peer: fmt.Sprintf("worst of %d windows %.3f", windows, worst), want: "≥ 0.9"},
		row{what: "slots busy while work waits", ours: fmt.Sprintf("%.1f %%", 100*s.busy.Seconds()/max(1, s.could.Seconds())), want: "≥ 95 %"},
	)
	if admits > 0 {
		rows = append(rows, row{
			what: "an admission, p95", ours: milliseconds(percentile(s.cost.admit, 0.95)),
			peer: fmt.Sprintf("mean %s, %.1f jobs, %d calls", each(sum, admits), float64(s.cost.admitted)/float64(admits), admits), want: c.within(200 * time.Millisecond),
		})
	}
	database := sum + s.cost.insert + s.cost.take + s.cost.fulfill
	return append(
		rows,
		row{
			what: "database for the queue, a file", ours: each(database, files),
			peer: fmt.Sprintf("admission %s, insert %s, take %s, complete %s", each(sum, files), each(s.cost.insert, files), each(s.cost.take, files), each(s.cost.fulfill, files)),
		},
		row{
			what: "played", ours: s.now.Round(time.Second).String(),
			peer: fmt.Sprintf("in %.0f s; the database's share of what was played is %.0f %% of one connection", took.Seconds(), 100*database.Seconds()/s.now.Seconds()),
		},
	)
}

// inLine is how long files wait where so many slots take whoever came first.
func inLine(arrivals []arrival, slots int) (waits [classes][]time.Duration) {
	free := make(ends, slots)
	for _, a := range arrivals {
		for _, f := range a.files {
			begin := max(a.at, free[0].at)
			waits[a.class] = append(waits[a.class], begin-a.at)
			free[0].at = begin + f.work
			heap.Fix(&free, 0)
		}
	}
	return waits
}

// crowded measures one admission where so many teams have ten files waiting.
func (c *Config) crowded(ctx context.Context, d *db.DB) ([]row, error) {
	var rows []row
	for _, teams := range []int{100, 1000, 10_000} {
		if _, err := d.Pool().Exec(ctx, `TRUNCATE river_job`); err != nil {
			return nil, err
		}
		if _, err := d.Pool().Exec(ctx, `
			INSERT INTO river_job (kind, queue, state, priority, args, max_attempts)
			SELECT 'receive_file', $1, 'pending', 2, jsonb_build_object('team_id', md5(n::text)::uuid), 20
			FROM generate_series(1, 10), generate_series(1, $2::int) n`, jobs.QueueText, teams); err != nil {
			return nil, err
		}
		var took []time.Duration
		admitted := 0
		for range 10 {
			started := time.Now()
			n, err := d.Admit(ctx, jobs.QueueText, 0)
			if err != nil {
				return nil, err
			}
			took = append(took, time.Since(started))
			admitted += n
			if _, err := d.Pool().Exec(ctx, `UPDATE river_job SET state = 'completed', finalized_at = now() WHERE state = 'available'`); err != nil {
				return nil, err
			}
		}
		rows = append(rows, row{
			what: fmt.Sprintf("an admission, %d teams wait", teams), ours: milliseconds(percentile(took, 0.5)),
			peer: fmt.Sprintf("max %s, %d jobs a call", milliseconds(slices.Max(took)), admitted/len(took)), want: c.within(200 * time.Millisecond),
		})
	}
	return rows, nil
}
