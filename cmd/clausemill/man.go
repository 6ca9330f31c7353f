package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/clausemill/clausemill"
)

// man prints the manual page.
type man struct{}

// Help is shown below the flags.
func (man) Help() string { return `To read it: clausemill man | man -l -` }

// Run needs nothing but the program.
func (man) Run(parsed *kong.Context, c console) error {
	var page strings.Builder
	manual(&page, parsed.Model)
	_, err := io.WriteString(c.out, page.String())
	return err
}

// settings is the group of the flags that many commands have. The page lists them once.
const settings = "Settings:"

// manual writes the page in the macros of man(7).
func manual(w io.Writer, app *kong.Application) {
	fmt.Fprintf(w, ".TH CLAUSEMILL 1 \"\" \"clausemill %s\" \"User Commands\"\n", clausemill.Version)
	first, rest, _ := strings.Cut(app.Help, "\n")
	fmt.Fprintf(w, ".SH NAME\nclausemill \\- %s\n", roff(strings.TrimSuffix(first, ".")))
	fmt.Fprint(w, ".SH SYNOPSIS\n.B clausemill\n.I command\n.RI [ flags ]\n")
	fmt.Fprintf(w, ".SH DESCRIPTION\n%s\n", roff(strings.TrimSpace(rest)))
	fmt.Fprint(w, ".SH COMMANDS\n")
	var shared []*kong.Flag
	for _, command := range app.Leaves(true) {
		fmt.Fprintf(w, ".SS %s\n%s\n", roff(command.Path()+arguments(command)), roff(command.Help))
		if command.Detail != "" {
			fmt.Fprintf(w, ".PP\n%s\n", paragraphs(command.Detail))
		}
		for _, p := range command.Positional {
			fmt.Fprintf(w, ".TP\n.I %s\n%s\n", roff(p.Name), roff(p.Help))
		}
		for _, f := range command.Flags {
			switch {
			case f.Hidden:
			case f.Group == nil || f.Group.Title != settings:
				option(w, f)
			case !slices.ContainsFunc(shared, func(o *kong.Flag) bool { return o.Name == f.Name }):
				shared = append(shared, f)
			}
		}
	}
	fmt.Fprint(w, ".SH SETTINGS\nEach command takes those that it uses, as flags or as environment variables.\n")
	for _, f := range shared {
		option(w, f)
	}
	fmt.Fprintf(w, ".SH EXIT STATUS\n.TP\n.B 0\nSuccess.\n.TP\n.B %d\nFailure.\n.TP\n.B %d\nA wrong command line or setting.\n.TP\n.B %d\n"+
		"Of upload: it ended before all files were sent and followed.\n.TP\n.B %d\nInterrupted.\n", exitFailed, exitUsage, exitEndedEarly, exitInterrupted)
}

// option writes a flag with what it does.
func option(w io.Writer, f *kong.Flag) {
	name := f.String()
	if f.Tag.Negatable != "" {
		name = strings.Replace(name, "--", "--[no-]", 1)
	}
	fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(name), roff(f.Help))
	if len(f.Envs) > 0 {
		fmt.Fprintf(w, "Environment variable: %s.\n", roff(strings.Join(f.Envs, ", ")))
	}
}

func arguments(n *kong.Node) string {
	var text strings.Builder
	for _, p := range n.Positional {
		text.WriteString(" " + p.Summary())
	}
	return text.String()
}

// roff is text that nothing is read into.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, `-`, `\-`, "…", "...", "\n", " ").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

// paragraphs is text of several, each line one.
func paragraphs(text string) string {
	var all []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, roff(line))
		}
	}
	return strings.Join(all, "\n.PP\n")
}
