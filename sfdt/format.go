package sfdt

import (
	"fmt"
	"iter"

	"github.com/clausemill/clausemill/docx"
)

// Lengths are in points unless something else is said. A pointer that is nil,
// and an empty string, leave a property to the style.

// Document is a document of the editor.
type Document struct {
	Optimized         bool             `json:"optimizeSfdt"`
	CharacterFormat   *CharacterFormat `json:"characterFormat"`
	ParagraphFormat   *ParagraphFormat `json:"paragraphFormat"`
	DefaultTabWidth   float64          `json:"defaultTabWidth"`
	CompatibilityMode string           `json:"compatibilityMode"`
	TrackChanges      bool             `json:"trackChanges"`
	ProtectionType    string           `json:"protectionType"`
	Enforcement       bool             `json:"enforcement"`
	Background        *Background      `json:"background,omitempty"`
	Styles            []Style          `json:"styles"`
	AbstractLists     []AbstractList   `json:"abstractLists"`
	Lists             []List           `json:"lists"`
	Comments          []Comment        `json:"comments"`
	Revisions         []Revision       `json:"revisions"`
	CustomXML         []CustomXML      `json:"customXml"`
	Sections          []*Section       `json:"sections"`

	images []picture          // by the number that Image.Source gives
	notes  map[string][]Block // by the keys of their stories
}

// A picture is the bytes of an image and their type.
type picture struct {
	contentType string
	data        []byte
}

// Background is the colour of the pages.
type Background struct {
	Color string `json:"color"`
}

// Section is a run of pages of one form.
type Section struct {
	Format         SectionFormat  `json:"sectionFormat"`
	HeadersFooters HeadersFooters `json:"headersFooters"`
	Blocks         []Block        `json:"blocks"`
}

// SectionFormat is the form of a section's pages.
type SectionFormat struct {
	PageWidth                float64  `json:"pageWidth"`
	PageHeight               float64  `json:"pageHeight"`
	LeftMargin               float64  `json:"leftMargin"`
	RightMargin              float64  `json:"rightMargin"`
	TopMargin                float64  `json:"topMargin"`
	BottomMargin             float64  `json:"bottomMargin"`
	HeaderDistance           float64  `json:"headerDistance"`
	FooterDistance           float64  `json:"footerDistance"`
	DifferentFirstPage       bool     `json:"differentFirstPage"`
	DifferentOddAndEvenPages bool     `json:"differentOddAndEvenPages"`
	Bidi                     bool     `json:"bidi"`
	RestartPageNumbering     bool     `json:"restartPageNumbering"`
	PageStartingNumber       int      `json:"pageStartingNumber"`
	PageNumberStyle          string   `json:"pageNumberStyle"`
	EndnoteNumberFormat      string   `json:"endnoteNumberFormat"`
	FootnoteNumberFormat     string   `json:"footNoteNumberFormat"`
	BreakCode                string   `json:"breakCode"` // how it begins: NewPage, NoBreak
	NumberOfColumns          int      `json:"numberOfColumns"`
	EqualWidth               bool     `json:"equalWidth"`
	LineBetweenColumns       bool     `json:"lineBetweenColumns"`
	Columns                  []Column `json:"columns"`
}

// Column is one of several on a page.
type Column struct {
	Width float64 `json:"width"`
	Space float64 `json:"space"`
}

// HeadersFooters are those of a section; one that is nil is that of the section
// before.
type HeadersFooters struct {
	Header          *Body `json:"header,omitempty"`
	Footer          *Body `json:"footer,omitempty"`
	EvenHeader      *Body `json:"evenHeader,omitempty"`
	EvenFooter      *Body `json:"evenFooter,omitempty"`
	FirstPageHeader *Body `json:"firstPageHeader,omitempty"`
	FirstPageFooter *Body `json:"firstPageFooter,omitempty"`
}

// Body is what holds blocks.
type Body struct {
	Blocks []Block `json:"blocks"`

	story *docx.Story
}

// all gives the headers and footers by the names of their fields.
func (h *HeadersFooters) all() iter.Seq2[string, *Body] {
	return func(yield func(string, *Body) bool) {
		_ = yield("header", h.Header) && yield("footer", h.Footer) && yield("evenHeader", h.EvenHeader) &&
			yield("evenFooter", h.EvenFooter) && yield("firstPageHeader", h.FirstPageHeader) && yield("firstPageFooter", h.FirstPageFooter)
	}
}

// Block is a paragraph, which has Inlines, a table, which has Rows, or a content
// control around blocks.
type Block struct {
	ParagraphFormat *ParagraphFormat `json:"paragraphFormat,omitempty"`
	CharacterFormat *CharacterFormat `json:"characterFormat,omitempty"` // of the paragraph mark
	Inlines         *[]Inline        `json:"inlines,omitempty"`

	Rows           []Row        `json:"rows,omitempty"`
	Grid           []float64    `json:"grid,omitempty"`
	TableFormat    *TableFormat `json:"tableFormat,omitempty"`
	ColumnCount    int          `json:"columnCount,omitempty"`
	Title          string       `json:"title,omitempty"`
	Description    string       `json:"description,omitempty"`
	WrapTextAround *bool        `json:"wrapTextAround,omitempty"`

	Control *ContentControl `json:"contentControlProperties,omitempty"`
	Blocks  []Block         `json:"blocks,omitempty"`

	source *docx.Paragraph
}

// ParagraphFormat is how a paragraph is set.
type ParagraphFormat struct {
	StyleName         string      `json:"styleName,omitempty"`
	LeftIndent        *float64    `json:"leftIndent,omitempty"`
	RightIndent       *float64    `json:"rightIndent,omitempty"`
	FirstLineIndent   *float64    `json:"firstLineIndent,omitempty"`
	BeforeSpacing     *float64    `json:"beforeSpacing,omitempty"`
	AfterSpacing      *float64    `json:"afterSpacing,omitempty"`
	SpaceBeforeAuto   *bool       `json:"spaceBeforeAuto,omitempty"`
	SpaceAfterAuto    *bool       `json:"spaceAfterAuto,omitempty"`
	LineSpacing       *float64    `json:"lineSpacing,omitempty"` // lines for Multiple
	LineSpacingType   string      `json:"lineSpacingType,omitempty"`
	TextAlignment     string      `json:"textAlignment,omitempty"`
	OutlineLevel      string      `json:"outlineLevel,omitempty"`
	KeepWithNext      *bool       `json:"keepWithNext,omitempty"`
	KeepLinesTogether *bool       `json:"keepLinesTogether,omitempty"`
	WidowControl      *bool       `json:"widowControl,omitempty"`
	ContextualSpacing *bool       `json:"contextualSpacing,omitempty"`
	Bidi              *bool       `json:"bidi,omitempty"`
	Borders           *Borders    `json:"borders,omitempty"`
	ListFormat        *ListFormat `json:"listFormat,omitempty"`
	Tabs              []Tab       `json:"tabs,omitempty"`
}

// ListFormat puts a paragraph into a list; the list -1 takes it out of that of
// its style.
type ListFormat struct {
	List  int  `json:"listId"`
	Level *int `json:"listLevelNumber,omitempty"` // from 0
}

// Tab is a tab stop, or the removal of one.
type Tab struct {
	Position       float64 `json:"position"`
	DeletePosition float64 `json:"deletePosition"`
	Justification  string  `json:"tabJustification"`
	Leader         string  `json:"tabLeader"`
}

// CharacterFormat is how a run is set. On a paragraph it is that of its mark.
type CharacterFormat struct {
	StyleName         string   `json:"styleName,omitempty"`
	Bold              *bool    `json:"bold,omitempty"`
	BoldBidi          *bool    `json:"boldBidi,omitempty"`
	Italic            *bool    `json:"italic,omitempty"`
	ItalicBidi        *bool    `json:"italicBidi,omitempty"`
	Underline         string   `json:"underline,omitempty"`
	UnderlineColor    string   `json:"underlineColor,omitempty"`
	Strikethrough     string   `json:"strikethrough,omitempty"`
	BaselineAlignment string   `json:"baselineAlignment,omitempty"`
	HighlightColor    string   `json:"highlightColor,omitempty"`
	FontSize          *float64 `json:"fontSize,omitempty"`
	FontSizeBidi      *float64 `json:"fontSizeBidi,omitempty"`
	FontFamily        string   `json:"fontFamily,omitempty"`
	FontFamilyASCII   string   `json:"fontFamilyAscii,omitempty"`
	FontFamilyFarEast string   `json:"fontFamilyFarEast,omitempty"`
	FontFamilyOther   string   `json:"fontFamilyNonFarEast,omitempty"`
	FontFamilyBidi    string   `json:"fontFamilyBidi,omitempty"`
	FontColor         string   `json:"fontColor,omitempty"`
	AllCaps           *bool    `json:"allCaps,omitempty"`
	Hidden            *bool    `json:"hidden,omitempty"`
	Bidi              *bool    `json:"bidi,omitempty"`
	ComplexScript     *bool    `json:"complexScript,omitempty"`
	CharacterSpacing  *float64 `json:"characterSpacing,omitempty"`
	Scaling           *float64 `json:"scaling,omitempty"` // percent
	RevisionIDs       []string `json:"revisionIds,omitempty"`
}

// Inline is a piece of a paragraph: text, the begin or end of a field, a bookmark or a
// comment, a note, an image, a shape or a content control. Its set fields determine
// which.
type Inline struct {
	Text            *string          `json:"text,omitempty"`
	CharacterFormat *CharacterFormat `json:"characterFormat,omitempty"`
	RevisionIDs     []string         `json:"revisionIds,omitempty"`
	BreakClearType  string           `json:"breakClearType,omitempty"`

	FieldType   *int `json:"fieldType,omitempty"` // 0 begins, 2 separates code from result, 1 ends
	HasFieldEnd bool `json:"hasFieldEnd,omitempty"`

	BookmarkType *int   `json:"bookmarkType,omitempty"` // 0 begins, 1 ends
	Name         string `json:"name,omitempty"`

	CommentType *int   `json:"commentCharacterType,omitempty"` // 0 begins, 1 ends
	CommentID   string `json:"commentId,omitempty"`

	NoteType string  `json:"footnoteType,omitempty"`
	Blocks   []Block `json:"blocks,omitempty"`

	*Image
	*Shape
	*Drawing

	Control *ContentControl `json:"contentControlProperties,omitempty"`
	Inlines *[]Inline       `json:"inlines,omitempty"`
}

// Drawing is the position and the size of an image or a shape.
type Drawing struct {
	Width               float64 `json:"width"`
	Height              float64 `json:"height"`
	WidthScale          float64 `json:"widthScale"` // percent
	HeightScale         float64 `json:"heightScale"`
	AlternativeText     string  `json:"alternativeText,omitempty"`
	Visible             bool    `json:"visible"`
	TextWrappingStyle   string  `json:"textWrappingStyle"`
	TextWrappingType    string  `json:"textWrappingType,omitempty"`
	HorizontalPosition  float64 `json:"horizontalPosition"`
	HorizontalOrigin    string  `json:"horizontalOrigin"`
	HorizontalAlignment string  `json:"horizontalAlignment"`
	VerticalPosition    float64 `json:"verticalPosition"`
	VerticalOrigin      string  `json:"verticalOrigin"`
	VerticalAlignment   string  `json:"verticalAlignment"`
	DistanceTop         float64 `json:"distanceTop"`
	DistanceRight       float64 `json:"distanceRight"`
	DistanceLeft        float64 `json:"distanceLeft"`
	DistanceBottom      float64 `json:"distanceBottom"`
	AllowOverlap        bool    `json:"allowOverlap"`
	LayoutInCell        bool    `json:"layoutInCell"`
	ZOrderPosition      float64 `json:"zOrderPosition"`
}

// Image is what makes a drawing a picture.
type Image struct {
	Source   string `json:"imageString"` // its number among the images of the document
	IsInline bool   `json:"isInlineImage"`
	MetaFile bool   `json:"isMetaFile"`
}

// Shape is what makes a drawing a box of text.
type Shape struct {
	ID         int         `json:"shapeId"`
	Type       string      `json:"autoShapeType"`
	LineFormat *LineFormat `json:"lineFormat"`
	FillFormat *FillFormat `json:"fillFormat"`
	TextFrame  *TextFrame  `json:"textFrame"`
}

// LineFormat is the outline of a shape.
type LineFormat struct {
	Line      bool    `json:"line"`
	Type      string  `json:"lineFormatType"`
	Color     string  `json:"color"`
	Weight    float64 `json:"weight"`
	LineStyle string  `json:"lineStyle"`
}

// FillFormat is the inside of a shape.
type FillFormat struct {
	Color string `json:"color"`
	Fill  bool   `json:"fill"`
}

// TextFrame is the text of a shape.
type TextFrame struct {
	VerticalAlignment string  `json:"textVerticalAlignment"`
	LeftMargin        float64 `json:"leftMargin"`
	RightMargin       float64 `json:"rightMargin"`
	TopMargin         float64 `json:"topMargin"`
	BottomMargin      float64 `json:"bottomMargin"`
	Blocks            []Block `json:"blocks"`
}

// ContentControl is what a form asks for at a place.
type ContentControl struct {
	Type        string        `json:"type"`
	Title       string        `json:"title,omitempty"`
	Tag         string        `json:"tag,omitempty"`
	LockControl bool          `json:"lockContentControl"`
	LockContent bool          `json:"lockContents"`
	Placeholder bool          `json:"hasPlaceHolderText"`
	Temporary   bool          `json:"isTemporary"`
	MultiLine   bool          `json:"multiline"`
	Checked     *bool         `json:"isChecked,omitempty"`
	CheckedAs   *CheckState   `json:"checkedState,omitempty"`
	UncheckedAs *CheckState   `json:"uncheckedState,omitempty"`
	ListItems   []ControlItem `json:"contentControlListItems,omitempty"`
}

// CheckState is what a box shows in one of its states.
type CheckState struct {
	Font  string `json:"font"`
	Value string `json:"value"`
}

// ControlItem is a choice of a list.
type ControlItem struct {
	DisplayText string `json:"displayText"`
	Value       string `json:"value"`
}

// Frame is what is around and behind the contents of a table's cells, or of one.
type Frame struct {
	PreferredWidth     float64  `json:"preferredWidth"`
	PreferredWidthType string   `json:"preferredWidthType"`
	LeftMargin         *float64 `json:"leftMargin,omitempty"`
	RightMargin        *float64 `json:"rightMargin,omitempty"`
	TopMargin          *float64 `json:"topMargin,omitempty"`
	BottomMargin       *float64 `json:"bottomMargin,omitempty"`
	Borders            *Borders `json:"borders,omitempty"`
	Shading            *Shading `json:"shading,omitempty"`
}

// TableFormat is how a table is set.
type TableFormat struct {
	StyleName      string  `json:"styleName,omitempty"`
	AllowAutoFit   bool    `json:"allowAutoFit"`
	LeftIndent     float64 `json:"leftIndent"`
	TableAlignment string  `json:"tableAlignment"`
	CellSpacing    float64 `json:"cellSpacing"`
	Bidi           bool    `json:"bidi"`
	Frame
}

// Row is one of a table.
type Row struct {
	Format RowFormat `json:"rowFormat"`
	Cells  []Cell    `json:"cells"`
}

// RowFormat is how a row is set.
type RowFormat struct {
	AllowBreakAcrossPages bool     `json:"allowBreakAcrossPages"`
	IsHeader              bool     `json:"isHeader"`
	Height                float64  `json:"height"`
	HeightType            string   `json:"heightType"`
	GridBefore            int      `json:"gridBefore"`
	GridBeforeWidth       float64  `json:"gridBeforeWidth"`
	GridBeforeWidthType   string   `json:"gridBeforeWidthType"`
	GridAfter             int      `json:"gridAfter"`
	GridAfterWidth        float64  `json:"gridAfterWidth"`
	GridAfterWidthType    string   `json:"gridAfterWidthType"`
	RevisionIDs           []string `json:"revisionIds,omitempty"`
}

// Cell is one of a row. Those that another one spans are left out.
type Cell struct {
	Format      CellFormat `json:"cellFormat"`
	Blocks      []Block    `json:"blocks"`
	ColumnIndex int        `json:"columnIndex"`
}

// CellFormat is how a cell is set.
type CellFormat struct {
	ColumnSpan        int     `json:"columnSpan"`
	RowSpan           int     `json:"rowSpan"`
	CellWidth         float64 `json:"cellWidth"`
	VerticalAlignment string  `json:"verticalAlignment"`
	Frame
}

// Borders are the lines around and inside a paragraph, a table or a cell.
type Borders struct {
	Top          *Border `json:"top,omitempty"`
	Left         *Border `json:"left,omitempty"`
	Right        *Border `json:"right,omitempty"`
	Bottom       *Border `json:"bottom,omitempty"`
	Horizontal   *Border `json:"horizontal,omitempty"`
	Vertical     *Border `json:"vertical,omitempty"`
	DiagonalDown *Border `json:"diagonalDown,omitempty"`
	DiagonalUp   *Border `json:"diagonalUp,omitempty"`
}

// Border is a line.
type Border struct {
	LineStyle    string  `json:"lineStyle"`
	LineWidth    float64 `json:"lineWidth"`
	Color        string  `json:"color"`
	Space        float64 `json:"space"`
	Shadow       bool    `json:"shadow"`
	HasNoneStyle bool    `json:"hasNoneStyle"`
}

// Shading is what fills a table or a cell.
type Shading struct {
	BackgroundColor string `json:"backgroundColor"`
	ForegroundColor string `json:"foregroundColor"`
	Texture         string `json:"texture"`
}

// Style is a named set of formats. Styles refer to each other by name.
type Style struct {
	Type            string           `json:"type"` // Paragraph, Character
	Name            string           `json:"name"`
	BasedOn         string           `json:"basedOn,omitempty"`
	Next            string           `json:"next,omitempty"`
	Link            string           `json:"link,omitempty"`
	ParagraphFormat *ParagraphFormat `json:"paragraphFormat,omitempty"`
	CharacterFormat *CharacterFormat `json:"characterFormat,omitempty"`
}

// AbstractList defines the levels that lists share.
type AbstractList struct {
	ID     int         `json:"abstractListId"`
	Levels []ListLevel `json:"levels"`
}

// ListLevel is how one level of a list is numbered.
type ListLevel struct {
	Pattern         string           `json:"listLevelPattern"`
	NumberFormat    string           `json:"numberFormat"` // "%1.%2", or the bullet
	StartAt         int              `json:"startAt"`
	RestartLevel    int              `json:"restartLevel"`
	FollowCharacter string           `json:"followCharacter"`
	Legal           bool             `json:"isLegalStyleNumbering"`
	StyleName       string           `json:"paraStyleName,omitempty"`
	CharacterFormat *CharacterFormat `json:"characterFormat"`
	ParagraphFormat *ParagraphFormat `json:"paragraphFormat"`
}

// List is an abstract list with changes. Those of one abstract list count on
// together.
type List struct {
	ID        int            `json:"listId"`
	Abstract  int            `json:"abstractListId"`
	Overrides []ListOverride `json:"levelOverrides,omitempty"`
}

// ListOverride changes one level of a list.
type ListOverride struct {
	Level   int        `json:"levelNumber"`
	StartAt int        `json:"startAt"`
	Instead *ListLevel `json:"overrideListLevel,omitempty"`
}

// Comment is a remark with the answers to it.
type Comment struct {
	ID      string    `json:"commentId"`
	Author  string    `json:"author"`
	Initial string    `json:"initial"`
	Date    string    `json:"date"`
	Done    bool      `json:"done"`
	Blocks  []Block   `json:"blocks"`
	Replies []Comment `json:"replyComments"`
}

// CustomXML is data that belongs to a document without being shown. The editor
// keeps it.
type CustomXML struct {
	ID  string `json:"itemID"`
	XML string `json:"xml"`
}

// originID is the id of the custom XML that names what a document was made of.
const originID = "{C1A05E31-11AA-4C0D-8F0B-5FD7D0C0DE01}"

// origin names the bytes of a Word document.
func origin(src *docx.Document) CustomXML {
	return CustomXML{originID, fmt.Sprintf(`<document xmlns="urn:clausemill:document" sha256="%x"/>`, src.SHA256())}
}

// Revision is a tracked change. CustomData keeps its id through the editor,
// which gives the halves of a change that it splits new ones.
type Revision struct {
	ID         string `json:"revisionId"`
	Type       string `json:"revisionType"`
	Author     string `json:"author"`
	Date       string `json:"date"`
	CustomData string `json:"customData,omitempty"`
}
