package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// alikeAtMost is how many files of a sort are brought in.
const alikeAtMost = 10_000

// alike brings in files of one form, beside as many that have nothing in common, and reads
// all of them again. A few that are not counted start the readers before, as a service does
// once.
func alike(ctx context.Context, c *Config) ([]row, error) {
	n := min(c.Files, alikeAtMost)
	form := "The Tenant of %s shall pay the rent of the premises monthly in advance, without deduction or set-off, to the account that the Landlord has named."
	sorts := [2][]string{make([]string, n), make([]string, n)}
	first := make([]string, 50)
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1)) //nolint:gosec // texts that no other has
	unlike := func(texts []string) {
		words := make([]string, len(strings.Fields(form)))
		for i := range texts {
			for at := range words {
				words[at] = word(random)
			}
			texts[i] = "The " + strings.Join(words, " ") + "."
		}
	}
	for i := range sorts[0] {
		sorts[0][i] = fmt.Sprintf(form, word(random))
	}
	unlike(sorts[1])
	unlike(first)
	content, err := pack(first)
	if err != nil {
		return nil, err
	}
	if _, _, _, err := c.bringIn(ctx, content, len(first)); err != nil {
		return nil, err
	}
	var took, again [2]time.Duration
	for sort, texts := range sorts {
		content, err := pack(texts)
		if err != nil {
			return nil, err
		}
		id, _, read, err := c.bringIn(ctx, content, n)
		if err != nil {
			return nil, err
		}
		took[sort] = read
		started := time.Now()
		if err := c.reprocess(ctx, id, n); err != nil {
			return nil, err
		}
		again[sort] = time.Since(started)
	}
	seconds := func(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
	pace := func(d time.Duration) string { return fmt.Sprintf("%.0f/s", float64(n)/d.Seconds()) }
	return []row{
		{fmt.Sprintf("%d alike files in an archive, read", n), seconds(took[0]), "unlike ones " + seconds(took[1]), took[1].Seconds() / took[0].Seconds(), "≥ 0.77"},
		{"read again", pace(again[0]), "unlike ones " + pace(again[1]), again[1].Seconds() / again[0].Seconds(), "≥ 150/s"},
	}, nil
}

// reprocess has the n files that came out of an archive be read again.
func (c *Config) reprocess(ctx context.Context, archive string, n int) error {
	var ids []string
	if err := c.DB.Pool().QueryRow(ctx, `SELECT array_agg(id::text) FROM files WHERE parent_id = $1`, archive).Scan(&ids); err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"fileIds": ids})
	if err != nil {
		return err
	}
	if err := c.call(ctx, http.MethodPost, "/api/files/bulk/reprocess", "application/json", strings.NewReader(string(body)), nil); err != nil {
		return err
	}
	return c.allRead(ctx, archive, n)
}

// word is one that hardly any other text has.
func word(random *rand.Rand) string {
	letters := make([]byte, 7)
	for i := range letters {
		letters[i] = byte('a' + random.IntN(26))
	}
	return string(letters)
}
