// Package layout defines the types of a page that was read: its text, its words
// and their bounding boxes.
//
// The readers (document for text layers, ocr for images) produce a Page, db
// stores it, and api serves it, so the type belongs to none of them. Everything
// that can be derived from words and boxes (hOCR, plain text, the compact stored
// form) is derived here. The package is pure and imports nothing.
package layout
