package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/clausemill/clausemill/fault"
)

func TestPublic(t *testing.T) {
	t.Parallel()
	for _, ip := range []string{"8.8.8.8", "93.184.216.34", "172.15.0.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8"} {
		require.True(t, public(netip.MustParseAddr(ip)), ip)
	}
	for _, ip := range []string{
		"127.0.0.1", "127.8.8.8", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
		"100.127.255.255", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1", "240.0.0.1", "255.255.255.255",
		"168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254", // where clouds tell machines their secrets
		"::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1",
		"ff02::1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::", "2001:db8::1", "2001::1", "fec0::1", "100::1",
	} {
		require.False(t, public(netip.MustParseAddr(ip)), ip)
	}
}

func TestCheckURL(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"https://example.com", "https://example.com:8443/a?b=c", "https://8.8.8.8/x", "https://[2606:4700::1111]/", "https://b\u00fccher.example/", "https://a_b.example.com/", "https://1.example.com/"} {
		require.NoError(t, CheckURL(address, false), address)
	}
	for _, address := range []string{
		"", "example.com", "http://example.com", "ftp://example.com", "file:///etc/passwd", "gopher://example.com", "https://", "https:///x", "https:example.com",
		"https://user:pass@example.com", "https://example.com/#x", "https://localhost", "https://LOCALHOST.", "https://a.localhost/", "https://127.0.0.1",
		"https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://169.254.169.254/latest/meta-data", "https://10.1.2.3", "https://example.com:0/",
		"https://example.com:99999/", "https://example.com:x/", "https://exa mple.com",
		"https://2130706433/", "https://0x7f000001/", "https://017700000001/", "https://127.1/", "https://0177.0.0.1/", "https://0x7f.1/", "https://8.8.2056/",
		"https://127\u30020\u30020\u30021/", "https://\uff11\uff12\uff17.0.0.1/", "https://2130706433./", "https://example.com/" + strings.Repeat("x", 2000), "https://[fe80::1%25eth0]/",
	} {
		require.Equal(t, fault.Invalid, fault.KindOf(CheckURL(address, false)), address)
	}
	require.NoError(t, CheckURL("http://127.0.0.1:9000/x", true))
	require.Error(t, CheckURL("ftp://127.0.0.1/x", true))
}

// receiver is a server on this machine that keeps what it is sent.
func receiver(t *testing.T, answer http.HandlerFunc) (url string, got chan *http.Request, bodies chan string) {
	t.Helper()
	got, bodies = make(chan *http.Request, 8), make(chan string, 8)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		bodies <- string(body)
		got <- r
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, got, bodies
}

func TestSend(t *testing.T) {
	t.Parallel()
	url, got, bodies := receiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) })
	secret := NewSecret()
	require.Regexp(t, `^whsec_[0-9A-Za-z+/]{43}=$`, secret)
	previous := NewSecret()
	require.NotEqual(t, secret, previous)
	before := time.Now().Truncate(time.Second)
	status, err := NewSender(true).Send(t.Context(), Request{URL: url + "/in", Secrets: []string{secret, previous}, ID: "d1", Body: []byte(`{"a":1}`)})
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, status)
	r := <-got
	require.Equal(t, http.MethodPost, r.Method)
	require.Equal(t, "/in", r.URL.Path)
	require.Equal(t, "application/json", r.Header.Get("Content-Type"))
	require.Equal(t, "d1", r.Header.Get("webhook-id"))
	seconds, err := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64)
	require.NoError(t, err)
	require.False(t, time.Unix(seconds, 0).Before(before))
	body := []byte(<-bodies)

	// As a receiver does it, with either secret.
	signatures := strings.Fields(r.Header.Get("webhook-signature"))
	require.Len(t, signatures, 2)
	for i, secret := range []string{secret, previous} {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		require.NoError(t, err)
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte("d1." + r.Header.Get("webhook-timestamp") + "." + string(body)))
		require.Equal(t, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)), signatures[i])
	}
}

// TestSign holds signatures to the example of the specification, and of its
// libraries.
func TestSign(t *testing.T) {
	t.Parallel()
	got := sign(keyOf("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	require.Equal(t, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", got)
	require.Equal(t, []byte("cm_hook_0f"), keyOf("cm_hook_0f"), "secrets that were made before go on as they are")
}

func TestSendRefuses(t *testing.T) {
	t.Parallel()
	url, got, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		if status, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/")); err == nil {
			http.Redirect(w, r, "/again", status)
			return
		}
		w.WriteHeader(http.StatusTeapot)
	})
	send := func(s *Sender, address string) (int, error) {
		return s.Send(t.Context(), Request{URL: address, Body: []byte(`{}`)})
	}
	for _, elsewhere := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		status, err := send(NewSender(true), fmt.Sprint(url, "/", elsewhere))
		require.EqualError(t, err, fmt.Sprint("the answer was ", elsewhere, " ", http.StatusText(elsewhere)))
		require.Equal(t, elsewhere, status)
		<-got
	}
	status, err := send(NewSender(true), url)
	require.Error(t, err)
	require.Equal(t, http.StatusTeapot, status)
	<-got

	// What a name leads to is seen when it is dialled, whatever CheckURL saw.
	_, port, _ := strings.Cut(strings.TrimPrefix(url, "http://"), ":")
	for _, address := range []string{url, "http://localhost:" + port, "http://[::ffff:127.0.0.1]:" + port, "http://0.0.0.0:" + port} {
		status, err = send(NewSender(false), address)
		require.ErrorIs(t, err, errPrivate, address)
		require.Zero(t, status)
	}
	require.Empty(t, got, "nothing arrived, not even on redirects")

	_, err = send(NewSender(true), "http://no-such-host.invalid/")
	require.EqualError(t, err, "the name of the host could not be resolved")
	_, err = send(NewSender(false), "http://no-such-host.invalid/")
	require.ErrorIs(t, err, errPrivate, "no other answer than of a name that leads to this machine")
	_, err = send(NewSender(true), "http://127.0.0.1:1/")
	require.EqualError(t, err, "the connection was refused")
}

// turncoat answers every question for an address: with a public one until it has
// turned, and then with those of this machine.
type turncoat struct{ turned atomic.Bool }

// resolver asks a name server of its own.
func (c *turncoat) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	go func() {
		packet := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(packet)
			if err != nil {
				return
			}
			if answer, err := c.answer(packet[:n]); err == nil {
				_, _ = server.WriteTo(answer, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

func (c *turncoat) answer(packet []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(packet); err != nil {
		return nil, err
	}
	m.Response, m.Additionals = true, nil
	header := dnsmessage.ResourceHeader{Name: m.Questions[0].Name, Type: m.Questions[0].Type, Class: dnsmessage.ClassINET}
	v4, v6 := netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr("2606:4700::1111")
	if c.turned.Load() {
		v4, v6 = netip.MustParseAddr("127.0.0.1"), netip.IPv6Loopback()
	}
	switch header.Type { //nolint:exhaustive // nothing else is asked for
	case dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: v4.As4()}}}
	case dnsmessage.TypeAAAA:
		m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AAAAResource{AAAA: v6.As16()}}}
	}
	return m.Pack()
}

// TestNameThatTurns has a name that leads to the internet while it is looked at,
// and to this machine when it is dialled.
func TestNameThatTurns(t *testing.T) {
	t.Parallel()
	url, got, _ := receiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	_, port, _ := strings.Cut(strings.TrimPrefix(url, "http://"), ":")
	var names turncoat
	resolver := names.resolver(t)
	seen, err := resolver.LookupNetIP(t.Context(), "ip", "turncoat.example.")
	require.NoError(t, err)
	for _, ip := range seen {
		require.True(t, public(ip))
	}
	require.NoError(t, CheckURL("https://turncoat.example:"+port, false))
	names.turned.Store(true)
	r := Request{URL: "http://turncoat.example.:" + port, Body: []byte(`{}`)}
	_, err = newSender(false, resolver).Send(t.Context(), r)
	require.ErrorIs(t, err, errPrivate)
	require.Empty(t, got)
	_, err = newSender(true, resolver).Send(t.Context(), r)
	require.NoError(t, err, "so the name does lead there")
	require.Len(t, got, 1)
}

func TestSendGivesUp(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	url, got, _ := receiver(t, func(http.ResponseWriter, *http.Request) { <-release })
	t.Cleanup(func() { close(release) })
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-got
		cancel()
	}()
	_, err := NewSender(true).Send(ctx, Request{URL: url})
	require.EqualError(t, err, "the connection failed")
}

// FuzzCheckURL holds addresses that are let through to what is promised.
func FuzzCheckURL(f *testing.F) {
	for _, address := range []string{"https://example.com/x", "https://[::1]/", "https://127.1/", "https://0x7f.1/", "https://a@b/", "http://x", "https://localhost."} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if CheckURL(address, false) != nil {
			return
		}
		r, err := http.NewRequest(http.MethodPost, address, nil)
		require.NoError(t, err)
		require.Equal(t, "https", r.URL.Scheme)
		require.Nil(t, r.URL.User)
		if ip, err := netip.ParseAddr(r.URL.Hostname()); err == nil {
			require.True(t, public(ip))
		} else {
			require.NotRegexp(t, `(^|\.)[0-9]+\.?$`, r.URL.Hostname())
		}
	})
}
