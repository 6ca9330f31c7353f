package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"hash/crc32"
	"slices"
	"strings"
	"time"

	"github.com/clausemill/clausemill/db"
)

// A key is a prefix that names its kind, 43 random characters of base62 (256
// bits), and a checksum of both in 6 more. The prefix and the checksum let a
// secret scanner recognise a leaked key without asking anyone, and let us
// refuse a mistyped one without asking the database.
const (
	userPrefix         = "cm_user_"
	organizationPrefix = "cm_org_"
	servicePrefix      = "cm_svc_" // the secret of a service account
	tokenPrefix        = "cm_svt_" // a token of one
	randomLength       = 43
	checksumLength     = 6
	hintLength         = 4
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// CookieName is the cookie that carries a session token. Browsers take one with
// this prefix only from this very host and over TLS, so that a page of a
// neighbouring domain cannot plant its own session. Without TLS, in development,
// it is PlainCookieName.
const (
	CookieName      = "__Host-" + PlainCookieName
	PlainCookieName = "clausemill_session"
)

// SessionLifetime is how long a sign-in lasts: a working day. It is fixed, so
// that a stolen cookie ends with it however busily it is used.
const SessionLifetime = 12 * time.Hour

// Secret is a new key or session token and what is kept of it.
type Secret struct {
	Text string // shown to its owner once
	Hash []byte // SHA-256
	Hint string // the last characters, to tell keys apart in a list
}

// NewKey makes the secret of an API key of kind db.UserKey or
// db.OrganizationKey.
func NewKey(kind string) Secret {
	prefix := userPrefix
	if kind == db.OrganizationKey {
		prefix = organizationPrefix
	}
	return newSecret(prefix)
}

// NewServiceSecret makes the secret of a service account.
func NewServiceSecret() Secret { return newSecret(servicePrefix) }

// NewServiceToken makes a token of a service account.
func NewServiceToken() Secret { return newSecret(tokenPrefix) }

func newSecret(prefix string) Secret {
	text := prefix + randomBase62(randomLength)
	text += checksum(text)
	return Secret{Text: text, Hash: hashOf(text), Hint: text[len(text)-hintLength:]}
}

// ServiceTokenLifetime is how long a token of a service account is good.
const ServiceTokenLifetime = time.Hour

// IsServiceToken reports whether text has the form of a token of a service account.
func IsServiceToken(text string) bool { return strings.HasPrefix(text, tokenPrefix) }

// IsServiceSecret reports whether text could be the secret of a service account that
// was handed out.
func IsServiceSecret(text string) bool { return wellFormed(text, servicePrefix) }

// NewToken makes the secret of a session: 256 random bits.
func NewToken() Secret {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand ends the program instead
	text := base64.RawURLEncoding.EncodeToString(random[:])
	return Secret{Text: text, Hash: hashOf(text)}
}

// wellFormed reports whether text could be a secret with one of the prefixes that
// was handed out.
func wellFormed(text string, prefixes ...string) bool {
	if !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(text, p) }) {
		return false
	}
	_, body, _ := strings.Cut(text[len("cm_"):], "_")
	if len(body) != randomLength+checksumLength {
		return false
	}
	end := len(text) - checksumLength
	return checksum(text[:end]) == text[end:]
}

// checksum is the CRC-32 of text in base62.
func checksum(text string) string {
	sum := crc32.ChecksumIEEE([]byte(text))
	var digits [checksumLength]byte
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = base62[sum%62]
		sum /= 62
	}
	return string(digits[:])
}

// randomBase62 draws n characters, each equally likely.
func randomBase62(n int) string {
	out := make([]byte, 0, n)
	var random [64]byte
	for len(out) < n {
		_, _ = rand.Read(random[:]) // never fails
		for _, b := range random {
			if b &= 63; b < 62 && len(out) < n {
				out = append(out, base62[b])
			}
		}
	}
	return string(out)
}

// HashToken is what is kept of a session token, and of the secret of a service
// account.
func HashToken(text string) []byte { return hashOf(text) }

func hashOf(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}
