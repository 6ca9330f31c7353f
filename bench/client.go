package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"time"
)

// client keeps enough idle connections for every caller of a load.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512, DisableCompression: true}} // connections are shared

// call asks the service as the signed-in user, whom no rate limit slows down, or by the key
// where nobody is signed in, and decodes the answer into out unless that is nil.
func (c *Config) call(ctx context.Context, method, path, contentType string, body io.Reader, out any) error {
	request, err := http.NewRequestWithContext(ctx, method, c.URL+path, body)
	if err != nil {
		return err
	}
	if c.Session != nil {
		request.AddCookie(c.Session)
	} else {
		request.Header.Set("Authorization", "Bearer "+c.Key)
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, answer.Status, text)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(text, out)
}

// upload sends one file and returns its id.
func (c *Config) upload(ctx context.Context, name string, content []byte) (string, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		return "", err
	}
	if _, err := part.Write(content); err != nil {
		return "", err
	}
	if err := form.Close(); err != nil {
		return "", err
	}
	var file struct{ ID string }
	err = c.call(ctx, http.MethodPost, "/api/files", form.FormDataContentType(), &body, &file)
	return file.ID, err
}

// state is what the list of files says of one.
type state struct {
	ID         string
	Status     string
	Searchable bool
}

func (s state) ended() bool { return s.Status != "queued" && s.Status != "processing" }

// follow asks for all ids at once until done holds for every one of them. The longer it
// has waited, the less often it asks, so that what it measures is 1 % too long at most.
// Asking 40 times a second would take a tenth of two processors from those who read them.
func (c *Config) follow(ctx context.Context, ids []string, done func(state) bool) error {
	started := time.Now()
	for left := ids; ; {
		var still []string
		for asked := range slices.Chunk(left, 100) {
			var page struct{ Items []state }
			if err := c.call(ctx, http.MethodGet, "/api/files?limit=500&ids="+strings.Join(asked, ","), "", nil, &page); err != nil {
				return err
			}
			if len(page.Items) != len(asked) {
				return fmt.Errorf("asked for %d files, got %d", len(asked), len(page.Items))
			}
			for _, s := range page.Items {
				if s.Status == "failed" {
					return fmt.Errorf("file %s failed", s.ID)
				}
				if !done(s) {
					still = append(still, s.ID)
				}
			}
		}
		if left = still; len(left) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(max(time.Duration(20+2*len(left))*time.Millisecond, time.Since(started)/100)):
		}
	}
}
