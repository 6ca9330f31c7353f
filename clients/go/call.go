package clausemill

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// operation is a request as the generated methods make it.
type operation struct {
	method string
	path   string
	body   any // nil, or what is sent as JSON
	params any // nil, or a struct with tags; see encode
	accept string
}

// path fills ids into the path of an operation, in their order.
func path(template string, ids ...any) string {
	var filled strings.Builder
	for _, id := range ids {
		before, rest, _ := strings.Cut(template, "{")
		_, template, _ = strings.Cut(rest, "}")
		filled.WriteString(before + url.PathEscape(fmt.Sprint(id)))
	}
	return filled.String() + template
}

// send makes an operation's request. What read is given has to be closed.
func (c *Client) send(ctx context.Context, op operation, read func(*Stream) error) error {
	header := http.Header{"Accept": {op.accept}}
	query := url.Values{}
	if op.params != nil {
		encode(op.params, query, header)
	}
	var body []byte
	if op.body != nil {
		var err error
		if body, err = json.Marshal(op.body); err != nil {
			return err
		}
		header.Set("Content-Type", "application/json")
	}
	target := c.base.JoinPath() // a copy
	target.RawPath = c.base.EscapedPath() + op.path
	unescaped, err := url.PathUnescape(target.RawPath)
	if err != nil {
		return err
	}
	target.Path, target.RawQuery = unescaped, query.Encode()
	repeatable := op.method != http.MethodPost && op.method != http.MethodPatch || header.Get(keyHeader) != ""
	return c.do(ctx, repeatable, func(ctx context.Context, _ func()) (*http.Request, error) {
		r, err := http.NewRequestWithContext(ctx, op.method, target.String(), bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		r.Header = header.Clone()
		return r, nil
	}, read)
}

// call makes an operation's request and decodes its answer.
func call[T any](ctx context.Context, c *Client, op operation) (*T, error) {
	out := new(T)
	op.accept = "application/json"
	err := c.send(ctx, op, func(answer *Stream) error {
		return errors.Join(c.decode(answer, out), answer.Close())
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (c *Client) decode(answer *Stream, out any) error {
	if answer.ContentType() != "application/json" {
		return permanent{fmt.Errorf("%s does not answer like Clausemill: it sends %q", c.base, answer.Header.Get("Content-Type"))}
	}
	body, err := io.ReadAll(answer)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, out); err != nil {
		return permanent{fmt.Errorf("%s does not answer like Clausemill: %w", c.base, err)}
	}
	return nil
}

// open makes an operation's request and returns the body of the answer.
func (c *Client) open(ctx context.Context, op operation) (*Stream, error) {
	var out *Stream
	op.accept = "*/*"
	err := c.send(ctx, op, func(answer *Stream) error {
		out = answer
		return nil
	})
	return out, err
}

// exec makes the request of an operation whose answer has no body.
func (c *Client) exec(ctx context.Context, op operation) error {
	op.accept = "*/*"
	return c.send(ctx, op, (*Stream).Close)
}

// redirect makes the request of an operation that sends browsers elsewhere, and
// returns where.
func (c *Client) redirect(ctx context.Context, op operation) (string, error) {
	location := ""
	op.accept = "*/*"
	err := c.send(ctx, op, func(answer *Stream) error {
		location = answer.Header.Get("Location")
		return answer.Close()
	})
	var elsewhere *Error
	if errors.As(err, &elsewhere) && elsewhere.Status > 300 && elsewhere.Status < 400 {
		return elsewhere.location, nil
	}
	return location, err
}

// pages yields the items of a list. List asks for the page at a cursor, and returns
// the cursor of the next one.
func pages[T any](list func(cursor string) (items []T, next *string, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for cursor := ""; ; {
			items, next, err := list(cursor)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if next == nil || *next == "" {
				return
			}
			cursor = *next
		}
	}
}

// keyHeader has a service give its first answer again instead of doing a thing twice.
const keyHeader = "Idempotency-Key"

// encode writes parameters where their tags say, but for zero values. A request that
// can have an idempotency key gets one.
func encode(params any, query url.Values, header http.Header) {
	v := reflect.ValueOf(params)
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		add := header.Add
		name := field.Tag.Get("header")
		if name == "" {
			name, add = field.Tag.Get("query"), query.Add
		}
		switch {
		case name == keyHeader && value.IsZero():
			add(name, rand.Text())
		case value.IsZero():
		case value.Kind() == reflect.Slice:
			for j := range value.Len() {
				add(name, text(value.Index(j)))
			}
		default:
			add(name, text(value))
		}
	}
}

func text(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if at, ok := v.Interface().(time.Time); ok {
		return at.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(v.Interface())
}
