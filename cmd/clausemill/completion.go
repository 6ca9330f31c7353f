package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// completion prints what has a shell complete commands and flags.
type completion struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"One of ${enum}."`
}

// Help is shown below the flags.
func (completion) Help() string {
	return `For bash: clausemill completion bash > ~/.local/share/bash-completion/completions/clausemill
For zsh: clausemill completion zsh > a directory of $fpath, as _clausemill
For fish: clausemill completion fish > ~/.config/fish/completions/clausemill.fish`
}

// Run needs nothing but the program.
func (s *completion) Run(parsed *kong.Context, c console) error {
	write := map[string]func(io.Writer, []place){"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[s.Shell]
	var text strings.Builder
	write(&text, places(parsed.Model.Node))
	_, err := io.WriteString(c.out, text.String())
	return err
}

// place is how far a command line has come, and what may follow.
type place struct {
	command string // the words of the command, without that of the program
	next    []choice
}

// choice is a word that may follow.
type choice struct {
	word, help string
	values     []string // of a flag that takes one of these
	takes      bool     // a flag that takes a value
}

// places lists what may follow each command. Commands and flags that help does not
// show are left out.
func places(n *kong.Node) []place {
	here := place{command: n.Path()}
	var below []place
	for _, child := range n.Children {
		if child.Hidden {
			continue
		}
		here.next = append(here.next, choice{word: child.Name, help: child.Help})
		below = append(below, places(child)...)
	}
	for _, p := range n.Positional {
		if p.Enum != "" {
			for _, word := range p.EnumSlice() {
				here.next = append(here.next, choice{word: word})
			}
		}
	}
	for _, group := range n.AllFlags(true) {
		for _, f := range group {
			flag := choice{word: "--" + f.Name, help: f.Help, takes: !f.IsBool() && !f.IsCounter()}
			if f.Enum != "" {
				flag.values = f.EnumSlice()
			}
			here.next = append(here.next, flag)
			if f.Tag.Negatable != "" {
				here.next = append(here.next, choice{word: "--no-" + f.Name, help: f.Help})
			}
		}
	}
	return append([]place{here}, below...)
}

// flags are the choices of p that take a value.
func (p place) flags() []choice {
	var all []choice
	for _, c := range p.next {
		if c.takes {
			all = append(all, c)
		}
	}
	return all
}

// quoted is text as one word of a shell: all three read it the same, but for the
// backslash in fish.
func quoted(text string) string { return `'` + strings.ReplaceAll(text, `'`, `'\''`) + `'` }

// commandPatterns are the commands as alternatives of a case.
func commandPatterns(all []place) string {
	var words []string
	for _, p := range all[1:] {
		words = append(words, quoted(p.command))
	}
	return strings.Join(words, "|")
}

func wordsOf(all []choice) string {
	words := make([]string, len(all))
	for i, c := range all {
		words[i] = c.word
	}
	return strings.Join(words, " ")
}

func bashCompletion(w io.Writer, all []place) {
	fmt.Fprintf(w, `# bash completion for clausemill, made by 'clausemill completion bash'
_clausemill() {
    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" at="" candidate i
    COMPREPLY=()
    if [[ "$cur" == "=" ]]; then
        cur=""
    elif [[ "$prev" == "=" ]]; then
        prev="${COMP_WORDS[COMP_CWORD-2]}"
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        candidate="${at:+$at }${COMP_WORDS[i]}"
        case "$candidate" in
        %s) at="$candidate" ;;
        esac
    done
    case "$at $prev" in
`, commandPatterns(all))
	for _, p := range all {
		for _, f := range p.flags() { // of one without a list of values bash completes names of files
			fmt.Fprintf(w, "    %s) COMPREPLY=($(compgen -W %s -- \"$cur\")); return ;;\n", quoted(p.command+" "+f.word), quoted(strings.Join(f.values, " ")))
		}
	}
	fmt.Fprint(w, "    esac\n    case \"$at\" in\n")
	for _, p := range all {
		fmt.Fprintf(w, "    %s) COMPREPLY=($(compgen -W %s -- \"$cur\")) ;;\n", quoted(p.command), quoted(wordsOf(p.next)))
	}
	fmt.Fprint(w, "    esac\n}\ncomplete -o default -F _clausemill clausemill\n")
}

func zshCompletion(w io.Writer, all []place) {
	fmt.Fprintf(w, `#compdef clausemill
compdef _clausemill clausemill
# zsh completion for clausemill, made by 'clausemill completion zsh'
_clausemill() {
    local at="" candidate i
    local -a commands flags
    for ((i = 2; i < CURRENT; i++)); do
        candidate="${at:+$at }${words[i]}"
        case "$candidate" in
        %s) at="$candidate" ;;
        esac
    done
    local flag="${words[CURRENT-1]}"
    if [[ "${words[CURRENT]}" == --*=* ]]; then
        flag="${words[CURRENT]%%%%=*}"
        compset -P 1 '*='
    fi
    case "$at $flag" in
`, commandPatterns(all))
	for _, p := range all {
		for _, f := range p.flags() {
			offer := "_files"
			if len(f.values) > 0 {
				offer = "compadd -- " + strings.Join(f.values, " ")
			}
			fmt.Fprintf(w, "    %s) %s; return ;;\n", quoted(p.command+" "+f.word), offer)
		}
	}
	fmt.Fprint(w, "    esac\n    case \"$at\" in\n")
	for _, p := range all {
		var commands, flags strings.Builder
		for _, c := range p.next {
			to := &commands
			if strings.HasPrefix(c.word, "-") {
				to = &flags
			}
			fmt.Fprintf(to, " %s", quoted(strings.ReplaceAll(c.word, ":", `\:`)+":"+c.help))
		}
		fmt.Fprintf(w, "    %s)\n        commands=(%s)\n        flags=(%s) ;;\n", quoted(p.command), commands.String(), flags.String())
	}
	fmt.Fprint(w, `    esac
    if [[ "${words[CURRENT]}" == -* ]]; then
        _describe -o flag flags
    elif (( ${#commands} )); then
        _describe command commands
    else
        _files
    fi
}
if [[ "$funcstack[1]" == "_clausemill" ]]; then
    _clausemill "$@"
fi
`)
}

func fishCompletion(w io.Writer, all []place) {
	quoted := func(text string) string { return quoted(strings.ReplaceAll(text, `\`, `\\`)) }
	var commands []string
	for _, p := range all[1:] {
		commands = append(commands, quoted(p.command))
	}
	fmt.Fprintf(w, `# fish completion for clausemill, made by 'clausemill completion fish'
function __clausemill_at
    set -l at
    set -l words (commandline -opc)
    for word in $words[2..-1]
        set -l candidate (string join ' ' -- $at $word)
        if contains -- "$candidate" %s
            set at $candidate
        end
    end
    test "$at" = "$argv[1]"
end
`, strings.Join(commands, " "))
	for _, p := range all {
		for _, c := range p.next {
			fmt.Fprintf(w, "complete -c clausemill -n %s", quoted("__clausemill_at "+quoted(p.command)))
			name, isFlag := strings.CutPrefix(c.word, "--")
			switch {
			case !isFlag:
				fmt.Fprintf(w, " -f -a %s", quoted(c.word))
			case len(c.values) > 0:
				fmt.Fprintf(w, " -l %s -x -a %s", name, quoted(strings.Join(c.values, " ")))
			case c.takes:
				fmt.Fprintf(w, " -l %s -r", name)
			default:
				fmt.Fprintf(w, " -l %s", name)
			}
			fmt.Fprintf(w, " -d %s\n", quoted(c.help))
		}
	}
}
