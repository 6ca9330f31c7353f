package e2e_test

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
)

// TestConsoleConversation has two people in two browsers talk about a document and in a
// matter. Each sees without loading the page again what the other says, changes and
// deletes; one loses the connection while sending, and what they said arrives once.
func TestConsoleConversation(t *testing.T) {
	h, p, here := consoleBrowser(t)
	there := newBrowser(t, t.TempDir())
	person, colleague := h.signIn(provider.User), h.signIn(provider.Colleague)
	hostile := `<img src=x onerror=alert(1)> </textarea> {{7*7}} & שלום`
	file := h.caller().upload(upload{hostile + ".txt", []byte("The Tenant shall pay the rent.")}).ID
	h.caller().allEnd(time.Minute)
	said := func(nth int) string {
		return `[...document.querySelectorAll(".message .said")].at(` + string(rune('0'+nth)) + `)?.innerText`
	}
	last := `[...document.querySelectorAll(".message .said")].at(-1)?.innerText`
	says := func(b *browser, text string) {
		t.Helper()
		b.until(`document.querySelector(".thread > .write textarea")`)
		b.value(`document.querySelector(".thread > .write textarea").focus()`)
		b.types(text)
		b.presses("Enter")
		b.until(`document.querySelector(".thread > .write textarea").value === ""`)
	}

	// One begins, with the other.
	page := "/files/" + file + "?tab=conversation"
	here.opens(h, provider.User, page)
	here.until(`document.querySelectorAll(".begin fieldset input").length === 1`)
	here.accessible("conversation-begin")
	here.clicks(`.begin fieldset input`)
	here.clicks(`.begin .primary`)
	here.until(`document.activeElement.matches(".thread > .write textarea")`)
	says(here, hostile)
	here.until(last + ` === ` + quoted(hostile))
	require.Equal(t, "0", here.value(`document.querySelectorAll(".conversation img, .conversation script").length`))

	// The other is shown that there is something new, and where it begins.
	there.opens(h, provider.Colleague, "/files/"+file)
	there.until(`document.querySelector(".tab .unread")?.innerText === "1"`)
	there.presses("6")
	there.until(`document.querySelector(".unread-line")`)
	require.Equal(t, hostile, there.value(said(0)))
	there.until(`!document.querySelector(".tab .unread")`)

	// What comes while another tab is open is marked, and not what was read before.
	there.presses("1")
	there.until(`document.querySelector(".tab[aria-selected=true]")?.innerText.startsWith("Facts")`)
	says(here, "Something new")
	there.until(`document.querySelector(".tab .unread")?.innerText === "1"`)
	there.presses("6")
	there.until(`document.querySelector(".unread-line")`)
	require.Equal(t, "Something new", there.value(`document.querySelector(".unread-line").closest(".message").querySelector(".said").innerText`))

	// A mention by keyboard alone; Shift and Enter begin a line.
	there.value(`document.querySelector(".write textarea").focus()`)
	there.types("@d")
	there.until(`document.querySelectorAll(".mentions [role=option]").length > 0`)
	there.accessible("conversation-mention")
	there.presses("Escape")
	there.until(`!document.querySelector(".mentions")`)
	require.Equal(t, "@d", there.value(`document.querySelector(".write textarea").value`))
	there.types("e")
	there.until(`document.querySelectorAll(".mentions [role=option]").length === 1`)
	there.presses("Enter")
	there.until(`document.querySelector(".write textarea").value.endsWith(" ") && document.activeElement.matches("textarea")`)
	there.types("what is this?")
	there.call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": "Enter", "code": "Enter", "text": "\r", "windowsVirtualKeyCode": 13, "modifiers": 8}, nil)
	there.types("Two lines.")
	there.presses("Enter")
	here.until(last + `.endsWith("what is this?\nTwo lines.") && document.querySelector(".mention")`)
	var notifications struct{ Items []struct{ Kind, Link string } }
	person.get("/api/notifications?kind=mention").into(t, http.StatusOK, &notifications)
	require.Len(t, notifications.Items, 1)
	here.accessible("conversation")

	// Own messages are edited and deleted, others' are not.
	require.Equal(t, "2", here.value(`document.querySelectorAll(".message-acts").length`))
	address := here.value(`location.pathname + location.search`)
	require.True(t, strings.HasPrefix(address, page+"&chat="), address)
	here.clicks(`.message-acts button`)
	here.until(`document.activeElement.matches(".message textarea")`)
	here.types(" (what a name)")
	here.presses("Escape")
	here.until(`document.querySelectorAll(".message textarea").length === 0`)
	require.Equal(t, address, here.value(`location.pathname + location.search`))
	first := `document.querySelector(".message-acts button")`
	here.until(`document.activeElement === ` + first)
	here.clicks(`.message-acts button`)
	here.until(`document.activeElement.matches(".message textarea")`)
	here.types(" (what a name)")
	here.accessible("conversation-edit")
	// It was changed elsewhere meanwhile: that is told, nothing typed is lost, and it is saved when it is sent again.
	chat := here.value(`new URLSearchParams(location.search).get("chat")`)
	message := strings.TrimPrefix(there.value(`document.querySelector(".message").id`), "message-")
	person.does(http.MethodPatch, "/api/chats/"+chat+"/messages/"+message, `{"text":"Changed elsewhere"}`)
	here.presses("Enter")
	here.until(`document.querySelector(".toast.failed")`)
	here.clicks(`.toast.failed .bare`)
	require.Equal(t, hostile+" (what a name)", here.value(`document.querySelector(".message textarea").value`))
	here.value(`document.querySelector(".message textarea").focus()`)
	here.presses("Enter")
	there.until(said(0) + ` === ` + quoted(hostile+" (what a name)") + ` && document.querySelector(".message-head").innerText.includes("edited")`)
	here.until(`document.activeElement === ` + first)
	here.quiet(h.address, "409")
	there.quiet(h.address)

	// One whose answer is lost is sent again, and is there once.
	here.value(`(() => {
		const real = window.fetch;
		window.fetch = async (url, init) => {
			if (init?.method !== "POST" || !String(url).includes("/messages")) return real(url, init);
			window.fetch = real;
			await real(url, init);
			throw new TypeError("the answer is lost");
		};
	})()`)
	says(here, "Said once")
	there.until(last + ` === "Said once"`)
	here.until(`!document.querySelector(".outgoing")`)
	var messages struct{ Items []struct{ Text string } }
	texts := func() (all []string) {
		person.get("/api/chats/"+chat+"/messages").into(t, http.StatusOK, &messages)
		for _, one := range messages.Items {
			all = append(all, one.Text)
		}
		return all
	}
	require.Len(t, texts(), 4)
	// What was not sent when the page is loaded again is sent then, whatever it shows.
	here.value(`(() => {
		const real = window.fetch;
		window.fetch = (url, init) => (init?.method === "POST" ? new Promise(() => {}) : real(url, init));
		addEventListener("beforeunload", (event) => event.stopImmediatePropagation(), true); // nobody answers
	})()`)
	says(here, "Said before the page was loaded again")
	here.until(`document.querySelector(".outgoing")`)
	here.call("Page.navigate", map[string]string{"url": "http://" + h.address + "/search"}, nil)
	there.until(last + ` === "Said before the page was loaded again"`)
	here.opens(h, provider.User, address)
	here.until(`document.querySelectorAll(".message-acts").length === 4`)

	// The service goes away while one writes. What is sent waits, what is typed stays, also
	// when the page is loaded again.
	p.signal(syscall.SIGINT)
	p.ends(time.Minute)
	here.until(`document.querySelector(".lost")?.innerText.includes("No connection")`)
	says(here, "Said while nobody listened")
	here.until(`document.querySelector(".outgoing .said")?.innerText === "Said while nobody listened"`)
	here.types("half a thou")
	here.accessible("conversation-lost")
	// Whoever cancels a deletion that waits for the service has deleted nothing.
	here.clicks(`.message-acts button:last-child`)
	here.clicks(`[role=dialog] .danger`)
	here.until(`document.querySelector("[role=dialog] .danger").disabled`)
	here.button("Cancel")
	here.until(`!document.querySelector("[role=dialog]")`)
	h.dev()
	there.until(last + ` === "Said while nobody listened"`)
	here.until(`!document.querySelector(".outgoing")`)
	here.until(last + ` === "Said while nobody listened"`)
	require.Len(t, texts(), 6, "once")
	require.NotContains(t, texts(), "", "none is deleted")
	here.call("Page.navigate", map[string]string{"url": "http://" + h.address + page + "&chat=" + chat}, nil)
	here.until(`document.querySelector(".write textarea")?.value === "half a thou"`)

	here.until(`document.querySelectorAll(".message-acts").length === 5`)
	here.value(`[...document.querySelectorAll(".message-acts button:last-child")].at(-1).click()`)
	here.until(`document.querySelector("[role=dialog] .danger")`)
	here.accessible("conversation-delete")
	here.clicks(`[role=dialog] .danger`)
	here.until(`document.activeElement.matches(".thread-list")`)
	there.until(`[...document.querySelectorAll(".message")].at(-1).innerText.includes("This message was deleted.")`)

	// In a matter.
	matter := person.does(http.MethodPost, "/api/matters", `{"name":"Lease of the roof"}`)
	person.does(http.MethodPost, "/api/matters/"+matter+"/assignments", `{"userId":%q}`, colleague.id)
	here.opens(h, provider.User, "/matters/"+matter)
	here.until(`document.querySelector(".matter .begin input")`)
	here.value(`document.querySelector(".matter .begin input").focus()`)
	here.presses("Escape")
	here.until(`document.activeElement === document.body`)
	require.Equal(t, "/matters/"+matter, here.value(`location.pathname`))
	here.value(`[1, 2].forEach(() => document.querySelector(".matter .begin .primary").click())`)
	here.until(`document.querySelector(".matter .thread")`)
	there.opens(h, provider.Colleague, "/matters/"+matter)
	there.until(`document.querySelector(".matter .thread")`)
	says(here, hostile)
	there.until(last + ` === ` + quoted(hostile))
	var chats struct {
		Items []struct {
			ID     string
			Unread int
		}
	}
	colleague.get("/api/chats?matterId="+matter).into(t, http.StatusOK, &chats)
	require.Len(t, chats.Items, 1, "begun once")
	says(there, "The landlord")
	here.until(last + ` === "The landlord"`)
	here.accessible("matter-conversation")

	// Whoever reads further up has not read what comes below, and stays at their place.
	for range 15 {
		person.does(http.MethodPost, "/api/chats/"+chats.Items[0].ID+"/messages", `{"text":"The roof leaks."}`)
	}
	there.until(`document.querySelectorAll(".message").length === 17`)
	there.value(`document.querySelector(".matter-body").scrollTop = 10000`)
	unread := func() int {
		colleague.get("/api/chats?matterId="+matter).into(t, http.StatusOK, &chats)
		return chats.Items[0].Unread
	}
	require.Eventually(t, func() bool { return unread() == 0 }, 10*time.Second, 50*time.Millisecond)
	there.value(`document.querySelector(".thread-list").scrollTop = 0`)
	says(here, "Who mends it?")
	there.until(last + ` === "Who mends it?"`)
	throughout(t, func() bool { return unread() > 0 })
	require.Equal(t, "0", there.value(`document.querySelector(".thread-list").scrollTop`))
	there.value(`document.querySelector(".thread-list").scrollTop = 10000`)
	require.Eventually(t, func() bool { return unread() == 0 }, 10*time.Second, 50*time.Millisecond)

	// What is refused is told, and can be taken back into the field.
	there.refuses("POST", "/messages")
	says(there, "Or the tenant")
	there.until(`document.querySelector(".outgoing [role=alert]")`)
	there.accessible("conversation-refused")
	there.button("Edit again")
	there.until(`document.querySelector(".write textarea").value === "Or the tenant" && !document.querySelector(".outgoing")`)

	// The chat is deleted and brought back.
	here.clicks(`.conversation-head button.bare:not(.help)`)
	here.button("Delete")
	here.until(`document.querySelector(".matter .begin")`)
	here.clicks(`.toast:last-child .link`)
	here.until(last + ` === "Who mends it?"`)

	// Whoever leaves is asked.
	there.opens(h, provider.Colleague, "/matters/"+matter) // no event tells others that it was brought back
	there.until(`document.querySelector(".matter .thread")`)
	there.clicks(`.conversation-head button.bare:not(.help)`)
	there.button("Leave")
	there.until(`document.querySelector("[role=dialog] .danger")`)
	there.accessible("conversation-leave")
	there.button("Cancel")
	there.until(`!document.querySelector("[role=dialog]") && document.querySelector(".matter .thread")`)

	here.narrow(h, "conversation", page, `document.querySelectorAll(".message").length === 6`)
	here.narrow(h, "matter-conversation", "/matters/"+matter, last+` === "Who mends it?"`)
	require.Equal(t, "0", strings.TrimSpace(here.value(`document.querySelectorAll(".conversation img").length`)))
}
