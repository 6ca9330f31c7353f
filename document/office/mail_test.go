package office

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/archive"
	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/fault"
)

const mailHead = "From: =?UTF-8?Q?J=C3=B6rg_M=C3=BCller?= <j@example.com>\r\nTo: Ann <a@example.com>,\r\n\tBob <b@example.com>\r\n" +
	"Date: Mon, 2 Nov 2026 10:00:00 +0100\r\nSubject: =?iso-8859-1?Q?Vertr=E4ge?=\r\nMIME-Version: 1.0\r\n"

const mailFields = "From: Jörg Müller <j@example.com>\nTo: Ann <a@example.com>, Bob <b@example.com>\n" +
	"Date: Mon, 2 Nov 2026 10:00:00 +0100\nSubject: Verträge"

// multipart makes a body of parts, each given as its header and its content by
// turns.
func multipart(kind, boundary string, parts ...string) string {
	var b strings.Builder
	b.WriteString("Content-Type: multipart/" + kind + "; boundary=\"" + boundary + "\"\r\n\r\n")
	for i := 0; i < len(parts); i += 2 {
		b.WriteString("--" + boundary + "\r\n" + parts[i] + "\r\n\r\n" + parts[i+1] + "\r\n")
	}
	return b.String() + "--" + boundary + "--\r\n"
}

func TestEML(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ data, want string }{
		"Plain":      {mailHead + "\r\nDear all,\r\n  indented\r\n\r\nBye", mailFields + "\n\nDear all,\n  indented\n\nBye"},
		"Quoted":     {mailHead + "Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nM=FCnchen =\r\nII", mailFields + "\n\nMünchen II"},
		"HTML":       {mailHead + "Content-Type: text/html; charset=utf-8\r\n\r\n<p>Dear<p>all", mailFields + "\n\nDear\n\nall"},
		"Stray":      {mailHead + "Content-Transfer-Encoding: quoted-printable\r\n\r\na = b =zz =3D=\n c=", mailFields + "\n\na = b =zz = c="},
		"Base64":     {mailHead + "Content-Transfer-Encoding: BASE64\r\n\r\naGVs\r\n bG8=*Q", mailFields + "\n\nhello"},
		"BareBytes":  {strings.Replace(mailHead, "=?iso-8859-1?Q?Vertr=E4ge?=", "Vertr\xe4ge", 1) + "\r\nM\xfcller", mailFields + "\n\nMüller"},
		"Japanese":   {mailHead + "Content-Type: text/plain; charset=iso-2022-jp\r\n\r\n\x1b$B%F%9%H\x1b(B", mailFields + "\n\nテスト"},
		"Unclosed":   {mailHead + "Content-Type: multipart/mixed; boundary=x\n\n--x\n\none\n--x\nContent-Type: multipart/mixed; boundary=y\n\n--y\n\ntwo", mailFields + "\n\none\n\ntwo"},
		"InnerEnds":  {mailHead + "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: multipart/mixed; boundary=y\n\n--y\n\none\n--x\n\ntwo\n--x--\nno", mailFields + "\n\none\n\ntwo"},
		"Grammar":    {mailHead + "Content-Type: multipart/mixed; boundary=x=y; name=a b\n\nno\n--x=y\nnot a field\n\none\n-- x=y\ntwo\n--x=y--", mailFields + "\n\none\n-- x=y\ntwo"},
		"StubOfText": {mailHead + multipart("alternative", "x", "Content-Type: text/plain", " ", "Content-Type: text/html", "<b>rich</b>"), mailFields + "\n\nrich"},
		"Preferred":  {mailHead + multipart("alternative", "x", "Content-Type: text/plain", "plain", "Content-Type: text/html", "<b>rich</b>"), mailFields + "\n\nplain"},
		"OnlyHTML":   {mailHead + multipart("mixed", "x", "Content-Type: text/html", "<b>rich</b>"), mailFields + "\n\nrich"},
		"NoText":     {mailHead + "Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0=", mailFields},
		"Mailbox":    {"From j@example.com Mon Nov  2 10:00:00 2026\n" + strings.ReplaceAll(mailHead, "\r", "") + "\nhello", mailFields + "\n\nhello"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, text(readAll(t, format.EML, "a.eml", []byte(c.data))))
		})
	}
}

// attachments lists what hangs on a mail, as name and content.
func attachments(tb testing.TB, data string, limits format.Limits) ([]string, error) {
	tb.Helper()
	f, size, err := format.OpenFile(formattest.TempFile(tb, "a.eml", []byte(data)))
	require.NoError(tb, err)
	defer f.Close()
	var got []string
	err = Attachments(tb.Context(), f, size, limits, 1, func(e archive.Entry, r io.Reader) error {
		content, err := io.ReadAll(r)
		require.NoError(tb, err)
		require.Equal(tb, e.Name, e.Path)
		require.Equal(tb, len(got)+1, e.Number)
		require.Zero(tb, e.Of)
		got = append(got, e.Name+"="+string(content))
		return nil
	})
	return got, err
}

func TestEMLEntries(t *testing.T) {
	t.Parallel()
	data := mailHead + multipart("mixed", "x",
		multipart("related", "y",
			"Content-Type: text/html", `<p>Hello <img src="cid:logo">`,
			"Content-Type: image/png; name=logo.png\r\nContent-ID: <logo>\r\nContent-Disposition: inline; filename=logo.png", "logo"), "",
		"Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename=\"../../../a.pdf\"", "JVBERi0=",
		"Content-Type: application/pdf; name=\"=?utf-8?Q?B=C3=BCro.pdf?=\"\r\nContent-Disposition: inline", "inline",
		"Content-Type: message/rfc822", "Subject: inner\r\n\r\ntext",
		"Content-Type: application/pdf\r\nContent-Disposition: attachment", "nameless",
		"Content-Type: text/plain\r\nContent-Disposition: attachment; filename=notes.txt", "attached text",
		"Content-Type: text/plain\r\nContent-Disposition: attachment; filename=\"A/S Norge.txt\"", "a legal form")
	got, err := attachments(t, data, format.DefaultLimits())
	require.NoError(t, err)
	require.ElementsMatch(t, []string{
		"a.pdf=%PDF-", "Büro.pdf=inline", "attachment-3.eml=Subject: inner\r\n\r\ntext", "attachment-4.pdf=nameless", "notes.txt=attached text",
		"A/S Norge.txt=a legal form",
	}, got)

	single, err := attachments(t, mailHead+"Content-Type: application/pdf; name=only.pdf\r\nContent-Disposition: attachment\r\n\r\n%PDF-", format.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, []string{"only.pdf=%PDF-"}, single)
}

// TestUnpackingGoesOn begins at a later entry.
func TestUnpackingGoesOn(t *testing.T) {
	t.Parallel()
	packed := formattest.Zipped(t, "a.txt", "one", "dir/", "", "b.txt", "two", "Thumbs.db", "x", "c.txt", "three")
	mail := mailHead + multipart("mixed", "x",
		"Content-Type: text/plain", "The body.",
		"Content-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt", "one",
		"Content-Type: text/plain\r\nContent-Disposition: attachment; filename=b.txt", "two",
		"Content-Type: text/plain\r\nContent-Disposition: attachment; filename=c.txt", "three")
	entriesOf := map[format.Kind]func(context.Context, *os.File, int64, format.Limits, int, func(archive.Entry, io.Reader) error) error{format.ZIP: archive.Entries, format.EML: Attachments}
	for kind, content := range map[format.Kind][]byte{format.ZIP: packed, format.EML: []byte(mail)} {
		for from, want := range map[int][]string{1: {"1 a.txt=one", "2 b.txt=two", "3 c.txt=three"}, 3: {"3 c.txt=three"}, 4: nil} {
			var got []string
			f, size, err := format.OpenFile(formattest.TempFile(t, "a", content))
			require.NoError(t, err)
			err = entriesOf[kind](t.Context(), f, size, format.DefaultLimits(), from, func(e archive.Entry, r io.Reader) error {
				content, err := io.ReadAll(r)
				got = append(got, fmt.Sprintf("%d %s=%s", e.Number, e.Name, content))
				if kind == format.ZIP {
					require.Equal(t, 3, e.Of)
				}
				return err
			})
			require.NoError(t, errors.Join(err, f.Close()))
			require.Equal(t, want, got, "%s from %d", kind, from)
		}
	}
}

func TestEMLFaults(t *testing.T) {
	t.Parallel()
	many := make([]string, 0, 1000)
	deep := mailHead
	for i := range 500 {
		many = append(many, "Content-Type: application/pdf", "x")
		deep += fmt.Sprintf("Content-Type: multipart/mixed; boundary=\"b%d\"\r\n\r\n--b%d\r\n", i, i)
	}
	for name, c := range map[string]struct {
		data string
		code fault.Code
	}{
		"TooManyParts": {mailHead + multipart("mixed", "x", many...), fault.FileTooLarge},
		"TooDeep":      {deep, fault.FileTooLarge},
		"LongHeader":   {"Subject: a\n" + strings.Repeat("X-A: b\n", 200_000), fault.FileTooLarge},
		"Encrypted":    {mailHead + multipart("encrypted", "x", "Content-Type: application/pgp-encrypted", "Version: 1"), fault.PasswordProtected},
		"Enveloped":    {mailHead + "Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\r\n\r\nMIAG", fault.PasswordProtected},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limits := format.DefaultLimits()
			limits.MaxEntries, limits.MaxDepth = 50, 20
			_, _, err := read(t, "a.eml", []byte(c.data), limits)
			formattest.RequireCode(t, c.code, err)
			_, err = attachments(t, c.data, limits)
			formattest.RequireCode(t, c.code, err)
		})
	}
}

func FuzzEML(f *testing.F) {
	f.Add([]byte(mailHead + multipart("mixed", "x", "Content-Type: text/html; charset=koi8-r", "<p>a", "Content-Disposition: attachment; filename=b", "b")))
	f.Add([]byte("Subject: a\n\nb"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzRunning(t, readEML, data)
		if len(data) == 0 {
			return
		}
		_, err := attachments(t, string(data), format.DefaultLimits())
		if err != nil {
			formattest.RequireCode(t, fault.CodeOf(err), err)
			require.NotEqual(t, fault.InternalCode, fault.CodeOf(err), "%v", err)
		}
	})
}
