package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
)

// sideways are the parts of a page that have to be scrolled sideways.
const sideways = `[...document.querySelectorAll(".report, .settings-page")].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.className).join()`

// narrow requires that nothing has to be scrolled sideways on a small screen.
func (b *browser) narrow(h *home, name, path, ready string) {
	b.t.Helper()
	b.phone()
	b.opens(h, provider.User, path)
	b.until(ready)
	b.shows("console-narrow-" + name)
	require.Equal(b.t, "true", b.value(`document.documentElement.scrollWidth <= 360`), name)
	require.Empty(b.t, b.value(sideways), name)
	b.call("Emulation.clearDeviceMetricsOverride", nil, nil)
}

// sets a field of a form, as typing and choosing do.
func (b *browser) sets(selector, value string) {
	b.t.Helper()
	b.until(`document.querySelector(` + quoted(selector) + `)`)
	b.value(`(() => {
		const field = document.querySelector(` + quoted(selector) + `);
		field.value = ` + quoted(value) + `;
		field.dispatchEvent(new Event("input", { bubbles: true }));
		field.dispatchEvent(new Event("change", { bubbles: true }));
	})()`)
}

// TestConsoleMatters makes a matter, puts files into it from the inbox, moves it by
// keyboard and by dragging, has work done in it, restricts and deletes it; each with undo.
func TestConsoleMatters(t *testing.T) {
	h, _, b := consoleBrowser(t)
	person := h.signIn(provider.User)
	h.caller().upload(upload{"lease.txt", []byte("The Tenant shall pay the rent.")})
	hostile := `<img src=x onerror=alert(1)> שלום`
	h.caller().upload(upload{hostile + ".txt", []byte("The Landlord shall repair the roof.")})

	b.opens(h, provider.User, "/matters")
	b.until(`document.querySelector(".empty button")`)
	b.accessible("matters-empty")
	b.presses("c")
	b.until(`document.activeElement.matches("[role=dialog] input[type=text]")`)
	b.types(hostile)
	b.accessible("matters-make")
	b.presses("Enter")
	b.until(`document.querySelector(".matter h1")?.innerText === ` + quoted(hostile))
	matter := b.value(`location.pathname.split("/").at(-1)`)

	// Files come from the inbox, and go back where they were.
	files := func() int {
		var page struct{ Items []any }
		person.get("/api/matters/"+matter+"/files").into(t, http.StatusOK, &page)
		return len(page.Items)
	}
	b.opens(h, provider.User, "/")
	b.until(`document.querySelectorAll(".row").length === 2`)
	for _, undone := range []bool{true, false} {
		b.clicks(`.head-row input`)
		b.button("Add to matter")
		b.until(`[...document.querySelectorAll("[role=dialog] [role=option]")].some((e) => e.innerText === ` + quoted(hostile) + `)`)
		b.value(`[...document.querySelectorAll("[role=dialog] [role=option]")].find((e) => e.innerText === ` + quoted(hostile) + `).click()`)
		b.until(`document.querySelector(".toast")?.innerText.includes("2 files in")`)
		require.Equal(t, 2, files())
		if undone {
			b.clicks(`.toast:last-child .link`) // they are put there again before that is done
		}
	}

	// The board: to the next stage by keyboard, back by undo, on by dragging.
	stage := func() string {
		var one struct{ Stage string }
		person.get("/api/matters/"+matter).into(t, http.StatusOK, &one)
		return one.Stage
	}
	in := func(column string) string {
		return `document.querySelector(".column[aria-label=` + column + `] .card a")`
	}
	b.opens(h, provider.User, "/matters")
	b.until(in("Intake"))
	b.until(`document.querySelector(".card")?.innerText.includes("2")`)
	b.accessible("matters-board")
	b.presses("j")
	b.until(`document.activeElement === ` + in("Intake"))
	b.presses(">")
	b.until(in("Drafting"))
	require.Eventually(t, func() bool { return stage() == "drafting" }, 10*time.Second, 50*time.Millisecond)
	b.until(`document.activeElement === ` + in("Drafting"))
	b.clicks(`.toast:last-child .link`)
	b.until(in("Intake"))
	require.Eventually(t, func() bool { return stage() == "intake" }, 10*time.Second, 50*time.Millisecond)
	b.value(`(() => {
		const dataTransfer = new DataTransfer();
		document.querySelector(".card").dispatchEvent(new DragEvent("dragstart", { bubbles: true, dataTransfer }));
		const column = document.querySelector(".column[aria-label=Review]");
		for (const type of ["dragover", "drop"]) column.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
	})()`)
	b.until(in("Review"))
	require.Eventually(t, func() bool { return stage() == "review" }, 10*time.Second, 50*time.Millisecond)
	b.button("List")
	b.until(`location.search === "?view=list" && document.querySelector(".table tbody th a")?.innerText === ` + quoted(hostile))
	b.accessible("matters-list")

	// Work is assigned, declined, opened again and done; it all shows in the timeline.
	b.opens(h, provider.User, "/matters/"+matter)
	b.until(`document.querySelectorAll(".matter .table tbody tr").length === 2 && document.querySelectorAll(".timeline li").length >= 4`)
	require.Equal(t, "0", b.value(`document.querySelectorAll(".matter img, .matter script").length`))
	b.button("Assign")
	b.until(`document.querySelectorAll(".form.inline select option").length > 1`)
	b.accessible("matter-assign")
	// What is typed there keeps the focus, and Escape leaves the form alone.
	b.value(`document.querySelector(".form.inline input[type=text]").focus()`)
	b.types("Read it")
	b.until(`document.activeElement.value === "Read it"`)
	b.presses("Escape")
	b.until(`!document.querySelector(".form.inline")`)
	require.Equal(t, "/matters/"+matter, b.value(`location.pathname`))
	b.button("Assign")
	b.until(`document.querySelectorAll(".form.inline select option").length > 1`)
	b.sets(`.form.inline select`, person.id)
	b.sets(`.form.inline input[type=date]`, "2020-02-03")
	b.clicks(`.form.inline .primary`)
	b.until(`document.querySelector(".assignments .open .bad")?.innerText.includes("Overdue")`)
	b.button("Decline")
	b.until(`document.querySelector(".assignments .declined")`)
	b.button("Open again")
	b.until(`document.querySelector(".assignments .open")`)
	b.button("Done")
	b.until(`document.querySelector(".assignments .done")`)
	b.accessible("matter")

	// What somebody else does shows without loading the page again.
	person.does(http.MethodPut, "/api/matters/"+matter, `{"name":"Renamed"}`)
	b.until(`document.querySelector(".matter h1")?.innerText === "Renamed"`)

	// A refused stage is not shown.
	b.refuses("PUT", "/api/matters/"+matter)
	b.sets(`.matter .page-head select`, "closed")
	b.until(`document.querySelector(".toast.failed") && document.querySelector(".matter .page-head select").value === "review"`)

	// What somebody changes while one types is told, and nothing that was typed is lost.
	b.value(`document.activeElement.blur()`)
	b.presses("e")
	b.until(`document.activeElement.matches("[role=dialog] input[type=text]")`)
	b.sets(`[role=dialog] input[type=text]`, "Mine")
	person.does(http.MethodPut, "/api/matters/"+matter, `{"description":"Theirs"}`)
	b.clicks(`[role=dialog] .primary`)
	b.until(`document.querySelector("[role=dialog] .note") && document.querySelector("[role=dialog] textarea").value === "Theirs"`)
	require.Equal(t, "Mine", b.value(`document.querySelector("[role=dialog] input[type=text]").value`))
	b.accessible("matter-meanwhile")
	b.clicks(`[role=dialog] .primary`)
	b.until(`document.querySelector(".matter h1")?.innerText === "Mine" && !document.querySelector("[role=dialog]")`)
	b.quiet(h.address, "409")

	// Renamed and restricted, deleted and brought back.
	b.presses("e")
	b.until(`document.activeElement.matches("[role=dialog] input[type=text]")`)
	b.sets(`[role=dialog] input[type=text]`, "Lease of the roof")
	b.sets(`[role=dialog] form > label:last-of-type select`, "restricted")
	b.until(`document.querySelector("[role=dialog] fieldset")`)
	b.accessible("matter-edit")
	b.clicks(`[role=dialog] .primary`)
	b.until(`document.querySelector(".matter h1")?.innerText === "Lease of the roof" && document.querySelector(".matter .chip")?.innerText === "Restricted"`)
	colleague := h.signIn(provider.Colleague)
	require.Equal(t, http.StatusNotFound, colleague.get("/api/matters/"+matter).status)
	b.clicks(`.matter .page-head button.bare`)
	b.button("Delete")
	b.until(`location.pathname === "/matters" && document.querySelector(".empty")`)
	b.clicks(`.toast:last-child .link`)
	b.until(in("Review"))
	b.quiet(h.address)

	b.narrow(h, "matters", "/matters", `document.querySelector(".card")`)
	b.narrow(h, "matter", "/matters/"+matter, `document.querySelector(".matter .table")`)

	// A matter that one may not see is as one that is not.
	b.opens(h, provider.Colleague, "/matters/"+matter)
	b.until(`document.querySelector(".empty h2")?.innerText === "Not found"`)
	b.quiet(h.address, "404")

	// A viewer reads, and is offered no more.
	var people struct{ Items []struct{ ID, Email string } }
	person.get("/api/teams/users").into(t, http.StatusOK, &people)
	for _, one := range people.Items {
		if one.Email == provider.Colleague {
			person.does(http.MethodPatch, "/api/teams/users/"+one.ID, `{"role":"viewer"}`)
		}
	}
	person.does(http.MethodPut, "/api/matters/"+matter, `{"access":"open"}`)
	b.opens(h, provider.Colleague, "/matters")
	b.until(in("Review"))
	require.Equal(t, "0", b.value(`document.querySelectorAll(".matters .primary, .card .bare, .card[draggable=true]").length`))
	b.opens(h, provider.Colleague, "/matters/"+matter)
	b.until(`document.querySelectorAll(".matter .table tbody tr").length === 2`)
	b.until(`document.querySelector(".conversation .primary")`) // viewers may talk
	require.Equal(t, "0", b.value(`[...document.querySelectorAll(".matter header button, .matter-main button, .matter select")].filter((e) => !e.closest(".conversation")).length`))
	b.quiet(h.address)
}
