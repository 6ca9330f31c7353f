package nlp

import "github.com/clausemill/clausemill/nlp/lex"

// Words of a text, and places in it.
type (
	Span         = lex.Span
	Offsets      = lex.Offsets
	Token        = lex.Token
	TokenOptions = lex.TokenOptions
)

// NewOffsets prepares the conversion between bytes and code points of text.
func NewOffsets(text string) *Offsets { return lex.NewOffsets(text) }

// Tokens counts the words of text, the most frequent first.
func Tokens(text string, options TokenOptions) []Token { return lex.Tokens(text, options) }
