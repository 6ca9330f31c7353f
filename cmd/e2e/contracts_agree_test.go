package e2e_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// closely is how far apart numbers of single precision may be, as a share.
const closely = 1e-5

// agree compares what is told with what the rows come to, number by number, and
// counts the values. Differences are all listed.
func (c *corpus) agree(where string, want, got any) {
	c.t.Helper()
	plain := func(v any) (out any) {
		text, err := json.Marshal(v)
		require.NoError(c.t, err)
		require.NoError(c.t, json.Unmarshal(text, &out))
		return out
	}
	for _, difference := range c.differences(where, plain(want), plain(got)) {
		assert.Fail(c.t, difference)
	}
}

func (c *corpus) differences(where string, want, got any) (list []string) {
	different := []string{fmt.Sprintf("%s: the rows come to %v, and %v is told", where, want, got)}
	switch want := want.(type) {
	case map[string]any:
		other, ok := got.(map[string]any)
		if !ok || len(other) != len(want) {
			return different
		}
		for key, value := range want {
			list = append(list, c.differences(where+"."+key, value, other[key])...)
		}
	case []any:
		other, ok := got.([]any)
		if !ok || len(other) != len(want) {
			return different
		}
		for i, value := range want {
			list = append(list, c.differences(fmt.Sprintf("%s[%d]", where, i), value, other[i])...)
		}
	case float64:
		c.numbers++
		if other, ok := got.(float64); !ok || math.Abs(want-other) > closely*max(1, math.Abs(want)) {
			return different
		}
	default:
		c.numbers++
		if want != got {
			return different
		}
	}
	return list
}

// agreeTop compares the first of a list, at most limit, with all that there is by
// its key: that each is as it should be, that they are in the order of rank, and
// that what was left out ranks no higher.
func agreeTop[T any](c *corpus, where string, want map[string]T, got []T, limit int, key func(T) string, rank func(T) float64) {
	c.t.Helper()
	left := map[string]T{}
	for k, v := range want {
		left[k] = v
	}
	for i, item := range got {
		k := key(item)
		expected, there := left[k]
		require.True(c.t, there, "%s: %q is told, and not there or twice", where, k)
		delete(left, k)
		c.agree(fmt.Sprintf("%s[%s]", where, k), expected, item)
		if i > 0 {
			require.LessOrEqual(c.t, rank(item), rank(got[i-1])+closely, "%s: %q is out of order", where, k)
		}
	}
	require.Len(c.t, got, min(limit, len(want)), "%s: these are left: %v", where, left)
	for k, item := range left {
		require.LessOrEqual(c.t, rank(item), rank(got[len(got)-1])+closely, "%s: %q is left out", where, k)
	}
}

// sorted is a list in an order of our own, where that of the answer is one of
// several that are right.
func sorted[T any](list []T, key func(T) string) []T {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b T) int {
		switch x, y := key(a), key(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return list
}
