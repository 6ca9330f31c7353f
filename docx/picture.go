package docx

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	drawingNS = "http://schemas.openxmlformats.org/drawingml/2006/"

	emu = 12700 // a point in the units that drawings are measured in

	// What the margins leave of the page, in points.
	pictureWidth  = textWidth / 20
	pictureHeight = 640
)

// name is the part of the i-th picture, below word/.
func (p *Picture) name(i int) string {
	if p.JPEG {
		return "media/image" + strconv.Itoa(i+1) + ".jpeg"
	}
	return "media/image" + strconv.Itoa(i+1) + ".png"
}

// picture writes a paragraph with a picture in it.
func (b *builder) picture(p *Picture) {
	if p == nil || !(p.Width > 0) || !(p.Height > 0) {
		return
	}
	b.media = append(b.media, p)
	n := len(b.media)
	scale := min(1, pictureWidth/p.Width, pictureHeight/p.Height)
	across, down := max(1, int(p.Width*scale*emu)), max(1, int(p.Height*scale*emu))
	text := Escape(printable(p.Text))
	b.closed = true
	fmt.Fprintf(&b.body, `<w:p><w:r><w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent cx="%[2]d" cy="%[3]d"/>`+
		`<wp:docPr id="%[1]d" name="Picture %[1]d" descr="%[4]s"/><a:graphic><a:graphicData uri="`+drawingNS+`picture">`+
		`<pic:pic><pic:nvPicPr><pic:cNvPr id="%[1]d" name="Picture %[1]d"/><pic:cNvPicPr/></pic:nvPicPr>`+
		`<pic:blipFill><a:blip r:embed="rIdImage%[1]d"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>`+
		`<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="%[2]d" cy="%[3]d"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr>`+
		`</pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`, n, across, down, text)
}

// types are the types of the parts.
func (b *builder) types() string {
	types := ""
	for _, kind := range []string{"png", "jpeg"} {
		for _, m := range b.media {
			if m.JPEG == (kind == "jpeg") {
				types += `<Default Extension="` + kind + `" ContentType="image/` + kind + `"/>`
				break
			}
		}
	}
	const first = "<Override "
	return strings.Replace(builtTypes, first, types+first, 1)
}

// relationships lead from the body to the parts that it needs.
func (b *builder) relationships() string {
	var all strings.Builder
	for i, m := range b.media {
		fmt.Fprintf(&all, `<Relationship Id="rIdImage%d" Type="%s/image" Target="%s"/>`, i+1, relationNS, m.name(i))
	}
	return strings.Replace(builtRelationships, "</Relationships>", all.String()+"</Relationships>", 1)
}
