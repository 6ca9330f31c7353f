// Package fact extracts the facts of a contract as a whole: its name, parties, dates,
// term, notice, governing law and value.
//
// Extract finds the values in the text (value), and decides by their context which of
// them are facts of the file, each with its evidence and a confidence. How strong
// evidence is was set by hand for each rule; confidences are fitted to it. Read adds
// defined terms and cross-references (link).
//
// The rules are our own, developed on the development part of CUAD; clausemill eval
// scores them.
package fact
