package clausemill

import (
	"context"
	"errors"
)

// DownloadRedline returns the file with its changes as tracked changes: a DOCX, unless
// params ask for another format. It waits while the service makes it.
func (c *Client) DownloadRedline(ctx context.Context, fileID string, params GetRedlineParams) (*Stream, error) {
	if params.Format == "" {
		params.Format = RenditionFormatDOCX
	}
	return whenReady(ctx, func() (*Stream, error) { return c.GetRedlineContent(ctx, fileID, params) })
}

// Redline describes what DownloadRedline returns: which changes are in it and which
// could not be made, and the checks on its bytes. It waits while the service makes it.
func (c *Client) Redline(ctx context.Context, fileID string, params GetRedlineParams) (*Rendition, error) {
	return whenReady(ctx, func() (*Rendition, error) { return c.GetRedline(ctx, fileID, params) })
}

// whenReady asks until the answer has been made.
func whenReady[T any](ctx context.Context, ask func() (*T, error)) (*T, error) {
	for {
		answer, err := ask()
		if !errors.Is(err, ErrNotReady) {
			return answer, err
		}
		if err := sleep(ctx, max(retryAfter(err), firstPause)); err != nil {
			return nil, err
		}
	}
}
