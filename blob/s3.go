package blob

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"
)

// patience is how long a bucket may say nothing and take nothing in the midst of a
// request. Then it counts as away. The client tries three times.
const patience = 15 * time.Second

// openS3 opens a bucket as the driver does, but for connections that do not wait for
// ever: a server or a network that hangs would hold uploads and jobs until it
// is back, and none could be refused or tried elsewhere.
func openS3(ctx context.Context, u *url.URL, patience time.Duration) (*blob.Bucket, error) {
	asIs, err := (&s3blob.URLOpener{}).OpenBucketURL(ctx, u)
	if err != nil {
		return nil, err
	}
	defer asIs.Close()
	var client *s3.Client
	if !asIs.As(&client) {
		panic("blob: the driver of S3 has no client")
	}
	options := client.Options()
	asked := u.Query()
	sse := types.ServerSideEncryption("")
	for _, known := range sse.Values() { // another one is refused above
		if strings.EqualFold(string(known), asked.Get("ssetype")) {
			sse = known
		}
	}
	given, ok := options.HTTPClient.(*awshttp.BuildableClient) // it trusts whom AWS_CA_BUNDLE names
	if !ok {
		given = awshttp.NewBuildableClient()
	}
	waiting := given.WithTransportOptions(func(t *http.Transport) {
		dial := t.DialContext
		t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &impatient{conn, patience}, nil
		}
	})
	return s3blob.OpenBucket(ctx, s3.New(options, func(o *s3.Options) { o.HTTPClient = waiting }), u.Host, &s3blob.Options{
		EncryptionType:             sse,
		KMSEncryptionID:            asked.Get("kmskeyid"),
		RequestChecksumCalculation: options.RequestChecksumCalculation,
	})
}

// impatient is a connection that fails where nothing comes or goes for a while.
// Nobody reads from one ahead of who wants the bytes, so a slow reader costs nothing.
type impatient struct {
	net.Conn

	patience time.Duration
}

func (c *impatient) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

// Write puts off the end of a read as well: who waits for the answer to a long body
// has not waited yet.
func (c *impatient) Write(p []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}
