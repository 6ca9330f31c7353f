package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
	"github.com/clausemill/clausemill/document/formattest"
)

// TestConsoleMarks marks what was filled into a form, and what a version changed, on the
// page, over the very words.
func TestConsoleMarks(t *testing.T) {
	h, _, b := consoleBrowser(t)
	lease := func(rent string) []byte {
		return formattest.PDF(formattest.PDFPage{
			Content: formattest.Line(72, 700, "Lease of the premises at the harbour, between the landlord and") + formattest.Line(72, 670, "Tenant:") +
				formattest.Line(72, 620, "1. The rent is "+rent+" dollars a month and is due in advance.") + formattest.Line(72, 570, "2. The landlord repairs the roof and the walls."),
			Appearances: []string{formattest.Line(2, 5, "Jane Doe")},
			Attributes:  "/Annots [<</Type /Annot /Subtype /Widget /Rect [130 665 330 685] /AP <</N @0>> /FT /Tx /T (tenant) /V (Jane Doe)>>]",
		})
	}
	c := h.caller()
	file := c.upload(upload{"lease.pdf", lease("nine hundred")})
	c.wait(file.ID, time.Minute)
	person := h.signIn(provider.User)
	person.does(http.MethodPost, "/api/files/"+file.ID+"/versions", "%s", versionBody("lease.pdf", lease("twelve hundred"), 1))
	c.wait(file.ID, time.Minute)

	over := func(kind string) string {
		return strings.ReplaceAll(overlapped, ".mark.picked", ".mark."+kind)
	}
	b.opens(h, provider.User, "/files/"+file.ID+"?tab=history")
	b.until(`document.querySelector(".mark.field") && document.querySelector(".legend .swatch.field")`)
	require.Equal(t, "Jane Doe", b.value(over("field")))
	b.button("Mark what changed since")
	b.until(`document.querySelector(".mark.changed") && location.search.includes("since=1")`)
	require.Equal(t, "twelve", b.value(over("changed")))
	require.Equal(t, "Since version 1: new words in 1 place", b.value(`document.querySelector(".against strong").innerText`))
	b.button("Next")
	b.until(`document.querySelector(".mark.picked")`)
	require.Equal(t, "twelve", b.value(overlapped))
	b.accessible("marks")
	b.clicks(`.document .check input`)
	b.until(`!document.querySelector(".mark.field") && document.querySelector(".mark.changed")`)
	b.button("Show as redline")
	b.until(`[...document.querySelectorAll("ins[data-change]")].some((e) => e.innerText.includes("twelve")) && [...document.querySelectorAll("del[data-change]")].some((e) => e.innerText.includes("nine"))`)
	// The same is asked for in the head, where a phone has it too.
	b.opens(h, provider.User, "/files/"+file.ID)
	b.until(`document.querySelector(".mark.field")`)
	b.button("Version 2: what changed since")
	b.until(`document.querySelector("[role=menuitemcheckbox]")?.innerText.trim() === "Changes since version 1"`)
	b.accessible("versions")
	b.clicks("[role=menuitemcheckbox]")
	b.until(`document.querySelector(".mark.changed") && location.search.includes("since=1")`)
	// A version that is none marks nothing.
	for _, since := range []string{"2", "7", "0", "-1", "x"} {
		b.opens(h, provider.User, fmt.Sprintf("/files/%s?since=%s", file.ID, since))
		b.until(`document.querySelector(".mark.fact, .mark.field")`)
		require.Equal(t, "0", b.value(`document.querySelectorAll(".mark.changed, .against").length`))
	}
	b.quiet(h.address)
}
