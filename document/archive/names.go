package archive

import (
	"path"
	"strings"
)

// longestName is the longest name in bytes that common file systems take.
const longestName = 255

// maxPath is how long in bytes the folders of a path may be together.
const maxPath = 4096

// cleanPath turns the name of an archive's entry into a relative slash-separated
// path without "..", drive letters, control characters and overlong elements.
func cleanPath(name string) string {
	folder, last := CleanFolder(name), ""
	if at := strings.LastIndexByte(folder, '/'); at >= 0 {
		folder, last = folder[:at], folder[at:]
	}
	for len(folder) > maxPath { // as much of it as can be kept, whole elements
		folder = folder[:max(0, strings.LastIndexByte(folder, '/'))]
	}
	if folder+last == "" {
		return "unnamed"
	}
	return strings.TrimPrefix(folder+last, "/")
}

// CleanName turns the file name in a mail into a safe one.
func CleanName(name string) string {
	if name = shorten(Base(strings.TrimSpace(printable(name)))); strings.Trim(name, `./\`) == "" {
		return "unnamed"
	}
	return name
}

// Base returns the last element of a name that looks like a path. In other names a
// slash is part of the name.
func Base(name string) string {
	if !isPath(name) {
		return name
	}
	name = CleanFolder(name)
	return name[strings.LastIndexByte(name, '/')+1:]
}

// isPath reports whether a name is a path that a careless or malicious program sent
// as a name: /tmp/a.pdf, ../a.pdf, C:\a.pdf.
func isPath(name string) bool {
	name = slashes.Replace(strings.TrimSpace(name))
	return strings.HasPrefix(name, "/") || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") || len(name) > 2 && name[1:3] == ":/"
}

// CleanFolder turns any path into a relative slash-separated one without "..", drive
// letters, control characters and overlong elements. The result may be empty.
func CleanFolder(name string) string {
	var kept []string
	for element := range strings.SplitSeq(slashes.Replace(printable(name)), "/") {
		element = strings.TrimSpace(element)
		if element == "" || element == "." || element == ".." || len(element) == 2 && element[1] == ':' {
			continue
		}
		kept = append(kept, shorten(element))
	}
	return strings.Join(kept, "/")
}

// printable is name without control characters.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x20 || r >= 0x7f && r < 0xa0 || isDirectional(r):
			return -1
		default:
			return r
		}
	}, strings.ToValidUTF8(name, "\ufffd"))
}

// isDirectional reports whether r changes the direction of text. Such characters
// disguise "fdp.exe" as "exe.pdf".
func isDirectional(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || r == '\u200e' || r == '\u200f'
}

// shorten cuts a name to longestName and keeps its extension.
func shorten(name string) string {
	if len(name) <= longestName {
		return name
	}
	extension := path.Ext(name)
	if len(extension) > 16 {
		extension = ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(name[:longestName-len(extension)], "")) + extension
}
