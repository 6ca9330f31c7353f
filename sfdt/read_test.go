package sfdt_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/clausemill/clausemill/fault"
	"github.com/clausemill/clausemill/sfdt"
)

// TestReadRefuses holds documents that cost too much to being refused before
// they do.
func TestReadRefuses(t *testing.T) {
	t.Parallel()

	within := func(inlines string) string { return `{"sections":[{"blocks":[{"inlines":[` + inlines + `]}]}]}` }
	for name, test := range map[string]struct {
		data string
		kind fault.Kind
	}{
		"text":      {within(`{"text":"` + strings.Repeat("a", 5<<20) + `"}`), fault.TooLarge},
		"lines":     {`{"sections":[{"blocks":[` + strings.Repeat(`{"inlines":[]},`, 300_000) + `{}]}]}`, fault.TooLarge},
		"revisions": {`{"sections":[],"revisions":[` + strings.Repeat(`{"revisionId":"a"},`, 300_000) + `{}]}`, fault.TooLarge},
		"comments":  {`{"sections":[],"comments":[` + strings.Repeat(`{},`, 300_000) + `{}]}`, fault.TooLarge},
		"marks":     {within(`{"text":"a","revisionIds":[` + strings.Repeat(`"x",`, 40) + `"x"]}`), fault.Malformed},
		"depth":     {within(strings.Repeat(`{"inlines":[`, 2000)), fault.Malformed},
		"notes":     {within(strings.Repeat(`{"footnoteType":0,"blocks":[{"inlines":[`, 2000)), fault.Malformed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			saved, err := sfdt.Read([]byte(test.data))
			require.Nil(t, saved)
			require.Equal(t, test.kind, fault.KindOf(err), "%v", err)
		})
	}
}

// TestReadIsLinear reads what once took the square of its size: fields that
// never end, and controls in each other. It would run for minutes otherwise.
func TestReadIsLinear(t *testing.T) {
	t.Parallel()

	var fields strings.Builder
	for range 100_000 {
		fields.WriteString(`{"fieldType":0},{"fieldType":2},{"text":"a"},`)
	}
	nested := strings.Repeat(`{"inlines":[`, 400) + `{"text":"` + strings.Repeat("a", 1<<20) + `"}` + strings.Repeat("]}", 400)
	saved, err := sfdt.Read([]byte(`{"sections":[{"blocks":[{"inlines":[` + fields.String() + nested + `]}]}]}`))
	require.NoError(t, err)
	require.Len(t, saved.Text[0].Runes, 100_000+1<<20)
}

// TestReadTellsPageNumbers marks what the editor counts itself, and only that.
func TestReadTellsPageNumbers(t *testing.T) {
	t.Parallel()

	field := func(code, result string) string {
		return `{"fieldType":0},{"text":"` + code + `"},{"fieldType":2},{"text":"` + result + `"},{"fieldType":1}`
	}
	saved, err := sfdt.Read([]byte(`{"sections":[{"blocks":[{"inlines":[` + field(` page  \\* MERGEFORMAT `, "3") + `,` + field(" REF page ", "p") + `,{"text":"t"}]}]}]}`))
	require.NoError(t, err)
	var counted bytes.Buffer
	for _, r := range saved.Text[0].Runes {
		if r.Counted {
			counted.WriteRune(r.Char)
		}
	}
	require.Equal(t, "3\uFFFCpt", saved.Text[0].String())
	require.Equal(t, "3\uFFFC", counted.String())
}
