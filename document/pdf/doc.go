// Package pdf reads, draws and writes PDFs.
//
// What a page says and shows is read by pdfium, in a WebAssembly sandbox that can
// neither grow beyond its bounds nor take the process with it (Engine). Its text
// is put together from characters with boxes, and a gate judges whether it can be
// believed (judge). A page that only shows a picture is not drawn: the picture is
// taken out (scan), or handed over as the JPEG that it is (jpeg).
//
// What is written is not passed through the sandbox, whose memory it would
// fill: objects are found where they lie and copied as they are (Sound), and
// Writer writes new ones. A file whose structure is not sound is written anew by
// pdfium first.
package pdf
