package main

import (
	"encoding/json"

	"github.com/clausemill/clausemill/api"
)

// openAPI prints the description of the API.
type openAPI struct{}

// Run needs no database: the description is part of the program.
func (openAPI) Run(c console) error {
	out := json.NewEncoder(c.out)
	out.SetIndent("", "  ")
	return out.Encode(api.OpenAPI())
}
