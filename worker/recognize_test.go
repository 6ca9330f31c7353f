package worker_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/clausemill/clausemill/db"
)

const germanLease = "Mietvertrag über Gewerberäume|Der Vermieter überlässt dem Mieter die Räume im Erdgeschoß.|Die Miete beträgt fünftausend Euro und ist monatlich fällig.|" +
	"Größere Änderungen bedürfen der schriftlichen Zustimmung des Vermieters.|Die Kündigungsfrist beträgt für beide Parteien sechs Monate."

// written is a page with lines of text, as a scanner sends it.
func written(t *testing.T, lines []string) []byte {
	t.Helper()
	const dpi = 300
	regular, err := opentype.Parse(goregular.TTF)
	require.NoError(t, err)
	face, err := opentype.NewFace(regular, &opentype.FaceOptions{Size: 11, DPI: dpi})
	require.NoError(t, err)
	defer face.Close()
	page := image.NewGray(image.Rect(0, 0, 8*dpi, 4*dpi))
	draw.Draw(page, page.Rect, image.White, image.Point{}, draw.Src)
	pen := font.Drawer{Dst: page, Src: image.NewUniform(color.Gray{20}), Face: face}
	for i, line := range lines {
		pen.Dot = fixed.P(dpi/2, dpi/2+i*dpi/3)
		pen.DrawString(line)
	}
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, page))
	return out.Bytes()
}

// TestScansInTheirLanguage reads a German scan with the letters of German where that model
// is installed, unless somebody named the languages.
func TestScansInTheirLanguage(t *testing.T) {
	t.Parallel()

	installed, err := exec.CommandContext(t.Context(), "tesseract", "--list-langs").Output()
	require.NoError(t, err)
	if !slices.Contains(strings.Fields(string(installed)), "deu") {
		t.Skip("needs tesseract-ocr-deu")
	}
	m := newMill(t)
	m.config.Languages, m.config.Installed = "eng", []string{"deu", "eng"}
	m.start()
	lines := strings.Split(germanLease, "|")
	read := m.upload("lease.png", written(t, lines))
	english := m.upload("deed.png", written(t, []string{
		"This Lease is made between the landlord and the tenant.", "The tenant shall pay the rent of the premises each month in advance,", "and the landlord shall repair the roof and the walls at its own cost.",
	}))

	m.wait(read.ID)
	require.Equal(t, lines, strings.FieldsFunc(m.text(read.ID), func(r rune) bool { return r == '\n' }))
	m.wait(english.ID)
	require.Contains(t, m.text(english.ID), "the landlord shall repair the roof")
	// Who names a language gets it.
	m.restart(read.ID, db.FileOptions{OCR: "force", Languages: "eng"})
	m.wait(read.ID)
	require.NotContains(t, m.text(read.ID), "ß")
}

const russianLease = "Договор аренды нежилого помещения|Арендодатель передает помещение Арендатору во временное пользование.|" +
	"Арендная плата вносится ежемесячно не позднее пятого числа.|Срок действия договора составляет одиннадцать месяцев.|Споры разрешаются в арбитражном суде города Москвы."

// TestScansInTheirScript reads a Russian scan with a model of its script where one is
// installed, and says which one is missing elsewhere.
func TestScansInTheirScript(t *testing.T) {
	t.Parallel()

	out, err := exec.CommandContext(t.Context(), "tesseract", "--list-langs").Output()
	require.NoError(t, err)
	installed := strings.Fields(string(out))
	if !slices.Contains(installed, "osd") {
		t.Skip("needs tesseract-ocr-osd")
	}
	lines := strings.Split(russianLease, "|")
	t.Run("Missing", func(t *testing.T) {
		t.Parallel()
		m := newMill(t)
		m.config.Languages, m.config.Installed = "eng", []string{"eng"}
		m.start()
		f := m.wait(m.upload("lease.png", written(t, lines)).ID)
		require.Equal(t, db.FileWithWarnings, f.Status)
		require.Empty(t, strings.TrimSpace(m.text(f.ID)))
		require.Equal(t, "script_not_installed", f.Warnings[0].Code)
		require.Equal(t, []int{1}, f.Warnings[0].Pages)
		require.Contains(t, f.Warnings[0].Message, "Cyrillic")
		require.Contains(t, f.Warnings[0].Message, "tesseract-ocr-rus")
	})
	for _, model := range []string{"rus", "script/Cyrillic"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			if !slices.Contains(installed, model) {
				t.Skip("needs Tesseract's " + model)
			}
			m := newMill(t)
			m.config.Languages, m.config.Installed = "eng", []string{"eng", model}
			m.start()
			f := m.wait(m.upload("lease.png", written(t, lines)).ID)
			require.Equal(t, lines, strings.FieldsFunc(m.text(f.ID), func(r rune) bool { return r == '\n' }))
		})
	}
}
