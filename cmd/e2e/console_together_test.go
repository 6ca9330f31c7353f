package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
)

// TestConsoleTogether has two people at work in two browsers: in the review they get
// different sentences, and each sees on a document what the other decides.
func TestConsoleTogether(t *testing.T) {
	h, _, here := consoleBrowser(t)
	there := newBrowser(t, t.TempDir())
	samples, err := filepath.Glob("../../web/public/samples/*.pdf")
	require.NoError(t, err)
	require.Len(t, samples, 3)
	var file string
	for _, path := range samples {
		content, err := os.ReadFile(path) //nolint:gosec // of the repository
		require.NoError(t, err)
		file = h.caller().upload(upload{filepath.Base(path), content}).ID
	}
	h.caller().allEnd(time.Minute)

	const question = `document.querySelector(".review-text mark")?.innerText`
	here.opens(h, provider.User, "/review")
	here.until(question)
	there.opens(h, provider.Colleague, "/review")
	there.until(question)
	mine, theirs := here.value(question), there.value(question)
	require.NotEqual(t, mine, theirs)
	there.presses("a")
	there.until(question + ` !== ` + quoted(theirs))
	here.until(`parseInt(document.querySelector(".page-head [role=status]").innerText.match(/(\d+) decided/)[1]) > 0`)
	here.until(`document.querySelector(".page-head .chip")`) // what the other is given now
	require.Equal(t, mine, here.value(question))
	here.shows("console-together")

	// Who closes the tab lets go of what was kept for them, long before that would end.
	there.until(question)
	theirs = there.value(question)
	there.closes()
	require.Eventually(t, func() bool {
		var queue struct{ Items []struct{ Text string } }
		h.signIn(provider.User).asks(http.MethodPost, "/api/review/claims", `{"limit":50}`, http.StatusOK, &queue)
		return slices.ContainsFunc(queue.Items, func(item struct{ Text string }) bool {
			return strings.Contains(strings.Join(strings.Fields(item.Text), " "), theirs)
		})
	}, 30*time.Second, 100*time.Millisecond)

	// What is decided teaches the model, and how well it does then is shown.
	person := h.signIn(provider.User)
	var sentences struct{ Items []struct{ ID, Label string } }
	person.get("/api/sentences?source=predicted&limit=500").into(t, http.StatusOK, &sentences)
	by := map[string][]string{}
	for _, s := range sentences.Items {
		by[s.Label] = append(by[s.Label], s.ID)
	}
	for label, ids := range by {
		name := "null"
		if label != "" {
			name = quoted(label)
		}
		person.does(http.MethodPost, "/api/sentences/bulk-assign-label", `{"label":%s,"sentenceIds":["%s"]}`, name, strings.Join(ids, `","`))
	}
	var models struct{ Items []struct{ Kind string } }
	require.Eventually(t, func() bool {
		person.get("/api/models/section").into(t, http.StatusOK, &models)
		return slices.ContainsFunc(models.Items, func(m struct{ Kind string }) bool { return m.Kind == "team" })
	}, 4*time.Minute, time.Second)
	here.opens(h, provider.User, "/settings/models")
	here.until(`document.querySelectorAll(".chart circle").length > 1`)
	here.accessible("settings-curve")

	for _, b := range []*browser{here, there} {
		b.opens(h, map[bool]string{true: provider.User, false: provider.Colleague}[b == here], "/files/"+file)
		b.until(`document.querySelectorAll(".fact dd").length > 3`)
	}
	require.Equal(t, "0", here.value(`document.querySelectorAll(".fact .decided").length`))
	there.presses("j")
	there.until(`document.querySelectorAll(".fact .here").length > 0`)
	there.presses("c")
	here.until(`document.querySelectorAll(".fact .decided").length === 1`)
	there.presses("z")
	here.until(`document.querySelectorAll(".fact .decided").length === 0`)
	here.quiet(h.address)
	there.quiet(h.address)
}

// TestConsoleTabs has more tabs open than a browser opens connections to a service: each
// is loaded, hears of what changes, and still does when the tab is closed that listened
// for all.
func TestConsoleTabs(t *testing.T) {
	h, _, b := consoleBrowser(t)
	var pages []string
	for range 8 {
		var made struct{ TargetID string }
		b.session = ""
		b.call("Target.createTarget", map[string]string{"url": "about:blank"}, &made)
		b.attach(made.TargetID)
		b.opens(h, provider.User, "/")
		b.until(`document.querySelector(".empty button")`)
		pages = append(pages, made.TargetID)
	}
	sees := func(files int) {
		t.Helper()
		for _, page := range pages {
			b.attach(page)
			b.until(`document.querySelectorAll(".row").length === ` + strconv.Itoa(files))
		}
	}
	h.caller().upload(upload{"one.txt", []byte("The Tenant shall pay the rent.")})
	sees(1)
	b.session = ""
	b.call("Target.closeTarget", map[string]string{"targetId": pages[0]}, nil)
	pages = pages[1:]
	h.caller().upload(upload{"two.txt", []byte("The Landlord repairs the roof.")})
	sees(2)
	b.until(`document.querySelector(".lost.none")`)
}
