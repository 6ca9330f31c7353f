package documenttest

import (
	"context"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// PDFs lists the PDFs in a directory and below it, in the order of their paths.
func PDFs(dir string) (paths []string, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && strings.EqualFold(filepath.Ext(path), ".pdf") {
			paths = append(paths, path)
		}
		return err
	})
	return paths, err
}

// Peer is the text of each page that pdftotext reads, as far as it gets.
func Peer(ctx context.Context, path string) []string {
	out, _ := exec.CommandContext(ctx, "pdftotext", "-enc", "UTF-8", path, "-").Output()
	return strings.Split(strings.TrimSuffix(strings.ToValidUTF8(string(out), ""), "\f"), "\f")
}

// hyphenated is a word that is broken between two lines.
var hyphenated = regexp.MustCompile(`(\pL)-\s*\n\s*(\p{Ll})`)

// Plain is a text whose words can be compared with those of another reader: characters
// in their usual form, without those that show nothing and those that no font explains,
// words that lines break in one piece, and characters of scripts without spaces each as
// a word.
func Plain(text string) string {
	var b strings.Builder
	for _, r := range norm.NFKC.String(hyphenated.ReplaceAllString(text, "$1$2")) {
		switch {
		case unicode.In(r, unicode.Cf, unicode.Co), unicode.IsControl(r) && !unicode.IsSpace(r), r == unicode.ReplacementChar, r == tatweel:
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai):
			b.WriteRune(' ')
			b.WriteRune(r)
			b.WriteRune(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// tatweel draws Arabic words out.
const tatweel = '\u0640'

// Words counts the words of a text, as Agreement parts them.
func Words(text string) int { return len(strings.FieldsFunc(text, parts)) }

func parts(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) }
