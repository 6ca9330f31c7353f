// Package sniff detects the format of a file and the encoding of a text from their
// bytes. The name of a file counts only where its bytes are ambiguous.
//
// Head reads the start of a file, and is safe in any process. File also parses
// containers, and must run in a child.
package sniff
