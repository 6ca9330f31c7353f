package api

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/auth"
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
	"github.com/clausemill/clausemill/draft"
	"github.com/clausemill/clausemill/fault"
)

// filesImage serves pictures of pages.
func (a *API) filesImage() {
	keyed := a.area("Files", withKey)
	raw(keyed, http.MethodGet, "/api/files/{fileId}/pages/{n}/image", "getPageImage", "Get a picture of a page", a.getPageImage, etagged,
		produces("image/jpeg", "image/png"), describe(
			"Returns a page as it is displayed, in colour, with its form fields and annotations: a PNG where `Accept` asks for one, else a JPEG. "+
				"Without `version` it is a page of the version that the text belongs to, so that boxes fit; the header `X-Version` has its number. "+
				"A page that cannot be drawn is 422. 404 with the code `no_pages` for formats without pages (HTML, mail, text), and for Word documents that were not laid out as pages."))
}

// PageDrawer draws pages.
type PageDrawer interface {
	// Drawn is a picture of a page that was drawn before, nil where there is none.
	Drawn(page DrawnPage) []byte
	// Draw draws a page, and may keep its picture.
	Draw(ctx context.Context, page DrawnPage) ([]byte, error)
}

// DrawnPage says which picture of a page is wanted.
type DrawnPage struct {
	File   db.File // at the version that is drawn
	Print  string  // key of the print that the page is of; empty for the pages of the file itself
	PDF    []byte  // of the print, where it is drawn
	Number int
	Width  int // in pixels
	Format document.Format
}

// etag names the bytes that are drawn. It changes with how they are drawn too.
func (p DrawnPage) etag() string {
	const drawing = 1
	return fmt.Sprintf(`"%d-%x-%.16s-%d-%d-%s"`, drawing, p.File.SHA256[:min(len(p.File.SHA256), 16)], p.Print, p.Number, p.Width, p.Format)
}

type getPageImageRequest struct {
	PageRef
	Version int    `query:"version" minimum:"1" doc:"Number of a version. A version that does not exist is 404"`
	Width   int    `query:"width" minimum:"16" maximum:"4000" default:"1000" doc:"Width of the picture in pixels. That of a page that would be too high is less"`
	Accept  string `header:"Accept" doc:"image/png or image/jpeg"`
}

func (a *API) getPageImage(ctx context.Context, in *getPageImageRequest, w http.ResponseWriter, _ *http.Request) error {
	row, err := a.drawable(ctx, in.FileID, in.Version)
	if err != nil {
		return err
	}
	page := DrawnPage{File: row, Number: in.N, Width: in.Width, Format: accepted(in.Accept)}
	if !document.Kind(row.Kind).Drawn() {
		page.Print = printed{row}.key()
	}
	if err := conditional(callOf(ctx), page.etag()); err != nil {
		return err
	}
	picture := a.Pages.Drawn(page)
	if picture == nil {
		if picture, err = a.draw(ctx, page); err != nil {
			return err
		}
	}
	header := w.Header()
	header.Set("Content-Type", "image/"+string(page.Format))
	header.Set("Content-Length", strconv.Itoa(len(picture)))
	header.Set("Cache-Control", "private, no-cache") // asked again each time, since access can be taken away
	header.Set("Vary", "Accept")
	header.Set("X-Version", strconv.Itoa(row.CurrentVersion))
	_, err = w.Write(picture)
	return err
}

// drawable is a file at a version, by default that of its text, of which pages can be
// drawn.
func (a *API) drawable(ctx context.Context, fileID string, version int) (db.File, error) {
	row, err := a.DB.FileAt(ctx, auth.Scope(ctx), fileID, version)
	if err == nil && version == 0 && row.TextReady {
		row, err = a.DB.FileAt(ctx, auth.Scope(ctx), fileID, row.TextVersion)
	}
	switch {
	case err != nil:
		return db.File{}, err
	case row.Kind == "": // it was not looked at yet
		return db.File{}, coded(draft.ErrNotReady)
	case !document.Kind(row.Kind).Drawn() && (!document.Kind(row.Kind).Printed() || !row.Current()):
		return db.File{}, errNoPages
	case a.Pages == nil:
		return db.File{}, fault.New(fault.Unavailable, "this server cannot draw pages")
	}
	return row, nil
}

// draw draws a page once a slot is free, unless somebody else did so meanwhile.
func (a *API) draw(ctx context.Context, page DrawnPage) ([]byte, error) {
	release, err := a.quotas.drawings.take(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if picture := a.Pages.Drawn(page); picture != nil {
		return picture, nil
	}
	if page.Print != "" {
		if page.PDF, err = a.pdf(ctx, printed{page.File}); err != nil {
			return nil, err
		}
	}
	picture, err := a.Pages.Draw(ctx, page)
	if err != nil {
		return nil, coded(err)
	}
	return picture, nil
}

// accepted is the format that Accept prefers, JPEG where it leaves the choice.
func accepted(header string) document.Format {
	qualities := map[string]float64{"image/jpeg": -1, "image/png": -1}
	for part := range strings.SplitSeq(strings.ToLower(header), ",") {
		name, parameters, _ := strings.Cut(part, ";")
		name = strings.TrimSpace(name)
		if _, known := qualities[name]; known {
			qualities[name] = quality(parameters)
		}
	}
	if qualities["image/png"] > max(qualities["image/jpeg"], 0) {
		return document.AsPNG
	}
	return document.AsJPEG
}

// quality is the q among the parameters of a media range, by default 1.
func quality(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if q, err := strconv.ParseFloat(value, 64); strings.TrimSpace(name) == "q" && err == nil {
			return q
		}
	}
	return 1
}
