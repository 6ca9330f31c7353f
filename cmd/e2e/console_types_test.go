package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
)

// TestConsoleTypes looks at what a type of contract usually says, and opens the files
// behind a bar.
func TestConsoleTypes(t *testing.T) {
	h, _, b := consoleBrowser(t)
	b.opens(h, provider.User, "/types")
	b.until(`document.querySelector(".report .empty h2")`)
	b.accessible("types-empty")

	c := h.caller()
	content, err := os.ReadFile(filepath.Join("../clausemill/samples", "services-agreement.pdf"))
	require.NoError(t, err)
	c.upload(upload{"<b>services</b>.pdf", content})
	for i := range 2 {
		c.upload(upload{fmt.Sprintf("other %d.txt", i), []byte(fmt.Sprintf("SERVICES AGREEMENT\n\nThis Services Agreement is made on %d March 2021 between Acme Corp. (\"Client\") and Bolt GmbH (\"Provider\").\n\n"+
			"1. Services. Provider shall perform the services that Client orders.\n\n2. Governing law. This Agreement is governed by the laws of the State of Delaware.\n\n"+
			"3. Assignment. Neither party may assign this Agreement without the consent of the other party, number %d.\n", i+3, i))})
	}
	c.allEnd(time.Minute)
	b.until(`document.querySelector(".types tbody a")`)
	b.accessible("types")

	b.clicks(`.types tbody th a`)
	b.until(`document.querySelectorAll(".widget .chart-bar").length > 0`)
	b.accessible("type")
	require.Equal(t, "0", b.value(`document.querySelectorAll(".report td b, .report th b, .report option b").length`))
	b.shows("console-type")

	// A bar opens the files that have the clause: as many as it says.
	share := b.value(`document.querySelector(".widget .chart-value").textContent`)
	require.Contains(t, share, "%")
	b.value(`document.querySelector(".widget .chart tbody a").click()`)
	b.until(`location.pathname === "/" && new URLSearchParams(location.search).has("filter") && document.querySelectorAll(".row").length > 0`)

	b.phone()
	b.opens(h, provider.User, "/types")
	b.until(`document.querySelector(".types tbody a")`)
	require.Equal(t, "true", b.value(`document.documentElement.scrollWidth <= 360`))
	b.clicks(`.types tbody th a`)
	b.until(`document.querySelectorAll(".widget .chart-bar").length > 0`)
	b.shows("console-narrow-type")
	b.until(`document.querySelector(".report-part select option")`)
	require.Equal(t, "true", b.value(`document.documentElement.scrollWidth <= 360`))
	require.Empty(t, b.value(sideways))
	b.quiet(h.address, "409") // before the type is analysed
}
