package redline

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/clausemill/clausemill/docx"
)

// items compares what two paragraphs hold beside text, kind by kind.
func (u *unsaid) items(old, new *portrait) {
	same := slices.Equal(old.words.text, new.words.text)
	values := func(p *portrait) (map[string][]string, []string) {
		all, order := map[string][]string{}, []string(nil)
		for _, i := range p.items {
			if all[i.kind] == nil {
				order = append(order, i.kind)
			}
			value := i.value
			if same && i.kind != "field" { // else their places differ with the words
				value += " at " + strconv.Itoa(i.at)
			}
			all[i.kind] = append(all[i.kind], value)
		}
		return all, order
	}
	was, order := values(old)
	is, more := values(new)
	for _, kind := range more {
		if !slices.Contains(order, kind) {
			order = append(order, kind)
		}
	}
	for _, kind := range order {
		a, b := was[kind], is[kind]
		i, j := 0, 0
		for _, m := range append(common(a, b), match{len(a), len(b)}) {
			for i < m.a || j < m.b {
				var gone, new string
				if i < m.a {
					gone, i = a[i], i+1
				}
				if j < m.b {
					new, j = b[j], j+1
				}
				u.differ(old.place(), kind, gone, new)
			}
			i, j = m.a+1, m.b+1
		}
	}
}

// quiet are settings of programs and not of the document.
var quiet = []string{
	"rsids", "zoom", "proofState", "shapeDefaults", "hdrShapeDefaults", "themeFontLang", "activeWritingStyle", "hideSpellingErrors", "hideGrammaticalErrors",
	"w14:docId", "w15:docId", "w15:chartTrackingRefBased", "w15:persistentDocument",
}

// volatileProperties are counted or dated when a document is saved.
var volatileProperties = []string{
	"Pages", "Words", "Characters", "CharactersWithSpaces", "Lines", "Paragraphs", "TotalTime", "Application", "AppVersion", "Template",
	"revision", "modified", "created", "lastModifiedBy", "lastPrinted", "TitlesOfParts", "HeadingPairs", "DocSecurity", "ScaleCrop", "LinksUpToDate", "SharedDoc", "HyperlinksChanged",
}

// parts compares what stands beside the stories: settings, styles, properties, comments
// that are nowhere in the text, and parts that are not understood.
func (u *unsaid) parts() {
	u.children("settings", u.old.Related("settings").Root(), u.new.Related("settings").Root(), quiet...)
	was, is := u.old.Styles(), u.new.Styles()
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if now, known := is[name]; known {
			u.differ("styles", name, was[name], now)
		}
	}
	u.values("properties", properties(u.old), properties(u.new))
	u.values("comments", allComments(u.old), allComments(u.new))
	u.values("package", others(u.old), others(u.new))
}

// values compares two sets of named values.
func (u *unsaid) values(place string, was, is map[string]string) {
	names := maps.Clone(was)
	maps.Copy(names, is)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		u.differ(place, name, was[name], is[name])
	}
}

// properties are those of a document: title, author, keywords, and its own.
func properties(d *docx.Document) map[string]string {
	all := map[string]string{}
	for _, r := range d.Relationships("") {
		if !slices.Contains([]string{"core-properties", "extended-properties", "custom-properties"}, r.Type) || r.External {
			continue
		}
		part, err := d.Part(r.Target)
		if err != nil {
			continue
		}
		for e := range part.Root().Children() {
			name := e.Name()
			name = name[strings.LastIndexAny(name, "}:")+1:]
			if slices.Contains(volatileProperties, name) {
				continue
			}
			value := strings.TrimSpace(e.Chars())
			for c := range e.Descendants() {
				value += c.Chars()
			}
			if own := e.Attr("name"); own != "" {
				name = own
			}
			if value != "" {
				all[name] = value
			}
		}
	}
	return all
}

// allComments are the comments of a document, by who says what.
func allComments(d *docx.Document) map[string]string {
	all := map[string]string{}
	for _, m := range d.Comments() {
		all[m.Author+": "+excerpt(m.Text)] += m.Text + " "
	}
	return all
}

// known are the relationships whose parts are compared elsewhere, or say nothing about
// the document.
var known = []string{
	"header", "footer", "footnotes", "endnotes", "styles", "settings", "numbering", "comments", "commentsExtended", "commentsIds", "commentsExtensible", "people",
	"image", "hyperlink", "stylesWithEffects", "webSettings", "fontTable", "chart", "oleObject", "package", "thumbnail", "chartUserShapes",
	"diagramData", "diagramLayout", "diagramQuickStyle", "diagramColors", "diagramDrawing", "aFChunk", "subDocument", "glossaryDocument",
}

// others are the parts of a package that are not understood, by what kind they are and
// what they hold; and the fonts that it brings along.
func others(d *docx.Document) map[string]string {
	all := map[string]string{}
	for _, r := range d.Relationships(d.Main().Name) {
		switch {
		case r.External && r.Type != "hyperlink":
			all[r.Type] += r.Target + " "
		case r.External || slices.Contains(known, r.Type):
		default:
			all[r.Type] += d.Digest(r.Target) + " "
		}
	}
	for e := range d.Related("fontTable").Root().Children() {
		for c := range e.Children() {
			if c.Is("embedRegular", "embedBold", "embedItalic", "embedBoldItalic") {
				all["font "+e.Attr("name")] += c.Name() + " " + d.Destination(e.Part().Name, c.Attr("r:id")) + " "
			}
		}
	}
	if settings := d.Related("settings"); settings != nil {
		for _, r := range d.Relationships(settings.Name) {
			all["settings: "+r.Type] += r.Target + " "
		}
	}
	return all
}
