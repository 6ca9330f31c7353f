package api

import (
	"mime"
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxName is the longest file name in characters.
const maxName = 255

// cleanName makes a name from elsewhere fit to be shown, stored and sent in a
// header: no directories, nothing invisible, not too long. It may come out
// empty.
func cleanName(name string) string {
	name = cleanTitle(path.Base(strings.ReplaceAll(name, `\`, "/")))
	if name == "." || name == ".." || name == "/" {
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

// attachment is the Content-Disposition that saves an answer under name: for
// old clients in ASCII, for others as RFC 5987 has it.
func attachment(name string) string {
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' || r == '%' {
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
