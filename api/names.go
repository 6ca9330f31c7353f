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

// cleanName makes a foreign name safe to show and store: without invisible characters,
// and not too long. A slash is part of the name, since A/S is a legal form, unless the
// name looks like a path. The result may be empty.
func cleanName(name string) string {
	name = document.Base(cleanTitle(name))
	if strings.Trim(name, `./\`) == "" {
		return ""
	}
	if n := utf8.RuneCountInString(name); n > maxName {
		// The end is kept, since it has the extension.
		runes := []rune(name)
		extension := []rune(path.Ext(name))
		if len(extension) > 16 {
			extension = nil
		}
		name = string(runes[:maxName-len(extension)]) + string(extension)
	}
	return name
}

// cleanTitle is a title without invisible characters, with composed letters. It may be
// empty.
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

// placed returns the name of an uploaded file and its folder. given is the folder, or
// the folder with the name. A name that is the whole path, as browsers send it for
// folders, becomes its last element.
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

// attachment is the Content-Disposition that saves an answer under name: in ASCII for
// old clients, and in the form of RFC 5987 for others. It never contains a path.
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

// mediaType is the type of a Content-Type header without its parameters, "" if it is
// malformed.
func mediaType(header string) string {
	media, _, err := mime.ParseMediaType(header)
	if err != nil {
		return ""
	}
	return media
}
