package e2e_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
)

// TestConsoleNames is asked which of the parties it is, answers with one click, and finds the
// answer in the settings, where it is changed and taken back. It is not asked again.
func TestConsoleNames(t *testing.T) {
	h, _, b := consoleBrowser(t)
	person, c := h.signIn(provider.User), h.caller()
	var files []string
	for n, tenant := range []string{"Carol", "Dave", "Erin"} {
		files = append(files, c.upload(upload{fmt.Sprintf("lease %d.txt", n), []byte(
			"LEASE AGREEMENT\n\nThis Lease Agreement is made by Ada Storage Ltd. (the \"Landlord\") and " + tenant + " Works Ltd. (the \"Tenant\").\n\n1. Rent\n\nThe Tenant shall pay the rent on the first day of each month.\n")}).ID)
	}
	c.allEnd(2 * time.Minute)
	counterparties := func(want ...string) {
		t.Helper()
		require.Eventually(t, func() bool {
			var f struct{ Counterparties []string }
			person.asks(http.MethodGet, "/api/files/"+files[0], "", http.StatusOK, &f)
			return fmt.Sprint(f.Counterparties) == fmt.Sprint(want)
		}, 20*time.Second, 50*time.Millisecond)
	}

	b.opens(h, provider.User, "/")
	b.until(`document.querySelector(".who .button")?.innerText === "Ada Storage Ltd."`)
	b.accessible("inbox-who")
	require.Equal(t, "2", b.value(`document.querySelectorAll(".who .button").length`), "those of one lease are not offered")
	b.refuses("PUT", "/api/teams/names")
	b.button("Ada Storage Ltd.")
	b.until(`document.querySelector(".toast.failed") && document.querySelector(".who")`)
	b.button("Ada Storage Ltd.")
	b.until(`!document.querySelector(".who")`)
	counterparties("Carol Works Ltd.")

	b.opens(h, provider.User, "/settings/names")
	b.until(`document.querySelector(".names li span")?.innerText === "Ada Storage Ltd."`)
	b.accessible("settings-names")
	b.value(`document.querySelector(".settings-page input").focus()`)
	hostile := `<img src=x onerror=alert(1)>`
	b.types(hostile)
	b.presses("Enter")
	b.until(`[...document.querySelectorAll(".names li span")].some((e) => e.innerText === ` + quoted(hostile) + `)`)
	b.until(`document.querySelector(".settings-page input").value === ""`)
	b.clicks(`[aria-label="Remove: Ada Storage Ltd."]`)
	b.until(`document.querySelectorAll(".names li").length === 1`)
	counterparties()
	b.button("We are none of the parties")
	b.until(`document.querySelectorAll(".names li").length === 0`)
	b.narrow(h, "settings-names", "/settings/names", `document.querySelector(".settings-page input")`)
	b.opens(h, provider.User, "/")
	b.until(`document.querySelectorAll(".row").length === 3 && !document.querySelector(".who")`)
}
