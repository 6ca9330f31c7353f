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
// all of them again, twice: as they are, and as if all of them came out differently. A few that
// are not counted start the readers before, as a service does once.
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
	var took, same, other [2]time.Duration
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
		if same[sort], err = c.reprocess(ctx, id, n); err != nil {
			return nil, err
		}
		const forget = `UPDATE analyses a SET digest = NULL FROM files f WHERE f.id = a.file_id AND f.parent_id = $1`
		if _, err := c.DB.Pool().Exec(ctx, forget, id); err != nil {
			return nil, err
		}
		if other[sort], err = c.reprocess(ctx, id, n); err != nil {
			return nil, err
		}
	}
	seconds := func(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
	pace := func(d time.Duration) string { return fmt.Sprintf("%.0f/s", float64(n)/d.Seconds()) }
	return []row{
		{fmt.Sprintf("%d alike files in an archive, read", n), seconds(took[0]), "unlike ones " + seconds(took[1]), took[1].Seconds() / took[0].Seconds(), "≥ 0.77"},
		{"read again, as they are", pace(same[0]), "unlike ones " + pace(same[1]), same[1].Seconds() / same[0].Seconds(), "≥ 150/s"},
		{"read again, all written anew", pace(other[0]), "unlike ones " + pace(other[1]), other[1].Seconds() / other[0].Seconds(), "≥ 150/s"},
	}, nil
}

// reprocess has the n files that came out of an archive be read again, and returns how long
// that took.
func (c *Config) reprocess(ctx context.Context, archive string, n int) (time.Duration, error) {
	var ids []string
	if err := c.DB.Pool().QueryRow(ctx, `SELECT array_agg(id::text) FROM files WHERE parent_id = $1`, archive).Scan(&ids); err != nil {
		return 0, err
	}
	body, err := json.Marshal(map[string]any{"fileIds": ids})
	if err != nil {
		return 0, err
	}
	started := time.Now()
	if err := c.call(ctx, http.MethodPost, "/api/files/bulk/reprocess", "application/json", strings.NewReader(string(body)), nil); err != nil {
		return 0, err
	}
	err = c.allRead(ctx, archive, n)
	return time.Since(started), err
}

// word is one that hardly any other text has.
func word(random *rand.Rand) string {
	letters := make([]byte, 7)
	for i := range letters {
		letters[i] = byte('a' + random.IntN(26))
	}
	return string(letters)
}
