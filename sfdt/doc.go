// Package sfdt speaks the Syncfusion Document Text format, in which the web
// editor of that name opens and saves documents. Convert makes one of a Word
// document, Encode writes it in the long or the short form of the format, Read
// takes back what the editor saved, and Compare tells what its users did: what
// they typed, struck and set, tracked or not, and which tracked changes they
// accepted or rejected.
//
// Reading and writing Word documents is left to docx; what becomes of a change
// to redline.
//
// The one rule: the editor refuses a document for a single wrong list or an
// unmatched comment, so whatever is doubtful in the source is left out here.
package sfdt

// Version changes with what Convert makes of the same document, so that nobody
// keeps what an older one has made.
const Version = 2
