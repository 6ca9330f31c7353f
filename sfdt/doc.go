// Package sfdt reads and writes SFDT (Syncfusion Document Text), the format in which
// the Syncfusion editor opens and saves documents. Convert makes it from a Word
// document, Encode writes the long or the short form of the format, Read parses what
// the editor saved, and Compare finds what its users did: insertions, deletions and
// formatting, tracked or not, and which tracked changes they accepted or rejected.
//
// Reading and writing Word documents is docx's; applying changes is redline's.
//
// The editor refuses a whole document for a single invalid list or unmatched comment,
// so Convert leaves out whatever is doubtful in the source.
package sfdt

// Version changes with what Convert makes of the same document, so that nobody
// keeps what an older one has made.
const Version = 2

// ContentType is the media type of a document in the format. Nobody registered one;
// it keeps such an answer apart from other JSON.
const ContentType = "application/vnd.syncfusion.sfdt+json"
