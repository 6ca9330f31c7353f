package e2e_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
)

// TestConsoleSecurity has a real browser refuse what the console never does: inline scripts
// and handlers, text parsed as markup, scripts and requests of other hosts, being framed. What
// was uploaded is saved and never rendered, whatever it says it is.
func TestConsoleSecurity(t *testing.T) {
	h, _, b := consoleBrowser(t)
	active := `<!doctype html><title>rendered</title><p>The Tenant shall pay the rent.</p><script>document.title = "run"; window.ran = 1</script>`
	var files []string
	for _, name := range []string{"page.html", "picture.svg", "text.txt"} {
		files = append(files, h.caller().upload(upload{name, []byte(active)}).ID)
	}
	h.caller().allEnd(time.Minute)
	asked := make(chan string, 100) // by the console, of another host
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/frame" {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<iframe src="http://` + h.address + `/"></iframe>`))
			return
		}
		asked <- r.URL.Path
	}))
	defer other.Close()

	b.opens(h, provider.User, "/")
	b.until(`document.querySelectorAll(".row").length === 3`)
	policy := b.value(`fetch("/").then((answer) => answer.headers.get("Content-Security-Policy"))`)
	require.NotContains(t, policy, "unsafe-")
	require.NotContains(t, policy, "*")
	require.NotContains(t, policy, "http")
	// Later, since what a test evaluates itself is not held to the policy.
	b.value(`(() => {
		window.ran = 0;
		window.refused = [];
		addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
		const put = (name, parts) => document.body.append(Object.assign(document.createElement(name), parts));
		const handled = () => {
			const button = document.createElement("button");
			button.setAttribute("onclick", "window.ran = 1");
			document.body.append(button);
			button.click();
		};
		setTimeout(() => {
			put("img", { src: "` + other.URL + `/image" });
			put("link", { rel: "stylesheet", href: "` + other.URL + `/style" });
			fetch("` + other.URL + `/fetch").catch(() => {});
			for (const sink of [
				() => (document.querySelector("main").innerHTML = "<b>markup</b>"),
				handled,
				() => put("script", { textContent: "window.ran = 2" }),
				() => put("script", { src: "` + other.URL + `/script" }),
				() => eval("window.ran = 3"),
				() => setTimeout("window.ran = 4"),
			]) try { sink(); refused.push("no sink"); } catch { refused.push("a sink"); }
		});
	})()`)
	b.until(`["img-src", "connect-src", "style-src-elem", "require-trusted-types-for"].every((one) => refused.includes(one)) && refused.filter((one) => one.endsWith("sink")).length === 6`)
	require.Equal(t, "6", b.value(`refused.filter((one) => one === "a sink").length`), b.value(`refused`))
	require.Equal(t, "0", b.value(`ran`))
	require.Equal(t, "0", b.value(`document.querySelectorAll("body b").length`))
	require.Empty(t, asked, "another host was asked")

	// Its cookie is for no script.
	require.Empty(t, b.value(`document.cookie`))

	// What was uploaded is no page, in any form that it can be had in.
	for _, id := range files {
		for _, path := range []string{"/download", "/download?version=1", "/revision?format=docx&wait=30", "/ocr-download?format=txt"} {
			answer := h.signIn(provider.User).get("/api/files/" + id + path)
			if answer.status == http.StatusOK {
				require.True(t, strings.HasPrefix(answer.header.Get("Content-Disposition"), "attachment;"), path)
				require.Equal(t, "nosniff", answer.header.Get("X-Content-Type-Options"), path)
				require.Contains(t, answer.header.Get("Content-Security-Policy"), "default-src 'none'; frame-ancestors 'none'", path)
			}
		}
		var gone struct{ ErrorText string }
		b.call("Page.navigate", map[string]string{"url": "http://" + h.address + "/api/files/" + id + "/download"}, &gone)
		require.Equal(t, "net::ERR_ABORTED", gone.ErrorText, "it is saved, and the page stays")
		require.Equal(t, "Inbox · Clausemill", b.value(`document.title`))
	}

	// Nobody frames it.
	b.call("Page.navigate", map[string]string{"url": other.URL + "/frame"}, nil)
	b.until(`document.querySelector("iframe") && document.readyState === "complete"`)
	var tree struct {
		FrameTree struct {
			ChildFrames []struct {
				Frame struct{ URL, UnreachableURL string }
			}
		}
	}
	require.Eventually(t, func() bool {
		b.call("Page.getFrameTree", nil, &tree)
		children := tree.FrameTree.ChildFrames
		return len(children) == 1 && children[0].Frame.UnreachableURL != ""
	}, time.Minute, 50*time.Millisecond, "the frame has the console")
	said := false
	for _, e := range b.events {
		text, err := json.Marshal(e)
		require.NoError(t, err)
		said = said || strings.Contains(string(text), "frame-ancestors")
	}
	require.True(t, said, "the browser refuses it for the policy")
}
