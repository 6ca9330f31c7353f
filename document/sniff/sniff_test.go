package sniff

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/document/format"
	"github.com/clausemill/clausemill/document/formattest"
	"github.com/clausemill/clausemill/fault"
)

func sniffed(tb testing.TB, name string, data []byte) (format.Kind, error) {
	tb.Helper()
	f := formattest.OpenedFile(tb, data)
	return File(tb.Context(), f, int64(len(data)), name, format.DefaultLimits())
}

func TestSniff(t *testing.T) {
	t.Parallel()
	memo := "From: Ann\nTo: Bob\nDate: today\nSubject: lease\n\nDear Bob"
	for name, c := range map[string]struct {
		file string // the name it came under
		data string
		want format.Kind
	}{
		"PDF":              {"a.docx", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", format.PDF},
		"PDFAfterText":     {"", "\x1b%-12345X@PJL ENTER LANGUAGE=PDF\r\n%PDF-1.4\n1 0 obj<<>>endobj", format.PDF},
		"PDFAfterJunk":     {"", "\x00\x05name.pdf" + strings.Repeat("\x00", 118) + "%PDF-1.4\n", format.PDF},
		"PDFHeadless":      {"", "%\xe2\xe3\xcf\xd3\n1 0 obj \n<<\n/Pages 2 0 R", format.PDF},
		"PDFInText":        {"", "Files start with\n%PDF-1.7\nand so on", format.Text},
		"PDFInMiddle":      {"", "The mark %PDF-1.7 begins a file, and 1 0 obj an object", format.Text},
		"RTF":              {"a.txt", `{\rtf1 x}`, format.RTF},
		"RTFAfterBlanks":   {"", "\xef\xbb\xbf \n{\\rtf1 x}", format.RTF},
		"HTML":             {"", "<!DOCTYPE html><p>x", format.HTML},
		"HTMLLate":         {"", strings.Repeat("<!-- x -->\n", 50) + "<HTML lang=en><p>x", format.HTML},
		"HTMLFragment":     {"", "<div class=x>y</div>", format.HTML},
		"HTMLByName":       {"a.htm", "x <u>y</u>", format.HTML},
		"XHTML":            {"", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><p/></html>`, format.HTML},
		"HTMLInUTF16":      {"", "\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00x\x00", format.HTML},
		"MarkdownOfHTML":   {"a.md", "# About\n\n" + strings.Repeat("words ", 60) + "\n\n<html>", format.Text},
		"Mail":             {"", "Received: x\r\nFrom: a\r\n\r\nhello", format.EML},
		"MailByName":       {"a.eml", "Subject: x\n\nhello", format.EML},
		"Memorandum":       {"memo.txt", memo, format.Text},
		"MemorandumAsMail": {"memo.eml", memo, format.EML},
		"TIFFOfWhite":      {"", "II*\x00\x00\x10\x00\x00" + strings.Repeat("\xff", 4096), format.TIFF},
		"UnpackedZIP":      {"", string(stored(t, "a.txt", strings.Repeat("plain words ", 400))), format.ZIP},
		"Text":             {"", "plain words", format.Text},
		"TextLikePictures": {"", "BM Corporation and MZ Limited agree", format.Text},
		"TextLikePicture2": {"", "GIF89a is what they start with", format.Text},
		"CSV":              {"a.csv", "a,b\n1,2\n", format.Text},
		"JSON":             {"a.json", `{"a": 1}`, format.Text},
		"OneByte":          {"", "x", format.Text},
		"ZIP":              {"", string(formattest.Zipped(t, "a.txt", "x")), format.ZIP},
		"EmptyZIP":         {"", string(formattest.Zipped(t)), format.ZIP},
		"DOCX":             {"a.zip", string(formattest.WordDocument(t, "")), format.DOCX},
		"DOCXWithoutTypes": {"", string(formattest.Zipped(t, "word/document.xml", "x")), format.DOCX},
		"Template":         {"", string(formattest.Zipped(t, "[Content_Types].xml", "wordprocessingml.template.main", "x/y.xml", "")), format.DOCX},
		"ODT":              {"", string(formattest.Zipped(t, "mimetype", "application/vnd.oasis.opendocument.text-template\n")), format.ODT},
		"DOC":              {"a.xls", string(formattest.Compound(t, "1Table", "x", "WordDocument", "\xec\xa5\xc1\x00")), format.DOC},
		"PNG":              {"", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", format.PNG},
		"JPEG":             {"", "\xff\xd8\xff\xe0\x00\x10JFIF\x00", format.JPEG},
		"TIFF":             {"", "II*\x00\x08\x00\x00\x00", format.TIFF},
		"TIFFOfMotorola":   {"", "MM\x00*\x00\x00\x00\x08", format.TIFF},
		"WebP":             {"", "RIFF\x00\x00\x00\x00WEBPVP8 ", format.WebP},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind, err := sniffed(t, c.file, []byte(c.data))
			require.NoError(t, err)
			require.Equal(t, c.want, kind)
			require.NotEmpty(t, kind.ContentType())
		})
	}
}

// The start of a file refuses what no reader takes and leaves open what only the
// rest can tell.
func TestSniffHead(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("The tenant shall pay the rent. ", 1000)
	for name, c := range map[string]struct {
		data string
		want format.Kind
	}{
		"Nothing":        {"", format.Text},
		"Workbook":       {string(formattest.Zipped(t, "[Content_Types].xml", "spreadsheetml.sheet")), format.ZIP},
		"OldWorkbook":    {string(formattest.Compound(t, "Workbook", "x")), format.DOC},
		"CutArchive":     {string(formattest.Zipped(t, "a", "b")[:30]), format.ZIP},
		"UTF8CutInRune":  {"x" + strings.Repeat("é", HeadSize), format.Text},
		"Latin1":         {strings.Repeat("caf\xe9 ", HeadSize), format.Text},
		"UTF16":          {"\xff\xfe" + strings.Repeat("x\x00", HeadSize), format.Text},
		"UTF16Unmarked":  {strings.Repeat("x\x00y\x00", HeadSize), format.Text},
		"LongText":       {long, format.Text},
		"LongRTF":        {`{\rtf1 ` + long, format.RTF},
		"LongHTML":       {"<html>" + long, format.HTML},
		"LongMailHeader": {"Received: x\r\nFrom: a\r\nX-Long: " + strings.Repeat("a", HeadSize), format.EML},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind, err := Head([]byte(c.data)[:min(len(c.data), HeadSize)], "unnamed")
			require.NoError(t, err)
			require.Equal(t, c.want, kind)
		})
	}
	for name, data := range map[string]string{
		"Program": "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 9), "GIF": "GIF89a\x01\x00\x01\x00\x80\x00\x00", "Noise": "\x01\x02\x03\x80\x90\xa0\xfe",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Head([]byte(data), "lease.pdf")
			formattest.RequireCode(t, fault.UnsupportedType, err)
		})
	}
}

// What is refused is refused by its name.
func TestSniffFaults(t *testing.T) {
	t.Parallel()
	protectedDOC := make([]byte, 12)
	binary.LittleEndian.PutUint16(protectedDOC, 0xa5ec)
	protectedDOC[11] = 0x01
	for name, c := range map[string]struct {
		data string
		code fault.Code
		says string
	}{
		"Excel":            {string(formattest.Zipped(t, "[Content_Types].xml", "spreadsheetml.sheet")), fault.UnsupportedType, "Excel"},
		"PowerPoint":       {string(formattest.Zipped(t, "[Content_Types].xml", "presentationml")), fault.UnsupportedType, "PowerPoint"},
		"OtherPackage":     {string(formattest.Zipped(t, "[Content_Types].xml", "visio")), fault.UnsupportedType, "office document"},
		"Spreadsheet":      {string(formattest.Zipped(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet")), fault.UnsupportedType, "OpenDocument"},
		"Book":             {string(formattest.Zipped(t, "mimetype", "application/epub+zip")), fault.UnsupportedType, "e-book"},
		"Pages":            {string(formattest.Zipped(t, "Index/Document.iwa", "x")), fault.UnsupportedType, "iWork"},
		"OldExcel":         {string(formattest.Compound(t, "Workbook", "x")), fault.UnsupportedType, "Excel"},
		"OldPowerPoint":    {string(formattest.Compound(t, "PowerPoint Document", "x")), fault.UnsupportedType, "PowerPoint"},
		"Outlook":          {string(formattest.Compound(t, "__properties_version1.0", "x")), fault.UnsupportedType, "Outlook"},
		"OtherCompound":    {string(formattest.Compound(t, "Contents", "x")), fault.UnsupportedType, "compound file"},
		"EncryptedPackage": {string(formattest.Compound(t, "EncryptionInfo", "x", "EncryptedPackage", "y")), fault.PasswordProtected, "password"},
		"EncryptedDOC":     {string(formattest.Compound(t, "WordDocument", string(protectedDOC))), fault.PasswordProtected, "password"},
		"DamagedCompound":  {string(formattest.Compound(t, "WordDocument", "x")[:700]), fault.CorruptFile, "directory"},
		"DamagedZIP":       {string(formattest.Zipped(t, "a", "b")[:30]), fault.CorruptFile, "cut short"},
		"GIF":              {"GIF89a\x01\x00\x01\x00\x80\x00\x00", fault.UnsupportedType, "GIF"},
		"HEIC":             {"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic", fault.UnsupportedType, "HEIC"},
		"RAR":              {"Rar!\x1a\x07\x01\x00", fault.UnsupportedType, "RAR"},
		"Gzip":             {"\x1f\x8b\x08\x00\x00\x00\x00\x00", fault.UnsupportedType, "gzip"},
		"Program":          {"\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 9), fault.UnsupportedType, "application/x-"},
		"SVG":              {`<svg xmlns="http://www.w3.org/2000/svg"/>`, fault.UnsupportedType, "SVG"},
		"XML":              {`<?xml version="1.0"?><w:wordDocument/>`, fault.UnsupportedType, "text/xml"},
		"PostScript":       {"%!PS-Adobe-3.0\n", fault.UnsupportedType, "PostScript"},
		"Noise":            {"\x01\x02\x03\x80\x90\xa0\xfe", fault.UnsupportedType, "no format that is known"},
		"Zeros":            {strings.Repeat("\x00", 1000), fault.UnsupportedType, "no format that is known"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := sniffed(t, "a.docx", []byte(c.data))
			formattest.RequireCode(t, c.code, err)
			require.Contains(t, fault.Message(err), c.says)
		})
	}
	t.Run("Empty", func(t *testing.T) {
		t.Parallel()
		_, _, err := format.OpenFile(formattest.TempFile(t, "a.pdf", nil))
		formattest.RequireCode(t, fault.EmptyFile, err)
		_, err = File(t.Context(), strings.NewReader(""), 0, "", format.DefaultLimits())
		formattest.RequireCode(t, fault.EmptyFile, err)
	})
}

// TestFileWithin has documents that embed another one, which does not make them one of its kind.
func TestFileWithin(t *testing.T) {
	t.Parallel()
	encrypted := "\xec\xa5\xc1\x00\x00\x00\x00\x00\x00\x00\x00\x01"
	for outer, want := range map[string]struct {
		kind format.Kind
		code fault.Code
	}{
		"WordDocument": {format.DOC, ""},
		"Workbook":     {"", fault.UnsupportedType},
	} {
		const directory, entry = 2 * 512, 128
		data := formattest.Compound(t, outer, "\xec\xa5\xc1\x00", "ObjectPool", "", "WordDocument", encrypted)
		pool := data[directory+2*entry : directory+3*entry]
		pool[66] = 1 // which makes it a storage, and what comes next what is in it
		copy(pool[72:], "\xff\xff\xff\xff\x03\x00\x00\x00")
		kind, err := sniffed(t, "", data)
		require.Equal(t, want.kind, kind)
		if want.code != "" {
			formattest.RequireCode(t, want.code, err)
			require.Contains(t, fault.Message(err), "Excel")
		}
	}
}

func FuzzSniff(f *testing.F) {
	f.Add("a.doc", formattest.Compound(f, "WordDocument", "x"))
	f.Add("a.docx", formattest.WordDocument(f, ""))
	f.Add("a.eml", []byte("From: a\n\n<html>%PDF-1.4"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if len(data) == 0 {
			return
		}
		kind, err := sniffed(t, name, data)
		if _, refused := Head(data[:min(len(data), HeadSize)], name); refused != nil {
			require.Equal(t, refused, err, "what the start refuses, the whole does")
			require.Equal(t, fault.UnsupportedType, fault.CodeOf(refused))
		}
		if err != nil {
			formattest.RequireCode(t, fault.CodeOf(err), err)
			require.NotEqual(t, fault.InternalCode, fault.CodeOf(err), "%v", err)
			return
		}
		require.NotEmpty(t, kind.ContentType())
	})
}

// stored is a ZIP archive with one entry that is not packed.
func stored(t *testing.T, name, content string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	part, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	require.NoError(t, err)
	_, err = part.Write([]byte(content))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}
