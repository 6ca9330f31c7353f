package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxLine is the longest line of a stream.
const maxLine = 1 << 20

// stream reads server-sent events. Their data is a part of the answer each, and [DONE] at
// the end. A stream without that end was cut off, unless the answer had ended by itself.
func (a *attempt) stream(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(bytes.TrimSuffix(lines.Bytes(), []byte("\r")), []byte("data:"))
		if !ok { // a comment, the name of an event, or the end of one
			continue
		}
		if data = bytes.TrimSpace(data); len(data) == 0 {
			continue
		}
		done, err := a.take(data)
		if err != nil {
			return err
		}
		if done && a.heard == 0 {
			return ErrGarbled
		}
		if done {
			return nil
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return ErrGarbled
	}
	return ErrUnreachable // before its end
}

// take takes a part of an answer.
func (a *attempt) take(data []byte) (done bool, err error) {
	if string(data) == "[DONE]" {
		return true, nil
	}
	var c chunk
	if json.Unmarshal(data, &c) != nil {
		return false, ErrGarbled
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return false, ErrBusy
	}
	if c.Usage != nil {
		a.usage = c.Usage
	}
	if c.Model != "" {
		a.model = clean(c.Model)
	}
	if len(c.Choices) == 0 {
		return false, nil
	}
	for _, text := range []*string{c.Choices[0].Delta.Content, c.Choices[0].Message.Content} {
		if text == nil || *text == "" {
			continue
		}
		if a.heard += len(*text); a.heard > maxReplyText {
			return false, ErrGarbled
		}
		if err := a.hear(*text); err != nil {
			return false, &heardError{err}
		}
	}
	return false, nil
}

// clean is a name of a model as it is shown.
func clean(name string) string {
	out := make([]rune, 0, len(name))
	for _, r := range name {
		if r >= ' ' && r != 0x7f && len(out) < 200 {
			out = append(out, r)
		}
	}
	return string(out)
}
