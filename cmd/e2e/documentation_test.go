package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/cmd/internal/provider"
)

// browser is Chromium with one page, driven by the DevTools protocol over two pipes.
type browser struct {
	t       *testing.T
	to      *os.File
	from    *bufio.Reader
	session string
	sent    int
	events  []browserMessage
}

// browserMessage is an answer to a command, or an event.
type browserMessage struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// newBrowser starts the program that CLAUSEMILL_BROWSER names, with what it keeps below
// dir.
func newBrowser(t *testing.T, dir string) *browser {
	t.Helper()
	theirs, to, err := os.Pipe()
	require.NoError(t, err)
	from, answers, err := os.Pipe()
	require.NoError(t, err)
	run := exec.CommandContext(t.Context(), os.Getenv("CLAUSEMILL_BROWSER"), //nolint:gosec // whoever runs the test says which
		"--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--window-size=1280,900", "--user-data-dir="+filepath.Join(dir, "browser"), "about:blank")
	run.ExtraFiles = []*os.File{theirs, answers} // 3 and 4
	require.NoError(t, run.Start())
	require.NoError(t, theirs.Close())
	require.NoError(t, answers.Close())
	b := &browser{t: t, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		_, _ = to.WriteString(`{"id":0,"method":"Browser.close"}` + "\x00")
		_ = run.Wait() // it was told to end
		_ = to.Close()
		_ = from.Close()
	})
	var targets struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	b.call("Target.getTargets", nil, &targets)
	for _, target := range targets.TargetInfos {
		if target.Type == "page" {
			var attached struct{ SessionID string }
			b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
			b.session = attached.SessionID
		}
	}
	require.NotEmpty(t, b.session)
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// call has the browser do something, and keeps the events that come before it is done.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	b.sent++
	text, err := json.Marshal(map[string]any{"id": b.sent, "method": method, "params": params, "sessionId": b.session})
	require.NoError(b.t, err)
	if b.session == "" {
		text = bytes.Replace(text, []byte(`,"sessionId":""`), nil, 1)
	}
	if params == nil {
		text = bytes.Replace(text, []byte(`,"params":null`), nil, 1)
	}
	_, err = b.to.Write(append(text, 0))
	require.NoError(b.t, err)
	for {
		line, err := b.from.ReadBytes(0)
		require.NoError(b.t, err)
		var m browserMessage
		require.NoError(b.t, json.Unmarshal(bytes.TrimSuffix(line, []byte{0}), &m))
		if m.ID != b.sent {
			b.events = append(b.events, m)
			continue
		}
		require.Empty(b.t, string(m.Error), method)
		if result != nil {
			require.NoError(b.t, json.Unmarshal(m.Result, result))
		}
		return
	}
}

// value is what an expression of the page is worth, as text.
func (b *browser) value(expression string) string {
	b.t.Helper()
	var out struct{ Result struct{ Value any } }
	b.call("Runtime.evaluate", map[string]any{"expression": "String(" + expression + ")", "awaitPromise": true}, &out)
	return fmt.Sprint(out.Result.Value)
}

// until waits for the page.
func (b *browser) until(expression string) {
	b.t.Helper()
	require.Eventually(b.t, func() bool { return b.value("!!("+expression+")") == "true" }, time.Minute, 50*time.Millisecond, expression)
}

// shows keeps a picture, where CLAUSEMILL_PICTURES says.
func (b *browser) shows(name string) {
	b.t.Helper()
	dir := os.Getenv("CLAUSEMILL_PICTURES")
	if dir == "" {
		return
	}
	var picture struct{ Data string }
	b.call("Page.captureScreenshot", nil, &picture)
	content, err := base64.StdEncoding.DecodeString(picture.Data)
	require.NoError(b.t, err)
	require.NoError(b.t, os.WriteFile(filepath.Join(dir, name+".png"), content, 0o600))
}

// TestDocumentationPage searches the documentation, opens an operation and tries it,
// in the light and in the dark. Nothing of it may break the page's own policy, or come
// from elsewhere. `make browser` runs it.
func TestDocumentationPage(t *testing.T) {
	if os.Getenv("CLAUSEMILL_BROWSER") == "" {
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

	for _, e := range b.events {
		switch e.Method {
		case "Network.requestWillBeSent":
			var asked struct{ Request struct{ URL string } }
			require.NoError(t, json.Unmarshal(e.Params, &asked))
			require.True(t, strings.HasPrefix(asked.Request.URL, "http://"+h.address+"/") || strings.HasPrefix(asked.Request.URL, "data:"), asked.Request.URL)
		case "Log.entryAdded", "Runtime.exceptionThrown": // of the policy, too
			require.Fail(t, "the browser complains", "%s", e.Params)
		}
	}
}
