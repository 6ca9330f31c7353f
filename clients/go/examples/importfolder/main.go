// Importfolder uploads a folder with all below it. Run again after an interruption, it
// sends what is missing.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	clausemill "github.com/clausemill/clausemill/clients/go"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, folder, journals string) error {
	url, key := os.Getenv("CLAUSEMILL_URL"), os.Getenv("CLAUSEMILL_API_KEY")
	c, err := clausemill.New(clausemill.Config{URL: url, Key: key})
	if err != nil {
		return err
	}
	journal, err := clausemill.OpenJournal(journals, url, key)
	if err != nil {
		return err
	}
	defer journal.Close()
	paths, folders, err := clausemill.Collect([]string{folder})
	if err != nil {
		return err
	}
	batch := clausemill.Batch{Client: c, Journal: journal, Jobs: 4, Wait: true, Folders: folders}
	items, err := batch.Run(ctx, paths)
	for _, item := range items {
		fmt.Println(item.Path, item.File.Status, item.Err)
	}
	return err
}
