package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/idna"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/trace"
)

// The headers of a request beside its type, as Standard Webhooks has them.
const (
	IDHeader        = "webhook-id"        // the same for all attempts, so that receivers can drop duplicates
	TimestampHeader = "webhook-timestamp" // of this attempt, in Unix seconds
	SignatureHeader = "webhook-signature" // one or more of v1,<base64>, separated by spaces
)

const (
	timeout      = 10 * time.Second // for all of a request
	dialTimeout  = 5 * time.Second
	maxHeader    = 16 << 10 // bytes of an answer's headers
	maxDiscarded = 4 << 10  // bytes of an answer's body that are read to keep the connection
	maxURL       = 2000
	secretPrefix = "whsec_"
)

// NewSecret makes the secret of a webhook: 256 random bits.
func NewSecret() string {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand ends the program instead
	return secretPrefix + base64.StdEncoding.EncodeToString(random[:])
}

// sign is one signature: v1 is the HMAC-SHA256 of the id, the timestamp and the
// body, with full stops between them.
func sign(key []byte, id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// keyOf is what a secret stands for. Secrets that release 0.1.0 made have another
// prefix: their characters are the key.
func keyOf(secret string) []byte {
	if encoded, ok := strings.CutPrefix(secret, secretPrefix); ok {
		if key, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			return key
		}
	}
	return []byte(secret)
}

// CheckURL is Invalid unless requests may be sent to address. With private, so
// may those to this machine and its networks, without TLS too.
func CheckURL(address string, private bool) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || len(address) > maxURL || u.Hostname() == "" || u.Opaque != "":
		return fault.New(fault.Invalid, "the URL cannot be read; write https://host/path")
	case u.Scheme != "https" && (u.Scheme != "http" || !private):
		return fault.New(fault.Invalid, "the URL must begin with https://")
	case u.User != nil || u.Fragment != "":
		return fault.New(fault.Invalid, "the URL must have no user and no fragment; requests are signed instead")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return fault.New(fault.Invalid, "the URL has no good port")
		}
	}
	name, err := hostNames.ToASCII(u.Hostname())
	if err != nil {
		return fault.New(fault.Invalid, "the URL has a host that is no name")
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	ip, err := netip.ParseAddr(name)
	if err != nil && number.MatchString(name) {
		return fault.New(fault.Invalid, "the URL has an address that can be read in several ways; write it as four decimal numbers")
	}
	if !private && (name == "localhost" || strings.HasSuffix(name, ".localhost") || err == nil && !public(ip)) {
		return errPrivate
	}
	return nil
}

// hostNames reads names as those who dial them do: full-width letters, digits and
// dots are the plain ones.
var hostNames = idna.New(idna.MapForLookup(), idna.StrictDomainName(false))

// number is a host that ends in a number and is no address for netip: in decimal,
// octal or hexadecimal, or with fewer than four parts. Resolvers take it for one.
var number = regexp.MustCompile(`(^|\.)(0x[0-9a-f]*|[0-9]+)$`)

var errPrivate = fault.New(fault.Invalid, "the host has no public address")

// reserved are ranges of the special-purpose address registries that netip counts
// as public, and the address of Azure's metadata service, which looks like a public
// one.
var reserved = prefixes(
	"168.63.129.16/32",
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10",
)

func prefixes(list ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(list))
	for i, text := range list {
		all[i] = netip.MustParsePrefix(text)
	}
	return all
}

// public reports whether ip is out in the internet. Ranges in which IPv4
// addresses are hidden are not: they lead wherever those do.
func public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, p := range reserved {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}

// Sender sends requests. It is safe for concurrent use.
type Sender struct {
	private bool
	client  *http.Client
}

// NewSender makes a sender. With private it reaches this machine and its
// networks too.
func NewSender(private bool) *Sender { return newSender(private, net.DefaultResolver) }

func newSender(private bool, names *net.Resolver) *Sender {
	dialer := &net.Dialer{
		Timeout:  dialTimeout,
		Resolver: names,
		Control: func(_, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil || !private && !public(at.Addr()) {
				return errPrivate
			}
			return nil
		},
	}
	return &Sender{private, &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			Proxy:                  nil, // what a proxy connects to is out of sight
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    dialTimeout,
			ForceAttemptHTTP2:      true,
			MaxIdleConns:           64,
			MaxIdleConnsPerHost:    2,
			IdleConnTimeout:        30 * time.Second,
			MaxResponseHeaderBytes: maxHeader,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Request is what is sent.
type Request struct {
	URL     string
	Secrets []string // a signature is made with each
	ID      string
	Body    []byte // JSON
}

// Send sends r once and returns the status of the answer, 0 where none came. An
// error says, for the log of the receiver's owner, why the request does not
// count as delivered: no answer, or another than 2xx.
//
// The request names the trace that ctx is part of, so that a receiver may continue it.
func (s *Sender) Send(ctx context.Context, r Request) (status int, err error) {
	ctx, span := trace.Start(ctx, trace.Client, "send webhook")
	defer func() {
		switch {
		case status != 0 && err != nil:
			span.Fail(strconv.Itoa(status))
		case err != nil:
			span.Fail("no_answer")
		}
		if status != 0 {
			span.Set(trace.Status(status))
		}
		span.End(nil)
	}()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, strings.NewReader(string(r.Body)))
	if err != nil {
		return 0, errors.New("the URL cannot be used")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Clausemill-Webhook/1")
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	signatures := make([]string, len(r.Secrets))
	for i, secret := range r.Secrets {
		signatures[i] = sign(keyOf(secret), r.ID, timestamp, r.Body)
	}
	request.Header.Set(IDHeader, r.ID)
	request.Header.Set(TimestampHeader, timestamp)
	request.Header.Set(SignatureHeader, strings.Join(signatures, " "))
	trace.Send(ctx, request.Header)
	response, err := s.client.Do(request)
	if err != nil {
		return 0, reason(err, s.private)
	}
	defer response.Body.Close()
	_, _ = io.CopyN(io.Discard, response.Body, maxDiscarded) // the answer's status is all that counts
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return response.StatusCode, fmt.Errorf("the answer was %d %s", response.StatusCode, http.StatusText(response.StatusCode))
	}
	return response.StatusCode, nil
}

// reason describes an error without revealing the network of the service: unless
// private addresses are allowed, a name that resolves to one looks like a name that
// does not resolve.
func reason(err error, private bool) error {
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(err, errPrivate), !private && errors.As(err, &dns):
		return errPrivate
	case errors.As(err, &dns):
		return errors.New("the name of the host could not be resolved")
	case errors.As(err, &timeout) && timeout.Timeout():
		return errors.New("no answer came in time")
	case errors.Is(err, syscall.ECONNREFUSED):
		return errors.New("the connection was refused")
	case strings.Contains(err.Error(), "tls:") || strings.Contains(err.Error(), "x509:"):
		return errors.New("the certificate or the TLS handshake was not accepted")
	}
	return errors.New("the connection failed")
}
