package e2e_test

import (
	"net/url"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
)

// TestDocumentationPage searches the documentation, opens an operation and tries it,
// in the light and in the dark. Nothing of it may break the page's own policy, or come
// from elsewhere. `make browser` runs it.
func TestDocumentationPage(t *testing.T) {
	if os.Getenv(browserVariable) == "" {
		t.Skip("is run by `make browser`")
	}
	h := newHome(t, nil)
	h.dev()
	b := newBrowser(t, h.dir)
	page := "http://" + h.address + "/docs"
	const operation = "#operations-Files-listFiles"
	const shown = `document.querySelectorAll(".opblock-tag-section .opblock").length` // webhooks are not among them
	for _, light := range []string{"light", "dark"} {
		b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]string{"name": "prefers-color-scheme", "value": light}}}, nil)
		b.call("Page.navigate", map[string]string{"url": "http://" + h.address + "/auth/login?returnTo=/docs&loginHint=" + url.QueryEscape(provider.User)}, nil)
		b.until(`location.href === "` + page + `" && ` + shown + ` > 200`)
		b.shows(light)

		// The best comes first, in place of what is said of the whole.
		b.value(`(() => { const q = document.getElementById("q"); q.value = "list files"; q.dispatchEvent(new Event("input")); })()`)
		b.until(`document.querySelector("output").value && ` + shown + ` < 100`)
		require.Equal(t, b.value(shown)+" operations", b.value(`document.querySelector("output").value`))
		require.Equal(t, "List files", b.value(`document.querySelector(".opblock-summary-description").innerText`))
		require.Equal(t, "0", b.value(`document.querySelector(".information-container").offsetHeight`))
		b.shows(light + "-search")

		b.value(`document.querySelector("` + operation + ` button").click()`)
		b.until(`document.querySelector("` + operation + ` .execute")`)
		b.value(`document.querySelector("` + operation + `").scrollIntoView()`)
		b.shows(light + "-operation")
		b.value(`document.querySelector("` + operation + ` .execute").click()`)
		const answer = operation + " .live-responses-table .response"
		b.until(`document.querySelector("` + answer + ` .highlight-code")`)
		require.Contains(t, b.value(`document.querySelector("`+answer+`").innerText`), "200")
		require.Contains(t, b.value(`document.querySelector("`+answer+`").innerText`), `"items"`)
		b.value(`document.querySelector("` + answer + `").scrollIntoView()`)
		b.shows(light + "-answer")

		// What is drawn inverted in the dark is so once.
		const code = `document.querySelector("` + answer + ` .highlight-code")`
		require.Equal(t, "none", b.value(`getComputedStyle(`+code+`.querySelector(".microlight")).filter`))
	}
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true}, nil)
	b.value(`scrollTo(0, 0)`)
	b.shows("narrow")
	require.Equal(t, "true", b.value(`document.querySelector("header").scrollWidth <= innerWidth`))

	b.quiet(h.address)
}
