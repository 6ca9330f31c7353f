package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// browser is Chromium with one page, driven by the DevTools protocol over two pipes.
type browser struct {
	t       testing.TB
	to      *os.File
	from    *bufio.Reader
	page    string // the target that the session is attached to
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
func newBrowser(t testing.TB, dir string) *browser {
	t.Helper()
	theirs, to, err := os.Pipe()
	require.NoError(t, err)
	from, answers, err := os.Pipe()
	require.NoError(t, err)
	run := exec.CommandContext(t.Context(), os.Getenv(browserVariable), //nolint:gosec // whoever runs the test says which
		"--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--window-size=1280,900", "--user-data-dir="+filepath.Join(dir, "browser"), "about:blank")
	run.ExtraFiles = []*os.File{theirs, answers} // 3 and 4
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, run.Start())
	require.NoError(t, theirs.Close())
	require.NoError(t, answers.Close())
	b := &browser{t: t, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		_, _ = to.WriteString(`{"id":0,"method":"Browser.close"}` + "\x00")
		_ = run.Wait() // it was told to end
		_ = to.Close()
		_ = from.Close()
		// Its other processes may outlive it, and write to its directory.
		for syscall.Kill(-run.Process.Pid, syscall.SIGKILL) == nil {
			time.Sleep(10 * time.Millisecond)
		}
	})
	var targets struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	b.call("Target.getTargets", nil, &targets)
	for _, target := range targets.TargetInfos {
		if target.Type == "page" {
			b.attach(target.TargetID)
		}
	}
	require.NotEmpty(t, b.session)
	return b
}

// attach makes a page the one that commands are for.
func (b *browser) attach(page string) {
	b.t.Helper()
	b.session = ""
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": page, "flatten": true}, &attached)
	b.page, b.session = page, attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
}

// closes the page, as somebody closes a tab, and opens an empty one.
func (b *browser) closes() {
	b.t.Helper()
	old := b.page
	b.session = ""
	var made struct{ TargetID string }
	b.call("Target.createTarget", map[string]string{"url": "about:blank"}, &made)
	b.call("Target.closeTarget", map[string]string{"targetId": old}, nil)
	b.attach(made.TargetID)
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

// until waits for the page. What it shows where that is in vain is kept as a picture.
func (b *browser) until(expression string) {
	b.t.Helper()
	there := false
	defer func() {
		if !there {
			b.shows("failed-" + b.t.Name())
		}
	}()
	require.Eventually(b.t, func() bool { return b.value("!!("+expression+")") == "true" }, time.Minute, 50*time.Millisecond, expression)
	there = true
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

// quiet requires that no page broke its policy, threw an error or asked another server
// for anything, but for what the browser says of the answers with these statuses.
func (b *browser) quiet(address string, statuses ...string) {
	b.t.Helper()
	for _, e := range b.events {
		switch e.Method {
		case "Network.requestWillBeSent":
			var asked struct{ Request struct{ URL string } }
			require.NoError(b.t, json.Unmarshal(e.Params, &asked))
			from := asked.Request.URL
			require.True(b.t, strings.HasPrefix(from, "http://"+address+"/") || strings.HasPrefix(from, "data:") || strings.HasPrefix(from, "blob:"), from)
		case "Log.entryAdded", "Runtime.exceptionThrown":
			statuses := append([]string{"401 (Unauthorized)"}, statuses...) // what a page asked that was left by signing in anew
			expected := slices.ContainsFunc(statuses, func(s string) bool { return strings.Contains(string(e.Params), s) })
			require.True(b.t, expected, "the browser complains: %s", e.Params)
		}
	}
	b.events = nil
}
