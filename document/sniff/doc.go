// Package sniff tells what bytes are: the format of a file, and the encoding of a
// text. The name of a file only decides what its bytes leave open.
//
// Head looks at the start of a file and may do so anywhere. File looks into
// containers as well, and belongs into a child.
package sniff
