package main

import (
	"encoding/json"
	"fmt"

	"github.com/clausemill/clausemill"
)

// licenses prints the licences of the program and of what it holds.
type licenses struct {
	JSON bool `name:"json" help:"Print the three texts as one JSON object."`
}

// Run needs nothing but the program.
func (l *licenses) Run(c console) error {
	if l.JSON {
		return json.NewEncoder(c.out).Encode(map[string]string{"license": clausemill.License, "notice": clausemill.Notice, "thirdParty": clausemill.ThirdParty})
	}
	_, err := fmt.Fprintf(c.out, "%s\n%s\n%s", clausemill.Notice, clausemill.License, clausemill.ThirdParty)
	return err
}
