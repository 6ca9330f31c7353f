package trace

import (
	"time"

	"go.opentelemetry.io/otel/attribute"
)

// Attr is an attribute of a span. Only this file makes them.
type Attr = attribute.KeyValue

// The keys of all attributes. Those without our prefix are of OpenTelemetry's
// semantic conventions.
const (
	methodKey  attribute.Key = "http.request.method"
	statusKey  attribute.Key = "http.response.status_code"
	errorKey   attribute.Key = "error.type"
	kindKey    attribute.Key = "clausemill.job.kind"
	queueKey   attribute.Key = "clausemill.job.queue"
	attemptKey attribute.Key = "clausemill.job.attempt"
	waitedKey  attribute.Key = "clausemill.job.wait_seconds"
	outcomeKey attribute.Key = "clausemill.job.outcome"
	jobsKey    attribute.Key = "clausemill.jobs"
	slotKey    attribute.Key = "clausemill.child.wait_seconds"
	pageKey    attribute.Key = "clausemill.page"
	pagesKey   attribute.Key = "clausemill.pages"
	engineKey  attribute.Key = "clausemill.search.engine"
	hitsKey    attribute.Key = "clausemill.search.hits"
	relaxedKey attribute.Key = "clausemill.search.relaxed"
	filesKey   attribute.Key = "clausemill.files"
	systemKey  attribute.Key = "db.system.name"
	rowsKey    attribute.Key = "clausemill.db.rows"
	promptKey  attribute.Key = "gen_ai.usage.input_tokens"
	writtenKey attribute.Key = "gen_ai.usage.output_tokens"
	resentKey  attribute.Key = "http.request.resend_count"
	firstKey   attribute.Key = "clausemill.model.first_token_seconds"
)

// Keys lists the keys of all attributes that a span may have.
func Keys() []string {
	keys := []attribute.Key{
		methodKey, statusKey, errorKey, kindKey, queueKey, attemptKey, waitedKey, outcomeKey, jobsKey, slotKey, pageKey, pagesKey,
		engineKey, hitsKey, relaxedKey, filesKey, systemKey, rowsKey, promptKey, writtenKey, resentKey, firstKey,
	}
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = string(key)
	}
	return names
}

// Method is that of a request. One that HTTP does not have is text of the caller, and
// _OTHER stands for it, as the semantic conventions say.
func Method(name string) Attr {
	switch name {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return methodKey.String(name)
	}
	return methodKey.String("_OTHER")
}

// Status is the status of an answer.
func Status(code int) Attr { return statusKey.Int(code) }

// Job names the job that a span is about, as the database has it.
func Job(kind, queue string, attempt int) []Attr {
	return []Attr{kindKey.String(kind), queueKey.String(queue), attemptKey.Int(attempt)}
}

// Jobs counts jobs.
func Jobs(n int) Attr { return jobsKey.Int(n) }

// Waited is how long a job could have been worked before it was.
func Waited(d time.Duration) Attr { return waitedKey.Float64(max(0, d).Seconds()) }

// Outcome is how a job ended, from a closed set.
func Outcome(name string) Attr { return outcomeKey.String(name) }

// Slot is how long a request to a child waited for one that is free.
func Slot(d time.Duration) Attr { return slotKey.Float64(d.Seconds()) }

// Page is the number of a page, or of the first of several.
func Page(number int) Attr { return pageKey.Int(number) }

// Pages counts pages.
func Pages(n int) Attr { return pagesKey.Int(n) }

// Files counts files.
func Files(n int) Attr { return filesKey.Int(n) }

// Engine is the name of a search engine.
func Engine(name string) Attr { return engineKey.String(name) }

// Found counts what a search matched, and says whether it was content with less
// than all words.
func Found(hits int, relaxed bool) []Attr {
	return []Attr{hitsKey.Int(hits), relaxedKey.Bool(relaxed)}
}

// Statement says that a span is of Postgres, and counts the rows that it returned or
// changed.
func Statement(rows int64) []Attr {
	return []Attr{systemKey.String("postgresql"), rowsKey.Int64(rows)}
}

// Tokens counts what a language model was sent and what it wrote, of all tries.
func Tokens(prompt, completion int) []Attr {
	return []Attr{promptKey.Int(prompt), writtenKey.Int(completion)}
}

// Resent is how often a request was sent again.
func Resent(times int) Attr { return resentKey.Int(times) }

// FirstToken is how long the first piece of an answer of a language model took.
func FirstToken(d time.Duration) Attr { return firstKey.Float64(d.Seconds()) }
