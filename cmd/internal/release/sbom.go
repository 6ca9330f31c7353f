package main

import (
	"debug/buildinfo"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clausemill/clausemill"
	"github.com/clausemill/clausemill/cmd/internal/thirdparty"
)

// These are what is written of CycloneDX 1.6.
type (
	bom struct {
		Format       string       `json:"bomFormat"`
		Spec         string       `json:"specVersion"`
		Version      int          `json:"version"`
		Metadata     bomMetadata  `json:"metadata"`
		Components   []bomPart    `json:"components"`
		Dependencies []bomDepends `json:"dependencies"`
	}
	bomMetadata struct {
		Timestamp time.Time `json:"timestamp"`
		Component bomPart   `json:"component"`
	}
	bomPart struct {
		Ref        string        `json:"bom-ref"`
		Type       string        `json:"type"`
		Name       string        `json:"name"`
		Version    string        `json:"version,omitempty"`
		PURL       string        `json:"purl,omitempty"`
		Licences   []bomLicence  `json:"licenses"`
		References []bomAddress  `json:"externalReferences,omitempty"`
		Properties []bomProperty `json:"properties,omitempty"`
	}
	bomLicence struct {
		Licence    *bomLicenceID `json:"license,omitempty"`
		Expression string        `json:"expression,omitempty"`
	}
	bomLicenceID struct {
		ID   string `json:"id,omitempty"`
		Name string `json:"name,omitempty"`
	}
	bomAddress struct {
		Type string `json:"type"`
		URL  string `json:"url"`
	}
	bomProperty struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	bomDepends struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

// sbom is what is in programs that were built: the modules that the compiler wrote
// into them, and what those hold, with licences of all.
func sbom(programs []string, platform string, when time.Time, all []thirdparty.Component) ([]byte, error) {
	modules := map[string]string{} // that are in a program, with their hashes
	out := bom{Format: "CycloneDX", Spec: "1.6", Version: 1}
	for _, program := range programs {
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			return nil, err
		}
		for _, m := range info.Deps {
			modules[m.Path+"@"+m.Version] = m.Sum
		}
		out.Metadata.Component.Properties = append(out.Metadata.Component.Properties,
			bomProperty{"clausemill:program", filepath.Base(program)}, bomProperty{"clausemill:compiler", info.GoVersion})
	}
	main := &out.Metadata.Component
	main.Ref, main.Type, main.Name, main.Version = "clausemill", "application", "clausemill", clausemill.Version
	main.PURL = "pkg:golang/github.com/clausemill/clausemill@v" + clausemill.Version + "?goos=linux&goarch=" + platform
	main.Licences = []bomLicence{{Licence: &bomLicenceID{ID: "Apache-2.0"}}}
	out.Metadata.Timestamp = when.UTC()

	holds := map[string][]string{}
	for _, c := range all {
		part := bomPart{Type: "library", Name: c.Name, Version: c.Version, Licences: licenceList(c.Licences), References: []bomAddress{{"website", c.Source}}}
		holder := main.Ref
		switch {
		case c.Within == thirdparty.InConsole:
			part.Ref, part.PURL, part.References = c.Source, c.Source, nil // it is an identifier, and no address
		case c.Version != "":
			sum, ok := modules[c.Name+"@"+c.Version]
			if !ok {
				continue // of programs for development, or another platform
			}
			part.PURL = "pkg:golang/" + c.Name + "@" + c.Version
			part.Ref = part.PURL
			if sum != "" {
				part.Properties = []bomProperty{{"go.sum", sum}}
			}
		default:
			part.Ref = c.Within + "/" + c.Name
			if within, ok := strings.CutPrefix(c.Within, "Within "); ok {
				i := slices.IndexFunc(out.Components, func(p bomPart) bool { return p.Name == within })
				if i < 0 {
					continue
				}
				holder = out.Components[i].Ref
			}
		}
		out.Components = append(out.Components, part)
		holds[holder] = append(holds[holder], part.Ref)
	}
	out.Dependencies = append(out.Dependencies, bomDepends{main.Ref, holds[main.Ref]})
	for _, part := range out.Components {
		depends := holds[part.Ref]
		if depends == nil {
			depends = []string{}
		}
		out.Dependencies = append(out.Dependencies, bomDepends{part.Ref, depends})
	}
	text, err := json.MarshalIndent(out, "", "  ")
	return append(text, '\n'), err
}

// licenceList is licences as CycloneDX wants them: one expression, or a list of
// identifiers and names.
func licenceList(ids []string) []bomLicence {
	list := make([]bomLicence, len(ids))
	for i, id := range ids {
		switch {
		case strings.Contains(id, " WITH "):
			return []bomLicence{{Expression: strings.Join(ids, " AND ")}}
		case id == "AGG": // SPDX does not have it
			list[i].Licence = &bomLicenceID{Name: "Anti-Grain Geometry License 2.3"}
		default:
			list[i].Licence = &bomLicenceID{ID: id}
		}
	}
	return list
}
