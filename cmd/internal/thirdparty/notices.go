package thirdparty

import (
	"fmt"
	"slices"
	"strings"
)

const (
	preface = `THIRD-PARTY NOTICES

Clausemill is licensed under the Apache License, Version 2.0; see LICENSE and NOTICE.
Its programs hold, or were made with, what is listed here, each under a licence of its
own. The list is written by "make notices".

What is under the Mozilla Public License 2.0 is unmodified, and its source code is at
the address beside it.
`
	rule = "================================================================================\n"
	line = "--------------------------------------------------------------------------------\n"
)

// Notices is what has to be passed on with the programs: what they hold, the text of
// each licence once for all that have it, and their notices.
func Notices(all []Component) string {
	var out strings.Builder
	out.WriteString(preface)
	within := ""
	for i, c := range all {
		if i == 0 || c.Within != within {
			within = c.Within
			heading := within
			if heading == "" {
				heading = "Compiled in"
			}
			fmt.Fprintf(&out, "\n%s\n\n", heading)
		}
		fmt.Fprintf(&out, "  %s: %s\n      %s\n", strings.TrimSpace(c.Name+" "+c.Version), strings.Join(c.Licences, ", "), c.Source)
	}
	section(&out, "Licences", all, func(c Component) []string { return c.Texts })
	section(&out, "Notices", all, func(c Component) []string { return c.Notices })
	return out.String()
}

// section writes each text once, under the names of those that have it. Texts that
// differ by space alone are one.
func section(out *strings.Builder, title string, all []Component, of func(Component) []string) {
	names, texts, keys := map[string][]string{}, map[string]string{}, []string{}
	for _, c := range all {
		for _, text := range of(c) {
			key := strings.Join(strings.Fields(text), " ")
			if _, ok := texts[key]; !ok {
				texts[key] = text
				keys = append(keys, key)
			}
			if !slices.Contains(names[key], c.Name) {
				names[key] = append(names[key], c.Name)
			}
		}
	}
	fmt.Fprintf(out, "\n\n%s%s\n%s", rule, title, rule)
	for _, key := range keys {
		fmt.Fprintf(out, "\n%s%s\n%s\n%s\n", line, strings.Join(names[key], "\n"), line, texts[key])
	}
}
