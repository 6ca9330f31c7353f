package office

import "github.com/clausemill/clausemill/document/format"

// Opener returns the opener of a format of running text, and nil for other formats.
// Converter is the path of LibreOffice's program, for DOC, or "" if it is not
// installed.
func Opener(kind format.Kind, converter string) format.Opener {
	switch kind { //nolint:exhaustive // the others are no running text
	case format.DOCX:
		return openRunning(readDOCX)
	case format.DOC:
		return openDOC(converter)
	case format.RTF:
		return openRunning(readRTF)
	case format.ODT:
		return openRunning(readODT)
	case format.HTML:
		return openRunning(readHTML)
	case format.EML:
		return openRunning(readEML)
	case format.Text:
		return openRunning(readText)
	default:
		return nil
	}
}
