package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
)

// selects words as dragging over them does: in the first element that a selector names
// whose text has them, from its first such word to its last.
func (b *browser) selectsWords(selector, first, last string) {
	b.t.Helper()
	find := func(words string) string {
		return `[...document.querySelectorAll(` + quoted(selector) + `)].find((e) => e.textContent.includes(` + quoted(words) + `))`
	}
	b.until(find(first) + ` && ` + find(last))
	b.value(`(() => {
		const text = (e) => document.createTreeWalker(e, NodeFilter.SHOW_TEXT).nextNode();
		const [from, to] = [text(` + find(first) + `), text(` + find(last) + `)];
		getSelection().setBaseAndExtent(from, from.data.indexOf(` + quoted(first) + `), to, to.data.indexOf(` + quoted(last) + `) + ` + strconv.Itoa(utf8.RuneCountInString(last)) + `);
	})()`)
}

// TestConsoleFields declares a field from words that are selected on a page, marks it in a
// text by keyboard and in others by the API until it is learned, decides on what is proposed,
// and deletes the field and brings it back.
func TestConsoleFields(t *testing.T) {
	h, _, b := consoleBrowser(t)
	person, c := h.signIn(provider.User), h.caller()
	content, err := os.ReadFile("../clausemill/samples/services-agreement.pdf")
	require.NoError(t, err)
	pdf := c.upload(upload{"services-agreement.pdf", content}).ID
	deposit := func(n int) string {
		return fmt.Sprintf("STORAGE AGREEMENT\n\nThis Agreement is made on %d May 2020.\n\n1. Fee\nThe fee of $%d.00 is paid each month. Late payment costs $25.00.\n\n2. Surety\nThe Tenant hands over a surety of $%d,500.00 before moving in.\n\n3. Goods\nNo goods worth more than $90,000.00 are stored.\n", n+1, 90+n, n+2)
	}
	var files []string
	for n := range 13 {
		files = append(files, c.upload(upload{fmt.Sprintf("storage %02d.txt", n), []byte(deposit(n))}).ID)
	}
	c.allEnd(2 * time.Minute)
	fact := func(name string) string {
		return `[...document.querySelectorAll(".facts .fact")].find((e) => e.querySelector("dt").innerText === ` + quoted(name) + `)`
	}

	// Words on a page become the value of a field that is declared on the way; its name is shown as text.
	hostile := `<img src=x onerror=alert(1)> {{7*7}}`
	b.opens(h, provider.User, "/files/"+pdf+"?tab=facts")
	b.until(`document.querySelectorAll(".page .words span").length > 40`)
	const word = "maintain"
	b.selectsWords(".page .words span", word, word) // as a whole, with less of it selected
	b.until(`document.querySelector(".selection-bar button")`)
	b.accessible("fields-selection")
	b.clicks(`.selection-bar button`)
	b.until(`document.activeElement.matches(".choose-input")`)
	b.types(hostile)
	b.until(`document.querySelector(".choose-list .menu-item[data-highlighted]")?.innerText.includes(` + quoted(hostile) + `)`)
	b.accessible("fields-choose")
	b.presses("Enter")
	b.until(`document.querySelector("[role=dialog] input[type=text]")?.value === ` + quoted(hostile))
	b.sets(`[role=dialog] select`, "choice")
	b.until(`document.querySelector("[role=dialog] textarea")`)
	b.accessible("fields-declare")
	b.sets(`[role=dialog] select`, "text")
	b.sets(`[role=dialog] input[type=text]`, "Product "+hostile)
	b.clicks(`[role=dialog] .primary`)
	b.until(`[...document.querySelectorAll(".fact .value")].some((e) => e.innerText.includes(` + quoted(word) + `))`)
	require.Equal(t, "Product "+hostile, b.value(`[...document.querySelectorAll(".fact .value")].find((e) => e.innerText.includes(`+quoted(word)+`)).closest(".fact").querySelector("dt").innerText`))
	require.Equal(t, "0", b.value(`document.querySelectorAll(".panel img").length`))
	// From the value to its words, and the mark goes and comes back.
	b.value(fact("Product "+hostile) + `.querySelector(".value").click()`)
	b.until(`document.querySelector(".mark.picked")`)
	b.value(fact("Product "+hostile) + `.querySelector("[aria-label^='Remove the mark']").click()`)
	b.until(`!` + fact("Product "+hostile) + ` && document.querySelector(".refused li")?.innerText.includes("Product")`)
	b.clicks(`.toast:last-child .link`)
	b.until(fact("Product " + hostile))
	b.quiet(h.address)

	// In a text: the field is declared in the settings, and words without a value of its kind are asked about.
	b.opens(h, provider.User, "/settings/fields")
	b.button("New field")
	b.until(`document.activeElement.matches("[role=dialog] input[type=text]")`)
	b.types("Surety")
	b.sets(`[role=dialog] select`, "money")
	b.sets(`[role=dialog] label:nth-of-type(3) input`, "What does the tenant hand over as surety?")
	b.clicks(`[role=dialog] .primary`)
	b.until(`location.search === "?key=surety_amount" && document.querySelector(".settings-page section")?.innerText.includes("Marked in 0 files")`)
	b.opens(h, provider.User, "/files/"+files[0])
	b.selectsWords(".pages [data-from]", "STORAGE", "STORAGE")
	b.until(`document.querySelector(".selection-bar")`)
	b.presses("f")
	b.until(`document.activeElement.matches(".choose-input")`)
	b.types("suret")
	b.until(`document.querySelectorAll(".choose-list .menu-item").length === 2 && document.querySelector(".choose-list .menu-item[data-highlighted]")?.innerText.includes("Surety")`)
	b.presses("Enter")
	b.until(`document.querySelector("[role=dialog] [role=alert]")?.innerText.includes("these words do not hold")`)
	b.accessible("fields-value")
	b.presses("Escape")
	b.until(`!document.querySelector("[role=dialog]")`)
	b.selectsWords(".pages [data-from]", "$2,500.00", "$2,500.00")
	b.until(`document.querySelector(".selection-bar")`)
	b.value(`document.querySelector(".refused button[aria-label='Mark: Surety']").click()`)
	b.until(fact("Surety") + `?.querySelector(".value").innerText.includes("$2,500.00")`)
	b.value(fact("Surety") + `.querySelector(".value").click()`)
	b.until(`document.querySelector(".pages mark")?.innerText === "$2,500.00"`)
	// Without words it is typed.
	b.opens(h, provider.User, "/files/"+files[1])
	b.button("Mark: Surety")
	b.until(`document.activeElement.matches("[role=dialog] input")`)
	b.types("$3,500.00")
	b.presses("Enter")
	b.until(fact("Surety") + `?.querySelector(".value").innerText.includes("$3,500.00")`)
	b.quiet(h.address, "422")

	// Marked in ten files it is proposed in the others.
	for n := 2; n < 10; n++ {
		sum := fmt.Sprintf("$%d,500.00", n+2)
		before, _, _ := strings.Cut(deposit(n), sum)
		start := utf8.RuneCountInString(before)
		person.does(http.MethodPost, "/api/fields/surety_amount/marks", `{"fileId":%q,"span":{"start":%d,"end":%d}}`, files[n], start, start+len(sum))
	}
	proposed := fact("Surety") + `?.querySelector(".value").innerText.includes("$12,500.00")`
	b.opens(h, provider.User, "/files/"+files[10])
	b.until(proposed)
	require.Contains(t, b.value(fact("Surety")+`.innerText`), "sure")
	b.accessible("fields-proposed")
	b.value(fact("Surety") + `.querySelector(".value").click()`)
	b.until(`document.querySelector(".pages mark")?.innerText === "$12,500.00"`)
	arrives := func(file, decision string, there bool) {
		t.Helper()
		require.Eventually(t, func() bool {
			return strings.Contains(string(person.get("/api/files/"+file+"/documents?limit=1").body), `"decision":"`+decision+`"`) == there
		}, time.Minute, 50*time.Millisecond)
		b.mayLeave()
	}
	b.presses("c")
	b.until(fact("Surety") + `.innerText.includes("confirmed")`)
	arrives(files[10], "confirmed", true)
	b.presses("z")
	b.until(`!` + fact("Surety") + `.innerText.includes("confirmed")`)
	arrives(files[10], "confirmed", false)
	b.opens(h, provider.User, "/files/"+files[11])
	b.until(fact("Surety"))
	b.value(fact("Surety") + `.querySelector(".value").click()`)
	b.presses("n")
	b.until(`!` + fact("Surety") + ` && [...document.querySelectorAll(".refused")].at(-1).innerText.includes("1 refused")`)
	arrives(files[11], "refused", true)

	// What was learned shows in the settings, and the list of files has a column.
	b.opens(h, provider.User, "/settings/fields?key=surety_amount")
	b.until(`document.querySelectorAll("[aria-label=Versions] tbody tr").length >= 1 && document.querySelector("[aria-label=Versions]").innerText.includes("%")`)
	b.accessible("settings-fields")
	b.opens(h, provider.User, "/")
	b.button("Columns")
	b.button("Surety")
	b.until(`[...document.querySelectorAll(".row")].some((e) => e.innerText.includes("storage 10.txt") && e.innerText.includes("$12,500.00"))`)
	b.presses("Escape")
	b.accessible("inbox-fields")

	// Deleted and brought back, its values are there again.
	b.opens(h, provider.User, "/settings/fields?key=surety_amount")
	b.button("Delete: Surety")
	b.until(`!document.querySelector("[aria-label='Scores: Surety']")`)
	b.clicks(`.toast:last-child .link`)
	b.until(`document.querySelector("[aria-label='Scores: Surety']")`)
	b.opens(h, provider.User, "/files/"+files[0])
	b.until(fact("Surety") + `?.querySelector(".value").innerText.includes("$2,500.00")`)
	b.quiet(h.address)
	b.narrow(h, "settings-fields", "/settings/fields?key=surety_amount", `document.querySelector("[aria-label=Versions]")`)
	b.narrow(h, "fields", "/files/"+files[0], fact("Surety"))
}
