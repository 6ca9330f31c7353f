// Receivewebhook prints the events that a webhook is sent. What is not signed with its
// secret, is too old or comes again is refused.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	clausemill "github.com/clausemill/clausemill/clients/go"
)

func main() {
	http.Handle("POST /in", clausemill.WebhookHandler(os.Getenv("WEBHOOK_SECRET"), handle))
	log.Fatal(http.ListenAndServe(os.Args[1], nil)) //nolint:gosec // behind a proxy that has timeouts
}

func handle(_ context.Context, event clausemill.WebhookEvent) error {
	switch event.Type {
	case "file.completed":
		var file clausemill.FileEndData
		if err := json.Unmarshal(event.Data, &file); err != nil {
			return err
		}
		fmt.Println(event.ID, event.Type, file.ID)
	default:
		fmt.Println(event.ID, event.Type)
	}
	return nil
}
