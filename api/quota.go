package api

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/fault"
)

// Share bounds concurrent work in this process: that of one user or key, of one team,
// and in total. Each should be larger than the one before.
type Share struct{ Caller, Team, Process int64 }

// UploadShare divides n uploads. More than eight at once do not help a caller.
func UploadShare(n int64) Share { return partsOf(n, 4, 8) }

// WaitingShare divides n waiting requests. A caller may have as many as an API key may
// send in one minute, the duration of a long poll.
func WaitingShare(n int64) Share { return partsOf(n, 4, 32) }

// partsOf is a share of n: n/teams for a team and n/callers for a caller.
func partsOf(n, teams, callers int64) Share {
	return Share{Caller: max(1, n/callers), Team: max(1, n/teams), Process: n}
}

// quotas are the limits of concurrent work in one process.
type quotas struct {
	uploads *quota
	memory  *quota // bytes of bodies that are kept in memory
	waiting *quota // long polls and event streams
	exports *quota

	texts     *scheduler // documents and texts that the API itself processes
	pdfs      *scheduler // searchable PDFs in the making
	drawings  *scheduler // pages that are drawn
	questions *scheduler // expensive queries
}

// PagesAtOnce is how many pages are drawn at once.
const PagesAtOnce = 2

// pdfMakers is how many searchable PDFs are made at once.
const pdfMakers = 2

func newQuotas(l Limits, refusals *prometheus.CounterVec) quotas {
	held := func(code, what string, share Share, after int) *quota {
		return newQuota(refusals, code, what, share, after)
	}
	largest := bodyMemory * (l.MaxJSONFile/3*4 + maxFields) // every share allows at least one file
	team := max(largest, l.BodyMemory/2)
	asked := Share{Caller: 64, Team: 256, Process: 4096}
	return quotas{
		uploads: held("too_many_uploads", "uploads", l.Uploads, 1),
		memory:  held("too_much_memory", "bytes of JSON", Share{Caller: team, Team: team, Process: max(2*team, l.BodyMemory)}, 1),
		waiting: held("too_many_waiting", "event streams and requests that wait", l.Waiting, 10),
		exports: held("too_many_exports", "exports", l.Exports, 5),

		texts:     newScheduler(runtime.GOMAXPROCS(0), held("too_many_texts", "texts", asked, 1)),
		pdfs:      newScheduler(pdfMakers, held("too_many_pdfs", "PDFs", asked, 1)),
		drawings:  newScheduler(PagesAtOnce, held("too_many_drawings", "pages to draw", asked, 1)),
		questions: newScheduler(l.Questions, held("too_many_questions", "questions", asked, 1)),
	}
}

// quota bounds the concurrent requests of a kind: for each caller, each team and the
// process. So one caller cannot use all of them. Requests that have ended do not
// count.
type quota struct {
	code     string // of its refusals
	what     string // is counted: "uploads"
	share    Share
	after    int // minimum seconds of Retry-After
	refusals *prometheus.CounterVec

	mu   sync.Mutex
	held map[string]int64 // by caller and by team
	all  int64
}

func newQuota(refusals *prometheus.CounterVec, code, what string, share Share, after int) *quota {
	for _, whose := range []string{"caller", "team", "process"} {
		refusals.WithLabelValues(code, whose) // so that the metric starts at zero
	}
	return &quota{code: code, what: what, share: share, after: after, refusals: refusals, held: map[string]int64{}}
}

// grant is the part of a quota that one request holds.
type grant struct {
	quota        *quota
	caller, team string
	n            int64
}

// of is an empty grant for a caller.
func (q *quota) of(p auth.Principal) *grant {
	g := &grant{quota: q, team: "team:" + p.TeamID, caller: "key:" + p.KeyID}
	if p.UserID != "" {
		g.caller = "user:" + p.UserID // in all teams, with all keys
	}
	return g
}

// take grants one to a caller until it is released.
func (q *quota) take(p auth.Principal) (release func(), err error) {
	g := q.of(p)
	return g.release, g.more(1)
}

// more adds n to the grant. It is 429 if the share of the caller or team is used up,
// and Unavailable if that of the process is.
func (g *grant) more(n int64) error {
	q := g.quota
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.held[g.caller]+n > q.share.Caller:
		return q.refuse("caller", "you have")
	case q.held[g.team]+n > q.share.Team:
		return q.refuse("team", "your team has")
	case q.all+n > q.share.Process:
		q.refusals.WithLabelValues(q.code, "process").Inc()
		return fault.Newf(fault.Unavailable, "this server has reached its limit of concurrent %s; try again", q.what)
	}
	q.held[g.caller] += n
	q.held[g.team] += n
	q.all += n
	g.n += n
	return nil
}

func (q *quota) refuse(whose, who string) error {
	q.refusals.WithLabelValues(q.code, whose).Inc()
	e := newError(http.StatusTooManyRequests, fmt.Sprintf("%s reached the limit of concurrent %s; wait until one has ended", who, q.what))
	e.Code = q.code
	e.retryAfter = q.after + rand.IntN(2*q.after) // random, so that clients refused together do not retry together
	return e
}

// release frees the whole grant.
func (g *grant) release() {
	q := g.quota
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, holder := range []string{g.caller, g.team} {
		if q.held[holder] -= g.n; q.held[holder] <= 0 {
			delete(q.held, holder)
		}
	}
	q.all -= g.n
	g.n = 0
}
