package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
)

// output is how a command prints what it found.
type output struct {
	JSON bool `name:"json" help:"Print JSON: one object a line."`
}

// table prints rows under their headings, or as JSON. Cells may be of foreign words.
func table[T any](c console, o output, headings string, rows []T, cells func(T) []string) error {
	if o.JSON {
		lines := json.NewEncoder(c.out)
		for _, row := range rows {
			if err := lines.Encode(row); err != nil {
				return err
			}
		}
		return nil
	}
	to := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(to, strings.ReplaceAll(headings, "|", "\t"))
	for _, row := range rows {
		texts := cells(row)
		for i, text := range texts {
			texts[i] = printable(text)
		}
		fmt.Fprintln(to, strings.Join(texts, "\t"))
	}
	return to.Flush()
}

// say prints one result: a sentence, or an object as JSON.
func say(c console, o output, object any, sentence string) error {
	if o.JSON {
		return json.NewEncoder(c.out).Encode(object)
	}
	_, err := fmt.Fprintln(c.out, sentence)
	return err
}
