// Package webhook sends signed requests to URLs that users configured. They are signed
// as Standard Webhooks (standardwebhooks.com) says, for which there are verifiers in
// many languages; clients/go has the one for Go.
//
// It knows how a request is signed, which addresses may be reached and how long
// a request may take. Which events are delivered to which webhook, and when a
// failure is retried, is decided by its callers.
//
// To prevent SSRF and DNS rebinding, an address is checked when the connection is
// made: by the IP address that is dialled, and not by an earlier lookup of the
// name.
package webhook
