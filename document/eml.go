package document

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"mime"
	"os"
	"slices"
	"strings"

	"github.com/jhillyerd/enmime/v2"
	"github.com/jhillyerd/enmime/v2/mediatype"

	"github.com/clausemill/clausemill/fault"
)

// maxMail is the largest mail in bytes. Mail servers take a third of it, and
// parsing holds the mail in memory.
const maxMail = 128 << 20

// readEML writes a mail: the fields of its header that a reader sees, a line
// each, and its text, or its page of HTML where there is no text. What is
// attached is left to emlEntries.
func readEML(ctx context.Context, f *os.File, size int64, to *flow) error {
	mail, err := parseMail(ctx, f, size, to.limits)
	if err != nil {
		return err
	}
	for _, field := range []string{"From", "To", "Cc", "Date", "Subject"} {
		if value := strings.Join(strings.Fields(mail.GetHeader(field)), " "); value != "" {
			to.write(field + ": " + value)
			to.line()
		}
	}
	to.paragraph()
	if strings.TrimSpace(mail.Text) != "" {
		to.indent = true
		return writeLines(strings.NewReader(mail.Text), to)
	}
	return writeHTML(strings.NewReader(mail.HTML), to)
}

// parseMail reads a mail into memory.
func parseMail(ctx context.Context, f *os.File, size int64, limits Limits) (*enmime.Envelope, error) {
	if size > maxMail {
		return nil, fault.File(fault.FileTooLarge, fmt.Sprintf("the mail has more than %d MiB, which is the limit", maxMail>>20), nil)
	}
	source := &mailReader{contextReader: contextReader{ctx, f}, limits: limits}
	parser := enmime.NewParser(
		enmime.SkipMalformedParts(true),
		enmime.DisableTextConversion(true),
		enmime.MaxStoredPartErrors(1),
		enmime.SetCustomParseMediaType(source.mediaType),
	)
	mail, err := parser.ReadEnvelope(source)
	switch {
	case source.excess != nil:
		return nil, source.excess
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fault.File(fault.CorruptFile, "the mail cannot be read", err)
	}
	switch kind, _, _ := strings.Cut(strings.ToLower(mail.GetHeader("Content-Type")), ";"); {
	case kind == "multipart/encrypted",
		strings.HasSuffix(kind, "pkcs7-mime") && strings.Contains(mail.GetHeader("Content-Type"), "enveloped-data"):
		return nil, fault.File(fault.PasswordProtected, "the mail is encrypted; save it without encryption", nil)
	}
	return mail, nil
}

// A mailReader stops a parser that has met more parts than the limits allow:
// it goes down into parts of parts by recursion, and has no limit of its own.
type mailReader struct {
	contextReader
	limits     Limits
	parts      int
	multiparts int
	excess     error
}

func (m *mailReader) Read(p []byte) (int, error) {
	if m.excess != nil {
		return 0, m.excess
	}
	return m.contextReader.Read(p)
}

// looks is how often at most the parser asks for the type of one part.
const looks = 4

// mediaType parses the type of a part, and counts.
func (m *mailReader) mediaType(value string) (kind string, params map[string]string, invalid []string, err error) {
	kind, params, invalid, err = mediatype.Parse(value)
	if m.parts++; strings.HasPrefix(kind, "multipart/") {
		m.multiparts++
	}
	if m.parts > looks*m.limits.MaxEntries || m.multiparts > looks*m.limits.MaxDepth {
		m.excess = fault.File(fault.FileTooLarge, fmt.Sprintf(
			"the mail has more than %d parts, or more than %d that have parts themselves, which are the limits",
			m.limits.MaxEntries, m.limits.MaxDepth), nil)
		return kind, params, invalid, m.excess
	}
	return kind, params, invalid, err
}

// emlEntries calls each for every file attached to a mail, mails in it
// included. Pictures that the mail's own text shows are not attached to it.
func emlEntries(ctx context.Context, f *os.File, size int64, limits Limits, each func(Entry, io.Reader) error) error {
	mail, err := parseMail(ctx, f, size, limits)
	if err != nil {
		return err
	}
	seen := map[*enmime.Part]bool{}
	for _, part := range slices.Concat(mail.Attachments, mail.Inlines, mail.OtherParts) {
		shown := part.ContentID != "" && strings.Contains(mail.HTML, "cid:"+part.ContentID)
		body := part.Disposition != "attachment" && part.FileName == "" && strings.HasPrefix(part.ContentType, "text/")
		if seen[part] || shown || body || len(part.Content) == 0 {
			continue
		}
		seen[part] = true
		name := cleanPath(cmp.Or(part.FileName, nameOf(part.ContentType, len(seen))))
		name = name[strings.LastIndexByte(name, '/')+1:]
		if err := each(Entry{Name: name, Path: name, Size: int64(len(part.Content))}, bytes.NewReader(part.Content)); err != nil {
			return err
		}
	}
	return nil
}

// nameOf names an attachment that came without a name.
func nameOf(contentType string, number int) string {
	extension := ""
	if contentType == "message/rfc822" {
		extension = ".eml"
	} else if all, err := mime.ExtensionsByType(contentType); err == nil && len(all) > 0 {
		extension = all[0]
	}
	return fmt.Sprintf("attachment-%d%s", number, extension)
}
