package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/clausemill/clausemill/db"
)

const (
	// answersFiles is how many files the team has that is asked.
	answersFiles = 10_000
	// wholeContracts is how many contracts are asked.
	wholeContracts = 20
)

// toOne are questions to one document, of each kind of answer.
var toOne = []string{
	"Which law governs this agreement?", "When does it end?", "Is liability capped?", "May I transfer my rights to somebody else?", "What happens on a change of control?", "Who are the parties?",
	"Is there a non-compete?", "What notice is required to terminate the renewal?", "Does it speak of bees on the roof?", "What does it say about invoices that are paid late?",
}

// toMany are questions to all files.
var toMany = []string{
	"which contracts are governed by New York law", "contracts by governing law", "contracts not governed by US law", "list contracts with a cap on liability and without insurance", "contracts signed between 2015 and 2018",
	"which contracts expire in the next 90 days", "contracts that mention force majeure but not pandemic", "top 10 parties", "average notice period by document type", "contracts with renewal type automatic",
	"license agreements governed by Texas law", "oldest contracts", "how many contracts have an audit right", "contracts with a liability cap over $1 million", "total contract value by governing law",
}

// quotedAnswers measures what a chat answers about one document, and what questions about
// all of them take.
func quotedAnswers(ctx context.Context, c *Config) ([]row, error) {
	filled := *c
	filled.Files = min(c.Files, answersFiles)
	if err := filled.fill(ctx); err != nil {
		return nil, err
	}
	chats, ids, err := c.chatsOfContracts(ctx)
	if err != nil {
		return nil, err
	}
	ask := func(r *rand.Rand) error {
		return c.post(ctx, "/api/chats/"+chats[r.IntN(len(chats))]+"/messages", map[string]any{"ask": true, "text": toOne[r.IntN(len(toOne))]}, nil)
	}
	read := func(r *rand.Rand) error { return c.readDocument(ctx, ids[r.IntN(len(ids))]) }
	var quoted, reads []time.Duration
	for range 5 { // in turns, so that whatever else the machine does meets both
		for do, took := range map[*func(*rand.Rand) error]*[]time.Duration{&ask: &quoted, &read: &reads} {
			more, err := times(1, 40, asked+uint64(len(quoted)), *do)
			if err != nil {
				return nil, err
			}
			*took = append(*took, more...)
		}
	}
	floor := percentile(reads, 0.5)
	rows := []row{
		{"a quoted answer, p50", milliseconds(percentile(quoted, 0.5)), "what it is made of, from the database " + milliseconds(floor), floor.Seconds() / percentile(quoted, 0.5).Seconds(), c.within(150 * time.Millisecond)},
		{what: "a quoted answer, p95", ours: milliseconds(percentile(quoted, 0.95)), peer: "likewise " + milliseconds(percentile(reads, 0.95)), want: c.within(400 * time.Millisecond)},
	}
	var all []time.Duration
	slowest, longest := "", time.Duration(0)
	for _, question := range toMany {
		took, err := times(1, 5, asked, func(*rand.Rand) error {
			return c.post(ctx, "/api/dashboard-widgets/generate-config", map[string]any{"prompt": question, "grammarOnly": true}, nil)
		})
		if err != nil {
			return rows, err
		}
		all = append(all, took...)
		if middle := percentile(took, 0.5); middle > longest {
			slowest, longest = question, middle
		}
	}
	return append(rows,
		row{what: "an answer over all files, p50", ours: milliseconds(percentile(all, 0.5))},
		row{what: "an answer over all files, p95", ours: milliseconds(percentile(all, 0.95)), peer: fmt.Sprintf("the slowest: %q, p50 %s", slowest, milliseconds(longest)), want: c.within(time.Second)}), nil
}

// chatsOfContracts uploads whole contracts and opens a chat about each.
func (c *Config) chatsOfContracts(ctx context.Context) (chats, files []string, err error) {
	names, err := filepath.Glob(filepath.Join(c.Data, "cuad", "txt", "*.txt"))
	if err != nil || len(names) == 0 {
		return nil, nil, fmt.Errorf("no texts in %s/cuad/txt: %w", c.Data, err)
	}
	for i := range wholeContracts {
		text, err := os.ReadFile(names[i*len(names)/wholeContracts])
		if err != nil {
			return nil, nil, err
		}
		id, err := c.upload(ctx, fmt.Sprintf("Whole %d.txt", i+1), text)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, id)
	}
	if err := c.follow(ctx, files, state.ended); err != nil {
		return nil, nil, err
	}
	for _, id := range files {
		var chat struct{ ID string }
		if err := c.post(ctx, "/api/chats", map[string]any{"name": "Questions"}, &chat); err != nil {
			return nil, nil, err
		}
		if err := c.post(ctx, "/api/chats/"+chat.ID+"/document-context", map[string]any{"fileId": id}, nil); err != nil {
			return nil, nil, err
		}
		chats = append(chats, chat.ID)
	}
	return chats, files, nil
}

// readDocument reads what answers about a document are made of.
func (c *Config) readDocument(ctx context.Context, id string) error {
	if _, err := c.DB.PageTexts(ctx, c.Scope, id); err != nil {
		return err
	}
	if _, err := c.DB.Sentences(ctx, c.Scope, id); err != nil {
		return err
	}
	if _, err := c.DB.SectionTitles(ctx, c.Scope, id); err != nil {
		return err
	}
	const most = 500
	_, err := c.DB.Attributes(ctx, c.Scope, id, db.AttributePlace{Level: db.FileLevel, After: -1, Limit: most})
	return err
}

// post sends a body as JSON.
func (c *Config) post(ctx context.Context, path string, body, out any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.call(ctx, http.MethodPost, path, "application/json", bytes.NewReader(text), out)
}
