// Package nlp reads the text of contracts: what its parts are and what they
// say.
//
// Segment is the ground of it all. It takes page texts as they were read and
// answers with the logical documents of the file, their blocks, the tree of
// their sections and their sentences; Terms, References and Signatures read what
// those define, point at and are signed by. Tokens, Stem and DetectLanguage work
// on any text; Carry brings the decisions people made about sentences over to a
// new segmentation. Extract reads parties, dates, terms, law, money and the
// like, each with its words.
//
// The room is pure: text in, values out. It opens nothing, keeps nothing and
// panics on nothing. Pages and words with boxes are layout's, formats are
// document's, and what is stored is db's.
//
// The one rule to know: inside the room positions are bytes (extent), outside
// they are code points of the canonical text (Span), and Segment is where the
// one becomes the other. Every Span satisfies text[start:end] == what it quotes.
package nlp
