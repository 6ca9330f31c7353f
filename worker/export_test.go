package worker

import (
	"github.com/clausemill/clausemill/db"
	"github.com/clausemill/clausemill/document"
)

// Mute stops the signs of life of a worker that goes on working, as if its
// machine had been paused.
func (w *Worker) Mute() {
	w.stop()
	<-w.stopped
}

// DueTraining is when a team's decisions make a new model.
var DueTraining = dueTraining

// ReadPage is a page of a file, as it is stored with what its format declares.
func ReadPage(p document.Page) (db.PageStructure, error) {
	page, err := newPage(p, "")
	return db.PageStructure{Text: page.Text, Paragraphs: page.Paragraphs, Emphasis: page.Emphasis}, err
}

// SegmentPages makes a text of stored pages.
var SegmentPages = segment

// PlaceEmphasis gives blocks that of the pages of their text.
var PlaceEmphasis = placeEmphasis

// Warnings lists the warnings of a text of pages.
func Warnings(pages []db.Page) []db.Warning { return warnings(pages, db.Text{}) }

// NewText makes the rows of a text.
var NewText = newText
