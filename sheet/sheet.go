package sheet

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// Writer takes the rows of a table, the headings first.
type Writer interface {
	// Row writes a row. Cells are strings, integers, floats, json.Number, booleans
	// and times, pointers to them, or nil for an empty cell.
	Row(cells ...any) error

	// Close ends the table. Without it what was written is cut off.
	Close() error
}

// cell is a value as text, and whether it is a number.
func cell(v any) (text string, number bool) {
	switch v := v.(type) {
	case nil:
		return "", false
	case string:
		return v, false
	case *string:
		if v == nil {
			return "", false
		}
		return *v, false
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case *float32:
		if v == nil {
			return "", false
		}
		return strconv.FormatFloat(float64(*v), 'f', -1, 32), true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), false
	case time.Time:
		return v.UTC().Format(time.RFC3339), false
	case *time.Time:
		if v == nil {
			return "", false
		}
		return v.UTC().Format(time.RFC3339), false
	default:
		return fmt.Sprint(v), false
	}
}

// longestCell is how many code units of UTF-16 a cell has room for.
const longestCell = 32_767

// clean is text without what a cell cannot hold.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r < ' ' && r != '\t' && r != '\n' || r == 0xFFFE || r == 0xFFFF {
			return -1
		}
		return r
	}, text)
}

// fit is as much of text as a cell has room for.
func fit(text string) string {
	if len(text) <= longestCell {
		return text
	}
	room := longestCell
	for i, r := range text {
		if room -= utf16.RuneLen(r); room < 0 {
			return text[:i]
		}
	}
	return text
}
