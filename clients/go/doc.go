// Package clausemill is the Go client of a Clausemill service: one method for each
// operation of its API, and on top of them what programs need around it.
//
//	c, err := clausemill.New(clausemill.Config{URL: "https://contracts.example.com", Key: key})
//	files, err := c.ListFiles(ctx, clausemill.ListFilesParams{Status: []clausemill.ProcessingStatus{clausemill.ProcessingStatusFailed}})
//
// generated.go is written by `make generate` from the OpenAPI document of the service
// of the same version. By hand are: uploads with progress that resume ([Batch]),
// [Client.WaitForFile], retries, tokens of service accounts ([ClientCredentials]),
// [Client.DownloadRedline] and the receiving end of webhooks ([WebhookHandler]).
//
// How methods are made of operations: ids of the path come first, then the body, then
// the other parameters, if there are any. In parameters and bodies what is optional
// and has its zero value is not sent; where the zero value means something it is a
// pointer: new(false). A method named …All goes over all pages. A body that is no JSON
// is a [Stream] to be closed. An answer that is no success is an [*Error].
//
// A request that may pass later is sent again, after as long as Retry-After says or
// with growing pauses: 429 and 503 always; what leaves open whether it was carried out
// only where repeating is safe. Requests with an Idempotency-Key are made safe by one
// of their own. Config.Patience bounds it, from the first failure on; the time in which
// files are being sent is not counted. After 429 the service is well and says when to
// come back: that is waited for however often. The context ends all of it.
//
// The package shares no code with the service on purpose, and has no dependencies but
// golang.org/x/sync: it knows the HTTP API and nothing else, like any other client.
package clausemill
