package sniff

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"
	"github.com/richardlehane/mscfb"
	"golang.org/x/text/encoding/unicode"

	"github.com/clausemill/clausemill/document/archive"
	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/fault"
)

// HeadSize is how many bytes of the start of a file are enough to detect its format
// and its encoding.
const HeadSize = 16 << 10

// Head detects the format of a file from its first HeadSize bytes, or from all if it
// has fewer. The name counts only where they are ambiguous. ZIP represents every
// format that is a ZIP archive, and DOC every compound file: File distinguishes them.
// A file in a format without a reader is refused as fault.UnsupportedType, with the
// name of its format.
//
// It compares and decodes a few characters, which is safe outside of a child.
func Head(head []byte, name string) (format.Kind, error) {
	if headless.Match(head) {
		return format.PDF, nil
	}
	if isText(head) && !isMarked(head) {
		return sniffText(head, strings.ToLower(path.Ext(name)))
	}
	found := mimetype.Detect(head)
	for m := found; m != nil; m = m.Parent() {
		switch m.String() {
		case "image/png":
			return format.PNG, nil
		case "image/jpeg":
			return format.JPEG, nil
		case "image/tiff":
			return format.TIFF, nil
		case "image/webp":
			return format.WebP, nil
		case "application/pdf":
			return format.PDF, nil
		case "application/zip":
			return format.ZIP, nil
		case "application/vnd.ms-outlook":
			return "", errOutlook
		case "application/x-ole-storage":
			if strings.EqualFold(path.Ext(name), ".msg") { // what it is may stand at its end
				return "", errOutlook
			}
			return format.DOC, nil
		}
	}
	if pdfHeader.Match(head[:min(len(head), pdfJunk)]) {
		return format.PDF, nil
	}
	return "", unsupported(found)
}

// File is Head of a whole file.
func File(ctx context.Context, r io.ReaderAt, size int64, name string, limits format.Limits) (format.Kind, error) {
	if size == 0 {
		return "", fault.File(fault.EmptyFile, "the file has no bytes", nil)
	}
	head := make([]byte, min(size, HeadSize))
	if n, err := r.ReadAt(head, 0); n < len(head) {
		return "", fmt.Errorf("read the start of the file: %w", err)
	}
	kind, err := Head(head, name)
	switch {
	case err != nil:
		return "", err
	case kind == format.ZIP:
		return sniffZIP(ctx, r, size, limits)
	case kind == format.DOC:
		return sniffOLE(r)
	default:
		return kind, nil
	}
}

// marks are the first bytes of binary formats whose contents may look like text: white
// pixels, or entries that are not compressed.
var marks = []string{"%PDF-", "II*\x00", "MM\x00*", "PK\x03\x04", "\x89PNG\r\n", "\xff\xd8\xff"}

func isMarked(head []byte) bool {
	return slices.ContainsFunc(marks, func(mark string) bool { return bytes.HasPrefix(head, []byte(mark)) })
}

// pdfJunk is how far into a file readers look for the header of a PDF.
const pdfJunk = 1024

// A header counts where a line begins, or after bytes that no text has:
// printers and mail programs put their own before it.
var pdfHeader = regexp.MustCompile(`(?:^|[^ -~])%PDF-\d`)

// headless begins a PDF whose header is lost: a comment of bytes that no text has, and the
// first object.
var headless = regexp.MustCompile(`^%[^\x00-\x7f]{1,4}[\r\n]+\d{1,7} \d{1,5} obj\b`)

// sniffText distinguishes the formats that are text.
func sniffText(head []byte, extension string) (format.Kind, error) {
	if order, ok := utf16Order(head); ok {
		if decoded, err := unicode.UTF16(order, unicode.UseBOM).NewDecoder().Bytes(head[:len(head)&^1]); err == nil {
			head = decoded
		}
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n\f")
	lower := bytes.ToLower(text)
	switch {
	case bytes.HasPrefix(lower, []byte(`{\rtf`)):
		return format.RTF, nil
	case bytes.HasPrefix(text, []byte("%!PS")):
		return "", fault.File(fault.UnsupportedType, "the file is PostScript, which is not supported; print it to PDF", nil)
	case isMail(text, extension):
		return format.EML, nil
	case pdfHeader.Match(head[:min(len(head), pdfJunk)]) && bytes.Contains(lower, []byte(" obj")):
		return format.PDF, nil
	case isHTML(lower, extension):
		return format.HTML, nil
	case bytes.HasPrefix(lower, []byte("<?xml")), bytes.HasPrefix(lower, []byte("<svg")):
		return "", unsupported(mimetype.Detect(text))
	}
	return format.Text, nil
}

// htmlStart finds an element that pages start with; some are wrapped in the
// headers of a filing.
var htmlStart = regexp.MustCompile(`<!doctype html|<html[\s>]|<head[\s>]|<body[\s>]`)

// htmlElement is how a fragment of a page starts.
var htmlElement = regexp.MustCompile(`^<(!--|p|div|span|table|h[1-6]|br|font|center|b|i|a|ul|ol|title|meta|style|script)[\s/>-]`)

func isHTML(lower []byte, extension string) bool {
	switch extension {
	case ".txt", ".md", ".markdown", ".csv", ".json":
		return htmlStart.Match(lower[:min(len(lower), 256)])
	case ".htm", ".html", ".xhtml":
		return bytes.IndexByte(lower, '<') >= 0
	default:
		return htmlStart.Match(lower) || htmlElement.Match(lower)
	}
}

// headerField is the start of a line of a mail's header.
var headerField = regexp.MustCompile(`^([!-9;-~]+):(?:[ \t]|$)`)

// isMail reports whether a text starts with the header of a mail: nothing but
// fields, some of them those of mails. A memorandum has From and To as well, so
// under a name of plain text it takes a field that only mail programs write.
func isMail(text []byte, extension string) bool {
	if bytes.HasPrefix(text, []byte("From ")) { // a mailbox's separator
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	people, machines := 0, 0
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			continue
		}
		field := headerField.FindSubmatch(line)
		if field == nil {
			return false
		}
		switch strings.ToLower(string(field[1])) {
		case "from", "to", "cc", "date", "subject", "sender", "reply-to":
			people++
		case "received", "message-id", "mime-version", "return-path", "delivered-to", "content-type",
			"content-transfer-encoding", "dkim-signature", "x-mailer", "references", "in-reply-to":
			machines++
		}
	}
	if extension == ".eml" {
		return people+machines >= 1
	}
	return people+machines >= 2 && machines >= 1
}

// sniffZIP distinguishes the formats that are ZIP archives of parts.
func sniffZIP(ctx context.Context, r io.ReaderAt, size int64, limits format.Limits) (format.Kind, error) {
	a, err := archive.Open(ctx, r, size, limits)
	if err != nil {
		return "", err
	}
	if a.Part("[Content_Types].xml") != nil {
		types, err := a.ReadHead("[Content_Types].xml", 1<<20)
		if err != nil {
			return "", err
		}
		switch {
		case a.Part("word/document.xml") != nil, bytes.Contains(types, []byte("wordprocessingml")):
			return format.DOCX, nil
		case bytes.Contains(types, []byte("spreadsheetml")):
			return "", refuse("an Excel workbook", "save it as PDF")
		case bytes.Contains(types, []byte("presentationml")):
			return "", refuse("a PowerPoint presentation", "save it as PDF")
		default:
			return "", refuse("an office document of an unknown kind", "save it as PDF")
		}
	}
	if a.Part("word/document.xml") != nil {
		return format.DOCX, nil
	}
	if kind, err := a.ReadHead("mimetype", 256); err == nil && len(kind) > 0 {
		switch name := strings.TrimSpace(string(kind)); {
		case strings.HasPrefix(name, "application/vnd.oasis.opendocument.text"):
			return format.ODT, nil
		case strings.HasPrefix(name, "application/vnd.oasis.opendocument."):
			return "", refuse("an OpenDocument file other than a text", "save it as PDF")
		case name == "application/epub+zip":
			return "", refuse("an e-book", "save it as PDF")
		}
	}
	if a.Part("Index/Document.iwa") != nil {
		return "", refuse("an iWork document", "save it as PDF or DOCX")
	}
	return format.ZIP, nil
}

// sniffOLE distinguishes the formats in a compound file by its streams.
func sniffOLE(r io.ReaderAt) (format.Kind, error) {
	compound, err := mscfb.New(r)
	if err != nil {
		return "", fault.File(fault.CorruptFile, "the file's directory cannot be read; it may be cut short", err)
	}
	streams := map[string]*mscfb.File{}
	for _, f := range compound.File {
		if len(f.Path) == 0 { // others are those of documents that are embedded
			streams[f.Name] = f
		}
	}
	switch {
	case streams["EncryptedPackage"] != nil:
		return "", fault.File(fault.PasswordProtected, "the document is protected by a password; unlock it with the password, or upload it without one", nil)
	case streams["WordDocument"] != nil:
		return sniffDOC(streams["WordDocument"])
	case streams["Workbook"] != nil, streams["Book"] != nil:
		return "", refuse("an Excel workbook", "save it as PDF")
	case streams["PowerPoint Document"] != nil:
		return "", refuse("a PowerPoint presentation", "save it as PDF")
	case streams["__properties_version1.0"] != nil:
		return "", errOutlook
	default:
		return "", refuse("a compound file of an unknown kind", "save it as PDF")
	}
}

// sniffDOC looks at the bit of a Word document's header that says that the rest
// is encrypted ([MS-DOC] 2.5.2, fEncrypted).
func sniffDOC(stream io.Reader) (format.Kind, error) {
	var fib [12]byte
	if _, err := io.ReadFull(stream, fib[:]); err != nil {
		return "", fault.File(fault.CorruptFile, "the document's header cannot be read; it may be cut short", err)
	}
	if fib[11]&0x01 != 0 {
		return "", fault.File(fault.PasswordProtected, "the document is protected by a password; unlock it with the password, or upload it without one", nil)
	}
	return format.DOC, nil
}

var errOutlook = refuse("an Outlook message", "save it as EML")

// refuse makes the fault of a known format that is not supported.
func refuse(what, instead string) error {
	return fault.File(fault.UnsupportedType, fmt.Sprintf("the file is %s, which is not supported; %s", what, instead), nil)
}

// unsupported names what was found.
func unsupported(found *mimetype.MIME) error {
	advice := map[string][2]string{
		"image/heic":                  {"a HEIC image", "save it as JPEG"},
		"image/heif":                  {"a HEIF image", "save it as JPEG"},
		"image/avif":                  {"an AVIF image", "save it as JPEG"},
		"image/gif":                   {"a GIF image", "save it as PNG"},
		"image/bmp":                   {"a BMP image", "save it as PNG"},
		"image/svg+xml":               {"an SVG drawing", "save it as PDF"},
		"application/x-7z-compressed": {"a 7z archive", "pack it as ZIP"},
		"application/vnd.rar":         {"a RAR archive", "pack it as ZIP"},
		"application/gzip":            {"a gzip archive", "pack it as ZIP"},
		"application/x-tar":           {"a tar archive", "pack it as ZIP"},
	}
	kind, _, _ := strings.Cut(found.String(), ";")
	if a, ok := advice[kind]; ok {
		return refuse(a[0], a[1])
	}
	if kind == "application/octet-stream" {
		kind = "in no format that is known"
	} else {
		kind = "of type " + kind
	}
	return refuse(kind, "upload PDF, DOCX, DOC, RTF, ODT, HTML, EML, text, PNG, JPEG, TIFF, WebP or ZIP")
}
