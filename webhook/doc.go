// Package webhook sends signed requests to addresses that callers named.
//
// It knows how a request is signed, which addresses may be reached and how long
// one may take. Which events go to whom, and when a failure is tried again, is
// decided by those who call it.
//
// The rule to know: an address is judged when the connection is made, by the IP
// address that is dialled and not by the name that was looked up. A name that
// leads elsewhere at the second look leads nowhere.
package webhook
