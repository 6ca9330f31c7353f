// Package pdf reads, draws and writes PDFs.
//
// pdfium reads and draws pages, in a WebAssembly sandbox with bounded memory, whose
// crash does not end the process (Engine). The text of a page is assembled from
// characters with boxes, and a gate judges whether it can be used (judge). A page that
// only shows a picture is not drawn: the picture is extracted (scan), or passed on as
// the JPEG that it is (jpeg).
//
// Writing does not pass files through the sandbox, because they would fill its memory.
// Objects are located in the file and copied as they are (Sound), and Writer writes new
// ones. pdfium first rewrites a file whose structure is damaged.
package pdf
