package api

import (
	"mime"
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/clausemill/clausemill/document"
)

// maxName is the longest file name in characters.
const maxName = 255

// cleanName makes a name from elsewhere fit to be shown and stored: nothing
// invisible, not too long. A slash is part of it, since A/S is a legal form, unless
// it begins as a path does. It may come out empty.
func cleanName(name string) string {
	name = document.Base(cleanTitle(name))
	if strings.Trim(name, `./\`) == "" {
		return ""
	}
	if n := utf8.RuneCountInString(name); n > maxName {
		// The end is kept: it says what sort of file it is.
		runes := []rune(name)
		extension := []rune(path.Ext(name))
		if len(extension) > 16 {
			extension = nil
		}
		name = string(runes[:maxName-len(extension)]) + string(extension)
	}
	return name
}

// cleanTitle is a title without anything invisible, its letters composed. It may
// come out empty.
func cleanTitle(title string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			return -1
		}
		return r
	}, norm.NFC.String(strings.ToValidUTF8(title, "\uFFFD"))))
}

// maxPath is the longest path in characters.
const maxPath = 4096

// placed is the name of an uploaded file and the folder that it lay in, where its
// path was given: the folder, or that with the name. Only where a name is the
// whole path, as browsers have it for folders, is it cut down to its last element.
func placed(name, given string) (string, string) {
	folder := document.CleanFolder(given)
	if strings.Contains(folder, "/") && folder == document.CleanFolder(name) {
		name = path.Base(folder)
	}
	if rest, ok := strings.CutSuffix("/"+folder, "/"+name); ok {
		folder = strings.TrimPrefix(rest, "/")
	}
	return name, folder
}

// attachment is the Content-Disposition that saves an answer under name: for
// old clients in ASCII, for others as RFC 5987 has it. No client can take it for a
// path.
func attachment(name string) string {
	name = strings.NewReplacer("/", "_", `\`, "_").Replace(name)
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '%' {
			return '_'
		}
		return r
	}, name)
	value := `attachment; filename="` + ascii + `"`
	if ascii != name {
		value += "; filename*=UTF-8''" + strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
	}
	return value
}

// withExtension is name with another extension.
func withExtension(name, extension string) string {
	return strings.TrimSuffix(name, path.Ext(name)) + extension
}

// mediaType is the type of a Content-Type header without its parameters, ""
// where it cannot be read.
func mediaType(header string) string {
	media, _, err := mime.ParseMediaType(header)
	if err != nil {
		return ""
	}
	return media
}
