package e2e_test

import (
	"net/http"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
)

// TestConsoleReview decides on doubtful labels by keyboard, takes one decision back, and
// goes on while the service is away.
func TestConsoleReview(t *testing.T) {
	h, p, b := consoleBrowser(t)

	// Nothing is there to review, and it says why.
	b.opens(h, provider.User, "/review")
	b.until(`document.querySelector(".empty h2")?.innerText === "Nothing to review"`)
	b.accessible("review-empty")

	h.caller().upload(upload{`<b>terms</b>.txt`, []byte("Services Agreement\n\nEither party may end this Agreement at any time on notice if the other is acquired.\n\n" +
		"The Supplier may subcontract nothing <i>without</i> consent.\n\nFees are reviewed each year and may be raised.\n\nThe parties keep records which an accountant may see.\n")})
	content, err := os.ReadFile("../../web/public/samples/Consulting agreement (CUAD).pdf")
	require.NoError(t, err)
	h.caller().upload(upload{"consulting.pdf", content})
	person := h.signIn(provider.User)
	var left struct{ Left, Decided int }
	progress := func() (int, int) {
		person.get("/api/review").into(t, http.StatusOK, &left)
		return left.Left, left.Decided
	}
	require.Eventually(t, func() bool { n, _ := progress(); return n > 0 }, time.Minute, 100*time.Millisecond)
	b.opens(h, provider.User, "/review")
	b.until(`document.querySelector(".review-text mark") && document.querySelectorAll(".review-labels button").length > 1`)
	require.Equal(t, "0", b.value(`document.querySelectorAll(".review-text i, .block i").length`))
	b.accessible("review")

	// A decision and back.
	first := b.value(`document.querySelector(".review-text mark").innerText`)
	b.presses("a")
	require.Eventually(t, func() bool { _, n := progress(); return n == 1 }, 20*time.Second, 50*time.Millisecond)
	b.presses("u")
	require.Eventually(t, func() bool { _, n := progress(); return n == 0 }, 20*time.Second, 50*time.Millisecond)
	b.until(`document.querySelector(".review-text mark")?.innerText === ` + quoted(first))
	// One that is refused comes back.
	b.refuses("POST", "/api/sentences/bulk-assign-label")
	b.presses("n")
	b.until(`document.querySelector(".toast.failed")`)
	b.presses("k")
	b.until(`document.querySelector(".review-text mark")?.innerText === ` + quoted(first))
	b.quiet(h.address)

	// What was decided on single labels before stays when a decision on all is taken back.
	var claimed struct{ Items []struct{ ID, Label string } }
	person.asks(http.MethodPost, "/api/review/claims", `{"limit":10}`, http.StatusOK, &claimed)
	at := slices.IndexFunc(claimed.Items, func(item struct{ ID, Label string }) bool { return item.Label != "" })
	require.GreaterOrEqual(t, at, 0)
	b.opens(h, provider.User, "/review")
	b.until(`document.querySelector(".review-text mark")`)
	for range at {
		b.presses("j")
	}
	id := claimed.Items[at].ID
	text := b.value(`document.querySelector(".review-text mark").innerText`)
	person.does(http.MethodPatch, "/api/sentences/"+id+"/validate", `{"add":["insurance"]}`)
	_, decided := progress()
	b.presses("n")
	require.Eventually(t, func() bool { _, n := progress(); return n == decided+1 }, 20*time.Second, 50*time.Millisecond)
	b.presses("u")
	b.until(`document.querySelector(".review-text mark")?.innerText === ` + quoted(text))
	require.Eventually(t, func() bool {
		s := labelsOf(person, id)
		return len(s.Labels) == 2 && s.Labels[0].Node == "insurance" && s.Labels[0].Source == "validated" && s.Labels[1].Source == "predicted"
	}, 20*time.Second, 50*time.Millisecond)
	b.quiet(h.address)
	person.does(http.MethodDelete, "/api/sentences/"+id+"/validate", ``)

	// The service goes away: the decision waits, and is sent when it is back.
	p.signal(syscall.SIGINT)
	p.ends(time.Minute)
	b.presses("n")
	b.until(`document.querySelector(".page-head .doubtful")?.innerText.includes("1 decision not sent yet")`)
	// Whoever leaves now is asked.
	require.Equal(t, "false", b.value(`dispatchEvent(new Event("beforeunload", { cancelable: true }))`))
	h.dev()
	b.until(`!document.querySelector(".page-head .doubtful")`)
	require.Equal(t, "true", b.value(`dispatchEvent(new Event("beforeunload", { cancelable: true }))`))
	_, n := progress()
	require.Equal(t, 1, n)

	b.phone()
	b.opens(h, provider.User, "/review")
	b.until(`document.querySelector(".review-text mark") && document.querySelector(".review-text .quiet") && !document.querySelector(".review .skeleton")`)
	b.shows("console-narrow-review")
	// The sentence and what it may be are in sight, and nothing but the page of all is scrolled.
	b.until(`document.querySelector(".review-text mark").getBoundingClientRect().bottom < 600 && document.querySelector(".review-labels button").getBoundingClientRect().bottom < 688`)
	require.Equal(t, "true", b.value(`[...document.querySelectorAll("#content *")].filter((e) => e.offsetParent && e.scrollHeight > e.clientHeight + 1 && ["auto", "scroll"].includes(getComputedStyle(e).overflowY)).length <= 1`))
	require.Equal(t, "true", b.value(`document.documentElement.scrollWidth <= 360`))

	// A viewer is told that it is for others, and is not led there.
	viewer := h.signIn(provider.Colleague)
	person.does(http.MethodPatch, "/api/teams/users/"+viewer.id, `{"role":"viewer"}`)
	b.opens(h, provider.Colleague, "/review")
	b.until(`document.querySelector(".empty p")?.innerText.startsWith("Members of the team")`)
	require.Equal(t, "0", b.value(`document.querySelectorAll(".side a[href='/review']").length`))
}
