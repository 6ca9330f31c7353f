// Readtext uploads a file, waits until it is read, and prints its text.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	clausemill "github.com/clausemill/clausemill/clients/go"
)

func main() {
	if err := run(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, path string) error {
	c, err := clausemill.New(clausemill.Config{URL: os.Getenv("CLAUSEMILL_URL"), Key: os.Getenv("CLAUSEMILL_API_KEY")})
	if err != nil {
		return err
	}
	source, err := clausemill.ReadSource(path)
	if err != nil {
		return err
	}
	uploaded, err := c.UploadFile(ctx, clausemill.Upload{Sources: []clausemill.Source{source}})
	if err != nil {
		return err
	}
	id := uploaded[0].File.ID
	if _, err := c.WaitForFile(ctx, id); err != nil {
		return err
	}
	for document, err := range c.ListFileDocumentsAll(ctx, id, clausemill.ListFileDocumentsParams{}) {
		if err != nil {
			return err
		}
		for _, block := range document.Blocks {
			fmt.Println(block.Text)
		}
	}
	return nil
}
