// Package layout is the vocabulary of a page that was read: its text, its words
// and where they stand.
//
// The readers (document for text layers, ocr for images) produce a Page, db
// stores it, and api serves it, so the type belongs to none of them. Everything
// that can be derived from words and boxes (hOCR, plain text, the compact form
// that is stored) is derived here. The room is pure and imports nothing.
package layout
