// Clausemill-ocr is the child process that recognises page images: it answers
// the requests of an ocr.Reader on standard input until that is closed.
package main

import (
	"context"
	"log"

	"github.com/clausemill/clausemill/child"
	"github.com/clausemill/clausemill/ocr/tesseract"
)

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	engine := tesseract.New()
	defer engine.Close()
	return child.ServeStdio(context.Background(), engine.Handle)
}
