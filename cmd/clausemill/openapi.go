package main

import (
	"bytes"
	"encoding/json"

	"github.com/clausemill/clausemill/api"
)

// openAPI prints the description of the API.
type openAPI struct {
	Old bool `name:"3.0" help:"As OpenAPI 3.0.3, for tools that do not read 3.1."`
}

// Run needs no database: the description is part of the program.
func (o openAPI) Run(c console) error {
	var out bytes.Buffer
	if err := json.Indent(&out, api.Description(o.Old), "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err := c.out.Write(out.Bytes())
	return err
}
