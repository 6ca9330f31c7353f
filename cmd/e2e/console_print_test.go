package e2e_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
	"github.com/clausemill/clausemill/docx"
)

// TestConsolePrint shows a Word document as text and as pages, with what was picked over
// the same words.
func TestConsolePrint(t *testing.T) {
	if _, err := exec.LookPath("soffice"); err != nil {
		t.Skip("LibreOffice is not installed")
	}
	h, _, b := consoleBrowser(t)
	passages := []docx.Passage{{Kind: docx.Heading, Text: "Lease"}}
	for i := range 40 {
		passages = append(passages, docx.Passage{Kind: docx.BodyPassage, Text: fmt.Sprintf("The tenant of house %d pays the rent on the first day of each month, in advance and without any deduction. The landlord repairs the roof.", i)})
	}
	passages = append(passages, docx.Passage{Kind: docx.BodyPassage, Text: "This lease is governed by the laws of the State of New York."})
	data, err := docx.Build(passages)
	require.NoError(t, err)
	c := h.caller()
	file := c.upload(upload{"lease.docx", data})
	c.wait(file.ID, time.Minute)

	b.opens(h, provider.User, "/files/"+file.ID)
	b.until(`document.querySelector(".sheet .block")`)
	b.button("Pages")
	b.until(`location.search === "?as=pages"`)
	b.until(`document.querySelector(".thumbs img") && document.querySelector(".mark.fact, .mark.clause")`)
	b.accessible("print")
	b.shows("print")
	b.clicks(`[role=tab]:nth-child(2)`)
	b.until(`[...document.querySelectorAll(".panel button")].some((e) => e.innerText.includes("governed by"))`)
	b.value(`[...document.querySelectorAll(".panel button")].find((e) => e.innerText.includes("governed by")).click()`)
	b.until(`document.querySelector(".mark.picked") && ` + overlapped + `.includes("New York")`)
	require.Equal(t, "This lease is governed by the laws of the State of New York.", strings.TrimSpace(b.value(overlapped)))
	b.call("Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": h.dir}, nil)
	b.button("More actions")
	b.button("Download as PDF")
	require.Eventually(t, func() bool {
		pdf, err := os.ReadFile(filepath.Join(h.dir, "lease.pdf"))
		return err == nil && bytes.HasPrefix(pdf, []byte("%PDF"))
	}, time.Minute, 100*time.Millisecond)
	// The browser remembers it, and the way back is the same.
	b.opens(h, provider.User, "/files/"+file.ID)
	b.until(`document.querySelector(".thumbs img")`)
	b.phone()
	b.accessible("print on a phone")
	b.shows("print-phone")
	b.button("Text")
	b.until(`document.querySelector(".sheet .block") && !document.querySelector(".thumbs")`)
	// An address says how the file is to be shown, whatever the browser remembers.
	b.opens(h, provider.User, "/files/"+file.ID+"?as=pages")
	b.until(`document.querySelector(".thumbs img")`)
	b.quiet(h.address)
}
