// Package nlp reads the text of contracts: what its parts are and what they
// say. It is a front: what others call, by the name they call it by. The work is
// done in the rooms behind it, and whoever wants to know how reads there.
//
// Segment is the ground of it all (structure). It takes page texts as they were
// read and answers with the logical documents of the file, their blocks, the tree of
// their sections and their sentences. Extract reads parties, dates, terms, law,
// money and the like, each with its words, and Facts the terms and references as well
// (value, link, fact). Model labels sentences with clauses (label), TypeModel tells
// types of contracts (doctype), both by what learn has. CompareTexts, Sketch, Corpus
// and Wording say what texts have in common, and Carry brings the decisions people
// made about sentences over to a new segmentation (likeness). Tokens counts words
// (lex).
//
// The rooms are pure: text in, values out. They open nothing, keep nothing and
// panic on nothing. Pages and words with boxes are layout's, formats are
// document's, and what is stored is db's.
//
// The one rule to know: inside the rooms positions are bytes (lex.Extent), outside
// they are code points of the canonical text (Span), and structure is where the
// one becomes the other. Every Span satisfies text[start:end] == what it quotes.
package nlp
