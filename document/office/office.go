package office

import "github.com/clausemill/clausemill/document/format"

// Opener is the table of the formats of running text, one line for each, and nil
// for others. Converter is the path of LibreOffice's program, for DOC, or
// "" where there is none.
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
