package clausemill

import "encoding/json"

// Nullable is a field of a body that may be left as it is, be cleared or be set. Its
// zero value is not sent.
type Nullable[T any] struct {
	Value *T   // nil clears
	Set   bool // false leaves it as it is
}

// Value sets a field.
func Value[T any](v T) Nullable[T] { return Nullable[T]{&v, true} }

// Null clears a field.
func Null[T any]() Nullable[T] { return Nullable[T]{nil, true} }

// MarshalJSON writes the value or null.
func (n Nullable[T]) MarshalJSON() ([]byte, error) { return json.Marshal(n.Value) }

// UnmarshalJSON notes that there was a value or null.
func (n *Nullable[T]) UnmarshalJSON(text []byte) error {
	n.Set = true
	return json.Unmarshal(text, &n.Value)
}
