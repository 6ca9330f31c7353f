package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
)

// TestConsoleSettings invites, makes a key and revokes it, changes a role and undoes it,
// adds and deletes a label, restores and purges, as an admin; then looks as a viewer.
func TestConsoleSettings(t *testing.T) {
	h, _, b := consoleBrowser(t)
	person := h.signIn(provider.User)
	colleague := h.signIn(provider.Colleague)
	hostile := `<img src=x onerror=alert(1)>`
	person.does(http.MethodPost, "/api/matters", `{"name":%s}`, quoted(hostile))

	b.opens(h, provider.User, "/settings/people")
	b.until(`document.querySelectorAll(".settings select").length === 3`)
	b.accessible("settings-people")
	role := `.settings tbody tr:nth-child(` + b.value(`[...document.querySelectorAll(".settings tbody tr")].findIndex((e) => e.innerText.includes("`+provider.Colleague+`")) + 1`) + `) select`
	roleOf := func(of string) bool {
		var session struct{ Team struct{ Role string } }
		colleague.get("/api/session").into(t, http.StatusOK, &session)
		return session.Team.Role == of
	}
	before := b.value(`document.querySelector(` + quoted(role) + `).value`)
	b.refuses("PATCH", "/api/teams/users/")
	b.sets(role, "viewer")
	b.until(`document.querySelector(".toast.failed") && document.querySelector(` + quoted(role) + `).value === ` + quoted(before))
	b.sets(role, "viewer")
	require.Eventually(t, func() bool { return roleOf("viewer") }, 10*time.Second, 50*time.Millisecond)
	b.clicks(`.toast:last-child .link`)
	require.Eventually(t, func() bool { return roleOf(before) }, 10*time.Second, 50*time.Millisecond)
	b.sets(`.settings input[type=email]`, "new@example.com")
	b.button("Invite")
	b.until(`document.querySelector("[role=dialog] .secret")?.innerText.length > 20`)
	b.accessible("settings-secret")
	// It is not lost by a key or a click beside it.
	b.presses("Escape")
	b.value(`document.querySelector(".dialog-place").dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, button: 0 }))`)
	time.Sleep(200 * time.Millisecond)
	require.Equal(t, "1", b.value(`document.querySelectorAll("[role=dialog] .secret").length`))
	b.button("I have kept it")
	b.until(`!document.querySelector("[role=dialog]") && [...document.querySelectorAll(".settings tbody th")].some((e) => e.innerText === "new@example.com")`)

	// A key is shown once, works, and is refused after it was revoked.
	// The list that was asked for before it was made comes late, and is not taken for the newest.
	var held struct{ Identifier string }
	b.call("Page.addScriptToEvaluateOnNewDocument", map[string]string{"source": `{
		const real = window.fetch;
		let first = true;
		window.fetch = async (url, init) => {
			const answer = await real(url, init);
			if (first && (init?.method ?? "GET") === "GET" && String(url).includes("/api/api-keys")) {
				first = false;
				await new Promise(() => {});
			}
			return answer;
		};
	}`}, &held)
	b.opens(h, provider.User, "/settings/keys")
	b.call("Page.removeScriptToEvaluateOnNewDocument", map[string]string{"identifier": held.Identifier}, nil)
	b.sets(`.settings form input`, hostile)
	b.button("Make a key")
	b.until(`document.querySelector("[role=dialog] .secret")`)
	key := newCaller(t, h.address, http.Header{"Authorization": {"Bearer " + b.value(`document.querySelector("[role=dialog] .secret").innerText`)}})
	require.Equal(t, http.StatusOK, key.get("/api/files").status)
	b.button("I have kept it")
	b.button("Revoke: " + hostile)
	b.until(`document.querySelector("[role=dialog] .danger")`)
	b.clicks(`[role=dialog] .danger`)
	b.until(`!document.querySelector("[role=dialog]")`)
	require.Equal(t, http.StatusUnauthorized, key.get("/api/files").status)
	b.until(`![...document.querySelectorAll("button")].some((e) => e.ariaLabel === ` + quoted("Revoke: "+hostile) + `)`)

	// So with an account, which also gets another secret.
	b.opens(h, provider.User, "/settings/accounts")
	b.sets(`.settings form input[type=text]`, "Nightly import")
	b.button("Make an account")
	b.until(`document.querySelector("[role=dialog] .secret")?.innerText.startsWith("client_id=")`)
	first := b.value(`document.querySelector("[role=dialog] .secret").innerText`)
	b.button("I have kept it")
	b.button("New secret: Nightly import")
	b.until(`(document.querySelector("[role=dialog] .secret")?.innerText ?? ` + quoted(first) + `) !== ` + quoted(first))
	b.button("I have kept it")
	b.button("Revoke: Nightly import")
	b.clicks(`[role=dialog] .danger`)
	b.until(`document.querySelector(".settings tbody tr")?.innerText.includes("revoked") && !document.querySelector(".settings tbody button")`)

	// Every other page, in both themes.
	for _, page := range []string{"accounts", "webhooks", "labels", "fields", "models", "flags", "audit", "trash", "keys"} {
		b.opens(h, provider.User, "/settings/"+page)
		b.until(`document.querySelector(".settings-page h1") && !document.querySelector(".settings-page .skeleton")`)
		b.accessible("settings-" + page)
	}
	b.opens(h, provider.User, "/settings/labels")
	b.sets(`.settings section:nth-of-type(2) input`, "Roof repairs")
	b.button("Add a label")
	b.button("Delete: Roof repairs")
	b.clicks(`.toast:last-child .link`)
	b.until(`[...document.querySelectorAll(".settings tbody th")].some((e) => e.innerText === "Roof repairs")`)

	// The audit is narrowed by its address.
	b.opens(h, provider.User, "/settings/audit?action=matter.created")
	b.until(`document.querySelectorAll(".settings tbody tr").length === 1`)
	// What it is about has its name, and leads there; ids that have none are not shown.
	require.Equal(t, hostile, b.value(`document.querySelector(".settings tbody td.wide a[href^='/matters/']").innerText`))
	b.opens(h, provider.User, "/settings/audit")
	b.until(`document.querySelectorAll(".settings tbody tr").length > 3`)
	require.Equal(t, "false", b.value(`/[0-9a-f]{8}-[0-9a-f]{4}-/.test(document.querySelector(".settings tbody").innerText)`))
	// Both of its days are in it.
	today := time.Now().UTC().Format("2006-01-02")
	b.opens(h, provider.User, "/settings/audit?action=matter.created&from="+today+"&to="+today)
	b.until(`document.querySelectorAll(".settings tbody tr").length === 1`)

	// What was deleted comes back, or goes for good.
	var matters struct{ Items []struct{ ID string } }
	person.get("/api/matters").into(t, http.StatusOK, &matters)
	person.does(http.MethodDelete, "/api/matters/"+matters.Items[0].ID, ``)
	b.opens(h, provider.User, "/settings/trash")
	b.until(`document.querySelector(".settings tbody th")?.innerText === ` + quoted(hostile))
	b.button("Restore: " + hostile)
	b.until(`!document.querySelector(".settings tbody")`)
	person.get("/api/matters/"+matters.Items[0].ID).into(t, http.StatusOK, &struct{}{})
	person.does(http.MethodDelete, "/api/matters/"+matters.Items[0].ID, ``)
	b.opens(h, provider.User, "/settings/trash")
	b.button("Purge: " + hostile)
	b.clicks(`[role=dialog] .danger`)
	b.until(`!document.querySelector(".settings tbody")`)
	require.Equal(t, http.StatusNotFound, person.get("/api/matters/"+matters.Items[0].ID).status)
	b.quiet(h.address)
	b.narrow(h, "settings", "/settings/people", `document.querySelector(".settings select")`)
	b.narrow(h, "settings-audit", "/settings/audit", `document.querySelector(".settings-page tbody tr")`)

	// A viewer is offered nothing that they may not do.
	person.does(http.MethodPatch, "/api/teams/users/"+colleague.id, `{"role":"viewer"}`)
	for _, page := range []string{"people", "labels", "flags", "trash"} {
		b.opens(h, provider.Colleague, "/settings/"+page)
		b.until(`document.querySelector(".settings-page h1") && !document.querySelector(".settings-page .skeleton")`)
		require.Equal(t, "0", b.value(`document.querySelectorAll(".settings-page button:not(.help), .settings-page select, .settings-page input").length`), page)
	}
	for path, hidden := range map[string]string{"/": ".page-head .primary, .inbox .empty .button", "/questions": ".report .primary"} {
		b.opens(h, provider.Colleague, path)
		b.until(`document.querySelector(".page-head h1") && !document.querySelector(".skeleton")`)
		require.Equal(t, "0", b.value(`document.querySelectorAll(`+quoted(hidden)+`).length`), path)
	}
	b.opens(h, provider.Colleague, "/settings/people")
	links := b.value(`document.querySelector(".settings nav").innerText`)
	require.False(t, strings.Contains(links, "Webhooks") || strings.Contains(links, "Service accounts"), links)
	b.opens(h, provider.Colleague, "/settings/webhooks")
	b.until(`document.querySelector(".settings .empty h2")?.innerText === "Not found"`)
	b.quiet(h.address)
}
